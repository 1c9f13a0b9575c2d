/* loop.c: dealt loops: all ranks have the results of all items, each computed once; failures and
 * cancellation on any rank end the call of all; ranks that differ are told; checkpoints, whole,
 * torn, damaged, of other operands, on a full disk.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _DEFAULT_SOURCE /* usleep, MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "field/base/call.h"
#include "field/base/support.h"
#include "lab/rows.h"
#include "lab/thread_ranks.h"

#define MOST_ITEMS 500
#define PARTS 3
#define LOOPS 2

/* What happens on rank `where`. */
enum happening {
    NOTHING,
    FAILS,     /* an item fails */
    CANCELS,   /* the callback stops the call */
    ENDS,      /* the call ends without its last loop */
    NO_MEMORY, /* a step before the last loop fails */
    DIFFERS,   /* operands */
    SHORTER    /* the last loop */
};

struct trial {
    unsigned ranks, threads;
    size_t items;
    enum happening what;
    unsigned where;
    uint64_t operand;
    bool slow;        /* rank 1 */
    unsigned item_us; /* the time of an item; 0: none to speak of, but it counts as 20 us */
    gfp_deal_keep keep;
    /* Results: */
    atomic_size_t computed, active, most_active; /* items begun; those at a time */
    gfp_status status[THREAD_RANKS];
    gfp_error error[THREAD_RANKS];
    uint64_t result[THREAD_RANKS][LOOPS][MOST_ITEMS * PARTS];
    uint64_t restored;
};

/* A loop on a rank. */
struct work {
    struct trial *t;
    unsigned rank, loop;
    size_t items;
};

static uint64_t value_of(unsigned loop, size_t item, size_t part)
{
    return (item * PARTS + part + 1) * UINT64_C(0x9e3779b97f4a7c15) + loop;
}

/* Waits for other items that are computed now. */
static void work_long(struct trial *t)
{
    const size_t active = atomic_fetch_add(&t->active, 1) + 1;
    size_t most = atomic_load(&t->most_active);
    while (most < active && !atomic_compare_exchange_weak(&t->most_active, &most, active)) {
    }
    (void)usleep(t->item_us);
    atomic_fetch_sub(&t->active, 1);
}

