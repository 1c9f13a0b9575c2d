/* binary.c: the binary format: header, checksums, streams. The layout is that of gfpoly/file.h;
 * hosts are little-endian, so digits in files are digits in memory.
 *
 * XXH3 is compiled into this file from libxxhash's header (XXH_INLINE_ALL), not linked. So a build
 * needs only the header, also for another processor; programs that link the static library need no
 * further library; and no XXH_ symbol collides with a program's own libxxhash. XXH3 uses the
 * compiler's least vectors, SSE2 or NEON: memory is slower still.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "poly/binary.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "field/base/word.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#if XXH_VERSION_NUMBER < 800
#error "gfpoly needs libxxhash 0.8.0 or later: XXH3 is stable from there on"
#endif

#define VERSION 2     /* of new files */
#define VERSION_OLD 1 /* read as well: its checksums are sums modulo 2^61 - 1, little-endian */
#define HEAD_BYTES 80
#define LAYOUT_DIGITS 1

/* Offsets of the header's fields. */
enum {
    AT_VERSION = 8,
    AT_HEAD_BYTES = 12,
    AT_R = 16,
    AT_K = 24,
    AT_LAYOUT = 28,
    AT_LENGTH = 32,
    AT_PAYLOAD = 40,
    AT_BYTES = 48,
    AT_CHECKSUM = 56,
    AT_RESERVED = 64,
    AT_HEAD_CHECKSUM = 72
};

static const unsigned char magic[8] = {0x89, 'G', 'F', 'P', '\r', '\n', 0x1a, '\n'};
_Static_assert(GFP_BINARY_FIRST_BYTE == 0x89, "the first byte of the magic");

#define BLOCK_DIGITS 16384 /* 128 KiB: fit a second-level cache */
#define FIRST_CAPACITY 64  /* coefficients */

/* ---- the checksum of version 1 ---- */

#define MERSENNE ((UINT64_C(1) << 61) - 1)
#define GENERATOR UINT64_C(1234567890123456793)
#define OLD_WORDS 64 /* of 64 bits, summed before one reduction */

typedef struct old_sum {
    uint64_t value;
    uint64_t step;                 /* g^(2 OLD_WORDS) */
    uint64_t power[2 * OLD_WORDS]; /* g^i */
} old_sum;

/* x mod 2^61 - 1 in [0, 2^61 - 1), for x < 2^122. */
static uint64_t binary_reduce(gfp_u128 x)
{
    uint64_t y = ((uint64_t)x & MERSENNE) + (uint64_t)(x >> 61); /* < 2^62 */
    y = (y & MERSENNE) + (y >> 61);
    return y >= MERSENNE ? y - MERSENNE : y;
}

static uint64_t binary_multiply(uint64_t x, uint64_t y)
{
    return binary_reduce((gfp_u128)x * y);
}

static void old_begin(old_sum *sum)
{
    const size_t n = 2 * OLD_WORDS;
    sum->value = 1;
    sum->power[0] = 1;
    for (size_t i = 1; i < n; i++) {
        sum->power[i] = binary_multiply(sum->power[i - 1], GENERATOR);
    }
    sum->step = binary_multiply(sum->power[n - 1], GENERATOR);
}

/* value := value g^(2 n) + the halves of n <= OLD_WORDS words times the powers below. The sum is
 * below 128 2^32 2^61 = 2^100, with the first term below 2^122 + 2^100. */
static void old_add_words(old_sum *sum, const uint64_t *words, size_t n, uint64_t step)
{
    gfp_u128 x = 0;
    for (size_t i = 0; i < n; i++) {
        x += (gfp_u128)(words[i] & UINT32_MAX) * sum->power[2 * (n - i) - 1];
        x += (gfp_u128)(words[i] >> 32) * sum->power[2 * (n - i) - 2];
    }
    sum->value = binary_reduce((gfp_u128)binary_multiply(sum->value, step) + x);
}

