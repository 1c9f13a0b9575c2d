#!/bin/sh
# Tests of the installed tree. Usage: installed.sh SETTINGS STEP [LANGUAGE]; a step:
#   install             into an empty prefix: every file exists, none names a folder of this build
#   refused             a build in which a file is missing installs nothing, and names the file
#   exports             exports.sh on the installed libraries and headers
#   headers LANGUAGE    every installed header compiles alone, without warnings
#   pkgconfig LANGUAGE  programs built with pkg-config's flags, shared and static, run
#   package LANGUAGE    the same with CMake's find_package
#   moved LANGUAGE      both of the above after the prefix was moved
# LANGUAGE: c or c++. Exit status 77: skipped, for the reason printed.
set -eu
. "$1"
step=$2
language=${3:-c}
prefix=$build_dir/tests/installed/prefix
# Steps may run at the same time: each uses its own folder.
work=$build_dir/tests/installed/$step-$language
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"
[ -z "$sanitize" ] || sanitize=-fsanitize=$sanitize

fail() {
    echo "$*" >&2
    exit 1
}
skip() {
    echo "skipped: $*"
    exit 77
}

if [ "$language" = c++ ]; then
    [ -n "$cxx" ] || skip "no C++ compiler found"
    compile="$cxx -std=c++17"
else
    compile="$cc -std=c11"
fi
# $compile, $warnings and $sanitize are subject to word splitting on purpose.

install_into() {
    rm -rf "$1"
    "$cmake" --install "$build_dir" --config "$config" --prefix "$1" >/dev/null
}

