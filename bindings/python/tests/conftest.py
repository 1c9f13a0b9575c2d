# What the tests share: fields, and polynomials by plain Python.
# SPDX-License-Identifier: LGPL-3.0-or-later
import random

import pytest

from gfpoly import Field

FIELDS = ["p2", "p4", "p8", "p16", "257", "m8", "30^32+1"]


@pytest.fixture(params=FIELDS)
def F(request):
    return Field(request.param)


@pytest.fixture
def rng():
    return random.Random(20)


def flint_or_skip():
    """python-flint, of a version that tells the modulus of a polynomial."""
    flint = pytest.importorskip("flint")
    if not hasattr(flint.fmpz_mod_poly, "modulus"):
        pytest.skip("this version of python-flint is too old")
    return flint


class Lab:
    """Lists of integers modulo p, by the definition."""

    def __init__(self, p):
        self.p = p

    def trim(self, a):
        a = [c % self.p for c in a]
        while a and a[-1] == 0:
            a.pop()
        return a

    def add(self, a, b, sign=1):
        n = max(len(a), len(b))
        a, b = a + [0] * (n - len(a)), b + [0] * (n - len(b))
        return self.trim([x + sign * y for x, y in zip(a, b)])

    def mul(self, a, b):
        c = [0] * max(len(a) + len(b) - 1, 0)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                c[i + j] += x * y
        return self.trim(c)

    def divmod(self, a, b):
        a, b = self.trim(a), self.trim(b)
        q = [0] * max(len(a) - len(b) + 1, 0)
        inverse = pow(b[-1], -1, self.p)
        while len(a) >= len(b):
            i = len(a) - len(b)
            q[i] = a[-1] * inverse % self.p
            a = self.add(a, self.mul([0] * i + [q[i]], b), -1)
        return self.trim(q), a

    def gcd(self, a, b):
        a, b = self.trim(a), self.trim(b)
        while b:
            a, b = b, self.divmod(a, b)[1]
        return self.mul(a, [pow(a[-1], -1, self.p)]) if a else a

    def value(self, a, x):
        y = 0
        for c in reversed(a):
            y = (y * x + c) % self.p
        return y

    def resultant(self, a, b):
        """By Euclid's algorithm."""
        a, b = self.trim(a), self.trim(b)
        if not a or not b:
            return 0
        result = 1
        while len(b) > 1:
            r = self.divmod(a, b)[1]
            if not r:
                return 0
            m, n = len(a) - 1, len(b) - 1
            result = result * pow(b[-1], m - (len(r) - 1), self.p) * (-1) ** (m * n) % self.p
            a, b = b, r
        return result * pow(b[0], len(a) - 1, self.p) % self.p

    def draw(self, rng, n):
        """Random coefficients, and extreme ones."""
        extreme = [0, 1, self.p - 1, self.p - 2, self.p >> 1]
        kind = rng.randrange(3)
        return [
            rng.choice(extreme) if kind == 0 or (kind == 1 and rng.random() < 0.5)
            else rng.randrange(self.p)
            for _ in range(n)
        ]


@pytest.fixture
def lab(F):
    return Lab(F.p)
