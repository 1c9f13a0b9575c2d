/* options.h: how calls read their options.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_OPTIONS_H
#define GFP_FIELD_BASE_OPTIONS_H

#include <string.h>

#include "gfpoly/options.h"
#include "field/base/task.h"

/* What GFP_VERIFY_DEFAULT stands for, unless the call finds that its check takes little time
 * (gfp_call_check). */
#define GFP_VERIFY_BY_DEFAULT GFP_VERIFY_NONE

/* All zero, but for verify: the kind that is the default. */
extern const gfp_options gfp_no_options;

/* Reads the options of a call, before anything else: *options := the caller's options in this
 * version's struct, which may be *copy and is valid as long as *copy; verify is the kind that
 * DEFAULT stands for, where the caller left it. Errors: ARGUMENT (members that this version does
 * not know; no such kind of verification). */
gfp_status gfp_options_convert(const gfp_options **options, gfp_options *copy);
static inline gfp_status gfp_options_read(const gfp_options **options, gfp_options *copy)
{
    const gfp_options *given = *options;
    if (given == NULL) {
        *options = &gfp_no_options;
        return GFP_OK;
    }
    return given->size == 0 && given->verify == GFP_VERIFY_NONE
               ? GFP_OK
               : gfp_options_convert(options, copy);
}

/* Whether the options, before they were read, leave the kind of check to the library; NULL does. */
bool gfp_options_leave_check(const gfp_options *options);
/* The members of options that this version refuses; NULL: not set, or beyond the options' size. */
gfp_error *gfp_options_error(const gfp_options *options);
gfp_dealer *gfp_options_dealer(const gfp_options *options);

/* Whether the chooser picks the method. */
static inline bool gfp_options_auto(const gfp_options *options)
{
    return options->method == NULL || strcmp(options->method, "auto") == 0;
}

/* The context of a product's task is the options of the call. These return the GPU of the call, the
 * number of its GPUs from that one on, and the most bytes of memory of each (0: no limit). */
static inline unsigned gfp_task_device(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL ? 0 : options->gpu_device;
}
static inline unsigned gfp_task_devices(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL || options->gpu_count == 0 ? 1 : options->gpu_count;
}
static inline size_t gfp_task_device_memory(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL ? 0 : options->gpu_memory_cap;
}

#endif
