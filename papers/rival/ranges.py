#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges that half.c and the kernels of gpu/rival.cu rely on.

It proves, with exact integers for every digit count k, every size of r, and the least and greatest possible primes and
integers, that the parts of a digit and rows' sums fit their words, that two reductions suffice, and that recombination
finds the right multiple of the primes' product.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts  # noqa: E402

HEADER = "papers/rival/half.h"
HALF = 1 << 32
BITS = constant(HEADER, "GFP_RIVAL_BITS")
MAX_PRIMES = constant(HEADER, "GFP_RIVAL_MAX_PRIMES")
FRACTION = constant(HEADER, "GFP_RIVAL_FRACTION_BITS")
GREATEST_HALF_WORD = (1 << BITS) - 1
LEAST_PRIME = (1 << (constant(HEADER, "GFP_RIVAL_MIN_BITS") - 1)) + 1


def choose_parts(k, bits):
    """Like choose_parts in half.c."""
    for parts in (1, 2, 3):
        part_bits = (bits + parts - 1) // parts
        if part_bits + BITS + k.bit_length() - 1 + parts - 1 <= 63:
            return parts, part_bits
    return claim(False, f"three parts of a digit of {bits} bits do for k = {k}")


def redc(greatest, q):
    """The greatest result of the kernels' reduction by 2^32."""
    claim(greatest + (HALF - 1) * q < WORD, "redc: no carry out of the word")
    return (greatest + (HALF - 1) * q) >> 32


def check_projection(k, bits):
    parts, part_bits = choose_parts(k, bits)
    claim(parts * part_bits >= bits, "the parts hold the digit")
    claim(part_bits <= 32, "a part is a half word")
    for q in (LEAST_PRIME, GREATEST_HALF_WORD):
        total = parts * k * ((1 << part_bits) - 1) * (q - 1)
        claim(total < 1 << 63, "a row's sum is below 2^63")
        once = redc(total, q)
        claim(once < HALF, "reduced once, a sum is a half word")
        claim(redc(once, q) <= q, "reduced twice, it is at most q")


def check_recombination(k):
    s = 2 * k
    width = 33 - (s.bit_length() - 1)
    claim(s <= MAX_PRIMES, "at most MAX_PRIMES primes")
    claim(1 <= width <= 32, "a column is a half word")
    q = GREATEST_HALF_WORD
    column = (1 << width) - 1
    products = s * (q - 1) * column
    t = s - 1
    carry = (1 << (64 - width)) - 1
    claim(products + t * column + carry < WORD, "a column's sum with its carry is a word")
    claim((products + t * column + carry) >> width <= carry, "and leaves such a carry")
    claim(t < HALF, "t is a half word")
    for q in (LEAST_PRIME, GREATEST_HALF_WORD):
        bits = q.bit_length()
        claim((1 << (63 + bits)) // q < WORD, "a reciprocal is a word")
        claim(bits + 63 - FRACTION < 128, "the shift of a fraction")
        entry = (1 << FRACTION) // q
        claim(entry < HALF, "the entry of a fraction is a half word")
        # y/q 2^FRACTION - y entry < y, and the shifted product loses less than 2: by rounding.
        claim(s * (q - 1) * entry < WORD, "the sum of fractions is a word")
        claim(s * (q + 2) < 1 << FRACTION, "rounding loses less than 1 in all: t is at most one too small")


def check_columns_hold():
    """columns = ceil((bits + 1) / width): integers below 2Q, in at most words + 1 words."""
    for width in range(24, 32):
        for bits in range(1, 64 * 260):
            columns = (bits + 1 + width - 1) // width
            words = (bits + 63) // 64
            claim(columns * width >= bits + 1, "columns hold integers below 2Q")
            claim(columns * width // 64 <= words, "full words are at most those of Q")


def main():
    claim(MAX_PRIMES == 2 * digit_counts()[-1], "room for 2 k primes")
    for k in digit_counts():
        for bits in range(2, 65):
            check_projection(k, bits)
        check_recombination(k)
    check_columns_hold()
    all_hold()


if __name__ == "__main__":
    main()
