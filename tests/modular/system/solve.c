/* solve.c: systems of two polynomials over Z: known solutions and multiplicities, parts that
 * satisfy both equations modulo a prime, Bezout's number; infinitely many solutions; caps, failing
 * allocations, cancelling, checks; the calls of boxes too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/rows.h"
#include "modular/system/lab.h"

#include "lab/sanitized.h"
#include "modular/ring.h"
#include "modular/system/impl.h"

/* ---- what a part promises ---- */

/* F(x / q, y / q) q^n modulo f, n the total degree. */
static poly value_of(const gfp_zbipoly *f, const poly *x, const poly *y, const poly *d,
                     const poly *modulus)
{
    const size_t n = (size_t)gfp_zbipoly_total_degree(f);
    poly *powers = malloc(3 * (n + 1) * sizeof *powers), sum = {.len = 0};
    const poly *const base[] = {x, y, d};
    assert_non_null(powers);
    for (size_t i = 0; i < 3; i++) {
        powers[i * (n + 1)] = (poly){{1}, 1};
        for (size_t e = 1; e <= n; e++) {
            powers[i * (n + 1) + e] = lab_product(&powers[i * (n + 1) + e - 1], base[i], modulus);
        }
    }
    for (size_t j = 0; j < f->len; j++) {
        const poly row = poly_of(&f->coeff[j]);
        for (size_t i = 0; i < row.len; i++) {
            const poly xy = lab_product(&powers[i], &powers[n + 1 + j], modulus);
            const poly term = lab_product(&xy, &powers[2 * (n + 1) + n - i - j], modulus);
            lab_add(&sum, &term, row.c[i]);
        }
    }
    free(powers);
    return sum;
}

static void expect_part(const gfp_zsystem *s, const gfp_zsystem_part *part, const gfp_zbipoly *f,
                        const gfp_zbipoly *g)
{
    const poly m = poly_of(&part->f);
    poly x = poly_of(&part->x), y = poly_of(&part->y), d = poly_of(&part->q), slope = m;
    assert_true(m.len == part->f.len && m.len > 1);
    /* A numerator over a constant may be a polynomial of higher degree that has fewer bits. */
    const bool polynomial = part->q.len == 1;
    assert_true(part->q.len < part->f.len && (polynomial || part->y.len <= part->f.len));
    for (size_t i = 1; i < m.len; i++) {
        slope.c[i - 1] = gfp_mod_mul(i, m.c[i], q);
    }
    slope.len--;
    lab_trim(&slope);
    assert_int_equal(degree_of_gcd(m, slope), 0);
    lab_reduce(&x, &m);
    lab_reduce(&y, &m);
    lab_reduce(&d, &m);
    assert_int_equal(degree_of_gcd(m, d), 0);
    assert_int_equal(value_of(f, &x, &y, &d, &m).len, 0);
    assert_int_equal(value_of(g, &x, &y, &d, &m).len, 0);
    /* s x + t y = T q. */
    const poly t = {{0, 1}, 2};
    poly form = {.len = 0}, right = lab_product(&t, &d, &m);
    assert_true(s->s == 1 || s->t == 1);
    lab_add(&form, &x, s->s >= 0 ? (uint64_t)s->s : q - (uint64_t)-s->s);
    lab_add(&form, &y, s->t >= 0 ? (uint64_t)s->t : q - (uint64_t)-s->t);
    lab_add(&right, &form, q - 1);
    assert_int_equal(right.len, 0);
}

static void expect_system(const gfp_zsystem *s, const gfp_zbipoly *f, const gfp_zbipoly *g)
{
    size_t degree = 0;
    for (size_t i = 0; i < s->count; i++) {
        expect_part(s, &s->part[i], f, g);
        degree += s->part[i].multiplicity * (s->part[i].f.len - 1);
        assert_true(i == 0 || s->part[i - 1].multiplicity <= s->part[i].multiplicity);
        for (size_t j = 0; j < i; j++) {
            assert_int_equal(degree_of_gcd(poly_of(&s->part[i].f), poly_of(&s->part[j].f)), 0);
        }
    }
    assert_int_equal(degree, s->degree);
}

/* ---- solving ---- */

