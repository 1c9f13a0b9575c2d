/* context.c: making fields: names, formulas, numbers, refusals; proofs of primality and tampered
 * certificates; properties; the tower of roots.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/primes/stock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TOWER_LEVELS 40

static gfp_field *const untouched = (gfp_field *)&lab_fields;

/* Parsing and creation from text give (r, k). */
static void expect_field(const char *text, uint64_t r, unsigned k)
{
    gfp_error error = {0};
    uint64_t parsed_r = 0;
    unsigned parsed_k = 0;
    lab_expect_status(gfp_field_parse(&parsed_r, &parsed_k, text, &error), GFP_OK, &error, text);
    assert_true(parsed_r == r && parsed_k == k);
    gfp_field *field = lab_create(text);
    if (gfp_field_r(field) != r || gfp_field_k(field) != k) {
        fail_msg("%s: got r = %llu, k = %u", text, (unsigned long long)gfp_field_r(field),
                 gfp_field_k(field));
    }
    gfp_field_destroy(field);
}

/* Creation from text fails in this way, with and without details, and leaves the output alone. */
static void expect_refused(const char *text, gfp_status status)
{
    gfp_field *field = untouched;
    gfp_error error = {0};
    lab_expect_status(gfp_field_create(&field, text, NULL, &error), status, &error, text);
    assert_ptr_equal(field, untouched);
    assert_int_equal(gfp_field_create(&field, text, NULL, NULL), status);
    assert_ptr_equal(field, untouched);
}

/* ---- properties ---- */

static void expect_decimal_modulus(const lab *l)
{
    char *text = mpz_get_str(NULL, 10, l->o.p);
    uint64_t words[GFP_MAX_LIMBS];
    unsigned limbs = gfp_field_limbs(l->field);
    assert_string_equal(gfp_field_get_info(l->field).modulus, text);
    free(text);
    assert_int_equal(limbs, (mpz_sizeinbase(l->o.p, 2) + 63) / 64);
    oracle_get_words(words, limbs, l->o.p);
    assert_memory_equal(words, gfp_field_modulus_limbs(l->field), limbs * sizeof *words);
}

static void properties_are_those_of_the_literature(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        const oracle_field *e = l->entry;
        assert_true(gfp_field_r(l->field) == e->r);
        assert_int_equal(gfp_field_k(l->field), e->k);
        assert_int_equal(gfp_field_bits(l->field), mpz_sizeinbase(l->o.p, 2));
        assert_true(e->bits == 0 || gfp_field_bits(l->field) == e->bits);
        assert_int_equal(gfp_field_v2_order(l->field), e->v2_r * e->k);
        assert_int_equal(mpz_scan1(l->o.special, 0), e->v2_r * e->k);
        expect_decimal_modulus(l);
    }
}

static void named_primes_are_all_listed(void **state)
{
    size_t named = 0;
    (void)state;
    for (size_t i = 0; i < ORACLE_FIELDS; i++) {
        const oracle_field *e = &oracle_fields[i];
        bool found = false;
        named += e->named;
        for (size_t j = 0; e->named && j < gfp_named_prime_count(); j++) {
            const gfp_named_prime *n = gfp_named_prime_get(j);
            if (strcmp(n->name, e->text) == 0) {
                found = n->r == e->r && n->k == e->k;
                expect_field(n->formula, e->r, e->k);
            }
        }
        assert_int_equal(found, e->named);
    }
    assert_int_equal(gfp_named_prime_count(), named);
    assert_null(gfp_named_prime_get(named));
    assert_null(gfp_named_prime_get(SIZE_MAX));
}

static void names_lead_back_to_the_field(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        gfp_field *again = lab_create(gfp_field_name(l->field));
        assert_true(gfp_field_same(l->field, again));
        assert_string_equal(gfp_field_name(l->field), gfp_field_name(again));
        if (l->entry->named) {
            assert_string_equal(gfp_field_name(l->field), l->entry->text);
        }
        gfp_field_destroy(again);
    }
}

static void fields_mix_only_with_equal_k_and_r(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *a = &lab_fields[i];
        for (size_t j = 0; lab_field_row(j); j++) {
            const lab *b = &lab_fields[j];
            assert_int_equal(gfp_field_same(a->field, b->field), i == j);
        }
        assert_false(gfp_field_same(a->field, NULL) || gfp_field_same(NULL, a->field));
    }
    assert_false(gfp_field_same(NULL, NULL));
}

