# Times of products: a table, and a picture where matplotlib is installed.
# SPDX-License-Identifier: LGPL-3.0-or-later
from __future__ import annotations

import html
import math
import time
from numbers import Real
from typing import Any, Iterable, Optional, Union

from . import _core
from ._errors import Error, Unavailable, VerifyError
from ._field import Field, _length, to_field
from ._options import options
from ._poly import Poly


def info() -> dict[str, Any]:
    """What computes here: versions, kernel level of the CPU, processors, methods, why no GPU serves."""
    return {
        "version": _core.version(),
        "compiler": _core.compiler(),
        "cpu": _core.cpu_brand(),
        "cpu_level": _core.cpu_level(),
        "threads": _core.threads_available(),
        "methods": _core.method_names(),
        "no_gpu": _core.gpu(),
    }


class Comparison:
    """The answer of compare(): rows of (method, terms of a factor, seconds). A notebook and str() show
    it as a table; plot() draws it."""

    def __init__(self, field: Field, rows: list[tuple[str, int, float]], notes: list[str]) -> None:
        self.field = field
        self.rows = rows
        self.notes = notes

    @property
    def methods(self) -> list[str]:
        """The methods, in the order in which they were measured."""
        return list(dict.fromkeys(method for method, _, _ in self.rows))

    @property
    def lengths(self) -> list[int]:
        """The lengths of the factors."""
        return sorted({n for _, n, _ in self.rows})

    def seconds(self, method: str, n: int) -> Optional[float]:
        """The least time of a product of n by n terms, or None."""
        for row in self.rows:
            if row[:2] == (method, n):
                return row[2]
        return None

    def _cells(self) -> list[list[str]]:
        head = [f"{self.field.name}: ms", *map(str, self.lengths)]
        cells = [head]
        for method in self.methods:
            line = [method]
            for n in self.lengths:
                t = self.seconds(method, n)
                line.append("" if t is None else f"{1000 * t:.3g}")
            cells.append(line)
        return cells

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        lines = [
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(line, widths))
            ).rstrip()
            for line in cells
        ]
        return "\n".join(lines + self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._cells()

        def row(tag: str, cells: list[str]) -> str:
            text = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
            return f"<tr>{text}</tr>"

        rows = [row("th", head)] + [row("td", line) for line in body]
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return "<table>" + "".join(rows) + "</table>" + notes

    def plot(self, axes: Any = None) -> Any:
        """Draws times over lengths with matplotlib, and returns the axes."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise Unavailable("plot: matplotlib is not installed") from None
        if axes is None:
            figure: Any = Figure()
            axes = figure.subplots()
        for method in self.methods:
            points = [(n, t) for m, n, t in self.rows if m == method]
            axes.plot(
                [n for n, _ in points], [1000 * t for _, t in points], marker="o", label=method
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("terms of a factor")
        axes.set_ylabel("ms")
        axes.set_title(f"products over {self.field.name}, {self.field.bits} bits")
        axes.legend()
        return axes

    def _repr_png_(self) -> Optional[bytes]:
        try:
            axes = self.plot()
        except Unavailable:
            return None
        import io

        data = io.BytesIO()
        axes.figure.savefig(data, format="png")
        return data.getvalue()


def _least(product: Any, seconds: float) -> float:
    best = float("inf")
    end = time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        product()
        now = time.perf_counter()
        best = min(best, now - start)
        if now >= end:
            return best


def compare(
    field: Union[Field, str] = "p8",
    lengths: Iterable[int] = (64, 256, 1024, 4096),
    *,
    methods: Optional[Iterable[str]] = None,
    seconds: float = 0.05,
    flint: bool = True,
) -> Comparison:
    """Measures products of random polynomials by each method, the pick ("gfpoly"), and python-flint
    where it is installed. All products are compared; VerifyError if they differ. seconds: for each
    method and length. A method that is estimated to take 20 times the time of the pick is left out.

    >>> import gfpoly
    >>> table = gfpoly.compare("p4", [16, 64], methods=["classical"], seconds=0.001, flint=False)
    >>> table.methods, table.lengths
    (['gfpoly', 'classical'], [16, 64])
    """
    F = to_field(field)
    if not isinstance(seconds, Real):
        raise TypeError(f"seconds: {type(seconds).__name__} is no number")
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"seconds: {seconds} is no time")
    sizes = [_length(n, "lengths") for n in lengths]
    names = _core.method_names() if methods is None else list(methods)
    rows: list[tuple[str, int, float]] = []
    notes: list[str] = []
    made: dict[int, tuple[Poly, Poly, Poly]] = {}

    def note(text: str) -> None:
        if text not in notes:
            notes.append(text)

    for n in sizes:
        a, b = F.random(n, seed=2 * n + 1), F.random(n, seed=2 * n + 2)
        made[n] = a, b, a * b
        rows.append(("gfpoly", n, _least(lambda: a * b, seconds)))
    for name in names:
        for n in sizes:
            a, b, c = made[n]
            estimates = {m: (ok, ns, why) for m, ok, ns, why in _core.methods(F._h, n, n)}
            if name not in estimates:
                raise ValueError(f"methods: there is no method {name!r}")
            available, ns, why = estimates[name]
            if not available:
                note(f"{name}: {why}")
                continue
            if methods is None and ns > 20 * min(e[1] for e in estimates.values() if e[0]):
                continue
            try:
                with options(method=name):
                    if a * b != c:
                        raise VerifyError(f"{name} disagrees at {n} terms over {F.name}")
                    rows.append((name, n, _least(lambda: a * b, seconds)))
            except VerifyError:
                raise
            except Error as error:
                note(f"{name}: {error}")
    if flint:
        try:
            import flint as python_flint
        except ImportError:
            note("python-flint is not installed")
        else:
            label = f"python-flint {python_flint.__version__}"
            for n in sizes:
                a, b, c = made[n]
                x, y = a.to_flint(), b.to_flint()
                if x * y != c.to_flint():
                    raise VerifyError(f"python-flint disagrees at {n} terms over {F.name}")
                rows.append((label, n, _least(lambda: x * y, seconds)))
    return Comparison(F, rows, notes)
