#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the bounds of convert_lanes.inc.

It proves for radices from GFP_CONVERT_R_MIN on - the ends, those next to powers of 2, named and sparse ones - and every
h = 1, 2, 4, ..., 128 that the tables fit their limbs, that an estimated quotient is right or one too small whatever the
number below r^2h, that sums of products fit their lanes, and that joined numbers fit their limbs.
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts, expression, radices  # noqa: E402

TABLES, LANES = "field/convert.c", "field/kernels/convert_lanes.inc"
LIMB = constant(TABLES, "LIMB_BITS")
BETA = 1 << LIMB
BLOCK = constant(LANES, "BLOCK")
LEVELS = [1 << i for i in range(constant("field/base/convert.h", "GFP_CONVERT_LEVELS"))]
HALF = expression(TABLES, r"return (log2_h < 2 [^;]*);")
INVERSE_OF_4 = expression(TABLES, r"return log2_h == 2 \? (\d+) : limbs_of_half\(log2_h\);")()
DOWN = expression(TABLES, r"down = (bits[^;]*);")


def limbs_of_half(h):
    return HALF(log2_h=h.bit_length() - 1)


def limbs_of_inverse(h):
    return INVERSE_OF_4 if h == 4 else limbs_of_half(h)


def check_division(r, h):
    """x < r^2h; q = floor(top inverse / 2^m), less the dropped columns."""
    power, limbs, many = r**h, limbs_of_half(h), limbs_of_inverse(h)
    b, m = power.bit_length(), LIMB * many
    claim(m >= b + 4, f"r = {r:#x}, h = {h}: two guard bits")
    down = DOWN(bits=b, top=m)
    claim(b - down >= 2 and down >= 0, f"r = {r:#x}, h = {h}: guard bits")
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
    # Times power 2^m.
    claim(2 ** (down + m) + (most + dropped) * power < power * 2**m,
          f"r = {r:#x}, h = {h}: an estimated quotient is at most one too small")
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
    most = 2 * limbs_of_half(LEVELS[-1]) * (BETA - 1) + BETA
    claim(most + (most >> LIMB) < 2**63, "columns are signed words")
    claim(constant(LANES, "LIMB_BITS") == LIMB, "limbs of tables and lanes")
    claim(all(limbs_of_half(h) % BLOCK == 0 for h in LEVELS[2:]), "halves of four digits and more are blocks of limbs")
    limbs = constant(LANES, "MOST_LIMBS", GFP_MAX_K=digit_counts()[-1])
    claim(limbs * LIMB >= 64 * 2 * LEVELS[-1], "limbs hold the words")


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
    claim(2 * LEVELS[-1] == digit_counts()[-1], "there is a level for every digit count")
    cases = radices(constant("field/base/convert.h", "GFP_CONVERT_R_MIN"), WORD - 2, 1 << LIMB)
    for r in cases:
        for h in LEVELS:
            check_division(r, h)
            check_joining(r, h)
    check_sums()
    check_words()
    all_hold(f"{len(cases)} radices")


if __name__ == "__main__":
    main()
