#!/usr/bin/env python3
# One job, the product of two polynomials, in each host with and without gfpoly, as a table in Markdown: Python's integers,
# numpy, python-flint, C programs of FLINT and of NTL. Each row's time holds the conversions from and to what the host has.
#   bench/hosts/tables.py [--field p8] [--terms 5000] [--seconds 2] [--build build/release] [--output FILE]
#   bench/hosts/tables.py --grid [--fields p2,p4,p8,p16,p32,p64,p128] [--lengths 4x4,64x8] [--rounds 3] [--hosts flint,ntl]
#                         [--build build/release]
# --grid: operations, fields, lengths and sizes of coefficients in bits, each in programs of FLINT and NTL with and without the
# library in LD_PRELOAD, which measure a cell in turn; the table has the worst ratio of times for each operation and ring. A
# cell whose ratio is above 1.15 is measured up to five times as often. A library that takes a computation that its host does
# faster shows there. Cells that lose less than 30 ns are counted apart: a product passes up to three functions, one inside
# another, that the library stands in for. A function that only calls the host's costs 1 ns; those of the library take 2 to 4
# ns each, to find the host by the return address and to look at lengths and coefficients. It needs no Python package.
# Run by a Python that has python-flint and numpy, over a build with the Python package (docs/results.md has the command).
# All products are compared. What is missing leaves its row out, and the table says so.
# SPDX-License-Identifier: LGPL-3.0-or-later
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time


class Missing(Exception):
    """Why a row cannot be measured here."""


def preloaded(build, name):
    """The library for LD_PRELOAD, which the dynamic linker leaves out in silence where the file is missing."""
    path = build / "bindings/preload" / name[len("libgfpoly_") : -len(".so")] / name
    if not path.exists():
        raise Missing(f"{name} is not built")
    return str(path)


def least(job, seconds):
    """The least CPU time of a run in ms, and its result; three runs at least, or one of several seconds."""
    best, end = float("inf"), time.process_time() + seconds
    runs = 0
    while time.process_time() < end or runs < 3 and best < 1000 * seconds:
        start = time.process_time()
        result = job()
        best = min(best, 1000 * (time.process_time() - start))
        runs += 1
    return best, result


# ---- Python: lists of integers ----


def kronecker(a, b, p):
    """By Python's integers alone: both lists packed into one integer each."""
    size = (2 * p.bit_length() + len(a).bit_length() + 7) // 8
    x, y = (int.from_bytes(b"".join(c.to_bytes(size, "little") for c in v), "little") for v in (a, b))
    product = (x * y).to_bytes(size * (len(a) + len(b)), "little")
    return [int.from_bytes(product[i * size : (i + 1) * size], "little") % p for i in range(len(a) + len(b) - 1)]


def python_rows(case):
    F, Poly = case.F, case.gfpoly.Poly
    alone = case.row_time(lambda: kronecker(case.a, case.b, case.p))
    ours = case.row_time(lambda: (Poly(F, case.a) * Poly(F, case.b)).coeffs())
    yield "Python, lists of integers", "packed into long integers", alone, "`(Poly(F, a) * Poly(F, b)).coeffs()`", ours
    try:
        import flint
    except ImportError:
        return
    R = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(case.p))
    other = case.row_time(lambda: (R(case.a) * R(case.b)).coeffs(), lambda c: [int(v) for v in c])
    yield ("Python, lists of integers", "python-flint: `(R(a) * R(b)).coeffs()`", other,
           "`(Poly(F, a) * Poly(F, b)).coeffs()`", ours)


# ---- numpy: arrays of len x k words ----


