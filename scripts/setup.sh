# setup.sh: sourced by the other scripts. Changes to the top folder of the checkout and defines
#   gfp_setup [PACKAGE ...] [-- PACKAGE ...]
#                                installs the Debian packages that a build needs, or prints the line
#                                to run and exits with status 2; a package after -- is installed
#                                only if the system's package lists have it; GFP_INSTALL=no
#                                installs nothing
#   gfp_configure PRESET ...     configures build/PRESET; the preset is release if PRESET is none
#   gfp_build PRESET TARGET ...  configures it and builds TARGET; the output goes to build/PRESET.log
#                                and is shown if the build fails
#   gfp_test PRESET ...          runs its tests by ctest with these arguments
#   gfp_python PACKAGE ...       makes build/venv with these packages of PyPI and nanobind; gfp_with_python
#                                has the options by which gfp_build takes them; ends the stage as
#                                skipped if PyPI does not answer
#   gfp_tidy NODES               clang-tidy over the sources; its analyser looks at no more than NODES states of a
#                                function, 225000 is its own choice
#   gfp_stage NAME COMMAND ...   runs a function or command, and notes its time and its result; exit
#                                status 77 means skipped, and the last line printed is the reason
#   gfp_summary                  prints the stages' notes; status 1 if one failed
cd "$(dirname "$(readlink -f "$0")")/.." || exit 2

# The kernel's folder of control groups.
gfp_cgroups=${GFP_CGROUPS:-/sys/fs/cgroup}

