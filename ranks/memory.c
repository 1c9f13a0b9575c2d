/* memory.c: see memory.h. The descriptor of the file is opened by other ranks through /proc, which
 * processes of one user may do.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crt/hybrid/shape.h"

/* Memory is reserved in steps of this many bytes: a call that a signal interrupts gives back the
 * step. */
#define RESERVED_AT_ONCE ((off_t)1 << 24)

/* What a rank tells of its file: the process, the descriptor, and the file's identity, by which
 * others notice that /proc is not the one of this process. */
enum { PROCESS, DESCRIPTOR, DEVICE, INODE, FACTS };

/* What this rank allocates for blocks. */
typedef struct gfp_mpi_memory_head {
    uint64_t serial;   /* the number of the creation: the same on all ranks */
    uint64_t *own;     /* without mappings: a line more than this rank's block */
    uint64_t *block[]; /* by rank */
} memory_head;

static size_t head_bytes(const gfp_mpi *mpi)
{
    return sizeof(memory_head) + (size_t)mpi->size * sizeof(uint64_t *);
}

/* Whether blocks are mappings; one rank alone needs none. */
static bool is_mapped(const gfp_mpi *mpi)
{
    return mpi->direct && mpi->size > 1;
}

static size_t block_bytes(const gfp_mpi_memory *memory)
{
    return (memory->words > 0 ? memory->words : 1) * sizeof(uint64_t);
}

