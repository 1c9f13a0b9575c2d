#!/bin/sh
# Runs the tests that take too long for scripts/test.sh. Stages:
#   bare-bookworm  bare-trixie    scripts/bare.sh: a newcomer's first commands on bare systems
#   packages-bookworm  packages-trixie   scripts/packages.sh: Debian packages in clean systems
#   sage-debian  sage-wheels      scripts/sage.sh: Sage with and without libgfpoly_ntl.so
#   long                          the long tests of the release build
#   clang-tidy                    the sources, also functions that take its analyser long
#   asan-ubsan  arm64             the tests that scripts/test.sh leaves out under sanitizers and in the emulator
#   julia                         scripts/julia.sh: the tests of GFPoly.jl
#   python                        random calls of the Python package under AddressSanitizer
#   portable  avx2  avx512dq  avx512ifma    AddressSanitizer and UndefinedBehaviorSanitizer at that kernel level
#   tsan                          ThreadSanitizer: threads, and the memory that they share
#   valgrind                      memcheck over test programs of the release build
# scripts/full.sh STAGE ... runs only these stages. A failed stage does not stop the others. The summary at the
# end has the result and the seconds of each stage; a level that the CPU lacks is skipped.
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
all="bare-bookworm bare-trixie packages-bookworm packages-trixie sage-debian sage-wheels long clang-tidy asan-ubsan arm64 julia python portable avx2 avx512dq avx512ifma tsan valgrind"
for stage in "$@"; do
    case " $all " in
    *" $stage "*) ;;
    *)
        echo "usage: scripts/full.sh [STAGE ...], of the stages $all" >&2
        exit 2
        ;;
    esac
done
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all
gfp_setup libopenmpi-dev openmpi-bin valgrind python3 python3-dev python3-venv g++ clang libomp-dev clang-tidy

# As in scripts/test.sh.
export OMP_WAIT_POLICY=passive

long() {
    gfp_build release all -DGFP_PYTHON_PACKAGE=OFF -DGFP_CUDA=OFF
    gfp_test release -L long
}
asan_ubsan() {
    gfp_build asan-ubsan all -DGFP_PYTHON_PACKAGE=OFF -DGFP_CUDA=OFF
    gfp_test asan-ubsan -L longer
}
python() {
    gfp_python pytest numpy python-flint
    # shellcheck disable=SC2086
    gfp_build asan-ubsan "gfpoly_python gfpoly_python_device" -DGFP_CUDA=OFF $gfp_with_python
    gfp_test asan-ubsan -L python
}
level() {
    gfp_build levels tests_of_levels
    export GFPOLY_CPU="$1" GFPOLY_TEST_SHORT=1
    code=0
    build/levels/gfpoly info || code=$?
    [ $code != 2 ] || gfp_skip "this CPU has no $1"
    [ $code = 0 ] || return $code
    gfp_test levels -L levels
}
tsan() {
    gfp_build tsan tests_of_threads -DGFP_CUDA=OFF
    gfp_test tsan -L threads
}
memcheck() {
    gfp_build release "$(printf 'test_%s ' "$@")" -DGFP_CUDA=OFF
    export GFPOLY_GPU=off GFPOLY_TEST_SHORT=1
    for test in "$@"; do
        echo "-- $test"
        valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
            --show-leak-kinds=definite "build/release/tests/test_$test"
    done
}

for stage in "$@"; do
    case $stage in
    bare-*) gfp_stage "$stage" scripts/bare.sh "${stage#bare-}" ;;
    packages-*) gfp_stage "$stage" scripts/packages.sh "${stage#packages-}" ;;
    sage-*) gfp_stage "$stage" scripts/sage.sh "${stage#sage-}" ;;
    long) gfp_stage long long ;;
    clang-tidy) gfp_stage clang-tidy gfp_tidy 225000 ;;
    asan-ubsan) gfp_stage asan-ubsan asan_ubsan ;;
    arm64) gfp_stage arm64 scripts/arm64.sh --longer ;;
    julia) gfp_stage julia scripts/julia.sh ;;
    python) gfp_stage python python ;;
    tsan) gfp_stage tsan tsan ;;
    valgrind) gfp_stage valgrind memcheck elem elem_values field text ;;
    *) gfp_stage "sanitizers at $stage" level "$stage" ;;
    esac
done
gfp_summary
