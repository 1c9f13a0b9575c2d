# Exceptions: one class for each kind of error of the library, each also of Python's own kind.
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Exceptions of gfpoly. All of them are :class:`Error`, and each is also the exception of Python
that a program would expect: a division by zero is a ZeroDivisionError, for instance."""

from __future__ import annotations

from typing import Optional

from . import _core


class Error(Exception):
    """An error of gfpoly. ``status`` is its name in the library, ``index`` the coefficient that is at
    fault (or None), ``line``, ``column`` and ``offset`` the place in a text (0: none)."""

    status: str = ""
    index: Optional[int] = None
    line: int = 0
    column: int = 0
    offset: int = 0


class OutOfMemory(Error, MemoryError):
    """Memory ran out, or a call needs more than ``options(memory_cap=...)``."""


class SizeError(Error, OverflowError):
    """A length is too large for any memory."""

    status = "SIZE"


class ArgumentError(Error, ValueError):
    """An argument is outside its range."""


class ParseError(Error, ValueError):
    """A text or a file is malformed."""


class RangeError(Error, ValueError):
    """An integer that stands for an element is not between -p and p."""


class FieldError(Error, ValueError):
    """A number is no prime r^k + 1 that gfpoly serves, or a name is unknown."""


class FieldMismatch(Error, ValueError):
    """Polynomials over different fields were mixed."""

    status = "FIELD_MISMATCH"


class NotInvertible(Error, ZeroDivisionError):
    """A division by zero, or by something that has a factor in common with the modulus."""


class Unavailable(Error, NotImplementedError):
    """A method cannot serve this problem, or was not built."""

    status = "UNAVAILABLE"


class VerifyError(Error, ArithmeticError):
    """A result failed its verification; it was discarded."""

    status = "VERIFY"


class FileError(Error, OSError):
    """Reading or writing failed."""


class Cancelled(Error):
    """The progress callback returned False."""


class DeviceError(Error, RuntimeError):
    """The GPU reported an error, or was lost."""


_STATUS: dict[int, tuple[str, type[Error]]] = {
    -1: ("MEMORY", OutOfMemory),
    -2: ("SIZE", SizeError),
    -3: ("ARGUMENT", ArgumentError),
    -4: ("PARSE", ParseError),
    -5: ("RANGE", RangeError),
    -6: ("COMPOSITE", FieldError),
    -7: ("MODULUS", FieldError),
    -8: ("UNPROVED", FieldError),
    -9: ("FIELD_MISMATCH", FieldMismatch),
    -10: ("NOT_INVERTIBLE", NotInvertible),
    -11: ("NO_ROOT", ArgumentError),
    -12: ("UNAVAILABLE", Unavailable),
    -13: ("UNKNOWN", ArgumentError),
    -14: ("VERIFY", VerifyError),
    -15: ("IO", FileError),
    -16: ("VERSION", Unavailable),
    -17: ("CANCELLED", Cancelled),
    -18: ("DEVICE", DeviceError),
}


def make(
    status: int, message: str, line: int, column: int, offset: int, index: Optional[int]
) -> Error:
    name, kind = _STATUS.get(status, (str(status), Error))
    if line:
        message = f"line {line}, column {column}: {message}"
    error = kind(message)
    error.status = name
    error.index = index
    error.line = line
    error.column = column
    error.offset = offset
    return error


for _class in [Error, *Error.__subclasses__()]:
    _class.__module__ = "gfpoly"
_core.set_error_maker(make)
