/* file.c: distributed polynomials from and to files: they are those of one process, which also
 * refuses the same files for the same reasons; a rank that fails ends the call on all ranks, and
 * no file is left.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/ranks.h"

#include "poly/binary.h"

#define LENGTH 101

static gfp_error error;
static gfp_options options = {.error = &error};
static char folder[] = "gfpoly-files-XXXXXX";

/* All ranks work in the folder of rank 0. */
static int make_folder(void **state)
{
    if (ranks_rank == 0 && mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    return chdir(folder) == 0 ? lab_setup(state) : -1;
}

/* Only names that tests have removed, or `sample`, are in the folder. */
static int remove_folder(void **state)
{
    ranks_barrier();
    if (ranks_rank == 0) {
        (void)remove("sample");
    }
    return chdir("..") == 0 && (ranks_rank != 0 || rmdir(folder) == 0) ? lab_teardown(state) : -1;
}

/* ---- a file of bytes ---- */

typedef struct sample {
    gfp_binary_head head;
    unsigned char *bytes; /* of the whole file */
    size_t size;
} sample;

/* Random coefficients, of which the last two are 0. */
static sample make_sample(const lab *l, size_t n, unsigned version)
{
    gfp_random g;
    sample s = {.bytes = NULL};
    assert_int_equal(gfp_binary_describe(&s.head, l->field, n), GFP_OK);
    s.head.version = version;
    s.size = GFP_BINARY_PAYLOAD + (size_t)s.head.bytes;
    s.bytes = calloc(s.size + 1, 1);
    assert_non_null(s.bytes);
    uint64_t *digits = (uint64_t *)(void *)(s.bytes + GFP_BINARY_PAYLOAD);
    gfp_random_seed(&g, n);
    for (size_t i = 0; i + 2 < n; i++) {
        gfp_elem_random(l->field, digits + i * l->k, &g);
    }
    assert_int_equal(gfp_binary_sum(&s.head.checksum, &s.head, l->field, digits, &error), GFP_OK);
    gfp_binary_encode(s.bytes, &s.head);
    return s;
}

static void put_sample(const char *path, const unsigned char *bytes, size_t size)
{
    ranks_barrier();
    if (ranks_rank == 0) {
        FILE *stream = fopen(path, "wb");
        assert_non_null(stream);
        assert_int_equal(fwrite(bytes, 1, size, stream), size);
        assert_int_equal(fclose(stream), 0);
    }
    ranks_barrier();
}

static void expect_sample(const char *path, const sample *s)
{
    unsigned char *bytes = malloc(s->size + 1);
    FILE *stream = fopen(path, "rb");
    assert_non_null(bytes);
    assert_non_null(stream);
    assert_int_equal(fread(bytes, 1, s->size + 1, stream), s->size);
    assert_int_equal(fclose(stream), 0);
    assert_memory_equal(bytes, s->bytes, s->size);
    free(bytes);
}

/* ---- a context and a polynomial ---- */

typedef struct objects {
    gfp_mpi *mpi;
    gfp_mpi_poly *x;
} objects;

static objects objects_over(const gfp_field *field)
{
    objects o = {NULL, NULL};
    assert_int_equal(gfp_mpi_create(&o.mpi, MPI_COMM_WORLD, field, &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_create(&o.x, o.mpi, 0, &options), GFP_OK);
    return o;
}

static void objects_end(objects *o)
{
    gfp_mpi_poly_destroy(o->x);
    gfp_mpi_destroy(o->mpi);
}

/* Makes the file of the polynomial: by gather, commit and close. */
static gfp_status write_file(const objects *o, const gfp_field *field, const char *path, int root)
{
    gfp_file *file = NULL;
    gfp_status status = GFP_OK;
    if (ranks_rank == root) {
        status = gfp_file_create(&file, path, field, gfp_mpi_poly_length(o->x), &error);
    }
    status = gfp_mpi_agree(o->mpi, status, &error);
    if (status == GFP_OK) {
        status = gfp_mpi_poly_gather_file(file, o->x, root, &options);
    }
    if (status == GFP_OK && ranks_rank == root) {
        status = gfp_file_commit(file, &error);
    }
    status = gfp_mpi_agree(o->mpi, status, &error);
    gfp_file_close(file);
    return status;
}

/* ---- right files ---- */

static void check_file(const lab *l, size_t n, unsigned version)
{
    objects o = objects_over(l->field);
    sample s = make_sample(l, n, version);
    size_t first, count;
    const int root = (int)n % ranks_size;
    put_sample("sample", s.bytes, s.size);
    assert_int_equal(gfp_mpi_poly_scatter_file(o.x, "sample", &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_length(o.x), n);
    const uint64_t *block = gfp_mpi_poly_block(&first, &count, o.x);
    const size_t bytes = l->k * sizeof(uint64_t);
    assert_memory_equal(block, s.bytes + GFP_BINARY_PAYLOAD + first * bytes, count * bytes);
    assert_int_equal(write_file(&o, l->field, "made", root), GFP_OK);
    free(s.bytes);
    s = make_sample(l, n, 2);
    expect_sample("made", &s);
    free(s.bytes);
    objects_end(&o);
    ranks_barrier();
    if (ranks_rank == 0) {
        assert_int_equal(remove("made"), 0);
    }
}

static void files_are_those_of_one_process(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 4, 7, 100, 1001};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_file(lab_named("p8"), lengths[i], 2);
        check_file(lab_named("p2"), lengths[i], 1 + (unsigned)i % 2);
        check_file(lab_named("p2"), lengths[i], 2 - (unsigned)i % 2);
    }
    /* Blocks of more than one piece. */
    check_file(lab_named("p8"), (size_t)3 << (lab_is_short() ? 12 : 18), 2);
}

/* ---- files that are refused ---- */

/* gfp_file_open says the same of the file. */
static void expect_refused(objects *o, const gfp_field *field, const char *path, const char *text)
{
    gfp_file *file = NULL;
    gfp_error expected = {.message = ""};
    const size_t before = gfp_mpi_poly_length(o->x);
    const gfp_status status = gfp_file_open(&file, path, field, NULL, &expected);
    assert_int_not_equal(status, GFP_OK);
    assert_non_null(strstr(expected.message, text));
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_poly_scatter_file(o->x, path, &options), status, &error, expected.message);
    assert_int_equal(error.offset, expected.offset);
    assert_int_equal(error.index, expected.index);
    assert_int_equal(gfp_mpi_poly_length(o->x), before);
}

