/* open.c: binary files: the format byte by byte against a second description, checksums,
 * damage at every place, files that are committed or not.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "poly/files/lab.h"
#include "lab/meter.h"
#include "lab/rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HEAD 4096
#define VERSIONS 2
#define MERSENNE ((UINT64_C(1) << 61) - 1)

static uint64_t open_get(const unsigned char *bytes, size_t at, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;) {
        value = value * 256 + bytes[at + i];
    }
    return value;
}

static void open_put(unsigned char *bytes, size_t at, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++, value /= 256) {
        bytes[at + i] = (unsigned char)(value % 256);
    }
}

/* The checksum of version 1 as gfpoly/file.h defines it: word by word, over GMP. */
static uint64_t old_checksum(const unsigned char *bytes, size_t n)
{
    mpz_t c, g, q;
    uint64_t value;
    mpz_inits(c, g, q, NULL);
    oracle_set_u64(q, MERSENNE);
    oracle_set_u64(g, UINT64_C(1234567890123456793));
    mpz_set_ui(c, 1);
    for (size_t i = 0; i < n; i += 4) {
        mpz_mul(c, c, g);
        mpz_add_ui(c, c, (unsigned long)open_get(bytes, i, 4));
        mpz_mod(c, c, q);
    }
    oracle_get_words(&value, 1, c);
    mpz_clears(c, g, q, NULL);
    return value;
}

/* The eight bytes of a checksum: of version 1 little-endian, from then on big-endian. */
static void put_checksum(unsigned char to[8], unsigned version, const unsigned char *bytes,
                         size_t n)
{
    uint64_t value = version == 1 ? old_checksum(bytes, n) : XXH3_64bits(bytes, n);
    for (size_t i = 0; i < 8; i++, value /= 256) {
        to[version == 1 ? i : 7 - i] = (unsigned char)(value % 256);
    }
}

/* Corrects the checksums of a file, by the rules of that version. */
static void seal_as(unsigned char *bytes, size_t size, unsigned version)
{
    put_checksum(bytes + 56, version, bytes + HEAD, size - HEAD);
    put_checksum(bytes + 72, version, bytes, 72);
}

static void open_seal(unsigned char *bytes, size_t size)
{
    seal_as(bytes, size, (unsigned)open_get(bytes, 8, 4));
}

/* ---- the format ---- */

static void expect_documented_bytes(const lab *l, const gfp_poly *a, const char *path)
{
    static const unsigned char magic[] = {0x89, 'G', 'F', 'P', 13, 10, 26, 10};
    size_t size;
    unsigned char sum[8], *bytes = lab_slurp(path, &size);
    assert_int_equal(size, HEAD + 8 * l->k * a->len);
    assert_memory_equal(bytes, magic, 8);
    assert_int_equal(open_get(bytes, 8, 4), 2);
    assert_int_equal(open_get(bytes, 12, 4), 80);
    assert_int_equal(open_get(bytes, 16, 8), l->o.r);
    assert_int_equal(open_get(bytes, 24, 4), l->k);
    assert_int_equal(open_get(bytes, 28, 4), 1);
    assert_int_equal(open_get(bytes, 32, 8), a->len);
    assert_int_equal(open_get(bytes, 40, 8), HEAD);
    assert_int_equal(open_get(bytes, 48, 8), 8 * l->k * a->len);
    put_checksum(sum, 2, bytes + HEAD, size - HEAD);
    assert_memory_equal(bytes + 56, sum, 8);
    assert_int_equal(open_get(bytes, 64, 8), 0);
    put_checksum(sum, 2, bytes, 72);
    assert_memory_equal(bytes + 72, sum, 8);
    for (size_t i = 80; i < HEAD; i++) {
        assert_int_equal(bytes[i], 0);
    }
    for (size_t i = 0; i < l->k * a->len; i++) {
        assert_int_equal(open_get(bytes, HEAD + 8 * i, 8), a->digits[i]);
    }
    free(bytes);
}

/* Through a stream: the same bytes, the same polynomial. */
static void expect_stream(const lab *l, const gfp_poly *a, const char *path)
{
    size_t size, streamed_size, stored = 99;
    gfp_poly b;
    gfp_field *field = NULL;
    FILE *stream = fopen("stream", "w+b");
    assert_non_null(stream);
    assert_int_equal(gfp_poly_fwrite(a, stream, GFP_FORMAT_BINARY), GFP_OK);
    rewind(stream);
    assert_int_equal(gfp_poly_fread_field(&b, &field, &stored, stream, NULL, NULL), GFP_OK);
    assert_true(gfp_field_same(field, l->field));
    assert_true(gfp_poly_equal(&b, a));
    assert_int_equal(stored, a->len);
    gfp_poly_clear(&b);
    gfp_field_destroy(field);
    rewind(stream);
    gfp_poly_init(&b, l->field);
    assert_int_equal(gfp_poly_fread(&b, &stored, stream, GFP_FORMAT_BINARY, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&b, a));
    gfp_poly_clear(&b);
    fclose(stream);
    unsigned char *bytes = lab_slurp(path, &size), *streamed = lab_slurp("stream", &streamed_size);
    assert_int_equal(size, streamed_size);
    assert_memory_equal(bytes, streamed, size);
    free(bytes);
    free(streamed);
}

