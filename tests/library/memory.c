/* memory.c: the work areas of products: kept with the field within its limits, shared by
 * threads, given back; and no page faults in a run of products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "field/base/cpu.h"
#include "gfpoly/methods.h"
#include "gfpoly/poly.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/base/work.h"

/* A hook that counts: bytes not yet released, their maximum, and wrong sizes at release. */
typedef struct meter {
    atomic_size_t calls, blocks, bytes, peak, mistakes;
} meter;

typedef union header {
    size_t bytes;
    max_align_t align;
} header;

static void *meter_allocate(void *user, size_t bytes)
{
    meter *m = user;
    header *h = malloc(sizeof *h + bytes);
    if (h == NULL) {
        return NULL;
    }
    h->bytes = bytes;
    atomic_fetch_add(&m->calls, 1);
    atomic_fetch_add(&m->blocks, 1);
    const size_t now = atomic_fetch_add(&m->bytes, bytes) + bytes;
    size_t peak = atomic_load(&m->peak);
    while (now > peak && !atomic_compare_exchange_weak(&m->peak, &peak, now)) {
    }
    return h + 1;
}

static void meter_release(void *user, void *at, size_t bytes)
{
    meter *m = user;
    header *h = (header *)at - 1;
    if (h->bytes != bytes) {
        atomic_fetch_add(&m->mistakes, 1);
    }
    atomic_fetch_sub(&m->blocks, 1);
    atomic_fetch_sub(&m->bytes, h->bytes);
    free(h);
}

static gfp_field *memory_metered(const char *name, meter *m)
{
    const gfp_allocator allocator = {meter_allocate, meter_release, m};
    gfp_field *field = NULL;
    memset(m, 0, sizeof *m);
    assert_int_equal(gfp_field_create(&field, name, &allocator, NULL), GFP_OK);
    return field;
}

static void expect_nothing_left(meter *m)
{
    assert_int_equal(atomic_load(&m->blocks), 0);
    assert_int_equal(atomic_load(&m->bytes), 0);
    assert_int_equal(atomic_load(&m->mistakes), 0);
}

/* ---- areas ---- */

static void sizes_grow_in_steps(void **state)
{
    size_t distinct = 0, last = 0;
    (void)state;
    assert_int_equal(gfp_work_bytes(0), 0);
    assert_true(gfp_work_bytes(SIZE_MAX) == SIZE_MAX);
    assert_true(gfp_work_bytes(SIZE_MAX / 8) == SIZE_MAX);
    for (size_t words = 1; words < 40000; words++) {
        const size_t bytes = gfp_work_bytes(words);
        assert_true(bytes >= 8 * words + 64 && bytes >= last);
        assert_true(bytes <= 9 * (words + 16) + 16);
        distinct += bytes != last;
        last = bytes;
    }
    /* From 136 to 2^18.3 bytes, eight steps an octave. */
    assert_true(distinct > 60 && distinct < 100);
}

static gfp_work memory_take(const gfp_field *field, size_t words)
{
    gfp_work work;
    assert_int_equal(gfp_work_take(&work, field, words), GFP_OK);
    assert_int_equal((uintptr_t)work.words % 64, 0);
    if (words > 0) {
        memset(work.words, 0xa5, words * sizeof *work.words);
    }
    return work;
}

