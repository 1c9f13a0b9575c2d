/* bench/hosts/ntl.cpp: a program of NTL that knows nothing of gfpoly, for bench/hosts/tables.py, which
 * starts it alone and with libgfpoly_ntl.so preloaded.
 *   gfpoly_hosts_ntl MODULUS FACTOR FACTOR SECONDS
 *   gfpoly_hosts_ntl grid 4x4,64x8,... NAME=MODULUS ...
 * Prints NTL's version, the least CPU time of mul in ms, and the product, a line each. Files and
 * product are in NTL's format. grid: prints NTL's version, the number of cells, and for each cell
 * the operation, field, lengths and sizes in bits, a line each; then reads numbers of cells, and
 * prints the least CPU time in ns of each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <NTL/ZZ_pX.h>
#include <NTL/version.h>

static double cpu_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/* ---- the grid ---- */

struct operands {
    long low;
    NTL::ZZ_pX f, g, h, q, r, s;
};

static const struct {
    const char *name;
    void (*run)(operands &o);
    bool equal;    /* for operands of equal lengths and sizes alone */
    bool quotient; /* f has twice the length, and g is monic */
} operations[] = {
    {"mul", [](operands &o) { NTL::mul(o.h, o.f, o.g); }, false, false},
    {"sqr", [](operands &o) { NTL::sqr(o.h, o.f); }, true, false},
    {"MulTrunc", [](operands &o) { NTL::MulTrunc(o.h, o.f, o.g, o.low); }, false, false},
    {"DivRem", [](operands &o) { NTL::DivRem(o.q, o.r, o.f, o.g); }, false, true},
    {"rem", [](operands &o) { NTL::rem(o.r, o.f, o.g); }, false, true},
    {"GCD", [](operands &o) { NTL::GCD(o.h, o.f, o.g); }, true, false},
    {"XGCD", [](operands &o) { NTL::XGCD(o.h, o.r, o.s, o.f, o.g); }, true, false},
};

/* Samples of at least this time, and how many at least; many short samples for short operations,
 * since a busy machine leaves only some of them alone. */
static const double sample_ms = 0.1, all_ms = 2;
static const int samples = 4;

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

struct cell {
    std::string field;
    NTL::ZZ_pContext modulus;
    std::size_t operation;
    long len_a, len_b, bits_a, bits_b;
};

static double least_ns(const cell &c)
{
    const auto &operation = operations[c.operation];
    double least = 1e300, all = 0;
    int times = 1;
    c.modulus.restore();
    NTL::SetSeed(NTL::ZZ(1));
    operands o;
    o.low = c.len_a;
    o.f = random_of(operation.quotient ? c.len_a + c.len_b : c.len_a, c.bits_a, false);
    o.g = random_of(c.len_b, c.bits_b, operation.quotient);
    for (int i = 0; i < samples || all < all_ms;) {
        const double start = cpu_ms();
        for (int j = 0; j < times; j++) {
            operation.run(o);
        }
        const double spent = cpu_ms() - start;
        if (spent < sample_ms) {
            times *= 2;
            continue;
        }
        least = spent / times < least ? spent / times : least;
        all += spent;
        i++;
    }
    return 1e6 * least;
}

static std::vector<cell> cells;

/* The most terms times bits of p of gcds. */
static const double most_gcd = 70000;

static void add_cells(cell c)
{
    const double bits = static_cast<double>(NTL::NumBits(NTL::ZZ_p::modulus()));
    c.operation = 0;
    for (const auto &o : operations) {
        const bool gcd = o.name[0] == 'G' || o.name[0] == 'X';
        const bool equal = c.len_a == c.len_b && c.bits_a == c.bits_b;
        if ((equal || !o.equal) && !(gcd && static_cast<double>(c.len_a) * bits > most_gcd)) {
            cells.push_back(c);
        }
        c.operation++;
    }
}

/* A field is created once NTL has taken some time for its products. */
static const double warm_ms = 400;

/* The lengths of both factors, the longer one first. */
static std::vector<std::pair<long, long>> lengths;

static bool read_lengths(const std::string &text)
{
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');) {
        std::istringstream both(item);
        std::pair<long, long> n;
        char x = 0;
        if (!(both >> n.first >> x >> n.second) || x != 'x' || n.second < 1 || n.first < n.second) {
            return false;
        }
        lengths.push_back(n);
    }
    return true;
}

static void add_field(const std::string &text)
{
    const std::size_t at = text.find('=');
    cell c;
    c.field = text.substr(0, at);
    NTL::ZZ_p::init(NTL::conv<NTL::ZZ>(text.c_str() + at + 1));
    c.modulus.save();
    const long all = NTL::NumBits(NTL::ZZ_p::modulus());
    const long bits[][2] = {{7, 7},
                            {60, 60},
                            {all / 4, all / 4},
                            {all / 2, all / 2},
                            {3 * all / 4, 3 * all / 4},
                            {all - 1, all - 1},
                            {all - 1, 7},
                            {7, all - 1}};
    for (const auto &n : lengths) {
        for (const auto &b : bits) {
            c.len_a = n.first;
            c.len_b = n.second;
            c.bits_a = b[0];
            c.bits_b = b[1];
            add_cells(c);
        }
    }
    const NTL::ZZ_pX f = random_of(200, all - 1, false), g = random_of(200, all - 1, false);
    NTL::ZZ_pX h;
    for (const double end = cpu_ms() + warm_ms; cpu_ms() < end;) {
        NTL::mul(h, f, g);
    }
}

static int serve_grid(int count, char **fields)
{
    std::size_t i;
    for (int j = 0; j < count; j++) {
        add_field(fields[j]);
    }
    std::cout << NTL_VERSION << '\n' << cells.size() << '\n';
    for (const cell &c : cells) {
        std::cout << operations[c.operation].name << ' ' << c.field << ' ' << c.len_a << ' '
                  << c.len_b << ' ' << c.bits_a << ' ' << c.bits_b << '\n';
    }
    std::cout.flush();
    while (std::cin >> i && i < cells.size()) {
        std::cout << least_ns(cells[i]) << std::endl;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && std::string(argv[1]) == "grid" && read_lengths(argv[2])) {
        return serve_grid(argc - 3, argv + 3);
    }
    if (argc != 5) {
        std::cerr
            << "usage: gfpoly_hosts_ntl MODULUS FACTOR FACTOR SECONDS, or grid LENGTHS NAME=MODULUS ...\n";
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
