/* gr.c: see gfpoly/gr.h. FLINT fills the methods that the table below lacks with its generic ones.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gr.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz.h>

#include <flint/gr_poly.h>

#include "gfpoly/division.h"
#include "gfpoly/gcd.h"
#include "gfpoly/poly.h"
#include "gfpoly/series.h"

static const gfp_field *field_of(gr_ctx_t ctx)
{
    return GR_CTX_DATA_AS_PTR(ctx);
}

static size_t bytes_of(gr_ctx_t ctx)
{
    return gfp_field_k(field_of(ctx)) * sizeof(uint64_t);
}

static truth_t truth_of(bool x)
{
    return x ? T_TRUE : T_FALSE;
}

/* ---- the ring ---- */

static truth_t truth_yes(gr_ctx_t ctx)
{
    (void)ctx;
    return T_TRUE;
}

static truth_t truth_no(gr_ctx_t ctx)
{
    (void)ctx;
    return T_FALSE;
}

static void ring_clear(gr_ctx_t ctx)
{
    (void)ctx;
}

/* FLINT's function returns nothing in some versions, a status in others. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-result"
static int ring_write(gr_stream_t out, gr_ctx_t ctx)
{
    gr_stream_write(out, "Integers mod ");
    gr_stream_write(out, gfp_field_name(field_of(ctx)));
    gr_stream_write(out, " (gfpoly)");
    return GR_SUCCESS;
}

static int elem_write(gr_stream_t out, const void *x, gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const size_t size = gfp_elem_string_size(field, 10);
    char *text = flint_malloc(size);
    const gfp_status status = gfp_elem_get_string(field, text, size, NULL, 10, x);
    if (status == GFP_OK) {
        gr_stream_write(out, text);
    }
    flint_free(text);
    return status == GFP_OK ? GR_SUCCESS : GR_UNABLE;
}
#pragma GCC diagnostic pop

/* ---- elements ---- */

static void elem_init(void *x, gr_ctx_t ctx)
{
    memset(x, 0, bytes_of(ctx));
}

static void elem_clear(void *x, gr_ctx_t ctx)
{
    (void)x;
    (void)ctx;
}

static void elem_swap(void *x, void *y, gr_ctx_t ctx)
{
    uint64_t *a = x, *b = y;
    for (unsigned i = 0; i < gfp_field_k(field_of(ctx)); i++) {
        const uint64_t digit = a[i];
        a[i] = b[i];
        b[i] = digit;
    }
}

static void elem_set_shallow(void *z, const void *x, gr_ctx_t ctx)
{
    memcpy(z, x, bytes_of(ctx));
}

static int elem_set(void *z, const void *x, gr_ctx_t ctx)
{
    memmove(z, x, bytes_of(ctx));
    return GR_SUCCESS;
}

static int elem_zero(void *z, gr_ctx_t ctx)
{
    memset(z, 0, bytes_of(ctx));
    return GR_SUCCESS;
}

static int elem_one(void *z, gr_ctx_t ctx)
{
    gfp_elem_one(field_of(ctx), z);
    return GR_SUCCESS;
}

static int elem_set_ui(void *z, ulong x, gr_ctx_t ctx)
{
    gfp_elem_set_u64(field_of(ctx), z, x);
    return GR_SUCCESS;
}

static int elem_set_si(void *z, slong x, gr_ctx_t ctx)
{
    gfp_elem_set_u64(field_of(ctx), z, x < 0 ? -(ulong)x : (ulong)x);
    if (x < 0) {
        gfp_elem_neg(field_of(ctx), z, z);
    }
    return GR_SUCCESS;
}

static int elem_set_fmpz(void *z, const fmpz_t x, gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const slong n = fmpz_size(x);
    ulong *limbs = flint_malloc((size_t)(n + 1) * sizeof *limbs);
    fmpz_t size;
    fmpz_init(size);
    fmpz_abs(size, x);
    fmpz_get_ui_array(limbs, n + 1, size);
    fmpz_clear(size);
    gfp_elem_set_limbs(field, z, limbs, (size_t)n);
    if (fmpz_sgn(x) < 0) {
        gfp_elem_neg(field, z, z);
    }
    flint_free(limbs);
    return GR_SUCCESS;
}

static int elem_get_fmpz(fmpz_t z, const void *x, gr_ctx_t ctx)
{
    ulong limbs[GFP_MAX_LIMBS];
    gfp_elem_get_limbs(field_of(ctx), limbs, x);
    fmpz_set_ui_array(z, limbs, (slong)gfp_field_limbs(field_of(ctx)));
    return GR_SUCCESS;
}

