/* bench/gpu/main.c: gfpoly_gpu_bench: times of transforms and products on a CUDA device, as
 * Markdown tables: transforms over Z/pZ (with goals, an earlier prototype and other libraries on
 * the same kind of device), vectors, and the parts of the other files here; gfpoly_papers has the
 * papers' forms and their rival. All results are compared with the CPU's before they are timed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bench/markdown.h"
#include "bench/gpu/bench.h"
#include "bench/options.h"
#include "gpu/arrays.h"

#define SKIPPED 77

void cell(double x)
{
    if (x > 0) {
        markdown_cell(stdout, "%.4g", x);
    } else {
        markdown_cell(stdout, "–");
    }
}

/* ---- transforms over Z/pZ ---- */

/* Goals, and earlier times on one H200, in milliseconds (0: none): of a prototype, and of another
 * library or the papers' code on integers of as many bits. */
typedef struct dft_row {
    const char *field;
    unsigned log2_n;
    size_t batch;
    double goal, prototype, peer;
    const char *peer_name;
} dft_row;

static const dft_row dft_rows[] = {
    {"p4", 16, 1, 0.014, 0.020, 0.020, "sppark"},
    {"p4", 20, 1, 0.135, 0.170, 0.257, "sppark"},
    {"p4", 24, 1, 2.35, 2.60, 4.42, "sppark"},
    {"p4", 8, 4096, 0.15, 0, 0.28, "ICICLE"},
    {"p8", 12, 1, 0, 0, 0.31, "papers' code"},
    {"p8", 16, 1, 0.016, 0.023, 2.10, "papers' code"},
    {"p8", 20, 1, 0.235, 0.268, 54.5, "papers' code"},
    {"p8", 24, 1, 4.6, 4.89, 0, ""},
    {"p16", 10, 1, 0, 0, 0.27, "papers' code"},
    {"p16", 16, 1, 0.042, 0.054, 0, ""},
    {"p16", 20, 1, 0.65, 0.83, 70.2, "papers' code"},
};

static bool dft_times(dft_job *w, times t[4])
{
    for (int i = 0; i < 4; i++) {
        w->order = i % 2 == 0 ? GFP_ORDER_PERMUTED : GFP_ORDER_NATURAL;
        w->inverse = i / 2 != 0;
        if (!time_body(w->b, run_dft, w, &t[i], gfp_field_name(w->field))) {
            return false;
        }
    }
    return true;
}

bool wanted(const bench *b, const char *field, size_t words)
{
    return (b->only == NULL || strcmp(b->only, field) == 0) &&
           (!b->quick || words <= (size_t)1 << 18);
}

static void print_dft_row(bench *b, const dft_row *row)
{
    const size_t n = (size_t)1 << row->log2_n;
    const dft_options options = {.batch = row->batch};
    dft_job w;
    times t[4];
    bool absent;
    if (!wanted(b, row->field, n * row->batch * 4)) {
        return;
    }
    if (dft_open(&w, b, row->field, n, &options, &absent) && dft_check(&w) && dft_times(&w, t)) {
        printf("| %s | %zu × 2^%u | %s |", row->field, row->batch, row->log2_n, dft_name(&w));
        cell(t[0].graph_ms);
        cell(row->goal);
        cell(row->prototype);
        cell(row->peer);
        printf(" %s |", row->peer_name);
        cell(t[0].single_ms);
        cell(t[2].graph_ms / t[0].graph_ms);
        cell(t[1].graph_ms / t[0].graph_ms);
        cell(t[3].graph_ms / t[0].graph_ms);
        /* At least every byte is read once and written once. */
        cell(2 * 8e-6 * (double)w.words / t[0].graph_ms);
        cell((double)gfp_gpu_fft_plan_bytes(w.plan) / 1048576);
        printf("\n");
        (void)fflush(stdout);
    }
    dft_close(&w);
}

static void bench_dft_rows(bench *b)
{
    printf("\n## Forward DFT over Z/pZ, permuted order, ms\n\n");
    markdown_head(
        stdout, 0,
        "field | batch × N | form | ms | goal | prototype | peer | | one call | inverse / forward "
        "| natural / permuted | inverse natural / forward permuted | GB/s | plan MiB");
    for (size_t i = 0; i < COUNT(dft_rows); i++) {
        print_dft_row(b, &dft_rows[i]);
    }
}

/* Milliseconds of the forward transform in permuted order by a form, in a graph; 0 if the form
 * cannot serve. check: compares with the CPU first. *name and *mib := the form's name and the
 * plan's MiB. */
