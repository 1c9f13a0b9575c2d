/* strategies.c: `compare --strategies': the strategies of products, gcds or resultants over
 * Z on a map of sizes against bits: which one wins, and by how much; table, words, files, pictures.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/inputs.h"
#include "cli/compare/session.h"

#define MOST_SIZES 64
/* Strategies, and behind them the choice. */
#define COLUMNS (MOST_ZMETHODS + 1)
/* Strategies that took more than this many times the least time at a smaller size are left out, and
 * those whose call takes more than this part of the time that is left. */
#define LOST_RATIO 20.0
#define LARGEST_PART 0.05
#define LEAST_BUDGET_NS 1e6
#define MOST_BUDGET_NS 2e8

/* A place of the map. */
struct place_of_map {
    size_t count;              /* strategies */
    struct figure by[COLUMNS]; /* [count]: the choice */
    const char *name[COLUMNS];
    const char *used; /* by the choice */
    size_t best;      /* count: none was measured */
    double lead;      /* the second least time divided by the least; 0: there is no second */
};

struct map {
    zoperation operation;
    uint64_t seed;
    unsigned threads;
    double seconds;
    struct machine machine;
    size_t lengths, sizes;
    size_t len[MOST_SIZES], bits[MOST_SIZES];
    struct place_of_map *all; /* lengths x sizes */
    char *words;
};

static struct place_of_map *place_at(const struct map *m, size_t length, size_t size)
{
    return &m->all[length * m->sizes + size];
}

static bool was_measured(const struct figure *f)
{
    return f->outcome == MEASURED && f->timing.runs > 0;
}

static double time_of(const struct figure *f)
{
    return (double)f->timing.min_ns;
}

/* ---- measuring ---- */

struct mapping {
    struct map *map;
    struct bar bar;
    double deadline;
    size_t done, all; /* places */
    gfp_zring *ring;
    gfp_zvec a, b, g, c;
    gfp_random random;
};

struct zcall {
    struct mapping *s;
    gfp_options options;
};

static gfp_status run_call(void *context)
{
    struct zcall *call = context;
    struct mapping *s = call->s;
    return call_over_z(s->map->operation, &s->c, &s->a, &s->b, &call->options);
}

static bool strategies_stay(void *user, double spent_ns)
{
    (void)user;
    (void)spent_ns;
    return !stop_asked();
}

/* Leaves out a strategy that was lost, or took too long, at the place before. */
static void learn_from(struct figure *f, const struct map *m, size_t length, size_t size, size_t i)
{
    const struct place_of_map *before = place_at(m, length, size);
    const struct figure *g = &before->by[i];
    if (f->outcome != MEASURED) {
        return;
    }
    if (g->outcome == LOST || g->outcome == TOO_LONG) {
        f->outcome = g->outcome;
        memcpy(f->note, g->note, sizeof f->note);
    } else if (was_measured(g) && time_of(g) > LOST_RATIO * time_of(&before->by[before->best])) {
        f->outcome = LOST;
        snprintf(f->note, sizeof f->note,
                 "left out: %.3g times the least time for %zu coefficients of %zu bits",
                 time_of(g) / time_of(&before->by[before->best]), m->len[length], m->bits[size]);
    }
}

/* Names the strategies of a place, and those to measure. */
static void begin_place(const struct map *m, size_t length, size_t size)
{
    const char *const *names = zmethod_names[m->operation];
    struct place_of_map *p = place_at(m, length, size);
    for (p->count = 0; names[p->count] != NULL; p->count++) {
        struct figure *f = &p->by[p->count];
        p->name[p->count] = names[p->count];
        f->outcome = MEASURED;
        if (length > 0) {
            learn_from(f, m, length - 1, size, p->count);
        }
        if (size > 0) {
            learn_from(f, m, length, size - 1, p->count);
        }
    }
    p->name[p->count] = "auto";
    p->by[p->count].outcome = MEASURED;
}

/* Ends a call at its deadline. */
static bool goes_on(void *deadline, double fraction)
{
    (void)fraction;
    return !stop_asked() && seconds_now() < *(const double *)deadline;
}