static uint64_t *map_file(int file, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Gives the file memory for all its bytes: a write to a page without memory would kill the process.
 * Returns whether there is enough. */
static bool reserve_file(int file, off_t bytes)
{
    for (off_t at = 0; at < bytes;) {
        const off_t n = bytes - at < RESERVED_AT_ONCE ? bytes - at : RESERVED_AT_ONCE;
        if (fallocate(file, 0, at, n) == 0) {
            at += n;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Makes this rank's file and block. Returns the descriptor; -1: errno says why. */
static int make_block(gfp_mpi_memory *memory, int rank, uint64_t facts[FACTS])
{
    struct stat info;
    const off_t bytes = (off_t)block_bytes(memory);
    const int file = memfd_create("gfpoly", MFD_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    if (ftruncate(file, bytes) != 0 || !reserve_file(file, bytes) || fstat(file, &info) != 0 ||
        (memory->block[rank] = map_file(file, block_bytes(memory))) == NULL) {
        const int reason = errno;
        (void)close(file);
        errno = reason;
        return -1;
    }
    facts[PROCESS] = (uint64_t)getpid();
    facts[DESCRIPTOR] = (uint64_t)file;
    facts[DEVICE] = (uint64_t)info.st_dev;
    facts[INODE] = (uint64_t)info.st_ino;
    return file;
}

/* Maps the block of another rank. */
static uint64_t *open_block(const gfp_mpi_memory *memory, const uint64_t facts[FACTS])
{
    char path[64];
    struct stat info;
    uint64_t *block = NULL;
    (void)snprintf(path, sizeof path, "/proc/%llu/fd/%llu", (unsigned long long)facts[PROCESS],
                   (unsigned long long)facts[DESCRIPTOR]);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    errno = ENOENT; /* another process */
    if (fstat(file, &info) == 0 && (uint64_t)info.st_dev == facts[DEVICE] &&
        (uint64_t)info.st_ino == facts[INODE]) {
        block = map_file(file, block_bytes(memory));
    }
    const int reason = errno;
    (void)close(file);
    errno = reason;
    return block;
}

static void free_blocks(gfp_mpi_memory *memory, gfp_mpi *mpi)
{
    if (memory->block == NULL) {
        return;
    }
    for (int i = 0; i < mpi->size; i++) {
        if (memory->block[i] != NULL && is_mapped(mpi)) {
            (void)munmap(memory->block[i], block_bytes(memory));
        }
    }
    gfp_release(&mpi->allocator, memory->head->own, memory->words + GFP_HYBRID_LINE,
                sizeof(uint64_t));
    gfp_release(&mpi->allocator, memory->head, head_bytes(mpi), 1);
    memory->block = NULL;
}

/* The memory of this host: more is not reserved, since the system would end processes. */
static double physical_words(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / sizeof(uint64_t);
}

static gfp_status refuse_block(gfp_error *error, size_t words)
{
    return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a block of %zu words", words);
}

/* This rank's file or that of another rank cannot be made or opened, for the reason in errno. */
static gfp_status refuse_sharing(gfp_error *error, int rank)
{
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "the memory of rank %d is not shared: %s",
                         rank, strerror(errno));
}

static bool lacks_memory(void)
{
    return errno == ENOMEM || errno == ENOSPC || errno == EFBIG;
}

/* Fills memory->block, of NULLs. */
static gfp_status share_blocks(gfp_mpi_memory *memory, gfp_mpi *mpi, gfp_error *error)
{
    uint64_t facts[FACTS] = {0};
    gfp_status status = GFP_OK;
    const int file = make_block(memory, mpi->rank, facts);
    if (file < 0) {
        status =
            lacks_memory() ? refuse_block(error, memory->words) : refuse_sharing(error, mpi->rank);
    }
    status = gfp_mpi_agree(mpi, status, error);
    if (status == GFP_OK) {
        status = gfp_mpi_gather(mpi, facts, FACTS);
        for (int i = 0; i < mpi->size && status == GFP_OK; i++) {
            const uint64_t *const other = mpi->gathered + (size_t)i * FACTS;
            if (i != mpi->rank && (memory->block[i] = open_block(memory, other)) == NULL) {
                status =
                    lacks_memory() ? refuse_block(error, memory->words) : refuse_sharing(error, i);
            }
        }
        status = gfp_mpi_agree(mpi, status, error);
    }
    if (file >= 0) {
        (void)close(file);
    }
    return status;
}

static gfp_status create_blocks(gfp_mpi_memory *memory, gfp_mpi *mpi, gfp_error *error)
{
    gfp_status status = GFP_OK;
    memory_head *const head = gfp_allocate(&mpi->allocator, head_bytes(mpi), 1);
    if (head != NULL) {
        memset(head, 0, head_bytes(mpi));
        head->serial = mpi->serial + 1;
        memory->head = head;
        memory->block = head->block;
    }
    if (head != NULL && !is_mapped(mpi)) {
        head->own =
            gfp_allocate(&mpi->allocator, memory->words + GFP_HYBRID_LINE, sizeof(uint64_t));
        head->block[mpi->rank] = head->own == NULL ? NULL : gfp_hybrid_line(head->own);
    }
    if (head == NULL || (!is_mapped(mpi) && head->own == NULL)) {
        status = refuse_block(error, memory->words);
    }
    status = gfp_mpi_agree(mpi, status, error);
    return status == GFP_OK && head != NULL && is_mapped(mpi) ? share_blocks(memory, mpi, error)
                                                              : status;
}

/* *memory := new blocks. */
static gfp_status make_blocks(gfp_mpi_memory *memory, gfp_mpi *mpi, size_t words, gfp_error *error)
{
    gfp_mpi_memory made = {words, NULL, NULL};
    const gfp_status status = create_blocks(&made, mpi, error);
    if (status != GFP_OK) {
        free_blocks(&made, mpi);
        return status;
    }
    mpi->serial++;
    *memory = made;
    return GFP_OK;
}

/* ---- blocks that are kept ---- */

/* The order of blocks, the same on all ranks: an empty place, then shorter blocks before longer
 * ones, and of one length those that were made earlier. */
static bool blocks_precede(const gfp_mpi_memory *x, const gfp_mpi_memory *y)
{
    if (x->block == NULL || y->block == NULL) {
        return x->block == NULL && y->block != NULL;
    }
    return x->words < y->words || (x->words == y->words && x->head->serial < y->head->serial);
}

/* The first of the blocks that are kept, of at least `words` words and not much longer. */
static gfp_mpi_memory *find_spare(gfp_mpi *mpi, size_t words)
{
    gfp_mpi_memory *best = NULL;
    for (size_t i = 0; i < GFP_MPI_SPARES; i++) {
        gfp_mpi_memory *const x = &mpi->spare[i];
        if (x->block != NULL && x->words >= words && x->words / 2 <= words &&
            (best == NULL || blocks_precede(x, best))) {
            best = x;
        }
    }
    return best;
}

gfp_status gfp_mpi_memory_create(gfp_mpi_memory *memory, gfp_mpi *mpi, size_t words,
                                 gfp_error *error)
{
    gfp_mpi_memory *const spare = find_spare(mpi, words);
    const gfp_mpi_fact fact = {"blocks to use again: some rank has destroyed a polynomial that "
                               "another one has not",
                               spare != NULL ? spare->head->serial : 0, GFP_ERR_ARGUMENT};
    gfp_status status = gfp_mpi_same(mpi, &fact, 1, GFP_OK, error);
    if (status != GFP_OK) { /* later calls find no blocks, on no rank */
        gfp_mpi_memory_forget(mpi);
        return status;
    }
    if (spare != NULL) {
        *memory = *spare;
        spare->block = NULL;
        return GFP_OK;
    }
    if (words > SIZE_MAX / 16) {
        return gfp_error_set(error, GFP_ERR_SIZE, "a block of %zu words", words);
    }
    if (is_mapped(mpi) && (double)words * mpi->size > physical_words()) {
        return gfp_mpi_agree(mpi, refuse_block(error, words), error);
    }
    status = make_blocks(memory, mpi, words, error);
    if (status == GFP_ERR_MEMORY) {
        gfp_mpi_memory_forget(mpi);
        error->status = GFP_OK;
        status = make_blocks(memory, mpi, words, error);
    }
    return status;
}

void gfp_mpi_memory_destroy(gfp_mpi_memory *memory, gfp_mpi *mpi)
{
    gfp_mpi_memory *first = &mpi->spare[0];
    for (size_t i = 1; i < GFP_MPI_SPARES; i++) {
        if (blocks_precede(&mpi->spare[i], first)) {
            first = &mpi->spare[i];
        }
    }
    if (blocks_precede(first, memory)) {
        const gfp_mpi_memory kept = *memory;
        *memory = *first;
        *first = kept;
    }
    free_blocks(memory, mpi);
}

void gfp_mpi_memory_forget(gfp_mpi *mpi)
{
    for (size_t i = 0; i < GFP_MPI_SPARES; i++) {
        free_blocks(&mpi->spare[i], mpi);
    }
}
