#!/bin/sh
# Usage: disassembly.sh <static library>... Objects compiled for a kernel level (their names end in
# avx2.c.o and avx512.c.o) are the only ones that may hold instructions above the baseline of
# x86-64: ymm, zmm and mask registers, VEX and EVEX encodings. The levels' objects must hold such
# instructions, or this test could not fail.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A line for each object: its name, instructions with a v prefix or the wide registers, those of AVX-512.
for library in "$@"; do
    objdump -d --no-show-raw-insn "$library"
done | awk '
    / file format / {
        if (object != "") print object, wide, wider
        object = $1
        sub(/:$/, "", object)
        wide = wider = 0
    }
    /^ *[0-9a-f]+:[[:space:]]+(v[a-z]|k(mov|and|or|xor|shift|test|not)|[a-z]+x )/ || /%[yz]mm/ { wide++ }
    /%zmm|%k[1-7]/ { wider++ }
    END { print object, wide, wider }' >"$work/objects"
bad=0
portable=0
while read -r object wide wider; do
    case $object in
    *avx2.c.o | *avx512.c.o)
        if [ "$wide" -eq 0 ]; then
            echo "$object is compiled for a kernel level and holds no vector instruction"
            bad=1
        fi
        case $object in
        *avx2.c.o)
            if [ "$wider" -ne 0 ]; then
                echo "$object holds AVX-512"
                bad=1
            fi
            ;;
        esac
        ;;
    *)
        portable=$((portable + 1))
        if [ "$wide" -ne 0 ]; then
            echo "$object holds $wide instructions above the baseline"
            bad=1
        fi
        ;;
    esac
done <"$work/objects"
echo "$portable objects at the baseline"
[ "$portable" -gt 20 ] || bad=1
exit $bad
