/* context.c: creation and properties of field contexts, and the canonical tower of roots.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/field.h"

#include <gmp.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "field/base/contract.h"
#include "field/base/cpu.h"
#include "field/base/context.h"
#include "field/base/parallel.h"
#include "field/primes/stock.h"
#include "field/base/support.h"
#include "field/elem.h"

const char *gfp_proof_string(gfp_proof proof)
{
    return proof == GFP_PROOF_PROTH ? "Proth" : "Pocklington";
}

gfp_status gfp_field_check_form(uint64_t r, unsigned k, gfp_error *error)
{
    if (k < 2 || k > GFP_MAX_K || (k & (k - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_MODULUS,
                             "unsupported modulus: k = %u is not a power of two from 2 to %d", k,
                             GFP_MAX_K);
    }
    if (r < 2 || r % 2 != 0) {
        return gfp_error_set(error, GFP_ERR_MODULUS,
                             "unsupported modulus: r = %" PRIu64 " is not even and at least 2", r);
    }
    return GFP_OK;
}

static gfp_status no_memory(gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory creating a field");
}

static void column_radix_init(gfp_column_radix *column, const gfp_divisor *radix)
{
    /* inverse + 2^64 is floor((2^128 - 1) / d). */
    column->inverse = ((uint64_t)1 << 63) + radix->inverse / 2;
    const gfp_u128 product = gfp_mul_wide(radix->value, radix->d);
    const gfp_u128 low = (gfp_u128)(uint64_t)product * GFP_COLUMN_OFFSET;
    const gfp_u128 high = (gfp_u128)gfp_hi64(product) * GFP_COLUMN_OFFSET + gfp_hi64(low);
    column->offset[0] = (uint64_t)low;
    column->offset[1] = (uint64_t)high;
    column->offset[2] = gfp_hi64(high);
}

static void pair_radix_init(gfp_pair_radix *pair, const gfp_divisor *radix)
{
    const uint64_t d = radix->d, top = ((uint64_t)1 << 63) - 1;
    const gfp_u128 square = gfp_mul_wide(radix->value, d), all = gfp_join(top, UINT64_MAX);
    if (gfp_hi64(square) > top || d >= UINT64_MAX - GFP_PAIR_ROOM) {
        return;
    }
    pair->inverse[1] = (uint64_t)(all / d); /* top < d */
    pair->inverse[0] = (uint64_t)(gfp_join((uint64_t)(all % d), UINT64_MAX) / d);
    pair->square[0] = (uint64_t)square;
    pair->square[1] = gfp_hi64(square);
}

gfp_status gfp_field_create_raw(gfp_field **field, uint64_t r, unsigned k,
                                const gfp_allocator *allocator, gfp_error *error)
{
    if (allocator == NULL) {
        allocator = &gfp_default_allocator;
    }
    GFP_TRY(gfp_field_check_form(r, k, error));
    gfp_field *f = gfp_allocate(allocator, 1, sizeof *f);
    if (f == NULL) {
        return no_memory(error);
    }
    memset(f, 0, sizeof *f);
    f->allocator = *allocator;
    f->level = gfp_cpu_level_get();
    atomic_init(&f->pool.limit, GFP_WORK_LIMIT);
    f->process = gfp_parallel_process();
    f->k = k;
    f->log2_k = gfp_ctz64(k);
    f->r = r;
    f->v2_r = gfp_ctz64(r);
    f->v2_order = k * f->v2_r;
    gfp_divisor_init(&f->radix, r);
    column_radix_init(&f->column, &f->radix);
    pair_radix_init(&f->pair, &f->radix);
    f->r_squared[0] = (uint64_t)gfp_mul_wide(r, r);
    f->r_squared[1] = gfp_hi64(gfp_mul_wide(r, r));
    f->kernels = gfp_kernels_get(f->level, k, r);
    if (r >= GFP_LANES_R_MIN) {
        gfp_lanes_radix_init(&f->lanes, r);
    }
    gfp_radix_init(f);
    f->mul_fft = gfp_mul_fft_tables_create(k, r, allocator);
    if (f->mul_fft == NULL || gfp_convert_init(f) != GFP_OK) {
        gfp_field_destroy(f);
        return no_memory(error);
    }
    *field = f;
    return GFP_OK;
}

