/* test_series.c: power series. Results satisfy the identities that define them, equal those of the
 * quadratic algorithm ("classical"), of an oracle by GMP, and of FLINT; wrong ones are found; a
 * call that fails leaves its output as it was.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"
#include "meter.h"
#include "operand_engine.h"
#include "sanitized.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

/* ---- the operations ---- */

/* z := an operation on a and b modulo X^n. */
typedef gfp_status action(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                          const gfp_options *options);

static gfp_status invert(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                         const gfp_options *options)
{
    (void)b;
    return gfp_poly_inv_series(z, a, n, options);
}

static gfp_status divide(gfp_poly *z, const gfp_poly *a, const gfp_poly *b, size_t n,
                         const gfp_options *options)
{
    return gfp_poly_div_series(z, b, a, n, options);
}

typedef struct operation {
    const char *name;
    action *run;
} operation;

static const operation operations[] = {{"inverse", invert}, {"quotient", divide}};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* ---- inputs ---- */

/* a with constant term 1 or another that is not 0, b, and z, a result, over one field. */
typedef struct series {
    gfp_poly a, b, z, expected;
} series;

static void make(series *s, const gfp_field *field, size_t len_a, size_t len_b, uint64_t seed)
{
    gfp_random g;
    gfp_poly *const polys[] = {&s->a, &s->b, &s->z, &s->expected};
    gfp_random_seed(&g, seed);
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(polys[i], field);
    }
    assert_int_equal(gfp_poly_random(&s->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&s->b, len_b, &g), GFP_OK);
    if (s->a.len == 0 || gfp_elem_is_zero(field, s->a.digits)) {
        assert_int_equal(gfp_poly_set_coeff_u64(&s->a, 0, 1), GFP_OK);
    }
}

static void clear(series *s)
{
    gfp_poly_clear(&s->a);
    gfp_poly_clear(&s->b);
    gfp_poly_clear(&s->z);
    gfp_poly_clear(&s->expected);
}

static void expect_equal(const gfp_poly *z, const gfp_poly *expected, const char *what, size_t n,
                         size_t len)
{
    if (!gfp_poly_equal(z, expected)) {
        fail_msg("%s: %s of %zu terms modulo X^%zu: wrong", gfp_field_name(z->field), what, len, n);
    }
}

/* Lengths around the thresholds of the algorithms, and the longest for fields of k digits. */
static const size_t lengths[] = {1,  2,  3,  4,  5,  7,  15, 16, 17,  18,  31,  32,
                                 33, 34, 35, 47, 63, 64, 65, 66, 100, 129, 511, 513};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static size_t longest(unsigned k)
{
    return SANITIZED ? 66 : k <= 4 ? 600 : k <= 8 ? 200 : k <= 32 ? 70 : 35;
}

/* ---- right results ---- */

/* z := what satisfies z a = b modulo X^n by the definition. */
static void oracle_divide(const lab *l, mpz_t *z, size_t n, mpz_t *a, size_t len_a, mpz_t *b,
                          size_t len_b)
{
    mpz_t inverse, product;
    mpz_init(inverse);
    mpz_init(product);
    assert_true(oracle_inv(&l->o, inverse, a[0]));
    for (size_t i = 0; i < n; i++) {
        mpz_set_ui(z[i], 0);
        if (i < len_b) {
            mpz_set(z[i], b[i]);
        }
        for (size_t j = 1; j <= i && j < len_a; j++) {
            oracle_mul(&l->o, product, a[j], z[i - j]);
            oracle_sub(&l->o, z[i], z[i], product);
        }
        oracle_mul(&l->o, z[i], z[i], inverse);
    }
    mpz_clear(inverse);
    mpz_clear(product);
}

#define SMALL 9

