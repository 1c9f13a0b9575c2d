/* bench/gpu/products.c: times of products on a CUDA device by every method, with factors on the
 * device and on the host, next to goals. Products are compared with the CPU's before they are
 * timed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/markdown.h"
#include "bench/gpu/bench.h"
#include "gpu/products.h"

/* Of products with more digits only the ends are compared. */
#define CHECKED_DIGITS ((size_t)1 << 23)
#define END 200

static const gfp_gpu_method methods[] = {GFP_GPU_METHOD_HYBRID, GFP_GPU_METHOD_BIGFFT,
                                         GFP_GPU_METHOD_MULTIMODULAR, GFP_GPU_METHOD_CLASSICAL};

/* Goals on one H200, milliseconds; 0: none. */
typedef struct product_row {
    const char *field;
    size_t batch, len;
    double goal;
} product_row;

static const product_row rows[] = {
    {"p2", 1, (size_t)1 << 21, 0},
    {"p4", 1, (size_t)1 << 20, 0.75},
    {"p8", 1, (size_t)1 << 19, 0.70},
    {"p16", 1, (size_t)1 << 18, 0.80},
    {"p32", 1, (size_t)1 << 17, 0.80},
    {"p64", 1, (size_t)1 << 16, 0},
    {"p128", 1, (size_t)1 << 15, 1.1},
    {"m8", 1, (size_t)1 << 19, 0},
    {"p8", 4096, (size_t)1 << 8, 0.8},
    {"p8", 256, (size_t)1 << 12, 0},
    {"p4", 4096, (size_t)1 << 8, 0},
    {"p8", 1, (size_t)1 << 12, 0},
    {"p8", 1, (size_t)1 << 16, 0},
    {"p8", 1, (size_t)3 << 17, 0},
    {"p8", 1, (size_t)1 << 24, 30},
    {"p32", 4096, 4, 0},
    {"p32", 4096, 8, 0},
    {"p64", 2048, 4, 0},
    {"p64", 2048, 8, 0},
    {"p128", 1024, 4, 0},
    {"p128", 1024, 8, 0},
};

typedef struct product_job {
    bench *b;
    gfp_field *field;
    size_t k, batch, len, all;
    uint64_t *a, *b_digits, *expected, *result;
    gfp_gpu_array *da, *db, *dc;
    gfp_gpu_product_plan *plan;
    gfp_gpu_operand *operand;
    bool complete; /* `expected` is the whole product; else its ends */
} product_job;

static gfp_status run_product(void *context)
{
    product_job *w = context;
    return gfp_gpu_product_mul(w->dc, w->da, w->len, w->db, w->len, w->plan, NULL);
}

static gfp_status run_square(void *context)
{
    product_job *w = context;
    return gfp_gpu_product_mul(w->dc, w->da, w->len, w->da, w->len, w->plan, NULL);
}

static gfp_status run_operand(void *context)
{
    product_job *w = context;
    return gfp_gpu_operand_mul(w->dc, w->da, w->len, w->operand, 0, w->all, w->plan, NULL);
}

static void product_close(product_job *w)
{
    gfp_gpu_array_destroy(w->da);
    gfp_gpu_array_destroy(w->db);
    gfp_gpu_array_destroy(w->dc);
    gfp_field_destroy(w->field);
    free(w->a);
    free(w->b_digits);
    free(w->expected);
    free(w->result);
}

/* The first END coefficients of a b, or with `last` the last ones, by definition. */
static void product_end(const product_job *w, uint64_t *c, bool last)
{
    const size_t k = w->k, n = w->len;
    uint64_t t[GFP_MAX_K];
    gfp_vec_zero(w->field, c, END);
    for (size_t i = 0; i < END; i++) {
        for (size_t j = 0; j <= i; j++) {
            gfp_elem_mul(w->field, t, w->a + (last ? n - 1 - j : j) * k,
                         w->b_digits + (last ? n - 1 - (i - j) : i - j) * k);
            gfp_elem_add(w->field, c + i * k, c + i * k, t);
        }
    }
}

