/* papers/complexity_transforms.c: the part of the table complexity on transforms: the formulas of
 * ISSAC 2017, section 2, compared with counts, predictions and times of both approaches.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "papers/complexity.h"
#include "gfpoly/rival.h"

/* Digits (elements times k) of the longest transforms. */
#define MOST_DIGITS ((size_t)1 << 20)

typedef struct transforms {
    gfp_fft_plan *big;
    gfp_crt_rival_plan *small;
    uint64_t *x, *y, *residues, *integers;
    void *work;
} transforms;

static bool run_big(void *context)
{
    transforms *w = context;
    return gfp_fft_forward(w->big, w->y, w->x, GFP_ORDER_PERMUTED, NULL) == GFP_OK;
}

static bool run_project(void *context)
{
    transforms *w = context;
    return gfp_crt_rival_project(w->small, w->residues, w->x, w->work, NULL) == GFP_OK;
}

static bool run_transform(void *context)
{
    transforms *w = context;
    return gfp_crt_rival_transform(w->small, w->residues, w->residues, w->work, NULL) == GFP_OK;
}

static bool run_recombine(void *context)
{
    transforms *w = context;
    return gfp_crt_rival_recombine(w->small, w->integers, w->residues, w->work, NULL) == GFP_OK;
}

static bool run_small(void *context)
{
    return run_project(context) && run_transform(context) && run_recombine(context);
}

static void transforms_close(transforms *w)
{
    gfp_fft_plan_destroy(w->big);
    gfp_crt_rival_plan_destroy(w->small);
    free(w->x);
    free(w->y);
    free(w->residues);
    free(w->integers);
    free(w->work);
}

static bool transforms_open(transforms *w, const settings *s, const gfp_field *field, size_t n)
{
    const gfp_crt_rival_options options = {.ntt = {.form = GFP_NTT_BLOCKED}};
    gfp_random g;

    *w = (transforms){.big = NULL};
    bool ok = gfp_fft_plan_create(&w->big, field, n, NULL) == GFP_OK &&
              gfp_crt_rival_plan_create(&w->small, field, n, &options, NULL) == GFP_OK;
    if (ok) {
        w->x = calloc(n, gfp_field_k(field) * sizeof(uint64_t));
        w->y = calloc(n, gfp_field_k(field) * sizeof(uint64_t));
        w->residues = calloc(n, gfp_crt_rival_plan_prime_count(w->small) * sizeof(uint64_t));
        w->integers = calloc(n, gfp_crt_rival_plan_words(w->small) * sizeof(uint64_t));
        w->work = malloc(gfp_crt_rival_workspace(w->small, 1) + 8);
        ok = w->x != NULL && w->y != NULL && w->residues != NULL && w->integers != NULL &&
             w->work != NULL;
    }
    if (!ok) {
        transforms_close(w);
        complain("%s, N = %zu: no transform, or no memory", gfp_field_name(field), n);
        return false;
    }
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, w->x, n, &g);
    return true;
}

/* Checks that the integers are in [0, q_1 ... q_s) and have the residues modulo each prime. */
static bool are_recombined(const transforms *w)
{
    const size_t n = gfp_crt_rival_plan_length(w->small),
                 s = gfp_crt_rival_plan_prime_count(w->small);
    const size_t words = gfp_crt_rival_plan_words(w->small);
    const mp_limb_t *modulus = gfp_crt_rival_plan_modulus(w->small);

    for (size_t j = 0; j < n; j++) {
        const mp_limb_t *x = w->integers + j * words;
        if (mpn_cmp(x, modulus, (mp_size_t)words) >= 0) {
            return false;
        }
        for (size_t i = 0; i < s; i++) {
            const uint64_t q = gfp_crt_rival_plan_prime(w->small, i);
            if (mpn_mod_1(x, (mp_size_t)words, q) != w->residues[i * n + j]) {
                return false;
            }
        }
    }
    return true;
}

/* Checks that the ways back give the input (for small primes modulo the last prime), that the first
 * value is the sum of the input, and that recombined integers have the residues that they are made
 * from. */