static void expect_open(const lab *l, const gfp_poly *a, const char *path)
{
    gfp_error error = {.message = ""};
    gfp_file *file = NULL;
    if (gfp_file_open(&file, path, NULL, NULL, &error) != GFP_OK) {
        fail_msg("%s: %s", l->entry->text, error.message);
    }
    assert_true(gfp_field_same(gfp_file_get_info(file).field, l->field));
    assert_int_equal(gfp_file_get_info(file).length, a->len);
    assert_null(gfp_file_digits_mutable(file));
    assert_null(gfp_file_get_info(file).temporary);
    if (a->len > 0) {
        assert_memory_equal(gfp_file_get_info(file).digits, a->digits, 8 * l->k * a->len);
    }
    assert_int_equal(gfp_file_commit(file, NULL), GFP_ERR_ARGUMENT);
    gfp_file_close(file);
}

static void test_files_are_as_documented_and_come_back(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 33, 300};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            gfp_poly a, b;
            gfp_poly_init(&a, l->field);
            gfp_poly_init(&b, l->field);
            lab_fill(l, &a, lengths[i], f + i);
            lab_store(&a, "a");
            assert_int_equal(gfp_poly_load(&b, "a", NULL), GFP_OK);
            assert_true(gfp_poly_equal(&a, &b));
            expect_documented_bytes(l, &a, "a");
            if (i == 3 || l->k < 32) { /* these prove the prime again */
                expect_stream(l, &a, "a");
                expect_open(l, &a, "a");
            }
            gfp_poly_clear(&a);
            gfp_poly_clear(&b);
        }
    }
    assert_int_equal(count_files(".gfpoly-"), 0);
}

static void test_leading_zeros_are_kept_in_files_and_dropped_from_polynomials(void **state)
{
    const lab *l = lab_named("p4");
    uint64_t x[5 * 4] = {7, 0, 0, 0, 9};
    size_t stored = 0;
    gfp_poly a;
    (void)state;
    FILE *stream = fopen("zeros", "w+b");
    assert_non_null(stream);
    assert_int_equal(gfp_vec_fwrite(l->field, x, 5, stream, GFP_FORMAT_BINARY), GFP_OK);
    rewind(stream);
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_fread(&a, &stored, stream, GFP_FORMAT_BINARY, NULL), GFP_OK);
    fclose(stream);
    assert_int_equal(stored, 5);
    assert_int_equal(a.len, 2);
    gfp_poly_zero(&a);
    assert_int_equal(gfp_poly_load(&a, "zeros", NULL), GFP_OK);
    assert_int_equal(a.len, 2);
    gfp_poly_clear(&a);
}

/* ---- checksums computed by other programs ---- */

/* 5 + 1844674407370955161511 x + 7 x^3 over p2, as versions 1 and 2 of the format have it. The
 * checksums of version 1 are those that its writer wrote, those of version 2 what xxhsum -H3 prints
 * of the same bytes. */
static const unsigned char known_file[VERSIONS][80] = {
    {0x89, 'G', 'F', 'P', '\r', '\n', 0x1a, '\n', 1,    0,    0,    0,    80,   0,    0,    0,
     0,    0,   0,   0,   0,    0,    0x20, 0x80, 2,    0,    0,    0,    1,    0,    0,    0,
     4,    0,   0,   0,   0,    0,    0,    0,    0,    0x10, 0,    0,    0,    0,    0,    0,
     64,   0,   0,   0,   0,    0,    0,    0,    0x1d, 0x7d, 0x11, 0x29, 0xe8, 0xde, 0x7c, 0x0a,
     0,    0,   0,   0,   0,    0,    0,    0,    0x9d, 0x0f, 0x7f, 0x2e, 0x65, 0xe6, 0xda, 0},
    {0x89, 'G', 'F', 'P', '\r', '\n', 0x1a, '\n', 2,    0,    0,    0,    80,   0,    0,    0,
     0,    0,   0,   0,   0,    0,    0x20, 0x80, 2,    0,    0,    0,    1,    0,    0,    0,
     4,    0,   0,   0,   0,    0,    0,    0,    0,    0x10, 0,    0,    0,    0,    0,    0,
     64,   0,   0,   0,   0,    0,    0,    0,    0xc2, 0x30, 0xbc, 0x9b, 0xaa, 0xdf, 0xae, 0xa0,
     0,    0,   0,   0,   0,    0,    0,    0,    0x9d, 0x34, 0xa3, 0x4c, 0xd3, 0x8e, 0xe2, 0x3b}};
