/* decision.c: what a thread remembers of its decisions: calls in turn, as those of a product modulo
 * p and of the product over Z for which the host asks then, decide once each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bindings/preload/decision.h"

/* ---- what decision.c asks a host for; no test gets there ---- */

double gfp_host_convert_ns(double limbs, double in, double out)
{
    (void)limbs;
    (void)in;
    (void)out;
    return 0;
}

/* ---- decisions ---- */

static size_t decided;

static gfp_decision count_decision(const gfp_host *host, void *where, const gfp_job_size *size)
{
    (void)host;
    (void)where;
    decided++;
    return (gfp_decision){size->bits == 0, (double)size->len_a};
}

static void expect_decision(void *where, const gfp_job_size *size)
{
    const gfp_host *host = (const void *)&decided; /* an address, which nothing reads */
    const gfp_decision d = gfp_decide(count_decision, host, where, size);
    assert_true(d.take == (size->bits == 0) && d.ns == (double)size->len_a);
}

static void products_in_turn_are_decided_once(void **state)
{
    enum { TURNS = 10 };
    static const gfp_job_kind kind;
    static const size_t lengths[] = {1, 2, 3, 4, 8, 15, 16, 32, 33, 64, 100, 128, 256, 1000, 1024};
    static const size_t bits[] = {7, 8, 60, 63, 64, 128, 192, 255, 256, 378, 504};
    const size_t count = sizeof lengths / sizeof *lengths * (sizeof bits / sizeof *bits);
    int field, ring;
    (void)state;
    decided = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (size_t j = 0; j < sizeof bits / sizeof *bits; j++) {
            const gfp_job_size over_z = {.len_a = lengths[i],
                                         .len_b = lengths[i],
                                         .end = 2 * lengths[i] - 1,
                                         .bits_a = bits[j],
                                         .bits_b = bits[j]};
            gfp_job_size modulo = over_z;
            modulo.kind = &kind;
            modulo.bits = 256;
            for (unsigned turn = 0; turn < TURNS; turn++) {
                expect_decision(&field, &modulo);
                expect_decision(&ring, &over_z);
            }
        }
    }
    /* Two decisions of a pair have the same place rarely, and then each turn decides both. */
    assert_true(decided >= 2 * count);
    assert_true(decided < 2 * count + 2 * TURNS * count / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_in_turn_are_decided_once),
    };
    return cmocka_run_group_tests_name("preload_decision", tests, NULL, NULL);
}
