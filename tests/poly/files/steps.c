/* steps.c: products of files in steps with a dealer: they are those of polynomials, go on after the
 * process was killed, and refuse what belongs to another product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "poly/files/lab.h"
#include "lab/disk.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "lab/sanitized.h"

#include "gfpoly/dealer.h"

#define RESULT "z"
#define PART RESULT GFP_FILE_KEPT
#define JOURNAL "journal"

static void remove_all(void)
{
    (void)remove(RESULT);
    (void)remove(PART);
    (void)remove(JOURNAL);
}

/* z := x y in steps, by the options, going on with what is there. *restored (may be NULL): items
 * that were there. */
static gfp_status multiply_in_steps(const gfp_file *x, const gfp_file *y,
                                    const gfp_options *options, uint64_t *restored)
{
    gfp_options all = *options;
    gfp_file *z = NULL;
    size_t length;
    assert_int_equal(gfp_file_product_length(&length, x, y), GFP_OK);
    gfp_status status =
        gfp_file_resume(&z, RESULT, gfp_file_get_info(x).field, length, options->error);
    if (status == GFP_OK) {
        status = gfp_dealer_create(&all.dealer, JOURNAL, options->error);
    }
    if (status == GFP_OK) {
        status = gfp_file_mul(z, x, y, &all);
        if (restored != NULL) {
            *restored = gfp_dealer_get_info(all.dealer).restored;
        }
        gfp_dealer_destroy(all.dealer);
    }
    if (status == GFP_OK) {
        status = gfp_file_commit(z, options->error);
    }
    gfp_file_close(z);
    return status;
}

/* Two files and their product. */
typedef struct factors {
    gfp_poly a, b, c;
    gfp_file *x, *y;
} factors;

static void make_factors(factors *f, const lab *l, size_t len_a, size_t len_b)
{
    gfp_poly_init(&f->a, l->field);
    gfp_poly_init(&f->b, l->field);
    gfp_poly_init(&f->c, l->field);
    lab_fill(l, &f->a, len_a, 1);
    lab_store(&f->a, "x");
    assert_int_equal(gfp_file_open(&f->x, "x", l->field, NULL, NULL), GFP_OK);
    f->y = f->x;
    if (len_b > 0) {
        lab_fill(l, &f->b, len_b, 2);
        lab_store(&f->b, "y");
        assert_int_equal(gfp_file_open(&f->y, "y", l->field, NULL, NULL), GFP_OK);
    }
    assert_int_equal(gfp_poly_mul(&f->c, &f->a, len_b > 0 ? &f->b : &f->a, NULL), GFP_OK);
    remove_all();
}

static void free_factors(factors *f)
{
    if (f->y != f->x) {
        gfp_file_close(f->y);
    }
    gfp_file_close(f->x);
    gfp_poly_clear(&f->a);
    gfp_poly_clear(&f->b);
    gfp_poly_clear(&f->c);
}

/* The result is there, whole, and without areas. */
static void expect_result(const factors *f)
{
    gfp_poly c;
    struct stat status;
    gfp_poly_init(&c, f->c.field);
    assert_int_equal(gfp_poly_load(&c, RESULT, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&c, &f->c));
    assert_int_equal(stat(RESULT, &status), 0);
    assert_int_equal(status.st_size, GFP_BINARY_PAYLOAD + 8 * gfp_field_k(f->c.field) * f->c.len);
    assert_int_equal(count_files(PART), 0);
    gfp_poly_clear(&c);
}

static void test_products_in_steps_are_right(void **state)
{
    /* A length 0 stands for a square. */
    static const size_t lengths[][2] = {{1, 1},      {300, 299},   {1000, 0},     {2600, 40},
                                        {5000, 700}, {9000, 8191}, {20000, 19000}};
    static const size_t caps[] = {0, 3000000, 700000, 300000};
    (void)state;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        const lab *l = lab_named(i % 2 == 0 ? "p8" : "p4");
        factors f;
        make_factors(&f, l, lengths[i][0], lengths[i][1]);
        for (size_t j = 0; j < sizeof caps / sizeof *caps; j++) {
            gfp_error error = {.message = ""};
            gfp_report report = {.method = NULL};
            const gfp_options options = {.memory_cap = caps[j],
                                         .threads = 1 + (unsigned)(j % 2),
                                         .verify = GFP_VERIFY_POINT,
                                         .error = &error,
                                         .report = &report};
            remove_all();
            if (multiply_in_steps(f.x, f.y, &options, NULL) != GFP_OK) {
                fail_msg("%zu by %zu, cap %zu: %s", lengths[i][0], lengths[i][1], caps[j],
                         error.message);
            }
            expect_result(&f);
            assert_string_equal(report.method, "hybrid");
            assert_int_equal(report.verified, GFP_VERIFY_POINT);
            assert_in_range(-report.log2_error, 40, 1000);
        }
        free_factors(&f);
    }
}

