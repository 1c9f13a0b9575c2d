/* space.c: spaces: the method, the state of its engine, and points of verification.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/operand/impl.h"

#include <stdio.h>

#include "product/choose/choice.h"
#include "field/base/support.h"
#include "product/verify/claim.h"
#include "product/methods/engine.h"

void gfp_space_destroy(gfp_space *s)
{
    if (s != NULL && atomic_fetch_sub(&s->owners, 1) == 1) {
        const gfp_allocator *allocator = gfp_field_allocator(s->field);
        if (s->ring != NULL) {
            s->engine->destroy(s->ring);
        }
        gfp_release(allocator, s, 1, sizeof *s);
    }
}

/* Whether products of the row's operands wrap around like this. */
static gfp_status check_wrap(const gfp_method *row, gfp_wrap wrap, const gfp_options *options)
{
    const gfp_ring_engine *engine = row->operands;
    if (wrap == GFP_WRAP_LINEAR || engine == NULL ||
        (engine->wraps && (wrap == GFP_WRAP_CYCLIC || engine->negates))) {
        return GFP_OK;
    }
    return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                         "operands of %s: their products do not wrap around%s", row->name,
                         engine->wraps ? " modulo X^L + 1" : "");
}

/* *method := the row that the options name, or the pick; no_gpu: the pick of the CPU's rows. */
static gfp_status space_choose(const gfp_method **method, const gfp_field *field,
                               const gfp_space_spec *spec, const gfp_options *options, bool no_gpu)
{
    const size_t length = spec->length;
    char why[sizeof((gfp_method_info *)0)->reason];
    const gfp_problem p = {.operation = GFP_OPERATION_OPERAND,
                           .len_a = length / 2 + 1,
                           .len_b = length - length / 2,
                           .no_gpu = no_gpu};
    if (gfp_options_auto(options)) {
        const gfp_request q = gfp_request_make(&p, field, options);
        *method = gfp_request_pick(NULL, &q);
        return *method != NULL ? check_wrap(*method, spec->wrap, options)
                               : gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                                               "no method has operands for this field and length");
    }
    const gfp_method *row = gfp_method_find(options->method);
    if (row == NULL) {
        return gfp_method_unknown(options->method, options->error);
    }
    GFP_TRY(check_wrap(row, spec->wrap, options));
    if (!gfp_operand_serves(row, field, length, why, sizeof why) ||
        !gfp_method_serves(row, field, p.len_a, p.len_b, options->gpu_device, 1, why, sizeof why)) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE, "method %s: %s", row->name, why);
    }
    *method = row;
    return GFP_OK;
}

/* Chooses points at which a polynomial of this length that is not 0 vanishes with little
 * probability. */
static gfp_status make_points(gfp_space *s, const gfp_options *options)
{
    uint64_t seed = options->verify_seed;
    const unsigned points = gfp_verify_points(s->field, s->length, &s->log2_error);
    if (options->verify != GFP_VERIFY_POINT || s->wrap != GFP_WRAP_LINEAR || points == 0) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE, "operands are verified %s",
                             s->wrap != GFP_WRAP_LINEAR ? "only if products do not wrap around"
                             : points == 0 ? "at random points, and the field has too few"
                                           : "at random points only, not by a second method");
    }
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, options->error));
    }
    s->points = points;
    gfp_verify_draw(s->field, s->point, points, seed);
    return GFP_OK;
}

static gfp_status make_ring(gfp_space *s, const gfp_space_spec *spec, const gfp_options *options,
                            gfp_error *error)
{
    const gfp_ring_problem p = {.field = s->field,
                                .length = spec->length,
                                .terms = spec->terms,
                                .wrap = spec->wrap == GFP_WRAP_LINEAR   ? GFP_RING_LINEAR
                                        : spec->wrap == GFP_WRAP_CYCLIC ? GFP_RING_CYCLIC
                                                                        : GFP_RING_NEGACYCLIC,
                                .options = options,
                                .frame = s};
    if (s->cap != 0 && s->engine->bytes != NULL && s->engine->bytes(&p) > s->cap) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "the tables of a space take more than the cap of %zu bytes", s->cap);
    }
    GFP_TRY(s->engine->create(&s->ring, &p, error));
    s->length = s->ring->length;
    s->words = s->ring->words;
    return GFP_OK;
}

