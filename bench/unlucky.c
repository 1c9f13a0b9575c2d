/* unlucky.c: gfpoly_unlucky: how often primes are unlucky: for families of problems the exact
 * integer U over Z whose prime divisors are the unlucky primes, and counts of such primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_factor.h>
#include <flint/ulong_extras.h>

#include "bench/markdown.h"
#include "gfpoly.h"
#include "bench/options.h"
#include "bench/unlucky.h"
#include "cli/json.h"
#include "crt/blocks/remainders.h"

enum { STORED_BLOCKS = 64 };

typedef struct study {
    uint64_t seed;
    size_t samples, problems;
    size_t bits; /* of the result of a job */
    bool check, json;
    gfp_random random;
    uint64_t stored[STORED_BLOCKS * GFP_WORDS];
    size_t stored_count;
    fmpz_mpoly_ctx_t ring; /* Z[x, y] */
} study;

/* Counts of a family: sums over its problems. */
typedef struct counts {
    size_t problems, bits, rest; /* the longest U; its longest part without primes below 2^16 */
    uint64_t largest;            /* bad prime below 2^16 */
    size_t bad[5], tests[5];     /* 16, 31, 62 bits, stored, named */
} counts;

static uint64_t random_prime(study *s, unsigned bits)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    for (;;) {
        const uint64_t q = top | (gfp_random_u64(&s->random) & (top - 1)) | 1;
        if (n_is_prime(q)) {
            return q;
        }
    }
}

static void unlucky_count(counts *c, unsigned which, const fmpz_t u, uint64_t q)
{
    c->tests[which]++;
    c->bad[which] += fmpz_fdiv_ui(u, q) == 0;
}

static void count_named(counts *c, const fmpz_t u)
{
    fmpz_t p;
    fmpz_init(p);
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *named = gfp_named_prime_get(i);
        fmpz_set_ui(p, named->r);
        fmpz_pow_ui(p, p, named->k);
        fmpz_add_ui(p, p, 1);
        c->tests[4]++;
        c->bad[4] += fmpz_divisible(u, p) != 0;
    }
    fmpz_clear(p);
}

/* Divides u by its primes below 2^16. */
static void count_all(study *s, counts *c, fmpz_t u)
{
    const size_t bits = fmpz_bits(u);
    if (bits == 0) {
        return; /* no prime is lucky: no problem of the family */
    }
    c->problems++;
    c->bits = bits > c->bits ? bits : c->bits;
    for (size_t i = 0; i < s->samples; i++) {
        unlucky_count(c, 1, u, random_prime(s, 31));
        unlucky_count(c, 2, u, random_prime(s, 62));
    }
    for (size_t i = 0; i < s->stored_count; i++) {
        unlucky_count(c, 3, u, s->stored[i]);
    }
    count_named(c, u);
    for (uint64_t q = 2; q < 65536; q = n_nextprime(q, 1)) {
        if (q >= 32768) {
            unlucky_count(c, 0, u, q);
        }
        if (fmpz_fdiv_ui(u, q) == 0) {
            c->largest = q > c->largest ? q : c->largest;
            while (fmpz_fdiv_ui(u, q) == 0) {
                fmpz_divexact_ui(u, u, q);
            }
        }
    }
    c->rest = fmpz_bits(u) > c->rest ? fmpz_bits(u) : c->rest;
}

static int64_t unlucky_coefficient(study *s)
{
    return (int64_t)(gfp_random_u64(&s->random) % 255) - 127;
}

static void random_poly(study *s, fmpz_poly_t a, size_t degree)
{
    fmpz_poly_zero(a);
    for (size_t i = 0; i <= degree; i++) {
        const int64_t x = unlucky_coefficient(s);
        fmpz_poly_set_coeff_si(a, (slong)i, x == 0 ? 1 : x);
    }
}

/* All terms of degree at most d. */
static void random_pair_member(study *s, fmpz_mpoly_t f, size_t d)
{
    fmpz_mpoly_zero(f, s->ring);
    for (ulong i = 0; i <= d; i++) {
        for (ulong j = 0; i + j <= d; j++) {
            const ulong e[2] = {i, j};
            fmpz_mpoly_set_coeff_si_ui(f, unlucky_coefficient(s), e, s->ring);
        }
    }
}

