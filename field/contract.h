/* contract.h: checks of what internal functions demand of their callers. GFP_VERIFY builds (presets
 * debug and asan-ubsan) stop at a broken contract; other builds compile nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CONTRACT_H
#define GFP_CONTRACT_H

#if GFP_VERIFY
/* Says where and aborts: a bug in gfpoly, or in how it is called; never bad input. */
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
