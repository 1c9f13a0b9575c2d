#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges that gpu/cuda/wide_product.h, gpu/cuda/wide_lanes.cuh and gpu/cuda/transform/wide.cuh
state, for k = 4 ... 128 and every even radix of 34 to 64 bits that is no power of two (up to 2^64 - 2^48, k = 128: up to
2^64 - 2^27), with exact rationals: residues modulo the five primes stay within their words through all levels,
recombination is right, and digits come out as balanced as the next pass takes them, and as sums and the change to
canonical digits do.
"""
import sys
from fractions import Fraction as F
from math import prod
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import all_hold, claim, constant, digit_counts, expression, hull, is_prime, minus, plus, says, table  # noqa: E402

HEADER = "gpu/cuda/wide_product.h"
PRIMES, ROOTS = table(HEADER, "q"), table(HEADER, "z")
MOST_OF = expression(HEADER, r"r <= \((k == 128 \? .*?)\);")
WORD = F(1 << 32)


claim(len(PRIMES) == len(ROOTS) == 5, "five primes, and a root for each")
for q, z in zip(PRIMES, ROOTS):
    claim(is_prime(q) and q % 32 == 1 and q < 1 << 27, f"{q} is a prime below 2^27, 32 | q - 1")
    claim(pow(z, 16, q) == q - 1, f"{z} is of order 32 modulo {q}")
Q = max(PRIMES)


def reduced(v):
    """A bound of reduce for |v|, in units of q (the largest one)."""
    claim(v < F(1 << 62), "a sum that is reduced fits 64 bits")
    return v / WORD / Q + F(1, 2) + F(1, Q)


def product(b):
    """The interval of the term that add_product adds, in units of q, for |b| in units of q."""
    claim(b * Q < 1 << 31, "what roots are multiplied by fits a word")
    rounding = b * Q / WORD / 2
    return (-rounding, 1 + rounding)


def brought_back(v):
    """A bound of brought_back for |v|, in units of q."""
    claim(v * Q + (1 << 26) < 1 << 31, "brought_back's sum fits a word")
    return (F(1 << 26) + (v * Q / (1 << 27) + 1) * ((1 << 27) - min(PRIMES))) / Q


def size(interval):
    return max(-interval[0], interval[1])


# A digit is at most 2^63: t = x_high (2^32 mod q) + x_low, minus (t >> 27) q.
DISTANCE = (1 << 27) - min(PRIMES)
t = F(1 << 31) * max((1 << 32) % q for q in PRIMES) + WORD
claim(t / (1 << 27) < 1 << 31, "quotients of digits' residues fit a word")
start = F((t / (1 << 27) + 1) * DISTANCE) / Q
start = (-start, start + F(1 << 27, Q))
claim(-start[0] < F(48, 10) and start[1] < F(58, 10), "residues of digits: -4.8 q ... 5.8 q")
for V, L in ((4, 1), (8, 1), (8, 2), (8, 4), (8, 8), (16, 8)):
    levels = V.bit_length() - 1
    x = start
    for _ in range(levels):
        p = product(size(x))
        x = hull([plus(x, p), minus(x, p)])
    claim(size(x) < F(113, 10), "forward: 11.3 q")
    scaled = product(size(x))
    claim(-scaled[0] <= F(1, 2) and scaled[1] <= F(3, 2), "prepared: q/2, after at most one q less")
    wrapped = reduced(F(Q * Q, 4))
    claim(F(1, 2) < wrapped < F(51, 100), "multiples by roots: 0.51 q")
    u = reduced(L * size(x) * Q * Q * wrapped)
    claim(u < F(19, 10), "products: 1.9 q")
    bounds = [(-u, u)] * V
    for level in range(levels):
        h = 1 << level
        if level == 3:
            for j in (0, h):
                back = brought_back(size(bounds[j]))
                bounds[j] = (-back, back)
        for j in range(V):
            if not j & h:
                s, d = bounds[j], bounds[j + h]
                bounds[j] = plus(s, d)
                difference = size(minus(s, d))
                claim(size(bounds[j]) * Q < 1 << 31, "sums of backward levels fit a word")
                bounds[j + h] = product(difference)
    last = 1 if V == 16 else 0
    back = brought_back(size(bounds[last]))
    bounds[last] = (-back, back)
    claim(max(map(size, bounds)) < 6, "backward: 6 q")
C = 6 * Q
claim(5 * C / F(4) + (1 << 24) < 1 << 31, "the sum of quotients fits a word")
HALF_WORD = F(1 << 31)
PRIMES_FOR = expression(HEADER, r"int n = (\(log_k \+ 2 \* bits.*?);")
LEAST_BITS = constant(HEADER, "LEAST_BITS")
COLUMN_LEFT = expression(HEADER, r"R.column_left = (.*?);")
SUM_RIGHT, SUM_LEFT = (expression(HEADER, rf"R.sum_{side} = (.*?);") for side in ("right", "left"))
# A digit between passes, of r: at most r/2 (1 + 2^-17) for 57 bits and more, 3/4 r for fewer.
SLACK = {bits: F(1, 1 << 18) if bits >= 57 else F(1, 4) for bits in range(LEAST_BITS, 65)}

says(HEADER, "(r & (r - 1)) != 0")
says(HEADER, "u128 n = (u128)1 << (bits + 30); R.rho1 = (int32_t)(uint64_t)(n / r);")
for bits in range(LEAST_BITS, 65):
    least = (1 << (bits - 1)) + 2  # even, no power of two
    claim((1 << (bits + 30)) // least < 1 << 31, f"{bits} bits: rho1 fits a word")
    for k in digit_counts()[1:-1]:
        r_high = F(min(1 << bits, MOST_OF(k=k)))
        r_low = F(1 << (bits - 1))
        n = min(PRIMES_FOR(log_k=k.bit_length() - 1, bits=bits), 5)
        M = prod(PRIMES[:n])
        a = n * C / F(min(PRIMES)) + 2  # quotients by M
        claim((n * C + a) * HALF_WORD + WORD < 1 << 63, "sums of low halves fit 64 bits")
        claim(max(M // q for q in PRIMES[:n]) / r_low + 1 < 1 << 62, "m1 of M/q fits two signed words")
        claim(a * (M / r_low / (1 << 63) + 1) < 1 << 31, "a times the third word of M's m1 fits a word")
        digit = r_high * (F(1, 2) + SLACK[bits])
        u = k * digit * digit
        # The losses of the sum of quotients: 2^-27 for 1/q, and the bits shifted out.
        lost = n * C * (F(1) / min(PRIMES) - F(1) / (1 << 27)) + F(n * 4 + 4) / (1 << 27)
        claim(u / M + lost < F(1, 2), f"k = {k}, {bits} bits: |U| < M/2, the quotient by M is right")
        h = u / r_low + 1
        m1_high = max(M // q for q in PRIMES[:n]) / r_low / WORD + 1
        claim((n * C + a) * (m1_high + 1) + a * WORD + WORD < 1 << 63, "sums of m1's upper words fit 64 bits")
        hi = (n * C + a) * (r_high / 2 / WORD + 1) + h / WORD + WORD
        left = COLUMN_LEFT(bits=bits)
        claim(hi * (1 << left) < 1 << 63, "high sums fit 64 bits, shifted, too")
        w = (n * C + a) / F(2) + k * (r_high / r_low) * (F(1, 2) + SLACK[bits]) ** 2 + 1  # |m0| <= r/2, h <= U/r + 1
        claim(w < 1 << 31, "quotients of columns fit a word")
        # divide: rho to 62 bits, products to units of 2^-(bits + left - 34).
        error = hi * WORD / r_low / F(1 << 61) + 4 / F(1 << (bits + left - 34))
        claim(error < F(1, 1 << 20), "the quotient of a column is right but for 2^-20")
        settled = r_high * (F(1, 2) + error) + w
        if k == 128:
            # settle takes sums of any size below 2^64; the result is at most r/2 + 1.
            claim(r_high / 2 + 1 < 1 << 63 if bits == 64 else settled + 1 < 1 << 63, "digits fit 64 bits")
            claim(r_low * (F(1, 2) + error) + w <= r_low * F(3, 2) - 1, "add_settled takes the carries of a product")
        else:
            claim(settled < 1 << 63, "digits fit 64 bits")
        allowed = F(1, 2) + SLACK[bits]
        claim(F(1, 2) + error + w / r_low <= allowed or (k == 128 and bits == 64), "products leave digits as allowed")
        # add_settled takes |d| + |v| <= 3/2 r - 1 and leaves r/2 + 1, as balance does. A product has digits of at most
        # p r, p = 1/2 + error + w / r, k = 128: r/2 + 1. What is left of each claim grows with r.
        end = r_low / 2 + 1
        product_digit = end if k == 128 else r_low * (F(1, 2) + error) + w
        claim(end + product_digit <= r_low * F(3, 2) - 1, "add_settled takes a sum and a product")
        claim(2 * end <= r_low * F(3, 2) - 1, "add_settled takes a sum and an element")
        claim(product_digit < r_low and end < r_low, "canonical: digits of products and sums are below r in size")
        # Passes: at most 64 elements, canonical digits at most r.
        top = F(64) * (1 << bits) / (1 << 22)
        shift = F(1 << SUM_LEFT(bits=bits), 1 << SUM_RIGHT(bits=bits))
        claim(top * shift < HALF_WORD, "join: the quotient's numerator fits a word")
        claim(64 * F(1 << 22) < HALF_WORD and 64 * F(1 << bits) / (1 << 44) < HALF_WORD, "words fit")
        error = F(64) / (1 << 30) * 2 + max(F(1 << (bits - 23)), F(1 << 22)) / r_low + F(2, 1 << 21)
        claim(error < (F(1, 1 << 18) if bits >= 57 else F(1, 1 << 10)), "join: the quotient is right but for 2^-18, 2^-10")
        claim(F(1, 2) + error + 65 / r_low <= allowed or (k == 128 and bits == 64), "passes leave digits as allowed")
        left = r_high * (F(1, 2) + error) + 65
        claim(left < 1 << 63 or (k == 128 and bits == 64), "digits of passes fit 64 bits")
        claim(error + 65 / r_low < F(1, 2), "canonical: digits of passes are below r in size")
all_hold()
