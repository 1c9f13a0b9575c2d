/* basis.c: the supply of word-size primes, projection to blocks of them and
 * reconstruction, at every kernel level of this machine, against GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gmp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lab/meter.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/base/support.h"
#include "fft/words/primes.h"
#include "crt/blocks/basis.h"
#include "crt/blocks/remainders.h"

#define GUARD UINT64_C(0x5a5aa5a5deadbeef)

static gfp_random generator;

static uint64_t basis_draw(uint64_t bound)
{
    return gfp_random_below(&generator, bound);
}

/* An array of words on a line of 64 bytes, with guard words behind, filled with guards. */
static uint64_t *basis_lines(size_t words)
{
    uint64_t *x = aligned_alloc(64, (words + 15) / 8 * 64);
    assert_non_null(x);
    for (size_t i = 0; i < words + 8; i++) {
        x[i] = GUARD;
    }
    return x;
}

static void basis_release(uint64_t *x, size_t words)
{
    for (size_t i = words; i < words + 8; i++) {
        assert_true(x[i] == GUARD);
    }
    free(x);
}

/* ---- numbers ---- */

/* z := the number of `width` limbs in two's complement. */
static void basis_import(mpz_t z, const uint64_t *x, size_t width)
{
    mpz_import(z, width, -1, sizeof *x, 0, 0, x);
    if (x[width - 1] >> 63 != 0) {
        mpz_t top;
        mpz_init(top);
        mpz_setbit(top, width * 64);
        mpz_sub(z, z, top);
        mpz_clear(top);
    }
}

/* x := z modulo 2^(64 width). */
static void basis_export(uint64_t *x, size_t width, const mpz_t z)
{
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, z, width * 64);
    memset(x, 0, width * sizeof *x);
    mpz_export(x, NULL, -1, sizeof *x, 0, 0, low);
    mpz_clear(low);
}

/* ---- a supply, bases ---- */

typedef struct stand {
    gfp_words_supply *supply;
    const gfp_words **blocks;
    uint8_t *use;
    size_t count;
    gfp_words_basis *basis;
    mpz_t product;
} stand;

typedef gfp_status (*creator)(gfp_words_basis **basis, const gfp_words *const *blocks,
                              const uint8_t *use, size_t count, const gfp_allocator *allocator);

/* Blocks first .. first + count - 1 of the supply; masks are all ones, or random but not all zero.
 * The basis is one for many numbers or for few. */
static void open_stand(stand *s, size_t first, size_t count, bool masks)
{
    assert_int_equal(gfp_words_supply_create(&s->supply, NULL), GFP_OK);
    s->blocks = malloc(count * sizeof *s->blocks);
    s->use = malloc(count);
    assert_true(s->blocks != NULL && s->use != NULL);
    s->count = count;
    mpz_init_set_ui(s->product, 1);
    const size_t some = basis_draw(count);
    for (size_t j = 0; j < count; j++) {
        assert_int_equal(gfp_words_supply_block(s->supply, first + j, &s->blocks[j]), GFP_OK);
        s->use[j] =
            (uint8_t)(masks ? basis_draw(256) | (j == some ? 1U << basis_draw(8) : 0) : 255);
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((s->use[j] >> l & 1) != 0) {
                mpz_mul_ui(s->product, s->product, s->blocks[j]->q[l]);
            }
        }
    }
    const creator create = basis_draw(2) == 0 ? gfp_words_basis_create : gfp_words_basis_create_few;
    assert_int_equal(create(&s->basis, s->blocks, masks ? s->use : NULL, count, NULL), GFP_OK);
    assert_int_equal(gfp_words_basis_bits(s->basis), mpz_sizeinbase(s->product, 2) - 1);
    assert_int_equal(gfp_words_basis_limbs(s->basis),
                     mpz_sizeinbase(s->product, 2) / 64 +
                         (mpz_sizeinbase(s->product, 2) % 64 != 0));
    assert_true(gfp_words_basis_bytes(s->basis) > sizeof(gfp_words));
}

static void close_stand(stand *s)
{
    mpz_clear(s->product);
    gfp_words_basis_destroy(s->basis);
    gfp_words_supply_destroy(s->supply);
    free(s->blocks);
    free(s->use);
}

/* ---- the supply ---- */