static void areas_are_taken_again(void **state)
{
    meter m;
    gfp_field *field = memory_metered("p8", &m);
    (void)state;
    const size_t blocks = atomic_load(&m.blocks), bytes = atomic_load(&m.bytes);
    gfp_work one = memory_take(field, 5000), two = memory_take(field, 100);
    assert_int_equal(gfp_field_get_info(field).kept_memory, 0);
    assert_int_equal(atomic_load(&m.bytes) - bytes, gfp_work_bytes(5000) + gfp_work_bytes(100));
    gfp_work_give(&one, field);
    gfp_work_give(&two, field);
    assert_null(one.words);
    assert_int_equal(gfp_field_get_info(field).kept_memory,
                     gfp_work_bytes(5000) + gfp_work_bytes(100));
    const size_t calls = atomic_load(&m.calls);
    for (size_t words = 4000; words <= 5000; words += 50) {
        one = memory_take(field, words);
        two = memory_take(field, words / 50);
        gfp_work_give(&two, field);
        gfp_work_give(&one, field);
    }
    assert_int_equal(atomic_load(&m.calls), calls);
    /* A longer one takes the place of the one outgrown. */
    one = memory_take(field, 20000);
    gfp_work_give(&one, field);
    assert_int_equal(atomic_load(&m.calls), calls + 1);
    assert_int_equal(gfp_field_get_info(field).kept_memory,
                     gfp_work_bytes(20000) + gfp_work_bytes(100));
    gfp_field_release_memory(field);
    assert_int_equal(gfp_field_get_info(field).kept_memory, 0);
    assert_int_equal(atomic_load(&m.blocks), blocks);
    assert_int_equal(atomic_load(&m.bytes), bytes);
    one = memory_take(field, 0);
    assert_null(one.words);
    gfp_work_give(&one, field);
    assert_int_equal(gfp_work_take(&one, field, SIZE_MAX / 4), GFP_ERR_SIZE);
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

static void no_more_is_kept_than_the_limit(void **state)
{
    enum { MANY = GFP_WORK_SLOTS + 5 };
    meter m;
    gfp_field *field = memory_metered("p8", &m);
    gfp_work works[MANY];
    size_t largest = 0;
    (void)state;
    const size_t bytes = atomic_load(&m.bytes);
    for (size_t i = 0; i < MANY; i++) {
        works[i] = memory_take(field, 1000 * (i + 1));
    }
    for (size_t i = 0; i < MANY; i++) {
        gfp_work_give(&works[i], field);
        largest += i >= MANY - GFP_WORK_SLOTS ? gfp_work_bytes(1000 * (i + 1)) : 0;
    }
    /* The slots hold the largest. */
    assert_int_equal(gfp_field_get_info(field).kept_memory, largest);
    assert_int_equal(atomic_load(&m.bytes) - bytes, largest);
    gfp_field_limit_memory(field, largest - 1);
    assert_int_equal(gfp_field_get_info(field).kept_memory, 0);
    assert_int_equal(atomic_load(&m.bytes), bytes);
    gfp_field_limit_memory(field, gfp_work_bytes(1000) + gfp_work_bytes(3000) + 1);
    for (size_t i = 0; i < 3; i++) {
        works[i] = memory_take(field, 1000 * (i + 1));
    }
    for (size_t i = 0; i < 3; i++) {
        gfp_work_give(&works[i], field);
        assert_true(atomic_load(&m.bytes) - bytes >= gfp_field_get_info(field).kept_memory);
    }
    assert_int_equal(gfp_field_get_info(field).kept_memory,
                     gfp_work_bytes(1000) + gfp_work_bytes(2000));
    gfp_field_limit_memory(field, 0);
    works[0] = memory_take(field, 1000);
    gfp_work_give(&works[0], field);
    assert_int_equal(gfp_field_get_info(field).kept_memory, 0);
    assert_int_equal(atomic_load(&m.bytes), bytes);
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

/* Large areas of the default allocator begin on a huge page (Linux). */
static void large_areas_lie_on_huge_pages(void **state)
{
    gfp_field *field = NULL;
    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", NULL, NULL), GFP_OK);
    gfp_work work = memory_take(field, (size_t)3 << 17);
#if defined(__linux__)
    assert_int_equal((uintptr_t)work.words % ((size_t)1 << 21), 64);
#endif
    gfp_work_give(&work, field);
    gfp_field_destroy(field);
}

/* ---- threads ---- */

#define THREADS 8
#define ROUNDS (THREAD_SANITIZED ? 300 : 3000)

typedef struct worker {
    pthread_t id;
    const gfp_field *field;
    unsigned number;
    bool good;
} worker;

/* What a thread writes into its area is there until it gives it back. */
static void *take_and_give(void *argument)
{
    worker *w = argument;
    gfp_random g;
    gfp_random_seed(&g, w->number);
    w->good = true;
    for (size_t round = 0; round < ROUNDS; round++) {
        gfp_work works[3];
        const size_t count = 1 + gfp_random_below(&g, 3);
        size_t words[3];
        for (size_t i = 0; i < count; i++) {
            words[i] = (size_t)1 << gfp_random_below(&g, 12);
            w->good = w->good && gfp_work_take(&works[i], w->field, words[i]) == GFP_OK;
            memset(works[i].words, (int)w->number, words[i] * sizeof(uint64_t));
        }
        for (size_t i = 0; i < count; i++) {
            const uint64_t expected = w->number * UINT64_C(0x0101010101010101);
            for (size_t j = 0; j < words[i]; j++) {
                w->good = w->good && works[i].words[j] == expected;
            }
            gfp_work_give(&works[i], w->field);
        }
        if (round % 64 == 0 && w->number == 0) {
            gfp_field_release_memory(w->field);
            gfp_field_limit_memory(w->field, gfp_random_below(&g, 1 << 18));
        }
    }
    return NULL;
}

static void threads_share_the_areas(void **state)
{
    meter m;
    worker workers[THREADS];
    gfp_field *field = memory_metered("p8", &m);
    (void)state;
    const size_t bytes = atomic_load(&m.bytes);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.field = field, .number = i};
        assert_int_equal(pthread_create(&workers[i].id, NULL, take_and_give, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].id, NULL), 0);
        assert_true(workers[i].good);
    }
    assert_int_equal(gfp_field_get_info(field).kept_memory, atomic_load(&m.bytes) - bytes);
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

