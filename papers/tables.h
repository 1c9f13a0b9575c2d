/* papers/tables.h: what the tables of gfpoly_papers share: the command's settings, cells of
 * Markdown, and what was measured for several of them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TABLES_H
#define TABLES_H

#include "bench.h"
#include "gpu_jobs.h"
#include "published.h"
#include "steps.h"

#define MOST_MEASURED 64
#define MOST_TABLES 32

/* A transform over Z/pZ in steps, of field "m8" or "p8": letter and k. */
typedef struct measured {
    double ns, part[PARTS], prepare_ns;
    unsigned k, e, threads;
    char letter;
    bool by_gmp;
} measured;

/* The paper's comparison at one N on the CPU, ms: the transform over Z/pZ (form AUTO, two_ms
 * alone), or the rival by one form, steps 1 and 2, and all three, with a hash of its results. */
typedef struct approach {
    unsigned k, e;
    bool big;
    gfp_ntt_form form;
    double two_ms, three_ms;
    uint64_t hash;
} approach;

/* And on the device; 0: it failed. */
#define RIVAL_FORMS 4 /* the papers' three, and ours */
enum { ONE_CALL, MANY_CALLS, CALLS };
enum { BIG_PAPERS, BIG_OURS, BIG_FORMS };
typedef struct gpu_approaches {
    unsigned k, e;
    double big_ms[BIG_FORMS][CALLS], two_ms[RIVAL_FORMS][CALLS], three_ms[RIVAL_FORMS][CALLS];
} gpu_approaches;

/* A transform of 2^m residues on the CPU, and a hash of its result. 0: not yet. */
typedef struct word_transform {
    double ms;
    uint64_t hash;
} word_transform;

typedef struct paper {
    settings s;
    report figures; /* what was timed, for the table of runs */
    const char *folder;
    const char *output;    /* NULL: standard output */
    const char *profile;   /* a folder with ncu's output, or NULL */
    const char *base_case; /* only run this field's base case, or NULL */
    bool list, metrics;
    size_t max_points; /* longer transforms are left out; 0: none */
    size_t min_points; /* and shorter ones */
    unsigned threads;
    const char *wanted[MOST_TABLES];
    size_t wanted_count;
    FILE *out;
    measured all[MOST_MEASURED];
    approach approaches[MOST_MEASURED];
    gpu_approaches on_gpu[MOST_MEASURED];
    word_transform words[MOST_MEASURED]; /* by m */
    size_t count, approach_count, gpu_count;
    bench gpu;     /* gpu.gpu is NULL where there is none, */
    gfp_error why; /* for this reason */
} paper;

/* ---- cells ---- */

/* "published → here (here / published)"; what is not known is a dash. */
void table_cell(FILE *out, double was, double here);
/* The same of a figure from the device; where there is none, why. */
void table_gpu_cell(const paper *w, double was, double here);
void table_head(FILE *out, const char *const *columns);
/* Ends it; what is there is written. */
void table_row_end(FILE *out);
/* several: the rows name the machines. */
void table_title(FILE *out, const published_table *p, bool several);
/* x / y; 0 where one of them is not known. */
double per(double x, double y);

/* ---- shared figures ---- */

/* Whether a run took so long that it is not repeated: where the one that was compared did, it is
 * the figure. */
bool is_long(const paper *w, double ns);

/* Keeps a figure for the table of runs, over a field or modulo a prime, as `over` names it; false
 * without memory. */
bool note_figure(paper *w, const char *over, const char *name, size_t n, const timing *t);
/* The same of a figure from the device. */
bool note_gpu_figure(paper *w, const char *over, const char *name, size_t n, const timing *t);
/* How residues modulo a prime of 30 bits are called there. */
#define OVER_WORDS "30 bits"

/* K^e, K = 2k. */
size_t points_of(unsigned k, unsigned e);
/* A whole number of a row. */
unsigned key_of(const published_table *p, size_t row, const char *column);
bool left_out(const paper *w, size_t n);
/* Of the transforms whose steps are told: 4, or as much as is not left out. */
unsigned profiled_e(const paper *w, unsigned k);
/* The field of this letter and k: "m8", "p8". NULL after a message. */
gfp_field *open_field(char letter, unsigned k);
/* *found := this transform, measured once for all tables; all 0 where it is left out. */
bool find_steps(paper *w, const measured *key, measured *found);

/* ---- issac.c and others: a table each; false after a message ---- */

bool issac_table1(paper *w);
bool issac_table2(paper *w);
bool issac_figures1_2(paper *w);
bool issac_table3(paper *w);
bool issac_table4(paper *w);
bool issac_figure3(paper *w);

/* profile.c */
bool issac_table5(paper *w);
/* One transform in the papers' form whose base case is in kernels of its own, for a profiler. */
bool run_base_case(paper *w);
/* The metrics that the table needs, as ncu's option --metrics takes them. */
void print_metrics(void);

/* gpu2010.c, modular.c */
bool gpu2010_figures1_2(paper *w);
bool gpu2010_figures3_5(paper *w);
bool gpu2010_figures6_7(paper *w);
bool gpu2010_figure8(paper *w);

#endif