/* Makes a space with a row. */
static gfp_status space_make(gfp_space **made, const gfp_field *field, const gfp_method *method,
                             const gfp_space_spec *spec, const gfp_options *options,
                             gfp_error *error)
{
    const size_t length = spec->length;
    gfp_space *s = gfp_allocate(gfp_field_allocator(field), 1, sizeof *s);
    if (s == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a space");
    }
    *s = (gfp_space){
        .field = field, .method = method, .engine = method->operands, .wrap = spec->wrap};
    atomic_init(&s->owners, 1);
    s->free_choice = gfp_options_auto(options);
    s->threads = options->threads;
    s->cap = options->memory_cap;
    const gfp_problem product = {.len_a = length / 2 + 1, .len_b = length - length / 2};
    const gfp_options alone = {.threads = 1, .tuning = options->tuning};
    const gfp_request q = gfp_request_make(&product, field, &alone);
    s->ns = gfp_request_time(&q, method);
    const gfp_status status = make_ring(s, spec, options, error);
    if (status != GFP_OK) {
        gfp_space_destroy(s);
        return status;
    }
    *made = s;
    return GFP_OK;
}

/* A failure of a GPU; method NULL: none. */
typedef struct failure {
    const gfp_method *method;
    gfp_error why;
} failure;

/* If the pick is a method on a GPU and the GPU fails, uses the CPU's pick; *failed has the
 * failure. */
static gfp_status space_find(gfp_space **s, const gfp_field *field, const gfp_space_spec *spec,
                             failure *failed, const gfp_options *options)
{
    const gfp_method *method;
    gfp_error why = {.status = GFP_OK};
    GFP_TRY(space_choose(&method, field, spec, options, spec->wrap != GFP_WRAP_LINEAR));
    gfp_status status = space_make(s, field, method, spec, options, &why);
    if (status != GFP_OK && gfp_method_on_device(method) && gfp_options_auto(options)) {
        failed->method = method;
        failed->why = why;
        GFP_TRY(space_choose(&method, field, spec, options, true));
        status = space_make(s, field, method, spec, options, &why);
    }
    if (status != GFP_OK && options->error != NULL) {
        *options->error = why;
    }
    return status;
}

static gfp_status check_spec(const gfp_space_spec *spec, gfp_error *error)
{
    if (spec->length == 0 || spec->terms == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a space of length 0 or for no terms");
    }
    if (spec->wrap != GFP_WRAP_LINEAR && spec->wrap != GFP_WRAP_CYCLIC &&
        spec->wrap != GFP_WRAP_NEGACYCLIC) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no such way to wrap around: %d",
                             (int)spec->wrap);
    }
    return spec->length <= SIZE_MAX / 4
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_SIZE, "operands cannot have %zu coefficients",
                               spec->length);
}

gfp_status gfp_space_create(gfp_space **s, const gfp_field *field, const gfp_space_spec *spec,
                            const gfp_options *options)
{
    gfp_options copy;
    failure failed;
    failed.method = NULL;
    gfp_space *made = NULL;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (s == NULL || field == NULL || spec == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "the space, the field or its specification is NULL");
    }
    GFP_TRY(check_spec(spec, options->error));
    GFP_TRY(space_find(&made, field, spec, &failed, options));
    if (options->verify != GFP_VERIFY_NONE) {
        const gfp_status status = make_points(made, options);
        if (status != GFP_OK) {
            gfp_space_destroy(made);
            return status;
        }
    }
    if (options->report != NULL) {
        *options->report =
            (gfp_report){.method = made->method->name,
                         .verified = made->points > 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE,
                         .threads = 1,
                         .points = made->points,
                         .log2_error = made->log2_error};
        if (failed.method != NULL) {
            options->report->gpu_method = failed.method->name;
            options->report->gpu_error = failed.why;
        }
    }
    *s = made;
    return GFP_OK;
}

gfp_space_info gfp_space_get_info(const gfp_space *s)
{
    return (gfp_space_info){.method = s->method->name, .length = s->length};
}

size_t gfp_space_bytes(const gfp_space *s)
{
    return sizeof *s + s->ring->bytes;
}

size_t gfp_space_length(const gfp_space *s)
{
    return s->length;
}
