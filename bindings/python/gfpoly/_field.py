# Fields: the class Field over the handles of _core.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

import operator
import os
import random as _random
import threading
from collections.abc import Set
from typing import TYPE_CHECKING, Any, Iterable, Optional
from weakref import WeakValueDictionary

from . import _core
from ._options import Immutable, _check_text, _natural, _set, current

if TYPE_CHECKING:
    from ._poly import Coefficients, Poly

# The fields in use by their r and k: a field is proved once while it lives. A signal's handler may come while its
# thread holds the lock, and a fork while another thread does.
_cache: "WeakValueDictionary[tuple[int, int], Field]" = WeakValueDictionary()
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def living(r: int, k: int) -> Optional["Field"]:
    """The field r^k + 1 if the process has it."""
    return _cache.get((r, k))


def of_handle(handle: _core.Field) -> "Field":
    """The field of a handle, or that of the same r and k which the process has."""
    made = object.__new__(Field)
    _set(made, "_h", handle)
    _set(made, "_p", handle.p)
    key = (handle.r, handle.k)
    with _lock:
        known = _cache.get(key)
        if known is None:
            known = _cache[key] = made
        return known


def _field_rk(r: int, k: int) -> "Field":
    """The field r^k + 1; proved if the process does not have it."""
    known = living(r, k)
    return of_handle(_core.field_create(r, k)) if known is None else known


def _length(value: Any, what: str) -> int:
    """A length or an index: an integer that is not negative and fits the machine."""
    return _natural(value, what, 2**63)


def _seed(seed: Optional[int]) -> int:
    return _random.getrandbits(64) if seed is None else _natural(seed, "seed", 2**64)


