/* model.c: amounts of work, memory and exchange of a product by the hybrid method's plan
 * (docs/design/hybrid.md), rates from measured points, and predicted times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scale/scale.h"

const struct column model_columns[WORKER_KINDS][MODEL_COLUMNS] = {
    [RANKS] = {{"computing", "ns a digit operation", false},
               {"8 to 32 MiB", "ns a byte and doubling", false},
               {"above 32 MiB", "ns a byte and doubling", false},
               {"memory of a host", "GB/s", true},
               {"steps", "ns a step", false}},
    [GPUS] = {{"computing", "GB/s of a device's memory", true},
              {"exchange", "GB/s of a device", true},
              {"start", "ns a product", false},
              {"fences", "ns a doubling of devices", false}},
    [FILES] = {{"computing", "ns a digit operation", false},
               {"disk", "GB/s", true},
               {"steps", "ns a step", false}},
};

/* Work for each digit of a block of N coefficients, in digit operations: a butterfly modulo a prime
 * is one. Other steps modulo a prime (values in T, products modulo X^k - g, the CRT), and the outer
 * DFTs, by the cycles of docs/design/hybrid.md. */
#define LEAF_OPERATIONS 14
#define OUTER_OPERATIONS 25
/* Passes of the outer DFTs and leaves through memory, for each digit: one is read or written 10
 * times. */
#define MEMORY_PASSES 10
/* A worker needs 32 bytes for each of its digits. Up to CACHE_BYTES, passes over them take no time
 * of their own; each doubling makes a byte slower, by one rate up to CACHE_DOUBLINGS, by another
 * one beyond. (p8 on one thread, 2^12 to 2^18 terms: 2 % off; one rate for each byte: 16 %.) */
#define CACHE_BYTES ((double)((uint64_t)1 << 23))
#define CACHE_DOUBLINGS 2
/* Levels of a leaf's transform that one kernel of a device computes. */
#define KERNEL_LEVELS 8
/* Bits below the product of the primes of a leaf, for each prime. */
#define PRIME_BITS 48
/* Bytes of a plan on devices for each digit of a block's product (bench/results). */
#define GPU_BYTES 50
/* Bytes to and from the file for each digit of a factor: of a block, and of two halves that are
 * added and joined. */
#define BLOCK_BYTES 128
#define HALVES_BYTES 48

/* The plan: `blocks` products of two blocks of `terms` coefficients; `halved`: the terms of all
 * factors that are cut in halves; `cuts`: the blocks of a factor on devices. */
struct scale_plan {
    double terms, blocks, halved, cuts;
    double digits; /* of a block's product */
    double leaves, leaf_terms, primes;
};

/* The longest factors of one transform: on ranks by AVX2 and AVX-512. */
static double longest_block(enum worker_kind kind)
{
    return kind == GPUS ? 1 << 24 : 1 << 23;
}

/* On devices each block of one factor is multiplied by all of the other one, run by run. */
static void cut_on_devices(struct scale_plan *p)
{
    p->cuts = ceil(p->terms / longest_block(GPUS));
    if (p->cuts > 1) {
        p->terms = longest_block(GPUS);
        p->blocks = p->cuts * (p->cuts + 1);
    }
}

static struct scale_plan plan_product(const struct point *job)
{
    const double k = job->field.k;
    struct scale_plan p = {.terms = (double)job->terms, .blocks = 1};
    if (job->kind == GPUS) {
        cut_on_devices(&p);
    }
    for (; p.terms > longest_block(job->kind); p.terms = ceil(p.terms / 2)) {
        p.halved += p.blocks * p.terms;
        p.blocks *= job->kind == FILES ? 3 : 4;
    }
    p.digits = 2 * p.terms * k;
    p.leaves = fmin(fmin(16, 2 * k), p.terms);
    p.leaf_terms = 2 * p.terms / p.leaves;
    const double bits = 2 * (job->field.bits - 1) + log2(k * p.leaf_terms);
    p.primes = floor((bits + 1) / PRIME_BITS) + 1;
    return p;
}

