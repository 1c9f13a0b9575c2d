/* gpu_ntt.c: transforms over word-size primes on the device against those of the CPU: every
 * form and product, orders, batches, in place or not, on random and extreme residues, for primes at
 * both sides of every limit. Skipped where there is no device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"
#include "lab/meter.h"

#include <string.h>

#include "gfpoly/gpu_papers.h"
#if GFP_HAVE_CUDA
#include "gpu/seam.h"
#endif
#include "field/base/word.h"
#include "fft/words/primes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static gfp_gpu *gpu;

static int open_device(void **state)
{
    gfp_error error = {0};
    const gfp_status status = gfp_gpu_create(&gpu, NULL, &error);

    (void)state;
    if (status == GFP_ERR_UNAVAILABLE) {
        print_message("no device: %s\n", error.message);
        gpu = NULL;
        return 0;
    }
    return status == GFP_OK ? 0 : -1;
}

/* Checks that the tests left nothing on the device. */
static int close_device(void **state)
{
    (void)state;
    if (gpu != NULL) {
        const size_t left = gfp_gpu_memory_used(gpu);
        gfp_gpu_destroy(gpu);
        return left == 0 ? 0 : -1;
    }
    return 0;
}

static void need_device(void)
{
    if (gpu == NULL) {
        skip();
    }
}

/* ---- inputs ---- */

enum {
    INPUT_RANDOM,
    INPUT_ZERO,
    INPUT_ONE,
    INPUT_GREATEST,
    INPUT_HALF,
    INPUT_ALTERNATING,
    INPUT_LONE,
    INPUT_ENDS,
    INPUTS
};

static uint64_t input_at(size_t i, size_t n, uint64_t q, int input, uint64_t random)
{
    switch (input) {
    case INPUT_RANDOM:
        return random % q;
    case INPUT_ONE:
        return 1;
    case INPUT_GREATEST:
        return q - 1;
    case INPUT_HALF:
        return q / 2;
    case INPUT_ALTERNATING:
        return i % 2 == 0 ? 0 : q - 1;
    case INPUT_LONE:
        return i == n / 3 ? q - 1 : 0;
    case INPUT_ENDS: /* near the ends of the range */
        return random & 1 ? (random >> 1) % 3 % q : q - 1 - (random >> 1) % 3 % q;
    default:
        return 0;
    }
}

/* ---- vectors of a plan, and their transforms by the CPU ---- */

typedef struct stage {
    size_t count, batch, n, residues;
    const uint64_t *primes;
    uint64_t *x, *natural, *permuted; /* residues, one a word */
} stage;

static size_t start_of(const stage *s, size_t prime, size_t vector)
{
    return (prime * s->batch + vector) * s->n;
}

static void stage_transform(stage *s)
{
    for (size_t i = 0; i < s->count; i++) {
        gfp_ntt_plan *plan;
        assert_int_equal(gfp_ntt_plan_create(&plan, s->primes[i], s->n, NULL, NULL, NULL), GFP_OK);
        for (size_t b = 0; b < s->batch; b++) {
            const size_t at = start_of(s, i, b);
            assert_int_equal(
                gfp_ntt_forward(plan, s->natural + at, s->x + at, GFP_ORDER_NATURAL, NULL, NULL),
                GFP_OK);
            assert_int_equal(
                gfp_ntt_forward(plan, s->permuted + at, s->x + at, GFP_ORDER_PERMUTED, NULL, NULL),
                GFP_OK);
        }
        gfp_ntt_plan_destroy(plan);
    }
}

/* Vector b of the batch is the input first + b. */
static void stage_open(stage *s, const uint64_t *primes, size_t count, size_t batch, size_t n,
                       int first)
{
    uint64_t seed = primes[0] ^ n;

    *s = (stage){.count = count, .batch = batch, .n = n, .primes = primes};
    s->residues = count * batch * n;
    s->x = lab_array(s->residues);
    s->natural = lab_array(s->residues);
    s->permuted = lab_array(s->residues);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < batch * n; j++) {
            s->x[i * batch * n + j] = input_at(j % n, n, primes[i], (first + (int)(j / n)) % INPUTS,
                                               oracle_random(&seed));
        }
    }
    stage_transform(s);
}

static void stage_close(stage *s)
{
    lab_free(s->x);
    lab_free(s->natural);
    lab_free(s->permuted);
}

