/* bench/hosts_flint.c: a program of FLINT that knows nothing of gfpoly, for bench/hosts.py, which
 * starts it alone and with libgfpoly_flint.so preloaded.
 *   gfpoly_hosts_flint FACTOR FACTOR SECONDS
 * Prints FLINT's version, the least CPU time of fmpz_mod_poly_mul in ms, and the product, a line
 * each. Files and product are in FLINT's format.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>

/* n modulus c0 c1 ...; sets the modulus of ctx if that is the first file. */
static int read_factor(fmpz_mod_poly_t f, fmpz_mod_ctx_t ctx, int first, const char *name)
{
    FILE *file = fopen(name, "r");
    slong n;
    fmpz_t x;
    if (file == NULL || fscanf(file, "%ld", &n) != 1) {
        fprintf(stderr, "%s: no polynomial\n", name);
        return 0;
    }
    fmpz_init(x);
    fmpz_fread(file, x);
    if (first) {
        fmpz_mod_ctx_init(ctx, x);
    }
    fmpz_mod_poly_init2(f, n, ctx);
    for (slong i = 0; i < n && fmpz_fread(file, x) > 0; i++) {
        fmpz_mod_poly_set_coeff_fmpz(f, i, x, ctx);
    }
    fmpz_clear(x);
    fclose(file);
    return fmpz_mod_poly_length(f, ctx) == n;
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t f, g, h;
    double least = 1e300;

    if (argc != 4) {
        fputs("usage: gfpoly_hosts_flint FACTOR FACTOR SECONDS\n", stderr);
        return 2;
    }
    if (!read_factor(f, ctx, 1, argv[1]) || !read_factor(g, ctx, 0, argv[2])) {
        return 1;
    }
    fmpz_mod_poly_init(h, ctx);
    const double end = cpu_ms() + 1e3 * strtod(argv[3], NULL);
    for (int i = 0; i < 5 || cpu_ms() < end; i++) {
        const double start = cpu_ms();
        fmpz_mod_poly_mul(h, f, g, ctx);
        const double spent = cpu_ms() - start;
        least = spent < least ? spent : least;
    }
    printf("%s\n%.6f\n", flint_version, least);
    fmpz_mod_poly_fprint(stdout, h, ctx);
    putchar('\n');
    fmpz_mod_poly_clear(f, ctx);
    fmpz_mod_poly_clear(g, ctx);
    fmpz_mod_poly_clear(h, ctx);
    fmpz_mod_ctx_clear(ctx);
    flint_cleanup();
    return 0;
}
