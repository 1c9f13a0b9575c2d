#!/bin/sh
# Tests the stages of scripts/test.sh and full.sh with replacements for the commands that they run: order,
# failures, summary and exit status; the refusals of bare.sh; at_level.sh. Argument: source folder.
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/cmake" "$work/bin"
cp -R "$source/scripts" "$source/CMakeLists.txt" "$source/CMakePresets.json" "$work/tree"
cp "$source/cmake/dependencies.cmake" "$work/tree/cmake"
(cd "$work/tree" && mkdir field fft crt gpu product poly modular cli papers && touch field/one.c)
unset CC CXX GFP_JOBS GFP_COUNTS GFP_REASON
export LOG="$work/log" FAILS=""
fake() { # name, body
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
fail() {
    echo "$*; the output was:"
    cat "$work/out"
    exit 1
}
run() { # exit status, script, argument...
    expected=$1
    script=$2
    shift 2
    : >"$LOG"
    PATH=$work/bin:$PATH sh "$work/tree/scripts/$script" "$@" </dev/null >"$work/out" 2>&1
    status=$?
    [ $status = "$expected" ] || fail "$script $*: exit status $status instead of $expected"
}
says() {
    grep -q -e "$1" "$work/out" || fail "no line $1"
}

fake dpkg-query 'echo "ii "'
# The command on a CPU of the level avx2; it crashes at the level in CRASH.
fake gfpoly 'case ${GFPOLY_CPU:-avx2} in
"${CRASH:-}") exit 139 ;;
portable | avx2) printf "{\n  \"cpu_level\": \"%s\",\n" "${GFPOLY_CPU:-avx2}" ;;
*) exit 2 ;;
esac'
fake cc 'echo "is 3 1"'
fake clang-tidy 'echo "tidy" >>"$LOG"; [ "$FAILS" != tidy ] || { echo "one.c: untidy"; exit 1; }'
fake valgrind 'echo "valgrind" >>"$LOG"'
# A virtual environment, and pip inside; PyPI answers unless it is to fail.
fake python3 'case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip install "*) [ "$FAILS" != PyPI ] ;;
esac'
# A build folder; LOG uses the last part of its path.
fake cmake 'case $1 in
--version) echo "cmake version 3.31.6" ;;
--preset) ;;
--build)
    echo "build ${2##*/}" >>"$LOG"
    [ "$FAILS" != "${2##*/}" ] || { echo "two.c: wrong"; exit 1; }
    mkdir -p "$2"
    cp "${0%/*}/gfpoly" "$2" ;;
