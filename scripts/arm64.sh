#!/bin/sh
# Builds gfpoly for AArch64 by Debian's cross compiler, without FLINT, and runs the tests of field, fft, crt,
# product, poly and the command under QEMU.
# Without --longer it leaves out the tests that take minutes there, with --longer it runs these alone.
# GMP, cmocka and xxHash's header for arm64 are unpacked into build/arm64-libraries; no package of arm64 is installed.
# GFP_JOBS: parallel jobs. GFP_WERROR=ON makes warnings errors. Exit status 77 on an AArch64 CPU (use
# scripts/test.sh there) and without apt-get.
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
case "${1:-}" in
--longer) tests="-L longer" ;;
"") tests="-L levels -LE longer" ;;
*)
    echo "usage: scripts/arm64.sh [--longer]" >&2
    exit 2
    ;;
esac
[ "$(uname -m)" != aarch64 ] || gfp_skip "this CPU is an AArch64: scripts/test.sh tests gfpoly on it"
command -v apt-get >/dev/null 2>&1 ||
    gfp_skip "the libraries for arm64 come from Debian's or Ubuntu's packages: there is no apt-get"

# apt-get for arm64, with its own lists and cache; it installs nothing.
arm64_apt() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Debug::NoLocking=1 \
        -o APT::Sandbox::User=root -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" "$@"
}

# Ubuntu keeps the packages of arm64 on a separate server.
arm64_sources() {
    (
        . /etc/os-release
        case " $ID ${ID_LIKE:-} " in
        *" ubuntu "*)
            echo "deb [signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg]" \
                "http://ports.ubuntu.com/ubuntu-ports ${UBUNTU_CODENAME:-$VERSION_CODENAME} main universe"
            ;;
        esac
    ) >"$work/sources.list"
    if [ -s "$work/sources.list" ]; then
        set -- "$@" -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
    fi
    # Some server may lack arm64: only missing packages are an error.
    arm64_apt "$@" update || true
    arm64_apt "$@" install -y --no-install-recommends --download-only libgmp-dev libcmocka-dev \
        libxxhash-dev
}

# Further packages that these need; the C library is the cross compiler's.
arm64_libraries() {
    folder=build/arm64-libraries
    [ ! -e "$folder/complete" ] || return 0
    work=$PWD/build/arm64-apt
    rm -rf "$folder" "$work"
    mkdir -p "$folder" "$work/state/lists/partial" "$work/cache/archives/partial"
    : >"$work/status"
    if ! arm64_sources >build/arm64-apt.log 2>&1; then
        cat build/arm64-apt.log >&2
        echo "GMP, cmocka and xxHash for arm64 could not be fetched: see build/arm64-apt.log" >&2
        exit 2
    fi
    for package in "$work"/cache/archives/libgmp*.deb "$work"/cache/archives/libcmocka*.deb \
        "$work"/cache/archives/libxxhash*.deb; do
        dpkg -x "$package" "$folder"
    done
    rm -rf "$work"
    : >"$folder/complete"
}

set -- gcc-aarch64-linux-gnu libc6-dev-arm64-cross
command -v qemu-aarch64-static >/dev/null || command -v qemu-aarch64 >/dev/null || set -- "$@" qemu-user
gfp_setup "$@"
arm64_libraries
gfp_build arm64 tests_of_levels
echo "== tests: arm64"
# The tests test the cross-built library only if the command runs and takes the level of NEON.
build/arm64/tests/emulator/gfpoly info | grep '^CPU level  neon$'
GFPOLY_CPU=portable build/arm64/tests/emulator/gfpoly info | grep '^CPU level  portable$'
export GFPOLY_TEST_SHORT=1
# shellcheck disable=SC2086
gfp_test arm64 $tests
