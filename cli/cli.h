/* cli.h: what the files of the gfpoly command share: exit codes, settings from the command line,
 * the table row of a subcommand, input, output, measuring.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_H
#define GFP_CLI_H

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "gfpoly.h"
#include "json.h"
#include "machine.h"
#include "sample.h"

/* Exit codes of the command. */
enum { DONE = 0, FAILED = 1, BAD_USAGE = 2 };

/* ---- the command line (options.c) ---- */

#define MAX_FILES 256
#define MAX_FIELDS 32
#define AS_INPUT (-1)

/* What the options and arguments of a subcommand say, whichever of them it has. */
struct settings {
    const char *command;
    const char *file[MAX_FILES];
    const char *field[MAX_FIELDS]; /* only demo and tune take more than one */
    const char *output;            /* NULL: standard output */
    const char *method;            /* NULL: the chooser's pick */
    const char *methods;           /* of compare, a list; NULL: all */
    const char *tuning;            /* a path or "none"; NULL: the user's file */
    size_t len;
    size_t len_b; /* 0: as len */
    size_t n;     /* 0: not given */
    uint64_t seed;
    size_t count;                    /* 0: not given */
    size_t memory, gpu_memory;       /* bytes; 0: not given */
    size_t min_len, max_len, points; /* of compare; 0: not given */
    double seconds;                  /* 0: not given */
    int files;
    int fields;
    int format; /* a gfp_format, or AS_INPUT */
    gfp_verify verify;
    gfp_order order;
    unsigned threads;
    unsigned gpu_device;
    unsigned operations;   /* bits 1 << gfp_operation; 0: not given */
    unsigned given;        /* GIVEN_ bits */
    gfp_prime_range range; /* of --search; k and bits 0: not given */
    bool time;
    bool json;
    bool measure;
    bool all;
    bool search;
    bool random;
    bool quick;
    bool merge;
    bool resume;
    bool binary;
    bool resident;
    bool explain;
    bool force;
    bool quiet;
    bool verbose;
};

/* Options that a subcommand may require; then options that only mean something beside others. */
enum { GIVEN_FIELD = 1, GIVEN_LEN = 2, GIVEN_SEED = 4, GIVEN_RANGE = 8 };

/* A subcommand. */
struct command {
    const char *name;
    const char *summary;   /* one line for the list of subcommands */
    const char *arguments; /* "A B", for the usage line */
    const char *doc;       /* argp's text: before and, after \v, behind the options */
    const struct argp_option *options;
    int files;           /* how many arguments it takes */
    int most_files;      /* where it takes more; else 0 */
    unsigned required;   /* GIVEN_ bits */
    size_t least_len;    /* that --len accepts */
    bool many_fields;    /* --field may be repeated */
    unsigned operations; /* that --operation knows: the first ones */
    int (*run)(const struct settings *settings);
};

/* Keys of the options; the options of a subcommand are made of the rows below. */
enum {
    KEY_HELP = 'h',
    KEY_HELP_TOO = '?',
    KEY_VERSION = 'V',
    KEY_OUTPUT = 'o',
    KEY_FORCE = 'f',
    KEY_THREADS = 'j',
    KEY_FIELD = 0x100,
    KEY_FORMAT,
    KEY_METHOD,
    KEY_VERIFY,
    KEY_ORDER,
    KEY_LEN,
    KEY_LEN_B,
    KEY_N,
    KEY_SEED,
    KEY_TIME,
    KEY_JSON,
    KEY_MEASURE,
    KEY_ALL,
    KEY_SEARCH,
    KEY_RANDOM,
    KEY_K,
    KEY_MIN_BITS,
    KEY_MAX_BITS,
    KEY_MIN_V2,
    KEY_COUNT,
    KEY_TUNING,
    KEY_QUICK,
    KEY_MERGE,
    KEY_RESUME,
    KEY_BINARY,
    KEY_MEMORY,
    KEY_GPU_DEVICE,
    KEY_GPU_MEMORY,
    KEY_RESIDENT,
    KEY_EXPLAIN,
    KEY_OPERATION,
    KEY_MIN_LEN,
    KEY_MAX_LEN,
    KEY_POINTS,
    KEY_METHODS,
    KEY_SECONDS,
    KEY_USAGE,
    KEY_BY,
    KEY_CHECK_POINTS,
    KEY_QUIET,
    KEY_VERBOSE
};

