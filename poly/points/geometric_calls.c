/* geometric_calls.c: the public calls on geometric progressions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/geometric.h"
#include "gfpoly/tree.h"
#include "poly/impl.h"
#include "field/base/support.h"

static gfp_status check_pointers(const char *name, const void *const *pointer, size_t count,
                                 const gfp_options *options)
{
    for (size_t i = 0; i < count; i++) {
        if (pointer[i] == NULL) {
            return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                                 "%s: no field, or an array or element is NULL", name);
        }
    }
    return GFP_OK;
}

/* The number of values, at least 1, from which on all are equal. */
static size_t count_different(const gfp_field *field, gfp_series f, const gfp_progression *p)
{
    if (f.len <= 1 || gfp_elem_is_zero(field, p->start) || gfp_elem_is_one(field, p->ratio)) {
        return 1;
    }
    return gfp_elem_is_zero(field, p->ratio) ? gfp_size_min(p->n, 2) : p->n;
}

static gfp_status geometric_calls_evaluate(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                           const gfp_progression *p)
{
    const size_t k = gfp_field_k(op->field), n = count_different(op->field, f, p);
    const gfp_progression different = {p->start, p->ratio, n};
    uint64_t *z;
    if (gfp_elem_is_zero(op->field, p->start)) {
        f.len = gfp_size_min(f.len, 1);
    }
    GFP_TRY(gfp_operation_array(op, &z, p->n));
    GFP_TRY(gfp_geometric_values(op, z, f, &different));
    GFP_TRY(gfp_geometric_check(op, z, f, &different));
    for (size_t i = n; i < p->n; i++) {
        gfp_elem_copy(op->field, z + i * k, z + (n - 1) * k);
    }
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, values, z, p->n);
    return GFP_OK;
}

gfp_status gfp_poly_eval_geometric(uint64_t *values, const gfp_poly *f, const uint64_t *start,
                                   const uint64_t *ratio, size_t n, const gfp_options *options)
{
    static const char name[] = "values at a geometric progression";
    const gfp_progression p = {start, ratio, n};
    const void *const pointer[] = {start, ratio, n > 0 ? (const void *)values : (const void *)f};
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(f, f, f, options));
    GFP_TRY(check_pointers(name, pointer, 3, options));
    if (n > SIZE_MAX / 4 - f->len) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: %zu points", name, n);
    }
    GFP_TRY(gfp_operation_begin(&op, name, f->field, options, gfp_geometric_values_units(n, f->len),
                                1));
    return gfp_operation_end(
        &op, n == 0 ? GFP_OK
                    : geometric_calls_evaluate(&op, values, (gfp_series){f->digits, f->len}, &p));
}

static gfp_status geometric_calls_interpolate(gfp_operation_call *op, gfp_poly *f,
                                              const uint64_t *values, const gfp_progression *p)
{
    uint64_t *z;
    GFP_TRY(gfp_operation_array(op, &z, p->n));
    GFP_TRY(gfp_geometric_solve(op, z, values, p));
    GFP_TRY(gfp_geometric_check(op, values, (gfp_series){z, p->n}, p));
    GFP_TRY(gfp_poly_fit_length(f, p->n)); /* inputs may lie in f, and are not read any more */
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, f->digits, z, p->n);
    gfp_poly_normalise(f, p->n);
    return GFP_OK;
}

gfp_status gfp_poly_interpolate_geometric(gfp_poly *f, const uint64_t *values,
                                          const uint64_t *start, const uint64_t *ratio, size_t n,
                                          const gfp_options *options)
{
    static const char name[] = "interpolation at a geometric progression";
    const gfp_progression p = {start, ratio, n};
    const void *const pointer[] = {start, ratio, n > 0 ? values : start};
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(f, f, f, options));
    GFP_TRY(check_pointers(name, pointer, 3, options));
    if (n >= SIZE_MAX / gfp_element_bytes(f->field)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: no room for %zu coefficients", name,
                             n);
    }
    GFP_TRY(gfp_operation_begin(&op, name, f->field, options, gfp_geometric_solve_units(n), 1));
    if (n == 0) {
        gfp_poly_zero(f);
    }
    return gfp_operation_end(&op,
                             n == 0 ? GFP_OK : geometric_calls_interpolate(&op, f, values, &p));
}
