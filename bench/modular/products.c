/* products.c: gfpoly_zproducts: times of products of polynomials over Z: the strategies side by
 * side, and the constants of their predicted times (modular/mul/cost.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bench/modular/times.h"

typedef struct product {
    gfp_options options;
    gfp_zvec *c;
    const gfp_zvec *a, *b;
} product;

static void multiply(void *user)
{
    const product *p = user;
    must(gfp_zvec_mul(p->c, p->a, p->b, &p->options), "product");
}

/* The least time of a product in nanoseconds; 0 if the strategy does not serve. */
static double time_of(const char *method, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                      double budget)
{
    product p = {{.method = method}, c, a, b};
    const gfp_status status = gfp_zvec_mul(c, a, b, &p.options);
    if (status == GFP_ERR_UNAVAILABLE) {
        return 0;
    }
    must(status, method);
    return least_time(multiply, &p, budget);
}

/* Bits of a factor so that products of two factors of n such numbers stay below 2^bits. */
static size_t factor_bits(size_t bits, size_t n)
{
    size_t log2_n = 0;
    while (n > (size_t)1 << log2_n) {
        log2_n++;
    }
    return bits > log2_n + 2 ? (bits - log2_n) / 2 : 1;
}

static const char *const methods[] = {"classical", "short",     "words", "big",
                                      "mix",       "kronecker", "flint", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

static void print_table(gfp_zring *ring, double budget, size_t longest)
{
    static const size_t bits[] = {60, 250, 504, 992, 1984, 4031, 8191};
    gfp_random g;
    gfp_zvec a, b, c;
    gfp_random_seed(&g, 1);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    (void)printf("%8s %6s", "n", "bits");
    for (size_t m = 0; m < METHODS; m++) {
        (void)printf(" %10s", methods[m]);
    }
    (void)printf("  microseconds; the pick\n");
    for (size_t n = 16; n <= longest; n *= 4) {
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
            double ns[METHODS];
            gfp_report report = {.method = ""};
            fill_random(&a, n, factor_bits(bits[i] - 1, n), &g);
            fill_random(&b, n, factor_bits(bits[i] - 1, n), &g);
            (void)printf("%8zu %6zu", n, bits[i]);
            for (size_t m = 0; m < METHODS; m++) {
                ns[m] = time_of(methods[m], &c, &a, &b, budget);
                (void)printf(" %10.2f", ns[m] / 1e3);
                (void)fflush(stdout);
            }
            must(gfp_zvec_mul(&c, &a, &b, &(const gfp_options){.report = &report}), "auto");
            (void)printf("  %s\n", report.method);
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
}

/* The entry of a grid, the logarithm of nanoseconds: products of factors of n numbers, of `bits`
 * bits. */
static double entry(gfp_zring *ring, const char *method, size_t n, size_t bits, double budget)
{
    gfp_random g;
    gfp_zvec a, b, c;
    gfp_random_seed(&g, 2);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    fill_random(&a, n, factor_bits(bits - 1, n), &g);
    fill_random(&b, n, factor_bits(bits - 1, n), &g);
    const double time = log2(time_of(method, &c, &a, &b, budget));
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    return time;
}

enum { COLUMNS = 12, LARGE = 1 << 27 };

/* Rows are lengths 4^i, columns these bits. Times of products of more than LARGE bits go on as the
 * two before. */
static void print_grid(gfp_zring *ring, const char *method, const size_t *bits, size_t columns,
                       double budget)
{
    double before[COLUMNS] = {0}, last[COLUMNS] = {0};
    for (size_t n = 1; n <= 65536; n *= 4) {
        (void)printf("    {");
        for (size_t j = 0; j < columns; j++) {
            const double x = n * bits[j] > LARGE ? 2 * last[j] - before[j]
                                                 : entry(ring, method, n, bits[j], budget);
            (void)printf("%.2f%s", x, j + 1 < columns ? ", " : "");
            (void)fflush(stdout);
            before[j] = last[j];
            last[j] = x;
        }
        (void)printf("},\n");
    }
}

static void print_powers(gfp_zring *ring, const char *method, double budget)
{
    size_t bits[COLUMNS];
    for (size_t j = 0; j < COLUMNS; j++) {
        bits[j] = (size_t)64 << j;
    }
    print_grid(ring, method, bits, COLUMNS, budget);
}

/* The most bits of a product that print_words measures. */
#define WORDS_BITS ((size_t)1 << 25)

/* Times of the strategy words: n, bits, nanoseconds (for bench/modular/costs.py). */
static void print_words(gfp_zring *ring, double budget, size_t longest)
{
    static const size_t bits[] = {60, 250, 504, 992, 1984, 4031, 8191, 16000, 32000};
    for (size_t n = 16; n <= longest; n *= 4) {
        for (size_t i = 0; i < sizeof bits / sizeof *bits && n * bits[i] <= WORDS_BITS; i++) {
            (void)printf("%zu %zu %.1f\n", n, bits[i],
                         exp2(entry(ring, "words", n, bits[i], budget)));
            (void)fflush(stdout);
        }
    }
}

/* Columns are the primes p2 ... p128, each filled. */
static void print_big(gfp_zring *ring, double budget)
{
    static const size_t bits[] = {126, 255, 504, 992, 1984, 4031, 8191};
    print_grid(ring, "big", bits, sizeof bits / sizeof *bits, budget);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "table";
    const double budget = 1e9 * (argc > 2 ? strtod(argv[2], NULL) : 0.02);
    gfp_zring *ring;
    begin_times();
    must(gfp_zring_create(&ring, NULL, NULL), "ring");
    if (strcmp(what, "table") == 0) {
        print_table(ring, budget, argc > 3 ? strtoul(argv[3], NULL, 10) : 65536);
    } else if (strcmp(what, "words") == 0) {
        print_words(ring, budget, argc > 3 ? strtoul(argv[3], NULL, 10) : 4096);
    } else if (strcmp(what, "big") == 0) {
        print_big(ring, budget);
    } else if (strcmp(what, "flint") == 0 || strcmp(what, "kronecker") == 0) {
        print_powers(ring, what, budget);
    } else {
        (void)fprintf(
            stderr,
            "usage: gfpoly_zproducts [table|words|big|flint|kronecker [seconds [longest]]]\n");
    }
    gfp_zring_destroy(ring);
    return 0;
}
