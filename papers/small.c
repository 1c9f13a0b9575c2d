/* papers/small.c: see small.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "papers/small.h"
#include "bench/bench.h"
#include "field/base/word.h"
#include "fft/words/ntt.h"

/* Integers that are projected or recombined at once. */
#define CHUNK ((size_t)512)
/* Integers that are checked, if there are more. */
#define CHECKED 64

static uint64_t *aligned_words(size_t n)
{
    return aligned_alloc(64, (n * sizeof(uint64_t) + 64) / 64 * 64);
}

static gfp_words_size size_of(const small_primes *w)
{
    return (gfp_words_size){w->log2_n, false};
}

/* Makes the basis of w->blocks blocks. */
static bool open_basis(small_primes *w)
{
    const gfp_words **blocks = calloc(w->blocks, sizeof(void *));
    bool ok = blocks != NULL && gfp_words_supply_create(&w->supply, NULL) == GFP_OK;

    for (size_t i = 0; i < w->blocks && ok; i++) {
        ok = gfp_words_supply_block(w->supply, i, &blocks[i]) == GFP_OK;
    }
    ok = ok && gfp_words_basis_create(&w->basis, blocks, NULL, w->blocks, NULL) == GFP_OK;
    free(blocks);
    return ok;
}

static void fill_roots(small_primes *w)
{
    const gfp_level level = gfp_cpu_level_get();

    for (size_t i = 0; i < w->blocks; i++) {
        const gfp_words *block = gfp_words_basis_block(w->basis, i);
        uint64_t *roots = w->roots + i * w->root_words;
        if (w->form == GFP_NTT_BLOCKED) {
            gfp_words_ntt_get(level)->roots(block, roots, size_of(w));
        } else {
            gfp_forms_get(level)->powers(block, roots, w->log2_n, w->form);
        }
    }
}

bool small_open(small_primes *w, const gfp_field *field, size_t n, gfp_ntt_form form, uint64_t seed)
{
    const size_t bits = gfp_field_bits(field), k = gfp_field_k(field);
    gfp_random g;

    *w = (small_primes){.n = n, .form = form, .log2_n = gfp_ctz64(n), .limbs = bits / 64 + 1};
    /* Primes exceed 2^49.9. */
    w->blocks = (bits + 1) * 10 / (GFP_WORDS * 499) + 1;
    if (!open_basis(w)) {
        return false;
    }
    w->width = gfp_words_basis_limbs(w->basis);
    w->root_words = form == GFP_NTT_BLOCKED ? gfp_words_root_words(size_of(w))
                                            : GFP_WORDS * gfp_forms_entries(w->log2_n, form);
    const size_t project = gfp_words_project_words(w->basis, w->limbs, CHUNK);
    const size_t recombine = gfp_words_recombine_words(w->basis, w->width, CHUNK);
    const size_t work = project > recombine ? project : recombine, points = n * GFP_WORDS;
    uint64_t *digits = malloc(n * k * sizeof *digits);
    w->x = aligned_words(n * w->limbs);
    w->integers = aligned_words(n * w->width);
    w->residues = aligned_words(w->blocks * points);
    w->roots = aligned_words(w->blocks * w->root_words);
    w->work = aligned_words(work > points ? work : points);
    const bool ok = digits != NULL && w->x != NULL && w->integers != NULL && w->residues != NULL &&
                    w->roots != NULL && w->work != NULL;
    if (ok) {
        gfp_random_seed(&g, seed);
        gfp_vec_random(field, digits, n, &g);
        memset(w->x, 0, n * w->limbs * sizeof *w->x);
        gfp_vec_get_limbs(field, w->x, w->limbs, digits, n);
        fill_roots(w);
    }
    free(digits);
    return ok;
}

void small_close(small_primes *w)
{
    gfp_words_basis_destroy(w->basis);
    gfp_words_supply_destroy(w->supply);
    free(w->x);
    free(w->integers);
    free(w->residues);
    free(w->roots);
    free(w->work);
}

bool small_project(void *context)
{
    small_primes *w = context;
    const gfp_level level = gfp_cpu_level_get();

    for (size_t i = 0; i < w->n; i += CHUNK) {
        const size_t count = w->n - i < CHUNK ? w->n - i : CHUNK;
        const gfp_words_residues to = {
            w->basis, level, 0, w->blocks, w->residues + i * GFP_WORDS, w->n * GFP_WORDS};
        gfp_words_project(&to, w->x + i * w->limbs, w->limbs, count, w->work);
    }
    return true;
}

bool small_transform(void *context)
{
    small_primes *w = context;
    const gfp_level level = gfp_cpu_level_get();

    for (size_t i = 0; i < w->blocks; i++) {
        const gfp_words *block = gfp_words_basis_block(w->basis, i);
        uint64_t *x = w->residues + i * w->n * GFP_WORDS;
        const uint64_t *roots = w->roots + i * w->root_words;
        if (w->form == GFP_NTT_BLOCKED) {
            gfp_words_ntt_get(level)->forward(block, roots, x, w->n, size_of(w), NULL);
        } else {
            gfp_forms_get(level)->transform(block, roots, x, w->work, w->log2_n, w->form);
        }
    }
    return true;
}

