/* SPDX-License-Identifier: Apache-2.0 */
/* Visits of rows, and sums of what they bring from element matrices, on the GPU. These are read a
 * row at a time, which lies together where they are element-major. */
#include "fem/functions.h"
#include "fem/gpu/visits.cuh"
#include "gpu/fetch.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void list_visits(tulle__visits_job job, tulle__fem_blocks blocks, uint64_t *twice) {
    job.blocks = &blocks;
    for (int64_t v = loop_first(); v < job.visits; v += loop_stride()) {
        if (tulle__write_visit(&job, v)) atomic_max(twice, uint64_t{1});
    }
}

/* Column c of the numbers of pair j of a row of pairs. */
template <class V, bool one_block, int unknowns>
class from_matrices {
  public:
    GPU_FUNCTION from_matrices(const tulle__row_sums_job &job, int own)
        : job_(job), j_(own / unknowns), c_(own % unknowns), first_(column_of(job.source[0])) {}
    template <class From>
    GPU_FUNCTION void operator()(From from, V number[unknowns]) const {
        const tulle__fem_source &s =
            one_block ? job_.source[0] : *tulle__source_of_row(&job_, static_cast<int64_t>(from));
        const V *K = (one_block ? first_ : column_of(s)) + from;
        GPU_UNROLL
        for (int r = 0; r < unknowns; r++) number[r] = load(K + r * s.r_step);
    }

  private:
    GPU_FUNCTION const V *column_of(const tulle__fem_source &s) const {
        return static_cast<const V *>(s.values) - s.first + j_ * s.j_step + c_ * s.c_step;
    }
    const tulle__row_sums_job &job_;
    int j_, c_;
    const V *first_;
};

template <class V, class From, bool one_block, int unknowns>
GPU_KERNEL void sum_visits(tulle__row_sums_job job, int bits, int room, scalar<V> beta) {
    GPU_DYNAMIC_SHARED(V, all);
    sum_rows_of<V, From, unknowns>(job, bits, all + static_cast<int>(thread()) / warp_lanes * room,
                                   beta.value(),
                                   from_matrices<V, one_block, unknowns>(job, own_column(bits)));
}

template <class V, class From, bool one_block, int unknowns>
tulle_status launch_rows(const tulle__place *place, const tulle__row_sums_job *job) {
    const rows_shape shape = shape_of_rows(job, sizeof(V), INT32_MAX);
    return launch(place, sum_visits<V, From, one_block, unknowns>, shape.blocks, *job, shape.bits,
                  shape.room, make_scalar<V>(job->beta));
}

template <class V, class From, bool one_block>
tulle_status rows_of(const tulle__place *place, const tulle__row_sums_job *job) {
    if (job->unknowns == 1) return launch_rows<V, From, one_block, 1>(place, job);
    return job->unknowns == 2 ? launch_rows<V, From, one_block, 2>(place, job)
                              : launch_rows<V, From, one_block, 3>(place, job);
}

template <class V>
tulle_status rows_of_type(const tulle__place *place, const tulle__row_sums_job *job) {
    if (job->wide) return rows_of<V, uint64_t, false>(place, job);
    return job->sources == 1 ? rows_of<V, uint32_t, true>(place, job)
                             : rows_of<V, uint32_t, false>(place, job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(list_visits)(const tulle__place *place, const tulle__visits_job *job) {
    gpu::scratch memory(place);
    uint64_t *twice = nullptr, found = 0;
    tulle__visits_job given = *job;
    given.blocks = nullptr;
    given.host_twice = nullptr;
    GPU_TRY(memory.get(1, &twice));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, twice, 0, sizeof *twice));
    GPU_TRY(gpu::launch(place, gpu::list_visits, gpu::loop_grid(job->visits), given, *job->blocks,
                        twice));
    GPU_TRY(gpu::to_host(place, &found, twice, sizeof found));
    *job->host_twice = found != 0;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(sum_visits)(const tulle__place *place, const tulle__row_sums_job *job) {
    return job->type == TULLE_F32 ? gpu::rows_of_type<float>(place, job)
                                  : gpu::rows_of_type<double>(place, job);
}