/* Quotients of samples, extreme ones among them, by both algorithms and the oracle. */
static void quotients_equal_the_oracle(void **state)
{
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < 2 * l->count; i++) {
            const size_t n = 1 + i % SMALL, len_a = 1 + i * 7 % SMALL, len_b = i * 5 % SMALL;
            if (gfp_elem_is_zero(l->field, lab_sample(l, i))) {
                continue;
            }
            uint64_t *a = lab_vector(l, len_a, i), *b = lab_vector(l, len_b, 3 * i);
            uint64_t *z = lab_array(n * l->k), *expected = lab_array(n * l->k);
            mpz_t *x = oracle_vec_new(len_a), *y = oracle_vec_new(SMALL), *q = oracle_vec_new(n);
            oracle_vec_get(&l->o, x, a, len_a);
            oracle_vec_get(&l->o, y, b, len_b);
            oracle_divide(l, q, n, x, len_a, y, len_b);
            oracle_vec_set(&l->o, expected, q, n);
            assert_int_equal(gfp_vec_div_series(l->field, z, n, b, len_b, a, len_a, NULL), GFP_OK);
            lab_expect_digits(l, z, expected, n, "quotient", i, n);
            mpz_set_ui(y[0], 1);
            oracle_divide(l, q, n, x, len_a, y, 1);
            oracle_vec_set(&l->o, expected, q, n);
            assert_int_equal(gfp_vec_inv_series(l->field, z, n, a, len_a, NULL), GFP_OK);
            lab_expect_digits(l, z, expected, n, "inverse", i, n);
            oracle_vec_free(x, len_a);
            oracle_vec_free(y, SMALL);
            oracle_vec_free(q, n);
            lab_free(a);
            lab_free(b);
            lab_free(z);
            lab_free(expected);
        }
    }
}

/* By the pick and by the quadratic algorithm, for series shorter and longer than n. */
static void check_twins(const gfp_field *field, size_t n, size_t len_a, size_t len_b)
{
    const gfp_options classical = {.method = "classical"};
    series s;
    make(&s, field, len_a, len_b, n + 3 * len_a);
    for (size_t i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        assert_int_equal(o->run(&s.z, &s.a, &s.b, n, NULL), GFP_OK);
        assert_int_equal(o->run(&s.expected, &s.a, &s.b, n, &classical), GFP_OK);
        expect_equal(&s.z, &s.expected, o->name, n, len_a);
    }
    clear(&s);
}

static void fast_and_quadratic_algorithms_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < LENGTHS && lengths[i] <= longest(l->k); i++) {
            const size_t n = lengths[i];
            check_twins(l->field, n, n, n);
            check_twins(l->field, n, n / 2 + 1, 1);
            check_twins(l->field, n, 2, n + 3);
            check_twins(l->field, n, 2 * n + 1, n / 3);
        }
    }
}

static void results_satisfy_their_identities(void **state)
{
    static const size_t long_ones[] = {600, 767, 1000, 1024, 1500, 2049};
    (void)state;
    const gfp_field *field = lab_named("p4")->field;
    for (size_t i = 0; i < sizeof long_ones / sizeof long_ones[0]; i++) {
        const size_t n = long_ones[i];
        series s;
        make(&s, field, n, n, n);
        assert_int_equal(gfp_poly_inv_series(&s.z, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mul_low(&s.expected, &s.z, &s.a, n, NULL), GFP_OK);
        assert_true(gfp_poly_is_one(&s.expected));
        assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mul_low(&s.expected, &s.z, &s.a, n, NULL), GFP_OK);
        expect_equal(&s.expected, &s.b, "quotient", n, n);
        clear(&s);
    }
}

/* Every series of 3 terms over the field of 5 elements, and every dividend of 2. */
static void tiny_fields_exhaustively(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("2^2+1")->field;
    for (uint64_t code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        uint64_t rest = code;
        series s;
        make(&s, field, 0, 0, 1);
        for (size_t i = 0; i < 5; i++, rest /= 5) {
            assert_int_equal(gfp_poly_set_coeff_u64(i < 3 ? &s.a : &s.b, i % 3, rest % 5), GFP_OK);
        }
        const bool zero = code % 5 == 0;
        for (size_t n = 1; n <= 6; n++) {
            const gfp_status expected = zero ? GFP_ERR_NOT_INVERTIBLE : GFP_OK;
            assert_int_equal(gfp_poly_inv_series(&s.z, &s.a, n, NULL), expected);
            if (!zero) {
                assert_int_equal(gfp_poly_mul_low(&s.z, &s.z, &s.a, n, NULL), GFP_OK);
                assert_true(gfp_poly_is_one(&s.z));
            }
            assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), expected);
            if (!zero) {
                assert_int_equal(gfp_poly_mul_low(&s.z, &s.z, &s.a, n, NULL), GFP_OK);
                assert_int_equal(gfp_poly_truncate(&s.expected, &s.b, n), GFP_OK);
                assert_true(gfp_poly_equal(&s.z, &s.expected));
            }
        }
        clear(&s);
    }
}

