/* support.c: status phrases, checked sizes, the default allocator, error details, the clock.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* madvise, posix_memalign, flock, F_OFD_SETLK */
#endif
#include "field/base/support.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

const char *gfp_status_string(gfp_status status)
{
    switch (status) {
    case GFP_STALE:
        return "tuning is stale";
    case GFP_DONE:
        return "nothing left to deliver";
    case GFP_OK:
        return "success";
    case GFP_ERR_MEMORY:
        return "out of memory";
    case GFP_ERR_SIZE:
        return "size out of range";
    case GFP_ERR_ARGUMENT:
        return "argument out of range";
    case GFP_ERR_PARSE:
        return "malformed text";
    case GFP_ERR_RANGE:
        return "value not in [0, p)";
    case GFP_ERR_COMPOSITE:
        return "modulus is composite";
    case GFP_ERR_MODULUS:
        return "unsupported modulus";
    case GFP_ERR_UNPROVED:
        return "primality not proved";
    case GFP_ERR_FIELD_MISMATCH:
        return "operands over different fields";
    case GFP_ERR_NOT_INVERTIBLE:
        return "not invertible";
    case GFP_ERR_NO_ROOT:
        return "no root of unity of this order";
    case GFP_ERR_UNAVAILABLE:
        return "not available";
    case GFP_ERR_UNKNOWN:
        return "unknown name";
    case GFP_ERR_VERIFY:
        return "verification failed";
    case GFP_ERR_IO:
        return "input or output failed";
    case GFP_ERR_VERSION:
        return "versions of FLINT's headers and library differ";
    case GFP_ERR_CANCELLED:
        return "cancelled";
    case GFP_ERR_DEVICE:
        return "device failed";
    }
    return "unknown status";
}

const char *gfp_version(void)
{
    return GFP_VERSION_STRING;
}

size_t gfp_size_mul_sat(size_t a, size_t b)
{
    size_t product = SIZE_MAX;
    (void)gfp_size_mul(&product, a, b);
    return product;
}

size_t gfp_size_add_sat(size_t a, size_t b)
{
    size_t sum = SIZE_MAX;
    (void)gfp_size_add(&sum, a, b);
    return sum;
}

/* Blocks of a huge page and more begin at a huge page and lie on huge pages if the system gives
 * huge pages on request: products spent up to 40 % of their time on faults of small pages
 * (docs/design/memory.md). */
#define HUGE_PAGE ((size_t)1 << 21)

