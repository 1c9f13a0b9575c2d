#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges that field/ relies on.

Each claim is an inequality that a comment in the C sources states. It is checked with exact integers
for the worst radix of every digit count: the ends of the range of radices that the fast kernels accept
and every named radix. Exits with status 1 at the first claim that does not hold.
"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
W = 1 << 64
FAST_MIN = 1 << 32
FAST_MAX = W - 1 - 0xFFFF
MAX_TERMS = 1 << 15


def named_radices():
    text = (HERE / "named.c").read_text()
    rows = re.findall(r"UINT64_C\((0x[0-9a-f]+)\),\s*(\d+),", text)
    assert len(rows) == 13, "named.c: 13 named primes expected"
    return [(int(r, 16), int(k)) for r, k in rows]


def primes():
    text = (HERE / "mul_fft.c").read_text()
    block = re.search(r"primes\[GFP_MUL_FFT_PRIMES\] = \{(.*?)\}", text, re.S).group(1)
    found = [int(x, 16) for x in re.findall(r"0x[0-9a-f]+", block)]
    assert len(found) == 3
    return found


def claim(condition, text):
    if not condition:
        sys.exit(f"FALSE: {text}")


def check_constants():
    header = (HERE / "kernels.h").read_text()
    claim("GFP_FAST_R_MIN ((uint64_t)1 << 32)" in header, "kernels.h: least fast radix")
    claim("GFP_FAST_R_MAX (UINT64_MAX - 0xffff)" in header, "kernels.h: greatest fast radix")
    body = (HERE / "kernels_portable.inc").read_text()
    claim("((size_t)1 << 15) / DIGITS" in body, "kernels_portable.inc: most terms of a dot product")


def check_two_pass(r, k):
    """Pass 1 leaves digits in [0, r) and carries in {-1, 0, 1}; pass 2 adds a carry and, in products,
    c with |c| <= terms. What left [0, r) must be seen by one unsigned comparison."""
    ends = (0, 1, r - 1, r)
    for x in ends:
        for y in ends:
            total = x + y
            if (x, y) != (r, r):  # add_digits: carry 1 when the sum reaches r
                claim(0 <= total - r * (total >= r) < r, "a sum of digits, less r, is a digit")
            if x < r or y > 0:  # sub_digits: carry -1 when x < y
                claim(0 <= x - y + r * (x < y) < r, "a difference of digits, plus r, is a digit")
    small = MAX_TERMS + 1
    claim(r - 1 + small < W, "a digit plus carries does not wrap")
    claim(W - small >= r, "a negative digit compares >= r")


def check_columns(r, k, terms):
    """column_split: |u| <= terms r^2, digits up to r included."""
    shift = 64 - r.bit_length()
    d = r << shift
    inverse = (W * W - 1) // d - W
    claim(1 << 63 <= d < W and 0 <= inverse < W, "normalised divisor")
    top = 2 * terms * r * r
    claim(top < 1 << (192 - shift), "a shifted column fits three words")
    claim((top << shift) >> 128 < d, "first quotient word: dividend below the divisor")
    quotient = top // r
    claim(quotient < r * W, "second division: quotient fits a word")
    claim(quotient // r <= 2 * MAX_TERMS, "third digit")


def check_dot(r, k):
    block = MAX_TERMS // k
    claim(block >= 1, "a block of a dot product holds a product")
    check_columns(r, k, block * k)


def check_eval(r, k):
    d = min(r, 1 << 60) - 1
    t = r * d + r  # acc_i, x_i <= r
    claim(t < r * W, "a Horner step divides within one word")
    claim(t // r <= r, "its quotient is at most r")
    claim(t < 1 << 128, "a Horner step fits two words")


def check_div_2exp(r, k):
    j = (r & -r).bit_length() - 1
    unit = r >> j
    for e in range(1, j + 1):
        unit = r >> e
        claim(((r - 1) >> e) + unit * ((1 << e) - 1) <= r - 1, "x / 2^j: digits below r")
    claim(unit * ((1 << j) - 1) <= r, "x / 2^j: what is subtracted at the top")


def check_mul_fft(r, k, q):
    two = k * r * r <= (q[0] * q[1] - 1) // 2
    product = q[0] * q[1] * (1 if two else q[2])
    claim(k * r * r <= (product - 1) // 2, "the primes hold k r^2 in the symmetric range")
    claim(product < 1 << 192, "their product fits three words")


def check_primes(q):
    for p in q:
        claim(p % 1024 == 1 and p < 1 << 62, "primes below 2^62, 1 mod 2^10")
        claim(4 * p < W, "sums of two residues in [0, 2q) fit a word")
        # Shoup: x w - floor(x w' / 2^64) q < q (1 + x / 2^64) for any x < 2^64.
        claim((p * (W + (W - 1)) - 1) // W < 2 * p, "Shoup product below 2q for any word")
        claim((2 * p - 1) ** 2 // W + p < 2 * p, "Montgomery product of lazy residues below 2q")
        claim(all(p < 2 * other for other in q), "one subtraction moves residues between primes")


def main():
    check_constants()
    q = primes()
    check_primes(q)
    cases = named_radices()
    for k in (2, 4, 8, 16, 32, 64, 128, 256):
        cases += [(FAST_MIN, k), (FAST_MIN + 2, k), (1 << 63, k), (FAST_MAX - 2, k), (FAST_MAX, k)]
    for r, k in cases:
        claim(FAST_MIN <= r <= FAST_MAX, "radix within the fast range")
        check_two_pass(r, k)
        check_columns(r, k, k)
        check_dot(r, k)
        check_eval(r, k)
        check_div_2exp(r, k)
        check_mul_fft(r, k, q)
    print(f"all ranges hold for {len(cases)} fields")


if __name__ == "__main__":
    main()
