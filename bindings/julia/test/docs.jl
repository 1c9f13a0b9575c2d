# The recipe, and the examples of docs/julia.md: lines after "julia> " are evaluated, and what follows is what Julia shows.
# SPDX-License-Identifier: LGPL-3.0-or-later

module Examples end

# The name of the type of vectors is another one in Julia 1.6 and later.
plain(text) = replace(strip(text), r"Array\{(\w+), ?1\}|Vector\{(\w+)\}" => "Vector")

# What Julia's prompt would show for the input.
function shown(input)
    tree = Base.parse_input_line(input)
    try
        value = Base.eval(Examples, tree)
        (value === nothing || endswith(rstrip(input), ";")) && return ""
        return repr("text/plain", value; context=:limit => true)
    catch e
        return "ERROR: " * sprint(showerror, e)
    end
end

# BinaryBuilder is not needed to read its recipe.
@testset "recipe" begin
    recipe = Meta.parse("begin\n" * read(joinpath(@__DIR__, "..", "build_tarballs.jl"), String) * "\nend")
    @test recipe.head == :block && !any(x -> x isa Expr && x.head in (:error, :incomplete), recipe.args)
end

page = joinpath(@__DIR__, "..", "..", "..", "docs", "julia.md")
@testset "docs/julia.md" begin
    count = 0
    for block in eachmatch(r"^```julia\n(julia> .*?)^```$"ms, read(page, String))
        for example in split(block[1], r"^julia> "m; keepempty=false)
            lines = split(rstrip(example), "\n")
            last = something(findlast(l -> startswith(l, "       "), lines), 1)
            input = strip(replace(join(lines[1:last], "\n"), r" +#.*" => ""))
            expected = join(lines[last+1:end], "\n")
            printed = occursin(r"^println\(", input)
            printed && (input = "Text(string" * input[8:end] * ")")
            count += 1
            @test plain(shown(input)) == plain(expected)
        end
    end
    @test count >= 20
end