/* ---- the plan ---- */

/* Returns the number behind `name` in the text of a plan; 0: there is none. */
static size_t plan_number(const gfp_plan_text *plan, const char *name)
{
    const char *at = strstr(plan->text, name);
    return at == NULL ? 0 : (size_t)strtoull(at + strlen(name), NULL, 10);
}

/* Notes the bytes of the file that is being made, with its areas. */
static bool note_size(void *user, double fraction)
{
    struct stat status;
    (void)fraction;
    if (stat(PART, &status) == 0) {
        *(size_t *)user = (size_t)status.st_size;
    }
    return true;
}

/* The text tells of the cap, the areas that are made, the cuts and the threads that have room. */
static void test_the_plan_is_told(void **state)
{
    static const struct {
        size_t len_a, len_b, cap; /* len_b 0: a square */
        bool cut;
    } rows[] = {{3000, 3000, 0, false},     {3000, 0, 0, false},     {3000, 3000, 3000000, false},
                {3000, 3000, 100000, true}, {3000, 0, 100000, true}, {9000, 500, 100000, true}};
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        factors f;
        gfp_plan_text plan = {.text = ""};
        char line[100];
        size_t size = 0;
        const gfp_progress progress = {note_size, &size};
        const gfp_options options = {
            .memory_cap = rows[i].cap, .threads = 2, .plan = &plan, .progress = &progress};
        make_factors(&f, lab_named("p8"), rows[i].len_a, rows[i].len_b);
        assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
        expect_result(&f);
        const size_t payload = GFP_BINARY_PAYLOAD + 64 * f.c.len;
        assert_int_equal(plan_number(&plan, "threads in blocks, "),
                         size - (payload + 4095) / 4096 * 4096);
        assert_int_equal(plan_number(&plan, "cap:       "), rows[i].cap);
        assert_true(rows[i].cap == 0 || plan_number(&plan, "memory:    ") <= rows[i].cap);
        assert_in_range(plan_number(&plan, "in steps, "), 1, 2);
        const size_t cuts = plan_number(&plan, "cuts:      ");
        size_t len_a = f.a.len, len_b = rows[i].len_b > 0 ? rows[i].len_b : len_a;
        for (size_t n = 0; n < cuts; n++) {
            len_a = (len_a + 1) / 2;
            len_b = len_b < len_a ? len_b : len_a;
        }
        snprintf(line, sizeof line, "%zu, in halves: blocks of at most %zu by %zu ", cuts, len_a,
                 len_b);
        assert_int_equal(cuts > 0, rows[i].cut);
        assert_true(cuts == 0 || strstr(plan.text, line) != NULL);
        free_factors(&f);
    }
}

/* ---- a process that is killed ---- */

/* The processor time of a process besides steps: it opens its factors, and pages are mapped again.
 */
#define START_SECONDS 0.05
/* Sanitizers take many times as long. */
#define SHARE (SANITIZED ? 4 : 1)
/* Measurements, of which one is to be below the bound: other processes slow a process down. */
#define MEASUREMENTS 5

static double child_seconds(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double wall_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The exit status of a process that finds a complete part, which the one before had no time to
 * rename. */
#define UNNAMED 2

/* A process of its own multiplies, and is killed after these seconds. Returns the processor time
 * that it took; *done: whether it came to the end. */
static double run_process(const factors *f, const gfp_options *options, double life, bool *done)
{
    int status;
    struct stat result;
    const double before = child_seconds();
    const struct timespec pause = {.tv_sec = (time_t)life,
                                   .tv_nsec = (long)((life - floor(life)) * 1e9)};
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* a new program: a child of fork has one thread */
        char cap[30], threads[30];
        snprintf(cap, sizeof cap, "%zu", options->memory_cap);
        snprintf(threads, sizeof threads, "%u", options->threads);
        (void)execl("/proc/self/exe", "steps", f->y == f->x ? "x" : "y", cap, threads,
                    (char *)NULL);
        _exit(1);
    }
    if (life > 0) {
        (void)nanosleep(&pause, NULL);
        (void)kill(child, SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == UNNAMED);
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) == UNNAMED) {
        assert_int_equal(rename(PART, RESULT), 0);
    }
    *done = stat(RESULT, &result) == 0;
    return child_seconds() - before;
}

