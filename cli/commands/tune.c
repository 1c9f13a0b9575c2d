/* tune.c: the subcommand tune: measures every method over fields and lengths, and writes a
 * tuning file, with a progress bar on a terminal. An interrupt ends it early and keeps the times
 * measured so far.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The operations in most use. */
#define USUAL_OPERATIONS                                                                           \
    (1U << GFP_OPERATION_PRODUCT | 1U << GFP_OPERATION_SQUARE | 1U << GFP_OPERATION_LOW |          \
     1U << GFP_OPERATION_OPERAND)

/* The progress of the whole measurement. */
struct tuning_progress {
    struct bar bar;
    size_t index, count; /* of rounds: one or two a field */
};

/* gfp_tuning_options.progress. */
static bool tune_progress(void *user, double field_fraction)
{
    struct tuning_progress *p = user;
    bar_show(&p->bar, ((double)p->index + field_fraction) / (double)p->count);
    return !stop_asked();
}

/* ---- the fields ---- */

struct fields {
    gfp_field **field;
    size_t count;
};

static void free_fields(struct fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        gfp_field_destroy(fields->field[i]);
    }
    free(fields->field);
}

/* Adds the field unless the list has it. Returns an exit code. */
static int add_field(struct fields *fields, const char *name)
{
    gfp_field *field;
    int code = create_field(&field, name);
    if (code != DONE) {
        return code;
    }
    for (size_t i = 0; i < fields->count; i++) {
        if (gfp_field_same(fields->field[i], field)) {
            gfp_field_destroy(field);
            return DONE;
        }
    }
    fields->field[fields->count++] = field;
    return DONE;
}

/* Whether an earlier named prime has the same k. */
static bool k_is_known(size_t index)
{
    unsigned k = gfp_named_prime_get(index)->k;
    for (size_t i = 0; i < index; i++) {
        if (gfp_named_prime_get(i)->k == k) {
            return true;
        }
    }
    return false;
}

/* Adds the first named prime of each k. */
static int add_usual(struct fields *fields)
{
    int code = DONE;
    for (size_t i = 0; i < gfp_named_prime_count() && code == DONE; i++) {
        code = k_is_known(i) ? DONE : add_field(fields, gfp_named_prime_get(i)->name);
    }
    return code;
}

static int make_fields(struct fields *fields, const struct request *request)
{
    int code = DONE;
    *fields = (struct fields){.count = 0};
    fields->field = calloc(MAX_FIELDS + gfp_named_prime_count(), sizeof(gfp_field *));
    if (fields->field == NULL) {
        return complain_status(request->command->name, GFP_ERR_MEMORY, NULL);
    }
    if (request->fields == 0) {
        code = add_usual(fields);
    }
    const char *name = asked_field(request, 0);
    for (size_t i = 1; name != NULL && code == DONE; i++) {
        code = add_field(fields, name);
        name = asked_field(request, i);
    }
    if (code != DONE) {
        free_fields(fields);
    }
    return code;
}

/* ---- the file ---- */

/* *tuning (NULL so far) := the file's tuning if it fits this machine; empty if the file does not
 * exist. */
static gfp_status load_old(gfp_tuning **tuning, const char *path, gfp_error *error)
{
    errno = 0;
    gfp_status status = gfp_tuning_load(tuning, path, NULL, error);
    if (status == GFP_ERR_IO && errno == ENOENT) {
        return gfp_tuning_create(tuning, NULL);
    }
    if (status == GFP_OK) {
        note_tuning(path, error);
        status = gfp_tuning_check(*tuning, error);
    }
    if (status != GFP_OK) {
        gfp_tuning_destroy(*tuning);
        *tuning = NULL;
    }
    return status;
}

/* The option that asked for the merge. */
static const char *merge_option(const struct request *request)
{
    return request->own.tune.resume ? "resume" : "merge";
}

static bool is_merge(const struct request *request)
{
    return request->own.tune.merge || request->own.tune.resume;
}

/* Reports why the file cannot be merged into, as `option` asks. Returns an exit code. */
static int complain_old(const char *path, const char *option, gfp_status status,
                        const gfp_error *error)
{
    char text[1000];
    if (status == GFP_ERR_MEMORY) {
        return complain_status(path, status, NULL);
    }
    describe_tuning_error(text, sizeof text, path, error);
    complain("%s; without --%s the file is replaced", text, option);
    return status == GFP_STALE ? BAD_USAGE : exit_code(status);
}

