# The options of all calls inside a with statement, and functions that carry them into threads.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

import operator
from contextvars import ContextVar, Token
from typing import Any, Callable, Optional, TypeVar

from . import _core

current: ContextVar[Optional[_core.Options]] = ContextVar("gfpoly options", default=None)

_NAMES = ("method", "verify", "threads", "memory_cap", "seed", "progress")
_VERIFY = {"none": 1, "point": 2, "cross": 3}


def _shown(number: int) -> str:
    """number for a message; Python writes no integers of more than some thousand digits."""
    bits = number.bit_length()
    return str(number) if bits <= 256 else f"an integer of {bits} bits"


def _natural(value: Any, what: str, bound: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: {type(value).__name__} is no integer") from None
    if not 0 <= number < bound:
        raise ValueError(f"{what}: {_shown(number)} is not between 0 and {bound - 1}")
    return number


def _check_text(text: str, what: str) -> None:
    """Refuses half of a surrogate pair, which no encoding writes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what}: a lone surrogate is no character") from None


class Immutable:
    """Objects that do not change: their attributes are set once, by _set, and a copy is the object itself."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a {type(self).__name__} does not change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} does not change: {name}")

    def __copy__(self: _Self) -> _Self:
        return self

    def __deepcopy__(self: _Self, memo: Any) -> _Self:
        return self


_Self = TypeVar("_Self", bound=Immutable)
_set = object.__setattr__


class options:
    """Options of all calls inside a with statement, operators included, of the same thread or asyncio
    task. carry_options takes them into other threads.

    method: the name of a method, or None for the chooser's pick; verify: None, "point" (modulo a
    random polynomial, or at random points) or "cross" (by a second method); threads: the most threads of a call; memory_cap:
    the most bytes that a call may take; seed: of random choices, 0 for one from the system;
    progress: a function that gets the fraction of a call that is done, about every 50 ms, and may
    return False to cancel the call. What is not given is as outside.

    >>> from gfpoly import Field, options
    >>> F = Field("p8")
    >>> a, b = F.random(1000, seed=1), F.random(1000, seed=2)
    >>> with options(verify="point", method="karatsuba") as o:
    ...     c = a * b
    >>> o.report["method"], o.report["verified"]
    ('karatsuba', 'point')
    >>> c == a * b
    True
    """

    __slots__ = ("_handle", "_given", "_token")

    _handle: _core.Options
    _given: dict[str, Any]
    _token: Optional[Token[Optional[_core.Options]]]

    def __new__(
        cls,
        *,
        method: Optional[str] = None,
        verify: Optional[str] = None,
        threads: Optional[int] = None,
        memory_cap: Optional[int] = None,
        seed: Optional[int] = None,
        progress: Optional[Callable[[float], Any]] = None,
    ) -> "options":
        given: dict[str, Any] = {}
        if method is not None:
            if not isinstance(method, str):
                raise TypeError(f"method: {type(method).__name__} is no name")
            if "\0" in method:
                raise ValueError("method: a NUL character")
            _check_text(method, "method")
            given["method"] = method
        if verify is not None:
            if not isinstance(verify, str) or verify not in _VERIFY:
                raise ValueError(f"verify: {verify!r} is none of 'none', 'point', 'cross'")
            given["verify"] = _VERIFY[verify]
        if threads is not None:
            given["threads"] = _natural(threads, "threads", 2**31)
        if memory_cap is not None:
            given["memory_cap"] = _natural(memory_cap, "memory_cap", 2**63)
        if seed is not None:
            given["seed"] = _natural(seed, "seed", 2**64)
        if progress is not None:
            if not callable(progress):
                raise TypeError(f"progress: {type(progress).__name__} cannot be called")
            given["progress"] = progress
        self = object.__new__(cls)
        self._given = given
        self._handle = _core.Options()
        self._token = None
        return self

    def __enter__(self) -> "options":
        if self._token is not None:
            raise RuntimeError("options: these options are in use; make others")
        mine = self._handle = _made({**_values(current.get()), **self._given})
        self._token = current.set(mine)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            current.reset(self._token)
            self._token = None

    @property
    def report(self) -> Optional[dict[str, Any]]:
        """What the last call inside did, in whichever thread: method, threads, times in ns, and how it was
        verified."""
        report: Optional[dict[str, Any]] = self._handle.report
        return report


def _values(handle: Optional[_core.Options]) -> dict[str, Any]:
    return {} if handle is None else {name: getattr(handle, name) for name in _NAMES}


def _made(values: dict[str, Any]) -> _core.Options:
    handle = _core.Options()
    for name, value in values.items():
        setattr(handle, name, value)
    return handle


class _Carried(Immutable):
    """A function whose calls have these options, in any thread; in another process a copy of them."""

    __slots__ = ("_function", "_options")
    _function: Callable[..., Any]
    _options: Optional[_core.Options]

    def __new__(cls, function: Callable[..., Any], handle: Optional[_core.Options]) -> "_Carried":
        self = object.__new__(cls)
        _set(self, "_function", function)
        _set(self, "_options", handle)
        return self

    def __call__(self, *args: Any, **named: Any) -> Any:
        token = current.set(self._options)
        try:
            return self._function(*args, **named)
        finally:
            current.reset(token)

    def __reduce__(self) -> tuple[Any, ...]:
        return _carried, (self._function, _values(self._options))


def _carried(function: Callable[..., Any], values: dict[str, Any]) -> _Carried:
    return _Carried(function, _made(values) if values else None)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def carry_options(function: _Function) -> _Function:
    """function with the options that hold here: they hold in each of its calls, in any thread, also
    after the with statement has ended. The callable serves threading.Thread, all executors of
    concurrent.futures, and loop.run_in_executor. A progress function is called by the thread whose
    call goes on. Processes get copies of the options, so that their calls leave no report here.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from gfpoly import Field, carry_options, options
    >>> F = Field("p8")
    >>> with options(verify="point") as o, ThreadPoolExecutor(2) as pool:
    ...     squares = list(pool.map(carry_options(lambda f: f * f), [F.x + 1, F.x + 2]))
    >>> squares[1], o.report["verified"]
    (Poly(Field('p8'), [4, 4, 1]), 'point')
    """
    if not callable(function):
        raise TypeError(f"function: {type(function).__name__} cannot be called")
    carried: Any = _Carried(function, current.get())
    return carried  # type: ignore[no-any-return]
