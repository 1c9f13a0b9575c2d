/* papers/table.c: writes the tables that issac.c, multicore.c, gpu2010.c and complexity/tables.c
 * describe, and keeps the quantities that are measured for them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/markdown.h"
#include "papers/paper.h"

/* ---- quantities ---- */

#define NAME_SIZE 48

/* A quantity of a row. A value of an empty name: the group has been measured. */
struct quantity {
    char key[40]; /* the row: rows of other tables may be the same */
    char name[NAME_SIZE];
    double value;
};

static void key_of(const table_row *r, char key[40])
{
    if (r->field != NULL) {
        snprintf(key, 40, "%p,%zu", (const void *)r->field, r->n);
    } else if (r->n != 0) {
        snprintf(key, 40, "2^%u", log2_of(r->n));
    } else {
        snprintf(key, 40, "%.39s", r->name);
    }
}

static quantity *find_known(const paper *w, const char *key, const char *name)
{
    for (size_t i = 0; i < w->known_count; i++) {
        if (strcmp(w->known[i].name, name) == 0 && strcmp(w->known[i].key, key) == 0) {
            return &w->known[i];
        }
    }
    return NULL;
}

static void keep_quantity(paper *w, const char *key, const char *name, double value)
{
    quantity *known = find_known(w, key, name);
    if (known == NULL) {
        quantity *more = realloc(w->known, (w->known_count + 1) * sizeof(*more));
        if (more == NULL) {
            (void)complain("no memory: %s is forgotten", name);
            return;
        }
        w->known = more;
        known = &more[w->known_count++];
        snprintf(known->key, sizeof(known->key), "%s", key);
        snprintf(known->name, sizeof(known->name), "%s", name);
    }
    known->value = value;
}

void quantity_put(paper *w, const table_row *r, double value, const char *name, ...)
{
    char key[40], text[NAME_SIZE];
    va_list values;

    va_start(values, name);
    (void)vsnprintf(text, sizeof(text), name, values);
    va_end(values);
    key_of(r, key);
    keep_quantity(w, key, text, value);
}

/* The group of the quantity's prefix, or NULL. */
static const quantity_group *group_of(const char *name)
{
    static const quantity_group *const all[] = {issac_groups, multicore_groups, gpu2010_groups,
                                                complexity_groups};

    for (size_t i = 0; i < COUNT(all); i++) {
        for (const quantity_group *g = all[i]; g->prefix != NULL; g++) {
            const size_t length = strlen(g->prefix);
            if (strncmp(g->prefix, name, length) == 0 && name[length] == '.') {
                return g;
            }
        }
    }
    return NULL;
}

bool quantity_find(paper *w, const table_row *r, double *value, const char *name, ...)
{
    char key[40], text[NAME_SIZE];
    va_list values;

    va_start(values, name);
    (void)vsnprintf(text, sizeof(text), name, values);
    va_end(values);
    const quantity_group *group = group_of(text);
    *value = NAN;
    if (group == NULL) {
        return complain("no quantity %s", text);
    }
    key_of(r, key);
    if (find_known(w, key, group->prefix) == NULL) {
        const bool absent = group->on_device && w->gpu.gpu == NULL;
        keep_quantity(w, key, group->prefix, 0); /* is measured once only */
        table_row measured = *r;
        measured.argument = group->argument;
        if (!absent && !(r->n != 0 && left_out(w, r->n)) && !group->run(w, &measured)) {
            return false;
        }
    }
    const quantity *known = find_known(w, key, text);
    *value = known != NULL ? known->value : NAN;
    return true;
}

double hash_quantity(uint64_t hash)
{
    return (double)(hash >> 11);
}

/* ---- cells ---- */

/* Writes "published → here (here / published)", with a dash for an unknown figure; NAN: unknown. */
static void compared_cell(FILE *out, double was, double here)
{
    if (was > 0) {
        fprintf(out, "%.4g", was);
    } else {
        fputs("–", out);
    }
    fputs(" → ", out);
    if (isnan(here)) {
        fputs("–", out);
    } else {
        fprintf(out, "%.4g", here);
    }
    if (was > 0 && here > 0) {
        fprintf(out, " (%.3g)", here / was);
    }
}

/* A running part. */
typedef struct writer {
    paper *w;
    const paper_table *t;
    figure *drawn;
    const table_row *r;
    const variation *v;
    const char *label; /* of the table_row */
} writer;

/* text := the pattern, with '$' and '@' replaced. Characters beyond its end are left out. */
static void table_replace(char text[96], const char *pattern, const char *dollar, const char *at)
{
    size_t used = 0;

    for (; *pattern != '\0'; pattern++) {
        const char one[] = {*pattern, '\0'};
        const char *piece = *pattern == '$' ? dollar : *pattern == '@' ? at : one;
        for (; piece != NULL && *piece != '\0' && used < 95; piece++) {
            text[used++] = *piece;
        }
    }
    text[used] = '\0';
}

