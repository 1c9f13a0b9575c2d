/* scale.c: the model of `gfpoly scale`: lines of points and their mistakes, amounts of work by
 * hand, rates of points that follow the model, and the hull of what was measured.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/scale/scale.h"
#include "lab/rows.h"

char measured_points[] = "";

static struct points points;

static gfp_status read_text(const char *text, gfp_error *error)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    const gfp_status status = read_points(&points, in, error);
    (void)fclose(in);
    return status;
}

static void expect_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) {
        fail_msg("%.17g instead of %.17g", found, expected);
    }
}

static struct point make_job(enum worker_kind kind, const char *field, uint64_t terms,
                             uint64_t workers)
{
    struct point job = {.kind = kind, .terms = terms, .workers = workers};
    gfp_error error;
    assert_int_equal(find_modulus(&job.field, field, &error), GFP_OK);
    return job;
}

/* ---- lines ---- */

static void read_lines(void **state)
{
    gfp_error error;
    (void)state;
    assert_int_equal(read_text("# a comment\n"
                               "\n"
                               "machine b workers 8 memory 64G # another one\n"
                               "\tmachine a workers 2 link 1e9\r\n"
                               "point b ranks p8 2^20 4 0.25\n"
                               "point a gpus 17 10k 2 1e-3 # in a row 9e-4\n"
                               "point b ranks p8 2^20 2 0.5\n"
                               "machine b workers 8 link 5G\n"
                               "machine b workers 8 memory 64G\n"
                               "point b files p8 2^20 2 0.75\n"
                               "point b ranks p4 1024 32 1",
                               &error),
                     GFP_OK);
    assert_int_equal(points.hosts, 2);
    assert_string_equal(points.host[0].name, "b");
    assert_true(points.host[0].workers == 8 && points.host[0].memory == (uint64_t)64 << 30 &&
                points.host[0].link == (uint64_t)5 << 30);
    assert_true(points.host[1].workers == 2 && points.host[1].memory == 0 &&
                points.host[1].link == 1000000000);
    /* In order: host, kind, terms, workers. */
    static const struct {
        size_t host;
        enum worker_kind kind;
        uint64_t terms, workers;
        double seconds;
        unsigned k;
    } expected[] = {{0, RANKS, 1024, 32, 1, 4},
                    {0, RANKS, 1 << 20, 2, 0.5, 8},
                    {0, RANKS, 1 << 20, 4, 0.25, 8},
                    {0, FILES, 1 << 20, 2, 0.75, 8},
                    {1, GPUS, 10000, 2, 1e-3, 2}};
    assert_int_equal(points.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct point *p = &points.point[i];
        assert_true(p->host == expected[i].host && p->kind == expected[i].kind &&
                    p->terms == expected[i].terms && p->workers == expected[i].workers &&
                    p->seconds == expected[i].seconds && p->field.k == expected[i].k);
    }
    struct group g = {.count = 0};
    static const size_t counts[] = {3, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        assert_true(next_group(&g, &points));
        assert_int_equal(g.count, counts[i]);
    }
    assert_ptr_equal(g.host, &points.host[1]);
    assert_false(next_group(&g, &points));
}

static void read_nothing(void **state)
{
    gfp_error error;
    struct group g = {.count = 0};
    (void)state;
    assert_int_equal(read_text("\n", &error), GFP_OK);
    assert_int_equal(points.count, 0);
    assert_false(next_group(&g, &points));
}

#define MACHINE "machine m workers 4\n"

