/* steps.c: products of files in steps over the ranks of MPI: they are those of one process, also
 * after they were cancelled; a cap or a failed allocation of one rank ends them on all ranks, and
 * the next call goes on.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/disk.h"
#include "lab/meter.h"
#include "lab/ranks.h"

#include "gfpoly/file.h"

#define LEN_A 5000
#define LEN_B 4200
#define LENGTH (LEN_A + LEN_B - 1)

/* Each rank has a field of its own, with an allocator that may fail. */
static meter memory = {.fail_at = SIZE_MAX};
static gfp_allocator allocator;
static gfp_field *field;
static gfp_mpi *mpi;
static gfp_poly product;
static char folder[] = "gfpoly-steps-XXXXXX";

static void fill_random(gfp_poly *x, size_t n, uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    gfp_poly_init(x, field);
    assert_int_equal(gfp_poly_fit_length(x, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_random(field, x->digits + i * gfp_field_k(field), &g);
    }
    assert_int_equal(gfp_poly_set_length(x, n), GFP_OK);
}

/* All ranks work in the folder of rank 0, which writes the factors. */
static int make_folder(void **state)
{
    gfp_poly a, b;
    (void)state;
    if (ranks_rank == 0 && mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    allocator = meter_hook(&memory);
    if (chdir(folder) != 0 || gfp_field_create(&field, "p8", &allocator, NULL) != GFP_OK) {
        return -1;
    }
    fill_random(&a, LEN_A, 1);
    fill_random(&b, LEN_B, 2);
    gfp_poly_init(&product, field);
    assert_int_equal(gfp_poly_mul(&product, &a, &b, NULL), GFP_OK);
    if (ranks_rank == 0) {
        assert_int_equal(gfp_poly_store(&a, "a", NULL), GFP_OK);
        assert_int_equal(gfp_poly_store(&b, "b", NULL), GFP_OK);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    ranks_barrier();
    return gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, NULL) == GFP_OK ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    gfp_poly_clear(&product);
    gfp_mpi_destroy(mpi);
    gfp_field_destroy(field);
    assert_int_equal(memory.mistakes, 0); /* broken contexts keep some blocks */
    ranks_barrier();
    if (ranks_rank == 0) {
        (void)remove("a");
        (void)remove("b");
    }
    return chdir("..") == 0 && (ranks_rank != 0 || rmdir(folder) == 0) ? 0 : -1;
}

/* The files of a product, open on all ranks. */
typedef struct files {
    gfp_file *a, *b, *c;
    gfp_dealer *dealer;
} files;

static void open_files(files *f, const char *journal)
{
    assert_int_equal(gfp_file_open(&f->a, "a", field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&f->b, "b", field, NULL, NULL), GFP_OK);
    for (int turn = 0; turn < 2; turn++) { /* rank 0 begins the file */
        if ((ranks_rank != 0) == (turn == 1)) {
            assert_int_equal(turn == 0 ? gfp_file_resume(&f->c, "c", field, LENGTH, NULL)
                                       : gfp_file_share(&f->c, "c", field, LENGTH, NULL),
                             GFP_OK);
        }
        ranks_barrier();
    }
    assert_int_equal(gfp_mpi_dealer_create(&f->dealer, mpi, journal, NULL), GFP_OK);
}

/* The files stay for the next call, or the product gets its name and is right. */
static void close_files(files *f, bool complete)
{
    gfp_dealer_destroy(f->dealer);
    gfp_file_close(f->a);
    gfp_file_close(f->b);
    if (complete && ranks_rank == 0) {
        gfp_poly c;
        gfp_poly_init(&c, field);
        assert_int_equal(gfp_file_commit(f->c, NULL), GFP_OK);
        assert_int_equal(gfp_poly_load(&c, "c", NULL), GFP_OK);
        assert_true(gfp_poly_equal(&c, &product));
        gfp_poly_clear(&c);
        assert_int_equal(remove("c"), 0);
        assert_int_equal(remove("journal"), 0);
    }
    gfp_file_close(f->c);
    ranks_barrier();
}

static gfp_status multiply_in_steps(const files *f, gfp_options options)
{
    options.dealer = f->dealer;
    return gfp_file_mul(f->c, f->a, f->b, &options);
}

static void products_are_those_of_one_process(void **state)
{
    static const size_t caps[] = {0, 3000000, 300000, 100000};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof caps / sizeof *caps; i++) {
        files f;
        gfp_report report = {.method = NULL};
        open_files(&f, "journal");
        assert_int_equal(multiply_in_steps(&f, (gfp_options){.memory_cap = caps[i / 2],
                                                             .threads = 1 + (unsigned)(i % 2),
                                                             .verify = GFP_VERIFY_POINT,
                                                             .report = &report}),
                         GFP_OK);
        assert_string_equal(report.method, "hybrid");
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_in_range(-report.log2_error, 40, 1000);
        close_files(&f, true);
    }
}

/* Stops at its call number stop_at. */
typedef struct host {
    size_t calls, stop_at;
} host;

static bool count_calls(void *user, double fraction)
{
    host *h = user;
    (void)fraction;
    return h->calls++ != h->stop_at;
}

/* One rank stops ever later: all stop, and the next call goes on. */
static void cancelled_products_go_on(void **state)
{
    (void)state;
    for (int victim = 0; victim < ranks_size; victim++) {
        gfp_status status = GFP_ERR_CANCELLED;
        for (size_t n = 1; status != GFP_OK; n *= 2) {
            files f;
            gfp_error error = {.message = ""};
            host h = {.stop_at = ranks_rank == victim ? n : SIZE_MAX};
            const gfp_progress progress = {count_calls, &h};
            open_files(&f, "journal");
            status = multiply_in_steps(
                &f, (gfp_options){.memory_cap = 100000, .progress = &progress, .error = &error});
            if (status != GFP_OK) {
                assert_int_equal(status, GFP_ERR_CANCELLED);
            }
            assert_false(ranks_any(status != GFP_OK) && status == GFP_OK);
            close_files(&f, status == GFP_OK);
        }
    }
}

static void a_cap_of_one_rank_ends_all(void **state)
{
    (void)state;
    for (int victim = 0; victim < ranks_size; victim++) {
        files f;
        gfp_error error = {.message = ""};
        open_files(&f, "journal");
        ranks_expect(
            multiply_in_steps(&f, (gfp_options){.memory_cap = ranks_rank == victim ? 1000 : 100000,
                                                .error = &error}),
            GFP_ERR_MEMORY, &error, "the cap is 1000");
        gfp_dealer_destroy(f.dealer);
        f.dealer = NULL;
        if (ranks_rank == 0) {
            (void)remove("journal"); /* exists if rank 0 had begun it; it is of another cap */
        }
        ranks_barrier();
        assert_int_equal(gfp_mpi_dealer_create(&f.dealer, mpi, "journal", NULL), GFP_OK);
        assert_int_equal(multiply_in_steps(&f, (gfp_options){.memory_cap = 100000}), GFP_OK);
        close_files(&f, true);
    }
}

static void a_failed_allocation_of_one_rank_ends_all(void **state)
{
    (void)state;
    for (int victim = 0; victim < ranks_size; victim++) {
        gfp_status status = GFP_ERR_MEMORY;
        for (size_t n = 0; status != GFP_OK; n += 1 + n / 3) {
            files f;
            gfp_error error = {.message = ""};
            gfp_field_limit_memory(field, 0); /* so that calls allocate */
            gfp_mpi_destroy(mpi);             /* which a message without memory breaks */
            assert_int_equal(gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, NULL), GFP_OK);
            open_files(&f, "journal");
            memory.fail_at = ranks_rank == victim ? memory.calls + n : SIZE_MAX;
            status = multiply_in_steps(&f, (gfp_options){.memory_cap = 3000000, .error = &error});
            memory.fail_at = SIZE_MAX;
            if (status != GFP_OK) {
                ranks_expect(status, status == GFP_ERR_IO ? GFP_ERR_IO : GFP_ERR_MEMORY, &error,
                             "memory");
            }
            assert_false(ranks_any(status != GFP_OK) && status == GFP_OK);
            close_files(&f, status == GFP_OK);
            assert_in_range(n, 0, 1000);
        }
    }
}

