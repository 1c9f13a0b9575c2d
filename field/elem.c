/* elem.c: the public functions on elements and arrays: a thin layer over the field's kernel table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/elem.h"

#include <gmp.h>
#include <string.h>

#include "field/base/contract.h"
#include "field/base/context.h"
#include "field/base/support.h"
#include "field/elem.h"

/* The contract of the inputs of every function in this file. */
#define GFP_CHECK_VEC(field, x, n) GFP_CONTRACT(gfp_vec_canonical((field), (x), (n)) == (n))

static bool is_small(const gfp_field *field, const uint64_t *x, uint64_t value)
{
    uint64_t others = 0;
    for (unsigned i = 1; i < field->k; i++) {
        others |= x[i];
    }
    return x[0] == value && others == 0;
}

bool gfp_elem_is_zero(const gfp_field *field, const uint64_t *x)
{
    return is_small(field, x, 0);
}

bool gfp_elem_is_one(const gfp_field *field, const uint64_t *x)
{
    return is_small(field, x, 1);
}

bool gfp_elem_is_canonical(const gfp_field *field, const uint64_t *x)
{
    uint64_t below = 0;
    bool in_range = true;
    for (unsigned i = 0; i + 1 < field->k; i++) {
        below |= x[i];
        in_range &= x[i] < field->r;
    }
    uint64_t top = x[field->k - 1];
    return in_range && (top < field->r || (top == field->r && below == 0));
}

void gfp_elem_set_u64(const gfp_field *field, uint64_t *z, uint64_t value)
{
    if (value < field->r) {
        gfp_elem_zero(field, z);
        z[0] = value;
    } else {
        gfp_elem_set_limbs(field, z, &value, 1);
    }
}

gfp_status gfp_elem_set_digits(const gfp_field *field, uint64_t *z, const uint64_t *digits)
{
    if (!gfp_elem_is_canonical(field, digits)) {
        return GFP_ERR_RANGE;
    }
    gfp_elem_set(field, z, digits);
    return GFP_OK;
}

/* The k digits below r are r^k of the p = r^k + 1 values. With the top digit drawn from r + 1
 * values, and r at the top accepted only over zeros, every element has the same probability. */
void gfp_elem_random(const gfp_field *field, uint64_t *z, gfp_random *g)
{
    do {
        z[field->k - 1] = gfp_random_below(g, field->r + 1);
        for (unsigned i = 0; i + 1 < field->k; i++) {
            z[i] = gfp_random_below(g, field->r);
        }
    } while (!gfp_elem_is_canonical(field, z));
}

void gfp_elem_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s)
{
    gfp_vec_mul_r(field, z, x, s, 1);
}

void gfp_elem_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    GFP_CHECK_VEC(field, x, 1);
    GFP_CHECK_VEC(field, y, 1);
    field->kernels->mul_one(field, z, x, y);
}

void gfp_elem_pow(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *exponent,
                  size_t n)
{
    uint64_t base[GFP_MAX_K];
    uint64_t power[GFP_MAX_K];
    gfp_elem_set(field, base, x);
    gfp_elem_one(field, power);
    bool started = false; /* squarings of 1 are left out */
    for (size_t word = n; word-- > 0;) {
        for (unsigned bit = 64; bit-- > 0;) {
            if (started) {
                gfp_elem_sqr(field, power, power);
            }
            if ((exponent[word] >> bit) & 1) {
                gfp_elem_mul(field, power, power, base);
                started = true;
            }
        }
    }
    gfp_elem_set(field, z, power);
}

gfp_status gfp_elem_inv(const gfp_field *field, uint64_t *z, const uint64_t *x)
{
    /* mpn_gcdext destroys its inputs and needs one limb of room above them; at these sizes its
     * temporaries stay on the stack. */
    mp_limb_t u[GFP_MAX_LIMBS + 1];
    mp_limb_t v[GFP_MAX_LIMBS + 1];
    mp_limb_t gcd[GFP_MAX_LIMBS + 1];
    mp_limb_t s[GFP_MAX_LIMBS + 2];
    uint64_t limbs[GFP_MAX_LIMBS];
    mp_size_t n = (mp_size_t)field->limbs;
    if (gfp_elem_is_zero(field, x)) {
        return GFP_ERR_NOT_INVERTIBLE;
    }
    gfp_elem_get_limbs(field, limbs, x);
    memcpy(u, field->modulus, (size_t)n * sizeof *u);
    memcpy(v, limbs, (size_t)n * sizeof *v);
    /* gcdext gives the cofactor of its first operand, which must not be the shorter one: a short x
     * is replaced by x + p. */
    mp_size_t s_size = 0;
    mp_limb_t carry = 0;
    if (limbs[n - 1] == 0) {
        carry = mpn_add_n(v, v, u, n);
        v[n] = carry;
    }
    mp_size_t gcd_size = mpn_gcdext(gcd, s, &s_size, v, n + (carry != 0), u, n);
    if (gcd_size != 1 || gcd[0] != 1) {
        return GFP_ERR_NOT_INVERTIBLE; /* only while primality is still being proved */
    }
    mp_size_t size = s_size < 0 ? -s_size : s_size;
    uint64_t cofactor[GFP_MAX_LIMBS + 2];
    memcpy(cofactor, s, (size_t)size * sizeof *s);
    gfp_elem_set_limbs(field, z, cofactor, (size_t)size);
    if (s_size < 0) {
        gfp_elem_neg(field, z, z);
    }
    return GFP_OK;
}

