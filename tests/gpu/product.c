/* product.c: products on the device against the CPU's, digit for digit: every method, test
 * field, kind of factors, lengths at every bound, squares, ranges, operands, batches, pieces within
 * a cap, graphs; arguments that are refused; arrays beyond 2^32 bytes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <stdio.h>
#include <string.h>

#include "lab/rows.h"
#include "gpu/products.h"
#include "gfpoly/poly.h"
#include "gpu/measure.h"

#define METHODS 3

static const gfp_gpu_method methods[METHODS] = {GFP_GPU_METHOD_HYBRID, GFP_GPU_METHOD_BIGFFT,
                                                GFP_GPU_METHOD_MULTIMODULAR};

static size_t product_larger(size_t x, size_t y)
{
    return x > y ? x : y;
}

/* Two factors of each of a batch and their products, by the CPU too. The device arrays are as long
 * as products. */
typedef struct job {
    const lab *l;
    gfp_gpu *gpu;
    size_t len_a, len_b, batch;
    size_t all; /* len_a + len_b - 1 */
    uint64_t *a, *b, *product, *square;
    gfp_gpu_array *da, *db, *dc;
} job;

static void job_open(job *j, gfp_gpu *gpu, const lab *l, size_t len_a, size_t len_b, size_t batch)
{
    *j = (job){.l = l, .gpu = gpu, .len_a = len_a, .len_b = len_b, .batch = batch};
    const size_t k = l->k;
    j->all = len_a + len_b - 1;
    j->a = lab_array(batch * len_a * k);
    j->b = lab_array(batch * len_b * k);
    j->product = lab_array(batch * j->all * k);
    j->square = lab_array(batch * (2 * len_a - 1) * k);
    j->da = gpu_lab_array(gpu, batch * j->all * k);
    j->db = gpu_lab_array(gpu, batch * j->all * k);
    j->dc = gpu_lab_array(gpu, batch * (2 * j->all + 2 * len_a) * k);
}

static void job_close(job *j)
{
    lab_free(j->a);
    lab_free(j->b);
    lab_free(j->product);
    lab_free(j->square);
    gfp_gpu_array_destroy(j->da);
    gfp_gpu_array_destroy(j->db);
    gfp_gpu_array_destroy(j->dc);
}

static void upload_factors(const job *j)
{
    const size_t k = j->l->k;
    gpu_lab_ok(j->gpu, gfp_gpu_upload(j->da, 0, j->a, j->batch * j->len_a * k, NULL), "upload");
    gpu_lab_ok(j->gpu, gfp_gpu_upload(j->db, 0, j->b, j->batch * j->len_b * k, NULL), "upload");
}

/* Uploads the factors and computes the expected product. */
static void job_ready(job *j)
{
    const gfp_batch products = {.count = j->batch, .len_a = j->len_a, .len_b = j->len_b};
    const gfp_batch squares = {.count = j->batch, .len_a = j->len_a, .len_b = j->len_a};
    assert_int_equal(gfp_vec_mul_batch(j->l->field, j->product, j->a, j->b, &products, NULL),
                     GFP_OK);
    assert_int_equal(gfp_vec_mul_batch(j->l->field, j->square, j->a, j->a, &squares, NULL), GFP_OK);
    upload_factors(j);
}

static void fill_random(job *j, uint64_t seed)
{
    const size_t k = j->l->k;
    for (size_t i = 0; i < j->batch * j->len_a; i++) {
        oracle_random_element(&j->l->o, j->a + i * k, &seed);
    }
    for (size_t i = 0; i < j->batch * j->len_b; i++) {
        oracle_random_element(&j->l->o, j->b + i * k, &seed);
    }
    job_ready(j);
}

static void fill_with(uint64_t *x, const lab *l, size_t n, size_t sample)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * l->k, lab_sample(l, sample), l->k * sizeof *x);
    }
}

/* Few coefficients that are not 0, the first and the last among them. */
static void product_sparse(uint64_t *x, const lab *l, size_t n, uint64_t *seed)
{
    gfp_vec_zero(l->field, x, n);
    for (int i = 0; i < 5; i++) {
        const size_t at = i == 0 ? 0 : i == 1 ? n - 1 : oracle_random(seed) % n;
        memcpy(x + at * l->k, lab_sample(l, oracle_random(seed)), l->k * sizeof *x);
    }
}

/* Checks that the method may refuse: every method serves named fields, and at least multimodular
 * the others. */
static void expect_unavailable(const lab *l, gfp_gpu_method method, gfp_status status,
                               const gfp_error *error)
{
    lab_expect_status(status, GFP_ERR_UNAVAILABLE, error, "plan");
    if (l->entry->named || method == GFP_GPU_METHOD_MULTIMODULAR) {
        fail_msg("%s, %s is not served: %s", l->entry->text, gfp_gpu_method_name(method),
                 error->message);
    }
}

