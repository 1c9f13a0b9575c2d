# What conversions take, in percent of the product of two polynomials of that length:
#   python measure.py [FIELD ...]
# numpy: from_digits of one factor (checked and copied) and the view of the product; limbs: from_limbs and to_limbs;
# ints: Poly(F, list) and coeffs(); flint: from_flint and to_flint; bytes: from_bytes and to_bytes.
# SPDX-License-Identifier: LGPL-3.0-or-later
import os
import sys
import time

os.environ["GFPOLY_GPU"] = "off"  # the CPU's time counts
from gfpoly import Field, Poly, info


def least(*functions, seconds=0.4):
    """The least CPU time of each function in ms, interleaved."""
    best = [float("inf")] * len(functions)
    end = time.perf_counter() + seconds
    runs = 0
    while time.perf_counter() < end or runs < 3:
        for i, function in enumerate(functions):
            start = time.process_time()
            function()
            best[i] = min(best[i], 1000 * (time.process_time() - start))
        runs += 1
    return best


def row(F, n, flint):
    f, g = F.random(n, seed=1), F.random(n, seed=2)
    product = f * g
    digits, limbs, ints, data = f.digits, f.to_limbs(), f.coeffs(), f.to_bytes()
    functions = [
        lambda: f * g,
        lambda: (Poly.from_digits(F, digits), product.digits),
        lambda: (Poly.from_limbs(F, limbs), product.to_limbs()),
        lambda: Poly(F, ints),
        lambda: product.coeffs(),
        lambda: (Poly.from_bytes(data, F), f.to_bytes()),
    ]
    names = ["numpy", "limbs", "from ints", "to ints", "bytes"]
    if flint:
        x = f.to_flint()
        functions += [lambda: Poly.from_flint(x, F), lambda: f.to_flint()]
        names += ["from flint", "to flint"]
    times = least(*functions)
    percents = "  ".join(f"{name} {100 * t / times[0]:.0f} %" for name, t in zip(names, times[1:]))
    print(f"{F.name:4} {n:6} terms: product {times[0]:.3g} ms; {percents}", flush=True)


if __name__ == "__main__":
    try:
        import flint
    except ImportError:
        flint = None
    print(f"{info()['cpu']}, {info()['cpu_level']}, Python {sys.version.split()[0]}")
    for name in sys.argv[1:] or ["p4", "p8", "p16"]:
        for e in (10, 12, 14, 16):
            row(Field(name), 2**e, flint)
