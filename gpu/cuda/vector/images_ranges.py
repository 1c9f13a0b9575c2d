#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proof of the ranges that gpu/cuda/vector/images_arith.h states, for primes 2^50 - 2^47 < q < 2^50, with exact
rationals: rests of products and of sums are exact, and results are small, mid or below 1. Residues are in units of q.
"""
import sys
from fractions import Fraction as F
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/lab"))
from claims import all_hold, claim, constant  # noqa: E402

SUPPLY = "crt/blocks/supply.c"  # of the primes
MOST, LEAST = F(1 << constant(SUPPLY, "GFP_WORDS_BITS")), F(constant(SUPPLY, "LEAST"))
HALF_ULP = F(1, 1 << 53)  # of the value, at most
SMALL, MID = F(501, 1000), F(85, 100)
TERMS = constant("gpu/cuda/vector/images_arith.h", "IMAGES_TERMS")


def remainder(x, rest):
    """The bound of a result in units of q, for |x| = x q^2 that is known with the error rest q: half, the reciprocal's
    error, and the error of x."""
    claim(x * MOST < 1 << 51, "quotients are below 2^51")
    return F(1, 2) + x * MOST * HALF_ULP + F(1, 1 << 20) + rest


def product(a, b):
    """h + l: l at most half a unit of h."""
    x = a * b
    rest = x * MOST * HALF_ULP
    claim((1 + rest) * MOST + x * MOST * MOST * HALF_ULP < 1 << 53, "h - k q is exact")
    return remainder(x, rest)


def total(pairs, log2_unit, carried=F(0)):
    """A sum near 1.5 2^(log2_unit + 52)."""
    x = sum(a * b for a, b in pairs)
    claim(x * MOST * MOST < F(1 << (log2_unit + 51)), "the sum stays in its octave")
    e = len(pairs) * F(1 << log2_unit) / 2 + carried * MOST
    claim(e < 1 << 53, "the rests are exact")
    rest = (x * MOST * MOST + e) * HALF_ULP / LEAST  # h + e is rounded
    result = remainder(x + e / LEAST / LEAST, rest)
    claim(result * MOST + e < 1 << 53, "h - k q is exact")
    return result


def small(x):
    claim(x < 4, "images_small takes what is below 4")
    return F(1, 2) + x * F(1, 1 << 50) + F(1, 1 << 40)


claim(small(F(4) - F(1, 1000)) <= SMALL, "small")
claim(product(MID, MID) <= MID, "products of mid residues are mid")
claim(total([(SMALL, MID)] * 3, 50) <= MID, "sums of three products with small factors are mid")
claim(total([(MID, MID)] * 2, 50) < 1, "sums of two products are below 1")
claim(small(total([(F(1), SMALL)] * TERMS, 51, SMALL)) <= SMALL, "values are small")
claim(small(SMALL + product(SMALL, MID)) <= SMALL, "butterflies are small")
claim(MID < 1, "0 is the only multiple of q")
all_hold()
