/* progress.c: progress of all operations over Z: fractions grow and end at 1, work of some
 * length reports some of them, and a call that is cancelled at any of its reports ends with
 * CANCELLED and leaves its output.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gfpoly/zbipoly.h"
#include "gfpoly/zmatrix.h"
#include "gfpoly/zplan.h"
#include "gfpoly/zsystem.h"
#include "lab/fixtures.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "modular/lab.h"
#include "lab/sanitized.h"

enum { A, B, G, SHORT, MODULUS, RESIDUES, OPERANDS };

static meter account; /* of the ring */
static gfp_allocator allocator;
static gfp_zring *ring;
static gfp_zvec operand[OPERANDS];
static gfp_zbipoly plane[2];
static gfp_zmatrix matrix, integers;
static gfp_zsystem solutions;

/* What a gfp_progress heard; it cancels at report number `stop`. */
typedef struct heard {
    size_t reports, between, stop; /* reports: all, those inside (0, 1) with a new fraction */
    double last;
} heard;

static bool progress_record(void *user, double fraction)
{
    heard *h = user;
    assert_true(fraction >= h->last);
    assert_true(fraction <= 1);
    h->between += fraction > h->last && fraction < 1;
    h->last = fraction;
    return ++h->reports != h->stop;
}

/* The results of an operation. */
typedef struct result {
    gfp_zvec z, other, third;
    gfp_zbipoly plane;
    gfp_zsystem system;
    gfp_zboxes boxes;
} result;

typedef gfp_status call(result *r, const gfp_options *options);

static gfp_status progress_product(result *r, const gfp_options *options)
{
    return gfp_zvec_mul(&r->z, &operand[A], &operand[B], options);
}

static gfp_status short_product(result *r, const gfp_options *options)
{
    return gfp_zvec_mul(&r->z, &operand[SHORT], &operand[SHORT], options);
}

static gfp_status progress_divisor(result *r, const gfp_options *options)
{
    return gfp_zvec_gcd(&r->z, &operand[A], &operand[B], options);
}

static gfp_status progress_cofactors(result *r, const gfp_options *options)
{
    return gfp_zvec_gcd_cofactors(&r->z, &r->other, &r->third, &operand[A], &operand[B], options);
}

static gfp_status progress_resultant(result *r, const gfp_options *options)
{
    return gfp_zvec_resultant(&r->z, &operand[A], &operand[G], options);
}

static gfp_status progress_discriminant(result *r, const gfp_options *options)
{
    return gfp_zvec_discriminant(&r->z, &operand[G], options);
}

static gfp_status progress_content(result *r, const gfp_options *options)
{
    return gfp_zvec_content(&r->z, &operand[A], options);
}

static gfp_status composed_sum(result *r, const gfp_options *options)
{
    return gfp_zvec_composed_sum(&r->z, &operand[G], &operand[G], options);
}

static gfp_status composed_product(result *r, const gfp_options *options)
{
    return gfp_zvec_composed_product(&r->z, &operand[G], &operand[G], options);
}

static gfp_status composed_difference(result *r, const gfp_options *options)
{
    return gfp_zvec_composed_difference(&r->z, &operand[G], &operand[G], options);
}

static gfp_status composed_quotient(result *r, const gfp_options *options)
{
    return gfp_zvec_composed_quotient(&r->z, &operand[G], &operand[G], options);
}

static gfp_status progress_reconstruction(result *r, const gfp_options *options)
{
    return gfp_zvec_reconstruct(&r->z, &r->other, &operand[RESIDUES], &operand[MODULUS], NULL, NULL,
                                options);
}

static gfp_status plane_resultant(result *r, const gfp_options *options)
{
    return gfp_zbipoly_resultant_y(&r->z, &plane[0], &plane[1], options);
}

static gfp_status progress_determinant(result *r, const gfp_options *options)
{
    return gfp_zmatrix_determinant(&r->z, &matrix, options);
}