#if GFP_HAVE_FLINT
static void results_equal_flint(void **state)
{
    static const size_t some[] = {1, 2, 3, 16, 17, 33, 50, 64};
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        fmpz_t p;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t a, b, z;
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(a, ctx);
        fmpz_mod_poly_init(b, ctx);
        fmpz_mod_poly_init(z, ctx);
        for (size_t i = 0; i < sizeof some / sizeof some[0] && some[i] <= longest(l->k); i++) {
            const size_t n = some[i];
            series s;
            make(&s, l->field, n + i % 3, n + 1 - i % 2, 7 * n);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(a, ctx, &s.a), GFP_OK);
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, ctx, &s.b), GFP_OK);
            fmpz_mod_poly_inv_series(z, a, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_inv_series(&s.z, &s.a, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's inverse", n, s.a.len);
            fmpz_mod_poly_div_series(z, b, a, (slong)n, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.expected, z, ctx), GFP_OK);
            assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, "FLINT's quotient", n, s.a.len);
            clear(&s);
        }
        fmpz_mod_poly_clear(a, ctx);
        fmpz_mod_poly_clear(b, ctx);
        fmpz_mod_poly_clear(z, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
    }
    flint_cleanup();
}
#endif

/* Every method that has transforms that stay. */
static void all_methods_with_operands(void **state)
{
    static const char *const names[] = {"p2", "p8", "m16", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        const lab *l = lab_named(names[f]);
        series s;
        make(&s, l->field, 70, 60, f);
        for (size_t m = 0; m < gfp_method_count(); m++) {
            gfp_report report = {0};
            gfp_error error = {0};
            const gfp_options options = {
                .method = gfp_method_name(m), .report = &report, .error = &error};
            for (size_t i = 0; i < OPERATIONS; i++) {
                const gfp_status status = operations[i].run(&s.z, &s.a, &s.b, 70, &options);
                if (status == GFP_ERR_UNAVAILABLE) {
                    assert_true(strcmp(options.method, "hybrid") != 0);
                    assert_true(error.message[0] != '\0');
                    continue;
                }
                lab_expect_status(status, GFP_OK, &error, options.method);
                assert_string_equal(report.method, options.method);
                assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, 70, NULL), GFP_OK);
                expect_equal(&s.z, &s.expected, options.method, 70, 70);
            }
        }
        clear(&s);
    }
}

/* ---- arguments ---- */

static void what_has_no_inverse(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    series s;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    make(&s, field, 40, 40, 1);
    assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
    for (size_t round = 0; round < 2; round++) {
        if (round == 0) {
            assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, 0), GFP_OK);
        } else {
            gfp_poly_zero(&s.a);
        }
        for (size_t i = 0; i < OPERATIONS; i++) {
            lab_expect_status(operations[i].run(&s.z, &s.a, &s.b, 40, &options),
                              GFP_ERR_NOT_INVERTIBLE, &error, operations[i].name);
            assert_int_equal(error.index, 0);
            assert_true(gfp_poly_is_one(&s.z));
        }
    }
    clear(&s);
}

static void no_coefficients_at_all(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    series s;
    make(&s, field, 5, 0, 1);
    /* Modulo X^0 everything is 0, whatever the divisor. */
    for (size_t i = 0; i < OPERATIONS; i++) {
        assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 0, NULL), GFP_OK);
        assert_int_equal(s.z.len, 0);
    }
    assert_int_equal(gfp_vec_inv_series(field, NULL, 0, NULL, 0, NULL), GFP_OK);
    assert_int_equal(gfp_vec_div_series(field, NULL, 0, NULL, 0, NULL, 0, NULL), GFP_OK);
    /* 0 by something. */
    for (size_t n = 1; n < 70; n += 17) {
        assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
        assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(s.z.len, 0);
    }
    clear(&s);
}

