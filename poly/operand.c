/* operand.c: transformed polynomials. Those of hybrid live in a ring of crt/hybrid_ring.h and keep
 * account of what a leaf's coefficient may be; those of bigfft are vectors over Z/pZ.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/operand.h"

#include <stdatomic.h>
#include <string.h>

#include "fft_task.h"
#include "hybrid_ring.h"
#include "methods.h"
#include "support.h"
#include "word.h"

#define ALIGN_WORDS 8

/* What operands made alike share. */
typedef struct space {
    atomic_size_t owners;
    const gfp_field *field;
    gfp_fft_plan *plan;   /* of bigfft; NULL: hybrid */
    gfp_hybrid_ring ring; /* of hybrid */
    size_t length;
    size_t words; /* of an operand */
    bool cyclic;
} space;

/* hybrid: a factor is a sum of `weight` polynomials with balanced digits; a product's leaves have
 * coefficients of `weight` terms. Zero has weight 0 and is of either kind. */
struct gfp_fft_operand {
    space *space;
    uint64_t *block; /* space->words and the alignment of */
    uint64_t *words;
    size_t len; /* its polynomial has at most so many coefficients */
    size_t weight;
    bool product;
};

static const gfp_operand_options default_options;

static const gfp_operand_options *or_default(const gfp_operand_options *options)
{
    return options != NULL ? options : &default_options;
}

/* ---- spaces ---- */

static void space_release(space *s)
{
    if (s != NULL && atomic_fetch_sub(&s->owners, 1) == 1) {
        const gfp_allocator *allocator = gfp_field_allocator(s->field);
        gfp_fft_plan_destroy(s->plan);
        gfp_release(allocator, s, 1, sizeof *s);
    }
}

/* The row that the options name; of those with operands the one of least estimate. */
static gfp_status choose(const gfp_method **method, const gfp_field *field, size_t length,
                         const gfp_operand_options *options)
{
    const bool any = options->method == NULL || strcmp(options->method, "auto") == 0;
    const size_t len_a = length / 2 + 1, len_b = length - length / 2;
    double least = 0;
    *method = NULL;
    if (!any && gfp_method_find(options->method) == NULL) {
        return gfp_error_set(options->error, GFP_ERR_UNKNOWN, "no method is called \"%.60s\"",
                             options->method);
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const gfp_method *row = gfp_method_row(i);
        char why[sizeof((gfp_method_info *)0)->reason] = "it has no transforms that stay";
        const bool named = !any && strcmp(row->name, options->method) == 0;
        const bool able = (strcmp(row->name, "hybrid") == 0 || strcmp(row->name, "bigfft") == 0) &&
                          row->available(field, len_a, len_b, why, sizeof why);
        if (named && !able) {
            return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE, "operands of %s: %s",
                                 row->name, why);
        }
        if (able && (any || named)) {
            const double estimate = gfp_method_estimate(options->tuning, i, field, len_a, len_b);
            if (*method == NULL || estimate < least) {
                *method = row;
                least = estimate;
            }
        }
    }
    return *method != NULL ? GFP_OK
                           : gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                                           "no method has transforms that stay");
}

/* A ring for so many terms or, where there are no primes for them, for fewer: sums are brought back
 * earlier then. */
static gfp_status make_ring(space *s, size_t length, size_t terms, gfp_error *error)
{
    while (!gfp_hybrid_ring_make(&s->ring, s->field, length, terms, length, s->cyclic)) {
        if (terms == 1) {
            return gfp_error_set(error, GFP_ERR_SIZE, "no transform of hybrid is as long as %zu",
                                 length);
        }
        terms /= 2;
    }
    s->length = s->ring.length;
    s->words = gfp_hybrid_ring_words(&s->ring);
    const int rounding = gfp_rounding_begin();
    const gfp_status status = gfp_hybrid_ring_prepare(&s->ring);
    gfp_rounding_end(rounding);
    return status != GFP_OK ? gfp_error_set(error, status, "hybrid: no memory for its tables")
                            : GFP_OK;
}

static gfp_status make_plan(space *s, size_t length, gfp_error *error)
{
    size_t n = 1;
    while (n < length) {
        n *= 2; /* bigfft is available: no overflow */
    }
    s->length = n;
    s->words = gfp_size_mul_sat(n, gfp_field_k(s->field));
    return gfp_fft_plan_create(&s->plan, s->field, n, error);
}

