/* poly.c: distributed polynomials against those of one process: products, sums, values, checks,
 * for random and extreme coefficients; refusals, caps, cancellation; failures of memory and of MPI
 * on one rank. GFPOLY_MPI_EXCHANGE says how ranks exchange data.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab/meter.h"
#include "lab/ranks.h"

#include "ranks/comm.h"

static gfp_error error;
static gfp_options options = {.error = &error};

/* The objects of a test: distributed a, b, c; p and q on every rank; r on rank 0. */
typedef struct objects {
    gfp_field *field;
    const lab *l;
    gfp_mpi *mpi;
    gfp_mpi_poly *a, *b, *c;
    gfp_poly p, q, r;
} objects;

static void objects_over(objects *o, gfp_field *field)
{
    o->field = field;
    assert_int_equal(gfp_mpi_create(&o->mpi, MPI_COMM_WORLD, field, &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_create(&o->a, o->mpi, 0, &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_create(&o->b, o->mpi, 5, &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_create(&o->c, o->mpi, 1, &options), GFP_OK);
    gfp_poly_init(&o->p, field);
    gfp_poly_init(&o->q, field);
    gfp_poly_init(&o->r, field);
}

static void objects_end(objects *o)
{
    gfp_mpi_poly_destroy(o->a);
    gfp_mpi_poly_destroy(o->b);
    gfp_mpi_poly_destroy(o->c);
    gfp_mpi_destroy(o->mpi);
    gfp_poly_clear(&o->p);
    gfp_poly_clear(&o->q);
    gfp_poly_clear(&o->r);
}

/* Kinds of coefficients. */
enum { RANDOM, SAMPLES, MINUS_ONE, LOW_FILL, KINDS };

/* x := n coefficients of a kind, the last one not 0; the same on every rank. */
static void fill_poly(const lab *l, gfp_poly *x, size_t n, int kind, uint64_t seed)
{
    gfp_random g;
    uint64_t minus_one[GFP_MAX_K];
    gfp_random_seed(&g, seed);
    gfp_elem_set_si(x->field, minus_one, -1);
    assert_int_equal(gfp_poly_fit_length(x, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        uint64_t *z = x->digits + i * l->k;
        const uint64_t draw = gfp_random_u64(&g);
        if (kind == RANDOM) {
            for (size_t t = 0; t < l->k; t++) {
                z[t] = gfp_random_below(&g, gfp_field_r(x->field));
            }
        } else if (kind == SAMPLES) {
            gfp_elem_set(x->field, z, lab_sample(l, (size_t)(draw % l->count)));
        } else if (kind == MINUS_ONE) {
            gfp_elem_set(x->field, z, minus_one);
        } else {
            gfp_elem_set_u64(x->field, z, draw % 16 == 0 ? draw / 16 % 3 : 0);
        }
    }
    if (n > 0 && gfp_elem_is_zero(x->field, x->digits + (n - 1) * l->k)) {
        gfp_elem_set_u64(x->field, x->digits + (n - 1) * l->k, 1);
    }
    assert_int_equal(gfp_poly_set_length(x, n), GFP_OK);
}

static void deal_operands(objects *o, size_t len_a, size_t len_b, int kind)
{
    fill_poly(o->l, &o->p, len_a, kind, len_a);
    fill_poly(o->l, &o->q, len_b, kind, len_b + 1000);
    const int root = (int)(len_a % (size_t)ranks_size);
    assert_int_equal(gfp_mpi_poly_scatter(o->a, ranks_rank == root ? &o->p : NULL, root, &options),
                     GFP_OK);
    assert_int_equal(gfp_mpi_poly_scatter(o->b, &o->q, 0, &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_length(o->a), len_a);
}

/* Rank 0 has x in one piece, and it is `expected`. */
static void expect_poly(objects *o, const gfp_mpi_poly *x, const gfp_poly *expected,
                        const char *what)
{
    assert_int_equal(gfp_mpi_poly_gather(ranks_rank == 0 ? &o->r : NULL, x, 0, &options), GFP_OK);
    if (ranks_rank == 0 && !gfp_poly_equal(&o->r, expected)) {
        fail_msg("%s over %s: %zu by %zu coefficients on %d ranks", what, o->l->entry->text,
                 o->p.len, o->q.len, ranks_size);
    }
}

static void check_products(objects *o, size_t len_a, size_t len_b, int kind)
{
    gfp_poly z;
    gfp_poly_init(&z, o->field);
    deal_operands(o, len_a, len_b, kind);
    assert_int_equal(gfp_poly_mul(&z, &o->p, &o->q, NULL), GFP_OK);
    assert_int_equal(gfp_mpi_poly_mul(o->c, o->a, o->b, &options), GFP_OK);
    expect_poly(o, o->c, &z, "a product");
    assert_int_equal(gfp_poly_mul(&z, &o->p, &o->p, NULL), GFP_OK);
    assert_int_equal(gfp_mpi_poly_mul(o->a, o->a, o->a, &options), GFP_OK);
    expect_poly(o, o->a, &z, "a square in place");
    gfp_poly_clear(&z);
}

static void check_sums(objects *o, size_t len_a, size_t len_b, int kind)
{
    gfp_poly z;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], expected[GFP_MAX_K];
    gfp_poly_init(&z, o->field);
    deal_operands(o, len_a, len_b, kind);
    assert_int_equal(gfp_poly_add(&z, &o->p, &o->q), GFP_OK);
    gfp_elem_one(o->field, x);
    assert_int_equal(gfp_mpi_poly_scalar_addmul(o->c, o->a, o->b, x, &options), GFP_OK);
    expect_poly(o, o->c, &z, "a sum");
    gfp_elem_neg(o->field, x, x);
    assert_int_equal(gfp_poly_sub(&z, &o->p, &o->q), GFP_OK);
    assert_int_equal(gfp_mpi_poly_scalar_addmul(o->c, o->a, o->b, x, &options), GFP_OK);
    expect_poly(o, o->c, &z, "a difference");
    gfp_elem_set(o->field, x, lab_sample(o->l, 3));
    assert_int_equal(gfp_poly_scalar_mul(&z, &o->q, x), GFP_OK);
    assert_int_equal(gfp_poly_add(&z, &o->p, &z), GFP_OK);
    assert_int_equal(gfp_mpi_poly_scalar_addmul(o->b, o->a, o->b, x, &options), GFP_OK);
    expect_poly(o, o->b, &z, "a sum with a multiple in place");
    for (size_t i = 0; i < 3; i++) {
        gfp_elem_set(o->field, x, lab_sample(o->l, i * 5));
        gfp_poly_eval(expected, &o->p, x);
        assert_int_equal(gfp_mpi_poly_eval(y, o->a, x, &options), GFP_OK);
        assert_true(gfp_elem_equal(o->field, y, expected));
    }
    gfp_poly_clear(&z);
}

static const size_t lengths[][2] = {{0, 0},   {0, 7},     {1, 0},     {1, 1},     {2, 1},
                                    {2, 2},   {3, 17},    {15, 2},    {16, 16},   {17, 16},
                                    {63, 66}, {64, 65},   {128, 128}, {129, 128}, {1, 300},
                                    {257, 5}, {500, 501}, {512, 513}};
static const char *const fields[] = {"p2", "p8", "p32"};

static void with_fields(void (*check)(objects *o))
{
    for (size_t f = 0; LAB_ROW(fields, f); f++) {
        objects o = {.l = lab_named(fields[f])};
        lab_row_name(fields[f]);
        objects_over(&o, o.l->field);
        check(&o);
        objects_end(&o);
    }
}

static void all_products(objects *o)
{
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            check_products(o, lengths[i][0], lengths[i][1], kind);
        }
    }
}

static void all_sums(objects *o)
{
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        check_sums(o, lengths[i][0], lengths[i][1], (int)(i % KINDS));
    }
}

static void products_are_those_of_one_process(void **state)
{
    (void)state;
    with_fields(all_products);
}

static void sums_and_values_are_those_of_one_process(void **state)
{
    (void)state;
    with_fields(all_sums);
}

/* Leaves of more than one column of lanes, several chunks of columns, messages of several chunks;
 * threads. */
static void long_products_are_those_of_one_process(void **state)
{
    objects o = {.l = lab_named("p8")};
    (void)state;
    objects_over(&o, o.l->field);
    check_products(&o, 20000, 30001, RANDOM);
    options.threads = 2;
    check_products(&o, 20000, 3001, SAMPLES);
    options.threads = 0;
    objects_end(&o);
}

/* Another cap for each rank: parts of the factors fit, but not the factors, and all ranks take the
 * parts of the rank that cuts most. */
static void factors_are_cut(void **state)
{
    objects o = {.l = lab_named("p8")};
    (void)state;
    objects_over(&o, o.l->field);
    for (unsigned part = 2; part <= 8; part *= 2) {
        const unsigned shares = part * (1 + ((unsigned)ranks_rank + part) % (unsigned)ranks_size);
        /* The leaves of both factors have twice the bytes of the product. */
        const size_t cap = 2 * (size_t)80000 * 8 * sizeof(uint64_t) / shares / (size_t)ranks_size;
        options.memory_cap = cap > 600000 ? cap : 600000;
        check_products(&o, 30000, 50001, RANDOM);
        check_products(&o, 40000, 9001, MINUS_ONE);
        check_products(&o, 1, 70000, SAMPLES);
    }
    options.threads = 2;
    check_products(&o, 30001, 29999, RANDOM);
    options.threads = 0;
    options.memory_cap = 0;
    objects_end(&o);
}

/* Caps and threads differ. A first cut makes a square a product and adds a sum, so that ranks which
 * have room for the whole square may not have it for the parts that others need. */
static void squares_are_cut(void **state)
{
    objects o = {.l = lab_named("p8")};
    gfp_poly z;
    const bool last = ranks_rank == ranks_size - 1;
    const unsigned step = lab_is_short() ? 32 : 16;
    (void)state;
    objects_over(&o, o.l->field);
    gfp_poly_init(&z, o.field);
    deal_operands(&o, 6000, 1, RANDOM);
    assert_int_equal(gfp_poly_mul(&z, &o.p, &o.p, NULL), GFP_OK);
    const size_t leaves = (size_t)12000 * 8 * sizeof(uint64_t) / (size_t)ranks_size;
    options.threads = last ? 1 : 3;
    for (unsigned part = 32; part <= 128; part += step) {
        for (unsigned other = 32; other <= 128; other += step) {
            options.memory_cap = leaves / 32 * (last ? part : other) + 100000;
            assert_int_equal(gfp_mpi_poly_mul(o.c, o.a, o.a, &options), GFP_OK);
            expect_poly(&o, o.c, &z, "a square with caps");
        }
    }
    options.threads = 0;
    options.memory_cap = 0;
    gfp_poly_clear(&z);
    objects_end(&o);
}

static void blocks_are_the_coefficients(void **state)
{
    objects o = {.l = lab_named("p8")};
    size_t first, count;
    (void)state;
    objects_over(&o, o.l->field);
    deal_operands(&o, 100, 3, RANDOM);
    const uint64_t *block = gfp_mpi_poly_block(&first, &count, o.a);
    assert_true(first + count <= 100);
    assert_memory_equal(block, o.p.digits + first * 8, count * 8 * sizeof *block);
    if (ranks_rank == 0) {
        assert_true(first == 0 && count == (99 / (size_t)ranks_size) + 1);
    }
    objects_end(&o);
}

static bool step_stops(void *user, double fraction)
{
    (void)fraction;
    return ranks_rank != *(const int *)user;
}

/* ---- transforms ---- */

static void check_transform(objects *o, size_t n, gfp_order order)
{
    gfp_fft_plan *plan = NULL;
    gfp_poly z;
    deal_operands(o, n, 1, n % 2 == 0 ? RANDOM : SAMPLES);
    gfp_poly_init(&z, o->field);
    assert_int_equal(gfp_fft_plan_create(&plan, o->field, n, NULL), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&z, n), GFP_OK);
    assert_int_equal(gfp_fft_run(z.digits, o->p.digits, GFP_FORWARD, order, plan, NULL), GFP_OK);
    assert_int_equal(gfp_poly_set_length(&z, n), GFP_OK);
    assert_int_equal(gfp_mpi_fft_run(o->c, o->a, GFP_FORWARD, order, &options), GFP_OK);
    assert_int_equal(gfp_mpi_poly_length(o->c), n);
    expect_poly(o, o->c, &z, "a transform");
    assert_int_equal(gfp_mpi_fft_run(o->c, o->c, GFP_INVERSE, order, &options), GFP_OK);
    expect_poly(o, o->c, &o->p, "an inverse in place");
    gfp_fft_plan_destroy(plan);
    gfp_poly_clear(&z);
}

