/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 3: the figures in their order. A task of vectors has 100,000 rows, as in the paper's
 * Figures 3 and 4, and a task of matrices 1728 block rows, a cube of 12 points a side: the paper
 * does not say how large the tasks of Figures 1 and 5 and of Table 1 were. */
#include <stddef.h>

#include "lab/papers/paper.h"

enum { ROWS = 100000, BLOCK_ROWS = 1728, ALL_BLOCKS = 16 };

static const char *const matrices[] = {NULL};

#define OF_LIBRARY(name, op, count)                                                                \
    {                                                                                              \
        .experiment = (name), .batch = (op), .rows = (count), .most_filled = ALL_BLOCKS,           \
        .peers = true, .profiled = true                                                            \
    }
/* Complete factors of 264 tasks with blocks of 16 rows take 82 GB, and a minute to make. */
#define OF_FACTORS(name, op)                                                                       \
    {                                                                                              \
        .experiment = (name), .batch = (op), .rows = BLOCK_ROWS, .most_filled = 8,                 \
        .profiled = true, .quickly = true, .one_core = true                                        \
    }
#define OF_CORE(op, count)                                                                         \
    { .experiment = "core", .batch = (op), .rows = (count), .one_core = true }

static const paper_step steps[] = {
    {.experiment = "tasks", .batch = "batch_dot", .rows = ROWS, .scaled = true, .profiled = true},
    {.experiment = "tasks",
     .batch = "batch_spmm",
     .rows = BLOCK_ROWS,
     .scaled = true,
     .profiled = true},
    {.experiment = "timeline", .rows = ROWS, .timeline = true},
    OF_LIBRARY("dot", "batch_dot", ROWS),
    OF_LIBRARY("axpy", "batch_axpy", ROWS),
    OF_LIBRARY("mvm", "batch_spmm", BLOCK_ROWS),
    OF_FACTORS("lu", "batch_lu"),
    OF_FACTORS("sle", "batch_solve"),
    OF_CORE("batch_dot", ROWS),
    OF_CORE("batch_axpy", ROWS),
    OF_CORE("batch_spmm", BLOCK_ROWS),
    {.experiment = "core",
     .batch = "batch_spmm_transposed",
     .rows = BLOCK_ROWS,
     .profiled = true,
     .one_core = true},
};

const paper_description paper_3 = {
    .number = 3,
    .title =
        "Afanasyev, Potapov, Sobolev and Kharchenko, Accelerating industrial applications: the "
        "development of basic GPU kernels for the new block AMG algorithms",
    .matrices = matrices,
    .quick = matrices,
    .many_streams = true,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