bool small_recombine(void *context)
{
    small_primes *w = context;

    for (size_t i = 0; i < w->n; i += CHUNK) {
        const size_t count = w->n - i < CHUNK ? w->n - i : CHUNK;
        gfp_words_recombine(w->basis, gfp_cpu_level_get(), w->integers + i * w->width, w->width,
                            w->residues + i * GFP_WORDS, w->n * GFP_WORDS, count, w->work);
    }
    return true;
}

/* ---- checks ---- */

/* The residue of an integer in two's complement. */
static uint64_t residue_of(const uint64_t *x, size_t n, uint64_t q)
{
    const uint64_t low = mpn_mod_1(x, (mp_size_t)n, q);
    const uint64_t excess = gfp_mod_pow(2, 64 * n, q);

    return x[n - 1] >> 63 == 0 ? low : (low + q - excess) % q;
}

/* Whether integers of `limbs` words have these residues, the last one included; without a sign if
 * they are those of x. */
static bool have_residues(const small_primes *w, const uint64_t *x, size_t limbs, bool is_signed)
{
    const size_t step = w->n > CHECKED ? w->n / CHECKED : 1;
    bool right = true;

    for (size_t j = w->n - 1, i = 0; i < w->n && right; i += step, j -= j < step ? j : step) {
        for (size_t b = 0; b < w->blocks; b++) {
            const gfp_words *block = gfp_words_basis_block(w->basis, b);
            const uint64_t *y = w->residues + (b * w->n + j) * GFP_WORDS;
            for (size_t l = 0; l < GFP_WORDS; l++) {
                const uint64_t q = block->q[l];
                right =
                    right && y[l] == (is_signed ? residue_of(x + j * limbs, limbs, q)
                                                : mpn_mod_1(x + j * limbs, (mp_size_t)limbs, q));
            }
        }
    }
    return right;
}

/* Whether y, a transform of x modulo the last block, has the right values at places 0, 1 and n - 2.
 */
static bool has_values(const small_primes *w, const uint64_t *y, const uint64_t *x)
{
    const gfp_words *block = gfp_words_basis_block(w->basis, w->blocks - 1);
    const size_t places[] = {0, 1, w->n - 2};

    for (size_t i = 0; i < 3 * GFP_WORDS; i++) {
        const size_t place = places[i / GFP_WORDS], l = i % GFP_WORDS;
        const uint64_t q = block->q[l];
        const uint64_t root =
            gfp_mod_pow(block->root[l], place << (GFP_WORDS_LOG2_ORDER - w->log2_n), q);
        uint64_t value = 0;
        for (size_t j = w->n; j-- > 0;) {
            value = (gfp_mod_mul(value, root, q) + x[j * GFP_WORDS + l]) % q;
        }
        if (y[place * GFP_WORDS + l] != value) {
            return false;
        }
    }
    return true;
}

/* Whether the library's way back from y, a transform modulo the last block, gives x: by the product
 * with 1. one: room for a polynomial. */
static bool comes_back(const small_primes *w, uint64_t *y, const uint64_t *x, uint64_t *one)
{
    const gfp_words_ntt *ntt = gfp_words_ntt_get(gfp_cpu_level_get());
    const gfp_words *block = gfp_words_basis_block(w->basis, w->blocks - 1);
    const uint64_t *roots = w->roots + (w->blocks - 1) * w->root_words;

    for (size_t l = 0; l < GFP_WORDS; l++) {
        one[l] = 1;
    }
    ntt->forward(block, roots, one, 1, size_of(w), NULL);
    ntt->multiply(block, roots, y, one, size_of(w), NULL);
    ntt->inverse(block, roots, y, size_of(w), NULL);
    return memcmp(y, x, w->n * GFP_WORDS * sizeof *x) == 0;
}

bool small_check(small_primes *w)
{
    const size_t points = w->n * GFP_WORDS;
    uint64_t *last = w->residues + (w->blocks - 1) * points;
    uint64_t *before = aligned_words(points);
    bool ok = before != NULL && small_project(w) && have_residues(w, w->x, w->limbs, false);

    if (ok) {
        memcpy(before, last, points * sizeof *last);
        ok = small_transform(w) && (w->form == GFP_NTT_BLOCKED || has_values(w, last, before));
    }
    if (ok && w->form == GFP_NTT_BLOCKED) {
        /* Transforms of the library are forms of its own: the way back first. */
        ok = comes_back(w, last, before, w->work);
    }
    free(before);
    return ok && small_project(w) && small_recombine(w) &&
           have_residues(w, w->integers, w->width, true);
}
