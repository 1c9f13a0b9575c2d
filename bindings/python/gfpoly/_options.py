# The options of all calls inside a with statement.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

import operator
from contextvars import ContextVar, Token
from typing import Any, Callable, Optional

from . import _core

current: ContextVar[Optional[_core.Options]] = ContextVar("gfpoly options", default=None)

_VERIFY = {None: 0, "none": 0, "point": 1, "cross": 2}


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


class options:
    """Options of all calls inside a with statement, operators included.

    method: the name of a method, or None for the chooser's pick; verify: None, "point" (values at
    random points) or "cross" (by a second method); threads: the most threads of a call; memory_cap:
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

    __slots__ = ("_core", "_given", "_token")

    def __init__(
        self,
        *,
        method: Optional[str] = None,
        verify: Optional[str] = None,
        threads: Optional[int] = None,
        memory_cap: Optional[int] = None,
        seed: Optional[int] = None,
        progress: Optional[Callable[[float], Any]] = None,
    ) -> None:
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
        self._given = given
        self._core = _core.Options()
        self._token: Optional[Token[Optional[_core.Options]]] = None

    def __enter__(self) -> "options":
        if self._token is not None:
            raise RuntimeError("options: these options are in use; make others")
        outer = current.get()
        mine = self._core = _core.Options()
        if outer is not None:
            for name in ("method", "verify", "threads", "memory_cap", "seed", "progress"):
                setattr(mine, name, getattr(outer, name))
        for name, value in self._given.items():
            setattr(mine, name, value)
        self._token = current.set(mine)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            current.reset(self._token)
            self._token = None

    @property
    def report(self) -> Optional[dict[str, Any]]:
        """What the last call inside did: method, threads, times in ns, and how it was verified."""
        report: Optional[dict[str, Any]] = self._core.report
        return report
