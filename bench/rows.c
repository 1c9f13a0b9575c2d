/* bench/rows.c: the times by which scripts/pairs.sh compares two revisions: products, squares,
 * parts, operands, batches, threads, products on a GPU, series; one line for each row, whose name
 * is WHAT/FIELD/LENGTH or WHAT/FIELD/LENGTHxLENGTH. The data is the same in every run; each result
 * is compared with verified products before it is timed; rows that this build or machine does not
 * have are left out.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/compare/sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TERMS 4    /* products in a sum of products */
#define BATCH 1000 /* products in a batch */
#define DIGITS_LOG                                                                                 \
    21 /* a factor has at most 2^DIGITS_LOG digits: a row takes about a second at most */

typedef enum kind {
    PRODUCT,
    LOW,
    HIGH,
    MIDDLE,
    SET,
    OPERAND,
    DOT,
    MANY,
    DEVICE,
    INVERSE,
    QUOTIENT
} kind;

/* One problem and its method. Low and high products have len_b coefficients, middle products have
 * len_b from X^(len_b - 1) on, series have len_b. */
typedef struct row {
    char name[48];
    const char *field;
    kind kind;
    size_t len_a, len_b; /* len_b 0: a square */
    const char *method;  /* NULL: the chooser's pick */
    size_t memory_cap;
    unsigned threads;
    bool verified, on_gpu;
} row;

/* A row's data: factors, the expected result, and the calls' results. */
typedef struct problem {
    const row *row;
    gfp_field *field;
    gfp_poly a[TERMS], b[TERMS], c, expected;
    gfp_space *space;
    gfp_operand *x[TERMS], *y[TERMS];
    uint64_t *factors, *products, *expected_products; /* for a batch */
    gfp_gpu *gpu;
    gfp_gpu_array *on_device[3];
    gfp_gpu_product_plan *plan;
    gfp_error error;
} problem;

/* ---- all calls of the library: only this part depends on its interface ---- */

static gfp_status field_open(gfp_field **field, const char *name)
{
    return gfp_field_create(field, name, NULL, NULL);
}

static void field_close(gfp_field *field)
{
    gfp_field_destroy(field);
}

static size_t terms_of(const row *r)
{
    return r->kind == DOT ? TERMS : 1;
}

static const gfp_poly *second_factor(const problem *p, size_t i)
{
    return p->row->len_b == 0 ? &p->a[i] : &p->b[i];
}

static size_t product_length(const row *r)
{
    return r->len_a + (r->len_b == 0 ? r->len_a : r->len_b) - 1;
}

static gfp_options product_options(problem *p)
{
    return (gfp_options){.method = p->row->method,
                         .threads = p->row->threads,
                         .memory_cap = p->row->memory_cap,
                         .verify = p->row->verified ? GFP_VERIFY_POINT : GFP_VERIFY_NONE,
                         .verify_seed = 1,
                         .error = &p->error};
}

static gfp_options operand_options(problem *p)
{
    return (gfp_options){.threads = p->row->threads, .error = &p->error};
}

static gfp_status make_operand(problem *p, gfp_operand **x, const gfp_poly *a)
{
    const gfp_options o = operand_options(p);
    const gfp_status status = gfp_operand_create(x, p->space);
    return status == GFP_OK ? gfp_poly_to_operand(*x, a, &o) : status;
}

/* Makes operand i; the first call also makes the space. */
static gfp_status run_set(problem *p, size_t i)
{
    const gfp_options o = operand_options(p);
    const gfp_space_spec spec = {.length = product_length(p->row), .terms = terms_of(p->row)};
    gfp_operand_destroy(p->y[i]);
    p->y[i] = NULL;
    if (i == 0) {
        gfp_space_destroy(p->space);
        p->space = NULL;
        const gfp_status status = gfp_space_create(&p->space, p->field, &spec, &o);
        if (status != GFP_OK) {
            return status;
        }
    }
    return make_operand(p, &p->y[i], &p->b[i]);
}

static gfp_status run_batch(problem *p, uint64_t *products, gfp_verify verify)
{
    const gfp_batch batch = {.count = BATCH, .len_a = p->row->len_a, .len_b = p->row->len_b};
    gfp_options o = product_options(p);
    o.verify = verify;
    return gfp_vec_mul_batch(p->field, products, p->factors,
                             p->factors + BATCH * p->row->len_a * gfp_field_k(p->field), &batch,
                             &o);
}

