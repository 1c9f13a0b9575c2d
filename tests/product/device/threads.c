/* threads.c: contexts and plans that are kept, and threads that share them, over the
 * backend `host' (tests/lab/fake_device/device.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "product/device/lab.h"
#include "product/device/pool.h"

/* ---- cached contexts and plans ---- */

static void products_find_what_others_left(void **state)
{
    (void)state;
    factors x;
    const gfp_options options = {.method = "hybrid_gpu"};
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 200, 200);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    const size_t alive = fake_alive(), contexts = fake_contexts();
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    assert_int_equal(fake_alive(), alive);
    assert_int_equal(fake_contexts(), contexts);
    for (size_t n = 1; n < 40; n++) { /* plans of many lengths: few are kept */
        assert_int_equal(gfp_poly_mullow(&x.c, &x.a, &x.b, n, &options), GFP_OK);
    }
    assert_true(fake_alive() < alive + 30);
    lab_drop(&x);
    lab_finish();
}

static void what_is_kept_for_a_field_goes_with_it(void **state)
{
    (void)state;
    lab_begin(MEMORY);
    gfp_field *field = lab_create("p4");
    gfp_poly a;
    gfp_random g;
    gfp_method_info info;
    const gfp_options options = {.method = "hybrid_gpu"};
    gfp_random_seed(&g, 1);
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 1, .len_b = 1}, field, NULL),
                     GFP_OK);
    const size_t alive = fake_alive();
    gfp_poly_init(&a, field);
    assert_int_equal(gfp_poly_random(&a, 100, &g), GFP_OK);
    assert_int_equal(gfp_poly_sqr(&a, &a, &options), GFP_OK);
    assert_true(fake_alive() > alive);
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
    assert_int_equal(fake_alive(), alive);
    lab_finish();
}

/* Takes this many entries at once, and gives them back. Returns the contexts that were opened. */
static size_t take_at_once(const gfp_field *field, size_t count)
{
    gfp_pool_entry *entry[40];
    const size_t before = fake_contexts();
    assert_true(count <= sizeof entry / sizeof *entry);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(gfp_pool_take(&entry[i], field, 0, 1, 0, NULL), GFP_OK);
    }
    for (size_t i = 0; i < count; i++) {
        gfp_pool_give(entry[i], GFP_OK);
    }
    return fake_contexts() - before;
}

/* Threads that multiply at once find a context each the next time, up to a limit; fewer do not keep
 * more than the least number after a release. */
static void as_many_contexts_stay_as_were_in_use(void **state)
{
    const gfp_field *field = lab_named("p4")->field;
    gfp_pool_entry *entry = NULL;
    (void)state;
    lab_begin(MEMORY);
    assert_true(take_at_once(field, 20) >= 20);
    assert_int_equal(take_at_once(field, 20), 0);
    assert_int_equal(take_at_once(field, 40), 20);
    assert_int_equal(take_at_once(field, 40), 40 - 32);
    fake_fail(FAKE_ONCE, 1);
    const gfp_status status = gfp_pool_take(&entry, lab_named("p8")->field, 0, 1, 0, NULL);
    fake_fail(FAKE_ONCE, 0);
    assert_int_not_equal(status, GFP_OK);
    gfp_gpu_pool_release();
    assert_true(take_at_once(field, 4) >= 4);
    assert_int_equal(take_at_once(field, 10), 6);
    assert_int_equal(gfp_pool_take(&entry, field, 0, 1, 0, NULL), GFP_OK);
    gfp_pool_give(entry, GFP_ERR_DEVICE); /* is not kept */
    assert_int_equal(take_at_once(field, 10), 1);
    lab_finish();
}

#define ROUNDS (THREAD_SANITIZED ? 6 : 20)

static void *multiply_often(void *user)
{
    const factors *x = user;
    gfp_poly c;
    gfp_poly_init(&c, x->l->field);
    for (int i = 0; i < ROUNDS; i++) {
        const gfp_options options = {.method = x->tuning == NULL ? names[i % 3] : NULL,
                                     .tuning = x->tuning};
        if (gfp_poly_mul(&c, &x->a, &x->b, &options) != GFP_OK ||
            !gfp_poly_equal(&c, &x->expected)) {
            gfp_poly_clear(&c);
            return user;
        }
    }
    gfp_poly_clear(&c);
    return NULL;
}

static void threads_multiply_at_once(void **state)
{
    pthread_t threads[4];
    factors x;
    (void)state;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 300, 200);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_often, &x), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    lab_drop(&x);
    lab_finish();
}