/* Killed again and again, each time at a random moment, it comes to the same file. Returns the part
 * of the work that was lost each time, beyond START_SECONDS; 1: it was not killed twice. */
static double lost_part(const factors *f, const gfp_options *options, gfp_random *g)
{
    double sum = 0;
    size_t kills = 0;
    bool done;
    remove_all();
    const double start = wall_seconds(), whole = run_process(f, options, 0, &done);
    const double wall = wall_seconds() - start;
    assert_true(done);
    expect_result(f);
    remove_all();
    for (done = false; !done; kills += done ? 0 : 1) {
        const double part = 0.1 + 0.2 * (double)gfp_random_below(g, 1000) / 1000;
        sum += run_process(f, options, kills < 8 ? part * wall : 0, &done);
        assert_in_range(count_files(PART), 0, done ? 0 : 1); /* perhaps it has not begun */
    }
    expect_result(f);
    print_message("killed %zu times: %.3f s of work instead of %.3f\n", kills, sum, whole);
    return kills < 2 ? 1 : (sum - whole - (double)kills * START_SECONDS) / ((double)kills * whole);
}

static void test_killed_it_loses_less_than_a_tenth(void **state)
{
    static const struct {
        size_t len_b, cap; /* len_b 0: a square */
        unsigned threads;
    } rows[] = {{900000, 0, 1}, {900000, 0, 2}, {900000, 30000000, 1}, {0, 30000000, 1}};
    const lab *l = lab_named("p8");
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        const gfp_options options = {.memory_cap = rows[i].cap, .threads = rows[i].threads};
        double least = 1;
        factors f;
        make_factors(&f, l, 1000000 / SHARE, rows[i].len_b / SHARE);
        for (size_t n = 0; n < MEASUREMENTS && least > 0.1; n++) {
            const double part = lost_part(&f, &options, &g);
            least = part < least ? part : least;
        }
        if (least > 0.1) {
            fail_msg("killed, it loses %.1f %% of the work", 100 * least);
        }
        free_factors(&f);
    }
}

/* ---- what was kept ---- */

/* Cancels at this step. */
static gfp_status cancel_at(const factors *f, size_t cap, size_t step)
{
    host h = {.stop_at = step};
    const gfp_progress progress = {lab_step, &h};
    const gfp_options options = {.memory_cap = cap, .progress = &progress};
    const gfp_status status = multiply_in_steps(f->x, f->y, &options, NULL);
    assert_false(h.wrong);
    return status;
}

/* Leaves it two thirds through. */
static void leave_unfinished(const factors *f, size_t cap)
{
    host h = {.stop_at = SIZE_MAX};
    const gfp_progress progress = {lab_step, &h};
    const gfp_options options = {.memory_cap = cap, .progress = &progress};
    remove_all();
    assert_int_equal(multiply_in_steps(f->x, f->y, &options, NULL), GFP_OK);
    remove_all();
    assert_int_equal(cancel_at(f, cap, h.calls * 2 / 3), GFP_ERR_CANCELLED);
}

static void test_cancelled_anywhere_it_goes_on(void **state)
{
    factors f;
    gfp_status status = GFP_ERR_CANCELLED;
    const gfp_options options = {.memory_cap = 300000};
    uint64_t restored;
    (void)state;
    make_factors(&f, lab_named("p8"), 14000, 13500);
    for (size_t n = 0; status != GFP_OK; n += 1 + n / 8) {
        status = cancel_at(&f, 300000, n);
        if (status != GFP_OK) {
            assert_int_equal(status, GFP_ERR_CANCELLED);
            assert_int_equal(count_files(PART), 1);
        }
    }
    expect_result(&f);
    leave_unfinished(&f, 300000);
    assert_int_equal(multiply_in_steps(f.x, f.y, &options, &restored), GFP_OK);
    assert_in_range(restored, 2, 100000);
    expect_result(&f);
    free_factors(&f);
}

