#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges of the transforms over word-size primes.

The script follows every ring of scalar.c, avx2.c and avx512.c through its butterflies with
exact numbers, in units of q, for the greatest q that its row admits (smaller q have smaller ranges).
It reads the numbers of bits and of lazy levels from the sources. Exits with status 1 at the first
claim that does not hold.
"""
import re
import sys
from fractions import Fraction as F
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
U = F(1, 1 << 53)  # unit roundoff of double


def claim(condition, text):
    if not condition:
        sys.exit(f"FALSE: {text}")


def read(name):
    return (HERE / name).read_text()


def define(text, name):
    return int(re.search(rf"#define {name} (\d+)", text).group(1))


def lazy_levels(text):
    """NTT_LAZY of each inclusion of the template, by the name of its product."""
    names = re.findall(r"#define NTT\(verb\) (\w+)_##verb", text)
    return dict(zip(names, map(int, re.findall(r"#define NTT_LAZY (\d+)", text))))


def top(bits):
    """An upper bound of the primes below 2^bits."""
    return (1 << bits) - 1


# ---- words of 64, 52 or 32 bits, butterflies of Harvey ----

def shoup(q, word, x):
    """x w - floor(x floor(w 2^word / q) / 2^word) q for any w < q: at least 0 and below q + x q / 2^word."""
    return q + F(x * q, 1 << word)


def check_harvey(q, word, times, name):
    """x, y < 4 q; t = times(y) in [0, 2q); both outputs below 4 q, and the inverse's below 2 q."""
    claim(4 * q <= 1 << word, f"{name}: lazy residues are words")
    claim(times(4 * q - 1) <= 2 * q, f"{name}: a product of a lazy residue is below 2q")
    a = 2 * q  # x reduced once
    claim(a + 2 * q <= 4 * q, f"{name}: sum")  # and the difference a - t + 2q in (0, 4q)
    claim(2 * q + 2 * q <= 4 * q, f"{name}: difference of the inverse, below 4 q")


def check_scalar():
    bits = define((ROOT / "papers/include/gfpoly/ntt.h").read_text(), "GFP_NTT_MAX_BITS")
    q = top(bits)
    check_harvey(q, 64, lambda x: shoup(q, 64, x), "Shoup, 64 bits")

    def montgomery(x):  # (x w + f q) / 2^64, f < 2^64
        claim(x * (q - 1) + top(64) * q < 1 << 128, "Montgomery, 64 bits: no overflow")
        return F(x * (q - 1) + top(64) * q, 1 << 64)

    check_harvey(q, 64, montgomery, "Montgomery, 64 bits")
    t = F((q - 1) ** 2 + top(64) * q, 1 << 64)
    claim(t < 2 * q, "general product: first reduction")
    claim(F(int(t) * (q - 1) + top(64) * q, 1 << 64) < 2 * q, "general product: second reduction")


def check_ifma(text):
    bits, word = define(text, "IFMA_BITS"), define(text, "IFMA_WORD")
    q = top(bits)
    check_harvey(q, word, lambda x: shoup(q, word, x), "Shoup, 52 bits")
    claim(2 * q <= 1 << word, "Shoup, 52 bits: the product is known from its low word")
    # hi(x w) - hi(m q) + q: both high words are in [0, q).
    claim(((1 << word) - 1) * (q - 1) >> word < q, "Montgomery, 52 bits: high word of x w")
    claim(((1 << word) - 1) * q >> word < q, "Montgomery, 52 bits: high word of m q")
    check_harvey(q, word, lambda x: 2 * q, "Montgomery, 52 bits")
    claim(2 * q * (q - 1) < q << word, "general product, 52 bits: second reduction")


def check_spare(text):
    """Values known modulo 2^52: intervals [low, high) inside [0, 2^52)."""
    bits, word = define(text, "SPARE_BITS"), define(text, "IFMA_WORD")
    levels = lazy_levels(text)["spare"] + 1
    q = top(bits)
    whole = 1 << word
    claim(16 * q <= whole, "spare: 16 q is below 2^52")
    claim(shoup(q, word, whole - 1) <= 2 * q, "spare: t of any multiplicand is in [0, 2q)")
    low, high = 4 * q, 8 * q + 4 * q  # [0, 16 q) minus 8 q, plus 4 q
    for _ in range(levels):
        low, high = low - q, high + q
        claim(0 <= low and high <= 16 * q, "spare: lazy levels stay in [0, 16 q)")
    # A product by 1: t = x - floor(x floor(2^52 / q) / 2^52) q.
    claim(shoup(q, word, whole - 1) <= 2 * q, "spare: canonical")
    # Inverse: in [0, 4q).
    claim(4 * q + 4 * q <= 8 * q <= whole, "spare inverse: x - y + 4 q, and the sum")
    claim(8 * q + 8 * q <= 16 * q, "spare inverse of two sums: x - y + 8 q, and the sum, 8 q and 4 q less")
    claim(2 * q + 2 * q <= 4 * q, "spare inverse of two differences")