static const uint64_t known_digits[8] = {5, 0, UINT64_C(0x671fffffffffffa7), 0xc7, 0, 0, 7, 0};

static void test_files_of_both_versions_have_the_checksums_that_others_computed(void **state)
{
    static const char text[] = "[5 1844674407370955161511 0 7]";
    const lab *l = lab_named("p2");
    gfp_poly a, b;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    assert_int_equal(gfp_poly_from_string(&a, text, strlen(text), GFP_FORMAT_NTL, NULL), GFP_OK);
    for (unsigned version = 1; version <= VERSIONS; version++) {
        unsigned char bytes[HEAD + sizeof known_digits] = {0};
        size_t size;
        memcpy(bytes, known_file[version - 1], 80);
        memcpy(bytes + HEAD, known_digits, sizeof known_digits);
        put_bytes("known", bytes, sizeof bytes);
        assert_int_equal(gfp_poly_load(&b, "known", NULL), GFP_OK);
        assert_true(gfp_poly_equal(&a, &b));
        gfp_poly_zero(&b);
        FILE *stream = fopen("known", "rb");
        assert_non_null(stream);
        assert_int_equal(gfp_poly_fread(&b, NULL, stream, GFP_FORMAT_BINARY, NULL), GFP_OK);
        fclose(stream);
        assert_true(gfp_poly_equal(&a, &b));
        lab_store(&b, "again"); /* by the newest version, whichever the file had */
        unsigned char *stored = lab_slurp("again", &size);
        assert_int_equal(size, sizeof bytes);
        assert_memory_equal(stored, known_file[VERSIONS - 1], 80);
        free(stored);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

/* Payloads 1, 2, 3, ... of each way that XXH3 goes by lengths, and of blocks that come one by one;
 * what xxhsum -H3 prints of them. */
static void test_payloads_of_every_length_have_the_checksum_of_xxhsum(void **state)
{
    static const struct {
        size_t coefficients;
        uint64_t checksum;
    } known[] = {{0, UINT64_C(0x2d06800538d394c2)},    {1, UINT64_C(0x07ee86c281446bef)},
                 {2, UINT64_C(0x53e911333a923397)},    {8, UINT64_C(0xfda8cf6f2f4775e1)},
                 {9, UINT64_C(0x0dd723393cc00082)},    {15, UINT64_C(0x5175f15fef38f7b1)},
                 {16, UINT64_C(0xd600d09e20299d86)},   {64, UINT64_C(0xd51bb64fc9557ec8)},
                 {65, UINT64_C(0xd5d5bf00168fb725)},   {150, UINT64_C(0xa58a2c5cebfb7709)},
                 {8192, UINT64_C(0xa21663d2f0db9f8f)}, {8193, UINT64_C(0xa0840ddcccbbbd3c)},
                 {20000, UINT64_C(0xf227e20862bc6b2c)}};
    const lab *l = lab_named("p2");
    (void)state;
    for (size_t i = 0; LAB_ROW(known, i); i++) {
        const size_t n = known[i].coefficients;
        uint64_t stored = 0;
        size_t size;
        gfp_poly a;
        gfp_poly_init(&a, l->field);
        assert_int_equal(gfp_poly_fit_length(&a, n), GFP_OK);
        for (size_t j = 0; j < 2 * n; j++) {
            a.digits[j] = j + 1;
        }
        assert_int_equal(gfp_poly_set_length(&a, n), GFP_OK);
        lab_store(&a, "a");
        expect_stream(l, &a, "a");
        unsigned char *bytes = lab_slurp("a", &size);
        for (size_t j = 56; j < 64; j++) {
            stored = stored * 256 + bytes[j];
        }
        if (stored != known[i].checksum) {
            fail_msg("%zu coefficients: %016llx", n, (unsigned long long)stored);
        }
        free(bytes);
        gfp_poly_clear(&a);
    }
}

/* ---- damage ---- */

/* Expects that the bytes are refused by both readers, which leave what they have alone. Returns the
 * status of the first. */
static gfp_status expect_refused(const lab *l, const unsigned char *bytes, size_t n,
                                 const char *what, size_t place)
{
    gfp_poly a;
    gfp_error error = {.message = ""};
    put_bytes("damaged", bytes, n);
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_one(&a), GFP_OK);
    const gfp_status status = gfp_poly_load(&a, "damaged", &error);
    FILE *stream = fopen("damaged", "rb");
    assert_non_null(stream);
    const gfp_status streamed = gfp_poly_fread(&a, NULL, stream, GFP_FORMAT_BINARY, &error);
    fclose(stream);
    if (status == GFP_OK || streamed == GFP_OK || !gfp_poly_is_one(&a)) {
        fail_msg("%s %zu: accepted (%d, %d)", what, place, (int)status, (int)streamed);
    }
    assert_int_equal(error.status, streamed);
    assert_non_null(strstr(error.message, "byte "));
    gfp_poly_clear(&a);
    return status;
}

/* A file of n coefficients, to be freed. */
static unsigned char *sample_file(const lab *l, size_t n, unsigned version, size_t *size)
{
    gfp_poly a;
    gfp_poly_init(&a, l->field);
    lab_fill(l, &a, n, 5);
    lab_store(&a, "sample");
    gfp_poly_clear(&a);
    unsigned char *bytes = lab_slurp("sample", size);
    open_put(bytes, 8, 4, version);
    open_seal(bytes, *size);
    return bytes;
}

static void expect_changed_bits_noticed(unsigned version)
{
    const lab *l = lab_named("p2");
    size_t size;
    /* Blocks of version 1's checksum: 4 and a part; of XXH3's: 2 and a part. */
    unsigned char *bytes = sample_file(l, 150, version, &size);
    for (size_t i = 0; i < size; i++) {
        const bool field = i < 80;
        for (unsigned bit = field ? 0 : (unsigned)(i % 8); bit < (field ? 8 : i % 8 + 1); bit++) {
            bytes[i] ^= (unsigned char)(1U << bit);
            expect_refused(l, bytes, size, "bit changed in byte", i);
            bytes[i] ^= (unsigned char)(1U << bit);
        }
    }
    free(bytes);
}

static void test_a_changed_bit_anywhere_is_noticed(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        expect_changed_bits_noticed(version);
    }
}

