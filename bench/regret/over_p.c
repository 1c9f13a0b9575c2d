/* bench/regret/over_p.c: problems over Z/p: products, squares, low products and products by an
 * operand, in host memory or on a device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/modular/inputs.h"
#include "bench/regret/regret.h"
#include "gpu/products.h"
#include "product/choose/tuning.h"

#define MOST_TRIES 1000
/* Operations without device memory come last. */
const gfp_operation operations[OPERATIONS] = {GFP_OPERATION_PRODUCT, GFP_OPERATION_SQUARE,
                                              GFP_OPERATION_LOW, GFP_OPERATION_OPERAND};

static bool is_resident(const trial *t)
{
    return t->p.resident == GFP_RESIDENT_DEVICE;
}

/* ---- drawing ---- */

/* Draws a problem. Half have equal lengths; half of the low products are modulo X^len; half lie on
 * the device, if there is one. */
static void draw_problem(bench *b, trial *t)
{
    gfp_problem *p = &t->p;

    *t = (trial){.number = b->done + 1,
                 .field = b->fields[gfp_random_below(&b->g, b->o.s.field_count)]};
    if (b->gpu != NULL && gfp_random_below(&b->g, 2) == 0) {
        p->resident = GFP_RESIDENT_DEVICE;
    }
    p->operation = operations[gfp_random_below(&b->g, OPERATIONS - is_resident(t))];
    p->len_a = p->len_b = log_uniform(&b->g, 1, b->o.max_len);
    t->threads = is_resident(t) || gfp_random_below(&b->g, 2) == 0 ? 1 : b->o.threads;
    p->n = p->len_a;
    if (p->operation != GFP_OPERATION_SQUARE && gfp_random_below(&b->g, 2) == 0) {
        p->len_b = log_uniform(&b->g, 1, p->len_a);
    }
    if (p->operation == GFP_OPERATION_LOW && gfp_random_below(&b->g, 2) == 0) {
        p->n = (size_t)gfp_random_below(&b->g, p->len_a + p->len_b - 1) + 1;
    }
}

/* Whether the tuning has measured exactly this problem. */
static bool was_measured(const gfp_tuning *tuning, const trial *t)
{
    gfp_tuning_row row;

    for (size_t i = 0; tuning != NULL && i < gfp_tuning_count(tuning); i++) {
        if (gfp_tuning_get_row(tuning, i, &row) == GFP_OK && row.operation == t->p.operation &&
            row.threads == t->threads && row.resident == t->p.resident &&
            row.k == gfp_field_k(t->field) && row.r == gfp_field_r(t->field) &&
            row.len == t->p.len_a && row.len_b == t->p.len_b) {
            return true;
        }
    }
    return false;
}

/* Sets the pick by a table, and *ns := its estimate. Lowers least[i] to method i's estimate divided
 * by *ns. Returns false if no method can serve. */
static bool over_p_ask(const bench *b, trial *t, int table, double *least, double *ns)
{
    const gfp_options o = {.threads = t->threads, .tuning = table == TUNED ? b->tuning : NULL};
    gfp_method_info info[MOST_METHODS];

    /* The rows come first: they open the device, whose start must not count in a pick. */
    for (size_t i = 0; i < t->methods; i++) {
        if (gfp_method_query(&info[i], i, &t->p, t->field, &o) != GFP_OK) {
            return false;
        }
    }
    const char *pick = gfp_method_pick(&t->p, t->field, &o);
    if (pick == NULL) {
        return false;
    }
    for (size_t i = 0; i < t->methods; i++) {
        if (strcmp(info[i].name, pick) == 0) {
            t->pick[table] = i;
        }
    }
    *ns = t->estimate[table] = info[t->pick[table]].estimate_ns;
    for (size_t i = 0; i < t->methods; i++) {
        if (info[i].available) {
            t->by[i].estimate = info[i].estimate_ns;
            least[i] = fmin(least[i], info[i].estimate_ns / *ns);
        }
    }
    return true;
}

