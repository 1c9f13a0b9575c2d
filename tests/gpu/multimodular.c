/* multimodular.c: the multimodular products on the device with each kind of primes, of
 * which the library picks one: every test field against the CPU, digit for digit.
 * product.c tests the common properties of all methods.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include "gfpoly/gpu_product.h"
#include "gfpoly/poly.h"

static const unsigned bits[] = {31, 50, 62};
#define KINDS (sizeof bits / sizeof bits[0])

static gfp_gpu_product_plan *plan_of(gfp_gpu *gpu, const lab *l, size_t len_a, size_t len_b,
                                     size_t batch, unsigned prime_bits)
{
    const gfp_gpu_product_options options = {
        .method = GFP_GPU_METHOD_MULTIMODULAR, .batch = batch, .prime_bits = prime_bits};
    gfp_gpu_product_plan *plan = NULL;
    gpu_lab_ok(gpu, gfp_gpu_product_plan_create(&plan, gpu, l->field, len_a, len_b, &options, NULL),
               l->entry->text);
    return plan;
}

/* Extreme coefficients first: if all are p - 1, the product has the largest possible coefficients.
 */
static void multimodular_fill(const lab *l, uint64_t *x, size_t n, size_t number)
{
    if (number % 2 == 0) {
        for (size_t i = 0; i < n; i++) {
            gfp_elem_one(l->field, x + i * l->k);
            gfp_elem_neg(l->field, x + i * l->k, x + i * l->k);
        }
        return;
    }
    uint64_t *random = gpu_lab_random(l, n, number);
    for (size_t i = 0; i < n * l->k; i++) {
        x[i] = random[i];
    }
    lab_free(random);
}

static void multimodular_check(gfp_gpu *gpu, const lab *l, size_t len_a, size_t len_b, size_t batch,
                               unsigned prime_bits)
{
    const size_t k = l->k, len = len_a + len_b - 1;
    const gfp_batch products = {.count = batch, .len_a = len_a, .len_b = len_b};
    uint64_t *a = lab_array(batch * len_a * k), *b = lab_array(batch * len_b * k);
    uint64_t *c = lab_array(batch * len * k);
    for (size_t i = 0; i < batch; i++) {
        multimodular_fill(l, a + i * len_a * k, len_a, i);
        multimodular_fill(l, b + i * len_b * k, len_b, i);
    }
    assert_int_equal(gfp_vec_mul_batch(l->field, c, a, b, &products, NULL), GFP_OK);
    gfp_gpu_array *da = gpu_lab_upload(gpu, a, batch * len_a * k);
    gfp_gpu_array *db = gpu_lab_upload(gpu, b, batch * len_b * k);
    gfp_gpu_array *dc = gpu_lab_array(gpu, batch * len * k);
    gfp_gpu_product_plan *plan = plan_of(gpu, l, len_a, len_b, batch, prime_bits);
    gpu_lab_ok(gpu, gfp_gpu_product_mul(dc, da, len_a, db, len_b, plan, NULL), "product");
    gpu_lab_expect(l, dc, c, batch * len, "product by primes of bits", prime_bits, len);
    gfp_gpu_product_plan_destroy(plan);
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_array_destroy(dc);
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

static void every_kind_of_primes_agrees_with_the_cpu(void **state)
{
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < KINDS && !gpu_lab_skips(f); i++) {
            multimodular_check(gpu, l, 1, 1, 2, bits[i]);
            multimodular_check(gpu, l, 16, 17, 3, bits[i]);
            multimodular_check(gpu, l, 129, 40, 2, bits[i]);
        }
    }
    gpu_lab_close(gpu);
}

/* Transforms in one pass and in two, and projections of more than a block. */
static void long_products_agree_with_the_cpu(void **state)
{
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    for (size_t i = 0; i < KINDS; i++) {
        multimodular_check(gpu, &lab_fields[1], 5000, 2000, 2, bits[i]); /* p4 */
        multimodular_check(gpu, &lab_fields[2], 2000, 2000, 2, bits[i]); /* p8 */
    }
    gpu_lab_close(gpu);
}

/* Transforms of 2^22 points, for which there are 18 primes of 31 bits: p8 takes 34. */
static void words_take_over_from_half_words(void **state)
{
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    if (!lab_is_short()) {
        multimodular_check(gpu, &lab_fields[2], ((size_t)1 << 21) + 1, 1, 1, 31);
    }
    gpu_lab_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_primes_agrees_with_the_cpu),
        cmocka_unit_test(long_products_agree_with_the_cpu),
        cmocka_unit_test(words_take_over_from_half_words),
    };
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
