#!/bin/sh
# Another project takes gfpoly's sources in, by add_subdirectory and by FetchContent: both are configured, and have
# the library, but neither the command, tests and benchmarks nor a rule of installation. Arguments: the sources, cmake,
# the C compiler; "build": also builds and runs the program of the first project, which takes minutes.
set -eu
source_dir=$1
cmake=$2
cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure() { # folder, option...
    folder=$1
    shift
    "$cmake" -G Ninja -S "$source_dir/tests/project/host" -B "$work/$folder" "-DGFPOLY=$source_dir" "-DCMAKE_C_COMPILER=$cc" \
        -DGFP_CUDA=OFF "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
    # The host's build type stays the host's; the library is optimised all the same.
    grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=$' "$work/$folder/CMakeCache.txt"
    grep -A9 'gfp_fft.dir/words/ntt48.c.o:' "$work/$folder/build.ninja" | grep -q 'FLAGS = .*-O3'
    ! grep -E '^build (test_|gfpoly_bench|gfpoly_peers|[^ ]*/gfpoly:)' "$work/$folder/build.ninja"
    ! grep -rF libgfpoly --include=cmake_install.cmake "$work/$folder"
}
configure fetch -DFETCH=ON
configure add
[ "${4:-}" = build ] || exit 0
"$cmake" --build "$work/add" --target host >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
[ "$("$work/add/host")" = 1 ]
