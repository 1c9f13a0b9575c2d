# The functions and types of libgfpoly that the package calls. check_calls.py compares this file with the headers of
# the library: each ccall with the prototype of its function, each type under a line "# C: NAME" with the type NAME.
# SPDX-License-Identifier: LGPL-3.0-or-later

# The library's soname. load_library opens the library first, from the file that GFPOLY_LIBRARY names; the calls
# below then find the open library by this name.
const libgfpoly = "libgfpoly.so.0"

# ---- types ----

# C: gfp_status
@enum Status::Cint begin
    GFP_STALE = 2
    GFP_DONE = 1
    GFP_OK = 0
    GFP_ERR_MEMORY = -1
    GFP_ERR_SIZE = -2
    GFP_ERR_ARGUMENT = -3
    GFP_ERR_PARSE = -4
    GFP_ERR_RANGE = -5
    GFP_ERR_COMPOSITE = -6
    GFP_ERR_MODULUS = -7
    GFP_ERR_UNPROVED = -8
    GFP_ERR_FIELD_MISMATCH = -9
    GFP_ERR_NOT_INVERTIBLE = -10
    GFP_ERR_NO_ROOT = -11
    GFP_ERR_UNAVAILABLE = -12
    GFP_ERR_UNKNOWN = -13
    GFP_ERR_VERIFY = -14
    GFP_ERR_IO = -15
    GFP_ERR_VERSION = -16
    GFP_ERR_CANCELLED = -17
    GFP_ERR_DEVICE = -18
end

# C: gfp_verify
@enum Verify::Cint begin
    GFP_VERIFY_DEFAULT = 0
    GFP_VERIFY_NONE = 1
    GFP_VERIFY_POINT = 2
    GFP_VERIFY_CROSS = 3
end

# C: gfp_field
struct CField end
# C: gfp_modulus
struct CModulus end
# C: gfp_tuning
struct CTuning end
# C: gfp_allocator
struct CAllocator end
# C: gfp_plan_text
struct CPlanText end
# C: gfp_dealer
struct CDealer end

# C: gfp_error
struct CError
    status::Cint
    line::UInt64
    column::UInt64
    offset::UInt64
    index::UInt64
    message::NTuple{240,UInt8}
end
CError() = CError(0, 0, 0, 0, typemax(UInt64), ntuple(i -> 0x00, 240))

# C: gfp_progress
struct CProgress
    step::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# C: gfp_report
struct CReport
    method::Ptr{UInt8}
    verified::Cint
    threads::Cuint
    cross_method::Ptr{UInt8}
    points::Cuint
    log2_error::Cint
    multiply_ns::UInt64
    verify_ns::UInt64
    gpu_method::Ptr{UInt8}
    gpu_error::CError
    unlucky_primes::Csize_t
end
CReport() = CReport(C_NULL, 0, 0, C_NULL, 0, 0, 0, 0, C_NULL, CError(), 0)

# C: gfp_options
struct COptions
    size::Csize_t
    method::Ptr{UInt8}
    verify::Cint
    verify_seed::UInt64
    tuning::Ptr{CTuning}
    threads::Cuint
    memory_cap::Csize_t
    gpu_device::Cuint
    gpu_memory_cap::Csize_t
    progress::Ptr{CProgress}
    report::Ptr{CReport}
    error::Ptr{CError}
    plan::Ptr{CPlanText}
    dealer::Ptr{CDealer}
    gpu_count::Cuint
end

# C: gfp_random
mutable struct CRandom
    state::NTuple{4,UInt64}
end

# A field of the library, and what is asked of it often. users: the objects of Julia that need the field.
mutable struct Context
    ptr::Ptr{CField}
    users::Threads.Atomic{Int}
    name::String
    p::BigInt
    r::UInt64
    k::Int
    bits::Int
    limbs::Int
end

"""
    Field(text), Field(p), Field(r, k)

The field Z/pZ for a prime p = r^k + 1, by a name ("p8"), a formula ("(2^63+2^34)^8+1"), the prime, or r and k.
`F.name`, `F.p`, `F.r`, `F.k` and `F.bits` tell which field `F` is. `F(v)` makes a polynomial of a vector or of an
integer.
"""
mutable struct Field
    context::Context
    function Field(context::Context)
        Threads.atomic_add!(context.users, 1)
        return finalizer(F -> release(F.context), new(context))
    end
end
Base.getproperty(F::Field, name::Symbol) =
    name === :context ? getfield(F, :context) : getproperty(getfield(F, :context), name)
Base.propertynames(F::Field) = (:name, :p, :r, :k, :bits)

"""
    Poly(F, v; reduce=false), F(v), Poly(F)

The polynomial over the field `F` whose coefficients are the integers of the vector `v`, constant term first; without
`v` the polynomial 0. The integers lie between -p and p; with `reduce=true` they may be any.
Polynomials do not change.
"""
# C: gfp_poly
mutable struct Poly
    field::Ptr{CField}
    digits::Ptr{UInt64}
    len::Csize_t
    capacity::Csize_t
    parent::Field # Julia's own
    function Poly(parent::Field)
        f = new(C_NULL, C_NULL, 0, 0, parent)
        gfp_poly_init(f, parent.ptr)
        Threads.atomic_add!(parent.context.users, 1)
        return finalizer(discard, f)
    end
