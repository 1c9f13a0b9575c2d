/* gcds.c: gcds and resultants of many pairs on a device, against the CPU
 * (toolkit_lab.h), and wrong results that checks must find.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "poly/device/checks.h"
#include "poly/device/toolkit_lab.h"

#include "gpu/products.h"
#include "poly/device/series.h"
#include "lab/rows.h"

/* ---- gcds and resultants ---- */

/* Pairs of rows that alternate in one array, with their results. */
typedef struct pairs_site {
    size_t len_a, len_b, room, rows, stride;
    uint64_t *x, *g, *r, *lengths, *got_lengths;
    gfp_gpu_array *dx, *dg, *dr;
    gfp_gpu_pairs pairs;
    gfp_gpu_rows gcds, resultants;
} pairs_site;

static void open_pairs(site *s, pairs_site *w, size_t len_a, size_t len_b, size_t rows)
{
    const size_t k = s->l->k, step = len_a + len_b + toolkit_lab_below(s, 3);
    const size_t room = len_a > len_b ? len_a : len_b, stride = room + toolkit_lab_below(s, 3);
    *w = (pairs_site){.len_a = len_a, .len_b = len_b, .room = room, .rows = rows, .stride = stride};
    w->x = toolkit_lab_draw(s, rows * step + 1, false);
    w->g = toolkit_lab_draw(s, rows * stride + 1, false);
    w->r = lab_array((2 * rows + 1) * k);
    w->lengths = lab_array(rows + 1);
    w->got_lengths = lab_array(rows + 1);
    w->dg = lab_upload(s, w->g, rows * stride + 1);
    for (size_t i = 0; i < rows; i++) {
        uint64_t *a = w->x + i * step * k;
        pairs_fill(s->l, a, len_a, a + len_a * k, len_b, (unsigned)(i % PAIRS_KINDS), &s->seed);
        w->lengths[i] = pairs_expect(s->l, w->g + i * stride * k, w->r + 2 * i * k, a, len_a,
                                     a + len_a * k, len_b);
    }
    w->dx = lab_upload(s, w->x, rows * step + 1);
    w->dr = lab_upload(s, w->r, 2 * rows + 1);
    w->pairs = (gfp_gpu_pairs){{w->dx, 0, step}, {w->dx, len_a, step}, len_a, len_b, rows};
    w->gcds = (gfp_gpu_rows){w->dg, 0, stride};
    w->resultants = (gfp_gpu_rows){w->dr, 0, 2};
}

static void close_pairs(pairs_site *w)
{
    lab_free(w->x);
    lab_free(w->g);
    lab_free(w->r);
    lab_free(w->lengths);
    lab_free(w->got_lengths);
    gfp_gpu_array_destroy(w->dx);
    gfp_gpu_array_destroy(w->dg);
    gfp_gpu_array_destroy(w->dr);
}

/* Changes digit 0 of element i of an array, and back. */
static void expect_found(site *s, pairs_site *w, gfp_gpu_array *x, size_t i, bool resultants)
{
    const size_t k = s->l->k;
    uint64_t e[GFP_MAX_K], one[GFP_MAX_K], changed[GFP_MAX_K];
    toolkit_lab_ok(s, gfp_gpu_download(e, x, i * k, k, NULL), "download");
    gfp_elem_one(s->l->field, one);
    for (unsigned way = 0; way < 2; way++) { /* another element; digits that are not canonical */
        gfp_elem_add(s->l->field, changed, e, one);
        if (way == 1) {
            if (e[1] == 0 || e[0] > UINT64_MAX - s->l->entry->r) {
                break;
            }
            gfp_elem_set(s->l->field, changed, e);
            changed[0] += s->l->entry->r;
            changed[1]--;
        }
        toolkit_lab_ok(s, gfp_gpu_upload(x, i * k, changed, k, NULL), "upload");
        assert_int_equal(resultants
                             ? checked_resultants(s->ring, &w->resultants, &w->pairs, 7, NULL)
                             : checked_gcds(s->ring, &w->gcds, &w->pairs, 7, NULL),
                         GFP_ERR_VERIFY);
    }
    toolkit_lab_ok(s, gfp_gpu_upload(x, i * k, e, k, NULL), "upload");
}

