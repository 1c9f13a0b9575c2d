# Rows of bench/hosts/tables.py, of the default field and length, from figures of gfpoly_peers --hosts; no Python package is
# needed. Arguments: the build's folder, its hosts.
# SPDX-License-Identifier: LGPL-3.0-or-later
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/hosts"))
import tables  # noqa: E402


def case_in(folder, options):
    case = tables.Case.__new__(tables.Case)
    case.folder, case.figures_of, case.build = pathlib.Path(folder), {}, pathlib.Path(options.build).resolve()
    case.field, case.seconds = options.field, options.seconds
    case.p = (2**63 + 2**34) ** 8 + 1
    case.a = case.b = [0] * options.terms
    return case


def missing(rows, words):
    try:
        rows()
    except tables.Missing as reason:
        assert words in str(reason), reason
    else:
        raise SystemExit(f"no reason why a row is missing: {words}")


build, hosts = sys.argv[1], sys.argv[2:]
options = tables.parse(["--build", build, "--seconds", "0.001"])
assert (options.field, options.terms) == ("p8", 5000)
with tempfile.TemporaryDirectory() as folder:
    case = case_in(folder, options)
    for host in hosts:
        version, alone, ours = case.host(host)
        assert version[0].isdigit() and min(alone, ours) > 0, (host, version, alone, ours)
    (row,) = tables.words_rows(case)
    assert row[3].startswith("arrays of words") and row[4] > 0, row
    assert any(line.startswith("- cpu: ") for line in case.facts()), case.facts()

    # Each host alone has the rows of conversions; without any there are no facts, and each row has a reason.
    for host in hosts:
        alone = case_in(folder, options)
        alone.figures_of[host] = case.figures_of[host]
        alone.build = pathlib.Path(folder)
        assert next(tables.words_rows(alone))[0] == row[0] and alone.facts(), host
        alone.p = 2**1000 + 1
        missing(lambda: alone.host(host), "no product of this size")
    nothing = case_in(folder, options)
    nothing.build = pathlib.Path(folder)
    assert nothing.facts() == []
    missing(lambda: list(tables.words_rows(nothing)), "gfpoly_peers is not built")
    missing(lambda: nothing.program([sys.executable, "-c", "raise SystemExit('x was not loaded')"]), "x was not loaded")
