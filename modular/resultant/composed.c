/* composed.c: composed sums, differences, products and quotients of polynomials over Z, whose
 * roots are those of the roots of both, as resultants with respect to Y of a(Y) and of b(X - Y),
 * (-1)^n b(Y - X), Y^n b(X / Y) or X^n b(Y / X), n = deg b (Bostan, Flajolet, Salvy, Schost, J.
 * Symbolic Comput. 41, 2006).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/options.h"
#include "modular/bivariate.h"
#include "modular/scalar.h"

/* f := a(Y). */
static gfp_status in_y(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly a)
{
    (void)call;
    GFP_TRY(gfp_zbipoly_fit(f, a.len));
    for (size_t j = 0; j < a.len; j++) {
        GFP_TRY(gfp_zvec_set_polynomial(&f->coeff[j], gfp_zpoly_at(a, j), 1, a.width));
    }
    gfp_zbipoly_normalise(f, a.len);
    return GFP_OK;
}

/* row, len - j integers of `width` limbs, := the coefficient of Y^j in b(X - Y): (-1)^j C(i + j, j)
 * b_(i + j) at X^i. row holds that for j - 1, with another sign: C(i + j, j) = C(i + j, j - 1) (i +
 * 1) / j. */
static void next_row(uint64_t *row, size_t len, size_t width, size_t j, uint64_t *magnitude)
{
    for (size_t i = 0; i + j < len; i++) {
        const uint64_t *x = row + (i + 1) * width;
        const bool negative = gfp_z_negative(x, width);
        const size_t n = gfp_z_magnitude(magnitude, x, width);
        mp_limb_t *z = gfp_z_limbs(magnitude);
        if (n > 0) {
            z[n] = mpn_mul_1(z, z, (mp_size_t)n, i + 1);
            (void)mpn_divrem_1(z, 0, z, (mp_size_t)n + 1, j);
        }
        size_t used = n > 0 ? n + 1 : 0;
        while (used > 0 && magnitude[used - 1] == 0) {
            used--;
        }
        gfp_z_put(row + i * width, width, magnitude, used, !negative && used > 0);
    }
}

/* f := b(X - Y), or `reflected` (-1)^n b(Y - X): b(X - Y) for (-1)^n b(-X). */
static gfp_status composed_shift(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b, bool reflected)
{
    uint64_t *row, *magnitude;
    /* C(i + j, j) < 2^len. */
    const size_t width = gfp_z_width(gfp_size_add_sat(gfp_zpoly_bits(b), b.len));
    GFP_TRY(gfp_call_array(&call->base, &row, gfp_size_mul_sat(b.len, width)));
    GFP_TRY(gfp_call_array(&call->base, &magnitude, gfp_size_add_sat(width, b.width)));
    GFP_TRY(gfp_zbipoly_fit(f, b.len));
    for (size_t i = 0; i < b.len; i++) {
        const uint64_t *x = gfp_zpoly_at(b, i);
        const size_t n = gfp_z_magnitude(magnitude, x, b.width);
        const bool other = reflected && n > 0 && (b.len - 1 - i) % 2 == 1;
        gfp_z_put(row + i * width, width, magnitude, n, gfp_z_negative(x, b.width) != other);
    }
    for (size_t j = 0; j < b.len; j++) {
        if (j > 0) {
            next_row(row, b.len, width, j, magnitude);
        }
        GFP_TRY(gfp_zvec_set_polynomial(&f->coeff[j], row, b.len - j, width));
    }
    gfp_zbipoly_normalise(f, b.len);
    return GFP_OK;
}

static gfp_status composed_shifted(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b)
{
    return composed_shift(call, f, b, false);
}

static gfp_status composed_reflected(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b)
{
    return composed_shift(call, f, b, true);
}