/* ---- arrays on the device, packed or not ---- */

static gfp_gpu_array *array_create(size_t words)
{
    gfp_gpu_array *array = NULL;

    assert_int_equal(gfp_gpu_array_create(&array, gpu, words), GFP_OK);
    return array;
}

static void array_set(gfp_gpu_array *array, const uint64_t *residues, size_t n, bool packed)
{
    if (!packed) {
        assert_int_equal(gfp_gpu_upload(array, 0, residues, n), GFP_OK);
        return;
    }
    uint64_t *words = lab_array(n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        words[i] = residues[2 * i] | residues[2 * i + 1] << 32;
    }
    assert_int_equal(gfp_gpu_upload(array, 0, words, n / 2), GFP_OK);
    lab_free(words);
}

static void array_get(uint64_t *residues, const gfp_gpu_array *array, size_t n, bool packed)
{
    if (!packed) {
        assert_int_equal(gfp_gpu_download(residues, array, 0, n), GFP_OK);
        return;
    }
    uint64_t *words = lab_array(n / 2);
    assert_int_equal(gfp_gpu_download(words, array, 0, n / 2), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        residues[i] = words[i / 2] >> (i % 2 * 32) & UINT32_MAX;
    }
    lab_free(words);
}

/* ---- plans of every kind ---- */

static const gfp_ntt_form forms[] = {GFP_NTT_FORM_AUTO, GFP_NTT_COOLEY_TUKEY,
                                     GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM,
                                     GFP_NTT_BLOCKED};
static const gfp_gpu_ntt_product products[] = {GFP_GPU_NTT_PRODUCT_AUTO, GFP_GPU_NTT_SHOUP,
                                               GFP_GPU_NTT_MONTGOMERY, GFP_GPU_NTT_DOUBLE_QUOTIENT,
                                               GFP_GPU_NTT_FP64};

/* The forms and products that are built: see the header. */
static gfp_status expected_status(gfp_ntt_form form, gfp_gpu_ntt_product product, uint64_t greatest)
{
    const bool fast = form == GFP_NTT_FORM_AUTO || form == GFP_NTT_BLOCKED;

    if ((product == GFP_GPU_NTT_DOUBLE_QUOTIENT && greatest >> 30 != 0) ||
        (product == GFP_GPU_NTT_FP64 && greatest >> 50 != 0)) {
        return GFP_ERR_ARGUMENT;
    }
    return fast && (product == GFP_GPU_NTT_SHOUP || product == GFP_GPU_NTT_DOUBLE_QUOTIENT)
               ? GFP_ERR_UNAVAILABLE
               : GFP_OK;
}

static uint64_t greatest_of(const stage *s)
{
    uint64_t q = 0;

    for (size_t i = 0; i < s->count; i++) {
        q = s->primes[i] > q ? s->primes[i] : q;
    }
    return q;
}

static void expect_residues(const gfp_gpu_ntt_plan *plan, const gfp_gpu_array *y,
                            const uint64_t *expected, const stage *s, bool packed, const char *what)
{
    uint64_t *got = lab_array(s->residues);

    array_get(got, y, s->residues, packed);
    for (size_t i = 0; i < s->residues; i++) {
        if (got[i] != expected[i]) {
            fail_msg("q = %llu, N = %zu, %zu primes, batch %zu, %s, %s%s: %s: residue %zu of "
                     "vector %zu is %llu, not %llu",
                     (unsigned long long)s->primes[i / (s->batch * s->n)], s->n, s->count, s->batch,
                     gfp_ntt_form_name(gfp_gpu_ntt_plan_form(plan)),
                     gfp_gpu_ntt_product_name(gfp_gpu_ntt_plan_product(plan)),
                     packed ? ", packed" : "", what, i % s->n, i / s->n, (unsigned long long)got[i],
                     (unsigned long long)expected[i]);
        }
    }
    lab_free(got);
}

/* Forward and back, in one order; x is an array that the call must not change, or NULL: in place.
 */
