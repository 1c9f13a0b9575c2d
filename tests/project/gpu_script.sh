#!/bin/sh
# Tests scripts/gpu.sh with replacements for the programs that it runs: the calls, the output, the exit status.
#   gpu_script.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/programs"
cp "$source/scripts/gpu.sh" "$source/scripts/profile_base_case.sh" "$work/programs"
pretend() { # file, body
    printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
    chmod +x "$work/$1"
}
# An unavailable method does not mean that the GPU is unavailable.
pretend programs/gfpoly 'case $* in
*json*) printf "{\n\"gpu\": {\n\"available\": %s,\n\"name\": \"Some Device\"\n},\n\"methods\": [\n{ \"available\": %s }\n]\n}\n" "$GPU" "$METHOD" ;;
*) echo "gfpoly 1.2.3" ;;
esac'
pretend programs/test_gpu_good 'echo "good ${GFPOLY_TEST_SHORT:-}"'
pretend programs/test_gpu_other 'exit ${OTHER:-0}'
pretend programs/gfpoly_gpu_bench 'echo "the table"'
pretend programs/gfpoly_papers 'while [ $# -gt 0 ]; do [ "$1" != -o ] || echo papers >"$2"; shift; done'
pretend bin/nvidia-smi 'echo "clocks"'
pretend bin/ncu 'exit 1'
pretend bin/compute-sanitizer 'for program; do :; done; exec "$program"'
PATH=$work/bin:$PATH
export PATH GPU METHOD OTHER
run() { # exit status, arguments
    expected=$1
    shift
    rm -f "$work"/programs/*.md
    code=0
    sh "$work/programs/gpu.sh" --prebuilt "$work/programs" "$@" >"$work/out" 2>&1 || code=$?
    [ $code = "$expected" ] || {
        cat "$work/out"
        echo "exit status $code, not $expected, of gpu.sh $*"
        exit 1
    }
}
says() { # file, text
    grep -qF -e "$2" "$work/programs/$1" || {
        cat "$work/programs/$1" "$work/out"
        echo "$1 does not say: $2"
        exit 1
    }
}
GPU=true METHOD=false OTHER=0
run 0
says tests-some-device.md '# Tests of gfpoly 1.2.3 on Some Device'
for tool in memcheck racecheck initcheck synccheck; do
    says tests-some-device.md "- compute-sanitizer $tool, test_gpu_good: passed"
done
says gpu-some-device.md 'the table'
says papers-some-device.md papers
OTHER=3
run 1 --no-sanitizer --no-bench --no-papers
says tests-some-device.md '- test_gpu_good: passed'
says tests-some-device.md '- test_gpu_other: FAILED (3)'
[ ! -e "$work/programs/gpu-some-device.md" ]
[ ! -e "$work/programs/papers-some-device.md" ]
run 1 --no-tests --no-bench --no-papers
says tests-some-device.md '- compute-sanitizer racecheck, test_gpu_other: FAILED (3)'
run 0 --no-tests --no-sanitizer --quick
[ ! -e "$work/programs/tests-some-device.md" ]
GPU=false METHOD=true
run 77
