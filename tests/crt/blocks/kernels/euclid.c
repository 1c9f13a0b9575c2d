/* euclid.c: gcds and resultants modulo blocks of primes: resultants are determinants of
 * Sylvester's matrix, subresultants those of its parts, gcds those of Euclid's algorithm with
 * divisions, resultants and gcds those of FLINT; at all levels, for regular and irregular sequences
 * of remainders.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "lab/rows.h"
#include "crt/blocks/kernels/euclid.h"
#include "lab/sanitized.h"
#include "field/primes/factor.h"
#include "fft/words/primes.h"
#include "crt/blocks/kernels/points.h"
#if GFP_X86_LEVELS
#include <pmmintrin.h>
#endif
#if GFP_HAVE_FLINT
#include <flint/nmod_poly.h>
#endif

/* ---- slow arithmetic modulo one prime ---- */

static uint64_t euclid_invert(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x, q - 2, q);
}

static uint64_t euclid_negate(uint64_t x, uint64_t q)
{
    return gfp_mod_sub(0, x, q);
}

/* The length without leading zeros. */
static size_t euclid_trim(const uint64_t *x, size_t n)
{
    while (n > 0 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

static void swap_rows(uint64_t *x, uint64_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* The determinant by elimination; destroys the matrix. */
static uint64_t euclid_determinant(uint64_t *matrix, size_t n, uint64_t q)
{
    uint64_t z = 1;
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        while (pivot < n && matrix[pivot * n + c] == 0) {
            pivot++;
        }
        if (pivot == n) {
            return 0;
        }
        uint64_t *row = matrix + c * n;
        if (pivot != c) {
            swap_rows(row, matrix + pivot * n, n);
            z = euclid_negate(z, q);
        }
        z = gfp_mod_mul(z, row[c], q);
        const uint64_t inverse = euclid_invert(row[c], q);
        for (size_t i = c + 1; i < n; i++) {
            uint64_t *other = matrix + i * n;
            const uint64_t f = gfp_mod_mul(other[c], inverse, q);
            for (size_t j = c; f != 0 && j < n; j++) {
                other[j] = gfp_mod_sub(other[j], gfp_mod_mul(f, row[j], q), q);
            }
        }
    }
    return z;
}

/* The resultant by its definition. */
static uint64_t euclid_sylvester(const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                                 uint64_t q)
{
    const size_t m = len_a - 1, n = len_b - 1, size = m + n;
    uint64_t *matrix = calloc(size * size + 1, sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < size; i++) {
        const uint64_t *x = i < n ? a : b;
        const size_t degree = i < n ? m : n, at = i < n ? i : i - n;
        for (size_t j = 0; j <= degree; j++) {
            matrix[i * size + at + j] = x[degree - j];
        }
    }
    const uint64_t z = euclid_determinant(matrix, size, q);
    free(matrix);
    return z;
}

/* The coefficient of X^j in the subresultant of index k by its definition. */
static uint64_t euclid_subresultant(const gfp_words_image_pair *pair, size_t k, size_t j,
                                    unsigned l)
{
    const size_t m = pair->len_a - 1, n = pair->len_b - 1, size = m + n - 2 * k;
    const uint64_t q = pair->block->q[l];
    uint64_t *matrix = calloc(size * size, sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < size; i++) {
        const bool of_a = i < n - k;
        const size_t up = of_a ? n - k - 1 - i : size - 1 - i; /* the row is X^up a or X^up b */
        for (size_t c = 0; c < size; c++) {
            const size_t power = c + 1 < size ? m + n - k - 1 - c : j;
            if (power >= up && power - up <= (of_a ? m : n)) {
                matrix[i * size + c] = (of_a ? pair->a : pair->b)[(power - up) * GFP_WORDS + l];
            }
        }
    }
    const uint64_t z = euclid_determinant(matrix, size, q);
    free(matrix);
    return z;
}

/* a := a rem b, b of length len_b > 0 without leading zeros; returns its length. */
static size_t euclid_remain(uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b, uint64_t q)
{
    const uint64_t inverse = euclid_invert(b[len_b - 1], q);
    for (size_t i = len_a; i >= len_b; i--) {
        const uint64_t c = gfp_mod_mul(a[i - 1], inverse, q);
        for (size_t j = 0; c != 0 && j < len_b; j++) {
            uint64_t *x = &a[i - len_b + j];
            *x = gfp_mod_sub(*x, gfp_mod_mul(c, b[j], q), q);
        }
    }
    return euclid_trim(a, len_a < len_b ? len_a : len_b - 1);
}

/* The resultant for the degrees of a and b (no leading zeros), and their gcd in *g; destroys them.
 * The recursion is Res(a, b) = (-1)^(deg a deg b) lead(b)^(deg a - deg r) Res(b, r). */
static uint64_t kernels_euclid(uint64_t *a, size_t len_a, uint64_t *b, size_t len_b, uint64_t **g,
                               size_t *len, uint64_t q)
{
    uint64_t z = 1;
    while (len_b > 1) {
        const size_t m = len_a - 1, n = len_b - 1;
        const size_t rest = euclid_remain(a, len_a, b, len_b, q);
        if (m % 2 == 1 && n % 2 == 1) {
            z = euclid_negate(z, q);
        }
        if (rest == 0) {
            *g = b;
            *len = len_b;
            return 0;
        }
        z = gfp_mod_mul(z, gfp_mod_pow(b[n], m - (rest - 1), q), q);
        uint64_t *x = a;
        a = b;
        b = x;
        len_a = len_b;
        len_b = rest;
    }
    *g = b;
    *len = 1;
    return gfp_mod_mul(z, gfp_mod_pow(b[0], len_a - 1, q), q);
}

/* Resultant and monic gcd by divisions; g has room for the longer polynomial. */
static uint64_t slow_image(uint64_t *g, size_t *len, const uint64_t *a, size_t len_a,
                           const uint64_t *b, size_t len_b, uint64_t q)
{
    const size_t n_a = euclid_trim(a, len_a), n_b = euclid_trim(b, len_b);
    uint64_t *x = calloc(len_a + len_b + 1, sizeof *x), *y = x + len_a, *z = x, r = 0;
    assert_non_null(x);
    memcpy(x, a, len_a * sizeof *x);
    memcpy(y, b, len_b * sizeof *y);
    if (n_a == 0 || n_b == 0) {
        z = n_a == 0 ? y : x;
        *len = n_a + n_b;
    } else if (n_a >= n_b) {
        r = kernels_euclid(x, n_a, y, n_b, &z, len, q);
    } else {
        r = kernels_euclid(y, n_b, x, n_a, &z, len, q);
        r = (n_a - 1) % 2 == 1 && (n_b - 1) % 2 == 1 ? euclid_negate(r, q) : r;
    }
    const uint64_t scale = *len == 0 ? 0 : euclid_invert(z[*len - 1], q);
    for (size_t i = 0; i < *len; i++) {
        g[i] = gfp_mod_mul(z[i], scale, q);
    }
    /* From degrees to formal degrees. */
    if (len_a == 1) {
        r = gfp_mod_pow(a[0], len_b - 1, q);
    } else if (len_b == 1) {
        r = gfp_mod_pow(b[0], len_a - 1, q);
    } else if (n_a < len_a && n_b < len_b) {
        r = 0;
    } else if (n_b < len_b && n_a > 0) {
        r = gfp_mod_mul(r, gfp_mod_pow(a[len_a - 1], len_b - n_b, q), q);
    } else if (n_a < len_a && n_b > 0) {
        r = gfp_mod_mul(r, gfp_mod_pow(b[len_b - 1], len_a - n_a, q), q);
        r = (len_b - 1) % 2 == 1 && (len_a - n_a) % 2 == 1 ? euclid_negate(r, q) : r;
    }
    free(x);
    return r;
}

#if GFP_HAVE_FLINT
static void set_nmod(nmod_poly_t z, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nmod_poly_set_coeff_ui(z, (slong)i, x[i]);
    }
}

static void expect_flint(const uint64_t *g, size_t len, uint64_t r, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b, uint64_t q)
{
    nmod_poly_t x, y, z;
    nmod_poly_init(x, q);
    nmod_poly_init(y, q);
    nmod_poly_init(z, q);
    set_nmod(x, a, len_a);
    set_nmod(y, b, len_b);
    nmod_poly_gcd(z, x, y);
    assert_int_equal(nmod_poly_length(z), len);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(nmod_poly_get_coeff_ui(z, (slong)i), g[i]);
    }
    if (euclid_trim(a, len_a) == len_a && euclid_trim(b, len_b) == len_b) {
        assert_int_equal(nmod_poly_resultant(x, y), r);
    }
    nmod_poly_clear(x);
    nmod_poly_clear(y);
    nmod_poly_clear(z);
}
#endif

