/* bench/hosts_ntl.cpp: a program of NTL that knows nothing of gfpoly, for bench/hosts.py, which
 * starts it alone and with libgfpoly_ntl.so preloaded.
 *   gfpoly_hosts_ntl MODULUS FACTOR FACTOR SECONDS
 *   gfpoly_hosts_ntl grid NAME=MODULUS ...
 * Prints NTL's version, the least CPU time of mul in ms, and the product, a line each. Files and
 * product are in NTL's format. grid: prints the least CPU time in ns of each operation, field, pair
 * of lengths and pair of sizes in bits, a line each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

#include <NTL/ZZ_pX.h>
#include <NTL/version.h>

static double cpu_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/* ---- the grid ---- */

struct cell {
    std::string field;
    long len_a, len_b, bits_a, bits_b;
    NTL::ZZ_pX f, g, h, q, r, s;
};

static const struct {
    const char *name;
    void (*run)(cell &c);
    bool equal;    /* for operands of equal lengths and sizes alone */
    bool quotient; /* f has twice the length, and g is monic */
} operations[] = {
    {"mul", [](cell &c) { NTL::mul(c.h, c.f, c.g); }, false, false},
    {"sqr", [](cell &c) { NTL::sqr(c.h, c.f); }, true, false},
    {"MulTrunc", [](cell &c) { NTL::MulTrunc(c.h, c.f, c.g, c.len_a); }, false, false},
    {"DivRem", [](cell &c) { NTL::DivRem(c.q, c.r, c.f, c.g); }, false, true},
    {"rem", [](cell &c) { NTL::rem(c.r, c.f, c.g); }, false, true},
    {"GCD", [](cell &c) { NTL::GCD(c.h, c.f, c.g); }, true, false},
    {"XGCD", [](cell &c) { NTL::XGCD(c.h, c.r, c.s, c.f, c.g); }, true, false},
};

/* Samples of at least this time, and their number. */
static const double sample_ms = 0.5;
static const int samples = 4;

static double least_ns(void (*run)(cell &c), cell &c)
{
    double least = 1e300;
    int times = 1;
    for (int i = 0; i < samples;) {
        const double start = cpu_ms();
        for (int j = 0; j < times; j++) {
            run(c);
        }
        const double spent = cpu_ms() - start;
        if (spent < sample_ms) {
            times *= 2;
            continue;
        }
        least = spent / times < least ? spent / times : least;
        i++;
    }
    return 1e6 * least;
}

static NTL::ZZ_pX random_of(long n, long bits, bool monic)
{
    NTL::ZZ_pX x;
    for (long i = 0; i < n; i++) {
        NTL::SetCoeff(x, i, NTL::conv<NTL::ZZ_p>(NTL::RandomLen_ZZ(bits)));
    }
    if (monic) {
        NTL::SetCoeff(x, n - 1, 1);
    }
    return x;
}

static void print_cells(cell &c, double most_gcd)
{
    for (const auto &o : operations) {
        if (o.equal && (c.len_a != c.len_b || c.bits_a != c.bits_b)) {
            continue;
        }
        const bool gcd = o.name[0] == 'G' || o.name[0] == 'X';
        if (gcd && static_cast<double>(c.len_a) * NTL::NumBits(NTL::ZZ_p::modulus()) > most_gcd) {
            continue;
        }
        c.f = random_of(o.quotient ? c.len_a + c.len_b : c.len_a, c.bits_a, false);
        c.g = random_of(c.len_b, c.bits_b, o.quotient);
        std::cout << o.name << ' ' << c.field << ' ' << c.len_a << ' ' << c.len_b << ' ' << c.bits_a
                  << ' ' << c.bits_b << ' ' << least_ns(o.run, c) << '\n';
    }
}

/* A field is created once NTL has taken some time for its products. */
static const double warm_ms = 400;

static void print_field(const std::string &text)
{
    static const long lengths[][2] = {{4, 4},   {8, 8},     {16, 16}, {32, 32},
                                      {64, 64}, {256, 256}, {64, 8},  {512, 32}};
    const std::size_t at = text.find('=');
    cell c;
    c.field = text.substr(0, at);
    NTL::ZZ_p::init(NTL::conv<NTL::ZZ>(text.c_str() + at + 1));
    const long all = NTL::NumBits(NTL::ZZ_p::modulus());
    const long bits[][2] = {{7, 7},
                            {60, 60},
                            {all / 4, all / 4},
                            {all / 2, all / 2},
                            {3 * all / 4, 3 * all / 4},
                            {all - 1, all - 1},
                            {all - 1, 7},
                            {7, all - 1}};
    c.f = random_of(200, all - 1, false);
    c.g = random_of(200, all - 1, false);
    for (const double end = cpu_ms() + warm_ms; cpu_ms() < end;) {
        NTL::mul(c.h, c.f, c.g);
    }
    for (const auto &n : lengths) {
        for (const auto &b : bits) {
            c.len_a = n[0];
            c.len_b = n[1];
            c.bits_a = b[0];
            c.bits_b = b[1];
            print_cells(c, 70000);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc >= 2 && std::string(argv[1]) == "grid") {
        std::cout << NTL_VERSION << '\n';
        for (int i = 2; i < argc; i++) {
            print_field(argv[i]);
        }
        return 0;
    }
    if (argc != 5) {
        std::cerr
            << "usage: gfpoly_hosts_ntl MODULUS FACTOR FACTOR SECONDS, or grid NAME=MODULUS ...\n";
        return 2;
    }
    NTL::ZZ_p::init(NTL::conv<NTL::ZZ>(argv[1]));
    NTL::ZZ_pX f, g, h;
    std::ifstream first(argv[2]), second(argv[3]);
    if (!(first >> f) || !(second >> g)) {
        std::cerr << "gfpoly_hosts_ntl: no polynomial\n";
        return 1;
    }
    double least = 1e300;
    const double end = cpu_ms() + 1e3 * std::strtod(argv[4], nullptr);
    for (int i = 0; i < 5 || cpu_ms() < end; i++) {
        const double start = cpu_ms();
        NTL::mul(h, f, g);
        const double spent = cpu_ms() - start;
        least = spent < least ? spent : least;
    }
    std::cout << NTL_VERSION << '\n' << least << '\n' << h << '\n';
    return 0;
}
