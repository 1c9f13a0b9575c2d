/* bench/kernels.c: nanoseconds per element of the kernels inside the library: the field's table,
 * its slow twin, the two general products step by step, and division by the radix; and the time of
 * a loop of threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "field/base/context.h"
#include "field/base/kernels.h"
#include "field/base/mul_fft.h"
#include "field/base/parallel.h"
#include "field/kernels/reference.h"
#include "field/base/word.h"

/* Words of a vector: three vectors fit in the first-level cache. */
#define VECTOR_WORDS 1024
#define CONVOLVED 8
/* Points of eval_digit are below this and below r. */
#define MAX_POINT ((uint64_t)1 << 60)

typedef struct job {
    const gfp_field *field;
    const gfp_kernels *table;
    unsigned k;
    size_t n;
    unsigned shift; /* the exponent of r, changed at each run */
    uint64_t digit; /* the point of evaluation: the largest one allowed */
    uint64_t *x, *y, *z, *w;
    uint64_t *limbs; /* the integers of w */
    gfp_twiddle factors[VECTOR_WORDS / 2];
    gfp_mul_fft_residues residues;
    gfp_wide_columns wide;
    gfp_columns columns;
    gfp_divisor divisor;
    gfp_sparse_radix radix;
    uint64_t sink; /* keeps the compiler from removing the divisions */
} job;

/* The exponents 1, 3, 5, ... run through all odd ones: neither the trivial 0 nor one cheap case. */
static unsigned next_shift(job *w)
{
    w->shift = (w->shift + 2) % (2 * w->k);
    return w->shift;
}

static bool run_add(void *context)
{
    job *w = context;
    w->table->add(w->field, w->z, w->x, w->y, w->n);
    return true;
}

static bool run_sub(void *context)
{
    job *w = context;
    w->table->sub(w->field, w->z, w->x, w->y, w->n);
    return true;
}

static bool run_neg(void *context)
{
    job *w = context;
    w->table->mul_r(w->field, w->z, w->x, w->k, w->n);
    return true;
}

static bool run_mul_r(void *context)
{
    job *w = context;
    w->table->mul_r(w->field, w->z, w->x, next_shift(w), w->n);
    return true;
}

static bool run_butterfly(void *context)
{
    job *w = context;
    w->table->butterfly(w->field, w->z, w->w, next_shift(w), w->n);
    return true;
}

static bool run_butterfly_inverse(void *context)
{
    job *w = context;
    w->table->butterfly_inverse(w->field, w->z, w->w, next_shift(w), w->n);
    return true;
}

static bool run_div_2exp(void *context)
{
    job *w = context;
    w->table->div_2exp(w->field, w->z, w->x, 1, w->n);
    return true;
}

static bool run_dot(void *context)
{
    job *w = context;
    w->table->dot(w->field, w->z, w->x, w->y, w->k, w->n);
    return true;
}

static bool run_lincomb(void *context)
{
    job *w = context;
    const uint64_t *const rows[] = {w->x, w->y, w->x};
    w->table->lincomb(w->field, w->z, NULL, w->w, rows, 3, w->n);
    return true;
}

static bool run_eval_digit(void *context)
{
    job *w = context;
    w->table->eval_digit(w->field, w->z, w->x, w->n, w->digit);
    return true;
}

static bool run_fold(void *context)
{
    job *w = context;
    const gfp_folding folding = {
        .x = w->x, .len = w->n, .count = 1, .j = 8, .d = w->digit >> (64 - GFP_FOLD_BITS)};
    (void)w->table->fold(w->field, w->z, 8, &folding);
    return true;
}

static bool run_mul_one(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        w->table->mul_one(w->field, w->z + i * w->k, w->x + i * w->k, w->y + i * w->k);
    }
    return true;
}

static bool run_eval_pairs(void *context)
{
    job *w = context;
    w->table->eval_pairs(w->field, w->z, w->x, w->y, w->n, w->digit);
    return true;
}

static bool run_mul(void *context)
{
    job *w = context;
    w->table->mul(w->field, w->z, w->x, w->k, w->y, w->k, 0, w->n);
    return true;
}

