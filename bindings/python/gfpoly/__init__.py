# gfpoly for Python: what the package offers.
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Dense univariate polynomials over Z/pZ for big primes p = r^k + 1.

>>> import gfpoly
>>> F = gfpoly.Field("p8")
>>> f, g = F.random(1000, seed=1), F.random(1000, seed=2)
>>> h = f * g
>>> h % f == 0, h // g == f, h.gcd(f) == f.monic()
(True, True, True)
"""

from ._interpreter import check as _check

_check()
from . import zz
from ._errors import (
    ArgumentError,
    Cancelled,
    DeviceError,
    Error,
    FieldError,
    FieldMismatch,
    FileError,
    NotInvertible,
    OutOfMemory,
    ParseError,
    RangeError,
    SizeError,
    Unavailable,
    VerifyError,
)
from ._field import Field, named_fields
from ._kept import Modulus, Tree
from ._options import carry_options, options
from ._poly import Poly, load
from .comparison import Comparison, compare, info

from ._core import version as _version

__version__ = _version()

__all__ = [
    "ArgumentError",
    "Cancelled",
    "Comparison",
    "DeviceError",
    "Error",
    "Field",
    "FieldError",
    "FieldMismatch",
    "FileError",
    "Modulus",
    "NotInvertible",
    "OutOfMemory",
    "ParseError",
    "Poly",
    "RangeError",
    "SizeError",
    "Tree",
    "Unavailable",
    "VerifyError",
    "carry_options",
    "compare",
    "info",
    "load",
    "named_fields",
    "options",
    "zz",
]
