/* arith.c: transformed operands of every method that has them against products and sums of
 * polynomials, at every kernel level: sums of products, products of sums and of products, wrapping
 * around, the limits of the primes, threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>
#include <string.h>

#include "product/operand/rows.h"

#include "field/base/context.h"
#include "crt/hybrid/ring.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "product/methods/engine.h"

/* ---- methods and fields ---- */

static const struct {
    uint64_t r;
    unsigned k;
} more_radices[] = {
    {(UINT64_C(1) << 62) + (UINT64_C(1) << 56), 256},
    {UINT64_C(1) << 32, 8},
    {GFP_OUTER_R_MAX, 4},
    {UINT64_MAX - 1, 2},
};
#define MORE (sizeof more_radices / sizeof more_radices[0])

/* The same for a field for arithmetic only (open_field), which knows no roots of unity: for engines
 * that compute with integers, within bounds. */
static bool has_integer_operands(const gfp_method *row, const gfp_field *field, size_t length)
{
    return row->operands->lift != NULL && has_operands(row, field, length);
}

/* A field for arithmetic only, at this level; its number counts the lab's radices and more. */
static gfp_field *open_field(size_t index, gfp_level level)
{
    const bool listed = index < oracle_field_count;
    const uint64_t r = listed ? oracle_fields[index].r : more_radices[index - oracle_field_count].r;
    const unsigned k = listed ? oracle_fields[index].k : more_radices[index - oracle_field_count].k;
    const gfp_level before = gfp_cpu_level_get();
    gfp_field *field = NULL;
    assert_true(gfp_cpu_level_force(level));
    assert_int_equal(gfp_field_create_raw(&field, r, k, NULL, NULL), GFP_OK);
    assert_true(gfp_cpu_level_force(before));
    return field;
}

static bool arith_costly(const gfp_field *field)
{
    return gfp_field_k(field) >= 64 && gfp_field_r(field) < (uint64_t)1 << 32;
}

/* ---- polynomials ---- */

/* c := a b by a method without operands: short products by the definition. */
static void arith_multiply(gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    const bool few = a->len <= 64 || b->len <= 8;
    const gfp_options options = {.method = few ? "classical" : "karatsuba"};
    assert_int_equal(gfp_poly_mul(c, a, b, &options), GFP_OK);
}

/* c := c + sign a b. */
static void arith_reference(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, int sign)
{
    gfp_poly t;
    gfp_poly_init(&t, c->field);
    arith_multiply(&t, a, b);
    assert_int_equal(sign < 0 ? gfp_poly_sub(c, c, &t) : gfp_poly_add(c, c, &t), GFP_OK);
    gfp_poly_clear(&t);
}

static gfp_operand *make_like(const gfp_operand *like, const gfp_poly *a)
{
    gfp_operand *x = NULL;
    assert_int_equal(operand_like(&x, like, a, NULL), GFP_OK);
    return x;
}

/* ---- one set of operations ---- */

#define POLYS 4

typedef struct set {
    gfp_poly p[POLYS], sum;
    gfp_operand *x[POLYS], *c;
} set;

static void set_open(set *s, const gfp_field *field, size_t length, size_t terms,
                     const char *method, pattern kind, gfp_random *g)
{
    for (size_t i = 0; i < POLYS; i++) {
        const size_t most = (length + 1) / 2;
        gfp_poly_init(&s->p[i], field);
        rows_fill(&s->p[i],
                  i < 2 ? (most + (size_t)kind % 2) / (1 + (size_t)kind % 2)
                        : 1 + gfp_random_below(g, (most + 2) / 3),
                  i == 0 ? kind : RANDOM, g);
        s->x[i] =
            i == 0 ? rows_make(&s->p[0], length, terms, method) : make_like(s->x[0], &s->p[i]);
    }
    gfp_poly_init(&s->sum, field);
    s->c = make_like(s->x[0], NULL);
}

