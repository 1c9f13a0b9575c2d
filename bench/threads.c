/* bench/threads.c: products on 1, 2, 4, 8 and 16 threads by every method, and batches of short
 * products: times, and speed relative to one thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static const unsigned counts[] = {1, 2, 4, 8, 16};
#define COUNTS (sizeof counts / sizeof counts[0])

typedef struct problem {
    const gfp_field *field;
    gfp_poly a, b, c, reference;
    gfp_options options;
    gfp_error error;
    /* If set, a batch of products; a and b then hold all factors. */
    gfp_batch batch;
    uint64_t *products;
} problem;

static bool run_product(void *context)
{
    problem *p = context;

    if (p->batch.count > 0) {
        return gfp_vec_mul_batch(p->field, p->products, p->a.digits, p->b.digits, &p->batch,
                                 &p->options) == GFP_OK;
    }
    return gfp_poly_mul(&p->c, &p->a, &p->b, &p->options) == GFP_OK;
}

static void problem_clear(problem *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->c);
    gfp_poly_clear(&p->reference);
    free(p->products);
}

static bool problem_init(problem *p, const gfp_field *field, size_t len, uint64_t seed)
{
    gfp_random g;

    *p = (problem){.field = field};
    gfp_poly_init(&p->a, field);
    gfp_poly_init(&p->b, field);
    gfp_poly_init(&p->c, field);
    gfp_poly_init(&p->reference, field);
    gfp_random_seed(&g, seed);
    if (gfp_poly_random(&p->a, len, &g) == GFP_OK && gfp_poly_random(&p->b, len, &g) == GFP_OK) {
        return true;
    }
    problem_clear(p);
    return complain("%s, length %zu: no memory", gfp_field_name(field), len);
}

/* Prints a line: the times on 1, 2, ... threads, divided by `per`, and their ratios to the first.
 */
static bool bench_line(const settings *s, problem *p, const char *name, size_t len, double per,
                       report *r)
{
    double first = 0;
    char label[60];

    printf("  %-24s", name);
    for (size_t i = 0; i < COUNTS; i++) {
        timing t;
        p->options.threads = counts[i];
        progress(gfp_field_name(p->field), name, len);
        if (!run_product(p) || !measure(&t, s->seconds, run_product, p)) {
            return complain("%s, length %zu, %s, %u threads: %s", gfp_field_name(p->field), len,
                            name, counts[i], p->error.message);
        }
        progress_end();
        if (p->batch.count == 0 && !gfp_poly_equal(&p->c, &p->reference)) {
            return complain("%s, length %zu, %s, %u threads: the product is wrong",
                            gfp_field_name(p->field), len, name, counts[i]);
        }
        first = i == 0 ? t.min_ns : first;
        printf(" %10.4f x%-5.2f", t.min_ns / per / 1e6, first / t.min_ns);
        fflush(stdout);
        snprintf(label, sizeof(label), "%s, %u threads", name, counts[i]);
        record *x = report_add(r, "threads", gfp_field_name(p->field), label);
        if (x == NULL) {
            return false;
        }
        x->len_a = x->len_b = len;
        x->time = t;
    }
    printf("\n");
    return true;
}

static bool bench_length(const settings *s, const gfp_field *field, size_t len, report *r)
{
    problem p;
    bool ok = problem_init(&p, field, len, s->seed);

    if (!ok) {
        return false;
    }
    p.options = (gfp_options){.error = &p.error, .threads = 1, .verify = GFP_VERIFY_POINT};
    if (gfp_poly_mul(&p.reference, &p.a, &p.b, &p.options) != GFP_OK) {
        problem_clear(&p);
        return complain("%s, length %zu: %s", gfp_field_name(field), len, p.error.message);
    }
    p.options.verify = GFP_VERIFY_NONE;
    printf("%s, length %zu: ms by 1, 2, 4, 8, 16 threads\n", gfp_field_name(field), len);
    for (size_t i = 0; i < gfp_method_count() && ok; i++) {
        gfp_method_info info;
        const gfp_problem product = {.len_a = len, .len_b = len};
        p.options.method = gfp_method_name(i);
        ok = gfp_method_query(&info, i, &product, field, NULL) == GFP_OK;
        if (ok && info.available && info.estimate_ns <= s->limit * 1e9) {
            ok = bench_line(s, &p, info.name, len, 1, r);
        }
    }
    problem_clear(&p);
    return ok;
}

/* The number of products of a batch that takes some milliseconds on one thread. */
static size_t batch_count(const gfp_field *field, size_t len)
{
    const size_t count = ((size_t)1 << 20) / (len * gfp_field_k(field));
    return count < 16 ? 16 : count;
}

/* Compares the last product of the batch with another method's. */
static bool check_batch(problem *p, size_t len)
{
    const size_t k = gfp_field_k(p->field), last = p->batch.count - 1, all = 2 * len - 1;
    const gfp_batch one = {.count = 1, .len_a = len, .len_b = len};
    const gfp_options other = {.method = "karatsuba", .error = &p->error, .threads = 1};
    uint64_t *expected = calloc(all * k, sizeof(*expected));
    const bool right = expected != NULL && run_product(p) &&
                       gfp_vec_mul_batch(p->field, expected, p->a.digits + last * len * k,
                                         p->b.digits + last * len * k, &one, &other) == GFP_OK &&
                       gfp_vec_equal(p->field, expected, p->products + last * all * k, all);

    free(expected);
    return right ||
           complain("%s, a batch of products of length %zu: wrong", gfp_field_name(p->field), len);
}

static bool bench_batch(const settings *s, const gfp_field *field, size_t len, report *r)
{
    const size_t count = batch_count(field, len);
    char name[40];
    timing single;
    problem p;

    if (!problem_init(&p, field, len, s->seed)) {
        return false;
    }
    p.options = (gfp_options){.error = &p.error, .threads = 1};
    bool ok = measure(&single, s->seconds, run_product, &p);
    problem_clear(&p);
    if (!ok || !problem_init(&p, field, len * count, s->seed)) {
        return false;
    }
    p.options = (gfp_options){.error = &p.error, .threads = 1};
    p.batch = (gfp_batch){.count = count, .len_a = len, .len_b = len};
    p.products = calloc(count * (2 * len - 1) * gfp_field_k(field), sizeof(*p.products));
    snprintf(name, sizeof(name), "batch of %zu", count);
    /* A random factor may end with a zero, but its memory holds all coefficients. */
    ok = p.products != NULL && check_batch(&p, len) &&
         bench_line(s, &p, name, len, (double)count, r);
    printf("  %-24s %10.4f\n", "one by one", single.min_ns / 1e6);
    problem_clear(&p);
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
