/* dealt.c: calls over Z with a dealer, on 1 to 5 ranks, give the text that the same call gives
 * without one: at every kernel level, with threads, with every check; they go on from checkpoints;
 * operands that differ between ranks, and caps that one rank keeps, end the call on all ranks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <unistd.h>

#include "lab/thread_ranks.h"
#include "modular/polynomials.h"
#include "modular/points/lab.h"
#include "lab/rows.h"

#if GFP_HAVE_FLINT
#include <flint/flint.h>
#endif

#include "gfpoly/zmatrix.h"
#include "gfpoly/zsystem.h"

/* Operands: f and g with a common factor; p and q in two variables; wide_p and wide_q, whose
 * coefficients are so long that one thread alone would split the images into several loops; a
 * matrix m; a system with multiple solutions. */
static gfp_zvec f, g;
static gfp_zbipoly p, q, wide_p, wide_q, circle, curve;
static gfp_zmatrix m;

/* ---- operations: a text with all results ---- */

static gfp_status resultant_text(FILE *text, const gfp_options *options)
{
    gfp_zvec r;
    gfp_zvec_init(&r, ring);
    gfp_status status = gfp_zvec_resultant(&r, &f, &p.coeff[0], options);
    status = status == GFP_OK ? gfp_zvec_fwrite(&r, text) : status;
    gfp_zvec_clear(&r);
    return status;
}

static gfp_status discriminant_text(FILE *text, const gfp_options *options)
{
    gfp_zvec r;
    gfp_zvec_init(&r, ring);
    gfp_status status = gfp_zvec_discriminant(&r, &f, options);
    status = status == GFP_OK ? gfp_zvec_fwrite(&r, text) : status;
    gfp_zvec_clear(&r);
    return status;
}

static gfp_status gcd_text(FILE *text, const gfp_options *options)
{
    gfp_zvec r[3];
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_init(&r[i], ring);
    }
    gfp_status status = gfp_zvec_gcd_cofactors(&r[0], &r[1], &r[2], &f, &g, options);
    for (size_t i = 0; i < 3; i++) {
        status = status == GFP_OK ? gfp_zvec_fwrite(&r[i], text) : status;
        gfp_zvec_clear(&r[i]);
    }
    return status;
}

static gfp_status resultant_y_text(FILE *text, const gfp_zbipoly *a, const gfp_zbipoly *b,
                                   const gfp_options *options)
{
    gfp_zvec r;
    gfp_zvec_init(&r, ring);
    gfp_status status = gfp_zbipoly_resultant_y(&r, a, b, options);
    status = status == GFP_OK ? gfp_zvec_fwrite(&r, text) : status;
    gfp_zvec_clear(&r);
    return status;
}

static gfp_status biresultant_text(FILE *text, const gfp_options *options)
{
    return resultant_y_text(text, &p, &q, options);
}

static gfp_status wide_biresultant_text(FILE *text, const gfp_options *options)
{
    return resultant_y_text(text, &wide_p, &wide_q, options);
}

static gfp_status determinant_text(FILE *text, const gfp_options *options)
{
    gfp_zvec r;
    gfp_zvec_init(&r, ring);
    gfp_status status = gfp_zmatrix_det(&r, &m, options);
    status = status == GFP_OK ? gfp_zvec_fwrite(&r, text) : status;
    gfp_zvec_clear(&r);
    return status;
}

static gfp_status charpoly_text(FILE *text, const gfp_options *options)
{
    gfp_zbipoly r;
    gfp_zbipoly_init(&r, ring);
    gfp_status status = gfp_zmatrix_charpoly(&r, &m, options);
    status = status == GFP_OK ? gfp_zbipoly_fwrite(&r, text) : status;
    gfp_zbipoly_clear(&r);
    return status;
}

static gfp_status solve_text(FILE *text, const gfp_zbipoly *a, const gfp_zbipoly *b,
                             const gfp_options *options)
{
    gfp_zsystem s;
    gfp_zsystem_init(&s, ring);
    gfp_status status = gfp_zsystem_solve(&s, a, b, options);
    status = status == GFP_OK ? gfp_zsystem_fwrite(&s, text) : status;
    gfp_zsystem_clear(&s);
    return status;
}

static gfp_status system_text(FILE *text, const gfp_options *options)
{
    return solve_text(text, &p, &q, options);
}

static gfp_status multiple_text(FILE *text, const gfp_options *options)
{
    return solve_text(text, &circle, &curve, options);
}

