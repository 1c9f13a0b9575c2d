/* levels.c: the outer DFT. The slow twin (by the definition, on canonical elements) against
 * GMP; every engine present against the slow twin, digits' ranges included, for all tree sizes, on
 * random and extreme inputs; the inverse also on leaf digits at the ends of their range.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/outer/checked.h"

/* A field under test; r^k + 1 need not be prime. */
typedef struct subject {
    char name[32];
    oracle o;
    gfp_field *field;
    uint64_t *extremes;
    size_t extreme_count;
} subject;

#define MORE 12 /* of its own, in setup */
static subject subjects[ORACLE_FIELDS + MORE];
static size_t subject_count;

static void add_subject(const char *name, uint64_t r, unsigned k)
{
    assert_true(subject_count < sizeof subjects / sizeof subjects[0]);
    subject *s = &subjects[subject_count++];
    snprintf(s->name, sizeof s->name, "%s", name);
    oracle_init(&s->o, r, k);
    assert_int_equal(gfp_field_create_raw(&s->field, r, k, NULL, NULL), GFP_OK);
    s->extremes = lab_array(ORACLE_MAX_EXTREMES * k);
    s->extreme_count = oracle_extremes(&s->o, s->extremes);
}

static int outer_setup(void **state)
{
    (void)lab_setup_count(state);
    for (size_t i = 0; i < oracle_field_count; i++) {
        add_subject(oracle_fields[i].text, oracle_fields[i].r, oracle_fields[i].k);
    }
    add_subject("(2^62+2^56)^256+1", (UINT64_C(1) << 62) + (UINT64_C(1) << 56), 256);
    add_subject("(2^64-2^28)^8+1", UINT64_MAX - (UINT64_C(1) << 28) + 1, 8);
    add_subject("(2^64-2^28)^256+1", UINT64_MAX - (UINT64_C(1) << 28) + 1, 256);
    add_subject("(2^64-2^28)^16+1", UINT64_MAX - (UINT64_C(1) << 28) + 1, 16);
    add_subject("(2^54)^8+1", UINT64_C(1) << 54, 8);
    add_subject("(2^54-2)^4+1", (UINT64_C(1) << 54) - 2, 4);
    add_subject("(2^64-2^34-2)^32+1", UINT64_MAX - (UINT64_C(1) << 34) - 1, 32);
    add_subject("(2^32)^8+1", UINT64_C(1) << 32, 8);
    add_subject("(2^32+2)^16+1", (UINT64_C(1) << 32) + 2, 16);
    add_subject("(2^53+2)^4+1", (UINT64_C(1) << 53) + 2, 4);
    add_subject("(2^64-2)^8+1", UINT64_MAX - 1, 8);
    add_subject("(2^64-2^34)^2+1", UINT64_MAX - (UINT64_C(1) << 34) + 1, 2);
    return 0;
}

static int outer_teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < subject_count; i++) {
        oracle_clear(&subjects[i].o);
        gfp_field_destroy(subjects[i].field);
        lab_free(subjects[i].extremes);
    }
    return 0;
}

/* ---- inputs ---- */

enum { MIXED = -1, SPARSE = -2, RANDOM = -3 }; /* or the number of one extreme for all */

static uint64_t seed = 4;

static void outer_fill(const subject *s, uint64_t *x, size_t len, int kind)
{
    size_t k = s->o.k;
    memset(x, 0, len * k * sizeof *x);
    for (size_t i = 0; i < len; i++) {
        size_t pick = kind >= 0 ? (size_t)kind : (size_t)oracle_random(&seed);
        if (kind == RANDOM || (kind == MIXED && pick % 2 == 0)) {
            oracle_random_element(&s->o, x + i * k, &seed);
        } else if (kind != SPARSE || pick % 16 == 0) {
            memcpy(x + i * k, s->extremes + pick / 16 % s->extreme_count * k, k * sizeof *x);
            if (kind >= 0) {
                memcpy(x + i * k, s->extremes + pick % s->extreme_count * k, k * sizeof *x);
            }
        }
    }
}

