/* suggest.c: lists of names, and suggestions for an unknown word: "did you mean ...?".
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli/cli.h"

/* Longer words are compared up to this length. */
#define LONGEST 40

void append_name(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
}

static size_t suggest_least(size_t x, size_t y)
{
    return x < y ? x : y;
}

static char suggest_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The number of characters to add, remove, change or exchange with their neighbour to turn one word
 * into the other; upper and lower case are equal. row[i % 3][j] is the distance between the first i
 * characters of x and the first j of y. */
static size_t suggest_distance(const char *x, const char *y)
{
    size_t row[3][LONGEST + 1];
    const size_t n = strnlen(x, LONGEST), m = strnlen(y, LONGEST);
    for (size_t i = 0; i <= n; i++) {
        row[i % 3][0] = i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                row[0][j] = j;
                continue;
            }
            const size_t *above = row[(i + 2) % 3], *higher = row[(i + 1) % 3];
            const bool same = suggest_lower(x[i - 1]) == suggest_lower(y[j - 1]);
            size_t best = suggest_least(above[j], row[i % 3][j - 1]) + 1;
            best = suggest_least(best, above[j - 1] + !same);
            if (i > 1 && j > 1 && suggest_lower(x[i - 1]) == suggest_lower(y[j - 2]) &&
                suggest_lower(x[i - 2]) == suggest_lower(y[j - 1])) {
                best = suggest_least(best, higher[j - 2] + 1);
            }
            row[i % 3][j] = best;
        }
    }
    return row[n % 3][m];
}

void begin_suggestion(struct suggestion *s, const char *word)
{
    const size_t length = strlen(word);
    /* One mistake in a short word, or one in three characters of a long one: more mistakes make
     * another word. */
    *s = (struct suggestion){.word = word, .best = length < 2 ? 0 : length < 6 ? 1 : length / 3};
}

void consider(struct suggestion *s, const char *candidate)
{
    const size_t length = strlen(s->word);
    const bool begun = length > 1 && strncmp(s->word, candidate, length) == 0;
    const size_t d = begun ? 1 : suggest_distance(s->word, candidate);
    if (d > s->best) {
        return;
    }
    if (d < s->best) {
        s->best = d;
        s->count = 0;
    }
    if (s->count < MAX_SUGGESTIONS) {
        s->meant[s->count] = candidate;
    }
    s->count++;
}

void consider_methods(struct suggestion *s)
{
    for (size_t i = 0; i < gfp_method_count(); i++) {
        consider(s, gfp_method_name(i));
    }
}

const char *end_suggestion(struct suggestion *s, const char *lead)
{
    size_t used = 0;
    s->text[0] = '\0';
    if (s->count > MAX_SUGGESTIONS) { /* long lists do not help */
        return s->text;
    }
    for (size_t i = 0; i < s->count; i++) {
        const char *before = i == 0 ? "; did you mean '" : i + 1 == s->count ? "' or '" : "', '";
        used += (size_t)snprintf(s->text + used, sizeof s->text - used, "%s%s%.*s", before, lead,
                                 LONGEST, s->meant[i]);
    }
    if (s->count > 0) {
        snprintf(s->text + used, sizeof s->text - used, "'?");
    }
    return s->text;
}