/* The CPU time of the process in seconds. */
static double threads_busy(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void *read_state(void *user)
{
    const lab *l = user;
    gfp_method_info info = {.available = false};
    return gfp_method_query(&info, gfp_method_count() - 1, &(gfp_problem){.len_a = 1, .len_b = 1},
                            l->field, NULL) == GFP_OK &&
                   info.available
               ? NULL
               : user;
}

static void threads_sleep_while_the_device_starts(void **state)
{
    pthread_t threads[4];
    const lab *l = lab_named("p8");
    (void)state;
    lab_begin(MEMORY);
    fake_start(200);
    const double before = threads_busy();
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_state, (void *)l), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(fake_contexts(), 1);
    assert_true(SANITIZED || threads_busy() - before < 0.1);
    lab_finish();
}

/* An operand that threads share. */
typedef struct shared {
    const factors *x;
    const gfp_operand *b;
} shared;

static void *multiply_by_operand(void *user)
{
    const shared *s = user;
    bool good = true;
    gfp_poly c;
    gfp_poly_init(&c, s->x->l->field);
    for (int i = 0; i < ROUNDS && good; i++) {
        gfp_operand *z = NULL;
        good = gfp_poly_mul_operand(&c, 0, SIZE_MAX, &s->x->a, s->b, NULL) == GFP_OK &&
               gfp_poly_equal(&c, &s->x->expected) &&
               operand_like(&z, s->b, &s->x->a, NULL) == GFP_OK &&
               gfp_operand_arith(z, z, s->b, GFP_OPERAND_MUL) == GFP_OK &&
               gfp_poly_from_operand(&c, 0, SIZE_MAX, z, NULL) == GFP_OK &&
               gfp_poly_equal(&c, &s->x->expected);
        gfp_operand_destroy(z);
    }
    gfp_poly_clear(&c);
    return good ? NULL : user;
}

static void threads_share_an_operand(void **state)
{
    pthread_t threads[4];
    factors x;
    gfp_operand *b = NULL;
    const gfp_options options = {.method = "bigfft_gpu"};
    (void)state;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 90, 70);
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){159, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    shared s = {&x, b};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_by_operand, &s), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(fake_transforms(), 1);
    gfp_operand_destroy(b);
    lab_drop(&x);
    lab_finish();
}

static void *release_often(void *user)
{
    for (int i = 0; i < ROUNDS; i++) {
        gfp_gpu_pool_release();
    }
    (void)user;
    return NULL;
}

/* Threads multiply while products of other threads fail and cached contexts are freed. */
static void threads_meet_failures(void **state)
{
    pthread_t threads[4];
    factors x;
    const lab *l = lab_named("p8");
    (void)state;
    lab_begin(MEMORY);
    lab_draw(&x, l, 300, 200);
    for (int fault = FAKE_MEMORY; fault <= FAKE_FULL; fault++) {
        lab_begin(MEMORY);
        gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
        x.tuning = tuning;
        lab_ask(l);
        fake_fail((fake_fault)fault, 10 * ROUNDS); /* a product takes about 8 calls */
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(
                pthread_create(&threads[i], NULL, i < 3 ? multiply_often : release_often, &x), 0);
        }
        for (size_t i = 0; i < 4; i++) {
            void *failed = NULL;
            assert_int_equal(pthread_join(threads[i], &failed), 0);
            assert_null(failed);
        }
        assert_true(fake_failed());
        fake_fail(FAKE_ONCE, 0);
        gfp_tuning_destroy(tuning);
    }
    lab_drop(&x);
    lab_finish();
}

/* Opens one field only, for the tests of threads: opening the others takes minutes under
 * ThreadSanitizer. */
static int open_one(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        if (strcmp(oracle_fields[f].text, "p8") == 0) {
            lab_fields[f] = (lab){.entry = &oracle_fields[f], .field = lab_create("p8"), .k = 8};
        } else {
            lab_fields[f].entry = &oracle_fields[f];
        }
    }
    return 0;
}

static int close_one(void **state)
{
    (void)state;
    gfp_field_destroy(lab_named("p8")->field);
    return 0;
}

int main(void)
{
    fake_use();
    (void)unsetenv("GFPOLY_GPU");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_find_what_others_left),
        cmocka_unit_test(what_is_kept_for_a_field_goes_with_it),
        cmocka_unit_test(as_many_contexts_stay_as_were_in_use),
        cmocka_unit_test(threads_multiply_at_once),
        cmocka_unit_test(threads_sleep_while_the_device_starts),
        cmocka_unit_test(threads_meet_failures),
        cmocka_unit_test(threads_share_an_operand),
    };
    if (THREAD_SANITIZED) {
        cmocka_set_test_filter("*thread*");
        return cmocka_run_group_tests(tests, open_one, close_one);
    }
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
