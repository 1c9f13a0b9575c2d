#!/bin/sh
# docs/porting.md: runs the lines of one section as one program. Code blocks are copied as they stand; a row of a table
# becomes both its sides between BEGIN_ROW and END_ROW(name) of tests/porting/, which give both sides the same
# operands and compare all results; lines "<!-- run: ... -->" set up what the page leaves out.
# Usage: porting.sh SOURCE SECTION COMPILER [ARGUMENT ...], where SECTION is flint, ntl or python; the arguments
# are those of the compiler. python: COMPILER is the interpreter; skipped (exit status 77) without the
# modules flint and gfpoly.
set -eu
source=$1
section=$2
compiler=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$section" = python ]; then
    "$compiler" -c 'import flint, gfpoly' 2>"$work/reason" || {
        echo "skipped: $(tail -n 1 "$work/reason")"
        exit 77
    }
fi
case $section in
flint) heading='From FLINT' language=c ;;
ntl) heading='From NTL' language=c++ ;;
python) heading='From python-flint' language=python ;;
esac
awk -v heading="## $heading" -v open='```'"$language" -v python="$([ $section != python ] || echo 1)" '
    /^## / { on = $0 == heading }
    !on { next }
    $0 == "```" { code = 0 }
    code { print; next }
    $0 == open { code = 1; blocks++; next }
    # Integers have results of their own.
    /^### / { z = "Z" }
    /^<!-- run: .* -->$/ { sub(/^<!-- run: /, ""); sub(/ -->$/, ""); print }
    /^\|.*`.*\|$/ {
        count = split($0, cell, / \| |^\| | \|$/)
        if (count != 5) { print "a row of " count - 2 " columns: " $0 >"/dev/stderr"; exit 1 }
        for (i = 3; i <= 4; i++)
            if (cell[i] !~ /^`[^`]*`$/) { print "a cell that is no code: " cell[i] >"/dev/stderr"; exit 1 }
        left = substr(cell[3], 2, length(cell[3]) - 2)
        right = substr(cell[4], 2, length(cell[4]) - 2)
        rows++
        if (python) printf "begin_row()\n%s\n%s\nend_row(\"%s\")\n", left, right, left
        else printf "BEGIN_%sROW\n{ %s; }\n{ %s; }\nEND_%sROW(\"%s\")\n", z, left, right, z, left
    }
    END { if (rows < 20 || !blocks) { print "only " rows + 0 " rows" >"/dev/stderr"; exit 1 } }
' "$source/docs/porting.md" >"$work/guide.inc"
case $section in
flint) "$compiler" -std=c11 -Wall -Wextra -Werror -Wno-unused-result -I"$work" "$source/tests/project/porting/flint.c" "$@" -o "$work/guide" ;;
ntl) "$compiler" -std=c++11 -Wall -Wextra -Werror -Wno-unused-result -I"$work" "$source/tests/project/porting/ntl.cpp" "$@" -o "$work/guide" ;;
python) cp "$source/tests/project/porting/guide.py" "$work/guide" && set -- "$work/guide.inc" ;;
esac
case $section in
python) "$compiler" "$work/guide" "$@" ;;
*) "$work/guide" ;;
esac
