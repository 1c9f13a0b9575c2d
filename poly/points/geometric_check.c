/* geometric_check.c: the check of values at a geometric progression, and of interpolations there.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/geometric.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/points/tree.h"
#include "product/verify/claim.h"

/* z_j := x - q^j for j < len. */
static gfp_status geometric_check_differences(gfp_operation_call *op, uint64_t *z, size_t len,
                                              const uint64_t *x, const uint64_t *q)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    GFP_TRY(gfp_sequence_powers(op, z, len, q));
    for (size_t j = 0; j < len; j++) {
        gfp_elem_sub(field, z + j * k, x, z + j * k);
    }
    return GFP_OK;
}

/* z_j := 1 / (e - q^j), e = 1 / *d, for the first *d > 0 from the given one on for which none of e
 * - q^j is 0. */
static gfp_status geometric_check_reciprocals(gfp_operation_call *op, uint64_t *z, size_t len,
                                              uint64_t *d, uint64_t *e, const uint64_t *q)
{
    const uint64_t r = gfp_field_r(op->field);
    const uint64_t most = r < (uint64_t)1 << 60 ? r : (uint64_t)1 << 60;
    gfp_status status = GFP_ERR_NOT_INVERTIBLE;
    *d = *d > 0 ? *d : 1;
    while (status == GFP_ERR_NOT_INVERTIBLE) {
        size_t zero;
        gfp_elem_set_u64(op->field, e, *d);
        GFP_TRY(gfp_elem_inv(op->field, e, e));
        GFP_TRY(geometric_check_differences(op, z, len, e, q));
        status = gfp_sequence_invert(op, z, z, len, &zero);
        if (status == GFP_ERR_NOT_INVERTIBLE) {
            *d = *d + 1 < most ? *d + 1 : 1;
        }
    }
    return status;
}

/* The sum over i of d^i values_i is that over j of f_j s^j (1 - (d q^j)^n) / (1 - d q^j), which is
 * d^(n-1) times that of f_j s^j (e^n - q^(n j)) / (e - q^j), e = 1 / d. */
static gfp_status check_at(gfp_operation_call *op, const uint64_t *values, gfp_series f,
                           const gfp_progression *p, uint64_t d)
{
    const gfp_field *field = op->field;
    const uint64_t n = p->n, less = n - 1;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], e[GFP_MAX_K], power[GFP_MAX_K], *z, *numerator;
    GFP_TRY(gfp_operation_array(op, &z, f.len));
    GFP_TRY(gfp_operation_array(op, &numerator, f.len));
    GFP_TRY(geometric_check_reciprocals(op, z, f.len, &d, e, p->ratio));
    gfp_elem_pow(field, power, p->ratio, &n, 1);
    gfp_elem_pow(field, e, e, &n, 1);
    GFP_TRY(geometric_check_differences(op, numerator, f.len, e, power));
    GFP_TRY(gfp_sequence_times(op, z, numerator, f.len));
    GFP_TRY(gfp_sequence_times_powers(op, z, f.len, p->start));
    gfp_vec_dot(field, x, f.digits, z, f.len);
    gfp_elem_set_u64(field, power, d);
    gfp_elem_pow(field, power, power, &less, 1);
    gfp_elem_mul(field, x, x, power);
    if (!gfp_verify_evaluate(field, y, values, p->n, d, &op->base.task)) {
        return GFP_ERR_CANCELLED;
    }
    return gfp_elem_equal(field, x, y) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static gfp_status check_again(gfp_operation_call *op, const uint64_t *values, gfp_series f,
                              const gfp_progression *p)
{
    uint64_t *points;
    GFP_TRY(gfp_operation_array(op, &points, p->n));
    GFP_TRY(gfp_geometric_points(op, points, p));
    GFP_TRY(
        gfp_operation_step(op, 0, (double)p->n * (double)f.len, gfp_task_product_cost(op->field)));
    return gfp_classical_check(op, f, points, values, p->n);
}

static gfp_status check_geometric(gfp_operation_call *op, const uint64_t *values, gfp_series f,
                                  const gfp_progression *p)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    const size_t wrong = gfp_vec_canonical(op->field, values, p->n);
    const size_t wrong_f = gfp_vec_canonical(op->field, f.digits, f.len);
    if (wrong < p->n || wrong_f < f.len) {
        return gfp_operation_wrong(op, wrong < p->n ? wrong : wrong_f);
    }
    GFP_TRY(gfp_operation_check_begin(op, gfp_size_mul_sat(2, gfp_size_add_sat(p->n, f.len)),
                                      &count, d, (double)p->n, (double)gfp_field_k(op->field)));
    if (count == 0) {
        return check_again(op, values, f, p);
    }
    for (unsigned i = 0; i < count; i++) {
        GFP_TRY(check_at(op, values, f, p, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_geometric_check(gfp_operation_call *op, const uint64_t *values, gfp_series f,
                               const gfp_progression *p)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = check_geometric(op, values, f, p);
    gfp_operation_release(op, mark);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}
