/* device.c: subcommands whose whole computation a GPU can do (gfpoly/gpu_toolkit.h): with --method
 * NAME_gpu operands go up, the options check results on the device, and these come down.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gfpoly/gpu_toolkit.h"

/* Returns the status of a call that failed. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const gfp_status tried = (call);                                                           \
        if (tried != GFP_OK) {                                                                     \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

#define POLYNOMIALS 4

/* A ring, and what a row's function makes in it. */
struct work {
    const struct call *call;
    const struct input *input;
    const gfp_options *options;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    gfp_gpu_poly *poly[POLYNOMIALS]; /* the operands, and 0 */
    gfp_gpu_array *array[2];
    gfp_gpu_tree *tree;
    gfp_gpu_modulus *M;
    uint64_t *vector[2];
    gfp_options make;  /* of calls other than that of the result, which the options check */
    gfp_report making; /* of the tree, or of the modulus */
};

/* Polynomials of a call behind its operands. */
enum { FIRST, SECOND, RESULT, OTHER };

/* ---- the subcommands ---- */

static gfp_status bring_down(struct work *w, gfp_poly *c, size_t i)
{
    return gfp_gpu_poly_download(c, w->poly[i], &w->make);
}

static gfp_status device_divide(struct work *w, gfp_poly *c)
{
    gfp_gpu_poly *const *p = w->poly;
    TRY(gfp_gpu_poly_divrem(p[RESULT], p[OTHER], p[FIRST], p[SECOND], w->options));
    TRY(bring_down(w, &c[0], RESULT));
    return bring_down(w, &c[1], OTHER);
}

static gfp_status device_invert(struct work *w, gfp_poly *c)
{
    const size_t n = w->call->request->own.power.length;
    TRY(gfp_gpu_poly_inv_series(w->poly[RESULT], w->poly[FIRST], n, w->options));
    return bring_down(w, c, RESULT);
}

static gfp_status divide_series(struct work *w, gfp_poly *c)
{
    gfp_gpu_poly *const *p = w->poly;
    const size_t n = w->call->request->own.power.length;
    TRY(gfp_gpu_poly_div_series(p[RESULT], p[FIRST], p[SECOND], n, w->options));
    return bring_down(w, c, RESULT);
}

static gfp_status device_shift(struct work *w, gfp_poly *c)
{
    const struct power_values *values = &w->call->request->own.power;
    gfp_gpu_poly *const *p = w->poly;
    uint64_t x[GFP_MAX_K];
    set_number(w->input->field, x, values->point);
    TRY(gfp_gpu_poly_taylor_shift(p[RESULT], p[FIRST], x, w->options));
    if (values->length != 0) {
        TRY(gfp_gpu_poly_truncate(p[RESULT], p[RESULT], values->length, &w->make));
    }
    return bring_down(w, c, RESULT);
}

/* The two operands as a pair; *z := a new array of n elements. */
static gfp_status make_pair(struct work *w, gfp_gpu_pairs *pairs, gfp_gpu_array **z, size_t n)
{
    const size_t k = gfp_field_k(w->input->field);
    const gfp_gpu_rows a = {gfp_gpu_poly_array(w->poly[FIRST]), 0, 0},
                       b = {gfp_gpu_poly_array(w->poly[SECOND]), 0, 0};
    *pairs = (gfp_gpu_pairs){a, b, w->input->operand[0].poly.len, w->input->operand[1].poly.len, 1};
    return gfp_gpu_array_create(z, w->gpu, (n > 0 ? n : 1) * k, NULL);
}

static gfp_status find_gcd(struct work *w, gfp_poly *c)
{
    gfp_gpu_pairs pairs;
    uint64_t length = 0;
    const size_t len_a = w->input->operand[0].poly.len, len_b = w->input->operand[1].poly.len,
                 n = len_a > len_b ? len_a : len_b;
    TRY(make_pair(w, &pairs, &w->array[0], n));
    const gfp_gpu_rows g = {w->array[0], 0, n};
    TRY(gfp_gpu_vec_gcd(w->ring, &g, &length, &pairs, w->options));
    TRY(gfp_poly_fit_length(c, length));
    if (length > 0) {
        TRY(gfp_gpu_download(c->digits, w->array[0], 0, length * gfp_field_k(c->field), NULL));
    }
    return gfp_poly_set_length(c, length);
}

