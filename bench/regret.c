/* bench/regret.c: gfpoly_regret, the command that asks what the chooser's picks cost: the time of
 * the pick over that of the best method, on random problems, by the built-in costs and by a tuning;
 * with --resident also of factors in a device's memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "machine.h"

#define MOST_METHODS 16
#define MOST_TRIES 1000
/* Methods whose estimate is more times the least one are not measured. */
#define FAR 4.0
/* After two rounds, methods this far from the best take part no more. */
#define LOST 1.5
/* A pick this far from the best is measured again beside it. */
#define DOUBTFUL 1.1
#define TOO_FAR 1.25
/* A sample this long makes the clock's own cost negligible. */
#define SAMPLE_NS 50000.0
#define LEAST_ROUNDS 5
#define WORST 10

/* Devices have no operands that stay: those come last. */
static const gfp_operation operations[] = {GFP_OPERATION_PRODUCT, GFP_OPERATION_SQUARE,
                                           GFP_OPERATION_LOW, GFP_OPERATION_OPERAND};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* The tables of costs that pick. */
enum { BUILT_IN, TUNED, TABLES };
static const char *const table_names[TABLES] = {"built-in", "tuning"};

/* Where factors and result lie: a gfp_residence. */
static const char *const residence_names[] = {"host", "device"};

typedef struct options {
    settings s;
    size_t count, max_len;
    unsigned threads;
    double budget, longest; /* seconds: of all, and of one product */
    bool all, resident;
    const char *tuning_path, *output;
} options;

/* A method on a problem. */
typedef struct contender {
    const char *method;
    bool runs;
    gfp_fft_operand *x;         /* of an operation by operands */
    gfp_gpu_product_plan *plan; /* of one on the device */
    size_t batch;
    double least; /* nanoseconds */
} contender;

/* A problem and what came of it. */
typedef struct trial {
    const gfp_field *field;
    gfp_problem p;
    size_t methods, best;
    contender by[MOST_METHODS]; /* the method table */
    size_t pick[TABLES];
    double regret[TABLES];
} trial;

typedef struct bench {
    options o;
    gfp_field *fields[MAX_FIELDS];
    gfp_tuning *tuning;
    gfp_random g;
    trial *trials;
    size_t done;
    gfp_poly a, b, c, reference;
    gfp_gpu *gpu; /* NULL: all problems are from host memory */
    gfp_gpu_array *da, *db, *dc;
    gfp_error error;
} bench;

static bool is_resident(const trial *t)
{
    return t->p.resident == GFP_RESIDENT_DEVICE;
}

/* ---- drawing ---- */

