/* ntt.cuh: the inside of a plan of gfpoly/gpu_papers.h for word-size primes: a plan of gpu/,
 * which has the primes and, in the blocked form, the transforms; and a table of the papers' forms,
 * a row per modular product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_GPU_NTT_CUH
#define PAPERS_GPU_NTT_CUH

#include "gpu/cuda/transform/ntt.h"
#include "papers/gpu/steps.cuh"
#include "papers/gpu/backend.h"

struct gfp_papers_ntt_row;

typedef struct gfp_papers_ntt : gfp_gpu_ntt_plan {
    gfp_cuda_ntt_plan *ntt; /* the primes; in the papers' forms also their tables and work space */
    unsigned log2_n;
    unsigned bits; /* the primes are below 2^bits: 31, or in the library's form 50 or 62 */
    bool packed;
    bool convolutions;
    gfp_ntt_form form;
    const struct gfp_papers_ntt_row *row; /* the row of the product */
    uint64_t *area[2];                    /* plan->words words each, for convolutions */
    gfp_gpu_clock clock;                  /* used if the plan is timed */
} gfp_papers_ntt;

/* The papers' forms with one product. Rows validate nothing: y and x are equal or
 * disjoint, n >= 2. */
typedef struct gfp_papers_ntt_row {
    unsigned bits; /* q < 2^bits */
    /* Fills tables and work of plan->ntt. After a failure, destroying the plan releases what was
     * allocated. */
    gfp_status (*create)(gfp_papers_ntt *plan);
    /* y := the DFT, or its inverse, of x, in natural order. */
    gfp_status (*run)(gfp_papers_ntt *plan, void *y, const void *x, bool inverse);
    /* z := x c[i], residue by residue, for every prime i; c is on the host. Serves any form. */
    gfp_status (*scale)(gfp_papers_ntt *plan, void *z, const void *x, const uint64_t *c);
} gfp_papers_ntt_row;

/* By gfp_gpu_ntt_product. */
#define GFP_PAPERS_NTT_ROWS 2
extern const gfp_papers_ntt_row gfp_papers_ntt_rows[GFP_PAPERS_NTT_ROWS];
/* The steps that rows time. */
enum {
    GFP_PAPERS_NTT_CONVERT,
    GFP_PAPERS_NTT_PERMUTATION,
    GFP_PAPERS_NTT_BASE,
    GFP_PAPERS_NTT_TWIDDLE,
    GFP_PAPERS_NTT_BUTTERFLY,
    GFP_PAPERS_NTT_STEPS
};

#endif
