#!/bin/sh
# Tests a newcomer's first commands: installs a bare Debian with git into a folder, clones HEAD of this
# checkout there, and runs the README's first commands, as root and as a user without packages or sudo.
# Prints the result and the seconds of each step; the whole output goes to build/bare-SUITE.log.
#   scripts/bare.sh [--all] bookworm|trixie [FOLDER]
# FOLDER (default: build/bare-SUITE) must not exist; the script removes it afterwards, unless a step failed.
# --all: scripts/test.sh --all. GFP_MIRROR: Debian's mirror (default: this system's). Proxies, name
# servers and certificates are those of this system. Needs root and debootstrap; exit status 77 without them.
# Mounts lie in a separate name space and end with the script in any case.
set -eu
script=$(readlink -f "$0")
. "$(dirname "$script")/setup.sh"
all=
if [ "${1:-}" = --all ]; then
    all=--all
    shift
fi
suite=${1:-}
case "$suite:$#" in
bookworm:[12] | trixie:[12]) ;;
*)
    echo "usage: scripts/bare.sh [--all] bookworm|trixie [FOLDER]" >&2
    exit 2
    ;;
esac
. "$(dirname "$script")/root.sh"
gfp_root_needs
root=$(readlink -m "${2:-build/bare-$suite}")
if [ "${GFP_OWN_MOUNTS:-}" != yes ]; then
    if [ -e "$root" ]; then
        echo "$root exists, perhaps from a run that failed; remove it" >&2
        exit 2
    fi
    export GFP_OWN_MOUNTS=yes
    exec unshare --mount --propagation private "$script" $all "$suite" "$root"
fi
mkdir -p build "$root"
log=$PWD/build/bare-$suite.log
: >"$log"

install_system() {
    gfp_root_install "$suite" git,ca-certificates
    run root useradd --create-home --shell /bin/sh newcomer
    git bundle create -q "$root/tmp/gfpoly.bundle" HEAD
}
clone() { # user
    run "$1" git clone -q /tmp/gfpoly.bundle gfpoly
}
refusal() {
    clone newcomer
    code=0
    inside newcomer gfpoly/scripts/demo.sh </dev/null >"$root/tmp/refusal" 2>&1 || code=$?
    cat "$root/tmp/refusal" >>"$log"
    [ $code = 2 ] && grep '^    apt-get update && apt-get install' "$root/tmp/refusal"
}
demo() { # user
    run "$1" gfpoly/scripts/demo.sh
    sed -n '/^-- .*demo.sh/,$p' "$log"
}
versions() {
    inside root sh -c '. /etc/os-release && echo "$PRETTY_NAME" && gcc --version && cmake --version &&
        dpkg-query -W -f="libflint-dev \${Version}\n" libflint-dev' | grep -E '^(Debian|gcc|cmake|libflint)'
}
test_all() {
    run root gfpoly/scripts/test.sh $all
    sed -n '/^== summary/,$p' "$log"
}
# The README's second command.
installs() {
    run root sh -c 'cd gfpoly && cmake --install build/release && ldconfig && gfpoly --version'
}

gfp_stage "$suite: debootstrap" install_system
if [ $gfp_failed = 0 ]; then
    gfp_root_mount
    gfp_stage "$suite: a user sees the line that root has to run" refusal
    gfp_stage "$suite: git clone, as root" clone root
    gfp_stage "$suite: scripts/demo.sh, as root" demo root
    gfp_stage "$suite: versions" versions
    gfp_stage "$suite: cmake --install, as root" installs
    gfp_stage "$suite: scripts/test.sh $all, as root" test_all
    gfp_stage "$suite: scripts/demo.sh, as a user" demo newcomer
    gfp_root_unmount
fi
if [ $gfp_failed = 0 ]; then
    rm -rf --one-file-system "$root"
else
    echo "kept: $root"
fi
gfp_summary
