/* large.c: arrays beyond 2^32 bytes: k = 128 and a little over 2^22 elements, added and
 * negated in place. Every element is compared with a carry chain written here, which is itself
 * compared with the oracle. Skipped, saying so, where memory is short.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/elem.h"
#include "lab/oracle.h"

#define DIGITS 128
#define BORDER ((size_t)1 << 22) /* the element that starts at byte 2^32 */
#define COUNT (BORDER + 37)
/* Memory left to other processes. */
#define SPARE ((uint64_t)1 << 30)

static const uint64_t r = UINT64_MAX - (UINT64_C(1) << 28) + 1; /* p128's: 2^64 - 2^28 */

/* The number in the first line of the file that starts with key, 0 where there is none. */
static uint64_t number_in(const char *path, const char *key)
{
    char line[256];
    unsigned long long value = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            value = strtoull(line + strlen(key), NULL, 10);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

/* Bytes that may be used without swapping or being killed, as far as Linux tells. */
static uint64_t memory_available(void)
{
    uint64_t available = 1024 * number_in("/proc/meminfo", "MemAvailable:");
    uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    if (limit != 0 && limit - used < available) {
        available = limit > used ? limit - used : 0;
    }
    return available;
}

/* The digit j of the input's element i: uniform but for every 16th element, which has extremes. */
static uint64_t input_digit(size_t i, size_t j)
{
    uint64_t state = (uint64_t)(i * DIGITS + j);
    uint64_t x = oracle_random(&state);
    if (i % 16 == 0) {
        return x % 3 == 0 ? 0 : x % 3 == 1 ? r - 1 : r / 2;
    }
    return x >= r ? x - r : x;
}

static void fill_element(uint64_t *x, size_t i)
{
    for (size_t j = 0; j < DIGITS; j++) {
        x[j] = input_digit(i, j);
    }
}

/* x := x - 1; a carry out of the top is r^k = -1. */
static void subtract_one(uint64_t *x)
{
    for (size_t j = 0; j < DIGITS; j++) {
        if (x[j] != 0) {
            x[j]--;
            return;
        }
        x[j] = r - 1;
    }
    /* x was 0: -1 is the special element. */
    memset(x, 0, DIGITS * sizeof *x);
    x[DIGITS - 1] = r;
}

/* x := 2 x for canonical x other than the special element. */
static void large_twice(uint64_t *x)
{
    uint64_t carry = 0;
    for (size_t j = 0; j < DIGITS; j++) {
        uint64_t d = x[j];
        bool over = d >= r - d - carry; /* 2 d + carry >= r */
        x[j] = over ? d - (r - d - carry) : d + d + carry;
        carry = over;
    }
    if (carry != 0) {
        subtract_one(x);
    }
}

/* x := -x. */
static void large_negate(uint64_t *x)
{
    bool special = x[DIGITS - 1] == r, any = false;
    for (size_t j = 0; j < DIGITS; j++) {
        any = any || x[j] != 0;
    }
    if (special || !any) { /* 1 and 0 */
        x[DIGITS - 1] = 0;
        x[0] = special;
        return;
    }
    /* p - x = (r^k - 1 - x) + 2, the first by complements. */
    for (size_t j = 0; j < DIGITS; j++) {
        x[j] = r - 1 - x[j];
    }
    for (int step = 0; step < 2; step++) {
        size_t j = 0;
        while (j < DIGITS && x[j] == r - 1) {
            x[j++] = 0;
        }
        if (j < DIGITS) {
            x[j]++;
        } else { /* r^k */
            x[DIGITS - 1] = r;
            return;
        }
    }
}

/* The carry chains above agree with the oracle on the element i. */
static void check_chains(const oracle *o, size_t i)
{
    uint64_t x[DIGITS], expected[DIGITS];
    mpz_t z, t;
    mpz_inits(z, t, NULL);
    fill_element(x, i);
    oracle_get(o, t, x);
    oracle_add(o, z, t, t);
    oracle_set(o, expected, z);
    large_twice(x);
    assert_memory_equal(x, expected, sizeof x);
    oracle_neg(o, z, z);
    oracle_set(o, expected, z);
    large_negate(x);
    assert_memory_equal(x, expected, sizeof x);
    mpz_clears(z, t, NULL);
}

static void expect_all(const uint64_t *x, bool negated)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t expected[DIGITS];
        fill_element(expected, i);
        large_twice(expected);
        if (negated) {
            large_negate(expected);
        }
        if (memcmp(x + i * DIGITS, expected, sizeof expected) != 0) {
            fail_msg("%s: element %zu of %zu is wrong", negated ? "neg" : "add", i, (size_t)COUNT);
        }
    }
}

static void arrays_beyond_4_gib_are_added_and_negated(void **state)
{
    const uint64_t needed = COUNT * (uint64_t)DIGITS * sizeof(uint64_t) + SPARE;
    gfp_field *field = NULL;
    uint64_t *x = NULL;
    oracle o;
    (void)state;
    if (memory_available() < needed) {
        print_message("skipped: %llu MiB of memory are needed, %llu MiB are available\n",
                      (unsigned long long)(needed >> 20),
                      (unsigned long long)(memory_available() >> 20));
        skip();
    }
    assert_true(COUNT * DIGITS * sizeof *x > UINT32_MAX);
    oracle_init(&o, r, DIGITS);
    for (size_t i = 0; i < 200; i++) {
        check_chains(&o, i);
        check_chains(&o, BORDER - 100 + i);
    }
    oracle_clear(&o);
    assert_int_equal(gfp_field_create(&field, "p128", NULL, NULL), GFP_OK);
    x = malloc(COUNT * DIGITS * sizeof *x);
    if (x == NULL) {
        gfp_field_destroy(field);
        print_message("skipped: malloc refused %llu MiB\n", (unsigned long long)(needed >> 20));
        skip();
    }
    for (size_t i = 0; i < COUNT; i++) {
        fill_element(x + i * DIGITS, i);
    }
    assert_int_equal(gfp_vec_canonical(field, x, COUNT), COUNT);
    gfp_vec_add(field, x, x, x, COUNT);
    expect_all(x, false);
    gfp_vec_neg(field, x, x, COUNT);
    expect_all(x, true);
    x[(BORDER + 5) * DIGITS + 3] = UINT64_MAX;
    assert_int_equal(gfp_vec_canonical(field, x, COUNT), BORDER + 5);
    free(x);
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_beyond_4_gib_are_added_and_negated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
