/* gfpoly.h: everything except the bridges to GMP (gfpoly/gmp.h, gfpoly/zvec_gmp.h) and FLINT
 * (gfpoly/flint.h, gfpoly/zvec_flint.h).
 *
 * Process: as long as no GPU is used, the library keeps one word in the process, the kernel level
 * of the CPU (gfp_cpu_level). It handles no signals, opens only the files that the caller names,
 * does not print, and does not end the process (FLINT and GMP, inside it, abort when memory runs
 * out).
 *
 * GPU: in a build with CUDA, NVIDIA's driver is started by the methods on a GPU, and by the chooser
 * once a GPU is worth it (see gfpoly/methods.h; GFPOLY_GPU=off: never). The driver opens files,
 * maps memory and starts threads of its own, and stays until the process ends. The library keeps
 * the state of the devices, and caches contexts with plans, arrays and page-locked memory for later
 * products, until gfp_gpu_pool_release.
 *
 * Threads: any number of threads may share fields, plans and inputs as long as no thread changes
 * them; an output belongs to one thread. The library starts threads only if a call asks for more
 * than one (gfp_options.threads, gfp_field_set_threads): OpenMP's, which afterwards wait for the
 * next such call. They call neither the allocator nor the progress callback of the host.
 *
 * Floating point: the caller's rounding mode does not matter and is preserved. Traps for inexact
 * results must be off, as they are when a program starts.
 *
 * Fork: parent and child may both use everything made before. Over a field of its parent a child
 * computes with one thread, since OpenMP's threads do not survive. Over fields of its own it must
 * not ask for more if its parent did. Only the parent can use a GPU: once a process has opened one,
 * its children have none. Their picks are methods of the CPU, and they must not use or destroy
 * contexts and what was made over them (gfpoly/gpu.h, operands on a GPU). FLINT's own threads do
 * not survive either: a process that raised flint_set_num_threads calls flint_cleanup_master before
 * it forks.
 *
 * FLINT's thread count is the caller's; no call changes it. FLINT keeps caches per thread: a thread
 * that used the methods "multimodular" or "flint", or the bridge, calls flint_cleanup before it
 * ends.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_H
#define GFPOLY_H

#include "gfpoly/base.h"
#include "gfpoly/compose.h"
#include "gfpoly/division.h"
#include "gfpoly/elem.h"
#include "gfpoly/factor.h"
#include "gfpoly/fft.h"
#include "gfpoly/field.h"
#include "gfpoly/file.h"
#include "gfpoly/gcd.h"
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
#include "gfpoly/tree.h"
#include "gfpoly/tuning.h"
#include "gfpoly/wvec.h"
#include "gfpoly/zbipoly.h"
#include "gfpoly/zmatrix.h"
#include "gfpoly/zsystem.h"
#include "gfpoly/zvec.h"

#endif