#define OPTION(name, key, argument, text)                                                          \
    {                                                                                              \
        name, key, argument, 0, text, 0                                                            \
    }
#define OPTION_GENERAL(name, key, text)                                                            \
    {                                                                                              \
        name, key, NULL, 0, text, -1                                                               \
    }
#define OPTION_OUTPUT                                                                              \
    OPTION("output", KEY_OUTPUT, "FILE", "Write to FILE (default and -: standard output)")
#define OPTION_FIELD                                                                               \
    OPTION("field", KEY_FIELD, "NAME",                                                             \
           "The field: a name (p8), a formula ((2^63+2^34)^8+1), or p in decimal")
#define OPTION_INPUT_FIELD                                                                         \
    OPTION("field", KEY_FIELD, "NAME",                                                             \
           "The field of the input: needed for NTL's format, which does not name it; for FLINT's " \
           "it selects one of several forms r^k + 1 of the modulus")
#define OPTION_FORMAT                                                                              \
    OPTION("format", KEY_FORMAT, "flint|ntl|binary",                                               \
           "Output format (default: that of the first input)")
#define OPTION_FORCE OPTION("force", KEY_FORCE, NULL, "Write the binary format to a terminal, too")
#define OPTION_JSON OPTION("json", KEY_JSON, NULL, "Print JSON")
#define OPTION_SEED OPTION("seed", KEY_SEED, "S", "Seed of the generator, 64 bits (default 0)")
#define OPTION_THREADS                                                                             \
    OPTION("threads", KEY_THREADS, "T",                                                            \
           "At most so many threads (default 1); results do not depend on it")
#define OPTION_ALL                                                                                 \
    OPTION("all", KEY_ALL, NULL, "Run also methods estimated at more than 20 times the pick")
#define OPTION_TUNING                                                                              \
    OPTION("tuning", KEY_TUNING, "FILE|none",                                                      \
           "Costs that `gfpoly tune' measured (default: its file, where there is one; none: the "  \
           "built-in costs)")
#define OPTION_END                                                                                 \
    {                                                                                              \
        NULL, 0, NULL, 0, NULL, 0                                                                  \
    }

/* Options of every subcommand and of none, which the top level has too: --help and its kind.
 * GENERAL_OPTIONS rows. */
#define GENERAL_OPTIONS 4
extern const struct argp_option general_options[GENERAL_OPTIONS];
/* Whether the key is one of theirs; then it is done, and the process has ended. */
bool take_general(int key, struct argp_state *state);
/* Refuses, with what may have been meant, a long option that options (which end with OPTION_END) do
 * not have; up to the first argument, or to the last. */
void check_options(struct argp_state *state, const struct argp_option *options, bool to_the_last);

/* Fills *settings. Ends the process for --help, --usage, --version and bad usage. argv[0] is the
 * name that messages and help show. */
void parse_settings(const struct command *command, int argc, char **argv,
                    struct settings *settings);

/* ---- numbers (numbers.c) ---- */

/* A decimal number without sign or spaces, at most maximum; and those below: with *value unchanged,
 * false where text is none. */
bool parse_number(const char *text, uint64_t maximum, uint64_t *value);
/* A length or count: N, 2^14, 1e4, with k (or K), M, G, T behind it for powers of 1000, Ki, Mi, Gi,
 * Ti for those of 1024. */
bool parse_length(const char *text, uint64_t maximum, uint64_t *value);
/* Bytes: the same numbers, with K (or k), M, G, T, Ki or KiB, ... behind them for powers of 1024,
 * KB, MB, ... for powers of 1000. */
bool parse_bytes(const char *text, uint64_t maximum, uint64_t *value);

/* ---- suggestions (suggest.c) ---- */

#define MAX_SUGGESTIONS 3

/* The known words nearest to an unknown one, where they are near. */
struct suggestion {
    const char *word;
    const char *meant[MAX_SUGGESTIONS];
    size_t best, count; /* mistakes, and the words that are `best' mistakes away */
    char text[200];
};

void begin_suggestion(struct suggestion *s, const char *word);
/* A known word. */
void consider(struct suggestion *s, const char *candidate);
void consider_methods(struct suggestion *s);
/* "; did you mean 'LEADmul'?", for the end of a message, or "". */
const char *end_suggestion(struct suggestion *s, const char *lead);

