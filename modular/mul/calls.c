/* calls.c: products of polynomials over Z: the call, the strategy, checks and report.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/mul/methods.h"

#include <string.h>

#include "field/base/options.h"
#include "product/pipeline.h"
#include "field/base/word.h"
#include "modular/mul/split.h"
#include "modular/vec.h"

enum { STRATEGIES = 6 };
/* Where the choice does not serve, or needs more memory than the cap, the first strategy that does
 * is taken; the same for a second strategy, as a check. */
static const gfp_zstrategy *const strategies[STRATEGIES] = {
    &gfp_zmul_words,     &gfp_zmul_flint, &gfp_zmul_kronecker,
    &gfp_zmul_classical, &gfp_zmul_short, &gfp_zmul_big,
};

size_t gfp_zmul_count(void)
{
    return STRATEGIES;
}

const gfp_zstrategy *gfp_zmul_strategy(size_t index)
{
    return index < gfp_zmul_count() ? strategies[index] : NULL;
}

static const char *mul_calls_name(const gfp_zstrategy *s)
{
    return gfp_zmethod_names[s->method];
}

/* ---- the problem ---- */

/* Takes the bytes of numbers of this width from a cap. */
static gfp_status take_bytes(size_t *cap, size_t len, size_t width)
{
    const size_t bytes = gfp_size_mul_sat(gfp_size_mul_sat(len, width), sizeof(uint64_t));
    if (bytes > *cap) {
        return GFP_ERR_MEMORY;
    }
    *cap -= *cap == SIZE_MAX ? 0 : bytes;
    return GFP_OK;
}

/* A factor without zeros at the end and in one width, the least, of which *compact may be a copy;
 * cap: that of the call. Errors: SIZE, MEMORY. */
static gfp_status read_factor(gfp_zfactor *f, gfp_zvec *compact, const gfp_zvec *a, size_t *cap)
{
    *f = (gfp_zfactor){a->limbs, gfp_zvec_length(a), a->width, gfp_zvec_bits(a)};
    if (f->len == 1 && f->width > 0) { /* the lower limbs are the number */
        f->width = gfp_size_min(f->width, gfp_z_width(f->bits));
    } else if (gfp_z_width(f->bits) < f->width || f->width == 0) {
        GFP_TRY(take_bytes(cap, f->len, gfp_z_width(f->bits)));
        f->width = gfp_z_width(f->bits);
        GFP_TRY(gfp_zvec_set_flat(compact, a));
        f->x = compact->limbs;
    }
    return GFP_OK;
}

gfp_status gfp_zmul_prepare(gfp_zmul *z)
{
    if (z->a.len < z->b.len) {
        const gfp_zfactor longer = z->b;
        z->b = z->a;
        z->a = longer;
    }
    if (!gfp_size_add(&z->len, z->a.len, z->b.len - 1) ||
        !gfp_size_add(&z->bits, z->a.bits, z->b.bits) ||
        !gfp_size_add(&z->bits, z->bits, gfp_log2_above(z->b.len))) {
        return GFP_ERR_SIZE;
    }
    z->width = gfp_z_width(z->bits);
    return GFP_OK;
}

/* ---- the choice ---- */

static gfp_status mul_calls_find(const gfp_zstrategy **named, const char *name, gfp_error *error)
{
    for (size_t i = 0; i < STRATEGIES; i++) {
        if (strcmp(mul_calls_name(strategies[i]), name) == 0) {
            *named = strategies[i];
            return GFP_OK;
        }
    }
    char list[100] = "";
    for (size_t i = 0, used = 0; i < STRATEGIES; i++) {
        used = gfp_list_name(list, sizeof list, used, mul_calls_name(strategies[i]));
    }
    return gfp_error_set(error, GFP_ERR_UNKNOWN,
                         "unknown method \"%.60s\" of products over Z; available: auto, %s", name,
                         list);
}

/* FLINT's function neither reports nor stops: a caller who waits for reports gets another strategy
 * from this number of limbs of the product on. */
#define SILENT_LIMBS ((size_t)1 << 17)

static bool is_possible(const gfp_zmul *z, const gfp_zstrategy *s)
{
    const bool silent = s == &gfp_zmul_flint && z->call->options->progress != NULL &&
                        gfp_size_mul_sat(z->len, z->width) > SILENT_LIMBS;
    return !silent && s->refuses(z) == NULL && (z->cap == SIZE_MAX || s->bytes(z) <= z->cap);
}

/* Returns the number of the first strategy that is possible, but that of this method; STRATEGIES:
 * none is. */
static size_t first_possible(const gfp_zmul *z, gfp_zmethod other)
{
    size_t i = 0;
    while (i < STRATEGIES && (strategies[i]->method == other || !is_possible(z, strategies[i]))) {
        i++;
    }
    return i;
}

