#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proof of the ranges of the device's hybrid product: digits and residues (hybrid_digits.h), its leaves (hybrid_leaf.h)
and the rounds of its outer DFT (hybrid_outer.cuh), with exact integers and fractions.

It proves that residues, recombined integers, quotients and digits fit their words, and that quotients are right but for
what the code mends, for the least and the greatest primes and for named radices, the ends of what is served and of each
case, those next to powers of 2, and sparse ones.
"""
import sys
from fractions import Fraction as F
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/lab"))
from claims import all_hold, claim, constant, digit_counts, expression, radices, says  # noqa: E402

DIGITS, OUTER, LAUNCHES = (f"gpu/cuda/product/hybrid_{file}" for file in ("digits.h", "outer.cuh", "outer.cu"))
W = 1 << 64
WORD = 1 << 32
EPS = F(1, 1 << 53)  # half a unit in the last place of 1
EPS32 = F(1, 1 << 24)
LEAST, MOST = constant(DIGITS, "RADIX_MIN"), constant(DIGITS, "RADIX_MAX")
PRIME_MIN, PRIME_MAX = constant(DIGITS, "PRIME_MIN"), constant(DIGITS, "PRIME_MAX")
bound = expression(DIGITS, r"return (r / 2 \+ [^;]*);")
TIGHT_FROM = expression(DIGITS, r"r > (~\(u64\)0 - \(\(u64\)1 << \d+\))\}")() + 1
RESIDUE = expression(DIGITS, r"return (n > 5 \? [^;]*);")
MARGIN = expression(DIGITS, r"i == count - 1 \? (primes\[i\] >> \d+)")  # what sums are less than half of Q by
MAX_LOG, PIECE = constant(OUTER, "MAX_LOG"), constant(OUTER, "WORD")
MOST_STEP = expression(LAUNCHES, r"a\.most = (a\.most < [^;]*);")(**{"a.most": 64})


def residue_bound(count, q):
    return RESIDUE(n=count, q=q)


def check_project(q):
    """high + (0 or 2q) - multiple + q, and q once more if the sum is negative."""
    claim(q & 1 and q < 1 << 30, "primes")
    for low, high in ((-(1 << 31) + 2 * q, -1 + 2 * q), (0, (1 << 31) - 1)):
        low, high = low - (q - 1) + q, high + q
        claim(low >= -q, f"q = {q}: adding q once makes a negative sum positive")
        claim(high < 4 * q and q - 1 < 4 * q and high + q < WORD, f"q = {q}: 4q, and no wrap where x >= 0")
        claim(WORD + low > (1 << 31) + 2 * q, f"q = {q}: a wrapped word exceeds the sum with q")


def divide_error(x):
    """The error of the quotient (f + (e >> 32)) 2^32 / r in doubles, |quotient| <= x, in units of r: the
    dividend, 2^32 / r and the product are rounded, and so is r itself."""
    return x * ((1 + EPS) ** 4 / (1 - EPS) - 1)


def check_crt(r, q, count):
    """recombine and settle, all residues at their greatest."""
    most = residue_bound(count, q)
    # Each residue, each inverse, and each sum with a product is rounded.
    total = F(count * most, q) * (1 + EPS32) ** 2
    error = total * ((1 + EPS32) ** 2 - 1) + count * (total + 1) * EPS32
    # crt_fits: the distance of the sum's fraction of Q from one half.
    claim(error < F(1, 2) * F(MARGIN(**{"primes[i]": q}), q), "the multiple of Q is right")
    multiple = total + error + F(1, 2)
    claim(multiple < 1 << 22, "the multiple of Q is rounded in single precision")
    # Words of balanced digits, or of a digit minus r: |low word| <= 2^31, and |upper word| <= 2^31.
    sums = count * most * (1 << 31) + 4 * (1 << 31)
    claim(int(multiple) <= 4, "the multiple of Q is at most 4")
    claim(most < 1 << 30, "residues")
    claim(sums + (1 << 34) + (1 << 31) < 1 << 63, "sums of words, with a carry, fit 64 bits")
    # The digits themselves: balanced, or minus r if they are too close to 2^63.
    near = (1 << 63) - 1 - (1 << 31)
    digit = r // 2 if r // 2 < near else r - near
    column = (count * most + 4) * digit + (1 << 34)
    quotient = F(column, r) + 2
    claim(quotient + 1 < 1 << 31, "quotients")
    error = divide_error(quotient) + F(WORD, r)
    tight = r >= TIGHT_FROM
    if tight:
        claim(error < F(1, 8), "the fraction's sign is that of the remainder")
        # A remainder within r / 2 + error r that wraps at 2^63, minus r.
        claim(r // 2 + error * r + r // 4 < W, "remainders wrap once")
        claim(W - (1 << 63) <= r, "one r brings a wrapped remainder back")
        rest = F(1 << 63)
    else:
        rest = F(r, 2) + error * r
        claim(rest < 1 << 63, f"r = {r:x}: remainders fit")
    claim(rest <= F(3 * r, 2) + 2 * WORD, "remainders")
    # C = c0 + c1 r + c2 r^2 with |C| < 2^31 bound^2.
    c2 = (F((1 << 31) * bound(r=r) ** 2) + rest + rest * r) / (r * r)
    claim(c2 < 1 << 31, f"r = {r:x}: c2 fits 32 bits")
    sum_ = 2 * rest + c2
    claim(sum_ / 4 + 3 < 1 << 63, "the quarter of a sum fits")
    # The three quarters lose less than 1 each.
    carry = sum_ / r + 1
    settled = F(r, 2) + divide_error(carry) * r + 3 * 4
    claim(carry <= 4.6, "carries of settle")
    claim(settled + 4 <= bound(r=r), f"r = {r:x}: settled digits")
    claim(F(1, 2) * r + r * F(1, 1 << 49) + 13 >= settled, "what settle says")


def check_balance(r, log, largest):
    """balance after a round: 2^log digits of at most `largest`; returns the bound of quotients."""
    count = 1 << log
    low = count * PIECE
    top = count * (F(largest, 1 << 44) + 1)
    claim(low + (low >> 22) + 1 < 1 << 31 and top < 1 << 31, "words of a round")
    claim(count * F(largest, 1 << 22) + (1 << 30) < 1 << 51, "the dividend is exact in doubles")
    quotient = F(count * largest, r) + 1
    error = quotient * ((1 + EPS) ** 2 / (1 - EPS) - 1) + F(1 << 22, r)
    # fma rounds once, to an integer.
    quotient = int(F(count * largest, r) + error + F(1, 2))
    claim(quotient <= 127, "quotients fit bytes")
    digit = F(r, 2) + error * r
    claim(digit < 1 << 63, f"r = {r:x}: remainders fit")
    claim(digit + quotient <= bound(r=r), f"r = {r:x}: balanced digits")


def check_division(r, shift, step):
    """divide_all: floors of sums of 2^shift digits (of balanced digits if it takes several steps), and
    remainders times r / 2^step; 2^step divides r, step <= MOST_STEP."""
    if step > MOST_STEP or r % (1 << step) != 0:
        return
    if step == shift:
        for log in range(min(shift, MAX_LOG) + 1):
            words = (1 << log) * F(bound(r=r), 1 << 44) + (1 << log)
            claim(words < 1 << 31 and (1 << log) * PIECE < 1 << 31, "words of a round")
    t = bound(r=r)  # |t|, a floor, is at most this
    claim(t + 1 < 1 << 63 and t < r, f"r = {r:x}: floors")
    u_low, u_high = 0, ((1 << step) - 1) * (r >> step)
    claim(u_high < r, "remainders")
    # At the top u is r minus this product.
    low, high = -t + min(u_low, r - u_high), t + max(u_high, r - u_low)
    claim(low + r >= 0 and high - r < r, f"r = {r:x}: one r is enough")
    # Carries are -1, 0, 1; that of the top, sent with the opposite sign, is 0, 1, 2. The input of mend:
    claim(r + 2 < W - 2 and r + 2 < 2 * r, "what comes from below leaves [-1, r + 2)")
    claim(r // 2 + 2 + 1 <= bound(r=r), "balanced again by one r, two carries")


def shoup(x, q):
    """The greatest value of multiply_lazy (hybrid_leaf.h) for words up to x: x w - floor(x c / 2^32) q
    with c = floor(2^32 w / q) is below q + x q / 2^32."""
    claim(x < WORD, "any word")
    top = (q * WORD + x * q) // WORD
    claim(top < 2 * q, "products are below 2q")
    return top


def reduced(x, m):
    """least(x, x - m) for 0 <= x: if x < m, x - m wraps to a greater word."""
    claim(x < WORD and x - m < m and m + m < WORD + m, "one subtraction is enough")
    return max(m - 1, x - m)


def check_leaf(q):
    """hybrid_leaf.h and hybrid_leaf_rows.cuh: levels forwards in [0, 4q), backwards in [0, 2q)."""
    top = 4 * q - 1
    u, y = reduced(top, 2 * q), shoup(top, q)
    claim(u + y < 4 * q and u + 2 * q < 4 * q and 2 * q - y > 0, "levels forwards")
    below_q = reduced(reduced(top, 2 * q), q)
    claim(below_q < q, "words of blocks are reduced")
    for m in (4, 8):
        g = shoup(below_q, q)
        turned = max(g, 2 * q) if m == 4 else max(reduced(g, q), q)
        # Coefficient 0 has the most products with a turned factor.
        total = below_q * below_q + (m - 1) * turned * below_q + (WORD - 1) * q
        claim(total < W, f"m = {m}: sums fit 64 bits")
        claim(reduced(total >> 32, 2 * q) < 2 * q, f"m = {m}: products are below 2q")
    back = 2 * q - 1
    claim(reduced(2 * back, 2 * q) < 2 * q and back + 2 * q < WORD, "levels backwards")
    claim(shoup(4 * q - 1, q) < 2 * q, "differences")
    for count in (5, 6):
        x = back if count < 6 else reduced(back, q)
        # x w - h q, h = round(x c / 2^32), c = round(2^32 w / q): h contributes q / 2, c contributes x q / 2^33.
        claim(x * ((WORD * (q - 1) + q // 2) // q) + (1 << 31) < W, "quotients of scaled residues fit")
        claim(F(q, 2) + F(x * q, 2 * WORD) < residue_bound(count, q), f"{count} primes: scaled residues")


def main():
    says(LAUNCHES, "log2_m <= gfp_outer::MAX_LOG ? log2_m : (log2_m + 1) / 2")
    for q in (PRIME_MIN, PRIME_MIN + 2, PRIME_MAX):
        check_project(q)
        check_leaf(q)
    cases = radices(LEAST, MOST, TIGHT_FROM)
    for r in cases:
        claim(bound(r=r) < 1 << 63, "digits fit")
        for count in range(2, 7):
            check_crt(r, PRIME_MAX, count)
        for log in range(MAX_LOG + 1):
            check_balance(r, log, r)
            check_balance(r, log, bound(r=r))
        for shift in range(len(digit_counts()) + 2):
            for step in range(shift + 1):
                check_division(r, shift, step)
    all_hold(f"{len(cases)} radices")


if __name__ == "__main__":
    main()
