/* form.c: shorter rational functions for a part of a system: with the derivative of f as
 * denominator.
 *
 * Let l be the leading coefficient of f = l prod (T - c_i), and y_i the values of Y. Then the
 * polynomial h = l sum_i y_i prod_(j != i) (T - c_j) is y f' at the roots of f. The resultant
 * without a fixed t is a polynomial over Z in T and t, of which the product of T - x_i - t y_i,
 * with a leading coefficient that depends on t, is a factor; its derivative with respect to t shows
 * that l c h + r f is l times a polynomial over Z for some integer r, where c divides the content
 * of the resultant. This polynomial, (l c h + r f) / l, has about the bits of f.
 *
 * h follows modulo primes from y = a / b by an inverse of b modulo f. The result is proved: f
 * divides the difference of cross products. Without proof the old functions stay, which are right,
 * too.
 *
 * F. Rouillier, Solving zero-dimensional systems through the rational univariate representation,
 * AAECC 9 (1999), for these functions by other means.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/zvec_gmp.h"
#include "modular/system/word_poly.h"
#include "modular/residues.h"
#include "modular/system/impl.h"

/* Attempts; each takes twice as many blocks. */
#define ATTEMPTS 3

/* ---- inverses modulo one prime ---- */

/* z := 1 / b modulo f, by Euclid's algorithm with r_i = s_i b modulo f; b and its copy of f are
 * destroyed. Returns false if there is no inverse. */
static bool invert_modulo(gfp_wpoly *z, gfp_wpoly b, gfp_wpoly copy, gfp_wpoly spare,
                          const gfp_wmod *m)
{
    gfp_wpoly r0 = copy, r1 = b, s0 = *z, s1 = spare;
    s0.len = 0;
    s1.c[0] = 1;
    s1.len = 1;
    while (r1.len > 1) {
        const uint64_t inverse = gfp_wmod_inverse(r1.c[r1.len - 1], m);
        while (r0.len >= r1.len) {
            const uint64_t x = gfp_wmod_mul(r0.c[r0.len - 1], inverse, m);
            const size_t up = r0.len - r1.len;
            gfp_wpoly_subtract(&r0, x, up, &r1, m);
            gfp_wpoly_subtract(&s0, x, up, &s1, m);
        }
        const gfp_wpoly r = r0, s = s0;
        r0 = r1;
        s0 = s1;
        r1 = r;
        s1 = s;
    }
    if (r1.len == 0) {
        return false;
    }
    const uint64_t inverse = gfp_wmod_inverse(r1.c[0], m);
    for (size_t i = 0; i < s1.len; i++) {
        s1.c[i] = gfp_wmod_mul(s1.c[i], inverse, m);
    }
    if (s1.c != z->c) {
        memcpy(z->c, s1.c, s1.len * sizeof *z->c);
    }
    z->len = s1.len;
    return true;
}

/* ---- images ---- */

typedef struct form {
    gfp_zcall *call;
    double to; /* the fraction of the call */
    const gfp_zsystem_part *part;
    gfp_zvec factor; /* l c, one integer */
    const gfp_words_basis *basis;
    uint64_t *residues[4]; /* of f, q, y, factor: eight words for each */
    uint64_t *project;
    uint64_t *lane[8]; /* of one lane: polynomials with room for products */
    uint64_t *image;   /* of h, block after block */
    size_t step;
} form;

static const gfp_zvec *form_given(const form *w, unsigned i)
{
    const gfp_zvec *const all[] = {&w->part->f, &w->part->q, &w->part->y, &w->factor};
    return all[i];
}

/* The polynomial i in one lane. */
static gfp_wpoly in_lane(const form *w, unsigned i, unsigned lane)
{
    gfp_wpoly z = {w->lane[i], form_given(w, i)->len};
    for (size_t k = 0; k < z.len; k++) {
        z.c[k] = w->residues[i][GFP_WORDS * k + lane];
    }
    gfp_wpoly_trim(&z);
    return z;
}