/* Threads take areas; the limit admits one or two. Kept areas never exceed the limit. */
#define TIGHT 10000

static void *give_too_much(void *argument)
{
    worker *w = argument;
    w->good = true;
    for (size_t round = 0; round < 50 * ROUNDS && w->good; round++) {
        gfp_work work;
        w->good = gfp_work_take(&work, w->field, 600 + 100 * w->number) == GFP_OK;
        gfp_work_give(&work, w->field);
        w->good = w->good && gfp_field_get_info(w->field).kept_memory <= TIGHT;
    }
    return NULL;
}

static void threads_keep_to_the_limit(void **state)
{
    meter m;
    worker workers[THREADS];
    gfp_field *field = memory_metered("p8", &m);
    (void)state;
    gfp_field_limit_memory(field, TIGHT);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.field = field, .number = i};
        assert_int_equal(pthread_create(&workers[i].id, NULL, give_too_much, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].id, NULL), 0);
        assert_true(workers[i].good);
    }
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

static gfp_poly factor_a, factor_b, product;

static void *multiply_often(void *argument)
{
    worker *w = argument;
    gfp_poly c;
    gfp_poly_init(&c, w->field);
    w->good = true;
    for (size_t round = 0; round < (THREAD_SANITIZED ? 4 : 30); round++) {
        static const char *const methods[] = {"hybrid", "karatsuba", "bigfft", "crt"};
        const gfp_options options = {.method = methods[round % 4]};
        w->good = w->good && gfp_poly_mul(&c, &factor_a, &factor_b, &options) == GFP_OK &&
                  gfp_poly_equal(&c, &product);
    }
    gfp_poly_clear(&c);
    return NULL;
}

static void products_in_threads(void **state)
{
    meter m;
    worker workers[THREADS];
    gfp_random g;
    gfp_field *field = memory_metered("p8", &m);
    (void)state;
    gfp_random_seed(&g, 5);
    gfp_poly_init(&factor_a, field);
    gfp_poly_init(&factor_b, field);
    gfp_poly_init(&product, field);
    assert_int_equal(gfp_poly_random(&factor_a, 400, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&factor_b, 300, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&product, &factor_a, &factor_b, NULL), GFP_OK);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.field = field, .number = i};
        assert_int_equal(pthread_create(&workers[i].id, NULL, multiply_often, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].id, NULL), 0);
        assert_true(workers[i].good);
    }
    gfp_poly_clear(&factor_a);
    gfp_poly_clear(&factor_b);
    gfp_poly_clear(&product);
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

