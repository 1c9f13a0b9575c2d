# gfpoly.bash: completion of the gfpoly command for bash. It reads subcommands, options and their values
# from the command's help, fields and methods from the command's lists.
# SPDX-License-Identifier: LGPL-3.0-or-later

_gfpoly_help() { # program, subcommand or nothing
    LC_ALL=C ARGP_HELP_FMT='rmargin=200' "$1" ${2:+"$2"} --help 2>/dev/null
}

_gfpoly_subcommands() { # program
    _gfpoly_help "$1" | sed -nE '/^Subcommands:/,/^$/s/^  ([a-z0-9-]+) .*/\1/p'
}

# The values of "name" in a subcommand's JSON.
_gfpoly_names() { # program, argument...
    GFPOLY_GPU=off "$@" --json 2>/dev/null | sed -nE 's/^ *"name": "([^"]+)".*/\1/p'
}

_gfpoly_files() { # the word typed so far
    compopt -o filenames
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$1")
}

# Completes the value of an option. The option's help shows the possible values behind the equals sign:
# words, FILE, DIR, or NAME.
_gfpoly_value() { # program, option, "a|b|NAME", the value typed so far
    local words=() token
    local IFS='|'
    for token in $3; do
        case $2:$token in
        *:FILE) _gfpoly_files "$4" ;;
        *:DIR)
            compopt -o filenames
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$4")
            ;;
        --field*:NAME) words+=($(_gfpoly_names "$1" primes | tr '\n' '|')) ;;
        --method*:NAME) words+=($(_gfpoly_names "$1" methods --field p2 --len 1 | tr '\n' '|')) ;;
        *:*[A-Z]*) ;;
        *) words+=("$token") ;;
        esac
    done
    IFS=$' \t\n'
    COMPREPLY+=($(compgen -W "${words[*]}" -- "$4"))
}

_gfpoly_options() { # program, subcommand, the word typed so far, the option that takes it as value (or "")
    local row='^  (-., |    )(--[a-z0-9-]+)(=([^ ]+))?' line options=()
    while IFS= read -r line; do
        [[ $line =~ $row ]] || continue
        if [[ $4 == "${BASH_REMATCH[2]}" || $4 == "${BASH_REMATCH[1]%, }" ]]; then
            # An option without a value.
            [[ -n ${BASH_REMATCH[3]} ]] || return 1
            _gfpoly_value "$1" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}" "$3"
            return 0
        fi
        options+=("${BASH_REMATCH[2]}${BASH_REMATCH[3]:+=}")
    done < <(_gfpoly_help "$1" "$2")
    [[ -z $4 && $3 == -* ]] || return 1
    COMPREPLY=($(compgen -W "${options[*]}" -- "$3"))
    [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
}

_gfpoly() {
    local program=${1/#\~/$HOME} current=${COMP_WORDS[COMP_CWORD]} subcommand='' option='' usage i
    COMPREPLY=()
    # bash passes "--option=value" as three words.
    if [[ $current == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
        current=''
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            subcommand=${COMP_WORDS[i]}
            break
        fi
    done
    if [[ $subcommand == help || (-z $subcommand && $current != -*) ]]; then
        COMPREPLY=($(compgen -W "$(_gfpoly_subcommands "$program")" -- "$current"))
    elif ! _gfpoly_options "$program" "$subcommand" "$current" "$option" && [[ $current != -?* ]]; then
        usage=$(_gfpoly_help "$program" "$subcommand" | sed -nE 's/^Usage: .*\[OPTION\.\.\.\] //p')
        # The first argument may be one of several words.
        if [[ ${usage%% *} == *'|'* && ${COMP_WORDS[COMP_CWORD - 1]} == "$subcommand" ]]; then
            usage=${usage%% *}
            COMPREPLY=($(compgen -W "${usage//|/ }" -- "$current"))
        elif [[ $usage == *[A-Z]* ]]; then
            _gfpoly_files "$current"
        fi
    fi
}

complete -F _gfpoly gfpoly
