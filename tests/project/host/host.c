/* host.c: a program of a project that takes gfpoly's sources in.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gfpoly.h>
#include <stdio.h>

int main(void)
{
    gfp_field *field;
    uint64_t x[GFP_MAX_K];
    char text[200];
    if (gfp_field_create(&field, "p2", NULL, NULL) != GFP_OK) {
        return 1;
    }
    gfp_elem_set_si(field, x, -1);
    gfp_elem_sqr(field, x, x);
    const gfp_status status = gfp_elem_get_string(field, text, sizeof text, NULL, 10, x);
    gfp_field_destroy(field);
    puts(text);
    return status != GFP_OK;
}
