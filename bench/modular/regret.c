/* bench/modular/regret.c: gfpoly_zregret: the cost of the choice of strategies over Z: on random
 * problems, the time of the call that chooses divided by the least time of a strategy, medians of
 * several runs, as Markdown.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "bench/modular/times.h"

enum { OPERATIONS = 3, RUNS = 41, MOST_RUNS = 301, CONTENDERS = GFP_ZPLAN_ROWS + 1, WORST = 10 };
/* Strategies that take more than this many times the least time are measured once. */
#define DROP 2.5
/* From this regret on a problem is measured again. */
#define DOUBTFUL 1.05
/* From this regret on again, in more runs, so that other jobs' noise does not count. */
#define GREAT 1.2
/* A sample this long makes the clock's own cost negligible. */
#define SAMPLE_NS 30000.0

typedef struct options {
    size_t count;
    uint64_t seed;
    double seconds;
    /* Strategies predicted at more than this many times the least prediction are not measured. */
    double far;
    const char *operation;
    size_t only; /* the number of the problem that is measured; 0: all are */
    bool all;
} options;

/* A strategy, or the choice: NULL. */
typedef struct contender {
    const char *method;
    bool runs;
    size_t batch, samples;
    double predicted, sample[MOST_RUNS], median;
} contender;

typedef struct trial {
    size_t number; /* from 1 on */
    gfp_zoperation operation;
    size_t len_a, len_b, bits_a, bits_b, len_g;
    size_t count, best;
    contender by[CONTENDERS]; /* the last one is the choice */
    const char *used;         /* by the choice */
    double predicted;         /* of the pick, divided by its time */
    double regret;
} trial;

typedef struct bench {
    options o;
    gfp_zring *ring;
    gfp_random g;
    gfp_zvec a, b, x, z;
    trial *trials;
} bench;

/* ---- a problem ---- */

