/* copy.c: transfers of rows of words between the host and the device. Pinned memory is copied
 * directly; other memory through a ring of pinned slots, which threads fill or empty while earlier
 * slots are on the bus. Several devices take turns, slot by slot.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "product/device/pool.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* Words that a thread copies at once. */
#define PIECE_WORDS ((size_t)1 << 15)

/* ---- between rows and a slot ---- */

/* Words first, ..., first + words - 1 of the rows, one row after another, and a slot. */
typedef struct move {
    const gfp_host_rows *rows;
    uint64_t *slot;
    size_t first, words;
    bool to_slot;
} move;

static void move_words(const move *m, size_t from, size_t to)
{
    const gfp_host_rows *x = m->rows;
    while (from < to) {
        const size_t at = m->first + from, row = at / x->len, inside = at % x->len;
        const size_t n = gfp_size_min(x->len - inside, to - from);
        uint64_t *host = x->at + row * x->stride + inside, *slot = m->slot + from;
        memcpy(m->to_slot ? slot : host, m->to_slot ? host : slot, n * sizeof *slot);
        from += n;
    }
}

/* Items are pieces of PIECE_WORDS words. */
static gfp_status move_pieces(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const move *m = user;
    (void)worker;
    (void)task;
    move_words(m, from * PIECE_WORDS, gfp_size_min(to * PIECE_WORDS, m->words));
    return GFP_OK;
}

