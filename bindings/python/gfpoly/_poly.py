# Polynomials: the class Poly over the handles of _core.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

import operator
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Union, overload

from . import _core
from ._errors import FieldMismatch, SizeError, Unavailable, make
from ._field import Field, _length, living, of_handle, to_field
from ._options import Immutable, _check_text, _set, _shown, current

if TYPE_CHECKING:
    import numpy as np

    Words = np.ndarray[Any, np.dtype[np.uint64]]
    Coefficients = Union[Iterable[int], Mapping[int, int]]

_FORMATS = {"text": 0, "ntl": 1, "binary": 2}
_SHOWN = 6  # terms of str() and of a notebook


def _wrap(field: Field, handle: _core.Poly) -> "Poly":
    f = object.__new__(Poly)
    _set(f, "field", field)
    _set(f, "_h", handle)
    return f


def _is_integer(value: object) -> bool:
    """Whether value stands for an integer: arrays of one element have __index__, too, but a length."""
    kind = type(value)
    return isinstance(value, int) or (hasattr(kind, "__index__") and not hasattr(kind, "__len__"))


def terms(coeffs: "Mapping[int, int]", what: str) -> tuple[list[int], list[int]]:
    """The exponents and the coefficients of a mapping from exponents to coefficients."""
    exponents: list[int] = []
    numbers: list[int] = []
    for exponent, c in coeffs.items():
        try:
            i = operator.index(exponent)
        except TypeError:
            raise TypeError(f"{what}: the exponent {exponent!r:.100} is no integer") from None
        if i < 0:
            raise ValueError(f"{what}: the exponent {_shown(i)} is negative")
        if i >= 2**63 - 1:
            raise make(-2, f"{what}: the exponent {_shown(i)} is too large", 0, 0, 0, None)
        try:
            numbers.append(operator.index(c))
        except TypeError:
            raise TypeError(f"{what}[{i}]: {type(c).__name__} is no integer") from None
        exponents.append(i)
    if len(set(exponents)) < len(exponents):
        raise ValueError(f"{what}: an exponent occurs twice")
    return exponents, numbers


def _from_mapping(field: Field, coeffs: "Mapping[int, int]", reduce: bool) -> _core.Poly:
    p = field.p
    kept: list[tuple[int, int]] = []
    for i, c in zip(*terms(coeffs, "coeffs")):
        if not reduce and not -p < c < p:
            message = f"coeffs[{i}]: the integer is not between -p and p"
            raise make(-5, message, 0, 0, 0, i)
        if c % p != 0:
            kept.append((i, c % p))
    exponents = [i for i, _ in kept]
    numbers = [c for _, c in kept]
    n = max(exponents, default=-1) + 1
    return _core.poly_from_terms(field._h, exponents, numbers, n, current.get())


def as_object(self: object, dtype: Any = None, copy: Any = None) -> Any:
    """numpy's protocol __array__: a polynomial is one object of an array, not the row of its coefficients."""
    import numpy

    if dtype is not None and numpy.dtype(dtype) != numpy.dtype(object):
        raise TypeError(
            f"an array of polynomials has dtype object, not {numpy.dtype(dtype)}; f.coeffs() and f.digits"
            " are coefficients"
        )
    array: Any = numpy.empty((), dtype=object)
    array[()] = self
    return array


