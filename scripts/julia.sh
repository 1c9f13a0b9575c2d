#!/bin/sh
# Runs the tests of GFPoly.jl with the Julia at hand, else with Julia 1.5 of Debian 11: its packages are taken apart in build/julia;
# nothing is installed. GFP_MIRROR: Debian's mirror.
#   scripts/julia.sh
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
gfp_setup

# Fetches julia and the libraries that it needs, but those of the compiler, which this system has in newer versions.
fetch_julia() {
    folder=$PWD/build/julia
    [ ! -x "$folder/bin/julia" ] || return 0
    command -v apt-get >/dev/null 2>&1 || gfp_skip "no julia, and no apt-get that could fetch one"
    [ "$(dpkg --print-architecture)" = amd64 ] || gfp_skip "no julia, and Debian 11's is fetched for amd64 alone"
    mirror=${GFP_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 'Identifier: Packages' 2>/dev/null |
        head -n 1)}
    rm -rf "$folder"
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/root" "$folder/bin"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bullseye main" \
        >"$folder/sources.list"
    : >"$folder/status"
    set -- -q -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists" \
        -o Dir::Cache="$folder/cache" -o Dir::State::Status="$folder/status" -o APT::Sandbox::User=root
    {
        apt-get "$@" update && apt-get "$@" install -y --no-install-recommends --download-only julia
    } >"$folder/log" 2>&1 || gfp_skip "Debian's mirror has no julia of Debian 11: build/julia/log"
    for file in "$folder"/cache/archives/*.deb; do
        case "${file##*/}" in
        libc6_* | libgcc-s1_* | libstdc++6_* | libgfortran5_* | libquadmath0_*) ;;
        *) dpkg-deb -x "$file" "$folder/root" ;;
        esac
    done
    libraries=$folder/root/usr/lib/x86_64-linux-gnu
    cat >"$folder/bin/julia" <<S
#!/bin/sh
LD_LIBRARY_PATH=$libraries:$libraries/julia:$libraries/openblas-pthread:$folder/root/lib/x86_64-linux-gnu \\
    exec $folder/root/usr/bin/julia "\$@"
S
    chmod +x "$folder/bin/julia"
}
julia_tests() {
    if ! command -v "${GFP_JULIA:-julia}" >/dev/null 2>&1; then
        fetch_julia
        export GFP_JULIA="$PWD/build/julia/bin/julia"
    fi
    gfp_build release gfpoly_shared -DGFP_CUDA=OFF
    gfp_test release -R '^julia'
}

gfp_stage "GFPoly.jl" julia_tests
gfp_summary