static void check_order(gfp_gpu_ntt_plan *plan, const stage *s, bool packed, gfp_order order,
                        gfp_gpu_array *y, gfp_gpu_array *x)
{
    const uint64_t *image = order == GFP_ORDER_NATURAL ? s->natural : s->permuted;
    gfp_gpu_array *from = x != NULL ? x : y;

    array_set(from, s->x, s->residues, packed);
    assert_int_equal(gfp_gpu_ntt_forward(plan, y, from, order), GFP_OK);
    expect_residues(plan, y, image, s, packed,
                    order == GFP_ORDER_NATURAL ? "forward" : "forward permuted");
    if (x != NULL) {
        expect_residues(plan, x, s->x, s, packed, "the operand");
    }
    array_set(from, image, s->residues, packed);
    assert_int_equal(gfp_gpu_ntt_inverse(plan, y, from, order), GFP_OK);
    expect_residues(plan, y, s->x, s, packed,
                    order == GFP_ORDER_NATURAL ? "inverse" : "inverse permuted");
}

/* Products by constants, one for each prime, to another array and in place. */
static void check_scale(gfp_gpu_ntt_plan *plan, const stage *s, bool packed, gfp_gpu_array *y,
                        gfp_gpu_array *x)
{
    uint64_t *expected = lab_array(s->residues);
    uint64_t *c = lab_array(s->count);

    for (int constants = 0; constants < 4; constants++) {
        for (size_t i = 0; i < s->residues; i++) {
            const size_t prime = i / (s->batch * s->n);
            const uint64_t q = s->primes[prime];
            c[prime] = constants < 2    ? (uint64_t)constants
                       : constants == 2 ? q - 1
                                        : UINT64_C(0xfedcba9876543210) + prime;
            expected[i] = gfp_mod_mul(s->x[i], c[prime] % q, q);
        }
        array_set(x, s->x, s->residues, packed);
        assert_int_equal(gfp_gpu_ntt_scale(plan, y, x, c), GFP_OK);
        expect_residues(plan, y, expected, s, packed, "products by constants");
        expect_residues(plan, x, s->x, s, packed, "the operand");
        assert_int_equal(gfp_gpu_ntt_scale(plan, x, x, c), GFP_OK);
        expect_residues(plan, x, expected, s, packed, "products by constants in place");
    }
    lab_free(c);
    lab_free(expected);
}

static void check_queries(const gfp_gpu_ntt_plan *plan, const stage *s, bool packed)
{
    assert_int_equal(gfp_gpu_ntt_plan_length(plan), s->n);
    assert_int_equal(gfp_gpu_ntt_plan_batch(plan), s->batch);
    assert_int_equal(gfp_gpu_ntt_plan_prime_count(plan), s->count);
    assert_int_equal(gfp_gpu_ntt_plan_words(plan), packed ? s->residues / 2 : s->residues);
    assert_true(gfp_gpu_ntt_plan_bytes(plan) <= gfp_gpu_memory_used(gpu));
    for (size_t i = 0; i < s->count; i++) {
        gfp_ntt_plan *twin;
        assert_int_equal(gfp_ntt_plan_create(&twin, s->primes[i], s->n, NULL, NULL, NULL), GFP_OK);
        assert_int_equal(gfp_gpu_ntt_plan_prime(plan, i), s->primes[i]);
        assert_int_equal(gfp_gpu_ntt_plan_root(plan, i), gfp_ntt_plan_root(twin));
        gfp_ntt_plan_destroy(twin);
    }
}

static void check_plan(const stage *s, const gfp_gpu_ntt_options *options)
{
    gfp_error error = {0};
    gfp_gpu_ntt_plan *plan = NULL;
    const size_t before = gfp_gpu_memory_used(gpu);
    const gfp_status expected = expected_status(options->form, options->product, greatest_of(s));

    lab_expect_status(
        gfp_gpu_ntt_plan_create(&plan, gpu, s->primes, s->count, s->n, options, &error), expected,
        &error, "plan");
    if (expected != GFP_OK) {
        assert_null(plan);
        assert_int_equal(gfp_gpu_memory_used(gpu), before);
        return;
    }
    assert_true(options->form == GFP_NTT_FORM_AUTO || gfp_gpu_ntt_plan_form(plan) == options->form);
    assert_int_equal(gfp_gpu_memory_used(gpu), before + gfp_gpu_ntt_plan_bytes(plan));
    check_queries(plan, s, options->packed);
    gfp_gpu_array *x = array_create(gfp_gpu_ntt_plan_words(plan));
    gfp_gpu_array *y = array_create(gfp_gpu_ntt_plan_words(plan));
    check_order(plan, s, options->packed, GFP_ORDER_NATURAL, y, NULL);
    check_order(plan, s, options->packed, GFP_ORDER_PERMUTED, y, x);
    if (!gpu_lab_short()) {
        check_order(plan, s, options->packed, GFP_ORDER_NATURAL, y, x);
        check_order(plan, s, options->packed, GFP_ORDER_PERMUTED, y, NULL);
    }
    check_scale(plan, s, options->packed, y, x);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(y);
    gfp_gpu_ntt_plan_destroy(plan);
    assert_int_equal(gfp_gpu_memory_used(gpu), before);
}

