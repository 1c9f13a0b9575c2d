/* points.c: see points.h: the parts of points, the portable level, and the choice of a level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_portable.h"

#include "field/base/support.h"
#include "crt/blocks/kernels/points.h"

#define KERNELS gfp_points_portable
#include "crt/blocks/kernels/points.inc"

const gfp_points_kernels *gfp_points_get(gfp_level level)
{
    static const gfp_points_kernels *const rows[GFP_LEVEL_COUNT] =
        GFP_LEVEL_ROWS(&gfp_points_portable, &gfp_points_avx2, &gfp_points_avx512dq,
                       &gfp_points_avx512, &gfp_points_avx2);
    return rows[level];
}

static unsigned floor_log2(size_t n)
{
    unsigned log2 = 0;
    while (n >> log2 > 1) {
        log2++;
    }
    return log2;
}

bool gfp_points_plan(gfp_points *p, size_t n, unsigned log2_group)
{
    *p = (gfp_points){.log2_group = log2_group};
    if (n > (size_t)1 << GFP_WORDS_LOG2_ORDER) {
        return false;
    }
    for (size_t left = n; left > 0 && p->parts < GFP_POINTS_PARTS; p->parts++) {
        unsigned log2_m = floor_log2(left);
        const bool last = p->parts == GFP_POINTS_PARTS - 1 || log2_m < log2_group;
        if (last && (size_t)1 << log2_m < left) {
            log2_m++; /* at most the part before, or L */
        }
        const size_t m = (size_t)1 << log2_m;
        p->part[p->parts].log2_m = log2_m;
        p->part[p->parts].log2_order = p->parts == 0 ? 0 : p->part[0].log2_m + p->parts;
        p->part[p->parts].from = p->n;
        p->n += m;
        left = left > m ? left - m : 0;
    }
    return p->part[0].log2_m + p->parts - 1 <= GFP_WORDS_LOG2_ORDER;
}

size_t gfp_points_group_words(const gfp_points_pair *pair)
{
    const size_t longer = pair->a.len_x > pair->b.len_x ? pair->a.len_x : pair->b.len_x;
    const size_t points = (size_t)1 << pair->points->log2_group;
    /* Roots and powers, of up to all columns where the last group has one point; and a word for
     * each column. */
    const size_t forms = gfp_size_add_sat(longer, points + 1);
    return gfp_size_mul_sat(GFP_WORDS, gfp_size_add_sat(forms, longer / GFP_WORDS + 1));
}

size_t gfp_points_interpolate_words(const gfp_points *points)
{
    return ((size_t)1 << points->part[0].log2_m) * GFP_WORDS;
}