/* A digit of the coefficient at each end of each block is not canonical, with a right checksum. */
static void refuse_digits(objects *o, const lab *l, sample *s)
{
    const size_t block = (LENGTH - 1) / (size_t)ranks_size + 1;
    uint64_t *digits = (uint64_t *)(void *)(s->bytes + GFP_BINARY_PAYLOAD);
    for (size_t i = 0; i < LENGTH; i = i % block == 0 ? i + block - 1 : i + 1) {
        gfp_binary_state state;
        char text[40];
        digits[i * l->k + l->k - 1] = UINT64_MAX;
        digits[(LENGTH - 1) * l->k] = UINT64_MAX; /* a later one, too */
        gfp_binary_state_begin(&state, s->head.version);
        gfp_binary_state_add(&state, digits, 5);
        gfp_binary_state_add(&state, digits + 5, LENGTH * l->k - 5);
        s->head.checksum = gfp_binary_state_end(&state);
        gfp_binary_encode(s->bytes, &s->head);
        put_sample("sample", s->bytes, s->size);
        (void)snprintf(text, sizeof text, ": coefficient %zu is not", i);
        expect_refused(o, l->field, "sample", text);
        digits[i * l->k + l->k - 1] = digits[(LENGTH - 1) * l->k] = 0;
    }
}