static double forward_ms(bench *b, const char *field, size_t n, const dft_options *form, bool check,
                         const char **name, double *mib)
{
    dft_job w;
    times t = {0};
    bool absent;
    bool ok = dft_open(&w, b, field, n, form, &absent) && (!check || dft_check(&w));
    if (ok) {
        w.order = GFP_ORDER_PERMUTED;
        w.inverse = false;
        *name = dft_name(&w);
        *mib = (double)gfp_gpu_fft_plan_bytes(w.plan) / 1048576;
        ok = time_body(b, run_dft, &w, &t, field);
    }
    dft_close(&w);
    return ok ? t.graph_ms : 0;
}

/* Every named field with N k = 2^23 (2^18 with --quick); goals are ratios to p16's time. */
static void bench_all_fields(bench *b)
{
    static const struct {
        unsigned k;
        double goal;
    } goals[] = {{32, 1.5}, {64, 2.2}, {128, 3.5}};
    const size_t total = (size_t)1 << (b->quick ? 18 : 23);
    const dft_options fast = {.form = DFT_AUTO};
    const dft_options slow = {.form = DFT_REFERENCE};
    const char *form = "";
    const char *ignored;
    double mib = 0;
    double slow_mib;
    printf("\n## Every named field, N k = 2^%u, forward permuted\n\n", log2_of(total));
    markdown_head(
        stdout, 0,
        "field | N | form | ms | ns / (N k) | / p16 | goal | reference form, ms | plan MiB");
    const double base = forward_ms(b, "p16", total / 16, &fast, false, &ignored, &mib);
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *prime = gfp_named_prime_get(i);
        const size_t n = total / prime->k;
        double goal = 0;
        if (b->only != NULL && strcmp(b->only, prime->name) != 0) {
            continue;
        }
        const double ms = forward_ms(b, prime->name, n, &fast, true, &form, &mib);
        const double slow_ms = forward_ms(b, prime->name, n, &slow, false, &ignored, &slow_mib);
        for (size_t j = 0; j < COUNT(goals); j++) {
            goal = goals[j].k == prime->k ? goals[j].goal : goal;
        }
        printf("| %s | 2^%u | %s |", prime->name, log2_of(n), form);
        cell(ms);
        cell(ms * 1e6 / (double)total);
        cell(base > 0 ? ms / base : 0);
        cell(goal);
        cell(slow_ms);
        cell(mib);
        printf("\n");
        (void)fflush(stdout);
    }
}

/* Fields without a name next to the named field with their k; goals are ratios of times: 1.1 for r
 * = 2^w +- 2^u, u >= 32, else 1.5. */
static void bench_unnamed_fields(bench *b)
{
    static const struct {
        const char *field, *named;
        unsigned k;
        double goal;
    } rows[] = {
        {"(2^62+2^32)^2+1", "p2", 2, 1.1},
        {"(2^60+2^51)^2+1", "p2", 2, 1.1},
        {"(2^34+2^32)^2+1", "p2", 2, 1.1},
        {"(2^64-281475028090880)^2+1", "p2", 2, 1.5},
        {"(2^33+2^14)^2+1", "p2", 2, 1.5},
        {"(2^63-2^36)^4+1", "p4", 4, 1.1},
        {"(2^58+2^55)^4+1", "p4", 4, 1.1},
        {"(2^45+2^35)^4+1", "p4", 4, 1.1},
        {"m4", "p4", 4, 1.5},
        {"(2^64-281474978021376)^4+1", "p4", 4, 1.5},
        {"(2^33+2^16)^4+1", "p4", 4, 1.5},
        {"(2^61+2^41)^8+1", "p8", 8, 1.1},
        {"(2^60+2^36)^8+1", "p8", 8, 1.1},
        {"(2^43-2^36)^8+1", "p8", 8, 1.1},
        {"9223364477712334848^8+1", "p8", 8, 1.5},
        {"(2^64-281474985885696)^8+1", "p8", 8, 1.5},
        {"(2^53+2^50)^16+1", "p16", 16, 1.1},
        {"(2^52+2^34)^16+1", "p16", 16, 1.1},
        {"(2^63-18153472)^16+1", "p16", 16, 1.5},
        {"(2^34+2^13)^8+1", "p8", 8, 1.5},
        {"(2^33+2^19)^16+1", "p16", 16, 1.5},
        {"m32", "p32", 32, 1.5},
        {"(2^38-2^33)^32+1", "p32", 32, 1.1},
        {"(2^49+2^29)^32+1", "p32", 32, 1.5},
        {"(2^53-2^24)^32+1", "p32", 32, 1.5},
        {"(2^47+2^32)^64+1", "p64", 64, 1.1},
        {"(2^33+2^19)^64+1", "p64", 64, 1.5},
        {"(2^52-2^24)^64+1", "p64", 64, 1.5},
        {"152116404224^128+1", "p128", 128, 1.5},
        {"(2^55-2^24)^128+1", "p128", 128, 1.5},
    };
    const size_t total = (size_t)1 << (b->quick ? 18 : 23);
    const dft_options fast = {.form = DFT_AUTO};
    const char *form = "";
    double mib = 0;
    printf("\n## Fields without a name, N k = 2^%u, forward permuted\n\n", log2_of(total));
    markdown_head(stdout, 0, "field | N | form | ms | ns / (N k) | / the named field | goal");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t n = total / rows[i].k;
        if (b->only != NULL && strcmp(b->only, rows[i].named) != 0) {
            continue;
        }
        const double base = forward_ms(b, rows[i].named, n, &fast, false, &form, &mib);
        const double ms = forward_ms(b, rows[i].field, n, &fast, true, &form, &mib);
        printf("| %s | 2^%u | %s |", rows[i].field, log2_of(n), form);
        cell(ms);
        cell(ms * 1e6 / (double)total);
        cell(base > 0 ? ms / base : 0);
        cell(rows[i].goal);
        printf("\n");
        (void)fflush(stdout);
    }
}