/* r := Res_y(f, g). */
static void unlucky_eliminate(study *s, fmpz_poly_t r, fmpz_mpoly_t f, fmpz_mpoly_t g)
{
    fmpz_mpoly_t h;
    fmpz_mpoly_init(h, s->ring);
    if (!fmpz_mpoly_resultant(h, f, g, 1, s->ring) || !fmpz_mpoly_get_fmpz_poly(r, h, 0, s->ring)) {
        (void)complain("a resultant failed");
        exit(1);
    }
    fmpz_mpoly_clear(h, s->ring);
}

/* u := lc(r) disc(the squarefree part of r). */
static void unlucky_of(fmpz_t u, const fmpz_poly_t r)
{
    fmpz_poly_t d, part;
    fmpz_poly_init(d);
    fmpz_poly_init(part);
    fmpz_poly_derivative(d, r);
    fmpz_poly_gcd(d, d, r);
    fmpz_poly_primitive_part(d, d);
    fmpz_poly_div(part, r, d);
    fmpz_poly_discriminant(u, part);
    fmpz_mul(u, u, fmpz_poly_lead(r));
    fmpz_poly_clear(d);
    fmpz_poly_clear(part);
}

static void unlucky_pair(study *s, fmpz_poly_t r, size_t d)
{
    fmpz_mpoly_t f, g;
    fmpz_mpoly_init(f, s->ring);
    fmpz_mpoly_init(g, s->ring);
    random_pair_member(s, f, d);
    random_pair_member(s, g, d);
    unlucky_eliminate(s, r, f, g);
    fmpz_mpoly_clear(f, s->ring);
    fmpz_mpoly_clear(g, s->ring);
}

static void random_pairs(study *s, counts *c, size_t d, size_t unused)
{
    (void)unused;
    fmpz_poly_t r;
    fmpz_t u;
    fmpz_poly_init(r);
    fmpz_init(u);
    for (size_t i = 0; i < s->problems; i++) {
        unlucky_pair(s, r, d);
        unlucky_of(u, r);
        count_all(s, c, u);
    }
    fmpz_clear(u);
    fmpz_poly_clear(r);
}

/* Stops unless all primes of u divide n. */
static void check_primes(const fmpz_t u, uint64_t n)
{
    fmpz_t rest, g;
    fmpz_init_set(rest, u);
    fmpz_init_set_ui(g, n);
    for (fmpz_gcd(g, rest, g); !fmpz_is_one(g); fmpz_gcd(g, rest, g)) {
        fmpz_divexact(rest, rest, g);
    }
    if (!fmpz_is_pm1(rest)) {
        (void)complain("a prime of U does not divide 2 n m");
        exit(1);
    }
    fmpz_clear(g);
    fmpz_clear(rest);
}

/* T_n(x) + T_m(y) and its derivative by y: the resultant is, up to m^n 2^j, the product of
 * T_n(x) + T_m(z) over the zeros z of T_m', where T_m(z) is 1 or -1 by turns. */
static void unlucky_chebyshev(study *s, counts *c, size_t n, size_t m)
{
    fmpz_mpoly_t f, g;
    fmpz_poly_t t, r;
    fmpz_t u;
    fmpz_mpoly_init(f, s->ring);
    fmpz_mpoly_init(g, s->ring);
    fmpz_poly_init(t);
    fmpz_poly_init(r);
    fmpz_init(u);
    fmpz_poly_chebyshev_t(t, n);
    fmpz_mpoly_set_fmpz_poly(f, t, 0, s->ring);
    fmpz_poly_chebyshev_t(t, m);
    fmpz_mpoly_set_fmpz_poly(g, t, 1, s->ring);
    fmpz_mpoly_add(f, f, g, s->ring);
    fmpz_mpoly_derivative(g, f, 1, s->ring);
    unlucky_eliminate(s, r, f, g);
    unlucky_of(u, r);
    check_primes(u, 2 * n * m);
    count_all(s, c, u);
    fmpz_clear(u);
    fmpz_poly_clear(t);
    fmpz_poly_clear(r);
    fmpz_mpoly_clear(f, s->ring);
    fmpz_mpoly_clear(g, s->ring);
}

