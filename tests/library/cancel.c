/* cancel.c: every call modulo p that takes options is cancelled at its first and last report
 * and at random ones, in a field where the call has run and in a new one. The call returns
 * CANCELLED, its outputs are unchanged, the memory account is as before, and the same call then has
 * the right result. tests/project/exports.sh compares the table with the headers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/files/lab.h"

#include "gfpoly/compose.h"
#include "gfpoly/division.h"
#include "gfpoly/factor.h"
#include "gfpoly/gcd.h"
#include "gfpoly/operand.h"
#include "gfpoly/product.h"
#include "gfpoly/series.h"
#include "gfpoly/tree.h"
#include "lab/meter.h"
#include "lab/sanitized.h"
#include "lab/thresholds.h"
#include "poly/compose/elements.h"

enum { FEW = 4, OUTPUTS = 6 };

/* A field whose memory is metered; operands of about n terms; outputs; a host that counts reports
 * and returns false at number stop_at. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    size_t n, points, words; /* words: of w */
    /* a, b: n and 3 n / 4 terms; f: degree n; c = a b; twice: 2 n terms; multiple = f b; one: a
     * series that begins with 1; zero: with X; small: n / 8 + 2 terms; split: with roots. */
    gfp_poly a, b, c, f, twice, multiple, one, zero, small, split, square;
    gfp_poly moduli[FEW], remainders[FEW];
    uint64_t *v, *points_at;
    gfp_modulus *M;
    gfp_multiplier *B;
    gfp_compose_argument *A;
    gfp_tree *T;
    gfp_space *space;
    gfp_operand *x, *y;
    gfp_fft_plan *plan;
    gfp_file *file;
    /* the outputs */
    gfp_poly z[OUTPUTS];
    uint64_t *w;
    bool yes;
    size_t len[FEW];
    gfp_factors factors;
    gfp_roots roots;
    gfp_operand *transform;
    /* the host */
    size_t asked, stop_at;
    double last;
    bool falls;
    gfp_progress progress;
    gfp_error error;
    gfp_options options;
} world;

static const gfp_batch pairs = {.count = FEW, .len_a = 4, .len_b = 4};

/* ---- calls that need more than a line ---- */

