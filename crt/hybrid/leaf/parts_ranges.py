#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proof of what the hybrid engines' products in parts need in addition to what the scripts of the engines prove: stored
transforms and their sums are in the input ranges of products and inverses, sums of terms stay below the bound that the
division takes, and lifted factors are within their weights.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "fft/words")]
from claims import WORD, all_hold, claim, constant, digit_counts, radices, source  # noqa: E402
from ntt_fma_ranges import BACKWARD, Q_MAX, REDUCED  # noqa: E402


def check_ifma():
    """Stored: transforms below 12.2 q, or 10 q behind a split; sums and products below q + e."""
    bits = int(re.search(r"delta < 2\^(\d+)", source("fft/words/ntt48.h"))[1])  # a comment states it
    for delta in (1, (1 << bits) - 1):
        q = (1 << 48) - delta
        claim(16 * q < 1 << 52, "factors below 16 q fit 52 bits")
        reduced = (1 << 48) - 1 + 15 * delta  # of any v < 2^52
        claim(reduced < 2 * q, "reduced: below 2 q, the input range of the inverse")
        claim(Fraction(reduced, q) < Fraction(122, 10), "reduced: a first factor")
        claim(2 * q - reduced > 0 and reduced + 2 * q < 1 << 52, "u - v + 2 q is a residue")
        claim(2 * reduced < 1 << 52, "u + v is a residue")


def check_fma():
    """Stored: transforms of at most 4.15, products of at most 0.8; sums are reduced."""
    claim(Fraction(830, 100) * Q_MAX <= 1 << 53, "a sum of two stored values is an exact integer")
    claim(REDUCED <= BACKWARD, "sums: the input range of the inverse")
    claim(Fraction(4, 5) <= BACKWARD, "products: the input range of the inverse")


def check_portable():
    bits = constant("fft/words/ntt_lazy.h", "GFP_LAZY_BITS")
    longest = constant("crt/hybrid/leaf/portable.c", "LOG2_MAX_LENGTH")
    for delta in (1, (1 << 38) - 1):
        q = (1 << bits) - delta
        reduced = (1 << bits) - 1 + ((1 << (64 - bits)) - 1) * delta
        claim(reduced < 2 * q, "any word is reduced below 2 q")
        claim(4 * q < WORD, "u + 2 q - v is a word")
    for r in radices(2, WORD - 2):
        d = min(Fraction(r, 2) * (1 + Fraction(1, 1 << 20)), Fraction(1 << 63))
        for k in digit_counts():
            for terms in (1, 8, 1 << 24, 1 << longest):
                c = terms * k // 2 + 2
                claim(c < 1 << 38, "C < 2^38")
                claim(terms * k * d * d <= (c - 2) * r * r, "a sum of terms is at most (C - 2) r^2")


def check_lift():
    """A factor of weight w is at most w D; as a product it has at most w terms of k D^2; D >= 1."""
    for r in radices(2, WORD - 2):
        for k in digit_counts():
            d = Fraction(r, 2)
            claim(d <= k * d * d, "a lifted factor")


check_ifma()
check_fma()
check_portable()
check_lift()
all_hold()
