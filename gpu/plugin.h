/* plugin.h: the interface between the library and a plug-in, a shared library that has a backend
 * (backend.h) and that the library loads at run time (plugin.c). A plug-in does not link the
 * library. It exports one function, gfpoly_gpu_plugin (plugin_entry.c), which takes the functions
 * of the library that the backend calls, and returns the backend.
 *
 * Library and plug-in share structures, so they must be of one build: GFP_GPU_PLUGIN_ABI is the
 * version of this header, gfp_gpu_build_id is a hash of the headers that both sides include.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_PLUGIN_H
#define GFP_GPU_PLUGIN_H

#include "gpu/backend.h"
#include "field/base/context.h"
#include "fft/words/primes.h"

#define GFP_GPU_PLUGIN_ABI 1
#define GFP_GPU_PLUGIN_ENTRY "gfpoly_gpu_plugin"

/* "VERSION-HASH" of the sources, on either side; generated. */
extern const char gfp_gpu_build_id[];

/* The functions of the library that backends call: VALUE(result, name, parameters, arguments), or
 * CALL(name, parameters, arguments) for a function without a result. gfp_error_fill, which has a
 * variable list of arguments, and the table gfp_gpu_planned_products are served besides. */
/* clang-format off */
#define GFP_GPU_SERVICES(VALUE, CALL)                                                              \
    VALUE(void *, gfp_allocate, (const gfp_allocator *a, size_t count, size_t size),               \
          (a, count, size))                                                                        \
    CALL(gfp_release, (const gfp_allocator *a, void *block, size_t count, size_t size),            \
         (a, block, count, size))                                                                  \
    VALUE(size_t, gfp_size_mul_sat, (size_t a, size_t b), (a, b))                                  \
    VALUE(size_t, gfp_size_add_sat, (size_t a, size_t b), (a, b))                                  \
    VALUE(int, gfp_rounding_begin, (void), ())                                                     \
    CALL(gfp_rounding_end, (int mode), (mode))                                                     \
    VALUE(unsigned, gfp_field_k, (const gfp_field *f), (f))                                        \
    VALUE(uint64_t, gfp_field_r, (const gfp_field *f), (f))                                        \
    VALUE(const char *, gfp_field_name, (const gfp_field *f), (f))                                 \
    VALUE(unsigned, gfp_field_v2_order, (const gfp_field *f), (f))                                 \
    VALUE(gfp_status, gfp_field_root, (const gfp_field *f, uint64_t *root, unsigned m),            \
          (f, root, m))                                                                            \
    CALL(gfp_vec_set, (const gfp_field *f, uint64_t *z, const uint64_t *x, size_t n),              \
         (f, z, x, n))                                                                             \
    CALL(gfp_elem_set_u64, (const gfp_field *f, uint64_t *z, uint64_t value), (f, z, value))       \
    CALL(gfp_vec_neg, (const gfp_field *f, uint64_t *z, const uint64_t *x, size_t n),              \
         (f, z, x, n))                                                                             \
    CALL(gfp_elem_mul, (const gfp_field *f, uint64_t *z, const uint64_t *x, const uint64_t *y),    \
         (f, z, x, y))                                                                             \
    CALL(gfp_elem_pow,                                                                             \
         (const gfp_field *f, uint64_t *z, const uint64_t *x, const uint64_t *e, size_t n),        \
         (f, z, x, e, n))                                                                          \
    VALUE(gfp_status, gfp_elem_inv, (const gfp_field *f, uint64_t *z, const uint64_t *x),          \
          (f, z, x))                                                                               \
    CALL(gfp_radix_reduce, (const gfp_field *f, uint64_t *z, const uint64_t *limbs, size_t n),     \
         (f, z, limbs, n))                                                                         \
    CALL(gfp_radix_to_limbs, (const gfp_field *f, uint64_t *limbs, const uint64_t *digits),        \
         (f, limbs, digits))                                                                       \
    VALUE(gfp_status, gfp_word_prime_below, (uint64_t *q, uint64_t below, unsigned log2_n),        \
          (q, below, log2_n))                                                                      \
    VALUE(uint64_t, gfp_word_root_of_unity, (uint64_t q, unsigned log2_n), (q, log2_n))            \
    VALUE(gfp_status, gfp_gpu_enter, (gfp_gpu *gpu, bool waits, int *before),                      \
          (gpu, waits, before))                                                                    \
    VALUE(gfp_status, gfp_gpu_leave, (const gfp_gpu *gpu, int before, gfp_status status),          \
          (gpu, before, status))                                                                   \
    VALUE(int, gfp_gpu_enter_to_destroy, (const gfp_gpu *gpu), (gpu))                              \
    VALUE(void *, gfp_gpu_make, (gfp_gpu *gpu, size_t size, const char *what), (gpu, size, what))  \
    VALUE(gfp_status, gfp_gpu_device_allocate, (gfp_gpu *gpu, void **block, size_t bytes),         \
          (gpu, block, bytes))                                                                     \
    CALL(gfp_gpu_device_release, (gfp_gpu *gpu, void *block, size_t bytes), (gpu, block, bytes))   \
    VALUE(gfp_status, gfp_gpu_device_fill,                                                         \
          (gfp_gpu *gpu, void *to, const void *from, size_t bytes), (gpu, to, from, bytes))        \
    VALUE(gfp_status, gfp_gpu_array_create,                                                        \
          (gfp_gpu_array **array, gfp_gpu *gpu, size_t words, const gfp_options *options),         \
          (array, gpu, words, options))                                                            \
    CALL(gfp_gpu_array_destroy, (gfp_gpu_array *array), (array))                                   \
    VALUE(gfp_status, gfp_gpu_vec_mul,                                                             \
          (const gfp_field *f, gfp_gpu_array *z, const gfp_gpu_array *x, const gfp_gpu_array *y,   \
           size_t n), (f, z, x, y, n))                                                             \
    VALUE(gfp_status, gfp_gpu_vec_powers,                                                          \
          (const gfp_field *f, gfp_gpu_array *table, const uint64_t *root, size_t n),              \
          (f, table, root, n))                                                                     \
    VALUE(gfp_status, gfp_gpu_fft_plan_create,                                                     \
          (gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *f, size_t n,                    \
           const gfp_gpu_fft_options *of_plan, const gfp_options *options),                        \
          (plan, gpu, f, n, of_plan, options))                                                     \
    CALL(gfp_gpu_fft_plan_destroy, (gfp_gpu_fft_plan *plan), (plan))
