#!/bin/sh
# The recipes of packaging/ and debian/: one version and one soname everywhere, sources that parse, and the reason why macOS is
# left out. The workflow for a forge runs scripts that exist, on the systems of docs/building.md. Linters run where they are installed: nix-instantiate, flake8, and Python's rattler_build, which
# renders the recipe. Arguments: source folder, build folder, Python or "".
set -eu
source=$1
build=$2
python=${3:-}
cd "$source"
fail() {
    echo "$*" >&2
    exit 1
}
version=$(sed -n 's/^project(gfpoly VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
soversion=$(sed -n 's/.*SOVERSION \([0-9]*\)).*/\1/p' CMakeLists.txt)
[ -n "$version" ] && [ -n "$soversion" ]
[ "$(sed -n '1s/^gfpoly (\([^)]*\)).*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog is not of $version"
grep -qx "  version: \"$version\"" packaging/conda/recipe.yaml || fail "the recipe for conda is not of $version"
grep -qx "    version = \"$version\";" packaging/nix/default.nix || fail "the recipe for Nix is not of $version"
for file in Project.toml build_tarballs.jl; do
    grep -qE "^version = v?\"$version\"\$" bindings/julia/$file || fail "bindings/julia/$file is not of $version"
done
grep -qx "const libgfpoly = \"libgfpoly.so.$soversion\"" bindings/julia/src/capi.jl || fail "GFPoly.jl: another soname"
grep -qx "Package: libgfpoly$soversion" debian/control || fail "debian/control has no libgfpoly$soversion"
for file in cmake/package.cmake debian/rules; do
    grep -q "libgfpoly$soversion\b" $file || fail "$file has no libgfpoly$soversion"
done
# cpack's control data are those of debian/control.
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
grep -qxF "set(CPACK_PACKAGE_CONTACT \"$maintainer\")" "$build/CPackConfig.cmake" || fail "another contact of cpack"
for package in $(sed -n 's/^Package: //p' debian/control); do
    synopsis=$(sed -n "/^Package: $package\$/,/^\$/s/^Description: //p" debian/control)
    grep -qE "set\(CPACK_DEBIAN_[A-Z0-9]+_PACKAGE_NAME \"$package\"\)" "$build/CPackConfig.cmake" || fail "cpack: no $package"
    grep -qF "_DESCRIPTION \"$synopsis" "$build/CPackConfig.cmake" || fail "cpack: another description of $package"
done
for file in packaging/conda/recipe.yaml packaging/nix/default.nix packaging/spack/spack_repo/gfpoly/packages/gfpoly/package.py \
    bindings/julia/build_tarballs.jl; do
    grep -q 'argp.*O_TMPFILE' $file || grep -A 1 argp $file | grep -q O_TMPFILE || fail "$file does not say why macOS is left out"
done

workflow=.github/workflows/tests.yml
for script in $(sed -n 's/^ *- run: \([^ ]*\/[^ ]*\)$/\1/p' $workflow); do
    [ -x "$script" ] || fail "$workflow runs $script, which is no program"
done
grep -q 'run: scripts/test.sh$' $workflow || fail "$workflow does not run scripts/test.sh"
for system in 'Debian 12' 'Debian 13' 'Ubuntu 24.04'; do
    grep -q "$system" docs/building.md || fail "docs/building.md does not name $system"
    image=$(echo "$system" | tr 'A-Z ' 'a-z:')
    grep -q "image: .*\"$image\"" $workflow || fail "$workflow has no $image"
done

checks=versions
if command -v nix-instantiate >/dev/null 2>&1; then
    nix-instantiate --parse packaging/nix/default.nix >/dev/null
    checks="$checks, nix"
fi
if [ -n "$python" ]; then
    "$python" - <<'P'
import ast

ast.parse(open("packaging/spack/spack_repo/gfpoly/packages/gfpoly/package.py", encoding="utf-8").read())
P
    checks="$checks, python"
    if "$python" -c 'import yaml' 2>/dev/null; then
        "$python" -c 'import yaml; yaml.safe_load(open(".github/workflows/tests.yml", encoding="utf-8"))'
        checks="$checks, yaml"
    fi
    if "$python" -m flake8 --version >/dev/null 2>&1; then
        "$python" -m flake8 --max-line-length 100 packaging
        checks="$checks, flake8"
    fi
    if "$python" -c 'import rattler_build' 2>/dev/null; then
        "$python" - <<'P'
import rattler_build

recipe = rattler_build.Stage0Recipe.from_file("packaging/conda/recipe.yaml")
stdlib = {"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"], "c_compiler": ["gcc"]}
variants = recipe.render(rattler_build.VariantConfig(stdlib))
assert len(variants) == 1, variants
P
        checks="$checks, rattler-build"
    fi
fi
echo "checked: $checks"
