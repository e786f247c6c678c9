/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of shapes with a table, on the GPU: a thread a row of a matrix, from
 * its diagonal on, or an element's vector. All is computed in f64, as the table is. */
#include "fem/elements/tabulated.h"

#include <math.h>

#include "fem/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

#define REAL V
#define FUNCTION(type, name)                                                                       \
    template <class V>                                                                             \
    GPU_FUNCTION type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL GPU_UNROLL
#define LOAD(p) load(p)
#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
/* isoparametric.h and cell_integrals.h come before tabulated_integrals.h, which uses their
 * formulas. */
#include "fem/elements/tabulated_integrals.h"
#undef REAL
#undef FUNCTION
#undef CALL
#undef UNROLL
#undef LOAD

template <class V>
GPU_KERNEL void put_tabulated_rows(tulle__matrices_job job) {
    const int nodes = tulle__cell_nodes(job.cells.shape);
    const int points = tulle__cell_points(job.cells.shape);
    V *to = static_cast<V *>(job.matrices);
    for (int64_t r = loop_first(); r < job.cells.count * nodes; r += loop_stride()) {
        const int64_t e = r / nodes;
        const int i = static_cast<int>(r % nodes);
        double K[TULLE__TABLE_NODES], G[TULLE__CELL_METRIC];
        for (int j = i; j < nodes; j++) K[j - i] = 0;
        for (int q = 0; q < points; q++) {
            const double mass = table_point(&job.cells, e, q, 1.0, G);
            table_row(&job.cells, tulle__table_point(&job.cells, q), i, G, mass, K);
        }
        for (int j = i; j < nodes; j++) {
            const V number = static_cast<V>(K[j - i]);
            to[e * job.e_step + i * job.i_step + j * job.j_step] = number;
            if (j > i) to[e * job.e_step + j * job.i_step + i * job.j_step] = number;
        }
    }
}

template <class V>
GPU_KERNEL void put_tabulated_loads(tulle__loads_job job) {
    const int nodes = tulle__cell_nodes(job.cells.shape);
    for (int64_t e = loop_first(); e < job.cells.count; e += loop_stride()) {
        double F[TULLE__TABLE_NODES];
        V *to = static_cast<V *>(job.vectors) + e * job.e_step;
        table_load(&job.cells, job.given, e, 1.0, F);
        for (int i = 0; i < nodes; i++) to[i * job.i_step] = static_cast<V>(F[i]);
    }
}

template <class V>
tulle_status launch_rows(const tulle__place *place, const tulle__matrices_job *job) {
    const int64_t rows = job->cells.count * tulle__cell_nodes(job->cells.shape);
    return launch(place, put_tabulated_rows<V>, loop_grid(rows), *job);
}

template <class V>
tulle_status launch_tabulated_loads(const tulle__place *place, const tulle__loads_job *job) {
    return launch(place, put_tabulated_loads<V>, loop_grid(job->cells.count), *job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(tabulated_matrices)(const tulle__place *place,
                                            const tulle__matrices_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_rows<float>(place, job)
                                  : gpu::launch_rows<double>(place, job);
}

tulle_status GPU_SYMBOL(tabulated_loads)(const tulle__place *place, const tulle__loads_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_tabulated_loads<float>(place, job)
                                  : gpu::launch_tabulated_loads<double>(place, job);
}
