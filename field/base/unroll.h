/* unroll.h: hints for the template bodies whose loops and shifts are compile-time constants after
 * inlining and unrolling. For a compiler without such hints, the bodies are plain functions and
 * loops.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_UNROLL_H
#define GFP_FIELD_BASE_UNROLL_H

/* GFP_COMPACT: without these hints. Under AddressSanitizer, which checks every access to an array,
 * and in tests on checking lanes the unrolled code would take minutes to compile. */
#if defined(GFP_COMPACT)
#elif defined(__SANITIZE_ADDRESS__)
#define GFP_COMPACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GFP_COMPACT 1
#endif
#endif
#ifndef GFP_COMPACT
#define GFP_COMPACT 0
#endif

#if defined(__GNUC__) && !GFP_COMPACT
#define GFP_INLINE static inline __attribute__((always_inline))
#else
#define GFP_INLINE static inline
#endif

/* A large piece of code that all callers share, or one of several pieces of one caller: compilers
 * take longer for one function that contains all pieces. Not every k has a caller. */
#if defined(__GNUC__)
#define GFP_SHARED static __attribute__((noinline, unused))
#else
#define GFP_SHARED static
#endif

/* Before a loop of at most 16 iterations. */
#if GFP_COMPACT
#define GFP_UNROLL
#elif defined(__clang__)
/* This is a hint: no warning if the compiler ignores it. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define GFP_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define GFP_UNROLL _Pragma("GCC unroll 16")
#else
#define GFP_UNROLL
#endif

#endif
