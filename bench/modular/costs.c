/* bench/modular/costs.c: gfpoly_zcosts: the tables from which the library predicts the times of
 * gcds and resultants over Z (modular/choose/predict.inc), as their files have them: logarithms of
 * nanoseconds; and times of products by `words` or `short`, to which costs.py fits
 * modular/mul/costs.inc and the constants in modular/mul/short.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "crt/blocks/kernels/euclid.h"
#include "fft/words/primes.h"
#include "bench/modular/times.h"

/* Entries of images: degrees 2^i; of integers: 2^i limbs; of grids: degrees 4^i, bits 4^(j + 1). */
enum { IMAGES = 14, INTEGERS = 17, DEGREES = 7, SIZES = 7 };

/* ---- images modulo a block ---- */

typedef struct image {
    gfp_words_image_pair pair;
    gfp_level level;
    uint64_t *work, r[GFP_WORDS];
} image;

static void run_image(void *user)
{
    image *z = user;
    gfp_words_image_resultant(&z->pair, z->level, z->r, z->work);
}

static void make_block(gfp_words *block)
{
    uint64_t q[GFP_WORDS], below = UINT64_C(1) << GFP_WORDS_BITS;
    for (unsigned i = 0; i < GFP_WORDS; i++, below = q[i - 1]) {
        must(gfp_word_prime_below(&q[i], below, GFP_WORDS_LOG2_ORDER), "primes");
    }
    gfp_words_fill(block, q);
}

static double image_time(const gfp_words *block, gfp_level level, size_t degree, double budget,
                         gfp_random *g)
{
    const size_t len = degree + 1;
    uint64_t *x = allocate(2 * len * GFP_WORDS);
    image z = {.pair = {block, x, x + len * GFP_WORDS, len, len}, .level = level};
    for (size_t i = 0; i < 2 * len * GFP_WORDS; i++) {
        x[i] = gfp_random_u64(g) % block->q[i % GFP_WORDS];
    }
    z.work = allocate(gfp_words_image_work_words(len, len));
    const double t = least_time(run_image, &z, budget);
    free(z.work);
    free(x);
    return t;
}

/* A line for each level of this CPU. */
static void print_images(double budget)
{
    gfp_words block;
    gfp_random g;
    make_block(&block);
    gfp_random_seed(&g, 1);
    for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has((gfp_level)level)) {
            continue;
        }
        (void)printf("    {");
        for (unsigned i = 0; i < IMAGES; i++) {
            const double t = image_time(&block, (gfp_level)level, (size_t)1 << i, budget, &g);
            (void)printf("%.2f%s", log2(t), i + 1 < IMAGES ? ", " : "");
            (void)fflush(stdout);
        }
        (void)printf("}, /* %s */\n", gfp_cpu_level_name((gfp_level)level));
    }
}

/* ---- images modulo a named prime ---- */

typedef struct big_image {
    gfp_poly a, b;
    uint64_t r[GFP_MAX_K];
} big_image;

static void run_big(void *user)
{
    big_image *z = user;
    must(gfp_poly_resultant(z->r, &z->a, &z->b, NULL), "resultant");
}

static void draw_poly(gfp_poly *f, size_t len, gfp_random *g)
{
    must(gfp_poly_fit_length(f, len), "input");
    gfp_vec_random(f->field, f->digits, len, g);
    must(gfp_poly_set_length(f, len), "input");
}

/* A line for each of p2, p4, ..., p128; degrees whose image takes more than `most` nanoseconds go
 * on as the two before. */
static void print_big(double budget, double most)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128"};
    gfp_random g;
    gfp_random_seed(&g, 1);
    for (size_t p = 0; p < sizeof names / sizeof *names; p++) {
        gfp_field *field;
        double before = 0, last = 0;
        must(gfp_field_create(&field, names[p], NULL, NULL), names[p]);
        (void)printf("    {");
        for (unsigned i = 0; i < DEGREES; i++) {
            big_image z;
            double t = 2 * last - before;
            if (last < log2(most)) {
                gfp_poly_init(&z.a, field);
                gfp_poly_init(&z.b, field);
                draw_poly(&z.a, ((size_t)1 << 2 * i) + 1, &g);
                draw_poly(&z.b, ((size_t)1 << 2 * i) + 1, &g);
                t = log2(least_time(run_big, &z, budget));
                gfp_poly_clear(&z.a);
                gfp_poly_clear(&z.b);
            }
            (void)printf("%.2f%s", t, i + 1 < DEGREES ? ", " : "");
            (void)fflush(stdout);
            before = last;
            last = t;
        }
        (void)printf("}, /* %s */\n", names[p]);
        gfp_field_destroy(field);
    }
}