static void constants_have_words(void **state)
{
    (void)state;
    for (int s = -20; s <= 3; s++) {
        assert_non_null(gfp_status_string((gfp_status)s));
        assert_true(gfp_status_string((gfp_status)s)[0] != '\0');
    }
    assert_string_equal(gfp_proof_string(GFP_PROOF_PROTH), "Proth");
    assert_string_equal(gfp_proof_string(GFP_PROOF_POCKLINGTON), "Pocklington");
    assert_non_null(gfp_machine_get_info().cpu_level);
    assert_true(gfp_version()[0] >= '0' && gfp_version()[0] <= '9');
    assert_true(gfp_build_get_info()->compiler[0] != '\0');
    gfp_field_destroy(NULL);
}

/* ---- texts ---- */

static void formulas_may_hold_spaces_sums_and_powers(void **state)
{
    const uint64_t p8 = (UINT64_C(1) << 63) + (UINT64_C(1) << 34);
    (void)state;
    expect_field("(2^63+2^34)^8+1", p8, 8);
    expect_field("( 2 ^ 63 + 2 ^ 34 ) ^ 8 + 1", p8, 8);
    expect_field(" (2^63+2^34)^8+1 ", p8, 8);
    expect_field("(2^34+2^63)^8+1", p8, 8);
    expect_field("9223372054034644992^8+1", p8, 8);
    expect_field("(9223372054034644992)^8+1", p8, 8);
    expect_field("(2^59+2^58+2^11)^4+1", lab_named("m4")->o.r, 4);
    expect_field("(2^64-2^50)^4+1", lab_fields[1].o.r, 4);
    expect_field("(2^12-2)^256+1", 4094, 256);
    expect_field("(4096-2)^256+1", 4094, 256);
    expect_field("(16)^2+1", 16, 2);
    expect_field("(2^4)^2+1", 16, 2);
    expect_field("2^16+1", 2, 16);
    expect_field("4^8+1", 4, 8);
    expect_field("30^32+1", 30, 32);
}

static void a_number_means_its_form_of_smallest_k(void **state)
{
    (void)state;
    expect_field("5", 2, 2);
    expect_field("17", 4, 2);
    expect_field("257", 16, 2);
    expect_field("65537", 256, 2);
    expect_field("0x10001", 256, 2);
    expect_field("0x101", 16, 2);
    for (size_t i = 0; lab_field_row(i); i++) {
        const oracle *o = &lab_fields[i].o;
        char text[6000] = "0x";
        uint64_t r = o->r;
        unsigned k = o->k;
        while (k > 2 && r >> 32 == 0) { /* r^k = (r^2)^(k/2) */
            r *= r;
            k /= 2;
        }
        mpz_get_str(text + 2, 16, o->p);
        expect_field(text, r, k);
        mpz_get_str(text, 10, o->p);
        expect_field(text, r, k);
    }
}

static void malformed_texts_are_refused(void **state)
{
    static const char *const bad[] = {
        "",        " ",        "(",       "()^2+1",   "(2^63+2^34)^8", "(2^63+2^34^8+1", "4^2+",
        "4^2+2",   "4^2-1",    "4^2",     "4^+1",     "^2+1",          "4^2+1x",         "17x",
        "0x",      "0xg",      "-17",     "+17",      "4^2+1+1",       "(4^2+1",         "4)^2+1",
        "(+)^2+1", "(2^)^2+1", "4^2^2+1", "\xff\xfe", "(2^63+)^8+1"};
    (void)state;
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        gfp_field *field = untouched;
        gfp_error error = {0};
        gfp_status status = gfp_field_create(&field, bad[i], NULL, &error);
        if (status != GFP_ERR_PARSE && status != GFP_ERR_UNKNOWN && status != GFP_ERR_MODULUS) {
            fail_msg("\"%s\": %s", bad[i], gfp_status_string(status));
        }
        lab_expect_status(status, status, &error, bad[i]);
        assert_ptr_equal(field, untouched);
    }
    expect_refused("", GFP_ERR_PARSE);
    expect_refused("(2^63+2^34^8+1", GFP_ERR_PARSE);
    expect_refused("17x", GFP_ERR_PARSE);
    expect_refused("4^2+1x", GFP_ERR_PARSE);
}

