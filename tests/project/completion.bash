#!/usr/bin/env bash
# Tests the bash completion as bash calls it. Arguments: the completion script, the gfpoly command.
set -u
source "$1" || exit 1
program=$2
status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir folder
touch first.txt 'with space.txt' 'b[1].txt' b1.txt

# Outside a completion the builtin refuses; this function records its arguments instead.
compopt() {
    asked+=("$2")
}

# expect "expected words" word...: the words as bash splits them, the last one being typed.
expect() {
    local expected=$1 asked=()
    shift
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    _gfpoly "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    local got
    got=$(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | LC_ALL=C sort | paste -sd ' ')
    if [[ " $got ${asked[*]+${asked[*]} }" != " $expected " ]]; then
        echo "gfpoly $*: expected '$expected', got '$got ${asked[*]+${asked[*]}}'" >&2
        status=1
    fi
}

# Exactly the subcommands of the help.
all=$("$program" --help | awk '/^$/ {on = 0} on && /^  / {print $1} /^Subcommands:/ {on = 1}' |
    LC_ALL=C sort | paste -sd ' ')
[[ $all == *demo*mul* ]] || status=1
expect "$all" ''
expect "$all" help ''
expect 'mul multieval' mu
expect '--help --usage --version' -
expect '--verify= nospace' mul --veri
expect '--time' mul a.txt --ti
expect 'cross none point' mul --verify = ''
expect 'cross none point' sqr --verify = ''
expect 'cross point' verify --by = ''
expect 'first.txt filenames' verify a.txt b.txt fi
expect '' mul -j ''
expect 'verify' ver
expect '--quiet' convert --qu
expect 'point' mul --verify = po
expect 'point' mul --verify po
expect 'binary flint ntl' dft --format ''
expect '--binary' mul --bin
expect 'binary' convert --format = bi
expect 'karatsuba' mul --method = kar
expect 'auto' mul --method au
expect 'p16' mul --field = p16
expect 'p128 p16' random --field p1
expect 'all' demo --fields = ''
expect 'first.txt filenames' mul fi
expect 'first.txt filenames' mul a.txt fi
expect 'folder filenames' mul --time fo
expect 'with space.txt filenames' mul w
expect 'b[1].txt filenames' mul 'b['
expect 'b[1].txt filenames' mul -o 'b['
expect 'first.txt filenames' mul -o fi
expect 'folder filenames' compare -o f
expect 'first.txt filenames' mul --output = fi
expect 'first.txt filenames' random --output fi
expect '' random --len ''
expect '' info ''
expect 'compose derivative exp integral inverse invsqrt log power quotient revert shift sqrt' series ''
expect 'inverse invsqrt' series inv
expect 'first.txt filenames' series inverse fi
expect 'full none point' series --verify = ''
expect 'first.txt filenames' divrem -q fi
expect 'first.txt filenames' divrem --remainder = fi
expect 'first.txt filenames' powmod --modulus fi
expect 'first.txt filenames' multieval fi
expect 'first.txt filenames' interp first.txt fi
expect 'x filenames' powmod --base x
expect '' powmod ''
expect '' mul --no-such-option
expect '' nonsense ''
exit $status
