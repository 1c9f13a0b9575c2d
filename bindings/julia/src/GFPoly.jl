# GFPoly.jl: polynomials over Z/pZ, p = r^k + 1, by the library libgfpoly. docs/julia.md shows the package.
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Dense univariate polynomials over Z/pZ for big primes p = r^k + 1.

    F = Field("p8")
    f = F([1, 2, 0, -1])      # 1 + 2 X - X^3
    f * f
"""
module GFPoly

import Libdl
import Serialization

export Field, Poly, GFPolyError, gen, modulus, coeff, coefficients, degree, leading_coefficient, resultant, discriminant,
    derivative, evaluate, interpolate, roots, settings, last_report

include("capi.jl")
include("call.jl")
include("field.jl")
include("poly.jl")
include("algorithms.jl")

"""
    version()

The version of libgfpoly.
"""
version() = VersionNumber(unsafe_string(gfp_version()))

function __init__()
    load_library()
    STEP[] = @cfunction(on_progress, Bool, (Ptr{Cvoid}, Cdouble))
end

end
