/* big.c: see big.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/big.h"

#include "gfpoly/primes.h"

/* ---- the order of primes ---- */

static unsigned k_of(size_t shelf)
{
    return 4U << shelf;
}

/* The named prime of this k and number; SIZE_MAX: they are fewer. *count := how many there are. */
static size_t named_prime(unsigned k, size_t number, size_t *count)
{
    size_t found = SIZE_MAX;
    *count = 0;
    for (size_t i = 0; i < gfp_named_prime_count() && i < GFP_ZRING_FIELDS; i++) {
        if (gfp_named_prime_get(i)->k == k) {
            found = *count == number ? i : found;
            (*count)++;
        }
    }
    return found;
}

static size_t primes_of(size_t shelf)
{
    size_t named;
    (void)named_prime(k_of(shelf), 0, &named);
    return named + gfp_prime_stock_count(k_of(shelf));
}

void gfp_zbig_order_init(gfp_zbig_order *order, size_t bits, uint64_t seed)
{
    gfp_random g;
    *order = (gfp_zbig_order){.first = SIZE_MAX};
    gfp_random_seed(&g, seed);
    for (size_t s = 0; s < GFP_ZRING_SHELVES && seed != 0; s++) {
        order->start[s] = gfp_random_below(&g, primes_of(s));
    }
    if (seed == 0) {
        (void)gfp_zring_named(bits, &order->first);
    }
}

/* Takes the next prime of a shelf that has one left. */
static size_t order_take(gfp_zbig_order *order, size_t shelf)
{
    const size_t all = primes_of(shelf);
    size_t number = (order->start[shelf] + order->taken[shelf]++) % all, named;
    const size_t found = named_prime(k_of(shelf), number, &named);
    return found != SIZE_MAX ? found : GFP_ZRING_FIELDS + shelf * GFP_ZRING_SHELF + number - named;
}

/* The same without the prime that comes first. */
static bool order_further(gfp_zbig_order *order, size_t bits, size_t *index)
{
    const bool few = bits < 63 * 4 && order->taken[0] < primes_of(0);
    for (size_t s = few ? 0 : 1; s < GFP_ZRING_SHELVES; s++) {
        if (order->taken[s] < primes_of(s)) {
            *index = order_take(order, s);
            return true;
        }
    }
    return false;
}

bool gfp_zbig_order_next(gfp_zbig_order *order, size_t bits, size_t *index)
{
    if (!order->begun && order->first != SIZE_MAX) {
        order->begun = true;
        *index = order->first;
        return true;
    }
    do {
        if (!order_further(order, bits, index)) {
            return false;
        }
    } while (*index == order->first);
    return true;
}

size_t gfp_zbig_most_bits(void)
{
    size_t bits = 0;
    for (size_t s = 1; s < GFP_ZRING_SHELVES; s++) {
        bits += gfp_prime_stock_count(k_of(s)) * (63 * (size_t)k_of(s) - 1);
    }
    return bits;
}

/* ---- residues ---- */

void gfp_zbig_wrap(const gfp_field *field, uint64_t *wrap, size_t width)
{
    const uint64_t exponent = 64 * (uint64_t)width;
    gfp_elem_set_u64(field, wrap, 2);
    gfp_elem_pow(field, wrap, wrap, &exponent, 1);
}

void gfp_zbig_reduce(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t width, size_t n,
                     const uint64_t *wrap)
{
    const size_t k = gfp_field_k(field);
    gfp_vec_set_limbs_mod(field, z, x, width, width, n);
    for (size_t i = 0; i < n; i++) {
        if (gfp_z_negative(x + i * width, width)) {
            gfp_elem_sub(field, z + i * k, z + i * k, wrap);
        }
    }
}

gfp_status gfp_zbig_image(gfp_zcall *call, gfp_poly *z, gfp_zpoly a)
{
    uint64_t wrap[GFP_MAX_K];
    GFP_TRY(gfp_call_take(&call->base, gfp_size_mul_sat(a.len, gfp_field_k(z->field) * 8)));
    GFP_TRY(gfp_poly_fit_length(z, a.len));
    gfp_zbig_wrap(z->field, wrap, a.width);
    gfp_zbig_reduce(z->field, z->digits, a.limbs, a.width, a.len, wrap);
    return gfp_poly_set_length(z, a.len);
}

/* ---- steps ---- */

gfp_status gfp_zbig_step_init(gfp_zbig_step *step, const gfp_field *q, const uint64_t *m,
                              size_t limbs)
{
    uint64_t image[GFP_MAX_K];
    step->q = q;
    step->m = m;
    step->limbs = limbs;
    gfp_elem_set_limbs(q, image, m, limbs);
    return gfp_elem_inv(q, step->inverse, image);
}

/* z := x y, of both numbers of limbs. */
static void big_multiply(uint64_t *z, const uint64_t *x, size_t n, const uint64_t *y, size_t m)
{
    if (n >= m) {
        (void)mpn_mul(gfp_z_limbs(z), gfp_z_const_limbs(x), (mp_size_t)n, gfp_z_const_limbs(y),
                      (mp_size_t)m);
    } else {
        big_multiply(z, y, m, x, n);
    }
}