/* Powers of two that are dealt (above 4 k^2) and that are not, and other divisors of p - 1. */
static void all_transforms(objects *o)
{
    const size_t k = gfp_field_k(o->field);
    for (int order = GFP_ORDER_NATURAL; order <= GFP_ORDER_PERMUTED; order++) {
        for (size_t n = 1; n <= 32 * k * k && n <= 16384; n *= 2) {
            check_transform(o, n, (gfp_order)order);
        }
        options.threads = 2;
        check_transform(o, k < 32 ? 16384 : 8192, (gfp_order)order);
        options.threads = 0;
    }
}

static void transforms_are_those_of_one_process(void **state)
{
    gfp_report report;
    (void)state;
    options.report = &report;
    with_fields(all_transforms);
    assert_string_equal(report.method, "dft");
    options.report = NULL;
}

static void expect_no_transform(objects *o, gfp_order order, gfp_status expected, const char *text)
{
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_fft_run(o->c, o->a, GFP_FORWARD, order, &options), expected, &error, text);
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_fft_run(o->c, o->a, GFP_INVERSE, order, &options), expected, &error, text);
    assert_int_equal(gfp_mpi_poly_length(o->c), 1);
}

static void refused_transforms_reach_all_ranks(void **state)
{
    objects o = {.l = lab_named("p8")};
    int last = ranks_size - 1;
    const gfp_progress progress = {step_stops, &last};
    (void)state;
    objects_over(&o, o.l->field);
    for (size_t n = 256; n <= 4096; n *= 16) { /* of rank 0, and of all */
        deal_operands(&o, n, 1, RANDOM);
        options.method = "six-step";
        expect_no_transform(&o, GFP_ORDER_NATURAL, GFP_ERR_UNKNOWN, "over ranks: auto, dft");
        options.method = "dft";
        options.verify = GFP_VERIFY_POINT;
        expect_no_transform(&o, GFP_ORDER_NATURAL, GFP_ERR_UNAVAILABLE, "no verification");
        options.verify = GFP_VERIFY_DEFAULT;
        expect_no_transform(&o, (gfp_order)7, GFP_ERR_ARGUMENT, "no such order");
        ranks_expect(gfp_mpi_fft_run(o.c, o.a, (gfp_direction)7, GFP_ORDER_NATURAL, &options),
                     GFP_ERR_ARGUMENT, &error, "no such direction: 7");
        const bool capped = ranks_rank == (n == 256 ? 0 : last);
        options.memory_cap = capped ? 1000 : 0; /* neither rank 0's array nor the tables of all */
        expect_no_transform(&o, GFP_ORDER_NATURAL, GFP_ERR_MEMORY,
                            n == 256 ? "more than the cap of 1000" : "does not fit in 1000 bytes");
        options.memory_cap = capped ? 19000 : 0; /* rank 0's array, not its plan; the tables */
        expect_no_transform(&o, GFP_ORDER_NATURAL, GFP_ERR_MEMORY, "more than the cap of 19000");
        options.memory_cap = 0;
        options.method = NULL;
        if (ranks_size > 1) {
            ranks_expect(
                gfp_mpi_fft_run(o.c, o.a, GFP_FORWARD, (gfp_order)(ranks_rank == last), &options),
                GFP_ERR_ARGUMENT, &error, "different orders");
            ranks_expect(gfp_mpi_fft_run(o.c, o.a, (gfp_direction)(ranks_rank == last),
                                         GFP_ORDER_NATURAL, &options),
                         GFP_ERR_ARGUMENT, &error, "different directions");
        }
    }
    options.progress = &progress;
    expect_no_transform(&o, GFP_ORDER_PERMUTED, GFP_ERR_CANCELLED, "");
    options.progress = NULL;
    deal_operands(&o, 11, 1, RANDOM);
    expect_no_transform(&o, GFP_ORDER_NATURAL, GFP_ERR_NO_ROOT, "");
    deal_operands(&o, 0, 1, RANDOM);
    expect_no_transform(&o, GFP_ORDER_NATURAL, GFP_ERR_ARGUMENT, "");
    objects_end(&o);
}