/* The sums of the zeros of a and b: a(y) and b(x - y). */
static void composed_sums(study *s, counts *c, size_t d, size_t unused)
{
    (void)unused;
    fmpz_mpoly_t f, g, line;
    fmpz_poly_t a, r;
    fmpz_t u;
    fmpz_mpoly_init(f, s->ring);
    fmpz_mpoly_init(g, s->ring);
    fmpz_mpoly_init(line, s->ring);
    fmpz_poly_init(a);
    fmpz_poly_init(r);
    fmpz_init(u);
    fmpz_mpoly_gen(f, 0, s->ring);
    fmpz_mpoly_gen(g, 1, s->ring);
    fmpz_mpoly_sub(line, f, g, s->ring);
    for (size_t i = 0; i < s->problems; i++) {
        random_poly(s, a, d);
        fmpz_mpoly_set_fmpz_poly(f, a, 1, s->ring);
        random_poly(s, a, d);
        fmpz_mpoly_zero(g, s->ring);
        for (size_t j = d + 1; j-- > 0;) {
            fmpz_mpoly_mul(g, g, line, s->ring);
            fmpz_mpoly_add_fmpz(g, g, fmpz_poly_get_coeff_ptr(a, (slong)j), s->ring);
        }
        unlucky_eliminate(s, r, f, g);
        unlucky_of(u, r);
        count_all(s, c, u);
    }
    fmpz_clear(u);
    fmpz_poly_clear(r);
    fmpz_poly_clear(a);
    fmpz_mpoly_clear(line, s->ring);
    fmpz_mpoly_clear(g, s->ring);
    fmpz_mpoly_clear(f, s->ring);
}

static void swinnerton_dyer(study *s, counts *c, size_t n, size_t unused)
{
    (void)unused;
    fmpz_poly_t r;
    fmpz_t u;
    fmpz_poly_init(r);
    fmpz_init(u);
    fmpz_poly_swinnerton_dyer(r, n);
    unlucky_of(u, r);
    count_all(s, c, u);
    fmpz_clear(u);
    fmpz_poly_clear(r);
}

static void unlucky_systems(study *s, counts *c, size_t n, size_t noon)
{
    fmpz_poly_t r;
    fmpz_t u;
    fmpz_poly_init(r);
    fmpz_init(u);
    if (!(noon ? noon_eliminant(r, s->ring) : katsura_eliminant(r, n))) {
        (void)complain("an eliminant has not the known zeros");
        exit(1);
    }
    unlucky_of(u, r);
    count_all(s, c, u);
    fmpz_clear(u);
    fmpz_poly_clear(r);
}

/* u := the product of the principal subresultants of a and b, of degrees d and d - 1. */
static void unlucky_subresultants(fmpz_t u, fmpz_poly_t a, fmpz_poly_t b)
{
    fmpz_poly_t rest;
    fmpz_t h;
    fmpz_poly_init(rest);
    fmpz_init_set_ui(h, 1);
    fmpz_mul(u, fmpz_poly_lead(a), fmpz_poly_lead(b));
    while (fmpz_poly_degree(b) > 0) {
        fmpz_poly_pseudo_rem_cohen(rest, a, b);
        fmpz_poly_scalar_divexact_fmpz(rest, rest, h);
        fmpz_poly_scalar_divexact_fmpz(rest, rest, h);
        if (fmpz_poly_degree(rest) + 1 != fmpz_poly_degree(b)) {
            fmpz_zero(u); /* irregular over Z */
            break;
        }
        fmpz_poly_swap(a, b);
        fmpz_poly_swap(b, rest);
        fmpz_set(h, fmpz_poly_lead(a));
        fmpz_mul(u, u, fmpz_poly_lead(b));
    }
    fmpz_clear(h);
    fmpz_poly_clear(rest);
}

static void unlucky_remainders(study *s, counts *c, size_t d, size_t gcds)
{
    fmpz_poly_t a, b;
    fmpz_t u;
    fmpz_poly_init(a);
    fmpz_poly_init(b);
    fmpz_init(u);
    for (size_t i = 0; i < s->problems; i++) {
        random_poly(s, a, d);
        random_poly(s, b, gcds ? d : d - 1);
        if (gcds) {
            /* Cofactors a and b of any gcd: unlucky where they have a common factor. */
            fmpz_poly_resultant(u, a, b);
        } else {
            unlucky_subresultants(u, a, b);
        }
        count_all(s, c, u);
    }
    fmpz_clear(u);
    fmpz_poly_clear(a);
    fmpz_poly_clear(b);
}

/* Whether for ten pairs and all primes from 5 to 2^12, U = 0 modulo q exactly where a resultant,
 * reduced, loses its degree or has a square factor. */
