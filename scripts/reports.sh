#!/bin/sh
# Builds gfpoly and makes the reports of measurements on this machine's processors again, one after another, so
# that nothing is measured at the same time as another one: the papers' tables (papers-NAME.md), the cost of the
# chooser's picks over Z/pZ (regret-NAME.md). Each report names commit, command, machine and date. scripts/gpu.sh makes
# those of a device.
#   scripts/reports.sh [--seconds S] [--only papers|regret] [--output DIR] NAME
# NAME tells the machine, such as epyc-avx512ifma. S: time for each figure (default 0.3). DIR: default
# bench/results. GFP_COMMIT names the commit where the sources are outside a repository.
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
seconds=0.3
only=
output=bench/results
name=
while [ $# -gt 0 ]; do
    case "$1" in
    --seconds | --only | --output)
        if [ $# -lt 2 ]; then
            echo "$1 needs a value" >&2
            exit 2
        fi
        case "$1" in
        --seconds) seconds=$2 ;;
        --only) only=$2 ;;
        --output) output=$2 ;;
        esac
        shift
        ;;
    -* | */*)
        sed -n '/^# *scripts/p' "$0" | sed 's/^# *//' >&2
        exit 2
        ;;
    *) name=$1 ;;
    esac
    shift
done
case "$only" in
"" | papers | regret) ;;
*)
    echo "no report '$only'" >&2
    exit 2
    ;;
esac
if [ -z "$name" ]; then
    echo "usage: scripts/reports.sh [--seconds S] [--only REPORT] [--output DIR] NAME" >&2
    exit 2
fi

gfp_setup libntl-dev
gfp_build release all -DGFP_CUDA=OFF -DGFP_COMMIT="${GFP_COMMIT:-}"
programs=build/release/bench
mkdir -p "$output"

papers() {
    "$programs/gfpoly_papers" --seconds "$seconds" -o "$output/papers-$name.md"
}
regret() {
    build/release/gfpoly tune --output "build/tuning-$name"
    "$programs/gfpoly_regret" --tuning "build/tuning-$name" -o "$output/regret-$name.md"
}
for report in papers regret; do
    if [ -z "$only" ] || [ "$only" = $report ]; then
        gfp_stage $report $report
    fi
done
gfp_summary
