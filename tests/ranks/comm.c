/* comm.c: contexts over ranks: what they compare, the status that all ranks agree on, and calls of
 * MPI that fail on one rank, each in turn.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/meter.h"
#include "lab/ranks.h"

#include "field/base/cpu.h"
#include "ranks/comm.h"

static gfp_error error;
static gfp_options options = {.error = &error};

static gfp_mpi *comm_create(const gfp_field *field)
{
    gfp_mpi *mpi = NULL;
    error.status = GFP_OK;
    assert_int_equal(gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, &options), GFP_OK);
    assert_int_equal(gfp_mpi_get_info(mpi).rank, ranks_rank);
    assert_int_equal(gfp_mpi_get_info(mpi).ranks, ranks_size);
    return mpi;
}

static void agrees_on_the_least_rank_that_failed(void **state)
{
    gfp_mpi *mpi = comm_create(NULL);
    (void)state;
    assert_int_equal(gfp_mpi_agree(mpi, GFP_OK, &error), GFP_OK);
    assert_int_equal(gfp_mpi_agree(mpi, GFP_OK, NULL), GFP_OK);
    for (int least = 0; least < ranks_size; least++) {
        gfp_status status = GFP_OK;
        memset(&error, 0, sizeof error);
        if (ranks_rank == least) {
            status = gfp_error_set_at(&error, GFP_ERR_MEMORY, 7, "no memory for a test");
        } else if (ranks_rank > least) {
            status = GFP_ERR_SIZE;
        }
        char text[64];
        (void)snprintf(text, sizeof text, "rank %d: no memory for a test", least);
        ranks_expect(gfp_mpi_agree(mpi, status, &error), GFP_ERR_MEMORY, &error, text);
        assert_int_equal(error.index, 7);
    }
    /* Warnings are agreed, too, and errors come first. */
    for (int least = 0; least < ranks_size; least++) {
        gfp_status status = ranks_rank >= least ? GFP_DONE : GFP_OK;
        char text[64];
        (void)snprintf(text, sizeof text, "rank %d: nothing left", least);
        ranks_expect(gfp_mpi_agree(mpi, status, &error), GFP_DONE, &error, text);
        status = ranks_rank == least ? GFP_ERR_SIZE : ranks_rank % 2 == 0 ? GFP_STALE : GFP_OK;
        (void)snprintf(text, sizeof text, "rank %d: ", least);
        ranks_expect(gfp_mpi_agree(mpi, status, &error), GFP_ERR_SIZE, &error, text);
    }
    /* Without a message the status has one. */
    ranks_expect(gfp_mpi_agree(mpi, GFP_ERR_RANGE, &error), GFP_ERR_RANGE, &error, "rank 0: ");
    assert_int_equal(gfp_mpi_agree(mpi, GFP_OK, &error), GFP_OK);
    gfp_mpi_destroy(mpi);
    gfp_mpi_destroy(NULL);
}

/* Expects that no rank gets a context. */
static void expect_refused(const gfp_field *field, gfp_status expected, const char *text)
{
    gfp_mpi *mpi = NULL;
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, &options), expected, &error, text);
    assert_null(mpi);
}

static void compares_fields_levels_and_options(void **state)
{
    gfp_field *p8 = lab_create("p8"), *m8 = lab_create("m8"), *p4 = lab_create("p4");
    (void)state;
    gfp_mpi_destroy(comm_create(p8));
    if (ranks_size > 1) {
        const bool last = ranks_rank == ranks_size - 1;
        expect_refused(last ? m8 : p8, GFP_ERR_FIELD_MISMATCH, "different fields");
        expect_refused(last ? p4 : p8, GFP_ERR_FIELD_MISMATCH, "different fields");
        expect_refused(last ? NULL : p8, GFP_ERR_FIELD_MISMATCH, "a field and none");
        options.verify = last ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
        expect_refused(p8, GFP_ERR_ARGUMENT, "different options: verify");
        options.verify = GFP_VERIFY_DEFAULT;
        options.verify_seed = last ? 1 : 2;
        expect_refused(p8, GFP_ERR_ARGUMENT, "different options: verify_seed");
        options.verify_seed = 0;
        options.method = last ? "hybrid" : "auto";
        expect_refused(p8, GFP_ERR_ARGUMENT, "different options: method");
        options.method = NULL;
        options.verify = last ? (gfp_verify)99 : GFP_VERIFY_DEFAULT;
        expect_refused(p8, GFP_ERR_ARGUMENT, "rank ");
        options.verify = GFP_VERIFY_DEFAULT;
        const gfp_level level = gfp_cpu_level_get();
        if (level != GFP_LEVEL_PORTABLE) {
            assert_true(gfp_cpu_level_force(last ? GFP_LEVEL_PORTABLE : level));
            gfp_field *field = lab_create("p8");
            expect_refused(field, GFP_ERR_VERSION, "different kernel levels");
            gfp_field_destroy(field);
            assert_true(gfp_cpu_level_force(level));
        }
        gfp_mpi_destroy(comm_create(p8));
    }
    gfp_field_destroy(p8);
    gfp_field_destroy(m8);
    gfp_field_destroy(p4);
}

