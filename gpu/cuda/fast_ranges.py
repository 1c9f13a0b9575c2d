#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges of the fast engine's arithmetic (fast_arith.h, gpu/cuda/transform/sliced_kernels.h), for
the moduli that the files sliced_*.cu name.

The script follows digits of products and of results of levels, in units of r; column sums; the errors
of quotients by short series and by words of 1/r; words 22 bits apart through the levels of a DFT_2k.
It computes with exact rationals, and exits with status 1 at the first claim that does not hold.
"""
import re
import sys
from fractions import Fraction as F
from math import floor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORD = F(1 << 32)
HALF_WORD = 1 << 31
FIELDS = [(path.stem, int(k), int(r, 16)) for path in sorted((ROOT / "gpu/cuda/transform").glob("sliced_*.cu"))
          for k, r in re.findall(r"modulus<(\d+), (0x[0-9a-f]+)>", path.read_text())]


def claim(condition, text):
    if not condition:
        sys.exit(f"FALSE: {text}")


class Modulus:
    """The constants of modulus<k, r>, computed independently."""

    def __init__(self, name, k, r):
        self.name, self.k, self.r = name, k, r
        self.r1 = r >> 32
        claim(r % (1 << 32) == 0 and k & (k - 1) == 0, f"{name}: r is a multiple of 2^32, k a power of 2")
        terms = bin(r).count("1")
        above = 1 << r.bit_length()
        self.minus = terms > 2 and bin(above - r).count("1") == 1
        self.two_terms = terms == 2 or self.minus
        self.width = r.bit_length() if self.minus else r.bit_length() - 1
        tail = abs(r - (1 << self.width))
        self.delta = self.width - tail.bit_length() + 1 if self.two_terms else 0
        self.tight = self.width == 64
        self.pairs = k >= 16 and r < 1 << 63
        self.roomy = self.two_terms and not self.minus and self.width == 62 and 22 < self.delta < 32
        self.wide_series = self.tight and self.two_terms and self.minus and 14 <= self.delta < 16

    def claim(self, condition, text):
        claim(condition, f"{self.name}: {text}")


def series(m, places, value, unit_loss):
    """The interval [low, high] of the error of v (1 + sign y)(1 + y^2)(1 + y^4)..., y = 2^-delta, in shifts
    below `places`, or v (1 + y + y^2)(1 + y^3), against v / (1 - sign y), for |v| <= value. Every shift
    loses less than a unit, and later factors multiply earlier losses."""
    y = F(1, 1 << m.delta)
    factors = [(1 if m.minus else -1, y)] + [(1, y**s) for s in (2, 4, 8) if s * m.delta < places]
    if places == 80 and m.wide_series:
        # One product, which loses the part below a unit; then as above.
        factors = [(1, y + y * y), (1, y**3)]
    product, low, high = F(1), F(0), F(0)
    for sign, part in factors:
        factor = 1 + sign * part
        low, high = low * factor, high * factor
        if sign > 0:
            low -= unit_loss
        else:
            high += unit_loss
        product *= factor
    missing = value * abs(product - 1 / (1 - (1 if m.minus else -1) * y))
    return low - missing, high + missing


def products(m):
    """Bounds, in units of r, of the digits that multiply returns."""
    k, r, r1 = m.k, m.r, m.r1
    # mac: upper words are at most r1, and a carry comes with each.
    free = min(64, ((1 << 64) - 2) // (r1 * r1 + 1))
    m.claim(free * (r1 * r1 + 1) < 1 << 64, "sums of free_tops products fit four words")
    column = k * r * r  # of products; wrapped ones are negative
    carry = column // r + k + 4
    m.claim(carry < 1 << 95, "carries of columns fit three words")
    total = column + carry + r
    m.claim(total < 1 << (2 * m.width + k.bit_length()), "columns: 2^(2 width + log2 k + 1)")
    m.claim(total < 1 << 159 and k * r * r < 1 << 160, "columns fit five words")
    m.claim(2 * k * (1 << 64) < 1 << 96, "sums of mixed products fit three words")
    if m.pairs:
        # The summands: at most k / 2 products of sums of two digits (4 r^2 each), 2 d of one or two
        # digits, and less than 2 k products d.
        m.claim(2 * r < 1 << 64, "sums of two digits fit two words")
        m.claim((2 * k + 4 + 2 * k) * r * r + carry < 1 << 159, "their columns fit five words")
        m.claim(2 * (k // 2 + 2 + k) * (1 << 64) < 1 << 96, "their mixed products fit three words")
    scaled = F(total) / WORD  # w0 is dropped: less than a unit
    if m.roomy:
        # W / 2^width = V + f, q = V (1 - y + y^2) + g - h, f, g, h < 1.
        v, y = F(total, 1 << m.width) + 1, F(1, 1 << m.delta)
        m.claim(v < 1 << 95, "V fits three words")
        m.claim(v * y * y + 1 < HALF_WORD, "V y^2 fits a word")
        missing = v * y**3 / (1 + y)
        low, high = -2 - missing, 1 + missing
    elif m.two_terms:
        low, high = series(m, 80, scaled, 1)
        low -= 1 / (1 - F(1, 1 << m.delta))
        m.claim(2 * scaled < 1 << 127, "four words hold the series")
        point = F(1 << (m.width - 32))
        low, high = low / point - 1, high / point
        m.claim(2 * scaled / point < 1 << 95, "quotients of columns fit three words")
    else:
        b = r1.bit_length() - 1
        shifted = floor(scaled / (1 << b)) + 1
        inverse, rest = divmod(1 << (32 + b), r1)
        m.claim(rest != 0 and inverse < WORD, "the reciprocal's first word")
        a2 = F(shifted) / (1 << 64)
        m.claim(a2 < 1 << 10 and a2 < HALF_WORD, "the highest word: below 2^10")
        m.claim(a2 * WORD < 1 << 63, "products by the highest word fit 64 bits")
        m.claim(2 * a2 * WORD + 4 * WORD < 1 << 63, "sums of quotient words fit 64 bits")
        second, rest = divmod(rest << 32, r1)
        third = (rest << 32) // r1
        # Losses, each of at most 1 in the quotient: the part of W below 2^(32 + b); the low halves of
        # u, t and bot; a1 times the third word, a0 times the second; terms of weight 2^-32.
        low = -(F(1 << b, r1) + 3 + F(third + second) / WORD + (a2 + 4) / WORD)
        high = F(0)
    # q is (W + r / 2) / r, at most -low too small or high too large, the floor included.
    bound = max(-low - F(1, 2), F(1, 2) + high)
    first = bound + F(carry, r)
    # reduce_small takes t = digit 0 minus the last carry, in its upper two words.
    t = first * r
    m.claim(t < 1 << 70, "digit 0 less the last carry: 2^70")
    w = t / WORD + r1
    m.claim(2 * w < 1 << 63, "its upper words fit 64 bits")
    if m.two_terms:
        low, high = series(m, 48, w, 1)
        point = F(1 << (m.width - 32))
        low, high = (low - 2) / point - 1, high / point
        small = 2 * w / point
    else:
        b = r1.bit_length() - 1
        inverse = F(1 << (20 + b)) / r1
        m.claim((w / (1 << b) + 1) * inverse < 1 << 63, "the small quotient's product fits 64 bits")
        low = -(inverse / (1 << 20) + (w / (1 << b) + 1) / (1 << 20) + 1 + WORD / r)
        high = F(0)
        small = w / r1 + 2
    m.claim(small + 1 < 1 << 10, "the small quotient: below 2^10")
    bound = max(bound, -low - F(1, 2), F(1, 2) + high) + (small + 1) / r
    m.claim(bound * r < 1 << 63, "digits of products fit 64 bits")
    if m.two_terms and not m.roomy:
        m.claim(bound <= F(1, 2) + F(1, 1 << 15), "products leave r/2 (1 + 2^-14) at most")
    else:
        m.claim(bound <= (F(3, 2) + F(1, 1 << 9) if m.roomy else F(9, 2)),
                "products leave 9 r/2 at most, 3 r/2 (1 + 2^-8) where width is 62")
        # tidy: every round subtracts r from a digit above r/2 and brings a carry of 1.
        rounds = int(re.search(r"round < (\d+)", (ROOT / "gpu/cuda/transform/sliced_kernels.h").read_text()).group(1))
        left = bound
        for _ in range(rounds):
            left = max(left - 1, F(1, 2)) + F(1, r)
        m.claim(left + F(2, r) < 1, "tidied digits are below r - 1")
    return bound


def levels(m, product):
    """The digits after a DFT of up to 2k points, of canonical digits, products and shifted digits."""
    k, r = m.k, m.r
    R = 2 * k
    low = (1 << 22) - 1
    top = max(F(r) / (1 << 44), product * r / (1 << 44) + 1)
    # Shifted at the start of an inverse: the digit's own words and the moved words, of either sign; or
    # both in one word: x / 2^s + low (r / 2^s) with low < 2^s, or minus the second term.
    most = int(re.search(r"SLICED_MAX_SHIFT (\d+)", (ROOT / "gpu/cuda/transform/sliced.h").read_text()).group(1))
    m.claim((1 << most) - 1 < HALF_WORD, "the part handed down is a signed word")
    if r - (r >> 28) < 1 << 63:
        for s in range(1, most + 1):
            handed = ((1 << s) - 1) * (r >> s)
            m.claim((r >> s) + handed < 1 << 64 and handed <= 1 << 63, "shifted digits fit a word")
            if s <= 31 - most:  # a second shift, of balanced digits
                m.claim((r >> (s + 1)) + 1 + handed < 1 << 63, "digits shifted twice fit a word")
    a = b = 2 * low
    c = top + F(r) / (1 << 44)
    m.claim(R * a < 1 << 29 and R * b < 1 << 29 and R * c < 1 << 29, "words after a DFT_2k: 2^29")
    # As sums: without the shift, all digits may have one sign, |value| <= R D; with it, at most D / 2^s + r.
    value = R * max(product, F(3, 2), product / 2 + 1)
    b, c = R * b, R * c
    rest = (F(R * a) / (1 << 44)) / (F(r) / (1 << 44))  # a alone, in units of r
    if m.tight:
        m.claim(m.delta < 20, "the constant of quotient22")
        half = F(r) / (1 << 45)
        m.claim((1 << 19) - (1 << (18 - m.delta) << 1) == half, "the constant of quotient22 is r/2")
        x = c + F(b) / (1 << 22) + half
        m.claim(x * 2 < HALF_WORD, "quotient22's sums fit a word")
        # x loses the low bits of b, and a; the series is 1 + y instead of 1 / (1 - y); then two shifts.
        y = F(1, 1 << m.delta)
        missing = x * (1 / (1 - y) - 1 - y)
        error = (1 + F(R * a) / (1 << 44) + 1 + missing + y) * 2 / (1 << 20)
    elif m.two_terms and m.delta > 9:
        unit = F(1 << (m.width - 44))
        m.claim(c + unit / 2 < HALF_WORD, "quotient22's sums fit a word")
        # r is taken as 2^width; b is left out.
        error = value * F(1, 1 << m.delta) * 2 + F(b) / (1 << 22) / unit + rest
        error += abs(F(1, 2) - F(1 << (m.width - 1)) / r)
    else:
        inverse = (1 << 76) // r
        m.claim(inverse < HALF_WORD, "quotient22's constant fits a word")
        m.claim(c * inverse + HALF_WORD < 1 << 63, "quotient22's product fits 64 bits")
        error = c * F(1) / WORD + F(b) * (1 << 22) / r + rest
    quotient = value + 1 + error
    m.claim(quotient < 1 << 10, "quotients of levels: below 2^10")
    m.claim(R * a + quotient < HALF_WORD, "the lowest word and a carry fit a word")
    # A quotient is the floor of (V / r + 1/2 + e), |e| <= error.
    bound = F(1, 2) + error + quotient / r
    m.claim(bound * r < 1 << 63, "digits behind levels fit 64 bits")
    m.claim(bound <= F(1, 2) + (F(1, 1 << 17) if m.tight else F(1, 1 << 6)),
            "levels leave r/2 (1 + 2^-16) at most where width is 64, r/2 (1 + 2^-5) elsewhere")
    m.claim(b * (1 << 22) + R * a < 1 << 63, "join22's sum fits 64 bits")
    # make_unsigned and make_canonical: adding r once makes a negative digit positive.
    m.claim(bound + F(2, r) < 1, "levels leave less than r - 1")
    m.claim(bound * r + 2 < 1 << 63, "a borrow more fits 64 bits")
    return bound


def main():
    claim(len(FIELDS) == 6, "six fields")
    for name, k, r in FIELDS:
        m = Modulus(name, k, r)
        product = products(m)
        level = levels(m, product)
        print(f"{name}: products {float(product):.7f} r, levels {float(level):.7f} r")
    print("all ranges hold")


if __name__ == "__main__":
    main()