static void blocks_are_the_primes_in_order(void **state)
{
    (void)state;
    gfp_words_supply *supply;
    assert_int_equal(gfp_words_supply_create(&supply, NULL), GFP_OK);
    uint64_t q = UINT64_C(1) << GFP_WORDS_BITS;
    /* The table has 512 blocks; some searched ones follow. */
    const size_t end = SANITIZED ? 100 : 530;
    for (size_t j = 0; j < end; j++) {
        const gfp_words *block;
        assert_int_equal(gfp_words_supply_block(supply, j, &block), GFP_OK);
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            assert_int_equal(gfp_word_prime_below(&q, q, GFP_WORDS_LOG2_ORDER), GFP_OK);
            assert_true(block->q[l] == q);
        }
    }
    gfp_words_supply_destroy(supply);
}

static void expect_arithmetic(const gfp_words *block)
{
    const uint64_t radix = UINT64_C(1) << 52;
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint64_t q = block->q[l];
        assert_true(q > UINT64_C(1) << 49 && q < UINT64_C(1) << 50);
        mpz_t z;
        mpz_init_set_ui(z, q);
        assert_true(mpz_probab_prime_p(z, 20) != 0);
        mpz_clear(z);
        assert_true((block->negative_inverse[l] * q + 1) % radix == 0);
        assert_true(block->negative_inverse[l] < radix);
        assert_true(block->one[l] == radix % q);
        assert_true(block->square[l] == gfp_mod_mul(radix % q, radix % q, q));
        assert_true(block->value[l] == (double)q && block->reciprocal[l] == 1 / (double)q);
        for (unsigned m = 0; m < l; m++) {
            assert_true(block->q[l] != block->q[m]);
        }
    }
}

static void expect_constants(const gfp_words *block)
{
    expect_arithmetic(block);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint64_t q = block->q[l];
        assert_true(q % (UINT64_C(1) << GFP_WORDS_LOG2_ORDER) == 1);
        assert_true(gfp_mod_pow(block->root[l], UINT64_C(1) << (GFP_WORDS_LOG2_ORDER - 1), q) ==
                    q - 1);
    }
}

static void blocks_have_their_constants(void **state)
{
    (void)state;
    gfp_words_supply *supply;
    assert_int_equal(gfp_words_supply_create(&supply, NULL), GFP_OK);
    static const size_t some[] = {0, 1, 77, 511, 512, 513};
    for (size_t i = 0; LAB_ROW(some, i); i++) {
        const gfp_words *block;
        assert_int_equal(gfp_words_supply_block(supply, some[i], &block), GFP_OK);
        expect_constants(block);
    }
    gfp_words_supply_destroy(supply);
    gfp_words before;
    memset(&before, 0, sizeof before);
    for (unsigned i = 0; i < 5; i++) {
        gfp_words block;
        assert_true(gfp_words_draw(&block, &generator, 1000, 100) < -100);
        expect_constants(&block);
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            assert_true(block.q[l] != before.q[l]);
        }
        before = block;
    }
}

/* Comparisons of long numbers draw from all primes, and are as certain as those of short ones. */
static void draws_are_as_certain_as_they_say(void **state)
{
    static const struct {
        double bits, degree, least, most;
        bool roots;
    } rows[] = {
        {1, 0, -167, -166.9, true}, /* 8 log2(50 / 49 / 1952699) */
        {1e6, 1e6, -53, -52, true}, /* 8 log2(20409 / 1952699 + 2^-29) */
        {2.98e6, 0, -40.1, -40, true},       {3e6, 0, -217, -216, false},
        {1e9, 0, -150, -149, false},         {1, 0x1p43, -48, -47.9, true},
        {0x1p40, 0x1p40, -62.4, -62, false},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        gfp_words block;
        const double error = gfp_words_draw(&block, &generator, rows[i].bits, rows[i].degree);
        assert_true(error >= rows[i].least && error <= rows[i].most);
        expect_arithmetic(&block);
        unsigned with_roots = 0;
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            with_roots += block.q[l] % (UINT64_C(1) << GFP_WORDS_LOG2_ORDER) == 1 ? 1 : 0;
        }
        assert_int_equal(with_roots, rows[i].roots ? GFP_WORDS : 0);
    }
}

static void the_supply_ends(void **state)
{
    (void)state;
    gfp_words_supply *supply;
    const gfp_words *block = NULL;
    assert_int_equal(gfp_words_supply_create(&supply, NULL), GFP_OK);
    assert_int_equal(gfp_words_supply_block(supply, (size_t)1 << 20, &block), GFP_ERR_SIZE);
    assert_int_equal(gfp_words_supply_block(supply, SIZE_MAX, &block), GFP_ERR_SIZE);
    assert_null(block);
    gfp_words_supply_destroy(supply);
    gfp_words_supply_destroy(NULL);
}

