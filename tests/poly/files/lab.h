/* lab.h: shared by the tests of files: a folder of their own, samples, files that are written
 * and read byte by byte, a host that cancels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_FILES_LAB_H
#define TESTS_POLY_FILES_LAB_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/fixtures.h"

#include "gfpoly/file.h"

/* In memory if the system has such a folder: every new file waits for its disk. */
static char in_memory[] = "/dev/shm/gfpoly-test-file-XXXXXX", here[] = "gfpoly-test-file-XXXXXX";
static const char *folder;

static inline int set_up(void **state)
{
    folder = mkdtemp(in_memory);
    folder = folder != NULL ? folder : mkdtemp(here);
    return folder != NULL && chdir(folder) == 0 ? lab_setup(state) : -1;
}

static inline int tear_down(void **state)
{
    DIR *directory = opendir(".");
    if (directory == NULL) {
        return -1;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        (void)remove(entry->d_name);
    }
    (void)closedir(directory);
    return chdir("..") == 0 &&
                   rmdir(strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder) == 0
               ? lab_teardown(state)
               : -1;
}

/* Counts files whose names begin with the prefix. */
static inline int count_files(const char *prefix)
{
    int n = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(directory);
    return n;
}

/* Reads all bytes of a file; the caller frees them. */
static inline unsigned char *lab_slurp(const char *path, size_t *size)
{
    struct stat status;
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fstat(fileno(stream), &status), 0);
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, stream), *size);
    fclose(stream);
    return bytes;
}

static inline void put_bytes(const char *path, const unsigned char *bytes, size_t n)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, n, stream), n);
    assert_int_equal(fclose(stream), 0);
}

/* a := n coefficients, samples of the lab or random, the last one not 0. */
static inline void lab_fill(const lab *l, gfp_poly *a, size_t n, size_t first)
{
    gfp_random g;
    gfp_random_seed(&g, n + first);
    assert_int_equal(gfp_poly_fit_length(a, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        if ((i + first) % 3 == 0) {
            gfp_elem_random(l->field, a->digits + i * l->k, &g);
        } else {
            gfp_elem_set(l->field, a->digits + i * l->k, lab_sample(l, first + i));
        }
    }
    if (n > 0 && gfp_elem_is_zero(l->field, a->digits + (n - 1) * l->k)) {
        gfp_elem_one(l->field, a->digits + (n - 1) * l->k);
    }
    assert_int_equal(gfp_poly_set_length(a, n), GFP_OK);
    assert_int_equal(a->len, n);
}

static inline void lab_store(const gfp_poly *a, const char *path)
{
    gfp_error error = {.message = ""};
    if (gfp_poly_store(a, path, &error) != GFP_OK) {
        fail_msg("%s: %s", path, error.message);
    }
}

static inline void expect_old(const char *path)
{
    size_t size;
    unsigned char *bytes = lab_slurp(path, &size);
    assert_int_equal(size, 4);
    assert_memory_equal(bytes, "old\n", 4);
    free(bytes);
}

typedef struct host {
    size_t calls, stop_at;
    double last;
    bool wrong;
} host;

static inline bool lab_step(void *user, double fraction)
{
    host *h = user;
    h->wrong = h->wrong || !(fraction >= h->last && fraction <= 1);
    h->last = fraction;
    return h->calls++ != h->stop_at;
}

#endif
