/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of what visits bring to rows. Some lanes of a warp, a team, have a row of points, a lane a
 * column of element matrices; the row's numbers are in shared memory while elements add to them,
 * one element after the other, and go out in lines. */
#ifndef TULLE_FEM_VISITS_CUH
#define TULLE_FEM_VISITS_CUH

#include "core/access.h"
#include "fem/jobs.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Visits of a row whose numbers are on their way together: of an inner node of hexahedra half. */
constexpr int visits_ahead = 4;
/* Threads of a block, at most, and what these have of shared memory. */
constexpr int rows_threads = 256;
constexpr int64_t rows_room = 48 << 10;

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
 * last, sums the row's numbers; bring(from, j, c, number) is a column of what one brings to its
 * position j. All lanes of the warp come here together. */
template <class V, class From, int unknowns, class Bring>
GPU_FUNCTION void add_visits(const tulle__row_sums_job &job, int own, int64_t next, int64_t stop,
                             shared<V> sums, const Bring &bring) {
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
            bring(static_cast<int64_t>(from[a]), j, c, number[a]);
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

/* Sums of the rows of a warp, and of those a grid further; room: numbers that it has of the shared
 * memory. */
template <class V, class From, int unknowns, class Bring>
GPU_FUNCTION void sum_rows_of(const tulle__row_sums_job &job, int team, shared<V> sums, V beta,
                              const Bring &bring) {
    constexpr int cells = unknowns * unknowns;
    V *values = static_cast<V *>(job.values);
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
        add_visits<V, From, unknowns>(job, own, first_visit(job, row), first_visit(job, row + 1),
                                      sums + static_cast<int>((mine.begin - all.begin) * cells),
                                      bring);
        each_number(job, team, first, all, mine, cells,
                    [&](int at, int64_t slot) { values[slot] = sums[at]; });
        sync_warp(full_warp);
    }
}

/* How such a kernel is launched: teams, and what a warp has of the shared memory. */
struct rows_shape {
    int team, room; /* numbers */
    grid blocks;
};

inline rows_shape shape_of_rows(const tulle__row_sums_job *job, int64_t size, int64_t most_blocks) {
    const int team = tulle__team_of(job->width * job->unknowns), rows = warp_lanes / team;
    const int64_t room = rows * job->longest * job->unknowns * job->unknowns;
    int64_t warps = rows_threads / warp_lanes;
    while (warps > 1 && warps * room * size > rows_room) warps--;
    const int64_t blocks = (job->rows + warps * rows - 1) / (warps * rows);
    return {team,
            static_cast<int>(room),
            {blocks < most_blocks ? blocks : most_blocks, static_cast<int>(warps * warp_lanes),
             static_cast<size_t>(warps * room * size)}};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
