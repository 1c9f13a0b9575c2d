#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Proof of the lazy ranges of the outer DFT (body.inc) and of the quotients in lanes (lanes_*.h).

It proves that quotients in lanes, of vector levels and portable ones, are right but for the errors that the comments
state, so that digits come out balanced forwards and in [0, r] backwards, for every number of leaves and for named
radices, the ends of what is served and of each case, those next to powers of 2, and sparse ones.
tests/fft/outer/checked.c checks the intervals of the sums in the code itself.
"""
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import WORD, all_hold, claim, constant, digit_counts, expression, radices  # noqa: E402

BODY = "fft/outer/body.inc"
FAST_MIN, OUTER_MAX = constant("field/base/kernels.h", "GFP_FAST_R_MIN"), constant("fft/outer/dft.h", "GFP_OUTER_R_MAX")
RADIX = constant(BODY, "MAX_RADIX")
BIAS = constant(BODY, "REMAINDER_BIAS")
MAX_K = digit_counts()[-1]
PRECISE = [expression(f"field/kernels/lanes_{level}.h", r"return (r < \(uint64_t\)1 << \d+ \|\|[^;]*);")
           for level in ("avx2", "avx512")]


def precise(r):
    """Whether the vector levels take the dividend's fraction, too."""
    claim(PRECISE[0](r=r) == PRECISE[1](r=r), f"r = {r:x}: both levels are as precise")
    return PRECISE[0](r=r)


def nodes(leaves):
    """Sizes of the full nodes that the first leaves form."""
    return [1 << b for b in reversed(range(leaves.bit_length())) if leaves >> b & 1]


def inverse_growth(leaves):
    """(factor, log2_scale) of the result of join_by_loops, in units of its input."""
    sizes = nodes(leaves)
    blocks = [sizes[0]] * sizes[0]  # bounds of the blocks, times the scale
    scale = log2_scale = sizes[0].bit_length() - 1
    for a, size in enumerate(sizes[1:], 1):
        up = 1 << (log2_scale - (size.bit_length() - 1))
        h = []
        for u in range(size):
            residue = sum(blocks[i] for i in range(u, len(blocks), size))
            h.append(size * up + residue)
        blocks = [b << a for b in blocks]
        claim(len(blocks) == sum(sizes[:a]), "blocks of the nodes so far")
        for subset in range((1 << a) - 1):
            to = sum(sizes[i] for i in range(a) if subset >> i & 1)
            for u in range(size):
                blocks[to + u] += h[u]
        blocks += h
        log2_scale += a
    return max(blocks), log2_scale


def float_error(x):
    """Half a unit in the last place of doubles below x."""
    return Fraction(1 << max(0, int(x).bit_length()), 1 << 53)


def quotient_errors(r, most, is_precise):
    """Errors of lanes_quotient(_floor) of the vector levels, in x: below and above, for |x| <= most r. The
    dividend in doubles is x / 2^32, with or without its fraction, times the rounded inverse (two
    roundings: r and the quotient). The sum with the magic number rounds once: this rounding is the
    intended one."""
    relative = 2 * Fraction(1, 1 << 53) + Fraction(1, 1 << 105)
    dropped = 0 if is_precise else 1 << 32
    dividend = 0
    if is_precise:
        dividend = float_error(Fraction(most * r, 1 << 32)) * (1 << 32)
    slack = most * r * relative + dividend
    # AVX2 rounds a value below most in doubles once more, and adds 2^-40.
    slack += (float_error(most) + Fraction(1, 1 << 40)) * r
    return slack + dropped, slack


def check_forward(r):
    """Balanced digits from sums of RADIX canonical (digits <= r) or balanced digits."""
    words = RADIX << 32
    claim(words <= 1 << 36, "forward words")
    below, above = quotient_errors(r, RADIX, precise(r))
    error = max(below, above)
    claim(error <= (1 << 33) - 64, "error of a quotient")
    carry = RADIX + 1
    largest = Fraction(r, 2) + error + carry
    claim(largest <= Fraction(r, 2) * (1 + Fraction(1, 1 << 20)), f"r = {r:x}: balanced digits")
    claim(largest <= (1 << 63) - 1, f"r = {r:x}: balanced digits fit")


def check_inverse(r, factor, log2_scale):
    """Digits from factor times balanced ones: words, the quotient, the remainder, the digit."""
    digit = min(Fraction(r, 2) * (1 + Fraction(1, 1 << 20)), (1 << 63) - 1)
    claim(factor << 32 < 1 << 46, "inverse words")
    most = factor * digit / r
    claim(most < 1 << 13, "inverse: |x| < 2^13 r")
    most = int(most) + 1
    claim((factor << 33) < 1 << 51, "the dividend is exact in doubles")
    below, above = quotient_errors(r, most, precise(r))
    claim(above < BIAS, f"r = {r:x}: x - q r > -2^26")
    greatest = r + below + BIAS
    claim(greatest < WORD, f"r = {r:x}: a biased remainder fits a word")
    quotient = most + 2
    claim(quotient < 1 << 31, "quotients fit 32 bits")
    # Rounds below the top one multiply by up to 2 MAX_K / RADIX more.
    for shift in range(log2_scale + (2 * MAX_K // RADIX).bit_length()):
        carry = ((quotient + (1 << shift)) >> shift) + 1
        # e / 2^shift + g r / 2^shift, g < 2^shift, and a carry; e in [-above, r + below].
        low = -(BIAS >> shift) - 1 - carry
        high = Fraction(r + below, 1 << shift) + r - Fraction(r, 1 << shift) + carry
        claim(low - 1 >= -2 * BIAS, "digits below 0 are recognised")
        claim(high + 1 < WORD - 2 * BIAS, f"r = {r:x}: digits above r are not mistaken for negative ones")
        claim(high + 1 < 2 * r and low - 1 + r >= 0, f"r = {r:x}: one r mends a digit")


def check_portable(r):
    """lanes_scaled_quotient: integers only."""
    bits = r.bit_length()
    drop = max(0, bits - 49)
    inverse = (1 << (bits + 61)) // r
    rest = bits - 3 - drop
    most = 1 << 13
    claim(inverse <= 1 << 62 and rest >= 29, "portable inverse")
    claim(most * r >> drop <= 1 << 62, "portable dividend")
    # In x: the dropped bits, the inverse's fraction, the product's lower word.
    top = (most * r >> drop) + 1
    error = (1 << drop) + Fraction(top * r, 1 << (bits + 61 - drop)) + Fraction(r, 1 << rest)
    claim(error < BIAS, f"r = {r:x}: portable quotient")
    claim(r < 1 << 32 or error + 17 <= Fraction(r, 1 << 21), f"r = {r:x}: portable balanced digits")
    claim(Fraction(r, 2) + error + 17 <= (1 << 63) - 1, f"r = {r:x}: portable balanced digits fit")
    claim(r + error + BIAS < WORD, f"r = {r:x}: portable biased remainder")


def main():
    growth = [inverse_growth(leaves) for leaves in range(1, RADIX + 1)]
    cases = radices(FAST_MIN, OUTER_MAX, 1 << 49, 1 << 54, WORD - 1 - (1 << 34))
    for r in cases:
        check_forward(r)
        check_portable(r)
        for factor, log2_scale in growth:
            check_inverse(r, factor, log2_scale)
    all_hold(f"{len(cases)} radices")


if __name__ == "__main__":
    main()
