# guide.py: the program around the section "From python-flint" of docs/porting.md, whose lines tests/project/porting.sh puts into the
# file that is the argument. A row sets results on both sides, h and H and so on: all are equal, and one at least is set.
# SPDX-License-Identifier: LGPL-3.0-or-later
import sys

NAMES = "hqrstn"
failures = []
rows = 0
scope = {}


def value(x):
    """A polynomial of either package as a list of integers; anything else as it is."""
    coeffs = getattr(x, "coeffs", None)
    return [int(c) for c in coeffs()] if coeffs else x


def begin_row():
    for name in NAMES:
        scope.pop(name, None)
        scope.pop(name.upper(), None)


def end_row(row):
    global rows
    rows += 1
    left = {name: value(scope[name]) for name in NAMES if name in scope}
    right = {name: value(scope[name.upper()]) for name in NAMES if name.upper() in scope}
    if not left or left != right:
        failures.append(row)


scope.update(begin_row=begin_row, end_row=end_row)
with open(sys.argv[1], encoding="utf-8") as guide:
    exec(compile(guide.read(), "docs/porting.md", "exec"), scope)
for row in failures:
    print("the sides differ after:", row)
print(f"{rows} rows, {len(failures)} failures")
sys.exit(bool(failures))