static const struct mistake {
    const char *name, *text;
    uint64_t line;
    gfp_status status;
    const char *message;
} mistakes[] = {
    {"word", MACHINE "points m\n", 2, GFP_ERR_PARSE, "'points' is neither machine nor point"},
    {"machine", "machine\n", 1, GFP_ERR_PARSE, "not of the form: machine NAME"},
    {"no value", "machine m workers\n", 1, GFP_ERR_PARSE, "not of the form: machine NAME"},
    {"no workers", "machine m memory 1G\n", 1, GFP_ERR_PARSE, "'m' has no number of workers"},
    {"key", "machine m workers 4 cores 8\n", 1, GFP_ERR_PARSE,
     "'cores' is none of workers, memory, link"},
    {"zero workers", "machine m workers 0\n", 1, GFP_ERR_PARSE, "workers: '0' is no number"},
    {"many workers", "machine m workers 1048577\n", 1, GFP_ERR_PARSE, "from 1 to 2^20"},
    {"memory", "machine m workers 1 memory lots\n", 1, GFP_ERR_PARSE,
     "memory: 'lots' is no number of bytes"},
    {"other workers", MACHINE MACHINE "machine m workers 5\n", 3, GFP_ERR_PARSE,
     "workers of 'm' differs from a line above"},
    {"words", "machine m workers 4 memory 1 link 1 a b c\n", 1, GFP_ERR_PARSE, "more than 8 words"},
    {"short point", MACHINE "\npoint m ranks p8 16 1\n", 3, GFP_ERR_PARSE,
     "not of the form: point NAME"},
    {"long point", MACHINE "point m ranks p8 16 1 1 1\n", 2, GFP_ERR_PARSE,
     "not of the form: point NAME"},
    {"unknown machine", MACHINE "point n ranks p8 16 1 1\n", 2, GFP_ERR_PARSE,
     "no line above describes the machine 'n'"},
    {"kind", MACHINE "point m cpus p8 16 1 1\n", 2, GFP_ERR_PARSE, "'cpus' is none of ranks"},
    {"field", MACHINE "point m ranks q8 16 1 1\n", 2, GFP_ERR_UNKNOWN, "q8"},
    {"terms", MACHINE "point m ranks p8 16x 1 1\n", 2, GFP_ERR_PARSE, "terms: '16x'"},
    {"one term", MACHINE "point m ranks p8 1 1 1\n", 2, GFP_ERR_PARSE, "from 2 to 2^40"},
    {"terms above 2^40", MACHINE "point m ranks p8 1099511627777 1 1\n", 2, GFP_ERR_PARSE,
     "from 2 to 2^40"},
    {"no workers of a point", MACHINE "point m ranks p8 16 0 1\n", 2, GFP_ERR_PARSE,
     "workers: '0'"},
    {"no time", MACHINE "point m ranks p8 16 1 0\n", 2, GFP_ERR_PARSE, "seconds: '0'"},
    {"negative time", MACHINE "point m ranks p8 16 1 -1\n", 2, GFP_ERR_PARSE, "seconds: '-1'"},
    {"infinite time", MACHINE "point m ranks p8 16 1 inf\n", 2, GFP_ERR_PARSE, "seconds: 'inf'"},
    {"no number", MACHINE "point m ranks p8 16 1 nan\n", 2, GFP_ERR_PARSE, "seconds: 'nan'"},
    {"overflow", MACHINE "point m ranks p8 16 1 1e999\n", 2, GFP_ERR_PARSE, "seconds: '1e999'"},
    {"unit", MACHINE "point m ranks p8 16 1 1s\n", 2, GFP_ERR_PARSE, "seconds: '1s'"},
};

static void refuse_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; LAB_ROW(mistakes, i); i++) {
        const struct mistake *m = &mistakes[i];
        gfp_error error;
        assert_int_equal(read_text(m->text, &error), m->status);
        assert_int_equal(error.line, m->line);
        if (strstr(error.message, m->message) == NULL) {
            fail_msg("%s: '%s' without '%s'", m->name, error.message, m->message);
        }
    }
}

/* Lines, names and numbers of lines at their limits, and one above. */
static void refuse_too_much(void **state)
{
    char *text = malloc(200000), *at = text;
    gfp_error error;
    (void)state;
    assert_non_null(text);
    for (int more = 0; more < 2; more++) {
        (void)snprintf(text, 200000, "#%*s\n", 508 + more, "");
        assert_int_equal(read_text(text, &error), more == 0 ? GFP_OK : GFP_ERR_PARSE);
        (void)snprintf(text, 200000, "machine %0*d workers 1\n", 63 + more, 0);
        assert_int_equal(read_text(text, &error), more == 0 ? GFP_OK : GFP_ERR_PARSE);
        (void)snprintf(text, 200000, MACHINE "point m ranks %0*d 16 1 1\n", 63 + more, 17);
        assert_int_equal(read_text(text, &error), more == 0 ? GFP_ERR_PARSE : GFP_ERR_SIZE);
        at = text + sprintf(text, MACHINE);
        for (int i = 0; i < MOST_POINTS + more; i++) {
            at += sprintf(at, "point m ranks 17 16 1 1\n");
        }
        assert_int_equal(read_text(text, &error), more == 0 ? GFP_OK : GFP_ERR_SIZE);
        assert_int_equal(error.line, more == 0 ? 0 : MOST_POINTS + 2);
        at = text;
        for (int i = 0; i < MOST_MACHINES + more; i++) {
            at += sprintf(at, "machine m%d workers 1\n", i);
        }
        assert_int_equal(read_text(text, &error), more == 0 ? GFP_OK : GFP_ERR_SIZE);
        assert_int_equal(error.line, more == 0 ? 0 : MOST_MACHINES + 1);
    }
    free(text);
}

