/* zgcd_coprime.c: greatest common divisors over Z of operands of which a few coefficients are much
 * longer than the others, if they have no common factor but integers.
 *
 * Let a prime not divide both leading coefficients: the image of a common divisor has its degree,
 * and divides the gcd of the images. If that is constant, so is every common divisor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "image.h"
#include "zgcd.h"
#include "zresidues.h"
#include "zsplit.h"
#include "zlinear.h"

/* Numbers that are projected at once, of up to SHORT limbs; longer ones one by one. */
enum { TILE = 256, SHORT = 4 };

typedef struct projection {
    gfp_zcall *call;
    const gfp_words_basis *basis;
    uint64_t *tile, *work;
} projection;

/* z := the residues of coefficients from <= i < from + n of a. */
static void project_tile(const projection *w, uint64_t *z, const gfp_zvec *a, size_t from, size_t n)
{
    const gfp_level level = w->call->ring->level;
    memset(w->tile, 0, TILE * SHORT * sizeof *w->tile);
    for (size_t i = 0; i < n; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(a, from + i, &width);
        const size_t own = gfp_z_own_width(x, width);
        if (own <= SHORT) {
            gfp_z_resize(w->tile + i * SHORT, SHORT, x, own);
        }
    }
    gfp_words_project(&(gfp_words_residues){w->basis, level, 0, 1, z, 0}, w->tile, SHORT, n,
                      w->work);
    for (size_t i = 0; i < n; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(a, from + i, &width);
        const size_t own = gfp_z_own_width(x, width);
        if (own > SHORT) {
            const gfp_words_residues one = {w->basis, level, 0, 1, z + i * GFP_WORDS, 0};
            gfp_words_project(&one, x, own, 1, w->work);
        }
    }
}

static void project(const projection *w, uint64_t *z, const gfp_zvec *a, size_t len)
{
    for (size_t i = 0; i < len; i += TILE) {
        project_tile(w, z + i * GFP_WORDS, a, i, gfp_size_min(TILE, len - i));
    }
}

/* *coprime := whether the gcd modulo some prime of the basis's block proves that the operands, of
 * these lengths, have no common divisor of positive degree. */
