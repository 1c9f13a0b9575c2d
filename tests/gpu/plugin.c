/* plugin.c: backends that the library loads at run time (gpu/plugin.h). The plug-ins are
 * made of the backend `host', or wrong on purpose. What a process does once runs in a child.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gfpoly.h"
#include "gfpoly/gpu.h"
#include "gpu/arrays.h"
#include "gpu/plugin.h"

#define FILE_NAME "/libgfpoly-cuda.so.0"
#define THREADS 8
#define LENGTH 300

/* Runs work in a child with this GFPOLY_PLUGIN_DIR, whose library has no backend but that of the
 * plug-in. */
static void in_child(const char *folder, bool (*work)(void))
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(120);
        (void)setenv("GFPOLY_PLUGIN_DIR", folder, 1);
        gfp_gpu_use_backend(NULL);
        gfp_gpu_use_source(gfp_gpu_plugin_backend);
        _exit(work() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Says which check failed; cmocka's own checks would return into the parent's tests. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

/* ---- refusals ---- */

static void plugin_refuses(const char *path, const char *reason)
{
    gfp_error error = {.message = ""};
    assert_null(gfp_gpu_plugin_open(path, &error));
    assert_int_equal(error.status, GFP_ERR_UNAVAILABLE);
    if (strncmp(error.message, "no device: ", 11) != 0 || strstr(error.message, reason) == NULL) {
        fail_msg("%s: %s", path, error.message);
    }
    assert_null(gfp_gpu_plugin_open(path, NULL));
}

static void plugins_of_another_build_are_refused(void **state)
{
    (void)state;
    plugin_refuses(PLUGINS "/wrong1" FILE_NAME, ": the plug-in's interface is 2, the library's 1");
    plugin_refuses(PLUGINS "/wrong2" FILE_NAME,
                   ": the plug-in is of build 0.0.0-other, the library of ");
    plugin_refuses(PLUGINS "/wrong3" FILE_NAME, ": without a backend");
    plugin_refuses(PLUGINS "/wrong4" FILE_NAME, ": not a plug-in of gfpoly");
    plugin_refuses(PLUGINS "/wrong5" FILE_NAME, ": the plug-in's interface is 0, the library's 1");
}

static void files_that_are_no_plugins_are_refused(void **state)
{
    char name[] = "plugin_text_XXXXXX";
    char path[64];
    (void)state;
    plugin_refuses(PLUGINS "/nowhere" FILE_NAME, ": no such plug-in");
    plugin_refuses(PLUGINS, ": ");
    const int file = mkstemp(name);
    assert_true(file >= 0);
    (void)snprintf(path, sizeof path, "./%s", name);
    plugin_refuses(path, ": file too short"); /* empty */
    assert_int_equal(write(file,
                           "no library, but a text of some length, longer than a header has to "
                           "be for a library to be taken for one",
                           104),
                     104);
    assert_int_equal(close(file), 0);
    plugin_refuses(path, ": invalid ELF header");
    assert_int_equal(unlink(name), 0);
}

/* A plug-in refuses the services of another build, too; it does not call them. */
static void plugins_refuse_another_build(void **state)
{
    gfp_gpu_services services = {.abi = GFP_GPU_PLUGIN_ABI + 1, .build_id = gfp_gpu_build_id};
    union {
        void *symbol;
        gfp_gpu_plugin_entry *call;
    } entry;
    (void)state;
    void *handle = dlopen(PLUGINS "/host" FILE_NAME, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    entry.symbol = dlsym(handle, GFP_GPU_PLUGIN_ENTRY);
    assert_non_null(entry.symbol);
    assert_null(entry.call(&services)->backend);
    services.abi = GFP_GPU_PLUGIN_ABI;
    services.build_id = "0.0.0-other";
    assert_null(entry.call(&services)->backend);
    assert_string_equal(entry.call(&services)->build_id, gfp_gpu_build_id);
    /* The library's own services are taken; another call has the same answer. */
    const gfp_gpu_backend *backend = gfp_gpu_plugin_open(PLUGINS "/host" FILE_NAME, NULL);
    assert_non_null(backend);
    assert_string_equal(backend->name, "host");
    assert_ptr_equal(gfp_gpu_plugin_open(PLUGINS "/host" FILE_NAME, NULL), backend);
}

/* ---- places ---- */

static void the_folder_is_searched(void **state)
{
    char path[4096];
    char small[sizeof "/a/" FILE_NAME - 1];
    (void)state;
    assert_int_equal(gfp_gpu_plugin_find(path, sizeof path, "/a", false, NULL), GFP_OK);
    assert_string_equal(path, "/a" FILE_NAME);
    assert_int_equal(gfp_gpu_plugin_find(small, sizeof small, "/a", false, NULL), GFP_OK);
    assert_string_equal(small, "/a" FILE_NAME);
    gfp_error error = {.message = ""};
    assert_int_equal(gfp_gpu_plugin_find(small, sizeof small, "/ab", false, &error),
                     GFP_ERR_UNAVAILABLE);
    assert_string_equal(error.message, "no device: the path of the plug-in is too long");
}

/* Beside this program, or in the folder of libraries as seen from the folder of programs. A process
 * with raised privileges ignores the folder that its user names. */
static void raised_privileges_ignore_the_folder(void **state)
{
    char program[4096];
    char beside[4096 + sizeof FILE_NAME];
    char path[4096];
    (void)state;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    static const char *const folders[] = {NULL, "", PLUGINS "/host"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_gpu_plugin_find(path, sizeof path, folders[i], true, NULL), GFP_OK);
        assert_memory_equal(path, program, strlen(program));
        assert_int_equal(path[strlen(program)], '/');
        assert_string_not_equal(path, PLUGINS "/host" FILE_NAME);
        if (i < 2) {
            char usual[4096];
            assert_int_equal(gfp_gpu_plugin_find(usual, sizeof usual, folders[i], false, NULL),
                             GFP_OK);
            assert_string_equal(usual, path);
        }
    }
    /* A file beside the program is taken. */
    (void)snprintf(beside, sizeof beside, "%s" FILE_NAME, program);
    if (access(beside, F_OK) != 0) {
        assert_int_equal(symlink(PLUGINS "/wrong3" FILE_NAME, beside), 0);
        assert_int_equal(gfp_gpu_plugin_find(path, sizeof path, NULL, false, NULL), GFP_OK);
        assert_int_equal(unlink(beside), 0);
        assert_string_equal(path, beside);
    }
}

/* ---- the backend ---- */

static bool no_plugin(void)
{
    unsigned count = 77;
    gfp_gpu *gpu = NULL;
    gfp_error error = {.message = ""};
    gfp_error again = {.message = ""};
    CHECK(gfp_gpu_built_in()); /* a plug-in may come */
    CHECK(gfp_gpu_count(&count, &error) == GFP_ERR_UNAVAILABLE && count == 77);
    CHECK(error.status == GFP_ERR_UNAVAILABLE);
    CHECK(strcmp(error.message, "no device: /nowhere" FILE_NAME ": no such plug-in") == 0);
    /* The first answer stays. */
    CHECK(setenv("GFPOLY_PLUGIN_DIR", PLUGINS "/host", 1) == 0);
    CHECK(gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &again}) == GFP_ERR_UNAVAILABLE &&
          gpu == NULL);
    CHECK(strcmp(again.message, error.message) == 0);
    CHECK(gfp_gpu_count(&count, NULL) == GFP_ERR_UNAVAILABLE);
    gfp_gpu_use_source(NULL);
    CHECK(!gfp_gpu_built_in());
    CHECK(gfp_gpu_count(&count, &error) == GFP_ERR_UNAVAILABLE);
    CHECK(strcmp(error.message, "built without CUDA") == 0);
    return true;
}

