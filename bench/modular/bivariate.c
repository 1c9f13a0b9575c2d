/* bivariate.c: gfpoly_zbipoly DEGREE BITS [flint|gp|gpu|system]: times of resultants of bivariate
 * polynomials over Z, dense of this total degree: of the whole call and of its parts; flint:
 * FLINT's, too; gp: instead, a program for PARI's gp; gpu: instead, wall-clock times of calls by
 * one core and by a GPU (with one thread of the host, and several), whose results must agree;
 * system: instead, of the solutions of the system of both, and of boxes of sides 2^-50.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#if GFP_HAVE_FLINT
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#endif

#include "gfpoly/zsystem.h"
#include "crt/blocks/kernels/euclid.h"
#include "crt/blocks/remainders.h"
#include "crt/blocks/kernels/points.h"
#include "modular/ring.h"
#include "bench/modular/times.h"

static double seconds(void)
{
    return 1e-9 * cpu_ns();
}

/* One operand of total degree d: coefficient i of X at Y^j is number j (d + 1) + i of c, of `width`
 * limbs in two's complement, absolute values below 2^bits. */
typedef struct operand {
    size_t d, width;
    uint64_t *c;
} operand;

static operand draw(size_t d, unsigned bits, gfp_random *g)
{
    const size_t width = bits / 64 + 1 + (bits % 64 == 0 ? 0 : 1);
    operand f = {d, width, allocate(width * (d + 1) * (d + 1))};
    for (size_t i = 0; i < (d + 1) * (d + 1); i++) {
        uint64_t *c = f.c + i * width, carry;
        for (size_t k = 0; k < width; k++) {
            c[k] = 64 * k + 64 <= bits ? gfp_random_u64(g)
                   : 64 * k < bits     ? gfp_random_u64(g) >> (64 - bits % 64)
                                       : 0;
        }
        carry = gfp_random_u64(g) % 2;
        const uint64_t flip = carry != 0 ? UINT64_MAX : 0;
        for (size_t k = 0; k < width; k++) {
            c[k] = (c[k] ^ flip) + carry;
            carry = carry != 0 && c[k] == 0 ? 1 : 0;
        }
    }
    return f;
}

/* For peers, which take operands of two limbs: |c|, and whether c < 0. */
static uint64_t absolute(const operand *f, size_t i, size_t j, bool *negative)
{
    const uint64_t *x = f->c + f->width * (j * (f->d + 1) + i);
    *negative = x[1] != 0;
    return x[1] != 0 ? 0 - x[0] : x[0];
}

static void set(gfp_zbipoly *a, const operand *f)
{
    gfp_zvec row;
    gfp_zvec_init(&row, a->ring);
    for (size_t j = 0; j <= f->d; j++) {
        must(gfp_zvec_set_limbs(&row, f->c + f->width * j * (f->d + 1), f->d + 1 - j, f->width),
             "operand");
        must(gfp_zbipoly_set_coeff(a, j, &row), "operand");
    }
    gfp_zvec_clear(&row);
}

static double time_call(gfp_zvec *r, const gfp_zbipoly *a, const gfp_zbipoly *b, double budget)
{
    double best = HUGE_VAL, all = 0;
    for (unsigned i = 0; i < 2 || (all < budget && i < 200); i++) {
        const double start = seconds();
        must(gfp_zbipoly_resultant_y(r, a, b, NULL), "resultant");
        const double t = seconds() - start;
        best = fmin(best, t);
        all += t;
    }
    return best;
}

static void print_system(const gfp_zbipoly *a, const gfp_zbipoly *b)
{
    double form = HUGE_VAL, boxes = HUGE_VAL, all = 0;
    gfp_zsystem s;
    gfp_zboxes real;
    gfp_zsystem_init(&s, a->ring);
    gfp_zboxes_init(&real, a->ring);
    for (unsigned i = 0; i < 2 || (all < 1 && i < 200); i++) {
        const double start = seconds();
        must(gfp_zsystem_solve(&s, a, b, NULL), "solution");
        const double between = seconds();
        must(gfp_zsystem_boxes(&real, &s, 50, NULL), "solution");
        const double end = seconds();
        form = fmin(form, between - start);
        boxes = fmin(boxes, end - between);
        all += end - start;
    }
    (void)printf("%zu solutions in %zu parts: %.4g ms; boxes of %zu real ones: %.4g ms\n",
                 gfp_zsystem_solutions(&s), s.count, 1e3 * form, real.count, 1e3 * boxes);
    gfp_zboxes_clear(&real);
    gfp_zsystem_clear(&s);
}

/* ---- a GPU ---- */

