/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 1. The four matrices that the slides identify come first. The slides average over fifteen
 * matrices; the other eleven are matrices of the same collection that papers 2 and 4 use. */
#include <stddef.h>

#include "lab/papers/paper.h"

static const char *const matrices[] = {
    "like:crankseg_2", "like:webbase-1M", "like:atmosmodd", "like:F1",
    "like:cant",       "like:consph",     "like:cop20k_A",  "like:mac_econ_fwd500",
    "like:mc2depi",    "like:pdb1HYS",    "like:pwtk",      "like:rma10",
    "like:scircuit",   "like:shipsec1",   "like:cage14",    NULL};

static const char *const quick[] = {"p2d:6", "fem:40", NULL};

/* The kernel and the parameters from which the paper's tuner and its exhaustive search choose; the
 * paper's rule may start outside this domain, with more repeats. */
#define DOMAIN "spmv_csr_vector:coop=1|2|4|8|16|32,repeat=1|2|4|8|16,block=64|128|256|512"

/* The paper's kernel, which is measured under each split of L1 and shared memory. */
#define PUBLISHED "spmv_csr_vector_published"

static const paper_step steps[] = {
    {.experiment = "coop",
     .kernel = "spmv_csr_vector:coop=1|2|4|8|16|32,repeat=1,block=128",
     .profiled = true},
    {.experiment = "repeat", .kernel = "spmv_csr_vector:coop=@,repeat=*,block=128"},
    {.experiment = "block", .kernel = "spmv_csr_vector:coop=@,repeat=1,block=*"},
    {.experiment = "carve",
     .kernel = PUBLISHED ":coop=*,repeat=1,block=128,carve=*",
     .profiled = true},
    {.experiment = "carve-repeat", .kernel = PUBLISHED ":coop=@,repeat=*,block=128,carve=*"},
    {.experiment = "carve-block", .kernel = PUBLISHED ":coop=@,repeat=1,block=*,carve=*"},
    {.experiment = "rule", .rule = "reguly_giles"},
    {.experiment = "rule", .rule = "tulle"},
    {.experiment = "exhaustive", .kernel = DOMAIN, .quickly = true},
    {.experiment = "vendor", .peers = true},
    {.experiment = "formats", .formats = "ell,hyb"},
    {.experiment = "tuner", .tuned = true},
    {.experiment = "printed-tuner", .tuned = true, .domain = DOMAIN},
    {.experiment = "newton", .newton = true},
    {.experiment = "printed-newton", .newton = true, .domain = DOMAIN},
    {.experiment = "fem", .fem = true},
};

const paper_description paper_1 = {
    .number = 1,
    .title = "Reguly and Giles, Efficient sparse matrix-vector products on Fermi GPUs",
    .matrices = matrices,
    .quick = quick,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