static gfp_status run_on_device(problem *p)
{
    const gfp_status status = gfp_gpu_product_mul(p->on_device[2], p->on_device[0], p->row->len_a,
                                                  p->on_device[1], p->row->len_b, p->plan, NULL);
    return status == GFP_OK ? gfp_gpu_wait(p->gpu, &(gfp_options){.error = &p->error}) : status;
}

/* Runs the row's call once. */
static gfp_status rows_run(void *context)
{
    problem *p = context;
    const row *r = p->row;
    const gfp_options o = product_options(p);
    const gfp_options by_operand = operand_options(p);
    switch (r->kind) {
    case LOW:
        return gfp_poly_mullow(&p->c, &p->a[0], &p->b[0], r->len_b, &o);
    case HIGH:
        return gfp_poly_mulhigh(&p->c, &p->a[0], &p->b[0], r->len_b, &o);
    case MIDDLE:
        return gfp_poly_mulmid(&p->c, &p->a[0], &p->b[0], r->len_b - 1, r->len_b, &o);
    case SET:
        return run_set(p, 0);
    case OPERAND:
        return gfp_poly_mul_operand(&p->c, 0, SIZE_MAX, &p->a[0], p->y[0], &by_operand);
    case DOT:
        return gfp_poly_dot_operands(&p->c, 0, SIZE_MAX, (const gfp_operand *const *)p->x,
                                     (const gfp_operand *const *)p->y, TERMS, &by_operand);
    case MANY:
        return run_batch(p, p->products, GFP_VERIFY_NONE);
    case DEVICE:
        return run_on_device(p);
    case INVERSE:
        return gfp_poly_inv_series(&p->c, &p->b[0], r->len_b, &o);
    case QUOTIENT:
        return gfp_poly_div_series(&p->c, &p->a[0], &p->b[0], r->len_b, &o);
    default:
        return r->len_b == 0 ? gfp_poly_sqr(&p->c, &p->a[0], &o)
                             : gfp_poly_mul(&p->c, &p->a[0], &p->b[0], &o);
    }
}

/* p->expected := the sum of the products of all factors, from verified products. */
static gfp_status expect_sum(problem *p)
{
    const gfp_options o = {
        .threads = 1, .verify = GFP_VERIFY_POINT, .verify_seed = 1, .error = &p->error};
    gfp_status status = GFP_OK;
    for (size_t i = 0; i < terms_of(p->row) && status == GFP_OK; i++) {
        status = gfp_poly_mul(&p->c, &p->a[i], second_factor(p, i), &o);
        if (status == GFP_OK) {
            status = gfp_poly_add(&p->expected, &p->expected, &p->c);
        }
    }
    return status;
}

/* p->expected := what the row computes. */
static gfp_status rows_expect(problem *p)
{
    const size_t n = p->row->len_b;
    gfp_options verified = product_options(p);
    verified.verify = GFP_VERIFY_POINT;
    if (p->row->kind == INVERSE) {
        return gfp_poly_inv_series(&p->expected, &p->b[0], n, &verified);
    }
    if (p->row->kind == QUOTIENT) {
        return gfp_poly_div_series(&p->expected, &p->a[0], &p->b[0], n, &verified);
    }
    gfp_status status = expect_sum(p);
    if (status == GFP_OK && (p->row->kind == HIGH || p->row->kind == MIDDLE)) {
        status = gfp_poly_shift_right(&p->expected, &p->expected, p->row->kind == HIGH ? n : n - 1);
    }
    if (status == GFP_OK && (p->row->kind == LOW || p->row->kind == MIDDLE)) {
        status = gfp_poly_truncate(&p->expected, &p->expected, n);
    }
    return status;
}