static gfp_status measure_strategy(struct mapping *s, struct place_of_map *p, size_t i)
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
                                  .stay = strategies_stay,
                                  .user = s};
    struct zcall call = {.s = s,
                         .options = {.method = i < p->count ? p->name[i] : NULL,
                                     .threads = s->map->threads,
                                     .progress = i < p->count ? &watch : NULL,
                                     .report = &report,
                                     .error = &error}};
    gfp_status status = run_call(&call); /* makes tables and fields */
    call.options.progress = NULL;
    if (status == GFP_ERR_CANCELLED && !stop_asked()) {
        f->outcome = TOO_LONG;
        snprintf(f->note, sizeof f->note, "left out: a call took more than %.3g s", 1e-9 * most_ns);
        return GFP_OK;
    }
    if (status == GFP_OK) {
        status = take_samples(&f->timing, &effort, s->map->threads <= 1, run_call, &call);
    }
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) { /* the other strategies continue */
        f->outcome = CANNOT;
        snprintf(f->note, sizeof f->note, "%s: %.200s",
                 status == GFP_ERR_UNAVAILABLE ? "cannot serve" : "failed",
                 error.message[0] != '\0' ? error.message : gfp_status_string(status));
        return GFP_OK;
    }
    p->used = i == p->count ? report.method : p->used;
    return status;
}

static void find_best(struct place_of_map *p)
{
    double second = INFINITY;
    p->best = p->count;
    for (size_t i = 0; i < p->count; i++) {
        if (!was_measured(&p->by[i])) {
            continue;
        }
        if (p->best == p->count || time_of(&p->by[i]) < time_of(&p->by[p->best])) {
            second = p->best == p->count ? second : time_of(&p->by[p->best]);
            p->best = i;
        } else {
            second = fmin(second, time_of(&p->by[i]));
        }
    }
    p->lead = p->best < p->count && second < INFINITY ? second / time_of(&p->by[p->best]) : 0;
}

static gfp_status measure_place(struct mapping *s, size_t length, size_t size)
{
    const struct map *m = s->map;
    struct place_of_map *p = place_at(m, length, size);
    gfp_status status = draw_integer_pair(&s->a, &s->b, &s->g, m->len[length] - 1, m->bits[size],
                                          m->operation == Z_GCD, &s->random);
    begin_place(m, length, size);
    for (size_t i = 0; i <= p->count && status == GFP_OK; i++) {
        if (p->by[i].outcome == MEASURED) {
            status = measure_strategy(s, p, i);
        }
    }
    if (status == GFP_OK) {
        find_best(p);
    }
    s->done++;
    bar_show(&s->bar, (double)s->done / (double)s->all);
    return status;
}

static gfp_status measure_places(struct mapping *s)
{
    struct map *m = s->map;
    gfp_status status = GFP_OK;
    size_t length = 0;
    for (; length < m->lengths && status == GFP_OK; length++) {
        for (size_t size = 0; size < m->sizes && status == GFP_OK; size++) {
            status = measure_place(s, length, size);
        }
    }
    /* Only complete lengths remain after an interrupt. */
    m->lengths = status == GFP_OK ? length : length - 1;
    return status;
}

/* A session's `measure'. */
static int measure_map(void *map, bool *interrupted)
{
    struct map *m = map;
    struct mapping s = {.map = m, .all = m->lengths * m->sizes};
    gfp_error error = {.message = ""};
    gfp_status status = gfp_zring_create(&s.ring, NULL, &error);
    if (status != GFP_OK) {
        return complain_status("compare", status, &error);
    }
    gfp_zvec *const vectors[] = {&s.a, &s.b, &s.g, &s.c};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        gfp_zvec_init(vectors[i], s.ring);
    }
    gfp_random_seed(&s.random, m->seed);
    s.deadline = seconds_now() + m->seconds;
    bar_start(&s.bar);
    s.bar.label = zoperation_names[m->operation];
    status = measure_places(&s);
    bar_clear(&s.bar);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        gfp_zvec_clear(vectors[i]);
    }
    gfp_zring_destroy(s.ring);
    *interrupted = status == GFP_ERR_CANCELLED;
    return status == GFP_OK || *interrupted ? DONE : complain_status("compare", status, NULL);
}

/* ---- words ---- */

static bool wins_at(const struct place_of_map *p, const char *name)
{
    return p->best < p->count && strcmp(p->name[p->best], name) == 0;
}

static size_t wins_of(const struct map *m, const char *name)
{
    size_t wins = 0;
    for (size_t i = 0; i < m->lengths * m->sizes; i++) {
        wins += wins_at(&m->all[i], name);
    }
    return wins;
}

