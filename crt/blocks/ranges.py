#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proves the bounds of crt/blocks/*.c: the sums of projection and reconstruction fit their words, the last
reduction of a residue takes one correction, and the fractions round to the right multiple of the primes' product.
Steps, rows and leaves are those of the sources; primes are all of the greatest number of bits.
"""
import sys
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import WORD, all_hold, claim, constant  # noqa: E402

LEVELS, BASIS = "crt/blocks/levels.h", "crt/blocks/basis.h"
RADIX = 1 << constant(LEVELS, "GFP_WORDS_RADIX_BITS")  # a word that IFMA multiplies
BITS = constant(LEVELS, "GFP_WORDS_BITS")
# Primes are between these; the residues and powers are below the prime.
Q_LEAST, Q_MOST = (1 << (BITS - 1)) + 1, (1 << BITS) - 1
FRACTION = constant(LEVELS, "GFP_WORDS_FRACTION_BITS")


def check_factors(digit):
    """Winograd's identity: sums of a digit and of a residue are factors of 52 bits."""
    claim((1 << digit) - 1 + Q_MOST < RADIX, "the sum of a digit and a residue is a factor")
    return (1 << digit) - 1


def check_settle(step, digit_bits, bias):
    """Projection: `step` digits and one residue times powers below q, and the last reduction."""
    digit = check_factors(digit_bits)
    claim(step % 2 == 0, "digits of a step come in pairs")
    products = step // 2 + 1
    # The products of neighbours: those of digits are subtracted, those of powers modulo q.
    total = step * digit * Q_MOST + Q_MOST * Q_MOST + step // 2 * Q_MOST * Q_MOST + Q_MOST
    # low begins with the bias less a word, and a residue.
    claim(bias - RADIX > 0 and bias - step // 2 * (RADIX - 1) > 0, "projection: low words are not negative")
    low = bias + Q_MOST + products * (RADIX - 1)
    claim(low < 1 << 63 and low + RADIX - 1 < WORD, "projection: sums of low words are words")
    high = total // RADIX  # low / 2^52 included
    claim(high < 1 << 56, "projection: sums of high words are below 2^56")
    for q in (Q_LEAST, Q_MOST, (1 << 50) - (1 << 47)):
        # r = (low + f q) / 2^52 + high, f < 2^52.
        r = high + q + 2
        claim(r >> 5 < RADIX and r < 1 << 57, f"q = {q}: what is reduced at last is below 2^57")
        # The factor of the estimate: 2^57 / q, less 2^-40 of itself and rounding, rounded down.
        factor = Fraction(1 << 57, q) * (1 - Fraction(1, 1 << 39)) - 1
        # r / q - estimate, with r / 2^5 and the product rounded down.
        lost = Fraction(r, q) - (Fraction(r, 32) - 1) * factor / RADIX + 1
        claim(lost < 2, f"q = {q}: the last quotient is at most one too small")
        claim(2 * q < RADIX, f"q = {q}: the difference modulo 2^52 is the difference")
    # AVX2: toward zero. Relative errors: 2^-52 of h and of h / q, 2^-53 of 1 / q.
    error = Fraction(5, 1 << 53) + Fraction(1, 1 << 100)
    k = Fraction(RADIX)  # low / 2^52 times the inverse over q
    product = (Fraction(1, 2) + k * error) * Q_MOST + (1 << (BITS - 1))
    rest = (Fraction(1, 2) + Fraction(1 << 57, Q_LEAST) * error) * Q_MOST
    claim(product < 1 << 53 and product + rest + (1 << 32) < 1 << 53, "doubles: sums are integers of 53 bits")
    quotient = (product + rest + (1 << 32)) / Q_LEAST
    claim(Fraction(1, 2) + quotient * error < 1, "doubles: one correction makes a residue canonical")


def check_rows(rows, digit_bits, bias):
    """Reconstruction: sums of `rows` products, and the carry from digit to digit."""
    digit = check_factors(digit_bits)
    claim(rows % 2 == 0, "rows come in pairs")
    products = rows // 2 * (RADIX - 1)
    # The bias less a word of the table (or, by AVX-512, as many low words as there are products), less low words of
    # neighbours, and low words of products.
    claim(bias - RADIX - products > 0, "reconstruction: low words are not negative")
    claim(bias - 2 * products > 0, "reconstruction: the table's sums of low words are not negative")
    low = bias + products
    carry = 0
    for _ in range(10):
        carry = (rows * Q_MOST * digit + carry) >> digit_bits
    claim(carry < 1 << 61 and low < 1 << 63 and low + carry < WORD, "reconstruction: sums and carries are words")
    claim(rows + 1 < Q_MOST, "f of the last row is a factor, too")


def check_fractions(rows, blocks):
    """floor(y floor(2^101 / q) / 2^52) is low by less than 5/4, in units of 2^-49."""
    claim((RADIX << FRACTION) // Q_LEAST < RADIX, "reciprocals are factors")
    claim(Fraction(Q_MOST, RADIX) + 1 < Fraction(5, 4), "a fraction is low by less than 5/4")
    # One leaf: the sum is a word; the error is less than half a unit of f.
    claim((rows << FRACTION) + (1 << (FRACTION - 1)) + 5 * rows < WORD, "the sum of a leaf's fractions is a word")
    primes = constant(LEVELS, "GFP_WORDS") * blocks
    claim(Fraction(5, 4) * primes < 1 << (FRACTION - 1), "the sum of fractions is low by less than half a unit of f")
    # A tree: shares are below s M_leaf, and leaves have 20 bits more than M_leaf, one for the sign.
    claim(primes <= 1 << 19, "leaves have a bit for the sign")


def check_division(rows, digit_bits):
    """Rows from a product: r q + carry of a digit r of the quotient, and the sums of the rows."""
    digit = (1 << digit_bits) - 1
    carry = 0
    for _ in range(10):
        carry = (digit * Q_MOST + carry) >> digit_bits
    low, high = RADIX - 1 + carry, digit * Q_MOST // RADIX
    claim(carry < Q_MOST + 1, "division: carries are below a prime or equal to it")
    claim(low < WORD and (low >> digit_bits) + 2 * high < RADIX, "division: the words of a carry are a factor")
    claim(rows * digit < 1 << 61, "division: the sum of a column is below 2^61")
    # carry_digits: sums begin at a bit below 64, on what the digits below leave.
    claim(((1 << 61) << 63) + (1 << 127) < 1 << 128, "division: sums on their way to limbs are below 2^128")


def check_butterflies():
    """Levels of points (crt/blocks/kernels/points.inc) by IFMA: values below 4 q."""
    values = 4 * Q_MOST
    claim(values < RADIX, "butterflies: values are factors")
    # x w - floor(x floor(2^52 w / q) / 2^52) q < (1 + x / 2^52) q, the product of a value and a root.
    claim(Fraction(values, RADIX) < 1, "butterflies: products are below 2 q")
    claim(2 * Q_MOST - 1 + 2 * Q_MOST <= values, "butterflies: sums, and differences plus 2 q, are values")


def main():
    step, rows = constant(LEVELS, "GFP_WORDS_STEP"), constant(LEVELS, "GFP_WORDS_ROWS")
    blocks, words = constant(BASIS, "GFP_WORDS_BLOCKS"), constant(LEVELS, "GFP_WORDS")
    for kind in ("", "_FEW"):
        leaf = constant(BASIS, "GFP_WORDS_LEAF" + kind)
        most = max(leaf, constant(BASIS, "GFP_WORDS_ALONE" + kind))
        claim(most * words + 2 <= rows, f"a leaf's rows are at most those of a table: GFP_WORDS_LEAF{kind}")
        claim(leaf << (constant(BASIS, "GFP_WORDS_LEVELS") - 1) >= blocks, "the tree has room for all blocks")
    digit = constant(LEVELS, "GFP_WORDS_DIGIT_BITS")
    bias = 1 << constant(LEVELS, "GFP_WORDS_NEIGHBOURS_BITS")
    check_settle(step, digit, bias)
    check_rows(rows, digit, bias)
    check_fractions(rows, blocks)
    check_division(rows, digit)
    check_butterflies()
    all_hold()


if __name__ == "__main__":
    main()
