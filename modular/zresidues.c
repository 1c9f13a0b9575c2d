/* zresidues.c: see zresidues.h.
 *
 * One integer x of many blocks comes from its residues in parts: let M_g be the product of the
 * primes of part g, and M that of all. y_g := x (M / M_g)^-1 mod M_g has the residues of x times
 * the inverse of M / M_g modulo each prime, and x is the sum of y_g (M / M_g) modulo M. M / M_g
 * modulo M_g comes down a tree of products of the M_g: if c is the product of all M_h outside a
 * node, reduced modulo the node, c M_right mod M_left belongs to the left child, and the other way
 * round. The sum comes up: S = S_left M_right + S_right M_left. |S| <= parts M / 2 at every node.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zresidues.h"

#include "word.h"

/* ---- bases ---- */

gfp_status gfp_zblocks_make(gfp_zcall *call, gfp_zblocks *blocks, size_t bits)
{
    uint64_t *memory;
    const size_t count = bits / GFP_Z_BLOCK_BITS + 1;
    const size_t size = count <= GFP_ZRING_BASES ? count : GFP_ZRING_GROUP;
    const size_t parts = (count + size - 1) / size;
    GFP_TRY(
        gfp_zcall_array(call, &memory, gfp_size_mul_sat(parts, sizeof *blocks->basis / 8 + 1) + 1));
    *blocks = (gfp_zblocks){.count = count, .first = (size_t *)memory};
    blocks->basis = (gfp_zring_basis *)(void *)(memory + parts + 1);
    blocks->first[0] = 0;
    for (size_t i = 0; i < parts; i++) {
        const size_t first = i * size, n = gfp_size_min(size, count - first);
        GFP_TRY(gfp_zring_take(call->ring, &blocks->basis[i], first, n));
        blocks->first[i + 1] = first + n;
        blocks->parts = i + 1;
        if (!blocks->basis[i].kept) {
            GFP_TRY(gfp_zcall_may_take(call, gfp_words_basis_bytes(blocks->basis[i].basis)));
        }
        if (!gfp_task_report(&call->task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

void gfp_zblocks_clear(gfp_zblocks *blocks)
{
    for (size_t i = 0; i < blocks->parts; i++) {
        gfp_zring_give(&blocks->basis[i]);
    }
    blocks->parts = 0;
}

size_t gfp_z_project_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    /* A multiple of 64 bytes, so that the areas of two operands may follow each other. */
    return (gfp_words_project_words(basis, width, n) + 7) / 8 * 8;
}

/* ---- one integer ---- */

typedef struct joiner {
    gfp_zcall *call;
    const gfp_zblocks *blocks;
    gfp_znat *product; /* of each node, in the order of a heap */
    uint64_t *r;
} joiner;

/* An integer: magnitude and sign. */
typedef struct number {
    gfp_znat x;
    bool negative;
} number;

static size_t strip(const uint64_t *x, size_t n)
{
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

/* x := x mod m. */
static gfp_status reduce(gfp_zcall *call, gfp_znat *x, gfp_znat m)
{
    uint64_t *memory;
    if (x->n < m.n) {
        return GFP_OK;
    }
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &memory, x->n + 1));
    uint64_t *quotient = memory;
    /* The remainder overwrites the number: GMP allows that. */
    mpn_tdiv_qr(gfp_z_limbs(quotient), gfp_z_limbs(x->limbs), 0, gfp_z_limbs(x->limbs),
                (mp_size_t)x->n, gfp_z_limbs(m.limbs), (mp_size_t)m.n);
    x->n = strip(x->limbs, m.n);
    gfp_zcall_release(call, mark);
    return GFP_OK;
}

/* z := x + y of any signs. */
static gfp_status add(gfp_zcall *call, number *z, number x, number y)
{
    if (x.x.n < y.x.n ||
        (x.x.n == y.x.n && x.x.n > 0 &&
         mpn_cmp(gfp_z_limbs(x.x.limbs), gfp_z_limbs(y.x.limbs), (mp_size_t)x.x.n) < 0)) {
        const number t = x;
        x = y;
        y = t;
    }
    GFP_TRY(gfp_zcall_array(call, &z->x.limbs, x.x.n + 1));
    uint64_t *limbs = z->x.limbs;
    z->negative = x.negative;
    if (x.x.n == 0) {
        z->x.n = 0;
        return GFP_OK;
    }
    limbs[x.x.n] = 0;
    if (y.x.n == 0) {
        memcpy(limbs, x.x.limbs, x.x.n * sizeof *limbs);
    } else if (x.negative == y.negative) {
        limbs[x.x.n] = mpn_add(gfp_z_limbs(limbs), gfp_z_limbs(x.x.limbs), (mp_size_t)x.x.n,
                               gfp_z_limbs(y.x.limbs), (mp_size_t)y.x.n);
    } else {
        (void)mpn_sub(gfp_z_limbs(limbs), gfp_z_limbs(x.x.limbs), (mp_size_t)x.x.n,
                      gfp_z_limbs(y.x.limbs), (mp_size_t)y.x.n);
    }
    z->x.n = strip(limbs, x.x.n + 1);
    return GFP_OK;
}

/* The product of the primes of a part. */
static gfp_status product_of_part(joiner *w, gfp_znat *z, size_t part)
{
    const size_t from = w->blocks->first[part], to = w->blocks->first[part + 1];
    GFP_TRY(gfp_zcall_array(w->call, &z->limbs, (to - from) * GFP_WORDS));
    z->limbs[0] = 1;
    z->n = 1;
    for (size_t j = from; j < to; j++) {
        const gfp_words *block;
        GFP_TRY(gfp_words_supply_block(w->call->ring->supply, j, &block));
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            const uint64_t carry = mpn_mul_1(gfp_z_limbs(z->limbs), gfp_z_limbs(z->limbs),
                                             (mp_size_t)z->n, block->q[i]);
            if (carry != 0) {
                z->limbs[z->n++] = carry;
            }
        }
    }
    return GFP_OK;
}

/* The products of the parts from <= i < to, at this node and below. */
static gfp_status make_products(joiner *w, size_t node, size_t from, size_t to)
{
    if (to - from == 1) {
        return product_of_part(w, &w->product[node], from);
    }
    const size_t middle = (from + to) / 2;
    GFP_TRY(make_products(w, 2 * node, from, middle));
    GFP_TRY(make_products(w, 2 * node + 1, middle, to));
    return gfp_znat_mul(w->call, &w->product[node], w->product[2 * node], w->product[2 * node + 1]);
}

/* s := y_g, `cofactor` being M / M_g mod M_g. */
static gfp_status join_part(joiner *w, number *s, gfp_znat cofactor, size_t part)
{
    gfp_zcall *call = w->call;
    const gfp_words_basis *basis = w->blocks->basis[part].basis;
    const size_t from = w->blocks->first[part], count = w->blocks->first[part + 1] - from;
    const size_t width = cofactor.n + 1, out = gfp_words_basis_limbs(basis);
    uint64_t *x, *residues, *work, *r = w->r + from * GFP_WORDS;
    GFP_TRY(gfp_zcall_array(call, &s->x.limbs, out));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(call);
    GFP_TRY(gfp_zcall_array(call, &x, width));
    GFP_TRY(gfp_zcall_array(call, &residues, count * GFP_WORDS));
    const size_t up = gfp_words_project_words(basis, width, 1);
    const size_t down = gfp_words_recombine_words(basis, out, 1);
    GFP_TRY(gfp_zcall_array(call, &work, up > down ? up : down));
    gfp_z_put(x, width, cofactor.limbs, cofactor.n, false);
    gfp_words_project(basis, call->ring->level, 0, count, residues, GFP_WORDS, x, width, 1, work);
    for (size_t j = 0; j < count; j++) {
        const gfp_words *block;
        GFP_TRY(gfp_words_supply_block(call->ring->supply, from + j, &block));
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            const uint64_t q = block->q[i], c = residues[j * GFP_WORDS + i];
            r[j * GFP_WORDS + i] = gfp_mod_mul(r[j * GFP_WORDS + i], gfp_mod_pow(c, q - 2, q), q);
        }
    }
    gfp_words_recombine(basis, call->ring->level, s->x.limbs, out, r, GFP_WORDS, 1, work);
    gfp_zcall_release(call, mark);
    s->negative = gfp_z_negative(s->x.limbs, out);
    s->x.n = gfp_z_magnitude(s->x.limbs, s->x.limbs, out);
    return gfp_task_report(&call->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* s := the sum of y_g M_node / M_g over the parts of the node. */
static gfp_status join(joiner *w, number *s, gfp_znat cofactor, size_t node, size_t from, size_t to)
{
    gfp_zcall *call = w->call;
    number of_left, of_right;
    gfp_znat c;
    if (to - from == 1) {
        return join_part(w, s, cofactor, from);
    }
    const gfp_znat left = w->product[2 * node], right = w->product[2 * node + 1];
    const size_t middle = (from + to) / 2;
    GFP_TRY(gfp_znat_mul(call, &c, cofactor, right));
    GFP_TRY(reduce(call, &c, left));
    GFP_TRY(join(w, &of_left, c, 2 * node, from, middle));
    GFP_TRY(gfp_znat_mul(call, &c, cofactor, left));
    GFP_TRY(reduce(call, &c, right));
    GFP_TRY(join(w, &of_right, c, 2 * node + 1, middle, to));
    GFP_TRY(gfp_znat_mul(call, &of_left.x, of_left.x, right));
    GFP_TRY(gfp_znat_mul(call, &of_right.x, of_right.x, left));
    return add(call, s, of_left, of_right);
}

/* The number in [-M/2, M/2) that is s modulo m. */
static gfp_status balance(gfp_zcall *call, number *s, gfp_znat m)
{
    uint64_t *rest;
    GFP_TRY(reduce(call, &s->x, m));
    GFP_TRY(gfp_zcall_array(call, &rest, m.n));
    if (s->x.n == 0) {
        return GFP_OK;
    }
    (void)mpn_sub(gfp_z_limbs(rest), gfp_z_limbs(m.limbs), (mp_size_t)m.n, gfp_z_limbs(s->x.limbs),
                  (mp_size_t)s->x.n);
    const size_t n = strip(rest, m.n);
    if (n < s->x.n ||
        (n == s->x.n && mpn_cmp(gfp_z_limbs(rest), gfp_z_limbs(s->x.limbs), (mp_size_t)n) < 0)) {
        *s = (number){{rest, n}, !s->negative};
    }
    return GFP_OK;
}

gfp_status gfp_zblocks_integer(gfp_zcall *call, uint64_t *x, size_t width,
                               const gfp_zblocks *blocks, uint64_t *r)
{
    uint64_t *memory, one = 1;
    number s = {{NULL, 0}, false};
    if (blocks->parts == 1) {
        const gfp_words_basis *basis = blocks->basis[0].basis;
        GFP_TRY(gfp_zcall_array(call, &memory, gfp_words_recombine_words(basis, width, 1)));
        gfp_words_recombine(basis, call->ring->level, x, width, r, GFP_WORDS, 1, memory);
        return GFP_OK;
    }
    joiner w = {.call = call, .blocks = blocks, .r = r};
    /* A tree of this many parts has its leaves in at most one row more than log2 of the number. */
    GFP_TRY(gfp_zcall_array(call, &memory, 4 * blocks->parts * sizeof *w.product / 8 + 4));
    w.product = (gfp_znat *)(void *)memory;
    GFP_TRY(make_products(&w, 1, 0, blocks->parts));
    GFP_TRY(join(&w, &s, (gfp_znat){&one, 1}, 1, 0, blocks->parts));
    GFP_TRY(balance(call, &s, w.product[1]));
    gfp_z_put(x, width, s.x.limbs, s.x.n, s.negative);
    return GFP_OK;
}
