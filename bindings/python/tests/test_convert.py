# Conversions: Python's integers, numpy, bytes, text, files, pickles, repr.
# SPDX-License-Identifier: LGPL-3.0-or-later
import array
import collections
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import types

import pytest

import gfpoly
from gfpoly import Field, Modulus, Poly

np = pytest.importorskip("numpy")


def test_integers(F, lab, rng):
    for _ in range(10):
        a = lab.draw(rng, rng.randrange(30))
        f = Poly(F, a)
        assert f.coeffs() == list(f) == lab.trim(a)
        assert f == F([c - F.p if c else 0 for c in a]) == F(tuple(a)) == F(iter(a))
        assert f == F([c + rng.randrange(-(2**999), 2**999) * F.p for c in a], reduce=True)
        assert len(f) == len(lab.trim(a)) == f.degree + 1
        assert bool(f) == bool(lab.trim(a))
    assert F([True, np.int64(-1), np.uint8(7)]).coeffs() == [1, F.p - 1, 7]
    assert F(np.arange(5)).coeffs() == [0, 1, 2, 3, 4]
    assert F(range(100)).coeffs() == [i % F.p for i in range(100)]
    assert F([0, 0]) == F() == 0 and not F([0])


def test_long_lists(rng):
    F = Field("p4")
    a = [rng.randrange(F.p) for _ in range(3000)]
    assert F(a).coeffs() == list(F(a)) == a


def test_slices(F, rng):
    a = [rng.randrange(1, min(F.p, 100)) for _ in range(12)]
    f = F(a)
    for i in range(-12, 12):
        assert f[i] == a[i]
    assert f[12] == f[10**9] == 0
    with pytest.raises(IndexError, match="index"):
        f[-13]
    for _ in range(40):
        s = slice(*(rng.choice([None, *range(-15, 16)]) for _ in range(2)), rng.choice([None, -3, -1, 1, 2]))
        expected = a[s]
        assert f[s].coeffs() == expected
    assert f.leading == a[-1] and F().leading == 0


def test_numpy(F, lab, rng):
    f = F(lab.draw(rng, 40) + [1])
    digits = f.digits
    assert digits.shape == (41, F.k) and digits.dtype == np.uint64 and not digits.flags.writeable
    with pytest.raises(ValueError):
        digits[0, 0] = 1
    assert [sum(int(d) * F.r**j for j, d in enumerate(row)) for row in digits] == f.coeffs()
    assert Poly.from_digits(F, digits) == f
    # No copy: two views share memory, which outlives the polynomial.
    assert np.shares_memory(f.digits, digits)
    g = F.random(50, seed=1)
    coeffs, view = g.coeffs(), g.digits
    del g
    assert Poly.from_digits(F, view).coeffs() == coeffs
    # Any strides; and the copy does not change with the array.
    wide = np.zeros((2 * len(f), F.k), dtype=np.uint64)
    wide[::2] = digits
    h = Poly.from_digits(F, wide[::2])
    wide[:] = 0
    assert h == f and Poly.from_digits(F, np.asfortranarray(digits)) == f
    assert Poly.from_digits(F, digits[::-1]) == f.reverse()
    # Arrays of a subclass, and arrays that begin at any byte.
    class Mine(np.ndarray):
        pass

    assert Poly.from_digits(F, digits.view(Mine)[::-1]) == f.reverse()
    for words, back in ((digits, Poly.from_digits), (f.to_limbs(), Poly.from_limbs)):
        moved = np.frombuffer(b"x" + words.tobytes(), dtype=np.uint8)[1:].view(np.uint64)
        assert back(F, moved.reshape(words.shape)) == f
    limbs = f.to_limbs()
    assert limbs.shape == (41, F.limbs)
    assert [sum(int(w) << 64 * j for j, w in enumerate(row)) for row in limbs] == f.coeffs()
    assert Poly.from_limbs(F, limbs) == f
    assert Poly.from_limbs(F, np.array([[7], [0]], dtype=np.uint64)) == 7
    zero = F()
    assert zero.digits.shape == (0, F.k) and Poly.from_digits(F, zero.digits) == zero
    assert zero.to_limbs().shape == (0, F.limbs) and Poly.from_limbs(F, zero.to_limbs()) == 0
    assert Poly.from_digits(F, np.array([[0] * (F.k - 1) + [F.r]], dtype=np.uint64)) == -1