/* Factors that are cut: both, the longer one, the one of a square. Whatever step an item was
 * written in but not noted, the step is computed again from what it read before. */
static void test_cut_products_go_on_from_every_step(void **state)
{
    /* Sums of so many coefficients are written in several steps of the progress. */
    static const size_t lengths[][2] = {{13000, 12500}, {34000, 1000}, {13000, 0}};
    const size_t cap = 400000;
    (void)state;
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        factors f;
        gfp_plan_text plan;
        const gfp_options options = {.memory_cap = cap, .plan = &plan};
        gfp_status status = GFP_ERR_CANCELLED;
        make_factors(&f, lab_named("p8"), lengths[i][0], lengths[i][1]);
        for (size_t n = 0; status != GFP_OK; n += SANITIZED ? 1 + n / 8 : 1) {
            remove_all();
            status = cancel_at(&f, cap, n);
            if (status != GFP_OK) {
                assert_int_equal(status, GFP_ERR_CANCELLED);
                assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
            }
            expect_result(&f);
        }
        assert_in_range(plan_number(&plan, "cuts:      "), 1, 10);
        free_factors(&f);
    }
}

/* A byte of the journal is changed anywhere, or its last record is cut off: the product, whose
 * steps overwrite what earlier ones read, is right. */
static void test_damaged_journals_are_noticed(void **state)
{
    static const size_t caps[] = {300000, 100000}; /* one block, halves */
    factors f;
    (void)state;
    make_factors(&f, lab_named("p8"), 4000, 3500);
    for (size_t i = 0; LAB_ROW(caps, i); i++) {
        const gfp_options options = {.memory_cap = caps[i]};
        size_t size = SIZE_MAX;
        for (size_t n = 33; n < size; n += 1 + size / 12) {
            leave_unfinished(&f, caps[i]);
            unsigned char *bytes = lab_slurp(JOURNAL, &size);
            assert_in_range(size, 100, SIZE_MAX);
            bytes[n] ^= 1;
            put_bytes(JOURNAL, bytes, size);
            free(bytes);
            assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
            expect_result(&f);
        }
        leave_unfinished(&f, caps[i]);
        unsigned char *bytes = lab_slurp(JOURNAL, &size);
        unsigned char *longer = realloc(bytes, size + 20);
        assert_non_null(longer);
        memcpy(longer + size, longer + size - 56, 20); /* of a record that was begun */
        put_bytes(JOURNAL, longer, size + 20);
        free(longer);
        uint64_t restored;
        assert_int_equal(multiply_in_steps(f.x, f.y, &options, &restored), GFP_OK);
        assert_in_range(restored, 2, 100000);
        expect_result(&f);
    }
    free_factors(&f);
}

/* Changes the last bit of a word of the part. */
static void flip_word(size_t offset)
{
    uint64_t word;
    FILE *stream = fopen(PART, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, (long)offset, SEEK_SET), 0);
    assert_int_equal(fread(&word, sizeof word, 1, stream), 1);
    word ^= 1;
    assert_int_equal(fseek(stream, (long)offset, SEEK_SET), 0);
    assert_int_equal(fwrite(&word, sizeof word, 1, stream), 1);
    assert_int_equal(fclose(stream), 0);
}

/* A word of the product or of leaves that were kept changes between two runs, anywhere: the second
 * run computes it anew, or the check finds it. */
