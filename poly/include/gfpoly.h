/* gfpoly.h: everything but the bridges to GMP (gfpoly/gmp.h) and FLINT (gfpoly/flint.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_H
#define GFPOLY_H

#include "gfpoly/base.h"
#include "gfpoly/elem.h"
#include "gfpoly/fft.h"
#include "gfpoly/field.h"
#include "gfpoly/poly.h"
#include "gfpoly/primes.h"
#include "gfpoly/tuning.h"

#endif
