/* ranks.c: the entry of the program for ranks, gfpoly_ranks, that the command becomes under a
 * launcher of MPI, and its subcommands. All ranks parse the same arguments; rank 0 alone prints.
 * Of products each rank reads and writes its blocks of the files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gfpoly/mpi.h"

#include "cli/cli.h"
#include "cli/watchdog.h"

static int rank;
/* A context is broken: MPI_Finalize would wait for ranks that have gone. */
static bool broken;

/* Ends MPI wherever the program ends. */
static void end_ranks(void)
{
    int ended = 0;
    (void)MPI_Finalized(&ended);
    if (!ended && !broken) {
        stop_watchdog();
        (void)MPI_Finalize();
    }
}

/* The exit code of rank 0, which did something alone. */
static int code_of_first(int code)
{
    (void)MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

/* ---- products of files ---- */

/* A product over ranks. */
struct product {
    const struct request *request;
    bool square;
    gfp_field *field;
    gfp_mpi *mpi;
    gfp_mpi_poly *a, *b, *c;
    gfp_report report;
    gfp_error error;
    gfp_options options;
};

/* Rank 0: the field of the operands, from their headers. */
static int read_headers(struct product *p)
{
    int code = create_named_field(&p->field, p->request);
    for (int i = 0; i < (p->square ? 1 : 2) && code == DONE; i++) {
        const char *path = p->request->file[i];
        size_t length;
        const gfp_status status =
            gfp_file_read_header(&p->field, &length, path, p->field, NULL, &p->error);
        code = complain_file(path, status, &p->error);
        if (code == DONE) {
            tell("%s: %zu coefficients over %s", path, length, gfp_field_name(p->field));
        }
    }
    return code;
}

/* All ranks get the field. */
static int share_field(struct product *p)
{
    uint64_t words[2] = {0, 0};
    int code = rank == 0 ? read_headers(p) : DONE;
    if (rank == 0 && code == DONE) {
        words[0] = gfp_field_r(p->field);
        words[1] = gfp_field_k(p->field);
    }
    code = code_of_first(code);
    (void)MPI_Bcast(words, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (code == DONE && rank != 0) {
        const gfp_status status =
            gfp_field_create_rk(&p->field, words[0], (unsigned)words[1], NULL, &p->error);
        code = status == GFP_OK ? DONE : FAILED;
    }
    const uint64_t own = (uint64_t)code;
    uint64_t all = 0;
    (void)MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return (int)all;
}

/* After a call of the context: an error of IO may be one of a file, or of MPI. */
static void note_status(const struct product *p, gfp_status status)
{
    broken =
        status == GFP_ERR_IO && (p->mpi == NULL || gfp_mpi_agree(p->mpi, GFP_OK, NULL) != GFP_OK);
}

static gfp_status create_polys(struct product *p)
{
    const gfp_options *options = &p->options;
    gfp_status status = gfp_mpi_create(&p->mpi, MPI_COMM_WORLD, p->field, options);
    status = status == GFP_OK ? gfp_mpi_poly_create(&p->a, p->mpi, 0, options) : status;
    status = status == GFP_OK ? gfp_mpi_poly_create(&p->b, p->mpi, 0, options) : status;
    return status == GFP_OK ? gfp_mpi_poly_create(&p->c, p->mpi, 0, options) : status;
}

static int load_operands(struct product *p)
{
    gfp_mpi_poly *const operand[] = {p->a, p->b};
    int code = DONE;
    for (int i = 0; i < (p->square ? 1 : 2) && code == DONE; i++) {
        const char *path = p->request->file[i];
        const gfp_status status = gfp_mpi_poly_scatter_file(operand[i], path, &p->options);
        note_status(p, status);
        code = complain_file(path, status, &p->error);
    }
    return code;
}

static int multiply_operands(struct product *p)
{
    struct progress progress;
    gfp_mpi_poly *const b = p->square ? p->a : p->b;
    tell("multiplying %zu x %zu coefficients on %d ranks", gfp_mpi_poly_length(p->a),
         gfp_mpi_poly_length(b), gfp_mpi_get_info(p->mpi).ranks);
    gfp_options options = p->options;
    options.report = &p->report;
    options.progress = begin_progress(&progress, "multiplying");
    const gfp_status status = gfp_mpi_poly_mul(p->c, p->a, b, &options);
    end_progress(&progress);
    note_status(p, status);
    return end_call(p->request, &p->report, status, &p->error);
}

/* Rank 0 makes the file, which takes its name when all ranks have written their blocks. */
static int write_product(struct product *p)
{
    struct result result = {.path = NULL};
    const char *path = p->request->output;
    int code = DONE;
    if (rank == 0) {
        code = begin_named_result(&result, path, p->field, gfp_mpi_poly_length(p->c));
    }
    code = code_of_first(code);
    if (code != DONE) {
        return code;
    }
    const gfp_status status = gfp_mpi_poly_gather_file(result.file, p->c, 0, &p->options);
    note_status(p, status);
    code = complain_result(path, status, &p->error);
    if (rank == 0 && code == DONE) {
        code = finish_result(&result);
    } else if (rank == 0) {
        abandon_result(&result);
    }
    return broken ? code : code_of_first(code);
}

static int report_product(const struct product *p)
{
    struct json json;
    if (p->request->call.time) {
        print_report_times("multiply:", &p->report);
    }
    if (!p->request->call.json) {
        return DONE;
    }
    json_begin(&json, stdout);
    json_string(&json, "field", gfp_field_name(p->field));
    json_u64(&json, "ranks", (uint64_t)gfp_mpi_get_info(p->mpi).ranks);
    json_u64(&json, "len_a", gfp_mpi_poly_length(p->a));
    json_u64(&json, "len_b", gfp_mpi_poly_length(p->square ? p->a : p->b));
    json_u64(&json, "len_c", gfp_mpi_poly_length(p->c));
    json_report(&json, &p->report, "multiply_ns");
    json_end(&json);
    return flush_standard_output(0);
}

static int multiply_over_ranks(struct product *p)
{
    int code = share_field(p);
    if (code != DONE) {
        return code;
    }
    p->options = call_options(p->request, NULL);
    p->options.error = &p->error;
    const gfp_status status = create_polys(p);
    note_status(p, status);
    code = end_call(p->request, &p->report, status, &p->error);
    code = code == DONE ? load_operands(p) : code;
    code = code == DONE ? multiply_operands(p) : code;
    code = code == DONE ? write_product(p) : code;
    return code == DONE ? report_product(p) : code;
}

/* The bytes of operands, product and leaves, over those of the operands. */
#define MEMORY_SHARE 5

/* The ranks on this host. */
static int count_neighbours(void)
{
    MPI_Comm host;
    int count = 1;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) ==
        MPI_SUCCESS) {
        (void)MPI_Comm_size(host, &count);
        (void)MPI_Comm_free(&host);
    }
    return count;
}

