/* rival.c: the papers' rival: projection, transforms and recombination, each against GMP or
 * its definition, prime by prime, at every kernel level; the choice of primes; errors and failing
 * allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "field/base/cpu.h"
#include "field/base/context.h"
#include "gfpoly/rival.h"
#include "lab/meter.h"
#include "papers/rival/impl.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A plan over a field of its own, so that its kernel level is the one in force. */
typedef struct stage {
    const lab *l;
    gfp_field *field;
    gfp_crt_rival_plan *plan;
    size_t n, s, words;
    uint64_t *x;        /* n elements: samples of the lab, from `first` on */
    uint64_t *residues; /* s n */
    uint64_t *z;        /* n integers */
} stage;

static void stage_open_at(stage *w, const lab *l, size_t n, const gfp_crt_rival_options *options,
                          size_t first)
{
    gfp_error error = {0};

    *w = (stage){.l = l, .n = n};
    assert_int_equal(gfp_field_create_raw(&w->field, l->entry->r, l->k, NULL, NULL), GFP_OK);
    if (gfp_crt_rival_plan_create(&w->plan, w->field, n, options, &error) != GFP_OK) {
        fail_msg("%s, n = %zu: %s", l->entry->text, n, error.message);
    }
    w->s = gfp_crt_rival_plan_prime_count(w->plan);
    w->words = gfp_crt_rival_plan_words(w->plan);
    w->x = lab_vector(l, n, first);
    w->residues = lab_array(n * w->s);
    w->z = lab_array(n * w->words);
}

static void stage_open(stage *w, const lab *l, size_t n, gfp_crt_rival_primes primes)
{
    const gfp_crt_rival_options options = {.primes = primes};

    stage_open_at(w, l, n, &options, 0);
}

static void stage_close(stage *w)
{
    lab_free(w->x);
    lab_free(w->residues);
    lab_free(w->z);
    gfp_crt_rival_plan_destroy(w->plan);
    gfp_field_destroy(w->field);
}

static uint64_t prime(const stage *w, size_t i)
{
    return gfp_crt_rival_plan_prime(w->plan, i);
}

/* Runs body at every level of this machine, and restores the level. */
static void at_every_level(void (*body)(void))
{
    const gfp_level before = gfp_cpu_level_get();

    for (int level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (gfp_cpu_level_force((gfp_level)level)) {
            body();
        }
    }
    assert_true(gfp_cpu_level_force(before));
}

static const gfp_crt_rival_primes kinds[] = {GFP_CRT_RIVAL_HALF_WORDS, GFP_CRT_RIVAL_WORDS};
/* Below, at and above what the vector kernels take at once. */
static const size_t lengths[] = {1, 2, 8, 16, 32, 128};

/* ---- which primes ---- */

static bool is_prime(uint64_t q)
{
    mpz_t z;

    mpz_init(z);
    oracle_set_u64(z, q);
    const bool prime = mpz_probab_prime_p(z, 30) != 0;
    mpz_clear(z);
    return prime;
}

/* The greatest primes q = 1 mod 2^log2_n below 2^bits, one after another. */
static void expect_greatest(const uint64_t *primes, size_t count, unsigned bits, unsigned log2_n)
{
    const uint64_t step = (uint64_t)1 << (log2_n == 0 ? 1 : log2_n);
    uint64_t q = ((uint64_t)1 << bits) + 1;

    for (size_t i = 0; i < count; i++) {
        do {
            q -= step;
        } while (!is_prime(q));
        assert_int_equal(primes[i], q);
    }
}

static gfp_status choose(const gfp_field *field, unsigned log2_n, gfp_crt_rival_primes wanted,
                         uint64_t *primes, size_t *count, gfp_crt_rival_primes *kind)
{
    const gfp_crt_rival_options options = {.primes = wanted};
    gfp_error error = {0};
    const gfp_status status =
        gfp_rival_choose_primes(primes, count, kind, field, log2_n, &options, &error);

    assert_true(status == GFP_OK || error.message[0] != '\0');
    return status;
}

/* Half words: 2k primes. The longest transforms with so large a supply are known (there are 811
 * primes below 2^31 for 2^18 points, 410 for 2^19, ... 1 for 2^27). */
