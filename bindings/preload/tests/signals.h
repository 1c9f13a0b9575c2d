/* signals.h: the host's signals, with a library for LD_PRELOAD: a handler runs as it does
 * without the library, and may jump out of a product, or ask for one. C and C++. After
 * lab.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BINDINGS_PRELOAD_TESTS_SIGNALS_H
#define BINDINGS_PRELOAD_TESTS_SIGNALS_H

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/* A product of the host, which the library takes. */
typedef struct signal_work {
    void (*multiply)(void *user);
    /* Makes the result wrong without giving memory back: a handler that jumps out of the host's
     * malloc would harm the host also without the library. */
    void (*spoil)(void *user);
    bool (*is_right)(void *user);
    void *user;
    const char *counter;
} signal_work;

static inline void check_work(const signal_work *w)
{
    const long before = lab_count(w->counter);
    w->spoil(w->user);
    w->multiply(w->user);
    assert_true(w->is_right(w->user));
    assert_int_equal(lab_count(w->counter), before + 1);
}

/* ---- another thread, which blocks all signals ---- */

typedef struct other_thread {
    pthread_t id;
    pthread_mutex_t lock;
} other_thread;

static inline void *wait_for_unlock(void *user)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)user;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static inline void start_other(other_thread *t)
{
    sigset_t all, before;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_lock(&t->lock);
    sigfillset(&all);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    assert_int_equal(pthread_create(&t->id, NULL, wait_for_unlock, &t->lock), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

static inline void end_other(other_thread *t)
{
    pthread_mutex_unlock(&t->lock);
    assert_int_equal(pthread_join(t->id, NULL), 0);
    pthread_mutex_destroy(&t->lock);
}

/* ---- signals by timers ---- */

static volatile int timer_value;

static inline timer_t make_timer(int signal)
{
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    event.sigev_value.sival_ptr = (void *)&timer_value;
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    return timer;
}

static inline void signals_arm(timer_t timer, long nanoseconds)
{
    struct itimerspec when;
    memset(&when, 0, sizeof when);
    when.it_value.tv_sec = nanoseconds / 1000000000;
    when.it_value.tv_nsec = nanoseconds % 1000000000;
    assert_int_equal(timer_settime(timer, 0, &when, NULL), 0);
}

static inline double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- handlers ---- */

static volatile sig_atomic_t signals_seen, seen_code, seen_pid, seen_pointer;

static inline void signals_see(int signal)
{
    (void)signal;
    signals_seen = signals_seen + 1;
}

static inline void see_information(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    signals_seen = signals_seen + 1;
    seen_code = info->si_code;
    seen_pid = info->si_code == SI_QUEUE ? info->si_pid : 0;
    seen_pointer = info->si_value.sival_ptr == (void *)&timer_value;
}

static inline void set_action(int signal, void (*action)(int, siginfo_t *, void *))
{
    struct sigaction new_action;
    memset(&new_action, 0, sizeof new_action);
    new_action.sa_sigaction = action;
    new_action.sa_flags = SA_SIGINFO;
    sigemptyset(&new_action.sa_mask);
    assert_int_equal(sigaction(signal, &new_action, NULL), 0);
}

/* Products until the handler has run; they are right. */
static inline void multiply_until_seen(const signal_work *w)
{
    const double start = seconds_of(CLOCK_MONOTONIC);
    while (signals_seen == 0 && seconds_of(CLOCK_MONOTONIC) < start + 20) {
        check_work(w);
    }
    for (int i = 0; i < 3; i++) {
        check_work(w);
    }
    assert_int_equal(signals_seen, 1);
}

static const int seen_signals[] = {SIGINT, SIGALRM, SIGHUP, SIGTERM, SIGUSR1};
#define SEEN_SIGNALS (sizeof seen_signals / sizeof *seen_signals)

/* A handler that runs once, in a process of several threads. */
static inline void check_one_shot_handlers(const signal_work *w)
{
    other_thread other;
    start_other(&other);
    for (size_t i = 0; i < SEEN_SIGNALS; i++) {
        struct sigaction action, after;
        const timer_t timer = make_timer(seen_signals[i]);
        memset(&action, 0, sizeof action);
        action.sa_handler = signals_see;
        action.sa_flags = (int)SA_RESETHAND;
        assert_int_equal(sigaction(seen_signals[i], &action, NULL), 0);
        signals_seen = 0;
        signals_arm(timer, 3000000);
        multiply_until_seen(w);
        assert_int_equal(sigaction(seen_signals[i], NULL, &after), 0);
        assert_true(after.sa_handler == SIG_DFL);
        timer_delete(timer);
    }
    end_other(&other);
}

static inline void *send_queued(void *user)
{
    union sigval value;
    const struct timespec delay = {0, 3000000};
    nanosleep(&delay, NULL);
    value.sival_ptr = (void *)&timer_value;
    sigqueue(getpid(), *(const int *)user, value);
    return NULL;
}

/* The code, the value and the sender arrive: of timers and of another thread's sigqueue. */
static inline void check_information(const signal_work *w)
{
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < SEEN_SIGNALS; i++) {
        pthread_t sender;
        const timer_t timer = make_timer(seen_signals[i]);
        set_action(seen_signals[i], see_information);
        signals_seen = 0;
        signals_arm(timer, 3000000);
        multiply_until_seen(w);
        assert_int_equal(seen_code, SI_TIMER);
        assert_true(seen_pointer);
        timer_delete(timer);

        signals_seen = 0;
        assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
        assert_int_equal(pthread_create(&sender, NULL, send_queued, (void *)&seen_signals[i]), 0);
        assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
        multiply_until_seen(w);
        assert_int_equal(pthread_join(sender, NULL), 0);
        assert_int_equal(seen_code, SI_QUEUE);
        assert_int_equal(seen_pid, getpid());
        assert_true(seen_pointer);
        set_handler(seen_signals[i], SIG_DFL);
    }
}

/* Products change no handler and no mask, with one thread and with several. */
static inline void check_handlers_stay(const signal_work *w)
{
    sigset_t before, after;
    other_thread other;
    set_handler(SIGINT, signals_see);
    set_action(SIGALRM, see_information);
    set_handler(SIGHUP, SIG_IGN);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    for (int i = 0; i < 2; i++) {
        struct sigaction now;
        check_work(w);
        assert_int_equal(sigaction(SIGINT, NULL, &now), 0);
        assert_true(now.sa_handler == signals_see && (now.sa_flags & SA_SIGINFO) == 0);
        assert_int_equal(sigaction(SIGALRM, NULL, &now), 0);
        assert_true(now.sa_sigaction == see_information && (now.sa_flags & SA_SIGINFO) != 0);
        assert_int_equal(sigaction(SIGHUP, NULL, &now), 0);
        assert_true(now.sa_handler == SIG_IGN);
        assert_int_equal(sigaction(SIGTERM, NULL, &now), 0);
        assert_true(now.sa_handler == SIG_DFL);
        assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
        for (int signal = 1; signal < 32; signal++) {
            assert_int_equal(sigismember(&before, signal), sigismember(&after, signal));
        }
        if (i == 0) {
            start_other(&other);
        }
    }
    end_other(&other);
    set_handler(SIGINT, SIG_DFL);
    set_handler(SIGALRM, SIG_DFL);
    set_handler(SIGHUP, SIG_DFL);
}

/* ---- jumps ---- */

static sigjmp_buf jump_target;

static inline void jump_out(int signal)
{
    (void)signal;
    siglongjmp(jump_target, 1);
}

/* One jump out of products by each signal; then SIGINT arrives, and the next product is taken. */
static inline void check_jump_of_each_signal(const signal_work *w)
{
    static const int signals[] = {SIGUSR1, SIGUSR2,  SIGVTALRM, SIGPROF, SIGALRM,
                                  SIGTERM, SIGWINCH, SIGHUP,    SIGINT};
    static const signal_work *work; /* jumps leave it alone */
    static other_thread other;
    static volatile size_t i;
    work = w;
    alarm(120); /* ends the process where it would wait for ever */
    start_other(&other);
    for (i = 0; i < sizeof signals / sizeof *signals; i++) {
        static timer_t timer;
        timer = make_timer(signals[i]);
        set_handler(signals[i], jump_out);
        work->spoil(work->user);
        if (sigsetjmp(jump_target, 1) == 0) {
            signals_arm(timer, 2000000);
            for (;;) {
                work->multiply(work->user);
            }
        }
        timer_delete(timer);
        set_handler(signals[i], SIG_DFL);
        signals_seen = 0;
        set_handler(SIGINT, signals_see);
        check_work(work);
        assert_int_equal(kill(getpid(), SIGINT), 0);
        for (int j = 0; j < 1000 && signals_seen == 0; j++) {
            usleep(100);
        }
        assert_int_equal(signals_seen, 1);
        set_handler(SIGINT, SIG_DFL);
    }
    end_other(&other);
    alarm(0);
}

/* ---- handlers that compute ---- */

static const signal_work *work_of_handler;

static inline void multiply_in_handler(int signal)
{
    (void)signal;
    work_of_handler->multiply(work_of_handler->user);
    signals_seen = signals_seen + 1;
}

/* A handler asks for a product in the middle of one; every other time a second handler does so in
 * the middle of the first one's. All products are right. */
static inline void check_handlers_that_compute(const signal_work *w, const signal_work *inner,
                                               double seconds)
{
    const timer_t timers[] = {make_timer(SIGUSR1), make_timer(SIGUSR2)};
    const double start = seconds_of(CLOCK_MONOTONIC);
    check_work(w);
    const double wall = seconds_of(CLOCK_MONOTONIC) - start;
    unsigned random = 54321;
    work_of_handler = inner;
    signals_seen = 0;
    alarm(120);
    set_handler(SIGUSR1, multiply_in_handler);
    set_handler(SIGUSR2, multiply_in_handler);
    for (int i = 0; seconds_of(CLOCK_MONOTONIC) < start + seconds || signals_seen < 10; i++) {
        inner->spoil(inner->user);
        w->spoil(w->user);
        for (int j = 0; j < 2; j++) {
            random = random * 1103515245u + 12345u;
            signals_arm(timers[j], 1000 + (long)(1e9 * wall * (random >> 16 & 1023) / 1024));
        }
        const long before = signals_seen;
        w->multiply(w->user);
        assert_true(w->is_right(w->user));
        assert_true(signals_seen == before || inner->is_right(inner->user));
    }
    for (int j = 0; j < 2; j++) {
        timer_delete(timers[j]);
    }
    set_handler(SIGUSR1, SIG_DFL);
    set_handler(SIGUSR2, SIG_DFL);
    check_work(w);
    check_work(inner);
    alarm(0);
}

/* ---- jumps at random times ---- */

static inline size_t resident_bytes(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages, &resident), 2);
    fclose(file);
    return resident * 4096;
}