static gfp_status space_create(space **made, const gfp_field *field, size_t length, size_t terms,
                               const gfp_operand_options *options)
{
    const gfp_method *method;
    if (length == 0 || terms == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "operands of length 0 or for no terms");
    }
    if (length > SIZE_MAX / 4) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "no operand has %zu coefficients",
                             length);
    }
    GFP_TRY(choose(&method, field, length, options));
    space *s = gfp_allocate(gfp_field_allocator(field), 1, sizeof *s);
    if (s == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY, "no memory for an operand");
    }
    *s = (space){.field = field, .cyclic = options->cyclic};
    atomic_init(&s->owners, 1);
    const gfp_status status = strcmp(method->name, "hybrid") == 0
                                  ? make_ring(s, length, terms, options->error)
                                  : make_plan(s, length, options->error);
    if (status != GFP_OK) {
        space_release(s);
        return status;
    }
    *made = s;
    return GFP_OK;
}

static bool alike(const space *s, const space *t)
{
    if (s == t) {
        return true;
    }
    if ((s->plan == NULL) != (t->plan == NULL) || s->length != t->length ||
        s->cyclic != t->cyclic) {
        return false;
    }
    const gfp_hybrid_shape *x = &s->ring.shape, *y = &t->ring.shape;
    return s->plan != NULL ||
           (s->ring.choice.engine == t->ring.choice.engine &&
            x->outer.log2_size == y->outer.log2_size && x->outer.leaves == y->outer.leaves &&
            x->outer.m == y->outer.m && x->primes == y->primes && x->group == y->group);
}

/* ---- storage ---- */

static size_t block_words(const space *s)
{
    return gfp_size_add_sat(s->words, ALIGN_WORDS);
}

/* x := an operand of the space, its words undefined, which it does not count as an owner. */
static gfp_status open(gfp_fft_operand *x, space *s)
{
    *x = (gfp_fft_operand){.space = s};
    x->block = gfp_allocate(gfp_field_allocator(s->field), block_words(s), sizeof *x->block);
    if (x->block == NULL) {
        return block_words(s) > SIZE_MAX / sizeof *x->block ? GFP_ERR_SIZE : GFP_ERR_MEMORY;
    }
    const uintptr_t misaligned = (uintptr_t)x->block / sizeof *x->block % ALIGN_WORDS;
    x->words = x->block + (ALIGN_WORDS - misaligned) % ALIGN_WORDS;
    return GFP_OK;
}

static void shut(gfp_fft_operand *x)
{
    gfp_release(gfp_field_allocator(x->space->field), x->block, block_words(x->space),
                sizeof *x->block);
}

/* c takes over what x has, and x c's. */
static void exchange(gfp_fft_operand *c, gfp_fft_operand *x)
{
    const gfp_fft_operand old = *c;
    *c = *x;
    c->space = old.space; /* alike; each keeps the one that it owns */
    *x = old;
}

static void set_zero(gfp_fft_operand *x)
{
    memset(x->words, 0, x->space->words * sizeof *x->words);
    x->len = x->weight = 0;
    x->product = false;
}

/* A work area of hybrid; its size. */
static size_t work_words(const space *s, bool whole)
{
    return s->plan != NULL ? gfp_fft_workspace(s->plan) / sizeof(uint64_t) + 1
                           : gfp_hybrid_ring_work(&s->ring, whole);
}

static uint64_t *work_get(const space *s, bool whole)
{
    return gfp_allocate(gfp_field_allocator(s->field), work_words(s, whole), sizeof(uint64_t));
}

static void work_free(const space *s, bool whole, uint64_t *work)
{
    gfp_release(gfp_field_allocator(s->field), work, work_words(s, whole), sizeof(uint64_t));
}

/* ---- progress ---- */

static gfp_task *watch(gfp_task *task, const gfp_operand_options *options)
{
    if (options->progress == NULL) {
        return NULL;
    }
    gfp_task_start(task, options->progress);
    gfp_task_part(task, 1);
    return task;
}

/* The one span of a call: units of hybrid's points, or so many transforms of bigfft. */
static bool span(gfp_task *task, const space *s, double units, double transforms)
{
    if (s->plan == NULL) {
        return gfp_task_span(task, 1, units * gfp_hybrid_ring_points(&s->ring),
                             gfp_hybrid_ring_unit_cost(&s->ring));
    }
    const double all = transforms * gfp_fft_transform_units(s->field, s->length);
    return gfp_task_span(task, 1, all + (double)s->length, gfp_task_product_cost(s->field));
}