static void a_failing_disk_of_one_rank_ends_all(void **state)
{
    (void)state;
    for (int victim = 0; victim < ranks_size; victim++) {
        files f;
        gfp_error error = {.message = ""};
        gfp_status status = GFP_ERR_IO;
        /* Whether a rank has items, and so fails, is a matter of time. */
        for (size_t n = 0; status != GFP_OK; n += 1 + 2 * n) {
            open_files(&f, "journal");
            disk_fail(DISK_SYNC_RANGE, n, ranks_rank == victim ? EIO : 0);
            status = multiply_in_steps(&f, (gfp_options){.memory_cap = 300000, .error = &error});
            disk_fail(DISK_SYNC_RANGE, 0, 0);
            if (status != GFP_OK) {
                ranks_expect(status, GFP_ERR_IO, &error,
                             "c.part: cannot write: Input/output error");
            }
            assert_false(ranks_any(status != GFP_OK) && status == GFP_OK);
            close_files(&f, status == GFP_OK);
        }
    }
}

/* Ranks without a journal begin a file anew, and the journal of the file serves no longer. */
static void a_run_without_a_journal_begins_anew(void **state)
{
    files f;
    gfp_error error = {.message = ""};
    host h = {.stop_at = ranks_rank == 0 ? 8 : SIZE_MAX};
    const gfp_progress progress = {count_calls, &h};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        h.calls = 0;
        open_files(&f, i == 0 ? "journal" : NULL);
        assert_int_equal(
            multiply_in_steps(&f, (gfp_options){.memory_cap = 100000, .progress = &progress}),
            GFP_ERR_CANCELLED);
        close_files(&f, false);
    }
    open_files(&f, "journal");
    ranks_expect(multiply_in_steps(&f, (gfp_options){.memory_cap = 100000, .error = &error}),
                 GFP_ERR_ARGUMENT, &error, "its contents are not those");
    close_files(&f, false);
    open_files(&f, NULL);
    assert_int_equal(multiply_in_steps(&f, (gfp_options){.memory_cap = 100000}), GFP_OK);
    close_files(&f, true);
}

