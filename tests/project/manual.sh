#!/bin/sh
# Checks that the manual page is well-formed and describes exactly the subcommands and options that the
# command has, each in its own section. Arguments: the page, the gfpoly command.
set -eu
page=$1
program=$2
status=0
complain() {
    echo "$*" >&2
    status=1
}

checked=no
if command -v groff >/dev/null 2>&1; then
    checked=yes
    said=$(groff -man -ww -Tutf8 -z "$page" 2>&1)
    [ -z "$said" ] || complain "groff: $said"
fi
if command -v mandoc >/dev/null 2>&1; then
    checked=yes
    # The page carries a version, not a date.
    said=$(mandoc -T lint -W warning "$page" | grep -v 'missing date' || true)
    [ -z "$said" ] || complain "mandoc: $said"
fi
[ "$checked" = yes ] || echo "neither groff nor mandoc found: markup not checked"

text=$(mktemp)
trap 'rm -f "$text"' EXIT
sed 's/\\-/-/g' "$page" >"$text"

options_of() { # subcommand
    ARGP_HELP_FMT='' "$program" "$1" --help | sed -nE 's/^  (    |-., )(--[a-z0-9-]+).*/\2/p'
}
# The section of a subcommand; `general' is the section on common options.
section() {
    awk -v start="gfpoly $1" '/^\.S[SH]/ {on = index($0, start " ") || index($0, start "\"") ||
        index($0, start) && length($0) == index($0, start) + length(start) - 1} on' "$text"
}
general=$(awk '/^\.SH/ {on = /COMMON OPTIONS/} on' "$text")
commands=$("$program" --help | awk '/^$/ {on = 0} on && /^  / {print $1} /^Subcommands:/ {on = 1}')
[ -n "$commands" ] || complain "gfpoly --help lists no subcommands"
known=
for command in $commands; do
    [ "$command" != help ] || continue
    own=$(section "$command")
    [ -n "$own" ] || complain "no section on gfpoly $command"
    for option in $(options_of "$command"); do
        known="$known $option"
        case "$option" in
        --help | --usage | --version | --quiet | --verbose) where=$general ;;
        *) where=$own ;;
        esac
        printf '%s\n' "$where" | grep -qE -- "$option([^a-z-]|\$)" ||
            complain "gfpoly $command: $option is not in its section"
    done
done
for option in $(grep -oE -- '--[a-z][a-z0-9-]*' "$text" | sort -u); do
    case " $known " in
    *" $option "*) ;;
    *) complain "the page tells of $option, which no subcommand has" ;;
    esac
done
exit $status
