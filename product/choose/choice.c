/* choice.c: the cost of a problem by each row of the method table, and the chooser: the available
 * row of least estimate. A problem's estimate is the product's on one thread (product/rows.c),
 * times the operation's share, less the work that threads divide; a tuning's rows of other
 * operations, lengths and threads correct it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "field/base/attachment.h"
#include "product/choose/choice.h"
#include "product/methods/file_plan.h"
#include "product/device/methods.h"
#include "product/methods/engine.h"
#include "field/base/options.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "product/choose/tuning.h"
#include "field/base/word.h"
#include "gpu/arrays.h"

/* ---- operations ---- */

static const char *const operation_names[GFP_OPERATION_COUNT] = {
    "product", "square", "low", "middle", "operand", "high", "batch", "file"};

const char *gfp_operation_name(gfp_operation operation)
{
    const unsigned index = (unsigned)operation;
    return index < GFP_OPERATION_COUNT ? operation_names[index] : NULL;
}

gfp_status gfp_operation_find(gfp_operation *operation, const char *name)
{
    for (unsigned i = 0; i < GFP_OPERATION_COUNT && name != NULL; i++) {
        if (strcmp(operation_names[i], name) == 0) {
            *operation = (gfp_operation)i;
            return GFP_OK;
        }
    }
    return GFP_ERR_UNKNOWN;
}

/* ---- problems ---- */

static bool is_part(const gfp_request *q)
{
    return q->operation == GFP_OPERATION_LOW || q->operation == GFP_OPERATION_MIDDLE ||
           q->operation == GFP_OPERATION_HIGH;
}

/* The number of coefficients of a b. Saturates. */
static size_t product_length(const gfp_request *q)
{
    return gfp_size_add_sat(q->len_a, q->len_b) - 1;
}

/* Without pointers to coefficients: nobody reads them. */
static gfp_range range_of(const gfp_request *q)
{
    return (gfp_range){.field = q->field,
                       .len_a = q->len_a,
                       .len_b = q->len_b,
                       .first = q->first,
                       .end = q->end,
                       .bits_a = q->bits_a,
                       .bits_b = q->bits_b};
}

/* Trims the request to what products compute. */
static void choice_trim(gfp_request *q)
{
    gfp_range range = range_of(q);
    gfp_range_trim(&range);
    q->len_a = range.len_a;
    q->len_b = range.len_b;
    q->first = range.first;
    q->end = range.end;
}

static void make_part(gfp_request *q, const gfp_problem *p)
{
    const bool low = q->operation == GFP_OPERATION_LOW, high = q->operation == GFP_OPERATION_HIGH;
    q->first = high ? p->n : low ? 0 : p->from;
    q->end = high ? SIZE_MAX : gfp_size_add_sat(q->first, p->n);
    q->len_a = gfp_size_min(q->len_a, q->end);
    q->len_b = gfp_size_min(q->len_b, q->end);
    if (q->len_a == 0 || q->len_b == 0 ||
        q->first >= gfp_size_min(q->end, product_length(q))) { /* no coefficients */
        q->len_a = q->len_b = 1;
        q->first = 0;
        q->end = 1;
    }
    q->end = gfp_size_min(q->end, product_length(q));
    choice_trim(q);
    if (q->first == 0) {
        q->operation = q->end == product_length(q) ? GFP_OPERATION_PRODUCT : GFP_OPERATION_LOW;
    } else {
        q->operation = q->end == product_length(q) ? GFP_OPERATION_HIGH : GFP_OPERATION_MIDDLE;
    }
}

/* Limits lengths to those that memory can hold: the bytes of a product of two such factors fit
 * size_t. No polynomial is longer; a longer problem cannot be computed anyway, and its parts count
 * as the whole. */
static void keep_within_memory(gfp_request *q)
{
    const size_t most = SIZE_MAX / 2 / sizeof(uint64_t) >> gfp_ctz64(gfp_field_k(q->field));
    if (q->len_a > most || q->len_b > most) {
        q->len_a = gfp_size_min(q->len_a, most);
        q->len_b = gfp_size_min(q->len_b, most);
        q->first = 0;
        q->end = SIZE_MAX;
        q->operation = is_part(q) ? GFP_OPERATION_PRODUCT : q->operation;
    }
    q->end = gfp_size_min(q->end, product_length(q));
}

gfp_problem gfp_range_problem(const gfp_range *r)
{
    gfp_problem p = {.len_a = r->len_a, .len_b = r->len_b};
    if (!gfp_range_is_whole(r)) {
        p.operation = GFP_OPERATION_MIDDLE;
        p.from = r->first;
        p.n = r->end - r->first;
    } else if (r->a == r->b && r->len_a == r->len_b) {
        p.operation = GFP_OPERATION_SQUARE;
    }
    return p;
}

