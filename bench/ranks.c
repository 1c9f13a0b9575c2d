/* ranks.c: times one product of distributed polynomials (gfpoly/mpi.h), or with --transform one
 * transform in natural order, for tables of strong and weak scaling: mpirun -n P gfpoly_bench_ranks
 * --field p8 --len 4194304. The output is lines for `gfpoly scale --points` (bench/points.h): the
 * machine, and the best time of the product. Comments have the median time in seconds, whether the
 * values at a random point agree, or the first value of the transform is right, and where there is
 * one rank the time of one process by gfp_poly_mul or gfp_fft_run.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/points.h"
#include "gfpoly/mpi.h"

#define MOST_RUNS 100

/* What is measured. */
struct work {
    gfp_field *field;
    const char *name, *machine;
    size_t n;
    unsigned threads;
    int runs;
    int transform;
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

static void print_host(const struct work *w)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
               bytes = sysconf(_SC_PAGESIZE);
    if (processors > 0 && pages > 0 && bytes > 0) {
        print_points_machine(w->machine, (size_t)processors, (size_t)pages * (size_t)bytes);
    }
}

/* A point of a product over ranks; other times are comments. */
static void print_line(struct work *w, const char *what, const char *check)
{
    const int ranks = gfp_mpi_get_info(w->mpi).ranks;
    qsort(w->seconds, (size_t)w->runs, sizeof w->seconds[0], compare_seconds);
    if (w->transform != 0) {
        printf("# transform by %s: ", what);
    } else if (strcmp(what, "ranks") != 0) {
        printf("# by %s: ", what);
    }
    print_point(w->machine, "ranks", w->name, w->n, (size_t)ranks * w->threads, w->seconds[0]);
    printf(" # %d x %u threads, median %.7g, check %s\n", ranks, w->threads,
           w->seconds[w->runs / 2], check);
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

static gfp_status compute_once(struct work *w, const gfp_options *options)
{
    return w->transform != 0 ? gfp_mpi_fft_run(w->c, w->a, GFP_FORWARD, GFP_ORDER_NATURAL, options)
                             : gfp_mpi_poly_mul(w->c, w->a, w->b, options);
}

/* The first value of the transform is that of the polynomial at 1. */
static gfp_status check_transform(struct work *w)
{
    uint64_t one[GFP_MAX_K], value[GFP_MAX_K];
    size_t first, count;
    gfp_elem_one(w->field, one);
    gfp_status status = gfp_mpi_poly_eval(value, w->a, one, &w->options);
    const uint64_t *digits = gfp_mpi_poly_block(&first, &count, w->c);
    if (status == GFP_OK && first == 0 && count > 0 && !gfp_elem_equal(w->field, digits, value)) {
        status = GFP_ERR_VERIFY;
    }
    return gfp_mpi_agree(w->mpi, status, &w->error);
}

static gfp_status time_ranks(struct work *w)
{
    gfp_status status = compute_once(w, &w->options); /* fills tables */
    for (int i = 0; i < w->runs && status == GFP_OK; i++) {
        (void)MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        status = compute_once(w, &w->options);
        w->seconds[i] = MPI_Wtime() - start;
    }
    if (status == GFP_OK && w->transform != 0) {
        status = check_transform(w);
    } else if (status == GFP_OK) {
        gfp_options checked = w->options;
        checked.verify = GFP_VERIFY_POINT;
        status = compute_once(w, &checked);
    }
    return status;
}

/* The same transform in this process alone. */
static gfp_status time_process_transform(struct work *w)
{
    gfp_poly a;
    gfp_fft_plan *plan = NULL;
    uint64_t *y = malloc(w->n * gfp_field_k(w->field) * sizeof *y);
    gfp_poly_init(&a, w->field);
    gfp_status status = y == NULL ? GFP_ERR_MEMORY : GFP_OK;
    status = status == GFP_OK ? gfp_mpi_poly_gather(&a, w->a, 0, &w->options) : status;
    status = status == GFP_OK ? gfp_fft_plan_create(&plan, w->field, w->n, &w->error) : status;
    for (int i = 0; i < w->runs && status == GFP_OK; i++) {
        const double start = MPI_Wtime();
        status = gfp_fft_run(y, a.digits, GFP_FORWARD, GFP_ORDER_NATURAL, plan, &w->options);
        w->seconds[i] = MPI_Wtime() - start;
    }
    gfp_fft_plan_destroy(plan);
    gfp_poly_clear(&a);
    free(y);
    return status;
}

/* The same product in this process alone. */
static gfp_status time_process_product(struct work *w)
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
    if (status == GFP_OK && gfp_mpi_get_info(w->mpi).rank == 0) {
        print_host(w);
        print_line(w, "ranks", "right");
    }
    if (status == GFP_OK && gfp_mpi_get_info(w->mpi).ranks == 1) {
        status = w->transform != 0 ? time_process_transform(w) : time_process_product(w);
        if (status == GFP_OK) {
            print_line(w, "process", "none");
        }
    }
    return status;
}

static bool read_options(struct work *w, int argc, char **argv)
{
    const struct option options[] = {{"transform", no_argument, &w->transform, 1},
                                     {"field", required_argument, NULL, 'f'},
                                     {"len", required_argument, NULL, 'l'},
                                     {"threads", required_argument, NULL, 'j'},
                                     {"runs", required_argument, NULL, 'r'},
                                     {"machine", required_argument, NULL, 'm'},
                                     {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "f:l:j:r:m:", options, NULL)) != -1;) {
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
        case 'm':
            w->machine = optarg;
            break;
        case 0: /* --transform */
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
    struct work w = {
        .name = "p8", .machine = POINTS_MACHINE, .n = 1 << 16, .threads = 1, .runs = 5};
    int rank = 0;
    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(&w, argc, argv)) {
        if (rank == 0) {
            fprintf(stderr,
                    "usage: gfpoly_bench_ranks [--field FIELD] [--len N] [--threads T] "
                    "[--runs 1..%d] [--machine NAME] [--transform]\n",
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
