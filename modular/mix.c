/* mix.c: several big primes: see mix.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/mix.h"

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

void gfp_zmix_order_init(gfp_zmix_order *order, uint64_t seed)
{
    gfp_random g;
    *order = (gfp_zmix_order){{0}, {0}};
    gfp_random_seed(&g, seed);
    for (size_t s = 0; s < GFP_ZRING_SHELVES && seed != 0; s++) {
        order->start[s] = gfp_random_below(&g, primes_of(s));
    }
}

/* Takes the next prime of a shelf that has one left. */
static size_t mix_take(gfp_zmix_order *order, size_t shelf)
{
    const size_t all = primes_of(shelf);
    size_t number = (order->start[shelf] + order->taken[shelf]++) % all, named;
    const size_t found = named_prime(k_of(shelf), number, &named);
    return found != SIZE_MAX ? found : GFP_ZRING_FIELDS + shelf * GFP_ZRING_SHELF + number - named;
}

bool gfp_zmix_order_next(gfp_zmix_order *order, size_t bits, size_t *index)
{
    const bool few = bits < 63 * 4 && order->taken[0] < primes_of(0);
    for (size_t s = few ? 0 : 1; s < GFP_ZRING_SHELVES; s++) {
        if (order->taken[s] < primes_of(s)) {
            *index = mix_take(order, s);
            return true;
        }
    }
    return false;
}

size_t gfp_zmix_most_bits(void)
{
    size_t bits = 0;
    for (size_t s = 1; s < GFP_ZRING_SHELVES; s++) {
        bits += gfp_prime_stock_count(k_of(s)) * (63 * (size_t)k_of(s) - 1);
    }
    return bits;
}

/* The primes of a shelf that the ring keeps, of its first ones. */
static size_t kept_of(const gfp_zring *ring, size_t shelf, size_t primes)
{
    size_t kept = 0, named;
    (void)named_prime(k_of(shelf), 0, &named);
    for (size_t i = 0; i < primes; i++) {
        size_t all;
        const size_t index = i < named ? named_prime(k_of(shelf), i, &all)
                                       : GFP_ZRING_FIELDS + shelf * GFP_ZRING_SHELF + i - named;
        kept += atomic_load_explicit(&ring->field[index], memory_order_relaxed) != NULL;
    }
    return kept;
}

bool gfp_zmix_demand_of(gfp_zmix_demand *demand, const gfp_zring *ring, size_t bits, size_t bound)
{
    *demand = (gfp_zmix_demand){{0}, {0}, 0};
    for (size_t s = 1; s < GFP_ZRING_SHELVES && demand->bits < bits; s++) {
        const size_t each = 63 * (size_t)k_of(s) - 1, all = primes_of(s);
        const size_t left = (bits - demand->bits + each - 1) / each;
        demand->primes[s] = gfp_size_min(left, all);
        demand->bits += demand->primes[s] * each;
        /* The last one may be shorter. */
        const size_t before = demand->bits - each;
        const size_t few = 63 * (size_t)k_of(0) - 1;
        if (left <= all && bound < before + few && bits <= before + few) {
            demand->primes[s]--;
            demand->primes[0] = 1;
            demand->bits = before + few;
        }
    }
    for (size_t s = 0; s < GFP_ZRING_SHELVES; s++) {
        demand->kept[s] = kept_of(ring, s, demand->primes[s]);
    }
    return demand->bits >= bits;
}

/* ---- steps ---- */

