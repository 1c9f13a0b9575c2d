/* papers/issac.c: the tables and figures of "Big prime field FFT on the GPU" (ISSAC 2017): a
 * transform over Z/pZ compared with transforms modulo word-size primes. Here are the descriptions
 * of the tables and the quantities of the CPU; device.c has those of a CUDA device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#if PAPERS_HAVE_NTL
#include "papers/ntl_dft.h"
#endif
#include "papers/device.h"
#include "papers/small.h"

/* ---- quantities of the CPU ---- */

static bool measure_order(paper *w, const table_row *r)
{
    quantity_put(w, r, gfp_field_v2_order(r->field), "field.v2");
    return true;
}

/* The transform over Z/pZ of n random elements. */
typedef struct big_prime {
    gfp_fft_plan *plan;
    uint64_t *x, *y;
} big_prime;

static bool run_big(void *context)
{
    big_prime *a = context;

    return gfp_fft_run(a->y, a->x, GFP_FORWARD, GFP_ORDER_NATURAL, a->plan, NULL) == GFP_OK;
}

static bool measure_big(paper *w, const table_row *r)
{
    const size_t words = r->n * r->k;
    const gfp_field *field = r->field;
    big_prime a = {.x = malloc(words * sizeof(uint64_t)), .y = malloc(words * sizeof(uint64_t))};
    gfp_random g;
    timing t;

    bool ok =
        a.x != NULL && a.y != NULL && gfp_fft_plan_create(&a.plan, field, r->n, NULL) == GFP_OK;
    if (ok) {
        progress(gfp_field_name(field), "big prime", r->n);
        gfp_random_seed(&g, JOB_SEED);
        gfp_vec_random(field, a.x, r->n, &g);
        const uint64_t start = clock_ns();
        ok = run_big(&a);
        const double ns = (double)(clock_ns() - start);
        ok = ok && evaluates(field, a.y, a.y + words / 2, a.x, r->n) &&
             gfp_fft_run(a.y, a.y, GFP_INVERSE, GFP_ORDER_NATURAL, a.plan, NULL) == GFP_OK &&
             gfp_vec_equal(field, a.x, a.y, r->n) && measure_after(w, ns, run_big, &a, &t) &&
             note_figure(w, gfp_field_name(field), r->n, &t, "big-prime DFT");
    }
    gfp_fft_plan_destroy(a.plan);
    free(a.x);
    free(a.y);
    if (ok) {
        quantity_put(w, r, t.min_ns / 1e6, "big.ms");
    }
    return ok || complain("%s, %zu points: the transform failed, or is wrong",
                          gfp_field_name(field), r->n);
}

static bool run_two_steps(void *context)
{
    return small_project(context) && small_transform(context);
}

/* In the form `argument`. */
static bool measure_small(paper *w, const table_row *r)
{
    const char *form = gfp_ntt_form_name((gfp_ntt_form)r->argument);
    const gfp_field *field = r->field;
    small_primes a = {.n = 0};
    timing two, third;

    progress(form, "on the CPU", r->n);
    bool ok = small_open(&a, field, r->n, (gfp_ntt_form)r->argument, JOB_SEED) && small_check(&a);
    if (ok) {
        const uint64_t start = clock_ns();
        ok = run_two_steps(&a);
        const double ns = (double)(clock_ns() - start);
        ok = ok && measure_after(w, ns, run_two_steps, &a, &two) && small_project(&a) &&
             measure(&third, w->s.seconds, small_recombine, &a) &&
             note_figure(w, gfp_field_name(field), r->n, &two, "small primes, %s", form);
    }
    if (ok) {
        const char *prefix = r->argument == GFP_NTT_BLOCKED        ? "lib"
                             : r->argument == GFP_NTT_COOLEY_TUKEY ? "ct"
                             : r->argument == GFP_NTT_STOCKHAM     ? "st"
                                                                   : "tab";
        quantity_put(w, r, two.min_ns / 1e6, "%s.two", prefix);
        quantity_put(w, r, (two.min_ns + third.min_ns) / 1e6, "%s.three", prefix);
    }
    small_close(&a);
    return ok ||
           complain("%s, %zu points, %s: failed, or wrong", gfp_field_name(field), r->n, form);
}

