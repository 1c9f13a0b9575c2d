#!/bin/sh
# pairs.sh [OPTION...] OLD [NEW]
# pairs.sh [OPTION...] --programs OLD NEW
# Tests whether NEW is slower than OLD. OLD and NEW are git revisions that have bench/rows.c (default of NEW:
# the working tree), or with --programs two built gfpoly_bench, or gfpoly_rows of older revisions. Builds both
# in build/pairs/, runs them in turns, row group by row group, and prints for each row the ratio new / old with
# the ends of its 95 % interval (bench/pairs.py). Exit status: 0; 1 if NEW is slower; 2 if the comparison failed.
#   --rounds N       runs of each program (default: 6)
#   --seconds S      time for one row (default: 0.05)
#   --filter TEXT    only rows whose names contain TEXT
#   --cuda           builds with CUDA
#   --out FOLDER     for the times of all rounds (default: build/pairs/times)
set -eu
here=$PWD
. "$(dirname "$(readlink -f "$0")")/setup.sh"
usage() {
    sed -n '2,/^set -eu/s/^# \{0,1\}//p' scripts/pairs.sh >&2
    exit 2
}
rounds=6
seconds=0.05
filter=
cuda=OFF
programs=no
out=build/pairs/times
while [ $# -gt 0 ]; do
    case $1 in
    --rounds | --seconds | --filter | --out)
        [ $# -gt 1 ] || usage
        case $1 in
        --rounds) rounds=$2 ;;
        --seconds) seconds=$2 ;;
        --filter) filter=$2 ;;
        --out) out=$(cd "$here" && realpath -m "$2") ;;
        esac
        shift
        ;;
    --cuda) cuda=ON ;;
    --programs) programs=yes ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done

# Builds the program that has the rows from a source folder in a folder of build/pairs, and prints its path.
build() { # source, name
    [ -f "$1/bench/rows.c" ] || {
        echo "pairs.sh: $2 has no bench/rows.c" >&2
        return 1
    }
    program=gfpoly_bench
    ! grep -q 'add_executable(gfpoly_rows' "$1/bench/CMakeLists.txt" || program=gfpoly_rows
    (
        cd "$1"
        cmake --preset release -B "$pairs/$2-build" -DGFP_CUDA=$cuda -DBUILD_TESTING=OFF \
            -DGFP_CUDA_ARCHITECTURES="${GFP_CUDA_ARCHITECTURES:-native}" &&
            cmake --build "$pairs/$2-build" --target $program -j "$gfp_jobs"
    ) >"$pairs/$2.log" 2>&1 || {
        cat "$pairs/$2.log" >&2
        return 1
    }
    echo "$pairs/$2-build/bench/$program"
}

of_revision() { # revision
    commit=$(git rev-parse --verify --quiet "$1^{commit}") || {
        echo "pairs.sh: no revision $1" >&2
        return 1
    }
    if [ ! -d "$pairs/$commit" ]; then
        mkdir "$pairs/$commit.new"
        git archive "$commit" | tar -x -C "$pairs/$commit.new"
        mv "$pairs/$commit.new" "$pairs/$commit"
    fi
    build "$pairs/$commit" "$commit"
}

mkdir -p build/pairs
pairs=$PWD/build/pairs
if [ $programs = yes ]; then
    [ $# = 2 ] || usage
    old=$(cd "$here" && realpath "$1") || exit 2
    new=$(cd "$here" && realpath "$2") || exit 2
else
    [ $# = 1 ] || [ $# = 2 ] || usage
    old=$(of_revision "$1") || exit 2
    if [ $# = 2 ]; then
        new=$(of_revision "$2") || exit 2
    else
        new=$(build "$PWD" tree) || exit 2
    fi
fi

mkdir -p "$out"
rm -f "$out"/old-*.csv "$out"/new-*.csv
# gfpoly_rows prints the table that bench/pairs.py reads; gfpoly_bench writes that of all its figures.
rows() { # program, options
    program=$1
    shift
    case $program in
    *gfpoly_rows) "$program" --csv "$@" >"$out/part" || exit 2 ;;
    *)
        "$program" --rows --csv "$out/figures" "$@" >"$out/log" || exit 2
        awk -F, '/^#/ { print } /^section,/ { print "row,min_ns,median_ns,samples" }
            $1 == "row" { print $3 "," $7 "," $8 "," $6 }' "$out/figures" >"$out/part"
        ;;
    esac
}
# Appends the rows whose names contain TEXT (empty: all rows) to the times of a side in a round.
run() { # side, round, TEXT
    program=$old
    [ "$1" = old ] || program=$new
    rows "$program" --seconds "$seconds" ${3:+--filter "$3"}
    times=$out/$1-$2.csv
    awk -F, -v text="$filter" -v first="$([ -e "$times" ] || echo yes)" \
        '/^#/ || $1 == "row" { if (first) print; next } index($1, text)' "$out/part" >>"$times"
}
both() { # which side first: 0 or 1, round, TEXT
    [ "$1" = 1 ] || run old "$2" "$3"
    run new "$2" "$3"
    [ "$1" = 0 ] || run old "$2" "$3"
}
echo "round 1 of $rounds" >&2
both 0 1 "$filter"
# Later rounds run the rows of one kind and field by both programs before the next rows: other load of the
# machine slows both.
groups=$(cat "$out"/old-1.csv "$out"/new-1.csv | sed -n 's|^\([^#,]*/\)[^/,]*,.*|\1|p' | sort -u)
round=2
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    turn=$((round % 2))
    for group in $groups; do
        both $turn $round "$group"
        turn=$((1 - turn))
    done
    round=$((round + 1))
done
rm -f "$out/part" "$out/figures" "$out/log"
exec python3 bench/pairs.py "$out"
