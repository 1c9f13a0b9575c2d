/* tuning.c: the chooser's costs: from the user's tuning file, from the file that --tuning names, or
 * built in.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* folder and name joined; the caller frees the path. NULL, reported, without memory. */
static char *path_in(const char *folder, const char *name)
{
    char *path = join_path(folder, strlen(folder), name);
    if (path == NULL) {
        complain("%s", gfp_status_string(GFP_ERR_MEMORY));
    }
    return path;
}

char *user_tuning_path(bool report)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    /* The XDG Base Directory Specification says to ignore a relative XDG_CONFIG_HOME. */
    if (config != NULL && config[0] == '/') {
        return path_in(config, "/gfpoly/tuning");
    }
    if (home != NULL && home[0] == '/') {
        return path_in(home, "/.config/gfpoly/tuning");
    }
    if (report) {
        complain("neither XDG_CONFIG_HOME nor HOME names a folder for the tuning file; "
                 "name the file by -o FILE");
    }
    return NULL;
}

void describe_tuning_error(char *text, size_t size, const char *path, const gfp_error *error)
{
    char place[30] = "";
    if (error->line > 0) {
        snprintf(place, sizeof place, "%llu:", (unsigned long long)error->line);
    }
    snprintf(text, size, "%s:%s %s%s", path, place, error->status == GFP_STALE ? "stale: " : "",
             error->message);
}

void note_tuning(const char *path, const gfp_error *error)
{
    if (error->message[0] != '\0') {
        say("note: %s: %s", path, error->message);
    }
}

static void tuning_warn(const char *path, const gfp_error *error)
{
    char text[1000];
    describe_tuning_error(text, sizeof text, path, error);
    say("warning: %s; the built-in costs are used%s", text,
        error->status == GFP_STALE ? " (`gfpoly tune' measures again)" : "");
}

/* Reports why the file that --tuning names cannot be used. */
static int complain_named(const char *path, gfp_status status, const gfp_error *error)
{
    char text[1000];
    describe_tuning_error(text, sizeof text, path, error);
    complain("--tuning: %s", text);
    return status == GFP_ERR_MEMORY ? FAILED : BAD_USAGE;
}

/* Loads costs->path. A file that --tuning names (explicit) must be a tuning. Costs of another
 * machine, and a malformed default file, are ignored with a warning. */
static int load_file(struct costs *costs, bool explicit)
{
    gfp_error error = {.message = ""};
    errno = 0;
    gfp_status status = gfp_tuning_load(&costs->tuning, costs->path, NULL, &error);
    const bool missing = status == GFP_ERR_IO && (errno == ENOENT || errno == ENOTDIR);
    if (status != GFP_OK && explicit) {
        return complain_named(costs->path, status, &error);
    }
    if (status == GFP_OK) {
        note_tuning(costs->path, &error);
        status = gfp_tuning_check(costs->tuning, &error);
    }
    if (status != GFP_OK) {
        if (!missing) {
            tuning_warn(costs->path, &error);
        }
        free_costs(costs);
    }
    return DONE;
}

int load_costs(struct request *request)
{
    struct costs *costs = &request->costs;
    bool explicit = request->call.tuning != NULL;
    *costs = (struct costs){.tuning = NULL};
    if (!has_option(request->command, "tuning")) {
        return DONE;
    }
    if (explicit && strcmp(request->call.tuning, "none") == 0) {
        return DONE;
    }
    costs->path = explicit ? path_in(request->call.tuning, "") : user_tuning_path(false);
    if (costs->path == NULL) {
        return explicit ? FAILED : DONE;
    }
    int code = load_file(costs, explicit);
    if (code != DONE) {
        free_costs(costs);
    }
    return code;
}

void check_costs_again(const struct costs *costs)
{
    gfp_error error = {.message = ""};
    if (costs->tuning != NULL && gfp_tuning_check(costs->tuning, &error) != GFP_OK) {
        char text[1000];
        describe_tuning_error(text, sizeof text, costs->path, &error);
        say("warning: %s; the built-in costs are used for methods on a GPU, the file's costs for "
            "the others (`gfpoly tune' measures again)",
            text);
    }
}

void free_costs(struct costs *costs)
{
    gfp_tuning_destroy(costs->tuning);
    free(costs->path);
    *costs = (struct costs){.tuning = NULL};
}