/* Cuts "x / y" at its slash. Returns y, or NULL for a single name. */
static char *cut_ratio(char *text)
{
    char *slash = strstr(text, " / ");

    if (slash == NULL) {
        return NULL;
    }
    *slash = '\0';
    return slash + 3;
}

/* x / y; NAN if x or y is unknown. */
static double table_divide(double x, double y)
{
    return x > 0 && y > 0 ? x / y : NAN;
}

/* The figure of a column, or "NAME %": its share of the row's figures. */
static double published_one(const table_row *r, char *name)
{
    char *percent = strstr(name, " %");
    double sum = 0;

    if (percent == NULL) {
        return published_figure(r->file, r->index, name);
    }
    *percent = '\0';
    for (size_t i = 1; i < r->file->columns; i++) {
        sum += published_figure(r->file, r->index, r->file->column[i]);
    }
    return 100 * published_figure(r->file, r->index, name) / sum;
}

static double published_of(const table_row *r, const char *published)
{
    char text[96];

    if (r->file == NULL || published == NULL) {
        return 0;
    }
    snprintf(text, sizeof(text), "%s", published);
    char *divisor = cut_ratio(text);
    const double x = published_one(r, text);
    const double y = divisor != NULL ? published_one(r, divisor) : 1;
    return x > 0 && y > 0 ? x / y : 0;
}

/* The quantity of the cell, and whether it is one of a device. */
static bool here_of(const writer *x, const table_column *c, double *here, bool *on_device)
{
    char inner[96], text[96];
    const char *token = x->r->token;

    table_replace(inner, c->here, token, x->v->token);
    table_replace(text, x->v->here != NULL ? x->v->here : "$", inner, x->v->token);
    const char *divisor = cut_ratio(text);
    const quantity_group *group = group_of(text);
    double below = 1;
    *on_device = group != NULL && group->on_device;
    if (!quantity_find(x->w, x->r, here, "%s", text) ||
        (divisor != NULL && !quantity_find(x->w, x->r, &below, "%s", divisor))) {
        return false;
    }
    if (divisor != NULL) {
        const quantity_group *other = group_of(divisor);
        *on_device = *on_device || (other != NULL && other->on_device);
        *here = table_divide(*here, below);
    }
    return true;
}

/* What stands before the arrow. */
static bool was_of(const writer *x, const table_column *c, double *was)
{
    *was = NAN;
    if (!x->t->of_fields) {
        const double published = published_of(x->r, c->published);
        *was = published > 0 ? published : NAN;
    } else if (c->published != NULL) {
        return quantity_find(x->w, x->r, was, "%s", c->published);
    }
    return true;
}

/* "least–most → here", over the rows of the same k and e of the files. */
static bool range_cell(const paper *w, const table_row *r, const table_column *c, double here)
{
    double least = 0, most = 0;

    for (const char *const *file = c->range; *file != NULL; file++) {
        published_table p;
        if (!published_load(&p, w->folder, *file)) {
            return false;
        }
        const double was = published_figure(&p, published_row(&p, r->k, r->e), c->published);
        if (was > 0) {
            least = least > 0 && least < was ? least : was;
            most = most > was ? most : was;
        }
    }
    fprintf(w->out, " | %.4g–%.4g → ", least, most);
    if (isnan(here)) {
        fputs("–", w->out);
    } else {
        fprintf(w->out, "%.4g", here);
    }
    return true;
}

/* ---- pictures ---- */

static void draw_cell(const writer *x, const table_column *c, double was, double here)
{
    const picture *p = x->t->drawn;
    const bool device = x->w->gpu.gpu != NULL;
    char label[160], series[96], published[128];

    if (p == NULL || c->series == NULL ||
        (x->t->variations != NULL && !(device ? x->v->drawn_device : x->v->drawn_alone))) {
        return;
    }
    const char *variant = x->v->text != NULL ? x->v->text : "";
    snprintf(label, sizeof(label), "%s%s%s", p->axis == VARIATIONS_ON_AXIS ? "" : x->label,
             p->axis == BOTH_ON_AXIS ? ", " : "", p->axis == ROWS_ON_AXIS ? "" : variant);
    if (p->series_of_variations) {
        snprintf(series, sizeof(series), "%s", variant);
    } else if (p->axis == VARIATIONS_ON_AXIS) {
        snprintf(series, sizeof(series), "%s, %s", x->label, c->series);
    } else {
        snprintf(series, sizeof(series), "%s", c->series);
    }
    if (was > 0) {
        snprintf(published, sizeof(published), "%s, published", series);
        figure_put(x->drawn, label, published, true, was);
    }
    figure_put(x->drawn, label, series, false, here);
}