static void *take_blocks(void *argument)
{
    gfp_words_supply *supply = argument;
    uintptr_t sum = 0;
    for (size_t j = 0; j < 24; j++) {
        const gfp_words *block;
        /* Both inside the table and beyond. */
        if (gfp_words_supply_block(supply, 500 + j, &block) != GFP_OK) {
            return NULL;
        }
        sum = sum * 31 + (uintptr_t)block;
    }
    return (void *)(sum | 1);
}

static void threads_share_a_supply(void **state)
{
    (void)state;
    gfp_words_supply *supply;
    assert_int_equal(gfp_words_supply_create(&supply, NULL), GFP_OK);
    pthread_t threads[4];
    void *results[4];
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_blocks, supply), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &results[i]), 0);
        assert_non_null(results[i]);
        assert_ptr_equal(results[i], results[0]);
    }
    gfp_words_supply_destroy(supply);
}

/* ---- projection ---- */

/* Random limbs; every sixth number each: 0, 1, -1, the greatest and the least number. */
static void basis_sample(uint64_t *x, size_t width, size_t i)
{
    for (size_t j = 0; j < width; j++) {
        x[j] = gfp_random_u64(&generator);
    }
    const uint64_t top = UINT64_C(1) << 63;
    switch (i % 6) {
    case 0:
    case 1:
        memset(x, 0, width * sizeof *x);
        x[0] = i % 6;
        break;
    case 2:
    case 3:
        memset(x, 0xff, width * sizeof *x);
        x[width - 1] &= i % 6 == 2 ? UINT64_MAX : ~top;
        break;
    case 4:
        memset(x, 0, width * sizeof *x);
        x[width - 1] = top;
        break;
    default:
        break;
    }
}

#define BLOCKS_OF_A_TREE 670 /* and more are projected along the tree, where numbers are long */

/* n numbers, for `least` blocks or more; where that is BLOCKS_OF_A_TREE, along the tree. */
static void expect_projection(const stand *s, gfp_level level, size_t width, size_t n, size_t least)
{
    const size_t first = basis_draw(s->count - least + 1);
    const size_t count = least + basis_draw(s->count - least - first + 1);
    assert_true(least != BLOCKS_OF_A_TREE || gfp_words_tree_pays(s->basis, width, count));
    const size_t step = n * GFP_WORDS + basis_draw(3) * 8;
    const size_t words = gfp_words_project_words(s->basis, width, n);
    uint64_t *x = basis_lines(n * width), *z = basis_lines(count * step),
             *work = basis_lines(words);
    const size_t kind = basis_draw(6);
    for (size_t i = 0; i < n; i++) {
        basis_sample(x + i * width, width, kind + i);
    }
    gfp_words_project(&(gfp_words_residues){s->basis, level, first, count, z, step}, x, width, n,
                      work);
    mpz_t value;
    mpz_init(value);
    for (size_t i = 0; i < n; i++) {
        basis_import(value, x + i * width, width);
        for (size_t j = 0; j < count; j++) {
            for (unsigned l = 0; l < GFP_WORDS; l++) {
                const uint64_t q = s->blocks[first + j]->q[l];
                const uint64_t residue = z[j * step + i * GFP_WORDS + l];
                if ((s->use[first + j] >> l & 1) != 0) {
                    assert_true(residue == mpz_fdiv_ui(value, q));
                } else {
                    assert_true(residue < q);
                }
            }
        }
    }
    for (size_t j = 0; j < count; j++) { /* between the arrays */
        for (size_t i = n * GFP_WORDS; i < step; i++) {
            assert_true(z[j * step + i] == GUARD);
        }
    }
    mpz_clear(value);
    basis_release(x, n * width);
    basis_release(z, count * step);
    basis_release(work, words);
}

static void residues_are_those_of_gmp(void **state)
{
    (void)state;
    stand s;
    open_stand(&s, 3, 5, false);
    for (gfp_level level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        for (size_t width = 1; width <= 200; width += SANITIZED && width > 20 ? 17 : 1) {
            expect_projection(&s, level, width, 1 + basis_draw(width % 10 == 0 ? 150 : 12), 1);
        }
        expect_projection(&s, level, 1000, 7, 1);
    }
    close_stand(&s);
}

/* ---- reconstruction ---- */