static bool check_transforms(transforms *w, const gfp_field *field)
{
    const size_t n = gfp_fft_plan_length(w->big);
    const size_t last = gfp_crt_rival_plan_prime_count(w->small) - 1;
    uint64_t *z = w->residues + last * n;
    uint64_t *before = malloc(n * sizeof(*before));
    bool ok = before != NULL && run_big(w) && evaluates(field, w->y, NULL, w->x, n) &&
              gfp_fft_inverse(w->big, w->y, w->y, GFP_ORDER_PERMUTED, NULL) == GFP_OK &&
              gfp_vec_equal(field, w->x, w->y, n) && run_project(w);

    if (ok) {
        memcpy(before, z, n * sizeof(*before));
        ok = run_transform(w) && run_recombine(w) && are_recombined(w) &&
             gfp_ntt_inverse(gfp_crt_rival_plan_ntt(w->small, last), z, z, GFP_ORDER_NATURAL, NULL,
                             NULL) == GFP_OK &&
             memcmp(before, z, n * sizeof(*before)) == 0;
    }
    free(before);
    return ok || complain("%s, N = %zu: a transform is wrong", gfp_field_name(field), n);
}

/* The costs of the rival's operations, from a short transform. */
static bool time_rival(const settings *s, const gfp_field *field, unit_costs *u)
{
    transforms w;
    timing project, transform, recombine;
    counts c;

    if (!transforms_open(&w, s, field, 64)) {
        return false;
    }
    const bool ok = check_transforms(&w, field) && measure(&project, s->seconds, run_project, &w) &&
                    measure(&transform, s->seconds, run_transform, &w) &&
                    measure(&recombine, s->seconds, run_recombine, &w);
    count_rival(&c, w.small);
    transforms_close(&w);
    if (ok) {
        *u = (unit_costs){.projected = project.min_ns / c.projected,
                          .butterflies = transform.min_ns / c.butterflies,
                          .recombined = recombine.min_ns / c.recombined};
    }
    return ok || complain("%s: transforms of 64 points failed", gfp_field_name(field));
}

static bool write_transform(FILE *out, const settings *s, const gfp_field *field,
                            const unit_costs *big_units, const unit_costs *rival, size_t n)
{
    const formulas f = formulas_of(gfp_field_k(field), n);
    transforms w;
    timing big = {0}, small = {0};
    counts of_big = {0}, of_small = {0};

    progress(gfp_field_name(field), "transforms", n);
    if (!transforms_open(&w, s, field, n)) {
        return false;
    }
    count_transform(&of_big, w.big);
    count_rival(&of_small, w.small);
    const bool ok = check_transforms(&w, field) && measure(&big, s->seconds, run_big, &w) &&
                    measure(&small, s->seconds, run_small, &w);
    transforms_close(&w);
    progress_end();
    if (!ok) {
        return complain("%s, N = %zu: a transform failed", gfp_field_name(field), n);
    }
    const double big_ns = predict(&of_big, big_units), small_ns = predict(&of_small, rival);
    fprintf(out,
            "| %s | %zu | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.3g | "
            "%.3g | %.4g | %.4g | %.3g | %.3g | %.3g | %.3g | %.3g |\n",
            gfp_field_name(field), n, f.radix_2, f.radix_2k, f.small_primes,
            counts_word_products(&of_big, gfp_field_k(field)), counts_additions(&of_big),
            counts_word_products(&of_small, gfp_field_k(field)), counts_moved(&of_big),
            big_ns / 1e6, big.min_ns / 1e6, big.spread, big.min_ns / big_ns, small_ns / 1e6,
            small.min_ns / 1e6, small.spread, small.min_ns / small_ns, f.radix_2k / f.small_primes,
            big_ns / small_ns, big.min_ns / small.min_ns);
    return true;
}

void write_transforms_head(FILE *out)
{
    fputs(
        "\n### Transforms of N points: the formulas of ISSAC 2017, counts, and times\n\n"
        "Formulas, leading terms with M(k) = k^2: (2) with K = 2, (3) with K = 2k, (4) by k "
        "primes of a word and the CRT. Counted: the transform of this library over Z/pZ "
        "(products of words and additions of digits), and 2k primes of half a word with "
        "projection and recombination (products).\n\n"
        "| field | N | (2) | (3) | (4) | big prime: products | additions | small primes: products "
        "| big prime: words moved | predicted, ms | measured, ms | spread, % | measured / "
        "predicted | small primes: predicted, ms | measured, ms | spread, % | measured / "
        "predicted | (3) / (4) | big / small, predicted | measured |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        out);
}

bool write_transforms(const paper *w, const gfp_field *field, const unit_costs *big)
{
    unit_costs rival;
    bool ok = time_rival(&w->s, field, &rival);

    for (size_t n = 256; n * gfp_field_k(field) <= MOST_DIGITS && ok; n *= 16) {
        if (!left_out(w, n)) {
            ok = write_transform(w->out, &w->s, field, big, &rival, n);
        }
    }
    return ok;
}
