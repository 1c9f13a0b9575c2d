/* sanitized.h: the sanitizer of a test's build. All sanitizers make tests slower; ThreadSanitizer
 * makes them some 20 times slower and finds nothing with one thread. An emulated CPU is at least as
 * slow.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_SANITIZED_H
#define TESTS_LAB_SANITIZED_H

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

/* Built with ThreadSanitizer or AddressSanitizer, or emulated. */
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