static void test_files_cut_off_or_too_long_are_noticed(void **state)
{
    const lab *l = lab_named("p2");
    size_t size;
    unsigned char *bytes = sample_file(l, 20, 2, &size);
    (void)state;
    for (size_t n = 0; n < size; n += n < 100 || n + 400 > size ? 1 : 97) {
        assert_int_equal(expect_refused(l, bytes, n, "cut off at", n), GFP_ERR_PARSE);
    }
    bytes = realloc(bytes, size + 1);
    assert_non_null(bytes);
    bytes[size] = 0;
    assert_int_equal(expect_refused(l, bytes, size + 1, "too long by", 1), GFP_ERR_PARSE);
    free(bytes);
}

/* Coefficients exchanged: every digit is legal, only the checksum tells. */
static void expect_exchanges_noticed(unsigned version)
{
    const lab *l = lab_named("p2");
    size_t size;
    unsigned char *bytes = sample_file(l, 150, version, &size);
    unsigned char held[16];
    for (size_t i = 1; i < 150; i++) {
        unsigned char *x = bytes + HEAD, *y = x + 16 * i;
        if (memcmp(x, y, 16) != 0) {
            memcpy(held, x, 16);
            memcpy(x, y, 16);
            memcpy(y, held, 16);
            assert_int_equal(expect_refused(l, bytes, size, "exchanged with", i), GFP_ERR_PARSE);
            memcpy(y, x, 16);
            memcpy(x, held, 16);
        }
    }
    free(bytes);
}

static void test_exchanged_coefficients_are_noticed(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        expect_exchanges_noticed(version);
    }
}

/* The message names the checksum, its bytes, the value found and the value expected. */
static void test_a_wrong_checksum_is_reported_with_both_values(void **state)
{
    const lab *l = lab_named("p2");
    (void)state;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        for (size_t at = 0; at <= HEAD; at += HEAD) {
            const size_t place = at == 0 ? 72 : 56;
            char right[17], wrong[17];
            gfp_error error = {.message = ""};
            gfp_poly a;
            size_t size;
            unsigned char *bytes = sample_file(l, 20, version, &size), sum[8];
            bytes[at == 0 ? 16 : HEAD + 16] ^= 1;
            put_checksum(sum, version, bytes + at, at == 0 ? 72 : size - HEAD);
            for (size_t i = 0; i < 8; i++) {
                const size_t j = version == 1 ? 7 - i : i;
                snprintf(right + 2 * i, 3, "%02x", sum[j]);
                snprintf(wrong + 2 * i, 3, "%02x", bytes[place + j]);
            }
            put_bytes("damaged", bytes, size);
            gfp_poly_init(&a, l->field);
            assert_int_equal(gfp_poly_load(&a, "damaged", &error), GFP_ERR_PARSE);
            assert_int_equal(error.offset, place);
            assert_non_null(strstr(error.message, at == 0 ? "header" : "payload"));
            assert_non_null(strstr(error.message, at == 0 ? "bytes 0 to 71" : "byte 4096"));
            assert_non_null(strstr(error.message, version == 1 ? "version 1" : "XXH3"));
            assert_non_null(strstr(error.message, right));
            assert_non_null(strstr(error.message, wrong));
            free(bytes);
        }
    }
}

