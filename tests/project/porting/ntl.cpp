// ntl.cpp: the program around the section "From NTL" of docs/porting.md, as flint.c is for FLINT.
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <NTL/ZZ_pX.h>
#include <NTL/ZZ_pXFactoring.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "gfpoly.h"

using namespace NTL;

static int failures, rows;

static void pair(int &touched, bool left, bool right, bool equal, const char *name)
{
    if (left || right) {
        touched++;
        if (!equal) {
            std::printf("the sides differ in %s, after:\n", name);
            failures++;
        }
    }
}

static void end_row(int touched, int before, const char *row)
{
    if (touched == 0) {
        std::printf("no result, after:\n");
        failures++;
    }
    if (failures > before) {
        std::printf("    %s\n", row);
    }
    rows++;
}

static void element(const gfp_field *field, uint64_t *X, const ZZ_p &x)
{
    uint64_t words[16] = {0};
    BytesFromZZ(reinterpret_cast<unsigned char *>(words), rep(x), sizeof words);
    gfp_elem_set_limbs(field, X, words, 16);
}

#define EACH(f) f(g, G) f(h, H) f(q, Q) f(r, R) f(s, S) f(t, T) f(u, U)
#define INIT(f, F) gfp_poly_init(&F, field);
#define CLEAR(f, F) gfp_poly_clear(&F);
#define CLEAR_OTHERS EACH(CLEAR)

#define START(f, F) set(f), gfp_poly_zero(&F);
#define RESULTS(f) f(h, H) f(q, Q) f(r, R) f(s, S) f(t, T)
#define COMPARE(f, F)                                                                              \
    from_ntl(&twin, f);                                                                            \
    pair(touched, !IsOne(f), !gfp_poly_is_zero(&F), gfp_poly_equal(&twin, &F), #f);
#define BEGIN_ROW                                                                                  \
    {                                                                                              \
        long n = -1, N = -2;                                                                       \
        int touched = 0, before = failures;                                                        \
        gfp_poly twin;                                                                             \
        gfp_poly_init(&twin, field);                                                               \
        uint64_t X_twin[16];                                                                       \
        RESULTS(START)                                                                             \
        set(y), gfp_elem_zero(field, Y);
#define END_ROW(row)                                                                               \
    RESULTS(COMPARE)                                                                               \
    element(field, X_twin, y);                                                                     \
    pair(touched, !IsOne(y), !gfp_elem_is_zero(field, Y), gfp_elem_equal(field, X_twin, Y), "y");  \
    pair(touched, n != -1, N != -2, n == N, "n");                                                  \
    end_row(touched, before, row);                                                                 \
    gfp_poly_clear(&twin);                                                                         \
    }

int main()
{
#include "guide.inc"
    std::printf("%d rows, %d failures\n", rows, failures);
    return failures != 0;
}
