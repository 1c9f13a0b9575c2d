#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges of the fast engine's arithmetic (fast_arith.h, gpu/cuda/transform/sliced_kernels.h), for
the named primes of at most 16 digits (field/primes/named.inc), and for all radices of each length that kernels with
constants at run time serve (fast_radix.h).

It proves how large the digits of products and of results of levels are, in units of r: it follows column sums, the
errors of quotients by short series and by words of 1/r, and words 22 bits apart through the levels of a DFT_2k, with
exact rationals.
"""
import sys
from fractions import Fraction as F
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import all_hold, claim, constant, expression, named_primes  # noqa: E402

RADIX, FIELDS, SLICED = "gpu/cuda/fast_radix.h", "gpu/cuda/fast_fields.h", "gpu/cuda/transform/sliced"
WORD = F(1 << 32)
HALF_WORD = 1 << 31
MOST_SHIFT = constant(f"{SLICED}.h", "SLICED_MAX_SHIFT")
ROUNDS = expression(f"{SLICED}_kernels.h", r"round < (\d+)")()
LEAST = constant(RADIX, "RADIX_LEAST")
MOST_OF = expression(FIELDS, r"most = (k < 16 [^;]*);")
SERVED = expression(FIELDS, r"return (\(k == 2 [^;]*);")


def is_served(k, r):
    return SERVED(k=k, r=r, most=MOST_OF(k=k))


# The others take other kernels.
NAMED = [prime for prime in named_primes() if is_served(prime.k, prime.r)]


class Modulus:
    """The constants of the radices from low to r, 2^b <= low and r < 2^(b + 1), computed independently."""

    def __init__(self, name, k, low, r, known=True):
        self.name, self.k, self.low, self.r, self.known = name, k, low, r, known
        self.r1 = r >> 32
        self.b = low.bit_length() - 1
        claim(r >> self.b == 1 and k & (k - 1) == 0, f"{name}: one length of radices, k a power of 2")
        terms = bin(r).count("1")
        above = 1 << r.bit_length()
        self.minus = terms > 2 and bin(above - r).count("1") == 1
        self.width = r.bit_length() if self.minus else r.bit_length() - 1
        tail = abs(r - (1 << self.width))
        delta = self.width - tail.bit_length() + 1 if terms == 2 or self.minus else 0
        self.two_terms = (known and r % (1 << 32) == 0 and delta >= 10 and self.width >= 56
                          and (self.width < 64 or delta <= 16))
        self.delta = delta if self.two_terms else 0
        self.tight = self.two_terms and self.width == 64
        self.pairs = k >= 16 and r < 1 << 63
        self.roomy = self.two_terms and not self.minus and self.width == 62 and 22 < self.delta < 32
        self.wide_series = self.tight and self.two_terms and self.minus and 14 <= self.delta < 16
        # By the inverse: bits after the point of quotients of columns, of small quotients, of levels.
        self.fraction = min(self.b - 32, 24)
        self.small_fraction = min(self.b - 32, 21)
        self.left = min(63 - self.b, 22)
        self.level_shift = self.b + self.left - 45

    def claim(self, condition, text):
        claim(condition, f"{self.name}: {text}")


def series(m, places, value, unit_loss):
    """The interval [low, high] of the error of v (1 + sign y)(1 + y^2)(1 + y^4)..., y = 2^-delta, in shifts
    below `places`, or v (1 + y + y^2)(1 + y^3), against v / (1 - sign y), for |v| <= value. Every shift
    loses less than a unit, and later factors multiply earlier losses."""
    y = F(1, 1 << m.delta)
    factors = [(1 if m.minus else -1, y)] + [(1, y**s) for s in (2, 4, 8) if s * m.delta < places]
    if places == 80 and m.wide_series:
        # One product, which loses the part below a unit; then as above.
        factors = [(1, y + y * y), (1, y**3)]
    product, low, high = F(1), F(0), F(0)
    for sign, part in factors:
        factor = 1 + sign * part
        low, high = low * factor, high * factor
        if sign > 0:
            low -= unit_loss
        else:
            high += unit_loss
        product *= factor
    missing = value * abs(product - 1 / (1 - (1 if m.minus else -1) * y))
    return low - missing, high + missing


def products(m):
    """Bounds, in units of r, of the digits that multiply returns."""
    k, r, r1 = m.k, m.r, m.r1
    # mac: upper words are at most r1, and a carry comes with each.
    free = min(64, ((1 << 64) - 2) // (r1 * r1 + 1))
    m.claim(free * (r1 * r1 + 1) < 1 << 64, "sums of free_tops products fit four words")
    column = k * r * r  # of products; wrapped ones are negative
    carry = column // r + k + 4
    m.claim(carry < 1 << 95, "carries of columns fit three words")
    total = column + carry + r
    m.claim(total < r << (64 + k.bit_length()), "columns: 2^(64 + log2 k + 1) r")
    m.claim(total < 1 << 159 and k * r * r < 1 << 160, "columns fit five words")
    m.claim(2 * k * (1 << 64) < 1 << 96, "sums of mixed products fit three words")
    if m.pairs:
        # The summands: at most k / 2 products of sums of two digits (4 r^2 each), 2 d of one or two
        # digits, and less than 2 k products d.
        m.claim(2 * r < 1 << 64, "sums of two digits fit two words")
        m.claim((2 * k + 4 + 2 * k) * r * r + carry < 1 << 159, "their columns fit five words")
        m.claim(2 * (k // 2 + 2 + k) * (1 << 64) < 1 << 96, "their mixed products fit three words")
    scaled = F(total) / WORD  # w0 is dropped: less than a unit
    if m.roomy:
        # W / 2^width = V + f, q = V (1 - y + y^2) + g - h, f, g, h < 1.
        v, y = F(total, 1 << m.width) + 1, F(1, 1 << m.delta)
        m.claim(v < 1 << 95, "V fits three words")
        m.claim(v * y * y + 1 < HALF_WORD, "V y^2 fits a word")
        missing = v * y**3 / (1 + y)
        low, high = -2 - missing, 1 + missing
    elif m.two_terms:
        low, high = series(m, 80, scaled, 1)
        low -= 1 / (1 - F(1, 1 << m.delta))
        m.claim(2 * scaled < 1 << 127, "four words hold the series")
        point = F(1 << (m.width - 32))
        low, high = low / point - 1, high / point
        m.claim(2 * scaled / point < 1 << 95, "quotients of columns fit three words")
    else:
        # The bias is 2k or 2k + 1 times 2^64 r; with 2k + 1, word 3 moves by about r1, hence away from its end.
        carries = 2 * k + 4
        m.claim(carries < 64 and r1 + 1 + 2 * 64 < WORD, "bias: word 3")
        m.claim((2 * k + 1) * 65 < WORD - 64, "bias: word 3 where r1 itself is less than 64")
        unit = F(1, 1 << m.fraction)
        a = F(total + ((2 * k + 1) * r << 64)) / (1 << (m.b - m.fraction))
        m.claim(0 <= m.b - 32 - m.fraction < 32, "the columns' shift")
        m.claim(a < 1 << 96, "columns with their bias fit three words")
        m.claim((WORD - 1)**2 + 2 * (WORD - 1) < 1 << 64, "a product and two words fit 64 bits")
        # Losses, in the last of the bits after the point: the column's part below; the inverse's part
        # below, times a < 2^96; three lower words; a1 times the third word, a0 times the second and the third.
        low = -1 - (7 + F(1, 1 << 32)) * unit - F(1 << 32, m.low)  # r / 2 is taken in multiples of 2^32
        high = F(0)
    # q is (W + r / 2) / r, at most -low too small or high too large, the floor included.
    bound = max(-low - F(1, 2), F(1, 2) + high)
    first = bound + F(carry, m.low)
    # reduce_small takes t = digit 0 minus the last carry, in its upper two words.
    t = first * r
    m.claim(t < 1 << 70 and first < 1 << 6, "digit 0 less the last carry: 2^70 and 2^6 r")
    w = t / WORD + r1
    m.claim(2 * w < 1 << 63, "its upper words fit 64 bits")
    if m.two_terms:
        low, high = series(m, 48, w, 1)
        point = F(1 << (m.width - 32))
        low, high = (low - 2) / point - 1, high / point
        small = 2 * w / point
    else:
        unit = F(1, 1 << m.small_fraction)
        top = w / (1 << (m.b - 32 - m.small_fraction)) + 1
        m.claim(0 <= m.b - 32 - m.small_fraction < 32 and top < HALF_WORD, "the small quotient's word")
        inverse = top / (1 << 32) * 2 * unit  # the inverse's part below 2^-31
        low = -1 - (3 * unit + inverse) - F(1 << 32, m.low)
        high = inverse
        small = first + 2
    m.claim(small + 1 < 1 << 10, "the small quotient: below 2^10")
    bound = max(bound, -low - F(1, 2), F(1, 2) + high) + (small + 1) / m.low
    m.claim(bound * r < 1 << 63, "digits of products fit 64 bits")
    if m.two_terms and not m.roomy:
        m.claim(bound <= F(1, 2) + F(1, 1 << 15), "products leave r/2 (1 + 2^-14) at most")
    else:
        m.claim(bound <= (F(3, 2) + F(1, 1 << 9) if m.roomy else
                          F(1, 2) + F(8, 1 << m.small_fraction) + F(1024, m.low)),
                "products leave r/2 + 2^3 r / 2^min(b - 32, 21) at most, 3 r/2 (1 + 2^-8) where width is 62")
        # tidy: every round subtracts r from a digit above r/2 and brings a carry of 1.
        left = bound
        for _ in range(ROUNDS):
            left = max(left - 1, F(1, 2)) + F(1, m.low)
        m.claim(left + F(2, m.low) < 1, "tidied digits are below r - 1")
    return bound


def levels(m, product):
    """The digits after a DFT of up to 2k points, of canonical digits, products and shifted digits."""
    k, r = m.k, m.r
    R = 2 * k
    low = (1 << 22) - 1
    top = max(F(r) / (1 << 44), product * r / (1 << 44) + 1)
    # Shifted at the start of an inverse: the digit's own words and the moved words, of either sign; or
    # both in one word: x / 2^s + low (r / 2^s) with low < 2^s, or minus the second term.
    most = min(MOST_SHIFT, (r & -r).bit_length() - 1) if m.known else MOST_SHIFT
    m.claim((1 << most) - 1 < HALF_WORD, "the part handed down is a signed word")
    if m.known and r - (r >> 28) < 1 << 63:
        for s in range(1, most + 1):
            handed = ((1 << s) - 1) * (r >> s)
            m.claim((r >> s) + handed < 1 << 64 and handed <= 1 << 63, "shifted digits fit a word")
            if s <= min(most, 31 - most):  # a second shift, of digits of products
                m.claim(product * r / (1 << s) + 1 + handed < 1 << 63, "digits shifted twice fit a word")
    a = b = 2 * low
    c = top + F(r) / (1 << 44)
    m.claim(R * a < 1 << 29 and R * b < 1 << 29 and R * c < 1 << 29, "words after a DFT_2k: 2^29")
    # As sums: without the shift, all digits may have one sign, |value| <= R D; with it, at most D / 2^s + r.
    value = R * max(product, F(3, 2), product / 2 + 1)
    b, c = R * b, R * c
    rest = (F(R * a) / (1 << 44)) / (F(r) / (1 << 44))  # a alone, in units of r
    if m.tight:
        m.claim(m.delta < 20, "the constant of quotient22")
        half = F(r) / (1 << 45)
        m.claim((1 << 19) - (1 << (18 - m.delta) << 1) == half, "the constant of quotient22 is r/2")
        x = c + F(b) / (1 << 22) + half
        m.claim(x * 2 < HALF_WORD, "quotient22's sums fit a word")
        # x loses the low bits of b, and a; the series is 1 + y instead of 1 / (1 - y); then two shifts.
        y = F(1, 1 << m.delta)
        missing = x * (1 / (1 - y) - 1 - y)
        error = (1 + F(R * a) / (1 << 44) + 1 + missing + y) * 2 / (1 << 20)
    elif m.two_terms:
        unit = F(1 << (m.width - 44))
        m.claim(c + unit / 2 < HALF_WORD, "quotient22's sums fit a word")
        # r is taken as 2^width; b is left out.
        error = value * F(1, 1 << m.delta) * 2 + F(b) / (1 << 22) / unit + rest
        error += abs(F(1, 2) - F(1 << (m.width - 1)) / r)
    else:
        unit = F(1 << (44 - m.left))
        x = c * (1 << m.left) + F(b) / (1 << (22 - m.left)) + 1
        m.claim(0 <= m.level_shift < 32 and x < HALF_WORD, "quotient22's sums fit a word")
        m.claim(x * HALF_WORD + (1 << (31 + m.level_shift)) < 1 << 63, "quotient22's product fits 64 bits")
        # x loses a and the low bits of b; the inverse its part below 2^-31.
        error = (F(R * a) + unit) / m.low + x / (1 << (32 + m.level_shift))
    quotient = value + 1 + error
    m.claim(quotient < 1 << 10, "quotients of levels: below 2^10")
    m.claim(R * a + quotient < HALF_WORD, "the lowest word and a carry fit a word")
    # A quotient is the floor of (V / r + 1/2 + e), |e| <= error.
    bound = F(1, 2) + error + quotient / m.low
    m.claim(bound * r < 1 << 63, "digits behind levels fit 64 bits")
    m.claim(bound <= F(1, 2) + (F(1, 1 << 17) if m.tight else F(1, 1 << 6) if m.two_terms else
                                (F(R << 23) + 2 * F(1 << (44 - m.left)) + 1024) / m.low + F(1, 1 << 20)),
            "levels leave r/2 (1 + 2^-16) at most where width is 64, r/2 (1 + 2^-5) elsewhere")
    m.claim(b * (1 << 22) + R * a < 1 << 63, "join22's sum fits 64 bits")
    # make_unsigned and make_canonical: adding r once makes a negative digit positive.
    m.claim(bound + F(2, m.low) < 1, "levels leave less than r - 1")
    m.claim(bound * r + 2 < 1 << 63, "a borrow more fits 64 bits")
    return bound


def moduli():
    """The named primes, then the radices of each length."""
    for name, k, r in NAMED:
        yield Modulus(name, k, r, r)
    for k in 2, 4, 8, 16:
        most = MOST_OF(k=k)
        for b in range(LEAST.bit_length() - 1, most.bit_length()):
            top = min((1 << (b + 1)) - 1, most)
            yield Modulus(f"k = {k}, 2^{b} and more", k, 1 << b, top, False)


def main():
    claim(len(NAMED) > 0, "named primes")
    for m in moduli():
        product = products(m)
        level = levels(m, product)
        print(f"{m.name}: products {float(product):.7f} r, levels {float(level):.7f} r")
    all_hold()


if __name__ == "__main__":
    main()