/* ---- amounts ---- */

static const struct host host_of_16 = {.name = "m", .workers = 16};

static void count_ranks_by_hand(void **state)
{
    struct amounts x;
    (void)state;
    /* 2^26 digits in 16 leaves of 2^19 terms: 124 + 3 + 19 bits and a little, four primes. */
    struct point job = make_job(RANKS, "p8", 1 << 22, 1);
    const double digits = 1 << 26;
    count_amounts(&x, &host_of_16, &job);
    expect_near(x.column[0], digits * (4 * (19 + 14) + 25));
    expect_near(x.column[1], 8 * digits * (4 + 2) * 2); /* 2 GiB: 8 doublings of 8 MiB */
    expect_near(x.column[2], 8 * digits * (4 + 2) * 6);
    expect_near(x.column[3], 80 * digits * (1 - 1.0 / 256));
    expect_near(x.column[4], 1);
    assert_true(x.between == 0);
    expect_near(x.memory, 256.0 * (1 << 22) + 16 * digits + 48 * 8.0 * (1 << 19));
    /* No more than 16 workers have a leaf; two hosts. */
    job.workers = 32;
    count_amounts(&x, &host_of_16, &job);
    expect_near(x.column[0], digits * (4 * (19 + 14) / 16.0 + 25 / 32.0));
    expect_near(x.column[1], 8 * digits * (4 / 16.0 + 2 / 32.0) * 2);
    expect_near(x.column[2], 8 * digits * (4 / 16.0 + 2 / 32.0));
    expect_near(x.column[3], 40 * digits * (1 - 1.0 / 256));
    expect_near(x.column[4], 6);
    expect_near(x.between, 40 * digits / 4 / 25e9 + 5 * 31 * 5e-6);
    /* The busiest one of three workers has six leaves. */
    job = make_job(RANKS, "p8", 1 << 18, 3);
    count_amounts(&x, &host_of_16, &job);
    expect_near(x.column[0], (1 << 22) * (3 * (15 + 14) * 6 / 16.0 + 25 / 3.0));
    /* Longer factors are cut: 16 products of blocks. */
    job = make_job(RANKS, "p8", 1 << 25, 1);
    count_amounts(&x, &host_of_16, &job);
    expect_near(x.column[3], 16 * 80.0 * (1 << 27) * (1 - 1.0 / 512));
    expect_near(x.column[4], 16);
    /* In the caches. */
    job = make_job(RANKS, "p8", 1 << 13, 1);
    count_amounts(&x, &host_of_16, &job);
    assert_true(x.column[1] == 0 && x.column[2] == 0 && x.column[3] == 0);
}

static void count_gpus_by_hand(void **state)
{
    struct amounts x;
    const struct host two = {.name = "m", .workers = 2, .link = 50000000000};
    (void)state;
    /* Leaves of 2^13 terms: two passes. */
    struct point job = make_job(GPUS, "p8", 1 << 16, 2);
    count_amounts(&x, &two, &job);
    expect_near(x.column[0], 8 * (1 << 20) / 2.0 * 2);
    expect_near(x.column[1], 2 * 8 * (1 << 20) / 2.0); /* half of both factors, and of the leaves */
    expect_near(x.column[2], 1);
    expect_near(x.column[3], 1);
    assert_true(x.between == 0);
    job.workers = 8; /* four hosts */
    count_amounts(&x, &two, &job);
    expect_near(x.column[1], 2 * 8 * (1 << 20) / 8.0);
    expect_near(x.between, 40.0 * (1 << 20) / 4 * 0.75 / 50e9 + 5 * 7 * 5e-6);
    /* Four blocks, each by five runs: leaves of 2^21 terms, three passes. */
    job = make_job(GPUS, "p8", 1 << 26, 2);
    count_amounts(&x, &two, &job);
    expect_near(x.column[0], 8.0 * (1 << 28) * 3 * 10);
    expect_near(x.column[1], 8.0 * (1 << 28) * 4 / 2);
    expect_near(x.column[2], 10);
}

