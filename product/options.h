/* options.h: how calls read their options.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OPTIONS_H
#define GFP_OPTIONS_H

#include "gfpoly/options.h"
#include "task.h"

/* All zero. */
extern const gfp_options gfp_no_options;

/* For the first lines of a call: *options := what the caller's options say in this version's
 * struct, which may be *copy, and lasts as long. Errors: ARGUMENT (members that this version does
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

/* A task of a product hangs on the options of its call, which last as long. The GPU of the call,
 * and the most bytes of its memory; 0: any number. */
static inline unsigned gfp_task_device(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL ? 0 : options->gpu_device;
}
static inline size_t gfp_task_device_memory(const gfp_task *task)
{
    const gfp_options *options = task == NULL ? NULL : task->context;
    return options == NULL ? 0 : options->gpu_memory_cap;
}

#endif
