#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Writes primes.inc next to this file: the greatest primes q = j 2^24 + 1 below 2^50, as the
differences from one j to the next, the first one from 2^26. With --check: compares, writes nothing.
"""
import os
import sys

COUNT = 4096
HEAD = """/* crt/blocks/primes.inc: the {count} greatest primes q = j 2^24 + 1 below 2^50, in descending order, as
 * differences from one j to the next; the first one is from 2^26. Written by crt/blocks/primes.py.
 * tests/crt/blocks/basis.c finds the primes again independently and compares.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
"""


def strong_probable_prime(n, base):
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    x = pow(base, odd, n)
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


def is_prime(n):
    """Deterministic below 3.3 10^24 (Sorenson, Webster 2015)."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    for base in bases:
        if n % base == 0:
            return n == base
    return all(strong_probable_prime(n, base) for base in bases)


def text():
    differences = []
    last = j = 1 << 26
    while len(differences) < COUNT:
        j -= 1
        if is_prime((j << 24) + 1):
            differences.append(last - j)
            last = j
    assert max(differences) < 256
    lines, line = [], "   "
    for difference in differences:
        word = " %d," % difference
        if len(line) + len(word) > 100:
            lines.append(line)
            line = "   "
        line += word
    return HEAD.format(count=COUNT) + "\n".join(lines + [line]) + "\n"


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "primes.inc")
    if "--check" in sys.argv[1:]:
        with open(path, encoding="ascii") as file:
            return 0 if file.read() == text() else "primes.inc differs from the primes found"
    with open(path, "w", encoding="ascii") as file:
        file.write(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
