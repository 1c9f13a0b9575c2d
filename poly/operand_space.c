/* operand_space.c: what operands made alike share: the method, the state of its engine, and points.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operand_impl.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

void gfp_operand_space_release(gfp_operand_space *s)
{
    if (s != NULL && atomic_fetch_sub(&s->owners, 1) == 1) {
        const gfp_allocator *allocator = gfp_field_allocator(s->field);
        if (s->state != NULL) {
            s->engine->destroy(s);
        }
        gfp_release(allocator, s, 1, sizeof *s);
    }
}

bool gfp_operand_serves(const gfp_method *method, const gfp_field *field, size_t length, char *why,
                        size_t size)
{
    const gfp_operand_engine *engine = method->operands;
    if (engine == NULL) {
        (void)snprintf(why, size, "it has no transforms that stay");
        return false;
    }
    return engine->serves == NULL || engine->serves(field, length, why, size);
}

static bool is_free_choice(const gfp_options *options)
{
    return options->method == NULL || strcmp(options->method, "auto") == 0;
}

/* The row that the options name, or the pick, no_gpu: of the CPU's. */
static gfp_status choose(const gfp_method **method, const gfp_field *field, size_t length,
                         bool cyclic, const gfp_options *options, bool no_gpu)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    const gfp_problem p = {.operation = GFP_OPERATION_OPERAND,
                           .len_a = length / 2 + 1,
                           .len_b = length - length / 2,
                           .no_gpu = no_gpu};
    if (is_free_choice(options)) {
        gfp_request q = gfp_request_make(&p, field, options);
        q.cap = 0;
        *method = gfp_request_pick(NULL, &q);
        return *method != NULL ? GFP_OK
                               : gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                                               "no method has transforms that stay");
    }
    const gfp_method *row = gfp_method_find(options->method);
    if (row == NULL) {
        return gfp_error_set(options->error, GFP_ERR_UNKNOWN, "no method is called \"%.60s\"",
                             options->method);
    }
    if (row->operands != NULL && !row->operands->wraps && cyclic) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                             "operands of %s: their products do not wrap around", row->name);
    }
    if (!gfp_operand_serves(row, field, length, why, sizeof why) ||
        !gfp_method_serves(row, field, p.len_a, p.len_b, options->gpu_device, why, sizeof why)) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE, "operands of %s: %s", row->name,
                             why);
    }
    *method = row;
    return GFP_OK;
}

/* Points at which a polynomial of this length that is not 0 vanishes with little probability. */
static gfp_status make_points(gfp_operand_space *s, const gfp_options *options)
{
    uint64_t seed = options->verify_seed;
    const unsigned points = gfp_verify_points(s->field, s->length, &s->log2_error);
    if (options->verify != GFP_VERIFY_POINT || s->cyclic || points == 0) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                             "operands are verified at random points only, %s",
                             s->cyclic     ? "and not where products wrap around"
                             : points == 0 ? "of which the field has too few"
                                           : "by no second method");
    }
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, options->error));
    }
    s->points = points;
    gfp_verify_draw(s->field, s->point, points, seed);
    return GFP_OK;
}

/* As in space_create, by a row. */
static gfp_status space_make(gfp_operand_space **made, const gfp_field *field,
                             const gfp_method *method, size_t length, size_t terms, bool cyclic,
                             const gfp_options *options, gfp_error *error)
{
    gfp_operand_space *s = gfp_allocate(gfp_field_allocator(field), 1, sizeof *s);
    if (s == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for an operand");
    }
    *s = (gfp_operand_space){
        .field = field, .method = method, .engine = method->operands, .cyclic = cyclic};
    atomic_init(&s->owners, 1);
    s->free_choice = is_free_choice(options);
    s->threads = options->threads;
    s->cap = options->memory_cap;
    const gfp_problem product = {.len_a = length / 2 + 1, .len_b = length - length / 2};
    const gfp_options alone = {.threads = 1, .tuning = options->tuning};
    const gfp_request q = gfp_request_make(&product, field, &alone);
    s->ns = gfp_request_time(&q, method);
    const gfp_status status = s->engine->create(s, length, terms, options, error);
    if (status != GFP_OK) {
        gfp_operand_space_release(s);
        return status;
    }
    *made = s;
    return GFP_OK;
}

void gfp_operand_tell(gfp_error *to, const gfp_error *error)
{
    if (to != NULL) {
        *to = *error;
    }
}

gfp_status gfp_operand_space_create(gfp_operand_space **made, const gfp_field *field, size_t length,
                                    size_t terms, bool cyclic, gfp_report *failed,
                                    const gfp_options *options)
{
    const gfp_method *method;
    gfp_operand_space *s = NULL;
    gfp_error why = {.status = GFP_OK};
    if (length == 0 || terms == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "operands of length 0 or for no terms");
    }
    if (length > SIZE_MAX / 4) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "no operand has %zu coefficients",
                             length);
    }
    GFP_TRY(choose(&method, field, length, cyclic, options, cyclic));
    gfp_status status = space_make(&s, field, method, length, terms, cyclic, options, &why);
    if (status != GFP_OK && gfp_method_on_device(method) && is_free_choice(options)) {
        failed->gpu_method = method->name;
        failed->gpu_error = why;
        GFP_TRY(choose(&method, field, length, cyclic, options, true));
        status = space_make(&s, field, method, length, terms, cyclic, options, &why);
    }
    if (status != GFP_OK) {
        gfp_operand_tell(options->error, &why);
        return status;
    }
    if (options->verify != GFP_VERIFY_NONE) {
        status = make_points(s, options);
        if (status != GFP_OK) {
            gfp_operand_space_release(s);
            return status;
        }
    }
    *made = s;
    return GFP_OK;
}

bool gfp_operand_alike(const gfp_operand_space *s, const gfp_operand_space *t)
{
    if (s == t) {
        return true;
    }
    if (s->method != t->method || s->length != t->length || s->cyclic != t->cyclic ||
        s->points != t->points || memcmp(s->point, t->point, s->points * sizeof *s->point) != 0) {
        return false;
    }
    return s->engine->alike == NULL || s->engine->alike(s, t);
}
