/* calls.c: the calls modulo p that take options, as a table of operations, and the tests of
 * tests/lab/calls.h for its families. tests/project/exports.sh compares the table with the headers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "library/operands.h"

#include "lab/rows.h"
#include "lab/sanitized.h"
#include "lab/thresholds.h"
#include "poly/compose/elements.h"
#include "fft/task.h"
#include "poly/compose/impl.h"
#include "product/methods/engine.h"

static const gfp_batch pairs = {.count = FEW, .len_a = 4, .len_b = 4};
static const uint64_t cube[] = {3}, large[] = {0xfedcba9876543211, 0x1234567, 0}, few[] = {0x2b7},
                      more[] = {0x2b75};
/* Chains that are reduced modulo X^N - 1. */
static const uint64_t chain[] = {0x2b7123456}, chain_of_x[] = {0x1234567891};

/* ---- calls that need more than a line ---- */

static gfp_status compose_mod_many(world *w, const gfp_options *o)
{
    gfp_poly *const c[] = {&w->z[0], &w->z[1]};
    const gfp_poly *const f[] = {&w->in[A], &w->in[TWICE]};
    return gfp_poly_compose_mod_many(c, f, 2, w->A, o);
}

static gfp_status evaluate_fresh(world *w, const gfp_options *o)
{
    gfp_tree *T = NULL;
    gfp_options making = *o;
    making.progress = NULL;
    making.memory_cap = 0;
    gfp_status status = gfp_tree_create(&T, w->field, w->points_at, w->n, &making);
    if (status == GFP_OK) {
        status = gfp_tree_eval(w->w, &w->in[A], T, o);
    }
    gfp_tree_destroy(T);
    return status;
}

static gfp_status multi_crt(world *w, const gfp_options *o)
{
    const gfp_poly r[FEW] = {w->in[A], w->in[B], w->in[TWICE], w->in[F]};
    return gfp_poly_multi_crt(&w->z[0], r, w->moduli, FEW, o);
}

static gfp_status random_irreducible(world *w, const gfp_options *o)
{
    gfp_random g;
    gfp_random_seed(&g, 4);
    return gfp_poly_random_irreducible(&w->z[0], w->degree, &g, o);
}

static gfp_status dot_operands(world *w, const gfp_options *o)
{
    const gfp_operand *const x[] = {w->x, w->y}, *const y[] = {w->y, w->y};
    return gfp_poly_dot_operands(&w->z[0], 1, w->n, x, y, 2, o);
}

/* The sum goes through an operand. */
static gfp_status dot_of_products(world *w, const gfp_options *o)
{
    const gfp_operand *const x[] = {w->x, w->product}, *const y[] = {w->x, w->x};
    return gfp_poly_dot_operands(&w->z[0], 0, 2 * w->n - 1, x, y, 2, o);
}

static gfp_status six_step(world *w, const gfp_options *o)
{
    gfp_options own = *o;
    own.method = "six-step";
    return gfp_fft_run(w->w, w->v, GFP_FORWARD, GFP_ORDER_NATURAL, w->plan, &own);
}

static gfp_status inverse_six_step(world *w, const gfp_options *o)
{
    gfp_options own = *o;
    own.method = "six-step";
    return gfp_fft_run(w->w, w->v, GFP_INVERSE, GFP_ORDER_NATURAL, w->plan, &own);
}