/* Each version's checksums are those of that version alone. */
static void test_checksums_of_another_version_are_refused(void **state)
{
    const lab *l = lab_named("p2");
    size_t size;
    (void)state;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        unsigned char *bytes = sample_file(l, 20, version, &size);
        seal_as(bytes, size, VERSIONS + 1 - version);
        assert_int_equal(expect_refused(l, bytes, size, "other checksums, version", version),
                         GFP_ERR_PARSE);
        free(bytes);
    }
}

/* Right checksums over wrong contents. */
static void expect_sealed(const lab *l, unsigned char *bytes, size_t size, size_t at, size_t n,
                          uint64_t value, gfp_status expected)
{
    const uint64_t kept = open_get(bytes, at, n);
    open_put(bytes, at, n, value);
    open_seal(bytes, size);
    const gfp_status status = expect_refused(l, bytes, size, "sealed, changed at", at);
    if (status != expected) {
        fail_msg("byte %zu := %llu: status %d, expected %d", at, (unsigned long long)value,
                 (int)status, (int)expected);
    }
    open_put(bytes, at, n, kept);
}

static void expect_contents_checked(unsigned version)
{
    const lab *l = lab_named("p2");
    size_t size;
    unsigned char *bytes = sample_file(l, 20, version, &size);
    gfp_file *file = NULL;
    expect_sealed(l, bytes, size, 0, 1, 0x88, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 8, 4, 0, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 8, 4, VERSIONS + 1, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 8, 4, 0x100 + version, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 12, 4, 88, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 16, 8, l->o.r - 2, GFP_ERR_FIELD_MISMATCH);
    expect_sealed(l, bytes, size, 16, 8, l->o.r + 1, GFP_ERR_MODULUS);
    expect_sealed(l, bytes, size, 16, 8, 0, GFP_ERR_MODULUS);
    expect_sealed(l, bytes, size, 24, 4, 3, GFP_ERR_MODULUS);
    expect_sealed(l, bytes, size, 24, 4, 512, GFP_ERR_MODULUS);
    expect_sealed(l, bytes, size, 24, 4, 4, GFP_ERR_PARSE); /* the payload's size */
    expect_sealed(l, bytes, size, 28, 4, 2, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 32, 8, 21, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 32, 8, UINT64_MAX, GFP_ERR_SIZE);
    expect_sealed(l, bytes, size, 32, 8, UINT64_C(1) << 60, GFP_ERR_SIZE);
    expect_sealed(l, bytes, size, 40, 8, 80, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 48, 8, 304, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, 64, 8, 1, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, HEAD - 1, 1, 1, GFP_ERR_PARSE);
    expect_sealed(l, bytes, size, HEAD + 16, 8, l->o.r, GFP_ERR_RANGE);
    expect_sealed(l, bytes, size, HEAD + 16, 8, UINT64_MAX, GFP_ERR_RANGE);
    expect_sealed(l, bytes, size, size - 8, 8, l->o.r + 1, GFP_ERR_RANGE);
    open_put(bytes, 16, 8, 30); /* 30^2 + 1 = 17 * 53 */
    open_seal(bytes, size);
    put_bytes("damaged", bytes, size);
    assert_int_equal(gfp_file_open(&file, "damaged", NULL, NULL, NULL), GFP_ERR_COMPOSITE);
    assert_null(file);
    free(bytes);
}

static void test_contents_are_checked_beyond_checksums(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        expect_contents_checked(version);
    }
}

static void test_a_header_that_claims_much_costs_no_memory(void **state)
{
    const lab *l = lab_named("p2");
    gfp_poly a;
    gfp_error error = {.message = ""};
    size_t size;
    unsigned char *bytes = sample_file(l, 1, 2, &size);
    (void)state;
    open_put(bytes, 32, 8, UINT64_C(1) << 50);
    open_put(bytes, 48, 8, UINT64_C(1) << 54);
    put_checksum(bytes + 72, 2, bytes, 72);
    put_bytes("damaged", bytes, size);
    FILE *stream = fopen("damaged", "rb");
    assert_non_null(stream);
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_fread(&a, NULL, stream, GFP_FORMAT_BINARY, &error), GFP_ERR_PARSE);
    assert_non_null(strstr(error.message, "cut off"));
    assert_int_equal(error.offset, size);
    fclose(stream);
    free(bytes);
}

static void test_strings_hold_no_binary_format(void **state)
{
    const lab *l = lab_named("p2");
    char *text = NULL;
    size_t size;
    gfp_poly a;
    (void)state;
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_to_string(&text, &size, &a, GFP_FORMAT_BINARY), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_from_string(&a, "", 0, GFP_FORMAT_BINARY, NULL), GFP_ERR_ARGUMENT);
}

/* ---- files that are not committed yet ---- */