/* ---- pairs ---- */

/* `shape` decides on degrees, `value` on coefficients: lanes with the same shape are irregular in
 * the same steps. */
typedef struct source {
    uint64_t shape, value, q;
} source;

static size_t euclid_below(source *s, size_t n)
{
    return (size_t)(oracle_random(&s->shape) % n);
}

static uint64_t euclid_residue(source *s)
{
    const uint64_t x = oracle_random(&s->value);
    return x % 16 == 0 ? s->q - 1 : x % 16 == 1 ? 1 : oracle_random(&s->value) % s->q;
}

static uint64_t euclid_unit(source *s)
{
    const uint64_t x = euclid_residue(s);
    return x == 0 ? 1 : x;
}

static void euclid_draw(source *s, uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = euclid_residue(s);
    }
}

/* z := z + x y, as far as it has len coefficients. */
static void add_product(uint64_t *z, size_t len, const uint64_t *x, size_t len_x, const uint64_t *y,
                        size_t len_y, uint64_t q)
{
    for (size_t i = 0; i < len_x; i++) {
        for (size_t j = 0; j < len_y && i + j < len; j++) {
            z[i + j] = (z[i + j] + gfp_mod_mul(x[i], y[j], q)) % q;
        }
    }
}

/* Multiples of one polynomial, of about a third of the shorter length. */
static void fill_common(source *s, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b)
{
    const size_t len = (len_a < len_b ? len_a : len_b) / 3 + 1;
    uint64_t *x = calloc(len + len_a + len_b, sizeof *x);
    assert_non_null(x);
    euclid_draw(s, x, len + len_a + len_b);
    add_product(a, len_a, x + len, len_a - len + 1, x, len, s->q);
    add_product(b, len_b, x + len + len_a, len_b - len + 1, x, len, s->q);
    free(x);
}

