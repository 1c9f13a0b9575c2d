/* fixtures.c: fixtures and comparisons shared by the tests of fields, elements and transforms; see
 * fixtures.h. Nothing here computes in Z/pZ: that is the oracle's part.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "lab/sanitized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GUARD UINT64_C(0xfeedfacecafebeef)
/* Words before the array: the length, guards, up to 8 bytes past a multiple of 64. */
#define HEAD 9
#define TAIL 4

lab lab_fields[ORACLE_ALL];

gfp_field *lab_create(const char *text)
{
    gfp_field *field = NULL;
    gfp_error error = {0};
    if (gfp_field_create(&field, text, NULL, &error) != GFP_OK) {
        fail_msg("field %s: %s: %s", text, gfp_status_string(error.status), error.message);
    }
    return field;
}

static void lab_open(lab *l, const oracle_field *entry)
{
    uint64_t state = 20171;
    l->entry = entry;
    l->k = entry->k;
    l->field = lab_create(entry->text);
    oracle_init(&l->o, entry->r, entry->k);
    l->samples = lab_array((ORACLE_MAX_EXTREMES + LAB_RANDOM) * (size_t)l->k);
    l->extremes = oracle_extremes(&l->o, l->samples);
    l->count = l->extremes + LAB_RANDOM;
    for (size_t i = l->extremes; i < l->count; i++) {
        oracle_random_element(&l->o, l->samples + i * l->k, &state);
    }
    l->values = oracle_vec_new(l->count);
    oracle_vec_get(&l->o, l->values, l->samples, l->count);
}

bool lab_is_short(void)
{
    return SANITIZED || getenv("GFPOLY_TEST_SHORT") != NULL;
}

/* oracle_field_count := n, or less by the environment. */
static void limit_fields(size_t n)
{
    if (getenv("GFPOLY_TEST_LONG") != NULL) {
        n = ORACLE_FIELDS;
    }
    if (n > ORACLE_SHORT && lab_is_short()) {
        n = ORACLE_SHORT;
    }
    oracle_field_count = n;
}

int lab_setup_count(void **state)
{
    (void)state;
    limit_fields(ORACLE_FIELDS);
    return 0;
}

/* Opens the first n fields, or less by the environment. */
static int open_fields(size_t n)
{
    limit_fields(n);
    for (size_t i = 0; i < oracle_field_count; i++) {
        (void)lab_named(oracle_fields[i].text);
    }
    return 0;
}

int lab_setup_all(void **state)
{
    (void)state;
    return open_fields(ORACLE_FIELDS);
}

int lab_setup(void **state)
{
    (void)state;
    return open_fields(ORACLE_USUAL);
}

int lab_setup_toolkit(void **state)
{
    (void)state;
    return open_fields(lab_is_short() ? ORACLE_TOOLKIT : ORACLE_SHORT);
}

int lab_teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < ORACLE_ALL; i++) {
        lab *l = &lab_fields[i];
        if (l->field == NULL) {
            continue;
        }
        oracle_vec_free(l->values, l->count);
        lab_free(l->samples);
        oracle_clear(&l->o);
        gfp_field_destroy(l->field);
        *l = (lab){0};
    }
    return 0;
}

bool lab_field_row(size_t f)
{
    if (!lab_row("lab_fields", f, oracle_field_count)) {
        return false;
    }
    lab_row_name(oracle_fields[f].text);
    return true;
}

void lab_for_each(void (*check)(const lab *l))
{
    for (size_t f = 0; lab_field_row(f); f++) {
        check(&lab_fields[f]);
    }
}

const lab *lab_named(const char *text)
{
    for (size_t i = 0; i < ORACLE_ALL; i++) {
        if (strcmp(oracle_fields[i].text, text) == 0) {
            if (lab_fields[i].field == NULL) { /* not opened by lab_setup */
                lab_open(&lab_fields[i], &oracle_fields[i]);
            }
            return &lab_fields[i];
        }
    }
    fail_msg("no test field is called %s", text);
    return NULL;
}

const uint64_t *lab_sample(const lab *l, size_t i)
{
    return l->samples + (i % l->count) * l->k;
}

uint64_t *lab_array(size_t words)
{
    size_t total = (words + HEAD + TAIL + 7) / 8 * 8;
    uint64_t *block = aligned_alloc(64, total * sizeof *block);
    if (block == NULL) {
        fail_msg("no memory for %zu words", total);
        abort();
    }
    for (size_t i = 0; i < total; i++) {
        block[i] = GUARD;
    }
    block[0] = words;
    return block + HEAD;
}

uint64_t *lab_vector(const lab *l, size_t n, size_t first)
{
    uint64_t *x = lab_array(n * l->k);
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * l->k, lab_sample(l, first + i), l->k * sizeof *x);
    }
    return x;
}

void lab_free(uint64_t *array)
{
    uint64_t *block = array - HEAD;
    size_t words = (size_t)block[0];
    for (size_t i = 1; i < HEAD; i++) {
        assert_true(block[i] == GUARD);
    }
    for (size_t i = 0; i < TAIL; i++) {
        assert_true(array[words + i] == GUARD);
    }
    free(block);
}

void lab_expect(const lab *l, const uint64_t *x, const mpz_t expected, const char *what, size_t i,
                size_t j)
{
    mpz_t z;
    bool equal;
    mpz_init(z);
    oracle_get(&l->o, z, x);
    equal = mpz_cmp(z, expected) == 0;
    mpz_clear(z);
    if (!oracle_is_canonical(&l->o, x)) {
        fail_msg("%s: %s (%zu, %zu): not canonical", l->entry->text, what, i, j);
    }
    if (!equal) {
        fail_msg("%s: %s (%zu, %zu): wrong value", l->entry->text, what, i, j);
    }
}

void lab_expect_digits(const lab *l, const uint64_t *x, const uint64_t *expected, size_t n,
                       const char *what, size_t i, size_t j)
{
    for (size_t e = 0; e < n; e++) {
        if (memcmp(x + e * l->k, expected + e * l->k, l->k * sizeof *x) != 0) {
            fail_msg("%s: %s (%zu, %zu): element %zu differs", l->entry->text, what, i, j, e);
        }
    }
}

void lab_expect_status(gfp_status status, gfp_status expected, const gfp_error *error,
                       const char *what)
{
    if (status != expected) {
        fail_msg("%s: got \"%s\" instead of \"%s\"%s%s", what, gfp_status_string(status),
                 gfp_status_string(expected), error != NULL ? ": " : "",
                 error != NULL && status != GFP_OK ? error->message : "");
    }
    if (error != NULL && status != GFP_OK) {
        assert_int_equal(error->status, status);
        assert_true(error->message[0] != '\0');
        assert_non_null(memchr(error->message, '\0', sizeof error->message));
        assert_null(strchr(error->message, '\n'));
    }
}

gfp_status lab_file_mul(const char *path, const gfp_file *a, const gfp_file *b,
                        const gfp_options *options)
{
    gfp_error *error = options != NULL ? options->error : NULL;
    gfp_file *c = NULL;
    size_t length = 0;
    assert_int_equal(gfp_file_product_length(&length, a, b), GFP_OK);
    gfp_status status = gfp_file_create(&c, path, gfp_file_get_info(a).field, length, error);
    if (status == GFP_OK) {
        status = gfp_file_mul(c, a, b, options);
    }
    if (status == GFP_OK) {
        status = gfp_file_commit(c, error);
    }
    const int number = errno;
    gfp_file_close(c);
    errno = number;
    return status;
}
