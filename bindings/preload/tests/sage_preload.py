# sage_preload.py: a Sage session over GF(p8)['x'] that knows nothing of gfpoly, for scripts/sage.sh: Sage itself, or
# passagemath's wheels. Writes to a file, as JSON, a hash of each result and the milliseconds of products.
#   sage_preload.py run FILE             with and without libgfpoly_ntl.so
#   sage_preload.py compare FILE FILE    of a session without and one with the library: equal results, speed-ups
# SPDX-License-Identifier: LGPL-3.0-or-later
import ctypes
import hashlib
import json
import random
import sys
import time

LENGTHS = (2**10, 2**12, 2**14)
LEAST = {"avx512ifma": 5}  # the speed-up at 2^12 terms that is expected, by kernel level
LEAST_ELSEWHERE = 2


def sage():
    try:
        from sage.all import GF, PolynomialRing
    except ImportError:  # wheels without all of Sage
        import sage.all__sagemath_ntl
        from sage.rings.finite_rings.finite_field_constructor import GF
        from sage.rings.polynomial.polynomial_ring_constructor import PolynomialRing
    return PolynomialRing(GF((2**63 + 2**34) ** 8 + 1), "x")


def digest(f):
    return hashlib.sha256(" ".join(str(c) for c in f.list()).encode()).hexdigest()


def counters():
    """The library's counters; None: it is not loaded."""
    count = getattr(ctypes.CDLL(None), "gfpoly_ntl_count", None)
    if count is None:
        return None
    count.restype = ctypes.c_long
    names = ("mod", "mod_passed", "division", "gcd", "verified", "wrong", "ntls")
    return {name: count(name.encode()) for name in names}


def results(R):
    """Hashes of products, quotients, gcds, powers, of the same operands in each session."""
    rng = random.Random(8)
    p = int(R.base_ring().order())

    def poly(n):
        return R([rng.randrange(p) for _ in range(n)])

    out = {}
    for n, m in ((5, 5), (40, 33), (300, 20), (1000, 900), (4096, 4096)):
        f, g = poly(n), poly(m)
        out["product %d %d" % (n, m)] = digest(f * g)
        out["square %d" % n] = digest(f**2)
    f, g, h = poly(400), poly(300), poly(50)
    q, r = (f * h).quo_rem(g)
    assert q * g + r == f * h and r.degree() < g.degree()
    assert (f * h).gcd(g * h) == h.monic()
    out.update(quotient=digest(q), remainder=digest(r), gcd=digest((f * h).gcd(g * h)), power=digest(g**5))
    out["product below X^n"] = digest(f._mul_trunc_(g, 350))
    return out


def interrupts(R):
    """Alarms that Sage's sig_on turns into exceptions, in the middle of products."""
    from sage.version import version

    # Debian's Sage 9.5, which runs under Python 3.11, does not survive alarms in products, also by itself.
    if int(version.split(".")[0]) < 10:
        return
    from cysignals.alarm import AlarmInterrupt, alarm, cancel_alarm

    f = R([i * i + 1 for i in range(1500)])
    expected = f * f
    for i in range(40):
        try:
            alarm(0.001 + 0.0003 * i)
            while True:
                assert f * f == expected
        except AlarmInterrupt:
            pass
    cancel_alarm()
    assert f * f == expected


def times(R):
    out = {}
    for n in LENGTHS:
        f, g = R.random_element(n - 1), R.random_element(n - 1)
        f * g
        best = 1e9
        for _ in range(15):
            start = time.process_time()
            f * g
            best = min(best, time.process_time() - start)
        out[str(n)] = 1000 * best
    return out


def run(path):
    R = sage()
    out = {"type": str(type(R.gen())), "results": results(R)}
    interrupts(R)
    out["times"] = times(R)
    out["counters"] = counters()
    with open(path, "w") as file:
        json.dump(out, file)


def compare(without_path, with_path):
    with open(without_path) as file:
        without = json.load(file)
    with open(with_path) as file:
        taken = json.load(file)
    print(without["type"], "counters:", taken["counters"])
    assert without["results"] and without["results"] == taken["results"]
    assert without["counters"] is None
    assert taken["counters"]["mod"] > 0 and taken["counters"]["wrong"] == 0 and taken["counters"]["ntls"] == 1
    verified = taken["counters"]["verified"] > 0
    computed = sum(taken["counters"][name] for name in ("mod", "division", "gcd"))
    assert not verified or taken["counters"]["verified"] == computed
    print("terms    without, ms    with, ms")
    for n in LENGTHS:
        a, b = without["times"][str(n)], taken["times"][str(n)]
        print("%5d  %13.3f  %10.3f  %6.1f x%s" % (n, a, b, a / b, " (verified)" if verified else ""))
    with open("/proc/cpuinfo") as file:
        level = "avx512ifma" if "avx512ifma" in file.read() else None
    least = LEAST.get(level, LEAST_ELSEWHERE)
    n = str(LENGTHS[1])
    if not verified:
        assert without["times"][n] >= least * taken["times"][n], "less than %d times as fast" % least


if __name__ == "__main__":
    {"run": run, "compare": compare}[sys.argv[1]](*sys.argv[2:])
