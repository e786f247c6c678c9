/* SPDX-License-Identifier: Apache-2.0 */
/* The figures in their order. A task has 100,000 rows, as in the paper's Figures 3 and 4, or
 * 1728 block rows, as in its Table 1; how large those of Figures 1 and 5 were it does not say. */
#include <stddef.h>

#include "lab/papers/paper.h"

enum { ROWS = 100000, BLOCK_ROWS = 1728 };

static const char *const matrices[] = {NULL};

static const paper_step steps[] = {
    {.experiment = "tasks", .batch = "batch_dot", .rows = ROWS, .scaled = true},
    {.experiment = "tasks", .batch = "batch_spmm", .rows = BLOCK_ROWS, .scaled = true},
    {.experiment = "timeline", .rows = ROWS, .timeline = true},
    {.experiment = "dot", .batch = "batch_dot", .rows = ROWS, .peers = true, .profiled = true},
    {.experiment = "axpy", .batch = "batch_axpy", .rows = ROWS, .peers = true, .profiled = true},
    {.experiment = "mvm",
     .batch = "batch_spmm",
     .rows = BLOCK_ROWS,
     .peers = true,
     .profiled = true},
    {.experiment = "lu",
     .batch = "batch_lu",
     .rows = BLOCK_ROWS,
     .profiled = true,
     .quickly = true},
    {.experiment = "sle",
     .batch = "batch_solve",
     .rows = BLOCK_ROWS,
     .profiled = true,
     .quickly = true},
    {.experiment = "core", .batch = "batch_dot", .rows = ROWS, .one_core = true},
    {.experiment = "core", .batch = "batch_axpy", .rows = ROWS, .one_core = true},
    {.experiment = "core", .batch = "batch_spmm", .rows = BLOCK_ROWS, .one_core = true},
    {.experiment = "core", .batch = "batch_spmm_transposed", .rows = BLOCK_ROWS, .one_core = true},
};

const paper_description paper_3 = {
    .number = 3,
    .title =
        "Afanasyev, Potapov, Sobolev and Kharchenko, Accelerating industrial applications: the "
        "development of basic GPU kernels for the new block AMG algorithms",
    .matrices = matrices,
    .quick = matrices,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
