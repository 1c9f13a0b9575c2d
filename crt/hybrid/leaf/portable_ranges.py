#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges of the portable leaf engine: fft/words/ntt_lazy.[ch] and
crt/hybrid/leaf/portable.c.

It proves, for every prime, number of levels and base length, that residues of the lazy transforms stay within their
words, that block products are below the bound of the inverse, that recombination finds the right multiple of the
primes' product, and that quotients by a radix fit two words, for every digit count and radices from 2 to 2^64 - 2.
"""
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts, is_prime, radices, table  # noqa: E402

LAZY, ENGINE = "fft/words/ntt_lazy.h", "crt/hybrid/leaf/portable.c"
BITS = constant(LAZY, "GFP_LAZY_BITS")
INVERSE_BOUND = constant(LAZY, "GFP_LAZY_INVERSE_BOUND")
LOG2_ORDER = constant(LAZY, "GFP_LAZY_LOG2_ORDER")
LOG2_MAX_LENGTH = constant(ENGINE, "LOG2_MAX_LENGTH")
UNITS = constant("crt/hybrid/leaf/engine.h", "GFP_HYBRID_BITS")
BASES = sorted(base for row in table(ENGINE, "bases") for base in row)
MAX_LOG2_K = len(digit_counts())
PRIMES = table("fft/words/ntt_lazy.c", "lazy_primes")


def shoup(q, x_max, w):
    """The largest result of gfp_shoup_mul for x <= x_max: x w - floor(x w' / 2^64) q."""
    companion = w * WORD // q
    # x w / q - x w' / 2^64 < x / 2^64 < 1, and the floor takes less than 1 more.
    claim(x_max < WORD and companion < WORD, "operands of a Shoup product fit a word")
    return 2 * q - 1


def reduce_bound(q):
    """The largest gfp_lazy_reduce of any word."""
    return max((1 << BITS) - 1 + f * ((1 << BITS) - q) for f in (0, (WORD - 1) >> BITS))


def forward(q):
    """Bounds after the levels in T and in x: every level adds 2q to the bound of the half that is
    not multiplied; the other half is replaced."""
    levels = constant(ENGINE, "MAX_LEVELS") - 2
    bound = reduce_bound(q)
    claim(bound < 2 * q, "reduced words are below 2q")
    for _ in range(levels):
        bound += shoup(q, WORD - 1, q - 1) + 1  # x + t and x + 2q - t, t < 2q
        claim(bound + 2 * q < WORD, "forward values and x + 2q fit a word")
    claim(bound <= 74 * q, "forward values are at most 74q")
    return bound


def base(q, a_max):
    for n in BASES:
        total = n * a_max * 2 * q
        claim(total + (WORD - 1) * q < 1 << 128, "the sum of a base product fits two words")
        out = (total + (WORD - 1) * q) >> 64
        claim(out < INVERSE_BOUND * q, "base products are below the inverse's bound")


def inverse(q):
    b = INVERSE_BOUND * q - 1
    # Level one: sums below 2b, products below 2q; level two on sums: below 4b.
    claim(4 * b < WORD and 2 * INVERSE_BOUND * q + 2 * b < WORD, "sums of the inverse fit a word")
    outputs = [reduce_bound(q), 2 * (2 * q - 1), 2 * q - 1, 2 * q - 1]
    claim(max(outputs) <= b, "the inverse keeps its bound")


def restore():
    """f next to the sum of y_i / q_i; the bound in units; offsets and quotients fit their words."""
    for count in range(1, len(PRIMES) + 1):
        product = 1
        for q in PRIMES[:count]:
            product *= q
        bound = (BITS * count - 2) * UNITS - 1
        # 2^(bound / UNITS) <= product / 4, as integers to the power UNITS.
        claim((1 << bound) <= Fraction(product, 4) ** UNITS, "a quarter of the product is admitted")
        error = sum(Fraction(2 * q - 1, q) - Fraction(2 * q - 1, 1 << BITS) for q in PRIMES[:count])
        claim(Fraction(1, 4) + error < Fraction(1, 2), "f is the next integer")
        claim(sum(2 * q - 1 for q in PRIMES[:count]) + (1 << (BITS - 1)) < WORD, "the sum of y_i fits")
        claim((sum(2 * q - 1 for q in PRIMES[:count]) + (1 << (BITS - 1))) >> BITS <= 2 * count,
              "f indexes the table")
        # Sums of y_i cofactor words.
        claim(count * (2 * max(PRIMES) - 1) * (WORD - 1) < 1 << 128, "low sums fit two words")
    for r in radices(2, WORD - 2, 30, (1 << 63) + (1 << 34), WORD - (1 << 28)):
        for log2_k in range(1, MAX_LOG2_K + 1):
            for log2_m in range(3, LOG2_MAX_LENGTH + 1):
                m, k = 1 << log2_m, 1 << log2_k
                c = m * k // 2 + 2
                # Digits: |d| <= (r/2) (1 + 2^-20), and integers within int64_t.
                d = min(r // 2 + (r // 2 >> 20), 1 << 63)
                v = m * k * d * d
                claim(c * r * r - c - v >= 0, "the dividend is not negative")
                most = v + c * r * r + r // 2 + c
                quotient = (most + most // (r - 1) + 1) // r
                claim(quotient < 1 << 128 and most + quotient < 1 << 191, "quotients fit two words")
                claim(quotient < r << 61, "the carry that wraps around is below 2^61 r")


def main():
    claim(len(PRIMES) == constant(LAZY, "GFP_LAZY_PRIMES") == 3, "three primes")
    claim(constant(ENGINE, "MAX_LEVELS") == MAX_LOG2_K + LOG2_MAX_LENGTH, "levels of the longest ring")
    for q in PRIMES:
        claim((1 << BITS) - (1 << 38) < q < 1 << BITS, "q lies in its range")
        claim((q - 1) % (1 << LOG2_ORDER) == 0, "roots of the greatest order")
        claim(is_prime(q), f"{q} is a prime")
        base(q, forward(q))
        inverse(q)
        bias = ((1 << 63) // q + 1) * q
        claim(bias >= 1 << 63 and bias - 1 < WORD, "digits become non-negative words")
    restore()
    all_hold()


if __name__ == "__main__":
    main()