/* A plan, or NULL if the method does not serve. */
static gfp_gpu_product_plan *open_plan(const job *j, gfp_gpu_method method, size_t len_a,
                                       size_t len_b, size_t cap)
{
    const gfp_gpu_product_options options = {
        .method = method, .batch = j->batch, .memory_cap = cap};
    gfp_gpu_product_plan *plan = NULL;
    gfp_error error = {.message = ""};
    const size_t before = gfp_gpu_memory_used(j->gpu);
    const gfp_status status = gfp_gpu_product_plan_create(
        &plan, j->gpu, j->l->field, len_a, len_b, &options, &(gfp_options){.error = &error});
    if (status == GFP_ERR_UNAVAILABLE) {
        expect_unavailable(j->l, method, status, &error);
        assert_null(plan);
        return NULL;
    }
    gpu_lab_ok(j->gpu, status, gfp_gpu_method_name(method));
    assert_int_equal(gfp_gpu_product_plan_method(plan), method);
    assert_int_equal(gfp_gpu_memory_used(j->gpu) - before, gfp_gpu_product_plan_bytes(plan));
    assert_true(cap == 0 || gfp_gpu_product_plan_bytes(plan) <= cap);
    return plan;
}

static void product_expect(const job *j, const gfp_gpu_product_plan *plan, const gfp_gpu_array *c,
                           const uint64_t *expected, size_t n, const char *what)
{
    char text[100];
    (void)snprintf(text, sizeof text, "%s, %s, batch %zu",
                   gfp_gpu_method_name(gfp_gpu_product_plan_method(plan)), what, j->batch);
    gpu_lab_expect(j->l, c, expected, j->batch * n, text, j->len_a, j->len_b);
}

static void check_product(const job *j, gfp_gpu_product_plan *plan)
{
    gpu_lab_ok(j->gpu, gfp_gpu_product_mul(j->dc, j->da, j->len_a, j->db, j->len_b, plan, NULL),
               "mul");
    product_expect(j, plan, j->dc, j->product, j->all, "product");
}

static void check_square(const job *j, gfp_gpu_product_plan *plan)
{
    gpu_lab_ok(j->gpu, gfp_gpu_product_mul(j->dc, j->da, j->len_a, j->da, j->len_a, plan, NULL),
               "sqr");
    product_expect(j, plan, j->dc, j->square, 2 * j->len_a - 1, "square");
}

/* Coefficients from first on of the rows of the expected product. */
static uint64_t *part_of(const job *j, size_t first, size_t n)
{
    const size_t k = j->l->k;
    uint64_t *part = lab_array(j->batch * n * k);
    gfp_vec_zero(j->l->field, part, j->batch * n);
    for (size_t i = 0; i < j->batch && first < j->all; i++) {
        const size_t there = j->all - first < n ? j->all - first : n;
        memcpy(part + i * n * k, j->product + (i * j->all + first) * k, there * k * sizeof *part);
    }
    return part;
}

/* Checks the range by the plan and, if an operand is given, by the operand. */
static void check_range(const job *j, gfp_gpu_product_plan *plan, const gfp_gpu_operand *operand,
                        size_t first, size_t n)
{
    uint64_t *part = part_of(j, first, n);
    char text[80];
    (void)snprintf(text, sizeof text, "%zu coefficients from %zu on", n, first);
    gpu_lab_ok(j->gpu,
               gfp_gpu_product_range(plan, j->dc, j->da, j->len_a, j->db, j->len_b, first, n),
               text);
    product_expect(j, plan, j->dc, part, n, text);
    if (operand != NULL) {
        (void)snprintf(text, sizeof text, "%zu coefficients from %zu on, operand", n, first);
        gpu_lab_ok(j->gpu, gfp_gpu_clear(j->dc, j->batch * n * j->l->k, NULL), "clear");
        gpu_lab_ok(j->gpu,
                   gfp_gpu_operand_mul(j->dc, j->da, j->len_a, operand, first, n, plan, NULL),
                   text);
        product_expect(j, plan, j->dc, part, n, text);
    }
    lab_free(part);
}

/* Low, high and middle products, beyond the end, single coefficients. */
static void check_ranges(const job *j, gfp_gpu_product_plan *plan)
{
    const size_t all = j->all, shorter = j->len_a < j->len_b ? j->len_a : j->len_b;
    const size_t middle = product_larger(j->len_a, j->len_b) - shorter + 1;
    const size_t ranges[][2] = {
        {0, (all + 1) / 2},
        {all / 2, all - all / 2},
        {shorter - 1, middle},
        {all / 3, all},
        {0, all + 3},
        {all - 1, 1},
        {all, 2},
        {all + 5, 1},
        {0, 1},
    };
    gfp_gpu_operand *operand = NULL;
    const gfp_status status = gfp_gpu_operand_create(&operand, plan, j->db, j->len_b, NULL);
    if (status != GFP_ERR_UNAVAILABLE || gfp_gpu_product_plan_pieces(plan) == 1) {
        gpu_lab_ok(j->gpu, status, "operand");
        assert_true(gfp_gpu_operand_bytes(operand) > 0);
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i += gpu_lab_serial() ? 3 : 1) {
        check_range(j, plan, operand, ranges[i][0], ranges[i][1]);
    }
    gfp_gpu_operand_destroy(operand);
}

