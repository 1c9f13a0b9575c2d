/* proof.c: whether a polynomial over Z divides another one, and the quotient, by residues.
 *
 * For each prime q of some blocks that does not divide lc(g), a = g u_q modulo q with a remainder
 * that must vanish. u is the polynomial whose coefficients, least in absolute value, have these
 * residues; M is the product of the primes. Then g u - a vanishes modulo M. Its coefficients are
 * at most len |g| |u| + |a| in absolute value, |.| the maximum of coefficients, len the shorter
 * length of g and u. If M is greater, g u = a: a proof, whatever the primes are. If g divides a,
 * the quotient is found as soon as M exceeds twice its coefficients, and the proof succeeds once
 * M exceeds the bound. If not, the remainder of a by g, a polynomial with rational coefficients,
 * does not vanish modulo all but finitely many primes.
 *
 * Where a few coefficients of a are long, fewer primes are enough: see proof_long.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/kernels/divide.h"
#include "modular/gcd/impl.h"
#include "modular/residues.h"

/* ---- quotients modulo blocks ---- */

typedef struct quotients {
    gfp_zpoly a, g;
    gfp_level level;
    gfp_words_supply *supply;
    const gfp_words_basis *basis; /* of the first blocks */
    size_t from;                  /* items of the loop are blocks from here on */
    uint64_t *u;                  /* step words for each block */
    size_t step;
    uint8_t *use;     /* a byte for each block */
    uint8_t *refuted; /* the same: primes with a remainder other than 0 */
    uint64_t *memory; /* of the workers */
    size_t each;
} quotients;

