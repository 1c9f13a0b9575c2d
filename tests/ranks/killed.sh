#!/bin/sh
# killed.sh MPIEXEC COMMAND PROGRAM EXAMPLE: the command over ranks (PROGRAM, which it becomes) is killed by kill -9, one
# rank or all, once it has written to its checkpoint, and goes on from there, with another number of ranks, to the bytes
# that it writes in one process; so does the example. Other subcommands whose images are dealt write what they write in
# one process. A rank that is stopped, files that differ between ranks, files that are not there and a checkpoint of other
# operands end them with a message, without a result.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -eu
mpiexec=$1 command=$2 program=$3 example=$4
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

# over RANKS ARGUMENT...: the command over ranks.
over() {
    ranks=$1
    shift
    "$mpiexec" -n "$ranks" "$command" "$@" >output 2>&1
}

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

# A rank is stopped, and the launcher does not notice: rank 0 or another one ends the command, with a message. Before
# that, ranks compute for longer than they may be silent.
polynomial 160 4 >d
polynomial 160 5 >e
for victim in 0 1; do
    rm -f kept
    GFPOLY_WATCHDOG=4 "$mpiexec" -n 2 "$command" zbiresultant d e -o new --checkpoint kept >output 2>&1 &
    job=$!
    while [ "$(size)" = 0 ] && kill -0 "$job" 2>/dev/null; do
        sleep 0.02
    done
    sleep 5
    start=$(date +%s)
    for pid in $(pids_of_ranks); do
        if tr '\0' '\n' <"/proc/$pid/environ" | grep -qxE "(OMPI_COMM_WORLD|PMI)_RANK=$victim"; then
            kill -STOP "$pid"
        fi
    done
    if wait "$job"; then
        fail "a stopped rank $victim does not end the command"
    fi
    [ $(($(date +%s) - start)) -lt 40 ] || fail "a stopped rank $victim ends the command too late"
    [ "$(grep -c "^gfpoly: rank $victim has not answered for 4 seconds" output)" = 1 ] || fail "stopped: $(cat output)"
    [ ! -e new ] || fail "a result in spite of a stopped rank"
done
rm kept
for value in 0 -1 3 some 5x; do
    if GFPOLY_WATCHDOG=$value over 2 zbiresultant c c -o new; then
        fail "GFPOLY_WATCHDOG=$value"
    fi
    grep -q "^gfpoly: GFPOLY_WATCHDOG: unknown value '$value'" output || fail "GFPOLY_WATCHDOG: $(cat output)"
done
polynomial 5 6 >f
polynomial 5 7 >g
"$command" zbiresultant f g -o small
GFPOLY_WATCHDOG=off over 2 zbiresultant f g -o new || fail "GFPOLY_WATCHDOG=off"
cmp new small
rm new
# The values of the ranks differ: that of rank 0 counts.
cat >apart.sh <<'END'
#!/bin/sh
victim=$1 value=$2
shift 2
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" != "$victim" ] || export GFPOLY_WATCHDOG="$value"
exec "$@"
END
chmod +x apart.sh
for victim in 0 1 2; do
    for value in off 4 some; do
        if timeout 60 "$mpiexec" -n 3 ./apart.sh $victim $value "$command" zbiresultant f g -o new >output 2>&1; then
            cmp new small
            rm new
        else
            [ "$victim $value" = "0 some" ] || fail "GFPOLY_WATCHDOG=$value on rank $victim: $(cat output)"
            [ "$(grep -c "^gfpoly: GFPOLY_WATCHDOG: unknown value 'some'" output)" = 1 ] || fail "$(cat output)"
        fi
    done
done
if over 2 zbiresultant f g --method words_gpu -o new || [ -e new ]; then
    fail "a method on a GPU without a GPU"
fi
[ "$(grep -c '^gfpoly: .*words_gpu' output)" = 1 ] || fail "no GPU: $(cat output)"

killed=0
for victims in 1 9 1; do
    rm -f new
    before=$(size)
    "$mpiexec" -n 3 "$command" zbiresultant a b -o new --checkpoint kept >output 2>&1 &
    job=$!
    while [ "$(size)" = "$before" ] && kill -0 "$job" 2>/dev/null; do
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
over 2 zbiresultant a b -o new --checkpoint kept --verbose || fail "$(cat output)"
cmp new expected
[ ! -e kept ] || fail "the checkpoint stays"
grep -q "kept: $pieces pieces of the work existed already" output || fail "nothing was restored: $(cat output)"

# A checkpoint of the command, and the example.
"$command" zbiresultant a b --timeout 0.2 --checkpoint kept -o new 2>/dev/null || true
[ -s kept ] || fail "no checkpoint of one process"

# expect TEXT ARGUMENT...: two ranks fail with this message of rank 0, and no result.
expect() {
    text=$1
    shift
    rm -f new
    if "$mpiexec" -n 2 "$@" >output 2>&1; then
        fail "no failure: $text"
    fi
    [ "$(grep -c "$text" output)" = 1 ] || fail "$text is not in, or twice: $(cat output)"
    [ ! -e new ] || fail "a result after: $text"
}

# Ranks have names of their own for a file.
cat >differ.sh <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
[ "$rank" = 0 ] && exec "$1" zbiresultant a b -o new
exec "$1" zbiresultant a "$2" -o new
END
chmod +x differ.sh
expect "ranks have different operands" ./differ.sh "$command" c
expect "rank 1 cannot read its operands" ./differ.sh "$command" absent
expect "the 0.1 seconds of --timeout are over" "$command" zbiresultant a b -o new --timeout 0.1 --checkpoint late
rm -f late
expect "more than the cap of 1024 bytes" "$command" zbiresultant a b -o new --memory 1K --checkpoint early
[ ! -e early ] || fail "an empty checkpoint stays"
expect "belongs to other operands" "$command" zbiresultant a c -o new --checkpoint kept
expect "no checkpoint" "$command" zbiresultant a b -o new --checkpoint expected
expect "absent: cannot open" "$command" zbiresultant a absent -o new
expect "cannot write" "$command" zbiresultant a b -o absent/new
expect "more than the cap of 1024 bytes" "$command" zbiresultant a b -o new --memory 1K
expect "runs in one process" "$command" zcomposedsum a b -o new
expect "usage" "$example" a
"$mpiexec" -n 2 "$example" a b new kept >output
cmp new expected

# Other subcommands.
head -n 1 a >f
head -n 1 b >g
printf '2 2\n' >m
head -n 4 c >>m
"$command" zgcd f g -o gcd -u u -v v
over 3 zgcd f g -o gcd2 -u u2 -v v2 || fail "$(cat output)"
cmp gcd gcd2 && cmp u u2 && cmp v v2
for arguments in "zresultant f g" "zdiscriminant f" "zdeterminant m" "zcharpoly m" "zsystem c c3 --boxes" \
    "zbiresultant c c3 --verify full -j 2"; do
    [ -e c3 ] || polynomial 10 4 >c3
    "$command" $arguments -o one
    over 3 $arguments -o three || fail "$arguments: $(cat output)"
    cmp one three
done
over 2 zresultant f g --json -o three || fail "$(cat output)"
[ "$(grep -c '"operation": "zresultant"' output)" = 1 ] || fail "JSON: $(cat output)"
