/* output.c: writes results. A new regular file has no name, or a temporary one, in the folder of
 * its target, and takes the target's name when it is complete. The old file survives every failure,
 * signals included.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"

/* Signals that end the command; the handler first removes the temporary files. */
static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGALRM};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof fatal_signals[0])

/* The temporary name of a new file. Digits replace its end. */
#define TEMPORARY_NAME ".gfpoly-XXXXXX"
#define TEMPORARY_DIGITS 6
#define NAMES 1000000U
#define MAX_NAMES 1000

/* The path of a descriptor of this process. */
#define DESCRIPTOR_LINK "/proc/self/fd/%d"
#define LINK_SIZE 40

/* The files that the handler removes; changed only while the signals are blocked. */
static const char *volatile unfinished[MAX_FILES];

/* Replaces `old` by `new`; NULL is an empty slot. */
static void replace_unfinished(const char *old, const char *new)
{
    size_t i = 0;
    while (i < MAX_FILES && unfinished[i] != old) {
        i++;
    }
    if (i < MAX_FILES) {
        unfinished[i] = new;
    }
}

/* The message of stop_after. */
static char out_of_time[100];
static size_t out_of_time_length;

void remove_unfinished(void)
{
    for (size_t i = 0; i < MAX_FILES; i++) {
        if (unfinished[i] != NULL) {
            (void)unlink(unfinished[i]);
        }
    }
}

static void remove_and_die(int number)
{
    /* FLINT and GMP end the command by SIGABRT when they run out of memory. */
    static const char aborted[] = "gfpoly: out of memory or internal failure in FLINT or GMP\n";
    remove_unfinished();
    if (number == SIGABRT) {
        ssize_t written = write(STDERR_FILENO, aborted, sizeof aborted - 1);
        (void)written;
        _exit(FAILED);
    }
    if (number == SIGALRM) {
        ssize_t written = write(STDERR_FILENO, out_of_time, out_of_time_length);
        (void)written;
        _exit(OUT_OF_TIME);
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
            continue; /* ignored as under nohup: stays ignored; abort() ends the command in any case
                       */
        }
        action = (struct sigaction){.sa_handler = remove_and_die};
        action.sa_flags = (int)SA_RESETHAND;
        fatal_signal_set(&action.sa_mask);
        (void)sigaction(fatal_signals[i], &action, NULL);
    }
}

/* The next file opened would get the number of a closed standard stream: opens a descriptor there
 * that cannot be read or written. */
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

