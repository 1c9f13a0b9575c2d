/* lengths.c: transforms of lengths that are no powers of two against the definition; each kind of
 * axis by itself; refusals.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "fft/axes.h"
#include "lab/convolve.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/base/support.h"
#include "fft/task.h"

/* Powers in fields of more digits take too long for many lengths. */
#define SLOW_K 64

static uint64_t *random_vector(const lab *l, size_t n, uint64_t seed)
{
    uint64_t *x = lab_array(n * l->k);
    for (size_t i = 0; i < n; i++) {
        oracle_random_element(&l->o, x + i * l->k, &seed);
    }
    return x;
}

/* y := the transform of x at root, by the definition. */
static void lengths_define(const lab *l, uint64_t *y, const uint64_t *x, size_t n,
                           const uint64_t *root)
{
    mpz_t *in = oracle_vec_new(n), *out = oracle_vec_new(n), w;
    mpz_init(w);
    oracle_get(&l->o, w, root);
    oracle_vec_get(&l->o, in, x, n);
    oracle_dft(&l->o, out, in, n, w);
    oracle_vec_set(&l->o, y, out, n);
    mpz_clear(w);
    oracle_vec_free(in, n);
    oracle_vec_free(out, n);
}

static bool divides_order(const lab *l, size_t n)
{
    mpz_t m;
    mpz_init(m);
    mpz_sub_ui(m, l->o.p, 1);
    const bool divides = mpz_divisible_ui_p(m, n) != 0;
    mpz_clear(m);
    return divides;
}

/* Whether the order of root is n. */
static void expect_order(const lab *l, const uint64_t *root, size_t n)
{
    mpz_t w, z;
    mpz_inits(w, z, NULL);
    oracle_get(&l->o, w, root);
    for (size_t d = 1; d <= n; d++) {
        if (n % d != 0) {
            continue;
        }
        mpz_powm_ui(z, w, d, l->o.p);
        if ((mpz_cmp_ui(z, 1) == 0) != (d == n)) {
            fail_msg("%s: the root of order %zu has order %zu", l->entry->text, n, d);
        }
    }
    mpz_clears(w, z, NULL);
}

/* ---- a plan and a transform that is known ---- */

typedef struct known {
    const lab *l;
    const gfp_fft_plan *plan;
    size_t n;
    const uint64_t *x, *natural;
} known;

static void expect_equal(const known *t, const uint64_t *z, const uint64_t *x, const char *what)
{
    lab_expect_digits(t->l, z, x, t->n, what, t->n, 0);
}

