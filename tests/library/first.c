/* first.c: the first call of a process takes at most somewhat more than later ones: tables,
 * work areas and choices of a field or a ring are made in its course. In CPU time, the least of
 * several processes, each a fork of one that has made no call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gfpoly/gcd.h"
#include "gfpoly/zvec.h"
#include "lab/sanitized.h"

/* Milliseconds of the first call, and least ones of later calls; negative: a call failed. */
typedef struct times {
    double first, later;
} times;

static double cpu_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void first_note(times *t, size_t call, double ms)
{
    if (call == 0) {
        t->first = ms;
    } else if (call == 1 || ms < t->later) {
        t->later = ms;
    }
}

#define CALLS 4

static times time_polynomials(size_t n, bool gcd)
{
    times t = {-1, -1};
    gfp_field *field;
    gfp_random random;
    gfp_poly a, b, c;
    if (gfp_field_create(&field, "p8", NULL, NULL) != GFP_OK) {
        return t;
    }
    gfp_random_seed(&random, n);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    bool good =
        gfp_poly_random(&a, n, &random) == GFP_OK && gfp_poly_random(&b, n, &random) == GFP_OK;
    for (size_t i = 0; i < CALLS && good; i++) {
        const double from = cpu_ms();
        good = (gcd ? gfp_poly_gcd(&c, &a, &b, NULL) : gfp_poly_mul(&c, &a, &b, NULL)) == GFP_OK;
        first_note(&t, i, good ? cpu_ms() - from : -1);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
    return t;
}

/* Coefficients of a word. */
static bool make_integers(gfp_zvec *z, size_t n, gfp_random *random)
{
    uint64_t *limbs = calloc(n, sizeof *limbs);
    for (size_t i = 0; i < n && limbs != NULL; i++) {
        limbs[i] = gfp_random_u64(random) >> 2;
    }
    const bool good = limbs != NULL && gfp_zvec_set_limbs(z, limbs, n, 1) == GFP_OK;
    free(limbs);
    return good;
}

static times time_integers(size_t n)
{
    times t = {-1, -1};
    gfp_zring *ring;
    gfp_random random;
    gfp_zvec a, b, c;
    if (gfp_zring_create(&ring, NULL, NULL) != GFP_OK) {
        return t;
    }
    gfp_random_seed(&random, n);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    bool good = make_integers(&a, n, &random) && make_integers(&b, n, &random) &&
                gfp_zvec_mul(&a, &a, &b, NULL) == GFP_OK;
    for (size_t i = 0; i < CALLS && good; i++) {
        const double from = cpu_ms();
        good = gfp_zvec_gcd(&c, &a, &b, NULL) == GFP_OK;
        first_note(&t, i, good ? cpu_ms() - from : -1);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zring_destroy(ring);
    return t;
}

enum { PRODUCT, GCD, GCD_OVER_Z };

/* In a process of its own. */
static times time_apart(int what, size_t n)
{
    times t = {-1, -1};
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        t = what == GCD_OVER_Z ? time_integers(n) : time_polynomials(n, what == GCD);
        _exit(write(ends[1], &t, sizeof t) == (ssize_t)sizeof t ? 0 : 1);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &t, sizeof t), sizeof t);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(t.first > 0 && t.later > 0);
    return t;
}

#define PROCESSES (SANITIZED ? 1 : 4)

/* 1.3 times a later call and 2 ms are the aim; machines that do other work get twice as much. */
static void first_calls_are_short(void **state)
{
    static const char *const names[] = {"product", "gcd", "gcd over Z"};
    static const size_t lengths[] = {16, 128, 1024};
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        times least = {1e9, 1e9};
        for (unsigned j = 0; j < PROCESSES; j++) {
            const times t = time_apart((int)(i / 3), lengths[i % 3]);
            least.first = t.first < least.first ? t.first : least.first;
            least.later = t.later < least.later ? t.later : least.later;
        }
        const double most = 1.6 * least.later + (SANITIZED ? 200 : 4);
        if (least.first > most) {
            fail_msg("%s of %zu terms: %.2f ms, later ones %.2f", names[i / 3], lengths[i % 3],
                     least.first, least.later);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_calls_are_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
