/* file_none.c: the functions on mapped files for systems without POSIX: all are UNAVAILABLE.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/file.h"
#include "options.h"
#include "poly_impl.h"
#include "support.h"

static gfp_status unavailable(gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "mapped files need a POSIX system");
}

gfp_status gfp_file_open(gfp_file **file, const char *path, const gfp_field *field,
                         const gfp_allocator *allocator, gfp_error *error)
{
    (void)file, (void)path, (void)field, (void)allocator;
    return unavailable(error);
}

gfp_status gfp_file_create(gfp_file **file, const char *path, const gfp_field *field, size_t length,
                           gfp_error *error)
{
    (void)file, (void)path, (void)field, (void)length;
    return unavailable(error);
}

gfp_status gfp_file_commit(gfp_file *file, gfp_error *error)
{
    (void)file;
    return unavailable(error);
}

void gfp_file_close(gfp_file *file)
{
    (void)file;
}

const gfp_field *gfp_file_field(const gfp_file *file)
{
    (void)file;
    return NULL;
}

size_t gfp_file_length(const gfp_file *file)
{
    (void)file;
    return 0;
}

const uint64_t *gfp_file_digits(const gfp_file *file)
{
    (void)file;
    return NULL;
}

uint64_t *gfp_file_digits_mutable(gfp_file *file)
{
    (void)file;
    return NULL;
}

const char *gfp_file_temporary(const gfp_file *file)
{
    (void)file;
    return NULL;
}

gfp_status gfp_poly_load(gfp_poly *a, const char *path, gfp_error *error)
{
    (void)a, (void)path;
    return unavailable(error);
}

gfp_status gfp_poly_store(const gfp_poly *a, const char *path, gfp_error *error)
{
    (void)a, (void)path;
    return unavailable(error);
}

gfp_status gfp_file_product_length(const gfp_file *a, const gfp_file *b, size_t *length)
{
    (void)a, (void)b, (void)length;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_file_mul(gfp_file *c, const gfp_file *a, const gfp_file *b,
                        const gfp_options *options)
{
    gfp_options copy;
    (void)c, (void)a, (void)b;
    GFP_TRY(gfp_options_read(&options, &copy));
    return unavailable(options->error);
}

gfp_status gfp_file_forward(gfp_file *y, const gfp_file *x, gfp_order order,
                            const gfp_options *options)
{
    gfp_options copy;
    (void)y, (void)x, (void)order;
    GFP_TRY(gfp_options_read(&options, &copy));
    return unavailable(options->error);
}

gfp_status gfp_file_inverse(gfp_file *x, const gfp_file *y, gfp_order order,
                            const gfp_options *options)
{
    gfp_options copy;
    (void)x, (void)y, (void)order;
    GFP_TRY(gfp_options_read(&options, &copy));
    return unavailable(options->error);
}
