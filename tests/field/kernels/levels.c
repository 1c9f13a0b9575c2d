/* levels.c: the kernels of every level of this machine, and those on checking lanes, against their
 * slow twins, on the smallest and largest radices that they serve and on moduli that no field has:
 * rings are enough for identities of digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/context.h"
#include "field/kernels/checked.h"
#include "lab/rows.h"
#include "lab/sanitized.h"

#define TWO(e) (UINT64_C(1) << (e))
#define COUNT 43

static const uint64_t radices[] = {
    GFP_FAST_R_MIN,
    TWO(32) + 2,
    GFP_LANES_R_MIN - 2,
    GFP_LANES_R_MIN,
    GFP_LANES_R_MIN + 2,
    TWO(46) - 2,
    TWO(52),
    TWO(52) + 6,
    TWO(57) + TWO(52) + TWO(20),
    TWO(62) + TWO(56),
    TWO(63) - 34, /* the greatest one below 2^63 with products of pairs */
    TWO(63) - 2,
    TWO(63),
    GFP_FOLD_R_NARROW,
    GFP_FOLD_R_NARROW + 2,
    TWO(63) + TWO(34),
    UINT64_C(0xb504f333f9de6484), /* the greatest even one below 2^63.5, and the next one */
    UINT64_C(0xb504f333f9de6486),
    UINT64_MAX - TWO(50) + 1,
    UINT64_MAX - TWO(28) + 1,
    GFP_LANES_R_MAX - 2,
    GFP_LANES_R_MAX,
    GFP_LANES_R_MAX + 2,
};
static const unsigned digits[] = {2, 4, 8, 16, 32, 64, 128, 256};

/* A table under test, its twin, and arrays of COUNT elements between guards. */
typedef struct stand {
    const gfp_field *field;
    const gfp_kernels *fast;
    const gfp_kernels *slow;
    unsigned k;
    uint64_t r;
    uint64_t seed;
    bool full; /* digits are r - 1 */
} stand;

static uint64_t levels_draw(stand *s)
{
    s->seed += UINT64_C(0x9e3779b97f4a7c15);
    return gfp_mix64(s->seed);
}

/* Digits near the ends, in the middle, or anywhere; long runs of 0 and of r - 1, so that carries go
 * far; sometimes the element r^k. */
static void fill_element(stand *s, uint64_t *x, unsigned kind)
{
    const uint64_t ends[] = {0, s->r - 1, 1, s->r - 2, s->r / 2, s->r / 2 - 1};
    uint64_t run = s->full ? s->r - 1 : ends[levels_draw(s) % 2];
    for (unsigned i = 0; i < s->k; i++) {
        switch (s->full ? 5 : kind % 8) {
        case 0:
        case 1:
            x[i] = levels_draw(s) % s->r;
            break;
        case 2:
            x[i] = ends[levels_draw(s) % 6];
            break;
        case 3:
            x[i] = levels_draw(s) % 8 == 0 ? levels_draw(s) % s->r : run;
            break;
        case 4:
            x[i] = i % 2 == 0 ? 0 : s->r - 1;
            break;
        case 5:
            x[i] = run;
            break;
        case 6:
            x[i] = levels_draw(s) % 16 == 0 ? 1 : 0;
            break;
        default:
            x[i] = i + 1 == s->k ? s->r : 0;
        }
    }
}

static uint64_t *levels_vector(stand *s, size_t n)
{
    uint64_t *x = calloc(n * s->k + 1, sizeof *x);
    assert_non_null(x);
    for (size_t e = 0; e < n; e++) {
        fill_element(s, x + e * s->k, (unsigned)levels_draw(s));
    }
    x[n * s->k] = UINT64_C(0xfeedfacecafebeef);
    return x;
}

