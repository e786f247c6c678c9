/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar factors in one launch, with one team of 4 to 32 lanes per row; columns are found by
 * bisection.
 *
 * Waiting. Teams take rows in the order of the schedule by a ticket, so that each row for which a
 * team waits was taken earlier by a team that runs: the rows of lower places end, whatever blocks
 * the GPU starts, in whatever order. A row's flag is released when the row is written; a team that
 * waits acquires the flag, once for each earlier row.
 *
 * Memory: a row is computed in shared memory if the longest row fits for all teams of a block, else
 * in place; flags and the ticket are in the workspace. Barriers are those of a team's lanes.
 * Dropped products are added up lane by lane and then over the team in one order, so that bits
 * repeat. Source: tulle; rows by level as in Anderson and Saad 1989. */
#include <math.h>

#include "factor/gpu/row.cuh"

namespace {

constexpr int poll_threads = 128;
constexpr size_t most_shared = 48 << 10;

const int lanes_of_team[] = {4, 8, 16, 32};

/* The lanes that share a row. */
struct team {
    unsigned mask;
    int lanes, lane;
    GPU_FUNCTION explicit team(int size)
        : mask(size == gpu::warp_lanes
                   ? gpu::full_warp
                   : ((1u << size) - 1) << (static_cast<int>(gpu::lane()) / size * size)),
          lanes(size),
          lane(static_cast<int>(gpu::lane()) % size) {}
    GPU_FUNCTION void sync() const { gpu::sync_warp(mask); }
};

/* Returns the sum over the lanes to all of them: pairs first, then pairs of pairs. */
template <class T>
GPU_FUNCTION T team_sum(const team &t, T v) {
    for (int step = t.lanes / 2; step > 0; step /= 2) v += gpu::shuffle_xor(t.mask, v, step);
    return v;
}

GPU_FUNCTION double team_most(const team &t, double v) {
    for (int step = t.lanes / 2; step > 0; step /= 2) {
        const double other = gpu::shuffle_xor(t.mask, v, step);
        v = other > v ? other : v;
    }
    return v;
}

/* A row of A' that is being factorised, whose numbers are in `row`. */
template <class T, class O, class I, class Row>
struct work {
    const gpu::factor_job<T, O, I> &job;
    const team &t;
    Row row;
    int64_t i;
    /* range of the row's entries, the diagonal, and the first of the schedule's entries */
    O begin, end, d, first;

    GPU_FUNCTION double load() {
        double most = 0;
        for (O e = begin + t.lane; e < end; e += t.lanes) {
            const double number = gpu::factor_number(job, e, i, gpu::load(job.cols + e), 0);
            row[e - begin] = static_cast<T>(number);
            const double size = number < 0 ? -number : number;
            most = size > most ? size : most;
        }
        most = team_most(t, most);
        t.sync();
        return most;
    }

    /* Waits for the row of the e-th entry; returns the place of its diagonal. */
    GPU_FUNCTION O await(O e) const {
        const O place = gpu::load(job.places + first + (e - begin));
        if (t.lane == 0) {
            while (gpu::load_acquire(job.done + place) == 0) gpu::spin_awake();
        }
        t.sync();
        return gpu::load(job.diagonal + place);
    }

    /* Eliminates the row; returns the sum of dropped products to all lanes. */
    GPU_FUNCTION T eliminate() {
        T dropped = T(0);
        for (O e = begin; e < d; e++) {
            const O dk = await(e);
            const O end_k = gpu::load(job.offsets + gpu::load(job.cols + e) + 1);
            const T l = row[e - begin] / job.values[dk];
            t.sync();
            if (t.lane == 0) row[e - begin] = l;
            for (O f = dk + 1 + t.lane; f < end_k; f += t.lanes) {
                const I col = gpu::load(job.cols + f);
                const O at = gpu::factor_find(job.cols, e + 1, end, col);
                const T product = l * job.values[f];
                if (at < end && gpu::load(job.cols + at) == col) {
                    row[at - begin] -= product;
                } else {
                    dropped += product;
                }
            }
            t.sync();
        }
        return team_sum(t, dropped);
    }

    /* Computes the row of L L^T; returns the sum of squares before the diagonal. */
    GPU_FUNCTION T root() {
        T squares = T(0);
        for (O e = begin; e < d; e++) {
            const O dk = await(e);
            T sum = T(0);
            for (O f = gpu::load(job.offsets + gpu::load(job.cols + e)) + t.lane; f < dk;
                 f += t.lanes) {
                const I col = gpu::load(job.cols + f);
                const O at = gpu::factor_find(job.cols, begin, e, col);
                if (at < e && gpu::load(job.cols + at) == col)
                    sum += row[at - begin] * job.values[f];
            }
            const T l = (row[e - begin] - team_sum(t, sum)) / job.values[dk];
            t.sync();
            if (t.lane == 0) row[e - begin] = l;
            t.sync();
            squares += l * l;
        }
        return squares;
    }

