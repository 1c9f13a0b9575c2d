#!/bin/sh
# README.md and the pages in docs/: runs README's C program and the shell transcripts as they stand there,
# follows links between files, and compares README's tables of speed with the files that gfpoly_peers and gfpoly compare wrote.
# Arguments: source folder, build folder, compiler, sanitizers (or ""), libraries that gfpoly needs.
set -eu
source=$1
build=$2
compiler=$3
sanitize=$4
shift 4
cudart=
for library in "$@"; do
    case "$library" in
    *cudart*) cudart="$library -ldl -lrt -lpthread" ;;
    esac
done
work=$(mktemp -d)
# The transcript's tuning file is the only one.
export XDG_CONFIG_HOME="$work/config"
# Slow builds may measure, too.
export GFPOLY_ALLOW_DEBUG=1
trap 'rm -rf "$work"' EXIT

fence='```'
awk -v open="${fence}c" -v close_="$fence" '$0 == close_ {on = 0} on {print} $0 == open {on = 1}' \
    "$source/README.md" >"$work/program.c"
[ -s "$work/program.c" ]
"$compiler" -std=c11 -Wall -Wextra -Werror ${sanitize:+-fsanitize=$sanitize} \
    -I"$source/include" \
    "$work/program.c" "$build/libgfpoly.a" "$@" -lgmp -lm ${cudart:+-ldl -lrt -lpthread} -o "$work/program"
"$work/program" >"$work/program.out"
cat "$work/program.out"
grep -qE '^1999 terms by [a-z]+, verified$' "$work/program.out"

# The line that compiles against the build folder.
line=$(grep -m 1 '^cc -Iinclude ' "$source/docs/c.md")
case "$*" in
*flint*)
    if [ -z "$sanitize" ]; then
        line=$(printf '%s' "$line" | sed "s#^cc #$compiler -o $work/linked #; s#program.c#$work/program.c#;
            s#build/release#$build#")
        # A build without OpenMP needs no library of it, and the compiler may have none.
        case "$*" in
        *omp*) ;;
        *) line=$(printf '%s' "$line" | sed 's# -fopenmp##') ;;
        esac
        # A build with CUDA also needs CUDA's static runtime.
        case "$*" in
        *cudart*) line="$line $cudart" ;;
        esac
        (cd "$source" && eval "$line")
        "$work/linked" >/dev/null
    fi
    ;;
esac

# Lines after "$ " are commands; the lines between two commands are what the first prints. A command
# shown without output may print anything.
PATH=$build:$PATH
check() {
    [ -n "$command" ] || return 0
    echo "\$ $command"
    sh -c "$command" >out
    [ -z "$expected" ] || [ "$expected" = "$(cat out)" ] || {
        echo "$page promises: $expected" >&2
        echo "it prints: $(cat out)" >&2
        exit 1
    }
}
newline='
'
for page in README.md docs/shell.md docs/fields.md; do
    echo "== $page"
    mkdir -p "$work/$page.d"
    cd "$work/$page.d"
    awk -v open="${fence}console" -v close_="$fence" '$0 == close_ {on = 0} on {print} $0 == open {on = 1}' \
        "$source/$page" >transcript
    [ -s transcript ]
    command=
    expected=
    while IFS= read -r line; do
        case "$line" in
        '$ '*)
            check
            command=${line#'$ '}
            expected=
            ;;
        *) expected=${expected:+$expected$newline}$line ;;
        esac
    done <transcript
    check
done

