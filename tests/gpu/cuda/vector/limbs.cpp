/* limbs.cpp: the device's radix conversion (gpu/cuda/vector/limbs_arith.h), run on the CPU
 * against GMP: every test field, integers of every size up to two words more than p has, extreme
 * and random ones, elements and back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

extern "C" {
#include "lab/fixtures.h"
#include "lab/meter.h"
}

#include "gpu/cuda/vector/limbs_arith.h"

namespace
{

/* Words aligned as the device's are. */
uint64_t *aligned_words(size_t n)
{
    return (uint64_t *)aligned_alloc(64, (n * sizeof(uint64_t) + 63) / 64 * 64);
}

struct stage {
    const lab *l;
    gfp_limbs_tables tables;
    limbs::setting setting;
    uint64_t *image, *element, *integer;
};

void open_stage(stage *w, const lab *l, size_t size)
{
    meter m = {};
    m.fail_at = SIZE_MAX;
    const gfp_allocator allocator = meter_hook(&m);
    w->l = l;
    assert_int_equal(gfp_limbs_tables_init(&w->tables, l->field, size, &allocator), GFP_OK);
    w->image = aligned_words(w->tables.words);
    memcpy(w->image, w->tables.image, w->tables.words * sizeof *w->image);
    w->setting = limbs::make_setting(l->field, size, &w->tables, w->image);
    w->element = aligned_words(l->k);
    w->integer = lab_array(size);
    gfp_limbs_tables_release(&w->tables, &allocator);
    meter_expect_empty(&m);
}

void close_stage(stage *w)
{
    free(w->image);
    free(w->element);
    lab_free(w->integer);
}

void limbs_set(const stage &w)
{
    switch (gfp_limbs_together(w.l->k)) {
    case 2:
        limbs::set<2>(w.element, w.integer, w.setting);
        break;
    case 4:
        limbs::set<4>(w.element, w.integer, w.setting);
        break;
    default:
        limbs::set<8>(w.element, w.integer, w.setting);
    }
}

void limbs_get(const stage &w, const uint64_t *x)
{
    switch (gfp_limbs_together(w.l->k)) {
    case 2:
        limbs::get<2>(w.integer, x, w.setting);
        break;
    case 4:
        limbs::get<4>(w.integer, x, w.setting);
        break;
    default:
        limbs::get<8>(w.integer, x, w.setting);
    }
}

void check_set(const stage &w, size_t size, const mpz_t value)
{
    mpz_t x;
    mpz_init(x);
    mpz_fdiv_r_2exp(x, value, 64 * size);
    oracle_get_words(w.integer, size, x);
    limbs_set(w);
    mpz_fdiv_r(x, x, w.l->o.p);
    lab_expect(w.l, w.element, x, "integer of this number of words", size, 0);
    mpz_clear(x);
}

void integers_become_elements(void **)
{
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        const size_t limbs = gfp_field_limbs(l->field);
        for (size_t size = 1; size <= limbs + 2; size += size < 8 ? 1 : limbs / 4) {
            stage w;
            mpz_t x;
            open_stage(&w, l, size);
            mpz_init(x);
            for (int i = -3; i <= 3; i++) { /* around 0, p and 2^(64 size), modulo that */
                mpz_set_si(x, i);
                check_set(w, size, x);
                mpz_add(x, x, l->o.p);
                check_set(w, size, x);
            }
            for (size_t i = 0; i < l->count; i++) {
                check_set(w, size, l->values[i]);
                mpz_mul(x, l->values[i], l->values[l->count - 1]);
                check_set(w, size, x);
            }
            mpz_clear(x);
            close_stage(&w);
        }
    }
}

void elements_become_integers(void **)
{
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        const size_t limbs = gfp_field_limbs(l->field);
        for (size_t size = limbs; size <= limbs + 9; size += 3) {
            stage w;
            mpz_t x;
            open_stage(&w, l, size);
            mpz_init(x);
            for (size_t i = 0; i < l->count; i++) {
                limbs_get(w, lab_sample(l, i));
                oracle_set_words(x, w.integer, size);
                if (mpz_cmp(x, l->values[i]) != 0) {
                    fail_msg("%s: element %zu in %zu words", l->entry->text, i, size);
                }
            }
            mpz_clear(x);
            close_stage(&w);
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_become_elements),
        cmocka_unit_test(elements_become_integers),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
