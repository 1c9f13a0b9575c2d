#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the double-precision arithmetic: ntt_fma_arithmetic.h.

It proves that products and reductions keep their residues within the bounds that those comments state, and that all of
their doubles are exact where the code relies on it. Residues are integers held in doubles; bounds are multiples of q,
as exact fractions. tests/crt/hybrid/leaf/fma_checked.c checks what is built on them; crt/hybrid/leaf/fma_ranges.py
proves the other steps of a product of leaves.
"""
import sys
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import all_hold, claim, constant, is_prime, table  # noqa: E402

HALF = Fraction(1, 2)
EPS = Fraction(1, 1 << 53)  # one rounding to nearest, relative
BACKWARD = Fraction(5, 4)
REDUCED = HALF + Fraction(1, 1 << 49)
ORDER = 1 << constant("fft/words/ntt_fma.h", "GFP_FMA_LOG2_ORDER")
PRIMES = table("fft/words/ntt_fma_tables_avx2.c", "gfp_fma_primes")
Q_MAX = max(PRIMES)
Q_MIN = min(PRIMES)


def quotient_rounds(bound, text):
    """Adding 1.5 2^52 rounds to an integer: the sum stays in [2^52, 2^53]."""
    claim(bound <= 1 << 51, f"{text}: quotient {float(bound):.3g} rounds by the magic number")


def exact(bound, text):
    claim(bound * Q_MAX <= 1 << 53, f"{text}: an integer of at most 53 bits")


def mul(x, text="product"):
    """x root: the quotient is x root / q (1 + EPS), rounded to an integer; h = x root (1 + EPS)."""
    exact(x, text)
    product = x * HALF  # of q^2
    quotient_rounds(product * Q_MAX * (1 + EPS), text)
    result = HALF + product * Q_MAX * EPS
    exact(result + product * Q_MAX * EPS, text + ", h - f q")
    exact(result, text)
    return result


def reduce(x, text="reduction"):
    exact(x, text)
    quotient_rounds(x * (1 + EPS), text)
    return HALF + x * EPS


def check_primes():
    count = constant("fft/words/ntt_fma.h", "GFP_FMA_PRIMES")
    claim(len(PRIMES) == count and all(map(is_prime, PRIMES)), f"{count} primes")
    for q in PRIMES:
        claim((q - 1) % (15 * ORDER) == 0, "roots of the greatest order, 3 and 5")
        claim(Fraction(793, 1000) * 2**50 < q < Fraction(794, 1000) * 2**50, "0.793 .. 0.794 2^50")


def main():
    check_primes()
    claim(mul(Fraction(5)) <= HALF + Fraction(5, 100) * 5, "product of at most 5 by a root")
    claim(reduce(Fraction(1 << 53, Q_MIN).limit_denominator(1)) <= REDUCED, "reduction")
    all_hold()


if __name__ == "__main__":
    main()
