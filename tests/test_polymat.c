/* test_polymat.c: matrices of polynomials: products and determinants are those of the definition
 * and of FLINT; the calls (calls_lab.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "division_lab.h"

#include <stdlib.h>
#include <string.h>

#include "calls_traits.h"
#include "operand_engine.h"
#include "sanitized.h"
#if GFP_HAVE_FLINT
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_mat.h>
#endif

/* ---- matrices ---- */

#define MOST 150

typedef struct matrix {
    size_t rows, columns;
    gfp_poly entry[MOST];
} matrix;

/* Entries of up to len coefficients, some of them 0 and some shorter; full: none. */
static void make_matrix(matrix *m, const gfp_field *field, size_t rows, size_t columns, size_t len,
                        bool full, gfp_random *g)
{
    assert_true(rows * columns <= MOST);
    *m = (matrix){.rows = rows, .columns = columns};
    for (size_t i = 0; i < rows * columns; i++) {
        const size_t some = i % 5 == 3 ? 0 : i % 3 == 2 ? len / 2 : len;
        gfp_poly_init(&m->entry[i], field);
        random_poly(&m->entry[i], full ? len : some, g);
    }
}

static void clear_matrix(matrix *m)
{
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        gfp_poly_clear(&m->entry[i]);
    }
}

static const gfp_options by_definition = {.method = "classical"};

/* c := entry (i, j) of a b. */
static void slow_entry(gfp_poly *c, const matrix *a, const matrix *b, size_t i, size_t j)
{
    gfp_poly t;
    gfp_poly_init(&t, c->field);
    gfp_poly_zero(c);
    for (size_t l = 0; l < a->columns; l++) {
        assert_int_equal(gfp_poly_mul(&t, &a->entry[i * a->columns + l],
                                      &b->entry[l * b->columns + j], &by_definition),
                         GFP_OK);
        assert_int_equal(gfp_poly_add(c, c, &t), GFP_OK);
    }
    gfp_poly_clear(&t);
}

static void expect_product(const gfp_field *field, const matrix *c, const matrix *a,
                           const matrix *b, const char *what)
{
    gfp_poly t;
    gfp_poly_init(&t, field);
    for (size_t e = 0; e < c->rows * c->columns; e++) {
        slow_entry(&t, a, b, e / c->columns, e % c->columns);
        expect_same(&c->entry[e], &t, what, a->columns, e);
    }
    gfp_poly_clear(&t);
}

/* d := the determinant of the rows from `row` on and the columns that are not in `used`, by its
 * expansion. */
static void slow_determinant(gfp_poly *d, const matrix *m, size_t row, unsigned used)
{
    gfp_poly minor, t;
    bool negative = false;
    gfp_poly_init(&minor, d->field);
    gfp_poly_init(&t, d->field);
    gfp_poly_zero(d);
    if (row == m->rows) {
        assert_int_equal(gfp_poly_one(d), GFP_OK);
    }
    for (size_t j = 0; row < m->rows && j < m->columns; j++) {
        if ((used >> j & 1U) == 0) {
            slow_determinant(&minor, m, row + 1, used | 1U << j);
            assert_int_equal(
                gfp_poly_mul(&t, &minor, &m->entry[row * m->columns + j], &by_definition), GFP_OK);
            assert_int_equal(negative ? gfp_poly_sub(d, d, &t) : gfp_poly_add(d, d, &t), GFP_OK);
            negative = !negative;
        }
    }
    gfp_poly_clear(&minor);
    gfp_poly_clear(&t);
}

/* The digits of a matrix, entries of len coefficients. */
static uint64_t *digits_of(const gfp_field *field, const matrix *m, size_t len)
{
    const size_t k = gfp_field_k(field), n = m->rows * m->columns;
    uint64_t *z = calloc(n * len * k + 1, sizeof *z);
    assert_non_null(z);
    for (size_t i = 0; i < n; i++) {
        gfp_vec_copy(field, z + i * len * k, m->entry[i].digits, m->entry[i].len);
    }
    return z;
}

/* ---- results ---- */