static size_t at_least_one(size_t n)
{
    return n == 0 ? 1 : n;
}

/* Member by member: a struct that is built apart and copied costs short products 5 %. */
void gfp_request_fill(gfp_request *q, const gfp_problem *p, const gfp_field *field,
                      const gfp_options *options)
{
    q->field = field;
    q->tuning = options->tuning;
    q->operation = p->operation;
    q->len_a = at_least_one(p->len_a);
    q->len_b = p->operation == GFP_OPERATION_SQUARE ? q->len_a : at_least_one(p->len_b);
    q->first = 0;
    q->end = product_length(q);
    q->count = p->operation == GFP_OPERATION_BATCH ? at_least_one(p->count) : 1;
    /* Calls on operands check their caps themselves. */
    q->cap = p->operation == GFP_OPERATION_OPERAND ? 0 : options->memory_cap;
    q->bits_a = q->bits_b = 0;
    q->threads = gfp_parallel_threads(field, options->threads);
    q->device = options->gpu_device;
    q->members = options->gpu_count > 1 ? options->gpu_count : 1;
    q->resident = p->resident == GFP_RESIDENT_DEVICE;
    q->no_gpu = p->no_gpu;
    q->kept = false;
    if (is_part(q)) {
        make_part(q, p);
    }
    keep_within_memory(q);
}

void gfp_request_set_bits(gfp_request *q, const gfp_range *range)
{
    q->bits_a = range->bits_a;
    q->bits_b = range->bits_b;
}

/* ---- on one thread ---- */

/* Whether the batch is one call of the row, which takes as long as a product of as many
 * coefficients. */
static bool is_at_once(const gfp_request *q, const gfp_method *row)
{
    return q->operation == GFP_OPERATION_BATCH && row->run_batch != NULL;
}

/* The share of the time that remains if nothing crosses the bus, by the compiled-in costs. */
static double resident_part(const gfp_request *q, const gfp_method *row, size_t len_a, size_t len_b)
{
    double len;
    (void)row->balanced(len_a, len_b, &len);
    return q->resident && len < HUGE_VAL
               ? exp2(gfp_device_log2_cost(row->device, q->field, log2(len), true) -
                      gfp_device_log2_cost(row->device, q->field, log2(len), false))
               : 1;
}

/* By the row's times for equal lengths, or the compiled-in costs. If factors lie on a device, the
 * time is that of the longest factors with the same transform length. A batch in one call counts as
 * one product of factors `count` times as long. */
static double balanced_product(const gfp_request *q, const gfp_method *row)
{
    const size_t times = is_at_once(q, row) ? q->count : 1;
    size_t len_a = q->len_a, len_b = q->len_b;
    if (q->resident) {
        const uint64_t whole = gfp_cost_whole_length(len_a, len_b);
        len_a = len_b = (size_t)(whole / 2 + (whole == 1));
    }
    len_a = gfp_size_mul_sat(len_a, times);
    len_b = gfp_size_mul_sat(len_b, times);
    const double ns = gfp_method_estimate(q->tuning, gfp_method_index(row), q->field, len_a, len_b);
    return gfp_method_on_device(row) ? ns * resident_part(q, row, len_a, len_b) : ns;
}

typedef struct estimate_context {
    const gfp_request *q;
    const gfp_method *row;
} estimate_context;

/* Reads the group at the problem's field and lengths. False: no reading. */
static bool read_group(const gfp_cost_table *group, const estimate_context *x,
                       gfp_cost_reading *reading, double *value)
{
    const gfp_request *q = x->q;
    const gfp_cost_point at = {.column = gfp_tuning_column(q->tuning, gfp_method_index(x->row)),
                               .k = gfp_field_k(q->field),
                               .r = gfp_field_r(q->field),
                               .len_a = q->len_a,
                               .len_b = q->len_b};
    return at.column < GFP_COST_COLUMNS && gfp_cost_read(group, &at, reading, x, value);
}

/* The problem that a row of a tuning has timed. */
static gfp_request measured_request(const gfp_request *q, const gfp_cost_row *row)
{
    const gfp_operation operation = (gfp_operation)row->operation;
    const size_t len_a = (size_t)gfp_size_min(row->len_a, SIZE_MAX);
    const size_t len_b = (size_t)gfp_size_min(row->len_b, SIZE_MAX);
    const gfp_problem p = {.operation = operation,
                           .len_a = len_a,
                           .len_b = len_b,
                           .from = len_b - 1,
                           .n = len_b,
                           .resident = (gfp_residence)row->resident};
    const gfp_options options = {.threads = row->threads, .tuning = q->tuning};
    return gfp_request_make(&p, q->field, &options);
}

