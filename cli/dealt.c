/* dealt.c: subcommands whose work is dealt over ranks, in the program for ranks: images of those
 * over Z, steps of products of files. All ranks read the operands; rank 0 has the checkpoint, and
 * writes the results; all ranks write to the file of a product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>
#include <sys/time.h>

#include "gfpoly/mpi.h"

#include "cli/cli.h"

static gfp_mpi *mpi;

/* The greatest exit code of all ranks. */
static int greatest_code(int code)
{
    const int own[2] = {code, gfp_mpi_get_info(mpi).rank};
    int all[2] = {code, 0};
    (void)MPI_Allreduce(own, all, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (code == DONE && all[0] != DONE) {
        complain("rank %d cannot read its operands, or open its files", all[1]);
    }
    return all[0];
}

static gfp_status make_dealer_of_ranks(gfp_dealer **dealer, const char *checkpoint,
                                       gfp_error *error)
{
    return gfp_mpi_dealer_create(dealer, mpi, checkpoint, error);
}

/* Images of bivariate resultants are dealt to devices: ranks take those of their host in turn,
 * unless one is named. Without devices the call of the method fails. */
static void choose_device(struct request *request)
{
    const char *method = request->call.method;
    gfp_error error = {.message = ""};
    if (strcmp(request->command->name, "zbiresultant") == 0 && method != NULL &&
        strstr(method, "_gpu") != NULL && !is_given(request, "gpu-device") &&
        gfp_mpi_device(&request->call.gpu_device, mpi, &error) != GFP_OK) {
        tell("no GPU for this rank: %s", error.message);
    }
}

/* The same on this rank; others than rank 0 write nothing. */
static int run_rank(const struct request *request)
{
    struct request copy = *request;
    const bool is_other = gfp_mpi_get_info(mpi).rank != 0;
    choose_device(&copy);
    hooks_of_ranks = (struct ranks_hooks){greatest_code, make_dealer_of_ranks, is_other};
    if (is_other) {
        const struct itimerval none = {{0, 0}, {0, 0}};
        (void)setitimer(ITIMER_REAL, &none, NULL); /* rank 0 stops after --timeout */
        copy.output = copy.call.binary ? copy.output : NULL;
        copy.call.checkpoint = NULL;
        copy.call.json = false;
        if (strcmp(copy.command->name, "zgcd") == 0) {
            copy.own.gcd = (struct gcd_values){NULL, NULL};
        }
    }
    return copy.call.binary ? copy.command->run(&copy) : run_operation(&copy);
}

int run_dealt(const struct request *request)
{
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    const gfp_status status = gfp_mpi_create(&mpi, MPI_COMM_WORLD, NULL, &options);
    if (status != GFP_OK) {
        const int failed = complain_status(request->command->name, status, &error);
        if (status == GFP_ERR_IO) { /* MPI_Finalize would wait for ranks that have gone */
            (void)MPI_Abort(MPI_COMM_WORLD, failed);
        }
        return failed;
    }
    const int code = run_rank(request);
    if (gfp_mpi_agree(mpi, GFP_OK, &error) != GFP_OK) {
        (void)MPI_Abort(MPI_COMM_WORLD, code != DONE ? code : FAILED);
    }
    gfp_mpi_destroy(mpi);
    return code;
}
