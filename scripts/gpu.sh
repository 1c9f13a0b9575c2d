#!/bin/sh
# On a machine with a CUDA device: builds gfpoly for it, runs the tests of the GPU, the same under
# compute-sanitizer (memcheck, racecheck, initcheck, synccheck), and the benchmark of transforms and products.
# The results of the tests go to bench/results/tests-DEVICE.md, the benchmark's tables with the driver and the
# clocks to gpu-DEVICE.md, the papers' tables to papers-DEVICE.md, with the profile
# of ncu if it is permitted.
#   scripts/gpu.sh                 everything; needs CUDA, cmake, ninja, GMP and cmocka
#   scripts/gpu.sh --bundle DIR    only builds, and puts programs, libraries and this script into DIR, for a
#                                  machine that cannot build; set GFP_CUDA_ARCHITECTURES (90, ...) for it
#   DIR/gpu.sh --prebuilt DIR      everything except building, on that machine; the tables go to DIR
# --no-tests, --no-sanitizer, --no-bench, --no-papers: leave out that part. --quick: short benchmarks only.
# --seconds S: time for each figure of the papers' tables.
# Exit status 1 if anything failed, 77 without a device.
set -eu
script=$(readlink -f "$0")
mode=all
folder=
testing=yes
sanitizer=yes
bench=yes
papers=yes
quick=
seconds=
usage() {
    sed -n '/^# *scripts/,/^# --seconds/s/^# *//p' "$script" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case "$1" in
    --bundle | --prebuilt)
        [ $# -ge 2 ] || usage
        mode=${1#--}
        folder=$2
        shift
        ;;
    --no-tests) testing=no ;;
    --no-sanitizer) sanitizer=no ;;
    --no-bench) bench=no ;;
    --no-papers) papers=no ;;
    --quick) quick=--quick ;;
    --seconds)
        [ $# -ge 2 ] || usage
        seconds="--seconds $2"
        shift
        ;;
    *) usage ;;
    esac
    shift
done

if [ "$mode" = prebuilt ]; then
    programs=$(readlink -f "$folder")
    results=$programs
    LD_LIBRARY_PATH=$programs/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    tests=$(cd "$programs" && ls -d test_gpu*)
else
    [ -z "$folder" ] || { mkdir -p "$folder" && folder=$(readlink -f "$folder"); }
    cd "$(dirname "$script")/.."
    # Without FLINT, which no part uses.
    cmake --preset release -B build/gpu -DGFP_CUDA=ON -DGFP_FLINT=OFF \
        -DGFP_CUDA_ARCHITECTURES="${GFP_CUDA_ARCHITECTURES:-native}"
    cmake --build build/gpu --target gfpoly gfpoly_gpu_bench gfpoly_papers tests_of_gpu
    programs=$PWD/build/gpu
    results=$PWD/bench/results
    tests=$(cd "$programs/tests" && ls -d test_gpu*)
fi

