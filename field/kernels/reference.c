/* reference.c: the slow twin of every kernel: the papers' algorithms digit by digit, for any k and
 * r, written for readers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/kernels/reference.h"

#include <gmp.h>
#include <string.h>

#include "field/base/context.h"
#include "field/base/support.h"

/* *v := v mod r in [0, r); returns the quotient (floor). */
static gfp_i128 floor_divide(gfp_i128 *v, uint64_t r)
{
    gfp_i128 q;
    if (*v >= 0 && *v < (gfp_i128)r) { /* most digits, after the first pass over them */
        return 0;
    }
    if (r <= INT32_MAX && *v >= INT64_MIN && *v <= INT64_MAX) {
        q = (int64_t)*v / (int64_t)r; /* small fields: one machine division */
    } else {
        q = *v / (gfp_i128)r;
    }
    gfp_i128 rem = *v - q * (gfp_i128)r;
    if (rem < 0) {
        rem += (gfp_i128)r;
        q--;
    }
    *v = rem;
    return q;
}

static bool all_digits(const gfp_i128 *v, unsigned k, gfp_i128 digit)
{
    for (unsigned i = 0; i < k; i++) {
        if (v[i] != digit) {
            return false;
        }
    }
    return true;
}

/* ISSAC 2017, Alg. 2, for any v: carries run up; a carry beyond the top is worth -1 at the
 * bottom. */
void gfp_reference_normalize(const gfp_field *field, uint64_t *z, gfp_i128 *v)
{
    unsigned k = field->k;
    uint64_t r = field->r;
    bool special = false;
    for (;;) {
        gfp_i128 carry = 0;
        for (unsigned i = 0; i < k; i++) {
            v[i] += carry;
            carry = floor_divide(&v[i], r);
        }
        if (carry == 0) {
            break;
        }
        /* The value is now sum v_i r^i - carry, with canonical digits. In two cases it is r^k
         * itself, and further carrying would never end. */
        if ((carry == 1 && all_digits(v, k, 0)) ||
            (carry == -1 && all_digits(v, k, (gfp_i128)r - 1))) {
            special = true;
            break;
        }
        v[0] -= carry;
    }
    for (unsigned i = 0; i < k; i++) {
        z[i] = special ? 0 : (uint64_t)v[i];
    }
    if (special) {
        z[k - 1] = r;
    }
}

static void add_one(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    gfp_i128 v[GFP_MAX_K];
    for (unsigned i = 0; i < field->k; i++) {
        v[i] = (gfp_i128)x[i] + (gfp_i128)y[i];
    }
    gfp_reference_normalize(field, z, v);
}

static void sub_one(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    gfp_i128 v[GFP_MAX_K];
    for (unsigned i = 0; i < field->k; i++) {
        v[i] = (gfp_i128)x[i] - (gfp_i128)y[i];
    }
    gfp_reference_normalize(field, z, v);
}

static void mul_r_one(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s)
{
    unsigned k = field->k;
    gfp_i128 v[GFP_MAX_K];
    for (unsigned i = 0; i < k; i++) {
        unsigned place = i + s; /* r^place, and r^k = -1 */
        gfp_i128 digit = (gfp_i128)x[i];
        v[place % k] = place / k % 2 == 1 ? -digit : digit;
    }
    gfp_reference_normalize(field, z, v);
}

/* u (3 words) := the column sum_(i+j=column) x_i y_j over the given places. */
static void column_sum(mp_limb_t u[3], const uint64_t *x, const uint64_t *y, unsigned from,
                       unsigned to, unsigned column)
{
    u[0] = u[1] = u[2] = 0;
    for (unsigned i = from; i < to; i++) {
        gfp_u128 product = gfp_mul_wide(x[i], y[column - i]);
        mp_limb_t term[3] = {(mp_limb_t)product, gfp_hi64(product), 0};
        (void)mpn_add_n(u, u, term, 3);
    }
}

/* Adds sign u r^column, as three digits, to v. */
static void add_split(const gfp_field *field, gfp_i128 *v, mp_limb_t u[3], unsigned column,
                      int sign)
{
    for (unsigned digit = 0; digit < 3; digit++) {
        unsigned place = column + digit;
        mp_limb_t low = digit < 2 ? mpn_divrem_1(u, 0, u, 3, field->r) : u[0];
        int place_sign = sign;
        for (; place >= field->k; place -= field->k) {
            place_sign = -place_sign;
        }
        v[place] += place_sign > 0 ? (gfp_i128)low : -(gfp_i128)low;
    }
}

