/* cancel.c: a long product that shows its progress and stops at Ctrl-C, as a host such as a
 * computer algebra system does by gfp_progress. Usage: cancel [LENGTH [PERCENT]]: also cancels
 * itself at PERCENT (default 50); with 101 it finishes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "gfpoly.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* The state of the callback. */
typedef struct watch {
    double stop_at; /* percent */
    int shown;
} watch;

/* Called about every 0.2 ms: cheap, and prints only changes. */
static bool watch_step(void *user, double fraction)
{
    watch *w = user;
    const double percent = 100 * fraction;

    if ((int)percent > w->shown) {
        w->shown = (int)percent;
        printf("%3d %%\n", w->shown);
    }
    return !interrupted && percent < w->stop_at;
}

static gfp_status multiply(gfp_poly *a, gfp_poly *b, gfp_poly *c, size_t len,
                           const gfp_options *options)
{
    gfp_random generator;

    gfp_random_seed(&generator, 7);
    gfp_status status = gfp_poly_random(a, len, &generator);
    if (status == GFP_OK) {
        status = gfp_poly_random(b, len, &generator);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(c, a, b, options);
    }
    return status;
}

int main(int argc, char **argv)
{
    const size_t len = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000;
    watch w = {.stop_at = argc > 2 ? strtod(argv[2], NULL) : 50, .shown = -1};
    const gfp_progress progress = {.step = watch_step, .user = &w};
    gfp_error error = {.message = ""};
    const gfp_options options = {
        .method = "bigfft", .verify = GFP_VERIFY_POINT, .error = &error, .progress = &progress};
    gfp_field *field;
    gfp_poly a, b, c;

    if (gfp_field_create(&field, "p16", NULL, &error) != GFP_OK) {
        fprintf(stderr, "cancel: %s\n", error.message);
        return EXIT_FAILURE;
    }
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    (void)signal(SIGINT, interrupt);
    const gfp_status status = multiply(&a, &b, &c, len, &options);
    if (status == GFP_ERR_CANCELLED) {
        printf("cancelled: the product is as it was, of length %zu\n", c.len);
    } else if (status == GFP_OK) {
        printf("product of length %zu\n", c.len);
    } else {
        fprintf(stderr, "cancel: %s %s\n", gfp_status_string(status), error.message);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
    return status == GFP_OK || status == GFP_ERR_CANCELLED ? EXIT_SUCCESS : EXIT_FAILURE;
}
