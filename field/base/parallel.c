/* parallel.c: loops by several threads. Every worker has a range of the items; it takes chunks by a
 * counter from its own range, then from the other ranges, so that any number of threads completes
 * the loop. The caller's progress runs in the calling thread only.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "field/base/context.h"
#include "field/base/support.h"

#if GFP_PARALLEL == GFP_PARALLEL_OPENMP
#include <omp.h>
#endif

/* Threads that share a counter count the units of a task in parts: a unit has PARTS parts. */
#define PARTS 1024

/* The items of a worker that are not taken yet, in a cache line of its own. */
typedef struct range {
    _Alignas(64) atomic_size_t next;
    size_t end;
} range;

/* A running loop. */
struct gfp_team {
    const gfp_parallel *loop;
    gfp_task *task; /* the caller's */
    size_t chunk;
    unsigned workers;
    range *ranges;     /* of the workers */
    atomic_int status; /* the first error */
    double start;      /* units of the caller's task before the loop */
    atomic_uint_fast64_t done;
};

static void parallel_stop(struct gfp_team *team, gfp_status status)
{
    int none = GFP_OK;
    (void)atomic_compare_exchange_strong(&team->status, &none, (int)status);
}

bool gfp_team_report(gfp_task *mine)
{
    struct gfp_team *team = mine->team;
    atomic_fetch_add(&team->done, (uint64_t)(mine->done * PARTS));
    mine->done = 0;
    mine->next = mine->grain;
    if (mine->calls && atomic_load(&team->status) == GFP_OK) {
        team->task->done = team->start + (double)atomic_load(&team->done) / PARTS;
        if (!gfp_task_advance(team->task, 0)) {
            parallel_stop(team, GFP_ERR_CANCELLED);
        }
    }
    mine->cancelled = atomic_load(&team->status) != GFP_OK;
    return !mine->cancelled;
}

/* Takes items from the range of a worker: from[0] <= i < from[1]. Returns false if none is left. */
static bool parallel_take(struct gfp_team *team, range *share, size_t from[2])
{
    if (atomic_load_explicit(&share->next, memory_order_relaxed) >= share->end ||
        atomic_load_explicit(&team->status, memory_order_relaxed) != GFP_OK) {
        return false;
    }
    from[0] = atomic_fetch_add(&share->next, team->chunk);
    if (from[0] >= share->end) {
        return false;
    }
    from[1] = from[0] + gfp_size_min(team->chunk, share->end - from[0]);
    return true;
}

/* The body of a worker. A worker may have any rounding mode, since OpenMP's threads are older than
 * this call. */
static void parallel_work(struct gfp_team *team, unsigned worker)
{
    if (worker >= team->workers) {
        return;
    }
    gfp_task mine = {.team = team, .calls = worker == 0, .threads = 1};
    mine.grain = mine.next = team->task->grain;
    const int rounding = worker == 0 ? 0 : gfp_rounding_begin();
    bool worked = false;
    size_t items[2];
    for (unsigned i = 0; i < team->workers; i++) {
        range *share = &team->ranges[(worker + i) % team->workers];
        while (parallel_take(team, share, items)) {
            const gfp_status status =
                team->loop->run(team->loop->job, items[0], items[1], worker, &mine);
            worked = true;
            if (status != GFP_OK) {
                parallel_stop(team, status);
            }
        }
    }
    (void)gfp_team_report(&mine);
    if (worker != 0) {
        if (worked && team->loop->leave != NULL) {
            team->loop->leave();
        }
        gfp_rounding_end(rounding);
    }
}

#if GFP_PARALLEL == GFP_PARALLEL_OPENMP

/* Every loop starts all threads of the task, workers or not: with a team of another size than the
 * last one's, GCC's OpenMP would end threads and start new ones, which takes some 100 us. */
static void run_team(struct gfp_team *team)
{
#pragma omp parallel num_threads((int)gfp_task_threads(team->task)) default(none) shared(team)
    parallel_work(team, (unsigned)omp_get_thread_num());
}

static bool in_region(void)
{
    return omp_in_parallel() != 0;
}

unsigned gfp_threads_available(void)
{
    const int n = omp_get_num_procs();
    return n < 1 ? 1 : n > GFP_MAX_THREADS ? GFP_MAX_THREADS : (unsigned)n;
}

#elif GFP_PARALLEL == GFP_PARALLEL_PTHREADS

typedef struct worker {
    struct gfp_team *team;
    unsigned number;
    bool started;
    pthread_t id;
} worker;

