/* contract.h: checks of the conditions that internal functions put on their callers. GFP_VERIFY
 * builds (presets debug and asan-ubsan) stop at a broken contract; in other builds the checks
 * compile to nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_CONTRACT_H
#define GFP_FIELD_BASE_CONTRACT_H

#if GFP_VERIFY
/* Prints the place of a broken contract and aborts. A broken contract is a bug in gfpoly, or in the
 * way gfpoly is called; it is never bad input. */
void gfp_contract_broken(const char *file, int line, const char *condition);
#define GFP_CONTRACT(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            gfp_contract_broken(__FILE__, __LINE__, #condition);                                   \
        }                                                                                          \
    } while (0)
#else
#define GFP_CONTRACT(condition)                                                                    \
    do {                                                                                           \
    } while (0)
#endif

#endif
