# Fields, and integers as elements.
# SPDX-License-Identifier: LGPL-3.0-or-later

# The contexts in use, one for each field. Finalizers run between any two steps of other code, and so take no lock:
# they only count, and the next creation of a field destroys the contexts without users.
const CONTEXTS = Dict{Tuple{UInt64,Int},Context}()
const CONTEXTS_LOCK = ReentrantLock()

# In finalizers. The last user gives the work areas back while it still counts: afterwards another thread may destroy
# the field.
function release(context::Context)
    context.users[] == 1 && gfp_field_release_memory(context.ptr)
    Threads.atomic_sub!(context.users, 1)
    return nothing
end

function Context(ptr::Ptr{CField})
    limbs = Int(gfp_field_limbs(ptr))
    return Context(ptr, Threads.Atomic{Int}(0), unsafe_string(gfp_field_name(ptr)),
        to_integer(gfp_field_modulus_limbs(ptr), limbs), gfp_field_r(ptr), Int(gfp_field_k(ptr)), Int(gfp_field_bits(ptr)), limbs)
end

# Only the next two functions take a context without users into use again, so that the lock is enough.

# The field that was made before, without a proof of its prime; nothing if there is none.
function known_field(r, k)
    lock(CONTEXTS_LOCK)
    try
        context = get(CONTEXTS, (UInt64(r), Int(k)), nothing)
        return context === nothing ? nothing : Field(context)
    finally
        unlock(CONTEXTS_LOCK)
    end
end

function made_field(create)
    out = Ref{Ptr{CField}}(C_NULL)
    detail = Ref(CError())
    status = create(out, detail)
    status < 0 && throw(failure(status, detail[]))
    lock(CONTEXTS_LOCK)
    try
        made = Context(out[])
        context = get!(CONTEXTS, (made.r, made.k), made)
        context === made || gfp_field_destroy(made.ptr)
        F = Field(context)
        for (key, other) in collect(CONTEXTS)
            if other.users[] == 0
                delete!(CONTEXTS, key)
                gfp_field_destroy(other.ptr)
            end
        end
        return F
    finally
        unlock(CONTEXTS_LOCK)
    end
end

function Field(text::AbstractString)
    r, k, detail = Ref{UInt64}(0), Ref{Cuint}(0), Ref(CError())
    status = gfp_field_parse(r, k, String(text), detail)
    status < 0 && throw(failure(status, detail[]))
    known = known_field(r[], k[])
    known === nothing || return known
    return made_field((out, detail) -> gfp_field_create(out, String(text), C_NULL, detail))
end
function Field(p::Integer)
    p < 0 && throw(ArgumentError("p: $p is negative"))
    return Field(string(p))
end
function Field(r::Integer, k::Integer)
    0 <= r <= typemax(UInt64) && 0 <= k <= typemax(Cuint) || throw(ArgumentError("r or k is out of range"))
    known = known_field(r, k)
    known === nothing || return known
    return made_field((out, detail) -> gfp_field_create_rk(out, r, k, C_NULL, detail))
end

(F::Field)(v::AbstractVector{<:Integer}; reduce::Bool=false) = Poly(F, v; reduce=reduce)
(F::Field)(x::Integer; reduce::Bool=false) = Poly(F, [x]; reduce=reduce)

"""
    modulus(F)

The prime p of the field `F`.
"""
modulus(F::Field) = F.p

"""
    gen(F)

The polynomial X over `F`.
"""
gen(F::Field) = Poly(F, [0, 1])
Base.zero(F::Field) = Poly(F)
Base.one(F::Field) = F(1)

"""
    rand(F, n; seed)

A polynomial of `n` random coefficients: the same for one seed on every machine.
"""
function Base.rand(F::Field, n::Integer; seed::Integer=rand(UInt64))
    f = Poly(F)
    g = CRandom((0, 0, 0, 0))
    gfp_random_seed(g, seed)
    check(gfp_poly_random(f, n, g))
    return f
end

Base.:(==)(F::Field, G::Field) = F.r == G.r && F.k == G.k
Base.hash(F::Field, h::UInt) = hash((:GFPolyField, F.r, F.k), h)
Base.show(io::IO, F::Field) = print(io, "Field(\"", F.name, "\")")
Base.broadcastable(F::Field) = Ref(F)
# One object for each field in a process, and no copy of pointers into another one.
Base.deepcopy_internal(F::Field, ::IdDict) = F
function Serialization.serialize(s::Serialization.AbstractSerializer, F::Field)
    Serialization.serialize_type(s, Field)
    Serialization.serialize(s, (F.r, F.k))
end
Serialization.deserialize(s::Serialization.AbstractSerializer, ::Type{Field}) = Field(Serialization.deserialize(s)...)

# ---- integers ----

# The integer of these words, least significant first.
function to_integer(words::Ptr{UInt64}, n::Integer)
    x = BigInt()
    gmp_import(x, n, words)
    return x
end

# Column i holds the integer v[i] modulo p in F.limbs words. what names v in messages.
function to_words(F::Field, v::AbstractVector{<:Integer}, reduce::Bool, what::String)
    words = zeros(UInt64, F.limbs, length(v))
    for (i, value) in enumerate(v)
        x = big(value)
        if reduce
            x = mod(x, F.p)
        elseif signbit(x)
            x += F.p
            x > 0 || outside(what, i)
        else
            x < F.p || outside(what, i)
        end
        GC.@preserve words gmp_export(pointer(words, F.limbs * (i - 1) + 1), C_NULL, x)
    end
    return words
end
outside(what, i) = throw(GFPolyError(GFP_ERR_RANGE, "$what[$i]: the integer is not between -p and p", i - 1))

# Digits of elements, from integers and back.
function to_digits(F::Field, v::AbstractVector{<:Integer}, what::String)
    words = to_words(F, v, false, what)
    digits = Matrix{UInt64}(undef, F.k, length(v))
    detail = Ref(CError())
    status = GC.@preserve F gfp_vec_set_limbs(F.ptr, digits, words, F.limbs, F.limbs, length(v), detail)
    status < 0 && throw(failure(status, detail[]))
    return digits
end
function from_words(words::Matrix{UInt64})
    limbs, n = size(words)
    return GC.@preserve words BigInt[to_integer(pointer(words, limbs * (i - 1) + 1), limbs) for i in 1:n]
end
function from_digits(F::Field, digits, n::Integer)
    words = Matrix{UInt64}(undef, F.limbs, n)
    GC.@preserve F digits words gfp_vec_get_limbs(F.ptr, words, F.limbs, digits, n)
    return from_words(words)
end