static void set_close(set *s)
{
    for (size_t i = 0; i < POLYS; i++) {
        gfp_poly_clear(&s->p[i]);
        gfp_operand_destroy(s->x[i]);
    }
    gfp_poly_clear(&s->sum);
    gfp_operand_destroy(s->c);
}

/* The transform alone, sums of products, products of sums, factors joined to products. */
static void check_sums(set *s)
{
    gfp_operand *t = make_like(s->c, NULL);
    gfp_poly u;
    gfp_poly_init(&u, s->sum.field);
    rows_expect(s->x[0], &s->p[0], "there and back");
    rows_expect(s->c, &s->sum, "zero");
    for (size_t i = 0; i + 1 < POLYS; i++) {
        const int sign = i == 1 ? -1 : 1;
        arith_reference(&s->sum, &s->p[i], &s->p[i + 1], sign);
        assert_int_equal(sign < 0
                             ? gfp_operand_arith(s->c, s->x[i], s->x[i + 1], GFP_OPERAND_SUBMUL)
                             : gfp_operand_arith(s->c, s->x[i], s->x[i + 1], GFP_OPERAND_ADDMUL),
                         GFP_OK);
    }
    rows_expect(s->c, &s->sum, "a sum of products");
    assert_int_equal(gfp_operand_arith(t, s->x[2], s->c, GFP_OPERAND_SUB), GFP_OK);
    assert_int_equal(gfp_poly_sub(&u, &s->p[2], &s->sum), GFP_OK);
    rows_expect(t, &u, "a factor less products");
    assert_int_equal(gfp_operand_arith(t, s->x[0], s->x[2], GFP_OPERAND_ADD), GFP_OK);
    assert_int_equal(gfp_operand_arith(t, t, s->x[3], GFP_OPERAND_SUB), GFP_OK);
    assert_int_equal(gfp_operand_arith(t, t, s->x[1], GFP_OPERAND_MUL), GFP_OK);
    assert_int_equal(gfp_poly_add(&u, &s->p[0], &s->p[2]), GFP_OK);
    assert_int_equal(gfp_poly_sub(&u, &u, &s->p[3]), GFP_OK);
    arith_multiply(&u, &u, &s->p[1]);
    rows_expect(t, &u, "a product of sums");
    assert_int_equal(gfp_operand_arith(t, s->x[1], s->x[1], GFP_OPERAND_MUL), GFP_OK);
    arith_multiply(&u, &s->p[1], &s->p[1]);
    rows_expect(t, &u, "a square");
    gfp_operand *zero = make_like(s->c, NULL);
    assert_int_equal(gfp_operand_arith(t, zero, s->x[0], GFP_OPERAND_SUB), GFP_OK);
    assert_int_equal(gfp_poly_neg(&u, &s->p[0]), GFP_OK);
    rows_expect(t, &u, "0 less a factor");
    assert_int_equal(gfp_operand_arith(t, s->x[0], zero, GFP_OPERAND_ADD), GFP_OK);
    rows_expect(t, &s->p[0], "a factor and 0");
    assert_int_equal(gfp_operand_arith(t, zero, s->x[1], GFP_OPERAND_MUL), GFP_OK);
    assert_int_equal(gfp_operand_arith(t, zero, t, GFP_OPERAND_ADD), GFP_OK);
    gfp_poly_zero(&u);
    rows_expect(t, &u, "0 and 0");
    assert_int_equal(gfp_operand_arith(zero, zero, s->x[0], GFP_OPERAND_SUB), GFP_OK);
    assert_int_equal(gfp_operand_arith(t, zero, s->x[0], GFP_OPERAND_ADD), GFP_OK);
    rows_expect(t, &u, "a factor and its negative");
    gfp_operand_destroy(zero);
    gfp_poly_clear(&u);
    gfp_operand_destroy(t);
}

