# Bad input: each error is an exception that names what is wrong.
# SPDX-License-Identifier: LGPL-3.0-or-later
import copy

import pytest

import gfpoly
from conftest import flint_or_skip
from gfpoly import Field, Modulus, Poly, Tree, zz

F = Field("p8")
G = Field("p4")
f = F([1, 2, 3])
g = G([1, 2, 3])
nan = float("nan")


class Angry:
    def __index__(self):
        raise RuntimeError("no index today")


class Seven:
    def __index__(self):
        return 7


@pytest.mark.parametrize(
    "kind, message, action",
    [
        # integers out of range
        (gfpoly.RangeError, r"coeffs\[1\].*between -p and p", lambda: F([1, F.p])),
        (gfpoly.RangeError, r"coeffs\[0\]", lambda: F([-F.p])),
        (gfpoly.RangeError, r"coeffs\[2\]", lambda: F([0, 0, 2**5000])),
        (gfpoly.RangeError, r"coeffs\[0\]", lambda: F([-(2**5000)])),
        (gfpoly.RangeError, r"coeffs\[0\]", lambda: F([2**511])),
        (gfpoly.RangeError, "scalar", lambda: f * F.p),
        (gfpoly.RangeError, "scalar", lambda: f + 2**999),
        (gfpoly.RangeError, "x: ", lambda: f(F.p)),
        (gfpoly.RangeError, r"points\[1\]", lambda: f.multipoint([1, F.p + 1])),
        (gfpoly.RangeError, r"values\[0\]", lambda: F.interpolate([1], [F.p])),
        (gfpoly.RangeError, r"roots\[0\]", lambda: F.from_roots([F.p])),
        # no integers
        (TypeError, r"coeffs\[1\]: float is no integer", lambda: F([1, nan])),
        (TypeError, r"coeffs\[0\]: str", lambda: F(["1"])),
        (TypeError, "coeffs: .*str", lambda: F("123")),
        # no sequences of integers: no order, or taken apart
        (TypeError, "coeffs: .*needed, not set", lambda: F({1, 2})),
        (TypeError, "coeffs: .*needed, not frozenset", lambda: F(frozenset([1]))),
        (TypeError, "coeffs: .*needed, not dict_keys", lambda: F({1: 2}.keys())),
        (TypeError, "coeffs: .*needed, not bytes", lambda: F(b"12")),
        (TypeError, "coeffs: .*needed, not bytearray", lambda: F(bytearray(b"12"))),
        (TypeError, "coeffs: .*needed, not memoryview", lambda: F(memoryview(b"12"))),
        (TypeError, "coeffs: .*needed, not str", lambda: F("12", reduce=True)),
        (TypeError, "coeffs: .*needed, not set", lambda: F({1, 2}, reduce=True)),
        (TypeError, r"coeffs\[1\]: float", lambda: F([1, 1.5], reduce=True)),
        (TypeError, "points: .*needed, not set", lambda: f.multipoint({1, 2})),
        (TypeError, "points: .*needed, not dict", lambda: f.multipoint({1: 2})),
        (TypeError, "points: .*needed, not dict", lambda: F.interpolate({1: 2}, [1])),
        (TypeError, "values: .*needed, not bytearray", lambda: F.interpolate([1], bytearray(b"1"))),
        (TypeError, "points: .*needed, not bytes", lambda: Tree(F, b"12")),
        (TypeError, "values: .*needed, not set", lambda: Tree(F, [1]).interpolate({1})),
        (TypeError, "roots: .*needed, not dict", lambda: F.from_roots({1: 2})),
        (TypeError, "sequence: .*needed, not str", lambda: F.minpoly("12")),
        (TypeError, "a: .*needed, not set", lambda: zz.zmul({1}, [1])),
        (TypeError, "b: .*needed, not bytes", lambda: zz.zgcd([1], b"1")),
        (TypeError, "f: .*needed, not memoryview", lambda: zz.zcontent(memoryview(b"1"))),
        (TypeError, "data: .*list", lambda: Poly.from_bytes([1, 2])),
        (TypeError, "data: .*dict", lambda: Poly.from_bytes({1: 2})),
        # mappings from exponents
        (ValueError, "coeffs: the exponent -1 is negative", lambda: F({-1: 1})),
        (TypeError, "coeffs: the exponent 1.0", lambda: F({1.0: 1})),
        (TypeError, "coeffs: the exponent 'x'", lambda: F({"x": 1})),
        (TypeError, r"coeffs: the exponent \(1, 2\)", lambda: F({(1, 2): 1})),
        (TypeError, r"coeffs\[7\]: float", lambda: F({0: 1, 7: 1.5})),
        (gfpoly.RangeError, r"coeffs\[7\]", lambda: F({0: 1, 7: F.p})),
        (gfpoly.SizeError, "exponent", lambda: F({2**99999: 1})),
        ((gfpoly.SizeError, gfpoly.OutOfMemory), None, lambda: F({2**62: 1})),
        (ValueError, "coeffs: an exponent occurs twice", lambda: F({7: 1, Seven(): 2})),
        (ValueError, "a: the exponent -2", lambda: zz.zmul({-2: 1}, [1])),
        (gfpoly.OutOfMemory, "f: ", lambda: zz.zcontent({2**62: 1})),
        (gfpoly.FieldMismatch, "coeffs: .*over p4", lambda: F(g)),
        (TypeError, "coeffs: .*int", lambda: F(5)),
        (TypeError, "coeffs: .*float", lambda: F(nan)),
        (TypeError, r"coeffs\[0\]: NoneType", lambda: F([None])),
        (TypeError, "x: float", lambda: f(1.0)),
        (TypeError, r"points\[0\]", lambda: f.multipoint([nan])),
        (TypeError, "unsupported operand", lambda: f + nan),
        (TypeError, "multiply|unsupported", lambda: f * "a"),
        (TypeError, "unsupported operand", lambda: f % None),
        (TypeError, "unsupported operand", lambda: f**1.5),
        (TypeError, "index: float", lambda: f[1.0]),
        (TypeError, "n: float", lambda: f.truncate(2.0)),
        (TypeError, "coeffs: .*NoneType", lambda: F(None)),
        (TypeError, "values: .*NoneType", lambda: F.interpolate([1], None)),
        (TypeError, "x: NoneType", lambda: f(None)),
        (RuntimeError, "no index today", lambda: F([1, Angry()])),
        (RuntimeError, "no index today", lambda: f(Angry())),
        # mixed fields
        (gfpoly.FieldMismatch, "over p4, not over p8", lambda: f + g),
        (gfpoly.FieldMismatch, "over p4, not over p8", lambda: f * g),
        (gfpoly.FieldMismatch, "divisor: .*p4", lambda: divmod(f, g)),
        (gfpoly.FieldMismatch, "other: .*p4", lambda: f.gcd(g)),
        (gfpoly.FieldMismatch, "modulus: .*p4", lambda: pow(f, 2, g)),
        (gfpoly.FieldMismatch, "p4", lambda: f(g)),
        (gfpoly.FieldMismatch, "p4", lambda: Tree(F, [1])(g)),
        (gfpoly.FieldMismatch, "p4", lambda: Modulus(f).mul(g, f)),
        (gfpoly.FieldMismatch, "field", lambda: Poly.from_bytes(g.to_bytes(), F)),
        (gfpoly.FieldMismatch, None, lambda: Poly.from_text(g.to_text(), F)),
        # foreign moduli
        (gfpoly.FieldError, None, lambda: Field(prime=2**127 - 1)),
        (gfpoly.FieldError, "composite", lambda: Field(prime=2**32 + 1)),
        (gfpoly.FieldError, None, lambda: Field(r=3, k=2)),
        (gfpoly.FieldError, None, lambda: Field(r=10, k=3)),
        (gfpoly.ArgumentError, "p9", lambda: Field("p9")),
        (gfpoly.ParseError, None, lambda: Field("2^^4")),
        (gfpoly.ParseError, "NUL", lambda: Field("p8\0")),
        (TypeError, "prime: float", lambda: Field(prime=257.0)),
        (ValueError, "prime", lambda: Field(prime=-257)),
        (ValueError, "prime", lambda: Field(prime=2**100000 + 1)),
        (TypeError, "text: int", lambda: Field(257)),
        (TypeError, "prime=", lambda: Field()),
        (TypeError, "prime=", lambda: Field("p8", prime=257)),
        (TypeError, "r= and k=", lambda: Field(r=2)),
        (ValueError, "r: ", lambda: Field(r=2**64, k=2)),
        (TypeError, "field: .*int", lambda: Poly(8, [1])),
        # divisions by zero
        (ZeroDivisionError, None, lambda: f // 0),
        (gfpoly.NotInvertible, None, lambda: f % F()),
        (ZeroDivisionError, None, lambda: divmod(f, 0)),
        (ZeroDivisionError, None, lambda: F().monic()),
        (ZeroDivisionError, None, lambda: F.inv(0)),
        (ZeroDivisionError, None, lambda: pow(F.x, -1, F.x**2)),
        (ZeroDivisionError, None, lambda: F.x.inverse_series(5)),
        (ZeroDivisionError, "points", lambda: F.interpolate([1, 1], [1, 2])),
        (gfpoly.ArgumentError, None, lambda: f / F([1, 1, 1, 1])),
        # shapes
        (gfpoly.ArgumentError, "values: 1 values for 2 points", lambda: F.interpolate([1, 2], [1])),
        (gfpoly.ArgumentError, "values: 3", lambda: Tree(F, [1, 2]).interpolate([1, 2, 3])),
        (gfpoly.ArgumentError, None, lambda: Tree(F, [])),
        (ValueError, "exponent", lambda: f**-1),
        (gfpoly.SizeError, "exponent", lambda: f ** (2**200)),
        (ValueError, "n: -1", lambda: f.truncate(-1)),
        (ValueError, "n: ", lambda: f << 2**64),
        # Python writes no integers of that many digits.
        (ValueError, "n: an integer of 99999 bits", lambda: f << 2**99998),
        (ValueError, "r: an integer", lambda: Field(r=2**99998, k=8)),
        (gfpoly.SizeError, "exponent: .* of 99999 bits", lambda: f ** (2**99998)),
        (IndexError, "index: an integer of 99999 bits", lambda: f[-(2**99998)]),
        ((gfpoly.SizeError, gfpoly.OutOfMemory), None, lambda: f << 2**60),
        ((gfpoly.SizeError, gfpoly.OutOfMemory), None, lambda: F.random(2**61, seed=1)),
        (gfpoly.ArgumentError, None, lambda: Modulus(F([1]))),
        (TypeError, "f: .*int", lambda: Modulus(5)),
        (gfpoly.ArgumentError, None, lambda: F().factor()),
        (gfpoly.ArgumentError, None, lambda: f.subresultant(f, 7)),
        (gfpoly.Unavailable, None, lambda: Field("257").random(300, seed=1).taylor_shift(1)),
        # values that do not change
        (AttributeError, "does not change", lambda: setattr(f, "field", G)),
        (AttributeError, "does not change", lambda: delattr(f, "field")),
        (AttributeError, "does not change", lambda: setattr(G, "_p", 7)),
        (AttributeError, "does not change", lambda: delattr(G, "_h")),
        # options
        (ValueError, "verify", lambda: gfpoly.options(verify="always")),
        (ValueError, "threads", lambda: gfpoly.options(threads=-1)),
        (TypeError, "threads: str", lambda: gfpoly.options(threads="2")),
        (TypeError, "method: int", lambda: gfpoly.options(method=3)),
        (ValueError, "method: .*surrogate", lambda: gfpoly.options(method="\ud800")),
        (TypeError, "progress", lambda: gfpoly.options(progress=3)),
        (ValueError, "seed", lambda: F.random(3, seed=-1)),
        # bytes, text, files
        (gfpoly.ParseError, None, lambda: Poly.from_bytes(b"")),
        (gfpoly.ParseError, None, lambda: Poly.from_bytes(b"\x89GFP")),
        (gfpoly.ParseError, None, lambda: Poly.from_bytes(f.to_bytes()[:-1])),
        (gfpoly.ParseError, None, lambda: Poly.from_bytes(f.to_bytes()[:-8] + b"12345678")),
        (TypeError, "data: .*int", lambda: Poly.from_bytes(10**9)),
        (ValueError, "format", lambda: f.to_text("xml")),
        (ValueError, "field", lambda: Poly.from_text("[1 2]", format="ntl")),
        (ValueError, "text: .*surrogate", lambda: Poly.from_text("[\ud800]", F, "ntl")),
        (ValueError, "text: .*surrogate", lambda: Field("\ud800")),
        (gfpoly.ParseError, "line 1", lambda: Poly.from_text("[1 x]", F, "ntl")),
        (FileNotFoundError, "none", lambda: gfpoly.load("/none/at/all", F)),
        (OSError, None, lambda: f.save("/none/at/all")),
        (OSError, None, lambda: f.save("/none/at/all", "text")),
        (ValueError, None, lambda: f.save("a\0b")),
        (TypeError, "f: .*int", lambda: Poly.from_flint(5)),
        # over Z
        (TypeError, r"a\[0\]", lambda: zz.zmul([0.5], [1])),
        (TypeError, "b: ", lambda: zz.zgcd([1], 1)),
        # comparisons
        (ValueError, "methods", lambda: gfpoly.compare("p4", [4], methods=["magic"], flint=False)),
        (ValueError, "seconds: nan", lambda: gfpoly.compare("p4", [4], seconds=nan)),
        (ValueError, "seconds: inf", lambda: gfpoly.compare("p4", [4], seconds=float("inf"))),
        (TypeError, "seconds: str", lambda: gfpoly.compare("p4", [4], seconds="1")),
    ],
)
def test_exception(kind, message, action):
    with pytest.raises(kind, match=message) as caught:
        action()
    assert str(caught.value)
    if isinstance(caught.value, gfpoly.Error):
        assert caught.value.status


def test_index_of_the_error():
    with pytest.raises(gfpoly.RangeError) as caught:
        F([0, 1, F.p])
    assert caught.value.index == 2 and caught.value.status == "RANGE"


def test_arrays():
    np = pytest.importorskip("numpy")
    good = f.digits
    for array, kind, message in [
        (good.astype(np.int64), TypeError, "int64, uint64 is needed"),
        (good.astype(np.float64) * nan, TypeError, "float64"),
        (good.astype(">u8"), TypeError, "uint64 is needed"),
        (good.astype(object), TypeError, "object"),
        (good[:, :4], gfpoly.ArgumentError, "4 words in a row, the field needs 8"),
        (good.ravel(), ValueError, "1 dimensions"),
        (good[None], ValueError, "3 dimensions"),
        (np.uint64(3), TypeError, "uint64"),
        (good.tolist(), TypeError, "list"),
        (None, TypeError, "NoneType"),
        (memoryview(b"12345678"), TypeError, "array"),
        (np.full((3, 8), 2**64 - 1, dtype=np.uint64), gfpoly.RangeError, r"array\[0\]"),
        (np.array([[0] * 8, [0] * 7 + [F.r], [1] + [0] * 6 + [F.r]], dtype=np.uint64),
         gfpoly.RangeError, r"array\[2\]"),
    ]:
        with pytest.raises(kind, match=message):
            Poly.from_digits(F, array)
    with pytest.raises(gfpoly.RangeError, match=r"array\[1\]"):
        Poly.from_limbs(F, np.array([[1] * 8, [2**64 - 1] * 8], dtype=np.uint64))
    with pytest.raises(gfpoly.RangeError, match=r"array\[0\]"):
        Poly.from_limbs(F, np.array([[0] * 8 + [1]], dtype=np.uint64))
    with pytest.raises(TypeError, match="array"):
        Poly.from_limbs(F, np.zeros((2, 2), dtype=np.uint32))


def test_flint_with_a_foreign_modulus():
    flint = flint_or_skip()
    x = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(2**127 - 1))([1, 2])
    with pytest.raises(gfpoly.FieldError):
        Poly.from_flint(x)
    with pytest.raises(gfpoly.FieldMismatch, match="f: the modulus"):
        Poly.from_flint(x, F)


