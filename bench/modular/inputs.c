/* bench/modular/inputs.c: see inputs.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bench/modular/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/inputs.h"
#include "fft/words/primes.h"

void must(gfp_status status, const char *what)
{
    if (status != GFP_OK) {
        complain("%s: %s", what, gfp_status_string(status));
        exit(1);
    }
}

void *allocate(size_t words)
{
    void *x = aligned_alloc(64, (words + 8) / 8 * 64);
    must(x == NULL ? GFP_ERR_MEMORY : GFP_OK, "input");
    return x;
}

size_t log_uniform(gfp_random *g, size_t least, size_t most)
{
    const double u = (double)(gfp_random_u64(g) >> 11) / 9007199254740992.0; /* 2^53 */
    const size_t n = (size_t)((double)least * exp2(u * log2(((double)most + 1) / (double)least)));
    return n < least ? least : n > most ? most : n;
}

void fill_random(gfp_zvec *a, size_t n, size_t bits, gfp_random *g)
{
    must(draw_integers(a, n, bits, g), "input");
}

void draw_pair(gfp_zvec *a, gfp_zvec *b, gfp_zvec *z, size_t degree, size_t bits, bool common,
               gfp_random *g)
{
    must(draw_integer_pair(a, b, z, degree, bits, common, g), "operands");
}

void make_block(gfp_words *block)
{
    uint64_t q[GFP_WORDS], below = UINT64_C(1) << GFP_WORDS_BITS;
    for (unsigned i = 0; i < GFP_WORDS; i++, below = q[i - 1]) {
        must(gfp_word_prime_below(&q[i], below, GFP_WORDS_LOG2_ORDER), "primes");
    }
    gfp_words_fill(block, q);
}

uint64_t *draw_residues(const gfp_words *block, size_t n, gfp_random *g)
{
    uint64_t *x = allocate(GFP_WORDS * n);
    for (size_t i = 0; i < GFP_WORDS * n; i++) {
        x[i] = gfp_random_u64(g) % block->q[i % GFP_WORDS];
    }
    return x;
}

gfp_status run_operation(zoperation operation, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                         const gfp_options *options)
{
    gfp_options one = *options;
    one.threads = 1;
    return call_over_z(operation, c, a, b, &one);
}

bool find_operation(zoperation *operation, const char *name)
{
    for (unsigned i = 0; i < Z_OPERATIONS; i++) {
        if (strcmp(zoperation_names[i], name) == 0) {
            *operation = (zoperation)i;
            return true;
        }
    }
    return false;
}

double least_ns(const settings *s, bool (*run)(void *context), void *context)
{
    timing t;
    must(run(context) && measure(&t, s->seconds, run, context) ? GFP_OK : GFP_ERR_MEMORY, "call");
    return t.min_ns;
}
