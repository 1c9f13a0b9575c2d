/* fast_fields.h: the radices that the fast arithmetic serves (fast_radix.h): named primes of at
 * most 16 digits with constants of the compiler, any other radix with constants at run time.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_FAST_FIELDS_H
#define GFP_GPU_CUDA_FAST_FIELDS_H

#include "gpu/cuda/fast_radix.h"

namespace gfp_fast
{

/* Whether the ranges of gpu/cuda/fast_ranges.py hold; powers of 2 have no inverse in three words.
 */
FAST_HD constexpr bool is_served(unsigned k, u64 r)
{
    const u64 most = k < 16 ? RADIX_MOST : ((u64)1 << 63) - 1;
    return (k == 2 || k == 4 || k == 8 || k == 16) && RADIX_LEAST <= r && r <= most &&
           (r & (r - 1)) != 0;
}

/* Stands for F as an argument of functions. */
template <class F_> struct type_of {
    typedef F_ F;
};

/* Whether is_served(k, r) and the constants are the compiler's: a named prime. */
constexpr bool is_named(unsigned k, u64 r)
{
    bool named = false;
#define GFP_NAMED_PRIME(name, formula, named_r, named_k, ...)                                      \
    named = named || (named_k == k && named_r == r && is_served(k, r));
#include "field/primes/named.inc"
#undef GFP_NAMED_PRIME
    return named;
}

/* Returns fn(type_of<F>) for the F that serves r^K + 1; is_served(K, r) holds. */
template <int K, class Fn> static auto with_radix(u64 r, const Fn &fn)
{
#define GFP_NAMED_PRIME(name, formula, named_r, named_k, ...)                                      \
    if constexpr (named_k == K && is_served(K, named_r)) {                                         \
        if (r == named_r) {                                                                        \
            return fn(type_of<modulus<K, named_r>>{});                                             \
        }                                                                                          \
    }
#include "field/primes/named.inc"
#undef GFP_NAMED_PRIME
    return (u32)r == 0 ? fn(type_of<radix<K, true>>{}) : fn(type_of<radix<K, false>>{});
}

/* The same for any k with is_served(k, r). */
template <class Fn> static auto with_field(unsigned k, u64 r, const Fn &fn)
{
    switch (k) {
    case 2:
        return with_radix<2>(r, fn);
    case 4:
        return with_radix<4>(r, fn);
    case 8:
        return with_radix<8>(r, fn);
    default:
        return with_radix<16>(r, fn);
    }
}

} // namespace gfp_fast
#endif