/* Every place where a space, a leading zero or another letter can stand. */
static void spaces_zeros_and_letters_are_accepted_where_documented(void **state)
{
    static const struct {
        const char *text;
        uint64_t r;
        unsigned k;
    } good[] = {{"2 ^ 2 + 1", 2, 2},   {"  2^2  +  1  ", 2, 2}, {" ( 2 ^ 4 - 0 ) ^ 2 + 1", 16, 2},
                {"(0^2+4)^2+1", 4, 2}, {" 17 ", 4, 2},          {"0X11", 4, 2},
                {"0x11", 4, 2},        {"0x0011", 4, 2},        {" 0X2A5", 26, 2},
                {"0x2a5", 26, 2},      {"(3^0+1)^2+1", 2, 2}};
    (void)state;
    for (size_t i = 0; LAB_ROW(good, i); i++) {
        expect_field(good[i].text, good[i].r, good[i].k);
    }
}

/* The same places, where they are refused. */
static void spaces_zeros_and_letters_are_refused_elsewhere(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
    } bad[] = {{"2^2+01", 4},
               {"2^02+1", 2},
               {"02^2+1", 0},
               {"(02)^2+1", 1},
               {"(2^04)^2+1", 3},
               {"(00+2)^2+1", 1},
               {"017", 0},
               {" 017", 1},
               {"00x11", 0},
               {"00", 0},
               {"2^2+1 1", 6},
               {"2^2+11", 5},
               {"2^2+2", 4},
               {"2^2 1", 4},
               {"2^1 6+1", 4},
               {"1 6^2+1", 2},
               {"2\t^2+1", 1},
               {"2^2+1\n", 5},
               {"\n2^2+1", 0},
               {"17\n", 2},
               {"1 7", 1},
               {"0x 11", 2},
               {"0 x11", 1},
               {"0x11 0", 4},
               {"0x1_1", 3},
               {"0x10^2+1", 1},
               {"(2^4^2+1", 4},
               {"2^+1", 2},
               {"(2^4)2+1", 5},
               {"0x", 2},
               {"(-2)^2+1", 1},
               {"((4))^2+1", 1},
               {"\xa0"
                "2^2+1",
                0},
               {"2^2+", 4},
               {"   ", 0}};
    (void)state;
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        gfp_field *field = untouched;
        gfp_error error = {0};
        lab_expect_status(gfp_field_create(&field, bad[i].text, NULL, &error), GFP_ERR_PARSE,
                          &error, bad[i].text);
        assert_ptr_equal(field, untouched);
        if (error.offset != bad[i].offset) {
            fail_msg("\"%s\": offset %llu, expected %zu: %s", bad[i].text,
                     (unsigned long long)error.offset, bad[i].offset, error.message);
        }
    }
    expect_refused("P8", GFP_ERR_UNKNOWN);
    expect_refused("p 8", GFP_ERR_UNKNOWN);
    expect_refused("p8\t", GFP_ERR_UNKNOWN);
}