static gfp_status cancelled(gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_CANCELLED, "cancelled by the caller's progress callback");
}

static gfp_status say(gfp_status status, gfp_error *error)
{
    if (status == GFP_ERR_CANCELLED) {
        return cancelled(error);
    }
    return status == GFP_OK
               ? status
               : gfp_error_set(error, status, "operand: %s", gfp_status_string(status));
}

/* ---- there ---- */

/* x := the transform of a; false: cancelled. */
static bool transform(gfp_fft_operand *x, const uint64_t *a, size_t len, uint64_t *work,
                      gfp_task *task)
{
    const space *s = x->space;
    x->len = len;
    x->weight = len > 0;
    x->product = false;
    if (s->plan == NULL) {
        return gfp_hybrid_ring_transform(&s->ring, x->words, a, len, work, task);
    }
    gfp_vec_copy(s->field, x->words, a, len);
    gfp_vec_zero(s->field, x->words + len * gfp_field_k(s->field), s->length - len);
    return gfp_fft_forward_in_place(s->plan, x->words, work, task);
}

/* The same for a new x, which is shut again where that fails. */
static gfp_status open_transformed(gfp_fft_operand *x, space *s, const gfp_poly *a,
                                   const gfp_operand_options *options)
{
    if (a != NULL && a->len > s->length) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a polynomial of length %zu for operands of length %zu", a->len,
                             s->length);
    }
    gfp_status status = open(x, s);
    if (status != GFP_OK) {
        return say(status, options->error);
    }
    if (a == NULL || a->len == 0) {
        set_zero(x);
        return GFP_OK;
    }
    gfp_task task, *watched = watch(&task, options);
    uint64_t *work = work_get(s, true);
    if (work == NULL) {
        status = GFP_ERR_MEMORY;
    } else if (!span(watched, s, GFP_RING_OUTER + GFP_RING_TRANSFORM, 1)) {
        status = GFP_ERR_CANCELLED;
    } else {
        const int rounding = gfp_rounding_begin();
        const bool done = transform(x, a->digits, a->len, work, watched);
        gfp_rounding_end(rounding);
        status = done && gfp_task_finish(watched) ? GFP_OK : GFP_ERR_CANCELLED;
    }
    work_free(s, true, work);
    if (status != GFP_OK) {
        shut(x);
    }
    return say(status, options->error);
}

static gfp_status create(gfp_fft_operand **x, space *s, const gfp_poly *a,
                         const gfp_operand_options *options)
{
    const gfp_allocator *allocator = gfp_field_allocator(s->field);
    gfp_fft_operand *made = gfp_allocate(allocator, 1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY, "no memory for an operand");
    }
    const gfp_status status = open_transformed(made, s, a, options);
    if (status != GFP_OK) {
        gfp_release(allocator, made, 1, sizeof *made);
        return status;
    }
    *x = made;
    return GFP_OK;
}

gfp_status gfp_fft_operand_create(gfp_fft_operand **x, const gfp_poly *a, size_t length,
                                  size_t terms, const gfp_operand_options *options)
{
    space *s;
    options = or_default(options);
    if (a->field == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "a polynomial was not initialised: it has no field");
    }
    GFP_TRY(space_create(&s, a->field, length, terms, options));
    const gfp_status status = create(x, s, a, options);
    if (status != GFP_OK) {
        space_release(s);
    }
    return status;
}

static gfp_status same_field(const gfp_field *a, const gfp_field *b, gfp_error *error)
{
    if (a == NULL || b == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "a polynomial was not initialised: it has no field");
    }
    return gfp_field_same(a, b)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_FIELD_MISMATCH, "operand over %s and %s",
                               gfp_field_name(a), gfp_field_name(b));
}

gfp_status gfp_fft_operand_create_like(gfp_fft_operand **x, const gfp_fft_operand *like,
                                       const gfp_poly *a, const gfp_operand_options *options)
{
    options = or_default(options);
    if (a != NULL) {
        GFP_TRY(same_field(a->field, like->space->field, options->error));
    }
    GFP_TRY(create(x, like->space, a, options));
    atomic_fetch_add(&like->space->owners, 1);
    return GFP_OK;
}