/* f := Y^n b(X / Y): b_i X^i at Y^(n - i); or `inverted` X^n b(Y / X): b_i X^(n - i) at Y^i. */
static gfp_status composed_homogenise(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b, bool inverted)
{
    uint64_t *row;
    GFP_TRY(gfp_call_array(&call->base, &row, gfp_size_mul_sat(b.len, b.width)));
    memset(row, 0, b.len * b.width * sizeof *row);
    GFP_TRY(gfp_zbipoly_fit(f, b.len));
    for (size_t i = 0; i < b.len; i++) {
        const size_t x = inverted ? b.len - 1 - i : i;
        uint64_t *place = row + x * b.width;
        memcpy(place, gfp_zpoly_at(b, i), b.width * sizeof *row);
        GFP_TRY(gfp_zvec_set_polynomial(&f->coeff[b.len - 1 - x], row, x + 1, b.width));
        memset(place, 0, b.width * sizeof *row);
    }
    gfp_zbipoly_normalise(f, b.len);
    return GFP_OK;
}

static gfp_status composed_homogeneous(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b)
{
    return composed_homogenise(call, f, b, false);
}

static gfp_status composed_inverted(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b)
{
    if (gfp_z_bits(b.limbs, b.width) == 0) {
        (void)gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT,
                            "%s: the second polynomial has the root 0", call->base.name);
        call->base.error.index = 1;
        return GFP_ERR_ARGUMENT;
    }
    return composed_homogenise(call, f, b, true);
}

typedef gfp_status operand(gfp_zcall *call, gfp_zbipoly *f, gfp_zpoly b);

static gfp_status make_operands(gfp_zcall *call, gfp_zbipoly f[2], const gfp_zvec *a,
                                const gfp_zvec *b, operand *of_b)
{
    gfp_zpoly x, y;
    GFP_TRY(gfp_zpoly_flat_of(call, &x, a));
    GFP_TRY(gfp_zpoly_flat_of(call, &y, b));
    GFP_TRY(in_y(call, &f[0], x));
    return y.len > 0 ? of_b(call, &f[1], y) : GFP_OK;
}

/* Makes both operands, within the memory of the call, and takes their resultant. */
gfp_status gfp_zvec_composed(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                             gfp_zcomposed operation, const gfp_options *options)
{
    static const struct {
        operand *of_b;
        const char *name;
    } rows[] = {[GFP_ZCOMPOSED_SUM] = {composed_shifted, "composed sum"},
                [GFP_ZCOMPOSED_DIFFERENCE] = {composed_reflected, "composed difference"},
                [GFP_ZCOMPOSED_PRODUCT] = {composed_homogeneous, "composed product"},
                [GFP_ZCOMPOSED_QUOTIENT] = {composed_inverted, "composed quotient"}};
    gfp_zring *const rings[] = {GFP_ZRING(c), GFP_ZRING(a), GFP_ZRING(b)};
    gfp_options copy, silent;
    gfp_zcall call;
    gfp_zbipoly f[2];
    const size_t row = (size_t)operation;
    const bool known = row < sizeof rows / sizeof *rows;
    GFP_TRY(gfp_options_read(&options, &copy));
    silent = *options;
    silent.report = NULL; /* the resultant fills it */
    GFP_TRY(gfp_zcall_begin(&call, known ? rows[row].name : "composed polynomial", &silent));
    gfp_status status = known ? gfp_zcall_start(&call, rings, 3)
                              : gfp_error_set(&call.base.error, GFP_ERR_ARGUMENT,
                                              "%s: no such operation", call.base.name);
    if (status != GFP_OK) {
        return gfp_call_end(&call.base, status);
    }
    gfp_zbipoly_init(&f[0], c->ring);
    gfp_zbipoly_init(&f[1], c->ring);
    status = gfp_call_end(&call.base, make_operands(&call, f, a, b, rows[row].of_b));
    if (status == GFP_OK) {
        status = gfp_zbipoly_resultant_y(c, &f[0], &f[1], options);
    }
    gfp_zbipoly_clear(&f[0]);
    gfp_zbipoly_clear(&f[1]);
    return status;
}