/* The longer one := a multiple of the other one, plus `rest` coefficients. */
static void fill_jump(source *s, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b, size_t rest)
{
    if (len_a < len_b) {
        fill_jump(s, b, len_b, a, len_a, rest);
        return;
    }
    const size_t shorter = len_b < 2 ? len_b : len_b - euclid_below(s, len_b / 2);
    const size_t len = len_a - shorter + 1;
    uint64_t *x = calloc(len, sizeof *x);
    assert_non_null(x);
    euclid_draw(s, x, len);
    euclid_draw(s, b, shorter);
    b[shorter - 1] = euclid_unit(s);
    euclid_draw(s, a, rest < len_a ? rest : len_a);
    add_product(a, len_a, x, len, b, shorter, s->q);
    free(x);
}

/* Remainders from the gcd up to the lengths; one quotient of `often` has degree 2 or 3, the others
 * have degree 1. */
static void fill_quotients(source *s, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b,
                           size_t often)
{
    const size_t room = len_a < len_b ? len_a : len_b;
    size_t n = 1 + euclid_below(s, 2), m = 0;
    uint64_t *base = calloc(3 * (room + 8), sizeof *base);
    uint64_t *x = base, *y = x + room + 8, *z = y + room + 8;
    assert_non_null(base);
    n = n < room ? n : room;
    euclid_draw(s, x, n);
    x[n - 1] = euclid_unit(s);
    for (;;) { /* x has n coefficients, y has m < n */
        uint64_t quotient[4] = {0};
        const size_t degree = euclid_below(s, often) == 0 ? 2 + euclid_below(s, 2) : 1;
        if (n + degree > room) {
            break;
        }
        euclid_draw(s, quotient, degree);
        quotient[degree] = euclid_unit(s);
        memset(z, 0, (room + 8) * sizeof *z);
        memcpy(z, y, m * sizeof *z);
        add_product(z, n + degree, x, n, quotient, degree + 1, s->q);
        uint64_t *t = y;
        y = x;
        x = z;
        z = t;
        m = n;
        n += degree;
    }
    memcpy(a, x, n * sizeof *x);
    memcpy(b, y, m * sizeof *y);
    if (len_a < len_b) {
        swap_rows(a, b, len_a);
    }
    free(base);
}

