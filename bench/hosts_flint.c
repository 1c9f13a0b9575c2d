/* bench/hosts_flint.c: a program of FLINT that knows nothing of gfpoly, for bench/hosts.py, which
 * starts it alone and with libgfpoly_flint.so preloaded.
 *   gfpoly_hosts_flint FACTOR FACTOR SECONDS
 *   gfpoly_hosts_flint grid NAME=MODULUS ...
 * Prints FLINT's version, the least CPU time of fmpz_mod_poly_mul in ms, and the product, a line
 * each. Files and product are in FLINT's format. grid: prints the least CPU time in ns of each
 * operation, ring, pair of lengths and pair of sizes in bits, a line each; over Z without a
 * modulus.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>

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

typedef struct cell {
    const char *ring;
    slong len_a, len_b;
    flint_bitcnt_t bits_a, bits_b;
    fmpz_mod_ctx_struct *ctx; /* NULL: over Z */
    fmpz_mod_poly_t f, g, h;
    fmpz_poly_t x, y, z;
} cell;

typedef void operation(cell *c);

static void multiply(cell *c)
{
    if (c->ctx != NULL) {
        fmpz_mod_poly_mul(c->h, c->f, c->g, c->ctx);
    } else {
        fmpz_poly_mul(c->z, c->x, c->y);
    }
}

static void square(cell *c)
{
    if (c->ctx != NULL) {
        fmpz_mod_poly_sqr(c->h, c->f, c->ctx);
    } else {
        fmpz_poly_sqr(c->z, c->x);
    }
}

static void multiply_low(cell *c)
{
    if (c->ctx != NULL) {
        fmpz_mod_poly_mullow(c->h, c->f, c->g, c->len_a, c->ctx);
    } else {
        fmpz_poly_mullow(c->z, c->x, c->y, c->len_a);
    }
}

static const struct {
    const char *name;
    operation *run;
} operations[] = {{"mul", multiply}, {"sqr", square}, {"mullow", multiply_low}};

/* Samples of at least this time, and their number. */
#define SAMPLE_MS 0.5
#define SAMPLES 4

static double least_ns(operation *run, cell *c)
{
    double least = 1e300;
    int times = 1;
    for (int i = 0; i < SAMPLES;) {
        const double start = cpu_ms();
        for (int j = 0; j < times; j++) {
            run(c);
        }
        const double spent = cpu_ms() - start;
        if (spent < SAMPLE_MS) {
            times *= 2;
            continue;
        }
        least = spent / times < least ? spent / times : least;
        i++;
    }
    return 1e6 * least;
}

static void fill(fmpz_poly_t x, slong n, flint_bitcnt_t bits, flint_rand_t random)
{
    fmpz_poly_zero(x);
    for (slong i = 0; i < n; i++) {
        fmpz_t v;
        fmpz_init(v);
        fmpz_randbits(v, random, bits);
        fmpz_abs(v, v);
        fmpz_poly_set_coeff_fmpz(x, i, v);
        fmpz_clear(v);
    }
}

static void print_cells(cell *c, flint_rand_t random)
{
    fill(c->x, c->len_a, c->bits_a, random);
    fill(c->y, c->len_b, c->bits_b, random);
    if (c->ctx != NULL) {
        fmpz_mod_poly_set_fmpz_poly(c->f, c->x, c->ctx);
        fmpz_mod_poly_set_fmpz_poly(c->g, c->y, c->ctx);
    }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].name, "sqr") == 0 &&
            (c->len_a != c->len_b || c->bits_a != c->bits_b)) {
            continue;
        }
        printf("%s %s %ld %ld %lu %lu %.1f\n", operations[i].name, c->ring, c->len_a, c->len_b,
               c->bits_a, c->bits_b, least_ns(operations[i].run, c));
    }
}

/* The most limbs of a factor of the grid. */
#define MOST_LIMBS 60000

