/* open.c: mapped files: opening and checking one, whole polynomials from and to files. POSIX.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "poly/files/impl.h"
#include "poly/impl.h"
#include "field/base/support.h"

gfp_status gfp_file_io_error(gfp_error *error, const char *what)
{
    const int number = errno;
    char reason[100];
    if (strerror_r(number, reason, sizeof reason) != 0) {
        reason[0] = '\0';
    }
    gfp_error_set(error, GFP_ERR_IO, "%s: %s", what, reason);
    errno = number;
    return GFP_ERR_IO;
}

gfp_status gfp_file_new(gfp_file **file, const gfp_allocator *allocator, gfp_error *error)
{
    const gfp_allocator *used = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_file *f = gfp_allocate(used, 1, sizeof *f);
    if (f == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a file");
    }
    *f = (gfp_file){.allocator = *used, .fd = -1};
    *file = f;
    return GFP_OK;
}

void gfp_file_close(gfp_file *file)
{
    if (file == NULL) {
        return;
    }
    gfp_file_remove(file);
    if (file->map != NULL) {
        (void)munmap(file->map, file->bytes);
    }
    gfp_field_destroy(file->own);
    const gfp_allocator allocator = file->allocator;
    gfp_release(&allocator, file, 1, sizeof *file);
}

/* ---- opening ---- */

/* *bytes := the size of a regular file. */
static gfp_status size_of(int fd, size_t *bytes, gfp_error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return gfp_file_io_error(error, "cannot read its size and type");
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return gfp_file_io_error(error, "not a regular file: only regular files can be mapped");
    }
    if ((uintmax_t)status.st_size > PTRDIFF_MAX) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the file does not fit this machine's addresses");
    }
    *bytes = (size_t)status.st_size;
    return GFP_OK;
}

static gfp_status map_file(gfp_file *file, int fd, gfp_error *error)
{
    GFP_TRY(size_of(fd, &file->bytes, error));
    if (file->bytes < GFP_BINARY_PAYLOAD) {
        gfp_error_set(error, GFP_ERR_PARSE,
                      "byte %zu: the file ends here: too short for a gfpoly binary file",
                      file->bytes);
        if (error != NULL) {
            error->offset = file->bytes;
        }
        return GFP_ERR_PARSE;
    }
    void *map = mmap(NULL, file->bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        return gfp_file_io_error(error, "cannot map it into memory");
    }
    file->map = map;
    return GFP_OK;
}

static gfp_status check_size(const gfp_file *file, gfp_error *error)
{
    const uint64_t expected = GFP_BINARY_PAYLOAD + file->head.bytes;
    if (file->bytes == expected) {
        return GFP_OK;
    }
    const bool cut = file->bytes < expected;
    gfp_error_set(
        error, GFP_ERR_PARSE,
        cut ? "byte %" PRIu64 ": the file is cut off here; it should have %" PRIu64 " bytes"
            : "byte %" PRIu64 ": the file continues here; it should end after %" PRIu64 " bytes",
        cut ? (uint64_t)file->bytes : expected, expected);
    if (error != NULL) {
        error->offset = cut ? file->bytes : expected;
    }
    return GFP_ERR_PARSE;
}

/* A hint: the next pages are read once, in order; or nothing is known. The system may refuse it. */
static void open_advise(const gfp_file *file, int advice)
{
    (void)posix_madvise(file->map, file->bytes, advice);
}

static gfp_status check_payload(const gfp_file *file, gfp_error *error)
{
    uint64_t checksum;
    open_advise(file, POSIX_MADV_SEQUENTIAL);
    const gfp_status status =
        gfp_binary_sum(&checksum, &file->head, file->field, gfp_file_get_info(file).digits, error);
    open_advise(file, POSIX_MADV_NORMAL);
    return status == GFP_OK ? gfp_binary_compare(checksum, &file->head, error) : status;
}

