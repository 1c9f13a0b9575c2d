/* options.h: the command line of a subcommand: a row of the table of subcommands, a row of the
 * table of options, and the request that the parser fills.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_OPTIONS_H
#define GFP_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "gfpoly.h"
#include "gfpoly/tuning.h"

/* Exit codes of the command. */
enum { DONE = 0, FAILED = 1, BAD_USAGE = 2, OUT_OF_TIME = 3 };

#define MAX_FILES 256
#define MAX_FIELDS 32
#define MAX_ROWS 128

/* Values of --format that gfp_format does not have: the format of the first input; binary where
 * that is text, and FLINT's text where that is binary. */
#define AS_INPUT 100
#define UNLIKE_INPUT 101

/* The chooser's costs and the file that holds them. */
struct costs {
    gfp_tuning *tuning; /* NULL: the built-in ones */
    char *path;         /* NULL: the built-in ones */
};

/* ---- values by family ---- */

/* How a call computes. */
struct call_values {
    const char *method;        /* NULL: the chooser's pick */
    const char *checkpoint;    /* NULL: none */
    const char *tuning;        /* a path or "none"; NULL: the user's file */
    unsigned verify;           /* a gfp_verify */
    size_t memory, gpu_memory; /* bytes; 0: not given */
    unsigned threads, gpu_device, gpu_count;
    double timeout; /* seconds; 0: none */
    bool time, json, explain, binary, resume;
};

struct division_values {
    const char *quotient, *remainder; /* NULL: not written */
};

struct gcd_values {
    const char *first_cofactor, *second_cofactor; /* NULL: not written */
};

/* Of powmod, compose and series; NULL and 0: not given. */
struct power_values {
    const char *base, *exponent, *modulus, *point;
    size_t length; /* --length or --terms */
};

struct points_values {
    size_t count; /* 0: as many as the file has */
};

struct transform_values {
    size_t n; /* 0: not given */
    unsigned order;
};

struct random_values {
    size_t len;
    uint64_t seed;
    bool irreducible;
};

struct check_values {
    size_t points; /* 0: not given */
    uint64_t seed;
};

struct factor_values {
    uint64_t seed;
};

struct system_values {
    bool boxes;
    size_t digits;
};

struct prime_values {
    bool search, stock, random;
    gfp_prime_range range; /* k and bits 0: not given */
    size_t count;          /* 0: not given */
    uint64_t seed;
};

struct method_values {
    size_t len, len_b, n; /* 0: not given */
    size_t count;
    unsigned operation;
    uint64_t seed;
    bool resident, measure, all;
};

struct demo_values {
    size_t len;
    uint64_t seed;
    bool all;
};

struct compare_values {
    size_t min_len, max_len, points; /* 0: not given */
    const char *methods;             /* NULL: all */
    const char *fields;              /* of the map; NULL: no map */
    const char *levels;              /* of the map; NULL: the process's */
    unsigned operation, zoperation;
    unsigned min_bits, max_bits; /* 0: not given */
    double seconds;
    uint64_t seed;
};

struct tune_values {
    unsigned operations; /* bits 1 << gfp_operation; 0: not given */
    bool quick, merge, resume;
};

struct scale_values {
    const char *points, *machine; /* NULL: the command's points; all machines */
    unsigned kind;
};

/* What the command line of a subcommand asks for, and the costs that it names. */
struct request {
    const struct command *command;
    struct costs costs;
    const char *file[MAX_FILES];
    const char *field[MAX_FIELDS]; /* only demo and tune take more than one */
    int files, fields;
    const char *output; /* NULL: standard output */
    unsigned format;    /* a gfp_format, AS_INPUT or UNLIKE_INPUT */
    bool force;
    bool quiet, verbose;
    struct call_values call;
    /* The values of a family of subcommands. */
    union {
        struct division_values division;
        struct gcd_values gcd;
        struct power_values power;
        struct points_values points;
        struct transform_values transform;
        struct random_values random;
        struct check_values check;
        struct factor_values factor;
        struct system_values system;
        struct prime_values primes;
        struct method_values methods;
        struct demo_values demo;
        struct compare_values compare;
        struct tune_values tune;
        struct scale_values scale;
    } own;
    bool given[MAX_ROWS]; /* for each row of the table of options */
};

/* ---- the table of options (option_table.c) ---- */

/* How the value of an option is read, and the type of its place. */
enum option_kind {
    FLAG,          /* bool: no value */
    TEXT,          /* const char * */
    METHOD,        /* const char *: a name that the row's argument lists; auto is NULL */
    EXPONENT,      /* const char *: a whole number without sign, or p */
    POINT,         /* const char *: a whole number of either sign */
    FIELD,         /* const char *: the last one counts */
    FIELDS,        /* const char *[MAX_FIELDS]: all of them */
    WORD,          /* unsigned: the index among the words of the row's argument, and `least` */
    VERIFY,        /* unsigned: a gfp_verify */
    OPERATION,     /* unsigned: a gfp_operation, one of the first `most` */
    OPERATION_SET, /* unsigned: bits 1 << gfp_operation; may be repeated */
    LENGTH,        /* size_t */
    BYTES,         /* size_t, at least 1 */
    NUMBER,        /* uint64_t */
    SMALL,         /* unsigned */
    THREADS,       /* unsigned; more than GFP_MAX_THREADS count as many */
    SECONDS        /* double, above 0 */
};

/* An option of some subcommands. The same option of others, with another text or other bounds, is
 * another row. */