/* Solves by all ways of checking. */
static void system_solve(problem *p)
{
    for (unsigned i = 0; i < 3; i++) {
        gfp_error error = {.message = ""};
        gfp_report report = {.threads = 0};
        const gfp_options options = {.verify = (gfp_verify)(GFP_VERIFY_NONE + i),
                                     .verify_seed = 5 + i,
                                     .threads = 1 + i % 2,
                                     .report = &report,
                                     .error = &error};
        const gfp_status status = gfp_zsystem_solve(&p->s, &p->f, &p->g, &options);
        if (status != GFP_OK) {
            fail_msg("%d: %s", status, error.message);
        }
        assert_string_equal(report.method, "words");
        expect_system(&p->s, &p->f, &p->g);
    }
}

/* Powers of X - i and of Y - j meet in solutions of the product of the exponents. */
static void grids_with_multiplicities(void **state)
{
    static const size_t of_x[][4] = {{1, 1, 1, 0}, {1, 2, 0, 3}, {4, 0, 0, 0}, {2, 2, 2, 2}};
    static const size_t of_y[][4] = {{1, 1, 1, 1}, {2, 1, 0, 0}, {3, 0, 2, 0}, {0, 1, 1, 0}};
    (void)state;
    for (size_t trial = 0; trial < 16; trial++) {
        const size_t *ex = of_x[trial % 4], *ey = of_y[trial / 4];
        size_t solutions = 0;
        problem p;
        bilab f = lab_one(), g = lab_one();
        for (size_t i = 0; i < 4; i++) {
            for (size_t e = 0; e < ex[i]; e++) {
                times_line(&f, 1, 0, -(long)i);
            }
            for (size_t e = 0; e < ey[i]; e++) {
                times_line(&g, 0, 1, -(long)i);
            }
        }
        lab_make(&p, f, g);
        system_solve(&p);
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(multiplicity_at(&p.s, (long)i, (long)j), ex[i] * ey[j]);
                solutions += ex[i] * ey[j] > 0;
            }
        }
        assert_int_equal(gfp_zsystem_solutions(&p.s), solutions);
        assert_int_equal(p.s.degree, (p.f.coeff[0].len - 1) * (p.g.len - 1));
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