# The keys of JSON are a contract: docs/shell.md and the command's help name every key that is printed.
cd "$work/docs/shell.md.d"
keys() { # row of the page's table, subcommand, argument...
    row=$(grep -F "| \`$1" "$source/docs/shell.md")
    shift
    help=$(ARGP_HELP_FMT='' gfpoly "$1" --help)
    [ "$1" = compare ] || set -- "$@" --json
    gfpoly "$@" >json
    [ "$1" != compare ] || cp d/compare.json json
    names=$(sed -nE 's/^ *"([a-z0-9_]+)":.*/\1/p' json | sort -u)
    [ -n "$names" ]
    for name in $names; do
        for text in "$row" "$help"; do
            printf '%s' "$text" | grep -qE "(^|[^a-z0-9_])$name([^a-z0-9_]|\$)" || {
                echo "gfpoly $*: the key $name is missing in: $text" >&2
                exit 1
            }
        done
    done
}
keys 'methods --json' methods --field p2 --len 1
keys 'mul --json`' mul a.txt b.txt
keys 'mul --json`, `sqr' sqr a.txt
keys 'mul --json` of several' mul a.txt b.txt a.txt
keys 'divrem --json`' divrem a.txt b.txt -q q.txt
keys 'divrem --json`, `powmod' powmod --base x --exponent 5 --modulus a.txt
keys 'divrem --json`, `powmod --json`, `series' series inverse a.txt --terms 5
keys 'multieval --json`' multieval a.txt b.txt
keys 'multieval --json`, `interp' interp b.txt a.txt
keys 'crt --json`' crt a.txt b.txt
keys 'gcd --json`' gcd a.txt b.txt
keys 'gcd --json`, `xgcd' xgcd a.txt b.txt -u u.txt
keys 'gcd --json`, `xgcd --json`, `resultant' resultant a.txt b.txt
keys 'gcd --json`, `xgcd --json`, `resultant --json`, `discriminant' discriminant a.txt
keys 'zmul --json`' zmul za.txt zb.txt
keys 'zmul --json`, `zcomposedsum' zcomposedsum za.txt zb.txt
keys 'zmul --json`, `zcomposedsum --json`, `zcomposeddifference' zcomposeddifference za.txt zb.txt
keys 'zmul --json`, `zcomposedsum --json`, `zcomposeddifference --json`, `zcomposedproduct' zcomposedproduct za.txt zb.txt
keys 'zmul --json`, `zcomposedsum --json`, `zcomposeddifference --json`, `zcomposedproduct --json`, `zcomposedquotient' zcomposedquotient za.txt zb.txt
keys 'zgcd --json`' zgcd za.txt zb.txt
keys 'zgcd --json`, `zresultant' zresultant za.txt zb.txt
keys 'zgcd --json`, `zresultant --json`, `zdiscriminant' zdiscriminant za.txt
keys 'zreconstruct --json`' zreconstruct residues.txt modulus.txt
keys 'zdeterminant --json`' zdeterminant matrix.txt
keys 'zdeterminant --json`, `zcharpoly' zcharpoly matrix.txt
keys 'zbiresultant --json`' zbiresultant za.txt zb.txt
keys 'zsystem --json`' zsystem circle.txt line.txt
keys 'roots --json`' roots f.txt
keys 'roots --json`, `factor' factor f.txt
keys 'compose --json`' compose a.txt b.txt
keys 'verify --json' verify a.txt b.txt c.txt
keys 'primes --json' primes
keys 'primes --search --json' primes --search --k 2 --min-bits 20 --max-bits 24
keys 'primes --search --json`, `primes --stock --json' primes --stock --k 128 --count 1
keys 'info --json' info
keys 'compare -o DIR' compare --field p2 --max-len 2 --max-seconds 0.05 -o d

# Links: files that exist and, behind "#", headings. And every page is reached from README, those of docs/design from
# docs/ARCHITECTURE.md.
cd "$source"
anchors() {
    grep -E '^#+ ' "$1" | sed -E 's/^#+ //; s/[^A-Za-z0-9 _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]'
}
for page in README.md docs/*.md docs/design/*.md; do
    grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https*:' >"$work/links" || continue
    while IFS= read -r link; do
        file=${link%%#*}
        file=$(dirname "$page")/$file
        [ -n "${link%%#*}" ] || file=$page
        [ -e "$file" ] || { echo "$page: no file $link" >&2 && exit 1; }
        case "$link" in
        *'#'*) anchors "$file" | grep -qxF "${link#*#}" || { echo "$page: no heading $link" >&2 && exit 1; } ;;
        esac
    done <"$work/links"
    case "$page" in
    README.md | docs/STYLE.md) ;;
    docs/design/*)
        grep -qF "](${page#docs/})" docs/ARCHITECTURE.md || { echo "docs/ARCHITECTURE.md does not name $page" >&2 && exit 1; }
        ;;
    *) grep -qF "]($page)" README.md || { echo "README.md does not name $page" >&2 && exit 1; } ;;
    esac
done

[ "$(wc -l <README.md)" -le 230 ] || { echo "README.md has more than 230 lines" >&2 && exit 1; }
# The table of speed, and the means of the one over Z, equal the measured ones to the last digit.
measured() {
    sed -n "/^<!-- $1:/,/^<!-- \\/$1/p" README.md | sed '1d;$d' >"$work/table"
    cmp "$work/table" "$2" || {
        echo "README.md's $1 is not that of bench/results/$1.md" >&2
        exit 1
    }
}
measured speed bench/results/speed.md
grep '^- ' bench/results/zspeed.md >"$work/means"
measured zspeed "$work/means"
measured map bench/results/map.md
