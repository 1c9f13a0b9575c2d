/* fields.c: `compare --fields': the methods of products on a map of lengths against fields, at one
 * kernel level or at all levels of this CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/compare/map.h"
#include "cli/machine.h"

#define MOST_LEVELS 8

/* A map's fields and operands. */
struct field_map {
    size_t fields, levels;
    char name[MOST_ON_AXIS][48];    /* of each field */
    const char *level[MOST_LEVELS]; /* each with a line for each field */
    bool by_process;                /* each level has a process of its own */
    gfp_field *field[MOST_ON_AXIS];
    const gfp_field *current; /* of the operands */
    gfp_poly a, b, c;
};

/* What the processes of the levels write. */
struct shared {
    size_t lengths; /* complete ones of the level measured last */
    bool interrupted;
    struct map_place places[];
};

static size_t shared_size(const struct map *m)
{
    return sizeof(struct shared) + m->lengths * m->stride * sizeof(struct map_place);
}

/* ---- one level ---- */

static gfp_status call_method(struct map *m, const gfp_options *options)
{
    struct field_map *s = m->operands;
    return gfp_poly_mul(&s->c, &s->a, &s->b, options);
}

static void clear_operands(struct field_map *s)
{
    if (s->current != NULL) {
        gfp_poly_clear(&s->a);
        gfp_poly_clear(&s->b);
        gfp_poly_clear(&s->c);
    }
    s->current = NULL;
}

/* Names the methods; leaves out those that cannot serve, or are estimated to be slow. */
static gfp_status name_methods(const struct map *m, struct map_place *p, size_t length)
{
    const struct field_map *s = m->operands;
    const gfp_problem problem = {.len_a = m->len[length], .len_b = m->len[length]};
    const gfp_options options = {.threads = m->threads};
    gfp_status status = GFP_OK;
    double best = 0;
    gfp_method_info info[MOST_COLUMNS];
    p->count = gfp_method_count() < MOST_COLUMNS ? gfp_method_count() : MOST_COLUMNS;
    for (size_t i = 0; i < p->count && status == GFP_OK; i++) {
        status = gfp_method_query(&info[i], i, &problem, s->current, &options);
        if (status == GFP_OK && info[i].available && (!(best > 0) || info[i].estimate_ns < best)) {
            best = info[i].estimate_ns;
        }
    }
    for (size_t i = 0; i < p->count && status == GFP_OK; i++) {
        struct figure *f = &p->by[i];
        p->name[i] = info[i].name;
        p->group[i] = info[i].algorithm;
        f->outcome = MEASURED;
        if (!info[i].available) {
            f->outcome = CANNOT;
            snprintf(f->note, sizeof f->note, "cannot serve: %s", info[i].reason);
        } else if (info[i].estimate_ns > LOST_RATIO * best) {
            f->outcome = LOST;
            snprintf(f->note, sizeof f->note, "left out: estimated at %.3g times the least",
                     info[i].estimate_ns / best);
        }
    }
    return status;
}

static gfp_status draw_field_place(struct map *m, struct map_place *p, size_t length, size_t line)
{
    struct field_map *s = m->operands;
    clear_operands(s);
    s->current = s->field[line % s->fields];
    gfp_poly_init(&s->a, s->current);
    gfp_poly_init(&s->b, s->current);
    gfp_poly_init(&s->c, s->current);
    const gfp_status status = draw_operands(&s->a, m->len[length], &s->b, m->len[length], m->seed);
    return status == GFP_OK ? name_methods(m, p, length) : status;
}

/* Measures the lines of a level, in this process. Reports errors; returns an exit code. */
static int measure_level(struct map *m, size_t level, size_t *lengths, bool *interrupted)
{
    struct field_map *s = m->operands;
    gfp_status status = GFP_OK;
    int code = DONE;
    size_t made = 0;
    for (; made < s->fields && code == DONE; made++) {
        code = create_field(&s->field[made], s->name[made]);
    }
    if (code == DONE) {
        status = measure_places(m, level * s->fields, (level + 1) * s->fields, lengths);
        *interrupted = status == GFP_ERR_CANCELLED;
        code = status == GFP_OK || *interrupted ? DONE : complain_status("compare", status, NULL);
    }
    clear_operands(s);
    for (size_t i = 0; i < made; i++) {
        gfp_field_destroy(s->field[i]);
    }
    return code;
}

/* ---- all levels ---- */

/* Waits for the process of a level; hands an interrupt on to it. Returns its exit code. */
static int wait_for_level(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int status = 0;
    bool told = false;
    pid_t ended;
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (stop_asked() && !told) {
            told = true;
            (void)kill(pid, SIGHUP); /* a second INT or TERM would end it at once */
        }
        (void)nanosleep(&pause, NULL);
    }
    if (ended == pid && WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    complain("compare: the process of a kernel level was ended by signal %d",
             ended == pid ? WTERMSIG(status) : 0);
    return FAILED;
}

/* Measures a level in a process of its own: the library chooses its level once for a process. This
 * process has not chosen yet. */
static int fork_level(struct map *m, struct shared *shared, size_t level)
{
    const struct field_map *s = m->operands;
    const pid_t pid = fork();
    if (pid == 0) {
        const bool set = setenv("GFPOLY_CPU", s->level[level], 1) == 0;
        const int code =
            set ? measure_level(m, level, &shared->lengths, &shared->interrupted) : FAILED;
        _exit(code);
    }
    if (pid < 0) {
        complain("compare: no process for a kernel level: %s", strerror(errno));
        return FAILED;
    }
    return wait_for_level(pid);
}