void gfp_vec_zero(const gfp_field *field, uint64_t *z, size_t n)
{
    if (n > 0) {
        memset(z, 0, n * field->k * sizeof *z);
    }
}

void gfp_vec_set(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    if (n > 0) {
        memmove(z, x, n * field->k * sizeof *z);
    }
}

bool gfp_vec_equal(const gfp_field *field, const uint64_t *x, const uint64_t *y, size_t n)
{
    return n == 0 || memcmp(x, y, n * field->k * sizeof *x) == 0;
}

size_t gfp_vec_canonical(const gfp_field *field, const uint64_t *x, size_t n)
{
    size_t i = 0;
    while (i < n && gfp_elem_is_canonical(field, x + i * field->k)) {
        i++;
    }
    return i;
}

void gfp_vec_random(const gfp_field *field, uint64_t *z, size_t n, gfp_random *g)
{
    for (size_t i = 0; i < n; i++) {
        gfp_elem_random(field, z + i * field->k, g);
    }
}

void gfp_vec_add(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                 size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    GFP_CHECK_VEC(field, y, n);
    field->kernels->add(field, z, x, y, n);
}

void gfp_vec_sub(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                 size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    GFP_CHECK_VEC(field, y, n);
    field->kernels->sub(field, z, x, y, n);
}

void gfp_vec_neg(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    field->kernels->mul_r(field, z, x, field->k, n); /* r^k = -1 */
}

void gfp_vec_mul_r(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s, size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    field->kernels->mul_r(field, z, x, s % (2 * field->k), n);
}

void gfp_vec_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                 size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    GFP_CHECK_VEC(field, y, n);
    field->kernels->mul(field, z, x, field->k, y, field->k, 0, n);
}

void gfp_vec_scalar_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *c,
                        size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    GFP_CHECK_VEC(field, c, 1);
    field->kernels->mul(field, z, x, field->k, c, 0, 0, n);
}

void gfp_vec_scalar_addmul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                           const uint64_t *c, size_t n)
{
    GFP_CHECK_VEC(field, z, n);
    GFP_CHECK_VEC(field, x, n);
    GFP_CHECK_VEC(field, c, 1);
    field->kernels->lincomb(field, z, z, c, &x, 1, n);
}

void gfp_vec_scalar_submul(const gfp_field *field, uint64_t *z, const uint64_t *x,
                           const uint64_t *c, size_t n)
{
    uint64_t minus[GFP_MAX_K];
    gfp_elem_neg(field, minus, c);
    gfp_vec_scalar_addmul(field, z, x, minus, n);
}

void gfp_vec_dot(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                 size_t n)
{
    uint64_t sum[GFP_MAX_K];
    GFP_CHECK_VEC(field, x, n);
    GFP_CHECK_VEC(field, y, n);
    field->kernels->dot(field, sum, x, y, field->k, n);
    gfp_elem_set(field, z, sum);
}

void gfp_vec_div_2exp(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned j, size_t n)
{
    GFP_CHECK_VEC(field, x, n);
    /* One pass divides by at most 2^v2(r); passes follow until all of j is done. */
    unsigned step = j < field->v2_r ? j : field->v2_r;
    field->kernels->div_2exp(field, z, x, step, n);
    for (unsigned left = j - step; left > 0; left -= step) {
        step = left < field->v2_r ? left : field->v2_r;
        field->kernels->div_2exp(field, z, z, step, n);
    }
}

/* The elements of scratch space that invert_vec takes for n. */
static size_t inverse_scratch(size_t n)
{
    size_t total = 0;
    while (n > 1) {
        n -= n / 2;
        total += n;
    }
    return total + 1;
}

/* z := the inverses of n >= 1 units x; z = x, or apart from x. The inverses of the products
 * x_i x_(i + c), c = ceil(n / 2), give those of both halves. */
static gfp_status invert_vec(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n,
                             uint64_t *scratch)
{
    if (n == 1) {
        return gfp_elem_inv(field, z, x);
    }
    const size_t k = field->k, h = n / 2, c = n - h;
    uint64_t *products = scratch, *rest = scratch + c * k;
    gfp_vec_mul(field, products, x, x + c * k, h);
    if (c > h) {
        gfp_elem_set(field, products + h * k, x + h * k);
    }
    GFP_TRY(invert_vec(field, products, products, c, rest));
    gfp_vec_mul(field, rest, products, x + c * k, h);
    gfp_vec_mul(field, z + c * k, products, x, h);
    memcpy(z, rest, h * k * sizeof *z);
    if (c > h) {
        gfp_elem_set(field, z + h * k, products + h * k);
    }
    return GFP_OK;
}

gfp_status gfp_vec_inv(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n,
                       gfp_error *error)
{
    const size_t k = field->k;
    for (size_t i = 0; i < n; i++) {
        if (gfp_elem_is_zero(field, x + i * k)) {
            gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "element %zu is zero", i);
            if (error != NULL) {
                error->index = i;
            }
            return GFP_ERR_NOT_INVERTIBLE;
        }
    }
    if (n == 0) {
        return GFP_OK;
    }
    const size_t size = inverse_scratch(n);
    uint64_t *scratch = gfp_allocate(&field->allocator, size, k * sizeof *scratch);
    if (scratch == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for %zu elements", size);
    }
    const gfp_status status = invert_vec(field, z, x, n, scratch);
    gfp_release(&field->allocator, scratch, size, k * sizeof *scratch);
    return status;
}
