/* plugin_wrong.c: plug-ins that the library refuses. WRONG says what is wrong: 1 the interface, 2
 * the build, 3 no backend, 4 the exported function's name, 5 the answer, which is NULL.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/plugin.h"

GFP_API gfp_gpu_plugin_entry gfpoly_gpu_plugin, gfpoly_another;

#if WRONG == 4
#define gfpoly_gpu_plugin gfpoly_another
#endif

const gfp_gpu_plugin *gfpoly_gpu_plugin(const gfp_gpu_services *services)
{
    /* An address whose use would crash: the library must look at the other members before. */
    static gfp_gpu_plugin plugin = {GFP_GPU_PLUGIN_ABI + (WRONG == 1), "", (void *)1};
    plugin.build_id = WRONG == 2 ? "0.0.0-other" : services->build_id;
    plugin.backend = WRONG == 3 ? NULL : plugin.backend;
    return WRONG == 5 ? NULL : &plugin;
}