/* A file that ranks have open is no other run's; it takes its name only while its own is there. */
static void a_file_belongs_to_one_run(void **state)
{
    files f;
    gfp_file *other = NULL;
    gfp_error error = {.message = ""};
    (void)state;
    open_files(&f, "journal");
    assert_int_equal(gfp_file_resume(&other, "c", field, LENGTH, &error), GFP_ERR_IO);
    assert_non_null(strstr(error.message, "another process uses it"));
    assert_int_equal(gfp_file_share(&other, "c", field, LENGTH + 1, &error), GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "another field or length"));
    assert_int_equal(gfp_file_share(&other, "absent", field, LENGTH, &error), GFP_ERR_IO);
    assert_null(other);
    ranks_barrier();
    if (ranks_rank == 0) {
        assert_int_equal(rename("c.part", "moved"), 0);
        assert_int_equal(gfp_file_resume(&other, "c", field, LENGTH, NULL), GFP_OK);
        assert_int_equal(gfp_file_commit(f.c, &error), GFP_ERR_IO);
        assert_non_null(strstr(error.message, "cannot put the file in place"));
        assert_int_equal(gfp_file_commit(other, NULL), GFP_OK);
        gfp_file_close(other);
        assert_int_equal(remove("c"), 0);
        assert_int_equal(remove("moved"), 0);
    }
    close_files(&f, false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_one_process),
        cmocka_unit_test(cancelled_products_go_on),
        cmocka_unit_test(a_cap_of_one_rank_ends_all),
        cmocka_unit_test(a_failed_allocation_of_one_rank_ends_all),
        cmocka_unit_test(a_failing_disk_of_one_rank_ends_all),
        cmocka_unit_test(a_run_without_a_journal_begins_anew),
        cmocka_unit_test(a_file_belongs_to_one_run),
    };
    ranks_begin(&argc, &argv);
    return ranks_end(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