static double wall(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time of `times` calls by a method. */
static double time_method(gfp_zvec *r, const gfp_zbipoly *a, const gfp_zbipoly *b,
                          const gfp_options *options, unsigned times)
{
    double best = HUGE_VAL;
    for (unsigned i = 0; i < times; i++) {
        const double begin = wall();
        must(gfp_zbipoly_resultant_y(r, a, b, options), "resultant");
        best = fmin(best, wall() - begin);
    }
    return best;
}

static void print_gpu(const gfp_zbipoly *a, const gfp_zbipoly *b)
{
    static const unsigned threads[] = {1, 4, 16};
    gfp_zvec expected, r;
    gfp_error error = {.message = ""};
    gfp_zvec_init(&expected, a->ring);
    gfp_zvec_init(&r, a->ring);
    const gfp_options cpu = {.method = "words", .threads = 1};
    const double one = time_method(&expected, a, b, &cpu, 3);
    (void)printf("one core, level %d: %.4g ms; result of degree %zu and %zu bits\n",
                 (int)a->ring->level, 1e3 * one, expected.len - 1, gfp_zvec_bits(&expected));
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        gfp_options options = {.method = "words_gpu", .threads = threads[i], .error = &error};
        if (gfp_zbipoly_resultant_y(&r, a, b, &options) != GFP_OK) {
            (void)printf("  %s\n", error.message);
            break;
        }
        const double t = time_method(&r, a, b, &options, 7);
        (void)printf("  GPU, %u threads of the host: %.4g ms, %.3g times one core, %s\n",
                     threads[i], 1e3 * t, one / t,
                     gfp_zvec_equal(&r, &expected) ? "equal" : "DIFFERENT");
    }
    gfp_zvec_clear(&expected);
    gfp_zvec_clear(&r);
}

/* ---- parts of the computation, modulo one block ---- */

typedef struct parts {
    const gfp_words *block;
    gfp_points points;
    gfp_points_pair pair;
    gfp_words_image_many many;
    const gfp_points_kernels *kernels;
    gfp_level level;
    uint64_t *x, *values, *work;
} parts;

static void run_values(parts *p)
{
    p->kernels->group(&p->pair, 0, p->x, p->work);
}

static void run_images(parts *p)
{
    gfp_words_image_resultants(&p->many, p->level, p->values, p->work);
}

static void run_interpolation(parts *p)
{
    p->kernels->interpolate(&p->points, p->block, p->values, p->work);
}

static double time_part(void (*run)(parts *p), parts *p)
{
    double best = HUGE_VAL;
    size_t count = 1;
    run_values(p); /* operands that are forms */
    for (unsigned i = 0; i < 12; i++) {
        const double start = seconds();
        for (size_t k = 0; k < count; k++) {
            run(p);
        }
        const double t = seconds() - start;
        best = fmin(best, t / (double)count);
        if (t < 0.005) {
            count *= 2;
            i = 0;
        }
    }
    return 1e9 * best;
}

static void print_parts(gfp_zring *ring, size_t d, gfp_random *g)
{
    const size_t terms = (d + 1) * (d + 2) / 2, rows = 2 * (d + 1);
    size_t *of_column = allocate(d + 1);
    uint64_t *c = allocate(terms * GFP_WORDS);
    for (unsigned e = 1; e <= 6; e++) {
        parts p = {.kernels = gfp_points_get(ring->level), .level = ring->level};
        must(gfp_words_supply_block(ring->supply, 0, &p.block), "primes");
        for (size_t i = 0; i <= d; i++) {
            of_column[i] = d + 1 - i;
        }
        for (size_t i = 0; i < terms * GFP_WORDS; i++) {
            c[i] = gfp_random_below(g, p.block->q[i % GFP_WORDS]);
        }
        p.kernels->enter(p.block, c, terms);
        if (!gfp_points_plan(&p.points, d * d + 1, e)) {
            continue;
        }
        const size_t points = (size_t)1 << e;
        p.pair = (gfp_points_pair){
            &p.points, p.block, {c, of_column, d + 1, d + 1}, {c, of_column, d + 1, d + 1}};
        p.x = allocate(rows * points * GFP_WORDS);
        p.many = (gfp_words_image_many){{p.block, p.x, p.x + (d + 1) * GFP_WORDS, d + 1, d + 1},
                                        rows * GFP_WORDS,
                                        points,
                                        0,
                                        0};
        /* Equal operands would have gcds: the second one is the first one's neighbour. */
        p.many.pair.b = p.x + rows * GFP_WORDS;
        p.many.count = points - 1;
        p.values = allocate((p.points.n + 1) * GFP_WORDS);
        memset(p.values, 0, (p.points.n + 1) * GFP_WORDS * sizeof *c);
        p.work = allocate(gfp_points_group_words(&p.pair) + gfp_words_image_many_words(&p.many) +
                          gfp_points_interpolate_words(&p.points));
        const double of_values = time_part(run_values, &p) / (double)points;
        const double of_images = time_part(run_images, &p) / (double)p.many.count;
        const double of_interpolation = time_part(run_interpolation, &p) / (double)p.points.n;
        (void)printf("  groups of %2zu: a point and block: values %.0f ns, image %.0f ns, "
                     "interpolation %.0f ns\n",
                     points, of_values, of_images, of_interpolation);
        free(p.x);
        free(p.values);
        free(p.work);
    }
    free(c);
    free(of_column);
}