/* The least time of some products, as the process's processors count it. */
static inline double product_seconds(const signal_work *w)
{
    double least = 1e9;
    for (int i = 0; i < 7; i++) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        check_work(w);
        const double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* Many jumps at random times. bytes: what a jump may cost. */
static inline void check_many_jumps(const signal_work *w, double seconds, size_t bytes)
{
    static const signal_work *work;
    static volatile long jumps;
    static volatile bool armed;
    static volatile unsigned random;
    static double before, wall, end;
    static size_t resident;
    static timer_t timer;
    static sigset_t open, closed;
    work = w;
    jumps = 0;
    random = 12345;
    alarm(120);
    before = product_seconds(work);
    wall = seconds_of(CLOCK_MONOTONIC);
    check_work(work);
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    resident = resident_bytes();
    timer = make_timer(SIGUSR1);
    sigemptyset(&closed);
    sigaddset(&closed, SIGUSR1);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &closed, &open), 0);
    set_handler(SIGUSR1, jump_out);
    end = seconds_of(CLOCK_MONOTONIC) + seconds;
    armed = false;
    if (sigsetjmp(jump_target, 1) != 0) {
        jumps = jumps + 1;
        armed = false;
    }
    while (seconds_of(CLOCK_MONOTONIC) < (jumps > 10 ? end : end + 30)) {
        if (!armed) { /* a timer that is set again at each turn may never expire */
            armed = true;
            random = random * 1103515245u + 12345u;
            signals_arm(timer, 1000 + (long)(1.5e9 * wall * (random >> 16 & 1023) / 1024));
        }
        assert_int_equal(pthread_sigmask(SIG_SETMASK, &open, NULL), 0);
        work->multiply(work->user);
        assert_int_equal(pthread_sigmask(SIG_SETMASK, &closed, NULL), 0);
    }
    timer_delete(timer);
    set_handler(SIGUSR1, SIG_IGN);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &open, NULL), 0);
    set_handler(SIGUSR1, SIG_DFL);
    assert_true(jumps > 10);
    for (int i = 0; i < 20; i++) {
        check_work(work);
    }
    const size_t now = resident_bytes();
    assert_true(now < resident + (size_t)jumps * bytes + ((size_t)64 << 20));
    assert_true(product_seconds(work) < 3 * before);
    alarm(0);
}