gfp_status gfp_zmix_step_init(gfp_zmix_step *step, const gfp_field *q, const uint64_t *m,
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
static void mix_multiply(uint64_t *z, const uint64_t *x, size_t n, const uint64_t *y, size_t m)
{
    if (n >= m) {
        (void)mpn_mul(gfp_z_limbs(z), gfp_z_const_limbs(x), (mp_size_t)n, gfp_z_const_limbs(y),
                      (mp_size_t)m);
    } else {
        mix_multiply(z, y, m, x, n);
    }
}

void gfp_zmix_step_run(const gfp_zmix_step *step, uint64_t *x, size_t room, const uint64_t *v,
                       size_t n, uint64_t *work)
{
    uint64_t d[GFP_ZMIX_TILE * GFP_MAX_K / 2], t[GFP_ZMIX_TILE * GFP_MAX_LIMBS / 2];
    const gfp_field *q = step->q;
    const size_t more = gfp_field_limbs(q), all = step->limbs + more;
    if (step->limbs == 1 && step->m[0] == 1) { /* M = 1 */
        gfp_vec_get_limbs(q, x, room, v, n);
        return;
    }
    gfp_vec_set_limbs_mod(q, d, x, step->limbs, room, n);
    gfp_vec_sub(q, d, v, d, n);
    gfp_vec_scale(q, d, d, step->inverse, n);
    gfp_vec_get_limbs(q, t, more, d, n);
    for (size_t i = 0; i < n; i++) {
        mix_multiply(work, step->m, step->limbs, t + i * more, more);
        (void)mpn_add(gfp_z_limbs(work), gfp_z_const_limbs(work), (mp_size_t)all,
                      gfp_z_const_limbs(x + i * room), (mp_size_t)step->limbs);
        memcpy(x + i * room, work, all * sizeof *x);
    }
}

size_t gfp_zmix_step_product(const gfp_zmix_step *step, uint64_t *product)
{
    size_t n = step->limbs + gfp_field_limbs(step->q);
    mix_multiply(product, step->m, step->limbs, gfp_field_modulus_limbs(step->q),
                 gfp_field_limbs(step->q));
    return n - (product[n - 1] == 0);
}

void gfp_zmix_least(uint64_t *z, size_t width, uint64_t *x, const uint64_t *m, const uint64_t *half,
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

gfp_status gfp_zmix_init(gfp_zmix *mix, gfp_zcall *call, size_t n)
{
    *mix = (gfp_zmix){.call = call, .n = n, .limbs = 1, .room = 1};
    GFP_TRY(gfp_zcall_array(call, &mix->m, 1));
    GFP_TRY(gfp_zcall_array(call, &mix->x, n));
    mix->m[0] = 1;
    memset(mix->x, 0, n * sizeof *mix->x);
    return GFP_OK;
}

/* Makes room for more limbs. */
static gfp_status mix_grow(gfp_zmix *mix, size_t limbs)
{
    uint64_t *x, *m;
    if (limbs <= mix->room) {
        return GFP_OK;
    }
    const size_t room = limbs + limbs / 2 + 8;
    GFP_TRY(gfp_zcall_array(mix->call, &x, gfp_size_mul_sat(mix->n, room)));
    GFP_TRY(gfp_zcall_array(mix->call, &m, room));
    for (size_t i = 0; i < mix->n; i++) {
        memcpy(x + i * room, mix->x + i * mix->room, mix->limbs * sizeof *x);
    }
    memcpy(m, mix->m, mix->limbs * sizeof *m);
    mix->x = x;
    mix->m = m;
    mix->room = room;
    return GFP_OK;
}

gfp_status gfp_zmix_add(gfp_zmix *mix, const gfp_field *q, const uint64_t *v)
{
    gfp_zmix_step step;
    uint64_t *work;
    const size_t all = mix->limbs + gfp_field_limbs(q), k = gfp_field_k(q);
    GFP_TRY(mix_grow(mix, all));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(mix->call);
    GFP_TRY(gfp_zcall_array(mix->call, &work, all));
    GFP_TRY(gfp_zmix_step_init(&step, q, mix->m, mix->limbs));
    for (size_t i = 0; i < mix->n; i += GFP_ZMIX_TILE) {
        const size_t n = gfp_size_min(GFP_ZMIX_TILE, mix->n - i);
        gfp_zmix_step_run(&step, mix->x + i * mix->room, mix->room, v + i * k, n, work);
        if (!gfp_task_report(&mix->call->task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    const size_t limbs = gfp_zmix_step_product(&step, work);
    memcpy(mix->m, work, limbs * sizeof *work);
    mix->limbs = limbs;
    gfp_zcall_release(mix->call, mark);
    return GFP_OK;
}

gfp_status gfp_zmix_get(const gfp_zmix *mix, gfp_zpoly *z)
{
    uint64_t *half;
    *z = (gfp_zpoly){NULL, mix->n, mix->limbs + 1};
    GFP_TRY(gfp_zcall_array(mix->call, &z->limbs, gfp_size_mul_sat(z->len, z->width)));
    const gfp_zcall_mark mark = gfp_zcall_mark_here(mix->call);
    GFP_TRY(gfp_zcall_array(mix->call, &half, 2 * mix->limbs));
    uint64_t *x = half + mix->limbs;
    (void)mpn_rshift(gfp_z_limbs(half), gfp_z_const_limbs(mix->m), (mp_size_t)mix->limbs, 1);
    for (size_t i = 0; i < mix->n; i++) {
        memcpy(x, mix->x + i * mix->room, mix->limbs * sizeof *x);
        gfp_zmix_least(gfp_zpoly_at(*z, i), z->width, x, mix->m, half, mix->limbs);
    }
    gfp_zcall_release(mix->call, mark);
    return GFP_OK;
}

size_t gfp_zmix_bits(const gfp_zmix *mix)
{
    return gfp_z_magnitude_bits(mix->m, mix->limbs) - 1;
}