void gfp_fft_operand_destroy(gfp_fft_operand *x)
{
    if (x != NULL) {
        space *s = x->space;
        const gfp_allocator *allocator = gfp_field_allocator(s->field);
        shut(x);
        gfp_release(allocator, x, 1, sizeof *x);
        space_release(s);
    }
}

/* ---- queries ---- */

const gfp_field *gfp_fft_operand_field(const gfp_fft_operand *x)
{
    return x->space->field;
}

const char *gfp_fft_operand_method(const gfp_fft_operand *x)
{
    return x->space->plan == NULL ? "hybrid" : "bigfft";
}

size_t gfp_fft_operand_length(const gfp_fft_operand *x)
{
    return x->space->length;
}

size_t gfp_fft_operand_bytes(const gfp_fft_operand *x)
{
    return sizeof *x + block_words(x->space) * sizeof *x->block;
}

size_t gfp_fft_operand_room(const gfp_fft_operand *x)
{
    const space *s = x->space;
    if (s->plan != NULL) {
        return SIZE_MAX;
    }
    /* A sum of two operands just brought back has weight 2, whatever the primes were made for. */
    const size_t left = s->ring.max_terms > x->weight ? s->ring.max_terms - x->weight : 0;
    return left / gfp_hybrid_ring_terms(&s->ring, s->length, 1, s->length, 1);
}

/* ---- reduced digits ---- */

/* t := x as a factor of weight 1, opened. work may be small. */
static gfp_status open_reduced(gfp_fft_operand *t, const gfp_fft_operand *x, uint64_t *work)
{
    const gfp_hybrid_ring *ring = &x->space->ring;
    GFP_TRY(open(t, x->space));
    const uint64_t *from = x->words;
    if (!x->product) {
        gfp_hybrid_ring_lift(ring, t->words, from, work, NULL);
        from = t->words;
    }
    gfp_hybrid_ring_renew(ring, t->words, from, x->weight, work, NULL);
    t->len = x->len;
    t->weight = 1;
    return GFP_OK;
}

/* An operand as some operation needs it: x itself, or one opened for it. */
typedef struct stand_in {
    const gfp_fft_operand *x;
    gfp_fft_operand own;
    bool owned;
} stand_in;

static gfp_status reduce(stand_in *y, uint64_t *work)
{
    GFP_TRY(open_reduced(&y->own, y->x, work));
    y->x = &y->own;
    y->owned = true;
    return GFP_OK;
}

static void stand_in_clear(stand_in *y)
{
    if (y->owned) {
        shut(&y->own);
    }
}

static size_t product_terms(const gfp_fft_operand *a, const gfp_fft_operand *b)
{
    return gfp_hybrid_ring_terms(&a->space->ring, a->len, a->weight, b->len, b->weight);
}

/* Makes factors of both whose product fits. With both of weight 1 it does: the ring was made for at
 * least one such product. */
static gfp_status reduce_factors(stand_in *a, stand_in *b, uint64_t *work)
{
    const size_t most = a->x->space->ring.max_terms;
    if (a->x->product || (product_terms(a->x, b->x) > most && a->x->weight >= b->x->weight)) {
        GFP_TRY(reduce(a, work));
    }
    if (b->x->product || product_terms(a->x, b->x) > most) {
        GFP_TRY(reduce(b, work));
    }
    return !a->owned && product_terms(a->x, b->x) > most ? reduce(a, work) : GFP_OK;
}

/* ---- sums ---- */