/* Table entries and powers of r as in a transform; here any element serves as the first entry. */
static bool run_mul_indexed(void *context)
{
    job *w = context;
    w->table->mul_indexed(w->field, w->z, w->x, w->y, w->factors, w->n);
    return true;
}

/* All coefficients of a product of CONVOLVED by CONVOLVED coefficients. */
static bool run_convolve(void *context)
{
    job *w = context;
    const size_t n = w->n < CONVOLVED ? w->n : CONVOLVED;
    w->table->convolve(w->field, w->z, w->x, n, w->y, n, 0, 2 * n - 1);
    return true;
}

static bool run_mul_plain(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        gfp_mul_plain(w->field, w->z + i * w->k, w->x + i * w->k, w->y + i * w->k);
    }
    return true;
}

static bool run_mul_fft(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        gfp_mul_fft(w->field, w->z + i * w->k, w->x + i * w->k, w->y + i * w->k);
    }
    return true;
}

static bool run_convolution(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        gfp_mul_fft_convolution(w->field, &w->residues, w->x + i * w->k, w->y + i * w->k);
    }
    return true;
}

static bool run_crt(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        gfp_mul_fft_crt(w->field, &w->wide, &w->residues);
    }
    return true;
}

static bool run_split(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        gfp_mul_fft_split(w->field, &w->columns, &w->wide);
    }
    return true;
}

static bool run_normalize(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n; i++) {
        w->table->normalize(w->field, w->z + i * w->k, &w->columns);
    }
    return true;
}

static bool run_import(void *context)
{
    job *w = context;
    const size_t words = gfp_field_limbs(w->field);
    gfp_vec_set_limbs_mod(w->field, w->z, w->limbs, words, words, w->n);
    return true;
}

static bool run_import_twin(void *context)
{
    job *w = context;
    const size_t words = gfp_field_limbs(w->field);
    for (size_t i = 0; i < w->n; i++) {
        gfp_radix_reduce(w->field, w->z + i * w->k, w->limbs + i * words, words);
    }
    return true;
}

static bool run_export(void *context)
{
    job *w = context;
    gfp_vec_get_limbs(w->field, w->limbs, gfp_field_limbs(w->field), w->w, w->n);
    return true;
}

static bool run_export_twin(void *context)
{
    job *w = context;
    const size_t words = gfp_field_limbs(w->field);
    for (size_t i = 0; i < w->n; i++) {
        gfp_radix_to_limbs(w->field, w->limbs + i * words, w->w + i * w->k);
    }
    return true;
}

/* Products of halved digits, below r^2 / 4 < 2^126 as division by shifts needs. */
static gfp_u128 kernels_dividend(const job *w, size_t i)
{
    return gfp_mul_wide(w->x[i] / 2, w->y[i] / 2);
}

static bool run_reciprocal(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n * w->k; i++) {
        uint64_t remainder;
        w->sink += gfp_div_wide(&w->divisor, kernels_dividend(w, i), &remainder);
        w->sink ^= remainder;
    }
    return true;
}

static bool run_shifts(void *context)
{
    job *w = context;
    for (size_t i = 0; i < w->n * w->k; i++) {
        uint64_t remainder;
        w->sink += (uint64_t)gfp_sparse_radix_divide(&w->radix, (gfp_i128)kernels_dividend(w, i),
                                                     &remainder);
        w->sink ^= remainder;
    }
    return true;
}

/* The unit of a figure: one of n elements, one of n k digits, or one call. */
enum unit { PER_ELEMENT, PER_DIGIT, PER_CALL };

