#!/bin/sh
# Checks the table and the picture of gfpoly_peers: the CSV file of the same run has each time and ratio.
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

set -- "$program" --seconds 0.001 --field p4 --field p16 --len 3,20
[ -z "$module" ] || set -- "$@" --flint "$module"
code=0
"$@" --csv times.csv --table table.md --picture "it's.svg" >/dev/null 2>log || code=$?
if command -v gnuplot >/dev/null; then
    [ $code = 0 ] || fail "exit status $code: $(cat log)"
    grep -q '</svg>' "it's.svg" || fail "no picture"
else
    [ $code = 1 ] && grep -q 'gnuplot' log || fail "exit status $code: $(cat log)"
fi
# Without gnuplot the program writes the script, which draws the same picture elsewhere.
"$@" --picture it.gp >/dev/null
grep -qF "set output 'it.svg'" it.gp || fail "no script"
! command -v gnuplot >/dev/null || { gnuplot it.gp && grep -q '</svg>' it.svg; } || fail "it.gp draws nothing"

grep -qxF '| p | terms of a factor: | 3 | 20 |' table.md || fail "no head"
grep -qF "\`$program --seconds 0.001 --field p4 " table.md || fail "the command is not named"
# The rows of the table from the CSV file: each block of four figures is two lengths of a field and a library.
awk -F, 'function cell(x) {
        if ($3 ~ /^gfpoly/) return digits($7 / 1e6)
        return ratio($12)
    }
    function ratio(x) {
        return sprintf("%." (x < 0.095 ? decimals(x) : x < 9.95 ? 1 : 0) "f ×", x)
    }
    function decimals(x) {
        for (places = 1; x < 1; x *= 10) places++
        return places
    }
    function digits(ms) {
        places = 2
        for (x = ms; x < 1; x *= 10) places++
        for (; x >= 10 && places > 0; x /= 10) places--
        return sprintf("%." places "f", ms)
    }
    /^peer/ {
        sub(/^"/, "", $3)
        if (!($2 in seen)) { seen[$2] = 1; block++ }
        if ($4 != length_now || $2 != field_now) { library = 0; length_now = $4; field_now = $2 }
        row[block, ++library] = row[block, library] " | " cell()
        most = library
    }
    END { for (b = 1; b <= block; b++) for (l = 1; l <= most; l++) print row[b, l] " |" }' times.csv >expected
grep -E '^\| (p4|p16|) ?' table.md | grep -v 'terms of' |
    sed -E 's/^\| [^|]*\| [^|]*[^| ] ( ?\|)/ \1/' >written
cmp -s expected written || fail "the table differs from the figures: $(diff expected written)"
libraries=$(awk -F, '/^peer,p4/ && $4 == 3' times.csv | wc -l)
[ "$libraries" -ge 2 ] || fail "nothing to compare with"
[ -z "$module" ] || [ "$(grep -c '^| | FLINT ' table.md)" = 4 ] || fail "the module has no rows"

# A file that is no module is refused.
echo nothing >nothing.so
for file in nothing.so missing.so; do
    code=0
    "$program" --flint "$PWD/$file" 2>log || code=$?
    [ $code = 2 ] && grep -q "$file" log || fail "$file: exit status $code: $(cat log)"
done

# The table of operations has the figures of the CSV file: our time, in products, and the other libraries' ratios.
"$program" --seconds 0.001 --field p4 --len 12 --operation tour --input shoup --csv tour.csv --table table.md >/dev/null
[ "$(grep -c ' M | ' table.md)" = 7 ] || fail "the tour has seven operations"
awk -F, '/^gcd,p4/ && $3 ~ /gfpoly/ { ours = $7 } /^peer,p4/ && $3 ~ /gfpoly/ { product = $7 }
    END { ratio = ours / product; printf "%.*f M\n", ratio < 9.95 ? 2 : ratio < 99.5 ? 1 : 0, ratio }' tour.csv >expected
grep '^| gcd' table.md | grep -qF " | $(cat expected) |" || fail "gcd: not $(cat expected)"
awk -F, '/^gcd,p4/ && $3 !~ /gfpoly/ { printf $12 < 9.95 ? "%.1f ×\n" : "%.0f ×\n", $12 }' tour.csv >expected
while read -r ratio; do
    grep '^| gcd' table.md | grep -qF ", $ratio |" || fail "gcd: no $ratio"
done <expected
[ -s expected ] || fail "no other gcd"
"$program" --seconds 0.001 --field 17 --field p4 --len 8,12 --operation inverse --table table.md >/dev/null
grep -qxF '| p4, 256 bits | n = 8 | n = 12 |' table.md || fail "no columns of lengths"
[ "$(grep -cE '^\| inverse modulo X\^n \|( [0-9.]+ ms, [0-9.]+ M, [0-9.]+ × [A-Z]+ \|){2}$' table.md)" = 2 ] ||
    fail "no rows of inverses"

# Whoever takes too long is skipped: tables and pictures have no figure for it.
"$program" --seconds 0.001 --field p4 --len 512 --operation inverse --budget 0.00000001 >log
[ "$(grep -c 'skipped: a run takes about' log)" -ge 2 ] || fail "$(cat log)"
"$program" --seconds 0.001 --field p4 --len 3,512 --budget 0.00000001 --table table.md --picture it.gp --csv times.csv >log
[ "$(grep -cE '^\|( p4, 256 bits)? \| [^|]* \| [0-9.]+( ×)? \| - \|$' table.md)" = "$(grep -c '^peer,p4,[^,]*,512,' times.csv)" ] ||
    fail "skipped, but not -"
grep -qE '^512( NaN)+$' it.gp || fail "$(cat it.gp)"
low=$(sed -n 's/^set yrange .\(.*\):.*/\1/p' it.gp)
[ "$low" != 0 ] || fail "the scale begins at 0"
for mistake in '--input nothing' '--budget x' '--operation gcd --picture x.gp'; do
    code=0
    # shellcheck disable=SC2086 # two words
    "$program" $mistake 2>log || code=$?
    [ $code = 2 ] || fail "$mistake: exit status $code"
done
