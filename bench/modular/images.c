/* bench/modular/images.c: resultants and gcds modulo blocks of eight primes
 * (crt/blocks/kernels/euclid.h) at all levels of the CPU, and by FLINT's nmod_poly modulo one
 * prime, per bit of modulus.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#if GFP_HAVE_FLINT
#include <flint/nmod_poly.h>
#include <flint/ulong_extras.h>
#endif

#include "bench/modular/inputs.h"
#include "bench/modular/sections.h"
#include "crt/blocks/kernels/euclid.h"

typedef struct call {
    gfp_words_image_pair pair;
    gfp_level level;
    uint64_t *g, *work, r[GFP_WORDS];
    size_t len[GFP_WORDS];
} call;

static bool run_resultant(void *user)
{
    call *c = user;
    gfp_words_image_resultant(&c->pair, c->level, c->r, c->work);
    return true;
}

static bool run_gcd(void *user)
{
    call *c = user;
    gfp_words_image_gcd(&c->pair, c->level, c->g, c->len, c->work);
    return true;
}

static bool bench_image(const settings *s, size_t degree, const char *field, const char *name,
                        double bits, bool (*run)(void *), void *context, report *r)
{
    const timed_row f = {.section = "images",
                         .field = field,
                         .name = name,
                         .len_a = degree,
                         .len_b = degree,
                         .per = bits,
                         .unit = 1};
    return take_timed_row(s, r, &f, run, context) != NULL;
}

static bool bench_blocks(const settings *s, const gfp_words *block, size_t degree, gfp_random *g,
                         report *r)
{
    const size_t len = degree + 1;
    const double bits = (double)GFP_WORDS * GFP_WORDS_BITS;
    uint64_t *a = draw_residues(block, len, g), *b = draw_residues(block, len, g);
    call c = {.pair = {block, a, b, len, len},
              .g = allocate(GFP_WORDS * len),
              .work = allocate(gfp_words_image_work_words(len, len))};
    bool ok = true;
    for (unsigned level = GFP_LEVEL_COUNT; level-- > 0 && ok;) {
        if (gfp_cpu_has((gfp_level)level)) {
            const char *name = gfp_cpu_level_name((gfp_level)level);
            char text[2][40];
            (void)snprintf(text[0], sizeof text[0], "resultant, %s", name);
            (void)snprintf(text[1], sizeof text[1], "gcd, %s", name);
            c.level = (gfp_level)level;
            ok = bench_image(s, degree, "block", text[0], bits, run_resultant, &c, r) &&
                 bench_image(s, degree, "block", text[1], bits, run_gcd, &c, r);
        }
    }
    free(a);
    free(b);
    free(c.g);
    free(c.work);
    return ok;
}

#if GFP_HAVE_FLINT
typedef struct flint_pair {
    nmod_poly_t a, b;
    ulong r;
} flint_pair;

static bool run_flint(void *user)
{
    flint_pair *p = user;
    p->r = nmod_poly_resultant(p->a, p->b);
    return true;
}

static bool bench_flint(const settings *s, size_t degree, gfp_random *g, report *r)
{
    const ulong q = n_nextprime(UWORD(1) << 62, 0);
    flint_pair p;
    nmod_poly_init(p.a, q);
    nmod_poly_init(p.b, q);
    for (size_t i = 0; i <= degree; i++) {
        nmod_poly_set_coeff_ui(p.a, (slong)i, gfp_random_u64(g) % q);
        nmod_poly_set_coeff_ui(p.b, (slong)i, gfp_random_u64(g) % q);
    }
    const bool ok =
        bench_image(s, degree, "63 bits", "resultant, FLINT " FLINT_VERSION, 63, run_flint, &p, r);
    nmod_poly_clear(p.a);
    nmod_poly_clear(p.b);
    return ok;
}
#else
static bool bench_flint(const settings *s, size_t degree, gfp_random *g, report *r)
{
    (void)s;
    (void)degree;
    (void)g;
    (void)r;
    return true;
}
#endif

bool bench_images(const settings *s, report *r)
{
    gfp_words block;
    gfp_random g;
    bool ok = measure_cpu_time(true);
    make_block(&block);
    gfp_random_seed(&g, s->seed);
    for (size_t i = 0; i < s->length_count && ok; i++) {
        printf("images of degree %zu, per bit of modulus\n", s->lengths[i]);
        print_head("", "ns");
        ok = bench_blocks(s, &block, s->lengths[i], &g, r) && bench_flint(s, s->lengths[i], &g, r);
    }
    return measure_cpu_time(false) && ok;
}