static void old_add(old_sum *sum, const uint64_t *words, size_t n)
{
    for (; n >= OLD_WORDS; n -= OLD_WORDS) {
        old_add_words(sum, words, OLD_WORDS, sum->step);
        words += OLD_WORDS;
    }
    if (n > 0) {
        old_add_words(sum, words, n, sum->power[2 * n]);
    }
}

/* ---- the checksum of either version ---- */

/* A checksum of 64-bit words that come piece by piece. */
typedef struct checksum {
    unsigned version;
    union {
        old_sum old;
        XXH3_state_t xxh3;
    } state;
} checksum;

static void checksum_begin(checksum *sum, unsigned version)
{
    sum->version = version;
    if (version == VERSION_OLD) {
        old_begin(&sum->state.old);
    } else {
        (void)XXH3_64bits_reset(&sum->state.xxh3);
    }
}

static void checksum_add(checksum *sum, const uint64_t *words, size_t n)
{
    if (sum->version == VERSION_OLD) {
        old_add(&sum->state.old, words, n);
    } else if (n > 0) {
        (void)XXH3_64bits_update(&sum->state.xxh3, words, n * sizeof *words);
    }
}

static const char *checksum_name(unsigned version)
{
    return version == VERSION_OLD ? "version 1's sum" : "XXH3";
}

static uint64_t checksum_end(const checksum *sum)
{
    return sum->version == VERSION_OLD ? sum->state.old.value
                                       : XXH3_64bits_digest(&sum->state.xxh3);
}

/* ---- a checksum that goes from process to process ---- */

/* A state that has come from another process has an address of that one, of the secret that all
 * begin with. */
static void state_get(checksum *sum, const gfp_binary_state *state)
{
    XXH3_state_t begun;
    _Static_assert(sizeof *sum <= sizeof *state, "GFP_BINARY_STATE_WORDS");
    memcpy(sum, state, sizeof *sum);
    if (sum->version != VERSION_OLD) {
        (void)XXH3_64bits_reset(&begun);
        sum->state.xxh3.extSecret = begun.extSecret;
    }
}

void gfp_binary_state_begin(gfp_binary_state *state, unsigned version)
{
    checksum sum;
    memset(&sum, 0, sizeof sum);
    checksum_begin(&sum, version);
    *state = (gfp_binary_state){{0}};
    memcpy(state, &sum, sizeof sum);
}

void gfp_binary_state_add(gfp_binary_state *state, const uint64_t *x, size_t n)
{
    checksum sum;
    state_get(&sum, state);
    checksum_add(&sum, x, n);
    memcpy(state, &sum, sizeof sum);
}

uint64_t gfp_binary_state_end(const gfp_binary_state *state)
{
    checksum sum;
    state_get(&sum, state);
    return checksum_end(&sum);
}

/* ---- the header ---- */

static void binary_put(unsigned char *page, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        page[at + i] = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t binary_get(const unsigned char *page, size_t at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)page[at + i] << 8 * i;
    }
    return value;
}

/* A checksum's bytes: from version 2 on in XXH3's canonical form, which is big-endian. */
static void put_checksum(unsigned char *page, size_t at, uint64_t value, unsigned version)
{
    if (version == VERSION_OLD) {
        binary_put(page, at, value, 8);
    } else {
        XXH64_canonicalFromHash((XXH64_canonical_t *)(void *)(page + at), value);
    }
}

static uint64_t get_checksum(const unsigned char *page, size_t at, unsigned version)
{
    return version == VERSION_OLD
               ? binary_get(page, at, 8)
               : XXH64_hashFromCanonical((const XXH64_canonical_t *)(const void *)(page + at));
}

static uint64_t head_checksum(const unsigned char *page, unsigned version)
{
    uint64_t words[AT_HEAD_CHECKSUM / 8];
    checksum sum;
    memcpy(words, page, sizeof words);
    checksum_begin(&sum, version);
    checksum_add(&sum, words, AT_HEAD_CHECKSUM / 8);
    return checksum_end(&sum);
}

