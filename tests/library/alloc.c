/* alloc.c: the allocation hook. Every call without options that allocates is run with its n-th
 * allocation failing, for every n: it must return MEMORY, leave its outputs alone and leak nothing.
 * Calls with options: tests/library/calls.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gfpoly/division.h"
#include "gfpoly/fft.h"
#include "gfpoly/poly.h"
#include "gfpoly/primes.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "fft/task.h"
#include "field/primes/stock.h"
#include "field/elem.h"

#define NEVER SIZE_MAX
#define MANY 100000

/* A field whose memory is metered, with a plan and operands over it. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    const char *name;
    gfp_field *field;
    gfp_fft_plan *plan;
    size_t n; /* the plan's length, and that of x */
    uint64_t *x, *y, *before;
    gfp_poly a, b, c;
    char *text;
    size_t text_size;
    const char *method;
} world;

/* A call under test. */
typedef gfp_status action(world *w);
/* A check after a failed call, or a cleanup after a successful one; NULL: nothing. */
typedef void aftermath(world *w);

static void expect_nothing_lost(const world *w, size_t blocks, size_t bytes)
{
    assert_int_equal(w->m.blocks, blocks);
    assert_int_equal(w->m.bytes, bytes);
    assert_int_equal(w->m.mistakes, 0);
}

/* Memory that the field keeps for later products is not lost, and must not hide an allocation. */
static void alloc_forget(const world *w)
{
    if (w->field != NULL) {
        gfp_field_release_memory(w->field);
    }
}

/* Runs the call with allocation 0, 1, 2, ... failing until it succeeds. Returns the number of its
 * allocations. */
static size_t fail_each(world *w, action *run, aftermath *unchanged, aftermath *undo)
{
    alloc_forget(w);
    size_t blocks = w->m.blocks, bytes = w->m.bytes;
    for (size_t n = 0; n < MANY; n++) {
        gfp_status status;
        meter_fail_at(&w->m, n);
        status = run(w);
        w->m.fail_at = NEVER;
        alloc_forget(w);
        if (w->m.calls <= n) {
            assert_int_equal(status, GFP_OK);
            undo(w);
            expect_nothing_lost(w, blocks, bytes);
            return n;
        }
        if (status != GFP_ERR_MEMORY) {
            fail_msg("%s: allocation %zu fails: \"%s\"", w->name, n, gfp_status_string(status));
        }
        unchanged(w);
        expect_nothing_lost(w, blocks, bytes);
    }
    fail_msg("%s: more than %d allocations", w->name, MANY);
    return MANY;
}

static void alloc_nothing(world *w)
{
    (void)w;
}

/* ---- set-up ---- */

static void alloc_start(world *w, const char *name)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = NEVER;
    w->name = name;
    w->allocator = meter_hook(&w->m);
}

static uint64_t *alloc_elements(const world *w)
{
    uint64_t *x = malloc(w->n * gfp_field_k(w->field) * sizeof *x);
    if (x == NULL) {
        fail_msg("no memory");
        abort();
    }
    return x;
}

static void start_field(world *w, const char *name, size_t n)
{
    gfp_random g;
    alloc_start(w, name);
    w->n = n;
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    w->x = alloc_elements(w);
    w->y = alloc_elements(w);
    w->before = alloc_elements(w);
    gfp_random_seed(&g, 3);
    gfp_vec_random(w->field, w->x, n, &g);
    gfp_vec_random(w->field, w->y, n, &g);
    gfp_vec_set(w->field, w->before, w->y, n);
}

static void end_field(world *w)
{
    free(w->x);
    free(w->y);
    free(w->before);
    gfp_field_destroy(w->field);
    expect_nothing_lost(w, 0, 0);
}

static void y_is_unchanged(world *w)
{
    assert_true(gfp_vec_equal(w->field, w->y, w->before, w->n));
}

/* ---- fields ---- */

static gfp_status create_field(world *w)
{
    return gfp_field_create(&w->field, w->name, &w->allocator, NULL);
}

static void field_is_null(world *w)
{
    assert_null(w->field);
}

static void destroy_field(world *w)
{
    gfp_field_destroy(w->field);
    w->field = NULL;
}

static const char *const fields[] = {"p2", "p8", "m4", "m8", "17", "30^32+1", "65537", "2^16+1"};
#define FIELDS (sizeof fields / sizeof fields[0])