/* The busiest worker's part of the leaves. */
static double leaf_share(const struct scale_plan *p, double workers)
{
    return ceil(p->leaves / fmin(workers, p->leaves)) / p->leaves;
}

/* Its digit operations. */
static double count_operations(const struct scale_plan *p, double workers)
{
    const double leaf = p->primes * (log2(p->leaf_terms) + LEAF_OPERATIONS);
    return p->blocks * p->digits * (leaf * leaf_share(p, workers) + OUTER_OPERATIONS / workers);
}

static void count_ranks(struct amounts *x, const struct scale_plan *p, double workers, double hosts)
{
    const double bytes = 8 * p->blocks * p->digits, all = 4 * 8 * p->digits;
    const double doublings = fmax(0, log2(all / workers / CACHE_BYTES));
    const double passes = p->primes * leaf_share(p, workers) + 2 / workers;
    x->column[0] = count_operations(p, workers);
    x->column[1] = bytes * passes * fmin(doublings, CACHE_DOUBLINGS);
    x->column[2] = bytes * passes * fmax(0, doublings - CACHE_DOUBLINGS);
    x->column[3] = bytes * MEMORY_PASSES * fmax(0, 1 - CACHE_BYTES / all) / hosts;
    x->column[4] = p->blocks * (1 + log2(workers));
}

/* A kernel reads and writes all planes of a leaf. Leaves are dealt, or if there are several blocks
 * the blocks. Each device receives the others' part of both factors and of the product's digits, or
 * of one factor and of the product. */
static void count_gpus(struct amounts *x, const struct scale_plan *p, double workers, double each)
{
    const double passes = fmax(1, ceil(log2(p->leaf_terms) / KERNEL_LEVELS));
    const double others = (fmin(workers, each) - 1) / workers;
    const bool whole = p->cuts == 1;
    x->column[0] = 8 * p->digits * passes * (whole ? leaf_share(p, workers) : p->blocks / workers);
    x->column[1] = 8 * p->digits * others * (whole ? 2 : p->cuts);
    x->column[2] = whole ? 1 : p->blocks / workers;
    x->column[3] = log2(workers);
}

static void count_files(struct amounts *x, const struct scale_plan *p, double k, double workers)
{
    x->column[0] = count_operations(p, workers);
    x->column[1] = k * (BLOCK_BYTES * p->blocks * p->terms + HALVES_BYTES * p->halved);
    x->column[2] = p->blocks * (1 + log2(workers));
}

void count_amounts(struct amounts *x, const struct host *host, const struct point *job)
{
    const struct scale_plan p = plan_product(job);
    const double workers = (double)job->workers, each = (double)host->workers;
    const double hosts = ceil(workers / each), k = job->field.k;
    const double link = host->link != 0 ? (double)host->link : ASSUMED_LINK;
    *x = (struct amounts){.between = 0};
    /* Factors and product; what a plan holds for each digit of a block: by ranks the leaves of both
     * factors, and for each worker a leaf's work area. A device has its part of that, and besides
     * the other blocks of both factors and all digits, or if there are several blocks all of one
     * factor and its product by a block of the other one. */
    const double terms = (double)job->terms, kept = 8 * k * 4 * terms;
    if (job->kind == GPUS) {
        const double shared =
            p.cuts == 1 ? 16 * p.digits : 8 * k * terms * (2 + 1 / workers) + GPU_BYTES * p.digits;
        const double own = (kept + (p.cuts == 1 ? GPU_BYTES * p.digits : 0)) / workers;
        x->memory = fmin(workers, each) * (own + (workers > 1 || p.cuts > 1 ? shared : 0));
    } else if (job->kind == RANKS) {
        const double work = 16 * p.digits + 48 * k * p.leaf_terms * fmin(workers, p.leaves);
        x->memory = (kept + work) / hosts;
    }
    switch (job->kind) {
    case RANKS:
        count_ranks(x, &p, workers, hosts);
        break;
    case GPUS:
        count_gpus(x, &p, workers, each);
        break;
    default:
        count_files(x, &p, k, workers);
        break;
    }
    /* Each coefficient of the factors goes to columns, of the transforms to leaves, of the product
     * to columns and to blocks. */
    if (hosts > 1 && job->kind != FILES) {
        x->between = p.blocks * (8 * 5 * p.digits / hosts * (1 - 1 / hosts) / link +
                                 5 * (workers - 1) * ASSUMED_LATENCY);
    }
}