/* c = a, c = b, and a square in its own place. */
static void check_in_place(const job *j, gfp_gpu_product_plan *plan)
{
    if (gfp_gpu_product_plan_pieces(plan) > 1) {
        assert_int_equal(gfp_gpu_product_mul(j->da, j->da, j->len_a, j->db, j->len_b, plan, NULL),
                         GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_product_mul(j->db, j->da, j->len_a, j->db, j->len_b, plan, NULL),
                         GFP_ERR_ARGUMENT);
        return;
    }
    gpu_lab_ok(j->gpu, gfp_gpu_product_mul(j->da, j->da, j->len_a, j->db, j->len_b, plan, NULL),
               "c = a");
    product_expect(j, plan, j->da, j->product, j->all, "product over a");
    upload_factors(j);
    gpu_lab_ok(j->gpu, gfp_gpu_product_mul(j->db, j->da, j->len_a, j->db, j->len_b, plan, NULL),
               "c = b");
    product_expect(j, plan, j->db, j->product, j->all, "product over b");
    if (j->len_a <= j->len_b) { /* there is room */
        gpu_lab_ok(j->gpu, gfp_gpu_product_mul(j->da, j->da, j->len_a, j->da, j->len_a, plan, NULL),
                   "");
        product_expect(j, plan, j->da, j->square, 2 * j->len_a - 1, "square in place");
    }
    upload_factors(j);
}

/* Checks a method's plan for exactly these lengths with random factors. */
static void check_everything(gfp_gpu *gpu, const lab *l, size_t len_a, size_t len_b, size_t batch,
                             size_t cap)
{
    job j;
    job_open(&j, gpu, l, len_a, len_b, batch);
    fill_random(&j, 7 * len_a + len_b);
    for (size_t m = 0; m < METHODS; m++) {
        gfp_gpu_product_plan *plan = open_plan(&j, methods[m], len_a, len_b, cap);
        if (plan != NULL) {
            check_product(&j, plan);
            if (len_a <= len_b) {
                check_square(&j, plan);
            }
            check_ranges(&j, plan);
            check_in_place(&j, plan);
            gfp_gpu_product_plan_destroy(plan);
        }
    }
    job_close(&j);
}

/* ---- kinds of factors ---- */

static void check_factors(job *j, gfp_gpu_product_plan *const *plans)
{
    job_ready(j);
    for (size_t m = 0; m < METHODS; m++) {
        if (plans[m] != NULL) {
            check_product(j, plans[m]);
            check_square(j, plans[m]);
        }
    }
}

static void check_kinds(gfp_gpu *gpu, const lab *l, size_t len, size_t samples)
{
    job j;
    gfp_gpu_product_plan *plans[METHODS];
    uint64_t seed = len;
    job_open(&j, gpu, l, len, len, 1);
    for (size_t m = 0; m < METHODS; m++) {
        plans[m] = open_plan(&j, methods[m], len, len, 0);
    }
    fill_random(&j, seed);
    check_factors(&j, plans);
    const size_t extremes = gpu_lab_serial() ? 1 : l->extremes;
    for (size_t i = 0; i < extremes; i += 1 + l->extremes / samples) { /* the same everywhere */
        fill_with(j.a, l, len, i);
        fill_with(j.b, l, len, i + 1);
        check_factors(&j, plans);
    }
    for (size_t i = 0; i < len; i++) { /* samples in turn */
        memcpy(j.a + i * l->k, lab_sample(l, i), l->k * sizeof *j.a);
        memcpy(j.b + i * l->k, lab_sample(l, len - i), l->k * sizeof *j.b);
    }
    check_factors(&j, plans);
    product_sparse(j.a, l, len, &seed);
    product_sparse(j.b, l, len, &seed);
    check_factors(&j, plans);
    gfp_vec_zero(l->field, j.a, len);
    check_factors(&j, plans);
    for (size_t m = 0; m < METHODS; m++) {
        gfp_gpu_product_plan_destroy(plans[m]);
    }
    job_close(&j);
}

static void all_kinds_of_factors(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips(f)) {
            continue;
        }
        check_kinds(gpu, l, 5, lab_is_short() ? 2 : 6);
        if (!lab_is_short()) {
            check_kinds(gpu, l, l->entry->named ? 8192 / l->k : 48, 10);
        }
    }
    gpu_lab_close(gpu);
}

