#!/usr/bin/env python3
# One job, the product of two polynomials, in each host with and without gfpoly, as a table in Markdown: Python's integers,
# numpy, python-flint, C programs of FLINT and of NTL. Each row's time holds the conversions from and to what the host has.
#   bench/hosts/tables.py [--field p8] [--terms 5000] [--seconds 2] [--build build/release] [--output FILE]
# The rows of C and C++ are those of gfpoly_peers --hosts, which also measures grids of operations, lengths and bits.
# Run by a Python that has python-flint and numpy, over a build with the Python package (docs/results.md has the command).
# All products are compared. What is missing leaves its row out, and the table says so.
# SPDX-License-Identifier: LGPL-3.0-or-later
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


class Missing(Exception):
    """Why a row cannot be measured here."""


def preloaded(build, name):
    """The library for LD_PRELOAD."""
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
import os, sys, time
import flint
library = os.path.basename(os.environ.get("LD_PRELOAD", ""))
if library and library not in open("/proc/self/maps").read():
    sys.exit(library + " was not loaded")
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


# ---- C and C++: gfpoly_peers --hosts ----


def flint_rows(case):
    version, alone, ours = case.host("flint")
    yield f"C, FLINT {version}", "`fmpz_mod_poly_mul`", alone, "the same program, `LD_PRELOAD=libgfpoly_flint.so`", ours
    name, through = case.conversion("gfpoly/flint.h")
    yield f"C, FLINT {version}", "`fmpz_mod_poly_mul`", alone, name, through


def ntl_rows(case):
    version, alone, ours = case.host("ntl")
    yield f"C++, NTL {version}", "`mul` of `ZZ_pX`", alone, "the same program, `LD_PRELOAD=libgfpoly_ntl.so`", ours


def words_rows(case):
    name, ours = case.conversion("arrays of words")
    yield "C, arrays of words", "", None, name, ours


# ---- the table ----


class Case:
    def __init__(self, options, folder):
        import gfpoly

        self.gfpoly = gfpoly
        self.seconds = options.seconds
        self.field = options.field
        self.folder = folder
        self.figures_of = {}
        self.build = pathlib.Path(options.build).resolve()
        self.F = F = gfpoly.Field(options.field)
        self.p = F.p
        f, g = F.random(options.terms, seed=1), F.random(options.terms, seed=2)
        self.a, self.b = f.coeffs(), g.coeffs()
        self.product = kronecker(self.a, self.b, self.p)
        self.flint_files = [str(folder / "f"), str(folder / "g")]
        for poly, text in zip((f, g), self.flint_files):
            poly.save(text, format="text")

    def bench(self, name):
        path = self.build / "bench" / name
        if not path.exists():
            raise Missing(f"{name} is not built")
        return str(path)

    def figures(self, host):
        """The rows of gfpoly_peers --hosts for this field and length, and the lines before them."""
        if host not in self.figures_of:
            path = str(self.folder / f"{host}.csv")
            command = [self.bench("gfpoly_peers"), "--hosts", "--host", host, "--field", self.field, "--pairs",
                       f"{len(self.a)}x{len(self.b)}", "--operation", "mul", "--seconds", str(self.seconds), "--csv", path]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                reason = done.stderr.strip().split("\n")[-1]
                raise SystemExit(reason) if "differ" in reason else Missing(reason)
            lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
            start = next(i for i, line in enumerate(lines) if line.startswith("section,"))
            self.figures_of[host] = list(csv.DictReader(lines[start:])), lines[:start]
        return self.figures_of[host]

    def figures_of_any(self):
        """The same of the first host that this build has: conversions and machine are those of each."""
        try:
            return self.figures("flint")
        except Missing:
            return self.figures("ntl")

    def host(self, host):
        """The host's version, and the times of a product without and with the library."""
        bits = self.p.bit_length() - 1
        rows, _ = self.figures(host)
        times = {row["name"]: float(row["min_ns"]) / 1e6 for row in rows if row["field"] != "Z"}
        name = next((name for name in times if re.fullmatch(rf"{host} .* mul: {bits} and {bits} bits", name)), None)
        if name is None:
            raise Missing(f"gfpoly_peers has no product of this size in {host}")
        return re.match(rf"{host} (.*) mul:", name)[1], times[name], times[f"{name} (preloaded)"]

    def conversion(self, beginning):
        rows, _ = self.figures_of_any()
        row = next((row for row in rows if row["name"].startswith(beginning)), None)
        if row is None:
            raise Missing(f"no conversion from {beginning}")
        return row["name"], float(row["min_ns"]) / 1e6

    def facts(self):
        """The machine and the versions, as lines."""
        try:
            lines = self.figures_of_any()[1]
        except Missing:
            return []
        command = " ".join(["bench/hosts/tables.py"] + [a for a in sys.argv[1:] if "/" not in a or "results" in a])
        facts = [line.replace("# ", "- ", 1) for line in lines if line.startswith("# ")]
        return [f"- command: {command}" if line.startswith("- command:") else line for line in facts]

    def check(self, product):
        if product != self.product:
            raise SystemExit("a product differs from the others")

    def row_time(self, job, to_list=lambda c: c):
        best, result = least(job, self.seconds)
        self.check(to_list(result))
        return best

    def program(self, command, preload=None):
        """(first line, time) of a program that prints name, time and product."""
        environment = dict(os.environ, OMP_NUM_THREADS="1", GFPOLY_GPU="off")
        environment.pop("LD_PRELOAD", None)
        if preload:
            environment["LD_PRELOAD"] = preloaded(self.build, preload)
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Missing(done.stderr.strip().split("\n")[-1])
        name, best, text = done.stdout.split("\n", 2)
        self.check([int(c) for c in text.split()[2:]])
        return name, float(best)


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


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tables.py")
    parser.add_argument("--field", default="p8")
    parser.add_argument("--terms", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--output")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    if "libgfpoly_" in os.environ.get("LD_PRELOAD", ""):
        raise SystemExit("tables.py: LD_PRELOAD has a library of gfpoly, which would compute for the other libraries")
    sys.path.insert(0, str(pathlib.Path(options.build).resolve() / "bindings/python"))
    sys.set_int_max_str_digits(0)
    os.environ["GFPOLY_GPU"] = "off"
    with tempfile.TemporaryDirectory() as folder:
        case = Case(options, pathlib.Path(folder))
        lines = list(table(case, options, case.facts() + [f"- python: {sys.version.split()[0]}"]))
    write(options, lines)


def write(options, lines):
    text = "\n".join(lines) + "\n"
    if options.output:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
