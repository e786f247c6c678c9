/* SPDX-License-Identifier: Apache-2.0 */
/* The slides have no measurements, only a 4 x 4 example and what each format is good for. Here all
 * formats stand side by side on the kinds of matrices that the arguments are about: rows all alike
 * (a stencil), nearly alike in blocks (finite elements), and of very different lengths (a web). */
#include <stddef.h>

#include "lab/papers/paper.h"

static const char *const matrices[] = {"p3d7", "fem3", "fem:1000000", "web", NULL};

static const char *const quick[] = {"p2d:6", "web:60,4,20,60,10", NULL};

static const paper_step steps[] = {
    {.experiment = "formats", .formats = "*"},
    {.experiment = "vendor", .peers = true},
};

const paper_description paper_5 = {
    .number = 5,
    .title = "GPU Teaching Kit, Module 10, Parallel patterns: sparse matrix computation",
    .matrices = matrices,
    .quick = quick,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
