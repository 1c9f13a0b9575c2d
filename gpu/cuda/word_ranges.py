#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the ranges of the device's arithmetic modulo word-size primes (word_arith.h) and of
its transforms in registers (word_dft.h).

It proves that sums, products and quotients of residues fit half words, words and doubles, and that one correction makes
them canonical, with exact numbers, for the greatest q that a ring admits. It reads from the source which words ring50
reduces, and follows the bounds of words through whole passes until they repeat.
"""
import re
import sys
from fractions import Fraction as F
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/lab"))
from claims import all_hold, claim, source  # noqa: E402

U = F(1, 1 << 53)  # unit roundoff of double
SOURCES = ["gpu/cuda/word_arith.h"]  # of rings


def ring_bits(name):
    """The ring's own number of bits, or that of its base ring."""
    text = "".join(map(source, SOURCES))
    body = re.search(rf"struct {name} (?:: (\w+) )?\{{(.*?)\n\}};", text, re.S)
    bits = re.search(r"constexpr int bits = (\d+);", body.group(2))
    return int(bits.group(1)) if bits else ring_bits(body.group(1))


def top(bits):
    """An upper bound of the primes below 2^bits."""
    return (1 << bits) - 1


# ---- half words: residues in [0, q) ----

def check_half_words(name, times):
    """sum, difference, and products of differences; times(x) bounds the product before its last step."""
    q = top(ring_bits(name))
    claim(2 * (q - 1) < 1 << 32, f"{name}: a sum is a half word")
    # least(s, s - q) is right for s < 2q: if s < q, s - q wraps to more than s.
    claim((1 << 32) - q >= q, f"{name}: below q, s - q wraps beyond s")
    wide = q - 1 + q  # x - y + q
    claim(wide < 1 << 32, f"{name}: a difference is a half word")
    claim(times(q, wide) < 2 * q, f"{name}: a product of a difference")


def check_montgomery31():
    q = top(ring_bits("ring31"))
    x = (1 << 32) - 1  # any half word

    def times(q, x):
        return F(x * (q - 1) + ((1 << 32) - 1) * q, 1 << 32)

    claim(x * (q - 1) + ((1 << 32) - 1) * q < 1 << 64, "ring31: no overflow")
    claim(times(q, x) < 2 * q, "ring31: any half word times a constant")
    check_half_words("ring31", times)


# ---- words: residues in [0, 2q) ----

def check_words():
    q = top(ring_bits("ring62"))
    claim(4 * q <= 1 << 64, "ring62: sums and differences are words")
    claim((1 << 64) - 2 * q >= 2 * q, "ring62: below 2q, s - 2q wraps beyond s")
    for x, w in ((4 * q - 1, q - 1), (2 * q - 1, 2 * q - 1)):
        claim(F(x * w + top(64) * q, 1 << 64) < 2 * q, "ring62: a product is below 2q")
    claim(F((2 * q) ** 2 + top(64) * q, 1 << 64) < 2 * q, "ring62: a product of two words")


# ---- doubles ----

def reduced_slots(direction):
    """{(b, level): slots} from the source."""
    text = source("gpu/cuda/word_dft.h")
    body = re.search(rf"unsigned {direction}_reduced\(.*?\n\}}", text, re.S).group(0)
    rows = re.findall(r"b == (\d+) && level == (\d+)\s*\? (0x[0-9a-f]+)", body)
    claim(rows, f"the slots that {direction} reduces")
    return {(int(b), int(level)): [s for s in range(1 << int(b)) if int(mask, 16) >> s & 1]
            for b, level, mask in rows}


class Doubles:
    """Bounds of absolute values, in units of q."""

    def __init__(self):
        self.q = 1 << ring_bits("ring50")
        self.wide = F((1 << 53), self.q)  # integers below are exact
        self.half = F(1, 2)  # of constants
        self.reduced = {d: reduced_slots(d) for d in ("forward", "backward")}

    def exact(self, x):
        claim(x < self.wide, "ring50: integers stay below 2^53")
        return x

    def quotient(self, x):
        """The error of quotient(), in units of q, for a double x; x / q < 2^51."""
        claim(x * (1 + U) ** 2 < 1 << 51, "ring50: quotients stay below 2^51")
        return self.half + x * U * (1 + U)

    def reduce(self, x):
        return self.exact(self.quotient(self.exact(x)))

    def mul(self, x, w):
        """high = x w rounded, low the rest: high - t q is exact, and so is its sum with low."""
        product = self.exact(x) * w * self.q  # in units of q
        low = product * U
        first = self.exact(self.quotient(product + low))
        return self.exact(first + low)

    def settle(self, x, direction, b, level):
        for s in self.reduced[direction].get((b, level), ()):
            x[s] = self.reduce(x[s])

    def forward(self, b, bound):
        x = [bound] * (1 << b)
        for level in range(b):
            self.settle(x, "forward", b, level)
            h = 1 << (b - 1 - level)
            for j in range(1 << (b - 1)):
                i = j % h
                at = j // h * 2 * h + i
                s = self.exact(x[at] + x[at + h])
                x[at], x[at + h] = s, s if i == 0 else self.mul(s, self.half)
        return max(x)

    def backward(self, b, bound):
        x = [bound] * (1 << b)
        for level in reversed(range(b)):
            self.settle(x, "backward", b, level)
            h = 1 << (b - 1 - level)
            for j in range(1 << (b - 1)):
                i = j % h
                at = j // h * 2 * h + i
                t = x[at + h] if i == 0 else self.mul(x[at + h], self.half)
                x[at] = x[at + h] = self.exact(x[at] + t)
        return max(x)

    def progression(self):
        """Constants of a progression: products of constants, and of such products."""
        c = F(587, 1000)
        claim(self.half <= c and self.mul(c, c) <= c, "ring50: the constants of a progression are bounded")
        return c

    def check_passes(self):
        """The input of a DFT is a product, by a constant or a member of a progression, or a reduced word; its
        output is multiplied in the same way, reduced, or the result of the transform."""
        step = self.progression()
        for dft in (self.forward, self.backward):
            bound = F(998, 1000)
            for b in (1, 2, 3, 4):
                out = dft(b, bound)
                claim(self.mul(out, self.half) <= bound, f"ring50: 2^{b} points, constants")
                claim(self.mul(out, step) <= bound, f"ring50: 2^{b} points, progressions")
                claim(self.reduce(out) <= bound, f"ring50: 2^{b} points, reduced")
        # enter: x < q is an exact double; leave: y + q and 2^52 + y are exact.
        claim(self.reduce(F(1)) <= F(998, 1000), "ring50: what enters")
        claim(self.reduce(self.wide / 2) < 1, "ring50: one correction makes it canonical")
        claim(self.q < 1 << 52, "ring50: residues are integers below 2^52")


def main():
    check_montgomery31()
    check_words()
    Doubles().check_passes()
    all_hold()


if __name__ == "__main__":
    main()