static bool product_expect(product_job *w)
{
    const gfp_batch batch = {.count = w->batch, .len_a = w->len, .len_b = w->len};
    const gfp_options cpu = {.method = "hybrid"};
    gfp_random g;
    gfp_random_seed(&g, w->len);
    gfp_vec_random(w->field, w->a, w->batch * w->len, &g);
    gfp_vec_random(w->field, w->b_digits, w->batch * w->len, &g);
    if (w->complete) {
        return gfp_vec_mul_batch(w->field, w->expected, w->a, w->b_digits, &batch, &cpu) == GFP_OK;
    }
    product_end(w, w->expected, false);
    product_end(w, w->expected + END * w->k, true);
    return true;
}

static bool product_open(product_job *w, bench *b, const product_row *row)
{
    gfp_error error = {.message = ""};
    *w = (product_job){.b = b, .batch = row->batch, .len = row->len, .all = 2 * row->len - 1};
    if (gfp_field_create(&w->field, row->field, NULL, &error) != GFP_OK) {
        return fails(b, "%s: %s", row->field, error.message);
    }
    w->k = gfp_field_k(w->field);
    const size_t words = w->batch * w->len * w->k, product = w->batch * w->all * w->k;
    w->complete = words <= CHECKED_DIGITS;
    const size_t checked = w->complete ? product : 2 * END * w->k;
    w->a = malloc(words * sizeof *w->a);
    w->b_digits = malloc(words * sizeof *w->a);
    w->expected = malloc(checked * sizeof *w->a);
    w->result = malloc(checked * sizeof *w->a);
    if (w->a == NULL || w->b_digits == NULL || w->expected == NULL || w->result == NULL ||
        !product_expect(w)) {
        return fails(b, "%s: no memory for products of %zu terms", row->field, w->len);
    }
    return succeeds(b, gfp_gpu_array_create(&w->da, b->gpu, words, NULL), row->field) &&
           succeeds(b, gfp_gpu_array_create(&w->db, b->gpu, words, NULL), row->field) &&
           succeeds(b, gfp_gpu_array_create(&w->dc, b->gpu, product, NULL), row->field) &&
           succeeds(b, gfp_gpu_upload(w->da, 0, w->a, words, NULL), row->field) &&
           succeeds(b, gfp_gpu_upload(w->db, 0, w->b_digits, words, NULL), row->field);
}

/* Compares the product in dc. */
static bool product_right(product_job *w, const char *what)
{
    const size_t k = w->k, product = w->batch * w->all * k;
    bool right;
    if (w->complete) {
        if (!succeeds(w->b, gfp_gpu_download(w->result, w->dc, 0, product, NULL), what)) {
            return false;
        }
        right = memcmp(w->result, w->expected, product * sizeof *w->result) == 0;
    } else {
        const size_t end = END * k;
        if (!succeeds(w->b, gfp_gpu_download(w->result, w->dc, 0, end, NULL), what) ||
            !succeeds(w->b, gfp_gpu_download(w->result + end, w->dc, product - end, end, NULL),
                      what)) {
            return false;
        }
        right = gfp_vec_equal(w->field, w->result, w->expected, END);
        for (size_t i = 0; i < END; i++) {
            right = right && gfp_elem_equal(w->field, w->result + end + (END - 1 - i) * k,
                                            w->expected + end + i * k);
        }
    }
    return right || fails(w->b, "%s, %zu terms: wrong %s", gfp_field_name(w->field), w->len, what);
}

/* Checks and times a product, a square and a product by an operand. Returns false after a
 * message. */
static bool product_times(product_job *w, times t[3])
{
    const char *name = gfp_field_name(w->field);
    if (!succeeds(w->b, gfp_gpu_operand_create(&w->operand, w->plan, w->db, w->len, NULL), name) ||
        !succeeds(w->b, run_operand(w), name) || !product_right(w, "product by an operand") ||
        !succeeds(w->b, run_product(w), name) || !product_right(w, "product")) {
        return false;
    }
    return time_body(w->b, run_product, w, &t[0], name) &&
           time_body(w->b, run_square, w, &t[1], name) &&
           time_body(w->b, run_operand, w, &t[2], name);
}