static gfp_status run_move(move *m, gfp_task *task)
{
    const gfp_parallel loop = {.run = move_pieces, .job = m};
    const size_t pieces = (m->words + PIECE_WORDS - 1) / PIECE_WORDS;
    GFP_TRY(gfp_parallel_for(&loop, task, pieces, 1));
    return gfp_task_advance(task, (double)m->words) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- slots ---- */

static size_t slot_words(size_t words)
{
    const size_t least = (words + GFP_POOL_SLOTS - 1) / GFP_POOL_SLOTS;
    return gfp_size_min(GFP_SLOT_WORDS, (least + 511) / 512 * 512);
}

static size_t ring_bytes(size_t words)
{
    return words < GFP_STAGED_WORDS ? 0 : GFP_POOL_SLOTS * slot_words(words) * sizeof(uint64_t);
}

size_t gfp_staging_bytes(size_t up_words, size_t down_words)
{
    return ring_bytes(up_words) + ring_bytes(down_words);
}

static gfp_status make_slots(gfp_pool_entry *entry, gfp_pool_ring *ring, size_t words)
{
    void *block = NULL;
    if (ring->words != NULL && ring->slot >= slot_words(words)) {
        return GFP_OK;
    }
    for (size_t i = 0; i < GFP_POOL_SLOTS; i++) { /* the old slots may still be on the bus */
        GFP_TRY(gfp_gpu_fence_wait(ring->fence[i]));
    }
    gfp_gpu_host_release(ring->words, entry->gpu);
    ring->words = NULL;
    GFP_TRY(gfp_gpu_host_allocate(&block, entry->gpu,
                                  GFP_POOL_SLOTS * slot_words(words) * sizeof(uint64_t), NULL));
    ring->words = block;
    ring->slot = slot_words(words);
    ring->next = 0;
    return GFP_OK;
}

static uint64_t *slot_at(const gfp_pool_ring *ring, unsigned slot)
{
    return ring->words + slot * ring->slot;
}

/* ---- transfers ---- */

static size_t words_of(const gfp_host_rows *x)
{
    return x->rows * x->len;
}

/* Whether the driver copies the rows without slots: one block, pinned or short. */
static gfp_status goes_directly(gfp_pool_entry *entry, const gfp_host_rows *x, bool *directly)
{
    *directly = x->stride == x->len || x->rows == 1;
    if (!*directly || words_of(x) < GFP_STAGED_WORDS) {
        return GFP_OK;
    }
    return gfp_gpu_host_is_pinned(entry->gpu, x->at, words_of(x) * sizeof *x->at, directly);
}

/* A slot and the words of the rows from `at` on. */
static move slot_move(const gfp_pool_transfer *x, const gfp_pool_ring *ring, unsigned slot,
                      size_t at)
{
    return (move){&x->rows, slot_at(ring, slot), at,
                  gfp_size_min(ring->slot, words_of(&x->rows) - at), !x->down};
}

/* Fills the next slot, once its last copy is done, and enqueues the upload. */
static gfp_status fill_slot(gfp_pool_transfer *x, gfp_task *task)
{
    gfp_pool_ring *ring = &x->entry->up;
    const unsigned slot = ring->next++ % GFP_POOL_SLOTS;
    move m = slot_move(x, ring, slot, x->begun);
    GFP_TRY(gfp_gpu_fence_wait(ring->fence[slot]));
    GFP_TRY(run_move(&m, task));
    GFP_TRY(gfp_gpu_upload_begin(x->array, x->first + x->begun, m.slot, m.words));
    GFP_TRY(gfp_gpu_fence_set(ring->fence[slot], GFP_GPU_QUEUE_UPLOAD));
    x->begun = x->done = x->begun + m.words;
    return GFP_OK;
}

/* Enqueues downloads to all free slots. */
static gfp_status begin_downloads(gfp_pool_transfer *x)
{
    gfp_pool_ring *ring = &x->entry->down;
    while (x->begun < words_of(&x->rows) && x->begun - x->done < GFP_POOL_SLOTS * ring->slot) {
        const unsigned slot = (unsigned)(x->begun / ring->slot % GFP_POOL_SLOTS);
        const move m = slot_move(x, ring, slot, x->begun);
        GFP_TRY(gfp_gpu_download_begin(m.slot, x->array, x->first + x->begun, m.words));
        GFP_TRY(gfp_gpu_fence_set(ring->fence[slot], GFP_GPU_QUEUE_DOWNLOAD));
        x->begun += m.words;
    }
    return GFP_OK;
}

/* Empties the slot of the first download under way once that is done. */
static gfp_status empty_slot(gfp_pool_transfer *x, gfp_task *task)
{
    gfp_pool_ring *ring = &x->entry->down;
    const unsigned slot = (unsigned)(x->done / ring->slot % GFP_POOL_SLOTS);
    move m = slot_move(x, ring, slot, x->done);
    GFP_TRY(gfp_gpu_fence_wait(ring->fence[slot]));
    GFP_TRY(run_move(&m, task));
    x->done += m.words;
    return begin_downloads(x);
}

/* Enqueues all of the transfer, or makes its slots. */
static gfp_status transfer_begin(gfp_pool_transfer *x, gfp_task *task)
{
    const size_t words = words_of(&x->rows);
    bool directly = false;
    x->begun = x->done = 0;
    GFP_TRY(goes_directly(x->entry, &x->rows, &directly));
    if (!directly) {
        GFP_TRY(make_slots(x->entry, x->down ? &x->entry->down : &x->entry->up, words));
        return x->down ? begin_downloads(x) : GFP_OK;
    }
    GFP_TRY(x->down ? gfp_gpu_download_begin(x->rows.at, x->array, x->first, words)
                    : gfp_gpu_upload_begin(x->array, x->first, x->rows.at, words));
    x->begun = x->done = words;
    return gfp_task_advance(task, (double)words) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_pool_transfer_all(gfp_pool_transfer *x, size_t count, gfp_task *task)
{
    bool more = true;
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(transfer_begin(&x[i], task));
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            if (x[i].done < words_of(&x[i].rows)) {
                GFP_TRY(x[i].down ? empty_slot(&x[i], task) : fill_slot(&x[i], task));
                more = true;
            }
        }
    }
    return GFP_OK;
}

gfp_status gfp_pool_upload(gfp_pool_entry *entry, gfp_gpu_array *array, const gfp_host_rows *from,
                           gfp_task *task)
{
    gfp_pool_transfer x = {.entry = entry, .array = array, .rows = *from};
    return gfp_pool_transfer_all(&x, 1, task);
}

gfp_status gfp_pool_download(gfp_pool_entry *entry, const gfp_host_rows *to,
                             const gfp_gpu_array *array, size_t first, gfp_task *task)
{
    gfp_pool_transfer x = {
        .entry = entry, .array = (gfp_gpu_array *)array, .rows = *to, .first = first, .down = true};
    return gfp_pool_transfer_all(&x, 1, task);
}
