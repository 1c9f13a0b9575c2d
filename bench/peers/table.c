/* bench/peers/table.c: the figures of gfpoly_peers as a table in Markdown: products over Z/p by
 * lengths, operations over Z by bits, or all operations over Z/p.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "bench/markdown.h"
#include "bench/peers/session.h"

const char *section_of(const operation *o)
{
    return o->code == PEER_MUL ? "peer" : o->name;
}

const record *find_figure(const report *r, const place *at, size_t library)
{
    for (size_t i = 0; i < r->count; i++) {
        const record *x = &r->records[i];
        if (x->library == library && x->len_a == at->len && strcmp(x->field, at->ring) == 0 &&
            strcmp(x->section, section_of(at->operation)) == 0) {
            return x;
        }
    }
    return NULL;
}

static bool is_timed(const record *x)
{
    return x != NULL && x->time.runs > 0;
}

const char *fact_of(const report *r, const char *name)
{
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        if (strcmp(r->machine.fact[i].name, name) == 0) {
            return r->machine.fact[i].text;
        }
    }
    return "";
}

/* ---- cells ---- */

/* Digits behind the point for this number of digits in all. */
static int decimals_of(double x, int digits)
{
    const int decimals = digits - 1 - (int)floor(log10(x));
    return decimals > 0 ? decimals : 0;
}

/* Milliseconds with three digits, or all digits before the point. */
static void write_ms(FILE *out, const record *x)
{
    const double ms = is_timed(x) ? x->time.min_ns / 1e6 : 0;

    if (ms > 0) {
        fprintf(out, "%.*f", decimals_of(ms, 3), ms);
    } else {
        fputc('-', out);
    }
}

/* A ratio with two or three digits, or one below 1. */
static void write_ratio(FILE *out, double ratio)
{
    if (ratio > 0) {
        fprintf(out, "%.*f ×", ratio < 0.095 ? decimals_of(ratio, 2) : ratio < 9.95 ? 1 : 0, ratio);
    } else {
        fputc('-', out);
    }
}

void library_name(char text[LIBRARY_NAME], const char *name)
{
    bool first = true;
    size_t n = 0;

    for (; name[n] != '\0' && n + 1 < LIBRARY_NAME; n++) {
        first = first && name[n] != ' ';
        text[n] = (char)(first ? toupper((unsigned char)name[n]) : name[n]);
    }
    text[n] = '\0';
}

void write_library(FILE *out, const char *name)
{
    char text[LIBRARY_NAME];

    library_name(text, name);
    fputs(text, out);
}

static void write_peer(FILE *out, const peer *library)
{
    write_library(out, library->name);
    fprintf(out, " %s", library->version);
}

/* A paragraph that begins with the text, and has the machine's facts and the command. */
static void write_facts(const session *o, const report *r, const char *text, FILE *out)
{
    fprintf(out, "\n%s one thread, %s, kernel level %s", text, fact_of(r, "cpu"),
            fact_of(r, "cpu_level"));
    fprintf(
        out,
        ": the least time of\nseveral runs, and how many times longer the other libraries take. "
        "All results were compared,\ncoefficient by coefficient. gfpoly %s by %s, GMP %s; "
        "%.10s:\n`",
        fact_of(r, "gfpoly"), fact_of(r, "compiler"), fact_of(r, "gmp"), fact_of(r, "date"));
    for (int i = 0; i < o->argc; i++) {
        fprintf(out, "%s%s", i > 0 ? " " : "", o->argv[i]);
    }
    fputs("`\n", out);
}

/* ---- a row for each library: products over Z/p, operations over Z ---- */

static void write_numbers_head(FILE *out, const char *first, const char *second,
                               const size_t *number, size_t count)
{
    char titles[30 * MAX_LENGTHS] = "";
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(titles + used, sizeof(titles) - used, " | %zu", number[i]);
    }
    markdown_head(out, count, "%s | %s:%s", first, second, titles);
}

