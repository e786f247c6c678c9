/* SPDX-License-Identifier: Apache-2.0 */
/* The figures in their order. A task has 100,000 rows, as in the paper's Figures 3 and 4; how large
 * those of Figure 1 were the paper does not say. */
#include <stddef.h>

#include "papers/paper.h"

enum { ROWS = 100000 };

static const char *const matrices[] = {NULL};

static const paper_step steps[] = {
    {.experiment = "tasks", .batch = "batch_dot", .rows = ROWS, .scaled = true},
    {.experiment = "timeline", .rows = ROWS, .timeline = true},
    {.experiment = "dot", .batch = "batch_dot", .rows = ROWS, .peers = true},
    {.experiment = "axpy", .batch = "batch_axpy", .rows = ROWS, .peers = true},
    {.experiment = "core", .batch = "batch_dot", .rows = ROWS, .one_core = true},
    {.experiment = "core", .batch = "batch_axpy", .rows = ROWS, .one_core = true},
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
