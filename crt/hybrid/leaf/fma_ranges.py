#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the hybrid method's AVX2 engine: the sources fma_*_avx2.c and avx2.c.

It proves that digits are loaded, multiplied modulo x^4 - g, and recombined from up to four primes within the bounds of
the comments, and that a coefficient's digits in radix r come out balanced, for named radices, the ends of what is
served, those next to powers of 2, and sparse ones. Bounds are multiples of q where fft/words/ntt_fma_ranges.py has them so, exact
fractions otherwise.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "fft/words")]
import ntt_fma_ranges as ntt  # noqa: E402
from claims import all_hold, claim, constant, digit_counts, radices, says, source, table  # noqa: E402
from ntt_fma_ranges import BACKWARD, EPS, HALF, PRIMES, Q_MAX, REDUCED  # noqa: E402

ENGINE = "crt/hybrid/leaf/avx2.c"
PASSES, VECTORS = "fft/words/ntt_fma_avx2.c", "fft/words/ntt_fma_vec.h"
MOST = Fraction(415, 100)  # of a transform
LOG2_LENGTH = constant("crt/hybrid/leaf/fma.h", "GFP_HYBRID_FMA_LOG2_LENGTH")
BOUND_BITS = table(ENGINE, "bits")
# Lanes serve radices beyond those of the outer DFT; the ranges hold there, too.
R_MIN, R_MAX = constant("field/base/kernels.h", "GFP_FAST_R_MIN"), constant("field/base/lanes.h", "GFP_LANES_R_MAX")


def check_constants():
    says(ENGINE, "r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX")
    claim(constant("fft/outer/dft.h", "GFP_OUTER_R_MAX") <= R_MAX, "every radix served is one of these")
    claim(len(BOUND_BITS) == 5, "bounds for up to four primes")
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


def times_root(x):
    claim(x <= 5, f"what roots are multiplied by is at most {float(x):.3f}")
    return ntt.mul(x)


def pass_of(x, levels, reduce):
    """Bounds after a pass of this many levels. With `reduce` the vector that is never multiplied is reduced first; all
    outputs of the pass are this one and a product for each level."""
    first = ntt.reduce(x) if reduce else x
    for _ in range(levels):
        t = times_root(x)
        first, x = first + t, x + t
    return first


def check_depths():
    """The bounds that gfp_fma_forward counts levels for, and those of its passes for every number of levels."""
    start, most = constant(PASSES, "FIRST_DEPTH"), constant(PASSES, "MOST_DEPTH")
    text = re.search(r"\|x\| is at most ([^a-z]*) after 0 to (\d)", source(PASSES))
    stated = [Fraction(number) for number in re.findall(r"\d\.\d+", text[1])]
    claim(len(stated) == int(text[2]) + 1 == most + 1 and stated[-1] == MOST, "a bound for each depth")
    bound = stated[0]
    for depth in range(most + 1):
        claim(bound <= stated[depth], f"{depth} levels after a reduction: {float(bound):.3f}")
        claim(bound + ntt.mul(bound) <= Fraction(105, 100) * bound + HALF, "a level takes b to 1.05 b + 0.5")
        bound = Fraction(105, 100) * bound + HALF
    says(PASSES, "const bool reduce = depth + bits > MOST_DEPTH; depth = reduce ? bits + 1 : depth + bits;")
    says(VECTORS, "return levels == 1 ? 1 : levels % 2 == 0 ? 2 : 3;")
    for all_levels in range(1, LOG2_LENGTH + 1):
        levels, depth, x = all_levels, start, stated[start]
        while levels:
            bits = 1 if levels == 1 else 2 if levels % 2 == 0 else 3
            levels -= bits
            reduce = depth + bits > most
            claim(not reduce or bits > 1, "a pass of one level does not reduce")
            claim(not reduce or x <= (MOST if bits == 2 else stated[most - 1]), "the input of a pass that reduces")
            depth, x = bits + 1 if reduce else depth + bits, pass_of(x, bits, reduce)
            claim(not reduce or x <= stated[start], "the output of a pass that reduces")
        claim(x <= MOST, f"{all_levels} levels: at most {float(x):.3f}")


