/* progress.c: a progress bar on a terminal for products, and for files that are read and written.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* fopencookie */
#endif
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* Shorter work shows no bar. */
#define PATIENCE_SECONDS 0.2

void show_progress(struct progress *progress, double fraction)
{
    if (progress->bar.on && seconds_now() - progress->bar.start >= PATIENCE_SECONDS) {
        bar_show(&progress->bar, fraction < 1 ? fraction : 1);
    }
}

/* gfp_progress.step: never cancels. */
static bool progress_step(void *user, double fraction)
{
    show_progress(user, fraction);
    return true;
}

const gfp_progress *begin_progress(struct progress *progress, const char *label)
{
    *progress = (struct progress){.step = {.step = progress_step, .user = progress}};
    bar_start(&progress->bar);
    progress->bar.label = label;
    return progress->bar.on ? &progress->step : NULL;
}

void end_progress(struct progress *progress)
{
    bar_clear(&progress->bar);
    progress->bar.on = false;
}

/* ---- streams ---- */

static void progress_advance(struct watched *watched, size_t bytes)
{
    watched->done += (double)bytes;
    show_progress(&watched->progress, watched->done / watched->total);
}

#if defined(__linux__)

static ssize_t read_watched(void *cookie, char *bytes, size_t size)
{
    struct watched *watched = cookie;
    const size_t n = fread(bytes, 1, size, watched->inner);
    progress_advance(watched, n);
    return n == 0 && ferror(watched->inner) ? -1 : (ssize_t)n;
}

/* Returns 0 on failure. */
static ssize_t write_watched(void *cookie, const char *bytes, size_t size)
{
    struct watched *watched = cookie;
    const size_t n = fwrite(bytes, 1, size, watched->inner);
    progress_advance(watched, n);
    return (ssize_t)n;
}

static FILE *open_watched(struct watched *watched, bool write)
{
    const cookie_io_functions_t functions = {.read = write ? NULL : read_watched,
                                             .write = write ? write_watched : NULL};
    return fopencookie(watched, write ? "wb" : "rb", functions);
}

#else

static FILE *open_watched(struct watched *watched, bool write)
{
    (void)watched;
    (void)write;
    return NULL;
}

#endif

static FILE *progress_watch(struct watched *watched, FILE *stream, double total, const char *label)
{
    *watched = (struct watched){.inner = stream, .total = total > 1 ? total : 1};
    if (begin_progress(&watched->progress, label) == NULL || isatty(fileno(stream)) == 1) {
        return stream;
    }
    watched->outer = open_watched(watched, label[0] == 'w');
    return watched->outer != NULL ? watched->outer : stream;
}

FILE *watch_reading(struct watched *watched, FILE *stream)
{
    struct stat status;
    *watched = (struct watched){.inner = stream};
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode)) {
        return stream; /* the number of bytes to come is unknown */
    }
    return progress_watch(watched, stream, (double)status.st_size, "reading");
}

/* In text, a coefficient takes about bits * log10(2) digits and a space. */
#define DIGITS_PER_BIT 0.30103

FILE *watch_writing(struct watched *watched, FILE *stream, const gfp_field *field, size_t n,
                    gfp_format format)
{
    const double each = format == GFP_FORMAT_BINARY ? 8.0 * gfp_field_k(field)
                                                    : DIGITS_PER_BIT * gfp_field_bits(field) + 1;
    return progress_watch(watched, stream, each * (double)n, "writing");
}

bool end_watching(struct watched *watched)
{
    const bool good = watched->outer == NULL || fclose(watched->outer) == 0;
    const int error_number = errno;
    end_progress(&watched->progress);
    watched->outer = NULL;
    errno = error_number;
    return good;
}
