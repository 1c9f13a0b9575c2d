#!/bin/sh
# killed.sh MPIEXEC PROGRAM COMMAND: a program of ranks is killed by kill -9, one rank or all, once it has written to
# its checkpoint, and goes on from there, with another number of ranks, to the bytes that the command writes without
# ranks. Files that differ between ranks and a checkpoint of other operands end it with a message, without a result.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -eu
mpiexec=$1 program=$2 command=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "killed.sh: $*" >&2
    exit 1
}

# polynomial DEGREE SEED: a dense one, with coefficients of up to 60 bits, by a linear congruential generator.
polynomial() {
    awk -v d="$1" -v x="$2" 'BEGIN {
        for (j = 0; j <= d; j++) {
            printf "%d ", d - j + 1
            for (i = 0; i <= d - j; i++) {
                x = (x * 69069 + 12345) % 4294967296; y = (x * 69069 + 12345) % 4294967296
                printf " %s%.0f%09.0f", x % 2 == 0 ? "-" : "", 1 + x % 99999999, y % 1000000000
                x = y
            }
            print ""
        }
    }'
}
polynomial 100 1 >a
polynomial 100 2 >b
polynomial 12 3 >c
"$command" zbiresultant a b -o expected

# pids_of_ranks: the processes of this program that work in this folder.
pids_of_ranks() {
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/exe")" = "$program" ] && [ "$(readlink "$process/cwd")" = "$folder" ]; then
            echo "${process#/proc/}"
        fi
    done 2>/dev/null
}

# size: the bytes of the checkpoint.
size() {
    if [ -e kept ]; then
        wc -c <kept
    else
        echo 0
    fi
}

killed=0
for victims in 1 9 1; do
    rm -f new
    before=$(size)
    "$mpiexec" -n 3 "$program" a b new kept >output 2>&1 &
    job=$!
    while [ "$(size)" = "$before" ]; do
        sleep 0.02
    done
    pids=$(pids_of_ranks | tail -n "$victims")
    [ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
    if wait "$job" || [ -e new ]; then
        cmp new expected # was over before
    else
        killed=$((killed + 1))
        [ -s kept ] || fail "no checkpoint is left"
    fi
done
[ "$killed" -gt 0 ] || fail "all runs were over before they were killed"
rm -f new
[ -e kept ] && pieces="[1-9][0-9]*" || pieces=0
"$mpiexec" -n 2 "$program" a b new kept >output
cmp new expected
[ ! -e kept ] || fail "the checkpoint stays"
grep -q " $pieces pieces were there" output || fail "nothing was restored: $(cat output)"

# expect TEXT ARGUMENTS...: two ranks fail with this message on rank 0, and no result.
expect() {
    text=$1
    shift
    rm -f new
    if "$mpiexec" -n 2 "$@" >output 2>&1; then
        fail "no failure: $text"
    fi
    grep -q "$text" output || fail "$text is not in: $(cat output)"
    [ ! -e new ] || fail "a result after: $text"
}

# Each rank has a name of its own for a file.
cat >differ.sh <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
[ "$rank" = 0 ] && exec "$1" a b new
exec "$1" a c new
END
chmod +x differ.sh
expect "ranks have different operands" ./differ.sh "$program"
"$command" zbiresultant a b --timeout 0.1 --checkpoint kept -o new 2>/dev/null || true
[ -s kept ] || fail "no checkpoint of the command"
expect "belongs to other operands" "$program" a c new kept
expect "no checkpoint" "$program" a b new expected
expect "absent: cannot open" "$program" a absent new
expect "usage" "$program" a
"$mpiexec" -n 2 "$program" a b new kept >output # what the command left
cmp new expected
