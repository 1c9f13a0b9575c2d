/* ntt.c: transforms modulo half-word primes on the device, and in the library's form modulo
 * words, against those of the CPU: every form and product, batches, in place or not, on random and
 * extreme residues, for primes at both sides of every limit. Skipped where there is no device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"
#include "lab/meter.h"

#include <string.h>

#include "gfpoly/gpu_papers.h"
#if GFP_HAVE_CUDA
#include "gpu/seam.h"
#endif
#include "field/base/word.h"
#include "papers/gpu/backend.h"
#include "papers/rival/half.h"
#include "fft/words/primes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static gfp_gpu *gpu;

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
    uint64_t *x, *image; /* residues, one a word */
} stage;

/* x := DFT_N of x modulo q, by the slow twin of the rival. */
static void transform_by_cpu(uint64_t *x, size_t n, uint64_t q)
{
    uint64_t *work = lab_array(n);

    gfp_word_transform(x, n, q, work);
    lab_free(work);
}

static void stage_transform(stage *s)
{
    memcpy(s->image, s->x, s->residues * sizeof *s->x);
    for (size_t i = 0; i < s->count * s->batch; i++) {
        transform_by_cpu(s->image + i * s->n, s->n, s->primes[i / s->batch]);
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
    s->image = lab_array(s->residues);
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
    lab_free(s->image);
}

/* ---- arrays on the device, packed or not ---- */

static void array_set(gfp_gpu_array *array, const uint64_t *residues, size_t n, bool packed)
{
    if (!packed) {
        assert_int_equal(gfp_gpu_upload(array, 0, residues, n, NULL), GFP_OK);
        return;
    }
    uint64_t *words = lab_array(n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        words[i] = residues[2 * i] | residues[2 * i + 1] << 32;
    }
    assert_int_equal(gfp_gpu_upload(array, 0, words, n / 2, NULL), GFP_OK);
    lab_free(words);
}

static void array_get(uint64_t *residues, const gfp_gpu_array *array, size_t n, bool packed)
{
    if (!packed) {
        assert_int_equal(gfp_gpu_download(residues, array, 0, n, NULL), GFP_OK);
        return;
    }
    uint64_t *words = lab_array(n / 2);
    assert_int_equal(gfp_gpu_download(words, array, 0, n / 2, NULL), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        residues[i] = words[i / 2] >> (i % 2 * 32) & UINT32_MAX;
    }
    lab_free(words);
}

/* ---- plans of every kind ---- */

static const gfp_ntt_form forms[] = {GFP_NTT_BLOCKED, GFP_NTT_COOLEY_TUKEY,
                                     GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM};
static const gfp_gpu_ntt_product products[] = {GFP_GPU_NTT_MONTGOMERY, GFP_GPU_NTT_DOUBLE_QUOTIENT};
static const char *const product_names[] = {"montgomery", "double-quotient"};

/* The forms and products that are built: see the header. */
static gfp_status expected_status(gfp_ntt_form form, gfp_gpu_ntt_product product, uint64_t greatest)
{
    if (form == GFP_NTT_BLOCKED) {
        return product == GFP_GPU_NTT_DOUBLE_QUOTIENT ? GFP_ERR_UNAVAILABLE : GFP_OK;
    }
    return greatest >> (product == GFP_GPU_NTT_DOUBLE_QUOTIENT ? 30 : 31) != 0 ? GFP_ERR_ARGUMENT
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

static void expect_residues(const gfp_gpu_ntt_options *options, const gfp_gpu_array *y,
                            const uint64_t *expected, const stage *s, const char *what)
{
    uint64_t *got = lab_array(s->residues);

    array_get(got, y, s->residues, options->packed);
    for (size_t i = 0; i < s->residues; i++) {
        if (got[i] != expected[i]) {
            fail_msg("q = %llu, N = %zu, %zu primes, batch %zu, %s, %s%s: %s: residue %zu of "
                     "vector %zu is %llu, not %llu",
                     (unsigned long long)s->primes[i / (s->batch * s->n)], s->n, s->count, s->batch,
                     gfp_ntt_form_name(options->form), product_names[options->product],
                     options->packed ? ", packed" : "", what, i % s->n, i / s->n,
                     (unsigned long long)got[i], (unsigned long long)expected[i]);
        }
    }
    lab_free(got);
}

/* The way back, which convolutions alone call. */
static gfp_status run_inverse(gfp_gpu_ntt_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y)
{
    GFP_GPU_RETURN(gpu, false, gfp_papers_backend_of(gpu)->ntt->run(plan, x->data, y->data, true));
}

/* Forward and back; x is an array that the call must not change, or NULL: in place. */
static void check_transform(gfp_gpu_ntt_plan *plan, const stage *s,
                            const gfp_gpu_ntt_options *options, gfp_gpu_array *y, gfp_gpu_array *x)
{
    gfp_gpu_array *from = x != NULL ? x : y;

    array_set(from, s->x, s->residues, options->packed);
    assert_int_equal(gfp_gpu_ntt_forward(plan, y, from), GFP_OK);
    expect_residues(options, y, s->image, s, "forward");
    if (x != NULL) {
        expect_residues(options, x, s->x, s, "the operand");
    }
    array_set(from, s->image, s->residues, options->packed);
    assert_int_equal(run_inverse(plan, y, from), GFP_OK);
    expect_residues(options, y, s->x, s, "inverse");
}

/* Products by constants, one for each prime, to another array and in place. */
static void check_scale(gfp_gpu_ntt_plan *plan, const stage *s, const gfp_gpu_ntt_options *options,
                        gfp_gpu_array *y, gfp_gpu_array *x)
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
        array_set(x, s->x, s->residues, options->packed);
        assert_int_equal(gfp_gpu_ntt_scale(plan, y, x, c), GFP_OK);
        expect_residues(options, y, expected, s, "products by constants");
        expect_residues(options, x, s->x, s, "the operand");
        assert_int_equal(gfp_gpu_ntt_scale(plan, x, x, c), GFP_OK);
        expect_residues(options, x, expected, s, "products by constants in place");
    }
    lab_free(c);
    lab_free(expected);
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
    assert_int_equal(gfp_gpu_ntt_plan_words(plan), options->packed ? s->residues / 2 : s->residues);
    gfp_gpu_array *x = gpu_lab_array(gpu, gfp_gpu_ntt_plan_words(plan));
    gfp_gpu_array *y = gpu_lab_array(gpu, gfp_gpu_ntt_plan_words(plan));
    check_transform(plan, s, options, y, NULL);
    check_transform(plan, s, options, y, x);
    if (greatest_of(s) >> 31 == 0) {
        check_scale(plan, s, options, y, x);
    }
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(y);
    gfp_gpu_ntt_plan_destroy(plan);
    assert_int_equal(gfp_gpu_memory_used(gpu), before);
}

