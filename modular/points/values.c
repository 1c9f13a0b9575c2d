/* values.c: see values.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/values.h"

#include "fft/words/ntt.h"

#define TILE 256

gfp_status gfp_zvalues_begin(gfp_zcall *call, gfp_zvalues *v, size_t width, double bits,
                             double degree)
{
    *v = (gfp_zvalues){.call = call};
    const gfp_words *const blocks[] = {&v->block};
    GFP_TRY(gfp_zcall_random_block(call, &v->block, bits, degree));
    gfp_random_seed(&v->random, v->block.q[0] ^ v->block.q[1] << 14);
    GFP_TRY(gfp_words_basis_create(&v->basis, blocks, NULL, 1, &call->ring->allocator));
    GFP_TRY(gfp_call_take(&call->base, gfp_words_basis_bytes(v->basis)));
    GFP_TRY(gfp_call_array(&call->base, &v->residues, TILE * GFP_WORDS));
    const size_t all = gfp_z_project_words(v->basis, width, TILE);
    const size_t each = gfp_z_project_each_words(v->basis, width);
    return gfp_call_array(&call->base, &v->work, all > each ? all : each);
}

void gfp_zvalues_end(gfp_zvalues *v)
{
    gfp_words_basis_destroy(v->basis);
    v->basis = NULL;
}

void gfp_zvalues_draw(gfp_zvalues *v, uint64_t x[GFP_WORDS])
{
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        x[l] = gfp_random_below(&v->random, v->block.q[l]);
    }
}

static void values_of(const gfp_zvalues *v, uint64_t y[GFP_WORDS], const uint64_t x[GFP_WORDS],
                      gfp_zpoly f)
{
    const gfp_level level = v->call->ring->level;
    memset(y, 0, GFP_WORDS * sizeof *y);
    for (size_t end = f.len; end > 0;) {
        const size_t n = gfp_size_min(end, TILE);
        end -= n;
        gfp_zpoly_project_part(&(gfp_words_residues){v->basis, level, 0, 1, v->residues, 0}, f, end,
                               n, v->work);
        gfp_words_ntt_get(level)->evaluate(&v->block, y, x, v->residues, n);
    }
}

void gfp_zvalues_at(const gfp_zvalues *v, uint64_t y[GFP_WORDS], const uint64_t x[GFP_WORDS],
                    const uint64_t *c, size_t len, size_t width)
{
    values_of(v, y, x, (gfp_zpoly){(uint64_t *)c, len, width});
}

void gfp_zvalues_rows(const gfp_zvalues *v, uint64_t *z, const uint64_t x[GFP_WORDS],
                      const gfp_zbipoly *f)
{
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        values_of(v, z + j * GFP_WORDS, x, (gfp_zpoly){row->limbs, row->len, row->width});
    }
}

size_t gfp_zbipoly_width(const gfp_zbipoly *f)
{
    size_t width = 1;
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        const size_t own = gfp_zpoly_widest((gfp_zpoly){row->limbs, row->len, row->width});
        width = own > width ? own : width;
    }
    return width;
}