static void bad_files_are_refused_as_by_one_process(void **state)
{
    const lab *l = lab_named("p8");
    objects o = objects_over(l->field);
    (void)state;
    for (unsigned version = 1; version <= 2; version++) {
        sample s = make_sample(l, LENGTH, version);
        put_sample("sample", s.bytes, s.size);
        objects other = objects_over(lab_named("p2")->field);
        expect_refused(&other, lab_named("p2")->field, "sample", "the field is");
        objects_end(&other);
        put_sample("sample", s.bytes, s.size - 1);
        expect_refused(&o, l->field, "sample", "cut off here");
        put_sample("sample", s.bytes, 100);
        expect_refused(&o, l->field, "sample", "too short");
        put_sample("sample", s.bytes, s.size + 1);
        expect_refused(&o, l->field, "sample", "continues here");
        for (size_t i = 0; i < s.size; i += i < 80 ? 13 : 577) {
            s.bytes[i] ^= 1;
            put_sample("sample", s.bytes, s.size);
            expect_refused(&o, l->field, "sample", "byte ");
            s.bytes[i] ^= 1;
        }
        refuse_digits(&o, l, &s);
        free(s.bytes);
    }
    expect_refused(&o, l->field, "none", "cannot open");
    expect_refused(&o, l->field, ".", "not a regular file");
    objects_end(&o);
}

static void other_files_on_ranks_are_refused(void **state)
{
    const lab *l = lab_named("p8");
    objects o = objects_over(l->field);
    sample s = make_sample(l, LENGTH, 2), t = make_sample(l, LENGTH + 1, 2);
    (void)state;
    put_sample("sample", s.bytes, s.size);
    put_sample("other", t.bytes, t.size);
    for (int victim = 0; victim < ranks_size; victim++) {
        const bool mine = victim == ranks_rank;
        if (ranks_size > 1) {
            ranks_expect(gfp_mpi_poly_scatter_file(o.x, mine ? "other" : "sample", &options),
                         GFP_ERR_ARGUMENT, &error, "different files: lengths");
        }
        ranks_expect(gfp_mpi_poly_scatter_file(o.x, mine ? NULL : "sample", &options),
                     GFP_ERR_ARGUMENT, &error, "no path");
        ranks_expect(gfp_mpi_poly_scatter_file(o.x, mine ? "none" : "sample", &options), GFP_ERR_IO,
                     &error, "cannot open");
    }
    ranks_barrier();
    if (ranks_rank == 0) {
        assert_int_equal(remove("other"), 0);
    }
    free(s.bytes);
    free(t.bytes);
    objects_end(&o);
}

/* ---- results ---- */

static void expect_no_gather(const objects *o, gfp_file *file, int root, gfp_status expected,
                             const char *text)
{
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_poly_gather_file(file, o->x, root, &options), expected, &error, text);
}

static void refused_results_reach_all_ranks(void **state)
{
    const lab *l = lab_named("p8");
    objects o = objects_over(l->field);
    sample s = make_sample(l, LENGTH, 2);
    gfp_file *file = NULL;
    (void)state;
    put_sample("sample", s.bytes, s.size);
    assert_int_equal(gfp_mpi_poly_scatter_file(o.x, "sample", &options), GFP_OK);
    expect_no_gather(&o, NULL, 0, GFP_ERR_ARGUMENT, "no polynomial or file");
    expect_no_gather(&o, NULL, ranks_size, GFP_ERR_ARGUMENT, "no rank");
    assert_int_equal(gfp_file_open(&file, "sample", l->field, NULL, &error), GFP_OK);
    expect_no_gather(&o, file, 0, GFP_ERR_ARGUMENT, "not being made");
    gfp_file_close(file);
    for (size_t i = 0; i < 2; i++) {
        const lab *of = i == 0 ? l : lab_named("p2");
        file = NULL;
        if (ranks_rank == 0) {
            assert_int_equal(gfp_file_create(&file, "made", of->field, LENGTH + 1, &error), GFP_OK);
        }
        expect_no_gather(&o, file, 0, i == 0 ? GFP_ERR_ARGUMENT : GFP_ERR_FIELD_MISMATCH,
                         i == 0 ? "another length" : "another field");
        gfp_file_close(file);
    }
    file = NULL;
    if (ranks_rank == 0) { /* one that products in steps go on with */
        assert_int_equal(gfp_file_resume(&file, "made", l->field, LENGTH, &error), GFP_OK);
    }
    expect_no_gather(&o, file, 0, GFP_ERR_ARGUMENT, "gfp_file_resume");
    gfp_file_close(file);
    assert_true(ranks_rank != 0 || remove("made" GFP_FILE_KEPT) == 0);
    free(s.bytes);
    objects_end(&o);
}

