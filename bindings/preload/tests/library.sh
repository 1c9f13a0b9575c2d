#!/bin/sh
# A library for LD_PRELOAD needs no library that a host could have in another version, shows only the names of
# exports.map, has no relocation in its code, prints nothing, and writes its counters to the file that is asked for.
# Arguments: nm, readelf, the library, exports.map, a program over its host (test_flint_preload), the variable with
# the settings, the counter of hosts.
set -eu
nm=$1
readelf=$2
library=$3
map=$4
program=$5
variable=$6
hosts=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$readelf" -d "$library" >"$work/dynamic"
if grep NEEDED "$work/dynamic" | grep -vE '\[(libc|libm|libgcc_s|ld-linux[^]]*|libpthread|libdl)\.so\.[0-9]+\]'; then
    echo "^ needed" >&2
    exit 1
fi
if grep TEXTREL "$work/dynamic"; then
    exit 1
fi
tr ' \t' '\n\n' <"$map" | sed -n 's/^\([A-Za-z0-9_]*\);$/\1/p' | LC_ALL=C sort >"$work/expected"
"$nm" -D --defined-only "$library" | awk 'NF == 3 {print $3}' | LC_ALL=C sort >"$work/exported"
test -s "$work/expected"
diff "$work/expected" "$work/exported"

# The settings; the library prints nothing, unless the variable has an unknown word.
check() {
    env "$variable=$1" "LD_PRELOAD=$library" "$program" 'products_*_equal_*' >"$work/out" \
        2>"$work/err" || {
        cat "$work/out" "$work/err"
        exit 1
    }
    ! grep '^gfpoly: ' "$work/out" "$work/err"
}
check_word() { # value, word
    env "$variable=$1" "LD_PRELOAD=$library" "$program" 'products_*_equal_*' >"$work/out" 2>"$work/err" || true
    test "$(grep -c '^gfpoly: ' "$work/err")" -eq 1
    grep -F "gfpoly: $variable: unknown word \"$2\"; available: on, off, verify, " "$work/err"
}
check_word offf offf
check_word "verify,Count=x,y" Count=x
: >"$work/counts"
check "verify,count=$work/counts"
check "off,count=$work/counts"
check "count=$work/none/none"
test "$(wc -l <"$work/counts")" -eq 2
sed -n 1p "$work/counts" | grep -qE '^[0-9]+: mod=[1-9][0-9]* .* verified=[1-9][0-9]* wrong=0 .*'"$hosts=1\$"
sed -n 2p "$work/counts" | grep -qE '^[0-9]+: mod=0 mod_passed=0 .*verified=0 '
cat "$work/counts"
