/* gfpoly.h: everything but the bridges to GMP (gfpoly/gmp.h) and FLINT (gfpoly/flint.h).
 *
 * In the process that uses it the library keeps nothing but one word, the kernel level of the CPU
 * (gfp_cpu_level), as long as no GPU is asked for: it handles no signals, opens no files but those
 * named to it, and neither prints nor ends the process (FLINT and GMP, inside it, abort when memory
 * runs out).
 *
 * GPU: where it is built with CUDA, the methods on a GPU, and the pick once they are worth it (see
 * gfpoly/poly.h; GFPOLY_GPU=off: never), start NVIDIA's driver, which opens files, maps memory and
 * starts threads of its own, and stays until the process ends. The library keeps what it knows of
 * the devices, and contexts with plans, arrays and page-locked memory that wait for the next
 * product, until gfp_gpu_pool_release.
 *
 * Threads: fields, plans and inputs may be shared by any number of threads as long as nobody
 * changes them; an output belongs to one thread. The library starts threads only where a call asks
 * for more than one (gfp_options.threads, gfp_field_set_threads): OpenMP's, which wait for the
 * next such call afterwards. They call neither the allocator nor the progress callback of the host.
 *
 * Floating point: the caller's rounding mode does not matter and stays as it is. Traps for inexact
 * results must be off, as they are when a program starts.
 *
 * Fork: parent and child may both go on with everything made before; over a field of its parent a
 * child computes with one thread, since OpenMP's threads do not survive. Over fields of its own it
 * must not ask for more where its parent did. Only the parent goes on with a GPU: once it was asked
 * for, none is available in the child, whose picks are the CPU's, and contexts and what was made
 * over them (gfpoly/gpu.h, operands on a GPU) must not be used or destroyed there. FLINT's own
 * threads do not survive either: a process that raised flint_set_num_threads calls
 * flint_cleanup_master before it forks.
 *
 * FLINT's thread count is the caller's; no call changes it. FLINT keeps caches per thread: a thread
 * that used the methods "multimodular" or "flint", or the bridge, calls flint_cleanup before it
 * ends.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_H
#define GFPOLY_H

#include "gfpoly/base.h"
#include "gfpoly/division.h"
#include "gfpoly/elem.h"
#include "gfpoly/fft.h"
#include "gfpoly/field.h"
#include "gfpoly/file.h"
#include "gfpoly/gpu.h"
#include "gfpoly/gpu_poly.h"
#include "gfpoly/gpu_product.h"
#include "gfpoly/methods.h"
#include "gfpoly/modulus.h"
#include "gfpoly/operand.h"
#include "gfpoly/options.h"
#include "gfpoly/poly.h"
#include "gfpoly/primes.h"
#include "gfpoly/product.h"
#include "gfpoly/series.h"
#include "gfpoly/tuning.h"

#endif