/* z := the residues, of any value for primes not in use. */
static void basis_reduce(const stand *s, uint64_t *z, size_t step, size_t i, const mpz_t value)
{
    for (size_t j = 0; j < s->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            const uint64_t q = s->blocks[j]->q[l];
            z[j * step + i * GFP_WORDS + l] =
                (s->use[j] >> l & 1) != 0 ? mpz_fdiv_ui(value, q) : basis_draw(q);
        }
    }
}

/* value := - sum M / q_i modulo M, in [-M/2, M/2). */
static void sum_rows(const stand *s, mpz_t value)
{
    mpz_t row;
    mpz_init(row);
    mpz_set_ui(value, 0);
    for (size_t j = 0; j < s->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((s->use[j] >> l & 1) != 0) {
                mpz_divexact_ui(row, s->product, s->blocks[j]->q[l]);
                mpz_sub(value, value, row);
            }
        }
    }
    mpz_fdiv_q_2exp(row, s->product, 1);
    mpz_mod(value, value, s->product);
    if (mpz_cmp(value, row) > 0) {
        mpz_sub(value, value, s->product);
    }
    mpz_clear(row);
}

/* value := a number in [-M/2, M/2): extreme for small kinds, random else. */
static void basis_choose(const stand *s, mpz_t value, gmp_randstate_t random, size_t kind)
{
    switch (kind) {
    case 0:
    case 1:
        mpz_set_ui(value, kind);
        break;
    case 2:
        mpz_set_si(value, -1);
        break;
    case 3: /* (M - 1) / 2, the greatest */
    case 4: /* -(M - 1) / 2, the least */
    case 5:
    case 6:
        mpz_fdiv_q_2exp(value, s->product, 1);
        mpz_sub_ui(value, value, kind >= 5 ? basis_draw(1000) : 0);
        if (kind % 2 == 0) {
            mpz_neg(value, value);
        }
        break;
    case 8: /* the factors of the rows are the greatest ones */
        sum_rows(s, value);
        break;
    default:
        mpz_urandomm(value, random, s->product);
        mpz_fdiv_q_2exp(value, value, kind == 7 ? basis_draw(mpz_sizeinbase(s->product, 2)) : 0);
        mpz_mul_2exp(value, value, 1);
        if (mpz_cmp(value, s->product) > 0) {
            mpz_sub(value, value, s->product);
        }
        mpz_fdiv_q_2exp(value, value, 1);
        break;
    }
}

static void expect_numbers(const stand *s, gfp_level level, size_t width, size_t n,
                           gmp_randstate_t random)
{
    const size_t step = n * GFP_WORDS + basis_draw(3) * 8;
    const size_t words = gfp_words_recombine_words(s->basis, width, n);
    uint64_t *z = basis_lines(s->count * step), *c = basis_lines(n * width),
             *work = basis_lines(words);
    uint64_t *expected = basis_lines(n * width);
    mpz_t value;
    mpz_init(value);
    const size_t kind = basis_draw(12);
    for (size_t i = 0; i < n; i++) {
        basis_choose(s, value, random, (kind + i) % 12);
        basis_reduce(s, z, step, i, value);
        basis_export(expected + i * width, width, value);
    }
    gfp_words_recombine(s->basis, level, c, width, z, step, n, work);
    assert_memory_equal(c, expected, n * width * sizeof *c);
    mpz_clear(value);
    basis_release(z, s->count * step);
    basis_release(c, n * width);
    basis_release(expected, n * width);
    basis_release(work, words);
}

static void expect_basis(size_t first, size_t count, bool masks, gmp_randstate_t random)
{
    stand s;
    open_stand(&s, first, count, masks);
    const size_t limbs = gfp_words_basis_limbs(s.basis);
    for (gfp_level level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        expect_numbers(&s, level, limbs, 1 + basis_draw(40), random);
        expect_numbers(&s, level, limbs, 1 + basis_draw(4), random);
        expect_numbers(&s, level, limbs + 1 + basis_draw(20), 1 + basis_draw(20), random);
        expect_numbers(&s, level, 1 + basis_draw(limbs), 12 + basis_draw(20), random);
    }
    close_stand(&s);
}

/* The first rows of a leaf, made by a level in a table of its own, are the digits of M / q, and
 * sums and neighbours are those of the rows. */
