# Tests of GFPoly.jl against the definitions, computed with Julia's integers.
# SPDX-License-Identifier: LGPL-3.0-or-later
using GFPoly
using Serialization
using Test

# ---- polynomials as vectors of integers modulo p, by the definitions ----

trim(v) = v[1:something(findlast(!iszero, v), 0)]
function naive_mul(a, b, p)
    isempty(a) || isempty(b) ? BigInt[] : trim([mod(sum(a[i] * b[n-i] for i in max(1, n - length(b)):min(length(a), n - 1)), p)
                                               for n in 2:length(a)+length(b)])
end
naive_add(a, b, p) = trim([mod((i <= length(a) ? a[i] : 0) + (i <= length(b) ? b[i] : 0), p)
                           for i in 1:max(length(a), length(b))])
naive_eval(a, x, p) = foldr((c, y) -> mod(c + x * y, p), a; init=big(0))
function naive_divrem(a, b, p)
    q = zeros(BigInt, max(length(a) - length(b) + 1, 0))
    r = copy(a)
    inverse = invmod(b[end], p)
    for i in length(q):-1:1
        q[i] = mod(r[i+length(b)-1] * inverse, p)
        for j in 1:length(b)
            r[i+j-1] = mod(r[i+j-1] - q[i] * b[j], p)
        end
    end
    return trim(q), trim(r)
end
# The resultant as the determinant of Sylvester's matrix.
function naive_resultant(a, b, p)
    m, n = length(a) - 1, length(b) - 1
    M = zeros(BigInt, m + n, m + n)
    for i in 1:n, j in 0:m
        M[i, i+j] = a[end-j]
    end
    for i in 1:m, j in 0:n
        M[n+i, i+j] = b[end-j]
    end
    det = big(1)
    for c in 1:m+n
        pivot = findfirst(!iszero, M[c:end, c])
        pivot === nothing && return big(0)
        if pivot > 1
            M[[c, c + pivot - 1], :] = M[[c + pivot - 1, c], :]
            det = -det
        end
        det = mod(det * M[c, c], p)
        for i in c+1:m+n
            M[i, :] = mod.(M[i, :] .- M[i, c] * invmod(M[c, c], p) .* M[c, :], p)
        end
    end
    return mod(det, p)
end

function raised(f)
    try
        f()
    catch e
        return e
    end
    return nothing
end

@testset "fields" begin
    F = Field("p8")
    @test F.p == (big(2)^63 + big(2)^34)^8 + 1 == modulus(F)
    @test (F.r, F.k, F.bits, F.name) == (UInt64(2)^63 + UInt64(2)^34, 8, 505, "p8")
    @test F == Field("(2^63+2^34)^8+1") == Field(F.p) == Field(F.r, 8)
    @test F.context === Field(F.p).context && hash(F) == hash(Field(F.p)) && :p in propertynames(F)
    slow = Field("p128") # a second one is looked up, without a proof
    seconds = @elapsed again = Field("p128")
    @test again.context === slow.context && seconds < 0.05
    @test Field(slow.r, slow.k).context === slow.context
    @test F != Field("p4") && hash(F) != hash(Field("p4"))
    @test eval(Meta.parse(repr(F))) == F
    @test raised(() -> Field("p9")).status == GFPoly.GFP_ERR_UNKNOWN
    @test raised(() -> Field(big(2)^200)).status == GFPoly.GFP_ERR_MODULUS
    @test raised(() -> Field(4, 3)).status == GFPoly.GFP_ERR_MODULUS
    @test_throws ArgumentError Field(-5)
    @test_throws ArgumentError Field(big(2)^64, 2)
    @test GFPoly.version() isa VersionNumber
end

@testset "integers and coefficients over $name" for name in ("257", "p2", "p8", "p128")
    F = Field(startswith(name, "p") ? name : "16^2+1")
    p = F.p
    v = BigInt[0, 1, p - 1, p ÷ 2, p - 2, 5]
    f = F(v)
    @test Vector{BigInt}(f) == coefficients(f) == convert(Vector{BigInt}, f) == v
    @test F([-1, -p + 1, 0]) == F([p - 1, 1]) && length(F([1, 0, 0])) == 1
    @test coeff(f, 2) == p - 1 && coeff(f, 100) == 0 && leading_coefficient(f) == 5
    @test coefficients(F([p, -p, 3p + 7, -3p - 1, big(2)^9000]; reduce=true)) == mod.([0, 0, 7, -1, big(2)^9000], p)
    for bad in (p, -p, p + 1, big(2)^70000, -big(2)^70000)
        e = raised(() -> F([1, bad]))
        @test e isa GFPolyError && e.status == GFPoly.GFP_ERR_RANGE && e.index == 1 && occursin("v[2]", e.message)
    end
    @test F(UInt8[1, 2]) == F([true, 2]) - F([0, 0]) && F(1:3) == F([1, 2, 3])
    @test iszero(F(Int[])) && degree(F(Int[])) == -1 && leading_coefficient(zero(F)) == 0 && coefficients(zero(F)) == []
    @test_throws ArgumentError coeff(f, -1)
