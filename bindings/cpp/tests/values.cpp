/* values.cpp: gfpoly.hpp against the C library: values, operators, exceptions, results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gfpoly.hpp>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

namespace
{

/* The status that the function throws; OK: nothing. */
template <class Function> gfp_status values_thrown(Function function)
{
    try {
        function();
    } catch (const gfp::error &e) {
        EXPECT(e.what()[0] != '\0');
        EXPECT(e.details().status == e.status());
        return e.status();
    }
    return GFP_OK;
}

void fields_and_elements()
{
    const gfp::field f("p8"), same = f, g("(2^64-2^50)^4+1"),
                              copy((UINT64_C(1) << 63) + (UINT64_C(1) << 34), 8);
    EXPECT(f == same && f == copy && f != g && f.name() == "p8" && f.k() == 8 && f.bits() == 505);
    EXPECT(f.limbs() == 8 && f.r() == (UINT64_C(1) << 63) + (UINT64_C(1) << 34));
    EXPECT(gfp::elem(f, f.modulus().substr(0, 100)).to_string() == f.modulus().substr(0, 100));
    const gfp::elem x(f, 6), y(f, "7");
    EXPECT((x * y).to_string() == "42" && (x * y).to_string(16) == "2a" &&
           (x + y).to_string() == "13");
    EXPECT((y - x).is_one() && (x - x).is_zero() && x / y * y == x && x != y);
    EXPECT(-x + x == gfp::elem(f) && x.pow(3).to_string() == "216");
    EXPECT(values_thrown([&] { (void)(x + gfp::elem(g, 1)); }) == GFP_ERR_FIELD_MISMATCH);
    EXPECT(values_thrown([&] { (void)(x / gfp::elem(f)); }) == GFP_ERR_NOT_INVERTIBLE);
    EXPECT(values_thrown([&] { gfp::elem(f, f.modulus()); }) == GFP_ERR_RANGE);
    EXPECT(values_thrown([&] { gfp::elem(gfp::field{}, 1); }) == GFP_ERR_ARGUMENT);
    EXPECT(values_thrown([] { gfp::field("p9"); }) == GFP_ERR_UNKNOWN);
    EXPECT(values_thrown([] { gfp::field(10, 4); }) != GFP_ERR_UNKNOWN);
    const auto bad = gfp::checked::make_field("(2^63+2^34)^4+1");
    EXPECT(!bad && bad.failure().status == GFP_ERR_COMPOSITE && bad.failure().message[0] != '\0');
    EXPECT(bad.value_or(f) == f);
    EXPECT(values_thrown([&] { bad.value(); }) == GFP_ERR_COMPOSITE);
}

/* value means itself modulo p, whatever its type. */
template <class T> void expect_value(const gfp::field &f, T value, const char *number)
{
    const gfp::elem x = number[0] == '-' ? -gfp::elem(f, number + 1) : gfp::elem(f, number);
    EXPECT(gfp::elem(f, value) == x);
    EXPECT(gfp::poly(f, {value, 1})[0] == x && gfp::poly(f, {value, 1})[1].is_one());
    EXPECT(gfp::elem(f, gfp::integer(value)) == x);
}