static void expect_rows(const gfp_words_leaf *of_basis, const gfp_words_node *node, gfp_level level)
{
    const gfp_words_kernels *kernels = gfp_words_kernels_of(level);
    const size_t columns = gfp_words_columns(of_basis->digits), words = of_basis->rows * columns;
    uint64_t *table = basis_lines(words), *neighbours = basis_lines(2 * columns);
    uint64_t *digits = basis_lines(columns), *sums = basis_lines(columns);
    gfp_words_leaf leaf = *of_basis;
    mpz_t quotient, digit;
    mpz_inits(quotient, digit, NULL);
    leaf.table = table;
    leaf.neighbours = neighbours;
    kernels->split(digits, columns, (const uint64_t *)node->limbs, node->n);
    memset(sums, 0, columns * sizeof *sums);
    kernels->divide(&leaf, digits, sums);
    for (size_t j = 0, row = 0; j < leaf.count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((leaf.use[j] >> l & 1) == 0) {
                continue;
            }
            mpz_import(quotient, node->n, -1, sizeof *node->limbs, 0, 0, node->limbs);
            mpz_divexact_ui(quotient, quotient, leaf.blocks[j]->q[l]);
            for (size_t t = 0; t < columns; t++) {
                mpz_fdiv_r_2exp(digit, quotient, GFP_WORDS_DIGIT_BITS);
                mpz_fdiv_q_2exp(quotient, quotient, GFP_WORDS_DIGIT_BITS);
                const uint64_t r = table[gfp_words_entry(&leaf, row, t)];
                assert_int_equal(r, mpz_get_ui(digit));
                assert_int_equal(r, of_basis->table[gfp_words_entry(&leaf, row, t)]);
                sums[t] -= r;
            }
            row++;
        }
    }
    for (size_t t = 0; t < columns; t++) {
        assert_int_equal(sums[t], 0);
    }
    memcpy(table, of_basis->table, words * sizeof *table); /* the last rows, too */
    kernels->neighbours(&leaf);
    for (size_t t = 0; t < columns; t++) { /* low + 2^52 high */
        const uint64_t *own = neighbours, *other = of_basis->neighbours;
        assert_int_equal(own[t] - other[t], (other[columns + t] - own[columns + t])
                                                << GFP_WORDS_RADIX_BITS);
    }
    mpz_clears(quotient, digit, NULL);
    basis_release(table, words);
    basis_release(neighbours, 2 * columns);
    basis_release(digits, columns);
    basis_release(sums, columns);
}

static void rows_are_quotients(void **state)
{
    (void)state;
    for (size_t count = 1; count < 60; count += 1 + count / 8) {
        for (unsigned masks = 0; masks < 2; masks++) {
            stand s;
            open_stand(&s, 3, count, masks != 0);
            for (size_t i = 0; i < s.basis->leaf_count; i++) {
                for (gfp_level level = 0; level < GFP_LEVEL_COUNT; level++) {
                    if (gfp_cpu_has(level)) {
                        expect_rows(&s.basis->leaves[i], &s.basis->nodes[i], level);
                    }
                }
            }
            close_stand(&s);
        }
    }
}

static void numbers_are_those_of_gmp(void **state)
{
    (void)state;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    for (size_t count = 1; count <= 40; count += SANITIZED ? 6 : 1) {
        expect_basis(basis_draw(100), count, false, random);
        expect_basis(basis_draw(100), count, true, random);
    }
    expect_basis(0, 1, true, random);
    /* Trees of leaves of 8 or of 32 blocks, and the longest basis of one leaf. */
    expect_basis(2, 127, false, random);
    for (size_t count = SANITIZED ? 120 : 41; count < 200; count += 1 + basis_draw(20)) {
        expect_basis(7, count, false, random);
        expect_basis(7, count, true, random);
    }
    gmp_randclear(random);
}

/* Numbers of many thousands of bits: remainders modulo products, sums along the tree. The widths
 * are below M, about M, and above. */
static void long_numbers_are_those_of_gmp(void **state)
{
    (void)state;
    gmp_randstate_t random;
    stand s;
    gmp_randinit_default(random);
    open_stand(&s, 0, SANITIZED ? 750 : 1350, true);
    const size_t limbs = gfp_words_basis_limbs(s.basis);
    const gfp_level level = gfp_cpu_level_get();
    expect_projection(&s, level, SANITIZED ? 2 * limbs : limbs, 3, BLOCKS_OF_A_TREE);
    expect_projection(&s, level, 2 * limbs + 100, 6, BLOCKS_OF_A_TREE);
    for (unsigned i = 0; i < 2; i++) {
        expect_projection(&s, level, limbs, 3, 1);
        expect_projection(&s, level, limbs / 2, 2, 1);
    }
    expect_numbers(&s, level, limbs, 9, random);
    expect_numbers(&s, GFP_LEVEL_PORTABLE, limbs + 1, 1, random);
    expect_numbers(&s, level, limbs / 3, 3, random);
    close_stand(&s);
    open_stand(&s, 11, 700, false);
    for (unsigned i = 0; i < 6; i++) {
        expect_projection(&s, level, gfp_words_basis_limbs(s.basis) + basis_draw(3000),
                          1 + basis_draw(3), i % 2 == 0 ? 1 : BLOCKS_OF_A_TREE);
    }
    close_stand(&s);
    gmp_randclear(random);
}

