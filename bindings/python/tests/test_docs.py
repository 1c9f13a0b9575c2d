# The examples in docstrings, and those of docs/python.md where the page is at hand.
# SPDX-License-Identifier: LGPL-3.0-or-later
import doctest
import importlib
import pathlib

import pytest
from conftest import flint_or_skip

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"


@pytest.mark.parametrize("name", ["", "._field", "._poly", "._kept", "._options", ".zz", ".comparison"])
def test_docstrings(name):
    pytest.importorskip("numpy")
    module = importlib.import_module("gfpoly" + name)
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


def test_page(tmp_path, monkeypatch):
    if not PAGE.exists():
        pytest.skip("docs/python.md is not here")
    pytest.importorskip("numpy")
    flint_or_skip()
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    examples = doctest.DocTestParser().get_doctest(
        text.replace("```", ""), {}, "docs/python.md", str(PAGE), 0
    )
    assert len(examples.examples) > 20
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert result.failed == 0
