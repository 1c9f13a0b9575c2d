/* papers/paper.h: shared by the parts of gfpoly_papers: the command's settings, quantities that are
 * measured once for all tables, the description of a table, and its pictures.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPER_H
#define PAPER_H

#include "bench/bench.h"
#include "bench/gpu/jobs.h"
#include "papers/published.h"

#define MOST_WANTED 32
#define MOST_FIELDS (2 * MAX_FIELDS)

typedef struct quantity quantity;

typedef struct paper {
    settings s;
    report figures; /* all measured figures, for the table of runs (--runs) */
    const char *folder;
    const char *output;    /* NULL: standard output */
    const char *pictures;  /* a folder for figures in SVG, or NULL */
    const char *profile;   /* a folder with ncu's output, or NULL */
    const char *base_case; /* the field whose base case alone is run, or NULL */
    bool list, metrics, runs;
    size_t max_points; /* longer transforms are left out; 0: no limit */
    size_t min_points; /* shorter transforms are left out */
    unsigned threads;
    const char *wanted[MOST_WANTED];
    size_t wanted_count;
    FILE *out;
    quantity *known; /* see quantity_put */
    size_t known_count;
    struct {
        char *name;
        gfp_field *field;
    } fields[MOST_FIELDS]; /* see field_named */
    size_t field_count;
    bench gpu;     /* gpu.gpu is NULL if no GPU is available, */
    gfp_error why; /* with the reason here */
} paper;

/* ---- rows and quantities ---- */

/* A row of a table: of a published file, or of the table's own list. */
typedef struct table_row {
    const published_table *file; /* NULL: of the table's list, or a field of the settings */
    const gfp_field *field;      /* of the settings, or of letter and k; NULL: none */
    size_t index;
    const char *name;  /* the text of the first column, or the list's text */
    const char *token; /* the list's token, or the same text */
    char letter;       /* of the field's name: 'p' or 'm' */
    unsigned k, e;     /* 0: none */
    size_t n;          /* the points: (2k)^e, or 2^log2_n; 0: none */
    int argument;      /* of the group that is measured */
} table_row;

/* Measures quantities of the row and keeps each by quantity_put. Quantities that stay unknown are
 * shown as a dash. Returns false after a message: the table ends. */
typedef bool measure_group(paper *w, const table_row *r);
/* The quantities whose names begin with "prefix." are measured together, once for each row. */
typedef struct quantity_group {
    const char *prefix;
    measure_group *run;
    int argument;
    bool on_device; /* without a device no run; cells give the reason */
} quantity_group;
/* Ends with a prefix of NULL; in issac.c, multicore.c, gpu2010.c and complexity/tables.c. */
extern const quantity_group issac_groups[], multicore_groups[], gpu2010_groups[],
    complexity_groups[];

/* Keeps a quantity of the row by its full name, such as "big.ms"; names are as by printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void quantity_put(paper *w, const table_row *r, double value, const char *name, ...);
/* The value; NAN: unknown. Measures its group if that was not done for such a row. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
bool quantity_find(paper *w, const table_row *r, double *value, const char *name, ...);

/* A hash as a quantity: doubles hold 53 bits of it. */
double hash_quantity(uint64_t hash);

/* ---- tables ---- */

typedef struct table_column {
    const char *title;
    /* A column of the file, "x / y" for the ratio of two; of rows of fields a quantity, which
     * stands before the arrow; NULL: none. */
    const char *published;
    /* The quantity: a name, or "x / y". '@' stands for the variation's token, '$' for the row's. */
    const char *here;
    const char *series; /* its name in the picture; NULL: not drawn */
    /* Of the published range from least to most over these files' rows, NULL: a single figure. */
    const char *const *range;
} table_column;

/* A variation gives each row of the source a row of the table. */
typedef struct variation {
    const char *text, *token;
    const char *here;  /* the quantity, with '$' for that of the column; NULL: the column's */
    unsigned log2_n;   /* the points of its row; 0: those of the table_row */
    bool on_device;    /* left out without a device */
    bool drawn_device; /* in the picture if there is a device, */
    bool drawn_alone;  /* or if there is none */
} variation;

typedef struct own_row {
    const char *text, *token;
    unsigned k, e, log2_n;
    char letter;
    bool longest; /* with this e or log2_n, or the next lower one that is not left out */
} own_row;

/* How a row is named, from its source. */
typedef enum row_label {
    LABEL_TEXT,       /* the text of the first column, or of the list */
    LABEL_PRIME,      /* "p8, 2 (256)" */
    LABEL_FIELD,      /* "m8" */
    LABEL_RADIX,      /* "m8, 16, 2": K and e */
    LABEL_POWER,      /* "16^2" */
    LABEL_FIELD_SIZE, /* "p8, 65536" */
    LABEL_PROVED      /* "p8, (2^63+2^34)^8+1, proved prime" */
} row_label;

typedef enum figure_kind { FIGURE_CURVES, FIGURE_BARS, FIGURE_STACKS } figure_kind;
typedef enum place_of_rows { ROWS_ON_AXIS, VARIATIONS_ON_AXIS, BOTH_ON_AXIS } place_of_rows;
typedef struct picture {
    const char *name;
    figure_kind kind;
    bool logarithmic; /* the y axis */
    place_of_rows axis;
    bool series_of_variations; /* a variation is a series, else a column is; with
                                  VARIATIONS_ON_AXIS a row and a column make a series */
    const char *title, *x_label, *y_label;
} picture;

