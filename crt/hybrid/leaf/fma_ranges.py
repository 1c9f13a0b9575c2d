#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the hybrid method's AVX2 engine: the sources fma_*_avx2.c and avx2.c.

Bounds are multiples of q where fft/words/ntt_fma_ranges.py has them so, exact fractions otherwise. Exits
with status 1 at the first claim that does not hold.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "fft/words"))
import ntt_fma_ranges as ntt  # noqa: E402
from ntt_fma_ranges import BACKWARD, EPS, FORWARD, HALF, PRIMES, Q_MAX, REDUCED, claim  # noqa: E402

LOG2_LENGTH = 24  # GFP_HYBRID_FMA_LOG2_LENGTH
BOUND_BITS = {2: 98, 3: 148, 4: 197}
R_MIN, R_MAX = 1 << 32, (1 << 64) - 1 - 0xFFFFF


def check_constants():
    engine = (HERE / "avx2.c").read_text()
    claim("bits[GFP_FMA_PRIMES + 1] = {0, 48, 98, 148, 197};" in engine, "bound_bits")
    header = (HERE / "fma.h").read_text()
    claim("GFP_HYBRID_FMA_LOG2_LENGTH (GFP_FMA_LOG2_ORDER + 2)" in header, "longest length")
    product = PRIMES[0]
    for n in (2, 3, 4):
        product *= PRIMES[n - 1]
        claim(BOUND_BITS[n] == product.bit_length() - 2, "floor(log2) less 1")


def check_digit_load():
    """x = high - 2^52 with |high| <= 2^63, a multiple of 2^32: 31 bits and one below are exact."""
    claim(((1 << 63) + (1 << 52)) >> 32 < 1 << 53, "high - 2^52 is a double")
    for q in PRIMES:
        x = Fraction((1 << 63) + (1 << 52), q)
        ntt.quotient_rounds(x * (1 + EPS) + 5, "digit")
        error = HALF + x * (EPS + EPS * (1 + EPS))
        claim((5 + error) * q <= 1 << 53, "x - f q is an integer of at most 53 bits")
        # x - f q + 2^52 + low = high + low - f q, and 2^52 - 5 q is small.
        rest = abs(Fraction(1 << 52, q) - 5) + error + Fraction(1 << 32, q)
        claim(rest <= Fraction(55, 100), f"a digit is loaded to {float(rest):.3f}")


def product(a, b, text):
    """product(): four products in an accumulator of last place 2^49."""
    total = 4 * a * b * Q_MAX * Q_MAX
    claim(total + 4 * (1 << 48) <= 1 << 100, f"{text}: the sum stays within 2^100")
    low = 4 * (1 << 48)
    claim(low < 1 << 53, f"{text}: the rests add up exactly")
    quotient = total / min(PRIMES)
    error = (1 + EPS) ** 2 - 1
    ntt.quotient_rounds(quotient * (1 + error), text)
    result = HALF + quotient * error
    ntt.exact(result + Fraction(low, min(PRIMES)), text + ": h - f q")
    claim(result <= Fraction(4, 5), f"{text}: {float(result):.3f} <= 0.8")
    return result


def check_base():
    b = ntt.mul(FORWARD)
    claim(max(b, ntt.mul(b)) <= Fraction(65, 100), "odd = 1: b and g b")
    product(ntt.reduce(FORWARD), Fraction(65, 100), "base")


def dft_3(v0, v):
    t = ntt.mul(2 * v)
    return v0 + 2 * v, v0 + v + t


def dft_5(v0, v):
    s = 2 * v
    return v0 + 2 * s, v0 + 4 * ntt.mul(s)


def check_base_odd():
    for odd, dft in ((3, dft_3), (5, dft_5)):
        power = HALF
        for _ in range(2, odd):
            power = max(power, ntt.mul_any(power, HALF))
        u0, u = dft(ntt.reduce(FORWARD), ntt.mul_any(FORWARD, power))
        u = max(u0, u)
        claim(u <= 4, "the odd DFT leaves at most 4")
        y = ntt.mul(u)
        g = ntt.mul(power)
        b = max(y, ntt.mul_any(y, max(g, power)))
        c = product(ntt.reduce(u), b, f"base, odd = {odd}")
        z0, z = dft(c, c)
        claim(max(ntt.reduce(z0), ntt.mul_any(z, power)) <= BACKWARD, "odd base: at most 1.25")


def garner(n):
    """Bounds of the mixed-radix digits in units of q; the last digit is the right one."""
    digits = [BACKWARD]
    for j in range(1, n):
        y = BACKWARD + sum(ntt.mul(x) for x in digits)
        if j >= 2 or j == n - 1:
            y = ntt.reduce(y)
            claim(y <= REDUCED, "a reduced mixed-radix digit")
        digits.append(y)
    claim(digits[0] <= Fraction(5, 4) and digits[1] <= Fraction(19, 10), "the first two digits")
    weight, low = 1, 0
    for j in range(n - 1):
        low += digits[j] * PRIMES[j] * weight
        weight *= PRIMES[j]
    top = Fraction(1 << BOUND_BITS[n]) + low  # of |c_n| weight
    claim(top / weight + digits[-1] * PRIMES[n - 1] < PRIMES[n - 1], f"{n} primes: the value next to 0")
    return digits