static void check_product(const gfp_field *field, const gfp_polymat_shape *s, bool full,
                          const gfp_options *options)
{
    matrix a, b, c;
    gfp_random g;
    gfp_random_seed(&g, s->len_a + s->rows);
    const size_t len = s->len_a > 0 && s->len_b > 0 ? s->len_a + s->len_b - 1 : 0;
    make_matrix(&a, field, s->rows, s->inner, s->len_a, full, &g);
    make_matrix(&b, field, s->inner, s->columns, s->len_b, full, &g);
    make_matrix(&c, field, s->rows, s->columns, 3, true, &g);
    assert_int_equal(gfp_polymat_mul(c.entry, a.entry, b.entry, s, options), GFP_OK);
    expect_product(field, &c, &a, &b, gfp_field_name(field));
    if (len > 0 && s->inner > 0) {
        uint64_t *x = digits_of(field, &a, s->len_a), *y = digits_of(field, &b, s->len_b),
                 *z = digits_of(field, &c, len),
                 *found =
                     calloc(s->rows * s->columns * len + 1, gfp_field_k(field) * sizeof *found);
        assert_non_null(found);
        assert_int_equal(gfp_vec_polymat_mul(field, found, x, y, s, options), GFP_OK);
        assert_memory_equal(found, z, s->rows * s->columns * len * gfp_field_k(field) * sizeof *z);
        free(x);
        free(y);
        free(z);
        free(found);
    }
    clear_matrix(&a);
    clear_matrix(&b);
    clear_matrix(&c);
}

static const gfp_polymat_shape shapes[] = {
    {1, 1, 1, 1, 1},     {2, 2, 2, 40, 40},  {2, 2, 2, 1, 90},  {2, 3, 4, 33, 70},
    {3, 3, 1, 50, 50},   {1, 4, 1, 64, 65},  {1, 7, 2, 40, 31}, {5, 5, 5, 30, 30},
    {12, 12, 2, 30, 31}, {1, 90, 1, 30, 30}, {2, 2, 2, 0, 5},   {2, 2, 2, 5, 0},
    {2, 0, 2, 3, 3},     {0, 2, 2, 3, 3},    {2, 2, 0, 3, 3},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static void products_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < ORACLE_FIELDS && lab_fields[f].field != NULL; f++) {
        const gfp_field *field = lab_fields[f].field;
        for (size_t i = 0; i < SHAPES; i++) {
            const gfp_options crosswise = {.verify = GFP_VERIFY_CROSS};
            const gfp_options low = {.verify = GFP_VERIFY_POINT, .threads = 2};
            const gfp_polymat_shape *p = &shapes[i];
            const double k = lab_fields[f].k, terms = (double)(p->len_a * p->len_b);
            if ((double)(p->rows * p->inner * p->columns) * terms * k * k > 5e7) {
                continue; /* the definition takes long */
            }
            check_product(field, &shapes[i], i % 2 == 0, i % 3 == 0 ? &crosswise : &low);
        }
        check_product(field, &shapes[6], false, &by_definition);
    }
}

/* 0 and 1, and matrices that are their own products' operands. */
static void special_products(void **state)
{
    const gfp_polymat_shape s = {.rows = 3, .inner = 3, .columns = 3};
    matrix a, b, c, one;
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 5);
    const gfp_field *field = lab_named("p8")->field;
    make_matrix(&a, field, 3, 3, 50, false, &g);
    make_matrix(&b, field, 3, 3, 50, true, &g);
    make_matrix(&c, field, 3, 3, 1, true, &g);
    make_matrix(&one, field, 3, 3, 0, true, &g);
    assert_int_equal(gfp_polymat_mul(c.entry, a.entry, one.entry, &s, NULL), GFP_OK);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(c.entry[i].len, 0);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_poly_one(&one.entry[4 * i]), GFP_OK);
    }
    assert_int_equal(gfp_polymat_mul(c.entry, a.entry, one.entry, &s, NULL), GFP_OK);
    for (size_t i = 0; i < 9; i++) {
        expect_same(&c.entry[i], &a.entry[i], "times 1", i, 0);
    }
    /* Outputs over inputs. */
    assert_int_equal(gfp_polymat_mul(c.entry, c.entry, b.entry, &s, NULL), GFP_OK);
    expect_product(field, &c, &a, &b, "left operand");
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(gfp_poly_copy(&c.entry[i], &b.entry[i]), GFP_OK);
    }
    assert_int_equal(gfp_polymat_mul(c.entry, a.entry, c.entry, &s, NULL), GFP_OK);
    expect_product(field, &c, &a, &b, "right operand");
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(gfp_poly_copy(&c.entry[i], &a.entry[i]), GFP_OK);
    }
    assert_int_equal(gfp_polymat_mul(c.entry, c.entry, c.entry, &s, NULL), GFP_OK);
    expect_product(field, &c, &a, &a, "square");
    clear_matrix(&a);
    clear_matrix(&b);
    clear_matrix(&c);
    clear_matrix(&one);
}

