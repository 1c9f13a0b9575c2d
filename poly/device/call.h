/* call.h: public calls on a device, described by their arguments, a computation and a check. One
 * function runs them: it reads the options, checks the arguments, holds the caps, checks the
 * results as the options say, and writes the outputs after the last step that can fail, a failure
 * of the device apart. Outputs may be inputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_DEVICE_CALL_H
#define GFP_POLY_DEVICE_CALL_H

#include "field/base/call.h"
#include "field/base/support.h"
#include "poly/device/type.h"

/* A call that runs. Its arrays on the host are those of the base. */
struct gfp_gpu_operation {
    gfp_call base;
    gfp_gpu_ring *ring;
    gfp_gpu_operation *outer; /* the ring's operation before */
    size_t device_cap;        /* the context's cap before */
    gfp_error device_error;   /* the context's last error before */
    bool apart;               /* results are kept apart from outputs until they are checked */
    double claims;            /* that the call's checks prove */
    uint64_t seed;            /* of checks */
};

#define GFP_GPU_CALL_OUTPUTS 2
#define GFP_GPU_CALL_INPUTS 2
#define GFP_GPU_CALL_ARRAYS 3

/* n elements at the beginning of an array. */
typedef struct gfp_gpu_call_array {
    const gfp_gpu_array *x;
    size_t n;
    const char *name; /* for messages */
} gfp_gpu_call_array;

typedef struct gfp_gpu_call gfp_gpu_call;
struct gfp_gpu_call {
    const char *name;
    gfp_gpu_ring *ring; /* whose plans and work arrays serve; NULL: the first polynomial's */
    gfp_gpu_poly *output[GFP_GPU_CALL_OUTPUTS]; /* different polynomials */
    const gfp_gpu_poly *input[GFP_GPU_CALL_INPUTS];
    gfp_gpu_call_array array[GFP_GPU_CALL_ARRAYS];
    unsigned outputs, inputs, arrays;
    double claims;   /* of the check; 0 counts as 1 */
    bool own_checks; /* compute checks what it computes, as the options say */
    size_t first, n; /* numbers, elements on the host, and what else the computation takes */
    const uint64_t *x, *y;
    void *own;
    /* z[i] := the result i, 0 so far: its array is the output's, if `apart` allows, the spare array
     * of the ring, or another one, which is copied. Calls without a check write results of other
     * kinds themselves. */
    gfp_status (*compute)(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w);
    /* NULL: there is nothing to check. Errors: VERIFY. */
    gfp_status (*check)(gfp_gpu_operation *op, const gfp_gpu_poly *z, const gfp_gpu_call *w);
    /* Writes results of other kinds; or NULL. Errors: DEVICE. */
    gfp_status (*deliver)(gfp_gpu_operation *op, const gfp_gpu_call *w);
};

gfp_status gfp_gpu_call_run(const gfp_gpu_call *w, const gfp_options *options);
/* ARGUMENT: the reason why a call of this name cannot begin. */
gfp_status gfp_gpu_call_refuse(const char *name, const char *reason, const gfp_options *options);

/* The parts of the frame, for tests of checks: begin, start over a ring, end
 * with a status, which is returned. A call that was not begun is not ended. */
gfp_status gfp_gpu_operation_begin(gfp_gpu_operation *op, const char *name,
                                   const gfp_options *options);
gfp_status gfp_gpu_operation_start(gfp_gpu_operation *op, gfp_gpu_ring *ring, bool checked,
                                   double claims);
gfp_status gfp_gpu_operation_end(gfp_gpu_operation *op, gfp_status status);
/* Whether the call checks its results. */
static inline bool gfp_gpu_operation_checks(const gfp_gpu_operation *op)
{
    return op->base.options->verify != GFP_VERIFY_NONE;
}

/* ---- verify.c: checks ---- */