static void check_all_plans(const uint64_t *primes, size_t count, size_t batch, size_t n, int first)
{
    stage s;

    stage_open(&s, primes, count, batch, n, first);
    const bool half_words = greatest_of(&s) >> 31 == 0;
    for (size_t form = 0; form < COUNT(forms); form++) {
        for (size_t product = 0; product < COUNT(products); product++) {
            gfp_gpu_ntt_options options = {
                .batch = batch, .form = forms[form], .product = products[product]};
            check_plan(&s, &options);
            if (half_words && n > 1) {
                options.packed = true;
                check_plan(&s, &options);
            }
        }
    }
    stage_close(&s);
}

/* The greatest prime below 2^bits, and the next one, with 2^log2_n | q - 1. */
static void primes_under(uint64_t *primes, size_t count, unsigned bits, unsigned log2_n)
{
    uint64_t below = (uint64_t)1 << bits;

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(gfp_word_prime_below(&primes[i], below, log2_n), GFP_OK);
        below = primes[i];
    }
}

static void tiny_primes(void **state)
{
    static const uint64_t primes[] = {3, 5, 17, 97, 257, 7681, 12289, 65537};

    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(primes); i += gpu_lab_short() ? 7 : 1) {
        const size_t apart = gpu_lab_serial() ? 256 : gpu_lab_short() ? 16 : 2;
        for (size_t n = 1; (primes[i] - 1) % n == 0 && n <= 256; n *= apart) {
            check_all_plans(&primes[i], 1, 3, n, (int)i);
        }
    }
}

static void every_length(void **state)
{
    static const unsigned bits[] = {30, 31, 50, 62};

    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(bits); i += gpu_lab_serial() ? 2 : 1) {
        uint64_t primes[3];
        primes_under(primes, 3, bits[i], 14);
        for (unsigned m = 0; m <= 14; m += gpu_lab_serial() ? 11 : gpu_lab_short() ? 13 : 1) {
            if (!gpu_lab_serial() || m > 0) {
                check_all_plans(primes, m < 8 ? 3 : 2, m < 8 ? INPUTS + 1 : 2, (size_t)1 << m,
                                (int)m);
            }
        }
    }
}

static void primes_at_the_limits(void **state)
{
    static const unsigned bits[] = {20, 29, 30, 31, 32, 48, 49, 50, 51, 52, 61, 62};

    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(bits); i += gpu_lab_short() ? 5 : 1) {
        uint64_t primes[2];
        primes_under(primes, 2, bits[i], 11);
        check_all_plans(primes, gpu_lab_serial() ? 1 : 2, INPUTS, 512, 0);
        check_all_plans(primes, 1, 1, 2048, INPUT_GREATEST);
        check_all_plans(primes, 1, 1, 2048, INPUT_ENDS);
    }
}

/* Two and three passes over the data; groups of vectors. */
static void long_transforms(void **state)
{
    static const struct {
        unsigned bits, log2_n;
        size_t batch;
    } rows[] = {{31, 15, 1}, {50, 16, 2}, {62, 17, 1}, {30, 18, 1}, {31, 20, 9},
                {50, 20, 4}, {62, 21, 1}, {31, 22, 1}, {50, 23, 1}, {31, 24, 1}};

    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t prime;
        stage s;
        primes_under(&prime, 1, rows[i].bits, rows[i].log2_n);
        stage_open(&s, &prime, 1, rows[i].batch, (size_t)1 << rows[i].log2_n, INPUT_ENDS);
        gfp_gpu_ntt_options options = {.batch = rows[i].batch};
        check_plan(&s, &options);
        if (rows[i].bits <= 31) {
            options.packed = true;
            check_plan(&s, &options);
        }
        stage_close(&s);
    }
}

