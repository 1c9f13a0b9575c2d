/* dealer.c: calls over Z dealt over the ranks of MPI give the results of one process; operands that
 * differ, a cap that one rank has, checkpoints that do not serve, a full disk, and faults of MPI,
 * in each function of the table in turn and on each rank, end the call on all ranks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab/ranks.h"

#include "field/base/call.h"
#include "field/deal/dealer.h"
#include "gfpoly/zbipoly.h"
#include "gfpoly/zsystem.h"
#include "ranks/comm.h"

static gfp_zring *ring;
static gfp_zbipoly a, b;

static gfp_dealer *dealer_of(gfp_mpi *mpi, const char *path)
{
    gfp_dealer *dealer = NULL;
    assert_int_equal(gfp_mpi_dealer_create(&dealer, mpi, path, NULL), GFP_OK);
    dealer->least = 0;
    return dealer;
}

static gfp_mpi *deal_context(void)
{
    gfp_mpi *mpi = NULL;
    assert_int_equal(gfp_mpi_create(&mpi, MPI_COMM_WORLD, NULL, NULL), GFP_OK);
    return mpi;
}

static void results_are_those_of_one_process(void **state)
{
    gfp_mpi *mpi = deal_context();
    gfp_dealer *dealer = dealer_of(mpi, NULL);
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        gfp_zvec expected, r;
        gfp_zsystem s, t;
        char *text[2];
        size_t size;
        gfp_options options = {.verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3),
                               .threads = 1 + i % 2};
        gfp_zvec_init(&expected, ring);
        gfp_zvec_init(&r, ring);
        gfp_zsystem_init(&s, ring);
        gfp_zsystem_init(&t, ring);
        assert_int_equal(gfp_zbipoly_resultant_y(&expected, &a, &b, &options), GFP_OK);
        assert_int_equal(gfp_zsystem_solve(&s, &a, &b, &options), GFP_OK);
        options.dealer = dealer;
        assert_int_equal(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_OK);
        assert_int_equal(gfp_zsystem_solve(&t, &a, &b, &options), GFP_OK);
        assert_true(gfp_zvec_equal(&r, &expected));
        for (unsigned j = 0; j < 2; j++) {
            FILE *stream = open_memstream(&text[j], &size);
            assert_non_null(stream);
            assert_int_equal(gfp_zsystem_fwrite(j == 0 ? &s : &t, stream), GFP_OK);
            assert_int_equal(fclose(stream), 0);
        }
        assert_string_equal(text[0], text[1]);
        free(text[0]);
        free(text[1]);
        gfp_zvec_clear(&expected);
        gfp_zvec_clear(&r);
        gfp_zsystem_clear(&s);
        gfp_zsystem_clear(&t);
    }
    gfp_dealer_destroy(dealer);
    gfp_mpi_destroy(mpi);
}

static void failures_on_one_rank_are_those_of_all(void **state)
{
    gfp_mpi *mpi = deal_context();
    gfp_dealer *dealer = dealer_of(mpi, NULL);
    (void)state;
    for (int victim = 0; victim < ranks_size; victim++) {
        gfp_zvec r;
        gfp_error error = {.status = GFP_OK};
        gfp_options options = {.dealer = dealer, .error = &error};
        gfp_zvec_init(&r, ring);
        options.memory_cap = ranks_rank == victim ? 1000 : 0;
        ranks_expect(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_ERR_MEMORY, &error, "cap");
        options.memory_cap = 0;
        if (ranks_size > 1) {
            const gfp_zbipoly *other = ranks_rank == victim ? &a : &b;
            ranks_expect(gfp_zbipoly_resultant_y(&r, &a, other, &options), GFP_ERR_ARGUMENT, &error,
                         "ranks have different operands");
        }
        assert_int_equal(r.len, 0);
        assert_int_equal(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_OK);
        gfp_zvec_clear(&r);
    }
    gfp_dealer_destroy(dealer);
    gfp_mpi_destroy(mpi);
}

static void checkpoints_are_those_of_rank_0(void **state)
{
    char path[] = "/tmp/gfpoly_ranks_XXXXXX";
    gfp_mpi *mpi = deal_context();
    gfp_dealer *dealer = NULL;
    gfp_error error = {.status = GFP_OK};
    (void)state;
    const int fd = ranks_rank == 0 ? mkstemp(path) : -1;
    for (unsigned i = 0; i < 2; i++) {
        gfp_zvec r;
        gfp_zvec_init(&r, ring);
        dealer = dealer_of(mpi, ranks_rank == 0 ? path : "/no/file");
        const gfp_options options = {.dealer = dealer, .error = &error};
        assert_int_equal(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_OK);
        assert_int_equal(gfp_dealer_get_info(dealer).restored > 0, i == 1 && ranks_rank == 0);
        ranks_expect(gfp_zbipoly_resultant_y(&r, &b, &a, &options), GFP_ERR_ARGUMENT, &error,
                     "belongs to other operands");
        gfp_dealer_destroy(dealer);
        gfp_zvec_clear(&r);
    }
    dealer = NULL;
    ranks_expect(gfp_mpi_dealer_create(&dealer, mpi, "/no/file", &error), GFP_ERR_IO, &error,
                 "/no/file");
    ranks_expect(gfp_mpi_dealer_create(ranks_rank == 0 ? NULL : &dealer, mpi, NULL, &error),
                 GFP_ERR_ARGUMENT, &error, "no place");
    assert_null(dealer);
    assert_int_equal(gfp_mpi_dealer_create(&dealer, NULL, NULL, &error), GFP_ERR_ARGUMENT);
    gfp_mpi_destroy(mpi);
    if (ranks_rank == 0) {
        (void)close(fd);
        (void)unlink(path);
    }
}

/* A limit of the size of files on rank 0. */
static void a_full_disk_ends_the_call(void **state)
{
    char path[] = "/tmp/gfpoly_ranks_XXXXXX";
    struct rlimit before;
    gfp_mpi *mpi = deal_context();
    gfp_error error = {.status = GFP_OK};
    gfp_zvec r;
    (void)state;
    const int fd = ranks_rank == 0 ? mkstemp(path) : -1;
    gfp_dealer *dealer = dealer_of(mpi, path);
    const gfp_options options = {.dealer = dealer, .error = &error};
    gfp_zvec_init(&r, ring);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    if (ranks_rank == 0) {
        const struct rlimit limit = {1000, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
    ranks_expect(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_ERR_IO, &error, "cannot write");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_OK);
    gfp_zvec_clear(&r);
    gfp_dealer_destroy(dealer);
    gfp_mpi_destroy(mpi);
    if (ranks_rank == 0) {
        (void)close(fd);
        (void)unlink(path);
    }
}

/* Call number n of function f fails on the rank. */
static bool faulty_call(size_t f, unsigned n, int victim)
{
    gfp_mpi *mpi = deal_context();
    gfp_dealer *dealer = dealer_of(mpi, NULL);
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.dealer = dealer, .error = &error};
    gfp_zvec r;
    gfp_zvec_init(&r, ring);
    ranks_barrier();
    ranks_fail(f, n, victim);
    const gfp_status status = gfp_zbipoly_resultant_y(&r, &a, &b, &options);
    const bool failed = ranks_any(ranks_failed());
    ranks_fail(f, 0, -1);
    /* Ranks other than the one that failed may have had their answer. */
    if (status != GFP_OK || (failed && ranks_rank == victim)) {
        ranks_expect(status, GFP_ERR_IO, &error, "MPI_");
        assert_int_equal(r.len, 0);
    }
    gfp_zvec_clear(&r);
    ranks_barrier();
    gfp_dealer_destroy(dealer);
    ranks_barrier();
    gfp_mpi_destroy(mpi);
    return failed;
}