static gfp_status check_alike(const gfp_fft_operand *c, const gfp_fft_operand *a,
                              const gfp_fft_operand *b)
{
    if (!gfp_field_same(c->space->field, a->space->field) ||
        !gfp_field_same(c->space->field, b->space->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    return alike(c->space, a->space) && alike(c->space, b->space) ? GFP_OK : GFP_ERR_ARGUMENT;
}

/* c := the factor x as a product. */
static gfp_status lift(stand_in *y, uint64_t *work)
{
    const gfp_fft_operand *x = y->x;
    gfp_fft_operand t;
    GFP_TRY(open(&t, x->space));
    gfp_hybrid_ring_lift(&x->space->ring, t.words, x->words, work, NULL);
    t.len = x->len;
    t.weight = x->weight;
    t.product = true;
    stand_in_clear(y);
    *y = (stand_in){.own = t, .owned = true};
    y->x = &y->own;
    return GFP_OK;
}

/* Makes both of one kind, with a sum that fits. */
static gfp_status reduce_terms(stand_in *a, stand_in *b, uint64_t *work)
{
    if (gfp_size_add_sat(a->x->weight, b->x->weight) > a->x->space->ring.max_terms) {
        GFP_TRY(reduce(a, work));
        return reduce(b, work);
    }
    if (a->x->weight == 0 || b->x->weight == 0 || a->x->product == b->x->product) {
        return GFP_OK;
    }
    return lift(a->x->product ? b : a, work);
}

static gfp_status add_hybrid(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                             bool subtract)
{
    space *s = c->space;
    stand_in x = {.x = a}, y = {.x = b};
    uint64_t *work = work_get(s, false);
    gfp_status status = work == NULL ? GFP_ERR_MEMORY : reduce_terms(&x, &y, work);
    if (status == GFP_OK) {
        const bool product = (x.x->weight > 0 && x.x->product) || (y.x->weight > 0 && y.x->product);
        gfp_hybrid_ring_add(&s->ring, c->words, x.x->words, y.x->words, subtract);
        c->len = x.x->len > y.x->len ? x.x->len : y.x->len;
        c->weight = x.x->weight + y.x->weight;
        c->product = product;
    }
    stand_in_clear(&x);
    stand_in_clear(&y);
    work_free(s, false, work);
    return status;
}

static gfp_status add(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                      bool subtract)
{
    GFP_TRY(check_alike(c, a, b));
    const space *s = c->space;
    if (s->plan == NULL) {
        const int rounding = gfp_rounding_begin();
        const gfp_status status = add_hybrid(c, a, b, subtract);
        gfp_rounding_end(rounding);
        return status;
    }
    if (subtract) {
        gfp_vec_sub(s->field, c->words, a->words, b->words, s->length);
    } else {
        gfp_vec_add(s->field, c->words, a->words, b->words, s->length);
    }
    c->len = a->len > b->len ? a->len : b->len;
    return GFP_OK;
}

gfp_status gfp_fft_operand_add(gfp_fft_operand *c, const gfp_fft_operand *a,
                               const gfp_fft_operand *b)
{
    return add(c, a, b, false);
}

gfp_status gfp_fft_operand_sub(gfp_fft_operand *c, const gfp_fft_operand *a,
                               const gfp_fft_operand *b)
{
    return add(c, a, b, true);
}

/* ---- products ---- */

/* The length of a b, a and b not 0. */
static gfp_status product_length(size_t *len, const space *s, size_t len_a, size_t len_b)
{
    *len = len_a + len_b - 1; /* at most SIZE_MAX / 2 each: see space_create */
    if (*len > s->length && !s->cyclic) {
        return GFP_ERR_SIZE;
    }
    *len = gfp_size_min(*len, s->length);
    return GFP_OK;
}

/* The elements of a product that are made apart. */
#define APART 4

/* z := x y, z + x y, z - x y. */
static void multiply_points(const space *s, uint64_t *z, const uint64_t *x, const uint64_t *y,
                            int sign)
{
    const size_t k = gfp_field_k(s->field);
    uint64_t product[APART * 256];
    if (sign == 0) {
        gfp_vec_mul(s->field, z, x, y, s->length);
        return;
    }
    for (size_t i = 0; i < s->length; i += APART) {
        const size_t n = gfp_size_min(s->length - i, APART);
        gfp_vec_mul(s->field, product, x + i * k, y + i * k, n);
        if (sign < 0) {
            gfp_vec_sub(s->field, z + i * k, z + i * k, product, n);
        } else {
            gfp_vec_add(s->field, z + i * k, z + i * k, product, n);
        }
    }
}

/* c := a b or c + a b or c - a b where what comes out fits c; else by way of another operand. */
static gfp_status accumulate(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                             size_t len, int sign, uint64_t *work)
{
    space *s = c->space;
    const size_t terms = product_terms(a, b);
    if (sign == 0 || c->weight == 0 ||
        (c->product && gfp_size_add_sat(c->weight, terms) <= s->ring.max_terms)) {
        gfp_hybrid_ring_multiply(&s->ring, c->words, a->words, b->words, sign, work, NULL);
        c->len = sign == 0 || len > c->len ? len : c->len;
        c->weight = sign == 0 ? terms : c->weight + terms;
        c->product = true;
        return GFP_OK;
    }
    gfp_fft_operand product;
    GFP_TRY(open(&product, s));
    gfp_hybrid_ring_multiply(&s->ring, product.words, a->words, b->words, 0, work, NULL);
    product.len = len;
    product.weight = terms;
    product.product = true;
    const gfp_status status = add_hybrid(c, c, &product, sign < 0);
    shut(&product);
    return status;
}

static gfp_status multiply_hybrid(gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b, size_t len, int sign)
{
    stand_in x = {.x = a}, y = {.x = b};
    uint64_t *work = work_get(c->space, false);
    gfp_status status = work == NULL ? GFP_ERR_MEMORY : reduce_factors(&x, &y, work);
    if (status == GFP_OK) {
        status = accumulate(c, x.x, y.x, len, sign, work);
    }
    stand_in_clear(&x);
    stand_in_clear(&y);
    work_free(c->space, false, work);
    return status;
}

static gfp_status multiply(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                           int sign)
{
    size_t len;
    GFP_TRY(check_alike(c, a, b));
    const space *s = c->space;
    if (a->len == 0 || b->len == 0) {
        if (sign == 0) {
            set_zero(c);
        }
        return GFP_OK;
    }
    GFP_TRY(product_length(&len, s, a->len, b->len));
    if (s->plan == NULL) {
        const int rounding = gfp_rounding_begin();
        const gfp_status status = multiply_hybrid(c, a, b, len, sign);
        gfp_rounding_end(rounding);
        return status;
    }
    multiply_points(s, c->words, a->words, b->words, sign);
    c->len = sign == 0 || len > c->len ? len : c->len;
    return GFP_OK;
}

gfp_status gfp_fft_operand_mul(gfp_fft_operand *c, const gfp_fft_operand *a,
                               const gfp_fft_operand *b)
{
    return multiply(c, a, b, 0);
}

gfp_status gfp_fft_operand_addmul(gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b)
{
    return multiply(c, a, b, 1);
}

gfp_status gfp_fft_operand_submul(gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b)
{
    return multiply(c, a, b, -1);
}

gfp_status gfp_fft_operand_mul_poly(gfp_fft_operand *c, const gfp_poly *a, const gfp_fft_operand *b,
                                    const gfp_operand_options *options)
{
    gfp_fft_operand x;
    options = or_default(options);
    GFP_TRY(same_field(a->field, c->space->field, options->error));
    GFP_TRY(open_transformed(&x, c->space, a, options));
    gfp_status status = multiply(&x, &x, b, 0);
    if (status == GFP_OK) {
        exchange(c, &x);
    }
    shut(&x);
    return say(status, options->error);
}

/* ---- back ---- */

/* c := coefficients from .. end of z (k digits each), which c takes over. */
static void install(gfp_poly *c, uint64_t *z, size_t from, size_t end)
{
    const size_t k = gfp_field_k(c->field);
    gfp_poly result;
    gfp_poly_init(&result, c->field);
    memmove(z, z + from * k, (end - from) * k * sizeof *z);
    result.digits = z;
    result.capacity = end;
    gfp_poly_normalise(&result, end - from);
    gfp_poly_swap(c, &result);
    gfp_poly_clear(&result);
}

/* z := the first end coefficients of the vector x, back. False: cancelled. */
static bool back(const space *s, uint64_t *z, size_t end, uint64_t *x, uint64_t *work,
                 gfp_task *task)
{
    if (!gfp_fft_inverse_in_place(s->plan, x, work, task)) {
        return false;
    }
    gfp_vec_div_2exp(s->field, z, x, gfp_ctz64(s->length), end);
    return gfp_task_advance(task, (double)end);
}

/* A way back under way: x to a polynomial, or (a != NULL) a x. */
typedef struct way {
    const gfp_fft_operand *x;
    const gfp_poly *a;
    uint64_t *z; /* the first end coefficients */
    size_t end;
    gfp_fft_operand t; /* bigfft: the vector */
    uint64_t *work;
    gfp_task *task;
} way;

static bool way_bigfft(way *w)
{
    const space *s = w->x->space;
    if (w->a == NULL) {
        gfp_vec_copy(s->field, w->t.words, w->x->words, s->length);
    } else {
        if (!transform(&w->t, w->a->digits, w->a->len, w->work, w->task)) {
            return false;
        }
        multiply_points(s, w->t.words, w->t.words, w->x->words, 0);
    }
    return back(s, w->z, w->end, w->t.words, w->work, w->task);
}

/* x as a product (a = NULL), or as a factor of a product that fits. */
static gfp_status way_reduce(const way *w, stand_in *y)
{
    if (w->a == NULL) {
        return w->x->product ? GFP_OK : lift(y, w->work);
    }
    const gfp_hybrid_ring *ring = &w->x->space->ring;
    const size_t terms = gfp_hybrid_ring_terms(ring, w->a->len, 1, w->x->len, w->x->weight);
    return w->x->product || terms > ring->max_terms ? reduce(y, w->work) : GFP_OK;
}

static gfp_status way_hybrid(way *w)
{
    const gfp_hybrid_ring *ring = &w->x->space->ring;
    stand_in y = {.x = w->x};
    gfp_status status = way_reduce(w, &y);
    bool done = false;
    if (status == GFP_OK && w->a == NULL) {
        done =
            gfp_hybrid_ring_restore(ring, w->z, w->end, y.x->words, y.x->weight, w->work, w->task);
    } else if (status == GFP_OK) {
        const size_t terms = gfp_hybrid_ring_terms(ring, w->a->len, 1, y.x->len, y.x->weight);
        done = gfp_hybrid_ring_multiply_by(ring, w->z, w->end, w->a->digits, w->a->len, y.x->words,
                                           terms, w->work, w->task);
    }
    stand_in_clear(&y);
    return status != GFP_OK ? status : done ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status way_run(way *w)
{
    const space *s = w->x->space;
    const double outer = w->a == NULL ? GFP_RING_OUTER : 2 * GFP_RING_OUTER + GFP_RING_TRANSFORM;
    if (!span(w->task, s, outer + GFP_RING_RESTORE + (w->a == NULL ? 0 : GFP_RING_MULTIPLY),
              w->a == NULL ? 1 : 2)) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    const gfp_status status = s->plan == NULL ? way_hybrid(w)
                              : way_bigfft(w) ? GFP_OK
                                              : GFP_ERR_CANCELLED;
    gfp_rounding_end(rounding);
    return status == GFP_OK && !gfp_task_finish(w->task) ? GFP_ERR_CANCELLED : status;
}

/* c := coefficients from <= i < end of x, or of a x, 0 <= from < end. */
static gfp_status way_take(gfp_poly *c, const gfp_poly *a, const gfp_fft_operand *x, size_t from,
                           size_t end, const gfp_operand_options *options)
{
    space *s = x->space;
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    gfp_task task;
    way w = {.x = x, .a = a, .end = end, .task = watch(&task, options)};
    gfp_status status = s->plan == NULL ? GFP_OK : open(&w.t, s);
    if (status != GFP_OK) {
        return say(status, options->error);
    }
    w.z = gfp_allocate(allocator, end, size);
    w.work = work_get(s, true);
    status = w.z == NULL || w.work == NULL ? GFP_ERR_MEMORY : way_run(&w);
    work_free(s, true, w.work);
    if (s->plan != NULL) {
        shut(&w.t);
    }
    if (status == GFP_OK) {
        install(c, w.z, from, end);
    } else {
        gfp_release(allocator, w.z, end, size);
    }
    return say(status, options->error);
}

gfp_status gfp_fft_operand_to_poly(gfp_poly *c, const gfp_fft_operand *x, size_t from, size_t n,
                                   const gfp_operand_options *options)
{
    options = or_default(options);
    GFP_TRY(same_field(c->field, x->space->field, options->error));
    if (from >= x->len || n == 0) {
        gfp_poly_zero(c);
        return GFP_OK;
    }
    return way_take(c, NULL, x, from, from + gfp_size_min(n, x->len - from), options);
}

gfp_status gfp_poly_mul_operand(gfp_poly *c, const gfp_poly *a, const gfp_fft_operand *b,
                                size_t from, size_t n, const gfp_operand_options *options)
{
    size_t len = 0;
    options = or_default(options);
    GFP_TRY(same_field(c->field, b->space->field, options->error));
    GFP_TRY(same_field(a->field, b->space->field, options->error));
    if (a->len > b->space->length ||
        (a->len > 0 && b->len > 0 && product_length(&len, b->space, a->len, b->len) != GFP_OK)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of lengths %zu and %zu by operands of length %zu", a->len,
                             b->len, b->space->length);
    }
    if (from >= len || n == 0) {
        gfp_poly_zero(c);
        return GFP_OK;
    }
    return way_take(c, a, b, from, from + gfp_size_min(n, len - from), options);
}

/* ---- sums of products at once ---- */

/* The terms of the sum; 0: some operand or the sum must be reduced on the way. */
static size_t dot_terms(const gfp_fft_operand *const *x, const gfp_fft_operand *const *y,
                        size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (x[i]->product || y[i]->product) {
            return 0;
        }
        sum = gfp_size_add_sat(sum, product_terms(x[i], y[i]));
    }
    return sum <= x[0]->space->ring.max_terms ? sum : 0;
}

/* By way of a sum that stays. */
static gfp_status dot_slowly(gfp_poly *c, const gfp_fft_operand *const *x,
                             const gfp_fft_operand *const *y, size_t count, size_t from, size_t n,
                             const gfp_operand_options *options)
{
    gfp_fft_operand *sum = NULL;
    gfp_status status = gfp_fft_operand_create_like(&sum, x[0], NULL, options);
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        status = say(gfp_fft_operand_addmul(sum, x[i], y[i]), options->error);
    }
    if (status == GFP_OK) {
        status = gfp_fft_operand_to_poly(c, sum, from, n, options);
    }
    gfp_fft_operand_destroy(sum);
    return status;
}

