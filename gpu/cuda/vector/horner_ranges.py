#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges that gpu/cuda/vector/horner.h states, for every even radix. Exact rationals; exits
with status 1 at the first claim that does not hold.

Large radices, by their number of bits: in units of r, |z| <= Z for a digit z, where Z is the fixed point of
a step (a step grows with its argument, so that all earlier digits are below Z). Within an octave a bound
rises or falls with r; the script tries both ends.
"""
import re
import sys
from fractions import Fraction as F
from pathlib import Path

SOURCE = (Path(__file__).resolve().parents[3] / "gpu/fold.h").read_text()


def constant(name):
    return int(re.search(rf"#define {name} (\d+)", SOURCE).group(1))


SMALL_LOG = constant("GFP_FOLD_SMALL_LOG")
SMALL_CAP = 1 << constant("GFP_FOLD_SMALL_CAP_LOG")
CAP = 1 << constant("GFP_FOLD_CAP_LOG")
WORD = F(1 << 64)


def claim(condition, text):
    if not condition:
        sys.exit(f"FALSE: {text}")


def estimate(r, shift, z):
    """Bounds of |s / r| and of the quotient, for |z| <= Z r and d at its limit."""
    d = min(F(CAP), F(r) / 4)
    t = z * r * d + r
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


for bits in range(SMALL_LOG, 64):
    for r in ((1 << bits), (2 << bits) - 2):
        shift = bits - 35
        claim(r < 16 << (32 + shift) and 8 << (32 + shift) <= r, "r / 16 < 2^(32 + shift) <= r / 8")
        z = F(0)
        for _ in range(200):
            s, q = estimate(r, shift, z)
            z = (s * r + q) / r
            z = F(-(-z.numerator * (1 << 80) // z.denominator), 1 << 80)  # rounded up
        s, q = estimate(r, shift, z)
        claim((s * r + q) / r <= z + F(1, 1 << 60), "z stays where it is")
        claim(s < F(76, 100), "s lies within 0.76 r of 0")
        claim(z < F(102, 100) and z * r < WORD, "z lies within 1.02 r and 2^64 of 0")
        claim(z * r * CAP + r < 1 << 127, "z d + x fits 128 bits")

# Small radices: |q| <= (Z d + r) / r + 1 with d <= r / 2, Z <= r + |q|.
for bits in range(1, SMALL_LOG):
    r = (2 << bits) - 2
    z = 2 * r + 4
    d = min(F(SMALL_CAP), F(r, 2))
    claim(r + (z * d + r) / r + 1 <= z, "z stays within 2 r + 4")
    claim(z * d + r < 1 << 63, "z d + x fits 64 bits")
