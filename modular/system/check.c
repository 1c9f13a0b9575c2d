/* check.c: the check of a system's parts at random points x, y modulo eight random primes:
 *
 *     a(x, y) = f(x - t y, y) and b(x, y) = g(x - t y, y) for the sheared polynomials a and b,
 *     Res_Y(a(x, Y), b(x, Y)) = c prod f_i(x)^(multiplicity of part i), c the content,
 *     x_i(x) + t y_i(x) = x q_i(x) for each part.
 *
 * with X and Y exchanged where the form is Y + t X. y_i / q_i rests on its computation: no equation
 * has y_i for t = 0.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "crt/blocks/kernels/euclid.h"
#include "field/base/word.h"
#include "modular/points/resultant.h"
#include "modular/system/impl.h"
#include "modular/points/values.h"

typedef struct checker {
    gfp_zvalues v;
    const gfp_zsystem *s;
    const gfp_zsheared *sheared;
    uint64_t x[GFP_WORDS], y[GFP_WORDS];
    uint64_t *rows[2];
} checker;

static void value_of(const checker *w, uint64_t z[GFP_WORDS], const gfp_zvec *f)
{
    gfp_zvalues_at(&w->v, z, w->x, f->limbs, f->len, f->width);
}

/* a b + c modulo q. */
static uint64_t check_fused(uint64_t a, uint64_t b, uint64_t c, uint64_t q)
{
    const uint64_t z = gfp_mod_mul(a, b, q) + c;
    return z >= q ? z - q : z;
}

/* t modulo q. */
static uint64_t check_residue(int64_t t, uint64_t q)
{
    const uint64_t z = (t < 0 ? -(uint64_t)t : (uint64_t)t) % q;
    return t < 0 ? gfp_mod_sub(0, z, q) : z;
}

/* z := the value of the rows at y. */
static void value_of_rows(const checker *w, uint64_t z[GFP_WORDS], const uint64_t *rows, size_t len)
{
    memset(z, 0, GFP_WORDS * sizeof *z);
    for (size_t j = len; j-- > 0;) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            z[l] = check_fused(z[l], w->y[l], rows[j * GFP_WORDS + l], w->v.block.q[l]);
        }
    }
}

/* Whether a(x, y) = f(x - t y, y); the rows of a stay. */
static gfp_status check_shear(checker *w, uint64_t *rows, const gfp_zbipoly *a,
                              const gfp_zbipoly *f)
{
    uint64_t *others, old[GFP_WORDS], of_a[GFP_WORDS], of_f[GFP_WORDS];
    GFP_TRY(gfp_call_array(&w->v.call->base, &others, gfp_size_mul_sat(f->len, GFP_WORDS)));
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint64_t q = w->v.block.q[l];
        old[l] =
            check_fused(gfp_mod_sub(0, check_residue(w->sheared->t, q), q), w->y[l], w->x[l], q);
    }
    gfp_zvalues_rows(&w->v, rows, w->x, a);
    gfp_zvalues_rows(&w->v, others, old, f);
    value_of_rows(w, of_a, rows, a->len);
    value_of_rows(w, of_f, others, f->len);
    return memcmp(of_a, of_f, sizeof of_a) == 0 ? GFP_OK : gfp_zcall_wrong(w->v.call);
}

static gfp_status check_resultant(const checker *w)
{
    const gfp_zbipoly *a = &w->sheared->a, *b = &w->sheared->b;
    uint64_t *work, value[GFP_WORDS], product[GFP_WORDS];
    GFP_TRY(gfp_call_array(&w->v.call->base, &work, gfp_words_image_work_words(a->len, b->len)));
    const gfp_words_image_pair pair = {&w->v.block, w->rows[0], w->rows[1], a->len, b->len};
    gfp_words_image_resultant(&pair, w->v.call->ring->level, value, work);
    value_of(w, product, &w->sheared->content);
    for (size_t i = 0; i < w->s->count; i++) {
        uint64_t f[GFP_WORDS];
        value_of(w, f, &w->s->part[i].f);
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            const uint64_t q = w->v.block.q[l];
            const uint64_t power = gfp_mod_pow(f[l], w->s->part[i].multiplicity, q);
            product[l] = gfp_mod_mul(product[l], power, q);
        }
    }
    return memcmp(value, product, sizeof value) == 0 ? GFP_OK : gfp_zcall_wrong(w->v.call);
}