/* The greatest |d| of leaf digits. */
static uint64_t digit_bound(uint64_t r)
{
    uint64_t bound = r / 2 + (r >> 21);
    return bound < (UINT64_C(1) << 63) - 1 ? bound : (UINT64_C(1) << 63) - 1;
}

/* Leaf digits at the ends of the range, by pattern. */
static void fill_digits(uint64_t r, int64_t *d, size_t n, unsigned pattern)
{
    int64_t bound = (int64_t)digit_bound(r);
    for (size_t i = 0; i < n; i++) {
        uint64_t random = oracle_random(&seed);
        switch (pattern) {
        case 0:
            d[i] = bound;
            break;
        case 1:
            d[i] = -bound;
            break;
        case 2:
            d[i] = (random & 1) != 0 ? bound : -bound;
            break;
        case 3:
            d[i] = (int64_t)(random % 3) - 1;
            break;
        case 4:
            d[i] = -1;
            break;
        case 5:
            d[i] = (int64_t)(r / 2) - (int64_t)(random % 2);
            break;
        default:
            d[i] = (int64_t)(random % r - r / 2);
            break;
        }
    }
}

/* ---- places ---- */

static size_t leaf_place(const gfp_outer *outer, size_t lane_count, size_t j, size_t x, size_t t)
{
    return gfp_outer_leaf_at(outer, (unsigned)j) +
           (x / lane_count * outer->field->k + t) * lane_count + x % lane_count;
}

static int64_t *leaf_array(const gfp_outer *outer)
{
    return aligned_alloc(64, (gfp_outer_words(outer) * 8 + 63) / 64 * 64);
}

/* All steps of an engine, columns in two ranges, the later one first, and the last node first. */
static void run_forward(const gfp_outer_engine *engine, const gfp_outer *outer, int64_t *digits,
                        const uint64_t *x, size_t len)
{
    const size_t columns = gfp_outer_top(outer).m / engine->lanes;
    engine->forward(outer, digits, x, len, columns / 2, columns);
    engine->forward(outer, digits, x, len, 0, columns / 2);
    for (unsigned node = gfp_outer_top(outer).leaves; node-- > 0;) {
        engine->refine(outer, digits + node * gfp_outer_node_words(outer), node);
    }
}

static void run_inverse(const gfp_outer_engine *engine, const gfp_outer *outer, uint64_t *z,
                        size_t len, int64_t *digits)
{
    const size_t columns = gfp_outer_top(outer).m / engine->lanes;
    for (unsigned node = gfp_outer_top(outer).leaves; node-- > 0;) {
        engine->coarsen(outer, digits + node * gfp_outer_node_words(outer), node);
    }
    engine->inverse(outer, z, len, digits, columns / 2, columns);
    engine->inverse(outer, z, len, digits, 0, columns / 2);
}

/* The coefficient x of leaf j as a canonical element; false where a digit is out of range. */
static bool leaf_element(const gfp_outer *outer, size_t lane_count, const int64_t *digits, size_t j,
                         size_t x, uint64_t *z)
{
    const gfp_field *field = outer->field;
    gfp_i128 v[GFP_MAX_K];
    uint64_t bound = digit_bound(field->r);
    bool fine = true;
    for (unsigned t = 0; t < field->k; t++) {
        int64_t d = digits[leaf_place(outer, lane_count, j, x, t)];
        fine = fine && (d < 0 ? (uint64_t)0 - (uint64_t)d : (uint64_t)d) <= bound;
        v[t] = d;
    }
    gfp_reference_normalize(field, z, v);
    return fine;
}

static void outer_failed(const subject *s, const gfp_outer_engine *engine, const gfp_outer *outer,
                         size_t len, int kind, const char *what)
{
    fail_msg("%s: %s of %s, 2^%u leaves, first %u, m = %zu, len = %zu, input %d", s->name, what,
             engine->name, outer->log2_size, outer->leaves, outer->m, len, kind);
}

/* ---- the slow twin against GMP ---- */

