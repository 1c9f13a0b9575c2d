/* identity.c: identities of polynomials, and their check: modulo a random polynomial (residues.c),
 * or at random points (values.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/support.h"
#include "product/verify/claim.h"

gfp_term *gfp_identity_add(gfp_identity *w, const uint64_t *a, size_t len_a, const uint64_t *b,
                           size_t len_b)
{
    GFP_CONTRACT(w->count < GFP_IDENTITY_TERMS);
    gfp_term *term = &w->term[w->count++];
    *term = (gfp_term){.product = gfp_range_whole(w->field, a, len_a, b, len_b)};
    return term;
}

static bool is_empty(const gfp_term *term)
{
    return term->product.len_a == 0 || term->product.len_b == 0;
}

size_t gfp_identity_length(const gfp_identity *w)
{
    size_t most = 0;
    for (size_t i = 0; i < w->count; i++) {
        const gfp_term *t = &w->term[i];
        const size_t length = is_empty(t) ? 0 : t->product.end - t->product.first + t->shift;
        most = length > most ? length : most;
    }
    return most;
}

uint64_t gfp_identity_wrong(const gfp_identity *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const gfp_range *p = &w->term[i].product;
        const size_t len_b = p->b != NULL ? p->len_b : 0;
        if (!w->term[i].result) {
            continue;
        }
        const size_t wrong_a = gfp_vec_canonical(w->field, p->a, p->len_a);
        const size_t wrong_b = gfp_vec_canonical(w->field, p->b, len_b);
        if (wrong_a < p->len_a || wrong_b < len_b) {
            return wrong_a < p->len_a ? wrong_a : wrong_b;
        }
    }
    return GFP_NO_INDEX;
}

/* ---- values at points ---- */

/* Adds the value of a term at d to the sum; false: cancelled. */
static bool add_value(const gfp_identity *w, uint64_t *sum, const gfp_term *t, uint64_t d,
                      gfp_task *task)
{
    const gfp_range *p = &t->product;
    const uint64_t shift = t->shift;
    uint64_t y[GFP_MAX_K], power[GFP_MAX_K];
    const bool going = p->b == NULL ? gfp_verify_evaluate(w->field, y, p->a, p->len_a, d, task)
                                    : gfp_verify_evaluate_range(y, p, d, task);
    if (shift > 0) {
        gfp_elem_set_u64(w->field, power, d);
        gfp_elem_pow(w->field, power, power, &shift, 1);
        gfp_elem_mul(w->field, y, y, power);
    }
    for (unsigned times = t->twice ? 2 : 1; times > 0; times--) {
        (t->minus ? gfp_elem_sub : gfp_elem_add)(w->field, sum, sum, y);
    }
    return going;
}

/* Whether the sum of all terms is 0 at d: OK, VERIFY or CANCELLED. */
static gfp_status check_at(const gfp_identity *w, uint64_t d, gfp_task *task)
{
    uint64_t sum[GFP_MAX_K];
    gfp_elem_zero(w->field, sum);
    for (size_t i = 0; i < w->count; i++) {
        if (!is_empty(&w->term[i]) && !add_value(w, sum, &w->term[i], d, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return gfp_elem_is_zero(w->field, sum) ? GFP_OK : GFP_ERR_VERIFY;
}

static double units_of(const gfp_identity *w)
{
    double units = 0;
    for (size_t i = 0; i < w->count; i++) {
        const gfp_range *p = &w->term[i].product;
        units += is_empty(&w->term[i]) ? 0
                 : p->b == NULL        ? (double)p->len_a
                                       : gfp_verify_range_units(p);
    }
    return units;
}

static gfp_status check_points(const gfp_identity *w, uint64_t seed, gfp_finding *finding,
                               gfp_task *task)
{
    const unsigned points = finding->points;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    finding->wrong = gfp_identity_wrong(w);
    gfp_status status = finding->wrong != GFP_NO_INDEX ? GFP_ERR_VERIFY : GFP_OK;
    gfp_verify_draw(w->field, d, points, seed);
    if (status == GFP_OK && !gfp_task_span(task, 1, points * units_of(w), gfp_field_k(w->field))) {
        return GFP_ERR_CANCELLED;
    }
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(w, d[i], task);
    }
    return status;
}

gfp_status gfp_verify_identity(const gfp_identity *w, uint64_t seed, gfp_finding *finding,
                               gfp_task *task, gfp_error *error)
{
    *finding = (gfp_finding){.wrong = GFP_NO_INDEX};
    finding->points = gfp_verify_points(w->field, gfp_identity_length(w), &finding->log2_error);
    if (finding->points == 0) {
        return GFP_ERR_UNAVAILABLE;
    }
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, error));
    }
    gfp_finding modulo;
    const gfp_status status = gfp_verify_residues(w, seed, &modulo, task);
    if (status != GFP_ERR_UNAVAILABLE) {
        *finding = modulo;
        return status;
    }
    gfp_task_again(task);
    return check_points(w, seed, finding, task);
}
