/* text.c: systems and boxes as text.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <inttypes.h>

#include "gfpoly/zsystem.h"
#include "modular/ring.h"
#include "modular/vec.h"
#include "modular/text.h"

/* Digits of 2^bits, at least. */
static size_t digits_of(size_t bits)
{
    return bits / 1000 * 302 + bits % 1000 * 302 / 1000 + 1;
}

static gfp_status text_put(gfp_text_sink *out, const char *text)
{
    return gfp_text_put(out, text, strlen(text)) ? GFP_OK : GFP_ERR_IO;
}

/* A line with a polynomial. */
static gfp_status put_polynomial(gfp_text_sink *out, const char *name, const gfp_zvec *f)
{
    GFP_TRY(text_put(out, name));
    GFP_TRY(gfp_zvec_put(out, f));
    return text_put(out, "\n");
}

static gfp_status put_system(gfp_text_sink *out, const gfp_zsystem *s)
{
    char line[64];
    if (s->s != 1) {
        (void)snprintf(line, sizeof line, "s %" PRId64 "\n", s->s);
        GFP_TRY(text_put(out, line));
    }
    (void)snprintf(line, sizeof line, "t %" PRId64 "\n", s->t);
    GFP_TRY(text_put(out, line));
    for (size_t i = 0; i < s->count; i++) {
        const gfp_zsystem_part *part = &s->part[i];
        (void)snprintf(line, sizeof line, "multiplicity %zu\n", part->multiplicity);
        GFP_TRY(text_put(out, line));
        GFP_TRY(put_polynomial(out, "f ", &part->f));
        GFP_TRY(put_polynomial(out, "q ", &part->q));
        GFP_TRY(put_polynomial(out, "x ", &part->x));
        GFP_TRY(put_polynomial(out, "y ", &part->y));
    }
    return GFP_OK;
}

gfp_status gfp_zsystem_fwrite(const gfp_zsystem *s, FILE *stream)
{
    gfp_text_sink out = {.stream = stream};
    if (s == NULL || stream == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    GFP_TRY(put_system(&out, s));
    return fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

/* ---- boxes ---- */

size_t gfp_zboxes_bits(size_t digits)
{
    /* 10^digits < 2^(bits - 1): log2 10 < 3.322. */
    return gfp_size_add_sat(
        gfp_size_add_sat(gfp_size_mul_sat(digits / 1000, 3322), digits % 1000 * 3322 / 1000), 2);
}

typedef struct writer {
    gfp_text_sink out;
    const gfp_allocator *allocator;
    size_t scale, digits;
    mpz_t z;
    char *text;
    size_t room;
} writer;

static gfp_status text_fit(writer *w, size_t room)
{
    if (room > w->room) {
        char *fresh = gfp_allocate(w->allocator, room, 1);
        if (fresh == NULL) {
            return GFP_ERR_MEMORY;
        }
        gfp_release(w->allocator, w->text, w->room, 1);
        w->text = fresh;
        w->room = room;
    }
    return GFP_OK;
}

/* Writes x / 2^scale, rounded down, or up. */
static gfp_status write_bound(writer *w, const uint64_t *x, size_t width, bool up)
{
    mpz_t power;
    gfp_z_get_mpz(w->z, x, width);
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, w->digits);
    mpz_mul(w->z, w->z, power);
    if (up) {
        mpz_cdiv_q_2exp(w->z, w->z, w->scale);
    } else {
        mpz_fdiv_q_2exp(w->z, w->z, w->scale);
    }
    mpz_clear(power);
    const bool negative = mpz_sgn(w->z) < 0;
    mpz_abs(w->z, w->z);
    GFP_TRY(text_fit(w, gfp_size_add_sat(mpz_sizeinbase(w->z, 10), w->digits) + 3));
    (void)mpz_get_str(w->text, 10, w->z);
    const size_t length = strlen(w->text), zeros = length > w->digits ? 0 : w->digits + 1 - length;
    memmove(w->text + zeros, w->text, length + 1);
    memset(w->text, '0', zeros);
    char *point = w->text + zeros + length - w->digits;
    memmove(point + 1, point, w->digits + 1);
    *point = '.';
    GFP_TRY(text_put(&w->out, negative ? " -" : " "));
    return text_put(&w->out, w->text);
}

static gfp_status write_boxes(writer *w, const gfp_zboxes *b, const gfp_zsystem *s)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->part[i] >= s->count || 4 * i + 3 >= b->bounds.len) {
            return GFP_ERR_ARGUMENT;
        }
        char number[32];
        (void)snprintf(number, sizeof number, "%zu", s->part[b->part[i]].multiplicity);
        GFP_TRY(text_put(&w->out, number));
        for (size_t k = 0; k < 4; k++) {
            size_t width;
            const uint64_t *bound = gfp_zvec_entry(&b->bounds, 4 * i + k, &width);
            GFP_TRY(write_bound(w, bound, width, k % 2 == 1));
        }
        GFP_TRY(text_put(&w->out, "\n"));
    }
    return fflush(w->out.stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

gfp_status gfp_zboxes_fwrite(const gfp_zboxes *b, const gfp_zsystem *s, FILE *stream)
{
    if (b == NULL || s == NULL || stream == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    /* Boxes are 2^-scale apart, or more: 2 10^-digits is less. */
    writer w = {.out = {.stream = stream},
                .allocator = &b->ring->allocator,
                .scale = b->scale,
                .digits = digits_of(b->scale + 1)};
    mpz_init(w.z);
    const gfp_status status = write_boxes(&w, b, s);
    mpz_clear(w.z);
    gfp_release(w.allocator, w.text, w.room, 1);
    return status;
}
