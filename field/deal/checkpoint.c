/* checkpoint.c: see checkpoint.h. Records are appended by one call of writev each, so that a
 * process that is killed leaves whole records and one torn record at most.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* pwritev */
#include "field/deal/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "field/base/support.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* "GFPDEAL1" */
#define MAGIC UINT64_C(0x314c414544504647)
#define RECORD_MAGIC UINT64_C(0x44524f4345524647)
/* Time between two calls that make the file durable: at least this, and this many times what the
 * last one took. */
#define SYNC_NS UINT64_C(1000000000)
#define SYNC_TIMES 20
#define BUFFER ((size_t)1 << 16)

typedef struct file_head {
    uint64_t magic, key, unused, sum;
} file_head;

typedef struct record_head {
    uint64_t magic, key, from, to, bytes, data_sum, sum;
} record_head;

typedef struct record {
    uint64_t key, from, to, bytes;
    uint64_t at; /* offset of the results */
} record;

struct gfp_checkpoint {
    int fd;
    FILE *reader; /* while the file is opened */
    char *path;
    bool locked;  /* others are kept out */
    bool created; /* here, and with nothing written the file is removed */
    bool begun;   /* the header is written */
    uint64_t key;
    uint64_t end; /* of the last whole record */
    bool cut;     /* nothing is behind `end` */
    bool damaged; /* a record or its results are not what was written */
    record *records;
    size_t count, room;
    uint64_t next;            /* results are read from this offset on */
    bool unsynced;            /* something was written since the file was made durable last, */
    uint64_t synced, sync_ns; /* at this time, and the time this took */
};

uint64_t gfp_checkpoint_mix(uint64_t key, const void *data, size_t bytes)
{
    return XXH3_64bits_withSeed(data, bytes, key);
}

static gfp_status checkpoint_failed(const gfp_checkpoint *file, const char *what, gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_IO, "checkpoint %.100s: cannot %s: %s", file->path, what,
                         strerror(errno));
}

/* ---- open ---- */

/* Makes room for one more record. Returns whether there is memory. */
static bool reserve_record(gfp_checkpoint *file)
{
    if (file->count == file->room) {
        const size_t room = file->room == 0 ? 64 : 2 * file->room;
        record *records = realloc(file->records, room * sizeof *records);
        if (records == NULL) {
            return false;
        }
        file->records = records;
        file->room = room;
    }
    return true;
}

static void add_record(gfp_checkpoint *file, const record_head *head, uint64_t at)
{
    file->records[file->count++] = (record){head->key, head->from, head->to, head->bytes, at};
}

static uint64_t sum_of(const void *head, size_t bytes)
{
    return XXH3_64bits_withSeed(head, bytes, MAGIC);
}

/* Reads the results of a record. Returns whether they are whole; *right := whether the sum is that
 * of the head. */
static bool skip_results(FILE *reader, const record_head *head, bool *right)
{
    unsigned char buffer[BUFFER];
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    for (uint64_t left = head->bytes; left > 0;) {
        const size_t n = left < BUFFER ? (size_t)left : BUFFER;
        if (fread(buffer, 1, n, reader) != n) {
            return false;
        }
        (void)XXH3_64bits_update(&state, buffer, n);
        left -= n;
    }
    *right = XXH3_64bits_digest(&state) == head->data_sum;
    return true;
}

static bool is_head(const record_head *head)
{
    return head->magic == RECORD_MAGIC && head->sum == sum_of(head, offsetof(record_head, sum));
}

/* Reads all records; a torn or damaged head ends the file. */
static gfp_status scan_records(gfp_checkpoint *file, gfp_error *error)
{
    record_head head;
    bool right;
    file->end = sizeof(file_head);
    while (fread(&head, sizeof head, 1, file->reader) == 1) {
        if (!is_head(&head)) {
            file->damaged = true;
            break;
        }
        if (!skip_results(file->reader, &head, &right)) {
            break;
        }
        file->damaged = file->damaged || !right;
        if (right && !reserve_record(file)) {
            return GFP_ERR_MEMORY;
        }
        if (right) {
            add_record(file, &head, file->end + sizeof head);
        }
        file->end += sizeof head + head.bytes;
    }
    return ferror(file->reader) != 0 ? checkpoint_failed(file, "read", error) : GFP_OK;
}