def mixed_digits(n, digits, limit):
    """Bounds of the mixed-radix digits as integers, for values up to limit: a reduced digit is
    next to 0 if the rest of the value is."""
    bounds, weights, low, weight = [], [], 0, 1
    for j in range(n):
        left = (limit + low) / weight
        bound = digits[j] * PRIMES[j]
        if j >= 2 or j == n - 1:
            bound = min(bound, left) if digits[j] <= REDUCED else bound
        bounds.append(bound)
        weights.append(weight)
        if j >= 2 and left < Fraction(PRIMES[j], 2) - 1:
            bounds += [Fraction(0)] * (n - 1 - j)
            for i in range(j, n - 1):
                weights.append(weights[-1] * PRIMES[i])
            break
        low += bound * weight
        weight *= PRIMES[j]
    return bounds, weights


def check_split(n, digits, r, k):
    where = f"r = {r:#x}, k = {k}, {n} primes"
    d = min(Fraction(r, 2) * (1 + Fraction(1, 1 << 20)), Fraction(1 << 63))
    limit = min((1 << LOG2_LENGTH) * k * d * d, Fraction(1 << BOUND_BITS[n]))
    log2_r = r.bit_length()
    g = max(LOG2_LENGTH + k.bit_length() - 1 + log2_r + 1, 102 - (log2_r - 1)) - 51
    claim(g >= 0, where + ": G is an integer")
    coarse = Fraction(1 << g)
    bounds, weights = mixed_digits(n, digits, limit)
    # The accumulated value: digits from j on, that is the value less the digits below.
    low = bounds[0]
    rest, error = bounds[0] / r * (1 + 2 * EPS), bounds[0] / r * 2 * EPS
    for j in range(1, n):
        partial = (limit + low) / r
        if bounds[j]:
            claim(partial + n * coarse <= (1 << 51) * coarse, where + ": the coarse sum")
        low += bounds[j] * weights[j]
        l = coarse / 2
        tail = bounds[j] * weights[j] / r * Fraction(1, 1 << 52)  # times weight_low
        error += l * EPS + (l + tail) * 2 * EPS + tail * Fraction(1, 1 << 52)
        rest += l + tail
        error += rest * EPS
    total = (limit + low) / r + n * coarse if n > 1 else 0
    total = min(total, (limit + bounds[0]) / r + n * coarse)
    # c = total / r rounded; total - c r.
    c = total / r + 1
    ntt.quotient_rounds(c, where + ": c")
    h = Fraction(r) * (HALF + c * 3 * EPS)
    cut = 1 << 11 if log2_r > 53 else 1
    grain, r_low = min(coarse, Fraction(cut)), r % cut
    h_high = h + c * r_low
    claim(h_high <= (1 << 53) * grain, where + ": total - c r_high is exact")
    claim(h_high <= 1 << 83 and grain >= 1, where + ": its multiple of 2^32")
    rest += c * r_low
    error += rest * EPS
    beyond = rest + 1  # h less h_high
    rest += 1 << 31
    error += 2 * rest * EPS
    ntt.quotient_rounds(rest, where + ": the lower half of h")
    check_balance(where, r, c, h_high + beyond, beyond, error)


def check_balance(where, r, c, h, beyond, error):
    claim(error <= Fraction(1, 8), where + f": the fraction's error is {float(error):.3g}")
    l = HALF + error
    off = error + beyond / r + 8 * EPS  # the ratio has h_high for h
    claim(off <= Fraction(1, 8), where + f": the ratio's error is {float(off):.3g}")
    total = l + (h + c) / r
    claim(total <= Fraction(3, 2) - off, where + ": the carry is -1, 0 or 1")
    near = HALF + off
    wrong = max(off, total - 1 + off)  # as large with the wrong sign
    claim((near - Fraction(1, 4)) * r + 1 < 1 << 63, where + ": |d| - r / 4")
    claim((wrong + Fraction(1, 4)) * r + 1 < 1 << 63, where + ": |d| - r / 4 with the other sign")
    claim(wrong < HALF, where + ": no correction with the other sign")
    last = Fraction(r, 2) + 1
    claim(last <= Fraction(r, 2) * (1 + Fraction(1, 1 << 20)), where + ": balanced")
    claim(last <= (1 << 63) - 1, where + ": fits int64_t")


def named_radices():
    text = (ROOT / "field/primes/named.inc").read_text()
    return [int(r, 16) for r in re.findall(r'", (0x[0-9a-f]+), \d+,', text)]


def main():
    ntt.check_primes()
    check_constants()
    check_digit_load()
    check_base()
    check_base_odd()
    radices = named_radices() + [R_MIN, R_MAX]
    claim(len(radices) > 2, "named radices")
    for e in range(33, 65):
        radices += [(1 << e) - 2, min((1 << e) - 2, R_MAX) // 3 * 2]
        radices += [1 << e, (1 << e) + 2] if e < 64 else []
    radices = [r for r in radices if R_MIN <= r <= R_MAX]
    for n in (2, 3, 4):
        digits = garner(n)
        for r in radices:
            for log2_k in range(1, 9):
                check_split(n, digits, r, 1 << log2_k)
    print(f"the leaf products' ranges hold for {len(radices)} radices")


if __name__ == "__main__":
    main()