/* Checks before the measurement that the file can be merged into. *old (NULL so far) := the file's
 * tuning. Returns an exit code. */
static int check_old(gfp_tuning **old, const char *path, const char *option)
{
    gfp_error error = {.message = ""};
    gfp_status status = load_old(old, path, &error);
    return status == GFP_OK ? DONE : complain_old(path, option, status, &error);
}

/* ---- the command ---- */

/* A measurement and its file. */
struct tune {
    const char *path;   /* NULL: standard output */
    bool gpu;           /* a GPU is available */
    gfp_error no_gpu;   /* why not */
    gfp_tuning *fresh;  /* the times of this call */
    gfp_tuning *known;  /* the file's times before this call, for a merge; or NULL */
    gfp_tuning *merged; /* `known` and `fresh` together; NULL: only `fresh` is written */
    struct fields fields;
};

static const char *tune_plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Measures all fields, until one fails or a signal stops the work. Reports that, and for a file the
 * option that continues. Returns an exit code. */
static int tune_measure(struct tune *tune, const struct request *request, bool to_file)
{
    gfp_error error = {.message = ""};
    gfp_status status = GFP_OK;
    /* The gain of several threads is measured against one thread. */
    const size_t rounds = request->call.threads > 1 ? 2 : 1;
    struct tuning_progress p = {.count = rounds * tune->fields.count};
    gfp_tuning_options options = {.quick = request->own.tune.quick,
                                  .operations = request->own.tune.operations != 0
                                                    ? request->own.tune.operations
                                                    : USUAL_OPERATIONS,
                                  .known = request->own.tune.resume ? tune->known : NULL,
                                  .progress = tune_progress,
                                  .user = &p,
                                  .error = &error};
    bar_start(&p.bar);
    for (; p.index < p.count && status == GFP_OK; p.index++) {
        const gfp_field *field = tune->fields.field[p.index / rounds];
        p.bar.label = gfp_field_name(field);
        options.threads = p.index % rounds == 0 ? 1 : request->call.threads;
        status = gfp_tuning_measure(tune->fresh, field, &options);
    }
    bar_clear(&p.bar);
    if (status == GFP_ERR_CANCELLED) {
        const size_t count = gfp_tuning_count(tune->fresh);
        complain("tune: interrupted after %zu length%s%s", count, tune_plural(count),
                 to_file ? "; --resume measures the rest" : "");
        return FAILED;
    }
    return status == GFP_OK ? DONE : complain_status(p.bar.label, status, &error);
}

/* tune->merged := the file's times and the new ones, for --merge or after an interrupt. The file is
 * read only now, because another run may have written it meanwhile. A file that cannot be merged
 * into is an error with --merge, and is replaced after an interrupt. Without a merge tune->fresh is
 * written as it is: a new tuning would describe this machine as it is now, without a GPU that was
 * lost meanwhile. Returns an exit code. */
static int tune_gather(struct tune *tune, const struct request *request)
{
    gfp_error error = {.message = ""};
    gfp_tuning *old = NULL;
    gfp_status status = load_old(&old, tune->path, &error);
    if (status == GFP_OK && gfp_tuning_count(old) > 0) {
        status = gfp_tuning_merge(old, tune->fresh, &error);
        if (status == GFP_OK) {
            tune->merged = old;
            return DONE;
        }
    }
    const bool readable =
        old !=
        NULL; /* a readable file is not replaced, for instance where both are too long together */
    gfp_tuning_destroy(old);
    return status != GFP_OK && (is_merge(request) || status == GFP_ERR_MEMORY ||
                                (readable && status != GFP_STALE))
               ? complain_old(tune->path, merge_option(request), status, &error)
               : DONE;
}

/* Prints why methods on a GPU were left out, if they were. */
static void say_without_gpu(const struct tune *tune)
{
    if (!tune->gpu) {
        printf("without a GPU: %s\n", tune->no_gpu.message);
    }
}

/* Writes tune->merged or tune->fresh. Returns an exit code. */
static int write_tuning(const struct tune *tune, struct output *output)
{
    const gfp_tuning *all = tune->merged != NULL ? tune->merged : tune->fresh;
    return finish_output(output, gfp_tuning_fwrite(all, output->stream));
}

