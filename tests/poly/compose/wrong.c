/* wrong.c: a wrong remainder anywhere in a composition modulo h, or in a power, is found by its
 * check.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"

#include "lab/rows.h"
#include "lab/sanitized.h"

/* The linker puts these in the place of the functions: result number `spoiled` is wrong in one
 * coefficient. */
gfp_status __real_gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d,
                                          uint64_t *q, uint64_t *r, gfp_series w);
gfp_status __wrap_gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d,
                                          uint64_t *q, uint64_t *r, gfp_series w);
gfp_status __real_gfp_operation_dot(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                                    const gfp_operand *const *x, const gfp_operand *const *y,
                                    size_t count);
gfp_status __wrap_gfp_operation_dot(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                                    const gfp_operand *const *x, const gfp_operand *const *y,
                                    size_t count);
static size_t spoiled = SIZE_MAX, remainders;

/* A result of n coefficients. */
static void spoil_middle(const gfp_field *field, uint64_t *r, size_t n)
{
    if (remainders++ == spoiled) {
        uint64_t one[GFP_MAX_K], *x = r + n / 2 * gfp_field_k(field);
        gfp_elem_one(field, one);
        gfp_elem_add(field, x, x, one);
    }
}

gfp_status __wrap_gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d,
                                          uint64_t *q, uint64_t *r, gfp_series w)
{
    const gfp_status status = __real_gfp_poly_divisor_reduce(op, d, q, r, w);
    if (status == GFP_OK && r != NULL) {
        spoil_middle(op->field, r, d->n);
    }
    return status;
}

gfp_status __wrap_gfp_operation_dot(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                                    const gfp_operand *const *x, const gfp_operand *const *y,
                                    size_t count)
{
    const gfp_status status = __real_gfp_operation_dot(op, c, from, end, x, y, count);
    if (status == GFP_OK) {
        spoil_middle(op->field, c + from * gfp_field_k(op->field), end - from);
    }
    return status;
}

static gfp_status compose_once(parts *s, const gfp_options *options)
{
    gfp_status status = gfp_compose_argument_create(&s->A, &s->b, s->M, 1, options);
    if (status == GFP_OK) {
        status = gfp_poly_compose_mod(&s->y, &s->a, s->A, options);
    }
    gfp_compose_argument_destroy(s->A);
    s->A = NULL;
    return status;
}

/* A composition, or a power of b or X with an exponent of `bits` bits. */
typedef struct trial {
    const char *field;
    size_t n;
    unsigned threads;
    size_t bits; /* 0: a composition */
    bool of_x;
} trial;

static gfp_status run_trial(parts *s, const trial *t, const gfp_options *options)
{
    uint64_t exponent[10];
    gfp_random g;
    if (t->bits == 0) {
        return compose_once(s, options);
    }
    const size_t limbs = (t->bits - 1) / 64 + 1;
    gfp_random_seed(&g, t->bits);
    for (size_t i = 0; i < limbs; i++) {
        exponent[i] = gfp_random_u64(&g);
    }
    const uint64_t top = (uint64_t)1 << (t->bits - 1) % 64;
    exponent[limbs - 1] = (exponent[limbs - 1] & (top - 1)) | top;
    return gfp_poly_pow_mod(&s->y, t->of_x ? &s->x : &s->b, exponent, limbs, s->M, options);
}

/* Results of a power that are wrong in turn, at most. */
#define SPOILED_OF_POWER 16

static void each_wrong_remainder_is_found(void **state)
{
    static const trial rows[] = {
        {"p2", 400, 1, 0, false},  {"p8", 600, 1, 0, false},   {"p8", 600, 2, 0, false},
        {"p8", 600, 1, 3, false},  {"p2", 400, 1, 64, false},  {"p8", 600, 1, 64, false},
        {"p8", 300, 2, 64, true},  {"p2", 400, 1, 600, false}, {"p8", 300, 1, 600, false},
        {"p8", 300, 1, 600, true},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .threads = rows[i].threads};
        parts s;
        make_parts(&s, lab_named(rows[i].field)->field, rows[i].n / (SANITIZED ? 2 : 1), i);
        make_modulus(&s, NULL);
        spoiled = SIZE_MAX;
        remainders = 0;
        assert_int_equal(run_trial(&s, &rows[i], &options), GFP_OK);
        const size_t all = remainders, step = rows[i].bits == 0 ? 1 : all / SPOILED_OF_POWER + 1;
        assert_true(all > 0);
        for (size_t j = 0; j < all; j += step) {
            spoiled = j;
            remainders = 0;
            if (run_trial(&s, &rows[i], &options) != GFP_ERR_VERIFY) {
                fail_msg("%s, degree %zu, %zu bits: remainder %zu of %zu", rows[i].field, s.n,
                         rows[i].bits, j, all);
            }
        }
        spoiled = SIZE_MAX;
        clear_parts(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wrong_remainder_is_found),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
