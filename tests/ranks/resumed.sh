#!/bin/sh
# resumed.sh MPIEXEC COMMAND PROGRAM [PRELOAD]: products of files in steps. The command over ranks (PROGRAM, which it becomes), or
# in one process, is killed by kill -9, one rank or all, once it has written to its journal; the same command goes on
# with --resume and another number of ranks, or none, to the bytes that it writes in one process. A second run at the
# same time, an old part, bad input, a full disk and a rank without memory end it with a message of rank 0, without a
# result.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -eu
mpiexec=$1 command=$2 program=$3 preload=${4-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "resumed.sh: $*" >&2
    exit 1
}

"$command" random --field p8 --len 500000 --seed 1 --format binary -o a
"$command" random --field p8 --len 450000 --seed 2 --format binary -o b
"$command" random --field p4 --len 10 --seed 3 --format binary -o other
"$command" mul --binary a b -o expected
"$command" sqr --binary b -o square
echo "4  2 0 0 1" >p
echo "3  5 1 1" >q
cap=20M # cuts the factors in halves
multiply="mul --binary a b -o new --resume --memory $cap --verbose"

# size: the bytes of the journal.
size() {
    if [ -e new.part.journal ]; then
        wc -c <new.part.journal
    else
        echo 0
    fi
}

# kill_some N COMMAND...: starts it, and kills N of its processes once the journal grows.
killed=0
kill_some() {
    victims=$1
    shift
    rm -f new
    before=$(size)
    "$@" >output 2>&1 &
    job=$!
    while [ "$(size)" = "$before" ] && kill -0 $job 2>/dev/null; do
        sleep 0.02
    done
    sleep 0.1
    pids=
    for process in /proc/[0-9]*; do
        case $(readlink "$process/exe") in "$program" | "$command")
            [ "$(readlink "$process/cwd")" != "$folder" ] || pids="$pids ${process#/proc/}"
            ;;
        esac
    done 2>/dev/null
    # shellcheck disable=SC2086
    pids=$(printf '%s\n' $pids | tail -n "$victims")
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
    if wait "$job" || [ -e new ]; then
        cmp new expected # the product was over before
    else
        killed=$((killed + 1))
        [ -s new.part.journal ] || fail "no journal is left"
    fi
}
# shellcheck disable=SC2086
{
    kill_some 9 "$command" $multiply
    kill_some 1 "$mpiexec" -n 3 "$command" $multiply
    kill_some 9 "$mpiexec" -n 2 "$command" $multiply
    kill_some 9 "$command" $multiply
    [ "$killed" -gt 0 ] || fail "all runs were over before they were killed"
    rm -f new
    [ -e new.part ] && pieces="[1-9][0-9]*" || pieces=0
    "$mpiexec" -n 4 "$command" $multiply >output 2>&1 || fail "$(cat output)"
}
cmp new expected
grep -q "journal: $pieces pieces of the work existed already" output || fail "nothing was restored: $(cat output)"
[ ! -e new.part ] && [ ! -e new.part.journal ] || fail "files are left"

# Without --resume ranks go to the file where memory does not suffice, and leave nothing.
"$mpiexec" -n 2 "$command" mul --binary a b -o new --memory $cap --json >output 2>&1 || fail "$(cat output)"
cmp new expected
[ "$(grep -c '"verified": "point"' output)" = 1 ] || fail "JSON: $(cat output)"
"$mpiexec" -n 3 "$command" sqr --binary b -o new --memory $cap --explain >output 2>&1 || fail "$(cat output)"
cmp new square
grep -q "^cuts: *[1-9], in halves" output && grep -q "^file: *in steps, 1 of 1 threads" output || fail "no plan: $(cat output)"
[ ! -e new.part ] || fail "a part is left"

# expect TEXT COMMAND...: it fails with this message, once, and no result.
expect() {
    text=$1
    shift
    rm -f new
    if "$@" >output 2>&1; then
        fail "no failure: $text"
    fi
    [ "$(grep -c -- "$text" output)" = 1 ] || fail "$text is not in, or twice: $(cat output)"
    [ ! -e new ] || fail "a result after: $text"
}
head -c 90000 b >cut
cat >differ.sh <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
[ "$rank" = 0 ] && exec "$1" mul --binary a b -o new --resume
exec "$1" mul --binary a "$2" -o new --resume
END
chmod +x differ.sh
cp a same
expect "cut: byte 90000: the file is cut off here" "$mpiexec" -n 2 "$command" mul --binary a cut -o new --resume
expect "other: " "$mpiexec" -n 2 "$command" mul --binary a other -o new --resume
expect "rank 1 cannot read its operands" "$mpiexec" -n 2 ./differ.sh "$command" absent
expect "rank 1 cannot read its operands" "$mpiexec" -n 2 ./differ.sh "$command" same
rm -f new.part new.part.journal
"$command" random --field p8 --len 450000 --seed 3 --format binary -o same
expect "ranks have different operands" "$mpiexec" -n 2 ./differ.sh "$command" same
expect "belongs to other operands" "$command" mul --binary a same -o new --resume
rm -f new.part new.part.journal

