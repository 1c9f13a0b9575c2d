/* map.c: see map.h: measures a map, says in words where each column wins, and prints the map.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/compare/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns are left out whose call takes more than this part of the time that is left. */
#define LARGEST_PART 0.05
#define LEAST_BUDGET_NS 1e6
#define MOST_BUDGET_NS 2e8

struct map_place *place_at(const struct map *m, size_t length, size_t line)
{
    return &m->all[length * m->stride + line];
}

bool was_measured(const struct figure *f)
{
    return f->outcome == MEASURED && f->timing.runs > 0;
}

double time_of(const struct figure *f)
{
    return (double)f->timing.min_ns;
}

int make_lengths(struct map *m, const struct compare_values *values, size_t min, size_t most)
{
    const double step = values->points > 0 ? 1 / (double)values->points : 2;
    min = values->min_len != 0 ? values->min_len : min;
    const size_t max = values->max_len != 0 ? values->max_len : min > most ? min : most;
    if (min > max) {
        complain("compare: a map needs --min-len <= --max-len");
        return BAD_USAGE;
    }
    if (fill_axis(NULL, min, max, step) > MOST_ON_AXIS) {
        complain("compare: a map has at most %d lengths", MOST_ON_AXIS);
        return BAD_USAGE;
    }
    m->lengths = fill_axis(m->len, min, max, step);
    return DONE;
}

/* ---- measuring ---- */

struct mapping {
    struct map *map;
    struct bar bar;
    double deadline;
    size_t done, all; /* places */
};

struct map_call {
    struct map *map;
    gfp_options options;
};

static gfp_status run_call(void *context)
{
    struct map_call *call = context;
    return call->map->kind->call(call->map, &call->options);
}

static bool map_stays(void *user, double spent_ns)
{
    (void)user;
    (void)spent_ns;
    return !stop_asked();
}

/* Ends a call at its deadline. */
static bool goes_on(void *deadline, double fraction)
{
    (void)fraction;
    return !stop_asked() && seconds_now() < *(const double *)deadline;
}

static gfp_status measure_column(struct mapping *s, struct map_place *p, size_t i)
{
    gfp_report report = {.method = NULL};
    gfp_error error = {.message = ""};
    struct figure *f = &p->by[i];
    const double left_ns = (s->deadline - seconds_now()) * 1e9;
    const double share = left_ns / (double)((s->all - s->done) * (p->count + 1));
    const double most_ns = fmax(LARGEST_PART * left_ns, LEAST_BUDGET_NS);
    double end = seconds_now() + 1e-9 * most_ns;
    const gfp_progress watch = {goes_on, &end};
    const struct effort effort = {.budget_ns = fmin(fmax(share, LEAST_BUDGET_NS), MOST_BUDGET_NS),
                                  .most_ns = most_ns,
                                  .stay = map_stays,
                                  .user = s};
    struct map_call call = {.map = s->map,
                            .options = {.method = i < p->count ? p->name[i] : NULL,
                                        .threads = s->map->threads,
                                        .progress = i < p->count ? &watch : NULL,
                                        .verify = s->map->kind->checked,
                                        .report = &report,
                                        .error = &error}};
    gfp_status status = run_call(&call); /* makes tables and fields */
    call.options.progress = NULL;
    call.options.verify = GFP_VERIFY_NONE;
    if (status == GFP_ERR_CANCELLED && !stop_asked()) {
        f->outcome = TOO_LONG;
        snprintf(f->note, sizeof f->note, "left out: a call took more than %.3g s", 1e-9 * most_ns);
        return GFP_OK;
    }
    if (status == GFP_OK) {
        const char *used = report.method != NULL ? report.method : p->name[i];
        status = take_samples(&f->timing, &effort, s->map->threads <= 1 && !runs_on_gpu(used),
                              run_call, &call);
    }
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) { /* the other columns continue */
        f->outcome = CANNOT;
        snprintf(f->note, sizeof f->note, "%s: %.200s",
                 status == GFP_ERR_UNAVAILABLE ? "cannot serve" : "failed",
                 error.message[0] != '\0' ? error.message : gfp_status_string(status));
        return GFP_OK;
    }
    p->used = i == p->count ? report.method : p->used;
    return status;
}

/* The least time of a column outside the group (NULL: of any); count: there is none. */
static size_t least_outside(const struct map_place *p, const char *group)
{
    size_t least = p->count;
    for (size_t i = 0; i < p->count; i++) {
        if (was_measured(&p->by[i]) && (group == NULL || strcmp(p->group[i], group) != 0) &&
            (least == p->count || time_of(&p->by[i]) < time_of(&p->by[least]))) {
            least = i;
        }
    }
    return least;
}

static void find_best(struct map_place *p)
{
    p->best = least_outside(p, NULL);
    p->second = p->best < p->count ? least_outside(p, p->group[p->best]) : p->count;
    p->lead = p->second < p->count ? time_of(&p->by[p->second]) / time_of(&p->by[p->best]) : 0;
}

static gfp_status measure_place(struct mapping *s, size_t length, size_t line)
{
    struct map *m = s->map;
    struct map_place *p = place_at(m, length, line);
    gfp_status status = m->kind->draw(m, p, length, line);
    p->name[p->count] = "auto";
    p->group[p->count] = "auto";
    p->by[p->count].outcome = MEASURED;
    for (size_t i = 0; i <= p->count && status == GFP_OK; i++) {
        if (p->by[i].outcome == MEASURED) {
            status = measure_column(s, p, i);
        }
    }
    if (status == GFP_OK) {
        find_best(p);
    }
    s->done++;
    bar_show(&s->bar, (double)s->done / (double)s->all);
    return status;
}