/* ---- options ---- */

static void verifies_at_points(void **state)
{
    objects o = {.l = lab_named("p8")};
    gfp_report report;
    (void)state;
    objects_over(&o, o.l->field);
    options.verify = GFP_VERIFY_POINT;
    options.report = &report;
    for (uint64_t seed = 0; seed < 2; seed++) {
        options.verify_seed = seed;
        check_products(&o, 200, 77, RANDOM);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_string_equal(report.method, "hybrid");
        assert_true(report.points >= 1 && report.log2_error <= -40);
    }
    options.verify_seed = 0;
    options.report = NULL;
    options.verify = GFP_VERIFY_DEFAULT;
    objects_end(&o);
}

/* Expects that no rank's product succeeds, and that c stays. */
static void expect_refusal(objects *o, gfp_status expected, const char *text)
{
    memset(&error, 0, sizeof error);
    ranks_expect(gfp_mpi_poly_mul(o->c, o->a, o->b, &options), expected, &error, text);
    assert_int_equal(gfp_mpi_poly_length(o->c), 1);
}

static void expect_refused_options(objects *o)
{
    options.method = "classical";
    expect_refusal(o, GFP_ERR_UNAVAILABLE, "over ranks the method is hybrid");
    options.method = "six-step";
    expect_refusal(o, GFP_ERR_UNKNOWN, "unknown method \"six-step\"; available: auto, ");
    options.method = NULL;
    options.verify = GFP_VERIFY_CROSS;
    expect_refusal(o, GFP_ERR_UNAVAILABLE, "not by a second method");
    options.verify = GFP_VERIFY_DEFAULT;
}