/* The subcommands. */
extern const struct command command_info;
extern const struct command command_primes;
extern const struct command command_random;
extern const struct command command_mul;
extern const struct command command_sqr;
extern const struct command command_verify;
extern const struct command command_dft;
extern const struct command command_idft;
extern const struct command command_add;
extern const struct command command_sub;
extern const struct command command_eval;
extern const struct command command_equal;
extern const struct command command_methods;
extern const struct command command_demo;
extern const struct command command_tune;
extern const struct command command_compare;
extern const struct command command_convert;

/* "none", "point" or "cross". */
const char *verification_name(gfp_verify verified);

/* What primes --search does. */
int search_primes(const struct settings *settings);

/* ---- messages and input (input.c) ---- */

#if defined(__GNUC__)
#define PRINTF_LIKE(format_at, arguments_at)                                                       \
    __attribute__((format(printf, format_at, arguments_at)))
#else
#define PRINTF_LIKE(format_at, arguments_at)
#endif

/* "gfpoly: " and the message on standard error. */
void complain(const char *format, ...) PRINTF_LIKE(1, 2);
/* The same for what is no error, unless --quiet is given; and only where --verbose is. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);
void tell(const char *format, ...) PRINTF_LIKE(1, 2);
/* What --quiet and --verbose say, once. */
void set_loudness(bool quiet, bool verbose);
bool quiet_asked(void);
/* The exit code for a status: FAILED where the machine or the computation failed, BAD_USAGE where
 * what was asked for cannot be done. */
int exit_code(gfp_status status);
/* Reports a failed call, with the error's message where it has one, and returns its exit code.
 * what (may be NULL) names the thing at fault. */
int complain_status(const char *what, gfp_status status, const gfp_error *error);
/* The same where so many coefficients, as the option says, cannot be had. */
int complain_length(const char *option, size_t length, gfp_status status);

/* The path of an input as messages name it: "standard input" for -. */
const char *shown_path(const char *path);

/* The field called name; reports errors. Returns an exit code. */
int create_field(gfp_field **field, const char *name);

/* A polynomial read from a file. */
struct operand {
    const char *path;
    gfp_poly poly;
    gfp_format format; /* found in the file */
    size_t stored;     /* coefficients in the file, leading zeros included */
    /* White space before the text: lines, and bytes of the line on which the text begins. */
    uint64_t skipped_lines;
    uint64_t skipped_columns;
};

/* The input of a subcommand: its first count file arguments, over one field. */
struct input {
    gfp_field *field;
    struct operand operand[MAX_FILES];
    int count;
};

/* Reads the files; reports errors as FILE:LINE:COLUMN: reason. Returns an exit code; on any but
 * DONE there is nothing to free. */
int read_input(struct input *input, const struct settings *settings, int count);
void free_input(struct input *input);
/* The format to write: what --format says, else that of the first file. */
gfp_format output_format(const struct input *input, const struct settings *settings);

/* ---- paths to write to (path.c) ---- */

/* What such a path names. */
struct target {
    char *path;     /* symbolic links at its end followed, also where they lead to no file */
    int descriptor; /* of this process, for /dev/stdout, /dev/fd/N and links to them; else -1 */
    bool foreign;   /* path is a link of /proc to what another process has open */
};

/* False with errno on failure; else target->path is to be freed. */
bool find_target(struct target *target, const char *path);
/* path and suffix joined; NULL without memory. */
char *join_path(const char *path, size_t path_length, const char *suffix);
/* The length of the folder part of a path, its slash included. */
size_t folder_length(const char *path);

/* Creates the folders on the way to a file, with this mode where they are not there; path is as it
 * was in the end. Reports errors; returns an exit code. */
int make_folders(char *path, mode_t mode);

/* ---- on a terminal (bar.c) ---- */

#define MOST_WIDTH 159 /* of a line */

/* INT, TERM and HUP only ask to stop from now on; the second one ends the command as usual. */
void watch_signals(void);
bool stop_asked(void);

/* The columns of a terminal, less one: some go to the next line after the last one. */
int line_width(int descriptor);
/* On the clock. */
double seconds_now(void);

/* A progress bar on standard error, where that is a terminal. */
struct bar {
    bool on;
    const char *label;
    double start, drawn; /* seconds on the clock; drawn 0: not yet */
    int width;           /* of the line drawn last */
};