/* ISSAC 2017, Alg. 3: u = f_x f_y mod (T^k + 1) by schoolbook, every u_i split into three digits.
 * The positive and negative parts of u_i are separate, so that all numbers are natural. */
static void mul_columns(const gfp_field *field, gfp_i128 *v, const uint64_t *x, const uint64_t *y)
{
    unsigned k = field->k;
    for (unsigned column = 0; column < 2 * k - 1; column++) {
        unsigned from = column < k ? 0 : column - k + 1;
        unsigned to = column < k ? column + 1 : k;
        mp_limb_t u[3];
        column_sum(u, x, y, from, to, column);
        add_split(field, v, u, column, 1);
    }
}

static void mul_one(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    gfp_i128 v[GFP_MAX_K] = {0};
    mul_columns(field, v, x, y);
    gfp_reference_normalize(field, z, v);
}

static void reference_add(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                          size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        add_one(field, z + i * k, x + i * k, y + i * k);
    }
}

static void reference_sub(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                          size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        sub_one(field, z + i * k, x + i * k, y + i * k);
    }
}

static void reference_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s,
                            size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        mul_r_one(field, z + i * k, x + i * k, s);
    }
}

static void reference_butterfly(const gfp_field *field, uint64_t *x, uint64_t *y, unsigned s,
                                size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        uint64_t t[GFP_MAX_K];
        mul_r_one(field, t, y + i * k, s);
        sub_one(field, y + i * k, x + i * k, t);
        add_one(field, x + i * k, x + i * k, t);
    }
}

static void reference_butterfly_inverse(const gfp_field *field, uint64_t *x, uint64_t *y,
                                        unsigned s, size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        uint64_t t[GFP_MAX_K];
        sub_one(field, t, x + i * k, y + i * k);
        add_one(field, x + i * k, x + i * k, y + i * k);
        mul_r_one(field, y + i * k, t, 2 * field->k - s);
    }
}

static void reference_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t x_step,
                          const uint64_t *y, size_t y_step, unsigned s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t t[GFP_MAX_K];
        mul_one(field, t, x + i * x_step, y + i * y_step);
        mul_r_one(field, z + i * field->k, t, s);
    }
}

typedef void mul_kernel(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t x_step,
                        const uint64_t *y, size_t y_step, unsigned s, size_t n);

/* z += x y. */
static void add_product_by(mul_kernel *mul, const gfp_field *field, uint64_t *z, const uint64_t *x,
                           const uint64_t *y)
{
    uint64_t t[GFP_MAX_K];
    mul(field, t, x, field->k, y, field->k, 0, 1);
    add_one(field, z, z, t);
}

/* z := sum of x_i y_i, product by product. */
static void dot_by(mul_kernel *mul, const gfp_field *field, uint64_t *z, const uint64_t *x,
                   const uint64_t *y, ptrdiff_t y_step, size_t n)
{
    gfp_elem_zero(field, z);
    for (size_t i = 0; i < n; i++) {
        add_product_by(mul, field, z, x + i * field->k, y + (ptrdiff_t)i * y_step);
    }
}

static void reference_dot(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                          ptrdiff_t y_step, size_t n)
{
    dot_by(reference_mul, field, z, x, y, y_step, n);
}

/* z_i := a_i + sum of c_j x_ji, product by product. */
static void lincomb_by(mul_kernel *mul, const gfp_field *field, uint64_t *z, const uint64_t *a,
                       const uint64_t *c, const uint64_t *const *rows, size_t count, size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        uint64_t sum[GFP_MAX_K] = {0};
        if (a != NULL) {
            gfp_elem_set(field, sum, a + i * k);
        }
        for (size_t j = 0; j < count; j++) {
            add_product_by(mul, field, sum, rows[j] + i * k, c + j * k);
        }
        gfp_elem_set(field, z + i * k, sum);
    }
}