static void print_terms(const product_row *row)
{
    if ((row->len & (row->len - 1)) == 0) {
        printf("| %s | %zu × 2^%u |", row->field, row->batch, log2_of(row->len));
    } else {
        printf("| %s | %zu × %zu |", row->field, row->batch, row->len);
    }
}

static void print_product(product_job *w, const product_row *row, gfp_gpu_method method,
                          unsigned prime_bits)
{
    const gfp_gpu_product_options options = {
        .method = method, .batch = row->batch, .prime_bits = prime_bits};
    gfp_error error = {.message = ""};
    times t[3];
    w->plan = NULL;
    w->operand = NULL;
    const gfp_status status = gfp_gpu_product_plan_create(
        &w->plan, w->b->gpu, w->field, w->len, w->len, &options, &(gfp_options){.error = &error});
    if (status != GFP_OK) {
        if (status != GFP_ERR_UNAVAILABLE && status != GFP_ERR_MEMORY) {
            (void)fails(w->b, "%s: %s", row->field, error.message);
        }
        return;
    }
    if (gfp_gpu_product_plan_pieces(w->plan) == 1 && product_times(w, t)) {
        print_terms(row);
        if (prime_bits == 0) {
            printf(" %s |", gfp_gpu_method_name(method));
        } else {
            printf(" %s, %u bits |", gfp_gpu_method_name(method), prime_bits);
        }
        cell(t[0].graph_ms);
        cell(row->goal);
        cell(t[0].single_ms);
        cell(t[1].graph_ms);
        cell(t[2].graph_ms);
        cell(1e6 * t[0].graph_ms / (double)(w->batch * w->len * w->k));
        printf(" %zu |", gfp_gpu_product_plan_length(w->plan));
        cell((double)gfp_gpu_product_plan_bytes(w->plan) / 1048576);
        printf("\n");
        (void)fflush(stdout);
    }
    gfp_gpu_operand_destroy(w->operand);
    gfp_gpu_product_plan_destroy(w->plan);
}

static void print_product_row(bench *b, const product_row *row)
{
    product_job w;
    if (!wanted(b, row->field, row->batch * row->len * 4)) {
        return;
    }
    if (product_open(&w, b, row)) {
        for (size_t m = 0; m < COUNT(methods); m++) {
            print_product(&w, row, methods[m], 0);
        }
        print_product(&w, row, GFP_GPU_METHOD_MULTIMODULAR, 50);
        print_product(&w, row, GFP_GPU_METHOD_MULTIMODULAR, 62);
    }
    product_close(&w);
}

/* ---- factors and product on the host ---- */

static const product_row host_rows[] = {
    {"p8", 1, (size_t)1 << 19, 3.2}, {"p8", 1, (size_t)1 << 18, 2.04},
    {"p8", 1, (size_t)1 << 14, 0},   {"p4", 1, (size_t)1 << 20, 0},
    {"p32", 1, (size_t)1 << 17, 0},  {"p128", 1, (size_t)1 << 15, 0},
};

/* Milliseconds of a product c := x y of len coefficients each by a method of the table on `threads`
 * threads; 0 if the method cannot serve. */
static double host_product(bench *b, const gfp_field *field, uint64_t *c, const uint64_t *x,
                           const uint64_t *y, size_t len, const char *method, unsigned threads)
{
    gfp_error error = {.message = ""};
    const gfp_options options = {
        .method = method, .verify = GFP_VERIFY_NONE, .error = &error, .threads = threads};
    const gfp_batch batch = {.count = 1, .len_a = len, .len_b = len};
    double samples[SAMPLES];
    for (int i = -2; i < SAMPLES; i++) { /* the first two warm up */
        const uint64_t start = clock_ns();
        const gfp_status status = gfp_vec_mul_batch(field, c, x, y, &batch, &options);
        samples[i < 0 ? 0 : i] = 1e-6 * (double)(clock_ns() - start);
        if (status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_UNKNOWN) {
            return 0;
        }
        if (status != GFP_OK) {
            (void)fails(b, "%s: %s", method, error.message);
            return 0;
        }
    }
    return median_of_samples(samples, SAMPLES);
}

