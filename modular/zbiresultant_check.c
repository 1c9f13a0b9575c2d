/* zbiresultant_check.c: whether r is the resultant of two bivariate polynomials over Z, at a random
 * point x modulo each of eight random primes q: Res_Y(a(x, Y), b(x, Y)) = r(x) modulo q.
 *
 * D = Res_Y(a, b) - r has the degree d at most and |D_i| < 2^(bits + 1). If D is not 0, a
 * coefficient is not 0, which at most (bits + 1) / 49 of the primes divide that are drawn from;
 * modulo another prime D vanishes at no more than d of more than 2^49 points. d / 2^49 is what
 * another d / 2^22 bits would contribute to the first share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "image.h"
#include "zbiresultant.h"
#include "zvalues.h"

static size_t widest(const gfp_zbipair *pair)
{
    const size_t of_a = gfp_zbipoly_width(pair->a), of_b = gfp_zbipoly_width(pair->b);
    const size_t width = gfp_z_width(pair->bits), most = of_a > of_b ? of_a : of_b;
    return width > most ? width : most;
}

static gfp_status compare(gfp_zvalues *v, const uint64_t *r, const gfp_zbipair *pair)
{
    const gfp_zbipoly *a = pair->a, *b = pair->b;
    uint64_t *za, *zb, *work, x[GFP_WORDS], of_r[GFP_WORDS], value[GFP_WORDS];
    GFP_TRY(gfp_zcall_array(v->call, &za, gfp_size_mul_sat(a->len, GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(v->call, &zb, gfp_size_mul_sat(b->len, GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(v->call, &work, gfp_words_image_work_words(a->len, b->len)));
    gfp_zvalues_draw(v, x);
    gfp_zvalues_rows(v, za, x, a);
    gfp_zvalues_rows(v, zb, x, b);
    gfp_zvalues_at(v, of_r, x, r, pair->degree + 1, gfp_z_width(pair->bits));
    const gfp_words_image_pair at_x = {&v->block, za, zb, a->len, b->len};
    gfp_words_image_resultant(&at_x, v->call->ring->level, value, work);
    return memcmp(value, of_r, sizeof value) == 0 ? GFP_OK : gfp_zcall_wrong(v->call);
}

gfp_status gfp_zbiresultant_check(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair)
{
    gfp_zvalues v;
    gfp_status status = gfp_zvalues_begin(call, &v, widest(pair));
    if (status == GFP_OK) {
        status = compare(&v, r, pair);
    }
    gfp_zvalues_end(&v);
    gfp_zcall_compared(call, (double)pair->bits + 2 + (double)pair->degree * 0x1p-22);
    return status;
}