bool next_group(struct group *group, const struct points *points)
{
    const struct point *first = group->count == 0 ? points->point : group->point + group->count;
    const size_t rest = points->count - (size_t)(first - points->point);
    size_t count = 0;
    while (count < rest && first[count].host == first->host && first[count].kind == first->kind) {
        count++;
    }
    if (count > 0) {
        *group = (struct group){&points->host[first->host], first, count};
    }
    return count > 0;
}

double predict_seconds(const struct fit *fit, const struct host *host, const struct point *job)
{
    struct amounts x;
    count_amounts(&x, host, job);
    double seconds = x.between;
    for (size_t i = 0; i < MODEL_COLUMNS; i++) {
        seconds += x.column[i] * fit->rate[i];
    }
    return seconds;
}

/* ---- rates ---- */

/* Normal equations of the fit, for amounts over measured seconds: columns of length 1. */
struct normal {
    double product[MODEL_COLUMNS][MODEL_COLUMNS], side[MODEL_COLUMNS], length[MODEL_COLUMNS];
    size_t points;
};

/* Whether the rates are fitted to the point of this number: half of any regular series. */
static bool is_fitted(size_t i)
{
    bool odd = false;
    for (; i != 0; i &= i - 1) {
        odd = !odd;
    }
    return !odd;
}

static void sum_points(struct normal *n, const struct group *group)
{
    *n = (struct normal){.points = 0};
    for (size_t i = 0; i < group->count; i++) {
        struct amounts x;
        if (!is_fitted(i)) {
            continue;
        }
        n->points++;
        count_amounts(&x, group->host, &group->point[i]);
        for (size_t j = 0; j < MODEL_COLUMNS; j++) {
            for (size_t h = 0; h < MODEL_COLUMNS; h++) {
                n->product[j][h] +=
                    x.column[j] * x.column[h] / group->point[i].seconds / group->point[i].seconds;
            }
            n->side[j] +=
                x.column[j] * (1 - x.between / group->point[i].seconds) / group->point[i].seconds;
        }
    }
    for (size_t j = 0; j < MODEL_COLUMNS; j++) {
        n->length[j] = sqrt(n->product[j][j]);
    }
    for (size_t j = 0; j < MODEL_COLUMNS; j++) {
        n->side[j] /= n->length[j] > 0 ? n->length[j] : 1;
        for (size_t h = 0; h < MODEL_COLUMNS; h++) {
            const double both = n->length[j] * n->length[h];
            n->product[j][h] /= both > 0 ? both : 1;
        }
    }
}

/* Solves the equations of the columns in a set (bits), by elimination; the other rates are 0.
 * Returns false if they depend on each other, or a rate is not positive. */
static bool solve_columns(double *rate, const struct normal *n, unsigned set)
{
    double a[MODEL_COLUMNS][MODEL_COLUMNS + 1];
    size_t at[MODEL_COLUMNS], count = 0;
    for (size_t j = 0; j < MODEL_COLUMNS; j++) {
        rate[j] = 0;
        if ((set >> j & 1) != 0) {
            at[count++] = j;
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            a[i][j] = n->product[at[i]][at[j]];
        }
        a[i][count] = n->side[at[i]];
    }
    for (size_t i = 0; i < count; i++) { /* positive definite: no pivoting */
        if (a[i][i] < 1e-9) {
            return false;
        }
        for (size_t j = i + 1; j < count; j++) {
            const double times = a[j][i] / a[i][i];
            for (size_t h = i; h <= count; h++) {
                a[j][h] -= times * a[i][h];
            }
        }
    }
    for (size_t i = count; i-- > 0;) {
        double sum = a[i][count];
        for (size_t j = i + 1; j < count; j++) {
            sum -= a[i][j] * rate[at[j]];
        }
        rate[at[i]] = sum / a[i][i];
        if (!(rate[at[i]] > 0)) {
            return false;
        }
    }
    return true;
}