/* Nothing is known where NTL is missing. */
static bool measure_ntl(paper *w, const table_row *r)
{
    bool ok = true;

#if PAPERS_HAVE_NTL
    const gfp_field *field = r->field;
    const size_t bits = gfp_field_bits(field), limbs = (bits + 63) / 64;
    uint64_t *digits = malloc(r->n * r->k * sizeof(*digits));
    uint64_t *x = malloc(r->n * limbs * sizeof(*x));
    ntl_dft *ntl = NULL;
    gfp_random g;
    timing t;
    progress("NTL", "on the CPU", r->n);
    ok = digits != NULL && x != NULL;
    if (ok) {
        gfp_random_seed(&g, JOB_SEED);
        gfp_vec_random(field, digits, r->n, &g);
        gfp_vec_get_limbs(field, x, limbs, digits, r->n);
        ntl = ntl_dft_open(x, r->n, limbs, bits);
    }
    ok = ntl != NULL && ntl_dft_check(ntl);
    if (ok) {
        const uint64_t start = clock_ns();
        ok = ntl_dft_run(ntl);
        const double ns = (double)(clock_ns() - start);
        ok = ok && measure_after(w, ns, ntl_dft_run, ntl, &t) &&
             note_figure(w, gfp_field_name(field), r->n, &t, "small primes by NTL, %zu",
                         ntl_dft_primes(ntl));
    }
    if (ok) {
        quantity_put(w, r, t.min_ns / 1e6, "ntl.two");
    }
    ntl_dft_close(ntl);
    free(digits);
    free(x);
#else
    (void)w;
#endif
    return ok || complain("p%u, %zu points by NTL: failed, or wrong", r->k, r->n);
}

const quantity_group issac_groups[] = {
    {"field", measure_order, 0, false},
    {"big", measure_big, 0, false},
    {"ntl", measure_ntl, 0, false},
    {"ct", measure_small, GFP_NTT_COOLEY_TUKEY, false},
    {"tab", measure_small, GFP_NTT_COOLEY_TUKEY_TABULATED, false},
    {"st", measure_small, GFP_NTT_STOCKHAM, false},
    {"lib", measure_small, GFP_NTT_BLOCKED, false},
    {"digits", measure_digits, 0, false},
    {"profile", measure_profile, 0, false},
    {"twin", measure_twin, 0, true},
    {"gct", measure_rival, GFP_NTT_COOLEY_TUKEY, true},
    {"gtab", measure_rival, GFP_NTT_COOLEY_TUKEY_TABULATED, true},
    {"gst", measure_rival, GFP_NTT_STOCKHAM, true},
    {"glib", measure_rival, GFP_NTT_BLOCKED, true},
    {"gbig", measure_big_on_device, DEVICE_PAPERS, true},
    {"gown", measure_big_on_device, DEVICE_OWN, true},
    {"gends", measure_ends, 0, true},
    {"gsteps", measure_device_steps, 0, true},
    {"b64", measure_big_on_device, 64, true},
    {"b128", measure_big_on_device, 128, true},
    {"b256", measure_big_on_device, 256, true},
    {"b512", measure_big_on_device, 512, true},
    {NULL, NULL, 0, false},
};

/* ---- tables ---- */

#define TABLE2 FILES("issac-table2-gtx760m", "issac-table2-c2075", "issac-table2-m2050")
#define TABLE3 FILES("issac-table3-x5650", "issac-table3-fx8350", "issac-table3-i7-4700hq")