/* ---- arrays of elements ---- */

typedef enum vec_operation { VEC_SUM, VEC_PRODUCT, VEC_SCALE, VEC_OPERATIONS } vec_operation;

/* z := x + z, x z, or x x_0. */
typedef struct vec_job {
    const gfp_field *field;
    gfp_gpu_array *x, *z;
    const uint64_t *digits; /* of x */
    size_t n;
    vec_operation operation;
} vec_job;

static gfp_status run_vec(void *context)
{
    vec_job *w = context;
    switch (w->operation) {
    case VEC_SUM:
        return gfp_gpu_vec_add(w->field, w->z, w->x, w->z, w->n);
    case VEC_PRODUCT:
        return gfp_gpu_vec_mul(w->field, w->z, w->x, w->z, w->n);
    default:
        return gfp_gpu_vec_scale(w->field, w->z, w->x, w->digits, w->n);
    }
}

/* Runs once with z = x, and compares every `step`th result with the CPU's; `result` has room for
 * all. */
static bool vec_right(bench *b, vec_job *w, uint64_t *result)
{
    const size_t k = gfp_field_k(w->field), step = w->n / 4099 + 1;
    const char *name = gfp_field_name(w->field);
    if (!succeeds(b, gfp_gpu_set(w->z, w->x, w->n * k, NULL), name) ||
        !succeeds(b, run_vec(w), name) ||
        !succeeds(b, gfp_gpu_download(result, w->z, 0, w->n * k, NULL), name)) {
        return false;
    }
    for (size_t i = 0; i < w->n; i += step) {
        const uint64_t *x = w->digits + i * k;
        uint64_t expected[GFP_MAX_K];
        if (w->operation == VEC_SUM) {
            gfp_elem_add(w->field, expected, x, x);
        } else {
            gfp_elem_mul(w->field, expected, x, w->operation == VEC_SCALE ? w->digits : x);
        }
        if (!gfp_elem_equal(w->field, expected, result + i * k)) {
            return fails(b, "%s: element %zu of operation %d is wrong", name, i, w->operation);
        }
    }
    return true;
}

static void print_vectors(bench *b, const char *name, size_t n)
{
    const dft_options options = {0};
    dft_job w;
    times t[VEC_OPERATIONS] = {0};
    bool absent;
    bool ok = dft_open(&w, b, name, n, &options, &absent);
    for (int i = 0; ok && i < VEC_OPERATIONS; i++) {
        vec_job v = {w.field, w.x, w.y, w.digits, n, (vec_operation)i};
        ok = vec_right(b, &v, w.result) && time_body(b, run_vec, &v, &t[i], name);
    }
    if (ok) {
        printf("| %s |", name);
        cell((double)n / t[VEC_SUM].graph_ms * 1e-6);
        cell(3 * 8 * (double)w.words / t[VEC_SUM].graph_ms * 1e-6);
        cell((double)n / t[VEC_PRODUCT].graph_ms * 1e-6);
        cell((double)n / t[VEC_SCALE].graph_ms * 1e-6);
        printf("\n");
        (void)fflush(stdout);
    }
    dft_close(&w);
}

static void bench_vectors(bench *b)
{
    printf("\n## Arrays of elements in device memory, G elements/s\n\n");
    markdown_head(stdout, 0, "field | sums | GB/s | general products | products by one element");
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *prime = gfp_named_prime_get(i);
        if (b->only == NULL || strcmp(b->only, prime->name) == 0) {
            print_vectors(b, prime->name, ((size_t)1 << (b->quick ? 16 : 23)) / prime->k);
        }
    }
}