static gfp_status work_run(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    struct work *w = job;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        if (w->t->what == FAILS && w->rank == w->t->where && w->loop == 1) {
            return GFP_ERR_RANGE;
        }
        atomic_fetch_add(&w->t->computed, 1);
        if (w->t->slow && w->rank == 1) {
            (void)usleep(200);
        }
        if (w->t->item_us > 0) {
            work_long(w->t);
        }
        for (size_t part = 0; part < PARTS; part++) {
            w->t->result[w->rank][w->loop][part * w->items + i] = value_of(w->loop, i, part);
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_deal_span work_place(const void *job, size_t item, size_t part)
{
    const struct work *w = job;
    return (gfp_deal_span){&w->t->result[w->rank][w->loop][part * w->items + item],
                           sizeof(uint64_t)};
}

static gfp_status one_loop(gfp_call *call, struct trial *t, unsigned rank, unsigned loop)
{
    const bool last = loop == LOOPS - 1, here = rank == t->where;
    if (last && here && t->what == NO_MEMORY) {
        return GFP_ERR_MEMORY;
    }
    if (last && here && t->what == ENDS) {
        return GFP_OK;
    }
    struct work w = {t, rank, loop, t->items};
    w.items -= last && here && t->what == SHORTER ? 1 : 0;
    const gfp_deal_loop deal = {{work_run, &w, NULL},     work_place, PARTS,
                                PARTS * sizeof(uint64_t), 1,          t->keep};
    /* An item counts as some 20 us. */
    const double grain = t->item_us > 0 ? 1e3 * t->item_us : 20000;
    if (!gfp_task_span(&call->task, (loop + 1) / (double)LOOPS, (double)w.items, grain)) {
        return GFP_ERR_CANCELLED;
    }
    return gfp_call_deal(call, &deal, w.items, 1);
}

static gfp_status all_loops(gfp_call *call, struct trial *t, unsigned rank)
{
    const uint64_t operand = t->operand + (t->what == DIFFERS && rank == t->where ? 1 : 0);
    call->allocator = &gfp_default_allocator;
    call->task.threads = t->threads;
    gfp_call_key(call, &operand, sizeof operand);
    gfp_task_part(&call->task, 1);
    for (unsigned i = 0; i < LOOPS; i++) {
        GFP_TRY(one_loop(call, t, rank, i));
    }
    return gfp_call_finish(call);
}

struct watcher {
    bool cancels;
    double fraction;
    bool falls;
};

static bool watch_step(void *user, double fraction)
{
    struct watcher *w = user;
    w->falls = w->falls || fraction < w->fraction;
    w->fraction = fraction;
    return !w->cancels || fraction < 0.6;
}

static void run_rank(unsigned rank, gfp_dealer *dealer, void *user)
{
    struct trial *t = user;
    struct watcher watcher = {.cancels = t->what == CANCELS && rank == t->where};
    const gfp_progress progress = {watch_step, &watcher};
    gfp_call call;
    const gfp_options options = {.progress = &progress, .error = &t->error[rank], .dealer = dealer};
    t->error[rank] = (gfp_error){.status = GFP_OK};
    t->status[rank] = gfp_call_begin(&call, "trial", &options);
    gfp_call_use_dealer(&call);
    t->status[rank] = gfp_call_end(&call, all_loops(&call, t, rank));
    if (watcher.falls) {
        t->status[rank] = GFP_ERR_PARSE;
    }
    if (rank == 0) {
        t->restored = gfp_dealer_get_info(dealer).restored;
    }
}

static struct trial *trial_new(unsigned ranks, unsigned threads, size_t items)
{
    struct trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->ranks = ranks;
    t->threads = threads;
    t->items = items;
    return t;
}

/* Fails the test unless all ranks succeed, with all results. */
static void expect_results(const struct trial *t)
{
    for (unsigned rank = 0; rank < t->ranks; rank++) {
        assert_int_equal(t->status[rank], GFP_OK);
        for (unsigned loop = 0; loop < LOOPS; loop++) {
            for (size_t i = 0; i < t->items * PARTS; i++) {
                const uint64_t value = value_of(loop, i % t->items, i / t->items);
                assert_int_equal(t->result[rank][loop][i], value);
            }
        }
    }
}

/* ---- results ---- */

static void all_ranks_have_all_results(void **state)
{
    static const size_t lengths[] = {1, 2, 7, 100, MOST_ITEMS};
    (void)state;
    for (unsigned ranks = 1; ranks <= THREAD_RANKS; ranks++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            struct trial *t = trial_new(ranks, 1 + i % 2, lengths[i]);
            t->slow = i % 2 == 1;
            (void)thread_ranks_run(ranks, NULL, SIZE_MAX, run_rank, t);
            expect_results(t);
            assert_int_equal(t->computed, LOOPS * t->items);
            free(t);
        }
    }
}

/* Also items that are longer than a chunk should be. */
static void long_items_are_for_all_threads(void **state)
{
    struct trial *t = trial_new(1, 4, 8);
    (void)state;
    t->item_us = 130000; /* a chunk is less than two */
    (void)thread_ranks_run(1, NULL, SIZE_MAX, run_rank, t);
    expect_results(t);
    assert_int_equal(t->most_active, gfp_build_get_info()->threads ? 4 : 1);
    free(t);
}

static void short_loops_are_not_dealt(void **state)
{
    gfp_dealer *dealer;
    char path[] = "/tmp/gfpoly_deal_XXXXXX";
    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    struct trial *t = trial_new(1, 1, 10);
    assert_int_equal(gfp_dealer_create(&dealer, path, NULL), GFP_OK);
    run_rank(0, dealer, t);
    expect_results(t);
    gfp_dealer_destroy(dealer);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
    (void)unlink(path);
    free(t);
}

/* ---- failures ---- */

static void failures_of_a_rank_end_all(void **state)
{
    static const struct {
        enum happening what;
        gfp_status status;
        const char *text;
    } rows[] = {
        {FAILS, GFP_ERR_RANGE, ""},
        {CANCELS, GFP_ERR_CANCELLED, "cancelled"},
        {ENDS, GFP_ERR_ARGUMENT, "ranks have different"},
        {NO_MEMORY, GFP_ERR_MEMORY, "memory"},
        {DIFFERS, GFP_ERR_ARGUMENT, "ranks have different"},
        {SHORTER, GFP_ERR_ARGUMENT, "ranks have different"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned ranks = 2; ranks <= THREAD_RANKS; ranks++) {
            for (unsigned where = 0; where < ranks; where++) {
                struct trial *t = trial_new(ranks, 1 + where % 2, 300);
                t->what = rows[i].what;
                t->where = where;
                t->slow = where == 1;
                (void)thread_ranks_run(ranks, NULL, SIZE_MAX, run_rank, t);
                /* A rank may get no item to fail at. */
                const bool spared = t->what == FAILS && t->status[where] == GFP_OK;
                for (unsigned rank = 0; rank < ranks; rank++) {
                    assert_int_equal(t->status[rank], spared ? GFP_OK : rows[i].status);
                    if (!spared) {
                        assert_int_equal(t->error[rank].status, rows[i].status);
                        assert_non_null(strstr(t->error[rank].message, rows[i].text));
                    }
                }
                free(t);
            }
        }
    }
}

static void a_transport_that_fails_ends_all(void **state)
{
    (void)state;
    struct trial *t = trial_new(3, 1, 40);
    const size_t sends = thread_ranks_run(3, NULL, SIZE_MAX, run_rank, t);
    expect_results(t);
    for (size_t n = 0; n < sends; n++) {
        const bool failed = thread_ranks_run(3, NULL, n, run_rank, t) > n;
        /* Ranks other than 0 may have their answer before the last send fails. */
        assert_int_equal(t->status[0], failed ? GFP_ERR_IO : GFP_OK);
        for (unsigned rank = 1; rank < 3; rank++) {
            assert_true(t->status[rank] == GFP_OK || (failed && t->status[rank] == GFP_ERR_IO));
            assert_true(t->status[rank] != GFP_OK || !failed || n + 2 >= sends / 2);
        }
    }
    free(t);
}

/* A message that no rank sends, from rank 0 to the last one or back. */
struct stray {
    gfp_deal_kind kind;
    size_t bytes;
    const char *text; /* of the failure */
};

static const struct stray strays[] = {
    {GFP_DEAL_CHUNK, 5, "wrong size"},
    {GFP_DEAL_CHUNK, sizeof(gfp_deal_message) - 1, "wrong size"},
    {GFP_DEAL_CHUNK, sizeof(gfp_deal_message) + 100000, "wrong size"},
    {GFP_DEAL_CHUNK, sizeof(gfp_deal_message), "out of order"},
};

struct stray_trial {
    struct trial *t;
    const struct stray *stray;
    bool down, ends; /* from rank 0; the call has no loop */
};

static void run_stray(unsigned rank, gfp_dealer *dealer, void *user)
{
    const struct stray_trial *s = user;
    const gfp_transport *transport = &((gfp_deal_state *)dealer)->transport;
    const unsigned last = transport->ranks - 1;
    if (rank == (s->down ? 0 : last)) {
        char *bytes = calloc(1, s->stray->bytes);
        assert_non_null(bytes);
        const uint64_t kind = s->stray->kind;
        memcpy(bytes, &kind, s->stray->bytes < sizeof kind ? s->stray->bytes : sizeof kind);
        assert_int_equal(
            transport->send(transport->user, s->down ? last : 0, bytes, s->stray->bytes), GFP_OK);
        free(bytes);
    }
    if (!s->ends) {
        run_rank(rank, dealer, s->t);
        return;
    }
    gfp_call call;
    const gfp_options options = {.error = &s->t->error[rank], .dealer = dealer};
    s->t->status[rank] = gfp_call_begin(&call, "trial", &options);
    gfp_call_use_dealer(&call);
    s->t->status[rank] = gfp_call_end(&call, GFP_OK);
}

static void stray_messages_end_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) {
        for (unsigned way = 0; way < 4; way++) {
            struct trial *t = trial_new(3, 1, 40);
            struct stray_trial s = {t, &strays[i], way % 2 == 0, way / 2 == 1};
            /* At the end of a call results and chunks of a loop that was given up may arrive. */
            const bool wrong = !s.ends || strays[i].bytes < sizeof(gfp_deal_message) ||
                               (!s.down && strays[i].bytes == sizeof(gfp_deal_message));
            (void)thread_ranks_run(3, NULL, SIZE_MAX, run_stray, &s);
            for (unsigned rank = 0; rank < 3; rank++) {
                /* Rank 0 has answered the others before the last one reads the message. */
                if (rank < 2 && s.down && s.ends && t->status[rank] == GFP_OK) {
                    continue;
                }
                assert_int_equal(t->status[rank], wrong ? GFP_ERR_IO : GFP_OK);
                assert_true(!wrong || strstr(t->error[rank].message, strays[i].text) != NULL);
            }
            free(t);
        }
    }
}

