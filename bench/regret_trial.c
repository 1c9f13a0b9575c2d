/* bench/regret_trial.c: one problem of gfpoly_regret: drawing it, computing it by every method that
 * could be the best, and measuring these in rounds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench/regret.h"
#include "gpu/products.h"
#include "product/choose/tuning.h"

#define MOST_TRIES 1000
/* After two rounds, methods this far from the best are dropped. */
#define LOST 1.5
/* A pick this far from the best is measured again together with the best. */
#define DOUBTFUL 1.1
/* A sample this long makes the clock's own cost negligible. */
#define SAMPLE_NS 50000.0
#define LEAST_ROUNDS 5

/* Operations without device memory come last. */
const gfp_operation operations[OPERATIONS] = {GFP_OPERATION_PRODUCT, GFP_OPERATION_SQUARE,
                                              GFP_OPERATION_LOW, GFP_OPERATION_OPERAND};

static bool is_resident(const trial *t)
{
    return t->p.resident == GFP_RESIDENT_DEVICE;
}

/* ---- drawing ---- */

static double uniform(gfp_random *g)
{
    return (double)(gfp_random_u64(g) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* A number from 1 to most whose logarithm is uniform. */
static size_t log_uniform(gfp_random *g, size_t most)
{
    const size_t n = (size_t)exp2(uniform(g) * log2((double)most + 1));

    return n < 1 ? 1 : n > most ? most : n;
}

/* Draws a problem. Half have equal lengths; half of the low products are modulo X^len; half lie on
 * the device, if there is one. */
static void draw_problem(bench *b, trial *t)
{
    gfp_problem *p = &t->p;

    *t = (trial){.field = b->fields[gfp_random_below(&b->g, b->o.s.field_count)]};
    if (b->gpu != NULL && gfp_random_below(&b->g, 2) == 0) {
        p->resident = GFP_RESIDENT_DEVICE;
    }
    p->operation = operations[gfp_random_below(&b->g, OPERATIONS - is_resident(t))];
    p->len_a = p->len_b = log_uniform(&b->g, b->o.max_len);
    t->threads = is_resident(t) || gfp_random_below(&b->g, 2) == 0 ? 1 : b->o.threads;
    p->n = p->len_a;
    if (p->operation != GFP_OPERATION_SQUARE && gfp_random_below(&b->g, 2) == 0) {
        p->len_b = log_uniform(&b->g, p->len_a);
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
static bool ask(const bench *b, trial *t, int table, double *least, double *ns)
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
    *ns = info[t->pick[table]].estimate_ns;
    for (size_t i = 0; i < t->methods; i++) {
        if (info[i].available) {
            least[i] = fmin(least[i], info[i].estimate_ns / *ns);
        }
    }
    return true;
}

bool draw_trial(bench *b, trial *t)
{
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        double least[MOST_METHODS], ns = 0;
        draw_problem(b, t);
        t->methods = gfp_method_count();
        for (size_t i = 0; i < t->methods; i++) {
            least[i] = DBL_MAX;
        }
        bool ok = ask(b, t, BUILT_IN, least, &ns) && ns <= b->o.longest * 1e9 &&
                  !was_measured(b->tuning, t);
        if (ok && b->tuning != NULL) {
            ok = ask(b, t, TUNED, least, &ns);
        }
        if (!ok) {
            continue;
        }
        for (size_t i = 0; i < t->methods; i++) {
            t->by[i] = (contender){.method = gfp_method_name(i),
                                   .runs = least[i] <= FAR,
                                   .batch = 1,
                                   .least = DBL_MAX};
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
static size_t wanted(const trial *t)
{
    return t->p.operation == GFP_OPERATION_LOW ? t->p.n : t->p.len_a + t->p.len_b - 1;
}

static size_t read_of(const trial *t, size_t len)
{
    return len < wanted(t) ? len : wanted(t);
}

/* Runs a product and waits for the device. */
static gfp_status run_resident(bench *b, const trial *t, const contender *x)
{
    const bool square = t->p.operation == GFP_OPERATION_SQUARE;
    gfp_status status = gfp_gpu_product_range_after(x->plan, b->dc, b->da, read_of(t, t->p.len_a),
                                                    square ? b->da : b->db, read_of(t, t->p.len_b),
                                                    0, wanted(t), NULL);

    if (status == GFP_OK) {
        status = gfp_gpu_wait(b->gpu, NULL);
    }
    return with_reason(b, status);
}

/* Uploads the factors and allocates the product. */
static gfp_status upload(bench *b, const trial *t)
{
    const size_t k = gfp_field_k(t->field);
    gfp_status status = gfp_gpu_array_create(&b->da, b->gpu, b->a.len * k);

    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&b->db, b->gpu, b->b.len * k);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&b->dc, b->gpu, wanted(t) * k);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_upload(b->da, 0, b->a.digits, b->a.len * k);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_upload(b->db, 0, b->b.digits, b->b.len * k);
    }
    return with_reason(b, status);
}

static void release(bench *b)
{
    gfp_gpu_array_destroy(b->da);
    gfp_gpu_array_destroy(b->db);
    gfp_gpu_array_destroy(b->dc);
    b->da = b->db = b->dc = NULL;
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
static gfp_status try_resident(bench *b, const trial *t, contender *x)
{
    const size_t n = wanted(t), words = n * gfp_field_k(t->field);
    const gfp_gpu_product_options o = {.method = method_on_device(x->method), .n = n};
    gfp_status status = gfp_gpu_product_plan_create(
        &x->plan, b->gpu, t->field, read_of(t, t->p.len_a), read_of(t, t->p.len_b), &o, &b->error);

    if (status == GFP_OK) {
        status = with_reason(b, gfp_gpu_clear(b->dc, words));
    }
    if (status == GFP_OK) {
        status = run_resident(b, t, x);
    }
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(&b->c, n);
    }
    if (status == GFP_OK) {
        status = with_reason(b, gfp_gpu_download(b->c.digits, b->dc, 0, words));
    }
    return status == GFP_OK ? gfp_poly_set_length(&b->c, n) : status;
}

/* ---- running ---- */

static gfp_status run_once(bench *b, const trial *t, const contender *x)
{
    const gfp_options o = {.method = x->method, .error = &b->error, .threads = t->threads};

    if (is_resident(t)) {
        return run_resident(b, t, x);
    }
    switch (t->p.operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_sqr(&b->c, &b->a, &o);
    case GFP_OPERATION_LOW:
        return gfp_poly_mul_low(&b->c, &b->a, &b->b, t->p.n, &o);
    case GFP_OPERATION_OPERAND:
        return gfp_poly_mul_operand(&b->c, 0, SIZE_MAX, &b->a, x->x, &o);
    default:
        return gfp_poly_mul(&b->c, &b->a, &b->b, &o);
    }
}

/* On one thread the thread's CPU time, so that other processes do not count; for methods on a GPU
 * the wall clock. */
static uint64_t now(const trial *t, const contender *x)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec own;
    if (t->threads == 1 && strstr(x->method, "_gpu") == NULL &&
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own) == 0) {
        return (uint64_t)own.tv_sec * 1000000000U + (uint64_t)own.tv_nsec;
    }
#else
    (void)t;
    (void)x;
#endif
    return clock_ns();
}