static uint64_t *levels_copy(const stand *s, const uint64_t *x, size_t n)
{
    uint64_t *y = malloc((n * s->k + 1) * sizeof *y);
    assert_non_null(y);
    memcpy(y, x, (n * s->k + 1) * sizeof *y);
    return y;
}

/* Compares the arrays and frees both. */
static void expect_same(const stand *s, uint64_t *z, uint64_t *expected, size_t n, const char *what)
{
    for (size_t i = 0; i <= n * s->k; i++) {
        if (z[i] != expected[i]) {
            fail_msg("%s of %s, k = %u, r = %#llx: element %zu of %zu differs", what, s->fast->name,
                     s->k, (unsigned long long)s->r, i / s->k, n);
        }
    }
    free(z);
    free(expected);
}

static void check_linear(stand *s, size_t n, unsigned shift)
{
    uint64_t *x = levels_vector(s, n), *y = levels_vector(s, n);
    uint64_t *u = levels_vector(s, n), *v = levels_copy(s, u, n);
    s->fast->add(s->field, u, x, y, n);
    s->slow->add(s->field, v, x, y, n);
    expect_same(s, u, v, n, "add");
    u = levels_copy(s, y, n), v = levels_copy(s, y, n);
    s->fast->sub(s->field, u, x, u, n);
    s->slow->sub(s->field, v, x, v, n);
    expect_same(s, u, v, n, "sub in place");
    u = levels_copy(s, x, n), v = levels_copy(s, x, n);
    s->fast->mul_r(s->field, u, u, shift, n);
    s->slow->mul_r(s->field, v, v, shift, n);
    expect_same(s, u, v, n, "mul_r in place");
    unsigned j = shift % (s->field->v2_r + 1);
    u = levels_vector(s, n), v = levels_copy(s, u, n);
    s->fast->div_2exp(s->field, u, x, j, n);
    s->slow->div_2exp(s->field, v, x, j, n);
    expect_same(s, u, v, n, "div_2exp");
    uint64_t *x1 = levels_copy(s, x, n), *y1 = levels_copy(s, y, n);
    u = levels_copy(s, x, n), v = levels_copy(s, y, n);
    s->fast->butterfly(s->field, u, v, shift, n);
    s->slow->butterfly(s->field, x1, y1, shift, n);
    expect_same(s, u, x1, n, "butterfly, x");
    expect_same(s, v, y1, n, "butterfly, y");
    x1 = levels_copy(s, x, n), y1 = levels_copy(s, y, n);
    s->fast->butterfly_inverse(s->field, x, y, shift, n);
    s->slow->butterfly_inverse(s->field, x1, y1, shift, n);
    expect_same(s, x, x1, n, "butterfly_inverse, x");
    expect_same(s, y, y1, n, "butterfly_inverse, y");
}

static void check_products(stand *s, size_t n, unsigned shift)
{
    uint64_t *x = levels_vector(s, n), *y = levels_vector(s, n);
    uint64_t *u = levels_vector(s, n), *v = levels_copy(s, u, n);
    s->fast->mul(s->field, u, x, s->k, y, s->k, shift, n);
    s->slow->mul(s->field, v, x, s->k, y, s->k, shift, n);
    expect_same(s, u, v, n, "mul");
    u = levels_copy(s, y, n), v = levels_copy(s, y, n);
    s->fast->mul(s->field, u, x, 0, u, s->k, 0, n);
    s->slow->mul(s->field, v, x, 0, v, s->k, 0, n);
    expect_same(s, u, v, n, "mul by one, in place");
    gfp_twiddle factors[COUNT];
    for (size_t i = 0; i < n; i++) {
        factors[i] = (gfp_twiddle){levels_draw(s) % n, (shift + levels_draw(s)) % (2 * s->k)};
    }
    memset(y, 0, s->k * sizeof *y);
    y[0] = 1;
    u = levels_copy(s, x, n), v = levels_copy(s, x, n);
    s->fast->mul_indexed(s->field, u, u, y, factors, n);
    s->slow->mul_indexed(s->field, v, v, y, factors, n);
    expect_same(s, u, v, n, "mul_indexed in place");
    free(x);
    free(y);
}

