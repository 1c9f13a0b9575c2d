#!/bin/sh
# Installs missing packages, builds the files that `cmake --install` installs, and runs `gfpoly demo`: it
# multiplies two random polynomials of 2^14 terms over p8 by every method, compares the products, and prints
# the times and the chooser's pick. The build has no CUDA backend, whose kernels take long to compile.
# Arguments go to `gfpoly demo` (for instance --all, --field p32, --len 4096).
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
gfp_setup
gfp_build release installed -DGFP_CUDA=OFF
exec build/release/gfpoly demo "$@"
