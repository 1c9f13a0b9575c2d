/* support.h: small helpers that every room uses: overflow-checked sizes, allocation through the
 * hook, filling in error details.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_SUPPORT_H
#define GFP_FIELD_BASE_SUPPORT_H

#include "gfpoly/field.h"

/* *product := a b and *sum := a + b; on overflow they return false and change nothing. */
static inline bool gfp_size_mul(size_t *product, size_t a, size_t b)
{
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *product = a * b;
    return true;
}

static inline bool gfp_size_add(size_t *sum, size_t a, size_t b)
{
    if (a > SIZE_MAX - b) {
        return false;
    }
    *sum = a + b;
    return true;
}

static inline size_t gfp_size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Return products and sums that saturate, for estimates. */
size_t gfp_size_mul_sat(size_t a, size_t b);
size_t gfp_size_add_sat(size_t a, size_t b);

/* The allocator by malloc and free. */
extern const gfp_allocator gfp_default_allocator;

/* Returns the allocator of the field, which lives as long as the field. */
const gfp_allocator *gfp_field_allocator(const gfp_field *field);

/* Allocates count * size bytes through the hook; 0 bytes are rounded up to 1. Returns NULL if the
 * hook fails or if count * size overflows. */
void *gfp_allocate(const gfp_allocator *allocator, size_t count, size_t size);
/* Frees a block of gfp_allocate; block may be NULL. */
void gfp_release(const gfp_allocator *allocator, void *block, size_t count, size_t size);

/* Returns `size` bytes for a text that gfp_free frees; NULL if memory runs out. */
char *gfp_text_make(const gfp_allocator *allocator, size_t size);

/* Returns the path that `path` names once symbolic links are followed, also if nothing is there;
 * the caller frees the path by free. NULL with errno. */
char *gfp_path_follow(const char *path);
/* Whether the path names the file that fd has open: itself, or with `follow` through links. */
bool gfp_path_names(const char *path, int fd, bool follow);
/* Locks the file that fd has open for reading and writing, for this open file alone or for all that
 * share it, or changes its lock: by flock, or where the file system refuses that by a lock of fcntl
 * for open files. BUSY: another one keeps this one out. NONE: the file system has no locks. */
typedef enum gfp_lock { GFP_LOCK_HELD, GFP_LOCK_BUSY, GFP_LOCK_NONE } gfp_lock;
gfp_lock gfp_path_lock(int fd, bool shared);
/* Makes the name of a file durable, where the system can do this. */
void gfp_path_sync(const char *path);

/* Returns the nanoseconds of a steady clock. */
uint64_t gfp_clock_ns(void);

/* Kernels that compute with doubles need rounding to nearest: their entry points set this mode, and
 * restore the caller's mode at the end. */
int gfp_rounding_begin(void);
void gfp_rounding_end(int mode);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Fills *error (may be NULL) with status and a formatted message; line, column and offset are 0,
 * and index is GFP_NO_INDEX. */
void gfp_error_fill(gfp_error *error, gfp_status status, const char *format, ...);

static inline gfp_status gfp_error_status(gfp_status status)
{
    return status;
}

/* error->index := i; error may be NULL. */
static inline void gfp_error_index(gfp_error *error, uint64_t i)
{
    if (error != NULL) {
        error->index = i;
    }
}

/* Appends a name to a list of `used` bytes in an array of `size`, after ", " unless it is the
 * first; returns the bytes then, or size if the name was cut off. */
size_t gfp_list_name(char *list, size_t size, size_t used, const char *name);

/* Lines "name:  value" in an array of `size` bytes; what does not fit is cut off. */
typedef struct gfp_text {
    char *bytes;
    size_t size, used; /* used < size: bytes[used] is 0 */
} gfp_text;
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Adds a line; the value is formatted. */
void gfp_text_line(gfp_text *text, const char *name, const char *format, ...);

/* gfp_error_fill as an expression with the value status, so that a function can end with it. This
 * is a macro so that static analysis sees the value. */
#define gfp_error_set(error, status, ...)                                                          \
    gfp_error_status((gfp_error_fill((error), (status), __VA_ARGS__), (status)))
/* The same for an error at index i: every message that names an index sets the index, too. */
#define gfp_error_set_at(error, status, i, ...)                                                    \
    gfp_error_status(                                                                              \
        (gfp_error_fill((error), (status), __VA_ARGS__), gfp_error_index((error), (i)), (status)))

#define GFP_TRY(call)                                                                              \
    do {                                                                                           \
        gfp_status status_ = (call);                                                               \
        if (status_ != GFP_OK) {                                                                   \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

#endif
