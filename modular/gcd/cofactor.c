/* cofactor.c: a greatest common divisor over Z with long coefficients, by a cofactor that has
 * none.
 *
 * Let a = g u, b = g v, and l the gcd of the leading coefficients, as in words.c. The quotient of
 * the images of a and of (l / lc(g)) g is that of u / d, d = gcd(lc(u), lc(v)). If u has short
 * coefficients, few primes determine them with the denominator d. Nothing is concluded from that:
 * the primitive part of the candidate is proved to divide a, and the quotient to divide b.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/kernels/divide.h"
#include "modular/gcd/impl.h"
#include "modular/residues.h"

/* Bits of the product of primes that fractions do not need, and the part of all that is the
 * denominator's. */
#define GAP GFP_ZGCD_GAP
#define DENOMINATOR_PART 8

typedef struct cofactor {
    gfp_zcall *call;
    const gfp_zgcd_images *images;
    gfp_zpoly a;
    uint64_t *u; /* residues of the quotient, step words for each block */
    size_t step;
    uint64_t *memory; /* of the workers */
    size_t each;
} cofactor;

static gfp_status run_quotients(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const cofactor *w = job;
    const gfp_zgcd_images *images = w->images;
    const gfp_level level = w->call->ring->level;
    uint64_t *a = w->memory + worker * w->each, *g = a + w->a.len * GFP_WORDS;
    uint64_t *work = g + images->len * GFP_WORDS;
    for (size_t j = from; j < to; j++) {
        gfp_zpoly_project(&(gfp_words_residues){images->basis, level, j, 1, a, 0}, w->a, work);
        memcpy(g, images->image + j * images->step, images->len * GFP_WORDS * sizeof *g);
        /* The image divides that of a modulo all primes in use. */
        (void)gfp_words_divide(level, images->block[j], w->u + j * w->step, a, w->a.len, g,
                               images->len);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status compute_quotients(cofactor *w)
{
    gfp_zcall *call = w->call;
    const gfp_parallel loop = {run_quotients, w, NULL};
    const size_t count = w->images->count, len = w->images->len;
    const unsigned workers = gfp_parallel_workers(&call->base.task, count, 1);
    w->each = gfp_size_add_sat(gfp_size_mul_sat(w->a.len + len, GFP_WORDS),
                               gfp_zpoly_project_words(w->images->basis, w->a));
    GFP_TRY(gfp_call_array(&call->base, &w->u, gfp_size_mul_sat(w->step, count)));
    GFP_TRY(gfp_call_array(&call->base, &w->memory, gfp_size_mul_sat(w->each, workers)));
    GFP_TRY(gfp_zcall_step_on(call, 0.4, (double)count,
                              (double)gfp_zpoly_limbs(w->a) +
                                  4 * (double)len * (double)(w->a.len - len + 1)));
    return gfp_parallel_for(&loop, &call->base.task, count, 1);
}

/* m := the product of the primes in use. */
static gfp_status multiply_primes(const cofactor *w, gfp_znat *m)
{
    GFP_TRY(gfp_call_array(&w->call->base, &m->limbs, w->images->count * GFP_WORDS + 1));
    m->limbs[0] = 1;
    m->n = 1;
    for (size_t j = 0; j < w->images->count; j++) {
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            if ((w->images->use[j] >> i & 1) != 0) {
                const mp_limb_t carry = mpn_mul_1(gfp_z_limbs(m->limbs), gfp_z_limbs(m->limbs),
                                                  (mp_size_t)m->n, w->images->block[j]->q[i]);
                m->limbs[m->n] = carry;
                m->n += carry != 0;
            }
        }
    }
    return GFP_OK;
}

/* x := 2^bits, as a vector in the limbs of the call. */
static gfp_status make_power(gfp_zcall *call, gfp_zvec *x, size_t bits)
{
    gfp_zpoly z = {NULL, 1, gfp_z_width(bits + 1)};
    GFP_TRY(gfp_call_array(&call->base, &z.limbs, z.width));
    memset(z.limbs, 0, z.width * sizeof *z.limbs);
    z.limbs[bits / 64] = UINT64_C(1) << bits % 64;
    *x = gfp_zpoly_view(call, z);
    return GFP_OK;
}

/* *found := whether numbers with a common denominator have the residues z; num := the numbers times
 * that. */
static gfp_status find_fractions(const cofactor *w, bool *found, gfp_zvec *num, gfp_zpoly z)
{
    gfp_zcall *call = w->call;
    const size_t bits = gfp_words_basis_bits(w->images->basis), of_den = bits / DENOMINATOR_PART;
    const gfp_zvec residues = gfp_zpoly_view(call, z);
    gfp_znat m;
    gfp_zvec most_num, most_den, den;
    *found = false;
    if (bits < 4 * GAP) {
        return GFP_OK;
    }
    GFP_TRY(multiply_primes(w, &m));
    m.limbs[m.n] = 0;
    const gfp_zvec modulus = gfp_zpoly_view(call, (gfp_zpoly){m.limbs, 1, m.n + 1});
    GFP_TRY(make_power(call, &most_den, of_den));
    GFP_TRY(make_power(call, &most_num, bits - of_den - GAP));
    gfp_options inside = gfp_zcall_inside(call);
    gfp_error error = {0};
    inside.error = &error;
    GFP_TRY(gfp_zcall_step_on(call, 0.2, 1, 1));
    gfp_zvec_init(&den, call->ring);
    const gfp_status status =
        gfp_zvec_reconstruct(num, &den, &residues, &modulus, &most_num, &most_den, &inside);
    gfp_zvec_clear(&den);
    *found = status == GFP_OK;
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        return GFP_OK; /* there are none */
    }
    call->base.error = status == GFP_OK ? call->base.error : error;
    return gfp_call_inner(&call->base, status);
}