/* The words of the operands, x first, in one block. */
static const uint64_t **dot_words(const gfp_fft_operand *const *x, const gfp_fft_operand *const *y,
                                  size_t count)
{
    const uint64_t **words =
        gfp_allocate(gfp_field_allocator(x[0]->space->field), count, 2 * sizeof *words);
    for (size_t i = 0; i < count && words != NULL; i++) {
        words[i] = x[i]->words;
        words[count + i] = y[i]->words;
    }
    return words;
}

static gfp_status dot_run(const space *s, uint64_t *z, size_t end, const uint64_t **words,
                          size_t count, size_t terms, uint64_t *work, gfp_task *task)
{
    const double units = (double)count * GFP_RING_MULTIPLY + GFP_RING_RESTORE + GFP_RING_OUTER;
    if (!span(task, s, units, 0)) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    const bool done =
        gfp_hybrid_ring_dot(&s->ring, z, end, words, words + count, count, terms, work, task) &&
        gfp_task_finish(task);
    gfp_rounding_end(rounding);
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

/* c := coefficients from <= i < end; the sum has `terms`. */
static gfp_status dot_take(gfp_poly *c, const gfp_fft_operand *const *x,
                           const gfp_fft_operand *const *y, size_t count, size_t terms, size_t from,
                           size_t end, const gfp_operand_options *options)
{
    const space *s = x[0]->space;
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    gfp_task task;
    uint64_t *z = gfp_allocate(allocator, end, size), *work = work_get(s, true);
    const uint64_t **words = dot_words(x, y, count);
    const gfp_status status =
        z == NULL || work == NULL || words == NULL
            ? GFP_ERR_MEMORY
            : dot_run(s, z, end, words, count, terms, work, watch(&task, options));
    gfp_release(gfp_field_allocator(s->field), words, count, 2 * sizeof *words);
    work_free(s, true, work);
    if (status == GFP_OK) {
        install(c, z, from, end);
    } else {
        gfp_release(allocator, z, end, size);
    }
    return say(status, options->error);
}

gfp_status gfp_fft_operand_dot(gfp_poly *c, const gfp_fft_operand *const *x,
                               const gfp_fft_operand *const *y, size_t count, size_t from, size_t n,
                               const gfp_operand_options *options)
{
    size_t len = 0;
    options = or_default(options);
    if (count == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a sum of no products");
    }
    GFP_TRY(same_field(c->field, x[0]->space->field, options->error));
    bool zeros = false;
    for (size_t i = 0; i < count; i++) {
        size_t one = 0;
        gfp_status status = check_alike(x[0], x[i], y[i]);
        if (status == GFP_OK && x[i]->len > 0 && y[i]->len > 0) {
            status = product_length(&one, x[0]->space, x[i]->len, y[i]->len);
        }
        if (status != GFP_OK) {
            return say(status, options->error);
        }
        len = one > len ? one : len;
        zeros = zeros || one == 0;
    }
    if (from >= len || n == 0) {
        gfp_poly_zero(c);
        return GFP_OK;
    }
    const size_t terms = zeros || x[0]->space->plan != NULL ? 0 : dot_terms(x, y, count);
    if (terms == 0) {
        return dot_slowly(c, x, y, count, from, n, options);
    }
    return dot_take(c, x, y, count, terms, from, from + gfp_size_min(n, len - from), options);
}
