/* parse.c: fields from text: a name, a formula, or the modulus as a number.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <ctype.h>
#include <gmp.h>
#include <inttypes.h>
#include <string.h>

#include "decimal.h"
#include "field_impl.h"
#include "support.h"

/* Every intermediate value of a radix stays below this. */
static const gfp_u128 value_limit = (gfp_u128)1 << 100;

typedef struct scanner {
    const char *text;
    size_t at;
} scanner;

static char peek(scanner *s)
{
    while (isspace((unsigned char)s->text[s->at])) {
        s->at++;
    }
    return s->text[s->at];
}

static bool accept(scanner *s, char c)
{
    bool found = peek(s) == c;
    s->at += found;
    return found;
}

static gfp_status syntax(const scanner *s, const char *expected, gfp_error *error)
{
    gfp_error_set(error, GFP_ERR_PARSE,
                  "malformed field: %s expected at character %zu of a formula such as "
                  "(2^63+2^34)^8+1",
                  expected, s->at + 1);
    if (error != NULL) {
        error->column = s->at + 1;
        error->offset = s->at;
    }
    return GFP_ERR_PARSE;
}

static gfp_status too_large(gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_MODULUS, "unsupported modulus: r is not below 2^64");
}

static gfp_status scan_number(scanner *s, gfp_u128 *value, gfp_error *error)
{
    gfp_u128 x = 0;
    if (!isdigit((unsigned char)peek(s))) {
        return syntax(s, "a number", error);
    }
    while (isdigit((unsigned char)s->text[s->at])) {
        x = 10 * x + (unsigned)(s->text[s->at] - '0');
        if (x >= value_limit) {
            return too_large(error);
        }
        s->at++;
    }
    *value = x;
    return GFP_OK;
}

/* number or number^number. */
static gfp_status scan_power(scanner *s, gfp_u128 *value, gfp_error *error)
{
    gfp_u128 base;
    gfp_u128 exponent = 1;
    GFP_TRY(scan_number(s, &base, error));
    if (accept(s, '^')) {
        GFP_TRY(scan_number(s, &exponent, error));
    }
    gfp_u128 x = 1;
    for (gfp_u128 i = 0; i < exponent && base > 1; i++) {
        x = x < value_limit / base ? x * base : value_limit;
        if (x >= value_limit) {
            return too_large(error);
        }
    }
    *value = base > 1 || exponent == 0 ? x : base;
    return GFP_OK;
}

/* A sum and difference of powers. */
static gfp_status scan_radix(scanner *s, gfp_i128 *radix, gfp_error *error)
{
    gfp_u128 term;
    GFP_TRY(scan_power(s, &term, error));
    gfp_i128 sum = (gfp_i128)term;
    for (;;) {
        bool plus = accept(s, '+');
        if (!plus && !accept(s, '-')) {
            break;
        }
        GFP_TRY(scan_power(s, &term, error));
        sum += plus ? (gfp_i128)term : -(gfp_i128)term;
        if (sum > (gfp_i128)value_limit || sum < -(gfp_i128)value_limit) {
            return too_large(error);
        }
    }
    *radix = sum;
    return GFP_OK;
}

static gfp_status parse_formula(const char *text, uint64_t *r, unsigned *k, gfp_error *error)
{
    scanner s = {text, 0};
    gfp_i128 radix = 0;
    gfp_u128 number = 0;
    if (accept(&s, '(')) {
        GFP_TRY(scan_radix(&s, &radix, error));
        if (!accept(&s, ')')) {
            return syntax(&s, "')'", error);
        }
    } else {
        GFP_TRY(scan_number(&s, &number, error));
        radix = (gfp_i128)number;
    }
    if (!accept(&s, '^')) {
        return syntax(&s, "'^'", error);
    }
    GFP_TRY(scan_number(&s, &number, error));
    gfp_u128 one = 0;
    if (!accept(&s, '+')) {
        return syntax(&s, "'+1'", error);
    }
    GFP_TRY(scan_number(&s, &one, error));
    if (one != 1 || peek(&s) != '\0') {
        return syntax(&s, one != 1 ? "'+1'" : "the end", error);
    }
    if (radix > (gfp_i128)UINT64_MAX) {
        return too_large(error);
    }
    if (radix < 2) {
        return gfp_error_set(error, GFP_ERR_MODULUS, "unsupported modulus: r is below 2");
    }
    *r = (uint64_t)radix;
    *k = number > UINT32_MAX ? UINT32_MAX : (unsigned)number; /* judged where fields are made */
    return GFP_OK;
}

