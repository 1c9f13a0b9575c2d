# Polynomials on a GPU, and arrays of other packages there.
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Polynomials that stay in the memory of an NVIDIA GPU, for a package that was built with CUDA
(``pip install . -C cmake.define.GFP_CUDA=ON``). Elsewhere GpuPoly raises Unavailable with the reason."""

from __future__ import annotations

import threading
from typing import Any, Union

from . import _core
from ._errors import DeviceError, FieldMismatch, Unavailable
from ._field import Field, _length, to_field
from ._options import Immutable, _natural, _set, current
from ._poly import Poly, _is_integer, as_object
from ._poly import _wrap as _wrap_poly

__all__ = ["GpuPoly", "available"]

_lock = threading.Lock()
_contexts: dict[int, _core.DeviceContext] = {}
_rings: dict[tuple[int, Field], _core.DeviceRing] = {}


def _ring(field: Field, device: int) -> _core.DeviceRing:
    """The ring of a field on a device; made once."""
    with _lock:
        key = (device, field)
        if key not in _rings:
            if device not in _contexts:
                _contexts[device] = _core.device_context(device)
            _rings[key] = _core.device_ring(_contexts[device], field._h)
        return _rings[key]


def available(device: int = 0) -> bool:
    """Whether this GPU can be used."""
    try:
        _ring(Field("p2"), _natural(device, "device", 2**31))
    except (Unavailable, DeviceError, ValueError):
        return False
    return True


def _wrap(field: Field, device: int, handle: _core.DevicePoly) -> "GpuPoly":
    f = object.__new__(GpuPoly)
    _set(f, "field", field)
    _set(f, "device", device)
    _set(f, "_h", handle)
    return f


class GpuPoly(Immutable):
    """A polynomial on a GPU: a copy of a Poly. Operators work on the device; ``to_host`` brings a
    result back. Polynomials do not change. Products, quotients and inverses take ``verify``, ``seed``
    and ``memory_cap`` from ``options``."""

    __slots__ = ("field", "device", "_h")
    __array__ = as_object
    field: Field
    device: int
    _h: _core.DevicePoly

    def __new__(cls, f: Poly, device: int = 0) -> "GpuPoly":
        if not isinstance(f, Poly):
            raise TypeError(f"f: a Poly is needed, not {type(f).__name__}")
        number = _natural(device, "device", 2**31)
        return _wrap(f.field, number, _core.device_upload(_ring(f.field, number), f._h))

    def _made(self, handle: _core.DevicePoly) -> "GpuPoly":
        return _wrap(self.field, self.device, handle)

    def _operand(self, other: Any, what: str) -> _core.DevicePoly:
        if not isinstance(other, GpuPoly):
            raise TypeError(f"{what}: a GpuPoly is needed, not {type(other).__name__}")
        if other.field != self.field:
            raise FieldMismatch(
                f"{what}: a polynomial over {other.field.name}, not over {self.field.name}"
            )
        return other._h

    def to_host(self) -> Poly:
        """The same as a Poly."""
        return _wrap_poly(self.field, _core.device_download(self._h))

    def __len__(self) -> int:
        return len(self._h)

    def __add__(self, other: "GpuPoly") -> "GpuPoly":
        if not isinstance(other, GpuPoly):
            return NotImplemented
        return self._made(_core.device_add(self._h, self._operand(other, "other")))

    def __sub__(self, other: "GpuPoly") -> "GpuPoly":
        if not isinstance(other, GpuPoly):
            return NotImplemented
        return self._made(_core.device_sub(self._h, self._operand(other, "other")))

    def __neg__(self) -> "GpuPoly":
        return self._made(_core.device_neg(self._h))

    def __mul__(self, other: Union["GpuPoly", int]) -> "GpuPoly":
        if isinstance(other, GpuPoly):
            return self._made(_core.device_mul(self._h, self._operand(other, "other"), current.get()))
        if _is_integer(other):
            return self._made(_core.device_scale(self._h, other))
        return NotImplemented

    __rmul__ = __mul__

    def __divmod__(self, other: "GpuPoly") -> tuple["GpuPoly", "GpuPoly"]:
        if not isinstance(other, GpuPoly):
            return NotImplemented
        q, r = _core.device_divrem(self._h, self._operand(other, "divisor"), current.get())
        return self._made(q), self._made(r)

    def __floordiv__(self, other: "GpuPoly") -> "GpuPoly":
        if not isinstance(other, GpuPoly):
            return NotImplemented
        return self.__divmod__(other)[0]

    def __mod__(self, other: "GpuPoly") -> "GpuPoly":
        if not isinstance(other, GpuPoly):
            return NotImplemented
        return self.__divmod__(other)[1]

    def __lshift__(self, n: int) -> "GpuPoly":
        return self._made(_core.device_shift_left(self._h, _length(n, "n")))

    def __rshift__(self, n: int) -> "GpuPoly":
        return self._made(_core.device_shift_right(self._h, _length(n, "n")))

    def __call__(self, x: int) -> int:
        """f(x)."""
        return _core.device_eval(self._h, x)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GpuPoly):
            return NotImplemented
        return self.field == other.field and _core.device_equal(self._h, other._h)

    __hash__ = None  # type: ignore[assignment]

    def mullow(self, other: "GpuPoly", n: int) -> "GpuPoly":
        """f g mod X^n."""
        h = self._operand(other, "other")
        return self._made(_core.device_mullow(self._h, h, _length(n, "n"), current.get()))

    def mulhigh(self, other: "GpuPoly", n: int) -> "GpuPoly":
        """f g div X^n."""
        h = self._operand(other, "other")
        return self._made(_core.device_mulhigh(self._h, h, _length(n, "n"), current.get()))

    def truncate(self, n: int) -> "GpuPoly":
        """f mod X^n."""
        return self._made(_core.device_truncate(self._h, _length(n, "n")))

    def reverse(self, n: int) -> "GpuPoly":
        """X^(n-1) f(1/X), of f mod X^n."""
        return self._made(_core.device_reverse(self._h, _length(n, "n")))

    def inverse_series(self, n: int) -> "GpuPoly":
        """1 / f mod X^n."""
        return self._made(_core.device_inv_series(self._h, _length(n, "n"), current.get()))

    # ---- DLPack ----

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        """A copy of the digits, len x k words (uint64) on the device, for CuPy, PyTorch and others. It is
        complete: any stream may read it at once."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("dl_device: the polynomial is on another device")
        if copy is False:
            raise BufferError("copy: the digits are always copied")
        return _core.device_to_dlpack(self._h)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device  # kDLCUDA

    @classmethod
    def from_dlpack(cls, field: Union[Field, str], array: Any, device: int = 0) -> "GpuPoly":
        """The polynomial of an array on the device as that of ``__dlpack__`` (uint64 or int64), which
        is checked and copied there."""
        F = to_field(field)
        number = _natural(device, "device", 2**31)
        if not hasattr(array, "__dlpack__"):
            raise TypeError(f"array: {type(array).__name__} has no __dlpack__")
        ring = _ring(F, number)
        try:
            handle = _core.device_from_dlpack(ring, array)
        except TypeError:
            raise TypeError("array: an array of two dimensions, row by row, is needed") from None
        return _wrap(F, number, handle)

    def __repr__(self) -> str:
        return f"GpuPoly over {self.field.name} on device {self.device}"