/* The largest coefficients before reduction: long factors of extremes everywhere. */
static void long_factors(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    if (lab_is_short()) {
        gpu_lab_close(gpu);
        skip();
    }
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (l->entry->named) {
            check_kinds(gpu, l, ((size_t)1 << 17) / l->k, 2);
        }
    }
    gpu_lab_close(gpu);
}

/* Products long enough for more levels in the hybrid's leaves than rows of them take, where those
 * of the first pass are a kernel of their own. */
static void hybrids_of_deep_leaves(void **state)
{
    static const struct {
        size_t field, len;
    } cases[] = {{2, (size_t)1 << 17}, {3, (size_t)1 << 17}, {4, (size_t)1 << 18}};
    const gfp_options cpu = {.method = "hybrid", .threads = gfp_machine_get_info().threads};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !lab_is_short(); i++) {
        const lab *l = &lab_fields[cases[i].field];
        const size_t len = cases[i].len;
        const gfp_batch one = {.count = 1, .len_a = len, .len_b = len};
        job j;
        job_open(&j, gpu, l, len, len, 1);
        gfp_random g;
        gfp_random_seed(&g, len);
        gfp_vec_random(l->field, j.a, len, &g);
        gfp_vec_random(l->field, j.b, len / 2, &g);
        for (size_t e = len / 2; e < len; e++) { /* samples in turn */
            memcpy(j.b + e * l->k, lab_sample(l, e), l->k * sizeof *j.b);
        }
        assert_int_equal(gfp_vec_mul_batch(l->field, j.product, j.a, j.b, &one, &cpu), GFP_OK);
        upload_factors(&j);
        gfp_gpu_product_plan *plan = open_plan(&j, GFP_GPU_METHOD_HYBRID, len, len, 0);
        check_product(&j, plan);
        gfp_gpu_product_plan_destroy(plan);
        job_close(&j);
    }
    gpu_lab_close(gpu);
}

/* ---- lengths ---- */

/* A plan of its own for each. */
static void exact_lengths(void **state)
{
    static const size_t lengths[][2] = {
        {1, 1},   {1, 2},   {2, 1},   {2, 2},   {3, 2},    {4, 5},     {8, 9},
        {9, 8},   {13, 12}, {24, 25}, {25, 24}, {31, 34},  {32, 33},   {33, 32},
        {48, 49}, {1, 100}, {63, 66}, {97, 96}, {100, 29}, {128, 129},
    };
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips(f)) {
            continue;
        }
        const size_t step = gpu_lab_serial()                ? 20
                            : lab_is_short()                ? 11
                            : l->entry->named && l->k <= 32 ? 2
                                                            : 6;
        for (size_t i = f % step; i < sizeof lengths / sizeof *lengths; i += step) {
            check_everything(gpu, l, lengths[i][0], lengths[i][1], 1, 0);
        }
    }
    gpu_lab_close(gpu);
}

/* All lengths around the bounds, by a plan for the longest. */
static void lengths_at_every_bound(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count && !lab_is_short(); f++) {
        const lab *l = &lab_fields[f];
        const size_t most = (l->k <= 16 ? 8192u : 16384u) / l->k;
        job longest;
        gfp_gpu_product_plan *plans[METHODS];
        if (!l->entry->named) {
            continue;
        }
        job_open(&longest, gpu, l, most, most, 1);
        for (size_t m = 0; m < METHODS; m++) {
            plans[m] = open_plan(&longest, methods[m], most, most, 0);
        }
        for (size_t n = 4; n <= most; n *= 2) { /* sums of lengths around n and 3 n / 2 */
            for (size_t i = 0; i < 6; i++) {
                const size_t all = (i < 3 ? n : 3 * n / 2) + i % 3 - 1;
                const size_t len_a = i % 2 == 0 ? all / 2 : all - all / 4, len_b = all + 1 - len_a;
                job j;
                if (len_a == 0 || len_a > most || len_b > most) {
                    continue;
                }
                job_open(&j, gpu, l, len_a, len_b, 1);
                fill_random(&j, n + i);
                for (size_t m = 0; m < METHODS; m++) {
                    if (plans[m] != NULL) {
                        check_product(&j, plans[m]);
                    }
                }
                job_close(&j);
            }
        }
        for (size_t m = 0; m < METHODS; m++) {
            gfp_gpu_product_plan_destroy(plans[m]);
        }
        job_close(&longest);
    }
    gpu_lab_close(gpu);
}

static void unbalanced_factors(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    check_everything(gpu, &lab_fields[2], lab_is_short() ? 500 : 600000, 20, 1, 0);
    check_everything(gpu, &lab_fields[3], 3, 3000, 2, 0);
    if (!lab_is_short()) {
        check_everything(gpu, &lab_fields[1], 1, 5000, 1, 0);
        check_everything(gpu, &lab_fields[4], 5000, 5, 1, 0);
    }
    gpu_lab_close(gpu);
}

