/* build.c: how the library was built, and the machine that it runs on.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/cpu.h"
#include "field/base/parallel.h"

#if GFP_HAVE_FLINT
#include <flint/flint.h>
#endif

const gfp_build_info *gfp_build_get_info(void)
{
    static const gfp_build_info build = {
#if defined(__clang__)
        .compiler = "clang " __clang_version__,
#elif defined(__GNUC__)
        .compiler = "gcc " __VERSION__,
#else
        .compiler = "unknown",
#endif
#if GFP_HAVE_FLINT
        .flint = FLINT_VERSION,
#else
        .flint = "",
#endif
#if defined(__OPTIMIZE__)
        .optimised = true,
#endif
        .threads = GFP_PARALLEL != GFP_PARALLEL_NONE,
        .mpi = GFP_HAVE_MPI,
    };
    return &build;
}

gfp_machine_info gfp_machine_get_info(void)
{
    gfp_machine_info machine = {.cpu_level = gfp_cpu_level(), .threads = gfp_threads_available()};
    gfp_cpu_brand(machine.cpu);
    return machine;
}