static bool over_p_draw(bench *b, trial *t)
{
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        double least[MOST_METHODS], ns = 0;
        draw_problem(b, t);
        t->methods = gfp_method_count();
        for (size_t i = 0; i < t->methods; i++) {
            least[i] = DBL_MAX;
        }
        bool ok = over_p_ask(b, t, BUILT_IN, least, &ns) && ns <= b->o.longest * 1e9 &&
                  !was_measured(b->tuning, t);
        if (ok && b->tuning != NULL) {
            ok = over_p_ask(b, t, TUNED, least, &ns);
        }
        if (!ok) {
            continue;
        }
        for (size_t i = 0; i < t->methods; i++) {
            t->by[i].method = gfp_method_name(i);
            t->by[i].runs = least[i] <= b->o.far;
            t->by[i].batch = 1;
            t->by[i].least = DBL_MAX;
        }
        return true;
    }
    return complain("no problem within %g s was drawn", b->o.longest);
}

/* ---- running on the device ---- */

/* Passes on the status of a call on the device, and copies the context's reason to b->error. */
static gfp_status with_reason(bench *b, gfp_status status)
{
    if (status != GFP_OK) {
        b->error = *gfp_gpu_last_error(b->gpu);
    }
    return status;
}

/* The number of coefficients to compute, from the first one on. */
static size_t over_p_wanted(const trial *t)
{
    return t->p.operation == GFP_OPERATION_LOW ? t->p.n : t->p.len_a + t->p.len_b - 1;
}

static size_t read_of(const trial *t, size_t len)
{
    return len < over_p_wanted(t) ? len : over_p_wanted(t);
}

/* Runs a product and waits for the device. */
static gfp_status run_resident(bench *b, const trial *t, const method_run *x)
{
    const bool square = t->p.operation == GFP_OPERATION_SQUARE;
    gfp_status status =
        gfp_gpu_product_range(x->plan, b->dc, b->da, read_of(t, t->p.len_a), square ? b->da : b->db,
                              read_of(t, t->p.len_b), 0, over_p_wanted(t));

    if (status == GFP_OK) {
        status = gfp_gpu_wait(b->gpu, NULL);
    }
    return with_reason(b, status);
}

/* Uploads the factors and allocates the product. */
static gfp_status over_p_upload(bench *b, const trial *t)
{
    const size_t k = gfp_field_k(t->field);
    gfp_status status = gfp_gpu_array_create(&b->da, b->gpu, b->a.len * k, NULL);

    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&b->db, b->gpu, b->b.len * k, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&b->dc, b->gpu, over_p_wanted(t) * k, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_upload(b->da, 0, b->a.digits, b->a.len * k, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_upload(b->db, 0, b->b.digits, b->b.len * k, NULL);
    }
    return with_reason(b, status);
}

static gfp_gpu_method method_on_device(const char *name)
{
    gfp_gpu_method method = GFP_GPU_METHOD_MULTIMODULAR;

    while (method != GFP_GPU_METHOD_AUTO && strcmp(gfp_gpu_method_name(method), name) != 0) {
        method--;
    }
    return method;
}

/* Makes a plan, clears the product's array, and downloads a product to c. */
static gfp_status try_resident(bench *b, const trial *t, method_run *x)
{
    const size_t n = over_p_wanted(t), words = n * gfp_field_k(t->field);
    const gfp_gpu_product_options o = {.method = method_on_device(x->method), .n = n};
    gfp_status status =
        gfp_gpu_product_plan_create(&x->plan, b->gpu, t->field, read_of(t, t->p.len_a),
                                    read_of(t, t->p.len_b), &o, &(gfp_options){.error = &b->error});

    if (status == GFP_OK) {
        status = with_reason(b, gfp_gpu_clear(b->dc, words, NULL));
    }
    if (status == GFP_OK) {
        status = run_resident(b, t, x);
    }
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(&b->c, n);
    }
    if (status == GFP_OK) {
        status = with_reason(b, gfp_gpu_download(b->c.digits, b->dc, 0, words, NULL));
    }
    return status == GFP_OK ? gfp_poly_set_length(&b->c, n) : status;
}

/* ---- running ---- */

