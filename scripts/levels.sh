#!/bin/sh
# Builds gfpoly by gcc with AddressSanitizer and UndefinedBehaviorSanitizer, contracts checked, every check
# in the kernels of the CPU levels too, without FLINT and CUDA, and runs the tests of field, fft, crt, poly
# and the command once for each kernel level. A level that this CPU lacks is named and skipped.
#   scripts/levels.sh [LEVEL ...]     (default: portable avx2 avx512ifma)
# GFP_INSTALL=no: installs nothing. GFP_JOBS: parallel jobs. Exit status 1 where a level failed.
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
[ $# -gt 0 ] || set -- portable avx2 avx512ifma
levels=$*
gfp_setup
gfp_build levels tests_of_levels

status=0
summary=
for level in $levels; do
    if ! GFPOLY_CPU=$level build/levels/gfpoly info 2>/dev/null | grep -q "^CPU level  $level\$"; then
        result="skipped: this CPU lacks it"
    else
        echo "== tests: sanitizers, level $level"
        if GFPOLY_CPU=$level GFPOLY_TEST_SHORT=1 ctest --test-dir build/levels -L levels \
            --output-on-failure -j "$gfp_jobs"; then
            result=passed
        else
            result=FAILED
            status=1
        fi
    fi
    summary="$summary
sanitizers, level $level: $result"
done
echo "== summary$summary"
exit $status