static void *work_as(void *user)
{
    const worker *w = user;
    parallel_work(w->team, w->number);
    return NULL;
}

static void run_team(struct gfp_team *team)
{
    const unsigned workers = team->workers;
    worker w[GFP_MAX_THREADS];
    for (unsigned i = 1; i < workers; i++) {
        w[i] = (worker){.team = team, .number = i};
        w[i].started = pthread_create(&w[i].id, NULL, work_as, &w[i]) == 0;
    }
    parallel_work(team, 0);
    for (unsigned i = 1; i < workers; i++) {
        if (w[i].started) {
            (void)pthread_join(w[i].id, NULL);
        }
    }
}

static bool in_region(void)
{
    return false;
}

unsigned gfp_threads_available(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > GFP_MAX_THREADS ? GFP_MAX_THREADS : (unsigned)n;
}

#else

static void run_team(struct gfp_team *team)
{
    parallel_work(team, 0);
}

static bool in_region(void)
{
    return false;
}

unsigned gfp_threads_available(void)
{
    return 1;
}

#endif

unsigned gfp_parallel_workers(const gfp_task *task, size_t items, size_t chunk)
{
    const unsigned threads = GFP_PARALLEL == GFP_PARALLEL_NONE ? 1 : gfp_task_threads(task);
    const size_t chunks = items / chunk + (items % chunk != 0);
    return chunks == 0 ? 1 : (unsigned)gfp_size_min(threads, chunks);
}

size_t gfp_parallel_chunk(const gfp_task *task, size_t items, size_t rounds)
{
    const size_t chunks = rounds * gfp_task_threads(task);
    return items / chunks + (items % chunks != 0 || items == 0);
}

gfp_status gfp_parallel_for(const gfp_parallel *loop, gfp_task *task, size_t items, size_t chunk)
{
    const unsigned workers = gfp_parallel_workers(task, items, chunk);
    if (items == 0) {
        return GFP_OK;
    }
    if (workers == 1) {
        return loop->run(loop->job, 0, items, 0, task);
    }
    task->workers = workers > task->workers ? workers : task->workers;
    /* In loops of equal length, each worker gets the same items: they may be in its cache. */
    range ranges[GFP_MAX_THREADS];
    const size_t chunks = items / chunk + (items % chunk != 0);
    for (unsigned i = 0; i < workers; i++) {
        atomic_init(&ranges[i].next, chunks * i / workers * chunk);
        ranges[i].end = gfp_size_min(chunks * (i + 1) / workers * chunk, items);
    }
    struct gfp_team team = {
        .loop = loop, .task = task, .chunk = chunk, .workers = workers, .ranges = ranges};
    atomic_init(&team.status, GFP_OK);
    atomic_init(&team.done, 0);
    team.start = task->done;
    run_team(&team);
    const gfp_status status = (gfp_status)atomic_load(&team.status);
    if (status != GFP_OK) {
        return status;
    }
    task->done = team.start + (double)atomic_load(&team.done) / PARTS;
    return gfp_task_advance(task, 0) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- processes ---- */

static atomic_long forks;
static pthread_once_t forks_counted = PTHREAD_ONCE_INIT;
static bool forks_known;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void count_forks(void)
{
    forks_known = pthread_atfork(NULL, NULL, count_fork) == 0;
}

long gfp_parallel_process(void)
{
    (void)pthread_once(&forks_counted, count_forks);
    return forks_known ? -1 - atomic_load_explicit(&forks, memory_order_relaxed) : (long)getpid();
}

/* ---- the threads of a call ---- */

unsigned gfp_parallel_threads_in(long process, unsigned asked)
{
    if (asked <= 1 || GFP_PARALLEL == GFP_PARALLEL_NONE || gfp_parallel_process() != process) {
        return 1;
    }
    return asked < GFP_MAX_THREADS ? asked : GFP_MAX_THREADS;
}

unsigned gfp_parallel_threads(const gfp_field *field, unsigned asked)
{
    const unsigned threads = asked != 0 ? asked : gfp_field_threads(field);
    return asked == 0 && threads > 1 && in_region()
               ? 1
               : gfp_parallel_threads_in(field->process, threads);
}

unsigned gfp_field_threads(const gfp_field *field)
{
    const unsigned threads = atomic_load_explicit(&field->threads, memory_order_relaxed);
    return threads == 0 ? 1 : threads;
}

void gfp_field_set_threads(gfp_field *field, unsigned threads)
{
    atomic_store_explicit(&field->threads, threads, memory_order_relaxed);
}
