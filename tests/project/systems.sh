#!/bin/sh
# cmake/host.cmake takes the systems that docs/SCOPE.md lists as "in", and refuses each of the others with one line
# that names the page.
# Arguments: cmake, cmake/host.cmake.
set -eu
cmake=$1
script=$2
status=0

# check EXPECTED SYSTEM POINTER BYTE_ORDER: EXPECTED is the message, or empty for a system that is taken.
check() {
    code=0
    message=$("$cmake" "-DCMAKE_SYSTEM_NAME=$2" "-DCMAKE_SIZEOF_VOID_P=$3" "-DCMAKE_C_BYTE_ORDER=$4" -P "$script" 2>&1) || code=$?
    lines=$(printf '%s\n' "$message" | grep -c '^  ' || true)
    if [ -z "$1" ] && [ $code -eq 0 ] && [ -z "$message" ]; then
        return
    fi
    if [ -n "$1" ] && [ $code -ne 0 ] && [ "$lines" -eq 1 ] && printf '%s\n' "$message" | grep -qxF "  $1"; then
        return
    fi
    echo "$2, $3 bytes, $4: exit status $code, expected \"$1\": $message" >&2
    status=1
}

check '' Linux 8 LITTLE_ENDIAN
check 'gfpoly is for Linux, not for Darwin: see docs/SCOPE.md.' Darwin 8 LITTLE_ENDIAN
check 'gfpoly is for Linux, not for Windows: see docs/SCOPE.md.' Windows 8 LITTLE_ENDIAN
check 'gfpoly needs pointers of 8 bytes, not 4: see docs/SCOPE.md.' Linux 4 LITTLE_ENDIAN
check 'gfpoly needs a little-endian host: see docs/SCOPE.md.' Linux 8 BIG_ENDIAN
exit $status