def check_evaluation():
    """Digits of at most 0.55 go through log2(k) levels; the last pass, of two levels, reduces from REDUCED_LOG2 on."""
    reduced = constant(ENGINE, "REDUCED_LOG2")
    for k in digit_counts():
        levels = k.bit_length() - 1
        free = levels - 2 if levels >= reduced else levels
        x = Fraction(55, 100)
        x = pass_of(x, free, False)
        x = pass_of(x, levels - free, True) if free < levels else x
        claim(x <= Fraction(283, 100), f"k = {k}: channels of at most {float(x):.3f}")


def product(a, b, z, text):
    """gfp_fma_mul_4 and its reduction with z: two products in each accumulator of last place 2^49."""
    total = 4 * a * b * Q_MAX * Q_MAX
    claim(total / 2 + 2 * (1 << 48) <= 1 << 100, f"{text}: the sums of two stay within 2^100")
    claim(total + 4 * (1 << 48) <= 1 << 102, f"{text}: their sum, a multiple of 2^49, is exact")
    low = 4 * (1 << 48) + z * Q_MAX
    claim(low < 1 << 53, f"{text}: the rests add up exactly")
    quotient = (total + z * Q_MAX) / min(PRIMES)
    error = (1 + EPS) ** 2 - 1
    ntt.quotient_rounds(quotient * (1 + error), text)
    result = HALF + quotient * error
    ntt.exact(result + Fraction(low, 1) / min(PRIMES), text + ": h - f q")
    claim(result <= Fraction(4, 5), f"{text}: {float(result):.3f} <= 0.8")
    return result


def check_base():
    factor = Fraction(75, 100)
    split = MOST + times_root(MOST)  # with 8 lanes: the last level, between halves
    claim(split <= Fraction(486, 100) and times_root(split) <= factor, "the second factor b")
    claim(times_root(factor) <= factor, "g b")
    result = product(ntt.reduce(Fraction(1 << 53, Q_MAX)), factor, BACKWARD, "base")
    claim(times_root(2 * result) <= Fraction(6, 10), "halves joined")


def check_matrices():
    """fma_matrix_avx2.c: the products, the sums of their bits, and the residues of these."""
    terms = constant("fft/words/ntt48.h", "GFP_PANEL_TERMS")
    right = Fraction(283, 100)
    left = times_root(right)
    claim(left <= Fraction(65, 100), f"left factors of at most {float(left):.3f}")
    product = left * right * Q_MAX * Q_MAX
    claim(product <= 1 << 101, "3 2^101 + x y is within [2^102, 2^103), a multiple of 2^50")
    h = int(product / (1 << 50)) + 1
    claim(h + 6 < 1 << 53, "3 2^51 - 2^50 h is exact")
    claim((6 << 50) - (1 << 49) >= 1 << 52 and (6 << 50) + (1 << 49) < 1 << 53, "3 2^51 + l is exact")
    claim(terms * h < 1 << 60 and terms << 49 < 1 << 60, "the sums with their bias are in [0, 2^61)")
    halves = [Fraction(1 << 29, Q_MAX), Fraction(1 << 32, Q_MAX), Fraction(1 << 29, Q_MAX)]
    total = sum(times_root(x) for x in halves) + Fraction(1 << 32, Q_MAX) + HALF + Fraction(4, 5)
    claim(total * Q_MAX < 1 << 53, "the sum to be reduced is exact")
    claim(ntt.reduce(total) <= Fraction(4, 5), "c is at most 0.8")


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


def main():
    ntt.check_primes()
    check_constants()
    check_digit_load()
    check_depths()
    check_evaluation()
    check_base()
    check_matrices()
    cases = radices(R_MIN, R_MAX, 1 << 53)
    for n in (2, 3, 4):
        digits = garner(n)
        for r in cases:
            for k in digit_counts():
                check_split(n, digits, r, k)
    all_hold(f"{len(cases)} radices")


if __name__ == "__main__":
    main()