static void creating_a_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIELDS; i++) {
        world w;
        alloc_start(&w, fields[i]);
        assert_true(fail_each(&w, create_field, field_is_null, destroy_field) > 0);
    }
}

static gfp_status create_certificate(world *w)
{
    gfp_certificate c;
    return gfp_certificate_create(&c, 30, 32, &w->allocator, NULL);
}

static void alloc_certificates(void **state)
{
    world w;
    (void)state;
    alloc_start(&w, "certificates");
    fail_each(&w, create_certificate, alloc_nothing, alloc_nothing);
}

/* The supply under test, created with w->allocator. */
static gfp_prime_supply *supply;

static gfp_status create_sparse(world *w)
{
    const gfp_prime_range range = {8, 400, 480, 1};
    return gfp_prime_supply_create(&supply, &range, NULL, &w->allocator, NULL);
}

static gfp_status create_random(world *w)
{
    const gfp_prime_range range = {8, 400, 480, 1};
    gfp_random g;
    gfp_random_seed(&g, 1);
    return gfp_prime_supply_create(&supply, &range, &g, &w->allocator, NULL);
}

static void supply_is_null(world *w)
{
    (void)w;
    assert_null(supply);
}

static void destroy_supply(world *w)
{
    (void)w;
    gfp_prime_supply_destroy(supply);
    supply = NULL;
}

static gfp_status field_of_the_supply(world *w)
{
    return gfp_prime_supply_field(&w->field, supply, NULL);
}

static gfp_prime delivered;

static gfp_status next_prime(world *w)
{
    (void)w;
    return gfp_prime_supply_next(&delivered, supply, NULL);
}

static void nothing_is_delivered(world *w)
{
    (void)w;
    assert_true(delivered.r == 0);
}

/* A failed allocation loses no prime: the supply then delivers its first prime. */
static void supplies_of_primes(void **state)
{
    static action *const create[] = {create_sparse, create_random};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        world w;
        alloc_start(&w, "primes");
        assert_true(fail_each(&w, create[i], supply_is_null, destroy_supply) > 0);
        assert_int_equal(create[i](&w), GFP_OK);
        assert_int_equal(next_prime(&w), GFP_OK);
        const uint64_t first = delivered.r;
        assert_true(fail_each(&w, field_of_the_supply, field_is_null, destroy_field) > 0);
        destroy_supply(&w);

        assert_int_equal(create[i](&w), GFP_OK);
        delivered.r = 0;
        assert_true(fail_each(&w, next_prime, nothing_is_delivered, alloc_nothing) > 0);
        assert_true(delivered.r == first);
        destroy_supply(&w);
        expect_nothing_lost(&w, 0, 0);
    }
}

static void a_composite_modulus_leaks_nothing(void **state)
{
    static const char *const bad[] = {"34^2+1", "2^32+1", "3^4+1", "(2^63+2^35)^8+1",
                                      "x",      "",       "19"};
    (void)state;
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        world w;
        alloc_start(&w, bad[i]);
        assert_int_not_equal(create_field(&w), GFP_OK);
        assert_null(w.field);
        expect_nothing_lost(&w, 0, 0);
    }
}

/* ---- plans and transforms ---- */

static gfp_status create_plan(world *w)
{
    return gfp_fft_plan_create(&w->plan, w->field, w->n, NULL);
}

static void plan_is_null(world *w)
{
    assert_null(w->plan);
}

static void destroy_plan(world *w)
{
    gfp_fft_plan_destroy(w->plan);
    w->plan = NULL;
}

/* Each field with a length beyond 2k, so that there are twiddles. */
static const struct {
    const char *name;
    size_t n;
} transforms[] = {{"p8", 256}, {"p2", 64},      {"m16", 128},
                  {"17", 16},  {"30^32+1", 64}, {"p128", 512}};
#define TRANSFORMS (sizeof transforms / sizeof transforms[0] - SANITIZED) /* p128: minutes */

static void creating_a_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRANSFORMS; i++) {
        world w;
        start_field(&w, transforms[i].name, transforms[i].n);
        assert_true(fail_each(&w, create_plan, plan_is_null, destroy_plan) > 0);
        end_field(&w);
    }
}

static gfp_status alloc_forward(world *w)
{
    return gfp_fft_run(w->y, w->x, GFP_FORWARD, GFP_ORDER_NATURAL, w->plan, NULL);
}

