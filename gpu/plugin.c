/* plugin.c: loads a plug-in (plugin.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* dladdr, secure_getenv */
#endif
#include "gpu/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#define PATH_ROOM 4096

static const gfp_gpu_services services = {.abi = GFP_GPU_PLUGIN_ABI,
                                          .build_id = gfp_gpu_build_id,
                                          .products = &gfp_gpu_planned_products,
                                          .gfp_error_fill = gfp_error_fill,
#define SERVICE_VALUE(type, name, parameters, arguments) .name = (name),
#define SERVICE_CALL(name, parameters, arguments) .name = (name),
                                          GFP_GPU_SERVICES(SERVICE_VALUE, SERVICE_CALL)};

/* ---- opening ---- */

/* The plug-in calls this library, which must stay as long as the plug-in. */
static void keep_loaded(void)
{
    Dl_info info;
    if (dladdr(&services, &info) != 0 && info.dli_fname != NULL) {
        (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

static const gfp_gpu_backend *plugin_refuse(gfp_error *error, const char *path, const char *reason)
{
    gfp_error_fill(error, GFP_ERR_UNAVAILABLE, "no device: %.120s: %.100s", path, reason);
    return NULL;
}

const gfp_gpu_backend *gfp_gpu_plugin_open(const char *path, gfp_error *error)
{
    union {
        void *symbol;
        gfp_gpu_plugin_entry *call;
    } entry;
    char reason[100];
    if (access(path, F_OK) != 0) {
        return plugin_refuse(error, path, errno == ENOENT ? "no such plug-in" : strerror(errno));
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *message = dlerror();
        const size_t length = strlen(path);
        message = message != NULL ? message : "not loaded";
        /* The usual message begins with the path. */
        if (strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0) {
            message += length + 2;
        }
        return plugin_refuse(error, path, message);
    }
    entry.symbol = dlsym(handle, GFP_GPU_PLUGIN_ENTRY);
    if (entry.symbol == NULL) {
        return plugin_refuse(error, path, "not a plug-in of gfpoly");
    }
    keep_loaded();
    const gfp_gpu_plugin *plugin = entry.call(&services);
    if (plugin == NULL || plugin->abi != GFP_GPU_PLUGIN_ABI) {
        (void)snprintf(reason, sizeof reason, "the plug-in's interface is %llu, the library's %d",
                       plugin != NULL ? (unsigned long long)plugin->abi : 0, GFP_GPU_PLUGIN_ABI);
        return plugin_refuse(error, path, reason);
    }
    if (strcmp(plugin->build_id, gfp_gpu_build_id) != 0) {
        (void)snprintf(reason, sizeof reason, "the plug-in is of build %.28s, the library of %.28s",
                       plugin->build_id, gfp_gpu_build_id);
        return plugin_refuse(error, path, reason);
    }
    return plugin->backend != NULL ? plugin->backend
                                   : plugin_refuse(error, path, "without a backend");
}

/* ---- finding ---- */

/* Writes the folder of the library, or of the program that contains the library, to `folder`, with
 * a slash at the end; *program tells which. */
static bool own_folder(char folder[PATH_ROOM], bool *program)
{
    char *slash = NULL;
#if defined(__linux__)
    Dl_info own;
    Dl_info main_program;
    const unsigned long headers = getauxval(AT_PHDR);
    const void *at = NULL;
    memcpy(&at, &headers, sizeof at < sizeof headers ? sizeof at : sizeof headers);
    *program = dladdr(&services, &own) == 0 || (headers != 0 && dladdr(at, &main_program) != 0 &&
                                                own.dli_fbase == main_program.dli_fbase);
    char *real = realpath(*program ? "/proc/self/exe" : own.dli_fname, NULL);
    if (real != NULL && strlen(real) < PATH_ROOM) {
        memcpy(folder, real, strlen(real) + 1);
        slash = strrchr(folder, '/');
    }
    free(real);
    if (slash != NULL) {
        slash[1] = '\0';
    }
#else
    (void)folder;
    *program = false;
#endif
    return slash != NULL;
}

static bool put_path(char *path, size_t size, const char *folder, const char *below)
{
    const int length = snprintf(path, size, "%s%s" GFP_PLUGIN_FILE, folder, below);
    return length >= 0 && (size_t)length < size;
}

gfp_status gfp_gpu_plugin_find(char *path, size_t size, const char *folder, bool secure,
                               gfp_error *error)
{
    char own[PATH_ROOM];
    bool program = false;
    bool fits;
    if (!secure && folder != NULL && *folder != '\0') {
        fits = put_path(path, size, folder, "/");
    } else if (!own_folder(own, &program)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "no device: the folder of the library is unknown");
    } else {
        fits = put_path(path, size, own, "");
        /* Programs with the static library are installed in bin/, plug-ins in the folder of the
         * shared library. */
        if (fits && program && access(path, F_OK) != 0) {
            fits = put_path(path, size, own, GFP_PLUGIN_FROM_PROGRAM "/");
        }
    }
    return fits ? GFP_OK
                : gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                                "no device: the path of the plug-in is too long");
}

/* ---- once in a process ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool asked;
static const gfp_gpu_backend *found;
static gfp_error missing;

/* A fork waits until a plug-in is loaded: the child could not load one that is half loaded. */
static void plugin_hold(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void let_go(void)
{
    (void)pthread_mutex_unlock(&lock);
}

static void guard_forks(void)
{
    (void)pthread_atfork(plugin_hold, let_go, let_go);
}

static void plugin_load(void)
{
    char path[PATH_ROOM];
#if defined(__linux__)
    const bool secure = getauxval(AT_SECURE) != 0;
    const char *folder = secure_getenv("GFPOLY_PLUGIN_DIR");
#else
    const bool secure = true;
    const char *folder = NULL;
#endif
    if (gfp_gpu_plugin_find(path, sizeof path, folder, secure, &missing) == GFP_OK) {
        found = gfp_gpu_plugin_open(path, &missing);
    }
}

const gfp_gpu_backend *gfp_gpu_plugin_backend(gfp_error *error)
{
    (void)pthread_once(&once, guard_forks);
    plugin_hold();
    if (!asked) {
        plugin_load();
        asked = true;
    }
    const gfp_gpu_backend *backend = found;
    if (backend == NULL && error != NULL) {
        *error = missing;
    }
    let_go();
    return backend;
}
