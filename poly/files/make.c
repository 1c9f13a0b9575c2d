/* make.c: files that are being made: without a name or under a temporary one, on disk space
 * reserved beforehand, put in place in one step; and scratch memory on disk. POSIX.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* madvise, MAP_ANONYMOUS, O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "poly/files/impl.h"
#include "poly/impl.h"
#include "field/base/support.h"

#define MAX_TEMPORARIES 1000

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The i-th temporary name to try in the folder of path. False: name is too short for it. */
static bool write_name(const char *path, unsigned i, char *name, size_t size)
{
    const int length = snprintf(name, size, "%.*s.gfpoly-%ld-%u", (int)folder_length(path), path,
                                (long)getpid(), i);
    return length >= 0 && (size_t)length < size;
}

int gfp_file_create_beside(const char *path, char *name, size_t size)
{
    int fd = -1;
    errno = EEXIST;
    for (unsigned i = 0; i < MAX_TEMPORARIES && fd < 0 && errno == EEXIST; i++) {
        if (!write_name(path, i, name, size)) {
            errno = ENAMETOOLONG;
            break;
        }
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

/* The path of a descriptor of this process. */
#define DESCRIPTOR_LINK "/proc/self/fd/%d"
#define LINK_SIZE 40

/* Opens a file without a name in the folder of path: nothing is left of it however the process
 * ends. name has room for the folder and one character more. scratch: the file never gets a name.
 * -1 if the system has no such files, or cannot name them. */
static int open_nameless_file(const char *path, char *name, size_t size, bool scratch)
{
    int fd = -1;
#if defined(O_TMPFILE)
    char link[LINK_SIZE];
    snprintf(name, size, "%.*s.", (int)folder_length(path), path);
    fd = open(name, O_TMPFILE | O_RDWR | O_CLOEXEC | (scratch ? O_EXCL : 0), 0666);
    snprintf(link, sizeof link, DESCRIPTOR_LINK, fd);
    if (fd >= 0 && !scratch && access(link, F_OK) != 0) {
        (void)close(fd);
        fd = -1;
    }
#else
    (void)path;
    (void)scratch;
#endif
    name[0] = '\0';
    (void)size;
    return fd;
}

/* Gives the file a name; false with EEXIST if another file has it. */
static bool give_name(int fd, const char *path)
{
    char link[LINK_SIZE];
    snprintf(link, sizeof link, DESCRIPTOR_LINK, fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Beyond the limit on the size of files the system would send a signal. */
static bool within_limit(size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        bytes > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    return true;
}

/* Returns an error number. posix_fallocate writes to files whose file system reserves nothing. */
static int reserve_space(int fd, off_t bytes, bool shared)
{
#if defined(__linux__)
    if (shared) {
        return fallocate(fd, 0, 0, bytes) == 0 ? 0 : errno;
    }
#endif
    (void)shared;
    return posix_fallocate(fd, 0, bytes);
}

bool gfp_file_reserve(int fd, size_t bytes, bool shared)
{
    int number;
    if (bytes > PTRDIFF_MAX || (uintmax_t)(off_t)bytes != bytes) {
        errno = EFBIG;
        return false;
    }
    if (!within_limit(bytes)) {
        return false;
    }
    do {
        number = reserve_space(fd, (off_t)bytes, shared);
    } while (number == EINTR);
    errno = number;
    return number == 0;
}

/* ---- making a file ---- */

/* The path with links followed, even to a file that does not exist. *mode := the file's mode, or
 * 0. The caller frees the result; NULL with errno. */
static char *find_target(const char *path, mode_t *mode)
{
    struct stat status;
    *mode = 0;
    if (stat(path, &status) != 0) {
        return errno == ENOENT && path[0] != '\0' ? gfp_path_follow(path) : NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    if (access(path, W_OK) != 0) {
        return NULL; /* renaming over a write-protected file would circumvent the protection */
    }
    *mode = status.st_mode & 07777;
    return gfp_path_follow(path);
}

static gfp_status take_names(gfp_file *file, const char *target, gfp_error *error)
{
    file->target_size = strlen(target) + 1;
    file->temporary_size = file->target_size + GFP_FILE_NAME_BYTES;
    file->target = gfp_allocate(&file->allocator, file->target_size, 1);
    file->temporary = gfp_allocate(&file->allocator, file->temporary_size, 1);
    if (file->target == NULL || file->temporary == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a name");
    }
    memcpy(file->target, target, file->target_size);
    return GFP_OK;
}

static void drop_names(gfp_file *file)
{
    gfp_release(&file->allocator, file->target, file->target_size, 1);
    gfp_release(&file->allocator, file->temporary, file->temporary_size, 1);
    file->target = NULL;
    file->temporary = NULL;
}

void gfp_file_remove(gfp_file *file)
{
    if (file->fd >= 0) {
        if (file->temporary[0] != '\0' && !file->kept) {
            (void)unlink(file->temporary);
        }
        (void)close(file->fd);
        file->fd = -1;
    }
    drop_names(file);
}

static gfp_status make_nameless(gfp_file *file, mode_t mode, gfp_error *error)
{
    file->fd = open_nameless_file(file->target, file->temporary, file->temporary_size, false);
    if (file->fd < 0) {
        file->fd = gfp_file_create_beside(file->target, file->temporary, file->temporary_size);
    }
    if (file->fd < 0) {
        return gfp_file_io_error(error, "cannot create a file");
    }
    if (mode != 0) {
        (void)fchmod(file->fd, mode); /* ignored if the system refuses */
    }
    return GFP_OK;
}

/* ---- a file that stays ---- */

/* The first page of a file that stays: its header, without a checksum of the payload, and the tag
 * at this byte. A complete file has zeros there. */
#define AT_TAG (GFP_BINARY_PAYLOAD - sizeof(uint64_t))
#define MAGIC_BYTES 8

/* The tag of a file that no call with a journal has begun to fill. */
#define TAG_UNUSED 1

uint64_t gfp_file_tag(const gfp_file *file)
{
    uint64_t tag;
    memcpy(&tag, file->map + AT_TAG, sizeof tag);
    return tag;
}

bool gfp_file_set_tag(const gfp_file *file, uint64_t tag)
{
    memcpy(file->map + AT_TAG, &tag, sizeof tag);
    return msync(file->map, GFP_BINARY_PAYLOAD, MS_SYNC) == 0;
}

gfp_status gfp_file_disown(const gfp_file *file, gfp_error *error)
{
    return !file->kept || gfp_file_set_tag(file, TAG_UNUSED)
               ? GFP_OK
               : gfp_file_io_error(error, "cannot write");
}

static gfp_status begin_kept(gfp_file *file, unsigned char *page, gfp_error *error)
{
    const uint64_t tag = TAG_UNUSED;
    memcpy(page + AT_TAG, &tag, sizeof tag);
    return ftruncate(file->fd, 0) == 0 &&
                   pwrite(file->fd, page, GFP_BINARY_PAYLOAD, 0) == GFP_BINARY_PAYLOAD &&
                   fdatasync(file->fd) == 0
               ? GFP_OK
               : gfp_file_io_error(error, "cannot write");
}

/* Goes on with a file of this size that was begun for the same field and length, or if it is not
 * `shared` begins a new one. Other files stay as they are. */
static gfp_status continue_kept(gfp_file *file, uintmax_t size, bool shared, gfp_error *error)
{
    unsigned char page[GFP_BINARY_PAYLOAD], found[GFP_BINARY_PAYLOAD];
    gfp_binary_head head;
    uint64_t tag = 0;
    gfp_binary_encode(page, &file->head);
    if (size == 0 && !shared) {
        return begin_kept(file, page, error);
    }
    const bool whole = pread(file->fd, found, sizeof found, 0) == (ssize_t)sizeof found;
    if (whole) {
        memcpy(&tag, found + AT_TAG, sizeof tag);
    }
    if (whole && tag == 0 && gfp_binary_decode(&head, found, NULL) == GFP_OK) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "%.80s lacks nothing but its name: rename it to %.80s, or remove it",
                             file->temporary, file->target);
    }
    if (!whole || tag == 0 || memcmp(found, page, MAGIC_BYTES) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "%.150s is no unfinished file",
                             file->temporary);
    }
    if (memcmp(found, page, AT_TAG) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "%.150s is an unfinished file of another field or length",
                             file->temporary);
    }
    if (size < file->bytes && shared) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "%.150s is cut off", file->temporary);
    }
    return size >= file->bytes ? GFP_OK : begin_kept(file, page, error);
}