static gfp_status alloc_inverse(world *w)
{
    return gfp_fft_run(w->y, w->x, GFP_INVERSE, GFP_ORDER_PERMUTED, w->plan, NULL);
}

static void restore_y(world *w)
{
    gfp_vec_set(w->field, w->y, w->before, w->n);
}

/* The field keeps the work area of a transform for the next one. */
static void transforms_allocate_once(void **state)
{
    action *const calls[] = {alloc_forward, alloc_inverse};
    (void)state;
    for (size_t i = 0; i < TRANSFORMS; i++) {
        world w;
        start_field(&w, transforms[i].name, transforms[i].n);
        assert_int_equal(create_plan(&w), GFP_OK);
        for (size_t j = 0; LAB_ROW(calls, j); j++) {
            assert_int_equal(calls[j](&w), GFP_OK);
            meter_fail_at(&w.m, 0);
            assert_int_equal(calls[j](&w), GFP_OK);
            assert_int_equal(w.m.calls, 0);
            w.m.fail_at = NEVER;
        }
        destroy_plan(&w);
        end_field(&w);
    }
}

/* ---- batch inverse ---- */

static gfp_status alloc_invert(world *w)
{
    return gfp_vec_inv(w->field, w->y, w->x, w->n, NULL);
}

static gfp_status invert_in_place(world *w)
{
    return gfp_vec_inv(w->field, w->y, w->y, w->n, NULL);
}

static void batch_inverses(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIELDS; i++) {
        world w;
        start_field(&w, fields[i], 9);
        for (size_t j = 0; j < w.n; j++) {
            gfp_elem_set_u64(w.field, w.x + j * gfp_field_k(w.field), j + 1);
            gfp_elem_set_u64(w.field, w.y + j * gfp_field_k(w.field), 9 - j);
        }
        gfp_vec_set(w.field, w.before, w.y, w.n);
        assert_true(fail_each(&w, alloc_invert, y_is_unchanged, restore_y) > 0);
        assert_true(fail_each(&w, invert_in_place, y_is_unchanged, restore_y) > 0);
        end_field(&w);
    }
}

/* ---- polynomials ---- */

static void start_polynomials(world *w, const char *name, size_t len_a, size_t len_b)
{
    gfp_random g;
    alloc_start(w, name);
    gfp_random_seed(&g, 8);
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    gfp_poly_init(&w->a, w->field);
    gfp_poly_init(&w->b, w->field);
    gfp_poly_init(&w->c, w->field);
    assert_int_equal(gfp_poly_random(&w->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, len_b, &g), GFP_OK);
}

static void end_polynomials(world *w)
{
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->c);
    gfp_field_destroy(w->field);
    expect_nothing_lost(w, 0, 0);
}

static void c_is_zero(world *w)
{
    assert_int_equal(w->c.len, 0);
}

static void clear_c(world *w)
{
    gfp_poly_clear(&w->c);
}

/* A low product whose check takes all of the product: where there is no memory for that, the part
 * alone is computed. */
static void checked_parts_need_no_memory_for_the_whole(void **state)
{
    world w;
    gfp_poly expected;
    size_t n = 0;
    gfp_report report;
    const gfp_options options = {.method = "hybrid", .verify = GFP_VERIFY_POINT, .report = &report};
    (void)state;
    start_polynomials(&w, "p8", 400, 400);
    gfp_poly_init(&expected, w.field);
    assert_int_equal(gfp_poly_mullow(&expected, &w.a, &w.b, 400, &options), GFP_OK);
    for (;; n++) {
        alloc_forget(&w);
        gfp_poly_clear(&w.c);
        meter_fail_at(&w.m, n);
        const gfp_status status = gfp_poly_mullow(&w.c, &w.a, &w.b, 400, &options);
        w.m.fail_at = NEVER;
        if (w.m.calls <= n) {
            assert_int_equal(status, GFP_OK);
            break;
        }
        /* The first block is that of the result. */
        assert_int_equal(status, n == 0 ? GFP_ERR_MEMORY : GFP_OK);
        if (n > 0) {
            assert_int_equal(report.verified, GFP_VERIFY_POINT);
            assert_true(gfp_poly_equal(&w.c, &expected));
        }
    }
    assert_true(n > 2);
    gfp_poly_clear(&expected);
    end_polynomials(&w);
}