end

# C: gfp_roots
mutable struct CRoots
    field::Ptr{CField}
    root::Ptr{UInt64}
    multiplicity::Ptr{Csize_t}
    count::Csize_t
    capacity::Csize_t
    CRoots() = new(C_NULL, C_NULL, C_NULL, 0, 0)
end

# ---- the library ----

gfp_version() = ccall((:gfp_version, libgfpoly), Cstring, ())
gfp_status_string(status) = ccall((:gfp_status_string, libgfpoly), Cstring, (Cint,), status)

# ---- fields ----

gfp_field_create(F, text, allocator, error) = ccall((:gfp_field_create, libgfpoly), Cint,
    (Ref{Ptr{CField}}, Cstring, Ptr{CAllocator}, Ref{CError}), F, text, allocator, error)
gfp_field_create_rk(F, r, k, allocator, error) = ccall((:gfp_field_create_rk, libgfpoly), Cint,
    (Ref{Ptr{CField}}, UInt64, Cuint, Ptr{CAllocator}, Ref{CError}), F, r, k, allocator, error)
gfp_field_parse(r, k, text, error) = ccall((:gfp_field_parse, libgfpoly), Cint,
    (Ref{UInt64}, Ref{Cuint}, Cstring, Ref{CError}), r, k, text, error)
gfp_field_destroy(F) = ccall((:gfp_field_destroy, libgfpoly), Cvoid, (Ptr{CField},), F)
gfp_field_release_memory(F) = ccall((:gfp_field_release_memory, libgfpoly), Cvoid, (Ptr{CField},), F)
gfp_field_k(F) = ccall((:gfp_field_k, libgfpoly), Cuint, (Ptr{CField},), F)
gfp_field_r(F) = ccall((:gfp_field_r, libgfpoly), UInt64, (Ptr{CField},), F)
gfp_field_bits(F) = ccall((:gfp_field_bits, libgfpoly), Cuint, (Ptr{CField},), F)
gfp_field_limbs(F) = ccall((:gfp_field_limbs, libgfpoly), Cuint, (Ptr{CField},), F)
gfp_field_name(F) = ccall((:gfp_field_name, libgfpoly), Cstring, (Ptr{CField},), F)
gfp_field_modulus_limbs(F) = ccall((:gfp_field_modulus_limbs, libgfpoly), Ptr{UInt64}, (Ptr{CField},), F)

# ---- elements ----

gfp_random_seed(g, seed) = ccall((:gfp_random_seed, libgfpoly), Cvoid, (Ref{CRandom}, UInt64), g, seed)
gfp_vec_set_limbs(F, z, limbs, size, step, n, error) = ccall((:gfp_vec_set_limbs, libgfpoly), Cint,
    (Ptr{CField}, Ptr{UInt64}, Ptr{UInt64}, Csize_t, Csize_t, Csize_t, Ref{CError}), F, z, limbs, size, step, n, error)
gfp_vec_get_limbs(F, limbs, step, x, n) = ccall((:gfp_vec_get_limbs, libgfpoly), Cvoid,
    (Ptr{CField}, Ptr{UInt64}, Csize_t, Ptr{UInt64}, Csize_t), F, limbs, step, x, n)

# ---- polynomials ----

gfp_poly_init(f, F) = ccall((:gfp_poly_init, libgfpoly), Cvoid, (Ref{Poly}, Ptr{CField}), f, F)
gfp_poly_clear(f) = ccall((:gfp_poly_clear, libgfpoly), Cvoid, (Ref{Poly},), f)
gfp_poly_equal(a, b) = ccall((:gfp_poly_equal, libgfpoly), Bool, (Ref{Poly}, Ref{Poly}), a, b)
gfp_poly_is_one(a) = ccall((:gfp_poly_is_one, libgfpoly), Bool, (Ref{Poly},), a)
gfp_poly_random(a, n, g) = ccall((:gfp_poly_random, libgfpoly), Cint, (Ref{Poly}, Csize_t, Ref{CRandom}), a, n, g)
gfp_poly_set_limbs(a, limbs, size, step, n, error) = ccall((:gfp_poly_set_limbs, libgfpoly), Cint,
    (Ref{Poly}, Ptr{UInt64}, Csize_t, Csize_t, Csize_t, Ref{CError}), a, limbs, size, step, n, error)
