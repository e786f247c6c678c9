/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of shapes with a table, on the CPU. */
#include <math.h>

#include "core/threads/sizes.h"
#include "fem/elements/tabulated.h"
#include "fem/functions.h"

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL
#define LOAD(p) (*(p))
#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
/* isoparametric.h and cell_integrals.h come before tabulated_integrals.h, which uses their
 * formulas. */
#include "fem/elements/tabulated_integrals.h"

enum { PACKED = TULLE__TABLE_NODES * (TULLE__TABLE_NODES + 1) / 2 };

static void put_matrix(const tulle__matrices_job *job, int64_t e) {
    const tulle__cells *cells = &job->cells;
    const int nodes = tulle__cell_nodes(cells->shape), points = tulle__cell_points(cells->shape);
    double K[PACKED] = {0}, G[TULLE__CELL_METRIC];
    for (int q = 0; q < points; q++) {
        const double mass = table_point(cells, e, q, 1.0, G);
        for (int a = 0; a < nodes; a++) {
            table_row(cells, tulle__table_point(cells, q), a, G, mass,
                      K + tulle__packed_at(nodes, a, a));
        }
    }
    for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < nodes; j++) {
            tulle__put_number(
                job->type, job->matrices, e * job->e_step + i * job->i_step + j * job->j_step,
                K[i <= j ? tulle__packed_at(nodes, i, j) : tulle__packed_at(nodes, j, i)]);
        }
    }
}

tulle_status tulle__cpu_tabulated_matrices(const tulle__place *place,
                                           const tulle__matrices_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_QUADRATIC, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) put_matrix(job, e);
    return TULLE_OK;
}

tulle_status tulle__cpu_tabulated_loads(const tulle__place *place, const tulle__loads_job *job) {
    const int nodes = tulle__cell_nodes(job->cells.shape);
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_QUADRATIC, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) {
        double F[TULLE__TABLE_NODES];
        table_load(&job->cells, job->given, e, 1.0, F);
        for (int i = 0; i < nodes; i++) {
            tulle__put_number(job->type, job->vectors, e * job->e_step + i * job->i_step, F[i]);
        }
    }
    return TULLE_OK;
}