static void faults_of_mpi_end_the_call(void **state)
{
    static const char *const names[] = {"MPI_Isend", "MPI_Irecv", "MPI_Iprobe", "MPI_Test",
                                        "MPI_Ibcast"};
    (void)state;
    for (size_t f = 0; f < ranks_function_count; f++) {
        bool used = false;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            used = used || strcmp(ranks_functions[f], names[i]) == 0;
        }
        for (int victim = 0; victim < ranks_size && used && ranks_size > 1; victim++) {
            for (unsigned n = 0; n < 40 && faulty_call(f, n, victim); n += 1 + n / 2) {
            }
        }
    }
}

/* A message of a wrong size, from rank 0 to the last one or back. */
static void stray_messages_end_the_call(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < 8 && ranks_size > 1; bytes += 6) {
        for (int down = 0; down < 2; down++) {
            gfp_mpi *mpi = deal_context();
            gfp_dealer *dealer = dealer_of(mpi, NULL);
            const gfp_transport *transport = &((gfp_deal_state *)dealer)->transport;
            const int last = ranks_size - 1;
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {.dealer = dealer, .error = &error};
            const char data[8] = "message";
            gfp_zvec r;
            gfp_zvec_init(&r, ring);
            if (ranks_rank == (down ? 0 : last)) {
                assert_int_equal(
                    transport->send(transport->user, down ? (unsigned)last : 0, data, bytes),
                    GFP_OK);
            }
            ranks_expect(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_ERR_IO, &error,
                         "a message of ranks has a wrong size");
            gfp_zvec_clear(&r);
            gfp_dealer_destroy(dealer);
            gfp_mpi_destroy(mpi);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_one_process),
        cmocka_unit_test(failures_on_one_rank_are_those_of_all),
        cmocka_unit_test(checkpoints_are_those_of_rank_0),
        cmocka_unit_test(a_full_disk_ends_the_call),
        cmocka_unit_test(faults_of_mpi_end_the_call),
        cmocka_unit_test(stray_messages_end_the_call),
    };
    ranks_begin(&argc, &argv);
    if (gfp_zring_create(&ring, NULL, NULL) != GFP_OK) {
        return EXIT_FAILURE;
    }
    ranks_random(&a, ring, 9, 1);
    ranks_random(&b, ring, 8, 2);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gfp_zbipoly_clear(&a);
    gfp_zbipoly_clear(&b);
    gfp_zring_destroy(ring);
    return ranks_end(failed);
}