static void refuses_what_is_no_communicator(void **state)
{
    gfp_mpi *mpi = NULL;
    (void)state;
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_create(&mpi, MPI_COMM_NULL, NULL, &options), GFP_ERR_ARGUMENT, &error,
                 "no communicator");
    for (int victim = 0; victim < ranks_size; victim++) {
        memset(&error, 0, sizeof error);
        ranks_expect(
            gfp_mpi_create(victim == ranks_rank ? NULL : &mpi, MPI_COMM_WORLD, NULL, &options),
            GFP_ERR_ARGUMENT, &error, "no place");
        assert_null(mpi);
    }
}

static void runs_out_of_memory_on_one_rank(void **state)
{
    (void)state;
    for (size_t at = 0; at < 2; at++) { /* the context, and what it gathers */
        for (int victim = 0; victim < ranks_size; victim++) {
            meter m = {.fail_at = SIZE_MAX};
            const gfp_allocator hook = meter_hook(&m);
            gfp_field *field = NULL;
            assert_int_equal(gfp_field_create(&field, "p8", &hook, NULL), GFP_OK);
            meter_fail_at(&m, victim == ranks_rank ? at : SIZE_MAX);
            expect_refused(field, GFP_ERR_MEMORY, "no memory for a context");
            meter_fail_at(&m, SIZE_MAX);
            gfp_mpi_destroy(comm_create(field));
            gfp_field_destroy(field);
            meter_expect_empty(&m);
        }
    }
}

/* A call of MPI fails on a rank that has no memory for its context. */
static void fails_without_memory(void **state)
{
    (void)state;
    for (size_t f = 0; f < ranks_function_count; f++) {
        for (int victim = 0; victim < ranks_size; victim++) {
            meter m = {.fail_at = SIZE_MAX};
            const gfp_allocator hook = meter_hook(&m);
            gfp_field *field = NULL;
            gfp_mpi *mpi = NULL;
            assert_int_equal(gfp_field_create(&field, "p8", &hook, NULL), GFP_OK);
            meter_fail_at(&m, victim == ranks_rank ? 0 : SIZE_MAX);
            ranks_fail(f, 0, victim);
            const gfp_status status = gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, &options);
            assert_true(status == GFP_ERR_MEMORY || status == GFP_ERR_IO);
            assert_null(mpi);
            gfp_field_destroy(field);
        }
    }
    ranks_fail(0, 0, -1);
}

/* The host's communicator keeps its error handler. */
static void leaves_the_communicator_alone(void **state)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    gfp_mpi *mpi = NULL;
    (void)state;
    assert_int_equal(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    assert_int_equal(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    assert_int_equal(gfp_mpi_create(&mpi, comm, NULL, NULL), GFP_OK);
    assert_int_equal(MPI_Comm_get_errhandler(comm, &handler), MPI_SUCCESS);
    assert_true(handler == MPI_ERRORS_ARE_FATAL);
    assert_int_equal(MPI_Comm_get_errhandler(mpi->comm, &handler), MPI_SUCCESS);
    assert_true(handler == MPI_ERRORS_RETURN);
    assert_int_equal(MPI_Comm_free(&comm), MPI_SUCCESS);
    assert_int_equal(gfp_mpi_agree(mpi, GFP_OK, NULL), GFP_OK);
    gfp_mpi_destroy(mpi);
}

/* Creates a context and agrees a few times. Returns the first status that is not OK. */
static gfp_status run_calls(bool fails)
{
    gfp_mpi *mpi = NULL;
    memset(&error, 0, sizeof error);
    gfp_status status = gfp_mpi_create(&mpi, MPI_COMM_WORLD, NULL, &options);
    for (int i = 0; i < 3 && status == GFP_OK; i++) {
        status = gfp_mpi_agree(mpi, GFP_OK, &error);
    }
    if (status == GFP_OK && fails) {
        const gfp_status mine = ranks_rank == 0 ? GFP_ERR_RANGE : GFP_OK;
        status = gfp_mpi_agree(mpi, mine, &error);
    }
    gfp_mpi_destroy(mpi);
    return status;
}

/* No rank hangs, the victim reports its error, and a failure before the last call reaches all. */
static void fails_on_one_rank_and_tells_all(void **state)
{
    (void)state;
    for (size_t f = 0; f < ranks_function_count; f++) {
        lab_row_name(ranks_functions[f]);
        for (int victim = 0; victim < ranks_size; victim++) {
            for (unsigned n = 0; n < 6; n++) {
                ranks_fail(f, n, victim);
                const gfp_status status = run_calls(true);
                const bool failed = ranks_any(ranks_failed());
                if (!failed) {
                    assert_int_equal(status, GFP_ERR_RANGE);
                    break;
                }
                if (status != GFP_ERR_RANGE) { /* RANGE: a call whose failure means nothing */
                    ranks_expect(status, GFP_ERR_IO, &error, "rank ");
                }
            }
        }
    }
    ranks_fail(0, 0, -1);
    assert_int_equal(run_calls(false), GFP_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_the_least_rank_that_failed),
        cmocka_unit_test(compares_fields_levels_and_options),
        cmocka_unit_test(refuses_what_is_no_communicator),
        cmocka_unit_test(runs_out_of_memory_on_one_rank),
        cmocka_unit_test(fails_without_memory),
        cmocka_unit_test(leaves_the_communicator_alone),
        cmocka_unit_test(fails_on_one_rank_and_tells_all),
    };
    ranks_begin(&argc, &argv);
    return ranks_end(cmocka_run_group_tests(tests, NULL, NULL));
}