/* z_i := a_i + sum of x_ji y_ji, product by product. */
static void dot_rows_by(mul_kernel *mul, const gfp_field *field, uint64_t *z, const uint64_t *a,
                        const uint64_t *const *x, const uint64_t *const *y, size_t count, size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        uint64_t sum[GFP_MAX_K] = {0};
        if (a != NULL) {
            gfp_elem_set(field, sum, a + i * k);
        }
        for (size_t j = 0; j < count; j++) {
            add_product_by(mul, field, sum, x[j] + i * k, y[j] + i * k);
        }
        gfp_elem_set(field, z + i * k, sum);
    }
}

static void reference_dot_rows(const gfp_field *field, uint64_t *z, const uint64_t *a,
                               const uint64_t *const *x, const uint64_t *const *y, size_t count,
                               size_t n)
{
    dot_rows_by(reference_mul, field, z, a, x, y, count, n);
}

static void reference_lincomb(const gfp_field *field, uint64_t *z, const uint64_t *a,
                              const uint64_t *c, const uint64_t *const *rows, size_t count,
                              size_t n)
{
    lincomb_by(reference_mul, field, z, a, c, rows, count, n);
}

/* r is a multiple of 2^j, so x/2^j = sum floor(x_i/2^j) r^i + (r/2^j) sum (x_i mod 2^j) r^(i-1),
 * and r^(-1) = -r^(k-1). */
static void reference_div_2exp(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned j,
                               size_t n)
{
    unsigned k = field->k;
    uint64_t mask = ((uint64_t)1 << j) - 1;
    for (size_t e = 0; e < n; e++) {
        const uint64_t *digits = x + e * k;
        gfp_i128 v[GFP_MAX_K];
        for (unsigned i = 0; i < k; i++) {
            v[i] = (gfp_i128)(digits[i] >> j);
        }
        for (unsigned i = 0; i < k; i++) {
            gfp_i128 part = (gfp_i128)(digits[i] & mask) * (gfp_i128)(field->r >> j);
            v[(i + k - 1) % k] += i == 0 ? -part : part;
        }
        gfp_reference_normalize(field, z + e * k, v);
    }
}

static void reference_eval_digit(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t n,
                                 uint64_t d)
{
    size_t k = field->k;
    uint64_t acc[GFP_MAX_K] = {0};
    for (size_t e = n; e-- > 0;) {
        gfp_i128 v[GFP_MAX_K];
        for (size_t i = 0; i < k; i++) {
            v[i] = (gfp_i128)gfp_mul_wide(acc[i], d) + (gfp_i128)x[e * k + i];
        }
        gfp_reference_normalize(field, acc, v);
    }
    memcpy(y, acc, k * sizeof *y);
}

static bool reference_fold(const gfp_field *field, uint64_t *y, size_t n, const gfp_folding *w)
{
    const size_t k = field->k;
    bool small = true;
    for (size_t column = 0; column < w->count * n; column++) {
        const size_t i = column % n, first = column / n * w->apart + i;
        uint64_t *z = y + column * k;
        gfp_elem_zero(field, z);
        for (size_t e = w->len <= i ? 0 : (w->len - 1 - i) / w->j + 1; e-- > 0;) {
            gfp_i128 v[GFP_MAX_K];
            for (size_t t = 0; t < k; t++) {
                const uint64_t digit = w->x[(first + e * w->j) * k + t];
                v[t] = (gfp_i128)gfp_mul_wide(z[t], w->d) + (gfp_i128)digit;
                small = small && digit < field->r;
            }
            gfp_reference_normalize(field, z, v);
        }
    }
    return small;
}

/* Elements of y whose suffixes are at hand. */
#define SUFFIXES 8

void gfp_eval_pairs_by(const gfp_kernels *kernels, const gfp_field *field, uint64_t *v,
                       const uint64_t *x, const uint64_t *y, size_t n, uint64_t d)
{
    const size_t k = field->k;
    /* Places [0, SUFFIXES): the sums of y_j d^(j-i) over j >= i for neighbours i; then that of the
     * element after them. */
    uint64_t suffix[(SUFFIXES + 1) * GFP_MAX_K], part[GFP_MAX_K];
    uint64_t *next = suffix + SUFFIXES * k;
    gfp_elem_zero(field, next);
    gfp_elem_zero(field, v + 2 * k);
    for (size_t end = n, m = 0; end > 0; end -= m) {
        m = end < SUFFIXES ? end : SUFFIXES;
        uint64_t *first = next - m * k;
        memcpy(first, y + (end - m) * k, m * k * sizeof *first);
        for (size_t i = m; i-- > 0;) {
            kernels->eval_digit(field, first + i * k, first + i * k, 2, d);
        }
        kernels->dot(field, part, x + (n - end) * k, first + (m - 1) * k, -(ptrdiff_t)k, m);
        kernels->add(field, v + 2 * k, v + 2 * k, part, 1);
        memcpy(next, first, k * sizeof *next);
    }
    memcpy(v + k, next, k * sizeof *v);
    kernels->eval_digit(field, v, x, n, d);
}

