/* bench/peers/poly_toolkit.c: gfpoly_peers' table of operations: see table.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bench/peers/operations.h"
#include "bench/peers/table.h"

/* A report calls products "peer". */
static const char *section_of(const operation *op)
{
    return op->code == PEER_MUL ? "peer" : op->name;
}

/* The row's figure of one library at one length; library NULL: ours. Returns NULL without one. */
static const record *find(const report *r, const char *field, const operation *op, size_t len,
                          const peer *library)
{
    char name[sizeof(r->records[0].name)] = "";

    if (library != NULL) {
        snprintf(name, sizeof(name), "%s %s", library->name, library->version);
    }
    for (size_t i = 0; i < r->count; i++) {
        const record *x = &r->records[i];
        const bool same =
            library == NULL ? strncmp(x->name, "gfpoly ", 7) == 0 : strcmp(x->name, name) == 0;
        if (same && x->len_a == len && strcmp(x->field, field) == 0 &&
            strcmp(x->section, section_of(op)) == 0) {
            return x;
        }
    }
    return NULL;
}

static bool is_timed(const record *x)
{
    return x != NULL && x->time.runs > 0;
}

/* Whether any length of the field has the operation. */
static bool has_row(const peers_output *o, const report *r, size_t field, const operation *op)
{
    for (size_t l = 0; l < o->lengths; l++) {
        if (find(r, o->names[field], op, o->length[l], NULL) != NULL) {
            return true;
        }
    }
    return false;
}

/* Our time in units of a product's. */
static void write_products(const report *r, const record *ours, FILE *out)
{
    const record *product = find(r, ours->field, &operations[0], ours->len_a, NULL);

    if (is_timed(product)) {
        const double ratio = ours->time.min_ns / product->time.min_ns;
        fprintf(out, "%.*f M", ratio < 9.95 ? 2 : ratio < 99.5 ? 1 : 0, ratio);
    } else {
        fputc('-', out);
    }
}

/* Our time, and its ratio to that of the fastest other library. */
static void write_cell(const peers_output *o, const report *r, size_t field, const operation *op,
                       size_t len, FILE *out)
{
    const record *ours = find(r, o->names[field], op, len, NULL);
    const record *best = NULL;
    const peer *fastest = NULL;
    bool skipped = false;

    if (!is_timed(ours)) {
        fputs(" - |", out);
        return;
    }
    fputc(' ', out);
    peers_write_ms(out, ours->time.min_ns);
    fputs(" ms, ", out);
    write_products(r, ours, out);
    for (size_t i = 0; i + 1 < o->libraries; i++) {
        const record *x = find(r, o->names[field], op, len, o->peers[i]);
        skipped = skipped || (x != NULL && !is_timed(x));
        if (is_timed(x) && (best == NULL || x->time.min_ns < best->time.min_ns)) {
            best = x;
            fastest = o->peers[i];
        }
    }
    if (best != NULL) {
        fputs(", ", out);
        peers_write_ratio(out, best->ratio_to_gfpoly);
        fputc(' ', out);
        peers_write_library(out, fastest->name);
    } else if (skipped) {
        fputs(", others skipped", out);
    }
    fputs(" |", out);
}

/* Rows with a column for each length. */
static void write_lengths(const peers_output *o, const report *r, size_t field, FILE *out)
{
    fprintf(out, "| %s, %u bits |", o->names[field], o->bits[field]);
    for (size_t l = 0; l < o->lengths; l++) {
        fprintf(out, " n = %zu |", o->length[l]);
    }
    fputs("\n|---|", out);
    for (size_t l = 0; l < o->lengths; l++) {
        fputs("---:|", out);
    }
    fputc('\n', out);
    for (size_t i = 0; i < operation_count; i++) {
        if (has_row(o, r, field, &operations[i])) {
            fprintf(out, "| %s |", operations[i].what);
            for (size_t l = 0; l < o->lengths; l++) {
                write_cell(o, r, field, &operations[i], o->length[l], out);
            }
            fputc('\n', out);
        }
    }
}

static void write_library_cell(const record *x, FILE *out)
{
    if (is_timed(x)) {
        fputc(' ', out);
        peers_write_ms(out, x->time.min_ns);
        fputs(", ", out);
        peers_write_ratio(out, x->ratio_to_gfpoly);
        fputs(" |", out);
    } else {
        fputs(x == NULL ? " - |" : " skipped |", out);
    }
}

/* Rows with a column for each library. */
static void write_libraries(const peers_output *o, const report *r, size_t field, FILE *out)
{
    fprintf(out, "| %s, %u bits, n = %zu: ms | gfpoly | |", o->names[field], o->bits[field],
            o->length[0]);
    for (size_t i = 0; i + 1 < o->libraries; i++) {
        fputc(' ', out);
        peers_write_library(out, o->peers[i]->name);
        fprintf(out, " %s |", o->peers[i]->version);
    }
    fputs("\n|---|---:|---:|", out);
    for (size_t i = 0; i + 1 < o->libraries; i++) {
        fputs("---:|", out);
    }
    fputc('\n', out);
    for (size_t i = 0; i < operation_count; i++) {
        const record *ours = find(r, o->names[field], &operations[i], o->length[0], NULL);
        if (ours == NULL) {
            continue;
        }
        fprintf(out, "| %s | ", operations[i].what);
        if (is_timed(ours)) {
            peers_write_ms(out, ours->time.min_ns);
            fputs(" | ", out);
            write_products(r, ours, out);
            fputs(" |", out);
        } else {
            fputs("skipped | |", out);
        }
        for (size_t j = 0; j + 1 < o->libraries; j++) {
            write_library_cell(find(r, o->names[field], &operations[i], o->length[0], o->peers[j]),
                               out);
        }
        fputc('\n', out);
    }
}

bool peers_write_toolkit(const peers_output *o, const report *r, FILE *out)
{
    report_begin(out);
    for (size_t f = 0; f < o->fields; f++) {
        if (f > 0) {
            fputc('\n', out);
        }
        if (o->lengths == 1) {
            write_libraries(o, r, f, out);
        } else {
            write_lengths(o, r, f, out);
        }
    }
    peers_write_facts(o, r, "M is the product of two polynomials of n terms. All times are of",
                      out);
    return report_end(out, o->table);
}