static double uniform(gfp_random *g)
{
    return (double)(gfp_random_u64(g) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* A number from least to most whose logarithm is uniform. */
static size_t log_uniform(gfp_random *g, size_t least, size_t most)
{
    return (size_t)((double)least * exp2(uniform(g) * log2(((double)most + 1) / (double)least)));
}

static size_t smaller(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Draws sizes: half of the problems have equal lengths, half equal bits; gcds are trivial in a
 * third. Returns false if the problem takes too long. */
static bool draw_sizes(bench *b, trial *t)
{
    static const size_t longest[OPERATIONS] = {16384, 2048, 512};
    static const double most[OPERATIONS] = {3e7, 3e8, 2e7};
    gfp_random *g = &b->g;
    t->len_a = t->len_b = 1 + log_uniform(g, 1, longest[t->operation]);
    t->bits_a = t->bits_b = log_uniform(g, 2, t->operation == GFP_ZOPERATION_MUL ? 8192 : 4096);
    if (gfp_random_below(g, 2) == 0) {
        t->len_b = 1 + log_uniform(g, 1, t->len_a - 1);
    }
    if (gfp_random_below(g, 2) == 0) {
        t->bits_b = log_uniform(g, 2, 4096);
    }
    t->len_g = 1;
    if (t->operation == GFP_ZOPERATION_GCD && gfp_random_below(g, 3) != 0) {
        t->len_g = 2 + (size_t)gfp_random_below(g, t->len_b - 1);
    }
    const double of_a = (double)t->len_a, of_b = (double)t->len_b;
    const double bits = (double)(t->bits_a + t->bits_b);
    const double steps[OPERATIONS] = {of_a * bits, of_a * of_b * bits,
                                      of_a * of_b * bits * ((of_a + of_b) / 40 + 1)};
    return steps[t->operation] < most[t->operation];
}

static void draw_operands(bench *b, const trial *t)
{
    if (t->len_g == 1) {
        fill_random(&b->a, t->len_a, t->bits_a, &b->g);
        fill_random(&b->b, t->len_b, t->bits_b, &b->g);
        return;
    }
    const size_t least = smaller(t->bits_a, t->bits_b);
    const size_t bits = 1 + (size_t)gfp_random_below(&b->g, least);
    fill_random(&b->x, t->len_g, bits, &b->g);
    fill_random(&b->a, t->len_a - t->len_g + 1, t->bits_a > bits ? t->bits_a - bits : 1, &b->g);
    fill_random(&b->b, t->len_b - t->len_g + 1, t->bits_b > bits ? t->bits_b - bits : 1, &b->g);
    must(gfp_zvec_mul(&b->a, &b->a, &b->x, NULL), "operands");
    must(gfp_zvec_mul(&b->b, &b->b, &b->x, NULL), "operands");
}

/* Fills the contenders by the plan. */
static void ask(bench *b, trial *t)
{
    gfp_zplan plan;
    double least = HUGE_VAL;
    must(gfp_zvec_plan(&plan, t->operation, &b->a, &b->b, NULL), "plan");
    t->count = plan.count;
    for (size_t i = 0; i < plan.count; i++) {
        least = plan.row[i].reason == NULL ? fmin(least, plan.row[i].estimate_ns) : least;
    }
    for (size_t i = 0; i < plan.count; i++) {
        const gfp_zprediction *row = &plan.row[i];
        t->by[i] = (contender){.method = row->name, .predicted = row->estimate_ns};
        t->by[i].runs = row->reason == NULL && row->estimate_ns < b->o.far * least;
    }
    t->by[t->count] = (contender){.runs = true};
    t->predicted = plan.pick < plan.count ? plan.row[plan.pick].estimate_ns : 0;
}

/* ---- measuring ---- */

static void run(bench *b, trial *t, const contender *c)
{
    gfp_report report = {.method = ""};
    const gfp_options o = {.method = c->method, .report = &report};
    gfp_status (*const calls[OPERATIONS])(gfp_zvec *, const gfp_zvec *, const gfp_zvec *,
                                          const gfp_options *) = {gfp_zvec_mul, gfp_zvec_gcd,
                                                                  gfp_zvec_resultant};
    must(calls[t->operation](&b->z, &b->a, &b->b, &o), c->method != NULL ? c->method : "auto");
    if (c->method == NULL) {
        t->used = report.method;
    }
}

static double take_sample(bench *b, trial *t, const contender *c, size_t count)
{
    const double start = cpu_ns();
    for (size_t i = 0; i < count; i++) {
        run(b, t, c);
    }
    return (cpu_ns() - start) / (double)count;
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(contender *c)
{
    qsort(c->sample, c->samples, sizeof *c->sample, compare);
    return c->sample[c->samples / 2];
}

/* One call of each, for the tables that it makes, and one for its time; drops slow ones. */
static void warm_up(bench *b, trial *t)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i <= t->count; i++) {
        contender *c = &t->by[i];
        if (c->runs) {
            run(b, t, c);
            c->median = take_sample(b, t, c, 1);
            c->batch = c->median < SAMPLE_NS ? (size_t)(SAMPLE_NS / c->median) + 1 : 1;
            c->median = take_sample(b, t, c, c->batch);
            least = i < t->count ? fmin(least, c->median) : least;
        }
    }
    for (size_t i = 0; i < t->count; i++) {
        t->by[i].runs = t->by[i].runs && t->by[i].median < DROP * least;
    }
}

/* Rounds in which all take turns; medians of them. */
static void measure(bench *b, trial *t, double seconds, size_t runs)
{
    const double start = cpu_ns();
    for (size_t i = 0; i <= t->count; i++) {
        t->by[i].samples = 0;
    }
    for (size_t round = 0; round < runs && (round < 5 || cpu_ns() - start < 1e9 * seconds);
         round++) {
        for (size_t i = 0; i <= t->count; i++) {
            contender *c = &t->by[i];
            if (c->runs) {
                c->sample[c->samples++] = take_sample(b, t, c, c->batch);
            }
        }
    }
    t->best = t->count;
    for (size_t i = 0; i <= t->count; i++) {
        contender *c = &t->by[i];
        if (c->runs) {
            c->median = median(c);
            t->best = i < t->count && (t->best == t->count || c->median < t->by[t->best].median)
                          ? i
                          : t->best;
        }
    }
    t->regret = t->best == t->count ? 1 : t->by[t->count].median / t->by[t->best].median;
}

static void run_trial(bench *b, trial *t, size_t index)
{
    do {
        *t = (trial){.number = index + 1, .operation = (gfp_zoperation)(index % OPERATIONS)};
        if (b->o.operation != NULL) {
            t->operation = GFP_ZOPERATION_MUL;
            while (strcmp(gfp_zoperation_name(t->operation), b->o.operation) != 0) {
                t->operation++;
            }
        }
    } while (!draw_sizes(b, t));
    draw_operands(b, t);
    if (b->o.only != 0 && b->o.only != t->number) {
        t->regret = 0;
        return;
    }
    ask(b, t);
    warm_up(b, t);
    measure(b, t, b->o.seconds, RUNS);
    if (t->regret > DOUBTFUL) {
        measure(b, t, 3 * b->o.seconds, RUNS);
    }
    if (t->regret > GREAT) {
        measure(b, t, 10 * b->o.seconds, MOST_RUNS);
    }
    t->predicted /= t->by[t->count].median;
}

/* ---- the report ---- */

static int by_regret(const void *x, const void *y)
{
    const double a = ((const trial *)x)->regret, b = ((const trial *)y)->regret;
    return (a < b) - (a > b);
}

static void print_summary(const bench *b, const char *name, unsigned first, unsigned last)
{
    double sum = 0, worst = 1, error = 0;
    size_t count = 0, above = 0;
    for (size_t i = 0; i < b->o.count; i++) {
        const trial *t = &b->trials[i];
        if ((unsigned)t->operation < first || (unsigned)t->operation > last || t->regret == 0) {
            continue;
        }
        const double regret = fmax(t->regret, 1);
        count++;
        sum += regret;
        worst = fmax(worst, regret);
        above += regret > 1.3;
        error += t->predicted > 0 ? fabs(log(t->predicted)) : 0;
    }
    if (count > 0) {
        (void)printf("| %s | %zu | %.3f | %.2f | %zu | %.0f %% |\n", name, count,
                     sum / (double)count, worst, above, 100 * (exp(error / (double)count) - 1));
    }
}

static void print_trial(const trial *t)
{
    (void)printf("| %.2f | %s | %zu, %zu | %zu, %zu | %zu | %s | %s | %zu |", t->regret,
                 gfp_zoperation_name(t->operation), t->len_a, t->len_b, t->bits_a, t->bits_b,
                 t->len_g, t->used, t->best < t->count ? t->by[t->best].method : "-", t->number);
    for (size_t i = 0; i <= t->count; i++) {
        if (t->by[i].median > 0) {
            (void)printf(" %s %.2f", i < t->count ? t->by[i].method : "auto",
                         t->by[i].median / 1e3);
        }
        if (t->by[i].median > 0 && i < t->count) {
            (void)printf(" (%.2f)", t->by[i].predicted / t->by[i].median);
        }
    }
    (void)printf(" |\n");
}

static void print_report(bench *b)
{
    qsort(b->trials, b->o.count, sizeof *b->trials, by_regret);
    (void)printf("gfpoly %s, kernels %s, seed %llu\n\n"
                 "| operation | problems | mean regret | worst | above 1.3 | prediction errs by |\n"
                 "|---|---|---|---|---|---|\n",
                 gfp_version(), gfp_cpu_level(), (unsigned long long)b->o.seed);
    print_summary(b, "all", 0, OPERATIONS);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        print_summary(b, gfp_zoperation_name((gfp_zoperation)i), i, i);
    }
    (void)printf("\n| regret | operation | lengths | bits | divisor | used | best | problem | us "
                 "(prediction over time) |\n"
                 "|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < b->o.count && (b->o.all || i < WORST); i++) {
        if (b->trials[i].regret > 0) {
            print_trial(&b->trials[i]);
        }
    }
}

/* ---- the program ---- */

enum {
    OPTION_COUNT = 256,
    OPTION_SEED,
    OPTION_SECONDS,
    OPTION_OPERATION,
    OPTION_FAR,
    OPTION_ONLY,
    OPTION_ALL
};

static const struct argp_option option_list[] = {
    {"count", OPTION_COUNT, "N", 0, "Problems (default: 400)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the problems (default: 1)", 0},
    {"seconds", OPTION_SECONDS, "S", 0, "Time to spend on one problem (default: 0.1)", 0},
    {"operation", OPTION_OPERATION, "mul|gcd|resultant", 0, "Only this one (default: in turn)", 0},
    {"far", OPTION_FAR, "X", 0,
     "Leave out strategies predicted at X times the least prediction (default: 6)", 0},
    {"only", OPTION_ONLY, "N", 0, "Measure problem N alone; the ring is new then", 0},
    {"all", OPTION_ALL, NULL, 0, "List every problem, not the ten worst choices", 0},
    {NULL, 0, NULL, 0, NULL, 0}};

static uint64_t parse_number(struct argp_state *state, const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > 1000000) {
        argp_error(state, "'%s' is not a number from 1 to 1000000", text);
    }
    return n;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    options *o = state->input;
    char *end;
    switch (key) {
    case OPTION_COUNT:
        o->count = (size_t)parse_number(state, argument);
        return 0;
    case OPTION_ONLY:
        o->only = (size_t)parse_number(state, argument);
        return 0;
    case OPTION_SEED:
        o->seed = parse_number(state, argument);
        return 0;
    case OPTION_SECONDS:
        o->seconds = strtod(argument, &end);
        if (end == argument || *end != '\0' || !(o->seconds > 0 && o->seconds < 1e6)) {
            argp_error(state, "'%s' is not a number of seconds", argument);
        }
        return 0;
    case OPTION_OPERATION:
        o->operation = argument;
        for (unsigned i = 0; i < OPERATIONS; i++) {
            if (strcmp(argument, gfp_zoperation_name((gfp_zoperation)i)) == 0) {
                return 0;
            }
        }
        argp_error(state, "'%s' is none of the operations", argument);
        return 0;
    case OPTION_FAR:
        o->far = strtod(argument, &end);
        if (end == argument || *end != '\0' || !(o->far >= 1)) {
            argp_error(state, "'%s' is not a number from 1 on", argument);
        }
        return 0;
    case OPTION_ALL:
        o->all = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    bench b = {.o = {.count = 400, .seed = 1, .seconds = 0.1, .far = 6}};
    const struct argp parser = {
        option_list,
        parse_option,
        NULL,
        "Measures the choice of strategies over Z on random problems: the time of the call that "
        "chooses divided by that of the fastest strategy. CPU times of one thread, medians.",
        NULL,
        NULL,
        NULL};
    argp_err_exit_status = 2;
    begin_times();
    if (argp_parse(&parser, argc, argv, 0, NULL, &b.o) != 0) {
        return 2;
    }
    b.trials = calloc(b.o.count, sizeof *b.trials);
    must(b.trials == NULL ? GFP_ERR_MEMORY : GFP_OK, "trials");
    must(gfp_zring_create(&b.ring, NULL, NULL), "ring");
    gfp_zvec *const all[] = {&b.a, &b.b, &b.x, &b.z};
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_init(all[i], b.ring);
    }
    gfp_random_seed(&b.g, b.o.seed);
    for (size_t i = 0; i < b.o.count; i++) {
        run_trial(&b, &b.trials[i], i);
    }
    print_report(&b);
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_clear(all[i]);
    }
    gfp_zring_destroy(b.ring);
    free(b.trials);
    return 0;
}