/* h times the factor modulo one prime; returns false if the prime is of no use. */
static bool image_in_lane(const form *w, uint64_t *image, unsigned lane, uint64_t prime)
{
    const gfp_wmod m = gfp_wmod_of(prime);
    const gfp_wpoly f = in_lane(w, 0, lane), factor = in_lane(w, 3, lane);
    gfp_wpoly b = in_lane(w, 1, lane), a = in_lane(w, 2, lane);
    const size_t n = w->part->f.len;
    gfp_wpoly inverse = {w->lane[4], 0}, copy = {w->lane[5], f.len}, z = {w->lane[6], 0};
    if (f.len < n || factor.len == 0) {
        return false;
    }
    gfp_wpoly_reduce(&a, &f, &m);
    gfp_wpoly_reduce(&b, &f, &m);
    memcpy(copy.c, f.c, n * sizeof *copy.c);
    memset(inverse.c, 0, 2 * n * sizeof *inverse.c);
    memset(w->lane[7], 0, 2 * n * sizeof *inverse.c);
    if (!invert_modulo(&inverse, b, copy, (gfp_wpoly){w->lane[7], 0}, &m)) {
        return false;
    }
    gfp_wpoly slope = {w->lane[5], n - 1};
    for (size_t k = 1; k < n; k++) {
        slope.c[k - 1] = gfp_wmod_mul(gfp_wmod_mul(k, f.c[k], &m), factor.c[0], &m);
    }
    gfp_wpoly_trim(&slope);
    gfp_wpoly_mul_modulo(&z, &a, &inverse, &f, &m);
    gfp_wpoly product = {w->lane[4], 0};
    gfp_wpoly_mul_modulo(&product, &z, &slope, &f, &m);
    for (size_t k = 0; k + 1 < n; k++) {
        image[GFP_WORDS * k + lane] = k < product.len ? product.c[k] : 0;
    }
    return true;
}

/* The images modulo block `first` + j; *good := false if a prime is of no use. */
static gfp_status image_of_block(const form *w, size_t first, size_t j, bool *good)
{
    const gfp_words *block;
    GFP_TRY(gfp_words_supply_block(w->call->ring->supply, first + j, &block));
    for (unsigned i = 0; i < 4; i++) {
        const gfp_zvec *f = form_given(w, i);
        if (f->len == 0) {
            continue;
        }
        gfp_words_project(
            &(gfp_words_residues){w->basis, w->call->ring->level, j, 1, w->residues[i], 0},
            f->limbs, f->width, f->len, w->project);
    }
    for (unsigned lane = 0; lane < GFP_WORDS && *good; lane++) {
        *good = image_in_lane(w, w->image + j * w->step, lane, block->q[lane]);
    }
    const double n = (double)w->part->f.len;
    return gfp_task_advance(&w->call->base.task, GFP_WORDS * 8 * n * n) ? GFP_OK
                                                                        : GFP_ERR_CANCELLED;
}

static gfp_status make_arrays(form *w, size_t count)
{
    const size_t n = w->part->f.len;
    size_t most = 2 * n, project = 0;
    for (unsigned i = 0; i < 4; i++) {
        const gfp_zvec *f = form_given(w, i);
        const size_t words = gfp_z_project_words(w->basis, f->width, f->len);
        most = f->len > most ? f->len : most;
        project = words > project ? words : project;
        GFP_TRY(
            gfp_call_array(&w->call->base, &w->residues[i], gfp_size_mul_sat(f->len, GFP_WORDS)));
    }
    for (unsigned i = 0; i < 8; i++) {
        GFP_TRY(gfp_call_array(&w->call->base, &w->lane[i], most));
    }
    w->step = GFP_WORDS * n;
    GFP_TRY(gfp_call_array(&w->call->base, &w->project, project));
    return gfp_call_array(&w->call->base, &w->image, gfp_size_mul_sat(w->step, count));
}

/* h := the numbers that the images determine. */
static gfp_status form_recombine(form *w, gfp_zvec *h)
{
    uint64_t *z, *work;
    const size_t n = w->part->f.len - 1, width = gfp_words_basis_limbs(w->basis);
    GFP_TRY(gfp_call_array(&w->call->base, &z, gfp_size_mul_sat(n, width)));
    GFP_TRY(gfp_call_array(&w->call->base, &work, gfp_words_recombine_words(w->basis, width, n)));
    gfp_words_recombine(w->basis, w->call->ring->level, z, width, w->image, w->step, n, work);
    return gfp_zvec_set_polynomial(h, z, n, width);
}

