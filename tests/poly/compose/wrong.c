/* wrong.c: a wrong remainder anywhere in a composition modulo h is found by its check.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"

#include "lab/rows.h"
#include "lab/sanitized.h"

/* The linker puts this in the place of the function: remainder number `spoiled` is wrong in one
 * coefficient. */
gfp_status __real_gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d,
                                          uint64_t *q, uint64_t *r, gfp_series w);
gfp_status __wrap_gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d,
                                          uint64_t *q, uint64_t *r, gfp_series w);
static size_t spoiled = SIZE_MAX, remainders;

gfp_status __wrap_gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d,
                                          uint64_t *q, uint64_t *r, gfp_series w)
{
    const gfp_status status = __real_gfp_poly_divisor_reduce(op, d, q, r, w);
    if (status == GFP_OK && r != NULL && remainders++ == spoiled) {
        uint64_t one[GFP_MAX_K], *x = r + d->n / 2 * gfp_field_k(op->field);
        gfp_elem_one(op->field, one);
        gfp_elem_add(op->field, x, x, one);
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

static void each_wrong_remainder_is_found(void **state)
{
    static const struct {
        const char *field;
        size_t n;
        unsigned threads;
    } rows[] = {{"p2", 400, 1}, {"p8", 600, 1}, {"p8", 600, 2}};
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .threads = rows[i].threads};
        parts s;
        make_parts(&s, lab_named(rows[i].field)->field, rows[i].n / (SANITIZED ? 2 : 1), i);
        make_modulus(&s, NULL);
        spoiled = SIZE_MAX;
        remainders = 0;
        assert_int_equal(compose_once(&s, &options), GFP_OK);
        const size_t all = remainders;
        assert_true(all > 0);
        for (size_t j = 0; j < all; j++) {
            spoiled = j;
            remainders = 0;
            if (compose_once(&s, &options) != GFP_ERR_VERIFY) {
                fail_msg("%s, degree %zu: remainder %zu of %zu", rows[i].field, s.n, j, all);
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
