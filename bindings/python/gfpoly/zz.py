# Polynomials over the integers.
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Polynomials over the integers, as lists of coefficients, constant term first. Results are
computed modulo primes; no choice of primes makes a result wrong.

>>> from gfpoly import zz
>>> zz.zmul([1, 2], [-1, 1])
[-1, -1, 2]
>>> zz.zgcd([-2, 0, 2], [4, 4])
[2, 2]
>>> zz.zresultant([-2, 0, 1], [-3, 0, 1])
1
>>> zz.zdiscriminant([1, 1, 1])
-3
"""

from __future__ import annotations

from typing import Iterable

from . import _core
from ._options import current

__all__ = ["zmul", "zgcd", "zgcd_cofactors", "zresultant", "zdiscriminant", "zcontent"]


def zmul(a: Iterable[int], b: Iterable[int]) -> list[int]:
    """The product."""
    return _core.zmul(a, b, current.get())


def zgcd(a: Iterable[int], b: Iterable[int]) -> list[int]:
    """The greatest common divisor, content included, with a positive leading coefficient."""
    return _core.zgcd(a, b, current.get())


def zgcd_cofactors(a: Iterable[int], b: Iterable[int]) -> tuple[list[int], list[int], list[int]]:
    """g, a / g and b / g."""
    return _core.zgcd_cofactors(a, b, current.get())


def zresultant(a: Iterable[int], b: Iterable[int]) -> int:
    """The resultant."""
    return _core.zresultant(a, b, current.get())


def zdiscriminant(f: Iterable[int]) -> int:
    """The discriminant."""
    return _core.zdiscriminant(f, current.get())


def zcontent(f: Iterable[int]) -> int:
    """The greatest common divisor of the coefficients."""
    return _core.zcontent(f, current.get())
