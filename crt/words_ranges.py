#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proves the bounds of crt/words_*.c: the sums of projection and reconstruction, the last reduction of
a residue, and the rounding of the fractions. Steps, rows and leaves are read from the sources.
"""
import os
import re
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
RADIX = 1 << 52
WORD = 1 << 64
# Primes are between these; the residues and powers are below the prime.
Q_LEAST, Q_MOST = (1 << 49) + 1, (1 << 50) - 1


def constant(file, name):
    with open(os.path.join(HERE, file), encoding="ascii") as text:
        return int(re.search(r"#define %s (\d+)" % name, text.read()).group(1))


def product_parts(x, y):
    """The most that the low and the high part of a product up to x y may be."""
    return RADIX - 1, x * y // RADIX


def check_settle(step):
    """Projection: `step` digits and one residue times powers below q, and the last reduction."""
    low, high = product_parts(RADIX - 1, Q_MOST)
    low, high = (step + 1) * low, (step + 1) * high
    assert low + RADIX - 1 < WORD and high < 1 << 57
    for q in (Q_LEAST, Q_MOST, (1 << 50) - (1 << 47)):
        # r = (low + f q) / 2^52 + high, f < 2^52.
        r = high + q + low // RADIX + 2
        assert r >> 5 < RADIX
        # The factor of the estimate: 2^57 / q, less 2^-40 of itself and rounding, rounded down.
        factor = Fraction(1 << 57, q) * (1 - Fraction(1, 1 << 39)) - 1
        # r / q - estimate, with r / 2^5 and the product rounded down.
        lost = Fraction(r, q) - (Fraction(r, 32) - 1) * factor / RADIX + 1
        assert lost < 2
        assert 2 * q < RADIX  # the difference modulo 2^52 is the difference
    # AVX2: toward zero. Relative errors: 2^-52 of h and of h / q, 2^-53 of 1 / q.
    error = Fraction(5, 1 << 53) + Fraction(1, 1 << 100)
    k = Fraction(RADIX)  # low / 2^52 times the inverse over q
    product = (Fraction(1, 2) + k * error) * Q_MOST + (1 << 49)
    rest = (Fraction(1, 2) + Fraction(1 << 57, Q_LEAST) * error) * Q_MOST
    assert product < 1 << 53 and product + rest + (1 << 32) < 1 << 53
    quotient = (product + rest + (1 << 32)) / Q_LEAST
    assert Fraction(1, 2) + quotient * error < 1


def check_rows(rows):
    """Reconstruction: sums of `rows` products, and the carry from digit to digit."""
    low, high = product_parts(Q_MOST, RADIX - 1)
    low, high = rows * low, rows * high
    carry = 0
    for _ in range(10):
        carry = (low + carry) // RADIX + high
    assert low < 1 << 62 and high < 1 << 60 and carry < 1 << 61 and low + carry < WORD
    # f of the last row is a factor, too.
    assert rows + 1 < Q_MOST


def check_fractions(rows, blocks):
    """floor(y floor(2^101 / q) / 2^52) is low by less than 5/4, in units of 2^-49."""
    assert (1 << 101) // Q_LEAST < RADIX
    assert Fraction(Q_MOST, RADIX) + 1 < Fraction(5, 4)
    # One leaf: the sum is a word; the error is less than half a unit of f.
    assert rows * (1 << 49) + (1 << 48) + 5 * rows < WORD
    primes = 8 * blocks
    assert Fraction(5, 4) * primes < 1 << 48
    # A tree: shares are below s M_leaf, and leaves have 20 bits more than M_leaf, one for the sign.
    assert primes <= 1 << 19


def main():
    step = constant("words_kernels.h", "GFP_WORDS_STEP")
    rows = constant("words_kernels.h", "GFP_WORDS_ROWS")
    blocks = constant("words_basis.h", "GFP_WORDS_BLOCKS")
    for kind in ("", "_FEW"):
        leaf = constant("words_basis.h", "GFP_WORDS_LEAF" + kind)
        assert max(leaf, constant("words_basis.h", "GFP_WORDS_ALONE" + kind)) * 8 + 1 <= rows
        assert leaf << (constant("words_basis.h", "GFP_WORDS_LEVELS") - 1) >= blocks
    check_settle(step)
    check_rows(rows)
    check_fractions(rows, blocks)
    print("the bounds of projection and reconstruction hold")


if __name__ == "__main__":
    main()