static gfp_status progress_characteristic(result *r, const gfp_options *options)
{
    return gfp_zmatrix_charpoly(&r->plane, &matrix, options);
}

static gfp_status characteristic_integers(result *r, const gfp_options *options)
{
    return gfp_zmatrix_charpoly_integers(&r->z, &integers, options);
}

static gfp_status progress_solution(result *r, const gfp_options *options)
{
    return gfp_zsystem_solve(&r->system, &plane[0], &plane[1], options);
}

static gfp_status progress_boxes(result *r, const gfp_options *options)
{
    return gfp_zsystem_boxes(&r->boxes, &solutions, 100, options);
}

static const struct operation {
    const char *name;
    call *run;
    const char *methods[8];
    size_t between; /* reports that the operands here need at least */
} operations[] = {
    {"product", progress_product, {"words", "big", "mix", "kronecker", "flint", "auto"}, 0},
    {"product of short factors", short_product, {"classical", "short", "words"}, 0},
    {"divisor", progress_divisor, {"words", "big", "mix", "kronecker", "flint", "auto"}, 1},
    {"divisor, cofactors",
     progress_cofactors,
     {"words", "big", "mix", "kronecker", "flint", "auto"},
     1},
    {"resultant", progress_resultant, {"words", "mix", "flint", "auto"}, 1},
    {"discriminant", progress_discriminant, {"words", "flint", "auto"}, 1},
    {"content", progress_content, {"auto"}, 0},
    {"composed sum", composed_sum, {"words"}, 2},
    {"composed product", composed_product, {"words"}, 2},
    {"composed difference", composed_difference, {"words"}, 2},
    {"composed quotient", composed_quotient, {"words"}, 2},
    {"reconstruction", progress_reconstruction, {"auto"}, 1},
    {"bivariate resultant", plane_resultant, {"words"}, 2},
    {"determinant", progress_determinant, {"words"}, 2},
    {"characteristic polynomial", progress_characteristic, {"words"}, 2},
    {"characteristic polynomial of integers", characteristic_integers, {"words"}, 1},
    {"system", progress_solution, {"words"}, 4},
    {"boxes", progress_boxes, {"auto"}, 1},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

/* Whether the method is there: without FLINT its functions are not. */
static bool has_method(const char *method)
{
    return method != NULL && (GFP_HAVE_FLINT || strcmp(method, "flint") != 0);
}

static void init_result(result *r)
{
    static const uint64_t seven[] = {7};
    gfp_zvec_init(&r->z, ring);
    gfp_zvec_init(&r->other, ring);
    gfp_zvec_init(&r->third, ring);
    gfp_zbipoly_init(&r->plane, ring);
    gfp_zsystem_init(&r->system, ring);
    gfp_zboxes_init(&r->boxes, ring);
    assert_int_equal(gfp_zvec_set_limbs(&r->z, seven, 1, 1), GFP_OK);
}

static void clear_result(result *r)
{
    gfp_zvec_clear(&r->z);
    gfp_zvec_clear(&r->other);
    gfp_zvec_clear(&r->third);
    gfp_zbipoly_clear(&r->plane);
    gfp_zsystem_clear(&r->system);
    gfp_zboxes_clear(&r->boxes);
}

static void expect_untouched(const result *r)
{
    assert_int_equal(r->z.len, 1);
    assert_int_equal(r->z.limbs[0], 7);
    assert_int_equal(r->other.len, 0);
    assert_int_equal(r->third.len, 0);
    assert_int_equal(r->plane.len, 0);
    assert_int_equal(r->system.count, 0);
    assert_int_equal(r->boxes.count, 0);
}

/* Cancels at each of the first reports, and at some of the others. */
static void progress_cancel(const struct operation *o, gfp_options options, size_t reports)
{
    gfp_error error;
    options.error = &error;
    for (size_t stop = 1; stop <= reports; stop += 1 + stop / 12) {
        heard h = {.stop = stop};
        const gfp_progress progress = {progress_record, &h};
        result r;
        options.progress = &progress;
        init_result(&r);
        const gfp_status status = o->run(&r, &options);
        if (status != GFP_ERR_CANCELLED || error.status != GFP_ERR_CANCELLED) {
            fail_msg("%s, stopped at report %zu of %zu: %s", o->name, stop, reports,
                     gfp_status_string(status));
        }
        assert_int_equal(h.reports, stop);
        expect_untouched(&r);
        clear_result(&r);
    }
}

static void progress_watch(const struct operation *o, const char *method, gfp_verify verify,
                           unsigned threads)
{
    heard h = {.stop = 0};
    const gfp_progress progress = {progress_record, &h};
    gfp_options options = {
        .method = method, .verify = verify, .progress = &progress, .threads = threads};
    options.verify_seed = 20;
    result r;
    init_result(&r);
    const gfp_status status = o->run(&r, &options);
    if (status != GFP_OK) {
        fail_msg("%s by %s, check %d: %s", o->name, method, (int)verify, gfp_status_string(status));
    }
    clear_result(&r);
    if (h.last != 1 || h.between < o->between) {
        fail_msg("%s by %s, check %d, %u threads: ends at %g, %zu reports between 0 and 1", o->name,
                 method, (int)verify, threads, h.last, h.between);
    }
    if (threads == 1) {
        progress_cancel(o, options, h.reports);
    }
}

/* ---- time between reports ---- */

/* A host that measures in CPU time, and cancels after `limit` seconds. */
typedef struct watch_of_time {
    double start, last, gap, limit;
} watch_of_time;

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool measure_gap(void *user, double fraction)
{
    watch_of_time *w = user;
    const double now = cpu_seconds();
    (void)fraction;
    w->gap = now - w->last > w->gap ? now - w->last : w->gap;
    w->last = now;
    return now - w->start < w->limit;
}

static void make_long(gfp_zvec *z, size_t len, size_t width, gfp_random *g)
{
    uint64_t *limbs = calloc(len * width, sizeof *limbs);
    assert_non_null(limbs);
    for (size_t i = 0; i < len * width; i++) {
        limbs[i] = gfp_random_u64(g) >> (i % width == width - 1 ? 1 : 0);
    }
    gfp_zvec_init(z, ring);
    assert_int_equal(gfp_zvec_set_limbs(z, limbs, len, width), GFP_OK);
    free(limbs);
}

/* Setups of long resultants; integers that GMP would multiply in one piece: long ones, a long and a
 * short one. Reports come in short intervals from the start on, and the answer no is obeyed then.
 * Portable kernels take longer than GMP, which multiplies long integers there. */
static const struct {
    call *run;
    size_t len_a, width_a, len_b, width_b;
    double limit; /* the call is cancelled after these seconds; 0: never */
    bool kernels; /* of a level above the portable one */
    const char *method;
    gfp_verify verify;
} long_calls[] = {
    {progress_product, 1, 1500000, 1, 1400000, 0, true, NULL, GFP_VERIFY_NONE},
    {progress_product, 1, 1500000, 1, 1400000, 0, true, NULL, GFP_VERIFY_POINT},
    {progress_product, 1, 4000000, 1, 3000, 0, false, NULL, GFP_VERIFY_POINT},
    {progress_product, 1, 2500000, 1, 60000, 0, false, NULL, GFP_VERIFY_NONE},
    {progress_product, 2, 1500000, 3, 20000, 0, false, "classical", GFP_VERIFY_POINT},
    {progress_resultant, 2000, 30, 1900, 30, 1, false, NULL, GFP_VERIFY_NONE},
};

static void long_calls_report_soon(void **state)
{
    gfp_random g;
    result r;
    (void)state;
    if (EMULATED) {
        skip(); /* its times are the emulator's */
    }
    gfp_random_seed(&g, 32);
    assert_int_equal(gfp_zring_create(&ring, NULL, NULL), GFP_OK);
    for (size_t i = 0; LAB_ROW(long_calls, i); i++) {
        const double limit = long_calls[i].limit;
        watch_of_time w = {.limit = limit > 0 ? limit : 1e9};
        const gfp_progress progress = {measure_gap, &w};
        gfp_report report = {.points = 0};
        const gfp_options options = {.method = long_calls[i].method,
                                     .verify = long_calls[i].verify,
                                     .progress = &progress,
                                     .report = &report};
        if (long_calls[i].kernels && gfp_cpu_level_get() == GFP_LEVEL_PORTABLE) {
            continue;
        }
        make_long(&operand[A], long_calls[i].len_a, long_calls[i].width_a, &g);
        make_long(&operand[B], long_calls[i].len_b, long_calls[i].width_b, &g);
        gfp_zvec_init(&operand[G], ring); /* resultants read it */
        assert_int_equal(gfp_zvec_set(&operand[G], &operand[B]), GFP_OK);
        init_result(&r);
        w.start = w.last = cpu_seconds();
        const gfp_status status = long_calls[i].run(&r, &options);
        const double end = cpu_seconds(), total = end - w.start;
        assert_int_equal(status, limit > 0 ? GFP_ERR_CANCELLED : GFP_OK);
        assert_int_equal(report.verified, limit > 0 ? GFP_VERIFY_NONE : long_calls[i].verify);
        w.gap = end - w.last > w.gap ? end - w.last : w.gap;
        if (w.gap > 0.3 && w.gap > 0.35 * total) {
            fail_msg("call %zu: %.2f s without a report, of %.2f", i, w.gap, total);
        }
        clear_result(&r);
        for (size_t j = A; j <= G; j++) {
            gfp_zvec_clear(&operand[j]);
        }
    }
    gfp_zring_destroy(ring);
}

/* ---- operands ---- */

static void make_polynomials(size_t scale, gfp_random *g)
{
    zlab common = zlab_random(16 * scale, 300, 1, g), a = zlab_random(25 * scale, 250, 1, g);
    zlab b = zlab_random(25 * scale, 250, 1, g), other = zlab_random(14, 200, 1, g);
    zlab few = zlab_random(14, 60, 1, g);
    zlab of_a = zlab_product(common, a), of_b = zlab_product(common, b);
    zlab_set(&operand[A], of_a);
    zlab_set(&operand[B], of_b);
    zlab_set(&operand[G], other);
    zlab_set(&operand[SHORT], few);
    zlab *const all[] = {&common, &a, &b, &other, &few, &of_a, &of_b};
    for (size_t i = 0; i < 7; i++) {
        zlab_free(all[i]);
    }
}

/* Residues of fractions i / (i + 1) modulo a prime, 2^607 - 1. */
static void make_residues(void)
{
    zlab m = zlab_new(1), a = zlab_new(40);
    mpz_ui_pow_ui(m.c[0], 2, 607);
    mpz_sub_ui(m.c[0], m.c[0], 1);
    for (size_t i = 0; i < a.len; i++) {
        mpz_set_ui(a.c[i], i + 1);
        assert_true(mpz_invert(a.c[i], a.c[i], m.c[0]) != 0);
        mpz_mul_ui(a.c[i], a.c[i], i + 2);
        mpz_mod(a.c[i], a.c[i], m.c[0]);
    }
    zlab_set(&operand[MODULUS], m);
    zlab_set(&operand[RESIDUES], a);
    zlab_free(&m);
    zlab_free(&a);
}

static void make_planes(gfp_random *g)
{
    for (size_t i = 0; i < 2; i++) {
        gfp_zbipoly_init(&plane[i], ring);
        for (size_t j = 0; j <= 8; j++) {
            gfp_zvec row;
            zlab of = zlab_random(9 - j, 40, 1, g);
            gfp_zvec_init(&row, ring);
            zlab_set(&row, of);
            assert_int_equal(gfp_zbipoly_set_coeff(&plane[i], j, &row), GFP_OK);
            gfp_zvec_clear(&row);
            zlab_free(&of);
        }
    }
}

/* Polynomials of so many terms. */
static void make_matrix(gfp_zmatrix *m, size_t n, size_t terms, gfp_random *g)
{
    gfp_zmatrix_init(m, ring);
    assert_int_equal(gfp_zmatrix_set_zero(m, n), GFP_OK);
    for (size_t i = 0; i < n * n; i++) {
        gfp_zvec entry;
        zlab of = zlab_random(terms, 60, 1, g);
        gfp_zvec_init(&entry, ring);
        zlab_set(&entry, of);
        assert_int_equal(gfp_zmatrix_set_entry(m, i / n, i % n, &entry), GFP_OK);
        gfp_zvec_clear(&entry);
        zlab_free(&of);
    }
}

/* A new ring, and its operands. */
static void open_ring(size_t scale)
{
    gfp_random g;
    gfp_random_seed(&g, 1120);
    account = (meter){.fail_at = SIZE_MAX};
    allocator = meter_hook(&account);
    assert_int_equal(gfp_zring_create(&ring, &allocator, NULL), GFP_OK);
    for (size_t i = 0; i < OPERANDS; i++) {
        gfp_zvec_init(&operand[i], ring);
    }
    make_polynomials(scale, &g);
    make_residues();
    make_planes(&g);
    make_matrix(&matrix, 12, 4, &g);
    make_matrix(&integers, 24, 1, &g);
    gfp_zsystem_init(&solutions, ring);
}

static void close_ring(void)
{
    for (size_t i = 0; i < OPERANDS; i++) {
        gfp_zvec_clear(&operand[i]);
    }
    gfp_zbipoly_clear(&plane[0]);
    gfp_zbipoly_clear(&plane[1]);
    gfp_zmatrix_clear(&matrix);
    gfp_zmatrix_clear(&integers);
    gfp_zsystem_clear(&solutions);
    gfp_zring_destroy(ring);
    meter_expect_empty(&account);
}

/* ---- calls after calls that were cancelled ---- */

static uint64_t progress_mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0x9e3779b97f4a7c15 ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const gfp_zvec *a)
{
    char *text;
    size_t size;
    assert_int_equal(gfp_zvec_to_string(a, &text, &size), GFP_OK);
    for (size_t i = 0; i < size; i++) {
        h = progress_mix(h, (unsigned char)text[i]);
    }
    gfp_zvec_string_free(ring, text, size);
    return h;
}