static void half_words_run_out_where_they_must(void **state)
{
    static const struct {
        const char *name;
        unsigned longest;
    } rows[] = {{"p2", 25},  {"p4", 24},  {"p8", 23},   {"p16", 22},
                {"p32", 21}, {"p64", 20}, {"p128", 19}, {"(2^12-2)^256+1", 18}};
    uint64_t primes[GFP_RIVAL_MAX_PRIMES];
    size_t count;
    gfp_crt_rival_primes kind;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const gfp_field *field = lab_named(rows[i].name)->field;
        const unsigned m = rows[i].longest;
        assert_int_equal(choose(field, m, GFP_CRT_RIVAL_AUTO, primes, &count, &kind), GFP_OK);
        assert_int_equal(kind, GFP_CRT_RIVAL_HALF_WORDS);
        assert_int_equal(count, 2 * gfp_field_k(field));
        expect_greatest(primes, count, 31, m);
        assert_int_equal(choose(field, m + 1, GFP_CRT_RIVAL_HALF_WORDS, primes, &count, &kind),
                         GFP_ERR_UNAVAILABLE);
        assert_int_equal(choose(field, m + 1, GFP_CRT_RIVAL_AUTO, primes, &count, &kind), GFP_OK);
        assert_int_equal(kind, GFP_CRT_RIVAL_WORDS);
        expect_greatest(primes, count, 62, m + 1);
    }
}

/* Words: as few as multiply to more than p. Q is the product in both kinds. */
static void primes_are_as_documented(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; i < COUNT(kinds); i++) {
            stage w;
            stage_open(&w, &lab_fields[f], 4, kinds[i]);
            uint64_t *primes = lab_array(w.s);
            mpz_t product, q, modulus;
            mpz_inits(product, q, modulus, NULL);
            mpz_set_ui(product, 1);
            for (size_t j = 0; j < w.s; j++) {
                primes[j] = prime(&w, j);
                oracle_set_u64(q, primes[j]);
                mpz_mul(product, product, q);
            }
            expect_greatest(primes, w.s, kinds[i] == GFP_CRT_RIVAL_WORDS ? 62 : 31, 2);
            oracle_set_words(modulus, gfp_crt_rival_plan_modulus(w.plan), w.words);
            assert_int_equal(mpz_cmp(modulus, product), 0);
            assert_true(gfp_crt_rival_plan_modulus(w.plan)[w.words - 1] != 0);
            if (kinds[i] == GFP_CRT_RIVAL_WORDS) {
                assert_true(mpz_cmp(product, w.l->o.p) > 0);
                mpz_divexact(product, product, q);
                assert_true(mpz_cmp(product, w.l->o.p) <= 0);
            } else {
                assert_int_equal(w.s, 2 * w.l->k);
            }
            assert_int_equal(gfp_crt_rival_plan_kind(w.plan), kinds[i]);
            mpz_clears(product, q, modulus, NULL);
            lab_free(primes);
            stage_close(&w);
        }
    }
}

/* ---- step 1 ---- */

/* The residues are those of the elements' integers. */
static void check_projection(const stage *w)
{
    for (size_t i = 0; i < w->s; i++) {
        for (size_t j = 0; j < w->n; j++) {
            const size_t v = j % w->l->count;
            if (w->residues[i * w->n + j] != mpz_fdiv_ui(w->l->values[v], prime(w, i))) {
                fail_msg("%s, n = %zu, %s: residue %zu modulo prime %zu", w->l->entry->text, w->n,
                         gfp_crt_rival_plan_kernels(w->plan), j, i);
            }
        }
    }
}

static void project_all_fields(void)
{
    for (size_t f = 0; f < oracle_field_count; f++) {
        for (size_t i = 0; i < COUNT(kinds) * COUNT(lengths); i++) {
            stage w;
            /* The longer ones where that takes no time. */
            if (lab_fields[f].k > 32 && lengths[i / 2] > 32) {
                continue;
            }
            stage_open(&w, &lab_fields[f], lengths[i / 2], kinds[i % 2]);
            assert_int_equal(gfp_crt_rival_project(w.plan, w.residues, w.x, NULL, NULL), GFP_OK);
            check_projection(&w);
            stage_close(&w);
        }
    }
}

static void projection_gives_the_residues(void **state)
{
    (void)state;
    at_every_level(project_all_fields);
}