static gfp_status find_resultant(struct work *w, gfp_poly *c)
{
    gfp_gpu_pairs pairs;
    uint64_t x[GFP_MAX_K];
    TRY(make_pair(w, &pairs, &w->array[0], 1));
    const gfp_gpu_rows r = {w->array[0], 0, 1};
    TRY(gfp_gpu_vec_resultant(w->ring, &r, &pairs, w->options));
    TRY(gfp_gpu_download(x, w->array[0], 0, gfp_field_k(c->field), NULL));
    return gfp_poly_set_coeff(c, 0, x);
}

/* Options for an object that the call of the result needs. */
static gfp_options of_object(struct work *w)
{
    gfp_options options = w->make;
    options.report = &w->making;
    return options;
}

/* The operands of powmod are the modulus and the base. */
static gfp_status device_power(struct work *w, gfp_poly *c)
{
    const char *exponent = w->call->request->own.power.exponent;
    const gfp_options make = of_object(w);
    gfp_gpu_poly *base = w->poly[SECOND];
    size_t limbs;
    if (w->call->files == 1) {
        TRY(gfp_gpu_poly_one(base, &w->make));
        TRY(gfp_gpu_poly_shift_left(base, base, 1, &w->make));
    }
    TRY(gfp_gpu_modulus_create(&w->M, w->poly[FIRST], &make));
    w->vector[0] = exponent_words(c->field, exponent, &limbs);
    if (w->vector[0] == NULL) {
        return GFP_ERR_MEMORY;
    }
    TRY(gfp_gpu_poly_pow_mod(w->poly[RESULT], base, w->vector[0], limbs, w->M, w->options));
    return bring_down(w, c, RESULT);
}

/* The operands of compose are F, G and the modulus. */
static gfp_status device_compose(struct work *w, gfp_poly *c)
{
    gfp_gpu_poly *const *p = w->poly;
    const gfp_options make = of_object(w);
    TRY(gfp_gpu_poly_upload(p[OTHER], &w->input->operand[2].poly, &w->make));
    TRY(gfp_gpu_modulus_create(&w->M, p[OTHER], &make));
    TRY(gfp_gpu_poly_compose_mod(p[RESULT], p[FIRST], p[SECOND], w->M, w->options));
    return bring_down(w, c, RESULT);
}

/* Array i := the vector in operand i, n elements. */
static gfp_status upload_vector(struct work *w, size_t i, size_t operand, size_t n)
{
    const size_t words = (n > 0 ? n : 1) * gfp_field_k(w->input->field);
    TRY(take_vector(&w->vector[i], &w->input->operand[operand], n, w->options->error));
    TRY(gfp_gpu_array_create(&w->array[i], w->gpu, words, NULL));
    return n == 0 ? GFP_OK
                  : gfp_gpu_upload(w->array[i], 0, w->vector[i], n * gfp_field_k(w->input->field),
                                   NULL);
}

static gfp_status device_evaluate(struct work *w, gfp_poly *c)
{
    const size_t n = count_points(w->call, 1);
    const size_t k = gfp_field_k(c->field);
    const gfp_options make = of_object(w);
    TRY(gfp_poly_fit_length(c, n));
    if (n > 0) {
        TRY(upload_vector(w, 0, 1, n));
        TRY(gfp_gpu_array_create(&w->array[1], w->gpu, n * k, NULL));
        TRY(gfp_gpu_tree_create(&w->tree, w->ring, w->array[0], n, &make));
        TRY(gfp_gpu_tree_eval(w->array[1], w->poly[FIRST], w->tree, w->options));
        TRY(gfp_gpu_download(c->digits, w->array[1], 0, n * k, NULL));
    }
    c->len = n; /* zeros at the end count */
    return GFP_OK;
}

static gfp_status device_interpolate(struct work *w, gfp_poly *c)
{
    const size_t n = count_points(w->call, 0);
    const gfp_options make = of_object(w);
    TRY(upload_vector(w, 0, 0, n));
    TRY(upload_vector(w, 1, 1, n));
    if (n > 0) {
        TRY(gfp_gpu_tree_create(&w->tree, w->ring, w->array[0], n, &make));
        TRY(gfp_gpu_tree_interpolate(w->poly[RESULT], w->array[1], w->tree, w->options));
    }
    return bring_down(w, c, RESULT);
}