static void test_wrong_parts_are_found(void **state)
{
    /* Of the product, and of the leaves of a, b and the product, as a fraction of them. */
    static const double places[] = {0.3, 0.6};
    enum { PRODUCT, LEAVES_A, LEAVES_B, LEAVES, AREAS };
    size_t found[AREAS] = {0};
    factors f;
    gfp_plan_text plan;
    host all = {.stop_at = SIZE_MAX};
    const gfp_progress progress = {lab_step, &all};
    gfp_options options = {
        .verify = GFP_VERIFY_POINT, .verify_seed = 5, .plan = &plan, .progress = &progress};
    (void)state;
    make_factors(&f, lab_named("p8"), 4000, 3500);
    assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
    const size_t payload = 64 * f.c.len;
    const size_t area = plan_number(&plan, "threads in blocks, ") / 3;
    for (size_t i = 0; i < AREAS * 2 * all.calls; i++) {
        const unsigned where = (unsigned)(i % AREAS);
        const size_t bytes = where == PRODUCT ? payload : area;
        const size_t first =
            where == PRODUCT
                ? GFP_BINARY_PAYLOAD
                : (GFP_BINARY_PAYLOAD + payload + 4095) / 4096 * 4096 + (where - LEAVES_A) * area;
        host h = {.stop_at = i / AREAS / 2};
        const gfp_progress stops = {lab_step, &h};
        remove_all();
        options.progress = &stops;
        assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_ERR_CANCELLED);
        flip_word(first + (size_t)(places[i / AREAS % 2] * (double)bytes) / 8 * 8);
        options.progress = NULL;
        const gfp_status status = multiply_in_steps(f.x, f.y, &options, NULL);
        if (status == GFP_OK) {
            expect_result(&f);
        } else {
            assert_int_equal(status, GFP_ERR_VERIFY);
            assert_int_equal(count_files(RESULT), 1); /* the part */
            found[where]++;
        }
    }
    for (unsigned where = 0; where < AREAS; where++) {
        assert_in_range(found[where], 1, SIZE_MAX);
    }
    free_factors(&f);
    remove_all();
}

static void expect_refused(const factors *f, const gfp_options *options, gfp_status expected,
                           const char *text)
{
    gfp_error error = {.message = ""};
    gfp_options all = *options;
    all.error = &error;
    assert_int_equal(multiply_in_steps(f->x, f->y, &all, NULL), expected);
    if (strstr(error.message, text) == NULL) {
        fail_msg("\"%s\" instead of \"%s\"", error.message, text);
    }
}

static void test_what_belongs_to_other_products_is_refused(void **state)
{
    factors f, g;
    uint64_t restored;
    gfp_file *z = NULL;
    gfp_error error = {.message = ""};
    const gfp_options options = {.memory_cap = 300000}, other = {.memory_cap = 100000};
    (void)state;
    make_factors(&f, lab_named("p8"), 4000, 3500);
    leave_unfinished(&f, 300000);
    expect_refused(&f, &other, GFP_ERR_ARGUMENT, "belongs to other operands"); /* another plan */
    /* Another file of areas: its contents are not those of the journal. */
    assert_int_equal(remove(PART), 0);
    expect_refused(&f, &options, GFP_ERR_ARGUMENT, PART ": its contents are not those");
    /* A file that is no file of areas stays. */
    put_bytes(PART, (const unsigned char *)"old\n", 4);
    expect_refused(&f, &options, GFP_ERR_ARGUMENT, "is no unfinished file");
    expect_old(PART);
    free_factors(&f);
    /* Nor does one of another length change. */
    make_factors(&g, lab_named("p8"), 3000, 2500);
    leave_unfinished(&g, 100000);
    assert_int_equal(gfp_file_resume(&z, RESULT, g.c.field, 3000, &error), GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "another field or length"));
    assert_int_equal(multiply_in_steps(g.x, g.y, &other, &restored), GFP_OK);
    assert_in_range(restored, 2, 100000);
    expect_result(&g);
    /* A complete file that lacks its name. */
    assert_int_equal(rename(RESULT, PART), 0);
    expect_refused(&g, &other, GFP_ERR_ARGUMENT, "lacks nothing but its name");
    free_factors(&g);
}

/* A call without the journal of a part begins the part anew: then that journal serves no longer,
 * whatever step both have come to. */
static void test_a_part_belongs_to_one_journal(void **state)
{
    static const size_t caps[] = {300000, 100000}; /* one block, halves */
    (void)state;
    for (size_t i = 0; LAB_ROW(caps, i); i++) {
        gfp_status status = GFP_ERR_CANCELLED;
        for (size_t step = 0; status != GFP_OK; step += 3) {
            factors f, g;
            const gfp_options options = {.memory_cap = caps[i]};
            make_factors(&f, lab_named("p8"), 4000, 3500);
            make_factors(&g, lab_named("p8"), 4000, 3499);
            lab_fill(lab_named("p8"), &g.b, 3500, 7); /* others of the same lengths */
            lab_store(&g.b, "y");
            gfp_file_close(g.y);
            assert_int_equal(gfp_file_open(&g.y, "y", f.c.field, NULL, NULL), GFP_OK);
            assert_int_equal(gfp_poly_mul(&g.c, &g.a, &g.b, NULL), GFP_OK);
            leave_unfinished(&f, caps[i]);
            assert_int_equal(rename(JOURNAL, "first"), 0);
            status = cancel_at(&g, caps[i], step);
            if (status == GFP_OK) {
                expect_result(&g);
            } else if (count_files(JOURNAL) == 0) { /* the call came to nothing */
                assert_int_equal(rename("first", JOURNAL), 0);
                assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
                expect_result(&f);
            } else {
                assert_int_equal(rename(JOURNAL, "second"), 0);
                assert_int_equal(rename("first", JOURNAL), 0);
                expect_refused(&f, &options, GFP_ERR_ARGUMENT, PART ": its contents are not those");
                assert_int_equal(rename("second", JOURNAL), 0);
                assert_int_equal(multiply_in_steps(g.x, g.y, &options, NULL), GFP_OK);
                expect_result(&g);
            }
            free_factors(&f);
            free_factors(&g);
        }
    }
}