gfp_status gfp_binary_describe(gfp_binary_head *head, const gfp_field *field, uint64_t n)
{
    *head = (gfp_binary_head){
        .version = VERSION, .r = gfp_field_r(field), .k = gfp_field_k(field), .length = n};
    size_t bytes = 0;
    if (n > SIZE_MAX || !gfp_size_mul(&bytes, (size_t)n, gfp_element_bytes(field)) ||
        bytes > PTRDIFF_MAX - GFP_BINARY_PAYLOAD) {
        return GFP_ERR_SIZE;
    }
    head->bytes = bytes;
    return GFP_OK;
}

void gfp_binary_encode(unsigned char *page, const gfp_binary_head *head)
{
    memset(page, 0, GFP_BINARY_PAYLOAD);
    memcpy(page, magic, sizeof magic);
    binary_put(page, AT_VERSION, head->version, 4);
    binary_put(page, AT_HEAD_BYTES, HEAD_BYTES, 4);
    binary_put(page, AT_R, head->r, 8);
    binary_put(page, AT_K, head->k, 4);
    binary_put(page, AT_LAYOUT, LAYOUT_DIGITS, 4);
    binary_put(page, AT_LENGTH, head->length, 8);
    binary_put(page, AT_PAYLOAD, GFP_BINARY_PAYLOAD, 8);
    binary_put(page, AT_BYTES, head->bytes, 8);
    put_checksum(page, AT_CHECKSUM, head->checksum, head->version);
    put_checksum(page, AT_HEAD_CHECKSUM, head_checksum(page, head->version), head->version);
}

/* Adds the offset to the error just set. */
static gfp_status binary_at(gfp_error *error, uint64_t offset, gfp_status status)
{
    if (error != NULL) {
        error->offset = offset;
    }
    return status;
}

#define FAIL_AT(error, offset, status, ...)                                                        \
    binary_at((error), (offset), gfp_error_set((error), (status), __VA_ARGS__))

/* Whether this is a gfpoly file at all, checked before the header's checksum. */
static gfp_status decode_magic(const unsigned char *page, gfp_error *error)
{
    if (memcmp(page, magic, sizeof magic) != 0) {
        return FAIL_AT(error, 0, GFP_ERR_PARSE,
                       "byte 0: not a gfpoly binary file, or one changed by a transfer as text");
    }
    const uint64_t version = binary_get(page, AT_VERSION, 4);
    if (version < VERSION_OLD || version > VERSION) {
        return FAIL_AT(error, AT_VERSION, GFP_ERR_PARSE,
                       "byte %d: version %" PRIu64
                       " of the format; versions %d to %d are read here",
                       AT_VERSION, version, VERSION_OLD, VERSION);
    }
    const uint64_t found = get_checksum(page, AT_HEAD_CHECKSUM, (unsigned)version);
    const uint64_t right = head_checksum(page, (unsigned)version);
    if (found != right) {
        return FAIL_AT(error, AT_HEAD_CHECKSUM, GFP_ERR_PARSE,
                       "byte %d: the checksum of the header is wrong: the file is damaged (%s of "
                       "bytes 0 to %d is %016" PRIx64 ", the file says %016" PRIx64 ")",
                       AT_HEAD_CHECKSUM, checksum_name((unsigned)version), AT_HEAD_CHECKSUM - 1,
                       right, found);
    }
    return GFP_OK;
}

/* Checks a field of the header that must have one value. */
static gfp_status binary_expect(const unsigned char *page, size_t offset, size_t bytes,
                                uint64_t value, const char *name, gfp_error *error)
{
    const uint64_t found = binary_get(page, offset, bytes);
    if (found == value) {
        return GFP_OK;
    }
    return FAIL_AT(error, offset, GFP_ERR_PARSE,
                   "byte %zu: %s is %" PRIu64 " and should be %" PRIu64, offset, name, found,
                   value);
}

