/* cut.c: ranges of products in pieces: every product of two coefficients that belongs to a range is
 * in one piece, and pieces are trimmed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/fixtures.h"

#include "crt/cut.h"
#include "field/base/support.h"
#include "lab/rows.h"

#define MOST 9

/* The pieces that hold a_i b_j. */
typedef struct counts {
    unsigned pieces[MOST][MOST];
} counts;

static void count_piece(counts *c, const gfp_cut *cut, const gfp_cut_piece *x)
{
    const gfp_range *w = &cut->whole, *r = &x->range;
    const size_t k = gfp_field_k(w->field);
    const size_t from_a = (size_t)(r->a - w->a) / k, from_b = (size_t)(r->b - w->b) / k;
    bool first_a = false, last_a = false, first_b = false, last_b = false;
    /* The piece lies in its parts and its stripe. */
    assert_in_range(from_a, x->a * cut->length_a, (x->a + 1) * cut->length_a - r->len_a);
    assert_in_range(from_b, x->b * cut->length_b, (x->b + 1) * cut->length_b - r->len_b);
    assert_in_range(x->at, x->stripe * cut->width,
                    (x->stripe + 1) * cut->width - (r->end - r->first));
    assert_int_equal(r->first + from_a + from_b, w->first + x->at);
    for (size_t i = 0; i < r->len_a; i++) {
        for (size_t j = 0; j < r->len_b; j++) {
            if (i + j >= r->first && i + j < r->end) {
                c->pieces[from_a + i][from_b + j]++;
                first_a = first_a || i == 0;
                last_a = last_a || i == r->len_a - 1;
                first_b = first_b || j == 0;
                last_b = last_b || j == r->len_b - 1;
            }
        }
    }
    assert_true(first_a && last_a && first_b && last_b); /* trimmed */
}

/* The shapes of the pieces visited. */
typedef struct shapes {
    gfp_range seen[32];
    size_t count;
} shapes;

static void add_shape(void *user, const gfp_cut_piece *x)
{
    shapes *s = user;
    assert_in_range(s->count, 0, 23);
    s->seen[s->count++] = x->range;
}

static bool has_shape(const shapes *s, const gfp_range *r)
{
    for (size_t i = 0; i < s->count; i++) {
        const gfp_range *x = &s->seen[i];
        if (x->len_a == r->len_a && x->len_b == r->len_b && x->first == r->first &&
            x->end == r->end) {
            return true;
        }
    }
    return false;
}

static void check_cut(const gfp_cut *cut)
{
    const gfp_range *w = &cut->whole;
    counts c = {.pieces = {{0}}};
    size_t total = 0;
    for (gfp_cut_piece x = {.a = 0}; gfp_cut_next(cut, &x); total++) {
        gfp_cut_piece y;
        count_piece(&c, cut, &x);
        assert_true(gfp_cut_at(cut, &y, x.a, x.b, x.stripe));
        assert_memory_equal(&x, &y, sizeof x);
    }
    assert_int_equal(total, gfp_cut_total(cut));
    for (size_t i = 0; i < w->len_a; i++) {
        for (size_t j = 0; j < w->len_b; j++) {
            assert_int_equal(c.pieces[i][j], i + j >= w->first && i + j < w->end);
        }
    }
}

static void every_term_is_in_one_piece(void **state)
{
    (void)state;
    const lab *l = lab_named("p2");
    const uint64_t a[2 * MOST] = {0}, b[2 * MOST] = {0};
    gfp_random g;
    assert_int_equal(l->k, 2);
    gfp_random_seed(&g, 11);
    for (unsigned i = 0; i < 20000; i++) {
        const size_t len_a = 1 + (size_t)gfp_random_below(&g, MOST);
        const size_t len_b = 1 + (size_t)gfp_random_below(&g, MOST), all = len_a + len_b - 1;
        const size_t first = (size_t)gfp_random_below(&g, all);
        const size_t end = first + 1 + (size_t)gfp_random_below(&g, all - first);
        const gfp_cut cut = {gfp_range_make(l->field, a, b, len_a, len_b, first, end),
                             1 + (size_t)gfp_random_below(&g, len_a),
                             1 + (size_t)gfp_random_below(&g, len_b),
                             1 + (size_t)gfp_random_below(&g, all)};
        check_cut(&cut);
    }
}

/* Every piece has the shape of one that is visited, whatever the block. */
static void shapes_are_visited(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 12);
    for (unsigned i = 0; i < 20000; i++) {
        const size_t len_a = 1 + (size_t)gfp_random_below(&g, 200);
        const size_t len_b = 1 + (size_t)gfp_random_below(&g, 200), all = len_a + len_b - 1;
        const size_t first = (size_t)gfp_random_below(&g, all);
        const size_t end = first + 1 + (size_t)gfp_random_below(&g, all - first);
        const size_t block = 1 + (size_t)gfp_random_below(&g, i % 2 == 0 ? 20 : 200);
        const gfp_range r = gfp_range_make(NULL, NULL, NULL, len_a, len_b, first, end);
        const gfp_cut cut = {r, gfp_size_min(block, len_a), len_b,
                             gfp_size_min(block, end - first)};
        shapes s = {.count = 0};
        gfp_cut_visit_shapes(&cut, add_shape, &s);
        for (gfp_cut_piece x = {.a = 0}; gfp_cut_next(&cut, &x);) {
            assert_true(has_shape(&s, &x.range));
        }
    }
}

