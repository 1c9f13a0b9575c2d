/* bench/regret/main.c: gfpoly_regret: the cost of the chooser's picks: the pick's time divided by
 * the best method's, on random problems over Z/p, for picks by the built-in costs and by a tuning,
 * with --resident also for factors in a device's memory; or over Z.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "bench/modular/inputs.h"
#include "bench/options.h"
#include "bench/regret/regret.h"

static void check_operation(struct argp_state *state, void *into, const char *name)
{
    zoperation ignored;
    if (!find_operation(&ignored, name)) {
        argp_error(state, "'%s' is none of mul, gcd, resultant", name);
    }
    ((options *)into)->operation = name;
}

static void check_far(struct argp_state *state, void *into, const char *text)
{
    char *end;
    options *o = into;
    o->far = strtod(text, &end);
    if (end == text || *end != '\0' || !(o->far >= 1)) {
        argp_error(state, "'%s' is not a number from 1 on", text);
    }
}

static const option_row rows[] = {
    {ROW(options, over_z, OPTION_FLAG, "over-z", NULL,
         "Products, gcds and resultants over Z, by their strategies, on one thread")},
    {ROW(options, s.fields, OPTION_FIELD, "field", "FIELD",
         "A field; may be repeated (default: all named fields and two with small radices)"),
     .letter = 'f', .count_place = offsetof(options, s.field_count)},
    {.name = "operation",
     .argument = "mul|gcd|resultant",
     .help = "With --over-z: only this one (default: in turn)",
     .kind = OPTION_TAKEN,
     .take = check_operation},
    {ROW(options, count, OPTION_SIZE, "count", "N", "Problems (default: 400)"), .least = 1,
     .most = 1000000},
    {ROW(options, only, OPTION_SIZE, "only", "N", "Measure problem N alone, the others are drawn"),
     .least = 1, .most = 1000000},
    {ROW(options, s.seed, OPTION_NUMBER, "seed", "N", "Seed of problems and factors (default: 1)"),
     .least = 1, .most = UINT64_MAX},
    {ROW(options, s.seconds, OPTION_SECONDS, "seconds", "S",
         "Time to spend on one problem (default: 0.1)")},
    {ROW(options, budget, OPTION_SECONDS, "budget", "S", "Begin no problem after S seconds")},
    {ROW(options, longest, OPTION_SECONDS, "longest", "S",
         "Only problems over fields estimated below S seconds (default: 0.02)")},
    {ROW(options, max_len, OPTION_SIZE, "max-len", "N",
         "At most N coefficients of a factor over a field (default: 65536)"),
     .least = 1, .most = (uint64_t)1 << 30},
    {ROW(options, threads, OPTION_COUNT, "threads", "T",
         "Half of the problems over fields on T threads (default: 2)"),
     .least = 1, .most = GFP_MAX_THREADS},
    {.name = "far",
     .argument = "X",
     .help = "Leave out methods estimated at X times the least estimate (default: 4); over Z "
             "those whose first calls take X times the least time (default: 20)",
     .kind = OPTION_TAKEN,
     .take = check_far},
    {ROW(options, tuning_path, OPTION_TEXT, "tuning", "FILE",
         "Also measure the picks by this tuning")},
    {ROW(options, resident, OPTION_FLAG, "resident", NULL,
         "Half of the problems with factors on the GPU")},
    {ROW(options, all, OPTION_FLAG, "all", NULL,
         "List every problem, with all times and the estimates divided by them, not the ten worst "
         "picks")},
    {ROW(options, output, OPTION_TEXT, "output", "FILE",
         "Write the report to FILE (default: standard output)"),
     .letter = 'o'},
};

static void complete_options(struct argp_state *state, void *into)
{
    options *o = into;
    if (o->over_z &&
        (o->tuning_path != NULL || o->resident || o->s.field_count > 0 || o->threads != 2)) {
        argp_error(state, "--over-z takes no field, threads, tuning or --resident");
    }
    if (!o->over_z && o->operation != NULL) {
        argp_error(state, "--operation is for --over-z");
    }
    if (o->only > o->count) {
        argp_error(state, "--only %zu exceeds --count %zu", o->only, o->count);
    }
    if (!(o->far >= 1)) {
        o->far = o->over_z ? 20 : 4;
    }
}

static const char documentation[] =
    "Measures the cost of the chooser's picks. On random problems it measures every method that "
    "could be the best, and divides the pick's time by the least one. Operations: product, "
    "square, low product, product by an operand; with --over-z products, gcds and resultants, "
    "where the time of the pick is that of the call that chooses.\vExit status: 0, 1 after a "
    "failure, 2 after a mistake in usage.";

/* Radices below 2^32 have kernels of their own. */
static const char *const small_radices[] = {"165685816^8+1", "30^32+1"};

/* Exit codes. */
static int open_fields(bench *b)
{
    settings *s = &b->o.s;

    if (s->field_count == 0 && !b->o.over_z) {
        for (size_t i = 0; i < gfp_named_prime_count(); i++) {
            s->fields[s->field_count++] = gfp_named_prime_get(i)->name;
        }
        for (size_t i = 0; i < sizeof(small_radices) / sizeof(small_radices[0]); i++) {
            s->fields[s->field_count++] = small_radices[i];
        }
    }
    for (size_t i = 0; i < s->field_count; i++) {
        const gfp_status status = gfp_field_create(&b->fields[i], s->fields[i], NULL, &b->error);
        if (status != GFP_OK) {
            complain("--field %s: %s", s->fields[i], b->error.message);
            return status == GFP_ERR_MEMORY ? 1 : 2;
        }
    }
    return 0;
}

