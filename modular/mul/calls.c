/* calls.c: products of polynomials over Z: the call, the choice of a strategy, checks and report.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/mul/methods.h"

#include <math.h>
#include <string.h>

#include "field/base/options.h"
#include "product/pipeline.h"
#include "field/base/word.h"
#include "modular/mul/cost.h"
#include "modular/mul/split.h"
#include "modular/vec.h"

enum { STRATEGIES = 7 };
/* Predictions that take long come last. */
static const gfp_zstrategy *const strategies[STRATEGIES] = {
    &gfp_zmul_classical, &gfp_zmul_short, &gfp_zmul_words, &gfp_zmul_big,
    &gfp_zmul_kronecker, &gfp_zmul_flint, &gfp_zmul_mix,
};

size_t gfp_zmul_count(void)
{
    return STRATEGIES;
}

const gfp_zstrategy *gfp_zmul_strategy(size_t index)
{
    return index < gfp_zmul_count() ? strategies[index] : NULL;
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

/* A factor without zeros at the end and in one width, the least, of which *compact may be a copy
 * (NULL: the sizes suffice); cap: that of the call. Errors: SIZE, MEMORY. */
static gfp_status read_factor(gfp_zfactor *f, gfp_zvec *compact, const gfp_zvec *a, size_t *cap)
{
    *f = (gfp_zfactor){a->limbs, gfp_zvec_length(a), a->width, gfp_zvec_bits(a)};
    if (f->len == 1 && f->width > 0) { /* the lower limbs are the number */
        f->width = gfp_size_min(f->width, gfp_z_width(f->bits));
    } else if (gfp_z_width(f->bits) < f->width || f->width == 0) {
        GFP_TRY(take_bytes(cap, f->len, gfp_z_width(f->bits)));
        f->width = gfp_z_width(f->bits);
        f->x = NULL;
        if (compact != NULL) {
            GFP_TRY(gfp_zvec_set_flat(compact, a));
            f->x = compact->limbs;
        }
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

/* What predictions of other strategies than `classical` read. */
static void mul_calls_measure(gfp_zmul *z)
{
    gfp_zcost_shape(z);
    z->named = gfp_zmul_named(z->ring, z->bits + 1);
}

/* ---- the choice ---- */

static gfp_status mul_calls_find(const gfp_zstrategy **named, const char *name, gfp_error *error)
{
    for (size_t i = 0; i < gfp_zmul_count(); i++) {
        if (strcmp(strategies[i]->name, name) == 0) {
            *named = strategies[i];
            return GFP_OK;
        }
    }
    char list[100] = "";
    for (size_t i = 0, used = 0; i < gfp_zmul_count(); i++) {
        used = gfp_list_name(list, sizeof list, used, strategies[i]->name);
    }
    return gfp_error_set(error, GFP_ERR_UNKNOWN,
                         "unknown method \"%.60s\" of products over Z; available: auto, %s", name,
                         list);
}

/* A product of this time is not worth further predictions. */
#define SHORT_NS 400
/* The same for the strategies that need no other predictions. */
#define INSTANT_NS 1000
/* The least time of `kronecker`, somewhat more where `classical` takes as long. */
#define KRONECKER_NS 260

static bool is_possible(const gfp_zmul *z, const gfp_zstrategy *s)
{
    return s->refuses(z) == NULL && (z->cap == SIZE_MAX || s->bytes(z) <= z->cap);
}

/* FLINT's function neither reports nor stops: a caller who waits for reports gets another strategy
 * from this time on. */
#define SILENT_NS 1e8
#define SILENT_COST 1e6

static double time_with_reports(const gfp_zmul *z, const gfp_zstrategy *s)
{
    const double time = s->time(z);
    const bool silent = s == &gfp_zmul_flint && z->options->progress != NULL && time > SILENT_NS;
    return silent ? SILENT_COST * time : time;
}

/* Returns the strategy of least predicted time that is not `other`; NULL: none fits. */
static const gfp_zstrategy *mul_calls_cheapest(const gfp_zmul *z, const gfp_zstrategy *other)
{
    const gfp_zstrategy *best = NULL;
    double least = HUGE_VAL;
    for (size_t i = 0; i < gfp_zmul_count() && (best == NULL || least > SHORT_NS); i++) {
        const gfp_zstrategy *s = strategies[i];
        if (s == other || (best != NULL && least <= s->least_ns) || !is_possible(z, s)) {
            continue;
        }
        const double time = time_with_reports(z, s);
        if (best == NULL || time < least) {
            best = s;
            least = time;
        }
    }
    return best;
}

/* The field of a big prime takes long to create: the ring does so once products without it would
 * have lost about as much time. */
static const gfp_zstrategy *wait_for_field(const gfp_zmul *z, const gfp_zstrategy *s, bool counts)
{
    const size_t index = z->named;
    if (s != &gfp_zmul_big || atomic_load(&z->ring->field[index]) != NULL) {
        return s;
    }
    const gfp_zstrategy *second = mul_calls_cheapest(z, s);
    if (second == NULL) {
        return s;
    }
    const double lost = fmin(second->time(z) - s->time(z), 1e15);
    const unsigned long long more = counts ? (unsigned long long)fmax(lost, 0) : 0;
    const unsigned long long before = atomic_fetch_add(&z->ring->kept.missed_ns[index], more);
    return (double)before + lost >= gfp_zcost_field(index) ? s : second;
}

/* Returns the strategy for a product so short that no other one is predicted; NULL: it is not, or a
 * second one is needed. */
static const gfp_zstrategy *mul_calls_instant(const gfp_zmul *z)
{
    static const gfp_zstrategy *const quick[] = {&gfp_zmul_classical, &gfp_zmul_kronecker};
    const gfp_zstrategy *best = NULL;
    double least = z->options->verify == GFP_VERIFY_NONE ? INSTANT_NS : 0;
    for (size_t i = 0; i < 2 && least > KRONECKER_NS; i++) {
        const double time = is_possible(z, quick[i]) ? quick[i]->time(z) : HUGE_VAL;
        best = time < least ? quick[i] : best;
        least = time < least ? time : least;
    }
    return best;
}

/* Of a problem that was measured. */
static const gfp_zstrategy *measured_choice(const gfp_zmul *z, bool counts)
{
    const gfp_zstrategy *s = mul_calls_cheapest(z, NULL);
    return s == NULL ? NULL : wait_for_field(z, s, counts);
}

const gfp_zstrategy *gfp_zmul_choice(gfp_zmul *z)
{
    const gfp_zstrategy *quick = mul_calls_instant(z);
    if (quick != NULL) {
        return quick;
    }
    mul_calls_measure(z);
    return measured_choice(z, false);
}

static gfp_status mul_calls_choose(const gfp_zstrategy **chosen, gfp_zmul *z)
{
    const gfp_zstrategy *s = *chosen;
    if (s == NULL && (*chosen = mul_calls_instant(z)) != NULL) {
        return GFP_OK;
    }
    mul_calls_measure(z);
    if (s != NULL) {
        const char *reason = s->refuses(z);
        if (reason != NULL) {
            return gfp_error_set(z->options->error, GFP_ERR_UNAVAILABLE, "the strategy %s: %s",
                                 s->name, reason);
        }
    } else {
        s = measured_choice(z, true);
    }
    if (s == NULL || s->bytes(z) > z->cap) {
        return gfp_error_set(z->options->error, GFP_ERR_MEMORY,
                             "a product of %zu coefficients over Z needs more than %zu bytes",
                             z->len, z->cap);
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
    *second = fits ? mul_calls_cheapest(again, used) : NULL;
    if (*second != NULL) {
        return GFP_OK;
    }
    again->cap = SIZE_MAX;
    return mul_calls_cheapest(again, used) != NULL
               ? gfp_error_set(z->options->error, GFP_ERR_MEMORY,
                               "a second product of %zu coefficients over Z, as a check, needs "
                               "more than the cap",
                               z->len)
               : gfp_error_set(z->options->error, GFP_ERR_UNAVAILABLE,
                               "no second strategy can check the product");
}

/* Computes the product again by another strategy. */
static gfp_status check_cross(const gfp_zmul *z, const gfp_zstrategy *used, gfp_report *report)
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
        status = gfp_error_set(z->options->error, GFP_ERR_VERIFY,
                               "the products over Z by %s and %s differ", used->name, second->name);
    }
    gfp_zvec_clear(&c);
    report->verified = GFP_VERIFY_CROSS;
    report->cross_method = second->name;
    return status;
}

static gfp_status mul_calls_check(const gfp_zmul *z, const gfp_zstrategy *used, gfp_report *report)
{
    gfp_task_part(z->task, 1);
    if (z->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    return z->options->verify == GFP_VERIFY_CROSS ? check_cross(z, used, report)
                                                  : gfp_zmul_check_point(z, report);
}

/* Multiplies and checks; fills the report. */
static gfp_status mul_calls_compute(gfp_zmul *z, const gfp_zstrategy *s, gfp_report *report)
{
    gfp_task storage;
    const gfp_verify verify = z->options->verify;
    const uint64_t start = gfp_clock_ns();
    z->task = gfp_call_start(&storage, z->options, z->threads);
    gfp_task_part(z->task, gfp_call_share(verify));
    gfp_status status = s->multiply(z);
    const uint64_t middle = gfp_clock_ns();
    if (status == GFP_OK) {
        status = mul_calls_check(z, s, report);
    }
    if (status == GFP_OK && !gfp_task_finish(z->task)) {
        status = GFP_ERR_CANCELLED;
    }
    report->method = s->name;
    report->threads = z->threads;
    report->multiply_ns = middle - start;
    report->verify_ns = verify == GFP_VERIFY_NONE ? 0 : gfp_clock_ns() - middle;
    return status;
}

static gfp_status mul_calls_explain(const gfp_zmul *z, gfp_status status)
{
    gfp_error *error = z->options->error;
    const bool silent = error == NULL || error->status != status;
    if (status == GFP_ERR_MEMORY && silent && z->len == 0) { /* not prepared */
        return gfp_error_set(error, status, "no memory for copies of the factors of a product");
    }
    if (status == GFP_ERR_MEMORY && silent) {
        return gfp_error_set(error, status, "no memory for a product of %zu coefficients over Z",
                             z->len);
    }
    if (status == GFP_ERR_SIZE) {
        return gfp_error_set(error, status, "a product over Z is too long");
    }
    return gfp_call_cancelled(status, error);
}

/* A thread is worth its start from this time on. */
#define THREAD_NS 1e5

static void limit_threads(gfp_zmul *z, const gfp_zstrategy *s)
{
    const unsigned asked = z->threads;
    if (asked > 1) {
        z->threads = 1;
        z->threads = (unsigned)fmin(asked, 1 + s->time(z) / THREAD_NS);
    }
}

/* Whether the product may be computed in c's storage: it is large enough, the factors lie
 * elsewhere, and nothing can fail once a strategy writes numbers. */
static bool in_place(const gfp_zvec *c, const gfp_zmul *z)
{
    size_t limbs;
    return gfp_size_mul(&limbs, z->len, z->width) && limbs <= c->alloc && c->limbs != z->a.x &&
           c->limbs != z->b.x && z->options->progress == NULL &&
           z->options->verify == GFP_VERIFY_NONE;
}

static gfp_status mul_calls_multiply(gfp_zvec *c, gfp_zmul *z, const gfp_zstrategy *s,
                                     gfp_report *report)
{
    gfp_zvec product;
    gfp_zvec_init(&product, z->ring);
    GFP_TRY(mul_calls_choose(&s, z));
    if (z->options->verify == GFP_VERIFY_CROSS) {
        gfp_zmul again;
        const gfp_zstrategy *second;
        GFP_TRY(find_second(&again, &second, z, s)); /* before the product is computed */
    }
    limit_threads(z, s);
    if (in_place(c, z)) {
        z->c = c->limbs;
        GFP_TRY(mul_calls_compute(z, s, report));
        c->len = z->len;
        c->width = z->width;
        return GFP_OK;
    }
    gfp_status status = gfp_zvec_reserve(&product, z->len, z->width);
    if (status == GFP_OK) {
        z->c = product.limbs;
        status = mul_calls_compute(z, s, report);
    }
    if (status == GFP_OK) {
        gfp_zvec_swap(c, &product);
    }
    gfp_zvec_clear(&product);
    return status;
}

/* copies: NULL, or two empty vectors. */
static gfp_status read_factors(gfp_zmul *z, gfp_zvec *copies, const gfp_zvec *const factors[2])
{
    GFP_TRY(read_factor(&z->a, copies, factors[0], &z->cap));
    z->b = z->a;
    if (!z->square) {
        GFP_TRY(read_factor(&z->b, copies != NULL ? copies + 1 : NULL, factors[1], &z->cap));
    }
    return gfp_zmul_prepare(z);
}

gfp_status gfp_zmul_read(gfp_zmul *z, const gfp_zvec *const factors[2])
{
    const gfp_status status = read_factors(z, NULL, factors);
    if (status != GFP_OK) {
        return mul_calls_explain(z, status);
    }
    mul_calls_measure(z);
    return GFP_OK;
}

/* The product of factors that are not 0. */
static gfp_status multiply_factors(gfp_zvec *c, gfp_zmul *z, const gfp_zvec *const factors[2],
                                   const gfp_zstrategy *s, gfp_report *report)
{
    gfp_zvec copies[2];
    gfp_zvec_init(&copies[0], z->ring);
    gfp_zvec_init(&copies[1], z->ring);
    gfp_status status = read_factors(z, copies, factors);
    status = status == GFP_OK ? mul_calls_multiply(c, z, s, report) : status;
    status = status == GFP_OK ? status : mul_calls_explain(z, status);
    gfp_zvec_clear(&copies[0]);
    gfp_zvec_clear(&copies[1]);
    return status;
}

static bool is_same(const gfp_zvec *a, const gfp_zvec *b)
{
    return a == b || (a->limbs == b->limbs && a->width == b->width && a->len == b->len);
}

gfp_status gfp_zmul_flat(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b, const gfp_zstrategy *s,
                         const gfp_options *options, gfp_report *report)
{
    const gfp_zvec *const factors[] = {a, b};
    gfp_error error = {.status = GFP_OK}; /* the caller's may tell of an earlier call */
    gfp_options own = *options;
    own.error = &error;
    gfp_zmul z = {.ring = c->ring,
                  .square = is_same(a, b),
                  .threads = gfp_zmul_threads(c->ring, options->threads),
                  .cap = options->memory_cap == 0 ? SIZE_MAX : options->memory_cap,
                  .options = &own};
    *report = (gfp_report){.method = s == NULL ? "auto" : s->name, .threads = 1};
    const gfp_status status = multiply_factors(c, &z, factors, s, report);
    if (status != GFP_OK && options->error != NULL) {
        *options->error = error;
    }
    return status;
}

bool gfp_zmul_may_split(const gfp_zvec *a, const gfp_zvec *b, const gfp_options *options)
{
    return (gfp_zvec_is_ragged(a) || gfp_zvec_is_ragged(b)) && gfp_options_auto(options) &&
           options->verify != GFP_VERIFY_CROSS;
}

gfp_status gfp_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                        const gfp_options *options)
{
    gfp_options copy;
    const gfp_zvec *const all[] = {c, a, b};
    bool done = false;
    const gfp_zstrategy *s = NULL;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_zvec_check(all, 3, "a product over Z", options->error));
    if (!gfp_options_auto(options)) {
        GFP_TRY(mul_calls_find(&s, options->method, options->error));
    }
    gfp_report report;
    gfp_status status = GFP_OK;
    if (gfp_zvec_length(a) == 0 || gfp_zvec_length(b) == 0) {
        report = (gfp_report){.method = s == NULL ? "auto" : s->name, .threads = 1};
        c->len = 0; /* exact: nothing to verify */
        c->width = 1;
    } else {
        if (gfp_zmul_may_split(a, b, options)) {
            GFP_TRY(gfp_zsplit_mul(&done, c, a, b, options));
        }
        status = done ? GFP_OK : gfp_zmul_flat(c, a, b, s, options, &report);
    }
    if (!done && options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    return status;
}