static gfp_status modulus_create(world *w, const gfp_options *o)
{
    gfp_modulus *M = NULL;
    const gfp_status status = gfp_modulus_create(&M, &w->f, o);
    assert_true((status == GFP_OK) == (M != NULL));
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status multiplier_create(world *w, const gfp_options *o)
{
    gfp_multiplier *B = NULL;
    const gfp_status status = gfp_multiplier_create(&B, &w->b, w->M, o);
    assert_true((status == GFP_OK) == (B != NULL));
    gfp_multiplier_destroy(B);
    return status;
}

static gfp_status compose_argument_create(world *w, const gfp_options *o)
{
    gfp_compose_argument *A = NULL;
    const gfp_status status = gfp_compose_argument_create(&A, &w->b, w->M, 2, o);
    assert_true((status == GFP_OK) == (A != NULL));
    gfp_compose_argument_destroy(A);
    return status;
}

static gfp_status tree_create(world *w, const gfp_options *o)
{
    gfp_tree *T = NULL;
    const gfp_status status = gfp_tree_create(&T, w->field, w->points_at, w->n, o);
    assert_true((status == GFP_OK) == (T != NULL));
    gfp_tree_destroy(T);
    return status;
}

static gfp_status space_create(world *w, const gfp_options *o)
{
    gfp_space *space = NULL;
    const gfp_space_spec spec = {.length = 2 * w->n, .terms = 2};
    const gfp_status status = gfp_space_create(&space, w->field, &spec, o);
    assert_true((status == GFP_OK) == (space != NULL));
    gfp_space_destroy(space);
    return status;
}

static gfp_status compose_mod_many(world *w, const gfp_options *o)
{
    gfp_poly *const c[] = {&w->z[0], &w->z[1]};
    const gfp_poly *const f[] = {&w->a, &w->b};
    return gfp_poly_compose_mod_many(c, f, 2, w->A, o);
}

static gfp_status half_gcd(world *w, const gfp_options *o)
{
    gfp_poly *const M[] = {&w->z[0], &w->z[1], &w->z[2], &w->z[3]};
    return gfp_poly_hgcd(M, &w->z[4], &w->z[5], &w->a, &w->b, w->n / 2, o);
}

static gfp_status random_irreducible(world *w, const gfp_options *o)
{
    gfp_random g;
    gfp_random_seed(&g, 5);
    return gfp_poly_random_irreducible(&w->z[0], 6, &g, o);
}

static gfp_status dot_operands(world *w, const gfp_options *o)
{
    const gfp_operand *const x[] = {w->x, w->y}, *const y[] = {w->y, w->y};
    return gfp_poly_dot_operands(&w->z[0], 1, w->n, x, y, 2, o);
}

static gfp_status operand_dot(world *w, const gfp_options *o)
{
    const gfp_operand *const x[] = {w->x, w->y}, *const y[] = {w->y, w->y};
    return gfp_operand_dot(w->w, 1, w->n, x, y, 2, o);
}

static gfp_status six_step(world *w, const gfp_options *o)
{
    gfp_options own = *o;
    own.method = "six-step";
    return gfp_fft_forward(w->plan, w->w, w->v, GFP_ORDER_NATURAL, &own);
}

static gfp_status inverse_six_step(world *w, const gfp_options *o)
{
    gfp_options own = *o;
    own.method = "six-step";
    return gfp_fft_inverse(w->plan, w->w, w->v, GFP_ORDER_NATURAL, &own);
}

/* The output of a call on files is a file that is made here; w has its digits after success. */
static gfp_status file_call(world *w, size_t length, const gfp_options *o, int which)
{
    gfp_file *out = NULL;
    assert_int_equal(gfp_file_create(&out, "made", w->field, length, NULL), GFP_OK);
    const gfp_status status = which == 0   ? gfp_file_mul(out, w->file, w->file, o)
                              : which == 1 ? gfp_file_forward(out, w->file, GFP_ORDER_NATURAL, o)
                                           : gfp_file_inverse(out, w->file, GFP_ORDER_PERMUTED, o);
    if (status == GFP_OK) {
        gfp_vec_copy(w->field, w->w, gfp_file_digits(out), length);
    }
    gfp_file_close(out);
    return status;
}

static gfp_status file_mul(world *w, const gfp_options *o)
{
    return file_call(w, 2 * w->points - 1, o, 0);
}

static gfp_status file_forward(world *w, const gfp_options *o)
{
    return file_call(w, w->points, o, 1);
}

static gfp_status file_inverse(world *w, const gfp_options *o)
{
    return file_call(w, w->points, o, 2);
}

/* ---- the table ---- */

enum {
    UNDEFINED = 1, /* an error leaves outputs undefined */
    NO_CHECK = 2,  /* has no verification, or no second method for one */
    IMMEDIATE = 4  /* reports nothing */
};
#define TRANSFORM (UNDEFINED | NO_CHECK)

/* A function's name without gfp_, traits, and its arguments before the options. */
#define CALLS(_)                                                                                   \
    _(poly_mul, 0, Z, &w->a, &w->b)                                                                \
    _(poly_sqr, 0, Z, &w->a)                                                                       \
    _(poly_mul_low, 0, Z, &w->a, &w->b, w->n)                                                      \
    _(poly_mul_high, 0, Z, &w->a, &w->b, w->n)                                                     \
    _(poly_mul_middle, 0, Z, &w->a, &w->b, w->n / 2, w->n / 2)                                     \
    _(poly_verify_mul, 0, &w->c, &w->a, &w->b)                                                     \
    _(vec_mul_batch, UNDEFINED, w->field, w->w, w->v, w->v, &pairs)                                \
    _(fft_forward, TRANSFORM, w->plan, w->w, w->v, GFP_ORDER_NATURAL)                              \
    _(fft_inverse, TRANSFORM, w->plan, w->w, w->v, GFP_ORDER_PERMUTED)                             \
    _(fft_convolve_cyclic, TRANSFORM, w->plan, w->w, w->v, w->points_at)                           \
    _(fft_convolve_negacyclic, TRANSFORM, w->plan, w->w, w->v, w->points_at)                       \
    _(poly_to_operand, UNDEFINED, w->transform, &w->a)                                             \
    _(poly_from_operand, 0, Z, 1, w->n / 2, w->x)                                                  \
    _(poly_mul_operand, 0, Z, 1, w->n, &w->b, w->x)                                                \
    _(operand_set, UNDEFINED, w->transform, w->v, w->n)                                            \
    _(operand_get, 0, w->w, 1, w->n / 2, w->x)                                                     \
    _(vec_mul_operand, 0, w->w, 1, w->n, w->v, w->n, w->x)                                         \
    _(poly_divrem, 0, Z, &w->z[1], &w->twice, &w->b)                                               \
    _(poly_div, 0, Z, &w->twice, &w->b)                                                            \
    _(poly_rem, 0, Z, &w->twice, &w->b)                                                            \
    _(poly_divexact, 0, Z, &w->multiple, &w->f)                                                    \
    _(poly_divides, 0, &w->yes, Z, &w->multiple, &w->f)                                            \
    _(poly_rem_mod, 0, Z, &w->twice, w->M)                                                         \
    _(poly_mul_mod, 0, Z, &w->a, &w->b, w->M)                                                      \
    _(poly_sqr_mod, 0, Z, &w->a, w->M)                                                             \
    _(poly_pow_mod, 0, Z, &w->a, w->v, 1, w->M)                                                    \
    _(poly_pow_p_mod, 0, Z, &w->a, w->M)                                                           \
    _(poly_inv_mod, 0, Z, &w->a, w->M)                                                             \
    _(poly_mul_multiplier, 0, Z, &w->a, w->B)                                                      \
    _(poly_compose_mod, 0, Z, &w->a, w->A)                                                         \
    _(vec_power_projection, 0, w->w, w->n, w->v, w->A)                                             \
    _(poly_trace_map_mod, 0, Z, &w->z[1], &w->a, &w->b, 3, w->M)                                   \
    _(poly_minpoly_mod, 0, Z, &w->a, w->M)                                                         \
    _(poly_charpoly_mod, 0, Z, &w->a, w->M)                                                        \
    _(poly_compose, 0, Z, &w->small, &w->small)                                                    \
    _(vec_compose_series, 0, w->field, w->w, w->n, w->v, w->n, w->zero.digits, w->zero.len)        \
    _(poly_compose_series, 0, Z, &w->a, &w->zero, w->n)                                            \
    _(vec_revert_series, 0, w->field, w->w, w->n, w->zero.digits, w->zero.len)                     \
    _(poly_revert_series, 0, Z, &w->zero, w->n)                                                    \
    _(vec_inv_series, 0, w->field, w->w, w->n, w->v, w->n)                                         \
    _(poly_inv_series, 0, Z, &w->a, w->n)                                                          \
    _(vec_div_series, 0, w->field, w->w, w->n, w->points_at, w->n, w->v, w->n)                     \
    _(poly_div_series, 0, Z, &w->a, &w->b, w->n)                                                   \
    _(vec_sqrt_series, 0, w->field, w->w, w->n, w->one.digits, w->one.len)                         \
    _(poly_sqrt_series, 0, Z, &w->one, w->n)                                                       \
    _(vec_invsqrt_series, 0, w->field, w->w, w->n, w->one.digits, w->one.len)                      \
    _(poly_invsqrt_series, 0, Z, &w->one, w->n)                                                    \
    _(vec_log_series, 0, w->field, w->w, w->n, w->one.digits, w->one.len)                          \
    _(poly_log_series, 0, Z, &w->one, w->n)                                                        \
    _(vec_exp_series, 0, w->field, w->w, w->n, w->zero.digits, w->zero.len)                        \
    _(poly_exp_series, 0, Z, &w->zero, w->n)                                                       \
    _(vec_pow_series, 0, w->field, w->w, w->n, w->one.digits, w->one.len, w->v, 1)                 \
    _(poly_pow_series, 0, Z, &w->one, w->v, 1, w->n)                                               \
    _(poly_derivative, 0, Z, &w->a)                                                                \
    _(poly_integral, 0, Z, &w->a)                                                                  \
    _(vec_taylor_shift, 0, w->field, w->w, w->v, w->n, w->points_at)                               \
    _(poly_taylor_shift, 0, Z, &w->a, w->points_at)                                                \
    _(poly_gcd, 0, Z, &w->multiple, &w->c)                                                         \
    _(poly_xgcd, 0, Z, &w->z[1], &w->z[2], &w->multiple, &w->c)                                    \
    _(poly_resultant, 0, w->w, &w->a, &w->b)                                                       \
    _(poly_discriminant, 0, w->w, &w->a)                                                           \
    _(poly_subresultant, 0, Z, &w->a, &w->b, w->n / 3)                                             \
    _(poly_principal_subresultants, 0, w->w, &w->a, &w->b)                                         \
    _(vec_gcd, 0, w->field, w->w, w->len, w->v, w->v, &pairs)                                      \
    _(vec_resultant, 0, w->field, w->w, w->v, w->points_at, &pairs)                                \
    _(poly_reconstruct, 0, Z, &w->z[1], &w->a, &w->f, w->n / 2, w->n - w->n / 2 - 1)               \
    _(poly_pade, 0, Z, &w->z[1], &w->a, w->n / 3, w->n / 3)                                        \
    _(poly_minpoly, 0, Z, w->v, w->n)                                                              \
    _(poly_from_roots, 0, Z, w->points_at, w->n)                                                   \
    _(tree_eval, 0, w->w, &w->a, w->T)                                                             \
    _(tree_interpolate, 0, Z, w->v, w->T)                                                          \
    _(poly_multieval, 0, w->w, &w->a, w->points_at, w->n)                                          \
    _(poly_interpolate, 0, Z, w->points_at, w->v, w->n)                                            \
    _(poly_eval_geometric, 0, w->w, &w->a, w->points_at, w->v, w->n)                               \
    _(poly_interpolate_geometric, 0, Z, w->v, w->points_at, w->v, w->n)                            \
    _(poly_multi_rem, 0, w->z, &w->twice, w->moduli, FEW)                                          \
    _(poly_multi_crt, 0, Z, w->remainders, w->moduli, FEW)                                         \
    _(poly_factor, 0, &w->factors, &w->split)                                                      \
    _(poly_factor_squarefree, 0, &w->factors, &w->square)                                          \
    _(poly_factor_distinct_deg, 0, &w->factors, &w->small)                                         \
    _(poly_factor_equal_deg, 0, &w->factors, &w->split, 1)                                         \
    _(poly_roots, 0, &w->roots, &w->square)                                                        \
    _(poly_is_irreducible, 0, &w->yes, &w->small)

#define Z &w->z[0]

#define CALL(name, traits, ...)                                                                    \
    static gfp_status call_##name(world *w, const gfp_options *o)                                  \
    {                                                                                              \
        return gfp_##name(__VA_ARGS__, o);                                                         \
    }
CALLS(CALL)

typedef struct operation {
    const char *name; /* without gfp_ */
    gfp_status (*run)(world *w, const gfp_options *o);
    unsigned traits;
} operation;

#define ROW(name, traits, ...) {#name, call_##name, traits},
static const operation operations[] = {
    CALLS(ROW) /* */
    {"modulus_create", modulus_create, 0},
    {"multiplier_create", multiplier_create, 0},
    {"compose_argument_create", compose_argument_create, 0},
    {"tree_create", tree_create, 0},
    {"space_create", space_create, IMMEDIATE | NO_CHECK},
    {"poly_compose_mod_many", compose_mod_many, 0},
    {"poly_hgcd", half_gcd, 0},
    {"poly_random_irreducible", random_irreducible, 0},
    {"poly_dot_operands", dot_operands, 0},
    {"operand_dot", operand_dot, 0},
    {"six-step", six_step, TRANSFORM},
    {"inverse six-step", inverse_six_step, TRANSFORM},
    {"file_mul", file_mul, 0},
    {"file_forward", file_forward, TRANSFORM},
    {"file_inverse", file_inverse, TRANSFORM},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* ---- outputs ---- */

static uint64_t cancel_mix(uint64_t h, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
    return h;
}

static uint64_t mix_poly(uint64_t h, const gfp_poly *a)
{
    h = cancel_mix(h, &a->len, sizeof a->len);
    return cancel_mix(h, a->digits, a->len * gfp_field_k(a->field) * sizeof *a->digits);
}

/* A number that depends on all outputs. */
static uint64_t cancel_digest(const world *w)
{
    const size_t element = gfp_field_k(w->field) * sizeof(uint64_t);
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < OUTPUTS; i++) {
        h = mix_poly(h, &w->z[i]);
    }
    h = cancel_mix(h, w->w, w->words * sizeof *w->w);
    h = cancel_mix(h, &w->yes, sizeof w->yes);
    h = cancel_mix(h, w->len, sizeof w->len);
    h = cancel_mix(h, w->factors.leading, element);
    for (size_t i = 0; i < w->factors.count; i++) {
        h = mix_poly(h, &w->factors.factor[i].poly);
        h = cancel_mix(h, &w->factors.factor[i].exponent, sizeof(size_t));
    }
    h = cancel_mix(h, w->roots.root, w->roots.count * element);
    h = cancel_mix(h, w->roots.multiplicity, w->roots.count * sizeof(size_t));
    gfp_poly transform;
    gfp_poly_init(&transform, w->field);
    assert_int_equal(gfp_poly_from_operand(&transform, 0, SIZE_MAX, w->transform, NULL), GFP_OK);
    h = mix_poly(h, &transform);
    gfp_poly_clear(&transform);
    return h;
}

/* Gives all outputs values that no call here has as its result. */
static void cancel_reset(world *w)
{
    gfp_poly quadratic;
    gfp_poly_init(&quadratic, w->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&quadratic, 2, 1), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&quadratic, 1, 1), GFP_OK);
    for (size_t i = 0; i < OUTPUTS; i++) {
        assert_int_equal(gfp_poly_copy(&w->z[i], &quadratic), GFP_OK);
    }
    memset(w->w, 0x33, w->words * sizeof *w->w);
    memset(w->len, 0x33, sizeof w->len);
    w->yes = true;
    assert_int_equal(gfp_poly_factor(&w->factors, &quadratic, NULL), GFP_OK);
    assert_int_equal(gfp_poly_roots(&w->roots, &quadratic, NULL), GFP_OK);
    assert_int_equal(gfp_poly_to_operand(w->transform, &quadratic, NULL), GFP_OK);
    gfp_poly_clear(&quadratic);
}