static void check_all_plans(const uint64_t *primes, size_t count, size_t batch, size_t n, int first)
{
    stage s;

    stage_open(&s, primes, count, batch, n, first);
    for (size_t form = 0; form < COUNT(forms); form++) {
        for (size_t product = 0; product < COUNT(products); product++) {
            gfp_gpu_ntt_options options = {
                .batch = batch, .form = forms[form], .product = products[product]};
            check_plan(&s, &options);
            if (n > 1 && greatest_of(&s) >> 31 == 0) {
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
    gpu = gpu_lab_open();
    for (size_t i = 0; i < COUNT(primes); i += lab_is_short() ? 7 : 1) {
        const size_t apart = gpu_lab_serial() ? 256 : lab_is_short() ? 16 : 2;
        for (size_t n = 1; (primes[i] - 1) % n == 0 && n <= 256; n *= apart) {
            check_all_plans(&primes[i], 1, 3, n, (int)i);
        }
    }
    gpu_lab_close(gpu);
}

static void every_length(void **state)
{
    static const unsigned bits[] = {30, 31, 50, 62};

    (void)state;
    gpu = gpu_lab_open();
    for (size_t i = 0; i < COUNT(bits); i += gpu_lab_serial() ? 2 : 1) {
        uint64_t primes[3];
        primes_under(primes, 3, bits[i], 14);
        for (unsigned m = 0; m <= 14; m += gpu_lab_serial() ? 11 : lab_is_short() ? 13 : 1) {
            if (!gpu_lab_serial() || m > 0) {
                check_all_plans(primes, m < 8 ? 3 : 2, m < 8 ? INPUTS + 1 : 2, (size_t)1 << m,
                                (int)m);
            }
        }
    }
    gpu_lab_close(gpu);
}

static void primes_at_the_limits(void **state)
{
    static const unsigned bits[] = {20, 29, 30, 31, 32, 48, 49, 50, 51, 52, 61, 62};

    (void)state;
    gpu = gpu_lab_open();
    for (size_t i = 0; i < COUNT(bits); i += lab_is_short() ? 5 : 1) {
        uint64_t primes[2];
        primes_under(primes, 2, bits[i], 11);
        check_all_plans(primes, gpu_lab_serial() ? 1 : 2, INPUTS, 512, 0);
        check_all_plans(primes, 1, 1, 2048, INPUT_GREATEST);
        check_all_plans(primes, 1, 1, 2048, INPUT_ENDS);
    }
    gpu_lab_close(gpu);
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
    gpu = gpu_lab_open();
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
    gpu_lab_close(gpu);
}

/* ---- products ---- */

/* expected := x y mod X^N - 1, by transforms of the CPU; b: a transform, which is as good as
 * random. */
static void convolve_by_cpu(uint64_t *expected, const uint64_t *x, const uint64_t *b, size_t n,
                            uint64_t q)
{
    const uint64_t scale = gfp_mod_pow(n, q - 2, q);
    uint64_t *y = lab_array(n);

    memcpy(expected, x, n * sizeof *x);
    memcpy(y, b, n * sizeof *b);
    transform_by_cpu(expected, n, q);
    transform_by_cpu(y, n, q);
    for (size_t i = 0; i < n; i++) {
        y[i] = gfp_mod_mul(expected[i], y[i], q);
    }
    transform_by_cpu(y, n, q);
    for (size_t i = 0; i < n; i++) {
        expected[i] = gfp_mod_mul(y[(n - i) % n], scale, q);
    }
    lab_free(y);
}

static void check_products(const stage *s, const gfp_gpu_ntt_options *options)
{
    uint64_t *expected = lab_array(s->residues);
    gfp_gpu_ntt_plan *plan = NULL;

    assert_int_equal(gfp_gpu_ntt_plan_create(&plan, gpu, s->primes, s->count, s->n, options, NULL),
                     GFP_OK);
    gfp_gpu_array *da = gpu_lab_array(gpu, gfp_gpu_ntt_plan_words(plan));
    gfp_gpu_array *db = gpu_lab_array(gpu, gfp_gpu_ntt_plan_words(plan));
    for (int square = 0; square < 2; square++) {
        const uint64_t *b = square ? s->x : s->image;
        for (size_t i = 0; i < s->count * s->batch; i++) {
            convolve_by_cpu(expected + i * s->n, s->x + i * s->n, b + i * s->n, s->n,
                            s->primes[i / s->batch]);
        }
        array_set(da, s->x, s->residues, options->packed);
        array_set(db, b, s->residues, options->packed);
        assert_int_equal(gfp_gpu_ntt_convolve_cyclic(plan, da, da, square ? da : db), GFP_OK);
        expect_residues(options, da, expected, s, square ? "square" : "product");
    }
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_ntt_plan_destroy(plan);
    lab_free(expected);
}

static void ntt_convolutions(void **state)
{
    static const size_t lengths[] = {1, 2, 64, 4096};
    static const unsigned bits[] = {50, 62};

    (void)state;
    gpu = gpu_lab_open();
    for (size_t i = 0; i < COUNT(lengths) * COUNT(forms); i++) {
        uint64_t primes[2];
        stage s;
        primes_under(primes, 2, 31, 13);
        stage_open(&s, primes, 2, 3, lengths[i / COUNT(forms)], INPUT_HALF);
        gfp_gpu_ntt_options options = {
            .batch = 3, .form = forms[i % COUNT(forms)], .convolutions = true};
        check_products(&s, &options);
        if (s.n > 1) {
            options.packed = true;
            check_products(&s, &options);
        }
        stage_close(&s);
    }
    for (size_t i = 0; i < COUNT(bits); i++) {
        const gfp_gpu_ntt_options options = {.batch = 3, .convolutions = true};
        uint64_t primes[2];
        stage s;
        primes_under(primes, 2, bits[i], 17);
        stage_open(&s, primes, 2, 3, i == 0 ? 65536 : 8192, INPUT_HALF);
        check_products(&s, &options);
        stage_close(&s);
    }
    gpu_lab_close(gpu);
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
    gpu = gpu_lab_open();
    primes_under(&prime, 1, 31, 10);
    for (size_t form = 1; form < 4; form++) {
        const gfp_gpu_ntt_options options = {.form = forms[form], .timed = true, .packed = true};
        gfp_gpu_ntt_plan *plan = NULL;
        gfp_gpu_times times = {0};
        assert_int_equal(gfp_gpu_ntt_plan_create(&plan, gpu, &prime, 1, 1024, &options, NULL),
                         GFP_OK);
        assert_int_equal(gfp_gpu_ntt_plan_times(plan, &times), GFP_ERR_ARGUMENT);
        gfp_gpu_array *x = gpu_lab_array(gpu, 512);
        assert_int_equal(gfp_gpu_clear(x, 512, NULL), GFP_OK);
        assert_int_equal(gfp_gpu_ntt_forward(plan, x, x), GFP_OK);
        assert_int_equal(gfp_gpu_ntt_plan_times(plan, &times), GFP_OK);
        const bool stockham = forms[form] == GFP_NTT_STOCKHAM;
        assert_int_equal(kernels_of(&times, "permutation"), stockham ? 10 : 1);
        assert_int_equal(kernels_of(&times, "base case"), stockham ? 0 : 1);
        assert_int_equal(kernels_of(&times, "twiddle"), stockham ? 10 : 0);
        assert_int_equal(kernels_of(&times, "butterfly"), stockham ? 10 : 6);
        gfp_gpu_array_destroy(x);
        gfp_gpu_ntt_plan_destroy(plan);
    }
    gpu_lab_close(gpu);
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
    gpu = gpu_lab_open();
    expect_refused(good, 0, 8, none, GFP_ERR_ARGUMENT, "no prime");
    expect_refused(good, 1, 0, none, GFP_ERR_ARGUMENT, "length 0");
    expect_refused(good, 1, 12, none, GFP_ERR_ARGUMENT, "length 12");
    expect_refused(composite, 2, 8, none, GFP_ERR_ARGUMENT, "composite");
    expect_refused(even, 1, 1, none, GFP_ERR_ARGUMENT, "even");
    expect_refused(good, 2, 64, none, GFP_ERR_NO_ROOT, "length 64 modulo 97");
    expect_refused(good, 1, 1, (gfp_gpu_ntt_options){.packed = true}, GFP_ERR_ARGUMENT,
                   "packed, one point");
    expect_refused(wide, 1, 2, none, GFP_ERR_ARGUMENT, "2^62");
    primes_under(&above, 1, 32, 8);
    expect_refused(&above, 1, 8, (gfp_gpu_ntt_options){.packed = true}, GFP_ERR_ARGUMENT,
                   "packed beyond 2^31");
    expect_refused(&above, 1, 8, (gfp_gpu_ntt_options){.form = GFP_NTT_STOCKHAM}, GFP_ERR_ARGUMENT,
                   "Stockham's form beyond 2^31");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.form = (gfp_ntt_form)9}, GFP_ERR_ARGUMENT,
                   "form 9");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.product = (gfp_gpu_ntt_product)9},
                   GFP_ERR_ARGUMENT, "product 9");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.timed = true}, GFP_ERR_UNAVAILABLE,
                   "steps of the fast form");
    expect_refused(good, 1, 8, (gfp_gpu_ntt_options){.batch = SIZE_MAX / 4}, GFP_ERR_SIZE,
                   "batch beyond all memory");
    gpu_lab_close(gpu);
}