static bool unlucky_agrees(study *s)
{
    fmpz_poly_t r;
    fmpz_t u;
    size_t wrong = 0, bad = 0;
    fmpz_poly_init(r);
    fmpz_init(u);
    for (int i = 0; i < 10; i++) {
        unlucky_pair(s, r, 2);
        unlucky_of(u, r);
        for (uint64_t q = 5; q < 4096; q = n_nextprime(q, 1)) {
            nmod_poly_t image;
            nmod_poly_init(image, q);
            fmpz_poly_get_nmod_poly(image, r);
            const bool unlucky =
                nmod_poly_degree(image) < fmpz_poly_degree(r) || !nmod_poly_is_squarefree(image);
            bad += unlucky;
            wrong += unlucky != (fmpz_fdiv_ui(u, q) == 0);
            nmod_poly_clear(image);
        }
    }
    (void)fprintf(s->json ? stderr : stdout,
                  "check: %zu unlucky primes by the definition, %zu differences\n", bad, wrong);
    fmpz_clear(u);
    fmpz_poly_clear(r);
    return wrong == 0;
}

typedef struct family {
    const char *name;
    void (*run)(study *s, counts *c, size_t n, size_t m);
    size_t n, m;
} family;

static const family families[] = {
    {"random pairs, d = 3", random_pairs, 3, 0},
    {"random pairs, d = 4", random_pairs, 4, 0},
    {"random pairs, d = 6", random_pairs, 6, 0},
    {"random pairs, d = 8", random_pairs, 8, 0},
    {"random pairs, d = 10", random_pairs, 10, 0},
    {"T_5(x) + T_7(y)", unlucky_chebyshev, 5, 7},
    {"T_13(x) + T_8(y)", unlucky_chebyshev, 13, 8},
    {"composed sums, d = 4", composed_sums, 4, 0},
    {"composed sums, d = 6", composed_sums, 6, 0},
    {"Swinnerton-Dyer S_3", swinnerton_dyer, 3, 0},
    {"Swinnerton-Dyer S_4", swinnerton_dyer, 4, 0},
    {"Swinnerton-Dyer S_5", swinnerton_dyer, 5, 0},
    {"Swinnerton-Dyer S_6", swinnerton_dyer, 6, 0},
    {"katsura-3", unlucky_systems, 3, 0},
    {"katsura-4", unlucky_systems, 4, 0},
    {"katsura-5", unlucky_systems, 5, 0},
    {"noon-3", unlucky_systems, 3, 1},
    {"irregular remainders, d = 16", unlucky_remainders, 16, 0},
    {"irregular remainders, d = 64", unlucky_remainders, 64, 0},
    {"gcd with cofactors, d = 64", unlucky_remainders, 64, 1},
};

/* U has at most rest / (size - 1) primes of this size, of all about 2^(size - 1) / (size ln 2). */
static double share_at_most(const counts *c, unsigned size)
{
    const double most = floor((double)c->rest / (size - 1));
    return most * size * log(2) / ldexp(1, (int)size - 1);
}

/* The expected number of lost images in a job of s->bits bits: by the counts at 16 bits, upper
 * bounds at 31 and 62 bits. */
static void unlucky_restarts(double r[3], const study *s, const counts *c)
{
    const double bits = (double)s->bits;
    r[0] = c->tests[0] == 0 ? 0 : bits / 15.5 * (double)c->bad[0] / (double)c->tests[0];
    r[1] = bits / 30.5 * share_at_most(c, 31);
    r[2] = bits / 61.5 * share_at_most(c, 62);
}

static void print_row(const study *s, const char *name, const counts *c)
{
    double r[3];
    unlucky_restarts(r, s, c);
    (void)printf("| %s | %zu | %zu | %zu | %llu |", name, c->problems, c->bits, c->rest,
                 (unsigned long long)c->largest);
    for (size_t i = 0; i < 5; i++) {
        (void)printf(" %zu / %zu |", c->bad[i], c->tests[i]);
    }
    (void)printf(" %.1e | %.1e |", share_at_most(c, 31), share_at_most(c, 62));
    (void)printf(" %.2g | %.1e | %.1e |\n", r[0], r[1], r[2]);
    (void)fflush(stdout);
}

