/* path.c: the target of an output path: a file, at the end of symbolic links, or a descriptor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define MAX_LINKS 40 /* in a chain of symbolic links, as in Linux */
#define NUMBER_DIGITS 9

/* Folders that list the descriptors of this process. */
static const char *const descriptor_folders[] = {"/dev/fd", "/proc/self/fd",
                                                 "/proc/thread-self/fd"};
#define DESCRIPTOR_FOLDERS (sizeof descriptor_folders / sizeof descriptor_folders[0])

char *join_path(const char *path, size_t path_length, const char *suffix)
{
    size_t suffix_length = strlen(suffix);
    char *joined = malloc(path_length + suffix_length + 1);
    if (joined != NULL) {
        memcpy(joined, path, path_length);
        memcpy(joined + path_length, suffix, suffix_length + 1);
    }
    return joined;
}

size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The descriptor of this process that path names; links in the folder part are followed. Else -1.
 */
static int descriptor_of(const char *path)
{
    size_t length = folder_length(path);
    const char *name = path + length;
    size_t digits = strspn(name, "0123456789");
    struct stat folder;
    if (digits == 0 || digits > NUMBER_DIGITS || name[digits] != '\0') {
        return -1;
    }
    char *folder_path = join_path(path, length, ".");
    bool found = folder_path != NULL && stat(folder_path, &folder) == 0;
    free(folder_path);
    for (size_t i = 0; found && i < DESCRIPTOR_FOLDERS; i++) {
        struct stat own;
        if (stat(descriptor_folders[i], &own) == 0 && own.st_dev == folder.st_dev &&
            own.st_ino == folder.st_ino) {
            return (int)strtol(name, NULL, 10);
        }
    }
    return -1;
}

/* Whether a link lies in /proc: there the text of a link to an open file describes the file and is
 * no path to follow. */
static bool is_description(const struct stat *link)
{
    struct stat proc;
    return stat("/proc/self/fd", &proc) == 0 && proc.st_dev == link->st_dev;
}

/* Replaces *path, a symbolic link, by its target. Returns false with errno on failure. */
static bool follow_link(char **path)
{
    char text[PATH_MAX];
    ssize_t length = readlink(*path, text, sizeof text - 1);
    if (length < 0) {
        return false;
    }
    text[length] = '\0';
    char *next = join_path(*path, text[0] == '/' ? 0 : folder_length(*path), text);
    if (next == NULL) {
        return false;
    }
    free(*path);
    *path = next;
    return true;
}

/* Follows one link from target->path; *done: nothing is left to follow. */
static bool follow_once(struct target *target, bool *done)
{
    struct stat status;
    *done = true;
    target->descriptor = descriptor_of(target->path);
    if (target->descriptor >= 0) {
        return true;
    }
    if (lstat(target->path, &status) != 0) {
        return errno == ENOENT;
    }
    if (!S_ISLNK(status.st_mode)) {
        return true;
    }
    target->foreign = is_description(&status);
    if (target->foreign) {
        return true;
    }
    *done = false;
    return follow_link(&target->path);
}

bool find_target(struct target *target, const char *path)
{
    *target = (struct target){.path = join_path(path, strlen(path), "")};
    bool good = target->path != NULL;
    bool done = false;
    for (int links = 0; good && !done; links++) {
        good = follow_once(target, &done);
        if (good && !done && links == MAX_LINKS) {
            errno = ELOOP;
            good = false;
        }
    }
    if (!good) {
        free(target->path);
    }
    return good;
}

int make_folders(char *path, mode_t mode)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, mode) == 0 || errno == EEXIST;
        if (!made) {
            complain("%s: cannot create this folder: %s", path, strerror(errno));
            return FAILED;
        }
        *slash = '/';
    }
    return DONE;
}