static void reference_eval_pairs(const gfp_field *field, uint64_t *v, const uint64_t *x,
                                 const uint64_t *y, size_t n, uint64_t d)
{
    gfp_eval_pairs_by(&gfp_kernels_reference, field, v, x, y, n, d);
}

static void reference_columns(const gfp_field *field, uint64_t *z, const gfp_columns *columns)
{
    unsigned k = field->k;
    gfp_i128 v[GFP_MAX_K] = {0};
    for (unsigned i = 0; i < k; i++) {
        unsigned i1 = (i + 1) % k;
        unsigned i2 = (i + 2) % k;
        gfp_i128 h = (gfp_i128)columns->h[i];
        gfp_i128 c = columns->c[i];
        v[i] += (gfp_i128)columns->l[i];
        v[i1] += i + 1 >= k ? -h : h;
        v[i2] += i + 2 >= k ? -c : c;
    }
    gfp_reference_normalize(field, z, v);
}

void gfp_mul_indexed_by(const gfp_kernels *kernels, const gfp_field *field, uint64_t *z,
                        const uint64_t *x, const uint64_t *table, const gfp_twiddle *factors,
                        size_t n)
{
    size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        unsigned s = (unsigned)factors[i].shift;
        if (factors[i].index == 0) {
            kernels->mul_r(field, z + i * k, x + i * k, s, 1);
        } else {
            kernels->mul(field, z + i * k, x + i * k, k, table + factors[i].index * k, k, s, 1);
        }
    }
}

/* Elements that are gathered at a time. */
#define GATHERED 8

void gfp_lincomb_at_by(gfp_lincomb *lincomb, const gfp_field *field, uint64_t *z, const uint64_t *c,
                       const uint64_t *const *places, size_t count, size_t n)
{
    uint64_t gathered[GFP_GATHER_TERMS * GATHERED * GFP_MAX_K];
    const uint64_t *rows[GFP_GATHER_TERMS];
    const size_t k = field->k;
    for (size_t i = 0; i < n; i += GATHERED) {
        const size_t some = gfp_size_min(n - i, GATHERED);
        for (size_t j = 0; j < count; j++) {
            uint64_t *to = gathered + j * GATHERED * k;
            rows[j] = to;
            for (size_t e = 0; e < some; e++) {
                gfp_elem_set(field, to + e * k, places[j * n + i + e]);
            }
        }
        lincomb(field, z + i * k, NULL, c, rows, count, some);
    }
}

void gfp_convolve_by(const gfp_kernels *kernels, const gfp_field *field, uint64_t *z,
                     const gfp_convolution *w)
{
    const gfp_convolution c = *w; /* no call changes the copy: its members stay in registers */
    size_t k = field->k;
    for (size_t i = c.from; i < c.to; i++) {
        /* The pairs x_j y_(i-j) with 0 <= j < len_x, 0 <= i - j < len_y: j runs from first to
         * last. */
        size_t first = i < c.len_y ? 0 : i - c.len_y + 1;
        size_t last = i < c.len_x ? i : c.len_x - 1;
        kernels->dot(field, z + (i - c.from) * k, c.x + first * k, c.y + (i - first) * k,
                     -(ptrdiff_t)k, last - first + 1);
    }
}

static void reference_mul_indexed(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                  const uint64_t *table, const gfp_twiddle *factors, size_t n)
{
    gfp_mul_indexed_by(&gfp_kernels_reference, field, z, x, table, factors, n);
}

static void reference_lincomb_at(const gfp_field *field, uint64_t *z, const uint64_t *c,
                                 const uint64_t *const *places, size_t count, size_t n)
{
    gfp_lincomb_at_by(reference_lincomb, field, z, c, places, count, n);
}

