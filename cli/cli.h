/* cli.h: shared by the files of the gfpoly command: exit codes, settings from the command line, the
 * table row of a subcommand, input, output, measuring.
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
#include "cli/json.h"
#include "cli/machine.h"
#include "cli/compare/sample.h"

/* Exit codes of the command. */
enum { DONE = 0, FAILED = 1, BAD_USAGE = 2, OUT_OF_TIME = 3 };

/* ---- the command line (options.c) ---- */

#define MAX_FILES 256
#define MAX_FIELDS 32
#define AS_INPUT (-1)

/* The values of the options and arguments. A subcommand has some of the options only. */
struct settings {
    const char *command;
    const char *file[MAX_FILES];
    const char *field[MAX_FIELDS]; /* only demo and tune take more than one */
    const char *output;            /* NULL: standard output */
    const char *quotient, *remainder, *base, *exponent, *modulus; /* NULL: not given */
    const char *point;
    const char *first_cofactor, *second_cofactor;
    const char *method;  /* NULL: the chooser's pick */
    const char *methods; /* compare's list of methods; NULL: all */
    const char *tuning;  /* a path or "none"; NULL: the user's file */
    size_t len;
    size_t len_b; /* 0: equal to len */
    size_t n;     /* --n, --terms or --length; 0: not given */
    uint64_t seed;
    size_t count;                    /* 0: not given */
    size_t digits;                   /* 0: not given */
    size_t memory, gpu_memory;       /* bytes; 0: not given */
    size_t min_len, max_len, points; /* compare's; 0: not given */
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
    gfp_prime_range range; /* --search's; k and bits 0: not given */
    bool time;
    bool json;
    bool measure;
    bool all;
    bool search;
    bool stock;
    bool random;
    bool irreducible;
    bool boxes;
    bool quick;
    bool merge;
    bool resume;
    bool binary;
    bool resident;
    bool explain;
    bool strategies;     /* compare's */
    unsigned zoperation; /* of strategies: a gfp_zoperation */
    bool force;
    bool quiet;
    bool verbose;
};

/* Bits of `given`. A subcommand may require those up to MODULUS; others need other options, or are
 * needed by some operations. */
enum {
    GIVEN_FIELD = 1,
    GIVEN_LEN = 2,
    GIVEN_TERMS = 4,
    GIVEN_BASE = 8,
    GIVEN_EXPONENT = 16,
    GIVEN_MODULUS = 32,
    GIVEN_SEED = 64,
    GIVEN_RANGE = 128,
    GIVEN_POINT = 256
};

/* A subcommand. */
struct command {
    const char *name;
    const char *summary;   /* one line for the list of subcommands */
    const char *arguments; /* "A B", for the usage line */
    const char *doc;       /* argp's text: before the options; after \v, behind them */
    const struct argp_option *options;
    int files;           /* the number of arguments */
    int most_files;      /* the largest number of arguments; 0: `files` */
    unsigned required;   /* GIVEN_ bits */
    size_t least_len;    /* the least --len */
    bool many_fields;    /* --field may be repeated */
    unsigned operations; /* --operation accepts the first ones, this many */
    /* The products inside need operands: of the library's methods, messages list those with
     * operands, and classical. */
    bool operands;
    int (*run)(const struct settings *settings);
};