def numpy_rows(case):
    try:
        import numpy
    except ImportError:
        raise Missing("numpy is not installed") from None
    F, Poly, p = case.F, case.gfpoly.Poly, case.p
    x, y = Poly(F, case.a).to_limbs(), Poly(F, case.b).to_limbs()
    a, b = numpy.array(case.a, dtype=object), numpy.array(case.b, dtype=object)
    words = case.row_time(lambda: (Poly.from_limbs(F, x) * Poly.from_limbs(F, y)).to_limbs(),
                          lambda c: Poly.from_limbs(F, c).coeffs())
    alone = case.row_time(lambda: numpy.convolve(a, b) % p, lambda c: [int(v) for v in c])
    yield f"numpy {numpy.__version__}", "`convolve` of Python's integers", alone, "arrays of words, in and out", words


# ---- python-flint, also preloaded ----

SCRIPT = """
import sys, time
import flint
p, seconds = int(sys.argv[1]), float(sys.argv[4])
R = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(p))
f, g = (R([int(c) for c in open(name).read().split()[2:]]) for name in sys.argv[2:4])
best, end, runs = 1e300, time.process_time() + seconds, 0
while time.process_time() < end or runs < 5:
    start = time.process_time()
    h = f * g
    best = min(best, 1000 * (time.process_time() - start))
    runs += 1
print(flint.__version__ + ", FLINT " + flint.__FLINT_VERSION__)
print(best)
print(len(h.coeffs()), p, "", *[int(c) for c in h.coeffs()])
"""


def python_flint_rows(case):
    try:
        import flint  # noqa: F401
    except ImportError:
        raise Missing("python-flint is not installed") from None
    command = [sys.executable, "-c", SCRIPT, str(case.p), *case.flint_files, str(case.seconds)]
    name, alone = case.program(command)
    _, ours = case.program(command, preload="libgfpoly_flint.so")
    name = "python-flint " + name
    yield name, "`f * g`", alone, "the same script, `LD_PRELOAD=libgfpoly_flint.so`", ours
    f, g = (case.gfpoly.Poly(case.F, v).to_flint() for v in (case.a, case.b))
    Poly = case.gfpoly.Poly
    through = case.row_time(lambda: (Poly.from_flint(f) * Poly.from_flint(g)).to_flint(),
                            lambda c: [int(v) for v in c.coeffs()])
    yield name, "`f * g`", alone, "`(Poly.from_flint(f) * Poly.from_flint(g)).to_flint()`", through


# ---- C and C++ ----


def flint_rows(case):
    command = [case.bench("gfpoly_hosts_flint"), *case.flint_files, str(case.seconds)]
    name, alone = case.program(command)
    _, ours = case.program(command, preload="libgfpoly_flint.so")
    yield f"C, FLINT {name}", "`fmpz_mod_poly_mul`", alone, "the same program, `LD_PRELOAD=libgfpoly_flint.so`", ours
    bridge = [case.bench("gfpoly_hosts"), "flint", *case.flint_files, str(case.seconds)]
    through = case.program(bridge, named=False)[1]
    yield f"C, FLINT {name}", "`fmpz_mod_poly_mul`", alone, "`gfpoly/flint.h`: two in, `gfp_poly_mul`, one out", through


def ntl_rows(case):
    command = [case.bench("gfpoly_hosts_ntl"), str(case.p), *case.ntl_files, str(case.seconds)]
    name, alone = case.program(command, ntl=True)
    try:
        ours = case.program(command, preload="libgfpoly_ntl.so", ntl=True)[1]
        yield f"C++, NTL {name}", "`mul` of `ZZ_pX`", alone, "the same program, `LD_PRELOAD=libgfpoly_ntl.so`", ours
    except Missing as reason:
        yield f"C++, NTL {name}", "`mul` of `ZZ_pX`", alone, str(reason), None


def words_rows(case):
    command = [case.bench("gfpoly_hosts"), "c", *case.flint_files, str(case.seconds)]
    ours = case.program(command, named=False)[1]
    yield "C, arrays of words", "", None, "`gfp_poly_set_limbs`, `gfp_poly_mul`, `gfp_poly_get_limbs`", ours


# ---- the table ----


