/* bench/hosts/flint.c: a program of FLINT that knows nothing of gfpoly, for bench/hosts/tables.py,
 * which starts it alone and with libgfpoly_flint.so preloaded.
 *
 *   gfpoly_hosts_flint FACTOR FACTOR SECONDS
 *   gfpoly_hosts_flint grid 4x4,64x8,... NAME=MODULUS ...
 *
 * Prints FLINT's version, the least CPU time of fmpz_mod_poly_mul in ms, and the product, a line
 * each. Files and product are in FLINT's format. grid: prints FLINT's version, the number of cells,
 * and for each cell the operation, ring, lengths and sizes in bits, a line each; then reads numbers
 * of cells, and prints the least CPU time in ns of each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_poly.h>

/* n modulus c0 c1 ...; sets the modulus of ctx if that is the first file. */
static int read_factor(fmpz_mod_poly_t f, fmpz_mod_ctx_t ctx, int first, const char *name)
{
    FILE *file = fopen(name, "r");
    slong n;
    fmpz_t x;
    if (file == NULL || fscanf(file, "%ld", &n) != 1) {
        fprintf(stderr, "%s: no polynomial\n", name);
        return 0;
    }
    fmpz_init(x);
    fmpz_fread(file, x);
    if (first) {
        fmpz_mod_ctx_init(ctx, x);
    }
    fmpz_mod_poly_init2(f, n, ctx);
    for (slong i = 0; i < n && fmpz_fread(file, x) > 0; i++) {
        fmpz_mod_poly_set_coeff_fmpz(f, i, x, ctx);
    }
    fmpz_clear(x);
    fclose(file);
    return fmpz_mod_poly_length(f, ctx) == n;
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* ---- the grid ---- */

typedef struct ring {
    char name[32];
    int integers;
    fmpz_mod_ctx_t ctx; /* if these are not the integers */
} ring;

typedef struct operands {
    fmpz_mod_ctx_struct *ctx; /* NULL: over Z */
    slong low;
    fmpz_mod_poly_t f, g, h;
    fmpz_poly_t x, y, z;
} operands;

typedef void operation(operands *o);

static void flint_multiply(operands *o)
{
    if (o->ctx != NULL) {
        fmpz_mod_poly_mul(o->h, o->f, o->g, o->ctx);
    } else {
        fmpz_poly_mul(o->z, o->x, o->y);
    }
}

static void flint_square(operands *o)
{
    if (o->ctx != NULL) {
        fmpz_mod_poly_sqr(o->h, o->f, o->ctx);
    } else {
        fmpz_poly_sqr(o->z, o->x);
    }
}

static void multiply_low(operands *o)
{
    if (o->ctx != NULL) {
        fmpz_mod_poly_mullow(o->h, o->f, o->g, o->low, o->ctx);
    } else {
        fmpz_poly_mullow(o->z, o->x, o->y, o->low);
    }
}

static const struct {
    const char *name;
    operation *run;
} operations[] = {{"mul", flint_multiply}, {"sqr", flint_square}, {"mullow", multiply_low}};
#define OPERATIONS (sizeof operations / sizeof *operations)

typedef struct cell {
    ring *of;
    size_t operation;
    slong len_a, len_b;
    flint_bitcnt_t bits_a, bits_b;
} cell;

#define CELLS 2000
static cell cells[CELLS];
static size_t cell_count;

/* The most limbs of a factor of the grid. */
#define MOST_LIMBS 60000

static void add_cells(cell c)
{
    for (c.operation = 0; c.operation < OPERATIONS; c.operation++) {
        const int equal = c.len_a == c.len_b && c.bits_a == c.bits_b;
        const int fits = c.len_a * (slong)(c.bits_a + c.bits_b) < 64 * MOST_LIMBS;
        if ((equal || operations[c.operation].run != flint_square) && fits && cell_count < CELLS) {
            cells[cell_count++] = c;
        }
    }
}

/* The lengths of both factors, the longer one first. */
#define LENGTHS 40
static slong lengths[LENGTHS][2];
static size_t length_count;

static int read_lengths(const char *text)
{
    int used = 0;
    for (; *text != '\0' && length_count < LENGTHS; text += used, length_count++) {
        slong *n = lengths[length_count];
        if (sscanf(text, "%ldx%ld%n", &n[0], &n[1], &used) != 2 || n[1] < 1 || n[0] < n[1]) {
            return 0;
        }
        used += text[used] == ',';
    }
    return *text == '\0';
}

static void add_ring(ring *of, const flint_bitcnt_t (*bits)[2], size_t n)
{
    for (size_t i = 0; i < length_count; i++) {
        for (size_t j = 0; j < n; j++) {
            add_cells((cell){of, 0, lengths[i][0], lengths[i][1], bits[j][0], bits[j][1]});
        }
    }
}

static void flint_fill(fmpz_poly_t x, slong n, flint_bitcnt_t bits, flint_rand_t random)
{
    fmpz_t v;
    fmpz_init(v);
    fmpz_poly_zero(x);
    for (slong i = 0; i < n; i++) {
        fmpz_randbits(v, random, bits);
        fmpz_abs(v, v);
        fmpz_poly_set_coeff_fmpz(x, i, v);
    }
    fmpz_clear(v);
}

static void flint_begin(operands *o, const cell *c)
{
    flint_rand_t random;
    flint_randinit(random);
    o->ctx = c->of->integers ? NULL : c->of->ctx;
    o->low = c->len_a;
    fmpz_poly_init(o->x);
    fmpz_poly_init(o->y);
    fmpz_poly_init(o->z);
    flint_fill(o->x, c->len_a, c->bits_a, random);
    flint_fill(o->y, c->len_b, c->bits_b, random);
    if (o->ctx != NULL) {
        fmpz_mod_poly_init(o->f, o->ctx);
        fmpz_mod_poly_init(o->g, o->ctx);
        fmpz_mod_poly_init(o->h, o->ctx);
        fmpz_mod_poly_set_fmpz_poly(o->f, o->x, o->ctx);
        fmpz_mod_poly_set_fmpz_poly(o->g, o->y, o->ctx);
    }
    flint_randclear(random);
}

static void flint_end(operands *o)
{
    fmpz_poly_clear(o->x);
    fmpz_poly_clear(o->y);
    fmpz_poly_clear(o->z);
    if (o->ctx != NULL) {
        fmpz_mod_poly_clear(o->f, o->ctx);
        fmpz_mod_poly_clear(o->g, o->ctx);
        fmpz_mod_poly_clear(o->h, o->ctx);
    }
}

/* Samples of at least this time, and how many at least; many short samples for short operations,
 * since a busy machine leaves only some of them alone. */
#define SAMPLE_MS 0.1
#define SAMPLES 4
#define ALL_MS 2

static double least_ns(const cell *c)
{
    operands o;
    double least = 1e300, all = 0;
    int times = 1;
    flint_begin(&o, c);
    for (int i = 0; i < SAMPLES || all < ALL_MS;) {
        const double start = cpu_ms();
        for (int j = 0; j < times; j++) {
            operations[c->operation].run(&o);
        }
        const double spent = cpu_ms() - start;
        if (spent < SAMPLE_MS) {
            times *= 2;
            continue;
        }
        least = spent / times < least ? spent / times : least;
        all += spent;
        i++;
    }
    flint_end(&o);
    return 1e6 * least;
}

/* A field is created once FLINT has taken some time for its products. */
#define WARM_MS 400

static void add_field(ring *of)
{
    const flint_bitcnt_t all = fmpz_bits(fmpz_mod_ctx_modulus(of->ctx));
    const flint_bitcnt_t bits[][2] = {{7, 7},
                                      {60, 60},
                                      {all / 4, all / 4},
                                      {all / 2, all / 2},
                                      {3 * all / 4, 3 * all / 4},
                                      {all - 1, all - 1},
                                      {all - 1, 7},
                                      {all - 1, all / 2}};
    const cell warm = {of, 0, 200, 200, all - 1, all - 1};
    operands o;
    add_ring(of, bits, sizeof bits / sizeof *bits);
    flint_begin(&o, &warm);
    for (const double until = cpu_ms() + WARM_MS; cpu_ms() < until;) {
        flint_multiply(&o);
    }
    flint_end(&o);
}

static void add_integers(ring *of)
{
    static const flint_bitcnt_t bits[][2] = {
        {7, 7},       {60, 60},      {60, 7},       {200, 200},     {250, 20},     {1000, 1000},
        {1000, 100},  {1000, 300},   {4000, 4000},  {4000, 400},    {400, 4000},   {8000, 8000},
        {20000, 200}, {20000, 2000}, {2000, 20000}, {20000, 20000}, {20000, 10000}};
    strcpy(of->name, "Z");
    of->integers = 1;
    add_ring(of, bits, sizeof bits / sizeof *bits);
}

/* name=modulus */
static int read_ring(ring *of, const char *text)
{
    fmpz_t p;
    const size_t length = strcspn(text, "=");
    if (text[length] != '=' || length >= sizeof of->name) {
        return 0;
    }
    memcpy(of->name, text, length);
    fmpz_init(p);
    fmpz_set_str(p, text + length + 1, 10);
    fmpz_mod_ctx_init(of->ctx, p);
    fmpz_clear(p);
    return 1;
}

#define RINGS 8

static int serve_grid(int count, char **fields)
{
    static ring rings[1 + RINGS];
    unsigned long i;
    add_integers(rings);
    for (int j = 0; j < count && j < RINGS; j++) {
        if (!read_ring(&rings[1 + j], fields[j])) {
            return 2;
        }
        add_field(&rings[1 + j]);
    }
    printf("%s\n%zu\n", flint_version, cell_count);
    for (size_t j = 0; j < cell_count; j++) {
        const cell *c = &cells[j];
        printf("%s %s %ld %ld %lu %lu\n", operations[c->operation].name, c->of->name, c->len_a,
               c->len_b, c->bits_a, c->bits_b);
    }
    fflush(stdout);
    while (scanf("%lu", &i) == 1 && i < cell_count) {
        printf("%.1f\n", least_ns(&cells[i]));
        fflush(stdout);
    }
    for (int j = 0; j < count && j < RINGS; j++) {
        fmpz_mod_ctx_clear(rings[1 + j].ctx);
    }
    flint_cleanup();
    return 0;
}

int main(int argc, char **argv)
{
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t f, g, h;
    double least = 1e300;

    if (argc >= 3 && strcmp(argv[1], "grid") == 0 && read_lengths(argv[2])) {
        return serve_grid(argc - 3, argv + 3);
    }
    if (argc != 4) {
        fputs("usage: gfpoly_hosts_flint FACTOR FACTOR SECONDS, or grid LENGTHS NAME=MODULUS ...\n",
              stderr);
        return 2;
    }
    if (!read_factor(f, ctx, 1, argv[1]) || !read_factor(g, ctx, 0, argv[2])) {
        return 1;
    }
    fmpz_mod_poly_init(h, ctx);
    const double end = cpu_ms() + 1e3 * strtod(argv[3], NULL);
    for (int i = 0; i < 5 || cpu_ms() < end; i++) {
        const double start = cpu_ms();
        fmpz_mod_poly_mul(h, f, g, ctx);
        const double spent = cpu_ms() - start;
        least = spent < least ? spent : least;
    }
    printf("%s\n%.6f\n", flint_version, least);
    fmpz_mod_poly_fprint(stdout, h, ctx);
    putchar('\n');
    fmpz_mod_poly_clear(f, ctx);
    fmpz_mod_poly_clear(g, ctx);
    fmpz_mod_poly_clear(h, ctx);
    fmpz_mod_ctx_clear(ctx);
    flint_cleanup();
    return 0;
}