/* Known intersections at (0, 0): curve, curve, multiplicity there, all solutions, their degree. */
static void known_intersections(void **state)
{
    static const struct {
        const char *f, *g;
        size_t at_zero, solutions, degree;
    } cases[] = {
        {"4  0 0 0 -1\n0\n1  1", "2  0 1", 2, 1, 2},              /* Y^2 - X^3, X */
        {"4  0 0 0 -1\n0\n1  1", "0\n1  1", 3, 1, 3},             /* Y^2 - X^3, Y */
        {"4  0 0 0 -1\n0\n1  1", "3  0 0 1", 4, 1, 4},            /* Y^2 - X^3, X^2 */
        {"4  0 0 0 -1\n0\n1  1", "3  0 0 1\n1  1", 3, 2, 4},      /* Y^2 - X^3, Y + X^2 */
        {"4  0 0 0 -1\n0\n1  1", "0\n0\n0\n1  1", 9, 1, 9},       /* Y^2 - X^3, Y^3 */
        {"0\n1  1", "5  0 0 0 0 1\n1  1", 4, 1, 4},               /* Y, Y + X^4 */
        {"3  0 0 1\n0\n1  1", "3  0 0 1\n0\n1  2", 4, 1, 4},      /* X^2 + Y^2, X^2 + 2 Y^2 */
        {"3  -1 0 1\n0\n1  1", "3  0 -2 1\n0\n1  1", 0, 2, 2},    /* two circles */
        {"3  -1 0 1\n0\n1  1", "3  -5 0 1\n0\n1  1", 0, 0, 0},    /* concentric ones */
        {"3  -1 0 1\n0\n1  1", "2  -1 1", 0, 1, 2},               /* a circle and its tangent */
        {"2  0 1", "2  -1 1", 0, 0, 0},                           /* parallel lines */
        {"2  0 1", "1  5", 0, 0, 0},                              /* a constant */
        {"1  3", "1  5", 0, 0, 0},                                /* constants */
        {"1  -1\n2  0 1", "2  0 1", 0, 0, 0},                     /* X Y - 1, X */
        {"1  -1\n2  0 1", "2  0 -1\n1  1", 0, 2, 2},              /* X Y - 1, Y - X */
        {"3  0 0 1\n0\n1  -1", "3  -2 0 1", 0, 4, 4},             /* X^2 - Y^2, X^2 - 2 */
        {"2  0 1\n0\n1  1", "2  0 -1\n0\n1  1", 2, 1, 2},         /* Y^2 + X, Y^2 - X */
        {"3  0 0 1\n0\n1  -1", "3  -3 0 2\n0\n1  1", 0, 4, 4},    /* pairs over one X */
        {"4  0 0 0 1\n0\n0\n1  1", "3  0 0 1\n0\n1  1", 6, 1, 6}, /* forms of degrees 3 and 2 */
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        problem p;
        bilab f = lab_polynomial(cases[i].f), g = lab_polynomial(cases[i].g);
        lab_make(&p, i % 2 == 0 ? f : g, i % 2 == 0 ? g : f);
        system_solve(&p);
        if (multiplicity_at(&p.s, 0, 0) != cases[i].at_zero ||
            gfp_zsystem_solutions(&p.s) != cases[i].solutions || p.s.degree != cases[i].degree) {
            fail_msg("case %zu: %zu at (0, 0), %zu solutions, degree %zu", i,
                     multiplicity_at(&p.s, 0, 0), gfp_zsystem_solutions(&p.s), p.s.degree);
        }
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

/* Dense polynomials of degrees m and n have m n different solutions. */
static void dense_systems(void **state)
{
    gfp_random g;
    const size_t most = SANITIZED ? 4 : 8;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t m = 1; m <= most; m++) {
        for (size_t n = 1; n <= m; n += 1 + n / 3) {
            problem p;
            bilab a = bilab_random(m + 1, 0, 16 + m, true, &g);
            bilab b = bilab_random(n + 1, 0, 20, true, &g);
            lab_make(&p, m % 2 == 0 ? a : b, m % 2 == 0 ? b : a);
            system_solve(&p);
            assert_int_equal(p.s.degree, m * n);
            assert_int_equal(gfp_zsystem_solutions(&p.s), m * n);
            lab_clear(&p);
            bilab_free(&a);
            bilab_free(&b);
        }
    }
}

/* Products of lines through points of a small grid: many solutions lie above one another for many
 * forms, and many lines meet in one point. The multiplicity of a point is the product of the
 * numbers of lines through it. */
static void products_of_lines(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t trial = 0; trial < (SANITIZED ? 10 : 60); trial++) {
        long line[2][4][3];
        size_t count[2], degree = 0;
        bilab f[2] = {lab_one(), lab_one()};
        for (size_t side = 0; side < 2; side++) {
            count[side] = 1 + gfp_random_below(&g, 4);
            for (size_t i = 0; i < count[side]; i++) {
                long *c = line[side][i];
                do {
                    c[0] = (long)gfp_random_below(&g, 3) - 1;
                    c[1] = (long)gfp_random_below(&g, 3) - 1;
                } while (c[0] == 0 && c[1] == 0);
                c[2] = (long)gfp_random_below(&g, 3) - 1;
                times_line(&f[side], c[0], c[1], c[2]);
            }
        }
        bool infinite = false;
        for (size_t i = 0; i < count[0]; i++) {
            for (size_t j = 0; j < count[1]; j++) {
                const long *a = line[0][i], *b = line[1][j];
                const bool parallel = a[0] * b[1] == a[1] * b[0];
                degree += !parallel;
                infinite = infinite ||
                           (parallel && a[0] * b[2] == a[2] * b[0] && a[1] * b[2] == a[2] * b[1]);
            }
        }
        problem p;
        lab_make(&p, f[0], f[1]);
        if (infinite) {
            assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, NULL), GFP_ERR_ARGUMENT);
        } else {
            system_solve(&p);
            assert_int_equal(p.s.degree, degree);
            for (long x = -2; x <= 2; x++) {
                for (long y = -2; y <= 2; y++) {
                    size_t through[2] = {0};
                    for (size_t side = 0; side < 2; side++) {
                        for (size_t i = 0; i < count[side]; i++) {
                            const long *c = line[side][i];
                            through[side] += c[0] * x + c[1] * y + c[2] == 0;
                        }
                    }
                    assert_int_equal(multiplicity_at(&p.s, x, y), through[0] * through[1]);
                }
            }
        }
        lab_clear(&p);
        bilab_free(&f[0]);
        bilab_free(&f[1]);
    }
}

