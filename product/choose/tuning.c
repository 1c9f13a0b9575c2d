/* tuning.c: the struct: rows in order, the chooser's queries, merging, and the comparison of the
 * machine that measured with this one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/choose/tuning.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "field/base/cpu.h"
#include "product/device/pool.h"
#include "product/methods/row.h"
#include "field/base/support.h"

#define FIRST_CAPACITY 32
/* The name that gfp_device_name gives if no GPU is available. */
#define NO_GPU "none"

/* ---- machines ---- */

/* Names of facts in files, and in messages. */
static const struct {
    const char *name, *words;
} facts[GFP_FACTS] = {
    [GFP_FACT_CPU] = {"cpu", "the CPU"},
    [GFP_FACT_LEVEL] = {"level", "the CPU level"},
    [GFP_FACT_GPU] = {"gpu", "the GPU"},
    [GFP_FACT_GFPOLY] = {"gfpoly", "the version of gfpoly"},
    [GFP_FACT_FLINT] = {"flint", "the version of FLINT"},
};

const char *gfp_fact_name(size_t fact)
{
    return facts[fact].name;
}

/* Describes this machine and this library. The GPU is "" if its state is unknown and `ask` is
 * false. The number of threads belongs to the process, not to the machine: rows have theirs. */
static void tuning_describe(gfp_machine *machine, bool ask)
{
    char brand[GFP_CPU_BRAND_SIZE], gpu[GFP_FACT_SIZE] = "";
    const char *flint = gfp_build_get_info()->flint;
    gfp_cpu_brand(brand);
    if (ask || gfp_device_get_state(0) != GFP_DEVICE_UNKNOWN) {
        gfp_device_name(gpu, sizeof gpu);
    }
    const char *values[GFP_FACTS] = {
        [GFP_FACT_CPU] = brand,
        [GFP_FACT_LEVEL] = gfp_cpu_level(),
        [GFP_FACT_GPU] = gpu,
        [GFP_FACT_GFPOLY] = gfp_version(),
        [GFP_FACT_FLINT] = flint[0] != '\0' ? flint : "none",
    };
    *machine = (gfp_machine){.methods = gfp_method_count()};
    for (size_t i = 0; i < GFP_FACTS; i++) {
        snprintf(machine->fact[i], sizeof machine->fact[i], "%s", values[i]);
    }
    for (size_t i = 0; i < machine->methods; i++) {
        const gfp_method *row = gfp_method_row(i);
        snprintf(machine->method[i].name, sizeof machine->method[i].name, "%s", row->name);
        machine->method[i].revision = row->revision;
    }
}

size_t gfp_machine_column(const gfp_machine *machine, const char *method)
{
    for (size_t i = 0; i < machine->methods; i++) {
        if (strcmp(machine->method[i].name, method) == 0) {
            return i;
        }
    }
    return GFP_COST_COLUMNS;
}

/* OK, or STALE with the first difference. `was` is the machine that measured, `is` the one that
 * would use the times, `lacking` one of the two. If `lacking` has no GPU, the GPUs are not
 * compared: it has no times of a GPU, or would not use them. */
static gfp_status compare_machines(const gfp_machine *was, const gfp_machine *is,
                                   const gfp_machine *lacking, gfp_error *error)
{
    for (size_t i = 0; i < GFP_FACTS; i++) {
        if (i == GFP_FACT_GPU && strcmp(lacking->fact[i], NO_GPU) == 0) {
            continue;
        }
        if (is->fact[i][0] != '\0' && strcmp(was->fact[i], is->fact[i]) != 0) {
            return gfp_error_set(error, GFP_STALE, "%s was \"%s\" when measured, now \"%s\"",
                                 facts[i].words, was->fact[i], is->fact[i]);
        }
    }
    for (size_t i = 0; i < is->methods; i++) {
        const char *name = is->method[i].name;
        size_t column = gfp_machine_column(was, name);
        if (column == GFP_COST_COLUMNS) {
            return gfp_error_set(error, GFP_STALE, "the method %s did not exist when measured",
                                 name);
        }
        if (was->method[column].revision != is->method[i].revision) {
            return gfp_error_set(error, GFP_STALE,
                                 "the method %s had revision %u when measured, now %u", name,
                                 was->method[column].revision, is->method[i].revision);
        }
    }
    for (size_t i = 0; i < was->methods; i++) {
        if (gfp_machine_column(is, was->method[i].name) == GFP_COST_COLUMNS) {
            return gfp_error_set(error, GFP_STALE,
                                 "the method %s existed when measured, but not now",
                                 was->method[i].name);
        }
    }
    return GFP_OK;
}