class Case:
    def __init__(self, options, folder):
        import gfpoly

        self.gfpoly = gfpoly
        self.seconds = options.seconds
        self.build = pathlib.Path(options.build).resolve()
        self.F = F = gfpoly.Field(options.field)
        self.p = F.p
        f, g = F.random(options.terms, seed=1), F.random(options.terms, seed=2)
        self.a, self.b = f.coeffs(), g.coeffs()
        self.product = kronecker(self.a, self.b, self.p)
        self.flint_files = [str(folder / "f"), str(folder / "g")]
        self.ntl_files = [str(folder / "f.ntl"), str(folder / "g.ntl")]
        for poly, text, ntl in zip((f, g), self.flint_files, self.ntl_files):
            poly.save(text, format="text")
            poly.save(ntl, format="ntl")

    def bench(self, name):
        path = self.build / "bench" / name
        if not path.exists():
            raise Missing(f"{name} is not built")
        return str(path)

    def check(self, product):
        if product != self.product:
            raise SystemExit("a product differs from the others")

    def row_time(self, job, to_list=lambda c: c):
        best, result = least(job, self.seconds)
        self.check(to_list(result))
        return best

    def program(self, command, preload=None, named=True, ntl=False):
        """(first line, time) of a program that prints name, time and product; named=False: no name."""
        environment = dict(os.environ, OMP_NUM_THREADS="1", GFPOLY_GPU="off")
        if preload:
            environment["LD_PRELOAD"] = preloaded(self.build, preload)
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
        name, _, rest = done.stdout.partition("\n") if named else ("", "", done.stdout)
        best, _, text = rest.partition("\n")
        numbers = text.strip(" \n[]").split() if ntl else text.split()[2:]
        self.check([int(c) for c in numbers])
        return name, float(best)


# ---- the grid ----

# A computation that takes longer with the library than this times without it, and these nanoseconds longer, is a wrong decision.
WORST = 1.15
FLOOR_NS = 30


# The lengths of both operands of a cell.
LENGTHS = {
    "flint": "4x4,8x8,16x16,32x32,64x64,128x128,256x256,1024x1024,64x8,512x32",
    "ntl": "4x4,8x8,16x16,32x32,64x64,256x256,64x8,512x32",
}

# Rounds until a cell above counts, as many times as rounds for the others.
REPEATS = 5


class Grid:
    """A program that measures cells, with or without the library."""

    def __init__(self, command, **environment):
        environment = dict(os.environ, OMP_NUM_THREADS="1", GFPOLY_GPU="off", **environment)
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self.line()
        self.cells = [tuple(self.line().split()) for _ in range(int(self.line()))]
        self.least = [float("inf")] * len(self.cells)

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            raise SystemExit("a program of the grid ended early")
        return text.strip()

    def measure(self, cell):
        print(cell, file=self.process.stdin, flush=True)
        self.least[cell] = min(self.least[cell], float(self.line()))

    def end(self):
        self.process.communicate()


def is_above(alone, ours):
    return ours > WORST * alone


def grid_of(build, host, lengths, fields, rounds):
    """The version, and for each cell the least times without and with the library, which take turns."""
    command = [str(build / "bench" / f"gfpoly_hosts_{host}"), "grid", lengths, *fields]
    alone, ours = Grid(command), Grid(command, LD_PRELOAD=preloaded(build, f"libgfpoly_{host}.so"))
    for cell in range(len(alone.cells)):
        for turn in range(REPEATS * rounds):
            if turn < rounds or is_above(alone.least[cell], ours.least[cell]):
                alone.measure(cell)
                ours.measure(cell)
    alone.end()
    ours.end()
    return alone.version, dict(zip(alone.cells, zip(alone.least, ours.least)))