/* Both results are verified; wrong ones are found. */
static void check_pair_checks(site *s, pairs_site *w)
{
    gfp_report report = {.points = 77};
    const gfp_status status = checked_gcds(s->ring, &w->gcds, &w->pairs, 5, &report);
    if (status == GFP_ERR_UNAVAILABLE && s->l->entry->r < 1 << 16) {
        return; /* tiny fields */
    }
    toolkit_lab_ok(s, status, "check of gcds");
    assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
    /* The bound is that of all pairs; r^k is below p and above p / 2. */
    const double log2_p = (double)mpz_sizeinbase(s->l->o.p, 2),
                 all = (double)w->pairs.len_a + (double)w->pairs.len_b;
    assert_true(report.log2_error >= report.points * (log2(all) - log2_p) + log2((double)w->rows));
    toolkit_lab_ok(s, checked_resultants(s->ring, &w->resultants, &w->pairs, 5, &report), "check");
    const size_t i = toolkit_lab_below(s, w->rows);
    expect_found(s, w, w->dr, 2 * i, true);
    expect_found(s, w, w->dg, i * w->stride + toolkit_lab_below(s, w->room), false);
    if (w->lengths[i] > 0) {
        expect_found(s, w, w->dg, i * w->stride + w->lengths[i] - 1, false);
    }
}

static void check_pairs(site *s, size_t len_a, size_t len_b, size_t rows)
{
    pairs_site w;
    gfp_error error = {.message = ""};
    open_pairs(s, &w, len_a, len_b, rows);
    const gfp_status status =
        gfp_gpu_vec_gcd(s->ring, &w.gcds, w.got_lengths, &w.pairs, &(gfp_options){.error = &error});
    if (status != GFP_OK) {
        fail_msg("%s: gcds: %s", s->l->entry->text, error.message);
    }
    uint64_t *got = lab_download(s, w.dg, rows * w.stride + 1);
    toolkit_lab_same(s, got, w.g, rows * w.stride + 1, "gcds", len_a, len_b);
    assert_memory_equal(w.got_lengths, w.lengths, rows * sizeof *w.lengths);
    lab_free(got);
    /* Resultants overwrite what is there, elements in between stay. */
    uint64_t *noise = toolkit_lab_draw(s, 2 * rows + 1, false);
    toolkit_lab_ok(s, gfp_gpu_upload(w.dr, 0, noise, (2 * rows + 1) * s->l->k, NULL), "noise");
    toolkit_lab_ok(
        s, gfp_gpu_vec_resultant(s->ring, &w.resultants, &w.pairs, &(gfp_options){.error = &error}),
        "resultants");
    got = lab_download(s, w.dr, 2 * rows + 1);
    for (size_t i = 0; i < rows; i++) {
        const size_t k = s->l->k;
        toolkit_lab_same(s, got + 2 * i * k, w.r + 2 * i * k, 1, "resultant", len_a, len_b);
        toolkit_lab_same(s, got + (2 * i + 1) * k, noise + (2 * i + 1) * k, 1, "between", len_a,
                         len_b);
    }
    lab_free(noise);
    lab_free(got);
    check_pair_checks(s, &w);
    /* In the place of an operand. */
    if (len_a >= len_b && w.pairs.a.stride >= w.room) {
        toolkit_lab_ok(s, gfp_gpu_vec_gcd(s->ring, &w.pairs.a, NULL, &w.pairs, NULL),
                       "gcds in place");
        const gfp_gpu_rows both[] = {w.pairs.a, w.gcds};
        toolkit_lab_ok(s, gfp_gpu_vec_sum_rows(s->l->field, &w.gcds, both, 2, 1, rows, w.room),
                       "difference");
        got = lab_download(s, w.dg, rows * w.stride);
        for (size_t i = 0; i < rows * w.room; i++) {
            assert_true(gfp_elem_is_zero(s->l->field,
                                         got + (i / w.room * w.stride + i % w.room) * s->l->k));
        }
        lab_free(got);
    }
    close_pairs(&w);
}

