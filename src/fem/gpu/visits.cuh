/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of what visits bring to rows. Some lanes of a warp, a team, have a row of points, a lane a
 * column of element matrices; the row's numbers are in shared memory while elements add to them,
 * one element after the other, and go out in lines. */
#ifndef TULLE_FEM_GPU_VISITS_CUH
#define TULLE_FEM_GPU_VISITS_CUH

#include "core/access.h"
#include "fem/assembly/jobs.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Visits of a row whose numbers are on their way together: of an inner node of hexahedra half. */
constexpr int visits_ahead = 4;
/* Threads of a block, at most, and what these have of shared memory. */
constexpr int rows_threads = 256;
constexpr int64_t rows_room = 48 << 10;

/* The entries of neighbouring rows. */
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
GPU_FUNCTION void each_number(const tulle__row_sums_job &job, int bits, int64_t row, row_span all,
                              row_span own, int64_t cells, const Move &move) {
    if (job.stride == 0) {
        const int count = static_cast<int>((all.end - all.begin) * cells);
        for (int k = static_cast<int>(lane()); k < count; k += warp_lanes) {
            move(k, all.begin * cells + k);
        }
        return;
    }
    const int count = static_cast<int>(own.end - own.begin), team = 1 << bits;
    const int shift = static_cast<int>(own.begin - all.begin);
    for (int k = static_cast<int>(lane()) & (team - 1); k < count; k += team) {
        move(shift + k, k * job.stride + row);
    }
}

/* The column of element matrices that a lane has. */
GPU_FUNCTION int own_column(int bits) {
    return static_cast<int>(lane()) & ((1 << bits) - 1);
}

/* Adds what visits bring to a team's row, from visit `next` on `left` of them; sums are the row's
 * numbers, of which the lane adds column c of the cells of position j of each visit; bring(from,
 * number) is such a column. All lanes of the warp come here together. */
template <class V, class From, int unknowns, class Bring>
GPU_FUNCTION void add_visits(const tulle__row_sums_job &job, int j, int c, int64_t next, int left,
                             shared<V> sums, const Bring &bring) {
    constexpr int cells = unknowns * unknowns, ahead = unknowns > 2 ? 2 : visits_ahead;
    constexpr int nowhere = TULLE__VISIT_NOWHERE;
    const From *from_of = static_cast<const From *>(job.from) + next;
    const uint8_t *position_of = job.positions + next * job.width + j;
    if (j >= job.width) left = 0;
    for (; any(full_warp, left > 0); left -= ahead) {
        int position[ahead];
        From from[ahead];
        V number[ahead][unknowns];
        GPU_UNROLL
        for (int a = 0; a < ahead; a++) {
            position[a] =
                a < left ? load(position_of + static_cast<int64_t>(a) * job.width) : nowhere;
            from[a] = a < left ? load(from_of + a) : From{0};
        }
        GPU_UNROLL
        for (int a = 0; a < ahead; a++) {
            if (position[a] != nowhere) bring(from[a], number[a]);
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
        from_of += ahead;
        position_of += static_cast<int64_t>(ahead) * job.width;
    }
}

/* Sums of the rows of a warp, and of those a grid further; a team has 2^bits lanes, the warp `sums`
 * of the shared memory. */
template <class V, class From, int unknowns, class Bring>
GPU_FUNCTION void sum_rows_of(const tulle__row_sums_job &job, int bits, shared<V> sums, V beta,
                              const Bring &bring) {
    constexpr int cells = unknowns * unknowns;
    V *values = static_cast<V *>(job.values);
    const int own = own_column(bits), rows = warp_lanes >> bits;
    const int64_t stride = loop_stride() >> bits;
    for (int64_t first = (loop_first() - lane()) >> bits; first < job.rows; first += stride) {
        const int64_t row = first + (static_cast<int>(lane()) >> bits);
        const row_span all = {row_begin(job, first), row_begin(job, first + rows)};
        const row_span mine = {row_begin(job, row), row_begin(job, row + 1)};
        const int64_t next = first_visit(job, row);
        each_number(job, bits, row, all, mine, cells, [&](int at, int64_t slot) {
            sums[at] = beta == V{0} ? V{0} : beta * values[slot];
        });
        sync_warp(full_warp);
        add_visits<V, From, unknowns>(job, own / unknowns, own % unknowns, next,
                                      static_cast<int>(first_visit(job, row + 1) - next),
                                      sums + static_cast<int>((mine.begin - all.begin) * cells),
                                      bring);
        each_number(job, bits, row, all, mine, cells,
                    [&](int at, int64_t slot) { values[slot] = sums[at]; });
        sync_warp(full_warp);
    }
}

/* Shape of the launch of a kernel by visits: teams of 2^bits lanes, and room, the number of numbers
 * that a warp has of the shared memory. */
struct rows_shape {
    int bits, room;
    grid blocks;
};

inline rows_shape shape_of_rows(const tulle__row_sums_job *job, int64_t size, int64_t most_blocks) {
    const int team = tulle__team_of(job->width * job->unknowns), rows = warp_lanes / team;
    int bits = 0;
    while (1 << bits < team) bits++;
    const int64_t room = rows * job->longest * job->unknowns * job->unknowns;
    int64_t warps = rows_threads / warp_lanes;
    while (warps > 1 && warps * room * size > rows_room) warps--;
    const int64_t blocks = (job->rows + warps * rows - 1) / (warps * rows);
    return {bits,
            static_cast<int>(room),
            {blocks < most_blocks ? blocks : most_blocks, static_cast<int>(warps * warp_lanes),
             static_cast<size_t>(warps * room * size)}};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
