/* bench/peers/speed.h: PEERS_SPEED, which says behind FLINT's version whether that FLINT has its
 * transforms by small primes (fft_small): they make FLINT 3 much faster; builds for older CPUs lack
 * them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_SPEED_H
#define BENCH_PEERS_SPEED_H

#include <flint/flint.h>

#if !defined(GFP_FLINT_FFT_SMALL) && defined(FLINT_HAVE_FFT_SMALL)
#define GFP_FLINT_FFT_SMALL FLINT_HAVE_FFT_SMALL
#endif
#if defined(GFP_FLINT_FFT_SMALL) && GFP_FLINT_FFT_SMALL
#define PEERS_SPEED " with fft_small"
#elif __FLINT_VERSION >= 3
#define PEERS_SPEED " without fft_small"
#else
#define PEERS_SPEED ""
#endif

#endif
