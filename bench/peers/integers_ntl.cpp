/* bench/peers/integers_ntl.cpp: NTL's ZZX for gfpoly_peers --over-z.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <new>
#include <vector>

#include <NTL/ZZX.h>
#include <NTL/version.h>

#include "bench/peers/peer.h"

namespace
{

struct work {
    peer_operation operation;
    NTL::ZZX a, b, c;
    NTL::ZZ value;
};

NTL::ZZ to_number(const std::uint64_t *x, std::size_t width)
{
    const bool negative = x[width - 1] >> 63 != 0;
    std::vector<unsigned char> bytes(8 * width);
    unsigned carry = negative ? 1 : 0;
    for (std::size_t i = 0; i < bytes.size(); i++) {
        const unsigned byte = static_cast<unsigned>(x[i / 8] >> 8 * (i % 8)) & 255;
        const unsigned sum = (negative ? 255 - byte : byte) + carry;
        bytes[i] = static_cast<unsigned char>(sum & 255);
        carry = sum >> 8;
    }
    const NTL::ZZ value = NTL::ZZFromBytes(bytes.data(), static_cast<long>(bytes.size()));
    return negative ? -value : value;
}

NTL::ZZX to_polynomial(const std::uint64_t *x, std::size_t len, std::size_t width)
{
    NTL::ZZX f;
    f.SetLength(static_cast<long>(len));
    for (std::size_t i = 0; i < len; i++) {
        f[static_cast<long>(i)] = to_number(x + i * width, width);
    }
    f.normalize();
    return f;
}

/* NTL ends the program where a resultant needs more than 20000 primes of 60 bits. */
bool integers_serve(const peer_problem *problem)
{
    const std::size_t most = 1000000 / 64;
    return problem->operation != PEER_Z_RESULTANT ||
           problem->limbs <= most / (problem->len_a + problem->len_b);
}

void *integers_start(const peer_problem *problem)
{
    try {
        work *w = new work;
        w->operation = problem->operation;
        w->a = to_polynomial(problem->a, problem->len_a, problem->limbs);
        w->b = to_polynomial(problem->b, problem->len_b, problem->limbs);
        return w;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

bool integers_run(void *state)
{
    work *w = static_cast<work *>(state);
    switch (w->operation) {
    case PEER_Z_MUL:
        NTL::mul(w->c, w->a, w->b);
        return true;
    case PEER_Z_GCD:
        NTL::GCD(w->c, w->a, w->b);
        return true;
    case PEER_Z_RESULTANT:
        NTL::resultant(w->value, w->a, w->b);
        return true;
    default:
        return false;
    }
}

bool integers_equal(const void *state, const std::uint64_t *c, std::size_t n, std::size_t width)
{
    const work *w = static_cast<const work *>(state);
    const NTL::ZZX ours = to_polynomial(c, n, width);
    return w->operation == PEER_Z_RESULTANT ? NTL::coeff(ours, 0) == w->value : ours == w->c;
}

void integers_finish(void *state)
{
    delete static_cast<work *>(state);
}

} // namespace

const peer peer_ntl_z = {"ntl", NTL_VERSION, true, integers_serve, integers_start, integers_run,
                         nullptr, integers_equal, integers_finish};
