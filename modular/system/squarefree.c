/* squarefree.c: the factors of a polynomial over Z by the multiplicity of its roots.
 *
 * D. Y. Y. Yun, On square-free decomposition algorithms (SYMSAC 1976): with g = gcd(f, f'), b = f /
 * g and c = f' / g, the factor of multiplicity i = 1, 2, ... is a = gcd(b, c - b'); then b := b /
 * a, c := (c - b') / a. b is primitive, and so are all factors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/system/impl.h"

typedef struct work {
    gfp_zcall *call;
    gfp_ztemp a, b, c, d;
} work;

static gfp_status squarefree_count(work *w)
{
    GFP_TRY(gfp_ztemp_count(w->call, &w->a));
    GFP_TRY(gfp_ztemp_count(w->call, &w->b));
    GFP_TRY(gfp_ztemp_count(w->call, &w->c));
    return gfp_ztemp_count(w->call, &w->d);
}

/* d := c - b'. */
static gfp_status squarefree_next(work *w)
{
    GFP_TRY(gfp_zvec_derivative(&w->d.v, &w->b.v));
    GFP_TRY(gfp_zvec_combine(&w->d.v, 1, &w->c.v, 0, -1, &w->d.v));
    return squarefree_count(w);
}

/* a := gcd(x, y), b := x / a, c := y / a; the step ends at `to`. */
static gfp_status squarefree_divide(work *w, const gfp_zvec *x, const gfp_zvec *y, double to)
{
    GFP_TRY(gfp_zcall_step(w->call, to, 1, 1));
    const gfp_options inside = gfp_zcall_inside(w->call);
    GFP_TRY(gfp_call_inner(&w->call->base,
                           gfp_zvec_gcd_cofactors(&w->a.v, &w->b.v, &w->c.v, x, y, &inside)));
    return squarefree_count(w);
}

static gfp_status squarefree_decompose(work *w, gfp_zsystem *s, const gfp_zvec *f, double to)
{
    const double from = w->call->base.task.to;
    GFP_TRY(gfp_zvec_derivative(&w->d.v, f));
    GFP_TRY(squarefree_divide(w, f, &w->d.v, from + (to - from) / 2));
    for (size_t i = 1; w->b.v.len > 1; i++) {
        gfp_zsystem_part *part;
        GFP_TRY(squarefree_next(w));
        GFP_TRY(squarefree_divide(w, &w->b.v, &w->d.v, (w->call->base.task.to + to) / 2));
        if (w->a.v.len > 1) {
            GFP_TRY(gfp_zsystem_append(s, i, &part));
            gfp_zvec_swap(&part->f, &w->a.v);
            GFP_TRY(squarefree_count(w));
        }
    }
    return GFP_OK;
}

gfp_status gfp_zsquarefree(gfp_zcall *call, gfp_zsystem *s, const gfp_zvec *f, double to)
{
    work w = {.call = call};
    gfp_ztemp *const all[] = {&w.a, &w.b, &w.c, &w.d};
    for (size_t i = 0; i < 4; i++) {
        gfp_ztemp_init(call, all[i]);
    }
    const gfp_status status = squarefree_decompose(&w, s, f, to);
    for (size_t i = 0; i < 4; i++) {
        gfp_ztemp_clear(call, all[i]);
    }
    return status;
}
