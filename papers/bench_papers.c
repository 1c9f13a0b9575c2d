/* papers/bench_papers.c: the tables of the sequel on multi-core processors: transforms of K^e
 * points and products in the field, by the library and by the same algorithm with GMP, and the
 * published figures for both.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "papers/gmp_dft.h"
#include "papers/published.h"

/* Tables 4 and 5: milliseconds on a Core i7-7700K, one thread. */
typedef struct dft_row {
    unsigned k, e;
    double ours, gmp;
} dft_row;

/* Tables 2 and 3: nanoseconds of a product (milliseconds of 10^6); 0: not published. */
typedef struct product_row {
    double gmp;
    double steps[PRODUCT_STEPS];
} product_row;

/* Reads the published figures when they are first needed. */
static struct {
    bool ready;
    published_table transforms, products, steps;
} figures;

static bool read_figures(void)
{
    if (!figures.ready) {
        figures.ready =
            published_load(&figures.transforms, GFP_PUBLISHED_FOLDER, "multicore-tables4-5-i7") &&
            published_load(&figures.products, GFP_PUBLISHED_FOLDER, "multicore-table2") &&
            published_load(&figures.steps, GFP_PUBLISHED_FOLDER, "multicore-table3");
    }
    return figures.ready;
}

static dft_row dft_row_at(size_t i)
{
    const published_table *p = &figures.transforms;

    return (dft_row){.k = (unsigned)published_figure(p, i, "k"),
                     .e = (unsigned)published_figure(p, i, "e"),
                     .ours = published_figure(p, i, "serial_gfpf"),
                     .gmp = published_figure(p, i, "serial_gmp")};
}

static product_row product_row_of(unsigned k)
{
    const size_t i = published_row(&figures.products, k, 0);
    const size_t j = published_row(&figures.steps, k, 0);

    return (product_row){
        published_figure(&figures.products, i, "gmp"),
        {[STEP_FFT] = published_figure(&figures.products, i, "gfpf"),
         [STEP_CONVOLUTION] = published_figure(&figures.steps, j, "convolution"),
         [STEP_CRT] = published_figure(&figures.steps, j, "crt"),
         [STEP_LHC] = published_figure(&figures.steps, j, "lhc"),
         [STEP_NORMALIZATION] = published_figure(&figures.steps, j, "normalization")}};
}

bool in_papers(unsigned k)
{
    return k >= 4 && k <= 128;
}

/* ---- transforms ---- */

typedef struct job {
    gfp_fft_plan *plan;
    gmp_dft baseline;
    size_t n, words;
    uint64_t *x, *y, *z;
    mp_limb_t *integers; /* n elements: the baseline transforms them in place */
} job;

static bool run_six_step(void *context)
{
    job *w = context;
    const gfp_options options = {.method = "six-step"};
    return gfp_fft_forward(w->plan, w->y, w->x, GFP_ORDER_NATURAL, &options) == GFP_OK;
}

static bool run_default(void *context)
{
    job *w = context;
    return gfp_fft_forward(w->plan, w->y, w->x, GFP_ORDER_NATURAL, NULL) == GFP_OK;
}

static bool run_gmp(void *context)
{
    job *w = context;
    gmp_dft_run(&w->baseline, w->integers);
    return true;
}

static void job_clear(job *w)
{
    gfp_fft_plan_destroy(w->plan);
    gmp_dft_clear(&w->baseline);
    free(w->x);
    free(w->y);
    free(w->z);
    free(w->integers);
}

static bool job_init(job *w, const gfp_field *field, size_t n, uint64_t seed)
{
    gfp_error error;
    gfp_random g;

    *w = (job){.n = n, .words = n * gfp_field_k(field)};
    if (gfp_fft_plan_create(&w->plan, field, n, &error) != GFP_OK) {
        return complain("%s, N = %zu: %s", gfp_field_name(field), n, error.message);
    }
    w->x = calloc(w->words, sizeof(uint64_t));
    w->y = calloc(w->words, sizeof(uint64_t));
    w->z = calloc(w->words, sizeof(uint64_t));
    w->integers = calloc(n, gfp_field_limbs(field) * sizeof(mp_limb_t));
    if (w->x == NULL || w->y == NULL || w->z == NULL || w->integers == NULL ||
        !gmp_dft_init(&w->baseline, field, n)) {
        job_clear(w);
        complain("no memory for transforms of %zu elements", n);
        return false;
    }
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, w->x, n, &g);
    return true;
}

