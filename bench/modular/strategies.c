/* strategies.c: gfpoly_zstrategies resultant|gcd [DEGREE [BITS]]: times of resultants and gcds
 * over Z by word-size primes, one big prime, and several, as Markdown. Resultants: random operands
 * of these degree and bits. Gcds: divisor and cofactors of half of both. Least CPU time of
 * alternating runs; the first run of each, which makes fields and tables, counts apart.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bench/modular/times.h"

enum { WORDS, BIG, MIX, METHODS };
static const char *const methods[METHODS] = {"words", "big", "mix"};

/* Runs end after this time for each method and place. */
#define BUDGET 0.6e9

static void draw(gfp_zvec *a, gfp_zring *ring, size_t len, size_t bits, gfp_random *g)
{
    gfp_zvec_init(a, ring);
    fill_random(a, len, bits, g);
}

static void draw_operands(gfp_zvec *a, gfp_zvec *b, gfp_zring *ring, size_t d, size_t bits,
                          bool common)
{
    gfp_random g;
    gfp_random_seed(&g, d * 10007 + bits);
    draw(a, ring, (common ? d / 2 : d) + 1, common ? bits / 2 : bits, &g);
    draw(b, ring, (common ? d / 2 : d) + 1, common ? bits / 2 : bits, &g);
    if (common) {
        gfp_zvec f;
        draw(&f, ring, d / 2 + 1, bits / 2, &g);
        must(gfp_zvec_mul(a, a, &f, NULL), "operands");
        must(gfp_zvec_mul(b, b, &f, NULL), "operands");
        gfp_zvec_clear(&f);
    }
}

/* The nanoseconds of a call; 0: the method has no primes for it. */
static double once(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b, const char *method,
                   bool common)
{
    gfp_report report;
    const gfp_options options = {.method = method, .report = &report};
    const double start = cpu_ns();
    const gfp_status status =
        common ? gfp_zvec_gcd(c, a, b, &options) : gfp_zvec_resultant(c, a, b, &options);
    const double time = cpu_ns() - start;
    if (status == GFP_ERR_UNAVAILABLE) {
        return 0;
    }
    must(status, "call");
    return strcmp(report.method, method) == 0 ? time : 0;
}

static void print_time(double first, double least, double words)
{
    if (least == 0) {
        printf(" - |");
    } else {
        printf(" %.3g (%.3g), %.2g x |", 1e-6 * least, 1e-6 * first, least / words);
    }
}

static void run(gfp_zring *ring, size_t d, size_t bits, bool common)
{
    gfp_zvec a, b, c[METHODS];
    double first[METHODS] = {0}, least[METHODS] = {0}, spent = 0;
    draw_operands(&a, &b, ring, d, bits, common);
    for (size_t i = 0; i < METHODS; i++) {
        gfp_zvec_init(&c[i], ring);
        first[i] = least[i] = once(&c[i], &a, &b, methods[i], common);
        if (least[i] != 0 && !gfp_zvec_equal(&c[WORDS], &c[i])) {
            must(GFP_ERR_VERIFY, "call");
        }
    }
    for (size_t runs = 0; runs < 20 && (runs < 1 || spent < METHODS * BUDGET); runs++) {
        for (size_t i = 0; i < METHODS; i++) {
            const double time = least[i] == 0 ? 0 : once(&c[i], &a, &b, methods[i], common);
            least[i] = time < least[i] ? time : least[i];
            spent += time;
        }
    }
    printf("| %zu, %zu | %.3g (%.3g) |", d, bits, 1e-6 * least[WORDS], 1e-6 * first[WORDS]);
    print_time(first[BIG], least[BIG], least[WORDS]);
    print_time(first[MIX], least[MIX], least[WORDS]);
    printf("\n");
    (void)fflush(stdout);
    for (size_t i = 0; i < METHODS; i++) {
        gfp_zvec_clear(&c[i]);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}

int main(int argc, char **argv)
{
    const bool common = argc > 1 && strcmp(argv[1], "gcd") == 0;
    const size_t d = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const size_t bits = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    gfp_zring *ring;
    if (argc < 2 || (!common && strcmp(argv[1], "resultant") != 0)) {
        (void)fprintf(stderr, "usage: gfpoly_zstrategies resultant|gcd [DEGREE [BITS]]\n");
        return 2;
    }
    begin_times();
    must(gfp_zring_create(&ring, NULL, NULL), "ring");
    printf("Milliseconds (first call), times the time of words\n\n");
    printf("| degree, bits | words | big | mix |\n|---|---|---|---|\n");
    for (size_t i = d != 0 ? d : 64; i <= (d != 0 ? d : 1024); i *= 4) {
        for (size_t j = bits != 0 ? bits : 64; j <= (bits != 0 ? bits : 4096); j *= 4) {
            run(ring, i, j, common);
        }
    }
    gfp_zring_destroy(ring);
    return 0;
}
