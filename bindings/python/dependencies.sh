#!/bin/sh
# For wheels, in the images of manylinux_2_28: GMP as a static library for all CPUs of this architecture, under a
# prefix, and the header of xxHash from the system's packages. Argument: the prefix.
set -eu
prefix=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dnf install -y -q epel-release
dnf install -y -q xxhash-devel
fetch() { # URL, SHA-256
    curl -fsSL --retry 3 -o "${1##*/}" "$1"
    echo "$2  ${1##*/}" | sha256sum -c -
}
fetch https://ftp.gnu.org/gnu/gmp/gmp-6.3.0.tar.xz \
    a3c2b80201b89e68616f4ad30bc66aee4927c3ce50e33929ca819d5c43538898
tar xf gmp-6.3.0.tar.xz
fat=
[ "$(uname -m)" != x86_64 ] || fat=--enable-fat
(cd gmp-6.3.0 && ./configure -q --prefix="$prefix" --with-pic --disable-shared --enable-static $fat CFLAGS='-O2 -std=gnu17' &&
    make -s -j"$(nproc)" && make -s install)