/* ---- caps ---- */

/* Extreme coefficients: 0, 1, r - 1 in every digit, r/2 in every digit, r^k, random ones. */
static void memory_fill(const gfp_field *field, gfp_poly *a, size_t len, unsigned kind,
                        gfp_random *g)
{
    const unsigned k = gfp_field_k(field);
    const uint64_t r = gfp_field_r(field);
    assert_int_equal(gfp_poly_random(a, len, g), GFP_OK);
    for (size_t i = 0; i < len && kind > 0; i++) {
        uint64_t *x = a->digits + i * k;
        const uint64_t digit = kind == 1 ? r - 1 : kind == 2 ? r / 2 : i % 2 == 0 ? r - 1 : 0;
        for (unsigned t = 0; t < k; t++) {
            x[t] = digit;
        }
        if (kind == 4 && i % 3 != 1) { /* r^k */
            memset(x, 0, k * sizeof *x);
            x[k - 1] = r;
        }
    }
    uint64_t *last = a->digits + (len - 1) * k;
    last[0] = gfp_elem_is_zero(field, last) ? 1 : last[0];
    assert_int_equal(gfp_poly_set_length(a, len), GFP_OK);
}

/* The product under shrinking caps: the same one, never more memory than the cap and just as much
 * as the query said, down to a cap that is refused. Returns how many caps were kept. */
static size_t multiply_under_caps(const gfp_field *field, meter *m, const gfp_poly *a,
                                  const gfp_poly *b)
{
    gfp_poly expected, c;
    gfp_error error = {.message = ""};
    gfp_options options = {.method = "hybrid", .error = &error};
    gfp_method_info info;
    size_t kept = 0;
    gfp_poly_init(&expected, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_mul(&expected, a, b, &options), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&c, a->len + b->len - 1), GFP_OK);
    assert_int_equal(
        gfp_method_query(&info, 5, &(gfp_problem){.len_a = a->len, .len_b = b->len}, field, NULL),
        GFP_OK);
    const size_t usual = info.workspace;
    /* Down to a 12th, then to caps that are too small for any method. */
    for (size_t cap = usual; cap > 0; cap = cap > usual / 12 ? cap - cap / 3 : 200) {
        options.memory_cap = cap;
        assert_int_equal(gfp_method_query(&info, 5,
                                          &(gfp_problem){.len_a = a->len, .len_b = b->len}, field,
                                          &options),
                         GFP_OK);
        /* The tables of its leaves stay with the field. */
        const gfp_status first = gfp_poly_mul(&c, a, b, &options);
        gfp_poly_zero(&c);
        gfp_field_release_memory(field);
        const size_t before = atomic_load(&m->bytes);
        atomic_store(&m->peak, before);
        const gfp_status status =
            a == b ? gfp_poly_sqr(&c, a, &options) : gfp_poly_mul(&c, a, b, &options);
        const size_t used = atomic_load(&m->peak) - before;
        if (!info.available) {
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_int_equal(c.len, 0);
            assert_non_null(strstr(error.message, "the cap is"));
            assert_non_null(strstr(info.reason, "the cap is"));
            break;
        }
        if (status != GFP_OK || used > cap || used > info.workspace || first != GFP_OK ||
            !gfp_poly_equal(&c, &expected)) {
            fail_msg("%s, %zu by %zu, cap %zu of %zu: %s, used %zu, announced %zu",
                     gfp_field_name(field), a->len, b->len, cap, usual, gfp_status_string(status),
                     used, info.workspace);
        }
        kept++;
    }
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
    return kept;
}

