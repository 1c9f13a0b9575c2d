/* forms.c: linear forms T of a system, one after the other, until one separates the
 * solutions: X and Y, then X + t Y or Y + t X for t = 1, -1, 2, ...
 *
 * A form serves if one of the polynomials has a constant leading coefficient in the variable that
 * is eliminated (solve.c): for t = 0 that depends on the polynomials, for other t it fails for at
 * most as many t as the total degree. The values modulo a prime of any form at the solutions are at
 * most as many as the solutions: a form that has fewer values than another one is left out. Since
 * these numbers depend on t modulo the prime, forms with the greatest one come again and again.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/system/word_poly.h"
#include "modular/points/resultant.h"
#include "modular/system/impl.h"
#include "modular/bivariate.h"

/* A form X + t Y that separates most systems. */
#define LARGE_SLOPE 1021

/* ---- the forms of a system ---- */

static size_t total_degree(const gfp_zbipoly *f)
{
    return (size_t)gfp_zbipoly_total_degree(f);
}

/* A bound of the resultant's degree after the substitution X := T - t Y. */
static double degree_bound(const gfp_zbipoly *f, const gfp_zbipoly *g)
{
    const double m = (double)total_degree(f), n = (double)total_degree(g);
    const double of_f = (double)gfp_zbipoly_len_x(f) - 1, of_g = (double)gfp_zbipoly_len_x(g) - 1;
    return n * of_f + m * of_g < m * n ? n * of_f + m * of_g : m * n;
}

static size_t bytes_of(const gfp_zbipoly *f)
{
    size_t bytes = f->capacity * sizeof *f->coeff;
    for (size_t j = 0; j < f->capacity; j++) {
        bytes += f->coeff[j].alloc * sizeof *f->coeff[j].limbs;
    }
    return bytes;
}

gfp_status gfp_zforms_begin(gfp_zcall *call, gfp_zforms *forms, const gfp_zbipoly *f,
                            const gfp_zbipoly *g)
{
    *forms = (gfp_zforms){.system = {f, g}, .degree = SIZE_MAX};
    gfp_zbipoly *other = forms->other;
    for (size_t i = 0; i < 2; i++) {
        gfp_zbipoly_init(&other[i], call->ring);
    }
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(gfp_zbipoly_exchange(call, &other[i], forms->system[i]));
        GFP_TRY(gfp_call_take(&call->base, bytes_of(&other[i])));
    }
    forms->exchange = degree_bound(&other[0], &other[1]) < degree_bound(f, g);
    /* Images take time for each product of degrees in the variable that is eliminated. */
    forms->y_first = ((double)other[0].len - 1) * ((double)other[1].len - 1) <
                     ((double)f->len - 1) * ((double)g->len - 1);
    return GFP_OK;
}

void gfp_zforms_end(gfp_zforms *forms)
{
    for (size_t i = 0; i < 2; i++) {
        gfp_zbipoly_clear(&forms->other[i]);
    }
}

/* Form number i. */
static int64_t slope_of(const gfp_zforms *forms, size_t i, bool *exchanged)
{
    if (i < 2) {
        *exchanged = (i == 1) != forms->y_first;
        return 0;
    }
    *exchanged = forms->exchange;
    return i % 2 == 0 ? (int64_t)(i / 2) : -(int64_t)(i / 2);
}

/* ---- one form ---- */

void gfp_zsheared_init(gfp_zsheared *sheared, gfp_zforms *forms, gfp_zring *ring)
{
    *sheared = (gfp_zsheared){.forms = forms};
    gfp_zbipoly_init(&sheared->a, ring);
    gfp_zbipoly_init(&sheared->b, ring);
    gfp_zvec_init(&sheared->content, ring);
}

void gfp_zsheared_clear(gfp_zcall *call, gfp_zsheared *sheared)
{
    gfp_call_give(&call->base, sheared->held);
    gfp_zbipoly_clear(&sheared->a);
    gfp_zbipoly_clear(&sheared->b);
    gfp_zvec_clear(&sheared->content);
}

gfp_status gfp_zforms_shear(gfp_zcall *call, gfp_zsheared *sheared, bool exchanged, int64_t t,
                            bool *good)
{
    const gfp_zforms *forms = sheared->forms;
    gfp_zbipoly *a = &sheared->a, *b = &sheared->b;
    GFP_TRY(gfp_zbipoly_shear(call, a, exchanged ? &forms->other[0] : forms->system[0], t));
    GFP_TRY(gfp_zbipoly_shear(call, b, exchanged ? &forms->other[1] : forms->system[1], t));
    gfp_call_give(&call->base, sheared->held);
    sheared->held = 0;
    const size_t bytes = bytes_of(a) + bytes_of(b);
    GFP_TRY(gfp_call_take(&call->base, bytes));
    sheared->held = bytes;
    sheared->exchanged = exchanged;
    sheared->t = t;
    sheared->swapped = a->len < b->len || (a->len == b->len && !gfp_zbipoly_is_monic(b));
    if (sheared->swapped) {
        gfp_zbipoly_swap(a, b);
    }
    *good = gfp_zbipoly_is_monic(a) || gfp_zbipoly_is_monic(b);
    return GFP_OK;
}

/* ---- numbers of values ---- */