/* Within less and less memory, in tiles. */
static void products_within_caps_agree(void **state)
{
    const gfp_polymat_shape s = {.rows = 4, .inner = 6, .columns = 4};
    matrix a, b, c;
    gfp_random g;
    size_t served = 0;
    (void)state;
    gfp_random_seed(&g, 6);
    const gfp_field *field = lab_named("p4")->field;
    make_matrix(&a, field, 4, 6, 200, false, &g);
    make_matrix(&b, field, 6, 4, 200, true, &g);
    make_matrix(&c, field, 4, 4, 1, true, &g);
    for (size_t cap = (size_t)1 << 22; cap > 1000; cap /= 2) {
        gfp_error error = {0};
        const gfp_options options = {.memory_cap = cap, .error = &error};
        const gfp_status status = gfp_polymat_mul(c.entry, a.entry, b.entry, &s, &options);
        served += status == GFP_OK;
        if (status == GFP_OK) {
            expect_product(field, &c, &a, &b, "cap");
        } else {
            lab_expect_status(status, GFP_ERR_MEMORY, &error, "cap");
        }
    }
    assert_true(served >= 2 && served <= 10);
    clear_matrix(&a);
    clear_matrix(&b);
    clear_matrix(&c);
}

static void check_determinant(const gfp_field *field, size_t n, size_t len, bool full,
                              const gfp_options *options)
{
    matrix a;
    gfp_poly d, expected;
    gfp_error error = {0};
    gfp_options o = *options;
    gfp_random g;
    gfp_random_seed(&g, n + len);
    gfp_poly_init(&d, field);
    gfp_poly_init(&expected, field);
    make_matrix(&a, field, n, n, len, full, &g);
    o.error = &error;
    slow_determinant(&expected, &a, 0, 0);
    const gfp_status status = gfp_polymat_det(&d, a.entry, n, &o);
    if (status == GFP_ERR_UNAVAILABLE) { /* tiny fields */
        assert_true(gfp_field_bits(field) <= 20 && d.len == 0);
        lab_expect_status(status, GFP_ERR_UNAVAILABLE, &error, "points");
    } else {
        lab_expect_status(status, GFP_OK, &error, "determinant");
        expect_same(&d, &expected, gfp_field_name(field), n, len);
    }
    if (status == GFP_OK && n > 0 && len > 0) {
        const size_t most = n * (len - 1) + 1, k = gfp_field_k(field);
        uint64_t *x = digits_of(field, &a, len), *z = calloc(most * k, sizeof *z);
        assert_non_null(z);
        assert_int_equal(gfp_vec_polymat_det(field, z, x, n, len, &o), GFP_OK);
        assert_memory_equal(z, expected.digits, expected.len * k * sizeof *z);
        for (size_t i = expected.len * k; i < most * k; i++) {
            assert_true(z[i] == 0);
        }
        free(x);
        free(z);
    }
    clear_matrix(&a);
    gfp_poly_clear(&d);
    gfp_poly_clear(&expected);
}

