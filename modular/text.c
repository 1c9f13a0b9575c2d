/* text.c: polynomials over Z from and to text, in the format of FLINT's fmpz_poly: the length,
 * then the coefficients. Reading shares the tokens and messages of polynomials over fields
 * (poly/text.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>

#include "modular/ring.h"
#include "modular/vec.h"
#include "modular/text.h"

#define LENGTH_DIGITS 20 /* of 2^64 - 1 */
#define FIRST_CAPACITY 64

/* An array that grows by half. */
typedef struct store {
    const gfp_allocator *allocator;
    void *items;
    size_t size, count, capacity;
} store;

static void store_clear(store *s)
{
    gfp_release(s->allocator, s->items, s->capacity, s->size);
}

/* Makes room for `more` items. Errors: SIZE, MEMORY. */
static gfp_status store_grow(store *s, size_t more)
{
    size_t needed, ample, bytes;
    if (!gfp_size_add(&needed, s->count, more)) {
        return GFP_ERR_SIZE;
    }
    if (needed <= s->capacity) {
        return GFP_OK;
    }
    ample = gfp_size_add_sat(s->capacity, s->capacity / 2);
    ample = ample < FIRST_CAPACITY ? FIRST_CAPACITY : ample;
    ample = ample < needed ? needed : ample;
    if (!gfp_size_mul(&bytes, ample, s->size)) {
        return GFP_ERR_SIZE;
    }
    void *items = gfp_allocate(s->allocator, ample, s->size);
    if (items == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (s->count > 0) {
        memcpy(items, s->items, s->count * s->size);
    }
    store_clear(s);
    s->items = items;
    s->capacity = ample;
    return GFP_OK;
}

/* ---- reading ---- */

/* The coefficients that were read: their magnitudes one after the other, and for each its limbs,
 * with the sign. */
typedef struct reader {
    gfp_text_source *source;
    store digits, limbs, sizes;
} reader;

static gfp_status no_memory(const reader *r, gfp_text_place where, gfp_status status,
                            uint64_t index)
{
    return gfp_text_fail(r->source, where, status, index, "no memory for %llu coefficients",
                         (unsigned long long)index + 1);
}

/* digits := the digits of the next number, without a sign. */
static gfp_status take_digits(reader *r, uint64_t index, const char *what)
{
    gfp_text_source *s = r->source;
    const gfp_text_place where = gfp_text_here(s);
    unsigned char *digits;
    int c = gfp_text_peek(s);
    r->digits.count = 0;
    if (c < '0' || c > '9') {
        return gfp_text_fail_character(s, c, index, what);
    }
    for (; c >= '0' && c <= '9'; c = gfp_text_peek(s)) {
        const gfp_status status = store_grow(&r->digits, 1);
        if (status != GFP_OK) {
            return no_memory(r, where, status, index);
        }
        digits = r->digits.items;
        digits[r->digits.count++] = (unsigned char)(c - '0');
        s->at++;
    }
    if (c != GFP_TEXT_END && c != ' ' && (c < '\t' || c > '\r')) {
        return gfp_text_fail_character(s, c, index, "a digit or a space");
    }
    return GFP_OK;
}

/* Appends the number whose digits were read. */
static gfp_status text_append(reader *r, bool negative)
{
    const unsigned char *digits = r->digits.items;
    size_t n = r->digits.count, limbs = 0;
    ptrdiff_t *sizes;
    uint64_t *z;
    while (n > 0 && *digits == 0) {
        digits++;
        n--;
    }
    GFP_TRY(store_grow(&r->sizes, 1));
    /* log2(10) / 64 < 0.0521 limbs a digit. */
    GFP_TRY(store_grow(&r->limbs, n / 19 + 2));
    if (n > 0) {
        z = (uint64_t *)r->limbs.items + r->limbs.count;
        limbs = (size_t)mpn_set_str(gfp_z_limbs(z), digits, n, 10);
        while (limbs > 0 && z[limbs - 1] == 0) {
            limbs--;
        }
    }
    sizes = r->sizes.items;
    sizes[r->sizes.count++] = negative ? -(ptrdiff_t)limbs : (ptrdiff_t)limbs;
    r->limbs.count += limbs;
    return GFP_OK;
}

static gfp_status take_coefficient(reader *r, uint64_t index)
{
    gfp_text_source *s = r->source;
    const gfp_text_place where = gfp_text_here(s);
    const bool negative = gfp_text_peek(s) == '-';
    s->at += negative;
    GFP_TRY(take_digits(r, index, negative ? "a digit" : "an integer"));
    const gfp_status status = text_append(r, negative);
    return status == GFP_OK ? GFP_OK : no_memory(r, where, status, index);
}

static gfp_status take_length(reader *r, size_t *length)
{
    gfp_text_source *s = r->source;
    const unsigned char *digits;
    if (gfp_text_skip_space(s) == GFP_TEXT_END) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    const gfp_text_place where = gfp_text_here(s);
    GFP_TRY(take_digits(r, GFP_NO_INDEX, "the length"));
    digits = r->digits.items;
    *length = 0;
    for (size_t i = 0; i < r->digits.count; i++) {
        if (!gfp_size_mul(length, *length, 10) || !gfp_size_add(length, *length, digits[i]) ||
            *length > SIZE_MAX / 16) {
            return gfp_text_fail(s, where, GFP_ERR_SIZE, GFP_NO_INDEX,
                                 "the length is more than memory can hold");
        }
    }
    return GFP_OK;
}

static gfp_status take_polynomial(reader *r, size_t *length)
{
    gfp_text_source *s = r->source;
    GFP_TRY(take_length(r, length));
    for (size_t i = 0; i < *length; i++) {
        if (gfp_text_skip_space(s) == GFP_TEXT_END) {
            return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, i,
                                 "the %s ends after %llu of %llu coefficients",
                                 s->by_line ? "line" : "text", (unsigned long long)i,
                                 (unsigned long long)*length);
        }
        GFP_TRY(take_coefficient(r, i));
    }
    return gfp_text_take_end(s, *length);
}

