/* bench/peers_ntl.cpp: NTL's product in ZZ_pX for gfpoly_peers: the only C++ of the project, built
 * where NTL is found.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <cstring>
#include <new>

#include <NTL/ZZ_pX.h>
#include <NTL/version.h>

#include "peers.h"

namespace
{

struct product {
    std::size_t limbs;
    NTL::ZZ_pX a, b, c;
};

long bytes(std::size_t limbs)
{
    return static_cast<long>(limbs * sizeof(std::uint64_t));
}

/* Words, least significant first, are bytes so on the hosts that gfpoly is written for. */
NTL::ZZ number(const std::uint64_t *x, std::size_t limbs)
{
    return NTL::ZZFromBytes(reinterpret_cast<const unsigned char *>(x), bytes(limbs));
}

void set(NTL::ZZ_pX &poly, const std::uint64_t *x, std::size_t len, std::size_t limbs)
{
    poly.SetLength(static_cast<long>(len));
    for (std::size_t i = 0; i < len; i++) {
        poly[static_cast<long>(i)] = NTL::conv<NTL::ZZ_p>(number(x + i * limbs, limbs));
    }
    poly.normalize();
}

void *start(const peer_problem *problem)
{
    try {
        /* The modulus is NTL's, not the problem's: one problem at a time. */
        NTL::ZZ_p::init(number(problem->p, problem->limbs));
        product *w = new product;
        w->limbs = problem->limbs;
        set(w->a, problem->a, problem->len, problem->limbs);
        set(w->b, problem->b, problem->len, problem->limbs);
        return w;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

bool multiply(void *state)
{
    product *w = static_cast<product *>(state);
    try {
        NTL::mul(w->c, w->a, w->b);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void get(const void *state, std::uint64_t *c, std::size_t n)
{
    const product *w = static_cast<const product *>(state);
    for (std::size_t i = 0; i < n; i++) {
        NTL::BytesFromZZ(reinterpret_cast<unsigned char *>(c + i * w->limbs),
                         NTL::rep(NTL::coeff(w->c, static_cast<long>(i))), bytes(w->limbs));
    }
}

void finish(void *state)
{
    delete static_cast<product *>(state);
}

} // namespace

const peer peer_ntl = {"ntl", NTL_VERSION, start, multiply, get, finish};
