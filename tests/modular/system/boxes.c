/* boxes.c: boxes of the real solutions of systems over Z: known solutions, numbers by Sturm's
 * sequences of FLINT, polynomials that may vanish on a box, disjoint boxes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/system/lab.h"

#include <math.h>

#include "lab/rows.h"
#include "lab/sanitized.h"

#if GFP_HAVE_FLINT
#include "lab/flint_mpz.h"
#endif

static size_t real_roots(const gfp_zvec *f)
{
#if GFP_HAVE_FLINT
    fmpz_poly_t z;
    fmpz_poly_init(z);
    zlab c = zlab_of(f);
    for (size_t i = 0; i < c.len; i++) {
        set_coefficient_mpz(z, i, c.c[i]);
    }
    const slong n = fmpz_poly_num_real_roots(z);
    fmpz_poly_clear(z);
    zlab_free(&c);
    return (size_t)n;
#else
    (void)f;
    return SIZE_MAX;
#endif
}

/* low, high := the sum of a_i of an interval, for the terms c X^i Y^j of f on a box, with exact
 * fractions. */
static void values_on(mpq_t low, mpq_t high, const gfp_zbipoly *f, mpq_t bound[4])
{
    mpq_t term, least, most;
    mpq_inits(term, least, most, NULL);
    mpq_set_ui(low, 0, 1);
    mpq_set_ui(high, 0, 1);
    for (size_t j = 0; j < f->len; j++) {
        zlab row = zlab_of(&f->coeff[j]);
        for (size_t i = 0; i < row.len; i++) {
            /* Powers of an interval that contains 0 are within those of its ends, and 0. */
            for (unsigned corner = 0; corner < 9; corner++) {
                mpq_set_z(term, row.c[i]);
                for (size_t e = 0; e < i; e++) {
                    corner % 3 == 2 && mpq_sgn(bound[0]) * mpq_sgn(bound[1]) <= 0
                        ? mpq_set_ui(term, 0, 1)
                        : mpq_mul(term, term, bound[corner % 3 == 1]);
                }
                for (size_t e = 0; e < j; e++) {
                    corner / 3 == 2 && mpq_sgn(bound[2]) * mpq_sgn(bound[3]) <= 0
                        ? mpq_set_ui(term, 0, 1)
                        : mpq_mul(term, term, bound[2 + (corner / 3 == 1)]);
                }
                if (corner == 0 || mpq_cmp(term, least) < 0) {
                    mpq_set(least, term);
                }
                if (corner == 0 || mpq_cmp(term, most) > 0) {
                    mpq_set(most, term);
                }
            }
            mpq_add(low, low, least);
            mpq_add(high, high, most);
        }
        zlab_free(&row);
    }
    mpq_clears(term, least, most, NULL);
}

/* bound := the bounds of box i. */
static void box_of(mpq_t bound[4], const gfp_zboxes *b, size_t i)
{
    zlab all = zlab_of(&b->bounds);
    for (size_t k = 0; k < 4; k++) {
        mpz_set(mpq_numref(bound[k]), all.c[4 * i + k]);
        mpz_set_ui(mpq_denref(bound[k]), 1);
        mpz_mul_2exp(mpq_denref(bound[k]), mpq_denref(bound[k]), b->scale);
        mpq_canonicalize(bound[k]);
    }
    zlab_free(&all);
}

/* Small boxes without common points, in order, on which both polynomials may vanish. */
static void expect_boxes(const gfp_zboxes *b, const problem *p, size_t bits)
{
    mpq_t box[4], other[4], z[2];
    for (size_t k = 0; k < 4; k++) {
        mpq_inits(box[k], other[k], NULL);
    }
    mpq_inits(z[0], z[1], NULL);
    assert_int_equal(b->bounds.len, 4 * b->count);
    for (size_t i = 0; i < b->count; i++) {
        box_of(box, b, i);
        for (size_t k = 0; k < 4; k += 2) {
            mpq_sub(z[0], box[k + 1], box[k]);
            mpq_mul_2exp(z[0], z[0], bits);
            assert_true(mpq_sgn(z[0]) >= 0 && mpq_cmp_ui(z[0], 1, 1) <= 0);
        }
        for (size_t side = 0; side < 2; side++) {
            values_on(z[0], z[1], side == 0 ? &p->f : &p->g, box);
            assert_true(mpq_sgn(z[0]) <= 0 && mpq_sgn(z[1]) >= 0);
        }
        for (size_t j = 0; j < i; j++) {
            box_of(other, b, j);
            assert_true(mpq_cmp(other[0], box[0]) <= 0);
            assert_true(mpq_cmp(other[1], box[0]) < 0 || mpq_cmp(other[3], box[2]) < 0 ||
                        mpq_cmp(box[3], other[2]) < 0);
        }
    }
    for (size_t k = 0; k < 4; k++) {
        mpq_clears(box[k], other[k], NULL);
    }
    mpq_clears(z[0], z[1], NULL);
}

