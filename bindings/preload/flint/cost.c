/* cost.c: the predicted times of FLINT, and whether a product over Z is faster here. FLINT's times
 * over Z are those of the choice of products over Z (modular/mul/cost.h), measured with and without
 * FLINT's transforms fft_small.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "bindings/preload/decision.h"
#include "bindings/preload/flint/job.h"
#include "field/base/word.h"
#include "modular/mul/cost.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

static double flint_z(const gfp_host *host, const gfp_job_size *size, size_t bits)
{
    gfp_zmul z = {.bits = bits};
    z.a.len = size->len_a;
    z.b.len = size->len_b;
    z.a.width = gfp_z_width(size->bits_a);
    z.b.width = gfp_z_width(size->bits_b);
    return gfp_zcost_flint_of(&z, host->fft) * gfp_host_part(size) * (size->square ? 0.75 : 1);
}

/* ---- modulo p ---- */

/* FLINT divides each coefficient of this many limbs by p, if it is longer. */
static double cost_reduction(double limbs, double product)
{
    const double quotient = product - limbs + 1;
    return quotient < 1 ? 10 : 40 + 8 * limbs + 0.9 * limbs * fmin(quotient, limbs);
}

/* FLINT computes a product that needs no reduction over Z, and asks for that product here. */
double gfp_host_mod_ns(const gfp_host *host, const gfp_job_size *size)
{
    if (gfp_job_is_short(size)) {
        return 0;
    }
    const size_t bits = size->bits_a + size->bits_b + gfp_log2_above(size->len_b);
    const double limbs = (double)(size->bits + 63) / 64;
    /* The measured lengths of products over Z are 4^i: between 4 and 16 they promise too much. */
    const double grid = size->len_b < 8 ? 0.65 : 1;
    return grid * flint_z(host, size, bits) +
           (double)(size->end - size->first) * cost_reduction(limbs, (double)bits / 64);
}

/* A call; from and to fmpz, for each coefficient. */
double gfp_host_convert_ns(double limbs, double in, double out)
{
    return 700 + in * (12 + 3 * limbs) + out * (25 + 3 * limbs);
}

/* ---- over Z ---- */

static gfp_decision compare_z(const gfp_host *host, void *ring, const gfp_job_size *size)
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
    const gfp_zstrategy *s = gfp_zmul_choice(&z);
    if (s != NULL) {
        const double in = (double)(size->len_a + (size->square ? 0 : size->len_b));
        d.ns = s->time(&z);
        d.take =
            d.ns + gfp_host_convert_ns((double)z.width, in / 2, (double)(size->end - size->first)) <
            GFP_DECISION_MARGIN * flint_z(host, size, z.bits);
    }
    return d;
}

gfp_decision gfp_decide_z(const gfp_host *host, gfp_zring *ring, const gfp_job_size *size)
{
    return gfp_decide(compare_z, host, ring, size);
}