/* One prime: residues and numbers from -(q - 1) / 2 to (q - 1) / 2. */
static void one_prime_is_a_basis(void **state)
{
    (void)state;
    stand s;
    open_stand(&s, 0, 2, false);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint8_t use[2] = {0, (uint8_t)(1U << l)};
        const uint64_t q = s.blocks[1]->q[l];
        gfp_words_basis *basis;
        assert_int_equal(gfp_words_basis_create(&basis, s.blocks, use, 2, NULL), GFP_OK);
        assert_int_equal(gfp_words_basis_limbs(basis), 1);
        const uint64_t residues[] = {0, 1, q - 1, (q - 1) / 2, (q + 1) / 2, basis_draw(q)};
        uint64_t z[2 * 6 * GFP_WORDS] = {0}, c[6];
        uint64_t *work = basis_lines(gfp_words_recombine_words(basis, 1, 6));
        for (unsigned i = 0; i < 6; i++) {
            z[6 * GFP_WORDS + i * GFP_WORDS + l] = residues[i];
        }
        for (gfp_level level = 0; level < GFP_LEVEL_COUNT; level++) {
            if (gfp_cpu_has(level)) {
                gfp_words_recombine(basis, level, c, 1, z, 6 * GFP_WORDS, 6, work);
                for (unsigned i = 0; i < 6; i++) {
                    assert_true(c[i] == residues[i] - (residues[i] > q / 2 ? q : 0));
                }
            }
        }
        basis_release(work, gfp_words_recombine_words(basis, 1, 6));
        gfp_words_basis_destroy(basis);
    }
    close_stand(&s);
}

static void bad_bases_are_refused(void **state)
{
    (void)state;
    stand s;
    open_stand(&s, 0, 2, false);
    gfp_words_basis *basis = NULL;
    const uint8_t none[2] = {0, 0}, twice[2] = {4, 4};
    const gfp_words *same[2] = {s.blocks[0], s.blocks[0]};
    assert_int_equal(gfp_words_basis_create(&basis, s.blocks, none, 2, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_words_basis_create(&basis, s.blocks, NULL, 0, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_words_basis_create(&basis, same, twice, 2, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_words_basis_create(&basis, s.blocks, NULL, SIZE_MAX / 64, NULL),
                     GFP_ERR_SIZE);
    assert_null(basis);
    gfp_words_basis_destroy(NULL);
    close_stand(&s);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    stand s;
    open_stand(&s, 0, 40, false);
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    for (size_t i = 0;; i++) {
        gfp_words_supply *supply = NULL;
        const gfp_words *block = NULL;
        gfp_words_basis *basis = NULL;
        meter_fail_at(&m, i);
        gfp_status status = gfp_words_supply_create(&supply, &hook);
        if (status == GFP_OK) {
            status = gfp_words_supply_block(supply, 5, &block);
        }
        if (status == GFP_OK) {
            status = gfp_words_basis_create_few(&basis, s.blocks, NULL, s.count, &hook);
        }
        gfp_words_basis_destroy(basis);
        gfp_words_supply_destroy(supply);
        meter_expect_empty(&m);
        if (status == GFP_OK) {
            assert_true(i > 5);
            break;
        }
        assert_int_equal(status, GFP_ERR_MEMORY);
        assert_null(basis);
    }
    close_stand(&s);
}

int main(void)
{
    gfp_random_seed(&generator, 20261126);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_primes_in_order),
        cmocka_unit_test(blocks_have_their_constants),
        cmocka_unit_test(draws_are_as_certain_as_they_say),
        cmocka_unit_test(the_supply_ends),
        cmocka_unit_test(threads_share_a_supply),
        cmocka_unit_test(residues_are_those_of_gmp),
        cmocka_unit_test(rows_are_quotients),
        cmocka_unit_test(numbers_are_those_of_gmp),
        cmocka_unit_test(long_numbers_are_those_of_gmp),
        cmocka_unit_test(one_prime_is_a_basis),
        cmocka_unit_test(bad_bases_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