/* A form is read without a proof; what is malformed leaves the outputs alone. */
static void forms_are_parsed_without_a_proof(void **state)
{
    static const struct {
        const char *text;
        gfp_status status;
        uint64_t r;
        unsigned k;
    } all[] = {
        {"p128", GFP_OK, UINT64_C(0xfffffffff0000000), 128},
        {"34^2+1", GFP_OK, 34, 2}, /* 13 89 */
        {"3^5+1", GFP_OK, 3, 5},
        {"2^99999999999+1", GFP_OK, 2, UINT32_MAX},
        {"1157", GFP_OK, 34, 2},
        {"65537", GFP_OK, 256, 2},
        {"p3", GFP_ERR_UNKNOWN, 7, 9},
        {"2^^2", GFP_ERR_PARSE, 7, 9},
        {"12", GFP_ERR_MODULUS, 7, 9},
        {"10", GFP_ERR_MODULUS, 7, 9}, /* 3^2 + 1: r is odd */
        {"1^2+1", GFP_ERR_MODULUS, 7, 9},
        {NULL, GFP_ERR_PARSE, 7, 9},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(all, i); i++) {
        uint64_t r = 7;
        unsigned k = 9;
        assert_int_equal(gfp_field_parse(&r, &k, all[i].text, NULL), all[i].status);
        assert_true(r == all[i].r && k == all[i].k);
    }
    unsigned k = 9;
    assert_int_equal(gfp_field_parse(NULL, &k, "p8", NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(k, 9);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    expect_refused("p3", GFP_ERR_UNKNOWN);
    expect_refused("p256", GFP_ERR_UNKNOWN);
    expect_refused("m2", GFP_ERR_UNKNOWN);
    expect_refused("p", GFP_ERR_UNKNOWN);
    expect_refused("fermat", GFP_ERR_UNKNOWN);
}

static void unsupported_moduli_are_refused(void **state)
{
    static const char *const bad[] = {"3^4+1",
                                      "3^2+1",
                                      "2^3+1",
                                      "30^3+1",
                                      "2^512+1",
                                      "2^1+1",
                                      "16^1+1",
                                      "2^0+1",
                                      "0^2+1",
                                      "1^2+1",
                                      "(2^64)^2+1",
                                      "18446744073709551616^2+1",
                                      "(2^70)^2+1",
                                      "(2^64+2^50)^4+1",
                                      "(4-4)^2+1",
                                      "(2-4)^2+1",
                                      "(2^64+2-2^64)^3+1",
                                      "2^4294967296+1",
                                      "2^18446744073709551618+1",
                                      "(2^18446744073709551617)^2+1",
                                      "0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "18",
                                      "19",
                                      "7",
                                      "0x13",
                                      "18446744073709551615",
                                      "340282366920938463463374607431768211507"};
    (void)state;
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        expect_refused(bad[i], GFP_ERR_MODULUS);
    }
}

static void an_endless_number_is_refused_quickly(void **state)
{
    char *text = malloc(200001);
    (void)state;
    assert_non_null(text);
    memset(text, '7', 200000);
    text[200000] = '\0';
    expect_refused(text, GFP_ERR_MODULUS);
    free(text);
}

static void composite_moduli_are_refused_with_a_reason(void **state)
{
    static const char *const bad[] = {"34^2+1",
                                      "1157",
                                      "8^2+1",
                                      "65",
                                      "2^32+1",
                                      "65536^2+1",
                                      "4294967297",
                                      "2^256+1",
                                      "(2^63+2^34)^16+1",
                                      "(2^63+2^35)^8+1",
                                      "32^64+1",
                                      "278^128+1",
                                      "30^64+1"};
    (void)state;
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        gfp_field *field = untouched;
        gfp_error error = {0};
        expect_refused(bad[i], GFP_ERR_COMPOSITE);
        assert_int_equal(gfp_field_create(&field, bad[i], NULL, &error), GFP_ERR_COMPOSITE);
        assert_true(strstr(error.message, "composite") != NULL ||
                    strstr(error.message, "divi") != NULL ||
                    strstr(error.message, "factor") != NULL);
    }
}

/* r and k given directly. */
static void expect_rk_refused(uint64_t r, unsigned k, gfp_status status)
{
    gfp_field *field = untouched;
    gfp_certificate certificate = {GFP_PROOF_PROTH, 0, {{0, 0}}};
    gfp_error error = {0};
    lab_expect_status(gfp_field_create_rk(&field, r, k, NULL, &error), status, &error, "create_rk");
    assert_int_equal(gfp_field_create_rk(&field, r, k, NULL, NULL), status);
    assert_ptr_equal(field, untouched);
    lab_expect_status(gfp_certificate_create(&certificate, r, k, NULL, &error), status, &error,
                      "certificate_create");
    assert_int_equal(certificate.count, 0);
}

static void unsupported_r_and_k_are_refused(void **state)
{
    (void)state;
    expect_rk_refused(3, 4, GFP_ERR_MODULUS);
    expect_rk_refused(UINT64_MAX, 4, GFP_ERR_MODULUS);
    expect_rk_refused(0, 4, GFP_ERR_MODULUS);
    expect_rk_refused(1, 4, GFP_ERR_MODULUS);
    expect_rk_refused(4, 0, GFP_ERR_MODULUS);
    expect_rk_refused(4, 1, GFP_ERR_MODULUS);
    expect_rk_refused(4, 3, GFP_ERR_MODULUS);
    expect_rk_refused(4, 6, GFP_ERR_MODULUS);
    expect_rk_refused(4, 512, GFP_ERR_MODULUS);
    expect_rk_refused(4, UINT_MAX, GFP_ERR_MODULUS);
    expect_rk_refused(4, UINT_MAX / 2 + 1, GFP_ERR_MODULUS);
    expect_rk_refused(34, 2, GFP_ERR_COMPOSITE);
    expect_rk_refused(UINT64_MAX - 1, 2, GFP_ERR_COMPOSITE);
    expect_rk_refused(2, 32, GFP_ERR_COMPOSITE);
}

