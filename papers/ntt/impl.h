/* impl.h: the inside of a plan for a word-size prime, and the table of kernels: one row per CPU
 * level and modular product. All rows come from the template forms.inc.
 *
 * Between enter and leave an array holds lazy residues in the representation of its kernels (words
 * below 4 q, or doubles).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_NTT_IMPL_H
#define PAPERS_NTT_IMPL_H

#include "field/base/cpu.h"
#include "gfpoly/ntt.h"
#include "field/base/task.h"

/* The modulus and constants of the kernels. */
typedef struct gfp_ntt_modulus {
    uint64_t q;
    uint64_t negative_inverse;  /* -1/q mod 2^64 */
    uint64_t montgomery_square; /* R^2 mod q for the R of these kernels; 0 for kernels without R */
    double inverse;             /* 1/q rounded */
} gfp_ntt_modulus;

/* Constants c_i, each as the two factors of the kernels: w[i] and companion[i]. */
typedef struct gfp_ntt_powers {
    uint64_t *w;
    uint64_t *companion;
} gfp_ntt_powers;

/* The data of a step: what its kernel reads of them is said there. y may equal x. */
typedef struct gfp_ntt_job {
    const gfp_ntt_modulus *modulus;
    uint64_t *y, *other;
    const uint64_t *x, *z;
    size_t n;
    const gfp_ntt_powers *table;
    bool tabulated; /* the kind of table: see dit */
    size_t g;       /* the block of a subtree: see blocked */
    size_t half;    /* inside forms.inc: the distance of a level's or step's operands, or the
                       points of a block */
    bool begun;     /* inside blocked.inc: the first pass of the block is done */
    double least;   /* the least units of a chunk of a step that threads share */
} gfp_ntt_job;

/* Does the items from <= i < to of a step. Items do not depend on each other. */
typedef void gfp_ntt_part(const gfp_ntt_job *job, size_t from, size_t to);
/* Does all items of a step by the threads of a task. units: the points of an item, times the levels
 * of butterflies through which they go (1 for other work). Returns false if the call is
 * cancelled. */
bool gfp_ntt_share(gfp_task *task, gfp_ntt_part *part, const gfp_ntt_job *job, size_t items,
                   double units);
/* The same; without a task the step is a single call. */
static inline bool gfp_ntt_step(gfp_task *task, gfp_ntt_part *part, const gfp_ntt_job *job,
                                size_t items, double units)
{
    if (task == NULL) {
        part(job, 0, items);
        return true;
    }
    return gfp_ntt_share(task, part, job, items, units);
}

/* Several steps; they return false if the call is cancelled. They change the job itself: loads
 * of a copy would wait for the stores that make it. */
typedef bool gfp_ntt_steps(gfp_ntt_job *job, gfp_task *task);

typedef struct gfp_ntt_kernels {
    gfp_level level;
    gfp_ntt_product product;
    unsigned bits;            /* q < 2^bits */
    unsigned lanes;           /* N >= 2 lanes; points of an item of enter, leave and mul */
    unsigned montgomery_bits; /* R = 2^montgomery_bits; 0: no such R */
    unsigned tile_bits;       /* of reorder */
    /* *w, *companion := the factors of c < q. */
    void (*encode)(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w, uint64_t *companion);
    /* y := x in the kernels' representation. */
    gfp_ntt_part *enter;
    /* y in place. leave: back to residues in [0, q). leave_scaled: also times entry 0 of table. */
    gfp_ntt_part *leave, *leave_scaled;
    /* y := x z, all in [0, q); y may equal x or z. */
    gfp_ntt_part *mul;
    /* y[bitrev(i)] := x[i] for all i < n, by tiles of 2^tile_bits rows: item i is the tiles of the
     * middle bits i of an index, and of their reverse. Fewer points than a tile are one item. */
    gfp_ntt_part *reorder;
    /* On y in place, between enter and leave. Not tabulated: table[i] = w_N^i, i < N/2. Tabulated:
     * table[h + i] = w_2h^i, i < h = 1, 2, 4, ..., N/2. dit: permuted order in, natural order out;
     * dif: natural order in, permuted order out. */
    gfp_ntt_steps *dit, *dif;
    /* From y to other, or to y if the number of moves between both is even. Both arrays are
     * overwritten. Steps of whole vectors are done two at a time, shorter steps one by one. The
     * powers are tabulated. */
    gfp_ntt_steps *stockham;
    /* The subtree of block g, with table[j] = w_N^bitrev(j). g = 0 is the transform of N points. g
     * = 1, with the table of w_2N, is that of a polynomial modulo X^N + 1. From x, residues in [0,
     * q) in natural order, to y, residues in [0, q) in permuted order. */
    gfp_ntt_steps *blocked;
    /* N times the inverse of blocked, with the table of inverse powers; leave_scaled must follow
     * for y. */
    gfp_ntt_steps *blocked_inverse;
} gfp_ntt_kernels;