end

@testset "arithmetic over $name" for name in ("16^2+1", "p4", "p8", "m16")
    F = Field(name)
    p = F.p
    for (m, n) in ((0, 3), (1, 1), (5, 9), (40, 33), (64, 64))
        f, g = rand(F, m; seed=m + 1), rand(F, n; seed=n + 100)
        m > 4 && (f = F(vcat(coefficients(f)[1:m-2], [-1, -1])))
        a, b = coefficients(f), coefficients(g)
        @test coefficients(f + g) == naive_add(a, b, p)
        @test coefficients(f - g) == naive_add(a, -b, p)
        @test coefficients(f * g) == naive_mul(a, b, p)
        @test coefficients(f * f) == naive_mul(a, a, p)
        @test coefficients(3 * f) == coefficients(f * 3) == naive_mul(a, [big(3)], p)
        @test coefficients(-f) == mod.(-a, p) && f + (-f) == zero(F) && +f === f
        @test f + 1 == 1 + f == f + F([1]) && 1 - f == -(f - 1)
        @test f^3 == f * f * f && f^0 == one(f) == 1 + zero(f) && isone(f^0)
        @test (f << 3) >> 3 == f && degree(f << 3) == (m == 0 ? -1 : degree(f) + 3)
        x = p - 7
        @test f(x) == naive_eval(a, x, p) && f(-7) == f(x)
        @test f(g) == foldl(+, [c * g^(i - 1) for (i, c) in enumerate(a)]; init=zero(F))
        if m > 0
            @test coefficients.(divrem(g * f + 1, f)) == naive_divrem(coefficients(g * f + 1), a, p)
            @test coefficients.(divrem(f, g)) == naive_divrem(a, b, p)
            @test (div(f, g), rem(f, g)) == divrem(f, g) == (f ÷ g, f % g) && mod(f, g) == f % g
            @test (f * g) / f == g
        end
        if 1 < m < 64
            @test resultant(f, g) == naive_resultant(a, b, p)
        end
        m > 0 && @test coefficients(derivative(f)) == trim([mod(i * a[i+1], p) for i in 1:m-1])
    end
end

@testset "gcds, values, powers, roots" begin
    F = Field("p8")
    x = gen(F)
    f, g, h = rand(F, 200; seed=1), rand(F, 150; seed=2), rand(F, 60; seed=3)
    d = gcd(f * h, g * h)
    @test d == h * invmod(leading_coefficient(h), F.p)
    e, u, v = gcdx(f * h, g * h)
    @test e == d && u * f * h + v * g * h == d
    @test gcd(zero(F), zero(F)) == zero(F) && resultant(f * h, g * h) == 0
    @test discriminant(x^2 + 3x + 5) == mod(9 - 20, F.p)
    points = BigInt[0; F.p - 1; 5:60]
    values = evaluate(f, points)
    @test values == [f(t) for t in points]
    k = interpolate(F, points, values)
    @test degree(k) < length(points) && evaluate(k, points) == values && k == f % prod([x - t for t in points])
    @test powermod(x, F.p, x^2 + 1) == (F.p % 4 == 1 ? x : -x)
    @test powermod(f, 12, h) == f^12 % h && powermod(f, 0, h) == one(F)
    @test powermod(f, -2, h) * f^2 % h == one(F) == invmod(f, h) * f % h
    @test roots((x - 1)^2 * (x - 5) * (x + 3)) == [1 => 2, 5 => 1, F.p - 3 => 1]
    @test roots(x^0) == []
end

@testset "errors carry the library's message" begin
    F = Field("p8")
    f = F([1, 2, 3])
    for call in (() -> f ÷ zero(F), () -> f % zero(F), () -> divrem(f, zero(F)))
        e = raised(call)
        @test e isa GFPolyError && e.status == GFPoly.GFP_ERR_NOT_INVERTIBLE && occursin("division by 0", sprint(showerror, e))
    end
    e = raised(() -> f * Field("p4")([1, 2]))
    @test e.status == GFPoly.GFP_ERR_FIELD_MISMATCH && !isempty(e.message)
    @test raised(() -> f + Field("p4")([1, 2])).status == GFPoly.GFP_ERR_FIELD_MISMATCH
    @test raised(() -> invmod(f * f, f)).status == GFPoly.GFP_ERR_NOT_INVERTIBLE
    @test raised(() -> (f * f + 1) / f).status == GFPoly.GFP_ERR_ARGUMENT
    e = raised(() -> interpolate(F, [1, 2, 1], [1, 2, 3]))
    @test e.status == GFPoly.GFP_ERR_NOT_INVERTIBLE && e.index == 2
    @test occursin("points[1]", raised(() -> evaluate(f, [F.p])).message)
    @test_throws DimensionMismatch interpolate(F, [1, 2], [1])
    n = -1
    @test_throws DomainError f^n
    @test_throws ArgumentError settings(() -> 1, verify=:perhaps)
    @test raised(() -> settings(() -> f * f, method="nothing")).status == GFPoly.GFP_ERR_UNKNOWN
    @test raised(() -> settings(() -> rand(F, 20000) * rand(F, 20000), memory_cap=1000)).status == GFPoly.GFP_ERR_MEMORY
