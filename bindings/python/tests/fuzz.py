# Random calls of the whole Python API with good and bad arguments. Each call returns, or raises an exception of a
# kind that the package names; anything else, above all a crash, is a defect. Results of operators are compared with
# an evaluation at a point.
#   python fuzz.py [CALLS [SEED]]
# SPDX-License-Identifier: LGPL-3.0-or-later
import faulthandler
import inspect
import os
import pickle
import random
import sys
import tempfile

import gfpoly
from gfpoly import Field, Modulus, Poly, Tree, zz

try:
    import numpy as np
except ImportError:
    np = None

FIELDS = ["257", "p2", "p4", "p8", "m8", "30^32+1"]
# What a call may raise. SystemError, AssertionError, AttributeError inside the package are defects.
EXPECTED = (gfpoly.Error, TypeError, ValueError, OverflowError, MemoryError, IndexError, OSError, ZeroDivisionError)


class Stranger:
    """An integer by __index__ that may refuse."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if self.value is None:
            raise ValueError("no integer")
        return self.value


class Fuzzer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.fields = [Field(name) for name in FIELDS]
        self.folder = tempfile.TemporaryDirectory()
        self.objects = []
        self.raised = {}
        self.returned = 0

    # ---- arguments ----

    def integer(self, F):
        r = self.rng
        return r.choice(
            [
                lambda: r.randrange(-3, 20),
                lambda: r.randrange(F.p),
                lambda: -r.randrange(F.p),
                lambda: F.p + r.randrange(-2, 3),
                lambda: -F.p + r.randrange(-2, 3),
                lambda: r.getrandbits(r.randrange(1, 700)) - 2**300,
                lambda: Stranger(r.choice([None, 5, F.p, -1])),
                lambda: r.choice([True, 2**63, 2**64, -(2**63), 2**64 - 1]),
                lambda: np.uint64(r.getrandbits(64)) if np else 1,
            ]
        )()

    def junk(self):
        r = self.rng
        return r.choice(
            [None, 1.5, float("nan"), float("inf"), "text", b"bytes", "", (), [], {}, object(), int, lambda: 1, 1j,
             [None], [1.0], range(3), slice(1, 2), memoryview(b"12345678"), [[1]], "p8", "[1 2]", "2 257  1 1", -1,
             np.zeros((2, 4)) if np else 0, np.array([1, 2]) if np else 0, np.array(3) if np else 0, Ellipsis, {1, 2},
             frozenset(), bytearray(b"12"), {3: 1}, {-1: 1}, {2**70: 1}, {1: None}, self.rng.choice(self.fields)]
        )

    def integers(self, F):
        r = self.rng
        n = r.choice([0, 1, 2, 3, 5, 8, 17, 40])
        good = [r.randrange(F.p) for _ in range(n)]
        kind = r.randrange(10)
        if kind == 0:
            return tuple(good)
        if kind == 1:
            return iter(good)
        if kind == 2:
            return [self.integer(F) for _ in range(n)]
        if kind == 3:
            return good + [self.junk()]
        if kind == 4:
            return r.choice([dict(enumerate(good)), set(good), {self.integer(F): self.integer(F)}, {2**40: 1}])
        if kind == 5:
            return list(dict.fromkeys(good))
        return good

    def poly(self, F):
        r = self.rng
        if self.objects and r.random() < 0.5:
            f = r.choice(self.objects)
            if isinstance(f, Poly) and (f.field == F or r.random() < 0.1):
                return f
        return F.random(r.choice([0, 1, 2, 3, 7, 20, 60]), seed=r.getrandbits(64))

    def array(self, F):
        r = self.rng
        if np is None:
            return None
        n, k = r.randrange(6), r.choice([F.k, F.k, F.k, F.limbs, 0, 1, 300])
        a = np.array([[r.getrandbits(64) if r.random() < 0.2 else r.randrange(F.r + 1) for _ in range(k)]
                      for _ in range(n)], dtype=np.uint64).reshape(n, k)
        return r.choice(
            [lambda: a, lambda: a, lambda: a[::-1], lambda: a.T, lambda: a.astype(np.int64), lambda: a.ravel(),
             lambda: a.astype(">u8"), lambda: np.asfortranarray(a), lambda: a[::2], lambda: a[None],
             lambda: np.broadcast_to(np.uint64(1), (n, F.k)), lambda: self.poly(F).digits,
             lambda: self.poly(F).to_limbs()]
        )()

    def argument(self, F, name):
        r = self.rng
        if r.random() < 0.06:
            return self.junk()
        if name in ("n", "j", "start", "max_num", "max_den", "m", "k"):
            return r.choice([r.randrange(12), r.randrange(90), -1, 2**62, 2**64, Stranger(3)])
        if name == "exponent":
            return r.choice([r.randrange(9), -1, -3, r.getrandbits(60) if r.random() < 0.2 else 2])
        if name in ("coeffs", "points", "values", "roots", "sequence"):
            return self.integers(F)
        if name == "array":
            return self.array(F)
        if name == "field":
            return r.choice([F, F, F, r.choice(self.fields), F.name])
        if name == "format":
            return r.choice(["text", "ntl", "binary", "xml"])
        if name == "data":
            data = bytearray(self.poly(F).to_bytes())
            if data and r.random() < 0.6:
                data[r.randrange(len(data))] ^= 1 << r.randrange(8)
            return bytes(data[: r.choice([len(data), len(data), r.randrange(len(data) + 1)])])
        if name == "text":
            text = self.poly(F).to_text(r.choice(["text", "ntl"]))
            if text and r.random() < 0.5:
                i = r.randrange(len(text))
                text = text[:i] + r.choice("0 9-x\0[]é") + text[i + 1 :]
            return text
        if name == "path":
            return self.folder.name + "/" + r.choice(["a", "b", "c/d", "e\0"])
        if name == "seed":
            return r.choice([None, 1, 2**64 - 1, 2**64])
        if name in ("x", "c", "scalar", "i"):
            return self.integer(F) if r.random() < 0.8 else self.poly(F)
        if name == "reduce":
            return r.choice([True, False])
        if name == "T":
            return None
        return self.poly(F) if r.random() < 0.8 else self.integer(F)

    # ---- calls ----

    def operators(self, F):
        f, g = self.poly(F), self.argument(F, "other")
        if self.rng.random() < 0.2:
            f, g = g, f
        if any(isinstance(h, (str, bytes, bytearray, list, tuple)) for h in (f, g)):
            return f == g  # "text" % f is formatting; [1] * 2**62 is Python's own affair
        i = self.rng.randrange(12)
        if i == 0:
            return f + g
        if i == 1:
            return f - g
        if i == 2:
            return f * g
        if i == 3:
            return f // g
        if i == 4:
            return f % g
        if i == 5:
            return divmod(f, g)
        if i == 6:
            return f / g
        if i == 7:
            return f == g, f != g, hash(self.poly(F)), bool(f)
        if i == 8:
            return self.poly(F) ** self.argument(F, "exponent")
        if i == 9:
            return pow(self.poly(F), self.argument(F, "exponent"), g)
        if i == 10:
            return self.poly(F) << self.argument(F, "n"), self.poly(F) >> self.argument(F, "n")
        return -self.poly(F), +self.poly(F)

    def index(self, F):
        r = self.rng
        f = self.poly(F)
        part = lambda: r.choice([None, r.randrange(-70, 70), 2**70, -(2**70), 0])
        return f[r.choice([self.argument(F, "i"), slice(part(), part(), part()), slice(part(), part())])]

    def method(self, owner, F):
        """A public method or property of an object with random arguments."""
        names = [name for name in dir(type(owner)) if not name.startswith("__") and name not in (
            "threads", "limit_memory", "irreducible", "_operand", "_factor", "_terms", "_number", "to_flint",
            "from_flint", "_p", "_hash", "_h")]
        name = self.rng.choice(names)
        member = getattr(owner, name)
        if not callable(member) or isinstance(member, (Poly, Field)):
            return member
        return member(*self.arguments(F, member))

    def arguments(self, F, function):
        parameters = list(inspect.signature(function).parameters.values())
        values = [self.argument(F, p.name) for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD]
        if self.rng.random() < 0.03:
            values = values[:-1] if self.rng.random() < 0.5 else values + [self.junk()]
        return values

    def call(self):
        r = self.rng
        F = r.choice(self.fields)
        kind = r.randrange(14)
        if kind < 4:
            return self.operators(F)
        if kind < 8:
            return self.method(self.poly(F), F)
        if kind == 8:
            return self.method(F, F)
        if kind == 9:
            return self.index(F)
        if kind == 10:
            return self.method(Modulus(self.poly(F)), F)
        if kind == 11:
            return self.method(Tree(F, self.argument(F, "points")), F)
        if kind == 12:
            function = getattr(zz, r.choice(zz.__all__))
            return function(*[self.integers(F) for _ in inspect.signature(function).parameters])
        return r.choice(
            [
                lambda: Field(r.choice(["p8", "257", "p9", "2^^2", "4^2+1", "\0", "17", self.junk()])),
                lambda: Field(prime=r.choice([257, 17, 2**32 + 1, F.p, F.p + 2, self.junk()])),
                lambda: Field(r=self.argument(F, "n"), k=r.choice([1, 2, 4, 512, self.junk()])),
                lambda: Poly(self.argument(F, "field"), self.argument(F, "coeffs")),
                lambda: pickle.loads(pickle.dumps(self.poly(F))),
                lambda: gfpoly.carry_options(self.operators)(F),
                lambda: gfpoly.load(self.folder.name + "/" + r.choice(["a", "b"]), r.choice([None, F])),
                lambda: self.poly(F).save(self.folder.name + "/" + r.choice("ab"), r.choice(["text", "ntl", "binary"])),
                lambda: np.array([self.poly(F), self.argument(F, "other")], dtype=object) if np else None,
                lambda: eval(repr(self.poly(F))),
                lambda: self.poly(F)(self.argument(F, "x")),
                lambda: self.poly(F).__reduce__()[0](F, bytes(r.randrange(256) for _ in range(8 * F.k * r.randrange(3)))),
                lambda: list(self.poly(F)),
            ]
        )()

    def options(self):
        r = self.rng
        cancel = [r.randrange(50)]

        def progress(fraction):
            cancel[0] -= 1
            return cancel[0] > 0

        return gfpoly.options(
            verify=r.choice([None, None, "point", "cross"]),
            method=r.choice([None, None, None, "classical", "hybrid", "crt", "magic"]),
            threads=r.choice([None, 1, 2]),
            memory_cap=r.choice([None, None, None, 10**4, 10**6]),
            progress=r.choice([None, progress]),
            seed=r.choice([None, 5]),
        )

    def one(self):
        try:
            if self.rng.random() < 0.3:
                with self.options():
                    result = self.call()
            else:
                result = self.call()
        except EXPECTED as error:
            name = type(error).__name__
            self.raised[name] = self.raised.get(name, 0) + 1
            if not str(error) or "incompatible function arguments" in str(error):
                raise AssertionError(f"{name} without a message that names an argument") from error
            return
        self.returned += 1
        for value in result if isinstance(result, tuple) else (result,):
            if isinstance(value, Poly):
                assert all(0 <= c < value.field.p for c in value)
                assert Poly(value.field, value.coeffs()) == value
                if len(value) < 200:
                    self.objects.append(value)
        if len(self.objects) > 40:
            del self.objects[: self.rng.randrange(30)]

    def check(self):
        """A few true results."""
        F = self.rng.choice(self.fields)
        f, g = self.poly(F), self.poly(F)
        if f.field == g.field:
            x = self.rng.randrange(F.p) if f.field == F else 2
            p = f.field.p
            assert (f * g)(x) == f(x) * g(x) % p and (f - g)(x) == (f(x) - g(x)) % p
            if g:
                q, r = divmod(f, g)
                assert q * g + r == f and len(r) < len(g)


def run(calls, seed):
    fuzzer = Fuzzer(seed)
    before = os.getcwd()
    os.chdir(fuzzer.folder.name)  # some calls write files
    try:
        for i in range(calls):
            try:
                fuzzer.one()
                if i % 20 == 0:
                    fuzzer.check()
            except BaseException:
                print(f"call {i} of seed {seed}", file=sys.stderr)
                raise
    finally:
        os.chdir(before)
    return fuzzer


if __name__ == "__main__":
    faulthandler.enable()
    fuzzer = run(int(sys.argv[1]) if len(sys.argv) > 1 else 100000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(f"{fuzzer.returned} calls returned; exceptions: {fuzzer.raised}")