/* "words wins at 12 of 20 places, by 1.9 times in the mean and up to 4.1". */
static void write_wins(const struct map *m, const char *name, FILE *out, const char **before)
{
    double sum = 0, most = 0;
    const size_t wins = wins_of(m, name);
    size_t rivals = 0;
    for (size_t i = 0; i < m->lengths * m->sizes; i++) {
        const struct place_of_map *p = &m->all[i];
        if (wins_at(p, name)) {
            rivals += p->lead > 0;
            sum += p->lead > 0 ? log(p->lead) : 0;
            most = fmax(most, p->lead);
        }
    }
    if (wins > 0) {
        fprintf(out, "%s%s wins at %zu of %zu places", *before, name, wins, m->lengths * m->sizes);
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
    for (size_t i = 0; i < m->lengths * m->sizes; i++) {
        const struct place_of_map *p = &m->all[i];
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
    fprintf(stream, "%s over Z", zoperation_names[m->operation]);
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
    printf("\n%s over Z, %u thread%s: the fastest strategy, its time in us, and how many times as "
           "long the second one takes; lines: the length of operands; columns: bits of coefficients"
           "\n%10s",
           zoperation_names[m->operation], m->threads, m->threads == 1 ? "" : "s", "");
    for (size_t j = 0; j < m->sizes; j++) {
        printf(" %24zu", m->bits[j]);
    }
    printf("\n");
    for (size_t i = 0; i < m->lengths; i++) {
        printf("%10zu", m->len[i]);
        for (size_t j = 0; j < m->sizes; j++) {
            const struct place_of_map *p = place_at(m, i, j);
            char text[64] = "-";
            if (p->best < p->count) {
                const int n = snprintf(text, sizeof text, "%s %.3g", p->name[p->best],
                                       time_of(&p->by[p->best]) / 1e3);
                if (p->lead > 0) {
                    snprintf(text + n, sizeof text - (size_t)n, ", %.2f x", p->lead);
                }
            }
            printf(" %24s", text);
        }
        printf("\n");
    }
    printf("\n%s\n", m->words);
}

/* ---- files ---- */

static void write_map_csv(const void *data, FILE *out)
{
    const struct map *m = data;
    write_machine(out, &m->machine, "# ");
    fputs("operation,len,bits,strategy,runs,min_ns,median_ns,spread_percent,ratio_to_least,lead,"
          "note\n",
          out);
    for (size_t i = 0; i < m->lengths * m->sizes; i++) {
        const struct place_of_map *p = &m->all[i];
        for (size_t k = 0; k <= p->count; k++) {
            const struct figure *f = &p->by[k];
            fprintf(out, "%s,%zu,%zu,%s,", zoperation_names[m->operation], m->len[i / m->sizes],
                    m->bits[i % m->sizes], p->name[k]);
            if (was_measured(f) && p->best < p->count) {
                write_timing(out, &f->timing);
                fprintf(out, "%.4g,", time_of(f) / time_of(&p->by[p->best]));
            } else {
                fputs("0,,,,,", out);
            }
            if (k == p->best && k < p->count) {
                fprintf(out, "%.4g", p->lead);
            }
            fputc(',', out);
            write_note(out, f);
        }
    }
}

static void json_place(struct json *json, const struct map *m, size_t index)
{
    const struct place_of_map *p = &m->all[index];
    json_open(json, NULL, '{');
    json_u64(json, "len", m->len[index / m->sizes]);
    json_u64(json, "bits", m->bits[index % m->sizes]);
    json_string(json, "best", p->best < p->count ? p->name[p->best] : NULL);
    json_digits(json, "lead", p->lead, 4);
    json_string(json, "used", p->used);
    json_open(json, "figures", '[');
    for (size_t k = 0; k <= p->count; k++) {
        const struct figure *f = &p->by[k];
        json_open(json, NULL, '{');
        json_string(json, "strategy", p->name[k]);
        json_timing(json, f);
        json_string(json, "note", f->note);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_map_json(const void *data, FILE *out)
{
    const struct map *m = data;
    struct json json;
    json_begin(&json, out);
    json_machine(&json, &m->machine);
    json_string(&json, "operation", zoperation_names[m->operation]);
    json_u64(&json, "threads", m->threads);
    json_string(&json, "clock", m->threads <= 1 ? "cpu" : "wall");
    json_u64(&json, "seed", m->seed);
    json_string(&json, "words", m->words);
    json_open(&json, "places", '[');
    for (size_t i = 0; i < m->lengths * m->sizes; i++) {
        json_place(&json, m, i);
    }
    json_close(&json, ']');
    json_end(&json);
}

/* A square for each place, in the winner's colour, with the lead as its text. */
static void write_map_script(const void *data, FILE *out)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#7f7f7f", "#56b4e9", "#000000"};
    const struct map *m = data;
    const struct place_of_map *any = &m->all[0];
    fputs("# compare.gp: compare.csv as a picture: `gnuplot compare.gp' draws compare.svg and\n"
          "# compare.png. ",
          out);
    fprintf(out, "%s\n", m->words);
    write_machine(out, &m->machine, "# ");
    fputs("set datafile separator comma\nset datafile missing NaN\nset encoding utf8\n"
          "set logscale xy 2\nset format x '%.0f'\nset format y '%.0f'\n"
          "lead(x) = strlen(stringcolumn(10)) > 0\n"
          "at(name) = stringcolumn(4) eq name && lead(0) ? column(2) : NaN\n",
          out);
    fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", (double)m->len[0] / 2,
            (double)m->len[m->lengths - 1] * 2, (double)m->bits[0] / 2,
            (double)m->bits[m->sizes - 1] * 2);
    fprintf(out,
            "set title '%s over Z: the fastest strategy, and how many times as long the second "
            "one takes'\nset xlabel 'coefficients of an operand'\nset ylabel 'bits of a "
            "coefficient'\n"
            "set key outside right top spacing 2.5 noenhanced\n"
            "if (!exists('only')) only = ''\n"
            "do for [kind in 'svg png'] {\nif (only eq '' || only eq kind) {\n"
            "if (kind eq 'svg') { set terminal svg size 960,640 dynamic background rgb 'white' }\n"
            "if (kind eq 'png') { set terminal pngcairo size 960,640 }\n"
            "if (only eq '') { set output 'compare.' . kind }\nplot ",
            zoperation_names[m->operation]);
    for (size_t k = 0; k < any->count; k++) {
        fprintf(
            out,
            "'compare.csv' using (at('%s')):3 with points pointtype 5 pointsize 5 linecolor rgb "
            "'%s' title '%s', \\\n     ",
            any->name[k], colours[k % (sizeof colours / sizeof colours[0])], any->name[k]);
    }
    fputs("'compare.csv' using (lead(0) ? column(2) : NaN):3:(lead(0) && column(10) > 0 ? "
          "sprintf('%.2g', column(10)) : '') with labels textcolor rgb 'white' notitle\n"
          "set output\n}\n}\n",
          out);
}

/* ---- the command ---- */

static int make_axes(struct map *m, const struct compare_values *values)
{
    const size_t min = values->min_len != 0 ? values->min_len : 4;
    const size_t most = m->operation == Z_RESULTANT ? 256 : 4096;
    const size_t max = values->max_len != 0 ? values->max_len : min > most ? min : most;
    const size_t low = values->min_bits != 0 ? values->min_bits : 16;
    const size_t high = values->max_bits != 0 ? values->max_bits : low > 4096 ? low : 4096;
    if (min > max || low > high || min < 2) {
        complain("compare: --strategies needs 2 <= --min-len <= --max-len and --min-bits <= "
                 "--max-bits");
        return BAD_USAGE;
    }
    const double step = values->points > 0 ? 1 / (double)values->points : 2;
    if (fill_axis(NULL, min, max, step) > MOST_SIZES ||
        fill_axis(NULL, low, high, step) > MOST_SIZES) {
        complain("compare: --strategies draws at most %d lengths and as many bits", MOST_SIZES);
        return BAD_USAGE;
    }
    m->lengths = fill_axis(m->len, min, max, step);
    m->sizes = fill_axis(m->bits, low, high, step);
    m->all = calloc(m->lengths * m->sizes, sizeof *m->all);
    return DONE;
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

int compare_strategies(const struct request *request)
{
    const struct compare_values *values = &request->own.compare;
    struct map m = {.operation = (zoperation)values->zoperation,
                    .seed = values->seed,
                    .threads = request->call.threads,
                    .seconds = values->seconds};
    const struct session session = {&m,         &m.machine,
                                    &m.lengths, measure_map,
                                    show_map,   {write_map_csv, write_map_json, write_map_script}};
    if (is_given(request, "field methods operation")) {
        complain("compare: --strategies goes without --field, --methods and --operation");
        return BAD_USAGE;
    }
    int code = make_axes(&m, values);
    if (code == DONE) { /* strategies are those of the CPU */
        code = m.all != NULL && keep_to_cpu(true)
                   ? run_session(&session, request->output)
                   : complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    free(m.all);
    free(m.words);
    return code;
}