end

@testset "settings" begin
    F = Field("p8")
    f, g = rand(F, 3000; seed=1), rand(F, 3000; seed=2)
    plain = f * g
    @test last_report().verified == GFPoly.GFP_VERIFY_POINT # by default
    short = rand(F, 100; seed=3)
    short * short
    @test last_report().verified == GFPoly.GFP_VERIFY_NONE
    settings(verify=:point, threads=2, method="hybrid", seed=7) do
        @test f * g == plain
        @test last_report().verified == GFPoly.GFP_VERIFY_POINT && last_report().method == "hybrid"
        @test last_report().log2_error < -40 && 1 <= last_report().threads <= 2
        @test fetch(@async (short * short; last_report().verified)) == GFPoly.GFP_VERIFY_NONE # settings are the task's
    end
    settings(() -> f * g, verify=:none)
    @test last_report().verified == GFPoly.GFP_VERIFY_NONE
end

@testset "text, keys, copies" begin
    F = Field("p8")
    x = gen(F)
    f = (1 + 2x - x^3)^2
    @test repr(f) == "Poly(Field(\"p8\"), [1, 4, 4, -2, -4, 0, 1])" && eval(Meta.parse(repr(f))) == f
    @test eval(Meta.parse(repr(zero(F)))) == zero(F)
    @test repr("text/plain", f) == "X^6 - 4*X^4 - 2*X^3 + 4*X^2 + 4*X + 1"
    @test repr("text/plain", -x) == "-X" && repr("text/plain", zero(F)) == "0" && repr("text/plain", -one(F)) == "-1"
    @test length(repr("text/plain", rand(F, 1000); context=:limit => true)) < 2000
    @test length(repr(rand(F, 1000); context=:limit => true)) < 1200
    @test hash(f) == hash(F(coefficients(f))) && f != f + 1 && length(Set([f, F(coefficients(f)), x])) == 2
    @test deepcopy(f) == f && copy(f) == f && deepcopy([f, x]) == [f, x]
    stream = IOBuffer()
    serialize(stream, (f, F))
    seekstart(stream)
    @test deserialize(stream) == (f, F)
    @test (f .+ [1, 2]) == [f + 1, f + 2]
    @test rand(F, 50; seed=3) == rand(F, 50; seed=3) != rand(F, 50; seed=4)
end

# Fields that end before their polynomials, polynomials by the thousand: all are freed, in whatever order the finalizers
# run, and none too early.
@testset "finalizers" begin
    function churn(seed)
        F = Field("p$(2^(1 + seed % 5))")
        fs = [rand(F, 200; seed=seed + i) for i in 1:20]
        return isodd(seed) ? fs[1:1] : Poly[]
    end
    kept = Poly[]
    for seed in 1:150
        append!(kept, churn(seed))
        seed % 10 == 0 && GC.gc(seed % 20 == 0)
    end
    @test all(f -> f * one(f.parent) == f && f - f == zero(f), kept)
    users = Field("30^32+1").context.users
    @test users[] >= 1
    for seed in 1:50
        f = rand(Field("30^32+1"), 10; seed=seed)
        GC.gc(false)
        @test Field("30^32+1").context.users[] >= 2 && coefficients(f + f) == mod.(2 .* coefficients(f), modulus(f.parent))
    end
    # A field that is not used any more is destroyed when the next one is made (m8: no test has it before).
    used() = any(c.name == "m64" for c in values(GFPoly.CONTEXTS))
    @noinline passing() = (f = rand(Field("m64"), 100); coefficients(f * f); used())
    @test passing()
    for _ in 1:3
        GC.gc()
    end
    Field("m8")
    @test !used()
end

# Ctrl-C ends a long product as an exception, and the next product is right.
@testset "Ctrl-C" begin
    F = Field("p64")
    f, g = rand(F, 3000; seed=1), rand(F, 3000; seed=2)
    expected = f * g
    ccall(:jl_exit_on_sigint, Cvoid, (Cint,), 0)
    stopped = 0
    for delay in (0.1, 0.2)
        process = run(`sh -c "sleep $delay && kill -INT $(getpid())"`, wait=false)
        try
            for _ in 1:100000
                settings(() -> f * g, method="classical")
            end
        catch e
            e isa InterruptException || rethrow()
            stopped += 1
        end
        wait(process)
    end
    @test stopped == 2
    @test f * g == expected
end

include("nemo.jl")
include("docs.jl")
