/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Sparse linear algebra on NVIDIA GPUs and CPUs. tulle.h is the everyday API; advanced.h is for
 * those who measure and tune; io.h and mesh_io.h read and write files and live in libtulle-io.
 */
#ifndef TULLE_H
#define TULLE_H

#include "add.h"
#include "algebra.h"
#include "amg.h"
#include "batch.h"
#include "comm.h"
#include "context.h"
#include "diffusion.h"
#include "dist.h"
#include "elasticity.h"
#include "factor.h"
#include "facts.h"
#include "fem.h"
#include "generate.h"
#include "linop.h"
#include "matrix.h"
#include "mesh.h"
#include "reorder.h"
#include "solve.h"
#include "solver.h"
#include "spgemm.h"
#include "spmm.h"
#include "spmv.h"
#include "status.h"
#include "trisolve.h"
#include "tune.h"
#include "types.h"
#include "uniform.h"
#include "vec.h"
#include "version.h"

#endif
