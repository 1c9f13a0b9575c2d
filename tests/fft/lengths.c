/* lengths.c: transforms of lengths that are no powers of two, at given roots, and in
 * several dimensions, against the definition; each kind of axis by itself; refusals.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "fft/axes.h"
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
        assert_int_equal(gfp_fft_forward(y, t->x, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, y, t->natural, "forward");
        assert_int_equal(gfp_fft_inverse(z, y, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->x, "inverse");
        assert_int_equal(gfp_fft_forward(z, z, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->natural, "forward in place");
        assert_int_equal(gfp_fft_inverse(z, z, GFP_ORDER_NATURAL, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->x, "inverse in place");
        assert_int_equal(gfp_fft_forward(y, t->x, GFP_ORDER_PERMUTED, t->plan, &o), GFP_OK);
        gfp_vec_set(field, z, t->x, t->n);
        assert_int_equal(gfp_fft_forward(z, z, GFP_ORDER_PERMUTED, t->plan, &o), GFP_OK);
        expect_equal(t, z, y, "permuted in place");
        assert_int_equal(gfp_fft_inverse(z, y, GFP_ORDER_PERMUTED, t->plan, &o), GFP_OK);
        expect_equal(t, z, t->x, "inverse, permuted");
    }
    lab_free(y);
    lab_free(z);
}

/* The permuted order has the values of the natural one: the square of x, cyclically. */
static void expect_convolution(const known *t)
{
    const gfp_field *field = t->l->field;
    uint64_t *c = lab_array(t->n * t->l->k), *d = lab_array(t->n * t->l->k);
    assert_int_equal(gfp_fft_convolve_cyclic(c, t->x, t->x, t->plan, NULL), GFP_OK);
    gfp_vec_mul(field, d, t->natural, t->natural, t->n);
    assert_int_equal(gfp_fft_inverse(d, d, GFP_ORDER_NATURAL, t->plan, NULL), GFP_OK);
    expect_equal(t, c, d, "square");
    gfp_vec_set(field, d, t->x, t->n);
    assert_int_equal(gfp_fft_convolve_cyclic(d, t->x, d, t->plan, NULL), GFP_OK);
    expect_equal(t, c, d, "product");
    assert_int_equal(gfp_fft_convolve_negacyclic(d, t->x, t->x, t->plan, NULL),
                     GFP_ERR_UNAVAILABLE);
    expect_equal(t, c, d, "a refused convolution");
    lab_free(c);
    lab_free(d);
}

