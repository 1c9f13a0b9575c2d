/* frame.c: see frame.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/frame.h"

#include <string.h>

#include "field/base/parallel.h"

gfp_status gfp_mpi_begin(gfp_mpi_frame *frame, gfp_mpi *mpi, const char *name,
                         const gfp_options *options, const gfp_mpi_fact *facts, size_t count)
{
    gfp_mpi_fact all[GFP_MPI_FACTS] = {{"calls", gfp_mpi_text_fact(name), GFP_ERR_ARGUMENT}};
    gfp_error error = {.status = GFP_OK};
    frame->mpi = mpi;
    const gfp_status mine = gfp_call_begin(&frame->call, name, options);
    gfp_error *const told = gfp_mpi_caller_error(&error, options, mine);
    if (mine != GFP_OK) { /* this rank takes part without options */
        (void)gfp_call_begin(&frame->call, name, NULL);
    }
    if (count > 0) {
        memcpy(all + 1, facts, count * sizeof *facts);
    }
    count++;
    count += gfp_mpi_option_facts(all + count, frame->call.options);
    const gfp_status status = gfp_mpi_same(mpi, all, count, mine, &error);
    frame->call.field = mpi->field;
    frame->call.task.threads = gfp_parallel_threads(mpi->field, frame->call.options->threads);
    if (status != GFP_OK) {
        if (told != NULL) {
            *told = error;
        }
        return status;
    }
    return GFP_OK;
}

gfp_status gfp_mpi_refuse(gfp_mpi *mpi, const gfp_options *options, const char *reason)
{
    gfp_error error;
    gfp_error *const told = gfp_options_error(options);
    (void)gfp_error_set(&error, GFP_ERR_ARGUMENT, "%s", reason);
    const gfp_status status =
        mpi != NULL ? gfp_mpi_agree(mpi, GFP_ERR_ARGUMENT, &error) : GFP_ERR_ARGUMENT;
    if (told != NULL) {
        *told = error;
    }
    return status;
}

gfp_status gfp_mpi_step(gfp_mpi_frame *frame, gfp_status status)
{
    gfp_call *call = &frame->call;
    if (status == GFP_ERR_MEMORY && call->refused != 0) {
        (void)gfp_error_set(&call->error, status,
                            "%s: at least %zu bytes are needed, more than the cap of %zu bytes",
                            call->name, call->refused, call->cap);
        call->refused = 0;
    } else if (status != GFP_OK && call->error.status != status) {
        (void)gfp_error_set(&call->error, status, "%s: %s", call->name, gfp_status_string(status));
    }
    return gfp_mpi_agree(frame->mpi, status, &call->error);
}

gfp_status gfp_mpi_finish(gfp_mpi_frame *frame, gfp_status status)
{
    return gfp_call_end(&frame->call, status);
}