void integers_of_every_type()
{
    using gfp::elem;
    for (const char *name : {"p8", "4^2+1", "(2^64-2^50)^4+1"}) {
        const gfp::field f(name);
        const elem one(f, 1);
        elem word = one + one; /* 2^64 */
        word = word.pow(64);
        expect_value(f, 0, "0");
        expect_value(f, 5, "5");
        expect_value(f, -1, "-1");
        expect_value(f, static_cast<signed char>(-7), "-7");
        expect_value(f, static_cast<short>(-16), "-16");
        expect_value(f, -3L, "-3");
        expect_value(f, -3LL, "-3");
        expect_value(f, 3U, "3");
        expect_value(f, true, "1");
        expect_value(f, std::size_t(9), "9");
        EXPECT(elem(f, INT64_MIN) + elem(f, INT64_MAX) == -one &&
               elem(f, INT32_MIN) + elem(f, INT32_MAX) == -one);
        EXPECT(elem(f, UINT64_MAX) == word - one);
#if defined(__SIZEOF_INT128__)
        __extension__ typedef __int128 wide;
        __extension__ typedef unsigned __int128 unsigned_wide;
        EXPECT(elem(f, wide(1) << 64) == word && elem(f, -(wide(1) << 64)) == -word);
        EXPECT(elem(f, -(wide(1) << 64) - 1) == -word - one &&
               elem(f, ~unsigned_wide(0)) == word * word - one);
#endif
        int c = -1;
        EXPECT(gfp::poly(f, {c, 1}) + gfp::poly(f, {1}) == (gfp::poly(f, {1}) << 1));
        const elem x(f, 3);
        EXPECT(x.pow(-1) * x == one && x.pow(c) * x == one && x.pow(-2) * x * x == one &&
               x.pow(0) == one);
        EXPECT(x.pow(INT64_MIN) * x.pow(UINT64_C(1) << 63) == one);
        EXPECT(values_thrown([&] { elem(f).pow(-1); }) == GFP_ERR_NOT_INVERTIBLE);
        const gfp::poly g(f, {2, 1}), m(f, {3, 0, 1});
        EXPECT(gfp::pow_mod(g, c, m) * g % m == gfp::poly(f, {1}));
        EXPECT(gfp::pow_mod(g, {c}, m) == gfp::pow_mod(g, -1, m));
        EXPECT(gfp::pow_mod(g, 5, m) == g * g * g * g * g % m);
        EXPECT(gfp::pow_mod(g, {0, 1}, m) ==
               gfp::pow_mod(gfp::pow_mod(g, UINT64_C(1) << 63, m), 2, m));
        EXPECT(gfp::pow_mod(g, std::vector<std::uint64_t>{5}, m) == gfp::pow_mod(g, 5, m));
        EXPECT(values_thrown([&] { gfp::pow_mod(g, {1, -1}, m); }) == GFP_ERR_ARGUMENT);
        std::uint64_t z[GFP_MAX_K];
        gfp_elem_set_si(f.get(), z, INT64_MIN);
        EXPECT(gfp_elem_equal(f.get(), z, elem(f, INT64_MIN).digits()));
        gfp::poly h(f);
        EXPECT(gfp_poly_set_coeff_si(h.get(), 2, -3) == GFP_OK && h == gfp::poly(f, {0, 0, -3}));
    }
    static_assert(!std::is_constructible<elem, gfp::field, double>::value, "");
    static_assert(!std::is_constructible<elem, gfp::field, float>::value, "");
    static_assert(!std::is_convertible<double, gfp::integer>::value, "");
    static_assert(!std::is_convertible<long double, gfp::exponent>::value, "");
    static_assert(std::is_constructible<elem, gfp::field, long>::value, "");
    static_assert(!std::is_constructible<elem, gfp::field, std::nullptr_t>::value, "");
}

void values_polynomials()
{
    const gfp::field field("p4");
    gfp::random random(3);
    const gfp::poly f(field, {1, 2, 3}), g(field, {4, 5});
    EXPECT(f.length() == 3 && f.degree() == 2 && f[1].to_string() == "2" && f[7].is_zero());
    EXPECT(f * g == gfp::poly(field, {4, 13, 22, 15}) && f + g == gfp::poly(field, {5, 7, 3}));
    EXPECT(f - f == gfp::poly(field) && (-f + f).is_zero() && (f << 2) >> 2 == f);
    EXPECT((f << 1)[0].is_zero() && gfp::elem(field, 2) * f == f + f &&
           f * gfp::elem(field, 1) == f);
    EXPECT(f(gfp::elem(field, 10)).to_string() == "321");
    const gfp::poly a = gfp::poly::random(field, 300, random),
                    b = gfp::poly::random(field, 120, random);
    const gfp::poly d = gfp::poly::random(field, 50, random);
    EXPECT(a / b * b + a % b == a && (a % b).degree() < b.degree());
    const auto [quo, rem] = gfp::divrem(a, b);
    EXPECT(quo == a / b && rem == a % b);
    const gfp::bezout z = gfp::xgcd(a * d, b * d);
    EXPECT(z.gcd == gfp::gcd(a * d, b * d) && z.u * (a * d) + z.v * (b * d) == z.gcd);
    EXPECT(z.gcd.degree() >= d.degree() && (d % z.gcd).is_zero());
    EXPECT(gfp::resultant(a * d, b * d).is_zero() && !gfp::resultant(a, b).is_zero());
    EXPECT(gfp::sqr(a) == a * a && gfp::mullow(a, b, 70) == a * b - ((a * b >> 70) << 70));
    EXPECT(gfp::mulmid(a, b, 30, 60) == gfp::mullow(a * b >> 30, gfp::poly(field, {1}), 60));
    EXPECT(gfp::mullow(gfp::inv_series(a, 99), a, 99).is_one());
    EXPECT(gfp::derivative(f) == gfp::poly(field, {2, 6}));
    EXPECT(gfp::pow_mod(a, {5}, b) == a * a * a * a * a % b);
    EXPECT(gfp::pow_mod(a, {5}, gfp::poly(field, {3})).is_zero());
    EXPECT(gfp::poly::parse(field, a.to_string()) == a);
    EXPECT(gfp::poly::parse(field, g.to_string(GFP_FORMAT_NTL), GFP_FORMAT_NTL) == g);
    EXPECT(g.to_string(GFP_FORMAT_NTL) == "[4 5]");
}