void gfp_field_destroy(gfp_field *field)
{
    if (field != NULL) {
        gfp_allocator allocator = field->allocator;
        gfp_field_release_memory(field);
        if (field->mul_fft != NULL) {
            gfp_mul_fft_tables_destroy(field->mul_fft, &allocator);
        }
        gfp_convert_destroy(field->convert, &allocator);
        for (size_t slot = 0; slot < GFP_ATTACHMENTS; slot++) {
            gfp_attachment *attached = atomic_load(&field->attached[slot]);
            if (attached != NULL) {
                attached->destroy(attached, &allocator);
            }
        }
        gfp_release(&allocator, field->tower, field->tower_levels + 1,
                    field->k * sizeof *field->tower);
        gfp_release(&allocator, field->modulus_string, field->modulus_string_size, 1);
        gfp_release(&allocator, field, 1, sizeof *field);
    }
}

/* Returns the odd i < 2k with x = r^i, for a primitive 2k-th root of unity x. */
static unsigned root_exponent(const gfp_field *field, const uint64_t *x)
{
    uint64_t one[GFP_MAX_K];
    uint64_t power[GFP_MAX_K];
    unsigned i = 1;
    gfp_elem_one(field, one);
    for (; i < 2 * field->k; i += 2) {
        gfp_elem_mul_r(field, power, one, i);
        if (gfp_elem_equal(field, power, x)) {
            break;
        }
    }
    return i;
}

/* Returns j with i j = 1 mod 2k, i odd. */
static unsigned odd_inverse(unsigned i, unsigned k)
{
    unsigned j = i; /* i i = 1 mod 8 */
    for (int step = 0; step < 3; step++) {
        j *= 2 - i * j;
    }
    return j % (2 * k);
}

/* Builds the tower by ISSAC 2017, Prop. 1 and Alg. 1, for all N at once: g has order 2^v, and gamma
 * = g^(2^v/2k) = r^i with i odd. With i j = 1 mod 2k, w = g^j satisfies w^(2^v/2k) = r, and the
 * tower is its 2^e-th powers. */
static gfp_status build_tower(gfp_field *field, gfp_error *error)
{
    unsigned k = field->k;
    unsigned levels = field->v2_order < GFP_TOWER ? field->v2_order : GFP_TOWER;
    uint64_t g[GFP_MAX_K];
    uint64_t gamma[GFP_MAX_K];
    field->tower = gfp_allocate(&field->allocator, levels + 1, k * sizeof *field->tower);
    field->tower_levels = levels;
    if (field->tower == NULL) {
        return no_memory(error);
    }
    gfp_field_odd_power(field, g, field->certificate.factor[0].base);
    uint64_t *top = field->tower + (size_t)levels * k;
    uint64_t *highest = field->tower + (size_t)(levels - 1) * k;
    /* One pass of squarings finds both g^(2^(v-levels)) and gamma. */
    gfp_elem_set(field, gamma, g);
    for (unsigned order = field->v2_order; order > field->log2_k + 1; order--) {
        if (order == levels) {
            gfp_elem_set(field, highest, gamma);
        }
        gfp_elem_sqr(field, gamma, gamma);
    }
    if (levels == field->log2_k + 1) {
        gfp_elem_set(field, highest, gamma);
    }
    uint64_t j = odd_inverse(root_exponent(field, gamma), k);
    gfp_elem_pow(field, top, g, &j, 1);
    gfp_elem_pow(field, highest, highest, &j, 1);
    for (unsigned m = levels - 1; m >= 1; m--) {
        uint64_t *root = field->tower + (size_t)(m - 1) * k;
        gfp_elem_sqr(field, root, root + k);
    }
    return GFP_OK;
}

static gfp_status write_modulus_string(gfp_field *field, gfp_error *error)
{
    /* p itself is not an element: the text of p is that of p - 1, an even number, with 1 added. */
    uint64_t minus_one[GFP_MAX_K];
    size_t length;
    field->modulus_string_size = gfp_elem_string_size(field, 10);
    field->modulus_string = gfp_allocate(&field->allocator, field->modulus_string_size, 1);
    if (field->modulus_string == NULL) {
        return no_memory(error);
    }
    gfp_elem_zero(field, minus_one);
    minus_one[field->k - 1] = field->r;
    GFP_TRY(gfp_elem_get_string(field, field->modulus_string, field->modulus_string_size, &length,
                                10, minus_one));
    field->modulus_string[length - 1]++; /* an even digit: no carry */
    return GFP_OK;
}