/* ---- checkpoints ---- */

static char file_path[] = "/tmp/gfpoly_checkpoint_XXXXXX";

static size_t file_size(void)
{
    struct stat status;
    assert_int_equal(stat(file_path, &status), 0);
    return (size_t)status.st_size;
}

/* Runs a call, which stops at 0.6 if `cancels`, on ranks with the checkpoint; it is right, or
 * cancelled. */
static void run_with_file(struct trial *t, bool cancels)
{
    t->what = cancels ? CANCELS : NOTHING;
    t->computed = 0;
    memset(t->result, 0, sizeof t->result);
    (void)thread_ranks_run(t->ranks, file_path, SIZE_MAX, run_rank, t);
    if (cancels) {
        assert_int_equal(t->status[0], GFP_ERR_CANCELLED);
    } else {
        expect_results(t);
        assert_int_equal(t->computed + t->restored, LOOPS * t->items);
    }
}

static void stopped_calls_go_on(void **state)
{
    (void)state;
    for (unsigned ranks = 1; ranks <= 4; ranks++) {
        struct trial *t = trial_new(ranks, 1, MOST_ITEMS);
        (void)unlink(file_path);
        run_with_file(t, true);
        t->ranks = 5 - ranks;
        run_with_file(t, false);
        assert_true(t->restored >= t->items); /* the first loop */
        run_with_file(t, false);
        assert_int_equal(t->restored, LOOPS * t->items);
        free(t);
    }
}

