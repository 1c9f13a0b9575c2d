#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proves the bounds of crt/blocks/*.c: the sums of projection and reconstruction, the last reduction of
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


def check_factors(digit):
    """Winograd's identity: sums of a digit and of a residue are factors of 52 bits."""
    assert (1 << digit) - 1 + Q_MOST < RADIX
    return (1 << digit) - 1


def check_settle(step, digit_bits, bias):
    """Projection: `step` digits and one residue times powers below q, and the last reduction."""
    digit = check_factors(digit_bits)
    assert step % 2 == 0
    products = step // 2 + 1
    # The products of neighbours: those of digits are subtracted, those of powers modulo q.
    total = step * digit * Q_MOST + Q_MOST * Q_MOST + step // 2 * Q_MOST * Q_MOST + Q_MOST
    # low begins with the bias less a word, and a residue.
    assert bias - RADIX > 0 and bias - step // 2 * (RADIX - 1) > 0
    low = bias + Q_MOST + products * (RADIX - 1)
    assert low < 1 << 63 and low + RADIX - 1 < WORD
    high = total // RADIX  # low / 2^52 included
    assert high < 1 << 56
    for q in (Q_LEAST, Q_MOST, (1 << 50) - (1 << 47)):
        # r = (low + f q) / 2^52 + high, f < 2^52.
        r = high + q + 2
        assert r >> 5 < RADIX and r < 1 << 57
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


def check_rows(rows, digit_bits, bias):
    """Reconstruction: sums of `rows` products, and the carry from digit to digit."""
    digit = check_factors(digit_bits)
    assert rows % 2 == 0
    products = rows // 2 * (RADIX - 1)
    # The bias less a word of the table, less low words of neighbours, and low words of products.
    assert bias - RADIX - products > 0
    low = bias + products
    carry = 0
    for _ in range(10):
        carry = (rows * Q_MOST * digit + carry) >> digit_bits
    assert carry < 1 << 61 and low < 1 << 63 and low + carry < WORD
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
    step = constant("levels.h", "GFP_WORDS_STEP")
    rows = constant("levels.h", "GFP_WORDS_ROWS")
    blocks = constant("basis.h", "GFP_WORDS_BLOCKS")
    for kind in ("", "_FEW"):
        leaf = constant("basis.h", "GFP_WORDS_LEAF" + kind)
        assert max(leaf, constant("basis.h", "GFP_WORDS_ALONE" + kind)) * 8 + 2 <= rows
        assert leaf << (constant("basis.h", "GFP_WORDS_LEVELS") - 1) >= blocks
    digit = constant("levels.h", "GFP_WORDS_DIGIT_BITS")
    bias = 1 << constant("levels.h", "GFP_WORDS_NEIGHBOURS_BITS")
    check_settle(step, digit, bias)
    check_rows(rows, digit, bias)
    check_fractions(rows, blocks)
    print("the bounds of projection and reconstruction hold")


if __name__ == "__main__":
    main()