static void bad_arguments(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    uint64_t one[8] = {1}, z[8] = {5};
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    series s, other;
    make(&s, field, 5, 5, 1);
    make(&other, lab_named("p4")->field, 5, 5, 1);
    lab_expect_status(gfp_vec_inv_series(NULL, z, 1, one, 1, &options), GFP_ERR_ARGUMENT, &error,
                      "no field");
    lab_expect_status(gfp_vec_inv_series(field, NULL, 1, one, 1, &options), GFP_ERR_ARGUMENT,
                      &error, "no output");
    lab_expect_status(gfp_vec_inv_series(field, z, 1, NULL, 1, &options), GFP_ERR_ARGUMENT, &error,
                      "no input");
    lab_expect_status(gfp_vec_div_series(field, z, 1, NULL, 1, one, 1, &options), GFP_ERR_ARGUMENT,
                      &error, "no dividend");
    lab_expect_status(gfp_poly_inv_series(&s.z, NULL, 5, &options), GFP_ERR_ARGUMENT, &error,
                      "no polynomial");
    for (size_t i = 0; i < OPERATIONS; i++) {
        lab_expect_status(operations[i].run(&s.z, &other.a, &s.b, 5, &options),
                          GFP_ERR_FIELD_MISMATCH, &error, operations[i].name);
        gfp_options unknown = options;
        unknown.method = "none";
        lab_expect_status(operations[i].run(&s.z, &s.a, &s.b, 40, &unknown), GFP_ERR_UNKNOWN,
                          &error, operations[i].name);
        const gfp_status status = operations[i].run(&s.z, &s.a, &s.b, SIZE_MAX / 2, &options);
        assert_true(status == GFP_ERR_SIZE || status == GFP_ERR_MEMORY);
        assert_int_equal(error.status, status);
    }
    assert_int_equal(gfp_vec_inv_series(field, z, SIZE_MAX / 64, one, 1, &options), GFP_ERR_SIZE);
    assert_true(z[0] == 5);
    clear(&s);
    clear(&other);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t n = 5; n < 100; n += 31) {
        for (size_t i = 0; i < OPERATIONS; i++) {
            series s;
            make(&s, field, n, n + 2, n);
            assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, n + 9, NULL), GFP_OK);
            assert_int_equal(gfp_poly_copy(&s.z, &s.a), GFP_OK);
            assert_int_equal(operations[i].run(&s.z, &s.z, &s.b, n + 9, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n + 9, n);
            assert_int_equal(gfp_poly_copy(&s.z, &s.b), GFP_OK);
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.z, n + 9, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n + 9, n);
            clear(&s);
        }
    }
    /* Arrays that overlap anyhow. */
    uint64_t *x = lab_array(60 * 8), *expected = lab_array(50 * 8);
    gfp_random g;
    gfp_random_seed(&g, 4);
    gfp_vec_random(field, x, 60, &g);
    assert_int_equal(gfp_vec_div_series(field, expected, 50, x, 40, x + 7 * 8, 50, NULL), GFP_OK);
    assert_int_equal(gfp_vec_div_series(field, x + 3 * 8, 50, x, 40, x + 7 * 8, 50, NULL), GFP_OK);
    assert_true(gfp_vec_equal(field, x + 3 * 8, expected, 50));
    lab_free(x);
    lab_free(expected);
}

/* ---- memory, progress, threads ---- */

/* A field whose memory is metered, and a host that is asked whether to go on. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    series s;
    gfp_poly before;
    size_t n;
    size_t asked, stop_at;
    double last;
    bool falls;
    gfp_progress progress;
    gfp_error error;
    gfp_options options;
} world;

static bool step(void *user, double fraction)
{
    world *w = user;
    w->falls = w->falls || fraction < w->last || fraction > 1;
    w->last = fraction;
    return w->asked++ != w->stop_at;
}

static void start(world *w, const char *name, size_t n)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    make(&w->s, w->field, n, n, 9);
    w->n = n;
    gfp_poly_init(&w->before, w->field);
    /* The output has room: what fails or is cancelled leaves it alone, capacity included. */
    assert_int_equal(gfp_poly_fit_length(&w->s.z, n), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->s.z, 3, 5), GFP_OK);
    assert_int_equal(gfp_poly_copy(&w->before, &w->s.z), GFP_OK);
    w->progress = (gfp_progress){step, w};
    w->options = (gfp_options){.error = &w->error, .verify_seed = 6};
    w->stop_at = SIZE_MAX;
}