static void *default_allocate(void *user, size_t bytes)
{
    (void)user;
#if defined(MADV_HUGEPAGE)
    void *block;
    if (bytes >= HUGE_PAGE && posix_memalign(&block, HUGE_PAGE, bytes) == 0) {
        /* The whole huge pages. This is a hint: a refusal does not matter. */
        (void)madvise(block, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
        return block;
    }
#endif
    return malloc(bytes);
}

static void default_release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

const gfp_allocator gfp_default_allocator = {default_allocate, default_release, NULL};

/* Returns the bytes that the hook is asked for, for count objects; allocation and release agree. */
static size_t block_bytes(size_t count, size_t size)
{
    size_t bytes = count * size;
    return bytes == 0 ? 1 : bytes;
}

void *gfp_allocate(const gfp_allocator *allocator, size_t count, size_t size)
{
    size_t bytes;
    if (!gfp_size_mul(&bytes, count, size) || bytes > PTRDIFF_MAX) {
        return NULL;
    }
    return allocator->allocate(allocator->user, block_bytes(count, size));
}

void gfp_release(const gfp_allocator *allocator, void *block, size_t count, size_t size)
{
    if (block != NULL) {
        allocator->release(allocator->user, block, block_bytes(count, size));
    }
}

/* What stands before a text that gfp_free frees. */
typedef struct text_head {
    gfp_allocator allocator;
    size_t size;
} text_head;

char *gfp_text_make(const gfp_allocator *allocator, size_t size)
{
    size_t bytes;
    if (!gfp_size_add(&bytes, sizeof(text_head), size)) {
        return NULL;
    }
    text_head *head = gfp_allocate(allocator, bytes, 1);
    if (head == NULL) {
        return NULL;
    }
    *head = (text_head){*allocator, size};
    return (char *)(head + 1);
}

void gfp_free(char *text)
{
    if (text != NULL) {
        text_head *head = (text_head *)(void *)text - 1;
        const gfp_allocator allocator = head->allocator;
        gfp_release(&allocator, head, sizeof *head + head->size, 1);
    }
}

#define MAX_LINKS 40 /* in a chain of links, as in Linux */

/* *path, a link, := its target. False with errno; EINVAL: it is no link, ENOENT: nothing is there.
 */
static bool follow_link(char **path)
{
    char text[4096];
    const ssize_t n = readlink(*path, text, sizeof text - 1);
    const char *slash = strrchr(*path, '/');
    if (n < 0) {
        return false;
    }
    text[n] = '\0';
    const size_t folder = text[0] == '/' || slash == NULL ? 0 : (size_t)(slash - *path) + 1;
    char *next = malloc(folder + (size_t)n + 1);
    if (next == NULL) {
        return false;
    }
    memcpy(next, *path, folder);
    memcpy(next + folder, text, (size_t)n + 1);
    free(*path);
    *path = next;
    return true;
}

char *gfp_path_follow(const char *path)
{
    char *at = realpath(path, NULL);
    if (at != NULL || errno != ENOENT) {
        return at;
    }
    int links = 0;
    at = strdup(path);
    while (at != NULL && links < MAX_LINKS && follow_link(&at)) {
        links++;
    }
    if (at == NULL || (links < MAX_LINKS && (errno == ENOENT || errno == EINVAL))) {
        return at;
    }
    const int number = links < MAX_LINKS ? errno : ELOOP;
    free(at);
    errno = number;
    return NULL;
}

bool gfp_path_names(const char *path, int fd, bool follow)
{
    struct stat own, named;
    return fstat(fd, &own) == 0 &&
           fstatat(AT_FDCWD, path, &named, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

gfp_lock gfp_path_lock(int fd, bool shared)
{
    int taken;
    do {
        taken = flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
    } while (taken != 0 && errno == EINTR);
    if (taken == 0) {
        return GFP_LOCK_HELD;
    }
    if (errno == EWOULDBLOCK) {
        return GFP_LOCK_BUSY;
    }
#if defined(F_OFD_SETLK)
    struct flock whole = {.l_type = shared ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0) {
        return GFP_LOCK_HELD;
    }
    if (errno == EAGAIN || errno == EACCES) {
        return GFP_LOCK_BUSY;
    }
#endif
    return GFP_LOCK_NONE;
}

void gfp_path_sync(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    const int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

uint64_t gfp_clock_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) {
        return 0;
    }
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

void gfp_error_fill(gfp_error *error, gfp_status status, const char *format, ...)
{
    if (error != NULL) {
        *error = (gfp_error){.status = status, .index = GFP_NO_INDEX};
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        /* Parts of a message may come from a caller's text: the message stays one printable
         * line. */
        for (char *c = error->message; *c != '\0'; c++) {
            if (*c < ' ' || *c > '~') {
                *c = '?';
            }
        }
    }
}

size_t gfp_list_name(char *list, size_t size, size_t used, const char *name)
{
    if (used >= size) {
        return size;
    }
    const int bytes = snprintf(list + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
    return bytes < 0 || (size_t)bytes >= size - used ? size : used + (size_t)bytes;
}

/* Counts the bytes that a print has added, at most the room less the final 0. */
static void text_grow(gfp_text *text, int bytes)
{
    const size_t room = text->size - text->used - 1;
    text->used += bytes < 0 ? 0 : gfp_size_min((size_t)bytes, room);
}

void gfp_text_line(gfp_text *text, const char *name, const char *format, ...)
{
    va_list arguments;
    const int width = 10 - (int)gfp_size_min(strlen(name), 9);
    text_grow(text, snprintf(text->bytes + text->used, text->size - text->used, "%s:%*s", name,
                             width, ""));
    va_start(arguments, format);
    text_grow(text,
              vsnprintf(text->bytes + text->used, text->size - text->used, format, arguments));
    va_end(arguments);
    text_grow(text, snprintf(text->bytes + text->used, text->size - text->used, "\n"));
}

int gfp_rounding_begin(void)
{
    const int mode = fegetround();
    if (mode != FE_TONEAREST) {
        (void)fesetround(FE_TONEAREST);
    }
    return mode;
}

void gfp_rounding_end(int mode)
{
    if (mode != FE_TONEAREST) {
        (void)fesetround(mode);
    }
}