/* ---- products ---- */

static void check_products(const stage *s, const gfp_gpu_ntt_options *options)
{
    const bool packed = options->packed;
    uint64_t *b = lab_array(s->residues);
    uint64_t *expected = lab_array(s->residues);
    gfp_gpu_ntt_plan *plan = NULL;

    assert_int_equal(gfp_gpu_ntt_plan_create(&plan, gpu, s->primes, s->count, s->n, options, NULL),
                     GFP_OK);
    gfp_gpu_array *da = array_create(gfp_gpu_ntt_plan_words(plan));
    gfp_gpu_array *db = array_create(gfp_gpu_ntt_plan_words(plan));
    gfp_gpu_array *dc = array_create(gfp_gpu_ntt_plan_words(plan));
    /* The second operand: the first one's transform, which is as good as random. */
    memcpy(b, s->natural, s->residues * sizeof *b);
    for (int what = 0; what < 4; what++) {
        const bool square = what == 2;
        gfp_status status = GFP_OK;
        for (size_t i = 0; i < s->count; i++) {
            gfp_ntt_plan *twin;
            assert_int_equal(gfp_ntt_plan_create(&twin, s->primes[i], s->n, NULL, NULL, NULL),
                             GFP_OK);
            for (size_t v = 0; v < s->batch && status == GFP_OK; v++) {
                const size_t at = start_of(s, i, v);
                const uint64_t *y = square ? s->x + at : b + at;
                if (what == 0) {
                    gfp_ntt_mul_pointwise(twin, expected + at, s->x + at, y);
                } else if (what == 3) {
                    status =
                        gfp_ntt_convolve_negacyclic(twin, expected + at, s->x + at, y, NULL, NULL);
                } else {
                    status = gfp_ntt_convolve_cyclic(twin, expected + at, s->x + at, y, NULL, NULL);
                }
            }
            gfp_ntt_plan_destroy(twin);
        }
        array_set(da, s->x, s->residues, packed);
        array_set(db, b, s->residues, packed);
        gfp_gpu_array *to = what % 2 == 0 ? dc : da;
        switch (what) {
        case 0:
            assert_int_equal(gfp_gpu_ntt_mul_pointwise(plan, to, da, db), GFP_OK);
            break;
        case 3:
            assert_int_equal(gfp_gpu_ntt_convolve_negacyclic(plan, to, da, db), status);
            break;
        default:
            assert_int_equal(gfp_gpu_ntt_convolve_cyclic(plan, to, da, square ? da : db), GFP_OK);
        }
        expect_residues(plan, to, status == GFP_OK ? expected : s->x, s, packed,
                        what == 0   ? "pointwise"
                        : what == 3 ? "negacyclic"
                                    : "cyclic");
    }
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_array_destroy(dc);
    gfp_gpu_ntt_plan_destroy(plan);
    lab_free(b);
    lab_free(expected);
}

static void convolutions(void **state)
{
    static const struct {
        unsigned bits, two; /* 2^two | q - 1, the greatest such power or a greater one */
        size_t n;
    } rows[] = {{31, 13, 1},    {31, 13, 2},  {31, 13, 64},   {31, 13, 4096},
                {50, 13, 4096}, {62, 13, 32}, {62, 15, 8192}, {50, 17, 65536}};

    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t primes[2];
        stage s;
        primes_under(primes, 2, rows[i].bits, rows[i].two);
        stage_open(&s, primes, 2, 3, rows[i].n, INPUT_HALF);
        gfp_gpu_ntt_options options = {.batch = 3, .convolutions = true};
        check_products(&s, &options);
        options.form = GFP_NTT_STOCKHAM;
        check_products(&s, &options);
        if (rows[i].bits == 31 && rows[i].n > 1) {
            options.packed = true;
            check_products(&s, &options);
        }
        stage_close(&s);
    }
}

/* 2N does not divide q - 1. */
static void negacyclic_without_root(void **state)
{
    static const uint64_t primes[] = {257, 17};
    const gfp_gpu_ntt_options options = {.batch = 2, .convolutions = true};
    stage s;

    (void)state;
    need_device();
    stage_open(&s, primes, 2, 2, 16, INPUT_RANDOM);
    check_products(&s, &options);
    stage_close(&s);
}

/* ---- times ---- */