check_tree() {
    [ "$("$prefix/$bindir/gfpoly" --version)" = "gfpoly $version" ] || fail "the command fails"
    for file in $libdir/libgfpoly.a $libdir/libgfpoly.so $libdir/libgfpoly.so.$soversion \
        $libdir/libgfpoly.so.$version $libdir/pkgconfig/gfpoly.pc \
        $libdir/cmake/gfpoly/gfpolyConfig.cmake $libdir/cmake/gfpoly/gfpolyConfigVersion.cmake \
        $mandir/man1/gfpoly.1 $datadir/bash-completion/completions/gfpoly \
        $datadir/zsh/site-functions/_gfpoly $docdir/README.md $docdir/docs/c.md \
        $docdir/docs/speed.svg $docdir/COPYING \
        $docdir/COPYING.LESSER $docdir/examples/multiply_files.c; do
        [ -s "$prefix/$file" ] || fail "not installed: $file"
    done
    if [ "$flint" = ON ]; then
        [ -s "$prefix/$libdir/pkgconfig/gfpoly-flint.pc" ] || fail "not installed: gfpoly-flint.pc"
    else
        [ ! -e "$prefix/$libdir/pkgconfig/gfpoly-flint.pc" ] || fail "without FLINT: gfpoly-flint.pc"
    fi
    # The libraries for LD_PRELOAD, which no package links.
    for name in gfpoly_flint gfpoly_ntl; do
        [ "$preload" != ON ] || [ -s "$prefix/$libdir/lib$name.so" ] || fail "not installed: lib$name.so"
        ! grep -F "$name" "$prefix/$libdir"/pkgconfig/*.pc "$prefix/$libdir"/cmake/gfpoly/*.cmake ||
            fail "^ links lib$name.so"
    done
    "$readelf" -d "$prefix/$libdir/libgfpoly.so" | grep -q "SONAME.*\[libgfpoly.so.$soversion\]" ||
        fail "libgfpoly.so has no SONAME libgfpoly.so.$soversion"
    if [ "$mpi" = 1 ]; then
        for file in libgfpoly_mpi.a libgfpoly_mpi.so.$soversion pkgconfig/gfpoly-mpi.pc; do
            [ -s "$prefix/$libdir/$file" ] || fail "not installed: $file"
        done
        [ -x "$prefix/libexec/gfpoly/gfpoly_ranks" ] || fail "not installed: gfpoly_ranks"
        ! "$readelf" -d "$prefix/$libdir/libgfpoly_mpi.so" | grep -E 'RPATH|RUNPATH' || fail "a run path is installed"
    fi
    # The library and the command do without MPI.
    ! "$readelf" -d "$prefix/$libdir/libgfpoly.so" "$prefix/$bindir/gfpoly" | grep -E 'NEEDED.*libmpi' || fail "^ needs MPI"
    ! "$readelf" -d "$prefix/$libdir/libgfpoly.so" "$prefix/$bindir/gfpoly" |
        grep -E 'RPATH|RUNPATH' || fail "a run path is installed"
    # Also with CUDA the program must run on machines without CUDA's libraries, and need no C++ library.
    ! "$readelf" -d "$prefix/$libdir/libgfpoly.so" "$prefix/$bindir/gfpoly" |
        grep -E 'NEEDED.*(libcuda|libstdc)' || fail "^ needs CUDA's or C++'s library"
}

# Every public header, those of FLINT only with FLINT, and nothing else.
check_headers() {
    left_out=''
    [ "$mpi" = 1 ] || left_out='/mpi\.h$|'
    [ "$flint" = ON ] || left_out="$left_out/flint\\.h\$|/zvec_flint\\.h\$|"
    [ "$gr" = ON ] || left_out="$left_out/gr\\.h\$|"
    (cd "$source_dir/include" && find . -type f) | grep -vE "${left_out}^\$" | sort >"$work/public"
    (cd "$prefix/$includedir" && find . -type f) | sort | diff "$work/public" - ||
        fail "the installed headers are not the public ones"
}

check_relocatable() {
    for folder in "$prefix" "$source_dir" "$build_dir"; do
        ! grep -rIlF -- "$folder" "$prefix" || fail "^ names $folder"
    done
}

compile_headers() {
    headers='*.h'
    [ "$language" = c ] || headers='*.h*'
    (cd "$prefix/$includedir" && find . -name "$headers") | while IFS= read -r header; do
        printf '#include <%s>\nint main(void);\nint main(void)\n{\n    return 0;\n}\n' \
            "${header#./}" >"$work/alone.$language"
        # shellcheck disable=SC2086
        $compile $warnings -fsyntax-only -I"$prefix/$includedir" $mpi_flags -x "$language" \
            "$work/alone.$language" || fail "$header does not compile alone"
        [ "$language" = c++ ] || "$cc" -std=c99 -pedantic-errors -fsyntax-only -I"$prefix/$includedir" $mpi_flags -x c \
            "$work/alone.c" || fail "$header is not C99"
    done
}

# run PROGRAM ARGUMENT...: runs the program with the shared library of $prefix on the loader's path.
run() {
    LD_LIBRARY_PATH=$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}
# expect STATUS COMMAND...
expect() {
    wanted=$1
    shift
    got=0
    "$@" >/dev/null 2>&1 || got=$?
    [ "$got" = "$wanted" ] || fail "$*: exit status $got instead of $wanted"
}

# Checks the programs built into a folder, with a suffix to their names: their results, and whether they
# load the shared library ("shared") or not ("static").
check_programs() { # folder, suffix, kind
    data=$prefix/$docdir/examples/data
    if [ "$language" = c++ ]; then
        programs=user
        [ "$(run "$1/user$2")" = "3 coefficients over p8, the middle one is 2" ] ||
            fail "user$2: wrong output"
    else
        programs="multiply_files verify_product"
        run "$1/multiply_files$2" "$data/a.txt" "$data/b.txt" "$work/c.txt" 2>/dev/null
        cmp "$work/c.txt" "$data/product.txt"
        expect 0 run "$1/verify_product$2" "$data/a.txt" "$data/b.txt" "$work/c.txt"
        expect 1 run "$1/verify_product$2" "$data/a.txt" "$data/b.txt" "$data/wrong.txt"
        expect 2 run "$1/verify_product$2" "$data/a.txt" "$data/b.txt" "$data/malformed.txt"
        if [ "$flint" = ON ]; then
            programs="$programs flint_bridge"
            run "$1/flint_bridge$2" | grep -q agree || fail "flint_bridge$2: wrong output"
        fi
    fi
    for program in $programs; do
        loads=static
        ! "$readelf" -d "$1/$program$2" | grep -q 'NEEDED.*libgfpoly' || loads=shared
        [ "$loads" = "$3" ] || fail "$program$2 was to be linked $3, and is $loads"
    done
}

pc() {
    PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig "$pkg_config" "$@"
}
# Compiles with exactly pkg-config's flags; only tests/project/install/user.cpp adds -lgmp.
build_program() { # source, suffix, option for pkg-config, sed's command for its words, compiler's option
    name=$(basename "$1")
    package=gfpoly
    added=
    case "$name" in
    flint_bridge.c) package=gfpoly-flint ;;
    user.cpp) added=-lgmp ;;
    esac
    libraries=$(pc $3 --libs "$package" | sed "$4")
    # shellcheck disable=SC2086,SC2046
    $compile $warnings $sanitize $(pc --cflags "$package") "$1" $5 $libraries $added \
        -o "$out/${name%.*}$2" || fail "$1: not built"
}
build_programs() { # as above, but the source
    if [ "$language" = c++ ]; then
        build_program "$source_dir/tests/project/install/user.cpp" "$@"
        return 0
    fi
    for source in "$prefix/$docdir"/examples/*.c; do
        case "$source" in
        */ranks_*) ;; # they need MPI
        *) build_program "$source" "$@" ;;
        esac
    done
}
# Examples over ranks, if the library for ranks is installed.
check_ranks() {
    [ -z "$sanitize" ] && [ "$language" = c ] && [ -e "$prefix/$libdir/pkgconfig/gfpoly-mpi.pc" ] || return 0
    for source in "$prefix/$docdir"/examples/ranks_*.c; do
        name=$(basename "$source" .c)
        # shellcheck disable=SC2046,SC2086
        OMPI_CC=$cc mpicc $warnings $(pc --cflags gfpoly-mpi) "$source" $(pc --libs gfpoly-mpi) -o "$out/$name" ||
            fail "$source: not built"
    done
}
# Whether every library that gfpoly needs exists as an archive.
has_archives() {
    [ -z "$sanitize" ] || return 1
    for library in $([ "$flint" != ON ] || echo flint mpfr) gmp; do
        case "$("$cc" -print-file-name="lib$library.a")" in
        /*) ;;
        *) return 1 ;;
        esac
    done
}
check_pkgconfig() {
    out=$work/pkgconfig
    mkdir -p "$out"
    for package in gfpoly $([ "$flint" != ON ] || echo gfpoly-flint); do
        [ "$(pc --modversion $package)" = "$version" ] || fail "$package.pc: wrong version"
    done
    check_ranks
    build_programs "" "" "" ""
    check_programs "$out" "" shared
    build_programs _static --static 's/-lgfpoly/-l:libgfpoly.a/' ""
    check_programs "$out" _static static
    if has_archives; then
        build_programs _all_static --static "" -static
        check_programs "$out" _all_static static
    else
        echo "not tried: a program without any shared library (an archive is missing)"
    fi
}

configure_user() { # further arguments for cmake
    rm -rf "$out"
    "$cmake" -G "$generator" -S "$source_dir/tests/project/install" -B "$out" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF \
        -DEXAMPLES="$prefix/$docdir/examples" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_C_FLAGS="$sanitize" -DCMAKE_CXX_FLAGS="$sanitize" \
        ${cxx:+-DCMAKE_CXX_COMPILER="$cxx"} "$@" >"$work/configure.log" 2>&1
}
refused() { # what the message says, arguments for cmake
    said=$1
    shift
    ! configure_user "$@" || fail "find_package succeeded with $*"
    tr -s ' \n' '  ' <"$work/configure.log" | grep -qF "$said" || {
        cat "$work/configure.log" >&2
        fail "find_package with $*: the message does not say: $said"
    }
}
check_package() {
    out=$work/package
    use_cxx=OFF
    [ "$language" = c ] || use_cxx=ON
    refused "requested version \"99.0\"" -DWANTED_VERSION=99.0
    refused "needs, and did not find: GMP (library gmp, header gmp.h" -DGFPOLY_GMP_LIBRARY=
    if ! configure_user -DWANTED_VERSION="$version" -DUSE_CXX=$use_cxx ||
        ! "$cmake" --build "$out" >"$work/build.log" 2>&1; then
        cat "$work/configure.log" "$work/build.log" >&2
        fail "find_package or the build failed"
    fi
    check_programs "$out" "" shared
    check_programs "$out" _static static
}

# Makes the files of a build by hand, one after the other.
check_refused() {
    set -- "$work/build/gfpoly" "$work/build/libgfpoly.so.$version" "$work/build/libgfpoly.a"
    [ "$preload" != ON ] || set -- "$@" "$work/build/bindings/preload/flint/libgfpoly_flint.so" \
        "$work/build/bindings/preload/ntl/libgfpoly_ntl.so"
    [ "$mpi" != 1 ] || set -- "$@" "$work/build/libgfpoly_mpi.so.$version" "$work/build/libgfpoly_mpi.a" \
        "$work/build/gfpoly_ranks"
    "$cmake" -G "$generator" -S "$source_dir" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DGFP_MPI=$mpi \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DGFP_CUDA=OFF -DGFP_FLINT="$flint" \
        >"$work/configure.log" 2>&1 || fail "not configured: $(cat "$work/configure.log")"
    for missing in "$@"; do
        touch "$@"
        rm "$missing"
        ! "$cmake" --install "$work/build" --prefix "$work/prefix" >"$work/log" 2>&1 ||
            fail "installed without $missing"
        [ ! -e "$work/prefix" ] || fail "installed in parts: $(find "$work/prefix")"
        tr -s ' \n' '  ' <"$work/log" | grep -qF "not built: $missing" ||
            fail "not said: $missing is missing; but: $(cat "$work/log")"
    done
}

rm -rf "$work"
mkdir -p "$work"
case "$step" in
install)
    install_into "$prefix"
    check_tree
    check_headers
    check_relocatable
    ;;
refused) check_refused ;;
exports)
    set -- "$nm" "$cc" "$prefix/$libdir/libgfpoly.so" "$prefix/$libdir/libgfpoly.a" "$prefix/$includedir" \
        "$source_dir/tests" "$source_dir/docs/porting.md"
    [ "$mpi" != 1 ] || set -- "$@" "$prefix/$libdir/libgfpoly_mpi.so" "$mpi_flags"
    exec sh "$source_dir/tests/project/exports.sh" "$@"
    ;;
headers) compile_headers ;;
pkgconfig)
    [ -n "$pkg_config" ] || skip "no pkg-config found"
    check_pkgconfig
    ;;
package) check_package ;;
moved)
    # Moves the installation: nothing is left at the first place.
    prefix=$work/elsewhere/deeper
    mkdir -p "$work/elsewhere"
    install_into "$work/first"
    mv "$work/first" "$prefix"
    check_package
    [ -n "$pkg_config" ] || skip "no pkg-config found (find_package works)"
    check_pkgconfig
    ;;
*) fail "unknown step: $step" ;;
esac