/* Polynomial times operand, in parts; an operand that is a product; products of products. */
static void check_products(set *s, size_t length)
{
    gfp_poly c, d, e;
    gfp_poly_init(&c, s->sum.field);
    gfp_poly_init(&d, s->sum.field);
    gfp_poly_init(&e, s->sum.field);
    arith_multiply(&d, &s->p[0], &s->p[2]);
    assert_int_equal(gfp_poly_mul_operand(&c, 0, SIZE_MAX, &s->p[0], s->x[2], NULL), GFP_OK);
    assert_true(gfp_poly_equal(&c, &d));
    uint64_t *product = lab_array(d.len * gfp_field_k(c.field));
    assert_int_equal(
        gfp_vec_mul_operand(product, 0, d.len, s->p[0].digits, s->p[0].len, s->x[2], NULL), GFP_OK);
    assert_memory_equal(product, d.digits, d.len * gfp_field_k(c.field) * sizeof *product);
    lab_free(product);
    assert_int_equal(gfp_poly_mul_operand(&c, d.len / 3, d.len / 2, &s->p[0], s->x[2], NULL),
                     GFP_OK);
    assert_int_equal(gfp_poly_shift_right(&e, &d, d.len / 3), GFP_OK);
    assert_int_equal(gfp_poly_truncate(&e, &e, d.len / 2), GFP_OK);
    assert_true(gfp_poly_equal(&c, &e));
    assert_int_equal(operand_times(s->c, &s->p[0], s->x[2], NULL), GFP_OK);
    rows_expect(s->c, &d, "polynomial times operand");
    const gfp_operand *const x[3] = {s->x[0], s->x[1], s->x[3]};
    const gfp_operand *const y[3] = {s->x[2], s->x[3], s->c};
    arith_reference(&d, &s->p[1], &s->p[3], 1);
    assert_int_equal(gfp_poly_dot_operands(&c, 0, SIZE_MAX, x, y, 2, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&c, &d));
    assert_int_equal(gfp_poly_dot_operands(&c, d.len / 3, d.len / 2, x, y, 2, NULL), GFP_OK);
    assert_int_equal(gfp_poly_shift_right(&e, &d, d.len / 3), GFP_OK);
    assert_int_equal(gfp_poly_truncate(&e, &e, d.len / 2), GFP_OK);
    assert_true(gfp_poly_equal(&c, &e));
    arith_multiply(&d, &s->p[0], &s->p[2]);
    if (s->p[3].len + d.len - 1 <= length) { /* a sum with a product that is multiplied again */
        gfp_poly_zero(&e);
        arith_reference(&e, &s->p[0], &s->p[2], 1);
        arith_reference(&e, &s->p[1], &s->p[3], 1);
        arith_reference(&e, &s->p[3], &d, 1);
        assert_int_equal(gfp_poly_dot_operands(&c, 0, SIZE_MAX, x, y, 3, NULL), GFP_OK);
        assert_true(gfp_poly_equal(&c, &e));
    }
    if (s->p[3].len + d.len - 1 <= length) {
        arith_multiply(&e, &d, &s->p[3]);
        assert_int_equal(gfp_poly_mul_operand(&c, 0, SIZE_MAX, &s->p[3], s->c, NULL), GFP_OK);
        assert_true(gfp_poly_equal(&c, &e));
        assert_int_equal(gfp_operand_arith(s->c, s->c, s->x[3], GFP_OPERAND_MUL), GFP_OK);
        rows_expect(s->c, &e, "a product of three");
    }
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
    gfp_poly_clear(&e);
}

static void check_set(const gfp_field *field, size_t length, const char *method, pattern kind,
                      gfp_random *g)
{
    set s;
    set_open(&s, field, length, 4, method, kind, g);
    check_sums(&s);
    check_products(&s, length);
    set_close(&s);
}

