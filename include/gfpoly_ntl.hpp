/* gfpoly_ntl.hpp: from and to NTL (10 and later), for C++17 and later. A header over gfpoly.hpp and
 * NTL's own ones; programs link both libraries.
 *
 *   NTL::ZZ_p::init(NTL::power(NTL::power2_ZZ(63) + NTL::power2_ZZ(34), 8) + 1);
 *   gfp::field field = gfp::ntl_field();     // of NTL's modulus
 *   gfp::poly f = gfp::from_ntl(field, x);   // x: NTL::ZZ_pX
 *   NTL::ZZ_pX y = gfp::to_ntl(f * f);
 *   y = gfp::ntl_mul(field, x, x);           // the same, in one call
 *
 * NTL's polynomials and elements belong to the modulus that the thread has installed (ZZ_p::init,
 * ZZ_pContext). Each function compares this modulus with the field's (FIELD_MISMATCH); where none
 * is installed, that is ARGUMENT. Functions of gfp throw, those of gfp::checked return results, as
 * in gfpoly.hpp; memory that NTL lacks is NTL's affair. Cost: a conversion, O(n k^2) word products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_NTL_HPP
#define GFPOLY_NTL_HPP

#include <NTL/ZZ_limbs.h>
#include <NTL/ZZ_pX.h>

#include <gfpoly.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <vector>

namespace gfp
{

namespace detail
{

static_assert(sizeof(NTL::ZZ_limb_t) == sizeof(std::uint64_t), "NTL's limbs have 64 bits");

/* words := |x|, in `limbs` words; x has no more. */
inline void ntl_get_words(std::uint64_t *words, std::size_t limbs, const NTL::ZZ &x)
{
    const NTL::ZZ_limb_t *from = NTL::ZZ_limbs_get(x);
    const std::size_t size = static_cast<std::size_t>(x.size());
    std::copy(from, from + size, words);
    std::fill(words + size, words + limbs, 0);
}

/* x := the words, which are below the modulus. */
inline void ntl_set_words(NTL::ZZ_p &x, const std::uint64_t *words, std::size_t limbs)
{
    const NTL::ZZ_limb_t *from = reinterpret_cast<const NTL::ZZ_limb_t *>(words);
    NTL::ZZ_limbs_set(x.LoopHole(), from, static_cast<long>(limbs));
}

/* OK if the modulus that this thread has installed is that of f. */
inline gfp_status ntl_compare(const field &f)
{
    if (!f || NTL::ZZ_pInfo == nullptr) {
        return GFP_ERR_ARGUMENT;
    }
    const NTL::ZZ &p = NTL::ZZ_p::modulus();
    const std::size_t limbs = f.limbs();
    if (static_cast<std::size_t>(p.size()) != limbs) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    std::vector<std::uint64_t> installed(limbs);
    ntl_get_words(installed.data(), limbs, p);
    return std::equal(installed.begin(), installed.end(), gfp_field_modulus_limbs(f.get()))
               ? GFP_OK
               : GFP_ERR_FIELD_MISMATCH;
}

} // namespace detail