/* Whatever the library says of r^k + 1 for small even r, GMP says too. */
static void small_radices_are_prime_where_gmp_says_so(void **state)
{
    (void)state;
    for (unsigned k = 2; k <= 16; k *= 2) {
        for (uint64_t r = 2; r < (SANITIZED ? 100 : 400); r += 2) {
            oracle o;
            gfp_field *field = NULL;
            gfp_status status = gfp_field_create_rk(&field, r, k, NULL, NULL);
            oracle_init(&o, r, k);
            lab_expect_status(status, oracle_is_probable_prime(&o) ? GFP_OK : GFP_ERR_COMPOSITE,
                              NULL, "small r");
            oracle_clear(&o);
            gfp_field_destroy(field);
        }
    }
}

/* ---- proofs ---- */

static bool oracle_accepts(const oracle *o, const gfp_certificate *c)
{
    uint64_t primes[16], bases[16];
    for (unsigned i = 0; i < c->count; i++) {
        primes[i] = c->factor[i].prime;
        bases[i] = c->factor[i].base;
    }
    return c->factor[0].prime == 2 && oracle_proves(o, primes, bases, c->count);
}

static void certificates_prove_their_primes(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        const gfp_certificate *c = gfp_field_get_info(l->field).certificate;
        assert_true(c->count >= 1 && c->count <= 16);
        if (!oracle_accepts(&l->o, c)) {
            fail_msg("%s: the certificate proves nothing", l->entry->text);
        }
        assert_true(c->proof == GFP_PROOF_POCKLINGTON || c->count == 1);
        if (l->entry->proof != ORACLE_ANY_PROOF) {
            assert_int_equal(c->proof, l->entry->proof == ORACLE_PROTH ? GFP_PROOF_PROTH
                                                                       : GFP_PROOF_POCKLINGTON);
        }
    }
}

static void named_primes_carry_certificates_that_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *n = gfp_named_prime_get(i);
        gfp_certificate fresh;
        gfp_error error = {0};
        oracle o;
        if (SANITIZED && n->k > 32) {
            continue; /* GMP's powers, for the most part */
        }
        lab_expect_status(gfp_certificate_create(&fresh, n->r, n->k, NULL, &error), GFP_OK, NULL,
                          n->name);
        assert_int_equal(fresh.proof, n->certificate.proof);
        oracle_init(&o, n->r, n->k);
        assert_true(oracle_accepts(&o, &n->certificate));
        assert_true(oracle_accepts(&o, &fresh));
        oracle_clear(&o);
    }
}

/* ---- the tower ---- */

static void get_root(const lab *l, mpz_t z, unsigned m)
{
    uint64_t *x = lab_array(l->k);
    assert_int_equal(gfp_field_root(l->field, x, m), GFP_OK);
    assert_true(oracle_is_canonical(&l->o, x));
    oracle_get(&l->o, z, x);
    lab_free(x);
}

static unsigned log2_of(unsigned n)
{
    unsigned m = 0;
    while (n > 1) {
        n /= 2;
        m++;
    }
    return m;
}

static void check_tower(const lab *l)
{
    unsigned v = gfp_field_v2_order(l->field);
    unsigned levels = v < TOWER_LEVELS ? v : TOWER_LEVELS;
    mpz_t lower, root, z;
    mpz_inits(lower, root, z, NULL);
    get_root(l, lower, 0);
    assert_int_equal(mpz_cmp_ui(lower, 1), 0);
    for (unsigned m = 1; m <= levels; m++) {
        get_root(l, root, m);
        oracle_mul(&l->o, z, root, root);
        assert_int_equal(mpz_cmp(z, lower), 0);
        mpz_set(lower, root);
    }
    get_root(l, z, 1);
    assert_int_equal(mpz_cmp(z, l->o.special), 0);
    get_root(l, z, log2_of(2 * l->k));
    oracle_r_power(&l->o, root, 1);
    assert_int_equal(mpz_cmp(z, root), 0);
    mpz_clears(lower, root, z, NULL);
}

