#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges that gpu/cuda/vector/horner.h states, with exact rationals: the quotients of Horner's
steps fit their words, and digits stay bounded however many steps there are.

Large radices: in units of r, |z| <= Z for a digit z, where Z is the fixed point of a step (a step grows with its
argument, so that all earlier digits are below Z). Within an octave a bound rises or falls with r; the script tries both
ends, and named and sparse radices. It tries the same for small ones, from 2 on.
"""
import sys
from fractions import Fraction as F
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/lab"))
from claims import all_hold, claim, constant, expression, radices  # noqa: E402

FOLD = "gpu/fold.h"
SMALL = 1 << constant(FOLD, "GFP_FOLD_SMALL_LOG")
WORD = F(1 << 64)
LIMITS = [expression(FOLD, r"most = (r >> [^;]*);"), expression(FOLD, r"cap =\s*(\(uint64_t\)1 << [^;]*);")]


def most_point(r):
    return min(limit(r=r) for limit in LIMITS) - 1


def estimate(r, shift, z):
    """Bounds of |s / r| and of the quotient, for |z| <= Z r and d at its limit."""
    t = z * r * most_point(r) + r
    top = t / (1 << (32 + shift))
    inverse = F(1 << (96 + shift)) / r
    claim(1 << 60 <= inverse <= 1 << 61, f"inverse lies between 2^60 and 2^61 for r = {r}")
    bias = inverse / 8  # bias <= B <= bias + 1
    offset = (bias + F(3, 2)) * WORD / (inverse - 1) + 1
    claim(bias * WORD / inverse > top + 1, "top + offset is positive")
    claim(top + offset < 1 << 63, "top + offset is below 2^63")
    # floor(t / 2^(32 + shift)) is at most 1 too small, offset at most 1 too large. inverse is at most 1 too
    # small, times at most top + offset; its product with offset is no error, since offset is computed from
    # inverse itself.
    delta = inverse / WORD + (top + 1) / WORD
    s = F(1, 2) + delta
    q = t / r + s + 1
    claim(q + bias + 1 < 1 << 63, "q + B fits a word")
    return s, q


for r in radices(SMALL, (1 << 64) - 2):
    shift = r.bit_length() - 36
    claim(r < 16 << (32 + shift) and 8 << (32 + shift) <= r, "r / 16 < 2^(32 + shift) <= r / 8")
    z, before = F(0), None
    while z != before:
        s, q = estimate(r, shift, z)
        z, before = (s * r + q) / r, z
        z = F(-(-z.numerator * (1 << 80) // z.denominator), 1 << 80)  # rounded up
    s, q = estimate(r, shift, z)
    claim((s * r + q) / r <= z + F(1, 1 << 60), "z stays where it is")
    claim(s < F(76, 100), "s lies within 0.76 r of 0")
    claim(z < F(102, 100) and z * r < WORD, "z lies within 1.02 r and 2^64 of 0")
    claim(z * r * (most_point(r) + 1) + r < 1 << 127, "z d + x fits 128 bits")

# Small radices: |q| <= (Z d + r) / r + 1 with d <= r / 2, Z <= r + |q|.
for r in radices(2, SMALL - 2):
    z, d = 2 * r + 4, most_point(r)
    claim(r + F(z * d + r, r) + 1 <= z, "z stays within 2 r + 4")
    claim(z * d + r < 1 << 63, "z d + x fits 64 bits")
all_hold()
