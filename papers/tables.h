/* papers/tables.h: shared by the tables of gfpoly_papers: the command's settings, cells of
 * Markdown, and figures that several tables use.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TABLES_H
#define TABLES_H

#include "bench/bench.h"
#include "bench/gpu/jobs.h"
#include "papers/published.h"
#include "papers/steps.h"

#define MOST_MEASURED 96
#define MOST_TABLES 32

/* A transform over Z/pZ in steps. letter and k name the field: "m8" or "p8". */
typedef struct measured {
    double ns, part[PARTS], prepare_ns;
    unsigned k, e, threads;
    char letter;
    bool by_gmp;
} measured;

/* The paper's comparison at one N on the CPU, in ms: the transform over Z/pZ (form AUTO; two_ms
 * only), the rival by NTL (two_ms only), or the rival by one kind of primes and one form, for steps
 * 1 and 2 and for all three, with a hash of its results. */
typedef struct approach {
    unsigned k, e;
    bool big, ntl;
    gfp_crt_rival_primes primes;
    gfp_ntt_form form;
    unsigned threads; /* 0: one */
    double two_ms, three_ms;
    uint64_t hash;
} approach;

/* The comparison on the device; 0: the run failed. */
#define RIVAL_FORMS 4 /* the papers' three, and ours */
enum { ONE_CALL, CALLS_IN_A_ROW, BATCHES, CALLS };
enum { BIG_PAPERS, BIG_OURS, BIG_FORMS };
typedef struct gpu_approaches {
    unsigned k, e;
    double big_ms[BIG_FORMS][CALLS], two_ms[RIVAL_FORMS][CALLS], three_ms[RIVAL_FORMS][CALLS];
} gpu_approaches;

/* A transform of 2^m residues on the CPU, in ms, and a hash of its result. 0: not measured yet. */
typedef struct word_transform {
    double ms;
    uint64_t hash;
} word_transform;

typedef struct paper {
    settings s;
    report figures; /* all measured figures, for the table of runs */
    const char *folder;
    const char *output;    /* NULL: standard output */
    const char *pictures;  /* a folder for figures in SVG, or NULL */
    const char *profile;   /* a folder with ncu's output, or NULL */
    const char *base_case; /* the field whose base case alone is run, or NULL */
    bool list, metrics;
    size_t max_points; /* longer transforms are left out; 0: no limit */
    size_t min_points; /* shorter transforms are left out */
    unsigned threads;
    const char *wanted[MOST_TABLES];
    size_t wanted_count;
    FILE *out;
    measured all[MOST_MEASURED];
    approach approaches[MOST_MEASURED];
    gpu_approaches on_gpu[MOST_MEASURED];
    word_transform words[MOST_MEASURED]; /* by m */
    size_t count, approach_count, gpu_count;
    bench gpu;     /* gpu.gpu is NULL if no GPU is available, */
    gfp_error why; /* with the reason here */
} paper;

/* ---- cells ---- */

/* Writes "published → here (here / published)", with a dash for an unknown figure. */
void table_cell(FILE *out, double was, double here);
/* Like table_cell for a figure of which 0 can be measured; NaN: unknown. */
void table_measured_cell(FILE *out, double was, double here);
/* Like table_cell for a figure from the device; without a device the cell gives the reason. */
void table_gpu_cell(const paper *w, double was, double here);
void table_head(FILE *out, const char *const *columns);
/* Ends the row and flushes the output. */
void table_row_end(FILE *out);
/* several: the rows name the machines. */
void table_title(FILE *out, const published_table *p, bool several);
/* x / y; 0 if x or y is unknown. */
double per(double x, double y);

/* "least–most → here", for a published range. */
void table_range_cell(FILE *out, double least, double most, double here);

/* ---- pictures ---- */

#define FIGURE_ROWS 24
#define FIGURE_SERIES 9
typedef enum figure_kind { FIGURE_CURVES, FIGURE_BARS, FIGURE_STACKS } figure_kind;

/* Values by row (a label on the x axis; of curves a number) and series (a curve, a bar of each
 * group, or a part of each bar). Texts have no quotes. */
typedef struct figure {
    figure_kind kind;
    bool logarithmic; /* the y axis */
    const char *title, *x_label, *y_label;
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
bool figure_draw(const paper *w, const figure *f, const char *name);

/* ---- shared figures ---- */

/* Whether a run took so long that it is not repeated: if the run for the comparison took so long,
 * its time is the figure. */
bool is_long(const paper *w, double ns);

/* Adds a figure to the table of runs; `over` names the field or the prime. Returns false without
 * memory. */
bool note_figure(paper *w, const char *over, const char *name, size_t n, const timing *t);
/* Like note_figure for a figure from the device. */
bool note_gpu_figure(paper *w, const char *over, const char *name, size_t n, const timing *t);
/* The name in `over` of residues modulo a prime of 30 bits. */
#define OVER_WORDS "30 bits"

/* The number of cores that this process may use, or 0 if the system does not tell: processors that
 * are the first of their siblings. */
unsigned count_cores(void);

/* K^e, K = 2k. */
size_t points_of(unsigned k, unsigned e);
/* A whole number in a row. */
unsigned key_of(const published_table *p, size_t row, const char *column);
bool left_out(const paper *w, size_t n);
/* The e of the transforms whose steps are shown: 4, or the greatest e that is not left out. */
unsigned profiled_e(const paper *w, unsigned k);
/* The field of this letter and k, such as "m8" or "p8". Returns NULL after a message. */
gfp_field *open_field(char letter, unsigned k);
/* *found := the figures of this transform, measured once for all tables; all 0 if it is
 * left out. */
bool find_steps(paper *w, const measured *key, measured *found);

/* ---- issac.c and others: each function writes a table and returns false after a message ---- */

bool issac_table1(paper *w);
bool issac_table2(paper *w);
bool issac_figures1_2(paper *w);
bool issac_table3(paper *w);
bool issac_table4(paper *w);
bool issac_figure3(paper *w);

/* blocks.c. Ways to call both approaches (call_names): one call with a wait, calls of that plan
 * behind one another in a graph, and a plan of vectors_at_once(n) vectors in a graph. */
extern const char *const call_names[CALLS];
size_t vectors_at_once(const paper *w, size_t n);
/* Keeps the median of each way in ms[], and adds it to the table of runs. alone, together: times of
 * a plan of one vector and of vectors_at_once(n) vectors. */
bool note_calls(paper *w, const char *field, const char *what, size_t n, const times *alone,
                const times *together, double ms[CALLS]);
/* ms[] := the times of each way, or 0 after a complaint. */
void measure_big_on_gpu(paper *w, const char *field, size_t n, const dft_options *options,
                        double ms[CALLS]);
/* The time of the step, or of all steps if name is NULL. */
double step_ms(const gfp_gpu_times *taken, const char *name);
bool issac_blocks(paper *w);

/* profile.c */
bool issac_table5(paper *w);
bool issac_division(paper *w);
/* Runs one transform in the papers' form with a base case in separate kernels, for a profiler. */
bool run_base_case(paper *w);
/* Prints the metrics that the table needs, as an argument of ncu's option --metrics. */
void print_metrics(void);

/* gpu2010.c, modular.c */
bool gpu2010_figures1_2(paper *w);
bool gpu2010_figures3_5(paper *w);
bool gpu2010_figures6_7(paper *w);
bool gpu2010_figure8(paper *w);

#endif
