#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges that gpu/cuda/arith.h states, for every k and every even r < 2^64: columns and carries
with their bias are positive, and fit their words.

With |column| <= k r^2, a carry c obeys |c'| <= (k r^2 + |c|) / r + 1. Starting at 0, a carry never exceeds
the fixed point C = (k r^2 + r) / (r - 1). Claims in r are inequalities of polynomials: if all
coefficients of p(2 + x) are at least 0 and the lowest is above 0, then p(r) > 0 for every r >= 2.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts  # noqa: E402

BIAS = 1 << constant("gpu/cuda/arith.h", "BIAS_LOG")


def positive(*polynomial):
    """p(r) > 0 for all r >= 2; coefficients lowest first."""
    shifted = [0] * len(polynomial)
    for coefficient in reversed(polynomial):
        shifted = [2 * a + b for a, b in zip(shifted, [0] + shifted[:-1])]
        shifted[0] += coefficient
    return shifted[0] > 0 and min(shifted) >= 0


for k in digit_counts():
    # Both sides are multiplied by r - 1.
    claim(positive(0, -1, -BIAS, BIAS - k), f"k = {k}: k r^2 + C < BIAS r^2 in divide")
    claim(positive(0, -1 - BIAS, BIAS - k), f"k = {k}: C < BIAS r in fold")
    # split: -k r <= floor(u / r) <= k r, and so -k <= c = floor(u / r^2) <= k.
    claim(positive(0, -k, BIAS), f"k = {k}: |floor(u / r)| < BIAS r^2 in split")
# fold divides the sum of a carry and a digit, which is below BIAS r + r.
claim(positive(0, -BIAS - 1, BIAS), "BIAS r + r < BIAS r^2")
claim(2 * BIAS * WORD < 1 << 127, "carries and quotients below 2 BIAS r fit a signed 128-bit integer")

# divide: 0 <= u < 2 BIAS r^2, and with d = r 2^s < 2^64 also u 2^s < 2 BIAS r d.
claim(2 * BIAS * WORD * WORD <= 1 << 192, "u 2^s fits three words")
claim(2 * BIAS * WORD * WORD // (1 << 128) <= 1 << 63, "the highest word of u 2^s is below d")
all_hold()
