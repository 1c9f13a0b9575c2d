/* gfpoly/operand.h: operands: polynomials that are transformed once and used many times, with
 * products, sums and differences of transforms, and one inverse transform for a whole sum of
 * products. For matrices and vectors of polynomials, product trees, Newton's iteration.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_OPERAND_H
#define GFPOLY_OPERAND_H

#include "gfpoly/elem.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* ---- spaces ---- */

/* How products treat coefficients beyond the space's length. */
typedef enum gfp_wrap {
    GFP_WRAP_LINEAR = 0, /* longer products are an error (SIZE) */
    GFP_WRAP_CYCLIC,     /* they wrap around, modulo X^L - 1, L the space's length */
    GFP_WRAP_NEGACYCLIC  /* modulo X^L + 1; hybrid alone has such operands */
} gfp_wrap;

typedef struct gfp_space_spec {
    size_t length; /* the most coefficients of a product: len_a + len_b - 1; at least 1 */
    size_t terms;  /* the usual number of products in a sum; at least 1 */
    gfp_wrap wrap;
} gfp_space_spec;

/* A space: field, method, length, tables and points of verification that its operands share. A
 * space does not change; threads may share it. Its memory is freed once gfp_space_destroy was
 * called and its last operand is destroyed, in any order. The field must outlive the space.
 *
 * Bounds. bigfft computes in Z/pZ and has no bounds. hybrid and crt compute with integers modulo a
 * few primes, whose product bounds sums; each operand tracks its own size. An operand or a sum that
 * would exceed the bound is first converted to reduced coefficients, for about half the cost of a
 * product. Results are always right. They are fastest if at most `terms` products of operands fresh
 * from coefficients are added up, and products are not multiplied again.
 *
 * GPU. With bigfft_gpu, hybrid_gpu and multimodular_gpu an operand has its coefficients on the host
 * and its transform on the device. The first product with the operand as b makes the transform;
 * changing the operand destroys it. These methods are meant for gfp_poly_mul_operand. The other
 * calls are correct too, but each product costs as much as gfp_poly_mul_operand, transfers
 * included, and sums are sums of coefficients. Sums have no bounds; products cannot wrap around.
 * The space has a context, a plan and buffers on the device; one thread uses them at a time, other
 * threads wait. So gfp_progress is called before and after a product on the device, not during it.
 * If the chooser picked the method and the GPU fails, the CPU computes instead, and the report has
 * the reason: gfp_space_create then picks a method of the CPU; a later call multiplies the
 * coefficients on the CPU, and the next call tries the GPU again. If options name the method, its
 * failure is the call's status.
 *
 * Verification. With options->verify = POINT at the space's creation, each operand carries the
 * values of its polynomial at random points, as many points as for a product, through products and
 * sums. Calls that return coefficients (gfp_poly_from_operand, gfp_poly_dot_operands,
 * gfp_poly_mul_operand) compute all coefficients and compare them with these values; VERIFY if they
 * differ. UNAVAILABLE: CROSS, products that wrap around, and fields with too few points. */
typedef struct gfp_space gfp_space;

/* *s := a space over field. options->method: NULL or "auto", "hybrid", "bigfft", "crt", or a method
 * on a GPU. Errors: ARGUMENT (length or terms 0), UNKNOWN (method), UNAVAILABLE (the method has no
 * such operands; the field has no root of unity of the order needed; no GPU; verification, see
 * above), SIZE, MEMORY, DEVICE. *s is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_space_create(gfp_space **s, const gfp_field *field,
                                                   const gfp_space_spec *spec,
                                                   const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_space_destroy(gfp_space *s);
typedef struct gfp_space_info {
    const char *method; /* "hybrid", "bigfft", "crt", or the method on a GPU */
    size_t length;      /* coefficients that an operand can hold; at least the length requested */
} gfp_space_info;
/* Returns what the space was made for. */
GFP_API gfp_space_info gfp_space_get_info(const gfp_space *s);

/* ---- operands ---- */

/* A polynomial over Z/pZ in a space, held as its transform. Any number of threads may read an
 * operand that no thread changes. A function changes its output, which may also be an input, and
 * nothing else. A call may use several threads (see the options); results do not depend on their
 * number. */
typedef struct gfp_operand gfp_operand;

/* *x := 0. Errors: ARGUMENT (NULL), SIZE, MEMORY; *x is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_create(gfp_operand **x, gfp_space *s);
/* NULL is allowed. */
GFP_API void gfp_operand_destroy(gfp_operand *x);
/* Bytes that the operand holds, without its space. hybrid with three primes: 24 k length or a
 * little more; bigfft: 8 k length; crt: length / 3 times the bits of p, or a little more; on a GPU
 * as many as bigfft, and the transform on the device. */
GFP_API size_t gfp_operand_bytes(const gfp_operand *x);

/* What gfp_operand_arith computes. */
typedef enum gfp_operand_operation {
    GFP_OPERAND_ADD = 0, /* c := a + b */
    GFP_OPERAND_SUB,     /* c := a - b */
    GFP_OPERAND_MUL,     /* c := a b */
    GFP_OPERAND_ADDMUL,  /* c := c + a b */
    GFP_OPERAND_SUBMUL   /* c := c - a b */
} gfp_operand_operation;

/* Changes c as `operation` says. Errors: FIELD_MISMATCH; ARGUMENT (operands of different spaces; no
 * such operation); SIZE (the product is longer than the space and does not wrap around); MEMORY;
 * DEVICE. c is unchanged then. Cost of products: about 0.2 of gfp_poly_mul, and 0.5 more for each
 * operand that must first be converted to reduced coefficients. The call does not call
 * gfp_progress; its threads and memory_cap are those of the space's creation. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_arith(gfp_operand *c, const gfp_operand *a,
                                                    const gfp_operand *b,
                                                    gfp_operand_operation operation);

GFP_END_DECLS
#endif
