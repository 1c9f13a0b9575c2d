/* solve.c: from two polynomials in two variables to the parts of their rational univariate form.
 *
 * After the substitution X := T - t Y, or Y := T - t X with the names X and Y exchanged, a and b
 * have degrees m >= n in Y, and one of them a constant leading coefficient there. Then
 *  - the resultant R(T) is 0 if and only if a and b have a common factor of positive degree,
 *  - the multiplicity of a root c of R is the sum of those of the solutions with T = c,
 *  - the greatest common divisor of a(c, Y) and b(c, Y) is the first subresultant S_k, k = 1, 2,
 * ..., whose leading coefficient s_k does not vanish at c; S_n is b, and S_m is a, which is the
 * divisor where b vanishes for all Y. R is cut by multiplicities, and factors of multiplicity m > 1
 * into roots with k = 1, 2, ... by greatest common divisors with s_k. A simple root has k = 1. T
 * separates the solutions if and only if S_k is s_k (Y - y)^k at all these roots. With S_k = sum
 * s_j Y^j that is (k - j) k s_k s_j = (j + 1) s_(k - 1) s_(j + 1) modulo the factor, j = 0, ..., k
 * - 2, and y = -s_(k - 1) / (k s_k).
 *
 * Sources: docs/design/systems.md.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/zvec_gmp.h"
#include "modular/points/resultant.h"
#include "modular/scalar.h"
#include "modular/system/impl.h"

/* ---- lists of parts ---- */

gfp_status gfp_zsystem_append(gfp_zsystem *s, size_t multiplicity, gfp_zsystem_part **part)
{
    const gfp_allocator *allocator = &s->ring->allocator;
    gfp_zsystem_part *fresh = gfp_allocate(allocator, s->count + 1, sizeof *fresh);
    if (fresh == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (s->count > 0) {
        memcpy(fresh, s->part, s->count * sizeof *fresh);
    }
    gfp_release(allocator, s->part, s->count, sizeof *fresh);
    s->part = fresh;
    *part = &fresh[s->count++];
    (*part)->multiplicity = multiplicity;
    gfp_zvec *const all[] = {&(*part)->f, &(*part)->x, &(*part)->y, &(*part)->q};
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_init(all[i], s->ring);
    }
    return GFP_OK;
}

/* ---- one decomposition ---- */

typedef struct solver {
    gfp_zcall *call;
    gfp_zsheared *sheared;
    gfp_zsystem *s;    /* the parts that are known */
    gfp_zsystem roots; /* parts by multiplicity: f has the roots of which k is not known */
    gfp_ztemp sub[2];  /* s_j and s_(j + 1), or s_k and s_(k - 1) */
    gfp_ztemp g, u, v;
    size_t k;
    const gfp_zbipoly *whole; /* a or b, for their degrees */
    const uint64_t *limbs;    /* of the subresultant for other k */
    size_t len, width;
    bool separates;
    double to; /* the fraction of the call for this index */
} solver;

static gfp_status solve_count(solver *w)
{
    gfp_ztemp *const all[] = {&w->sub[0], &w->sub[1], &w->g, &w->u, &w->v};
    for (size_t i = 0; i < 5; i++) {
        GFP_TRY(gfp_ztemp_count(w->call, all[i]));
    }
    return GFP_OK;
}

/* Begins a step that is a call inside. */
static gfp_status begin_inside(solver *w, gfp_options *inside)
{
    GFP_TRY(gfp_zcall_step(w->call, (w->call->base.task.to + w->to) / 2, 1, 1));
    *inside = gfp_zcall_inside(w->call);
    return GFP_OK;
}

/* r, in an array of the call, := the resultant, or the subresultant of index k. */
static gfp_status solve_subresultant(gfp_zcall *call, const gfp_zsheared *sheared,
                                     gfp_zbipair *pair, uint64_t **r, double to)
{
    pair->a = &sheared->a;
    pair->b = &sheared->b;
    GFP_TRY(gfp_zbiresultant_bounds(call, pair));
    if (pair->index == 0) {
        pair->degree = gfp_size_min(pair->degree, sheared->forms->degree);
    }
    const size_t len = gfp_size_mul_sat(pair->degree + 1, pair->index + 1);
    GFP_TRY(gfp_call_array(&call->base, r, gfp_size_mul_sat(len, gfp_z_width(pair->bits))));
    return gfp_zbiresultant_words(call, *r, pair, 0, to);
}