static void check_length(const lab *l, size_t n)
{
    gfp_fft_plan *plan = NULL;
    uint64_t *root = lab_array(l->k), *x = random_vector(l, n, n), *y = lab_array(n * l->k);
    assert_int_equal(gfp_fft_root(l->field, root, n), GFP_OK);
    expect_order(l, root, n);
    assert_int_equal(gfp_fft_plan_create(&plan, l->field, n, NULL), GFP_OK);
    assert_int_equal(gfp_fft_plan_length(plan), n);
    assert_true(gfp_fft_plan_bytes(plan) > sizeof(gfp_fft_plan));
    lengths_define(l, y, x, n, root);
    const known t = {l, plan, n, x, y};
    expect_transform(&t);
    if ((n & (n - 1)) != 0) {
        assert_int_equal(
            gfp_fft_forward(y, x, GFP_ORDER_NATURAL, plan, &(gfp_options){.method = "six-step"}),
            GFP_ERR_NO_ROOT);
        expect_convolution(&t);
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

/* ---- given roots ---- */

/* Powers of a root of order n by factors without a common divisor with n. */
static void any_root_gives_its_own_values(void **state)
{
    static const size_t lengths[] = {1, 2, 8, 32, 3, 12, 15, 20, 48, 129, 177};
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        for (size_t j = 0; LAB_ROW(lengths, j); j++) {
            const size_t n = lengths[j];
            uint64_t *root = lab_array(l->k), *x, *y;
            if (l->k > SLOW_K || !divides_order(l, n) || n * l->k > 512u >> SANITIZED) {
                lab_free(root);
                continue;
            }
            x = random_vector(l, n, 9);
            y = lab_array(n * l->k);
            assert_int_equal(gfp_fft_root(l->field, root, n), GFP_OK);
            for (uint64_t e = 1; e < 30; e += 7) { /* 1, 8, 15, 22, 29 */
                uint64_t *power = lab_array(l->k);
                gfp_fft_plan *plan = NULL;
                gfp_error error = {0};
                size_t a = (size_t)e, b = n;
                while (b != 0) {
                    const size_t rest = a % b;
                    a = b;
                    b = rest;
                }
                gfp_elem_pow(l->field, power, root, &e, 1);
                const gfp_status status =
                    gfp_fft_plan_create_root(&plan, l->field, n, power, &error);
                if (a == 1) {
                    assert_int_equal(status, GFP_OK);
                    lengths_define(l, y, x, n, power);
                    const known t = {l, plan, n, x, y};
                    expect_transform(&t);
                } else {
                    lab_expect_status(status, GFP_ERR_ARGUMENT, &error, "a root of lower order");
                    assert_non_null(strstr(error.message, "has not order"));
                    assert_null(plan);
                }
                gfp_fft_plan_destroy(plan);
                lab_free(power);
            }
            lab_free(root);
            lab_free(x);
            lab_free(y);
        }
    }
}

static void roots_are_checked(void **state)
{
    const lab *l = lab_named("p8");
    gfp_fft_plan *plan = NULL;
    gfp_error error = {0};
    uint64_t root[GFP_MAX_K];
    (void)state;
    assert_int_equal(gfp_fft_root(l->field, root, 48), GFP_OK);
    lab_expect_status(gfp_fft_plan_create_root(&plan, l->field, 24, root, &error), GFP_ERR_ARGUMENT,
                      &error, "a root of a higher order");
    assert_non_null(strstr(error.message, "power 24 is not 1"));
    lab_expect_status(gfp_fft_plan_create_root(&plan, l->field, 144, root, &error),
                      GFP_ERR_ARGUMENT, &error, "a root of a lower order");
    assert_non_null(strstr(error.message, "power 48 is 1"));
    gfp_elem_zero(l->field, root);
    lab_expect_status(gfp_fft_plan_create_root(&plan, l->field, 1, root, &error), GFP_ERR_ARGUMENT,
                      &error, "0");
    root[0] = UINT64_MAX;
    lab_expect_status(gfp_fft_plan_create_root(&plan, l->field, 4, root, &error), GFP_ERR_RANGE,
                      &error, "digits");
    lab_expect_status(gfp_fft_plan_create_root(&plan, l->field, 0, root, &error), GFP_ERR_ARGUMENT,
                      &error, "length 0");
    assert_null(plan);
    assert_int_equal(gfp_fft_root(l->field, root, 0), GFP_ERR_NO_ROOT);
    assert_int_equal(gfp_fft_root(l->field, root, 5), GFP_ERR_NO_ROOT);
}

/* ---- dimensions ---- */

/* y := the transform along every dimension, by the definition. */
static void define_dimensions(const lab *l, uint64_t *y, const uint64_t *x, const size_t *length,
                              unsigned dimensions)
{
    size_t n = 1, stride = 1;
    for (unsigned d = 0; d < dimensions; d++) {
        n *= length[d];
    }
    gfp_vec_set(l->field, y, x, n);
    for (unsigned d = dimensions; d-- > 0; stride *= length[d]) {
        const size_t len = length[d], k = l->k;
        uint64_t *in = lab_array(len * k), *out = lab_array(len * k), *root = lab_array(k);
        assert_int_equal(gfp_fft_root(l->field, root, len), GFP_OK);
        for (size_t c = 0; c < n / len; c++) {
            uint64_t *at = y + (c / stride * len * stride + c % stride) * k;
            for (size_t i = 0; i < len; i++) {
                gfp_elem_set(l->field, in + i * k, at + i * stride * k);
            }
            lengths_define(l, out, in, len, root);
            for (size_t i = 0; i < len; i++) {
                gfp_elem_set(l->field, at + i * stride * k, out + i * k);
            }
        }
        lab_free(in);
        lab_free(out);
        lab_free(root);
    }
}

static void dimensions_agree_with_the_definition(void **state)
{
    static const struct {
        const char *field;
        size_t length[4];
        unsigned dimensions;
    } cases[] = {{"p8", {8, 16}, 2},         {"p8", {1, 32}, 2},       {"p8", {12, 6}, 2},
                 {"p8", {3, 4, 6}, 3},       {"p2", {2, 5, 4, 10}, 4}, {"p4", {43, 8}, 2},
                 {"p32", {4, 8}, 2},         {"p2", {64, 128}, 2},     {"p8", {1, 1, 1}, 3},
                 {"256^2+1", {16, 8, 2}, 3}, {"p2", {1}, 1},           {"p16", {32, 1, 2}, 3}};
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const lab *l = lab_named(cases[i].field);
        const size_t *length = cases[i].length;
        gfp_fft_plan *plan = NULL;
        size_t n = 1;
        for (unsigned d = 0; d < cases[i].dimensions; d++) {
            n *= length[d];
        }
        if (SANITIZED && n > 1000) {
            continue;
        }
        uint64_t *x = random_vector(l, n, i), *y = lab_array(n * l->k);
        assert_int_equal(
            gfp_fft_plan_create_dimensions(&plan, l->field, length, cases[i].dimensions, NULL),
            GFP_OK);
        assert_int_equal(gfp_fft_plan_length(plan), n);
        define_dimensions(l, y, x, length, cases[i].dimensions);
        const known t = {l, plan, n, x, y};
        expect_transform(&t);
        expect_convolution(&t);
        gfp_fft_plan_destroy(plan);
        lab_free(x);
        lab_free(y);
    }
}