/* ---- rows ---- */

static void label_of(const table_row *r, row_label kind, char text[64])
{
    switch (kind) {
    case LABEL_PRIME:
        snprintf(text, 64, "%c%u, %u (%zu)", r->letter, r->k, r->e, r->n);
        return;
    case LABEL_FIELD:
        snprintf(text, 64, "%c%u", r->letter, r->k);
        return;
    case LABEL_RADIX:
        snprintf(text, 64, "%c%u, %u, %u", r->letter, r->k, 2 * r->k, r->e);
        return;
    case LABEL_POWER:
        snprintf(text, 64, "%u^%u", 2 * r->k, r->e);
        return;
    case LABEL_FIELD_SIZE:
        snprintf(text, 64, "%c%u, %zu", r->letter, r->k, r->n);
        return;
    case LABEL_PROVED:
        snprintf(text, 64, "%s, (2^%.0f%c2^%.0f)^%u+1, proved prime", r->name,
                 published_figure(r->file, r->index, "w"),
                 published_figure(r->file, r->index, "sign") > 0 ? '+' : '-',
                 published_figure(r->file, r->index, "u"), r->k);
        return;
    case LABEL_TEXT:
        snprintf(text, 64, "%s", r->name);
        return;
    }
}

static bool write_cell(const writer *x, const table_column *c)
{
    double was, here;
    bool on_device;

    if (!was_of(x, c, &was) || !here_of(x, c, &here, &on_device)) {
        return false;
    }
    if (c->range != NULL) {
        return range_cell(x->w, x->r, c, here);
    }
    if (on_device && x->w->gpu.gpu == NULL) {
        fprintf(x->w->out, was > 0 ? " | %.4g" : " | –", was);
        fprintf(x->w->out, " → no GPU: %s", x->w->why.message);
    } else {
        fputs(" | ", x->w->out);
        (x->t->write_cell != NULL ? x->t->write_cell : compared_cell)(x->w->out, was, here);
    }
    draw_cell(x, c, was, here);
    return true;
}

/* *skips: whether the table leaves the row out. */
static bool find_skipped(const writer *x, bool *skips)
{
    const table_column *last = x->t->columns;
    double here = 0;
    bool on_device;

    while (last[1].title != NULL) {
        last++;
    }
    const bool ok = !x->t->skips_unknown || here_of(x, last, &here, &on_device);
    *skips = isnan(here);
    return ok;
}

static bool write_variation(const writer *x, const table_row *source, const variation *v)
{
    const paper_table *t = x->t;
    FILE *out = x->w->out;
    table_row r = *source;
    char label[64];
    writer one = *x;
    bool skips;

    r.n = v->log2_n != 0 ? (size_t)1 << v->log2_n : r.n;
    label_of(&r, t->label, label);
    one.r = &r;
    one.v = v;
    one.label = label;
    bool ok = find_skipped(&one, &skips);
    if (!ok || skips) {
        return ok;
    }
    fprintf(out, "| %s%s%s", t->names_machines ? r.file->machine : "",
            t->names_machines ? " | " : "", label);
    if (t->variations != NULL) {
        fprintf(out, " | %s", v->text);
    }
    for (const table_column *c = t->columns; c->title != NULL && ok; c++) {
        ok = write_cell(&one, c);
    }
    fputs(" |\n", out);
    (void)fflush(out);
    return ok;
}

/* The rows of one source row: one for each variation. */
static bool write_row(const writer *x, const table_row *source)
{
    static const variation none[] = {{.text = "", .token = ""}, {.text = NULL}};
    bool ok = true;

    for (const variation *v = x->t->variations != NULL ? x->t->variations : none;
         v->text != NULL && ok; v++) {
        ok = (v->on_device && x->w->gpu.gpu == NULL) || write_variation(x, source, v);
    }
    return ok;
}

static table_row row_of_file(const paper_table *t, const published_table *p, size_t i)
{
    table_row r = {.file = p,
                   .index = i,
                   .name = p->text[i][0],
                   .token = p->text[i][0],
                   .letter = t->letter != 0 ? t->letter : 'p',
                   .k = (unsigned)published_figure(p, i, "k"),
                   .e = (unsigned)published_figure(p, i, "e")};
    const unsigned log2_n = (unsigned)published_figure(p, i, "log2_n");

    r.e = r.e != 0 ? r.e : t->e;
    r.n = log2_n != 0 ? (size_t)1 << log2_n : r.e != 0 ? points_of(r.k, r.e) : 0;
    return r;
}