/* ---- jumps of several threads ---- */

typedef struct jumping_thread {
    pthread_t id;
    const signal_work *work;
    volatile bool ends;
    volatile long jumps;
} jumping_thread;

static __thread sigjmp_buf own_target;

static inline void jump_in_own_thread(int signal)
{
    (void)signal;
    siglongjmp(own_target, 1);
}

static inline void *multiply_and_jump(void *user)
{
    jumping_thread *const t = (jumping_thread *)user;
    sigset_t open, closed;
    sigemptyset(&open);
    sigemptyset(&closed);
    sigaddset(&closed, SIGUSR2);
    if (sigsetjmp(own_target, 1) != 0) {
        t->jumps = t->jumps + 1;
    }
    while (!t->ends) {
        pthread_sigmask(SIG_SETMASK, &open, NULL);
        t->work->multiply(t->work->user);
        pthread_sigmask(SIG_SETMASK, &closed, NULL);
    }
    t->work->spoil(t->work->user);
    t->work->multiply(t->work->user);
    return t->work->is_right(t->work->user) ? NULL : user;
}

/* Threads whose handlers jump out of their products: no thread keeps another one waiting. */
static inline void check_jumps_of_threads(const signal_work *works, int n, double seconds)
{
    enum { MOST = 8 };
    jumping_thread t[MOST];
    sigset_t closed, before;
    const double end = seconds_of(CLOCK_MONOTONIC) + seconds;
    assert_true(n <= MOST);
    alarm(120);
    sigemptyset(&closed);
    sigaddset(&closed, SIGUSR2);
    set_handler(SIGUSR2, jump_in_own_thread);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &closed, &before), 0);
    for (int i = 0; i < n; i++) {
        t[i].work = works + i;
        t[i].ends = false;
        t[i].jumps = 0;
        assert_int_equal(pthread_create(&t[i].id, NULL, multiply_and_jump, &t[i]), 0);
    }
    for (unsigned i = 0; seconds_of(CLOCK_MONOTONIC) < end; i++) {
        usleep(200 + i * 37 % 500);
        assert_int_equal(pthread_kill(t[i % (unsigned)n].id, SIGUSR2), 0);
    }
    for (int i = 0; i < n; i++) {
        void *failed;
        t[i].ends = true;
        assert_int_equal(pthread_join(t[i].id, &failed), 0);
        assert_null(failed);
        assert_true(t[i].jumps > 5);
    }
    set_handler(SIGUSR2, SIG_IGN);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    set_handler(SIGUSR2, SIG_DFL);
    alarm(0);
}

#endif