static void check_sums(stand *s, size_t len_x, size_t len_y)
{
    size_t n = len_x + len_y - 1, from = levels_draw(s) % n,
           to = from + 1 + levels_draw(s) % (n - from);
    uint64_t *x = levels_vector(s, len_x), *y = levels_vector(s, len_y);
    uint64_t *u = levels_vector(s, n), *v = levels_copy(s, u, n);
    s->fast->convolve(s->field, u, x, len_x, y, len_y, 0, n);
    s->slow->convolve(s->field, v, x, len_x, y, len_y, 0, n);
    uint64_t *part = levels_vector(s, to - from), *same = levels_copy(s, part, to - from);
    s->fast->convolve(s->field, part, x, len_x, y, len_y, from, to);
    memcpy(same, v + from * s->k, (to - from) * s->k * sizeof *same);
    expect_same(s, u, v, n, "convolve");
    expect_same(s, part, same, to - from, "part of convolve");
    u = levels_vector(s, 1), v = levels_copy(s, u, 1);
    size_t terms = len_x < len_y ? len_x : len_y;
    s->fast->dot(s->field, u, x, y, (ptrdiff_t)s->k, terms);
    s->slow->dot(s->field, v, x, y, (ptrdiff_t)s->k, terms);
    expect_same(s, u, v, 1, "dot");
    free(x);
    free(y);
}

/* y runs up or down. */
static void check_dot(stand *s, size_t n)
{
    uint64_t *x = levels_vector(s, n), *y = levels_vector(s, n), *u = levels_vector(s, 1),
             *v = levels_copy(s, u, 1);
    s->fast->dot(s->field, u, x, y, (ptrdiff_t)s->k, n);
    s->slow->dot(s->field, v, x, y, (ptrdiff_t)s->k, n);
    expect_same(s, u, v, 1, "dot");
    u = levels_vector(s, 1), v = levels_copy(s, u, 1);
    s->fast->dot(s->field, u, x, y + (n - 1) * s->k, -(ptrdiff_t)s->k, n);
    s->slow->dot(s->field, v, x, y + (n - 1) * s->k, -(ptrdiff_t)s->k, n);
    expect_same(s, u, v, 1, "dot that runs down");
    free(x);
    free(y);
}

/* count rows of n elements, several at overlapping places of one array. */
static void check_combination(stand *s, size_t count, size_t n)
{
    uint64_t *x = levels_vector(s, n + 2), *c = levels_vector(s, count), *a = levels_vector(s, n);
    const uint64_t *rows[130];
    for (size_t j = 0; j < count; j++) {
        rows[j] = x + levels_draw(s) % 3 * s->k;
    }
    uint64_t *u = levels_vector(s, n), *v = levels_copy(s, u, n);
    s->fast->lincomb(s->field, u, NULL, c, rows, count, n);
    s->slow->lincomb(s->field, v, NULL, c, rows, count, n);
    expect_same(s, u, v, n, "lincomb");
    u = levels_copy(s, a, n), v = levels_copy(s, a, n);
    s->fast->lincomb(s->field, u, u, c, rows, count, n);
    s->slow->lincomb(s->field, v, v, c, rows, count, n);
    expect_same(s, u, v, n, "lincomb in place");
    const uint64_t *factors[130];
    for (size_t j = 0; j < count; j++) {
        factors[j] = x + levels_draw(s) % 3 * s->k;
    }
    u = levels_copy(s, a, n), v = levels_copy(s, a, n);
    s->fast->dot_rows(s->field, u, u, rows, factors, count, n);
    s->slow->dot_rows(s->field, v, v, rows, factors, count, n);
    expect_same(s, u, v, n, "dot_rows in place");
    free(x);
    free(c);
    free(a);
}