/* Checks that the three transforms agree, digit for digit. */
static bool check_transforms(job *w)
{
    const gfp_field *field = gfp_fft_plan_field(w->plan);

    gmp_dft_from_digits(&w->baseline, w->integers, w->x, w->n);
    gmp_dft_run(&w->baseline, w->integers);
    gmp_dft_to_digits(&w->baseline, w->z, w->integers, w->n);
    for (size_t i = 0; i < 2; i++) {
        const bool done = i == 0 ? run_six_step(w) : run_default(w);
        if (!done || memcmp(w->y, w->z, w->words * sizeof(uint64_t)) != 0) {
            return complain("%s, N = %zu: our %s transform and GMP's differ", gfp_field_name(field),
                            w->n, i == 0 ? "six-step" : "default");
        }
    }
    return true;
}

/* Times one transform, or product, and adds it to the report. */
static bool time_one(const settings *s, const char *section, const gfp_field *field,
                     const char *name, size_t n, double published_ns, bool (*run)(void *context),
                     void *context, report *r, double *ns)
{
    progress(gfp_field_name(field), name, n);
    record *x = report_add(r, section, gfp_field_name(field), name);
    if (x == NULL || !measure(&x->time, s->seconds, run, context)) {
        return complain("%s, N = %zu, %s: failed", gfp_field_name(field), n, name);
    }
    x->len_a = n;
    x->published_ns = published_ns;
    *ns = x->time.min_ns;
    progress_end();
    return true;
}

/* Sets the ratios of the records from number `first` on to the last record, GMP's. */
static void fill_ratios(report *r, size_t first)
{
    const double gmp = r->records[r->count - 1].time.min_ns;

    for (size_t i = first; i < r->count; i++) {
        r->records[i].ratio_to_gmp = r->records[i].time.min_ns / gmp;
    }
}

static bool time_row(const settings *s, job *w, const dft_row *row, report *r)
{
    const gfp_field *field = gfp_fft_plan_field(w->plan);
    const size_t first = r->count;
    double six = 0, ours = 0, gmp = 0;

    if (!time_one(s, "papers-dft", field, "six-step", w->n, row->ours * 1e6, run_six_step, w, r,
                  &six) ||
        !time_one(s, "papers-dft", field, "default", w->n, 0, run_default, w, r, &ours) ||
        !time_one(s, "papers-dft", field, "gmp", w->n, row->gmp * 1e6, run_gmp, w, r, &gmp)) {
        return false;
    }
    fill_ratios(r, first);
    printf("  %3u %2u %8zu %11.4f %11.4f %11.4f %8.3f %8.3f   %11.3f %11.3f %8.3f\n", 2 * row->k,
           row->e, w->n, six / 1e6, ours / 1e6, gmp / 1e6, gmp / six, gmp / ours, row->ours,
           row->gmp, row->gmp / row->ours);
    return true;
}

/* Measures N = K^e. */
static size_t points(const dft_row *row)
{
    size_t n = 1;

    for (unsigned i = 0; i < row->e; i++) {
        n *= 2 * (size_t)row->k;
    }
    return n;
}

/* Whether n is one of the requested lengths; without any, all lengths are requested. */
static bool wanted(const size_t *lengths, size_t count, size_t n)
{
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] == n) {
            return true;
        }
    }
    return count == 0;
}

/* Whether some row of this k is requested. */
static bool has_row(unsigned k, const size_t *lengths, size_t count)
{
    for (size_t i = 0; i < figures.transforms.rows; i++) {
        const dft_row row = dft_row_at(i);
        if (row.k == k && wanted(lengths, count, points(&row))) {
            return true;
        }
    }
    return false;
}

void check_papers_lengths(const settings *s, gfp_field *const *fields)
{
    for (size_t i = 0; i < s->length_count && read_figures(); i++) {
        size_t j = 0;
        while (j < s->field_count && !has_row(gfp_field_k(fields[j]), &s->lengths[i], 1)) {
            j++;
        }
        if (j == s->field_count) {
            complain("no row of the papers' tables has N = %zu for these fields", s->lengths[i]);
        }
    }
}

static bool bench_transforms(const settings *s, const gfp_field *field, report *r)
{
    bool ok = true;

    if (!has_row(gfp_field_k(field), s->lengths, s->length_count)) {
        return true;
    }
    printf("%s, DFT of N = K^e, ms\n  %3s %2s %8s %11s %11s %11s %8s %8s   %11s %11s %8s\n",
           gfp_field_name(field), "K", "e", "N", "six-step", "default", "by GMP", "GMP/six",
           "GMP/def", "published", "by GMP", "ratio");
    for (size_t i = 0; i < figures.transforms.rows && ok; i++) {
        const dft_row row = dft_row_at(i);
        const size_t n = points(&row);
        if (row.k != gfp_field_k(field) || !wanted(s->lengths, s->length_count, n)) {
            continue;
        }
        job w;
        ok = job_init(&w, field, n, s->seed);
        if (ok) {
            ok = check_transforms(&w) && time_row(s, &w, &row, r);
            job_clear(&w);
        }
    }
    return ok;
}

/* ---- products ---- */

/* Operands that stay in the cache. */
#define VECTOR 64