static void count_files_by_hand(void **state)
{
    struct amounts x;
    (void)state;
    /* Two cuts: 9 blocks of 2^23 terms. */
    const struct point job = make_job(FILES, "p8", 1 << 25, 2);
    count_amounts(&x, &host_of_16, &job);
    expect_near(x.column[0], 9.0 * (1 << 27) * (4 * (20 + 14) / 2.0 + 25 / 2.0));
    expect_near(x.column[1], 8 * (128.0 * 9 * (1 << 23) + 48.0 * ((1 << 25) + 3 * (1 << 24))));
    expect_near(x.column[2], 18);
    assert_true(x.between == 0 && x.memory == 0);
}

static void count_the_largest(void **state)
{
    struct amounts x;
    const struct host one = {.name = "m", .workers = 1};
    (void)state;
    for (int kind = RANKS; kind < WORKER_KINDS; kind++) {
        const struct point job = make_job((enum worker_kind)kind, "p128", MOST_TERMS, MOST_WORKERS);
        count_amounts(&x, &one, &job);
        for (size_t i = 0; i < MODEL_COLUMNS; i++) {
            assert_true(isfinite(x.column[i]) && x.column[i] >= 0);
        }
        assert_true(isfinite(x.between) && isfinite(x.memory));
    }
    /* The least factors. */
    const struct point job = make_job(RANKS, "p2", 2, 1);
    count_amounts(&x, &one, &job);
    assert_true(isfinite(x.column[0]) && x.column[0] > 0);
}

/* ---- rates ---- */

/* Points of one host and kind that follow the rates, times 1 + noise with changing signs. */
static void make_points(struct group *g, const struct host *host, enum worker_kind kind,
                        const double *rate, double noise)
{
    points.count = 0;
    for (unsigned log = 14; log <= 26; log += 2) {
        for (unsigned workers = 1; workers <= 8; workers *= 2) {
            struct point p = make_job(kind, "p8", (uint64_t)1 << log, workers);
            struct amounts x;
            const size_t i = points.count;
            count_amounts(&x, host, &p);
            p.seconds = x.between;
            for (size_t j = 0; j < MODEL_COLUMNS; j++) {
                p.seconds += rate[j] * x.column[j];
            }
            p.seconds *= 1 + (i * 7 % 3 == 0 ? noise : i * 5 % 4 < 2 ? -noise : 0);
            points.point[points.count++] = p;
        }
    }
    *g = (struct group){host, points.point, points.count};
}

static const struct known {
    const char *name;
    enum worker_kind kind;
    uint64_t workers; /* of a host */
    double rate[MODEL_COLUMNS];
} known[] = {
    {"ranks", RANKS, 8, {1e-10, 3e-11, 2e-11, 2e-11, 1e-4}},
    {"ranks that no memory holds up", RANKS, 8, {3e-10, 0, 0, 0, 1e-4}},
    {"ranks of hosts of two", RANKS, 2, {3e-10, 2e-11, 0, 5e-11, 1e-4}},
    {"devices", GPUS, 8, {5e-12, 7e-12, 5e-5, 4e-5, 0}},
    {"files", FILES, 8, {3e-10, 1e-9, 1e-3, 0, 0}},
    {"nothing but the disk", FILES, 8, {0, 1e-9, 0, 0, 0}},
};

static void recover_rates(void **state)
{
    (void)state;
    for (size_t i = 0; LAB_ROW(known, i); i++) {
        const struct host host = {.name = "m", .workers = known[i].workers};
        struct group g;
        struct fit fit;
        make_points(&g, &host, known[i].kind, known[i].rate, 0);
        assert_true(fit_points(&fit, &g));
        assert_int_equal(fit.fitted + fit.tested, g.count);
        assert_int_equal(fit.fitted, g.count / 2);
        assert_true(fit.worst < 1e-6 && fit.median <= fit.worst);
        for (size_t j = 0; j < MODEL_COLUMNS; j++) {
            assert_true(fabs(fit.rate[j] - known[i].rate[j]) <= 1e-5 * known[i].rate[j]);
        }
        make_points(&g, &host, known[i].kind, known[i].rate, 0.05);
        assert_true(fit_points(&fit, &g));
        assert_true(fit.worst > 0.02 && fit.worst < 0.12 && fit.median < 0.06);
    }
}

