/* papers/cells.c: cells, heads and titles of the tables of gfpoly_papers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "papers/tables.h"

void table_cell(FILE *out, double was, double here)
{
    fputs(" | ", out);
    if (was > 0) {
        fprintf(out, "%.4g", was);
    } else {
        fputs("–", out);
    }
    fputs(" → ", out);
    if (here > 0) {
        fprintf(out, "%.4g", here);
    } else {
        fputs("–", out);
    }
    if (was > 0 && here > 0) {
        fprintf(out, " (%.3g)", here / was);
    }
}

void table_measured_cell(FILE *out, double was, double here)
{
    if (here > 0 || isnan(here)) {
        table_cell(out, was, isnan(here) ? 0 : here);
    } else if (was > 0) {
        fprintf(out, " | %.4g → 0", was);
    } else {
        fputs(" | – → 0", out);
    }
}

void table_range_cell(FILE *out, double least, double most, double here)
{
    fprintf(out, " | %.4g–%.4g → ", least, most);
    if (here > 0) {
        fprintf(out, "%.4g", here);
    } else {
        fputs("–", out);
    }
}

void table_gpu_cell(const paper *w, double was, double here)
{
    if (w->gpu.gpu != NULL) {
        table_cell(w->out, was, here);
    } else if (was > 0) {
        fprintf(w->out, " | %.4g → no GPU: %s", was, w->why.message);
    } else {
        fprintf(w->out, " | – → no GPU: %s", w->why.message);
    }
}

void table_row_end(FILE *out)
{
    fputs(" |\n", out);
    (void)fflush(out);
}

void table_head(FILE *out, const char *const *columns)
{
    size_t count = 0;

    for (; columns[count] != NULL; count++) {
        fprintf(out, "%s%s", count > 0 ? " | " : "| ", columns[count]);
    }
    fputs(" |\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("|---", out);
    }
    fputs("|\n", out);
}

void table_title(FILE *out, const published_table *p, bool several)
{
    fprintf(out, "\n## %s\n\n%s. ", p->table, p->paper);
    if (!several) {
        fprintf(out, "Published for: %s. ", p->machine);
    }
    fprintf(out, "Unit: %s.", p->unit);
    if (p->remark[0] != '\0') {
        fprintf(out, " Remark: %s.", p->remark);
    }
    fputs("\n\n", out);
}

double per(double x, double y)
{
    return x > 0 && y > 0 ? x / y : 0;
}