typedef struct operands {
    gmp_dft baseline;
    uint64_t *x, *y, *z;
    mp_limb_t *a, *b, *c;
} operands;

static bool run_gmp_products(void *context)
{
    operands *v = context;
    const size_t l = v->baseline.limbs;

    for (size_t i = 0; i < VECTOR; i++) {
        gmp_dft_mul(&v->baseline, v->c + i * l, v->a + i * l, v->b + i * l);
    }
    return true;
}

static void operands_clear(operands *v)
{
    free(v->x);
    free(v->a);
    gmp_dft_clear(&v->baseline);
}

static bool operands_init(operands *v, const gfp_field *field, uint64_t seed)
{
    const size_t words = VECTOR * (size_t)gfp_field_k(field);
    gfp_random g;

    *v = (operands){.x = NULL};
    const bool started = gmp_dft_init(&v->baseline, field, 2 * (size_t)gfp_field_k(field));
    v->x = calloc(3 * words, sizeof(uint64_t));
    v->a = calloc(3 * VECTOR, gfp_field_limbs(field) * sizeof(mp_limb_t));
    if (!started || v->x == NULL || v->a == NULL) {
        operands_clear(v);
        return complain("no memory for products");
    }
    v->y = v->x + words;
    v->z = v->y + words;
    v->b = v->a + VECTOR * v->baseline.limbs;
    v->c = v->b + VECTOR * v->baseline.limbs;
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, v->x, VECTOR, &g);
    gfp_vec_random(field, v->y, VECTOR, &g);
    gmp_dft_from_digits(&v->baseline, v->a, v->x, VECTOR);
    gmp_dft_from_digits(&v->baseline, v->b, v->y, VECTOR);
    return true;
}

/* Checks that GMP's products are the library's. */
static bool check_products(operands *v)
{
    const gfp_field *field = v->baseline.field;

    run_gmp_products(v);
    gfp_vec_mul(field, v->z, v->x, v->y, VECTOR);
    gmp_dft_to_digits(&v->baseline, v->x, v->c, VECTOR);
    return gfp_vec_equal(field, v->x, v->z, VECTOR) ||
           complain("%s: our product and GMP's differ", gfp_field_name(field));
}

static void print_product(const char *name, double ns, double gmp, double published)
{
    printf("  %-22s %11.2f %8.3f ", name, ns, ns / gmp);
    if (published > 0) {
        printf("%11.0f\n", published);
    } else {
        printf("%11s\n", "-");
    }
}

/* Times the library's product and its steps, then GMP's product, which is the last record. */
static bool time_products(const settings *s, operands *v, const product_row *row, report *r)
{
    const gfp_field *field = v->baseline.field;
    const size_t first = r->count;
    timing steps[PRODUCT_STEPS];
    double gmp;

    progress(gfp_field_name(field), "products", 0);
    if (!time_product_steps(s, field, steps)) {
        return false;
    }
    for (size_t i = 0; i < PRODUCT_STEPS; i++) {
        record *x = report_add(r, "papers-product", gfp_field_name(field), product_step_names[i]);
        if (x == NULL) {
            return false;
        }
        x->time = steps[i];
        x->published_ns = row->steps[i];
    }
    if (!time_one(s, "papers-product", field, "gmp", 0, row->gmp, run_gmp_products, v, r, &gmp)) {
        return false;
    }
    record *last = &r->records[r->count - 1];
    last->time = timing_divide(last->time, VECTOR);
    fill_ratios(r, first);
    printf("%s, 10^6 products in the field, ms\n  %-22s %11s %8s %11s\n", gfp_field_name(field), "",
           "min", "/ GMP", "published");
    for (size_t i = first; i < r->count; i++) {
        const record *x = &r->records[i];
        print_product(x->name, x->time.min_ns, last->time.min_ns, x->published_ns);
    }
    return true;
}

static bool bench_products(const settings *s, const gfp_field *field, report *r)
{
    const product_row row = product_row_of(gfp_field_k(field));
    operands v;

    if (!operands_init(&v, field, s->seed)) {
        return false;
    }
    const bool ok = check_products(&v) && time_products(s, &v, &row, r);
    operands_clear(&v);
    return ok;
}

bool time_gmp_product(const settings *s, const gfp_field *field, timing *t)
{
    operands v;

    if (!operands_init(&v, field, s->seed)) {
        return false;
    }
    const bool ok = check_products(&v) && measure(t, s->seconds, run_gmp_products, &v);
    operands_clear(&v);
    *t = timing_divide(*t, VECTOR);
    return ok;
}

bool bench_papers(const settings *s, const gfp_field *field, report *r)
{
    if (!in_papers(gfp_field_k(field))) {
        return complain("%s: the papers have no table for k = %u", gfp_field_name(field),
                        gfp_field_k(field));
    }
    return read_figures() && bench_products(s, field, r) && bench_transforms(s, field, r);
}