#define GFP_NTT_ROWS_SCALAR 3
#define GFP_NTT_ROWS_AVX2 3
#define GFP_NTT_ROWS_AVX512 4

/* A row made from forms.inc; R = 2^r_bits, see montgomery_bits. */
#define GFP_NTT_ROW(name, which, max_bits, r_bits)                                                 \
    {                                                                                              \
        .level = NTT_LEVEL, .product = (which), .bits = (max_bits), .lanes = NTT_LANES,            \
        .montgomery_bits = (r_bits), .encode = name##_encode, .enter = name##_enter_all,           \
        .leave = name##_leave, .leave_scaled = name##_leave_scaled, .mul = name##_mul_all,         \
        .tile_bits = REORDER_BITS, .reorder = reorder, .dit = name##_dit, .dif = name##_dif,       \
        .stockham = name##_stockham, .blocked = name##_blocked,                                    \
        .blocked_inverse = name##_blocked_inverse                                                  \
    }

/* Among several rows of one product the row of fewer bits, which is faster, comes first. */
extern const gfp_ntt_kernels gfp_ntt_kernels_scalar[GFP_NTT_ROWS_SCALAR];
#if GFP_X86_LEVELS
extern const gfp_ntt_kernels gfp_ntt_kernels_avx2[GFP_NTT_ROWS_AVX2];
extern const gfp_ntt_kernels gfp_ntt_kernels_avx512[GFP_NTT_ROWS_AVX512];
#endif

/* Kernels may read this many words beyond the last entry of a table. */
#define GFP_NTT_PADDING 8

struct gfp_ntt_plan {
    gfp_allocator allocator;
    gfp_ntt_modulus modulus;
    const gfp_ntt_kernels *kernels;
    gfp_ntt_form form;
    size_t n;
    unsigned log2_n;
    bool negacyclic; /* 2N divides q - 1 */
    uint64_t root;   /* w_N */
    uint64_t theta;  /* w_2N if negacyclic, else 0 */
    /* The entries of each table: powers of the root, and powers of its inverse. */
    size_t entries;
    gfp_ntt_powers forward, inverse;
    /* The factors of 1/N. */
    uint64_t scale_words[2];
    gfp_ntt_powers scale;
    uint64_t *block; /* the block of all tables */
    long process;    /* gfp_parallel_process at its creation */
    double least;    /* as in gfp_ntt_job; tests may set it */
};

/* gfp_ntt_forward and gfp_ntt_inverse as parts of a task (may be NULL). work: the area of
 * gfp_ntt_workspace. They add gfp_ntt_units units of GFP_NTT_UNIT_COST. False: the call is
 * cancelled; the output is undefined then. */
bool gfp_ntt_run_forward(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order,
                         uint64_t *work, gfp_task *task);
bool gfp_ntt_run_inverse(const gfp_ntt_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order,
                         uint64_t *work, gfp_task *task);
double gfp_ntt_units(const gfp_ntt_plan *plan, bool inverse, gfp_order order);
/* A point goes through a level: half a product of words. */
#define GFP_NTT_UNIT_COST 0.5
/* Returns the number of threads, at most `threads`, that have enough to do. */
unsigned gfp_ntt_threads(const gfp_ntt_plan *plan, double units, unsigned threads);

/* y[bitrev(i)] := x[i] for all i < 2^log2_n, word by word; y may be x. */
void gfp_ntt_reorder_short(uint64_t *y, const uint64_t *x, unsigned log2_n);

#endif