/* Our times in ms, and below them the ratios of each library; a column for each place. */
static void write_group(const session *o, const report *r, const char *label, const place *at,
                        size_t columns, FILE *out)
{
    fprintf(out, "| %s | gfpoly, ms", label);
    for (size_t j = 0; j < columns; j++) {
        fputs(" | ", out);
        write_ms(out, find_figure(r, &at[j], 0));
    }
    fputs(" |\n", out);
    for (size_t i = 0; i < o->peer_count; i++) {
        fputs("| | ", out);
        write_peer(out, o->peers[i]);
        for (size_t j = 0; j < columns; j++) {
            const record *x = find_figure(r, &at[j], i + 1);
            fputs(" | ", out);
            write_ratio(out, x != NULL ? x->ratio_to_gfpoly : 0);
        }
        fputs(" |\n", out);
    }
}

static void write_products_table(const session *o, const report *r, FILE *out)
{
    write_numbers_head(out, "p", "terms of a factor", o->s.lengths, o->s.length_count);
    for (size_t f = 0; f < o->rings; f++) {
        place at[MAX_LENGTHS];
        char label[80];
        for (size_t l = 0; l < o->s.length_count; l++) {
            at[l] = (place){&o->operations[0], o->ring[f], o->s.lengths[l]};
        }
        snprintf(label, sizeof(label), "%s, %u bits", o->ring[f], o->ring_bits[f]);
        write_group(o, r, label, at, o->s.length_count, out);
    }
    write_facts(o, r, "The product of two random polynomials, unchecked (`GFP_VERIFY_NONE`), by",
                out);
}

/* A line: the mean and the least of the ratios of an operation, for each library. */
static void write_means(const session *o, const report *r, const operation *op, FILE *out)
{
    const char *before = ":";

    fprintf(out, "- %s", op->what);
    for (size_t i = 0; i < o->peer_count; i++) {
        double sum = 0, least = HUGE_VAL;
        size_t count = 0;
        for (size_t j = 0; j < o->s.length_count * o->rings; j++) {
            const place at = {op, o->ring[j % o->rings], o->s.lengths[j / o->rings]};
            const record *x = find_figure(r, &at, i + 1);
            if (is_timed(x)) {
                sum += log(x->ratio_to_gfpoly);
                least = fmin(least, x->ratio_to_gfpoly);
                count++;
            }
        }
        if (count > 0) {
            fprintf(out, "%s ", before);
            write_peer(out, o->peers[i]);
            fputc(' ', out);
            write_ratio(out, exp(sum / (double)count));
            fputs(" (at least ", out);
            write_ratio(out, least);
            fprintf(out, ", of %zu)", count);
            before = ",";
        }
    }
    fputc('\n', out);
}

static void write_z_table(const session *o, const report *r, FILE *out)
{
    write_numbers_head(out, "terms", "bits of a coefficient", o->s.bits, o->s.bits_count);
    for (size_t i = 0; i < o->operation_count * o->s.length_count; i++) {
        const operation *op = &o->operations[i / o->s.length_count];
        const size_t len = o->s.lengths[i % o->s.length_count];
        place at[MAX_LENGTHS];
        char label[80];
        for (size_t j = 0; j < o->rings; j++) {
            at[j] = (place){op, o->ring[j], len};
        }
        snprintf(label, sizeof(label), "%s, %zu", op->what, len);
        if (o->chosen[i / o->s.length_count]) {
            write_group(o, r, label, at, o->rings, out);
        }
    }
    fputc('\n', out);
    for (size_t i = 0; i < o->operation_count; i++) {
        if (o->chosen[i]) {
            write_means(o, r, &o->operations[i], out);
        }
    }
    write_facts(o, r, "Random operands,", out);
}

/* ---- a row for each operation over Z/p ---- */

/* Our time in units of a product's. */
static void write_in_products(const session *o, const report *r, const place *at, FILE *out)
{
    const record *ours = find_figure(r, at, 0);
    const record *product = find_figure(r, &(place){&o->operations[0], at->ring, at->len}, 0);

    if (is_timed(product)) {
        const double ratio = ours->time.min_ns / product->time.min_ns;
        fprintf(out, "%.*f M", ratio < 9.95 ? 2 : ratio < 99.5 ? 1 : 0, ratio);
    } else {
        fputc('-', out);
    }
}

