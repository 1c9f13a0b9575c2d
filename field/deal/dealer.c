/* dealer.c: dealers, and the status that all ranks agree on at the end of a call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/deal/dealer.h"

#include <string.h>

#include "field/base/support.h"

/* A loop that costs less is computed by every rank: some 4 ms, where dealing and gathering take
 * some 0.1 ms. */
#define LEAST_COST ((double)(1 << 22))

/* ---- failures ---- */

void gfp_deal_fail(gfp_deal_state *d, gfp_status status, const char *text)
{
    if (d->failure.status == GFP_OK) {
        gfp_error_fill(&d->failure, status, "%s", text);
    }
}

gfp_status gfp_deal_check(gfp_deal_state *d, gfp_status status)
{
    if (status != GFP_OK && d->failure.status == GFP_OK) {
        d->transport.reason(d->transport.user, &d->failure);
        d->failure.status = status;
    }
    return status;
}

gfp_status gfp_deal_refuse(gfp_deal_state *d, const char *reason)
{
    d->transport.fail(d->transport.user, reason);
    return gfp_deal_check(d, GFP_ERR_IO);
}

void gfp_deal_differ(gfp_deal_state *d)
{
    gfp_deal_fail(d, GFP_ERR_ARGUMENT,
                  "ranks have different operands, options, kernel levels (GFPOLY_CPU) or versions");
}

void gfp_deal_note_end(gfp_deal_state *d, unsigned rank, const gfp_deal_message *m)
{
    if (!d->ended[rank]) {
        d->ended[rank] = true;
        d->ended_count++;
    }
    if (m->status != GFP_OK && d->failure.status == GFP_OK) {
        gfp_error_fill(&d->failure, (gfp_status)m->status, "rank %u: %.200s", rank, m->text);
        d->failure.index = m->from;
    }
}

/* ---- messages ---- */

#define WRONG_SIZE "a message of ranks has a wrong size"

gfp_status gfp_deal_tell(gfp_deal_state *d, unsigned to, gfp_deal_kind kind, uint64_t key,
                         const size_t items[2])
{
    gfp_deal_message m = {.kind = kind, .key = key, .status = d->failure.status};
    if (items != NULL) {
        m.from = items[0];
        m.to = items[1];
    } else {
        m.from = d->failure.index;
    }
    memcpy(m.text, d->failure.message, sizeof m.text);
    return gfp_deal_check(d, d->transport.send(d->transport.user, to, &m, sizeof m));
}

gfp_status gfp_deal_receive(gfp_deal_state *d, unsigned from, size_t bytes, void *buffer,
                            size_t size)
{
    if (bytes < sizeof(gfp_deal_message) || bytes > size) {
        return gfp_deal_refuse(d, WRONG_SIZE);
    }
    d->transport.receive(d->transport.user, from, buffer, bytes);
    return GFP_OK;
}

/* ---- the end of a call ---- */

/* Waits for a message. *is_head: whether it has no results; then *m is the message. Results are
 * those of a loop that was given up, and are discarded. */
static gfp_status next_message(gfp_deal_state *d, gfp_deal_message *m, unsigned *from,
                               bool *is_head)
{
    size_t bytes = 0;
    while (bytes == 0) {
        GFP_TRY(gfp_deal_check(d, d->transport.probe(d->transport.user, true, from, &bytes)));
    }
    if (bytes < sizeof *m) {
        return gfp_deal_refuse(d, WRONG_SIZE);
    }
    *is_head = bytes == sizeof *m;
    d->transport.receive(d->transport.user, *from, *is_head ? m : NULL, bytes);
    return GFP_OK;
}

/* Rank 0: waits for the END of all other ranks, and answers. */
static gfp_status collect_ends(gfp_deal_state *d)
{
    const unsigned others = d->transport.ranks - 1;
    gfp_deal_message m;
    unsigned from;
    bool is_head;
    while (d->ended_count < others) {
        GFP_TRY(next_message(d, &m, &from, &is_head));
        if (is_head && m.kind == GFP_DEAL_END) {
            gfp_deal_note_end(d, from, &m);
            if (m.status == GFP_OK && m.key != d->base.key) {
                gfp_deal_differ(d);
            }
        } else if (is_head && m.kind == GFP_DEAL_OPEN) {
            gfp_deal_differ(d); /* unless a failure is why this rank is here */
            GFP_TRY(gfp_deal_tell(d, from, GFP_DEAL_CLOSE, 0, NULL));
        } else if (is_head && m.kind != GFP_DEAL_DONE) {
            return gfp_deal_refuse(d, GFP_DEAL_OUT_OF_ORDER);
        }
    }
    for (unsigned i = 1; i <= others; i++) {
        GFP_TRY(gfp_deal_tell(d, i, GFP_DEAL_ANSWER, 0, NULL));
    }
    return GFP_OK;
}