/* ---- memory ---- */

/* Shrinking caps: the last ones refuse. */
static void check_caps(gfp_gpu *gpu, const lab *l, size_t len_a, size_t len_b, size_t batch)
{
    job j;
    job_open(&j, gpu, l, len_a, len_b, batch);
    fill_random(&j, len_a);
    for (size_t m = 0; m < METHODS; m++) {
        gfp_gpu_product_plan *plan = open_plan(&j, methods[m], len_a, len_b, 0);
        size_t pieces = 1;
        while (plan != NULL) {
            const size_t bytes = gfp_gpu_product_plan_bytes(plan);
            const gfp_gpu_product_options options = {
                .method = methods[m], .batch = batch, .memory_cap = bytes - bytes / 3};
            pieces = gfp_gpu_product_plan_pieces(plan);
            check_product(&j, plan);
            check_range(&j, plan, NULL, j.all / 3, j.all / 2);
            gfp_gpu_product_plan_destroy(plan);
            plan = NULL;
            const gfp_status status =
                gfp_gpu_product_plan_create(&plan, gpu, l->field, len_a, len_b, &options, NULL);
            if (status != GFP_ERR_MEMORY && status != GFP_ERR_UNAVAILABLE) {
                gpu_lab_ok(gpu, status, "plan within a cap");
                assert_true(gfp_gpu_product_plan_bytes(plan) <= options.memory_cap);
            }
        }
        assert_true(pieces > 1 || methods[m] != GFP_GPU_METHOD_BIGFFT);
    }
    job_close(&j);
}

static void products_within_a_cap(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    check_caps(gpu, &lab_fields[2], lab_is_short() ? 600 : 2000, 300, 1);
    if (!lab_is_short()) {
        check_caps(gpu, &lab_fields[1], 1500, 1500, 1);
        check_caps(gpu, &lab_fields[3], 300, 200, 7);
        check_caps(gpu, &lab_fields[2], 30, 4000, 3);
    }
    gpu_lab_close(gpu);
}

/* ---- batches ---- */

static void product_batches(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips(f)) {
            continue;
        }
        if (!lab_is_short()) {
            check_everything(gpu, l, 17, 16, 2, 0);
        }
        check_everything(gpu, l, 9, 12, 5, 0);
    }
    if (!lab_is_short()) {
        check_everything(gpu, &lab_fields[2], 256, 256, 64, 0);
        check_everything(gpu, &lab_fields[1], 100, 200, 33, 0);
        check_everything(gpu, &lab_fields[2], 16, 17, 4096, 0);
        check_everything(gpu, &lab_fields[3], 3, 2, 4096, 0);
    }
    gpu_lab_close(gpu);
}

/* ---- plans for some coefficients ---- */

static void check_parts(gfp_gpu *gpu, const lab *l, size_t len_a, size_t len_b, size_t first,
                        size_t n)
{
    job j;
    job_open(&j, gpu, l, len_a, len_b, 2);
    fill_random(&j, first);
    for (size_t m = 0; m < METHODS; m++) {
        const gfp_gpu_product_options options = {
            .method = methods[m], .batch = 2, .first = first, .n = n};
        gfp_gpu_product_plan *plan = NULL;
        gfp_error error = {.message = ""};
        const gfp_status status = gfp_gpu_product_plan_create(
            &plan, gpu, l->field, len_a, len_b, &options, &(gfp_options){.error = &error});
        if (status == GFP_ERR_UNAVAILABLE) {
            expect_unavailable(l, methods[m], status, &error);
        } else {
            gpu_lab_ok(gpu, status, "plan for a part");
            check_range(&j, plan, NULL, first, n);
            check_range(&j, plan, NULL, first + n / 3, n - n / 3);
            gfp_gpu_product_plan_destroy(plan);
        }
    }
    job_close(&j);
}

static void plans_for_parts(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < 7; f++) {
        const lab *l = &lab_fields[f];
        if (!gpu_lab_skips(f)) {
            check_parts(gpu, l, 199, 100, 99, 100);
            check_parts(gpu, l, 64, 64, 0, 64);
            check_parts(gpu, l, 100, 100, 150, 60);
        }
    }
    gpu_lab_close(gpu);
}

/* ---- graphs ---- */