void bar_start(struct bar *bar);
/* Draws it with the fraction done and the time left, now and then. */
void bar_show(struct bar *bar, double fraction);
void bar_clear(struct bar *bar);

/* ---- progress (progress.c) ---- */

/* A bar that comes up where work takes a while. */
struct progress {
    struct bar bar;
    gfp_progress step;
};

/* What a call of the library takes as its progress; NULL: there is nothing to show it on. The label
 * has at most 12 characters. */
const gfp_progress *begin_progress(struct progress *progress, const char *label);
void show_progress(struct progress *progress, double fraction);
void end_progress(struct progress *progress);

/* A stream that is read or written through another one, which counts its bytes. */
struct watched {
    struct progress progress;
    FILE *inner, *outer; /* outer NULL: inner itself is used */
    double done, total;
};

/* The stream to use instead of `stream`, or that itself. */
FILE *watch_reading(struct watched *watched, FILE *stream);
/* For n elements. */
FILE *watch_writing(struct watched *watched, FILE *stream, const gfp_field *field, size_t n,
                    gfp_format format);
/* Afterwards, before `stream` is closed; false with errno: what was left could not be written. */
bool end_watching(struct watched *watched);

/* ---- tuning (tuning.c) ---- */

/* The costs that the chooser uses, and where they are from. */
struct costs {
    gfp_tuning *tuning; /* NULL: the built-in ones */
    char *path;         /* NULL: the built-in ones */
};

/* The path of the user's tuning file, to be freed; NULL, reported or not, where no environment
 * variable says where it is. */
char *user_tuning_path(bool report);
/* What --tuning says, else the user's file where there is one. A stale file, and a user's file that
 * is malformed, cost a warning, and the built-in costs are used. A file that --tuning names and
 * that cannot be read or is malformed is an error. Reports errors; returns an exit code. */
int load_costs(struct costs *costs, const struct settings *settings);
/* After the work: no command asks for a GPU to compare it with the file's, but where the work has
 * used one, and it is another, that costs a warning: its times were not used. */
void check_costs_again(const struct costs *costs);
void free_costs(struct costs *costs);
/* text := "FILE:LINE: reason", "FILE: reason", or "FILE: stale: reason". */
void describe_tuning_error(char *text, size_t size, const char *path, const gfp_error *error);

/* ---- output (output.c) ---- */

/* Where a result goes. A regular file is written without a name in its folder, where the file
 * system can do that, else under a temporary one, and takes its name when complete; anything else
 * is written directly. A path that names a descriptor is written through that descriptor, a regular
 * file too: whoever opened it goes on writing there. */
struct output {
    FILE *stream;
    const char *path; /* as the user named it; NULL: standard output */
    char *target;     /* path with symbolic links followed; NULL: a descriptor */
    char *temporary;  /* the name of the new file before it is target's; NULL: written directly */
    int nameless;     /* the new file where it has no name yet, else -1 */
};

/* Prepares the command's standard streams and signals; called once. */
void prepare_output(void);
/* Opens path (NULL or "-": standard output). Reports errors; returns an exit code. */
int open_output(struct output *output, const char *path);
/* The same for a polynomial, as the settings say; refuses the binary format on a terminal unless
 * --force is given. */
int open_result(struct output *output, const struct settings *settings, gfp_format format);
/* Writes n elements and ends the output as finish_output does. */
int write_result(struct output *output, const gfp_field *field, const uint64_t *digits, size_t n,
                 gfp_format format);
/* Ends the output, status being that of the last write to it (errno as it left it): puts the file
 * in place if all went well, else removes it. Reports errors; returns an exit code. */
int finish_output(struct output *output, gfp_status status);
/* Ends the output without a result: the old file stays. */
void abandon_output(struct output *output);
/* Makes sure that standard output took everything; reports once if not. error_number is that of an
 * earlier write that failed, or 0. Returns an exit code. */
int flush_standard_output(int error_number);

/* Blocks the signals that end the command, and lets them through again. From then on they remove
 * the file called `new`, and no longer the one called `old`; either may be NULL. The name stays the
 * caller's. */
void hold_signals(sigset_t *before);
void release_signals(const sigset_t *before, const char *old, const char *new);

/* ---- mapped files (mapped.c) ---- */

/* A binary file that is being made; a signal that ends the command removes it. */
struct result {
    const char *path; /* as the user named it */
    gfp_file *file;
    char *temporary;
};

