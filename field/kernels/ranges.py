#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges that field/ relies on.

Each claim is an inequality that a comment in the C sources states. It is checked with exact integers
for the worst radix of every digit count: the ends of the range of radices that the fast kernels accept
and every named radix. Exits with status 1 at the first claim that does not hold.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
W = 1 << 64
FAST_MIN = 1 << 32
FAST_MAX = W - 1 - 0xFFFF
MAX_TERMS = 1 << 15
COLUMN_TERMS = 256
OFFSET = 512
PAIR_ROOM = 64
BITS = 10


def named_radices():
    text = (ROOT / "field/primes/named.inc").read_text()
    rows = re.findall(r'", (0x[0-9a-f]+), (\d+),', text)
    assert len(rows) == text.count("\nGFP_NAMED_PRIME(") > 0, "field/primes/named.inc: a radix in each line"
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
    header = (ROOT / "field/base/kernels.h").read_text()
    claim("GFP_FAST_R_MIN ((uint64_t)1 << 32)" in header, "field/base/kernels.h: least fast radix")
    claim("GFP_FAST_R_MAX (UINT64_MAX - 0xffff)" in header, "field/base/kernels.h: greatest fast radix")
    impl = (ROOT / "field/base/context.h").read_text()
    claim("GFP_PAIR_ROOM 64" in impl, "field/base/context.h: pairs")
    claim("GFP_COLUMN_TERMS 256" in impl and "GFP_COLUMN_OFFSET 512" in impl, "field/base/context.h: columns")
    portable = (HERE / "portable.c").read_text()
    claim("COLUMN_BITS 10" in portable, "portable.c: bits that a quotient lacks")
    body = (HERE / "portable.inc").read_text()
    claim("GFP_COLUMN_TERMS / K_DIGITS" in body, "portable.inc: most products of a sum")


def check_two_pass(r, k):
    """Pass 1 leaves digits in [0, r) and carries in {-1, 0, 1}; pass 2 adds a carry and, in products,
    c with |c| <= terms. One unsigned comparison must find a digit that left [0, r)."""
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


