/* bench/options.h: the options of a program as a table, and the parser of all tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"

/* The member of the program's settings that an option sets. */
typedef enum option_kind {
    OPTION_FLAG,       /* a bool */
    OPTION_TEXT,       /* a const char * */
    OPTION_CHOICE,     /* a const char *, one of the words that `argument` shows: "a|b" */
    OPTION_SECONDS,    /* a double above 0 */
    OPTION_NUMBER,     /* a uint64_t from `least` to `most` */
    OPTION_SIZE,       /* a size_t from `least` to `most` */
    OPTION_COUNT,      /* an unsigned from `least` to `most` */
    OPTION_LIST,       /* MAX_LENGTHS size_t at most, "N,N,..."; their number is at count_place */
    OPTION_FIELD,      /* one more of MAX_FIELDS const char *; their number is at count_place */
    OPTION_ALL_FIELDS, /* the same with all named fields */
    OPTION_TAKEN       /* what `take` makes of the text */
} option_kind;

typedef struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* as the help shows it; NULL: none */
    const char *help;
    int group;
    option_kind kind;
    size_t place, count_place; /* offsets in the settings */
    uint64_t least, most;
    void (*take)(struct argp_state *state, void *into, const char *text);
} option_row;

/* The fields that most rows have: a member of the settings' type is set. */
#define ROW(type, member, of_kind, text, value, description)                                       \
    .name = (text), .argument = (value), .help = (description), .kind = (of_kind),                 \
    .place = offsetof(type, member)

/* Rows that most programs have; their settings begin with a `settings`. */
#define FIELD_ROWS                                                                                 \
    {ROW(settings, fields, OPTION_FIELD, "field", "FIELD",                                         \
         "A field: name, formula or p; may be repeated (default: p8)"),                            \
     .letter = 'f', .count_place = offsetof(settings, field_count)},                               \
    {                                                                                              \
        ROW(settings, fields, OPTION_ALL_FIELDS, "fields", "all", "All named fields"),             \
            .count_place = offsetof(settings, field_count)                                         \
    }
#define LENGTHS_ROW(text)                                                                          \
    {                                                                                              \
        ROW(settings, lengths, OPTION_LIST, "len", "N,N,...", text),                               \
            .letter = 'l', .count_place = offsetof(settings, length_count)                         \
    }
#define TIME_ROWS(time)                                                                            \
    {ROW(settings, seconds, OPTION_SECONDS, "seconds", "S",                                        \
         "Time to spend on one figure (default: " time ")"),                                       \
     .group = 2},                                                                                  \
    {                                                                                              \
        ROW(settings, seed, OPTION_NUMBER, "seed", "N", "Seed of random operands (default: 1)"),   \
            .group = 2, .most = UINT64_MAX                                                         \
    }
#define FILE_ROWS                                                                                  \
    {ROW(settings, csv, OPTION_TEXT, "csv", "FILE", "Write the figures as CSV to FILE"),           \
     .group = 3},                                                                                  \
    {                                                                                              \
        ROW(settings, json, OPTION_TEXT, "json", "FILE", "Write the figures as JSON to FILE"),     \
            .group = 3                                                                             \
    }

typedef struct program {
    const char *name;          /* begins messages */
    const char *documentation; /* argp's */
    const option_row *rows;
    size_t count;          /* at most 64 */
    void *into;            /* the settings */
    const char *arguments; /* of the usage line; NULL: the program takes options alone */
    /* Takes one of the arguments. */
    void (*take)(struct argp_state *state, void *into, const char *text);
    /* Completes the settings, may end the program; NULL: nothing to complete. */
    void (*complete)(struct argp_state *state, void *into);
} program;

/* Fills the settings and sets program_name. Ends the program with status 2 after a mistake. */
void parse_options(const program *p, int argc, char **argv);
/* Opens a shared object of bench/peers/peer.h, which stays open and uses the libraries that it is
 * linked with, not the program's; ends the program if that fails. */
void *open_module(struct argp_state *state, const char *path);

#endif