/* Bytes of the whole file of a call. */
static unsigned char *whole_file(struct trial *t, size_t *size)
{
    (void)unlink(file_path);
    run_with_file(t, false);
    *size = file_size();
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    const int fd = open(file_path, O_RDONLY);
    assert_int_equal(read(fd, bytes, *size), *size);
    (void)close(fd);
    return bytes;
}

static void write_file(const unsigned char *bytes, size_t size)
{
    const int fd = open(file_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, bytes, size), size);
    (void)close(fd);
}

static void torn_and_damaged_files(void **state)
{
    size_t size;
    (void)state;
    struct trial *t = trial_new(2, 1, 60);
    unsigned char *bytes = whole_file(t, &size);
    for (size_t n = 0; n <= size; n += n < 200 ? 1 : 1 + size / 150) {
        write_file(bytes, n);
        run_with_file(t, false);
        run_with_file(t, false);
        assert_int_equal(t->restored, LOOPS * t->items);
    }
    for (size_t n = 32; n < size; n += n < 200 ? 1 : 1 + size / 150) {
        bytes[n] ^= 0x10;
        write_file(bytes, size);
        run_with_file(t, false);
        assert_true(t->restored < LOOPS * t->items);
        bytes[n] ^= 0x10;
    }
    free(bytes);
    free(t);
}

/* A damaged file is not used if later loops overwrite what is read; one that is cut off is. */
static void damaged_files_of_overwritten_loops(void **state)
{
    size_t size;
    (void)state;
    for (unsigned ranks = 1; ranks <= 2; ranks++) {
        struct trial *t = trial_new(ranks, 1, 60);
        t->keep = GFP_DEAL_KEEP_ALL;
        unsigned char *bytes = whole_file(t, &size);
        for (size_t n = 32; n < size; n += 1 + size / 40) {
            bytes[n] ^= 0x10;
            write_file(bytes, size);
            run_with_file(t, false);
            assert_int_equal(t->restored, 0);
            bytes[n] ^= 0x10;
        }
        write_file(bytes, size - 1);
        run_with_file(t, false);
        assert_in_range(t->restored, t->items, LOOPS * t->items - 1);
        free(bytes);
        free(t);
    }
}

/* Loops of which nothing is kept are computed again. */
static void unkept_loops_are_computed_again(void **state)
{
    (void)state;
    for (unsigned ranks = 1; ranks <= 2; ranks++) {
        struct trial *t = trial_new(ranks, 1, 60);
        t->keep = GFP_DEAL_KEEP_NONE;
        (void)unlink(file_path);
        for (unsigned n = 0; n < 2; n++) {
            run_with_file(t, false);
            assert_int_equal(t->restored, 0);
        }
        free(t);
    }
}