/* Squares of curves: all solutions have multiplicities 2 or 4, and functions of a low degree. */
static void squares_of_curves(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t trial = 0; trial < (SANITIZED ? 2 : 6); trial++) {
        problem p;
        const size_t m = 2 + trial % 3, n = 2 + trial / 3;
        bilab a = bilab_random(m + 1, 0, 20, true, &g), b = bilab_random(n + 1, 0, 20, true, &g);
        bilab f = bilab_product(a, a), h = bilab_product(b, b);
        lab_make(&p, f, trial % 2 == 0 ? b : h);
        system_solve(&p);
        assert_int_equal(p.s.count, 1);
        assert_int_equal(p.s.part[0].multiplicity, trial % 2 == 0 ? 2 : 4);
        assert_int_equal(gfp_zsystem_solutions(&p.s), m * n);
        lab_clear(&p);
        bilab_free(&a);
        bilab_free(&b);
        bilab_free(&f);
        bilab_free(&h);
    }
}

/* c X^i Y^j; c = 0 ends a polynomial. */
typedef struct term {
    long c;
    size_t i, j;
} term;

static bilab from_terms(const term *terms)
{
    bilab f = bilab_new(0);
    for (size_t k = 0; k < 4 && terms[k].c != 0; k++) {
        bilab_add(&f, terms[k].i, terms[k].j, terms[k].c);
    }
    return f;
}

/* Few terms of high degree: one of the projections, or a form after it, has few values to compute.
 * solutions and degree by hand. */
static void sparse_systems(void **state)
{
    static const struct {
        term f[4], g[4];
        size_t solutions, degree;
    } cases[] = {
        {{{1, 0, 1}, {-1, 100, 0}}, {{1, 200, 0}, {-2, 0, 0}}, 200, 200},
        {{{1, 1, 0}, {-1, 0, 100}}, {{1, 0, 200}, {-2, 0, 0}}, 200, 200},
        {{{1, 0, 2}, {-1, 40, 0}, {1, 0, 0}}, {{1, 80, 0}, {-2, 0, 0}}, 160, 160},
        {{{1, 2, 0}, {-1, 0, 40}, {1, 0, 0}}, {{1, 0, 80}, {-2, 0, 0}}, 160, 160},
        {{{1, 0, 1}, {-1, 90, 0}}, {{1, 2, 0}, {-2, 0, 0}}, 2, 2}, /* Y is 2^45 */
        {{{3, 0, 1}, {-5, 90, 0}}, {{7, 2, 0}, {-2, 0, 0}}, 2, 2},
        {{{1, 0, 3}, {-1, 4, 0}}, {{1, 1, 1}, {-1, 1, 0}}, 5, 7},  /* Y^3 - X^4, X (Y - 1) */
        {{{1, 3, 0}, {-1, 0, 4}}, {{1, 1, 1}, {-1, 0, 1}}, 5, 7},  /* the same, exchanged */
        {{{1, 0, 3}, {-1, 4, 0}}, {{1, 3, 1}, {-1, 2, 0}}, 8, 13}, /* and X^2 (X Y - 1) */
        {{{1, 1, 1}, {-1, 0, 0}}, {{1, 30, 0}, {1, 0, 30}, {-3, 0, 0}}, 60, 60},
        {{{1, 30, 1}, {-1, 0, 0}}, {{1, 0, 2}, {1, 1, 0}, {-3, 0, 0}}, 61, 61},
        {{{1, 9, 0}, {3, 1, 1}, {-1, 0, 0}}, {{1, 0, 9}, {5, 1, 1}, {-3, 0, 0}}, 81, 81},
        {{{1, 12, 2}, {3, 0, 1}, {-1, 0, 0}}, {{1, 24, 0}, {5, 12, 3}, {-3, 0, 0}}, 72, 72},
        {{{2, 1, 5}, {1, 0, 0}}, {{3, 5, 1}, {-1, 0, 0}}, 24, 24},    /* no constant coefficient */
        {{{1, 50, 0}, {-1, 49, 0}}, {{1, 0, 2}, {-1, 1, 0}}, 3, 100}, /* (0, 0), (1, 1), (1, -1) */
        {{{1, 50, 0}}, {{1, 0, 40}, {-1, 1, 0}}, 1, 2000},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        problem p;
        bilab f = from_terms(cases[i].f), g = from_terms(cases[i].g);
        lab_make(&p, f, g);
        system_solve(&p);
        if (gfp_zsystem_solutions(&p.s) != cases[i].solutions || p.s.degree != cases[i].degree) {
            fail_msg("%zu: %zu solutions, degree %zu", i, gfp_zsystem_solutions(&p.s), p.s.degree);
        }
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
}

/* The projection is the form: T^200 = 2, and the other coordinate is T^100. */
static void projections_are_forms(void **state)
{
    static const term f[] = {{1, 0, 1}, {-1, 100, 0}, {0, 0, 0}},
                      g[] = {{1, 200, 0}, {-2, 0, 0}, {0, 0, 0}};
    static const term h[] = {{1, 1, 0}, {-1, 0, 100}, {0, 0, 0}},
                      k[] = {{1, 0, 200}, {-2, 0, 0}, {0, 0, 0}};
    (void)state;
    for (unsigned exchanged = 0; exchanged < 2; exchanged++) {
        problem p;
        bilab a = from_terms(exchanged == 0 ? f : h), b = from_terms(exchanged == 0 ? g : k);
        zlab power = zlab_new(101), modulus = zlab_new(201);
        gfp_zvec z;
        lab_make(&p, a, b);
        gfp_zvec_init(&z, ring);
        assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, NULL), GFP_OK);
        assert_true(p.s.s == (exchanged == 0 ? 1 : 0) && p.s.t == (exchanged == 0 ? 0 : 1));
        assert_int_equal(p.s.count, 1);
        mpz_set_si(modulus.c[0], -2);
        mpz_set_ui(modulus.c[200], 1);
        mpz_set_ui(power.c[100], 1);
        zlab_set(&z, modulus);
        assert_true(gfp_zvec_equal(&p.s.part[0].f, &z));
        if (gfp_zvec_bits(&p.s.part[0].q) != 1) {
            fail_msg("a denominator");
        }
        const gfp_zvec *y = exchanged == 0 ? &p.s.part[0].y : &p.s.part[0].x;
        mpz_set_si(power.c[100], gfp_z_negative(p.s.part[0].q.limbs, 1) ? -1 : 1);
        zlab_set(&z, power);
        assert_true(gfp_zvec_equal(y, &z));
        gfp_zvec_clear(&z);
        zlab_free(&power);
        zlab_free(&modulus);
        lab_clear(&p);
        bilab_free(&a);
        bilab_free(&b);
    }
}