static gfp_status solve_infinite(gfp_zcall *call)
{
    return gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT,
                         "%s: the polynomials have a common factor: infinitely many solutions",
                         call->base.name);
}

/* f := the polynomial without its content; w->sheared->content := the content with the sign. */
static gfp_status split_content(solver *w, gfp_ztemp *f)
{
    static uint64_t one[] = {1};
    uint64_t *r;
    gfp_znat content;
    gfp_zvec primitive;
    gfp_zpoly z;
    GFP_TRY(gfp_zpoly_flat_of(w->call, &z, &f->v));
    const bool negative = gfp_zpoly_is_negative(z);
    GFP_TRY(gfp_zcontent(w->call, &content, z));
    GFP_TRY(gfp_zdivide_exact(w->call, &z, z, content));
    GFP_TRY(gfp_zscale(w->call, &z, z, (gfp_znat){one, 1}, negative));
    GFP_TRY(gfp_call_array(&w->call->base, &r, content.n + 1));
    gfp_z_put(r, content.n + 1, content.limbs, content.n, negative);
    GFP_TRY(gfp_zvec_set_polynomial(&w->sheared->content, r, 1, content.n + 1));
    gfp_zvec_init(&primitive, w->call->ring);
    GFP_TRY(gfp_zvec_set_polynomial(&primitive, z.limbs, z.len, z.width));
    gfp_zvec_swap(&f->v, &primitive);
    gfp_zvec_clear(&primitive);
    return GFP_OK;
}

/* w->sheared->content := its power. */
static gfp_status raise_content(solver *w, size_t exponent)
{
    mpz_t z;
    const size_t bits = gfp_size_mul_sat(gfp_zvec_bits(&w->sheared->content), exponent);
    GFP_TRY(gfp_call_take(&w->call->base, bits / 8));
    mpz_init(z);
    gfp_zvec_get_mpz(z, &w->sheared->content);
    mpz_pow_ui(z, z, (unsigned long)exponent);
    const gfp_status status = gfp_zvec_set_mpz(&w->sheared->content, z, 1);
    mpz_clear(z);
    gfp_call_give(&w->call->base, bits / 8);
    return status;
}

/* f := the resultant without its content, which goes to w->sheared, or b if the resultant is a
 * power of b; *exponent: that of the power. */
static gfp_status make_resultant(solver *w, gfp_ztemp *f, size_t *exponent, double to)
{
    gfp_zbipair pair = {.index = 0};
    uint64_t *r;
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    *exponent = 1;
    if (w->sheared->b.len == 1) {
        *exponent = w->sheared->a.len - 1;
        GFP_TRY(gfp_zvec_set(&f->v, &w->sheared->b.coeff[0]));
    } else {
        GFP_TRY(solve_subresultant(w->call, w->sheared, &pair, &r, to));
        GFP_TRY(gfp_zvec_set_polynomial(&f->v, r, pair.degree + 1, gfp_z_width(pair.bits)));
    }
    if (f->v.len == 0) {
        return solve_infinite(w->call);
    }
    w->sheared->forms->degree = (f->v.len - 1) * *exponent;
    GFP_TRY(split_content(w, f));
    if (*exponent > 1) {
        GFP_TRY(raise_content(w, *exponent));
    }
    gfp_call_release(&w->call->base, mark);
    return gfp_ztemp_count(w->call, f);
}

static gfp_status make_roots(solver *w, double to)
{
    gfp_ztemp f;
    size_t exponent;
    const double from = w->call->base.task.to;
    gfp_ztemp_init(w->call, &f);
    gfp_status status = make_resultant(w, &f, &exponent, from + 0.6 * (to - from));
    if (status == GFP_OK && f.v.len > 1) {
        status = gfp_zsquarefree(w->call, &w->roots, &f.v, to);
    }
    for (size_t i = 0; i < w->roots.count; i++) {
        w->roots.part[i].multiplicity *= exponent;
    }
    gfp_ztemp_clear(w->call, &f);
    return status;
}