/* *proved := whether the primitive part of u, of one width, divides a, and the quotient b; then d
 * := the divisor for these operands, g > 0. */
static gfp_status cofactor_prove(gfp_zcall *call, bool *proved, gfp_zdivisor *d, gfp_zpoly a,
                                 gfp_zpoly b, gfp_zpoly u)
{
    uint64_t one = 1;
    gfp_znat content;
    size_t block;
    const gfp_znat unit = {&one, 1};
    GFP_TRY(gfp_zcontent(call, &content, u));
    GFP_TRY(gfp_zdivide_exact(call, &u, u, content));
    const bool negative = gfp_zpoly_is_negative(u) != gfp_zpoly_is_negative(a);
    GFP_TRY(gfp_zscale(call, &d->u, u, unit, negative));
    GFP_TRY(gfp_zdivides(call, proved, &d->g, a, d->u, &block));
    return *proved ? gfp_zdivides(call, proved, &d->v, b, d->g, &block) : GFP_OK;
}

static gfp_status try_operand(cofactor *w, bool *proved, gfp_zdivisor *d, gfp_zpoly b)
{
    gfp_zcall *call = w->call;
    const size_t len = w->a.len - w->images->len + 1,
                 width = gfp_words_basis_limbs(w->images->basis);
    gfp_zpoly z = {NULL, len, width};
    uint64_t *work;
    bool found;
    gfp_zvec num;
    w->step = len * GFP_WORDS;
    GFP_TRY(compute_quotients(w));
    GFP_TRY(gfp_call_array(&call->base, &z.limbs, gfp_size_mul_sat(len, width)));
    GFP_TRY(gfp_call_array(&call->base, &work,
                           gfp_words_recombine_words(w->images->basis, width, len)));
    gfp_words_recombine(w->images->basis, call->ring->level, z.limbs, width, w->u, w->step, len,
                        work);
    gfp_zvec_init(&num, call->ring);
    gfp_status status = find_fractions(w, &found, &num, z);
    if (status == GFP_OK && found && num.len == len) {
        gfp_zpoly u = {NULL, len, num.width};
        status = gfp_call_array(&call->base, &u.limbs, gfp_size_mul_sat(len, u.width));
        if (status == GFP_OK) {
            memcpy(u.limbs, num.limbs, len * u.width * sizeof *u.limbs);
            gfp_zvec_clear(&num); /* the cap counts the copy alone */
            status = cofactor_prove(call, proved, d, w->a, b, u);
        }
    }
    gfp_zvec_clear(&num);
    return status;
}

gfp_status gfp_zgcd_by_cofactor(gfp_zcall *call, bool *proved, gfp_zdivisor *d,
                                const gfp_zoperands *p, const gfp_zgcd_images *images)
{
    *proved = false;
    for (unsigned i = 0; i < 2 && !*proved; i++) {
        const gfp_zpoly a = i == 0 ? p->a : p->b, b = i == 0 ? p->b : p->a;
        cofactor w = {.call = call, .images = images, .a = a};
        if (a.width == 0) {
            const gfp_call_mark mark = gfp_call_mark_here(&call->base);
            GFP_TRY(try_operand(&w, proved, d, b));
            if (!*proved) {
                gfp_call_release(&call->base, mark);
            } else if (i == 1) {
                const gfp_zpoly v = d->u;
                d->u = d->v;
                d->v = v;
            }
        }
    }
    return GFP_OK;
}
