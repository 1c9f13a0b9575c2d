#!/bin/sh
# Checks the table of gfpoly_peers --over-z: the CSV file of the same run has each time and ratio.
# Arguments: gfpoly_peers, and a module for --flint if one was built.
set -eu
program=$(readlink -f "$1")
module=${2:+$(readlink -f "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "$*" >&2
    cat table.md >&2
    exit 1
}

set -- "$program" --over-z --seconds 0.001 --len 1,2,17 --bits 1,65,130 --most 2000
[ -z "$module" ] || set -- "$@" --flint "$module"
"$@" --csv times.csv --table table.md >log
grep -qxF '| terms | bits of a coefficient: | 1 | 65 | 130 |' table.md || fail "no head"
# 8 places of each of three operations: 17 terms of 130 bits are too many.
libraries=$(awk -F, '/^gcd,65 bits/ && $4 == 2' times.csv | wc -l)
[ "$libraries" -ge 2 ] || fail "nothing to compare with"
[ "$(grep -c '^[a-z]*,[0-9]* bits' times.csv)" = $((24 * libraries)) ] || fail "not 24 places"
[ "$(grep -cE '^\| (product|gcd|resultant), (1|2|17) \| gfpoly, ms( \| [0-9.]+){2} \| ([0-9.]+|-) \|$' table.md)" = 9 ] ||
    fail "no rows of gfpoly"
[ "$(grep -c ' | - |$' table.md)" = $((3 * libraries)) ] || fail "places that are left out have a figure"
[ -z "$module" ] || [ "$(grep -c '^| | FLINT ' table.md)" = 18 ] || fail "the module has no rows"
# A ratio is that of two times.
awk -F, '/^resultant,65 bits/ && $4 == 17 && $3 !~ /gfpoly/ { printf $12 < 9.95 ? "%.1f ×\n" : "%.0f ×\n", $12 }' times.csv >ratios
while read -r ratio; do
    sed -n '/^| resultant, 17/,/^$/p' table.md | grep -qF " $ratio |" || fail "no $ratio"
done <ratios
[ -s ratios ] || fail "no ratios"
[ "$(grep -oE ' [0-9.]+ × \(at least [0-9.]+ ×, of 8\)' table.md | wc -l)" = $((3 * (libraries - 1))) ] || fail "no means"

# Whoever takes too long is left out of the rest of the row.
"$program" --over-z --seconds 0.001 --operation gcd --len 9 --bits 64,65 --budget 0.000000001 >log
[ "$(grep -c 'skipped: a run takes' log)" -ge 1 ] || fail "$(cat log)"
for mistake in '--operation nothing' '--operation rem' '--picture x.gp' '--bits x' '--bits 0' '--most 1,2' '--field p8' '--input shoup' '--flint missing.so' more; do
    code=0
    # shellcheck disable=SC2086 # two words
    "$program" --over-z $mistake 2>log || code=$?
    [ $code = 2 ] || fail "$mistake: exit status $code"
done
