#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges of rings.h, with the rules of gpu/cuda/word_ranges.py.

It proves, with exact numbers and for the greatest q that a ring admits, that quotients in doubles are right or next to
it, and that remainders tell which.
"""
import sys
from fractions import Fraction as F
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "gpu/cuda")]
from claims import all_hold, claim  # noqa: E402
from word_ranges import SOURCES, U, check_half_words, ring_bits, top  # noqa: E402

SOURCES.append("papers/gpu/rings.h")


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
    all_hold()


if __name__ == "__main__":
    main()
