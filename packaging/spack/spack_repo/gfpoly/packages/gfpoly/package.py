# gfpoly for spack, from the checkout that holds this file. A release replaces git by its address,
# and the branch by the commit of the release.
# SPDX-License-Identifier: LGPL-3.0-or-later

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import conflicts, depends_on, license, variant, version

CHECKOUT = pathlib.Path(__file__).resolve().parents[6]


class Gfpoly(CMakePackage):
    """Dense univariate polynomials over generalized Fermat prime fields Z/pZ, p = r^k + 1, and
    modular methods over the integers: a C library and a command."""

    git = CHECKOUT.as_uri()

    license("LGPL-3.0-or-later")

    version("main", branch="main", get_full_repo=True)

    variant("flint", default=True, description="Methods and conversions that use FLINT")
    variant("openmp", default=True, description="Threads by OpenMP")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("gmp")
    depends_on("xxhash", type="build")
    depends_on("flint@2.9:", when="+flint")
    depends_on("mpfr", when="+flint")

    # argp, which the command needs, and O_TMPFILE, which products of files need.
    conflicts("platform=darwin", msg="gfpoly needs argp and O_TMPFILE")
    conflicts("platform=windows", msg="gfpoly needs argp and O_TMPFILE")

    build_targets = ["installed"]

    def cmake_args(self):
        return [
            self.define_from_variant("GFP_FLINT", "flint"),
            self.define_from_variant("GFP_OPENMP", "openmp"),
            self.define("GFP_CUDA", False),
            self.define("GFP_NTL", False),
            self.define("BUILD_TESTING", False),
        ]
