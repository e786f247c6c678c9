/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 2: the matrices of Table I in its order. The paper's algorithms are measured as published,
 * with the launches of Table II ("algorithms", with tulle's vector and adaptive kernels at the same
 * launches beside the paper's; "printed" also has x and times as in the paper), and as tulle has
 * them ("today"). On the paper's GPU shared memory is no part of the L1, so nothing is lost by its
 * use; here the published vector kernel takes half of the L1 as shared memory, with which it is
 * fastest in paper 1's sweep. The paper counts the entries of the files, of which symmetric ones
 * hold one triangle; so do the stand-ins. */
#include <stddef.h>

#include "lab/papers/paper.h"

static const char *const matrices[] = {"like:webbase-1M",
                                       "like:Hamrle3",
                                       "like:mc2depi",
                                       "like:Freescale1",
                                       "like:mac_econ_fwd500",
                                       "like:torso2",
                                       "like:cage14",
                                       "like:pwtk,stored",
                                       "like:cant,stored",
                                       "like:Ga41As41H72,stored",
                                       "like:consph,stored",
                                       "like:F1,stored",
                                       "like:Si41Ge41H72,stored",
                                       "like:pdb1HYS,stored",
                                       "like:rail4284",
                                       NULL};

static const char *const quick[] = {"p2d:6", "rail:8,90,2", NULL};

#define ALGORITHM(spec)                                                                            \
    { .experiment = "algorithms", .kernel = spec, .profiled = true }
#define PRINTED(spec)                                                                              \
    { .experiment = "printed", .kernel = spec, .printed = true }
#define TODAY(spec)                                                                                \
    { .experiment = "today", .kernel = spec }

static const paper_step steps[] = {
    ALGORITHM("spmv_csr_scalar:block=1024"),
    ALGORITHM("spmv_csr_vector_published:coop=32,repeat=1,block=1024,carve=50"),
    ALGORITHM("spmv_csr_vector:coop=32,repeat=1,block=1024"),
    ALGORITHM("spmv_csr_adaptive_published:block=1024,long=1"),
    ALGORITHM("spmv_csr_adaptive_published:block=1024,long=0"),
    ALGORITHM("spmv_csr_pcsr:multiply=1024,add=64,buffer=1024"),
    ALGORITHM("spmv_csr_light:level=1,block=1024"),
    ALGORITHM("spmv_csr_light:level=0,block=1024"),
    ALGORITHM("spmv_csr_adaptive:block=1024,buffer=1024,long=1"),
    ALGORITHM("spmv_csr_adaptive:block=1024,buffer=1024,long=0"),
    PRINTED("spmv_csr_scalar:block=1024"),
    PRINTED("spmv_csr_vector_published:coop=32,repeat=1,block=1024,carve=50"),
    PRINTED("spmv_csr_adaptive_published:block=1024,long=1"),
    PRINTED("spmv_csr_pcsr:multiply=1024,add=64,buffer=1024"),
    PRINTED("spmv_csr_light:level=1,block=1024"),
    TODAY("spmv_csr_scalar"),
    TODAY("spmv_csr_vector"),
    TODAY("spmv_csr_adaptive"),
    TODAY("spmv_csr_pcsr"),
    TODAY("spmv_csr_light"),
    TODAY("spmv_csr_merge"),
    {.experiment = "today", .rule = "tulle"},
    {.experiment = "vendor", .peers = true},
};

const paper_description paper_2 = {
    .number = 2,
    .title =
        "Hiranandani, Sparse matrix vector multiplication on GPUs: implementation and "
        "analysis of five algorithms",
    .matrices = matrices,
    .quick = quick,
    .steps = steps,
    .step_count = sizeof steps / sizeof *steps,
};