/* ---- the world ---- */

static bool count_report(void *user, double fraction)
{
    world *w = user;
    w->falls = w->falls || fraction < w->last || fraction > 1;
    w->last = fraction;
    return w->asked++ != w->stop_at;
}

/* Every gfp_poly of a world. */
static void for_each_poly(world *w, void (*polynomial)(gfp_poly *))
{
    gfp_poly *const single[] = {&w->a,   &w->b,    &w->c,     &w->f,     &w->twice, &w->multiple,
                                &w->one, &w->zero, &w->small, &w->split, &w->square};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        polynomial(single[i]);
    }
    for (size_t i = 0; i < FEW; i++) {
        polynomial(&w->moduli[i]);
        polynomial(&w->remainders[i]);
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        polynomial(&w->z[i]);
    }
}

static const gfp_field *field_of_polynomials;

static void begin_poly(gfp_poly *a)
{
    gfp_poly_init(a, field_of_polynomials);
}

static void make_polynomials(world *w, gfp_random *g)
{
    const size_t n = w->n;
    assert_int_equal(gfp_poly_random(&w->a, n, g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, 3 * n / 4, g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->f, n + 1, g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->twice, 2 * n, g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->one, n, g), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->one, 0, 1), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->zero, n, g), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->zero, 0, 0), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->small, n / 8 + 2, g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->c, &w->a, &w->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->multiple, &w->f, &w->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_from_roots(&w->split, w->points_at, n / 8 + 2, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->square, &w->split, &w->split, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->square, &w->square, &w->small, NULL), GFP_OK);
    for (size_t i = 0; i < FEW; i++) {
        assert_int_equal(gfp_poly_random(&w->moduli[i], n / 8 + 2 + i, g), GFP_OK);
        assert_int_equal(gfp_poly_random(&w->remainders[i], n / 8, g), GFP_OK);
    }
}

