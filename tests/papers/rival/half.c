/* half.c: the papers' rival: the choice of primes; the three steps on the CPU against GMP; the
 * tables of a device's kernels by what these kernels compute, digit for digit; errors and failing
 * allocations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "field/base/context.h"
#include "field/base/word.h"
#include "fft/words/primes.h"
#include "lab/meter.h"
#include "papers/rival/half.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct stage {
    const char *name;
    const gfp_field *field;
    gfp_half_rival rival;
    size_t n;
    uint64_t *x;        /* n elements */
    uint64_t *residues; /* s n */
    uint64_t *z;        /* n integers */
} stage;

static void stage_open(stage *w, const gfp_field *field, const char *name, size_t n)
{
    gfp_error error = {.message = ""};

    *w = (stage){.name = name, .field = field, .n = n};
    if (gfp_half_rival_init(&w->rival, field, gfp_ctz64(n), &error) != GFP_OK) {
        fail_msg("%s, n = %zu: %s", name, n, error.message);
    }
    w->residues = lab_array(n * w->rival.count);
    w->z = lab_array(n * w->rival.words);
}

static void stage_open_lab(stage *w, const lab *l, size_t n)
{
    stage_open(w, l->field, l->entry->text, n);
    w->x = lab_vector(l, n, 0);
}

static void stage_close(stage *w)
{
    lab_free(w->x);
    lab_free(w->residues);
    lab_free(w->z);
    gfp_half_rival_clear(&w->rival);
}

static uint64_t prime_of(const stage *w, size_t i)
{
    return w->rival.prime[i].q;
}

/* ---- which primes ---- */

/* The greatest primes q = 1 mod 2^log2_n below 2^31, one after another. */
static void expect_greatest(const gfp_half_rival *rival, unsigned log2_n)
{
    const uint64_t step = (uint64_t)1 << (log2_n == 0 ? 1 : log2_n);
    uint64_t q = ((uint64_t)1 << 31) + 1;
    mpz_t z;

    mpz_init(z);
    for (size_t i = 0; i < rival->count; i++) {
        do {
            q -= step;
            mpz_set_ui(z, q);
        } while (mpz_probab_prime_p(z, 30) == 0);
        assert_int_equal(rival->prime[i].q, q);
    }
    mpz_clear(z);
}

/* The longest transforms with 2k primes are known (there are 811 primes below 2^31 for 2^18 points,
 * 410 for 2^19, ... 1 for 2^27). */
static void half_words_run_out_where_they_must(void **state)
{
    static const struct {
        const char *name;
        unsigned longest;
    } rows[] = {{"p2", 25},  {"p4", 24},  {"p8", 23},   {"p16", 22},
                {"p32", 21}, {"p64", 20}, {"p128", 19}, {"(2^12-2)^256+1", 18}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const gfp_field *field = lab_named(rows[i].name)->field;
        const unsigned m = rows[i].longest;
        gfp_error error = {.message = ""};
        gfp_half_rival rival;
        assert_int_equal(gfp_half_rival_init(&rival, field, m, &error), GFP_OK);
        assert_int_equal(rival.count, 2 * gfp_field_k(field));
        expect_greatest(&rival, m);
        gfp_half_rival_clear(&rival);
        lab_expect_status(gfp_half_rival_init(&rival, field, m + 1, &error), GFP_ERR_UNAVAILABLE,
                          &error, "too few primes");
    }
}

/* ---- the steps ---- */

/* What the device's kernels compute from the tables: a row of the matrix split times the parts of
 * the digits, reduced by 2^32 twice. */
static void project_by_tables(const stage *w, uint64_t *residues)
{
    const gfp_half_rival *r = &w->rival;
    const unsigned k = gfp_field_k(w->field);

    for (size_t i = 0; i < r->count * w->n; i++) {
        const size_t prime = i / w->n, j = i % w->n;
        const uint64_t q = prime_of(w, prime), inverse = r->prime[prime].negative_inverse;
        const uint32_t *row =
            r->split + prime / GFP_RIVAL_ROWS * r->terms * GFP_RIVAL_ROWS + prime % GFP_RIVAL_ROWS;
        uint64_t sum = 0;
        for (size_t term = 0; term < r->terms; term++) {
            const uint64_t digit = w->x[j * k + term / r->parts];
            const uint64_t part =
                digit >> (term % r->parts * r->part_bits) & (((uint64_t)1 << r->part_bits) - 1);
            sum += part * row[term * GFP_RIVAL_ROWS];
        }
        assert_true(sum >> 63 == 0);
        for (int step = 0; step < 2; step++) {
            sum = (sum + (uint64_t)((uint32_t)sum * (uint32_t)inverse) * q) >> 32;
        }
        residues[i] = sum >= q ? sum - q : sum;
    }
}

