# Division, gcds, resultants, values, powers modulo a polynomial, roots.
# SPDX-License-Identifier: LGPL-3.0-or-later

function Base.divrem(a::Poly, b::Poly)
    r = Poly(a.parent)
    q = computed((q, o) -> gfp_poly_divrem(q, r, a, b, o), a.parent)
    return q, r
end
Base.div(a::Poly, b::Poly) = computed((q, o) -> gfp_poly_div(q, a, b, o), a.parent)
Base.rem(a::Poly, b::Poly) = computed((r, o) -> gfp_poly_rem(r, a, b, o), a.parent)
Base.mod(a::Poly, b::Poly) = rem(a, b)
# a / b, where b divides a.
Base.:/(a::Poly, b::Poly) = computed((q, o) -> gfp_poly_divexact(q, a, b, o), a.parent)

Base.gcd(a::Poly, b::Poly) = computed((g, o) -> gfp_poly_gcd(g, a, b, o), a.parent)
# g, u, v with u a + v b = g.
function Base.gcdx(a::Poly, b::Poly)
    u = Poly(a.parent)
    v = Poly(a.parent)
    g = computed((g, o) -> gfp_poly_xgcd(g, u, v, a, b, o), a.parent)
    return g, u, v
end

function element(call, F::Field)
    digits = Vector{UInt64}(undef, F.k)
    compute(options -> call(digits, options))
    return from_digits(F, digits, 1)[1]
end
"""
    resultant(a, b)

The resultant of `a` and `b`, an integer in [0, p).
"""
resultant(a::Poly, b::Poly) = element((r, o) -> gfp_poly_resultant(r, a, b, o), a.parent)
"""
    discriminant(f)

The discriminant of `f`, an integer in [0, p).
"""
discriminant(f::Poly) = element((r, o) -> gfp_poly_discriminant(r, f, o), f.parent)
"""
    derivative(f)

The derivative of `f`.
"""
derivative(f::Poly) = computed((b, o) -> gfp_poly_derivative(b, f, o), f.parent)

# ---- values ----

function (f::Poly)(x::Integer)
    y = Vector{UInt64}(undef, f.parent.k)
    gfp_poly_eval(y, f, to_digits(f.parent, [x], "x"))
    return from_digits(f.parent, y, 1)[1]
end
(f::Poly)(g::Poly) = computed((c, o) -> gfp_poly_compose(c, f, g, o), f.parent)

"""
    evaluate(f, points)

The values of `f` at the points of a vector, integers in [0, p).
"""
function evaluate(f::Poly, points::AbstractVector{<:Integer})
    x = to_digits(f.parent, points, "points")
    y = similar(x)
    compute(options -> gfp_poly_eval_vec(y, f, x, length(points), options))
    return from_digits(f.parent, y, length(points))
end
"""
    interpolate(F, points, values)

The polynomial of degree below `length(points)` with these values at these points, which are different.
"""
function interpolate(F::Field, points::AbstractVector{<:Integer}, values::AbstractVector{<:Integer})
    length(points) == length(values) || throw(DimensionMismatch("points and values have different lengths"))
    x = to_digits(F, points, "points")
    y = to_digits(F, values, "values")
    return computed((f, o) -> gfp_poly_interpolate(f, x, y, length(points), o), F)
end

# ---- modulo a polynomial ----

function with_modulus(call, g::Poly)
    out = Ref{Ptr{CModulus}}(C_NULL)
    compute(options -> gfp_modulus_create(out, g, options))
    try
        return computed((c, o) -> call(c, out[], o), g.parent)
    finally
        gfp_modulus_destroy(out[])
    end
end
Base.invmod(a::Poly, g::Poly) = with_modulus((c, M, o) -> gfp_poly_inv_mod(c, a, M, o), g)
# a^e modulo g; e may be negative.
function Base.powermod(a::Poly, e::Integer, g::Poly)
    e < 0 && return powermod(invmod(a, g), -big(e), g)
    n = cld(ndigits(e; base=2), 64)
    exponent = zeros(UInt64, n)
    GC.@preserve exponent gmp_export(pointer(exponent), C_NULL, big(e))
    return with_modulus((c, M, o) -> gfp_poly_pow_mod(c, a, exponent, n, M, o), g)
end

# ---- roots ----

"""
    roots(f)

The roots of `f` in Z/pZ, a vector of pairs `root => multiplicity` in ascending order.
"""
function roots(f::Poly)
    R = CRoots()
    GC.@preserve f gfp_roots_init(R, f.parent.ptr)
    try
        compute(options -> gfp_poly_roots(R, f, options))
        n = Int(R.count)
        n == 0 && return Pair{BigInt,Int}[]
        values = from_digits(f.parent, R.root, n)
        return [values[i] => Int(unsafe_load(R.multiplicity, i)) for i in 1:n]
    finally
        gfp_roots_clear(R)
    end
end