/* Takes one sample. */
static gfp_status run(bench *b, const trial *t, contender *x, double *ns)
{
    gfp_status status = GFP_OK;
    const uint64_t start = now(t, x);

    for (size_t i = 0; i < x->batch && status == GFP_OK; i++) {
        status = run_once(b, t, x);
    }
    *ns = (double)(now(t, x) - start);
    return status;
}

static gfp_status random_factor(gfp_poly *a, size_t len, gfp_random *g)
{
    const gfp_status status = gfp_poly_random(a, len, g);

    return status == GFP_OK && a->len < len ? gfp_poly_set_coeff_u64(a, len - 1, 1) : status;
}

/* Draws factors and computes the expected result twice, by independent methods. */
static gfp_status prepare(bench *b, const trial *t)
{
    const gfp_options cross = {.verify = GFP_VERIFY_CROSS, .error = &b->error};
    gfp_status status = random_factor(&b->a, t->p.len_a, &b->g);

    if (status == GFP_OK) {
        status = random_factor(&b->b, t->p.len_b, &b->g);
    }
    if (status == GFP_OK && t->p.operation == GFP_OPERATION_SQUARE) {
        status = gfp_poly_copy(&b->b, &b->a);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(&b->reference, &b->a, &b->b, &cross);
    }
    if (status == GFP_OK && t->p.operation == GFP_OPERATION_LOW) {
        status = gfp_poly_truncate(&b->reference, &b->reference, t->p.n);
    }
    return status == GFP_OK && is_resident(t) ? upload(b, t) : status;
}

