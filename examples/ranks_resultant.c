/* ranks_resultant.c: the resultant, with respect to Y, of two polynomials in X and Y over the ranks
 * of MPI: all ranks read both files, images are dealt out to them, rank 0 writes the resultant.
 * With a file for finished images the same command goes on after it was killed, with any number of
 * ranks.
 *
 *     mpirun -n 16 ranks_resultant A B RESULT [CHECKPOINT]
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"
#include "gfpoly/mpi.h"

typedef struct job {
    gfp_mpi *mpi;
    gfp_zring *ring;
    gfp_zbipoly a, b;
    gfp_dealer *dealer;
    gfp_error error;
} job;

static gfp_status read_file(gfp_zbipoly *f, const char *path, gfp_error *error)
{
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        error->status = GFP_ERR_IO;
        snprintf(error->message, sizeof error->message, "%.200s: cannot open", path);
        return GFP_ERR_IO;
    }
    const gfp_status status = gfp_zbipoly_fread(f, stream, error);
    (void)fclose(stream);
    return status;
}

static gfp_status write_file(const gfp_zvec *r, const char *path, gfp_error *error)
{
    FILE *stream = fopen(path, "w");
    gfp_status status = stream == NULL ? GFP_ERR_IO : gfp_zvec_fwrite(r, stream);
    if (stream != NULL && fclose(stream) != 0) {
        status = GFP_ERR_IO;
    }
    if (status != GFP_OK) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "%.200s: cannot write", path);
    }
    return status;
}

/* The steps between which ranks agree on a status. */
static gfp_status compute(job *j, const char *result, const char *checkpoint)
{
    gfp_zvec r;
    gfp_report report;
    const gfp_options options = {
        .verify = GFP_VERIFY_POINT, .dealer = j->dealer, .report = &report, .error = &j->error};
    const bool first = gfp_mpi_get_info(j->mpi).rank == 0;
    gfp_zvec_init(&r, j->ring);
    gfp_status status = gfp_zbipoly_resultant_y(&r, &j->a, &j->b, &options);
    if (status == GFP_OK) {
        status = first ? write_file(&r, result, &j->error) : GFP_OK;
        status = gfp_mpi_agree(j->mpi, status, &j->error);
    }
    if (status == GFP_OK && first) {
        printf("degree %zu, %zu bits, by %d ranks in %.2f s; %llu pieces existed already\n",
               r.len - 1, gfp_zvec_bits(&r), gfp_mpi_get_info(j->mpi).ranks,
               (double)report.multiply_ns / 1e9,
               (unsigned long long)gfp_dealer_get_info(j->dealer).restored);
        if (checkpoint != NULL) {
            (void)remove(checkpoint); /* the result is written */
        }
    }
    gfp_zvec_clear(&r);
    return status;
}

static gfp_status read_and_compute(job *j, int argc, char **argv)
{
    const char *checkpoint = argc > 4 ? argv[4] : NULL;
    gfp_status status = read_file(&j->a, argv[1], &j->error);
    status = status == GFP_OK ? read_file(&j->b, argv[2], &j->error) : status;
    status = gfp_mpi_agree(j->mpi, status, &j->error);
    if (status == GFP_OK) {
        status = gfp_mpi_dealer_create(&j->dealer, j->mpi, checkpoint, &j->error);
    }
    return status == GFP_OK ? compute(j, argv[3], checkpoint) : status;
}

int main(int argc, char **argv)
{
    job j = {.mpi = NULL};
    const gfp_options options = {.error = &j.error};
    int level, rank;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) {
        return EXIT_FAILURE;
    }
    gfp_status status = argc < 4 || argc > 5 ? GFP_ERR_ARGUMENT : GFP_OK;
    if (status != GFP_OK) {
        snprintf(j.error.message, sizeof j.error.message,
                 "usage: ranks_resultant A B RESULT [CHECKPOINT]");
    }
    status = status == GFP_OK ? gfp_mpi_create(&j.mpi, MPI_COMM_WORLD, NULL, &options) : status;
    if (status == GFP_OK) {
        status = gfp_zring_create(&j.ring, NULL, &j.error);
        status = gfp_mpi_agree(j.mpi, status, &j.error);
    }
    if (status == GFP_OK) {
        gfp_zbipoly_init(&j.a, j.ring);
        gfp_zbipoly_init(&j.b, j.ring);
        status = read_and_compute(&j, argc, argv);
        gfp_zbipoly_clear(&j.a);
        gfp_zbipoly_clear(&j.b);
    }
    if (status != GFP_OK && rank == 0) {
        fprintf(stderr, "ranks_resultant: %s\n", j.error.message);
    }
    gfp_dealer_destroy(j.dealer);
    gfp_zring_destroy(j.ring);
    gfp_mpi_destroy(j.mpi);
    (void)MPI_Finalize();
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
