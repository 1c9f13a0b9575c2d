/* lab.h: products by the methods on a GPU from and to host memory, over the backend `host'
 * (tests/lab/fake_device/device.h): factors, and what several tests share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_PRODUCT_DEVICE_LAB_H
#define TESTS_PRODUCT_DEVICE_LAB_H

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/tunings.h"
#include "lab/fake_device/device.h"
#include "gfpoly/file.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "product/choose/tuning.h"
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "product/operand/lab.h"
#include "lab/sanitized.h"

/* Tests every STEP-th order of queues and failing call. */
#define STEP (SANITIZED ? 3 : 1)

#define MEMORY ((size_t)1 << 30)
static const char *const names[] = {"bigfft_gpu", "hybrid_gpu", "multimodular_gpu"};

static inline void lab_begin(size_t memory)
{
    gfp_gpu_pool_release();
    fake_reset(memory);
}

/* Checks that no object is left, and that no product read memory that was never written. */
static inline void lab_finish(void)
{
    gfp_gpu_pool_release();
    assert_false(fake_misread());
    assert_int_equal(fake_alive(), 0);
}

/* Two random factors, their product by the CPU, and one to be computed. */
typedef struct factors {
    const lab *l;
    gfp_poly a, b, c, expected;
    const gfp_tuning *tuning; /* for products in threads, which name no method then; or NULL */
} factors;

static inline void lab_draw(factors *f, const lab *l, size_t len_a, size_t len_b)
{
    const gfp_options options = {.method = "hybrid"};
    gfp_random g;
    gfp_random_seed(&g, len_a + 1000 * len_b);
    f->l = l;
    f->tuning = NULL;
    gfp_poly_init(&f->a, l->field);
    gfp_poly_init(&f->b, l->field);
    gfp_poly_init(&f->c, l->field);
    gfp_poly_init(&f->expected, l->field);
    assert_int_equal(gfp_poly_random(&f->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&f->b, len_b, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&f->expected, &f->a, &f->b, &options), GFP_OK);
}

static inline void lab_drop(factors *f)
{
    gfp_poly_clear(&f->a);
    gfp_poly_clear(&f->b);
    gfp_poly_clear(&f->c);
    gfp_poly_clear(&f->expected);
}

static inline void expect_product(const factors *f, gfp_status status, const gfp_error *error)
{
    if (status != GFP_OK) {
        fail_msg("%s, %zu by %zu: %s", f->l->entry->text, f->a.len, f->b.len, error->message);
    }
    assert_true(gfp_poly_equal(&f->c, &f->expected));
}

/* ---- products ---- */

static inline void check_parts(const factors *x, const gfp_options *options)
{
    static const size_t parts[][2] = {{0, 1}, {0, 100}, {99, 100}, {150, 1}, {120, 5}, {200, 1000}};
    const gfp_options cpu = {.method = "hybrid"};
    gfp_poly c, expected;
    gfp_poly_init(&c, x->l->field);
    gfp_poly_init(&expected, x->l->field);
    for (size_t i = 0; LAB_ROW(parts, i); i++) {
        const size_t from = parts[i][0], n = parts[i][1];
        gfp_status status = gfp_poly_mulmid(&c, &x->a, &x->b, from, n, options);
        lab_expect_status(status, GFP_OK, options->error, "a part");
        assert_int_equal(gfp_poly_mulmid(&expected, &x->a, &x->b, from, n, &cpu), GFP_OK);
        assert_true(gfp_poly_equal(&c, &expected));
    }
    assert_int_equal(gfp_poly_mullow(&c, &x->a, &x->b, 77, options), GFP_OK);
    assert_int_equal(gfp_poly_mullow(&expected, &x->a, &x->b, 77, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&c, &expected));
    assert_int_equal(gfp_poly_mulhigh(&c, &x->a, &x->b, 77, options), GFP_OK);
    assert_int_equal(gfp_poly_mulhigh(&expected, &x->a, &x->b, 77, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&c, &expected));
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

/* ---- batches ---- */

static inline void check_batch(const lab *l, const gfp_batch *batch, bool square,
                               const gfp_options *options)
{
    const size_t n = batch->count, k = l->k;
    const size_t step_a = batch->stride_a != 0 ? batch->stride_a : batch->len_a;
    const size_t step_b = batch->stride_b != 0 ? batch->stride_b : batch->len_b;
    const size_t len_c = batch->len_a + batch->len_b - 1;
    const size_t step_c = batch->stride_c != 0 ? batch->stride_c : len_c;
    const gfp_options cpu = {.method = "hybrid"};
    uint64_t *a = lab_array((n * step_a + batch->len_a) * k);
    uint64_t *b = lab_array((n * step_b + batch->len_b) * k);
    uint64_t *c = lab_array(n * step_c * k), *expected = lab_array(n * step_c * k);
    gfp_random g;
    gfp_random_seed(&g, n);
    gfp_vec_random(l->field, a, n * step_a + batch->len_a, &g);
    gfp_vec_random(l->field, b, n * step_b + batch->len_b, &g);
    memset(c, 0, n * step_c * k * sizeof *c);
    memset(expected, 0, n * step_c * k * sizeof *c);
    gfp_status status = gfp_vec_mul_batch(l->field, expected, a, square ? a : b, batch, &cpu);
    assert_int_equal(status, GFP_OK);
    status = gfp_vec_mul_batch(l->field, c, a, square ? a : b, batch, options);
    lab_expect_status(status, GFP_OK, options->error, "a batch");
    assert_memory_equal(c, expected, n * step_c * k * sizeof *c);
    lab_free(a);
    lab_free(b);
    lab_free(c);
    lab_free(expected);
}

/* ---- faults ---- */

/* A tuning that makes the GPU the pick for such lengths. */
static inline gfp_tuning *in_favour_of(const char *method, const gfp_field *field)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const double ns = strcmp(gfp_method_name(i), method) == 0 ? 1000 : 1e7;
        assert_int_equal(lab_tuning_set(tuning, field, 128, gfp_method_name(i), ns), GFP_OK);
    }
    return tuning;
}

static inline gfp_tuning *in_favour_of_the_gpu(const gfp_field *field)
{
    return in_favour_of("hybrid_gpu", field);
}

/* Opens the device, which is known from now on. */
static inline void lab_ask(const lab *l)
{
    gfp_method_info info;
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 1, .len_b = 1}, l->field, NULL),
                     GFP_OK);
}

/* A product of which the nth call of the device fails (0: none), by a named method (forced) or the
 * pick. Returns whether a fault occurred: the product may make fewer calls. */
typedef bool fault_check(factors *x, fake_fault fault, size_t nth, bool forced,
                         const gfp_tuning *tuning);

/* Kinds up to `last`, on a new device and one with a plan; a product without a fault follows each.
 * Returns the number of faults. */
static inline size_t for_each_fault(factors *x, const gfp_tuning *tuning, fake_fault last,
                                    void (*begin)(const lab *l), fault_check *check)
{
    size_t failures = 0;
    for (int fault = FAKE_MEMORY; fault <= (int)last; fault++) {
        for (int way = 0; way < 4; way++) {
            const bool forced = way % 2 != 0, warm = way / 2 != 0;
            bool more = true;
            for (size_t nth = 1; more; nth += STEP) {
                begin(x->l);
                if (warm) {
                    check(x, FAKE_ONCE, 0, forced, tuning);
                }
                more = check(x, (fake_fault)fault, nth, forced, tuning);
                failures += more;
                check(x, FAKE_ONCE, 0, false, tuning);
            }
        }
    }
    return failures;
}

/* ---- cached contexts and plans ---- */

#endif
