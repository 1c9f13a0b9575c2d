/* call.h: the frame of a public call on transforms: its options, threads, work area, progress and
 * report; and the steps on all elements that calls share, by all threads of a task.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_CALL_H
#define GFP_FFT_CALL_H

#include "fft/task.h"
#include "field/base/call.h"

/* The needs of a call: words of its work area, once and for each thread; the elements that its
 * loops share; its work, in units of gfp_fft_transform_units. */
typedef struct gfp_fft_needs {
    size_t shared, each;
    size_t elements;
    double units;
} gfp_fft_needs;

/* A running call. */
typedef struct gfp_fft_call {
    gfp_call base; /* name: of the method */
    const gfp_field *field;
    gfp_task *task; /* NULL for one thread without progress */
    unsigned threads;
    gfp_work work;
    uint64_t *area; /* `shared` words, then `each` words for each thread; aligned to 64 bytes */
} gfp_fft_call;

/* Reads the options, takes the work area for as many threads as the cap allows, and starts the
 * task. Errors: those of reading options, UNKNOWN (another method is named), UNAVAILABLE (a
 * verification is requested), SIZE, MEMORY, CANCELLED. A call that was not begun is not ended. */
gfp_status gfp_fft_call_begin(gfp_fft_call *call, const char *name, const gfp_field *field,
                              const gfp_fft_needs *needs, const gfp_options *options);
/* Gives the work area back and fills the report or the error; completed: whether the computation
 * came to its end. Returns OK or CANCELLED. */
gfp_status gfp_fft_call_end(gfp_fft_call *call, bool completed);

#endif