static void check_evaluation(stand *s, size_t n)
{
    const uint64_t limit = s->r < TWO(60) ? s->r : TWO(60);
    const uint64_t points[] = {0, 1, limit - 1, levels_draw(s) % limit, levels_draw(s) % limit};
    for (size_t i = 0; LAB_ROW(points, i); i++) {
        uint64_t *x = levels_vector(s, n), *u = levels_vector(s, 1), *v = levels_copy(s, u, 1);
        s->fast->eval_digit(s->field, u, x, n, points[i]);
        s->slow->eval_digit(s->field, v, x, n, points[i]);
        expect_same(s, u, v, 1, "eval_digit");
        free(x);
    }
}

/* Folds x by both levels, n columns of each block. */
static void compare_folds(stand *s, size_t n, const gfp_folding *w)
{
    uint64_t *u = levels_vector(s, w->count * n), *v = levels_copy(s, u, w->count * n);
    const bool small = s->fast->fold(s->field, u, n, w);
    assert_int_equal(s->slow->fold(s->field, v, n, w), small);
    expect_same(s, u, v, w->count * n, "fold");
}

/* n elements modulo X^j - d for several j, around the groups and rows of the lanes, and without the
 * last element of the residue; as one block, and as several ones, with gaps and without. */
static void check_fold(stand *s, size_t n)
{
    const uint64_t points[] = {0, TWO(GFP_FOLD_BITS) - 1, levels_draw(s) % TWO(GFP_FOLD_BITS)};
    const size_t parts[] = {1, 3, 8, 37, n + 1};
    if (s->r < GFP_FOLD_R_MIN || s->r > GFP_FOLD_R_MAX) {
        return;
    }
    for (size_t i = 0; LAB_ROW(points, i); i++) {
        for (size_t p = 0; LAB_ROW(parts, p); p++) {
            const size_t j = parts[p], counts[] = {2, 9, 40}, count = counts[(i + p) % 3];
            uint64_t *x = levels_vector(s, n);
            gfp_folding w = {.x = x, .len = n, .count = 1, .j = j, .d = points[i]};
            compare_folds(s, j - p % 2, &w);
            w.apart = n / count;
            w.len = w.apart > 2 ? w.apart - i % 2 : w.apart;
            w.count = count;
            if (w.apart > 0 && p < 3) {
                compare_folds(s, j - p % 2, &w);
            }
            free(x);
        }
    }
}

static void check_pairs(stand *s, size_t n)
{
    const uint64_t limit = s->r < TWO(60) ? s->r : TWO(60);
    const uint64_t points[] = {limit - 1, levels_draw(s) % limit};
    for (size_t i = 0; LAB_ROW(points, i); i++) {
        uint64_t *x = levels_vector(s, n), *y = levels_vector(s, n), *u = levels_vector(s, 3),
                 *v = levels_copy(s, u, 3);
        s->fast->eval_pairs(s->field, u, x, y, n, points[i]);
        s->slow->eval_pairs(s->field, v, x, y, n, points[i]);
        expect_same(s, u, v, 3, "eval_pairs");
        free(x);
        free(y);
    }
}

/* The portable table is the twin of the vector levels': it is tested against the reference, and
 * much faster. */
static void for_each_stand(void (*check)(stand *s))
{
    for (size_t i = 0; LAB_ROW(radices, i); i++) {
        for (size_t j = 0; j < sizeof digits / sizeof digits[0]; j++) {
            gfp_field *field = NULL;
            assert_int_equal(gfp_field_create_raw(&field, radices[i], digits[j], NULL, NULL),
                             GFP_OK);
            const gfp_kernels *slow = gfp_kernels_portable(digits[j], radices[i]);
            for (int l = GFP_LEVEL_AVX2; l < GFP_LEVEL_COUNT; l++) {
                const gfp_level level = (gfp_level)l;
                const gfp_kernels *fast = gfp_kernels_get(level, digits[j], radices[i]);
                if (gfp_cpu_has(level) && fast != slow && slow != NULL) {
                    stand s = {field, fast, slow, digits[j], radices[i], i * 100 + j, false};
                    check(&s);
                }
            }
            gfp_field_destroy(field);
        }
    }
}

