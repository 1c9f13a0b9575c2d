/* sums.c: the entries of every kernel table for sums of products, linear combinations
 * and values, against the slow twin and the oracle.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/kernels/lab.h"
#include "lab/rows.h"

/* ---- sums ---- */

static void check_dot_length(const bench *b, size_t n)
{
    const lab *l = b->l;
    uint64_t *x = lab_vector(l, n, 0), *y = lab_vector(l, n, 17), *z = lab_array(l->k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = 0; i < n; i++) {
        mpz_addmul(sum, l->values[i % l->count], l->values[(17 + i) % l->count]);
    }
    mpz_mod(sum, sum, l->o.p);
    b->fast->dot(l->field, z, x, y, (ptrdiff_t)l->k, n);
    lab_expect(l, z, sum, "dot", n, 0);
    b->slow->dot(l->field, z, x, y, (ptrdiff_t)l->k, n);
    lab_expect(l, z, sum, "dot of the reference", n, 0);
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void check_dot(const bench *b)
{
    const size_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 65, 100, 129};
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        check_dot_length(b, lengths[i]);
    }
}

static void dot_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_dot);
}

static void check_reversed_dot(const bench *b)
{
    const lab *l = b->l;
    const size_t n = 23, k = l->k;
    uint64_t *x = lab_vector(l, n, 3), *y = lab_vector(l, n, 11), *z = lab_array(k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = 0; i < n; i++) {
        mpz_addmul(sum, l->values[(3 + i) % l->count], l->values[(11 + n - 1 - i) % l->count]);
    }
    mpz_mod(sum, sum, l->o.p);
    b->fast->dot(l->field, z, x, y + (n - 1) * k, -(ptrdiff_t)k, n);
    lab_expect(l, z, sum, "dot that runs down", n, 0);
    b->slow->dot(l->field, z, x, y + (n - 1) * k, -(ptrdiff_t)k, n);
    lab_expect(l, z, sum, "dot of the reference that runs down", n, 0);
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void dot_runs_down_one_array(void **state)
{
    (void)state;
    for_each_table(check_reversed_dot);
}

/* ---- linear combinations ---- */

#define ROW_SIZE 20
#define MAX_ROWS 270

/* Arrays for combinations of n elements: rows[j] begins at element j mod 3 of the array x. */
typedef struct combination {
    uint64_t *x;
    uint64_t *c;
    uint64_t *z;
    uint64_t *expected;
    const uint64_t *rows[MAX_ROWS];
} combination;

static combination combination_new(const lab *l, size_t count, size_t first)
{
    combination w = {lab_vector(l, ROW_SIZE, first),
                     lab_vector(l, count, 3 * first + 1),
                     lab_vector(l, ROW_SIZE, first + 5),
                     lab_array(ROW_SIZE * l->k),
                     {NULL}};
    for (size_t j = 0; j < count; j++) {
        w.rows[j] = w.x + j % 3 * l->k;
    }
    return w;
}

static void combination_free(const combination *w)
{
    lab_free(w->x);
    lab_free(w->c);
    lab_free(w->z);
    lab_free(w->expected);
}

static void check_lincomb_size(const bench *b, size_t count, size_t n, size_t first)
{
    const gfp_field *f = b->l->field;
    combination w = combination_new(b->l, count, first);
    b->slow->lincomb(f, w.expected, NULL, w.c, w.rows, count, n);
    b->fast->lincomb(f, w.z, NULL, w.c, w.rows, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb", count, n);
    b->slow->lincomb(f, w.expected, w.x + b->l->k, w.c, w.rows, count, n);
    b->fast->lincomb(f, w.z, w.x + b->l->k, w.c, w.rows, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb and an array", count, n);
    /* In place: row 0, or the array that is added. */
    memcpy(w.z, w.expected, lab_bytes(b, n));
    b->fast->lincomb(f, w.z, w.z, w.c, w.rows, count, n);
    b->slow->lincomb(f, w.expected, w.expected, w.c, w.rows, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb, z == a", count, n);
    if (count > 0) {
        w.rows[count - 1] = w.z;
        b->slow->lincomb(f, w.expected, w.x, w.c, w.rows, count, n);
        b->fast->lincomb(f, w.z, w.x, w.c, w.rows, count, n);
        expect_same(b, w.z, w.expected, n, "lincomb, z == a row", count, n);
    }
    combination_free(&w);
}

/* The same with factors of each element's own: row j of y begins at element j mod 2. */
static void check_dot_rows_size(const bench *b, size_t count, size_t n, size_t first)
{
    const gfp_field *f = b->l->field;
    const uint64_t *y[MAX_ROWS];
    combination w = combination_new(b->l, count, first);
    uint64_t *factors = lab_vector(b->l, ROW_SIZE, 5 * first + 2);
    for (size_t j = 0; j < count; j++) {
        y[j] = factors + j % 2 * b->l->k;
    }
    b->slow->dot_rows(f, w.expected, NULL, w.rows, y, count, n);
    b->fast->dot_rows(f, w.z, NULL, w.rows, y, count, n);
    expect_same(b, w.z, w.expected, n, "dot_rows", count, n);
    b->slow->dot_rows(f, w.expected, w.x + b->l->k, w.rows, y, count, n);
    b->fast->dot_rows(f, w.z, w.x + b->l->k, w.rows, y, count, n);
    expect_same(b, w.z, w.expected, n, "dot_rows and an array", count, n);
    memcpy(w.z, w.expected, lab_bytes(b, n));
    b->fast->dot_rows(f, w.z, w.z, w.rows, y, count, n);
    b->slow->dot_rows(f, w.expected, w.expected, w.rows, y, count, n);
    expect_same(b, w.z, w.expected, n, "dot_rows, z == a", count, n);
    if (count > 0) {
        w.rows[count - 1] = w.z;
        b->slow->dot_rows(f, w.expected, w.x, w.rows, y, count, n);
        b->fast->dot_rows(f, w.z, w.x, w.rows, y, count, n);
        expect_same(b, w.z, w.expected, n, "dot_rows, z == a row", count, n);
    }
    lab_free(factors);
    combination_free(&w);
}

/* Elements that lie anywhere. */
static void check_lincomb_at(const bench *b, size_t count, size_t n)
{
    const gfp_field *f = b->l->field;
    const uint64_t *places[GFP_GATHER_TERMS * 20];
    const size_t k = b->l->k;
    combination w = combination_new(b->l, count, n);
    uint64_t *rows = lab_array(count * n * k);
    const uint64_t *row[GFP_GATHER_TERMS];
    for (size_t j = 0; j < count; j++) {
        row[j] = rows + j * n * k;
        for (size_t i = 0; i < n; i++) {
            const size_t from = (5 * i + 3 * j) % (n + 1);
            places[j * n + i] = w.x + from * k;
            memcpy(rows + (j * n + i) * k, w.x + from * k, lab_bytes(b, 1));
        }
    }
    b->slow->lincomb(f, w.expected, NULL, w.c, row, count, n);
    b->fast->lincomb_at(f, w.z, w.c, places, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb_at", count, n);
    b->slow->lincomb_at(f, w.z, w.c, places, count, n);
    expect_same(b, w.z, w.expected, n, "lincomb_at of the twin", count, n);
    lab_free(rows);
    combination_free(&w);
}

static void check_lincomb(const bench *b)
{
    const size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17};
    const size_t few = b->l->k <= 32 && b->l->o.r >= GFP_FAST_R_MIN ? 3 : 1;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        for (size_t count = 0; count <= few; count++) {
            check_lincomb_size(b, count, lengths[i], 7 * i + count);
            check_dot_rows_size(b, count, lengths[i], 7 * i + count);
            if (count > 0) {
                check_lincomb_at(b, count, lengths[i]);
            }
        }
    }
    /* The most products that are divided at once, one more, and twice as many. */
    const size_t most = 256 / b->l->k;
    check_lincomb_size(b, most, 5, 1);
    check_lincomb_size(b, most + 1, 9, 2);
    check_dot_rows_size(b, most, 5, 1);
    check_dot_rows_size(b, most + 1, 9, 2);
    check_lincomb_size(b, most < 128 ? 2 * most + 1 : 2 * most, 3, 3);
}

static void lincomb_equals_its_twin(void **state)
{
    (void)state;
    for_each_table(check_lincomb);
}

/* All rows equal sample i, all coefficients sample j: the columns grow as far as they can. */
static void check_full_columns(const bench *b, size_t i, size_t j)
{
    const lab *l = b->l;
    const size_t count = 256 / l->k, n = 9;
    const uint64_t *rows[128], *factors[128];
    uint64_t *x = lab_array(n * l->k), *y = lab_array(n * l->k), *c = lab_array(count * l->k),
             *z = lab_array(n * l->k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t e = 0; e < n; e++) {
        memcpy(x + e * l->k, lab_sample(l, i), lab_bytes(b, 1));
        memcpy(y + e * l->k, lab_sample(l, j), lab_bytes(b, 1));
    }
    for (size_t e = 0; e < count; e++) {
        memcpy(c + e * l->k, lab_sample(l, j), lab_bytes(b, 1));
        rows[e] = x;
        factors[e] = y;
    }
    mpz_mul(sum, l->values[i], l->values[j]);
    mpz_mul_ui(sum, sum, (unsigned long)count);
    mpz_add(sum, sum, l->values[i]);
    mpz_mod(sum, sum, l->o.p);
    b->fast->lincomb(l->field, z, x, c, rows, count, n);
    for (size_t e = 0; e < n; e++) {
        lab_expect(l, z + e * l->k, sum, "lincomb of equal elements", i, j);
    }
    b->fast->dot_rows(l->field, z, x, rows, factors, count, n);
    for (size_t e = 0; e < n; e++) {
        lab_expect(l, z + e * l->k, sum, "dot_rows of equal elements", i, j);
    }
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(c);
    lab_free(z);
}

static void check_extreme_lincombs(const bench *b)
{
    for (size_t i = 0; i < b->l->extremes; i++) {
        for (size_t j = 0; j<b->l->extremes; j += b->l->k> 8 ? 3 : 1) {
            check_full_columns(b, i, j);
        }
    }
}

static void lincomb_of_extreme_elements_does_not_overflow(void **state)
{
    (void)state;
    for_each_table(check_extreme_lincombs);
}

/* n times the same product: the sums grow as far as they can. */
static void check_long_dot(const bench *b, size_t n, size_t i, size_t j)
{
    const lab *l = b->l;
    uint64_t *x = lab_array(n * l->k), *y = lab_array(n * l->k), *z = lab_array(l->k);
    mpz_t sum;
    mpz_init(sum);
    for (size_t e = 0; e < n; e++) {
        memcpy(x + e * l->k, lab_sample(l, i), lab_bytes(b, 1));
        memcpy(y + e * l->k, lab_sample(l, j), lab_bytes(b, 1));
    }
    mpz_mul(sum, l->values[i], l->values[j]);
    mpz_mul_ui(sum, sum, (unsigned long)n);
    mpz_mod(sum, sum, l->o.p);
    b->fast->dot(l->field, z, x, y, (ptrdiff_t)l->k, n);
    lab_expect(l, z, sum, "long dot", i, j);
    mpz_clear(sum);
    lab_free(x);
    lab_free(y);
    lab_free(z);
}

static void check_long_dots(const bench *b)
{
    const lab *l = b->l;
    size_t n = l->k <= 8 ? 70001 : 3001; /* beyond 2^16 terms where that is quick */
    if (l->k <= 32) {
        check_long_dot(b, n, 21, 21); /* r - 1 everywhere */
        check_long_dot(b, n, 28, 29); /* alternating */
        check_long_dot(b, n, 21, l->extremes - 1);
        check_long_dot(b, n, l->extremes - 1, l->extremes - 1);
    }
}

static void long_sums_of_extreme_products_do_not_overflow(void **state)
{
    (void)state;
    for_each_table(check_long_dots);
}

static void check_eval_at(const bench *b, const uint64_t *x, size_t n, uint64_t d)
{
    const lab *l = b->l;
    uint64_t *y = lab_array(l->k);
    mpz_t sum, point, t;
    mpz_inits(sum, point, t, NULL);
    oracle_set_u64(point, d);
    for (size_t i = n; i-- > 0;) {
        oracle_get(&l->o, t, x + i * l->k);
        mpz_mul(sum, sum, point);
        mpz_add(sum, sum, t);
        mpz_mod(sum, sum, l->o.p);
    }
    b->fast->eval_digit(l->field, y, x, n, d);
    lab_expect(l, y, sum, "eval_digit", n, (size_t)d);
    b->slow->eval_digit(l->field, y, x, n, d);
    lab_expect(l, y, sum, "eval_digit of the reference", n, (size_t)d);
    mpz_clears(sum, point, t, NULL);
    lab_free(y);
}

/* n times the same sample. */
static uint64_t *repeat_sample(const bench *b, size_t sample, size_t n)
{
    const lab *l = b->l;
    uint64_t *x = lab_array(n * l->k);
    for (size_t e = 0; e < n; e++) {
        memcpy(x + e * l->k, lab_sample(l, sample), lab_bytes(b, 1));
    }
    return x;
}

static void check_eval(const bench *b)
{
    const lab *l = b->l;
    const size_t lengths[] = {0, 1, 2, 7, 33, 90, 256, 301};
    uint64_t limit = l->o.r < UINT64_C(1) << 60 ? l->o.r : UINT64_C(1) << 60;
    const uint64_t points[] = {0, 1, limit - 1, limit / 2, UINT64_C(0x123456789abcdef) % limit};
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        size_t n = lengths[i];
        if (n > 90 && (l->k > 32 || l->o.r < GFP_FAST_R_MIN)) {
            break; /* only slow twins */
        }
        uint64_t *x = lab_vector(l, n, 1), *full = repeat_sample(b, 21, n);
        uint64_t *special = repeat_sample(b, l->extremes - 1, n);
        for (size_t j = 0; LAB_ROW(points, j); j++) {
            check_eval_at(b, x, n, points[j]);
            check_eval_at(b, full, n, points[j]);
            check_eval_at(b, special, n, points[j]);
        }
        lab_free(x);
        lab_free(full);
        lab_free(special);
    }
}

/* Blocks of x modulo X^j - d: element i of a block is the sum over e of x_(i + e j) d^e. */
static void check_fold_at(const bench *b, const gfp_folding *w)
{
    const lab *l = b->l;
    const size_t j = w->j, digits = ((w->count - 1) * w->apart + w->len) * l->k;
    uint64_t *fast = lab_array(w->count * j * l->k), *slow = lab_array(w->count * j * l->k);
    mpz_t sum, point, t;
    mpz_inits(sum, point, t, NULL);
    oracle_set_u64(point, w->d);
    size_t large = 0;
    while (large < digits && w->x[large] < l->o.r) {
        large++;
    }
    assert_int_equal(b->fast->fold(l->field, fast, j, w), large == digits);
    assert_int_equal(b->slow->fold(l->field, slow, j, w), large == digits);
    for (size_t c = 0; c < w->count * j; c++) {
        const size_t i = c % j;
        mpz_set_ui(sum, 0);
        for (size_t e = w->len <= i ? 0 : (w->len - 1 - i) / j + 1; e-- > 0;) {
            oracle_get(&l->o, t, w->x + (c / j * w->apart + i + e * j) * l->k);
            mpz_mul(sum, sum, point);
            mpz_add(sum, sum, t);
            mpz_mod(sum, sum, l->o.p);
        }
        lab_expect(l, fast + c * l->k, sum, "fold", w->len, c);
        lab_expect(l, slow + c * l->k, sum, "fold of the reference", w->len, c);
    }
    mpz_clears(sum, point, t, NULL);
    lab_free(fast);
    lab_free(slow);
}

static void check_fold(const bench *b)
{
    const lab *l = b->l;
    const size_t shapes[][2] = {{1, 1}, {1, 9}, {7, 3}, {64, 8}, {99, 33}, {301, 8}, {700, 1}};
    const uint64_t most = ((uint64_t)1 << GFP_FOLD_BITS) - 1;
    const uint64_t points[] = {0, 1, most, most / 2 + 1, UINT64_C(0x123456789abcdef) & most};
    for (size_t i = 0; LAB_ROW(shapes, i) && l->o.r >= GFP_FOLD_R_MIN && l->o.r <= GFP_FOLD_R_MAX;
         i++) {
        const size_t n = shapes[i][0], j = shapes[i][1];
        if (n > 99 && l->k > 32) {
            break; /* only slow twins */
        }
        uint64_t *x = lab_vector(l, n, 1), *full = repeat_sample(b, 21, n);
        uint64_t *special = repeat_sample(b, l->extremes - 1, n);
        for (size_t p = 0; LAB_ROW(points, p); p++) {
            const uint64_t *const all[] = {x, full, special};
            for (size_t a = 0; LAB_ROW(all, a); a++) {
                gfp_folding w = {.x = all[a], .len = n, .count = 1, .j = j, .d = points[p]};
                check_fold_at(b, &w);
                w.count = n < 7 ? n : 7;
                w.len = w.apart = n / w.count; /* neighbours; what is left of n belongs to none */
                check_fold_at(b, &w);
            }
        }
        lab_free(x);
        lab_free(full);
        lab_free(special);
    }
}

/* v := x(d), y(d), the sum over i + j >= n - 1 of x_i y_j d^(i+j-n+1). */
static void expect_pairs(const bench *b, const uint64_t *v, mpz_t expected[3], size_t n,
                         const char *what)
{
    for (size_t i = 0; i < 3; i++) {
        lab_expect(b->l, v + i * b->l->k, expected[i], what, n, i);
    }
}

static void check_pairs_at(const bench *b, const uint64_t *x, const uint64_t *y, size_t n,
                           uint64_t d)
{
    const lab *l = b->l;
    uint64_t *v = lab_array(3 * l->k);
    mpz_t sum[3], point, s, t;
    mpz_inits(sum[0], sum[1], sum[2], point, s, t, NULL);
    oracle_set_u64(point, d);
    for (size_t i = n; i-- > 0;) {
        oracle_get(&l->o, s, x + i * l->k);
        mpz_mul(sum[0], sum[0], point);
        mpz_add(sum[0], sum[0], s);
        mpz_mod(sum[0], sum[0], l->o.p);
        oracle_get(&l->o, t, y + i * l->k);
        mpz_mul(sum[1], sum[1], point);
        mpz_add(sum[1], sum[1], t);
        mpz_mod(sum[1], sum[1], l->o.p);
        /* The sum over j >= i of y_j d^(j-i) meets x_(n-1-i). */
        oracle_get(&l->o, s, x + (n - 1 - i) * l->k);
        mpz_addmul(sum[2], s, sum[1]);
    }
    mpz_mod(sum[2], sum[2], l->o.p);
    b->fast->eval_pairs(l->field, v, x, y, n, d);
    expect_pairs(b, v, sum, n, "eval_pairs");
    b->slow->eval_pairs(l->field, v, x, y, n, d);
    expect_pairs(b, v, sum, n, "eval_pairs of the reference");
    mpz_clears(sum[0], sum[1], sum[2], point, s, t, NULL);
    lab_free(v);
}

static void check_pairs(const bench *b)
{
    const lab *l = b->l;
    const size_t lengths[] = {0, 1, 2, 7, 8, 9, 33, 90, 421};
    uint64_t limit = l->o.r < UINT64_C(1) << 60 ? l->o.r : UINT64_C(1) << 60;
    const uint64_t points[] = {0, limit - 1, UINT64_C(0x123456789abcdef) % limit};
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        size_t n = lengths[i];
        if ((n > 33 && l->k > 64) || (n > 90 && l->k > 16) || (n > 9 && l->o.r < GFP_FAST_R_MIN)) {
            break; /* slow twins, and nothing new */
        }
        uint64_t *x = lab_vector(l, n, 1), *y = lab_vector(l, n, 6);
        uint64_t *full = repeat_sample(b, 21, n);
        uint64_t *special = repeat_sample(b, l->extremes - 1, n);
        for (size_t j = 0; LAB_ROW(points, j); j++) {
            check_pairs_at(b, x, y, n, points[j]);
            check_pairs_at(b, x, x, n, points[j]);
            check_pairs_at(b, full, full, n, points[j]);
            check_pairs_at(b, special, full, n, points[j]);
            check_pairs_at(b, full, special, n, points[j]);
        }
        lab_free(x);
        lab_free(y);
        lab_free(full);
        lab_free(special);
    }
}

static void eval_pairs_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_pairs);
}

static void eval_digit_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_eval);
}

static void fold_agrees_with_the_oracle(void **state)
{
    (void)state;
    for_each_table(check_fold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_agrees_with_the_oracle),
        cmocka_unit_test(dot_runs_down_one_array),
        cmocka_unit_test(lincomb_equals_its_twin),
        cmocka_unit_test(lincomb_of_extreme_elements_does_not_overflow),
        cmocka_unit_test(long_sums_of_extreme_products_do_not_overflow),
        cmocka_unit_test(eval_digit_agrees_with_the_oracle),
        cmocka_unit_test(fold_agrees_with_the_oracle),
        cmocka_unit_test(eval_pairs_agrees_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