/* Element j is the greatest multiple of prime j below p: its residue is 0, not the prime. */
static void project_multiples(void)
{
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; i < COUNT(kinds); i++) {
            const lab *l = &lab_fields[f];
            stage w;
            mpz_t z;
            stage_open(&w, l, 32, kinds[i]);
            mpz_init(z);
            for (size_t j = 0; j < w.n; j++) {
                mpz_fdiv_q_ui(z, l->o.special, prime(&w, j % w.s));
                mpz_mul_ui(z, z, prime(&w, j % w.s));
                oracle_set(&l->o, w.x + j * l->k, z);
            }
            assert_int_equal(gfp_crt_rival_project(w.plan, w.residues, w.x, NULL, NULL), GFP_OK);
            for (size_t j = 0; j < w.n; j++) {
                assert_int_equal(w.residues[j % w.s * w.n + j], 0);
            }
            mpz_clear(z);
            stage_close(&w);
        }
    }
}

static void multiples_of_a_prime_have_residue_0(void **state)
{
    (void)state;
    at_every_level(project_multiples);
}

/* ---- step 3 ---- */

/* z are integers in [0, Q) with the given residues: the theorem says there is one each. */
static void check_integers(const stage *w, const char *what)
{
    mpz_t modulus, z;

    mpz_inits(modulus, z, NULL);
    oracle_set_words(modulus, gfp_crt_rival_plan_modulus(w->plan), w->words);
    for (size_t j = 0; j < w->n; j++) {
        oracle_set_words(z, w->z + j * w->words, w->words);
        bool right = mpz_cmp(z, modulus) < 0;
        for (size_t i = 0; i < w->s && right; i++) {
            right = mpz_fdiv_ui(z, prime(w, i)) == w->residues[i * w->n + j];
        }
        if (!right) {
            fail_msg("%s, n = %zu, %s, %s: integer %zu", w->l->entry->text, w->n,
                     gfp_crt_rival_plan_kernels(w->plan), what, j);
        }
    }
    mpz_clears(modulus, z, NULL);
}

/* Residues of the integer z for element j. */
static void set_residues(stage *w, size_t j, const mpz_t z)
{
    for (size_t i = 0; i < w->s; i++) {
        w->residues[i * w->n + j] = mpz_fdiv_ui(z, prime(w, i));
    }
}

/* Integers at which the quotient by Q, or a carry through all columns, is at its edge. */
static void set_edges(stage *w)
{
    mpz_t modulus, z;

    mpz_inits(modulus, z, NULL);
    oracle_set_words(modulus, gfp_crt_rival_plan_modulus(w->plan), w->words);
    for (size_t j = 0; j < w->n; j++) {
        const size_t bits = mpz_sizeinbase(modulus, 2);
        switch (j % 8) {
        case 0:
            mpz_set_ui(z, j / 8);
            break;
        case 1:
            mpz_sub_ui(z, modulus, 1 + j / 8);
            break;
        case 2:
            mpz_fdiv_q_2exp(z, modulus, 1);
            break;
        case 3: /* 2^b, b from the top down */
            mpz_set_ui(z, 1);
            mpz_mul_2exp(z, z, bits - 1 - j / 8);
            break;
        case 4: /* and the number of ones below */
            mpz_set_ui(z, 1);
            mpz_mul_2exp(z, z, bits - 1 - j / 8);
            mpz_sub_ui(z, z, 1);
            break;
        case 5: /* Q/q */
            mpz_fdiv_q_ui(z, modulus, prime(w, j / 8 % w->s));
            break;
        case 6: /* a little less than Q: the upper part of Q */
            mpz_fdiv_q_2exp(z, modulus, 20);
            mpz_mul_2exp(z, z, 20);
            break;
        default: /* a small part of Q */
            mpz_fdiv_q_2exp(z, modulus, 30);
            break;
        }
        set_residues(w, j, z);
    }
    mpz_clears(modulus, z, NULL);
}

