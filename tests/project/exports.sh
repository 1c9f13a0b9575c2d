#!/bin/sh
# The shared library exports exactly what the installed headers declare, every declaration carries
# GFP_API, and the static library adds no global name outside gfp_*. Every call with options stands in the tables
# of calls that are cancelled. Of the names that docs/porting.md says went, none is in a header; each replacement is
# declared.
# Arguments: nm, C compiler, shared library, static library, folder of the installed headers, folder of the tests,
# docs/porting.md, and with MPI libgfpoly_mpi.so and the flags for mpi.h.
set -eu
nm=$1
compiler=$2
shared=$3
static=$4
include=$5
tests=$6
porting=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# complain TEXT FILE: prints the text and the lines of FILE, unless FILE is empty.
complain() {
    if [ -s "$2" ]; then
        echo "$1:" >&2
        sed 's/^/    /' "$2" >&2
        status=1
    fi
}

# gfpoly/mpi.h is that of another library, which contains this one.
(cd "$include" && find . -name '*.h' ! -name mpi.h | sort | sed 's/^\.\/\(.*\)/#include "\1"/') >"$work/all.c"
"$compiler" -std=c11 -E -I"$include" "$work/all.c" >"$work/all.i"

# Preprocesses our headers (line markers name the file), one declaration a line, and prints each function's
# name: the first word before a parenthesis once attributes are removed.
awk '/^# [0-9]+ "/ {own = $3 ~ /gfpoly[^"]*\.h"$/; next} own' "$work/all.i" | tr '\n' ' ' |
    tr ';{}' '\n\n\n' >"$work/declarations"
names() {
    sed -E 's/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)//g' |
        sed -nE 's/^[^(]*[ *](gfp_[a-z0-9_]+) *\(.*/\1/p' | LC_ALL=C sort -u
}
grep 'visibility("default")' "$work/declarations" | names >"$work/declared"
# Inline functions are static; statements in one begin with a call, have an = or return.
grep -v 'visibility("default")' "$work/declarations" | grep -vE '^ *(typedef|static|return|gfp_[a-z0-9_]+ *\()|=' |
    names >"$work/unmarked"
complain "declared without GFP_API" "$work/unmarked"

"$nm" -D --defined-only "$shared" | awk 'NF == 3 {print $3}' | LC_ALL=C sort -u >"$work/exported"
LC_ALL=C comm -13 "$work/declared" "$work/exported" >"$work/extra"
LC_ALL=C comm -23 "$work/declared" "$work/exported" >"$work/missing"
complain "exported by the library, declared by no header" "$work/extra"
complain "declared by a header, not exported" "$work/missing"
grep -qx gfp_poly_mul "$work/declared" || {
    echo "no declarations found in the headers" >&2
    status=1
}

# Calls that are cancelled by other tests: on a device (test_gpu_*). Calls that report nothing: questions about
# methods, plans, and vectors of words. Calls on FLINT's types are other calls with conversions.
grep 'gfp_options \*' "$work/declarations" | grep 'visibility("default")' | names |
    grep -vE '^gfp_(gpu_|method_|zvec_plan$|wvec_|fmpz_)' >"$work/with_options"
while read -r name; do
    row=${name#gfp_}
    grep -qE "_\([A-Z]+, [a-z_]+, (${row}|${row%_create}),|(return|=|[?:]) $name\(" "$tests/library/calls.c" "$tests/modular/calls.c" ||
        echo "$name"
done <"$work/with_options" >"$work/not_cancelled"
complain "calls with options that no test cancels" "$work/not_cancelled"
grep -qx gfp_poly_mul "$work/with_options" || {
    echo "no calls with options found in the headers" >&2
    status=1
}
# The library for ranks exports all of this library and what gfpoly/mpi.h declares.
if [ $# -gt 7 ]; then
    echo '#include "gfpoly/mpi.h"' >"$work/mpi.c"
    # shellcheck disable=SC2086
    "$compiler" -std=c11 -E -I"$include" $9 "$work/mpi.c" >"$work/mpi.i"
    awk '/^# [0-9]+ "/ {own = $3 ~ /gfpoly[^"]*\.h"$/; next} own' "$work/mpi.i" | tr '\n' ' ' | tr ';{}' '\n\n\n' |
        grep 'visibility("default")' | names | LC_ALL=C sort -u - "$work/declared" >"$work/mpi_declared"
    "$nm" -D --defined-only "$8" | awk 'NF == 3 {print $3}' | LC_ALL=C sort -u >"$work/mpi_exported"
    LC_ALL=C comm -13 "$work/mpi_declared" "$work/mpi_exported" >"$work/extra"
    LC_ALL=C comm -23 "$work/mpi_declared" "$work/mpi_exported" >"$work/missing"
    complain "exported by the library for ranks, declared by no header" "$work/extra"
    complain "declared by a header, not exported by the library for ranks" "$work/missing"
    grep -qx gfp_mpi_create "$work/mpi_declared" || {
        echo "no declarations found in gfpoly/mpi.h" >&2
        status=1
    }
fi
# names_of COLUMN: the names gfp_* in a column of the table "Names that went"; `gfp_x_*` stays as it stands.
names_of() {
    awk -F'|' -v column="$1" '/^## / {on = $0 == "## Names that went"} on && /^\| `/ {print $column}' "$porting" |
        grep -oE 'gfp_[a-z0-9_]+\*?' | LC_ALL=C sort -u
}
names_of 2 >"$work/went"
[ -s "$work/went" ] || {
    echo "no names that went in $porting" >&2
    status=1
}
sed -E 's/\*$/[a-z0-9_]*/' "$work/went" >"$work/patterns"
cp "$work/declarations" "$work/every"
unknown='^gfp_mpi_' # without MPI
if [ $# -gt 7 ]; then
    cat "$work/mpi.i" >>"$work/every"
    unknown='^$'
fi
grep -owE -f "$work/patterns" "$work/every" | LC_ALL=C sort -u >"$work/back" || true
complain "declared, although docs/porting.md says that the name went" "$work/back"
grep -oE '\bgfp_[a-z0-9_]+' "$work/every" | LC_ALL=C sort -u >"$work/words"
names_of 3 | grep -v "$unknown" | LC_ALL=C comm -23 - "$work/words" >"$work/absent"
complain "a replacement in docs/porting.md that no header declares" "$work/absent"

# AddressSanitizer adds a symbol per global variable; CUDA code may have templates in a namespace gfp_*.
"$nm" -g --defined-only "$static" |
    awk 'NF == 3 && $3 !~ /^(__odr_asan\.)?gfp_/ && $3 !~ /^_Z+N[0-9]+gfp_/ {print $3}' >"$work/foreign"
complain "global in the static library without the prefix gfp_" "$work/foreign"
echo "$(wc -l <"$work/declared") functions declared, $(wc -l <"$work/exported") exported"
exit $status