namespace checked
{

/* The field of the modulus that is installed. Errors: those of make_field; ARGUMENT. */
inline result<field> ntl_field()
{
    if (NTL::ZZ_pInfo == nullptr) {
        return detail::explain(GFP_ERR_ARGUMENT, detail::no_error());
    }
    std::ostringstream text;
    text << NTL::ZZ_p::modulus();
    return make_field(text.str());
}

inline result<elem> from_ntl(const field &f, const NTL::ZZ_p &x)
{
    const gfp_status status = detail::ntl_compare(f);
    if (status != GFP_OK) {
        return detail::explain(status, detail::no_error());
    }
    elem y(f);
    gfp_error e = detail::no_error();
    std::vector<std::uint64_t> words(f.limbs());
    detail::ntl_get_words(words.data(), words.size(), NTL::rep(x));
    const gfp_status set =
        gfp_vec_set_limbs(f.get(), y.digits(), words.data(), words.size(), words.size(), 1, &e);
    if (set != GFP_OK) {
        return detail::explain(set, e);
    }
    return y;
}

inline result<poly> from_ntl(const field &f, const NTL::ZZ_pX &a)
{
    const gfp_status status = detail::ntl_compare(f);
    if (status != GFP_OK) {
        return detail::explain(status, detail::no_error());
    }
    poly b(f);
    gfp_error e = detail::no_error();
    const std::size_t n = static_cast<std::size_t>(a.rep.length()), limbs = f.limbs();
    std::vector<std::uint64_t> words(n * limbs);
    for (std::size_t i = 0; i < n; i++) {
        const NTL::ZZ &x = NTL::rep(a.rep[static_cast<long>(i)]);
        detail::ntl_get_words(words.data() + i * limbs, limbs, x);
    }
    const gfp_status set = gfp_poly_set_limbs(b.get(), words.data(), limbs, limbs, n, &e);
    if (set != GFP_OK) {
        return detail::explain(set, e);
    }
    return b;
}

inline result<NTL::ZZ_p> to_ntl(const elem &x)
{
    const field &f = x.parent();
    const gfp_status status = detail::ntl_compare(f);
    if (status != GFP_OK) {
        return detail::explain(status, detail::no_error());
    }
    NTL::ZZ_p y;
    std::vector<std::uint64_t> words(f.limbs());
    gfp_vec_get_limbs(f.get(), words.data(), words.size(), x.digits(), 1);
    detail::ntl_set_words(y, words.data(), words.size());
    return y;
}

inline result<NTL::ZZ_pX> to_ntl(const poly &a)
{
    const field &f = a.parent();
    const gfp_status status = detail::ntl_compare(f);
    if (status != GFP_OK) {
        return detail::explain(status, detail::no_error());
    }
    NTL::ZZ_pX b;
    const std::size_t n = a.length(), limbs = f.limbs();
    std::vector<std::uint64_t> words(n * limbs);
    gfp_poly_get_limbs(words.data(), limbs, a.get());
    b.SetLength(static_cast<long>(n));
    for (std::size_t i = 0; i < n; i++) {
        detail::ntl_set_words(b[static_cast<long>(i)], words.data() + i * limbs, limbs);
    }
    b.normalize();
    return b;
}

/* a b, by gfpoly. */
inline result<NTL::ZZ_pX> ntl_mul(const field &f, const NTL::ZZ_pX &a, const NTL::ZZ_pX &b,
                                  const gfp_options *options = nullptr)
{
    const result<poly> x = checked::from_ntl(f, a);
    if (!x) {
        return x.failure();
    }
    if (&a == &b) {
        const result<poly> z = checked::sqr(*x, options);
        return z ? checked::to_ntl(*z) : result<NTL::ZZ_pX>(z.failure());
    }
    const result<poly> y = checked::from_ntl(f, b);
    if (!y) {
        return y.failure();
    }
    const result<poly> z = checked::mul(*x, *y, options);
    return z ? checked::to_ntl(*z) : result<NTL::ZZ_pX>(z.failure());
}

} // namespace checked

/* The same, with exceptions. */
inline field ntl_field()
{
    return checked::ntl_field().value();
}
inline elem from_ntl(const field &f, const NTL::ZZ_p &x)
{
    return checked::from_ntl(f, x).value();
}
inline poly from_ntl(const field &f, const NTL::ZZ_pX &a)
{
    return checked::from_ntl(f, a).value();
}
inline NTL::ZZ_p to_ntl(const elem &x)
{
    return checked::to_ntl(x).value();
}
inline NTL::ZZ_pX to_ntl(const poly &a)
{
    return checked::to_ntl(a).value();
}
inline NTL::ZZ_pX ntl_mul(const field &f, const NTL::ZZ_pX &a, const NTL::ZZ_pX &b,
                          const gfp_options *options = nullptr)
{
    return checked::ntl_mul(f, a, b, options).value();
}

} // namespace gfp

#endif
