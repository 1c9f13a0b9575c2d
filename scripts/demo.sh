#!/bin/sh
# Installs what is missing, builds what `cmake --install` installs, and runs the main job: two random
# polynomials of 2^14 terms over p8 multiplied by every method, cross-checked, with times and the
# chooser's pick. Without the CUDA backend, whose kernels take long to compile.
# Arguments go to `gfpoly demo` (for instance --all, --field p32, --len 4096).
set -eu
. "$(dirname "$(readlink -f "$0")")/setup.sh"
gfp_setup
gfp_build release installed -DGFP_CUDA=OFF
exec build/release/gfpoly demo "$@"