/* The product of a piece by the definition. */
static gfp_status multiply_piece(void *user, const gfp_cut_piece *x, uint64_t *z)
{
    const gfp_range *r = &x->range;
    const size_t k = gfp_field_k(r->field);
    uint64_t term[GFP_MAX_K];
    size_t *left = user;
    if ((*left)-- == 0) {
        return GFP_ERR_CANCELLED;
    }
    gfp_vec_zero(r->field, z, r->end - r->first);
    for (size_t i = 0; i < r->len_a; i++) {
        for (size_t j = 0; j < r->len_b; j++) {
            if (i + j >= r->first && i + j < r->end) {
                uint64_t *to = z + (i + j - r->first) * k;
                gfp_elem_mul(r->field, term, r->a + i * k, r->b + j * k);
                gfp_elem_add(r->field, to, to, term);
            }
        }
    }
    return GFP_OK;
}

static void check_sum(const lab *l, gfp_random *g)
{
    const size_t k = l->k;
    uint64_t a[MOST * GFP_MAX_K], b[MOST * GFP_MAX_K], whole[2 * MOST * GFP_MAX_K],
        sum[2 * MOST * GFP_MAX_K], z[2 * MOST * GFP_MAX_K];
    size_t left = SIZE_MAX;
    gfp_vec_random(l->field, a, MOST, g);
    gfp_vec_random(l->field, b, MOST, g);
    const gfp_range all = gfp_range_whole(l->field, a, MOST, b, MOST - 2);
    gfp_cut_piece x = {.range = all};
    assert_int_equal(multiply_piece(&left, &x, whole), GFP_OK);
    for (size_t first = 0; first < all.end; first += 3) {
        gfp_cut cut = {all, 4, 3, 5};
        cut.whole.first = first;
        assert_int_equal(gfp_cut_run(&cut, sum, z, multiply_piece, &left), GFP_OK);
        assert_memory_equal(sum, whole + first * k, (all.end - first) * k * sizeof *sum);
        /* Stripes alone: no two pieces meet. */
        cut.length_a = all.len_a;
        cut.length_b = all.len_b;
        memset(sum, 0x55, sizeof sum);
        assert_int_equal(gfp_cut_run(&cut, sum, NULL, multiply_piece, &left), GFP_OK);
        assert_memory_equal(sum, whole + first * k, (all.end - first) * k * sizeof *sum);
    }
    left = 2;
    const gfp_cut cut = {all, 4, 3, 5};
    assert_int_equal(gfp_cut_run(&cut, sum, z, multiply_piece, &left), GFP_ERR_CANCELLED);
}

static void pieces_add_up_to_the_product(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 12);
    for (size_t f = 0; lab_field_row(f); f++) {
        check_sum(&lab_fields[f], &g);
    }
}

/* The number of coefficients that a product modulo X^n - 1 must have for the range, by trying. */
static size_t least_ring(const gfp_range *r)
{
    const size_t all = r->len_a + r->len_b - 1;
    size_t n = r->len_a > r->len_b ? r->len_a : r->len_b;
    for (;; n++) {
        bool clean = true;
        for (size_t i = 0; i < all; i++) { /* coefficient i comes to i mod n */
            for (size_t j = r->first; j < r->end && j < all; j++) {
                clean = clean && (i == j || i % n != j % n);
            }
        }
        if (clean && n >= gfp_size_min(r->end, all)) {
            return n;
        }
    }
}

static void rings_are_the_shortest(void **state)
{
    (void)state;
    for (size_t a = 1; a < MOST; a++) {
        for (size_t b = 1; b < MOST; b++) {
            for (size_t first = 0; first < a + b - 1; first++) {
                for (size_t end = first + 1; end < a + b + 3; end++) {
                    const gfp_range r = gfp_range_make(NULL, NULL, NULL, a, b, first, end);
                    assert_int_equal(gfp_range_ring_length(&r), least_ring(&r));
                }
            }
        }
    }
}

static void longer_factors_come_first(void **state)
{
    const uint64_t x[1] = {1}, y[1] = {2};
    gfp_range r = gfp_range_make(NULL, x, y, 3, 5, 1, 4);
    size_t length_a = 7, length_b = 9;
    (void)state;
    r.bits_a = 11;
    r.bits_b = 13;
    const gfp_range swapped = gfp_range_longer_first(&r), same = gfp_range_longer_first(&swapped);
    assert_true(swapped.a == y && swapped.b == x && swapped.len_a == 5 && swapped.len_b == 3);
    assert_true(swapped.bits_a == 13 && swapped.bits_b == 11);
    assert_true(swapped.first == 1 && swapped.end == 4);
    assert_memory_equal(&same, &swapped, sizeof same);
    gfp_cut_longer(&length_a, &length_b);
    assert_true(length_a == 7 && length_b == 5);
    gfp_cut_longer(&length_a, &length_b);
    assert_true(length_a == 4 && length_b == 5);
    assert_int_equal(gfp_cut_count(6, 3), 2);
    assert_int_equal(gfp_cut_count(7, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_term_is_in_one_piece),   cmocka_unit_test(shapes_are_visited),
        cmocka_unit_test(pieces_add_up_to_the_product), cmocka_unit_test(rings_are_the_shortest),
        cmocka_unit_test(longer_factors_come_first),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
