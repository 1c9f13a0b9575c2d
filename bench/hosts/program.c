/* bench/hosts/program.c: gfpoly_hosts, for bench/hosts/tables.py: the facts on which figures
 * depend, and the job of the table, a product of two polynomials in files, by gfpoly.
 *
 *   gfpoly_hosts facts
 *   gfpoly_hosts c|flint FACTOR FACTOR SECONDS
 *
 * c: from arrays of integers in 64-bit words to such an array. flint: from two fmpz_mod_poly to
 * one, in a program that was changed. Prints the least CPU time in ms, a line feed, and the product
 * as FLINT writes it. Files are in FLINT's format.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"
#include "cli/machine.h"
#include "cli/compare/sample.h"
#if HOSTS_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

struct job {
    gfp_field *field;
    gfp_poly a, b, c;
    size_t words;        /* of an integer */
    uint64_t *x, *y, *z; /* the factors and the product as integers */
#if HOSTS_HAVE_FLINT
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t f, g, h;
#endif
};

static gfp_status run_words(void *context)
{
    struct job *job = context;
    gfp_status status =
        gfp_poly_set_limbs(&job->a, job->x, job->words, job->words, job->a.len, NULL);
    if (status == GFP_OK) {
        status = gfp_poly_set_limbs(&job->b, job->y, job->words, job->words, job->b.len, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(&job->c, &job->a, &job->b, NULL);
    }
    if (status == GFP_OK) {
        gfp_poly_get_limbs(&job->c, job->z, job->words);
    }
    return status;
}

#if HOSTS_HAVE_FLINT
static gfp_status run_flint(void *context)
{
    struct job *job = context;
    gfp_status status = gfp_poly_set_fmpz_mod_poly(&job->a, job->f, job->ctx);
    if (status == GFP_OK) {
        status = gfp_poly_set_fmpz_mod_poly(&job->b, job->g, job->ctx);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(&job->c, &job->a, &job->b, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_poly_get_fmpz_mod_poly(job->h, job->ctx, &job->c);
    }
    return status;
}

static gfp_status start_flint(struct job *job)
{
    fmpz_t p;
    fmpz_init(p);
    fmpz_set_str(p, gfp_field_modulus_string(job->field), 10);
    fmpz_mod_ctx_init(job->ctx, p);
    fmpz_clear(p);
    fmpz_mod_poly_init(job->f, job->ctx);
    fmpz_mod_poly_init(job->g, job->ctx);
    fmpz_mod_poly_init(job->h, job->ctx);
    gfp_status status = gfp_poly_get_fmpz_mod_poly(job->f, job->ctx, &job->a);
    return status != GFP_OK ? status : gfp_poly_get_fmpz_mod_poly(job->g, job->ctx, &job->b);
}

static void finish_flint(struct job *job)
{
    fmpz_mod_poly_clear(job->f, job->ctx);
    fmpz_mod_poly_clear(job->g, job->ctx);
    fmpz_mod_poly_clear(job->h, job->ctx);
    fmpz_mod_ctx_clear(job->ctx);
    flint_cleanup();
}
#endif

/* The integers of both factors, and room for those of the product. */
static bool start_words(struct job *job)
{
    job->words = gfp_field_limbs(job->field);
    const size_t bytes = job->words * sizeof *job->x;
    job->x = malloc(job->a.len * bytes);
    job->y = malloc(job->b.len * bytes);
    job->z = malloc((job->a.len + job->b.len) * bytes);
    if (job->x == NULL || job->y == NULL || job->z == NULL) {
        return false;
    }
    gfp_poly_get_limbs(&job->a, job->x, job->words);
    gfp_poly_get_limbs(&job->b, job->y, job->words);
    return true;
}

static bool read_factor(gfp_poly *a, const char *name, gfp_error *error)
{
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        perror(name);
        return false;
    }
    const bool good = gfp_poly_fread(a, file, GFP_FORMAT_FLINT, NULL, error) == GFP_OK;
    fclose(file);
    if (!good) {
        fprintf(stderr, "%s: %s\n", name, error->message);
    }
    return good;
}

/* The first factor's file names the field. */
static bool read_factors(struct job *job, char **names)
{
    gfp_error error;
    FILE *file = fopen(names[0], "r");
    if (file == NULL) {
        perror(names[0]);
        return false;
    }
    const gfp_status status = gfp_poly_fread_field(&job->a, &job->field, file, NULL, NULL, &error);
    fclose(file);
    if (status != GFP_OK) {
        fprintf(stderr, "%s: %s\n", names[0], error.message);
        return false;
    }
    gfp_poly_init(&job->b, job->field);
    gfp_poly_init(&job->c, job->field);
    return read_factor(&job->b, names[1], &error);
}

static int program_run(char **arguments)
{
    struct job job = {.field = NULL};
    const double budget = 1e9 * strtod(arguments[3], NULL);
    const struct effort effort = {.budget_ns = budget, .most_ns = 4 * budget};
    gfp_status (*body)(void *) = run_words;

    if (!keep_to_cpu(true) || !read_factors(&job, arguments + 1) || !start_words(&job)) {
        return 1;
    }
#if HOSTS_HAVE_FLINT
    const bool flint = strcmp(arguments[0], "flint") == 0;
    if (flint) {
        body = run_flint;
    }
    if (flint && start_flint(&job) != GFP_OK) {
        return 1;
    }
#endif
    struct timing timing;
    if (take_samples(&timing, &effort, true, body, &job) != GFP_OK) {
        return 1;
    }
    printf("%.6f\n", (double)timing.min_ns / 1e6);
    const bool written = gfp_poly_fwrite(&job.c, stdout, GFP_FORMAT_FLINT) == GFP_OK;
#if HOSTS_HAVE_FLINT
    if (flint) {
        finish_flint(&job);
    }
#endif
    free(job.x);
    free(job.y);
    free(job.z);
    gfp_poly_clear(&job.a);
    gfp_poly_clear(&job.b);
    gfp_poly_clear(&job.c);
    gfp_field_destroy(job.field);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "facts") == 0) {
        if (build_refusal() != NULL) {
            fprintf(stderr, "gfpoly_hosts: built %s: its times mean nothing\n", build_refusal());
            return 1;
        }
        struct machine machine;
        describe_machine(&machine);
        write_machine(stdout, &machine, "- ");
        return 0;
    }
    if (argc == 5 &&
        (strcmp(argv[1], "c") == 0 || (HOSTS_HAVE_FLINT && strcmp(argv[1], "flint") == 0))) {
        return program_run(argv + 1);
    }
    fputs("usage: gfpoly_hosts facts, or gfpoly_hosts c|flint FACTOR FACTOR SECONDS\n", stderr);
    return 2;
}