/* Our time, and its ratio to that of the fastest other library. */
static void write_fastest(const session *o, const report *r, const place *at, FILE *out)
{
    const record *ours = find_figure(r, at, 0), *best = NULL;
    const peer *fastest = NULL;
    bool skipped = false;

    if (!is_timed(ours)) {
        fputs(" - |", out);
        return;
    }
    fputc(' ', out);
    write_ms(out, ours);
    fputs(" ms, ", out);
    write_in_products(o, r, at, out);
    for (size_t i = 0; i < o->peer_count; i++) {
        const record *x = find_figure(r, at, i + 1);
        skipped = skipped || (x != NULL && !is_timed(x));
        if (is_timed(x) && (best == NULL || x->time.min_ns < best->time.min_ns)) {
            best = x;
            fastest = o->peers[i];
        }
    }
    if (best != NULL) {
        fputs(", ", out);
        write_ratio(out, best->ratio_to_gfpoly);
        fputc(' ', out);
        write_library(out, fastest->name);
    } else if (skipped) {
        fputs(", others skipped", out);
    }
    fputs(" |", out);
}

/* Cells of one length: ours, in products, and a column for each library. */
static void write_libraries(const session *o, const report *r, const place *at, FILE *out)
{
    const record *ours = find_figure(r, at, 0);

    if (is_timed(ours)) {
        fputc(' ', out);
        write_ms(out, ours);
        fputs(" | ", out);
        write_in_products(o, r, at, out);
        fputs(" |", out);
    } else {
        fputs(" skipped | |", out);
    }
    for (size_t i = 0; i < o->peer_count; i++) {
        const record *x = find_figure(r, at, i + 1);
        if (is_timed(x)) {
            fputc(' ', out);
            write_ms(out, x);
            fputs(", ", out);
            write_ratio(out, x->ratio_to_gfpoly);
            fputs(" |", out);
        } else {
            fputs(x == NULL ? " - |" : " skipped |", out);
        }
    }
}

static void write_toolkit_head(const session *o, size_t field, FILE *out)
{
    char titles[100 * MAX_LENGTHS] = "";
    size_t used = 0;

    if (o->s.length_count == 1) {
        for (size_t i = 0; i < o->peer_count; i++) {
            char name[LIBRARY_NAME];
            library_name(name, o->peers[i]->name);
            used += (size_t)snprintf(titles + used, sizeof(titles) - used, " | %s %.50s", name,
                                     o->peers[i]->version);
        }
        markdown_head(out, 2 + o->peer_count, "%s, %u bits, n = %zu: ms | gfpoly |%s",
                      o->ring[field], o->ring_bits[field], o->s.lengths[0], titles);
        return;
    }
    for (size_t l = 0; l < o->s.length_count; l++) {
        used +=
            (size_t)snprintf(titles + used, sizeof(titles) - used, " | n = %zu", o->s.lengths[l]);
    }
    markdown_head(out, o->s.length_count, "%s, %u bits%s", o->ring[field], o->ring_bits[field],
                  titles);
}

/* With one length the columns are the libraries. */
static void write_toolkit_table(const session *o, const report *r, FILE *out)
{
    for (size_t f = 0; f < o->rings; f++) {
        fputs(f > 0 ? "\n" : "", out);
        write_toolkit_head(o, f, out);
        for (size_t i = 0; i < o->operation_count; i++) {
            if (!o->chosen[i]) {
                continue;
            }
            fprintf(out, "| %s |", o->operations[i].what);
            for (size_t l = 0; l < o->s.length_count; l++) {
                const place at = {&o->operations[i], o->ring[f], o->s.lengths[l]};
                if (o->s.length_count == 1) {
                    write_libraries(o, r, &at, out);
                } else {
                    write_fastest(o, r, &at, out);
                }
            }
            fputc('\n', out);
        }
    }
    write_facts(o, r, "M is the product of two polynomials of n terms. All times are of", out);
}

bool write_table(const session *o, const report *r, FILE *out)
{
    report_begin(out);
    if (o->over_z) {
        write_z_table(o, r, out);
    } else if (o->toolkit) {
        write_toolkit_table(o, r, out);
    } else {
        write_products_table(o, r, out);
    }
    return report_end(out, o->table);
}
