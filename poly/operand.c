/* operand.c: transformed polynomials. Those of hybrid live in a ring of crt/hybrid_ring.h and keep
 * account of what a leaf's coefficient may be; those of bigfft are vectors over Z/pZ. Where they
 * are verified each has its polynomial's values at a few points, which sums and products carry on.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/operand.h"

#include <stdatomic.h>
#include <string.h>

#include "fft_task.h"
#include "hybrid_ring.h"
#include "methods.h"
#include "parallel.h"
#include "support.h"
#include "word.h"
#include "work.h"

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
    /* What calls may use that say nothing else, as asked for, and what a product takes. */
    unsigned threads;
    size_t cap;
    const gfp_method *method;
    double ns;
    unsigned points; /* of verification */
    uint64_t point[GFP_VERIFY_MAX_POINTS];
} space;

/* hybrid: a factor is a sum of `weight` polynomials with balanced digits; a product's leaves have
 * coefficients of `weight` terms. Zero has weight 0 and is of either kind. */
struct gfp_fft_operand {
    space *space;
    uint64_t *block; /* space->words, the values at the points, and the alignment of */
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

/* The row that the options name, or the pick. */
static gfp_status choose(const gfp_method **method, const gfp_field *field, size_t length,
                         const gfp_operand_options *options)
{
    char why[sizeof((gfp_method_info *)0)->reason] = "it has no transforms that stay";
    const gfp_problem p = {.operation = GFP_OPERATION_OPERAND,
                           .len_a = length / 2 + 1,
                           .len_b = length - length / 2,
                           .threads = options->threads,
                           .tuning = options->tuning};
    if (options->method == NULL || strcmp(options->method, "auto") == 0) {
        *method = gfp_problem_best(field, &p);
        return *method != NULL ? GFP_OK
                               : gfp_error_set(options->error, GFP_ERR_UNAVAILABLE,
                                               "no method has transforms that stay");
    }
    const gfp_method *row = gfp_method_find(options->method);
    if (row == NULL) {
        return gfp_error_set(options->error, GFP_ERR_UNKNOWN, "no method is called \"%.60s\"",
                             options->method);
    }
    if (!(row->by_operand > 0) || !row->available(field, p.len_a, p.len_b, why, sizeof why)) {
        return gfp_error_set(options->error, GFP_ERR_UNAVAILABLE, "operands of %s: %s", row->name,
                             why);
    }
    *method = row;
    return GFP_OK;
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

/* Points at which a polynomial of this length that is not 0 vanishes with little probability. */
static gfp_status make_points(space *s, const gfp_operand_options *options)
{
    int log2_error;
    uint64_t seed = options->verify_seed;
    const unsigned points = gfp_verify_points(s->field, s->length, &log2_error);
    if (options->verify != GFP_VERIFY_POINT || s->cyclic || points == 0) {
        return gfp_error_set(options->error,
                             options->verify == GFP_VERIFY_POINT ||
                                     options->verify == GFP_VERIFY_CROSS
                                 ? GFP_ERR_UNAVAILABLE
                                 : GFP_ERR_ARGUMENT,
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
    *s = (space){.field = field, .cyclic = options->cyclic, .method = method};
    atomic_init(&s->owners, 1);
    s->threads = options->threads;
    s->cap = options->memory_cap;
    const gfp_problem product = {.len_a = length / 2 + 1,
                                 .len_b = length - length / 2,
                                 .threads = 1,
                                 .tuning = options->tuning};
    s->ns = gfp_problem_time(method, field, &product);
    gfp_status status = strcmp(method->name, "hybrid") == 0
                            ? make_ring(s, length, terms, options->error)
                            : make_plan(s, length, options->error);
    if (status == GFP_OK && options->verify != GFP_VERIFY_NONE) {
        status = make_points(s, options);
    }
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
        s->cyclic != t->cyclic || s->points != t->points ||
        memcmp(s->point, t->point, s->points * sizeof *s->point) != 0) {
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
    return gfp_size_add_sat(s->words, ALIGN_WORDS + s->points * gfp_field_k(s->field));
}

/* The values at the points. */
static uint64_t *values_of(const gfp_fft_operand *x)
{
    return x->words + x->space->words;
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
    gfp_vec_zero(x->space->field, values_of(x), x->space->points);
    x->len = x->weight = 0;
    x->product = false;
}

/* ---- calls ---- */

/* The work area of a call: none, one for transforms alone, or one for what begins or ends with
 * polynomials. */
typedef enum extent { NO_WORK, FEW, WHOLE } extent;

/* What a call may use. */
typedef struct call {
    const space *s;
    gfp_error *error;
    gfp_task watched, unwatched;
    gfp_task *task;   /* tells the caller how far the call is */
    gfp_task *quiet;  /* for steps that do not, nor can be cancelled */
    size_t cap, left; /* bytes: the cap, and what is left of it; SIZE_MAX: any number */
    gfp_work area;
    uint64_t *work;
} call;

static size_t work_words(const space *s, extent e, unsigned threads)
{
    if (s->plan == NULL) {
        return e == NO_WORK ? 0 : gfp_hybrid_ring_work(&s->ring, e == WHOLE, threads);
    }
    return e == WHOLE ? gfp_size_mul_sat(gfp_fft_workspace(s->plan) / sizeof(uint64_t) + 1, threads)
                      : 0;
}

static gfp_status say(gfp_status status, const call *w)
{
    if (status == GFP_ERR_MEMORY && w->cap != SIZE_MAX) {
        return gfp_error_set(w->error, status,
                             "operand: no memory, or more than the cap of %zu bytes", w->cap);
    }
    return status == GFP_OK || status == GFP_ERR_VERIFY ? status
           : status == GFP_ERR_CANCELLED
               ? gfp_say_cancelled(status, w->error)
               : gfp_error_set(w->error, status, "operand: %s", gfp_status_string(status));
}

/* The threads of a call that takes this share of a product's time. */
static unsigned threads_of(const space *s, const gfp_operand_options *options, double share)
{
    const unsigned asked = options->threads != 0 ? options->threads : s->threads;
    return gfp_method_useful_threads(s->method, share * s->ns,
                                     gfp_parallel_threads(s->field, asked));
}

static void call_tasks(call *w, const gfp_operand_options *options, unsigned threads)
{
    gfp_task_start(&w->watched, options->progress);
    gfp_task_start(&w->unwatched, NULL);
    w->watched.threads = w->unwatched.threads = threads;
    w->task = options->progress != NULL || threads > 1 ? &w->watched : NULL;
    w->quiet = threads > 1 ? &w->unwatched : NULL;
    gfp_task_part(w->task, 1);
    (void)gfp_task_span(w->quiet, 1, 1, gfp_task_product_cost(w->s->field));
}

/* Operands that a call opens beside its work area, at most. */
#define MOST_APART 4

/* A call that takes `apart` bytes for polynomials, and this share of a product's time. Where the
 * cap does not suffice for the work areas of all threads: by one. */
static gfp_status call_begin(call *w, const space *s, const gfp_operand_options *options, extent e,
                             size_t apart, double share)
{
    const size_t cap = options->memory_cap != 0 ? options->memory_cap : s->cap;
    unsigned threads = threads_of(s, options, share);
    *w = (call){.s = s, .error = options->error};
    w->cap = w->left = cap != 0 ? cap : SIZE_MAX;
    const size_t operands = gfp_size_mul_sat(MOST_APART * sizeof(uint64_t), block_words(s));
    size_t bytes = gfp_work_bytes(work_words(s, e, threads));
    if (cap != 0 && gfp_size_add_sat(gfp_size_add_sat(bytes, apart), operands) > cap) {
        threads = 1;
        bytes = gfp_work_bytes(work_words(s, e, 1));
    }
    const size_t all = gfp_size_add_sat(bytes, apart);
    if (all > w->left) {
        return GFP_ERR_MEMORY;
    }
    w->left -= cap != 0 ? all : 0;
    call_tasks(w, options, threads);
    const gfp_status status = gfp_work_take(&w->area, s->field, work_words(s, e, threads));
    w->work = w->area.words;
    return status;
}

static void call_end(call *w)
{
    gfp_work_give(&w->area, w->s->field);
}

/* An operand for the time of the call. */
static gfp_status open_apart(call *w, gfp_fft_operand *x)
{
    space *s = x->space;
    const size_t bytes = gfp_size_mul_sat(block_words(s), sizeof *x->block);
    if (bytes > w->left) {
        return GFP_ERR_MEMORY;
    }
    GFP_TRY(open(x, s));
    w->left -= w->cap != SIZE_MAX ? bytes : 0;
    return GFP_OK;
}

static void shut_apart(call *w, gfp_fft_operand *x)
{
    w->left += w->cap != SIZE_MAX ? block_words(x->space) * sizeof *x->block : 0;
    shut(x);
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

/* ---- verification ---- */

/* y := the values of a polynomial at the points. */
static void evaluate(const call *w, uint64_t *y, const uint64_t *a, size_t len)
{
    const space *s = w->s;
    for (unsigned i = 0; i < s->points; i++) {
        (void)gfp_verify_evaluate(s->field, y + i * gfp_field_k(s->field), a, len, s->point[i],
                                  w->quiet);
    }
}

/* Whether z, len >= 1 coefficients, has these values. */
static gfp_status compare_values(const call *w, const uint64_t *values, const uint64_t *z,
                                 size_t len)
{
    const gfp_field *field = w->s->field;
    uint64_t y[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    if (gfp_vec_canonical(field, z, len) != len) {
        return gfp_error_set(w->error, GFP_ERR_VERIFY, "a coefficient is not canonical");
    }
    evaluate(w, y, z, len);
    return gfp_vec_equal(field, y, values, w->s->points)
               ? GFP_OK
               : gfp_error_set(w->error, GFP_ERR_VERIFY,
                               "operands and what they were brought back to differ at a random "
                               "point");
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

/* The same for an operand, with its values. */
static gfp_status transform_to(call *w, gfp_fft_operand *x, const gfp_poly *a)
{
    if (!span(w->task, w->s, GFP_RING_OUTER + GFP_RING_TRANSFORM, 1)) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    const bool done = transform(x, a->digits, a->len, w->work, w->task);
    gfp_rounding_end(rounding);
    if (!done || !gfp_task_finish(w->task)) {
        return GFP_ERR_CANCELLED;
    }
    evaluate(w, values_of(x), a->digits, a->len);
    return GFP_OK;
}

static gfp_status check_fits(const space *s, const gfp_poly *a, gfp_error *error)
{
    return a == NULL || a->len <= s->length
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_SIZE,
                               "a polynomial of length %zu for operands of length %zu", a->len,
                               s->length);
}

/* What a new transform takes beside a product. */
#define TRANSFORM_SHARE 0.25

/* x, opened, := the transform of a, NULL for 0. */
static gfp_status fill(gfp_fft_operand *x, const gfp_poly *a, const gfp_operand_options *options)
{
    call w;
    if (a == NULL || a->len == 0) {
        set_zero(x);
        return GFP_OK;
    }
    gfp_status status = call_begin(&w, x->space, options, WHOLE, 0, TRANSFORM_SHARE);
    if (status == GFP_OK) {
        status = transform_to(&w, x, a);
        call_end(&w);
    }
    return say(status, &w);
}

static gfp_status create(gfp_fft_operand **x, space *s, const gfp_poly *a,
                         const gfp_operand_options *options)
{
    const gfp_allocator *allocator = gfp_field_allocator(s->field);
    gfp_fft_operand *made = gfp_allocate(allocator, 1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY, "no memory for an operand");
    }
    gfp_status status = check_fits(s, a, options->error);
    if (status == GFP_OK) {
        status = open(made, s);
        if (status != GFP_OK) {
            gfp_error_set(options->error, status, "no memory for an operand");
        } else {
            status = fill(made, a, options);
            if (status != GFP_OK) {
                shut(made);
            }
        }
    }
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

/* t := x as a factor of weight 1, opened. */
static gfp_status open_reduced(call *w, gfp_fft_operand *t, const gfp_fft_operand *x)
{
    const gfp_hybrid_ring *ring = &x->space->ring;
    *t = (gfp_fft_operand){.space = x->space};
    GFP_TRY(open_apart(w, t));
    const uint64_t *from = x->words;
    if (!x->product) {
        (void)gfp_hybrid_ring_lift(ring, t->words, from, w->work, w->quiet);
        from = t->words;
    }
    (void)gfp_hybrid_ring_renew(ring, t->words, from, x->weight, w->work, w->quiet);
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

static void stand_in_clear(call *w, stand_in *y)
{
    if (y->owned) {
        shut_apart(w, &y->own);
    }
}

/* y stands for t from now on. */
static void stand_in_take(call *w, stand_in *y, const gfp_fft_operand *t)
{
    stand_in_clear(w, y);
    *y = (stand_in){.own = *t, .owned = true};
    y->x = &y->own;
}

static gfp_status reduce(call *w, stand_in *y)
{
    gfp_fft_operand t;
    GFP_TRY(open_reduced(w, &t, y->x));
    stand_in_take(w, y, &t);
    return GFP_OK;
}

static size_t product_terms(const gfp_fft_operand *a, const gfp_fft_operand *b)
{
    return gfp_hybrid_ring_terms(&a->space->ring, a->len, a->weight, b->len, b->weight);
}

/* Makes factors of both whose product fits. With both of weight 1 it does: the ring was made for at
 * least one such product. */
static gfp_status reduce_factors(call *w, stand_in *a, stand_in *b)
{
    const size_t most = a->x->space->ring.max_terms;
    if (a->x->product || (product_terms(a->x, b->x) > most && a->x->weight >= b->x->weight)) {
        GFP_TRY(reduce(w, a));
    }
    if (b->x->product || product_terms(a->x, b->x) > most) {
        GFP_TRY(reduce(w, b));
    }
    return !a->owned && product_terms(a->x, b->x) > most ? reduce(w, a) : GFP_OK;
}

/* ---- sums ---- */

/* Shares of a product's time. */
#define ADD_SHARE 0.05
#define MULTIPLY_SHARE 0.2
#define RESTORE_SHARE 0.35
#define MULTIPLY_BY_SHARE 0.75

/* Elements that threads take at once, at least. */
static size_t least_elements(const gfp_field *field)
{
    return 4096 / gfp_field_k(field);
}

/* An operation on the elements of bigfft's vectors. */
typedef struct elements {
    const gfp_field *field;
    uint64_t *z;
    const uint64_t *x, *y;
    int sign;
    unsigned log2_n;
} elements;

static void run_elements(gfp_parallel_run *run, elements *e, size_t n, gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = e};
    const size_t chunk = gfp_parallel_chunk(task, n, 4), least = least_elements(e->field);
    (void)gfp_parallel_for(&loop, task, n, chunk > least ? chunk : least); /* never cancelled */
}

static gfp_status add_elements(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const elements *e = user;
    const size_t at = from * gfp_field_k(e->field);
    (void)worker;
    (void)task;
    if (e->sign < 0) {
        gfp_vec_sub(e->field, e->z + at, e->x + at, e->y + at, to - from);
    } else {
        gfp_vec_add(e->field, e->z + at, e->x + at, e->y + at, to - from);
    }
    return GFP_OK;
}

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
static gfp_status lift(call *w, stand_in *y)
{
    const gfp_fft_operand *x = y->x;
    gfp_fft_operand t = {.space = x->space};
    GFP_TRY(open_apart(w, &t));
    (void)gfp_hybrid_ring_lift(&x->space->ring, t.words, x->words, w->work, w->quiet);
    t.len = x->len;
    t.weight = x->weight;
    t.product = true;
    stand_in_take(w, y, &t);
    return GFP_OK;
}

/* Makes both of one kind, with a sum that fits. */
static gfp_status reduce_terms(call *w, stand_in *a, stand_in *b)
{
    if (gfp_size_add_sat(a->x->weight, b->x->weight) > a->x->space->ring.max_terms) {
        GFP_TRY(reduce(w, a));
        return reduce(w, b);
    }
    if (a->x->weight == 0 || b->x->weight == 0 || a->x->product == b->x->product) {
        return GFP_OK;
    }
    return lift(w, a->x->product ? b : a);
}

static gfp_status add_hybrid(call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                             const gfp_fft_operand *b, bool subtract)
{
    stand_in x = {.x = a}, y = {.x = b};
    const gfp_status status = reduce_terms(w, &x, &y);
    if (status == GFP_OK) {
        const bool product = (x.x->weight > 0 && x.x->product) || (y.x->weight > 0 && y.x->product);
        (void)gfp_hybrid_ring_add(&c->space->ring, c->words, x.x->words, y.x->words, subtract,
                                  w->work, w->quiet);
        c->len = x.x->len > y.x->len ? x.x->len : y.x->len;
        c->weight = x.x->weight + y.x->weight;
        c->product = product;
    }
    stand_in_clear(w, &x);
    stand_in_clear(w, &y);
    return status;
}

static gfp_status add(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                      bool subtract)
{
    call w;
    GFP_TRY(check_alike(c, a, b));
    const space *s = c->space;
    GFP_TRY(call_begin(&w, s, &default_options, FEW, 0, ADD_SHARE));
    elements e = {s->field, c->words, a->words, b->words, subtract ? -1 : 1, 0};
    gfp_status status = GFP_OK;
    if (s->plan == NULL) {
        const int rounding = gfp_rounding_begin();
        status = add_hybrid(&w, c, a, b, subtract);
        gfp_rounding_end(rounding);
    } else {
        run_elements(add_elements, &e, s->length, w.quiet);
        c->len = a->len > b->len ? a->len : b->len;
    }
    if (status == GFP_OK) {
        e = (elements){s->field, values_of(c), values_of(a), values_of(b), e.sign, 0};
        run_elements(add_elements, &e, s->points, NULL);
    }
    call_end(&w);
    return status;
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
static gfp_status multiply_elements(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task)
{
    const elements *e = user;
    const size_t k = gfp_field_k(e->field);
    uint64_t product[APART * GFP_MAX_K];
    (void)worker;
    (void)task;
    if (e->sign == 0) {
        gfp_vec_mul(e->field, e->z + from * k, e->x + from * k, e->y + from * k, to - from);
        return GFP_OK;
    }
    for (size_t i = from; i < to; i += APART) {
        const size_t n = gfp_size_min(to - i, APART);
        uint64_t *z = e->z + i * k;
        gfp_vec_mul(e->field, product, e->x + i * k, e->y + i * k, n);
        if (e->sign < 0) {
            gfp_vec_sub(e->field, z, z, product, n);
        } else {
            gfp_vec_add(e->field, z, z, product, n);
        }
    }
    return GFP_OK;
}

/* c := a b or c + a b or c - a b where what comes out fits c; else by way of another operand. */
static gfp_status accumulate(call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                             const gfp_fft_operand *b, size_t len, int sign)
{
    space *s = c->space;
    const size_t terms = product_terms(a, b);
    if (sign == 0 || c->weight == 0 ||
        (c->product && gfp_size_add_sat(c->weight, terms) <= s->ring.max_terms)) {
        (void)gfp_hybrid_ring_multiply(&s->ring, c->words, a->words, b->words, sign, w->work,
                                       w->quiet);
        c->len = sign == 0 || len > c->len ? len : c->len;
        c->weight = sign == 0 ? terms : c->weight + terms;
        c->product = true;
        return GFP_OK;
    }
    gfp_fft_operand product = {.space = s};
    GFP_TRY(open_apart(w, &product));
    (void)gfp_hybrid_ring_multiply(&s->ring, product.words, a->words, b->words, 0, w->work,
                                   w->quiet);
    product.len = len;
    product.weight = terms;
    product.product = true;
    const gfp_status status = add_hybrid(w, c, c, &product, sign < 0);
    shut_apart(w, &product);
    return status;
}

static gfp_status multiply_hybrid(call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                                  const gfp_fft_operand *b, size_t len, int sign)
{
    stand_in x = {.x = a}, y = {.x = b};
    gfp_status status = reduce_factors(w, &x, &y);
    if (status == GFP_OK) {
        status = accumulate(w, c, x.x, y.x, len, sign);
    }
    stand_in_clear(w, &x);
    stand_in_clear(w, &y);
    return status;
}

/* The same in a call that has begun; the product is of this length, a and b are not 0. */
static gfp_status multiply_in(call *w, gfp_fft_operand *c, const gfp_fft_operand *a,
                              const gfp_fft_operand *b, size_t len, int sign)
{
    const space *s = c->space;
    elements e = {s->field, c->words, a->words, b->words, sign, 0};
    if (s->plan == NULL) {
        const int rounding = gfp_rounding_begin();
        const gfp_status status = multiply_hybrid(w, c, a, b, len, sign);
        gfp_rounding_end(rounding);
        GFP_TRY(status);
    } else {
        run_elements(multiply_elements, &e, s->length, w->quiet);
        c->len = sign == 0 || len > c->len ? len : c->len;
    }
    e = (elements){s->field, values_of(c), values_of(a), values_of(b), sign, 0};
    run_elements(multiply_elements, &e, s->points, NULL);
    return GFP_OK;
}

static gfp_status multiply(gfp_fft_operand *c, const gfp_fft_operand *a, const gfp_fft_operand *b,
                           int sign)
{
    size_t len;
    call w;
    GFP_TRY(check_alike(c, a, b));
    if (a->len == 0 || b->len == 0) {
        if (sign == 0) {
            set_zero(c);
        }
        return GFP_OK;
    }
    GFP_TRY(product_length(&len, c->space, a->len, b->len));
    GFP_TRY(call_begin(&w, c->space, &default_options, FEW, 0, MULTIPLY_SHARE));
    const gfp_status status = multiply_in(&w, c, a, b, len, sign);
    call_end(&w);
    return status;
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

/* c := a b for a that is not 0, by way of an operand that c takes over. */
static gfp_status transform_and_multiply(call *w, gfp_fft_operand *c, const gfp_poly *a,
                                         const gfp_fft_operand *b, size_t len)
{
    gfp_fft_operand x = {.space = c->space};
    GFP_TRY(open_apart(w, &x));
    gfp_status status = transform_to(w, &x, a);
    if (status == GFP_OK) {
        status = multiply_in(w, &x, &x, b, len, 0);
    }
    if (status == GFP_OK) {
        exchange(c, &x);
    }
    shut_apart(w, &x);
    return status;
}

gfp_status gfp_fft_operand_mul_poly(gfp_fft_operand *c, const gfp_poly *a, const gfp_fft_operand *b,
                                    const gfp_operand_options *options)
{
    size_t len;
    call w;
    options = or_default(options);
    GFP_TRY(same_field(a->field, c->space->field, options->error));
    GFP_TRY(check_fits(c->space, a, options->error));
    gfp_status status = check_alike(c, c, b);
    if (status == GFP_OK && a->len > 0 && b->len > 0) {
        status = product_length(&len, c->space, a->len, b->len);
    }
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
    }
    if (a->len == 0 || b->len == 0) {
        set_zero(c);
        return GFP_OK;
    }
    status = call_begin(&w, c->space, options, WHOLE, 0, TRANSFORM_SHARE + MULTIPLY_SHARE);
    if (status == GFP_OK) {
        status = transform_and_multiply(&w, c, a, b, len);
        call_end(&w);
    }
    return say(status, &w);
}

/* ---- back ---- */

/* c := coefficients from .. end of z (k digits each, room for `room`), which c takes over. */
static void install(gfp_poly *c, uint64_t *z, size_t from, size_t end, size_t room)
{
    const size_t k = gfp_field_k(c->field);
    gfp_poly result;
    gfp_poly_init(&result, c->field);
    memmove(z, z + from * k, (end - from) * k * sizeof *z);
    result.digits = z;
    result.capacity = room;
    gfp_poly_normalise(&result, end - from);
    gfp_poly_swap(c, &result);
    gfp_poly_clear(&result);
}

static gfp_status divide_elements(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const elements *e = user;
    const size_t at = from * gfp_field_k(e->field);
    (void)worker;
    gfp_vec_div_2exp(e->field, e->z + at, e->x + at, e->log2_n, to - from);
    return gfp_task_advance(task, (double)(to - from)) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* A way back under way: x to a polynomial, or (a != NULL) a x, or a sum of count products. */
typedef struct way {
    call w;
    const gfp_fft_operand *x;
    const gfp_poly *a;
    const uint64_t *const *words; /* of the factors of a sum: the first ones, the second ones */
    size_t count, terms;
    uint64_t *z;     /* the first end coefficients */
    size_t end;      /* computed */
    uint64_t *value; /* what they shall be at the points */
} way;

static bool way_bigfft(way *w, gfp_fft_operand *t)
{
    const space *s = w->x->space;
    if (w->a == NULL) {
        gfp_vec_copy(s->field, t->words, w->x->words, s->length);
    } else {
        if (!transform(t, w->a->digits, w->a->len, w->w.work, w->w.task)) {
            return false;
        }
        elements e = {s->field, t->words, t->words, w->x->words, 0, 0};
        run_elements(multiply_elements, &e, s->length, w->w.quiet);
    }
    if (!gfp_fft_inverse_in_place(s->plan, t->words, w->w.work, w->w.task)) {
        return false;
    }
    elements e = {s->field, w->z, t->words, NULL, 0, gfp_ctz64(s->length)};
    run_elements(divide_elements, &e, w->end, w->w.task);
    return gfp_task_report(w->w.task);
}

/* x as a product (a = NULL), or as a factor of a product that fits. */
static gfp_status way_reduce(way *w, stand_in *y)
{
    if (w->a == NULL) {
        return w->x->product ? GFP_OK : lift(&w->w, y);
    }
    const gfp_hybrid_ring *ring = &w->x->space->ring;
    const size_t terms = gfp_hybrid_ring_terms(ring, w->a->len, 1, w->x->len, w->x->weight);
    return w->x->product || terms > ring->max_terms ? reduce(&w->w, y) : GFP_OK;
}

static gfp_status way_hybrid(way *w)
{
    const gfp_hybrid_ring *ring = &w->x->space->ring;
    if (w->count > 0) {
        return gfp_hybrid_ring_dot(ring, w->z, w->end, w->words, w->words + w->count, w->count,
                                   w->terms, w->w.work, w->w.task)
                   ? GFP_OK
                   : GFP_ERR_CANCELLED;
    }
    stand_in y = {.x = w->x};
    gfp_status status = way_reduce(w, &y);
    bool done = false;
    if (status == GFP_OK && w->a == NULL) {
        done = gfp_hybrid_ring_restore(ring, w->z, w->end, y.x->words, y.x->weight, w->w.work,
                                       w->w.task);
    } else if (status == GFP_OK) {
        const size_t terms = gfp_hybrid_ring_terms(ring, w->a->len, 1, y.x->len, y.x->weight);
        done = gfp_hybrid_ring_multiply_by(ring, w->z, w->end, w->a->digits, w->a->len, y.x->words,
                                           terms, w->w.work, w->w.task);
    }
    stand_in_clear(&w->w, &y);
    return status != GFP_OK ? status : done ? GFP_OK : GFP_ERR_CANCELLED;
}

static double way_units(const way *w)
{
    const double outer = w->a == NULL ? GFP_RING_OUTER : 2 * GFP_RING_OUTER + GFP_RING_TRANSFORM;
    const double products = w->count > 0 ? (double)w->count : w->a == NULL ? 0 : 1;
    return outer + GFP_RING_RESTORE + products * GFP_RING_MULTIPLY;
}

static gfp_status way_run(way *w)
{
    const space *s = w->x->space;
    gfp_fft_operand t = {.space = w->x->space};
    if (!span(w->w.task, s, way_units(w), w->a == NULL ? 1 : 2)) {
        return GFP_ERR_CANCELLED;
    }
    if (s->plan != NULL) {
        GFP_TRY(open_apart(&w->w, &t));
    }
    const int rounding = gfp_rounding_begin();
    const gfp_status status = s->plan == NULL     ? way_hybrid(w)
                              : way_bigfft(w, &t) ? GFP_OK
                                                  : GFP_ERR_CANCELLED;
    gfp_rounding_end(rounding);
    if (s->plan != NULL) {
        shut_apart(&w->w, &t);
    }
    GFP_TRY(status);
    if (!gfp_task_finish(w->w.task)) {
        return GFP_ERR_CANCELLED;
    }
    if (s->points == 0) {
        return GFP_OK;
    }
    if (w->a != NULL) {
        evaluate(&w->w, w->value, w->a->digits, w->a->len);
        gfp_vec_mul(s->field, w->value, w->value, values_of(w->x), s->points);
    }
    return compare_values(&w->w, w->value, w->z, w->end);
}

/* c := coefficients from <= i < end of what w says, whose length is len; 0 <= from < end <= len.
 * Where it is verified all of it is computed. */
static gfp_status way_take(way *w, gfp_poly *c, size_t from, size_t end, size_t len, double share,
                           const gfp_operand_options *options)
{
    const space *s = w->x->space;
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    w->end = s->points > 0 ? len : end;
    const size_t apart = gfp_size_mul_sat(w->end - (end - from), size);
    gfp_status status = call_begin(&w->w, s, options, WHOLE, apart, share);
    if (status != GFP_OK) {
        return say(status, &w->w);
    }
    w->z = gfp_allocate(allocator, w->end, size);
    status = w->z == NULL ? GFP_ERR_MEMORY : way_run(w);
    call_end(&w->w);
    if (status == GFP_OK) {
        install(c, w->z, from, end, w->end);
    } else {
        gfp_release(allocator, w->z, w->end, size);
    }
    return say(status, &w->w);
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
    way w = {.x = x, .value = values_of(x)};
    return way_take(&w, c, from, from + gfp_size_min(n, x->len - from), x->len, RESTORE_SHARE,
                    options);
}

gfp_status gfp_poly_mul_operand(gfp_poly *c, const gfp_poly *a, const gfp_fft_operand *b,
                                size_t from, size_t n, const gfp_operand_options *options)
{
    size_t len = 0;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
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
    way w = {.x = b, .a = a, .value = value};
    return way_take(&w, c, from, from + gfp_size_min(n, len - from), len, MULTIPLY_BY_SHARE,
                    options);
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
        status = gfp_fft_operand_addmul(sum, x[i], y[i]);
        if (status != GFP_OK) {
            gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
        }
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

/* Coefficients from <= i < end of the sum, whose length is len; it has so many terms. */
static gfp_status dot_take(gfp_poly *c, const gfp_fft_operand *const *x,
                           const gfp_fft_operand *const *y, size_t count, size_t terms, size_t from,
                           size_t end, size_t len, const gfp_operand_options *options)
{
    const space *s = x[0]->space;
    uint64_t value[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    const uint64_t **words = dot_words(x, y, count);
    if (words == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY, "no memory for a sum of products");
    }
    gfp_vec_zero(s->field, value, s->points);
    for (size_t i = 0; i < count; i++) {
        elements e = {s->field, value, values_of(x[i]), values_of(y[i]), 1, 0};
        run_elements(multiply_elements, &e, s->points, NULL);
    }
    way w = {.x = x[0], .words = words, .count = count, .terms = terms, .value = value};
    const gfp_status status =
        way_take(&w, c, from, end, len, (double)count * MULTIPLY_SHARE + RESTORE_SHARE, options);
    gfp_release(gfp_field_allocator(s->field), words, count, 2 * sizeof *words);
    return status;
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
            return gfp_error_set(options->error, status, "operand: %s", gfp_status_string(status));
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
    return dot_take(c, x, y, count, terms, from, from + gfp_size_min(n, len - from), len, options);
}