/* h := l c h modulo the product of `count` blocks from `first` on, in the least numbers. */
static gfp_status form_images(form *w, gfp_zvec *h, size_t first, size_t count, bool *good)
{
    gfp_zring_basis basis;
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    gfp_status status = gfp_zblocks_take(w->call, &basis, first, count, false);
    w->basis = basis.basis;
    status = status == GFP_OK ? make_arrays(w, count) : status;
    *good = true;
    for (size_t j = 0; j < count && status == GFP_OK && *good; j++) {
        status = image_of_block(w, first, j, good);
    }
    status = status == GFP_OK && *good ? form_recombine(w, h) : status;
    gfp_zblocks_give(w->call, &basis);
    gfp_call_release(&w->call->base, mark);
    return status;
}

/* ---- from l c h to the numerator ---- */

static void form_get(mpz_t z, const gfp_zvec *f, size_t i)
{
    const gfp_zvec one = {.limbs = f->limbs + i * f->width, .len = i < f->len, .width = f->width};
    mpz_set_ui(z, 0);
    if (one.len == 1) {
        gfp_zvec_get_mpz(z, &one);
    }
}

/* r := the least integer with l | h_i + r f_i for one i, if l and f_i have no common factor. */
static bool find_multiple(mpz_t r, const gfp_zvec *h, const gfp_zvec *f, const mpz_t l)
{
    bool found = false;
    mpz_t half;
    mpz_init(half);
    for (size_t i = 0; i + 1 < f->len && !found; i++) {
        form_get(r, f, i);
        found = mpz_invert(r, r, l) != 0;
        if (found) {
            form_get(half, h, i);
            mpz_mul(r, r, half);
            mpz_neg(r, r);
            mpz_fdiv_r(r, r, l);
        }
    }
    mpz_fdiv_q_2exp(half, l, 1);
    if (found && mpz_cmp(r, half) > 0) {
        mpz_sub(r, r, l);
    }
    mpz_clear(half);
    return found;
}

/* z, f->len integers, := (h + r f) / l; returns false if that is not integral. */
static bool form_divide(mpz_ptr z, const gfp_zvec *h, const gfp_zvec *f, const mpz_t r,
                        const mpz_t l)
{
    bool exact = true;
    mpz_t x;
    mpz_init(x);
    for (size_t i = 0; i < f->len && exact; i++) {
        form_get(&z[i], h, i);
        form_get(x, f, i);
        mpz_addmul(&z[i], r, x);
        exact = mpz_divisible_p(&z[i], l) != 0;
        if (exact) {
            mpz_divexact(&z[i], &z[i], l);
        }
    }
    mpz_clear(x);
    return exact;
}

/* y := (h + r f) / l and *factor := c, or y := h and *factor := l c; c: one integer. */
static gfp_status form_shorten(form *w, gfp_zvec *y, gfp_zvec *factor, const gfp_zvec *h,
                               const gfp_zvec *c)
{
    uint64_t *memory;
    const gfp_zvec *f = &w->part->f;
    gfp_status status = GFP_OK;
    mpz_t l, r;
    GFP_TRY(gfp_call_array(&w->call->base, &memory,
                           gfp_size_mul_sat(f->len, sizeof(__mpz_struct) / sizeof *memory)));
    __mpz_struct *z = (__mpz_struct *)(void *)memory;
    mpz_inits(l, r, NULL);
    for (size_t i = 0; i < f->len; i++) {
        mpz_init(&z[i]);
    }
    form_get(l, f, f->len - 1);
    if (find_multiple(r, h, f, l) && form_divide(z, h, f, r, l)) {
        status = gfp_zvec_set_mpz(y, z, f->len);
        status = status == GFP_OK ? gfp_zvec_set(factor, c) : status;
    } else {
        status = gfp_zvec_set(y, h);
        status = status == GFP_OK ? gfp_zvec_set(factor, &w->factor) : status;
    }
    for (size_t i = 0; i < f->len; i++) {
        mpz_clear(&z[i]);
    }
    mpz_clears(l, r, NULL);
    return status;
}

/* ---- proof ---- */

typedef struct trial {
    gfp_ztemp y, q, h, factor, u, v, g;
} trial;

enum { TEMPORARY_COUNT = 7 };
#define TEMPORARIES(t)                                                                             \
    {                                                                                              \
        &(t)->y, &(t)->q, &(t)->h, &(t)->factor, &(t)->u, &(t)->v, &(t)->g                         \
    }

