#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the lazy ranges of the hybrid product's leaves by IFMA (fft/words/ntt_ifma.h,
fft/words/ntt_ifma_avx512.c, crt/hybrid/leaf/evaluate_avx512.inc, crt/hybrid/leaf/split_avx512.c).

It repeats the C code's steps on intervals of exact integers, for every prime. IFMA reads the low 52 bits of its
factors, so every factor must be in [0, 2^52) as an integer before its bits above are cut off; the script claims that
wherever a lane is multiplied or reduced. Then the split: for named radices, the ends of what is served and of each
case, those next to powers of 2, and sparse ones, limbs, quotients and digits stay within their words, and the errors of
the quotients are those of the comments.
"""
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts, expression, hull, is_prime, minus  # noqa: E402
from claims import plus, radices, says, table  # noqa: E402

IFMA, ENGINE = "crt/hybrid/leaf/ifma.h", "crt/hybrid/leaf/avx512.c"
LIMIT = 1 << 52
BITS = {3: constant(IFMA, "GFP_IFMA_BITS_3"), 4: constant(IFMA, "GFP_IFMA_BITS_4")}
LENGTH = constant(IFMA, "GFP_IFMA_LOG2_LENGTH")
R_PLAIN, R_TOP = constant(IFMA, "GFP_IFMA_R_PLAIN"), constant(IFMA, "GFP_IFMA_R_TOP")
# Lanes serve radices beyond those of the outer DFT; the ranges hold there, too.
R_MIN, R_MAX = constant("field/base/kernels.h", "GFP_FAST_R_MIN"), constant("field/base/lanes.h", "GFP_LANES_R_MAX")
ORDER = 1 << constant("fft/words/ntt48.h", "GFP_NTT48_LOG2_ORDER")


# ---- residues: intervals (low, high), both ends included ----


class Prime:
    def __init__(self, q):
        self.q, self.delta = q, (1 << 48) - q

    def factor(self, x, what):
        claim(0 <= x[0] and x[1] < LIMIT, f"{what}: a factor in [0, 2^52), not "
              f"[{x[0] / self.q:.3f} q, {x[1] / self.q:.3f} q]")

    def reduce(self, x):
        self.factor(x, "reduce")
        claim(15 * self.delta < self.q >> 13, "e is less than q / 2^13")
        return (0, (1 << 48) - 1 + 15 * self.delta)

    def mul(self, x, what="mul"):
        """v w - floor(v w' / 2^52) q < q (1 + v / 2^52) < 2 q."""
        self.factor(x, what)
        return (0, self.q + self.q * x[1] // LIMIT + 1)

    def butterfly(self, a, b):
        t = self.mul(b, "butterfly")
        claim(t[1] < 2 * self.q, "a product is below 2 q")
        t = (t[0] - self.q, t[1] - self.q)
        return plus(a, t), minus(a, t)

    def forward(self, x):
        n, h = len(x), len(x) // 2
        while h:
            for i in range(n):
                if i // h % 2 == 0:
                    x[i], x[i + h] = self.butterfly(x[i], x[i + h])
            h //= 2
        return x

    def inverse(self, x, end):
        n, h = len(x), 1
        while h < n:
            if h == 4 and n == 16:
                for i in (0, 4, 8):
                    x[i] = self.reduce(x[i])
            if h >= end:
                break
            for i in range(n):
                if i // h % 2 == 0:
                    x[i], x[i + h] = self.butterfly_inverse(x[i], x[i + h], self.bias(h, i % h))
                    start = self.start(n, h, i // (2 * h)) * self.q
                    x[i + h] = plus(x[i + h], (start, start))
            h *= 2
        return x

    def start(self, n, h, block):
        if 2 * h == n:
            return 0
        return (2 if block % 2 == 0 else 0) - (0 if block // 2 % 2 == 0 else 2)

    def bias(self, h, i):
        if h >= 2 and i >= (h + 3) // 4:
            return 0
        return (10 if i == 0 else 8) if h == 8 else 2 * h

    def difference(self, a, b, bias):
        d = plus(minus(a, b), (bias * self.q, bias * self.q))
        claim(d[0] >= 0, "a difference is not negative")
        return d

    def butterfly_inverse(self, a, b, bias):
        d = self.difference(a, b, bias)
        return plus(a, b), self.mul(d, "inverse butterfly")


def within(x, low, high, q, what):
    """low and high in tenths of q."""
    claim(10 * x[0] >= low * q and 10 * x[1] <= high * q, f"{what}: [{x[0] / q:.4f} q, "
          f"{x[1] / q:.4f} q] within [{low / 10} q, {high / 10} q]")


def check_forward(p):
    q = p.q
    lane = (3 * q, 122 * q // 10)
    for n in (2, 4, 8, 16):
        x = [lane] * n
        x[0] = plus(p.reduce(x[0]), (7 * q, 7 * q))
        within(hull(p.forward(x)), 30, 122, q, f"forward pass of {n}")


def check_evaluation(p):
    q = p.q
    digit = (8 * q - (p.delta << 15), 8 * q + (1 << 48) - 1 + (p.delta << 15))
    within(digit, 78, 92, q, "a digit read")
    raised = plus(p.reduce(digit), (7 * q, 7 * q))
    for k in digit_counts():
        first = min(k, 16) if k <= 16 else k // 16
        x = [digit] * first
        if first == 16:
            x[0] = raised
        x = p.forward(x)
        within(hull(x), 30, 122, q, f"evaluation for k = {k}")
        if k > 16:
            x = [hull(x)] * 16
            x[0] = plus(p.reduce(x[0]), (7 * q, 7 * q))
            within(hull(p.forward(x)), 30, 122, q, f"evaluation for k = {k}, second part")


def check_inverse(p):
    q = p.q
    lane = (0, 2 * q - 1)
    for n in (2, 4, 8, 16):
        x = p.inverse([lane] * n, n)
        x = [p.reduce(v) if i < n // 2 else v for i, v in enumerate(x)]
        claim(hull(x)[1] < 2 * q, f"inverse pass of {n}: below 2 q")
    for k in digit_counts():
        n = k if k <= 16 else k // 16
        x = p.inverse([lane] * n, n // 2)
        for i in range(n // 2):
            total, product = p.butterfly_inverse(x[i], x[i + n // 2], p.bias(n // 2, i))
            claim(p.mul(total, "scale")[1] < 2 * q and product[1] < 2 * q, "residues below 2 q")


def block_product(p, a, b, wrapped):
    """Montgomery: (sum of eight products) / 2^52 + q - (a multiple < 2^52) q / 2^52."""
    for x in (a, b, wrapped):
        p.factor(x, "block product")
    high = 8 * a[1] * max(b[1], wrapped[1]) // LIMIT + 8 + p.q
    return p.reduce((0, high))


def sum_of_products(p, a, b, wrapped):
    """divide_sums for the most pairs: z plus or minus the high halves, reduced twice."""
    pairs = constant("fft/words/ntt_ifma.h", "GFP_IFMA_PAIRS")
    z = p.reduce((0, LIMIT - 1))[1]
    for count in range(1, pairs + 1):
        claim(8 * count * LIMIT < WORD, "sums of low halves within a word")
        high = count * 8 * (a[1] * max(b[1], wrapped[1]) // LIMIT + 1)
        claim(high <= 13 * count * p.q, "13 q for each product is at least the high halves")
        most = 13 * count * p.q + p.q + z
        claim(most < (LIMIT if count == 1 else WORD), "a sum to be reduced")
    claim((1 << 48) + (WORD >> 48) * p.delta < 2 * p.q, "gfp_ifma_reduce_wide: below 2 q")


def check_blocks(p):
    q = p.q
    lane = (3 * q, 122 * q // 10)
    b = p.reduce(lane)
    product = p.mul(b)
    negative = p.difference((0, 0), product, 2)
    out = block_product(p, lane, b, hull([product, negative]))
    claim(out[1] < 2 * q, "block products below 2 q")
    sum_of_products(p, lane, b, hull([product, negative]))


def check_matrices(p):
    """divide_sums of avx512.c: panels of channels, and an entry below q + e."""
    terms = constant("fft/words/ntt48.h", "GFP_PANEL_TERMS")
    lane = 122 * p.q // 10
    claim(lane < LIMIT, "channels are factors")
    claim(terms * LIMIT <= 1 << 59, "sums of low halves below 2^59")
    high = terms * (lane * lane // LIMIT)
    claim(high < 1 << 59, "sums of high halves below 2^59")
    claim(high + (1 << 7) + p.q + p.reduce((0, LIMIT - 1))[1] < WORD, "a sum to be reduced")
    claim((1 << 48) + (WORD >> 48) * p.delta < 2 * p.q, "gfp_ifma_reduce_wide: below 2 q")


def dft3(p, x):
    t = p.mul(p.difference(x[1], x[2], 2))
    y1 = plus(p.difference(x[0], x[2], 2), t)
    y2 = p.difference(p.difference(x[0], x[1], 2), t, 2)
    return [plus(x[0], plus(x[1], x[2])), y1, y2]


def dft5(p, x):
    p1, p2 = plus(x[1], x[4]), plus(x[2], x[3])
    m1, m2 = p.difference(x[1], x[4], 2), p.difference(x[2], x[3], 2)
    total = plus(p1, p2)
    mean = plus(x[0], p.mul(total))
    apart = p.mul(p.difference(p1, p2, 4))
    a1, a2 = plus(mean, apart), p.difference(mean, apart, 2)
    t = p.mul(plus(m1, m2))
    b1, b2 = plus(t, p.mul(m2)), p.difference(p.mul(m1), t, 2)
    return [plus(x[0], total), plus(a1, b1), plus(a2, b2), p.difference(a2, b2, 4),
            p.difference(a1, b1, 4)]


def check_odd(p):
    q = p.q
    lane = (3 * q, 122 * q // 10)
    for odd, dft, most in ((3, dft3, 6), (5, dft5, 10)):
        split = dft(p, [p.reduce(lane)] + [p.mul(lane)] * (odd - 1))
        claim(hull(split)[0] >= 0 and hull(split)[1] < most * q, f"split into {odd}")
        b = p.reduce(hull(split))
        out = block_product(p, hull(split), b, p.mul(b))
        sum_of_products(p, hull(split), b, p.mul(b))
        back = dft(p, [out] * odd)
        claim(p.reduce(back[0])[1] < 2 * q, f"join {odd}")
        claim(all(p.mul(x)[1] < 2 * q for x in back[1:]), f"join {odd}")


# ---- the split by r ----


def coefficients(primes):
    """The greatest absolute value of an interval."""
    bits = BITS[primes]
    return (1 << bits) - (1 << (bits - 14)) if primes == 3 else 129 << (bits - 7)


def check_bound_log2():
    """The bounds that planning reads, in units of 2^-16 of a bit: 2^(units / 2^16) <= the bound."""
    units = constant("crt/hybrid/leaf/engine.h", "GFP_HYBRID_BITS")
    bound_log2 = expression(ENGINE, r"return (count == 3 \?[^;]*);")
    for primes, bits in BITS.items():
        more = bound_log2(count=primes) - units * bits
        # ln(1 + x) >= x - x^2/2 - |x|^3 for |x| < 1/2, and 0.6931471 < ln 2 < 0.6931472
        x = Fraction(coefficients(primes), 1 << bits) - 1
        claim(Fraction(more, units) * Fraction(6931472 if more > 0 else 6931471, 10**7)
              <= x - x * x / 2 - abs(x) ** 3, f"bound_log2({primes}) is rounded down")


def check_quotients(r, primes):
    """fill_split and split_one, for |c| <= bound, the bound that BITS and LENGTH admit."""
    log2_r = r.bit_length() - 1
    scale = 0 if r >= R_PLAIN else 60 - log2_r
    wide = primes == 4 or r < R_PLAIN
    e, scaled = log2_r + scale, r << scale
    claim(e >= 52, "a scaled radix has 53 bits or more")
    shift = e - 52
    reciprocal = min((1 << (104 + e)) // scaled, (1 << 104) - 1)
    bias = (1 << BITS[primes]) // r // r
    bias = min(bias + (bias >> 7) + 2, (1 << 30) + (1 << 12)) + 1
    bound = min(coefficients(primes), (1 << LENGTH) * digit_counts()[-1] * (r // 2 + (r >> 21)) ** 2)
    claim(bound <= bias * r * r, "the bias makes coefficients positive")
    least, most = (r * r // 2) << scale, ((2 * bias * r * r + r * r // 2) << scale)
    claim(most < 1 << 156, "a scaled coefficient fits three limbs")
    claim(least > 5 << 52, "the part left out of the first quotient is less than the coefficient")
    if not wide:
        claim(primes == 3 and scale == 0, "cofactors of three primes fit two limbs")
    # Errors of the first quotient, in units of 2^-shift.
    unit = 1 << shift
    claim((5 << 52) * unit <= 5 * scaled, "the lowest limb: 5 units")
    truncation = (1 << (104 + e)) - reciprocal * scaled
    claim(truncation <= scaled or r & (r - 1) == 0, "the reciprocal: its last bit")
    claim(most * truncation * unit <= (scaled << (104 + e)), "the reciprocal: 1 unit")
    claim(3 * LIMIT + LIMIT <= 1 << 54, "partial products below 2^104: 3 units and less than one")
    claim(4 * LIMIT + unit < WORD, "a sum of partial products fits a word")
    below, above = unit // 2 + 4, unit // 2 + 6  # low / r >= -below / unit, < above / unit
    claim(above * 100 <= 69 * unit or r >= WORD - (1 << 58), "|low| < 0.69 r")
    if r <= R_TOP:
        claim((above + 1) * scaled // unit < 1 << 63, "low fits a word")
    else:
        claim(shift == 11 and 100 * above <= 51 * unit, "low leaves a word by little")
        # Its sign is wrong iff it left [-2^63, 2^63); the fraction is then beyond 3/4 or below 1/4.
        claim((WORD - (1 << 63)) * unit > (unit // 4 + 9) * r, "a low that left the word has a fraction > 3/4")
    # The second quotient: less by at most `error` (in units of 2^-20).
    top_shift = min(52, shift + log2_r - 10)
    numerator = 52 + top_shift - shift
    top_reciprocal = (1 << numerator) // r
    claim(top_reciprocal < LIMIT and numerator >= 0, "the second reciprocal is a factor")
    dividend = ((most << shift) // scaled + unit) >> top_shift
    claim(dividend < LIMIT, "the second dividend is a factor")
    error = (((1 << top_shift) << 20) >> shift) // r + (dividend << 20) // LIMIT + 2
    claim(error <= 1 << 14, "middle / r < 1/2 + 2^-6")
    if r > R_TOP:
        claim(error * r >> 20 < 1 << 62, "middle passes 2^64 by less than 2^62")
    elif r > 1 << 63:
        claim(r + (error * r >> 20) < WORD, "middle + r/2 fits a word")
    # The sum of the parts, in thousandths of r: one carry suffices, and the digit is in its range.
    high = (bias + 2) * 1000 // r + 1 if wide else 1
    claim(1000 * above // unit + 1 + 516 + high + 4 <= 1500, "low + middle + high within 1.5 r")
    slack = (r >> 21) - 16
    if not wide:
        claim(bias + 2 <= slack, "high within the slack of a digit")
        claim((bias + 2) << 27 < r and (r <= R_TOP or bias + 2 < 1 << 16),
              "high is negligible")
    most_digit = r // 2 + 8 + (0 if wide else bias)
    claim(most_digit < 1 << 63, "a digit fits a word")


def check_crt(primes):
    """f is the rounded sum of y_i / q_i."""
    product = 1
    for q in primes:
        product *= q
    # y_i / q_i - y_i / 2^48 = y_i / q_i delta_i / 2^48 < 2 delta_i / 2^48
    less = Fraction(sum(2 * ((1 << 48) - q) for q in primes), 1 << 48)
    claim(Fraction(coefficients(len(primes)), product) + less < Fraction(1, 2),
          "the fraction of the sum of y_i / q_i lies where rounding finds it, less or not")
    f = (sum(2 * q for q in primes) + (1 << 47)) >> 48
    claim(f <= (7 if len(primes) == 3 else 15), "f indexes the table")
    claim(sum(2 * q for q in primes) + (1 << 47) < LIMIT, "the sum of residues within 52 bits")


def main():
    primes = [q for q, _ in table("fft/words/ntt48.c", "gfp_ntt48_primes")]
    claim(len(primes) == constant("fft/words/ntt48.h", "GFP_NTT48_PRIMES") == 4, "four primes")
    for q in primes:
        claim(is_prime(q), f"{q} is a prime")
        claim(q % (15 * ORDER) == 1 and 0 < (1 << 48) - q < 1 << 31, "q = 2^48 - delta")
        p = Prime(q)
        check_forward(p)
        check_evaluation(p)
        check_inverse(p)
        check_blocks(p)
        check_matrices(p)
        check_odd(p)
    check_bound_log2()
    check_crt(primes[:3])
    check_crt(primes)
    says(ENGINE, "r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX")
    claim(constant("fft/outer/dft.h", "GFP_OUTER_R_MAX") <= R_MAX, "every radix served is one of these")
    cases = radices(R_MIN, R_MAX, R_PLAIN, R_TOP)
    for r in cases:
        check_quotients(r, 3)
        check_quotients(r, 4)
    all_hold(f"{len(primes)} primes, {len(cases)} radices")


if __name__ == "__main__":
    main()