static void check_caps(const char *name, unsigned f)
{
    static const struct {
        size_t a, b; /* at k = 8, in coefficients */
    } lengths[] = {{512, 512}, {700, 650}, {1025, 300}, {40, 2000}, {1, 900}, {777, 777}};
    meter m;
    gfp_random g;
    gfp_poly a, b;
    gfp_field *field = memory_metered(name, &m);
    const unsigned k = gfp_field_k(field);
    gfp_random_seed(&g, f);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        const size_t len_a = k <= 8 ? lengths[i].a : lengths[i].a * 8 / k + 1;
        const size_t len_b = k <= 8 ? lengths[i].b : lengths[i].b * 8 / k + 1;
        memory_fill(field, &a, len_a, (unsigned)(i + f) % 5, &g);
        memory_fill(field, &b, len_b, (unsigned)(2 * i + f) % 5, &g);
        const size_t kept = multiply_under_caps(field, &m, &a, i == 5 ? &a : &b);
        assert_true(kept > (lengths[i].a < 100 || lengths[i].b < 100 || k > 64 ? 0 : 2));
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

/* At every level, since the level's engine determines the work space: k <= 8 at lower levels. */
static void products_keep_their_caps(void **state)
{
    static const char *const names[] = {"p2",   "p4",      "p8",     "p16",           "m32",
                                        "p128", "30^32+1", "2^16+1", "(2^12-2)^256+1"};
    const gfp_level best = gfp_cpu_level_get();
    (void)state;
    for (gfp_level level = GFP_LEVEL_PORTABLE; level <= best; level++) {
        const size_t count = level == best ? sizeof names / sizeof names[0] : 3;
        for (unsigned f = 0; f < count && gfp_cpu_level_force(level); f++) {
            check_caps(names[f], f);
        }
    }
}

/* A product that fits in the memory of the one before it allocates nothing. */
static void products_work_where_others_did(void **state)
{
    static const struct {
        const char *method;
        size_t a, b;
    } cases[] = {{"hybrid", 3000, 2000}, {"hybrid", 20000, 200}, {"crt", 700, 600}};
    meter m;
    gfp_random g;
    gfp_poly a, b, c;
    gfp_field *field = memory_metered("p8", &m);
    (void)state;
    gfp_random_seed(&g, 77);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const gfp_options options = {.method = cases[i].method, .verify = GFP_VERIFY_NONE};
        assert_int_equal(gfp_poly_random(&a, cases[i].a, &g), GFP_OK);
        assert_int_equal(gfp_poly_random(&b, cases[i].b, &g), GFP_OK);
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
        const size_t calls = atomic_load(&m.calls);
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
        assert_int_equal(atomic_load(&m.calls), calls);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
    expect_nothing_left(&m);
}

/* crt: the same product with every number of threads, in exactly the announced memory; with a
 * smaller cap on one thread; with a cap below the need of one thread, none. */
static void multiply_by_crt(gfp_field *field, meter *m, const gfp_poly *a, const gfp_poly *b)
{
    gfp_poly expected, c;
    gfp_error error = {.message = ""};
    gfp_options options = {.method = "crt", .verify = GFP_VERIFY_NONE, .error = &error};
    gfp_poly_init(&expected, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_mul(&expected, a, b, &options), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&c, a->len + b->len - 1), GFP_OK);
    size_t one = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
        gfp_method_info info;
        options.threads = threads;
        options.memory_cap = 0;
        assert_int_equal(gfp_method_query(&info, 6,
                                          &(gfp_problem){.len_a = a->len, .len_b = b->len}, field,
                                          &options),
                         GFP_OK);
        assert_string_equal(info.name, "crt");
        one = threads == 1 ? info.workspace : one;
        assert_true(info.workspace >= one);
        const size_t caps[] = {0, info.workspace, one, one - 1};
        for (size_t i = 0; LAB_ROW(caps, i); i++) {
            options.memory_cap = caps[i];
            gfp_poly_zero(&c);
            gfp_field_release_memory(field);
            const size_t before = atomic_load(&m->bytes);
            atomic_store(&m->peak, before);
            const gfp_status status = gfp_poly_mul(&c, a, b, &options);
            const size_t used = atomic_load(&m->peak) - before;
            if (i == 3) {
                assert_int_equal(status, GFP_ERR_MEMORY);
                assert_non_null(strstr(error.message, "the cap is"));
                assert_true(used == 0 && c.len == 0);
            } else if (status != GFP_OK || used != (i == 2 ? one : info.workspace) ||
                       !gfp_poly_equal(&c, &expected)) {
                fail_msg("%s, %zu by %zu, %u threads, cap %zu: %s, used %zu, announced %zu",
                         gfp_field_name(field), a->len, b->len, threads, caps[i],
                         gfp_status_string(status), used, info.workspace);
            }
        }
    }
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