struct option_row {
    const char *name;
    int letter; /* 0: none */
    enum option_kind kind;
    size_t place;         /* of the value, in a struct request */
    const char *takes;    /* the subcommands, with ! in front where the option is required; "*" */
    const char *argument; /* as the help shows the value: words between bars, or FILE; NULL: none */
    const char *text;     /* of the help */
    uint64_t least, most; /* bounds of a number; most 0: those of the type */
    uint64_t usual;       /* a number without the option */
    bool optional;        /* the value may be left out: the first word */
    bool alone;           /* with this option none is required */
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* ---- subcommands ---- */

struct call;
struct json;

/* A value that a report has. */
enum member_kind {
    LENGTH_OF = 0, /* of an operand, or null where that is not given */
    STORED_IN,     /* the coefficients in an operand's file */
    LENGTH_OF_RESULT,
    BITS_OF_RESULT,  /* of its greatest coefficient, over Z */
    NUMBER_OF_RESULT /* the constant result in decimal */
};

struct member {
    const char *key; /* NULL: the end of a table */
    enum member_kind kind;
    int index;
};

/* What an operation demands of an operand. */
enum demand {
    ANY_POLYNOMIAL = 0,
    NOT_ZERO,
    DIVISOR_NOT_ZERO,
    NOT_CONSTANT /* of degree 1 at least: a modulus */
};

/* What files hold: polynomials over a field, or over Z. */
enum input_kind { OVER_FIELD = 0, ONE_VARIABLE, TWO_VARIABLES, MATRICES };

#define MOST_RESULTS 3
#define MOST_DEMANDS 3
#define MOST_MEMBERS 5

/* What a subcommand computes from files (operation.c runs it). */
struct operation {
    const char *label; /* of the bar; NULL: the name of the call */
    enum input_kind kind;
    /* What messages call an operand, and what the operation demands of it; with `pairs` these are
     * for files by turns, and messages number both. */
    const char *role[MOST_DEMANDS];
    enum demand demand[MOST_DEMANDS];
    bool pairs;
    size_t results;
    /* Checks the options, and changes the files, the places or the name of the call. May be NULL.
     * Reports errors; returns an exit code. */
    int (*begin)(struct call *call);
    /* One of these computes the results; GFP_ERR_ARGUMENT and GFP_ERR_NOT_INVERTIBLE: the operands
     * have no such result. */
    gfp_status (*compute)(struct call *call, const gfp_options *options);
    gfp_status (*of_two)(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                         const gfp_options *options);
    gfp_status (*of_two_over_z)(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                                const gfp_options *options);
    /* The members on operands and results: those of the table, then those that describe writes (it
     * may be NULL). */
    struct member members[MOST_MEMBERS];
    void (*describe)(const struct call *call, struct json *json);
    bool is_number; /* the result is a constant, and written as a number in a line */
    /* For a result that is lines of text at the first place, else NULL; free_own (or NULL) frees
     * what compute made for it, whether compute succeeded or not. */
    gfp_status (*write)(const struct call *call, FILE *stream, gfp_format format);
    void (*free_own)(struct call *call);
    bool counts_unlucky; /* the report counts unlucky primes */
};

/* A subcommand. */
struct command {
    const char *name;
    const char *summary;   /* one line for the list of subcommands */
    const char *arguments; /* "A B", for the usage line */
    const char *doc;       /* argp's text: before the options; after \v, behind them */
    int files;             /* the number of arguments */
    int most_files;        /* the largest number of arguments; 0: `files` */
    bool negative;         /* an argument may be a negative number */
    /* The products inside need operands: of the library's methods, messages list those with
     * operands, and classical. */
    bool operands;
    int (*run)(const struct request *request); /* NULL: the operation is run */
    struct operation operation;
};

/* Subcommands by file (commands/); the last row has no name. */
extern const struct command sum_commands[];
extern const struct command product_commands[];
extern const struct command verify_commands[];
extern const struct command transform_commands[];
extern const struct command division_commands[];
extern const struct command gcd_commands[];
extern const struct command series_commands[];
extern const struct command compose_commands[];
extern const struct command point_commands[];
extern const struct command crt_commands[];
extern const struct command factor_commands[];
extern const struct command z_commands[];
extern const struct command zcomposed_commands[];
extern const struct command zsystem_commands[];
extern const struct command prime_commands[];
extern const struct command random_commands[];
extern const struct command file_commands[];
extern const struct command info_commands[];
extern const struct command methods_commands[];
extern const struct command demo_commands[];
extern const struct command tune_commands[];
extern const struct command compare_commands[];
extern const struct command scale_commands[];

/* ---- parsing (options.c, usage.c) ---- */

/* The options of the top level and of every subcommand: --help, --usage, --version. */
#define GENERAL_OPTIONS 4
extern const struct argp_option general_options[GENERAL_OPTIONS];
/* Runs the general option with this key, which ends the process. Returns false for other keys. */
bool take_general(int key, struct argp_state *state);
/* Refuses a long option that `options` (the last row is empty) lack, and suggests similar names.
 * Checks up to the first argument or, with to_the_last, all arguments. */
void check_options(struct argp_state *state, const struct argp_option *options, bool to_the_last);

/* Fills *request. Ends the process for --help, --usage, --version and bad usage. argv[0] is the
 * name that messages and help show. */
void parse_request(const struct command *command, int argc, char **argv, struct request *request);
/* Whether one of these options was given; names: "k count". */
bool is_given(const struct request *request, const char *names);
/* Whether the subcommand has the option. */
bool has_option(const struct command *command, const char *name);

#endif
