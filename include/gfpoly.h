/* gfpoly.h: everything on the CPU. Asked for by name: devices (gfpoly/gpu.h, gfpoly/gpu_poly.h,
 * gfpoly/gpu_toolkit.h), ranks of MPI (gfpoly/mpi.h), measured costs (gfpoly/tuning.h), and the
 * bridges to GMP (gfpoly/gmp.h, gfpoly/zvec_gmp.h) and FLINT (gfpoly/flint.h, gfpoly/zvec_flint.h,
 * gfpoly/gr.h).
 *
 * Seven rules hold for all declarations; tests/project/declarations.py reads them against 1 to 4.
 *
 * 1. Order: outputs, inputs, context objects, options. gfp_poly_eval(y, a, x),
 *    gfp_poly_get_coeff(x, a, i), gfp_poly_rem_mod(c, a, M, options). A number stands next to the
 *    argument that it belongs to. Context objects are prepared moduli, plans, trees and spaces,
 *    streams, generators and allocators. An object that is made stands next to the field or ring it
 *    is over. Calls on plain arrays and elements begin with their field:
 *    gfp_vec_add(field, z, a, b, n).
 * 2. A call that can fail returns a gfp_status, which the caller must look at. A call that computes
 *    products takes gfp_options as its last argument (NULL: defaults), which carry the error and
 *    its index, the report, and the verification; no second family of calls verifies. Other calls
 *    end with a gfp_error if a status alone does not say enough.
 * 3. _init and _clear are for values, _create and _destroy for objects; _bytes is what an object
 *    holds. _set copies. gfp_free frees every text.
 * 4. Operations have FLINT's names: mullow, mulhigh, mulmid, divrem, xgcd, product_roots,
 *    interpolate, compose, revert, resultant, discriminant, minpoly, det; eval is evaluate.
 * 5. A method is a string of one table; the page of each operation says which names it takes. An
 *    unknown name is answered by the known ones.
 * 6. Array forms exist where the result of an algorithm is an array: products, series, values.
 * 7. Fields, rings, prepared moduli, plans, trees, spaces and operands of the CPU do not change
 * after their creation, and threads may share them; generators, streams and supplies belong to one
 *    thread, objects on a device serve one call at a time. Inputs may equal outputs unless a
 *    comment says otherwise. Outputs are unchanged after an error.
 *
 * Process: as long as no GPU is used, the library keeps one word in the process, the kernel level
 * of the CPU (gfp_machine_get_info). It handles no signals, opens only the files that the caller
 * names, does not print, and does not end the process (FLINT and GMP, inside it, abort when memory
 * runs out).
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

/* ---- the core ---- */

#include "gfpoly/base.h"
#include "gfpoly/options.h"

#include "gfpoly/field.h"

#include "gfpoly/elem.h"

#include "gfpoly/poly.h"

#include "gfpoly/division.h"
#include "gfpoly/gcd.h"
#include "gfpoly/series.h"
#include "gfpoly/tree.h"

/* ---- modulo a polynomial, compositions, factors ---- */

#include "gfpoly/compose.h"
#include "gfpoly/factor.h"
#include "gfpoly/modulus.h"

/* ---- products of arrays, kept transforms, transforms over Z/pZ, methods ---- */

#include "gfpoly/fft.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/product.h"

/* ---- files, further primes ---- */

#include "gfpoly/file.h"
#include "gfpoly/primes.h"

/* ---- over Z, and modulo words ---- */

#include "gfpoly/dealer.h"
#include "gfpoly/wvec.h"
#include "gfpoly/zbipoly.h"
#include "gfpoly/zmatrix.h"
#include "gfpoly/zsystem.h"
#include "gfpoly/zvec.h"

#endif
