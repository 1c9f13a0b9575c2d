/* lab.h: the operations on series as rows of a table, and inputs for them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_SERIES_LAB_H
#define TESTS_POLY_SERIES_LAB_H

#include "gfpoly.h"
#include "lab/fixtures.h"

/* ---- the operations ---- */

/* z := an operation on a and b modulo X^n. */
typedef gfp_status action(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                          const gfp_options *options);

static inline gfp_status lab_invert(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                    const gfp_options *options)
{
    (void)b;
    return gfp_poly_inv_series(z, a, n, options);
}

static inline gfp_status lab_divide(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                    const gfp_options *options)
{
    return gfp_poly_div_series(z, b, a, n, options);
}

static inline gfp_status lab_root(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                  const gfp_options *options)
{
    (void)b;
    return gfp_poly_sqrt_series(z, a, n, options);
}

static inline gfp_status inverse_root(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                      const gfp_options *options)
{
    (void)b;
    return gfp_poly_invsqrt_series(z, a, n, options);
}

static inline gfp_status lab_logarithm(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                       const gfp_options *options)
{
    (void)b;
    return gfp_poly_log_series(z, a, n, options);
}

static inline gfp_status lab_exponential(gfp_poly *z, const gfp_poly *a, const gfp_poly *b,
                                         size_t n, const gfp_options *options)
{
    (void)b;
    return gfp_poly_exp_series(z, a, n, options);
}

static const uint64_t cube[] = {3}, large[] = {0xfedcba9876543211, 0x1234567, 0};

static inline gfp_status third_power(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                     const gfp_options *options)
{
    (void)b;
    return gfp_poly_pow_series(z, a, cube, 1, n, options);
}

static inline gfp_status large_power(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                     const gfp_options *options)
{
    (void)b;
    return gfp_poly_pow_series(z, a, large, 3, n, options);
}

/* By c = 7 or another element that is not 0, whatever n is. */
static inline gfp_status taylor_shift(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                                      const gfp_options *options)
{
    uint64_t c[GFP_MAX_K];
    (void)b;
    (void)n;
    gfp_elem_set_u64(z->field, c, 7);
    return gfp_poly_taylor_shift(z, a, c, options);
}

/* What the constant term of a must be. */
typedef enum constant { UNIT, ONE, ZERO } constant;

typedef struct operation {
    const char *name;
    action *run;
    constant constant;
    bool divides; /* by 1, 2, ..., n - 1 */
} operation;

static const operation operations[] = {
    {"inverse", lab_invert, UNIT, false},       {"quotient", lab_divide, UNIT, false},
    {"square root", lab_root, ONE, false},      {"inverse square root", inverse_root, ONE, false},
    {"logarithm", lab_logarithm, ONE, true},    {"exponential", lab_exponential, ZERO, true},
    {"cube", third_power, UNIT, false},         {"large power", large_power, UNIT, false},
    {"Taylor shift", taylor_shift, UNIT, true},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* ---- inputs ---- */

/* a with a constant term that is not 0, b, and z, a result, over one field. */
typedef struct series {
    gfp_poly a, b, z, expected;
    uint64_t unit[GFP_MAX_K];
} series;

static inline void lab_make(series *s, const gfp_field *field, size_t len_a, size_t len_b,
                            uint64_t seed)
{
    gfp_random g;
    gfp_poly *const polys[] = {&s->a, &s->b, &s->z, &s->expected};
    gfp_random_seed(&g, seed);
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(polys[i], field);
    }
    assert_int_equal(gfp_poly_random(&s->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&s->b, len_b, &g), GFP_OK);
    if (s->a.len == 0 || gfp_elem_is_zero(field, s->a.digits)) {
        assert_int_equal(gfp_poly_set_coeff_u64(&s->a, 0, 1), GFP_OK);
    }
    gfp_elem_set(field, s->unit, s->a.digits);
}

/* Gives a the constant term that an operation needs. */
static inline void lab_adapt(series *s, const operation *o)
{
    assert_int_equal(o->constant == UNIT
                         ? gfp_poly_set_coeff(&s->a, 0, s->unit)
                         : gfp_poly_set_coeff_u64(&s->a, 0, o->constant == ONE ? 1 : 0),
                     GFP_OK);
}

/* Whether the field is too small for an operation on a modulo X^n. */
static inline bool too_small(const operation *o, const series *s, size_t n)
{
    const gfp_field *field = s->a.field;
    const size_t terms = o->run == taylor_shift ? s->a.len : n;
    return o->divides && gfp_field_bits(field) < 32 && gfp_field_modulus_limbs(field)[0] < terms;
}

static inline void lab_clear(series *s)
{
    gfp_poly_clear(&s->a);
    gfp_poly_clear(&s->b);
    gfp_poly_clear(&s->z);
    gfp_poly_clear(&s->expected);
}

static inline void expect_equal(const gfp_poly *z, const gfp_poly *expected, const char *what,
                                size_t n, size_t len)
{
    if (!gfp_poly_equal(z, expected)) {
        fail_msg("%s: %s of %zu terms modulo X^%zu: wrong", gfp_field_name(z->field), what, len, n);
    }
}

#endif
