/* geometric_calls.c: the public calls on geometric progressions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/geometric.h"
#include "gfpoly/tree.h"
#include "poly/call.h"
#include "field/base/support.h"

/* A call on values at a progression: its arrays are start, ratio and, of an interpolation, the
 * values. */
typedef struct job {
    gfp_poly_call call;
    gfp_progression p;
} job;

/* The number of values, at least 1, from which on all are equal. */
static size_t count_different(const gfp_field *field, gfp_series f, const gfp_progression *p)
{
    if (f.len <= 1 || gfp_elem_is_zero(field, p->start) || gfp_elem_is_one(field, p->ratio)) {
        return 1;
    }
    return gfp_elem_is_zero(field, p->ratio) ? gfp_size_min(p->n, 2) : p->n;
}

static gfp_status plan_values(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t len = w->input[0]->len;
    if (w->n > SIZE_MAX / 4 - len) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "too many points");
    }
    w->trivial = w->n == 0;
    w->units = gfp_geometric_values_units(w->n, len);
    return GFP_OK;
}

static gfp_status compute_values(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_progression *p = &((const job *)w)->p;
    gfp_series f = gfp_poly_series(w->input[0]);
    const size_t k = gfp_field_k(op->field), n = count_different(op->field, f, p);
    const gfp_progression different = {p->start, p->ratio, n};
    if (gfp_elem_is_zero(op->field, p->start)) {
        f.len = gfp_size_min(f.len, 1);
    }
    GFP_TRY(gfp_operation_array(op, &z[0].digits, p->n));
    GFP_TRY(gfp_geometric_values(op, z[0].digits, f, &different));
    GFP_TRY(gfp_geometric_check(op, z[0].digits, f, &different));
    for (size_t i = n; i < p->n; i++) {
        gfp_elem_set(op->field, z[0].digits + i * k, z[0].digits + (n - 1) * k);
    }
    return GFP_OK;
}

gfp_status gfp_poly_eval_geometric(uint64_t *values, const gfp_poly *f, const uint64_t *start,
                                   const uint64_t *ratio, size_t n, const gfp_options *options)
{
    job w = {.call = {.name = "values at a geometric progression",
                      .input = {f},
                      .inputs = 1,
                      .array = {{start, 1, "start"}, {ratio, 1, "ratio"}},
                      .arrays = 2,
                      .values = values,
                      .n = n,
                      .plan = plan_values,
                      .compute = compute_values},
             .p = {start, ratio, n}};
    return gfp_poly_call_run(&w.call, options);
}

static gfp_status plan_interpolation(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t n = ((const job *)w)->p.n;
    if (n >= SIZE_MAX / gfp_element_bytes(op->field)) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "too many points");
    }
    w->trivial = n == 0;
    w->units = gfp_geometric_solve_units(n);
    return GFP_OK;
}

static gfp_status compute_interpolation(gfp_operation_call *op, gfp_piece *z,
                                        const gfp_poly_call *w)
{
    const gfp_progression *p = &((const job *)w)->p;
    const uint64_t *values = w->array[2].x;
    z[0].len = p->n;
    GFP_TRY(gfp_operation_array(op, &z[0].digits, p->n));
    GFP_TRY(gfp_geometric_solve(op, z[0].digits, values, p));
    return gfp_geometric_check(op, values, gfp_piece_series(z[0]), p);
}

gfp_status gfp_poly_interpolate_geometric(gfp_poly *f, const uint64_t *values,
                                          const uint64_t *start, const uint64_t *ratio, size_t n,
                                          const gfp_options *options)
{
    job w = {.call = {.name = "interpolation at a geometric progression",
                      .array = {{start, 1, "start"}, {ratio, 1, "ratio"}, {values, n, "values"}},
                      .arrays = 3,
                      .output = {f},
                      .outputs = 1,
                      .plan = plan_interpolation,
                      .compute = compute_interpolation},
             .p = {start, ratio, n}};
    return gfp_poly_call_run(&w.call, options);
}