static void products_by_crt_keep_their_caps(void **state)
{
    static const char *const names[] = {"p2", "p8", "m32", "30^32+1", "2^16+1", "(2^12-2)^256+1"};
    static const size_t lengths[][2] = {{500, 500}, {700, 65}, {33, 1}};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        meter m;
        gfp_random g;
        gfp_poly a, b;
        gfp_field *field = memory_metered(names[f], &m);
        gfp_random_seed(&g, f);
        gfp_poly_init(&a, field);
        gfp_poly_init(&b, field);
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            memory_fill(field, &a, lengths[i][0], (unsigned)(i + f) % 5, &g);
            memory_fill(field, &b, lengths[i][1], (unsigned)(2 * i + f) % 5, &g);
            multiply_by_crt(field, &m, &a, &b);
        }
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_field_destroy(field);
        expect_nothing_left(&m);
    }
}

/* The chooser takes the methods that the cap allows: at the end classical, which needs no memory.
 */
static void the_chooser_respects_caps(void **state)
{
    gfp_options options = {.memory_cap = 0};
    gfp_method_info info;
    gfp_field *field = NULL;
    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", NULL, NULL), GFP_OK);
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = 4000, .len_b = 4000}, field, &options), "hybrid");
    assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 4000, .len_b = 4000}, field, NULL),
                        "hybrid");
    options.memory_cap = 1 << 20;
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = 4000, .len_b = 4000}, field, &options), "hybrid");
    options.memory_cap = 1;
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = 4000, .len_b = 4000}, field, &options),
        "classical");
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info usual;
        assert_int_equal(
            gfp_method_query(&usual, i, &(gfp_problem){.len_a = 4000, .len_b = 4000}, field, NULL),
            GFP_OK);
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = 4000, .len_b = 4000},
                                          field, &options),
                         GFP_OK);
        assert_int_equal(info.available, strcmp(info.name, "classical") == 0);
        options.memory_cap = usual.workspace;
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = 4000, .len_b = 4000},
                                          field, &options),
                         GFP_OK);
        assert_int_equal(info.available, usual.available);
        assert_int_equal(info.workspace, usual.workspace);
        assert_true(info.estimate_ns >= usual.estimate_ns && info.estimate_ns <= usual.estimate_ns);
        options.memory_cap = 1;
    }
    assert_int_equal(gfp_method_query(&info, gfp_method_count(),
                                      &(gfp_problem){.len_a = 4, .len_b = 4}, field, NULL),
                     GFP_ERR_ARGUMENT);
    /* The pick refuses rather than take a very slow method, and names that method; by name the
     * method computes the product. */
    gfp_error error = {.status = GFP_OK};
    gfp_random g;
    gfp_poly a, c;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, 4000, &g), GFP_OK);
    options.error = &error;
    assert_int_equal(gfp_poly_mul(&c, &a, &a, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "hybrid"));
    assert_true(gfp_poly_is_zero(&c));
    assert_int_equal(gfp_poly_truncate(&a, &a, 200), GFP_OK);
    assert_int_equal(gfp_poly_mul(&c, &a, &a, &options), GFP_OK);
    gfp_poly_clear(&c);
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
}

