/* reed_solomon.c: a Reed-Solomon code with 4096 symbols of 255 bits, decoded by Gao's algorithm. A
 * message of n symbols is a polynomial f of degree below n over p4; its code word has the values of
 * f at all 4096th roots of unity, which one DFT computes. To decode, the inverse DFT interpolates
 * the symbols that arrived; half of Euclid's algorithm with X^4096 - 1 (gfp_poly_reconstruct) gives
 * a fraction, and a division f. Any (4096 - n) / 2 wrong symbols are corrected; more are refused.
 * Source: S. Gao, A new algorithm for decoding Reed-Solomon codes (2003).
 * Usage: reed_solomon [SYMBOLS ERRORS [SEED]]: the length n of the message, the number of symbols
 * that arrive wrong, the seed of the random choices. Exit status: 0 decoded, 1 refused, 2 failed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gfpoly.h"

#define LENGTH ((size_t)4096) /* symbols of a code word: a power of two */

enum { DECODED = 0, REFUSED = 1, FAILED = 2 };

typedef struct code {
    gfp_field *field;
    gfp_fft_plan *plan;
    size_t symbols; /* of a message: from 1 to LENGTH */
} code;

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* word := the values of f, shorter than LENGTH + 1 terms, at the roots of unity. */
static gfp_status encode(uint64_t *word, const code *c, const gfp_poly *f)
{
    gfp_vec_zero(c->field, word, LENGTH);
    gfp_vec_set(c->field, word, f->digits, f->len);
    return gfp_fft_run(word, word, GFP_FORWARD, GFP_ORDER_NATURAL, c->plan, NULL);
}

/* Changes `errors` different symbols, each to another random one. */
static gfp_status corrupt(uint64_t *word, const code *c, size_t errors, gfp_random *random)
{
    const unsigned k = gfp_field_k(c->field);
    uint64_t change[GFP_MAX_K];
    size_t *place = malloc(LENGTH * sizeof *place);

    if (place == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < LENGTH; i++) {
        place[i] = i;
    }
    for (size_t i = 0; i < errors; i++) {
        const size_t j = i + (size_t)gfp_random_below(random, LENGTH - i);
        uint64_t *symbol = word + place[j] * k;
        place[j] = place[i];
        do {
            gfp_elem_random(c->field, change, random);
        } while (gfp_elem_is_zero(c->field, change));
        gfp_elem_add(c->field, symbol, symbol, change);
    }
    free(place);
    return GFP_OK;
}

/* g := the polynomial whose values are the symbols of word. */
static gfp_status interpolate(gfp_poly *g, const code *c, const uint64_t *word)
{
    gfp_status status = gfp_poly_fit_length(g, LENGTH);
    if (status == GFP_OK) {
        status = gfp_fft_run(g->digits, word, GFP_INVERSE, GFP_ORDER_NATURAL, c->plan, NULL);
    }
    return status == GFP_OK ? gfp_poly_set_length(g, LENGTH) : status;
}

/* m := X^LENGTH - 1. */
static gfp_status vanishing(gfp_poly *m)
{
    uint64_t minus_one[GFP_MAX_K];
    gfp_elem_one(m->field, minus_one);
    gfp_elem_neg(m->field, minus_one, minus_one);
    const gfp_status status = gfp_poly_set_coeff_u64(m, LENGTH, 1);
    return status == GFP_OK ? gfp_poly_set_coeff(m, 0, minus_one) : status;
}

/* f := the message, *errors := the number of wrong symbols; *decoded := false if no message is as
 * near as that. With e the product of X - x_i over the places of the wrong symbols, the polynomial
 * g of the word has e g = e f modulo X^LENGTH - 1: the fraction e f / e is g. */