/* Both orders, forward and back, out of place and in place, by 1 and by 3 threads. */
static void expect_transform(const known *t)
{
    const gfp_field *field = t->l->field;
    uint64_t *y = lab_array(t->n * t->l->k), *z = lab_array(t->n * t->l->k);
    for (unsigned threads = 1; threads < 4; threads += 2) {
        const gfp_options o = {.threads = threads};
        assert_int_equal(gfp_fft_run(y, t->x, GFP_FORWARD, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, y, t->natural, "forward");
        assert_int_equal(gfp_fft_run(z, y, GFP_INVERSE, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->x, "inverse");
        assert_int_equal(gfp_fft_run(z, z, GFP_FORWARD, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->natural, "forward in place");
        assert_int_equal(gfp_fft_run(z, z, GFP_INVERSE, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->x, "inverse in place");
        assert_int_equal(gfp_fft_run(y, t->x, GFP_FORWARD, GFP_ORDER_PERMUTED, t->plan, &o),
                         GFP_OK);
        gfp_vec_set(field, z, t->x, t->n);
        assert_int_equal(gfp_fft_run(z, z, GFP_FORWARD, GFP_ORDER_PERMUTED, t->plan, &o), GFP_OK);
        expect_equal(t, z, y, "permuted in place");
        assert_int_equal(gfp_fft_run(z, y, GFP_INVERSE, GFP_ORDER_PERMUTED, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->x, "inverse, permuted");
    }
    lab_free(y);
    lab_free(z);
}

/* The permuted order has the values of the natural one: the square of x, cyclically. */
static void expect_square(const known *t)
{
    uint64_t *c = lab_array(t->n * t->l->k), *d = lab_array(t->n * t->l->k);
    assert_int_equal(lab_convolve(c, t->x, t->x, t->n, GFP_ORDER_PERMUTED, t->plan), GFP_OK);
    gfp_vec_mul(t->l->field, d, t->natural, t->natural, t->n);
    assert_int_equal(gfp_fft_run(d, d, GFP_INVERSE, GFP_ORDER_NATURAL, t->plan, NULL), GFP_OK);
    expect_equal(t, c, d, "square");
    lab_free(c);
    lab_free(d);
}

/* root := the canonical root of order n, the product of those of the prime powers of n. */
static void canonical_root(const lab *l, uint64_t *root, size_t n)
{
    uint64_t prime[GFP_MAX_FACTORS], part[GFP_MAX_K];
    const unsigned count = gfp_factor(n, prime);
    gfp_elem_one(l->field, root);
    for (unsigned i = 0; i < count; i++) {
        unsigned exponent = 0;
        for (size_t left = n; left % prime[i] == 0; left /= prime[i]) {
            exponent++;
        }
        assert_int_equal(gfp_fft_prime_power_root(l->field, part, prime[i], exponent), GFP_OK);
        gfp_elem_mul(l->field, root, root, part);
    }
}

static void check_length(const lab *l, size_t n)
{
    gfp_fft_plan *plan = NULL;
    uint64_t *root = lab_array(l->k), *x = random_vector(l, n, n), *y = lab_array(n * l->k);
    canonical_root(l, root, n);
    expect_order(l, root, n);
    assert_int_equal(gfp_fft_plan_create(&plan, l->field, n, NULL), GFP_OK);
    assert_int_equal(gfp_fft_plan_length(plan), n);
    assert_true(gfp_fft_plan_bytes(plan) > sizeof(gfp_fft_plan));
    lengths_define(l, y, x, n, root);
    const known t = {l, plan, n, x, y};
    expect_transform(&t);
    if ((n & (n - 1)) != 0) {
        assert_int_equal(gfp_fft_run(y, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan,
                                     &(gfp_options){.method = "six-step"}),
                         GFP_ERR_NO_ROOT);
        expect_square(&t);
    }
    gfp_fft_plan_destroy(plan);
    lab_free(root);
    lab_free(x);
    lab_free(y);
}

/* Every length up to a limit that divides p - 1; the others are refused. */
static void lengths_agree_with_the_definition(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        if (l->k > SLOW_K) {
            continue;
        }
        const size_t most = (l->entry->named ? 400 : 200) / l->k / (1 + SANITIZED);
        for (size_t n = 1; n < most + 20; n++) {
            gfp_fft_plan *plan = NULL;
            gfp_error error = {0};
            if (divides_order(l, n) && (n < most || n % 2 == 1)) {
                check_length(l, n);
            } else if (!divides_order(l, n)) {
                lab_expect_status(gfp_fft_plan_create(&plan, l->field, n, &error), GFP_ERR_NO_ROOT,
                                  &error, "a length that does not divide p - 1");
                assert_non_null(strstr(error.message, "does not divide p - 1"));
                assert_null(plan);
            }
        }
    }
}

/* Longer ones, with many levels of radices, long chirps, and several primes. */
static void longer_lengths_agree_with_the_definition(void **state)
{
    static const struct {
        const char *field;
        size_t n;
    } cases[] = {{"p8", 729},           {"p8", 3 * 256}, {"p8", 59 * 12},
                 {"p8", 1770 / 10 * 3}, {"p2", 625},     {"p2", 41 * 20},
                 {"p2", 1681},          {"p4", 127 * 3}, {"p4", 43 * 8}};
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const lab *l = lab_named(cases[i].field);
        if (!SANITIZED || cases[i].n < 500) {
            check_length(l, cases[i].n);
        }
    }
}

/* ---- each kind of axis ---- */

/* One axis of this kind, along columns of a matrix of L x `stride` elements, moved in groups. */
static void check_kind(const lab *l, const gfp_fft_axis_kind *kind, size_t prime, unsigned exponent,
                       size_t stride)
{
    const size_t k = l->k;
    gfp_fft_axis axis = {.kind = kind, .field = l->field, .stride = stride, .prime = prime};
    axis.length = 1;
    for (unsigned i = 0; i < exponent; i++) {
        axis.length *= prime;
    }
    const size_t length = axis.length, n = length * stride;
    if (!(kind->units(&axis) < 1e300)) {
        return; /* no convolution is long enough */
    }
    uint64_t *root = lab_array(k), *x = random_vector(l, n, 3), *column = lab_array(length * k);
    uint64_t *y = lab_array(length * k), *z = lab_array(n * k);
    assert_int_equal(gfp_fft_prime_power_root(l->field, root, prime, exponent), GFP_OK);
    assert_int_equal(kind->prepare(&axis, root, NULL), GFP_OK);
    uint64_t *work = lab_array(kind->words(&axis));
    const size_t columns = axis.columns < stride ? axis.columns : stride;
    for (size_t i = 0; i < length; i++) {
        memcpy(z + i * columns * k, x + i * stride * k, columns * k * sizeof *z);
    }
    assert_true(kind->run(&axis, z, columns, false, false, work, NULL));
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < length; i++) {
            gfp_elem_set(l->field, column + i * k, x + (i * stride + c) * k);
        }
        lengths_define(l, y, column, length, root);
        for (size_t i = 0; i < length; i++) {
            gfp_elem_set(l->field, column + i * k, z + (i * columns + c) * k);
        }
        lab_expect_digits(l, column, y, length, kind->name, length, c);
    }
    gfp_fft_plan_destroy(axis.inner);
    gfp_release(gfp_field_allocator(l->field), axis.table, axis.entries, k * sizeof *axis.table);
    lab_free(root);
    lab_free(x);
    lab_free(column);
    lab_free(y);
    lab_free(z);
    lab_free(work);
}

/* Whichever kind is chosen, both kinds of odd axes give the definition's values. */
static void kinds_agree_with_the_definition(void **state)
{
    static const gfp_fft_axis_kind *const kinds[] = {&gfp_fft_axis_radix, &gfp_fft_axis_chirp};
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        for (size_t q = 3; q < 130 && l->k <= SLOW_K; q += 2) {
            bool prime = true;
            for (size_t d = 3; d * d <= q; d += 2) {
                prime = prime && q % d != 0;
            }
            const unsigned most = q < 6 ? 3 : q < 10 ? 2 : 1;
            for (unsigned e = 1; e <= most && prime && q * l->k < 500; e++) {
                size_t length = e == 1 ? q : e == 2 ? q * q : q * q * q;
                for (size_t kind = 0; kind < 2 && divides_order(l, length); kind++) {
                    check_kind(l, kinds[kind], q, e, e == 1 ? 5 : 2);
                    if (e < 3) {
                        check_kind(l, kinds[kind], q, e, 1);
                    }
                }
            }
        }
    }
}