#define KINDS 15

static void euclid_fill(source *s, unsigned kind, uint64_t *a, size_t len_a, uint64_t *b,
                        size_t len_b)
{
    const size_t least = len_a < len_b ? len_a : len_b;
    memset(a, 0, len_a * sizeof *a);
    memset(b, 0, len_b * sizeof *b);
    switch (kind) {
    case 0: /* zeros */
        break;
    case 1:
        euclid_draw(s, a, len_a);
        break;
    case 2:
        euclid_draw(s, b, len_b);
        break;
    case 3: /* constants, or one of them */
        euclid_draw(s, a, 1);
        euclid_draw(s, b, euclid_below(s, 2) == 0 ? len_b : 1);
        break;
    case 4: /* equal polynomials */
        euclid_draw(s, a, least);
        memcpy(b, a, least * sizeof *a);
        break;
    case 5:
        fill_common(s, a, len_a, b, len_b);
        break;
    case 6:
        fill_jump(s, a, len_a, b, len_b, 0);
        break;
    case 7:
        fill_jump(s, a, len_a, b, len_b, 1 + euclid_below(s, 3));
        break;
    case 8:
        fill_jump(s, a, len_a, b, len_b, 1 + least / 2);
        break;
    case 9: /* few terms */
        for (unsigned i = 0; i < 3; i++) {
            a[euclid_below(s, len_a)] = euclid_residue(s);
            b[euclid_below(s, len_b)] = euclid_residue(s);
        }
        break;
    case 10: /* X^i - 1 */
        a[euclid_below(s, len_a)] = b[euclid_below(s, len_b)] = 1;
        a[0] = b[0] = s->q - 1;
        break;
    case 11: /* leading coefficients vanish */
        euclid_draw(s, a, len_a - euclid_below(s, len_a < 4 ? len_a : 4));
        euclid_draw(s, b, len_b - euclid_below(s, len_b < 4 ? len_b : 4));
        break;
    case 12:
        fill_quotients(s, a, len_a, b, len_b, 4);
        break;
    case 13:
        fill_quotients(s, a, len_a, b, len_b, 150);
        break;
    default:
        euclid_draw(s, a, len_a);
        euclid_draw(s, b, len_b);
        break;
    }
}

/* ---- blocks and calls ---- */

/* The greatest primes, and the least ones that a block may have. */
#define BLOCKS 2
static gfp_words blocks[BLOCKS];
/* The least primes above 2^49, as gfp_words_draw draws them for long numbers. */
static gfp_words without_roots;

static void make_block_without_roots(void)
{
    uint64_t q[GFP_WORDS], at = UINT64_C(1) << 49;
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        do {
            at++;
        } while (!gfp_word_is_prime(at));
        q[l] = at;
    }
    gfp_words_fill_arithmetic(&without_roots, q);
}

static int make_blocks(void **state)
{
    static const uint64_t first[BLOCKS] = {
        UINT64_C(1) << 50, (UINT64_C(1) << 50) - (UINT64_C(1) << 47) + (UINT64_C(1) << 33)};
    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++) {
        uint64_t q[GFP_WORDS], at = first[i];
        for (unsigned l = 0; l < GFP_WORDS; l++, at = q[l - 1]) {
            if (gfp_word_prime_below(&q[l], at, GFP_WORDS_LOG2_ORDER) != GFP_OK) {
                return 1;
            }
        }
        if (q[GFP_WORDS - 1] <= (UINT64_C(1) << 50) - (UINT64_C(1) << 47)) {
            return 1;
        }
        gfp_words_fill(&blocks[i], q);
    }
    make_block_without_roots();
    return 0;
}

