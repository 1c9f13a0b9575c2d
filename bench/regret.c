/* bench/regret.c: gfpoly_regret: the cost of the chooser's picks: the pick's time divided by the
 * best method's, on random problems, for picks by the built-in costs and by a tuning; with
 * --resident also for factors in a device's memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "bench/regret.h"

enum {
    OPTION_COUNT = 256,
    OPTION_SECONDS,
    OPTION_SEED,
    OPTION_BUDGET,
    OPTION_LONGEST,
    OPTION_MAX_LEN,
    OPTION_THREADS,
    OPTION_TUNING,
    OPTION_RESIDENT,
    OPTION_ALL
};

static const struct argp_option option_list[] = {
    {"field", 'f', "FIELD", 0,
     "A field; may be repeated (default: all named fields and two with small radices)", 0},
    {"count", OPTION_COUNT, "N", 0, "Problems (default: 400)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of problems and factors (default: 1)", 0},
    {"seconds", OPTION_SECONDS, "S", 0, "Time to spend on one problem (default: 0.1)", 0},
    {"budget", OPTION_BUDGET, "S", 0, "Begin no problem after S seconds", 0},
    {"longest", OPTION_LONGEST, "S", 0, "Only problems estimated below S seconds (default: 0.02)",
     0},
    {"max-len", OPTION_MAX_LEN, "N", 0, "At most N coefficients of a factor (default: 65536)", 0},
    {"threads", OPTION_THREADS, "T", 0, "Half of the problems on T threads (default: 2)", 0},
    {"tuning", OPTION_TUNING, "FILE", 0, "Also measure the picks by this tuning", 0},
    {"resident", OPTION_RESIDENT, NULL, 0, "Half of the problems with factors on the GPU", 0},
    {"all", OPTION_ALL, NULL, 0, "List every problem, not the ten worst picks", 0},
    {"output", 'o', "FILE", 0, "Write the report to FILE (default: standard output)", 0},
    {NULL, 0, NULL, 0, NULL, 0}};

static const char documentation[] =
    "Measures the cost of the chooser's picks. On random problems it measures every method that "
    "could be the best, and divides the pick's time by the least one. Operations: product, square, "
    "low product, product by an operand.\vExit status: 0, 1 after a failure, 2 after a mistake in "
    "usage.";

static uint64_t parse_number(struct argp_state *state, const char *text, uint64_t most)
{
    char *end;

    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > most) {
        argp_error(state, "'%s' is not a number from 1 to %llu", text, (unsigned long long)most);
    }
    return n;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    options *o = state->input;

    switch (key) {
    case 'f':
        if (o->s.field_count == MAX_FIELDS) {
            argp_error(state, "more than %d fields", MAX_FIELDS);
        }
        o->s.fields[o->s.field_count++] = argument;
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case OPTION_COUNT:
        o->count = (size_t)parse_number(state, argument, 1000000);
        return 0;
    case OPTION_SEED:
        o->s.seed = parse_number(state, argument, UINT64_MAX);
        return 0;
    case OPTION_SECONDS:
        o->s.seconds = parse_seconds(state, argument);
        return 0;
    case OPTION_BUDGET:
        o->budget = parse_seconds(state, argument);
        return 0;
    case OPTION_LONGEST:
        o->longest = parse_seconds(state, argument);
        return 0;
    case OPTION_MAX_LEN:
        o->max_len = (size_t)parse_number(state, argument, (uint64_t)1 << 30);
        return 0;
    case OPTION_THREADS:
        o->threads = (unsigned)parse_number(state, argument, GFP_MAX_THREADS);
        return 0;
    case OPTION_TUNING:
        o->tuning_path = argument;
        return 0;
    case OPTION_RESIDENT:
        o->resident = true;
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

/* Radices below 2^32 have kernels of their own. */
static const char *const small_radices[] = {"165685816^8+1", "30^32+1"};

/* Exit codes. */
static int open_fields(bench *b)
{
    settings *s = &b->o.s;

    if (s->field_count == 0) {
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
    } else if (gfp_gpu_create(&b->gpu, NULL, &b->error) != GFP_OK) {
        complain("--resident: %s", b->error.message);
    }
    return b->gpu != NULL ? 0 : 1;
}

static bool measure_all(bench *b)
{
    const uint64_t start = clock_ns();
    bool ok = true;

    b->trials = calloc(b->o.count, sizeof(*b->trials));
    if (b->trials == NULL) {
        return complain("no memory");
    }
    gfp_random_seed(&b->g, b->o.s.seed);
    while (ok && b->done < b->o.count && (double)(clock_ns() - start) < b->o.budget * 1e9) {
        trial *t = &b->trials[b->done];
        ok = draw_trial(b, t);
        if (ok) {
            progress(gfp_field_name(t->field), gfp_operation_name(t->p.operation), b->done);
            ok = measure_trial(b, t);
            b->done += ok;
        }
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

int main(int argc, char **argv)
{
    static bench b = {.o = {.s = {.seconds = 0.1, .seed = 1},
                            .count = 400,
                            .max_len = 65536,
                            .threads = 2,
                            .budget = 1e9,
                            .longest = 0.02}};
    const struct argp parser = {option_list, parse_option, NULL, documentation, NULL, NULL, NULL};

    program_name = "gfpoly_regret";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &b.o) != 0) {
        return 2;
    }
    if (!check_build()) {
        return 1;
    }
    int code = open_fields(&b);
    code = code == 0 ? open_tuning(&b) : code;
    code = code == 0 && b.o.resident ? open_device(&b) : code;
    if (code == 0) {
        code = measure_and_write(&b) ? 0 : 1;
    }
    gfp_gpu_destroy(b.gpu);
    gfp_tuning_destroy(b.tuning);
    for (size_t i = 0; i < b.o.s.field_count; i++) {
        gfp_field_destroy(b.fields[i]);
    }
    return code;
}
