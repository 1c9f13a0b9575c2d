/* bench/regret/over_z.c: problems over Z: products, gcds and resultants by every strategy, and by
 * the call that chooses, whose time has the choice in it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <float.h>
#include <string.h>

#include "bench/modular/inputs.h"
#include "bench/regret/regret.h"

static size_t smaller_size(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Draws sizes: half of the problems have equal lengths, half equal bits; gcds are trivial in a
 * third. Returns false if the problem takes too long. */
static bool draw_sizes(bench *b, trial *t)
{
    static const size_t longest[Z_OPERATIONS] = {16384, 2048, 512};
    static const double most[Z_OPERATIONS] = {3e7, 3e8, 2e7};
    gfp_random *g = &b->g;
    t->p.len_a = t->p.len_b = 1 + log_uniform(g, 1, longest[t->over_z]);
    t->bits_a = t->bits_b = log_uniform(g, 2, t->over_z == Z_MUL ? 8192 : 4096);
    if (gfp_random_below(g, 2) == 0) {
        t->p.len_b = 1 + log_uniform(g, 1, t->p.len_a - 1);
    }
    if (gfp_random_below(g, 2) == 0) {
        t->bits_b = log_uniform(g, 2, 4096);
    }
    t->p.n = 1;
    if (t->over_z == Z_GCD && gfp_random_below(g, 3) != 0) {
        t->p.n = 2 + (size_t)gfp_random_below(g, t->p.len_b - 1);
    }
    const double of_a = (double)t->p.len_a, of_b = (double)t->p.len_b;
    const double bits = (double)(t->bits_a + t->bits_b);
    const double steps[Z_OPERATIONS] = {of_a * bits, of_a * of_b * bits,
                                        of_a * of_b * bits * ((of_a + of_b) / 40 + 1)};
    return steps[t->over_z] < most[t->over_z];
}

static void draw_factors(bench *b, const trial *t)
{
    if (t->p.n == 1) {
        fill_random(&b->za, t->p.len_a, t->bits_a, &b->g);
        fill_random(&b->zb, t->p.len_b, t->bits_b, &b->g);
        return;
    }
    const size_t least = smaller_size(t->bits_a, t->bits_b);
    const size_t bits = 1 + (size_t)gfp_random_below(&b->g, least);
    fill_random(&b->zc, t->p.n, bits, &b->g);
    fill_random(&b->za, t->p.len_a - t->p.n + 1, t->bits_a > bits ? t->bits_a - bits : 1, &b->g);
    fill_random(&b->zb, t->p.len_b - t->p.n + 1, t->bits_b > bits ? t->bits_b - bits : 1, &b->g);
    must(gfp_zvec_mul(&b->za, &b->za, &b->zc, NULL), "operands");
    must(gfp_zvec_mul(&b->zb, &b->zb, &b->zc, NULL), "operands");
}

/* Names the methods; the last one chooses. */
static void over_z_ask(trial *t)
{
    const char *const *names = zmethod_names[t->over_z];
    size_t count = 0;
    while (names[count] != NULL) {
        t->by[count].method = names[count];
        count++;
    }
    t->methods = count + 1;
    for (size_t i = 0; i < t->methods; i++) {
        t->by[i].runs = true;
        t->by[i].batch = 1;
        t->by[i].least = DBL_MAX;
    }
    t->pick[BUILT_IN] = count;
}

static bool over_z_draw(bench *b, trial *t)
{
    do {
        *t = (trial){
            .number = b->done + 1, .threads = 1, .over_z = (zoperation)(b->done % Z_OPERATIONS)};
        (void)(b->o.operation == NULL || find_operation(&t->over_z, b->o.operation));
    } while (!draw_sizes(b, t));
    draw_factors(b, t);
    over_z_ask(t);
    return true;
}

static gfp_status over_z_run(bench *b, trial *t, const method_run *x)
{
    gfp_report how = {.method = ""};
    const gfp_options o = {.method = x->method, .report = &how, .error = &b->error};
    const gfp_status status = run_operation(t->over_z, &b->zc, &b->za, &b->zb, &o);

    t->used = x->method == NULL ? how.method : t->used;
    return status;
}

static gfp_status over_z_prepare(bench *b, const trial *t)
{
    const gfp_options o = {.verify = GFP_VERIFY_CROSS, .error = &b->error};
    return run_operation(t->over_z, &b->z_reference, &b->za, &b->zb, &o);
}

/* A method that does not serve, or whose first calls take many times the least time, does not
 * run; the first call may make tables. */
static gfp_status over_z_enter(bench *b, trial *t, method_run *x)
{
    double ns = 0;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t start = clock_ns();
        const gfp_status status = over_z_run(b, t, x);
        ns = (double)(clock_ns() - start);
        if (status == GFP_ERR_UNAVAILABLE && x->method != NULL) {
            x->runs = false;
            return GFP_OK;
        }
        if (status != GFP_OK) {
            return status;
        }
        if (t->first_ns == 0 || ns < b->o.far * t->first_ns) {
            break;
        }
        x->runs = i == 0 || x->method == NULL;
    }
    t->first_ns = t->first_ns == 0 || ns < t->first_ns ? ns : t->first_ns;
    return GFP_OK;
}

static bool over_z_right(const bench *b)
{
    return gfp_zvec_equal(&b->zc, &b->z_reference);
}

static void over_z_release(bench *b, trial *t)
{
    (void)b;
    (void)t;
}

const subject subject_over_z = {.draw = over_z_draw,
                                .prepare = over_z_prepare,
                                .enter = over_z_enter,
                                .run = over_z_run,
                                .right = over_z_right,
                                .release = over_z_release};
