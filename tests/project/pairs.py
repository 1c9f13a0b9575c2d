#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests of bench/pairs.py over made-up times whose comparison is known. Argument: the script."""
import math
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop()
ROUNDS = 8
ROWS = {f"product/p8/{2 ** e}": 1000.0 * 2 ** e for e in range(4, 14)}


class Pairs(unittest.TestCase):
    def compare(self, ratio, noise, rounds=ROUNDS, drop=None):
        """Runs the script on times of new = ratio(row) times those of old, both with noise."""
        draw = random.Random(1)
        with tempfile.TemporaryDirectory() as folder:
            for i in range(1, rounds + 1):
                for side in ("old", "new"):
                    text = "# cpu: none\nrow,min_ns,median_ns,samples\n"
                    for row, ns in ROWS.items():
                        ns *= math.exp(draw.gauss(0, noise)) * (ratio(row) if side == "new" else 1)
                        if side == "old" or row != drop:
                            text += f"{row},{ns:.0f},{1.1 * ns:.0f},9\n"
                    (Path(folder) / f"{side}-{i}.csv").write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_equal_times_pass(self):
        code, text = self.compare(lambda row: 1, 0)
        self.assertEqual(code, 0, text)
        self.assertIn("product/p8/16                     1.0000  1.0000  1.0000", text)
        self.assertIn("geometric mean of 10 rows         1.0000", text)

    def test_noise_alone_passes(self):
        code, text = self.compare(lambda row: 1, 0.02)
        self.assertEqual(code, 0, text)

    def test_a_slower_row_fails_and_is_named(self):
        code, text = self.compare(lambda row: 1.1 if row == "product/p8/64" else 0.98, 0.01)
        self.assertEqual(code, 1, text)
        failures = [line for line in text.splitlines() if line.startswith("FAILED")]
        self.assertEqual(len(failures), 1, text)
        self.assertIn("product/p8/64:", failures[0])

    def test_all_rows_a_little_slower_fail_together(self):
        code, text = self.compare(lambda row: 1.01, 0.001)
        self.assertEqual(code, 1, text)
        self.assertIn("FAILED the geometric mean 1.01", text)

    def test_faster_rows_pass(self):
        code, text = self.compare(lambda row: 0.5, 0.02)
        self.assertEqual(code, 0, text)

    def test_a_missing_row_fails(self):
        code, text = self.compare(lambda row: 1, 0, drop="product/p8/32")
        self.assertEqual(code, 1, text)
        self.assertIn("FAILED product/p8/32: new does not have this row", text)

    def test_one_round_is_too_few(self):
        self.assertEqual(self.compare(lambda row: 1, 0, rounds=1)[0], 2)

    def test_the_interval_is_students(self):
        """The ratios 1 and 1.2 have the mean m = ln(1.2) / 2, the deviation m sqrt(2), and t = 12.706."""
        sys.path.insert(0, str(Path(SCRIPT).parent))
        import pairs  # pylint: disable=import-outside-toplevel
        m = math.log(1.2) / 2
        for found, expected in zip(pairs.interval([0, 2 * m]), (m, m - 12.706 * m, m + 12.706 * m)):
            self.assertAlmostEqual(math.log(found), expected, places=9)


if __name__ == "__main__":
    unittest.main()
