/* choice.h: the method of a gcd or resultant over Z, by predicted times; plans, which say why; and
 * FLINT's functions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_CHOICE_H
#define GFP_MODULAR_CHOICE_H

#include "gfpoly/zplan.h"

#include "modular/call.h"

/* Operands of gcds (modular/gcd/impl.h) and of resultants (modular/resultant/impl.h). */
typedef struct gfp_zoperands gfp_zoperands;
typedef struct gfp_zpair gfp_zpair;

/* The methods with the least predicted time. */
gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair);
/* Reads the operands and their bits. *len_g := the length of their gcd modulo one prime, or 1 by
 * values, where this costs little: 1 proves that they are coprime; 0: not known. */
gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p, size_t *len_g);
/* The method to go on with after the images modulo the first block, which show a gcd of this
 * length: "words", or one whose whole time is less than what is left of theirs. */
gfp_zmethod gfp_zchoose_again(const gfp_zcall *call, const gfp_zoperands *p, size_t len_g);

/* Whether FLINT is built in, and the one that is loaded fits. */
bool gfp_zflint_is_there(void);

/* Fill the rows of a plan, the pick and its reason. */
void gfp_zplan_resultant(gfp_zplan *plan, const gfp_zcall *call, const gfp_zpair *pair);
void gfp_zplan_gcd(gfp_zplan *plan, const gfp_zcall *call, const gfp_zoperands *p);

#endif
