/* decision.c: see decision.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/decision.h"

#include <math.h>
#include <stdatomic.h>

#include "field/base/attachment.h"
#include "product/choose/choice.h"
#include "field/base/convert.h"
#include "field/base/cpu.h"
#include "field/base/word.h"

double gfp_host_part(const gfp_job_size *size)
{
    const double all = (double)(size->len_a + size->len_b - 1);
    const double wanted = (double)(size->end - size->first);
    return wanted >= all ? 1 : 0.4 + 0.6 * wanted / all;
}

bool gfp_job_is_short(const gfp_job_size *size)
{
    return size->bits_a > 0 && size->bits_b > 0 &&
           size->bits_a + size->bits_b + gfp_log2_above(size->len_b) < size->bits;
}

/* Fields of small radices convert elements one by one, and have slower kernels. */
static double decision_slower(const gfp_field *field)
{
    return gfp_field_r(field) < GFP_CONVERT_R_MIN ? 3 : 1;
}

double gfp_decision_product_ns(const gfp_field *field, const gfp_job_size *size)
{
    const gfp_range range =
        gfp_range_make(field, NULL, NULL, size->len_a, size->len_b, size->first, size->end);
    const gfp_options options = {.size = sizeof options};
    const gfp_problem problem = gfp_range_problem(&range);
    gfp_request request = gfp_request_make(&problem, field, &options);
    if (gfp_job_is_short(size)) {
        request.bits_a = size->bits_a;
        request.bits_b = size->bits_b;
    }
    const gfp_method *method = gfp_request_pick(NULL, &request);
    return method == NULL ? HUGE_VAL : gfp_request_time(&request, method);
}

/* Between numbers of these limbs and digits base r, by divisions and multiplications whose number
 * is quadratic; the kernels of a level convert several coefficients at once, also the last ones. */
static double radix_ns(const gfp_field *field, double count)
{
    static const double scales[GFP_LEVEL_MEASURED] = {
        [GFP_LEVEL_PORTABLE] = 9, [GFP_LEVEL_AVX2] = 2.8, [GFP_LEVEL_AVX512IFMA] = 1};
    const double limbs = gfp_field_limbs(field);
    return scales[gfp_level_measured(gfp_field_level(field))] * (count + 12) *
           (2 * limbs + 0.06 * limbs * limbs);
}

static gfp_decision compare_mod(const gfp_host *host, void *where, const gfp_job_size *size)
{
    const gfp_field *field = where;
    gfp_decision d = {false, size->kind->own_ns(field, size)};
    if (d.ns < HUGE_VAL) {
        const double limbs = gfp_field_limbs(field);
        const double in = (double)(size->len_a + (size->square ? 0 : size->len_b));
        const double out = (double)(size->end - size->first);
        const double ns = d.ns + gfp_host_convert_ns(limbs, in, out) + radix_ns(field, in + out);
        d.take =
            ns * decision_slower(field) < GFP_DECISION_MARGIN * size->kind->host_ns(host, size);
    }
    return d;
}

/* ---- what a thread remembers ---- */

typedef struct memory {
    const gfp_host *volatile host; /* NULL: no memory */
    const void *where;             /* the field or the ring */
    gfp_job_size size;
    gfp_decision decision;
} memory;

#define MEMORIES 32
static _Thread_local memory memories[MEMORIES];

/* A product modulo p and the product over Z for which the host asks then have places apart. */
static memory *place_of(const gfp_job_size *size)
{
    const size_t values[] = {size->len_a, size->len_b,  size->end,    size->first,
                             size->bits,  size->bits_a, size->bits_b, size->square};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        h = (h ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return &memories[h % MEMORIES];
}

static bool is_same(const memory *m, const gfp_host *host, const void *where, const gfp_job_size *s)
{
    return m->host == host && m->where == where && m->size.kind == s->kind &&
           m->size.len_a == s->len_a && m->size.len_b == s->len_b && m->size.first == s->first &&
           m->size.end == s->end && m->size.bits == s->bits && m->size.bits_a == s->bits_a &&
           m->size.bits_b == s->bits_b && m->size.square == s->square;
}

gfp_decision gfp_decide(gfp_comparison *compare, const gfp_host *host, void *where,
                        const gfp_job_size *size)
{
    memory *m = place_of(size);
    if (is_same(m, host, where, size)) {
        return m->decision;
    }
    const gfp_decision decision = compare(host, where, size);
    /* A handler may jump out of this, or ask for a computation: no memory is half of another one.
     */
    m->host = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    m->where = where;
    m->size = *size;
    m->decision = decision;
    atomic_signal_fence(memory_order_seq_cst);
    m->host = host;
    return decision;
}

gfp_decision gfp_decide_mod(const gfp_host *host, const gfp_field *field, const gfp_job_size *size)
{
    return gfp_decide(compare_mod, host, (void *)field, size);
}