typedef struct images {
    uint64_t r[GFP_WORDS], *g;
    size_t len[GFP_WORDS];
} images;

/* Both calls; the work area has guards and contains anything. */
static void euclid_call(const gfp_words_image_pair *pair, gfp_level level, images *z)
{
    const size_t least = pair->len_a < pair->len_b ? pair->len_a : pair->len_b;
    const size_t words = gfp_words_image_work_words(pair->len_a, pair->len_b);
    const uint64_t guard = UINT64_C(0x5a5a5a5a5a5a5a5a);
    uint64_t *work = aligned_alloc(64, (words + GFP_WORDS) * sizeof *work);
    assert_non_null(work);
    z->g = lab_array(GFP_WORDS * least);
    for (unsigned i = 0; i < 2; i++) {
        memset(work, 0x5a, (words + GFP_WORDS) * sizeof *work);
        if (i == 0) {
            gfp_words_image_resultant(pair, level, z->r, work);
        } else {
            gfp_words_image_gcd(pair, level, z->g, z->len, work);
        }
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            assert_true(work[words + l] == guard);
        }
    }
    free(work);
}

/* Compares a lane with the slow results, and these with the definition. */
static void expect_lane(const images *z, const gfp_words_image_pair *pair, unsigned l)
{
    const size_t n_a = pair->len_a, n_b = pair->len_b, least = n_a < n_b ? n_a : n_b;
    const uint64_t q = pair->block->q[l];
    uint64_t *a = lab_array(n_a), *b = lab_array(n_b), *g = lab_array(n_a + n_b);
    size_t len;
    for (size_t i = 0; i < n_a; i++) {
        a[i] = pair->a[GFP_WORDS * i + l];
    }
    for (size_t i = 0; i < n_b; i++) {
        b[i] = pair->b[GFP_WORDS * i + l];
    }
    const uint64_t r = slow_image(g, &len, a, n_a, b, n_b, q);
    if (n_a + n_b <= 30) {
        assert_int_equal(r, euclid_sylvester(a, n_a, b, n_b, q));
    }
#if GFP_HAVE_FLINT
    expect_flint(g, len, r, a, n_a, b, n_b, q);
#endif
    if (z->r[l] != r) {
        fail_msg("resultant, lengths %zu, %zu, lane %u", n_a, n_b, l);
    }
    if (z->len[l] != len) {
        fail_msg("gcd of length %zu, not %zu; lengths %zu, %zu, lane %u", z->len[l], len, n_a, n_b,
                 l);
    }
    for (size_t i = 0; i < least; i++) {
        if (z->g[GFP_WORDS * i + l] != (i < len ? g[i] : 0)) {
            fail_msg("gcd, coefficient %zu, lengths %zu, %zu, lane %u", i, n_a, n_b, l);
        }
    }
    lab_free(a);
    lab_free(b);
    lab_free(g);
}

/* r := the subresultants of pairs of the same lengths and block, residues; coefficient j of pair i
 * is at 8 (j + (k + 1) i). */
static void call_many(const gfp_words_image_pair *pair, size_t count, size_t k, gfp_level level,
                      uint64_t *r)
{
    const gfp_points_kernels *kernels = gfp_points_get(level);
    const size_t n = pair->len_a + pair->len_b;
    uint64_t *x = lab_array(count * n * GFP_WORDS);
    uint64_t *z = lab_array((k + 1) * (count + 1) * GFP_WORDS), *one = lab_array(GFP_WORDS);
    gfp_points points;
    for (size_t i = 0; i < count; i++) {
        uint64_t *to = x + i * n * GFP_WORDS;
        memcpy(to, pair[i].a, pair->len_a * GFP_WORDS * sizeof *x);
        memcpy(to + pair->len_a * GFP_WORDS, pair[i].b, pair->len_b * GFP_WORDS * sizeof *x);
    }
    kernels->enter(pair->block, x, count * n);
    const gfp_words_image_many many = {
        {pair->block, x, x + pair->len_a * GFP_WORDS, pair->len_a, pair->len_b},
        n * GFP_WORDS,
        count,
        k,
        (count + 1) * GFP_WORDS};
    uint64_t *work = lab_array(gfp_words_image_many_words(&many));
    gfp_words_image_resultants(&many, level, z, work);
    assert_true(gfp_points_plan(&points, 1, 0));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= k; j++) { /* a polynomial of one value leaves the form */
            memcpy(one, z + ((count + 1) * j + i) * GFP_WORDS, GFP_WORDS * sizeof *one);
            kernels->interpolate(&points, pair->block, one, work);
            memcpy(r + (j + (k + 1) * i) * GFP_WORDS, one, GFP_WORDS * sizeof *one);
        }
    }
    lab_free(x);
    lab_free(z);
    lab_free(one);
    lab_free(work);
}

