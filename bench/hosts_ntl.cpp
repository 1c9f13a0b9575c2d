/* bench/hosts_ntl.cpp: a program of NTL that knows nothing of gfpoly, for bench/hosts.py, which
 * starts it alone and with libgfpoly_ntl.so preloaded.
 *   gfpoly_hosts_ntl MODULUS FACTOR FACTOR SECONDS
 * Prints NTL's version, the least CPU time of mul in ms, and the product, a line each. Files and
 * product are in NTL's format.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>

#include <NTL/ZZ_pX.h>
#include <NTL/version.h>

static double cpu_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::cerr << "usage: gfpoly_hosts_ntl MODULUS FACTOR FACTOR SECONDS\n";
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
