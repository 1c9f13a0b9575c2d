/* modulus.c: see modulus.h. Records are made once and stay; threads publish them without locks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/modulus.h"

#include <gmp.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "bindings/preload/held.h"
#include "bindings/preload/memory.h"
#include "bindings/preload/settings.h"

struct gfp_known {
    _Atomic(gfp_field *) field;
    atomic_bool refused;     /* no field: p is composite, or no memory */
    atomic_uint attempts;    /* begun creations of the field */
    atomic_ullong missed_ns; /* the host's time for computations modulo p since then */
    uint64_t r;
    unsigned k;
    size_t bits, limbs;
    uint64_t value[]; /* p */
};

#define MODULI 64
static _Atomic(gfp_known *) moduli[MODULI];
static _Thread_local gfp_known *last;

static bool is_value(const gfp_known *known, const uint64_t *value, size_t limbs)
{
    return known->limbs == limbs && memcmp(known->value, value, limbs * sizeof *value) == 0;
}

/* The record with this value; NULL: none. *full: no other record can be made. */
static gfp_known *modulus_find(const uint64_t *value, size_t limbs, bool *full)
{
    *full = false;
    for (size_t i = 0; i < MODULI; i++) {
        gfp_known *known = atomic_load_explicit(&moduli[i], memory_order_acquire);
        if (known == NULL || is_value(known, value, limbs)) {
            return known;
        }
    }
    *full = true;
    return NULL;
}

/* ---- the form ---- */

/* Whether p may be r^k + 1 with an even r < 2^64, so that 2^k divides p - 1; k >= bits / 64. */
static bool may_have_form(const uint64_t *value, size_t bits)
{
    size_t zeros = 0;
    const size_t least = (bits + 62) / 64;
    if ((value[0] & 1) == 0) {
        return false;
    }
    if ((value[0] ^ 1) != 0) {
        return least < 64 && ((value[0] ^ 1) & (((uint64_t)1 << least) - 1)) == 0;
    }
    while (64 * (zeros + 1) < bits && value[zeros + 1] == 0) {
        zeros++;
    }
    return 64 * (zeros + 1) >= least;
}

/* r and k with p = r^k + 1, k least with r < 2^64; false: none. Allocates. */
static bool find_form(uint64_t *r, unsigned *k, const uint64_t *value, size_t limbs, size_t bits)
{
    mpz_t power, root;
    bool found = false;
    mpz_init(power);
    mpz_init(root);
    mpz_import(power, limbs, -1, sizeof *value, 0, 0, value);
    mpz_sub_ui(power, power, 1);
    for (unsigned j = 2; j <= GFP_MAX_K && !found; j *= 2) {
        if (bits <= 64 * (size_t)j && mpz_root(root, power, j) != 0 && mpz_even_p(root) != 0) {
            *r = mpz_get_ui(root);
            *k = j;
            found = true;
        }
    }
    mpz_clear(power);
    mpz_clear(root);
    return found;
}

static gfp_known *modulus_make(const uint64_t *value, size_t limbs, size_t bits)
{
    uint64_t r;
    unsigned k;
    if (!find_form(&r, &k, value, limbs, bits)) {
        return NULL;
    }
    gfp_known *known = gfp_host_allocate(sizeof *known + limbs * sizeof *value);
    if (known != NULL) {
        known->r = r;
        known->k = k;
        known->bits = bits;
        known->limbs = limbs;
        memcpy(known->value, value, limbs * sizeof *value);
    }
    return known;
}

/* Adds a record for the value; NULL: it has another form, or there is no room. */
static gfp_known *modulus_add(const uint64_t *value, size_t limbs, size_t bits)
{
    gfp_known *made = modulus_make(value, limbs, bits), *known = NULL;
    for (size_t i = 0; i < MODULI && made != NULL && known == NULL; i++) {
        gfp_known *there = NULL;
        if (atomic_compare_exchange_strong(&moduli[i], &there, made)) {
            gfp_count_add(GFP_COUNT_MODULI);
            known = made;
        } else if (is_value(there, value, limbs)) {
            known = there;
        }
    }
    if (made != NULL && known != made) {
        gfp_host_release(made, sizeof *made + limbs * sizeof *value);
    }
    return known;
}

gfp_known *gfp_known_modulus(const uint64_t *value, size_t bits)
{
    const size_t limbs = (bits + 63) / 64;
    bool full;
    if (bits <= 64) {
        return NULL;
    }
    if (last != NULL && is_value(last, value, limbs)) {
        return last;
    }
    if (!may_have_form(value, bits)) {
        return NULL;
    }
    gfp_known *known = modulus_find(value, limbs, &full);
    if (known == NULL && !full) {
        known = modulus_add(value, limbs, bits);
    }
    last = known != NULL ? known : last;
    return known;
}

size_t gfp_known_bits(const gfp_known *known)
{
    return known->bits;
}

/* ---- the field ---- */

/* The nanoseconds of gfp_field_create, about: 0.3 ms for p8, 0.16 s for p128. */
static double creation_ns(size_t bits)
{
    return 3e5 * pow((double)bits / 512, 2.3);
}

/* The creation may end with a jump of a signal handler, and never come back: after further time
 * that the host has spent, twice as long at each attempt, the next thread begins another one. */
static double waiting_ns(const gfp_known *known)
{
    const unsigned attempts = atomic_load(&known->attempts);
    return ldexp(creation_ns(known->bits), attempts < 8 ? (int)attempts : 8);
}

static gfp_field *modulus_create(gfp_known *known)
{
    gfp_field *field = NULL, *there = NULL;
    __attribute__((cleanup(gfp_held_end))) gfp_frame frame;
    gfp_held_begin(&frame);
    if (gfp_field_create_rk(&field, known->r, known->k, &gfp_host_memory, NULL) != GFP_OK) {
        atomic_store(&known->refused, true);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&known->field, &there, field)) {
        gfp_field_destroy(field);
        return there;
    }
    return field;
}

const gfp_field *gfp_known_field(gfp_known *known, double ns)
{
    gfp_field *field = atomic_load_explicit(&known->field, memory_order_acquire);
    if (field != NULL || atomic_load(&known->refused)) {
        return field;
    }
    const unsigned long long more = (unsigned long long)fmin(ns, 1e15);
    unsigned long long missed = atomic_fetch_add(&known->missed_ns, more) + more;
    if ((double)missed < waiting_ns(known) ||
        !atomic_compare_exchange_strong(&known->missed_ns, &missed, 0)) {
        return NULL;
    }
    atomic_fetch_add(&known->attempts, 1);
    return modulus_create(known);
}
