/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 5. The slides have no measurements, only a 4 x 4 example and arguments for each format. All
 * formats are measured on the kinds of matrices that the arguments are about: rows all alike (a
 * stencil), nearly alike in blocks (finite elements), and of very different lengths (a web). Each
 * of the slides' arguments has an experiment: entries of COO in several orders (order); loads that
 * coalesce and threads that diverge, before and after sorting rows by length (lengths); the cost of
 * padding of ELL as rows get more uneven, 16 entries long in the mean and up to 24, 32, ..., 192
 * (padding); and solutions of A x + y = 0 (system). */
#include <stddef.h>

#include "lab/papers/paper.h"

/* A matrix of rows with 16 entries in the mean and `longest` at most. With a longest row of 160
 * entries or more, ELL would have more than 10 slots for each entry, which is refused. */
#define UNEVEN(longest) "powerlaw:1000000,16," #longest ",100,1024,8"
#define QUICK_UNEVEN(longest) "powerlaw:1000,6," #longest ",100,100,4"
#define KINDS "p3d7", "fem3", "fem:1000000", "web"
#define QUICK_KINDS "p2d:6", "web:60,4,20,60,10"
#define SERIES UNEVEN(24), UNEVEN(32), UNEVEN(48), UNEVEN(64), UNEVEN(96), UNEVEN(128), UNEVEN(192)
#define QUICK_SERIES QUICK_UNEVEN(8), QUICK_UNEVEN(100)

static const char *const matrices[] = {KINDS, SERIES, NULL};
static const char *const kinds[] = {KINDS, NULL};
static const char *const kinds_and_uneven[] = {KINDS, UNEVEN(64), NULL};
static const char *const series[] = {SERIES, NULL};

static const char *const quick[] = {QUICK_KINDS, QUICK_SERIES, NULL};
static const char *const quick_kinds[] = {QUICK_KINDS, NULL};
static const char *const quick_series[] = {QUICK_SERIES, NULL};

/* The slides' kernels, and spmv_csr_seq, which is their kernel for one thread of a CPU. */
#define SLIDES                                                                                     \
    "spmv_csr_seq,spmv_csr_scalar,spmv_ell,spmv_coo,spmv_coo_atomic,spmv_hyb,spmv_jds,spmv_jds_"   \
    "ell"

static const paper_step steps[] = {
    {.experiment = "formats", .formats = "*", .only = kinds, .quick_only = quick_kinds},
    {.experiment = "vendor", .peers = true, .only = kinds, .quick_only = quick_kinds},
    {.experiment = "order",
     .formats = "coo",
     .ordered = true,
     .profiled = true,
     .only = kinds,
     .quick_only = quick_kinds},
    {.experiment = "lengths",
     .formats = "csr,ell,coo,hyb,jds,jds_ell",
     .kernels = SLIDES,
     .by_length = true,
     .profiled = true,
     .only = kinds_and_uneven,
     .quick_only = quick_kinds},
    {.experiment = "padding",
     .formats = "csr,ell,hyb,jds_ell",
     .kernels = SLIDES,
     .only = series,
     .quick_only = quick_series},
    {.experiment = "system",
     .formats = "csr,ell,coo,hyb,jds,jds_ell",
     .solved = true,
     .only = kinds,
     .quick_only = quick_kinds},
};

const paper_description paper_5 = {
    .number = 5,
    .title = "GPU Teaching Kit, Module 10, Parallel patterns: sparse matrix computation",
    .matrices = matrices,
    .quick = quick,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
