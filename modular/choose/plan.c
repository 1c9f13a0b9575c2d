/* plan.c: the public call that explains how an operation over Z would be computed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/zplan.h"

#include <math.h>
#include <string.h>

#include "crt/small/native.h"
#include "field/base/options.h"
#include "modular/choice.h"
#include "modular/gcd/impl.h"
#include "modular/choose/predict.h"
#include "modular/resultant/impl.h"
#include "modular/mul/cost.h"
#include "modular/mul/methods.h"
#include "modular/reduce.h"
#include "modular/mul/split.h"

const char *gfp_zoperation_name(gfp_zoperation operation)
{
    static const char *const names[GFP_ZOPERATION_COUNT] = {"mul", "gcd", "resultant",
                                                            "discriminant"};
    return (unsigned)operation < GFP_ZOPERATION_COUNT ? names[operation] : NULL;
}

static void set_trivial(gfp_zplan *plan)
{
    plan->count = plan->pick = 0;
    plan->why = "the operands are so simple that no strategy is needed";
}

static void set_lengths(gfp_zplan *plan, const gfp_zvec *a, const gfp_zvec *b)
{
    plan->len_a = gfp_zvec_length(a);
    plan->len_b = gfp_zvec_length(b);
    plan->bits_a = gfp_zvec_bits(a);
    plan->bits_b = gfp_zvec_bits(b);
}

static void set_sizes(gfp_zplan *plan, gfp_zpoly a, gfp_zpoly b)
{
    plan->len_a = a.len;
    plan->len_b = b.len;
    plan->bits_a = gfp_zpoly_bits(a);
    plan->bits_b = gfp_zpoly_bits(b);
}

/* ---- products ---- */

static void set_words(gfp_zprediction *row, const gfp_zmul *z)
{
    const gfp_ztimes times = gfp_zcost_words(z);
    row->convert_ns = times.project + times.recombine;
    row->primes = z->shape.primes;
    row->blocks = z->shape.blocks;
    row->bits = row->primes * GFP_WORDS_BITS;
}

static void set_big(gfp_zprediction *row, const gfp_zmul *z)
{
    const bool there = atomic_load(&z->ring->field[z->named]) != NULL;
    row->prime = gfp_named_prime_get(z->named)->name;
    row->primes = 1;
    row->bits = gfp_zring_bits(z->named);
    row->create_ns = there ? 0 : gfp_zcost_field(z->named);
}

static void fill_product(gfp_zprediction *row, const gfp_zmul *z, const gfp_zstrategy *s)
{
    *row = (gfp_zprediction){.name = s->name, .reason = s->refuses(z)};
    if (row->reason == NULL && s->bytes(z) > z->cap) {
        row->reason = "the strategy needs more memory than the cap";
    }
    if (row->reason != NULL) {
        return;
    }
    row->estimate_ns = s->time(z);
    if (s == &gfp_zmul_words) {
        set_words(row, z);
    } else if (s == &gfp_zmul_short) {
        row->primes = gfp_zcost_short(z).blocks;
        row->convert_ns = gfp_zcost_short(z).recombine;
        row->bits = row->primes * GFP_NATIVE_BITS;
    } else if (s == &gfp_zmul_big) {
        set_big(row, z);
    } else if (s == &gfp_zmul_kronecker) {
        row->bits = 64 * gfp_z_width(z->bits);
    }
}

