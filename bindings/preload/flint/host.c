/* host.c: see host.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/flint/host.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "bindings/preload/decision.h"

static const gfp_host_symbol originals[] = {
    {"_fmpz_mod_poly_mul", offsetof(gfp_host, original.mod_mul)},
    {"_fmpz_mod_poly_sqr", offsetof(gfp_host, original.mod_sqr)},
    {"_fmpz_mod_poly_mullow", offsetof(gfp_host, original.mod_mullow)},
    {"_fmpz_mod_poly_mulmid", offsetof(gfp_host, original.mod_mulmid)},
    {"fmpz_mod_poly_mul", offsetof(gfp_host, original.poly_mul)},
    {"fmpz_mod_poly_sqr", offsetof(gfp_host, original.poly_sqr)},
    {"fmpz_mod_poly_mullow", offsetof(gfp_host, original.poly_mullow)},
    {"fmpz_mod_poly_mulmid", offsetof(gfp_host, original.poly_mulmid)},
    {"_fmpz_poly_mul", offsetof(gfp_host, original.mul)},
    {"_fmpz_poly_sqr", offsetof(gfp_host, original.sqr)},
    {"_fmpz_poly_mullow", offsetof(gfp_host, original.mullow)},
    {"_fmpz_poly_sqrlow", offsetof(gfp_host, original.sqrlow)},
};

static const gfp_host_symbol helpers[] = {
    {"fmpz_set_ui_array", offsetof(gfp_host, set_ui_array)},
    {"fmpz_get_signed_ui_array", offsetof(gfp_host, get_signed_ui_array)},
    {"fmpz_set_signed_ui_array", offsetof(gfp_host, set_signed_ui_array)},
    {"_fmpz_vec_init", offsetof(gfp_host, vec_init)},
    {"_fmpz_vec_clear", offsetof(gfp_host, vec_clear)},
    {"_fmpz_vec_equal", offsetof(gfp_host, vec_equal)},
    {"_fmpz_vec_zero", offsetof(gfp_host, vec_zero)},
    {"_fmpz_vec_swap", offsetof(gfp_host, vec_swap)},
    {"_fmpz_mod_poly_fit_length", offsetof(gfp_host, fit_length)},
    {"_fmpz_mod_poly_set_length", offsetof(gfp_host, set_length)},
    {"_fmpz_mod_poly_normalise", offsetof(gfp_host, normalise)},
    {"flint_get_num_threads", offsetof(gfp_host, threads)},
    {"fmpz_mod_ctx_modulus", offsetof(gfp_host, modulus)},
};

/* Returns the major version, 0 if the version has another form than "3.4.0". */
static long major_version(void *handle)
{
    char *end;
    const char *version = dlsym(handle, "flint_version");
    const long major = version == NULL ? 0 : strtol(version, &end, 10);
    return major != 0 && *end == '.' ? major : 0;
}

static void host_fill(gfp_host *h, void *handle)
{
    (void)gfp_host_find(h, handle, originals, sizeof originals / sizeof *originals);
    const bool all = gfp_host_find(h, handle, helpers, sizeof helpers / sizeof *helpers);
    const long major = major_version(handle);
    h->contexts = major == 3;
    h->serves = all && (major == 2 || major == 3);
    h->fft = dlsym(handle, "_nmod_poly_mul_mid_mpn_ctx") != NULL;
}

gfp_host gfp_host_first;
const gfp_host_kind gfp_host_kind_self = {"_fmpz_vec_max_bits", sizeof(gfp_host), host_fill};

int gfp_host_threads(const gfp_host *host)
{
    return host->threads();
}

/* A block of coefficients without a branch. */
#define BLOCK 8

/* *top |= the bits of |x_i|, i < BLOCK; false, and nothing: one is a number of GMP's. */
static bool add_block(uint64_t *top, const gfp_fmpz *x)
{
    uint64_t all = 0;
    bool numbers = false;
    for (size_t i = 0; i < BLOCK; i++) {
        all |= (uint64_t)(x[i] < 0 ? -x[i] : x[i]);
        numbers |= gfp_fmpz_has_number(x[i]);
    }
    if (numbers) {
        return false;
    }
    *top |= all;
    return true;
}

size_t gfp_flint_bits(const gfp_fmpz *x, size_t n, long enough)
{
    long most = 0;
    uint64_t top = 0;
    size_t i = 0;
    while (n - i >= BLOCK && add_block(&top, x + i)) {
        i += BLOCK;
    }
    for (; i < n && gfp_fmpz_number(x[i]) == NULL; i++) {
        top |= (uint64_t)(x[i] < 0 ? -x[i] : x[i]);
    }
    most = top != 0;
    for (; i < n && most < enough; i++) {
        uint64_t word;
        long limbs;
        const uint64_t *value = gfp_fmpz_limbs(x[i], &limbs, &word);
        limbs = limbs < 0 ? -limbs : limbs;
        if (limbs >= most && limbs > 0) {
            top = limbs > most ? value[limbs - 1] : top | value[limbs - 1];
            most = limbs;
        }
    }
    return most == 0 ? 0 : 64 * (size_t)most - (size_t)__builtin_clzll(top | 1);
}