/* Opens a binary file, over field where that is not NULL. Reports errors; returns an exit code. */
int open_mapped(gfp_file **file, const char *path, const gfp_field *field);
/* Begins a file of so many coefficients. Reports errors; returns an exit code. */
int begin_result(struct result *result, const char *path, const gfp_field *field, size_t length);
/* Puts it in place. Reports errors; returns an exit code. */
int finish_result(struct result *result);
void abandon_result(struct result *result);
/* The bytes that a product of files may hold where --memory does not say: a quarter of the
 * machine's. */
size_t usual_memory(void);

/* ---- other programs (spawn.c, peers.c) ---- */

/* Starts argv[0], looked for on the search path, with these as standard input and output. Returns 0
 * or errno. */
int spawn_filter(pid_t *pid, char *const *argv, int in, int out);

/* The path of this command's file, to be freed; NULL where that is not known. */
char *own_path(void);

/* Another library, by a program that computes a product with it: gfpoly_peer_flint and
 * gfpoly_peer_ntl, in the command's folder or in ../libexec/gfpoly from there. */
#define MOST_PEERS 2
struct peer {
    char path[4096];
    char name[16], version[48]; /* "FLINT", "3.1.3 with fft_small" */
};

/* Those that are there and answer; returns how many. */
size_t find_peers(struct peer *peers);
/* The product of a and b, of the same length, by its library on one thread, compared with what is
 * expected; conversions are not timed. Errors, with a message: VERIFY (another product), MEMORY, IO
 * (it could not be run, or ended too early); CANCELLED where a signal asked to stop. */
gfp_status measure_peer(struct timing *timing, const struct peer *peer, const struct effort *effort,
                        const gfp_poly *a, const gfp_poly *b, const gfp_poly *expected,
                        gfp_error *error);

/* ---- what a cap on memory costs (forced.c) ---- */

/* A problem, and the options of the call. */
struct question {
    gfp_problem problem;
    gfp_options options;
};

/* text := which method the question's cap on memory forces, what the method needs that would be
 * taken without it, and how much slower that is; false, and "", where the cap changes nothing. */
bool describe_forced(char *text, size_t size, const gfp_field *field,
                     const struct question *question);
/* Says that, as of --memory, where a product of that kind is to be computed by the pick. */
void say_what_memory_forces(const struct settings *settings, const gfp_field *field,
                            const struct question *question);

/* ---- measuring (measure.c) ---- */

/* What is known of one method for one problem. */
struct row {
    gfp_method_info info;
    bool skipped;     /* available, but not to be run */
    char reason[200]; /* why unavailable or skipped; "" when neither */
    struct timing timing;
};

/* All rows of the method table for a problem. Methods whose estimate is more than
 * 20 times the pick's are marked skipped unless all is set, but the keep cheapest methods never. */
struct survey {
    const char *pick;       /* NULL: no method can serve */
    const char *first_pick; /* while the process had not used the GPU yet, which takes a while */
    size_t count;
    struct row *rows;
};

/* Estimates for the problem. Reports errors; returns an exit code. */
int make_survey(struct survey *survey, const gfp_field *field, const struct question *question,
                bool all, size_t keep);
void free_survey(struct survey *survey);
/* The row of the pick; NULL where there is none. */
const struct row *survey_pick(const struct survey *survey);
/* About a second. */
extern const struct effort usual_effort;
/* By its name. */
bool runs_on_gpu(const char *method);
/* The problem, which is not of files, by the row's method on random polynomials a and b of its
 * lengths, repeated: by the thread's clock where neither other threads nor a GPU take part. The
 * last product goes to c (of a batch: nothing). CANCELLED where effort said so. */
gfp_status measure_row(struct row *row, const struct question *question,
                       const struct effort *effort, gfp_poly *c, const gfp_poly *a,
                       const gfp_poly *b, gfp_error *error);
/* c := what such a measurement computes, of no batch, by the pick and verified. */
gfp_status run_verified(const struct question *question, gfp_poly *c, const gfp_poly *a,
                        const gfp_poly *b, gfp_error *error);
/* Two polynomials of exactly len_a and len_b coefficients from the generator seeded with seed. */
gfp_status draw_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed);
/* The same for empty ones. Reports errors, as of the option that gave the length; returns an exit
 * code. */
int random_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed);

#endif
