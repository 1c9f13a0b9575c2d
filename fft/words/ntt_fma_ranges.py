#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Interval proof of the double-precision transforms: ntt_fma.h, ntt_fma_vec.h.

Residues are integers held in doubles; bounds are multiples of q, as exact fractions. The passes are
read from the C source, operation by operation. Exits with status 1 at the first claim that does not
hold. crt/hybrid/leaf/fma_ranges.py goes on from here.
"""
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
HALF = Fraction(1, 2)
EPS = Fraction(1, 1 << 53)  # one rounding to nearest, relative
FORWARD = Fraction(5, 2)
BACKWARD = Fraction(5, 4)
REDUCED = HALF + Fraction(1, 1 << 49)


def claim(condition, text):
    if not condition:
        sys.exit(f"FALSE: {text}")


def primes():
    text = (HERE / "ntt_fma_tables_avx2.c").read_text()
    return [int(x, 16) for x in re.findall(r"UINT64_C\((0x[0-9a-f]+)\)", text)]


def is_prime(n):
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # enough below 2^64
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in bases:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        if not any((x := x * x % n) == n - 1 for _ in range(s - 1)):
            return False
    return True


PRIMES = primes()
Q_MAX = max(PRIMES)
Q_MIN = min(PRIMES)


def quotient_rounds(bound, text):
    """Adding 1.5 2^52 rounds to an integer: the sum stays in [2^52, 2^53]."""
    claim(bound <= 1 << 51, f"{text}: quotient {float(bound):.3g} rounds by the magic number")


def exact(bound, text):
    claim(bound * Q_MAX <= 1 << 53, f"{text}: an integer of at most 53 bits")


def mul(x, text="product"):
    """x root: the quotient is x root / q (1 + EPS), rounded to an integer; h = x root (1 + EPS)."""
    exact(x, text)
    product = x * HALF  # of q^2
    quotient_rounds(product * Q_MAX * (1 + EPS), text)
    result = HALF + product * Q_MAX * EPS
    exact(result + product * Q_MAX * EPS, text + ", h - f q")
    exact(result, text)
    return result


def mul_any(x, y, text="product of two"):
    """The quotient is h / q with three roundings: of h, of 1 / q, and to an integer."""
    exact(x, text)
    exact(y, text)
    product = x * y
    error = (1 + EPS) ** 2 - 1
    quotient_rounds(product * Q_MAX * (1 + error), text)
    result = HALF + product * Q_MAX * error
    exact(result + product * Q_MAX * EPS, text + ", h - f q")
    return result


def reduce(x, text="reduction"):
    exact(x, text)
    quotient_rounds(x * (1 + EPS), text)
    return HALF + x * EPS


def run_pass(source, name, bound):
    """The bounds of the values that the pass stores, given the bound of those that it loads."""
    body = re.search(rf"static inline void {name}\(.*?\n}}\n", source, re.S).group(0)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    v, stored = {}, {}
    statements = [" ".join(s.split()) for s in body[body.index("{") + 1 :].split(";")]
    for s in statements:
        if m := re.match(r"__m256d (v\d) = gfp_fma_reduce\(&c, _mm256_load_pd\(x\)\)", s):
            v[m[1]] = reduce(bound)
        elif m := re.match(r"__m256d (v\d) = _mm256_load_pd\(x", s):
            v[m[1]] = bound
        elif m := re.match(r"(v\d) = gfp_fma_reduce\(&c, \1\)", s):
            v[m[1]] = reduce(v[m[1]])
        elif m := re.match(r"gfp_fma_butterfly\(&c, &(v\d), &(v\d), ", s):
            t = mul(v[m[2]], name)
            v[m[1]] = v[m[2]] = v[m[1]] + t
        elif m := re.match(r"gfp_fma_butterfly_back\(&c, &(v\d), &(v\d), ", s):
            total = v[m[1]] + v[m[2]]
            v[m[1]], v[m[2]] = total, mul(total, name)
        elif m := re.match(r"_mm256_store_pd\(z.*, gfp_fma_reduce\(&c, (v\d)\)\)", s):
            stored[m[1]] = reduce(v[m[1]])
        elif m := re.match(r"_mm256_store_pd\(z.*, (v\d)\)", s):
            stored[m[1]] = v[m[1]]
        else:
            claim(re.match(r"gfp_fma_constants c =|const gfp_fma_root \*|}|$", s), f"unread: {s}")
        for x in v.values():
            exact(x, name)
    claim(len(stored) == int(name[-1]) == len(v), f"{name} stores every vector")
    return max(stored.values())


def check_primes():
    claim(len(PRIMES) == 4 and all(map(is_prime, PRIMES)), "four primes")
    for q in PRIMES:
        claim((q - 1) % (15 << 22) == 0, "roots of order 2^22, 3 and 5")
        claim(Fraction(793, 1000) * 2**50 < q < Fraction(794, 1000) * 2**50, "0.793 .. 0.794 2^50")


def main():
    check_primes()
    claim(mul(Fraction(5)) <= HALF + Fraction(5, 100) * 5, "product of at most 5 by a root")
    claim(mul_any(Fraction(5), HALF) <= 1, "product of two, |x y| <= 5 / 2: 1/2 + 0.2 |x y|")
    claim(reduce(Fraction(1 << 53, Q_MIN).limit_denominator(1)) <= REDUCED, "reduction")
    source = (HERE / "ntt_fma_vec.h").read_text()
    for n in (2, 4, 8):
        out = run_pass(source, f"gfp_fma_forward{n}", FORWARD)
        claim(out <= FORWARD, f"forward pass of {n}: {float(out):.3f} <= 2.5")
        out = run_pass(source, f"gfp_fma_backward{n}", BACKWARD)
        claim(out <= BACKWARD, f"backward pass of {n}: {float(out):.3f} <= 1.25")
    print("the transforms' ranges hold")


if __name__ == "__main__":
    main()
