/* numbers.c: numbers on the command line: plain ones, lengths such as 10k, 1e4 and 2^14, bytes such
 * as 64M, points and exponents of any size. All are exact whole numbers; values above the maximum
 * are refused.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gfpoly/gmp.h"

/* *value *= factor; false where the product is above maximum. */
static bool numbers_scale(uint64_t *value, uint64_t factor, uint64_t maximum)
{
    if (factor != 0 && *value > maximum / factor) {
        return false;
    }
    *value *= factor;
    return true;
}

/* Reads the digits at *text, at least one, and moves *text behind them. */
static bool take_digits(const char **text, uint64_t maximum, uint64_t *value)
{
    const char *start = *text;
    uint64_t result = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        const uint64_t digit = (uint64_t)(**text - '0');
        if (!numbers_scale(&result, 10, maximum) || result > maximum - digit) {
            return false;
        }
        result += digit;
    }
    *value = result;
    return *text > start;
}

const char *find_digits(const char *text, int *base, size_t *count)
{
    *base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    text += *base == 16 ? 2 : 0;
    *count = strspn(text, *base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
    return text;
}

bool parse_number(const char *text, uint64_t maximum, uint64_t *value)
{
    return take_digits(&text, maximum, value) && *text == '\0';
}

/* *value := base^exponent times factor. */
static bool take_power(uint64_t *value, uint64_t base, uint64_t exponent, uint64_t factor,
                       uint64_t maximum)
{
    uint64_t result = factor;
    if (base < 2 || factor == 0) {
        exponent = exponent < 1 ? exponent : 1; /* higher powers of 0 and 1 are the same */
    }
    for (; exponent > 0; exponent--) { /* at most 64 times: the result at least doubles */
        if (!numbers_scale(&result, base, maximum)) {
            return false;
        }
    }
    *value = result;
    return result <= maximum;
}

/* Reads the number at *text and moves *text behind it. 2^14 and 1e4 must be the whole text. */
static bool take_value(const char **text, uint64_t maximum, uint64_t *value)
{
    uint64_t exponent = 0;
    if (!take_digits(text, maximum, value)) {
        return false;
    }
    const char sign = **text;
    if (sign != '^' && sign != 'e' && sign != 'E') {
        return true;
    }
    ++*text;
    if (!take_digits(text, UINT64_MAX, &exponent) || **text != '\0') {
        return false;
    }
    return sign == '^' ? take_power(value, *value, exponent, 1, maximum)
                       : take_power(value, 10, exponent, *value, maximum);
}

/* Multiplies *value by unit (1000 or 1024) once for k or K, twice for M, and so on for G and T. */
static bool scale_by_letter(uint64_t *value, char letter, uint64_t unit, uint64_t maximum)
{
    static const char letters[] = "kKMGT";
    const char *at = letter == '\0' ? NULL : strchr(letters, letter);
    if (at == NULL) {
        return false;
    }
    for (long times = at == letters ? 1 : at - letters; times > 0; times--) {
        if (!numbers_scale(value, unit, maximum)) {
            return false;
        }
    }
    return true;
}

bool parse_length(const char *text, uint64_t maximum, uint64_t *value)
{
    if (!take_value(&text, maximum, value)) {
        return false;
    }
    if (*text == '\0') {
        return true;
    }
    const char letter = *text++;
    const bool binary = *text == 'i';
    text += binary;
    return *text == '\0' && scale_by_letter(value, letter, binary ? 1024 : 1000, maximum);
}

bool parse_bytes(const char *text, uint64_t maximum, uint64_t *value)
{
    if (!take_value(&text, maximum, value)) {
        return false;
    }
    if (*text == '\0' || strcmp(text, "B") == 0) {
        return true;
    }
    const char letter = *text++;
    const bool decimal = strcmp(text, "B") == 0;
    const bool binary = *text == '\0' || strcmp(text, "i") == 0 || strcmp(text, "iB") == 0;
    return (decimal || binary) && scale_by_letter(value, letter, decimal ? 1000 : 1024, maximum);
}

bool is_number(const char *text, int *base, size_t *at)
{
    size_t count;
    const char *digits = find_digits(text + (text[0] == '-'), base, &count);
    *at = (size_t)(digits - text) + count;
    return count != 0 && digits[count] == '\0';
}

void set_number(const gfp_field *field, uint64_t *x, const char *text)
{
    const bool negative = text[0] == '-';
    int base;
    size_t count;
    const char *digits = find_digits(text + negative, &base, &count);
    mpz_t value;
    mpz_init(value);
    (void)mpz_set_str(value, digits, base);
    if (negative) {
        mpz_neg(value, value);
    }
    gfp_elem_set_mpz(field, x, value);
    mpz_clear(value);
}

uint64_t *exponent_words(const gfp_field *field, const char *text, size_t *limbs)
{
    int base;
    size_t count;
    const char *digits = find_digits(text, &base, &count);
    mpz_t value;
    mpz_init(value);
    if (strcmp(text, "p") == 0) {
        gfp_field_get_mpz(field, value);
    } else {
        (void)mpz_set_str(value, digits, base); /* checked by the parser of options */
    }
    uint64_t *words = malloc((mpz_sizeinbase(value, 2) / 64 + 1) * sizeof *words);
    if (words != NULL) {
        mpz_export(words, limbs, -1, sizeof *words, 0, 0, value);
    }
    mpz_clear(value);
    return words;
}
