#!/bin/sh
# Builds the Debian packages in a Debian of its own and tests them in a clean one: dpkg-buildpackage by debian/,
# lintian, `cpack -G DEB` in the same build folder, a comparison of both sets of packages, and for each
# set installation, the command, programs linked with the library, and removal.
#   scripts/packages.sh [--quick] bookworm|trixie [FOLDER]
# FOLDER (default: build/packages-SUITE) must not exist; the script removes the systems in it afterwards, unless
# a step failed, and leaves the packages in FOLDER/debian and FOLDER/cpack. The whole output goes to
# build/packages-SUITE.log. What is built is HEAD of this checkout. GFP_MIRROR: Debian's mirror.
# --quick: packages without optimisation, to test the packaging alone.
# Needs root and debootstrap; exit status 77 without them.
set -eu
script=$(readlink -f "$0")
. "$(dirname "$script")/setup.sh"
quick=
if [ "${1:-}" = --quick ]; then
    quick=--quick
    shift
fi
suite=${1:-}
case "$suite:$#" in
bookworm:[12] | trixie:[12]) ;;
*)
    echo "usage: scripts/packages.sh [--quick] bookworm|trixie [FOLDER]" >&2
    exit 2
    ;;
esac
. "$(dirname "$script")/root.sh"
gfp_root_needs
folder=$(readlink -m "${2:-build/packages-$suite}")
if [ "${GFP_OWN_MOUNTS:-}" != yes ]; then
    if [ -e "$folder" ]; then
        echo "$folder exists, perhaps from an earlier run; remove it" >&2
        exit 2
    fi
    export GFP_OWN_MOUNTS=yes
    exec unshare --mount --propagation private "$script" $quick "$suite" "$folder"
fi
mkdir -p build "$folder"
log=$PWD/build/packages-$suite.log
: >"$log"
root=$folder/builder
packages="libgfpoly0 libgfpoly-dev gfpoly python3-gfpoly"
# Debian 12 has no package of nanobind.
profile=
[ "$suite" != bookworm ] || profile=-Ppkg.gfpoly.nanobind

apt_install() {
    run root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}
# The clean system is a copy of the other one before packages are added.
install_systems() {
    gfp_root_install "$suite" git,ca-certificates
    cp -a "$root" "$folder/clean"
}
build_packages() {
    apt_install dpkg-dev debhelper lintian
    git bundle create -q "$root/tmp/gfpoly.bundle" HEAD
    run root git clone -q /tmp/gfpoly.bundle gfpoly
    if [ -n "$profile" ]; then
        apt_install python3-pip
        run root python3 -m pip install -q --break-system-packages --root-user-action=ignore nanobind
    fi
    run root sh -c "cd gfpoly && DEBIAN_FRONTEND=noninteractive apt-get build-dep -y --no-install-recommends $profile ."
    run root sh -c "cd gfpoly && DEB_BUILD_OPTIONS='parallel=$gfp_jobs ${quick:+noopt}' dpkg-buildpackage -us -uc $profile"
    mkdir -p "$folder/debian"
    cp "$root"/root/*.deb "$folder/debian"
}
check_by_lintian() {
    run root sh -c 'lintian --fail-on error,warning --tag-display-limit 0 *.changes'
    sed -n '/^-- .*lintian --fail/,$p' "$log" | tail -n +2
}
by_cpack() {
    run root sh -c 'cd gfpoly/obj-* && cpack -G DEB -B cpack'
    mkdir -p "$folder/cpack"
    cp "$root"/root/gfpoly/obj-*/cpack/*.deb "$folder/cpack"
    run root sh -c 'cd gfpoly/obj-*/cpack && lintian --fail-on error --tag-display-limit 0 *.deb'
}
# The files of a package, without compression of pages and documents, which debhelper adds.
files_of() { # folder, package
    dpkg-deb --fsys-tarfile "$folder/$1/$2"_*.deb | tar -t | grep -v '/$' | sed 's/\.gz$//' | sort
}
field_of() { # folder, package, field
    dpkg-deb -f "$folder/$1/$2"_*.deb "$3"
}
compare_sets() {
    for package in $packages; do
        echo "$package: $(files_of debian "$package" | wc -l) files"
        files_of debian "$package" >"$folder/by-debian"
        files_of cpack "$package" | diff "$folder/by-debian" -
        for field in Version Architecture Section Maintainer Description; do
            [ "$(field_of debian "$package" $field)" = "$(field_of cpack "$package" $field)" ] || {
                echo "$package: the fields $field differ"
                return 1
            }
        done
    done
    rm "$folder/by-debian"
}
# The command needs no development files; programs link with both libraries, with either tool.
test_packages() { # folder
    rm -rf "$root/tmp/debs"
    mkdir "$root/tmp/debs"
    cp "$folder/$1"/*.deb "$root/tmp/debs"
    rm -f "$root"/tmp/debs/*dbgsym*
    cp "$(dirname "$script")/packages_inside.sh" "$root/tmp"
    run root sh /tmp/packages_inside.sh
    sed -n '/^-- .*packages_inside/,$p' "$log" | grep '^ok: ' | sort -u
}

gfp_stage "$suite: debootstrap" install_systems
if [ $gfp_failed = 0 ]; then
    gfp_root_mount
    gfp_stage "$suite: dpkg-buildpackage" build_packages
    [ $gfp_failed != 0 ] || gfp_stage "$suite: lintian" check_by_lintian
    [ ! -d "$folder/debian" ] || gfp_stage "$suite: cpack -G DEB" by_cpack
    [ ! -d "$folder/cpack" ] || gfp_stage "$suite: both have the same files" compare_sets
    gfp_root_unmount
    root=$folder/clean
    gfp_root_mount
    for set in debian cpack; do
        [ ! -d "$folder/$set" ] || gfp_stage "$suite: packages by $set, clean system" test_packages $set
    done
    gfp_root_unmount
fi
if [ $gfp_failed = 0 ]; then
    rm -rf --one-file-system "$folder/builder" "$folder/clean"
else
    echo "kept: $folder"
fi
gfp_summary