def _words(array: Any, columns: int, what: str) -> Any:
    """array, as what _core takes: contiguous rows of words."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, (numpy.ndarray, numpy.generic)):
        if not isinstance(array, numpy.ndarray):
            raise TypeError(f"{what}: an array is needed, not {type(array).__name__}")
        if array.dtype != numpy.uint64 or not array.dtype.isnative:
            raise TypeError(f"{what}: the dtype is {array.dtype}, uint64 is needed")
        if array.ndim != 2:
            raise ValueError(f"{what}: the array has {array.ndim} dimensions, 2 are needed")
        return numpy.ascontiguousarray(array)
    if not hasattr(array, "__dlpack__") and not isinstance(array, memoryview):
        raise TypeError(f"{what}: an array of uint64 is needed, not {type(array).__name__}")
    return array


class Poly(Immutable):
    """A polynomial over a field Z/pZ, p = r^k + 1. Polynomials do not change.

    The coefficients are a sequence, constant term first, or a mapping from exponents. Integers stand for elements: those between -p and p; coefficients of any size are taken with
    reduce=True. Results are in [0, p).

    >>> from gfpoly import Field, Poly
    >>> F = Field("p8")
    >>> f = Poly(F, [1, 0, 1])              # 1 + X^2
    >>> g = f * f - 2 * f + 1
    >>> g
    Poly(Field('p8'), [0, 0, 0, 0, 1])
    >>> g(3), len(g), g.degree, g[4], list(f)
    (81, 5, 4, 1, [1, 0, 1])
    >>> eval(repr(f)) == f == Poly(F, {2: 1, 0: 1})
    True
    """

    __slots__ = ("field", "_h", "_hash")
    __array__ = as_object
    field: Field
    _h: _core.Poly
    _hash: int

    def __new__(
        cls, field: Union[Field, str], coeffs: "Coefficients" = (), *, reduce: bool = False
    ) -> "Poly":
        F = to_field(field)
        if isinstance(coeffs, Poly):
            h = _wrap(F, _core.poly_from_ints(F._h, (), "coeffs"))._operand(coeffs, "coeffs")
        elif isinstance(coeffs, Mapping):
            h = _from_mapping(F, coeffs, reduce)
        else:
            if reduce:
                p = F.p
                coeffs = [c % p for c in _core.integers(coeffs, "coeffs")]
            h = _core.poly_from_ints(F._h, coeffs, "coeffs")
        self = object.__new__(cls)
        _set(self, "field", F)
        _set(self, "_h", h)
        return self

    def _operand(self, other: Any, what: str) -> _core.Poly:
        """The handle of a polynomial over this field, or of a constant."""
        if isinstance(other, Poly):
            if other.field is not self.field and other.field != self.field:
                raise FieldMismatch(
                    f"{what}: a polynomial over {other.field.name}, not over {self.field.name}"
                )
            return other._h
        if _is_integer(other):
            return _core.constant(self.field._h, other)
        raise TypeError(f"{what}: a polynomial or an integer is needed, not {type(other).__name__}")

    # ---- coefficients ----

    def __len__(self) -> int:
        return len(self._h)

    def __bool__(self) -> bool:
        return len(self._h) > 0

    @property
    def degree(self) -> int:
        """len - 1: -1 for the polynomial 0."""
        return len(self._h) - 1

    @property
    def leading(self) -> int:
        """The coefficient of the highest power, 0 of the polynomial 0."""
        n = len(self._h)
        return self._h.coeff(n - 1) if n else 0

    def coeffs(self) -> list[int]:
        """All coefficients, constant term first."""
        return self._h.ints()

    def __iter__(self) -> Iterator[int]:
        n = len(self._h)
        for i in range(0, n, 256):
            yield from self._h.ints(i, i + 256)

    @overload
    def __getitem__(self, i: int) -> int: ...
    @overload
    def __getitem__(self, i: slice) -> "Poly": ...
    def __getitem__(self, i: Union[int, slice]) -> Union[int, "Poly"]:
        """f[i] is the coefficient of X^i, 0 from len(f) on; f[-1] is the leading one. f[a:b:s] is the
        polynomial that has these coefficients.

        >>> from gfpoly import Field
        >>> f = Field("p8")([5, 6, 7, 8])
        >>> f[1], f[100], f[-1]
        (6, 0, 8)
        >>> f[1:3].coeffs(), f[::-1].coeffs(), f[::2].coeffs()
        ([6, 7], [8, 7, 6, 5], [5, 7])
        """
        n = len(self._h)
        if isinstance(i, slice):
            indices = range(*i.indices(n))
            step = indices.step if len(indices) > 1 else 1
            start = indices.start if len(indices) > 0 else 0
            return _wrap(self.field, _core.pick(self._h, start, step, len(indices)))
        try:
            index = operator.index(i)
        except TypeError:
            raise TypeError(f"index: {type(i).__name__} is no integer") from None
        if index < 0:
            index += n
            if index < 0:
                raise IndexError(
                    f"index: {_shown(index - n)} is below -{n}, and the polynomial has {n} coefficients"
                )
        return self._h.coeff(index) if index < n else 0

    # ---- arithmetic ----

    def __add__(self, other: Union["Poly", int]) -> "Poly":
        if not isinstance(other, Poly) and not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, _core.add(self._h, self._operand(other, "other"), current.get()))

    __radd__ = __add__

    def __sub__(self, other: Union["Poly", int]) -> "Poly":
        if not isinstance(other, Poly) and not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, _core.sub(self._h, self._operand(other, "other"), current.get()))

    def __rsub__(self, other: int) -> "Poly":
        if not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, _core.sub(self._operand(other, "other"), self._h, current.get()))

    def __neg__(self) -> "Poly":
        return _wrap(self.field, _core.neg(self._h))

    def __pos__(self) -> "Poly":
        return self

    def __mul__(self, other: Union["Poly", int]) -> "Poly":
        if isinstance(other, Poly):
            h = self._operand(other, "other")
            if h is self._h:
                return _wrap(self.field, _core.sqr(h, current.get()))
            return _wrap(self.field, _core.mul(self._h, h, current.get()))
        if _is_integer(other):
            return _wrap(self.field, _core.scale(self._h, other))
        return NotImplemented

    __rmul__ = __mul__

    def __divmod__(self, other: Union["Poly", int]) -> tuple["Poly", "Poly"]:
        if not isinstance(other, Poly) and not _is_integer(other):
            return NotImplemented
        q, r = _core.divrem(self._h, self._operand(other, "divisor"), current.get())
        return _wrap(self.field, q), _wrap(self.field, r)

    def __floordiv__(self, other: Union["Poly", int]) -> "Poly":
        if not isinstance(other, Poly) and not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, _core.div(self._h, self._operand(other, "divisor"), current.get()))

    def __mod__(self, other: Union["Poly", int]) -> "Poly":
        if not isinstance(other, Poly) and not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, _core.rem(self._h, self._operand(other, "divisor"), current.get()))

    def __truediv__(self, other: Union["Poly", int]) -> "Poly":
        """The quotient of an exact division; ArgumentError if the divisor does not divide."""
        if not isinstance(other, Poly) and not _is_integer(other):
            return NotImplemented
        return _wrap(
            self.field, _core.divexact(self._h, self._operand(other, "divisor"), current.get())
        )

    def __rdivmod__(self, other: int) -> tuple["Poly", "Poly"]:
        if not _is_integer(other):
            return NotImplemented  # type: ignore[no-any-return]
        dividend = _wrap(self.field, self._operand(other, "dividend"))
        return dividend // self, dividend % self

    def __rfloordiv__(self, other: int) -> "Poly":
        if not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, self._operand(other, "dividend")) // self

    def __rmod__(self, other: int) -> "Poly":
        if not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, self._operand(other, "dividend")) % self

    def __rtruediv__(self, other: int) -> "Poly":
        if not _is_integer(other):
            return NotImplemented
        return _wrap(self.field, self._operand(other, "dividend")) / self

    def __pow__(self, exponent: int, modulus: Any = None) -> "Poly":
        """f**e, and pow(f, e, g): f^e modulo g, where e may be negative; 0 modulo a constant.

        >>> from gfpoly import Field
        >>> x = Field("p8").x
        >>> pow(x, -1, x**2 + 1) == -x
        True
        """
        if not _is_integer(exponent):
            return NotImplemented
        if modulus is not None:
            from ._kept import Modulus

            if not isinstance(modulus, Modulus):
                g = _wrap(self.field, self._operand(modulus, "modulus"))
                if g.degree == 0:
                    return self % g
                modulus = Modulus(g)
            power: Poly = modulus.pow(self, exponent)
            return power
        e = operator.index(exponent)
        if e < 0:
            raise ValueError("exponent: a negative power needs a modulus")
        if max(self.degree, 0) * e >= 2**40:
            raise SizeError(f"exponent: the power has degree {self.degree} * {_shown(e)}")
        if self.degree < 1:
            return self.field([self.field.pow(self[0], e)])
        f = self.field([1])
        for bit in bin(e)[2:]:
            f = f * f
            if bit == "1":
                f = f * self
        return f

    def __lshift__(self, n: int) -> "Poly":
        """f X^n."""
        if not _is_integer(n):
            return NotImplemented
        return _wrap(self.field, _core.shift_left(self._h, _length(n, "n")))

    def __rshift__(self, n: int) -> "Poly":
        """f div X^n."""
        if not _is_integer(n):
            return NotImplemented
        return _wrap(self.field, _core.shift_right(self._h, _length(n, "n")))

    def monic(self) -> "Poly":
        """f divided by its leading coefficient."""
        return _wrap(self.field, _core.monic(self._h))

    def reverse(self, n: Optional[int] = None) -> "Poly":
        """X^(n-1) f(1/X), of f mod X^n; n = len(f) if it is not given."""
        size = len(self._h) if n is None else _length(n, "n")
        return _wrap(self.field, _core.reverse(self._h, size))

    def truncate(self, n: int) -> "Poly":
        """f mod X^n."""
        return _wrap(self.field, _core.truncate(self._h, _length(n, "n")))

    def derivative(self) -> "Poly":
        """The derivative."""
        return _wrap(self.field, _core.derivative(self._h, current.get()))

    def integral(self) -> "Poly":
        """The integral with constant term 0."""
        return _wrap(self.field, _core.integral(self._h, current.get()))

    # ---- parts of products ----

    def mullow(self, other: Union["Poly", int], n: int) -> "Poly":
        """f g mod X^n."""
        h = self._operand(other, "other")
        return _wrap(self.field, _core.mullow(self._h, h, _length(n, "n"), current.get()))

    def mulhigh(self, other: Union["Poly", int], n: int) -> "Poly":
        """f g div X^n."""
        h = self._operand(other, "other")
        return _wrap(self.field, _core.mulhigh(self._h, h, _length(n, "n"), current.get()))

    def mulmid(self, other: Union["Poly", int], start: int, n: int) -> "Poly":
        """(f g div X^start) mod X^n."""
        h = self._operand(other, "other")
        return _wrap(
            self.field,
            _core.mulmid(
                self._h, h, _length(start, "start"), _length(n, "n"), current.get()
            ),
        )

    def is_product(self, a: "Poly", b: "Poly") -> bool:
        """Whether this is a b: modulo a random polynomial, in a fraction of the product's time."""
        return _core.verify_mul(
            self._h, self._operand(a, "a"), self._operand(b, "b"), current.get()
        )

    # ---- greatest common divisors, resultants ----

    def gcd(self, other: Union["Poly", int]) -> "Poly":
        """The monic greatest common divisor.

        >>> from gfpoly import Field
        >>> x = Field("p8").x
        >>> (x**6 - 1).gcd(x**4 - 1)
        Poly(Field('p8'), [-1, 0, 1])
        """
        return _wrap(self.field, _core.gcd(self._h, self._operand(other, "other"), current.get()))

    def xgcd(self, other: Union["Poly", int]) -> tuple["Poly", "Poly", "Poly"]:
        """g, u, v with u f + v other = g, the greatest common divisor."""
        g, u, v = _core.xgcd(self._h, self._operand(other, "other"), current.get())
        return _wrap(self.field, g), _wrap(self.field, u), _wrap(self.field, v)

    def resultant(self, other: Union["Poly", int]) -> int:
        """The resultant.

        >>> from gfpoly import Field
        >>> F = Field("p8")
        >>> F([-2, 1]).resultant(F([-5, 0, 1])) == 2**2 - 5 + F.p
        True
        """
        return _core.resultant(self._h, self._operand(other, "other"), current.get())

    def discriminant(self) -> int:
        """The discriminant."""
        return _core.discriminant(self._h, current.get())

    def subresultant(self, other: Union["Poly", int], j: int) -> "Poly":
        """The subresultant of index j."""
        h = self._operand(other, "other")
        return _wrap(self.field, _core.subresultant(self._h, h, _length(j, "j"), current.get()))

    def reconstruct(self, modulus: "Poly", max_num: int, max_den: int) -> tuple["Poly", "Poly"]:
        """The fraction num / den that is f modulo the modulus, with bounded degrees."""
        h = self._operand(modulus, "modulus")
        num, den = _core.fraction(
            self._h, h, _length(max_num, "max_num"), _length(max_den, "max_den"), current.get()
        )
        return _wrap(self.field, num), _wrap(self.field, den)

    def pade(self, max_num: int, max_den: int) -> tuple["Poly", "Poly"]:
        """The fraction num / den that is f modulo X^(max_num + max_den + 1)."""
        num, den = _core.fraction(
            self._h, None, _length(max_num, "max_num"), _length(max_den, "max_den"), current.get()
        )
        return _wrap(self.field, num), _wrap(self.field, den)

    # ---- values ----

    @overload
    def __call__(self, x: int) -> int: ...
    @overload
    def __call__(self, x: "Poly") -> "Poly": ...
    def __call__(self, x: Union[int, "Poly"]) -> Union[int, "Poly"]:
        """f(x) for an integer, or the composition f(g) for a polynomial."""
        if isinstance(x, Poly):
            return self.compose(x)
        return _core.eval(self._h, x)

    def multipoint(self, points: Iterable[int]) -> list[int]:
        """The values at many points; gfpoly.Tree serves many polynomials at the same points.

        >>> from gfpoly import Field
        >>> Field("p8")([1, 0, 1]).multipoint([0, 1, -2])
        [1, 2, 5]
        """
        return _core.multieval(self._h, points, current.get())

    def compose(self, g: "Poly") -> "Poly":
        """f(g)."""
        return _wrap(self.field, _core.compose(self._h, self._operand(g, "g"), current.get()))

    def taylor_shift(self, c: int) -> "Poly":
        """f(X + c)."""
        return _wrap(self.field, _core.taylor_shift(self._h, c, current.get()))

    # ---- series ----

    def inverse_series(self, n: int) -> "Poly":
        """1 / f mod X^n."""
        return _wrap(self.field, _core.inv_series(self._h, _length(n, "n"), current.get()))

    def divide_series(self, g: "Poly", n: int) -> "Poly":
        """f / g mod X^n."""
        h = self._operand(g, "g")
        return _wrap(self.field, _core.div_series(self._h, h, _length(n, "n"), current.get()))

    def sqrt_series(self, n: int) -> "Poly":
        """The square root of f mod X^n; the constant term of both is 1."""
        return _wrap(self.field, _core.sqrt_series(self._h, _length(n, "n"), current.get()))

    def log_series(self, n: int) -> "Poly":
        """log f mod X^n; the constant term of f is 1."""
        return _wrap(self.field, _core.log_series(self._h, _length(n, "n"), current.get()))

    def exp_series(self, n: int) -> "Poly":
        """exp f mod X^n; the constant term of f is 0."""
        return _wrap(self.field, _core.exp_series(self._h, _length(n, "n"), current.get()))

    def pow_series(self, exponent: int, n: int) -> "Poly":
        """f^exponent mod X^n."""
        return _wrap(
            self.field, _core.pow_series(self._h, exponent, _length(n, "n"), current.get())
        )

    def compose_series(self, g: "Poly", n: int) -> "Poly":
        """f(g) mod X^n; the constant term of g is 0."""
        h = self._operand(g, "g")
        return _wrap(self.field, _core.compose_series(self._h, h, _length(n, "n"), current.get()))

    def revert_series(self, n: int) -> "Poly":
        """The series g with f(g) = X mod X^n."""
        return _wrap(self.field, _core.revert_series(self._h, _length(n, "n"), current.get()))

    # ---- roots and factors ----

    def roots(self) -> list[tuple[int, int]]:
        """(root, multiplicity) pairs.

        >>> from gfpoly import Field
        >>> x = Field("p8").x
        >>> ((x - 1)**2 * (x - 7)).roots()
        [(1, 2), (7, 1)]
        """
        return _core.roots(self._h, current.get())

    def factor(self) -> tuple[int, list[tuple["Poly", int]]]:
        """The leading coefficient, and (monic irreducible factor, exponent) pairs.

        >>> from gfpoly import Field
        >>> x = Field("p8").x
        >>> (3 * (x - 1)**2 * (x - 2)).factor()
        (3, [(Poly(Field('p8'), [-2, 1]), 1), (Poly(Field('p8'), [-1, 1]), 2)])
        """
        return self._factor(0)

    def factor_squarefree(self) -> tuple[int, list[tuple["Poly", int]]]:
        """The leading coefficient, and (square-free factor, exponent) pairs."""
        return self._factor(1)

    def factor_distinct_degree(self) -> tuple[int, list[tuple["Poly", int]]]:
        """Of a square-free polynomial: (product of all factors of a degree, that degree) pairs."""
        return self._factor(2)

    def _factor(self, kind: int) -> tuple[int, list[tuple["Poly", int]]]:
        leading, factors = _core.factor(self._h, kind, current.get())
        return leading, [(_wrap(self.field, g), e) for g, e in factors]

    def is_irreducible(self) -> bool:
        """Whether f is irreducible."""
        return _core.is_irreducible(self._h, current.get())

    # ---- arrays of words ----

    @property
    def digits(self) -> "Words":
        """A numpy array of len x k words (uint64): the digits of each coefficient in radix r, the least
        significant first. A read-only view: nothing is copied.

        >>> from gfpoly import Field, Poly
        >>> F = Field("p4")
        >>> F([1, F.r + 5]).digits
        array([[1, 0, 0, 0],
               [5, 1, 0, 0]], dtype=uint64)
        """
        digits: "Words" = self._h.digits()
        return digits

    @classmethod
    def from_digits(cls, field: Union[Field, str], array: Any) -> "Poly":
        """The polynomial of a numpy array as that of ``digits``, which is checked and copied."""
        F = to_field(field)
        words = _words(array, F.k, "array")
        return _wrap(F, _from_words(_core.poly_from_digits, F, words))

    def to_limbs(self) -> "Words":
        """A new numpy array of len x limbs words (uint64): each coefficient as an integer, the least
        significant word first."""
        limbs: "Words" = self._h.limbs()
        return limbs

    @classmethod
    def from_limbs(cls, field: Union[Field, str], array: Any) -> "Poly":
        """The polynomial of a numpy array as that of ``to_limbs``, with any number of words in a row."""
        F = to_field(field)
        words = _words(array, F.limbs, "array")
        return _wrap(F, _from_words(_core.poly_from_limbs, F, words))

    # ---- bytes, text, files ----

    def to_bytes(self) -> bytes:
        """gfpoly's binary format, with the field and checksums."""
        return self._h.binary()

    @classmethod
    def from_bytes(cls, data: Any, field: Union[Field, str, None] = None) -> "Poly":
        """The polynomial of ``to_bytes``. field: the field it must be over, if it is given."""
        try:
            block = data if type(data) is bytes else memoryview(data).tobytes()
        except TypeError:
            raise TypeError(f"data: bytes are needed, not {type(data).__name__}") from None
        F = None if field is None else to_field(field)
        return _read(_core.source_of_bytes(block), F, _FORMATS["binary"])

    def to_text(self, format: str = "text") -> str:
        """FLINT's text of an fmpz_mod_poly ("text") or NTL's of a ZZ_pX ("ntl").

        >>> from gfpoly import Field
        >>> Field("257")([3, 4]).to_text()
        '2 257  3 4'
        """
        number = _format(format)
        if number == 2:
            raise ValueError("format: the binary format is no text: to_bytes")
        return self._h.text(number)

    @classmethod
    def from_text(
        cls, text: str, field: Union[Field, str, None] = None, format: str = "text"
    ) -> "Poly":
        """The polynomial of ``to_text``. NTL's format needs the field; in FLINT's the prime may have
        several forms r^k + 1: without the field it is that of the smallest k."""
        if not isinstance(text, str):
            raise TypeError(f"text: a str is needed, not {type(text).__name__}")
        _check_text(text, "text")
        number = _format(format)
        if number == 2:
            raise ValueError("format: the binary format is no text: from_bytes")
        if field is None:
            words = text.split(None, 2)
            if number == 1 or len(words) < 2 or not words[1].isdecimal():
                raise ValueError("field: the text does not name its field")
            if len(words[1]) > 4940:
                raise ValueError("text: the modulus is longer than any prime served")
            field = Field(words[1])
        F = to_field(field)
        return _wrap(F, _core.poly_from_text(F._h, text, number))

    def save(self, path: Union[str, "os.PathLike[str]"], format: str = "binary") -> None:
        """Writes a file, a pipe or a device: "binary", "text" (FLINT's) or "ntl". The command gfpoly reads all
        three."""
        _core.poly_store(self._h, os.fsencode(path), _format(format))

    # ---- python-flint ----

    def to_flint(self) -> Any:
        """The same as an fmpz_mod_poly of python-flint."""
        import flint

        context: Any = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(self.field.p))
        return context(self.coeffs())

    @classmethod
    def from_flint(cls, f: Any, field: Union[Field, str, None] = None) -> "Poly":
        """The same as f, an fmpz_mod_poly of python-flint, whose modulus is r^k + 1."""
        if type(f).__name__ != "fmpz_mod_poly":
            raise TypeError(f"f: an fmpz_mod_poly is needed, not {type(f).__name__}")
        if not hasattr(f, "modulus"):
            raise Unavailable("f: this version of python-flint does not tell the modulus")
        prime = int(f.modulus())
        coeffs = [int(c) for c in f.coeffs()]
        F = Field(prime=prime) if field is None else to_field(field)
        if F.p != prime:
            raise FieldMismatch(f"f: the modulus is not that of {F.name}")
        return cls(F, coeffs)

    # ---- Python's own ----

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Poly):
            return _core.equal(self._h, other._h)
        if _is_integer(other):
            number: Any = other
            try:
                value = operator.index(number)
            except TypeError:
                return NotImplemented
            p = self.field.p
            return -p < value < p and len(self) <= 1 and self[0] == value % p
        return NotImplemented

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            # A constant equals its integer, but only integers in [0, p) hash alike.
            value = hash(self[0]) if len(self) < 2 else hash((self.field, self._h.words()))
            _set(self, "_hash", value)
            return value

    def __repr__(self) -> str:
        return f"Poly({self.field!r}, [{', '.join(map(self._number, self))}])"

    def _number(self, c: int) -> str:
        """c as Python reads it: -1 rather than p - 1; hexadecimal beyond Python's limit of digits."""
        negative = self.field.p - c < 2**32 and c > 2**32
        c = c - self.field.p if negative else c
        return str(c) if c.bit_length() < 14000 else hex(c)

    def _terms(self, number: Any, power: Any, times: str) -> list[str]:
        """The highest terms, "..." for others."""
        terms: list[str] = []
        for i in range(len(self) - 1, -1, -1):
            c = self[i]
            if c == 0:
                continue
            if len(terms) == _SHOWN:
                terms.append("...")
                break
            text = number(c)
            if i > 0:
                text = {"1": "", "-1": "-"}.get(text, text + times) + power(i)
            terms.append(text)
        return terms or ["0"]

    def __str__(self) -> str:
        """The six highest terms, and "..." for others: to_text() and repr() have all coefficients.

        >>> from gfpoly import Field
        >>> print(Field("p8")([1, -2, 0, 3]))
        3*X^3 - 2*X + 1
        """
        terms = self._terms(self._number, lambda i: "X" if i == 1 else f"X^{i}", "*")
        return " + ".join(terms).replace("+ -", "- ")

    def _repr_latex_(self) -> str:
        def number(c: int) -> str:
            text = self._number(c)
            return text if len(text) <= 24 else rf"{text[:8]}\cdots {text[-8:]}"

        terms = self._terms(number, lambda i: "X" if i == 1 else f"X^{{{i}}}", r"\,")
        text = " + ".join(terms).replace("+ -", "- ").replace("...", r"\cdots")
        return f"${text}$"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_pickle, (self.field, self._h.words())