/* ---- refusals, memory ---- */

static void impossible_plans_are_refused(void **state)
{
    const lab *l = lab_named("p8");
    gfp_fft_plan *plan = NULL;
    gfp_error error = {0};
    (void)state;
    lab_expect_status(gfp_fft_plan_create(&plan, l->field, 0, &error), GFP_ERR_ARGUMENT, &error,
                      "a length 0");
    lab_expect_status(gfp_fft_plan_create(&plan, l->field, 10, &error), GFP_ERR_NO_ROOT, &error,
                      "a length 10");
    assert_non_null(strstr(error.message, "length 10 does not divide p - 1: its factor 5"));
    lab_expect_status(gfp_fft_plan_create(&plan, l->field, SIZE_MAX / 3 * 3, &error), GFP_ERR_SIZE,
                      &error, "2^64");
    assert_null(plan);
}

/* ---- progress ---- */

static bool count_steps(void *user, double fraction)
{
    (void)fraction;
    ++*(unsigned *)user;
    return true;
}

static bool stop_at_once(void *user, double fraction)
{
    (void)user;
    return fraction == 0;
}

/* One column of a prime length, without Bluestein's method: some 2 million products, which call
 * step now and then, not only at their end. */
static void a_long_column_reports_its_progress(void **state)
{
    const size_t n = 2003;
    gfp_field *field = NULL;
    gfp_fft_plan *plan = NULL;
    unsigned steps = 0;
    const gfp_progress counted = {.step = count_steps, .user = &steps};
    const gfp_progress stopped = {.step = stop_at_once};
    (void)state;
    assert_int_equal(gfp_field_create(&field, "4006^2+1", NULL, NULL), GFP_OK);
    assert_int_equal(gfp_fft_plan_create(&plan, field, n, NULL), GFP_OK);
    uint64_t *x = lab_array(n * 2);
    gfp_vec_zero(field, x, n);
    gfp_options options = {.progress = &counted};
    assert_int_equal(gfp_fft_run(x, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, &options), GFP_OK);
    assert_true(steps > 4);
    options.progress = &stopped;
    assert_int_equal(gfp_fft_run(x, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, &options),
                     GFP_ERR_CANCELLED);
    lab_free(x);
    gfp_fft_plan_destroy(plan);
    gfp_field_destroy(field);
}

/* Every failing allocation of a plan and of its calls. */
static void without_memory_nothing_is_lost(void **state)
{
    static const size_t lengths[] = {177, 12, 354, 128};
    (void)state;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_field *field = NULL;
        gfp_status status = GFP_ERR_MEMORY;
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        const size_t blocks = m.blocks, n = lengths[i];
        uint64_t *x = lab_array(n * 8), *y = lab_array(n * 8);
        gfp_vec_zero(field, x, n);
        for (size_t fail = 0; status != GFP_OK; fail++) {
            gfp_fft_plan *plan = NULL;
            meter_fail_at(&m, fail);
            status = gfp_fft_plan_create(&plan, field, n, NULL);
            if (status == GFP_OK) {
                status = gfp_fft_run(y, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL);
            }
            assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
            assert_true(fail < 100);
            gfp_fft_plan_destroy(plan);
            gfp_field_release_memory(field);
            assert_int_equal(m.blocks, blocks);
        }
        m.fail_at = SIZE_MAX;
        lab_free(x);
        lab_free(y);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_agree_with_the_definition),
        cmocka_unit_test(longer_lengths_agree_with_the_definition),
        cmocka_unit_test(kinds_agree_with_the_definition),
        cmocka_unit_test(impossible_plans_are_refused),
        cmocka_unit_test(a_long_column_reports_its_progress),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