/* clang-format on */

typedef struct gfp_gpu_services {
    uint64_t abi;         /* GFP_GPU_PLUGIN_ABI of the library; the first member in any version */
    const char *build_id; /* the library's; the second member in any version */
    const gfp_gpu_product_calls *products; /* gfp_gpu_planned_products */
    void (*gfp_error_fill)(gfp_error *error, gfp_status status, const char *format, ...);
/* Types and names cannot be in parentheses here. NOLINTBEGIN(bugprone-macro-parentheses) */
#define GFP_GPU_SERVICE_VALUE(type, name, parameters, arguments) type(*name) parameters;
#define GFP_GPU_SERVICE_CALL(name, parameters, arguments) void(*name) parameters;
    GFP_GPU_SERVICES(GFP_GPU_SERVICE_VALUE, GFP_GPU_SERVICE_CALL)
#undef GFP_GPU_SERVICE_VALUE
#undef GFP_GPU_SERVICE_CALL
    /* NOLINTEND(bugprone-macro-parentheses) */
} gfp_gpu_services;

/* What a plug-in returns; the first two members are the same in any version. */
typedef struct gfp_gpu_plugin {
    uint64_t abi;
    const char *build_id;
    const gfp_gpu_backend *backend; /* NULL if the services are of another version or build */
} gfp_gpu_plugin;

/* The type of the exported function. The result and the services live as long as the process. */
typedef const gfp_gpu_plugin *gfp_gpu_plugin_entry(const gfp_gpu_services *services);

/* ---- the library's side (plugin.c) ---- */

/* Loads the plug-in at the path, which has a slash; a plug-in is never closed. Returns the backend.
 * On failure returns NULL, and *error (may be NULL) is UNAVAILABLE, "no device: reason". */
const gfp_gpu_backend *gfp_gpu_plugin_open(const char *path, gfp_error *error);

/* Writes the path of the plug-in to `path`, which has `size` bytes: in `folder`, or, if folder is
 * NULL or empty, or if secure, beside the library. Errors: UNAVAILABLE, "no device: reason". */
gfp_status gfp_gpu_plugin_find(char *path, size_t size, const char *folder, bool secure,
                               gfp_error *error);

/* The backend of the plug-in, for gfp_gpu_use_source: the first call of the process looks for the
 * plug-in in the folder GFPOLY_PLUGIN_DIR, which processes with raised privileges ignore, or beside
 * the library, and opens the plug-in; later calls repeat the answer. Threads may call at once. */
const gfp_gpu_backend *gfp_gpu_plugin_backend(gfp_error *error);

#endif