static void recombine_patterns(stage *w)
{
    uint64_t seed = 5;

    for (size_t pattern = 0; pattern < 5; pattern++) {
        static const char *const names[] = {"q - 1", "0", "alternating", "lone residues", "random"};
        for (size_t i = 0; i < w->s; i++) {
            for (size_t j = 0; j < w->n; j++) {
                const uint64_t q = prime(w, i);
                const uint64_t values[] = {q - 1, 0, (i + j) % 2 * (q - 1),
                                           (i == j % w->s) * (q - 1), oracle_random(&seed) % q};
                w->residues[i * w->n + j] = values[pattern];
            }
        }
        assert_int_equal(gfp_crt_rival_recombine(w->plan, w->z, w->residues, NULL, NULL), GFP_OK);
        check_integers(w, names[pattern]);
    }
}

/* All digits r - 1, the greatest k: the largest sums, and after them the most columns. p need not
 * be prime. */
static void largest_sums(uint64_t r, gfp_crt_rival_primes kind)
{
    const oracle_field entry = {.text = "k = 256", .r = r, .k = 256};
    const lab l = {.entry = &entry, .k = 256};
    const gfp_crt_rival_options options = {.primes = kind};
    stage w = {.l = &l, .n = 32};
    mpz_t value;

    assert_int_equal(gfp_field_create_raw(&w.field, r, 256, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_crt_rival_plan_create(&w.plan, w.field, w.n, &options, NULL), GFP_OK);
    w.s = gfp_crt_rival_plan_prime_count(w.plan);
    w.words = gfp_crt_rival_plan_words(w.plan);
    w.x = lab_array(w.n * 256);
    w.residues = lab_array(w.n * w.s);
    w.z = lab_array(w.n * w.words);
    for (size_t d = 0; d < w.n * 256; d++) {
        w.x[d] = r - 1;
    }
    mpz_init(value);
    oracle_set_u64(value, r);
    mpz_pow_ui(value, value, 256);
    mpz_sub_ui(value, value, 1);
    assert_int_equal(gfp_crt_rival_project(w.plan, w.residues, w.x, NULL, NULL), GFP_OK);
    for (size_t j = 0; j < w.n * w.s; j++) {
        assert_int_equal(w.residues[j], mpz_fdiv_ui(value, prime(&w, j / w.n)));
    }
    mpz_clear(value);
    assert_int_equal(gfp_crt_rival_recombine(w.plan, w.z, w.residues, NULL, NULL), GFP_OK);
    check_integers(&w, "largest sums");
    recombine_patterns(&w);
    stage_close(&w);
}

static void largest_sums_of_some_radices(void)
{
    static const uint64_t radices[] = {UINT64_MAX - 1, UINT64_C(1) << 63, 278, 2};

    for (size_t i = 0; i < COUNT(radices) * COUNT(kinds); i++) {
        largest_sums(radices[i / 2], kinds[i % 2]);
    }
}

static void largest_sums_fit(void **state)
{
    (void)state;
    at_every_level(largest_sums_of_some_radices);
}

static void recombine_all_fields(void)
{
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; i < COUNT(kinds) * COUNT(lengths); i++) {
            stage w;
            if (lab_fields[f].k > 16 && lengths[i / 2] != 1 && lengths[i / 2] != 32) {
                continue;
            }
            stage_open(&w, &lab_fields[f], lengths[i / 2], kinds[i % 2]);
            set_edges(&w);
            assert_int_equal(gfp_crt_rival_recombine(w.plan, w.z, w.residues, NULL, NULL), GFP_OK);
            check_integers(&w, "edges");
            recombine_patterns(&w);
            stage_close(&w);
        }
    }
}

static void recombination_is_the_chinese_remainder(void **state)
{
    (void)state;
    at_every_level(recombine_all_fields);
}

/* Words hold p: recombined at once, elements come back. Half words give them modulo Q. */
static void round_trips(void)
{
    for (size_t f = 0; f < oracle_field_count; f++) {
        for (size_t i = 0; i < COUNT(kinds); i++) {
            stage w;
            mpz_t z, modulus, rest;
            stage_open(&w, &lab_fields[f], 32, kinds[i]);
            mpz_inits(z, modulus, rest, NULL);
            oracle_set_words(modulus, gfp_crt_rival_plan_modulus(w.plan), w.words);
            assert_int_equal(gfp_crt_rival_project(w.plan, w.residues, w.x, NULL, NULL), GFP_OK);
            assert_int_equal(gfp_crt_rival_recombine(w.plan, w.z, w.residues, NULL, NULL), GFP_OK);
            for (size_t j = 0; j < w.n; j++) {
                oracle_set_words(z, w.z + j * w.words, w.words);
                mpz_fdiv_r(rest, w.l->values[j % w.l->count], modulus);
                assert_int_equal(mpz_cmp(z, rest), 0);
                assert_true(kinds[i] != GFP_CRT_RIVAL_WORDS ||
                            mpz_cmp(z, w.l->values[j % w.l->count]) == 0);
            }
            mpz_clears(z, modulus, rest, NULL);
            stage_close(&w);
        }
    }
}