#define ABOUT_CALLS                                                                                \
    "Both approaches are called in the same ways. One call: from its start to its end on the "     \
    "device. Calls in a row: calls of the same plan one behind another in a graph, the time of "   \
    "one. Batches: up to 256 vectors in one plan, with up to 2^20 points in all, in a graph, the " \
    "time of one vector. Data lie on the device, medians. The rival: projection to 2k half-word "  \
    "primes and their transforms, without recombination where nothing else is said. \"Ours\": "    \
    "the library's usual forms."

#define RIVAL_ON_DEVICE(calls)                                                                     \
    .name = "issac-table2", .files = TABLE2, .names_machines = true, .label = LABEL_PRIME,         \
    .heads = "machine | prime, e (N)",                                                             \
    .columns = COLUMNS(BOTH("Cooley-Tukey", "cooley_tukey", "gct.two." calls),                     \
                       BOTH("tabulated powers", "cooley_tukey_powers", "gtab.two." calls),         \
                       BOTH("Stockham", "stockham", "gst.two." calls),                             \
                       BOTH("big prime, theirs", "big_prime", "gbig." calls),                      \
                       BOTH("big prime, ours", "big_prime", "gown." calls))

static const picture figures1_2 = {
    .name = "issac-figures1-2",
    .kind = FIGURE_BARS,
    .logarithmic = true,
    .axis = ROWS_ON_AXIS,
    .title =
        "Small primes relative to the big prime: on a device in batches, else on one processor",
    .x_label = "prime, e (points)",
    .y_label = "small primes / big prime"};

static const picture figure3 = {.name = "issac-figure3",
                                .kind = FIGURE_STACKS,
                                .axis = BOTH_ON_AXIS,
                                .title = "Share of each step",
                                .x_label = "prime, points, place",
                                .y_label = "%"};