/* A process that runs the ranks of *t, which it shares, is killed after these us; 0: it is not.
 * Returns whether it came to the end, with all results. */
static bool run_and_kill(struct trial *t, unsigned us)
{
    int status;
    memset(t->result, 0, sizeof t->result);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)thread_ranks_run(t->ranks, file_path, SIZE_MAX, run_rank, t);
        expect_results(t);
        _exit(0);
    }
    if (us > 0) {
        (void)usleep(us);
        (void)kill(child, SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return !WIFSIGNALED(status);
}

/* Killed at random moments, ranks begin few items twice: rank 0 the one under way; another rank
 * that one, and one whose results rank 0, being at work, has not taken yet. */
static void killed_runs_lose_the_items_under_way(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    struct trial *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(t != MAP_FAILED);
    for (unsigned ranks = 1; ranks <= 4; ranks++) {
        unsigned kills = 0;
        *t = (struct trial){.ranks = ranks, .threads = 1, .items = 80, .item_us = 4000};
        t->keep = GFP_DEAL_KEEP_ALL;
        (void)unlink(file_path);
        while (
            !run_and_kill(t, kills < 8 ? 1 + (unsigned)gfp_random_below(&g, 200000 / ranks) : 0)) {
            kills++;
        }
        const size_t lost = t->computed - LOOPS * t->items;
        print_message("%u ranks: killed %u times, %zu items of %zu begun twice\n", ranks, kills,
                      lost, LOOPS * t->items);
        assert_in_range(kills, 2, 8);
        assert_in_range(lost, 0, kills * (2 * ranks - 1));
    }
    assert_int_equal(munmap(t, sizeof *t), 0);
}

static void run_rank_twice(unsigned rank, gfp_dealer *dealer, void *user)
{
    struct trial *t = user;
    run_rank(rank, dealer, t);
    memset(t->result[rank], 0, sizeof t->result[rank]);
    run_rank(rank, dealer, t);
}

/* A second call with one dealer takes what the first one wrote, and writes nothing. */
static void a_second_call_takes_results(void **state)
{
    size_t size;
    (void)state;
    for (unsigned ranks = 1; ranks <= 2; ranks++) {
        struct trial *t = trial_new(ranks, 1, 60);
        unsigned char *bytes = whole_file(t, &size);
        free(bytes);
        (void)unlink(file_path);
        t->computed = 0;
        (void)thread_ranks_run(ranks, file_path, SIZE_MAX, run_rank_twice, t);
        expect_results(t);
        assert_int_equal(t->computed, LOOPS * t->items);
        assert_int_equal(t->restored, LOOPS * t->items);
        assert_true(ranks > 1 || file_size() == size);
        free(t);
    }
}

/* A second call with one dealer takes what the first one wrote over a damaged end. */
static void a_second_call_reads_what_was_repaired(void **state)
{
    size_t size;
    (void)state;
    struct trial *t = trial_new(1, 1, 60);
    unsigned char *bytes = whole_file(t, &size);
    for (size_t end = size; end > 32; end -= gfp_size_min(end - 32, 1 + size / 40)) {
        for (size_t i = end - 1; i < size; i++) {
            bytes[i] = (unsigned char)~bytes[i];
        }
        write_file(bytes, size);
        for (size_t i = end - 1; i < size; i++) {
            bytes[i] = (unsigned char)~bytes[i];
        }
        (void)thread_ranks_run(1, file_path, SIZE_MAX, run_rank_twice, t);
        expect_results(t);
    }
    free(bytes);
    free(t);
}

/* A file that the dealer made stays only if something was written. */
static void empty_files_are_removed(void **state)
{
    gfp_dealer *dealer;
    struct stat status;
    (void)state;
    for (int exists = 0; exists < 2; exists++) {
        (void)unlink(file_path);
        if (exists != 0) {
            write_file(NULL, 0);
        }
        assert_int_equal(gfp_dealer_create(&dealer, file_path, NULL), GFP_OK);
        assert_int_equal(stat(file_path, &status), 0);
        gfp_dealer_destroy(dealer);
        assert_int_equal(stat(file_path, &status), exists - 1);
    }
    /* Nor does the dealer remove another file of this name. */
    (void)unlink(file_path);
    assert_int_equal(gfp_dealer_create(&dealer, file_path, NULL), GFP_OK);
    (void)unlink(file_path);
    write_file(NULL, 0);
    gfp_dealer_destroy(dealer);
    assert_int_equal(stat(file_path, &status), 0);
}

/* ---- files that do not serve ---- */

static void expect_refusal(gfp_status expected, const char *text)
{
    gfp_dealer *dealer = NULL;
    gfp_error error = {.status = GFP_OK};
    assert_int_equal(gfp_dealer_create(&dealer, file_path, &error), expected);
    assert_null(dealer);
    assert_int_equal(error.status, expected);
    assert_non_null(strstr(error.message, text));
}

static void other_files_are_refused(void **state)
{
    size_t size;
    gfp_dealer *dealer;
    (void)state;
    struct trial *t = trial_new(2, 1, 60);
    unsigned char *bytes = whole_file(t, &size);
    t->operand = 7;
    (void)thread_ranks_run(2, file_path, SIZE_MAX, run_rank, t);
    for (unsigned rank = 0; rank < 2; rank++) {
        assert_int_equal(t->status[rank], GFP_ERR_ARGUMENT);
        assert_non_null(strstr(t->error[rank].message, "belongs to other operands"));
    }
    assert_int_equal(file_size(), size);
    assert_int_equal(gfp_dealer_create(&dealer, file_path, NULL), GFP_OK);
    expect_refusal(GFP_ERR_IO, "another dealer uses it");
    gfp_dealer_destroy(dealer);
    for (size_t n = 0; n < 32; n++) {
        bytes[n] ^= 1;
        write_file(bytes, size);
        expect_refusal(GFP_ERR_ARGUMENT, "no checkpoint");
        bytes[n] ^= 1;
    }
    write_file((const unsigned char *)"2  1 2\n", 7);
    expect_refusal(GFP_ERR_ARGUMENT, "no checkpoint");
    (void)unlink(file_path);
    assert_int_equal(mkdir(file_path, 0700), 0);
    expect_refusal(GFP_ERR_IO, "cannot open");
    (void)rmdir(file_path);
    assert_int_equal(gfp_dealer_create(NULL, file_path, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_dealer_create(&dealer, NULL, NULL), GFP_ERR_ARGUMENT);
    gfp_dealer_destroy(NULL);
    free(bytes);
    free(t);
}

static void full_disks(void **state)
{
    struct rlimit before;
    size_t size;
    (void)state;
    struct trial *t = trial_new(2, 1, MOST_ITEMS);
    unsigned char *bytes = whole_file(t, &size);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (size_t limit = 0; limit < size; limit += 1 + size / 20) {
        (void)unlink(file_path);
        const struct rlimit now = {limit, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
        (void)thread_ranks_run(2, file_path, SIZE_MAX, run_rank, t);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        for (unsigned rank = 0; rank < 2; rank++) {
            assert_int_equal(t->status[rank], GFP_ERR_IO);
            assert_non_null(strstr(t->error[rank].message, "cannot write"));
        }
        run_with_file(t, false); /* from what was written */
    }
    (void)signal(SIGXFSZ, handler);
    free(bytes);
    free(t);
}

int main(void)
{
    const int fd = mkstemp(file_path);
    if (fd < 0) {
        return EXIT_FAILURE;
    }
    (void)close(fd);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_have_all_results),
        cmocka_unit_test(long_items_are_for_all_threads),
        cmocka_unit_test(short_loops_are_not_dealt),
        cmocka_unit_test(failures_of_a_rank_end_all),
        cmocka_unit_test(a_transport_that_fails_ends_all),
        cmocka_unit_test(stray_messages_end_all),
        cmocka_unit_test(stopped_calls_go_on),
        cmocka_unit_test(torn_and_damaged_files),
        cmocka_unit_test(damaged_files_of_overwritten_loops),
        cmocka_unit_test(unkept_loops_are_computed_again),
        cmocka_unit_test(killed_runs_lose_the_items_under_way),
        cmocka_unit_test(a_second_call_takes_results),
        cmocka_unit_test(a_second_call_reads_what_was_repaired),
        cmocka_unit_test(empty_files_are_removed),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(full_disks),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(file_path);
    return failed;
}