static void recombining_projections_gives_the_elements(void **state)
{
    (void)state;
    at_every_level(round_trips);
}

/* ---- step 2, and all of it ---- */

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t q)
{
    mpz_t x, y;

    mpz_inits(x, y, NULL);
    oracle_set_u64(x, a);
    oracle_set_u64(y, b);
    mpz_mul(x, x, y);
    const uint64_t z = mpz_fdiv_ui(x, q);
    mpz_clears(x, y, NULL);
    return z;
}

/* y is the DFT of x modulo prime i, by its definition (Horner's rule), at some of the points. */
static void check_dft(const stage *w, const uint64_t *y, const uint64_t *x, size_t i)
{
    const uint64_t q = prime(w, i);
    const uint64_t root = gfp_ntt_plan_root(gfp_crt_rival_plan_ntt(w->plan, i));
    uint64_t point = 1;

    for (size_t e = 0; e < w->n; e++) {
        uint64_t sum = 0;
        for (size_t j = w->n; j-- > 0;) {
            sum = (mul_mod(sum, point, q) + x[j]) % q;
        }
        if (y[e] != sum) {
            fail_msg("%s, n = %zu: transform modulo prime %zu at %zu", w->l->entry->text, w->n, i,
                     e);
        }
        point = mul_mod(point, root, q);
    }
    assert_int_equal(point, 1);
}

static const char *const dft_fields[] = {"p2", "m4", "p8", "30^32+1", "p128", "2^2+1"};

static void transform_some_fields(void)
{
    for (size_t i = 0; i < COUNT(dft_fields) * COUNT(kinds); i++) {
        const lab *l = lab_named(dft_fields[i / 2]);
        stage w;
        stage_open(&w, l, l->k > 8 ? 4 : 32, kinds[i % 2]);
        uint64_t *y = lab_array(w.n * w.s);
        assert_int_equal(gfp_crt_rival_project(w.plan, w.residues, w.x, NULL, NULL), GFP_OK);
        assert_int_equal(gfp_crt_rival_transform(w.plan, y, w.residues, NULL, NULL), GFP_OK);
        for (size_t j = 0; j < w.s; j++) {
            check_dft(&w, y + j * w.n, w.residues + j * w.n, j);
        }
        /* In place, and then to integers: the whole is its parts. */
        assert_int_equal(gfp_crt_rival_transform(w.plan, w.residues, w.residues, NULL, NULL),
                         GFP_OK);
        assert_memory_equal(w.residues, y, w.n * w.s * sizeof *y);
        memset(w.residues, 0xff, w.n * w.s * sizeof *y);
        gfp_crt_rival_times times = {7, 7, 7};
        assert_int_equal(gfp_crt_rival_forward(w.plan, NULL, w.residues, w.x, &times, NULL, NULL),
                         GFP_OK);
        assert_int_equal(times.recombine_ns, 0);
        assert_memory_equal(w.residues, y, w.n * w.s * sizeof *y);
        memset(w.residues, 0xff, w.n * w.s * sizeof *y);
        assert_int_equal(gfp_crt_rival_forward(w.plan, w.z, w.residues, w.x, NULL, NULL, NULL),
                         GFP_OK);
        assert_memory_equal(w.residues, y, w.n * w.s * sizeof *y);
        check_integers(&w, "forward");
        lab_free(y);
        stage_close(&w);
    }
}

static void transform_is_the_dft_modulo_each_prime(void **state)
{
    (void)state;
    at_every_level(transform_some_fields);
}

/* All forms and products give the same residues; the double quotient has primes of its own. A work
 * area off its alignment serves. */
