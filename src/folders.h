/* SPDX-License-Identifier: Apache-2.0 */
/* All lists of kernels and functions; for the two files that make the tables of the back ends. */
#ifndef TULLE_FOLDERS_H
#define TULLE_FOLDERS_H

#include "algebra/functions.h"
#include "amg/functions.h"
#include "batch/functions.h"
#include "comm/functions.h"
#include "dense/functions.h"
#include "dist/functions.h"
#include "factor/functions.h"
#include "factor/kernels.h"
#include "fem/functions.h"
#include "format/functions.h"
#include "io/functions.h"
#include "matrix/functions.h"
#include "operator/functions.h"
#include "solver/functions.h"
#include "spgemm/functions.h"
#include "spgemm/kernels.h"
#include "spmv/kernels.h"
#include "trisolve/functions.h"
#include "trisolve/kernels.h"
#include "uniform/functions.h"
#include "vector/functions.h"

#endif
