/* plugin_entry.c: the plug-in's side of plugin.h: the exported function, and the library's
 * functions under their own names, which pass calls on to the services. GFP_GPU_PLUGIN_BACKEND is
 * the backend's name.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "gpu/plugin.h"

static _Atomic(const gfp_gpu_services *) services;

/* gfp_error_fill takes any arguments; the services' function takes the finished text. */
void gfp_error_fill(gfp_error *error, gfp_status status, const char *format, ...)
{
    if (error != NULL) {
        char text[sizeof error->message];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        services->gfp_error_fill(error, status, "%s", text);
    }
}

#define VALUE(type, name, parameters, arguments)                                                   \
    type name parameters                                                                           \
    {                                                                                              \
        return services->name arguments;                                                           \
    }
#define CALL(name, parameters, arguments)                                                          \
    void name parameters                                                                           \
    {                                                                                              \
        services->name arguments;                                                                  \
    }
GFP_GPU_SERVICES(VALUE, CALL)

/* Nobody calls this table: the backend that is returned has the library's table. */
const gfp_gpu_product_calls gfp_gpu_planned_products = {.plan_size = 0};

extern const gfp_gpu_backend GFP_GPU_PLUGIN_BACKEND;

GFP_API gfp_gpu_plugin_entry gfpoly_gpu_plugin;

const gfp_gpu_plugin *gfpoly_gpu_plugin(const gfp_gpu_services *given)
{
    static gfp_gpu_backend backend;
    static const gfp_gpu_plugin plugin = {GFP_GPU_PLUGIN_ABI, gfp_gpu_build_id, &backend};
    static const gfp_gpu_plugin refusal = {GFP_GPU_PLUGIN_ABI, gfp_gpu_build_id, NULL};
    if (given->abi != GFP_GPU_PLUGIN_ABI || strcmp(given->build_id, gfp_gpu_build_id) != 0) {
        return &refusal;
    }
    const gfp_gpu_services *none = NULL;
    if (atomic_compare_exchange_strong(&services, &none, given)) {
        backend = GFP_GPU_PLUGIN_BACKEND;
        if (backend.products == &gfp_gpu_planned_products) {
            backend.products = given->products;
        }
    }
    return &plugin;
}
