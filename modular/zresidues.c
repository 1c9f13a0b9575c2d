/* zresidues.c: see zresidues.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zresidues.h"

#include <math.h>

/* Blocks of a basis whose creation is counted: some milliseconds. */
#define LONG_BASIS 256

/* Counts the bytes of a basis that the ring does not keep. */
static gfp_status count_bytes(gfp_zcall *call, gfp_zring_basis *basis)
{
    const gfp_status status = gfp_zcall_may_take(call, gfp_words_basis_bytes(basis->basis));
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
        return gfp_error_set(&call->error, GFP_ERR_SIZE,
                             "%s: the result has more bits than the word-size primes together",
                             call->name);
    }
    /* A long basis is a step of its own: a unit for each block on each of three ways along its
     * tree. */
    if (count >= LONG_BASIS && (first > 0 || gfp_zring_kept(call->ring, count, few) == NULL)) {
        const double units = (double)count * (3 * log2((double)count) - 5);
        GFP_TRY(gfp_zcall_step_on(call, 0.05, units, 1024));
    }
    GFP_TRY(gfp_zring_take(call->ring, basis, first, count, few,
                           count >= LONG_BASIS ? &call->task : NULL));
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
        gfp_zcall_give_back(call, gfp_words_basis_bytes(basis->basis));
    }
    gfp_zring_give(basis);
}

size_t gfp_z_project_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    return gfp_size_add_sat(gfp_words_project_words(basis, width, n), 7) / 8 * 8;
}
