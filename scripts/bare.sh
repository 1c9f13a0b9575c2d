#!/bin/sh
# Tests a newcomer's first commands: installs a bare Debian with git into a folder, clones HEAD of this
# checkout there, and runs the README's first commands, as root and as a user without packages or sudo.
# Prints the result and the seconds of each step; the whole output goes to build/bare-SUITE.log.
#   scripts/bare.sh [--quick] bookworm|trixie [FOLDER]
# FOLDER (default: build/bare-SUITE) must not exist; the script removes it afterwards, unless a step failed.
# --quick: scripts/test.sh --quick. GFP_MIRROR: Debian's mirror (default: this system's). Proxies, name
# servers and certificates are those of this system. Needs root and debootstrap; exit status 77 without them.
# Mounts lie in a separate name space and end with the script in any case.
set -eu
script=$(readlink -f "$0")
. "$(dirname "$script")/setup.sh"
quick=
if [ "${1:-}" = --quick ]; then
    quick=--quick
    shift
fi
suite=${1:-}
case "$suite:$#" in
bookworm:[12] | trixie:[12]) ;;
*)
    echo "usage: scripts/bare.sh [--quick] bookworm|trixie [FOLDER]" >&2
    exit 2
    ;;
esac
[ "$(id -u)" = 0 ] || gfp_skip "scripts/bare.sh needs root"
for command in debootstrap unshare; do
    command -v $command >/dev/null 2>&1 || gfp_skip "scripts/bare.sh needs $command"
done
root=$(readlink -m "${2:-build/bare-$suite}")
if [ "${GFP_OWN_MOUNTS:-}" != yes ]; then
    if [ -e "$root" ]; then
        echo "$root exists, perhaps from a run that failed; remove it" >&2
        exit 2
    fi
    export GFP_OWN_MOUNTS=yes
    exec unshare --mount --propagation private "$script" $quick "$suite" "$root"
fi
mkdir -p build "$root"
log=$PWD/build/bare-$suite.log
: >"$log"

# inside USER COMMAND: in the new system, in the user's home.
inside() {
    user=$1
    shift
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        eval "value=\${$name:-}"
        # shellcheck disable=SC2154
        [ -z "$value" ] || set -- "$name=$value" "$@"
    done
    home=$(home_of "$user")
    chroot "$root" runuser -u "$user" -- env -i -C "$home" HOME="$home" LC_ALL=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
home_of() {
    [ "$1" = root ] && echo /root || echo "/home/$1"
}
run() { # as inside, with the output in the log, whose end is shown on failure
    echo "-- $*" >>"$log"
    inside "$@" </dev/null >>"$log" 2>&1 && return 0
    code=$?
    tail -n 40 "$log"
    return $code
}

install_system() {
    mirror=${GFP_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' \
        'Identifier: Packages' 2>/dev/null | head -n 1)}
    debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" \
        "${mirror:-http://deb.debian.org/debian}" >>"$log" 2>&1 || {
        tail -n 40 "$log"
        return 1
    }
    # This system's access to the network.
    apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::|Check-)' \
        >"$root/etc/apt/apt.conf.d/90host" || true
    cp -L /etc/resolv.conf /etc/hosts "$root/etc"
    if [ -d /usr/local/share/ca-certificates ]; then
        mkdir -p "$root/usr/local/share/ca-certificates"
        cp -RL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates"
        run root update-ca-certificates
    fi
    run root useradd --create-home --shell /bin/sh newcomer
    git bundle create -q "$root/tmp/gfpoly.bundle" HEAD
}
mount_system() {
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
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
    run root gfpoly/scripts/test.sh $quick
    sed -n '/^== summary/,$p' "$log"
}
# The README's second command.
installs() {
    run root sh -c 'cd gfpoly && cmake --install build/release && ldconfig && gfpoly --version'
}

gfp_stage "$suite: debootstrap" install_system
if [ $gfp_failed = 0 ]; then
    mount_system
    gfp_stage "$suite: a user sees the line that root has to run" refusal
    gfp_stage "$suite: git clone, as root" clone root
    gfp_stage "$suite: scripts/demo.sh, as root" demo root
    gfp_stage "$suite: versions" versions
    gfp_stage "$suite: cmake --install, as root" installs
    gfp_stage "$suite: scripts/test.sh $quick, as root" test_all
    gfp_stage "$suite: scripts/demo.sh, as a user" demo newcomer
    umount -R -l "$root/proc" "$root/sys" "$root/dev"
fi
if [ $gfp_failed = 0 ]; then
    rm -rf --one-file-system "$root"
else
    echo "kept: $root"
fi
gfp_summary
