/* bench/modular/costs.c: the tables from which the library predicts times over Z, as their files
 * have them (modular/choose/predict.inc, modular/mul/costs*.inc): logarithms of nanoseconds; and
 * times of products by `words` or `short`, to which costs.py fits constants.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/modular/inputs.h"
#include "bench/modular/sections.h"
#include "crt/blocks/kernels/euclid.h"

/* Entries of images: degrees 2^i; of integers: 2^i limbs; of grids: degrees 4^i, bits 4^(j + 1); of
 * grids of products: lengths 4^i, bits 64 2^j, no product of more than LARGE bits. */
enum { IMAGES = 14, INTEGERS = 17, DEGREES = 7, SIZES = 7, LENGTHS = 9, COLUMNS = 12 };
#define LARGE ((size_t)1 << 27)

static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128"};
#define NAMES (sizeof names / sizeof *names)

static void print_row(const double *x, size_t n, const char *name)
{
    (void)printf("    {");
    for (size_t i = 0; i < n; i++) {
        (void)printf("%.2f%s", x[i], i + 1 < n ? ", " : "}");
    }
    if (name != NULL) {
        (void)printf(", /* %s */\n", name);
    } else {
        (void)printf(",\n");
    }
    (void)fflush(stdout);
}

/* ---- images modulo a block ---- */

typedef struct image {
    gfp_words_image_pair pair;
    gfp_level level;
    uint64_t *work, r[GFP_WORDS];
} image;

static bool run_image(void *user)
{
    image *z = user;
    gfp_words_image_resultant(&z->pair, z->level, z->r, z->work);
    return true;
}

/* A line for each level of this CPU. */
static void print_images(const settings *s)
{
    gfp_words block;
    gfp_random g;
    make_block(&block);
    gfp_random_seed(&g, s->seed);
    for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
        double row[IMAGES];
        if (!gfp_cpu_has((gfp_level)level)) {
            continue;
        }
        for (unsigned i = 0; i < IMAGES; i++) {
            const size_t len = ((size_t)1 << i) + 1;
            uint64_t *a = draw_residues(&block, len, &g), *b = draw_residues(&block, len, &g);
            image z = {.pair = {&block, a, b, len, len},
                       .level = (gfp_level)level,
                       .work = allocate(gfp_words_image_work_words(len, len))};
            row[i] = log2(least_ns(s, run_image, &z));
            free(z.work);
            free(a);
            free(b);
        }
        print_row(row, IMAGES, gfp_cpu_level_name((gfp_level)level));
    }
}

/* ---- images modulo a named prime ---- */

typedef struct big_image {
    gfp_poly a, b;
    uint64_t r[GFP_MAX_K];
} big_image;

static bool run_big(void *user)
{
    big_image *z = user;
    return gfp_poly_resultant(z->r, &z->a, &z->b, NULL) == GFP_OK;
}

static void draw_poly(gfp_poly *f, size_t len, gfp_random *g)
{
    must(gfp_poly_fit_length(f, len), "input");
    gfp_vec_random(f->field, f->digits, len, g);
    must(gfp_poly_set_length(f, len), "input");
}

static double big_time(const settings *s, const gfp_field *field, size_t degree, gfp_random *g)
{
    big_image z;
    gfp_poly_init(&z.a, field);
    gfp_poly_init(&z.b, field);
    draw_poly(&z.a, degree + 1, g);
    draw_poly(&z.b, degree + 1, g);
    const double ns = least_ns(s, run_big, &z);
    gfp_poly_clear(&z.a);
    gfp_poly_clear(&z.b);
    return log2(ns);
}

