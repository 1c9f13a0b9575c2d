# The extension for Nemo: with Nemo itself where it is installed, else with a stand-in that has the functions of Nemo that
# the extension calls, to test the extension's own lines.
# SPDX-License-Identifier: LGPL-3.0-or-later

stand_in = Base.find_package("Nemo") === nothing
if stand_in
    @info "Nemo is not installed: its conversions are tested with a stand-in"
    push!(LOAD_PATH, joinpath(@__DIR__, "stand_in"))
end
using Nemo
isdefined(Base, :get_extension) && !stand_in ||
    include(joinpath(@__DIR__, "..", "ext", "GFPolyNemoExt.jl"))

@testset "Nemo" begin
    F = Field("p8")
    f = rand(F, 100; seed=1) - gen(F)^3
    R, x = Nemo.polynomial_ring(Nemo.residue_ring(Nemo.ZZ, Nemo.ZZ(F.p))[1], "x")
    g = R(f)
    @test g isa Nemo.ZZModPolyRingElem && Poly(g) == Poly(F, g) == F(g) == convert(Poly, g) == f
    @test [BigInt(Nemo.lift(Nemo.ZZ, Nemo.coeff(g, i))) for i in 0:99] == coefficients(f)
    @test Poly(g * g) == f * f && F(R(zero(F))) == zero(F)
    S, _ = Nemo.polynomial_ring(Nemo.residue_ring(Nemo.ZZ, Nemo.ZZ(103))[1], "x")
    @test_throws ArgumentError S(f)
    @test_throws ArgumentError F(S(Nemo.ZZRingElem[Nemo.ZZ(1)]))
    @test_throws GFPolyError Poly(S(Nemo.ZZRingElem[Nemo.ZZ(1), Nemo.ZZ(2)])) # 103 is not r^k + 1
end
