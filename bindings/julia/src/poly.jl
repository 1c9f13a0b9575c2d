# Polynomials: storage, conversions, arithmetic, text.
# SPDX-License-Identifier: LGPL-3.0-or-later

# The finalizer.
function discard(f::Poly)
    gfp_poly_clear(f)
    release(f.parent.context)
    return nothing
end

function Poly(F::Field, v::AbstractVector{<:Integer}; reduce::Bool=false)
    words = to_words(F, v, reduce, "v")
    f = Poly(F)
    detail = Ref(CError())
    status = gfp_poly_set_limbs(f, words, F.limbs, F.limbs, length(v), detail)
    status < 0 && throw(failure(status, detail[]))
    return f
end

# ---- coefficients ----

"""
    coefficients(f), Vector{BigInt}(f)

The coefficients of `f`, integers in [0, p), constant term first.
"""
function coefficients(f::Poly)
    words = Matrix{UInt64}(undef, f.parent.limbs, length(f))
    GC.@preserve f words gfp_vec_get_limbs(f.parent.ptr, words, f.parent.limbs, f.digits, length(f))
    return from_words(words)
end
Base.Vector{BigInt}(f::Poly) = coefficients(f)
Base.convert(::Type{Vector{BigInt}}, f::Poly) = coefficients(f)

"""
    coeff(f, i)

The coefficient of X^i, an integer in [0, p).
"""
function coeff(f::Poly, i::Integer)
    i >= 0 || throw(ArgumentError("i: $i is negative"))
    digits = Vector{UInt64}(undef, f.parent.k)
    gfp_poly_get_coeff(digits, f, i)
    return from_digits(f.parent, digits, 1)[1]
end

Base.parent(f::Poly) = f.parent
Base.length(f::Poly) = Int(f.len)
"""
    degree(f)

The degree of `f`; -1 for 0.
"""
degree(f::Poly) = length(f) - 1
"""
    leading_coefficient(f)

The coefficient of the highest power of X; 0 for `f = 0`.
"""
leading_coefficient(f::Poly) = iszero(f) ? big(0) : coeff(f, degree(f))
Base.iszero(f::Poly) = f.len == 0
Base.isone(f::Poly) = gfp_poly_is_one(f)
Base.zero(f::Poly) = zero(f.parent)
Base.one(f::Poly) = one(f.parent)
Base.copy(f::Poly) = f # polynomials do not change
Base.deepcopy_internal(f::Poly, ::IdDict) = f
Base.broadcastable(f::Poly) = Ref(f)
Base.:(==)(f::Poly, g::Poly) = gfp_poly_equal(f, g)
function Base.hash(f::Poly, h::UInt)
    iszero(f) && return hash(f.parent, h)
    GC.@preserve f begin
        return hash(unsafe_wrap(Array, f.digits, f.parent.k * length(f)), hash(f.parent, h))
    end
end
function Serialization.serialize(s::Serialization.AbstractSerializer, f::Poly)
    Serialization.serialize_type(s, Poly)
    Serialization.serialize(s, (f.parent, coefficients(f)))
end
Serialization.deserialize(s::Serialization.AbstractSerializer, ::Type{Poly}) = Poly(Serialization.deserialize(s)...)

# ---- arithmetic ----

function computed(call, F::Field)
    c = Poly(F)
    compute(options -> call(c, options))
    return c
end

function Base.:+(a::Poly, b::Poly)
    c = Poly(a.parent)
    check(gfp_poly_add(c, a, b))
    return c
end
function Base.:-(a::Poly, b::Poly)
    c = Poly(a.parent)
    check(gfp_poly_sub(c, a, b))
    return c
end
function Base.:-(a::Poly)
    c = Poly(a.parent)
    check(gfp_poly_neg(c, a))
    return c
end
Base.:+(a::Poly) = a
Base.:*(a::Poly, b::Poly) = computed((c, o) -> a === b ? gfp_poly_sqr(c, a, o) : gfp_poly_mul(c, a, b, o), a.parent)
function Base.:*(x::Integer, a::Poly)
    c = Poly(a.parent)
    check(gfp_poly_scalar_mul(c, a, to_digits(a.parent, [x], "x")))
    return c
end
Base.:*(a::Poly, x::Integer) = x * a
for op in (:+, :-)
    @eval Base.$op(a::Poly, x::Integer) = $op(a, a.parent(x))
    @eval Base.$op(x::Integer, a::Poly) = $op(a.parent(x), a)
end
function Base.:^(a::Poly, n::Integer)
    n >= 0 || throw(DomainError(n, "a polynomial has no negative powers"))
    return n == 0 ? one(a) : Base.power_by_squaring(a, n)
end
function Base.:<<(a::Poly, n::Integer)
    n >= 0 || throw(DomainError(n, "the power of X is negative"))
    c = Poly(a.parent)
    check(gfp_poly_shift_left(c, a, n))
    return c
end
function Base.:>>(a::Poly, n::Integer)
    n >= 0 || throw(DomainError(n, "the power of X is negative"))
    c = Poly(a.parent)
    check(gfp_poly_shift_right(c, a, n))
    return c
end

# ---- text ----

# Coefficients above p / 2 as negative numbers, which have fewer digits where they are small.
centered(F::Field, x::BigInt) = 2x > F.p ? x - F.p : x

# Julia reads this text back.
function Base.show(io::IO, f::Poly)
    print(io, "Poly(", f.parent, ", ")
    n = length(f)
    if get(io, :limit, false) && n > 8
        print(io, "[", join((centered(f.parent, coeff(f, i)) for i in 0:3), ", "), ", …, ",
            centered(f.parent, coeff(f, n - 1)), "])")
    else
        print(io, n == 0 ? "BigInt" : "", "[", join((centered(f.parent, x) for x in coefficients(f)), ", "), "])")
    end
end

function term(x::BigInt, i::Integer)
    power = i == 0 ? "" : i == 1 ? "X" : "X^$i"
    isone(x) && i > 0 && return power
    return i == 0 ? string(x) : string(x, "*", power)
end

# X^6 - 4*X^4 + 1, the highest power first; with the property :limit at most 8 terms.
function Base.show(io::IO, ::MIME"text/plain", f::Poly)
    most = get(io, :limit, false) ? 8 : typemax(Int)
    shown = 0
    for i in degree(f):-1:0
        x = centered(f.parent, coeff(f, i))
        iszero(x) && continue
        if shown == most
            print(io, " + …")
            break
        end
        sign = signbit(x) ? (shown == 0 ? "-" : " - ") : shown == 0 ? "" : " + "
        print(io, sign, term(abs(x), i))
        shown += 1
    end
    shown == 0 && print(io, "0")
end
