/* test_zsystem.c: systems of two polynomials over Z: known solutions and multiplicities, parts that
 * satisfy both equations modulo a prime, Bezout's number; infinitely many solutions; caps, failing
 * allocations, cancelling, checks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "meter.h"
#include "zbi_lab.h"

#include "gfpoly/zsystem.h"
#include "sanitized.h"
#include "word.h"
#include "zring.h"
#include "zsystem.h"

static gfp_zring *ring;

static int setup(void **state)
{
    (void)state;
    return gfp_zring_create(&ring, NULL, NULL) == GFP_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    gfp_zring_destroy(ring);
    return 0;
}

/* ---- polynomials modulo a prime ---- */

/* 2^61 - 1. */
static const uint64_t q = (UINT64_C(1) << 61) - 1;
#define MOST 1024

typedef struct poly {
    uint64_t c[MOST];
    size_t len;
} poly;

static void trim(poly *f)
{
    while (f->len > 0 && f->c[f->len - 1] == 0) {
        f->len--;
    }
}

static poly poly_of(const gfp_zvec *a)
{
    poly f = {.len = a->len};
    zlab z = zlab_of(a);
    assert_true(a->len <= MOST);
    for (size_t i = 0; i < a->len; i++) {
        f.c[i] = mpz_fdiv_ui(z.c[i], q);
    }
    zlab_free(&z);
    trim(&f);
    return f;
}

/* a := a rem f. */
static void reduce(poly *a, const poly *f)
{
    const uint64_t inverse = gfp_mod_pow(f->c[f->len - 1], q - 2, q);
    trim(a);
    while (a->len >= f->len) {
        const uint64_t c = gfp_mod_mul(a->c[a->len - 1], inverse, q);
        for (size_t i = 0; i < f->len; i++) {
            uint64_t *z = &a->c[a->len - f->len + i];
            *z = gfp_mod_sub(*z, gfp_mod_mul(c, f->c[i], q), q);
        }
        trim(a);
    }
}

static poly product(const poly *a, const poly *b, const poly *f)
{
    poly z = {.len = a->len + b->len};
    assert_true(z.len <= MOST);
    for (size_t i = 0; i < a->len; i++) {
        for (size_t j = 0; j < b->len; j++) {
            z.c[i + j] = (z.c[i + j] + gfp_mod_mul(a->c[i], b->c[j], q)) % q;
        }
    }
    reduce(&z, f);
    return z;
}

static void add(poly *a, const poly *b, uint64_t c)
{
    a->len = a->len > b->len ? a->len : b->len;
    for (size_t i = 0; i < b->len; i++) {
        a->c[i] = (a->c[i] + gfp_mod_mul(c, b->c[i], q)) % q;
    }
    trim(a);
}