/* Whether fewer values of T than solutions are known. */
static gfp_status check_solution_count(solver *w)
{
    size_t values = 0;
    for (size_t i = 0; i < w->roots.count; i++) {
        values += w->roots.part[i].f.len - 1;
    }
    if (values < w->sheared->forms->degree) {
        GFP_TRY(gfp_zforms_bound_solutions(w->call, w->sheared->forms));
        w->separates = values >= w->sheared->forms->least;
    }
    return GFP_OK;
}

/* ---- one index ---- */

/* z := s_j. */
static gfp_status solve_coefficient(solver *w, gfp_ztemp *z, size_t j)
{
    if (w->limbs == NULL) {
        GFP_TRY(gfp_zvec_set(&z->v, &w->whole->coeff[j]));
    } else {
        GFP_TRY(gfp_zvec_set_polynomial(&z->v, w->limbs + j * w->len * w->width, w->len, w->width));
    }
    return solve_count(w);
}

/* *divides := whether f, which is primitive, divides g. */
static gfp_status solve_divides(solver *w, bool *yes, const gfp_zvec *f)
{
    gfp_options inside;
    GFP_TRY(begin_inside(w, &inside));
    GFP_TRY(gfp_call_inner(&w->call->base, gfp_zvec_gcd(&w->u.v, &w->g.v, f, &inside)));
    *yes = gfp_zvec_equal(&w->u.v, f);
    return solve_count(w);
}

/* z := c x y. */
static gfp_status solve_product(solver *w, gfp_ztemp *z, size_t c, const gfp_zvec *x,
                                const gfp_zvec *y)
{
    gfp_options inside;
    GFP_TRY(begin_inside(w, &inside));
    GFP_TRY(gfp_call_inner(&w->call->base, gfp_zvec_mul(&z->v, x, y, &inside)));
    GFP_TRY(gfp_zvec_flatten(&z->v));
    GFP_TRY(gfp_zvec_combine(&z->v, (int64_t)c, &z->v, 0, 0, &z->v));
    return solve_count(w);
}

/* Whether S_k is a power at the roots of f. */
static gfp_status test_power(solver *w, const gfp_zvec *f)
{
    const size_t k = w->k;
    gfp_ztemp top[2];
    gfp_status status = GFP_OK;
    for (size_t i = 0; i < 2; i++) {
        gfp_ztemp_init(w->call, &top[i]);
    }
    for (size_t i = 0; i < 2 && status == GFP_OK; i++) {
        status = solve_coefficient(w, &top[i], k - i);
    }
    for (size_t j = 0; j + 1 < k && status == GFP_OK && w->separates; j++) {
        status = solve_coefficient(w, &w->sub[0], j);
        status = status == GFP_OK ? solve_coefficient(w, &w->sub[1], j + 1) : status;
        status = status == GFP_OK ? solve_product(w, &w->g, (k - j) * k, &top[0].v, &w->sub[0].v)
                                  : status;
        status =
            status == GFP_OK ? solve_product(w, &w->v, j + 1, &top[1].v, &w->sub[1].v) : status;
        status = status == GFP_OK ? gfp_zvec_combine(&w->g.v, 1, &w->g.v, 0, -1, &w->v.v) : status;
        status = status == GFP_OK ? solve_divides(w, &w->separates, f) : status;
    }
    for (size_t i = 0; i < 2; i++) {
        gfp_ztemp_clear(w->call, &top[i]);
    }
    return status;
}

/* q := k s_k, y := -s_(k - 1), x := T q - t y, or shorter functions. */
static gfp_status solve_parametrise(solver *w, gfp_zsystem_part *part)
{
    GFP_TRY(solve_coefficient(w, &w->sub[0], w->k));
    GFP_TRY(solve_coefficient(w, &w->sub[1], w->k - 1));
    GFP_TRY(gfp_zvec_combine(&part->q, (int64_t)w->k, &w->sub[0].v, 0, 0, &part->q));
    GFP_TRY(gfp_zvec_combine(&part->y, -1, &w->sub[1].v, 0, 0, &part->y));
    GFP_TRY(gfp_zvec_combine(&part->x, 1, &part->q, 1, -w->sheared->t, &part->y));
    return gfp_zsystem_shorten(w->call, part, w->sheared, w->to);
}

