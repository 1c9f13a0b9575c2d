/* settings.c: see settings.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* secure_getenv */
#include "bindings/preload/settings.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/preload/hosts.h"

static gfp_settings settings;
static char count_file[4096];

static const char *const names[GFP_COUNTERS] = {
    "mod", "mod_passed", "z",        "z_passed", "division", "division_passed",
    "gcd", "gcd_passed", "verified", "wrong",    "moduli",
};
static atomic_ulong counters[GFP_COUNTERS];

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool only_mod, only_z;
/* The first unknown word, cut off where it is long. */
static char unknown[60];

static bool read_count(const char *text, size_t length)
{
    static const char count[] = "count=";
    const size_t prefix = sizeof count - 1;
    if (length <= prefix || length - prefix >= sizeof count_file ||
        memcmp(text, count, prefix) != 0) {
        return false;
    }
    memcpy(count_file, text + prefix, length - prefix);
    count_file[length - prefix] = '\0';
    return true;
}

static void read_word(const char *text, size_t length)
{
    const struct {
        const char *word;
        bool *setting;
    } words[] = {
        {"off", &settings.off}, {"verify", &settings.verify}, {"mod", &only_mod}, {"z", &only_z}};
    const size_t count = gfp_preload_self.over_z ? 4 : 2;
    for (size_t i = 0; i < count; i++) {
        if (is_word(text, length, words[i].word)) {
            *words[i].setting = true;
            return;
        }
    }
    const bool known = length == 0 || is_word(text, length, "on") || read_count(text, length);
    if (!known && unknown[0] == '\0') {
        (void)snprintf(unknown, sizeof unknown, "%.*s", (int)(length < 50 ? length : 50), text);
    }
}

/* Before the constructor that looks for a host, which complains (hosts.c). */
__attribute__((constructor(101))) static void read_settings(void)
{
    const char *text = secure_getenv(gfp_preload_self.variable);
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        read_word(text, length);
        text += length + (text[length] == ',');
    }
    settings.no_z = only_mod && !only_z;
    settings.no_mod = only_z && !only_mod;
}

void gfp_settings_complain(void)
{
    char line[200];
    if (unknown[0] == '\0') {
        return;
    }
    const int length =
        snprintf(line, sizeof line,
                 "gfpoly: %s: unknown word \"%s\"; available: on, off, verify, %scount=FILE\n",
                 gfp_preload_self.variable, unknown, gfp_preload_self.over_z ? "mod, z, " : "");
    (void)!write(STDERR_FILENO, line, (size_t)length);
}

const gfp_settings *gfp_settings_get(void)
{
    return &settings;
}

void gfp_count_add(gfp_count counter)
{
    (void)atomic_fetch_add_explicit(&counters[counter], 1, memory_order_relaxed);
}

static bool has_counter(size_t i)
{
    const bool over_z = i == GFP_COUNT_Z || i == GFP_COUNT_Z_PASSED;
    const bool divides = i >= GFP_COUNT_DIVISION && i <= GFP_COUNT_GCD_PASSED;
    return (gfp_preload_self.over_z || !over_z) && (gfp_preload_self.divides || !divides);
}

long gfp_count_of(const char *name)
{
    if (name == NULL) {
        return -1;
    }
    for (size_t i = 0; i < GFP_COUNTERS; i++) {
        if (has_counter(i) && strcmp(name, names[i]) == 0) {
            return (long)atomic_load(&counters[i]);
        }
    }
    return strcmp(name, gfp_preload_self.hosts) == 0 ? (long)gfp_host_count() : -1;
}

/* One line, written by one call, so that the lines of several processes do not mix; none of a
 * process without a host. */
__attribute__((destructor)) static void write_counts(void)
{
    char line[512];
    int length = snprintf(line, sizeof line, "%ld:", (long)getpid());
    for (size_t i = 0; i < GFP_COUNTERS; i++) {
        if (has_counter(i)) {
            length += snprintf(line + length, sizeof line - (size_t)length, " %s=%ld", names[i],
                               gfp_count_of(names[i]));
        }
    }
    length += snprintf(line + length, sizeof line - (size_t)length, " %s=%u\n",
                       gfp_preload_self.hosts, gfp_host_count());
    const int file = count_file[0] == '\0' || gfp_host_count() == 0
                         ? -1
                         : open(count_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
        (void)!write(file, line, (size_t)length);
        (void)close(file);
    }
}
