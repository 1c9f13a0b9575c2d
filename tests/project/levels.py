#!/usr/bin/env python3
# Compares the page of kernel levels, docs/design/kernels.md, with the code: every table with a row for each level
# (GFP_LEVEL_ROWS) is on the page with its rows, block sizes have the values that the page states, tables of numbers by
# level are named, and no other code of the lower rooms chooses by the level.
# SPDX-License-Identifier: LGPL-3.0-or-later
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import all_hold, claim, constant  # noqa: E402

PAGE = (ROOT / "docs/design/kernels.md").read_text()
ROOMS = "field fft crt gpu product poly modular papers bindings".split()
# Comparisons with a level that do not choose code: conversions by the portable level have no lanes; the reference of
# the outer DFT is the portable level's; thresholds; the row of a level that was not measured.
COMPARISONS = {"field/base/cpu.h", "field/convert.c", "fft/outer/levels.c", "product/methods/karatsuba.c", "modular/choice.c",
               "papers/complexity/counts.c"}
# Tables of numbers, members of structures among them; comparisons and cases.
NUMBERS = r"\[GFP_LEVEL_(?:COUNT|MEASURED)\](?:\[\w+\])*\s*(?:=\s*\{|;)"
CHOICE = r"(?:[=!<>]=|[^-<>][<>])\s*GFP_LEVEL_(?!COUNT|MEASURED)|case GFP_LEVEL_"


def section(title):
    return re.search(rf"^### {title}\n(.*?)(?=^##)", PAGE, re.S | re.M).group(1)


def rows(text):
    """The cells of the rows of the section's table, without its head."""
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return found[2:]


def names(text):
    return set(re.findall(r"`([^`]+)`", text))


def argument_lists(text):
    """The five rows of each GFP_LEVEL_ROWS(...) of a source: the names in them."""
    for found in re.finditer(r"GFP_LEVEL_ROWS\((.*?)\);", text, re.S):
        parts = re.split(r",(?![^{(]*[)}])", found[1])
        assert len(parts) == 5, found[0]
        yield tuple(re.sub(r"\w+\((\w+)\)|&", r"\1", part).strip(" \n{}") for part in parts)


def check_tables():
    page = sorted((names(row[1]).pop(), *(cell.strip("`") for cell in row[2:])) for row in rows(section("Tables by level")))
    code = sorted((str(path.relative_to(ROOT)), *row) for room in ROOMS for path in (ROOT / room).rglob("*.c")
                  for row in argument_lists(path.read_text()))
    for row in page:
        claim(row in code, f"the code has the table {row}")
    for row in code:
        claim(row in page, f"the page has the table {row}")


def check_sizes():
    for what, level, name, path, value in rows(section("Block sizes")):
        path, name = path.strip("`"), name.strip("`")
        if ";" in value:  # a macro that a source of two widths defines twice
            found = "; ".join(re.findall(rf"# *define {name} (\d+)$", (ROOT / path).read_text(), re.M))
        else:
            found = str(constant(path, name))
        claim(found == value, f"{what}, {level}: {name} = {value}")


def check_numbers():
    text = names(section("Numbers by level"))
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.[ch]"):
            place, source = str(path.relative_to(ROOT)), path.read_text()
            if re.search(NUMBERS, source) and place != "field/base/cpu.c":
                claim(place in text, f"the page names the numbers of {place}")
            if re.search(CHOICE, source):
                claim(place in COMPARISONS, f"{place} chooses by a table")


check_tables()
check_sizes()
check_numbers()
all_hold()