/* d := a modulo X^n - 1, len a <= 2 n. */
static void arith_wrap(gfp_poly *d, const gfp_poly *a, size_t n, gfp_wrap how)
{
    gfp_poly high;
    gfp_poly_init(&high, a->field);
    assert_int_equal(gfp_poly_shift_right(&high, a, n), GFP_OK);
    assert_int_equal(gfp_poly_truncate(d, a, n), GFP_OK);
    assert_int_equal(how == GFP_WRAP_CYCLIC ? gfp_poly_add(d, d, &high) : gfp_poly_sub(d, d, &high),
                     GFP_OK);
    gfp_poly_clear(&high);
}

/* Products, and a sum of two, of factors as long as the ring. */
static void check_wrap(const gfp_field *field, size_t length, gfp_wrap how, const char *method,
                       gfp_random *g)
{
    const gfp_options options = {.method = method};
    gfp_poly a, b, c, d;
    gfp_operand *x = NULL;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    gfp_poly_init(&d, field);
    rows_fill(&b, length, RANDOM, g);
    assert_int_equal(operand_of(&x, &b, (gfp_space_spec){length, 1, how}, &options), GFP_OK);
    const size_t n = gfp_space_length(gfp_operand_space(x));
    assert_true(n >= length);
    rows_fill(&a, n, HALF, g);
    assert_int_equal(gfp_poly_mul_operand(&c, 0, SIZE_MAX, &a, x, NULL), GFP_OK);
    arith_multiply(&d, &a, &b);
    arith_wrap(&d, &d, n, how);
    assert_true(gfp_poly_equal(&c, &d));
    gfp_operand *y = make_like(x, &a), *z = make_like(x, NULL);
    assert_int_equal(gfp_operand_arith(z, y, y, GFP_OPERAND_MUL), GFP_OK);
    assert_int_equal(gfp_operand_arith(z, x, y, GFP_OPERAND_SUBMUL), GFP_OK);
    arith_multiply(&c, &a, &a);
    arith_wrap(&c, &c, n, how);
    assert_int_equal(gfp_poly_sub(&c, &c, &d), GFP_OK);
    rows_expect(z, &c, "wrapped around");
    gfp_operand_destroy(x);
    gfp_operand_destroy(y);
    gfp_operand_destroy(z);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
}

/* In every way that the row knows. */
static void check_wraps(const gfp_field *field, size_t length, const gfp_method *row, gfp_random *g)
{
    if (row->operands->wraps) {
        check_wrap(field, length, GFP_WRAP_CYCLIC, row->name, g);
    }
    if (row->operands->negates) {
        check_wrap(field, length, GFP_WRAP_NEGACYCLIC, row->name, g);
    }
}

/* Every length that is not costly, if the method has it; checked += the lengths. */
static void check_lengths(const gfp_field *field, const gfp_method *row, size_t most, size_t number,
                          size_t *checked)
{
    static const size_t lengths[] = {1, 2, 7, 16, 33, 100, 129, 300, 1000, 5000};
    gfp_random g;
    gfp_random_seed(&g, number);
    for (size_t j = 0; LAB_ROW(lengths, j); j++) {
        if (lengths[j] <= most && has_integer_operands(row, field, lengths[j])) {
            check_set(field, lengths[j], row->name, (pattern)((number + j) % KINDS), &g);
            *checked += 1;
        }
    }
}

static void test_fields(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    size_t checked[GFP_COST_COLUMNS] = {0};
    (void)state;
    for (size_t i = 0; i < oracle_field_count + MORE; i++) {
        for (gfp_level level = GFP_LEVEL_PORTABLE; level <= gfp_cpu_level_get(); level++) {
            if (!gfp_cpu_has(level)) {
                continue;
            }
            gfp_field *field = open_field(i, level);
            const size_t k = gfp_field_k(field);
            const bool generic = gfp_field_r(field) < (uint64_t)1 << 32;
            const size_t words = (generic ? 10000 : 100000) / (SANITIZED ? 8 : 1);
            const size_t most = arith_costly(field) ? 16 : words / (k * k) + 33;
            for (size_t j = 0; j < count; j++) {
                check_lengths(field, rows[j], most, i, &checked[j]);
            }
            gfp_field_destroy(field);
        }
    }
    for (size_t j = 0; j < count; j++) {
        assert_true(checked[j] > 0 || rows[j]->operands->lift == NULL);
    }
}

