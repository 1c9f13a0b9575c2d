# python_flint.py: python-flint's wheel, which brings a FLINT of its own, with libgfpoly_flint.so in LD_PRELOAD;
# and a second FLINT in the same process. The oracle multiplies Python's integers (Kronecker's substitution).
# Argument: the path of another FLINT, may be missing.
# SPDX-License-Identifier: LGPL-3.0-or-later
import ctypes
import os
import random
import signal
import sys
import threading

import flint

P8 = (2**63 + 2**34) ** 8 + 1
count = ctypes.CDLL(None).gfpoly_flint_count
count.restype = ctypes.c_long
random.seed(1)


def kronecker(a, b):
    """The product of two lists of integers that are not negative."""
    size = (max(a).bit_length() + max(b).bit_length() + len(a).bit_length()) // 8 + 1
    x, y = (int.from_bytes(b"".join(c.to_bytes(size, "little") for c in f), "little") for f in (a, b))
    z = (x * y).to_bytes(size * (len(a) + len(b)), "little")
    return [int.from_bytes(z[i * size : i * size + size], "little") for i in range(len(a) + len(b) - 1)]


def digits(n, bound):
    return [random.randrange(bound) for _ in range(n - 1)] + [bound - 1]


def ints(f):
    return [int(c) for c in f]


R = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(P8))


def products(sizes):
    for n, m in sizes:
        a, b = digits(n, P8), digits(m, P8)
        assert ints(R(a) * R(b)) == [c % P8 for c in kronecker(a, b)], (n, m)
        a, b = digits(n, 2**200), digits(m, 2**300)
        assert ints(flint.fmpz_poly(a) * flint.fmpz_poly([-c for c in b])) == [-c for c in kronecker(a, b)], (n, m)


products([(3, 3), (30, 20), (200, 199), (1500, 300)])
# The first products modulo p pay for the field: FLINT computes them.
counts = [count(name) for name in (b"mod", b"z", b"flints")]
assert counts[0] >= 2 and counts[1] >= 2 and counts[2] == 1, counts

# Division, gcd and powers reach the products.
before = count(b"mod")
f, g, h = (R(digits(n, P8)) for n in (700, 250, 120))
q, r = divmod(f, g)
assert q * g + r == f and r.degree() < g.degree()
assert (f * h).gcd(g * h) == h.monic() and count(b"mod") > before
assert f.pow_mod(5, g) == f * f * f * f * f % g

# Another modulus is FLINT's, its products over Z are not.
before = count(b"mod")
S = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(2**255 - 19))
a, b = digits(300, 2**255 - 19), digits(300, 2**255 - 19)
assert ints(S(a) * S(b)) == [c % (2**255 - 19) for c in kronecker(a, b)]
assert count(b"mod") == before

# Ctrl-C in a loop of products.
f, g = R(digits(900, P8)), R(digits(900, P8))
expected = f * g
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
for i in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + i * 0.0001)
        while True:
            assert f * g == expected
    except KeyboardInterrupt:
        pass
signal.setitimer(signal.ITIMER_REAL, 0)


def work():
    for _ in range(30):
        assert f * g == expected


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(4):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
for thread in threads:
    thread.join()


class Poly(ctypes.Structure):
    _fields_ = [("coeffs", ctypes.c_void_p), ("alloc", ctypes.c_long), ("length", ctypes.c_long)]


def second(path):
    """Products by another FLINT, between those of the first one."""
    other = ctypes.CDLL(path, mode=os.RTLD_LOCAL)
    other.fmpz_poly_get_str.restype = ctypes.c_void_p
    before = count(b"z")
    for n in (20, 300):
        a, b = digits(n, 2**250), digits(n, 2**250)
        x, y, z = Poly(), Poly(), Poly()
        for poly, values in ((x, a), (y, b), (z, [1])):
            other.fmpz_poly_init(ctypes.byref(poly))
            text = f"{len(values)}  {' '.join(map(str, values))}".encode()
            assert other.fmpz_poly_set_str(ctypes.byref(poly), text) == 0
        for _ in range(3):
            other.fmpz_poly_mul(ctypes.byref(z), ctypes.byref(x), ctypes.byref(y))
            products([(40, 40)])
        text = other.fmpz_poly_get_str(ctypes.byref(z))
        assert [int(c) for c in ctypes.string_at(text).split()[1:]] == kronecker(a, b)
        for poly in (x, y, z):
            other.fmpz_poly_clear(ctypes.byref(poly))
    counts = [count(b"z") - before, count(b"flints")]
    # Products of 20 coefficients may be FLINT's.
    assert counts[0] >= 3 and counts[1] == 2, counts


if len(sys.argv) > 1:
    second(sys.argv[1])
assert count(b"wrong") == 0
assert os.environ.get("GFPOLY_FLINT") != "verify" or count(b"verified") > 0