static int open_tuning(bench *b)
{
    if (b->o.tuning_path == NULL) {
        return 0;
    }
    gfp_status status = gfp_tuning_load(&b->tuning, b->o.tuning_path, NULL, &b->error);
    if (status == GFP_OK) {
        status = gfp_tuning_check(b->tuning, &b->error);
    }
    if (status != GFP_OK) {
        complain("%s: %s", b->o.tuning_path, b->error.message);
    }
    return status == GFP_OK ? 0 : 1;
}

/* Creates a context if methods on a device can serve any of the fields. */
static int open_device(bench *b)
{
    const gfp_problem p = {.len_a = 1, .len_b = 1, .resident = GFP_RESIDENT_DEVICE};
    gfp_method_info last = {.reason = ""};
    bool any = false;

    for (size_t i = 0; i < b->o.s.field_count && !any; i++) {
        any = gfp_method_pick(&p, b->fields[i], NULL) != NULL;
        if (gfp_method_query(&last, gfp_method_count() - 1, &p, b->fields[i], NULL) != GFP_OK) {
            return 1;
        }
    }
    if (!any) {
        complain("--resident: %s", last.reason);
    } else if (gfp_gpu_create(&b->gpu, NULL, &(gfp_options){.error = &b->error}) != GFP_OK) {
        complain("--resident: %s", b->error.message);
    }
    return b->gpu != NULL ? 0 : 1;
}

static bool measure_all(bench *b)
{
    const subject *over = b->o.over_z ? &subject_over_z : &subject_over_p;
    const uint64_t start = clock_ns();
    bool ok = true;

    b->trials = calloc(b->o.count, sizeof(*b->trials));
    if (b->trials == NULL) {
        return complain("no memory");
    }
    gfp_random_seed(&b->g, b->o.s.seed);
    while (ok && b->done < b->o.count && (double)(clock_ns() - start) < b->o.budget * 1e9) {
        trial *t = &b->trials[b->done];
        char ring[40];
        ok = over->draw(b, t);
        if (ok && (b->o.only == 0 || b->o.only == t->number)) {
            name_ring(ring, sizeof(ring), t);
            progress(ring, operation_of(t), b->done);
            ok = measure_trial(b, over, t);
        }
        b->done += ok;
    }
    progress_end();
    return ok;
}

/* Writes the report, also after a failure. */
static bool measure_and_write(bench *b)
{
    char *text = NULL;
    size_t size = 0;
    bool written = false;
    FILE *file = stdout;

    /* Opened before anything is measured. */
    if (b->o.output != NULL && !report_open(&file, b->o.output)) {
        return false;
    }
    FILE *out = open_memstream(&text, &size);
    bool ok = out != NULL || complain("no memory");
    if (ok) {
        ok = measure_all(b);
        written = b->done > 0 && write_report(b, out);
    }
    if (out != NULL && fclose(out) != 0) {
        written = complain("no memory");
    }
    if (written) {
        report_begin(file);
        fputs(text, file);
        written = report_end(file, b->o.output != NULL ? b->o.output : "standard output");
    }
    free(text);
    free(b->trials);
    return ok && written;
}

static void open_ring(bench *b)
{
    gfp_zvec *const all[] = {&b->za, &b->zb, &b->zc, &b->z_reference};
    must(gfp_zring_create(&b->ring, NULL, NULL), "ring");
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_init(all[i], b->ring);
    }
}

static void close_ring(bench *b)
{
    gfp_zvec *const all[] = {&b->za, &b->zb, &b->zc, &b->z_reference};
    for (size_t i = 0; i < 4 && b->ring != NULL; i++) {
        gfp_zvec_clear(all[i]);
    }
    gfp_zring_destroy(b->ring);
}

int main(int argc, char **argv)
{
    static bench b = {.o = {.s = {.seconds = 0.1, .seed = 1},
                            .count = 400,
                            .max_len = 65536,
                            .threads = 2,
                            .budget = 1e9,
                            .longest = 0.02}};
    const program p = {.name = "gfpoly_regret",
                       .documentation = documentation,
                       .rows = rows,
                       .count = sizeof(rows) / sizeof(rows[0]),
                       .into = &b.o,
                       .complete = complete_options};

    parse_options(&p, argc, argv);
    if (!check_build() || (b.o.over_z && !keep_to_cpu(true))) {
        return 1;
    }
    int code = open_fields(&b);
    code = code == 0 ? open_tuning(&b) : code;
    code = code == 0 && b.o.resident ? open_device(&b) : code;
    if (b.o.over_z) {
        open_ring(&b);
    }
    if (code == 0) {
        code = measure_and_write(&b) ? 0 : 1;
    }
    close_ring(&b);
    gfp_gpu_destroy(b.gpu);
    gfp_tuning_destroy(b.tuning);
    for (size_t i = 0; i < b.o.s.field_count; i++) {
        gfp_field_destroy(b.fields[i]);
    }
    return code;
}