static double uniform(gfp_random *g)
{
    return (double)(gfp_random_u64(g) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* From 1 to most, its logarithm uniform. */
static size_t log_uniform(gfp_random *g, size_t most)
{
    const size_t n = (size_t)exp2(uniform(g) * log2((double)most + 1));

    return n < 1 ? 1 : n > most ? most : n;
}

/* Half of them of equal lengths; half of the low products modulo X^len; half on the device, where
 * there is one. */
static void draw_problem(bench *b, trial *t)
{
    gfp_problem *p = &t->p;

    *t = (trial){.field = b->fields[gfp_random_below(&b->g, b->o.s.field_count)]};
    if (b->gpu != NULL && gfp_random_below(&b->g, 2) == 0) {
        p->resident = GFP_RESIDENT_DEVICE;
    }
    p->operation = operations[gfp_random_below(&b->g, OPERATIONS - is_resident(t))];
    p->len_a = p->len_b = log_uniform(&b->g, b->o.max_len);
    p->threads = is_resident(t) || gfp_random_below(&b->g, 2) == 0 ? 1 : b->o.threads;
    p->n = p->len_a;
    if (p->operation != GFP_OPERATION_SQUARE && gfp_random_below(&b->g, 2) == 0) {
        p->len_b = log_uniform(&b->g, p->len_a);
    }
    if (p->operation == GFP_OPERATION_LOW && gfp_random_below(&b->g, 2) == 0) {
        p->n = (size_t)gfp_random_below(&b->g, p->len_a + p->len_b - 1) + 1;
    }
}

/* Whether the tuning has measured just this. */
static bool was_measured(const gfp_tuning *tuning, const trial *t)
{
    gfp_tuning_row row;

    for (size_t i = 0; tuning != NULL && i < gfp_tuning_count(tuning); i++) {
        if (gfp_tuning_get_row(tuning, i, &row) == GFP_OK && row.operation == t->p.operation &&
            row.threads == t->p.threads && row.resident == t->p.resident &&
            row.k == gfp_field_k(t->field) && row.r == gfp_field_r(t->field) &&
            row.len == t->p.len_a && row.len_b == t->p.len_b) {
            return true;
        }
    }
    return false;
}

/* The pick by a table, and least[i], the least of its estimates of method i over the least of all,
 * by any table so far; *ns: the latter. False where nothing serves. */
static bool ask(const bench *b, trial *t, int table, double *least, double *ns)
{
    gfp_problem p = t->p;
    gfp_method_info info[MOST_METHODS];

    p.tuning = table == TUNED ? b->tuning : NULL;
    /* The rows first: they ask for a device, whose start no pick is to pay then. */
    for (size_t i = 0; i < t->methods; i++) {
        if (gfp_method_query_problem(t->field, &p, i, &info[i]) != GFP_OK) {
            return false;
        }
    }
    const char *pick = gfp_method_pick_problem(t->field, &p);
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

/* A problem of the wanted time, its picks, and which methods could be the best. */
static bool draw_trial(bench *b, trial *t)
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

/* Of a call on the device, whose context knows why it failed. */
static gfp_status told(bench *b, gfp_status status)
{
    if (status != GFP_OK) {
        b->error = *gfp_gpu_last_error(b->gpu);
    }
    return status;
}

/* The coefficients that are wanted, the first ones, and those of a factor that they depend on. */
static size_t wanted(const trial *t)
{
    return t->p.operation == GFP_OPERATION_LOW ? t->p.n : t->p.len_a + t->p.len_b - 1;
}

static size_t read_of(const trial *t, size_t len)
{
    return len < wanted(t) ? len : wanted(t);
}

/* A product, until the device is done. */
static gfp_status run_resident(bench *b, const trial *t, const contender *x)
{
    const bool square = t->p.operation == GFP_OPERATION_SQUARE;
    gfp_status status = gfp_gpu_product_range_after(x->plan, b->dc, b->da, read_of(t, t->p.len_a),
                                                    square ? b->da : b->db, read_of(t, t->p.len_b),
                                                    0, wanted(t), NULL);

    if (status == GFP_OK) {
        status = gfp_gpu_wait(b->gpu, NULL);
    }
    return told(b, status);
}

/* The factors there, and room for products. */
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
    return told(b, status);
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

/* A plan, and a product by it as c, of which the array held nothing before. */
static gfp_status try_resident(bench *b, const trial *t, contender *x)
{
    const size_t n = wanted(t), words = n * gfp_field_k(t->field);
    const gfp_gpu_product_options o = {.method = method_on_device(x->method), .n = n};
    gfp_status status = gfp_gpu_product_plan_create(
        &x->plan, b->gpu, t->field, read_of(t, t->p.len_a), read_of(t, t->p.len_b), &o, &b->error);

    if (status == GFP_OK) {
        status = told(b, gfp_gpu_clear(b->dc, words));
    }
    if (status == GFP_OK) {
        status = run_resident(b, t, x);
    }
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(&b->c, n);
    }
    if (status == GFP_OK) {
        status = told(b, gfp_gpu_download(b->c.digits, b->dc, 0, words));
    }
    return status == GFP_OK ? gfp_poly_set_length(&b->c, n) : status;
}

/* ---- running ---- */

static gfp_status run_once(bench *b, const trial *t, const contender *x)
{
    const gfp_mul_options o = {.method = x->method, .error = &b->error, .threads = t->p.threads};
    const gfp_operand_options by_operand = {.error = &b->error, .threads = t->p.threads};

    if (is_resident(t)) {
        return run_resident(b, t, x);
    }
    switch (t->p.operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_sqr(&b->c, &b->a, &o);
    case GFP_OPERATION_LOW:
        return gfp_poly_mul_low(&b->c, &b->a, &b->b, t->p.n, &o);
    case GFP_OPERATION_OPERAND:
        return gfp_poly_mul_operand(&b->c, &b->a, x->x, 0, SIZE_MAX, &by_operand);
    default:
        return gfp_poly_mul(&b->c, &b->a, &b->b, &o);
    }
}

/* On one thread the thread's own time, so that other processes do not count; methods on a GPU wait
 * for it. */
static uint64_t now(const trial *t, const contender *x)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec own;
    if (t->p.threads == 1 && strstr(x->method, "_gpu") == NULL &&
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own) == 0) {
        return (uint64_t)own.tv_sec * 1000000000U + (uint64_t)own.tv_nsec;
    }
#else
    (void)t;
    (void)x;
#endif
    return clock_ns();
}

