/* proof_long.c: quotients over Z of which a few coefficients are much longer than the others.
 *
 * Let u = a / g, and let u be known modulo M, the product of some primes. Coefficients that are
 * much shorter than M are taken as they are; the others follow from the highest exponent down:
 *   u_j lc(g) = a_(j + deg(g)) - the sum of u_i g_(deg(g) + j - i) over i > j.
 * Nothing is concluded from the lengths: the product g u proves the quotient.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/gcd/impl.h"

#include "field/base/word.h"

/* Coefficients are long if they have fewer bits less than M. */
#define GAP 32
/* This number of long coefficients, or this part of all, may be computed one by one. */
#define MOST_LONG 256
#define LONG_PART 4

/* A number as sign and magnitude. */
typedef struct number {
    gfp_znat x;
    bool negative;
} number;

typedef struct completion {
    gfp_zcall *call;
    gfp_zpoly a, g, u; /* u: modulo M */
    uint64_t *index;   /* of the long coefficients, from the highest one down */
    number *solved;    /* their values */
    size_t count, done;
    size_t limbs; /* a quotient that exists has no longer coefficients */
    gfp_znat sum[2], u_i, g_i, product;
} completion;

/* *few := whether few coefficients are long; then their list. */
static gfp_status find_long(completion *w, bool *few, size_t bits)
{
    const size_t part = w->u.len / LONG_PART, most = part > MOST_LONG ? part : MOST_LONG;
    GFP_TRY(gfp_call_array(&w->call->base, &w->index, gfp_size_min(most, w->u.len)));
    w->count = 0;
    *few = true;
    for (size_t i = w->u.len; i-- > 0 && *few;) {
        if (gfp_z_bits(gfp_zpoly_at(w->u, i), w->u.width) + GAP >= bits) {
            *few = w->count < most;
            if (*few) {
                w->index[w->count++] = i;
            }
        }
    }
    return GFP_OK;
}

/* z := z + x. */
static void add_to(gfp_znat *z, gfp_znat x)
{
    if (x.n == 0) {
        return;
    }
    if (x.n > z->n) {
        memset(z->limbs + z->n, 0, (x.n - z->n) * sizeof *z->limbs);
        z->n = x.n;
    }
    mp_limb_t *to = gfp_z_limbs(z->limbs);
    const mp_limb_t carry = mpn_add(to, to, (mp_size_t)z->n, gfp_z_limbs(x.limbs), (mp_size_t)x.n);
    if (carry != 0) {
        z->limbs[z->n++] = carry;
    }
}

/* z := |coefficient i|; returns whether the coefficient is negative. */
static bool proof_long_take(gfp_znat *z, gfp_zpoly f, size_t i)
{
    size_t width;
    const uint64_t *x = gfp_zpoly_get(f, i, &width);
    z->n = gfp_z_magnitude(z->limbs, x, width);
    return gfp_z_negative(x, width);
}

/* Adds x y to the sum of products of this sign. */
static void add_product(completion *w, gfp_znat x, gfp_znat y, bool negative)
{
    const gfp_znat p = x.n >= y.n ? x : y, q = x.n >= y.n ? y : x;
    if (q.n > 0) {
        (void)mpn_mul(gfp_z_limbs(w->product.limbs), gfp_z_limbs(p.limbs), (mp_size_t)p.n,
                      gfp_z_limbs(q.limbs), (mp_size_t)q.n);
        w->product.n = gfp_z_strip(w->product.limbs, p.n + q.n);
        add_to(&w->sum[negative], w->product);
    }
}

/* The sums := the two sides, by sign, of a_(j + deg(g)) minus the products with known coefficients.
 */