static void arrays_are_checked(void **state)
{
    const uint64_t prime = 257;
    gfp_gpu_ntt_plan *plan = NULL;

    (void)state;
    gpu = gpu_lab_open();
    assert_int_equal(gfp_gpu_ntt_plan_create(&plan, gpu, &prime, 1, 64, NULL, NULL), GFP_OK);
    gfp_gpu_array *x = gpu_lab_array(gpu, 64);
    gfp_gpu_array *shorter = gpu_lab_array(gpu, 63);
    assert_int_equal(gfp_gpu_ntt_forward(plan, x, shorter), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_forward(plan, shorter, x), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_scale(plan, shorter, x, &prime), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_ntt_convolve_cyclic(plan, x, x, x), GFP_ERR_ARGUMENT);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(shorter);
    gfp_gpu_ntt_plan_destroy(plan);
    gpu_lab_close(gpu);
}

/* ---- faults ---- */

/* A plan, a transform and a product in a context of their own; after a failure all is destroyed. */
static gfp_status ntt_tour(gfp_ntt_form form, meter *m)
{
    static const uint64_t primes[] = {12289, 40961};
    const gfp_allocator allocator = meter_hook(m);
    const gfp_gpu_ntt_options options = {
        .form = form, .convolutions = true, .timed = form == GFP_NTT_STOCKHAM};
    gfp_gpu *own = NULL;
    gfp_gpu_ntt_plan *plan = NULL;
    gfp_gpu_array *x = NULL;
    gfp_error error = {0};
    gfp_status status = gfp_gpu_create(&own, &allocator, &(gfp_options){.error = &error});

    if (status == GFP_OK) {
        status = gfp_gpu_ntt_plan_create(&plan, own, primes, 2, 64, &options, &error);
        assert_true(status == GFP_OK || error.status == status);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&x, own, 128, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_clear(x, 128, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_ntt_forward(plan, x, x);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_ntt_convolve_cyclic(plan, x, x, x);
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
    gpu_lab_close(gpu_lab_open());
    for (size_t i = 0; i < COUNT(tours); i++) {
        meter m = {.fail_at = SIZE_MAX};
        assert_int_equal(ntt_tour(tours[i], &m), GFP_OK);
        const size_t calls = m.calls;
        for (size_t n = 0; n < calls; n++) {
            m = (meter){.fail_at = n};
            assert_int_equal(ntt_tour(tours[i], &m), GFP_ERR_MEMORY);
        }
    }
}

#if GFP_HAVE_CUDA
static void failing_calls_are_reported(void **state)
{
    (void)state;
    gpu_lab_close(gpu_lab_open());
    for (size_t i = 0; i < COUNT(tours); i++) {
        meter m = {.fail_at = SIZE_MAX};
        gfp_gpu_seam_arm(GFP_GPU_FAULT_NONE, 0);
        assert_int_equal(ntt_tour(tours[i], &m), GFP_OK);
        const uint64_t calls = gfp_gpu_seam_calls();
        for (uint64_t n = 1; n <= calls; n += lab_is_short() ? 9 : n < 20 ? 1 : 3) {
            gfp_gpu_seam_arm(GFP_GPU_FAULT_MEMORY, n);
            assert_int_equal(ntt_tour(tours[i], &m), GFP_ERR_MEMORY);
            gfp_gpu_seam_arm(n % 2 == 0 ? GFP_GPU_FAULT_LAUNCH : GFP_GPU_FAULT_LOST, n);
            assert_int_equal(ntt_tour(tours[i], &m), GFP_ERR_DEVICE);
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
        cmocka_unit_test(ntt_convolutions),
        cmocka_unit_test(steps_are_timed),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(failing_allocations_are_reported),
#if GFP_HAVE_CUDA
        cmocka_unit_test(failing_calls_are_reported),
#endif
    };

    if (lab_is_short()) {
        cmocka_set_skip_filter("long_*");
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