/* The same of a call that keeps nothing: it has another product in the part. */
static void test_a_call_without_a_journal_owns_the_part(void **state)
{
    factors f;
    gfp_file *part = NULL;
    const size_t cap = 300000;
    const gfp_options options = {.memory_cap = cap};
    (void)state;
    make_factors(&f, lab_named("p8"), 4000, 3500);
    leave_unfinished(&f, cap);
    assert_int_equal(gfp_file_resume(&part, RESULT, f.c.field, 7499, NULL), GFP_OK);
    assert_int_equal(gfp_file_mul(part, f.y, f.x, NULL), GFP_OK);
    gfp_file_close(part);
    expect_refused(&f, &options, GFP_ERR_ARGUMENT, PART ": its contents are not those");
    assert_int_equal(remove(JOURNAL), 0);
    assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
    expect_result(&f);
    free_factors(&f);
}

/* A field with too few points for the check is refused before anything is computed. */
static void test_a_small_field_is_refused(void **state)
{
    factors f;
    (void)state;
    make_factors(&f, lab_named("16^4+1"), 400, 300);
    expect_refused(&f, &(gfp_options){.verify = GFP_VERIFY_POINT}, GFP_ERR_UNAVAILABLE,
                   "has too few");
    assert_int_equal(count_files(JOURNAL), 0);
    assert_int_equal(multiply_in_steps(f.x, f.y, &(gfp_options){.memory_cap = 0}, NULL), GFP_OK);
    expect_result(&f);
    free_factors(&f);
}

static void test_arguments_are_checked(void **state)
{
    factors f;
    gfp_file *z = NULL, *made = NULL;
    gfp_error error = {.message = ""};
    gfp_options options = {.error = &error};
    size_t length;
    (void)state;
    make_factors(&f, lab_named("p8"), 400, 300);
    expect_refused(&f, &(gfp_options){.method = "classical"}, GFP_ERR_UNAVAILABLE, "is hybrid");
    expect_refused(&f, &(gfp_options){.verify = GFP_VERIFY_CROSS}, GFP_ERR_UNAVAILABLE,
                   "at points");
    expect_refused(&f, &(gfp_options){.memory_cap = 1000}, GFP_ERR_MEMORY, "cap");
    remove_all();
    assert_int_equal(gfp_file_product_length(&length, f.x, f.y), GFP_OK);
    assert_int_equal(gfp_file_create(&z, RESULT, gfp_file_get_info(f.x).field, length, NULL),
                     GFP_OK);
    assert_int_equal(gfp_dealer_create(&options.dealer, JOURNAL, NULL), GFP_OK);
    assert_int_equal(gfp_file_mul(z, f.x, f.y, &options), GFP_ERR_ARGUMENT);
    gfp_file_close(z);
    /* A factor that is being made has no checksum. */
    assert_int_equal(gfp_file_create(&made, "made", gfp_file_get_info(f.x).field, 1, NULL), GFP_OK);
    gfp_elem_one(gfp_file_get_info(f.x).field, gfp_file_digits_mutable(made));
    assert_int_equal(gfp_file_resume(&z, RESULT, gfp_file_get_info(f.x).field, 400, NULL), GFP_OK);
    assert_int_equal(gfp_file_mul(z, f.x, made, &options), GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "opened files"));
    gfp_file_close(made);
    gfp_file_close(z);
    gfp_dealer_destroy(options.dealer);
    free_factors(&f);
    remove_all();
}

