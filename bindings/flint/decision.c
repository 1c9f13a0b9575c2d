/* decision.c: see decision.h. FLINT's times over Z are those of the choice of products over Z
 * (modular/zcost.h), measured with and without FLINT's transforms fft_small.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "decision.h"

#include <string.h>

#include "chooser.h"
#include "convert.h"
#include "shield.h"
#include "zcost.h"
#include "zmul.h"
#include "zvec_impl.h"

/* A product is taken if its predicted time here is below this part of FLINT's. */
#define MARGIN 0.85

/* The part of a product's time that FLINT takes for these coefficients of it. */
static double part(const gfp_job_size *size)
{
    const double all = (double)(size->len_a + size->len_b - 1);
    const double wanted = (double)(size->end - size->first);
    return wanted >= all ? 1 : 0.4 + 0.6 * wanted / all;
}

static double flint_z(const gfp_host *host, const gfp_job_size *size, size_t bits)
{
    gfp_zmul z = {.bits = bits};
    gfp_zfactors_read(z.factor, NULL);
    z.a.len = size->len_a;
    z.b.len = size->len_b;
    z.a.width = gfp_z_width(size->bits_a);
    z.b.width = gfp_z_width(size->bits_b);
    return gfp_zcost_flint_of(&z, host->fft) * part(size) * (size->square ? 0.75 : 1);
}

static size_t log2_above(size_t n)
{
    size_t log2_n = 0;
    while (n > (size_t)1 << log2_n) {
        log2_n++;
    }
    return log2_n;
}

/* ---- modulo p ---- */

/* FLINT divides each coefficient by p. */
static double reduction(double limbs)
{
    return 40 + 8 * limbs + 0.9 * limbs * limbs;
}

double gfp_decision_flint_mod(const gfp_host *host, const gfp_job_size *size)
{
    const double limbs = (double)(size->bits_a + 63) / 64;
    /* The measured lengths of products over Z are 4^i: between 4 and 16 they promise too much. */
    const double grid = size->len_b < 8 ? 0.65 : 1;
    return grid * flint_z(host, size, 2 * size->bits_a + log2_above(size->len_b)) +
           (double)(size->end - size->first) * reduction(limbs);
}

/* A call, with the signals that wait; from and to fmpz, for each coefficient. */
static double conversion(double limbs, double in, double out)
{
    return 700 + in * (12 + 3 * limbs) + out * (25 + 3 * limbs);
}

/* Fields of small radices convert elements one by one, and have slower kernels. */
static double slower(const gfp_field *field)
{
    return gfp_field_r(field) < GFP_CONVERT_R_MIN ? 3 : 1;
}

static gfp_decision compare_mod(const gfp_host *host, const gfp_field *field,
                                const gfp_job_size *size)
{
    const gfp_range range = {field, NULL, NULL, size->len_a, size->len_b, size->first, size->end};
    const gfp_options options = {.size = sizeof options};
    const gfp_problem problem = gfp_range_problem(&range);
    const gfp_request request = gfp_request_make(&problem, field, &options);
    const gfp_method *method = gfp_request_pick(NULL, &request);
    gfp_decision d = {false, 0};
    if (method != NULL) {
        const double limbs = gfp_field_limbs(field);
        const double in = (double)(size->len_a + (size->square ? 0 : size->len_b));
        d.ns = gfp_request_time(&request, method);
        const double ns = d.ns + conversion(limbs, in, (double)(size->end - size->first));
        d.take = ns * slower(field) < MARGIN * gfp_decision_flint_mod(host, size);
    }
    return d;
}

/* ---- over Z ---- */

static gfp_decision compare_z(const gfp_host *host, gfp_zring *ring, const gfp_job_size *size)
{
    const gfp_options options = {.size = sizeof options};
    gfp_zmul z = {.ring = ring, .square = size->square, .threads = 1, .cap = SIZE_MAX};
    z.options = &options;
    gfp_decision d = {false, 0};
    z.a = (gfp_zfactor){NULL, size->len_a, gfp_z_width(size->bits_a), size->bits_a};
    z.b = (gfp_zfactor){NULL, size->len_b, gfp_z_width(size->bits_b), size->bits_b};
    if (gfp_zmul_prepare(&z) != GFP_OK) {
        return d;
    }
    const gfp_zstrategy *s = gfp_zmul_choice(&z, false);
    if (s != NULL) {
        const double in = (double)(size->len_a + (size->square ? 0 : size->len_b));
        d.ns = s->time(&z);
        d.take = d.ns + conversion((double)z.width, in / 2, (double)(size->end - size->first)) <
                 MARGIN * flint_z(host, size, z.bits);
    }
    return d;
}

/* ---- what a thread remembers ---- */

typedef struct memory {
    const gfp_host *host;
    const void *where; /* the field or the ring */
    gfp_job_size size;
    gfp_decision decision;
} memory;

#define MEMORIES 32
static _Thread_local memory memories[MEMORIES];

static memory *place_of(const gfp_job_size *size)
{
    const size_t h = size->len_a * 31 + size->len_b * 17 + size->end * 7 + size->first * 3 +
                     size->bits_a * 5 + size->bits_b + size->square;
    return &memories[(h ^ h >> 5) % MEMORIES];
}

static bool is_same(const memory *m, const gfp_host *host, const void *where, const gfp_job_size *s)
{
    return m->host == host && m->where == where && m->size.len_a == s->len_a &&
           m->size.len_b == s->len_b && m->size.first == s->first && m->size.end == s->end &&
           m->size.bits_a == s->bits_a && m->size.bits_b == s->bits_b &&
           m->size.square == s->square;
}

gfp_decision gfp_decide_mod(const gfp_host *host, const gfp_field *field, const gfp_job_size *size)
{
    memory *m = place_of(size);
    if (!is_same(m, host, field, size)) {
        gfp_shield shield;
        gfp_shield_raise(&shield);
        *m = (memory){host, field, *size, compare_mod(host, field, size)};
        gfp_shield_lower(&shield);
    }
    return m->decision;
}

gfp_decision gfp_decide_z(const gfp_host *host, gfp_zring *ring, const gfp_job_size *size)
{
    memory *m = place_of(size);
    if (!is_same(m, host, ring, size)) {
        gfp_shield shield;
        gfp_shield_raise(&shield);
        *m = (memory){host, ring, *size, compare_z(host, ring, size)};
        gfp_shield_lower(&shield);
    }
    return m->decision;
}