static gfp_status decode_sizes(gfp_binary_head *head, const unsigned char *page, gfp_error *error)
{
    size_t bytes = 0;
    if (head->k < 2 || head->k > GFP_MAX_K || (head->k & (head->k - 1)) != 0) {
        return FAIL_AT(error, AT_K, GFP_ERR_MODULUS,
                       "byte %d: k is %u: not a power of two from 2 to %d", AT_K, head->k,
                       GFP_MAX_K);
    }
    if (head->r < 2 || head->r % 2 != 0) {
        return FAIL_AT(error, AT_R, GFP_ERR_MODULUS, "byte %d: r is %" PRIu64 ": not even, or 0",
                       AT_R, head->r);
    }
    if (head->length > SIZE_MAX ||
        !gfp_size_mul(&bytes, (size_t)head->length, head->k * sizeof(uint64_t)) ||
        bytes > PTRDIFF_MAX - GFP_BINARY_PAYLOAD) {
        return FAIL_AT(error, AT_LENGTH, GFP_ERR_SIZE,
                       "byte %d: %" PRIu64 " coefficients do not fit this machine's addresses",
                       AT_LENGTH, head->length);
    }
    return binary_expect(page, AT_BYTES, 8, bytes, "the size of the payload", error);
}

gfp_status gfp_binary_decode(gfp_binary_head *head, const unsigned char *page, gfp_error *error)
{
    GFP_TRY(decode_magic(page, error));
    GFP_TRY(binary_expect(page, AT_HEAD_BYTES, 4, HEAD_BYTES, "the size of the header", error));
    GFP_TRY(binary_expect(page, AT_LAYOUT, 4, LAYOUT_DIGITS, "the layout", error));
    GFP_TRY(binary_expect(page, AT_PAYLOAD, 8, GFP_BINARY_PAYLOAD, "the payload's place", error));
    GFP_TRY(binary_expect(page, AT_RESERVED, 8, 0, "a reserved number", error));
    for (size_t i = HEAD_BYTES; i < GFP_BINARY_PAYLOAD; i++) {
        GFP_TRY(binary_expect(page, i, 1, 0, "a byte before the payload", error));
    }
    const unsigned version = (unsigned)binary_get(page, AT_VERSION, 4);
    const gfp_binary_head found = {.version = version,
                                   .r = binary_get(page, AT_R, 8),
                                   .k = (unsigned)binary_get(page, AT_K, 4),
                                   .length = binary_get(page, AT_LENGTH, 8),
                                   .bytes = binary_get(page, AT_BYTES, 8),
                                   .checksum = get_checksum(page, AT_CHECKSUM, version)};
    *head = found;
    return decode_sizes(head, page, error);
}

gfp_status gfp_binary_field(gfp_field **created, const gfp_binary_head *head,
                            const gfp_field *field, const gfp_allocator *allocator,
                            gfp_error *error)
{
    gfp_error reason = {.message = ""};
    if (field != NULL) {
        return gfp_field_k(field) == head->k && gfp_field_r(field) == head->r
                   ? GFP_OK
                   : FAIL_AT(error, AT_R, GFP_ERR_FIELD_MISMATCH,
                             "byte %d: the field is %" PRIu64 "^%u+1, not %s", AT_R, head->r,
                             head->k, gfp_field_name(field));
    }
    const gfp_status status = gfp_field_create_rk(created, head->r, head->k, allocator, &reason);
    if (status != GFP_OK) {
        return FAIL_AT(error, AT_R, status, "byte %d: the field %" PRIu64 "^%u+1: %.120s", AT_R,
                       head->r, head->k,
                       reason.message[0] != '\0' ? reason.message : gfp_status_string(status));
    }
    return GFP_OK;
}

/* ---- the payload ---- */

size_t gfp_binary_block(const gfp_field *field)
{
    return BLOCK_DIGITS / gfp_field_k(field);
}

