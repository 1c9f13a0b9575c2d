#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges of the native multimodular product (crt/small/native.h,
crt/small/native_portable.c, crt/small/native_avx512.c, crt/small/native_matrix_*.c), and of crt/small/short*.c.

It proves, for the least and the greatest prime admitted and every k, that sums of projection, transforms, matrices and
recombination fit their words and are reduced as the comments say, and that there are primes enough; and, for radices
from GFP_NATIVE_R_MIN on - the ends, those next to powers of 2, named and sparse ones -, that columns are divided by r
with one correction. The passes and block products of the transforms by IFMA are those of
crt/hybrid/leaf/ifma_ranges.py, repeated for these primes.
"""
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "crt/hybrid/leaf")]
import ifma_ranges as leaves  # noqa: E402
from claims import WORD, all_hold, claim, constant, digit_counts, plus, radices  # noqa: E402

NATIVE, SHORT = "crt/small/native.h", "crt/small/short.h"
P = 1 << constant(NATIVE, "GFP_NATIVE_PIECE_BITS")  # a word that IFMA multiplies
BITS = constant(NATIVE, "GFP_NATIVE_BITS")
DELTA = (1 << constant(NATIVE, "GFP_NATIVE_DELTA_BITS")) - 1
MOST = constant(NATIVE, "GFP_NATIVE_MAX_PRIMES")
ORDER = constant(NATIVE, "GFP_NATIVE_MAX_LOG2_ORDER")
CHUNK = constant("crt/small/native_portable.c", "CHUNK")
TERMS = constant("fft/words/ntt48.h", "GFP_PANEL_TERMS")
R_MIN, R_MAX = constant(NATIVE, "GFP_NATIVE_R_MIN"), WORD - 2
DIGIT = R_MAX  # of an element: the special one has a digit r
MAX_K = digit_counts()[-1]
PRIMES = [(1 << BITS) - DELTA, (1 << BITS) - 1]


def counts():
    """The number of primes, and the rounding of sum y_i / 2^48 to f."""
    bits = 64 * MAX_K
    most = (2 * bits + 48 + 3 + BITS - 1) // BITS + 1
    claim(most <= MOST, "there is room for the primes")
    # y / q - y / 2^48 < delta / 2^48 for y < q.
    low = Fraction(MOST * DELTA, 1 << BITS)
    claim(low < Fraction(1, 64), "the sum is low by less than 2^-6")
    claim(Fraction(1, 2) - low >= 0, "f is not too small")
    claim(Fraction(1, 4) + Fraction(1, 2) < 1, "f is not too large")
    # Sums of kept transforms have integers of both signs: c / M > -1/4.
    claim(-Fraction(1, 4) - low + Fraction(1, 2) >= 0, "nor too small for a negative integer")
    claim((1 - Fraction(DELTA, 1 << BITS)) ** MOST > Fraction(1, 2),
          "s primes exceed 2^(48 s - 1)")
    claim((MOST + 1) << BITS < WORD, "the sum of the y_i is a word")


def portable(q):
    claim(q + CHUNK * DIGIT * (q - 1) < WORD * WORD, "a chunk of digits sums up in 128 bits")
    # Forward: 4q in, after split_three, 2q more at each level; the other factor may be any word.
    claim((q - 1) + q + (2 * q - 1) < 4 * q, "split_three comes below 4q")
    bound = 4 * q + 2 * q * ORDER
    claim(bound < 1 << 54, "values of the forward transform are below 2^54")
    claim(bound * bound < q << 62, "products are in the input range of Montgomery's reduction")
    product = bound * bound // WORD + q
    claim(product < 2 * q, "and come out below 2q")
    total = 2 * (2 * q - 1)
    claim(total < 16 << BITS, "a sum is below 2^52")
    reduced = (1 << BITS) - 1 + (total >> BITS) * ((1 << BITS) - q)
    claim(reduced < 2 * q, "a reduced sum is below 2q")
    claim(2 * q + (2 * q - 1) < WORD, "differences are words")
    claim(3 * (2 * q - 1) + q < 16 << BITS and 6 * q < 16 << BITS, "join_three reduces below 2^52")
    # Kept transforms: factors are below that bound, products below 2q.
    reduced = (1 << BITS) - 1 + (1 << 56 - BITS) * ((1 << BITS) - q)
    claim(reduced < q + (1 << 40) < 2 * q, "values below 2^56 reduce below q + 2^40")
    claim(bound <= 64 * q and 64 * q + bound < 1 << 56 and 2 * bound < 1 << 56,
          "sums and differences of factors are words below 2^56")
    claim(2 * (2 * q - 1) + 2 * q < 1 << 56, "so are sums of products")


def columns(r):
    """The pieces' sums of s + 1 products with digits up to r: the whole column, and the three words
    of the vectors."""
    y, rows = (1 << BITS) - 1, MOST + 1
    low, high = min(P - 1, r), r >> 52
    whole = rows * y * r
    claim(whole < 1 << 122, "a column is below 2^122")
    claim(whole < 1 << 126, "as the reference normalisation takes it")
    words = [rows * (P - 1), rows * ((y * low >> 52) + min(P - 1, y * high)),
             rows * (y * high >> 52)]
    claim(max(words) < 1 << 62, "the words of a column stay below 2^62")
    claim(words[2] < 1 << 20, "the highest is small")
    return words, whole


def project(q):
    """fold: low + 2^52 high to [3q, 6.1 q)."""
    delta = (1 << BITS) - q
    low = 2 * MAX_K * (P - 1)
    high = MAX_K * ((P - 1) * (q - 1) >> 52) + MAX_K * ((DIGIT >> 52) * (q - 1) >> 52)
    claim(low < 1 << 61 and high < 1 << 57, "sums of the projection are words")
    high += low >> 52
    claim(high >> BITS < P and delta < P, "the folded part is a factor")
    folded = (1 << BITS) - 1 + (high >> BITS) * delta
    claim((high >> BITS) * delta < P and folded < P, "high folds to a factor")
    reduced = (1 << BITS) - 1 + 15 * delta
    product = q + q * folded // P + 1
    claim(product < 2 * q, "a product is below 2q")
    claim(10 * (3 * q + reduced + product) < 61 * q, "residues are below 6.1 q, and 3q at least")
    claim(61 * q < 10 * P, "which is a factor")


def combine(q):
    """Panels of matrices of residues: sums of TERMS products, and the residue of the chunks before."""
    residue = 61 * q // 10
    claim(residue < 1 << 51, "residues of the projection and of fold are below 2^51")
    low = residue + TERMS * (P - 1)
    high = TERMS * (residue * residue // P)
    claim(low < 1 << 61 and high < 1 << 57, "sums of a panel are in the range of fold")
    total = TERMS * (q - 1) ** 2
    claim(total < q << 62, "sums of a portable panel are in the range of Montgomery's reduction")
    added = total // WORD + q
    claim(added < 2 * q and 2 * q + added <= 4 * q < WORD, "portable residues stay below 4q")
    doubles(q)


def doubles(q):
    """Products as doubles: 2^103 + 2^51 h and 3 2^51 + l, nearest roundings, sums of their bits."""
    claim(q - 1 < 1 << 52, "residues are doubles")
    claim((q - 1) ** 2 + (1 << 50) < 1 << 103, "the first sum is below 2^104: a multiple of 2^51")
    h = ((q - 1) ** 2 + (1 << 50)) >> 51
    claim(h < 1 << 52, "h changes the mantissa only")
    claim(h + 3 < 1 << 53, "2^103 + 3 2^51 less the first sum is exact")
    low, high = (3 << 51) - (1 << 50), (3 << 51) + (1 << 50)
    claim(1 << 52 <= low and high < 1 << 53, "3 2^51 + l is an integer of 53 bits, and exact")
    claim(TERMS * h < WORD, "the h sum up in a word")
    claim(TERMS << 50 < 1 << 63, "the l sum up in a signed word")


def roots(q):
    """Companions of vectors: x = w 2^4, c = x + floor(x factor / 2^52)."""
    delta = (1 << BITS) - q
    factor = (delta << 52) // q
    claim(factor < P and (q - 1) << 4 < P, "factors of companions")
    # 2^100 / q = 2^52 + 2^52 delta / q: exact - c < x / 2^52 + 1.
    low = Fraction((q - 1) << 4, P) + 1
    claim(low < 2, "a companion is less by less than 2, the remainder below 2q")
    claim(2 * q < P, "which is known modulo 2^52")


def divide(r, words, whole):
    """One step of the carry chain, a dividend up to whole with words up to these; returns the
    greatest carry that comes out."""
    shift = 64 - r.bit_length()
    scaled = r << shift
    inverse = (1 << 156) // scaled
    i0, i1 = inverse % P, inverse // P
    claim(i1 < P, "the inverse has two words")
    claim(max(words) < 1 << 63, "words of a dividend")
    x2 = whole >> 104
    claim(x2 < P and whole < 1 << 123, "the highest word is a factor")
    above = whole // r + 1 >> shift  # in units of 2^156 / 2^(104 + shift)
    claim(above < WORD and x2 * i1 >> 52 < 1 << 12, "the quotient's upper words fit")
    # Left out, in units of 2^104: x0 i0, the low parts of x1 i0 and x0 i1 and x2 0, all floors; and
    # what the inverse lacks.
    left_out = Fraction(P * P, 1 << 104) + 2 * Fraction(P * P, 1 << 104) + 4
    error = left_out * Fraction(1 << (104 + shift), 1 << 156) + Fraction(whole << shift, 1 << 156)
    claim(error < Fraction(1, 1 << 12), "the quotient is low by less than 2^-12 before its floor")
    claim(above >> (52 - shift) < P, "its upper word is a factor")
    claim(2 * r < 1 << 104, "a remainder below 2r is known modulo 2^104")
    claim(r >> 52 < P, "so is r")
    quotient = whole // r
    claim(quotient >> 104 == 0, "a carry has two words")
    return quotient


def carries(r):
    words, whole = columns(r)
    most = whole // (r - 1) + 2
    words = [words[0] + P, words[1] + (most >> 52), words[2]]  # a low word may be 2^52
    claim(divide(r, words, whole + most) <= most, "a carry is at most that")
    claim(most < 1 << 60 and most < r * r - r, "a carry is less than r^2 - r")
    claim(divide(r, [P, most >> 52, 0], most) + 1 < r, "and has two digits, room for a borrow")


def transforms(q):
    """The passes and block products of fft/words/ntt_ifma_avx512.c for these primes."""
    p = leaves.Prime(q)
    leaves.check_forward(p)
    leaves.check_inverse(p)
    leaves.check_blocks(p)
    residue = (3 * q, 61 * q // 10)  # split_three
    leaves.within(plus(residue, residue), 30, 122, q, "the sum in split_three")
    product = p.mul(residue)
    high = plus(plus(residue, product), (7 * q - residue[1], 7 * q - residue[0]))
    leaves.within(high, 30, 122, q, "the other one")
    lifted = p.mul((0, 122 * q // 10))  # a factor; lift
    claim(lifted[1] < 2 * q and 2 * q >> BITS <= 1, "a lifted factor is below 2 q")
    claim((1 << BITS) - 1 + p.delta < q + (q >> 13), "and reduces to a product, below q + e")
    lane = (0, 2 * q - 1)  # join_three
    top = plus(plus(p.mul(lane), p.mul(lane)), (1, 2 * q))
    top = p.reduce(top)
    claim(top[1] < 2 * q and p.reduce((2 * q - top[1], 4 * q))[1] < 2 * q, "join_three ends below 2q")


def short(q):
    """Projection and CRT of short.h, in lanes."""
    most, delta, piece = constant(SHORT, "GFP_SHORT_PRIMES"), (1 << BITS) - q, 1 << BITS
    bits, limbs = constant(SHORT, "GFP_SHORT_BITS"), constant(SHORT, "GFP_SHORT_LIMBS")
    claim(bits <= 3 * BITS - 2, "a third piece is between -2^46 and 2^46")
    claim(bits < 64 * constant(SHORT, "GFP_SHORT_WIDTH"), "coefficients fit their limbs")
    # One limb: l + h delta + 4 q with -2^15 <= h < 2^15.
    claim(4 * q - (delta << 15) >= 3 * q, "residues of words are at least 3q")
    claim(10 * (4 * q + piece - 1 + ((1 << 15) - 1) * delta) <= 61 * q, "and at most 6.1 q")
    # More: a sum of pieces, reduced, plus 4q. A product by v w is below q (1 + v / 2^52).
    total = piece + q + q * piece // P + q + q + q * (piece // 2) // P
    claim(total < 16 << BITS, "a sum of pieces is below 2^52")
    claim(10 * (4 * q + piece - 1 + (total >> BITS) * delta) <= 61 * q, "residues of pieces are at most 6.1 q")
    # Digits: sums of products below 2q.
    total = most * 2 * q
    claim(total < 16 << BITS, "a sum of products is below 2^52")
    claim(piece - 1 + (total >> BITS) * delta < 2 * q, "a reduced sum is below 2q")
    claim(most * BITS <= 52 * most and most * BITS - 2 < 64 * limbs, "digits and limbs hold the integers")
    # A carry of z q + v and its next one: digits, the carry and q are factors.
    claim((P - 1) * (q - 1) + P - 1 < P * q and q <= P, "carries are below q")


def main():
    counts()
    for q in PRIMES:
        short(q)
        portable(q)
        project(q)
        combine(q)
        roots(q)
        transforms(q)
    columns(DIGIT)
    cases = radices(R_MIN, R_MAX)
    for r in cases:
        carries(r)
    all_hold(f"{len(cases)} radices")


if __name__ == "__main__":
    main()