static gfp_status read_head(gfp_file *file, int fd, const gfp_field *field, gfp_error *error)
{
    GFP_TRY(map_file(file, fd, error));
    GFP_TRY(gfp_binary_decode(&file->head, file->map, error));
    GFP_TRY(check_size(file, error));
    GFP_TRY(gfp_binary_field(&file->own, &file->head, field, &file->allocator, error));
    file->field = field != NULL ? field : file->own;
    return GFP_OK;
}

gfp_status gfp_file_open_head(gfp_file **file, const char *path, const gfp_field *field,
                              const gfp_allocator *allocator, gfp_error *error)
{
    gfp_file *f = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return gfp_file_io_error(error, "cannot open");
    }
    gfp_status status =
        gfp_file_new(&f, field != NULL ? gfp_field_allocator(field) : allocator, error);
    if (status == GFP_OK) {
        status = read_head(f, fd, field, error);
    }
    const int number = errno;
    (void)close(fd);
    if (status == GFP_OK) {
        *file = f;
    } else {
        gfp_file_close(f);
    }
    errno = number;
    return status;
}

gfp_status gfp_file_open(gfp_file **file, const char *path, const gfp_field *field,
                         const gfp_allocator *allocator, gfp_error *error)
{
    gfp_file *f = NULL;
    GFP_TRY(gfp_file_open_head(&f, path, field, allocator, error));
    const gfp_status status = check_payload(f, error);
    if (status == GFP_OK) {
        *file = f;
    } else {
        gfp_file_close(f);
    }
    return status;
}

gfp_status gfp_file_read_header(gfp_field **made, size_t *length, const char *path,
                                const gfp_field *field, const gfp_allocator *allocator,
                                gfp_error *error)
{
    gfp_file *file = NULL;
    GFP_TRY(gfp_file_open_head(&file, path, field, allocator, error));
    *length = gfp_file_get_info(file).length;
    if (field == NULL) {
        *made = file->own;
        file->own = NULL;
    }
    gfp_file_close(file);
    return GFP_OK;
}

/* ---- contents ---- */

/* The map starts on a page, and the payload 4096 bytes later: aligned for digits. */
static uint64_t *open_payload(const gfp_file *file)
{
    return file->head.length == 0 ? NULL : (uint64_t *)(void *)(file->map + GFP_BINARY_PAYLOAD);
}

gfp_file_info gfp_file_get_info(const gfp_file *file)
{
    const bool named = file->fd >= 0 && file->temporary[0] != '\0';
    return (gfp_file_info){.field = file->field,
                           .length = (size_t)file->head.length,
                           .digits = open_payload(file),
                           .temporary = named ? file->temporary : NULL,
                           .locked = file->locked};
}

uint64_t *gfp_file_digits_mutable(gfp_file *file)
{
    file->summed = false;
    return file->fd >= 0 ? open_payload(file) : NULL;
}

/* ---- whole polynomials ---- */

gfp_status gfp_poly_load(gfp_poly *a, const char *path, gfp_error *error)
{
    gfp_file *file = NULL;
    gfp_poly result;
    gfp_poly_init(&result, a->field);
    GFP_TRY(gfp_file_open(&file, path, a->field, NULL, error));
    const size_t n = gfp_file_get_info(file).length;
    const gfp_status status = gfp_poly_fit_length(&result, n);
    if (status != GFP_OK) {
        gfp_error_set(error, status, "no memory for %zu coefficients", n);
    } else {
        if (n > 0) {
            gfp_vec_set(a->field, result.digits, gfp_file_get_info(file).digits, n);
        }
        gfp_poly_normalise(&result, n);
        gfp_poly_swap(a, &result);
    }
    gfp_poly_clear(&result);
    gfp_file_close(file);
    return status;
}

gfp_status gfp_poly_store(const gfp_poly *a, const char *path, gfp_error *error)
{
    gfp_file *file = NULL;
    GFP_TRY(gfp_file_create(&file, path, a->field, a->len, error));
    if (a->len > 0) {
        gfp_vec_set(a->field, gfp_file_digits_mutable(file), a->digits, a->len);
    }
    const gfp_status status = gfp_file_commit(file, error);
    const int number = errno;
    gfp_file_close(file);
    errno = number;
    return status;
}
