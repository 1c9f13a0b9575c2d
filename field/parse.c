/* parse.c: fields from text: a name, a formula, or the modulus as a number.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <inttypes.h>
#include <string.h>

#include "field/base/decimal.h"
#include "field/base/context.h"
#include "field/base/support.h"

/* The grammar. Tokens are names, numbers and the characters ( ) ^ + -; spaces (' ' alone) may stand
 * around every token.
 *
 *     field   = name | decimal | hex | radix "^" decimal "+" "1"
 *     radix   = decimal | "(" power { ("+" | "-") power } ")"
 *     power   = decimal [ "^" decimal ]
 *     decimal = "0" | digit other than 0 { digit }
 *     hex     = ("0x" | "0X") hex digit { hex digit }, of either case
 */

/* Every intermediate value of a radix stays below this. */
static const gfp_u128 value_limit = (gfp_u128)1 << 100;

typedef struct scanner {
    const char *text;
    size_t at;
} scanner;

/* These are not the functions of ctype.h, which depend on the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char parse_peek(scanner *s)
{
    while (s->text[s->at] == ' ') {
        s->at++;
    }
    return s->text[s->at];
}

static bool parse_accept(scanner *s, char c)
{
    bool found = parse_peek(s) == c;
    s->at += found;
    return found;
}

static gfp_status parse_place(gfp_error *error, size_t at, gfp_status status)
{
    if (error != NULL) {
        error->column = at + 1;
        error->offset = at;
    }
    return status;
}

static gfp_status parse_syntax(const scanner *s, const char *expected, gfp_error *error)
{
    gfp_error_set(error, GFP_ERR_PARSE,
                  "malformed field: %s expected at character %zu of a formula such as "
                  "(2^63+2^34)^8+1",
                  expected, s->at + 1);
    return parse_place(error, s->at, GFP_ERR_PARSE);
}

/* "010" is 8 to some readers and 10 to others. */
static gfp_status leading_zero(size_t at, gfp_error *error)
{
    gfp_error_set(error, GFP_ERR_PARSE,
                  "malformed field: the number at character %zu begins with 0", at + 1);
    return parse_place(error, at, GFP_ERR_PARSE);
}

static gfp_status too_large(gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_MODULUS, "unsupported modulus: r is not below 2^64");
}

static gfp_status scan_number(scanner *s, gfp_u128 *value, gfp_error *error)
{
    gfp_u128 x = 0;
    if (!is_digit(parse_peek(s))) {
        return parse_syntax(s, "a number", error);
    }
    if (s->text[s->at] == '0' && is_digit(s->text[s->at + 1])) {
        return leading_zero(s->at, error);
    }
    while (is_digit(s->text[s->at])) {
        x = 10 * x + (unsigned)(s->text[s->at] - '0');
        if (x >= value_limit) {
            return too_large(error);
        }
        s->at++;
    }
    *value = x;
    return GFP_OK;
}

/* power: number or number^number. */
static gfp_status scan_power(scanner *s, gfp_u128 *value, gfp_error *error)
{
    gfp_u128 base;
    gfp_u128 exponent = 1;
    GFP_TRY(scan_number(s, &base, error));
    if (parse_accept(s, '^')) {
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

/* radix: a sum and difference of powers. */
static gfp_status scan_radix(scanner *s, gfp_i128 *radix, gfp_error *error)
{
    gfp_u128 term;
    GFP_TRY(scan_power(s, &term, error));
    gfp_i128 sum = (gfp_i128)term;
    for (;;) {
        bool plus = parse_accept(s, '+');
        if (!plus && !parse_accept(s, '-')) {
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
    if (parse_accept(&s, '(')) {
        GFP_TRY(scan_radix(&s, &radix, error));
        if (!parse_accept(&s, ')')) {
            return parse_syntax(&s, "')'", error);
        }
    } else {
        GFP_TRY(scan_number(&s, &number, error));
        radix = (gfp_i128)number;
    }
    if (!parse_accept(&s, '^')) {
        return parse_syntax(&s, "'^'", error);
    }
    GFP_TRY(scan_number(&s, &number, error));
    if (!parse_accept(&s, '+')) {
        return parse_syntax(&s, "'+1'", error);
    }
    if (!parse_accept(&s, '1')) {
        return parse_syntax(&s, "'1'", error);
    }
    if (parse_peek(&s) != '\0') {
        return parse_syntax(&s, "the end", error);
    }
    if (radix > (gfp_i128)UINT64_MAX) {
        return too_large(error);
    }
    if (radix < 2) {
        return gfp_error_set(error, GFP_ERR_MODULUS, "unsupported modulus: r is below 2");
    }
    *r = (uint64_t)radix;
    *k = number > UINT32_MAX ? UINT32_MAX : (unsigned)number; /* checked when the field is made */
    return GFP_OK;
}

/* Finds p - 1 = r^k with the smallest k: square roots until the root fits a word. */
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

static gfp_status parse_number(const char *text, size_t at, size_t end, uint64_t *r, unsigned *k,
                               gfp_error *error)
{
    mp_limb_t z[GFP_MAX_LIMBS];
    uint64_t value[GFP_MAX_LIMBS];
    size_t bad;
    bool hex = text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
    int base = hex ? 16 : 10;
    if (!hex && text[at] == '0' && is_digit(text[at + 1])) {
        return leading_zero(at, error);
    }
    at += hex ? 2 : 0;
    gfp_status status = gfp_limbs_from_text(value, GFP_MAX_LIMBS, text + at, end - at, base, &bad);
    if (status == GFP_ERR_PARSE) {
        at += bad;
        gfp_error_set(error, status, "malformed field: character %zu is not a digit of base %d",
                      at + 1, base);
        return parse_place(error, at, status);
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

static gfp_status parse_name(const char *name, size_t length, uint64_t *r, unsigned *k,
                             gfp_error *error)
{
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *prime = gfp_named_prime_get(i);
        if (strlen(prime->name) == length && memcmp(name, prime->name, length) == 0) {
            *r = prime->r;
            *k = prime->k;
            return GFP_OK;
        }
    }
    return gfp_error_set(
        error, GFP_ERR_UNKNOWN,
        "unknown field \"%.*s\"; available: the names that `gfpoly primes` lists, a formula such "
        "as (2^63+2^34)^8+1, or the modulus as a number",
        (int)gfp_size_min(length, 40), name);
}

static gfp_status parse_text(const char *text, uint64_t *r, unsigned *k, gfp_error *error)
{
    size_t at = 0, end = text == NULL ? 0 : strlen(text);
    while (at < end && text[at] == ' ') {
        at++;
    }
    while (end > at && text[end - 1] == ' ') {
        end--;
    }
    if (at == end) {
        return gfp_error_set(error, GFP_ERR_PARSE, "malformed field: empty text");
    }
    if (strpbrk(text, "^(") != NULL) {
        return parse_formula(text, r, k, error);
    }
    if (is_letter(text[at])) {
        return parse_name(text + at, end - at, r, k, error);
    }
    return parse_number(text, at, end, r, k, error);
}

gfp_status gfp_field_parse(uint64_t *r, unsigned *k, const char *text, gfp_error *error)
{
    uint64_t radix = 0;
    unsigned exponent = 0;
    if (r == NULL || k == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no place for r or k");
    }
    GFP_TRY(parse_text(text, &radix, &exponent, error));
    *r = radix;
    *k = exponent;
    return GFP_OK;
}