static unsigned kernels_of(const gfp_gpu_times *times, const char *name)
{
    for (unsigned i = 0; i < times->count; i++) {
        if (strcmp(times->step[i].name, name) == 0) {
            return times->step[i].kernels;
        }
    }
    return 0;
}

/* The steps of the papers: Stockham's three a level; base cases of 16 points. */
static void steps_are_timed(void **state)
{
    uint64_t prime;

    (void)state;
    need_device();
    primes_under(&prime, 1, 31, 10);
    for (size_t form = 1; form < 4; form++) {
        const gfp_gpu_ntt_options options = {.form = forms[form], .timed = true, .packed = true};
        gfp_gpu_ntt_plan *plan = NULL;
        gfp_gpu_times times = {0};
        assert_int_equal(gfp_gpu_ntt_plan_create(&plan, gpu, &prime, 1, 1024, &options, NULL),
                         GFP_OK);
        assert_int_equal(gfp_gpu_ntt_plan_times(plan, &times), GFP_ERR_ARGUMENT);
        gfp_gpu_array *x = array_create(512);
        assert_int_equal(gfp_gpu_clear(x, 512), GFP_OK);
        assert_int_equal(gfp_gpu_ntt_forward(plan, x, x, GFP_ORDER_NATURAL), GFP_OK);
        assert_int_equal(gfp_gpu_ntt_plan_times(plan, &times), GFP_OK);
        const bool stockham = forms[form] == GFP_NTT_STOCKHAM;
        assert_int_equal(kernels_of(&times, "permutation"), stockham ? 10 : 1);
        assert_int_equal(kernels_of(&times, "base case"), stockham ? 0 : 1);
        assert_int_equal(kernels_of(&times, "twiddle"), stockham ? 10 : 0);
        assert_int_equal(kernels_of(&times, "butterfly"), stockham ? 10 : 6);
        gfp_gpu_array_destroy(x);
        gfp_gpu_ntt_plan_destroy(plan);
    }
}

/* ---- mistakes ---- */

static void expect_refused(const uint64_t *primes, size_t count, size_t n,
                           gfp_gpu_ntt_options options, gfp_status status, const char *what)
{
    gfp_error error = {0};
    gfp_gpu_ntt_plan *plan = NULL;

    lab_expect_status(gfp_gpu_ntt_plan_create(&plan, gpu, primes, count, n, &options, &error),
                      status, &error, what);
    assert_null(plan);
}

static void mistakes_are_refused(void **state)
{
    static const uint64_t good[] = {257, 97};
    static const uint64_t composite[] = {257, 33};
    static const uint64_t even[] = {2};
    static const uint64_t wide[] = {UINT64_C(4611686018427387905)};
    uint64_t above;
    const gfp_gpu_ntt_options none = {0};

    (void)state;
    need_device();
    expect_refused(good, 0, 8, none, GFP_ERR_ARGUMENT, "no prime");
    expect_refused(good, 1, 0, none, GFP_ERR_ARGUMENT, "length 0");
    expect_refused(good, 1, 12, none, GFP_ERR_ARGUMENT, "length 12");
    expect_refused(composite, 2, 8, none, GFP_ERR_ARGUMENT, "composite");
    expect_refused(even, 1, 1, none, GFP_ERR_ARGUMENT, "even");
    expect_refused(wide, 1, 2, none, GFP_ERR_ARGUMENT, "2^62");
    expect_refused(good, 2, 64, none, GFP_ERR_NO_ROOT, "length 64 modulo 97");
    expect_refused(good, 1, 1, (gfp_gpu_ntt_options){.packed = true}, GFP_ERR_ARGUMENT,
                   "packed, one point");
    primes_under(&above, 1, 32, 8);
    expect_refused(&above, 1, 8, (gfp_gpu_ntt_options){.packed = true}, GFP_ERR_ARGUMENT,
                   "packed beyond 2^31");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.form = (gfp_ntt_form)9}, GFP_ERR_ARGUMENT,
                   "form 9");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.product = (gfp_gpu_ntt_product)9},
                   GFP_ERR_ARGUMENT, "product 9");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.timed = true}, GFP_ERR_UNAVAILABLE,
                   "steps of the fast form");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.batch = SIZE_MAX / 4}, GFP_ERR_SIZE,
                   "batch beyond all memory");
}