/* The same without coefficients; and a field without points for a check, before any work. */
static void options_are_read_before_all_work(void **state)
{
    objects o = {.l = lab_named("p8")}, small = {.l = lab_named("16^4+1")};
    int last = ranks_size - 1;
    const gfp_progress progress = {step_stops, &last};
    (void)state;
    objects_over(&o, o.l->field);
    objects_over(&small, small.l->field);
    deal_operands(&o, 0, 301, RANDOM);
    expect_refused_options(&o);
    deal_operands(&small, 300, 301, RANDOM);
    options.progress = &progress;
    expect_refusal(&small, GFP_ERR_CANCELLED, "");
    options.verify = GFP_VERIFY_POINT;
    expect_refusal(&small, GFP_ERR_UNAVAILABLE, "too many points");
    options.verify = GFP_VERIFY_DEFAULT;
    options.progress = NULL;
    objects_end(&o);
    objects_end(&small);
}

/* One rank passes NULL, or makes a call of another kind. */
static void other_arguments_and_calls_reach_all_ranks(void **state)
{
    objects o = {.l = lab_named("p8")};
    (void)state;
    objects_over(&o, o.l->field);
    deal_operands(&o, 300, 301, RANDOM);
    for (int victim = 0; victim < ranks_size; victim++) {
        const bool here = ranks_rank == victim;
        gfp_mpi_poly *x = NULL;
        memset(&error, 0, sizeof error);
        ranks_expect(gfp_mpi_poly_mul(o.c, here ? NULL : o.a, o.b, &options), GFP_ERR_ARGUMENT,
                     &error, "different contexts, or NULL");
        ranks_expect(gfp_mpi_poly_create(here ? NULL : &x, o.mpi, 3, &options), GFP_ERR_ARGUMENT,
                     &error, "needs a context with a field");
        assert_null(x);
        if (ranks_size > 1) { /* calls that agree on other things, and one that agrees alone */
            ranks_expect(here ? gfp_mpi_agree(o.mpi, GFP_OK, &error)
                              : gfp_mpi_poly_mul(o.c, o.a, o.b, &options),
                         GFP_ERR_ARGUMENT, &error, "different calls");
            ranks_expect(here ? gfp_mpi_poly_create(&x, o.mpi, 3, &options)
                              : gfp_mpi_poly_mul(o.c, o.a, o.b, &options),
                         GFP_ERR_ARGUMENT, &error, "different calls");
            assert_null(x);
        }
    }
    check_products(&o, 100, 50, RANDOM);
    objects_end(&o);
}