static const struct operation {
    const char *name;
    gfp_status (*write)(FILE *text, const gfp_options *options);
} operations[] = {
    {"resultant", resultant_text},
    {"discriminant", discriminant_text},
    {"gcd", gcd_text},
    {"biresultant", biresultant_text},
    {"biresultant of long coefficients", wide_biresultant_text},
    {"determinant", determinant_text},
    {"charpoly", charpoly_text},
    {"system", system_text},
    {"multiple solutions", multiple_text},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* ---- one call on all ranks ---- */

struct trial {
    const struct operation *operation;
    gfp_options options;
    unsigned capped; /* a rank with a memory cap that does not suffice; THREAD_RANKS: none */
    unsigned other;  /* a rank with another operation */
    unsigned unread; /* a rank whose options are refused, */
    bool later;      /* being those of a later version */
    char *text[THREAD_RANKS];
    gfp_status status[THREAD_RANKS];
    gfp_error error[THREAD_RANKS];
    uint64_t restored;
};

static gfp_status operation_text(char **text, const struct operation *operation,
                                 const gfp_options *options)
{
    size_t size;
    FILE *stream = open_memstream(text, &size);
    if (stream == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = operation->write(stream, options);
    return fclose(stream) == 0 ? status : GFP_ERR_IO;
}

/* Options with a member that this version does not know. */
struct later_options {
    gfp_options known;
    uint64_t unknown;
};

static void run_rank(unsigned rank, gfp_dealer *dealer, void *user)
{
    struct trial *t = user;
    gfp_options options = t->options;
    options.dealer = dealer;
    options.threads = options.threads != 0 ? options.threads : 1 + rank % 2;
    options.error = &t->error[rank];
    options.memory_cap = rank == t->capped ? 1 : 0;
    t->error[rank] = (gfp_error){.status = GFP_OK};
    const struct operation *operation = t->operation;
    if (rank == t->other) {
        operation = &operations[(size_t)(operation - operations + 1) % OPERATIONS];
    }
    options.size = rank == t->unread && t->later ? sizeof(struct later_options) : 0;
    options.verify = rank == t->unread && !t->later ? (gfp_verify)99 : options.verify;
    const struct later_options later = {options, 1};
    t->status[rank] = operation_text(&t->text[rank], operation, &later.known);
    if (rank == 0) {
        t->restored = gfp_dealer_get_info(dealer).restored;
    }
#if GFP_HAVE_FLINT
    flint_cleanup(); /* of this thread */
#endif
}

static void trial_run(struct trial *t, unsigned ranks, const char *path)
{
    (void)thread_ranks_run(ranks, path, SIZE_MAX, run_rank, t);
}

static void free_texts(struct trial *t, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        free(t->text[rank]);
    }
}

static struct trial trial_of(const struct operation *operation)
{
    return (struct trial){.operation = operation,
                          .capped = THREAD_RANKS,
                          .other = THREAD_RANKS,
                          .unread = THREAD_RANKS};
}

/* ---- tests ---- */

static void ranks_give_the_same_text(void **state)
{
    const gfp_level own = ring->level;
    (void)state;
    for (size_t i = 0; LAB_ROW(operations, i); i++) {
        for (unsigned ranks = 1; ranks <= THREAD_RANKS; ranks++) {
            struct trial t = trial_of(&operations[i]);
            char *expected;
            lab_row_name(operations[i].name);
            t.options = (gfp_options){.verify = (gfp_verify)(GFP_VERIFY_NONE + ranks % 3),
                                      .threads = 1 + ranks % 2};
            ring->level = zlab_level(i + ranks);
            assert_int_equal(operation_text(&expected, &operations[i], &t.options), GFP_OK);
            trial_run(&t, ranks, NULL);
            for (unsigned rank = 0; rank < ranks; rank++) {
                assert_int_equal(t.status[rank], GFP_OK);
                assert_string_equal(t.text[rank], expected);
            }
            free_texts(&t, ranks);
            free(expected);
        }
    }
    ring->level = own;
}

static void calls_go_on_from_checkpoints(void **state)
{
    (void)state;
    for (size_t i = 0; LAB_ROW(operations, i); i++) {
        char path[] = "/tmp/gfpoly_dealt_XXXXXX";
        struct trial t = trial_of(&operations[i]), again = t;
        lab_row_name(operations[i].name);
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        t.options.threads = 1;
        trial_run(&t, 2, path);
        assert_int_equal(t.status[0], GFP_OK);
        assert_int_equal(t.restored, 0);
        again.options.threads = 2;
        trial_run(&again, 3, path);
        assert_true(again.restored > 0);
        for (unsigned rank = 0; rank < 3; rank++) {
            assert_int_equal(again.status[rank], GFP_OK);
            assert_string_equal(again.text[rank], t.text[0]);
        }
        free_texts(&t, 2);
        free_texts(&again, 3);
        struct trial other = trial_of(&operations[(i + 1) % OPERATIONS]);
        trial_run(&other, 1, path);
        assert_int_equal(other.status[0], GFP_ERR_ARGUMENT);
        assert_non_null(strstr(other.error[0].message, "belongs to other operands"));
        free_texts(&other, 1);
        (void)close(fd);
        (void)unlink(path);
    }
}

static void failures_on_one_rank_are_those_of_all(void **state)
{
    (void)state;
    for (size_t i = 0; LAB_ROW(operations, i); i++) {
        for (unsigned where = 0; where < 3; where++) {
            struct trial t = trial_of(&operations[i]), other = t;
            lab_row_name(operations[i].name);
            t.capped = where;
            trial_run(&t, 3, NULL);
            other.other = where;
            trial_run(&other, 3, NULL);
            for (unsigned rank = 0; rank < 3; rank++) {
                assert_int_equal(t.status[rank], GFP_ERR_MEMORY);
                assert_non_null(strstr(t.error[rank].message, "cap"));
                assert_string_equal(t.text[rank], "");
                assert_int_equal(other.status[rank], GFP_ERR_ARGUMENT);
                assert_non_null(strstr(other.error[rank].message, "ranks have different"));
                assert_string_equal(other.text[rank], "");
            }
            free_texts(&t, 3);
            free_texts(&other, 3);
        }
    }
}

static void options_that_one_rank_refuses_end_the_call_of_all(void **state)
{
    (void)state;
    for (size_t i = 0; LAB_ROW(operations, i); i++) {
        for (unsigned where = 0; where < 3; where++) {
            struct trial t = trial_of(&operations[i]);
            lab_row_name(operations[i].name);
            t.unread = where;
            t.later = (i + where) % 2 == 1;
            trial_run(&t, 3, NULL);
            for (unsigned rank = 0; rank < 3; rank++) {
                assert_int_equal(t.status[rank], GFP_ERR_ARGUMENT);
                assert_int_equal(t.error[rank].status, GFP_ERR_ARGUMENT);
                assert_non_null(strstr(t.error[rank].message,
                                       t.later ? "members beyond" : "no such kind of verif"));
                assert_string_equal(t.text[rank], "");
            }
            free_texts(&t, 3);
        }
    }
}

/* ---- operands ---- */

static void set_random(gfp_zbipoly *z, size_t len, size_t bits, gfp_random *random)
{
    bilab x = bilab_random(len, len, bits, true, random);
    gfp_zbipoly_init(z, ring);
    bilab_set(z, x);
    bilab_free(&x);
}

static int make_operands(void **state)
{
    gfp_random random;
    gfp_random_seed(&random, 11);
    if (zlab_setup(state) != 0) {
        return -1;
    }
    zlab d = zlab_random(20, 90, 1, &random);
    zlab u = zlab_random(30, 100, 1, &random), v = zlab_random(25, 80, 1, &random);
    zlab du = zlab_product(d, u), dv = zlab_product(d, v);
    gfp_zvec_init(&f, ring);
    gfp_zvec_init(&g, ring);
    zlab_set(&f, du);
    zlab_set(&g, dv);
    zlab *const all[] = {&d, &u, &v, &du, &dv};
    for (size_t i = 0; i < 5; i++) {
        zlab_free(all[i]);
    }
    set_random(&p, 9, 70, &random);
    set_random(&q, 8, 60, &random);
    set_random(&wide_p, 9, 1500, &random);
    set_random(&wide_q, 8, 1500, &random);
    gfp_zbipoly_init(&circle, ring);
    gfp_zbipoly_init(&curve, ring);
    /* (X^2 + Y^2 - 1)^2 and a curve that touches the circle. */
    lab_bivariate_read(&circle, "5  1 0 -2 0 1\n0\n3  -2 0 2\n0\n1  1\n");
    lab_bivariate_read(&curve, "4  0 -1 0 1\n1  -1\n2  0 3\n1  1\n");
    gfp_zmatrix_init(&m, ring);
    if (gfp_zmatrix_set_zero(&m, 6) != GFP_OK) {
        return -1;
    }
    for (size_t i = 0; i < 36; i++) {
        if (gfp_zmatrix_set_entry(&m, i / 6, i % 6, &p.coeff[i % p.len]) != GFP_OK) {
            return -1;
        }
    }
    return 0;
}

static int free_operands(void **state)
{
    gfp_zvec_clear(&f);
    gfp_zvec_clear(&g);
    gfp_zbipoly *const all[] = {&p, &q, &wide_p, &wide_q, &circle, &curve};
    for (size_t i = 0; i < 6; i++) {
        gfp_zbipoly_clear(all[i]);
    }
    gfp_zmatrix_clear(&m);
    return zlab_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_give_the_same_text),
        cmocka_unit_test(calls_go_on_from_checkpoints),
        cmocka_unit_test(failures_on_one_rank_are_those_of_all),
        cmocka_unit_test(options_that_one_rank_refuses_end_the_call_of_all),
    };
    return cmocka_run_group_tests(tests, make_operands, free_operands);
}