static size_t degree_of_gcd(poly a, poly b)
{
    while (b.len > 0) {
        reduce(&a, &b);
        const poly t = a;
        a = b;
        b = t;
    }
    return a.len - 1;
}

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
            powers[i * (n + 1) + e] = product(&powers[i * (n + 1) + e - 1], base[i], modulus);
        }
    }
    for (size_t j = 0; j < f->len; j++) {
        const poly row = poly_of(&f->coeff[j]);
        for (size_t i = 0; i < row.len; i++) {
            const poly xy = product(&powers[i], &powers[n + 1 + j], modulus);
            const poly term = product(&xy, &powers[2 * (n + 1) + n - i - j], modulus);
            add(&sum, &term, row.c[i]);
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
    for (size_t i = 1; i < m.len; i++) {
        slope.c[i - 1] = gfp_mod_mul(i, m.c[i], q);
    }
    slope.len--;
    trim(&slope);
    assert_int_equal(degree_of_gcd(m, slope), 0);
    reduce(&x, &m);
    reduce(&y, &m);
    reduce(&d, &m);
    assert_int_equal(degree_of_gcd(m, d), 0);
    assert_int_equal(value_of(f, &x, &y, &d, &m).len, 0);
    assert_int_equal(value_of(g, &x, &y, &d, &m).len, 0);
    /* x + t y = T q. */
    const poly t = {{0, 1}, 2};
    poly form = x, right = product(&t, &d, &m);
    add(&form, &y, s->t >= 0 ? (uint64_t)s->t : q - (uint64_t)-s->t);
    add(&right, &form, q - 1);
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

typedef struct problem {
    gfp_zbipoly f, g;
    gfp_zsystem s;
} problem;

static void make(problem *p, bilab f, bilab g)
{
    gfp_zbipoly_init(&p->f, ring);
    gfp_zbipoly_init(&p->g, ring);
    gfp_zsystem_init(&p->s, ring);
    bilab_set(&p->f, f);
    bilab_set(&p->g, g);
}

static void clear(problem *p)
{
    gfp_zbipoly_clear(&p->f);
    gfp_zbipoly_clear(&p->g);
    gfp_zsystem_clear(&p->s);
}

/* Solves by all ways of checking. */
static void solve(problem *p)
{
    for (unsigned i = 0; i < 3; i++) {
        gfp_error error = {.message = ""};
        gfp_report report = {.threads = 0};
        const gfp_options options = {.verify = (gfp_verify)i,
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

/* Text in the format of files. */
static bilab polynomial(const char *text)
{
    gfp_zbipoly f;
    bilab z = bilab_new(0);
    gfp_zbipoly_init(&f, ring);
    assert_int_equal(gfp_zbipoly_from_string(&f, text, strlen(text), NULL), GFP_OK);
    z = bilab_new(f.len);
    for (size_t j = 0; j < f.len; j++) {
        z.row[j] = zlab_of(&f.coeff[j]);
    }
    gfp_zbipoly_clear(&f);
    return z;
}

/* The multiplicity of the solution (x, y); 0: none. */
static size_t multiplicity_at(const gfp_zsystem *s, long x, long y)
{
    size_t found = 0;
    for (size_t i = 0; i < s->count; i++) {
        const poly t = {{(uint64_t)(x + s->t * y + (long)q) % q}, 1}, m = poly_of(&s->part[i].f);
        const poly of[] = {poly_of(&s->part[i].x), poly_of(&s->part[i].y), poly_of(&s->part[i].q)};
        uint64_t z[4] = {0};
        for (size_t j = 0; j < 4; j++) {
            const poly *p = j < 3 ? &of[j] : &m;
            for (size_t k = p->len; k-- > 0;) {
                z[j] = (gfp_mod_mul(z[j], t.c[0], q) + p->c[k]) % q;
            }
        }
        /* Otherwise another point with the same T. */
        if (z[3] == 0 && z[0] == gfp_mod_mul((uint64_t)(x + (long)q) % q, z[2], q) &&
            z[1] == gfp_mod_mul((uint64_t)(y + (long)q) % q, z[2], q)) {
            assert_int_equal(found, 0);
            found = s->part[i].multiplicity;
        }
    }
    return found;
}

/* f := f times a X + b Y + c. */
static void times_line(bilab *f, long a, long b, long c)
{
    bilab line = bilab_new(0);
    bilab_add(&line, 0, 0, c);
    bilab_add(&line, 1, 0, a);
    bilab_add(&line, 0, 1, b);
    const bilab z = bilab_product(*f, line);
    bilab_free(&line);
    bilab_free(f);
    *f = z;
}

static bilab one(void)
{
    bilab f = bilab_new(0);
    bilab_add(&f, 0, 0, 1);
    return f;
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
        bilab f = one(), g = one();
        for (size_t i = 0; i < 4; i++) {
            for (size_t e = 0; e < ex[i]; e++) {
                times_line(&f, 1, 0, -(long)i);
            }
            for (size_t e = 0; e < ey[i]; e++) {
                times_line(&g, 0, 1, -(long)i);
            }
        }
        make(&p, f, g);
        solve(&p);
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(multiplicity_at(&p.s, (long)i, (long)j), ex[i] * ey[j]);
                solutions += ex[i] * ey[j] > 0;
            }
        }
        assert_int_equal(gfp_zsystem_solutions(&p.s), solutions);
        assert_int_equal(p.s.degree, (p.f.coeff[0].len - 1) * (p.g.len - 1));
        clear(&p);
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        problem p;
        bilab f = polynomial(cases[i].f), g = polynomial(cases[i].g);
        make(&p, i % 2 == 0 ? f : g, i % 2 == 0 ? g : f);
        solve(&p);
        if (multiplicity_at(&p.s, 0, 0) != cases[i].at_zero ||
            gfp_zsystem_solutions(&p.s) != cases[i].solutions || p.s.degree != cases[i].degree) {
            fail_msg("case %zu: %zu at (0, 0), %zu solutions, degree %zu", i,
                     multiplicity_at(&p.s, 0, 0), gfp_zsystem_solutions(&p.s), p.s.degree);
        }
        clear(&p);
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
            make(&p, m % 2 == 0 ? a : b, m % 2 == 0 ? b : a);
            solve(&p);
            assert_int_equal(p.s.degree, m * n);
            assert_int_equal(gfp_zsystem_solutions(&p.s), m * n);
            clear(&p);
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
        bilab f[2] = {one(), one()};
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
        make(&p, f[0], f[1]);
        if (infinite) {
            assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, NULL), GFP_ERR_ARGUMENT);
        } else {
            solve(&p);
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
        clear(&p);
        bilab_free(&f[0]);
        bilab_free(&f[1]);
    }
}

static void common_factors(void **state)
{
    static const char *const factors[] = {"2  -1 1", "1  -2\n1  1", "3  -1 0 1\n0\n1  1",
                                          "1  1\n2  0 3"};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        gfp_error error;
        const gfp_options options = {.error = &error};
        problem p;
        bilab d = polynomial(factors[i]), a = bilab_random(3, 3, 10, false, &g);
        bilab b = bilab_random(2, 4, 10, false, &g), f = bilab_product(a, d);
        bilab h = bilab_product(b, d);
        make(&p, f, h);
        assert_int_equal(gfp_zsystem_solve(&p.s, &p.f, &p.g, &options), GFP_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "infinitely many"));
        clear(&p);
        bilab_free(&d);
        bilab_free(&a);
        bilab_free(&b);
        bilab_free(&f);
        bilab_free(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_with_multiplicities),
        cmocka_unit_test(known_intersections),
        cmocka_unit_test(dense_systems),
        cmocka_unit_test(products_of_lines),
        cmocka_unit_test(common_factors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