/* MPI-IO may know drivers by such prefixes. */
static void names_with_a_colon_are_those_of_files(void **state)
{
    static const char *const names[] = {"ufs:sample", "x:y"};
    const lab *l = lab_named("p8");
    objects o = objects_over(l->field);
    sample s = make_sample(l, LENGTH, 2);
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        put_sample(names[i], s.bytes, s.size);
        assert_int_equal(gfp_mpi_poly_scatter_file(o.x, names[i], &options), GFP_OK);
        assert_int_equal(write_file(&o, l->field, names[i], 0), GFP_OK);
        ranks_barrier();
        expect_sample(names[i], &s);
        ranks_barrier();
        assert_true(ranks_rank != 0 || remove(names[i]) == 0);
    }
    free(s.bytes);
    objects_end(&o);
}

/* The number of files in the folder. */
static unsigned long count_links(void)
{
    unsigned long n = 0;
    FILE *list = popen("ls -A | wc -l", "r");
    assert_non_null(list);
    assert_int_equal(fscanf(list, "%lu", &n), 1);
    assert_int_equal(pclose(list), 0);
    return n;
}

static void expect_only_sample(void)
{
    ranks_barrier();
    assert_int_equal(count_links(), 1);
    ranks_barrier();
}

/* Digits that are not canonical on one rank; a later commit of what is right. */
static void wrong_digits_are_not_written(void **state)
{
    const lab *l = lab_named("p8");
    objects o = objects_over(l->field);
    sample s = make_sample(l, LENGTH, 2);
    gfp_file *file = NULL;
    size_t first, count;
    (void)state;
    put_sample("sample", s.bytes, s.size);
    assert_int_equal(gfp_mpi_poly_scatter_file(o.x, "sample", &options), GFP_OK);
    for (int victim = 0; victim < ranks_size; victim++) {
        uint64_t *block = gfp_mpi_poly_block(&first, &count, o.x);
        const uint64_t old = block[0];
        if (ranks_rank == 0) {
            assert_int_equal(gfp_file_create(&file, "made", l->field, LENGTH, &error), GFP_OK);
        }
        block[0] = victim == ranks_rank ? UINT64_MAX : old;
        expect_no_gather(&o, file, 0, GFP_ERR_RANGE, "is not in canonical form");
        block[0] = old;
        assert_int_equal(gfp_mpi_poly_gather_file(file, o.x, 0, &options), GFP_OK);
        if (ranks_rank == 0) {
            /* Written once more by an address of later, the digits are checked once more. */
            gfp_file_digits_mutable(file)[0] = UINT64_MAX;
            assert_int_equal(gfp_file_commit(file, &error), GFP_ERR_RANGE);
            assert_int_equal(access("made", F_OK), -1);
            gfp_file_digits_mutable(file)[0] = *(uint64_t *)(void *)(s.bytes + GFP_BINARY_PAYLOAD);
            assert_int_equal(gfp_file_commit(file, &error), GFP_OK);
            expect_sample("made", &s);
            assert_int_equal(remove("made"), 0);
        }
        gfp_file_close(file);
        file = NULL;
        expect_only_sample();
    }
    free(s.bytes);
    objects_end(&o);
}

/* ---- failures ---- */

/* On one rank no file can be opened, or none can be so long. */
static void limit_files(int resource, bool limited, rlim_t limit)
{
    static struct rlimit usual;
    if (limited) {
        struct rlimit set;
        assert_int_equal(getrlimit(resource, &usual), 0);
        set = usual;
        set.rlim_cur = limit;
        assert_int_equal(setrlimit(resource, &set), 0);
    } else {
        assert_int_equal(setrlimit(resource, &usual), 0);
    }
}