static void captured_products_are_the_same(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    job j;
    (void)state;
    job_open(&j, gpu, &lab_fields[2], 120, 77, 3);
    fill_random(&j, 1);
    for (size_t m = 0; m < METHODS; m++) {
        gfp_gpu_product_plan *plan = open_plan(&j, methods[m], 120, 120, 0);
        gfp_gpu_operand *operand = NULL, *none = NULL;
        gfp_gpu_graph *graph = NULL;
        if (plan == NULL) {
            continue;
        }
        gpu_lab_ok(gpu, gfp_gpu_operand_create(&operand, plan, j.db, j.len_b, NULL), "operand");
        for (int with = 0; with < 2; with++) {
            gpu_lab_ok(gpu, gfp_gpu_clear(j.dc, j.batch * j.all * j.l->k, NULL), "clear");
            gpu_lab_ok(gpu, gfp_gpu_clear(j.da, j.batch * j.len_a * j.l->k, NULL), "clear");
            gpu_lab_ok(gpu, gfp_gpu_capture_begin(gpu), "capture");
            assert_int_equal(gfp_gpu_operand_create(&none, plan, j.db, j.len_b, NULL),
                             GFP_ERR_ARGUMENT);
            gpu_lab_ok(gpu,
                       with
                           ? gfp_gpu_operand_mul(j.dc, j.da, j.len_a, operand, 0, j.all, plan, NULL)
                           : gfp_gpu_product_mul(j.dc, j.da, j.len_a, j.db, j.len_b, plan, NULL),
                       "product");
            gpu_lab_ok(gpu, gfp_gpu_capture_end(gpu, &graph), "end of capture");
            upload_factors(&j);
            gpu_lab_ok(gpu, gfp_gpu_graph_launch(graph), "launch");
            product_expect(&j, plan, j.dc, j.product, j.all, "graph");
            gfp_gpu_graph_destroy(graph);
        }
        gfp_gpu_operand_destroy(operand);
        gfp_gpu_product_plan_destroy(plan);
    }
    job_close(&j);
    gpu_lab_close(gpu);
}

/* ---- refusals ---- */

static void expect_no_plan(gfp_gpu *gpu, size_t len_a, size_t len_b,
                           const gfp_gpu_product_options *options, gfp_status expected)
{
    gfp_gpu_product_plan *plan = NULL;
    gfp_error error = {.message = ""};
    const gfp_status status = gfp_gpu_product_plan_create(
        &plan, gpu, lab_fields[2].field, len_a, len_b, options, &(gfp_options){.error = &error});
    lab_expect_status(status, expected, &error, "plan");
    assert_null(plan);
    assert_int_equal(gfp_gpu_memory_used(gpu), 0);
}

static void wrong_plans_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_gpu_product_options options = {.method = GFP_GPU_METHOD_AUTO};
    gfp_gpu_product_plan *plan = NULL;
    (void)state;
    expect_no_plan(gpu, 0, 1, NULL, GFP_ERR_ARGUMENT);
    expect_no_plan(gpu, 1, 0, NULL, GFP_ERR_ARGUMENT);
    expect_no_plan(gpu, SIZE_MAX, 2, NULL, GFP_ERR_SIZE);
    expect_no_plan(gpu, SIZE_MAX / 32, 1, NULL, GFP_ERR_SIZE);
    options.batch = SIZE_MAX / 1000;
    expect_no_plan(gpu, 10, 10, &options, GFP_ERR_SIZE);
    options.batch = 0;
    options.method = (gfp_gpu_method)(GFP_GPU_METHOD_CLASSICAL + 1);
    expect_no_plan(gpu, 10, 10, &options, GFP_ERR_ARGUMENT);
    options.method = GFP_GPU_METHOD_AUTO;
    options.prime_bits = 30;
    expect_no_plan(gpu, 10, 10, &options, GFP_ERR_ARGUMENT);
    options.prime_bits = 0;
    options.first = 19;
    options.n = 1;
    expect_no_plan(gpu, 10, 10, &options, GFP_ERR_ARGUMENT);
    options.n = 0;
    options.memory_cap = 16;
    expect_no_plan(gpu, 10, 10, &options, GFP_ERR_MEMORY);
    gpu_lab_ok(gpu,
               gfp_gpu_product_plan_create(&plan, gpu, lab_fields[2].field, 10, 10, NULL, NULL),
               "plan");
    assert_true(gfp_gpu_product_plan_method(plan) != GFP_GPU_METHOD_AUTO);
    gfp_gpu_product_plan_destroy(plan);
    gfp_gpu_product_plan_destroy(NULL);
    gfp_gpu_operand_destroy(NULL);
    gpu_lab_close(gpu);
}