/* Residues modulo X^block - d for random d, at `points` of them. */
typedef struct gfp_gpu_residues {
    unsigned points;
    size_t block;
    int log2_error; /* of all claims together */
} gfp_gpu_residues;
/* Chooses the least number of points, then the shortest blocks, that suffice for this number of
 * claims on polynomials of at most len coefficients; but rather another point than blocks that take
 * the CPU longer. Returns false if none do. */
bool gfp_gpu_residues_choose(gfp_gpu_residues *w, const gfp_field *field, size_t len,
                             double claims);
/* z := x y modulo X^j - d, all of j elements on the host; z is apart from x and y. */
gfp_status gfp_gpu_residues_multiply(const gfp_gpu_ring *ring, uint64_t *z, const uint64_t *x,
                                     const uint64_t *y, size_t j, uint64_t d);

/* Begins a check at random elements of the field, where a wrong result passes at an element with
 * probability at most bound / p, of the call's claims: *points := the least number of elements that
 * suffices, and g for them. Errors: UNAVAILABLE (p is too small). */
gfp_status gfp_gpu_check_begin(gfp_gpu_operation *op, double log2_bound, unsigned *points,
                               gfp_random *g);
/* The report's number of points becomes at least this one. */
void gfp_gpu_check_count(gfp_gpu_operation *op, unsigned points);

/* Identities that random elements decide: the check at one of them returns VERIFY, or
 * NOT_INVERTIBLE where the element cannot serve, and another one is drawn. */
typedef gfp_status gfp_gpu_check_at(const void *what, const uint64_t *t);
gfp_status gfp_gpu_check_elementwise(gfp_gpu_operation *op, double log2_bound,
                                     gfp_gpu_check_at *check, const void *what);

/* c = a b, or c = a b + r if r is not NULL; r of fewer terms than b unless a is not 0. division: a
 * and r are results, else c. Checked modulo X^j - d, j <= 1024 a power of two, d random in S: a
 * wrong result passes with probability <= (floor((len - 1) / j) / |S|)^points. */
gfp_status gfp_gpu_check_product(gfp_gpu_operation *op, const gfp_gpu_poly *c,
                                 const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                 const gfp_gpu_poly *r, bool division);
/* For each pair: row i of c, len_c elements and zeros behind them, is the n coefficients of a_i b_i
 * from `first` on. The products are computed again, whole, and checked row by row. */
gfp_status gfp_gpu_check_rows(gfp_gpu_operation *op, const gfp_gpu_rows *c, size_t len_c,
                              const gfp_gpu_pairs *pairs, size_t first, size_t n);

/* Of other files, for results of calls: gcd.c: rows are the gcds, or the resultants, of all pairs.
 * Claims of the call are the pairs. */
gfp_status gfp_gpu_check_euclid(gfp_gpu_operation *op, const gfp_gpu_rows *results,
                                const gfp_gpu_pairs *pairs, bool resultants);
/* inverse.c: z_i x_i = 1, i < n, exactly. */
gfp_status gfp_gpu_check_inverses(gfp_gpu_operation *op, const gfp_gpu_array *z,
                                  const gfp_gpu_array *x, size_t n);
/* shift.c: b(X) = a(X + c): b(x) = a(x + c) at random elements x. A wrong b of up to n terms passes
 * with probability at most ((n - 1) / p)^points. */
gfp_status gfp_gpu_check_shift(gfp_gpu_operation *op, const gfp_gpu_poly *b, const gfp_gpu_poly *a,
                               const uint64_t *c);
/* geometric.c: f(start ratio^i) = values_i, i < n. Values or an f that are wrong pass at an element
 * with probability at most (n - 1) / (p - len); an f of more than n terms has these values for
 * other f, too. */
gfp_status gfp_gpu_check_progression(gfp_gpu_operation *op, const gfp_gpu_poly *f,
                                     const gfp_gpu_array *values, const uint64_t *start,
                                     const uint64_t *ratio, size_t n);

#endif
