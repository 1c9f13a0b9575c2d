#compdef gfpoly
# _gfpoly: completion of the gfpoly command for zsh. It reads subcommands, options and their values from the
# command's help, fields and methods from the command's lists.
# SPDX-License-Identifier: LGPL-3.0-or-later

_gfpoly_help() { # program, subcommand or nothing
    LC_ALL=C ARGP_HELP_FMT='rmargin=200' $1 ${2:+$2} --help 2>/dev/null
}

_gfpoly_subcommands() { # program
    local -a rows
    rows=(${(f)"$(_gfpoly_help $1 | sed -nE '/^Subcommands:/,/^$/s/^  ([a-z0-9-]+) +/\1:/p')"})
    _describe -t commands 'gfpoly subcommand' rows
}

# The values of "name" in a subcommand's JSON.
_gfpoly_names() { # program, argument...
    GFPOLY_GPU=off "$@" --json 2>/dev/null | sed -nE 's/^ *"name": "([^"]+)".*/\1/p'
}

# Completes the value of an option. The option's help shows the possible values behind the equals sign:
# words, FILE, DIR, or NAME.
_gfpoly_value() { # program, option, "a|b|NAME"
    local token
    local -a words_of_value
    for token in ${(s:|:)3}; do
        case $2:$token in
            *:FILE) _files ;;
            *:DIR) _files -/ ;;
            --field*:NAME) words_of_value+=($(_gfpoly_names $1 primes)) ;;
            --method*:NAME) words_of_value+=($(_gfpoly_names $1 methods --field p2 --len 1)) ;;
            *:*[A-Z]*) ;;
            *) words_of_value+=($token) ;;
        esac
    done
    (( $#words_of_value )) && compadd -- $words_of_value
    return 0
}

_gfpoly_options() { # program, subcommand, the option that takes the word as value (or "")
    local line
    local -a plain valued
    for line in ${(f)"$(_gfpoly_help $1 $2)"}; do
        [[ $line =~ '^  (-., |    )(--[a-z0-9-]+)(=([^ ]+))?' ]] || continue
        if [[ -n $3 && ($3 == $match[2] || $3 == ${match[1]%, }) ]]; then
            # An option without a value.
            [[ -n $match[3] ]] || return 1
            _gfpoly_value $1 $match[2] $match[4]
            return 0
        fi
        if [[ -n $match[3] ]]; then
            valued+=($match[2])
        else
            plain+=($match[2])
        fi
    done
    [[ -z $3 && $PREFIX == -* ]] || return 1
    compadd -- $plain
    compadd -S = -- $valued
    return 0
}

_gfpoly() {
    local program=${(Q)~words[1]} subcommand='' option='' word usage
    for word in ${words[2,CURRENT-1]}; do
        if [[ $word != -* ]]; then
            subcommand=$word
            break
        fi
    done
    if [[ $subcommand == help || (-z $subcommand && $PREFIX != -*) ]]; then
        _gfpoly_subcommands $program
        return
    fi
    if [[ $PREFIX == --*=* ]]; then
        option=${PREFIX%%=*}
        compset -P '*='
    elif [[ $words[CURRENT-1] == -* ]]; then
        option=$words[CURRENT-1]
    fi
    _gfpoly_options $program "$subcommand" "$option" && return
    [[ $PREFIX != -?* ]] || return 1
    usage=$(_gfpoly_help $program $subcommand | sed -nE 's/^Usage: .*\[OPTION\.\.\.\] //p')
    # The first argument may be one of several words.
    if [[ ${usage%% *} == *'|'* && $words[CURRENT-1] == $subcommand ]]; then
        compadd -- ${(s:|:)${usage%% *}}
    elif [[ $usage == *[A-Z]* ]]; then
        _files
    fi
}

_gfpoly "$@"