/* Keeps all others out, or those that do not share the file, if the file system can. */
static gfp_status lock_kept(gfp_file *file, bool shared, gfp_error *error)
{
    const gfp_lock lock = gfp_path_lock(file->fd, shared);
    file->locked = lock == GFP_LOCK_HELD;
    return lock == GFP_LOCK_BUSY ? gfp_error_set(error, GFP_ERR_IO,
                                                 "%.150s: another process uses it", file->temporary)
                                 : GFP_OK;
}

/* Opens and locks the file. */
static gfp_status take_kept(gfp_file *file, bool shared, struct stat *status, gfp_error *error)
{
    do {
        if (file->fd >= 0) {
            (void)close(file->fd); /* another process has renamed or removed it meanwhile */
        }
        file->fd =
            open(file->temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (shared ? 0 : O_CREAT), 0666);
        if (file->fd < 0 && errno == ELOOP) {
            return gfp_error_set(error, GFP_ERR_ARGUMENT, "%.150s is a symbolic link",
                                 file->temporary);
        }
        if (file->fd < 0) {
            return gfp_file_io_error(error, shared ? "cannot open" : "cannot create a file");
        }
        GFP_TRY(lock_kept(file, shared, error));
    } while (!gfp_path_names(file->temporary, file->fd, false));
    if (fstat(file->fd, status) != 0) {
        return gfp_file_io_error(error, "cannot read its size and type");
    }
    return S_ISREG(status->st_mode)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "%.150s is no file", file->temporary);
}