/* z := column number c of `width` bits, behind the columns below it. */
static void put_column(uint64_t *z, size_t c, unsigned width, uint64_t column)
{
    const size_t word = c * width / 64, bit = c * width % 64;

    z[word] |= column << bit;
    if (bit + width > 64) {
        z[word + 1] |= column >> (64 - bit);
    }
}

/* Columns of the matrix merge times weighed residues, with carries, and a last subtraction of Q. */
static void recombine_by_tables(const stage *w, uint64_t *z)
{
    const gfp_half_rival *r = &w->rival;
    const mp_size_t words = (mp_size_t)r->words;
    mp_limb_t value[GFP_RIVAL_MAX_PRIMES + 2];

    for (size_t j = 0; j < w->n; j++) {
        uint64_t y[GFP_RIVAL_MAX_PRIMES], fractions = 0, carry = 0;
        for (size_t i = 0; i < r->count; i++) {
            const gfp_rival_prime *p = &r->prime[i];
            const uint64_t v =
                gfp_shoup_mul(w->residues[i * w->n + j], p->inverse, p->companion, p->q);
            y[i] = v >= p->q ? v - p->q : v;
            fractions += (uint64_t)(gfp_mul_wide(y[i], p->reciprocal) >> p->shift);
        }
        const uint64_t t = fractions >> GFP_RIVAL_FRACTION_BITS;
        memset(value, 0, sizeof value);
        for (size_t c = 0; c < r->columns; c++) {
            const uint32_t *row = r->merge + (1 + c) / GFP_RIVAL_ROWS * r->count * GFP_RIVAL_ROWS +
                                  (1 + c) % GFP_RIVAL_ROWS;
            gfp_u128 sum = (gfp_u128)t * r->complement[c] + carry;
            for (size_t i = 0; i < r->count; i++) {
                sum += (gfp_u128)y[i] * row[i * GFP_RIVAL_ROWS];
            }
            assert_true(sum >> 64 == 0);
            put_column(value, c, r->column_bits,
                       (uint64_t)sum & (((uint64_t)1 << r->column_bits) - 1));
            carry = (uint64_t)sum >> r->column_bits;
        }
        if (value[words] != 0 || mpn_cmp(value, r->modulus, words) >= 0) {
            value[words] -= mpn_sub_n(value, value, r->modulus, words);
        }
        assert_true(value[words] == 0 && mpn_cmp(value, r->modulus, words) < 0);
        memcpy(z + j * r->words, value, r->words * sizeof *z);
    }
}

/* Recombines the residues both ways: integers in [0, Q) that have them. */
static void check_integers(stage *w, const char *what)
{
    const size_t words = w->rival.words;
    uint64_t *z = lab_array(w->n * words);
    mpz_t value, modulus;

    gfp_half_rival_recombine(&w->rival, w->z, w->residues, w->n);
    recombine_by_tables(w, z);
    mpz_inits(value, modulus, NULL);
    oracle_set_words(modulus, w->rival.modulus, words);
    for (size_t j = 0; j < w->n; j++) {
        oracle_set_words(value, w->z + j * words, words);
        bool right = mpz_cmp(value, modulus) < 0;
        for (size_t i = 0; i < w->rival.count; i++) {
            right = right && mpz_fdiv_ui(value, prime_of(w, i)) == w->residues[i * w->n + j];
        }
        if (!right || memcmp(z + j * words, w->z + j * words, words * sizeof *z) != 0) {
            fail_msg("%s, n = %zu, %s: integer %zu, %s", w->name, w->n, what, j,
                     right ? "by the tables" : "by GMP");
        }
    }
    mpz_clears(value, modulus, NULL);
    lab_free(z);
}

static void check_projection(stage *w, const lab *l)
{
    uint64_t *again = lab_array(w->n * w->rival.count);

    gfp_half_rival_project(&w->rival, w->residues, w->x, w->n);
    for (size_t j = 0; j < w->n && l != NULL; j++) {
        for (size_t i = 0; i < w->rival.count; i++) {
            assert_int_equal(w->residues[i * w->n + j],
                             mpz_fdiv_ui(l->values[j % l->count], prime_of(w, i)));
        }
    }
    project_by_tables(w, again);
    assert_memory_equal(again, w->residues, w->n * w->rival.count * sizeof *again);
    lab_free(again);
}

static void set_patterns(stage *w, size_t pattern)
{
    uint64_t seed = 5;

    for (size_t i = 0; i < w->rival.count; i++) {
        for (size_t j = 0; j < w->n; j++) {
            const uint64_t q = prime_of(w, i);
            const uint64_t values[] = {q - 1, 0, (i + j) % 2 * (q - 1),
                                       (i == j % w->rival.count) * (q - 1),
                                       oracle_random(&seed) % q};
            w->residues[i * w->n + j] = values[pattern];
        }
    }
}

