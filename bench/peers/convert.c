/* bench/peers/convert.c: products for callers that hold other types: integers in arrays of words,
 * and FLINT's fmpz_mod_poly through gfpoly/flint.h. Times hold the conversions of both factors and
 * of the product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "bench/peers/hosts.h"
#if PEERS_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

/* Products that are timed are not checked. */
static const gfp_options unchecked = {.verify = GFP_VERIFY_NONE};

/* Whether c, which was converted back, is the product. */
static bool is_product(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    gfp_poly expected;
    gfp_poly_init(&expected, a->field);
    const bool ok =
        (gfp_poly_mul(&expected, a, b, NULL) == GFP_OK && gfp_poly_equal(c, &expected)) ||
        complain("a converted product differs");
    gfp_poly_clear(&expected);
    return ok;
}

typedef struct word_job {
    gfp_poly a, b, c;
    size_t limbs, len_a, len_b;
    uint64_t *x, *y, *z; /* the factors and the product as integers */
} word_job;

static bool run_words(void *context)
{
    word_job *w = context;
    const size_t n = w->limbs;
    if (gfp_poly_set_limbs(&w->a, w->x, n, n, w->len_a, NULL) != GFP_OK ||
        gfp_poly_set_limbs(&w->b, w->y, n, n, w->len_b, NULL) != GFP_OK ||
        gfp_poly_mul(&w->c, &w->a, &w->b, &unchecked) != GFP_OK) {
        return false;
    }
    gfp_poly_get_limbs(w->z, n, &w->c);
    return true;
}

static bool words_convert(timing *t, double seconds, const gfp_poly *a, const gfp_poly *b)
{
    word_job w = {.limbs = gfp_field_limbs(a->field), .len_a = a->len, .len_b = b->len};
    w.x = malloc(a->len * w.limbs * sizeof(*w.x));
    w.y = malloc(b->len * w.limbs * sizeof(*w.y));
    w.z = malloc((a->len + b->len) * w.limbs * sizeof(*w.z));
    gfp_poly_init(&w.a, a->field);
    gfp_poly_init(&w.b, a->field);
    gfp_poly_init(&w.c, a->field);
    bool ok = w.x != NULL && w.y != NULL && w.z != NULL;
    if (ok) {
        gfp_poly_get_limbs(w.x, w.limbs, a);
        gfp_poly_get_limbs(w.y, w.limbs, b);
        ok = measure(t, seconds, run_words, &w) &&
             gfp_poly_set_limbs(&w.c, w.z, w.limbs, w.limbs, a->len + b->len - 1, NULL) == GFP_OK &&
             is_product(&w.c, a, b);
    }
    free(w.x);
    free(w.y);
    free(w.z);
    gfp_poly_clear(&w.a);
    gfp_poly_clear(&w.b);
    gfp_poly_clear(&w.c);
    return ok;
}

#if PEERS_HAVE_FLINT
typedef struct flint_job {
    gfp_poly a, b, c;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t f, g, h;
} flint_job;

static bool run_flint(void *context)
{
    flint_job *w = context;
    return gfp_poly_set_fmpz_mod_poly(&w->a, w->f, w->ctx) == GFP_OK &&
           gfp_poly_set_fmpz_mod_poly(&w->b, w->g, w->ctx) == GFP_OK &&
           gfp_poly_mul(&w->c, &w->a, &w->b, &unchecked) == GFP_OK &&
           gfp_poly_get_fmpz_mod_poly(w->h, &w->c, w->ctx) == GFP_OK;
}

static bool flint_convert(timing *t, double seconds, const gfp_poly *a, const gfp_poly *b)
{
    flint_job w;
    fmpz_t p;
    fmpz_init(p);
    fmpz_set_str(p, gfp_field_get_info(a->field).modulus, 10);
    fmpz_mod_ctx_init(w.ctx, p);
    fmpz_clear(p);
    fmpz_mod_poly_init(w.f, w.ctx);
    fmpz_mod_poly_init(w.g, w.ctx);
    fmpz_mod_poly_init(w.h, w.ctx);
    gfp_poly_init(&w.a, a->field);
    gfp_poly_init(&w.b, a->field);
    gfp_poly_init(&w.c, a->field);
    const bool ok =
        gfp_poly_get_fmpz_mod_poly(w.f, a, w.ctx) == GFP_OK &&
        gfp_poly_get_fmpz_mod_poly(w.g, b, w.ctx) == GFP_OK && measure(t, seconds, run_flint, &w) &&
        gfp_poly_set_fmpz_mod_poly(&w.c, w.h, w.ctx) == GFP_OK && is_product(&w.c, a, b);
    gfp_poly_clear(&w.a);
    gfp_poly_clear(&w.b);
    gfp_poly_clear(&w.c);
    fmpz_mod_poly_clear(w.f, w.ctx);
    fmpz_mod_poly_clear(w.g, w.ctx);
    fmpz_mod_poly_clear(w.h, w.ctx);
    fmpz_mod_ctx_clear(w.ctx);
    return ok;
}
#endif

const conversion conversions[] = {
    {"arrays of words: gfp_poly_set_limbs; gfp_poly_mul; gfp_poly_get_limbs", words_convert},
#if PEERS_HAVE_FLINT
    {"gfpoly/flint.h: two in; gfp_poly_mul; one out", flint_convert},
#endif
};
const size_t conversion_count = sizeof(conversions) / sizeof(conversions[0]);