/* ---- integers ---- */

typedef struct integers {
    mpz_t x, y, z;
} integers;

static void run_gcd(void *user)
{
    integers *z = user;
    mpz_gcd(z->z, z->x, z->y);
}

static void run_division(void *user)
{
    integers *z = user;
    mpz_tdiv_q(z->z, z->x, z->y);
}

/* A line for gcds of numbers of 2^i limbs, and one for quotients of twice as many by as many. */
static void print_integers(double budget)
{
    integers z;
    gmp_randstate_t state;
    gmp_randinit_default(state);
    mpz_inits(z.x, z.y, z.z, NULL);
    for (unsigned division = 0; division < 2; division++) {
        (void)printf("    {");
        for (unsigned i = 0; i < INTEGERS; i++) {
            const mp_bitcnt_t bits = (mp_bitcnt_t)64 << i;
            mpz_urandomb(z.y, state, bits);
            mpz_setbit(z.y, bits - 1);
            mpz_urandomb(z.x, state, bits << division);
            const double t = least_time(division != 0 ? run_division : run_gcd, &z, budget);
            (void)printf("%.2f%s", log2(t), i + 1 < INTEGERS ? ", " : "},\n");
            (void)fflush(stdout);
        }
    }
    mpz_clears(z.x, z.y, z.z, NULL);
    gmp_randclear(state);
}

/* ---- a strategy by a grid ---- */

typedef struct call {
    gfp_zvec a, b, z;
    bool gcd;
    const char *method;
} call;

static void run_call(void *user)
{
    call *c = user;
    const gfp_options options = {.method = c->method};
    must((c->gcd ? gfp_zvec_gcd : gfp_zvec_resultant)(&c->z, &c->a, &c->b, &options), c->method);
}

/* Operands of this degree and these bits; half: with a common divisor of half of both. */
static void draw_operands(call *c, size_t degree, size_t bits, bool half, gfp_random *g)
{
    const size_t of_g = half ? (degree + 1) / 2 : 0;
    if (of_g == 0) {
        fill_random(&c->a, degree + 1, bits, g);
        fill_random(&c->b, degree + 1, bits, g);
        return;
    }
    fill_random(&c->z, of_g + 1, bits / 2, g);
    fill_random(&c->a, degree - of_g + 1, bits / 2, g);
    fill_random(&c->b, degree - of_g + 1, bits / 2, g);
    must(gfp_zvec_mul(&c->a, &c->a, &c->z, NULL), "input");
    must(gfp_zvec_mul(&c->b, &c->b, &c->z, NULL), "input");
}

/* The time at a place of the grid; where that would exceed `most`, the line goes on as the one
 * above. */
static double grid_time(call *c, double grid[DEGREES][SIZES], unsigned i, unsigned j, bool half,
                        const double limit[2], gfp_random *g)
{
    const bool first = j == 0;
    const double before = first ? (i > 0 ? grid[i - 1][0] : 0) : grid[i][j - 1];
    if (before < log2(limit[1]) || i < 2) {
        draw_operands(c, (size_t)1 << 2 * i, (size_t)4 << 2 * j, half, g);
        return log2(least_time(run_call, c, limit[0]));
    }
    return before + (first ? before - grid[i - 2][0] : grid[i - 1][j] - grid[i - 1][j - 1]);
}