/* x and y lie in pageable memory; `pinned` has room for both and the product. */
static bool print_host_methods(bench *b, const product_row *row, const gfp_poly *x,
                               const gfp_poly *y, gfp_poly *c, const gfp_poly *expected,
                               uint64_t *pinned)
{
    const gfp_field *field = x->field;
    const size_t words = row->len * gfp_field_k(field), all = 2 * row->len - 1;
    memcpy(pinned, x->digits, words * sizeof *pinned);
    memcpy(pinned + words, y->digits, words * sizeof *pinned);
    for (size_t m = 0; m < COUNT(methods); m++) {
        const char *method = gfp_gpu_method_name(methods[m]);
        uint64_t *product = pinned + 2 * words;
        const double ms =
            host_product(b, field, product, pinned, pinned + words, row->len, method, 1);
        if (ms == 0) {
            continue;
        }
        const double one =
            host_product(b, field, c->digits, x->digits, y->digits, row->len, method, 1);
        const double many = host_product(b, field, c->digits, x->digits, y->digits, row->len,
                                         method, gfp_machine_get_info().threads);
        print_terms(row);
        printf(" %s |", method);
        cell(ms);
        cell(row->goal);
        cell(one);
        cell(many);
        printf("\n");
        (void)fflush(stdout);
        if (!gfp_vec_equal(field, product, expected->digits, all) ||
            !gfp_vec_equal(field, c->digits, expected->digits, all)) {
            return fails(b, "%s: wrong product by %s", row->field, method);
        }
    }
    return true;
}

/* Draws factors of exactly row->len coefficients and computes their product on the CPU. */
static bool draw_host_row(bench *b, const product_row *row, gfp_poly p[4])
{
    const gfp_options cpu = {.method = "hybrid"};
    gfp_random g;
    gfp_random_seed(&g, row->len);
    if (gfp_poly_random(&p[0], row->len, &g) != GFP_OK ||
        gfp_poly_random(&p[1], row->len, &g) != GFP_OK ||
        gfp_poly_mul(&p[3], &p[0], &p[1], &cpu) != GFP_OK ||
        gfp_poly_fit_length(&p[2], 2 * row->len) != GFP_OK || p[3].len != 2 * row->len - 1) {
        return fails(b, "%s: no products of %zu terms", row->field, row->len);
    }
    return true;
}

static void print_host_row(bench *b, const product_row *row)
{
    gfp_field *field = NULL;
    gfp_error error = {.message = ""};
    gfp_poly p[4];
    if (!wanted(b, row->field, row->len * 4)) {
        return;
    }
    if (gfp_field_create(&field, row->field, NULL, &error) != GFP_OK) {
        (void)fails(b, "%s: %s", row->field, error.message);
        return;
    }
    for (size_t i = 0; i < COUNT(p); i++) {
        gfp_poly_init(&p[i], field);
    }
    void *pinned = NULL;
    const size_t bytes = 4 * row->len * gfp_field_k(field) * sizeof(uint64_t);
    if (draw_host_row(b, row, p) &&
        succeeds(b, gfp_gpu_host_allocate(&pinned, b->gpu, bytes, NULL), "page-locked memory")) {
        (void)print_host_methods(b, row, &p[0], &p[1], &p[2], &p[3], pinned);
    }
    gfp_gpu_host_release(pinned, b->gpu);
    for (size_t i = 0; i < COUNT(p); i++) {
        gfp_poly_clear(&p[i]);
    }
    gfp_field_destroy(field);
}

void bench_products(bench *b)
{
    printf("\n## Products over Z/pZ, factors on the device, ms\n\n");
    markdown_head(stdout, 0,
                  "field | batch × terms | method | ms | goal | one call | square | by an operand "
                  "| ns / digit | N | plan MiB");
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_product_row(b, &rows[i]);
    }
    printf("\n## Products from and to host memory, ms by the clock\n\n");
    markdown_head(stdout, 0,
                  "field | batch × terms | method | page-locked | goal | usual memory, 1 thread | "
                  "all threads");
    for (size_t i = 0; i < COUNT(host_rows); i++) {
        print_host_row(b, &host_rows[i]);
    }
}