static gfp_status add_known(completion *w, size_t j)
{
    const size_t degree = w->g.len - 1, last = gfp_size_min(degree, w->u.len - 1 - j);
    size_t next = w->done;
    w->sum[0].n = w->sum[1].n = 0;
    const bool sign = proof_long_take(&w->u_i, w->a, j + degree);
    add_to(&w->sum[sign], w->u_i);
    for (size_t i = j + 1; i <= j + last; i++) {
        const bool sign_g = proof_long_take(&w->g_i, w->g, degree + j - i);
        while (next > 0 && w->index[next - 1] < i) {
            next--;
        }
        if (next > 0 && w->index[next - 1] == i) {
            const number *known = &w->solved[next - 1];
            add_product(w, known->x, w->g_i, known->negative == sign_g);
        } else if (w->g_i.n > 0) {
            const bool sign_u = proof_long_take(&w->u_i, w->u, i);
            add_product(w, w->u_i, w->g_i, sign_u == sign_g);
        }
        if (!gfp_task_advance(&w->call->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The greater sum := its difference to the other one; returns whether the second one is greater. */
static bool subtract_sums(completion *w)
{
    gfp_znat *x = w->sum, *y = w->sum + 1;
    const bool negative =
        x->n < y->n || (x->n == y->n && x->n > 0 &&
                        mpn_cmp(gfp_z_limbs(x->limbs), gfp_z_limbs(y->limbs), (mp_size_t)x->n) < 0);
    gfp_znat *z = negative ? y : x, *less = negative ? x : y;
    if (less->n > 0) {
        (void)mpn_sub(gfp_z_limbs(z->limbs), gfp_z_limbs(z->limbs), (mp_size_t)z->n,
                      gfp_z_limbs(less->limbs), (mp_size_t)less->n);
        z->n = gfp_z_strip(z->limbs, z->n);
    }
    return negative;
}

/* Computes the next long coefficient; *exact := whether it exists. */
static gfp_status solve_next(completion *w, bool *exact, gfp_znat lead, bool lead_is_negative)
{
    number *to = &w->solved[w->done];
    GFP_TRY(add_known(w, w->index[w->done]));
    const bool negative = subtract_sums(w);
    const gfp_znat x = w->sum[negative];
    *to = (number){{NULL, 0}, negative != lead_is_negative};
    *exact = x.n == 0 || (x.n >= lead.n && x.n - lead.n < w->limbs);
    if (*exact && x.n > 0) {
        GFP_TRY(gfp_call_array(&w->call->base, &to->x.limbs, x.n - lead.n + 1));
        mpn_tdiv_qr(gfp_z_limbs(to->x.limbs), gfp_z_limbs(w->product.limbs), 0,
                    gfp_z_limbs(x.limbs), (mp_size_t)x.n, gfp_z_limbs(lead.limbs),
                    (mp_size_t)lead.n);
        to->x.n = gfp_z_strip(to->x.limbs, x.n - lead.n + 1);
        *exact = gfp_z_strip(w->product.limbs, lead.n) == 0;
    }
    w->done++;
    return GFP_OK;
}

static gfp_status make_work(completion *w)
{
    const size_t of_g = gfp_zpoly_widest(w->g), of_a = gfp_zpoly_widest(w->a);
    uint64_t *memory;
    /* A factor's coefficients are below 2^deg times the norm. */
    w->limbs = gfp_size_add_sat(of_a, w->a.len / 64 + 2);
    w->limbs = w->limbs > w->u.width ? w->limbs : w->u.width;
    const size_t sum = gfp_size_add_sat(w->limbs, of_g + 2);
    GFP_TRY(
        gfp_call_array(&w->call->base, &memory, gfp_size_mul_sat(w->count, sizeof(number) / 8)));
    w->solved = (number *)(void *)memory;
    GFP_TRY(gfp_call_array(&w->call->base, &w->sum[0].limbs, sum));
    GFP_TRY(gfp_call_array(&w->call->base, &w->sum[1].limbs, sum));
    GFP_TRY(gfp_call_array(&w->call->base, &w->product.limbs, sum));
    GFP_TRY(gfp_call_array(&w->call->base, &w->u_i.limbs, w->limbs));
    return gfp_call_array(&w->call->base, &w->g_i.limbs, of_g);
}

static gfp_status proof_long_solve(completion *w, bool *exact)
{
    gfp_znat lead;
    GFP_TRY(make_work(w));
    GFP_TRY(gfp_znat_of_coefficient(w->call, &lead, w->g, w->g.len - 1));
    const bool negative = gfp_zpoly_is_negative(w->g);
    *exact = true;
    for (w->done = 0; w->done < w->count && *exact;) {
        GFP_TRY(solve_next(w, exact, lead, negative));
    }
    return GFP_OK;
}

/* *z := the quotient with the long coefficients. */
static gfp_status proof_long_join(completion *w, gfp_zpoly *z)
{
    gfp_zlayout layout = {0, 0, 0};
    size_t next = w->count;
    for (size_t i = 0; i < w->u.len; i++) {
        const bool is_long = next > 0 && w->index[next - 1] == i;
        next -= is_long;
        gfp_zlayout_add(&layout, is_long ? w->solved[next].x.n + 1
                                         : gfp_z_own_width(gfp_zpoly_at(w->u, i), w->u.width));
    }
    GFP_TRY(gfp_zpoly_reserve(w->call, z, &layout));
    next = w->count;
    for (size_t i = 0; i < w->u.len; i++) {
        if (next > 0 && w->index[next - 1] == i) {
            const number *c = &w->solved[--next];
            gfp_zpoly_put(*z, i, c->x.limbs, c->x.n, c->negative);
        } else {
            gfp_zpoly_put_limbs(*z, i, gfp_zpoly_at(w->u, i), w->u.width);
        }
    }
    return GFP_OK;
}

gfp_status gfp_zis_product(gfp_zcall *call, bool *equal, gfp_zpoly a, gfp_zpoly g, gfp_zpoly u)
{
    const gfp_zvec x = gfp_zpoly_view(call, g), y = gfp_zpoly_view(call, u);
    const gfp_zvec z = gfp_zpoly_view(call, a);
    gfp_zvec product;
    *equal = false;
    if (g.len + u.len != a.len + 1) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    /* A product of one width has that of the bound; others are as long as a, if equal. */
    const size_t bits = gfp_zpoly_bits(g) + gfp_zpoly_bits(u) + gfp_log2_above(a.len);
    const size_t limbs =
        a.width > 0 ? gfp_size_mul_sat(a.len, gfp_z_width(bits)) : gfp_zpoly_limbs(a);
    const size_t bytes = gfp_size_mul_sat(limbs, sizeof *a.limbs);
    GFP_TRY(gfp_call_take(&call->base, bytes));
    const gfp_options inside = gfp_zcall_inside(call);
    gfp_zvec_init(&product, call->ring);
    const gfp_status status = gfp_call_inner(&call->base, gfp_zvec_mul(&product, &x, &y, &inside));
    *equal = status == GFP_OK && gfp_zvec_equal(&product, &z);
    gfp_zvec_clear(&product);
    gfp_call_give(&call->base, bytes);
    return status;
}

gfp_status gfp_zcomplete(gfp_zcall *call, bool *proved, gfp_zpoly *u, gfp_zpoly a, gfp_zpoly g,
                         size_t bits)
{
    completion w = {.call = call, .a = a, .g = g, .u = *u};
    bool go_on;
    *proved = false;
    GFP_TRY(find_long(&w, &go_on, bits));
    if (go_on) {
        const double terms = (double)w.count * (double)gfp_size_min(g.len, w.u.len);
        GFP_TRY(gfp_zcall_step_on(call, 0.2, terms, 4));
        GFP_TRY(proof_long_solve(&w, &go_on));
    }
    if (go_on) {
        GFP_TRY(proof_long_join(&w, u));
        GFP_TRY(gfp_zis_product(call, proved, a, g, *u));
    }
    return GFP_OK;
}
