/* costs.c: the compiled-in times of the methods on a device: a table of resident products, and
 * times of transfers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "product/methods/costs.h"
#include "product/device/methods.h"

/* Columns of the table. */
enum { BIGFFT, HYBRID, MULTIMODULAR };

static const gfp_cost_row resident_rows[] = {
#define BUS(byte_ns, call_ns)
#define COSTS(k, log2_len, ...)                                                                    \
    {0, 0, 1, k, 0, UINT64_C(1) << (log2_len), UINT64_C(1) << (log2_len), {__VA_ARGS__}, 0},
#include "product/methods/costs_gpu.inc"
#undef BUS
#undef COSTS
};
static const gfp_cost_table resident = {resident_rows,
                                        sizeof resident_rows / sizeof resident_rows[0]};
#define COSTS(k, log2_len, ...)
#define BUS(byte_ns, call_ns) static const double bus_byte_ns = (byte_ns), bus_call_ns = (call_ns);
#include "product/methods/costs_gpu.inc"
#undef BUS
#undef COSTS
#define MAX_K 128

static double costs_growth(double m)
{
    return m + log2(m + 2);
}

static double follow_law(const gfp_shape *shape, double m)
{
    return shape->growth(m);
}

/* Beyond the largest k of the table: the time of the largest k for as many digits. */
static double resident_log2(size_t column, unsigned k, double m)
{
    const gfp_shape law = {.value = follow_law, .growth = costs_growth};
    for (; k > MAX_K; k /= 2) {
        m += 1;
    }
    return gfp_cost_log2(&resident, k, 0, column, &law, m);
}

double gfp_device_log2_cost(gfp_gpu_method method, const gfp_field *field, double m,
                            bool is_resident)
{
    const unsigned k = gfp_field_k(field);
    const size_t column = method == GFP_GPU_METHOD_BIGFFT   ? BIGFFT
                          : method == GFP_GPU_METHOD_HYBRID ? HYBRID
                                                            : MULTIMODULAR;
    const double ns = exp2(resident_log2(column, k, m));
    if (is_resident) {
        return log2(ns);
    }
    /* Two factors and the product: 4 2^m elements. */
    return log2(ns + bus_call_ns + bus_byte_ns * 4 * exp2(m) * k * sizeof(uint64_t));
}

/* ---- several devices ---- */

/* Measured on two H200: a member's kernels take 1 / 0.88 of their share of the time of one device;
 * a link carries 370 bytes a nanosecond; dealing takes the host 0.4 ms a member. */
#define DEALT_EFFICIENCY 0.88
#define LINK_BYTES 370.0
#define MEMBER_NS 4e5
/* The host's own copies, to page-locked memory, are the limit (those of page-locked operands would
 * be divided, which the lengths do not tell). Digits are exchanged beside the computing: blocks of
 * both factors, and as many of the product. */
double gfp_device_dealt_ns(gfp_gpu_method method, const gfp_field *field, double m, double ns,
                           const gfp_device_dealing *dealing)
{
    const double g = dealing->members, k = gfp_field_k(field);
    const double host = exp2(gfp_device_log2_cost(method, field, m, false));
    const double computing = exp2(gfp_device_log2_cost(method, field, m, true)) / host * ns;
    const double call = bus_call_ns / host * ns, copies = ns - computing - call;
    const double exchange =
        dealing->product ? 2 * (1 - 1 / g) * exp2(m + 1) * k * sizeof(uint64_t) / LINK_BYTES : 0;
    return call + copies + fmax(computing / (g * DEALT_EFFICIENCY), exchange) + g * MEMBER_NS;
}
