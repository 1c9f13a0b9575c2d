# Conversions from and to Nemo's polynomials over Z/nZ and GF(p), loaded where both packages are.
# SPDX-License-Identifier: LGPL-3.0-or-later
module GFPolyNemoExt

using GFPoly: GFPoly, Field, Poly, coefficients
using Nemo: Nemo, ZZ, ZZRingElem, ZZModPolyRing, ZZModPolyRingElem

# The prime of Nemo's ring. Field proves that it is one, and of the form r^k + 1.
modulus(R::ZZModPolyRing) = BigInt(Nemo.modulus(Nemo.base_ring(R)))

# Poly(g): over the field of g's modulus.
GFPoly.Poly(g::ZZModPolyRingElem) = Poly(Field(modulus(Nemo.parent(g))), g)
function GFPoly.Poly(F::Field, g::ZZModPolyRingElem)
    modulus(Nemo.parent(g)) == F.p || throw(ArgumentError("g: the modulus is not p"))
    return Poly(F, BigInt[BigInt(Nemo.lift(ZZ, Nemo.coeff(g, i))) for i in 0:Nemo.length(g)-1])
end
(F::Field)(g::ZZModPolyRingElem) = Poly(F, g)
Base.convert(::Type{Poly}, g::ZZModPolyRingElem) = Poly(g)

# R(f) for a polynomial ring R of Nemo.
function (R::ZZModPolyRing)(f::Poly)
    modulus(R) == f.parent.p || throw(ArgumentError("f: p is not the modulus of R"))
    return R(ZZRingElem[ZZRingElem(x) for x in coefficients(f)])
end

end