static void wrong_arrays_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    job j, of_other;
    gfp_gpu_array *tight = NULL, *within = NULL;
    gfp_gpu_operand *operand = NULL;
    (void)state;
    job_open(&j, gpu, &lab_fields[2], 10, 7, 2);
    job_open(&of_other, other, &lab_fields[2], 10, 7, 2);
    fill_random(&j, 1);
    const size_t k = j.l->k;
    assert_int_equal(gfp_gpu_array_part(&tight, j.dc, 0, j.batch * j.all * k - 2), GFP_OK);
    assert_int_equal(gfp_gpu_array_part(&within, j.da, k, j.batch * j.all * k - k), GFP_OK);
    for (size_t m = 0; m < METHODS; m++) {
        gfp_gpu_product_plan *plan = open_plan(&j, methods[m], 10, 7, 0);
        if (plan == NULL) {
            continue;
        }
        const struct {
            gfp_gpu_array *c, *a, *b;
            size_t len_a, len_b, first, n;
        } wrong[] = {
            {j.dc, j.da, j.db, 11, 7, 0, 16},
            {j.dc, j.da, j.db, 10, 8, 0, 16},
            {j.dc, j.da, j.db, 0, 7, 0, 16},
            {j.dc, j.da, j.db, 10, 0, 0, 16},
            {tight, j.da, j.db, 10, 7, 0, 16},
            {of_other.dc, j.da, j.db, 10, 7, 0, 16},
            {j.dc, of_other.da, j.db, 10, 7, 0, 16},
            {j.dc, j.da, of_other.db, 10, 7, 0, 16},
            {within, j.da, j.db, 10, 7, 0, 15},
            {within, j.db, j.da, 10, 7, 0, 15},
            {j.dc, j.da, j.db, 10, 7, 0, 0},
            {j.dc, j.da, j.db, 10, 7, 0, SIZE_MAX},
            {j.dc, j.da, j.db, 10, 7, 3, SIZE_MAX / k},
        };
        for (size_t i = 0; LAB_ROW(wrong, i); i++) {
            assert_int_equal(gfp_gpu_product_range(plan, wrong[i].c, wrong[i].a, wrong[i].len_a,
                                                   wrong[i].b, wrong[i].len_b, wrong[i].first,
                                                   wrong[i].n),
                             GFP_ERR_ARGUMENT);
            assert_true(gfp_gpu_last_error(gpu)->message[0] != '\0');
        }
        assert_int_equal(gfp_gpu_operand_create(&operand, plan, j.db, 8, NULL), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_operand_create(&operand, plan, j.db, 0, NULL), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_operand_create(&operand, plan, of_other.db, 7, NULL),
                         GFP_ERR_ARGUMENT);
        assert_null(operand);
        check_product(&j, plan); /* nothing was changed */
        gfp_gpu_product_plan_destroy(plan);
    }
    gfp_gpu_array_destroy(tight);
    gfp_gpu_array_destroy(within);
    job_close(&j);
    job_close(&of_other);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

static void operands_are_of_their_plan(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    job j;
    (void)state;
    job_open(&j, gpu, &lab_fields[2], 10, 7, 1);
    fill_random(&j, 1);
    gfp_gpu_product_plan *plan = open_plan(&j, GFP_GPU_METHOD_BIGFFT, 10, 7, 0),
                         *second = open_plan(&j, GFP_GPU_METHOD_BIGFFT, 10, 7, 0);
    gfp_gpu_operand *operand = NULL;
    gpu_lab_ok(gpu, gfp_gpu_operand_create(&operand, plan, j.db, 7, NULL), "operand");
    assert_int_equal(gfp_gpu_operand_mul(j.dc, j.da, 10, operand, 0, 16, second, NULL),
                     GFP_ERR_ARGUMENT);
    gpu_lab_ok(gpu, gfp_gpu_operand_mul(j.dc, j.da, 10, operand, 0, 16, plan, NULL), "operand");
    gfp_gpu_operand_destroy(operand);
    gfp_gpu_product_plan_destroy(plan);
    gfp_gpu_product_plan_destroy(second);
    job_close(&j);
    gpu_lab_close(gpu);
}

/* ---- beyond 2^32 bytes ---- */

/* x := 1, g, g^2, ... */
static void product_geometric(gfp_gpu *gpu, const lab *l, gfp_gpu_array *x, const uint64_t *g,
                              size_t n)
{
    uint64_t power[GFP_MAX_K], one[GFP_MAX_K];
    gfp_elem_one(l->field, one);
    memcpy(power, g, l->k * sizeof *power);
    gpu_lab_ok(gpu, gfp_gpu_upload(x, 0, one, l->k, NULL), "upload");
    for (size_t have = 1; have < n; have *= 2) { /* power = g^have */
        gfp_gpu_array *next = NULL;
        const size_t more = have < n - have ? have : n - have;
        assert_int_equal(gfp_gpu_array_part(&next, x, have * l->k, more * l->k), GFP_OK);
        gpu_lab_ok(gpu, gfp_gpu_vec_scale(l->field, next, x, power, more), "scale");
        gfp_gpu_array_destroy(next);
        gfp_elem_sqr(l->field, power, power);
    }
}

/* z := coefficient i of the product of 1 + g X + ... + (g X)^(len_a - 1) and the same in h: h^i
 * times the sum of (g/h)^j, low <= j <= high. */