/* Products that are checked by default, into storage that is long enough. Without memory for a
 * second result, or for the work space, they are computed in this storage, unchecked. */
static void checks_by_default_need_no_memory(void **state)
{
    world w;
    gfp_poly expected;
    (void)state;
    start_polynomials(&w, "p8", 600, 533);
    gfp_poly_init(&expected, w.field);
    assert_int_equal(gfp_poly_mul(&expected, &w.a, &w.b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_set(&w.c, &expected), GFP_OK);
    gfp_report report;
    const gfp_options options = {.report = &report};
    for (size_t n = 0;; n++) {
        alloc_forget(&w);
        gfp_poly_zero(&w.c);
        meter_fail_at(&w.m, n);
        assert_int_equal(gfp_poly_mul(&w.c, &w.a, &w.b, &options), GFP_OK);
        w.m.fail_at = NEVER;
        assert_true(gfp_poly_equal(&w.c, &expected));
        if (w.m.calls <= n) {
            assert_true(n > 1);
            break;
        }
        assert_int_equal(report.verified, GFP_VERIFY_NONE);
    }
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    gfp_poly_clear(&expected);
    end_polynomials(&w);
}

/* A batch that is checked by default, by threads side by side: where memory for the work space of
 * products and checks lacks, products run without the check. */
static void checked_batches_need_no_memory(void **state)
{
    const gfp_batch batch = {.count = 8, .len_a = 600, .len_b = 533};
    gfp_report report;
    const gfp_options options = {.report = &report, .threads = 2};
    world w;
    size_t n = 0;
    (void)state;
    start_field(&w, "p8", batch.count * 1132);
    const uint64_t *b = w.x + batch.count * batch.len_a;
    assert_int_equal(gfp_vec_mul_batch(w.field, w.before, w.x, b, &batch, &options), GFP_OK);
    for (;; n++) {
        alloc_forget(&w);
        gfp_vec_zero(w.field, w.y, w.n);
        meter_fail_at(&w.m, n);
        assert_int_equal(gfp_vec_mul_batch(w.field, w.y, w.x, b, &batch, &options), GFP_OK);
        w.m.fail_at = NEVER;
        y_is_unchanged(&w);
        if (w.m.calls <= n) {
            break;
        }
        assert_int_equal(report.verified, GFP_VERIFY_NONE);
        assert_int_equal(report.points, 0);
    }
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    assert_true(n > 0);
    end_field(&w);
}

static bool fraction_rises(void *user, double fraction)
{
    double *last = user;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return true;
}

/* A division that is checked by default: where any one allocation is refused, it runs again without
 * the check. */
static void checked_calls_run_again_without_the_check(void **state)
{
    world w;
    gfp_poly expected;
    gfp_report report;
    gfp_error error = {.status = GFP_OK};
    double last = 0;
    const gfp_progress progress = {fraction_rises, &last};
    const gfp_options options = {.report = &report, .error = &error, .progress = &progress};
    size_t n = 0;
    (void)state;
    start_polynomials(&w, "p8", 1100, 400);
    gfp_poly_init(&expected, w.field);
    assert_int_equal(gfp_poly_div(&expected, &w.a, &w.b, &options), GFP_OK);
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    for (;; n++) {
        alloc_forget(&w);
        gfp_poly_clear(&w.c);
        meter_fail_at(&w.m, n);
        last = 0;
        assert_int_equal(gfp_poly_div(&w.c, &w.a, &w.b, &options), GFP_OK);
        w.m.fail_at = NEVER;
        assert_true(last == 1);
        assert_int_equal(error.status, GFP_OK);
        assert_true(gfp_poly_equal(&w.c, &expected));
        if (w.m.calls <= n) {
            break;
        }
    }
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    assert_true(n > 2);
    gfp_poly_clear(&expected);
    end_polynomials(&w);
}

static gfp_status multiply_plainly(world *w)
{
    const gfp_options options = {.method = w->method, .verify = GFP_VERIFY_NONE};
    return gfp_poly_mul(&w->c, &w->a, &w->b, &options);
}

/* A product into the place of an earlier one, without and with a power of X in a factor: a failure
 * leaves the earlier one unchanged. */
static void products_into_storage_keep_what_was_there(void **state)
{
    static const char *const methods[] = {"karatsuba", "bigfft", "hybrid"};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        world w;
        size_t n = 0;
        gfp_poly kept;
        /* Too long for hybrid's work area on the stack. */
        start_polynomials(&w, "p8", 400, 333);
        w.method = methods[i % 3];
        gfp_poly_init(&kept, w.field);
        assert_int_equal(gfp_poly_set(&kept, &w.a), GFP_OK);
        assert_int_equal(gfp_poly_shift_left(&w.a, &w.a, i / 3 * 7), GFP_OK);
        assert_int_equal(multiply_plainly(&w), GFP_OK);
        assert_int_equal(gfp_poly_set(&w.c, &kept), GFP_OK);
        const uint64_t *storage = w.c.digits;
        for (;; n++) {
            alloc_forget(&w);
            meter_fail_at(&w.m, n);
            const gfp_status status = multiply_plainly(&w);
            w.m.fail_at = NEVER;
            assert_ptr_equal(w.c.digits, storage);
            if (w.m.calls <= n) {
                assert_int_equal(status, GFP_OK);
                break;
            }
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_true(gfp_poly_equal(&w.c, &kept));
        }
        assert_true(n > 0);
        assert_int_equal(w.c.len, 732 + i / 3 * 7);
        gfp_poly_clear(&kept);
        end_polynomials(&w);
    }
}