static bool plugin_compute(gfp_field *field)
{
    static const char *const methods[] = {"bigfft_gpu", "hybrid_gpu", "multimodular_gpu"};
    gfp_random g;
    gfp_poly a, b, c, expected;
    gfp_random_seed(&g, 7);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    gfp_poly_init(&expected, field);
    CHECK(gfp_poly_random(&a, LENGTH, &g) == GFP_OK && gfp_poly_random(&b, LENGTH, &g) == GFP_OK);
    CHECK(gfp_poly_mul(&expected, &a, &b, &(gfp_options){.method = "classical"}) == GFP_OK);
    for (size_t i = 0; i < 3; i++) {
        gfp_error error = {.message = ""};
        const gfp_options options = {.method = methods[i], .error = &error};
        gfp_poly_zero(&c);
        if (gfp_poly_mul(&c, &a, &b, &options) != GFP_OK) {
            (void)fprintf(stderr, "%s: %s\n", methods[i], error.message);
            return false;
        }
        CHECK(gfp_poly_equal(&c, &expected));
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
    return true;
}

/* Contexts, memory, errors with arguments, and products pass through the plug-in and the services.
 */
static bool products_through_the_plugin(void)
{
    unsigned count = 0;
    gfp_gpu *gpu = NULL;
    gfp_gpu_array *array = NULL;
    gfp_field *field = NULL;
    gfp_error error = {.message = ""};
    const uint64_t words[4] = {1, 2, 3, 4};
    uint64_t back[4] = {0};
    CHECK(gfp_gpu_count(&count, &error) == GFP_OK && count >= 1);
    CHECK(gfp_gpu_create(&gpu, NULL, &(gfp_options){.gpu_memory_cap = 1 << 20, .error = &error}) ==
          GFP_OK);
    CHECK(strcmp(gpu->backend->name, "host") == 0);
    CHECK(gpu->backend->products == &gfp_gpu_planned_products);
    CHECK(gfp_gpu_array_create(&array, gpu, 4, NULL) == GFP_OK);
    CHECK(gfp_gpu_upload(array, 0, words, 4, NULL) == GFP_OK);
    CHECK(gfp_gpu_download(back, array, 0, 4, NULL) == GFP_OK);
    CHECK(memcmp(words, back, sizeof words) == 0);
    CHECK(gfp_gpu_memory_used(gpu) >= sizeof words);
    gfp_gpu_array_destroy(array);
    CHECK(gfp_gpu_memory_used(gpu) == 0);
    gfp_gpu_destroy(gpu);
    CHECK(gfp_field_create(&field, "p8", NULL, NULL) == GFP_OK);
    CHECK(plugin_compute(field));
    gfp_field_destroy(field);
    gfp_gpu_pool_release();
    return true;
}

static void *plugin_ask(void *seen)
{
    *(const gfp_gpu_backend **)seen = gfp_gpu_plugin_backend(NULL);
    return NULL;
}

static bool threads_ask_at_once(void)
{
    pthread_t thread[THREADS];
    const gfp_gpu_backend *seen[THREADS] = {NULL};
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&thread[i], NULL, plugin_ask, &seen[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(seen[i] != NULL && seen[i] == seen[0]);
    }
    return true;
}

/* Whether a child of this process can use the plug-in. */
static bool fork_and_compute(void)
{
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)alarm(60);
        _exit(products_through_the_plugin() ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return true;
}

static bool children_inherit_the_plugin(void)
{
    CHECK(gfp_gpu_plugin_backend(NULL) != NULL);
    return fork_and_compute();
}

/* The fork falls into the loading of a slow plug-in. */
static bool fork_while_another_thread_loads(void)
{
    int started[2];
    char text[16];
    char byte;
    int status = 0;
    pthread_t thread;
    const gfp_gpu_backend *seen = NULL;
    CHECK(pipe(started) == 0);
    (void)snprintf(text, sizeof text, "%d", started[1]);
    CHECK(setenv("PLUGIN_STARTED", text, 1) == 0);
    CHECK(pthread_create(&thread, NULL, plugin_ask, &seen) == 0);
    CHECK(read(started[0], &byte, 1) == 1);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)alarm(20);
        _exit(gfp_gpu_plugin_backend(NULL) != NULL ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && seen != NULL);
    return true;
}

static void a_missing_plugin_has_a_reason(void **state)
{
    (void)state;
    in_child("/nowhere", no_plugin);
}

static void a_plugin_computes(void **state)
{
    (void)state;
    in_child(PLUGINS "/host", products_through_the_plugin);
}

static void threads_get_one_backend(void **state)
{
    (void)state;
    in_child(PLUGINS "/host", threads_ask_at_once);
    in_child(PLUGINS "/slow", threads_ask_at_once);
}

static void forks_are_safe(void **state)
{
    (void)state;
    in_child(PLUGINS "/host", children_inherit_the_plugin);
    in_child(PLUGINS "/slow", fork_while_another_thread_loads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_plugin_has_a_reason),
        cmocka_unit_test(a_plugin_computes),
        cmocka_unit_test(threads_get_one_backend),
        cmocka_unit_test(forks_are_safe),
        cmocka_unit_test(plugins_of_another_build_are_refused),
        cmocka_unit_test(files_that_are_no_plugins_are_refused),
        cmocka_unit_test(plugins_refuse_another_build),
        cmocka_unit_test(the_folder_is_searched),
        cmocka_unit_test(raised_privileges_ignore_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