/* Fields with roots of unity, lengths around powers of two, every pattern. */
static void test_patterns(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "m8", "2^8+1", "16^4+1"};
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    gfp_random g;
    (void)state;
    size_t checked[GFP_COST_COLUMNS] = {0};
    gfp_random_seed(&g, 2);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        gfp_field *field = lab_create(names[i]);
        for (size_t length = 1; length <= 64; length = 2 * length + 1) {
            for (pattern kind = RANDOM; kind < KINDS; kind++) {
                for (size_t j = 0; j < count; j++) {
                    if (has_operands(rows[j], field, length)) {
                        check_set(field, length, rows[j]->name, kind, &g);
                        checked[j]++;
                    }
                }
            }
        }
        for (size_t j = 0; j < count; j++) {
            if (has_operands(rows[j], field, 13)) {
                check_wraps(field, 13, rows[j], &g);
            }
        }
        gfp_field_destroy(field);
    }
    for (size_t j = 0; j < count; j++) {
        assert_true(checked[j] > 0);
    }
}

/* ---- wrapping around ---- */

static void test_cyclic(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t i = 0; i < oracle_field_count; i++) {
        gfp_field *field = open_field(i, gfp_cpu_level_get());
        for (size_t length = 5; length < 200 && !arith_costly(field); length *= 3) {
            for (size_t j = 0; j < count; j++) {
                if (has_integer_operands(rows[j], field, length)) {
                    check_wraps(field, length, rows[j], &g);
                }
            }
        }
        gfp_field_destroy(field);
    }
}

/* ---- the limits of the primes ---- */

/* a := (1 + ... + X^7) e1, b := the same by e2. Of digits: e1 and e2 have digits r/2 and the
 * greatest sum of products of digits: e2 = r/2 (1 - r - ... - r^(k-1)). Else e1 = e2 = p - 1, the
 * greatest integer. */
static void extreme_factors(gfp_poly *a, gfp_poly *b, bool of_digits)
{
    const gfp_field *field = a->field;
    const unsigned k = gfp_field_k(field);
    uint64_t e1[GFP_MAX_K] = {0}, e2[GFP_MAX_K] = {0}, x[GFP_MAX_K] = {0};
    for (unsigned t = 0; t < k && of_digits; t++) {
        e1[t] = gfp_field_r(field) / 2;
        x[t] = t > 0 ? e1[t] : 0;
        e2[t] = t == 0 ? e1[t] : 0;
    }
    if (!of_digits) {
        e1[k - 1] = e2[k - 1] = gfp_field_r(field);
    }
    gfp_elem_sub(field, e2, e2, x);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(gfp_poly_set_coeff(a, i, e1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff(b, i, e2), GFP_OK);
    }
}

/* x := n times the product in y, in the domain; u the same polynomial. Sums of doublings, so that
 * few operations reach any n. */
static void arith_multiple(gfp_operand *x, gfp_poly *u, const gfp_operand *y, const gfp_poly *v,
                           size_t n)
{
    gfp_operand *twice = make_like(y, NULL);
    gfp_poly w;
    gfp_poly_init(&w, v->field);
    assert_int_equal(gfp_operand_arith(twice, twice, y, GFP_OPERAND_ADD), GFP_OK);
    assert_int_equal(gfp_poly_set(&w, v), GFP_OK);
    for (; n > 0; n /= 2) {
        if (n % 2 != 0) {
            assert_int_equal(gfp_operand_arith(x, x, twice, GFP_OPERAND_ADD), GFP_OK);
            assert_int_equal(gfp_poly_add(u, u, &w), GFP_OK);
        }
        if (n > 1) {
            assert_int_equal(gfp_operand_arith(twice, twice, twice, GFP_OPERAND_ADD), GFP_OK);
            assert_int_equal(gfp_poly_add(&w, &w, &w), GFP_OK);
        }
    }
    gfp_poly_clear(&w);
    gfp_operand_destroy(twice);
}