static void reference_convolve(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t len_x,
                               const uint64_t *y, size_t len_y, size_t from, size_t to)
{
    const gfp_convolution w = {x, y, len_x, len_y, from, to};
    gfp_convolve_by(&gfp_kernels_reference, field, z, &w);
}

const gfp_kernels gfp_kernels_reference = {
    .name = "reference",
    .add = reference_add,
    .sub = reference_sub,
    .mul_r = reference_mul_r,
    .butterfly = reference_butterfly,
    .butterfly_inverse = reference_butterfly_inverse,
    .mul_one = mul_one,
    .mul = reference_mul,
    .mul_indexed = reference_mul_indexed,
    .dot = reference_dot,
    .lincomb = reference_lincomb,
    .dot_rows = reference_dot_rows,
    .lincomb_at = reference_lincomb_at,
    .convolve = reference_convolve,
    .div_2exp = reference_div_2exp,
    .eval_digit = reference_eval_digit,
    .fold = reference_fold,
    .fold_columns = 1,
    .eval_pairs = reference_eval_pairs,
    .normalize = reference_columns,
};

/* The FFT-based product is the faster one here from these digit counts on: against columns in 128
 * bits (r < 2^32; measured), and against the reference's, which are several times slower. */
#define GENERIC_FFT_MIN_K_SMALL 64
#define GENERIC_FFT_MIN_K_WIDE 32

/* v += the columns of x y mod (T^k + 1), for r < 2^32: |column| <= k r^2 < 2^72. */
static void small_columns_add(const gfp_field *field, gfp_i128 *v, const uint64_t *x,
                              const uint64_t *y)
{
    unsigned k = field->k;
    for (unsigned i = 0; i < k; i++) {
        for (unsigned j = 0; j < k - i; j++) {
            v[i + j] += (gfp_i128)gfp_mul_wide(x[i], y[j]);
        }
        for (unsigned j = k - i; j < k; j++) {
            v[i + j - k] -= (gfp_i128)gfp_mul_wide(x[i], y[j]);
        }
    }
}

