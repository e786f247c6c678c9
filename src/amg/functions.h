/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for multigrid; see core/place.h. */
#ifndef TULLE_AMG_FUNCTIONS_H
#define TULLE_AMG_FUNCTIONS_H

#include "amg/block_jobs.h"
#include "amg/jobs.h"
#include "core/place.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__AMG_FUNCTIONS(F)                                                                    \
    /* split.cu, split_cpu.c: strong connections, and the rows' first kinds */                     \
    F(amg_connect, (const tulle__place *place, const tulle__amg_split *split))                     \
    /* split.cu, split_cpu.c: a round of the splitting, or two; `round` counts the calls from 1    \
     * on; returns the number of open rows (waits) */                                              \
    F(amg_round,                                                                                   \
      (const tulle__place *place, const tulle__amg_split *split, int round, int64_t *open))        \
    /* split.cu, split_cpu.c: the halves of a round, between which kinds may be brought from other \
     * processes: the choice of coarse rows, and of fine rows; returns the number of open rows     \
     * (amg_settle: waits) */                                                                      \
    F(amg_choose, (const tulle__place *place, const tulle__amg_split *split, int round))           \
    F(amg_settle, (const tulle__place *place, const tulle__amg_split *split, int64_t *open))       \
    /* split.cu, split_cpu.c: fills number; returns the number of coarse rows (waits) */           \
    F(amg_number, (const tulle__place *place, const tulle__amg_split *split, int64_t *coarse))     \
    /* interpolate.cu, interpolate_cpu.c: marks the strong connections of fine rows, fills         \
     * to_coarse, bits and P.before, and takes memory for the lists; returns the numbers of        \
     * entries of P and of strong connections of fine rows (waits) */                              \
    F(amg_count_rows,                                                                              \
      (const tulle__place *place, tulle__amg_interpolation *made, int64_t counted[2]))             \
    /* interpolate_fill.cu, interpolate_cpu.c: fills P's arrays (waits) */                         \
    F(amg_fill_rows, (const tulle__place *place, const tulle__amg_interpolation *made))            \
    /* aggregate.cu, aggregate_cpu.c: sizes of diagonal entries; strengths of the rows' strongest  \
     * connections; strong connections of the graph, and the rows' first kinds. Each reads of      \
     * other rows what the one before has computed */                                              \
    F(amg_measure, (const tulle__place *place, const tulle__amg_aggregates *aggregates))           \
    F(amg_find_strongest, (const tulle__place *place, const tulle__amg_aggregates *aggregates))    \
    F(amg_link, (const tulle__place *place, const tulle__amg_aggregates *aggregates))              \
    /* aggregate.cu, aggregate_cpu.c: one round that finds roots; returns the number of open rows  \
     * (waits) */                                                                                  \
    F(amg_elect,                                                                                   \
      (const tulle__place *place, const tulle__amg_aggregates *aggregates, int64_t *open))         \
    /* aggregate.cu, aggregate_cpu.c: fills aggregate, when roots have numbers */                  \
    F(amg_join, (const tulle__place *place, const tulle__amg_aggregates *aggregates))              \
    /* tentative.cu, tentative_cpu.c: T's before and entries, and T (count: waits) */              \
    F(amg_count_tentative,                                                                         \
      (const tulle__place *place, const tulle__amg_tentative *made, int64_t *entries))             \
    F(amg_fill_tentative, (const tulle__place *place, const tulle__amg_tentative *made))           \
    /* tentative.cu, tentative_cpu.c: S's before and entries, and S (count: waits) */              \
    F(amg_count_smoothing,                                                                         \
      (const tulle__place *place, const tulle__amg_tentative *made, int64_t *entries))             \
    F(amg_fill_smoothing, (const tulle__place *place, const tulle__amg_tentative *made))           \
    /* sweep.cu, sweep_cpu.c */                                                                    \
    F(amg_sweep, (const tulle__place *place, const tulle__amg_sweep *sweep))                       \
    /* sweep_blocks.cu, sweep_cpu.c: a sweep whose product is in BSR; TULLE_UNSUPPORTED: the back  \
     * end has no such sweep for these blocks, and nothing was done */                             \
    F(amg_sweep_blocks, (const tulle__place *place, const tulle__amg_sweep *sweep))                \
    /* narrow.cu, narrow_cpu.c */                                                                  \
    F(amg_narrow, (const tulle__place *place, const tulle__amg_narrowing *narrowing))              \
    /* shorten.cu, shorten_cpu.c: rounds the numbers of P in CSR to those of f32, in place         \
     * (shorten_rules.h) */                                                                        \
    F(amg_shorten, (const tulle__place *place, const tulle__pattern_view *P, double *numbers))     \
    F(amg_enter, (const tulle__place *place, const tulle__amg_passage *passage))                   \
    F(amg_leave, (const tulle__place *place, const tulle__amg_passage *passage))                   \
    /* diagonal.cu, diagonal_cpu.c */                                                              \
    F(amg_invert, (const tulle__place *place, const tulle__amg_inversion *inversion))              \
    /* block.cu, block_cpu.c: levels of systems. Sizes of blocks and nodes; orthonormal columns of \
     * aggregates, of which so many nodes are part; T's values; diagonal blocks and their          \
     * inverses; sizes that the next level is made of; a step of the power method for the largest  \
     * eigenvalue; before and number of blocks of the matrix that smooths T (count: waits), and    \
     * the matrix; a matrix of blocks scaled by block diagonal ones; a block diagonal matrix times \
     * a vector */                                                                                 \
    F(amg_size_blocks, (const tulle__place *place, const tulle__amg_sizing *sizing))               \
    F(amg_orthonormalise,                                                                          \
      (const tulle__place *place, const tulle__amg_orthogonal *near, int64_t nodes))               \
    F(amg_spread, (const tulle__place *place, const tulle__amg_spread *spread))                    \
    F(amg_invert_blocks, (const tulle__place *place, const tulle__amg_block_diagonal *diagonal))   \
    F(amg_made_of, (const tulle__place *place, const tulle__amg_made_of *made))                    \
    F(amg_power, (const tulle__place *place, const tulle__amg_power *power))                       \
    F(amg_count_block_smoothing,                                                                   \
      (const tulle__place *place, const tulle__amg_block_smoothing *made, int64_t *blocks))        \
    F(amg_fill_block_smoothing,                                                                    \
      (const tulle__place *place, const tulle__amg_block_smoothing *made))                         \
    F(amg_scale_blocks, (const tulle__place *place, const tulle__amg_scaling *scaling))            \
    F(amg_multiply_blocks, (const tulle__place *place, const tulle__amg_block_product *product))

typedef struct tulle__amg_functions {
    TULLE__AMG_FUNCTIONS(TULLE__MEMBER)
} tulle__amg_functions;

TULLE__AMG_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