static void check_patterns(stage *w)
{
    static const char *const names[] = {"q - 1", "0", "alternating", "lone residues", "random"};

    for (size_t pattern = 0; pattern < COUNT(names); pattern++) {
        set_patterns(w, pattern);
        check_integers(w, names[pattern]);
    }
}

/* Integers at which the quotient by Q, or a carry through all columns, is at its edge. */
static void set_edges(stage *w)
{
    mpz_t modulus, z;

    mpz_inits(modulus, z, NULL);
    oracle_set_words(modulus, w->rival.modulus, w->rival.words);
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
            mpz_fdiv_q_ui(z, modulus, prime_of(w, j / 8 % w->rival.count));
            break;
        case 6: /* a little less than Q: the upper part of Q */
            mpz_fdiv_q_2exp(z, modulus, 20);
            mpz_mul_2exp(z, z, 20);
            break;
        default: /* a small part of Q */
            mpz_fdiv_q_2exp(z, modulus, 30);
            break;
        }
        for (size_t i = 0; i < w->rival.count; i++) {
            w->residues[i * w->n + j] = mpz_fdiv_ui(z, prime_of(w, i));
        }
    }
    mpz_clears(modulus, z, NULL);
}

static void projection_and_recombination(void **state)
{
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        stage w;
        stage_open_lab(&w, &lab_fields[f], 32);
        check_projection(&w, &lab_fields[f]);
        check_integers(&w, "elements");
        set_edges(&w);
        check_integers(&w, "edges");
        check_patterns(&w);
        stage_close(&w);
    }
}

/* All digits r - 1, the greatest k: the largest sums, and after them the most columns. p need not
 * be prime. */
static void largest_sums_fit(void **state)
{
    static const uint64_t radices[] = {UINT64_MAX - 1, UINT64_C(1) << 63, 278, 2};

    (void)state;
    for (size_t i = 0; i < COUNT(radices); i++) {
        gfp_field *field;
        stage w;
        assert_int_equal(gfp_field_create_raw(&field, radices[i], 256, NULL, NULL), GFP_OK);
        stage_open(&w, field, "k = 256", 2);
        w.x = lab_array(w.n * 256);
        for (size_t d = 0; d < w.n * 256; d++) {
            w.x[d] = radices[i] - 1;
        }
        check_projection(&w, NULL);
        check_integers(&w, "largest sums");
        check_patterns(&w);
        stage_close(&w);
        gfp_field_destroy(field);
    }
}

static void transforms_have_the_values(void **state)
{
    static const size_t lengths[] = {1, 2, 8, 64, 512};

    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const size_t n = lengths[i];
        uint64_t *before, *work = lab_array(n);
        stage w;
        stage_open_lab(&w, lab_named("p4"), n);
        set_patterns(&w, 4);
        before = lab_array(n * w.rival.count);
        memcpy(before, w.residues, n * w.rival.count * sizeof *before);
        gfp_half_rival_transform(&w.rival, w.residues, n, work);
        for (size_t j = 0; j < w.rival.count * n; j++) {
            const uint64_t q = prime_of(&w, j / n);
            const uint64_t root = gfp_word_root_of_unity(q, gfp_ctz64(n));
            const uint64_t at = gfp_mod_pow(root, j % n, q);
            uint64_t value = 0;
            for (size_t l = n; l-- > 0;) {
                value = (value * at + before[j / n * n + l]) % q;
            }
            assert_int_equal(w.residues[j], value);
        }
        lab_free(before);
        lab_free(work);
        stage_close(&w);
    }
}

static void failing_allocations_are_reported(void **state)
{
    const lab *l = lab_named("p8");
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_error error = {.message = ""};
    gfp_half_rival rival;
    gfp_field *field;

    (void)state;
    assert_int_equal(gfp_field_create_raw(&field, l->entry->r, l->k, &allocator, NULL), GFP_OK);
    m.fail_at = m.calls;
    lab_expect_status(gfp_half_rival_init(&rival, field, 4, &error), GFP_ERR_MEMORY, &error,
                      "no memory");
    m.fail_at = SIZE_MAX;
    assert_int_equal(gfp_half_rival_init(&rival, field, 4, &error), GFP_OK);
    gfp_half_rival_clear(&rival);
    gfp_half_rival_clear(&rival);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_words_run_out_where_they_must),
        cmocka_unit_test(projection_and_recombination),
        cmocka_unit_test(largest_sums_fit),
        cmocka_unit_test(transforms_have_the_values),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