/* Polynomials times the first primes that are in use: resultants vanish modulo all of them. And
 * solutions with denominators: (1/2, 1/2), where T = 1. */
static void contents_and_fractions(void **state)
{
    const gfp_words *block;
    mpz_t factor;
    (void)state;
    mpz_init_set_ui(factor, 1);
    assert_int_equal(gfp_words_supply_block(ring->supply, 0, &block), GFP_OK);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        mpz_mul_ui(factor, factor, (unsigned long)block->q[i]);
    }
    for (unsigned trial = 0; trial < 4; trial++) {
        problem p;
        bilab f = lab_one(), g = lab_one();
        for (unsigned i = 0; i < 3; i++) {
            times_line(&f, trial % 2 == 0 ? 1 : 2, 0, -1);
            times_line(&g, 0, trial % 2 == 0 ? 1 : 2, -1);
        }
        times_line(&f, 1, 1, -7);
        times_line(&g, 1, -1, 5);
        for (size_t j = 0; j < f.len && trial >= 2; j++) {
            for (size_t i = 0; i < f.row[j].len; i++) {
                mpz_mul(f.row[j].c[i], f.row[j].c[i], factor);
            }
        }
        lab_make(&p, f, g);
        system_solve(&p);
        assert_int_equal(p.s.degree, 16);
        assert_int_equal(gfp_zsystem_solutions(&p.s), trial % 2 == 0 ? 3 : 4);
        assert_int_equal(multiplicity_at(&p.s, 1, 6), trial % 2 == 0 ? 4 : 1);
        lab_clear(&p);
        bilab_free(&f);
        bilab_free(&g);
    }
    mpz_clear(factor);
}

static void common_factors(void **state)
{
    static const char *const factors[] = {"2  -1 1", "1  -2\n1  1", "3  -1 0 1\n0\n1  1",
                                          "1  1\n2  0 3"};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t i = 0; LAB_ROW(factors, i); i++) {
        gfp_error error;
        const gfp_options options = {.error = &error};
        problem p;
        bilab d = lab_polynomial(factors[i]), a = bilab_random(3, 3, 10, false, &g);
        bilab b = bilab_random(2, 4, 10, false, &g), f = bilab_product(a, d);
        bilab h = bilab_product(b, d);
        lab_make(&p, f, h);
        assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, &options), GFP_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "infinitely many"));
        lab_clear(&p);
        bilab_free(&d);
        bilab_free(&a);
        bilab_free(&b);
        bilab_free(&f);
        bilab_free(&h);
    }
}