static gfp_status decode(gfp_poly *f, size_t *errors, bool *decoded, const code *c,
                         const uint64_t *word, gfp_error *error)
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .error = error};
    const size_t most = (LENGTH - c->symbols) / 2;
    gfp_poly m, num, den;

    gfp_poly_init(&m, c->field);
    gfp_poly_init(&num, c->field);
    gfp_poly_init(&den, c->field);
    gfp_status status = vanishing(&m);
    if (status == GFP_OK) {
        status = interpolate(&num, c, word);
    }
    if (status == GFP_OK) {
        status = gfp_poly_reconstruct(&num, &den, &num, &m, c->symbols - 1 + most, most, &options);
    }
    if (status == GFP_OK) {
        status = gfp_poly_divides(decoded, f, &num, &den, &options);
        *decoded = *decoded && f->len <= c->symbols;
        *errors = den.len - 1;
    } else if (status == GFP_ERR_NOT_INVERTIBLE) {
        status = GFP_OK; /* no such fraction */
        *decoded = false;
    }
    gfp_poly_clear(&m);
    gfp_poly_clear(&num);
    gfp_poly_clear(&den);
    return status;
}

/* Sends f with wrong symbols, decodes it, and prints what came of that. */
static gfp_status transmit(int *answer, const code *c, size_t errors, gfp_random *random,
                           gfp_error *error)
{
    uint64_t *word = malloc(LENGTH * gfp_field_k(c->field) * sizeof *word);
    bool decoded = false;
    size_t corrected = 0;
    gfp_poly f, g;

    gfp_poly_init(&f, c->field);
    gfp_poly_init(&g, c->field);
    gfp_status status = word != NULL ? gfp_poly_random(&f, c->symbols, random) : GFP_ERR_MEMORY;
    if (status == GFP_OK) {
        status = encode(word, c, &f);
    }
    if (status == GFP_OK) {
        status = corrupt(word, c, errors, random);
    }
    const double start = seconds();
    if (status == GFP_OK) {
        status = decode(&g, &corrected, &decoded, c, word, error);
    }
    if (status == GFP_OK && !decoded) {
        *answer = REFUSED;
        printf("refused: more than %zu symbols are wrong\n", (LENGTH - c->symbols) / 2);
    } else if (status == GFP_OK) {
        /* More errors than the code corrects can lead to another message, but hardly ever do. */
        const bool right = gfp_poly_equal(&f, &g) && corrected == errors;
        *answer = right ? DECODED : FAILED;
        printf("corrected %zu symbols in %.1f ms: the message is %s\n", corrected,
               (seconds() - start) * 1e3, right ? "right" : "WRONG");
    }
    gfp_poly_clear(&f);
    gfp_poly_clear(&g);
    free(word);
    return status;
}

/* *value := the number in text, at most `most`; digits only. */
static bool parse(size_t *value, const char *text, size_t most)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    *value = strtoul(text, NULL, 10); /* the greatest number if the text says more */
    return *value <= most;
}

int main(int argc, char **argv)
{
    code c = {.symbols = LENGTH / 2};
    size_t errors = LENGTH / 4;
    size_t seed = 1;
    if (argc == 2 || argc > 4 || (argc > 2 && !parse(&c.symbols, argv[1], LENGTH)) ||
        c.symbols == 0 || (argc > 2 && !parse(&errors, argv[2], LENGTH)) ||
        (argc > 3 && !parse(&seed, argv[3], SIZE_MAX))) {
        fprintf(stderr, "usage: reed_solomon [SYMBOLS ERRORS [SEED]], at most %zu\n", LENGTH);
        return FAILED;
    }
    gfp_error error = {.message = ""};
    gfp_random random;
    int answer = FAILED;

    gfp_random_seed(&random, seed);
    gfp_status status = gfp_field_create(&c.field, "p4", NULL, &error);
    if (status == GFP_OK) {
        status = gfp_fft_plan_create(&c.plan, c.field, LENGTH, &error);
    }
    if (status == GFP_OK) {
        printf("%zu symbols of %u bits, rate %.3f, %zu arrive wrong\n", LENGTH,
               gfp_field_bits(c.field) - 1, (double)c.symbols / (double)LENGTH, errors);
        status = transmit(&answer, &c, errors, &random, &error);
    }
    if (status != GFP_OK) {
        fprintf(stderr, "reed_solomon: %s %s\n", gfp_status_string(status), error.message);
    }
    gfp_fft_plan_destroy(c.plan);
    gfp_field_destroy(c.field);
    return answer;
}