/* A disk without room for the areas: the limit on the size of files stands for it. */
static void test_a_full_disk_is_an_error(void **state)
{
    factors f;
    struct rlimit before, limit;
    (void)state;
    make_factors(&f, lab_named("p8"), 4000, 3500);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 7500 * 64 + 8192;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    expect_refused(&f, &(gfp_options){.memory_cap = 0}, GFP_ERR_IO,
                   PART ": no disk space for the areas of the product: File too large");
    limit.rlim_cur = 7000 * 64;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    expect_refused(&f, &(gfp_options){.memory_cap = 0}, GFP_ERR_IO, "no disk space for the file");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(multiply_in_steps(f.x, f.y, &(gfp_options){.memory_cap = 0}, NULL), GFP_OK);
    expect_result(&f);
    free_factors(&f);
}

/* A disk that fails while a step writes: the message has the file and the reason, and the next call
 * goes on. */
static void test_a_failing_disk_is_an_error(void **state)
{
    factors f;
    size_t calls;
    (void)state;
    make_factors(&f, lab_named("p8"), 14000, 13500);
    for (unsigned threads = 1; threads <= 2; threads++) {
        const gfp_options options = {.memory_cap = 3000000, .threads = threads};
        remove_all();
        disk_fail(DISK_SYNC_RANGE, 0, 0);
        assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
        calls = disk_count(DISK_SYNC_RANGE);
        for (size_t n = 0; n < calls; n += 1 + n / 4) {
            remove_all();
            disk_fail(DISK_SYNC_RANGE, n, EIO);
            expect_refused(&f, &options, GFP_ERR_IO, PART ": cannot write: Input/output error");
            disk_fail(DISK_SYNC_RANGE, 0, 0);
            assert_int_equal(multiply_in_steps(f.x, f.y, &options, NULL), GFP_OK);
            expect_result(&f);
        }
    }
    free_factors(&f);
}

/* The errors of calls that begin with a file, its product and a journal that are in use. */
static void expect_in_use(const factors *f)
{
    gfp_error error = {.message = ""};
    gfp_file *z = NULL;
    gfp_dealer *dealer = NULL;
    assert_int_equal(gfp_file_resume(&z, RESULT, f->c.field, f->c.len, &error), GFP_ERR_IO);
    assert_string_equal(error.message, PART ": another process uses it");
    assert_int_equal(gfp_file_share(&z, RESULT, f->c.field, f->c.len, NULL), GFP_OK);
    assert_true(gfp_file_get_info(z).locked);
    gfp_file_close(z);
    assert_int_equal(gfp_dealer_create(&dealer, JOURNAL, &error), GFP_ERR_IO);
    assert_non_null(strstr(error.message, "another dealer uses it"));
}

/* File systems without flock have other locks; without any, the caller can see it. */
static void test_locks(void **state)
{
    static const struct {
        int flock, fcntl;
        bool locked;
    } rows[] = {{0, 0, true},
                {ENOTSUP, 0, true},
                {ENOLCK, 0, true},
                {ENOSYS, 0, true},
                {0, ENOLCK, true},
                {ENOTSUP, EINVAL, false},
                {ENOSYS, ENOSYS, false},
                {ENOLCK, ENOLCK, false}};
    factors f;
    (void)state;
    make_factors(&f, lab_named("p8"), 400, 300);
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        gfp_file *z = NULL, *other = NULL;
        gfp_dealer *dealer = NULL;
        gfp_options options = {.memory_cap = 0};
        disk_fail(DISK_FLOCK, 0, rows[i].flock);
        disk_fail(DISK_FCNTL_LOCK, 0, rows[i].fcntl);
        assert_int_equal(gfp_file_resume(&z, RESULT, f.c.field, f.c.len, NULL), GFP_OK);
        assert_int_equal(gfp_dealer_create(&dealer, JOURNAL, NULL), GFP_OK);
        assert_int_equal(gfp_file_get_info(z).locked, rows[i].locked);
        assert_int_equal(gfp_dealer_get_info(dealer).locked, rows[i].locked);
        if (rows[i].locked) {
            expect_in_use(&f);
        } else {
            assert_int_equal(gfp_file_resume(&other, RESULT, f.c.field, f.c.len, NULL), GFP_OK);
            gfp_file_close(other);
        }
        options.dealer = dealer;
        assert_int_equal(gfp_file_mul(z, f.x, f.y, &options), GFP_OK);
        assert_int_equal(gfp_file_commit(z, NULL), GFP_OK);
        gfp_dealer_destroy(dealer);
        gfp_file_close(z);
        expect_result(&f);
        remove_all();
    }
    disk_fail(DISK_FLOCK, 0, 0);
    disk_fail(DISK_FCNTL_LOCK, 0, 0);
    free_factors(&f);
}

