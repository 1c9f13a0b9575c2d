/* output.c: where results go. Regular files are written under a temporary name in the same folder
 * and renamed when complete, so that the old file survives every failure, signals included.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* Signals that end the command: the temporary file has to go first. */
static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT};
#define FATAL_SIGNALS (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

/* What the handler removes; changed only while the signals are blocked. */
static const char *volatile unfinished;

static void remove_and_die(int number)
{
    /* SIGABRT is how FLINT and GMP end the command when they have no memory. */
    static const char aborted[] = "gfpoly: out of memory or internal failure in FLINT or GMP\n";
    const char *path = unfinished;
    if (path != NULL) {
        (void)unlink(path);
    }
    if (number == SIGABRT) {
        ssize_t written = write(STDERR_FILENO, aborted, sizeof(aborted) - 1);
        (void)written;
        _exit(FAILED);
    }
    /* The handler was reset on entry (SA_RESETHAND): this ends the process as usual. */
    (void)raise(number);
}

static void fatal_signal_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < FATAL_SIGNALS; i++) {
        sigaddset(set, fatal_signals[i]);
    }
}

static void catch_signals(void)
{
    for (size_t i = 0; i < FATAL_SIGNALS; i++) {
        struct sigaction action;
        bool known = sigaction(fatal_signals[i], NULL, &action) == 0;
        if (!known || (action.sa_handler == SIG_IGN && fatal_signals[i] != SIGABRT)) {
            continue; /* as under nohup: stays ignored; abort() ends the command anyway */
        }
        action = (struct sigaction){.sa_handler = remove_and_die};
        action.sa_flags = (int)SA_RESETHAND;
        fatal_signal_set(&action.sa_mask);
        (void)sigaction(fatal_signals[i], &action, NULL);
    }
}

/* A closed standard stream would lend its number to the next file opened: put something there that
 * cannot be read or written. */
static void occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

static void check_at_exit(void)
{
    if (flush_standard_output(0) != DONE) {
        _exit(FAILED);
    }
}

void prepare_output(void)
{
    occupy_standard_streams();
    catch_signals();
    /* A closed pipe and a file-size limit shall be errors of write, which are reported. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)atexit(check_at_exit);
}

static int complain_write(const char *path, int error_number)
{
    complain("%s: cannot write: %s", path != NULL ? path : "standard output",
             error_number != 0 ? strerror(error_number) : "unknown error");
    return FAILED;
}

int flush_standard_output(int error_number)
{
    static bool reported;
    errno = 0;
    bool failed = fflush(stdout) != 0;
    if (failed && error_number == 0) {
        error_number = errno;
    }
    if (!failed && !ferror(stdout) && error_number == 0) {
        return DONE;
    }
    if (!reported) {
        reported = true;
        (void)complain_write(NULL, error_number);
    }
    return FAILED;
}

void hold_signals(sigset_t *before)
{
    sigset_t fatal;
    fatal_signal_set(&fatal);
    (void)sigprocmask(SIG_BLOCK, &fatal, before);
}

void release_signals(const sigset_t *before, const char *temporary)
{
    unfinished = temporary;
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

/* Gives the new file the old one's mode, and owner where that is permitted; without an old file
 * (old NULL), what the umask says. */
static bool set_mode(int fd, const struct stat *old)
{
    if (old == NULL) {
        mode_t mask = umask(0);
        (void)umask(mask);
        return fchmod(fd, 0666 & ~mask) == 0;
    }
    if ((old->st_uid != geteuid() || old->st_gid != getegid()) &&
        fchown(fd, old->st_uid, old->st_gid) != 0) {
        /* Not permitted: the file belongs to whoever replaces it. */
        errno = 0;
    }
    return fchmod(fd, old->st_mode & 07777) == 0;
}

/* Creates output->temporary, which the signal handler knows from the start. Returns its descriptor
 * or -1. */
static int create_temporary(struct output *output)
{
    sigset_t fatal;
    sigset_t before;
    fatal_signal_set(&fatal);
    (void)sigprocmask(SIG_BLOCK, &fatal, &before);
    int fd = mkstemp(output->temporary);
    int error_number = errno;
    unfinished = fd >= 0 ? output->temporary : NULL;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error_number;
    return fd;
}

/* Removes the temporary file, or with commit puts it in the target's place. */
static bool end_temporary(struct output *output, bool commit)
{
    sigset_t fatal;
    sigset_t before;
    fatal_signal_set(&fatal);
    (void)sigprocmask(SIG_BLOCK, &fatal, &before);
    bool done = commit && rename(output->temporary, output->target) == 0;
    int error_number = errno;
    if (!done) {
        (void)unlink(output->temporary);
    }
    unfinished = NULL;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error_number;
    return done == commit;
}

static void free_names(struct output *output)
{
    free(output->target);
    free(output->temporary);
    output->target = NULL;
    output->temporary = NULL;
}

/* Opens a temporary file beside output->target. */
static bool open_temporary(struct output *output, const struct stat *old)
{
    output->temporary = join_path(output->target, folder_length(output->target), ".gfpoly-XXXXXX");
    if (output->temporary == NULL) {
        return false;
    }
    int fd = create_temporary(output);
    if (fd < 0) {
        return false;
    }
    output->stream = set_mode(fd, old) ? fdopen(fd, "wb") : NULL;
    if (output->stream == NULL) {
        int error_number = errno;
        (void)close(fd);
        (void)end_temporary(output, false);
        errno = error_number;
        return false;
    }
    return true;
}

/* Writes go through the descriptor itself, with its place in the file: opened by its path, a
 * regular file would be written from its beginning. */
static bool open_descriptor(struct output *output, int descriptor)
{
    if (descriptor == STDOUT_FILENO) {
        output->stream = stdout;
        return true;
    }
    int flags = fcntl(descriptor, F_GETFL);
    if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return false;
    }
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    output->stream = copy == -1 ? NULL : fdopen(copy, "wb");
    return output->stream != NULL;
}

