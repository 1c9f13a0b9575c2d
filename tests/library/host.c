/* host.c: the library leaves its process unchanged: a child after fork can continue with all
 * objects of its parent, and FLINT's thread count stays the caller's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if GFP_HAVE_FLINT
#include <flint/flint.h>
#endif

#include "gfpoly.h"

#define LENGTH 300
#define FLINT_THREADS 2

/* Two factors over a field, and a product of them. */
typedef struct world {
    gfp_field *field;
    gfp_poly a, b, product;
} world;

static void open_world(world *w)
{
    gfp_random g;

    gfp_random_seed(&g, 5);
    assert_int_equal(gfp_field_create(&w->field, "p8", NULL, NULL), GFP_OK);
    gfp_poly_init(&w->a, w->field);
    gfp_poly_init(&w->b, w->field);
    gfp_poly_init(&w->product, w->field);
    assert_int_equal(gfp_poly_random(&w->a, LENGTH, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, LENGTH, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->product, &w->a, &w->b, NULL), GFP_OK);
}

static void close_world(world *w)
{
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->product);
    gfp_field_destroy(w->field);
}

/* Whether every available method gives the product; *served counts them. */
static bool all_methods_agree(const world *w, size_t *served)
{
    bool agree = true;
    gfp_poly c;

    gfp_poly_init(&c, w->field);
    *served = 0;
    for (size_t i = 0; i < gfp_method_count() && agree; i++) {
        const gfp_options options = {.method = gfp_method_name(i)};
        gfp_method_info info;
        agree = gfp_method_query(&info, i, &(gfp_problem){.len_a = LENGTH, .len_b = LENGTH},
                                 w->field, NULL) == GFP_OK;
        if (agree && info.available) {
            agree = gfp_poly_mul(&c, &w->a, &w->b, &options) == GFP_OK &&
                    gfp_poly_equal(&c, &w->product);
            *served += 1;
        }
    }
    gfp_poly_clear(&c);
    return agree;
}

/* Runs in the child, without cmocka's assertions: a failed one would continue with the parent's
 * tests. */
static bool child_computes(const world *w)
{
    size_t served;
    gfp_field *other;
    gfp_poly square;
    bool fine = all_methods_agree(w, &served) && served >= 3;

    fine = fine && gfp_field_create(&other, "m4", NULL, NULL) == GFP_OK;
    if (fine) {
        gfp_field_destroy(other);
    }
    gfp_poly_init(&square, w->field);
    fine = fine && gfp_poly_sqr(&square, &w->a, NULL) == GFP_OK &&
           gfp_poly_verify_mul(&square, &w->a, &w->a, NULL) == GFP_OK;
    gfp_poly_clear(&square);
    return fine;
}

static void fork_and_compute(const world *w)
{
    int status;
    size_t served;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        _exit(child_computes(w) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    /* And the parent with its own. */
    assert_true(all_methods_agree(w, &served));
}

static void a_child_goes_on_with_what_its_parent_made(void **state)
{
    world w;
    size_t served;

    (void)state;
    open_world(&w);
    assert_true(all_methods_agree(&w, &served));
    fork_and_compute(&w);
    close_world(&w);
}

#if GFP_HAVE_FLINT
static void flint_keeps_the_thread_count_of_its_caller(void **state)
{
    world w;
    size_t served;

    (void)state;
    flint_set_num_threads(FLINT_THREADS);
    open_world(&w);
    assert_int_equal(flint_get_num_threads(), FLINT_THREADS);
    assert_true(all_methods_agree(&w, &served));
    assert_int_equal(flint_get_num_threads(), FLINT_THREADS);
    assert_int_equal(
        gfp_poly_verify_mul(&w.product, &w.a, &w.b, &(gfp_options){.verify = GFP_VERIFY_CROSS}),
        GFP_OK);
    assert_int_equal(flint_get_num_threads(), FLINT_THREADS);
    /* gfpoly.h demands this of a process with FLINT's threads before a fork. */
    flint_cleanup_master();
    fork_and_compute(&w);
    close_world(&w);
    flint_cleanup_master();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_goes_on_with_what_its_parent_made),
#if GFP_HAVE_FLINT
        cmocka_unit_test(flint_keeps_the_thread_count_of_its_caller),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
