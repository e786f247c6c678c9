/* SPDX-License-Identifier: Apache-2.0 */
/* The functions with elements that every back end has; see core/place.h. Those below a name stand
 * in the file of that name in cpu/, and in that in gpu/. */
#ifndef TULLE_FEM_FUNCTIONS_H
#define TULLE_FEM_FUNCTIONS_H

#include "fem/elements/affine.h"
#include "fem/elements/jobs.h"
#include "fem/patches/cells.h"
#include "fem/patches/local.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__FEM_FUNCTIONS(F)                                                                    \
    /* pairs; the first waits */                                                                   \
    F(number_points, (const tulle__place *place, const tulle__points_job *job))                    \
    F(pair_points, (const tulle__place *place, const tulle__pairs_job *job))                       \
    F(place_points, (const tulle__place *place, const tulle__pairs_job *job))                      \
    F(pair_diagonals, (const tulle__place *place, const tulle__pairs_job *job))                    \
    /* entries; those that count wait */                                                           \
    F(count_entries, (const tulle__place *place, const tulle__entries_job *job))                   \
    F(write_entries, (const tulle__place *place, const tulle__entries_job *job))                   \
    F(write_places, (const tulle__place *place, const tulle__places_job *job))                     \
    F(count_masked, (const tulle__place *place, const tulle__masked_job *job))                     \
    F(list_masked, (const tulle__place *place, const tulle__masked_job *job))                      \
    /* sums */                                                                                     \
    F(sum_elements, (const tulle__place *place, const tulle__sums_job *job))                       \
    F(mask_entries, (const tulle__place *place, const tulle__mask_job *job))                       \
    F(find_scales, (const tulle__place *place, const tulle__scales_job *job))                      \
    /* visits; the first waits */                                                                  \
    F(list_visits, (const tulle__place *place, const tulle__visits_job *job))                      \
    F(sum_visits, (const tulle__place *place, const tulle__row_sums_job *job))                     \
    /* cells */                                                                                    \
    F(cell_matrices, (const tulle__place *place, const tulle__matrices_job *job))                  \
    F(cell_loads, (const tulle__place *place, const tulle__loads_job *job))                        \
    F(give_numbers, (const tulle__place *place, const tulle__give_job *job))                       \
    /* quadratic_cells: for shapes of order 2 */                                                   \
    F(quadratic_matrices, (const tulle__place *place, const tulle__matrices_job *job))             \
    F(quadratic_loads, (const tulle__place *place, const tulle__loads_job *job))                   \
    F(lattice_metrics, (const tulle__place *place, const tulle__lattice_metrics_job *job))         \
    /* tabulated: for shapes with a table */                                                       \
    F(tabulated_matrices, (const tulle__place *place, const tulle__matrices_job *job))             \
    F(tabulated_loads, (const tulle__place *place, const tulle__loads_job *job))                   \
    /* affine */                                                                                   \
    F(affine_metrics, (const tulle__place *place, const tulle__affine_metrics_job *job))           \
    F(sum_affine, (const tulle__place *place, const tulle__affine_rows_job *job))                  \
    /* elastic */                                                                                  \
    F(elastic_matrices, (const tulle__place *place, const tulle__elastic_matrices_job *job))       \
    F(elastic_loads, (const tulle__place *place, const tulle__elastic_loads_job *job))             \
    /* local; on the CPU the last one in combine.c */                                              \
    F(leave_points, (const tulle__place *place, const tulle__leave_job *job))                      \
    F(pack_unknowns, (const tulle__place *place, const tulle__pack_job *job))                      \
    F(pack_numbers, (const tulle__place *place, const tulle__pack_job *job))                       \
    F(apply_elements, (const tulle__place *place, const tulle__local_job *job))                    \
    F(combine_products, (const tulle__place *place, const tulle__combine_job *job))                \
    /* local_patch; pack_patched: numbers of elements in patches */                                \
    F(pack_patched, (const tulle__place *place, const tulle__pack_job *job))                       \
    F(apply_local_patches, (const tulle__place *place, const tulle__local_patches_job *job))       \
    /* matrix_free */                                                                              \
    F(apply_patches, (const tulle__place *place, const tulle__patches_job *job))                   \
    /* quadratic_free */                                                                           \
    F(apply_lattices, (const tulle__place *place, const tulle__lattices_job *job))

typedef struct tulle__fem_functions {
    TULLE__FEM_FUNCTIONS(TULLE__MEMBER)
} tulle__fem_functions;

TULLE__FEM_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