# Prints "QUOTA PERIOD" for each control group, of version 2 or 1, that holds this process.
gfp_quotas() {
    group=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null) || group=
    while
        cat "$gfp_cgroups${group%/}/cpu.max" 2>/dev/null
        [ -n "${group%/}" ]
    do
        group=${group%/*}
    done
    group=$(sed -n 's/^[0-9]*:\([^:]*,\)*cpu\(,[^:]*\)*://p' /proc/self/cgroup 2>/dev/null) || group=
    while
        folder=$gfp_cgroups/cpu${group%/}
        [ ! -r "$folder/cpu.cfs_period_us" ] ||
            echo "$(cat "$folder/cpu.cfs_quota_us") $(cat "$folder/cpu.cfs_period_us")"
        [ -n "${group%/}" ]
    do
        group=${group%/*}
    done
}

# The processors that this process may use: its affinity, and the quotas of its control groups.
gfp_processors() {
    count=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
    gfp_quotas | awk -v count="$count" '
        $1 + 0 > 0 && $2 > 0 {
            share = int(($1 + $2 - 1) / $2)
            if (share < count) count = share
        }
        END { print count }'
}
gfp_jobs=${GFP_JOBS:-$(gfp_processors)}

gfp_missing() {
    for package in "$@"; do
        case "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" in
        ii*) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

# Prints those of the packages that the system's lists have.
gfp_offered() {
    for package in "$@"; do
        ! apt-cache show "$package" 2>/dev/null | grep -q '^Version:' || printf '%s ' "$package"
    done
}

gfp_setup() {
    if [ "${GFP_INSTALL:-yes}" = no ]; then
        gfp_check_versions
        return
    fi
    needed="cmake ninja-build gcc libc6-dev libgmp-dev libflint-dev libxxhash-dev libcmocka-dev"
    extra=
    while [ $# -gt 0 ]; do
        if [ "$1" = -- ]; then
            shift
            extra="$*"
            break
        fi
        needed="$needed $1"
        shift
    done
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "Not a Debian system: continuing with the installed packages. The build needs $needed" >&2
        gfp_check_versions
        return
    fi
    # shellcheck disable=SC2086
    missing=$(gfp_missing $needed)
    # shellcheck disable=SC2046,SC2086
    extra=$(gfp_missing $extra)
    # shellcheck disable=SC2086
    if [ -n "$missing$(gfp_offered $extra)" ]; then
        gfp_install_all
    fi
    gfp_check_versions
}

# Installs $missing, and those of $extra that the lists have.
gfp_install_all() {
    if [ "$(id -u)" = 0 ]; then
        as_root="env"
    elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root="sudo env"
    else
        gfp_tell
        return 0
    fi
    # shellcheck disable=SC2086
    echo "Installing $missing$(gfp_offered $extra)"
    # The package lists may be absent or old: they are refreshed only if the first try fails. The second try
    # repeats its messages.
    gfp_install 2>/dev/null || { $as_root apt-get update -q >/dev/null && gfp_install; } || gfp_tell
}

gfp_install() {
    # shellcheck disable=SC2046,SC2086
    $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        $missing $(gfp_offered $extra) >/dev/null
}

# A missing package of $extra stops no script.
gfp_tell() {
    [ -n "$missing" ] || return 0
    echo "Packages are missing and could not be installed. Run as root:" >&2
    # shellcheck disable=SC2086
    echo "    apt-get update && apt-get install -y $missing$(gfp_offered $extra)" >&2
    exit 2
}

# gfp_older A B: whether version A is older than B; both are numbers with one dot.
gfp_older() {
    [ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" = "${2%%.*}" ] && [ "${1#*.}" -lt "${2#*.}" ]; }
}

# The oldest versions are those of CMakeLists.txt and cmake/dependencies.cmake.
gfp_check_versions() {
    old=
    version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
    needed=$(sed -n 's/^cmake_minimum_required(VERSION \(.*\))$/\1/p' CMakeLists.txt)
    if [ -n "$version" ] && gfp_older "$version" "$needed"; then
        old="CMake $version (needed: $needed)"
    fi
    version=$(printf '#include <flint/flint.h>\nis __FLINT_VERSION __FLINT_VERSION_MINOR\n' |
        ${CC:-cc} -E - 2>/dev/null | sed -n 's/^is \([0-9][0-9]*\) \([0-9][0-9]*\)$/\1.\2/p')
    needed=$(sed -n 's/^set(GFP_FLINT_OLDEST \(.*\))$/\1/p' cmake/dependencies.cmake)
    if [ -n "$version" ] && gfp_older "$version" "$needed"; then
        old="${old:+$old and }FLINT $version (needed: $needed)"
    fi
    [ -n "$old" ] || return 0
    echo "This system is too old: it has $old. Debian 12 and 13 and Ubuntu 24.04 have what gfpoly needs." >&2
    exit 2
}

gfp_configure() {
    preset=$1
    shift
    base=release
    ! grep -q "\"name\": \"$preset\"" CMakePresets.json || base=$preset
    mkdir -p build
    # GFP_WERROR only on request: new warnings of other compilers must not stop a build.
    cmake --preset "$base" -B "build/$preset" -DGFP_WERROR="${GFP_WERROR:-OFF}" "$@" \
        >"build/$preset.log" 2>&1 || {
        cat "build/$preset.log" >&2
        exit 1
    }
}

gfp_build() {
    preset=$1
    target=$2
    shift 2
    gfp_configure "$preset" "$@"
    {
        # shellcheck disable=SC2086
        cmake --build "build/$preset" --target $target -j "$gfp_jobs" 2>&1 || echo "exit status $?"
    } | gfp_watch "$preset" >&2 || exit 1
}

# Appends a build's output to build/PRESET.log. On a terminal one line follows the steps (not by awk, which
# may read ahead). If the build failed, prints its output without the steps and returns 1.
gfp_watch() {
    rest=
    line=
    [ -t 2 ] || echo "Building gfpoly ($1)"
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"build/$1.log"
        case "$line" in
        "["[0-9]*/[0-9]*"] "*)
            step=${line%%]*}
            step=${step#?}
            [ ! -t 2 ] || printf '\rBuilding gfpoly (%s): %s of %s' "$1" "${step%/*}" "${step#*/}"
            ;;
        "exit status "*)
            [ ! -t 2 ] || echo
            printf '%s' "$rest"
            return 1
            ;;
        *)
            rest="$rest$line
"
            ;;
        esac
    done
    [ ! -t 2 ] || echo
}

gfp_test() {
    preset=$1
    shift
    log=build/$preset/Testing/Temporary/LastTest.log
    rm -f "build/$preset.xml" "$log"
    code=0
    # Tests that run these scripts count separately.
    env -u GFP_COUNTS -u GFP_REASON ctest --test-dir "build/$preset" --output-on-failure \
        -j "$gfp_jobs" --output-junit "$PWD/build/$preset.xml" "$@" || code=$?
    if [ -n "${GFP_COUNTS:-}" ] && [ -f "build/$preset.xml" ]; then
        # The attributes of <testsuite>, the first element.
        sed -n '1,/>/s/^[[:space:]]*\(tests\|failures\|disabled\|skipped\)="\([0-9]*\)".*/\1 \2/p' \
            "build/$preset.xml" >>"$GFP_COUNTS"
        # Cases that a test skips count, too.
        [ ! -f "$log" ] ||
            sed -n 's/^\[  SKIPPED \] \([0-9][0-9]*\) test(s).*/tests \1\nskipped \1/p' "$log" >>"$GFP_COUNTS"
    fi
    return $code
}