static gfp_status scan_file(gfp_checkpoint *file, gfp_error *error)
{
    file_head head;
    const size_t n = fread(&head, 1, sizeof head, file->reader);
    if (ferror(file->reader) != 0) {
        return checkpoint_failed(file, "read", error);
    }
    const uint64_t magic = MAGIC;
    const bool torn =
        n < sizeof head && memcmp(&head, &magic, n < sizeof magic ? n : sizeof magic) == 0;
    if (torn) {
        file->end = 0;
        return GFP_OK;
    }
    if (n < sizeof head || head.magic != MAGIC ||
        head.sum != sum_of(&head, offsetof(file_head, sum))) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "%.150s is no checkpoint, or its header is damaged", file->path);
    }
    file->begun = true;
    file->key = head.key;
    return scan_records(file, error);
}

/* Opens or creates the file, and locks it. */
static gfp_status lock_file(gfp_checkpoint *file, gfp_error *error)
{
    struct stat status;
    file->fd = open(file->path, O_RDWR | O_CLOEXEC);
    file->created = file->fd < 0 && errno == ENOENT;
    if (file->created) {
        file->fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    }
    if (file->fd < 0 || fstat(file->fd, &status) != 0) {
        return checkpoint_failed(file, "open", error);
    }
    if (!S_ISREG(status.st_mode)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "%.150s is no file", file->path);
    }
    const gfp_lock lock = gfp_path_lock(file->fd, false);
    file->locked = lock == GFP_LOCK_HELD;
    if (lock == GFP_LOCK_BUSY) {
        file->created = false;
        return gfp_error_set(error, GFP_ERR_IO, "checkpoint %.150s: another dealer uses it",
                             file->path);
    }
    return GFP_OK;
}

static gfp_status open_file(gfp_checkpoint *file, const char *path, gfp_error *error)
{
    file->path = strdup(path);
    if (file->path == NULL) {
        return GFP_ERR_MEMORY;
    }
    GFP_TRY(lock_file(file, error));
    while (!gfp_path_names(file->path, file->fd, true)) { /* another dealer has removed it */
        (void)close(file->fd);
        GFP_TRY(lock_file(file, error));
    }
    file->reader = fopen(path, "rbe");
    GFP_TRY(file->reader == NULL ? checkpoint_failed(file, "open", error) : GFP_OK);
    const gfp_status status = scan_file(file, error);
    (void)fclose(file->reader);
    file->reader = NULL;
    return status;
}

gfp_status gfp_checkpoint_open(gfp_checkpoint **file, const char *path, gfp_error *error)
{
    gfp_checkpoint *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory");
    }
    made->fd = -1;
    const gfp_status status = open_file(made, path, error);
    if (status == GFP_ERR_MEMORY) {
        (void)gfp_error_set(error, status, "no memory");
    }
    if (status != GFP_OK) {
        gfp_checkpoint_close(made);
        return status;
    }
    *file = made;
    return GFP_OK;
}

/* Not all files can be made durable. */
static bool sync_data(int fd)
{
    int code;
    do {
        code = fdatasync(fd);
    } while (code != 0 && errno == EINTR);
    return code == 0 || errno == EINVAL;
}

void gfp_checkpoint_close(gfp_checkpoint *file)
{
    if (file == NULL) {
        return;
    }
    if (file->fd >= 0) {
        if (file->unsynced) {
            (void)sync_data(file->fd);
        }
        if (file->created && !file->begun && gfp_path_names(file->path, file->fd, true)) {
            char *named = gfp_path_follow(file->path);
            (void)unlink(named != NULL ? named : file->path);
            free(named);
        }
        (void)close(file->fd);
    }
    free(file->records);
    free(file->path);
    free(file);
}

bool gfp_checkpoint_locked(const gfp_checkpoint *file)
{
    return file->locked;
}

/* ---- append ---- */

