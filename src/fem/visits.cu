/* SPDX-License-Identifier: Apache-2.0 */
/* Visits of rows, and sums of what they bring, on the GPU. Some lanes of a warp, a team, have a row
 * of points, a lane a column of element matrices; the row's numbers are in shared memory while
 * elements add to them, one element after the other, and go out in lines. Element matrices are read
 * a row at a time, which lies together where they are element-major. */
#include "core/access.h"
#include "fem/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Visits of a row whose numbers are on their way together: of an inner node of hexahedra half. */
constexpr int visits_ahead = 4;
/* Threads of a block, at most, and what these have of shared memory. */
constexpr int rows_threads = 256;
constexpr int64_t rows_room = 48 << 10;

GPU_KERNEL void list_visits(tulle__visits_job job, tulle__fem_blocks blocks, uint64_t *twice) {
    job.blocks = &blocks;
    for (int64_t v = loop_first(); v < job.visits; v += loop_stride()) {
        if (tulle__write_visit(&job, v)) atomic_max(twice, uint64_t{1});
    }
}

/* How rows lie. */
struct row_span {
    int64_t begin, end; /* entries */
};

GPU_FUNCTION int64_t row_begin(const tulle__row_sums_job &job, int64_t row) {
    return tulle__get(job.offsets, tulle_offset_size(job.index), row < job.rows ? row : job.rows);
}
GPU_FUNCTION int64_t first_visit(const tulle__row_sums_job &job, int64_t row) {
    const int64_t at = row < job.rows ? row : job.rows;
    return job.wide_ends ? static_cast<const int64_t *>(job.ends)[at]
                         : static_cast<int64_t>(static_cast<const uint32_t *>(job.ends)[at]);
}

/* move(at, slot) for all numbers of a warp's rows: of CSR and BSR they lie side by side, of ELL a
 * team goes along its row. */
template <class Move>
GPU_FUNCTION void each_number(const tulle__row_sums_job &job, int team, int64_t first, row_span all,
                              row_span own, int64_t cells, const Move &move) {
    if (job.stride == 0) {
        const int count = static_cast<int>((all.end - all.begin) * cells);
        for (int k = static_cast<int>(lane()); k < count; k += warp_lanes) {
            move(k, all.begin * cells + k);
        }
        return;
    }
    const int64_t row = first + static_cast<int>(lane()) / team;
    const int count = static_cast<int>(own.end - own.begin);
    const int shift = static_cast<int>(own.begin - all.begin);
    for (int k = static_cast<int>(lane()) % team; k < count; k += team) {
        move(shift + k, k * job.stride + row);
    }
}

/* Adds what visits bring to a team's row: next and stop are the first one and the one behind the
 * last, sums the row's numbers. All lanes of the warp come here together. */
template <class V, class From, bool one_block, int unknowns>
GPU_FUNCTION void add_visits(const tulle__row_sums_job &job, int own, int64_t next, int64_t stop,
                             shared<V> sums) {
    constexpr int cells = unknowns * unknowns, ahead = unknowns > 2 ? 2 : visits_ahead;
    constexpr int nowhere = TULLE__VISIT_NOWHERE;
    const int j = own / unknowns, c = own % unknowns;
    const From *from_of = static_cast<const From *>(job.from);
    for (; any(full_warp, next < stop); next += ahead) {
        int position[ahead];
        From from[ahead];
        V number[ahead][unknowns];
        GPU_UNROLL
        for (int a = 0; a < ahead; a++) {
            const bool there = next + a < stop && j < job.width;
            position[a] = there ? load(job.positions + (next + a) * job.width + j) : nowhere;
            from[a] = there ? load(from_of + next + a) : From{0};
        }
        GPU_UNROLL
        for (int a = 0; a < ahead; a++) {
            if (position[a] == nowhere) continue;
            const int64_t at = static_cast<int64_t>(from[a]);
            const tulle__fem_source &s =
                one_block ? job.source[0] : *tulle__source_of_row(&job, at);
            const V *K =
                static_cast<const V *>(s.values) + (at - s.first) + j * s.j_step + c * s.c_step;
            GPU_UNROLL
            for (int r = 0; r < unknowns; r++) number[a][r] = load(K + r * s.r_step);
        }
        GPU_UNROLL
        for (int a = 0; a < ahead; a++) {
            GPU_UNROLL
            for (int r = 0; r < unknowns; r++) {
                if (position[a] == nowhere) continue;
                const int to = position[a] * cells + r * unknowns + c;
                sums[to] = sums[to] + number[a][r];
            }
            sync_warp(full_warp);
        }
    }
}

/* room: numbers that a warp has of the shared memory. */
template <class V, class From, bool one_block, int unknowns>
GPU_KERNEL void sum_visits(tulle__row_sums_job job, int team, int room, scalar<V> beta_at) {
    constexpr int cells = unknowns * unknowns;
    GPU_DYNAMIC_SHARED(V, all_sums);
    const V beta = beta_at.value();
    V *values = static_cast<V *>(job.values);
    const shared<V> sums = all_sums + static_cast<int>(thread()) / warp_lanes * room;
    const int own = static_cast<int>(lane()) % team;
    const int64_t stride = loop_stride() / team;
    for (int64_t first = (loop_first() - lane()) / team; first < job.rows; first += stride) {
        const int64_t row = first + static_cast<int>(lane()) / team;
        const row_span all = {row_begin(job, first), row_begin(job, first + warp_lanes / team)};
        const row_span mine = {row_begin(job, row), row_begin(job, row + 1)};
        each_number(job, team, first, all, mine, cells, [&](int at, int64_t slot) {
            sums[at] = beta == V{0} ? V{0} : beta * values[slot];
        });
        sync_warp(full_warp);
        add_visits<V, From, one_block, unknowns>(
            job, own, first_visit(job, row), first_visit(job, row + 1),
            sums + static_cast<int>((mine.begin - all.begin) * cells));
        each_number(job, team, first, all, mine, cells,
                    [&](int at, int64_t slot) { values[slot] = sums[at]; });
        sync_warp(full_warp);
    }
}

template <class V, class From, bool one_block, int unknowns>
tulle_status launch_rows(const tulle__place *place, const tulle__row_sums_job *job) {
    const int team = tulle__team_of(job->width * unknowns), rows = warp_lanes / team;
    const int64_t room = rows * job->longest * unknowns * unknowns;
    const int64_t bytes = room * static_cast<int64_t>(sizeof(V));
    int64_t warps = rows_threads / warp_lanes;
    while (warps > 1 && warps * bytes > rows_room) warps--;
    const int64_t blocks = (job->rows + warps * rows - 1) / (warps * rows);
    return launch(place, sum_visits<V, From, one_block, unknowns>,
                  {blocks < INT32_MAX ? blocks : INT32_MAX, static_cast<int>(warps * warp_lanes),
                   static_cast<size_t>(warps * bytes)},
                  *job, team, static_cast<int>(room), make_scalar<V>(job->beta));
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