/* An empty file does not stay yet: file->kept becomes false. */
static gfp_status open_kept(gfp_file *file, mode_t mode, bool shared, gfp_error *error)
{
    struct stat status;
    (void)snprintf(file->temporary, file->temporary_size, "%s" GFP_FILE_KEPT, file->target);
    GFP_TRY(take_kept(file, shared, &status, error));
    file->kept = shared || status.st_size != 0;
    if (!file->kept && mode != 0) {
        (void)fchmod(file->fd, mode); /* ignored if the system refuses */
    }
    GFP_TRY(continue_kept(file, (uintmax_t)status.st_size, shared, error));
    const gfp_status locked = shared ? GFP_OK : lock_kept(file, true, error);
    file->kept = file->kept || locked != GFP_OK; /* then it is another process's file */
    return locked;
}

/* What is asked for: a new file, or one that stays, of this process or of another one. */
typedef enum file_kind { FILE_NEW, FILE_KEPT, FILE_SHARED } file_kind;

/* Makes the file, all zeros, or finds one that stays. */
static gfp_status create_at(gfp_file *file, const char *target, mode_t mode, file_kind kind,
                            gfp_error *error)
{
    file->bytes = GFP_BINARY_PAYLOAD + (size_t)file->head.bytes;
    GFP_TRY(take_names(file, target, error));
    file->kept = kind != FILE_NEW;
    GFP_TRY(file->kept ? open_kept(file, mode, kind == FILE_SHARED, error)
                       : make_nameless(file, mode, error));
    if (!gfp_file_reserve(file->fd, file->bytes, file->kept)) {
        return gfp_file_io_error(error, "no disk space for the file");
    }
    void *map = mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (map == MAP_FAILED) {
        return gfp_file_io_error(error, "cannot map it into memory");
    }
    file->map = map;
    file->kept = kind != FILE_NEW;
    return GFP_OK;
}