/* Subresultants of all indices at all levels. */
static void expect_subresultants(const gfp_words_image_pair *pair)
{
    const size_t least = pair->len_a < pair->len_b ? pair->len_a : pair->len_b;
    for (size_t k = 1; k + 1 < least; k++) {
        uint64_t *r = lab_array(2 * (k + 1) * GFP_WORDS);
        for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
            if (!gfp_cpu_has((gfp_level)level)) {
                continue;
            }
            const gfp_words_image_pair two[] = {*pair, *pair};
            call_many(two, 2, k, (gfp_level)level, r);
            for (size_t i = 0; i < (k + 1) * GFP_WORDS; i++) {
                const uint64_t z = euclid_subresultant(pair, k, i / GFP_WORDS, i % GFP_WORDS);
                if (r[i] != z || r[i + (k + 1) * GFP_WORDS] != z) {
                    fail_msg("subresultant %zu, coefficient %zu, lengths %zu, %zu, lane %zu", k,
                             i / GFP_WORDS, pair->len_a, pair->len_b, i % GFP_WORDS);
                }
            }
        }
        lab_free(r);
    }
}

/* Pairs of a set do not depend on each other: every third one is this pair, the others are random.
 */
enum { SET = 11 };

static void expect_set(const gfp_words_image_pair *pair, const images *z)
{
    gfp_words_image_pair pairs[SET];
    const size_t n = pair->len_a + pair->len_b;
    uint64_t *x = lab_array(SET * n * GFP_WORDS), seed = n;
    uint64_t r[SET * GFP_WORDS];
    for (size_t i = 0; i < SET * n * GFP_WORDS; i++) {
        x[i] = oracle_random(&seed) % pair->block->q[i % GFP_WORDS];
    }
    for (size_t i = 0; i < SET; i++) {
        pairs[i] = *pair;
        if (i % 3 != 0) {
            pairs[i].a = x + i * n * GFP_WORDS;
            pairs[i].b = pairs[i].a + pair->len_a * GFP_WORDS;
        }
    }
    for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has((gfp_level)level)) {
            continue;
        }
        call_many(pairs, SET, 0, (gfp_level)level, r);
        for (size_t i = 0; i < SET; i++) {
            images own = *z;
            if (i % 3 != 0) {
                euclid_call(&pairs[i], GFP_LEVEL_PORTABLE, &own);
                lab_free(own.g);
            }
            assert_memory_equal(r + i * GFP_WORDS, own.r, sizeof own.r);
        }
    }
    lab_free(x);
}

/* All levels give the same, which is right. */
static void expect_pair(const gfp_words_image_pair *pair)
{
    const size_t least = pair->len_a < pair->len_b ? pair->len_a : pair->len_b;
    images first, z;
    euclid_call(pair, GFP_LEVEL_PORTABLE, &first);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        expect_lane(&first, pair, l);
    }
    for (unsigned level = 1; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has((gfp_level)level)) {
            continue;
        }
        euclid_call(pair, (gfp_level)level, &z);
        assert_memory_equal(z.r, first.r, sizeof z.r);
        assert_memory_equal(z.len, first.len, sizeof z.len);
        assert_memory_equal(z.g, first.g, GFP_WORDS * least * sizeof *z.g);
        lab_free(z.g);
    }
    lab_free(first.g);
    if (pair->len_a + pair->len_b <= 16) {
        expect_subresultants(pair);
    }
    if (pair->len_a + pair->len_b <= 160) {
        expect_set(pair, &first);
    }
}