static bool stop_late(void *user, double fraction)
{
    double *last = user;
    if (!(fraction >= *last && fraction <= 1)) {
        *last = 2; /* no fraction is larger: the test fails */
    } else {
        *last = fraction;
    }
    return fraction < 0.7;
}

static void a_product_under_a_cap_can_be_cancelled(void **state)
{
    double last = 0;
    gfp_random g;
    gfp_poly a, c;
    gfp_field *field = NULL;
    const gfp_progress progress = {stop_late, &last};
    gfp_options options = {.method = "hybrid", .progress = &progress};
    (void)state;
    gfp_random_seed(&g, 1);
    assert_int_equal(gfp_field_create(&field, "p8", NULL, NULL), GFP_OK);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, 8000, &g), GFP_OK);
    options.memory_cap = 1 << 20;
    assert_int_equal(gfp_poly_mul(&c, &a, &a, &options), GFP_ERR_CANCELLED);
    assert_int_equal(c.len, 0);
    assert_true(last >= 0.7 && last <= 1);
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
}

/* ---- page faults ---- */

static long memory_faults(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* Minor faults of count products of the same length into the same polynomial, after three others.
 */
static long faults_of_products(const char *name, const char *method, size_t len, int count)
{
    gfp_field *field = NULL;
    gfp_poly a, b, c;
    gfp_random g;
    const gfp_options options = {.method = method, .verify = GFP_VERIFY_NONE};
    long before = 0;
    gfp_random_seed(&g, 7);
    assert_int_equal(gfp_field_create(&field, name, NULL, NULL), GFP_OK);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, len, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, len, &g), GFP_OK);
    for (int i = -3; i < count; i++) {
        before = i == 0 ? memory_faults() : before;
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    }
    const long found = memory_faults() - before;
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
    return found;
}

/* Slow methods at shorter lengths and fewer times: a fresh work area or result would cost at least
 * a fault for each 4 KiB. */
static void a_run_of_products_touches_no_fresh_page(void **state)
{
    static const struct {
        const char *name, *method;
        size_t len;
        int count;
    } cases[] = {{"p8", "hybrid", 1 << 14, 20},    {"p32", "hybrid", 1 << 14, 20},
                 {"p8", "auto", 1 << 14, 20},      {"p32", "auto", 1 << 14, 20},
                 {"p8", "karatsuba", 1 << 11, 5},  {"p32", "karatsuba", 1 << 9, 5},
                 {"p8", "bigfft", 1 << 12, 10},    {"p32", "bigfft", 1 << 10, 5},
                 {"p8", "classical", 1 << 10, 20}, {"p32", "classical", 1 << 7, 20},
                 {"p8", "crt", 1 << 12, 10},       {"p32", "crt", 1 << 10, 5}};
    (void)state;
    if (SANITIZED) {
        skip(); /* their allocators map and return memory as they like */
    }
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const long found =
            faults_of_products(cases[i].name, cases[i].method, cases[i].len, cases[i].count);
        if (found > 20) {
            fail_msg("%s, %s, %zu: %ld page faults in %d products", cases[i].name, cases[i].method,
                     cases[i].len, found, cases[i].count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_grow_in_steps),
        cmocka_unit_test(areas_are_taken_again),
        cmocka_unit_test(no_more_is_kept_than_the_limit),
        cmocka_unit_test(large_areas_lie_on_huge_pages),
        cmocka_unit_test(threads_share_the_areas),
        cmocka_unit_test(threads_keep_to_the_limit),
        cmocka_unit_test(products_in_threads),
        cmocka_unit_test(products_keep_their_caps),
        cmocka_unit_test(products_work_where_others_did),
        cmocka_unit_test(products_by_crt_keep_their_caps),
        cmocka_unit_test(the_chooser_respects_caps),
        cmocka_unit_test(a_product_under_a_cap_can_be_cancelled),
        cmocka_unit_test(a_run_of_products_touches_no_fresh_page),
    };
    if (THREAD_SANITIZED) {
        cmocka_set_test_filter("*thread*");
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