/* Writes two pieces at the end of the file. */
static gfp_status write_pieces(gfp_checkpoint *file, struct iovec piece[2], gfp_error *error)
{
    off_t at = (off_t)file->end;
    file->unsynced = true;
    while (piece[0].iov_len + piece[1].iov_len > 0) {
        const ssize_t n = pwritev(file->fd, piece, 2, at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            file->cut = false;
            return checkpoint_failed(file, "write", error);
        }
        at += n;
        size_t left = (size_t)n;
        for (size_t i = 0; i < 2; i++) {
            const size_t own = gfp_size_min(left, piece[i].iov_len);
            piece[i].iov_base = (char *)piece[i].iov_base + own;
            piece[i].iov_len -= own;
            left -= own;
        }
    }
    file->end = (uint64_t)at;
    return GFP_OK;
}

/* Cuts off what is behind the last whole record. */
static gfp_status cut_tail(gfp_checkpoint *file, gfp_error *error)
{
    if (!file->cut && ftruncate(file->fd, (off_t)file->end) != 0) {
        return checkpoint_failed(file, "write", error);
    }
    file->cut = true;
    return GFP_OK;
}

gfp_status gfp_checkpoint_sync(gfp_checkpoint *file, gfp_error *error)
{
    const uint64_t now = gfp_clock_ns();
    if (!file->unsynced) {
        return GFP_OK;
    }
    if (!sync_data(file->fd)) {
        return checkpoint_failed(file, "write", error);
    }
    file->unsynced = false;
    file->synced = gfp_clock_ns();
    file->sync_ns = file->synced - now;
    return GFP_OK;
}

/* Makes the file durable from time to time. */
static gfp_status sync_sometimes(gfp_checkpoint *file, gfp_error *error)
{
    const uint64_t pause = SYNC_TIMES * file->sync_ns;
    return gfp_clock_ns() - file->synced < (pause > SYNC_NS ? pause : SYNC_NS)
               ? GFP_OK
               : gfp_checkpoint_sync(file, error);
}

gfp_status gfp_checkpoint_begin(gfp_checkpoint *file, uint64_t key, bool whole, gfp_error *error)
{
    if (file->begun && file->key != key) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "checkpoint %.80s belongs to other operands, another method or kernel "
                             "level, or another version",
                             file->path);
    }
    if (file->begun && whole && file->damaged) {
        file->count = 0;
        file->end = sizeof(file_head);
        file->cut = file->damaged = false;
        return cut_tail(file, error);
    }
    if (file->begun) {
        return GFP_OK;
    }
    file_head head = {MAGIC, key, 0, 0};
    head.sum = sum_of(&head, offsetof(file_head, sum));
    GFP_TRY(cut_tail(file, error));
    GFP_TRY(write_pieces(file, (struct iovec[]){{&head, sizeof head}, {NULL, 0}}, error));
    if (file->created) {
        gfp_path_sync(file->path);
    }
    file->begun = true;
    file->key = key;
    file->synced = gfp_clock_ns();
    return GFP_OK;
}

gfp_status gfp_checkpoint_append(gfp_checkpoint *file, uint64_t key, const uint64_t items[2],
                                 const void *data, size_t bytes, gfp_error *error)
{
    record_head head = {RECORD_MAGIC, key, items[0], items[1], bytes, XXH3_64bits(data, bytes), 0};
    char *results = NULL; /* not const, as writev has it */
    memcpy(&results, &data, sizeof results);
    head.sum = sum_of(&head, offsetof(record_head, sum));
    if (!reserve_record(file)) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory");
    }
    GFP_TRY(cut_tail(file, error));
    const uint64_t at = file->end + sizeof head;
    GFP_TRY(write_pieces(file, (struct iovec[]){{&head, sizeof head}, {results, bytes}}, error));
    add_record(file, &head, at);
    return sync_sometimes(file, error);
}

/* ---- read ---- */

bool gfp_checkpoint_next(gfp_checkpoint *file, uint64_t key, size_t *at, uint64_t items[2],
                         uint64_t *bytes)
{
    while (*at < file->count) {
        const record *r = &file->records[(*at)++];
        if (r->key == key) {
            file->next = r->at;
            items[0] = r->from;
            items[1] = r->to;
            *bytes = r->bytes;
            return true;
        }
    }
    return false;
}

gfp_status gfp_checkpoint_read(gfp_checkpoint *file, void *data, size_t bytes, gfp_error *error)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n =
            pread(file->fd, (char *)data + done, bytes - done, (off_t)(file->next + done));
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            errno = n == 0 ? EIO : errno;
            return checkpoint_failed(file, "read", error);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    file->next += bytes;
    return GFP_OK;
}