static double read_product(const void *user, const gfp_cost_row *row, double ns)
{
    const estimate_context *x = user;
    const gfp_request q = measured_request(x->q, row);
    return log2(ns / balanced_product(&q, x->row));
}

/* The tuning's curve has the times of products of equal lengths. */
static bool is_on_curve(const gfp_request *q)
{
    return q->len_a == q->len_b;
}

/* Reads the rows of an operation on one thread. False: no reading. */
static bool known_factor(const gfp_request *q, const gfp_method *row, gfp_operation operation,
                         gfp_cost_reading *reading, double *factor)
{
    const estimate_context x = {q, row};
    const gfp_cost_table group = gfp_tuning_group(
        q->tuning, operation, q->resident ? GFP_RESIDENT_DEVICE : GFP_RESIDENT_HOST, 1);
    return group.count > 0 && read_group(&group, &x, reading, factor);
}

/* The curve has times from host memory only, so resident problems are never on it. *measured: the
 * tuning has rows of about these lengths. */
static double whole_product(const gfp_request *q, const gfp_method *row, bool *measured)
{
    double factor = 0;
    *measured = q->tuning != NULL && (q->resident || !is_on_curve(q)) &&
                known_factor(q, row, GFP_OPERATION_PRODUCT, read_product, &factor);
    return balanced_product(q, row) * exp2(factor);
}

/* By the law of the operation alone. */
static double choice_modelled(const gfp_request *q, const gfp_method *row, bool *measured)
{
    const double whole = whole_product(q, row, measured);
    if (is_part(q)) {
        const gfp_range range = range_of(q);
        return whole * gfp_plan_share(row, &range);
    }
    return q->operation == GFP_OPERATION_SQUARE    ? whole * row->square
           : q->operation == GFP_OPERATION_OPERAND ? whole * row->operands->by_product
                                                   : whole;
}

static double read_factor(const void *user, const gfp_cost_row *row, double ns)
{
    const estimate_context *x = user;
    const gfp_request q = measured_request(x->q, row);
    bool measured;
    return log2(ns / choice_modelled(&q, x->row, &measured));
}

/* The operation whose rows apply. The upper part of a product is the lower part of the product of
 * the reversed factors. */
static gfp_operation row_operation(gfp_operation operation)
{
    return operation == GFP_OPERATION_HIGH ? GFP_OPERATION_LOW
           : operation == GFP_OPERATION_BATCH || operation == GFP_OPERATION_FILE
               ? GFP_OPERATION_PRODUCT
               : operation;
}

/* On one device. */
static double by_itself(const gfp_request *q, const gfp_method *row, bool *measured)
{
    const gfp_operation operation = row_operation(q->operation);
    if (q->bits_a != 0 && row->short_ns != NULL) {
        const gfp_range range = range_of(q);
        *measured = false;
        return row->short_ns(&range);
    }
    const double ns = choice_modelled(q, row, measured);
    double factor = 0;
    if (q->tuning != NULL && operation != GFP_OPERATION_PRODUCT) {
        *measured = known_factor(q, row, operation, read_factor, &factor);
    }
    return ns * exp2(factor);
}

/* From the time of the same method on one device. Products are computed as a whole. */
static double by_several(const gfp_request *q, const gfp_method *row)
{
    const size_t times = is_at_once(q, row) ? q->count : 1;
    const gfp_device_dealing dealing = {.members = q->members, .product = times < q->members};
    gfp_request whole = *q;
    double len;
    bool measured;
    if (is_part(q)) {
        whole.operation = GFP_OPERATION_PRODUCT;
        whole.first = 0;
        whole.end = product_length(q);
    }
    const double ns = by_itself(&whole, row->one_device, &measured);
    (void)row->balanced(gfp_size_mul_sat(q->len_a, times), gfp_size_mul_sat(q->len_b, times), &len);
    return gfp_device_dealt_ns(row->device, q->field, log2(len), ns, &dealing);
}

/* The time of one product of a batch; *measured: the tuning has rows of this operation. */
static double on_one_thread(const gfp_request *q, const gfp_method *row, bool *measured)
{
    *measured = false;
    return row->one_device != NULL ? by_several(q, row) : by_itself(q, row, measured);
}

/* ---- on several threads ---- */

/* The least work of a thread, in nanoseconds: several times the cost of waking it. */
#define THREAD_NS 20000
/* What an estimate adds for each further thread where no times of several threads are known:
 * several loops wake it. Without this, a row just long enough for two threads would win over a
 * faster row just too short.
 */
#define THREAD_START_NS 10000

