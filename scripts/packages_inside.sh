# Run by packages.sh as root in a clean system: installs the packages of /tmp/debs, uses them, removes them.
# Prints a line "ok: ..." for each step that passed.
set -eu
export DEBIAN_FRONTEND=noninteractive
find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var \) -prune -o -iname '*gfpoly*' -print \
    >/tmp/before
[ ! -s /tmp/before ] || { cat /tmp/before && exit 1; }

# The library and the command alone.
apt-get install -y --no-install-recommends /tmp/debs/libgfpoly0_*.deb /tmp/debs/gfpoly_*.deb
ldconfig -p | grep -q 'libgfpoly\.so\.0 '
version=$(dpkg-query -W -f='${Version}' gfpoly)
[ "$(gfpoly --version)" = "gfpoly $version" ]
mkdir -p /tmp/smoke
cd /tmp/smoke
gfpoly random --field p8 --len 300 --seed 1 -o a.txt
gfpoly random --field p8 --len 200 --seed 2 -o b.txt
gfpoly mul a.txt b.txt -o c.txt
gfpoly verify a.txt b.txt c.txt
gfpoly mul --method flint a.txt b.txt -o d.txt
cmp c.txt d.txt
echo "ok: the command multiplies, also by FLINT, and verifies"

# Programs: C and C++ by pkg-config, shared and static; CMake.
apt-get install -y --no-install-recommends /tmp/debs/libgfpoly-dev_*.deb gcc g++ libc6-dev pkg-config cmake make
example=$(find /usr/share/doc -name 'flint_bridge.c*')
case "$example" in
*.gz) zcat "$example" >bridge.c ;;
*) cp "$example" bridge.c ;;
esac
# shellcheck disable=SC2046
cc -std=c11 bridge.c $(pkg-config --cflags --libs gfpoly-flint) -o shared
./shared
ldd ./shared | grep -q 'libgfpoly\.so\.0 => /'
# shellcheck disable=SC2046
cc -std=c11 bridge.c $(pkg-config --static --cflags --libs gfpoly-flint | sed 's/-lgfpoly/-l:libgfpoly.a/') -o static
./static
! ldd ./static | grep gfpoly
echo "ok: a program of FLINT and gfpoly, shared and static by pkg-config"
GFPOLY_FLINT=verify LD_PRELOAD='libgfpoly_flint.so libgfpoly_ntl.so' ./shared 2>preload.err
[ ! -s preload.err ] || { cat preload.err && exit 1; }
echo "ok: the libraries for FLINT's and NTL's programs, preloaded by their names"
cat >user.c <<'C'
#include <stdio.h>

#include <gfpoly.h>

int main(void)
{
    gfp_field *field;
    if (gfp_field_create(&field, "p8", NULL, NULL) != GFP_OK) {
        return 1;
    }
    puts(gfp_version());
    gfp_field_destroy(field);
    return 0;
}
C
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(gfpoly 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE gfpoly::gfpoly)
add_executable(user_static user.c)
target_link_libraries(user_static PRIVATE gfpoly::gfpoly_static)
C
cmake -B build . && cmake --build build
[ "$(build/user)" = "$version" ]
[ "$(build/user_static)" = "$version" ]
echo "ok: CMake finds both libraries"

# The Python package, without numpy.
apt-get install -y --no-install-recommends /tmp/debs/python3-gfpoly_*.deb
python3 - "$version" <<'P'
import importlib.metadata
import importlib.util
import sys

import gfpoly

assert gfpoly.__version__ == importlib.metadata.version("gfpoly") == sys.argv[1]
assert importlib.util.find_spec("numpy") is None
F = gfpoly.Field("p8")
f, g = F.random(300, seed=1), F.random(200, seed=2)
h = f * g
assert divmod(h + 1, g) == (f, F([1])) and h.gcd(f) == f.monic()
assert h.coeffs()[0] == f[0] * g[0] % F.p
assert len(gfpoly.load("c.txt")) == 499
try:
    f // 0
except ZeroDivisionError as error:
    assert str(error) == "quotient: division by 0", error
else:
    raise SystemExit("no error")
P
echo "ok: python3 imports gfpoly, without numpy"

apt-get purge -y libgfpoly0 libgfpoly-dev gfpoly python3-gfpoly
find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var \) -prune -o -iname '*gfpoly*' -print \
    >/tmp/after
[ ! -s /tmp/after ] || { cat /tmp/after && exit 1; }
rm -rf /tmp/smoke
echo "ok: removed without traces"