/* Small integers of either sign, and uniform elements. */
static int elem_randtest(void *z, flint_rand_t state, gr_ctx_t ctx)
{
    fmpz_t x;
    fmpz_init(x);
    fmpz_randtest(x, state, gfp_field_bits(field_of(ctx)) + 5);
    const int status = elem_set_fmpz(z, x, ctx);
    fmpz_clear(x);
    return status;
}

static truth_t elem_is_zero(const void *x, gr_ctx_t ctx)
{
    return truth_of(gfp_elem_is_zero(field_of(ctx), x));
}

static truth_t elem_is_one(const void *x, gr_ctx_t ctx)
{
    return truth_of(gfp_elem_is_one(field_of(ctx), x));
}

static truth_t elem_equal(const void *x, const void *y, gr_ctx_t ctx)
{
    return truth_of(gfp_elem_equal(field_of(ctx), x, y));
}

static truth_t elem_is_invertible(const void *x, gr_ctx_t ctx)
{
    return truth_of(!gfp_elem_is_zero(field_of(ctx), x));
}

static int elem_neg(void *z, const void *x, gr_ctx_t ctx)
{
    gfp_elem_neg(field_of(ctx), z, x);
    return GR_SUCCESS;
}

static int elem_add(void *z, const void *x, const void *y, gr_ctx_t ctx)
{
    gfp_elem_add(field_of(ctx), z, x, y);
    return GR_SUCCESS;
}

static int elem_sub(void *z, const void *x, const void *y, gr_ctx_t ctx)
{
    gfp_elem_sub(field_of(ctx), z, x, y);
    return GR_SUCCESS;
}

static int elem_mul(void *z, const void *x, const void *y, gr_ctx_t ctx)
{
    gfp_elem_mul(field_of(ctx), z, x, y);
    return GR_SUCCESS;
}

static int elem_sqr(void *z, const void *x, gr_ctx_t ctx)
{
    gfp_elem_sqr(field_of(ctx), z, x);
    return GR_SUCCESS;
}

static int elem_pow_ui(void *z, const void *x, ulong e, gr_ctx_t ctx)
{
    const uint64_t exponent = e;
    gfp_elem_pow(field_of(ctx), z, x, &exponent, 1);
    return GR_SUCCESS;
}

static int elem_inv(void *z, const void *x, gr_ctx_t ctx)
{
    return gfp_elem_inv(field_of(ctx), z, x) == GFP_OK ? GR_SUCCESS : GR_DOMAIN;
}

static int elem_div(void *z, const void *x, const void *y, gr_ctx_t ctx)
{
    uint64_t inverse[GFP_MAX_K];
    if (gfp_elem_inv(field_of(ctx), inverse, y) != GFP_OK) {
        return GR_DOMAIN;
    }
    gfp_elem_mul(field_of(ctx), z, x, inverse);
    return GR_SUCCESS;
}

/* ---- vectors ---- */

static int vec_neg(void *z, const void *x, slong n, gr_ctx_t ctx)
{
    gfp_vec_neg(field_of(ctx), z, x, (size_t)n);
    return GR_SUCCESS;
}

static int vec_add(void *z, const void *x, const void *y, slong n, gr_ctx_t ctx)
{
    gfp_vec_add(field_of(ctx), z, x, y, (size_t)n);
    return GR_SUCCESS;
}

static int vec_sub(void *z, const void *x, const void *y, slong n, gr_ctx_t ctx)
{
    gfp_vec_sub(field_of(ctx), z, x, y, (size_t)n);
    return GR_SUCCESS;
}

/* The factor may be an element of a result: a copy. */
static const uint64_t *copy_of(uint64_t copy[GFP_MAX_K], const void *c, gr_ctx_t ctx)
{
    memcpy(copy, c, bytes_of(ctx));
    return copy;
}

static int vec_mul_scalar(void *z, const void *x, slong n, const void *c, gr_ctx_t ctx)
{
    uint64_t copy[GFP_MAX_K];
    gfp_vec_scalar_mul(field_of(ctx), z, x, copy_of(copy, c, ctx), (size_t)n);
    return GR_SUCCESS;
}

static int vec_addmul_scalar(void *z, const void *x, slong n, const void *c, gr_ctx_t ctx)
{
    uint64_t copy[GFP_MAX_K];
    gfp_vec_scalar_addmul(field_of(ctx), z, x, copy_of(copy, c, ctx), (size_t)n);
    return GR_SUCCESS;
}

static int vec_submul_scalar(void *z, const void *x, slong n, const void *c, gr_ctx_t ctx)
{
    uint64_t copy[GFP_MAX_K];
    gfp_vec_scalar_submul(field_of(ctx), z, x, copy_of(copy, c, ctx), (size_t)n);
    return GR_SUCCESS;
}