/* Whether a product takes more memory of a rank than --memory says, or by default half of the host
 * for all of its ranks: then ranks compute it in steps in its file. *cap := what a rank may take
 * there, the same on all ranks. */
static bool exceeds_memory(const struct request *request, size_t *cap)
{
    const size_t part = usual_memory() / (size_t)count_neighbours(), kept = resumed_memory();
    const size_t share = request->call.resume && kept < part ? kept : part;
    uint64_t words[2] = {0, ~(uint64_t)(request->call.memory != 0 ? request->call.memory : share)};
    uint64_t most[2] = {0, 0};
    int ranks = 1;
    for (int i = 0; rank == 0 && i < 2; i++) {
        struct stat status;
        const char *path = request->file[request->files == 1 ? 0 : i];
        words[0] += stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
    }
    (void)MPI_Allreduce(words, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *cap = (size_t)~most[1];
    return most[0] / (uint64_t)ranks > *cap * (request->call.memory != 0 ? 1 : 2) / MEMORY_SHARE;
}

static int run_product(const struct request *request)
{
    struct product p = {.request = request};
    struct request in_steps = *request;
    p.square = request->files == 1 || strcmp(request->file[0], request->file[1]) == 0;
    if (!request->call.binary || request->files > 2) {
        complain("%s: over ranks only --binary, with at most two files", request->command->name);
        return BAD_USAGE;
    }
    int code = check_binary(request);
    if (code == DONE && (exceeds_memory(request, &in_steps.call.memory) || request->call.resume)) {
        return run_dealt(&in_steps);
    }
    code = code == DONE ? multiply_over_ranks(&p) : code;
    gfp_mpi_poly_destroy(p.a);
    gfp_mpi_poly_destroy(p.b);
    gfp_mpi_poly_destroy(p.c);
    gfp_mpi_destroy(p.mpi);
    gfp_field_destroy(p.field);
    return code;
}

/* ---- the program ---- */

static const struct {
    const char *name;
    run_function *run;
} ranks_commands[] = {
    {"mul", run_product},        {"sqr", run_product},         {"zgcd", run_dealt},
    {"zresultant", run_dealt},   {"zdiscriminant", run_dealt}, {"zbiresultant", run_dealt},
    {"zdeterminant", run_dealt}, {"zcharpoly", run_dealt},     {"zsystem", run_dealt}};

static int run_over_ranks(const struct request *request)
{
    for (size_t i = 0; i < sizeof ranks_commands / sizeof *ranks_commands; i++) {
        if (strcmp(request->command->name, ranks_commands[i].name) == 0) {
            return ranks_commands[i].run(request);
        }
    }
    complain("%s: runs in one process, not over ranks", request->command->name);
    return BAD_USAGE;
}

int main(int argc, char **argv)
{
    int level, size = 1;
    const int report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (MPI_Init_thread(&argc, &argv, watchdog_level(), &level) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || atexit(end_ranks) != 0 ||
        (rank != 0 && (freopen("/dev/null", "w", stdout) == NULL ||
                       freopen("/dev/null", "w", stderr) == NULL))) {
        complain("MPI cannot be used");
        return FAILED;
    }
    int code = size > 1 ? start_watchdog(rank, size, level, report) : DONE;
    /* PMIx sets its variables for a single rank, too. */
    code = code == DONE ? run_gfpoly(argc, argv, size > 1 ? run_over_ranks : NULL) : code;
    if (broken) {
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    }
    return code;
}
