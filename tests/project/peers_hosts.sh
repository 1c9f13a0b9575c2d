#!/bin/sh
# What gfpoly_peers --hosts says of a host that ends, that does not load the library, or whose results differ.
# Arguments: gfpoly_peers, the host's name, the host's program, the library for LD_PRELOAD.
set -eu
name=$2
host=$(readlink -f "$3")
library=$(readlink -f "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The program looks for both in its own build: here is another one.
mkdir -p "$work/bench" "$work/bindings/preload/$name"
cp "$1" "$work/bench/gfpoly_peers"
operation=mul
preload=$work/bindings/preload/$name/libgfpoly_$name.so
fail() {
    echo "$*" >&2
    cat "$work/log" >&2
    exit 1
}
# run CODE WORDS: gfpoly_peers with the host of standard input, a script.
run() {
    code=0
    { echo "#!/bin/sh" && cat; } >"$work/gfpoly_peer_$name"
    chmod +x "$work/gfpoly_peer_$name"
    "$work/bench/gfpoly_peers" --hosts --host "$name" --field p4 --pairs 4x4,16x16 --rounds 1 --seconds 0.001 \
        --operation "$operation" >"$work/log" 2>&1 || code=$?
    [ $code = "$1" ] || fail "exit status $code, not $1: $2"
    grep -q "$2" "$work/log" || fail "no line '$2'"
}

cp "$library" "$preload"
# A caller's LD_PRELOAD is not the host's.
LD_PRELOAD=$preload
export LD_PRELOAD
run 0 "^| mul | p4 | 18 | " <<EOF
exec "$host"
EOF
# In one process FLINT's and NTL's figures would be gfpoly's.
code=0
"$work/bench/gfpoly_peers" --field p4 --len 4 --seconds 0.001 >"$work/log" 2>&1 || code=$?
[ $code = 1 ] && grep -q 'gfpoly_peers: by LD_PRELOAD gfpoly computes for' "$work/log" || fail "LD_PRELOAD is accepted"
unset LD_PRELOAD
run 1 'gfpoly_peers: the host with the library ended without an answer' <<EOF
exit 0
EOF
# The host answers the first request, 9 words, alone.
run 1 'gfpoly_peers: mul over [Zp4]*, [0-9]* x [0-9]* terms of [0-9]* and [0-9]* bits: the host ended without an answer' <<EOF
head -c 72 | "$host"
EOF
run 1 'gfpoly_peers: mul over [Zp4]*, [0-9]* x [0-9]* terms of [0-9]* and [0-9]* bits: the results differ' <<EOF
[ -n "\${LD_PRELOAD-}" ] || exec "$host"
"$host" | env -u LD_PRELOAD stdbuf -o0 tr '\\001' '\\002'
EOF
[ "$name" != flint ] || grep -q 'mul over Z, .*: the results differ' "$work/log" || fail "results over Z are not compared"

# NTL's gcds have X^k + 1 as their divisor, not 1: two words 1 in the result of each of the 12 cells.
if [ "$name" = ntl ]; then
    operation=gcd
    run 0 '^| GCD | p4 | 12 | ' <<EOF
[ -n "\${LD_PRELOAD-}" ] || exec "$host"
"$host" | env -u LD_PRELOAD tee "$work/answers"
EOF
    [ "$(od -An -v -tx8 -w8 "$work/answers" | grep -c '^ 0*1$')" -ge 24 ] || fail "the gcds are 1"
fi

# The dynamic linker goes on without a library that it cannot load.
echo nothing >"$preload"
run 1 "gfpoly_peers: the host with the library did not load libgfpoly_$name.so" <<EOF
exec "$host"
EOF