/* Checks the largest sum of products that needs no reduction, its negative, and a sum of one
 * product more. */
static void check_edge(const gfp_field *field, const char *method, bool of_digits)
{
    gfp_poly a, b, c, u, v;
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    gfp_poly_init(&u, field);
    gfp_poly_init(&v, field);
    extreme_factors(&a, &b, of_digits);
    gfp_operand *x = rows_make(&a, 15, 1, method), *y = make_like(x, &b), *z = make_like(x, NULL);
    assert_int_equal(gfp_operand_arith(y, x, y, GFP_OPERAND_MUL), GFP_OK);
    arith_multiply(&c, &a, &b);
    const size_t room = gfp_operand_room(z);
    assert_true(room >= 1);
    arith_multiple(z, &u, y, &c, room);
    assert_int_equal(gfp_operand_room(z), 0);
    rows_expect(z, &u, "the largest sum");
    gfp_operand_destroy(y);
    y = make_like(x, NULL);
    assert_int_equal(gfp_operand_arith(y, y, z, GFP_OPERAND_SUB), GFP_OK);
    assert_int_equal(gfp_poly_neg(&v, &u), GFP_OK);
    rows_expect(y, &v, "its negative");
    gfp_operand_destroy(y);
    y = make_like(x, &b);
    assert_int_equal(gfp_operand_arith(z, x, y, GFP_OPERAND_ADDMUL), GFP_OK);
    assert_int_equal(gfp_poly_add(&u, &u, &c), GFP_OK);
    rows_expect(z, &u, "one above the largest sum");
    assert_int_equal(gfp_operand_arith(z, x, y, GFP_OPERAND_SUBMUL), GFP_OK);
    assert_int_equal(gfp_poly_sub(&u, &u, &c), GFP_OK);
    rows_expect(z, &u, "and below again");
    /* A factor of the greatest weight, squared: it is reduced first. */
    gfp_operand_destroy(z);
    z = make_like(x, NULL);
    gfp_poly_zero(&u);
    arith_multiple(z, &u, x, &a, room);
    assert_int_equal(gfp_operand_arith(z, z, z, GFP_OPERAND_MUL), GFP_OK);
    arith_multiply(&u, &u, &u);
    rows_expect(z, &u, "a heavy factor squared");
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&u);
    gfp_poly_clear(&v);
    gfp_operand_destroy(x);
    gfp_operand_destroy(y);
    gfp_operand_destroy(z);
}

static void test_edge(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    (void)state;
    for (size_t i = 0; i < oracle_field_count + MORE; i++) {
        for (gfp_level level = GFP_LEVEL_PORTABLE; level <= gfp_cpu_level_get(); level++) {
            if (!gfp_cpu_has(level)) {
                continue;
            }
            gfp_field *field = open_field(i, level);
            for (size_t j = 0; j < count; j++) {
                if (has_integer_operands(rows[j], field, 15)) {
                    check_edge(field, rows[j]->name, true);
                    check_edge(field, rows[j]->name, false);
                }
            }
            gfp_field_destroy(field);
        }
    }
}

/* Primes for many terms: more of them, or shorter leaves of hybrid, and the account says so. Hybrid
 * may have too few primes. */
static void check_terms(const gfp_poly *a, const gfp_method *row, size_t terms)
{
    gfp_hybrid_ring ring;
    gfp_operand *x = rows_make(a, 15, terms, row->name), *z = make_like(x, NULL);
    if (row->operands != &gfp_hybrid_rings ||
        gfp_hybrid_ring_make(&ring, a->field, 15, terms, 15, GFP_RING_LINEAR)) {
        assert_true(gfp_operand_room(z) >= terms);
    }
    gfp_operand_destroy(z);
    gfp_operand_destroy(x);
}