static void gcds_and_resultants_agree(void **state)
{
    static const size_t shapes[][2] = {{1, 1}, {5, 5}, {2, 7}, {17, 9}, {40, 41}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; LAB_ROW(shapes, i); i++) {
            if (s.l->k <= 8 || (s.l->k <= 32 && shapes[i][0] < 40) || shapes[i][0] == 5) {
                check_pairs(&s, shapes[i][0], shapes[i][1], PAIRS_KINDS);
            }
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* Each kernel, by few pairs of few elements: for racecheck of compute-sanitizer, under which
 * gcds_and_resultants_agree takes more than eight minutes. */
static void few_gcds_agree(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "m4", "m8", "256^2+1"};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        site s;
        open_site(&s, gpu, lab_named(names[i]));
        check_pairs(&s, 4, 3, 3);
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void long_gcds_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    (void)state;
    open_site(&s, gpu, lab_named("p8"));
    check_pairs(&s, 129, 129, PAIRS_KINDS);
    check_pairs(&s, 150, 257, PAIRS_KINDS);
    close_site(&s);
    gpu_lab_close(gpu);
}

static void empty_pairs_have_results(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    pairs_site w;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    const size_t k = s.l->k;
    open_pairs(&s, &w, 3, 0, 12); /* the shorter ones have no coefficients */
    toolkit_lab_ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, w.got_lengths, &w.pairs, NULL), "gcds");
    assert_memory_equal(w.got_lengths, w.lengths, 12 * sizeof *w.lengths);
    toolkit_lab_ok(&s, checked_gcds(s.ring, &w.gcds, &w.pairs, 1, NULL), "check");
    gfp_gpu_pairs no_array = w.pairs;
    no_array.b.array = NULL;
    toolkit_lab_ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, w.got_lengths, &no_array, NULL),
                   "no array");
    assert_memory_equal(w.got_lengths, w.lengths, 12 * sizeof *w.lengths);
    toolkit_lab_ok(&s, checked_gcds(s.ring, &w.gcds, &no_array, 1, NULL), "check without an array");
    toolkit_lab_ok(&s, gfp_gpu_vec_resultant(s.ring, &w.resultants, &no_array, NULL), "no array");
    no_array = (gfp_gpu_pairs){.rows = 12};
    toolkit_lab_ok(&s, gfp_gpu_vec_gcd(s.ring, &(gfp_gpu_rows){NULL, 0, 0}, NULL, &no_array, NULL),
                   "nothing");
    w.pairs.len_a = 0;
    uint64_t e[GFP_MAX_K];
    toolkit_lab_ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, w.got_lengths, &w.pairs, NULL),
                   "gcds of nothing");
    assert_int_equal(w.got_lengths[5], 0);
    toolkit_lab_ok(&s, checked_gcds(s.ring, &w.gcds, &w.pairs, 1, NULL), "check");
    gfp_elem_one(s.l->field, e);
    toolkit_lab_ok(&s, gfp_gpu_upload(w.dr, 8 * k, e, k, NULL), "upload");
    assert_int_equal(checked_resultants(s.ring, &w.resultants, &w.pairs, 1, NULL), GFP_ERR_VERIFY);
    toolkit_lab_ok(&s, gfp_gpu_vec_resultant(s.ring, &w.resultants, &w.pairs, NULL),
                   "resultants of nothing");
    toolkit_lab_ok(&s, gfp_gpu_download(e, w.dr, 8 * k, k, NULL), "download");
    assert_true(gfp_elem_is_zero(s.l->field, e));
    toolkit_lab_ok(&s, checked_resultants(s.ring, &w.resultants, &w.pairs, 1, NULL), "check");
    w.pairs = (gfp_gpu_pairs){.a = w.pairs.a, .b = w.pairs.b, .len_a = 3};
    toolkit_lab_ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, NULL, &w.pairs, NULL), "no rows");
    toolkit_lab_ok(&s, checked_resultants(s.ring, &w.resultants, &w.pairs, 1, NULL), "no rows");
    close_pairs(&w);
    close_site(&s);
    gpu_lab_close(gpu);
}

static void wrong_pairs_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    gfp_error error = {.message = ""};
    site s;
    pairs_site w;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    open_pairs(&s, &w, 6, 5, 12);
    gfp_gpu_array *foreign = gpu_lab_array(other, 100 * s.l->k);
    const gfp_gpu_rows close = {w.dg, 0, 5}, far = {w.dg, 40, w.stride}, abroad = {foreign, 0, 6};
    const gfp_gpu_rows *const wrong[] = {&close, &far, &abroad};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            gfp_gpu_vec_gcd(s.ring, wrong[i], NULL, &w.pairs, &(gfp_options){.error = &error}),
            GFP_ERR_ARGUMENT);
        if (i > 0) {
            gfp_gpu_pairs pairs = w.pairs;
            pairs.a = *wrong[i];
            assert_int_equal(
                gfp_gpu_vec_gcd(s.ring, &w.gcds, NULL, &pairs, &(gfp_options){.error = &error}),
                GFP_ERR_ARGUMENT);
            assert_int_equal(gfp_gpu_vec_resultant(s.ring, &w.resultants, &pairs,
                                                   &(gfp_options){.error = &error}),
                             GFP_ERR_ARGUMENT);
            assert_int_equal(checked_gcds(s.ring, &w.gcds, &pairs, 1, NULL), GFP_ERR_ARGUMENT);
            pairs = w.pairs;
            pairs.b = *wrong[i];
            assert_int_equal(gfp_gpu_vec_resultant(s.ring, &w.resultants, &pairs,
                                                   &(gfp_options){.error = &error}),
                             GFP_ERR_ARGUMENT);
        }
    }
    /* Words that overlap an operand. */
    gfp_gpu_array *work = gpu_lab_array(gpu, gfp_gpu_euclid_elements(&w.pairs) * s.l->k);
    assert_int_equal(gfp_gpu_vec_euclid(s.l->field, work, w.dx, &w.pairs, NULL), GFP_ERR_ARGUMENT);
    gfp_gpu_array_destroy(work);
    gfp_gpu_array_destroy(foreign);
    close_pairs(&w);
    close_site(&s);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* Sizes that overflow are refused at once, and change nothing. */
