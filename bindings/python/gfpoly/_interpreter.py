# The module _core serves one interpreter of a process: another one would take its types away.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

import importlib
from typing import Any


def check() -> None:
    """Raises ImportError in a subinterpreter, before _core is loaded."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # from Python 3.13 on; before
        try:
            interpreters: Any = importlib.import_module(name)
        except ImportError:
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError("gfpoly: only the main interpreter of a process can import this package")
        return