    GPU_FUNCTION void factorise() {
        const double most = load();
        if (job.kind == TULLE_CHOLESKY) {
            const T squares = root();
            if (t.lane == 0) {
                const double pivot =
                    gpu::factor_judged(job, static_cast<double>(row[d - begin] - squares), most, i);
                row[d - begin] = static_cast<T>(sqrt(pivot));
            }
        } else {
            const T dropped = eliminate();
            if (t.lane == 0) {
                const T pivot = row[d - begin] - static_cast<T>(job.modified) * dropped;
                row[d - begin] =
                    static_cast<T>(gpu::factor_judged(job, static_cast<double>(pivot), most, i));
            }
        }
        t.sync();
    }
};

template <class T, class O, class I, class Row>
GPU_FUNCTION void factor_row(const gpu::factor_job<T, O, I> &job, const team &t, O place, Row row) {
    const O i = gpu::load(job.order + place), begin = gpu::load(job.offsets + i);
    work<T, O, I, Row> w = {job,
                            t,
                            row,
                            i,
                            begin,
                            gpu::load(job.offsets + i + 1),
                            gpu::load(job.diagonal + place),
                            gpu::load(job.begins + place)};
    w.factorise();
}

template <class T, class O, class I, bool in_shared>
GPU_KERNEL void factor_rows(gpu::factor_job<T, O, I> job, int lanes, int room) {
    GPU_DYNAMIC_SHARED(T, rows);
    const team t(lanes);
    const int teams = gpu::warp_lanes / lanes;
    const int mine = static_cast<int>(gpu::thread()) / lanes;
    for (;;) {
        uint64_t taken = 0;
        if (gpu::lane() == 0) {
            taken = gpu::atomic_add(job.ticket, static_cast<uint64_t>(teams));
        }
        taken = gpu::shuffle(gpu::full_warp, taken, 0);
        if (taken >= static_cast<uint64_t>(job.rows)) return;
        const int64_t place = static_cast<int64_t>(taken) + mine % teams;
        if (place < job.rows) {
            const O p = static_cast<O>(place);
            if constexpr (in_shared) {
                const gpu::shared<T> row = gpu::part_of(rows, mine * room, room);
                factor_row(job, t, p, row);
                const int64_t i = gpu::load(job.order + p);
                const O begin = gpu::load(job.offsets + i), end = gpu::load(job.offsets + i + 1);
                for (O e = begin + t.lane; e < end; e += t.lanes) job.values[e] = row[e - begin];
                t.sync();
            } else {
                factor_row(job, t, p,
                           job.values + gpu::load(job.offsets + gpu::load(job.order + p)));
            }
            if (t.lane == 0) gpu::store_release(job.done + p, 1);
        }
        gpu::sync_warp(gpu::full_warp);
    }
}

size_t workspace(const tulle__factor_task *task) {
    return gpu::factor_flag_bytes(task);
}

void defaults(const tulle__factor_task *task, int *params) {
    const int64_t mean = task->entries / (task->rows > 0 ? task->rows : 1);
    params[0] = lanes_of_team[0];
    for (int lanes : lanes_of_team) {
        if (lanes <= mean) params[0] = lanes;
    }
}

bool eligible(const tulle__factor_task *task) {
    return task->block == 1;
}

template <class T, class O, class I, bool in_shared>
tulle_status launch(const tulle__factor_task *t, const gpu::factor_job<T, O, I> &job, int room,
                    size_t bytes) {
    const auto kernel = factor_rows<T, O, I, in_shared>;
    const int lanes = t->params[0];
    int64_t blocks = 0;
    GPU_TRY(gpu::resident_blocks(t->place, kernel, poll_threads, bytes, &blocks));
    const int64_t teams = poll_threads / lanes, needed = t->rows / teams + (t->rows % teams != 0);
    return gpu::launch(t->place, kernel, {needed < blocks ? needed : blocks, poll_threads, bytes},
                       job, lanes, room);
}

template <class T, class O, class I>
tulle_status run(const tulle__factor_task *t) {
    gpu::factor_job<T, O, I> job = gpu::factor_job_of<T, O, I>(t);
    GPU_TRY(gpu::factor_flags(t, &job));
    const size_t bytes = static_cast<size_t>(poll_threads / t->params[0]) *
                         static_cast<size_t>(t->longest) * sizeof(T);
    return bytes <= most_shared ? launch<T, O, I, true>(t, job, static_cast<int>(t->longest), bytes)
                                : launch<T, O, I, false>(t, job, 0, 0);
}

const tulle__param params[] = {{"coop", "lanes that share a row", 4, lanes_of_team}};

}  // namespace

extern const tulle__factor_kernel GPU_SYMBOL(factor_poll);
const tulle__factor_kernel GPU_SYMBOL(factor_poll) = {
    .head = {.name = "factor_poll",
             .summary = "scalars: lanes share a row, which waits for the rows before it by flags",
             .source = "tulle; rows by level as in Anderson and Saad 1989",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__DEFAULT | TULLE__REFERENCE,
             .param_count = 1,
             .params = params},
    .defaults = defaults,
    .eligible = eligible,
    .workspace = workspace,
    .run = GPU_RUN_ALL(run)};