static const struct {
    const char *name;
    bool (*run)(void *context);
    enum unit unit;
    bool twin; /* also timed in the reference table */
} kernels[] = {
    {"add", run_add, PER_ELEMENT, true},
    {"sub", run_sub, PER_ELEMENT, true},
    {"neg", run_neg, PER_ELEMENT, true},
    {"mul_r", run_mul_r, PER_ELEMENT, true},
    {"butterfly", run_butterfly, PER_ELEMENT, true},
    {"butterfly_inverse", run_butterfly_inverse, PER_ELEMENT, true},
    {"div_2exp", run_div_2exp, PER_ELEMENT, true},
    {"dot", run_dot, PER_ELEMENT, true},
    {"lincomb of 3 rows", run_lincomb, PER_ELEMENT, true},
    {"eval_digit", run_eval_digit, PER_ELEMENT, true},
    {"fold", run_fold, PER_ELEMENT, true},
    {"mul_one", run_mul_one, PER_ELEMENT, true},
    {"eval_pairs", run_eval_pairs, PER_ELEMENT, true},
    {"mul", run_mul, PER_ELEMENT, true},
    {"mul_indexed", run_mul_indexed, PER_ELEMENT, true},
    {"convolve, 8 by 8 (per call)", run_convolve, PER_CALL, false},
    {"mul_plain", run_mul_plain, PER_ELEMENT, false},
    {"mul_fft", run_mul_fft, PER_ELEMENT, false},
    {"mul_fft: convolution", run_convolution, PER_ELEMENT, false},
    {"mul_fft: crt", run_crt, PER_ELEMENT, false},
    {"mul_fft: split", run_split, PER_ELEMENT, false},
    {"mul_fft: normalize", run_normalize, PER_ELEMENT, false},
    {"limbs from digits", run_export, PER_ELEMENT, false},
    {"limbs from digits, one by one", run_export_twin, PER_ELEMENT, false},
    {"digits from limbs", run_import, PER_ELEMENT, false},
    {"digits from limbs, one by one", run_import_twin, PER_ELEMENT, false},
    {"div_r: reciprocal", run_reciprocal, PER_DIGIT, false},
    {"div_r: shifts", run_shifts, PER_DIGIT, false},
};
#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

static void job_free(job *w)
{
    if (w != NULL) {
        free(w->x);
        free(w);
    }
}

static job *job_new(const gfp_field *field, uint64_t seed)
{
    gfp_random g;
    job *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        return NULL;
    }
    w->field = field;
    w->table = gfp_field_kernels(field);
    w->k = gfp_field_k(field);
    w->n = VECTOR_WORDS / w->k;
    w->shift = 1;
    w->digit = gfp_field_r(field) < MAX_POINT ? gfp_field_r(field) - 1 : MAX_POINT - 1;
    for (size_t i = 0; i < w->n; i++) {
        w->factors[i] = (gfp_twiddle){1 + (7 * i) % (w->n - 1), i % (2 * w->k)};
    }
    w->x = calloc(5 * VECTOR_WORDS, sizeof(uint64_t));
    if (w->x == NULL) {
        job_free(w);
        return NULL;
    }
    w->y = w->x + VECTOR_WORDS;
    w->z = w->y + VECTOR_WORDS;
    w->w = w->z + VECTOR_WORDS;
    w->limbs = w->w + VECTOR_WORDS; /* at most as many words as digits */
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, w->x, w->n, &g);
    gfp_vec_random(field, w->y, w->n, &g);
    gfp_vec_random(field, w->z, w->n, &g);
    gfp_vec_random(field, w->w, w->n, &g);
    gfp_divisor_init(&w->divisor, gfp_field_r(field));
    return w;
}

/* Checks that the three products agree, and the two divisions. Leaves the inputs of the steps in
 * the job. */
static bool kernels_check(job *w)
{
    const size_t bytes = VECTOR_WORDS * sizeof(uint64_t);

    run_mul_plain(w);
    memcpy(w->w, w->z, bytes);
    run_mul_fft(w);
    bool ok = memcmp(w->w, w->z, bytes) == 0;
    run_mul(w);
    ok = ok && memcmp(w->w, w->z, bytes) == 0;
    run_convolution(w);
    run_crt(w);
    run_split(w);
    run_normalize(w);
    /* The steps of the last element, each run separately. */
    const size_t last = (w->n - 1) * w->k;
    ok = ok && memcmp(w->w + last, w->z + last, w->k * sizeof(uint64_t)) == 0;
    run_export_twin(w);
    run_import(w);
    ok = ok && memcmp(w->w, w->z, bytes) == 0;
    run_export(w);
    run_import_twin(w);
    ok = ok && memcmp(w->w, w->z, bytes) == 0;
    if (gfp_sparse_radix_find(&w->radix, gfp_field_r(w->field))) {
        const uint64_t start = w->sink;
        run_reciprocal(w);
        const uint64_t sum = w->sink;
        w->sink = start;
        run_shifts(w);
        ok = ok && w->sink == sum;
    }
    return ok ? ok : complain("%s: two kernels disagree", gfp_field_name(w->field));
}