/* Replaces the system's function. If this function denies the folder of descriptors, files without
 * a name cannot get one, and are made under another name, as on other systems. */
static bool without_descriptors;

int access(const char *path, int mode)
{
    if (without_descriptors && strncmp(path, "/proc/self/fd/", 14) == 0) {
        errno = ENOENT;
        return -1;
    }
    return faccessat(AT_FDCWD, path, mode, 0);
}

static void expect_only_committed(void)
{
    const lab *l = lab_named("p8");
    gfp_file *file = NULL;
    gfp_error error = {.message = ""};
    struct stat status;
    put_bytes("old", (const unsigned char *)"old\n", 4);
    assert_int_equal(chmod("old", 0640), 0);
    assert_int_equal(gfp_file_create(&file, "old", l->field, 10, &error), GFP_OK);
    /* Without a name where the file system can do that. */
    assert_int_equal(count_files(".gfpoly-"), gfp_file_get_info(file).temporary != NULL);
    if (gfp_file_get_info(file).temporary != NULL) {
        assert_int_equal(access(gfp_file_get_info(file).temporary, F_OK), 0);
    }
    expect_old("old");
    gfp_file_close(file);
    assert_int_equal(count_files(".gfpoly-"), 0);
    expect_old("old");

    assert_int_equal(gfp_file_create(&file, "old", l->field, 10, &error), GFP_OK);
    gfp_file_digits_mutable(file)[8 * 4] = l->o.r; /* neither a digit nor the special element */
    assert_int_equal(gfp_file_commit(file, &error), GFP_ERR_RANGE);
    assert_int_equal(error.index, 4);
    expect_old("old");
    gfp_file_digits_mutable(file)[8 * 4] = l->o.r - 1;
    assert_int_equal(gfp_file_commit(file, &error), GFP_OK);
    assert_int_equal(count_files(".gfpoly-"), 0);
    assert_int_equal(gfp_file_get_info(file).digits[8 * 4], l->o.r - 1);
    gfp_file_close(file);
    assert_int_equal(stat("old", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(status.st_size, HEAD + 640);

    /* A new file has the umask's mode, and replaces a file that was made meanwhile. */
    const mode_t before = umask(027);
    assert_int_equal(gfp_file_create(&file, "new", l->field, 10, &error), GFP_OK);
    (void)umask(before);
    assert_true(!without_descriptors || gfp_file_get_info(file).temporary != NULL);
    put_bytes("new", (const unsigned char *)"old\n", 4);
    assert_int_equal(gfp_file_commit(file, &error), GFP_OK);
    assert_null(gfp_file_get_info(file).temporary);
    gfp_file_close(file);
    assert_int_equal(count_files(".gfpoly-"), 0);
    assert_int_equal(stat("new", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(status.st_size, HEAD + 640);
    assert_int_equal(unlink("new"), 0);
}

static void test_a_file_appears_only_when_committed(void **state)
{
    (void)state;
    expect_only_committed();
    without_descriptors = true;
    expect_only_committed();
    without_descriptors = false;
}

static void test_links_are_followed_and_other_things_refused(void **state)
{
    const lab *l = lab_named("p2");
    gfp_poly a;
    gfp_file *file = NULL;
    struct stat status;
    (void)state;
    gfp_poly_init(&a, l->field);
    put_bytes("target", (const unsigned char *)"old\n", 4);
    assert_int_equal(symlink("target", "link"), 0);
    lab_store(&a, "link");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(gfp_poly_load(&a, "target", NULL), GFP_OK);
    size_t length;
    assert_int_equal(gfp_file_product_length(&length, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_file_mul(NULL, NULL, NULL, NULL), GFP_ERR_ARGUMENT);
    /* A chain of links to a missing file. */
    assert_int_equal(mkdir("there", 0777), 0);
    assert_int_equal(symlink("other", "there/first"), 0);
    assert_int_equal(symlink("there/first", "second"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    lab_store(&a, "second");
    assert_int_equal(lstat("second", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(gfp_poly_load(&a, "there/other", NULL), GFP_OK);
    assert_int_equal(gfp_poly_store(&a, "loop", NULL), GFP_ERR_IO);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(unlink("there/first"), 0);
    assert_int_equal(unlink("there/other"), 0);
    assert_int_equal(rmdir("there"), 0);
    errno = 0;
    assert_int_equal(gfp_poly_store(&a, ".", NULL), GFP_ERR_IO);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(gfp_poly_store(&a, "/dev/null", NULL), GFP_ERR_IO);
    assert_int_equal(gfp_poly_store(&a, "no/such/folder", NULL), GFP_ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(gfp_file_open(&file, "no-such-file", NULL, NULL, NULL), GFP_ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(gfp_file_open(&file, ".", NULL, NULL, NULL), GFP_ERR_IO);
    assert_int_equal(gfp_file_open(&file, "/dev/zero", NULL, NULL, NULL), GFP_ERR_IO);
    assert_int_equal(gfp_file_create(&file, "x", l->field, SIZE_MAX / 8, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_file_create(&file, "", l->field, 5, NULL), GFP_ERR_IO);
    assert_int_equal(count_files(".gfpoly-"), 0);
}

/* ---- the header alone ---- */

static void test_headers_are_read_alone(void **state)
{
    const lab *l = lab_named("p2");
    gfp_error error = {.message = ""};
    (void)state;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        gfp_field *made = NULL;
        size_t size, n = 7;
        unsigned char *bytes = sample_file(l, 150, version, &size);
        bytes[HEAD + 100] ^= 1; /* the digits are not read */
        put_bytes("sample", bytes, size);
        assert_int_equal(gfp_file_read_header(&made, &n, "sample", NULL, NULL, &error), GFP_OK);
        assert_true(gfp_field_same(made, l->field));
        assert_int_equal(n, 150);
        gfp_field_destroy(made);
        made = NULL;
        n = 7;
        assert_int_equal(gfp_file_read_header(&made, &n, "sample", l->field, NULL, &error), GFP_OK);
        assert_null(made);
        assert_int_equal(n, 150);
        n = 7;
        const gfp_field *other = lab_named("p8")->field;
        assert_int_equal(gfp_file_read_header(&made, &n, "sample", other, NULL, &error),
                         GFP_ERR_FIELD_MISMATCH);
        put_bytes("sample", bytes, size - 1);
        assert_int_equal(gfp_file_read_header(&made, &n, "sample", NULL, NULL, &error),
                         GFP_ERR_PARSE);
        assert_int_equal(error.offset, size - 1);
        bytes[32] ^= 1;
        put_bytes("sample", bytes, size);
        assert_int_equal(gfp_file_read_header(&made, &n, "sample", NULL, NULL, &error),
                         GFP_ERR_PARSE);
        assert_int_equal(gfp_file_read_header(&made, &n, "none", NULL, NULL, &error), GFP_ERR_IO);
        assert_null(made);
        assert_int_equal(n, 7);
        free(bytes);
    }
}

static void test_headers_need_memory(void **state)
{
    const lab *l = lab_named("p2");
    gfp_status status = GFP_ERR_MEMORY;
    size_t size;
    (void)state;
    free(sample_file(l, 20, 2, &size));
    for (size_t at = 0; status != GFP_OK; at++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator hook = meter_hook(&m);
        gfp_field *made = NULL;
        meter_fail_at(&m, at);
        status = gfp_file_read_header(&made, &size, "sample", NULL, &hook, NULL);
        assert_true(status == GFP_OK || (status == GFP_ERR_MEMORY && made == NULL));
        assert_true(status != GFP_OK || at > 0);
        gfp_field_destroy(made);
        meter_expect_empty(&m);
    }
}

/* ---- names ---- */

static void expect_named(const char *path)
{
    const lab *l = lab_named("p8");
    gfp_file *file = NULL;
    gfp_error error = {.message = ""};
    for (unsigned commits = 0; commits <= 1; commits++) {
        struct stat status;
        assert_int_equal(gfp_file_create(&file, path, l->field, 3, &error), GFP_OK);
        assert_int_equal(gfp_file_name(file, &error), GFP_OK);
        const char *name = gfp_file_get_info(file).temporary;
        assert_non_null(name);
        assert_int_equal(stat(name, &status), 0);
        assert_int_equal(status.st_size, HEAD + 3 * 64);
        assert_int_equal(gfp_file_name(file, &error), GFP_OK); /* it has the name */
        assert_ptr_equal(gfp_file_get_info(file).temporary, name);
        assert_int_equal(count_files(".gfpoly-"), 1);
        if (commits == 1) {
            assert_int_equal(gfp_file_commit(file, &error), GFP_OK);
            assert_int_equal(gfp_file_name(file, &error), GFP_ERR_ARGUMENT);
        }
        gfp_file_close(file);
        assert_int_equal(count_files(".gfpoly-"), 0);
    }
    assert_int_equal(gfp_file_open(&file, path, l->field, NULL, &error), GFP_OK);
    assert_int_equal(gfp_file_name(file, &error), GFP_ERR_ARGUMENT);
    gfp_file_close(file);
}

static void test_files_get_names_for_other_processes(void **state)
{
    (void)state;
    put_bytes("old", (const unsigned char *)"old\n", 4);
    expect_named("old");
    without_descriptors = true;
    expect_named("new");
    without_descriptors = false;
    assert_int_equal(unlink("new"), 0);
}

/* A limit on file sizes simulates a full disk: the call returns a status and raises no signal
 * (SIGXFSZ would end the test). */
static void test_no_room_is_a_status(void **state)
{
    const lab *l = lab_named("p8");
    struct rlimit before, limit;
    gfp_file *a = NULL;
    gfp_poly x;
    gfp_error error = {.message = ""};
    (void)state;
    gfp_poly_init(&x, l->field);
    lab_fill(l, &x, 500, 1);
    lab_store(&x, "x");
    put_bytes("old", (const unsigned char *)"old\n", 4);
    assert_int_equal(gfp_file_open(&a, "x", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 60000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const gfp_status created = lab_file_mul("old", a, a, NULL);
    const int created_errno = errno;
    limit.rlim_cur = 70000; /* the product fits, 68032 bytes; the larger scratch files do not */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int refused = 0, wrong = 0;
    for (size_t cap = 20000; cap < 300000; cap += cap / 8) {
        const gfp_options options = {.memory_cap = cap, .error = &error, .method = "hybrid"};
        const gfp_status status = lab_file_mul("z", a, a, &options);
        const bool full = status == GFP_ERR_IO && errno == EFBIG;
        refused += full && strstr(error.message, "scratch") != NULL;
        wrong += status != GFP_OK && status != GFP_ERR_MEMORY && !full;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(created, GFP_ERR_IO);
    assert_int_equal(created_errno, EFBIG);
    assert_true(refused > 0);
    assert_int_equal(wrong, 0);
    expect_old("old");
    assert_int_equal(count_files(".gfpoly-"), 0);
    gfp_file_close(a);
    gfp_poly_clear(&x);
}

/* ---- products ---- */

/* A product of files of both versions, whole and cut, is that of polynomials, in the newest
 * version.
 */
static void test_products_of_old_and_new_files_are_right(void **state)
{
    static const size_t caps[] = {0, 100000};
    const lab *l = lab_named("p2");
    gfp_poly x, c, d;
    (void)state;
    gfp_poly_init(&x, l->field);
    gfp_poly_init(&c, l->field);
    gfp_poly_init(&d, l->field);
    for (unsigned version = 1; version <= VERSIONS; version++) {
        size_t size;
        unsigned char *bytes = sample_file(l, 3000, version, &size);
        put_bytes(version == 1 ? "old" : "new", bytes, size);
        free(bytes);
    }
    assert_int_equal(gfp_poly_load(&x, "sample", NULL), GFP_OK);
    assert_int_equal(gfp_poly_sqr(&c, &x, NULL), GFP_OK);
    for (size_t i = 0; i < 3 * sizeof caps / sizeof *caps; i++) {
        const gfp_options options = {.memory_cap = caps[i / 3], .method = "hybrid"};
        gfp_file *a = NULL, *b = NULL;
        size_t size;
        assert_int_equal(gfp_file_open(&a, i % 3 < 2 ? "old" : "new", l->field, NULL, NULL),
                         GFP_OK);
        assert_int_equal(gfp_file_open(&b, i % 3 < 1 ? "old" : "new", l->field, NULL, NULL),
                         GFP_OK);
        assert_int_equal(lab_file_mul("z3", a, b, &options), GFP_OK);
        assert_int_equal(gfp_poly_load(&d, "z3", NULL), GFP_OK);
        assert_true(gfp_poly_equal(&c, &d));
        unsigned char *bytes = lab_slurp("z3", &size);
        assert_int_equal(open_get(bytes, 8, 4), VERSIONS);
        free(bytes);
        gfp_file_close(a);
        gfp_file_close(b);
    }
    gfp_poly_clear(&x);
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_as_documented_and_come_back),
        cmocka_unit_test(test_leading_zeros_are_kept_in_files_and_dropped_from_polynomials),
        cmocka_unit_test(test_files_of_both_versions_have_the_checksums_that_others_computed),
        cmocka_unit_test(test_payloads_of_every_length_have_the_checksum_of_xxhsum),
        cmocka_unit_test(test_a_changed_bit_anywhere_is_noticed),
        cmocka_unit_test(test_files_cut_off_or_too_long_are_noticed),
        cmocka_unit_test(test_exchanged_coefficients_are_noticed),
        cmocka_unit_test(test_a_wrong_checksum_is_reported_with_both_values),
        cmocka_unit_test(test_checksums_of_another_version_are_refused),
        cmocka_unit_test(test_contents_are_checked_beyond_checksums),
        cmocka_unit_test(test_a_header_that_claims_much_costs_no_memory),
        cmocka_unit_test(test_strings_hold_no_binary_format),
        cmocka_unit_test(test_a_file_appears_only_when_committed),
        cmocka_unit_test(test_links_are_followed_and_other_things_refused),
        cmocka_unit_test(test_headers_are_read_alone),
        cmocka_unit_test(test_headers_need_memory),
        cmocka_unit_test(test_files_get_names_for_other_processes),
        cmocka_unit_test(test_no_room_is_a_status),
        cmocka_unit_test(test_products_of_old_and_new_files_are_right),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