static void a_rank_that_cannot_read_or_write_ends_the_call(void **state)
{
    const lab *l = lab_named("p8");
    objects o = objects_over(l->field);
    sample s = make_sample(l, LENGTH, 2);
    (void)state;
    put_sample("sample", s.bytes, s.size);
    assert_int_equal(gfp_mpi_poly_scatter_file(o.x, "sample", &options), GFP_OK);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (int victim = 0; victim < ranks_size; victim++) {
        for (int i = 0; i < 3; i++) {
            const bool mine = victim == ranks_rank;
            gfp_file *file = NULL;
            memset(&error, 0, sizeof error);
            if (ranks_rank == 0) {
                assert_int_equal(gfp_file_create(&file, "made", l->field, LENGTH, &error), GFP_OK);
                assert_int_equal(gfp_file_name(file, &error), GFP_OK);
                assert_non_null(gfp_file_get_info(file).temporary);
            }
            const int resource = i == 2 ? RLIMIT_FSIZE : RLIMIT_NOFILE;
            if (mine) {
                limit_files(resource, true, i == 2 ? GFP_BINARY_PAYLOAD : 3);
            }
            const gfp_status status = i == 0 ? gfp_mpi_poly_scatter_file(o.x, "sample", &options)
                                             : gfp_mpi_poly_gather_file(file, o.x, 0, &options);
            if (mine) {
                limit_files(resource, false, 0);
            }
            char text[20];
            (void)snprintf(text, sizeof text, "rank %d: ", victim);
            ranks_expect(status, GFP_ERR_IO, &error, text);
            gfp_file_close(file);
            expect_only_sample();
        }
    }
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(write_file(&o, l->field, "made", 0), GFP_OK);
    ranks_barrier();
    expect_sample("made", &s);
    ranks_barrier();
    if (ranks_rank == 0) {
        assert_int_equal(remove("made"), 0);
    }
    free(s.bytes);
    objects_end(&o);
}

/* From a file and to one. */
static gfp_status run_files(gfp_field *field)
{
    objects o = {NULL, NULL};
    memset(&error, 0, sizeof error);
    gfp_status status = gfp_mpi_create(&o.mpi, MPI_COMM_WORLD, field, &options);
    if (status == GFP_OK && (status = gfp_mpi_poly_create(&o.x, o.mpi, 0, &options)) == GFP_OK &&
        (status = gfp_mpi_poly_scatter_file(o.x, "sample", &options)) == GFP_OK) {
        status = write_file(&o, field, "made", 0);
    }
    objects_end(&o);
    return status;
}

static void memory_and_mpi_fail_on_one_rank(void **state)
{
    const lab *l = lab_named("p8");
    sample s = make_sample(l, LENGTH, 2);
    (void)state;
    put_sample("sample", s.bytes, s.size);
    assert_true(ranks_memory_fails(run_files, &error, false) || lab_is_short());
    assert_false(ranks_memory_fails(run_files, &error, true));
    ranks_mpi_fails(run_files, &error);
    ranks_barrier();
    expect_sample("made", &s);
    ranks_barrier();
    if (ranks_rank == 0) {
        assert_int_equal(remove("made"), 0);
    }
    expect_only_sample();
    free(s.bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_those_of_one_process),
        cmocka_unit_test(bad_files_are_refused_as_by_one_process),
        cmocka_unit_test(other_files_on_ranks_are_refused),
        cmocka_unit_test(refused_results_reach_all_ranks),
        cmocka_unit_test(names_with_a_colon_are_those_of_files),
        cmocka_unit_test(wrong_digits_are_not_written),
        cmocka_unit_test(a_rank_that_cannot_read_or_write_ends_the_call),
        cmocka_unit_test(memory_and_mpi_fail_on_one_rank),
    };
    ranks_begin(&argc, &argv);
    return ranks_end(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
