/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 4: the matrices of the paper's table in its order, which are matrices of high throughput,
 * of low throughput, and large graphs. The paper allocates by cudaMalloc; tulle's measurements also
 * have a series with a pool. */
#include <stddef.h>

#include "lab/papers/paper.h"

static const char *const matrices[] = {"like:pdb1HYS",
                                       "like:consph",
                                       "like:cant",
                                       "like:shipsec1",
                                       "like:pwtk",
                                       "like:rma10",
                                       "like:conf5_4-8x8-05",
                                       "like:cop20k_A",
                                       "like:mac_econ_fwd500",
                                       "like:scircuit",
                                       "like:mc2depi",
                                       "like:webbase-1M",
                                       "like:cage15",
                                       "like:wb-edu",
                                       "like:cit-Patents",
                                       NULL};
static const char *const large[] = {"like:cage15", "like:wb-edu", "like:cit-Patents", NULL};

static const char *const quick[] = {"p2d:6", "fem:40", NULL};
static const char *const quick_large[] = {"fem:40", NULL};
/* The matrix of the experiments without groups, which take seconds on the emulator, however small
 * the matrix is. */
static const char *const quick_grouping[] = {"p2d:6", NULL};

/* Published kernels: the paper's own kernel, and the kernels that the paper compares with, which
 * make all rows at once. */
#define PUBLISHED "spgemm_hash:p100=1,phases=2"
#define ONE_PHASE "spgemm_hash:p100=1,phases=1"
#define NO_GROUPS "spgemm_hash:p100=1,phases=2,grouped=0"
#define CUSP "spgemm_esc:slice=0"
#define BHSPARSE "spgemm_bhsparse:slice=0"

static const paper_step steps[] = {
    {.experiment = "algorithms", .kernel = PUBLISHED},
    {.experiment = "algorithms", .kernel = CUSP},
    {.experiment = "algorithms", .kernel = BHSPARSE},
    {.experiment = "algorithms", .kernel = "*"},
    {.experiment = "grouping", .kernel = NO_GROUPS, .quick_only = quick_grouping},
    {.experiment = "one-phase", .kernel = ONE_PHASE},
    {.experiment = "one-phase", .kernel = "spgemm_hash:p100=0,phases=1"},
    {.experiment = "today", .rule = "tulle"},
    {.experiment = "vendor", .peers = true},
    {.experiment = "memory", .kernel = PUBLISHED, .capped = true},
    {.experiment = "memory", .kernel = ONE_PHASE, .capped = true},
    {.experiment = "memory", .kernel = CUSP, .capped = true},
    {.experiment = "memory", .kernel = BHSPARSE, .capped = true},
    {.experiment = "memory", .kernel = "*", .capped = true},
    {.experiment = "memory", .rule = "tulle", .capped = true},
    {.experiment = "memory", .peers = true, .capped = true},
};

const paper_description paper_4 = {
    .number = 4,
    .title =
        "Nagasaka, Nukada and Matsuoka, High-performance and memory-saving sparse general "
        "matrix-matrix multiplication for Pascal GPU",
    .op = "spgemm",
    .matrices = matrices,
    .large = large,
    .cap = 16000000000,
    .quick = quick,
    .quick_large = quick_large,
    .quick_cap = 40000,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
