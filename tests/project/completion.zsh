#!/usr/bin/env zsh
# Tests the zsh completion: types into an interactive zsh and reads its line editor.
# Arguments: the completion script, the gfpoly command.
emulate -R zsh
zmodload zsh/zpty || exit 77
typeset script=$1 program=$2 output got
integer status_=0
work=$(mktemp -d)
trap 'rm -rf $work' EXIT
mkdir $work/functions $work/bin
cp $script $work/functions/_gfpoly
ln -s $program $work/bin/gfpoly
cd $work
touch first.txt

# Reads up to the pattern, a plain string that the shell's echo does not contain.
await() {
    integer tries=300
    output=
    while (( tries-- > 0 )); do
        if zpty -r -t shell chunk; then
            output+=$chunk
            [[ $output == *$1* ]] && return 0
        else
            sleep 0.05
        fi
    done
    print -ru2 -- "no answer from the interactive shell; it wrote: ${(V)output}"
    exit 1
}

# In a separate process: a closed terminal would disturb the next one.
if ! zsh -f -c 'zmodload zsh/zpty && zpty -b probe true' 2>/dev/null; then
    print "no pseudo-terminal can be had here"
    exit 77
fi
zpty -b shell env TERM=dumb HISTFILE= zsh -f -i
zpty -w shell "PS1= PROMPT= RPROMPT=; fpath=($work/functions \$fpath); path=($work/bin \$path)"
zpty -w shell "autoload -Uz compinit; compinit -u -D; setopt no_beep no_list_ambiguous no_auto_menu"
zpty -w shell 'show() { print -r -- "<"$BUFFER"|>"; BUFFER=; }; zle -N show; bindkey "^Xs" show'
zpty -w shell 'cd '$work'; print REA""DY'
await READY

# expect LINE TYPED: types TYPED and the tabulator; the editor's line must then be LINE.
expect() {
    zpty -w -n shell "$2"$'\t'$'\C-Xs'
    await '|>'
    got=${${output##*\<}%%\|\>*}
    if [[ $got != $1 ]]; then
        print -ru2 -- "'$2': expected '$1', got '$got'"
        status_=1
    fi
}

expect 'gfpoly multieval ' 'gfpoly mult'
expect 'gfpoly help multieval ' 'gfpoly help mult'
expect 'gfpoly mul --verify=' 'gfpoly mul --veri'
expect 'gfpoly mul --verify=point ' 'gfpoly mul --verify=po'
expect 'gfpoly mul --verify cross ' 'gfpoly mul --verify c'
expect 'gfpoly mul --method=karatsuba ' 'gfpoly mul --method=ka'
expect 'gfpoly random --field p128 ' 'gfpoly random --field p12'
expect 'gfpoly demo --fields=all ' 'gfpoly demo --fields='
expect 'gfpoly mul first.txt ' 'gfpoly mul fi'
expect 'gfpoly verify --by=cross ' 'gfpoly verify --by=c'
expect 'gfpoly verify --quiet first.txt ' 'gfpoly verify --quiet fi'
expect 'gfpoly mul -o first.txt ' 'gfpoly mul -o fi'
expect 'gfpoly compare -o functions/' 'gfpoly compare -o f'
expect 'gfpoly mul --time first.txt ' 'gfpoly mul --time fi'
expect 'gfpoly random --len fi' 'gfpoly random --len fi'
expect 'gfpoly info fi' 'gfpoly info fi'
expect 'gfpoly series inverse ' 'gfpoly series inve'
expect 'gfpoly series inverse first.txt ' 'gfpoly series inverse fi'
expect 'gfpoly divrem -q first.txt ' 'gfpoly divrem -q fi'
expect 'gfpoly nonsense fi' 'gfpoly nonsense fi'
zpty -d shell
exit $status_
