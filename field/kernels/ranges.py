#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges that field/ relies on.

Each claim is an inequality that a comment in the C sources states, checked with exact integers for every digit count
and the radices that the fast kernels (portable.inc, mul_fft.c) and those in vector lanes (lanes.inc) accept: the ends,
those next to powers of 2, named and sparse ones. It proves that sums, quotients, fractions and carries fit their words,
and that a quotient's error is one that the code mends.
"""
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts, expression, is_prime, named_primes  # noqa: E402
from claims import radices, says, table  # noqa: E402

KERNELS, CONTEXT, PORTABLE = "field/base/kernels.h", "field/base/context.h", "field/kernels/portable.inc"
FAST_MIN, FAST_MAX = constant(KERNELS, "GFP_FAST_R_MIN"), constant(KERNELS, "GFP_FAST_R_MAX")
MAX_TERMS = expression(PORTABLE, r"columns->c\[i\] <= (1 << \d+)\);")()
COLUMN_TERMS, OFFSET = constant(CONTEXT, "GFP_COLUMN_TERMS"), constant(CONTEXT, "GFP_COLUMN_OFFSET")
PAIR_ROOM = constant(CONTEXT, "GFP_PAIR_ROOM")
BITS = constant("field/kernels/portable.c", "COLUMN_BITS")  # that a quotient lacks


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
    claim(r - 1 + small < WORD, "a digit plus carries does not wrap")
    claim(WORD - small >= r, "a negative digit compares >= r")


def check_split(r, k):
    """gfp_mul_fft_split: gfp_split3 of a column |u| <= k r^2 with the offset k r^2."""
    shift = 64 - r.bit_length()
    d = r << shift
    top = 2 * k * r * r
    claim(top < 1 << (192 - shift), "a shifted column fits three words")
    claim((top << shift) >> 128 < d, "first quotient word: dividend below the divisor")
    quotient = top // r
    claim(quotient < r * WORD, "second division: quotient fits a word")
    claim(quotient // r <= 2 * MAX_TERMS, "third digit")


def check_columns(r, k):
    """column_divide, column_finish: |u| <= COLUMN_TERMS r d and a digit, digits up to r included."""
    shift = 64 - r.bit_length()
    d = r << shift
    inverse = (1 << 63) + ((WORD * WORD - 1) // d - WORD) // 2
    claim(1 << 63 <= d < WORD and 0 <= inverse < WORD, "normalised divisor, inverse in a word")
    claim(inverse == (WORD * WORD - 1) // (2 * d), "the inverse from the divisor's")
    count = constant(PORTABLE, "NAMED(most_products)", K_DIGITS=k, GFP_COLUMN_TERMS=COLUMN_TERMS)
    claim(0 < count * k <= COLUMN_TERMS, "a column holds a product, and a sum of products")
    least, most = (OFFSET - COLUMN_TERMS) * r * d, (OFFSET + COLUMN_TERMS) * r * d + d
    claim(least >= 0 and most < 1 << (128 + BITS), "a column with the offset is natural, its top fits")
    # A quotient lacks less than three units: of the word `top`, of the inverse, of the product.
    unit = 1 << (BITS + 1)
    claim(Fraction(inverse, WORD) <= 1 and Fraction(1 << 127, d) - inverse <= 1, "errors of a quotient")
    rest = 3 * unit * d
    claim(rest < WORD * WORD, "the rest fits two words")
    below = most // d << shift
    claim(below <= d << BITS, "the quotient of the column below, scaled")
    claim(0 < 63 - BITS - shift < 64 and BITS + 1 + shift < 64, "its shifts")
    total = rest + max(below, d << BITS)
    claim(total < 1 << (64 + BITS + 3), "a sum's top fits a word")
    claim(total >> shift < WORD * WORD, "a sum fits two words")
    multiple = total // d
    above = -(-3 * r // (1 << (60 - BITS)))
    carry = max(multiple - OFFSET, OFFSET)
    claim(above + carry < (1 << 16) - 8192, "digits above r: the range of gfp_carry_digits")
    claim(r + above + carry < WORD - 8192 and OFFSET < 4096, "negative digits are distinguished")


def check_pair(r):
    """mul_pair, divide_pair: columns of two digits, with r^2 in one of them, below 2 r d."""
    shift = 64 - r.bit_length()
    d = r << shift
    if 2 * r * d >= WORD * WORD or d + PAIR_ROOM >= WORD:
        return
    inverse = ((1 << 191) - 1) // d
    claim(1 << 127 <= inverse < WORD * WORD and (WORD >> 1) - 1 < d, "the inverse has two words")
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
        high, low = divmod(u, WORD)
        word, part = divmod(high * (inverse // WORD), WORD)
        fraction = part // 4 + high * (inverse % WORD) // WORD // 4 + low * (inverse // WORD) // WORD // 4
        claim(fraction < WORD, "a fraction fits a word")
        quotient = 2 * word + (fraction >> 61)
        claim(u // d - 1 <= quotient <= u // d, "a quotient, or one less")
        claim((word + (fraction >> 62) >= r // 2) == (quotient >= r), "half of it shows r and more")
        claim(0 <= u - quotient * d < d + PAIR_ROOM < WORD, "the rest is a word")
    claim(Fraction(4 * d, 1 << 61) <= 32 < PAIR_ROOM, "a rest of d and little more")
    claim(r + 32 + 1 < r + (1 << 16) - 8192, "digits above r: the range of gfp_carry_digits")


def check_eval(r, k):
    d = min(r, 1 << 60) - 1
    t = r * d + r  # acc_i, x_i <= r
    claim(t < r * WORD, "a Horner step divides within one word")
    claim(t // r <= r, "its quotient is at most r")
    claim(t < 1 << 128, "a Horner step fits two words")


def check_div_2exp(r):
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
    claim(len(q) == constant("field/base/mul_fft.h", "GFP_MUL_FFT_PRIMES") == 3, "three primes")
    for p in q:
        claim(is_prime(p) and p % 1024 == 1 and p < 1 << 62, "primes below 2^62, 1 mod 2^10")
        claim(4 * p < WORD, "sums of two residues in [0, 2q) fit a word")
        # Shoup: x w - floor(x w' / 2^64) q < q (1 + x / 2^64) for any x < 2^64.
        claim((p * (WORD + (WORD - 1)) - 1) // WORD < 2 * p, "Shoup product below 2q for any word")
        claim((2 * p - 1) ** 2 // WORD + p < 2 * p, "Montgomery product of lazy residues below 2q")
        claim(all(p < 2 * other for other in q), "one subtraction moves residues between primes")


# ---- products in vector lanes: lanes_common.inc, lanes.inc ----

LANES, COMMON = "field/kernels/lanes.inc", "field/kernels/lanes_common.inc"
LIMB = 1 << constant(COMMON, "LIMB_BITS")
TERMS = constant("field/base/lanes.h", "GFP_LANES_TERMS")
MOST_TERMS = constant(COMMON, "MOST_TERMS")
FRACTION, COARSE = constant(COMMON, "FRACTION_BITS"), constant(COMMON, "COARSE_BITS")
HALF_ZONE = Fraction(constant(COMMON, "FRACTION_ZONE") // 2, 1 << FRACTION)
CARRIED = constant(COMMON, "KARATSUBA_CARRY")
SUM_BLOCK = constant(COMMON, "SUM_BLOCK")
TILE = expression(LANES, r"NAMED\(tile_length\) = (K_DIGITS[^,]*),")
LANES_MIN, LANES_MAX = (constant("field/base/lanes.h", f"GFP_LANES_R_{end}") for end in ("MIN", "MAX"))


def lanes_constant(name, k):
    return constant(LANES, f"NAMED({name})", K_DIGITS=k, **{"NAMED(sum_terms)": MOST_TERMS})


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
    claim(2 * low + hh < WORD // 2, "cross0 fits a signed word")
    claim(ll + ss < WORD // 2, "cross1 fits a signed word")
    claim(ll + (low >> 52) + ((2 * low + hh) >> 2) + 4 * LIMB < WORD // 2, "w1 fits a signed word")


def check_lanes_product(k):
    sums, cut = max(1, k // 8), lanes_constant("cut_bits", k)
    ll, ss = check_pieces(cut, sums)
    block = min(k, 8)
    low, ll, ss = block * (LIMB - 1), block * ll, block * ss
    n = block
    while 2 * n < k:  # a step of Karatsuba's method: at most 4 of the words before
        n, low, ll, ss = 2 * n, 4 * low, 4 * ll, 4 * ss
        claim(low < WORD // 2, "low words before they are carried")
        if n == CARRIED:
            ll, ss, low = ll + (low >> 52) + 1, ss + (low >> 52) + 1, LIMB
    claim(k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream")
    check_streams(low, ll, ss, 5 if k >= 16 else 1)


def check_lanes_sums(k):
    if k > 16:
        return
    log2_k = k.bit_length() - 1
    cut, terms = lanes_constant("sum_cut_bits", k), TILE(K_DIGITS=k)
    claim(terms * k <= MOST_TERMS, "terms of a sum of products")
    ll, ss = check_pieces(cut, k)
    claim(terms * LIMB < WORD // 2, "low words before they are carried")
    claim(terms * k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream")
    check_streams(LIMB, terms * (ll + 1), terms * (ss + 1), 5 * 4 ** (log2_k - 1))


def check_lanes_dot(k):
    """add_sum_products, finish_columns: MOST_TERMS / k products in each lane, Karatsuba's method down to
    blocks of 4 digits; the columns of a block are carried before they are joined."""
    if k > 32:
        return
    block, sums, terms = min(k, SUM_BLOCK), max(1, k // SUM_BLOCK), lanes_constant("most_products", k)
    cut = lanes_constant("sum_block_cut_bits", k)
    ll, ss = check_pieces(cut, sums)
    low = terms * block * (LIMB - 1)
    claim(low < WORD // 2, "low words before they are carried")
    claim(terms * k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream of a sum")
    claim(sums * ((1 << (64 - cut)) - 1) < 1 << 32, "high pieces fit half a word")
    carry = (low >> 52) + 1
    growth = 2 if k <= 4 else 5 * 4 ** ((k // 8).bit_length() - 1)
    check_streams(LIMB, terms * block * ll + carry, terms * block * ss + carry, growth)


def check_lanes_lincomb(k):
    """add_product, add_digit: MOST_TERMS / k products and a digit. lincomb_at has 3 products."""
    count = lanes_constant("most_products", k)
    claim(k > 32 or count >= constant(KERNELS, "GFP_GATHER_TERMS"), "lincomb_at: terms of a sum")
    sums, cut = max(1, k // 8), lanes_constant("cut_bits", k)
    ll, ss = check_pieces(cut, sums)
    block = min(k, 8)
    low, ll, ss = block * (LIMB - 1), block * ll, block * ss
    n = block
    while 2 * n < k:
        n, low, ll, ss = 2 * n, 4 * low, 4 * ll, 4 * ss
        if n == CARRIED:
            ll, ss, low = ll + (low >> 52) + 1, ss + (low >> 52) + 1, LIMB
    growth = 5 if k >= 16 else 1
    claim(count * k * ((1 << (64 - cut)) - 1) ** 2 < 1 << 60, "the one-word stream of a sum")
    digit = -(-LIMB // growth), -(-(1 << 12) // growth)
    check_streams(count * low + digit[0], count * ll + digit[1], count * ss + digit[1], growth)


def check_lanes_thirds():
    """cut_thirds, multiply_thirds, divide_thirds: THIRD_TERMS products of digits of at most 64 bits, and a digit."""
    bits, terms = constant(COMMON, "THIRD_BITS"), constant(COMMON, "THIRD_TERMS")
    claim(terms >= 8 * constant(KERNELS, "GFP_GATHER_TERMS"), "lincomb_at: terms of a sum")
    pieces = [(1 << bits) - 1, (1 << bits) - 1, (1 << (64 - 2 * bits)) - 1]
    pairs = [(0, 1), (0, 2), (1, 2)]
    values = pieces + [pieces[i] + pieces[j] for i, j in pairs]
    claim(terms * max(values) ** 2 <= 1 << 53, "sums of products of values are exact in doubles")
    claim(terms * max(pieces) ** 2 <= 1 << 51, "sums of products of pieces are converted to integers")
    cross = [terms * 2 * pieces[i] * pieces[j] for i, j in pairs]
    claim(max(cross) <= 1 << 51, "cross sums: third_cross")
    bias = constant("field/kernels/avx2.c", "LANES_BIAS")
    claim(bias % (1 << 2 * bits) == 0, "the low bits of biased integers are theirs")
    second = cross[1] + terms * pieces[1] ** 2 + (1 << (64 - 2 * bits)) + (1 << 52 >> bits) + 2
    claim(second <= 1 << 52, "v_2 is within 2^52: divide_thirds")
    claim(2 * bias + (bias >> bits - 1) + second < WORD, "biased sums are natural words")
    w1 = (second >> 52 - 2 * bits) + (cross[2] << (3 * bits - 52)) + 2 * LIMB
    claim(w1 < WORD // 2, "w1 is a signed word")


def check_lanes_division(r, k):
    """divide_column and finish for |u| <= MOST_TERMS r scaled and a scaled digit."""
    shift = 64 - r.bit_length()
    scaled = r << shift
    inverse = (1 << 156) // scaled
    coarse_inverse = (1 << 114) // scaled
    claim(shift <= COARSE - 2, "quotients are shifted right before fractions are taken")
    claim(scaled < WORD and scaled + (1 << shift) < WORD, "a digit and one more fit a word")
    claim(inverse >> 52 < 1 << 42 and coarse_inverse < LIMB, "inverses fit their words")
    least, most = (TERMS - MOST_TERMS) * r * scaled, (TERMS + MOST_TERMS) * r * scaled + scaled
    claim(least > 4 * LIMB, "words above the low parts are not negative")
    claim(most >> 104 < 1 << 35, "w2 is a factor of IFMA")
    claim((most >> 104) * (inverse >> 52) < 1 << 77, "the top word of the quotient is small")
    # The loss of the quotient: the inverse's own error, ten parts below 2^-52.
    error = Fraction(most, 1 << 156) + Fraction(10, LIMB)
    coarse = ((most // scaled + 1) << shift) >> COARSE
    claim(coarse + 2 < LIMB, "a coarse quotient is a factor of IFMA")
    # Of the fraction of the quotient of the digit below: bits cut off, the inverse's error, the
    # lower word of a product.
    error += Fraction(2 << COARSE, scaled) + Fraction(2, 1 << FRACTION) + Fraction(1, 1 << FRACTION)
    carries = 2 * TERMS
    error += Fraction(carries + 1, r)
    claim(error < HALF_ZONE, "a digit outside of the zone is in [0, r), carries included")
    claim(2 * HALF_ZONE * scaled < WORD // 2, "a digit in the zone has a sign")
    claim(carries + 1 < 1 << 19 and WORD - r >= 1 << 20, "negative digits and those >= r are distinguished")
    claim((carries << FRACTION) + (1 << 52) < WORD // 2, "sums of fractions fit a word")


FOLD_MIN, FOLD_MAX = constant(KERNELS, "GFP_FOLD_R_MIN"), constant(KERNELS, "GFP_FOLD_R_MAX")
FOLD_NARROW, FOLD_BITS = constant(KERNELS, "GFP_FOLD_R_NARROW"), constant(KERNELS, "GFP_FOLD_BITS")


def check_fold_errors(r, quotient, allowed):
    """Errors of a quotient before it is rounded: at most `allowed`. Doubles round in any direction: an operation's
    relative error is at most 2^-52."""
    d, length = (1 << FOLD_BITS) - 1, r.bit_length()
    # Portable, in units: the lost parts of the product, the point and its half, one, the digit.
    units = length - 1 - FOLD_BITS
    point, one = (d << (64 + units)) // r, (1 << (64 + units)) // r
    claim(units >= 4 and point < WORD and one <= 1 << 16 and (r >> 16) * one < WORD, "words of a portable quotient")
    claim(Fraction(5, 2) + Fraction(r, WORD) + Fraction(one, 1 << 48) <= allowed * (1 << units), "a portable quotient")
    # Doubles: r, d / r, the digit where it is rounded, and the sum; x in 52 bits.
    rounding, small = Fraction(quotient, 1 << 52), Fraction(16, 1 << 50)
    claim(4 * rounding + small <= allowed, "a quotient by AVX-512, digits rounded")
    high = min(length, 63)
    claim(high >= 51 and length >= 52, "digits with an offset, without low bits, are 52 bits")
    lost = Fraction(d << (high - 51), 2 * r)
    claim(lost + 3 * rounding + small <= allowed, "a quotient by AVX2, digits without low bits")


def check_fold(r):
    """fold: digits |z| <= most, quotients of z d + x for d < 2^48 and 0 <= x <= r, by every level."""
    d = (1 << FOLD_BITS) - 1
    wide = r > FOLD_NARROW
    most = r // 2 + 1 if wide else r - (r // 4 if r >> 63 else r // 8)
    least_rest = (r // 64 + 1) * (31 if wide else 46 if r >> 63 else 51)
    most_rest = (r // 64 + 1) * 57 if wide else least_rest
    quotient = (most * d + r) // r + 2
    claim(most < 1 << min(63, r.bit_length()), "signed digits are words, with an offset natural")
    claim((quotient + 1) << (r.bit_length() - 1 - FOLD_BITS) < 1 << 63, "portable quotients in units are signed words")
    claim(quotient < 1 << 50, "3 2^51 + quotient is a double with the quotient in its low bits")
    if not wide:
        claim(least_rest + quotient <= most, "a rest and a quotient are a digit again")
        check_fold_errors(r, quotient, Fraction(least_rest, r) - Fraction(1, 2))
        return
    bias, high = Fraction(constant(KERNELS, "GFP_FOLD_BIAS"), 64), Fraction(constant(KERNELS, "GFP_FOLD_HIGH"), 64)
    allowed = min(Fraction(least_rest, r) - Fraction(1, 2) + bias, Fraction(most_rest, r) - Fraction(1, 2) - bias)
    check_fold_errors(r, quotient, allowed)
    claim(least_rest + quotient <= r // 2, "a rest and a quotient are not less than -r / 2")
    claim(most_rest + quotient < WORD and most_rest + quotient - r <= r // 2, "a positive rest is a word")
    claim(most == r // 2 + 1, "a carry is added to a digit of at most r / 2")
    less = Fraction(quotient, r)
    claim(high - allowed + bias > less, "a high fraction's rest is positive, with a quotient, too")
    claim(Fraction(1, 2) - less - bias - allowed > high, "a rest that may exceed r / 2 has a high fraction")


def check_lanes_eval(r, k):
    shift = 64 - r.bit_length()
    scaled = r << shift
    d = min(r, 1 << 60) - 1
    t = scaled * d + scaled
    claim(t // scaled << shift <= scaled, "quotients of a Horner step are digits")
    claim(t >> 104 < LIMB, "w2 is a factor of IFMA")
    error = Fraction(2 * LIMB, scaled) + Fraction(t, 1 << 156) + Fraction(10, LIMB)
    bias = Fraction(1 << constant(COMMON, "bias_bits"), LIMB)
    claim(error < bias, "a quotient is one too large only if its fraction says so")
    claim(2 * bias * scaled < WORD // 2, "the rest has a sign there")
    claim((1 << 8) * (1 << 12) < LIMB, "the product of high parts")


def check_lanes():
    says(LANES, "sums->terms == MOST_TERMS / DIGITS")
    for k in digit_counts():
        claim(k <= MOST_TERMS, "terms of a product")
        check_lanes_product(k)
        check_lanes_sums(k)
        check_lanes_lincomb(k)
        check_lanes_dot(k)
    check_lanes_thirds()
    cases = radices(LANES_MIN, LANES_MAX)
    claim(all(prime.r in cases for prime in named_primes()), "named radices are within the range of the lanes")
    for r in cases:
        for k in digit_counts():
            check_lanes_division(r, k)
            check_lanes_eval(r, k)
    return len(cases)


def main():
    q = table("field/kernels/mul_fft.c", "primes")
    check_primes(q)
    cases = radices(FAST_MIN, FAST_MAX)
    claim(all(prime.r in cases for prime in named_primes()), "named radices are within the fast range")
    for r in cases:
        check_pair(r)
        for k in digit_counts():
            check_two_pass(r, k)
            check_split(r, k)
            check_columns(r, k)
            check_eval(r, k)
            check_mul_fft(r, k, q)
    for r in radices(2, WORD - 2):
        check_div_2exp(r)
    for r in radices(FOLD_MIN, FOLD_MAX, FOLD_NARROW):
        check_fold(r)
    lanes = check_lanes()
    all_hold(f"{len(cases)} radices, in lanes {lanes}")


if __name__ == "__main__":
    main()