def test_numbers_of_numpy(F):
    f = F([1, 2])
    for three in (np.uint64(3), np.int32(3)):
        assert three * f == f * three == F([3, 6]) and three + f == F([4, 2]) == f + three
        assert three - f == F([2, -2]) and f(three) == 7
    for bad in (np.float64(3), np.array([1.0, 2.0]), np.array(["1"])):
        with pytest.raises(TypeError):
            bad * f
        with pytest.raises(TypeError):
            f + bad


def same(array, expected):
    """Whether an array has dtype object and these entries."""
    return array.dtype == object and array.tolist() == expected


def test_arrays_of_polynomials(F):
    f, g, x, zero = F([1, 2]), F([3, 4, 5]), F.x, F()
    for nested in ([f, g], [f, f], [f], [zero], [zero, f], [f, 1], [[f, g], [g, f]], [[[f]]], []):
        a = np.array(nested, dtype=None if nested else object)
        assert same(a, nested)
    assert np.array((f, g)).shape == (2,) and np.array(f).shape == () and np.array(f)[()] is f
    a, b = np.array([f, g]), np.array([g, x])
    assert np.dot(a, b) == a @ b == f * g + g * x and isinstance(np.dot(a, b), Poly)
    assert same(np.convolve(a, b), [f * g, f * x + g * g, g * x])
    assert np.polyval(a, x) == f * x + g and np.polyval([1, 2], x) == x + 2
    assert same(np.polyval(a, b), [f * g + g, f * x + g])
    assert np.sum(a) == f + g and np.prod(a) == f * g
    assert same(np.append(a, x), [f, g, x]) and same(np.stack([f, g]), [f, g])
    # Operators of an array and a polynomial or integers are those of each entry.
    assert same(a * x, [f * x, g * x]) and same(x * a, [f * x, g * x]) and same(a + 1, [f + 1, g + 1])
    assert same(f - a, [zero, f - g]) and same(a % x, [f % x, g % x]) and same(f // b, [f // g, f // x])
    assert same(np.array([1, 2]) * f, [f, 2 * f]) and same(f + np.array([1, 2]), [f + 1, f + 2])
    assert same(f ** np.array([1, 2]), [f, f**2]) and same(f << np.array([1, 0]), [f << 1, f])
    assert f + np.array(3) == F([4, 2]) == np.array(3) + f
    for wrong in (float, np.int64):
        with pytest.raises(TypeError, match="dtype object"):
            np.array([f, g], dtype=wrong)
    with pytest.raises(TypeError):
        np.polyval(f, 3)  # one polynomial is no row of coefficients


def test_comparison_with_arrays(F):
    f, g = F([1, 2]), F([3])
    a = np.array([f, g])
    assert (f == a).tolist() == (a == f).tolist() == [True, False]
    assert (f != a).tolist() == [False, True]
    assert (g == np.array([3, 4])).tolist() == (np.array([3, 4]) == g).tolist() == [True, False]
    assert (f == np.array([[1], [2]])).tolist() == [[False], [False]]
    assert g == np.array(3) and not f == np.array(3) and f != np.float64(1)
    assert (f == np.array([1.5, 2])).tolist() == (f == np.array(["a", "b"])).tolist() == [False, False]
    assert f != memoryview(b"1") and f != [1, 2] and f != {0: 1}


def test_mappings(F):
    x = F.x
    assert F({7: 1, 0: 2}) == x**7 + 2 and F({}) == F({5: 0}) == F({2**60: 0}) == 0
    assert F({np.int64(3): np.int64(-1), True: -F.p + 1}) == x - x**3
    assert F(collections.Counter({2: 3})) == F(types.MappingProxyType({2: 3})) == 3 * x**2
    assert F({2: F.p + 3, 9: F.p}, reduce=True) == 3 * x**2
    assert F({300: 1}).degree == 300 and Poly(F.name, {1: 1}) == x
    assert F(x**7 + 2) == x**7 + 2 and F(F()) == 0


@pytest.mark.parametrize(
    "values", [array.array("Q", [1, 2]), collections.deque([1, 2]), (i for i in (1, 2)), {"a": 1, "b": 2}.values()]
)
def test_other_sequences(values):
    assert Field("p8")(values) == 1 + 2 * Field("p8").x


def test_bytes_and_text(F, lab, rng):
    for f in (F(), F([5]), F(lab.draw(rng, 30))):
        assert Poly.from_bytes(f.to_bytes()) == f == Poly.from_bytes(bytearray(f.to_bytes()), F)
        assert Poly.from_text(f.to_text(), F) == f
        # The text has p alone, which may have several forms r^k + 1.
        assert Poly.from_text(f.to_text()).coeffs() == f.coeffs()
        assert Poly.from_text(f.to_text("ntl"), F, "ntl") == f


def test_files(F, lab, rng, tmp_path):
    f = F(lab.draw(rng, 30) + [1])
    for format in ("binary", "text", "ntl"):
        path = tmp_path / f"file with ünicode.{format}"
        f.save(path, format)
        assert gfpoly.load(path, F) == f
    assert gfpoly.load(str(tmp_path / "file with ünicode.binary")) == f
    path.write_text("[1 2")
    with pytest.raises(gfpoly.ParseError, match="line 1") as caught:
        gfpoly.load(path, F)
    assert caught.value.line == 1 and caught.value.status == "PARSE"


FORMATS = [("binary", 3), ("binary", 5000), ("text", 3), ("text", 5000), ("ntl", 3), ("ntl", 5000)]


def in_thread(action):
    """Starts action in a thread; returns a function that waits for its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(action()), daemon=True)
    thread.start()

    def wait():
        thread.join(30)
        assert results, "the thread hangs or failed"
        return results[0]

    return wait


@pytest.mark.parametrize("format, n", FORMATS)
def test_pipes(format, n, tmp_path):
    """load and save open a path once, so that a pipe serves: more bytes than a pipe holds come in pieces."""
    F = Field("p8")
    f = F.random(n, seed=1)
    path = tmp_path / "fifo"
    os.mkfifo(path)
    field = F if format == "ntl" else None
    loaded = in_thread(lambda: gfpoly.load(path, field))
    f.save(path, format)
    assert loaded() == f
    # From another program, by /dev/stdin.
    f.save(tmp_path / "file", format)
    program = f"import gfpoly; f = gfpoly.load('/dev/stdin', {field and 'p8'!r}); f.save('/dev/stdout', 'text')"
    data = (tmp_path / "file").read_bytes()
    out = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, timeout=60)
    assert out.stderr == b"" and Poly.from_text(out.stdout.decode(), F) == f


def test_slow_pipes(tmp_path):
    """A text byte by byte, with white space before it, as the command reads it."""
    F = Field("257")
    for data, field in ((b" \r\n 2 257  3 4\n", None), (b"\n[3 4]\n", F), (F([3, 4]).to_bytes(), None)):
        path = tmp_path / f"fifo{len(data)}"
        os.mkfifo(path)
        loaded = in_thread(lambda: gfpoly.load(path, field))
        with open(path, "wb", buffering=0) as file:
            for i in range(0, len(data), 1 if len(data) < 100 else 999):
                file.write(data[i : i + (1 if len(data) < 100 else 999)])
        assert loaded() == F([3, 4])


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "line 1"),
        (b" \x89GFP", "white space before the binary format"),
        (b"\x89GFP", "cut off"),
        (b"2 257 ", "line 1"),
        (b"2 257  1 x", "line 1, column 10"),
        (b"1 " + b"9" * 9000 + b" 1", "line 1"),
        (b"x", "line 1"),
    ],
)
def test_damaged_sources(data, message, tmp_path):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises((gfpoly.ParseError, gfpoly.FieldError), match=message):
        gfpoly.load(tmp_path / "file")
    with pytest.raises((gfpoly.ParseError, gfpoly.FieldError), match=message):
        path = tmp_path / "fifo"
        os.mkfifo(path)
        in_thread(lambda: path.write_bytes(data))
        gfpoly.load(path)


def test_messages_of_files(tmp_path):
    f = Field("p8").x
    for action in (gfpoly.load, f.save, lambda path: f.save(path, "text")):
        missing = tmp_path / "no folder" / "f\udcff.gfp"
        with pytest.raises(FileNotFoundError) as caught:
            action(missing)
        assert caught.value.filename == str(missing) and " b'" not in str(caught.value)
        with pytest.raises(IsADirectoryError, match=str(tmp_path)):
            action(tmp_path)
    read, write = os.pipe()
    os.close(read)
    with pytest.raises(BrokenPipeError):
        f.save(f"/dev/fd/{write}", "text")
    os.close(write)
    if os.path.exists("/dev/full"):
        for format in ("text", "binary"):
            with pytest.raises(OSError, match="/dev/full"):
                f.save("/dev/full", format)


@pytest.fixture
def no_proofs(monkeypatch):
    """Makes each proof of a field an error."""

    def prove(*_):
        raise AssertionError("a field is proved again")

    monkeypatch.setattr(gfpoly._core, "field_create", prove)
    monkeypatch.setattr(gfpoly._poly, "of_handle", prove)  # after files and bytes


def test_a_field_in_use_is_found(F, no_proofs, tmp_path):
    f = F([1, 2, 3])
    forms = [F.name, f"{F.r}^{F.k}+1", f"({F.r})^{F.k} + 1"]
    assert all(Field(form) is F for form in forms) and Field(r=F.r, k=F.k) is F
    assert pickle.loads(pickle.dumps(F)) is F is copy.deepcopy(F) is copy.copy(F) is eval(repr(F))
    assert pickle.loads(pickle.dumps([f, f]))[1].field is F
    assert copy.deepcopy({"f": f, "F": F}) == {"f": f, "F": F}
    assert eval(repr(f)).field is F and Poly(F.name, [1]).field is F
    assert Poly.from_bytes(f.to_bytes()).field is F
    f.save(tmp_path / "binary")
    assert gfpoly.load(tmp_path / "binary").field is F
    if gfpoly._core.field_parse(str(F.p)) != (F.r, F.k):
        return  # p alone stands for another of its forms
    assert Field(prime=F.p) is F is Field(str(F.p)) is Field(hex(F.p))
    assert Poly.from_text(f.to_text()).field is F is Poly.from_text(f"  3\n{F.p}  1 2 3").field
    f.save(tmp_path / "text", "text")
    assert gfpoly.load(tmp_path / "text").field is F


def test_a_field_keeps_its_settings():
    F = Field("p4")
    F.threads = 2
    assert pickle.loads(pickle.dumps(F)).threads == Field(F.name).threads == 2
    F.threads = 1


def test_a_field_of_a_file_is_proved_once(tmp_path):
    F = Field("m16")
    F.random(5, seed=1).save(tmp_path / "f")
    data = F.random(5, seed=1).to_bytes()
    r, k = F.r, F.k
    del F
    gc.collect()
    assert gfpoly._field.living(r, k) is None
    f, g = Poly.from_bytes(data), gfpoly.load(tmp_path / "f")
    assert f == g and f.field is g.field is Field("m16")


def test_threads_get_one_field():
    gc.collect()
    barrier = threading.Barrier(4)

    def find(form):
        barrier.wait()
        return Field(form)

    waits = [in_thread(lambda form=form: find(form)) for form in ("m32", "m32", " m32", "m32 ")]
    fields = [wait() for wait in waits]
    assert all(F is fields[0] for F in fields)


def test_pickles(F, lab, rng):
    f = F(lab.draw(rng, 30))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        g, G = pickle.loads(pickle.dumps((f, F), protocol))
        assert g == f and G is F and g.field is F
    assert copy.copy(f) == copy.deepcopy([f])[0] == f
    M = Modulus(f + F.x**40)
    assert copy.deepcopy(M) is M is copy.copy(M)
    assert pickle.loads(pickle.dumps(M)).poly == M.poly
    function, (field, words) = f.__reduce__()
    if words:
        with pytest.raises(gfpoly.RangeError, match="data"):
            function(field, b"\xff" * len(words))
        with pytest.raises(gfpoly.ArgumentError, match="data"):
            function(field, words[1:])


def test_repr(F, lab, rng):
    for _ in range(5):
        f = F(lab.draw(rng, rng.randrange(20)))
        assert eval(repr(f)) == f
        assert str(f) and f._repr_latex_().startswith("$")
    assert eval(repr(F)) is F and F._repr_latex_()
    x = F.x
    assert str(x**3 - 2 * x + 1) == "X^3 - 2*X + 1" or F.p < 2**32
    assert str(F()) == "0" and (x**2)._repr_latex_() == "$X^{2}$"


def test_repr_beyond_pythons_limit():
    F = Field(r=2**63 + 2**34, k=8)
    assert F.bits < 14000  # such fields print decimals
    assert F._repr_latex_()
    wide = Poly(F, [F.p // 2])
    assert eval(repr(wide)) == wide


def test_equality_and_hash(F):
    f, g = F([1, 2]), F([1, 2])
    assert f == g and hash(f) == hash(g) and {f: 1}[g] == 1
    assert f != F([1, 3]) and f != "f" and F([3]) == 3 and hash(F([3])) == hash(3)
    assert F([-1]) == -1 and F([3]) != 4 and F() == 0
    other = Field("p128" if F.name != "p128" else "p64")
    assert f != other([1, 2]) and F != other
    with pytest.raises(AttributeError):
        f.field = other
    with pytest.raises(AttributeError):
        F.name = "x"


def test_fields():
    F = Field("p8")
    assert Field("p8") is F is Field(prime=F.p) is Field(r=F.r, k=F.k)
    assert F.p == F.r**F.k + 1 and F.bits == F.p.bit_length() and F.limbs == 8
    assert F.root(4) == F.r and pow(F.root(10), 2**9, F.p) == F.p - 1
    assert F.inv(7) * 7 % F.p == 1 and F.pow(3, F.p - 1) == 1
    theorem, factors = F.certificate
    assert theorem in ("Proth", "Pocklington") and factors[0][0] == 2
    assert ("p8", "(2^63+2^34)^8+1") in gfpoly.named_fields()
    F.random(100, seed=1) * F.random(100, seed=2)
    assert F.kept_memory() > 0
    F.release_memory()
    assert F.kept_memory() == 0
    F.limit_memory(2**30)


def test_comparison_of_wrong_products(monkeypatch):
    product = gfpoly._core.mul

    def wrong(a, b, options):
        c = product(a, b, options)
        named = options is not None and options.method == "classical"
        return gfpoly._core.neg(c) if named else c

    class FromFlint:
        def __mul__(self, other):
            return self

        def __eq__(self, other):
            return self is other

    monkeypatch.setattr(gfpoly._core, "mul", wrong)
    with pytest.raises(gfpoly.VerifyError, match="classical disagrees at 16 terms") as caught:
        gfpoly.compare("p4", [16], methods=["classical"], seconds=0, flint=False)
    assert caught.value.status == "VERIFY" and isinstance(caught.value, ArithmeticError)
    monkeypatch.setitem(sys.modules, "flint", types.SimpleNamespace(__version__="0"))
    monkeypatch.setattr(Poly, "to_flint", lambda self: FromFlint())
    with pytest.raises(gfpoly.VerifyError, match="python-flint disagrees at 16 terms"):
        gfpoly.compare("p4", [16], methods=[], seconds=0)


def test_comparison():
    table = gfpoly.compare("p4", [16, 64], methods=["classical", "flint"], seconds=0.001)
    assert table.lengths == [16, 64] and "classical" in table.methods
    assert "p4" in str(table) and "<table>" in table._repr_html_()
    assert table.seconds("gfpoly", 16) > 0 and table.seconds("none", 16) is None
    assert gfpoly.info()["version"] == gfpoly.__version__


def test_plot():
    pytest.importorskip("matplotlib")
    table = gfpoly.compare("p4", [16, 64], methods=["classical"], seconds=0.001, flint=False)
    assert len(table.plot().lines) == 2
    assert table._repr_png_().startswith(b"\x89PNG")
