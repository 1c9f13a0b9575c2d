/* vec_layout.c: the layouts of vectors of integers: one width for all, or one for each.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/ring.h"
#include "modular/vec.h"

const uint64_t *gfp_zvec_get(size_t *width, const gfp_zvec *a, size_t i)
{
    return gfp_zvec_entry(a, i, width);
}

/* ---- the choice ---- */

bool gfp_zlayout_is_ragged(const gfp_zlayout *layout)
{
    const size_t flat = gfp_size_mul_sat(layout->len, layout->widest);
    return flat >= GFP_ZRAGGED_LIMBS &&
           gfp_zlayout_ragged_limbs(layout) <= flat / GFP_ZRAGGED_FACTOR;
}

/* The layout of the first len integers of a; those of many long ones are not all read. */
static gfp_zlayout vec_layout_measure(const gfp_zvec *a, size_t len)
{
    gfp_zlayout layout = {0, 0, 0};
    const size_t flat = gfp_size_mul_sat(len, a->width);
    for (size_t i = 0; i < len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        gfp_zlayout_add(&layout, gfp_z_own_width(x, width));
        if (a->width > 0 && layout.total > flat / GFP_ZRAGGED_FACTOR) {
            return (gfp_zlayout){len, a->width, flat};
        }
    }
    return layout;
}

bool gfp_zvec_scan_ragged(const gfp_zvec *a)
{
    const gfp_zlayout layout = vec_layout_measure(a, a->len);
    return gfp_zlayout_is_ragged(&layout);
}

/* ---- storage ---- */

gfp_status gfp_zvec_reserve_layout(gfp_zvec *z, const gfp_zlayout *layout)
{
    if (!gfp_zlayout_is_ragged(layout)) {
        return gfp_zvec_reserve(z, layout->len, layout->widest > 0 ? layout->widest : 1);
    }
    GFP_TRY(gfp_zvec_reserve(z, 1, gfp_zlayout_ragged_limbs(layout)));
    z->len = layout->len;
    z->width = 0;
    z->limbs[0] = layout->len + 1;
    return GFP_OK;
}

/* The place of integer i, after those before it; *width limbs, or more if all have one width. */
static uint64_t *place_of(gfp_zvec *z, size_t i, size_t *width)
{
    if (z->width > 0) {
        *width = z->width;
        return z->limbs + i * z->width;
    }
    z->limbs[i + 1] = z->limbs[i] + *width;
    return z->limbs + z->limbs[i];
}

void gfp_zvec_put_number(gfp_zvec *z, size_t i, const uint64_t *magnitude, size_t n, bool negative)
{
    size_t width = gfp_z_width(gfp_z_magnitude_bits(magnitude, n));
    uint64_t *to = place_of(z, i, &width);
    gfp_z_put(to, width, magnitude, n, negative);
}

void gfp_zvec_put_limbs(gfp_zvec *z, size_t i, const uint64_t *x, size_t width)
{
    size_t own = gfp_z_own_width(x, width);
    uint64_t *to = place_of(z, i, &own);
    gfp_z_resize(to, own, x, width);
}

static gfp_status copy_to(gfp_zvec *z, const gfp_zvec *a, const gfp_zlayout *layout)
{
    gfp_zvec made;
    gfp_zvec_init(&made, z->ring);
    GFP_TRY(gfp_zvec_reserve_layout(&made, layout));
    for (size_t i = 0; i < layout->len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        gfp_zvec_put_limbs(&made, i, x, width);
    }
    gfp_zvec_swap(z, &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}

gfp_status gfp_zvec_set_result(gfp_zvec *z, const gfp_zvec *a)
{
    const gfp_zlayout layout = vec_layout_measure(a, gfp_zvec_length(a));
    return gfp_zlayout_is_ragged(&layout) ? copy_to(z, a, &layout) : gfp_zvec_set_flat(z, a);
}

gfp_status gfp_zvec_set_flat(gfp_zvec *z, const gfp_zvec *a)
{
    if (a->width > 0) {
        return gfp_zvec_set_polynomial(z, a->limbs, a->len, a->width);
    }
    const size_t n = gfp_zvec_length(a), widest = gfp_z_width(gfp_zvec_bits(a));
    GFP_TRY(gfp_zvec_reserve(z, n, widest));
    for (size_t i = 0; i < n; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        gfp_zvec_put_limbs(z, i, x, width);
    }
    return GFP_OK;
}

gfp_status gfp_zvec_view(const gfp_zvec **flat, gfp_zvec *copy, const gfp_zvec *a)
{
    *flat = a->width > 0 ? a : copy;
    return a->width > 0 ? GFP_OK : gfp_zvec_set_flat(copy, a);
}

gfp_status gfp_zvec_flatten(gfp_zvec *z)
{
    gfp_zvec made;
    gfp_zvec_init(&made, z->ring);
    if (z->width > 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zvec_set_flat(&made, z));
    gfp_zvec_swap(z, &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}

gfp_status gfp_zvec_set_ragged(gfp_zvec *z, const uint64_t *limbs, const size_t *widths, size_t len)
{
    gfp_zlayout layout = {0, 0, 0};
    const uint64_t *x = limbs;
    gfp_zvec made;
    if (z == NULL || ((limbs == NULL || widths == NULL) && len > 0)) {
        return GFP_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < len; i++) {
        if (widths[i] == 0) {
            return GFP_ERR_ARGUMENT;
        }
        gfp_zlayout_add(&layout, gfp_z_own_width(x, widths[i]));
        x += widths[i];
    }
    gfp_zvec_init(&made, z->ring);
    GFP_TRY(gfp_zvec_reserve_layout(&made, &layout));
    x = limbs;
    for (size_t i = 0; i < len; i++) {
        gfp_zvec_put_limbs(&made, i, x, widths[i]);
        x += widths[i];
    }
    gfp_zvec_swap(z, &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}