static void print_object(const study *s, struct json *json, const char *name, const counts *c)
{
    static const char *const sizes[5] = {"16_bits", "31_bits", "62_bits", "stored", "named"};
    double r[3];
    unlucky_restarts(r, s, c);
    json_open(json, NULL, '{');
    json_string(json, "family", name);
    json_u64(json, "problems", c->problems);
    json_u64(json, "bits", c->bits);
    json_u64(json, "bits_without_small_primes", c->rest);
    json_u64(json, "largest_bad_below_65536", c->largest);
    for (size_t i = 0; i < 5; i++) {
        json_open(json, sizes[i], '{');
        json_u64(json, "bad", c->bad[i]);
        json_u64(json, "tests", c->tests[i]);
        json_close(json, '}');
    }
    json_digits(json, "share_31_bits_at_most", share_at_most(c, 31), 3);
    json_digits(json, "share_62_bits_at_most", share_at_most(c, 62), 3);
    json_digits(json, "restarts_16_bits", r[0], 3);
    json_digits(json, "restarts_31_bits_at_most", r[1], 3);
    json_digits(json, "restarts_62_bits_at_most", r[2], 3);
    json_close(json, '}');
}

/* All families: one table or one JSON text. */
static void print_all(study *s)
{
    struct json json;
    if (s->json) {
        json_begin(&json, stdout);
        json_u64(&json, "seed", s->seed);
        json_u64(&json, "samples", s->samples);
        json_u64(&json, "job_bits", s->bits);
        json_open(&json, "families", '[');
    } else {
        markdown_head(
            stdout, 0,
            "family | problems | bits of U | without primes < 2^16 | largest bad < 2^16 "
            "| 16 bits, all | 31 bits, sampled | 62 bits, sampled | stored 50 bits | named "
            "| 31 bits at most | 62 bits at most | restarts in %zu bits: 16 bits | 31 bits "
            "at most | 62 bits at most",
            s->bits);
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        counts c = {0};
        families[i].run(s, &c, families[i].n, families[i].m);
        if (s->json) {
            print_object(s, &json, families[i].name, &c);
        } else {
            print_row(s, families[i].name, &c);
        }
    }
    if (s->json) {
        json_close(&json, ']');
        json_end(&json);
    }
}

static const option_row rows[] = {
    {ROW(study, seed, OPTION_NUMBER, "seed", "N", "Seed of problems and primes (default: 1)"),
     .letter = 's', .most = UINT64_MAX},
    {ROW(study, samples, OPTION_SIZE, "samples", "N",
         "Primes of 31 and of 62 bits per problem (default: 1000)"),
     .letter = 'n', .most = SIZE_MAX},
    {ROW(study, problems, OPTION_SIZE, "problems", "N",
         "Problems of each random family (default: 20)"),
     .letter = 'p', .most = SIZE_MAX},
    {ROW(study, bits, OPTION_SIZE, "bits", "N",
         "Bits of the job whose restarts are counted (default: 50000)"),
     .letter = 'b', .most = SIZE_MAX},
    {ROW(study, json, OPTION_FLAG, "json", NULL, "JSON instead of Markdown"), .letter = 'j'},
    {ROW(study, check, OPTION_FLAG, "check", NULL,
         "Compare with the definition for small primes first"),
     .letter = 'c'},
};

static bool load_stored(study *s)
{
    gfp_words_supply *supply;
    const gfp_words *block;
    if (gfp_words_supply_create(&supply, NULL) != GFP_OK) {
        return false;
    }
    bool ok = true;
    for (size_t j = 0; ok && j < STORED_BLOCKS; j++) {
        ok = gfp_words_supply_block(supply, j, &block) == GFP_OK;
        for (size_t i = 0; ok && i < GFP_WORDS; i++) {
            s->stored[s->stored_count++] = block->q[i];
        }
    }
    gfp_words_supply_destroy(supply);
    return ok;
}

int main(int argc, char **argv)
{
    static study s = {.seed = 1, .samples = 1000, .problems = 20, .bits = 50000};
    const program p = {.name = "gfpoly_unlucky",
                       .documentation = "Counts unlucky primes of families of problems.",
                       .rows = rows,
                       .count = sizeof rows / sizeof *rows,
                       .into = &s};
    parse_options(&p, argc, argv);
    gfp_random_seed(&s.random, s.seed);
    fmpz_mpoly_ctx_init(s.ring, 2, ORD_LEX);
    bool ok = load_stored(&s) && (!s.check || unlucky_agrees(&s));
    if (ok) {
        print_all(&s);
    }
    fmpz_mpoly_ctx_clear(s.ring);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ok = complain("standard output: %s", strerror(errno));
    }
    return ok ? 0 : 1;
}
