/* sanitized.h: which sanitizer a test runs under: all make it slower, and ThreadSanitizer, some 20
 * times, finds nothing where there is one thread. An emulated CPU is as slow, or slower.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif

#if defined(GFP_EMULATED)
#define EMULATED 1
#else
#define EMULATED 0
#endif

/* By it or by AddressSanitizer, or emulated. */
#if defined(__SANITIZE_ADDRESS__) || EMULATED
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED THREAD_SANITIZED
#endif

#endif