static gfp_status over_p_run(bench *b, trial *t, const method_run *x)
{
    const gfp_options o = {
        .method = x->method, .verify = GFP_VERIFY_NONE, .error = &b->error, .threads = t->threads};
    if (is_resident(t)) {
        return run_resident(b, t, x);
    }
    switch (t->p.operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_sqr(&b->c, &b->a, &o);
    case GFP_OPERATION_LOW:
        return gfp_poly_mullow(&b->c, &b->a, &b->b, t->p.n, &o);
    case GFP_OPERATION_OPERAND:
        return gfp_poly_mul_operand(&b->c, 0, SIZE_MAX, &b->a, x->x, &o);
    default:
        return gfp_poly_mul(&b->c, &b->a, &b->b, &o);
    }
}

static gfp_status random_factor(gfp_poly *a, size_t len, gfp_random *g)
{
    const gfp_status status = gfp_poly_random(a, len, g);

    return status == GFP_OK && a->len < len ? gfp_poly_set_coeff_u64(a, len - 1, 1) : status;
}

/* Draws factors and computes the expected result twice, by independent methods. */
static gfp_status over_p_prepare(bench *b, const trial *t)
{
    const gfp_options cross = {.verify = GFP_VERIFY_CROSS, .error = &b->error};
    gfp_poly_init(&b->a, t->field);
    gfp_poly_init(&b->b, t->field);
    gfp_poly_init(&b->c, t->field);
    gfp_poly_init(&b->reference, t->field);
    gfp_random g; /* of the problem: --only draws no factors of the others */
    gfp_random_seed(&g, b->o.s.seed + t->number);
    gfp_status status = random_factor(&b->a, t->p.len_a, &g);

    if (status == GFP_OK) {
        status = random_factor(&b->b, t->p.len_b, &g);
    }
    if (status == GFP_OK && t->p.operation == GFP_OPERATION_SQUARE) {
        status = gfp_poly_set(&b->b, &b->a);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(&b->reference, &b->a, &b->b, &cross);
    }
    if (status == GFP_OK && t->p.operation == GFP_OPERATION_LOW) {
        status = gfp_poly_truncate(&b->reference, &b->reference, t->p.n);
    }
    return status == GFP_OK && is_resident(t) ? over_p_upload(b, t) : status;
}

/* Makes an operand or a plan. */
static gfp_status over_p_enter(bench *b, trial *t, method_run *x)
{
    const gfp_options o = {.method = x->method, .error = &b->error};
    gfp_status status = GFP_OK;

    if (t->p.operation == GFP_OPERATION_OPERAND) {
        const gfp_space_spec spec = {.length = b->a.len + b->b.len - 1, .terms = 1};
        status = gfp_space_create(&x->space, t->field, &spec, &o);
        status = status == GFP_OK ? gfp_operand_create(&x->x, x->space) : status;
        status = status == GFP_OK ? gfp_poly_to_operand(x->x, &b->b, &o) : status;
    }
    if (status != GFP_OK) {
        return status;
    }
    return is_resident(t) ? try_resident(b, t, x) : over_p_run(b, t, x);
}

static bool result_is_right(const bench *b)
{
    return gfp_poly_equal(&b->c, &b->reference);
}

static void over_p_release(bench *b, trial *t)
{
    for (size_t i = 0; i < t->methods; i++) {
        gfp_operand_destroy(t->by[i].x);
        gfp_space_destroy(t->by[i].space);
        gfp_gpu_product_plan_destroy(t->by[i].plan);
        t->by[i].x = NULL;
        t->by[i].space = NULL;
        t->by[i].plan = NULL;
    }
    gfp_gpu_array_destroy(b->da);
    gfp_gpu_array_destroy(b->db);
    gfp_gpu_array_destroy(b->dc);
    b->da = b->db = b->dc = NULL;
    gfp_poly_clear(&b->a);
    gfp_poly_clear(&b->b);
    gfp_poly_clear(&b->c);
    gfp_poly_clear(&b->reference);
}

const subject subject_over_p = {.draw = over_p_draw,
                                .prepare = over_p_prepare,
                                .enter = over_p_enter,
                                .run = over_p_run,
                                .right = result_is_right,
                                .release = over_p_release};