/* A number that depends on all of the result. */
static uint64_t progress_digest(const result *r)
{
    uint64_t h = mix_text(mix_text(mix_text(1, &r->z), &r->other), &r->third);
    for (size_t i = 0; i < r->plane.len; i++) {
        h = mix_text(h, &r->plane.coeff[i]);
    }
    for (size_t i = 0; i < r->system.count; i++) {
        const gfp_zsystem_part *part = &r->system.part[i];
        h = mix_text(mix_text(progress_mix(h, part->multiplicity), &part->f), &part->x);
        h = mix_text(mix_text(h, &part->y), &part->q);
    }
    return mix_text(progress_mix(h, r->boxes.count), &r->boxes.bounds);
}

/* One run of an operation over a new or a used ring. */
typedef struct every_stop {
    const struct operation *o;
    gfp_options options;
    uint64_t right; /* the digest of the result; 0: not known yet */
    size_t reports;
} every_stop;

static void progress_complete(every_stop *w)
{
    heard h = {.stop = 0};
    const gfp_progress progress = {progress_record, &h};
    gfp_error error;
    gfp_options options = w->options;
    result r;
    options.progress = &progress;
    options.error = &error;
    init_result(&r);
    lab_expect_status(w->o->run(&r, &options), GFP_OK, &error, w->o->name);
    const uint64_t found = progress_digest(&r);
    clear_result(&r);
    if (w->right != 0 && found != w->right) {
        fail_msg("%s by %s: another result after a call that was cancelled", w->o->name,
                 options.method);
    }
    w->right = found;
    w->reports = h.reports;
}

