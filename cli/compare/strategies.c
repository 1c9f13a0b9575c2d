/* strategies.c: `compare --strategies': the strategies of products, gcds or resultants over Z on a
 * map of lengths against bits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/inputs.h"
#include "cli/compare/map.h"

/* A map's operands. */
struct integers {
    zoperation operation;
    gfp_zring *ring;
    gfp_zvec a, b, g, c;
    gfp_random random;
    size_t bits[MOST_ON_AXIS];
};

static gfp_status call_strategy(struct map *m, const gfp_options *options)
{
    struct integers *s = m->operands;
    return call_over_z(s->operation, &s->c, &s->a, &s->b, options);
}

/* Leaves out a strategy that was lost, or took too long, at the place before. */
static void learn_from(struct figure *f, const struct map *m, size_t length, size_t line, size_t i)
{
    const struct map_place *before = place_at(m, length, line);
    const struct figure *g = &before->by[i];
    if (f->outcome != MEASURED) {
        return;
    }
    if (g->outcome == LOST || g->outcome == TOO_LONG) {
        f->outcome = g->outcome;
        memcpy(f->note, g->note, sizeof f->note);
    } else if (was_measured(g) && time_of(g) > LOST_RATIO * time_of(&before->by[before->best])) {
        f->outcome = LOST;
        snprintf(f->note, sizeof f->note,
                 "left out: %.3g times the least time for %zu coefficients of %s bits",
                 time_of(g) / time_of(&before->by[before->best]), m->len[length],
                 m->line[line].name);
    }
}

/* Names the strategies of a place, and those to measure. */
static gfp_status draw_integer_place(struct map *m, struct map_place *p, size_t length, size_t line)
{
    struct integers *s = m->operands;
    const char *const *names = zmethod_names[s->operation];
    for (p->count = 0; p->count < MOST_ZMETHODS && names[p->count] != NULL; p->count++) {
        struct figure *f = &p->by[p->count];
        p->name[p->count] = p->group[p->count] = names[p->count];
        f->outcome = MEASURED;
        if (length > 0) {
            learn_from(f, m, length - 1, line, p->count);
        }
        if (line > 0) {
            learn_from(f, m, length, line - 1, p->count);
        }
    }
    return draw_integer_pair(&s->a, &s->b, &s->g, m->len[length] - 1, s->bits[line],
                             s->operation == Z_GCD, &s->random);
}

/* A session's `measure'. */
static int measure_strategies(void *map, bool *interrupted)
{
    struct map *m = map;
    struct integers *s = m->operands;
    gfp_error error = {.message = ""};
    gfp_status status = gfp_zring_create(&s->ring, NULL, &error);
    if (status != GFP_OK) {
        return complain_status("compare", status, &error);
    }
    gfp_zvec *const vectors[] = {&s->a, &s->b, &s->g, &s->c};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        gfp_zvec_init(vectors[i], s->ring);
    }
    gfp_random_seed(&s->random, m->seed);
    status = measure_places(m, 0, m->lines, &m->lengths);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        gfp_zvec_clear(vectors[i]);
    }
    gfp_zring_destroy(s->ring);
    *interrupted = status == GFP_ERR_CANCELLED;
    return status == GFP_OK || *interrupted ? DONE : complain_status("compare", status, NULL);
}

static const struct map_kind over_integers = {.column = "strategy",
                                              .line = "bits",
                                              .axis = "bits of a coefficient",
                                              .over = "over Z",
                                              .numbered = true,
                                              .draw = draw_integer_place,
                                              .call = call_strategy,
                                              .measure = measure_strategies};

static int make_bits(struct map *m, const struct compare_values *values)
{
    struct integers *s = m->operands;
    const size_t low = values->min_bits != 0 ? values->min_bits : 16;
    const size_t high = values->max_bits != 0 ? values->max_bits : low > 4096 ? low : 4096;
    const double step = values->points > 0 ? 1 / (double)values->points : 2;
    if (low > high || values->min_len == 1) {
        complain("compare: --strategies needs 2 <= --min-len and --min-bits <= --max-bits");
        return BAD_USAGE;
    }
    if (fill_axis(NULL, low, high, step) > MOST_ON_AXIS) {
        complain("compare: a map has at most %d numbers of bits", MOST_ON_AXIS);
        return BAD_USAGE;
    }
    m->lines = m->stride = fill_axis(s->bits, low, high, step);
    for (size_t j = 0; j < m->lines; j++) {
        m->line[j].at = (double)s->bits[j];
        snprintf(m->line[j].name, sizeof m->line[j].name, "%zu", s->bits[j]);
    }
    return make_lengths(m, values, 4, s->operation == Z_RESULTANT ? 256 : 4096);
}

int compare_strategies(const struct request *request)
{
    const struct compare_values *values = &request->own.compare;
    struct integers s = {.operation = (zoperation)values->zoperation};
    struct map m = {.kind = &over_integers,
                    .operands = &s,
                    .operation = zoperation_names[s.operation],
                    .seed = values->seed,
                    .threads = request->call.threads,
                    .seconds = values->seconds};
    if (is_given(request, "field fields levels methods operation")) {
        complain("compare: --strategies goes without --field, --fields, --levels, --methods and "
                 "--operation");
        return BAD_USAGE;
    }
    int code = make_bits(&m, values);
    if (code == DONE) { /* strategies are those of the CPU */
        m.all = calloc(m.lengths * m.stride, sizeof *m.all);
        code = m.all != NULL && keep_to_cpu(true)
                   ? run_map(&m, request->output)
                   : complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    free(m.all);
    return code;
}
