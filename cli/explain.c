/* explain.c: --explain: the strategies of an operation over Z with their predicted times, and the
 * reason of the pick.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "cli/cli.h"

static void print_time(double ns)
{
    const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 999.5 && unit < 3; unit++) {
        ns /= 1e3;
    }
    printf("%.3g %s", ns, units[unit]);
}

static void print_primes(const gfp_zprediction *row)
{
    if (row->prime != NULL) {
        printf("; %s, %zu bits", row->prime, row->bits);
    } else if (row->blocks > 0) {
        printf("; %zu primes of 50 bits in %zu block%s, %zu bits", row->primes, row->blocks,
               row->blocks == 1 ? "" : "s", row->bits);
    } else if (row->primes > 0) {
        printf("; %zu big prime%s, %zu bits", row->primes, row->primes == 1 ? "" : "s", row->bits);
    } else if (row->bits > 0) {
        printf("; one integer, %zu bits for each coefficient", row->bits);
    }
}

static void print_row(const gfp_zprediction *row, double least)
{
    printf("  %-10s ", row->name);
    if (row->reason != NULL) {
        printf("cannot serve: %s\n", row->reason);
        return;
    }
    print_time(row->estimate_ns);
    if (row->estimate_ns > least) {
        printf(", %.3g times the least", row->estimate_ns / least);
    }
    print_primes(row);
    if (row->convert_ns > 0) {
        printf("; conversions ");
        print_time(row->convert_ns);
    }
    if (row->proof_ns > 0) {
        printf("; proof ");
        print_time(row->proof_ns);
    }
    if (row->create_ns > 0) {
        printf("; once ");
        print_time(row->create_ns);
        printf(" for %s", row->prime != NULL                    ? "the field"
                          : row->blocks == 0 && row->primes > 0 ? "fields"
                                                                : "tables");
    }
    printf("\n");
}

static double least_estimate(const gfp_zplan *plan)
{
    double least = INFINITY;
    for (size_t i = 0; i < plan->count; i++) {
        const gfp_zprediction *row = &plan->row[i];
        least = row->reason == NULL ? fmin(least, row->estimate_ns) : least;
    }
    return least;
}

/* The line above the strategies: for which divisor a gcd's times are. */
static void print_divisor(const gfp_zplan *plan)
{
    if (plan->operation != GFP_ZOPERATION_GCD) {
        printf("considered:\n");
    } else if (plan->len_g == 0) {
        printf("considered, times for a divisor of half of the degree and for none in the mean:\n");
    } else if (plan->len_g == 1) {
        printf("considered, times for coprime operands:\n");
    } else {
        printf("considered, times for a divisor of %zu coefficients:\n", plan->len_g);
    }
}

static void print_plan(const gfp_zplan *plan)
{
    const bool gcd = plan->operation == GFP_ZOPERATION_GCD;
    printf("%s of %zu and %zu coefficients of at most %zu and %zu bits, %u thread%s\n",
           gfp_zoperation_name(plan->operation), plan->len_a, plan->len_b, plan->bits_a,
           plan->bits_b, plan->threads, plan->threads == 1 ? "" : "s");
    if (plan->count > 0) {
        if (plan->bits > 0) { /* 0: the guess for a gcd fails */
            printf("the result has %s %zu bits\n", gcd ? "perhaps" : "at most", plan->bits);
        }
        print_divisor(plan);
    }
    for (size_t i = 0; i < plan->count; i++) {
        print_row(&plan->row[i], least_estimate(plan));
    }
    printf("pick: %s%s%s\n", plan->pick < plan->count ? plan->row[plan->pick].name : "none",
           plan->next != NULL ? ", then perhaps " : "", plan->next != NULL ? plan->next : "");
    printf("why: %s\n", plan->why);
}

static void json_plan(const gfp_zplan *plan)
{
    struct json json;
    json_begin(&json, stdout);
    json_string(&json, "operation", gfp_zoperation_name(plan->operation));
    json_u64(&json, "len_a", plan->len_a);
    json_u64(&json, "len_b", plan->len_b);
    json_u64(&json, "bits_a", plan->bits_a);
    json_u64(&json, "bits_b", plan->bits_b);
    json_u64(&json, "bits", plan->bits);
    json_u64(&json, "len_g", plan->len_g);
    json_u64(&json, "threads", plan->threads);
    json_string(&json, "pick", plan->pick < plan->count ? plan->row[plan->pick].name : NULL);
    json_string(&json, "then", plan->next);
    json_string(&json, "why", plan->why);
    json_open(&json, "strategies", '[');
    for (size_t i = 0; i < plan->count; i++) {
        const gfp_zprediction *row = &plan->row[i];
        json_open(&json, NULL, '{');
        json_string(&json, "name", row->name);
        json_bool(&json, "available", row->reason == NULL);
        json_string(&json, "reason", row->reason);
        json_double(&json, "estimate_ns", row->estimate_ns);
        json_double(&json, "convert_ns", row->convert_ns);
        json_double(&json, "proof_ns", row->proof_ns);
        json_double(&json, "create_ns", row->create_ns);
        json_string(&json, "prime", row->prime);
        json_u64(&json, "primes", row->primes);
        json_u64(&json, "blocks", row->blocks);
        json_u64(&json, "bits", row->bits);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

int explain_call(const struct call *call)
{
    gfp_zplan plan;
    gfp_error error = {.message = ""};
    gfp_report report;
    gfp_options options = call_options(call->request, &report);
    options.error = &error;
    const gfp_zvec *a = integers_of(call, 0), *b = call->files == 2 ? integers_of(call, 1) : NULL;
    const gfp_status status = gfp_zvec_plan(&plan, call->operation->planned, a, b, &options);
    if (status != GFP_OK) {
        return complain_status(call->name, status, &error);
    }
    if (call->request->call.json) {
        json_plan(&plan);
    } else {
        print_plan(&plan);
    }
    return flush_standard_output(0);
}