gfp_status gfp_tuning_check(const gfp_tuning *tuning, gfp_error *error)
{
    gfp_machine here;
    tuning_describe(&here, false);
    return compare_machines(&tuning->machine, &here, &here, error);
}

bool gfp_tuning_has_gpu(const gfp_tuning *tuning)
{
    return strcmp(tuning->machine.fact[GFP_FACT_GPU], NO_GPU) != 0;
}

/* ---- the object ---- */

gfp_status gfp_tuning_create_for(gfp_tuning **tuning, const gfp_machine *machine,
                                 const gfp_allocator *allocator)
{
    allocator = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_tuning *t = gfp_allocate(allocator, 1, sizeof *t);
    if (t == NULL) {
        return GFP_ERR_MEMORY;
    }
    *t = (gfp_tuning){.allocator = *allocator};
    if (machine != NULL) {
        t->machine = *machine;
    } else {
        tuning_describe(&t->machine, true);
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        t->column[i] = gfp_machine_column(&t->machine, gfp_method_name(i));
    }
    *tuning = t;
    return GFP_OK;
}

gfp_status gfp_tuning_create(gfp_tuning **tuning, const gfp_allocator *allocator)
{
    return gfp_tuning_create_for(tuning, NULL, allocator);
}

void gfp_tuning_destroy(gfp_tuning *tuning)
{
    if (tuning != NULL) {
        gfp_allocator allocator = tuning->allocator;
        gfp_release(&allocator, tuning->rows, tuning->capacity, sizeof *tuning->rows);
        gfp_release(&allocator, tuning, 1, sizeof *tuning);
    }
}

