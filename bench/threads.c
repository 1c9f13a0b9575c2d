/* bench/threads.c: times by several threads and their ratios to one thread's: products by every
 * method on 1, 2, 4, 8 and 16 threads, and batches of short products; other calls by one thread and
 * by several, in turns.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/operations.h"
#include "bench/product.h"

static const unsigned counts[] = {1, 2, 4, 8, 16};
#define COUNTS (sizeof counts / sizeof counts[0])

/* Prints a line: the times on 1, 2, ... threads, which *options name, and their ratios to the
 * first. `right` runs once and compares. */
static bool bench_line(const settings *s, const timed_row *row, gfp_options *options,
                       bool (*right)(void *context), bool (*run)(void *context), void *context,
                       report *r)
{
    double first = 0;
    char label[60];

    printf("  %-24s", row->name);
    for (size_t i = 0; i < COUNTS; i++) {
        timed_row f = *row;
        options->threads = counts[i];
        snprintf(label, sizeof(label), "%s, %u threads", row->name, counts[i]);
        f.name = label;
        const record *x = right(context) ? take_timed_row(s, r, &f, run, context) : NULL;
        if (x == NULL) {
            return false;
        }
        first = i == 0 ? x->time.min_ns : first;
        printf(" %10.4f x%-5.2f", x->time.min_ns / 1e6, first / x->time.min_ns);
        fflush(stdout);
    }
    printf("\n");
    return true;
}

static bool product_agrees(void *context)
{
    product *p = context;

    return product_right(p, p->options.method);
}

static bool bench_length(const settings *s, const gfp_field *field, size_t len, report *r)
{
    product p;
    bool ok = product_init(&p, field, len, s->seed);

    if (!ok) {
        return false;
    }
    printf("%s, length %zu: ms by 1, 2, 4, 8, 16 threads\n", gfp_field_name(field), len);
    for (size_t i = 0; i < gfp_method_count() && ok; i++) {
        gfp_method_info info;
        const gfp_problem asked = {.len_a = len, .len_b = len};
        const timed_row f = {.section = "threads",
                             .field = gfp_field_name(field),
                             .name = gfp_method_name(i),
                             .len_a = len,
                             .len_b = len,
                             .error = &p.error};
        p.options.method = f.name;
        ok = gfp_method_query(&info, i, &asked, field, NULL) == GFP_OK;
        if (ok && info.available && info.estimate_ns <= s->limit * 1e9) {
            ok = bench_line(s, &f, &p.options, product_agrees, product_run, &p, r);
        }
    }
    product_clear(&p);
    return ok;
}

/* Many products of random factors in one call. */
typedef struct many {
    const gfp_field *field;
    gfp_batch batch;
    gfp_options options;
    gfp_error error;
    uint64_t *a, *b, *products, *expected; /* one allocation; expected: the last product */
} many;

/* The number of products of a batch that takes some milliseconds on one thread. */
static size_t batch_count(const gfp_field *field, size_t len)
{
    const size_t count = ((size_t)1 << 20) / (len * gfp_field_k(field));
    return count < 16 ? 16 : count;
}

static bool run_many(void *context)
{
    many *m = context;

    return gfp_vec_mul_batch(m->field, m->products, m->a, m->b, &m->batch, &m->options) == GFP_OK;
}

/* Compares the last product of the batch with another method's. */
static bool many_agree(void *context)
{
    many *m = context;
    const size_t k = gfp_field_k(m->field), len = m->batch.len_a, all = 2 * len - 1;
    const size_t last = m->batch.count - 1;
    const gfp_batch one = {.count = 1, .len_a = len, .len_b = len};
    const gfp_options other = {.method = "karatsuba", .error = &m->error, .threads = 1};

    return (run_many(m) &&
            gfp_vec_mul_batch(m->field, m->expected, m->a + last * len * k, m->b + last * len * k,
                              &one, &other) == GFP_OK &&
            gfp_vec_equal(m->field, m->expected, m->products + last * all * k, all)) ||
           complain("%s, a batch of products of length %zu: wrong", gfp_field_name(m->field), len);
}

static bool bench_batch(const settings *s, const gfp_field *field, size_t len, report *r)
{
    const size_t k = gfp_field_k(field), count = batch_count(field, len), words = count * len * k;
    char name[40];
    timing single;
    product p;
    many m = {.field = field, .batch = {.count = count, .len_a = len, .len_b = len}};
    const timed_row f = {.section = "threads",
                         .field = gfp_field_name(field),
                         .name = name,
                         .len_a = len,
                         .len_b = len,
                         .per = (double)count,
                         .error = &m.error};

    if (!product_init(&p, field, len, s->seed)) {
        return false;
    }
    p.options.threads = 1;
    bool ok = measure(&single, s->seconds, product_run, &p);
    product_clear(&p);
    m.options.verify = GFP_VERIFY_NONE;
    m.options.error = &m.error;
    m.a = calloc(4 * words + 2 * len * k, sizeof(*m.a));
    if (m.a == NULL) {
        return complain("no memory");
    }
    m.b = m.a + words;
    m.products = m.b + words;
    m.expected = m.products + 2 * words;
    gfp_random g;
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, m.a, 2 * count * len, &g);
    snprintf(name, sizeof(name), "batch of %zu", count);
    ok = ok && bench_line(s, &f, &m.options, many_agree, run_many, &m, r);
    printf("  %-24s %10.4f\n", "one by one", single.min_ns / 1e6);
    free(m.a);
    return ok;
}

