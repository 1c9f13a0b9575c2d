/* papers/blocks.c: the transform over Z/pZ on a device: its times in the ways in which both
 * approaches of ISSAC 2017 are called, and by the number of threads of a block (section 6).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "papers/tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const call_names[CALLS] = {"one call", "calls in a row", "batches"};

/* A plan has up to MOST_AT_ONCE vectors, with up to MOST_POINTS points in all. */
#define MOST_POINTS ((size_t)1 << 20)
#define MOST_AT_ONCE 256

size_t vectors_at_once(const paper *w, size_t n)
{
    const size_t most = left_out(w, MOST_POINTS) ? w->max_points : MOST_POINTS;
    const size_t batch = most / n < MOST_AT_ONCE ? most / n : MOST_AT_ONCE;

    return batch > 1 ? batch : 1;
}

bool note_calls(paper *w, const char *field, const char *what, size_t n, const times *alone,
                const times *together, double ms[CALLS])
{
    const double batch = (double)vectors_at_once(w, n);
    const timing taken[CALLS] = {[ONE_CALL] = alone->single,
                                 [CALLS_IN_A_ROW] = alone->graph,
                                 [BATCHES] = timing_divide(together->graph, batch)};

    for (int calls = 0; calls < CALLS; calls++) {
        char name[96];
        snprintf(name, sizeof(name), "%s, %s", what, call_names[calls]);
        if (!note_gpu_figure(w, field, name, n, &taken[calls])) {
            return false;
        }
        ms[calls] = taken[calls].median_ns / 1e6;
    }
    return true;
}

/* *t := the times of a plan of `batch` vectors, after a comparison. */
static bool time_big(paper *w, const char *field, size_t n, dft_options options, size_t batch,
                     times *t)
{
    dft_job job;
    bool absent;

    options.batch = batch;
    bool ok = dft_open(&job, &w->gpu, field, n, &options, &absent) && dft_check(&job);
    job.order = GFP_ORDER_NATURAL;
    job.inverse = false;
    ok = ok && time_body(&w->gpu, run_dft, &job, t, field);
    dft_close(&job);
    return ok;
}

void measure_big_on_gpu(paper *w, const char *field, size_t n, const dft_options *options,
                        double ms[CALLS])
{
    const size_t batch = vectors_at_once(w, n);
    times alone, together;
    char what[96], form[24];

    snprintf(form, sizeof(form), "%s", dft_form_name(options->form));
    snprintf(what, sizeof(what), "big-prime DFT, form %s", form);
    if (options->threads != 0) {
        snprintf(what, sizeof(what), "big-prime DFT, form %s, blocks of %u", form,
                 options->threads);
    }
    bool ok = time_big(w, field, n, *options, 1, &alone);
    together = alone;
    ok = ok && (batch == 1 || time_big(w, field, n, *options, batch, &together)) &&
         note_calls(w, field, what, n, &alone, &together, ms);
    if (!ok) {
        memset(ms, 0, CALLS * sizeof(*ms));
    }
}

double step_ms(const gfp_gpu_times *taken, const char *name)
{
    double ms = 0;

    for (unsigned i = 0; i < taken->count; i++) {
        ms += name == NULL || strcmp(taken->step[i].name, name) == 0 ? taken->step[i].ms : 0;
    }
    return ms;
}

/* ---- threads of a block ---- */

static const char *const timed_steps[] = {"permutation", "twiddle", "base case"};

/* A row for blocks of this number of threads; 0: the library's form. */
static void blocks_row(paper *w, unsigned k, unsigned e, unsigned threads)
{
    const dft_options options = {.form = threads != 0 ? DFT_PAPERS : DFT_AUTO, .threads = threads};
    const size_t n = points_of(k, e), batch = vectors_at_once(w, n);
    gfp_gpu_times taken = {.count = 0};
    double ms[CALLS] = {0};
    char name[16];

    snprintf(name, sizeof(name), "p%u", k);
    if (w->gpu.gpu != NULL && !left_out(w, n)) {
        dft_options together = options;
        together.batch = batch;
        progress(name, "blocks of threads", n);
        measure_big_on_gpu(w, name, n, &options, ms);
        if (threads != 0 && !dft_steps(&w->gpu, name, n, &together, &taken)) {
            taken.count = 0;
        }
        progress_end();
    }
    fprintf(w->out, "| p%u, %u (%zu)", k, e, n);
    if (threads != 0) {
        fprintf(w->out, " | %u", threads);
    } else {
        fputs(" | the library's form", w->out);
    }
    for (int calls = 0; calls < CALLS; calls++) {
        table_gpu_cell(w, 0, 1e3 * ms[calls]);
    }
    for (size_t i = 0; i < COUNT(timed_steps); i++) {
        table_gpu_cell(w, 0, 1e3 * step_ms(&taken, timed_steps[i]) / (double)batch);
    }
    table_row_end(w->out);
}

bool issac_blocks(paper *w)
{
    static const char *const columns[] = {"prime, e (N)",
                                          "threads of a block",
                                          "one call, us",
                                          "calls in a row",
                                          "batches",
                                          "of these permutations",
                                          "twiddles",
                                          "base cases",
                                          NULL};
    static const unsigned keys[][2] = {{8, 3}, {8, 4}, {16, 2}, {16, 3}, {16, 4}};
    static const unsigned threads[] = {64, 128, 256, 512, 0};

    fputs("\n## Threads of a block\n\nISSAC 2017, 6, has 128 or 256 threads a block. Here: us for "
          "a transform in the papers' form by the number of threads in the "
          "blocks of all its kernels, and of its steps in batches (timed by events between the "
          "kernels). Calls are those of Table 2. The library's form has no such choice: the shape "
          "of a tile sets the number of threads. Not published.\n\n",
          w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < COUNT(keys) * COUNT(threads); i++) {
        const unsigned *key = keys[i / COUNT(threads)];
        blocks_row(w, key[0], key[1], threads[i % COUNT(threads)]);
    }
    return true;
}