class Field(Immutable):
    """The field Z/pZ for a prime p = r^k + 1. One object stands for each field of the process: a field
    that is in use is found by any of its forms, by pickles and by files, with its threads and limits,
    and is not proved again.

    >>> from gfpoly import Field
    >>> F = Field("p8")                     # a name
    >>> F == Field("(2^63+2^34)^8+1")       # a formula
    True
    >>> F == Field(prime=F.p) == Field(r=2**63 + 2**34, k=8)
    True
    >>> F.k, F.bits
    (8, 505)
    >>> F([1, 2, -3])                       # 1 + 2 X - 3 X^2
    Poly(Field('p8'), [1, 2, -3])
    """

    __slots__ = ("_h", "_p", "__weakref__")
    _h: _core.Field
    _p: int

    def __new__(
        cls,
        text: Optional[str] = None,
        *,
        prime: Optional[int] = None,
        r: Optional[int] = None,
        k: Optional[int] = None,
    ) -> "Field":
        ways = (text is not None) + (prime is not None) + (r is not None or k is not None)
        if ways != 1:
            raise TypeError("a field is given by a name or formula, or by prime=, or by r= and k=")
        if text is not None:
            if not isinstance(text, str):
                raise TypeError(
                    f"text: {type(text).__name__} is no name or formula (a prime is given by prime=)"
                )
            _check_text(text, "text")
            return _field_rk(*_core.field_parse(text))
        if prime is not None:
            try:
                number = operator.index(prime)
            except TypeError:
                raise TypeError(f"prime: {type(prime).__name__} is no integer") from None
            if number < 0 or number.bit_length() > 64 * 256 + 1:
                raise ValueError("prime: the number is negative, or longer than any prime served")
            return _field_rk(*_core.field_parse(hex(number)))
        if r is None or k is None:
            raise TypeError("a field is given by both r= and k=")
        return _field_rk(_natural(r, "r", 2**64), _natural(k, "k", 2**32))

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "threads":
            super().__setattr__(name, value)
        object.__setattr__(self, name, value)

    # ---- properties ----

    @property
    def name(self) -> str:
        """The name, or the formula of a field without one."""
        return self._h.name

    @property
    def p(self) -> int:
        """The prime."""
        return self._p

    @property
    def r(self) -> int:
        """The radix r of p = r^k + 1."""
        return self._h.r

    @property
    def k(self) -> int:
        """The number of digits of an element."""
        return self._h.k

    @property
    def bits(self) -> int:
        """The bits of p."""
        return self._h.bits

    @property
    def limbs(self) -> int:
        """The 64-bit words of p."""
        return self._h.limbs

    @property
    def threads(self) -> int:
        """The threads that a call over this field may use, 1 at first; it can be set."""
        return self._h.threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._h.threads = _natural(threads, "threads", 2**31)

    @property
    def certificate(self) -> tuple[str, list[tuple[int, int]]]:
        """The proof that p is prime: the theorem, and (prime factor of p - 1, base) pairs."""
        return self._h.certificate()

    def kept_memory(self) -> int:
        """The bytes that the field keeps for its next products."""
        return self._h.kept_memory()

    def release_memory(self) -> None:
        """Gives these bytes back."""
        self._h.release_memory()

    def limit_memory(self, bytes: int) -> None:
        """Sets how many bytes the field may keep: 1 GiB at first."""
        self._h.limit_memory(_length(bytes, "bytes"))

    # ---- elements ----

    def pow(self, x: int, exponent: int) -> int:
        """x^exponent modulo p; the exponent may be negative.

        >>> from gfpoly import Field
        >>> F = Field("p4")
        >>> F.pow(3, -1) * 3 % F.p
        1
        """
        return self._h.pow(x, exponent)

    def inv(self, x: int) -> int:
        """1 / x modulo p."""
        return self._h.pow(x, -1)

    def root(self, m: int) -> int:
        """A root of unity of order 2^m; that of order 2 k is r."""
        return self._h.root(_natural(m, "m", 2**32))

    # ---- polynomials ----

    def __call__(self, coeffs: "Coefficients" = (), *, reduce: bool = False) -> "Poly":
        """Poly(self, coeffs)."""
        return _make(self, coeffs, reduce)

    @property
    def x(self) -> "Poly":
        """The polynomial X.

        >>> from gfpoly import Field
        >>> x = Field("p8").x
        >>> (x + 1)**2
        Poly(Field('p8'), [1, 2, 1])
        """
        return _make(self, (0, 1), False)

    def random(self, n: int, *, seed: Optional[int] = None) -> "Poly":
        """n random coefficients: those of the seed are the same on every machine."""
        return _wrap(self, _core.random_poly(self._h, _length(n, "n"), _seed(seed)))

    def irreducible(self, n: int, *, seed: Optional[int] = None) -> "Poly":
        """A random monic irreducible polynomial of degree n."""
        return _wrap(
            self,
            _core.random_irreducible(self._h, _length(n, "n"), _seed(seed), current.get()),
        )

    def from_roots(self, roots: Iterable[int]) -> "Poly":
        """The product of X - root. The roots may be a set.

        >>> from gfpoly import Field
        >>> Field("p8").from_roots([1, -1])
        Poly(Field('p8'), [-1, 0, 1])
        """
        numbers = list(roots) if isinstance(roots, Set) else roots
        return _wrap(self, _core.from_roots(self._h, numbers, current.get()))

    def interpolate(self, points: Iterable[int], values: Iterable[int]) -> "Poly":
        """The polynomial of least degree that has these values at these points.

        >>> from gfpoly import Field
        >>> Field("p8").interpolate([0, 1, 2], [1, 2, 5])
        Poly(Field('p8'), [1, 0, 1])
        """
        return _wrap(self, _core.interpolate(self._h, points, values, current.get()))

    def minpoly(self, sequence: Iterable[int]) -> "Poly":
        """The minimal polynomial of a sequence with a linear recurrence.

        >>> from gfpoly import Field
        >>> Field("p8").minpoly([0, 1, 1, 2, 3, 5, 8, 13])
        Poly(Field('p8'), [-1, -1, 1])
        """
        return _wrap(self, _core.sequence_minpoly(self._h, sequence, current.get()))

    # ---- Python's own ----

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Field):
            return NotImplemented
        return self._h.same(other._h)

    def __hash__(self) -> int:
        return hash((Field, self.r, self.k))

    def __repr__(self) -> str:
        return f"Field({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _field_rk, (self.r, self.k)

    def _repr_latex_(self) -> str:
        return rf"$\mathbb{{Z}}/({self.r}^{{{self.k}}}+1)\mathbb{{Z}}$"


def _wrap(field: Field, handle: _core.Poly) -> "Poly":
    from ._poly import _wrap as wrap

    return wrap(field, handle)


def _make(field: Field, coeffs: "Coefficients", reduce: bool) -> "Poly":
    from ._poly import Poly

    return Poly(field, coeffs, reduce=reduce)


def to_field(field: Any, what: str = "field") -> Field:
    """A Field from a Field or from its text."""
    if isinstance(field, Field):
        return field
    if isinstance(field, str):
        return Field(field)
    raise TypeError(f"{what}: a Field or its name is needed, not {type(field).__name__}")


def named_fields() -> list[tuple[str, str]]:
    """Names and formulas of the fields that have a name."""
    return _core.named_primes()