static void check_all_linear(stand *s)
{
    for (size_t n = 1; n <= COUNT; n += n < 9 ? 1 + 2 * SANITIZED : 17) {
        for (unsigned i = 0; i < 4; i++) {
            check_linear(s, n, (unsigned)(levels_draw(s) % (2 * s->k)));
        }
        check_linear(s, n, 0);
        check_linear(s, n, s->k);
    }
}

static void linear_kernels_equal_their_twins(void **state)
{
    (void)state;
    for_each_stand(check_all_linear);
}

static void check_all_products(stand *s)
{
    for (size_t n = 1; n <= COUNT; n += n < 9 ? s->k > 32 || SANITIZED ? 4 : 1 : 17) {
        check_products(s, n, (unsigned)(levels_draw(s) % (2 * s->k)));
    }
}

static void products_equal_their_twins(void **state)
{
    (void)state;
    for_each_stand(check_all_products);
}

static void check_all_sums(stand *s)
{
    size_t most = s->k <= 4 ? 70 : s->k <= 16 ? 35 : s->k <= 64 ? 9 : 3;
    for (unsigned i = 0; i < 12; i++) {
        check_sums(s, 1 + levels_draw(s) % most, 1 + levels_draw(s) % most);
    }
    check_sums(s, 1, most);
    check_sums(s, most, 2);
    check_sums(s, most, most);
}

static void sums_of_products_equal_their_twins(void **state)
{
    (void)state;
    for_each_stand(check_all_sums);
}

/* Lengths around whole vectors, batches of vectors, and the sums that are divided once. */
/* One element, in words at every level, against the definition. */
static void check_one(stand *s)
{
    const unsigned rounds = s->k <= 4 ? 2000 : 500 / s->k + 1;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t *x = levels_vector(s, 1), *y = levels_vector(s, 1);
        uint64_t *u = levels_copy(s, i % 2 == 0 ? x : y, 1), *v = levels_copy(s, u, 1);
        s->fast->mul_one(s->field, u, x, i % 2 == 0 ? u : y);
        gfp_kernels_reference.mul_one(s->field, v, x, i % 2 == 0 ? v : y);
        expect_same(s, u, v, 1, "product of one element");
        free(x);
        free(y);
    }
}

static void one_product_equals_its_twin(void **state)
{
    (void)state;
    for_each_stand(check_one);
}

static void check_all_dots(stand *s)
{
    const size_t most = 8 * 256 / s->k;
    const size_t end = s->k <= 32 ? 45 : 11;
    for (size_t n = 1; n <= end; n += SANITIZED ? 4 : 1) {
        check_dot(s, n);
    }
    for (size_t n = most - 1; n <= most + 9; n += 5) {
        check_dot(s, n);
        check_dot(s, s->k <= 32 ? 2 * n : n / 2);
    }
}

static void dot_products_equal_their_twins(void **state)
{
    (void)state;
    for_each_stand(check_all_dots);
}

static void check_all_combinations(stand *s)
{
    const size_t most = 256 / s->k;
    for (size_t n = 1; n <= 17; n += n < 9 ? 1 : 8) {
        check_combination(s, 1 + levels_draw(s) % 3, n);
    }
    check_combination(s, 3, COUNT);
    check_combination(s, most / 2, 9); /* what one division takes of digits in three pieces */
    check_combination(s, most / 2 + 1, 5);
    check_combination(s, most, 9);
    check_combination(s, most + 2, 5);
}

static void combinations_equal_their_twins(void **state)
{
    (void)state;
    for_each_stand(check_all_combinations);
}

