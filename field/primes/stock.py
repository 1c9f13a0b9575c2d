#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Writes stock.inc next to this file: for each k the greatest primes p = r^k + 1 with
r = 2^63 - j 2^36 that have no name, with the base a that proves each by Proth's theorem: 2^(36 k) >
sqrt(p) divides p - 1, and a^((p-1)/2) = -1. With --check [K ...]: searches again for the given k
(none: all) and compares, writes nothing. GMP computes the powers: about 20 minutes, nearly all for
k = 64 and 128.
"""
import ctypes
import os
import sys

COUNT = {4: 256, 8: 256, 16: 256, 32: 128, 64: 128, 128: 32}
TOP, SHIFT = 63, 36
NAMED = {(64, 1 << (40 - SHIFT))}  # (k, j) of the named primes among them, which are left out: p64
WINDOW = 1 << 15  # candidates that are sieved at once
HEAD = """/* field/primes/stock.inc: the primes in stock (stock.c): for each k the greatest p = r^k + 1 with
 * r = 2^63 - j 2^36 that have no name, by rising j, as {difference of j to the one before, first to
 * 0; base a of Proth's proof, a^((p-1)/2) = -1}. Written by field/primes/stock.py; tests/field/primes/stock.c
 * checks all proofs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
"""


class Mpz(ctypes.Structure):
    _fields_ = [("alloc", ctypes.c_int), ("size", ctypes.c_int), ("limbs", ctypes.c_void_p)]


GMP = ctypes.CDLL("libgmp.so.10")


def mpz(value):
    z = Mpz()
    GMP.__gmpz_init_set_str(ctypes.byref(z), b"%x" % value, 16)
    return z


def is_minus_one(a, exponent, p):
    """Whether a^exponent = -1 modulo p."""
    x, e, m, minus = mpz(a), mpz(exponent), mpz(p), mpz(p - 1)
    GMP.__gmpz_powm(ctypes.byref(x), ctypes.byref(x), ctypes.byref(e), ctypes.byref(m))
    equal = GMP.__gmpz_cmp(ctypes.byref(x), ctypes.byref(minus)) == 0
    for z in (x, e, m, minus):
        GMP.__gmpz_clear(ctypes.byref(z))
    return equal


def small_primes(bound):
    sieve = bytearray([1]) * bound
    sieve[:2] = b"\0\0"
    for d in range(2, int(bound**0.5) + 1):
        if sieve[d]:
            sieve[d * d :: d] = bytes(len(range(d * d, bound, d)))
    return [q for q in range(bound) if sieve[q]]


def roots(q, k):
    """All x with x^k = -1 modulo the prime q = 1 mod 2k."""
    g = 2
    while pow(g, (q - 1) // 2, q) != q - 1:
        g += 1
    x = pow(g, (q - 1) // (2 * k), q)
    square, found = x * x % q, []
    for _ in range(k):
        found.append(x)
        x = x * square % q
    return found


def residues(k, primes):
    """(q, j) for every j modulo q that makes q divide (2^63 - j 2^36)^k + 1."""
    for q in primes:
        if q % (2 * k) == 1:
            inverse, top = pow(1 << SHIFT, -1, q), pow(2, TOP, q)
            for x in roots(q, k):
                yield q, (top - x) * inverse % q


def candidates(k, primes):
    """The j whose numbers have no small factor, in order."""
    strikes, start = list(residues(k, primes)), 0
    while True:
        left = bytearray([1]) * WINDOW
        for q, j in strikes:
            first = (j - start) % q
            if first < WINDOW:
                left[first::q] = bytes(len(range(first, WINDOW, q)))
        for i in range(WINDOW):
            if left[i] and start + i > 0 and (k, start + i) not in NAMED:
                yield start + i
        start += WINDOW


def base_of(p, odd_primes):
    """The least odd prime of which p, and which of p, is a non-residue (p = 1 mod 4)."""
    return next(a for a in odd_primes if pow(p, (a - 1) // 2, a) == a - 1)


def stock(k, primes):
    rows, last = [], 0
    for j in candidates(k, primes):
        p = ((1 << TOP) - (j << SHIFT)) ** k + 1
        base = base_of(p, primes[1:])
        if is_minus_one(base, (p - 1) // 2, p):
            assert p.bit_length() == TOP * k and j - last < 1 << 16 and base < 256
            rows.append((j - last, base))
            last = j
            if len(rows) == COUNT[k]:
                return rows


def text(k, rows):
    lines, line = [], "   "
    for row in rows:
        word = " {%d, %d}," % row
        if len(line) + len(word) > 100:
            lines.append(line)
            line = "   "
        line += word
    return "/* k = %d: %d primes */\n" % (k, len(rows)) + "\n".join(lines + [line]) + "\n"


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stock.inc")
    primes = small_primes(1 << 22)
    if sys.argv[1:2] == ["--check"]:
        with open(path, encoding="ascii") as file:
            old = file.read()
        for k in [int(argument) for argument in sys.argv[2:]] or COUNT:
            if text(k, stock(k, primes)) not in old:
                return "stock.inc differs from the primes found for k = %d" % k
        return 0
    new = HEAD + "".join(text(k, stock(k, primes)) for k in COUNT)
    with open(path, "w", encoding="ascii") as file:
        file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
