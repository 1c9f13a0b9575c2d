# Arithmetic, against plain Python and python-flint.
# SPDX-License-Identifier: LGPL-3.0-or-later
import pytest

import gfpoly
from conftest import flint_or_skip
from gfpoly import Field, Modulus, Poly, Tree, zz


def pairs(F, lab, rng, count=12, longest=40):
    for _ in range(count):
        a = lab.draw(rng, rng.randrange(longest))
        b = lab.draw(rng, rng.randrange(longest))
        yield a, b, F(a), F(b)


def test_ring(F, lab, rng):
    for a, b, f, g in pairs(F, lab, rng):
        assert (f + g).coeffs() == lab.add(a, b)
        assert (f - g).coeffs() == lab.add(a, b, -1)
        assert (-f).coeffs() == lab.add([], a, -1)
        assert (f * g).coeffs() == lab.mul(a, b)
        assert (f * f).coeffs() == lab.mul(a, a)
        c = rng.randrange(1 - F.p, F.p)
        assert (c * f).coeffs() == (f * c).coeffs() == lab.mul([c], a)
        assert (f + c).coeffs() == (c + f).coeffs() == lab.add(a, [c])
        assert (f - c).coeffs() == lab.add(a, [c], -1)
        assert (c - f).coeffs() == lab.add([c], a, -1)
        assert (f**3).coeffs() == lab.mul(lab.mul(a, a), a)
        assert f**0 == 1 and f**1 == f


def test_parts(F, lab, rng):
    for a, b, f, g in pairs(F, lab, rng):
        c = lab.mul(a, b)
        i, n = rng.randrange(50), rng.randrange(50)
        assert f.mullow(g, n).coeffs() == lab.trim(c[:n])
        assert f.mulhigh(g, n).coeffs() == c[n:]
        assert f.mulmid(g, i, n).coeffs() == lab.trim(c[i : i + n])
        assert (f * g).is_product(f, g)
        assert not (f * g + 1).is_product(f, g)
        assert f.truncate(n).coeffs() == lab.trim(lab.trim(a)[:n])
        assert (f << n).coeffs() == ([0] * n + lab.trim(a) if f else [])
        assert (f >> n).coeffs() == lab.trim(a)[n:]
        assert f.reverse(n).coeffs() == lab.trim((a + [0] * n)[:n][::-1])