static void end(world *w)
{
    clear(&w->s);
    gfp_poly_clear(&w->before);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

static gfp_status run(world *w, const operation *o)
{
    w->asked = 0;
    w->last = 0;
    w->error.message[0] = '\0';
    return o->run(&w->s.z, &w->s.a, &w->s.b, w->n, &w->options);
}

static void expect_unchanged(const world *w, const operation *o, size_t round)
{
    if (!gfp_poly_equal(&w->s.z, &w->before)) {
        fail_msg("%s: failure %zu changed the output", o->name, round);
    }
    assert_true(w->error.message[0] != '\0');
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
static const struct {
    const char *field;
    size_t n;
} problems[] = {{"p8", 70}, {"p2", 150}, {"4^4+1", 40}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

/* Every allocation fails once. */
static void allocations_that_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 3; i++) {
        const operation *o = &operations[i / 3 % OPERATIONS];
        world w;
        start(&w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n);
        w.options.verify = kinds[i % 3];
        assert_int_equal(run(&w, o), GFP_OK); /* tables that stay with the field */
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        for (size_t n = 0;; n++) {
            gfp_field_release_memory(w.field);
            const size_t blocks = w.m.blocks, bytes = w.m.bytes;
            meter_fail_at(&w.m, n);
            const gfp_status status = run(&w, o);
            w.m.fail_at = SIZE_MAX;
            gfp_field_release_memory(w.field);
            if (w.m.calls <= n) {
                assert_int_equal(status, GFP_OK);
                assert_true(n > 3);
                break;
            }
            lab_expect_status(status, GFP_ERR_MEMORY, &w.error, o->name);
            expect_unchanged(&w, o, n);
            assert_int_equal(w.m.blocks, blocks);
            assert_int_equal(w.m.bytes, bytes);
        }
        end(&w);
    }
}

/* Every question is once answered with no. */
static void cancelled_at_every_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 3; i++) {
        const operation *o = &operations[i / 3 % OPERATIONS];
        world w;
        start(&w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n);
        w.options.verify = kinds[i % 3];
        w.options.progress = &w.progress;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_false(w.falls);
        assert_true(w.last >= 1);
        const size_t calls = w.asked;
        assert_true(calls > 6);
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        const size_t bytes = w.m.bytes - gfp_field_kept_memory(w.field);
        for (size_t n = 0; n < calls; n++) {
            w.stop_at = n;
            lab_expect_status(run(&w, o), GFP_ERR_CANCELLED, &w.error, o->name);
            assert_int_equal(w.asked, n + 1);
            expect_unchanged(&w, o, n);
            assert_int_equal(w.m.bytes - gfp_field_kept_memory(w.field), bytes);
        }
        end(&w);
    }
}

/* The least cap that suffices is kept to, and one byte less is refused. */
static void caps_on_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 3; i++) {
        const operation *o = &operations[i / 3 % OPERATIONS];
        world w;
        start(&w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n);
        w.options.verify = kinds[i % 3];
        gfp_field_limit_memory(w.field, 0);   /* the field keeps no work areas */
        assert_int_equal(run(&w, o), GFP_OK); /* tables of the field are there now */
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        size_t low = 0, high = (size_t)1 << 24;
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            const size_t bytes = w.m.bytes;
            w.m.peak = bytes;
            w.options.memory_cap = middle;
            const gfp_status status = run(&w, o);
            if (status == GFP_OK) {
                high = middle;
                assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
            } else {
                low = middle;
                lab_expect_status(status, GFP_ERR_MEMORY, &w.error, o->name);
                expect_unchanged(&w, o, middle);
            }
            if (w.m.peak > bytes + middle) {
                fail_msg("%s: %zu bytes within a cap of %zu", o->name, w.m.peak - bytes, middle);
            }
        }
        assert_true(low > 100 && high < (size_t)1 << 23);
        end(&w);
    }
}

static void threads_do_not_matter(void **state)
{
    static const size_t some[] = {40, 300, 1100};
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t j = 0; j < sizeof some / sizeof some[0] - SANITIZED; j++) {
        const size_t n = some[j];
        series s;
        make(&s, field, n, n, n);
        for (size_t i = 0; i < OPERATIONS; i++) {
            gfp_options options = {.threads = 1};
            assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, n, &options), GFP_OK);
            options.threads = 2;
            options.verify = GFP_VERIFY_POINT;
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, n, &options), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n, n);
        }
        clear(&s);
    }
}