static gfp_status create_file(gfp_file **file, const char *path, const gfp_field *field,
                              size_t length, file_kind kind, gfp_error *error)
{
    gfp_file *f = NULL;
    mode_t mode = 0;
    GFP_TRY(gfp_file_new(&f, gfp_field_allocator(field), error));
    f->field = field;
    gfp_status status = gfp_binary_describe(&f->head, field, length);
    char *target = status == GFP_OK ? find_target(path, &mode) : NULL;
    if (status != GFP_OK) {
        gfp_error_set(error, status, "a file of %zu coefficients is too long", length);
    } else if (target == NULL) {
        status = gfp_file_io_error(error, "cannot write there");
    } else {
        status = create_at(f, target, mode, kind, error);
    }
    const int number = errno;
    free(target);
    if (status == GFP_OK) {
        *file = f;
    } else {
        gfp_file_close(f);
    }
    errno = number;
    return status;
}

gfp_status gfp_file_create(gfp_file **file, const char *path, const gfp_field *field, size_t length,
                           gfp_error *error)
{
    return create_file(file, path, field, length, FILE_NEW, error);
}

gfp_status gfp_file_resume(gfp_file **file, const char *path, const gfp_field *field, size_t length,
                           gfp_error *error)
{
    return create_file(file, path, field, length, FILE_KEPT, error);
}

gfp_status gfp_file_share(gfp_file **file, const char *path, const gfp_field *field, size_t length,
                          gfp_error *error)
{
    return create_file(file, path, field, length, FILE_SHARED, error);
}

/* ---- putting it in place ---- */

static gfp_status complete_file(gfp_file *file, gfp_error *error)
{
    if (!file->summed) {
        GFP_TRY(gfp_binary_sum(&file->head.checksum, &file->head, file->field,
                               gfp_file_get_info(file).digits, error));
    }
    /* Without areas; the tag goes last, when nothing else is left to do. */
    if (file->kept && (ftruncate(file->fd, (off_t)file->bytes) != 0 ||
                       msync(file->map, file->bytes, MS_SYNC) != 0 || fsync(file->fd) != 0)) {
        return gfp_file_io_error(error, "cannot write");
    }
    gfp_binary_encode(file->map, &file->head);
    if (msync(file->map, file->bytes, MS_SYNC) != 0 || fsync(file->fd) != 0) {
        return gfp_file_io_error(error, "cannot write");
    }
    return GFP_OK;
}

/* Gives a file without a name a temporary one; false with errno. */
static bool take_temporary(gfp_file *file)
{
    bool named = false;
    errno = EEXIST;
    for (unsigned i = 0; i < MAX_TEMPORARIES && !named && errno == EEXIST; i++) {
        if (!write_name(file->target, i, file->temporary, file->temporary_size)) {
            errno = ENAMETOOLONG;
            break;
        }
        named = give_name(file->fd, file->temporary);
    }
    if (!named) {
        file->temporary[0] = '\0';
    }
    return named;
}

gfp_status gfp_file_name(gfp_file *file, gfp_error *error)
{
    if (file->fd < 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "this file is not being made");
    }
    return file->temporary[0] != '\0' || take_temporary(file)
               ? GFP_OK
               : gfp_file_io_error(error, "cannot name the file");
}

/* Puts the file in place of a file with the target's name: for an instant the new file has a
 * temporary name. */
static bool replace_target(gfp_file *file)
{
    sigset_t all, before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool named = take_temporary(file);
    const bool done = named && rename(file->temporary, file->target) == 0;
    const int number = errno;
    if (named && !done) {
        (void)unlink(file->temporary);
    }
    file->temporary[0] = '\0';
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return done;
}