const paper_table issac_tables[] = {
    {.name = "issac-table1",
     .files = FILES("issac-table1"),
     .label = LABEL_PROVED,
     .heads = "prime",
     .columns = COLUMNS(BOTH("exponent of 2 in p - 1", "v2", "field.v2"))},
    {RIVAL_ON_DEVICE("one"), .text = ABOUT_CALLS "\n\nOne call:"},
    {RIVAL_ON_DEVICE("row"), .title = "Calls in a row:", .needs_device = true},
    {RIVAL_ON_DEVICE("batch"), .title = "Batches:", .needs_device = true},
    {.name = "issac-table2",
     .files = FILES("issac-table2-gtx760m"),
     .title = "The rival here, without and with recombination, ms:",
     .needs_device = true,
     .label = LABEL_PRIME,
     .heads = "prime, e (N) | calls",
     .variations = VARIATIONS({.text = "one call", .token = "one"},
                              {.text = "calls in a row", .token = "row"},
                              {.text = "batches", .token = "batch"}),
     .columns =
         COLUMNS(HERE("Cooley-Tukey", "gct.two.@"), HERE("and recombination", "gct.three.@"),
                 HERE("tabulated powers", "gtab.two.@"), HERE("and recombination", "gtab.three.@"),
                 HERE("Stockham", "gst.two.@"), HERE("and recombination", "gst.three.@"),
                 HERE("ours", "glib.two.@"), HERE("and recombination", "glib.three.@"))},
    {.name = "issac-table2",
     .files = FILES("issac-table2-gtx760m"),
     .title = "The same on one processor of this machine, modulo primes of 50 bits in blocks of "
              "eight (as few blocks as have a product above p), ms:",
     .label = LABEL_PRIME,
     .heads = "prime, e (N)",
     .columns = COLUMNS(HERE("Cooley-Tukey", "ct.two"), HERE("and recombination", "ct.three"),
                        HERE("tabulated powers", "tab.two"), HERE("and recombination", "tab.three"),
                        HERE("Stockham", "st.two"), HERE("and recombination", "st.three"),
                        HERE("ours", "lib.two"), HERE("and recombination", "lib.three"),
                        HERE("big prime", "big.ms"))},
    {.name = "issac-figures1-2",
     .files = FILES("issac-figures1-2"),
     .text = ABOUT_CALLS,
     .label = LABEL_PRIME,
     .heads = "prime, e (N) | here",
     .variations = VARIATIONS(
         {"big prime in the paper's form, one call", "one", "g$.two.@ / gbig.@", 0, false, false,
          false},
         {"the same, calls in a row", "row", "g$.two.@ / gbig.@", 0, true, false, false},
         {"the same, batches", "batch", "g$.two.@ / gbig.@", 0, true, true, false},
         {"the same, with recombination", "batch", "g$.three.@ / gbig.@", 0, true, false, false},
         {"big prime in our form, one call", "one", "g$.two.@ / gown.@", 0, true, false, false},
         {"the same, calls in a row", "row", "g$.two.@ / gown.@", 0, true, false, false},
         {"the same, batches", "batch", "g$.two.@ / gown.@", 0, true, false, false},
         {"the same, with recombination", "batch", "g$.three.@ / gown.@", 0, true, false, false},
         {"CPU, one processor", "", "$.two / big.ms", 0, false, false, true}),
     .columns =
         COLUMNS({"Cooley-Tukey", "cooley_tukey", "ct", "Cooley-Tukey", NULL},
                 {"tabulated powers", "cooley_tukey_powers", "tab", "tabulated powers", NULL},
                 {"Stockham", "stockham", "st", "Stockham", NULL}),
     .drawn = &figures1_2},
    {.name = "issac-table3",
     .files = TABLE3,
     .text =
         "Here, on one processor: NTL with as few of its primes of up to 60 bits as have a "
         "product above p (a dash: this build has no NTL); the library's blocks of eight primes "
         "of 50 bits, as few as have a product above p.",
     .names_machines = true,
     .label = LABEL_PRIME,
     .heads = "machine | prime, e (N)",
     .columns = COLUMNS(BOTH("small primes, NTL", "small_primes", "ntl.two"),
                        HERE("50 bits, ours", "lib.two"), HERE("with recombination", "lib.three"),
                        BOTH("big prime", "big_prime", "big.ms"),
                        BOTH("NTL / big", "small_primes / big_prime", "ntl.two / big.ms"),
                        HERE("50 bits / big", "lib.two / big.ms"))},
    {.name = "issac-table4",
     .files = FILES("issac-table4"),
     .text =
         "Here: one processor (the library's usual forms) by the device: by its paper's forms, "
         "the slowest and the fastest of all ways to call them (the rival: of three forms too), "
         "and by our forms in batches.",
     .label = LABEL_PRIME,
     .heads = "prime, e (N)",
     .columns = COLUMNS({"CPU, small primes, ms", "small_primes", "lib.two", NULL, TABLE3},
                        BOTH("small, lowest", "small_lowest", "lib.two / gends.slowest_small"),
                        BOTH("small, highest", "small_highest", "lib.two / gends.fastest_small"),
                        HERE("small, ours", "lib.two / glib.two.batch"),
                        {"CPU, big prime, ms", "big_prime", "big.ms", NULL, TABLE3},
                        BOTH("big, lowest", "big_lowest", "big.ms / gends.slowest_big"),
                        BOTH("big, highest", "big_highest", "big.ms / gends.fastest_big"),
                        HERE("big, ours", "big.ms / gown.batch"))},
    {.name = "issac-figure3",
     .title = "Figure 3: share of each step at N = K^4",
     .text = "Chen, Covanov, Mohajerani, Moreno Maza: Big prime field FFT on the GPU, ISSAC 2017, "
             "doi 10.1145/3087604.3087657. A plot without figures; it says that twiddle products "
             "take most, for both primes. Here: the papers' form on the device, and the six-step "
             "form on one processor.",
     .label = LABEL_FIELD_SIZE,
     .heads = "prime, N | on",
     .rows = ROWS({"p8", "p8", 8, 4, 0, 'p', true}, {"p16", "p16", 16, 4, 0, 'p', true}),
     .variations = VARIATIONS({"device", "gsteps", NULL, 0, false, true, false},
                              {"CPU", "ours1", NULL, 0, false, true, true}),
     .columns = COLUMNS({"twiddle products, %", NULL, "@.twiddle%", "twiddle", NULL},
                        {"base cases, %", NULL, "@.base%", "base case", NULL},
                        {"permutations, %", NULL, "@.permutation%", "permutation", NULL},
                        {"layout, %", NULL, "@.layout%", "layout", NULL}, HERE("all, ms", "@.ms")),
     .drawn = &figure3},
    {.name = "issac-table5",
     .files = FILES("issac-table5"),
     .text =
         "Here: means over the launches of one transform of K^4 points in the papers' form with "
         "a kernel for the shifts and one for the butterflies of every stage; from the files "
         "that scripts/profile_base_case.sh makes (--profile DIR), by the metrics of ncu that "
         "--metrics prints. Replays are no metrics of today's devices.",
     .label = LABEL_TEXT,
     .heads = "metric",
     .columns = COLUMNS(BOTH("p8, shifts", "p3_shift", "profile.p8 shifts"),
                        BOTH("p8, add and sub", "p3_addsub", "profile.p8 add_subs"),
                        BOTH("p16, shifts", "p4_shift", "profile.p16 shifts"),
                        BOTH("p16, add and sub", "p4_addsub", "profile.p16 add_subs"))},
    {.name = "issac-division",
     .title = "Division by r^2 and higher powers",
     .text = "ISSAC 2017, 3.1, proposes shifts for r^2, too, and Montgomery's reduction for higher "
             "powers. Here: ns for the k digits of an integer below p by halving, divisions by "
             "r^(k/2), ..., r^2 in the given way. Not published.",
     .label = LABEL_FIELD,
     .heads = "field",
     .rows = ROWS({.text = "p2", .letter = 'p', .k = 2}, {.text = "p4", .letter = 'p', .k = 4},
                  {.text = "p8", .letter = 'p', .k = 8}, {.text = "p16", .letter = 'p', .k = 16},
                  {.text = "p32", .letter = 'p', .k = 32}, {.text = "p64", .letter = 'p', .k = 64},
                  {.text = "p128", .letter = 'p', .k = 128}),
     .columns =
         COLUMNS(HERE("by shifts", "digits.shifts"), HERE("by Montgomery", "digits.montgomery"),
                 HERE("by GMP", "digits.gmp"), HERE("the library", "digits.library"))},
    {.name = "issac-blocks",
     .title = "Threads of a block",
     .text = "ISSAC 2017, 6, has 128 or 256 threads a block. Here: us for a transform in the "
             "papers' form by the number of threads in the blocks of all its kernels, and of its "
             "steps in batches (timed by events between the kernels). Calls are those of Table 2. "
             "The library's form has no such choice: the shape of a tile sets the number of "
             "threads. Not published.",
     .label = LABEL_PRIME,
     .heads = "prime, e (N) | threads of a block",
     .rows = ROWS({"p8", "", 8, 3, 0, 'p', false}, {"p8", "", 8, 4, 0, 'p', false},
                  {"p16", "", 16, 2, 0, 'p', false}, {"p16", "", 16, 3, 0, 'p', false},
                  {"p16", "", 16, 4, 0, 'p', false}),
     .variations = VARIATIONS({.text = "64", .token = "b64"}, {.text = "128", .token = "b128"},
                              {.text = "256", .token = "b256"}, {.text = "512", .token = "b512"},
                              {.text = "the library's form", .token = "gown"}),
     .columns =
         COLUMNS(HERE("one call, us", "@.one_us"), HERE("calls in a row", "@.row_us"),
                 HERE("batches", "@.batch_us"), HERE("of these permutations", "@.permutation"),
                 HERE("twiddles", "@.twiddle"), HERE("base cases", "@.base"))},
    {.name = NULL},
};
