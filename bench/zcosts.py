#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Fits the constants of the strategy words in modular/zcosts.inc to measured products.

Reads lines "n bits nanoseconds" (gfpoly_zproducts words) from a file or standard input: products of two
polynomials of n coefficients over Z below 2^bits. The model is that of gfp_zcost_words in
modular/zcost.c; the sum of the squares of the relative errors is least, and no constant is negative.
Prints the constants and the errors.
"""
import argparse
import math
import sys

NAMES = ["direct", "direct_point", "point", "level", "fold", "split", "project", "project_limb", "combine",
         "combine_block", "combine_limb", "block", "call"]
PRIME_BITS = 50


def points_of(length):
    """The least 2^l or 3 2^l that is at least `length`."""
    power = 1 << max(length - 1, 1).bit_length()
    return min(size for size in (power, 3 * power // 4) if size >= length)


def features(n, bits, direct):
    log2 = math.ceil(math.log2(n))
    factor = (bits - 1 - log2) // 2 if bits > log2 + 3 else 1
    bound = 2 * factor + log2
    width, product = factor // 64 + 1, bound // 64 + 1
    primes = (bound + 1) // PRIME_BITS + 1
    blocks = -(-primes // 8)
    length = 2 * n - 1
    points = points_of(length)
    # The last block has four primes twice, and takes half the points.
    twice = 1 <= primes % 8 <= 4 and points & (points - 1) == 0 and points > 8
    row = dict.fromkeys(NAMES, 0.0)
    if direct:
        row["direct"], row["direct_point"] = blocks * n * n, blocks * length
    else:
        for part, count in ((points, blocks - twice), (points // 2, int(twice))):
            row["point"] += count * part
            row["level"] += count * part * math.log2(part)
        row["fold"] = points // 2 * twice
    row["split"] = 2 * n * width
    row["project"], row["project_limb"] = 2 * n * blocks, 2 * n * blocks * width
    row["combine"] = length
    row["combine_block"] = length * primes / 8
    row["combine_limb"] = length * primes / 8 * product
    row["block"], row["call"] = blocks, 1
    return [row[name] for name in NAMES]


def conversions(lines):
    """Rows and times of the lines "bits project ns" and "bits reconstruct ns", per term and bit: two
    numbers of half the bits in, two numbers out."""
    rows, times = [], []
    for line in lines:
        words = line.split()
        if len(words) < 3 or words[1] not in ("project", "reconstruct"):
            continue
        bits, row = int(words[0]), dict.fromkeys(NAMES, 0.0)
        primes = bits // PRIME_BITS + 1
        blocks, width = -(-primes // 8), (bits + 127) // 128
        if words[1] == "project":
            row["split"], row["project"], row["project_limb"] = 2 * width, 2 * blocks, 2 * blocks * width
        else:
            product = primes * PRIME_BITS // 64 + 1
            row["combine"], row["combine_block"] = 2, primes / 4
            row["combine_limb"] = primes / 4 * product
        rows.append([row[name] for name in NAMES])
        times.append(bits * float(words[2]))
    return rows, times


def solve(matrix, right):
    """The solution of a square system, by elimination."""
    system = [row[:] + [value] for row, value in zip(matrix, right)]
    size = len(system)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(system[i][k]))
        system[k], system[pivot] = system[pivot], system[k]
        for i in range(size):
            if i != k:
                factor = system[i][k] / system[k][k]
                system[i] = [a - factor * b for a, b in zip(system[i], system[k])]
    return [system[k][size] / system[k][k] for k in range(size)]


def fit(rows, times, fixed):
    """Least squares of row . x / time - 1 with x >= 0: Lawson and Hanson's active sets."""
    given = [sum(row[k] * value for k, value in fixed.items()) for row in rows]
    rows = [[0.0 if k in fixed else value for k, value in enumerate(row)] for row in rows]
    aims = [1 - value / time for value, time in zip(given, times)]
    scale = [max(row[k] / time for row, time in zip(rows, times)) or 1.0 for k in range(len(NAMES))]
    rows = [[value / time / unit for value, unit in zip(row, scale)] for row, time in zip(rows, times)]
    x, used = [0.0] * len(NAMES), []
    while True:
        rest = [aim - sum(a * b for a, b in zip(row, x)) for row, aim in zip(rows, aims)]
        slope = [sum(row[k] * r for row, r in zip(rows, rest)) for k in range(len(NAMES))]
        best = max((k for k in range(len(NAMES)) if k not in used), key=lambda k: slope[k], default=None)
        if best is None or slope[best] < 1e-9:
            x = [fixed.get(k, value / unit) for k, (value, unit) in enumerate(zip(x, scale))]
            return x, [-r for r in rest]
        used.append(best)
        while True:
            normal = [[sum(row[i] * row[j] for row in rows) for j in used] for i in used]
            right = [sum(row[i] * aim for row, aim in zip(rows, aims)) for i in used]
            y = dict(zip(used, solve(normal, right)))
            low = [k for k in used if y[k] <= 0]
            if not low:
                break
            step = min(x[k] / (x[k] - y[k]) for k in low)
            x = [a + step * (y[k] - a) if k in y else a for k, a in enumerate(x)]
            used = [k for k in used if x[k] > 1e-12]
            x = [a if k in used else 0.0 for k, a in enumerate(x)]
        x = [y.get(k, 0.0) for k in range(len(NAMES))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=argparse.FileType("r"), default=sys.stdin)
    parser.add_argument("--direct", type=int, default=16, metavar="N",
                        help="products of at most N coefficients are by the definition (16)")
    parser.add_argument("--conversions", type=argparse.FileType("r"), metavar="FILE", default=None,
                        help="the output of gfpoly_bench --words")
    parser.add_argument("--fixed", action="append", default=[], metavar="NAME=VALUE",
                        help="a constant that is not fitted")
    arguments = parser.parse_args()
    fixed = {NAMES.index(name): float(value) for name, value in
             (pair.split("=") for pair in arguments.fixed)}
    rows, times = conversions(arguments.conversions or [])
    products = [(int(n), int(bits), float(ns)) for n, bits, ns in
                (line.split() for line in arguments.file)]
    x, errors = fit([features(n, bits, n <= arguments.direct) for n, bits, _ in products] + rows,
                    [ns for _, _, ns in products] + times, fixed)
    print(", ".join(".%s = %.3g" % pair for pair in zip(NAMES, x)))
    for (n, bits, ns), error in zip(products, errors):
        print("%6d %6d %12.0f ns, predicted %+5.1f %%" % (n, bits, ns, 100 * error))
    mean = sum(abs(error) for error in errors) / len(errors)
    print("errors: %.1f %% on average, %.1f %% at most" % (100 * mean, 100 * max(map(abs, errors))))


if __name__ == "__main__":
    main()
