#!/bin/sh
# Tests the command under mpirun: products of files are those of one process, subcommands that do not run over ranks say
# so, bad input and a rank that is killed leave no result. Arguments: mpirun, gfpoly.
set -u
mpirun=$1
gfpoly=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "$*; the output:" >&2
    cat "$work/out" >&2
    exit 1
}
# over RANKS STATUS ARGUMENT...: gfpoly over ranks, with this exit status; what it prints goes to out.
over() {
    ranks=$1
    expected=$2
    shift 2
    "$mpirun" -n "$ranks" "$gfpoly" "$@" >out 2>&1
    status=$?
    [ $status = "$expected" ] || fail "gfpoly $* on $ranks ranks: exit status $status instead of $expected"
}
# says TEXT: once, by rank 0 alone.
says() {
    [ "$(grep -c -- "$1" out)" = 1 ] || fail "not once: $1"
}

"$gfpoly" random --field p8 --len 3000 --seed 1 --format binary -o a.gfp
"$gfpoly" random --field p8 --len 2500 --seed 2 --format binary -o b.gfp
"$gfpoly" random --field m4 --len 25 --seed 2 --format binary -o other.gfp
"$gfpoly" mul --binary a.gfp b.gfp -o c.gfp
"$gfpoly" sqr --binary a.gfp -o s.gfp
over 3 0 mul --binary a.gfp b.gfp -o c3.gfp --json
says '"ranks": 3,'
says '"verified": "point"'
cmp c.gfp c3.gfp || exit 1
over 2 0 sqr --binary a.gfp -o s2.gfp
[ ! -s out ] || fail "sqr prints"
cmp s.gfp s2.gfp || exit 1
over 2 2 add a.gfp b.gfp
says 'add: runs in one process, not over ranks'
over 2 2 mul a.gfp b.gfp -o x.gfp
says 'mul: over ranks only --binary'
over 2 2 mul --binary a.gfp other.gfp -o x.gfp
says 'other.gfp: '
head -c 9000 a.gfp >cut.gfp
over 2 2 mul --binary a.gfp cut.gfp -o x.gfp
says 'cut.gfp: byte 9000: the file is cut off here'
# The same messages as those of one process, also about blocks that rank 0 does not read.
cp a.gfp damaged.gfp
printf 'x' | dd of=damaged.gfp bs=1 seek=190000 conv=notrunc 2>/dev/null
printf 'text' >text.gfp
for bad in damaged.gfp text.gfp none.gfp .; do
    "$gfpoly" mul --binary a.gfp $bad -o x.gfp 2>alone.txt
    over 3 $? mul --binary a.gfp $bad -o x.gfp
    while read -r line; do
        says "$line"
    done <alone.txt
done
over 2 1 mul --binary a.gfp b.gfp -o none/x.gfp
says 'none/x.gfp: cannot create a file'
[ ! -e x.gfp ] || fail "a result in spite of an error"
[ -z "$(find . -name '.gfpoly*')" ] || fail "a temporary file is left"
# One rank is a process like any other, also where the launcher does not tell the number of ranks.
for subcommand in "add a.gfp b.gfp" "mul a.gfp b.gfp" "mul --binary a.gfp b.gfp"; do
    "$gfpoly" $subcommand -o one.gfp
    "$mpirun" -n 1 env -u OMPI_COMM_WORLD_SIZE PMIX_RANK=0 "$gfpoly" $subcommand -o x.gfp >out 2>&1 ||
        fail "$subcommand on one rank"
    cmp one.gfp x.gfp || exit 1
    rm x.gfp
done
GFPOLY_RANKS=off "$mpirun" -n 2 "$gfpoly" --version >out
[ "$(grep -c '^gfpoly [0-9]' out)" = 2 ] || fail "GFPOLY_RANKS=off"

# Without the program for ranks.
mkdir alone
cp "$gfpoly" alone/gfpoly
"$mpirun" -n 2 "$work/alone/gfpoly" mul --binary a.gfp b.gfp -o x.gfp >out 2>&1 && fail "no program for ranks"
says 'gfpoly_ranks, is not installed'

# One rank is killed at some time: the command ends soon, with a message, and the result is complete or absent.
"$gfpoly" random --field p8 --len 200000 --seed 1 --format binary -o long.gfp
"$gfpoly" sqr --binary long.gfp -o full.gfp
for delay in 0.1 0.4; do
    "$mpirun" -n 2 "$gfpoly" sqr --binary long.gfp -o x.gfp >out 2>&1 &
    launcher=$!
    ranks=
    tries=0
    while [ "$(echo "$ranks" | wc -w)" -lt 2 ] && [ $tries -lt 40 ]; do
        ranks=$(cat /proc/$launcher/task/*/children 2>/dev/null)
        tries=$((tries + 1))
        sleep 0.05
    done
    sleep $delay
    # shellcheck disable=SC2086
    set -- $ranks
    start=$(date +%s)
    killed=no
    ! { kill -STOP "$2" && sleep 0.3 && kill -9 "$2"; } 2>/dev/null || killed=yes
    if wait $launcher; then
        [ -e x.gfp ] || fail "success without a result"
    else
        [ $killed = yes ] || fail "failure, although no rank was killed"
        [ -s out ] || fail "no message"
    fi
    [ $(($(date +%s) - start)) -lt 60 ] || fail "the command ended too late"
    [ ! -e x.gfp ] || cmp full.gfp x.gfp || fail "a part of a result"
    [ -z "$(find . -name '.gfpoly*')" ] || fail "a temporary file is left"
    rm -f x.gfp
done
echo "all right"