typedef enum mix {
    ALIKE,    /* all lanes irregular in the same steps */
    SAME,     /* all lanes of this kind */
    ONE,      /* one lane of this kind, the others random */
    ANYTHING, /* lanes of any kinds */
    MIXES
} mix;

static void check_lanes(const gfp_words *block, size_t len_a, size_t len_b, unsigned kind, mix how,
                        uint64_t seed)
{
    uint64_t *a = lab_array(GFP_WORDS * len_a), *b = lab_array(GFP_WORDS * len_b);
    uint64_t *x = lab_array(len_a), *y = lab_array(len_b);
    source s = {seed, seed + 1, 0};
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        s.q = block->q[l];
        s.shape = how == ALIKE ? seed : s.shape;
        const unsigned here = how == ONE && l != seed % 7 ? KINDS - 1
                              : how == ANYTHING           ? (unsigned)euclid_below(&s, KINDS)
                                                          : kind;
        euclid_fill(&s, here, x, len_a, y, len_b);
        for (size_t i = 0; i < len_a; i++) {
            a[GFP_WORDS * i + l] = x[i];
        }
        for (size_t i = 0; i < len_b; i++) {
            b[GFP_WORDS * i + l] = y[i];
        }
    }
    const gfp_words_image_pair pair = {block, a, b, len_a, len_b};
    expect_pair(&pair);
    lab_free(a);
    lab_free(b);
    lab_free(x);
    lab_free(y);
}

static void check_kind(size_t len_a, size_t len_b, unsigned kind, mix how, uint64_t seed)
{
    check_lanes(&blocks[seed % BLOCKS], len_a, len_b, kind, how, seed);
}

/* ---- tests ---- */

/* All short lengths, every kind and mix. */
static void short_pairs(void **state)
{
    const size_t most = SANITIZED ? 6 : 12;
    uint64_t seed = 1;
    (void)state;
    for (size_t n = 1; n <= most; n++) {
        for (size_t m = 1; m <= most; m++) {
            for (unsigned i = 0; i < KINDS * MIXES; i++) {
                check_kind(n, m, i % KINDS, (mix)(i / KINDS), seed++);
            }
        }
    }
}

/* Coefficients 0, 1 and -1: most lanes are irregular somewhere. */
static void tiny_coefficients(void **state)
{
    uint64_t a[GFP_WORDS * 16], b[GFP_WORDS * 16], seed = 5;
    (void)state;
    for (unsigned round = 0; round < (SANITIZED ? 200 : 2000); round++) {
        const size_t n = 1 + oracle_random(&seed) % 15, m = 1 + oracle_random(&seed) % 15;
        const gfp_words *block = &blocks[round % BLOCKS];
        for (size_t i = 0; i < GFP_WORDS * 16; i++) {
            const uint64_t x = oracle_random(&seed), q = block->q[i % GFP_WORDS];
            a[i] = x % 3 == 2 ? q - 1 : x % 3;
            b[i] = x / 3 % 3 == 2 ? q - 1 : x / 3 % 3;
        }
        const gfp_words_image_pair pair = {block, a, b, n, m};
        expect_pair(&pair);
    }
}

static void pairs_of_all_degrees(void **state)
{
    const unsigned rounds = SANITIZED ? 2 : 12;
    uint64_t seed = 1000;
    (void)state;
    for (unsigned i = 0; i < rounds * KINDS * MIXES; i++) {
        const size_t n = 1 + oracle_random(&seed) % 71;
        const size_t m = i % 3 == 0 ? n : 1 + oracle_random(&seed) % 71;
        check_kind(n, m, i % KINDS, (mix)(i / KINDS % MIXES), seed);
    }
}

static void long_pairs(void **state)
{
    static const struct {
        size_t n, m;
    } lengths[] = {{257, 256}, {129, 300}, {513, 20}, {200, 200}, {400, 3}, {513, 513}};
    (void)state;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        if (SANITIZED && i > 1) {
            break;
        }
        for (unsigned kind = 0; kind < KINDS; kind++) {
            check_kind(lengths[i].n, lengths[i].m, kind, (mix)((i + kind) % MIXES), kind + 77);
        }
        check_kind(lengths[i].n, lengths[i].m, 12, SAME, i);
        check_kind(lengths[i].n, lengths[i].m, KINDS - 1, SAME, i);
    }
}