/* Times that fall below a share of the busiest worker would take a negative rate. */
static void keep_rates_above_zero(void **state)
{
    const struct host host = {.name = "m", .workers = 8};
    const double rate[MODEL_COLUMNS] = {3e-10, 0, 0, -2e-11, 0};
    struct group g;
    struct fit fit;
    (void)state;
    make_points(&g, &host, RANKS, rate, 0);
    assert_true(fit_points(&fit, &g));
    assert_true(fit.rate[0] > 0);
    for (size_t j = 1; j < MODEL_COLUMNS; j++) {
        assert_true(fit.rate[j] == 0);
    }
    assert_true(fit.worst > 0.01);
}

/* The error is that of points that the fit did not see. */
static void test_on_the_other_half(void **state)
{
    const struct host host = {.name = "m", .workers = 8};
    const double rate[MODEL_COLUMNS] = {3e-10, 0, 0, 5e-11, 1e-4};
    struct group g;
    struct fit before, fit;
    (void)state;
    make_points(&g, &host, RANKS, rate, 0);
    assert_true(fit_points(&before, &g));
    points.point[1].seconds *= 2; /* numbers 1, 2, 4, 7, 8, ... are not fitted */
    assert_true(fit_points(&fit, &g));
    assert_memory_equal(fit.rate, before.rate, sizeof fit.rate);
    assert_true(fabs(fit.worst - 0.5) < 1e-6 && fit.median < 1e-6);
}

static void fit_the_fewest(void **state)
{
    const struct host host = {.name = "m", .workers = 8};
    const double rate[MODEL_COLUMNS] = {3e-10, 0, 0, 0, 0};
    struct group g;
    struct fit fit;
    (void)state;
    make_points(&g, &host, RANKS, rate, 0);
    g.count = LEAST_POINTS;
    assert_true(fit_points(&fit, &g));
    assert_true(fit.fitted == 4 && fit.tested == 4 && fit.worst < 1e-6);
    /* All the same point. */
    for (size_t i = 0; i < g.count; i++) {
        points.point[i] = points.point[0];
    }
    assert_true(fit_points(&fit, &g));
    assert_true(fit.worst < 1e-6);
}

/* ---- the hull ---- */

static const struct place {
    unsigned log_terms, log_workers;
    bool inside;
} places[] = {{18, 0, true},  {22, 0, true},  {20, 0, true},  {22, 4, true},  {20, 2, true},
              {21, 2, true},  {22, 3, true},  {17, 0, false}, {23, 0, false}, {18, 1, false},
              {20, 3, false}, {22, 5, false}, {23, 4, false}, {30, 10, false}};

static void find_the_hull(void **state)
{
    gfp_error error;
    struct group g = {.count = 0};
    (void)state;
    assert_int_equal(read_text("machine m workers 16\n"
                               "point m ranks p8 2^18 1 1\n"
                               "point m ranks p8 2^22 1 1\n"
                               "point m ranks p8 2^22 16 1\n"
                               "point m ranks p4 2^30 1024 1\n",
                               &error),
                     GFP_OK);
    assert_true(next_group(&g, &points));
    for (size_t i = 0; LAB_ROW(places, i); i++) {
        const struct point job = make_job(RANKS, "p8", (uint64_t)1 << places[i].log_terms,
                                          (uint64_t)1 << places[i].log_workers);
        assert_int_equal(is_measured(&g, &job), places[i].inside);
    }
    /* A single point, and a field without points. */
    struct point job = make_job(RANKS, "p4", 1 << 30, 1024);
    assert_true(is_measured(&g, &job));
    job.workers = 512;
    assert_false(is_measured(&g, &job));
    job = make_job(RANKS, "p16", 1 << 20, 1);
    assert_false(is_measured(&g, &job));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_lines),
        cmocka_unit_test(read_nothing),
        cmocka_unit_test(refuse_mistakes),
        cmocka_unit_test(refuse_too_much),
        cmocka_unit_test(count_ranks_by_hand),
        cmocka_unit_test(count_gpus_by_hand),
        cmocka_unit_test(count_files_by_hand),
        cmocka_unit_test(count_the_largest),
        cmocka_unit_test(recover_rates),
        cmocka_unit_test(keep_rates_above_zero),
        cmocka_unit_test(test_on_the_other_half),
        cmocka_unit_test(fit_the_fewest),
        cmocka_unit_test(find_the_hull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