/* z := initial (NULL: 0) + or - the sum of x_i y_i. */
static int vec_dot(void *z, const void *initial, int subtract, const void *x, const void *y,
                   slong n, gr_ctx_t ctx)
{
    uint64_t sum[GFP_MAX_K];
    const gfp_field *field = field_of(ctx);
    gfp_vec_dot(field, sum, x, y, n < 0 ? 0 : (size_t)n);
    if (subtract) {
        gfp_elem_neg(field, sum, sum);
    }
    if (initial != NULL) {
        gfp_elem_add(field, sum, sum, initial);
    }
    memcpy(z, sum, bytes_of(ctx));
    return GR_SUCCESS;
}

/* ---- polynomials ---- */

/* A polynomial whose digits are those of an array, which it does not own; read only. */
static gfp_poly view_vec(const void *x, slong n, const gfp_field *field)
{
    union {
        const void *in;
        uint64_t *digits;
    } array = {x};
    gfp_poly a;
    gfp_poly_init(&a, field);
    a.digits = array.digits;
    a.len = (size_t)n;
    while (a.len > 0 && gfp_elem_is_zero(field, a.digits + (a.len - 1) * gfp_field_k(field))) {
        a.len--;
    }
    a.capacity = (size_t)n;
    return a;
}

/* z := coefficients from <= i < to of a b; zeros where the product has none. */
static int multiply_polys(void *z, const gfp_poly *a, const gfp_poly *b, const slong range[2],
                          gr_ctx_t ctx)
{
    const size_t bytes = bytes_of(ctx), n = (size_t)(range[1] - range[0]);
    gfp_poly c;
    gfp_poly_init(&c, a->field);
    const gfp_status status = gfp_poly_mulmid(&c, a, b, (size_t)range[0], n, NULL);
    if (status == GFP_OK) {
        if (c.len > 0) {
            memcpy(z, c.digits, c.len * bytes);
        }
        memset((char *)z + c.len * bytes, 0, (n - c.len) * bytes);
    }
    gfp_poly_clear(&c);
    return status == GFP_OK ? GR_SUCCESS : GR_UNABLE;
}

static int multiply_range(void *z, const gr_srcptr factors[2], const slong lengths[2],
                          const slong range[2], gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const gfp_poly a = view_vec(factors[0], lengths[0], field);
    const gfp_poly b = view_vec(factors[1], lengths[1], field);
    const bool square = factors[0] == factors[1] && lengths[0] == lengths[1];
    return range[1] <= range[0] ? GR_SUCCESS : multiply_polys(z, &a, square ? &a : &b, range, ctx);
}

static int poly_mullow(void *z, const void *a, slong len_a, const void *b, slong len_b, slong n,
                       gr_ctx_t ctx)
{
    const gr_srcptr factors[] = {a, b};
    const slong lengths[] = {len_a, len_b}, range[] = {0, n};
    return multiply_range(z, factors, lengths, range, ctx);
}

#if __FLINT_RELEASE >= 30500
static int poly_mulmid(void *z, const void *a, slong len_a, const void *b, slong len_b, slong from,
                       slong to, gr_ctx_t ctx)
{
    const gr_srcptr factors[] = {a, b};
    const slong lengths[] = {len_a, len_b}, range[] = {from, to};
    return multiply_range(z, factors, lengths, range, ctx);
}
#endif

static int gr_status(gfp_status status)
{
    return status == GFP_OK ? GR_SUCCESS : status == GFP_ERR_NOT_INVERTIBLE ? GR_DOMAIN : GR_UNABLE;
}

/* z := n coefficients, zeros after those of a, which has at most n. */
static void store_poly(void *z, slong n, const gfp_poly *a, gr_ctx_t ctx)
{
    const size_t bytes = bytes_of(ctx);
    if (a->len > 0) {
        memcpy(z, a->digits, a->len * bytes);
    }
    if (a->len < (size_t)n) {
        memset((char *)z + a->len * bytes, 0, ((size_t)n - a->len) * bytes);
    }
}

/* len_a - len_b + 1 and len_b - 1 coefficients; r may be a. */
static int poly_divrem(void *q, void *r, const void *a, slong len_a, const void *b, slong len_b,
                       gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const gfp_poly dividend = view_vec(a, len_a, field), divisor = view_vec(b, len_b, field);
    gfp_poly quotient, rest;
    if (divisor.len < (size_t)len_b) {
        return GR_DOMAIN;
    }
    gfp_poly_init(&quotient, field);
    gfp_poly_init(&rest, field);
    const gfp_status status = gfp_poly_divrem(&quotient, &rest, &dividend, &divisor, NULL);
    if (status == GFP_OK) {
        store_poly(q, len_a - len_b + 1, &quotient, ctx);
        store_poly(r, len_b - 1, &rest, ctx);
    }
    gfp_poly_clear(&quotient);
    gfp_poly_clear(&rest);
    return gr_status(status);
}