/* Lengths of half-gcds: regular pairs, and pairs that are irregular in few steps or in many. */
static void half_gcds(void **state)
{
    static const struct {
        size_t n, m;
        unsigned kind;
        mix how;
    } pairs[] = {
        {700, 1000, KINDS - 1, SAME}, {900, 880, 13, ONE},    {641, 641, KINDS - 1, SAME},
        {1100, 1100, 5, ALIKE},       {1030, 1025, 13, SAME}, {1400, 1300, KINDS - 1, SAME},
        {800, 800, 13, ALIKE},        {900, 900, 5, ONE},     {700, 700, 12, ALIKE},
        {960, 961, 11, ANYTHING},     {850, 850, 7, ONE},     {1025, 1025, 8, ALIKE},
        {1300, 1290, 0, ANYTHING},    {642, 642, 4, ONE},     {1000, 700, 2, ONE},
    };
    (void)state;
    for (size_t i = 0; i < (SANITIZED ? 3 : sizeof pairs / sizeof pairs[0]); i++) {
        check_kind(pairs[i].n, pairs[i].m, pairs[i].kind, pairs[i].how, 900 + i);
    }
}

/* No half-gcd serves these blocks, whatever the lengths. */
static void blocks_without_roots(void **state)
{
    static const size_t lengths[][2] = {{1, 1},     {5, 3},     {40, 71},
                                        {300, 290}, {641, 641}, {700, 660}};
    (void)state;
    assert_false(gfp_words_has_roots(&without_roots));
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        for (unsigned kind = 0; kind < KINDS; kind += SANITIZED || i > 3 ? 5 : 1) {
            check_lanes(&without_roots, lengths[i][0], lengths[i][1], kind, (mix)(kind % MIXES),
                        40 + i);
        }
        check_lanes(&without_roots, lengths[i][0], lengths[i][1], KINDS - 1, SAME, 50 + i);
    }
}

/* All residues q - 1 or 0: the greatest sums. */
static void greatest_residues(void **state)
{
    uint64_t a[GFP_WORDS * 40], b[GFP_WORDS * 40], seed = 9;
    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        const gfp_words *block = &blocks[round % BLOCKS];
        for (size_t i = 0; i < GFP_WORDS * 40; i++) {
            const uint64_t x = oracle_random(&seed), q = block->q[i % GFP_WORDS];
            a[i] = q - 1 - x % 2;
            b[i] = q - 1 - x / 2 % (1 + round);
        }
        const gfp_words_image_pair pair = {block, a, b, 40, 40 - round % 3};
        expect_pair(&pair);
    }
}

/* Kernels do not depend on the process's modes of floating-point arithmetic, and restore them. */
static void modes_do_not_matter(void **state)
{
    (void)state;
    const int mode = fegetround();
    assert_int_equal(fesetround(FE_UPWARD), 0);
#if GFP_X86_LEVELS
    const unsigned csr = _mm_getcsr();
    const unsigned changed =
        csr | (unsigned)_MM_DENORMALS_ZERO_MASK | (unsigned)_MM_FLUSH_ZERO_MASK;
    _mm_setcsr(changed);
#endif
    for (unsigned kind = 0; kind < KINDS; kind++) {
        check_kind(70, 65, kind, SAME, kind);
    }
#if GFP_X86_LEVELS
    assert_true((_mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK) ==
                (changed & ~(unsigned)_MM_EXCEPT_MASK));
    _mm_setcsr(csr);
#endif
    assert_int_equal(fegetround(), FE_UPWARD);
    assert_int_equal(fesetround(mode), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_pairs),
        cmocka_unit_test(tiny_coefficients),
        cmocka_unit_test(pairs_of_all_degrees),
        cmocka_unit_test(long_pairs),
        cmocka_unit_test(half_gcds),
        cmocka_unit_test(blocks_without_roots),
        cmocka_unit_test(greatest_residues),
        cmocka_unit_test(modes_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make_blocks, NULL);
}