static void check_all_evaluations(stand *s)
{
    const size_t lengths[] = {1, 100, 256, 300, 545, s->k <= 16 ? 800 : 16 * (size_t)s->k + 33};
    const size_t pairs[] = {1, 47, 111, s->k <= 16 ? 1100 : 96};
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        check_evaluation(s, lengths[i]);
        check_fold(s, lengths[i]);
    }
    for (size_t i = 0; LAB_ROW(pairs, i); i++) {
        check_pairs(s, pairs[i]);
    }
}

static void evaluations_equal_their_twins(void **state)
{
    (void)state;
    for_each_stand(check_all_evaluations);
}

/* ---- checking lanes ---- */

/* Radices at both ends, and four whose reciprocals lose almost a unit, shifted by 0, 1, 6 and 19;
 * the ends of fold, and below 2^63. */
static const uint64_t checked_radices[] = {
    GFP_LANES_R_MIN,
    TWO(63) - 2,
    UINT64_MAX - TWO(28) + 1,
    GFP_LANES_R_MAX,
    UINT64_C(0xd27c70f04f12fa30),
    UINT64_C(0x4739f2c6acf1e48a),
    UINT64_C(0x23d047a4f666c68),
    UINT64_C(0x12e28f83f4d6),
    GFP_FOLD_R_MIN,
    GFP_FOLD_R_NARROW,
    GFP_FOLD_R_NARROW + 2,
    TWO(63) + 2,
};

/* Every function of the table, with sums as long as one division permits and longer. */
static void check_checked(stand *s)
{
    const size_t most = 256 / s->k, tile = s->k == 2 ? 64 : s->k == 4 ? 32 : s->k <= 16 ? 16 : 3;
    check_products(s, 6, (unsigned)(levels_draw(s) % (2 * s->k)));
    check_sums(s, 2 * tile + 1, 2 * tile + 1);
    check_sums(s, 2, tile + 1);
    check_dot(s, s->k <= 32 ? 16 * most + 3 : 6);
    check_combination(s, most, 5);
    check_combination(s, most + 1, 5);
    check_evaluation(s, 18);
    check_fold(s, 18);
    check_pairs(s, 18);
}

static void check_table(const gfp_kernels *table, uint64_t r, unsigned k, unsigned seed)
{
    gfp_field *field = NULL;
    assert_int_equal(gfp_field_create_raw(&field, r, k, NULL, NULL), GFP_OK);
    stand s = {field, table, gfp_kernels_portable(k, r), k, r, seed, false};
    check_checked(&s);
    s.full = true;
    check_checked(&s);
    gfp_field_destroy(field);
}

static void products_on_checking_lanes_stay_in_range(void **state)
{
    static const gfp_kernels *const tables[] = {&gfp_kernels_checked_2,   &gfp_kernels_checked_4,
                                                &gfp_kernels_checked_8,   &gfp_kernels_checked_16,
                                                &gfp_kernels_checked_32,  &gfp_kernels_checked_64,
                                                &gfp_kernels_checked_128, &gfp_kernels_checked_256};
    (void)state;
    for (size_t i = 0; LAB_ROW(checked_radices, i); i++) {
        for (size_t j = 0; LAB_ROW(digits, j); j++) {
            check_table(tables[j], checked_radices[i], digits[j], (unsigned)i);
        }
        check_table(&gfp_kernels_thirds_8, checked_radices[i], 8, (unsigned)i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_on_checking_lanes_stay_in_range),
        cmocka_unit_test(linear_kernels_equal_their_twins),
        cmocka_unit_test(products_equal_their_twins),
        cmocka_unit_test(one_product_equals_its_twin),
        cmocka_unit_test(sums_of_products_equal_their_twins),
        cmocka_unit_test(dot_products_equal_their_twins),
        cmocka_unit_test(combinations_equal_their_twins),
        cmocka_unit_test(evaluations_equal_their_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
