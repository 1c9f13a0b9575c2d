#!/bin/sh
# Usage: disassembly.sh <static library>... Objects compiled for a kernel level (their names end in
# _avx2.c.o and _avx512.c.o) are the only ones that may hold instructions above the baseline of
# x86-64: ymm, zmm and mask registers, VEX and EVEX encodings. The levels' objects must hold such
# instructions, or this test could not fail.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for library in "$@"; do
    ar x "$library"
done
uses_vectors() { # object: instructions with a v prefix, or the wide registers
    objdump -d --no-show-raw-insn "$1" |
        grep -cE '^ *[0-9a-f]+:[[:space:]]+(v[a-z]|k(mov|and|or|xor|shift|test|not)|[a-z]+x )|%[yz]mm' || true
}
bad=0
portable=0
for object in *.o; do
    count=$(uses_vectors "$object")
    case $object in
    *_avx2.c.o | *_avx512.c.o)
        if [ "$count" -eq 0 ]; then
            echo "$object is compiled for a kernel level and holds no vector instruction"
            bad=1
        fi
        case $object in
        *_avx2.c.o)
            if objdump -d --no-show-raw-insn "$object" | grep -qE '%zmm|%k[1-7]'; then
                echo "$object holds AVX-512"
                bad=1
            fi
            ;;
        esac
        ;;
    *)
        portable=$((portable + 1))
        if [ "$count" -ne 0 ]; then
            echo "$object holds $count instructions above the baseline"
            bad=1
        fi
        ;;
    esac
done
echo "$portable objects at the baseline"
[ "$portable" -gt 20 ] || bad=1
exit $bad