static void determinants_agree(void **state)
{
    static const size_t cases[][2] = {{0, 3}, {1, 5}, {2, 2}, {2, 30}, {3, 17},
                                      {4, 9}, {5, 3}, {3, 0}, {4, 1},  {1, 1}};
    (void)state;
    for (size_t f = 0; f < ORACLE_FIELDS && lab_fields[f].field != NULL; f++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            if (lab_fields[f].k > 8 && cases[i][0] * cases[i][1] > 20) {
                continue; /* inverses take long */
            }
            if (lab_fields[f].k > 32 && cases[i][0] * cases[i][1] > 4) {
                continue;
            }
            const gfp_options options = {.verify = i % 2 == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_CROSS,
                                         .threads = 1 + i % 2};
            check_determinant(lab_fields[f].field, cases[i][0], cases[i][1], true, &options);
            check_determinant(lab_fields[f].field, cases[i][0], cases[i][1], false, &options);
        }
    }
}

/* A row twice, a row 0, a permutation, a pivot that is 0 at some points. */
static void special_determinants(void **state)
{
    matrix a;
    gfp_poly d;
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 8);
    const gfp_field *field = lab_named("p8")->field;
    gfp_poly_init(&d, field);
    make_matrix(&a, field, 4, 4, 12, true, &g);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(gfp_poly_copy(&a.entry[12 + j], &a.entry[4 + j]), GFP_OK);
    }
    assert_int_equal(gfp_poly_one(&d), GFP_OK);
    assert_int_equal(gfp_polymat_det(&d, a.entry, 4, NULL), GFP_OK);
    assert_int_equal(d.len, 0);
    /* Rows 1, 2, 0, 3 and one more exchange: -1, times X^2 in two entries. */
    static const size_t column[] = {2, 0, 3, 1};
    for (size_t i = 0; i < 16; i++) {
        gfp_poly_zero(&a.entry[i]);
        if (i % 4 == column[i / 4]) {
            assert_int_equal(gfp_poly_set_coeff_u64(&a.entry[i], i < 8 ? 2 : 0, 1), GFP_OK);
        }
    }
    assert_int_equal(gfp_polymat_det(&d, a.entry, 4, NULL), GFP_OK);
    assert_int_equal(gfp_poly_neg(&d, &d), GFP_OK);
    assert_int_equal(d.len, 5);
    assert_true(gfp_elem_is_one(field, d.digits + 4 * gfp_field_k(field)));
    /* An entry of the matrix as output. */
    assert_int_equal(gfp_polymat_det(&a.entry[0], a.entry, 4, NULL), GFP_OK);
    assert_int_equal(gfp_poly_neg(&d, &d), GFP_OK);
    assert_true(gfp_poly_equal(&d, &a.entry[0]));
    clear_matrix(&a);
    gfp_poly_clear(&d);
}

#if GFP_HAVE_FLINT
static void set_flint(nmod_poly_mat_t z, const matrix *m)
{
    for (size_t e = 0; e < m->rows * m->columns; e++) {
        nmod_poly_struct *to =
            nmod_poly_mat_entry(z, (slong)(e / m->columns), (slong)(e % m->columns));
        for (size_t i = 0; i < m->entry[e].len; i++) {
            uint64_t x[GFP_MAX_K], limbs[1];
            gfp_poly_get_coeff(&m->entry[e], x, i);
            gfp_elem_get_limbs(m->entry[e].field, limbs, x);
            nmod_poly_set_coeff_ui(to, (slong)i, limbs[0]);
        }
    }
}

static void expect_flint(const gfp_poly *c, const nmod_poly_struct *f)
{
    assert_int_equal(c->len, nmod_poly_length(f));
    for (size_t i = 0; i < c->len; i++) {
        uint64_t x[GFP_MAX_K], limbs[1];
        gfp_poly_get_coeff(c, x, i);
        gfp_elem_get_limbs(c->field, limbs, x);
        assert_true(limbs[0] == nmod_poly_get_coeff_ui(f, (slong)i));
    }
}

