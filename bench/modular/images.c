/* images.c: gfpoly_images: times of resultants and gcds modulo blocks of eight primes
 * (crt/blocks/kernels/euclid.h) at all levels of the CPU, and of FLINT's nmod_poly modulo one
 * prime, per bit of modulus. Argument: the greatest degree (1024), and the seconds for each time
 * (0.2).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#if GFP_HAVE_FLINT
#include <flint/nmod_poly.h>
#include <flint/ulong_extras.h>
#endif

#include "crt/blocks/kernels/euclid.h"
#include "fft/words/primes.h"
#include "bench/modular/times.h"

/* ---- blocks ---- */

typedef struct call {
    gfp_words_image_pair pair;
    gfp_level level;
    uint64_t *g, *work, r[GFP_WORDS];
    size_t len[GFP_WORDS];
} call;

static void run_resultant(void *user)
{
    call *c = user;
    gfp_words_image_resultant(&c->pair, c->level, c->r, c->work);
}

static void run_gcd(void *user)
{
    call *c = user;
    gfp_words_image_gcd(&c->pair, c->level, c->g, c->len, c->work);
}

static void make_block(gfp_words *block)
{
    uint64_t q[GFP_WORDS], below = UINT64_C(1) << GFP_WORDS_BITS;
    for (unsigned i = 0; i < GFP_WORDS; i++, below = q[i - 1]) {
        must(gfp_word_prime_below(&q[i], below, GFP_WORDS_LOG2_ORDER), "primes");
    }
    gfp_words_fill(block, q);
}

static uint64_t *draw(const gfp_words *block, size_t len, gfp_random *g)
{
    uint64_t *x = allocate(GFP_WORDS * len);
    for (size_t i = 0; i < GFP_WORDS * len; i++) {
        x[i] = gfp_random_u64(g) % block->q[i % GFP_WORDS];
    }
    return x;
}

static void print_blocks(const gfp_words *block, size_t degree, double budget, gfp_random *g)
{
    const size_t len = degree + 1;
    uint64_t *a = draw(block, len, g), *b = draw(block, len, g);
    call c = {.pair = {block, a, b, len, len},
              .g = allocate(GFP_WORDS * len),
              .work = allocate(gfp_words_image_work_words(len, len))};
    for (unsigned level = GFP_LEVEL_COUNT; level-- > 0;) {
        if (gfp_cpu_has((gfp_level)level)) {
            const double bits = (double)GFP_WORDS * GFP_WORDS_BITS;
            c.level = (gfp_level)level;
            const double resultant = least_time(run_resultant, &c, budget);
            (void)printf(" %10.2f %10.2f", resultant / bits,
                         least_time(run_gcd, &c, budget) / bits);
            (void)fflush(stdout);
        }
    }
    free(a);
    free(b);
    free(c.g);
    free(c.work);
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
typedef struct flint_pair {
    nmod_poly_t a, b;
    ulong r;
} flint_pair;

static void run_flint(void *user)
{
    flint_pair *p = user;
    p->r = nmod_poly_resultant(p->a, p->b);
}

static void print_flint(size_t degree, double budget, gfp_random *g)
{
    const ulong q = n_nextprime(UWORD(1) << 62, 0);
    flint_pair p;
    nmod_poly_init(p.a, q);
    nmod_poly_init(p.b, q);
    for (size_t i = 0; i <= degree; i++) {
        nmod_poly_set_coeff_ui(p.a, (slong)i, gfp_random_u64(g) % q);
        nmod_poly_set_coeff_ui(p.b, (slong)i, gfp_random_u64(g) % q);
    }
    (void)printf(" %10.1f", least_time(run_flint, &p, budget) / 63);
    nmod_poly_clear(p.a);
    nmod_poly_clear(p.b);
}
#else
static void print_flint(size_t degree, double budget, gfp_random *g)
{
    (void)degree;
    (void)budget;
    (void)g;
}
#endif

int main(int argc, char **argv)
{
    const size_t longest = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1024;
    const double budget = 1e9 * (argc > 2 ? strtod(argv[2], NULL) : 0.2);
    gfp_words block;
    gfp_random g;
    make_block(&block);
    gfp_random_seed(&g, 1);
    (void)printf("%8s", "degree");
    for (unsigned level = GFP_LEVEL_COUNT; level-- > 0;) {
        if (gfp_cpu_has((gfp_level)level)) {
            (void)printf(" %10s %10s", gfp_cpu_level_name((gfp_level)level), "gcd");
        }
    }
    (void)printf(" %10s  ns per bit: resultant, gcd\n", GFP_HAVE_FLINT ? "FLINT" : "");
    for (size_t degree = 8; degree <= longest; degree *= 2) {
        (void)printf("%8zu", degree);
        print_blocks(&block, degree, budget, &g);
        print_flint(degree, budget, &g);
        (void)printf("\n");
    }
    return 0;
}