def grid_table(host, version, cells):
    yield f"## {host} {version}"
    yield ""
    yield "| operation | ring | cells | with over without: geometric mean | worst | terms | bits | without, us |"
    yield "|---|---|---:|---:|---:|---|---|---:|"
    rows = {}
    for cell, (alone, ours) in cells.items():
        rows.setdefault(cell[:2], []).append((ours / alone, alone, cell))
    for (operation, ring), found in rows.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _, _ in found) / len(found))
        worst, alone, cell = max(found)
        yield (f"| {operation} | {ring} | {len(found)} | {mean:.2f} | {worst:.2f} | {cell[2]} x {cell[3]} | {cell[4]}, {cell[5]} | "
               f"{alone / 1000:.3g} |")
    above = sorted(((ours / alone, alone, cell) for cell, (alone, ours) in cells.items() if is_above(alone, ours)), reverse=True)
    over = [row for row in above if (row[0] - 1) * row[1] >= FLOOR_NS]
    yield ""
    yield (f"Above {WORST}: {len(over)} of {len(cells)} cells, and {len(above) - len(over)} that lose less than {FLOOR_NS} ns." +
           (" The worst ones:" if over else ""))
    for ratio, alone, cell in over[:20]:
        yield f"- {cell[0]} over {cell[1]}, {cell[2]} x {cell[3]} terms of {cell[4]} and {cell[5]} bits: {ratio:.2f} of {alone / 1000:.3g} us"
    yield ""


def grid(options):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # what slows this processor slows both programs
    build = pathlib.Path(options.build).resolve()
    listed = subprocess.run([build / "gfpoly", "primes", "--json"], stdout=subprocess.PIPE, check=True, text=True).stdout
    formulas = {prime["name"]: prime["formula"] for prime in json.loads(listed)["primes"]}
    fields = [f"{name}={eval(formulas[name].replace('^', '**'))}" for name in options.fields.split(",")]
    for host in options.hosts.split(","):
        try:
            yield from grid_table(host, *grid_of(build, host, options.lengths or LENGTHS[host], fields, options.rounds))
        except Missing as reason:
            raise SystemExit(str(reason)) from None


def ms(value):
    return "" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(case, options, facts):
    yield "# One product in each host, with and without gfpoly"
    yield ""
    yield (f"The product of two polynomials of {options.terms} terms over {options.field}: the least CPU time in ms, on one thread. "
           "Times with gfpoly hold the conversions from and to the types of the host. All products were compared.")
    yield ""
    yield from facts
    yield ""
    yield "| host | without gfpoly | ms | with gfpoly | ms | ratio |"
    yield "|---|---|---:|---|---:|---:|"
    missing = []
    for rows in (python_rows, numpy_rows, python_flint_rows, flint_rows, ntl_rows, words_rows):
        try:
            for host, job, alone, how, ours in rows(case):
                ratio = f"{alone / ours:.{0 if alone > 100 * ours else 1}f}" if alone and ours else ""
                yield f"| {host} | {job} | {ms(alone)} | {how} | {ms(ours)} | {ratio} |"
        except Missing as reason:
            missing.append(str(reason))
    if missing:
        yield ""
        yield "Left out: " + ", ".join(missing) + "."


def main():
    parser = argparse.ArgumentParser(prog="tables.py")
    parser.add_argument("--field", default="p8")
    parser.add_argument("--terms", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--output")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--fields", default="p2,p4,p8,p16,p32,p64,p128")
    parser.add_argument("--hosts", default="flint,ntl")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lengths")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(options.build).resolve() / "bindings/python"))
    sys.set_int_max_str_digits(0)
    os.environ["GFPOLY_GPU"] = "off"
    if options.grid:
        write(options, list(grid(options)))
        return
    with tempfile.TemporaryDirectory() as folder:
        case = Case(options, pathlib.Path(folder))
        facts = subprocess.run([case.bench("gfpoly_hosts"), "facts"], stdout=subprocess.PIPE, check=True,
                               text=True).stdout.replace("gfpoly_hosts facts", " ".join(
                                   ["bench/hosts/tables.py"] + [a for a in sys.argv[1:] if "/" not in a or "results" in a]))
        lines = list(table(case, options, facts.splitlines() + [f"- python: {sys.version.split()[0]}"]))
    write(options, lines)


def write(options, lines):
    text = "\n".join(lines) + "\n"
    if options.output:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
