/* ntl.h: what tests of libgfpoly_ntl.so share: the settings (lab.h),
 * polynomials, moduli, products by NTL's integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BINDINGS_PRELOAD_TESTS_NTL_H
#define BINDINGS_PRELOAD_TESTS_NTL_H

#include <NTL/ZZ_pX.h>

#include <exception>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#define PRELOAD_VARIABLE "GFPOLY_NTL"
#define PRELOAD_COUNT "gfpoly_ntl_count"
#include "bindings/preload/tests/lab.h"

using NTL::ZZ;
using NTL::ZZ_p;
using NTL::ZZ_pX;

/* ---- polynomials ---- */

enum fill { UNIFORM, GREATEST, SPARSE, FILLS };

inline ZZ_pX make(long n, fill how = UNIFORM)
{
    ZZ_pX f;
    f.SetLength(n);
    for (long i = 0; i < n; i++) {
        if (how == GREATEST) {
            f[i] = -1;
        } else if (how == UNIFORM || i % 5 == 0) {
            NTL::random(f[i]);
        }
    }
    f[n - 1] = how == SPARSE ? 1 : -1;
    return f;
}

/* The value of f at 2^(8 size), over Z. */
inline ZZ pack(const ZZ_pX &f, long size)
{
    std::vector<unsigned char> bytes(static_cast<size_t>(size * f.rep.length()) + 1);
    for (long i = 0; i < f.rep.length(); i++) {
        NTL::BytesFromZZ(&bytes[static_cast<size_t>(size * i)], NTL::rep(f.rep[i]), size);
    }
    return NTL::ZZFromBytes(bytes.data(), size * f.rep.length());
}

inline ZZ_pX expected(const ZZ_pX &f, const ZZ_pX &g)
{
    const long n = f.rep.length() + g.rep.length();
    const long size = 2 * NTL::NumBytes(ZZ_p::modulus()) + 8;
    const ZZ product = pack(f, size) * pack(g, size);
    std::vector<unsigned char> bytes(static_cast<size_t>(size * n));
    NTL::BytesFromZZ(bytes.data(), product, size * n);
    ZZ_pX h;
    h.SetLength(n);
    for (long i = 0; i < n; i++) {
        h[i] = NTL::to_ZZ_p(NTL::ZZFromBytes(&bytes[static_cast<size_t>(size * i)], size));
    }
    h.normalize();
    return h;
}

/* Installs radix^k + 1. */
inline void install(const char *radix, long k)
{
    ZZ_p::init(NTL::power(NTL::conv<ZZ>(radix), k) + 1);
}

const char *const R8 = "9223372054034644992"; /* p8: (2^63 + 2^34)^8 + 1 */

struct modulus {
    const char *radix;
    long k;
    bool ours; /* products of hundreds of terms are taken, at every kernel level */
};

const modulus moduli[] = {
    {R8, 8, true},
    {"18445618173802708992", 4, true},  /* p4: (2^64 - 2^50)^4 + 1 */
    {"9232379236109516800", 2, true},   /* p2: (2^63 + 2^53)^2 + 1 */
    {"4611686087146864640", 16, true},  /* p16: (2^62 + 2^36)^16 + 1 */
    {"30", 32, false},                  /* of 158 bits: taken at some levels */
    {R8, 4, false},                     /* composite */
    {"9223372054034644994", 8, false},  /* composite */
    {"9223372054034644992", 12, false}, /* k is no power of two */
    {"1000003", 1, false},              /* a word */
};

/* ---- exceptions ---- */

/* NTL calls this function of the program before it ends the process; it throws. */
inline void refuse(const char *)
{
    throw std::exception();
}

#endif
