#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges that gpu/multimodular.h, gpu/cuda/product/multimodular_arith.h and matrix.cu state, for every
k <= 256, every r < 2^64 and as many primes as fit the tables: sums of projection and recombination fit their words, two
reductions suffice, and the sum of fractions is low by less than a quarter.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts, radices  # noqa: E402

HEADER = "gpu/multimodular.h"
MAX_K = digit_counts()[-1]
PRIMES = constant(HEADER, "GFP_MULTI_MAX_PRIMES")
FRACTION = constant(HEADER, "GFP_MULTI_FRACTION_BITS")
PIECE = constant(HEADER, "GFP_MULTI_PIECE_BITS")
HALF = 1 << 32


# gfp_multi_most: M > 2 terms r^(2k) with primes above 2^(bits - 1), terms < 2^64.
claim((2 * (64 * MAX_K + 1) + 1 + 64) // 30 + 1 <= PRIMES, "primes fit the table")

# project and merge add two products at once, of half words and pieces; upper pieces have 31 bits, too.
claim(2 * (HALF - 1) * ((1 << PIECE) - 1) < WORD, "two products fit a word")
claim(62 - PIECE <= PIECE, "two pieces are enough")

# project: sums of 2 k products of half words with entries below q, or with pieces of entries.
terms = 2 * MAX_K
claim(terms * HALF * HALF < 1 << 96, "sums fit three half words")
for bits, step in (31, HALF), (62, WORD):
    q = 1 << bits
    total = terms * (HALF - 1) * (q - 1)
    claim(total < 1 << 128, "both sums together fit two words")
    for _ in range(2):
        # (x + f q) / step for f < step: the sum of both words does not overflow.
        total = total // step + q
        claim(total < WORD, "a reduction fits a word")
# The excess above q after the second reduction: for half words 2^41 / 2^32, below the least prime.
claim((terms * (1 << 63) // HALF + (1 << 31)) // HALF + 1 <= 1 << 10, "half words: below 2 q at last")
claim((terms * (1 << 94) // WORD + (1 << 62)) // WORD == 0, "words: at most q at last")

# recombine: sums of at most 2 s + 1 products of half words, digits of entries at most r.
column = (2 * PRIMES + 1) * HALF
claim(column * HALF < 1 << 96, "columns fit three half words")
claim(column < 1 << 46 and (1 << 46) * WORD + (1 << 47) < 1 << 128, "columns and carry fit two words")
for r in radices(2, WORD - 2):
    carry = 0
    for _ in range(MAX_K):
        carry = (column * r + carry) // r
    claim(carry < 1 << 47, "carries are below 2^47")

# matrix.cu: a sum is below 2^32 q before two products of residues, and after 2^32 q was subtracted once; two
# reductions leave residues.
for q in (1 << 30) + 1, (1 << 31) - 1:
    total = HALF * q - 1 + 2 * (q - 1) ** 2
    claim(total < WORD, "a sum and two products fit a word")
    claim(total < 2 * HALF * q, "one subtraction suffices")
    claim(HALF * q - 1 + (HALF - 1) * q < WORD, "a reduction fits a word")
    claim((HALF * q - 1 + (HALF - 1) * q) // HALF < 2 * q, "a reduction is below 2 q")
    claim((q - 1) ** 2 < HALF * q, "a product of residues can be reduced")

# t: y' factor exceeds y / q 2^FRACTION minus y' minus the share of the lower bits of y.
for bits in 31, 50, 62:
    shift = bits - PIECE
    lost = (1 << PIECE) + ((1 << FRACTION + shift) >> (bits - 1))
    claim(PRIMES * lost << 2 < 1 << FRACTION, "the sum is low by less than a quarter")
    claim((1 << FRACTION + shift) >> (bits - 1) < HALF, "factors are half words")
claim((PRIMES << FRACTION) + (1 << FRACTION - 2) < WORD, "the sum fits a word")
all_hold()