def test_index_of_the_error_of_a_mapping():
    with pytest.raises(gfpoly.RangeError) as caught:
        F({3: 1, 10**9: -F.p})
    assert caught.value.index == 10**9 and caught.value.status == "RANGE"


def test_mappings_within_the_memory_cap():
    with gfpoly.options(memory_cap=10**6):
        assert F({1000: 1}).degree == 1000
        for action in (lambda: F({10**12: 1}), lambda: zz.zmul({10**12: 1}, [1])):
            with pytest.raises(gfpoly.OutOfMemory, match="1000000000001 coefficients .* 1000000 bytes"):
                action()


def test_objects_that_do_not_change():
    """__init__ again, attributes, and copies."""
    M, T = Modulus(F([1, 0, 1])), Tree(F, [1, 2])
    made = [(f, (G, [9]), "_h"), (M, (F([5, 1]),), "poly"), (T, (G, [7]), "field"), (F, ("p4",), "_h")]
    for thing, arguments, name in made:
        before = repr(thing) if thing is not T else T.product()
        try:
            thing.__init__(*arguments)
        except (TypeError, AttributeError):
            pass
        with pytest.raises(AttributeError, match="does not change"):
            setattr(thing, name, None)
        with pytest.raises(AttributeError, match="does not change"):
            delattr(thing, name)
        assert (repr(thing) if thing is not T else T.product()) == before
        assert copy.copy(thing) is copy.deepcopy(thing) is thing
    assert f.field is F and f.coeffs() == [1, 2, 3] and T.field is F
    sum_ = f
    sum_ += 1
    assert f.coeffs() == [1, 2, 3] and sum_.coeffs() == [2, 2, 3]


def test_options_made_again_stay_in_force():
    o = gfpoly.options(verify="point")
    with o:
        o.__init__(verify="cross")
        f * f
    assert o.report["verified"] == "point" and gfpoly._options.current.get() is None


def test_options_are_used_once_at_a_time():
    o = gfpoly.options(verify="point")
    with o:
        with pytest.raises(RuntimeError, match="in use"):
            with o:
                pass
    with o:
        pass
    with pytest.raises(gfpoly.ArgumentError, match="magic"):
        with gfpoly.options(method="magic"):
            f * f


def test_a_list_that_changes_while_it_is_read():
    class Evil:
        def __index__(self):
            victims.clear()
            return 1

    victims = [Evil(), *(10**30 + i for i in range(100))]
    assert F(victims)[1] == 10**30
