#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares the times of two programs that ran in turns (scripts/pairs.sh).

FOLDER has old-1.csv, new-1.csv, old-2.csv, ...: the rows of gfpoly_bench --rows in each round, as scripts/pairs.sh
writes them. For each row the ratios new / old of the rounds give a geometric mean and, by Student's t on their logarithms, an interval that
contains the true ratio with 95 %. A row fails if the lower end exceeds --limit, or if new lacks the row; all
rows fail together if the geometric mean of their ratios exceeds --mean. Exit status: 0, 1 after such a
failure, 2 if the files do not suffice.
"""
import argparse
import csv
import math
import sys
from pathlib import Path

# Two-sided 95 % points of Student's t for 1, 2, ..., 30 degrees of freedom; the last one serves beyond.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
           2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
           2.052, 2.048, 2.045, 2.042]


class Unusable(Exception):
    """The files do not suffice for a comparison."""


def interval(logs):
    """The geometric mean of ratios, given by their logarithms, and the ends of its interval."""
    n = len(logs)
    mean = math.fsum(logs) / n
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / (n - 1))
    reach = STUDENT[min(n - 1, len(STUDENT)) - 1] * deviation / math.sqrt(n)
    return math.exp(mean), math.exp(mean - reach), math.exp(mean + reach)


def read_times(path):
    """The least time of each row of one run."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    try:
        times = {row["row"]: float(row["min_ns"]) for row in csv.DictReader(lines)}
    except (KeyError, TypeError, ValueError) as error:
        raise Unusable(f"{path}: not a table of rows") from error
    if not times or min(times.values()) <= 0:
        raise Unusable(f"{path}: no rows, or a time of 0")
    return times


def read_rounds(folder):
    """[(times of old, times of new), ...], a pair for each round."""
    rounds = []
    while (folder / f"old-{len(rounds) + 1}.csv").exists():
        paths = [folder / f"{side}-{len(rounds) + 1}.csv" for side in ("old", "new")]
        if not paths[1].exists():
            raise Unusable(f"{paths[1]} is missing")
        rounds.append(tuple(read_times(path) for path in paths))
    if len(rounds) < 2:
        raise Unusable(f"{folder}: an interval needs two rounds or more")
    for old, new in rounds:
        if old.keys() != rounds[0][0].keys() or new.keys() != rounds[0][1].keys():
            raise Unusable(f"{folder}: the rounds have different rows")
    return rounds


def compare(rounds, limit, mean_limit):
    """Lines of the report, and what failed."""
    old, new = rounds[0]
    lines, failed = [], []
    common = [row for row in old if row in new]
    if not common:
        raise Unusable("the two programs have no row in common")
    logs = {row: [math.log(b[row] / a[row]) for a, b in rounds] for row in common}
    for row in common:
        mean, low, high = interval(logs[row])
        mark = "  FAILED" if low > limit else ""
        lines.append(f"{row:<32} {mean:7.4f} {low:7.4f} {high:7.4f}{mark}")
        if mark:
            failed.append(f"{row}: the lower bound {low:.4f} exceeds {limit}")
    failed += [f"{row}: new does not have this row" for row in old if row not in new]
    lines += [f"{row:<32} only new has this row" for row in new if row not in old]
    by_round = [math.fsum(logs[row][i] for row in common) / len(common) for i in range(len(rounds))]
    mean, low, high = interval(by_round)
    lines.append(f"{'geometric mean of ' + str(len(common)) + ' rows':<32} {mean:7.4f} {low:7.4f} {high:7.4f}")
    if mean > mean_limit:
        failed.append(f"the geometric mean {mean:.4f} exceeds {mean_limit}")
    return lines, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=1.03, help="for the lower bound of a row (default: 1.03)")
    parser.add_argument("--mean", type=float, default=1.005, help="for the mean of all rows (default: 1.005)")
    options = parser.parse_args()
    try:
        lines, failed = compare(read_rounds(options.folder), options.limit, options.mean)
    except Unusable as error:
        print(f"pairs.py: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{'row':<32} {'new/old':>7} {'lower':>7} {'upper':>7}")
    print("\n".join(lines + [f"FAILED {what}" for what in failed]))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