void values_values()
{
    const gfp::field field("p8");
    gfp::random random(4);
    static_assert(std::is_nothrow_move_constructible_v<gfp::poly>);
    static_assert(std::is_nothrow_move_assignable_v<gfp::poly>);
    gfp::poly a = gfp::poly::random(field, 40, random), b = a, c(field);
    EXPECT(a == b && a.get()->digits != b.get()->digits);
    c = std::move(b);
    EXPECT(c == a);
    b = c;
    b *= b;
    b /= c;
    EXPECT(b == a);
    const gfp::poly same = b;
    b %= same;
    EXPECT(b.is_zero());
    const gfp::poly &alias = a;
    a = alias;
    EXPECT(a == c);
    swap(a, b);
    EXPECT(a.is_zero() && b == c);
    std::vector<gfp::poly> many(5, c);
    many.erase(many.begin());
    EXPECT(many.size() == 4 && many[3] == c);
    /* The polynomial keeps the field. */
    gfp::poly kept(field);
    {
        const gfp::field short_lived("m4");
        kept = gfp::poly(short_lived, {1, 1});
    }
    EXPECT((kept * kept)[1].to_string() == "2" && kept.parent().name() == "m4");
}

void values_errors()
{
    const gfp::field f("p8"), g("p4");
    const gfp::poly a(f, {1, 2}), b(g, {1, 2}), zero(f);
    EXPECT(values_thrown([&] { (void)(a * b); }) == GFP_ERR_FIELD_MISMATCH);
    EXPECT(values_thrown([&] { (void)(a + b); }) == GFP_ERR_FIELD_MISMATCH);
    EXPECT(values_thrown([&] { (void)(a / zero); }) == GFP_ERR_NOT_INVERTIBLE);
    EXPECT(values_thrown([&] { (void)a(gfp::elem(g, 1)); }) == GFP_ERR_FIELD_MISMATCH);
    EXPECT(values_thrown([&] { gfp::poly::parse(f, "nonsense"); }) == GFP_ERR_PARSE);
    EXPECT(values_thrown([&] { gfp::poly(gfp::field{}); }) == GFP_ERR_ARGUMENT);
    gfp_options options = {};
    gfp_report report = {};
    options.method = "nothing";
    const auto r = gfp::checked::mul(a, a, &options);
    EXPECT(!r.has_value() && r.failure().status == GFP_ERR_UNKNOWN);
    options.method = "classical";
    options.verify = GFP_VERIFY_CROSS;
    options.report = &report;
    EXPECT(gfp::checked::mul(a, a, &options).value() == a * a);
    EXPECT(std::string(report.method) == "classical" && report.verified == GFP_VERIFY_CROSS);
    EXPECT(gfp::checked::divrem(a, zero).failure().status == GFP_ERR_NOT_INVERTIBLE);
    auto good = gfp::checked::gcd(a, a);
    EXPECT(good && good->degree() == 1 && *good == std::move(good).value());
}

} // namespace

int main()
{
    fields_and_elements();
    integers_of_every_type();
    values_polynomials();
    values_values();
    values_errors();
    std::puts("gfpoly.hpp: all right");
    return 0;
}