static gfp_status alloc_fit(world *w)
{
    return gfp_poly_fit_length(&w->c, 100);
}

static gfp_status alloc_copy(world *w)
{
    return gfp_poly_set(&w->c, &w->a);
}

static gfp_status alloc_add(world *w)
{
    return gfp_poly_add(&w->c, &w->a, &w->b);
}

static gfp_status alloc_shift(world *w)
{
    return gfp_poly_shift_left(&w->c, &w->a, 9);
}

static gfp_status alloc_reverse(world *w)
{
    return gfp_poly_reverse(&w->c, &w->a, 30);
}

static gfp_status alloc_monic(world *w)
{
    return gfp_poly_make_monic(&w->c, &w->a);
}

static gfp_status set_coefficient(world *w)
{
    return gfp_poly_set_coeff_u64(&w->c, 12, 3);
}

static gfp_status read_text(world *w)
{
    return gfp_poly_from_string(&w->c, w->text, w->text_size - 1, GFP_FORMAT_FLINT, NULL);
}

static void polynomial_operations(void **state)
{
    action *const calls[] = {alloc_fit,     alloc_copy,  alloc_add,       alloc_shift,
                             alloc_reverse, alloc_monic, set_coefficient, read_text};
    (void)state;
    for (size_t f = 0; f < FIELDS; f++) {
        world w;
        start_polynomials(&w, fields[f], 40, 20);
        assert_int_equal(gfp_poly_to_string(&w.text, &w.text_size, &w.a, GFP_FORMAT_FLINT), GFP_OK);
        for (size_t i = 0; LAB_ROW(calls, i); i++) {
            assert_true(fail_each(&w, calls[i], c_is_zero, clear_c) > 0);
        }
        gfp_free(w.text);
        end_polynomials(&w);
    }
}

static gfp_status write_text(world *w)
{
    return gfp_poly_to_string(&w->text, &w->text_size, &w->a, GFP_FORMAT_NTL);
}

static void text_is_null(world *w)
{
    assert_null(w->text);
    assert_int_equal(w->text_size, 0);
}

static void free_text(world *w)
{
    gfp_free(w->text);
    w->text = NULL;
    w->text_size = 0;
}

static void polynomials_as_text(void **state)
{
    world w;
    (void)state;
    start_polynomials(&w, "p8", 40, 20);
    assert_true(fail_each(&w, write_text, text_is_null, free_text) > 0);
    end_polynomials(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_a_field),
        cmocka_unit_test(alloc_certificates),
        cmocka_unit_test(supplies_of_primes),
        cmocka_unit_test(a_composite_modulus_leaks_nothing),
        cmocka_unit_test(creating_a_plan),
        cmocka_unit_test(transforms_allocate_once),
        cmocka_unit_test(batch_inverses),
        cmocka_unit_test(products_into_storage_keep_what_was_there),
        cmocka_unit_test(checks_by_default_need_no_memory),
        cmocka_unit_test(checked_batches_need_no_memory),
        cmocka_unit_test(checked_calls_run_again_without_the_check),
        cmocka_unit_test(checked_parts_need_no_memory_for_the_whole),
        cmocka_unit_test(polynomial_operations),
        cmocka_unit_test(polynomials_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