/* One sample. */
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

/* Factors, and what the operation gives: computed twice, by independent methods. */
static gfp_status prepare(bench *b, const trial *t)
{
    const gfp_mul_options cross = {.verify = GFP_VERIFY_CROSS, .error = &b->error};
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

/* Operands or a plan, one checked run, and how many make a sample. */
static bool enter(bench *b, const trial *t, contender *x)
{
    const gfp_operand_options o = {.method = x->method, .error = &b->error};
    double ns = 0;
    gfp_status status = GFP_OK;

    if (t->p.operation == GFP_OPERATION_OPERAND) {
        status = gfp_fft_operand_create(&x->x, &b->b, b->a.len + b->b.len - 1, 1, &o);
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

/* Rounds of one sample each, until they have taken the time. */
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
            if (ns > 0) { /* the thread's clock of some systems stands still at times */
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

/* The picks that are far from the best, once more beside it alone. */
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

static bool measure_trial(bench *b, trial *t)
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
        gfp_fft_operand_destroy(t->by[i].x);
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

/* ---- the report ---- */

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x;
    const double b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Trials: of an operation, or all of them; from host memory or in the device's, or both; on so many
 * threads, or any (0). */
typedef struct selection {
    const gfp_operation *operation;
    const gfp_residence *resident;
    unsigned threads;
} selection;

static bool is_selected(const trial *t, const selection *x)
{
    return (x->operation == NULL || t->p.operation == *x->operation) &&
           (x->resident == NULL || t->p.resident == *x->resident) &&
           (x->threads == 0 || t->p.threads == x->threads);
}

/* "all", or what it is of, between commas. */
static void print_selection(FILE *out, const selection *x)
{
    const char *comma = "";

    if (x->resident != NULL) {
        fputs(residence_names[*x->resident], out);
        comma = ", ";
    }
    if (x->threads != 0) {
        fprintf(out, "%s%u thread%s", comma, x->threads, x->threads > 1 ? "s" : "");
    } else if (x->operation != NULL) {
        fprintf(out, "%s%s", comma, gfp_operation_name(*x->operation));
    } else if (x->resident == NULL) {
        fputs("all", out);
    }
}

/* A row: the average, median, worst, and share of the trials that are more than TOO_FAR; none where
 * there are no such trials. */
static void print_summary(FILE *out, const bench *b, int table, selection x, double *scratch)
{
    size_t count = 0, far = 0;
    double sum = 0;

    for (size_t i = 0; i < b->done; i++) {
        const trial *t = &b->trials[i];
        if (is_selected(t, &x)) {
            scratch[count++] = t->regret[table];
            sum += t->regret[table];
            far += t->regret[table] > TOO_FAR;
        }
    }
    if (count > 0) {
        qsort(scratch, count, sizeof(*scratch), ascending);
        fprintf(out, "| %s | ", table_names[table]);
        print_selection(out, &x);
        fprintf(out, " | %zu | %.3f | %.3f | %.3f | %.3f | %.1f %% |\n", count, sum / (double)count,
                scratch[count / 2], scratch[count * 95 / 100], scratch[count - 1],
                100 * (double)far / (double)count);
    }
}

/* Apart by threads, of which a device's memory knows none, and by operations. */
static void print_parts(FILE *out, const bench *b, int table, const gfp_residence *resident,
                        double *scratch)
{
    if (b->o.threads > 1 && (resident == NULL || *resident == GFP_RESIDENT_HOST)) {
        print_summary(out, b, table, (selection){NULL, resident, 1}, scratch);
        print_summary(out, b, table, (selection){NULL, resident, b->o.threads}, scratch);
    }
    for (size_t i = 0; i < OPERATIONS; i++) {
        print_summary(out, b, table, (selection){&operations[i], resident, 0}, scratch);
    }
}

static void print_table(FILE *out, const bench *b, int table, double *scratch)
{
    static const gfp_residence residences[] = {GFP_RESIDENT_HOST, GFP_RESIDENT_DEVICE};

    print_summary(out, b, table, (selection){NULL, NULL, 0}, scratch);
    if (b->gpu == NULL) {
        print_parts(out, b, table, NULL, scratch);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        print_summary(out, b, table, (selection){NULL, &residences[i], 0}, scratch);
        print_parts(out, b, table, &residences[i], scratch);
    }
}

static void print_trial(FILE *out, const trial *t, int table)
{
    const contender *pick = &t->by[t->pick[table]], *best = &t->by[t->best];

    fprintf(out, "| %.3f | %s | %s | %zu | %zu | ", t->regret[table], gfp_field_name(t->field),
            gfp_operation_name(t->p.operation), t->p.len_a, t->p.len_b);
    if (t->p.operation == GFP_OPERATION_LOW) {
        fprintf(out, "%zu", t->p.n);
    }
    fprintf(out, " | %s | %u | %s | %.4g | %s | %.4g |\n", residence_names[t->p.resident],
            t->p.threads, pick->method, pick->least / 1e3, best->method, best->least / 1e3);
}

/* The trials that cost most by a table, or all of them. */
static void print_worst(FILE *out, const bench *b, int table, size_t count)
{
    double bound = HUGE_VAL;
    size_t printed = 0;

    fprintf(out,
            "\n## %s by the %s costs\n\n| pick / best | field | operation | len a | len b | n | "
            "factors | threads | pick | us | best | us |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
            b->o.all ? "Problems" : "Worst picks", table_names[table]);
    while (printed < count) {
        double next = 0;
        for (size_t i = 0; i < b->done; i++) {
            const double regret = b->trials[i].regret[table];
            next = regret < bound ? fmax(next, regret) : next;
        }
        for (size_t i = 0; i < b->done && printed < count && next > 0; i++) {
            if (b->trials[i].regret[table] >= next && b->trials[i].regret[table] < bound) {
                print_trial(out, &b->trials[i], table);
                printed++;
            }
        }
        bound = next;
    }
}

static void print_head(FILE *out, const bench *b)
{
    struct machine machine;
    char threads[40] = "1 thread";

    if (b->o.threads > 1) {
        (void)snprintf(threads, sizeof(threads), "1 or %u threads", b->o.threads);
    }
    describe_machine(&machine);
    fputs("# What the chooser's picks cost\n\nThe time of the pick over that of the best method, "
          "on random problems that the tuning has not measured. Times: the least of interleaved "
          "samples, on one thread of its own time, on several and on a GPU by the clock; ratios "
          "above 1.1 were measured again, the two alone. ",
          out);
    fprintf(out,
            "Methods estimated at more than %g times the least estimate were not measured. Results "
            "were compared with products computed twice.%s\n\n",
            FAR,
            b->gpu == NULL
                ? ""
                : " Half of the problems have factors and result in the device's memory, "
                  "and take until it is done.");
    write_machine(out, &machine, "- ");
    fprintf(out, "- problems: %zu of %zu, seed %llu, lengths up to %zu, up to %g s each, %s\n",
            b->done, b->o.count, (unsigned long long)b->o.s.seed, b->o.max_len, b->o.longest,
            threads);
    fprintf(out, "- fields: %zu, from %s to %s\n", b->o.s.field_count, gfp_field_name(b->fields[0]),
            gfp_field_name(b->fields[b->o.s.field_count - 1]));
}

static bool write_report(const bench *b, FILE *out)
{
    const int tables = b->tuning != NULL ? TABLES : TUNED;
    double *scratch = malloc((b->done + 1) * sizeof(*scratch));

    if (scratch == NULL) {
        return complain("no memory");
    }
    print_head(out, b);
    fprintf(out,
            "\n| costs | of | problems | average | median | 95 %% | worst | above %g |\n"
            "|---|---|---|---|---|---|---|---|\n",
            TOO_FAR);
    for (int table = 0; table < tables; table++) {
        print_table(out, b, table, scratch);
    }
    for (int table = 0; table < tables; table++) {
        print_worst(out, b, table, b->o.all || b->done < WORST ? b->done : WORST);
    }
    free(scratch);
    return true;
}

/* ---- the command ---- */

enum {
    OPTION_COUNT = 256,
    OPTION_SECONDS,
    OPTION_SEED,
    OPTION_BUDGET,
    OPTION_LONGEST,
    OPTION_MAX_LEN,
    OPTION_THREADS,
    OPTION_TUNING,
    OPTION_RESIDENT,
    OPTION_ALL
};

static const struct argp_option option_list[] = {
    {"field", 'f', "FIELD", 0,
     "A field; may be repeated (default: all named ones and two of small radices)", 0},
    {"count", OPTION_COUNT, "N", 0, "Problems (default: 400)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of problems and factors (default: 1)", 0},
    {"seconds", OPTION_SECONDS, "S", 0, "Time to spend on one problem (default: 0.1)", 0},
    {"budget", OPTION_BUDGET, "S", 0, "Begin no problem after so many seconds", 0},
    {"longest", OPTION_LONGEST, "S", 0, "Only problems estimated below (default: 0.02)", 0},
    {"max-len", OPTION_MAX_LEN, "N", 0, "Coefficients of a factor (default: 65536)", 0},
    {"threads", OPTION_THREADS, "T", 0, "Half of the problems on so many (default: 2)", 0},
    {"tuning", OPTION_TUNING, "FILE", 0, "Also the picks by this tuning", 0},
    {"resident", OPTION_RESIDENT, NULL, 0, "Half of the problems with factors on the GPU", 0},
    {"all", OPTION_ALL, NULL, 0, "List every problem, not the ten worst picks", 0},
    {"output", 'o', "FILE", 0, "Write the report to FILE (default: standard output)", 0},
    {NULL, 0, NULL, 0, NULL, 0}};

static const char documentation[] =
    "Asks what the chooser's picks cost: on random problems, every method that could be the best "
    "is measured, and the pick's time divided by the least. Operations: product, square, low "
    "product, product by an operand.\vExits with 0, 1 after a failure, 2 after a mistake in usage.";

static uint64_t parse_number(struct argp_state *state, const char *text, uint64_t most)
{
    char *end;

    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > most) {
        argp_error(state, "'%s' is not a number from 1 to %llu", text, (unsigned long long)most);
    }
    return n;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    options *o = state->input;

    switch (key) {
    case 'f':
        if (o->s.field_count == MAX_FIELDS) {
            argp_error(state, "more than %d fields", MAX_FIELDS);
        }
        o->s.fields[o->s.field_count++] = argument;
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case OPTION_COUNT:
        o->count = (size_t)parse_number(state, argument, 1000000);
        return 0;
    case OPTION_SEED:
        o->s.seed = parse_number(state, argument, UINT64_MAX);
        return 0;
    case OPTION_SECONDS:
        o->s.seconds = parse_seconds(state, argument);
        return 0;
    case OPTION_BUDGET:
        o->budget = parse_seconds(state, argument);
        return 0;
    case OPTION_LONGEST:
        o->longest = parse_seconds(state, argument);
        return 0;
    case OPTION_MAX_LEN:
        o->max_len = (size_t)parse_number(state, argument, (uint64_t)1 << 30);
        return 0;
    case OPTION_THREADS:
        o->threads = (unsigned)parse_number(state, argument, GFP_MAX_THREADS);
        return 0;
    case OPTION_TUNING:
        o->tuning_path = argument;
        return 0;
    case OPTION_RESIDENT:
        o->resident = true;
        return 0;
    case OPTION_ALL:
        o->all = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Other kernels serve radices below 2^32. */
static const char *const small_radices[] = {"165685816^8+1", "30^32+1"};

/* Exit codes. */
static int open_fields(bench *b)
{
    settings *s = &b->o.s;

    if (s->field_count == 0) {
        for (size_t i = 0; i < gfp_named_prime_count(); i++) {
            s->fields[s->field_count++] = gfp_named_prime_get(i)->name;
        }
        for (size_t i = 0; i < sizeof(small_radices) / sizeof(small_radices[0]); i++) {
            s->fields[s->field_count++] = small_radices[i];
        }
    }
    for (size_t i = 0; i < s->field_count; i++) {
        const gfp_status status = gfp_field_create(&b->fields[i], s->fields[i], NULL, &b->error);
        if (status != GFP_OK) {
            complain("--field %s: %s", s->fields[i], b->error.message);
            return status == GFP_ERR_MEMORY ? 1 : 2;
        }
    }
    return 0;
}

static int open_tuning(bench *b)
{
    if (b->o.tuning_path == NULL) {
        return 0;
    }
    gfp_status status = gfp_tuning_load(&b->tuning, b->o.tuning_path, NULL, &b->error);
    if (status == GFP_OK) {
        status = gfp_tuning_check(b->tuning, &b->error);
    }
    if (status != GFP_OK) {
        complain("%s: %s", b->o.tuning_path, b->error.message);
    }
    return status == GFP_OK ? 0 : 1;
}

/* A context, where methods on a device can serve any of the fields. */
static int open_device(bench *b)
{
    const gfp_problem p = {.len_a = 1, .len_b = 1, .resident = GFP_RESIDENT_DEVICE};
    gfp_method_info last = {.reason = ""};
    bool any = false;

    for (size_t i = 0; i < b->o.s.field_count && !any; i++) {
        any = gfp_method_pick_problem(b->fields[i], &p) != NULL;
        if (gfp_method_query_problem(b->fields[i], &p, gfp_method_count() - 1, &last) != GFP_OK) {
            return 1;
        }
    }
    if (!any) {
        complain("--resident: %s", last.reason);
    } else if (gfp_gpu_create(&b->gpu, NULL, &b->error) != GFP_OK) {
        complain("--resident: %s", b->error.message);
    }
    return b->gpu != NULL ? 0 : 1;
}

static bool measure_all(bench *b)
{
    const uint64_t start = clock_ns();
    bool ok = true;

    b->trials = calloc(b->o.count, sizeof(*b->trials));
    if (b->trials == NULL) {
        return complain("no memory");
    }
    gfp_random_seed(&b->g, b->o.s.seed);
    while (ok && b->done < b->o.count && (double)(clock_ns() - start) < b->o.budget * 1e9) {
        trial *t = &b->trials[b->done];
        ok = draw_trial(b, t);
        if (ok) {
            progress(gfp_field_name(t->field), gfp_operation_name(t->p.operation), b->done);
            ok = measure_trial(b, t);
            b->done += ok;
        }
    }
    progress_end();
    return ok;
}

/* Also what was measured before a failure. */
static bool measure_and_write(bench *b)
{
    char *text = NULL;
    size_t size = 0;
    bool written = false;
    FILE *file = stdout;

    /* Opened before anything is measured. */
    if (b->o.output != NULL && !report_open(&file, b->o.output)) {
        return false;
    }
    FILE *out = open_memstream(&text, &size);
    bool ok = out != NULL || complain("no memory");
    if (ok) {
        ok = measure_all(b);
        written = b->done > 0 && write_report(b, out);
    }
    if (out != NULL && fclose(out) != 0) {
        written = complain("no memory");
    }
    if (written) {
        report_begin(file);
        fputs(text, file);
        written = report_end(file, b->o.output != NULL ? b->o.output : "standard output");
    }
    free(text);
    free(b->trials);
    return ok && written;
}

int main(int argc, char **argv)
{
    static bench b = {.o = {.s = {.seconds = 0.1, .seed = 1},
                            .count = 400,
                            .max_len = 65536,
                            .threads = 2,
                            .budget = 1e9,
                            .longest = 0.02}};
    const struct argp parser = {option_list, parse_option, NULL, documentation, NULL, NULL, NULL};

    program_name = "gfpoly_regret";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &b.o) != 0) {
        return 2;
    }
    if (!check_build()) {
        return 1;
    }
    int code = open_fields(&b);
    code = code == 0 ? open_tuning(&b) : code;
    code = code == 0 && b.o.resident ? open_device(&b) : code;
    if (code == 0) {
        code = measure_and_write(&b) ? 0 : 1;
    }
    gfp_gpu_destroy(b.gpu);
    gfp_tuning_destroy(b.tuning);
    for (size_t i = 0; i < b.o.s.field_count; i++) {
        gfp_field_destroy(b.fields[i]);
    }
    return code;
}
