#!/bin/sh
# Installs what is missing, builds gfpoly in every supported way and runs all tests through ctest:
#   release   gcc, optimised: the whole suite, valgrind and the README's examples included; with the CUDA
#             backend where nvcc is: for the device at hand, else compiled quickly, which takes a tenth
#             of the time and finds the same errors (scripts/gpu.sh tests what runs on devices)
#   asan      gcc with AddressSanitizer and UndefinedBehaviorSanitizer, contracts checked
#   clang     clang, without FLINT
# and looks through the sources by clang-tidy.
# --quick: the first alone. --tsan: gcc with ThreadSanitizer instead, and the tests of threads and of the
# memory they share, which take some minutes more. GFP_WERROR=ON makes warnings errors. GFP_JOBS: parallel jobs.
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
quick=no
case "${1:-}" in
--quick) quick=yes ;;
--tsan) quick=tsan ;;
"") ;;
*)
    echo "usage: scripts/test.sh [--quick|--tsan]" >&2
    exit 2
    ;;
esac

# What the tests use besides: a C++ compiler, pkg-config, groff and zsh for the installed tree, NTL
# as a peer, gnuplot for pictures, xxhsum for checksums.
set -- xxhash valgrind python3-minimal g++ pkg-config groff-base zsh libntl-dev gnuplot-nox
[ "$quick" != no ] || set -- "$@" clang libomp-dev clang-format-14 clang-tidy
gfp_setup "$@"

gfp_test() { # preset, further arguments for ctest
    preset=$1
    shift
    echo "== tests: $preset"
    ctest --test-dir "build/$preset" --output-on-failure -j "$gfp_jobs" "$@"
}

if [ "$quick" = tsan ]; then
    gfp_build tsan tests_of_threads -DGFP_CUDA=OFF
    gfp_test tsan -L threads
    exit
fi
if [ -e /dev/nvidiactl ]; then
    gfp_build release all -DGFP_CUDA=AUTO -DGFP_CUDA_ARCHITECTURES=native
else
    gfp_build release all -DGFP_CUDA=AUTO -DGFP_CUDA_QUICK=ON
fi
if [ "$quick" = no ]; then
    gfp_build asan-ubsan all -DGFP_CUDA=OFF
    CC=clang CXX=clang++ gfp_build clang all -DGFP_FLINT=OFF -DGFP_CUDA=OFF
    echo "== clang-tidy"
    CC=clang gfp_configure tidy -DGFP_CUDA=OFF
    # Of code that every level compiles anew, the portable one.
    find field fft crt gpu poly cli -name '*.c' | while read -r file; do
        case $file in
        *_avx2.c | *_avx512.c) [ ! -e "${file%_avx*}_portable.c" ] || continue ;;
        esac
        printf '%s\0' "$file"
    done | xargs -0 -n 4 -P "$gfp_jobs" clang-tidy -p build/tidy --quiet --warnings-as-errors='*'
    # Not what counts bytes, or takes many: the sanitizer takes more than the library.
    gfp_test asan-ubsan -LE 'slow|once' -E '^(memory|large)$'
    # What is otherwise without FLINT.
    gfp_test clang -LE 'slow|once' -R '^(crt|poly|methods|verify|partial|operand|tuning|cli)$'
fi
# The whole suite last, so that the closing lines of the output are its own.
gfp_test release