/* The roots in `found` have the index k. */
static gfp_status add_part(solver *w, gfp_ztemp *found, size_t multiplicity)
{
    gfp_zsystem_part *part;
    if (w->k > 1) {
        GFP_TRY(test_power(w, &found->v));
        if (!w->separates) {
            return GFP_OK;
        }
    }
    GFP_TRY(gfp_zsystem_append(w->s, multiplicity, &part));
    gfp_zvec_swap(&part->f, &found->v);
    GFP_TRY(solve_count(w));
    return solve_parametrise(w, part);
}

/* Takes the roots of index k from those of one multiplicity. */
static gfp_status take_roots(solver *w, gfp_zsystem_part *roots)
{
    gfp_ztemp found;
    gfp_options inside;
    gfp_status status;
    gfp_ztemp_init(w->call, &found);
    const bool last = w->limbs == NULL && gfp_zbipoly_is_monic(w->whole);
    if (last || roots->multiplicity == 1) { /* all of them */
        gfp_zvec_swap(&found.v, &roots->f);
        status = GFP_OK;
    } else {
        status = solve_coefficient(w, &w->sub[0], w->k);
        status = status == GFP_OK ? begin_inside(w, &inside) : status;
        if (status == GFP_OK) {
            status = gfp_zvec_gcd_cofactors(&w->g.v, &found.v, &w->u.v, &roots->f, &w->sub[0].v,
                                            &inside);
            (void)gfp_call_inner(&w->call->base, status);
        }
        if (status == GFP_OK) {
            gfp_zvec_swap(&roots->f, &w->g.v);
            status = solve_count(w);
        }
    }
    if (status == GFP_OK && found.v.len > 1) {
        status = gfp_ztemp_count(w->call, &found);
        status = status == GFP_OK ? add_part(w, &found, roots->multiplicity) : status;
    }
    gfp_ztemp_clear(w->call, &found);
    return status;
}

static bool roots_are_left(const solver *w)
{
    for (size_t i = 0; i < w->roots.count; i++) {
        if (w->roots.part[i].f.len > 1) {
            return true;
        }
    }
    return false;
}

static gfp_status one_index(solver *w)
{
    gfp_zbipair pair = {.index = w->k};
    uint64_t *r;
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    w->limbs = NULL;
    w->whole = w->k + 1 == w->sheared->b.len ? &w->sheared->b : &w->sheared->a;
    if (w->k + 1 < w->sheared->b.len) {
        GFP_TRY(solve_subresultant(w->call, w->sheared, &pair, &r,
                                   (w->call->base.task.to + w->to) / 2));
        w->limbs = r;
        w->len = pair.degree + 1;
        w->width = gfp_z_width(pair.bits);
    }
    for (size_t i = 0; i < w->roots.count && w->separates; i++) {
        if (w->roots.part[i].f.len > 1) {
            GFP_TRY(take_roots(w, &w->roots.part[i]));
        }
    }
    gfp_call_release(&w->call->base, mark);
    return GFP_OK;
}

/* ---- all ---- */

static gfp_status solve_decompose(solver *w, double to)
{
    const double from = w->call->base.task.to;
    const size_t m = w->sheared->a.len - 1, n = w->sheared->b.len - 1;
    GFP_TRY(make_roots(w, from + (to - from) / 2));
    GFP_TRY(check_solution_count(w));
    w->k = n == 0 ? m : 1;
    while (w->separates && roots_are_left(w)) {
        w->to = (w->call->base.task.to + to) / 2;
        GFP_TRY(one_index(w));
        w->k = w->k == n ? m : w->k + 1;
    }
    return GFP_OK;
}

gfp_status gfp_zsystem_decompose(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared,
                                 bool *separates, double to)
{
    solver w = {.call = call, .sheared = sheared, .s = s, .separates = true};
    gfp_ztemp *const all[] = {&w.sub[0], &w.sub[1], &w.g, &w.u, &w.v};
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    gfp_zsystem_init(&w.roots, call->ring);
    for (size_t i = 0; i < 5; i++) {
        gfp_ztemp_init(call, all[i]);
    }
    const gfp_status status = solve_decompose(&w, to);
    for (size_t i = 0; i < 5; i++) {
        gfp_ztemp_clear(call, all[i]);
    }
    gfp_zsystem_clear(&w.roots);
    gfp_call_release(&call->base, mark);
    *separates = w.separates;
    return status;
}