static void forms_and_products_agree(void **state)
{
    static const gfp_ntt_form forms[] = {GFP_NTT_FORM_AUTO, GFP_NTT_COOLEY_TUKEY,
                                         GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM,
                                         GFP_NTT_BLOCKED};
    static const gfp_ntt_product products[] = {GFP_NTT_SHOUP, GFP_NTT_MONTGOMERY,
                                               GFP_NTT_DOUBLE_QUOTIENT};
    uint64_t *first[2] = {NULL, NULL};

    (void)state;
    for (size_t i = 0; i < COUNT(forms) * COUNT(products); i++) {
        const gfp_crt_rival_options options = {.ntt = {forms[i / 3], products[i % 3]}};
        const bool narrow = products[i % 3] == GFP_NTT_DOUBLE_QUOTIENT;
        stage w;
        stage_open_at(&w, lab_named("m4"), 256, &options, 3);
        gfp_crt_rival_times times;
        uint64_t *work = lab_array(gfp_crt_rival_workspace(w.plan, 1) / 8 + 1);
        assert_int_equal(
            gfp_crt_rival_forward(w.plan, w.z, w.residues, w.x, &times, work + i % 2, NULL),
            GFP_OK);
        expect_greatest(&(uint64_t){prime(&w, 0)}, 1, narrow ? 30 : 31, 8);
        check_integers(&w, "forms");
        if (first[narrow] == NULL) {
            first[narrow] = lab_array(w.s * w.n);
            memcpy(first[narrow], w.residues, w.s * w.n * sizeof *w.residues);
        }
        assert_memory_equal(first[narrow], w.residues, w.s * w.n * sizeof *w.residues);
        lab_free(work);
        stage_close(&w);
    }
    lab_free(first[0]);
    lab_free(first[1]);
}

/* ---- errors ---- */