static void check_definition(const subject *s, const gfp_outer *outer)
{
    size_t k = s->o.k, len = outer->leaves * outer->m;
    uint64_t *x = lab_array(len * k), z[GFP_MAX_K];
    int64_t *digits = leaf_array(outer);
    mpz_t power, value, expected, term;
    mpz_inits(power, value, expected, term, NULL);
    outer_fill(s, x, len, MIXED);
    run_forward(&gfp_outer_generic, outer, digits, x, len);
    for (unsigned j = 0; j < outer->leaves; j++) {
        unsigned reversed = 0;
        for (unsigned b = 0; b < outer->log2_size; b++) {
            reversed = 2 * reversed + (j >> b & 1);
        }
        unsigned long e = reversed * (2UL * k >> outer->log2_size);
        for (size_t c = 0; c < outer->m; c++) {
            mpz_set_ui(expected, 0);
            for (unsigned long i = 0; i < outer->leaves; i++) {
                oracle_get(&s->o, value, x + (i * outer->m + c) * k);
                oracle_r_power(&s->o, power, e * i);
                oracle_mul(&s->o, term, value, power);
                oracle_add(&s->o, expected, expected, term);
            }
            bool fine = leaf_element(outer, 1, digits, j, c, z);
            oracle_get(&s->o, value, z);
            if (!fine || mpz_cmp(value, expected) != 0) {
                outer_failed(s, &gfp_outer_generic, outer, len, MIXED, "definition");
            }
        }
    }
    mpz_clears(power, value, expected, term, NULL);
    lab_free(x);
    free(digits);
}

static void test_definition(void **state)
{
    (void)state;
    for (size_t i = 0; i < subject_count; i++) {
        const subject *s = &subjects[i];
        for (unsigned log2_size = 0; log2_size <= 4 && 1U << log2_size <= 2 * s->o.k; log2_size++) {
            unsigned size = 1U << log2_size, leaves = size - (s->o.k > 16 ? size / 4 : 0);
            check_definition(s, &(gfp_outer){s->field, log2_size, leaves, 2});
        }
        /* Trees of two rounds. */
        for (unsigned log2_size = 5; s->o.k <= 64 && 1U << log2_size <= 2 * s->o.k; log2_size++) {
            check_definition(s, &(gfp_outer){s->field, log2_size, 3U << (log2_size - 4), 1});
        }
    }
}

/* ---- engines against the slow twin ---- */

static void check_forward(const subject *s, const gfp_outer_engine *engine, const gfp_outer *outer,
                          size_t len, int kind)
{
    size_t k = s->o.k, n = engine->lanes;
    uint64_t *x = lab_array(len * k), *back = lab_array(len * k), z[GFP_MAX_K], e[GFP_MAX_K];
    int64_t *digits = leaf_array(outer), *expected = leaf_array(outer);
    outer_fill(s, x, len, kind);
    run_forward(&gfp_outer_generic, outer, expected, x, len);
    run_forward(engine, outer, digits, x, len);
    for (size_t j = 0; j < outer->leaves; j++) {
        for (size_t c = 0; c < outer->m; c++) {
            bool fine = leaf_element(outer, n, digits, j, c, z);
            (void)leaf_element(outer, 1, expected, j, c, e);
            if (!fine || memcmp(z, e, k * sizeof *z) != 0) {
                outer_failed(s, engine, outer, len, kind, fine ? "forward" : "range");
            }
        }
    }
    run_inverse(engine, outer, back, len, digits);
    if (memcmp(back, x, len * k * sizeof *x) != 0) {
        outer_failed(s, engine, outer, len, kind, "inverse");
    }
    lab_free(x);
    lab_free(back);
    free(digits);
    free(expected);
}