static void absurd_sizes_are_refused(void **state)
{
    static const size_t sizes[] = {(size_t)1 << 40, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX};
    gfp_gpu *gpu = gpu_lab_open();
    gfp_error error = {.message = ""};
    site s;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    uint64_t *x = toolkit_lab_draw(&s, 10, true);
    gfp_gpu_array *dx = lab_upload(&s, x, 10), *dz = lab_upload(&s, x, 10);
    const gfp_gpu_rows f = {dx, 0, 1}, g = {dz, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        const size_t n = sizes[i];
        const gfp_gpu_rows far = {dx, n, 1}, wide = {dz, 0, n};
        const gfp_status results[] = {
            gfp_gpu_vec_inv(s.ring, dz, dx, n, &(gfp_options){.error = &error}),
            gfp_gpu_vec_inv_series(s.ring, &g, n, &f, 10, 1, &(gfp_options){.error = &error}),
            gfp_gpu_vec_inv_series(s.ring, &g, 1, &f, n, 1, &(gfp_options){.error = &error}),
            gfp_gpu_vec_inv_series(s.ring, &g, 1, &f, 1, n, &(gfp_options){.error = &error}),
            gfp_gpu_vec_inv_series(s.ring, &wide, 2, &f, 1, n, &(gfp_options){.error = &error}),
            gfp_gpu_vec_inv_series(s.ring, &g, 1, &far, 1, 1, &(gfp_options){.error = &error}),
            gfp_gpu_vec_div_series(s.ring, &g, 1, &(gfp_gpu_pairs){f, f, n, 1, 1},
                                   &(gfp_options){.error = &error}),
            gfp_gpu_vec_div_series(s.ring, &g, n, &(gfp_gpu_pairs){f, f, 1, 1, n},
                                   &(gfp_options){.error = &error}),
            gfp_gpu_vec_gcd(s.ring, &g, NULL, &(gfp_gpu_pairs){f, f, n, 1, 1},
                            &(gfp_options){.error = &error}),
            gfp_gpu_vec_gcd(s.ring, &g, NULL, &(gfp_gpu_pairs){f, f, 1, n, n},
                            &(gfp_options){.error = &error}),
            gfp_gpu_vec_resultant(s.ring, &g, &(gfp_gpu_pairs){f, f, 1, 1, n},
                                  &(gfp_options){.error = &error}),
            gfp_gpu_vec_resultant(s.ring, &g, &(gfp_gpu_pairs){f, far, 1, 1, 1},
                                  &(gfp_options){.error = &error}),
            gfp_gpu_vec_sum_rows(s.l->field, &g, &f, 1, 0, n, n),
            gfp_gpu_vec_sum_rows(s.l->field, &g, &f, 1, 0, 1, n),
            gfp_gpu_vec_mul_index(s.l->field, dz, dx, 1, n),
        };
        for (size_t j = 0; LAB_ROW(results, j); j++) {
            if (results[j] != GFP_ERR_SIZE && results[j] != GFP_ERR_ARGUMENT) {
                fail_msg("size %zx, call %zu: %s", n, j, gfp_status_string(results[j]));
            }
        }
        gfp_gpu_tree *tree = NULL;
        gfp_gpu_poly *m = toolkit_lab_make(&s);
        assert_int_equal(gfp_gpu_tree_create(&tree, s.ring, dx, n, &(gfp_options){.error = &error}),
                         GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_poly_product_roots(m, dx, n, &(gfp_options){.error = &error}),
                         GFP_ERR_ARGUMENT);
        assert_null(tree);
        gfp_gpu_poly_destroy(m);
    }
    uint64_t *got = lab_download(&s, dz, 10);
    toolkit_lab_same(&s, got, x, 10, "after calls that were refused", 0, 0);
    lab_free(got);
    lab_free(x);
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dz);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gcds_and_resultants_agree), cmocka_unit_test(few_gcds_agree),
        cmocka_unit_test(long_gcds_agree),           cmocka_unit_test(empty_pairs_have_results),
        cmocka_unit_test(wrong_pairs_are_refused),   cmocka_unit_test(absurd_sizes_are_refused),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
