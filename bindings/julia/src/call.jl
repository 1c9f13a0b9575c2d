# Loading the library, and the frame around its calls: options, errors as exceptions, Ctrl-C.
# SPDX-License-Identifier: LGPL-3.0-or-later

# Opens the library that the environment variable GFPOLY_LIBRARY names, else the system's. The library stays open.
function load_library()
    path = get(ENV, "GFPOLY_LIBRARY", libgfpoly)
    Libdl.dlopen(path; throw_error=false) !== nothing ||
        error("libgfpoly is not found: $path (GFPOLY_LIBRARY names the file of the library)")
    Libdl.dlopen(libgfpoly; throw_error=false) !== nothing || error("$path is not $libgfpoly")
end

"""
An error of the library: `status` is its code, such as `GFPoly.GFP_ERR_NOT_INVERTIBLE`, `message` the reason, `index` the
0-based coefficient, point or value at fault, or `nothing`.
"""
struct GFPolyError <: Exception
    status::Status
    message::String
    index::Union{Int,Nothing}
end
Base.showerror(io::IO, e::GFPolyError) = print(io, "GFPolyError: ", e.message, " (", e.status, ")")

phrase(status::Cint) = unsafe_string(gfp_status_string(status))

function failure(status::Cint, detail::CError)
    length = findfirst(iszero, detail.message)
    message = String(collect(detail.message[1:length-1]))
    index = detail.index == typemax(UInt64) ? nothing : Int(detail.index)
    return GFPolyError(Status(status), isempty(message) ? phrase(status) : message, index)
end

# For calls that take no options.
check(status::Cint) = status < 0 ? throw(GFPolyError(Status(status), phrase(status), nothing)) : nothing

struct Settings
    method::String
    verify::Verify
    seed::UInt64
    threads::Int
    memory_cap::Int
end
const NO_SETTINGS = Settings("", GFP_VERIFY_DEFAULT, 0, 0, 0)

"""
    settings(f; method="", verify=:default, seed=0, threads=0, memory_cap=0)

Calls `f()`, and holds these options for all calls of the library inside, in this task: the method of products, a
check of results (`:none`, `:point` or `:cross`; a wrong result is an error; `:default` is `:point` for long products
and some other long calls, where that takes at most about a fifth of the call, else `:none`), the seed of random choices (0: from the system), the
most threads (0: one), the most bytes of memory of a call (0: no limit).

    settings(verify=:point) do
        f * g
    end
"""
function settings(f; method::AbstractString="", verify::Symbol=:default, seed::Integer=0, threads::Integer=0,
                  memory_cap::Integer=0)
    verification = get(Dict(:default => GFP_VERIFY_DEFAULT, :none => GFP_VERIFY_NONE, :point => GFP_VERIFY_POINT, :cross => GFP_VERIFY_CROSS), verify, nothing)
    verification === nothing && throw(ArgumentError("verify: :default, :none, :point or :cross, not :$verify"))
    0 <= threads <= typemax(Cuint) && 0 <= memory_cap <= typemax(Int) && 0 <= seed <= typemax(UInt64) ||
        throw(ArgumentError("threads, memory_cap or seed is out of range"))
    '\0' in method && throw(ArgumentError("method: a zero byte in the name"))
    return task_local_storage(f, :GFPoly_settings, Settings(method, verification, seed, threads, memory_cap))
end

"""
    last_report()

What the last call of this task did that computes products: a tuple of `method`, `verified`, `threads` and `log2_error`;
`nothing` before the first such call.
"""
last_report() = get(task_local_storage(), :GFPoly_report, nothing)

# The library calls on_progress now and then. disable_sigint has put Ctrl-C off; on_progress lets a waiting Ctrl-C
# through, notes the exception, which must not pass through the library, and ends the call.
function on_progress(user::Ptr{Cvoid}, fraction::Cdouble)
    try
        reenable_sigint(() -> nothing)
    catch
        unsafe_store!(Ptr{Bool}(user), true)
        return false
    end
    return true
end
const STEP = Ref{Ptr{Cvoid}}(C_NULL)

text_or_empty(text::Ptr{UInt8}) = text == C_NULL ? "" : unsafe_string(text)

# call(options) is a call of the library with the task's settings. Ctrl-C ends the call as InterruptException.
function compute(call)
    set = get(task_local_storage(), :GFPoly_settings, NO_SETTINGS)::Settings
    method = set.method
    detail = Ref(CError())
    report = Ref(CReport())
    stopped = Ref(false)
    GC.@preserve method detail report stopped begin
        progress = Ref(CProgress(STEP[], Base.unsafe_convert(Ptr{Bool}, stopped)))
        GC.@preserve progress begin
            options = COptions(sizeof(COptions), isempty(method) ? C_NULL : pointer(method), Cint(set.verify), set.seed,
                C_NULL, set.threads, set.memory_cap, 0, 0, Base.unsafe_convert(Ptr{CProgress}, progress),
                Base.unsafe_convert(Ptr{CReport}, report), Base.unsafe_convert(Ptr{CError}, detail), C_NULL, C_NULL, 0)
            status = disable_sigint(() -> call(options))
        end
    end
    stopped[] && status == Cint(GFP_ERR_CANCELLED) && throw(InterruptException())
    status < 0 && throw(failure(status, detail[]))
    done = report[]
    task_local_storage(:GFPoly_report, (method=text_or_empty(done.method), verified=Verify(done.verified),
        threads=Int(done.threads), log2_error=Int(done.log2_error)))
    return nothing
end
