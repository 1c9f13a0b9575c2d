/* residues.c: see residues.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/residues.h"

#include <math.h>

/* Blocks of a basis whose creation is counted: some milliseconds. */
#define LONG_BASIS 256

/* Counts the bytes of a basis that the ring does not keep. */
static gfp_status count_bytes(gfp_zcall *call, gfp_zring_basis *basis)
{
    const gfp_status status = gfp_call_take(&call->base, gfp_words_basis_bytes(basis->basis));
    if (status != GFP_OK) {
        gfp_zring_give(basis);
    }
    return status;
}

gfp_status gfp_zblocks_take(gfp_zcall *call, gfp_zring_basis *basis, size_t first, size_t count,
                            bool few)
{
    *basis = (gfp_zring_basis){NULL, true};
    if (count > GFP_Z_MOST_BLOCKS || first > GFP_Z_MOST_BLOCKS - count) {
        return gfp_error_set(&call->base.error, GFP_ERR_SIZE,
                             "%s: the result has more bits than the word-size primes together",
                             call->base.name);
    }
    /* A long basis is a step of its own: a unit for each block on each of three ways along its
     * tree. */
    if (count >= LONG_BASIS && (first > 0 || gfp_zring_kept(call->ring, count, few) == NULL)) {
        const double units = (double)count * (3 * log2((double)count) - 5);
        GFP_TRY(gfp_zcall_step_on(call, 0.05, units, 1024));
    }
    GFP_TRY(gfp_zring_take(call->ring, basis, first, count, few,
                           count >= LONG_BASIS ? &call->base.task : NULL));
    return basis->kept ? GFP_OK : count_bytes(call, basis);
}

gfp_status gfp_zblocks_choose(gfp_zcall *call, gfp_zring_basis *basis,
                              const gfp_words *const *blocks, const uint8_t *use, size_t count)
{
    *basis = (gfp_zring_basis){NULL, false};
    GFP_TRY(gfp_words_basis_create(&basis->basis, blocks, use, count, &call->ring->allocator));
    return count_bytes(call, basis);
}

void gfp_zblocks_give(gfp_zcall *call, gfp_zring_basis *basis)
{
    if (!basis->kept && basis->basis != NULL) {
        gfp_call_give(&call->base, gfp_words_basis_bytes(basis->basis));
    }
    gfp_zring_give(basis);
}

size_t gfp_z_project_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    return gfp_size_add_sat(gfp_words_project_words(basis, width, n), 7) / 8 * 8;
}

/* ---- polynomials whose coefficients have widths of their own ---- */

/* Numbers that are projected at once, of up to SHORT limbs; longer ones one by one. */
enum { TILE = 256, SHORT = 4 };

size_t gfp_z_project_each_words(const gfp_words_basis *basis, size_t width)
{
    const size_t many = gfp_z_project_words(basis, SHORT, TILE);
    const size_t one = gfp_z_project_words(basis, width, 1);
    return gfp_size_add_sat(TILE * SHORT, many > one ? many : one);
}

size_t gfp_zpoly_project_words(const gfp_words_basis *basis, gfp_zpoly a)
{
    if (a.width > 0) {
        return gfp_z_project_words(basis, a.width, a.len);
    }
    return gfp_z_project_each_words(basis, gfp_zpoly_widest(a));
}

/* z of r := the residues of coefficients from <= i < from + n. */
static void project_tile(const gfp_words_residues *r, gfp_zpoly a, size_t from, size_t n,
                         uint64_t *tile)
{
    uint64_t *work = tile + TILE * SHORT;
    gfp_words_residues one = *r;
    memset(tile, 0, TILE * SHORT * sizeof *tile);
    for (size_t i = 0; i < n; i++) {
        size_t width;
        const uint64_t *x = gfp_zpoly_get(a, from + i, &width);
        if (width <= SHORT) {
            gfp_z_resize(tile + i * SHORT, SHORT, x, width);
        }
    }
    gfp_words_project(r, tile, SHORT, n, work);
    for (size_t i = 0; i < n; i++) {
        size_t width;
        const uint64_t *x = gfp_zpoly_get(a, from + i, &width);
        if (width > SHORT) {
            one.z = r->z + i * GFP_WORDS;
            gfp_words_project(&one, x, width, 1, work);
        }
    }
}

void gfp_zpoly_project_part(const gfp_words_residues *r, gfp_zpoly a, size_t from, size_t n,
                            uint64_t *work)
{
    gfp_words_residues part = *r;
    if (a.width > 0) {
        gfp_words_project(r, gfp_zpoly_at(a, from), a.width, n, work);
        return;
    }
    for (size_t i = 0; i < n; i += TILE) {
        part.z = r->z + i * GFP_WORDS;
        project_tile(&part, a, from + i, gfp_size_min(TILE, n - i), work);
    }
}

void gfp_zpoly_project(const gfp_words_residues *r, gfp_zpoly a, uint64_t *work)
{
    gfp_zpoly_project_part(r, a, 0, a.len, work);
}