unsigned gfp_method_useful_threads(const gfp_method *row, double ns, unsigned threads)
{
    if (threads <= 1 || !(row->shared > 0) || !(ns >= 2.0 * THREAD_NS)) {
        return 1;
    }
    const double most = ns / THREAD_NS;
    return most < threads ? (unsigned)most : threads;
}

static double read_shared(const void *user, const gfp_cost_row *row, double ns)
{
    const estimate_context *x = user;
    const gfp_request q = measured_request(x->q, row);
    bool measured;
    const double alone = on_one_thread(&q, x->row, &measured);
    const unsigned used = gfp_method_useful_threads(x->row, alone, row->threads);
    return used > 1 ? (1 - ns / alone) / (1 - 1.0 / used) : NAN;
}

/* The share of the work that threads divide, by the rows of an operation and one number of
 * threads. */
static bool known_shared(const gfp_request *q, const gfp_method *row, gfp_operation operation,
                         unsigned threads, double *shared)
{
    const estimate_context x = {q, row};
    const gfp_cost_table group = gfp_tuning_group(q->tuning, operation, GFP_RESIDENT_HOST, threads);
    return group.count > 0 && read_group(&group, &x, read_shared, shared);
}

/* known_shared by the rows of the nearest number of threads; *exact: the same number. */
static bool nearest_shared(const gfp_request *q, const gfp_method *row, gfp_operation operation,
                           double *shared, bool *exact)
{
    unsigned least = UINT_MAX, threads = 2;
    while ((threads = gfp_tuning_threads(q->tuning, operation, threads)) != 0) {
        const unsigned apart = threads > q->threads ? threads - q->threads : q->threads - threads;
        double value;
        if (apart < least && known_shared(q, row, operation, threads, &value)) {
            *shared = value;
            least = apart;
        }
        threads++;
    }
    *exact = least == 0;
    return least < UINT_MAX;
}

/* The time on several threads of what takes ns on one. *exact: the tuning has times of this number
 * of threads. A share by a tuning's rows includes what threads cost. */
static double on_threads(const gfp_request *q, const gfp_method *row, double ns, unsigned threads,
                         bool *exact)
{
    const gfp_operation operation = row_operation(q->operation);
    double shared = row->shared;
    bool known = false;
    *exact = false;
    if (q->tuning != NULL) {
        known = nearest_shared(q, row, operation, &shared, exact);
        if (!known && operation != GFP_OPERATION_PRODUCT) {
            known = nearest_shared(q, row, GFP_OPERATION_PRODUCT, &shared, exact);
            *exact = false;
        }
    }
    const double time = ns * (1 - shared * (1 - 1.0 / threads));
    return known ? time : time + THREAD_START_NS * (threads - 1.0);
}

/* ---- batches ---- */

/* The threads of a batch share each product from this estimate on. */
#define BATCH_LONG_NS 1e6

/* Products are computed side by side if each thread has at least one product and no cap limits the
 * work space of the threads. */
bool gfp_batch_shares(const gfp_method *method, double ns, size_t cap, size_t count,
                      unsigned threads)
{
    return method->side_by_side && ns < BATCH_LONG_NS && count >= threads && cap == 0;
}

/* Threads that have enough work. */
unsigned gfp_batch_threads(double ns, size_t count, unsigned threads)
{
    const double most = ns * (double)count / GFP_BATCH_CHUNK_NS;
    return most >= threads ? threads : most < 1 ? 1 : (unsigned)most;
}

/* ---- operands ---- */

bool gfp_operand_serves(const gfp_method *method, const gfp_field *field, size_t length, char *why,
                        size_t size)
{
    const gfp_ring_engine *engine = method->operands;
    if (engine == NULL) {
        (void)snprintf(why, size, "it has no operands");
        return false;
    }
    return engine->serves == NULL || engine->serves(field, length, why, size);
}

/* ---- within a cap ---- */

/* Whether threads compute different products of a batch. */
static bool is_side_by_side(const gfp_request *q, const gfp_method *row, double ns)
{
    return q->operation == GFP_OPERATION_BATCH &&
           gfp_batch_shares(row, ns, q->cap, q->count, q->threads);
}

/* The plan of a row that can serve; of an operand, the plan of a product. False: no plan keeps to
 * the limits. */
static bool plan_within(gfp_plan *plan, const gfp_request *q, const gfp_method *row,
                        const gfp_limits *limits)
{
    gfp_range range = range_of(q);
    if (is_at_once(q, row)) {
        range.len_a = gfp_size_mul_sat(q->len_a, q->count);
        range.len_b = gfp_size_mul_sat(q->len_b, q->count);
        range.end = gfp_size_add_sat(range.len_a, range.len_b) - 1;
    }
    return q->operation == GFP_OPERATION_FILE ? gfp_file_plan(plan, row, &range, limits, q->kept)
                                              : gfp_plan_make(plan, row, &range, limits);
}