static void roots_form_a_tower_over_r(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        check_tower(&lab_fields[i]);
    }
}

/* w_(2^v)^(2^v / 2k) = r at the top too, and the levels about 64 hang together. */
static void check_top(const lab *l)
{
    unsigned v = gfp_field_v2_order(l->field), base = log2_of(2 * l->k);
    mpz_t top, z, expected;
    mpz_inits(top, z, expected, NULL);
    get_root(l, top, v);
    for (unsigned m = v; m-- > base;) {
        oracle_mul(&l->o, top, top, top);
        if (m > 60 && m < 68) {
            get_root(l, z, m);
            assert_int_equal(mpz_cmp(z, top), 0);
        }
    }
    oracle_r_power(&l->o, expected, 1);
    assert_int_equal(mpz_cmp(top, expected), 0);
    mpz_clears(top, z, expected, NULL);
}

static void the_top_of_the_tower_is_joined_to_its_foot(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        check_top(&lab_fields[i]);
    }
}

/* The definition: g = a^((p-1)/2^v), w_(2^v) = g^j, j odd below 2k. */
static void check_definition(const lab *l)
{
    unsigned v = gfp_field_v2_order(l->field);
    bool found = false;
    mpz_t g, e, top;
    mpz_inits(g, e, top, NULL);
    oracle_set_u64(g, gfp_field_get_info(l->field).certificate->factor[0].base);
    mpz_tdiv_q_2exp(e, l->o.special, v);
    oracle_pow(&l->o, g, g, e);
    get_root(l, top, v);
    for (unsigned long j = 1; j < 2 * l->k; j += 2) {
        mpz_powm_ui(e, g, j, l->o.p);
        found = found || mpz_cmp(e, top) == 0;
    }
    assert_true(found);
    mpz_clears(g, e, top, NULL);
}

static void the_top_root_is_the_one_defined(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        check_definition(&lab_fields[i]);
    }
}

static void there_is_no_root_beyond_the_tower(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        uint64_t *x = lab_array(l->k);
        unsigned v = gfp_field_v2_order(l->field);
        const unsigned beyond[] = {v + 1, v + 64, 1u << 31, UINT_MAX};
        gfp_elem_one(l->field, x);
        for (size_t j = 0; j < 4; j++) {
            assert_int_equal(gfp_field_root(l->field, x, beyond[j]), GFP_ERR_NO_ROOT);
            assert_true(gfp_elem_is_one(l->field, x));
        }
        lab_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_are_those_of_the_literature),
        cmocka_unit_test(named_primes_are_all_listed),
        cmocka_unit_test(names_lead_back_to_the_field),
        cmocka_unit_test(fields_mix_only_with_equal_k_and_r),
        cmocka_unit_test(constants_have_words),
        cmocka_unit_test(formulas_may_hold_spaces_sums_and_powers),
        cmocka_unit_test(a_number_means_its_form_of_smallest_k),
        cmocka_unit_test(malformed_texts_are_refused),
        cmocka_unit_test(spaces_zeros_and_letters_are_accepted_where_documented),
        cmocka_unit_test(spaces_zeros_and_letters_are_refused_elsewhere),
        cmocka_unit_test(forms_are_parsed_without_a_proof),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(unsupported_moduli_are_refused),
        cmocka_unit_test(an_endless_number_is_refused_quickly),
        cmocka_unit_test(composite_moduli_are_refused_with_a_reason),
        cmocka_unit_test(unsupported_r_and_k_are_refused),
        cmocka_unit_test(small_radices_are_prime_where_gmp_says_so),
        cmocka_unit_test(certificates_prove_their_primes),
        cmocka_unit_test(named_primes_carry_certificates_that_hold),
        cmocka_unit_test(roots_form_a_tower_over_r),
        cmocka_unit_test(the_top_of_the_tower_is_joined_to_its_foot),
        cmocka_unit_test(the_top_root_is_the_one_defined),
        cmocka_unit_test(there_is_no_root_beyond_the_tower),
    };
    return cmocka_run_group_tests(tests, lab_setup_all, lab_teardown);
}
