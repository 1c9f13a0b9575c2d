#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges of the portable leaf engine: fft/words/ntt_lazy.[ch] and
crt/hybrid/leaf/portable.c.

Each claim is an inequality that a comment in these sources states, checked with exact integers for
every prime, number of levels and base length. Exits with status 1 at the first that does not hold.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
W = 1 << 64
LAZY_C = (ROOT / "fft/words/ntt_lazy.c").read_text()
LAZY_H = (ROOT / "fft/words/ntt_lazy.h").read_text()
ENGINE = (HERE / "portable.c").read_text()
HYBRID = (HERE / "engine.h").read_text()


def constant(text, name):
    return int(re.search(rf"#define {name} (\w+)", text).group(1), 0)


BITS = constant(LAZY_H, "GFP_LAZY_BITS")
INVERSE_BOUND = constant(LAZY_H, "GFP_LAZY_INVERSE_BOUND")
LOG2_ORDER = constant(LAZY_H, "GFP_LAZY_LOG2_ORDER")
LOG2_MAX_LENGTH = constant(ENGINE, "LOG2_MAX_LENGTH")
UNITS = constant(HYBRID, "GFP_HYBRID_BITS")
BASES = [4, 5, 6, 8, 10, 12]
MAX_LOG2_K = 8
PRIMES = [int(x, 16) for x in
          re.findall(r"0x[0-9a-f]+", re.search(r"primes\[.*?\] = \{(.*?)\}", LAZY_C, re.S).group(1))]


def check(claim, what):
    if not claim:
        sys.exit(f"leaf_portable_ranges: does not hold: {what}")


def shoup(q, x_max, w):
    """The largest result of gfp_shoup_mul for x <= x_max: x w - floor(x w' / 2^64) q."""
    companion = w * W // q
    # x w / q - x w' / 2^64 < x / 2^64 < 1, and the floor takes less than 1 more.
    check(x_max < W and companion < W, "operands of a Shoup product fit a word")
    return 2 * q - 1


def reduce_bound(q):
    """The largest gfp_lazy_reduce of any word."""
    return max((1 << BITS) - 1 + f * ((1 << BITS) - q) for f in (0, (W - 1) >> BITS))


def forward(q):
    """Bounds after the levels in T and in x: every level adds 2q to the bound of the half that is
    not multiplied; the other half is replaced."""
    levels = MAX_LOG2_K + LOG2_MAX_LENGTH - 2
    bound = reduce_bound(q)
    check(bound < 2 * q, "reduced words are below 2q")
    for _ in range(levels):
        bound += shoup(q, W - 1, q - 1) + 1  # x + t and x + 2q - t, t < 2q
        check(bound + 2 * q < W, "forward values and x + 2q fit a word")
    check(bound <= 74 * q, "forward values are at most 74q")
    return bound


def base(q, a_max):
    for n in BASES:
        total = n * a_max * 2 * q
        check(total + (W - 1) * q < 1 << 128, "the sum of a base product fits two words")
        out = (total + (W - 1) * q) >> 64
        check(out < INVERSE_BOUND * q, "base products are below the inverse's bound")


def inverse(q):
    b = INVERSE_BOUND * q - 1
    # Level one: sums below 2b, products below 2q; level two on sums: below 4b.
    check(4 * b < W and 2 * INVERSE_BOUND * q + 2 * b < W, "sums of the inverse fit a word")
    outputs = [reduce_bound(q), 2 * (2 * q - 1), 2 * q - 1, 2 * q - 1]
    check(max(outputs) <= b, "the inverse keeps its bound")


def restore():
    """f next to the sum of y_i / q_i; the bound in units; offsets and quotients fit their words."""
    for count in range(1, len(PRIMES) + 1):
        product = 1
        for q in PRIMES[:count]:
            product *= q
        bound = (BITS * count - 2) * UNITS - 1
        # 2^(bound / UNITS) <= product / 4, as integers to the power UNITS.
        check((1 << bound) <= Fraction(product, 4) ** UNITS, "a quarter of the product is admitted")
        error = sum(Fraction(2 * q - 1, q) - Fraction(2 * q - 1, 1 << BITS) for q in PRIMES[:count])
        check(Fraction(1, 4) + error < Fraction(1, 2), "f is the next integer")
        check(sum(2 * q - 1 for q in PRIMES[:count]) + (1 << (BITS - 1)) < W, "the sum of y_i fits")
        check((sum(2 * q - 1 for q in PRIMES[:count]) + (1 << (BITS - 1))) >> BITS <= 2 * count,
              "f indexes the table")
        # Sums of y_i cofactor words.
        check(count * (2 * max(PRIMES) - 1) * (W - 1) < 1 << 128, "low sums fit two words")
    for r in (2, 4, 30, 1 << 32, (1 << 63) + (1 << 34), W - (1 << 28), W - 2):
        for log2_k in range(1, MAX_LOG2_K + 1):
            for log2_m in range(3, LOG2_MAX_LENGTH + 1):
                m, k = 1 << log2_m, 1 << log2_k
                c = m * k // 2 + 2
                # Digits: |d| <= (r/2) (1 + 2^-20), and integers within int64_t.
                d = min(r // 2 + (r // 2 >> 20), 1 << 63)
                v = m * k * d * d
                check(c * r * r - c - v >= 0, "the dividend is not negative")
                most = v + c * r * r + r // 2 + c
                quotient = (most + most // (r - 1) + 1) // r
                check(quotient < 1 << 128 and most + quotient < 1 << 191, "quotients fit two words")
                check(quotient < r << 61, "the carry that wraps around is below 2^61 r")


def main():
    check(len(PRIMES) == 3, "three primes")
    for q in PRIMES:
        check((1 << BITS) - (1 << 38) < q < 1 << BITS, "q lies in its range")
        check((q - 1) % (1 << LOG2_ORDER) == 0, "2^32 | q - 1")
        check(all(pow(a, q - 1, q) == 1 for a in (2, 3, 5, 7, 11)), "q is prime (Fermat)")
        base(q, forward(q))
        inverse(q)
        bias = ((1 << 63) // q + 1) * q
        check(bias >= 1 << 63 and bias - 1 < W, "digits become non-negative words")
    restore()
    print("leaf_portable_ranges: all claims hold")


if __name__ == "__main__":
    main()
