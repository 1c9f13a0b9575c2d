/* word_products.c: many products of polynomials, each modulo its own word, in one call: by the CPU
 * and, if there is one, by a GPU. Moduli are any words up to 2^63, prime or not.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

#define COUNT 64
#define LENGTH 500
#define PRODUCT (2 * LENGTH - 1)

typedef struct pairs {
    uint64_t a[COUNT * LENGTH], b[COUNT * LENGTH], q[COUNT];
    uint64_t c[COUNT * PRODUCT], again[COUNT * PRODUCT];
} pairs;

/* Moduli from 2^62 downwards, and factors of residues, by a linear congruential generator. */
static void fill(pairs *p)
{
    uint64_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        p->q[i] = ((uint64_t)1 << 62) - 2 * i - 1;
        for (size_t j = 0; j < LENGTH; j++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            p->a[i * LENGTH + j] = state % p->q[i];
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            p->b[i * LENGTH + j] = state % p->q[i];
        }
    }
}

/* c := all products by one call. Checks them by products at a time: again. */
static gfp_status multiply(gfp_zring *ring, pairs *p, const gfp_options *options, bool *equal)
{
    const gfp_wvec_products all = {p->c, p->a, p->b, LENGTH, LENGTH, p->q, COUNT};
    gfp_status status = gfp_wvec_mul_batch(ring, &all, options);
    for (size_t i = 0; i < COUNT && status == GFP_OK; i++) {
        status = gfp_wvec_mul(ring, p->again + i * PRODUCT, p->a + i * LENGTH, LENGTH,
                              p->b + i * LENGTH, LENGTH, p->q[i], NULL);
    }
    *equal = status == GFP_OK && memcmp(p->c, p->again, sizeof p->c) == 0;
    return status;
}

static int multiply_everywhere(gfp_zring *ring, pairs *p)
{
    static const char *const methods[] = {NULL, "words_gpu"};
    for (size_t i = 0; i < 2; i++) {
        gfp_error error = {.message = ""};
        gfp_report report = {.method = NULL};
        const gfp_options options = {.method = methods[i], .report = &report, .error = &error};
        bool equal;
        const gfp_status status = multiply(ring, p, &options, &equal);
        if (status == GFP_ERR_UNAVAILABLE && methods[i] != NULL) {
            printf("by a GPU: %s\n", error.message);
        } else if (status != GFP_OK || !equal) {
            fprintf(stderr, "word_products: %s\n",
                    status != GFP_OK ? error.message : "a product is wrong");
            return 1;
        } else {
            printf("%d products of %d by %d coefficients, each modulo its own word, by %s in "
                   "%.2f ms: right\n",
                   COUNT, LENGTH, LENGTH, report.method, (double)report.multiply_ns / 1e6);
        }
    }
    return 0;
}

int main(void)
{
    gfp_zring *ring = NULL;
    pairs *p = malloc(sizeof *p);
    int code = 1;
    if (p != NULL && gfp_zring_create(&ring, NULL, NULL) == GFP_OK) {
        fill(p);
        code = multiply_everywhere(ring, p);
    } else {
        fprintf(stderr, "word_products: no memory\n");
    }
    gfp_zring_destroy(ring);
    free(p);
    return code;
}