static void generic_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t x_step,
                        const uint64_t *y, size_t y_step, unsigned s, size_t n)
{
    bool wide = field->r > UINT32_MAX;
    bool by_fft = field->k >= (wide ? GENERIC_FFT_MIN_K_WIDE : GENERIC_FFT_MIN_K_SMALL);
    if (!by_fft && wide) {
        reference_mul(field, z, x, x_step, y, y_step, s, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (by_fft) {
            gfp_mul_fft(field, z + i * field->k, x + i * x_step, y + i * y_step);
        } else {
            gfp_i128 v[GFP_MAX_K] = {0};
            small_columns_add(field, v, x + i * x_step, y + i * y_step);
            gfp_reference_normalize(field, z + i * field->k, v);
        }
    }
    if (s != 0) {
        reference_mul_r(field, z, z, s, n);
    }
}

static void generic_mul_one(const gfp_field *field, uint64_t *z, const uint64_t *x,
                            const uint64_t *y)
{
    generic_mul(field, z, x, field->k, y, field->k, 0, 1);
}

static void generic_dot(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                        ptrdiff_t y_step, size_t n)
{
    size_t k = field->k;
    if (field->r > UINT32_MAX) {
        dot_by(generic_mul, field, z, x, y, y_step, n);
        return;
    }
    /* 2^16 products at a time keep sums below 2^16 k r^2 < 2^88, far below the bound of the
     * normalisation. */
    const size_t block = (size_t)1 << 16;
    gfp_elem_zero(field, z);
    for (size_t from = 0; from < n; from += block) {
        gfp_i128 v[GFP_MAX_K] = {0};
        uint64_t part[GFP_MAX_K];
        for (size_t i = from; i < n && i < from + block; i++) {
            small_columns_add(field, v, x + i * k, y + (ptrdiff_t)i * y_step);
        }
        gfp_reference_normalize(field, part, v);
        add_one(field, z, z, part);
    }
}

static void generic_lincomb(const gfp_field *field, uint64_t *z, const uint64_t *a,
                            const uint64_t *c, const uint64_t *const *rows, size_t count, size_t n)
{
    lincomb_by(generic_mul, field, z, a, c, rows, count, n);
}

static void generic_dot_rows(const gfp_field *field, uint64_t *z, const uint64_t *a,
                             const uint64_t *const *x, const uint64_t *const *y, size_t count,
                             size_t n)
{
    dot_rows_by(generic_mul, field, z, a, x, y, count, n);
}

static void generic_mul_indexed(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                const uint64_t *table, const gfp_twiddle *factors, size_t n)
{
    gfp_mul_indexed_by(&gfp_kernels_generic, field, z, x, table, factors, n);
}

static void generic_lincomb_at(const gfp_field *field, uint64_t *z, const uint64_t *c,
                               const uint64_t *const *places, size_t count, size_t n)
{
    gfp_lincomb_at_by(generic_lincomb, field, z, c, places, count, n);
}

static void generic_convolve(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t len_x,
                             const uint64_t *y, size_t len_y, size_t from, size_t to)
{
    const gfp_convolution w = {x, y, len_x, len_y, from, to};
    gfp_convolve_by(&gfp_kernels_generic, field, z, &w);
}

static void generic_eval_pairs(const gfp_field *field, uint64_t *v, const uint64_t *x,
                               const uint64_t *y, size_t n, uint64_t d)
{
    gfp_eval_pairs_by(&gfp_kernels_generic, field, v, x, y, n, d);
}

const gfp_kernels gfp_kernels_generic = {
    .name = "generic",
    .add = reference_add,
    .sub = reference_sub,
    .mul_r = reference_mul_r,
    .butterfly = reference_butterfly,
    .butterfly_inverse = reference_butterfly_inverse,
    .mul_one = generic_mul_one,
    .mul = generic_mul,
    .mul_indexed = generic_mul_indexed,
    .dot = generic_dot,
    .lincomb = generic_lincomb,
    .dot_rows = generic_dot_rows,
    .lincomb_at = generic_lincomb_at,
    .convolve = generic_convolve,
    .div_2exp = reference_div_2exp,
    .eval_digit = reference_eval_digit,
    .fold = reference_fold,
    .fold_columns = 1,
    .eval_pairs = generic_eval_pairs,
    .normalize = reference_columns,
};

bool gfp_sparse_radix_find(gfp_sparse_radix *radix, uint64_t r)
{
    unsigned u = gfp_ctz64(r);
    uint64_t odd = r >> u; /* 2^(w-u) + 1 or 2^(w-u) - 1 */
    if (odd == 1) {
        /* 2^u = 2^(u-1) + 2^(u-1) is no sparse radix, but the trivial case of division by a
         * shift. */
        *radix = (gfp_sparse_radix){.r = r, .w = u, .u = 0, .sign = 0};
        return true;
    }
    unsigned top = 63 - gfp_clz64(odd);
    if (odd == ((uint64_t)1 << top) + 1) {
        *radix = (gfp_sparse_radix){.r = r, .w = u + top, .u = u, .sign = 1};
        return true;
    }
    if ((odd & (odd + 1)) == 0) {
        *radix = (gfp_sparse_radix){.r = r, .w = u + top + 1, .u = u, .sign = -1};
        return true;
    }
    return false;
}

/* ISSAC 2017, 3.1 (with S3 mended: the quotient goes down if s is negative). z = q 2^w + z0 gives z
 * - q r = z0 -+ q 2^u; each round gains w - u bits. |z| < 2^126. */
gfp_i128 gfp_sparse_radix_divide(const gfp_sparse_radix *radix, gfp_i128 z, uint64_t *remainder)
{
    gfp_i128 quotient = 0;
    gfp_i128 r = (gfp_i128)radix->r;
    gfp_i128 unit = (gfp_i128)1 << radix->w;
    while (z < 0 || z >= r) {
        gfp_i128 low = z & (unit - 1);
        gfp_i128 q = (z - low) / unit; /* floor: an arithmetic shift by w */
        if (q == 0) {
            /* r <= z < 2^w (r below 2^w): subtracting r once more ends the division. */
            q = 1;
            z -= r;
        } else {
            z = low - (gfp_i128)radix->sign * q * ((gfp_i128)1 << radix->u);
        }
        quotient += q;
    }
    *remainder = (uint64_t)z;
    return quotient;
}