static gfp_status run_quotients(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const quotients *w = job;
    uint64_t *a = w->memory + worker * w->each, *g = a + w->a.len * GFP_WORDS;
    uint64_t *work = g + w->g.len * GFP_WORDS;
    for (size_t j = w->from + from; j < w->from + to; j++) {
        const gfp_words *block;
        unsigned units = 0;
        GFP_TRY(gfp_words_supply_block(w->supply, j, &block));
        gfp_zpoly_project(&(gfp_words_residues){w->basis, w->level, j, 1, a, 0}, w->a, work);
        gfp_zpoly_project(&(gfp_words_residues){w->basis, w->level, j, 1, g, 0}, w->g, work);
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            units |= (unsigned)(g[(w->g.len - 1) * GFP_WORDS + i] != 0) << i;
        }
        const unsigned zeros =
            gfp_words_divide(w->level, block, w->u + j * w->step, a, w->a.len, g, w->g.len);
        w->use[j] = (uint8_t)(units & zeros);
        w->refuted[j] = (uint8_t)(units & ~zeros);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* *chosen := the basis of the primes in use of the first `count` blocks, unless all are. */
static gfp_status take_chosen(gfp_zcall *call, gfp_zring_basis *chosen, const uint8_t *use,
                              size_t count)
{
    size_t whole = 0;
    uint64_t *memory;
    while (whole < count && use[whole] == UINT8_MAX) {
        whole++;
    }
    if (whole == count) {
        return GFP_OK;
    }
    GFP_TRY(gfp_call_array(&call->base, &memory, count));
    const gfp_words **blocks = (const gfp_words **)(void *)memory;
    for (size_t j = 0; j < count; j++) {
        GFP_TRY(gfp_words_supply_block(call->ring->supply, j, &blocks[j]));
    }
    return gfp_zblocks_choose(call, chosen, blocks, use, count);
}

/* ---- lifting ---- */

typedef struct lifting {
    gfp_zcall *call;
    gfp_zpoly *u;
    const gfp_words_basis *basis;
    const quotients *q;
    uint64_t *memory;
    size_t each;
} lifting;

/* Coefficients that are recombined at once. */
#define TILE 64

static gfp_status run_lifting(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const lifting *w = job;
    for (size_t i = from * TILE; i < to * TILE && i < w->u->len; i += TILE) {
        const size_t n = gfp_size_min(TILE, w->u->len - i);
        gfp_words_recombine(w->basis, w->q->level, gfp_zpoly_at(*w->u, i), w->u->width,
                            w->q->u + i * GFP_WORDS, w->q->step, n, w->memory + worker * w->each);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* u := the quotient with these residues. */
static gfp_status proof_lift(gfp_zcall *call, gfp_zpoly *u, const quotients *q,
                             const gfp_words_basis *basis)
{
    lifting w = {.call = call, .u = u, .basis = basis, .q = q};
    const gfp_parallel loop = {run_lifting, &w, NULL};
    const size_t tiles = (u->len + TILE - 1) / TILE;
    u->width = gfp_words_basis_limbs(basis);
    GFP_TRY(gfp_call_array(&call->base, &u->limbs, gfp_size_mul_sat(u->len, u->width)));
    w.each = (gfp_words_recombine_words(basis, u->width, TILE) + 7) / 8 * 8;
    const unsigned workers = gfp_parallel_workers(&call->base.task, tiles, 1);
    GFP_TRY(gfp_call_array(&call->base, &w.memory, gfp_size_mul_sat(w.each, workers)));
    GFP_TRY(gfp_zcall_step_on(call, 0.2, (double)tiles, (double)(TILE * u->width * u->width)));
    return gfp_parallel_for(&loop, &call->base.task, tiles, 1);
}

/* ---- the proof ---- */

static size_t bits_of_size(size_t n)
{
    size_t bits = 0;
    for (; n > 0; n /= 2) {
        bits++;
    }
    return bits;
}

/* Whether a product of primes above 2^bits proves g u = a. */
static bool proof_suffices(size_t bits, gfp_zpoly u, gfp_zpoly a, gfp_zpoly g)
{
    const size_t product =
        gfp_zpoly_bits(g) + gfp_zpoly_bits(u) + bits_of_size(g.len < u.len ? g.len : u.len);
    const size_t of_a = gfp_zpoly_bits(a);
    /* The difference of both sides is below 2^(1 + the greater number). */
    return bits > (product > of_a ? product : of_a);
}

static gfp_status compute_quotients(gfp_zcall *call, quotients *w, size_t from, size_t to)
{
    const gfp_parallel loop = {run_quotients, w, NULL};
    const unsigned workers = gfp_parallel_workers(&call->base.task, to - from, 1);
    const size_t of_a = gfp_zpoly_project_words(w->basis, w->a);
    const size_t of_g = gfp_zpoly_project_words(w->basis, w->g);
    w->each = gfp_size_add_sat(gfp_size_mul_sat(w->a.len + w->g.len, GFP_WORDS),
                               of_a > of_g ? of_a : of_g);
    GFP_TRY(gfp_call_array(&call->base, &w->memory, gfp_size_mul_sat(w->each, workers)));
    GFP_TRY(gfp_zcall_step_on(call, 0.4, (double)(to - from),
                              (double)gfp_zpoly_limbs(w->a) +
                                  4 * (double)w->g.len * (double)(w->a.len - w->g.len + 1)));
    w->from = from;
    call->base.report.threads =
        workers > call->base.report.threads ? workers : call->base.report.threads;
    return gfp_parallel_for(&loop, &call->base.task, to - from, 1);
}

/* Whether some prime does not divide lc(g). */
static bool is_used(const uint8_t *use, size_t count)
{
    size_t j = 0;
    while (j < count && use[j] == 0) {
        j++;
    }
    return j < count;
}

/* Tries blocks 0 ... to - 1, of which `from` are done. *u: the quotient, if *proved. */
static gfp_status proof_attempt(gfp_zcall *call, bool *proved, gfp_zpoly *u, quotients *w,
                                size_t from, size_t to, size_t *block)
{
    gfp_zring_basis whole, chosen = {NULL, false};
    gfp_status status = gfp_zblocks_take(call, &whole, 0, to, false);
    w->basis = whole.basis;
    *block = SIZE_MAX;
    if (status == GFP_OK) {
        status = compute_quotients(call, w, from, to);
    }
    for (size_t j = from; j < to && status == GFP_OK && *block == SIZE_MAX; j++) {
        *block = w->refuted[j] != 0 ? j : SIZE_MAX;
    }
    if (status == GFP_OK && *block == SIZE_MAX && is_used(w->use, to)) {
        status = take_chosen(call, &chosen, w->use, to);
        const gfp_words_basis *basis = chosen.basis != NULL ? chosen.basis : whole.basis;
        if (status == GFP_OK) {
            status = proof_lift(call, u, w, basis);
        }
        const size_t bits = gfp_words_basis_bits(basis);
        if (status == GFP_OK && w->a.width == 0) {
            status = gfp_zcomplete(call, proved, u, w->a, w->g, bits);
        } else if (status == GFP_OK) {
            *proved = proof_suffices(bits, *u, w->a, w->g);
        }
    }
    gfp_zblocks_give(call, &chosen);
    gfp_zblocks_give(call, &whole);
    return status;
}

/* Residues of more blocks, the old ones kept. */
static gfp_status proof_grow(gfp_zcall *call, quotients *w, size_t from, size_t to)
{
    uint64_t *u, *bytes;
    GFP_TRY(gfp_call_array(&call->base, &u, gfp_size_mul_sat(w->step, to)));
    GFP_TRY(gfp_call_array(&call->base, &bytes, to));
    uint8_t *use = (uint8_t *)(void *)bytes;
    if (from > 0) {
        memcpy(u, w->u, from * w->step * sizeof *u);
        memcpy(use, w->use, from);
    }
    w->u = u;
    w->use = use;
    w->refuted = use + to; /* eight bytes for each block */
    return GFP_OK;
}

gfp_status gfp_zdivides(gfp_zcall *call, bool *proved, gfp_zpoly *u, gfp_zpoly a, gfp_zpoly g,
                        size_t *block)
{
    quotients w = {.a = a, .g = g, .level = call->ring->level, .supply = call->ring->supply};
    const size_t of_a = gfp_zpoly_bits(a);
    *proved = false;
    *block = 0;
    if (g.len > a.len) {
        return GFP_OK;
    }
    *block = SIZE_MAX;
    *u = (gfp_zpoly){NULL, a.len - g.len + 1, 1};
    const size_t sums = bits_of_size(gfp_size_min(g.len, u->len));
    const bool ragged = a.width == 0;
    size_t done = 0, count = ragged ? 1 : (of_a + sums + 8) / GFP_Z_BLOCK_BITS + 1;
    w.step = u->len * GFP_WORDS;
    while (!*proved && *block == SIZE_MAX) {
        GFP_TRY(proof_grow(call, &w, done, count));
        GFP_TRY(proof_attempt(call, proved, u, &w, done, count, block));
        done = count;
        count += ragged ? count : 1 + count / 8;
    }
    return GFP_OK;
}

/* ---- candidates of a gcd ---- */

double gfp_zgcd_bits(const gfp_zoperands *p, size_t degree)
{
    const double norm = p->log2_norm_a < p->log2_norm_b ? p->log2_norm_a : p->log2_norm_b;
    return (double)degree + p->log2_lead + norm + 2;
}

gfp_status gfp_zgcd_prove(gfp_zcall *call, bool *proved, gfp_zdivisor *d, const gfp_zoperands *p,
                          gfp_zpoly candidate, size_t *block)
{
    uint64_t one = 1;
    gfp_znat content;
    gfp_zpoly g;
    const gfp_znat unit = {&one, 1};
    GFP_TRY(gfp_zcontent(call, &content, candidate));
    GFP_TRY(gfp_zdivide_exact(call, &g, candidate, content));
    GFP_TRY(gfp_zscale(call, &g, g, unit, gfp_zpoly_is_negative(g)));
    d->g = g;
    GFP_TRY(gfp_zdivides(call, proved, &d->u, p->a, g, block));
    return *proved ? gfp_zdivides(call, proved, &d->v, p->b, g, block) : GFP_OK;
}