/* Any leaf digits in range. */
static void check_inverse(const subject *s, const gfp_outer_engine *engine, const gfp_outer *outer,
                          size_t len, unsigned pattern)
{
    size_t k = s->o.k, n = engine->lanes;
    uint64_t *z = lab_array(len * k), *expected = lab_array(len * k);
    int64_t *digits = leaf_array(outer), *slow = leaf_array(outer);
    fill_digits(s->o.r, digits, gfp_outer_words(outer), pattern);
    for (size_t j = 0; j < outer->leaves; j++) {
        for (size_t c = 0; c < outer->m; c++) {
            for (size_t t = 0; t < k; t++) {
                slow[leaf_place(outer, 1, j, c, t)] = digits[leaf_place(outer, n, j, c, t)];
            }
        }
    }
    run_inverse(&gfp_outer_generic, outer, expected, len, slow);
    run_inverse(engine, outer, z, len, digits);
    if (memcmp(z, expected, len * k * sizeof *z) != 0) {
        outer_failed(s, engine, outer, len, (int)pattern, "inverse of digits");
    }
    lab_free(z);
    lab_free(expected);
    free(digits);
    free(slow);
}

static void check_shape(const subject *s, const gfp_outer_engine *engine, unsigned log2_size,
                        unsigned leaves, unsigned effort)
{
    gfp_outer outer = {s->field, log2_size, leaves, engine->lanes * (effort > 1 ? 2U : 1U)};
    size_t full = leaves * outer.m;
    check_forward(s, engine, &outer, full, MIXED);
    check_forward(s, engine, &outer, (full + 1) / 2, RANDOM);
    check_inverse(s, engine, &outer, full, effort + leaves % 7);
    if (effort > 1) {
        check_forward(s, engine, &outer, full - 1, SPARSE);
        check_forward(s, engine, &outer, full / 2 + 1, SPARSE);
        check_forward(s, engine, &outer, 1, MIXED);
        check_forward(s, engine, &outer, full / 3 + 1, MIXED);
        for (unsigned pattern = 0; pattern < 7; pattern++) {
            check_inverse(s, engine, &outer, full, pattern);
        }
        for (int i = 0; i < (int)s->extreme_count; i++) {
            check_forward(s, engine, &outer, full, i);
        }
    }
}

static void check_engine(const subject *s, const gfp_outer_engine *engine)
{
    for (unsigned log2_size = 0; 1U << log2_size <= 2 * s->o.k; log2_size++) {
        unsigned size = 1U << log2_size, step = log2_size > 4 ? size / 16 : 1;
        bool heavy = (uint64_t)size * s->o.k * engine->lanes > 1U << 10;
        /* Of trees that the slow twin takes long for, the largest: several rounds. */
        uint64_t work = (uint64_t)size * size * s->o.k * engine->lanes;
        if (work > 1U << 20) {
            if (size == 2 * s->o.k && work <= 1U << 26) {
                gfp_outer outer = {s->field, log2_size, size - step, engine->lanes};
                check_forward(s, engine, &outer, (size - step) * outer.m, MIXED);
            }
            continue;
        }
        for (unsigned leaves = step; leaves <= size; leaves += step) {
            bool some = leaves == size || leaves == 15 * step || leaves == 10 * step;
            if (!heavy || some) {
                check_shape(s, engine, log2_size, leaves, !heavy && (some || s->o.k <= 4) ? 2 : 1);
            }
        }
    }
}

/* ---- the base case of transforms against the one by butterfly kernels ---- */

static void expect_rows(const subject *s, const uint64_t *z, const uint64_t *expected, size_t n,
                        const char *what, unsigned radix_log)
{
    if (memcmp(z, expected, n * s->o.k * sizeof *z) != 0) {
        fail_msg("%s: %s base case of radix 2^%u", s->name, what, radix_log);
    }
}