/* ---- calls ---- */

static void bad_arguments(void **state)
{
    gfp_zring *other;
    gfp_zsystem far;
    gfp_zboxes b, far_boxes;
    gfp_error error;
    problem p;
    gfp_options options = {.error = &error};
    gfp_zbipoly zero;
    (void)state;
    make_three_parts(&p, ring);
    assert_int_equal(gfp_zring_create(&other, NULL, NULL), GFP_OK);
    gfp_zsystem_init(&far, other);
    gfp_zboxes_init(&far_boxes, other);
    gfp_zboxes_init(&b, ring);
    gfp_zbipoly_init(&zero, ring);
    assert_int_equal(gfp_zsystem_solve(NULL, &p.f, &p.g, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zsystem_solve(&p.s, NULL, &p.g, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zsystem_solve(&far, &p.f, &p.g, &options), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zsystem_solve(&p.s, &zero, &p.g, &options), GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "the first polynomial is 0"));
    assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &zero, &options), GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "the second polynomial is 0"));
    assert_int_equal(error.index, 1);
    assert_int_equal(gfp_zsystem_boxes(NULL, &p.s, 1, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zsystem_boxes(&b, NULL, 1, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zsystem_boxes(&far_boxes, &p.s, 1, &options), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_zsystem_boxes(&b, &p.s, SIZE_MAX, &options), GFP_ERR_SIZE);
    options.method = "big";
    assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, &options), GFP_ERR_UNAVAILABLE);
    options.method = "magic";
    assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, &options), GFP_ERR_UNKNOWN);
    gfp_zsystem_clear(&far);
    gfp_zboxes_clear(&b);
    gfp_zboxes_clear(&far_boxes);
    gfp_zring_destroy(other);
    lab_clear(&p);
}

/* Each number of the parts, changed, fails the check. */
static void checks_see_wrong_results(void **state)
{
    gfp_zcall call;
    problem p;
    bool separates;
    bool good;
    gfp_zforms forms;
    gfp_zsheared sheared;
    (void)state;
    make_three_parts(&p, ring);
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zforms_begin(&call, &forms, &p.f, &p.g), GFP_OK);
    gfp_zsheared_init(&sheared, &forms, ring);
    assert_int_equal(gfp_zforms_shear(&call, &sheared, false, 2, &good), GFP_OK);
    assert_true(good);
    assert_int_equal(gfp_zsystem_decompose(&call, &p.s, &sheared, &separates, 1), GFP_OK);
    assert_true(separates);
    assert_int_equal(gfp_zsystem_check(&call, &p.s, &sheared), GFP_OK);
    for (size_t i = 0; i < p.s.count; i++) {
        gfp_zvec *const all[] = {&p.s.part[i].f, &p.s.part[i].x, &p.s.part[i].y, &p.s.part[i].q};
        for (size_t k = 0; k < 4; k++) {
            for (size_t j = 0; j < all[k]->len * all[k]->width; j++) {
                all[k]->limbs[j] ^= 2;
                assert_int_equal(gfp_zsystem_check(&call, &p.s, &sheared), GFP_ERR_VERIFY);
                all[k]->limbs[j] ^= 2;
            }
        }
        p.s.part[i].multiplicity++;
        assert_int_equal(gfp_zsystem_check(&call, &p.s, &sheared), GFP_ERR_VERIFY);
        p.s.part[i].multiplicity--;
    }
    sheared.t = 3;
    assert_int_equal(gfp_zsystem_check(&call, &p.s, &sheared), GFP_ERR_VERIFY);
    gfp_zsheared_clear(&call, &sheared);
    gfp_zforms_end(&forms);
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    lab_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_with_multiplicities),
        cmocka_unit_test(known_intersections),
        cmocka_unit_test(dense_systems),
        cmocka_unit_test(products_of_lines),
        cmocka_unit_test(squares_of_curves),
        cmocka_unit_test(sparse_systems),
        cmocka_unit_test(projections_are_forms),
        cmocka_unit_test(contents_and_fractions),
        cmocka_unit_test(common_factors),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(checks_see_wrong_results),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
