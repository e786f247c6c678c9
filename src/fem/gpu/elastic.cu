/* SPDX-License-Identifier: Apache-2.0 */
/* Elastic element matrices and vectors from coordinates, on the GPU. Some lanes of a warp have an
 * element: first a point of quadrature each, whose gradients go to shared memory, then a node each,
 * whose blocks with the nodes after it they add up over all points. */
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
#define KEEP_LOOP GPU_KEEP_LOOP
#define LOAD(p) load(p)
#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
/* cell_integrals.h comes before elastic_integrals.h, which uses its functions. */
#include "fem/elements/elastic_integrals.h"
#undef REAL
#undef FUNCTION
#undef CALL
#undef UNROLL
#undef KEEP_LOOP
#undef LOAD

constexpr int elastic_threads = 128;

/* Lanes of an element, and what they have in shared memory: of each point lambda, mu and all
 * gradients, or of a facet its factor, all times the measure. An odd step keeps elements off each
 * other's banks. */
template <tulle_shape shape, int dimension>
struct elastic_team {
    static constexpr bool facets =
        shape == TULLE_LINE ||
        (dimension == 3 && (shape == TULLE_TRIANGLE || shape == TULLE_QUADRILATERAL));
    static constexpr int nodes = shape == TULLE_LINE         ? 2
                                 : shape == TULLE_TRIANGLE   ? 3
                                 : shape == TULLE_HEXAHEDRON ? 8
                                                             : 4;
    static constexpr int rows = nodes * dimension, lanes = nodes == 3 ? 4 : nodes;
    static constexpr int of_point = facets ? 1 : 2 + rows, step = nodes * of_point | 1;
    static constexpr int teams = elastic_threads / lanes;
};

/* Each team an element, as many times as it takes. */
template <class team>
inline grid elastic_grid(int64_t count) {
    const int64_t blocks = (count + team::teams - 1) / team::teams;
    return {blocks < loop_blocks ? blocks : loop_blocks, elastic_threads};
}

/* The numbers of point q of element e. */
template <class V, tulle_shape shape, int dimension>
GPU_FUNCTION void put_point(const tulle__body &body, int64_t e, int q, shared<V> room) {
    using team = elastic_team<shape, dimension>;
    const int64_t count = body.cells.count;
    const shared<V> to = room + q * team::of_point;
    V X[3][TULLE__CELL_NODES] = {}, at[3] = {};
    place_cell(shape, &body.cells, e, X);
    point(shape, q, at);
    if constexpr (team::facets) {
        to[0] = quantity_at(&body.cells.c, count, e, q, facet_measure(shape, dimension, X, at));
    } else {
        V gradient[TULLE__CELL_NODES][3];
        const V size = gradients(shape, X, at, gradient);
        to[0] = quantity_at(&body.lambda, count, e, q, size);
        to[1] = quantity_at(&body.mu, count, e, q, size);
        GPU_UNROLL
        for (int i = 0; i < team::rows; i++) to[2 + i] = gradient[i / dimension][i % dimension];
    }
}

/* Block (a, b) of the matrix. */
template <class V, tulle_shape shape, int dimension>
GPU_FUNCTION void make_block(shared<V> room, int a, int b, V block[3][3]) {
    using team = elastic_team<shape, dimension>;
    GPU_UNROLL
    for (int r = 0; r < 3; r++) block[r][0] = block[r][1] = block[r][2] = 0;
    for (int q = 0; q < team::nodes; q++) {
        const shared<V> from = room + q * team::of_point;
        if constexpr (team::facets) {
            V at[3] = {};
            point(shape, q, at);
            const V part = from[0] * (shape_value(shape, a, at) * shape_value(shape, b, at));
            GPU_UNROLL
            for (int d = 0; d < dimension; d++) block[d][d] += part;
        } else {
            V of_a[3], of_b[3];
            GPU_UNROLL
            for (int d = 0; d < dimension; d++) {
                of_a[d] = from[2 + a * dimension + d];
                of_b[d] = from[2 + b * dimension + d];
            }
            add_elastic<V>(dimension, from[0], from[1], of_a, of_b, block);
        }
    }
}