/* Completes a context. Named primes and those in stock bring their certificate (the tests check it
 * again), and `proved` may hold one; other primes are proved here. */
static gfp_status context_complete(gfp_field *field, const gfp_certificate *proved,
                                   gfp_error *error)
{
    int named = gfp_named_prime_find(field->r, field->k);
    if (named >= 0) {
        const gfp_named_prime *prime = gfp_named_prime_get((size_t)named);
        field->certificate = prime->certificate;
        (void)snprintf(field->name, sizeof field->name, "%s", prime->name);
    } else {
        (void)snprintf(field->name, sizeof field->name, "%" PRIu64 "^%u+1", field->r, field->k);
        if (proved != NULL) {
            field->certificate = *proved;
        } else if (!gfp_stock_find(&field->certificate, field->r, field->k)) {
            GFP_TRY(gfp_field_prove(field, &field->certificate, error));
        }
    }
    GFP_TRY(build_tower(field, error));
    return write_modulus_string(field, error);
}

gfp_status gfp_field_create_proved(gfp_field **field, uint64_t r, unsigned k,
                                   const gfp_certificate *proved, const gfp_allocator *allocator,
                                   gfp_error *error)
{
    gfp_field *f = NULL;
    GFP_TRY(gfp_field_create_raw(&f, r, k, allocator, error));
    gfp_status status = context_complete(f, proved, error);
    if (status != GFP_OK) {
        gfp_field_destroy(f);
        return status;
    }
    *field = f;
    return GFP_OK;
}

gfp_status gfp_field_create_rk(gfp_field **field, uint64_t r, unsigned k,
                               const gfp_allocator *allocator, gfp_error *error)
{
    return gfp_field_create_proved(field, r, k, NULL, allocator, error);
}

gfp_status gfp_field_create(gfp_field **field, const char *text, const gfp_allocator *allocator,
                            gfp_error *error)
{
    uint64_t r;
    unsigned k;
    GFP_TRY(gfp_field_parse(&r, &k, text, error));
    return gfp_field_create_rk(field, r, k, allocator, error);
}

unsigned gfp_field_k(const gfp_field *field)
{
    return field->k;
}

uint64_t gfp_field_r(const gfp_field *field)
{
    return field->r;
}

unsigned gfp_field_bits(const gfp_field *field)
{
    return field->bits;
}

unsigned gfp_field_limbs(const gfp_field *field)
{
    return field->limbs;
}

unsigned gfp_field_v2_order(const gfp_field *field)
{
    return field->v2_order;
}

const char *gfp_field_name(const gfp_field *field)
{
    return field->name;
}

const uint64_t *gfp_field_modulus_limbs(const gfp_field *field)
{
    return field->modulus;
}

gfp_field_info gfp_field_get_info(const gfp_field *field)
{
    return (gfp_field_info){.modulus = field->modulus_string,
                            .certificate = &field->certificate,
                            .threads = gfp_field_threads(field),
                            .kept_memory = atomic_load(&field->pool.bytes)};
}

const gfp_allocator *gfp_field_allocator(const gfp_field *field)
{
    return &field->allocator;
}

const gfp_kernels *gfp_field_kernels(const gfp_field *field)
{
    return field->kernels;
}

bool gfp_field_same(const gfp_field *f, const gfp_field *g)
{
    return f != NULL && g != NULL && f->k == g->k && f->r == g->r;
}

gfp_status gfp_field_root(const gfp_field *field, uint64_t *root, unsigned m)
{
    if (m > field->v2_order) {
        return GFP_ERR_NO_ROOT;
    }
    if (m == 0) {
        gfp_elem_one(field, root);
    } else if (m <= field->tower_levels) {
        gfp_elem_set(field, root, field->tower + (size_t)(m - 1) * field->k);
    } else {
        gfp_elem_set(field, root, field->tower + (size_t)field->tower_levels * field->k);
        for (unsigned order = field->v2_order; order > m; order--) {
            gfp_elem_sqr(field, root, root);
        }
    }
    return GFP_OK;
}

