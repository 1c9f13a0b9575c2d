/* gfpoly/gr.h: a field Z/pZ, p = r^k + 1, as a generic ring of FLINT (gr.h, 3.1 and later). The
 * algorithms of gr_poly, gr_mat and others then run over gfpoly's elements, products, middle
 * products, divisions, series and shifts, with FLINT 3.7 also gcds. Present only if gfpoly was
 * built with FLINT 3.1 or later. Programs link with the output of
 * `pkg-config --cflags --libs gfpoly-flint`.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GR_H
#define GFPOLY_GR_H

#include <gmp.h> /* before FLINT, whose headers do not include it from 3.7 on */

#include <flint/flint.h>
#include <flint/gr.h>

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

/* ctx := the ring of the field, which must outlive the ring, its elements and all rings over it.
 * Elements are k digits (gfpoly/elem.h) without memory of their own: gr_init makes 0, gr_clear does
 * nothing. Threads may share the ring. gr_ctx_clear ends it. Products of polynomials take as many
 * threads as gfp_field_set_threads allows; where memory runs out, they are GR_UNABLE. Errors:
 * VERSION (the headers of the caller, those of the library, or the loaded FLINT differ), ARGUMENT
 * (NULL). */
#define gfp_gr_ctx_init(ctx, field) gfp_gr_ctx_init_checked((ctx), (field), __FLINT_RELEASE)

GFP_API GFP_MUST_CHECK gfp_status gfp_gr_ctx_init_checked(gr_ctx_t ctx, const gfp_field *field,
                                                          int flint_release);

GFP_END_DECLS
#endif
