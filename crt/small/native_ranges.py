#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges of the native multimodular product (crt/small/native.h,
crt/small/native_portable.c, crt/small/native_avx512.c, crt/small/native_matrix_*.c), and of crt/small/short*.c.

Each claim is an inequality that these sources state, checked with exact integers: for the least and
the greatest prime admitted, every k, and the ends of every range of radices. The passes and block
products of the transforms by IFMA are those of crt/hybrid/leaf/ifma_ranges.py, repeated for these primes.
Exits with status 1 at the first claim that does not hold.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "hybrid/leaf"))
import ifma_ranges as leaves  # noqa: E402

HERE = Path(__file__).resolve().parent
HEADER = (HERE / "native.h").read_text()
SHORT = (HERE / "short.h").read_text()
PORTABLE = (HERE / "native_portable.c").read_text()
W = 1 << 64
P = 1 << 52  # a word that IFMA multiplies


def constant(text, name):
    return int(re.search(rf"#define {name} (\d+)", text).group(1))


BITS = constant(HEADER, "GFP_NATIVE_BITS")
DELTA = (1 << constant(HEADER, "GFP_NATIVE_DELTA_BITS")) - 1
MOST = constant(HEADER, "GFP_NATIVE_MAX_PRIMES")
ORDER = constant(HEADER, "GFP_NATIVE_MAX_LOG2_ORDER")
CHUNK = constant(PORTABLE, "CHUNK")
TERMS = constant(HEADER, "GFP_NATIVE_TERMS")
R_MIN = 1 << int(re.search(r"GFP_NATIVE_R_MIN \(\(uint64_t\)1 << (\d+)\)", HEADER).group(1))
R_MAX = W - 2
DIGIT = R_MAX  # of an element: the special one has a digit r
MAX_K = 256
PRIMES = [(1 << BITS) - DELTA, (1 << BITS) - 1]


def check(claim, what):
    if not claim:
        sys.exit(f"native_ranges: does not hold: {what}")


def counts():
    """The number of primes, and the rounding of sum y_i / 2^48 to f."""
    bits = 64 * MAX_K
    most = (2 * bits + 48 + 3 + BITS - 1) // BITS + 1
    check(most <= MOST, "there is room for the primes")
    # y / q - y / 2^48 < delta / 2^48 for y < q.
    low = Fraction(MOST * DELTA, 1 << BITS)
    check(low < Fraction(1, 64), "the sum is low by less than 2^-6")
    check(Fraction(1, 2) - low >= 0, "f is not too small")
    check(Fraction(1, 4) + Fraction(1, 2) < 1, "f is not too large")
    # Sums of kept transforms have integers of both signs: c / M > -1/4.
    check(-Fraction(1, 4) - low + Fraction(1, 2) >= 0, "nor too small for a negative integer")
    check((1 - Fraction(DELTA, 1 << BITS)) ** MOST > Fraction(1, 2),
          "s primes exceed 2^(48 s - 1)")
    check((MOST + 1) << BITS < W, "the sum of the y_i is a word")


def portable(q):
    check(q + CHUNK * DIGIT * (q - 1) < W * W, "a chunk of digits sums up in 128 bits")
    # Forward: 4q in, after split_three, 2q more at each level; the other factor may be any word.
    check((q - 1) + q + (2 * q - 1) < 4 * q, "split_three comes below 4q")
    bound = 4 * q + 2 * q * ORDER
    check(bound < 1 << 54, "values of the forward transform are below 2^54")
    check(bound * bound < q << 62, "products are in the input range of Montgomery's reduction")
    product = bound * bound // W + q
    check(product < 2 * q, "and come out below 2q")
    total = 2 * (2 * q - 1)
    check(total < 16 << BITS, "a sum is below 2^52")
    reduced = (1 << BITS) - 1 + (total >> BITS) * ((1 << BITS) - q)
    check(reduced < 2 * q, "a reduced sum is below 2q")
    check(2 * q + (2 * q - 1) < W, "differences are words")
    check(3 * (2 * q - 1) + q < 16 << BITS and 6 * q < 16 << BITS, "join_three reduces below 2^52")
    # Kept transforms: factors are below that bound, products below 2q.
    reduced = (1 << BITS) - 1 + (1 << 56 - BITS) * ((1 << BITS) - q)
    check(reduced < q + (1 << 40) < 2 * q, "values below 2^56 reduce below q + 2^40")
    check(bound <= 64 * q and 64 * q + bound < 1 << 56 and 2 * bound < 1 << 56,
          "sums and differences of factors are words below 2^56")
    check(2 * (2 * q - 1) + 2 * q < 1 << 56, "so are sums of products")