/* Blocks (a, b) with b = a, a + 1, ... round to half of the nodes, and their transposes: so each
 * pair of nodes comes to one of both. */
template <class V, tulle_shape shape, int dimension>
GPU_FUNCTION void put_blocks(shared<V> room, int a, V *K) {
    using team = elastic_team<shape, dimension>;
    for (int next = 0; 2 * next <= team::nodes; next++) {
        const int b = (a + next) % team::nodes;
        V block[3][3];
        if (2 * next == team::nodes && b < a) continue;
        make_block<V, shape, dimension>(room, a, b, block);
        GPU_UNROLL
        for (int r = 0; r < dimension; r++) {
            GPU_UNROLL
            for (int s = 0; s < dimension; s++) {
                const int i = a * dimension + r, j = b * dimension + s;
                if (a == b && s < r) continue;
                K[i * team::rows + j] = block[r][s];
                if (i != j) K[j * team::rows + i] = block[r][s];
            }
        }
    }
}

template <class V, tulle_shape shape, int dimension>
GPU_KERNEL void put_elastic_matrices(tulle__elastic_matrices_job job) {
    using team = elastic_team<shape, dimension>;
    GPU_SHARED(V, all, team::teams * team::step);
    const int own = static_cast<int>(thread()) % team::lanes;
    const shared<V> room = all + static_cast<int>(thread()) / team::lanes * team::step;
    const int64_t count = job.body.cells.count, stride = loop_stride() / team::lanes;
    for (int64_t first = (loop_first() - lane()) / team::lanes; first < count; first += stride) {
        const int64_t e = first + static_cast<int>(lane()) / team::lanes;
        const bool there = e < count && own < team::nodes;
        if (there) put_point<V, shape, dimension>(job.body, e, own, room);
        sync_warp(full_warp);
        if (there) {
            put_blocks<V, shape, dimension>(
                room, own, static_cast<V *>(job.matrices) + e * team::rows * team::rows);
        }
        sync_warp(full_warp);
    }
}

template <class V, tulle_shape shape, int dimension>
GPU_KERNEL void put_elastic_loads(tulle__elastic_loads_job job) {
    using team = elastic_team<shape, dimension>;
    for (int64_t e = loop_first(); e < job.body.cells.count; e += loop_stride()) {
        V F[TULLE__CELL_NODES][3], *to = static_cast<V *>(job.vectors) + e * team::rows;
        elastic_load(shape, dimension, &job.body, job.given, e, F);
        GPU_UNROLL
        for (int i = 0; i < team::rows; i++) to[i] = F[i / dimension][i % dimension];
    }
}

template <class V>
tulle_status launch_matrices(const tulle__place *place, const tulle__elastic_matrices_job *job) {
    const tulle__cells &cells = job->body.cells;
#define SHAPE(name, unknowns)                                                                      \
    if (cells.shape == name && cells.dimension == (unknowns)) {                                    \
        return launch(place, put_elastic_matrices<V, name, unknowns>,                              \
                      elastic_grid<elastic_team<name, unknowns>>(cells.count), *job);              \
    }
    TULLE__ELASTIC_SHAPES(SHAPE)
#undef SHAPE
    return TULLE_UNSUPPORTED;
}

template <class V>
tulle_status launch_loads(const tulle__place *place, const tulle__elastic_loads_job *job) {
    const tulle__cells &cells = job->body.cells;
#define SHAPE(name, unknowns)                                                                      \
    if (cells.shape == name && cells.dimension == (unknowns)) {                                    \
        return launch(place, put_elastic_loads<V, name, unknowns>, loop_grid(cells.count), *job);  \
    }
    TULLE__ELASTIC_SHAPES(SHAPE)
#undef SHAPE
    return TULLE_UNSUPPORTED;
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(elastic_matrices)(const tulle__place *place,
                                          const tulle__elastic_matrices_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_matrices<float>(place, job)
                                  : gpu::launch_matrices<double>(place, job);
}

tulle_status GPU_SYMBOL(elastic_loads)(const tulle__place *place,
                                       const tulle__elastic_loads_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_loads<float>(place, job)
                                  : gpu::launch_loads<double>(place, job);
}