/* The boxes that contain a point. */
static size_t boxes_with(const gfp_zboxes *b, long x, long y, size_t *part)
{
    size_t found = 0;
    mpq_t box[4];
    for (size_t k = 0; k < 4; k++) {
        mpq_init(box[k]);
    }
    for (size_t i = 0; i < b->count; i++) {
        box_of(box, b, i);
        if (mpq_cmp_si(box[0], x, 1) <= 0 && mpq_cmp_si(box[1], x, 1) >= 0 &&
            mpq_cmp_si(box[2], y, 1) <= 0 && mpq_cmp_si(box[3], y, 1) >= 0) {
            found++;
            *part = b->part[i];
        }
    }
    for (size_t k = 0; k < 4; k++) {
        mpq_clear(box[k]);
    }
    return found;
}

/* Solves, and makes boxes of these bits; their number is that of real roots. */
static void solve_and_box(problem *p, gfp_zboxes *b, size_t bits)
{
    size_t n = 0;
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error, .verify = GFP_VERIFY_POINT, .verify_seed = 8};
    assert_int_equal(gfp_zsystem_solve(&p->s, &p->f, &p->g, &options), GFP_OK);
    assert_int_equal(gfp_zsystem_boxes(b, &p->s, bits, &options), GFP_OK);
    for (size_t i = 0; i < p->s.count && n != SIZE_MAX; i++) {
        const size_t more = real_roots(&p->s.part[i].f);
        n = more == SIZE_MAX ? more : n + more;
    }
    assert_true(n == SIZE_MAX || n == b->count);
    expect_boxes(b, p, bits);
}

