#!/bin/sh
# Runs README.md's C program and shell transcript as they stand there.
# Arguments: source folder, build folder, compiler, sanitizers (or ""), libraries that gfpoly needs.
set -eu
source=$1
build=$2
compiler=$3
sanitize=$4
shift 4
cudart=
for library in "$@"; do
    case "$library" in
    *cudart*) cudart="$library -ldl -lrt -lpthread" ;;
    esac
done
work=$(mktemp -d)
# No tuning file but the one that the transcript makes.
export XDG_CONFIG_HOME="$work/config"
trap 'rm -rf "$work"' EXIT

fence='```'
awk -v open="${fence}c" -v close_="$fence" '$0 == close_ {on = 0} on {print} $0 == open {on = 1}' \
    "$source/README.md" >"$work/program.c"
[ -s "$work/program.c" ]
"$compiler" -std=c11 -Wall -Wextra -Werror ${sanitize:+-fsanitize=$sanitize} \
    -I"$source/field/include" -I"$source/fft/include" -I"$source/crt/include" \
    -I"$source/gpu/include" -I"$source/poly/include" \
    "$work/program.c" "$build/libgfpoly.a" "$@" -lgmp -lm ${cudart:+-ldl -lrt -lpthread} -o "$work/program"
"$work/program" >"$work/program.out"
cat "$work/program.out"
grep -qE '^1999 terms by [a-z]+, verified$' "$work/program.out"

# The line that compiles against the build folder.
line=$(grep -m 1 '^cc -Ifield/include ' "$source/README.md")
case "$*" in
*flint*)
    if [ -z "$sanitize" ]; then
        line=$(printf '%s' "$line" | sed "s#^cc #$compiler -o $work/linked #; s#program.c#$work/program.c#;
            s#build/release#$build#")
        # A build without OpenMP needs no library of it, and the compiler may have none.
        case "$*" in
        *omp*) ;;
        *) line=$(printf '%s' "$line" | sed 's# -fopenmp##') ;;
        esac
        # One with CUDA needs its static runtime besides.
        case "$*" in
        *cudart*) line="$line $cudart" ;;
        esac
        (cd "$source" && eval "$line")
        "$work/linked" >/dev/null
    fi
    ;;
esac

# Lines after "$ " are commands; the lines between two commands are what the first prints. A command
# shown without output may print anything.
PATH=$build:$PATH
cd "$work"
awk -v open="${fence}console" -v close_="$fence" '$0 == close_ {on = 0} on {print} $0 == open {on = 1}' \
    "$source/README.md" >transcript
[ -s transcript ]
check() {
    [ -n "$command" ] || return 0
    echo "\$ $command"
    sh -c "$command" >out
    [ -z "$expected" ] || [ "$expected" = "$(cat out)" ] || {
        echo "README promises: $expected" >&2
        echo "it prints: $(cat out)" >&2
        exit 1
    }
}
command=
expected=
while IFS= read -r line; do
    case "$line" in
    '$ '*)
        check
        command=${line#'$ '}
        expected=
        ;;
    *) expected=$line ;;
    esac
done <transcript
check