static gfp_status count_trial(const form *w, trial *t)
{
    gfp_ztemp *const all[TEMPORARY_COUNT] = TEMPORARIES(t);
    for (size_t i = 0; i < TEMPORARY_COUNT; i++) {
        GFP_TRY(gfp_ztemp_count(w->call, all[i]));
    }
    return GFP_OK;
}

/* z := a b; a step of the call. */
static gfp_status form_product(form *w, gfp_ztemp *z, const gfp_zvec *a, const gfp_zvec *b)
{
    GFP_TRY(gfp_zcall_step(w->call, (w->call->base.task.to + w->to) / 2, 1, 1));
    const gfp_options inside = gfp_zcall_inside(w->call);
    GFP_TRY(gfp_call_inner(&w->call->base, gfp_zvec_mul(&z->v, a, b, &inside)));
    return gfp_ztemp_count(w->call, z);
}

/* *proved := whether t->y / t->q is y / q at the roots of f: f is primitive. */
static gfp_status form_prove(form *w, trial *t, bool *proved)
{
    const gfp_zsystem_part *part = w->part;
    GFP_TRY(form_product(w, &t->u, &t->y.v, &part->q));
    GFP_TRY(form_product(w, &t->v, &t->q.v, &part->y));
    GFP_TRY(gfp_zvec_combine(&t->u.v, 1, &t->u.v, 0, -1, &t->v.v));
    GFP_TRY(count_trial(w, t));
    GFP_TRY(gfp_zcall_step(w->call, (w->call->base.task.to + w->to) / 2, 1, 1));
    const gfp_options inside = gfp_zcall_inside(w->call);
    GFP_TRY(gfp_call_inner(&w->call->base, gfp_zvec_gcd(&t->g.v, &t->u.v, &part->f, &inside)));
    *proved = gfp_zvec_equal(&t->g.v, &part->f);
    return count_trial(w, t);
}

/* y, q := y, q without the common factor of their contents. */
static gfp_status form_primitive(form *w, trial *t)
{
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    gfp_zpoly y, q;
    gfp_znat of_y, of_q, g;
    GFP_TRY(gfp_zpoly_flat_of(w->call, &y, &t->y.v));
    GFP_TRY(gfp_zpoly_flat_of(w->call, &q, &t->q.v));
    GFP_TRY(gfp_zcontent(w->call, &of_y, y));
    GFP_TRY(gfp_zcontent(w->call, &of_q, q));
    GFP_TRY(gfp_znat_gcd(w->call, &g, of_y, of_q));
    GFP_TRY(gfp_zdivide_exact(w->call, &y, y, g));
    GFP_TRY(gfp_zdivide_exact(w->call, &q, q, g));
    GFP_TRY(gfp_zvec_set_limbs(&t->u.v, y.limbs, y.len, y.width));
    GFP_TRY(gfp_zvec_set_limbs(&t->v.v, q.limbs, q.len, q.width));
    GFP_TRY(gfp_zvec_set_polynomial(&t->y.v, t->u.v.limbs, t->u.v.len, t->u.v.width));
    GFP_TRY(gfp_zvec_set_polynomial(&t->q.v, t->v.v.limbs, t->v.v.len, t->v.v.width));
    gfp_call_release(&w->call->base, mark);
    return count_trial(w, t);
}

/* One attempt with c; *first: the next block of primes. */
static gfp_status form_attempt(form *w, trial *t, const gfp_zvec *c, size_t *first, size_t count,
                               bool *proved)
{
    bool good;
    const gfp_zvec lead = {.ring = w->call->ring,
                           .limbs = w->part->f.limbs + (w->part->f.len - 1) * w->part->f.width,
                           .len = 1,
                           .width = w->part->f.width};
    *proved = false;
    GFP_TRY(form_product(w, &t->factor, &lead, c));
    w->factor = t->factor.v;
    GFP_TRY(form_images(w, &t->h.v, *first, count, &good));
    if (!good) { /* other primes */
        *first += count;
        return GFP_OK;
    }
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    GFP_TRY(form_shorten(w, &t->y.v, &t->v.v, &t->h.v, c));
    gfp_call_release(&w->call->base, mark);
    GFP_TRY(gfp_zvec_derivative(&t->u.v, &w->part->f));
    GFP_TRY(form_product(w, &t->q, &t->u.v, &t->v.v));
    GFP_TRY(count_trial(w, t));
    return form_prove(w, t, proved);
}