static int poly_div(void *q, const void *a, slong len_a, const void *b, slong len_b, gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const gfp_poly dividend = view_vec(a, len_a, field), divisor = view_vec(b, len_b, field);
    gfp_poly quotient;
    if (divisor.len < (size_t)len_b) {
        return GR_DOMAIN;
    }
    gfp_poly_init(&quotient, field);
    const gfp_status status = gfp_poly_div(&quotient, &dividend, &divisor, NULL);
    if (status == GFP_OK) {
        store_poly(q, len_a - len_b + 1, &quotient, ctx);
    }
    gfp_poly_clear(&quotient);
    return gr_status(status);
}

#if __FLINT_RELEASE >= 30700
/* len_a >= len_b >= 1, and neither leading coefficient is 0. */
static int poly_gcd(void *g, slong *len_g, const void *a, slong len_a, const void *b, slong len_b,
                    gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const gfp_poly x = view_vec(a, len_a, field), y = view_vec(b, len_b, field);
    gfp_poly divisor;
    gfp_poly_init(&divisor, field);
    const gfp_status status = gfp_poly_gcd(&divisor, &x, &y, NULL);
    *len_g = 0;
    if (status == GFP_OK) {
        *len_g = (slong)divisor.len;
        store_poly(g, *len_g, &divisor, ctx);
    }
    gfp_poly_clear(&divisor);
    return gr_status(status);
}

/* s a + t b = g: len_b - 1 and len_a - 1 coefficients. */
static int poly_xgcd(slong *len_g, void *g, void *s, void *t, const void *a, slong len_a,
                     const void *b, slong len_b, gr_ctx_t ctx)
{
    const gfp_field *field = field_of(ctx);
    const gfp_poly x = view_vec(a, len_a, field), y = view_vec(b, len_b, field);
    gfp_poly divisor, u, v;
    if (len_b < 2) {
        return _gr_poly_xgcd_generic(len_g, g, s, t, a, len_a, b, len_b, ctx);
    }
    gfp_poly_init(&divisor, field);
    gfp_poly_init(&u, field);
    gfp_poly_init(&v, field);
    const gfp_status status = gfp_poly_xgcd(&divisor, &u, &v, &x, &y, NULL);
    *len_g = 0;
    if (status == GFP_OK) {
        *len_g = (slong)divisor.len;
        store_poly(g, *len_g, &divisor, ctx);
        store_poly(s, len_b - 1, &u, ctx);
        store_poly(t, len_a - 1, &v, ctx);
    }
    gfp_poly_clear(&divisor);
    gfp_poly_clear(&u);
    gfp_poly_clear(&v);
    return gr_status(status);
}
#endif

static int poly_inv_series(void *z, const void *a, slong len_a, slong n, gr_ctx_t ctx)
{
    return gr_status(gfp_vec_inv_series(field_of(ctx), z, (size_t)n, a, (size_t)len_a, NULL));
}

static int poly_div_series(void *z, const void *a, slong len_a, const void *b, slong len_b, slong n,
                           gr_ctx_t ctx)
{
    return gr_status(
        gfp_vec_div_series(field_of(ctx), z, (size_t)n, a, (size_t)len_a, b, (size_t)len_b, NULL));
}

/* The library's algorithm divides by 1, ..., n - 1, which is impossible for p < n. */
static int poly_taylor_shift(void *z, const void *a, slong n, const void *c, gr_ctx_t ctx)
{
    uint64_t copy[GFP_MAX_K];
    const gfp_status status =
        gfp_vec_taylor_shift(field_of(ctx), z, a, (size_t)n, copy_of(copy, c, ctx), NULL);
    return status == GFP_ERR_UNAVAILABLE ? _gr_poly_taylor_shift_generic(z, a, n, c, ctx)
                                         : gr_status(status);
}

/* ---- the table ---- */

static gr_funcptr methods[GR_METHOD_TAB_SIZE];