def _from_pickle(field: Field, words: bytes) -> Poly:
    return _wrap(field, _core.poly_from_words(field._h, words))


def _from_words(function: Any, field: Field, words: Any) -> _core.Poly:
    try:
        made: _core.Poly = function(field._h, words, "array")
    except TypeError:
        raise TypeError(
            "array: an array of two dimensions of uint64, row by row, on the CPU is needed"
        ) from None
    return made


def _read(source: _core.Source, field: Optional[Field], given: Optional[int] = None) -> Poly:
    """The polynomial of a source, in the given format or that of its first bytes."""
    format, r, k = source.peek()
    if field is None:
        if format == _FORMATS["ntl"]:
            raise ValueError("field: NTL's format does not name the field")
        field = living(r, k)
    number = format if given is None else given
    handle, f = source.read(None if field is None else field._h, number)
    if handle is not None:
        field = of_handle(handle)
    assert field is not None
    return _wrap(field, f)


def _format(format: str) -> int:
    if not isinstance(format, str) or format not in _FORMATS:
        raise ValueError(f"format: {format!r} is none of 'text', 'ntl', 'binary'")
    return _FORMATS[format]


def load(
    path: Union[str, "os.PathLike[str]"], field: Union[Field, str, None] = None
) -> Poly:
    """The polynomial of a file, a pipe or a device in any of the formats of Poly.save. field: the field that it
    must be over, which NTL's format needs."""
    F = None if field is None else to_field(field)
    return _read(_core.source_of_path(os.fsencode(path)), F)