/* A line for each prime; degrees whose image takes more than s->limit go on as the two before. */
static void print_big(const settings *s)
{
    gfp_random g;
    gfp_random_seed(&g, s->seed);
    for (size_t p = 0; p < NAMES; p++) {
        double row[DEGREES];
        gfp_field *field;
        must(gfp_field_create(&field, names[p], NULL, NULL), names[p]);
        for (unsigned i = 0; i < DEGREES; i++) {
            row[i] = i < 2 || row[i - 1] < log2(1e9 * s->limit)
                         ? big_time(s, field, (size_t)1 << 2 * i, &g)
                         : 2 * row[i - 1] - row[i - 2];
        }
        print_row(row, DEGREES, names[p]);
        gfp_field_destroy(field);
    }
}

/* ---- integers ---- */

typedef struct integers {
    mpz_t x, y, z;
    bool division;
} integers;

static bool run_integers(void *user)
{
    integers *z = user;
    if (z->division) {
        mpz_tdiv_q(z->z, z->x, z->y);
    } else {
        mpz_gcd(z->z, z->x, z->y);
    }
    return true;
}

/* A line for gcds of numbers of 2^i limbs, and one for quotients of twice as many by as many; what
 * takes more than s->limit goes on as the two before. */
static void print_integers(const settings *s)
{
    integers z;
    gmp_randstate_t state;
    gmp_randinit_default(state);
    mpz_inits(z.x, z.y, z.z, NULL);
    for (unsigned division = 0; division < 2; division++) {
        double row[INTEGERS];
        z.division = division != 0;
        for (unsigned i = 0; i < INTEGERS; i++) {
            const mp_bitcnt_t bits = (mp_bitcnt_t)64 << i;
            mpz_urandomb(z.y, state, bits);
            mpz_setbit(z.y, bits - 1);
            mpz_urandomb(z.x, state, bits << division);
            row[i] = i < 2 || row[i - 1] < log2(1e9 * s->limit)
                         ? log2(least_ns(s, run_integers, &z))
                         : 2 * row[i - 1] - row[i - 2];
        }
        print_row(row, INTEGERS, NULL);
    }
    mpz_clears(z.x, z.y, z.z, NULL);
    gmp_randclear(state);
}

/* ---- a strategy by a grid ---- */

typedef struct call {
    const settings *s;
    gfp_zoperation operation;
    gfp_zring *ring;
    gfp_zvec a, b, z;
    gfp_options options;
    gfp_random g;
} call;

static bool run_call(void *user)
{
    call *c = user;
    return run_operation(c->operation, &c->z, &c->a, &c->b, &c->options) == GFP_OK;
}

static void open_call(call *c, const settings *s, gfp_zoperation operation)
{
    *c = (call){.s = s, .operation = operation, .options = {.method = s->strategy}};
    gfp_random_seed(&c->g, s->seed);
    must(gfp_zring_create(&c->ring, NULL, NULL), "ring");
    gfp_zvec_init(&c->a, c->ring);
    gfp_zvec_init(&c->b, c->ring);
    gfp_zvec_init(&c->z, c->ring);
}

static void close_call(call *c)
{
    gfp_zvec_clear(&c->a);
    gfp_zvec_clear(&c->b);
    gfp_zvec_clear(&c->z);
    gfp_zring_destroy(c->ring);
}

/* The time at a place of the grid; where that would exceed s->limit, the line goes on as the one
 * above. */
static double grid_time(call *c, double grid[DEGREES][SIZES], unsigned i, unsigned j, bool common)
{
    const bool first = j == 0;
    const double before = first ? (i > 0 ? grid[i - 1][0] : 0) : grid[i][j - 1];
    if (before < log2(1e9 * c->s->limit) || i < 2) {
        draw_pair(&c->a, &c->b, &c->z, (size_t)1 << 2 * i, (size_t)4 << 2 * j, common, &c->g);
        return log2(least_ns(c->s, run_call, c));
    }
    return before + (first ? before - grid[i - 2][0] : grid[i - 1][j] - grid[i - 1][j - 1]);
}

