/* mapped.c: mapped binary files: operands, and a result that takes its name when it is complete.
 * Signals remove an incomplete result.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define LEAST_MEMORY ((size_t)256 << 20)

bool is_binary_file(const char *path)
{
    struct stat status;
    FILE *stream = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode)
                       ? fopen(path, "rb")
                       : NULL;
    if (stream == NULL) {
        return false;
    }
    const bool binary = getc(stream) == GFP_BINARY_FIRST_BYTE;
    (void)fclose(stream);
    return binary;
}

int complain_file(const char *path, gfp_status status, const gfp_error *error)
{
    const int code = status == GFP_OK ? DONE : complain_status(path, status, error);
    if (status == GFP_ERR_PARSE && !is_binary_file(path)) {
        complain("`gfpoly convert' converts other formats to binary files");
    }
    return code;
}

static int open_file(gfp_file **file, const char *path, const gfp_field *field)
{
    gfp_error error = {.message = ""};
    const gfp_status status = gfp_file_open(file, path, field, NULL, &error);
    if (status == GFP_OK) {
        tell("%s: %zu coefficients over %s, mapped", path, gfp_file_get_info(*file).length,
             gfp_field_name(gfp_file_get_info(*file).field));
    }
    return complain_file(path, status, &error);
}

int open_mapped(struct mapped *mapped, const struct request *request, size_t count)
{
    *mapped = (struct mapped){.named = NULL};
    int code = create_named_field(&mapped->named, request);
    mapped->field = mapped->named;
    for (size_t i = 0; i < count && code == DONE; i++) {
        code = open_file(&mapped->file[i], request->file[i], mapped->field);
        mapped->field = code == DONE ? gfp_file_get_info(mapped->file[i]).field : mapped->field;
    }
    return code;
}

void close_mapped(struct mapped *mapped)
{
    for (size_t i = MAX_FILES; i-- > 0;) { /* the field's owner comes last */
        gfp_file_close(mapped->file[i]);
    }
    gfp_field_destroy(mapped->named);
}

/* Refuses a descriptor and another process's file: a finished file could not take their place. */
static int check_target(const struct target *target, const char *path)
{
    if (target->descriptor >= 0 || target->foreign) {
        complain("%s: cannot be mapped: it is a descriptor or another process's file", path);
        return BAD_USAGE;
    }
    return DONE;
}

int complain_result(const char *path, gfp_status status, const gfp_error *error)
{
    const int code = status == GFP_OK ? DONE : complain_status(path, status, error);
    return status == GFP_ERR_IO ? FAILED : code;
}

/* Creates the file and registers the name that signals remove, with signals blocked meanwhile. */
static int create_result(struct result *result, const char *target, const gfp_field *field,
                         size_t length)
{
    gfp_error error = {.message = ""};
    sigset_t before;
    hold_signals(&before);
    gfp_status status =
        result->shares   ? gfp_file_share(&result->file, target, field, length, &error)
        : result->parted ? gfp_file_resume(&result->file, target, field, length, &error)
                         : gfp_file_create(&result->file, target, field, length, &error);
    if (status == GFP_OK && result->is_named) {
        status = gfp_file_name(result->file, &error);
    }
    if (status == GFP_OK) {
        const char *name = gfp_file_get_info(result->file).temporary; /* NULL: without a name */
        result->temporary = name != NULL ? join_path(name, strlen(name), "") : NULL;
        if (name != NULL && result->temporary == NULL) {
            if (result->is_new) {
                (void)remove(name);
            }
            status = GFP_ERR_MEMORY;
        }
    }
    if (status != GFP_OK) {
        gfp_file_close(result->file);
        result->file = NULL;
    }
    release_signals(&before, NULL, result->stays ? NULL : result->temporary);
    return complain_result(result->path, status, &error);
}

/* Without --resume the work of an earlier call is neither used nor overwritten. */
static int begin_part(struct result *result, const char *target, const gfp_field *field,
                      size_t length)
{
    struct stat status;
    char *part = join_path(target, strlen(target), GFP_FILE_KEPT);
    result->is_new = !result->shares && part != NULL && lstat(part, &status) != 0;
    free(part);
    const bool refused = !result->stays && !result->is_new;
    result->stays = result->stays || refused;
    const int code = create_result(result, target, field, length);
    if (code == DONE && refused) {
        complain("%s: an unfinished product is there: --resume goes on with it; or remove it",
                 result->temporary);
        return FAILED;
    }
    return code;
}

static int begin_at(struct result *result, const char *path, const gfp_field *field, size_t length)
{
    struct target target;
    result->path = path;
    if (!find_target(&target, path)) {
        complain("%s: cannot write: %s", path, strerror(errno));
        return FAILED;
    }
    int code = check_target(&target, path);
    if (code == DONE) {
        code = result->parted ? begin_part(result, target.path, field, length)
                              : create_result(result, target.path, field, length);
    }
    free(target.path);
    return code;
}

int begin_result(struct result *result, const char *path, const gfp_field *field, size_t length)
{
    *result = (struct result){.path = path};
    return begin_at(result, path, field, length);
}

int begin_named_result(struct result *result, const char *path, const gfp_field *field,
                       size_t length)
{
    *result = (struct result){.is_named = true};
    return begin_at(result, path, field, length);
}

int begin_parted_result(struct result *result, const char *path, const gfp_field *field,
                        size_t length, bool stays)
{
    *result = (struct result){.parted = true,
                              .shares = hooks_of_ranks.is_other,
                              .stays = stays || hooks_of_ranks.is_other};
    return begin_at(result, path, field, length);
}

void abandon_result(struct result *result)
{
    sigset_t before;
    /* NULL once the file is complete. */
    const bool left = result->file != NULL && gfp_file_get_info(result->file).temporary != NULL;
    hold_signals(&before);
    if (left && result->parted && !result->stays) {
        (void)remove(result->temporary); /* while it is locked */
    }
    gfp_file_close(result->file);
    release_signals(&before, result->temporary, NULL);
    free(result->temporary);
    *result = (struct result){.path = NULL};
}

int finish_result(struct result *result)
{
    gfp_error error = {.message = ""};
    const gfp_status status = gfp_file_commit(result->file, &error);
    const int code = complain_result(result->path, status, &error);
    if (status == GFP_OK) {
        tell("%s: written", result->path);
    }
    abandon_result(result); /* removes the file only if it was not committed */
    return code;
}

int check_binary(const struct request *request)
{
    const char *name = request->command->name;
    if (request->output == NULL || strcmp(request->output, "-") == 0) {
        complain("%s: --binary needs -o FILE: the result is a file that is mapped", name);
        return BAD_USAGE;
    }
    for (int i = 0; i < request->files; i++) {
        if (strcmp(request->file[i], "-") == 0) {
            complain("%s: --binary maps its operands: standard input cannot be one", name);
            return BAD_USAGE;
        }
    }
    if (request->format != AS_INPUT && request->format != GFP_FORMAT_BINARY) {
        complain("%s: --binary writes the binary format; `gfpoly convert' writes others", name);
        return BAD_USAGE;
    }
    return DONE;
}

size_t usual_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t quarter = pages > 0 && page > 0 ? (size_t)pages / 4 * (size_t)page : 0;
    return quarter > LEAST_MEMORY ? quarter : LEAST_MEMORY;
}

size_t resumed_memory(void)
{
    const size_t part = usual_memory() / 8;
    return part > LEAST_MEMORY ? part : LEAST_MEMORY;
}