if [ "$mode" = bundle ]; then
    mkdir -p "$folder/lib"
    cp "$script" "$(dirname "$script")/profile_base_case.sh" "$programs/gfpoly" \
        "$programs/bench/gfpoly_gpu_bench" "$programs/bench/gfpoly_papers" "$folder"
    mkdir -p "$folder/published"
    cp papers/published/*.csv "$folder/published"
    for test in $tests; do
        cp "$programs/tests/$test" "$folder"
        ldd "$programs/tests/$test"
    done | awk '$1 ~ /^lib(gfpoly|cmocka|gmp|gomp)\./ {print $3}' | sort -u |
        while read -r library; do cp -L "$library" "$folder/lib"; done
    strip "$folder"/gfpoly* "$folder"/test_* "$folder"/lib/libgfpoly.*
    echo "programs and libraries are in $folder: run gpu.sh --prebuilt there"
    exit 0
fi

program() {
    for place in "$programs/$1" "$programs/tests/$1" "$programs/bench/$1"; do
        if [ -f "$place" ]; then
            echo "$place"
            return 0
        fi
    done
}

"$(program gfpoly)" info
# The line of the GPU itself: methods may have a similar line.
"$(program gfpoly)" info --json | sed -n '/"gpu"/,/}/p' | grep -q '"available": true' || exit 77
mkdir -p "$results"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
: >"$work/summary"
# Notes a part and its exit status.
report() { # name, exit status
    [ "$2" = 0 ] && said=passed || { said="FAILED ($2)" && status=1; }
    echo "- $1: $said" | tee -a "$work/summary"
}
if [ "$testing" = yes ]; then
    for test in $tests; do
        echo "== $test"
        code=0
        "$(program "$test")" >"$work/log" 2>&1 || code=$?
        grep -vE '^\[( RUN  |       OK)' "$work/log" || true
        report "$test" $code
    done
fi

if [ "$sanitizer" = yes ]; then
    checker=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
    [ -x "$checker" ] || echo "compute-sanitizer not found" >&2
    # Instrumented code is many times slower: the tests make fewer rounds. Errors that tests provoke and the
    # library reports are not errors of the device. racecheck itself fails if threads launch at once. The
    # tests of one tool run side by side.
    export GFPOLY_TEST_SHORT
    for tool in "memcheck --leak-check full" racecheck initcheck synccheck; do
        GFPOLY_TEST_SHORT=1
        [ "$tool" != racecheck ] || GFPOLY_TEST_SHORT=serial
        for test in $tests; do
            {
                code=0
                # shellcheck disable=SC2086
                "$checker" --tool $tool --report-api-errors no --error-exitcode 9 \
                    "$(program "$test")" >"$work/log.$test" 2>&1 || code=$?
                echo $code >"$work/code.$test"
            } &
        done
        wait
        for test in $tests; do
            code=$(cat "$work/code.$test")
            [ "$code" = 0 ] || grep -E '=========|FAILED|ERROR' "$work/log.$test" | head -60
            report "compute-sanitizer ${tool%% *}, $test" "$code"
        done
    done
    unset GFPOLY_TEST_SHORT
fi

device=$("$(program gfpoly)" info --json | sed -n '/"gpu"/,/}/s/.*"name": "\(.*\)".*/\1/p')
name=$(echo "$device" | tr ' A-Z' '-a-z')
# Appends the driver and the clocks after the run.
clocks() {
    printf '\n## Device and clocks, afterwards\n\n'
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,power.limit,temperature.gpu \
        --format=csv || true
}
if [ -s "$work/summary" ]; then
    {
        printf '# Tests of %s on %s\n\n' "$("$(program gfpoly)" --version | head -1)" "$device"
        cat "$work/summary"
        clocks
    } >"$results/tests-$name.md"
fi

if [ "$bench" = yes ]; then
    code=0
    # If the benchmark is stopped, its finished tables are kept.
    tables=$results/gpu-unfinished.md
    # shellcheck disable=SC2086
    "$(program gfpoly_gpu_bench)" $quick >"$tables" || code=$?
    report gfpoly_gpu_bench $code
    clocks >>"$tables"
    mv "$tables" "$results/gpu-$name.md"
    cat "$results/gpu-$name.md"
fi

# The papers' tables; each is written as soon as it is finished.
if [ "$papers" = yes ]; then
    published=$programs/published
    [ -d "$published" ] || published=$(dirname "$script")/../papers/published
    profile=$work/profile
    "$(dirname "$script")/profile_base_case.sh" "$profile" "$(program gfpoly_papers)" || profile=
    file=$results/papers-$name.md
    code=0
    # shellcheck disable=SC2086
    "$(program gfpoly_papers)" issac multicore gpu2010 $quick $seconds --data "$published" \
        ${profile:+--profile "$profile"} -o "$file" || code=$?
    report gfpoly_papers $code
    cat "$file"
fi
exit $status