/* The output of a call on files is a file that is made here; w has its digits after success. */
static gfp_status file_call(world *w, size_t length, const gfp_options *o, int which)
{
    gfp_file *out = NULL;
    assert_int_equal(gfp_file_create(&out, "made", w->field, length, NULL), GFP_OK);
    const gfp_status status =
        which == 0   ? gfp_file_mul(out, w->file, w->file, o)
        : which == 1 ? gfp_file_fft_run(out, w->file, GFP_FORWARD, GFP_ORDER_NATURAL, o)
                     : gfp_file_fft_run(out, w->file, GFP_INVERSE, GFP_ORDER_PERMUTED, o);
    if (status == GFP_OK) {
        gfp_vec_set(w->field, w->w, gfp_file_get_info(out).digits, length);
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

#define DIVIDES (1U << 16) /* by 1, 2, ..., n - 1 */
#define MADE_APART (1U << 17)
#define TRANSFORMS (UNDEFINED | NO_CHECK)

#define P(i) (&w->in[i])
#define Z &w->z[0]
#define Y &w->z[1]

/* A family, a name, the function without gfp_, traits, and its arguments before the options. */
#define CALLS(_)                                                                                   \
    _(PRODUCT, mul, poly_mul, 0, Z, P(A), P(SHORTER))                                              \
    _(PRODUCT, sqr, poly_sqr, 0, Z, P(A))                                                          \
    _(PRODUCT, mullow, poly_mullow, 0, Z, P(A), P(SHORTER), 20)                                    \
    _(PRODUCT, mul_in_place, poly_mul, 0, &w->z[IN_PLACE], &w->z[IN_PLACE], P(SHORTER))            \
    _(PRODUCT, mulhigh, poly_mulhigh, 0, Z, P(A), P(SHORTER), w->n)                                \
    _(PRODUCT, mulmid, poly_mulmid, 0, Z, P(A), P(SHORTER), w->n / 2, w->n / 2)                    \
    _(PRODUCT, verify_mul, poly_verify_mul, 0, P(C), P(A), P(SHORTER))                             \
    _(PRODUCT, mul_batch, vec_mul_batch, UNDEFINED | WALK_ONLY, w->field, w->w, w->v, w->v,        \
      &pairs)                                                                                      \
    _(TRANSFORM, forward, fft_run, TRANSFORMS, w->w, w->v, GFP_FORWARD, GFP_ORDER_NATURAL,         \
      w->plan)                                                                                     \
    _(TRANSFORM, forward_permuted, fft_run, TRANSFORMS, w->w, w->v, GFP_FORWARD,                   \
      GFP_ORDER_PERMUTED, w->plan)                                                                 \
    _(TRANSFORM, inverse, fft_run, TRANSFORMS, w->w, w->v, GFP_INVERSE, GFP_ORDER_NATURAL,         \
      w->plan)                                                                                     \
    _(TRANSFORM, inverse_permuted, fft_run, TRANSFORMS, w->w, w->v, GFP_INVERSE,                   \
      GFP_ORDER_PERMUTED, w->plan)                                                                 \
    _(OPERAND, to_operand, poly_to_operand, UNDEFINED, w->transform, P(A))                         \
    _(OPERAND, from_operand, poly_from_operand, MADE_APART, Z, 1, w->n / 2, w->x)                  \
    _(OPERAND, from_product, poly_from_operand, MADE_APART, Z, 0, SIZE_MAX, w->product)            \
    _(OPERAND, mul_operand, poly_mul_operand, MADE_APART, Z, 1, w->n, P(B), w->x)                  \
    _(OPERAND, operand_set, operand_set, UNDEFINED, w->transform, w->v, w->n)                      \
    _(OPERAND, vec_mul_operand, vec_mul_operand, 0, w->w, 0, 2 * w->n - 1, w->v, w->n, w->x)       \
    _(DIVISION, divrem, poly_divrem, 0, Z, Y, P(TWICE), P(F))                                      \
    _(DIVISION, long_divrem, poly_divrem, 0, Z, Y, P(SEVERAL), P(F))                               \
    _(DIVISION, quotient, poly_div, 0, Z, P(TWICE), P(F))                                          \
    _(DIVISION, long_quotient, poly_div, 0, Z, P(SEVERAL), P(F))                                   \
    _(DIVISION, remainder, poly_rem, 0, Z, P(SEVERAL), P(F))                                       \
    _(DIVISION, exact_quotient, poly_divexact, CERTIFIED, Z, P(MULTIPLE), P(F))                    \
    _(DIVISION, divides, poly_divides, 0, &w->yes, Z, P(MULTIPLE), P(F))                           \
    _(DIVISION, remainder_by_modulus, poly_rem_mod, 0, Z, P(SEVERAL), w->M)                        \
    _(DIVISION, product_by_modulus, poly_mul_mod, 0, Z, P(A), P(B), w->M)                          \
    _(DIVISION, product_of_long, poly_mul_mod, 0, Z, P(TWICE), P(SEVERAL), w->M)                   \
    _(DIVISION, power, poly_pow_mod, 0, Z, P(A), few, 1, w->M)                                     \
    _(DIVISION, power_of_x, poly_pow_mod, 0, Z, P(X), more, 1, w->M)                               \
    _(DIVISION, long_power, poly_pow_mod, 0, Z, P(A), chain, 1, w->M)                              \
    _(DIVISION, long_power_of_x, poly_pow_mod, 0, Z, P(X), chain_of_x, 1, w->M)                    \
    _(DIVISION, inverse_mod, poly_inv_mod, WALK_ONLY, Z, P(A), w->M)                               \
    _(COMPOSE, composition, poly_compose_mod, 0, Z, P(A), w->A)                                    \
    _(COMPOSE, trace_map, poly_trace_map_mod, 0, Z, Y, P(TWICE), P(B), 3, w->M)                    \
    _(COMPOSE, minimal, poly_minpoly_mod, MOST_MATTER | CERTIFIED, Z, P(B), w->M)                  \
    _(COMPOSE, characteristic, poly_charpoly_mod, MOST_MATTER | DIVIDES, Z, P(B), w->M)            \
    _(COMPOSE, plain_composition, poly_compose, WALK_ONLY, Z, P(SMALL), P(SMALL))                  \
    _(EUCLID, xgcd, poly_xgcd, 0, &w->z[2], Z, Y, P(SEVERAL), P(TWICE))                            \
    _(EUCLID, gcd, poly_gcd, MAY_BE_RIGHT, Z, P(TWICE), P(SEVERAL))                                \
    _(EUCLID, common_factor, poly_gcd, MOST_MATTER, Z, P(MULTIPLE), P(F))                          \
    _(EUCLID, short_common_factor, poly_gcd, WALK_ONLY, Z, P(THREE), P(C))                         \
    _(EUCLID, xgcd_common_factor, poly_xgcd, WALK_ONLY, &w->z[2], Z, Y, P(THREE), P(C))            \
    _(EUCLID, resultant, poly_resultant, MOST_MATTER, w->w, P(TWICE), P(SEVERAL))                  \
    _(EUCLID, subresultant, poly_subresultant, MOST_MATTER, Z, P(SEVERAL), P(TWICE), w->n / 2)     \
    _(EUCLID, discriminant, poly_discriminant, MOST_MATTER, w->w, P(TWICE))                        \
    _(EUCLID, reconstruction, poly_reconstruct, MOST_MATTER, Z, Y, P(SEVERAL), P(TWICE), w->n - 1, \
      w->n)                                                                                        \
    _(EUCLID, pade, poly_pade, MOST_MATTER, Z, Y, P(SEVERAL), w->n, w->n - 1)                      \
    _(EUCLID, minpoly, poly_minpoly, MOST_MATTER, Z, P(SEVERAL)->digits, 2 * w->n)                 \
    _(SERIES, inverse_series, poly_inv_series, 0, Z, P(A), w->n)                                   \
    _(SERIES, quotient_series, poly_div_series, 0, Z, P(B), P(A), w->n)                            \
    _(SERIES, square_root, poly_sqrt_series, 0, Z, P(ONE), w->n)                                   \
    _(SERIES, inverse_root, poly_invsqrt_series, 0, Z, P(ONE), w->n)                               \
    _(SERIES, logarithm, poly_log_series, DIVIDES, Z, P(ONE), w->n)                                \
    _(SERIES, exponential, poly_exp_series, DIVIDES, Z, P(ZERO), w->n)                             \
    _(SERIES, cube_of_series, poly_pow_series, 0, Z, P(A), cube, 1, w->n)                          \
    _(SERIES, large_power, poly_pow_series, 0, Z, P(A), large, 3, w->n)                            \
    _(SERIES, taylor_shift, poly_taylor_shift, DIVIDES, Z, P(A), w->seven)                         \
    _(SERIES, vec_inverse, vec_inv_series, WALK_ONLY, w->field, w->w, w->n, w->v, w->n)            \
    _(SERIES, vec_quotient, vec_div_series, WALK_ONLY, w->field, w->w, w->n, w->points_at, w->n,   \
      w->v, w->n)                                                                                  \
    _(SERIES, vec_taylor, vec_taylor_shift, WALK_ONLY, w->field, w->w, w->v, w->n, w->points_at)   \
    _(SERIES, derivative, poly_derivative, WALK_ONLY, Z, P(A))                                     \
    _(SERIES, integral, poly_integral, WALK_ONLY, Z, P(A))                                         \
    _(SERIES, composition_series, poly_compose_series, WALK_ONLY, Z, P(A), P(ZERO), w->n)          \
    _(SERIES, reversion, poly_revert_series, WALK_ONLY, Z, P(ZERO), w->n)                          \
    _(POINTS, product_roots, poly_product_roots, 0, Z, w->points_at, w->n)                         \
    _(POINTS, tree_values, tree_eval, 0, w->w, P(A), w->T)                                         \
    _(POINTS, values_of_long, tree_eval, 0, w->w, P(LONGER), w->T)                                 \
    _(POINTS, tree_interpolation, tree_interpolate, 0, Z, w->v, w->T)                              \
    _(POINTS, eval_vec, poly_eval_vec, 0, w->w, P(A), w->points_at, w->n)                          \
    _(POINTS, interpolation, poly_interpolate, 0, Z, w->points_at, w->v, w->n)                     \
    _(POINTS, progression, poly_eval_geometric, NO_OPERANDS, w->w, P(A), w->start, w->ratio, w->n) \
    _(POINTS, from_progression, poly_interpolate_geometric, NO_OPERANDS, Z, w->v, w->start,        \
      w->ratio, w->n)                                                                              \
    _(MODULI, multi_rem, poly_multi_rem, 0, w->z, P(SEVERAL), w->moduli, FEW)                      \
    _(FACTOR, factor, poly_factor, 0, &w->factors, P(SPLIT))                                       \
    _(FACTOR, squarefree, poly_factor_squarefree, MAY_BE_RIGHT, &w->factors, P(SPLIT))             \
    _(FACTOR, distinct_degree, poly_factor_distinct_deg, 0, &w->factors, P(FLAT))                  \
    _(FACTOR, roots, poly_roots, 0, &w->roots, P(SPLIT))                                           \
    _(FACTOR, irreducible, poly_is_irreducible, 0, &w->yes, P(PAIRS))

/* The same for functions that make an object, without _create. */
#define OBJECTS(_)                                                                                 \
    _(OPERAND, space, space, IMMEDIATE | NO_CHECK, w->field,                                       \
      (&(gfp_space_spec){.length = 2 * w->n, .terms = 2}))                                         \
    _(DIVISION, modulus, modulus, CREATES, P(F))                                                   \
    _(COMPOSE, argument, compose_argument, CREATES, P(B), w->M, 1)                                 \
    _(POINTS, tree, tree, CREATES, w->field, w->points_at, w->n)

#define CALL(family, label, name, traits, ...)                                                     \
    static gfp_status call_##label(void *subject, const gfp_options *o)                            \
    {                                                                                              \
        world *w = subject;                                                                        \
        return gfp_##name(__VA_ARGS__, o);                                                         \
    }
CALLS(CALL)

#define OBJECT(family, label, name, traits, ...)                                                   \
    static gfp_status call_##label(void *subject, const gfp_options *o)                            \
    {                                                                                              \
        world *w = subject;                                                                        \
        gfp_##name *made = NULL;                                                                   \
        const gfp_status status = gfp_##name##_create(&made, __VA_ARGS__, o);                      \
        assert_true((status == GFP_OK) == (made != NULL));                                         \
        gfp_##name##_destroy(made);                                                                \
        return status;                                                                             \
    }
OBJECTS(OBJECT)

/* The calls above, in families. */
#define OTHERS(_)                                                                                  \
    _(TRANSFORM, six_step, TRANSFORMS)                                                             \
    _(TRANSFORM, inverse_six_step, TRANSFORMS)                                                     \
    _(OPERAND, dot_of_products, MADE_APART)                                                        \
    _(OPERAND, dot_operands, MADE_APART)                                                           \
    _(COMPOSE, compose_mod_many, 0)                                                                \
    _(POINTS, evaluate_fresh, CREATES)                                                             \
    _(MODULI, multi_crt, 0)                                                                        \
    _(FACTOR, random_irreducible, 0)                                                               \
    _(FILES, file_mul, 0)                                                                          \
    _(FILES, file_forward, TRANSFORMS)                                                             \
    _(FILES, file_inverse, TRANSFORMS)

#define OTHER(family, label, traits)                                                               \
    static gfp_status call_##label(void *subject, const gfp_options *o)                            \
    {                                                                                              \
        return label(subject, o);                                                                  \
    }
OTHERS(OTHER)

static const char *const methods[] = {
    [PRODUCT] = "*", [OPERAND] = "hybrid crt bigfft", [FILES] = NULL};

#define ROW(family, label, name, traits, ...) {#label, call_##label, traits, family, NULL, 0, 0},
#define OTHER_ROW(family, label, traits) {#label, call_##label, traits, family, NULL, 0, 0},
static const calls_row written[] = {CALLS(ROW) OBJECTS(ROW) OTHERS(OTHER_ROW)};
#define ROWS (sizeof written / sizeof written[0])
static calls_row rows[ROWS]; /* the same with their families' methods */

/* More than what factors and roots take; polynomials from operands, which are made apart. */
static size_t bytes_apart(const calls_row *row, const calls_problem *p)
{
    return row->family == FACTOR ? 1 << 13 : row->traits & MADE_APART ? 2 * p->n * 64 : 0;
}

/* Whether a transform of this length has the six-step form. */
static bool is_possible(const calls_row *row, const calls_problem *p)
{
    const gfp_field *field = lab_named(p->field)->field;
    const size_t base = 2 * (size_t)gfp_field_k(field);
    size_t n = p->points;
    if (strstr(row->name, "six_step") != NULL) {
        while (n > 1 && n % base == 0) {
            n /= base;
        }
        return n == 1;
    }
    return true;
}

static unsigned traits_of(const calls_row *row, const calls_problem *p)
{
    unsigned traits = row->traits;
    const bool tiny = p->field[0] == '2' && strcmp(p->field, "2^4+1") == 0;
    switch (row->family) {
    case TRANSFORM:
        return traits | (is_possible(row, p) ? 0U : IMPOSSIBLE);
    case OPERAND: /* products that wrap around are not verified */
        return traits | (p->is_long ? NO_CHECK : 0U);
    case POINTS: /* A wrong product may belong to the padding. Few points need no products with
                    operands. */
        return traits | MOST_MATTER |
               (p->n <= 16                                ? NO_OPERANDS
                : p->n >= 2000 && !(traits & NO_OPERANDS) ? SHARED
                                                          : 0U);
    case FACTOR: /* Short polynomials need no products with operands. A wrong quotient inside a
                    half-gcd, all that the squarefree part of this degree has, leaves the divisor
                    right; wrong degrees are ARGUMENT. */
        return p->is_long ? traits | (traits & MAY_BE_RIGHT ? 0U : MOST_MATTER) : NO_OPERANDS;
    default:
        return traits | ((traits & DIVIDES) && tiny ? IMPOSSIBLE : 0U);
    }
}

static const calls_table table = {rows,          ROWS,        make_world, clear_world,
                                  reset_outputs, digest_of,   places_of,  release_memory,
                                  keep_nothing,  bytes_apart, traits_of};

/* ---- families ---- */

static const char *const usual_fields[] = {"p2", "p8", "m16", "30^32+1", "2^16+1", NULL};

#define FAMILY(number, list) #number, number, &table, list, sizeof list / sizeof *list

static const calls_problem of_products[] = {{"p2", 300, 0, 0},    {"p8", 200, 0, 0},
                                            {"m16", 70, 0, 0},    {"p64", 24, 0, 0},
                                            {"30^32+1", 9, 0, 0}, {"4^2+1", 7, 0, 0}};
static const calls_family product = {FAMILY(PRODUCT, of_products), .every_check = true,
                                     .shared = true, .reports = 2};

static const calls_problem of_short_products[] = {{"p8", 40, 0, 0},      {"p2", 40, 0, 0},
                                                  {"m16", 40, 0, 0},     {"4^2+1", 6, 0, 0},
                                                  {"30^32+1", 40, 0, 0}, {"p128", 12, 0, 0}};
static const calls_family short_product = {"PRODUCT",
                                           PRODUCT,
                                           &table,
                                           of_short_products,
                                           sizeof of_short_products / sizeof *of_short_products -
                                               SANITIZED, /* p128: minutes */
                                           .methods = "classical karatsuba bigfft",
                                           .every_check = true,
                                           .shared = true};

static const calls_problem of_any_method[] = {{"p8", 70, 0, 0}};
static const calls_family any_method = {FAMILY(PRODUCT, of_any_method), .every_check = true,
                                        .shared = true};

static const calls_problem of_transforms[] = {{"p8", 8, 4096, 0},
                                              {"p2", 8, 1024, 0},
                                              {"m16", 8, 1024, 0},
                                              {"30^32+1", 8, 64, 0},
                                              {"4^2+1", 8, 8, 0}};
static const calls_family transform = {FAMILY(TRANSFORM, of_transforms), .shared = true,
                                       .rounds = 40, .reports = 2, .threads = 3};

static const calls_problem of_short_transforms[] = {{"p8", 8, 256, 0},     {"p2", 8, 64, 0},
                                                    {"m16", 8, 128, 0},    {"4^2+1", 8, 16, 0},
                                                    {"30^32+1", 8, 64, 0}, {"p128", 8, 512, 0}};
static const calls_family short_transform = {
    "TRANSFORM",
    TRANSFORM,
    &table,
    of_short_transforms,
    sizeof of_short_transforms / sizeof *of_short_transforms - SANITIZED,
    .reports = 1}; /* p128: minutes */

static const calls_problem of_operands[] = {{"p8", 500, 0, 0}};
static const calls_family operand = {FAMILY(OPERAND, of_operands), .reports = 1, .threads = 3};
static const calls_problem of_cyclic_operands[] = {{"p8", 600, 0, true}};
static const calls_family cyclic_operand = {FAMILY(OPERAND, of_cyclic_operands), .reports = 1};

static const calls_problem of_division[] = {
    {"p8", 45, 0, 0}, {"p2", 110, 0, 0}, {"2^4+1", 110, 0, 0}};
static const size_t division_threads[] = {30, 300, 0};
static const calls_family division = {
    FAMILY(DIVISION, of_division), .rounds = 24,   .reports = 2,
    .method_fields = usual_fields, .method_n = 70, .thread_n = division_threads};

static const calls_problem of_compose[] = {{"p8", SANITIZED ? 14 : 30, 0, 0},
                                           {"2^4+1", SANITIZED ? 12 : 25, 0, 0}};
static const size_t compose_threads[] = {30, 90, 0};
static const calls_family compose = {FAMILY(COMPOSE, of_compose),
                                     .shared = true,
                                     .rounds = 24,
                                     .reports = 2,
                                     .method_fields = usual_fields,
                                     .method_n = SANITIZED ? 12 : 18,
                                     .thread_n = compose_threads};

/* Pairs of twice the degree take half-gcds. */
static const calls_problem of_euclid[] = {{"p8", 45, 0, 0}, {"p2", 60, 0, 0}, {"2^4+1", 45, 0, 0}};
static const size_t euclid_threads[] = {30, 120, 0};
static const calls_family euclid = {
    FAMILY(EUCLID, of_euclid),     .rounds = 24,   .reports = 2,
    .method_fields = usual_fields, .method_n = 70, .thread_n = euclid_threads};

static const calls_problem of_moduli[] = {{"p8", SANITIZED ? 14 : 20, 0, 0}, {"2^4+1", 30, 0, 0}};
static const size_t moduli_threads[] = {30, 60, 0};
static const calls_family moduli = {
    FAMILY(MODULI, of_moduli),     .rounds = 24,   .reports = 2,
    .method_fields = usual_fields, .method_n = 30, .thread_n = moduli_threads};

/* The last field has fewer elements than the series terms. */
static const calls_problem of_series[] = {
    {"p8", 70, 0, 0}, {"p2", 150, 0, 0}, {"2^4+1", 100, 0, 0}};
static const size_t series_threads[] = {40, 300, 1100, 0};
static const calls_family series = {FAMILY(SERIES, of_series), .shared = true, .rounds = 24,
                                    .reports = 2, .thread_n = series_threads};

static const calls_problem of_points[] = {
    {"p8", 45, 0, 0}, {"p2", 110, 0, 0}, {"2^4+1", 15, 0, 0}, {"16^4+1", 70, 0, 0}};
static const size_t point_threads[] = {30, 300, 2000, 0};
static const calls_family points = {
    FAMILY(POINTS, of_points),     .rounds = 24,    .reports = 2,
    .method_fields = usual_fields, .method_n = 110, .thread_n = point_threads};

static const calls_problem of_factor[] = {{"p2", 24, 0, 0}, {"16^2+1", 24, 0, 0}};
static const calls_problem of_long_factor[] = {{"p2", 24, 0, true}};
static const size_t factor_threads[] = {24, 0};
static const calls_family factor = {FAMILY(FACTOR, of_factor), .shared = true, .rounds = 24,
                                    .reports = 2, .thread_n = factor_threads};
static const calls_family long_factor = {FAMILY(FACTOR, of_long_factor), .reports = 2};

/* ---- the walk ---- */

static const calls_walk short_walks[] = {
    {&division, {"p2", 24, 16, false}, {.verify = GFP_VERIFY_POINT, .threads = 1}, false, 4},
    {&division, {"p8", 32, 16, false}, {.verify = GFP_VERIFY_CROSS, .threads = 1}, false, 4}};
static const calls_walk long_walks[] = {
    {&division, {"p2", 320, 256, true}, {.threads = 1}, false, 4},
    {&division, {"p4", 150, 64, true}, {.verify = GFP_VERIFY_POINT, .threads = 1}, false, 4}};
static const calls_walk threads_walk[] = {
    {&division, {"p4", 60, 64, false}, {.threads = 2}, false, 4}};

/* With low thresholds, unless the operands are long. */
static void walk_with(const calls_walk *w)
{
    calls_walk own = *w;
    own.options.tuning = w->problem.is_long ? NULL : low_thresholds();
    own.stops = SANITIZED ? 2 : w->stops;
    calls_walk_rows(&own);
}

static void walk_short(void **state)
{
    (void)state;
    walk_with(&short_walks[0]);
    walk_with(&short_walks[1]);
}

static void walk_long(void **state)
{
    (void)state;
    walk_with(&long_walks[0]);
    if (!SANITIZED) {
        walk_with(&long_walks[1]);
    }
}

static void walk_two_threads(void **state)
{
    (void)state;
    walk_with(&threads_walk[0]);
}

/* ---- what is particular to trees ---- */

static const calls_row *row_named(const char *name)
{
    size_t i = 0;
    while (i < ROWS && strcmp(rows[i].name, name) != 0) {
        i++;
    }
    assert_true(i < ROWS);
    return &rows[i];
}

/* A wrong tree, made without a check, is found by the check of a call on it. */
static void wrong_trees_are_caught(void **state)
{
    const calls_problem p = {"p8", 100, 0, 0};
    size_t total = 1, count;
    (void)state;
    calls_add_wrong_method(false);
    for (size_t n = 0; n < total; n = calls_next_round(SANITIZED ? 12 : 24, n, total)) {
        calls_case c;
        calls_open_wrong(&c, &points, row_named("tree_values"), &p, GFP_VERIFY_NONE);
        world *w = c.subject;
        gfp_tree_destroy(w->T);
        w->T = NULL;
        calls_spoil(n);
        assert_int_equal(gfp_tree_create(&w->T, w->field, w->points_at, w->n, &c.options), GFP_OK);
        total = calls_products();
        c.options.verify = GFP_VERIFY_POINT;
        calls_expect_failure(&c, calls_run_wrong(&c, SIZE_MAX, &count), GFP_ERR_VERIFY, n);
        calls_close(&c);
    }
    assert_true(total > 5);
    calls_remove_wrong_method();
}

/* Of methods without operands: wrong products at any place. */
static void wrong_progressions_are_caught(void **state)
{
    static const char *const names[] = {"progression", "from_progression"};
    (void)state;
    calls_add_wrong_method(true);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        calls_case c;
        size_t total, count;
        calls_open_wrong(&c, &points, row_named(names[i]), &of_points[0], GFP_VERIFY_POINT);
        assert_int_equal(calls_run_wrong(&c, SIZE_MAX, &total), GFP_OK);
        assert_true(total >= 1);
        table.reset(c.subject);
        for (size_t n = 0; n < total; n++) {
            calls_expect_failure(&c, calls_run_wrong(&c, n, &count), GFP_ERR_VERIFY, n);
        }
        calls_close(&c);
    }
    calls_remove_wrong_method();
}

/* ---- the tests ---- */

#define COLUMN(name, column, family)                                                               \
    {                                                                                              \
        name, #column, calls_##column, &(family)                                                   \
    }
#define COLUMNS(name, family)                                                                      \
    COLUMN(name, allocations_that_fail, family), COLUMN(name, cancelled_at_every_step, family),    \
        COLUMN(name, caps_on_memory, family), COLUMN(name, threads_do_not_matter, family)
#define ALL_COLUMNS(name, family)                                                                  \
    COLUMNS(name, family), COLUMN(name, methods_alike, family),                                    \
        COLUMN(name, wrong_products_are_caught, family)

static const calls_test tests[] = {
    COLUMN("product", allocations_that_fail, short_product),
    COLUMN("product", allocations_that_fail, any_method),
    COLUMN("product", cancelled_at_every_step, product),
    COLUMN("transform", allocations_that_fail, short_transform),
    COLUMN("transform", cancelled_at_every_step, transform),
    COLUMN("operand", cancelled_at_every_step, operand),
    COLUMN("operand", caps_on_memory, cyclic_operand),
    ALL_COLUMNS("division", division),
    ALL_COLUMNS("compose", compose),
    ALL_COLUMNS("euclid", euclid),
    ALL_COLUMNS("moduli", moduli),
    ALL_COLUMNS("points", points),
    {"points", "wrong trees", wrong_trees_are_caught, NULL},
    {"points", "wrong progressions", wrong_progressions_are_caught, NULL},
    COLUMNS("series", series),
    COLUMN("series", all_wrong_products_are_caught, series),
    COLUMNS("factor", factor),
    COLUMN("factor", all_wrong_products_are_caught, long_factor),
    {"walk", "short operands", walk_short, NULL},
    {"walk", "long operands", walk_long, NULL},
    {"walk", "two threads", walk_two_threads, NULL},
};

/* An argument names a family. */
int main(int argc, char **argv)
{
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = written[i];
        rows[i].methods = rows[i].run == call_verify_mul ? NULL : methods[rows[i].family];
    }
    return calls_main(argc, argv, "walk", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