static void make_objects(world *w)
{
    const gfp_options *o = &w->options;
    const gfp_space_spec spec = {.length = 2 * w->n, .terms = 2};
    assert_int_equal(gfp_modulus_create(&w->M, &w->f, o), GFP_OK);
    assert_int_equal(gfp_multiplier_create(&w->B, &w->b, w->M, o), GFP_OK);
    assert_int_equal(gfp_compose_argument_create(&w->A, &w->b, w->M, 1, o), GFP_OK);
    assert_int_equal(gfp_tree_create(&w->T, w->field, w->points_at, w->n, o), GFP_OK);
    assert_int_equal(gfp_space_create(&w->space, w->field, &spec, o), GFP_OK);
    assert_int_equal(gfp_operand_create(&w->x, w->space), GFP_OK);
    assert_int_equal(gfp_operand_create(&w->y, w->space), GFP_OK);
    assert_int_equal(gfp_operand_create(&w->transform, w->space), GFP_OK);
    assert_int_equal(gfp_poly_to_operand(w->x, &w->a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_to_operand(w->y, &w->b, NULL), GFP_OK);
    assert_int_equal(gfp_fft_plan_create(&w->plan, w->field, w->points, NULL), GFP_OK);
    assert_int_equal(gfp_file_create(&w->file, "input", w->field, w->points, NULL), GFP_OK);
    gfp_vec_copy(w->field, gfp_file_digits_mutable(w->file), w->v, w->points);
    assert_int_equal(gfp_file_commit(w->file, NULL), GFP_OK);
}

typedef struct problem {
    const char *field;
    size_t n, points; /* points: a power of 2 k */
    bool low;         /* thresholds */
    gfp_verify verify;
    unsigned threads;
} problem;

static void cancel_start(world *w, const problem *p)
{
    gfp_random g;
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    assert_int_equal(gfp_field_create(&w->field, p->field, &w->allocator, NULL), GFP_OK);
    w->n = p->n;
    w->points = p->points;
    const size_t n = 2 * (p->n > p->points ? p->n : p->points);
    w->words = 4 * n * gfp_field_k(w->field);
    w->v = calloc(n * gfp_field_k(w->field), sizeof *w->v);
    w->points_at = calloc(n * gfp_field_k(w->field), sizeof *w->v);
    w->w = calloc(w->words, sizeof *w->w);
    assert_true(w->v != NULL && w->points_at != NULL && w->w != NULL);
    gfp_random_seed(&g, 14);
    gfp_vec_random(w->field, w->v, n, &g);
    gfp_vec_random(w->field, w->points_at, n, &g);
    w->progress = (gfp_progress){count_report, w};
    w->options = (gfp_options){.error = &w->error,
                               .verify_seed = 6,
                               .threads = p->threads,
                               .tuning = p->low ? low_thresholds() : NULL};
    w->stop_at = SIZE_MAX;
    field_of_polynomials = w->field;
    for_each_poly(w, begin_poly);
    gfp_factors_init(&w->factors, w->field);
    gfp_roots_init(&w->roots, w->field);
    make_polynomials(w, &g);
    make_objects(w);
    cancel_reset(w);
}

static void cancel_end(world *w)
{
    gfp_file_close(w->file);
    gfp_fft_plan_destroy(w->plan);
    gfp_operand_destroy(w->transform);
    gfp_operand_destroy(w->y);
    gfp_operand_destroy(w->x);
    gfp_space_destroy(w->space);
    gfp_tree_destroy(w->T);
    gfp_compose_argument_destroy(w->A);
    gfp_multiplier_destroy(w->B);
    gfp_modulus_destroy(w->M);
    gfp_roots_clear(&w->roots);
    gfp_factors_clear(&w->factors);
    for_each_poly(w, gfp_poly_clear);
    free(w->w);
    free(w->points_at);
    free(w->v);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

/* ---- at every step ---- */

/* Runs the operation, cancelled at report number stop_at; SIZE_MAX: to its end. */
static gfp_status cancel_run(world *w, const operation *o, const problem *p, size_t stop_at)
{
    gfp_options options = w->options;
    options.verify = o->traits & NO_CHECK ? GFP_VERIFY_NONE : p->verify;
    options.progress = &w->progress;
    w->asked = 0;
    w->last = 0;
    w->stop_at = stop_at;
    w->error.message[0] = '\0';
    return o->run(w, &options);
}

/* The operation runs to its end and has the result `right` (0: not known yet), which this function
 * returns. */
static uint64_t cancel_complete(world *w, const operation *o, const problem *p, uint64_t right)
{
    cancel_reset(w);
    lab_expect_status(cancel_run(w, o, p, SIZE_MAX), GFP_OK, &w->error, o->name);
    const uint64_t result = cancel_digest(w);
    if (w->falls || (w->asked > 0 && w->last < 1) ||
        (w->asked == 0) != ((o->traits & IMMEDIATE) != 0)) {
        fail_msg("%s over %s, %zu terms: %zu reports, the last %g", o->name, p->field, p->n,
                 w->asked, w->last);
    }
    if (right != 0 && result != right) {
        fail_msg("%s over %s, %zu terms: another result after a call that was cancelled", o->name,
                 p->field, p->n);
    }
    return result;
}

/* Cancels at report number stop_at. In a new field, where tables are made, and with threads the
 * number of reports may differ: a call that ends before this report has the right result. */
static void library_cancel(world *w, const operation *o, const problem *p, size_t stop_at,
                           uint64_t right)
{
    const bool fresh = right != 0;
    cancel_reset(w);
    const uint64_t before = cancel_digest(w);
    gfp_field_release_memory(w->field);
    const size_t bytes = w->m.bytes;
    const gfp_status status = cancel_run(w, o, p, stop_at);
    if (status == GFP_OK && w->asked <= stop_at && (fresh || p->threads > 1)) {
        assert_true(right == 0 || cancel_digest(w) == right);
        return;
    }
    const bool changed = cancel_digest(w) != before && !(o->traits & UNDEFINED);
    gfp_field_release_memory(w->field);
    if (status != GFP_ERR_CANCELLED || w->error.status != status || w->error.message[0] == '\0' ||
        w->asked != stop_at + 1 || changed || (w->m.bytes != bytes && !fresh)) {
        fail_msg("%s over %s, %zu terms, stopped at report %zu, of %zu: %s, outputs changed: %d, "
                 "%zu bytes after %zu",
                 o->name, p->field, p->n, stop_at, w->asked, gfp_status_string(status), changed,
                 w->m.bytes, bytes);
    }
}

static void cancel_everywhere(const operation *o, const problem *p, gfp_random *g)
{
    world used, fresh;
    cancel_start(&used, p);
    const uint64_t right = cancel_complete(&used, o, p, 0);
    (void)cancel_complete(&used, o, p, right);
    const size_t reports = used.asked;
    cancel_start(&fresh, p);
    for (size_t i = 0; i < (SANITIZED ? 2U : 4U) && reports > 0; i++) {
        const size_t stop = i == 0 ? 0 : i == 1 ? reports - 1 : gfp_random_u64(g) % reports;
        library_cancel(&used, o, p, stop, 0);
        (void)cancel_complete(&used, o, p, right);
        library_cancel(&fresh, o, p, stop, right);
        (void)cancel_complete(&fresh, o, p, right);
    }
    cancel_end(&fresh);
    cancel_end(&used);
}

static void cancel_all(const problem *p)
{
    gfp_random g;
    gfp_random_seed(&g, p->n);
    for (size_t i = 0; i < OPERATIONS; i++) {
        cancel_everywhere(&operations[i], p, &g);
    }
}

static void short_operands(void **state)
{
    (void)state;
    cancel_all(&(problem){"p2", 24, 16, true, GFP_VERIFY_POINT, 1});
    cancel_all(&(problem){"p8", 32, 16, true, GFP_VERIFY_CROSS, 1});
}

static void longer_operands(void **state)
{
    (void)state;
    cancel_all(&(problem){"p2", 320, 256, false, GFP_VERIFY_NONE, 1});
    if (!SANITIZED) {
        cancel_all(&(problem){"p4", 150, 64, false, GFP_VERIFY_POINT, 1});
    }
}

static void two_threads(void **state)
{
    (void)state;
    cancel_all(&(problem){"p4", 60, 64, true, GFP_VERIFY_NONE, 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_operands),
        cmocka_unit_test(longer_operands),
        cmocka_unit_test(two_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