/* A table, or a part of one: parts of the same name follow one another. */
typedef struct paper_table {
    const char *name;         /* on the command line */
    const char *const *files; /* the published figures, a file a machine; NULL: none. The first file
                                 has the title */
    const char *title;        /* of a part without a file: the heading; of a later part: text */
    const char *text;         /* below the title */
    bool needs_device;        /* left out without a device */
    bool names_machines;      /* rows begin with the file's machine */
    bool says_threads;
    bool of_fields;     /* the rows are the fields of the settings, or all named ones */
    bool skips_unknown; /* rows whose last column is unknown are left out */
    bool by_cpu_time;   /* of the calling thread, see measure_cpu_time */
    char letter;        /* of the rows' fields; 0: 'p' */
    row_label label;
    unsigned e;                  /* of rows of files without a column e */
    const char *heads;           /* of the columns of labels, as in Markdown: "machine | prime" */
    const own_row *rows;         /* in the place of the files'; ends with a text of NULL */
    const variation *variations; /* ends with a text of NULL; NULL: one without a text */
    const table_column *columns; /* ends with a title of NULL */
    const picture *drawn;        /* NULL: no picture */
    /* Writes a cell's inside, `was` and `here`, of which NAN is unknown; NULL: in the usual way,
     * "published → here (here / published)". */
    void (*write_cell)(FILE *out, double was, double here);
} paper_table;
extern const paper_table issac_tables[], multicore_tables[], gpu2010_tables[], complexity_tables[];

/* Lists with their ends. */
#define LIST(type, ...) ((const type[]){__VA_ARGS__, {0}})
#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define COLUMNS(...) LIST(table_column, __VA_ARGS__)
#define VARIATIONS(...) LIST(variation, __VA_ARGS__)
#define ROWS(...) LIST(own_row, __VA_ARGS__)
/* Columns of a quantity: next to published figures, or alone. */
#define BOTH(title, published, here)                                                               \
    {                                                                                              \
        title, published, here, NULL, NULL                                                         \
    }
#define HERE(title, here) BOTH(title, NULL, here)

/* Writes a part. Returns false after a message. */
bool table_write(paper *w, const paper_table *t, bool first);

/* ---- pictures ---- */

#define FIGURE_ROWS 24
#define FIGURE_SERIES 9

/* Values by row (a label on the x axis; of curves a number) and series (a curve, a bar of each
 * group, or a part of each bar). Texts have no quotes. */
typedef struct figure {
    const picture *picture;
    size_t rows, series_count;
    char label[FIGURE_ROWS][48];
    struct {
        char name[64];
        bool published;
    } series[FIGURE_SERIES];
    double value[FIGURE_SERIES][FIGURE_ROWS]; /* NaN: unknown */
} figure;

/* Sets a value. Rows and series are made in the order of the first calls; what is beyond the
 * limits is left out. */
void figure_put(figure *f, const char *label, const char *series, bool published, double value);
/* Writes NAME.gp, a script of gnuplot, and by it NAME.svg if gnuplot is there, into the folder
 * w->pictures if there is one, and a line in the report. A figure without values is left out.
 * Returns false after a message. */
bool figure_draw(const paper *w, const figure *f);

/* ---- measuring ---- */

/* Whether a run took so long that it is not repeated: if the run for the comparison took so long,
 * its time is the figure. */
bool is_long(const paper *w, double ns);
/* *t := the time of runs after a first one, which took `first_ns`. */
bool measure_after(const paper *w, double first_ns, bool (*run)(void *context), void *context,
                   timing *t);
/* Adds a figure to the table of runs; `over` names the field or the prime. Names of a device's
 * figures begin with ON_DEVICE. Returns false without memory. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
bool note_figure(paper *w, const char *over, size_t n, const timing *t, const char *name, ...);
#define ON_DEVICE "GPU, "
/* The name in `over` of residues modulo a prime of 30 bits. */
#define OVER_WORDS "30 bits"

/* The number of cores that this process may use, or 0 if the system does not tell: processors that
 * are the first of their siblings. */
unsigned count_cores(void);

/* K^e, K = 2k. */
size_t points_of(unsigned k, unsigned e);
bool left_out(const paper *w, size_t n);
/* The greatest e from 2 to `most` whose transforms are not left out, or 2. */
unsigned longest_e(const paper *w, unsigned k, unsigned most);
/* The field, which stays open to the end of the report. Returns NULL after a message. */
const gfp_field *field_named(paper *w, const char *name);
/* The fields of the settings, or all named ones, by their number. */
size_t count_fields(const paper *w);
const gfp_field *field_at(paper *w, size_t i);

/* ---- parts of other files ---- */

/* profile.c: runs one transform in the papers' form with a base case in separate kernels, for a
 * profiler. */
bool run_base_case(paper *w);
/* Prints the metrics that the table needs, as an argument of ncu's option --metrics. */
void print_metrics(void);
/* division.c: the digits of integers, "digits.*". */
measure_group measure_digits;

#endif