static void refusals_reach_all_ranks(void **state)
{
    objects o = {.l = lab_named("p8")};
    int last = ranks_size - 1;
    const gfp_progress progress = {step_stops, &last};
    (void)state;
    objects_over(&o, o.l->field);
    deal_operands(&o, 300, 301, RANDOM);
    expect_refused_options(&o);
    options.memory_cap = ranks_rank == last ? 1000 : 0;
    expect_refusal(&o, GFP_ERR_MEMORY, "more than the cap of 1000");
    options.memory_cap = 0;
    options.progress = &progress;
    expect_refusal(&o, GFP_ERR_CANCELLED, "");
    options.progress = NULL;
    if (ranks_size > 1) {
        options.verify_seed = ranks_rank == last;
        expect_refusal(&o, GFP_ERR_ARGUMENT, "different options: verify_seed");
        options.verify_seed = 0;
        memset(&error, 0, sizeof error);
        ranks_expect(gfp_mpi_poly_mul(o.c, o.a, ranks_rank == last ? o.a : o.b, &options),
                     GFP_ERR_ARGUMENT, &error, "different lengths");
        ranks_expect(ranks_rank == last
                         ? gfp_mpi_poly_scalar_addmul(o.c, o.a, o.b, lab_sample(o.l, 2), &options)
                         : gfp_mpi_poly_mul(o.c, o.a, o.b, &options),
                     GFP_ERR_ARGUMENT, &error, "different calls");
        gfp_mpi_poly *x = NULL;
        ranks_expect(gfp_mpi_poly_create(&x, o.mpi, ranks_rank == last, &options), GFP_ERR_ARGUMENT,
                     &error, "different lengths");
        assert_null(x);
    }
    ranks_expect(gfp_mpi_poly_gather(&o.r, o.a, ranks_size, &options), GFP_ERR_ARGUMENT, &error,
                 "exists");
    ranks_expect(gfp_mpi_poly_scatter(o.a, NULL, 0, &options), GFP_ERR_ARGUMENT, &error,
                 "the root passes no polynomial or file");
    ranks_expect(gfp_mpi_poly_mul(o.c, NULL, o.a, &options), GFP_ERR_ARGUMENT, &error, "NULL");
    gfp_poly other;
    gfp_poly_init(&other, lab_named("p2")->field);
    ranks_expect(gfp_mpi_poly_scatter(o.a, &other, 0, &options), GFP_ERR_FIELD_MISMATCH, &error,
                 "another field");
    /* The context still works. */
    check_products(&o, 100, 50, RANDOM);
    objects_end(&o);
}