static void print_ring(cell *c, const flint_bitcnt_t (*bits)[2], size_t n, flint_rand_t random)
{
    static const slong lengths[][2] = {{4, 4},     {8, 8},     {16, 16},     {32, 32}, {64, 64},
                                       {128, 128}, {256, 256}, {1024, 1024}, {64, 8},  {512, 32}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        c->len_a = lengths[i][0];
        c->len_b = lengths[i][1];
        for (size_t j = 0; j < n; j++) {
            c->bits_a = bits[j][0];
            c->bits_b = bits[j][1];
            if (c->len_a * (slong)(c->bits_a + c->bits_b) < 64 * MOST_LIMBS) {
                print_cells(c, random);
            }
        }
    }
}

/* A field is created once FLINT has taken some time for its products. */
#define WARM_MS 400

static void warm_up(cell *c, flint_bitcnt_t bits, flint_rand_t random)
{
    fill(c->x, 200, bits, random);
    fmpz_mod_poly_set_fmpz_poly(c->f, c->x, c->ctx);
    fmpz_mod_poly_set(c->g, c->f, c->ctx);
    for (const double end = cpu_ms() + WARM_MS; cpu_ms() < end;) {
        multiply(c);
    }
}

static void print_field(const char *text, flint_rand_t random)
{
    char name[32];
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    const char *value = strchr(text, '=');
    if (value == NULL || (size_t)(value - text) >= sizeof name) {
        return;
    }
    memcpy(name, text, (size_t)(value - text));
    name[value - text] = '\0';
    fmpz_init(p);
    fmpz_set_str(p, value + 1, 10);
    fmpz_mod_ctx_init(ctx, p);
    cell c = {.ring = name, .ctx = ctx};
    fmpz_mod_poly_init(c.f, ctx);
    fmpz_mod_poly_init(c.g, ctx);
    fmpz_mod_poly_init(c.h, ctx);
    fmpz_poly_init(c.x);
    fmpz_poly_init(c.y);
    const flint_bitcnt_t all = fmpz_bits(p);
    const flint_bitcnt_t bits[][2] = {{7, 7},
                                      {60, 60},
                                      {all / 4, all / 4},
                                      {all / 2, all / 2},
                                      {3 * all / 4, 3 * all / 4},
                                      {all - 1, all - 1},
                                      {all - 1, 7},
                                      {all - 1, all / 2}};
    warm_up(&c, all - 1, random);
    print_ring(&c, bits, sizeof bits / sizeof *bits, random);
    fmpz_poly_clear(c.x);
    fmpz_poly_clear(c.y);
    fmpz_mod_poly_clear(c.f, ctx);
    fmpz_mod_poly_clear(c.g, ctx);
    fmpz_mod_poly_clear(c.h, ctx);
    fmpz_mod_ctx_clear(ctx);
    fmpz_clear(p);
}

static void print_integers(flint_rand_t random)
{
    static const flint_bitcnt_t bits[][2] = {
        {7, 7},       {60, 60},      {60, 7},       {200, 200},     {250, 20},     {1000, 1000},
        {1000, 100},  {1000, 300},   {4000, 4000},  {4000, 400},    {400, 4000},   {8000, 8000},
        {20000, 200}, {20000, 2000}, {2000, 20000}, {20000, 20000}, {20000, 10000}};
    cell c = {.ring = "Z"};
    fmpz_poly_init(c.x);
    fmpz_poly_init(c.y);
    fmpz_poly_init(c.z);
    print_ring(&c, bits, sizeof bits / sizeof *bits, random);
    fmpz_poly_clear(c.x);
    fmpz_poly_clear(c.y);
    fmpz_poly_clear(c.z);
}

static int print_grid(int count, char **fields)
{
    flint_rand_t random;
    flint_randinit(random);
    printf("%s\n", flint_version);
    print_integers(random);
    for (int i = 0; i < count; i++) {
        print_field(fields[i], random);
    }
    flint_randclear(random);
    flint_cleanup();
    return 0;
}

int main(int argc, char **argv)
{
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t f, g, h;
    double least = 1e300;

    if (argc >= 2 && strcmp(argv[1], "grid") == 0) {
        return print_grid(argc - 2, argv + 2);
    }
    if (argc != 4) {
        fputs("usage: gfpoly_hosts_flint FACTOR FACTOR SECONDS, or grid NAME=MODULUS ...\n",
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