def check_split(r, k):
    """gfp_mul_fft_split: gfp_split3 of a column |u| <= k r^2 with the offset k r^2."""
    shift = 64 - r.bit_length()
    d = r << shift
    top = 2 * k * r * r
    claim(top < 1 << (192 - shift), "a shifted column fits three words")
    claim((top << shift) >> 128 < d, "first quotient word: dividend below the divisor")
    quotient = top // r
    claim(quotient < r * W, "second division: quotient fits a word")
    claim(quotient // r <= 2 * MAX_TERMS, "third digit")


def check_columns(r, k):
    """column_divide, column_finish: |u| <= COLUMN_TERMS r d and a digit, digits up to r included."""
    shift = 64 - r.bit_length()
    d = r << shift
    inverse = (1 << 63) + ((W * W - 1) // d - W) // 2
    claim(1 << 63 <= d < W and 0 <= inverse < W, "normalised divisor, inverse in a word")
    claim(inverse == (W * W - 1) // (2 * d), "the inverse from the divisor's")
    claim(k <= COLUMN_TERMS, "a column holds a product")
    least, most = (OFFSET - COLUMN_TERMS) * r * d, (OFFSET + COLUMN_TERMS) * r * d + d
    claim(least >= 0 and most < 1 << (128 + BITS), "a column with the offset is natural, its top fits")
    # A quotient lacks less than three units: of the word `top`, of the inverse, of the product.
    unit = 1 << (BITS + 1)
    claim(Fraction(inverse, W) <= 1 and Fraction(1 << 127, d) - inverse <= 1, "errors of a quotient")
    rest = 3 * unit * d
    claim(rest < W * W, "the rest fits two words")
    below = most // d << shift
    claim(below <= d << BITS, "the quotient of the column below, scaled")
    claim(0 < 63 - BITS - shift < 64 and BITS + 1 + shift < 64, "its shifts")
    total = rest + max(below, d << BITS)
    claim(total < 1 << (64 + BITS + 3), "a sum's top fits a word")
    claim(total >> shift < W * W, "a sum fits two words")
    multiple = total // d
    above = -(-3 * r // (1 << (60 - BITS)))
    carry = max(multiple - OFFSET, OFFSET)
    claim(above + carry < (1 << 16) - 8192, "digits above r: the range of gfp_carry_digits")
    claim(r + above + carry < W - 8192 and OFFSET < 4096, "negative digits are distinguished")


def check_pair(r):
    """mul_pair, divide_pair: columns of two digits, with r^2 in one of them, below 2 r d."""
    shift = 64 - r.bit_length()
    d = r << shift
    if 2 * r * d >= W * W or d + PAIR_ROOM >= W:
        return
    inverse = ((1 << 191) - 1) // d
    claim(1 << 127 <= inverse < W * W and (W >> 1) - 1 < d, "the inverse has two words")
    elements = [(a, b) for a in (0, 1, r - 1) for b in (0, 1, r - 1)] + [(0, r)]
    columns = {0, d - 1, d, r * d - 1, r * d, r * d + 1, 2 * r * d - 1}
    for x in elements:
        for y in elements:
            for u in (r * r + x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]):
                claim(0 <= u < 2 * r * r, "columns of two digits")
                columns.add(u << shift)
    # The quotient in units of 2^-61: three words without two bits, three products without their low
    # words, the inverse without its fraction, which counts u / 2^128 < 1 in units of 2^-63.
    claim(3 * Fraction(3, 4) + Fraction(3 + 1, 4) < 4, "a fraction lacks less than four units")
    for u in columns:
        high, low = divmod(u, W)
        word, part = divmod(high * (inverse // W), W)
        fraction = part // 4 + high * (inverse % W) // W // 4 + low * (inverse // W) // W // 4
        claim(fraction < W, "a fraction fits a word")
        quotient = 2 * word + (fraction >> 61)
        claim(u // d - 1 <= quotient <= u // d, "a quotient, or one less")
        claim((word + (fraction >> 62) >= r // 2) == (quotient >= r), "half of it shows r and more")
        claim(0 <= u - quotient * d < d + PAIR_ROOM < W, "the rest is a word")
    claim(Fraction(4 * d, 1 << 61) <= 32 < PAIR_ROOM, "a rest of d and little more")
    claim(r + 32 + 1 < r + (1 << 16) - 8192, "digits above r: the range of gfp_carry_digits")


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
    claim(unit * ((1 << j) - 1) <= r, "x / 2^j: the subtrahend at the top")


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


# ---- products in vector lanes: lanes_common.inc, lanes.inc ----

LIMB = 1 << 52
TERMS = 512
MOST_TERMS = 256
FRACTION = 40
HALF_ZONE = Fraction(1, 1 << 16)
LANES_MIN = 1 << 44
LANES_MAX = W - 1 - 0xFFFFF


def check_lanes_constants():
    header = (ROOT / "field/base/lanes.h").read_text()
    claim("GFP_LANES_R_MIN ((uint64_t)1 << 44)" in header, "field/base/lanes.h: least radix")
    claim("GFP_LANES_R_MAX (UINT64_MAX - 0xfffff)" in header, "field/base/lanes.h: greatest radix")
    claim("GFP_LANES_TERMS 512" in header, "field/base/lanes.h: terms")
    claim("GFP_GATHER_TERMS 3\n" in (ROOT / "field/base/kernels.h").read_text(), "field/base/kernels.h: gathered terms")
    common = (HERE / "lanes_common.inc").read_text()
    for text in ("FRACTION_BITS 40", "FRACTION_ZONE_BITS 25", "COARSE_BITS 22", "KARATSUBA_CARRY 16",
                 "bias_bits = LIMB_BITS - 4"):
        claim(text in common, f"lanes_common.inc: {text}")
    body = " ".join((HERE / "lanes.inc").read_text().split())
    claim("NAMED(cut_bits) = 50 - (K_DIGITS >= 16)" in body, "lanes.inc: cut of a product")
    claim("NAMED(most_products) = MOST_TERMS / K_DIGITS" in body, "lanes.inc: most products")
    claim("MOST_TERMS 256" in common, "lanes_common.inc: most terms")
    claim("NAMED(sum_cut_bits) = 48 - NAMED(log2_digits)" in body, "lanes.inc: cut of sums")
    claim("K_DIGITS == 2 ? 64 : K_DIGITS == 4 ? 32 : 16" in body, "lanes.inc: tiles")
    claim("NAMED(sum_block_cut_bits) = 50 - (K_DIGITS >= 8) - (K_DIGITS >= 16) - (K_DIGITS >= 32)" in body,
          "lanes.inc: cut of blocks of sums")
    claim("sums->terms == MOST_TERMS / DIGITS" in body, "lanes.inc: most products in lanes")
    claim("SUM_BLOCK 4" in common, "lanes_common.inc: blocks of sums")


def check_pieces(cut, sums):
    """Pieces of a digit below 2^64, `sums` digits added up: the factors of IFMA. Returns the largest
    high words of a product of pieces: of low parts and of sums."""
    low = ((1 << cut) - 1) * sums
    high = ((1 << (64 - cut)) - 1) * sums
    claim(low + high < LIMB, "pieces fit the factors of IFMA")
    claim(high * high < LIMB, "high pieces have one-word products")
    return low * low >> 52, (low + high) ** 2 >> 52


def check_streams(low, ll, ss, growth):
    """divide_column: words before the last growth of sums by Karatsuba's method."""
    low, ll, ss = low * growth, ll * growth, ss * growth
    hh = 1 << 60  # its true value; it may wrap on the way
    claim(2 * low + hh < W // 2, "cross0 fits a signed word")
    claim(ll + ss < W // 2, "cross1 fits a signed word")
    claim(ll + (low >> 52) + ((2 * low + hh) >> 2) + 4 * LIMB < W // 2, "w1 fits a signed word")


def check_lanes_product(k):
    sums = max(1, k // 8)
    cut = 50 - (sums.bit_length() - 1)
    ll, ss = check_pieces(cut, sums)
    block = min(k, 8)
    low, ll, ss = block * (LIMB - 1), block * ll, block * ss
    n = block
    while 2 * n < k:  # a step of Karatsuba's method: at most 4 of the words before
        n, low, ll, ss = 2 * n, 4 * low, 4 * ll, 4 * ss
        claim(low < W // 2, "low words before they are carried")
        if n == 16:
            ll, ss, low = ll + (low >> 52) + 1, ss + (low >> 52) + 1, LIMB
    claim(k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream")
    check_streams(low, ll, ss, 5 if k >= 16 else 1)


def check_lanes_sums(k):
    if k > 16:
        return
    log2_k = k.bit_length() - 1
    cut = 48 - log2_k
    terms = {2: 64, 4: 32}.get(k, 16)
    claim(terms * k <= MOST_TERMS, "terms of a sum of products")
    ll, ss = check_pieces(cut, k)
    claim(terms * LIMB < W // 2, "low words before they are carried")
    claim(terms * k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream")
    check_streams(LIMB, terms * (ll + 1), terms * (ss + 1), 5 * 4 ** (log2_k - 1))


def check_lanes_dot(k):
    """add_sum_products, finish_columns: MOST_TERMS / k products in each lane, Karatsuba's method down to
    blocks of 4 digits; the columns of a block are carried before they are joined."""
    if k > 32:
        return
    block, sums, terms = min(k, 4), max(1, k // 4), MOST_TERMS // k
    cut = 50 - (sums.bit_length() - 1)
    ll, ss = check_pieces(cut, sums)
    low = terms * block * (LIMB - 1)
    claim(low < W // 2, "low words before they are carried")
    claim(terms * k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream of a sum")
    claim(sums * ((1 << (64 - cut)) - 1) < 1 << 32, "high pieces fit half a word")
    carry = (low >> 52) + 1
    growth = 2 if k <= 4 else 5 * 4 ** ((k // 8).bit_length() - 1)
    check_streams(LIMB, terms * block * ll + carry, terms * block * ss + carry, growth)


def check_lanes_lincomb(k):
    """add_product, add_digit: MOST_TERMS / k products and a digit. lincomb_at has 3 products."""
    count = MOST_TERMS // k
    claim(k > 32 or count >= 3, "lincomb_at: terms of a sum")
    sums = max(1, k // 8)
    cut = 50 - (sums.bit_length() - 1)
    ll, ss = check_pieces(cut, sums)
    block = min(k, 8)
    low, ll, ss = block * (LIMB - 1), block * ll, block * ss
    n = block
    while 2 * n < k:
        n, low, ll, ss = 2 * n, 4 * low, 4 * ll, 4 * ss
        if n == 16:
            ll, ss, low = ll + (low >> 52) + 1, ss + (low >> 52) + 1, LIMB
    growth = 5 if k >= 16 else 1
    claim(count * k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream of a sum")
    digit = -(-LIMB // growth), -(-(1 << 12) // growth)
    check_streams(count * low + digit[0], count * ll + digit[1], count * ss + digit[1], growth)


def check_lanes_division(r, k):
    """divide_column and finish for |u| <= MOST_TERMS r scaled and a scaled digit."""
    shift = 64 - r.bit_length()
    scaled = r << shift
    inverse = (1 << 156) // scaled
    coarse_inverse = (1 << 114) // scaled
    claim(shift <= 20, "quotients are shifted right before fractions are taken")
    claim(scaled < W and scaled + (1 << shift) < W, "a digit and one more fit a word")
    claim(inverse >> 52 < 1 << 42 and coarse_inverse < LIMB, "inverses fit their words")
    least, most = (TERMS - MOST_TERMS) * r * scaled, (TERMS + MOST_TERMS) * r * scaled + scaled
    claim(least > 4 * LIMB, "words above the low parts are not negative")
    claim(most >> 104 < 1 << 35, "w2 is a factor of IFMA")
    claim((most >> 104) * (inverse >> 52) < 1 << 77, "the top word of the quotient is small")
    # The loss of the quotient: the inverse's own error, ten parts below 2^-52.
    error = Fraction(most, 1 << 156) + Fraction(10, LIMB)
    coarse = ((most // scaled + 1) << shift) >> 22
    claim(coarse + 2 < LIMB, "a coarse quotient is a factor of IFMA")
    # Of the fraction of the quotient of the digit below: bits cut off, the inverse's error, the
    # lower word of a product.
    error += Fraction(2 << 22, scaled) + Fraction(2, 1 << FRACTION) + Fraction(1, 1 << FRACTION)
    carries = 2 * TERMS
    error += Fraction(carries + 1, r)
    claim(error < HALF_ZONE, "a digit outside of the zone is in [0, r), carries included")
    claim(2 * HALF_ZONE * scaled < W // 2, "a digit in the zone has a sign")
    claim(carries + 1 < 1 << 19 and W - r >= 1 << 20, "negative digits and those >= r are distinguished")
    claim((carries << FRACTION) + (1 << 52) < W // 2, "sums of fractions fit a word")


def check_lanes_eval(r, k):
    shift = 64 - r.bit_length()
    scaled = r << shift
    d = min(r, 1 << 60) - 1
    t = scaled * d + scaled
    claim(t // scaled << shift <= scaled, "quotients of a Horner step are digits")
    claim(t >> 104 < LIMB, "w2 is a factor of IFMA")
    error = Fraction(2 * LIMB, scaled) + Fraction(t, 1 << 156) + Fraction(10, LIMB)
    claim(error < Fraction(1, 16), "a quotient is one too large only if its fraction says so")
    claim(Fraction(2, 16) * scaled < W // 2, "the rest has a sign there")
    claim((1 << 8) * (1 << 12) < LIMB, "the product of high parts")


def check_lanes():
    check_lanes_constants()
    cases = named_radices()
    for k in (2, 4, 8, 16, 32, 64, 128, 256):
        claim(k <= MOST_TERMS, "terms of a product")
        check_lanes_product(k)
        check_lanes_sums(k)
        check_lanes_lincomb(k)
        check_lanes_dot(k)
        cases += [(LANES_MIN, k), (LANES_MIN + 2, k), (1 << 63, k), ((1 << 63) - 2, k)]
        cases += [(LANES_MAX - 2, k), (LANES_MAX, k)]
    for r, k in cases:
        claim(LANES_MIN <= r <= LANES_MAX, "radix within the range of the lanes")
        check_lanes_division(r, k)
        check_lanes_eval(r, k)
    return len(cases)


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
        check_split(r, k)
        check_pair(r)
        check_columns(r, k)
        check_eval(r, k)
        check_div_2exp(r, k)
        check_mul_fft(r, k, q)
    lanes = check_lanes()
    print(f"all ranges hold for {len(cases)} fields, in lanes for {lanes}")


if __name__ == "__main__":
    main()
