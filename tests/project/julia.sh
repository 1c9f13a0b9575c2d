#!/bin/sh
# The tests of GFPoly.jl, where the command julia (or the one that GFP_JULIA names) is at hand; else skipped (77).
# Arguments: source folder, build folder.
set -eu
source=$1
build=$2
julia=${GFP_JULIA:-julia}
if ! command -v "$julia" >/dev/null 2>&1; then
    echo "not run: no julia is at hand (scripts/julia.sh brings one)"
    exit 77
fi
"$julia" --version
# Compiled files of the package go to the build folder.
JULIA_DEPOT_PATH="$build/julia_depot:${JULIA_DEPOT_PATH:-}" GFPOLY_LIBRARY="$build/libgfpoly.so" GFPOLY_GPU=off \
    exec "$julia" --startup-file=no --project="$source/bindings/julia" "$source/bindings/julia/test/runtests.jl"
