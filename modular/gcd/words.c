/* words.c: greatest common divisors over Z by images modulo word-size primes.
 *
 * Let a and b be primitive, g their greatest common divisor, l the gcd of their leading
 * coefficients. Modulo a prime q that does not divide l, the monic gcd of the images has a degree
 * >= deg g; a prime with a greater degree is unlucky. If the degrees agree, l times the image is
 * the image of G = (l / lc(g)) g. By Landau and Mignotte |G| <= 2^deg(g) l min(|a|_2 / |lc(a)|,
 * |b|_2 / |lc(b)|).
 *
 * Images of the least degree seen are kept; a lesser degree discards those before. Their Chinese
 * remainder G, with residues least in absolute value, is a candidate once its coefficients are much
 * shorter than the product of the primes. Nothing is concluded from that: the primitive part of the
 * candidate is proved to divide a and b (proof.c). A common divisor of a degree >= deg g is g. A
 * candidate that is refuted may have too few primes, or unlucky ones: more are taken, beginning
 * with the block that refutes the candidate. If the product of the primes exceeds twice the bound,
 * the candidate is refuted because all of its primes are unlucky: its degree is too great, too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/gcd/impl.h"

#include "crt/blocks/kernels/euclid.h"
#include "field/base/word.h"
#include "crt/blocks/kernels/divide.h"
#include "modular/residues.h"

/* Coefficients that are recombined and measured before all are recombined. */
#define SAMPLE 4
/* Up to this number of blocks a round projects by the basis of all blocks, which the ring keeps. */
#define COMMON 24

typedef struct search {
    gfp_zcall *call;
    const gfp_zoperands *p;
    size_t len;  /* the least length of an image so far, or a bound below it */
    size_t most; /* the images' room: the shorter operand */
    size_t next; /* the next block */
    /* Kept images: blocks, the primes in use, and the images, step words for each block. */
    size_t count, room;
    const gfp_words **block;
    uint8_t *use;
    uint64_t *image;
    size_t step;
    bool whole; /* blocks 0 ... count - 1, all primes */
    /* Of a round. */
    const gfp_words_basis *basis;
    size_t first; /* of the basis that has the round's blocks */
    size_t *lengths;
    uint64_t *fresh, *memory;
    size_t each;
} search;

/* ---- images ---- */