gfp_status measure_places(struct map *m, size_t first, size_t end, size_t *lengths)
{
    struct mapping s = {
        .map = m, .deadline = seconds_now() + m->seconds, .all = m->lengths * (end - first)};
    gfp_status status = GFP_OK;
    size_t length = 0;
    bar_start(&s.bar);
    s.bar.label = m->operation;
    for (; length < m->lengths && status == GFP_OK; length++) {
        for (size_t line = first; line < end && status == GFP_OK; line++) {
            status = measure_place(&s, length, line);
        }
    }
    bar_clear(&s.bar);
    *lengths = status == GFP_OK ? length : length - 1;
    return status;
}

/* ---- words ---- */

static bool wins_at(const struct map_place *p, const char *name)
{
    return p->best < p->count && strcmp(p->name[p->best], name) == 0;
}

size_t wins_of(const struct map *m, const char *name)
{
    size_t wins = 0;
    for (size_t i = 0; i < m->lengths * m->lines; i++) {
        wins += wins_at(place_at(m, i / m->lines, i % m->lines), name);
    }
    return wins;
}

/* "words wins at 12 of 20 places, by 1.9 times in the mean and up to 4.1". */
static void write_wins(const struct map *m, const char *name, FILE *out, const char **before)
{
    double sum = 0, most = 0;
    const size_t wins = wins_of(m, name);
    size_t rivals = 0;
    for (size_t i = 0; i < m->lengths * m->lines; i++) {
        const struct map_place *p = place_at(m, i / m->lines, i % m->lines);
        if (wins_at(p, name)) {
            rivals += p->lead > 0;
            sum += p->lead > 0 ? log(p->lead) : 0;
            most = fmax(most, p->lead);
        }
    }
    if (wins > 0) {
        fprintf(out, "%s%s wins at %zu of %zu places", *before, name, wins, m->lengths * m->lines);
        *before = "; ";
    }
    if (rivals > 0) {
        fprintf(out, ", by %.2g times in the mean and up to %.2g", exp(sum / (double)rivals), most);
    }
}

static void write_choice(const struct map *m, FILE *out)
{
    double sum = 0, most = 1;
    size_t count = 0;
    for (size_t i = 0; i < m->lengths * m->lines; i++) {
        const struct map_place *p = place_at(m, i / m->lines, i % m->lines);
        if (p->best < p->count && was_measured(&p->by[p->count])) {
            const double ratio = time_of(&p->by[p->count]) / time_of(&p->by[p->best]);
            sum += fmax(ratio, 1);
            most = fmax(most, ratio);
            count++;
        }
    }
    if (count > 0) {
        fprintf(out, "; the choice takes %.3g times the least time in the mean, at most %.3g",
                sum / (double)count, most);
    }
}

/* At least one length was measured. Returns false without memory. */
static bool find_words(struct map *m)
{
    size_t size = 0;
    FILE *stream = open_memstream(&m->words, &size);
    if (stream == NULL) {
        return false;
    }
    fprintf(stream, "%s %s", m->operation, m->kind->over);
    const char *before = ": ";
    for (size_t i = 0; i < m->all[0].count; i++) {
        write_wins(m, m->all[0].name[i], stream, &before);
    }
    write_choice(m, stream);
    return fclose(stream) == 0;
}

static void print_map(const struct map *m)
{
    print_facts(&m->machine);
    printf("\n%s %s, %u thread%s: the fastest %s, its time in us, and how many times as long the "
           "best other one takes; lines: the length of operands; columns: %s\n%10s",
           m->operation, m->kind->over, m->threads, m->threads == 1 ? "" : "s", m->kind->column,
           m->kind->axis, "");
    for (size_t j = 0; j < m->lines; j++) {
        printf(" %28s", m->line[j].name);
    }
    printf("\n");
    for (size_t i = 0; i < m->lengths; i++) {
        printf("%10zu", m->len[i]);
        for (size_t j = 0; j < m->lines; j++) {
            const struct map_place *p = place_at(m, i, j);
            char text[64] = "-";
            if (p->best < p->count) {
                const int n = snprintf(text, sizeof text, "%s %.3g", p->name[p->best],
                                       time_of(&p->by[p->best]) / 1e3);
                if (p->lead > 0) {
                    snprintf(text + n, sizeof text - (size_t)n, ", %.2f x", p->lead);
                }
            }
            printf(" %28s", text);
        }
        printf("\n");
    }
    printf("\n%s\n", m->words);
}

/* A session's `print'. */
static int show_map(void *map)
{
    struct map *m = map;
    if (m->lengths == 0) {
        complain("compare: nothing was measured");
        return FAILED;
    }
    if (!find_words(m)) {
        return complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    print_map(m);
    return DONE;
}

int run_map(struct map *m, const char *folder)
{
    const struct session session = {
        m,           &m->machine,
        &m->lengths, m->kind->measure,
        show_map,    {write_map_csv, write_map_json, write_map_script, write_map_table}};
    const int code = run_session(&session, folder);
    free(m->words);
    m->words = NULL;
    return code;
}
