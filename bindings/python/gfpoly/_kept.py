# Objects that serve many calls: a polynomial as modulus, a tree of points.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

from typing import Iterable, Union

from . import _core
from ._field import Field, to_field
from ._options import Immutable, _set, current
from ._poly import Poly, _is_integer, _wrap


class Modulus(Immutable):
    """Arithmetic modulo a polynomial. Keeps transforms of it, so that many products take less time.

    >>> from gfpoly import Field, Modulus
    >>> F = Field("p8")
    >>> M = Modulus(F.x**2 + 1)
    >>> M.mul(F.x, F.x)
    Poly(Field('p8'), [-1])
    >>> M.pow(F.x, F.p) == F.x              # p = 1 mod 4
    True
    """

    __slots__ = ("poly", "_h")

    poly: Poly
    _h: _core.Modulus

    def __new__(cls, f: Poly) -> "Modulus":
        if not isinstance(f, Poly):
            raise TypeError(f"f: a polynomial is needed, not {type(f).__name__}")
        self = object.__new__(cls)
        _set(self, "_h", _core.modulus_create(f._h, current.get()))
        _set(self, "poly", f)
        return self

    def reduce(self, a: Union[Poly, int]) -> Poly:
        """a modulo f."""
        h = self.poly._operand(a, "a")
        return _wrap(self.poly.field, _core.rem_mod(self._h, h, current.get()))

    def mul(self, a: Union[Poly, int], b: Union[Poly, int]) -> Poly:
        """a b modulo f."""
        x, y = self.poly._operand(a, "a"), self.poly._operand(b, "b")
        return _wrap(self.poly.field, _core.mul_mod(self._h, x, y, current.get()))

    def square(self, a: Union[Poly, int]) -> Poly:
        """a^2 modulo f."""
        h = self.poly._operand(a, "a")
        return _wrap(self.poly.field, _core.mul_mod(self._h, h, h, current.get()))

    def pow(self, a: Union[Poly, int], exponent: int) -> Poly:
        """a^exponent modulo f; the exponent may be negative."""
        if not _is_integer(exponent):
            raise TypeError(f"exponent: {type(exponent).__name__} is no integer")
        h = self.poly._operand(a, "a")
        return _wrap(self.poly.field, _core.pow_mod(self._h, h, exponent, current.get()))

    def inv(self, a: Union[Poly, int]) -> Poly:
        """1 / a modulo f."""
        h = self.poly._operand(a, "a")
        return _wrap(self.poly.field, _core.inv_mod(self._h, h, current.get()))

    def compose(self, a: Poly, b: Poly) -> Poly:
        """a(b) modulo f."""
        x, y = self.poly._operand(a, "a"), self.poly._operand(b, "b")
        return _wrap(self.poly.field, _core.compose_mod(self._h, x, y, current.get()))

    def minpoly(self, a: Union[Poly, int]) -> Poly:
        """The minimal polynomial of a modulo f."""
        h = self.poly._operand(a, "a")
        return _wrap(self.poly.field, _core.minpoly_mod(self._h, h, current.get()))

    def charpoly(self, a: Union[Poly, int]) -> Poly:
        """The characteristic polynomial of a modulo f."""
        h = self.poly._operand(a, "a")
        return _wrap(self.poly.field, _core.charpoly_mod(self._h, h, current.get()))

    def __repr__(self) -> str:
        return f"Modulus({self.poly!r})"

    def __reduce__(self) -> tuple[type, tuple[Poly]]:
        return Modulus, (self.poly,)


class Tree(Immutable):
    """Points for many values and interpolations.

    >>> from gfpoly import Field, Tree
    >>> F = Field("p8")
    >>> T = Tree(F, [0, 1, 2])
    >>> T(F([1, 0, 1]))
    [1, 2, 5]
    >>> T.interpolate([1, 2, 5])
    Poly(Field('p8'), [1, 0, 1])
    >>> T.product() == F.from_roots([0, 1, 2])
    True
    """

    __slots__ = ("field", "_h")

    field: Field
    _h: _core.Tree

    def __new__(cls, field: Union[Field, str], points: Iterable[int]) -> "Tree":
        self = object.__new__(cls)
        _set(self, "field", to_field(field))
        _set(self, "_h", _core.tree_create(self.field._h, points, current.get()))
        return self

    def __len__(self) -> int:
        return len(self._h)

    def __call__(self, f: Union[Poly, int]) -> list[int]:
        """The values of f at the points."""
        zero = _wrap(self.field, _core.poly_from_ints(self.field._h, (), "f"))
        return _core.tree_eval(self._h, zero._operand(f, "f"), current.get())

    def interpolate(self, values: Iterable[int]) -> Poly:
        """The polynomial of least degree with these values."""
        return _wrap(self.field, _core.tree_interpolate(self._h, values, current.get()))

    def product(self) -> Poly:
        """The product of X - point."""
        return _wrap(self.field, _core.tree_product(self._h))