gfp_status gfp_binary_refuse(const gfp_field *field, uint64_t place, gfp_error *error)
{
    const uint64_t offset = GFP_BINARY_PAYLOAD + place * gfp_element_bytes(field);
    FAIL_AT(error, offset, GFP_ERR_RANGE,
            "byte %" PRIu64 ": coefficient %" PRIu64 " is not in canonical form", offset, place);
    if (error != NULL) {
        error->index = place;
    }
    return GFP_ERR_RANGE;
}

/* Adds n coefficients from index on to the sum, and checks their digits: RANGE if a coefficient is
 * not canonical. */
static gfp_status binary_check(checksum *sum, const gfp_field *field, const uint64_t *x, size_t n,
                               uint64_t index, gfp_error *error)
{
    const size_t k = gfp_field_k(field), block = gfp_binary_block(field);
    for (size_t i = 0; i < n; i += block) {
        const size_t m = gfp_size_min(block, n - i);
        checksum_add(sum, x + i * k, m * k);
        const size_t good = gfp_vec_canonical(field, x + i * k, m);
        if (good < m) {
            return gfp_binary_refuse(field, index + i + good, error);
        }
    }
    return GFP_OK;
}

gfp_status gfp_binary_sum(uint64_t *value, const gfp_binary_head *head, const gfp_field *field,
                          const uint64_t *x, gfp_error *error)
{
    checksum sum;
    checksum_begin(&sum, head->version);
    GFP_TRY(binary_check(&sum, field, x, (size_t)head->length, 0, error));
    *value = checksum_end(&sum);
    return GFP_OK;
}

gfp_status gfp_binary_compare(uint64_t value, const gfp_binary_head *head, gfp_error *error)
{
    return value == head->checksum
               ? GFP_OK
               : FAIL_AT(error, AT_CHECKSUM, GFP_ERR_PARSE,
                         "byte %d: the checksum of the payload is wrong: the file is damaged (%s "
                         "of byte %d to the end is %016" PRIx64 ", the file says %016" PRIx64 ")",
                         AT_CHECKSUM, checksum_name(head->version), GFP_BINARY_PAYLOAD, value,
                         head->checksum);
}

/* ---- streams ---- */

static gfp_status read_failed(FILE *stream, uint64_t offset, gfp_error *error)
{
    if (ferror(stream)) {
        return FAIL_AT(error, offset, GFP_ERR_IO, "byte %" PRIu64 ": cannot read: %s", offset,
                       errno != 0 ? strerror(errno) : "unknown error");
    }
    return FAIL_AT(error, offset, GFP_ERR_PARSE, "byte %" PRIu64 ": the file is cut off here",
                   offset);
}

static gfp_status read_head(gfp_binary_head *head, FILE *stream, gfp_error *error)
{
    unsigned char page[GFP_BINARY_PAYLOAD] = {0};
    errno = 0;
    const size_t n = fread(page, 1, sizeof page, stream);
    if (n >= sizeof magic && n < sizeof page) {
        GFP_TRY(decode_magic(page, error));
    }
    return n == sizeof page ? gfp_binary_decode(head, page, error) : read_failed(stream, n, error);
}

static gfp_status expect_end(FILE *stream, const gfp_binary_head *head, gfp_error *error)
{
    const uint64_t offset = GFP_BINARY_PAYLOAD + head->bytes;
    errno = 0;
    if (getc(stream) != EOF) {
        return FAIL_AT(error, offset, GFP_ERR_PARSE,
                       "byte %" PRIu64 ": the file continues after its last coefficient", offset);
    }
    return ferror(stream) ? read_failed(stream, offset, error) : GFP_OK;
}

/* Makes room for more: half as much again, but never more than the header says. */
static gfp_status binary_grow(gfp_poly *a, size_t length, gfp_error *error)
{
    size_t capacity = a->capacity + a->capacity / 2;
    capacity = capacity < FIRST_CAPACITY ? FIRST_CAPACITY : capacity;
    const gfp_status status = gfp_poly_fit_length(a, gfp_size_min(capacity, length));
    return status == GFP_OK
               ? GFP_OK
               : gfp_error_set(error, status, "no memory for %zu coefficients", length);
}

