/* calls.c: systems of two polynomials over Z: storage, and the public call: special cases,
 * results, checks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/bivariate.h"
#include "modular/system/impl.h"

/* ---- storage ---- */

void gfp_zsystem_init(gfp_zsystem *s, gfp_zring *ring)
{
    *s = (gfp_zsystem){.ring = ring, .s = 1};
}

void gfp_zsystem_clear(gfp_zsystem *s)
{
    for (size_t i = 0; i < s->count; i++) {
        gfp_zsystem_part *part = &s->part[i];
        gfp_zvec_clear(&part->f);
        gfp_zvec_clear(&part->x);
        gfp_zvec_clear(&part->y);
        gfp_zvec_clear(&part->q);
    }
    gfp_release(&s->ring->allocator, s->part, s->count, sizeof *s->part);
    gfp_zsystem_init(s, s->ring);
}

void gfp_zsystem_swap(gfp_zsystem *a, gfp_zsystem *b)
{
    const gfp_zsystem t = *a;
    *a = *b;
    *b = t;
}

size_t gfp_zsystem_solutions(const gfp_zsystem *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        n += s->part[i].f.len - 1;
    }
    return n;
}

/* ---- from forms to results ---- */

/* Orders parts by multiplicity; the order of those with the same one stays. */
static void system_calls_sort(gfp_zsystem *s)
{
    for (size_t i = 1; i < s->count; i++) {
        const gfp_zsystem_part part = s->part[i];
        size_t j = i;
        for (; j > 0 && s->part[j - 1].multiplicity > part.multiplicity; j--) {
            s->part[j] = s->part[j - 1];
        }
        s->part[j] = part;
    }
}

static void count_degree(gfp_zsystem *s)
{
    s->degree = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->degree += s->part[i].multiplicity * (s->part[i].f.len - 1);
    }
}

/* s := the parts by the next form that separates the solutions; x and y are those of the form. */
static gfp_status solve_next(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared)
{
    GFP_TRY(gfp_zforms_solve(call, s, sheared));
    system_calls_sort(s);
    count_degree(s);
    return GFP_OK;
}

/* Names the form, and gives x and y their places. */
static void name_form(gfp_zsystem *s, const gfp_zsheared *sheared)
{
    s->s = sheared->exchanged ? sheared->t : 1;
    s->t = sheared->exchanged ? 1 : sheared->t;
    for (size_t i = 0; i < s->count && sheared->exchanged; i++) {
        gfp_zvec_swap(&s->part[i].x, &s->part[i].y);
    }
}

/* ---- the call ---- */

/* Whether both systems have as many solutions of each multiplicity. */
static bool same_numbers(const gfp_zsystem *a, const gfp_zsystem *b)
{
    bool same = a->degree == b->degree;
    for (size_t i = 0; i < a->count && same; i++) {
        const size_t multiplicity = a->part[i].multiplicity;
        size_t of_a = 0, of_b = 0;
        for (size_t j = 0; j < a->count; j++) {
            of_a += a->part[j].multiplicity == multiplicity ? a->part[j].f.len - 1 : 0;
        }
        for (size_t j = 0; j < b->count; j++) {
            of_b += b->part[j].multiplicity == multiplicity ? b->part[j].f.len - 1 : 0;
        }
        same = of_a == of_b;
    }
    return same;
}

static gfp_status system_calls_cross(gfp_zcall *call, const gfp_zsystem *s, gfp_zforms *forms)
{
    gfp_zsheared sheared;
    gfp_zsystem other;
    gfp_zsheared_init(&sheared, forms, call->ring);
    gfp_zsystem_init(&other, call->ring);
    gfp_status status = solve_next(call, &other, &sheared);
    if (status == GFP_OK && !same_numbers(s, &other)) {
        status = gfp_zcall_wrong(call);
    }
    gfp_zsystem_clear(&other);
    gfp_zsheared_clear(call, &sheared);
    call->base.report.verified = GFP_VERIFY_CROSS;
    call->base.report.cross_method = gfp_zmethod_names[GFP_Z_WORDS];
    return status;
}

