#!/bin/sh
# Tests scripts/setup.sh, through demo.sh and test.sh, with replacements for the commands that they run.
# Argument: source folder.
#   - all packages missing: a user without sudo, and root if apt-get fails, see the line to run; exit status 2
#   - no script asks for a package that the system does not offer
#   - a system that is too old: one line before configuring; exit status 2
#   - demo.sh builds every file that is installed, and shows its progress
#   - as many jobs as processors that the process may use
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/cmake" "$work/bin"
cp -R "$source/scripts" "$source/CMakeLists.txt" "$source/CMakePresets.json" "$work/tree"
cp "$source/cmake/dependencies.cmake" "$work/tree/cmake"
unset CC GFP_JOBS GFP_COUNTS GFP_REASON
fake() { # name, body: a command in front of the real ones
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
fail() {
    echo "$*, and said:"
    cat "$work/out"
    exit 1
}
# run STATUS SCRIPT ARGUMENT...
run() {
    expected=$1
    script=$2
    shift 2
    PATH=$work/bin:$PATH sh "$work/tree/scripts/$script" "$@" </dev/null >"$work/out" 2>&1
    status=$?
    [ $status = "$expected" ] || fail "$script $*: exit status $status instead of $expected"
}
says() {
    grep -q -e "$1" "$work/out" || fail "$2"
}

# Some systems lack clang-format-14.
fake apt-cache '[ "$2" != clang-format-14 ] || [ ! -e "${0%/*}/../offered" ] || echo "Version: 14"'
fake apt-get 'exit 100'
fake sudo 'exit 1'
fake dpkg-query 'exit 1'
fake uname 'echo x86_64'
for offered in no yes; do
    [ $offered = no ] || touch "$work/offered"
    for user in 0 1000; do
        fake id "echo $user"
        for script in full.sh arm64.sh demo.sh test.sh; do
            run 2 $script
            says '^    apt-get update && apt-get install -y cmake .*libflint-dev' "$script, user $user"
        done
        asked=no
        ! grep -q clang-format-14 "$work/out" || asked=yes
        [ $asked = $offered ] || fail "clang-format-14, offered: $offered, asked for: $asked"
    done
done
# If only clang-format-14 is missing, the scripts continue: here to a cmake that fails.
fake dpkg-query 'case "$*" in *clang-format-14) exit 1 ;; esac; echo "ii "'
fake cmake 'case $1 in --version) echo "cmake version 3.31.6" ;; *) echo "cmake $*"; exit 7 ;; esac'
fake cc 'echo "is 3 1"'
fake ctest 'exit 8'
run 1 test.sh
says '^cmake --preset release ' "test.sh stopped because clang-format-14 is missing"

# Ubuntu 22.04, and Debian 12 with one of Ubuntu's old versions.
too_old() { # cmake's version, FLINT's, the text of the message
    fake cmake 'case $1 in --version) echo "cmake version '"$1"'" ;; *) echo configured; exit 7 ;; esac'
    fake cc "echo 'is $2'"
    run 2 demo.sh
    says "^This system is too old: it has $3\. Debian 12 " "CMake $1, FLINT $2"
    [ "$(wc -l <"$work/out")" = 1 ] || fail "CMake $1, FLINT $2: more than one line"
}
too_old 3.22.1 '2 8' 'CMake 3.22 (needed: 3.25) and FLINT 2.8 (needed: 2.9)'
too_old 3.24.0 '3 0' 'CMake 3.24 (needed: 3.25)'
too_old 3.25.1 '2 8' 'FLINT 2.8 (needed: 2.9)'
too_old 2.99.0 '2 9' 'CMake 2.99 (needed: 3.25)'
for new in '3.25.1 2 9' '3.28.3 3 0' '4.0.0 3 3'; do
    fake cmake 'case $1 in --version) echo "cmake version '"${new%% *}"'" ;; *) exit 7 ;; esac'
    fake cc "echo 'is ${new#* }'"
    run 1 demo.sh
done

# Every installed file is built; only a step that fails is printed.
fake cmake 'case $1 in
--version) echo "cmake version 3.31.6" ;;
--preset) mkdir -p build/release && printf "#!/bin/sh\necho demo \$*\n" >build/release/gfpoly && chmod +x build/release/gfpoly ;;
*) echo "$*" >>"${0%/*}/../built"
   printf "[1/2] one\n[2/2] two\n"
   [ ! -e "${0%/*}/../broken" ] || { echo "two.c:1: wrong"; exit 9; } ;;
esac'
run 0 demo.sh --len 5
says '^demo demo --len 5$' "demo.sh did not run the demo"
grep -q -e '--target installed ' "$work/built" || fail "demo.sh does not build every installed file"
[ "$(wc -l <"$work/out")" = 2 ] || fail "demo.sh prints more than one line of progress"
touch "$work/broken"
run 1 demo.sh
says '^two.c:1: wrong$' "demo.sh hides what the compiler said"
! grep -q '^demo' "$work/out" || fail "demo.sh ran what was not built"

# On a terminal the line follows the steps: the second step waits until the first one is shown.
if command -v script >/dev/null 2>&1; then
    rm "$work/broken"
    fake cmake 'case $1 in
--version) echo "cmake version 3.31.6" ;;
--preset) ;;
*) echo "[1/2] one"
   for i in 1 2 3 4 5 6 7 8 9 10; do
       ! tr "\r" "\n" <"${0%/*}/../out" | grep -q "^Building gfpoly (release): 1 of 2$" || break
       [ $i != 10 ] || exit 9
       sleep 1
   done
   echo "[2/2] two" ;;
esac'
    : >"$work/out"
    PATH=$work/bin:$PATH script -qefc "sh '$work/tree/scripts/demo.sh'" /dev/null \
        </dev/null >"$work/out" 2>&1 || fail "on a terminal demo.sh shows no step before the next one"
    says 'Building gfpoly (release): 2 of 2' "demo.sh shows no second step"
fi

# Eight processors; quotas of 1.5 and of 3 processors and no quota, in both versions of control groups.
fake nproc 'echo 8'
mkdir -p "$work/two" "$work/one/cpu" "$work/none"
echo '150000 100000' >"$work/two/cpu.max"
echo 300000 >"$work/one/cpu/cpu.cfs_quota_us"
echo 100000 >"$work/one/cpu/cpu.cfs_period_us"
echo 'max 100000' >"$work/none/cpu.max"
for pair in two:2 one:3 none:8 absent:8; do
    jobs=$(PATH=$work/bin:$PATH GFP_CGROUPS=$work/${pair%:*} sh -c '. "$0"; echo "$gfp_jobs"' \
        "$work/tree/scripts/setup.sh")
    [ "$jobs" = "${pair#*:}" ] || fail "$pair: $jobs jobs"
done
jobs=$(GFP_JOBS=5 sh -c '. "$0"; echo "$gfp_jobs"' "$work/tree/scripts/setup.sh")
[ "$jobs" = 5 ] || fail "GFP_JOBS=5: $jobs jobs"