static void arrays_are_checked(void **state)
{
    const uint64_t prime = 257;
    gfp_gpu_ntt_plan *plan = NULL;

    (void)state;
    need_device();
    assert_int_equal(gfp_gpu_ntt_plan_create(&plan, gpu, &prime, 1, 64, NULL, NULL), GFP_OK);
    gfp_gpu_array *x = array_create(64);
    gfp_gpu_array *shorter = array_create(63);
    assert_int_equal(gfp_gpu_ntt_forward(plan, x, shorter, GFP_ORDER_NATURAL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_inverse(plan, shorter, x, GFP_ORDER_NATURAL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_mul_pointwise(plan, x, x, shorter), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_scale(plan, shorter, x, &prime), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_convolve_cyclic(plan, x, x, x), GFP_ERR_ARGUMENT);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(shorter);
    gfp_gpu_ntt_plan_destroy(plan);
}

/* ---- faults ---- */

/* A plan, a transform and a product in a context of their own; after a failure all is destroyed. */
static gfp_status tour(gfp_ntt_form form, meter *m)
{
    static const uint64_t primes[] = {12289, 40961};
    const gfp_allocator allocator = meter_hook(m);
    const gfp_gpu_options where = {.allocator = &allocator};
    const gfp_gpu_ntt_options options = {
        .form = form, .convolutions = true, .timed = form == GFP_NTT_STOCKHAM};
    gfp_gpu *own = NULL;
    gfp_gpu_ntt_plan *plan = NULL;
    gfp_gpu_array *x = NULL;
    gfp_error error = {0};
    gfp_status status = gfp_gpu_create(&own, &where, &error);

    if (status == GFP_OK) {
        status = gfp_gpu_ntt_plan_create(&plan, own, primes, 2, 64, &options, &error);
        assert_true(status == GFP_OK || error.status == status);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&x, own, 128);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_clear(x, 128);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_ntt_forward(plan, x, x, GFP_ORDER_NATURAL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_ntt_convolve_negacyclic(plan, x, x, x);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_wait(own, NULL);
    }
    gfp_gpu_array_destroy(x);
    gfp_gpu_ntt_plan_destroy(plan);
    if (own != NULL) {
        assert_int_equal(gfp_gpu_memory_used(own), 0);
    }
    gfp_gpu_destroy(own);
    meter_expect_empty(m);
    return status;
}

static const gfp_ntt_form tours[] = {GFP_NTT_BLOCKED, GFP_NTT_STOCKHAM};

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(tours); i++) {
        meter m = {.fail_at = SIZE_MAX};
        assert_int_equal(tour(tours[i], &m), GFP_OK);
        const size_t calls = m.calls;
        for (size_t n = 0; n < calls; n++) {
            m = (meter){.fail_at = n};
            assert_int_equal(tour(tours[i], &m), GFP_ERR_MEMORY);
        }
    }
}

#if GFP_HAVE_CUDA
static void failing_calls_are_reported(void **state)
{
    (void)state;
    need_device();
    for (size_t i = 0; i < COUNT(tours); i++) {
        meter m = {.fail_at = SIZE_MAX};
        gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
        assert_int_equal(tour(tours[i], &m), GFP_OK);
        const uint64_t calls = gfp_gpu_seam_calls();
        for (uint64_t n = 1; n <= calls; n += gpu_lab_short() ? 9 : n < 20 ? 1 : 3) {
            gfp_gpu_seam_arm(GFP_GPU_FAULT_MEMORY, n);
            assert_int_equal(tour(tours[i], &m), GFP_ERR_MEMORY);
            gfp_gpu_seam_arm(n % 2 == 0 ? GFP_GPU_FAULT_LAUNCH : GFP_GPU_FAULT_LOST, n);
            assert_int_equal(tour(tours[i], &m), GFP_ERR_DEVICE);
        }
        gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_primes),
        cmocka_unit_test(every_length),
        cmocka_unit_test(primes_at_the_limits),
        cmocka_unit_test(long_transforms),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(negacyclic_without_root),
        cmocka_unit_test(steps_are_timed),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(failing_allocations_are_reported),
#if GFP_HAVE_CUDA
        cmocka_unit_test(failing_calls_are_reported),
#endif
    };

    if (gpu_lab_short()) {
        cmocka_set_skip_filter("long_*");
    }
    return cmocka_run_group_tests(tests, open_device, close_device);
}
