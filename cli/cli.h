/* cli.h: shared by the files of the gfpoly command: numbers, messages, input, output, calls that
 * compute, measuring.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_H
#define GFP_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "gfpoly.h"
#include "gfpoly/tuning.h"
#include "cli/json.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "cli/compare/sample.h"

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

/* Adds a name to a list with commas. */
void append_name(char *list, size_t size, const char *name);

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

/* The polynomials of a subcommand's files, over one field, or over Z. */
struct input {
    gfp_field *field;
    gfp_zring *ring; /* NULL: polynomials over a field */
    enum input_kind kind;
    struct operand operand[MAX_FILES];
    int count;
};

/* Reads the files; reports errors as FILE:LINE:COLUMN: reason. Returns an exit code; after an error
 * free_input has nothing to free. */
int read_files(struct input *input, const struct request *request, const char *const *file,
               int count, enum input_kind kind);
void free_input(struct input *input);
/* *field := the field that --field names, or NULL; reports errors. Returns an exit code. */
int create_named_field(gfp_field **field, const struct request *request);
/* The field i of those that --field names, where all stands for every named prime; NULL: no more.
 */
const char *asked_field(const struct request *request, size_t i);
/* The format to write: --format, or else the format of the first file. */
gfp_format output_format(const struct input *input, const struct request *request);

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

/* The path of the user's tuning file, which the caller frees. NULL where no environment variable
 * names a folder, or without memory; `report` reports the first. */
char *user_tuning_path(bool report);
/* Loads the costs from the file that --tuning names, or else from the user's file if that exists;
 * none where the subcommand has no --tuning. A stale file, or a malformed user's file, causes a
 * warning, and the built-in costs are used. If --tuning names a file that cannot be read or is
 * malformed, that is an error. Reports errors; returns an exit code. */
int load_costs(struct request *request);
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
    bool durable;     /* the end of the output waits until the result is on the disk */
};

/* Prepares the command's standard streams and signals; called once. */
void prepare_output(void);
/* Ends the command after this time, as a signal would: removes unfinished files, and ends with
 * OUT_OF_TIME and a message. */
