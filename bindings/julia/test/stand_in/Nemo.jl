# A stand-in for the package Nemo with the few types and functions that GFPolyNemoExt calls: tests only.
# SPDX-License-Identifier: LGPL-3.0-or-later
module Nemo

struct ZZRing end
const ZZ = ZZRing()
struct ZZRingElem
    value::BigInt
end
ZZRingElem(x::Integer) = ZZRingElem(BigInt(x))
(::ZZRing)(x::Integer) = ZZRingElem(x)
Base.BigInt(x::ZZRingElem) = x.value

struct ZZModRing
    n::ZZRingElem
end
residue_ring(::ZZRing, n::ZZRingElem) = ZZModRing(n), nothing
modulus(R::ZZModRing) = R.n
struct ZZModRingElem
    data::ZZRingElem
end
lift(::ZZRing, x::ZZModRingElem) = x.data

struct ZZModPolyRing
    base::ZZModRing
end
base_ring(R::ZZModPolyRing) = R.base
struct ZZModPolyRingElem
    parent::ZZModPolyRing
    v::Vector{BigInt}
end
polynomial_ring(R::ZZModRing, name::String) = ZZModPolyRing(R), ZZModPolyRing(R)([ZZ(0), ZZ(1)])
function (R::ZZModPolyRing)(v::Vector{ZZRingElem})
    reduced = [mod(x.value, R.base.n.value) for x in v]
    return ZZModPolyRingElem(R, reduced[1:something(findlast(!iszero, reduced), 0)])
end
parent(g::ZZModPolyRingElem) = g.parent
length(g::ZZModPolyRingElem) = Base.length(g.v)
coeff(g::ZZModPolyRingElem, i::Int) = ZZModRingElem(ZZ(i < Base.length(g.v) ? g.v[i+1] : big(0)))
function Base.:*(f::ZZModPolyRingElem, g::ZZModPolyRingElem)
    product = zeros(BigInt, Base.length(f.v) + Base.length(g.v) - 1)
    for i in eachindex(f.v), j in eachindex(g.v)
        product[i+j-1] += f.v[i] * g.v[j]
    end
    return f.parent(ZZRingElem.(product))
end

end
