/* bench/peers/poly_ntl.cpp: NTL's ZZ_pX for gfpoly_peers: the only C++ of the project, built where NTL
 * is found.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <cstring>
#include <new>

#include <NTL/ZZ_pX.h>
#include <NTL/ZZ_pXFactoring.h>
#include <NTL/version.h>

#include "bench/peers/peer.h"

namespace
{

struct work {
    peer_operation operation;
    long n;
    std::size_t limbs;
    NTL::ZZ_pX a, b, f, c, d, e;
    NTL::ZZ_pXModulus modulus;
    NTL::vec_ZZ_p points, values;
    NTL::ZZ_p element;
    NTL::vec_pair_ZZ_pX_long factors;
};

long bytes_of(std::size_t limbs)
{
    return static_cast<long>(limbs * sizeof(std::uint64_t));
}

/* Words, least significant first, are bytes so on the hosts that gfpoly is written for. */
NTL::ZZ to_number(const std::uint64_t *x, std::size_t limbs)
{
    return NTL::ZZFromBytes(reinterpret_cast<const unsigned char *>(x), bytes_of(limbs));
}

void set_poly(NTL::ZZ_pX &poly, const std::uint64_t *x, std::size_t len, std::size_t limbs)
{
    poly.SetLength(static_cast<long>(len));
    for (std::size_t i = 0; i < len; i++) {
        poly[static_cast<long>(i)] = NTL::conv<NTL::ZZ_p>(to_number(x + i * limbs, limbs));
    }
    poly.normalize();
}

void set_vector(NTL::vec_ZZ_p &vector, const std::uint64_t *x, std::size_t len, std::size_t limbs)
{
    vector.SetLength(static_cast<long>(len));
    for (std::size_t i = 0; i < len; i++) {
        vector[static_cast<long>(i)] = NTL::conv<NTL::ZZ_p>(to_number(x + i * limbs, limbs));
    }
}

/* NTL has neither multipoint evaluation nor interpolation below quadratic cost; its quadratic
 * interpolation is here. */
bool poly_serves(const peer_problem *problem)
{
    switch (problem->operation) {
    case PEER_EVALUATE:
    case PEER_EVALUATE_KEPT:
    case PEER_INTERPOLATE_KEPT:
        return false;
    default:
        return true;
    }
}

void *poly_start(const peer_problem *problem)
{
    try {
        /* The modulus is NTL's, not the problem's: one problem at a time. */
        NTL::ZZ_p::init(to_number(problem->p, problem->limbs));
        work *w = new work;
        w->operation = problem->operation;
        w->n = static_cast<long>(problem->n);
        w->limbs = problem->limbs;
        set_poly(w->a, problem->a, problem->len_a, problem->limbs);
        set_poly(w->b, problem->b, problem->len_b, problem->limbs);
        set_poly(w->f, problem->f, problem->len_f, problem->limbs);
        if (w->operation == PEER_FROM_ROOTS || w->operation == PEER_INTERPOLATE) {
            set_vector(w->points, problem->a, problem->len_a, problem->limbs);
            set_vector(w->values, problem->b, problem->len_b, problem->limbs);
        }
        if (peer_is_prepared(w->operation)) {
            NTL::build(w->modulus, w->f);
        }
        return w;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

/* Operations modulo the fixed polynomial f. */
void compute_prepared(work *w)
{
    switch (w->operation) {
    case PEER_REM_FIXED:
        NTL::rem(w->c, w->a, w->modulus);
        break;
    case PEER_MULMOD:
        NTL::MulMod(w->c, w->a, w->b, w->modulus);
        break;
    case PEER_SQRMOD:
        NTL::SqrMod(w->c, w->a, w->modulus);
        break;
    default:
        NTL::PowerXMod(w->c, NTL::ZZ_p::modulus(), w->modulus);
        break;
    }
}

/* Operations whose results are factors, of a monic polynomial. */
void compute_factors(work *w)
{
    NTL::MakeMonic(w->d = w->a);
    if (w->operation == PEER_FACTOR) {
        NTL::CanZass(w->factors, w->d);
        return;
    }
    NTL::build(w->modulus, w->d);
    NTL::PowerXMod(w->c, NTL::ZZ_p::modulus(), w->modulus);
    NTL::NewDDF(w->factors, w->d, w->c);
}

void poly_compute(work *w)
{
    if (peer_is_prepared(w->operation)) {
        compute_prepared(w);
        return;
    }
    if (peer_has_factors(w->operation)) {
        compute_factors(w);
        return;
    }
    switch (w->operation) {
    case PEER_MUL:
        NTL::mul(w->c, w->a, w->b);
        break;
    case PEER_INVERSE:
        NTL::InvTrunc(w->c, w->a, w->n);
        break;
    case PEER_QUOTIENT:
        NTL::InvTrunc(w->d, w->b, w->n);
        NTL::MulTrunc(w->c, w->d, w->a, w->n);
        break;
    case PEER_DIVREM:
        NTL::DivRem(w->d, w->c, w->a, w->b);
        break;
    case PEER_REM:
        NTL::rem(w->c, w->a, w->b);
        break;
    case PEER_GCD:
        NTL::GCD(w->c, w->a, w->b);
        break;
    case PEER_XGCD:
        NTL::XGCD(w->d, w->c, w->e, w->a, w->b);
        break;
    case PEER_RESULTANT:
        NTL::resultant(w->element, w->a, w->b);
        break;
    case PEER_FROM_ROOTS:
        NTL::BuildFromRoots(w->c, w->points);
        break;
    case PEER_INTERPOLATE:
        NTL::interpolate(w->c, w->points, w->values);
        break;
    case PEER_COMPOSE:
        NTL::build(w->modulus, w->f);
        NTL::CompMod(w->c, w->a, w->b, w->modulus);
        break;
    case PEER_SQR:
        NTL::sqr(w->c, w->a);
        break;
    case PEER_MULLOW:
        NTL::MulTrunc(w->c, w->a, w->b, w->n);
        break;
    default:
        break;
    }
}

bool poly_run(void *state)
{
    try {
        poly_compute(static_cast<work *>(state));
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

/* w->c := the sum of the squares of the factors. */
void sum_up(work *w)
{
    NTL::clear(w->c);
    for (long i = 0; i < w->factors.length(); i++) {
        NTL::sqr(w->d, w->factors[i].a);
        NTL::add(w->c, w->c, w->d);
    }
}

void poly_get(const void *state, std::uint64_t *c, std::size_t n)
{
    work *w = const_cast<work *>(static_cast<const work *>(state));
    if (peer_has_factors(w->operation)) {
        sum_up(w);
    }
    for (std::size_t i = 0; i < n; i++) {
        const NTL::ZZ_p x =
            w->operation == PEER_RESULTANT ? w->element : NTL::coeff(w->c, static_cast<long>(i));
        NTL::BytesFromZZ(reinterpret_cast<unsigned char *>(c + i * w->limbs), NTL::rep(x),
                         bytes_of(w->limbs));
    }
}

void poly_finish(void *state)
{
    delete static_cast<work *>(state);
}

} // namespace

const peer peer_ntl = {"ntl",    NTL_VERSION, false,   poly_serves, poly_start,
                       poly_run, poly_get,    nullptr, poly_finish};
