/* SPDX-License-Identifier: Apache-2.0 */
/* What every back end does with elements; see core/place.h. */
#ifndef TULLE_FEM_FUNCTIONS_H
#define TULLE_FEM_FUNCTIONS_H

#include "fem/affine.h"
#include "fem/elastic_jobs.h"
#include "fem/local.h"
#include "fem/matrix_free.h"
#include "fem/quadratic_free.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__FEM_FUNCTIONS(F)                                                                    \
    /* pairs.cu, pairs_cpu.c; the first waits */                                                   \
    F(number_points, (const tulle__place *place, const tulle__points_job *job))                    \
    F(pair_points, (const tulle__place *place, const tulle__pairs_job *job))                       \
    F(place_points, (const tulle__place *place, const tulle__pairs_job *job))                      \
    F(pair_diagonals, (const tulle__place *place, const tulle__pairs_job *job))                    \
    /* entries.cu, entries_cpu.c; those that count wait */                                         \
    F(count_entries, (const tulle__place *place, const tulle__entries_job *job))                   \
    F(write_entries, (const tulle__place *place, const tulle__entries_job *job))                   \
    F(write_places, (const tulle__place *place, const tulle__places_job *job))                     \
    F(count_masked, (const tulle__place *place, const tulle__masked_job *job))                     \
    F(list_masked, (const tulle__place *place, const tulle__masked_job *job))                      \
    /* sums.cu, sums_cpu.c */                                                                      \
    F(sum_elements, (const tulle__place *place, const tulle__sums_job *job))                       \
    F(mask_entries, (const tulle__place *place, const tulle__mask_job *job))                       \
    F(find_scales, (const tulle__place *place, const tulle__scales_job *job))                      \
    /* visits.cu, visits_cpu.c; the first waits */                                                 \
    F(list_visits, (const tulle__place *place, const tulle__visits_job *job))                      \
    F(sum_visits, (const tulle__place *place, const tulle__row_sums_job *job))                     \
    /* cells.cu, cells_cpu.c */                                                                    \
    F(cell_matrices, (const tulle__place *place, const tulle__matrices_job *job))                  \
    F(cell_loads, (const tulle__place *place, const tulle__loads_job *job))                        \
    F(give_numbers, (const tulle__place *place, const tulle__give_job *job))                       \
    /* quadratic_cells.cu, quadratic_cells_cpu.c: for shapes of order 2 */                         \
    F(quadratic_matrices, (const tulle__place *place, const tulle__matrices_job *job))             \
    F(quadratic_loads, (const tulle__place *place, const tulle__loads_job *job))                   \
    F(lattice_metrics, (const tulle__place *place, const tulle__lattice_metrics_job *job))         \
    /* tabulated.cu, tabulated_cpu.c: for shapes with a table */                                   \
    F(tabulated_matrices, (const tulle__place *place, const tulle__matrices_job *job))             \
    F(tabulated_loads, (const tulle__place *place, const tulle__loads_job *job))                   \
    /* affine.cu, affine_cpu.c */                                                                  \
    F(affine_metrics, (const tulle__place *place, const tulle__affine_metrics_job *job))           \
    F(sum_affine, (const tulle__place *place, const tulle__affine_rows_job *job))                  \
    /* elastic.cu, elastic_cpu.c */                                                                \
    F(elastic_matrices, (const tulle__place *place, const tulle__elastic_matrices_job *job))       \
    F(elastic_loads, (const tulle__place *place, const tulle__elastic_loads_job *job))             \
    /* local.cu, local_cpu.c, combine_cpu.c */                                                     \
    F(leave_points, (const tulle__place *place, const tulle__leave_job *job))                      \
    F(pack_unknowns, (const tulle__place *place, const tulle__pack_job *job))                      \
    F(pack_numbers, (const tulle__place *place, const tulle__pack_job *job))                       \
    F(apply_elements, (const tulle__place *place, const tulle__local_job *job))                    \
    F(combine_products, (const tulle__place *place, const tulle__combine_job *job))                \
    /* local_patch.cu, local_patch_cpu.c; pack_patched: numbers of elements in patches */          \
    F(pack_patched, (const tulle__place *place, const tulle__pack_job *job))                       \
    F(apply_local_patches, (const tulle__place *place, const tulle__local_patches_job *job))       \
    /* matrix_free.cu, matrix_free_cpu.c */                                                        \
    F(apply_patches, (const tulle__place *place, const tulle__patches_job *job))                   \
    /* quadratic_free.cu, quadratic_free_cpu.c */                                                  \
    F(apply_lattices, (const tulle__place *place, const tulle__lattices_job *job))

typedef struct tulle__fem_functions {
    TULLE__FEM_FUNCTIONS(TULLE__MEMBER)
} tulle__fem_functions;

TULLE__FEM_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