static gfp_status solve_and_check(gfp_zcall *call, gfp_zsystem *made, gfp_zsheared *sheared)
{
    const gfp_verify verify = call->base.options->verify;
    GFP_TRY(solve_next(call, made, sheared));
    gfp_call_checks(&call->base);
    if (verify != GFP_VERIFY_NONE) {
        GFP_TRY(gfp_zsystem_check(call, made, sheared));
    }
    if (verify == GFP_VERIFY_CROSS) {
        GFP_TRY(system_calls_cross(call, made, sheared->forms));
    }
    name_form(made, sheared);
    return GFP_OK;
}

static gfp_status system_calls_solve(gfp_zcall *call, gfp_zsystem *made, const gfp_zbipoly *f,
                                     const gfp_zbipoly *g)
{
    gfp_zforms forms;
    gfp_zsheared sheared;
    gfp_zsheared_init(&sheared, &forms, call->ring);
    gfp_status status = gfp_zforms_begin(call, &forms, f, g);
    if (status == GFP_OK) {
        status = solve_and_check(call, made, &sheared);
    }
    gfp_zsheared_clear(call, &sheared);
    gfp_zforms_end(&forms);
    return status;
}

static gfp_status system_calls_compute(gfp_zcall *call, gfp_zsystem *made, const gfp_zbipoly *f,
                                       const gfp_zbipoly *g)
{
    call->base.report.method = gfp_zmethod_names[GFP_Z_WORDS];
    GFP_TRY(gfp_zcall_takes(call, 1U << GFP_Z_WORDS));
    if (f->len == 0 || g->len == 0) {
        (void)gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT, "%s: the %s polynomial is 0",
                            call->base.name, f->len == 0 ? "first" : "second");
        call->base.error.index = f->len == 0 ? 0 : 1;
        return GFP_ERR_ARGUMENT;
    }
    if (gfp_zbipoly_total_degree(f) > 0 && gfp_zbipoly_total_degree(g) > 0) {
        GFP_TRY(system_calls_solve(call, made, f, g));
    }
    return gfp_call_finish(&call->base);
}

/* The bytes of the copies of rows that have widths of their own, in one width. */
static size_t bytes_of_copy(const gfp_zbipoly *f)
{
    size_t bytes = 0;
    bool ragged = false;
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        const size_t limbs = gfp_size_mul_sat(row->len, gfp_z_width(gfp_zvec_bits(row)));
        bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(limbs, sizeof *row->limbs));
        ragged = ragged || row->width == 0;
    }
    return ragged ? bytes : 0;
}

/* The same for rows in any layout: changes of coordinates take one width. */
static gfp_status compute_flat(gfp_zcall *call, gfp_zsystem *made, const gfp_zbipoly *f,
                               const gfp_zbipoly *g)
{
    gfp_zbipoly copy[2];
    const gfp_zbipoly *x, *y;
    GFP_TRY(gfp_call_take(&call->base, gfp_size_add_sat(bytes_of_copy(f), bytes_of_copy(g))));
    gfp_zbipoly_init(&copy[0], call->ring);
    gfp_zbipoly_init(&copy[1], call->ring);
    gfp_status status = gfp_zbipoly_view(&x, &copy[0], f);
    if (status == GFP_OK) {
        status = gfp_zbipoly_view(&y, &copy[1], g);
    }
    if (status == GFP_OK) {
        status = system_calls_compute(call, made, x, y);
    }
    gfp_zbipoly_clear(&copy[0]);
    gfp_zbipoly_clear(&copy[1]);
    return status;
}

static gfp_status system_calls_run(gfp_zcall *call, gfp_zsystem *s, const gfp_zbipoly *f,
                                   const gfp_zbipoly *g)
{
    gfp_zring *const rings[] = {GFP_ZRING(s), GFP_ZRING(f), GFP_ZRING(g)};
    gfp_zsystem made;
    GFP_TRY(gfp_zcall_start(call, rings, 3));
    gfp_zcall_key(call, f->coeff, f->len);
    gfp_zcall_key(call, g->coeff, g->len);
    gfp_zsystem_init(&made, call->ring);
    const gfp_status status = compute_flat(call, &made, f, g);
    if (status == GFP_OK) {
        gfp_zsystem_swap(s, &made);
    }
    gfp_zsystem_clear(&made);
    return status;
}

gfp_status gfp_zsystem_solve(gfp_zsystem *s, const gfp_zbipoly *f, const gfp_zbipoly *g,
                             const gfp_options *options)
{
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "bivariate system over Z", options));
    return gfp_call_end(&call.base, system_calls_run(&call, s, f, g));
}