/* Over fields whose characteristic, 65537 or 257, fits a word. */
static void flint_agrees(void **state)
{
    static const char *const names[] = {"256^2+1", "4^4+1"};
    static const gfp_polymat_shape shapes_here[] = {{2, 2, 2, 100, 100},
                                                    {6, 6, 6, 40, 30},
                                                    {3, 9, 4, 60, 50},
                                                    {8, 8, 1, 100, 99},
                                                    {5, 5, 5, 9, 9}};
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        const gfp_field *field = lab_named(names[i % 2])->field;
        const ulong p = gfp_field_modulus_limbs(field)[0];
        const gfp_polymat_shape *s = &shapes_here[i / 2];
        nmod_poly_mat_t x, y, z;
        nmod_poly_t e;
        matrix a, b, c;
        gfp_poly d;
        gfp_random g;
        gfp_random_seed(&g, i + 1);
        gfp_poly_init(&d, field);
        make_matrix(&a, field, s->rows, s->inner, s->len_a, i < 4, &g);
        make_matrix(&b, field, s->inner, s->columns, s->len_b, true, &g);
        make_matrix(&c, field, s->rows, s->columns, 2, true, &g);
        nmod_poly_mat_init(x, (slong)s->rows, (slong)s->inner, p);
        nmod_poly_mat_init(y, (slong)s->inner, (slong)s->columns, p);
        nmod_poly_mat_init(z, (slong)s->rows, (slong)s->columns, p);
        nmod_poly_init(e, p);
        set_flint(x, &a);
        set_flint(y, &b);
        nmod_poly_mat_mul(z, x, y);
        assert_int_equal(gfp_polymat_mul(c.entry, a.entry, b.entry, s, NULL), GFP_OK);
        for (size_t j = 0; j < s->rows * s->columns; j++) {
            expect_flint(&c.entry[j],
                         nmod_poly_mat_entry(z, (slong)(j / s->columns), (slong)(j % s->columns)));
        }
        if (s->rows == s->inner && s->rows * s->len_a < 300) {
            const gfp_status status = gfp_polymat_det(&d, a.entry, s->rows, NULL);
            nmod_poly_mat_det(e, x);
            assert_true(status == GFP_OK || (status == GFP_ERR_UNAVAILABLE && p == 257));
            if (status == GFP_OK) {
                expect_flint(&d, e);
            }
        }
        nmod_poly_clear(e);
        nmod_poly_mat_clear(x);
        nmod_poly_mat_clear(y);
        nmod_poly_mat_clear(z);
        clear_matrix(&a);
        clear_matrix(&b);
        clear_matrix(&c);
        gfp_poly_clear(&d);
    }
}
#endif

/* ---- arguments ---- */

