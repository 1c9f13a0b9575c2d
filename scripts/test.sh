#!/bin/sh
# Installs missing packages, builds gfpoly in the usual ways and runs its tests, in stages:
#   release      gcc, optimised: the suite, including a run under valgrind and the README's examples; with
#                the CUDA backend if nvcc is found: for the machine's device, else compiled quickly, which
#                takes a tenth of the time and finds the same errors (scripts/gpu.sh tests on devices)
#   installed    the installed tree of that build, used from C and C++
#   python       the Python package over the library of that build; needs PyPI
# and with --all, where the release stage takes more fields, AVX2 on a CPU with AVX-512 and other slow tests (devices
# with planned memory, the stock of primes):
#   asan-ubsan   gcc with AddressSanitizer and UndefinedBehaviorSanitizer, contracts checked
#   clang        clang, without FLINT
#   clang-tidy   the sources
#   arm64        scripts/arm64.sh
# A failed stage does not stop the others. The summary at the end has the result and the seconds of each
# stage. GFP_WERROR=ON makes warnings errors. GFP_JOBS: parallel jobs (default: the processors that this process may
# use). scripts/full.sh has the tests that take longer.
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
all=no
case "${1:-}" in
--all) all=yes ;;
"") ;;
*)
    echo "usage: scripts/test.sh [--all]" >&2
    exit 2
    ;;
esac

# The tests also need MPI for those over ranks, a C++ compiler, pkg-config, groff and zsh for the installed tree, NTL as a peer, gnuplot
# for pictures, xxhsum for checksums; those of the Python package Python's headers. Formatting is tested by clang-format 14 if the system has it.
set -- libopenmpi-dev openmpi-bin xxhash valgrind python3 python3-dev python3-venv g++ pkg-config groff-base zsh libntl-dev gnuplot-nox
[ $all = no ] || set -- "$@" clang libomp-dev clang-tidy
gfp_setup "$@" -- clang-format-14

# Tests of threads run side by side on few processors: idle threads must sleep.
export OMP_WAIT_POLICY=passive

release() {
    if [ -e /dev/nvidiactl ]; then
        gfp_build release all -DGFP_PYTHON_PACKAGE=OFF -DGFP_CUDA=AUTO -DGFP_CUDA_ARCHITECTURES=native
    else
        gfp_build release all -DGFP_PYTHON_PACKAGE=OFF -DGFP_CUDA=AUTO -DGFP_CUDA_QUICK=ON
    fi
    if [ $all = yes ]; then
        gfp_test release -LE 'long|installed'
    else
        # Of the fields those that contain some of each kind.
        GFPOLY_TEST_SHORT=1 gfp_test release -LE 'long|installed|slow'
    fi
}
installed() {
    gfp_test release -L installed
}
python() {
    gfp_python pytest numpy python-flint
    # shellcheck disable=SC2086
    gfp_build release "gfpoly_python gfpoly_python_device" $gfp_with_python
    gfp_test release -L '^python$'
}
asan_ubsan() {
    gfp_build asan-ubsan all -DGFP_PYTHON_PACKAGE=OFF -DGFP_CUDA=OFF
    # Without tests that count bytes or take many: the sanitizer takes more than the library. The installed tree is
    # tested above, tests with the label longer by scripts/full.sh.
    gfp_test asan-ubsan -LE 'slow|once|long|installed' -E '^memory$'
}
without_flint() {
    export CC=clang CXX=clang++
    gfp_build clang all -DGFP_FLINT=OFF -DGFP_CUDA=OFF
    # Only tests that differ without FLINT.
    gfp_test clang -LE 'slow|once|long' -R '^(crt|poly|methods|chooser|verify|partial|operand|operand_errors|tuning|cli_(usage|products|fields))$'
}
gfp_stage release release
gfp_stage installed installed
gfp_stage python python
if [ $all = yes ]; then
    gfp_stage asan-ubsan asan_ubsan
    gfp_stage clang without_flint
    # Long functions are analysed to the end by scripts/full.sh.
    gfp_stage clang-tidy gfp_tidy 75000
    gfp_stage arm64 scripts/arm64.sh
fi
gfp_summary