bool bench_threads(const settings *s, const gfp_field *field, report *r)
{
    static const size_t batches[] = {16, 64, 256, 1024};
    bool ok = true;

    for (size_t i = 0; i < s->length_count && ok; i++) {
        ok = bench_length(s, field, s->lengths[i], r);
    }
    for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]) && ok; i++) {
        printf("%s, products of length %zu in one call: ms each\n", gfp_field_name(field),
               batches[i]);
        ok = bench_batch(s, field, batches[i], r);
    }
    return ok;
}

/* ---- by one thread and by several, in turns ---- */

#define MOST_ROUNDS 401
#define LEAST_ROUNDS 5

void print_turns_head(unsigned threads)
{
    printf("ms by 1 and by %u threads in turns: least times, medians, runs\n", threads);
}

bool take_turns(const settings *s, report *r, const timed_row *f, unsigned threads, turn_body run,
                void *context)
{
    const unsigned by[2] = {1, threads};
    double times[2][MOST_ROUNDS], spent = 0;
    timing t[2];
    size_t rounds = 0;
    char label[60];
    bool ok = true;

    progress(f->field, f->name, f->len_a);
    while (rounds < MOST_ROUNDS && (rounds < LEAST_ROUNDS || spent < 2e9 * s->seconds)) {
        for (size_t i = 0; i < 2 && ok; i++) {
            ok = run(context, by[i], &times[i][rounds]);
            spent += times[i][rounds];
        }
        if (!ok) {
            return complain("%s, length %zu, %s: failed, or threads give another result", f->field,
                            f->len_a, f->name);
        }
        rounds++;
    }
    progress_end();
    printf("  %-18s", f->name);
    for (size_t i = 0; i < 2 && ok; i++) {
        t[i] = timing_of(times[i], rounds, 1);
        snprintf(label, sizeof(label), "%s, %u thread%s", f->name, by[i], i == 0 ? "" : "s");
        record *x = report_add(r, f->section, f->field, label);
        ok = x != NULL;
        if (ok) {
            x->len_a = f->len_a;
            x->len_b = f->len_b;
            x->time = t[i];
        }
    }
    printf(" %11.4f %11.4f x%-5.2f %11.4f %11.4f x%-5.2f %6zu\n", t[0].min_ns / 1e6,
           t[1].min_ns / 1e6, t[0].min_ns / t[1].min_ns, t[0].median_ns / 1e6, t[1].median_ns / 1e6,
           t[0].median_ns / t[1].median_ns, rounds);
    fflush(stdout);
    return ok;
}

/* An operation, and its result by one thread. */
typedef struct operation_job {
    problem w;
    gfp_poly expected;
} operation_job;

static bool operation_by(void *context, unsigned threads, double *ns)
{
    operation_job *j = context;

    j->w.options.threads = threads;
    const uint64_t start = clock_ns();
    const bool ok = problem_run(&j->w);
    *ns = (double)(clock_ns() - start);
    return ok && gfp_poly_equal(&j->w.c, &j->expected);
}

static bool bench_operation(const settings *s, const gfp_field *field, size_t n, const operation *o,
                            report *r)
{
    const operands how = {.seed = s->seed};
    const timed_row f = {.section = "threads",
                         .field = gfp_field_name(field),
                         .name = o->name,
                         .len_a = n,
                         .len_b = n};
    operation_job j;

    if (!problem_init(&j.w, o, field, n, &how)) {
        return false;
    }
    gfp_poly_init(&j.expected, field);
    j.w.options.threads = 1;
    const bool ok =
        ((problem_run(&j.w) && gfp_poly_set(&j.expected, &j.w.c) == GFP_OK) ||
         complain("%s, %s of length %zu: %s", f.field, o->name, n, j.w.error.message)) &&
        take_turns(s, r, &f, s->toolkit_threads, operation_by, &j);
    gfp_poly_clear(&j.expected);
    problem_clear(&j.w);
    return ok;
}

bool bench_toolkit_threads(const settings *s, const gfp_field *field, report *r)
{
    for (size_t i = 0; i < s->length_count; i++) {
        printf("%s, n = %zu: ", gfp_field_name(field), s->lengths[i]);
        print_turns_head(s->toolkit_threads);
        for (size_t j = 0; j < operation_count; j++) {
            if ((s->operations >> j & 1) != 0 &&
                !bench_operation(s, field, s->lengths[i], &operations[j], r)) {
                return false;
            }
        }
    }
    return true;
}