def columns(r):
    """The pieces' sums of s + 1 products with digits up to r: the whole column, and the three words
    of the vectors."""
    y, rows = (1 << BITS) - 1, MOST + 1
    low, high = min(P - 1, r), r >> 52
    whole = rows * y * r
    check(whole < 1 << 122, "a column is below 2^122")
    check(whole < 1 << 126, "as the reference normalisation takes it")
    words = [rows * (P - 1), rows * ((y * low >> 52) + min(P - 1, y * high)),
             rows * (y * high >> 52)]
    check(max(words) < 1 << 62, "the words of a column stay below 2^62")
    check(words[2] < 1 << 20, "the highest is small")
    return words, whole


def project(q):
    """fold: low + 2^52 high to [3q, 6.1 q)."""
    delta = (1 << BITS) - q
    low = 2 * MAX_K * (P - 1)
    high = MAX_K * ((P - 1) * (q - 1) >> 52) + MAX_K * ((DIGIT >> 52) * (q - 1) >> 52)
    check(low < 1 << 61 and high < 1 << 57, "sums of the projection are words")
    high += low >> 52
    check(high >> BITS < P and delta < P, "the folded part is a factor")
    folded = (1 << BITS) - 1 + (high >> BITS) * delta
    check((high >> BITS) * delta < P and folded < P, "high folds to a factor")
    reduced = (1 << BITS) - 1 + 15 * delta
    product = q + q * folded // P + 1
    check(product < 2 * q, "a product is below 2q")
    check(10 * (3 * q + reduced + product) < 61 * q, "residues are below 6.1 q, and 3q at least")
    check(61 * q < 10 * P, "which is a factor")


