/* check.c: the check of a product at random points: each rank evaluates its blocks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/verify/claim.h"
#include "ranks/poly.h"

/* y := x(d). Not agreed. */
static gfp_status value_at(gfp_mpi_frame *f, uint64_t *y, const gfp_mpi_poly *x, uint64_t d)
{
    const gfp_field *field = f->mpi->field;
    const size_t count = gfp_mpi_poly_count(x);
    uint64_t mine[GFP_MAX_K], point[GFP_MAX_K];
    gfp_status status = GFP_OK;
    gfp_elem_zero(field, mine);
    if (count > 0 &&
        !gfp_verify_evaluate(field, mine, gfp_mpi_poly_mine(x), count, d, &f->call.task)) {
        status = GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_mpi_step(f, status));
    gfp_elem_set_u64(field, point, d);
    return gfp_mpi_join_values(y, x, point, mine);
}

/* Agrees on the seed: that of the options, or one of rank 0. */
static gfp_status agree_seed(gfp_mpi_frame *f, uint64_t *seed)
{
    gfp_status status = GFP_OK;
    *seed = f->call.options->verify_seed;
    if (*seed == 0) {
        if (f->mpi->rank == 0) {
            status = gfp_system_seed(seed, &f->call.error);
        }
        GFP_TRY(gfp_mpi_step(f, status));
        GFP_TRY(gfp_mpi_step(f, gfp_mpi_max(f->mpi, seed, 1)));
    }
    return GFP_OK;
}

static gfp_status compare_at(gfp_mpi_frame *f, const gfp_mpi_poly *const x[3], uint64_t d)
{
    uint64_t y[3][GFP_MAX_K];
    const gfp_field *field = f->mpi->field;
    for (int i = 0; i < 3; i++) {
        GFP_TRY(value_at(f, y[i], x[i], d));
    }
    gfp_elem_mul(field, y[1], y[1], y[2]);
    return gfp_elem_equal(field, y[0], y[1])
               ? GFP_OK
               : gfp_error_set(&f->call.error, GFP_ERR_VERIFY,
                               "the product and its operands differ at a random point");
}

gfp_status gfp_mpi_check_product(gfp_mpi_frame *frame, const gfp_mpi_poly *c, const gfp_mpi_poly *a,
                                 const gfp_mpi_poly *b)
{
    const gfp_field *field = frame->mpi->field;
    const gfp_mpi_poly *const x[3] = {c, a, b};
    gfp_report *report = &frame->call.report;
    uint64_t d[GFP_VERIFY_MAX_POINTS], seed;
    int log2_error = 0;
    /* Not 0: the call has refused fields that need too many. */
    const unsigned points = gfp_verify_points(field, c->deal.n, &log2_error);
    GFP_TRY(agree_seed(frame, &seed));
    gfp_call_checks(&frame->call);
    gfp_verify_draw(field, d, points, seed);
    const double units = (double)gfp_mpi_poly_count(a) + (double)gfp_mpi_poly_count(b) +
                         (double)gfp_mpi_poly_count(c);
    gfp_status status = gfp_task_span(&frame->call.task, 1, points * units, gfp_field_k(field))
                            ? GFP_OK
                            : GFP_ERR_CANCELLED;
    status = gfp_mpi_step(frame, status);
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        report->points = i + 1;
        status = gfp_mpi_step(frame, compare_at(frame, x, d[i]));
    }
    report->verified = GFP_VERIFY_POINT;
    report->log2_error = log2_error;
    gfp_call_checked(&frame->call);
    return status;
}
