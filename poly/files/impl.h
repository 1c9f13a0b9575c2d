/* impl.h: the struct of mapped files, and scratch memory on disk. POSIX.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_FILES_IMPL_H
#define GFP_POLY_FILES_IMPL_H

#include "poly/binary.h"

struct gfp_file {
    gfp_allocator allocator; /* of this struct and the names */
    const gfp_field *field;
    gfp_field *own; /* field if the file made it; else NULL */
    gfp_binary_head head;
    unsigned char *map;
    size_t bytes;    /* of the map */
    int fd;          /* of a file that is being made; else -1 */
    char *target;    /* of a file that is being made: its final name, links followed */
    char *temporary; /* its present name; "": none yet */
    size_t target_size, temporary_size;
    bool summed; /* the digits of a file that is being made are checked, head has their checksum */
    bool kept;   /* the temporary file stays if it is not committed, */
    bool locked; /* and other runs are kept out of it */
};

/* A gfp_file without contents. Errors: MEMORY. */
gfp_status gfp_file_new(gfp_file **file, const gfp_allocator *allocator, gfp_error *error);
/* Opens a file and checks all of it, as gfp_file_open does, but for the payload. */
gfp_status gfp_file_open_head(gfp_file **file, const char *path, const gfp_field *field,
                              const gfp_allocator *allocator, gfp_error *error);
/* Removes the file that gfp_file_create has made. */
void gfp_file_remove(gfp_file *file);

/* A file that is kept has a tag in its first page, which is not 0; the calls that go on with the
 * file know it. tag: as the mapping has it. set_tag: in the mapping, and durable; false with
 * errno. */
uint64_t gfp_file_tag(const gfp_file *file);
bool gfp_file_set_tag(const gfp_file *file, uint64_t tag);
/* Before a call that no journal describes writes to the file: the journal of an earlier call no
 * longer serves. Nothing, where files are not kept. Errors: IO. */
gfp_status gfp_file_disown(const gfp_file *file, gfp_error *error);

/* Returns IO with the message "what: reason of errno"; errno is kept. */
gfp_status gfp_file_io_error(gfp_error *error, const char *what);
/* Reserves disk space for a file of this many bytes: afterwards writing to its mapping cannot fail
 * for lack of space. shared: other processes may write to the file meanwhile. False with errno. */
bool gfp_file_reserve(int fd, size_t bytes, bool shared);
/* Creates a file in the folder of path under a name that begins with ".gfpoly-", with the
 * permissions that the umask leaves. The name goes to name[0 .. size), size = length of path +
 * GFP_FILE_NAME_BYTES. -1 with errno. */
#define GFP_FILE_NAME_BYTES 64
int gfp_file_create_beside(const char *path, char *name, size_t size);

/* Scratch memory in one piece: the first `streamed` bytes in a file without a name, the other
 * `held` bytes in memory. */
typedef struct gfp_scratch {
    uint64_t *words; /* aligned to a page */
    size_t streamed, held;
    size_t bytes; /* of the mapping */
} gfp_scratch;

/* The file lies in the folder of path. Errors: IO, MEMORY, SIZE. */
gfp_status gfp_scratch_open(gfp_scratch *scratch, const char *path, const gfp_allocator *allocator,
                            size_t streamed, size_t held, gfp_error *error);
/* scratch may be closed already, with words = NULL. */
void gfp_scratch_close(gfp_scratch *scratch);

#endif