/* Lines are degrees, columns bits. limit: nanoseconds for a measurement, and at most for a call. */
static void print_grid(const char *method, bool gcd, bool half, const double limit[2])
{
    call c = {.gcd = gcd, .method = method};
    double grid[DEGREES][SIZES];
    gfp_zring *ring;
    gfp_random g;
    gfp_random_seed(&g, 1);
    must(gfp_zring_create(&ring, NULL, NULL), "ring");
    gfp_zvec_init(&c.a, ring);
    gfp_zvec_init(&c.b, ring);
    gfp_zvec_init(&c.z, ring);
    for (unsigned i = 0; i < DEGREES; i++) {
        (void)printf("    {");
        for (unsigned j = 0; j < SIZES; j++) {
            grid[i][j] = grid_time(&c, grid, i, j, half, limit, &g);
            (void)printf("%.2f%s", grid[i][j], j + 1 < SIZES ? ", " : "},\n");
            (void)fflush(stdout);
        }
    }
    gfp_zvec_clear(&c.a);
    gfp_zvec_clear(&c.b);
    gfp_zvec_clear(&c.z);
    gfp_zring_destroy(ring);
}

/* ---- random products by word-size primes ---- */

enum { PRODUCTS = 500 };

static void run_product(void *user)
{
    call *c = user;
    must(gfp_zvec_mul(&c->z, &c->a, &c->b, &(gfp_options){.method = c->method}), c->method);
}

/* A number from 2 to 2^octaves whose logarithm is uniform. */
static size_t draw_size(gfp_random *g, double octaves)
{
    const double u = (double)(gfp_random_u64(g) >> 11) / 9007199254740992.0; /* 2^53 */
    return (size_t)exp2(1 + u * (octaves - 1));
}

/* Lines: both lengths, the bits of both factors, nanoseconds. `most`: the longest product. The
 * strategy `short` has longer factors of fewer bits. */
static void print_products(const char *method, double budget, double most)
{
    call c = {.method = method};
    const bool few_bits = strcmp(method, "short") == 0;
    const double lengths = few_bits ? 18 : 13, sizes = few_bits ? 7.1 : 12.5;
    gfp_zring *ring;
    gfp_random g;
    gfp_random_seed(&g, 1);
    must(gfp_zring_create(&ring, NULL, NULL), "ring");
    gfp_zvec_init(&c.a, ring);
    gfp_zvec_init(&c.b, ring);
    gfp_zvec_init(&c.z, ring);
    for (unsigned i = 0; i < PRODUCTS; i++) {
        size_t n = draw_size(&g, lengths), m = draw_size(&g, lengths);
        const size_t bits = draw_size(&g, sizes), other = i % 3 == 0 ? draw_size(&g, sizes) : bits;
        m = i % 2 == 0 || m > n ? n : m;
        const double bound = (double)(bits + other) + log2((double)m);
        if ((double)n * (double)(bits + other) > 0.2 * most || (few_bits && bound > 284)) {
            continue;
        }
        fill_random(&c.a, n, bits, &g);
        fill_random(&c.b, m, other, &g);
        (void)printf("%zu %zu %zu %zu %.0f\n", n, m, bits, other,
                     least_time(run_product, &c, budget));
    }
    gfp_zvec_clear(&c.a);
    gfp_zvec_clear(&c.b);
    gfp_zvec_clear(&c.z);
    gfp_zring_destroy(ring);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const double limit[2] = {1e9 * (argc > 2 ? strtod(argv[2], NULL) : 0.05),
                             1e9 * (argc > 3 ? strtod(argv[3], NULL) : 0.3)};
    begin_times();
    if (strcmp(what, "images") == 0) {
        print_images(limit[0]);
    } else if (strcmp(what, "big") == 0) {
        print_big(limit[0], limit[1]);
    } else if (strcmp(what, "products") == 0) {
        print_products(argc > 4 ? argv[4] : "words", limit[0], limit[1]);
    } else if (strcmp(what, "integers") == 0) {
        print_integers(limit[0]);
    } else if (strcmp(what, "resultants") == 0 && argc > 4) {
        print_grid(argv[4], false, false, limit);
    } else if (strcmp(what, "gcds") == 0 && argc > 4) {
        print_grid(argv[4], true, false, limit);
        print_grid(argv[4], true, true, limit);
    } else {
        (void)fprintf(stderr, "usage: gfpoly_zcosts images|big|integers|products|resultants|gcds "
                              "[seconds [longest [strategy]]]\n");
        return 2;
    }
    return 0;
}
