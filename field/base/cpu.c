/* cpu.c: the kernel level of this process, decided once from the CPU and overridable by the
 * environment variable GFPOLY_CPU; and the brand of the CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/cpu.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "gfpoly/field.h"

/* Each level has a test whether this CPU and system have it. */
typedef struct level_row {
    const char *name;
    bool (*present)(void);
} level_row;

static bool cpu_always(void)
{
    return true;
}

#if GFP_X86_LEVELS || GFP_NEON_LEVEL
/* Whether the rounding mode takes effect. Emulators that always round to nearest (valgrind) get
 * portable kernels, since products in double precision set the mode. */
static bool rounding_works(void)
{
    const int mode = fegetround();
    volatile double sum = 1;
    (void)fesetround(FE_UPWARD);
    sum += 0x1p-60;
    (void)fesetround(mode);
    return sum > 1;
}
#endif

static bool no_level(void)
{
    return false;
}

#if GFP_X86_LEVELS

/* Bits of cpuid leaves 1 (ecx) and 7 (ebx), and of XCR0: the registers that the system saves at a
 * switch. */
enum {
    LEAF1_FMA = 1 << 12,
    LEAF1_OSXSAVE = 1 << 27,
    LEAF1_AVX = 1 << 28,
    LEAF7_AVX2 = 1 << 5,
    LEAF7_AVX512F = 1 << 16,
    LEAF7_AVX512DQ = 1 << 17,
    LEAF7_AVX512IFMA = 1 << 21,
    LEAF7_AVX512BW = 1 << 30,
    XCR0_YMM = 6,
    XCR0_ZMM = 0xe6
};
#define LEAF7_AVX512VL (1U << 31)

static unsigned saved_state(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Whether the system saves the registers of `state`, and cpuid has AVX, FMA and the bits leaf7 of
 * its leaf 7. */
static bool cpu_has(unsigned state, unsigned leaf7)
{
    const unsigned leaf1 = LEAF1_FMA | LEAF1_OSXSAVE | LEAF1_AVX;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & leaf1) != leaf1 ||
        (saved_state() & state) != state) {
        return false;
    }
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & leaf7) == leaf7;
}

static bool has_avx2(void)
{
    return cpu_has(XCR0_YMM, LEAF7_AVX2) && rounding_works();
}

static bool has_avx512dq(void)
{
    return has_avx2() &&
           cpu_has(XCR0_ZMM, LEAF7_AVX512F | LEAF7_AVX512DQ | LEAF7_AVX512BW | LEAF7_AVX512VL);
}

static bool has_avx512ifma(void)
{
    return has_avx512dq() && cpu_has(XCR0_ZMM, LEAF7_AVX512IFMA);
}

#else
#define has_avx2 no_level
#define has_avx512dq no_level
#define has_avx512ifma no_level
#endif

#if GFP_NEON_LEVEL
/* Every AArch64 has NEON. */
static bool has_neon(void)
{
    return rounding_works();
}
#else
#define has_neon no_level
#endif

static const level_row levels[GFP_LEVEL_COUNT] = {
    [GFP_LEVEL_PORTABLE] = {"portable", cpu_always},
    [GFP_LEVEL_AVX2] = {"avx2", has_avx2},
    [GFP_LEVEL_AVX512IFMA] = {"avx512ifma", has_avx512ifma},
    [GFP_LEVEL_AVX512DQ] = {"avx512dq", has_avx512dq},
    [GFP_LEVEL_NEON] = {"neon", has_neon},
};

/* From the plainest to the best. */
static const gfp_level order[GFP_LEVEL_COUNT] = {
    GFP_LEVEL_PORTABLE, GFP_LEVEL_AVX2, GFP_LEVEL_AVX512DQ, GFP_LEVEL_AVX512IFMA, GFP_LEVEL_NEON};

/* The level; -1 before it is decided. */
static atomic_int cached = -1;

static int cpu_decide(void)
{
    const char *wanted = getenv("GFPOLY_CPU");
    gfp_level best = GFP_LEVEL_PORTABLE;
    for (unsigned i = 0; i < GFP_LEVEL_COUNT; i++) {
        const level_row *row = &levels[order[i]];
        if (row->present()) {
            best = order[i];
            if (wanted != NULL && strcmp(wanted, row->name) == 0) {
                break;
            }
        }
    }
    return (int)best;
}

gfp_level gfp_cpu_level_get(void)
{
    /* Threads that race here compute the same value. */
    int level = atomic_load_explicit(&cached, memory_order_relaxed);
    if (level < 0) {
        level = cpu_decide();
        atomic_store_explicit(&cached, level, memory_order_relaxed);
    }
    return (gfp_level)level;
}

bool gfp_cpu_has(gfp_level level)
{
    return level < GFP_LEVEL_COUNT && levels[level].present();
}

const char *gfp_cpu_level_name(gfp_level level)
{
    return levels[level].name;
}

bool gfp_cpu_level_force(gfp_level level)
{
    if (!gfp_cpu_has(level)) {
        return false;
    }
    atomic_store_explicit(&cached, (int)level, memory_order_relaxed);
    return true;
}

const char *gfp_cpu_level_at(bool *present, unsigned index)
{
    if (index >= GFP_LEVEL_COUNT) {
        return NULL;
    }
    if (present != NULL) {
        *present = gfp_cpu_has(order[index]);
    }
    return levels[order[index]].name;
}

const char *gfp_cpu_level(void)
{
    return levels[gfp_cpu_level_get()].name;
}

/* text := the raw brand, 48 bytes in three cpuid leaves; "" for a CPU without a brand. */
static void raw_brand(char text[49])
{
    text[0] = '\0';
#if defined(__x86_64__)
    unsigned words[12] = {0};
    if ((unsigned)__get_cpuid_max(0x80000000, NULL) < 0x80000004) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        unsigned *w = words + 4 * i;
        (void)__get_cpuid(0x80000002 + i, &w[0], &w[1], &w[2], &w[3]);
    }
    memcpy(text, words, sizeof words);
    text[sizeof words] = '\0';
#endif
}

/* Appends the printable part of raw, with single spaces and none at the ends. */
static void cpu_tidy(char text[GFP_CPU_BRAND_SIZE], const char *raw)
{
    size_t n = 0;
    for (; *raw != '\0' && n + 1 < GFP_CPU_BRAND_SIZE; raw++) {
        bool printable = *raw > ' ' && *raw <= '~' && *raw != '"';
        if (printable || (*raw == ' ' && n > 0 && text[n - 1] != ' ')) {
            text[n++] = *raw;
        }
    }
    if (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    text[n] = '\0';
}

void gfp_cpu_brand(char text[GFP_CPU_BRAND_SIZE])
{
    char raw[49];
    struct utsname system;
    raw_brand(raw);
    cpu_tidy(text, raw);
    if (text[0] == '\0' && uname(&system) == 0) {
        cpu_tidy(text, system.machine);
    }
    if (text[0] == '\0') {
        cpu_tidy(text, "unknown");
    }
}