static void geometric_product(const lab *l, uint64_t *z, const uint64_t *g, const uint64_t *h,
                              size_t len_a, size_t len_b, size_t i)
{
    const gfp_field *field = l->field;
    const uint64_t low = i < len_b ? 0 : i - (len_b - 1);
    const uint64_t high = i < len_a ? i : len_a - 1, count = high - low + 1, rest = i - low;
    uint64_t q[GFP_MAX_K], x[GFP_MAX_K], y[GFP_MAX_K];
    assert_int_equal(gfp_elem_inv(field, q, h), GFP_OK);
    gfp_elem_mul(field, q, q, g);
    gfp_elem_pow(field, x, q, &count, 1); /* (q^count - 1)/(q - 1) */
    gfp_elem_one(field, y);
    gfp_elem_sub(field, x, x, y);
    gfp_elem_sub(field, y, q, y);
    assert_int_equal(gfp_elem_inv(field, y, y), GFP_OK);
    gfp_elem_mul(field, z, x, y);
    gfp_elem_pow(field, x, g, &low, 1);
    gfp_elem_mul(field, z, z, x);
    gfp_elem_pow(field, x, h, &rest, 1);
    gfp_elem_mul(field, z, z, x);
}

static void check_huge(gfp_gpu *gpu, const lab *l, gfp_gpu_method method, size_t len, size_t cap,
                       gfp_gpu_array *const arrays[3])
{
    const gfp_gpu_product_options options = {.method = method, .memory_cap = cap};
    const size_t all = 2 * len - 1;
    gfp_gpu_product_plan *plan = NULL;
    uint64_t g[GFP_MAX_K], h[GFP_MAX_K], expected[GFP_MAX_K], got[GFP_MAX_K], seed = 3;
    oracle_random_element(&l->o, g, &seed);
    oracle_random_element(&l->o, h, &seed);
    const gfp_status status =
        gfp_gpu_product_plan_create(&plan, gpu, l->field, len, len, &options, NULL);
    if (status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_MEMORY) {
        print_message("%s: not run: %s\n", gfp_gpu_method_name(method),
                      gfp_gpu_last_error(gpu)->message);
        return;
    }
    gpu_lab_ok(gpu, status, "plan");
    product_geometric(gpu, l, arrays[0], g, len);
    product_geometric(gpu, l, arrays[1], h, len);
    gpu_lab_ok(gpu, gfp_gpu_product_mul(arrays[2], arrays[0], len, arrays[1], len, plan, NULL),
               "huge");
    for (size_t i = 0; i < 300; i++) {
        const size_t at = i < 8    ? i
                          : i < 16 ? all - 1 - (i - 8)
                          : i < 24 ? len - 4 + (i - 16)
                                   : oracle_random(&seed) % all;
        geometric_product(l, expected, g, h, len, len, at);
        gpu_lab_ok(gpu, gfp_gpu_download(got, arrays[2], at * l->k, l->k, NULL), "download");
        lab_expect_digits(l, got, expected, 1, gfp_gpu_method_name(method),
                          gfp_gpu_product_plan_pieces(plan), at);
    }
    gfp_gpu_product_plan_destroy(plan);
}

static void arrays_beyond_four_gigabytes(void **state)
{
    const size_t len = ((size_t)1 << 26) - 5;
    gfp_gpu *gpu = gpu_lab_open();
    const lab *l = &lab_fields[2]; /* p8: factors of 4 GiB, a product of 8 */
    gfp_gpu_array *arrays[3] = {NULL, NULL, NULL};
    gfp_gpu_info info;
    (void)state;
    gpu_lab_ok(gpu, gfp_gpu_get_info(&info, gpu, NULL), "info");
    if (lab_is_short() || info.memory_free < (size_t)120 << 30) {
        print_message("not run: %zu bytes of device memory are free\n", info.memory_free);
        gpu_lab_close(gpu);
        skip();
    }
    for (size_t i = 0; i < 3; i++) {
        arrays[i] = gpu_lab_array(gpu, (i < 2 ? len : 2 * len) * l->k);
    }
    for (size_t m = 0; m < METHODS; m++) {
        check_huge(gpu, l, methods[m], len, 0, arrays);
    }
    /* In pieces, whose sums lie beyond. */
    check_huge(gpu, l, GFP_GPU_METHOD_BIGFFT, len, (size_t)20 << 30, arrays);
    for (size_t i = 0; i < 3; i++) {
        gfp_gpu_array_destroy(arrays[i]);
    }
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_factors),
        cmocka_unit_test(long_factors),
        cmocka_unit_test(hybrids_of_deep_leaves),
        cmocka_unit_test(exact_lengths),
        cmocka_unit_test(lengths_at_every_bound),
        cmocka_unit_test(unbalanced_factors),
        cmocka_unit_test(products_within_a_cap),
        cmocka_unit_test(product_batches),
        cmocka_unit_test(plans_for_parts),
        cmocka_unit_test(captured_products_are_the_same),
        cmocka_unit_test(wrong_plans_are_refused),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(operands_are_of_their_plan),
        cmocka_unit_test(arrays_beyond_four_gigabytes),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