void gfp_zbig_step_run(const gfp_zbig_step *step, uint64_t *x, size_t room, const uint64_t *v,
                       size_t n, uint64_t *work)
{
    uint64_t d[GFP_ZBIG_TILE * GFP_MAX_K / 2], t[GFP_ZBIG_TILE * GFP_MAX_LIMBS / 2];
    const gfp_field *q = step->q;
    const size_t more = gfp_field_limbs(q), all = step->limbs + more;
    if (step->limbs == 1 && step->m[0] == 1) { /* M = 1 */
        gfp_vec_get_limbs(q, x, room, v, n);
        return;
    }
    gfp_vec_set_limbs_mod(q, d, x, step->limbs, room, n);
    gfp_vec_sub(q, d, v, d, n);
    gfp_vec_scalar_mul(q, d, d, step->inverse, n);
    gfp_vec_get_limbs(q, t, more, d, n);
    for (size_t i = 0; i < n; i++) {
        big_multiply(work, step->m, step->limbs, t + i * more, more);
        (void)mpn_add(gfp_z_limbs(work), gfp_z_const_limbs(work), (mp_size_t)all,
                      gfp_z_const_limbs(x + i * room), (mp_size_t)step->limbs);
        memcpy(x + i * room, work, all * sizeof *x);
    }
}

size_t gfp_zbig_step_product(const gfp_zbig_step *step, uint64_t *product)
{
    size_t n = step->limbs + gfp_field_limbs(step->q);
    big_multiply(product, step->m, step->limbs, gfp_field_modulus_limbs(step->q),
                 gfp_field_limbs(step->q));
    return n - (product[n - 1] == 0);
}

void gfp_zbig_least(uint64_t *z, size_t width, uint64_t *x, const uint64_t *m, const uint64_t *half,
                    size_t limbs)
{
    const bool negative =
        mpn_cmp(gfp_z_const_limbs(x), gfp_z_const_limbs(half), (mp_size_t)limbs) > 0;
    const size_t n = gfp_size_min(width, limbs);
    if (negative) {
        (void)mpn_sub_n(gfp_z_limbs(x), gfp_z_const_limbs(x), gfp_z_const_limbs(m),
                        (mp_size_t)limbs);
    }
    memcpy(z, x, n * sizeof *z);
    memset(z + n, negative ? 0xff : 0, (width - n) * sizeof *z);
}

/* ---- the integers of a call ---- */

gfp_status gfp_zbig_begin(gfp_zbig *big, gfp_zcall *call, size_t n)
{
    *big = (gfp_zbig){.call = call, .n = n, .limbs = 1, .room = 1};
    GFP_TRY(gfp_call_array(&call->base, &big->m, 1));
    GFP_TRY(gfp_call_array(&call->base, &big->x, n));
    big->m[0] = 1;
    memset(big->x, 0, n * sizeof *big->x);
    return GFP_OK;
}

/* Makes room for more limbs. */
static gfp_status big_grow(gfp_zbig *big, size_t limbs)
{
    uint64_t *x, *m;
    if (limbs <= big->room) {
        return GFP_OK;
    }
    const size_t room = limbs + limbs / 2 + 8;
    GFP_TRY(gfp_call_array(&big->call->base, &x, gfp_size_mul_sat(big->n, room)));
    GFP_TRY(gfp_call_array(&big->call->base, &m, room));
    for (size_t i = 0; i < big->n; i++) {
        memcpy(x + i * room, big->x + i * big->room, big->limbs * sizeof *x);
    }
    memcpy(m, big->m, big->limbs * sizeof *m);
    big->x = x;
    big->m = m;
    big->room = room;
    return GFP_OK;
}

gfp_status gfp_zbig_add(gfp_zbig *big, const gfp_field *q, const uint64_t *v)
{
    gfp_zbig_step step;
    uint64_t *work;
    const size_t all = big->limbs + gfp_field_limbs(q), k = gfp_field_k(q);
    GFP_TRY(big_grow(big, all));
    const gfp_call_mark mark = gfp_call_mark_here(&big->call->base);
    GFP_TRY(gfp_call_array(&big->call->base, &work, all));
    GFP_TRY(gfp_zbig_step_init(&step, q, big->m, big->limbs));
    for (size_t i = 0; i < big->n; i += GFP_ZBIG_TILE) {
        const size_t n = gfp_size_min(GFP_ZBIG_TILE, big->n - i);
        gfp_zbig_step_run(&step, big->x + i * big->room, big->room, v + i * k, n, work);
        if (!gfp_task_report(&big->call->base.task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    const size_t limbs = gfp_zbig_step_product(&step, work);
    memcpy(big->m, work, limbs * sizeof *work);
    big->limbs = limbs;
    gfp_call_release(&big->call->base, mark);
    return GFP_OK;
}

gfp_status gfp_zbig_get(const gfp_zbig *big, gfp_zpoly *z)
{
    uint64_t *half;
    *z = (gfp_zpoly){NULL, big->n, big->limbs + 1};
    GFP_TRY(gfp_call_array(&big->call->base, &z->limbs, gfp_size_mul_sat(z->len, z->width)));
    const gfp_call_mark mark = gfp_call_mark_here(&big->call->base);
    GFP_TRY(gfp_call_array(&big->call->base, &half, 2 * big->limbs));
    uint64_t *x = half + big->limbs;
    (void)mpn_rshift(gfp_z_limbs(half), gfp_z_const_limbs(big->m), (mp_size_t)big->limbs, 1);
    for (size_t i = 0; i < big->n; i++) {
        memcpy(x, big->x + i * big->room, big->limbs * sizeof *x);
        gfp_zbig_least(gfp_zpoly_at(*z, i), z->width, x, big->m, half, big->limbs);
    }
    gfp_call_release(&big->call->base, mark);
    return GFP_OK;
}

size_t gfp_zbig_bits(const gfp_zbig *big)
{
    return gfp_z_magnitude_bits(big->m, big->limbs) - 1;
}
