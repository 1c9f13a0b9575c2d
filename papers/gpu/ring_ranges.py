#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges of rings.h, with the rules of gpu/cuda/word_ranges.py.

Exact numbers, for the greatest q that a ring admits. Exits with status 1 at the first claim that does
not hold.
"""
import sys
from fractions import Fraction as F
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "gpu/cuda"))
from word_ranges import SOURCES, U, check_half_words, claim, ring_bits, top  # noqa: E402

SOURCES.append(HERE / "rings.h")


def check_quotient30():
    """x w (1/q) in doubles: x w, its product with 1/q, and 1/q are rounded."""
    q = top(ring_bits("quotient30"))

    def error(x):
        return F(x * (q - 1), q) * ((1 + U) ** 3 - 1)

    x = 2 * q - 1
    claim(error(x) < 1, "quotient30: the quotient, or a neighbour of it")
    claim(F(x * (q - 1), q) + 1 < 1 << 31, "quotient30: the quotient is an integer of 32 bits")
    # The remainder is in (-q, 2q): negative remainders wrap to more than 2^32 - q, which exceeds 2q.
    claim((1 << 32) - q >= 2 * q, "quotient30: negative remainders are known by their size")
    check_half_words("quotient30", lambda q, x: 2 * q - 1)


def main():
    check_quotient30()
    print("all ranges hold")


if __name__ == "__main__":
    main()