/* NULL: no strategy fits the cap. */
static const gfp_zstrategy *mul_calls_choice(const gfp_zmul *z)
{
    const gfp_zsizes sizes = {z->a.len, z->b.len, z->a.bits, z->b.bits};
    const gfp_zmethod method = gfp_zchoose_mul(z->ring->level, &sizes);
    for (size_t i = 0; i < STRATEGIES; i++) {
        if (strategies[i]->method == method && is_possible(z, strategies[i])) {
            return strategies[i];
        }
    }
    const size_t first = first_possible(z, GFP_Z_AUTO);
    return first < STRATEGIES ? strategies[first] : NULL;
}

/* The least bytes of work space of any strategy that serves; SIZE_MAX: none does. */
static size_t least_bytes(const gfp_zmul *z)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < STRATEGIES; i++) {
        if (strategies[i]->refuses(z) == NULL) {
            least = gfp_size_min(least, strategies[i]->bytes(z));
        }
    }
    return least;
}

static gfp_status mul_calls_choose(const gfp_zstrategy **chosen, gfp_zmul *z)
{
    const gfp_zstrategy *s = *chosen != NULL ? *chosen : mul_calls_choice(z);
    const char *reason = *chosen != NULL ? s->refuses(z) : NULL;
    if (reason != NULL) {
        return gfp_error_set(&z->call->error, GFP_ERR_UNAVAILABLE, "%s: method %s: %s",
                             z->call->name, mul_calls_name(s), reason);
    }
    const size_t bytes = s != NULL ? s->bytes(z) : least_bytes(z);
    if (s == NULL && (bytes == SIZE_MAX || z->cap == SIZE_MAX)) {
        return gfp_error_set(&z->call->error, GFP_ERR_SIZE, "%s: no method serves %zu coefficients",
                             z->call->name, z->len);
    }
    if (s == NULL || bytes > z->cap) {
        z->call->refused = gfp_size_add_sat(z->call->cap - z->cap, bytes);
        return GFP_ERR_MEMORY;
    }
    *chosen = s;
    return GFP_OK;
}

/* ---- the product ---- */

/* *again := the product by another strategy, *second, with the product itself within the cap.
 * Errors: MEMORY, UNAVAILABLE. */
static gfp_status find_second(gfp_zmul *again, const gfp_zstrategy **second, const gfp_zmul *z,
                              const gfp_zstrategy *used)
{
    *again = *z;
    const bool fits = take_bytes(&again->cap, z->len, z->width) == GFP_OK;
    const size_t i = fits ? first_possible(again, used->method) : STRATEGIES;
    if (i < STRATEGIES) {
        *second = strategies[i];
        return GFP_OK;
    }
    again->cap = SIZE_MAX;
    return first_possible(again, used->method) < STRATEGIES
               ? gfp_error_set(&z->call->error, GFP_ERR_MEMORY,
                               "%s: a second product of %zu coefficients, as a check, needs "
                               "more than the cap",
                               z->call->name, z->len)
               : gfp_error_set(&z->call->error, GFP_ERR_UNAVAILABLE,
                               "%s: no second method can check it", z->call->name);
}

/* Computes the product again by another strategy. */
static gfp_status check_cross(const gfp_zmul *z, const gfp_zstrategy *used)
{
    gfp_zmul again;
    gfp_zvec c;
    const gfp_zstrategy *second;
    GFP_TRY(find_second(&again, &second, z, used));
    gfp_zvec_init(&c, z->ring);
    gfp_status status = gfp_zvec_reserve(&c, z->len, z->width);
    if (status == GFP_OK) {
        again.c = c.limbs;
        status = second->multiply(&again);
    }
    if (status == GFP_OK && memcmp(c.limbs, z->c, z->len * z->width * sizeof(uint64_t)) != 0) {
        status = gfp_error_set(&z->call->error, GFP_ERR_VERIFY,
                               "the products over Z by %s and %s differ", mul_calls_name(used),
                               mul_calls_name(second));
    }
    gfp_zvec_clear(&c);
    z->call->report.verified = GFP_VERIFY_CROSS;
    z->call->report.cross_method = mul_calls_name(second);
    return status;
}

static gfp_status mul_calls_check(const gfp_zmul *z, const gfp_zstrategy *used)
{
    gfp_task_part(z->task, 1);
    return z->call->options->verify == GFP_VERIFY_CROSS ? check_cross(z, used)
                                                        : gfp_zmul_check_point(z, &z->call->report);
}

