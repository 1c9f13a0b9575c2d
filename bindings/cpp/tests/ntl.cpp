/* ntl.cpp: gfpoly_ntl.hpp: elements and polynomials from and to NTL, whose products, sums and
 * decimal numbers are the oracle.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gfpoly_ntl.hpp>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

namespace
{

using NTL::ZZ;
using NTL::ZZ_p;
using NTL::ZZ_pX;

/* The status that the function throws; OK: nothing. */
template <class Function> gfp_status ntl_thrown(Function function)
{
    try {
        function();
    } catch (const gfp::error &e) {
        EXPECT(e.what()[0] != '\0');
        return e.status();
    }
    return GFP_OK;
}

template <class T> std::string ntl_text(const T &x)
{
    std::ostringstream out;
    out << x;
    return out.str();
}

ZZ modulus_of(const gfp::field &f)
{
    return NTL::conv<ZZ>(f.modulus().c_str());
}

void ntl_elements(const gfp::field &f)
{
    const ZZ p = ZZ_p::modulus();
    const ZZ values[] = {ZZ(0),
                         ZZ(1),
                         NTL::to_ZZ(static_cast<unsigned long>(f.r())),
                         p - 1,
                         p / 2,
                         p / ZZ(3),
                         NTL::RandomBnd(p),
                         NTL::power2_ZZ(64) % p,
                         p - NTL::to_ZZ(static_cast<unsigned long>(f.r()))};
    for (const ZZ &value : values) {
        const ZZ_p x = NTL::conv<ZZ_p>(value);
        const gfp::elem y = gfp::from_ntl(f, x);
        EXPECT(y.to_string() == ntl_text(value));
        EXPECT(gfp::to_ntl(y) == x);
        EXPECT(gfp::to_ntl(y * y) == x * x);
    }
}

void ntl_polynomials(const gfp::field &f)
{
    for (const long n : {0L, 1L, 2L, 7L, 40L, 300L}) {
        ZZ_pX a = NTL::random_ZZ_pX(n), b = NTL::random_ZZ_pX(n / 2 + 1);
        for (long i = 0; i < n; i += 3) {
            NTL::SetCoeff(a, i, i % 2 == 0 ? 0 : -1);
        }
        const gfp::poly x = gfp::from_ntl(f, a), y = gfp::from_ntl(f, b);
        EXPECT(static_cast<long>(x.length()) == a.rep.length());
        EXPECT(x == gfp::poly::parse(f, ntl_text(a), GFP_FORMAT_NTL));
        EXPECT(gfp::to_ntl(x) == a && gfp::to_ntl(y) == b);
        EXPECT(gfp::to_ntl(x + y) == a + b);
        EXPECT(gfp::to_ntl(x * y) == a * b);
        EXPECT(gfp::ntl_mul(f, a, b) == a * b);
        EXPECT(gfp::ntl_mul(f, a, a) == NTL::sqr(a));
        a = gfp::ntl_mul(f, a, b);
        EXPECT(a == gfp::to_ntl(x * y));
    }
}

void ntl_fields()
{
    for (const char *name : {"p8", "p4", "p16", "m8", "30^32+1", "2^4+1", "p64"}) {
        const gfp::field f(name);
        ZZ_p::init(modulus_of(f));
        EXPECT(gfp::ntl_field().modulus() == f.modulus());
        ntl_elements(f);
        ntl_polynomials(f);
    }
}

void ntl_errors()
{
    const gfp::field f("p8"), g("p4");
    const gfp::poly x(f, {1, 2, 3});
    EXPECT(ntl_thrown([] { gfp::ntl_field(); }) == GFP_ERR_ARGUMENT); /* no modulus */
    EXPECT(ntl_thrown([&] { gfp::to_ntl(x); }) == GFP_ERR_ARGUMENT);
    ZZ_p::init(modulus_of(f));
    const ZZ_pX a = NTL::random_ZZ_pX(9);
    EXPECT(gfp::to_ntl(x) == gfp::to_ntl(gfp::from_ntl(f, gfp::to_ntl(x))));
    EXPECT(ntl_thrown([&] { gfp::from_ntl(g, a); }) == GFP_ERR_FIELD_MISMATCH);
    EXPECT(ntl_thrown([&] { gfp::from_ntl(gfp::field{}, a); }) == GFP_ERR_ARGUMENT);
    EXPECT(ntl_thrown([&] { gfp::ntl_mul(g, a, a); }) == GFP_ERR_FIELD_MISMATCH);
    {
        /* As many limbs, another number. */
        NTL::ZZ_pPush push(modulus_of(f) + 2);
        EXPECT(ntl_thrown([&] { gfp::to_ntl(x); }) == GFP_ERR_FIELD_MISMATCH);
        EXPECT(ntl_thrown([&] { gfp::to_ntl(x[0]); }) == GFP_ERR_FIELD_MISMATCH);
        EXPECT(ntl_thrown([&] { gfp::from_ntl(f, ZZ_p(1)); }) == GFP_ERR_FIELD_MISMATCH);
        const auto none = gfp::checked::ntl_field();
        EXPECT(!none && none.failure().status == GFP_ERR_MODULUS);
    }
    gfp_options options = {};
    options.method = "nothing";
    const auto refused = gfp::checked::ntl_mul(f, a, a, &options);
    EXPECT(!refused && refused.failure().message[0] != '\0');
    /* The modulus is the thread's. */
    std::thread([&] { EXPECT(ntl_thrown([&] { gfp::to_ntl(x); }) == GFP_ERR_ARGUMENT); }).join();
    EXPECT(ntl_thrown([&] { gfp::to_ntl(x); }) == GFP_OK);
}

} // namespace

int main()
{
    ntl_errors();
    ntl_fields();
    std::puts("all right");
    return 0;
}