/* A device, FIFO or socket is written directly; a regular file is replaced, or created. */
static bool open_file(struct output *output)
{
    struct stat status;
    bool exists = stat(output->target, &status) == 0;
    if (!exists && errno != ENOENT) {
        return false;
    }
    if (exists && !S_ISREG(status.st_mode)) {
        output->stream = fopen(output->target, "wb");
        return output->stream != NULL;
    }
    if (exists && access(output->target, W_OK) != 0) {
        return false; /* renaming over a write-protected file would circumvent its protection */
    }
    return open_temporary(output, exists ? &status : NULL);
}

static bool open_path(struct output *output, const char *path)
{
    struct target target;
    if (!find_target(&target, path)) {
        return false;
    }
    if (target.descriptor >= 0) {
        free(target.path);
        return open_descriptor(output, target.descriptor);
    }
    output->target = target.path;
    if (target.foreign) {
        output->stream = fopen(target.path, "ab"); /* its place is not ours to know: at the end */
        return output->stream != NULL;
    }
    return open_file(output);
}

int open_output(struct output *output, const char *path)
{
    *output = (struct output){.stream = stdout};
    if (path == NULL || strcmp(path, "-") == 0) {
        return DONE;
    }
    output->path = path;
    output->stream = NULL;
    if (!open_path(output, path)) {
        int code = complain_write(path, errno);
        free_names(output);
        return code;
    }
    return DONE;
}

/* Ends a write to a named file. */
static int finish_file(struct output *output, int error_number)
{
    errno = 0;
    bool failed = fflush(output->stream) != 0 || ferror(output->stream) != 0;
    if (failed && error_number == 0) {
        error_number = errno != 0 ? errno : EIO;
    }
    errno = 0;
    if (fclose(output->stream) != 0 && error_number == 0) {
        error_number = errno != 0 ? errno : EIO;
    }
    if (output->temporary != NULL && !end_temporary(output, error_number == 0)) {
        error_number = errno;
    }
    free_names(output);
    return error_number == 0 ? DONE : complain_write(output->path, error_number);
}

int finish_output(struct output *output, gfp_status status)
{
    int error_number = errno;
    if (status != GFP_OK && status != GFP_ERR_IO) {
        abandon_output(output);
        return complain_status(output->path, status, NULL);
    }
    if (status == GFP_OK) {
        error_number = 0;
    } else if (error_number == 0) {
        error_number = EIO;
    }
    if (output->stream != stdout) {
        return finish_file(output, error_number);
    }
    return flush_standard_output(error_number);
}

void abandon_output(struct output *output)
{
    if (output->stream == stdout) {
        return;
    }
    (void)fclose(output->stream);
    if (output->temporary != NULL) {
        (void)end_temporary(output, false);
    }
    free_names(output);
}