/* The sum of the squares of the relative errors at fitted points. */
static double sum_squares(const struct fit *fit, const struct group *group)
{
    double squares = 0;
    for (size_t i = 0; i < group->count; i++) {
        if (is_fitted(i)) {
            const struct point *p = &group->point[i];
            const double error = predict_seconds(fit, group->host, p) / p->seconds - 1;
            squares += error * error;
        }
    }
    return squares;
}

static void find_rates(struct fit *fit, const struct group *group)
{
    struct normal n;
    double least = INFINITY;
    sum_points(&n, group);
    fit->fitted = n.points;
    for (unsigned set = 1; set < 1U << MODEL_COLUMNS; set++) {
        struct fit tried = *fit;
        size_t size = 0;
        for (size_t j = 0; j < MODEL_COLUMNS; j++) {
            size += set >> j & 1;
        }
        if (size >= n.points || !solve_columns(tried.rate, &n, set)) {
            continue;
        }
        for (size_t j = 0; j < MODEL_COLUMNS; j++) {
            tried.rate[j] /= n.length[j] > 0 ? n.length[j] : 1;
        }
        /* Rounding errors alone are no reason for a further rate. */
        const double squares = fmax(sum_squares(&tried, group), 1e-12 * (double)n.points);
        const double left = (double)(n.points - size);
        if (squares / left / left < least) {
            least = squares / left / left;
            *fit = tried;
        }
    }
}

static int compare_errors(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

bool fit_points(struct fit *fit, const struct group *group)
{
    double error[MOST_POINTS];
    *fit = (struct fit){.fitted = 0};
    find_rates(fit, group);
    bool any = false;
    for (size_t i = 0; i < MODEL_COLUMNS; i++) {
        any = any || fit->rate[i] > 0;
    }
    if (!any) {
        return false;
    }
    for (size_t i = 0; i < group->count; i++) {
        if (!is_fitted(i)) {
            const struct point *p = &group->point[i];
            error[fit->tested++] = fabs(predict_seconds(fit, group->host, p) / p->seconds - 1);
        }
    }
    qsort(error, fit->tested, sizeof error[0], compare_errors);
    fit->median = (error[(fit->tested - 1) / 2] + error[fit->tested / 2]) / 2;
    fit->worst = error[fit->tested - 1];
    return true;
}

/* ---- the hull ---- */

static double log_ratio(uint64_t x, uint64_t y)
{
    return log2((double)x) - log2((double)y);
}

bool is_measured(const struct group *group, const struct point *job)
{
    /* Outside if all points lie on one side of a ray from the job through one of them, on the ray
     * itself only in its direction. */
    bool any = false;
    for (size_t i = 0; i < group->count; i++) {
        const struct point *p = &group->point[i];
        bool outside = strcmp(p->field.name, job->field.name) == 0;
        any = any || outside;
        const double x = log_ratio(p->terms, job->terms);
        const double y = log_ratio(p->workers, job->workers);
        for (size_t j = 0; j < group->count && outside; j++) {
            const struct point *q = &group->point[j];
            if (strcmp(q->field.name, job->field.name) == 0) {
                const double u = log_ratio(q->terms, job->terms);
                const double v = log_ratio(q->workers, job->workers);
                const double side = x * v - y * u;
                outside = side > 1e-9 || (side > -1e-9 && x * u + y * v > 0);
            }
        }
        if (outside) {
            return false;
        }
    }
    return any;
}