static gfp_status run_images(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const search *s = job;
    const gfp_zpoly a = s->p->a, b = s->p->b;
    const gfp_level level = s->call->ring->level;
    uint64_t *za = s->memory + worker * s->each, *zb = za + a.len * GFP_WORDS;
    uint64_t *zl = zb + b.len * GFP_WORDS, *work = zl + GFP_WORDS;
    for (size_t j = from; j < to; j++) {
        const size_t index = s->next + j, at = index - s->first;
        const gfp_words *block;
        size_t *lengths = s->lengths + j * GFP_WORDS;
        uint64_t *z = s->fresh + j * s->step;
        GFP_TRY(gfp_words_supply_block(s->call->ring->supply, index, &block));
        gfp_zpoly_project(&(gfp_words_residues){s->basis, level, at, 1, za, 0}, a, work);
        gfp_zpoly_project(&(gfp_words_residues){s->basis, level, at, 1, zb, 0}, b, work);
        /* A limb above the magnitude holds the sign. */
        gfp_words_project(&(gfp_words_residues){s->basis, level, at, 1, zl, 0}, s->p->lead.limbs,
                          s->p->lead.n + 1, 1, work);
        const gfp_words_image_pair pair = {block, za, zb, a.len, b.len};
        gfp_words_image_gcd(&pair, level, z, lengths, work);
        gfp_words_scale(level, block, z, z, s->most, zl);
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            lengths[i] = zl[i] == 0 ? SIZE_MAX : lengths[i]; /* the prime divides l */
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The images of a block, and their lengths. */
static gfp_deal_span images_place(const void *job, size_t item, size_t part)
{
    const search *s = job;
    return part == 0
               ? (gfp_deal_span){s->fresh + item * s->step, s->step * sizeof *s->fresh}
               : (gfp_deal_span){s->lengths + item * GFP_WORDS, GFP_WORDS * sizeof *s->lengths};
}

static gfp_status compute_images(search *s, size_t count)
{
    gfp_zcall *call = s->call;
    const gfp_zpoly a = s->p->a, b = s->p->b;
    const gfp_deal_loop loop = {{run_images, s, NULL},
                                images_place,
                                2,
                                s->step * sizeof *s->fresh + GFP_WORDS * sizeof *s->lengths,
                                1,
                                GFP_DEAL_KEEP};
    const unsigned workers = gfp_parallel_workers(&call->base.task, count, 1);
    const size_t of_a = gfp_zpoly_project_words(s->basis, a);
    const size_t of_b = gfp_zpoly_project_words(s->basis, b);
    const size_t of_lead = gfp_z_project_words(s->basis, s->p->lead.n + 1, 1);
    const size_t image = (gfp_words_image_work_words(a.len, b.len) + 7) / 8 * 8;
    size_t work = of_a > of_b ? of_a : of_b;
    work = work > of_lead ? work : of_lead;
    work = work > image ? work : image;
    s->each = gfp_size_add_sat(gfp_size_mul_sat(a.len + b.len + 1, GFP_WORDS), work);
    GFP_TRY(gfp_call_array(&call->base, &s->memory, gfp_size_mul_sat(s->each, workers)));
    call->base.report.threads =
        workers > call->base.report.threads ? workers : call->base.report.threads;
    return gfp_call_deal(&call->base, &loop, count, 1);
}

/* ---- what is kept ---- */

static gfp_status make_room(search *s, size_t count)
{
    uint64_t *image, *block, *use;
    if (count <= s->room) {
        return GFP_OK;
    }
    const size_t room = s->room == 0 ? count : count + count / 2 + 4;
    GFP_TRY(gfp_call_array(&s->call->base, &image, gfp_size_mul_sat(s->step, room)));
    GFP_TRY(gfp_call_array(&s->call->base, &block, room));
    GFP_TRY(gfp_call_array(&s->call->base, &use, room));
    if (s->count > 0) {
        memcpy(image, s->image, s->count * s->step * sizeof *image);
        memcpy(block, s->block, s->count * sizeof(void *));
        memcpy(use, s->use, s->count);
    }
    s->image = image;
    s->block = (const gfp_words **)(void *)block;
    s->use = (uint8_t *)(void *)use;
    s->room = room;
    return GFP_OK;
}

static unsigned primes_in(unsigned use)
{
    unsigned count = 0;
    for (; use != 0; use /= 2) {
        count += use % 2;
    }
    return count;
}

/* Discards what is kept: all of its primes are unlucky. */
static void words_discard(search *s)
{
    for (size_t j = 0; j < s->count; j++) {
        s->call->base.report.unlucky_primes += primes_in(s->use[j]);
    }
    s->count = 0;
}

/* Keeps the images of a block that have the least length. */
static gfp_status words_keep(search *s, size_t j)
{
    const size_t *lengths = s->lengths + j * GFP_WORDS;
    size_t least = SIZE_MAX;
    unsigned use = 0;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        least = lengths[i] < least ? lengths[i] : least;
    }
    if (least < s->len) {
        s->len = least;
        words_discard(s);
        s->whole = s->next + j == 0;
    }
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        use |= (unsigned)(lengths[i] == s->len) << i;
    }
    s->whole = s->whole && use == UINT8_MAX;
    s->call->base.report.unlucky_primes += GFP_WORDS - primes_in(use);
    if (use == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_words_supply_block(s->call->ring->supply, s->next + j, &s->block[s->count]));
    memmove(s->image + s->count * s->step, s->fresh + j * s->step,
            s->len * GFP_WORDS * sizeof *s->image);
    s->use[s->count] = (uint8_t)use;
    s->count++;
    return GFP_OK;
}

/* Images modulo `count` more blocks. */
static gfp_status take_images(search *s, size_t count)
{
    gfp_zcall *call = s->call;
    gfp_zring_basis basis;
    uint64_t *lengths;
    s->first = s->next + count <= COMMON ? 0 : s->next;
    GFP_TRY(make_room(s, s->count + count));
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    s->fresh = s->image + s->count * s->step;
    GFP_TRY(gfp_call_array(&call->base, &lengths, count * GFP_WORDS));
    s->lengths = (size_t *)lengths;
    gfp_status status = gfp_zblocks_take(call, &basis, s->first, s->next + count - s->first, false);
    s->basis = basis.basis;
    if (status == GFP_OK) {
        status = compute_images(s, count);
    }
    gfp_zblocks_give(call, &basis);
    for (size_t j = 0; j < count && status == GFP_OK; j++) {
        status = words_keep(s, j);
    }
    gfp_call_release(&call->base, mark);
    s->next += count;
    return status;
}

