/* papers/ntl_dft.cpp: see ntl_dft.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/ntl_dft.h"

#include <memory>
#include <new>
#include <vector>

#include <NTL/ZZ.h>
#include <NTL/lzz_pX.h>

struct ntl_dft {
    long log2_n;
    std::vector<NTL::ZZ> x;
    std::vector<NTL::zz_pContext> context;
    std::vector<long> prime;
    NTL::zz_pX f; /* residues of one prime */
    std::vector<NTL::fftRep> values;
};

namespace
{

void dft_project(ntl_dft &w, std::size_t i)
{
    const long n = static_cast<long>(w.x.size());
    w.f.rep.SetLength(n);
    for (long j = 0; j < n; j++) {
        w.f.rep[j].LoopHole() = NTL::rem(w.x[static_cast<std::size_t>(j)], w.prime[i]);
    }
    w.f.normalize();
}

void dft_run(ntl_dft &w)
{
    for (std::size_t i = 0; i < w.prime.size(); i++) {
        w.context[i].restore();
        dft_project(w, i);
        NTL::TofftRep(w.values[i], w.f, w.log2_n);
    }
}

} // namespace

ntl_dft *ntl_dft_open(const uint64_t *x, size_t n, size_t limbs, size_t bits)
{
    try {
        std::unique_ptr<ntl_dft> w(new ntl_dft);
        const long bytes = static_cast<long>(limbs * sizeof *x);
        NTL::ZZ product(1);
        w->log2_n = 0;
        while (n >> w->log2_n > 1) {
            w->log2_n++;
        }
        if (w->log2_n > NTL_FFTMaxRoot) {
            return nullptr;
        }
        /* Words, least significant first, are bytes so on the hosts that gfpoly is written for. */
        for (size_t i = 0; i < n; i++) {
            w->x.push_back(
                NTL::ZZFromBytes(reinterpret_cast<const unsigned char *>(x + i * limbs), bytes));
        }
        for (long i = 0; static_cast<size_t>(NTL::NumBits(product)) <= bits; i++) {
            NTL::zz_p::FFTInit(i);
            w->context.emplace_back();
            w->context.back().save();
            w->prime.push_back(NTL::zz_p::modulus());
            w->values.emplace_back();
            product *= NTL::zz_p::modulus();
        }
        return w.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void ntl_dft_close(ntl_dft *w)
{
    delete w;
}

size_t ntl_dft_primes(const ntl_dft *w)
{
    return w->prime.size();
}

bool ntl_dft_run(void *context)
{
    dft_run(*static_cast<ntl_dft *>(context));
    return true;
}

bool ntl_dft_check(ntl_dft *w)
{
    const long n = static_cast<long>(w->x.size());
    dft_run(*w);
    for (std::size_t i = 0; i < w->prime.size(); i++) {
        NTL::zz_pX back;
        w->context[i].restore();
        dft_project(*w, i);
        NTL::FromfftRep(back, w->values[i], 0, n - 1);
        if (back != w->f) {
            return false;
        }
    }
    return true;
}