/* Stops at a report; a call that makes tables, or has several threads, may end before. */
static void stop_at(const every_stop *w, size_t stop, bool used)
{
    heard h = {.stop = stop};
    const gfp_progress progress = {progress_record, &h};
    gfp_options options = w->options;
    result r;
    options.progress = &progress;
    init_result(&r);
    const size_t bytes = account.bytes;
    const gfp_status status = w->o->run(&r, &options);
    if (status == GFP_OK && h.reports < stop && (!used || options.threads > 1)) {
        assert_true(progress_digest(&r) == w->right);
    } else {
        expect_untouched(&r);
        if (status != GFP_ERR_CANCELLED || h.reports != stop || (used && account.bytes != bytes)) {
            fail_msg("%s by %s, stopped at report %zu of %zu: %s, %zu bytes after %zu", w->o->name,
                     options.method, stop, w->reports, gfp_status_string(status), account.bytes,
                     bytes);
        }
    }
    clear_result(&r);
}

static void solve_for_boxes(void)
{
    assert_int_equal(gfp_zsystem_solve(&solutions, &plane[0], &plane[1], NULL), GFP_OK);
}

static void stop_everywhere(const struct operation *o, const char *method, size_t scale,
                            gfp_random *g)
{
    every_stop w = {.o = o, .options = {.method = method, .verify_seed = 20}};
    w.options.threads = 1 + (unsigned)(scale > 1);
    w.options.verify = (gfp_verify)(gfp_random_u64(g) % 3);
    open_ring(scale);
    if (o->run == progress_boxes) {
        solve_for_boxes();
    }
    progress_complete(&w);
    progress_complete(&w);
    const size_t reports = w.reports;
    close_ring();
    for (size_t i = 0; i < 3; i++) {
        const size_t stop = i == 0 ? 1 : i == 1 ? reports : 1 + gfp_random_u64(g) % reports;
        open_ring(scale);
        if (o->run == progress_boxes) {
            solve_for_boxes();
        }
        stop_at(&w, stop, false);
        progress_complete(&w);
        progress_complete(&w);
        stop_at(&w, stop, true);
        progress_complete(&w);
        close_ring();
    }
}

/* Over a new ring and over one where the call has run, at the first, the last and random reports:
 * the next call has the right result, and the memory account is as before. */
static void calls_after_cancelled_calls(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 14);
    for (size_t i = 0; i < OPERATIONS; i++) {
        const struct operation *o = &operations[i];
        for (size_t j = 0; has_method(o->methods[j]); j++) {
            stop_everywhere(o, o->methods[j], 1, &g);
            if (j == 0) {
                stop_everywhere(o, o->methods[j], 3, &g);
            }
        }
    }
}

static void all_operations(void **state)
{
    (void)state;
    open_ring(1);
    solve_for_boxes();
    for (size_t i = 0; i < OPERATIONS; i++) {
        const struct operation *o = &operations[i];
        for (size_t j = 0; has_method(o->methods[j]); j++) {
            for (gfp_verify verify = GFP_VERIFY_NONE; verify <= GFP_VERIFY_CROSS; verify++) {
                progress_watch(o, o->methods[j], verify, 1);
                progress_watch(o, o->methods[j], verify, 2);
            }
        }
    }
    close_ring();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_operations),
                                       cmocka_unit_test(calls_after_cancelled_calls),
                                       cmocka_unit_test(long_calls_report_soon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
