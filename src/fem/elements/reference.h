/* SPDX-License-Identifier: Apache-2.0 */
/* Reference cells, as the host tells kernels of them. */
#ifndef TULLE_FEM_ELEMENTS_REFERENCE_H
#define TULLE_FEM_ELEMENTS_REFERENCE_H

#include "core/context.h"
#include "fem/elements/cell.h"
#include "mesh/shape.h"

/* place[a]: the number that node a of a shape of order 2 has in its lattice (quadratic.h). */
static inline void tulle__lattice_places(tulle_shape shape, signed char place[TULLE__LATTICE]) {
    const tulle__shape *s = tulle__shape_of(shape);
    for (int a = 0; a < s->info.nodes; a++) {
        place[a] = 0;
        for (int d = 0; d < s->info.dimension; d++) {
            place[a] = (signed char)(place[a] + (s->point[a][d] + 1) * tulle__lattice_nodes(d));
        }
    }
}

/* The table of a shape that has one (tabulated.h), an array of the host's. */
tulle_status tulle__tabulate(tulle_ctx *ctx, tulle_shape shape, const double **table);

#endif