/* Lines are degrees, columns bits. */
static void print_grid(const settings *s, gfp_zoperation operation, bool common)
{
    call c;
    double grid[DEGREES][SIZES];
    open_call(&c, s, operation);
    for (unsigned i = 0; i < DEGREES; i++) {
        for (unsigned j = 0; j < SIZES; j++) {
            grid[i][j] = grid_time(&c, grid, i, j, common);
        }
        print_row(grid[i], SIZES, NULL);
    }
    close_call(&c);
}

static void print_resultants(const settings *s)
{
    print_grid(s, GFP_ZOPERATION_RESULTANT, false);
}

static void print_gcds(const settings *s)
{
    print_grid(s, GFP_ZOPERATION_GCD, false);
    print_grid(s, GFP_ZOPERATION_GCD, true);
}

/* ---- products ---- */

/* Lines are lengths 4^i; columns are bits of a product's coefficients: of big primes those that
 * fill p2 ... p128. Times of products of more than LARGE bits go on as the two before. */
static void print_product_grid(const settings *s)
{
    static const size_t filled[NAMES] = {126, 255, 504, 992, 1984, 4031, 8191};
    const bool big = strcmp(s->strategy, "big") == 0;
    const size_t columns = big ? NAMES : COLUMNS;
    call c;
    open_call(&c, s, GFP_ZOPERATION_MUL);
    for (unsigned i = 0; i < LENGTHS; i++) {
        double row[COLUMNS];
        const size_t n = (size_t)1 << 2 * i;
        for (size_t j = 0; j < columns; j++) {
            const size_t bits = big ? filled[j] : (size_t)64 << j, factor = (bits - 1 - 2 * i) / 2;
            if (n * bits > LARGE && j >= 2) {
                row[j] = 2 * row[j - 1] - row[j - 2];
                continue;
            }
            fill_random(&c.a, n, factor, &c.g);
            fill_random(&c.b, n, factor, &c.g);
            row[j] = log2(least_ns(s, run_call, &c));
        }
        print_row(row, columns, NULL);
    }
    close_call(&c);
}

/* Lines of random products: both lengths, the bits of both factors, nanoseconds; none that takes
 * long by s->limit. The strategy `short` has longer factors of fewer bits. */
static void print_products(const settings *s)
{
    enum { PRODUCTS = 500 };
    const bool few_bits = strcmp(s->strategy, "short") == 0;
    const size_t longest = (size_t)1 << (few_bits ? 18 : 13), widest = few_bits ? 137 : 5792;
    call c;
    open_call(&c, s, GFP_ZOPERATION_MUL);
    for (unsigned i = 0; i < PRODUCTS; i++) {
        size_t n = log_uniform(&c.g, 2, longest), m = log_uniform(&c.g, 2, longest);
        const size_t bits = log_uniform(&c.g, 2, widest);
        const size_t other = i % 3 == 0 ? log_uniform(&c.g, 2, widest) : bits;
        m = i % 2 == 0 || m > n ? n : m;
        const double bound = (double)(bits + other) + log2((double)m);
        if ((double)n * (double)(bits + other) > 2e8 * s->limit || (few_bits && bound > 284)) {
            continue;
        }
        fill_random(&c.a, n, bits, &c.g);
        fill_random(&c.b, m, other, &c.g);
        (void)printf("%zu %zu %zu %zu %.0f\n", n, m, bits, other, least_ns(s, run_call, &c));
        (void)fflush(stdout);
    }
    close_call(&c);
}

static const struct {
    const char *name;
    void (*print)(const settings *s);
} tables[] = {{"images", print_images},     {"big", print_big},
              {"integers", print_integers}, {"resultants", print_resultants},
              {"gcds", print_gcds},         {"product-grid", print_product_grid},
              {"products", print_products}};

bool print_zcosts(const settings *s, report *r)
{
    settings by = *s;
    (void)r;
    by.strategy = s->strategy != NULL ? s->strategy : "words";
    bool ok = measure_cpu_time(true);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].name, s->costs) == 0) {
            tables[i].print(&by);
        }
    }
    return measure_cpu_time(false) && ok;
}