static void test_failing_allocations_lose_nothing(void **state)
{
    const lab *l = lab_named("p8");
    gfp_status status = GFP_ERR_MEMORY;
    gfp_poly a;
    (void)state;
    gfp_poly_init(&a, l->field);
    lab_fill(l, &a, 1500, 3);
    lab_store(&a, "x");
    remove_all();
    for (size_t n = 0; status != GFP_OK; n++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        const gfp_options options = {.memory_cap = 300000};
        gfp_field *field = NULL;
        gfp_file *x = NULL;
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        assert_int_equal(gfp_file_open(&x, "x", field, NULL, NULL), GFP_OK);
        m.fail_at = m.calls + n;
        status = multiply_in_steps(x, x, &options, NULL);
        gfp_file_close(x);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
        assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
        assert_in_range(n, 0, 1000);
    }
    gfp_poly_clear(&a);
    remove_all();
}

static void test_the_cap_holds(void **state)
{
    const lab *l = lab_named("p8");
    (void)state;
    for (size_t cap = 200000; cap < 20000000; cap *= 3) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        const gfp_options options = {.memory_cap = cap};
        gfp_field *field = NULL;
        gfp_file *x = NULL;
        gfp_poly a;
        gfp_poly_init(&a, l->field);
        lab_fill(l, &a, 20000, 3);
        lab_store(&a, "x");
        remove_all();
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        assert_int_equal(gfp_file_open(&x, "x", field, NULL, NULL), GFP_OK);
        const size_t before = m.bytes;
        m.peak = before;
        assert_int_equal(multiply_in_steps(x, x, &options, NULL), GFP_OK);
        assert_in_range(m.peak - before, 0, cap + 20000); /* names, tables of a few constants */
        gfp_file_close(x);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
        gfp_poly_clear(&a);
    }
    remove_all();
}

/* The product of the files x and argv[1] in this folder, within the cap argv[2] on argv[3] threads;
 * returns the exit status. */
static int multiply_alone(char **argv)
{
    gfp_file *x = NULL, *y = NULL;
    gfp_error error = {.message = ""};
    const gfp_options options = {.memory_cap = (size_t)strtoull(argv[2], NULL, 10),
                                 .threads = (unsigned)atoi(argv[3]),
                                 .error = &error};
    const bool square = strcmp(argv[1], "x") == 0;
    gfp_status status = gfp_file_open(&x, "x", NULL, NULL, NULL);
    if (status == GFP_OK && !square) {
        status = gfp_file_open(&y, argv[1], gfp_file_get_info(x).field, NULL, NULL);
    }
    status = status == GFP_OK ? multiply_in_steps(x, square ? x : y, &options, NULL) : status;
    if (status != GFP_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    gfp_file_close(y);
    gfp_file_close(x);
    return status == GFP_OK                                        ? 0
           : strstr(error.message, "nothing but its name") != NULL ? UNNAMED
                                                                   : 1;
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        return multiply_alone(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_in_steps_are_right),
        cmocka_unit_test(test_the_plan_is_told),
        cmocka_unit_test(test_killed_it_loses_less_than_a_tenth),
        cmocka_unit_test(test_cancelled_anywhere_it_goes_on),
        cmocka_unit_test(test_cut_products_go_on_from_every_step),
        cmocka_unit_test(test_damaged_journals_are_noticed),
        cmocka_unit_test(test_wrong_parts_are_found),
        cmocka_unit_test(test_what_belongs_to_other_products_is_refused),
        cmocka_unit_test(test_a_part_belongs_to_one_journal),
        cmocka_unit_test(test_a_call_without_a_journal_owns_the_part),
        cmocka_unit_test(test_a_small_field_is_refused),
        cmocka_unit_test(test_arguments_are_checked),
        cmocka_unit_test(test_a_full_disk_is_an_error),
        cmocka_unit_test(test_a_failing_disk_is_an_error),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_failing_allocations_lose_nothing),
        cmocka_unit_test(test_the_cap_holds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