void stop_after(double seconds);
/* Opens path (NULL or "-": standard output). Reports errors; returns an exit code. */
int open_output(struct output *output, const char *path);
/* Opens path for a polynomial. Refuses the binary format on a terminal without --force. */
int open_result(struct output *output, const struct request *request, const char *path,
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
int open_places(struct place *place, size_t count, const struct request *request,
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

/* Removes the files that the handler of signals would remove. */
void remove_unfinished(void);
/* hold_signals blocks the signals that end the command, release_signals unblocks them. From then on
 * these signals remove the file `new` and no longer the file `old`; either may be NULL. The caller
 * owns the names. */
void hold_signals(sigset_t *before);
void release_signals(const sigset_t *before, const char *old, const char *new);

/* ---- calls that compute (operation.c) ---- */

/* "none", "point" or "cross". */
const char *verification_name(gfp_verify verified);
/* The place of the only result: --output; without it standard output, or with --json none. */
struct place usual_place(const struct request *request);
/* The options of a call, without progress and error. report may be NULL. */
gfp_options call_options(const struct request *request, gfp_report *report);
/* Reports how a call with this report ended; returns an exit code. */
int end_call(const struct request *request, const gfp_report *report, gfp_status status,
             const gfp_error *error);
/* Writes the members of a report; time_key is that of multiply_ns. */
void json_report(struct json *json, const gfp_report *report, const char *time_key);
/* Adds the times of a call's first step. */
void add_report(gfp_report *report, const gfp_report *step);
/* Writes a length, or null where that is not known. */
void json_length(struct json *json, const char *key, bool known, size_t length);
/* Prints the times on standard error; what is "multiply:", for example. */
void print_report_times(const char *what, const gfp_report *report);

/* Results in memory: polynomials over the field or over Z, or those of one operation. */
struct results {
    gfp_poly poly[MOST_RESULTS];
    gfp_zvec integers[MOST_RESULTS];
    union {
        gfp_roots roots;
        gfp_factors factors;
        gfp_zbipoly bivariate;
        struct {
            gfp_zsystem solutions;
            gfp_zboxes boxes;
        } system;
    } own;
};

/* An operation under way. */
struct call {
    const struct request *request;
    const struct operation *operation;
    const char *name;        /* in messages and JSON */
    const char *const *file; /* those of the request, or own_file */
    const char *own_file[3];
    int files;
    struct place place[MOST_RESULTS];
    struct input input;
    struct results c;
};

/* Reads the files, computes, writes the results and the report. Returns an exit code. */
int run_operation(const struct request *request);

/* What the program for ranks adds to run_operation; the command has neither. */
struct ranks_hooks {
    /* The exit code of the rank that failed, after each rank has read its operands and opened its
     * places. */
    int (*agree)(int code);
    gfp_status (*make_dealer)(gfp_dealer **dealer, const char *checkpoint, gfp_error *error);
    bool is_other; /* this is not rank 0 */
};
extern struct ranks_hooks hooks_of_ranks;
/* The greatest exit code of all ranks; without ranks, this one. */
int agree_code(int code);
/* *dealer := the one of ranks, or of a checkpoint; NULL without both. */
gfp_status make_dealer(gfp_dealer **dealer, const char *checkpoint, gfp_error *error);

/* Keys of the JSON of run_operation, in addition to those of the operation: the lengths of operands
 * and results. */
#define OPERATION_KEYS                                                                             \
    "method, verified (none, point, cross), cross_method (null: none), points, log2_error, "       \
    "threads (those that were used), compute_ns, verify_ns, gpu_method, gpu_error (as mul's)"

/* Operand i. */
const gfp_poly *poly_of(const struct call *call, int i);
const gfp_zvec *integers_of(const struct call *call, int i);
/* x in decimal, which the caller frees; NULL: no memory. */
char *element_text(const gfp_field *field, const uint64_t *x);
/* text := the role and the file of operand i, as messages name it. */
void name_operand(char *text, size_t size, const struct call *call, int i);

/* device.c: whether --method names a GPU that does the whole of this operation, and the operation
 * there. Errors: as compute; UNAVAILABLE (no device, for which options->error has the reason). */
bool device_serves(const struct call *call);
gfp_status compute_on_device(struct call *call, const gfp_options *options);

/* cli/commands/points.c: the number of points, --count or as many as the file has, and *x := the
 * vector in a file, padded with zeros to n elements; the caller frees it. Errors: SIZE (the file
 * has more), MEMORY. */
size_t count_points(const struct call *call, int points);
gfp_status take_vector(uint64_t **x, const struct operand *operand, size_t n, gfp_error *error);

/* cli/commands/compose.c: c := f(X + x), also where the characteristic is below the length of f. */
gfp_status shift_polynomial(gfp_poly *c, const gfp_poly *f, const uint64_t *x,
                            const gfp_options *options);

/* ---- mapped files (mapped.c) ---- */

/* A binary file under construction; a signal that ends the command removes it. */
struct result {
    const char *path; /* as the user named it */
    gfp_file *file;
    char *temporary;
    bool parted;   /* the file is one of gfp_file_resume, which other ranks may have open, too */
    bool stays;    /* and stays if it is not completed */
    bool shares;   /* of the other ranks: rank 0 has begun the file */
    bool is_new;   /* it was not there before */
    bool is_named; /* the file has a temporary name from the beginning */
};

/* Whether the path is a regular file that begins as binary files do. */
bool is_binary_file(const char *path);

/* Reports the error of a binary file that is read, or of one that is written; OK: reports nothing.
 * Returns an exit code. */
int complain_file(const char *path, gfp_status status, const gfp_error *error);
int complain_result(const char *path, gfp_status status, const gfp_error *error);

/* Binary files of a subcommand, over one field. */
struct mapped {
    gfp_file *file[MAX_FILES];
    gfp_field *named;       /* by --field, or NULL */
    const gfp_field *field; /* the named one, or that of the first file */
};

/* Opens the first `count' files of the request; a field that --field names must be theirs. Reports
 * errors; returns an exit code. close_mapped follows in any case. */
int open_mapped(struct mapped *mapped, const struct request *request, size_t count);
void close_mapped(struct mapped *mapped);
/* Creates a file of `length` coefficients. Reports errors; returns an exit code. */
int begin_result(struct result *result, const char *path, const gfp_field *field, size_t length);
/* The same with a file that other ranks write to, too. */
int begin_named_result(struct result *result, const char *path, const gfp_field *field,
                       size_t length);
/* The same with a file of gfp_file_resume, which stays or not if it is not completed; one that does
 * not stay must not be there. The other ranks call it after rank 0. */
int begin_parted_result(struct result *result, const char *path, const gfp_field *field,
                        size_t length, bool stays);
/* Puts the file in place. Reports errors; returns an exit code. */
int finish_result(struct result *result);
void abandon_result(struct result *result);
/* Refuses what --binary cannot do. Returns an exit code. */
int check_binary(const struct request *request);
/* The default of --memory for calls on files: a quarter of the machine's memory, and 256 MiB at
 * least. */
size_t usual_memory(void);
/* The default with --resume, for each rank: a 32nd of the machine's memory, and 256 MiB at least.
 * It is the same for one process and for up to 8 ranks of a machine, as is the plan. */
size_t resumed_memory(void);

/* ---- the command's entries (main.c, program.c, ranks.c) ---- */

typedef int run_function(const struct request *request);
/* The command; returns its exit status. over_ranks, if not NULL, runs the subcommands. */
int run_gfpoly(int argc, char **argv, run_function *over_ranks);
/* Over ranks (dealt.c): a subcommand over Z whose images are dealt. */
int run_dealt(const struct request *request);

/* ---- other programs (spawn.h, cli/compare/peers.c) ---- */

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
void say_what_memory_forces(const struct request *request, const gfp_field *field,
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