/* Measures, and writes the times, also those of a measurement that failed. */
static int measure_and_write(struct tune *tune, const struct request *request)
{
    struct output output;
    const char *where = tune->path != NULL ? tune->path : "standard output";
    /* Opened before the work: a file that cannot be written costs no time. */
    int code = open_output(&output, tune->path);
    if (code != DONE) {
        return code;
    }
    watch_signals();
    const bool to_file = output.temporary != NULL;
    code = tune_measure(tune, request, to_file);
    if (gfp_tuning_count(tune->fresh) == 0 && code == DONE && request->own.tune.resume) {
        abandon_output(&output);
        printf("%s: nothing is left to measure\n", where);
        say_without_gpu(tune);
        return flush_standard_output(0);
    }
    if (gfp_tuning_count(tune->fresh) == 0) {
        abandon_output(&output);
        complain("tune: nothing was measured; %s is unchanged", where);
        return code != DONE ? code : FAILED;
    }
    int written =
        is_merge(request) || (code != DONE && to_file) ? tune_gather(tune, request) : DONE;
    if (written != DONE) {
        abandon_output(&output);
        return written;
    }
    written = write_tuning(tune, &output);
    if (written == DONE && code != DONE) {
        complain("tune: %s holds the times measured so far%s", where,
                 tune->merged != NULL ? " and its earlier ones" : "");
    } else if (written == DONE && tune->path != NULL) {
        const size_t measured = gfp_tuning_count(tune->fresh);
        const size_t all = tune->merged != NULL ? gfp_tuning_count(tune->merged) : measured;
        printf("%s: %zu length%s measured, %zu length%s in the file\n", tune->path, measured,
               tune_plural(measured), all, tune_plural(all));
        say_without_gpu(tune);
        written = flush_standard_output(0);
    }
    return code != DONE ? code : written;
}

static int tune_fields(struct tune *tune, const struct request *request)
{
    /* Asked before the measurement, which depends on the same answer. */
    tune->gpu = gfp_gpu_pool_ask(&tune->no_gpu) == GFP_OK;
    gfp_status status = gfp_tuning_create(&tune->fresh, NULL);
    if (status != GFP_OK) {
        return complain_status(request->command->name, status, NULL);
    }
    int code =
        is_merge(request) ? check_old(&tune->known, tune->path, merge_option(request)) : DONE;
    if (code == DONE) {
        code = make_fields(&tune->fields, request);
    }
    if (code == DONE) {
        code = measure_and_write(tune, request);
        free_fields(&tune->fields);
    }
    return code;
}

static int run_tune(const struct request *request)
{
    struct tune tune = {.path = request->output};
    char *path = NULL;
    int code = DONE;
    if (build_refusal() != NULL) {
        complain("tune: this gfpoly was built %s: its times mean nothing", build_refusal());
        return FAILED;
    }
    if (tune.path != NULL && strcmp(tune.path, "-") == 0) {
        tune.path = NULL;
        if (is_merge(request)) {
            complain("tune: --%s needs a file: -o - is standard output", merge_option(request));
            return BAD_USAGE;
        }
    } else if (tune.path == NULL) {
        path = user_tuning_path(true);
        if (path == NULL) {
            return BAD_USAGE;
        }
        code = make_folders(path, 0700);
        tune.path = path;
    }
    if (code == DONE) {
        code = tune_fields(&tune, request);
    }
    gfp_tuning_destroy(tune.fresh);
    gfp_tuning_destroy(tune.known);
    gfp_tuning_destroy(tune.merged);
    free(path);
    return code;
}

const struct command tune_commands[] = {
    {.name = "tune",
     .summary = "Measure the methods on this machine, for the chooser",
     .doc = "Measures every method over many lengths, about half a minute a field, with factors in "
            "host memory and, if there is a GPU, with factors in its memory. Writes the times to "
            "$XDG_CONFIG_HOME/gfpoly/tuning or ~/.config/gfpoly/tuning; the subcommands that "
            "compute products, methods and demo read the costs there. An interrupt (INT, TERM, "
            "HUP) keeps the times measured so far and, as with --merge, those of the file; the "
            "exit status is then 1."
            "\vA field that was not measured takes the costs of the nearest measured field with "
            "the same k if both radices are below 2^32, or neither (the same kernels serve both "
            "fields); else the built-in costs.",
     .run = run_tune},
    {.name = NULL}};
