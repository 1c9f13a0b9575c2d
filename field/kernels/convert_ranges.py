#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the bounds of convert_lanes.inc.

For every named radix and the ends of the range that lanes serve, and every h = 1, 2, 4, ..., 128: the
tables fit their limbs, an estimated quotient is right or one too small whatever the number below r^2h,
sums of products fit their lanes, joined numbers fit their limbs. Exits with status 1 at the first
claim that does not hold.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMB = 52
BETA = 1 << LIMB
BLOCK = 5
MOST_H = 128


def claim(condition, text):
    if not condition:
        sys.exit(f"FALSE: {text}")


def limbs_of_half(h):
    return {1: 2, 2: 3}.get(h, BLOCK * h // 4)


def limbs_of_inverse(h):
    return 6 if h == 4 else limbs_of_half(h)


def check_sources():
    header = (ROOT / "field/base/convert.h").read_text()
    claim("GFP_CONVERT_R_MIN ((uint64_t)1 << 44)" in header, "field/base/convert.h: least radix of the lanes")
    tables = (ROOT / "field/convert.c").read_text()
    claim("log2_h < 2 ? log2_h + 2 : 5u << (log2_h - 2)" in tables, "field/convert.c: limbs of a half")
    claim("log2_h == 2 ? 6 : limbs_of_half(log2_h)" in tables, "field/convert.c: limbs of an inverse")
    claim("down = bits - (top - bits) / 2" in tables, "field/convert.c: bits below those that count")
    text = (ROOT / "field/primes/named.inc").read_text()
    named = re.findall(r'", (0x[0-9a-f]+), (\d+),', text)
    claim(len(named) == text.count("\nGFP_NAMED_PRIME(") > 0, "field/primes/named.inc: a radix in each line")
    return [int(r, 16) for r, _ in named]


def check_division(r, h):
    """x < r^2h; q = floor(top inverse / 2^m), less the dropped columns."""
    power, limbs, many = r**h, limbs_of_half(h), limbs_of_inverse(h)
    b, m = power.bit_length(), LIMB * many
    g = (m - b) // 2
    down = b - g
    claim(g >= 2 and down >= 0, f"r = {r:#x}, h = {h}: guard bits")
    inverse = 2 ** (m + down) // power
    most = (power**2 - 1) >> down
    claim(inverse < 2**m, "the inverse fits its limbs")
    claim(most < 2**m, "the bits that count fit as many limbs")
    claim(down // LIMB + limbs <= 2 * limbs, "and lie inside the number")
    # Each product a_i b_j is below BETA^(i + j + 2). Left out: those with i + j < many - 2, and the low
    # halves (below BETA^(i + j + 1)) of those with i + j = many - 2.
    dropped = sum((s + 1) * BETA ** (s + 2) for s in range(many - 2))
    dropped += (many - 1) * BETA ** (many - 1)
    # x / power - top inverse / 2^m: the bits below `down`, and the rest of the inverse's division.
    error = Fraction(2**down, power) + Fraction(most, 2**m) + Fraction(dropped, 2**m)
    claim(error < 1, f"r = {r:#x}, h = {h}: an estimated quotient is at most one too small")
    claim(2 * power <= BETA**limbs, "a remainder below 2 power fits its limbs")
    top_limb, top_bits = b // LIMB, b % LIMB + 1
    claim(top_limb < limbs and 1 <= top_bits <= LIMB, "the highest bit of 2 power has its place")
    claim(top_limb >= 1 or h == 1, "and a limb below it")
    if h == 1:
        claim(down // LIMB == 0, "digits are taken from the lowest limb on")
    if h == 2:
        claim(down // LIMB in (1, 2) and top_limb in (1, 2), "divide_three knows two places")


def check_joining(r, h):
    """Digits below r, or r^k: sums never exceed r^2h, and fit the limbs of 2 h digits."""
    claim(r ** (2 * h) < BETA ** limbs_of_half(2 * h), f"r = {r:#x}, h = {h}: joined numbers fit")


def check_sums():
    """A column holds the low and high parts of at most L products, a limb, and a carry."""
    most = 2 * limbs_of_half(MOST_H) * (BETA - 1) + BETA
    claim(most + (most >> LIMB) < 2**63, "columns are signed words")
    claim(2 * BLOCK * MOST_H // 4 * LIMB >= 64 * 2 * MOST_H, "limbs hold the words")


def check_words():
    """Limb i of words, and word j of limbs, come from the words and limbs that are read."""
    for i in range(16):
        at, bits = LIMB * i // 64, LIMB * i % 64
        claim(bits + LIMB <= 64 or at + 1 < 13, "16 limbs of 13 words")
    for j in range(13):
        at, bits = 64 * j // LIMB, 64 * j % LIMB
        last = (64 * j + 63) // LIMB
        claim(last <= at + 2 and last < 16, "13 words of 16 limbs")
        claim(last <= at + 1 or 2 * LIMB - bits < 64, "the third limb is read if it counts")


def main():
    radices = check_sources()
    ends = [1 << 44, (1 << 44) + 2, (1 << 52) - 2, 1 << 52, (1 << 52) + 2, 1 << 63, (1 << 64) - 2]
    for r in ends + radices:
        h = 1
        while h <= MOST_H:
            check_division(r, h)
            check_joining(r, h)
            h *= 2
    # Between the ends, guard bits depend only on the number of bits: each number of bits once more.
    for bits in range(44, 64):
        for r in (1 << bits, (1 << (bits + 1)) - 2):
            for h in (1, 2, 4, 8, 16, 32):
                check_division(r, h)
    check_sums()
    check_words()
    print(f"convert_ranges.py: {len(ends) + len(radices)} radices: all claims hold")


if __name__ == "__main__":
    main()
