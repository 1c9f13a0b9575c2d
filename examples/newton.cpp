/* newton.cpp: gfpoly.hpp: 1 / f modulo X^n by Newton's iteration, g := g (2 - f g), each step at
 * twice the terms, and the same by the library. Usage: newton [TERMS [FIELD]]
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gfpoly.hpp>

#include <cstdio>
#include <cstdlib>

static gfp::poly inverse(const gfp::poly &f, std::size_t n)
{
    const gfp::poly two(f.parent(), {2});
    gfp::poly g(f.parent(), std::vector<gfp::elem>{gfp::inv(f[0])});
    for (std::size_t m = 1; m < n;) {
        m = 2 * m < n ? 2 * m : n;
        g = gfp::mullow(g, two - gfp::mullow(f, g, m), m);
    }
    return g;
}

int main(int argc, char **argv)
{
    const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
    try {
        const gfp::field field(argc > 2 ? argv[2] : "p8");
        gfp::random random(1);
        const gfp::poly f = gfp::poly::random(field, n, random);
        const gfp::poly g = inverse(f, n);
        const bool right = g == gfp::inv_series(f, n) && gfp::mullow(f, g, n).is_one();
        std::printf("1 / f modulo X^%zu over %s: %s\n", n, field.name().c_str(),
                    right ? "right" : "WRONG");
        return right ? 0 : 1;
    } catch (const gfp::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