/* p - 1 = r^k with the smallest k: square roots until the root fits a word. */
static bool find_form(mp_limb_t z[GFP_MAX_LIMBS], uint64_t *r, unsigned *k)
{
    unsigned n = gfp_significant(z, GFP_MAX_LIMBS);
    if (n == 0 || z[0] % 2 == 0) {
        return false;
    }
    z[0]--;
    for (unsigned exponent = 2; exponent <= GFP_MAX_K; exponent *= 2) {
        mp_limb_t root[GFP_MAX_LIMBS];
        n = gfp_significant(z, n);
        if (n == 0 || mpn_sqrtrem(root, NULL, z, (mp_size_t)n) != 0) {
            return false;
        }
        n = gfp_significant(root, (n + 1) / 2);
        memcpy(z, root, n * sizeof *z);
        if (n == 1) {
            *r = z[0];
            *k = exponent;
            return *r % 2 == 0;
        }
    }
    return false;
}

static gfp_status parse_number(const char *text, uint64_t *r, unsigned *k, gfp_error *error)
{
    mp_limb_t z[GFP_MAX_LIMBS];
    uint64_t value[GFP_MAX_LIMBS];
    size_t bad;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t skip = hex ? 2 : 0;
    int base = hex ? 16 : 10;
    gfp_status status =
        gfp_limbs_from_text(value, GFP_MAX_LIMBS, text + skip, strlen(text + skip), base, &bad);
    if (status == GFP_ERR_PARSE) {
        size_t at = skip + bad;
        gfp_error_set(error, status, "malformed field: character %zu is not a digit of base %d",
                      at + 1, base);
        if (error != NULL) {
            error->column = at + 1;
            error->offset = at;
        }
        return status;
    }
    if (status != GFP_OK) {
        return gfp_error_set(error, GFP_ERR_MODULUS, "unsupported modulus: more than %d bits",
                             64 * GFP_MAX_LIMBS);
    }
    memcpy(z, value, sizeof z);
    if (!find_form(z, r, k)) {
        return gfp_error_set(error, GFP_ERR_MODULUS,
                             "unsupported modulus: not of the form r^k + 1 with k = 2, 4, ..., 256 "
                             "and even r < 2^64");
    }
    return GFP_OK;
}

static gfp_status parse_name(const char *text, uint64_t *r, unsigned *k, gfp_error *error)
{
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *prime = gfp_named_prime_get(i);
        if (strcmp(text, prime->name) == 0) {
            *r = prime->r;
            *k = prime->k;
            return GFP_OK;
        }
    }
    return gfp_error_set(error, GFP_ERR_UNKNOWN,
                         "no field is named \"%.40s\" (p2 ... p128, m4 ... m128, a formula such as "
                         "(2^63+2^34)^8+1, or the modulus as a number)",
                         text);
}

gfp_status gfp_field_parse(const char *text, uint64_t *r, unsigned *k, gfp_error *error)
{
    if (text == NULL || text[0] == '\0') {
        return gfp_error_set(error, GFP_ERR_PARSE, "malformed field: empty text");
    }
    if (strpbrk(text, "^(") != NULL) {
        return parse_formula(text, r, k, error);
    }
    if (isalpha((unsigned char)text[0])) {
        return parse_name(text, r, k, error);
    }
    return parse_number(text, r, k, error);
}
