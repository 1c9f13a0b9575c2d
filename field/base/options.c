/* options.c: see options.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/options.h"

#include <stddef.h>
#include <string.h>

#include "field/base/support.h"

const gfp_options gfp_no_options = {.verify = GFP_VERIFY_BY_DEFAULT};

/* Whether bytes from <= i < to are 0. */
static bool is_zero(const void *x, size_t from, size_t to)
{
    const unsigned char *bytes = x;
    size_t i = from;
    while (i < to && bytes[i] == 0) {
        i++;
    }
    return i >= to;
}

gfp_status gfp_options_convert(const gfp_options **options, gfp_options *copy)
{
    const gfp_options *given = *options;
    if (!is_zero(given, sizeof *given, given->size)) {
        return gfp_error_set(given->error, GFP_ERR_ARGUMENT,
                             "the size of the options is %zu, and members beyond the %zu bytes "
                             "that this version knows are set",
                             given->size, sizeof *given);
    }
    if (given->size != 0 && given->size != sizeof *given) {
        *copy = (gfp_options){.size = 0};
        memcpy(copy, given, gfp_size_min(given->size, sizeof *given));
        copy->size = sizeof *copy;
        *options = given = copy;
    }
    if (given->verify == GFP_VERIFY_DEFAULT) {
        *copy = *given;
        copy->verify = GFP_VERIFY_BY_DEFAULT;
        *options = copy;
        return GFP_OK;
    }
    if (given->verify != GFP_VERIFY_NONE && given->verify != GFP_VERIFY_POINT &&
        given->verify != GFP_VERIFY_CROSS) {
        return gfp_error_set(given->error, GFP_ERR_ARGUMENT, "no such kind of verification: %d",
                             (int)given->verify);
    }
    return GFP_OK;
}

bool gfp_options_leave_check(const gfp_options *options)
{
    const size_t end = offsetof(gfp_options, verify) + sizeof options->verify;
    return options == NULL || (options->size != 0 && options->size < end) ||
           options->verify == GFP_VERIFY_DEFAULT;
}

/* Whether the options have a pointer at this place, which those of an older library may lack. */
static bool has_pointer(const gfp_options *options, size_t at)
{
    return options != NULL && (options->size == 0 || options->size >= at + sizeof(void *));
}

gfp_error *gfp_options_error(const gfp_options *options)
{
    return has_pointer(options, offsetof(gfp_options, error)) ? options->error : NULL;
}

gfp_dealer *gfp_options_dealer(const gfp_options *options)
{
    return has_pointer(options, offsetof(gfp_options, dealer)) ? options->dealer : NULL;
}