static table_row row_of_list(const paper *w, const own_row *own)
{
    table_row r = {.name = own->text,
                   .token = own->token,
                   .letter = own->letter,
                   .k = own->k,
                   .e = own->longest && own->k != 0 ? longest_e(w, own->k, own->e) : own->e};

    r.n = own->log2_n != 0 ? (size_t)1 << own->log2_n : r.e != 0 ? points_of(r.k, r.e) : 0;
    while (own->longest && own->log2_n != 0 && left_out(w, r.n) && r.n > 2) {
        r.n /= 2;
    }
    return r;
}

/* Opens the field of letter and k. Returns false after a message. */
static bool open_field(paper *w, table_row *r)
{
    char name[16];

    if (r->k != 0) {
        snprintf(name, sizeof(name), "%c%u", r->letter, r->k);
        r->field = field_named(w, name);
    }
    return r->k == 0 || r->field != NULL;
}

/* ---- parts ---- */

static void write_title(const paper *w, const paper_table *t, const published_table *p, bool first)
{
    if (p != NULL && first) {
        fprintf(w->out, "\n## %s\n\n%s. ", p->table, p->paper);
        if (!t->names_machines) {
            fprintf(w->out, "Published for: %s. ", p->machine);
        }
        fprintf(w->out, "Unit: %s.", p->unit);
        if (p->remark[0] != '\0') {
            fprintf(w->out, " Remark: %s.", p->remark);
        }
        fputs("\n\n", w->out);
    } else {
        fprintf(w->out, "\n%s%s\n\n", first ? "## " : "", t->title);
    }
    if (t->text != NULL) {
        fprintf(w->out, "%s\n\n", t->text);
    }
    if (t->says_threads && w->threads > 1) {
        fprintf(w->out, "Parallel here: %u threads; cores: %u.\n\n", w->threads, count_cores());
    } else if (t->says_threads) {
        fputs("Here on one processor: no parallel figures.\n\n", w->out);
    }
}

static void write_heads(const paper *w, const paper_table *t)
{
    char titles[MOST_TITLES] = "";
    size_t used = 0;

    for (const table_column *c = t->columns; c->title != NULL && used < sizeof(titles); c++) {
        used += (size_t)snprintf(titles + used, sizeof(titles) - used, " | %s", c->title);
    }
    markdown_head(w->out, 0, "%s%s", t->heads, titles);
}

/* The rows of all files. */
static bool write_files(const writer *x, bool first)
{
    bool ok = true;

    for (size_t i = 0; x->t->files[i] != NULL && ok; i++) {
        published_table p;
        ok = published_load(&p, x->w->folder, x->t->files[i]);
        if (ok && i == 0) {
            write_title(x->w, x->t, &p, first);
            write_heads(x->w, x->t);
        }
        for (size_t j = 0; j < p.rows && ok; j++) {
            table_row r = row_of_file(x->t, &p, j);
            ok = open_field(x->w, &r) && write_row(x, &r);
        }
    }
    return ok;
}

/* The rows of the table's own list. */
static bool write_list(const writer *x, bool first)
{
    published_table p;
    const bool named = x->t->files != NULL;
    bool ok = !named || published_load(&p, x->w->folder, x->t->files[0]);

    if (ok) {
        write_title(x->w, x->t, named ? &p : NULL, first);
        write_heads(x->w, x->t);
    }
    for (const own_row *own = x->t->rows; own->text != NULL && ok; own++) {
        table_row r = row_of_list(x->w, own);
        if (named) { /* the file's row of this name, if there is one */
            r.index = published_named_row(&p, own->text);
            r.file = r.index < p.rows ? &p : NULL;
        }
        ok = open_field(x->w, &r) && write_row(x, &r);
    }
    return ok;
}

/* The rows of the settings' fields. */
static bool write_fields(const writer *x, bool first)
{
    bool ok = true;

    write_title(x->w, x->t, NULL, first);
    write_heads(x->w, x->t);
    for (size_t i = 0; i < count_fields(x->w) && ok; i++) {
        const gfp_field *field = field_at(x->w, i);
        ok = field != NULL;
        if (ok) {
            const char *name = gfp_field_name(field);
            ok = write_row(x, &(table_row){.field = field, .name = name, .k = gfp_field_k(field)});
        }
    }
    return ok;
}

bool table_write(paper *w, const paper_table *t, bool first)
{
    figure drawn = {.picture = t->drawn};
    const writer x = {.w = w, .t = t, .drawn = &drawn};

    if (t->needs_device && w->gpu.gpu == NULL) {
        return true;
    }
    if (t->by_cpu_time && !measure_cpu_time(true)) {
        return false;
    }
    bool ok = t->of_fields      ? write_fields(&x, first)
              : t->rows != NULL ? write_list(&x, first)
                                : write_files(&x, first);
    ok = (!t->by_cpu_time || measure_cpu_time(false)) && ok;
    return ok && (t->drawn == NULL || figure_draw(w, &drawn));
}
