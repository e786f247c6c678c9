/* SPDX-License-Identifier: Apache-2.0 */
/* Values of matrices of affine hexahedra, on the GPU: a thread a cell for the metrics, and a team
 * of lanes a row for the sums, to which visits bring entries that are made where they are added. */
#include "fem/elements/affine.h"

#include <math.h>

#include "fem/functions.h"
#include "fem/gpu/visits.cuh"
#include "gpu/scalar.cuh"

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
#undef REAL
#undef FUNCTION
#undef CALL
#undef UNROLL
#undef LOAD

template <class V>
struct metric_pack {
    static constexpr int width = 16 / sizeof(V), count = TULLE__AFFINE_NUMBERS / width;
    using type = pack<V, width>;
};

template <class V>
GPU_KERNEL void put_metrics(tulle__affine_metrics_job job) {
    using packs = metric_pack<V>;
    for (int64_t e = loop_first(); e < job.cells.count; e += loop_stride()) {
        V numbers[TULLE__AFFINE_NUMBERS];
        auto *to = reinterpret_cast<typename packs::type *>(job.metrics) + e * packs::count;
        affine_metric(TULLE_HEXAHEDRON, &job.cells, e, numbers);
        GPU_UNROLL
        for (int k = 0; k < packs::count; k++) {
            typename packs::type some;
            GPU_UNROLL
            for (int i = 0; i < packs::width; i++) some.at[i] = numbers[k * packs::width + i];
            to[k] = some;
        }
    }
}

/* An entry of the matrix that a row speaks of; factors are in shared memory, number n of entry
 * (i, j) at n * 64 + i * 8 + j. */
constexpr int affine_entries = TULLE__CELL_NODES * TULLE__CELL_NODES;

template <class V>
struct from_metrics {
    const V *metrics;
    shared<V> factors; /* factors of the lane's column */
    template <class From>
    GPU_FUNCTION void operator()(From from, V number[1]) const {
        using packs = metric_pack<V>;
        const int row = static_cast<int>(from % affine_entries);
        const auto *of_cell = reinterpret_cast<const typename packs::type *>(metrics) +
                              from / affine_entries * packs::count;
        V sum = 0;
        GPU_UNROLL
        for (int k = 0; k < packs::count; k++) {
            const typename packs::type some = load(of_cell + k);
            GPU_UNROLL
            for (int i = 0; i < packs::width; i++) {
                const int n = k * packs::width + i;
                if (n < TULLE__AFFINE_USED) sum += factors[n * affine_entries + row] * some.at[i];
            }
        }
        number[0] = sum;
    }
};

template <class V, class From>
GPU_KERNEL void sum_affine(tulle__affine_rows_job job, int bits, int room, scalar<V> beta) {
    GPU_SHARED(V, factors, TULLE__AFFINE_USED * affine_entries);
    GPU_DYNAMIC_SHARED(V, all);
    for (int k = static_cast<int>(thread()); k < TULLE__AFFINE_USED * affine_entries;
         k += static_cast<int>(block_size())) {
        const int ij = k % affine_entries;
        factors[k] = static_cast<V>(tulle__affine_factor(k / affine_entries, ij / TULLE__CELL_NODES,
                                                         ij % TULLE__CELL_NODES));
    }
    sync();
    const from_metrics<V> bring = {static_cast<const V *>(job.metrics), factors + own_column(bits)};
    sum_rows_of<V, From, 1>(job.rows, bits, all + static_cast<int>(thread()) / warp_lanes * room,
                            beta.value(), bring);
}

template <class V, class From>
tulle_status launch_affine(const tulle__place *place, const tulle__affine_rows_job *job) {
    const rows_shape shape = shape_of_rows(&job->rows, sizeof(V), loop_blocks);
    return launch(place, sum_affine<V, From>, shape.blocks, *job, shape.bits, shape.room,
                  make_scalar<V>(job->rows.beta));
}

template <class V>
tulle_status affine_of_type(const tulle__place *place, const tulle__affine_rows_job *job) {
    return job->rows.wide ? launch_affine<V, uint64_t>(place, job)
                          : launch_affine<V, uint32_t>(place, job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(affine_metrics)(const tulle__place *place,
                                        const tulle__affine_metrics_job *job) {
    const gpu::grid blocks = gpu::loop_grid(job->cells.count);
    return job->type == TULLE_F32 ? gpu::launch(place, gpu::put_metrics<float>, blocks, *job)
                                  : gpu::launch(place, gpu::put_metrics<double>, blocks, *job);
}

tulle_status GPU_SYMBOL(sum_affine)(const tulle__place *place, const tulle__affine_rows_job *job) {
    return job->rows.type == TULLE_F32 ? gpu::affine_of_type<float>(place, job)
                                       : gpu::affine_of_type<double>(place, job);
}