static bool put_in_place(gfp_file *file)
{
    if (file->kept && !gfp_path_names(file->temporary, file->fd, false)) {
        errno = ENOENT;
        return false;
    }
    if (file->temporary[0] != '\0') {
        return rename(file->temporary, file->target) == 0;
    }
    return give_name(file->fd, file->target) || (errno == EEXIST && replace_target(file));
}

gfp_status gfp_file_commit(gfp_file *file, gfp_error *error)
{
    if (file->fd < 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "this file is not being made");
    }
    GFP_TRY(complete_file(file, error));
    if (!put_in_place(file)) {
        return gfp_file_io_error(error, "cannot put the file in place");
    }
    (void)close(file->fd);
    file->fd = -1;
    file->kept = false;
    (void)mprotect(file->map, file->bytes, PROT_READ);
    gfp_path_sync(file->target);
    drop_names(file);
    return GFP_OK;
}

/* ---- scratch memory ---- */

/* Creates a file without a name; no signal comes between the two steps. */
static int create_nameless(const char *path, char *name, size_t size)
{
    sigset_t all, before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    int fd = open_nameless_file(path, name, size, true);
    if (fd < 0) {
        fd = gfp_file_create_beside(path, name, size);
    }
    int number = errno;
    if (fd >= 0 && name[0] != '\0') {
        (void)unlink(name);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return fd;
}

static gfp_status open_nameless(int *fd, const char *path, const gfp_allocator *allocator,
                                size_t bytes, gfp_error *error)
{
    const size_t size = strlen(path) + GFP_FILE_NAME_BYTES;
    char *name = gfp_allocate(allocator, size, 1);
    if (name == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a name");
    }
    *fd = create_nameless(path, name, size);
    const int number = errno;
    gfp_release(allocator, name, size, 1);
    errno = number;
    if (*fd < 0) {
        return gfp_file_io_error(error, "cannot create a scratch file");
    }
    if (!gfp_file_reserve(*fd, bytes, false)) {
        const gfp_status status = gfp_file_io_error(error, "no disk space for a scratch file");
        const int reason = errno;
        (void)close(*fd);
        errno = reason;
        return status;
    }
    return GFP_OK;
}

/* Reserves the addresses as memory, then maps the file over the first of them. */
static bool map_scratch(gfp_scratch *scratch, int fd, size_t mapped)
{
    void *map =
        mmap(NULL, scratch->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return false;
    }
    if (mapped > 0 &&
        mmap(map, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        const int number = errno;
        (void)munmap(map, scratch->bytes);
        errno = number;
        return false;
    }
#if defined(MADV_HUGEPAGE)
    if (scratch->bytes > mapped) {
        (void)madvise((unsigned char *)map + mapped, scratch->bytes - mapped, MADV_HUGEPAGE);
    }
#endif
    scratch->words = map;
    return true;
}

gfp_status gfp_scratch_open(gfp_scratch *scratch, const char *path, const gfp_allocator *allocator,
                            size_t streamed, size_t held, gfp_error *error)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t mapped = streamed / page * page; /* the rest is held in memory */
    int fd = -1;
    *scratch = (gfp_scratch){.streamed = streamed, .held = held};
    if (!gfp_size_add(&scratch->bytes, streamed, held) || scratch->bytes > PTRDIFF_MAX - page) {
        return gfp_error_set(error, GFP_ERR_SIZE, "scratch memory does not fit size_t");
    }
    if (mapped > 0) {
        GFP_TRY(open_nameless(&fd, path, allocator, mapped, error));
    }
    const bool done = map_scratch(scratch, fd, mapped);
    const int number = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = number;
    return done ? GFP_OK
                : gfp_error_set(error, GFP_ERR_MEMORY, "no memory for %zu bytes of scratch",
                                scratch->bytes);
}

void gfp_scratch_close(gfp_scratch *scratch)
{
    if (scratch->words != NULL) {
        (void)munmap(scratch->words, scratch->bytes);
    }
    *scratch = (gfp_scratch){.bytes = 0};
}