static gfp_status compare_images(gfp_zcall *call, bool *coprime, const gfp_words_basis *basis,
                                 const gfp_zvec *const f[2], const size_t len[2])
{
    const gfp_words *block;
    const size_t of_a = gfp_z_width(gfp_zvec_bits(f[0])), of_b = gfp_z_width(gfp_zvec_bits(f[1]));
    const size_t many = gfp_z_project_words(basis, SHORT, TILE);
    const size_t one = gfp_z_project_words(basis, of_a > of_b ? of_a : of_b, 1);
    projection w = {.call = call, .basis = basis};
    uint64_t *z, *g, *work;
    size_t lengths[GFP_WORDS];
    GFP_TRY(gfp_words_supply_block(call->ring->supply, 0, &block));
    GFP_TRY(gfp_zcall_array(call, &z, gfp_size_mul_sat(len[0] + len[1], GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(call, &g, gfp_size_mul_sat(gfp_size_min(len[0], len[1]), GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(call, &work, gfp_words_image_work_words(len[0], len[1])));
    GFP_TRY(gfp_zcall_array(call, &w.tile, TILE * SHORT));
    GFP_TRY(gfp_zcall_array(call, &w.work, many > one ? many : one));
    uint64_t *y = z + len[0] * GFP_WORDS;
    project(&w, z, f[0], len[0]);
    project(&w, y, f[1], len[1]);
    const gfp_words_image_pair pair = {block, z, y, len[0], len[1]};
    gfp_words_image_gcd(&pair, call->ring->level, g, lengths, work);
    *coprime = false;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        const uint64_t leads = z[(len[0] - 1) * GFP_WORDS + i] | y[(len[1] - 1) * GFP_WORDS + i];
        *coprime = *coprime || (lengths[i] == 1 && leads != 0);
    }
    return GFP_OK;
}

static gfp_status are_coprime(gfp_zcall *call, bool *coprime, const gfp_zvec *const f[2])
{
    const size_t len[] = {gfp_zvec_length(f[0]), gfp_zvec_length(f[1])};
    gfp_zring_basis basis;
    *coprime = len[0] == 1 || len[1] == 1;
    if (*coprime || len[0] == 0 || len[1] == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zcall_step_on(call, 0.8, 1, 4 * (double)len[0] * (double)len[1]));
    GFP_TRY(gfp_zblocks_take(call, &basis, 0, 1, false));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    const gfp_status status = compare_images(call, coprime, basis.basis, f, len);
    gfp_zcall_release(call, mark);
    gfp_zblocks_give(call, &basis);
    return status;
}

/* z := f / c, c > 0 a divisor of all coefficients. */
static gfp_status divide(gfp_zcall *call, gfp_zvec *z, const gfp_zvec *f, gfp_znat c)
{
    gfp_ztemp copy;
    if (gfp_znat_is_one(c)) {
        return gfp_zvec_set_result(z, f);
    }
    gfp_ztemp_init(call, &copy);
    gfp_status status = gfp_zvec_set(&copy.v, f);
    for (size_t i = 0; i < f->len && status == GFP_OK; i++) {
        const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
        size_t width;
        gfp_znat x, quotient;
        uint64_t *to = (uint64_t *)gfp_zvec_get(&copy.v, i, &width);
        const bool negative = gfp_z_negative(to, width);
        status = gfp_znat_of(call, &x, to, width);
        status = status == GFP_OK ? gfp_znat_divide_exact(call, &quotient, x, c) : status;
        if (status == GFP_OK) {
            gfp_z_put(to, width, quotient.limbs, quotient.n, negative);
        }
        gfp_zcall_release(call, mark);
    }
    status = status == GFP_OK ? gfp_zvec_set_result(z, &copy.v) : status;
    gfp_ztemp_clear(call, &copy);
    return status;
}

/* made := the gcd and the quotients of operands without common divisors but integers. */
static gfp_status deliver(gfp_zcall *call, gfp_zvec made[3], const gfp_zvec *const f[2])
{
    gfp_znat of_a, of_b, g;
    GFP_TRY(gfp_zvec_content_of(call, &of_a, f[0]));
    GFP_TRY(gfp_zvec_content_of(call, &of_b, f[1]));
    GFP_TRY(gfp_znat_gcd(call, &g, of_a, of_b));
    g.limbs[g.n] = 0; /* a sign */
    GFP_TRY(gfp_zvec_set_polynomial(&made[0], g.limbs, 1, g.n + 1));
    for (unsigned i = 0; i < 2 && call->cofactors; i++) {
        GFP_TRY(divide(call, &made[1 + i], f[i], g));
    }
    if (call->options->verify == GFP_VERIFY_POINT) {
        gfp_zcall_checks(call);
        gfp_zcall_part(call, 0.97);
        GFP_TRY(gfp_zsplit_check(call, &made[0], &made[1], f[0]));
        gfp_zcall_part(call, 1);
        GFP_TRY(gfp_zsplit_check(call, &made[0], &made[2], f[1]));
    }
    return gfp_zcall_finish(call);
}

gfp_status gfp_zgcd_coprime(gfp_zcall *call, bool *done, gfp_zvec *const *output, size_t count,
                            const gfp_zvec *const f[2])
{
    gfp_zvec made[3];
    *done = false;
    if (call->method != GFP_Z_AUTO || call->options->verify == GFP_VERIFY_CROSS ||
        (!gfp_zvec_looks_ragged(f[0]) && !gfp_zvec_looks_ragged(f[1]))) {
        return GFP_OK;
    }
    gfp_zcall_part(call, 0.95);
    GFP_TRY(are_coprime(call, done, f));
    if (!*done) {
        return GFP_OK;
    }
    call->report.method = gfp_zmethod_names[GFP_Z_WORDS];
    for (unsigned i = 0; i < 3; i++) {
        gfp_zvec_init(&made[i], call->ring);
    }
    const gfp_status status = deliver(call, made, f);
    for (unsigned i = 0; i < 3; i++) {
        if (status == GFP_OK && i < count) {
            gfp_zvec_swap(output[i], &made[i]);
        }
        gfp_zvec_clear(&made[i]);
    }
    return status;
}