esac'
# Three tests: one is skipped, and one may fail. CASES: how many cases another one has skipped.
fake ctest 'failures=0
while [ $# -gt 0 ]; do
    case $1 in --test-dir) name=${2##*/} ;; --output-junit) file=$2 ;; esac
    shift
done
[ -z "${GFP_COUNTS:-}" ] || printf "tests 100\nfailures 100\n" >>"$GFP_COUNTS"
echo "test $name ${GFPOLY_CPU:-}" >>"$LOG"
[ "$FAILS" != "test $name" ] || failures=1
mkdir -p "build/$name/Testing/Temporary"
printf "[  SKIPPED ] a case\n[  SKIPPED ] %s test(s), listed below:\n" "${CASES:-}" >"build/$name/Testing/Temporary/LastTest.log"
printf "<testsuite name=\"x\"\n\ttests=\"3\"\n\tfailures=\"$failures\"\n\tdisabled=\"0\"\n\tskipped=\"1\"\n>\n" >"$file"
exit $failures'
printf '#!/bin/sh\n. "$(dirname "$0")/setup.sh"\necho arm64 $* >>"$LOG"\ngfp_skip no emulator\n' \
    >"$work/tree/scripts/arm64.sh"
chmod +x "$work/tree/scripts/arm64.sh"

# The tests of the release build run before anything else is built.
run 0 test.sh --all
printf '%s\n' 'build release' 'test release ' 'test release ' 'build release' 'test release ' 'build asan-ubsan' 'test asan-ubsan ' \
    'build clang' 'test clang ' tidy arm64 | diff - "$LOG" || fail "not these stages"
says '^passed  *[0-9]* s  release (2 passed, 0 failed, 1 skipped)$'
says '^passed  *[0-9]* s  clang-tidy (1 passed, 0 failed, 0 skipped)$'
says '^skipped  *[0-9]* s  arm64: no emulator$'
[ "$(tail -n 1 "$work/out")" = "11 passed, 0 failed, 6 skipped" ] || fail "a wrong last line"
run 0 test.sh
[ "$(tail -n 1 "$work/out")" = "6 passed, 0 failed, 3 skipped" ] || fail "a wrong last line of the first stages"
export CASES=2
run 0 test.sh
says '^passed  *[0-9]* s  release (2 passed, 0 failed, 3 skipped)$'
CASES=
# A failure stops no other stage.
FAILS='test release'
run 1 test.sh --all
says '^FAILED  *[0-9]* s  release (1 passed, 1 failed, 1 skipped)$'
grep -q '^test clang ' "$LOG" || fail "stopped by a failed test"
FAILS=asan-ubsan
run 1 test.sh --all
says '^two.c: wrong$'
says '^FAILED  *[0-9]* s  asan-ubsan (0 passed, 1 failed, 0 skipped)$'
! grep -q '^test asan-ubsan ' "$LOG" || fail "tested what was not built"
[ "$(tail -n 1 "$work/out")" = "9 passed, 1 failed, 5 skipped" ] || fail "a wrong last line of a failure"
FAILS=PyPI
run 0 test.sh
says '^skipped  *[0-9]* s  python: PyPI does not answer: build/venv.log$'
FAILS=tidy
run 1 test.sh --all
says '^one.c: untidy$'
says '^FAILED  *[0-9]* s  clang-tidy (0 passed, 1 failed, 0 skipped)$'

# A level that the CPU lacks is named.
FAILS=
run 0 full.sh avx2 avx512ifma
says '^passed  *[0-9]* s  sanitizers at avx2 (2 passed, 0 failed, 1 skipped)$'
says '^skipped  *[0-9]* s  sanitizers at avx512ifma: this CPU has no avx512ifma$'
grep -q '^test levels avx2$' "$LOG" || fail "not at the level avx2"
[ "$(tail -n 1 "$work/out")" = "2 passed, 0 failed, 2 skipped" ] || fail "a wrong last line of full.sh"
run 0 full.sh asan-ubsan arm64
printf '%s\n' 'build asan-ubsan' 'test asan-ubsan ' 'arm64 --longer' | diff - "$LOG" || fail "not the longer tests"
# A script with stages counts its tests itself.
printf '#!/bin/sh\n. "$(dirname "$0")/setup.sh"\necho "bare $*" >>"$LOG"\n%s\n%s\n%s\n' \
    'good() { gfp_test release; }' 'gfp_stage one good; gfp_stage two good; gfp_stage three "$BAD"' gfp_summary \
    >"$work/tree/scripts/bare.sh"
export BAD=false
run 1 full.sh bare-trixie tsan
grep -q '^bare trixie$' "$LOG" || fail "not trixie"
says '^FAILED  *[0-9]* s  bare-trixie (4 passed, 1 failed, 2 skipped)$'
says '^passed  *[0-9]* s  tsan (2 passed, 0 failed, 1 skipped)$'
[ "$(tail -n 1 "$work/out")" = "6 passed, 1 failed, 3 skipped" ] || fail "a wrong sum of sums"
run 2 full.sh nonsense
# A command that crashes at a level does not make the level skipped.
export CRASH=portable
run 1 full.sh portable
says '^FAILED  *[0-9]* s  sanitizers at portable (0 passed, 1 failed, 0 skipped)$'
CRASH=

# bare.sh without root or debootstrap: one line, and no folder.
cp "$source/scripts/bare.sh" "$work/tree/scripts"
rm -rf "$work/tree/build"
run 2 bare.sh jammy
fake id 'echo 1000'
run 77 bare.sh trixie
says '^skipped: scripts/bare.sh needs root$'
fake id 'echo 0'
mkdir "$work/few"
for command in sh dirname readlink sed cat nproc awk id; do
    ln -s "$(command -v $command)" "$work/few"
done
ln -sf "$work/bin/id" "$work/few/id"
PATH=$work/few sh "$work/tree/scripts/bare.sh" trixie >"$work/out" 2>&1
[ $? = 77 ] || fail "without debootstrap"
says '^skipped: scripts/bare.sh needs debootstrap$'
[ ! -e "$work/tree/build" ] || fail "bare.sh left something"

# at_level.sh on a CPU of the level avx2.
fake program 'echo "ran at $GFPOLY_CPU"'
at_level() { # exit status, level, the text of the message
    sh "$source/tests/project/at_level.sh" "$2" "$work/bin/gfpoly" "$work/bin/program" >"$work/out" 2>&1
    [ $? = "$1" ] || fail "at_level.sh $2: not exit status $1"
    [ -z "$3" ] || says "$3"
}
at_level 0 portable '^ran at portable$'
at_level 77 avx2 '^skipped: avx2 is the best level of this CPU$'
at_level 77 avx512ifma '^skipped: this CPU has no avx512ifma$'
CRASH=portable
at_level 139 portable ''