/* Makes operands or a plan, checks one run, and finds the number of runs of a sample. */
static bool enter(bench *b, const trial *t, contender *x)
{
    const gfp_options o = {.method = x->method, .error = &b->error};
    double ns = 0;
    gfp_status status = GFP_OK;

    if (t->p.operation == GFP_OPERATION_OPERAND) {
        const gfp_space_spec spec = {.length = b->a.len + b->b.len - 1, .terms = 1};
        status = gfp_space_create(&x->space, t->field, &spec, &o);
        status = status == GFP_OK ? gfp_operand_create(&x->x, x->space) : status;
        status = status == GFP_OK ? gfp_poly_to_operand(x->x, &b->b, &o) : status;
    }
    if (status == GFP_OK) {
        status = is_resident(t) ? try_resident(b, t, x) : run_once(b, t, x);
    }
    if (status == GFP_OK && !gfp_poly_equal(&b->c, &b->reference)) {
        return complain("%s: the result by %s is wrong", gfp_field_name(t->field), x->method);
    }
    while (status == GFP_OK && (status = run(b, t, x, &ns)) == GFP_OK && ns < SAMPLE_NS) {
        x->batch *= 2;
    }
    return status == GFP_OK ||
           complain("%s, %s: %s", gfp_field_name(t->field), x->method, b->error.message);
}

static void find_best(trial *t)
{
    for (size_t i = 0; i < t->methods; i++) {
        if (t->by[i].least < t->by[t->best].least) {
            t->best = i;
        }
    }
}

static bool is_pick(const trial *t, size_t method, int tables)
{
    for (int i = 0; i < tables; i++) {
        if (t->pick[i] == method) {
            return true;
        }
    }
    return false;
}

/* Runs rounds of one sample per method until the time is spent. */
static bool go_round(bench *b, trial *t, int tables)
{
    const uint64_t start = clock_ns();

    for (unsigned round = 0;
         round < LEAST_ROUNDS || (double)(clock_ns() - start) < b->o.s.seconds * 1e9; round++) {
        for (size_t i = 0; i < t->methods; i++) {
            contender *x = &t->by[i];
            double ns;
            if (!x->runs) {
                continue;
            }
            if (run(b, t, x, &ns) != GFP_OK) {
                return complain("%s, %s: %s", gfp_field_name(t->field), x->method,
                                b->error.message);
            }
            if (ns > 0) { /* on some systems the thread's clock stands still at times */
                x->least = fmin(x->least, ns / (double)x->batch);
            }
        }
        find_best(t);
        for (size_t i = 0; i < t->methods && round == 1; i++) {
            t->by[i].runs = t->by[i].runs &&
                            (is_pick(t, i, tables) || t->by[i].least < LOST * t->by[t->best].least);
        }
    }
    return true;
}

static double measured_regret(const trial *t, int table)
{
    return t->by[t->pick[table]].least / t->by[t->best].least;
}

/* Measures picks that are far from the best again, together with the best alone. */
static bool doubt(bench *b, trial *t, int tables)
{
    bool any = false;

    for (size_t i = 0; i < t->methods; i++) {
        t->by[i].runs = i == t->best;
    }
    for (int i = 0; i < tables; i++) {
        if (measured_regret(t, i) > DOUBTFUL) {
            t->by[t->pick[i]].runs = any = true;
        }
    }
    return !any || go_round(b, t, tables);
}

bool measure_trial(bench *b, trial *t)
{
    const int tables = b->tuning != NULL ? TABLES : TUNED;
    bool ok = true;

    gfp_poly_init(&b->a, t->field);
    gfp_poly_init(&b->b, t->field);
    gfp_poly_init(&b->c, t->field);
    gfp_poly_init(&b->reference, t->field);
    if (prepare(b, t) != GFP_OK) {
        ok = complain("%s: %s", gfp_field_name(t->field), b->error.message);
    }
    for (size_t i = 0; i < t->methods && ok; i++) {
        ok = !t->by[i].runs || enter(b, t, &t->by[i]);
    }
    ok = ok && go_round(b, t, tables) && doubt(b, t, tables);
    for (int i = 0; i < tables && ok; i++) {
        t->regret[i] = measured_regret(t, i);
    }
    for (size_t i = 0; i < t->methods; i++) {
        gfp_operand_destroy(t->by[i].x);
        gfp_space_destroy(t->by[i].space);
        gfp_gpu_product_plan_destroy(t->by[i].plan);
        t->by[i].x = NULL;
        t->by[i].plan = NULL;
    }
    release(b);
    gfp_poly_clear(&b->a);
    gfp_poly_clear(&b->b);
    gfp_poly_clear(&b->c);
    gfp_poly_clear(&b->reference);
    return ok;
}