/* Reads the payload piece by piece: memory grows with the bytes read, not with the header's
 * length. */
static gfp_status read_payload(gfp_poly *a, const gfp_binary_head *head, FILE *stream,
                               gfp_error *error)
{
    const size_t k = head->k, length = (size_t)head->length, size = gfp_element_bytes(a->field);
    checksum sum;
    checksum_begin(&sum, head->version);
    gfp_status damage = GFP_OK;
    while (a->len < length) {
        if (a->len == a->capacity) {
            GFP_TRY(binary_grow(a, length, error));
        }
        const size_t n = gfp_size_min(a->capacity - a->len, gfp_binary_block(a->field));
        uint64_t *x = a->digits + a->len * k;
        errno = 0;
        const size_t bytes = fread(x, 1, n * size, stream);
        if (bytes < n * size) {
            return read_failed(stream, GFP_BINARY_PAYLOAD + a->len * size + bytes, error);
        }
        damage = damage != GFP_OK ? damage : binary_check(&sum, a->field, x, n, a->len, error);
        GFP_TRY(damage);
        a->len += n;
    }
    GFP_TRY(expect_end(stream, head, error));
    return gfp_binary_compare(checksum_end(&sum), head, error);
}

static gfp_status read_body(gfp_poly *a, const gfp_binary_head *head, const gfp_field *field,
                            FILE *stream, size_t *stored_length, gfp_error *error)
{
    gfp_poly result;
    gfp_poly_init(&result, field);
    const gfp_status status = read_payload(&result, head, stream, error);
    if (status == GFP_OK) {
        gfp_poly_normalise(&result, result.len);
        gfp_poly_swap(a, &result);
        if (stored_length != NULL) {
            *stored_length = (size_t)head->length;
        }
    }
    gfp_poly_clear(&result);
    return status;
}

gfp_status gfp_binary_read(gfp_poly *a, FILE *stream, size_t *stored_length, gfp_error *error)
{
    gfp_binary_head head;
    GFP_TRY(read_head(&head, stream, error));
    GFP_TRY(gfp_binary_field(NULL, &head, a->field, NULL, error));
    return read_body(a, &head, a->field, stream, stored_length, error);
}

gfp_status gfp_binary_read_field(gfp_poly *a, gfp_field **field, FILE *stream,
                                 const gfp_allocator *allocator, size_t *stored_length,
                                 gfp_error *error)
{
    gfp_binary_head head;
    gfp_field *created = NULL;
    gfp_poly result;
    GFP_TRY(read_head(&head, stream, error));
    GFP_TRY(gfp_binary_field(&created, &head, NULL, allocator, error));
    gfp_poly_init(&result, created);
    const gfp_status status = read_body(&result, &head, created, stream, stored_length, error);
    if (status != GFP_OK) {
        gfp_field_destroy(created);
        return status;
    }
    *a = result;
    *field = created;
    return GFP_OK;
}

gfp_status gfp_binary_write(const gfp_field *field, const uint64_t *x, size_t n, FILE *stream)
{
    unsigned char page[GFP_BINARY_PAYLOAD];
    gfp_binary_head head;
    checksum sum;
    GFP_TRY(gfp_binary_describe(&head, field, n));
    checksum_begin(&sum, head.version);
    checksum_add(&sum, x, n * head.k);
    head.checksum = checksum_end(&sum);
    gfp_binary_encode(page, &head);
    const bool good = fwrite(page, 1, sizeof page, stream) == sizeof page &&
                      (n == 0 || fwrite(x, 1, (size_t)head.bytes, stream) == head.bytes) &&
                      fflush(stream) == 0;
    return good ? GFP_OK : GFP_ERR_IO;
}