static void mistakes_are_refused(void **state)
{
    gfp_field *field = lab_create("p8");
    static const struct {
        const char *what;
        size_t n;
        gfp_crt_rival_options options;
        gfp_status status;
    } rows[] = {
        {"no points", 0, {0}, GFP_ERR_ARGUMENT},
        {"3 points", 3, {0}, GFP_ERR_ARGUMENT},
        {"kind", 4, {.primes = (gfp_crt_rival_primes)3}, GFP_ERR_ARGUMENT},
        {"form", 4, {.ntt = {(gfp_ntt_form)9, GFP_NTT_SHOUP}}, GFP_ERR_ARGUMENT},
        {"narrow words",
         4,
         {GFP_CRT_RIVAL_WORDS, {GFP_NTT_FORM_AUTO, GFP_NTT_DOUBLE_QUOTIENT}},
         GFP_ERR_ARGUMENT},
        {"too few half words",
         (size_t)1 << 24,
         {.primes = GFP_CRT_RIVAL_HALF_WORDS},
         GFP_ERR_UNAVAILABLE},
        {"too few narrow half words",
         (size_t)1 << 24,
         {GFP_CRT_RIVAL_AUTO, {GFP_NTT_FORM_AUTO, GFP_NTT_DOUBLE_QUOTIENT}},
         GFP_ERR_UNAVAILABLE},
        {"too few primes", (size_t)1 << 56, {0}, GFP_ERR_UNAVAILABLE},
        {"too many words", (size_t)1 << 57, {0}, GFP_ERR_SIZE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        gfp_crt_rival_plan *plan = NULL;
        gfp_error error = {0};
        lab_expect_status(
            gfp_crt_rival_plan_create(&plan, field, rows[i].n, &rows[i].options, &error),
            rows[i].status, &error, rows[i].what);
        assert_null(plan);
        assert_int_equal(gfp_crt_rival_plan_create(&plan, field, rows[i].n, &rows[i].options, NULL),
                         rows[i].status);
    }
    gfp_crt_rival_plan_destroy(NULL);
    gfp_field_destroy(field);
}

/* ---- failing allocations ---- */

/* Every allocation of creating a plan, and that of each call without a work area. */
static void failing_allocations_are_reported(void **state)
{
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = NULL;

    (void)state;
    assert_int_equal(gfp_field_create_raw(&field, 30, 32, &allocator, NULL), GFP_OK);
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        const gfp_crt_rival_options options = {.primes = kinds[i / 2]};
        const size_t n = i % 2 == 0 ? 4 : 32;
        const size_t blocks = m.blocks;
        gfp_crt_rival_plan *plan = NULL;
        gfp_error error = {0};
        size_t fail_at = 0;
        for (gfp_status status = GFP_ERR_MEMORY; status != GFP_OK; fail_at++) {
            meter_fail_at(&m, fail_at);
            status = gfp_crt_rival_plan_create(&plan, field, n, &options, &error);
            assert_true(status == GFP_OK || (status == GFP_ERR_MEMORY && plan == NULL));
            assert_true(status == GFP_OK || m.blocks == blocks);
            assert_true(status == GFP_OK || error.status == GFP_ERR_MEMORY);
        }
        assert_true(fail_at > 8);
        const size_t words = n * gfp_crt_rival_plan_prime_count(plan);
        uint64_t *x = lab_array(n * 32);
        uint64_t *y = lab_array(words);
        uint64_t *z = lab_array(n * gfp_crt_rival_plan_words(plan));
        memset(x, 0, n * 32 * sizeof *x);
        memset(y, 0, words * sizeof *y);
        const gfp_crt_rival_times before = {1, 2, 3};
        gfp_crt_rival_times times = before;
        for (size_t call = 0; call < 4; call++) {
            meter_fail_at(&m, 0);
            assert_int_equal(call == 0   ? gfp_crt_rival_project(plan, y, x, NULL, NULL)
                             : call == 1 ? gfp_crt_rival_transform(plan, y, y, NULL, NULL)
                             : call == 2 ? gfp_crt_rival_recombine(plan, z, y, NULL, NULL)
                                         : gfp_crt_rival_forward(plan, z, y, x, &times, NULL, NULL),
                             GFP_ERR_MEMORY);
        }
        assert_memory_equal(&times, &before, sizeof times);
        /* With a work area there is none. */
        m.fail_at = SIZE_MAX;
        void *work = malloc(gfp_crt_rival_workspace(plan, 1));
        m.calls = 0;
        assert_int_equal(gfp_crt_rival_forward(plan, z, y, x, &times, work, NULL), GFP_OK);
        assert_int_equal(m.calls, 0);
        free(work);
        lab_free(x);
        lab_free(y);
        lab_free(z);
        assert_true(gfp_crt_rival_plan_bytes(plan) > 0);
        gfp_crt_rival_plan_destroy(plan);
        assert_int_equal(m.blocks, blocks);
    }
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

/* ---- threads ---- */

#define THREADS 4

typedef struct share {
    const stage *w;
    uint64_t *y, *z;
    gfp_status status;
} share;

static void *transform_shared(void *argument)
{
    share *s = argument;

    s->status = gfp_crt_rival_forward(s->w->plan, s->z, s->y, s->w->x, NULL, NULL, NULL);
    return NULL;
}

static void threads_share_a_plan(void **state)
{
    stage w;
    share shares[THREADS];
    pthread_t threads[THREADS];

    (void)state;
    stage_open(&w, lab_named("p8"), 512, GFP_CRT_RIVAL_AUTO);
    assert_int_equal(gfp_crt_rival_forward(w.plan, w.z, w.residues, w.x, NULL, NULL, NULL), GFP_OK);
    for (size_t i = 0; i < THREADS; i++) {
        shares[i] = (share){&w, lab_array(w.n * w.s), lab_array(w.n * w.words), GFP_ERR_MEMORY};
        assert_int_equal(pthread_create(&threads[i], NULL, transform_shared, &shares[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(shares[i].status, GFP_OK);
        assert_memory_equal(shares[i].y, w.residues, w.n * w.s * sizeof(uint64_t));
        assert_memory_equal(shares[i].z, w.z, w.n * w.words * sizeof(uint64_t));
        lab_free(shares[i].y);
        lab_free(shares[i].z);
    }
    stage_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_words_run_out_where_they_must),
        cmocka_unit_test(primes_are_as_documented),
        cmocka_unit_test(projection_gives_the_residues),
        cmocka_unit_test(multiples_of_a_prime_have_residue_0),
        cmocka_unit_test(largest_sums_fit),
        cmocka_unit_test(recombination_is_the_chinese_remainder),
        cmocka_unit_test(recombining_projections_gives_the_elements),
        cmocka_unit_test(transform_is_the_dft_modulo_each_prime),
        cmocka_unit_test(forms_and_products_agree),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(threads_share_a_plan),
    };

    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