/* A session's `measure'. */
static int measure_levels(void *map, bool *interrupted)
{
    struct map *m = map;
    struct field_map *s = m->operands;
    struct shared *shared =
        mmap(NULL, shared_size(m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    int code = DONE;
    size_t level = 0;
    m->all = shared->places;
    m->seconds /= (double)s->levels;
    for (; level < s->levels && code == DONE && !shared->interrupted; level++) {
        code = s->by_process ? fork_level(m, shared, level)
                             : measure_level(m, level, &shared->lengths, &shared->interrupted);
    }
    *interrupted = shared->interrupted;
    /* After an interrupt complete levels remain, of the first one complete lengths. */
    m->lines = (shared->interrupted && level > 1 ? level - 1 : level) * s->fields;
    m->lengths = shared->interrupted && level > 1 ? m->lengths : shared->lengths;
    return code;
}

static const struct map_kind over_fields = {.column = "method",
                                            .line = "field",
                                            .axis = "field, kernel level",
                                            .over = "over Z/p",
                                            .checked = GFP_VERIFY_POINT,
                                            .draw = draw_field_place,
                                            .call = call_method,
                                            .measure = measure_levels};

/* ---- the command ---- */

/* Takes the names from "NAME,NAME,...". Reports errors; returns an exit code. */
static int take_names(struct field_map *s, const char *list)
{
    const bool all = strcmp(list, "all") == 0;
    for (size_t i = 0; all && i < gfp_named_prime_count() && s->fields < MOST_ON_AXIS; i++) {
        snprintf(s->name[s->fields++], sizeof s->name[0], "%s", gfp_named_prime_get(i)->name);
    }
    while (!all && list != NULL) {
        const size_t word = strcspn(list, ",");
        if (s->fields == MOST_ON_AXIS || word == 0 || word >= sizeof s->name[0]) {
            complain("compare: --fields takes names and formulas of up to %zu characters, with "
                     "commas between them, at most %d",
                     sizeof s->name[0] - 1, MOST_ON_AXIS);
            return BAD_USAGE;
        }
        snprintf(s->name[s->fields++], sizeof s->name[0], "%.*s", (int)word, list);
        list = list[word] == '\0' ? NULL : list + word + 1;
    }
    return DONE;
}

/* Takes the levels from "NAME,NAME,..." or "all"; NULL: the one in use. Reports errors; returns an
 * exit code. */
static int take_levels(struct field_map *s, const char *list)
{
    bool present = false;
    s->by_process = list != NULL;
    if (list == NULL) {
        s->level[s->levels++] = gfp_machine_get_info().cpu_level;
        return DONE;
    }
    for (unsigned i = 0; gfp_cpu_level_at(&present, i) != NULL && s->levels < MOST_LEVELS; i++) {
        const char *name = gfp_cpu_level_at(NULL, i);
        if (present && (strcmp(list, "all") == 0 || is_listed(list, name))) {
            s->level[s->levels++] = name;
        }
    }
    size_t asked = 1;
    for (const char *c = list; *c != '\0'; c++) {
        asked += *c == ',';
    }
    if (s->levels == 0 || (strcmp(list, "all") != 0 && s->levels != asked)) {
        complain("compare: --levels: this machine or build lacks a level of '%s'; `gfpoly info' "
                 "names the level in use",
                 list);
        return BAD_USAGE;
    }
    return DONE;
}

/* Makes a line for each level and field. Reports errors; returns an exit code. */
static int make_lines(struct map *m)
{
    struct field_map *s = m->operands;
    m->lines = m->stride = s->fields * s->levels;
    if (m->lines > MOST_ON_AXIS) {
        complain("compare: a map has at most %d lines: fields, each at every level", MOST_ON_AXIS);
        return BAD_USAGE;
    }
    for (size_t i = 0; i < m->lines; i++) {
        m->line[i].at = (double)(i + 1);
        snprintf(m->line[i].name, sizeof m->line[i].name, "%s %s", s->name[i % s->fields],
                 s->level[i / s->fields]);
    }
    return DONE;
}

int compare_fields(const struct request *request)
{
    const struct compare_values *values = &request->own.compare;
    struct field_map s = {.fields = 0};
    struct map m = {.kind = &over_fields,
                    .operands = &s,
                    .operation = "product",
                    .seed = values->seed,
                    .threads = request->call.threads,
                    .seconds = values->seconds};
    if (is_given(request, "field methods operation min-bits max-bits")) {
        complain("compare: --fields goes without --field, --methods, --operation, --min-bits and "
                 "--max-bits");
        return BAD_USAGE;
    }
    int code = take_names(&s, values->fields);
    if (code == DONE) {
        code = take_levels(&s, values->levels);
    }
    if (code == DONE) {
        code = make_lines(&m);
    }
    if (code == DONE) {
        code = make_lengths(&m, values, 16, 65536);
    }
    if (code != DONE) {
        return code;
    }
    const size_t size = shared_size(&m);
    code = run_map(&m, request->output);
    if (m.all != NULL) {
        (void)munmap((char *)m.all - offsetof(struct shared, places), size);
    }
    return code;
}