/* ---- shared memory ---- */

/* On the last rank no file can be opened or made. */
static void limit_files(bool limited)
{
    static struct rlimit before;
    if (limited) {
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    }
    const struct rlimit now = {limited ? 0 : before.rlim_cur, before.rlim_max};
    if (ranks_rank == ranks_size - 1) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
    }
}

/* A context whose ranks cannot share memory sends messages; one whose ranks cannot share it any
 * more returns an error. */
static void sharing_fails_on_one_rank(void **state)
{
    objects before = {.l = lab_named("p8")}, o = {.l = before.l};
    gfp_mpi_poly *x = NULL;
    (void)state;
    objects_over(&before, before.l->field);
    limit_files(true);
    const gfp_status status = gfp_mpi_poly_create(&x, before.mpi, 100000, &options);
    objects_over(&o, o.l->field);
    limit_files(false);
    if (before.mpi->direct && ranks_size > 1) {
        ranks_expect(status, GFP_ERR_UNAVAILABLE, &error, "is not shared: ");
        assert_false(o.mpi->direct);
    } else {
        assert_int_equal(status, GFP_OK);
        assert_int_equal(o.mpi->direct, before.mpi->direct);
    }
    gfp_mpi_poly_destroy(x);
    check_products(&o, 100, 50, RANDOM);
    check_products(&before, 100, 50, RANDOM);
    objects_end(&before);
    objects_end(&o);
}

/* The last rank has address space for one block: for its own, not for those of others. */
static void limit_space(bool limited, size_t block)
{
    static struct rlimit before;
    size_t pages = 0;
    if (limited) {
        FILE *file = fopen("/proc/self/statm", "r");
        assert_non_null(file);
        assert_int_equal(fscanf(file, "%zu", &pages), 1);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    }
    const rlim_t space = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + block + block / 2;
    const struct rlimit now = {limited ? space : before.rlim_cur, before.rlim_max};
    if (ranks_rank == ranks_size - 1) {
        assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
    }
}

