# Polynomials over the integers.
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Polynomials over the integers, as lists of coefficients, constant term first; an argument may also
be a mapping from exponents to coefficients. Results are computed modulo primes; no choice of primes
makes a result wrong.

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

from collections.abc import Mapping
from typing import Iterable, Union

from . import _core
from ._errors import make
from ._options import current
from ._poly import terms

__all__ = ["zmul", "zgcd", "zgcd_cofactors", "zresultant", "zdiscriminant", "zcontent"]

_Integers = Union[Iterable[int], Mapping[int, int]]


def _dense(coeffs: _Integers, what: str) -> Iterable[int]:
    if not isinstance(coeffs, Mapping):
        return coeffs
    exponents, numbers = terms(coeffs, what)
    n = max((i for i, c in zip(exponents, numbers) if c != 0), default=-1) + 1
    handle = current.get()
    if handle is not None and 0 < handle.memory_cap < 8 * n:
        message = f"{what}: {n} coefficients need more than {handle.memory_cap} bytes"
        raise make(-1, message, 0, 0, 0, None)
    try:
        dense = [0] * n
    except MemoryError:
        raise make(-1, f"{what}: no memory for {n} coefficients", 0, 0, 0, None) from None
    for i, c in zip(exponents, numbers):
        if c != 0:
            dense[i] = c
    return dense


def zmul(a: _Integers, b: _Integers) -> list[int]:
    """The product."""
    return _core.zmul(_dense(a, "a"), _dense(b, "b"), current.get())


def zgcd(a: _Integers, b: _Integers) -> list[int]:
    """The greatest common divisor, content included, with a positive leading coefficient."""
    return _core.zgcd(_dense(a, "a"), _dense(b, "b"), current.get())


def zgcd_cofactors(a: _Integers, b: _Integers) -> tuple[list[int], list[int], list[int]]:
    """g, a / g and b / g."""
    return _core.zgcd_cofactors(_dense(a, "a"), _dense(b, "b"), current.get())


def zresultant(a: _Integers, b: _Integers) -> int:
    """The resultant."""
    return _core.zresultant(_dense(a, "a"), _dense(b, "b"), current.get())


def zdiscriminant(f: _Integers) -> int:
    """The discriminant."""
    return _core.zdiscriminant(_dense(f, "f"), current.get())


def zcontent(f: _Integers) -> int:
    """The greatest common divisor of the coefficients."""
    return _core.zcontent(_dense(f, "f"), current.get())