# A run that is under way keeps a second one out, with --resume or without; what it leaves is for --resume alone.
"$mpiexec" -n 2 "$command" mul --binary a b -o new --resume --memory $cap >first 2>&1 &
job=$!
while [ ! -s new.part.journal ] && kill -0 $job 2>/dev/null; do
    sleep 0.02
done
pids=
for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/exe")" = "$program" ] && [ "$(readlink "$process/cwd")" = "$folder" ]; then
        pids="$pids ${process#/proc/}"
    fi
done 2>/dev/null
# shellcheck disable=SC2086
kill -STOP $pids
for options in --resume "--resume --memory $cap" "--memory $cap"; do
    # shellcheck disable=SC2086
    expect "new.part: another process uses it" "$mpiexec" -n 2 "$command" mul --binary a b -o new $options
done
expect "new.part: another process uses it" "$command" mul --binary a b -o new --resume
# shellcheck disable=SC2086
kill -KILL $pids
wait "$job" && fail "killed, it ends well"
cp new.part.journal journal
expect "new.part: an unfinished product is there" "$mpiexec" -n 2 "$command" mul --binary a b -o new --memory $cap
cmp new.part.journal journal
"$command" mul --binary a b -o new --resume --memory $cap --verbose >output 2>&1 || fail "$(cat output)"
cmp new expected
grep -q "journal: [1-9][0-9]* pieces of the work existed already" output || fail "nothing was restored: $(cat output)"

# Kept leaves or coefficients that change between two runs: the check finds the wrong product, which leaves nothing.
rm -f new
# shellcheck disable=SC2086
kill_some 9 "$command" $multiply
if [ ! -e new ]; then
    bytes=$(wc -c <new.part)
    dd if=/dev/zero of=new.part bs=4096 seek=1 count=$((bytes / 4096 - 1)) conv=notrunc 2>/dev/null
    # shellcheck disable=SC2086
    expect "differ at a random point" "$mpiexec" -n 2 "$command" $multiply
    [ ! -e new.part ] && [ ! -e new.part.journal ] || fail "a wrong part is left"
fi

# A commit that fails leaves the journal, and a part that is complete.
rm -f new
"$command" mul --binary a b -o new --resume --memory $cap >output 2>&1 &
job=$!
while [ ! -s new.part.journal ] && kill -0 $job 2>/dev/null; do
    sleep 0.02
done
mkdir new
wait "$job" && fail "it has replaced a folder"
grep -q "new: cannot put the file in place" output || fail "$(cat output)"
[ -s new.part.journal ] || fail "no journal is left"
rmdir new
expect "new.part lacks nothing but its name: rename it to" "$command" mul --binary a b -o new --resume
cmp new.part expected
rm new.part new.part.journal

# A field with too few points for the check.
"$command" random --field 16^4+1 --len 1000 --seed 4 --format binary -o small
expect "has too few" "$mpiexec" -n 2 "$command" sqr --binary small -o new --resume
[ ! -e new.part ] && [ ! -e new.part.journal ] || fail "a part is left of a small field"

# File systems without flock, and without any locks (PRELOAD is tests/lab/disk.c).
if [ -n "$preload" ]; then
    for locks in 0 37; do
        rm -f new
        LD_PRELOAD=$preload GFPOLY_TEST_FLOCK=95 GFPOLY_TEST_FCNTL_LOCK=$locks \
            "$mpiexec" -n 2 "$command" sqr --binary b -o new --resume >output 2>&1 || fail "$(cat output)"
        cmp new square
        [ "$(grep -c "new.part: the file system has no locks" output)" = $((locks / 37)) ] || fail "$(cat output)"
        LD_PRELOAD=$preload GFPOLY_TEST_FLOCK=95 GFPOLY_TEST_FCNTL_LOCK=$locks \
            "$command" zresultant p q --checkpoint images >output 2>&1 || fail "$(cat output)"
        [ "$(grep -c "images: the file system has no locks" output)" = $((locks / 37)) ] || fail "$(cat output)"
    done
fi

# A part that is a link, and one that a full disk ends at once.
cp a linked
ln -s linked new.part
expect "new.part is a symbolic link" "$command" mul --binary a b -o new --resume
cmp a linked
rm new.part
expect "no disk space for the file" sh -c "ulimit -f 1000; exec $command mul --binary a b -o new --resume"
[ ! -e new.part ] || fail "an empty part is left"

expect "cannot create a file" "$mpiexec" -n 2 "$command" mul --binary a b -o absent/new --resume
expect "the cap is 2048" "$mpiexec" -n 2 "$command" mul --binary a b -o new --memory 2K
expect "no disk space for the areas" "$mpiexec" -n 2 sh -c "ulimit -f 150000; exec $command mul --binary a b -o new --memory $cap"
[ ! -e new.part ] || fail "a part is left on a full disk"
expect "needs --binary" "$command" mul a b -o new --resume
echo "all right"
