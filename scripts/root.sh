# root.sh: sourced by scripts that install a Debian into a folder, after setup.sh. $root is the folder and
# $log the file of the whole output; the scripts set both. Mounts need a name space of the script's own.
#   gfp_root_needs                 skips the script without root, debootstrap and unshare
#   gfp_root_install SUITE PACKAGE,...
#                                  installs the system with these packages and with this system's access to
#                                  the network. GFP_MIRROR: Debian's mirror (default: this system's)
#   gfp_root_mount, gfp_root_unmount   /proc, /sys and /dev of the new system
#   inside USER COMMAND ...        runs a command in the new system, in the user's home
#   run USER COMMAND ...           the same with the output in the log, whose end is shown on failure

gfp_root_needs() {
    [ "$(id -u)" = 0 ] || gfp_skip "scripts/${0##*/} needs root"
    for command in debootstrap unshare; do
        command -v $command >/dev/null 2>&1 || gfp_skip "scripts/${0##*/} needs $command"
    done
}
gfp_root_install() {
    mirror=${GFP_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' \
        'Identifier: Packages' 2>/dev/null | head -n 1)}
    debootstrap --variant=minbase --include="$2" "$1" "$root" \
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
}
gfp_root_mount() {
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
}
gfp_root_unmount() {
    umount -R -l "$root/proc" "$root/sys" "$root/dev"
}
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
run() {
    echo "-- $*" >>"$log"
    inside "$@" </dev/null >>"$log" 2>&1 && return 0
    code=$?
    tail -n 40 "$log"
    return $code
}
