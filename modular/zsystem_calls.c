/* zsystem_calls.c: systems of two polynomials over Z: storage, and the public call: special cases,
 * linear forms one after the other, checks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zsystem.h"

/* ---- storage ---- */

void gfp_zsystem_init(gfp_zsystem *s, gfp_zring *ring)
{
    *s = (gfp_zsystem){.ring = ring};
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

/* ---- one linear form ---- */

static void clear_sheared(gfp_zsheared *sheared)
{
    gfp_zbipoly_clear(&sheared->a);
    gfp_zbipoly_clear(&sheared->b);
    gfp_zvec_clear(&sheared->content);
}

/* *full := whether both degrees in Y are the total degrees. */
static gfp_status shear(gfp_zcall *call, gfp_zsheared *sheared, const gfp_zbipoly *f,
                        const gfp_zbipoly *g, int64_t t, bool *full)
{
    const ptrdiff_t m = gfp_zbipoly_total_degree(f), n = gfp_zbipoly_total_degree(g);
    sheared->t = t;
    GFP_TRY(gfp_zbipoly_shear(call, &sheared->a, m >= n ? f : g, t));
    GFP_TRY(gfp_zbipoly_shear(call, &sheared->b, m >= n ? g : f, t));
    *full = gfp_zbipoly_degree_y(&sheared->a) == (m >= n ? m : n) &&
            gfp_zbipoly_degree_y(&sheared->b) == (m >= n ? n : m);
    return GFP_OK;
}

/* Orders parts by multiplicity; the order of those with the same one stays. */
static void sort(gfp_zsystem *s)
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

/* s := the parts by the first form from number *form on that separates the solutions; *form := the
 * next number. The forms have t = 0, 1, -1, 2, ...; at most m + n of them leave a degree in Y below
 * a total degree, and at most (m n)^2 / 2 others do not separate. */
static gfp_status by_forms(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared,
                           const gfp_zbipoly *f, const gfp_zbipoly *g, size_t *form)
{
    const double from = call->task.to, end = from + (1 - from) / 2;
    bool done = false;
    while (!done) {
        const size_t i = (*form)++;
        const int64_t t = i % 2 == 1 ? (int64_t)(i / 2 + 1) : -(int64_t)(i / 2);
        GFP_TRY(gfp_zcall_step(call, call->task.to, 1, 1));
        GFP_TRY(shear(call, sheared, f, g, t, &done));
        if (done) {
            const double to = call->task.to + (end - call->task.to) * 0.8;
            gfp_zsystem_clear(s);
            s->t = t;
            GFP_TRY(gfp_zsystem_decompose(call, s, sheared, &done, to));
        }
    }
    sort(s);
    count_degree(s);
    return GFP_OK;
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

static gfp_status cross(gfp_zcall *call, const gfp_zsystem *s, const gfp_zbipoly *f,
                        const gfp_zbipoly *g, size_t form)
{
    gfp_zsheared sheared = {.t = 0};
    gfp_zsystem other;
    gfp_zbipoly_init(&sheared.a, call->ring);
    gfp_zbipoly_init(&sheared.b, call->ring);
    gfp_zvec_init(&sheared.content, call->ring);
    gfp_zsystem_init(&other, call->ring);
    gfp_status status = by_forms(call, &other, &sheared, f, g, &form);
    if (status == GFP_OK && !same_numbers(s, &other)) {
        status = gfp_zcall_wrong(call);
    }
    gfp_zsystem_clear(&other);
    clear_sheared(&sheared);
    call->report.verified = GFP_VERIFY_CROSS;
    call->report.cross_method = gfp_zmethod_names[GFP_Z_WORDS];
    return status;
}

static gfp_status solve(gfp_zcall *call, gfp_zsystem *made, gfp_zsheared *sheared,
                        const gfp_zbipoly *f, const gfp_zbipoly *g)
{
    const gfp_verify verify = call->options->verify;
    size_t form = 0;
    GFP_TRY(by_forms(call, made, sheared, f, g, &form));
    gfp_zcall_checks(call);
    if (verify != GFP_VERIFY_NONE) {
        GFP_TRY(gfp_zsystem_check(call, made, sheared, f, g));
    }
    return verify == GFP_VERIFY_CROSS ? cross(call, made, f, g, form) : GFP_OK;
}

static gfp_status compute(gfp_zcall *call, gfp_zsystem *made, gfp_zsheared *sheared,
                          const gfp_zbipoly *f, const gfp_zbipoly *g)
{
    call->report.method = gfp_zmethod_names[GFP_Z_WORDS];
    GFP_TRY(gfp_zcall_takes(call, 1U << GFP_Z_WORDS));
    if (f->len == 0 || g->len == 0) {
        (void)gfp_error_set(&call->error, GFP_ERR_ARGUMENT, "%s: the %s polynomial is 0",
                            call->name, f->len == 0 ? "first" : "second");
        call->error.index = f->len == 0 ? 0 : 1;
        return GFP_ERR_ARGUMENT;
    }
    if (gfp_zbipoly_total_degree(f) > 0 && gfp_zbipoly_total_degree(g) > 0) {
        GFP_TRY(solve(call, made, sheared, f, g));
    }
    return gfp_zcall_finish(call);
}

gfp_status gfp_zsystem_solve(gfp_zsystem *s, const gfp_zbipoly *f, const gfp_zbipoly *g,
                             const gfp_options *options)
{
    static const char name[] = "bivariate system over Z";
    gfp_options copy;
    gfp_zcall call;
    gfp_zsystem made;
    gfp_zsheared sheared = {.t = 0};
    GFP_TRY(gfp_options_read(&options, &copy));
    if (s == NULL || f == NULL || g == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no polynomial", name);
    }
    if (s->ring != f->ring || s->ring != g->ring) {
        return gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                             "%s: polynomials over different rings", name);
    }
    GFP_TRY(gfp_zcall_begin(&call, name, s->ring, options));
    gfp_zsystem_init(&made, s->ring);
    gfp_zbipoly_init(&sheared.a, s->ring);
    gfp_zbipoly_init(&sheared.b, s->ring);
    gfp_zvec_init(&sheared.content, s->ring);
    const gfp_status status = compute(&call, &made, &sheared, f, g);
    if (status == GFP_OK) {
        gfp_zsystem_swap(s, &made);
    }
    gfp_zsystem_clear(&made);
    clear_sheared(&sheared);
    return gfp_zcall_end(&call, status);
}