static void mappings_fail_on_one_rank(void **state)
{
    objects o = {.l = lab_named("p8")};
    gfp_mpi_poly *x = NULL;
    const size_t block = (size_t)1 << 25;
    (void)state;
    objects_over(&o, o.l->field);
    if (o.mpi->direct && ranks_size > 1) {
        limit_space(true, block);
        const gfp_status status = gfp_mpi_poly_create(
            &x, o.mpi, block / (8 * sizeof(uint64_t)) * (size_t)ranks_size, &options);
        limit_space(false, block);
        ranks_expect(status, GFP_ERR_MEMORY, &error, "no memory for a block");
        assert_null(x);
    }
    check_products(&o, 100, 50, RANDOM);
    objects_end(&o);
}

/* Blocks that memory has no room for are refused on all ranks. */
static void too_much_memory_is_refused(void **state)
{
    objects o = {.l = lab_named("p8")};
    gfp_mpi_poly *x = NULL;
    (void)state;
    objects_over(&o, o.l->field);
    if (o.mpi->direct) {
        const size_t n = (size_t)1 << 44;
        ranks_expect(gfp_mpi_poly_create(&x, o.mpi, n, &options), GFP_ERR_MEMORY, &error,
                     ranks_size > 1 ? "no memory for a block" : "");
    }
    ranks_expect(gfp_mpi_poly_create(&x, o.mpi, SIZE_MAX / 2, &options), GFP_ERR_SIZE, &error,
                 "a block of ");
    assert_null(x);
    check_products(&o, 100, 50, RANDOM);
    objects_end(&o);
}

/* The polynomials of a test of kept blocks: more than the context keeps. */
#define KEPT ((size_t)6)

static void create_kept(objects *o, gfp_mpi_poly *x[KEPT])
{
    for (size_t i = 0; i < KEPT; i++) {
        assert_int_equal(gfp_mpi_poly_create(&x[i], o->mpi, 1000, &options), GFP_OK);
    }
}

/* Polynomials of one length get blocks that others had, which ranks destroyed in other orders. */
static void kept_blocks_are_the_same_on_all_ranks(void **state)
{
    objects o = {.l = lab_named("p8")};
    gfp_mpi_poly *x[KEPT];
    (void)state;
    objects_over(&o, o.l->field);
    for (size_t round = 0; round < 3; round++) {
        create_kept(&o, x);
        for (size_t i = 0; i < KEPT; i++) {
            fill_poly(o.l, &o.p, 1000, RANDOM, i);
            assert_int_equal(gfp_mpi_poly_scatter(x[i], &o.p, 0, &options), GFP_OK);
        }
        for (size_t i = 0; i < KEPT; i++) { /* rank 0 wrote; each rank reads */
            size_t at, count;
            fill_poly(o.l, &o.p, 1000, RANDOM, i);
            const uint64_t *block = gfp_mpi_poly_block(&at, &count, x[i]);
            assert_memory_equal(block, o.p.digits + at * 8, count * 8 * sizeof *block);
        }
        for (size_t i = 0; i < KEPT; i++) {
            gfp_mpi_poly_destroy(x[(i + (size_t)ranks_rank) % KEPT]);
        }
    }
    objects_end(&o);
}

/* One rank destroys a polynomial before a call, the others after it. */
static void other_kept_blocks_are_refused(void **state)
{
    objects o = {.l = lab_named("p8")};
    gfp_mpi_poly *x[KEPT], *y = NULL;
    (void)state;
    objects_over(&o, o.l->field);
    for (int victim = 0; victim < ranks_size && ranks_size > 1; victim++) {
        create_kept(&o, x);
        for (size_t i = 0; i < KEPT && ranks_rank == victim; i++) {
            gfp_mpi_poly_destroy(x[i]);
        }
        ranks_expect(gfp_mpi_poly_create(&y, o.mpi, 1000, &options), GFP_ERR_ARGUMENT, &error,
                     "different blocks to use again");
        assert_null(y);
        for (size_t i = 0; i < KEPT && ranks_rank != victim; i++) {
            gfp_mpi_poly_destroy(x[i]);
        }
        ranks_expect(gfp_mpi_poly_create(&y, o.mpi, 1000, &options), GFP_ERR_ARGUMENT, &error,
                     "different blocks to use again");
        check_products(&o, 100, 50, RANDOM);
    }
    objects_end(&o);
}

/* ---- failures ---- */