/* f := the polynomial modulo m->q. */
static void residue_of(gfp_wpoly *f, const uint64_t *x, size_t len, size_t width, const gfp_wmod *m)
{
    mpz_t z;
    mpz_init(z);
    f->len = len;
    for (size_t i = 0; i < len; i++) {
        gfp_z_get_mpz(z, x + i * width, width);
        f->c[i] = mpz_fdiv_ui(z, (unsigned long)m->q);
    }
    mpz_clear(z);
    gfp_wpoly_trim(f);
}

/* *len := the length of the greatest common divisor of a and b, which are lost. */
static gfp_status common_length(gfp_zcall *call, size_t *len, gfp_wpoly a, gfp_wpoly b,
                                const gfp_wmod *m)
{
    while (b.len > 0) {
        gfp_wpoly_reduce(&a, &b, m);
        const gfp_wpoly t = a;
        a = b;
        b = t;
        if (!gfp_task_advance(&call->base.task, (double)a.len)) {
            return GFP_ERR_CANCELLED;
        }
    }
    *len = a.len;
    return GFP_OK;
}

/* *n := the number of different roots of the polynomial modulo the first prime of the supply. */
static gfp_status count_roots(gfp_zcall *call, size_t *n, const uint64_t *x, size_t len,
                              size_t width)
{
    const gfp_words *block;
    gfp_wpoly f = {.len = 0}, slope = {.len = 0};
    GFP_TRY(gfp_words_supply_block(call->ring->supply, 0, &block));
    const gfp_wmod m = gfp_wmod_of(block->q[0]);
    GFP_TRY(gfp_call_array(&call->base, &f.c, len));
    GFP_TRY(gfp_call_array(&call->base, &slope.c, len));
    residue_of(&f, x, len, width, &m);
    gfp_wpoly_derivative(&slope, &f, &m);
    size_t common;
    GFP_TRY(common_length(call, &common, f, slope, &m));
    *n = f.len - common;
    return GFP_OK;
}

/* *n := the number of values of T at the solutions, modulo one prime. */
static gfp_status count_values(gfp_zcall *call, size_t *n, const gfp_zsheared *sheared)
{
    gfp_zbipair pair = {.a = &sheared->a, .b = &sheared->b};
    uint64_t *r;
    if (sheared->b.len == 1) { /* a power of b */
        const gfp_zvec *b = &sheared->b.coeff[0];
        return count_roots(call, n, b->limbs, b->len, b->width);
    }
    GFP_TRY(gfp_zbiresultant_bounds(call, &pair));
    pair.degree = gfp_size_min(pair.degree, sheared->forms->degree);
    pair.bits = gfp_size_min(pair.bits, GFP_Z_BLOCK_BITS - 3); /* one block of primes */
    const size_t width = gfp_z_width(pair.bits);
    GFP_TRY(gfp_call_array(&call->base, &r, gfp_size_mul_sat(pair.degree + 1, width)));
    GFP_TRY(gfp_zbiresultant_words(call, r, &pair, 0, call->base.task.to));
    return count_roots(call, n, r, pair.degree + 1, width);
}

/* Raises the bound by the values of a form; *n := their number. */
static gfp_status raise_bound(gfp_zcall *call, size_t *n, const gfp_zsheared *sheared)
{
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    const gfp_status status = count_values(call, n, sheared);
    gfp_zforms *forms = sheared->forms;
    gfp_call_release(&call->base, mark);
    forms->least = status == GFP_OK && *n > forms->least ? *n : forms->least;
    return status;
}

gfp_status gfp_zforms_bound_solutions(gfp_zcall *call, gfp_zforms *forms)
{
    gfp_zsheared large;
    bool good;
    size_t n;
    if (forms->is_bounded) {
        return GFP_OK;
    }
    forms->is_bounded = true;
    gfp_zsheared_init(&large, forms, call->ring);
    gfp_status status = gfp_zforms_shear(call, &large, forms->exchange, LARGE_SLOPE, &good);
    if (status == GFP_OK && good) {
        status = raise_bound(call, &n, &large);
    }
    gfp_zsheared_clear(call, &large);
    return status;
}

/* ---- form after form ---- */

/* One form; *done := whether it separates. */
static gfp_status try_form(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared, double end,
                           bool *done)
{
    gfp_zforms *forms = sheared->forms;
    bool exchanged;
    size_t n;
    const int64_t t = slope_of(forms, forms->next++, &exchanged);
    GFP_TRY(gfp_zcall_step(call, call->base.task.to, 1, 1));
    GFP_TRY(gfp_zforms_shear(call, sheared, exchanged, t, done));
    if (*done && forms->is_bounded) {
        GFP_TRY(raise_bound(call, &n, sheared));
        *done = n >= forms->least;
    }
    if (!*done) {
        return GFP_OK;
    }
    gfp_zsystem_clear(s);
    return gfp_zsystem_decompose(call, s, sheared, done,
                                 call->base.task.to + (end - call->base.task.to) * 0.8);
}

gfp_status gfp_zforms_solve(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared)
{
    const double end = call->base.task.to + (1 - call->base.task.to) / 2;
    for (bool done = false; !done;) {
        GFP_TRY(try_form(call, s, sheared, end, &done));
    }
    return GFP_OK;
}
