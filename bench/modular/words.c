/* bench/modular/words.c: integers and their residues modulo word-size primes
 * (crt/blocks/remainders.h): for products of polynomials, projection of two factors and
 * reconstruction of a product, in nanoseconds per term and bit of M; for one long number, also the
 * supply of primes and the tables, in nanoseconds per bit.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "field/base/support.h"
#include "crt/blocks/remainders.h"

/* Terms of a factor, and the bits from which one number is measured instead. */
#define TERMS 512
#define LONG_BITS 50000

typedef struct job {
    gfp_words_supply *supply;
    const gfp_words **blocks;
    uint8_t *use;
    size_t count; /* blocks */
    gfp_words_basis *basis;
    gfp_level level;
    bool single;          /* one number */
    size_t n;             /* numbers */
    size_t width, narrow; /* limbs of the results and of the inputs */
    size_t step;
    uint64_t *x, *z, *c, *work;
} job;

static bool run_supply(void *context)
{
    job *w = context;
    gfp_words_supply *supply;
    const gfp_words *block;
    if (gfp_words_supply_create(&supply, NULL) != GFP_OK) {
        return complain("no memory");
    }
    const bool ok = gfp_words_supply_block(supply, w->count - 1, &block) == GFP_OK;
    for (size_t j = 0; ok && j < w->count; j++) {
        (void)gfp_words_supply_block(supply, j, &w->blocks[j]);
    }
    gfp_words_supply_destroy(w->supply);
    w->supply = supply;
    return ok || complain("too many primes");
}

static bool run_basis(void *context)
{
    job *w = context;
    gfp_words_basis_destroy(w->basis);
    w->basis = NULL;
    /* close_job frees what open_job allocated. NOLINTBEGIN(clang-analyzer-unix.Malloc) */
    const gfp_status status =
        w->single ? gfp_words_basis_create_few(&w->basis, w->blocks, w->use, w->count, NULL)
                  : gfp_words_basis_create(&w->basis, w->blocks, w->use, w->count, NULL);
    /* NOLINTEND(clang-analyzer-unix.Malloc) */
    return status == GFP_OK || complain("no memory");
}

static bool run_project(void *context)
{
    const job *w = context;
    gfp_words_project(&(gfp_words_residues){w->basis, w->level, 0, w->count, w->z, w->step}, w->x,
                      w->narrow, w->n, w->work);
    return true;
}

static bool run_recombine(void *context)
{
    const job *w = context;
    gfp_words_recombine(w->basis, w->level, w->c, w->width, w->z, w->step, w->n, w->work);
    return true;
}

static void close_job(job *w)
{
    gfp_words_basis_destroy(w->basis);
    gfp_words_supply_destroy(w->supply);
    free(w->blocks);
    free(w->use);
    free(w->x);
    free(w->z);
    free(w->c);
    free(w->work);
}

/* Makes the primes that `bits` need, each a little less than 50 bits. */
static bool open_job(job *w, size_t bits)
{
    const size_t primes = bits / GFP_WORDS_BITS + 1;
    w->count = (primes + GFP_WORDS - 1) / GFP_WORDS;
    w->blocks = calloc(w->count, sizeof *w->blocks); // NOLINT(bugprone-sizeof-expression)
    w->use = malloc(w->count);
    if (w->blocks == NULL || w->use == NULL) {
        return complain("no memory");
    }
    memset(w->use, 0xff, w->count);
    w->use[w->count - 1] = (uint8_t)(0xffu >> (w->count * GFP_WORDS - primes));
    w->single = bits >= LONG_BITS;
    if (!run_supply(w) || !run_basis(w)) {
        return false;
    }
    w->level = gfp_cpu_level_get();
    w->n = w->single ? 1 : (size_t)2 * TERMS;
    w->width = gfp_words_basis_limbs(w->basis);
    w->narrow = w->single ? w->width : (bits + 127) / 128;
    w->step = (w->n + 1) * GFP_WORDS;
    const size_t project = gfp_words_project_words(w->basis, w->narrow, w->n);
    const size_t recombine = gfp_words_recombine_words(w->basis, w->width, w->n);
    w->x = malloc(w->n * w->narrow * sizeof *w->x);
    w->z = malloc(w->count * w->step * sizeof *w->z);
    w->c = malloc(w->n * w->width * sizeof *w->c);
    const size_t work = project > recombine ? project : recombine;
    w->work = aligned_alloc(64, (work * sizeof *w->work + 63) / 64 * 64);
    return (w->x != NULL && w->z != NULL && w->c != NULL && w->work != NULL) ||
           complain("no memory");
}

/* Whether the numbers come back. */
static bool words_agrees(job *w, uint64_t seed)
{
    gfp_random random;
    gfp_random_seed(&random, seed);
    for (size_t i = 0; i < w->n * w->narrow; i++) {
        /* Below M / 2: the top bits are those of the sign. */
        const unsigned shift = w->narrow == w->width && (i + 1) % w->narrow == 0 ? 63 : 0;
        w->x[i] = (uint64_t)((int64_t)gfp_random_u64(&random) >> shift);
    }
    if (!run_project(w) || !run_recombine(w)) {
        return false;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (memcmp(w->c + i * w->width, w->x + i * w->narrow, w->narrow * sizeof *w->x) != 0) {
            return complain("number %zu does not come back from its residues", i);
        }
    }
    return true;
}

static bool bench_step(const settings *s, job *w, size_t bits, const char *name,
                       bool (*body)(void *context), report *r)
{
    char label[40];
    const timed_row f = {.section = "words",
                         .field = "-",
                         .name = name,
                         .len_a = bits,
                         .per = (double)bits * (w->single ? 1 : TERMS)};
    const record *x = take_timed_row(s, r, &f, body, w);
    if (x != NULL) {
        (void)snprintf(label, sizeof label, "%zu %s", bits, name);
        printf("  %-30s", label);
        print_timing(&x->time, 1);
        putchar('\n');
    }
    return x != NULL;
}

static bool bench_bits(const settings *s, size_t bits, report *r)
{
    job w = {.supply = NULL};
    bool ok = open_job(&w, bits) && words_agrees(&w, s->seed);
    if (ok && w.single) {
        ok = bench_step(s, &w, bits, "supply", run_supply, r) &&
             bench_step(s, &w, bits, "tables", run_basis, r);
    }
    ok = ok && bench_step(s, &w, bits, "project", run_project, r) &&
         bench_step(s, &w, bits, "reconstruct", run_recombine, r);
    close_job(&w);
    return ok;
}

bool bench_words(const settings *s, report *r)
{
    printf("word-size primes, %s: per term and bit (2 inputs of half the bits, 2 outputs), from %d "
           "bits per bit of one number\n",
           gfp_cpu_level_name(gfp_cpu_level_get()), LONG_BITS);
    print_head("bits", "ns");
    for (size_t i = 0; i < s->length_count; i++) {
        if (!bench_bits(s, s->lengths[i], r)) {
            return false;
        }
    }
    return true;
}
