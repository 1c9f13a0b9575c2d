#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Error bound of the reals that stand for a third prime: real_avx2.c and third_digits of fma_recombine_avx2.c.

Norms are those of vectors of complex numbers. A level multiplies the Euclidean norm by sqrt(2), and its rounding errors
are relative to it. On the way back, each coefficient is a mean of values at all nodes, of which their sum of absolute
values is a bound: at most the product of the two factors' norms, by Cauchy and Schwarz. So a coefficient's error is at
most `factor` k m D^2, D bounding the digits. Underflow is far below all of this: digits are integers, roots are 0 or at
least 2^-30.
"""
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "fft/words"), str(ROOT / "crt/hybrid/leaf")]
import fma_ranges as leaves  # noqa: E402
import ntt_fma_ranges as ntt  # noqa: E402
from claims import all_hold, claim, constant, digit_counts, says  # noqa: E402
from ntt_fma_ranges import EPS, HALF, PRIMES, REDUCED  # noqa: E402

REALS, RECOMBINE = "crt/hybrid/leaf/real_avx2.c", "crt/hybrid/leaf/fma_recombine_avx2.c"
SQRT_2 = Fraction(99, 70)
Q_1, Q_2, Q_3 = PRIMES[:3]


def power(x, n):
    """A bound of (1 + x)^n - 1."""
    claim(n * x < HALF, "many small errors")
    return n * x / (1 - n * x)


def roots():
    """The sine and the cosine of pi f, f <= 1/4, by a library within a unit in the last place, 2^-53 or less."""
    says(REALS, "high = pi_high * f, low = fma(pi_high, f, -high) + pi_low * f;")
    says(REALS, "return (gfp_real_root){c - s * low, s + c * low};")
    low = Fraction(1, 1 << 54) + Fraction(1, 1 << 54)  # of pi f below high, and of pi below pi_high
    part = Fraction(1, 1 << 53) + Fraction(1, 1 << 54) + 4 * low * EPS + low * low
    return part * SQRT_2


def level(root):
    """Relative errors of a product with a root, and of a level: a sum of a value and a product, or a product of a
    difference and a root."""
    says(REALS, "_mm256_fmsub_pd(x.re, w.re, _mm256_mul_pd(x.im, w.im))")
    product = root + 2 * EPS * (1 + EPS) * (1 + root)
    return product, (1 + product) * (1 + EPS) - 1


def base(product, terms):
    """A coefficient of a product modulo x^terms - g: two chains of `terms` products each for a part, and their sum."""
    chains = power(EPS, terms + 1)
    return (1 + product) * (1 + SQRT_2 * chains) - 1


def factor(levels, odd):
    product, each = level(roots())
    forward = (1 + EPS) * (1 + power(each, levels)) - 1  # digits are rounded once
    return (1 + forward) ** 2 * (1 + base(product, 4 * odd)) * (1 + power(each, levels)) - 1


def check_error():
    """The error of a coefficient is at most 0.45 q_1 q_2 up to the bound, which is in quarters of a bit."""
    bits = Fraction(constant("crt/hybrid/leaf/real.h", "GFP_HYBRID_REAL_LOG2"),
                    constant("crt/hybrid/leaf/engine.h", "GFP_HYBRID_BITS"))
    claim((4 * bits).denominator == 1, "the bound is in quarters")
    most = constant("crt/hybrid/leaf/fma.h", "GFP_HYBRID_FMA_LOG2_LENGTH")
    for k in digit_counts():
        for odd in (1, 3, 5):
            levels = most - 2 + k.bit_length() - 2
            error = factor(levels, odd)
            claim(error ** 4 * 2 ** int(4 * bits) <= (Fraction(45, 100) * Q_1 * Q_2) ** 4,
                  f"k = {k}, odd = {odd}: the error is at most 0.45 q_1 q_2")
    return bits


def check_digit(bits):
    """value / (q_1 q_2) - c_2 / q_2, of which c_1 / (q_1 q_2) is left out, is next to the third digit."""
    says(RECOMBINE, "_mm256_add_pd(_mm256_fmsub_pd(x, w, y), round)")
    says(RECOMBINE, "const double weight = tables->prime[0].inverse * tables->prime[1].inverse;")
    digits = leaves.garner(3)
    value = Fraction(2 ** (int(bits) + 1), Q_1 * Q_2)
    second = digits[1] * ((1 + EPS) ** 2)
    error = Fraction(45, 100) * (1 + EPS) ** 3 + value * ((1 + EPS) ** 3 - 1)  # of x w
    error += second * EPS + digits[1] * ((1 + EPS) ** 2 - 1) + digits[0] / Q_2
    error += (value + second + 1) * EPS
    claim(error < HALF - Fraction(1, 100), f"the third digit is off by {float(error):.3f} before it is rounded")
    ntt.quotient_rounds(value + second + 1, "the third digit")
    low = digits[0] * Q_1 + digits[1] * Q_1 * Q_2
    claim((2 ** (int(bits) + 1) + low) / (Q_1 * Q_2) <= REDUCED * Q_3, "fma_ranges.py bounds a third digit as large")


def main():
    ntt.check_primes()
    check_digit(check_error())
    all_hold()


if __name__ == "__main__":
    main()