/* Whether one thread can keep to a cap, and the bytes that it takes then. */
static bool choice_fits(const gfp_request *q, const gfp_method *row, size_t cap, size_t *bytes)
{
    const gfp_limits limits = {.cap = cap, .threads = 1, .devices = q->members};
    gfp_plan plan;
    const bool found = plan_within(&plan, q, row, &limits);
    *bytes = plan.bytes;
    return found && plan.bytes <= cap;
}

/* About the geometric mean, so that few plans cover all sizes: low <= it < high. */
static size_t choice_between(size_t low, size_t high)
{
    return high / 4 > low ? (size_t)sqrt(((double)low + 1) * (double)high) : low + (high - low) / 2;
}

/* The least bytes up to one part in 16, with blocks. */
size_t gfp_request_least_bytes(const gfp_request *q, const gfp_method *row)
{
    size_t low = q->cap, high, bytes;
    if (!choice_fits(q, row, SIZE_MAX, &high) || !choice_fits(q, row, high, &bytes)) {
        return SIZE_MAX;
    }
    while (low < high && high - low > high / 16) {
        const size_t middle = choice_between(low, high);
        if (choice_fits(q, row, middle, &bytes)) {
            high = bytes;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

/* ---- all together ---- */

/* The cost of a request by a row that can serve. */
typedef struct cost {
    double ns; /* HUGE_VAL: the cap is too small */
    size_t bytes;
    unsigned threads;
    bool measured; /* the tuning has times of this operation and number of threads */
    bool found;    /* there is a plan */
} cost;

/* Also fills the plan of one product. */
static cost plan_and_cost(gfp_plan *plan, const gfp_request *q, const gfp_method *row)
{
    cost c = {.threads = 1};
    const double ns = on_one_thread(q, row, &c.measured);
    if (is_side_by_side(q, row, ns)) {
        const gfp_limits limits = {.threads = 1, .devices = q->members};
        c.found = plan_within(plan, q, row, &limits);
        c.threads = plan->workers = gfp_batch_threads(ns, q->count, q->threads);
        c.ns = c.found ? ns * (double)q->count / c.threads : HUGE_VAL;
        c.bytes = gfp_size_mul_sat(plan->bytes, c.threads);
        return c;
    }
    const gfp_limits limits = {.cap = q->cap,
                               .threads =
                                   q->resident ? 1 : gfp_method_useful_threads(row, ns, q->threads),
                               .devices = q->members};
    c.found = plan_within(plan, q, row, &limits);
    c.bytes = plan->bytes;
    c.threads = plan->limits.threads;
    c.ns = ns * plan->factor * (is_at_once(q, row) ? 1 : (double)q->count);
    if (!c.found || (q->cap != 0 && c.bytes > q->cap)) {
        c.ns = HUGE_VAL;
        c.bytes = SIZE_MAX;
    } else if (c.threads > 1) {
        c.ns = on_threads(q, row, c.ns, c.threads, &c.measured);
    }
    return c;
}

static cost cost_of(const gfp_request *q, const gfp_method *row)
{
    gfp_plan plan;
    return plan_and_cost(&plan, q, row);
}

bool gfp_request_serves(const gfp_request *q, const gfp_method *row, char *why, size_t size)
{
    if (gfp_method_on_device(row) ? q->no_gpu || (q->resident && row->one_device != NULL)
                                  : q->resident) {
        (void)snprintf(why, size, "%s",
                       q->resident ? "the factors lie on a GPU" : "methods on a GPU are excluded");
        return false;
    }
    if (q->operation == GFP_OPERATION_OPERAND &&
        !gfp_operand_serves(row, q->field, gfp_size_add_sat(q->len_a, q->len_b) - 1, why, size)) {
        return false;
    }
    if (!gfp_method_serves(row, q->field, q->len_a, q->len_b, q->device, q->members, why, size)) {
        return false;
    }
    if (is_at_once(q, row) && !(balanced_product(q, row) < HUGE_VAL)) {
        (void)snprintf(why, size, "the batch is too long");
        return false;
    }
    return true;
}

/* ---- the pick ---- */

gfp_device_state gfp_request_state(const gfp_request *q, const gfp_method *row)
{
    const bool deals = row->one_device != NULL;
    gfp_device_state all = GFP_DEVICE_PRESENT;
    if (deals && (q->members < 2 || q->resident || q->operation == GFP_OPERATION_OPERAND)) {
        return GFP_DEVICE_MISSING;
    }
    for (unsigned i = 0; i < (deals ? q->members : 1) && all != GFP_DEVICE_MISSING; i++) {
        const gfp_device_state state = gfp_device_get_state(q->device + i);
        all = state == GFP_DEVICE_PRESENT ? all : state;
    }
    return all;
}

/* Whether a method on a device may be the pick. *missed: the most nanoseconds that an unopened
 * device would save. */
static bool is_worth_asking(const gfp_request *q, const gfp_method *row, double least,
                            double *missed)
{
    const gfp_device_state state = gfp_request_state(q, row);
    if (state == GFP_DEVICE_MISSING || q->no_gpu) {
        return false;
    }
    const double ns = cost_of(q, row).ns;
    if (!(ns < least)) {
        return false;
    }
    if (state == GFP_DEVICE_UNKNOWN && !(ns + GFP_DEVICE_START_NS < least)) {
        *missed = fmax(*missed, least - ns);
        return false;
    }
    return true;
}

/* The row of the least time, and its plan. Methods on a device come last in the table. If the
 * device has not been opened, its start counts as part of their time; *missed is the time lost if
 * that makes them too slow. */
static const gfp_method *choice_cheapest(gfp_plan *plan, const gfp_request *q,
                                         const char *other_than_family,
                                         const gfp_method *other_than, double *missed)
{
    gfp_plan other;
    const gfp_method *best = NULL;
    double least = HUGE_VAL;
    *missed = 0;
    char why[sizeof((gfp_method_info *)0)->reason];
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const gfp_method *row = gfp_method_row(i);
        if (row == other_than ||
            (other_than_family != NULL && strcmp(row->family, other_than_family) == 0) ||
            (gfp_method_on_device(row) && !is_worth_asking(q, row, least, missed)) ||
            !gfp_request_serves(q, row, why, sizeof why)) {
            continue;
        }
        const cost c = plan_and_cost(&other, q, row);
        /* For absurd lengths all times may exceed a double. */
        if (c.ns < least || (best == NULL && c.found && (q->cap == 0 || c.bytes <= q->cap))) {
            best = row;
            least = c.ns;
            *plan = other;
        }
    }
    return best;
}

/* Opens devices of the request that would have saved enough time so far. False: there are none. */
static bool ask_devices(const gfp_request *q, double missed)
{
    bool opened = false;
    for (unsigned i = 0; i < q->members; i++) {
        const unsigned device = q->device + i;
        const gfp_device_state state = gfp_device_get_state(device);
        if (state == GFP_DEVICE_MISSING) {
            break;
        }
        opened = (state == GFP_DEVICE_UNKNOWN && gfp_device_missed(device, missed) &&
                  gfp_device_ask(device, NULL) == GFP_OK) ||
                 opened;
    }
    return opened;
}

static const gfp_method *cheapest_of_all(gfp_plan *plan, const gfp_request *q)
{
    double missed;
    const gfp_method *row = choice_cheapest(plan, q, NULL, NULL, &missed);
    if (missed > 0 && ask_devices(q, missed)) {
        row = choice_cheapest(plan, q, NULL, NULL, &missed);
    }
    return row;
}

static bool knows_devices(const gfp_request *q)
{
    bool known = true;
    for (size_t i = 0; i < gfp_method_count() && known; i++) {
        const gfp_method *row = gfp_method_row(i);
        known = !gfp_method_on_device(row) || gfp_request_state(q, row) != GFP_DEVICE_UNKNOWN;
    }
    return known;
}

/* Whether another row may be the pick once the state of the device is known. */
static bool depends_on_device(const gfp_request *q, const gfp_method *row)
{
    if (!gfp_gpu_built_in()) {
        return false;
    }
    if (gfp_method_on_device(row)) {
        return true;
    }
    const double ns = cost_of(q, row).ns;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const gfp_method *other = gfp_method_row(i);
        if (gfp_method_on_device(other) && cost_of(q, other).ns < ns) {
            return true;
        }
    }
    return false;
}

/* In word 6 of a question: whether the pick within a cap is not too slow. */
#define ACCEPTED ((uint64_t)1 << 7)

/* The key under which the field keeps a plan for a request (gfp_field_remember), with everything
 * that the plan depends on: of the pick (row = NULL), or of a row. */
static gfp_question question_of(const gfp_request *q, const gfp_method *row)
{
    const uint64_t number = row != NULL ? gfp_method_index(row) + 1 : 0;
    /* No GPU has a greater number, and no method deals over more members. */
    const uint64_t device = gfp_size_min(q->device, (1 << 24) - 1);
    const uint64_t further = gfp_size_min(q->members - 1, UINT8_MAX);
    const uint64_t how = (uint64_t)q->no_gpu << 5 | (uint64_t)q->resident << 4 | q->operation;
    return (gfp_question){
        {q->len_a, q->len_b, q->first, q->end, q->cap, q->tuning != NULL ? q->tuning->serial : 0,
         device << 40 | further << 32 | number << 24 | (uint64_t)q->threads << 8 | how,
         gfp_device_epoch() << 32 | (uint64_t)q->bits_a << 16 | q->bits_b}};
}

_Static_assert(64 * GFP_MAX_LIMBS < 1 << 16, "a word of a question has room for bits twice");
_Static_assert(GFP_OPERATION_COUNT <= 16 && GFP_MAX_THREADS < 1 << 16 && GFP_COST_COLUMNS < 1 << 8,
               "a word of a question has room for all of these");

/* The field keeps no plans for these requests. */
static bool is_forgotten(const gfp_request *q)
{
    return q->operation == GFP_OPERATION_BATCH || q->operation == GFP_OPERATION_FILE;
}

/* The products of the words do not wait for each other. */
static size_t place_of(const gfp_question *question)
{
    uint64_t hash = 0, odd = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < GFP_QUESTION_WORDS; i++) {
        hash += question->word[i] * (odd << (2 * i) | 1);
    }
    return (size_t)(gfp_mix64(hash) % GFP_FIELD_ANSWERS);
}