def test_division(F, lab, rng):
    for a, b, f, g in pairs(F, lab, rng):
        if not g:
            continue
        q, r = lab.divmod(a, b)
        assert tuple(h.coeffs() for h in divmod(f, g)) == (q, r)
        assert (f // g).coeffs() == q and (f % g).coeffs() == r
        assert f * g / g == f
        assert f % 1 == 0 and f // -1 == -f
        assert 1 % g == (1 if g.degree > 0 else 0)


def test_euclid(F, lab, rng):
    for a, b, f, g in pairs(F, lab, rng):
        h = F(lab.draw(rng, 5))
        assert (f * h).gcd(g * h).coeffs() == lab.gcd(lab.mul(a, list(h)), lab.mul(b, list(h)))
        d, u, v = f.xgcd(g)
        assert u * f + v * g == d == f.gcd(g)
        assert f.resultant(g) == lab.resultant(a, b)


def test_values(F, lab, rng):
    for a, b, f, g in pairs(F, lab, rng, count=6):
        points = [rng.randrange(F.p) for _ in range(rng.randrange(1, 30))]
        values = [lab.value(a, x) for x in points]
        assert [f(x) for x in points] == values == f.multipoint(points)
        assert f(points[0] - F.p) == values[0]
        points = list(dict.fromkeys(points))
        tree = Tree(F, points)
        values = tree(f)
        assert values == f.multipoint(points) and len(tree) == len(points)
        h = f % F.from_roots(points)
        assert F.interpolate(points, values) == tree.interpolate(values) == h
        assert tree.product() == F.from_roots(points) == F.from_roots(set(points))
        x = rng.randrange(F.p)
        assert f(g)(x) == lab.value(a, lab.value(b, x))


def test_modulus(F, lab, rng):
    for a, b, f, g in pairs(F, lab, rng, count=6):
        m = F(lab.draw(rng, 9) + [1])
        M = Modulus(m)
        assert M.mul(f, g) == f * g % m == M.reduce(f * g)
        assert M.square(f) == f * f % m
        e = rng.randrange(200)
        assert pow(f, e, m) == M.pow(f, e) == f**e % m
        assert pow(f, F.p, M) == M.pow(f, F.p)
        assert M.compose(f, g) == f(g) % m
        if f.gcd(m) == 1:
            assert f * pow(f, -1, m) % m == 1 == f * M.inv(f) % m
        if F.p > 1000:
            c = M.charpoly(f)
            assert c.degree == m.degree and M.compose(c, f) == 0
        assert M.compose(M.minpoly(f), f) == 0
    for e in 0, 1, 5, -1:
        assert pow(f, e, 3) == 0 == pow(f, e, F([2]))
    with pytest.raises(ZeroDivisionError):
        pow(f, 2, F([]))


def test_roots_and_factors():
    F = Field("p4")
    x = F.x
    f = 5 * (x - 1) ** 2 * (x + 3) * (x**2 + 7 * x + 10)
    leading, factors = f.factor()
    g = F([leading])
    for h, e in factors:
        assert h.is_irreducible() and h.leading == 1
        g *= h**e
    assert g == f
    for root, multiplicity in f.roots():
        assert f(root) == 0 and f % (x - root) ** multiplicity == 0
    assert F.irreducible(5, seed=1).is_irreducible()
    leading, parts = f.factor_squarefree()
    assert sorted(e for _, e in parts) == [1, 2]


def test_series():
    F = Field("p8")
    n = 50
    f = 1 + (F.random(n, seed=1) << 1)
    assert f.mullow(f.inverse_series(n), n) == 1
    s = f.sqrt_series(n)
    assert s.mullow(s, n) == f.truncate(n)
    assert f.log_series(n).exp_series(n) == f.truncate(n)
    assert f.pow_series(3, n) == (f**3).truncate(n)
    g = F.random(n, seed=2)
    assert g.divide_series(f, n) == g.mullow(f.inverse_series(n), n)
    h = F.x + F.x**2
    assert h.compose_series(h.revert_series(n), n) == F.x
    assert f.derivative().integral() == f - 1
    assert g.taylor_shift(3)(4) == g(7)
    num, den = f.pade(20, 20)
    assert (f * den - num).truncate(41) == 0
    assert F.minpoly([2**i + 3**i for i in range(8)]) == (F.x - 2) * (F.x - 3)


def test_long_against_flint():
    flint = flint_or_skip()
    for name in ("p4", "p8", "p32"):
        F = Field(name)
        a, b = F.random(700, seed=3), F.random(500, seed=4)
        x, y = a.to_flint(), b.to_flint()
        assert isinstance(x, flint.fmpz_mod_poly)
        assert (a * b).to_flint() == x * y
        assert (a % b).to_flint() == x % y
        assert (a // b).to_flint() == x // y
        c = F.random(20, seed=5)
        assert (a * c).gcd(b * c).to_flint() == (x * c.to_flint()).gcd(y * c.to_flint())
        assert Poly.from_flint(x) == a and Poly.from_flint(x, F) == a


def test_options_choose_and_verify():
    F = Field("p8")
    a, b = F.random(300, seed=1), F.random(200, seed=2)
    c = a * b
    for method in ("classical", "karatsuba", "bigfft", "hybrid", "crt"):
        with gfpoly.options(method=method, verify="point") as o:
            assert a * b == c
        assert o.report["method"] == method and o.report["verified"] == "point"
        with gfpoly.options(threads=2), gfpoly.options(verify="cross") as o:
            assert a * b == c
        assert o.report["verified"] == "cross" and o.report["cross_method"]
    with gfpoly.options(method="classical"):
        with gfpoly.options() as o:
            a * b
        assert o.report["method"] == "classical"
    with pytest.raises(gfpoly.OutOfMemory, match="100 bytes"):
        with gfpoly.options(memory_cap=100):
            F.random(5000, seed=1) * F.random(5000, seed=2)
    F.threads = 2
    assert F.threads == 2 and a * b == c
    F.threads = 1


def zmul(a, b):
    c = [0] * max(len(a) + len(b) - 1, 0)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            c[i + j] += x * y
    while c and c[-1] == 0:
        c.pop()
    return c


def test_integers(rng):
    for bits in (1, 63, 64, 65, 300):
        for n in (0, 1, 5, 30):
            draw = lambda: [rng.randrange(-(2**bits), 2**bits + 1) for _ in range(n)]
            a, b, c = draw(), draw(), [2, -3, 1]
            assert zz.zmul(a, b) == zmul(a, b)
            assert zz.zmul([-(2**bits)] * n, [2**bits] * n) == zmul([-(2**bits)] * n, [2**bits] * n)
            if not zmul(a, b):
                continue
            g, u, v = zz.zgcd_cofactors(zmul(a, c), zmul(b, c))
            assert zmul(g, u) == zmul(a, c) and zmul(g, v) == zmul(b, c)
            assert g == zz.zgcd(zmul(a, c), zmul(b, c))
            assert zz.zresultant(zmul(a, c), zmul(b, c)) == 0
    assert zz.zresultant([-(2**200), 1], [-3, 0, 1]) == 2**400 - 3
    assert zz.zdiscriminant([-5, 3, 2]) == 9 + 40
    assert zz.zcontent([-6, 9, 0]) == 3
    assert zz.zmul({2: 3, 0: -1}, {1: 2**70}) == [0, -(2**70), 0, 3 * 2**70] and zz.zmul({}, [1]) == []
    assert zz.zgcd({9: 1, 0: -1}, {6: 1, 0: -1, 2**60: 0}) == [-1, 0, 0, 1] and zz.zcontent({3: 4, 5: 6}) == 2
    assert zz.zresultant({2: 1, 0: -2}, {2: 1, 0: -3}) == 1 and zz.zdiscriminant({2: 1, 1: 1, 0: 1}) == -3