static gfp_status form_attempts(form *w, trial *t, const gfp_zvec *c, bool *proved)
{
    const size_t bits = 2 * gfp_zvec_bits(&w->part->f) + gfp_zvec_bits(c) + 64;
    size_t first = 0, count = bits / GFP_Z_BLOCK_BITS + 1;
    *proved = false;
    for (unsigned i = 0; i < ATTEMPTS && !*proved; i++, count *= 2) {
        GFP_TRY(form_attempt(w, t, c, &first, count, proved));
    }
    return GFP_OK;
}

static double size_of(const gfp_zvec *f)
{
    return (double)f->len * (double)gfp_zvec_bits(f);
}

static gfp_status try_lead(form *w, trial *t, const gfp_zsheared *sheared, bool *proved)
{
    const gfp_zsystem_part *part = w->part;
    const gfp_zbipoly *monic = gfp_zbipoly_is_monic(&sheared->b) ? &sheared->b : &sheared->a;
    const double power = (double)part->y.len * (double)gfp_zvec_bits(&part->f);
    const bool fits = part->y.len > part->f.len && power <= size_of(&part->y) + 64;
    gfp_ztemp c;
    mpz_t z, l;
    mpz_inits(z, l, NULL);
    form_get(z, &monic->coeff[monic->len - 1], 0);
    if (fits) {
        form_get(l, &part->f, part->f.len - 1);
        mpz_pow_ui(l, l, (unsigned long)part->y.len - 1);
        mpz_mul(z, z, l);
    }
    gfp_ztemp_init(w->call, &c);
    gfp_status status = gfp_zvec_set_mpz(&c.v, z, 1);
    if (status == GFP_OK && gfp_zvec_bits(&c.v) > 1) {
        status = form_product(w, &c, &sheared->content, &c.v);
        status = status == GFP_OK ? form_attempts(w, t, &c.v, proved) : status;
    }
    gfp_ztemp_clear(w->call, &c);
    mpz_clears(z, l, NULL);
    return status;
}

/* Attempts with c = 1, the content of the resultant, and this content times the leading coefficient
 * in Y, where y is a polynomial over this coefficient also times a power of that of f. */
static gfp_status try_factors(form *w, trial *t, const gfp_zsheared *sheared, bool *proved)
{
    static uint64_t one[] = {1};
    const gfp_zvec unit = {.ring = w->call->ring, .limbs = one, .len = 1, .width = 1};
    GFP_TRY(form_attempts(w, t, &unit, proved));
    if (!*proved && gfp_zvec_bits(&sheared->content) > 1) {
        GFP_TRY(form_attempts(w, t, &sheared->content, proved));
    }
    return *proved ? GFP_OK : try_lead(w, t, sheared, proved);
}

/* Whether t has fewer bits than y and q. */
static bool is_shorter(const gfp_zsystem_part *part, const trial *t)
{
    return size_of(&t->y.v) + size_of(&t->q.v) < size_of(&part->y) + size_of(&part->q);
}

static gfp_status with_trial(form *w, trial *t, gfp_zsystem_part *part, const gfp_zsheared *sheared)
{
    bool proved;
    GFP_TRY(try_factors(w, t, sheared, &proved));
    if (!proved) {
        return GFP_OK;
    }
    GFP_TRY(form_primitive(w, t));
    if (part->q.len < part->f.len && !is_shorter(part, t)) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zvec_combine(&t->h.v, 1, &t->q.v, 1, -sheared->t, &t->y.v));
    gfp_zvec_swap(&part->x, &t->h.v);
    gfp_zvec_swap(&part->y, &t->y.v);
    gfp_zvec_swap(&part->q, &t->q.v);
    return GFP_OK;
}

gfp_status gfp_zsystem_shorten(gfp_zcall *call, gfp_zsystem_part *part, const gfp_zsheared *sheared,
                               double to)
{
    form w = {.call = call, .to = to, .part = part};
    trial z;
    gfp_ztemp *const all[TEMPORARY_COUNT] = TEMPORARIES(&z);
    if (part->f.len > part->q.len && part->f.len >= part->y.len) {
        return GFP_OK;
    }
    for (size_t i = 0; i < TEMPORARY_COUNT; i++) {
        gfp_ztemp_init(call, all[i]);
    }
    const gfp_status status = with_trial(&w, &z, part, sheared);
    for (size_t i = 0; i < TEMPORARY_COUNT; i++) {
        gfp_ztemp_clear(call, all[i]);
    }
    return status;
}
