# A recipe for BinaryBuilder: libgfpoly without FLINT and without CUDA, for Linux; argp and O_TMPFILE keep macOS out for now.
#   julia build_tarballs.jl --verbose      builds for all platforms below
# SPDX-License-Identifier: LGPL-3.0-or-later
using BinaryBuilder

name = "libgfpoly"
version = v"0.1.0"

# This checkout. A recipe elsewhere names an archive or a commit instead.
sources = [DirectorySource(joinpath(@__DIR__, "..", ".."); target="gfpoly")]

# The library picks its kernels at run time: no flags for one CPU.
script = raw"""
cd ${WORKSPACE}/srcdir/gfpoly
cmake -S . -B build-jll -G Ninja \
    -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_PREFIX_PATH=${prefix} \
    -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TARGET_TOOLCHAIN} -DCMAKE_BUILD_TYPE=Release \
    -DGFP_FLINT=OFF -DGFP_NTL=OFF -DGFP_CUDA=OFF -DBUILD_TESTING=OFF
cmake --build build-jll --target installed --parallel ${nproc}
cmake --install build-jll
install_license COPYING COPYING.LESSER
"""

platforms = [Platform("x86_64", "linux"; libc="glibc"), Platform("aarch64", "linux"; libc="glibc")]

products = [LibraryProduct("libgfpoly", :libgfpoly), ExecutableProduct("gfpoly", :gfpoly)]

dependencies = [
    Dependency("GMP_jll"; compat="6.2.0"),
    Dependency("CompilerSupportLibraries_jll"), # OpenMP
    BuildDependency("xxHash_jll"),
]

build_tarballs(ARGS, name, version, sources, script, platforms, products, dependencies; julia_compat="1.6",
    preferred_gcc_version=v"11")
