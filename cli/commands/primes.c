/* primes.c: the subcommand primes: the named fields; with --search primes of a given size, each
 * printed when it is found; with --stock those that come with the library.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <inttypes.h>

#include "cli/cli.h"

static void json_text_u64(struct json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
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

/* A search under way, or a list of the stock. */
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
                            ? gfp_prime_supply_next(prime, search->supply, &error)
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

static int print_list(struct search *search, const struct request *request)
{
    printf("%-26s %4s %6s %6s %8s  %s\n", "p", "k", "bits", "v2(r)", "v2(p-1)", "proof");
    int code = print_supply(search, NULL);
    if (search->exhausted && request->own.primes.count != 0) {
        say("primes: only %zu found: the %s has no more", search->found,
            search->supply != NULL ? "range" : "stock");
    }
    return code;
}

static int print_json(struct search *search, const struct request *request)
{
    struct json json;
    gfp_prime beyond;
    json_begin(&json, stdout);
    json_open(&json, "primes", '[');
    int code = print_supply(search, &json);
    json_close(&json, ']');
    if (code == DONE && !search->exhausted && !request->own.primes.random) {
        /* The count is reached: only another search tells whether the range has more. */
        code = next_prime(search, &beyond);
    }
    json_bool(&json, "exhausted", search->exhausted);
    json_end(&json);
    return code == DONE ? flush_standard_output(0) : code;
}

static int run_search(gfp_prime_supply *supply, const struct request *request)
{
    /* --random alone finds one prime: the random family is practically endless. */
    size_t count = request->own.primes.count == 0 && request->own.primes.random
                       ? 1
                       : request->own.primes.count;
    struct search search = {.supply = supply, .count = count};
    return request->call.json ? print_json(&search, request) : print_list(&search, request);
}

static int list_stock(const struct request *request)
{
    const gfp_prime_range *range = &request->own.primes.range;
    struct search search = {.k = 2, .last_k = GFP_MAX_K, .count = request->own.primes.count};
    if (is_given(request, "min-bits max-bits min-v2 random seed")) {
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
    return request->call.json ? print_json(&search, request) : print_list(&search, request);
}

static int search_primes(const struct request *request)
{
    const gfp_prime_range *range = &request->own.primes.range;
    gfp_prime_supply *supply;
    gfp_error error = {.message = ""};
    gfp_random g;
    gfp_status status;
    if (range->k == 0 || range->min_bits == 0 || range->max_bits == 0) {
        complain("primes: --search needs --k, --min-bits and --max-bits");
        return BAD_USAGE;
    }
    if (!request->own.primes.random && is_given(request, "seed")) {
        complain("primes: --seed goes with --random");
        return BAD_USAGE;
    }
    gfp_random_seed(&g, request->own.primes.seed);
    status = gfp_prime_supply_create(&supply, range, request->own.primes.random ? &g : NULL, NULL,
                                     &error);
    if (status != GFP_OK) {
        return complain_status("primes", status, &error);
    }
    int code = run_search(supply, request);
    gfp_prime_supply_destroy(supply);
    return code;
}

/* ---- the named primes ---- */

static int print_prime(struct json *json, const gfp_named_prime *prime)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    gfp_status status = gfp_field_create(&field, prime->name, NULL, &error);
    if (status != GFP_OK) {
        (void)complain_status(prime->name, status, &error);
        return FAILED;
    }
    const char *proof = gfp_proof_string(gfp_field_get_info(field).certificate->proof);
    if (json != NULL) {
        json_open(json, NULL, '{');
        json_string(json, "name", prime->name);
        json_string(json, "formula", prime->formula);
        json_u64(json, "k", gfp_field_k(field));
        json_u64(json, "bits", gfp_field_bits(field));
        json_u64(json, "v2_r", gfp_field_v2_order(field) / gfp_field_k(field));
        json_u64(json, "v2_p_minus_1", gfp_field_v2_order(field));
        json_string(json, "proof", proof);
        json_close(json, '}');
    } else {
        printf("%-6s %-26s %4u %6u %6u %8u  %s\n", prime->name, prime->formula, gfp_field_k(field),
               gfp_field_bits(field), gfp_field_v2_order(field) / gfp_field_k(field),
               gfp_field_v2_order(field), proof);
    }
    gfp_field_destroy(field);
    return DONE;
}

static int list_primes(const struct request *request)
{
    struct json json;
    int code = DONE;
    if (request->call.json) {
        json_begin(&json, stdout);
        json_open(&json, "primes", '[');
    } else {
        printf("%-6s %-26s %4s %6s %6s %8s  %s\n", "name", "p", "k", "bits", "v2(r)", "v2(p-1)",
               "proof");
    }
    for (size_t i = 0; i < gfp_named_prime_count() && code == DONE; i++) {
        code = print_prime(request->call.json ? &json : NULL, gfp_named_prime_get(i));
    }
    if (request->call.json) {
        json_close(&json, ']');
        json_end(&json);
    }
    return code == DONE ? flush_standard_output(0) : code;
}

static int run_primes(const struct request *request)
{
    const struct prime_values *values = &request->own.primes;
    if (values->search && values->stock) {
        complain("primes: --search and --stock exclude each other");
        return BAD_USAGE;
    }
    if (values->search) {
        return search_primes(request);
    }
    if (values->stock) {
        return list_stock(request);
    }
    if (is_given(request, "k min-bits max-bits min-v2 count random seed")) {
        complain("primes: --k, --min-bits, --max-bits, --min-v2, --count, --random and --seed go "
                 "with --search; --k and --count also with --stock");
        return BAD_USAGE;
    }
    return list_primes(request);
}

const struct command prime_commands[] = {
    {.name = "primes",
     .summary = "List the named primes, those in stock, or others",
     .doc = "Lists the named primes p = r^k + 1: k, the bits of p, the exponents of 2 in r and in "
            "p - 1 (transforms exist up to that power of two), and the kind of primality proof. "
            "With --search it finds and proves other primes, and prints each as soon as it is "
            "found: those with r = 2^w + 2^u or 2^w - 2^u, by rising bits, then falling v2(r), "
            "then rising r; or with --random those with any even r, without repetition, in an "
            "order that depends on the seed alone. With --stock it lists primes that come with the "
            "library, proved: some hundred with the largest r = 2^63 - j 2^36 for each k from 4 to "
            "128. --field accepts the printed p."
            "\vJSON: primes: [{name, formula, k, bits, v2_r, v2_p_minus_1, proof}]; with --search "
            "or --stock: primes: [{formula, r, k, bits, v2_r, v2_p_minus_1, sign, w, u, proof, "
            "certificate: [{prime, base}]}], exhausted. r, prime and base are strings; r = 2^w + "
            "sign 2^u, or sign, w and u are null; exhausted is true where the range is known to "
            "have no more primes; with --random that is known only after a search for more primes "
            "than exist.",
     .run = run_primes},
    {.name = NULL}};
