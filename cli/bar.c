/* bar.c: a terminal during long work: the progress bar, the width of a line, and signals that ask
 * the work to stop.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

/* Columns: of the line, of the text to the left and right of the bar, of the shortest bar. */
#define USUAL_WIDTH 79
#define TEXT_WIDTH 36
#define LEAST_BAR 4
#define REDRAW_SECONDS 0.2
/* At a smaller fraction the time left would be a guess. */
#define LEAST_FRACTION 0.02

/* ---- interrupts ---- */

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define STOP_SIGNALS (sizeof stop_signals / sizeof stop_signals[0])

static volatile sig_atomic_t stopped;
static struct sigaction usual[STOP_SIGNALS];

/* The first signal asks to stop. A second INT or TERM acts as without this handler; a second HUP
 * does not: both the closed terminal and its shell may send one. */
static void ask_to_stop(int number)
{
    if (stopped && number != SIGHUP) {
        for (size_t i = 0; i < STOP_SIGNALS; i++) {
            (void)sigaction(stop_signals[i], &usual[i], NULL);
        }
        (void)raise(number);
    }
    stopped = 1;
}

void watch_signals(void)
{
    for (size_t i = 0; i < STOP_SIGNALS; i++) {
        struct sigaction action = {.sa_handler = ask_to_stop};
        if (sigaction(stop_signals[i], NULL, &usual[i]) == 0 && usual[i].sa_handler != SIG_IGN) {
            sigemptyset(&action.sa_mask);
            (void)sigaction(stop_signals[i], &action, NULL);
        }
    }
}

bool stop_asked(void)
{
    return stopped != 0;
}

/* ---- the bar ---- */

double seconds_now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int line_width(int descriptor)
{
    struct winsize size = {.ws_col = 0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) {
        return USUAL_WIDTH;
    }
    return size.ws_col <= MOST_WIDTH ? size.ws_col - 1 : MOST_WIDTH;
}

static void bar_draw(struct bar *bar, double fraction, double now)
{
    char line[MOST_WIDTH + 1];
    char blocks[MOST_WIDTH + 1];
    char left[40] = "";
    bar->width = line_width(STDERR_FILENO);
    int all = bar->width > TEXT_WIDTH + LEAST_BAR ? bar->width - TEXT_WIDTH : LEAST_BAR;
    memset(blocks, '.', (size_t)all);
    memset(blocks, '#', (size_t)(fraction * all));
    blocks[all] = '\0';
    if (fraction >= LEAST_FRACTION) {
        double rest = (now - bar->start) * (1 - fraction) / fraction;
        unsigned whole = rest < 1e6 ? (unsigned)rest : 1000000;
        snprintf(left, sizeof left, "%u:%02u left", whole / 60, whole % 60);
    }
    snprintf(line, (size_t)bar->width + 1, "%-12.12s [%s] %3d %%  %s", bar->label, blocks,
             (int)(100 * fraction), left);
    fprintf(stderr, "\r%-*s", bar->width, line);
    (void)fflush(stderr);
    bar->drawn = now;
}

void bar_start(struct bar *bar)
{
    *bar = (struct bar){.on = !quiet_asked() && isatty(STDERR_FILENO) == 1,
                        .label = "",
                        .start = seconds_now(),
                        .drawn = 0};
}

void bar_show(struct bar *bar, double fraction)
{
    double now = seconds_now();
    if (bar->on && now - bar->drawn >= REDRAW_SECONDS) {
        bar_draw(bar, fraction, now);
    }
}

void bar_clear(struct bar *bar)
{
    if (bar->on && bar->drawn > 0) {
        fprintf(stderr, "\r%*s\r", bar->width, "");
        (void)fflush(stderr);
    }
}
