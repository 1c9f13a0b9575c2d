/* seam.c: see seam.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/seam.h"

#define GFP_MPI_FUNCTION(name, function, parameters, arguments) .name = (function),
const gfp_mpi_calls gfp_mpi_usual = {GFP_MPI_ROWS(GFP_MPI_FUNCTION)};
gfp_mpi_calls gfp_mpi_use = {GFP_MPI_ROWS(GFP_MPI_FUNCTION)};