/* ---- candidates ---- */

/* z := coefficients from <= i < to of the candidate. */
static gfp_status words_recombine(search *s, gfp_zpoly *z, const gfp_words_basis *basis,
                                  size_t from, size_t to)
{
    uint64_t *work;
    const size_t n = to - from;
    *z = (gfp_zpoly){NULL, n, gfp_words_basis_limbs(basis)};
    GFP_TRY(gfp_call_array(&s->call->base, &z->limbs, gfp_size_mul_sat(n, z->width)));
    GFP_TRY(gfp_call_array(&s->call->base, &work, gfp_words_recombine_words(basis, z->width, n)));
    gfp_words_recombine(basis, s->call->ring->level, z->limbs, z->width,
                        s->image + from * GFP_WORDS, s->step, n, work);
    return gfp_task_report(&s->call->base.task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* *is_short := whether the candidate is shorter than the product of its primes, or must be right;
 * then z := the candidate. */
static gfp_status candidate_of(search *s, bool *is_short, gfp_zpoly *z,
                               const gfp_words_basis *basis)
{
    const size_t bits = gfp_words_basis_bits(basis);
    const bool complete = (double)bits > gfp_zgcd_bits(s->p, s->len - 1);
    const gfp_call_mark mark = gfp_call_mark_here(&s->call->base);
    *is_short = complete;
    if (!complete) {
        const size_t n = gfp_size_min(SAMPLE, s->len - 1);
        GFP_TRY(words_recombine(s, z, basis, 0, n));
        *is_short = gfp_zpoly_bits(*z) + GFP_ZGCD_GAP < bits;
        gfp_call_release(&s->call->base, mark);
    }
    if (*is_short) {
        GFP_TRY(words_recombine(s, z, basis, 0, s->len));
        *is_short = complete || gfp_zpoly_bits(*z) + GFP_ZGCD_GAP < bits;
    }
    return GFP_OK;
}

/* Proves the candidate, or discards what its refutation excludes. */
static gfp_status try_candidate(search *s, bool *proved, gfp_zdivisor *d,
                                const gfp_words_basis *basis)
{
    gfp_zpoly z;
    size_t block;
    bool is_short;
    *proved = false;
    GFP_TRY(candidate_of(s, &is_short, &z, basis));
    if (!is_short) {
        const gfp_zgcd_images images = {basis,  s->block, s->use, s->count,
                                        s->len, s->image, s->step};
        return gfp_zgcd_by_cofactor(s->call, proved, d, s->p, &images);
    }
    GFP_TRY(gfp_zgcd_prove(s->call, proved, d, s->p, z, &block));
    if (!*proved) {
        if (block > s->next) {
            s->next = block;
            s->whole = false;
        }
        if ((double)gfp_words_basis_bits(basis) > gfp_zgcd_bits(s->p, s->len - 1)) {
            s->len--;
            words_discard(s);
            s->whole = false;
        }
    }
    return GFP_OK;
}

/* Tries the candidate of the images that are kept. */
static gfp_status words_attempt(search *s, bool *proved, gfp_zdivisor *d)
{
    gfp_zring_basis basis;
    gfp_status status;
    *proved = false;
    if (s->count == 0) {
        return GFP_OK;
    }
    if (s->whole) {
        status = gfp_zblocks_take(s->call, &basis, 0, s->count, false);
    } else {
        status = gfp_zblocks_choose(s->call, &basis, s->block, s->use, s->count);
    }
    if (status == GFP_OK) {
        status = try_candidate(s, proved, d, basis.basis);
    }
    gfp_zblocks_give(s->call, &basis);
    return status;
}

gfp_status gfp_zgcd_words(gfp_zcall *call, gfp_zdivisor *d, const gfp_zoperands *p)
{
    const size_t most = gfp_size_min(p->a.len, p->b.len);
    search s = {.call = call, .p = p, .len = most + 1, .most = most, .step = most * GFP_WORDS};
    bool proved = false;
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    s.whole = true;
    while (!proved) {
        GFP_TRY(take_images(&s, 1 + s.count / 8));
        if (s.len == 1) {
            /* The degree of a lucky or an unlucky image is no less than that of the divisor. */
            static uint64_t one[] = {1};
            *d = (gfp_zdivisor){{one, 1, 1}, p->a, p->b};
            gfp_call_release(&call->base, mark);
            return GFP_OK;
        }
        GFP_TRY(words_attempt(&s, &proved, d));
    }
    return GFP_OK;
}