/* Keys of the options. A subcommand's table of options consists of the rows below and its own. */
enum {
    KEY_HELP = 'h',
    KEY_HELP_TOO = '?',
    KEY_VERSION = 'V',
    KEY_OUTPUT = 'o',
    KEY_FORCE = 'f',
    KEY_THREADS = 'j',
    KEY_QUOTIENT = 'q',
    KEY_REMAINDER = 'r',
    KEY_FIRST_COFACTOR = 'u',
    KEY_SECOND_COFACTOR = 'v',
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
    KEY_STOCK,
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
    KEY_VERBOSE,
    KEY_TERMS,
    KEY_BASE,
    KEY_EXPONENT,
    KEY_MODULUS,
    KEY_POINT,
    KEY_LENGTH,
    KEY_IRREDUCIBLE,
    KEY_BOXES,
    KEY_DIGITS,
    KEY_STRATEGIES,
    KEY_TIMEOUT
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
#define OPTION_FORCE OPTION("force", KEY_FORCE, NULL, "Allow the binary format on a terminal")
#define OPTION_JSON OPTION("json", KEY_JSON, NULL, "Print JSON")
#define OPTION_SEED OPTION("seed", KEY_SEED, "S", "Seed of the generator, 64 bits (default 0)")
#define OPTION_THREADS                                                                             \
    OPTION("threads", KEY_THREADS, "T",                                                            \
           "Use at most T threads (default 1); the result does not depend on T")
#define OPTION_TIME OPTION("time", KEY_TIME, NULL, "Print the times on standard error")
#define OPTION_ALL                                                                                 \
    OPTION("all", KEY_ALL, NULL, "Also run methods estimated at more than 20 times the pick's time")
#define OPTION_TUNING                                                                              \
    OPTION("tuning", KEY_TUNING, "FILE|none",                                                      \
           "Take the costs of the methods from FILE, which `gfpoly tune' wrote (default: the "     \
           "user's tuning file, if it exists), or with none the built-in costs")
/* Options of the subcommands that run_operation serves. */
#define OPERATION_OPTIONS OPERATION_OPTIONS_WITHOUT_FORMAT, OPTION_FORMAT, OPTION_FORCE
/* The same where no polynomial is written. */
#define OPERATION_OPTIONS_WITHOUT_FORMAT                                                           \
    OPTION("method", KEY_METHOD, "auto|NAME",                                                      \
           "The method of the products inside, one that `gfpoly methods --operation operand' "     \
           "lists, or classical for quadratic algorithms (default: auto). A method of a GPU does " \
           "all of divrem, gcd, resultant, powmod, multieval, interp and of the series inverse, "  \
           "quotient and shift on the GPU"),                                                       \
        OPTION("verify", KEY_VERIFY, "none|point|full",                                            \
               "How to check the result: at random points, or in full by products of a second "    \
               "method, which mul calls cross (default: point)"),                                  \
        OPTION_TUNING,                                                                             \
        OPTION("memory", KEY_MEMORY, "SIZE",                                                       \
               "Bytes that the computation may take in addition to operands and results, such as " \
               "64M or 2G (default: as many as the method needs)"),                                \
        OPTION_THREADS, OPTION("gpu-device", KEY_GPU_DEVICE, "N", "The GPU (default: 0)"),         \
        OPTION("gpu-memory", KEY_GPU_MEMORY, "SIZE",                                               \
               "Bytes of device memory that the computation may take (default: all)"),             \
        OPTION_TIME,                                                                               \
        OPTION("json", KEY_JSON, NULL,                                                             \
               "Print a JSON report on standard output; results are written to named files only"), \
        OPTION_INPUT_FIELD
/* Bounds of memory and time. */
#define Z_LIMIT_OPTIONS                                                                            \
    OPTION("memory", KEY_MEMORY, "SIZE",                                                           \
           "Bytes that the computation may take in addition to operands and results, such as "     \
           "64M or 2G (default: as many as the method needs)"),                                    \
        OPTION("timeout", KEY_TIMEOUT, "SECONDS",                                                  \
               "Stop after this time, without a result and with exit status 3 (default: none)")
/* The options of subcommands over the integers. names: the methods; others: those after words. */
#define Z_OPTIONS_WITH(names, others)                                                              \
    OPTION("method", KEY_METHOD, "auto|" names,                                                    \
           "How to compute: words (word-size primes and the Chinese remainder theorem)" others     \
           " (default: auto)"),                                                                    \
        OPTION("verify", KEY_VERIFY, "none|point|full",                                            \
               "How to check the result: modulo random primes, or in full by a second method "     \
               "(default: point)"),                                                                \
        OPTION_TUNING, Z_LIMIT_OPTIONS, OPTION_THREADS, OPTION_TIME,                               \
        OPTION("json", KEY_JSON, NULL,                                                             \
               "Print a JSON report on standard output; results are written to named files only")
#define Z_OPTIONS(names)                                                                           \
    Z_OPTIONS_WITH(names, ", big (one prime r^k + 1), mix (several), or others that the manual "   \
                          "explains")
/* Keys of the JSON of run_operation, in addition to those of the operation: the lengths of operands
 * and results.
 */
#define OPERATION_KEYS                                                                             \
    "method, verified (none, point, cross), cross_method (null: none), points, log2_error, "       \
    "threads (those that were used), compute_ns, verify_ns, gpu_method, gpu_error (as mul's)"
#define OPTION_END                                                                                 \
    {                                                                                              \
        NULL, 0, NULL, 0, NULL, 0                                                                  \
    }

/* The options of the top level and of every subcommand: --help, --usage, --version. */
#define GENERAL_OPTIONS 4
extern const struct argp_option general_options[GENERAL_OPTIONS];
/* Runs the general option with this key, which ends the process. Returns false for other keys. */
bool take_general(int key, struct argp_state *state);
/* Refuses a long option that `options` (which end with OPTION_END) lack, and suggests similar
 * names. Checks up to the first argument or, with to_the_last, all arguments. */
void check_options(struct argp_state *state, const struct argp_option *options, bool to_the_last);

/* Fills *settings. Ends the process for --help, --usage, --version and bad usage. argv[0] is the
 * name that messages and help show. */
void parse_settings(const struct command *command, int argc, char **argv,
                    struct settings *settings);

/* ---- numbers (numbers.c) ---- */

/* Parses a decimal number without sign or spaces, at most maximum. Returns false where text is no
 * such number; *value is undefined then, and also in the functions below. */
bool parse_number(const char *text, uint64_t maximum, uint64_t *value);
/* Parses a length or count: 2^14, 1e4, N, or N with k (or K), M, G, T behind it for powers of 1000,
 * or with Ki, Mi, Gi, Ti for powers of 1024. */
bool parse_length(const char *text, uint64_t maximum, uint64_t *value);
/* Parses bytes: 2^14, 1e4, N, or N with K (or k), M, G, T, Ki or KiB, ... behind it for powers of
 * 1024, or with KB, MB, ... for powers of 1000. */
bool parse_bytes(const char *text, uint64_t maximum, uint64_t *value);
/* The digits of a whole number of any size, hexadecimal behind 0x: *base := 16 or 10, *count := the
 * number of leading characters that are digits. */
const char *find_digits(const char *text, int *base, size_t *count);
/* Whether the text is a whole number of any size and sign, decimal or behind 0x hexadecimal;
 * otherwise *base is that of its digits, and *at the index of the first character that is none. */
bool is_number(const char *text, int *base, size_t *at);
/* x := such a number modulo p. */
void set_number(const gfp_field *field, uint64_t *x, const char *text);
/* The words of an exponent, a number without sign or p, the characteristic; the caller frees them.
 * NULL: no memory. */
uint64_t *exponent_words(const gfp_field *field, const char *text, size_t *limbs);

/* ---- suggestions (suggest.c) ---- */

#define MAX_SUGGESTIONS 3

/* Known words that are similar to an unknown word. */
struct suggestion {
    const char *word;
    const char *meant[MAX_SUGGESTIONS];
    size_t best, count; /* the fewest mistakes, and the number of words with as many */
    char text[200];
};

void begin_suggestion(struct suggestion *s, const char *word);
/* Considers a known word, or the names of all methods. */
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
extern const struct command command_divrem;
extern const struct command command_powmod;
extern const struct command command_compose;
extern const struct command command_gcd;
extern const struct command command_xgcd;
extern const struct command command_resultant;
extern const struct command command_discriminant;
extern const struct command command_series;
extern const struct command command_roots;
extern const struct command command_factor;
extern const struct command command_multieval;
extern const struct command command_interp;
extern const struct command command_crt;
extern const struct command command_zmul;
extern const struct command command_zgcd;
extern const struct command command_zresultant;
extern const struct command command_zbiresultant;
extern const struct command command_zdiscriminant;
extern const struct command command_zsystem;
extern const struct command command_zdeterminant;
extern const struct command command_zcharpoly;
extern const struct command command_zcomposedsum;
extern const struct command command_zcomposeddifference;
extern const struct command command_zcomposedproduct;
extern const struct command command_zcomposedquotient;
extern const struct command command_zreconstruct;
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

/* c := f(X + x), also where the characteristic is below the length of f (cli/commands/compose.c).
 */
gfp_status shift_polynomial(gfp_poly *c, const gfp_poly *f, const uint64_t *x,
                            const gfp_options *options);

/* Run `primes --search' and `primes --stock'. */
int search_primes(const struct settings *settings);
int list_stock(const struct settings *settings);

/* ---- messages and input (input.c) ---- */

#if defined(__GNUC__)
#define PRINTF_LIKE(format_at, arguments_at)                                                       \
    __attribute__((format(printf, format_at, arguments_at)))
#else
#define PRINTF_LIKE(format_at, arguments_at)
#endif

/* "gfpoly: " and the message on standard error. */
void complain(const char *format, ...) PRINTF_LIKE(1, 2);
/* The same for a note or warning, which --quiet suppresses, and for a detail, which --verbose
 * shows. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);
void tell(const char *format, ...) PRINTF_LIKE(1, 2);
/* Takes the values of --quiet and --verbose; called once. */
void set_loudness(bool quiet, bool verbose);
bool quiet_asked(void);
/* The exit code for a status: FAILED where the machine or the computation failed, BAD_USAGE where
 * the request was wrong. */
int exit_code(gfp_status status);
/* Reports a failed call with the error's message, or the status's text if the error has none.
 * Returns its exit code. what (may be NULL) names the thing at fault. */
int complain_status(const char *what, gfp_status status, const gfp_error *error);
/* The same where the length that this option gives is impossible or needs too much memory. */
int complain_length(const char *option, size_t length, gfp_status status);

/* The path of an input as messages name it: "standard input" for -. */
const char *shown_path(const char *path);

/* The field called name; reports errors. Returns an exit code. */
int create_field(gfp_field **field, const char *name);

/* A polynomial read from a file: over a field, or over Z. */
struct operand {
    const char *path;
    gfp_poly poly;
    gfp_zvec integers;
    gfp_zbipoly bivariate;
    gfp_zmatrix matrix;
    gfp_format format; /* found in the file */
    size_t stored;     /* coefficients in the file, leading zeros included */
    /* White space before the text: lines, and bytes of the line on which the text begins. */
    uint64_t skipped_lines;
    uint64_t skipped_columns;
};

/* The files of a subcommand over Z. */
enum integer_kind { ONE_VARIABLE, TWO_VARIABLES, MATRICES };

/* The polynomials of a subcommand's first `count` file arguments, over one field, or over Z. */
struct input {
    gfp_field *field;
    gfp_zring *ring; /* NULL: polynomials over a field */
    enum integer_kind kind;
    struct operand operand[MAX_FILES];
    int count;
};

/* Reads the files; reports errors as FILE:LINE:COLUMN: reason. Returns an exit code; after an error
 * free_input has nothing to free. */
int read_input(struct input *input, const struct settings *settings, int count);
/* The same for these files. */
int read_files(struct input *input, const struct settings *settings, const char *const *file,
               int count);
/* The same for files of polynomials or matrices over Z. */
int read_integer_files(struct input *input, const struct settings *settings,
                       const char *const *file, int count, enum integer_kind kind);
void free_input(struct input *input);
/* The format to write: --format, or else the format of the first file. */
gfp_format output_format(const struct input *input, const struct settings *settings);

/* ---- paths to write to (path.c) ---- */

/* The file or descriptor that a path names. */
struct target {
    char *path;     /* symbolic links at the end are followed, even if they lead to no file */
    int descriptor; /* of this process: /dev/stdout, /dev/fd/N and links to them; else -1 */
    bool foreign;   /* path is a link in /proc to an open file of another process */
};

/* Returns false with errno on failure; otherwise the caller frees target->path. */
bool find_target(struct target *target, const char *path);
/* path and suffix joined; NULL without memory. */
char *join_path(const char *path, size_t path_length, const char *suffix);
/* The length of the folder part of a path, its slash included. */
size_t folder_length(const char *path);

/* Creates the missing folders of a file's path, with this mode. path changes meanwhile; an error
 * leaves it cut off behind the folder that failed. Reports errors; returns an exit code. */
int make_folders(char *path, mode_t mode);

/* ---- on a terminal (bar.c) ---- */

#define MOST_WIDTH 159 /* columns */

/* From now on INT, TERM and HUP ask the work to stop: stop_asked is true. A second INT or TERM ends
 * the command as usual. */
void watch_signals(void);
bool stop_asked(void);

/* The columns of the terminal less one, at most MOST_WIDTH: some terminals begin a new line after
 * the last column. */
int line_width(int descriptor);
/* Seconds of the monotonic clock. */
double seconds_now(void);

/* A progress bar on standard error, where that is a terminal. */
struct bar {
    bool on;
    const char *label;
    double start, drawn; /* seconds on the clock; drawn 0: not yet */
    int width;           /* of the line drawn last */
};

void bar_start(struct bar *bar);
/* Draws the bar with the fraction done and the time left, at most once in 0.2 seconds. */
void bar_show(struct bar *bar, double fraction);
void bar_clear(struct bar *bar);

/* ---- progress (progress.c) ---- */

/* A bar that appears when the work takes more than 0.2 seconds. */
struct progress {
    struct bar bar;
    gfp_progress step;
};

/* Returns the `progress` of a call's options, or NULL where no bar can be shown. The label has at
 * most 12 characters. */
const gfp_progress *begin_progress(struct progress *progress, const char *label);
void show_progress(struct progress *progress, double fraction);
void end_progress(struct progress *progress);

/* A stream, and another one that reads or writes it and counts the bytes. */
struct watched {
    struct progress progress;
    FILE *inner, *outer; /* outer NULL: inner itself is used */
    double done, total;
};

/* Returns the stream to use instead of `stream`, which may be `stream` itself. */
FILE *watch_reading(struct watched *watched, FILE *stream);
/* The same for writing n elements. */
FILE *watch_writing(struct watched *watched, FILE *stream, const gfp_field *field, size_t n,
                    gfp_format format);
/* Ends the watching; called before `stream` is closed. Returns false with errno where the last
 * bytes could not be written. */
bool end_watching(struct watched *watched);

/* ---- tuning (tuning.c) ---- */

/* The chooser's costs and the file that holds them. */
struct costs {
    gfp_tuning *tuning; /* NULL: the built-in ones */
    char *path;         /* NULL: the built-in ones */
};

/* The path of the user's tuning file, which the caller frees. NULL where no environment variable
 * names a folder, or without memory; `report` reports the first. */
char *user_tuning_path(bool report);
/* Loads the costs from the file that --tuning names, or else from the user's file if that exists. A
 * stale file, or a malformed user's file, causes a warning, and the built-in costs are used. If
 * --tuning names a file that cannot be read or is malformed, that is an error. Reports errors;
 * returns an exit code. */
int load_costs(struct costs *costs, const struct settings *settings);
/* Called after the work. Loading costs does not open the GPU, so only a product that used the GPU
 * shows whether the file's times are of that GPU. If they are not, they were ignored; this function
 * warns of that. */
void check_costs_again(const struct costs *costs);
void free_costs(struct costs *costs);
/* text := "FILE:LINE: reason", "FILE: reason", or "FILE: stale: reason". */
void describe_tuning_error(char *text, size_t size, const char *path, const gfp_error *error);
/* Prints the note that gfp_tuning_load may leave, as for lines that mean nothing any more. */
void note_tuning(const char *path, const gfp_error *error);

/* ---- output (output.c) ---- */

/* The place of a result. A regular file is written under no name in its folder, or under a
 * temporary name where the file system cannot do that, and takes its name when it is complete.
 * Other files are written directly. If the path names a descriptor, that descriptor is written,
 * even for a regular file: the process that opened it continues to write at the same place. */
struct output {
    FILE *stream;
    const char *path; /* as the user named it; NULL: standard output */
    char *target;     /* path with symbolic links followed; NULL: a descriptor */
    char *temporary;  /* the new file's name until it is complete; NULL: written directly */
    int nameless;     /* descriptor of the new file while it has no name; else -1 */
};

/* Prepares the command's standard streams and signals; called once. */
void prepare_output(void);
/* Ends the command after this time, as a signal would: removes unfinished files, and ends with
 * OUT_OF_TIME and a message. */
void stop_after(double seconds);
/* Opens path (NULL or "-": standard output). Reports errors; returns an exit code. */
int open_output(struct output *output, const char *path);
/* Opens path for a polynomial. Refuses the binary format on a terminal without --force. */
int open_result(struct output *output, const struct settings *settings, const char *path,
                gfp_format format);
/* Writes n elements, then calls finish_output. */
int write_result(struct output *output, const gfp_field *field, const uint64_t *digits, size_t n,
                 gfp_format format);
/* The place of one of a subcommand's polynomials. */
struct place {
    const char *option; /* that names it, for messages: "-o" */
    const char *path;   /* "-": standard output; NULL: the polynomial is not written */
    struct output output;
};

/* Opens the places, before the work: a place that cannot be written costs no time. Refuses two
 * places that are the same, and standard output with --json. Reports errors; returns an exit code;
 * after an error no place is open. */
int open_places(struct place *place, size_t count, const struct settings *settings,
                gfp_format format);
/* A result: a polynomial over a field, or over Z where poly is NULL. */
struct value {
    const gfp_poly *poly;
    const gfp_zvec *integers;
};

/* Writes value[i] to place[i] and ends all outputs. No file is put in place before all are written.
 * Polynomials over Z have FLINT's format. */
int write_places(struct place *place, size_t count, const struct value *value, gfp_format format);
void abandon_places(struct place *place, size_t count);

/* Ends the output. status is that of the last write, with errno unchanged since. Puts the file in
 * place if all writes succeeded, else removes it. Reports errors; returns an exit code. */
int finish_output(struct output *output, gfp_status status);
/* Ends the output without a result: the old file stays. */
void abandon_output(struct output *output);
/* Flushes standard output. Reports a failed write, but only once. error_number is the errno of an
 * earlier write that failed, or 0. Returns an exit code. */
int flush_standard_output(int error_number);

/* hold_signals blocks the signals that end the command, release_signals unblocks them. From then on
 * these signals remove the file `new` and no longer the file `old`; either may be NULL. The caller
 * owns the names. */
void hold_signals(sigset_t *before);
void release_signals(const sigset_t *before, const char *old, const char *new);

/* ---- calls that compute (operation.c) ---- */

/* "none", "point" or "cross". */
const char *verification_name(gfp_verify verified);
/* The place of the only result: --output; without it standard output, or with --json none. */
struct place usual_place(const struct settings *settings);
/* The options of a call, without progress and error. report may be NULL. */
gfp_options call_options(const struct settings *settings, const gfp_tuning *tuning,
                         gfp_report *report);
/* Reports how a call with this report ended; returns an exit code. */
int end_call(const struct settings *settings, const gfp_report *report, gfp_status status,
             const gfp_error *error);
/* Writes the members of a report; time_key is that of multiply_ns. */
void json_report(struct json *json, const gfp_report *report, const char *time_key);
/* Prints the times on standard error; what is "multiply:", for example. */
void print_report_times(const char *what, const gfp_report *report);

#define MOST_RESULTS 3
#define MOST_DEMANDS 3

/* What an operation demands of an operand. */
enum demand {
    ANY_POLYNOMIAL = 0,
    NOT_ZERO,
    DIVISOR_NOT_ZERO,
    NOT_CONSTANT /* of degree 1 at least: a modulus */
};

/* What a subcommand computes from polynomials in memory. */
struct operation {
    const struct settings *settings;
    const char *name, *label; /* in JSON, and of the bar */
    const char *const *file;
    int files;
    /* What messages call an operand, and what the operation demands of it; with `pairs` these are
     * for files by turns, and messages number both. */
    const char *role[MOST_DEMANDS];
    enum demand demand[MOST_DEMANDS];
    bool pairs;
    size_t results;
    struct place place[MOST_RESULTS];
    /* c := the results that have a place; GFP_ERR_ARGUMENT and GFP_ERR_NOT_INVERTIBLE: the operands
     * have no such result. */
    gfp_status (*compute)(const struct operation *operation, gfp_poly *c, const struct input *input,
                          const gfp_options *options);
    /* Writes the members on operands and results. */
    void (*describe)(const struct operation *operation, struct json *json, const gfp_poly *c,
                     const struct input *input);
    /* Writes the result, a number, as a line at the first place. NULL: results are polynomials. */
    gfp_status (*put)(FILE *stream, const gfp_poly *c);
    /* For a result that is lines of text, at the first place: `results` is 0 and c NULL. compute
     * keeps the result, write writes it, and free frees it, whether compute succeeded or not. */
    gfp_status (*write)(const struct operation *operation, FILE *stream, gfp_format format);
    void (*free)(struct operation *operation);
    /* For operands and results over Z, instead of compute, describe and put. */
    gfp_status (*compute_integers)(const struct operation *operation, gfp_zvec *c,
                                   const struct input *input, const gfp_options *options);
    void (*describe_integers)(const struct operation *operation, struct json *json,
                              const gfp_zvec *c, const struct input *input);
    gfp_status (*put_integers)(FILE *stream, const gfp_zvec *c);
    bool counts_unlucky;    /* the report counts unlucky primes */
    gfp_zoperation planned; /* what --explain explains */
    enum integer_kind kind; /* of operands over Z */
};

/* explain.c: prints the strategies of an operation over Z and the pick. Returns an exit code. */
int explain_operation(const struct operation *operation, const struct input *input,
                      const gfp_tuning *tuning);

/* device.c: whether --method names a GPU that does the whole of this operation, and the operation
 * there. Errors: as compute; UNAVAILABLE (no device, for which options->error has the reason). */
bool device_serves(const struct operation *operation);
gfp_status compute_on_device(const struct operation *operation, gfp_poly *c,
                             const struct input *input, const gfp_options *options);

/* cli/commands/tree.c: the number of points, --count or as many as the file has, and *x := the
 * vector in a file, padded with zeros to n elements; the caller frees it. Errors: SIZE (the file
 * has more), MEMORY. */
size_t count_points(const struct settings *settings, const struct operand *points);
gfp_status take_vector(uint64_t **x, const struct operand *operand, size_t n, gfp_error *error);

/* text := the role and the file of operand i, as messages name it. */
void name_operand(char *text, size_t size, const struct operation *operation,
                  const struct input *input, int i);

/* Reads the files, computes, writes the results and the report. Returns an exit code. */
int run_operation(struct operation *operation);

/* ---- mapped files (mapped.c) ---- */

/* A binary file under construction; a signal that ends the command removes it. */
struct result {
    const char *path; /* as the user named it */
    gfp_file *file;
    char *temporary;
};

/* Opens a binary file; a field that is not NULL must be the file's. Reports errors; returns an exit
 * code. */
int open_mapped(gfp_file **file, const char *path, const gfp_field *field);
/* Creates a file of `length` coefficients. Reports errors; returns an exit code. */
int begin_result(struct result *result, const char *path, const gfp_field *field, size_t length);
/* Puts the file in place. Reports errors; returns an exit code. */
int finish_result(struct result *result);
void abandon_result(struct result *result);
/* Refuses what --binary cannot do. Returns an exit code. */
int check_binary(const struct settings *settings);
/* The default of --memory for calls on files: a quarter of the machine's memory, and 256 MiB at
 * least. */
size_t usual_memory(void);

/* ---- other programs (spawn.c, cli/compare/peers.c) ---- */

/* Starts the program argv[0], found on the search path, with standard input `in` and standard
 * output `out`. Returns 0 or errno. */
int spawn_filter(pid_t *pid, char *const *argv, int in, int out);

/* The path of this command's file, which the caller frees; NULL if unknown. */
char *own_path(void);

/* Another library and the program that computes products with it: gfpoly_peer_flint or
 * gfpoly_peer_ntl, in the command's folder or in ../libexec/gfpoly from there. */
#define MOST_PEERS 2
struct peer {
    char path[4096];
    char name[16], version[48]; /* "FLINT", "3.1.3 with fft_small" */
};

/* Finds the programs that exist and answer. Returns their number. */
size_t find_peers(struct peer *peers);
/* Measures the product of a and b, of equal lengths, by the peer's library on one thread, without
 * conversions, and compares it with `expected`. Errors, with a message: VERIFY (another product),
 * MEMORY, IO (the program could not be run, or ended too early); CANCELLED where a signal asked to
 * stop. */
gfp_status measure_peer(struct timing *timing, const struct peer *peer, const struct effort *effort,
                        const gfp_poly *a, const gfp_poly *b, const gfp_poly *expected,
                        gfp_error *error);

/* ---- what a cap on memory costs (forced.c) ---- */

/* A problem and the call's options. */
struct question {
    gfp_problem problem;
    gfp_options options;
};

/* text := the method that the question's cap on memory forces, its work space and that of the pick
 * without the cap, and how much slower the forced method is. Returns false, with text = "", where
 * the cap changes nothing. */
bool describe_forced(char *text, size_t size, const gfp_field *field,
                     const struct question *question);
/* Prints that text as a note on --memory, where the pick is to compute such a product. */
void say_what_memory_forces(const struct settings *settings, const gfp_field *field,
                            const struct question *question);

/* ---- measuring (measure.c) ---- */

/* One method's estimate and times for one problem. */
struct row {
    gfp_method_info info;
    bool skipped;     /* available, but estimated to be too slow to run */
    char reason[200]; /* why unavailable or skipped; "" when neither */
    struct timing timing;
};

/* All rows of the method table for a problem. Methods whose estimate is more than
 * 20 times the pick's are marked skipped unless all is set, but the keep cheapest methods never. */
struct survey {
    const char *pick;       /* NULL: no method can serve */
    const char *first_pick; /* before this process started the GPU, which takes time */
    size_t count;
    struct row *rows;
};

/* Fills the survey with estimates. Reports errors; returns an exit code. */
int make_survey(struct survey *survey, const gfp_field *field, const struct question *question,
                bool all, size_t keep);
void free_survey(struct survey *survey);
/* The row of the pick; NULL where there is none. */
const struct row *survey_pick(const struct survey *survey);
/* About one second for each method. */
extern const struct effort usual_effort;
/* Whether the name says so. */
bool runs_on_gpu(const char *method);
/* Measures the row's method on the problem (of any operation but file), for random polynomials a
 * and b of its lengths. Measures by the thread's clock, or by the wall clock if other threads or a
 * GPU take part. c := the last product; a batch leaves c unchanged. CANCELLED where effort said so.
 */
gfp_status measure_row(struct row *row, const struct question *question,
                       const struct effort *effort, gfp_poly *c, const gfp_poly *a,
                       const gfp_poly *b, gfp_error *error);
/* c := the same result, computed by the pick and verified. The problem is no batch. */
gfp_status run_verified(const struct question *question, gfp_poly *c, const gfp_poly *a,
                        const gfp_poly *b, gfp_error *error);
/* Two polynomials of exactly len_a and len_b coefficients from the generator seeded with seed. */
gfp_status draw_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed);
/* The same for empty a and b. Reports errors under the name of the option that gave the length;
 * returns an exit code. */
int random_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed);

#endif
