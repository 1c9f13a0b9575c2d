/* contract.c: the end of a GFP_VERIFY build that caught a broken contract. This is the only file of
 * the library that may print and abort; in other builds the file is empty.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/contract.h"

#if GFP_VERIFY
#include <stdio.h>
#include <stdlib.h>

void gfp_contract_broken(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "%s:%d: contract broken: %s\n", file, line, condition);
    abort();
}
#else
typedef int gfp_contract_nothing; /* ISO C requires a declaration in every file */
#endif