/* Measures one kernel of one table. */
static bool bench_kernel(const settings *s, job *w, size_t index, report *r)
{
    const size_t counts[] = {[PER_ELEMENT] = w->n, [PER_DIGIT] = w->n * w->k, [PER_CALL] = 1};
    const double units = (double)counts[kernels[index].unit];
    char name[40];
    const timed_row f = {.section = "kernel",
                         .field = gfp_field_name(w->field),
                         .name = name,
                         .per = units,
                         .unit = 1};

    snprintf(name, sizeof(name), "%s%s", kernels[index].name,
             kernels[index].twin && w->table == &gfp_kernels_reference ? " (reference)" : "");
    return take_timed_row(s, r, &f, kernels[index].run, w) != NULL;
}

static bool bench_all(const settings *s, job *w, report *r)
{
    const gfp_kernels *table = w->table;

    for (size_t i = 0; i < KERNELS; i++) {
        if (kernels[i].run == run_shifts &&
            !gfp_sparse_radix_find(&w->radix, gfp_field_r(w->field))) {
            printf("  %-30s the radix is not 2^w, 2^w + 2^u or 2^w - 2^u\n", kernels[i].name);
            continue;
        }
        if (!bench_kernel(s, w, i, r)) {
            return false;
        }
        if (kernels[i].twin && table != &gfp_kernels_reference) {
            w->table = &gfp_kernels_reference;
            const bool ok = bench_kernel(s, w, i, r);
            w->table = table;
            if (!ok) {
                return false;
            }
        }
    }
    return true;
}

bool bench_kernels(const settings *s, const gfp_field *field, report *r)
{
    job *w = job_new(field, s->seed);

    if (w == NULL) {
        return complain("no memory");
    }
    printf("%s, kernels: %s, %u primes in mul_fft\n", gfp_field_name(field), w->table->name,
           gfp_mul_fft_prime_count(field));
    print_head("per element (div_r: per digit)", "ns");
    const bool ok = kernels_check(w) && bench_all(s, w, r);
    job_free(w);
    return ok;
}

const char *const product_step_names[PRODUCT_STEPS] = {
    [STEP_FFT] = "fft-based",
    [STEP_CONVOLUTION] = "fft-based: convolution",
    [STEP_CRT] = "fft-based: crt",
    [STEP_LHC] = "fft-based: lhc",
    [STEP_NORMALIZATION] = "fft-based: normalization",
    [STEP_DEFAULT] = "default"};

bool time_product_steps(const settings *s, const gfp_field *field, timing *steps)
{
    static bool (*const runs[PRODUCT_STEPS])(void *context) = {
        [STEP_FFT] = run_mul_fft, [STEP_CONVOLUTION] = run_convolution,
        [STEP_CRT] = run_crt,     [STEP_LHC] = run_split,
        [STEP_DEFAULT] = run_mul, [STEP_NORMALIZATION] = run_normalize};
    job *w = job_new(field, s->seed);

    if (w == NULL) {
        return complain("no memory");
    }
    bool ok = kernels_check(w);
    for (size_t i = 0; i < PRODUCT_STEPS && ok; i++) {
        ok = measure(&steps[i], s->seconds, runs[i], w);
        steps[i] = timing_divide(steps[i], (double)w->n);
    }
    job_free(w);
    return ok;
}

/* ---- loops ---- */

typedef struct empty_loop {
    gfp_task task;
    unsigned threads;
} empty_loop;

static gfp_status do_nothing(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    (void)user;
    (void)from;
    (void)to;
    (void)worker;
    (void)task;
    return GFP_OK;
}

static bool run_empty_loop(void *context)
{
    empty_loop *w = context;
    const gfp_parallel loop = {.run = do_nothing};

    gfp_task_start(&w->task, NULL);
    w->task.threads = w->threads;
    return gfp_parallel_for(&loop, &w->task, w->threads, 1) == GFP_OK;
}

bool measure_loop(timing *t, unsigned threads)
{
    empty_loop w = {.threads = threads};

    return measure(t, 0.05, run_empty_loop, &w);
}