gfp_poly_get_coeff(x, a, i) = ccall((:gfp_poly_get_coeff, libgfpoly), Cvoid, (Ptr{UInt64}, Ref{Poly}, Csize_t), x, a, i)
gfp_poly_shift_left(b, a, n) = ccall((:gfp_poly_shift_left, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Csize_t), b, a, n)
gfp_poly_shift_right(b, a, n) = ccall((:gfp_poly_shift_right, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Csize_t), b, a, n)
gfp_poly_add(c, a, b) = ccall((:gfp_poly_add, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Ref{Poly}), c, a, b)
gfp_poly_sub(c, a, b) = ccall((:gfp_poly_sub, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Ref{Poly}), c, a, b)
gfp_poly_neg(b, a) = ccall((:gfp_poly_neg, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}), b, a)
gfp_poly_scalar_mul(b, a, x) = ccall((:gfp_poly_scalar_mul, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Ptr{UInt64}), b, a, x)
gfp_poly_eval(y, a, x) = ccall((:gfp_poly_eval, libgfpoly), Cvoid, (Ptr{UInt64}, Ref{Poly}, Ptr{UInt64}), y, a, x)

# ---- products and what follows from them ----

gfp_poly_mul(c, a, b, o) = ccall((:gfp_poly_mul, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), c, a, b, o)
gfp_poly_sqr(c, a, o) = ccall((:gfp_poly_sqr, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Ref{COptions}), c, a, o)
gfp_poly_divrem(q, r, a, b, o) = ccall((:gfp_poly_divrem, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), q, r, a, b, o)
gfp_poly_div(q, a, b, o) = ccall((:gfp_poly_div, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), q, a, b, o)
gfp_poly_rem(r, a, b, o) = ccall((:gfp_poly_rem, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), r, a, b, o)
gfp_poly_divexact(q, a, b, o) = ccall((:gfp_poly_divexact, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), q, a, b, o)
gfp_poly_gcd(g, a, b, o) = ccall((:gfp_poly_gcd, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), g, a, b, o)
gfp_poly_xgcd(g, u, v, a, b, o) = ccall((:gfp_poly_xgcd, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), g, u, v, a, b, o)
gfp_poly_resultant(r, a, b, o) = ccall((:gfp_poly_resultant, libgfpoly), Cint,
    (Ptr{UInt64}, Ref{Poly}, Ref{Poly}, Ref{COptions}), r, a, b, o)
gfp_poly_discriminant(r, f, o) = ccall((:gfp_poly_discriminant, libgfpoly), Cint,
    (Ptr{UInt64}, Ref{Poly}, Ref{COptions}), r, f, o)
gfp_poly_derivative(b, a, o) = ccall((:gfp_poly_derivative, libgfpoly), Cint, (Ref{Poly}, Ref{Poly}, Ref{COptions}), b, a, o)
gfp_poly_compose(c, f, g, o) = ccall((:gfp_poly_compose, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ref{Poly}, Ref{COptions}), c, f, g, o)
gfp_poly_eval_vec(values, f, points, n, o) = ccall((:gfp_poly_eval_vec, libgfpoly), Cint,
    (Ptr{UInt64}, Ref{Poly}, Ptr{UInt64}, Csize_t, Ref{COptions}), values, f, points, n, o)
gfp_poly_interpolate(f, points, values, n, o) = ccall((:gfp_poly_interpolate, libgfpoly), Cint,
    (Ref{Poly}, Ptr{UInt64}, Ptr{UInt64}, Csize_t, Ref{COptions}), f, points, values, n, o)

# ---- modulo a polynomial ----

gfp_modulus_create(M, f, o) = ccall((:gfp_modulus_create, libgfpoly), Cint,
    (Ref{Ptr{CModulus}}, Ref{Poly}, Ref{COptions}), M, f, o)
gfp_modulus_destroy(M) = ccall((:gfp_modulus_destroy, libgfpoly), Cvoid, (Ptr{CModulus},), M)
gfp_poly_pow_mod(c, a, exponent, n, M, o) = ccall((:gfp_poly_pow_mod, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ptr{UInt64}, Csize_t, Ptr{CModulus}, Ref{COptions}), c, a, exponent, n, M, o)
gfp_poly_inv_mod(c, a, M, o) = ccall((:gfp_poly_inv_mod, libgfpoly), Cint,
    (Ref{Poly}, Ref{Poly}, Ptr{CModulus}, Ref{COptions}), c, a, M, o)

# ---- roots ----

gfp_roots_init(R, F) = ccall((:gfp_roots_init, libgfpoly), Cvoid, (Ref{CRoots}, Ptr{CField}), R, F)
gfp_roots_clear(R) = ccall((:gfp_roots_clear, libgfpoly), Cvoid, (Ref{CRoots},), R)
gfp_poly_roots(R, f, o) = ccall((:gfp_poly_roots, libgfpoly), Cint, (Ref{CRoots}, Ref{Poly}, Ref{COptions}), R, f, o)

# ---- GMP, for integers of Julia; the numbers are little-endian arrays of 64-bit words ----

gmp_export(words, count, x) = ccall((:__gmpz_export, :libgmp), Ptr{Cvoid},
    (Ptr{Cvoid}, Ptr{Csize_t}, Cint, Csize_t, Cint, Csize_t, Ref{BigInt}), words, count, -1, 8, 0, 0, x)
gmp_import(x, count, words) = ccall((:__gmpz_import, :libgmp), Cvoid,
    (Ref{BigInt}, Csize_t, Cint, Csize_t, Cint, Csize_t, Ptr{Cvoid}), x, count, -1, 8, 0, 0, words)