void stop_after(double seconds)
{
    struct itimerval timer = {.it_interval = {0, 0}};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - floor(seconds)) * 1e6);
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) {
        timer.it_value.tv_usec = 1; /* 0 is no limit */
    }
    const char *clear = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : ""; /* of a progress bar */
    const int length =
        snprintf(out_of_time, sizeof out_of_time,
                 "%sgfpoly: stopped: the %g seconds of --timeout are over\n", clear, seconds);
    out_of_time_length = (size_t)length;
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void prepare_output(void)
{
    occupy_standard_streams();
    catch_signals();
    /* A closed pipe and a file-size limit become errors of write, which are reported. */
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

void release_signals(const sigset_t *before, const char *old, const char *new)
{
    replace_unfinished(old, new);
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

/* Gives the new file the old file's mode, and its owner where that is permitted; without an old
 * file (old NULL), the mode that the umask gives. */
static bool set_mode(int fd, const struct stat *old)
{
    if (old == NULL) {
        mode_t mask = umask(0);
        (void)umask(mask);
        return fchmod(fd, 0666 & ~mask) == 0;
    }
    if ((old->st_uid != geteuid() || old->st_gid != getegid()) &&
        fchown(fd, old->st_uid, old->st_gid) != 0) {
        /* Not permitted: the new file belongs to the user of this process. */
        errno = 0;
    }
    return fchmod(fd, old->st_mode & 07777) == 0;
}

/* Creates output->temporary and registers it with the signal handler. Returns its descriptor or -1.
 */
static int create_temporary(struct output *output)
{
    sigset_t before;
    hold_signals(&before);
    int fd = mkstemp(output->temporary);
    int error_number = errno;
    release_signals(&before, NULL, fd >= 0 ? output->temporary : NULL);
    errno = error_number;
    return fd;
}

/* Opens a file without a name in target's folder, which vanishes if the command ends early. Returns
 * -1 where the file system has no such files, or where the file could not get a name later. */
static int create_nameless(const char *target)
{
    int fd = -1;
#if defined(O_TMPFILE)
    char link[LINK_SIZE];
    char *folder = join_path(target, folder_length(target), ".");
    if (folder != NULL) {
        fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    }
    free(folder);
    snprintf(link, sizeof link, DESCRIPTOR_LINK, fd);
    if (fd >= 0 && access(link, F_OK) != 0) {
        (void)close(fd);
        fd = -1;
    }
#else
    (void)target;
#endif
    return fd;
}

static bool give_name(int fd, const char *path)
{
    char link[LINK_SIZE];
    snprintf(link, sizeof link, DESCRIPTOR_LINK, fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives the nameless file the target's name: directly if no such file exists; else through a
 * temporary name and a rename. */
static bool link_in_place(struct output *output)
{
    char *name = output->temporary;
    char *digits = name + strlen(name) - TEMPORARY_DIGITS;
    bool named = give_name(output->nameless, output->target);
    if (named) {
        return true;
    }
    const unsigned first = (unsigned)getpid();
    for (unsigned i = 0; !named && errno == EEXIST && i < MAX_NAMES; i++) {
        snprintf(digits, TEMPORARY_DIGITS + 1, "%0*u", TEMPORARY_DIGITS, (first + i) % NAMES);
        named = give_name(output->nameless, name);
    }
    bool done = named && rename(name, output->target) == 0;
    if (named && !done) {
        int error_number = errno;
        (void)unlink(name);
        errno = error_number;
    }
    return done;
}

/* Removes the new file, or with commit puts it in the target's place. Returns whether that
 * succeeded. */
static bool end_temporary(struct output *output, bool commit)
{
    sigset_t before;
    hold_signals(&before);
    const bool named = output->nameless < 0;
    bool done =
        commit && (named ? rename(output->temporary, output->target) == 0 : link_in_place(output));
    int error_number = errno;
    if (!named) {
        (void)close(output->nameless);
    } else if (!done) {
        (void)unlink(output->temporary);
    }
    release_signals(&before, output->temporary, NULL);
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

/* Opens the new file in the folder of output->target. */
static bool open_temporary(struct output *output, const struct stat *old)
{
    output->temporary = join_path(output->target, folder_length(output->target), TEMPORARY_NAME);
    if (output->temporary == NULL) {
        return false;
    }
    output->nameless = create_nameless(output->target);
    int fd = output->nameless >= 0 ? fcntl(output->nameless, F_DUPFD_CLOEXEC, 0)
                                   : create_temporary(output);
    output->stream = fd >= 0 && set_mode(fd, old) ? fdopen(fd, "wb") : NULL;
    if (output->stream == NULL) {
        int error_number = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        if (fd >= 0 || output->nameless >= 0) {
            (void)end_temporary(output, false);
        }
        errno = error_number;
        return false;
    }
    return true;
}

/* Writes through the descriptor itself and thus at its place in the file: a regular file opened
 * again by its path would be written from its beginning. */
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
        output->stream =
            fopen(target.path, "ab"); /* the other process's place is unknown: append */
        return output->stream != NULL;
    }
    return open_file(output);
}

int open_output(struct output *output, const char *path)
{
    *output = (struct output){.stream = stdout, .nameless = -1};
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

int open_result(struct output *output, const struct request *request, const char *path,
                gfp_format format)
{
    const int code = open_output(output, path);
    if (code == DONE && format == GFP_FORMAT_BINARY && !request->force &&
        isatty(fileno(output->stream)) == 1) {
        abandon_output(output);
        complain("%s: the binary format is not for a terminal: -o FILE writes it to a file, -f "
                 "(--force) here all the same",
                 request->command->name);
        return BAD_USAGE;
    }
    return code;
}

/* Leaves errno as it was after an error. */
static gfp_status write_elements(const struct output *output, const gfp_field *field,
                                 const uint64_t *digits, size_t n, gfp_format format)
{
    struct watched watched;
    FILE *stream = watch_writing(&watched, output->stream, field, n, format);
    gfp_status status = gfp_vec_fwrite(field, digits, n, stream, format);
    if (!end_watching(&watched) && status == GFP_OK) {
        status = GFP_ERR_IO;
    }
    return status;
}

int write_result(struct output *output, const gfp_field *field, const uint64_t *digits, size_t n,
                 gfp_format format)
{
    return finish_output(output, write_elements(output, field, digits, n, format));
}

/* Not all descriptors can be made durable: pipes cannot. */
static bool make_durable(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* Makes the name of a file durable, where the system can do this. */
static void sync_folder(const char *path)
{
    char *folder = join_path(path, folder_length(path), ".");
    const int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

/* Ends a write to a named file. */
static int finish_file(struct output *output, int error_number)
{
    errno = 0;
    bool failed = fflush(output->stream) != 0 || ferror(output->stream) != 0;
    if (failed && error_number == 0) {
        error_number = errno != 0 ? errno : EIO;
    }
    if (output->durable && error_number == 0 && !make_durable(fileno(output->stream))) {
        error_number = errno;
    }
    errno = 0;
    if (fclose(output->stream) != 0 && error_number == 0) {
        error_number = errno != 0 ? errno : EIO;
    }
    if (output->temporary != NULL && !end_temporary(output, error_number == 0)) {
        error_number = errno;
    }
    if (output->durable && error_number == 0 && output->target != NULL) {
        sync_folder(output->target);
    }
    free_names(output);
    if (error_number == 0) {
        tell("%s: written", output->path);
    }
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
    const int code = flush_standard_output(error_number);
    if (code == DONE && output->durable && !make_durable(STDOUT_FILENO)) {
        return flush_standard_output(errno);
    }
    return code;
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

/* ---- several results ---- */

/* Whether the paths have the same name in the same folder. */
static bool is_same_path(const char *a, const char *b)
{
    const size_t before_a = folder_length(a), before_b = folder_length(b);
    struct stat in_a, in_b;
    char *folder_a = join_path(a, before_a, "."), *folder_b = join_path(b, before_b, ".");
    const bool same = folder_a != NULL && folder_b != NULL &&
                      strcmp(a + before_a, b + before_b) == 0 && stat(folder_a, &in_a) == 0 &&
                      stat(folder_b, &in_b) == 0 && in_a.st_dev == in_b.st_dev &&
                      in_a.st_ino == in_b.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

static bool is_same_place(const struct output *a, const struct output *b)
{
    return a->target != NULL && b->target != NULL ? is_same_path(a->target, b->target)
                                                  : a->stream == b->stream;
}

/* Checks place[i] against --json and the places before it. */
static int check_place(const struct place *place, size_t i, const struct request *request)
{
    if (request->call.json && place[i].output.stream == stdout) {
        complain("%s: --json and %s %s would both write to standard output", request->command->name,
                 place[i].option, place[i].path);
        return BAD_USAGE;
    }
    const char *checkpoint = request->call.checkpoint, *target = place[i].output.target;
    if (checkpoint != NULL && target != NULL && is_same_path(checkpoint, target)) {
        complain("%s: --checkpoint %s and %s %s are the same file", request->command->name,
                 checkpoint, place[i].option, place[i].path);
        return BAD_USAGE;
    }
    for (size_t j = 0; j < i; j++) {
        if (place[j].path != NULL && is_same_place(&place[i].output, &place[j].output)) {
            complain("%s: %s %s and %s %s are the same file", request->command->name,
                     place[j].option, place[j].path, place[i].option, place[i].path);
            return BAD_USAGE;
        }
    }
    return DONE;
}

int open_places(struct place *place, size_t count, const struct request *request, gfp_format format)
{
    for (size_t i = 0; i < count; i++) {
        if (place[i].path == NULL) {
            continue;
        }
        int code = open_result(&place[i].output, request, place[i].path, format);
        const size_t opened = code == DONE ? i + 1 : i;
        code = code == DONE ? check_place(place, i, request) : code;
        if (code != DONE) {
            abandon_places(place, opened);
            return code;
        }
    }
    return DONE;
}

void abandon_places(struct place *place, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (place[i].path != NULL) {
            abandon_output(&place[i].output);
            place[i].path = NULL;
        }
    }
}

/* Writes a result, but does not end its output unless the write fails. */
static int write_place(struct place *place, const struct value *value, gfp_format format)
{
    FILE *stream = place->output.stream;
    const gfp_poly *poly = value->poly;
    gfp_status status =
        poly != NULL ? write_elements(&place->output, poly->field, poly->digits, poly->len, format)
                     : gfp_zvec_fwrite(value->integers, stream);
    if (status == GFP_OK && fflush(stream) != 0) {
        status = GFP_ERR_IO;
    }
    if (status == GFP_OK) {
        return DONE;
    }
    place->path = NULL;
    return finish_output(&place->output, status);
}

/* Standard output comes last: what it has received cannot be taken back. */
int write_places(struct place *place, size_t count, const struct value *value, gfp_format format)
{
    int code = DONE;
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < count && code == DONE; i++) {
            if (place[i].path != NULL && (place[i].output.stream == stdout) == (last == 1)) {
                code = write_place(&place[i], &value[i], format);
            }
        }
    }
    for (size_t i = 0; i < count && code == DONE; i++) {
        if (place[i].path != NULL) {
            place[i].path = NULL;
            code = finish_output(&place[i].output, GFP_OK);
        }
    }
    abandon_places(place, count);
    return code;
}