/* ---- the program ---- */

static const struct {
    const char *name;
    void (*run)(bench *b);
} parts[] = {{"dft", bench_dft_rows},
             {"fields", bench_all_fields},
             {"unnamed", bench_unnamed_fields},
             {"vectors", bench_vectors},
             {"products", bench_products},
             {"toolkit", bench_toolkit},
             {"gcds", bench_gcds},
             {"modulus", bench_modulus},
             {"dealt", bench_dealt},
             {"dealt_host", bench_dealt_host}};

typedef struct choice {
    const char *field, *part, *points;
    bool quick;
} choice;

static const option_row rows[] = {
    {ROW(choice, field, OPTION_TEXT, "field", "FIELD",
         "Only this named field's rows (default: all)"),
     .letter = 'f'},
    {ROW(choice, quick, OPTION_FLAG, "quick", NULL, "Short transforms only"), .letter = 'q'},
    {ROW(choice, part, OPTION_CHOICE, "part",
         "dft|fields|unnamed|vectors|products|toolkit|gcds|modulus|dealt|dealt_host",
         "Only this part (default: all of them)"),
     .letter = 'p'},
    {ROW(choice, points, OPTION_TEXT, "points", "NAME",
         "Only the part dealt, as lines for `gfpoly scale --points'; NAME: of the machine")},
};

static const char documentation[] =
    "Times transforms and products on the first CUDA device and prints Markdown tables.\v"
    "Data lie on the device; times are medians of 21 by CUDA events, of several runs in one CUDA "
    "graph except in columns named \"one call\". All results are compared with the CPU's before "
    "they are timed; results of more than 2^23 digits only in 200 coefficients at either end. "
    "Goals, prototype and peers were measured on one H200. Exit status: 0, 1 after a failure, 2 "
    "after a mistake in usage, 77 without a device.";

static bool print_preamble(bench *b)
{
    struct machine machine;
    gfp_gpu_info info;
    if (b->points != NULL) {
        describe_machine(&machine);
        write_machine(stdout, &machine, "# ");
        return true;
    }
    if (!succeeds(b, gfp_gpu_get_info(&info, b->gpu, NULL), "device")) {
        return false;
    }
    printf(
        "# gfpoly %s on %s\n\n"
        "Compute capability %u.%u, %u multiprocessors, at most %u MHz, memory %u MHz, %.1f GiB, "
        "L2 %.0f MiB; driver for CUDA %u.%u, built with %u.%u. Medians of %d, CUDA events, data "
        "on the device. Goals, and times of prototypes and of other libraries, are constants from "
        "earlier measurements on one H200.\n",
        gfp_version(), info.name, info.capability_major, info.capability_minor,
        info.multiprocessors, info.clock_khz / 1000, info.memory_clock_khz / 1000,
        (double)info.memory_total / 1073741824, (double)info.l2_bytes / 1048576,
        info.driver_version / 1000, info.driver_version % 1000 / 10, info.runtime_version / 1000,
        info.runtime_version % 1000 / 10, SAMPLES);
    describe_machine(&machine);
    putchar('\n');
    write_machine(stdout, &machine, "- ");
    return true;
}

int main(int argc, char **argv)
{
    choice c = {.part = NULL};
    const program p = {.name = "gfpoly_gpu_bench",
                       .documentation = documentation,
                       .rows = rows,
                       .count = COUNT(rows),
                       .into = &c};
    gfp_error error = {.message = ""};
    parse_options(&p, argc, argv);
    bench b = {.only = c.field, .quick = c.quick, .points = c.points};
    c.part = c.points != NULL ? "dealt" : c.part;
    if (!check_build()) {
        return 1;
    }
    gfp_status status = gfp_gpu_create(&b.gpu, NULL, &(gfp_options){.error = &error});
    if (status != GFP_OK) {
        (void)complain("no GPU: %s", error.message);
        return status == GFP_ERR_UNAVAILABLE ? SKIPPED : 1;
    }
    if (succeeds(&b, gfp_gpu_timer_create(&b.timer, b.gpu), "timer") && print_preamble(&b)) {
        for (size_t i = 0; i < COUNT(parts); i++) {
            if (c.part == NULL || strcmp(c.part, parts[i].name) == 0) {
                parts[i].run(&b);
            }
        }
    }
    gfp_gpu_timer_destroy(b.timer);
    gfp_gpu_destroy(b.gpu);
    return b.failed ? 1 : 0;
}
