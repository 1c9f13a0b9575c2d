#!/bin/sh
# Runs a test at a kernel level below the best one. Arguments: level, gfpoly, test and its arguments. Exit status 77
# (skipped) if the CPU lacks the level, or if the level is the CPU's best one, at which the test runs anyway.
set -eu
best=$(unset GFPOLY_CPU && "$2" info --json | sed -n 's/.*"cpu_level": "\([a-z0-9]*\)".*/\1/p')
export GFPOLY_CPU="$1"
code=0
"$2" info >/dev/null 2>&1 || code=$?
if [ $code = 2 ]; then
    echo "skipped: this CPU has no $1"
    exit 77
fi
[ $code = 0 ] || exit $code
if [ "$best" = "$1" ]; then
    echo "skipped: $1 is the best level of this CPU"
    exit 77
fi
shift 2
exec "$@"