static void bad_arguments(void **state)
{
    const gfp_polymat_shape s = {.rows = 2, .inner = 2, .columns = 2},
                            huge = {SIZE_MAX / 2, 3, 1, 1, 1}, one = {1, 1, 1, 1, 1},
                            apart = {(size_t)1 << 31, 1, (size_t)1 << 31, 1, 1};
    matrix a, b, c;
    uint64_t x[8] = {1}, z[8] = {5};
    gfp_random g;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    (void)state;
    gfp_random_seed(&g, 7);
    const gfp_field *field = lab_named("p8")->field;
    make_matrix(&a, field, 2, 2, 5, true, &g);
    make_matrix(&b, lab_named("p4")->field, 2, 2, 5, true, &g);
    make_matrix(&c, field, 2, 2, 3, true, &g);
    const struct {
        gfp_status found, expected;
    } cases[] = {
        {gfp_polymat_mul(NULL, a.entry, a.entry, &s, &options), GFP_ERR_ARGUMENT},
        {gfp_polymat_mul(c.entry, NULL, a.entry, &s, &options), GFP_ERR_ARGUMENT},
        {gfp_polymat_mul(c.entry, a.entry, NULL, &s, &options), GFP_ERR_ARGUMENT},
        {gfp_polymat_mul(c.entry, a.entry, a.entry, NULL, &options), GFP_ERR_ARGUMENT},
        {gfp_polymat_mul(c.entry, a.entry, b.entry, &s, &options), GFP_ERR_FIELD_MISMATCH},
        {gfp_polymat_mul(b.entry, a.entry, a.entry, &s, &options), GFP_ERR_FIELD_MISMATCH},
        {gfp_polymat_mul(c.entry, a.entry, a.entry, &huge, &options), GFP_ERR_SIZE},
        {gfp_vec_polymat_mul(NULL, z, x, x, &one, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_mul(field, NULL, x, x, &one, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_mul(field, z, NULL, x, &one, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_mul(field, z, x, NULL, &one, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_mul(field, z, x, x, &huge, &options), GFP_ERR_SIZE},
        {gfp_vec_polymat_mul(field, z, x, x, &apart, &options), GFP_ERR_SIZE},
        {gfp_polymat_det(NULL, a.entry, 2, &options), GFP_ERR_ARGUMENT},
        {gfp_polymat_det(c.entry, NULL, 2, &options), GFP_ERR_ARGUMENT},
        {gfp_polymat_det(c.entry, b.entry, 2, &options), GFP_ERR_FIELD_MISMATCH},
        {gfp_polymat_det(c.entry, a.entry, SIZE_MAX / 2, &options), GFP_ERR_SIZE},
        {gfp_vec_polymat_det(field, z, x, 1, 0, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_det(field, z, NULL, 1, 1, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_det(NULL, z, x, 1, 1, &options), GFP_ERR_ARGUMENT},
        {gfp_vec_polymat_det(field, z, x, 5, SIZE_MAX / 3, &options), GFP_ERR_SIZE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].found != cases[i].expected) {
            fail_msg("case %zu: %s", i, gfp_status_string(cases[i].found));
        }
    }
    assert_true(z[0] == 5 && error.message[0] != '\0');
    const gfp_options unknown = {.method = "none", .error = &error};
    lab_expect_status(gfp_polymat_mul(c.entry, a.entry, a.entry, &s, &unknown), GFP_ERR_UNKNOWN,
                      &error, "method");
    assert_int_equal(c.entry[0].len, 3);
    clear_matrix(&a);
    clear_matrix(&b);
    clear_matrix(&c);
}

/* ---- calls ---- */

/* Operands a, b, and a column v; results c, w, d. */
typedef struct subject {
    const gfp_field *field;
    size_t n;
    matrix a, b, v, c, w, d;
} subject;

static gfp_status product(subject *s, const gfp_options *options)
{
    const gfp_polymat_shape shape = {.rows = s->n, .inner = s->n, .columns = s->n};
    return gfp_polymat_mul(s->c.entry, s->a.entry, s->b.entry, &shape, options);
}

static gfp_status application(subject *s, const gfp_options *options)
{
    const gfp_polymat_shape shape = {.rows = s->n, .inner = s->n, .columns = 1};
    return gfp_polymat_mul(s->w.entry, s->a.entry, s->v.entry, &shape, options);
}

static gfp_status determinant(subject *s, const gfp_options *options)
{
    return gfp_polymat_det(s->d.entry, s->a.entry, s->n, options);
}

typedef struct operation {
    const char *name;
    gfp_status (*run)(subject *s, const gfp_options *options);
} operation;

static const operation operations[] = {
    {"product", product}, {"application", application}, {"determinant", determinant}};
#define OPERATIONS (sizeof operations / sizeof operations[0])

typedef struct problem {
    const char *field;
    size_t n, len;
} problem;

static gfp_status make_subject(subject *s, const gfp_field *field, const problem *p,
                               const gfp_options *options)
{
    gfp_random g;
    (void)options;
    gfp_random_seed(&g, 9);
    *s = (subject){.field = field, .n = p->n};
    make_matrix(&s->a, field, p->n, p->n, p->len, true, &g);
    make_matrix(&s->b, field, p->n, p->n, p->len, true, &g);
    make_matrix(&s->v, field, p->n, 1, p->len, true, &g);
    make_matrix(&s->c, field, p->n, p->n, 0, true, &g);
    make_matrix(&s->w, field, p->n, 1, 0, true, &g);
    make_matrix(&s->d, field, 1, 1, 0, true, &g);
    return GFP_OK;
}

static void clear_subject(subject *s)
{
    matrix *const list[] = {&s->a, &s->b, &s->v, &s->c, &s->w, &s->d};
    for (size_t i = 0; i < 6; i++) {
        clear_matrix(list[i]);
    }
}

static void reset(subject *s)
{
    matrix *const list[] = {&s->c, &s->w, &s->d};
    for (size_t i = 0; i < 3; i++) {
        for (size_t e = 0; e < list[i]->rows * list[i]->columns; e++) {
            mark(&list[i]->entry[e]);
        }
    }
}

static bool unchanged(const subject *s)
{
    const matrix *const list[] = {&s->c, &s->w, &s->d};
    bool same = true;
    for (size_t i = 0; i < 3; i++) {
        for (size_t e = 0; e < list[i]->rows * list[i]->columns; e++) {
            same = same && is_marked(&list[i]->entry[e]);
        }
    }
    return same;
}

static size_t result_bytes(const subject *s)
{
    const matrix *const list[] = {&s->c, &s->w, &s->d};
    size_t elements = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t e = 0; e < list[i]->rows * list[i]->columns; e++) {
            elements += list[i]->entry[e].capacity;
        }
    }
    return elements * gfp_field_k(s->field) * sizeof(uint64_t);
}

static void expect_same_results(const subject *s, const subject *t, const operation *o)
{
    const matrix *const list[] = {&s->c, &s->w, &s->d}, *const other[] = {&t->c, &t->w, &t->d};
    for (size_t i = 0; i < 3; i++) {
        for (size_t e = 0; e < list[i]->rows * list[i]->columns; e++) {
            expect_same(&list[i]->entry[e], &other[i]->entry[e], o->name, i, e);
        }
    }
}

static gfp_status run_operation(subject *s, const operation *o, const gfp_options *options)
{
    return o->run(s, options);
}

static unsigned traits_of(const operation *o, const problem *p)
{
    (void)p;
    return o->run == determinant ? NO_OPERANDS : 0;
}

static const problem problems[] = {{"p8", 2, 70}, {"p2", 3, 40}, {"p4", 5, 64}, {"256^2+1", 2, 50}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#include "calls_lab.h"

/* Every method that has transforms that stay, and the definition. */
static void methods_agree(void **state)
{
    size_t served = 0;
    (void)state;
    for (size_t i = 0; i < gfp_method_count() * PROBLEMS; i++) {
        const problem *p = &problems[i % PROBLEMS];
        gfp_report report = {0};
        gfp_error error = {0};
        const gfp_options options = {.method = gfp_method_name(i / PROBLEMS),
                                     .report = &report,
                                     .error = &error,
                                     .tuning = low_thresholds()};
        subject s, t;
        make_on(&s, p, NULL);
        make_on(&t, p, NULL);
        reset(&s);
        reset(&t);
        assert_int_equal(product(&s, NULL), GFP_OK);
        const gfp_status status = product(&t, &options);
        if (status == GFP_ERR_UNAVAILABLE) {
            assert_true(strcmp(options.method, "hybrid") != 0 && unchanged(&t));
        } else {
            lab_expect_status(status, GFP_OK, &error, options.method);
            assert_string_equal(report.method, options.method);
            expect_same_results(&t, &s, &operations[0]);
            served++;
        }
        clear_subject(&s);
        clear_subject(&t);
    }
    assert_true(served >= 2 * PROBLEMS);
}

static void threads_agree(void **state)
{
    (void)state;
    expect_threads_alike(&problems[0], 2);
    expect_threads_alike(&problems[2], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(special_products),
        cmocka_unit_test(products_within_caps_agree),
        cmocka_unit_test(determinants_agree),
        cmocka_unit_test(special_determinants),
#if GFP_HAVE_FLINT
        cmocka_unit_test(flint_agrees),
#endif
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(allocations_that_fail),
        cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),
        cmocka_unit_test(wrong_products_are_caught),
        cmocka_unit_test(all_wrong_products_are_caught),
    };
    return cmocka_run_group_tests_name("polymat", tests, lab_setup_toolkit, lab_teardown);
}
