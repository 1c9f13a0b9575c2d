/* bench/modular/bivariate.c: resultants of bivariate polynomials over Z, dense of a total degree:
 * by the whole call and by its parts, by FLINT, as a program for PARI's gp, on a GPU, and the
 * solutions of the system of both with boxes of sides 2^-50.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#if GFP_HAVE_FLINT
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#endif

#include "gfpoly/zsystem.h"
#include "bench/modular/inputs.h"
#include "bench/modular/sections.h"
#include "crt/blocks/kernels/euclid.h"
#include "crt/blocks/kernels/points.h"
#include "modular/ring.h"

/* One operand of total degree d: coefficient i of X at Y^j is number j (d + 1) + i of c, of `width`
 * limbs in two's complement, absolute values below 2^bits. */
typedef struct operand {
    size_t d, width;
    uint64_t *c;
} operand;

static operand bivariate_draw(size_t d, unsigned bits, gfp_random *g)
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
static uint64_t bivariate_absolute(const operand *f, size_t i, size_t j, bool *negative)
{
    const uint64_t *x = f->c + f->width * (j * (f->d + 1) + i);
    *negative = x[1] != 0;
    return x[1] != 0 ? 0 - x[0] : x[0];
}

static void bivariate_set(gfp_zbipoly *a, const operand *f)
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

/* A call, and its operands; r := its result. */
typedef struct call {
    gfp_zbipoly a, b;
    gfp_zvec r;
    gfp_options options;
    gfp_error error;
    gfp_zsystem system;
    gfp_zboxes boxes;
} call;

static bool run_resultant(void *context)
{
    call *w = context;
    return gfp_zbipoly_resultant_y(&w->r, &w->a, &w->b, &w->options) == GFP_OK;
}

static bool run_solution(void *context)
{
    call *w = context;
    return gfp_zsystem_solve(&w->system, &w->a, &w->b, &w->options) == GFP_OK;
}

static bool run_boxes(void *context)
{
    call *w = context;
    return gfp_zsystem_boxes(&w->boxes, &w->system, 50, &w->options) == GFP_OK;
}

static record *take_call(const settings *s, report *r, size_t degree, size_t bits, const char *name,
                         bool (*run)(void *), call *w)
{
    char field[32];
    const timed_row f = {.section = "bivariate",
                         .field = field,
                         .name = name,
                         .len_a = degree,
                         .len_b = degree,
                         .unit = 1e6,
                         .error = &w->error};
    (void)snprintf(field, sizeof field, "%zu bits", bits);
    return take_timed_row(s, r, &f, run, w);
}

/* ---- a GPU ---- */

/* By the clock, one core and the device with some threads of the host; all results are compared. */
static bool bench_device(const settings *s, report *r, size_t degree, size_t bits, call *w)
{
    static const unsigned threads[] = {1, 4, 16};
    gfp_zvec expected;
    gfp_zvec_init(&expected, w->a.ring);
    w->options.method = "words";
    bool ok = measure_cpu_time(false) &&
              take_call(s, r, degree, bits, "one core", run_resultant, w) != NULL;
    must(gfp_zvec_set(&expected, &w->r), "result");
    w->options.method = "words_gpu";
    for (size_t i = 0; i < sizeof threads / sizeof *threads && ok; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "GPU, %u threads of the host", threads[i]);
        w->options.threads = threads[i];
        if (!run_resultant(w)) {
            (void)printf("  %s\n", w->error.message);
            break;
        }
        ok = take_call(s, r, degree, bits, name, run_resultant, w) != NULL &&
             (gfp_zvec_equal(&w->r, &expected) || complain("%s: another result", name));
    }
    gfp_zvec_clear(&expected);
    return ok;
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

static bool run_values(void *context)
{
    parts *p = context;
    p->kernels->group(&p->pair, 0, p->x, p->work);
    return true;
}

static bool run_images(void *context)
{
    parts *p = context;
    gfp_words_image_resultants(&p->many, p->level, p->values, p->work);
    return true;
}

static bool run_interpolation(void *context)
{
    parts *p = context;
    p->kernels->interpolate(&p->points, p->block, p->values, p->work);
    return true;
}

static void print_parts(const settings *s, gfp_zring *ring, size_t d, gfp_random *g)
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
        const size_t points = (size_t)1 << e;
        if (!gfp_points_plan(&p.points, d * d + 1, e) ||
            gfp_points_of_group(&p.points, 0) != points) {
            continue; /* the plan has fewer points */
        }
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
        /* The images are those of the values. */
        const double of_values = least_ns(s, run_values, &p) / (double)points;
        const double of_images = least_ns(s, run_images, &p) / (double)p.many.count;
        const double of_interpolation = least_ns(s, run_interpolation, &p) / (double)p.points.n;
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
            fmpz_set_ui(c, bivariate_absolute(f, i, j, &negative));
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
    const uint64_t start = measure_clock_ns();
    if (fmpz_mpoly_resultant(r, fa, fb, 1, ctx) == 0) {
        (void)printf("  FLINT: failed\n");
    }
    (void)printf("  FLINT: %.4g ms\n", 1e-6 * (double)(measure_clock_ns() - start));
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