static gfp_status check_parts(const checker *w)
{
    for (size_t i = 0; i < w->s->count; i++) {
        const gfp_zsystem_part *part = &w->s->part[i];
        uint64_t x[GFP_WORDS], y[GFP_WORDS], z[GFP_WORDS];
        value_of(w, x, &part->x);
        value_of(w, y, &part->y);
        value_of(w, z, &part->q);
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            const uint64_t q = w->v.block.q[l];
            if (check_fused(check_residue(w->sheared->t, q), y[l], x[l], q) !=
                gfp_mod_mul(w->x[l], z[l], q)) {
                return gfp_zcall_wrong(w->v.call);
            }
        }
    }
    return GFP_OK;
}

/* The polynomials before the substitution: of a, of b. */
static const gfp_zbipoly *check_original(const gfp_zsheared *sheared, bool second)
{
    const size_t i = second != sheared->swapped ? 1 : 0;
    return sheared->exchanged ? &sheared->forms->other[i] : sheared->forms->system[i];
}

static gfp_status check_compare(checker *w)
{
    const gfp_zbipoly *a = &w->sheared->a, *b = &w->sheared->b;
    GFP_TRY(gfp_call_array(&w->v.call->base, &w->rows[0], gfp_size_mul_sat(a->len, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&w->v.call->base, &w->rows[1], gfp_size_mul_sat(b->len, GFP_WORDS)));
    gfp_zvalues_draw(&w->v, w->x);
    gfp_zvalues_draw(&w->v, w->y);
    GFP_TRY(check_shear(w, w->rows[0], a, check_original(w->sheared, false)));
    GFP_TRY(check_shear(w, w->rows[1], b, check_original(w->sheared, true)));
    GFP_TRY(check_resultant(w));
    return check_parts(w);
}

static size_t check_greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t check_widest(const gfp_zsystem *s, const gfp_zsheared *sheared)
{
    const gfp_zbipoly *f = check_original(sheared, false), *g = check_original(sheared, true);
    const size_t of_a = gfp_zbipoly_width(&sheared->a), of_b = gfp_zbipoly_width(&sheared->b);
    size_t width = check_greater(check_greater(of_a, of_b), sheared->content.width);
    width = check_greater(width, check_greater(gfp_zbipoly_width(f), gfp_zbipoly_width(g)));
    for (size_t i = 0; i < s->count; i++) {
        const gfp_zsystem_part *part = &s->part[i];
        width = check_greater(width, check_greater(part->f.width, part->x.width));
        width = check_greater(width, check_greater(part->y.width, part->q.width));
    }
    return width;
}

/* No coefficient that is compared has more bits, whatever the parts are. */
static double claimed_bits(const gfp_zsystem *s, const gfp_zsheared *sheared, size_t width)
{
    double bits = 64 * (double)sheared->content.width;
    for (size_t i = 0; i < s->count; i++) {
        const gfp_zvec *f = &s->part[i].f;
        const double one = 64 * (double)f->width + log2((double)f->len + 1);
        bits += (double)s->part[i].multiplicity * one;
    }
    const double slope = log2(2 + fabs((double)sheared->t));
    return fmax(bits, 64 * (double)width + (double)sheared->a.len * slope + 64);
}

gfp_status gfp_zsystem_check(gfp_zcall *call, const gfp_zsystem *s, const gfp_zsheared *sheared)
{
    checker w = {.s = s, .sheared = sheared};
    gfp_zbipair pair = {.a = &sheared->a, .b = &sheared->b};
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    const size_t width = check_widest(s, sheared);
    gfp_status status = gfp_zbiresultant_bounds(call, &pair);
    if (status == GFP_OK) {
        const double bits = fmax((double)pair.bits, claimed_bits(s, sheared, width));
        status = gfp_zvalues_begin(call, &w.v, width, bits + 1,
                                   2 * ((double)pair.degree + (double)s->degree));
    }
    if (status == GFP_OK) {
        status = check_compare(&w);
    }
    gfp_zvalues_end(&w.v);
    gfp_call_release(&call->base, mark);
    return status;
}