/* ---- peers ---- */

#if GFP_HAVE_FLINT
static void to_flint(fmpz_mpoly_t z, const operand *f, const fmpz_mpoly_ctx_t ctx)
{
    fmpz_t c;
    fmpz_init(c);
    for (size_t j = 0; j <= f->d; j++) {
        for (size_t i = 0; i + j <= f->d; i++) {
            bool negative;
            const ulong e[] = {i, j};
            fmpz_set_ui(c, absolute(f, i, j, &negative));
            if (negative) {
                fmpz_neg(c, c);
            }
            fmpz_mpoly_set_coeff_fmpz_ui(z, c, e, ctx);
        }
    }
    fmpz_clear(c);
}

static void print_flint(const operand *a, const operand *b)
{
    fmpz_mpoly_ctx_t ctx;
    fmpz_mpoly_t fa, fb, r;
    fmpz_mpoly_ctx_init(ctx, 2, ORD_LEX);
    fmpz_mpoly_init(fa, ctx);
    fmpz_mpoly_init(fb, ctx);
    fmpz_mpoly_init(r, ctx);
    to_flint(fa, a, ctx);
    to_flint(fb, b, ctx);
    const double start = seconds();
    if (fmpz_mpoly_resultant(r, fa, fb, 1, ctx) == 0) {
        (void)printf("  FLINT: failed\n");
    }
    (void)printf("  FLINT: %.4g ms\n", 1e3 * (seconds() - start));
    fmpz_mpoly_clear(fa, ctx);
    fmpz_mpoly_clear(fb, ctx);
    fmpz_mpoly_clear(r, ctx);
    fmpz_mpoly_ctx_clear(ctx);
}
#else
static void print_flint(const operand *a, const operand *b)
{
    (void)a;
    (void)b;
    (void)printf("  FLINT: not built in\n");
}
#endif

static void print_gp(const char *name, const operand *f)
{
    (void)printf("%s = Polrev([", name);
    for (size_t j = 0; j <= f->d; j++) {
        (void)printf("%sPolrev([", j > 0 ? "," : "");
        for (size_t i = 0; i + j <= f->d; i++) {
            bool negative;
            const uint64_t c = absolute(f, i, j, &negative);
            (void)printf("%s%s%llu", i > 0 ? "," : "", negative ? "-" : "", (unsigned long long)c);
        }
        (void)printf("],'y)");
    }
    (void)printf("],'x);\n");
}

int main(int argc, char **argv)
{
    const size_t d = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 20;
    const unsigned bits = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 16;
    const char *what = argc > 3 ? argv[3] : "";
    gfp_random g;
    const bool peers = strcmp(what, "flint") == 0 || strcmp(what, "gp") == 0;
    if (bits < 1 || bits > (peers ? 64 : 1U << 16)) {
        (void)fprintf(stderr, "bits: 1 to %u\n", peers ? 64 : 1U << 16);
        return 2;
    }
    gfp_random_seed(&g, 1);
    operand a = draw(d, bits, &g), b = draw(d, bits, &g);
    if (strcmp(what, "gp") == 0) {
        print_gp("a", &a);
        print_gp("b", &b);
        (void)printf(
            "t = getabstime(); r = polresultant(a, b, 'x); print(getabstime() - t, \" ms, "
            "degree \", poldegree(r)); print(polcoef(r, 1) %% (2^61 - 1));\n"
            "r = polresultant(a, b, 'y); t = getabstime(); print(#polrootsreal(r), \" real "
            "roots: \", getabstime() - t, \" ms\");\n");
    } else {
        gfp_zring *ring;
        gfp_zbipoly x, y;
        gfp_zvec r;
        must(gfp_zring_create(&ring, NULL, NULL), "ring");
        gfp_zbipoly_init(&x, ring);
        gfp_zbipoly_init(&y, ring);
        gfp_zvec_init(&r, ring);
        set(&x, &a);
        set(&y, &b);
        if (strcmp(what, "system") == 0) {
            print_system(&x, &y);
        } else if (strcmp(what, "gpu") == 0) {
            print_gpu(&x, &y);
        } else {
            const double t = time_call(&r, &x, &y, 1);
            (void)printf("degree %zu, %u bits: %.4g ms; result of degree %zu and %zu bits\n", d,
                         bits, 1e3 * t, r.len - 1, gfp_zvec_bits(&r));
            print_parts(ring, d, &g);
        }
        if (strcmp(what, "flint") == 0) {
            print_flint(&a, &b);
        }
        gfp_zbipoly_clear(&x);
        gfp_zbipoly_clear(&y);
        gfp_zvec_clear(&r);
        gfp_zring_destroy(ring);
    }
    free(a.c);
    free(b.c);
    return 0;
}