/* ---- the section ---- */

static void print_gp(const char *name, const operand *f)
{
    (void)printf("%s = Polrev([", name);
    for (size_t j = 0; j <= f->d; j++) {
        (void)printf("%sPolrev([", j > 0 ? "," : "");
        for (size_t i = 0; i + j <= f->d; i++) {
            bool negative;
            const uint64_t c = bivariate_absolute(f, i, j, &negative);
            (void)printf("%s%s%llu", i > 0 ? "," : "", negative ? "-" : "", (unsigned long long)c);
        }
        (void)printf("],'y)");
    }
    (void)printf("],'x);\n");
}

static void print_gp_program(const operand *a, const operand *b)
{
    print_gp("a", a);
    print_gp("b", b);
    (void)printf("t = getabstime(); r = polresultant(a, b, 'x); print(getabstime() - t, \" ms, "
                 "degree \", poldegree(r)); print(polcoef(r, 1) %% (2^61 - 1));\n"
                 "r = polresultant(a, b, 'y); t = getabstime(); print(#polrootsreal(r), \" real "
                 "roots: \", getabstime() - t, \" ms\");\n");
}

static bool bench_system(const settings *s, report *r, size_t degree, size_t bits, call *w)
{
    const bool ok = take_call(s, r, degree, bits, "solutions", run_solution, w) != NULL &&
                    take_call(s, r, degree, bits, "boxes of 2^-50", run_boxes, w) != NULL;
    if (ok) {
        (void)printf("  %zu solutions in %zu parts, %zu real ones\n",
                     gfp_zsystem_solutions(&w->system), w->system.count, w->boxes.count);
    }
    return ok;
}

static bool bench_pair(const settings *s, report *r, const operand *a, const operand *b,
                       size_t bits, gfp_random *g)
{
    const size_t degree = a->d;
    const char *what = s->bivariate;
    gfp_zring *ring;
    call w = {.options = {.threads = 1, .error = &w.error}};
    must(gfp_zring_create(&ring, NULL, NULL), "ring");
    gfp_zbipoly_init(&w.a, ring);
    gfp_zbipoly_init(&w.b, ring);
    gfp_zvec_init(&w.r, ring);
    gfp_zsystem_init(&w.system, ring);
    gfp_zboxes_init(&w.boxes, ring);
    bivariate_set(&w.a, a);
    bivariate_set(&w.b, b);
    (void)printf("total degree %zu, %zu bits\n", degree, bits);
    print_head("", "ms");
    bool ok;
    if (strcmp(what, "gpu") == 0) {
        ok = bench_device(s, r, degree, bits, &w);
    } else if (strcmp(what, "system") == 0) {
        ok = bench_system(s, r, degree, bits, &w);
    } else {
        ok = take_call(s, r, degree, bits, "resultant", run_resultant, &w) != NULL;
        (void)printf("  of degree %zu and %zu bits\n", w.r.len - 1, gfp_zvec_bits(&w.r));
        if (strcmp(what, "flint") == 0) {
            print_flint(a, b);
        } else {
            print_parts(s, ring, degree, g);
        }
    }
    gfp_zboxes_clear(&w.boxes);
    gfp_zsystem_clear(&w.system);
    gfp_zbipoly_clear(&w.a);
    gfp_zbipoly_clear(&w.b);
    gfp_zvec_clear(&w.r);
    gfp_zring_destroy(ring);
    return ok;
}

bool bench_bivariate(const settings *s, report *r)
{
    const bool gp = strcmp(s->bivariate, "gp") == 0;
    const size_t most = gp || strcmp(s->bivariate, "flint") == 0 ? 64 : 1 << 16;
    bool ok = strcmp(s->bivariate, "gpu") == 0 || measure_cpu_time(true);
    for (size_t i = 0; i < s->length_count * s->bits_count && ok; i++) {
        const size_t degree = s->lengths[i / s->bits_count], bits = s->bits[i % s->bits_count];
        gfp_random g;
        if (bits > most) {
            return complain("at most %zu bits", most);
        }
        gfp_random_seed(&g, s->seed);
        operand a = bivariate_draw(degree, (unsigned)bits, &g),
                b = bivariate_draw(degree, (unsigned)bits, &g);
        if (gp) {
            print_gp_program(&a, &b);
        } else {
            ok = bench_pair(s, r, &a, &b, bits, &g);
        }
        free(a.c);
        free(b.c);
    }
    return measure_cpu_time(false) && ok;
}