gfp_skip() { # reason: ends a stage
    echo "skipped: $*"
    [ -z "${GFP_REASON:-}" ] || echo "$*" >"$GFP_REASON"
    exit 77
}

gfp_python() {
    mkdir -p build
    gfp_venv=$PWD/build/venv
    {
        [ -x "$gfp_venv/bin/python" ] || python3 -m venv "$gfp_venv"
    } >build/venv.log 2>&1 || gfp_skip "python3 -m venv failed (Debian: python3-venv)"
    "$gfp_venv/bin/python" -m pip install -q --disable-pip-version-check nanobind "$@" >>build/venv.log 2>&1 ||
        gfp_skip "PyPI does not answer: build/venv.log"
    gfp_with_python="-DGFP_PYTHON_PACKAGE=ON -DPython_EXECUTABLE=$gfp_venv/bin/python"
}

gfp_tidy() {
    export CC=clang
    gfp_configure tidy -DGFP_CUDA=OFF
    # Of code that every level compiles, only the portable level.
    # Of code that is compiled for several k, each of these sources includes it for one.
    {
        find field fft crt gpu product poly modular ranks bindings/preload cli papers bench -name '*.c' ! -path '*/tests/*'
        find build/tidy/field build/tidy/fft -name 'portable.c'
    } | while read -r file; do
        case $file in
        field/kernels/portable.c | fft/outer/portable.c) continue ;;
        *avx2.c | *avx512.c) [ ! -e "${file%avx*}portable.c" ] || continue ;;
        esac
        printf '%s\0' "$file"
    done | xargs -0 -n 4 -P "$gfp_jobs" clang-tidy -p build/tidy --quiet --warnings-as-errors='*' \
        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg="max-nodes=$1"
}

gfp_stages=
gfp_outer_counts=${GFP_COUNTS:-} # of the stage that this script is part of
gfp_passed=0
gfp_failed=0
gfp_skipped=0
gfp_stage() {
    name=$1
    shift
    echo "== $name"
    mkdir -p build
    GFP_COUNTS=$PWD/build/stage-$$.counts
    GFP_REASON=$PWD/build/stage-$$.reason
    export GFP_COUNTS GFP_REASON
    : >"$GFP_COUNTS"
    : >"$GFP_REASON"
    start=$(date +%s)
    # A separate subshell outside of a condition, in which set -e would have no effect.
    set +e
    (
        set -e
        "$@"
    )
    code=$?
    set -e
    seconds=$(($(date +%s) - start))
    # The tests of all calls of ctest. A stage without tests counts as one test, and so does a failure outside ctest.
    # shellcheck disable=SC2046
    set -- $(awk -v code=$code '
        { sum[$1] += $2 }
        END {
            failed = sum["failures"]
            skipped = sum["skipped"] + sum["disabled"]
            passed = sum["tests"] - failed - skipped
            if (code == 77) skipped++
            else if (code && !failed) failed = 1
            else if (!sum["tests"]) passed = 1
            print passed + 0, failed + 0, skipped + 0
        }' "$GFP_COUNTS")
    gfp_passed=$((gfp_passed + $1))
    gfp_failed=$((gfp_failed + $2))
    gfp_skipped=$((gfp_skipped + $3))
    case $code in
    0) result="passed " said=" ($1 passed, $2 failed, $3 skipped)" ;;
    77) result="skipped" said=": $(grep . "$GFP_REASON" || echo "for the reason above")" ;;
    *) result="FAILED " said=" ($1 passed, $2 failed, $3 skipped)" ;;
    esac
    rm "$GFP_COUNTS" "$GFP_REASON"
    gfp_stages="$gfp_stages$(printf '%s %5d s  %s' "$result" "$seconds" "$name$said")
"
}

gfp_summary() {
    [ -z "$gfp_outer_counts" ] || printf 'tests %d\nfailures %d\nskipped %d\n' \
        $((gfp_passed + gfp_failed + gfp_skipped)) $gfp_failed $gfp_skipped >>"$gfp_outer_counts"
    printf '== summary\n%s%d passed, %d failed, %d skipped\n' \
        "$gfp_stages" $gfp_passed $gfp_failed $gfp_skipped
    [ $gfp_failed = 0 ]
}
