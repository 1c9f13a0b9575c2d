#!/bin/sh
# Runs a test at a kernel level below the best one. Arguments: level, gfpoly, test. Exit status 77: skipped,
# where the CPU lacks the level, or has no better one, at which the same test runs anyway.
set -eu
level_of() {
    "$1" info --json | sed -n 's/.*"cpu_level": "\([a-z0-9]*\)".*/\1/p'
}
best=$(unset GFPOLY_CPU && level_of "$2")
export GFPOLY_CPU="$1"
if [ "$(level_of "$2")" != "$1" ]; then
    echo "skipped: this CPU has no $1"
    exit 77
fi
if [ "$best" = "$1" ]; then
    echo "skipped: $1 is the best level of this CPU"
    exit 77
fi
exec "$3"