/* A short life of all objects. Returns the first status that is not OK. */
static gfp_status run_calls(gfp_field *field)
{
    gfp_mpi *mpi = NULL;
    gfp_mpi_poly *a = NULL, *c = NULL;
    gfp_poly p;
    uint64_t y[GFP_MAX_K], one[GFP_MAX_K];
    gfp_poly_init(&p, field);
    gfp_elem_one(field, one);
    memset(&error, 0, sizeof error);
    gfp_status status = gfp_poly_set_coeff_u64(&p, 40, 7);
    assert_int_equal(status, GFP_OK);
    if (status == GFP_OK && (status = gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, &options)) == 0 &&
        (status = gfp_mpi_poly_create(&a, mpi, 0, &options)) == 0 &&
        (status = gfp_mpi_poly_create(&c, mpi, 30, &options)) == 0 &&
        (status = gfp_mpi_poly_scatter(a, &p, 0, &options)) == 0 &&
        (status = gfp_mpi_poly_mul(c, a, c, &options)) == 0 &&
        (status = gfp_mpi_poly_scalar_addmul(c, a, c, one, &options)) == 0 &&
        (status = gfp_mpi_poly_eval(y, c, one, &options)) == 0) {
        status = gfp_mpi_poly_gather(&p, c, 0, &options);
    }
    gfp_mpi_poly_destroy(a);
    gfp_mpi_poly_destroy(c);
    gfp_mpi_destroy(mpi);
    gfp_poly_clear(&p);
    return status;
}

/* The same of transforms, dealt and by rank 0. */
static gfp_status run_transforms(gfp_field *field)
{
    gfp_mpi *mpi = NULL;
    gfp_mpi_poly *a = NULL, *b = NULL;
    memset(&error, 0, sizeof error);
    gfp_status status = gfp_mpi_create(&mpi, MPI_COMM_WORLD, field, &options);
    if (status == GFP_OK && (status = gfp_mpi_poly_create(&a, mpi, 512, &options)) == 0 &&
        (status = gfp_mpi_fft_run(a, a, GFP_FORWARD, GFP_ORDER_NATURAL, &options)) == 0 &&
        (status = gfp_mpi_fft_run(a, a, GFP_INVERSE, GFP_ORDER_PERMUTED, &options)) == 0 &&
        (status = gfp_mpi_poly_create(&b, mpi, 16, &options)) == 0) {
        status = gfp_mpi_fft_run(a, b, GFP_FORWARD, GFP_ORDER_NATURAL, &options);
    }
    gfp_mpi_poly_destroy(a);
    gfp_mpi_poly_destroy(b);
    gfp_mpi_destroy(mpi);
    return status;
}

static gfp_status (*const lives[])(gfp_field *field) = {run_calls, run_transforms};

static void memory_fails_on_one_rank(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++) {
        assert_true(ranks_memory_fails(lives[i], &error, false) || lab_is_short());
        assert_false(ranks_memory_fails(lives[i], &error, true));
    }
}

static void mpi_fails_on_one_rank(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++) {
        ranks_mpi_fails(lives[i], &error);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_one_process),
        cmocka_unit_test(sums_and_values_are_those_of_one_process),
        cmocka_unit_test(long_products_are_those_of_one_process),
        cmocka_unit_test(factors_are_cut),
        cmocka_unit_test(squares_are_cut),
        cmocka_unit_test(transforms_are_those_of_one_process),
        cmocka_unit_test(refused_transforms_reach_all_ranks),
        cmocka_unit_test(blocks_are_the_coefficients),
        cmocka_unit_test(verifies_at_points),
        cmocka_unit_test(refusals_reach_all_ranks),
        cmocka_unit_test(options_are_read_before_all_work),
        cmocka_unit_test(other_arguments_and_calls_reach_all_ranks),
        cmocka_unit_test(sharing_fails_on_one_rank),
        cmocka_unit_test(mappings_fail_on_one_rank),
        cmocka_unit_test(too_much_memory_is_refused),
        cmocka_unit_test(kept_blocks_are_the_same_on_all_ranks),
        cmocka_unit_test(other_kept_blocks_are_refused),
        cmocka_unit_test(memory_fails_on_one_rank),
        cmocka_unit_test(mpi_fails_on_one_rank),
    };
    ranks_begin(&argc, &argv);
    return ranks_end(cmocka_run_group_tests(tests, lab_setup, lab_teardown));
}
