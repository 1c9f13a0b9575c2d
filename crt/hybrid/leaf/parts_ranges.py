#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proof of the claims of the hybrid engines' products in parts about stored transforms, their sums, and
the terms of sums, in addition to the claims that the scripts of the engines prove. Exits with status 1
at the first claim that does not hold.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def claim(holds, text):
    if not holds:
        sys.exit("does not hold: " + text)


def constant(path, pattern):
    return int(re.search(pattern, path.read_text()).group(1))


def check_ifma():
    """Stored: transforms below 12.2 q, or 10 q behind a split; sums and products below q + e."""
    bits = constant(ROOT / "fft/words/ntt48.h", r"delta < 2\^(\d+)")
    for delta in (1, (1 << bits) - 1):
        q = (1 << 48) - delta
        claim(16 * q < 1 << 52, "factors below 16 q fit 52 bits")
        reduced = (1 << 48) - 1 + 15 * delta  # of any v < 2^52
        claim(reduced < 2 * q, "reduced: below 2 q, the input range of the inverse")
        claim(Fraction(reduced, q) < Fraction(122, 10), "reduced: a first factor")
        claim(2 * q - reduced > 0 and reduced + 2 * q < 1 << 52, "u - v + 2 q is a residue")
        claim(2 * reduced < 1 << 52, "u + v is a residue")


def check_fma():
    """Stored: at most 2.5; sums are reduced."""
    q_max = Fraction(794, 1000) * (1 << 50)
    claim(5 * q_max <= 1 << 53, "a sum of two stored values is an exact integer")
    claim(Fraction(1, 2) + Fraction(1, 1 << 49) <= Fraction(5, 4), "sums: the input range of the inverse")


def check_portable():
    bits = constant(ROOT / "fft/words/ntt_lazy.h", r"GFP_LAZY_BITS (\d+)")
    longest = constant(HERE / "portable.c", r"LOG2_MAX_LENGTH (\d+)")
    for delta in (1, (1 << 38) - 1):
        q = (1 << bits) - delta
        reduced = (1 << bits) - 1 + ((1 << (64 - bits)) - 1) * delta
        claim(reduced < 2 * q, "any word is reduced below 2 q")
        claim(4 * q < 1 << 64, "u + 2 q - v is a word")
    for r in (2, 4, 1 << 32, (1 << 64) - 2):
        d = min(Fraction(r, 2) * (1 + Fraction(1, 1 << 20)), Fraction(1 << 63))
        for k in (2, 16, 256):
            for terms in (1, 8, 1 << 24, 1 << longest):
                c = terms * k // 2 + 2
                claim(c < 1 << 38, "C < 2^38")
                claim(terms * k * d * d <= (c - 2) * r * r, "a sum of terms is at most (C - 2) r^2")


def check_lift():
    """A factor of weight w is at most w D; as a product it has at most w terms of k D^2; D >= 1."""
    for r in (2, 4, (1 << 64) - 2):
        for k in (2, 256):
            d = Fraction(r, 2)
            claim(d <= k * d * d, "a lifted factor")


check_ifma()
check_fma()
check_portable()
check_lift()
print("all claims hold")
