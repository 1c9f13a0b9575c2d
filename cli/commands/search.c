/* search.c: primes --search: primes of a given size, each printed when it is found; primes
 * --stock: those that come with the library.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <inttypes.h>

#include "cli/cli.h"

static void json_text_u64(struct json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    json_string(json, key, text);
}

/* r = 2^w + sign 2^u; null for any other r. */
static void json_shape(struct json *json, const gfp_prime *prime)
{
    if (prime->sign == 0) {
        json_null(json, "sign");
        json_null(json, "w");
        json_null(json, "u");
    } else {
        json_int(json, "sign", prime->sign);
        json_u64(json, "w", prime->w);
        json_u64(json, "u", prime->u);
    }
}

static void json_prime(struct json *json, const gfp_prime *prime)
{
    const gfp_certificate *certificate = &prime->certificate;
    json_open(json, NULL, '{');
    json_string(json, "formula", prime->formula);
    json_text_u64(json, "r", prime->r);
    json_u64(json, "k", prime->k);
    json_u64(json, "bits", prime->bits);
    json_u64(json, "v2_r", prime->v2_r);
    json_u64(json, "v2_p_minus_1", prime->v2_order);
    json_shape(json, prime);
    json_string(json, "proof", gfp_proof_string(certificate->proof));
    json_open(json, "certificate", '[');
    for (unsigned i = 0; i < certificate->count; i++) {
        json_open(json, NULL, '{');
        json_text_u64(json, "prime", certificate->factor[i].prime);
        json_text_u64(json, "base", certificate->factor[i].base);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void print_found(struct json *json, const gfp_prime *prime)
{
    if (json != NULL) {
        json_prime(json, prime);
        return;
    }
    printf("%-26s %4u %6u %6u %8u  %s\n", prime->formula, prime->k, prime->bits, prime->v2_r,
           prime->v2_order, gfp_proof_string(prime->certificate.proof));
}

/* A search under way, or a walk through the stock. */
struct search {
    gfp_prime_supply *supply; /* NULL: the stock */
    unsigned k, last_k; /* of the stock: the next prime's, and the last one that is asked for */
    size_t index;
    size_t count; /* the most primes to find; 0: all */
    size_t found;
    bool exhausted; /* the supply is known to have no more */
};

static gfp_status next_in_stock(struct search *search, gfp_prime *prime, gfp_error *error)
{
    while (search->index == gfp_prime_stock_count(search->k)) {
        if (search->k == search->last_k) {
            return GFP_DONE;
        }
        search->k *= 2;
        search->index = 0;
    }
    return gfp_prime_stock_get(prime, search->k, search->index++, error);
}

/* *prime := the next prime, or search->exhausted := true. Reports errors; returns an exit code. */
static int next_prime(struct search *search, gfp_prime *prime)
{
    gfp_error error = {.message = ""};
    gfp_status status = search->supply != NULL
                            ? gfp_prime_supply_next(search->supply, prime, &error)
                            : next_in_stock(search, prime, &error);
    search->exhausted = status == GFP_DONE;
    if (status < GFP_OK) {
        (void)complain_status("primes", status, &error);
        return FAILED;
    }
    return DONE;
}

/* Prints up to search->count primes, each at once. A closed output ends the search. */
static int print_supply(struct search *search, struct json *json)
{
    gfp_prime prime;
    int code = flush_standard_output(0);
    while (code == DONE && (search->count == 0 || search->found < search->count)) {
        code = next_prime(search, &prime);
        if (code != DONE || search->exhausted) {
            return code;
        }
        print_found(json, &prime);
        search->found++;
        code = flush_standard_output(0);
    }
    return code;
}

static int print_list(struct search *search, const struct settings *settings)
{
    printf("%-26s %4s %6s %6s %8s  %s\n", "p", "k", "bits", "v2(r)", "v2(p-1)", "proof");
    int code = print_supply(search, NULL);
    if (search->exhausted && settings->count != 0) {
        say("primes: only %zu found: the %s has no more", search->found,
            search->supply != NULL ? "range" : "stock");
    }
    return code;
}

static int print_json(struct search *search, const struct settings *settings)
{
    struct json json;
    gfp_prime beyond;
    json_begin(&json, stdout);
    json_open(&json, "primes", '[');
    int code = print_supply(search, &json);
    json_close(&json, ']');
    if (code == DONE && !search->exhausted && !settings->random) {
        /* The count is reached: only another search tells whether the range has more. */
        code = next_prime(search, &beyond);
    }
    json_bool(&json, "exhausted", search->exhausted);
    json_end(&json);
    return code == DONE ? flush_standard_output(0) : code;
}

static int run_search(gfp_prime_supply *supply, const struct settings *settings)
{
    /* --random alone finds one prime: the random family is practically endless. */
    size_t count = settings->count == 0 && settings->random ? 1 : settings->count;
    struct search search = {.supply = supply, .count = count};
    return settings->json ? print_json(&search, settings) : print_list(&search, settings);
}

int list_stock(const struct settings *settings)
{
    const gfp_prime_range *range = &settings->range;
    struct search search = {.k = 2, .last_k = GFP_MAX_K, .count = settings->count};
    if (range->min_bits != 0 || range->max_bits != 0 || range->min_v2_r != 0 || settings->random ||
        (settings->given & GIVEN_SEED) != 0) {
        complain("primes: --stock takes --k and --count alone");
        return BAD_USAGE;
    }
    if (range->k != 0) {
        search.k = search.last_k = range->k;
        if (gfp_prime_stock_count(range->k) == 0) {
            complain("primes: no prime of k = %u is in stock; available: k = 4, 8, 16, 32, 64, 128",
                     range->k);
            return BAD_USAGE;
        }
    }
    return settings->json ? print_json(&search, settings) : print_list(&search, settings);
}

int search_primes(const struct settings *settings)
{
    const gfp_prime_range *range = &settings->range;
    gfp_prime_supply *supply;
    gfp_error error = {.message = ""};
    gfp_status status;
    if (range->k == 0 || range->min_bits == 0 || range->max_bits == 0) {
        complain("primes: --search needs --k, --min-bits and --max-bits");
        return BAD_USAGE;
    }
    if (!settings->random && (settings->given & GIVEN_SEED) != 0) {
        complain("primes: --seed goes with --random");
        return BAD_USAGE;
    }
    if (settings->random) {
        gfp_random g;
        gfp_random_seed(&g, settings->seed);
        status = gfp_prime_supply_create_random(&supply, range, &g, NULL, &error);
    } else {
        status = gfp_prime_supply_create_sparse(&supply, range, NULL, &error);
    }
    if (status != GFP_OK) {
        return complain_status("primes", status, &error);
    }
    int code = run_search(supply, settings);
    gfp_prime_supply_destroy(supply);
    return code;
}