static const struct {
    const char *name; /* of the call */
    gfp_status (*run)(struct work *w, gfp_poly *c);
    bool vectors; /* files that are no polynomials: operands are uploaded by run */
    int files;    /* of the calls that the row serves; 0: any number */
} rows[] = {
    {"divrem", device_divide, false, 0},
    {"inverse", device_invert, false, 0},
    {"quotient", divide_series, false, 0},
    {"shift", device_shift, false, 0},
    {"gcd", find_gcd, false, 0},
    {"resultant", find_resultant, false, 0},
    {"powmod", device_power, false, 0},
    {"compose", device_compose, false, 3}, /* modulo a polynomial */
    {"multieval", device_evaluate, false, 0},
    {"interp", device_interpolate, true, 0},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* ---- the way there and back ---- */

/* The row of a call; ROWS: none. */
static size_t row_of(const struct call *call)
{
    size_t i = 0;
    while (i < ROWS && (strcmp(rows[i].name, call->name) != 0 ||
                        (rows[i].files != 0 && rows[i].files != call->files))) {
        i++;
    }
    return i;
}

/* The method of products on one device; AUTO: it is another method. */
static gfp_gpu_method method_named(const char *name)
{
    gfp_gpu_method method = GFP_GPU_METHOD_CLASSICAL;
    while (method != GFP_GPU_METHOD_AUTO && strcmp(gfp_gpu_method_name(method), name) != 0) {
        method--;
    }
    return method;
}

bool device_serves(const struct call *call)
{
    const char *method = call->request->call.method;
    return method != NULL && method_named(method) != GFP_GPU_METHOD_AUTO && row_of(call) < ROWS;
}

static gfp_status open_device(struct work *w)
{
    const struct call_values *values = &w->call->request->call;
    const gfp_gpu_ring_options of_ring = {.method = method_named(values->method)};
    const char *setting = getenv("GFPOLY_GPU");
    if (setting != NULL && strcmp(setting, "off") == 0) { /* as for methods of products */
        snprintf(w->options->error->message, sizeof w->options->error->message,
                 "no GPU: GFPOLY_GPU=off");
        return GFP_ERR_UNAVAILABLE;
    }
    const gfp_status status = gfp_gpu_create(&w->gpu, NULL, &w->make);
    if (status != GFP_OK) { /* ARGUMENT would be one of operands */
        return status == GFP_ERR_ARGUMENT ? GFP_ERR_UNAVAILABLE : status;
    }
    TRY(gfp_gpu_ring_create(&w->ring, w->gpu, w->input->field, &of_ring, &w->make));
    for (size_t i = 0; i < POLYNOMIALS; i++) {
        TRY(gfp_gpu_poly_create(&w->poly[i], w->ring, &w->make));
    }
    return GFP_OK;
}

static void close_device(struct work *w)
{
    gfp_gpu_modulus_destroy(w->M);
    gfp_gpu_tree_destroy(w->tree);
    for (size_t i = 0; i < POLYNOMIALS; i++) {
        gfp_gpu_poly_destroy(w->poly[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        gfp_gpu_array_destroy(w->array[i]);
        free(w->vector[i]);
    }
    gfp_gpu_ring_destroy(w->ring);
    gfp_gpu_destroy(w->gpu);
}

static gfp_status run_row(struct work *w, gfp_poly *c)
{
    const size_t row = row_of(w->call);
    TRY(open_device(w));
    for (size_t i = 0; i < (size_t)w->call->files && i < 2 && !rows[row].vectors; i++) {
        TRY(gfp_gpu_poly_upload(w->poly[i], &w->input->operand[i].poly, &w->make));
    }
    return rows[row].run(w, c);
}

gfp_status compute_on_device(struct call *call, const gfp_options *options)
{
    struct work w = {.call = call, .input = &call->input, .options = options};
    gfp_error *error = options->error;
    w.make = (gfp_options){.gpu_device = options->gpu_device,
                           .gpu_memory_cap = options->gpu_memory_cap,
                           .error = error};
    const gfp_status status = run_row(&w, call->c.poly);
    if (status != GFP_OK && error->message[0] == '\0' && w.gpu != NULL) {
        *error = *gfp_gpu_last_error(w.gpu);
    }
    options->report->multiply_ns += w.making.multiply_ns;
    close_device(&w);
    return status;
}
