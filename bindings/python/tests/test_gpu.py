# Polynomials on a GPU against those of the CPU. Without a device: the reason is an exception.
# SPDX-License-Identifier: LGPL-3.0-or-later
import copy
import threading

import pytest

import gfpoly
from gfpoly import Field
from gfpoly.gpu import GpuPoly, available

needs_device = pytest.mark.skipif(not available(), reason="no GPU can be used")


@pytest.mark.skipif(available(), reason="there is a GPU")
def test_without_a_device():
    with pytest.raises(gfpoly.Unavailable) as caught:
        GpuPoly(Field("p8").x)
    assert str(caught.value)


def test_a_device_that_fails_is_none(monkeypatch):
    def fail(*_):
        raise gfpoly.DeviceError("the device was lost")

    monkeypatch.setattr("gfpoly.gpu._ring", fail)
    assert not available()


def test_wrong_arguments():
    with pytest.raises(TypeError, match="f: .*int"):
        GpuPoly(5)
    with pytest.raises(ValueError, match="device"):
        GpuPoly(Field("p8").x, device=-1)
    with pytest.raises(TypeError, match="array: list has no __dlpack__"):
        GpuPoly.from_dlpack("p8", [1])


@needs_device
@pytest.mark.parametrize("name", ["p4", "p8", "m8", "30^32+1"])
def test_arithmetic(name):
    F = Field(name)
    for n, m in ((0, 3), (1, 1), (5, 70), (150, 100)):
        f, g = F.random(n, seed=n + 1), F.random(m, seed=m + 2)
        a, b = GpuPoly(f), GpuPoly(g)
        assert a.to_host() == f and len(a) == len(f) and a == GpuPoly(f)
        assert (a + b).to_host() == f + g and (a - b).to_host() == f - g and (-a).to_host() == -f
        c = a * b
        assert c.to_host() == f * g and (a * a).to_host() == f * f
        if F.r > 2**20:  # smaller radices have too few points
            with gfpoly.options(verify="point") as o:
                assert a * b == c
                assert not c or o.report["verified"] == "point"
        assert (7 * a).to_host() == 7 * f and a(3) == f(3)
        assert a.mullow(b, 50).to_host() == f.mullow(g, 50)
        assert a.mulhigh(b, 50).to_host() == f.mulhigh(g, 50)
        assert a.truncate(9).to_host() == f.truncate(9) and a.reverse(9).to_host() == f.reverse(9)
        assert (a << 4).to_host() == f << 4 and (a >> 4).to_host() == f >> 4
        if g:
            assert tuple(h.to_host() for h in divmod(a, b)) == divmod(f, g)
        if g and g[0]:
            assert b.inverse_series(30).to_host() == g.inverse_series(30)
    assert c + GpuPoly(F([1])) != c
    assert copy.copy(c) is c and copy.deepcopy(c) is c


@needs_device
def test_objects_that_do_not_change():
    a, b = GpuPoly(Field("p8")([1, 2])), GpuPoly(Field("p8")([3, 4]))
    a.__init__(Field("p4").x)
    with pytest.raises(AttributeError, match="does not change"):
        a.device = 1
    assert a.to_host() == Field("p8")([1, 2])
    np = pytest.importorskip("numpy")
    row = np.array([a, b])
    assert row.dtype == object and row.tolist() == [a, b] and (row == a).tolist() == [True, False]
    assert (row * a).tolist() == [a * a, b * a] and np.uint64(3) * a == 3 * a and not a == np.float64(1)


@needs_device
def test_errors():
    F, G = Field("p8"), Field("p4")
    a, b = GpuPoly(F([1, 2])), GpuPoly(G([1, 2]))
    with pytest.raises(gfpoly.FieldMismatch, match="over p4, not over p8"):
        a * b
    with pytest.raises(ZeroDivisionError):
        divmod(a, GpuPoly(F()))
    with pytest.raises(TypeError):
        a + F([1])
    with pytest.raises(gfpoly.RangeError, match="scalar"):
        a * F.p


@needs_device
def test_dlpack():
    class Device:
        """What CuPy and PyTorch are here: an object with these two methods."""

        def __init__(self, capsule, device):
            self.capsule, self.device = capsule, device

        def __dlpack__(self, **options):
            return self.capsule

        def __dlpack_device__(self):
            return self.device

    F = Field("p8")
    for n in (0, 1, 500):
        f = F.random(n, seed=3)
        a = GpuPoly(f)
        assert a.__dlpack_device__() == (2, 0)
        assert GpuPoly.from_dlpack(F, a) == a
        assert GpuPoly.from_dlpack(F, Device(a.__dlpack__(), (2, 0))).to_host() == f
    with pytest.raises(BufferError):
        a.__dlpack__(copy=False)
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(1, 0))
    # The same words over another field: digits are too large.
    top = GpuPoly(F([1, F.p - 2]))
    with pytest.raises(gfpoly.RangeError, match=r"array\[1\]"):
        GpuPoly.from_dlpack(Field("m8"), top)
    with pytest.raises(gfpoly.ArgumentError, match="8 words in a row, the field needs 4"):
        GpuPoly.from_dlpack("p4", top)
    np = pytest.importorskip("numpy")
    with pytest.raises(gfpoly.ArgumentError, match="not on this device"):
        GpuPoly.from_dlpack(F, np.zeros((2, 8), dtype=np.uint64))
    with pytest.raises(gfpoly.ArgumentError, match="64 bits"):
        GpuPoly.from_dlpack(F, np.zeros((2, 8), dtype=np.float64))


@needs_device
def test_other_packages():
    cupy = pytest.importorskip("cupy")
    F = Field("p8")
    f = F.random(100, seed=1)
    words = cupy.from_dlpack(GpuPoly(f))
    assert words.shape == (100, 8) and (words.get() == f.digits).all()
    assert GpuPoly.from_dlpack(F, words[::-1].copy()).to_host() == f.reverse()


@needs_device
def test_torch():
    torch = pytest.importorskip("torch")
    F = Field("p8")
    f = F.random(100, seed=1)
    words = torch.from_dlpack(GpuPoly(f))
    assert GpuPoly.from_dlpack(F, words.view(torch.int64)).to_host() == f


@needs_device
def test_threads_share_a_device():
    F = Field("p8")
    f, g = F.random(90, seed=1), F.random(60, seed=2)
    a, b, c = GpuPoly(f), GpuPoly(g), f * g
    failures = []

    def work():
        for _ in range(10):
            if (a * b).to_host() != c:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