size_t gfp_request_place(const gfp_request *q)
{
    const gfp_question question = question_of(q, NULL);
    return place_of(&question);
}

/* What the field keeps of a plan: the bytes from the method on, as far as the row uses them. */
#define KEPT_FROM offsetof(gfp_plan, method)
_Static_assert(sizeof(gfp_plan) - KEPT_FROM <= GFP_ANSWER_WORDS * sizeof(uint64_t),
               "an answer has room for a plan");

static bool choice_recall(gfp_plan *plan, const gfp_request *q, const gfp_question *question)
{
    if (is_forgotten(q) ||
        gfp_field_recall(q->field, place_of(question), question, (char *)plan + KEPT_FROM) == 0) {
        return false;
    }
    plan->range = range_of(q);
    return true;
}

static void choice_remember(const gfp_request *q, const gfp_question *question,
                            const gfp_plan *plan)
{
    const size_t bytes = offsetof(gfp_plan, state) + plan->state_bytes - KEPT_FROM;
    if (!is_forgotten(q)) {
        gfp_field_remember(q->field, place_of(question), question, (const char *)plan + KEPT_FROM,
                           (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    }
}

/* The threads that pay for a row, without the cap: the plan gives up threads if the cap demands
 * it. */
static unsigned threads_for(const gfp_request *q, const gfp_method *row)
{
    gfp_request free = *q;
    free.cap = 0;
    return free.threads > 1 ? cost_of(&free, row).threads : 1;
}

bool gfp_request_plan(gfp_plan *plan, const gfp_request *q, const gfp_method *row)
{
    if (q->operation == GFP_OPERATION_BATCH) {
        return plan_and_cost(plan, q, row).found;
    }
    const gfp_question question = question_of(q, row);
    if (choice_recall(plan, q, &question)) {
        return true;
    }
    const gfp_limits limits = {
        .cap = q->cap, .threads = threads_for(q, row), .devices = q->members};
    const bool found = plan_within(plan, q, row, &limits);
    if (found) {
        choice_remember(q, &question, plan);
    }
    return found;
}

const gfp_method *gfp_request_pick(gfp_plan *plan, const gfp_request *q)
{
    const gfp_question question = question_of(q, NULL);
    gfp_plan own;
    plan = plan != NULL ? plan : &own;
    if (choice_recall(plan, q, &question)) {
        return plan->method;
    }
    const gfp_method *row = cheapest_of_all(plan, q);
    if (row != NULL && !is_forgotten(q) && (knows_devices(q) || !depends_on_device(q, row))) {
        choice_remember(q, &question, plan);
    }
    return row;
}

double gfp_request_time(const gfp_request *q, const gfp_method *row)
{
    return cost_of(q, row).ns;
}

/* ---- refusals, second methods ---- */

/* A pick within a cap is refused if it takes SLOW_FACTOR times as long as the pick without a cap,
 * and at least SLOW_NS. Files check their caps themselves. */
#define SLOW_FACTOR 16
#define SLOW_NS 1e8

static gfp_request without_cap(const gfp_request *q)
{
    gfp_request usual = *q;
    usual.cap = 0;
    return usual;
}

/* row: the pick of the request without a cap. */
static gfp_status compare_picks(const gfp_request *q, const gfp_method *picked,
                                const gfp_method *row, gfp_error *error)
{
    const gfp_request usual = without_cap(q);
    const double ns = gfp_request_time(&usual, picked);
    const double usual_ns = gfp_request_time(&usual, row);
    if (ns < SLOW_NS || ns < SLOW_FACTOR * usual_ns) {
        return GFP_OK;
    }
    return gfp_error_set(
        error, GFP_ERR_MEMORY,
        "within %zu bytes of work space only %s is possible, about %.0f times slower "
        "than %s, which needs %zu",
        q->cap, picked->name, ns / usual_ns, row->name, gfp_request_least_bytes(q, row));
}

gfp_status gfp_request_refuse_slow(const gfp_request *q, const gfp_method *picked, gfp_error *error)
{
    const gfp_request usual = without_cap(q);
    if (q->cap == 0 || q->operation == GFP_OPERATION_FILE) {
        return GFP_OK;
    }
    gfp_question question = question_of(q, picked);
    question.word[6] |= ACCEPTED;
    uint64_t accepted[GFP_ANSWER_WORDS] = {1};
    if (gfp_field_recall(q->field, place_of(&question), &question, accepted) != 0) {
        return GFP_OK;
    }
    GFP_TRY(compare_picks(q, picked, gfp_request_pick(NULL, &usual), error));
    gfp_field_remember(q->field, place_of(&question), &question, accepted, 1);
    return GFP_OK;
}

/* NULL: there is none. */
static const gfp_method *second_of(const gfp_request *q, const gfp_method *used)
{
    gfp_plan plan;
    double missed;
    const char *family = used != NULL ? used->family : NULL;
    const gfp_method *row = choice_cheapest(&plan, q, family, used, &missed);
    return row != NULL ? row : choice_cheapest(&plan, q, NULL, used, &missed);
}

gfp_status gfp_request_second(const gfp_method **second, const gfp_request *q,
                              const gfp_method *used, gfp_error *error)
{
    const gfp_request usual = without_cap(q);
    *second = second_of(q, used);
    if (*second == NULL) {
        return q->cap == 0 ? gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                                           "no second method can compute this product")
                           : gfp_error_set(error, GFP_ERR_MEMORY,
                                           "no second method computes the product within the cap");
    }
    return q->cap == 0 || q->operation == GFP_OPERATION_FILE
               ? GFP_OK
               : compare_picks(q, *second, second_of(&usual, used), error);
}

/* ---- the public view ---- */

/* The source of an estimate: "derived" for an operation that no tuning measures. */
static const char *source_of(const gfp_request *q, const gfp_method *row, const cost *c)
{
    const bool plain = q->operation == GFP_OPERATION_PRODUCT && is_on_curve(q) && !q->resident;
    const gfp_method *timed = row->one_device != NULL ? row->one_device : row;
    const bool known =
        q->tuning != NULL && gfp_method_is_measured(q->tuning, gfp_method_index(timed), q->field);
    if (c->measured || (known && plain && c->threads == 1 && timed == row)) {
        return row_operation(q->operation) == q->operation ? "measured" : "derived";
    }
    return known ? "derived" : "built-in";
}

gfp_status gfp_method_query(gfp_method_info *info, size_t index, const gfp_problem *problem,
                            const gfp_field *field, const gfp_options *options)
{
    if (field == NULL || problem == NULL || info == NULL || index >= gfp_method_count() ||
        gfp_operation_name(problem->operation) == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    const gfp_method *row = gfp_method_row(index);
    const gfp_request q = gfp_request_make(problem, field, options);
    *info = (gfp_method_info){.name = row->name,
                              .source = "",
                              .algorithm = row->algorithm != NULL ? row->algorithm : row->name};
    info->available = gfp_request_serves(&q, row, info->reason, sizeof info->reason);
    if (!info->available) {
        (void)choice_fits(&q, row, SIZE_MAX, &info->workspace);
        return GFP_OK;
    }
    const cost c = cost_of(&q, row);
    info->reason[0] = '\0';
    if (q.cap != 0 && c.bytes > q.cap) {
        info->available = false;
        (void)choice_fits(&q, row, SIZE_MAX, &info->workspace);
        (void)snprintf(info->reason, sizeof info->reason,
                       "needs %zu bytes of work space, the cap is %zu",
                       gfp_request_least_bytes(&q, row), q.cap);
        return GFP_OK;
    }
    info->estimate_ns = c.ns;
    info->workspace = c.bytes;
    info->threads = c.threads;
    info->source = source_of(&q, row, &c);
    return GFP_OK;
}

const char *gfp_method_pick(const gfp_problem *problem, const gfp_field *field,
                            const gfp_options *options)
{
    gfp_options copy;
    if (field == NULL || problem == NULL || gfp_operation_name(problem->operation) == NULL ||
        gfp_options_read(&options, &copy) != GFP_OK) {
        return NULL;
    }
    const gfp_request q = gfp_request_make(problem, field, options);
    const gfp_method *row = gfp_request_pick(NULL, &q);
    return row != NULL ? row->name : NULL;
}
