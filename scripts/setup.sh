# setup.sh: sourced by demo.sh and test.sh. Changes to the top of the checkout and defines
#   gfp_setup [PACKAGE ...]      installs what a build needs from Debian's packages, or prints the
#                                one line to run and exits with status 2; does nothing where
#                                GFP_INSTALL=no
#   gfp_configure PRESET ...     configures build/PRESET
#   gfp_build PRESET TARGET ...  configures it and builds TARGET
cd "$(dirname "$(readlink -f "$0")")/.." || exit 2

gfp_jobs=${GFP_JOBS:-$(getconf _NPROCESSORS_ONLN)}

gfp_missing() {
    for package in "$@"; do
        case "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" in
        ii*) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

gfp_setup() {
    [ "${GFP_INSTALL:-yes}" != no ] || return 0
    set -- cmake ninja-build gcc libc6-dev libgmp-dev libflint-dev libcmocka-dev "$@"
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "Not a Debian system: going on with what is installed. The build needs $*" >&2
        return 0
    fi
    missing=$(gfp_missing "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ]; then
        as_root=env
    elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root="sudo env"
    else
        gfp_tell "$missing"
    fi
    echo "Installing $missing"
    # The package lists may be absent or old: refresh them only when the first try fails.
    gfp_install "$missing" 2>/dev/null || # its complaint is repeated by the second try
        { $as_root apt-get update -q >/dev/null && gfp_install "$missing"; } || gfp_tell "$missing"
}

gfp_install() {
    # shellcheck disable=SC2086
    $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $1 \
        >/dev/null
}

gfp_tell() {
    echo "Packages are missing and could not be installed. Run as root:" >&2
    echo "    apt-get update && apt-get install -y $1" >&2
    exit 2
}

gfp_configure() {
    preset=$1
    shift
    case "$preset" in
    release | debug | asan-ubsan | levels | tsan | arm64) base=$preset ;;
    *) base=release ;;
    esac
    mkdir -p build
    # GFP_WERROR only where it is asked for, so that other compilers' new warnings stop nobody.
    cmake --preset "$base" -B "build/$preset" -DGFP_WERROR="${GFP_WERROR:-OFF}" "$@" \
        >"build/$preset.log" 2>&1 || {
        cat "build/$preset.log" >&2
        exit 1
    }
}

gfp_build() {
    preset=$1
    target=$2
    shift 2
    echo "== build: $preset"
    gfp_configure "$preset" "$@"
    cmake --build "build/$preset" --target "$target" -j "$gfp_jobs"
}