static void boxes_of_grids(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 6; trial++) {
        problem p;
        gfp_zboxes b;
        bilab f = lab_one(), g = lab_one();
        for (long i = -2; i <= 2; i++) { /* X - i, and Y + i / 2 X */
            times_line(&f, 1, 0, -i);
            times_line(&g, trial % 2 == 0 ? 0 : i, 2, trial % 2 == 0 ? -2 * i : 0);
        }
        if (trial == 5) { /* multiple solutions */
            times_line(&g, 2, 2, 0);
        }
        lab_make(&p, f, g);
        gfp_zboxes_init(&b, ring);
        solve_and_box(&p, &b, trial * trial * 7);
        for (long x = -2; x <= 2; x++) {
            for (long y = -4; y <= 4; y++) {
                size_t part = SIZE_MAX;
                const size_t here = multiplicity_at(&p.s, x, y);
                const size_t found = boxes_with(&b, x, y, &part);
                /* Wide boxes of other solutions may contain the point. */
                assert_true(here > 0 ? found == 1 : trial < 2 || found == 0);
                assert_true(here == 0 || p.s.part[part].multiplicity == here);
            }
        }
        gfp_zboxes_clear(&b);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

static void boxes_of_curves(void **state)
{
    static const struct {
        const char *f, *g;
        size_t real;
    } cases[] = {
        {"3  -1 0 1\n0\n1  1", "3  0 -2 1\n0\n1  1", 2},            /* two circles */
        {"3  -1 0 1\n0\n1  1", "2  -2 1", 0},                       /* no real solution */
        {"3  -1 0 1\n0\n1  1", "2  -1 1", 1},                       /* a tangent */
        {"3  0 0 1\n0\n1  -1", "3  -2 0 1", 4},                     /* pairs over one X */
        {"3  1 0 1", "1  0\n1  1", 0},                              /* X^2 + 1, Y */
        {"1  -1\n2  0 1", "2  0 -1000000007\n1  1", 2},             /* far and near */
        {"2  0 -1\n0\n0\n1  1", "2  0 -1\n1  1000000\n0\n1  1", 1}, /* close in Y */
        {"1  5", "2  0 1", 0},
        {"0\n1  1", "3  2 -3000 1000000", 2},         /* close in X */
        {"0\n1  1", "4  0 2 -300000 10000000000", 3}, /* close to 0 */
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        problem p;
        gfp_zboxes b;
        bilab f = lab_polynomial(cases[i / 2].f), g = lab_polynomial(cases[i / 2].g);
        lab_make(&p, f, g);
        gfp_zboxes_init(&b, ring);
        solve_and_box(&p, &b, i % 2 == 0 ? 3 : 400);
        if (b.count != cases[i / 2].real) {
            fail_msg("case %zu: %zu boxes", i / 2, b.count);
        }
        gfp_zboxes_clear(&b);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

static void boxes_of_random_systems(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 9);
    for (size_t trial = 0; trial < (SANITIZED ? 6 : 30); trial++) {
        problem p;
        gfp_zboxes b;
        bilab f = bilab_random(2 + trial % 5, 3, 3 + trial, trial % 2 == 0, &g);
        bilab h = bilab_random(2 + trial % 3, 3, 9, trial % 3 == 0, &g);
        lab_make(&p, f, h);
        gfp_zboxes_init(&b, ring);
        solve_and_box(&p, &b, 5 + 10 * (trial % 4));
        gfp_zboxes_clear(&b);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&h);
    }
}

/* x := the decimal fraction at *text; *text moves behind it. */
static void read_decimal(mpq_t x, char **text)
{
    char digits[1024];
    size_t n = 0, after = 0;
    bool point = false;
    for (*text += strspn(*text, " "); strchr(" \n", **text) == NULL; ++*text) {
        after += point;
        point = point || **text == '.';
        if (**text != '.') {
            digits[n++] = **text;
        }
    }
    digits[n] = '\0';
    assert_int_equal(mpz_set_str(mpq_numref(x), digits, 10), 0);
    mpz_ui_pow_ui(mpq_denref(x), 10, after);
    mpq_canonicalize(x);
}

/* text := the boxes of a system, as gfp_zboxes_fwrite writes them. */
static void write_boxes(char *text, size_t size, const gfp_zboxes *b, const gfp_zsystem *s)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(gfp_zboxes_fwrite(b, s, file), GFP_OK);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* Decimal bounds are outside of the box, at most 10^-digits apart; boxes still do not meet. */
static void boxes_as_text(void **state)
{
    static const size_t digits[] = {1, 2, 3, 15, 40, 100};
    (void)state;
    for (size_t trial = 0; LAB_ROW(digits, trial); trial++) {
        problem p;
        gfp_zboxes b;
        char text[1 << 15], *at = text;
        mpq_t bound[4], before[4][64], side, most;
        bilab f = lab_polynomial("3  -3 1 7\n2  1 1\n1  -2\n1  5"), g = lab_one();
        times_line(&g, 1, 1, -1);
        times_line(&g, 1, -3, 0);
        times_line(&g, 1000, 1, 0);
        times_line(&g, 1000, 1, -1);
        lab_make(&p, f, g);
        gfp_zboxes_init(&b, ring);
        solve_and_box(&p, &b, gfp_zboxes_bits(digits[trial]));
        assert_true(b.count > 3 && b.count < 64);
        write_boxes(text, sizeof text, &b, &p.s);
        mpq_inits(side, most, NULL);
        mpq_set_ui(most, 1, 1);
        mpz_ui_pow_ui(mpq_denref(most), 10, digits[trial]);
        for (size_t k = 0; k < 4; k++) {
            mpq_init(bound[k]);
        }
        for (size_t i = 0; i < b.count; i++) {
            box_of(bound, &b, i);
            assert_int_equal(strtoul(at, &at, 10), p.s.part[b.part[i]].multiplicity);
            for (size_t k = 0; k < 4; k++) {
                mpq_init(before[k][i]);
                read_decimal(before[k][i], &at);
                const int order = mpq_cmp(before[k][i], bound[k]);
                assert_true(k % 2 == 0 ? order <= 0 : order >= 0);
                if (k % 2 == 1) {
                    mpq_sub(side, before[k][i], before[k - 1][i]);
                    assert_true(mpq_cmp(side, most) <= 0);
                }
            }
            assert_int_equal(*at++, '\n');
            for (size_t j = 0; j < i; j++) {
                assert_true(mpq_cmp(before[1][j], before[0][i]) < 0 ||
                            mpq_cmp(before[3][j], before[2][i]) < 0 ||
                            mpq_cmp(before[3][i], before[2][j]) < 0);
            }
        }
        assert_int_equal(*at, '\0');
        for (size_t i = 0; i < b.count; i++) {
            mpq_clears(before[0][i], before[1][i], before[2][i], before[3][i], NULL);
        }
        mpq_clears(bound[0], bound[1], bound[2], bound[3], side, most, NULL);
        assert_int_equal(gfp_zboxes_fwrite(NULL, &p.s, stdout), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_zsystem_fwrite(&p.s, NULL), GFP_ERR_ARGUMENT);
        gfp_zsystem_clear(&p.s);
        assert_int_equal(gfp_zboxes_fwrite(&b, &p.s, stdout), GFP_ERR_ARGUMENT);
        gfp_zboxes_clear(&b);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

/* f := f times X^2 - a, or Y^2 - a. */
static void times_square(bilab *f, bool y, long a)
{
    bilab square = bilab_new(0);
    bilab_add(&square, 0, 0, -a);
    bilab_add(&square, y ? 0 : 2, y ? 2 : 0, 1);
    const bilab z = bilab_product(*f, square);
    bilab_free(&square);
    bilab_free(f);
    *f = z;
}

/* Rows and columns of points, all of them real: integers and halves, then square roots, too. */
static void grids_of_points(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 3; trial++) {
        const long n = SANITIZED ? 5 : trial == 0 ? 9 : 5;
        const size_t squares = trial == 2 ? 2 : 0, all = (size_t)n + 2 * squares;
        problem p;
        gfp_zboxes b;
        bilab f = lab_one(), g = lab_one();
        for (long i = 0; i < n; i++) {
            times_line(&f, 1, 0, 3 - i);
            times_line(&g, 0, trial == 0 ? 1 : 2, -i);
        }
        for (long a = 2; a < 2 + (long)squares; a++) {
            times_square(&f, false, a);
            times_square(&g, true, a);
        }
        lab_make(&p, f, g);
        gfp_zboxes_init(&b, ring);
        solve_and_box(&p, &b, 40);
        assert_int_equal(b.count, all * all);
        for (long x = -3; x < n - 3; x++) {
            for (long y = 0; y < (trial == 0 ? n : (n + 1) / 2); y++) {
                size_t part;
                assert_int_equal(boxes_with(&b, x, y, &part), 1);
            }
        }
        gfp_zboxes_clear(&b);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

/* f times d X + c. */
static void times_linear(zlab *f, long d, const mpz_t c)
{
    zlab line = zlab_new(2);
    mpz_set(line.c[0], c);
    mpz_set_si(line.c[1], d);
    const zlab z = zlab_product(*f, line);
    zlab_free(&line);
    zlab_free(f);
    *f = z;
}

enum { ROOTS = 9, HALVES = 15 };

/* Returns a polynomial with the roots 1, ..., ROOTS and 2^8000. */
static zlab long_root(void)
{
    zlab x = zlab_new(1);
    mpz_t c;
    mpz_init(c);
    mpz_set_ui(x.c[0], 1);
    for (long i = 1; i <= ROOTS; i++) {
        mpz_set_si(c, -i);
        times_linear(&x, 1, c);
    }
    mpz_set_ui(c, 0);
    mpz_setbit(c, 8000);
    mpz_neg(c, c);
    times_linear(&x, 1, c);
    mpz_clear(c);
    return x;
}

/* Returns a polynomial with HALVES roots at about 3/2, 5/2, ... and short terms up to X^100. */
static zlab long_halves(void)
{
    zlab x = zlab_new(1), sum = zlab_new(101);
    mpz_t c;
    mpz_init(c);
    mpz_set_ui(x.c[0], 1);
    for (long i = 1; i <= HALVES; i++) {
        mpz_set_si(c, -2 * i - 1);
        times_linear(&x, 2, c);
    }
    for (size_t i = 0; i < sum.len; i++) {
        if (i < x.len) {
            mpz_mul_2exp(sum.c[i], x.c[i], 3000);
        }
        mpz_add_ui(sum.c[i], sum.c[i], 3 + i * 7 % 11);
    }
    mpz_clear(c);
    zlab_free(&x);
    return sum;
}

/* X = Y and a polynomial of X of which a few coefficients are much longer than the others, or whose
 * roots are: vectors then have widths of their own. */
static void boxes_of_long_coefficients(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 2; trial++) {
        problem p;
        gfp_zboxes b;
        char text[1 << 15], *at = text;
        bilab f = lab_one(), g = bilab_new(1);
        times_line(&f, 1, -1, 0);
        g.row[0] = trial == 0 ? long_root() : long_halves();
        lab_make(&p, f, g);
        gfp_zboxes_init(&b, ring);
        solve_and_box(&p, &b, 40);
        assert_int_equal(b.bounds.width == 0, trial == 0);
        assert_true(b.count >= (trial == 0 ? ROOTS + 1 : HALVES));
        write_boxes(text, sizeof text, &b, &p.s);
        size_t found = 0;
        for (size_t i = 0; i < b.count; i++) {
            assert_int_equal(strtoul(at, &at, 10), 1); /* the multiplicity */
            double bound[4];
            for (size_t k = 0; k < 4; k++) {
                bound[k] = strtod(at, &at);
            }
            const double root = (double)found + (trial == 0 ? 1 : 1.5);
            if (fabs(bound[0] - root) < 1e-3) {
                assert_true(bound[0] <= bound[1] && bound[1] - bound[0] < 1e-3);
                assert_true(bound[2] <= bound[3] && fabs(bound[2] - root) < 1e-3);
                found++;
            }
        }
        assert_int_equal(found, trial == 0 ? ROOTS : HALVES);
        gfp_zboxes_clear(&b);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_grids),  cmocka_unit_test(grids_of_points),
        cmocka_unit_test(boxes_of_curves), cmocka_unit_test(boxes_of_random_systems),
        cmocka_unit_test(boxes_as_text),   cmocka_unit_test(boxes_of_long_coefficients),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