/* Multiplies and checks; fills the report. */
static gfp_status mul_calls_compute(gfp_zmul *z, const gfp_zstrategy *s)
{
    gfp_call *call = z->call;
    call->start = call->options->report != NULL ? gfp_clock_ns() : 0;
    call->report.method = mul_calls_name(s);
    call->report.threads = z->threads;
    z->task = gfp_call_task(call, z->threads);
    call->task.part_to = call->task.to; /* where the product begins */
    gfp_task_part(z->task, gfp_call_share(call->options->verify));
    GFP_TRY(s->multiply(z));
    if (call->options->verify != GFP_VERIFY_NONE) {
        gfp_call_checks(call);
        GFP_TRY(mul_calls_check(z, s));
    }
    return gfp_task_finish(z->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* The limbs of factors and product for a thread: 0.1 ms. */
#define THREAD_LIMBS ((size_t)1 << 14)

static void limit_threads(gfp_zmul *z)
{
    const size_t limbs =
        gfp_size_add_sat(gfp_size_mul_sat(z->len, z->width),
                         gfp_size_add_sat(gfp_size_mul_sat(z->a.len, z->a.width),
                                          z->square ? 0 : gfp_size_mul_sat(z->b.len, z->b.width)));
    z->threads = (unsigned)gfp_size_min(z->threads, 1 + limbs / THREAD_LIMBS);
}

/* Whether the product may be computed in c's storage: it is large enough, the factors lie
 * elsewhere, and nothing can fail once a strategy writes numbers. */
static bool in_place(const gfp_zvec *c, const gfp_zmul *z)
{
    size_t limbs;
    return gfp_size_mul(&limbs, z->len, z->width) && limbs <= c->alloc && c->limbs != z->a.x &&
           c->limbs != z->b.x && z->call->options->progress == NULL &&
           z->call->options->verify == GFP_VERIFY_NONE;
}

static gfp_status mul_calls_multiply(gfp_zvec *c, gfp_zmul *z, const gfp_zstrategy *s)
{
    gfp_zvec product;
    gfp_zvec_init(&product, z->ring);
    GFP_TRY(mul_calls_choose(&s, z));
    if (z->call->options->verify == GFP_VERIFY_CROSS) {
        gfp_zmul again;
        const gfp_zstrategy *second;
        GFP_TRY(find_second(&again, &second, z, s)); /* before the product is computed */
    }
    limit_threads(z);
    if (in_place(c, z)) {
        z->c = c->limbs;
        GFP_TRY(mul_calls_compute(z, s));
        c->len = z->len;
        c->width = z->width;
        return GFP_OK;
    }
    gfp_status status = gfp_zvec_reserve(&product, z->len, z->width);
    if (status == GFP_OK) {
        z->c = product.limbs;
        status = mul_calls_compute(z, s);
    }
    if (status == GFP_OK) {
        gfp_zvec_swap(c, &product);
    }
    gfp_zvec_clear(&product);
    return status;
}

/* copies: two empty vectors. */
static gfp_status read_factors(gfp_zmul *z, gfp_zvec *copies, const gfp_zvec *const factors[2])
{
    GFP_TRY(read_factor(&z->a, copies, factors[0], &z->cap));
    z->b = z->a;
    if (!z->square) {
        GFP_TRY(read_factor(&z->b, copies + 1, factors[1], &z->cap));
    }
    GFP_TRY(gfp_zmul_prepare(z));
    gfp_zmul_set_shape(z);
    return GFP_OK;
}

static bool is_same(const gfp_zvec *a, const gfp_zvec *b)
{
    return a == b || (a->limbs == b->limbs && a->width == b->width && a->len == b->len);
}

gfp_status gfp_zmul_flat(gfp_call *call, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                         const gfp_zstrategy *s)
{
    const gfp_zvec *const factors[] = {a, b};
    gfp_zmul z = {.ring = c->ring,
                  .square = is_same(a, b),
                  .threads = gfp_zmul_threads(c->ring, call->options->threads),
                  .cap = call->left,
                  .call = call};
    gfp_zvec copies[2];
    gfp_zvec_init(&copies[0], z.ring);
    gfp_zvec_init(&copies[1], z.ring);
    gfp_status status = read_factors(&z, copies, factors);
    status = status == GFP_OK ? mul_calls_multiply(c, &z, s) : status;
    gfp_zvec_clear(&copies[0]);
    gfp_zvec_clear(&copies[1]);
    return status;
}

/* Whether the choice is free, and some coefficients are much longer than others. */
static bool may_split(const gfp_zvec *a, const gfp_zvec *b, const gfp_options *options)
{
    return (gfp_zvec_is_ragged(a) || gfp_zvec_is_ragged(b)) && gfp_options_auto(options) &&
           options->verify != GFP_VERIFY_CROSS;
}

static gfp_status mul_calls_run(gfp_zcall *call, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b)
{
    gfp_zring *const rings[] = {GFP_ZRING(c), GFP_ZRING(a), GFP_ZRING(b)};
    const gfp_options *options = call->base.options;
    const gfp_zstrategy *s = NULL;
    bool done = false;
    if (!gfp_options_auto(options)) {
        GFP_TRY(mul_calls_find(&s, options->method, &call->base.error));
    }
    GFP_TRY(gfp_zcall_start(call, rings, 3));
    if (gfp_zvec_length(a) == 0 || gfp_zvec_length(b) == 0) {
        c->len = 0; /* exact: nothing to verify */
        c->width = 1;
        return GFP_OK;
    }
    if (may_split(a, b, options)) {
        GFP_TRY(gfp_zsplit_mul(call, &done, c, a, b));
    }
    return done ? GFP_OK : gfp_zmul_flat(&call->base, c, a, b, s);
}

gfp_status gfp_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                        const gfp_options *options)
{
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin(&call, "product over Z", options));
    return gfp_call_end(&call.base, mul_calls_run(&call, c, a, b));
}