/* A space for any number of terms is made at once; the room says for how many the primes suffice.
 */
static void test_endless_terms(void **state)
{
    static const size_t terms[] = {1000, (size_t)1 << 31, (size_t)1 << 47, (size_t)1 << 48,
                                   SIZE_MAX};
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    (void)state;
    for (size_t i = 0; i < oracle_field_count + MORE; i++) {
        gfp_field *field = open_field(i, gfp_cpu_level_get());
        gfp_poly a;
        gfp_poly_init(&a, field);
        assert_int_equal(gfp_poly_set_coeff_u64(&a, 7, 1), GFP_OK);
        for (size_t j = 0; j < count * (sizeof terms / sizeof *terms); j++) {
            const gfp_method *row = rows[j % count];
            if (has_integer_operands(row, field, 1000)) {
                gfp_operand *x = rows_make(&a, 1000, terms[j / count], row->name);
                assert_true(gfp_operand_room(x) > 0);
                gfp_operand_destroy(x);
            }
        }
        gfp_poly_clear(&a);
        gfp_field_destroy(field);
    }
}

static void test_terms(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t i = 0; i < oracle_field_count; i++) {
        gfp_field *field = open_field(i, gfp_cpu_level_get());
        gfp_poly a;
        gfp_poly_init(&a, field);
        rows_fill(&a, 8, RANDOM, &g);
        for (size_t terms = 1; terms <= 64; terms *= 4) {
            for (size_t j = 0; j < count; j++) {
                if (has_integer_operands(rows[j], field, 15)) {
                    check_terms(&a, rows[j], terms);
                }
            }
        }
        gfp_poly_clear(&a);
        gfp_field_destroy(field);
    }
}

/* ---- threads ---- */

typedef struct worker {
    const gfp_operand *x, *y;
    const gfp_poly *expected;
    bool good;
} worker;

static void *arith_work(void *user)
{
    worker *w = user;
    w->good = true;
    for (int i = 0; i < 20 && w->good; i++) {
        gfp_operand *z = NULL;
        gfp_poly c;
        gfp_poly_init(&c, w->expected->field);
        w->good = operand_like(&z, w->x, NULL, NULL) == GFP_OK &&
                  gfp_operand_arith(z, w->x, w->y, GFP_OPERAND_MUL) == GFP_OK &&
                  gfp_poly_from_operand(&c, 0, SIZE_MAX, z, NULL) == GFP_OK &&
                  gfp_poly_equal(&c, w->expected);
        gfp_poly_clear(&c);
        gfp_operand_destroy(z);
    }
    return NULL;
}

static void test_threads(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    gfp_random g;
    gfp_field *field = lab_create("p8");
    gfp_poly a, b, c;
    (void)state;
    gfp_random_seed(&g, 5);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    rows_fill(&a, 60, RANDOM, &g);
    rows_fill(&b, 60, RANDOM, &g);
    arith_reference(&c, &a, &b, 1);
    for (size_t j = 0; j < count; j++) {
        gfp_operand *x = rows_make(&a, 119, 1, rows[j]->name);
        gfp_operand *y = make_like(x, &b);
        worker workers[4];
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) {
            workers[i] = (worker){x, y, &c, false};
            assert_int_equal(pthread_create(&threads[i], NULL, arith_work, &workers[i]), 0);
        }
        for (int i = 0; i < 4; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_true(workers[i].good);
        }
        gfp_operand_destroy(x);
        gfp_operand_destroy(y);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),  cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_cyclic),  cmocka_unit_test(test_edge),
        cmocka_unit_test(test_terms),   cmocka_unit_test(test_endless_terms),
        cmocka_unit_test(test_threads),
    };
    if (THREAD_SANITIZED) {
        cmocka_set_test_filter("*thread*");
    }
    return cmocka_run_group_tests_name("operand", tests, lab_setup_count, NULL);
}
