/* calls.c: calls of compositions modulo a polynomial: memory, progress, threads,
 * methods, verification, reports (tests/lab/calls.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define LAB_WITH_ARGUMENT 1
#include "poly/division/rows.h"
#include "lab/sanitized.h"
#include "poly/compose/elements.h"

#include <stdlib.h>

static gfp_status compose_calls_argument(parts *s, const gfp_options *options)
{
    gfp_compose_argument *A = NULL;
    const gfp_status status = gfp_compose_argument_create(&A, &s->b, s->M, 1, options);
    assert_true((status == GFP_OK) == (A != NULL));
    gfp_compose_argument_destroy(A);
    return status;
}

static gfp_status compose_calls_composition(parts *s, const gfp_options *options)
{
    return gfp_poly_compose_mod(&s->z, &s->a, s->A, options);
}

static gfp_status compose_calls_compositions(parts *s, const gfp_options *options)
{
    gfp_poly *const c[] = {&s->z, &s->y};
    const gfp_poly *const f[] = {&s->a, &s->twice};
    return gfp_poly_compose_mod_many(c, f, 2, s->A, options);
}

static gfp_status compose_calls_projection(parts *s, const gfp_options *options)
{
    const gfp_field *field = s->f.field;
    const size_t k = gfp_field_k(field), n = s->n, words = 2 * n * k;
    uint64_t *y = malloc(words * sizeof *y), *l = calloc(n * k, sizeof *l);
    assert_true(y != NULL && l != NULL);
    gfp_vec_copy(field, l, s->a.digits, s->a.len);
    const gfp_status status = gfp_vec_power_projection(y, 2 * n, l, s->A, options);
    if (status == GFP_OK) {
        assert_int_equal(gfp_poly_fit_length(&s->z, 2 * n), GFP_OK);
        memcpy(s->z.digits, y, words * sizeof *y);
        assert_int_equal(gfp_poly_set_length(&s->z, 2 * n), GFP_OK);
    }
    free(y);
    free(l);
    return status;
}

static gfp_status trace_map(parts *s, const gfp_options *options)
{
    return gfp_poly_trace_map_mod(&s->z, &s->y, &s->twice, &s->b, 3, s->M, options);
}

static gfp_status compose_calls_minimal(parts *s, const gfp_options *options)
{
    return gfp_poly_minpoly_mod(&s->z, &s->b, s->M, options);
}

static gfp_status compose_calls_characteristic(parts *s, const gfp_options *options)
{
    if (gfp_field_modulus_limbs(s->f.field)[0] == 17) { /* not over a tiny field */
        return compose_calls_composition(s, options);
    }
    return gfp_poly_charpoly_mod(&s->z, &s->b, s->M, options);
}

static const operation operations[] = {
    {"compositions", compose_calls_compositions, 0},
    {"composition", compose_calls_composition, 0},
    {"power projection", compose_calls_projection, 0},
    {"trace map", trace_map, 0},
    {"minimal polynomial", compose_calls_minimal, MOST_MATTER | CERTIFIED},
    {"characteristic polynomial", compose_calls_characteristic, MOST_MATTER},
    {"argument", compose_calls_argument, CREATES},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static const problem problems[] = {{"p8", SANITIZED ? 14 : 30}, {"2^4+1", SANITIZED ? 12 : 25}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#define METHODS_DEGREE (SANITIZED ? 12 : 18)
#define THREADS_DEGREE 90
#include "poly/division/rows_tests.h"

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {DIVISION_CALLS_TESTS};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