/* ---- verification ---- */

/* hybrid with operands whose products by a polynomial, or sums of products, are wrong: one more in
 * the last coefficient that is asked for, at one of the calls. */
static size_t calls, wrong_call;
static gfp_operand_engine wrong_operands;
static gfp_method wrong_row;

static void spoil(const gfp_operand_call *w, const gfp_operand_part *part)
{
    uint64_t one[GFP_MAX_K], *at = part->z + (part->end - 1) * gfp_field_k(w->s->field);
    if (calls++ == wrong_call) {
        gfp_elem_one(w->s->field, one);
        gfp_elem_add(w->s->field, at, at, one);
    }
}

static gfp_status wrong_multiply_by(gfp_operand_call *w, const gfp_operand_part *part,
                                    const gfp_operand_factor *a, const gfp_operand *x)
{
    const gfp_status status = gfp_operand_hybrid.multiply_by(w, part, a, x);
    spoil(w, part);
    return status;
}

static gfp_status wrong_dot(gfp_operand_call *w, const gfp_operand_part *part,
                            const gfp_operand_sum *sum)
{
    const gfp_status status = gfp_operand_hybrid.dot(w, part, sum);
    spoil(w, part);
    return status;
}

static void wrong_products_are_caught(void **state)
{
    (void)state;
    wrong_operands = gfp_operand_hybrid;
    wrong_operands.multiply_by = wrong_multiply_by;
    wrong_operands.dot = wrong_dot;
    wrong_row = *gfp_method_find("hybrid");
    wrong_row.name = "wrong";
    wrong_row.operands = &wrong_operands;
    gfp_method_add(&wrong_row);
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 2; i++) {
        const operation *o = &operations[i / 2 % OPERATIONS];
        gfp_report report = {0};
        world w;
        start(&w, problems[i / 2 / OPERATIONS].field, problems[i / 2 / OPERATIONS].n);
        w.options.method = "wrong";
        w.options.verify = kinds[1 + i % 2];
        w.options.report = &report;
        calls = 0;
        wrong_call = SIZE_MAX;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_string_equal(report.method, "wrong");
        assert_true(report.verified >= w.options.verify);
        if (report.verified == GFP_VERIFY_POINT) {
            assert_true(report.points > 0 && report.log2_error <= -40);
        } else {
            assert_non_null(report.cross_method);
            assert_string_not_equal(report.cross_method, "wrong");
        }
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        for (size_t of = calls, c = 0; c < of; c++) {
            calls = 0;
            wrong_call = c;
            lab_expect_status(run(&w, o), GFP_ERR_VERIFY, &w.error, o->name);
            expect_unchanged(&w, o, c);
            w.options.verify = GFP_VERIFY_NONE;
            calls = 0;
            assert_int_equal(run(&w, o), GFP_OK); /* nobody looks */
            w.options.verify = kinds[1 + i % 2];
            assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        }
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

static void reports(void **state)
{
    (void)state;
    gfp_report report = {0};
    series s;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .threads = 1};
    make(&s, lab_named("p8")->field, 100, 100, 1);
    for (size_t i = 0; i < OPERATIONS; i++) {
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 100, &options), GFP_OK);
        assert_string_equal(report.method, "hybrid");
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_int_equal(report.threads, 1);
        assert_int_equal(report.points, 1);
        assert_true(report.log2_error < -40 && report.multiply_ns > 0 && report.verify_ns > 0);
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 5, &options), GFP_OK);
        assert_string_equal(report.method, "classical");
    }
    clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_equal_the_oracle),
        cmocka_unit_test(fast_and_quadratic_algorithms_agree),
        cmocka_unit_test(results_satisfy_their_identities),
        cmocka_unit_test(tiny_fields_exhaustively),
#if GFP_HAVE_FLINT
        cmocka_unit_test(results_equal_flint),
#endif
        cmocka_unit_test(all_methods_with_operands),
        cmocka_unit_test(what_has_no_inverse),
        cmocka_unit_test(no_coefficients_at_all),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(allocations_that_fail),
        cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(wrong_products_are_caught),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
