/* pairs.c: see pairs.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/pairs.h"

#include <string.h>

#include "gfpoly/gcd.h"

static size_t pairs_below(uint64_t *seed, size_t n)
{
    return (size_t)(oracle_random(seed) % n);
}

/* n coefficients, random ones and samples. */
static void pairs_draw(const lab *l, uint64_t *x, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        if (pairs_below(seed, 4) == 0) {
            gfp_elem_set(l->field, x + i * l->k, lab_sample(l, pairs_below(seed, l->count)));
        } else {
            oracle_random_element(&l->o, x + i * l->k, seed);
        }
    }
}

/* z := z + x y, as far as it has len coefficients. */
static void add_product(const lab *l, uint64_t *z, size_t len, const uint64_t *x, size_t len_x,
                        const uint64_t *y, size_t len_y)
{
    for (size_t i = 0; i < len_x; i++) {
        for (size_t j = 0; j < len_y && i + j < len; j++) {
            uint64_t t[GFP_MAX_K];
            gfp_elem_mul(l->field, t, x + i * l->k, y + j * l->k);
            gfp_elem_add(l->field, z + (i + j) * l->k, z + (i + j) * l->k, t);
        }
    }
}

/* Multiples of one polynomial, of about a third of the shorter length. */
static void fill_common(const lab *l, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b,
                        uint64_t *seed)
{
    const size_t len = (len_a < len_b ? len_a : len_b) / 3 + 1, k = l->k;
    uint64_t *x = lab_array((len + len_a + len_b) * k);
    pairs_draw(l, x, len + len_a + len_b, seed);
    add_product(l, a, len_a, x + len * k, len_a >= len ? len_a - len + 1 : 0, x, len);
    add_product(l, b, len_b, x + (len + len_a) * k, len_b >= len ? len_b - len + 1 : 0, x, len);
    lab_free(x);
}

/* The longer one := a multiple of the other one, plus `rest` coefficients; so a quotient is long,
 * or the degree jumps. */
static void fill_jump(const lab *l, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b,
                      size_t rest, uint64_t *seed)
{
    if (len_a < len_b) {
        fill_jump(l, b, len_b, a, len_a, rest, seed);
        return;
    }
    const size_t shorter = len_b < 2 ? len_b : len_b - pairs_below(seed, len_b / 2);
    const size_t len = len_a - shorter + 1;
    uint64_t *x = lab_array(len * l->k);
    pairs_draw(l, x, len, seed);
    pairs_draw(l, b, shorter, seed);
    pairs_draw(l, a, rest < len_a ? rest : len_a, seed);
    add_product(l, a, len_a, x, len, b, shorter);
    lab_free(x);
}

void pairs_fill(const lab *l, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b, unsigned kind,
                uint64_t *seed)
{
    const size_t least = len_a < len_b ? len_a : len_b, k = l->k;
    memset(a, 0, len_a * k * sizeof *a);
    memset(b, 0, len_b * k * sizeof *b);
    switch (kind) {
    case 0: /* zeros */
        break;
    case 1:
        pairs_draw(l, a, len_a, seed);
        break;
    case 2:
        pairs_draw(l, b, len_b, seed);
        break;
    case 3: /* constants, or one of them */
        pairs_draw(l, a, len_a < 1 ? 0 : 1, seed);
        pairs_draw(l, b, pairs_below(seed, 2) == 0 ? len_b : len_b < 1 ? 0 : 1, seed);
        break;
    case 4: /* equal operands */
        pairs_draw(l, a, least, seed);
        memcpy(b, a, least * k * sizeof *a);
        break;
    case 5:
    case 6:
        fill_common(l, a, len_a, b, len_b, seed);
        break;
    case 7:
        fill_jump(l, a, len_a, b, len_b, 0, seed);
        break;
    case 8:
        fill_jump(l, a, len_a, b, len_b, 1 + pairs_below(seed, 3), seed);
        break;
    case 9:
        fill_jump(l, a, len_a, b, len_b, 1 + least / 2, seed);
        break;
    case 10: /* few terms */
        for (unsigned i = 0; i < 3 && least > 0; i++) {
            pairs_draw(l, a + pairs_below(seed, len_a) * k, 1, seed);
            pairs_draw(l, b + pairs_below(seed, len_b) * k, 1, seed);
        }
        break;
    default:
        pairs_draw(l, a, len_a, seed);
        pairs_draw(l, b, len_b, seed);
        break;
    }
}

static void set_poly(gfp_poly *x, const lab *l, const uint64_t *digits, size_t n)
{
    gfp_poly_init(x, l->field);
    assert_int_equal(gfp_poly_fit_length(x, n), GFP_OK);
    gfp_vec_set(l->field, x->digits, digits, n);
    assert_int_equal(gfp_poly_set_length(x, n), GFP_OK);
}

size_t pairs_expect(const lab *l, uint64_t *g, uint64_t *r, const uint64_t *a, size_t len_a,
                    const uint64_t *b, size_t len_b)
{
    const gfp_options options = {.threads = 1};
    gfp_poly x, y, z;
    set_poly(&x, l, a, len_a);
    set_poly(&y, l, b, len_b);
    set_poly(&z, l, a, 0);
    assert_int_equal(gfp_poly_gcd(&z, &x, &y, &options), GFP_OK);
    assert_int_equal(gfp_poly_resultant(r, &x, &y, &options), GFP_OK);
    const size_t len = z.len;
    gfp_vec_zero(l->field, g, len_a > len_b ? len_a : len_b);
    gfp_vec_set(l->field, g, z.digits, len);
    gfp_poly_clear(&x);
    gfp_poly_clear(&y);
    gfp_poly_clear(&z);
    return len;
}
