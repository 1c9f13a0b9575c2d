#!/bin/sh
# Profiles the papers' base case by ncu on a machine with a CUDA device, for Table 5 of ISSAC 2017. Writes
# DIR/p8.csv and DIR/p16.csv; then: gfpoly_papers issac-table5 --profile DIR
#   scripts/profile_base_case.sh [DIR [GFPOLY_PAPERS]]   (default: bench/results/profile, build/gpu/bench/gfpoly_papers)
# Needs permission to read the device's counters. Exit status 77 without ncu, a device or this permission.
set -eu
root=$(readlink -f "$(dirname "$0")/..")
folder=${1:-$root/bench/results/profile}
papers=${2:-$root/build/gpu/bench/gfpoly_papers}
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
[ -x "$ncu" ] || { echo "ncu not found" >&2 && exit 77; }
mkdir -p "$folder"
metrics=$("$papers" --metrics)
for field in p8 p16; do
    code=0
    # The kernels for shifts and butterflies of one transform.
    "$ncu" --csv --print-units base --metrics "$metrics" --kernel-name-base demangled \
        --kernel-name regex:'shifts|add_subs' "$papers" --base-case $field >"$folder/$field.csv" || code=$?
    # Without permission ncu may exit with status 0 and print a message instead of figures.
    if [ $code != 0 ] || ! grep -q '"Metric Name"' "$folder/$field.csv"; then
        cat "$folder/$field.csv" >&2
        if [ $code = 0 ] || grep -q ERR_NVGPUCTRPERM "$folder/$field.csv"; then
            code=77
        fi
        rm "$folder/$field.csv"
        exit $code
    fi
done