def check_montgomery_32(text):
    bits, word = define(text, "MONTGOMERY_BITS"), define(text, "MONTGOMERY_WORD")
    q = top(bits)
    claim((4 * q - 1) * (q - 1) + (q << word) < 1 << 64, "Montgomery, 32 bits: no overflow")
    claim((4 * q - 1) * (q - 1) >> word < q, "Montgomery, 32 bits: high half of x w")
    check_harvey(q, word, lambda x: 2 * q, "Montgomery, 32 bits")


# ---- the quotient in double ----

def check_quotient():
    bits = define((ROOT / "papers/include/gfpoly/ntt.h").read_text(), "GFP_NTT_DOUBLE_QUOTIENT_BITS")
    for q in (3, top(bits)):
        exact = F((q - 1) ** 2, q)
        most, least = exact * (1 + U) ** 3, exact * (1 - U) ** 3
        claim(most - exact < 1 and exact - least < 1, "double quotient: at most one off")
        # trunc in [exact - 2, exact + 1]: res = (exact - quotient) q in [-q, 2q).
        claim(2 * q <= 1 << 31, "double quotient: res is an int32")
        claim((q - 1) ** 2 < 1 << 60, "double quotient: the product is a word")


# ---- Shoup products in double ----

class Real:
    """|x| <= bound q, integers in double, q < 2^bits."""

    def __init__(self, q):
        self.q = q

    def integer(self, bound, text):
        claim(bound * self.q <= 1 << 53, text)

    def reduce(self, x):
        """x - round(x (1/q)) q: the quotient errs by |x/q| ((1 + u)^2 - 1) and by the rounding."""
        self.integer(x, "reduce: exact operand")
        r = F(1, 2) + x * ((1 + U) ** 2 - 1)
        self.integer(r, "reduce: exact result")
        return r

    def remainder(self, error, product):
        """x y - quotient q, with a quotient that errs by `error`; |x y| <= product."""
        r = F(1, 2) + error
        low = U * product  # |x y - rounded x y|
        claim(r * self.q + low <= 1 << 53, "remainder: both sums are integers below 2^53")
        return r

    def times(self, x):
        """w balanced, |w| <= q/2, companion w/q rounded."""
        self.integer(x, "times: exact operand")
        error = x * self.q * F(1, 2) * ((1 + U) ** 2 - 1)
        return self.remainder(error, x * self.q * self.q / 2)


def check_real(text):
    bits = define(text, "REAL_BITS")
    claim(lazy_levels(text)["shoup"] == 1, "doubles: one lazy level")
    q = top(bits)
    claim(q < 1 << 52, "doubles: conversion by 2^52")
    r = Real(q)
    bound = F(1)  # enter: [0, q)
    for _ in range(60):  # passes: a reducing level and a lazy one, or a reducing one alone
        first = r.reduce(bound) + r.times(bound)
        second = first + r.times(first)
        bound = max(bound, first, second)
    claim(first <= F(13, 10) and bound <= F(21, 10), "doubles: 1.3 q, 2.1 q")
    claim(r.reduce(bound) < 1 and r.times(bound) < 1, "doubles: canonical and scaled")
    bound = F(1)
    for _ in range(60):  # inverse: a reducing level alone, or after a lazy level, whose sums reach 2 q
        alone = max(r.reduce(2 * bound), r.times(2 * bound))
        sums, differences = 2 * bound, r.times(2 * bound)
        second = max(r.reduce(2 * sums), r.times(2 * sums), r.times(2 * differences))
        bound = max(bound, alone, second)
    claim(bound <= F(101, 100), "doubles, inverse: about q")
    claim(r.times(bound) < 1, "doubles, inverse: scaled")
    # General product: x y and 1/q rounded, and their product.
    error = F((q - 1) ** 2, q) * ((1 + U) ** 3 - 1)
    claim(r.remainder(error, F((q - 1) ** 2)) < 1, "doubles: general product")


def main():
    avx2, avx512 = read("avx2.c"), read("avx512.c")
    for text in (read("scalar.c"), avx2, avx512):
        claim(len(lazy_levels(text)) >= 3, "the template is included for every product")
    check_scalar()
    check_quotient()
    check_ifma(avx512)
    check_spare(avx512)
    check_montgomery_32(avx2)
    check_real(avx2)
    print("all ranges of the transforms over word-size primes hold")


if __name__ == "__main__":
    main()
