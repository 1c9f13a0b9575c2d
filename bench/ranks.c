/* ranks.c: times one product of distributed polynomials (gfpoly/mpi.h), for tables of strong and
 * weak scaling: mpirun -n P gfpoly_bench_ranks --field p8 --len 4194304. One line for a run: what
 * computes (ranks, or one process by gfp_poly_mul where there is one rank), ranks, threads of each,
 * field, coefficients of either factor, the best and the median time in seconds, and whether the
 * values at a random point agree.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/mpi.h"

#define MOST_RUNS 100

/* What is measured. */
struct work {
    gfp_field *field;
    const char *name;
    size_t n;
    unsigned threads;
    int runs;
    gfp_mpi *mpi;
    gfp_mpi_poly *a, *b, *c;
    double seconds[MOST_RUNS];
    gfp_error error;
    gfp_options options;
};

static int compare_seconds(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Random digits in this rank's block. */
static void fill_block(struct work *w, gfp_mpi_poly *x, uint64_t seed)
{
    gfp_random g;
    size_t first, count;
    uint64_t *digits = gfp_mpi_poly_block(&first, &count, x);
    gfp_random_seed(&g, seed + first);
    for (size_t i = 0; i < count * gfp_field_k(w->field); i++) {
        digits[i] = gfp_random_below(&g, gfp_field_r(w->field));
    }
}

static void print_line(struct work *w, const char *what, const char *check)
{
    qsort(w->seconds, (size_t)w->runs, sizeof w->seconds[0], compare_seconds);
    printf("%-8s ranks %d threads %u field %s n %zu best %.6f median %.6f check %s\n", what,
           gfp_mpi_ranks(w->mpi), w->threads, w->name, w->n, w->seconds[0], w->seconds[w->runs / 2],
           check);
}

static gfp_status make_operands(struct work *w)
{
    gfp_status status = gfp_mpi_create(&w->mpi, MPI_COMM_WORLD, w->field, &w->options);
    status = status == GFP_OK ? gfp_mpi_poly_create(&w->a, w->mpi, w->n, &w->options) : status;
    status = status == GFP_OK ? gfp_mpi_poly_create(&w->b, w->mpi, w->n, &w->options) : status;
    status = status == GFP_OK ? gfp_mpi_poly_create(&w->c, w->mpi, 0, &w->options) : status;
    if (status == GFP_OK) {
        fill_block(w, w->a, 1);
        fill_block(w, w->b, 1000000007);
    }
    return status;
}

static gfp_status time_ranks(struct work *w)
{
    gfp_status status = gfp_mpi_poly_mul(w->c, w->a, w->b, &w->options); /* fills tables */
    for (int i = 0; i < w->runs && status == GFP_OK; i++) {
        (void)MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        status = gfp_mpi_poly_mul(w->c, w->a, w->b, &w->options);
        w->seconds[i] = MPI_Wtime() - start;
    }
    if (status == GFP_OK) {
        gfp_options checked = w->options;
        checked.verify = GFP_VERIFY_POINT;
        status = gfp_mpi_poly_mul(w->c, w->a, w->b, &checked);
    }
    return status;
}

/* The same product in this process alone. */
static gfp_status time_process(struct work *w)
{
    gfp_poly a, b, c;
    gfp_poly_init(&a, w->field);
    gfp_poly_init(&b, w->field);
    gfp_poly_init(&c, w->field);
    gfp_status status = gfp_mpi_poly_gather(&a, w->a, 0, &w->options);
    status = status == GFP_OK ? gfp_mpi_poly_gather(&b, w->b, 0, &w->options) : status;
    status = status == GFP_OK ? gfp_poly_mul(&c, &a, &b, &w->options) : status;
    for (int i = 0; i < w->runs && status == GFP_OK; i++) {
        const double start = MPI_Wtime();
        status = gfp_poly_mul(&c, &a, &b, &w->options);
        w->seconds[i] = MPI_Wtime() - start;
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    return status;
}

static gfp_status run_work(struct work *w)
{
    gfp_status status = make_operands(w);
    status = status == GFP_OK ? time_ranks(w) : status;
    if (status == GFP_OK && gfp_mpi_rank(w->mpi) == 0) {
        print_line(w, "ranks", "right");
    }
    if (status == GFP_OK && gfp_mpi_ranks(w->mpi) == 1) {
        status = time_process(w);
        if (status == GFP_OK) {
            print_line(w, "process", "none");
        }
    }
    return status;
}

static bool read_options(struct work *w, int argc, char **argv)
{
    static const struct option options[] = {{"field", required_argument, NULL, 'f'},
                                            {"len", required_argument, NULL, 'l'},
                                            {"threads", required_argument, NULL, 'j'},
                                            {"runs", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "f:l:j:r:", options, NULL)) != -1;) {
        switch (c) {
        case 'f':
            w->name = optarg;
            break;
        case 'l':
            w->n = strtoull(optarg, NULL, 10);
            break;
        case 'j':
            w->threads = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'r':
            w->runs = (int)strtol(optarg, NULL, 10);
            break;
        default:
            return false;
        }
    }
    w->options.threads = w->threads;
    w->options.error = &w->error;
    return w->n >= 1 && w->threads >= 1 && w->runs >= 1 && w->runs <= MOST_RUNS;
}

int main(int argc, char **argv)
{
    struct work w = {.name = "p8", .n = 1 << 16, .threads = 1, .runs = 5};
    int rank = 0;
    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(&w, argc, argv)) {
        if (rank == 0) {
            fprintf(stderr,
                    "usage: gfpoly_bench_ranks [--field FIELD] [--len N] [--threads T] "
                    "[--runs 1..%d]\n",
                    MOST_RUNS);
        }
        (void)MPI_Finalize();
        return 2;
    }
    gfp_status status = gfp_field_create(&w.field, w.name, NULL, &w.error);
    status = status == GFP_OK ? run_work(&w) : status;
    if (status != GFP_OK && rank == 0) {
        fprintf(stderr, "gfpoly_bench_ranks: %s\n", w.error.message);
    }
    gfp_mpi_poly_destroy(w.a);
    gfp_mpi_poly_destroy(w.b);
    gfp_mpi_poly_destroy(w.c);
    gfp_mpi_destroy(w.mpi);
    gfp_field_destroy(w.field);
    (void)MPI_Finalize();
    return status == GFP_OK ? 0 : 1;
}