/* A product in two variables by the definition: a convolution in both indices. */
static void two_dimensions_multiply_in_two_variables(void **state)
{
    enum { X = 6, Y = 5, NX = 12, NY = 16 };
    const lab *l = lab_named("p8");
    const size_t k = l->k, length[] = {NX, NY};
    gfp_fft_plan *plan = NULL;
    uint64_t *a = lab_array(NX * NY * k), *b = lab_array(NX * NY * k), *c = lab_array(NX * NY * k);
    uint64_t *small = random_vector(l, 2 * X * Y, 5), *expected = lab_array(NX * NY * k);
    uint64_t product[GFP_MAX_K];
    (void)state;
    gfp_vec_zero(l->field, a, NX * NY);
    gfp_vec_zero(l->field, b, NX * NY);
    gfp_vec_zero(l->field, expected, NX * NY);
    for (size_t i = 0; i < X * Y; i++) {
        const size_t at = i / Y * NY + i % Y;
        gfp_elem_set(l->field, a + at * k, small + i * k);
        gfp_elem_set(l->field, b + at * k, small + (X * Y + i) * k);
    }
    for (size_t i = 0; i < X * Y; i++) {
        for (size_t j = 0; j < X * Y; j++) {
            uint64_t *z = expected + ((i / Y + j / Y) * NY + i % Y + j % Y) * k;
            gfp_elem_mul(l->field, product, small + i * k, small + (X * Y + j) * k);
            gfp_elem_add(l->field, z, z, product);
        }
    }
    assert_int_equal(gfp_fft_plan_create_dimensions(&plan, l->field, length, 2, NULL), GFP_OK);
    assert_int_equal(gfp_fft_convolve_cyclic(c, a, b, plan, NULL), GFP_OK);
    lab_expect_digits(l, c, expected, NX * NY, "product", NX, NY);
    gfp_fft_plan_destroy(plan);
    lab_free(a);
    lab_free(b);
    lab_free(c);
    lab_free(small);
    lab_free(expected);
}

/* ---- refusals, memory ---- */

static void impossible_plans_are_refused(void **state)
{
    const lab *l = lab_named("p8");
    gfp_fft_plan *plan = NULL;
    gfp_error error = {0};
    const size_t zero[] = {4, 0}, wrong[] = {4, 10}, large[] = {(size_t)1 << 33, (size_t)1 << 33};
    (void)state;
    lab_expect_status(gfp_fft_plan_create_dimensions(&plan, l->field, zero, 2, &error),
                      GFP_ERR_ARGUMENT, &error, "a length 0");
    lab_expect_status(gfp_fft_plan_create_dimensions(&plan, l->field, wrong, 2, &error),
                      GFP_ERR_NO_ROOT, &error, "a length 10");
    assert_non_null(strstr(error.message, "length 10 does not divide p - 1: its factor 5"));
    lab_expect_status(gfp_fft_plan_create_dimensions(&plan, l->field, large, 2, &error),
                      GFP_ERR_SIZE, &error, "2^66");
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
    assert_int_equal(gfp_fft_forward(x, x, GFP_ORDER_NATURAL, plan, &options), GFP_OK);
    assert_true(steps > 4);
    options.progress = &stopped;
    assert_int_equal(gfp_fft_forward(x, x, GFP_ORDER_NATURAL, plan, &options), GFP_ERR_CANCELLED);
    lab_free(x);
    gfp_fft_plan_destroy(plan);
    gfp_field_destroy(field);
}

/* Every failing allocation of a plan and of its calls. */
static void without_memory_nothing_is_lost(void **state)
{
    static const size_t lengths[][2] = {{177, 1}, {12, 1}, {6, 59}, {8, 16}};
    (void)state;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_field *field = NULL;
        gfp_status status = GFP_ERR_MEMORY;
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        const size_t blocks = m.blocks, n = lengths[i][0] * lengths[i][1];
        uint64_t *x = lab_array(n * 8), *y = lab_array(n * 8);
        gfp_vec_zero(field, x, n);
        for (size_t fail = 0; status != GFP_OK; fail++) {
            gfp_fft_plan *plan = NULL;
            meter_fail_at(&m, fail);
            status = gfp_fft_plan_create_dimensions(&plan, field, lengths[i], 2, NULL);
            if (status == GFP_OK) {
                status = gfp_fft_forward(y, x, GFP_ORDER_NATURAL, plan, NULL);
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
        cmocka_unit_test(any_root_gives_its_own_values),
        cmocka_unit_test(roots_are_checked),
        cmocka_unit_test(dimensions_agree_with_the_definition),
        cmocka_unit_test(two_dimensions_multiply_in_two_variables),
        cmocka_unit_test(impossible_plans_are_refused),
        cmocka_unit_test(a_long_column_reports_its_progress),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