/* Gives the rows a new serial. */
static void tuning_renew(gfp_tuning *tuning)
{
    static atomic_uint_fast64_t last;
    tuning->serial = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* Room for count rows. */
static gfp_status tuning_reserve(gfp_tuning *tuning, size_t count)
{
    size_t capacity = tuning->capacity > 0 ? tuning->capacity : FIRST_CAPACITY;
    if (count > GFP_TUNING_MAX_ROWS) {
        return GFP_ERR_SIZE;
    }
    if (count <= tuning->capacity) {
        return GFP_OK;
    }
    while (capacity < count) {
        capacity *= 2; /* at most 2 GFP_TUNING_MAX_ROWS */
    }
    gfp_cost_row *rows = gfp_allocate(&tuning->allocator, capacity, sizeof *rows);
    if (rows == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (tuning->count > 0) {
        memcpy(rows, tuning->rows, tuning->count * sizeof *rows);
    }
    gfp_release(&tuning->allocator, tuning->rows, tuning->capacity, sizeof *rows);
    tuning->rows = rows;
    tuning->capacity = capacity;
    return GFP_OK;
}

gfp_status gfp_tuning_append(gfp_tuning *tuning, const gfp_cost_row *row)
{
    GFP_TRY(tuning_reserve(tuning, tuning->count + 1));
    tuning->rows[tuning->count] = *row;
    tuning->rows[tuning->count++].octave = gfp_cost_octave(row->len_a, row->len_b);
    tuning_renew(tuning);
    return GFP_OK;
}

static gfp_cost_table table_of(const gfp_tuning *tuning)
{
    return (gfp_cost_table){tuning->rows, tuning->count};
}

/* Whether a row has this key; *at := its index, or the index at which it belongs. */
static bool tuning_find(const gfp_tuning *tuning, const gfp_cost_row *key, size_t *at)
{
    gfp_cost_table table = table_of(tuning);
    *at = gfp_cost_lower_bound(&table, key);
    return *at < tuning->count && gfp_cost_compare(&tuning->rows[*at], key) == 0;
}

/* *at := the index of the row with this key; adds a row without times if none has it. */
static gfp_status find_or_add(gfp_tuning *tuning, const gfp_cost_row *key, size_t *at)
{
    if (!tuning_find(tuning, key, at)) {
        GFP_TRY(tuning_reserve(tuning, tuning->count + 1));
        gfp_cost_row *row = tuning->rows + *at;
        memmove(row + 1, row, (tuning->count - *at) * sizeof *row);
        *row = *key;
        row->octave = gfp_cost_octave(key->len_a, key->len_b);
        tuning->count++;
    }
    return GFP_OK;
}

size_t gfp_tuning_count(const gfp_tuning *tuning)
{
    return tuning->count;
}

gfp_status gfp_tuning_get_row(const gfp_tuning *tuning, size_t index, gfp_tuning_row *row)
{
    if (index >= tuning->count) {
        return GFP_ERR_ARGUMENT;
    }
    const gfp_cost_row *found = &tuning->rows[index];
    *row = (gfp_tuning_row){.k = found->k,
                            .r = found->r,
                            .len = found->len_a,
                            .len_b = found->len_b,
                            .operation = (gfp_operation)found->operation,
                            .threads = found->threads,
                            .resident = (gfp_residence)found->resident};
    return GFP_OK;
}

double gfp_tuning_get_ns(const gfp_tuning *tuning, size_t index, const char *method)
{
    size_t column = gfp_machine_column(&tuning->machine, method);
    return index < tuning->count && column < GFP_COST_COLUMNS ? tuning->rows[index].ns[column] : 0;
}

bool gfp_tuning_takes(unsigned operation, uint64_t len_a, uint64_t len_b)
{
    if (len_b == 0 || len_a < len_b || len_a > GFP_TUNING_MAX_LEN) {
        return false;
    }
    switch (operation) {
    case GFP_OPERATION_PRODUCT:
    case GFP_OPERATION_OPERAND:
        return len_a == len_b || gfp_cost_octave(len_a, len_b) > 0;
    case GFP_OPERATION_SQUARE:
    case GFP_OPERATION_LOW:
        return len_a == len_b;
    case GFP_OPERATION_MIDDLE:
        return len_a == 2 * len_b - 1;
    default:
        return false;
    }
}

/* The key of a row, with its defaults filled in. */
static gfp_cost_row key_of(const gfp_tuning_row *row)
{
    return (gfp_cost_row){.operation = (unsigned)row->operation,
                          .resident = (unsigned)row->resident,
                          .threads = row->threads == 0 ? 1 : row->threads,
                          .k = row->k,
                          .r = row->r,
                          .len_a = row->len,
                          .len_b = row->len_b == 0 ? row->len : row->len_b};
}

gfp_status gfp_tuning_set_row(gfp_tuning *tuning, const gfp_tuning_row *row, const char *method,
                              double ns)
{
    size_t at = 0, column = gfp_machine_column(&tuning->machine, method);
    const gfp_cost_row key = key_of(row);
    if (column == GFP_COST_COLUMNS) {
        return GFP_ERR_UNKNOWN;
    }
    if (row->k < 2 || row->k > GFP_MAX_K || (row->k & (row->k - 1)) != 0 || row->r < 2 ||
        row->r % 2 != 0 || key.threads > GFP_MAX_THREADS || key.resident > GFP_RESIDENT_DEVICE ||
        !gfp_tuning_takes(key.operation, key.len_a, key.len_b) ||
        !(ns >= 0 && ns <= GFP_TUNING_MAX_NS)) {
        return GFP_ERR_ARGUMENT;
    }
    if (ns == 0 && !tuning_find(tuning, &key, &at)) {
        return GFP_OK; /* no entry to remove */
    }
    GFP_TRY(find_or_add(tuning, &key, &at));
    tuning->rows[at].ns[column] = ns;
    tuning_renew(tuning);
    return GFP_OK;
}

double gfp_tuning_find_ns(const gfp_tuning *tuning, const gfp_tuning_row *row, const char *method)
{
    const gfp_cost_row key = key_of(row);
    size_t at = 0;
    return tuning_find(tuning, &key, &at) ? gfp_tuning_get_ns(tuning, at, method) : 0;
}

gfp_cost_table gfp_tuning_group(const gfp_tuning *tuning, gfp_operation operation,
                                gfp_residence resident, unsigned threads)
{
    const gfp_cost_table table = table_of(tuning);
    return gfp_cost_group(&table, (unsigned)operation, (unsigned)resident, threads);
}

unsigned gfp_tuning_threads(const gfp_tuning *tuning, gfp_operation operation, unsigned from)
{
    const gfp_cost_row key = {.operation = (unsigned)operation, .threads = from};
    const gfp_cost_table table = table_of(tuning);
    const size_t at = gfp_cost_lower_bound(&table, &key);
    return at < table.count && table.rows[at].operation == key.operation &&
                   table.rows[at].resident == key.resident
               ? table.rows[at].threads
               : 0;
}

size_t gfp_tuning_column(const gfp_tuning *tuning, size_t method)
{
    char gpu[GFP_FACT_SIZE];
    if (gfp_method_on_device(gfp_method_row(method))) {
        if (gfp_device_get_state(0) != GFP_DEVICE_PRESENT) {
            return GFP_COST_COLUMNS;
        }
        gfp_device_name(gpu, sizeof gpu);
        if (strcmp(gpu, tuning->machine.fact[GFP_FACT_GPU]) != 0) {
            return GFP_COST_COLUMNS;
        }
    }
    return tuning->column[method];
}

double gfp_tuning_log2_cost(const gfp_tuning *tuning, const gfp_shape *shape, double m)
{
    const gfp_cost_table products =
        gfp_tuning_group(tuning, GFP_OPERATION_PRODUCT, GFP_RESIDENT_HOST, 1);
    size_t column = gfp_tuning_column(tuning, shape->method);
    if (column == GFP_COST_COLUMNS) {
        return HUGE_VAL;
    }
    return gfp_cost_log2(&products, gfp_field_k(shape->field), gfp_field_r(shape->field), column,
                         shape, m);
}

/* ---- merging ---- */

/* The number of rows of `from` that `into` does not have. */
static size_t count_new(const gfp_tuning *into, const gfp_tuning *from)
{
    size_t count = 0, i = 0;
    for (size_t j = 0; j < from->count; j++) {
        while (i < into->count && gfp_cost_compare(&into->rows[i], &from->rows[j]) < 0) {
            i++;
        }
        count += i == into->count || gfp_cost_compare(&into->rows[i], &from->rows[j]) != 0;
    }
    return count;
}

/* to := the measured times of `from`. */
static void tuning_overlay(const gfp_machine *into, gfp_cost_row *to, const gfp_machine *machine,
                           const gfp_cost_row *from)
{
    for (size_t i = 0; i < machine->methods; i++) {
        if (from->ns[i] > 0) {
            to->ns[gfp_machine_column(into, machine->method[i].name)] = from->ns[i];
        }
    }
}

gfp_status gfp_tuning_merge(gfp_tuning *into, const gfp_tuning *from, gfp_error *error)
{
    GFP_TRY(compare_machines(&from->machine, &into->machine, &from->machine, error));
    size_t i = into->count, j = from->count, write = into->count + count_new(into, from);
    gfp_status status = tuning_reserve(into, write);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "no room for %zu rows: %s", write,
                             gfp_status_string(status));
    }
    into->count = write;
    tuning_renew(into);
    /* From the last row down, so that rows of `into` move towards the end before they are
     * overwritten; write - i rows of `from` are still to be placed between them. */
    while (j > 0) {
        int order = i > 0 ? gfp_cost_compare(&into->rows[i - 1], &from->rows[j - 1]) : -1;
        gfp_cost_row *to = &into->rows[--write];
        if (order < 0) {
            const gfp_cost_row *row = &from->rows[j - 1];
            *to = *row; /* its times are in the columns of `from` */
            memset(to->ns, 0, sizeof to->ns);
        } else {
            *to = into->rows[--i];
        }
        if (order <= 0) {
            tuning_overlay(&into->machine, to, &from->machine, &from->rows[--j]);
        }
    }
    return GFP_OK;
}