def combine(q):
    """Panels of matrices of residues: sums of TERMS products, and the residue of the chunks before."""
    residue = 61 * q // 10
    check(residue < 1 << 51, "residues of the projection and of fold are below 2^51")
    low = residue + TERMS * (P - 1)
    high = TERMS * (residue * residue // P)
    check(low < 1 << 61 and high < 1 << 57, "sums of a panel are in the range of fold")
    total = TERMS * (q - 1) ** 2
    check(total < q << 62, "sums of a portable panel are in the range of Montgomery's reduction")
    added = total // W + q
    check(added < 2 * q and 2 * q + added <= 4 * q < W, "portable residues stay below 4q")
    doubles(q)


def doubles(q):
    """Products as doubles: 2^103 + 2^51 h and 3 2^51 + l, nearest roundings, sums of their bits."""
    check(q - 1 < 1 << 52, "residues are doubles")
    check((q - 1) ** 2 + (1 << 50) < 1 << 103, "the first sum is below 2^104: a multiple of 2^51")
    h = ((q - 1) ** 2 + (1 << 50)) >> 51
    check(h < 1 << 52, "h changes the mantissa only")
    check(h + 3 < 1 << 53, "2^103 + 3 2^51 less the first sum is exact")
    low, high = (3 << 51) - (1 << 50), (3 << 51) + (1 << 50)
    check(1 << 52 <= low and high < 1 << 53, "3 2^51 + l is an integer of 53 bits, and exact")
    check(TERMS * h < W, "the h sum up in a word")
    check(TERMS << 50 < 1 << 63, "the l sum up in a signed word")


def roots(q):
    """Companions of vectors: x = w 2^4, c = x + floor(x factor / 2^52)."""
    delta = (1 << BITS) - q
    factor = (delta << 52) // q
    check(factor < P and (q - 1) << 4 < P, "factors of companions")
    # 2^100 / q = 2^52 + 2^52 delta / q: exact - c < x / 2^52 + 1.
    low = Fraction((q - 1) << 4, P) + 1
    check(low < 2, "a companion is less by less than 2, the remainder below 2q")
    check(2 * q < P, "which is known modulo 2^52")


def divide(r, words, whole):
    """One step of the carry chain, a dividend up to whole with words up to these; returns the
    greatest carry that comes out."""
    shift = 64 - r.bit_length()
    scaled = r << shift
    inverse = (1 << 156) // scaled
    i0, i1 = inverse % P, inverse // P
    check(i1 < P, "the inverse has two words")
    check(max(words) < 1 << 63, "words of a dividend")
    x2 = whole >> 104
    check(x2 < P and whole < 1 << 123, "the highest word is a factor")
    above = whole // r + 1 >> shift  # in units of 2^156 / 2^(104 + shift)
    check(above < W and x2 * i1 >> 52 < 1 << 12, "the quotient's upper words fit")
    # Left out, in units of 2^104: x0 i0, the low parts of x1 i0 and x0 i1 and x2 0, all floors; and
    # what the inverse lacks.
    left_out = Fraction(P * P, 1 << 104) + 2 * Fraction(P * P, 1 << 104) + 4
    error = left_out * Fraction(1 << (104 + shift), 1 << 156) + Fraction(whole << shift, 1 << 156)
    check(error < Fraction(1, 1 << 12), "the quotient is low by less than 2^-12 before its floor")
    check(above >> (52 - shift) < P, "its upper word is a factor")
    check(2 * r < 1 << 104, "a remainder below 2r is known modulo 2^104")
    check(r >> 52 < P, "so is r")
    quotient = whole // r
    check(quotient >> 104 == 0, "a carry has two words")
    return quotient


def carries(r):
    words, whole = columns(r)
    most = whole // (r - 1) + 2
    words = [words[0] + P, words[1] + (most >> 52), words[2]]  # a low word may be 2^52
    check(divide(r, words, whole + most) <= most, "a carry is at most that")
    check(most < 1 << 60 and most < r * r - r, "a carry is less than r^2 - r")
    check(divide(r, [P, most >> 52, 0], most) + 1 < r, "and has two digits, room for a borrow")


def transforms(q):
    """The passes and block products of fft/words/ntt_ifma_avx512.c for these primes."""
    p = leaves.Prime(q)
    leaves.check_forward(p)
    leaves.check_inverse(p)
    leaves.check_blocks(p)
    residue = (3 * q, 61 * q // 10)  # split_three
    leaves.within(leaves.plus(residue, residue), 30, 122, q, "the sum in split_three")
    product = p.mul(residue)
    high = leaves.plus(leaves.plus(residue, product), (7 * q - residue[1], 7 * q - residue[0]))
    leaves.within(high, 30, 122, q, "the other one")
    lifted = p.mul((0, 122 * q // 10))  # a factor; lift
    check(lifted[1] < 2 * q and 2 * q >> BITS <= 1, "a lifted factor is below 2 q")
    check((1 << BITS) - 1 + p.delta < q + (q >> 13), "and reduces to a product, below q + e")
    lane = (0, 2 * q - 1)  # join_three
    top = leaves.plus(leaves.plus(p.mul(lane), p.mul(lane)), (1, 2 * q))
    top = p.reduce(top)
    check(top[1] < 2 * q and p.reduce((2 * q - top[1], 4 * q))[1] < 2 * q, "join_three ends below 2q")


def short(q):
    """Projection and CRT of short.h, in lanes."""
    most, delta, piece = constant(SHORT, "GFP_SHORT_PRIMES"), (1 << BITS) - q, 1 << BITS
    bits, limbs = constant(SHORT, "GFP_SHORT_BITS"), constant(SHORT, "GFP_SHORT_LIMBS")
    check(bits <= 3 * BITS - 2, "a third piece is between -2^46 and 2^46")
    check(bits < 64 * constant(SHORT, "GFP_SHORT_WIDTH"), "coefficients fit their limbs")
    # One limb: l + h delta + 4 q with -2^15 <= h < 2^15.
    check(4 * q - (delta << 15) >= 3 * q, "residues of words are at least 3q")
    check(10 * (4 * q + piece - 1 + ((1 << 15) - 1) * delta) <= 61 * q, "and at most 6.1 q")
    # More: a sum of pieces, reduced, plus 4q. A product by v w is below q (1 + v / 2^52).
    total = piece + q + q * piece // P + q + q + q * (piece // 2) // P
    check(total < 16 << BITS, "a sum of pieces is below 2^52")
    check(10 * (4 * q + piece - 1 + (total >> BITS) * delta) <= 61 * q, "residues of pieces are at most 6.1 q")
    # Digits: sums of products below 2q.
    total = most * 2 * q
    check(total < 16 << BITS, "a sum of products is below 2^52")
    check(piece - 1 + (total >> BITS) * delta < 2 * q, "a reduced sum is below 2q")
    check(most * BITS <= 52 * most and most * BITS - 2 < 64 * limbs, "digits and limbs hold the integers")
    # A carry of z q + v and its next one: digits, the carry and q are factors.
    check((P - 1) * (q - 1) + P - 1 < P * q and q <= P, "carries are below q")


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
    for bits in range(R_MIN.bit_length(), 65):
        for r in (max(R_MIN, 1 << (bits - 1)), min(R_MAX, (1 << bits) - 2)):
            carries(r)
    print("native_ranges: all claims hold")


main()