/* FLINT's table has functions of all types as one. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
#define ENTRY(method, function)                                                                    \
    {                                                                                              \
        GR_METHOD_##method, (gr_funcptr)(function)                                                 \
    }
static gr_method_tab_input entries[] = {
    ENTRY(CTX_WRITE, ring_write),
    ENTRY(CTX_CLEAR, ring_clear),
    ENTRY(CTX_IS_RING, truth_yes),
    ENTRY(CTX_IS_COMMUTATIVE_RING, truth_yes),
    ENTRY(CTX_IS_INTEGRAL_DOMAIN, truth_yes),
    ENTRY(CTX_IS_FIELD, truth_yes),
    ENTRY(CTX_IS_UNIQUE_FACTORIZATION_DOMAIN, truth_yes),
    ENTRY(CTX_IS_FINITE, truth_yes),
    ENTRY(CTX_IS_FINITE_CHARACTERISTIC, truth_yes),
    ENTRY(CTX_IS_ALGEBRAICALLY_CLOSED, truth_no),
    ENTRY(CTX_IS_ORDERED_RING, truth_no),
    ENTRY(CTX_IS_EXACT, truth_yes),
    ENTRY(CTX_IS_CANONICAL, truth_yes),
    ENTRY(CTX_IS_THREADSAFE, truth_yes),
    ENTRY(INIT, elem_init),
    ENTRY(CLEAR, elem_clear),
    ENTRY(SWAP, elem_swap),
    ENTRY(SET_SHALLOW, elem_set_shallow),
    ENTRY(WRITE, elem_write),
    ENTRY(RANDTEST, elem_randtest),
    ENTRY(ZERO, elem_zero),
    ENTRY(ONE, elem_one),
    ENTRY(IS_ZERO, elem_is_zero),
    ENTRY(IS_ONE, elem_is_one),
    ENTRY(EQUAL, elem_equal),
    ENTRY(SET, elem_set),
    ENTRY(SET_UI, elem_set_ui),
    ENTRY(SET_SI, elem_set_si),
    ENTRY(SET_FMPZ, elem_set_fmpz),
    ENTRY(GET_FMPZ, elem_get_fmpz),
    ENTRY(NEG, elem_neg),
    ENTRY(ADD, elem_add),
    ENTRY(SUB, elem_sub),
    ENTRY(MUL, elem_mul),
    ENTRY(SQR, elem_sqr),
    ENTRY(POW_UI, elem_pow_ui),
    ENTRY(IS_INVERTIBLE, elem_is_invertible),
    ENTRY(INV, elem_inv),
    ENTRY(DIV, elem_div),
    ENTRY(VEC_NEG, vec_neg),
    ENTRY(VEC_ADD, vec_add),
    ENTRY(VEC_SUB, vec_sub),
    ENTRY(VEC_MUL_SCALAR, vec_mul_scalar),
    ENTRY(VEC_ADDMUL_SCALAR, vec_addmul_scalar),
    ENTRY(VEC_SUBMUL_SCALAR, vec_submul_scalar),
    ENTRY(VEC_DOT, vec_dot),
    ENTRY(POLY_MULLOW, poly_mullow),
#if __FLINT_RELEASE >= 30500
    ENTRY(POLY_MULMID, poly_mulmid),
#endif
    ENTRY(POLY_DIV, poly_div),
    ENTRY(POLY_DIVREM, poly_divrem),
#if __FLINT_RELEASE >= 30700
    ENTRY(POLY_GCD, poly_gcd),
    ENTRY(POLY_XGCD, poly_xgcd),
#endif
    ENTRY(POLY_INV_SERIES, poly_inv_series),
    ENTRY(POLY_DIV_SERIES, poly_div_series),
    ENTRY(POLY_TAYLOR_SHIFT, poly_taylor_shift),
    {0, NULL},
};
#pragma GCC diagnostic pop

static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_methods(void)
{
    gr_method_tab_init(methods, entries);
}

gfp_status gfp_gr_ctx_init_checked(gr_ctx_t ctx, const gfp_field *field, int flint_release)
{
    char *end;
    const long major = strtol(flint_version, &end, 10);
    const long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    union {
        const gfp_field *in;
        void *out;
    } data = {field};
    if (field == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    /* The table of methods changes between minor versions. */
    if (flint_release / 100 != __FLINT_RELEASE / 100 || major != __FLINT_VERSION ||
        minor != __FLINT_VERSION_MINOR) {
        return GFP_ERR_VERSION;
    }
    if (pthread_once(&made, make_methods) != 0) {
        return GFP_ERR_MEMORY;
    }
    memset(ctx, 0, sizeof *ctx);
    GR_CTX_DATA_AS_PTR(ctx) = data.out;
    ctx->which_ring = GR_CTX_UNKNOWN_DOMAIN;
    ctx->sizeof_elem = (slong)bytes_of(ctx);
    ctx->methods = methods;
    ctx->size_limit = WORD_MAX;
    return GFP_OK;
}