/* transposed: the elements of a column lie side by side. */
static void check_base(const subject *s, const gfp_base_engine *engine, unsigned radix_log,
                       int kind, bool transposed)
{
    const gfp_field *field = s->field;
    size_t k = s->o.k, columns = 2 * (size_t)engine->lanes, radix = (size_t)1 << radix_log;
    size_t n = radix * columns, row = transposed ? 1 : columns, column = transposed ? radix : 1;
    uint64_t *x = lab_array(n * k), *slow = lab_array(n * k), *fast = lab_array(n * k);
    gfp_base_rows rows = {fast, row * k, column * k, columns};
    outer_fill(s, x, n, kind);
    for (int inverse = 0; inverse < 2; inverse++) {
        memcpy(slow, x, n * k * sizeof *x);
        (inverse ? gfp_fft_base_inverse : gfp_fft_base)(field, slow, radix_log, columns);
        for (size_t i = 0; i < n; i++) {
            size_t to = i / columns * row + i % columns * column;
            memcpy(fast + to * k, x + i * k, k * sizeof *x);
        }
        (inverse ? engine->inverse : engine->forward)(field, &rows, radix_log);
        for (size_t i = 0; i < n; i++) {
            size_t from = i / columns * row + i % columns * column;
            memcpy(x + i * k, fast + from * k, k * sizeof *x);
        }
        expect_rows(s, x, slow, n, inverse ? "inverse" : "forward", radix_log);
    }
    lab_free(x);
    lab_free(slow);
    lab_free(fast);
}

static void check_base_cases(const subject *s, const gfp_base_engine *engine)
{
    for (unsigned log = 1; engine != NULL && 1U << log <= 2 * s->o.k; log++) {
        for (int kind = RANDOM; kind < (int)s->extreme_count; kind++) {
            check_base(s, engine, log, kind, kind % 2 == 0);
        }
    }
}

static void check_base_level(const subject *s, gfp_level level)
{
    gfp_level before = gfp_cpu_level_get();
    gfp_field *field;
    assert_true(gfp_cpu_level_force(level));
    assert_int_equal(gfp_field_create_raw(&field, s->o.r, s->o.k, NULL, NULL), GFP_OK);
    assert_true(gfp_cpu_level_force(before));
    check_base_cases(s, gfp_base_engine_get(field));
    gfp_field_destroy(field);
}

static void check_level(gfp_level level)
{
    if (!gfp_cpu_has(level)) {
        skip();
    }
    for (size_t i = 0; i < subject_count; i++) {
        const subject *s = &subjects[i];
        const gfp_outer_engine *engine = gfp_outer_engine_get(level, s->o.k, s->o.r);
        bool fast = s->o.r >= GFP_FAST_R_MIN && s->o.r <= GFP_OUTER_R_MAX;
        assert_true((engine != NULL) == (fast || level == GFP_LEVEL_PORTABLE));
        if (engine != NULL) {
            check_engine(s, engine);
        }
        check_base_level(s, level);
    }
}

static void test_portable(void **state)
{
    (void)state;
    check_level(GFP_LEVEL_PORTABLE);
}

static void test_avx2(void **state)
{
    (void)state;
    check_level(GFP_LEVEL_AVX2);
}

static void test_avx512(void **state)
{
    (void)state;
    check_level(GFP_LEVEL_AVX512DQ);
    check_level(GFP_LEVEL_AVX512IFMA);
}

static void test_neon(void **state)
{
    (void)state;
    check_level(GFP_LEVEL_NEON);
}

/* The engines on checking lanes: fails at an interval that an operation does not permit. */
static void test_checked(void **state)
{
    (void)state;
    static const gfp_outer_engine *const engines[] = {&gfp_outer_checked_2, &gfp_outer_checked_4,
                                                      &gfp_outer_checked_8, &gfp_outer_checked_16};
    static const gfp_base_engine *const bases[] = {&gfp_base_checked_2, &gfp_base_checked_4,
                                                   &gfp_base_checked_8, NULL};
    for (size_t i = 0; i < subject_count; i++) {
        const subject *s = &subjects[i];
        if (s->o.r >= GFP_FAST_R_MIN && s->o.r <= GFP_OUTER_R_MAX) {
            const unsigned index = s->o.k < 16 ? gfp_ctz64(s->o.k) - 1 : 3;
            check_engine(s, engines[index]);
            check_base_cases(s, bases[index]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_portable),
        cmocka_unit_test(test_avx2),       cmocka_unit_test(test_avx512),
        cmocka_unit_test(test_neon),       cmocka_unit_test(test_checked),
    };
    return cmocka_run_group_tests(tests, outer_setup, outer_teardown);
}
