#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Fits the constants of the strategy words in modular/mul/costs.inc, or of short in modular/mul/short.c, to measured products.

Reads lines "len_a len_b bits_a bits_b nanoseconds" (gfpoly_bench --zcosts products) from a file or standard input: products of
polynomials over Z by word-size primes. The model is that of gfp_zcost_words in modular/mul/cost.c, or of times_of in
modular/mul/short.c; the sum of the squares of the relative errors is least, and no constant is negative. Prints the
constants and the errors.
"""
import argparse
import math
import sys

NAMES = ["direct", "direct_point", "point", "level", "fold", "split", "project", "project_limb", "combine",
         "combine_block", "combine_limb", "few", "block", "call"]
PRIME_BITS = 50
# GFP_WORDS_DIRECT, GFP_WORDS_GROUP, FEW of modular/mul/cost.c; trees convert beyond TREE blocks.
DIRECT, GROUP, FEW, TREE = 32, 8, 5, 127


def points_of(length):
    """The least 2^l or 3 2^l that is at least `length`."""
    power = 1 << max(length - 1, 1).bit_length()
    return min(size for size in (power, 3 * power // 4) if size >= length)


def blocks_of(product):
    """The numbers of primes and blocks, and the bits of the product."""
    len_a, len_b, bits_a, bits_b = product
    bound = bits_a + bits_b + math.ceil(math.log2(min(len_a, len_b)))
    primes = (bound + 1) // PRIME_BITS + 1
    return primes, -(-primes // 8), bound


def numbers_of(n):
    """Numbers are converted in groups of GROUP, a last one of up to FEW one by one: those that count, and the latter."""
    rest = n % GROUP
    return (n, rest) if rest <= FEW else (n - rest + GROUP, 0)


def transforms(row, points, twice, blocks):
    for part, count in ((points, blocks - twice), (points // 2, int(twice))):
        row["point"] += count * part
        row["level"] += count * part * math.log2(part)
    row["fold"] += points // 2 * twice


def features(product, constants):
    """What each constant counts; `constants`: those so far, which decide how short products are computed."""
    len_a, len_b, bits_a, bits_b = product
    primes, blocks, bound = blocks_of(product)
    length = len_a + len_b - 1
    points = points_of(length)
    row = dict.fromkeys(NAMES, 0.0)
    transform = points * (constants["point"] + constants["level"] * math.log2(points))
    direct = constants["direct"] * len_a * len_b + constants["direct_point"] * length
    if min(len_a, len_b) <= DIRECT and direct < transform:
        row["direct"], row["direct_point"] = blocks * len_a * len_b, blocks * length
    else:
        # The last block has four primes twice, and takes half the points.
        twice = 1 <= primes % 8 <= 4 and points & (points - 1) == 0 and points > 8 and max(len_a, len_b) <= points // 2
        transforms(row, points, twice, blocks)
    for n, bits in ((len_a, bits_a), (len_b, bits_b)):
        width = bits // 64 + 1
        n, few = numbers_of(n)
        row["split"] += n * width
        row["project"] += n * blocks
        row["project_limb"] += n * blocks * width
        row["few"] += few * blocks * width
    width = bound // 64 + 1
    length, few = numbers_of(length)
    row["combine"] = length
    row["combine_block"] = length * primes / 8
    row["combine_limb"] = length * primes / 8 * width
    row["few"] += few * blocks * width
    row["block"], row["call"] = blocks, 1
    return [row[name] for name in NAMES]


SHORT_NAMES = ["call", "three", "prime_level", "point", "level", "wide", "combine", "combine_prime"]
SHORT_BITS, SHORT_LEAST = 48, 8


def short_features(product, _):
    """The same for the strategy short: primes of 48 bits, transforms of at least SHORT_LEAST points."""
    len_a, len_b, bits_a, bits_b = product
    bound = bits_a + bits_b + math.ceil(math.log2(min(len_a, len_b)))
    primes = max(2, -(-(bound + 3) // SHORT_BITS))
    length = len_a + len_b - 1
    points = max(points_of(length), SHORT_LEAST)
    levels = math.log2(points)
    wide = sum(n for n, bits in ((len_a, bits_a), (len_b, bits_b)) if bits > 63)
    row = {"call": 1, "three": primes * (points & (points - 1) != 0), "prime_level": primes * levels,
           "point": primes * points, "level": primes * points * levels, "wide": primes * wide, "combine": length,
           "combine_prime": length * primes}
    return [row[name] for name in SHORT_NAMES]


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
    size = len(rows[0])
    scale = [max(row[k] / time for row, time in zip(rows, times)) or 1.0 for k in range(size)]
    rows = [[value / time / unit for value, unit in zip(row, scale)] for row, time in zip(rows, times)]
    x, used = [0.0] * size, []
    while True:
        rest = [aim - sum(a * b for a, b in zip(row, x)) for row, aim in zip(rows, aims)]
        slope = [sum(row[k] * r for row, r in zip(rows, rest)) for k in range(size)]
        best = max((k for k in range(size) if k not in used), key=lambda k: slope[k], default=None)
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
        x = [y.get(k, 0.0) for k in range(size)]


# Where the fit begins: products of up to 16 coefficients are by the definition.
BEGIN = {"direct": 1, "direct_point": 8, "point": 6, "level": 2}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=argparse.FileType("r"), default=sys.stdin)
    parser.add_argument("--strategy", choices=("words", "short"), default="words")
    parser.add_argument("--fixed", action="append", default=[], metavar="NAME=VALUE",
                        help="a constant that is not fitted")
    arguments = parser.parse_args()
    names, model = (NAMES, features) if arguments.strategy == "words" else (SHORT_NAMES, short_features)
    fixed = {names.index(name): float(value) for name, value in
             (pair.split("=") for pair in arguments.fixed)}
    lines = [line.split() for line in arguments.file]
    products = [(tuple(map(int, line[:4])), float(line[4])) for line in lines]
    products = [(product, ns) for product, ns in products if blocks_of(product)[1] <= TREE]
    constants = BEGIN
    for _ in range(4):
        x, errors = fit([model(product, constants) for product, _ in products], [ns for _, ns in products], fixed)
        constants = dict(zip(names, x))
    print(", ".join(".%s = %.3g" % pair for pair in constants.items()))
    for (product, ns), error in zip(products, errors):
        print("%6d %6d %6d %6d %12.0f ns, predicted %+5.1f %%" % (*product, ns, 100 * error))
    mean = sum(abs(error) for error in errors) / len(errors)
    print("errors: %.1f %% on average, %.1f %% at most" % (100 * mean, 100 * max(map(abs, errors))))


if __name__ == "__main__":
    main()