static gfp_status open_batch(problem *p, gfp_random *g)
{
    const row *r = p->row;
    const size_t k = gfp_field_k(p->field), words = BATCH * product_length(r) * k;
    const size_t elements = BATCH * (r->len_a + r->len_b);
    p->factors = malloc(elements * k * sizeof(uint64_t));
    p->products = calloc(words, sizeof(uint64_t));
    p->expected_products = calloc(words, sizeof(uint64_t));
    if (p->factors == NULL || p->products == NULL || p->expected_products == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_vec_random(p->field, p->factors, elements, g);
    return run_batch(p, p->expected_products, GFP_VERIFY_POINT);
}

static gfp_status open_device(problem *p)
{
    const row *r = p->row;
    const size_t k = gfp_field_k(p->field);
    const size_t words[3] = {r->len_a * k, r->len_b * k, product_length(r) * k};
    const gfp_gpu_product_options options = {.method = GFP_GPU_METHOD_AUTO};
    gfp_status status = gfp_gpu_create(&p->gpu, NULL, &(gfp_options){.error = &p->error});
    for (size_t i = 0; i < 3 && status == GFP_OK; i++) {
        status = gfp_gpu_array_create(&p->on_device[i], p->gpu, words[i], NULL);
    }
    for (size_t i = 0; i < 2 && status == GFP_OK; i++) {
        const uint64_t *digits = i == 0 ? p->a[0].digits : p->b[0].digits;
        status = gfp_gpu_upload(p->on_device[i], 0, digits, words[i], NULL);
    }
    return status == GFP_OK
               ? gfp_gpu_product_plan_create(&p->plan, p->gpu, p->field, r->len_a, r->len_b,
                                             &options, &(gfp_options){.error = &p->error})
               : status;
}

static gfp_status open_operands(problem *p)
{
    gfp_status status = GFP_OK;
    for (size_t i = 0; i < terms_of(p->row) && status == GFP_OK; i++) {
        status = run_set(p, i);
        if (status == GFP_OK && p->row->kind == DOT) {
            status = make_operand(p, &p->x[i], &p->a[i]);
        }
    }
    return status;
}

static gfp_status draw_factors(problem *p, gfp_random *g)
{
    gfp_status status = GFP_OK;
    for (size_t i = 0; i < terms_of(p->row) && status == GFP_OK; i++) {
        status = gfp_poly_random(&p->a[i], p->row->len_a, g);
        if (status == GFP_OK) {
            status = gfp_poly_random(&p->b[i], p->row->len_b, g);
        }
    }
    return status;
}

/* Makes the data of a row over the field. UNAVAILABLE: this build or machine cannot run the row. */
static gfp_status problem_open(problem *p, const row *r, gfp_field *field)
{
    gfp_random g;
    *p = (problem){.row = r, .field = field};
    for (size_t i = 0; i < TERMS; i++) {
        gfp_poly_init(&p->a[i], field);
        gfp_poly_init(&p->b[i], field);
    }
    gfp_poly_init(&p->c, field);
    gfp_poly_init(&p->expected, field);
    gfp_random_seed(&g, 1);
    if (r->kind == MANY) {
        return open_batch(p, &g);
    }
    gfp_status status = draw_factors(p, &g);
    if (status == GFP_OK && (r->kind == SET || r->kind == OPERAND || r->kind == DOT)) {
        status = open_operands(p);
    } else if (status == GFP_OK && r->kind == DEVICE) {
        status = open_device(p);
    } else if (status == GFP_OK && r->on_gpu) {
        status = gfp_gpu_pool_ask(&p->error);
    }
    return status == GFP_OK ? rows_expect(p) : status;
}

static bool same_on_device(problem *p)
{
    const size_t words = product_length(p->row) * gfp_field_k(p->field);
    uint64_t *digits = malloc(words * sizeof *digits);
    const bool same = digits != NULL && p->expected.len == product_length(p->row) &&
                      gfp_gpu_download(digits, p->on_device[2], 0, words, NULL) == GFP_OK &&
                      memcmp(digits, p->expected.digits, words * sizeof *digits) == 0;
    free(digits);
    return same;
}

/* Whether the row's call gave the expected result. */
static bool problem_right(problem *p)
{
    const gfp_options o = operand_options(p);
    const size_t k = gfp_field_k(p->field);
    switch (p->row->kind) {
    case MANY:
        return memcmp(p->products, p->expected_products,
                      BATCH * product_length(p->row) * k * sizeof(uint64_t)) == 0;
    case DEVICE:
        return same_on_device(p);
    case SET:
        return gfp_poly_mul_operand(&p->c, 0, SIZE_MAX, &p->a[0], p->y[0], &o) == GFP_OK &&
               gfp_poly_equal(&p->c, &p->expected);
    default:
        return gfp_poly_equal(&p->c, &p->expected);
    }
}

static void problem_close(problem *p)
{
    gfp_gpu_product_plan_destroy(p->plan);
    for (size_t i = 0; i < 3; i++) {
        gfp_gpu_array_destroy(p->on_device[i]);
    }
    gfp_gpu_destroy(p->gpu);
    for (size_t i = 0; i < TERMS; i++) {
        gfp_operand_destroy(p->x[i]);
        gfp_operand_destroy(p->y[i]);
        gfp_poly_clear(&p->a[i]);
        gfp_poly_clear(&p->b[i]);
    }
    gfp_space_destroy(p->space);
    gfp_poly_clear(&p->c);
    gfp_poly_clear(&p->expected);
    free(p->factors);
    free(p->products);
    free(p->expected_products);
}

/* ---- the rows ---- */

#define MAX_ROWS 1024

typedef struct row_list {
    row rows[MAX_ROWS];
    size_t count;
} row_list;

static const char *const p_fields[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128"};
static const char *const m_fields[] = {"m4", "m8", "m16", "m32", "m64", "m128"};

/* Adds a row, unless its factors are too long. */
static void rows_add(row_list *list, const char *what, row r)
{
    const size_t k = strtoul(r.field + 1, NULL, 10);
    if (r.len_a * k > (size_t)1 << DIGITS_LOG) {
        return;
    }
    if (list->count == MAX_ROWS) {
        complain("MAX_ROWS is too small");
        exit(1);
    }
    row *new_row = &list->rows[list->count];
    *new_row = r;
    new_row->threads = r.threads == 0 ? 1 : r.threads;
    if (r.len_b == 0 || r.len_b == r.len_a) {
        snprintf(new_row->name, sizeof new_row->name, "%s/%s/%zu", what, r.field, r.len_a);
    } else {
        snprintf(new_row->name, sizeof new_row->name, "%s/%s/%zux%zu", what, r.field, r.len_a,
                 r.len_b);
    }
    list->count++;
}

static void add_products(row_list *list, const char *field)
{
    for (size_t e = 4; e <= 18; e++) {
        const size_t n = (size_t)1 << e;
        rows_add(list, "product", (row){.field = field, .len_a = n, .len_b = n});
    }
    for (size_t e = 6; e <= 14; e += 4) {
        const size_t n = (size_t)1 << e;
        rows_add(list, "square", (row){.field = field, .len_a = n});
        rows_add(list, "product", (row){.field = field, .len_a = 3 * n / 2, .len_b = 3 * n / 2});
    }
    for (size_t e = 8; e <= 14; e += 3) {
        const size_t n = (size_t)1 << e;
        rows_add(list, "product", (row){.field = field, .len_a = n, .len_b = n / 16});
        rows_add(list, "product", (row){.field = field, .len_a = n, .len_b = 3});
        rows_add(list, "threads2", (row){.field = field, .len_a = n, .len_b = n, .threads = 2});
    }
}

static void add_others(row_list *list, const char *field)
{
    for (size_t e = 6; e <= 14; e += 4) {
        const size_t n = (size_t)1 << e;
        rows_add(list, "low", (row){.field = field, .kind = LOW, .len_a = n, .len_b = n});
        rows_add(list, "high", (row){.field = field, .kind = HIGH, .len_a = n, .len_b = n});
        rows_add(list, "middle",
                 (row){.field = field, .kind = MIDDLE, .len_a = 2 * n - 1, .len_b = n});
        rows_add(list, "set", (row){.field = field, .kind = SET, .len_a = n, .len_b = n});
        rows_add(list, "operand", (row){.field = field, .kind = OPERAND, .len_a = n, .len_b = n});
        rows_add(list, "dot4", (row){.field = field, .kind = DOT, .len_a = n, .len_b = n});
    }
    for (size_t e = 4; e <= 14; e += 2) {
        const size_t n = (size_t)1 << e;
        rows_add(list, "inverse", (row){.field = field, .kind = INVERSE, .len_a = n, .len_b = n});
        rows_add(list, "quotient", (row){.field = field, .kind = QUOTIENT, .len_a = n, .len_b = n});
    }
    rows_add(list, "batch1000", (row){.field = field, .kind = MANY, .len_a = 4, .len_b = 4});
    rows_add(list, "batch1000", (row){.field = field, .kind = MANY, .len_a = 32, .len_b = 32});
    rows_add(list, "verified",
             (row){.field = field, .len_a = 4096, .len_b = 4096, .verified = true});
}

/* Adds every method of the table on the CPU, and products with little memory. */
static void add_methods(row_list *list, const char *field)
{
    static const char *const names[] = {"classical", "karatsuba", "bigfft", "multimodular",
                                        "flint",     "hybrid",    "crt"};
    for (size_t i = 0; i < COUNT(names); i++) {
        rows_add(list, names[i],
                 (row){.field = field, .len_a = 256, .len_b = 256, .method = names[i]});
        rows_add(list, names[i],
                 (row){.field = field, .len_a = 700, .len_b = 500, .method = names[i]});
    }
    const size_t n = 16384, k = strtoul(field + 1, NULL, 10);
    rows_add(
        list, "capped",
        (row){
            .field = field, .len_a = n, .len_b = n, .method = "hybrid", .memory_cap = 16 * n * k});
}

/* Adds rows with factors and product on the device, and in host memory. */
static void add_device(row_list *list, const char *field)
{
    for (size_t e = 8; e <= 18; e += 2) {
        const size_t n = (size_t)1 << e;
        rows_add(list, "gpu",
                 (row){.field = field, .kind = DEVICE, .len_a = n, .len_b = n, .on_gpu = true});
    }
    for (size_t e = 14; e <= 18; e += 2) {
        const size_t n = (size_t)1 << e;
        rows_add(
            list, "gpu-host",
            (row){.field = field, .len_a = n, .len_b = n, .method = "hybrid_gpu", .on_gpu = true});
    }
}

static void list_rows(row_list *list)
{
    for (size_t i = 0; i < COUNT(p_fields); i++) {
        add_products(list, p_fields[i]);
        add_others(list, p_fields[i]);
    }
    for (size_t i = 0; i < COUNT(m_fields); i++) {
        for (size_t e = 6; e <= 14; e += 4) {
            const size_t n = (size_t)1 << e;
            rows_add(list, "product", (row){.field = m_fields[i], .len_a = n, .len_b = n});
        }
    }
    add_methods(list, "p4");
    add_methods(list, "p8");
    add_methods(list, "p32");
    for (size_t i = 0; i < COUNT(p_fields); i++) {
        add_device(list, p_fields[i]);
    }
    add_device(list, "m8");
}

/* ---- times ---- */

static bool rows_fails(const row *r, const char *what)
{
    return complain("%s: %s", r->name, what);
}

static bool add_time(report *out, const row *r, const struct timing *t)
{
    record *x = report_add(out, "row", r->field, r->name);
    if (x == NULL) {
        return false;
    }
    x->len_a = r->len_a;
    x->len_b = r->len_b;
    x->time = (timing){.min_ns = (double)t->min_ns,
                       .median_ns = (double)t->median_ns,
                       .spread = t->spread,
                       .runs = t->runs};
    printf("  %-30s", r->name);
    print_timing(&x->time, 1);
    putchar('\n');
    (void)fflush(stdout);
    return true;
}

/* Checks and times an open problem. */
static bool time_problem(const settings *s, problem *p, report *out)
{
    const struct effort effort = {.budget_ns = 1e9 * s->seconds, .most_ns = 1e9};
    const bool cpu_time = p->row->threads == 1 && !p->row->on_gpu;
    struct timing t = {.runs = 0};
    const gfp_status status = rows_run(p);
    if (status == GFP_ERR_UNAVAILABLE) {
        return true;
    }
    if (status != GFP_OK) {
        return rows_fails(p->row, gfp_status_string(status));
    }
    if (!problem_right(p)) {
        return rows_fails(p->row, "the result is wrong");
    }
    if (take_samples(&t, &effort, cpu_time, rows_run, p) != GFP_OK) {
        return rows_fails(p->row, "a repeated call failed");
    }
    return add_time(out, p->row, &t);
}

static bool time_row(const settings *s, const row *r, gfp_field *field, report *out)
{
    problem p;
    /* A row of the CPU is timed by the thread's clock: no GPU may compute it. */
    if (!keep_to_cpu(!r->on_gpu)) {
        return rows_fails(r, "no memory");
    }
    const gfp_status status = problem_open(&p, r, field);
    const bool ok = status == GFP_OK                ? time_problem(s, &p, out)
                    : status == GFP_ERR_UNAVAILABLE ? true
                                                    : rows_fails(r, gfp_status_string(status));
    problem_close(&p);
    return ok;
}

/* Most rows of one field are adjacent: the field stays open until another one comes. */
bool bench_rows(const settings *s, report *out)
{
    static row_list list;
    gfp_field *field = NULL;
    const char *name = "";
    bool ok = true;
    list_rows(&list);
    print_head("row", "ns");
    for (const row *r = list.rows; r < list.rows + list.count; r++) {
        if (s->filter != NULL && strstr(r->name, s->filter) == NULL) {
            continue;
        }
        if (strcmp(name, r->field) != 0) {
            field_close(field);
            field = NULL;
            if (field_open(&field, r->field) != GFP_OK) {
                return rows_fails(r, "the field could not be made");
            }
            name = r->field;
        }
        ok = time_row(s, r, field, out) && ok;
    }
    field_close(field);
    return keep_to_cpu(false) && ok;
}
