/* tunings.h: tunings with chosen times, and files of them, for tests.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_TUNINGS_H
#define GFP_TESTS_LAB_TUNINGS_H

#include <stdio.h>

#include "gfpoly/tuning.h"
#include "product/choose/tuning.h"

/* Enters the time of products of two factors of this length by one thread. */
static inline gfp_status lab_tuning_set(gfp_tuning *tuning, const gfp_field *field, uint64_t len,
                                        const char *method, double ns)
{
    const gfp_tuning_row row = {.k = gfp_field_k(field), .r = gfp_field_r(field), .len = len};
    return gfp_tuning_set_row(tuning, &row, method, ns);
}

/* Writes the file at path. */
static inline gfp_status lab_tuning_save(const gfp_tuning *tuning, const char *path)
{
    FILE *stream = fopen(path, "wb");
    if (stream == NULL) {
        return GFP_ERR_IO;
    }
    const gfp_status status = gfp_tuning_fwrite(tuning, stream);
    return fclose(stream) == 0 ? status : GFP_ERR_IO;
}

#endif
