#!/bin/sh
# Runs Sage's polynomials over GF(p8) with and without libgfpoly_ntl.so: results must be equal, and products of
# 2^12 terms at least five times as fast at kernel level avx512ifma (bindings/preload/tests/sage_preload.py).
#   scripts/sage.sh debian|wheels [FOLDER]
# debian: sagemath of Debian 12, in a system of its own, 4 GB; this needs root and debootstrap. wheels: passagemath of
# PyPI, in a virtual environment, 2 GB. FOLDER (default: build/sage-debian, build/sage-wheels) is made once and used
# again. What cannot be installed skips the script (exit status 77).
set -eu
script=$(readlink -f "$0")
. "$(dirname "$script")/setup.sh"
kind=${1:-}
case "$kind:$#" in
debian:[12] | wheels:[12]) ;;
*)
    echo "usage: scripts/sage.sh debian|wheels [FOLDER]" >&2
    exit 2
    ;;
esac
folder=$(readlink -m "${2:-build/sage-$kind}")
if [ "$kind:${GFP_OWN_MOUNTS:-}" = debian: ]; then
    . scripts/root.sh
    gfp_root_needs
    export GFP_OWN_MOUNTS=yes
    exec unshare --mount --propagation private "$script" "$kind" "$folder"
fi
mkdir -p build "$folder"
log=$PWD/build/sage-$kind.log

install_debian() {
    . scripts/root.sh
    root=$folder/system
    if [ -e "$folder/complete" ]; then
        gfp_root_mount
        return 0
    fi
    rm -rf "$root"
    : >"$log"
    gfp_root_install bookworm ca-certificates || gfp_skip "no Debian: $log"
    gfp_root_mount # Java's packages need /proc
    run root apt-get update || gfp_skip "no Debian: $log"
    run root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends sagemath ||
        gfp_skip "no sagemath: $log"
    touch "$folder/complete"
}
install_wheels() {
    [ ! -e "$folder/complete" ] || return 0
    python3 -m venv --clear "$folder/venv" >"$log" 2>&1 || gfp_skip "python3 -m venv failed (Debian: python3-venv)"
    "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check passagemath-ntl passagemath-flint \
        passagemath-pari passagemath-modules passagemath-repl >>"$log" 2>&1 || gfp_skip "no passagemath: $log"
    touch "$folder/complete"
}

# python ARGUMENT ...: Sage's interpreter; files are in $work, from where it runs.
debian_python() {
    rm -rf "$root/tmp/gfpoly"
    cp -R "$work" "$root/tmp/gfpoly"
    chroot "$root" env -C /tmp/gfpoly HOME=/tmp LC_ALL=C.UTF-8 "LD_PRELOAD=$1" "GFPOLY_NTL=$2" \
        python3 sage_preload.py run "$3"
    cp "$root/tmp/gfpoly/$3" "$work/$3"
}
wheels_python() {
    env -C "$work" HOME="$work" "LD_PRELOAD=$1" "GFPOLY_NTL=$2" "$folder/venv/bin/python" sage_preload.py run "$3"
}

install_"$kind"
gfp_build release gfpoly_ntl -DGFP_CUDA=OFF
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp build/release/bindings/preload/ntl/libgfpoly_ntl.so bindings/preload/tests/sage_preload.py "$work"
"$kind"_python "" "" without
"$kind"_python ./libgfpoly_ntl.so "" with
"$kind"_python ./libgfpoly_ntl.so verify verified
python3 bindings/preload/tests/sage_preload.py compare "$work/without" "$work/with"
python3 bindings/preload/tests/sage_preload.py compare "$work/without" "$work/verified"