/* The row of this strategy; count: there is none. */
static size_t row_of(const gfp_zplan *plan, const char *name)
{
    size_t i = 0;
    while (i < plan->count && strcmp(plan->row[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void pick_product(gfp_zplan *plan, gfp_zmul *z)
{
    const gfp_zstrategy *s = gfp_zmul_choice(z);
    plan->pick = s != NULL ? row_of(plan, s->name) : plan->count;
    size_t least = plan->pick;
    for (size_t i = 0; i < plan->count && s != NULL; i++) {
        const gfp_zprediction *row = &plan->row[i];
        least = row->reason == NULL && row->estimate_ns < plan->row[least].estimate_ns ? i : least;
    }
    if (s == NULL) {
        plan->why = "no strategy fits the cap on memory";
    } else if (least == plan->pick) {
        plan->why = "it has the least predicted time";
    } else if (plan->row[least].create_ns > 0) {
        plan->why = "the field of the faster one is created once products without it have lost as "
                    "much time";
    } else {
        plan->why = "the product is too short for further predictions";
    }
}

static gfp_status plan_product(gfp_zplan *plan, const gfp_zvec *const factors[2],
                               const gfp_options *options)
{
    gfp_zring *ring = factors[0]->ring;
    double split_ns = HUGE_VAL;
    gfp_zmul z = {.ring = ring,
                  .square = factors[0] == factors[1],
                  .threads = gfp_zmul_threads(ring, options->threads),
                  .cap = options->memory_cap == 0 ? SIZE_MAX : options->memory_cap,
                  .options = options};
    if (gfp_zmul_may_split(factors[0], factors[1], options)) {
        GFP_TRY(gfp_zsplit_predict(&split_ns, factors, options));
    }
    const gfp_status status = gfp_zmul_read(&z, factors);
    if (status != GFP_OK && split_ns == HUGE_VAL) {
        return status;
    }
    if (status == GFP_OK) {
        plan->bits = z.bits;
        plan->count = gfp_size_min(gfp_zmul_count(), GFP_ZPLAN_ROWS - 1);
        for (size_t i = 0; i < plan->count; i++) {
            fill_product(&plan->row[i], &z, gfp_zmul_strategy(i));
        }
        pick_product(plan, &z);
    }
    if (split_ns < HUGE_VAL) {
        plan->pick = plan->count;
        plan->row[plan->count++] = (gfp_zprediction){.name = "split", .estimate_ns = split_ns};
        plan->why = "a few coefficients are much longer than the others";
    }
    return GFP_OK;
}

/* ---- gcds and resultants ---- */

static gfp_status plan_gcd(gfp_zplan *plan, gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    gfp_znat of_a, of_b;
    gfp_zreduced r;
    if (a.len == 0 || b.len == 0) {
        set_trivial(plan);
        return GFP_OK;
    }
    GFP_TRY(gfp_zreduce(call, &r, a, b));
    set_sizes(plan, r.a, r.b);
    if (r.a.len == 1 || r.b.len == 1) {
        set_trivial(plan);
        return GFP_OK;
    }
    GFP_TRY(gfp_zcontent(call, &of_a, r.a));
    GFP_TRY(gfp_zcontent(call, &of_b, r.b));
    GFP_TRY(gfp_zdivide_exact(call, &a, r.a, of_a));
    GFP_TRY(gfp_zdivide_exact(call, &b, r.b, of_b));
    set_sizes(plan, a, b);
    if ((gfp_zpoly_are_equal(a, b) || gfp_zpoly_are_opposite(a, b)) && call->method == GFP_Z_AUTO) {
        set_trivial(plan);
    } else {
        const gfp_zoperands p = {.a = a, .b = b, .bits_a = plan->bits_a, .bits_b = plan->bits_b};
        gfp_zplan_gcd(plan, call, &p);
    }
    return GFP_OK;
}

static gfp_status plan_resultant(gfp_zplan *plan, gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    gfp_zfactored f;
    if (a.len == 0 || b.len == 0) {
        set_trivial(plan);
        return GFP_OK;
    }
    GFP_TRY(gfp_zresultant_factor(call, &f, a, b));
    set_sizes(plan, f.pair.a, f.pair.b);
    if (f.zero || f.power == 0) {
        set_trivial(plan);
    } else if (call->method == GFP_Z_AUTO && gfp_zpair_is_linear(&f.pair)) {
        set_trivial(plan);
        plan->why = "an operand is linear: the resultant is a value of the other one";
    } else {
        gfp_zplan_resultant(plan, call, &f.pair);
    }
    return GFP_OK;
}

static gfp_status plan_call(gfp_zplan *plan, gfp_zcall *call, const gfp_zvec *a, const gfp_zvec *b)
{
    gfp_zpoly f, g = {NULL, 0, 1};
    GFP_TRY(gfp_zpoly_of(call, &f, a));
    if (plan->operation != GFP_ZOPERATION_DISCRIMINANT) {
        GFP_TRY(gfp_zpoly_of(call, &g, b));
    } else if (f.len > 1) {
        GFP_TRY(gfp_zderivative(call, &g, f));
    }
    set_sizes(plan, f, g);
    return plan->operation == GFP_ZOPERATION_GCD ? plan_gcd(plan, call, f, g)
                                                 : plan_resultant(plan, call, f, g);
}

/* ---- the call ---- */

/* The row that the options name. */
static gfp_status take_named(gfp_zplan *plan, const gfp_options *options)
{
    if (gfp_options_auto(options) || plan->count == 0) {
        return GFP_OK;
    }
    const size_t row = row_of(plan, options->method);
    if (row == plan->count) {
        char list[100] = "";
        for (size_t i = 0, used = 0; i < plan->count; i++) {
            used = gfp_list_name(list, sizeof list, used, plan->row[i].name);
        }
        return gfp_error_set(
            options->error, GFP_ERR_UNKNOWN,
            "unknown method \"%.60s\" of this operation over Z; available: auto, %s",
            options->method, list);
    }
    const bool serves = plan->row[row].reason == NULL;
    plan->pick = serves ? row : plan->count;
    plan->next = NULL;
    plan->why = serves ? "the options name it" : "the strategy that the options name cannot serve";
    return GFP_OK;
}

static gfp_status make_plan(gfp_zplan *plan, const gfp_zvec *a, const gfp_zvec *b,
                            const gfp_options *options)
{
    const gfp_zvec *const factors[] = {a, b};
    gfp_zcall call;
    if (plan->operation == GFP_ZOPERATION_MUL) {
        set_lengths(plan, a, b);
        if (plan->len_a == 0 || plan->len_b == 0) {
            set_trivial(plan);
            return GFP_OK;
        }
        return plan_product(plan, factors, options);
    }
    GFP_TRY(gfp_zcall_begin(&call, "plan over Z", a->ring, options));
    call.cofactors = true;
    return gfp_zcall_end(&call, plan_call(plan, &call, a, b));
}

gfp_status gfp_zvec_plan(gfp_zplan *plan, gfp_zoperation operation, const gfp_zvec *a,
                         const gfp_zvec *b, const gfp_options *options)
{
    const bool one = operation == GFP_ZOPERATION_DISCRIMINANT;
    const gfp_zvec *const vectors[] = {a, one ? a : b};
    gfp_options copy;
    gfp_zplan made = {.operation = operation};
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_zvec_check(vectors, 2, "plan over Z", options->error));
    if (plan == NULL || gfp_zoperation_name(operation) == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "plan over Z: no such operation");
    }
    /* The call below reads other options only. */
    gfp_options quiet = *options;
    quiet.progress = NULL;
    quiet.report = NULL;
    made.threads = options->threads > 1 ? options->threads : 1;
    GFP_TRY(make_plan(&made, a, b, &quiet));
    GFP_TRY(take_named(&made, options));
    *plan = made;
    return GFP_OK;
}