gfp_level gfp_field_level(const gfp_field *field)
{
    return field->level;
}

uint64_t gfp_field_note(const gfp_field *field)
{
    return atomic_load_explicit(&field->note, memory_order_relaxed);
}

void gfp_field_set_note(const gfp_field *field, uint64_t note)
{
    _Atomic(uint64_t) *place = (_Atomic(uint64_t) *)&field->note; /* as in gfp_field_attach */
    atomic_store_explicit(place, note, memory_order_relaxed);
}

/* A bit of the state of an answer. The bits below then name the thread that writes: a signal
 * handler may have jumped out of an earlier call in this thread. */
#define BUSY (UINT64_C(1) << 32)

static uint32_t this_thread(void)
{
    return (uint32_t)((uintptr_t)pthread_self() >> 4);
}

/* An acquire load that reads a word of a writer's release shows that the writer is at work or was
 * at work: then state has changed. */
size_t gfp_field_recall(const gfp_field *field, size_t place, const gfp_question *question,
                        void *answer)
{
    const gfp_answer *known = &field->answers[place];
    const uint64_t state = atomic_load_explicit(&known->state, memory_order_acquire);
    const size_t words = (state & BUSY) == 0 ? (uint32_t)state : 0;
    for (size_t i = 0; i < GFP_QUESTION_WORDS; i++) {
        if (atomic_load_explicit(&known->word[i], memory_order_acquire) != question->word[i]) {
            return 0;
        }
    }
    for (size_t i = 0; i < words; i++) {
        const uint64_t word = atomic_load_explicit(&known->answer[i], memory_order_acquire);
        memcpy((char *)answer + i * sizeof word, &word, sizeof word);
    }
    return atomic_load_explicit(&known->state, memory_order_relaxed) == state ? words : 0;
}

static void answer_store(_Atomic(uint64_t) *to, const void *from, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const char *)from + i * sizeof word, sizeof word);
        atomic_store_explicit(&to[i], word, memory_order_release);
    }
}

void gfp_field_remember(const gfp_field *field, size_t place, const gfp_question *question,
                        const void *answer, size_t words)
{
    gfp_answer *known = (gfp_answer *)&field->answers[place]; /* as in gfp_field_attach */
    uint64_t state = atomic_load_explicit(&known->state, memory_order_relaxed);
    uint64_t busy = (((state >> 32) + 1) | 1) << 32 | this_thread();
    if (((state & BUSY) != 0 && (uint32_t)state != this_thread()) ||
        !atomic_compare_exchange_strong_explicit(&known->state, &state, busy, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return;
    }
    answer_store(known->word, question->word, GFP_QUESTION_WORDS);
    answer_store(known->answer, answer, words);
    const uint64_t after = ((busy >> 32) + 1) << 32;
    if (!atomic_compare_exchange_strong(&known->state, &busy, after | words)) {
        /* A signal handler remembered another answer meanwhile: the words may be of both. */
        atomic_store(&known->state, ((busy >> 32 | 1) + 1) << 32);
    }
}

/* Tables fill the places in order, and no table is removed. */
gfp_attachment *gfp_field_attached(const gfp_field *field, gfp_attachment_destroy *kind)
{
    for (size_t i = 0; i < GFP_ATTACHMENTS; i++) {
        gfp_attachment *attached = atomic_load_explicit(&field->attached[i], memory_order_acquire);
        if (attached == NULL || attached->destroy == kind) {
            return attached;
        }
    }
    return NULL;
}

gfp_attachment *gfp_field_attach(const gfp_field *field, gfp_attachment *made)
{
    for (size_t i = 0; i < GFP_ATTACHMENTS; i++) {
        /* Attached tables are a cache: the field keeps its value, and fields are never in read-only
         * memory. */
        _Atomic(gfp_attachment *) *place = (_Atomic(gfp_attachment *) *)&field->attached[i];
        gfp_attachment *first = NULL;
        if (atomic_compare_exchange_strong(place, &first, made)) {
            return made;
        }
        if (first->destroy == made->destroy) {
            made->destroy(made, &field->allocator);
            return first;
        }
    }
    GFP_CONTRACT(false); /* unreachable: the kinds are fewer than the places */
    return made;
}