/* Another rank: sends END, and waits for the answer. */
static gfp_status await_answer(gfp_deal_state *d)
{
    gfp_deal_message m = {.kind = GFP_DEAL_END};
    unsigned from;
    bool is_head;
    GFP_TRY(gfp_deal_tell(d, 0, GFP_DEAL_END, d->base.key, NULL));
    while (m.kind != GFP_DEAL_ANSWER) {
        GFP_TRY(next_message(d, &m, &from, &is_head));
    }
    if (m.status == GFP_OK) {
        return GFP_OK;
    }
    d->failure = (gfp_error){.status = GFP_OK};
    gfp_deal_fail(d, (gfp_status)m.status, m.text);
    d->failure.index = m.from;
    return GFP_OK;
}

static gfp_status deal_agree(gfp_dealer *dealer, gfp_status status, gfp_error *error)
{
    gfp_deal_state *d = (gfp_deal_state *)dealer;
    if (status != GFP_OK && d->failure.status == GFP_OK) {
        d->failure = *error;
    }
    if (d->transport.ranks > 1) {
        /* A failure of the transport is in d->failure. */
        (void)(d->transport.rank == 0 ? collect_ends(d) : await_answer(d));
        memset(d->ended, 0, d->transport.ranks * sizeof *d->ended);
        d->ended_count = 0;
    }
    const gfp_status agreed = d->failure.status;
    if (agreed != GFP_OK) {
        *error = d->failure;
    }
    d->failure = (gfp_error){.status = GFP_OK};
    return agreed;
}

/* ---- make ---- */

static void deal_destroy(gfp_dealer *dealer)
{
    gfp_deal_state *d = (gfp_deal_state *)dealer;
    gfp_checkpoint_close(d->file);
    d->transport.destroy(d->transport.user);
    gfp_release(&gfp_default_allocator, d->ended, d->transport.ranks, sizeof *d->ended);
    gfp_release(&gfp_default_allocator, d, 1, sizeof *d);
}

gfp_status gfp_deal_create(gfp_dealer **dealer, const gfp_transport *transport,
                           gfp_checkpoint *file)
{
    static const gfp_dealer_kind kind = {gfp_deal_loop_run, deal_agree, deal_destroy,
                                         gfp_checkpoint_mix};
    gfp_deal_state *d = gfp_allocate(&gfp_default_allocator, 1, sizeof *d);
    bool *ended = gfp_allocate(&gfp_default_allocator, transport->ranks, sizeof *ended);
    if (d == NULL || ended == NULL) {
        gfp_release(&gfp_default_allocator, d, 1, sizeof *d);
        gfp_release(&gfp_default_allocator, ended, transport->ranks, sizeof *ended);
        transport->destroy(transport->user);
        gfp_checkpoint_close(file);
        return GFP_ERR_MEMORY;
    }
    memset(ended, 0, transport->ranks * sizeof *ended);
    *d = (gfp_deal_state){.base = {.kind = &kind, .least = LEAST_COST},
                          .transport = *transport,
                          .file = file,
                          .ended = ended};
    *dealer = &d->base;
    return GFP_OK;
}

/* ---- one rank ---- */

static void alone_destroy(void *user)
{
    (void)user;
}

gfp_status gfp_dealer_create(gfp_dealer **dealer, const char *checkpoint, gfp_error *error)
{
    static const gfp_transport alone = {.ranks = 1, .destroy = alone_destroy};
    gfp_checkpoint *file;
    if (dealer == NULL || checkpoint == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "gfp_dealer_create: an argument is NULL");
    }
    GFP_TRY(gfp_checkpoint_open(&file, checkpoint, error));
    const gfp_status status = gfp_deal_create(dealer, &alone, file);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "no memory");
    }
    return GFP_OK;
}

void gfp_dealer_destroy(gfp_dealer *dealer)
{
    if (dealer != NULL) {
        dealer->kind->destroy(dealer);
    }
}

gfp_dealer_info gfp_dealer_get_info(const gfp_dealer *dealer)
{
    const gfp_deal_state *d = (const gfp_deal_state *)dealer;
    return (gfp_dealer_info){.locked = d->file == NULL || gfp_checkpoint_locked(d->file),
                             .restored = d->restored};
}