/* z := the numbers read, without zeros at the end. */
static gfp_status text_deliver(reader *r, gfp_zvec *z)
{
    const ptrdiff_t *sizes = r->sizes.items;
    const uint64_t *from = r->limbs.items;
    size_t n = r->sizes.count;
    gfp_zlayout layout = {0, 0, 0};
    gfp_zvec made;
    while (n > 0 && sizes[n - 1] == 0) {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t limbs = (size_t)(sizes[i] < 0 ? -sizes[i] : sizes[i]);
        gfp_zlayout_add(&layout, gfp_z_width(gfp_z_magnitude_bits(from, limbs)));
        from += limbs;
    }
    gfp_zvec_init(&made, z->ring);
    const gfp_status status = gfp_zvec_reserve_layout(&made, &layout);
    if (status != GFP_OK) {
        return gfp_text_fail(r->source, gfp_text_here(r->source), status, GFP_NO_INDEX,
                             "no memory for %zu coefficients", n);
    }
    from = r->limbs.items;
    for (size_t i = 0; i < n; i++) {
        const size_t limbs = (size_t)(sizes[i] < 0 ? -sizes[i] : sizes[i]);
        gfp_zvec_put_number(&made, i, from, limbs, sizes[i] < 0);
        from += limbs;
    }
    gfp_zvec_swap(z, &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}

gfp_status gfp_zvec_read(gfp_zvec *z, gfp_text_source *s, size_t *stored_length)
{
    const gfp_allocator *allocator = &z->ring->allocator;
    reader r = {.source = s,
                .digits = {.allocator = allocator, .size = 1},
                .limbs = {.allocator = allocator, .size = sizeof(uint64_t)},
                .sizes = {.allocator = allocator, .size = sizeof(ptrdiff_t)}};
    size_t length = 0;
    s->integers = true;
    gfp_status status = take_polynomial(&r, &length);
    if (status == GFP_OK) {
        status = text_deliver(&r, z);
    }
    if (status == GFP_OK && stored_length != NULL) {
        *stored_length = length;
    }
    store_clear(&r.digits);
    store_clear(&r.limbs);
    store_clear(&r.sizes);
    return status;
}

gfp_status gfp_zvec_fread(gfp_zvec *z, size_t *stored_length, FILE *stream, gfp_error *error)
{
    gfp_text_source s;
    if (z == NULL || stream == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no vector, or no stream");
    }
    GFP_TRY(gfp_text_open(&s, stream, &z->ring->allocator, error));
    const gfp_status status = gfp_zvec_read(z, &s, stored_length);
    gfp_text_close(&s, &z->ring->allocator);
    return status;
}

gfp_status gfp_zvec_from_string(gfp_zvec *z, const char *text, size_t length, gfp_error *error)
{
    gfp_text_source s;
    if (z == NULL || (text == NULL && length > 0)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no vector, or no text");
    }
    gfp_text_open_string(&s, text, length, error);
    return gfp_zvec_read(z, &s, NULL);
}

/* ---- writing ---- */

/* Room for the digits of a number of `width` limbs, with a sign, a space and a terminator: 64
 * log10(2) < 19.3 digits a limb. */
static size_t digits_bound(size_t width)
{
    return gfp_size_add_sat(gfp_size_mul_sat(width, 20), 8);
}

typedef struct writer {
    uint64_t *magnitude; /* width + 1 limbs */
    unsigned char *digits;
    size_t room;
} writer;

/* Puts a space and the number x. */
static bool put_number(gfp_text_sink *out, writer *w, const uint64_t *x, size_t width)
{
    const size_t n = gfp_z_magnitude(w->magnitude, x, gfp_z_own_width(x, width));
    unsigned char *digits = w->digits + 2;
    size_t count = 1, from = 0;
    digits[0] = 0;
    if (n > 0) {
        count = (size_t)mpn_get_str(digits, 10, gfp_z_limbs(w->magnitude), (mp_size_t)n);
    }
    while (from + 1 < count && digits[from] == 0) {
        from++;
    }
    for (size_t i = from; i < count; i++) {
        digits[i] = (unsigned char)(digits[i] + '0');
    }
    unsigned char *begin = digits + from;
    if (gfp_z_negative(x, width)) {
        *--begin = '-';
    }
    *--begin = ' ';
    return gfp_text_put(out, (const char *)begin, (size_t)(digits + count - begin));
}

static bool put_polynomial(gfp_text_sink *out, writer *w, const gfp_zvec *a)
{
    char length[LENGTH_DIGITS + 2];
    const size_t n = gfp_zvec_length(a);
    const int used = snprintf(length, sizeof length, n > 0 ? "%zu " : "%zu", n);
    bool done = gfp_text_put(out, length, (size_t)used);
    for (size_t i = 0; i < n && done; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        done = put_number(out, w, x, width);
    }
    return done;
}

gfp_status gfp_zvec_put(gfp_text_sink *out, const gfp_zvec *a)
{
    const gfp_allocator *allocator = &a->ring->allocator;
    const size_t width = gfp_z_width(gfp_zvec_bits(a));
    writer w = {.room = digits_bound(width)};
    gfp_status status = GFP_ERR_MEMORY;
    w.magnitude = gfp_allocate(allocator, width + 1, sizeof *w.magnitude);
    w.digits = gfp_allocate(allocator, w.room, 1);
    if (w.magnitude != NULL && w.digits != NULL) {
        status = put_polynomial(out, &w, a) ? GFP_OK : GFP_ERR_IO;
    }
    const int error_number = errno;
    gfp_release(allocator, w.digits, w.room, 1);
    gfp_release(allocator, w.magnitude, width + 1, sizeof *w.magnitude);
    errno = error_number;
    return status;
}

/* ---- lines ---- */

static gfp_status put_lines(gfp_text_sink *out, const gfp_zlines *z)
{
    const gfp_zvec zero = {.ring = z->ring, .width = 1};
    for (size_t i = 0; i < z->count || i == 0; i++) {
        if (i > 0 && !gfp_text_put(out, "\n", 1)) {
            return GFP_ERR_IO;
        }
        GFP_TRY(gfp_zvec_put(out, i < z->count ? &z->line[i] : &zero));
    }
    return GFP_OK;
}

gfp_status gfp_zlines_fwrite(const gfp_zlines *z, FILE *stream)
{
    gfp_text_sink out = {.stream = stream};
    GFP_TRY(put_lines(&out, z));
    /* Flushed here: success means that the system took the bytes. */
    return gfp_text_put(&out, "\n", 1) && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

/* *bytes := a size that suffices for the text with a terminator. */
static bool text_bound(size_t *bytes, const gfp_zvec *a)
{
    *bytes = 2 * (LENGTH_DIGITS + 8);
    for (size_t j = 0; j < a->len; j++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, j);
        *bytes = gfp_size_add_sat(*bytes, digits_bound(gfp_z_own_width(x, width)));
    }
    return *bytes < SIZE_MAX;
}

gfp_status gfp_zvec_fwrite(const gfp_zvec *a, FILE *stream)
{
    if (a == NULL || stream == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    return gfp_zlines_fwrite(&(gfp_zlines){a->ring, a, 1}, stream);
}

gfp_status gfp_zvec_to_string(char **text, size_t *size, const gfp_zvec *a)
{
    if (a == NULL || text == NULL || size == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    const gfp_allocator *allocator = &a->ring->allocator;
    size_t bound;
    if (!text_bound(&bound, a)) {
        return GFP_ERR_SIZE;
    }
    gfp_text_sink out = {.text = gfp_allocate(allocator, bound, 1)};
    if (out.text == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = gfp_zvec_put(&out, a);
    if (status == GFP_OK) {
        status = gfp_text_take(&out, allocator, text, size);
    }
    gfp_release(allocator, out.text, bound, 1);
    return status;
}
