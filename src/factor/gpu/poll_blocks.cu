/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of blocks of any size in one launch, with one block of threads per block row; each thread
 * has numbers of blocks. Rows are taken, and wait, as in poll.cu.
 *
 * The five steps of a row are those of paper 3, section 3.4: update by the earlier rows, modify the
 * diagonal block, factorise it (and invert it), multiply, store; here L is multiplied by the
 * inverse when its row is updated.
 *
 * Memory: the row is in shared memory if the longest row fits, else in place; flags and the ticket
 * are in the workspace. Barriers are those of the block of threads, some for each block before the
 * diagonal. Sources: Afanasyev and others 2015; the waiting is tulle's. */
#include "factor/gpu/row.cuh"
#include "format/bsr.h"
#include "gpu/reduce.cuh"

namespace {

constexpr int most_block = TULLE__MOST_BLOCK, most_cells = most_block * most_block;
constexpr int most_threads = 256, most_warps = most_threads / gpu::warp_lanes;
constexpr size_t most_shared = 96 << 10;

const int thread_counts[] = {32, 64, 128, 256};

/* The data of a block of threads besides the numbers of its row. */
template <class T>
struct scratch_of_row {
    gpu::shared<T> left;      /* L_ik, or the inverse of D */
    gpu::shared<T> diagonal;  /* the diagonal block D */
    gpu::shared<int> pivots;  /* row of D at each row of P D */
    gpu::shared<double> most; /* largest number of each warp */
};

/* A block row of A' that is being factorised, whose numbers are in `row`. */
template <class T, class O, class I, class Row>
struct work {
    const gpu::factor_job<T, O, I> &job;
    const scratch_of_row<T> &s;
    Row row;
    int64_t i;
    O begin, end, d, first;
    int b, cells, me, threads;

    GPU_FUNCTION double load() {
        double most = 0;
        const int64_t all = static_cast<int64_t>(end - begin) * cells;
        for (int64_t x = me; x < all; x += threads) {
            const O e = begin + static_cast<O>(x / cells);
            const double number =
                gpu::factor_number(job, e, i, gpu::load(job.cols + e), static_cast<int>(x % cells));
            row[x] = static_cast<T>(number);
            const double size = number < 0 ? -number : number;
            most = size > most ? size : most;
        }
        for (int step = gpu::warp_lanes / 2; step > 0; step /= 2) {
            const double other = gpu::shuffle_xor(gpu::full_warp, most, step);
            most = other > most ? other : most;
        }
        if (gpu::lane() == 0) s.most[me / gpu::warp_lanes] = most;
        gpu::sync();
        for (int warp = 0; warp < threads / gpu::warp_lanes; warp++) {
            const double other = s.most[warp];
            most = other > most ? other : most;
        }
        return most;
    }

    GPU_FUNCTION O await(O e) const {
        const O place = gpu::load(job.places + first + (e - begin));
        if (me == 0) {
            while (gpu::load_acquire(job.done + place) == 0) gpu::spin_awake();
        }
        gpu::sync();
        return gpu::load(job.diagonal + place);
    }

    /* Computes left := A_ik U_kk^-1. */
    GPU_FUNCTION void divide(int64_t at, int64_t k, O dk) {
        const T *D = job.values + static_cast<int64_t>(dk) * cells;
        if (job.inverted) {
            for (int q = me; q < cells; q += threads) {
                T sum = T(0);
                for (int m = 0; m < b; m++) sum += row[at + (q - q % b + m)] * D[m * b + q % b];
                s.left[q] = sum;
            }
        } else if (me < b) {
            divide_row(at + static_cast<int64_t>(me) * b, me, D, job.pivots + k * b);
        }
        gpu::sync();
    }

    /* Solves y D = a with P D = L U: w U = a, z L = w, y = z P; w and z replace a. */
    GPU_FUNCTION void divide_row(int64_t at, int r, const T *D, const uint8_t *pivots) {
        for (int c = 0; c < b; c++) {
            T sum = row[at + c];
            for (int m = 0; m < c; m++) sum -= row[at + m] * D[m * b + c];
            row[at + c] = sum / D[c * b + c];
        }
        for (int c = b - 2; c >= 0; c--) {
            T sum = row[at + c];
            for (int m = c + 1; m < b; m++) sum -= row[at + m] * D[m * b + c];
            row[at + c] = sum;
        }
        for (int c = 0; c < b; c++) s.left[r * b + pivots[c]] = row[at + c];
    }

    GPU_FUNCTION T product(const T *U, int q) const {
        T sum = T(0);
        for (int m = 0; m < b; m++) sum += s.left[q - q % b + m] * U[m * b + q % b];
        return sum;
    }

    GPU_FUNCTION void update(O e, O dk, O end_k) {
        const int64_t all = static_cast<int64_t>(end_k - dk - 1) * cells;
        for (int64_t x = me; x < all; x += threads) {
            const O f = dk + 1 + static_cast<O>(x / cells);
            const int q = static_cast<int>(x % cells);
            const O at = position(e, f);
            if (at == end) continue;
            row[static_cast<int64_t>(at - begin) * cells + q] -=
                product(job.values + static_cast<int64_t>(f) * cells, q);
        }
    }

    /* Returns the place of the column of entry f behind e, or end. */
    GPU_FUNCTION O position(O e, O f) const {
        const I col = gpu::load(job.cols + f);
        const O at = gpu::factor_find(job.cols, e + 1, end, col);
        return at < end && gpu::load(job.cols + at) == col ? at : end;
    }

    /* Subtracts dropped products from the diagonal; a thread has the same numbers each time. */
    GPU_FUNCTION void drop(O e, O dk, O end_k) {
        for (int q = me; q < cells; q += threads) {
            T sum = T(0);
            for (O f = dk + 1; f < end_k; f++) {
                if (position(e, f) == end) {
                    sum += product(job.values + static_cast<int64_t>(f) * cells, q);
                }
            }
            s.diagonal[q] -= static_cast<T>(job.modified) * sum;
        }
    }

    GPU_FUNCTION void eliminate() {
        for (int q = me; q < cells; q += threads) s.diagonal[q] = T(0);
        for (O e = begin; e < d; e++) {
            const O dk = await(e);
            const int64_t k = gpu::load(job.cols + e), at = static_cast<int64_t>(e - begin) * cells;
            const O end_k = gpu::load(job.offsets + k + 1);
            divide(at, k, dk);
            for (int q = me; q < cells; q += threads) row[at + q] = s.left[q];
            update(e, dk, end_k);
            if (job.modified > 0) drop(e, dk, end_k);
            gpu::sync();
        }
        const int64_t at = static_cast<int64_t>(d - begin) * cells;
        for (int q = me; q < cells; q += threads) s.diagonal[q] += row[at + q];
        gpu::sync();
    }

    /* Replaces D by L and U of P D. */
    GPU_FUNCTION void factorise(double most) {
        if (me < b) s.pivots[me] = me;
        for (int k = 0; k < b; k++) {
            gpu::sync();
            if (me == 0) pivot(k, most);
            gpu::sync();
            if (me > k && me < b)
                s.diagonal[me * b + k] = s.diagonal[me * b + k] / s.diagonal[k * b + k];
            gpu::sync();
            for (int q = me; q < cells; q += threads) {
                const int r = q / b, c = q % b;
                if (r > k && c > k) s.diagonal[q] -= s.diagonal[r * b + k] * s.diagonal[k * b + c];
            }
        }
        gpu::sync();
    }

    /* Brings the largest number of column k from row k on to the diagonal, and judges it. */
    GPU_FUNCTION void pivot(int k, double most) {
        int best = k;
        for (int r = k + 1; r < b; r++) {
            if (size_of(s.diagonal[r * b + k]) > size_of(s.diagonal[best * b + k])) best = r;
        }
        for (int c = 0; c < b && best != k; c++) {
            const T number = s.diagonal[k * b + c];
            s.diagonal[k * b + c] = s.diagonal[best * b + c];
            s.diagonal[best * b + c] = number;
        }
        const int there = s.pivots[best];
        s.pivots[best] = s.pivots[k];
        s.pivots[k] = there;
        const double judged =
            gpu::factor_judged(job, static_cast<double>(s.diagonal[k * b + k]), most, i * b + k);
        s.diagonal[k * b + k] = static_cast<T>(judged);
    }

    GPU_FUNCTION static double size_of(double number) { return number < 0 ? -number : number; }

    /* Computes left := D^-1, one thread per column: L U x = P e_c. */
    GPU_FUNCTION void invert() {
        if (me < b) {
            for (int r = 0; r < b; r++) {
                T x = s.pivots[r] == me ? T(1) : T(0);
                for (int m = 0; m < r; m++) x -= s.diagonal[r * b + m] * s.left[m * b + me];
                s.left[r * b + me] = x;
            }
            for (int r = b - 1; r >= 0; r--) {
                T x = s.left[r * b + me];
                for (int m = r + 1; m < b; m++) x -= s.diagonal[r * b + m] * s.left[m * b + me];
                s.left[r * b + me] = x / s.diagonal[r * b + r];
            }
        }
        gpu::sync();
    }

    GPU_FUNCTION void finish(double most) {
        factorise(most);
        if (job.inverted) invert();
        const int64_t at = static_cast<int64_t>(d - begin) * cells;
        for (int q = me; q < cells; q += threads) {
            row[at + q] = job.inverted ? static_cast<T>(s.left[q]) : static_cast<T>(s.diagonal[q]);
        }
        if (!job.inverted && me < b) {
            job.pivots[i * b + me] = static_cast<uint8_t>(static_cast<int>(s.pivots[me]));
        }
        gpu::sync();
    }
};

template <class T, class O, class I, class Row>
GPU_FUNCTION void factor_row(const gpu::factor_job<T, O, I> &job, const scratch_of_row<T> &s,
                             int64_t place, Row row) {
    const O i = gpu::load(job.order + place);
    work<T, O, I, Row> w = {job,
                            s,
                            row,
                            i,
                            gpu::load(job.offsets + i),
                            gpu::load(job.offsets + i + 1),
                            gpu::load(job.diagonal + place),
                            gpu::load(job.begins + place),
                            job.block,
                            job.block * job.block,
                            static_cast<int>(gpu::thread()),
                            static_cast<int>(gpu::block_size())};
    const double most = w.load();
    w.eliminate();
    w.finish(most);
}

template <class T, class O, class I, bool in_shared>
GPU_KERNEL void factor_block_rows(gpu::factor_job<T, O, I> job, int room) {
    GPU_DYNAMIC_SHARED(T, row);
    GPU_SHARED(T, left, most_cells);
    GPU_SHARED(T, diagonal, most_cells);
    GPU_SHARED(int, pivots, most_block);
    GPU_SHARED(double, most, most_warps);
    GPU_SHARED(uint64_t, taken, 1);
    const scratch_of_row<T> s = {left, diagonal, pivots, most};
    const int me = static_cast<int>(gpu::thread()), threads = static_cast<int>(gpu::block_size());
    const int64_t cells = static_cast<int64_t>(job.block) * job.block;
    for (;;) {
        if (me == 0) taken[0] = gpu::atomic_add(job.ticket, uint64_t(1));
        gpu::sync();
        const int64_t place = static_cast<int64_t>(static_cast<uint64_t>(taken[0]));
        if (place >= job.rows) return;
        const int64_t i = gpu::load(job.order + place);
        T *values = job.values + static_cast<int64_t>(gpu::load(job.offsets + i)) * cells;
        if constexpr (in_shared) {
            const int64_t all =
                static_cast<int64_t>(gpu::load(job.offsets + i + 1) - gpu::load(job.offsets + i)) *
                cells;
            factor_row(job, s, place, gpu::part_of(row, 0, room));
            for (int64_t x = me; x < all; x += threads) values[x] = row[x];
        } else {
            factor_row(job, s, place, values);
        }
        gpu::sync();
        if (me == 0) gpu::store_release(job.done + place, 1);
    }
}

size_t workspace(const tulle__factor_task *task) {
    return gpu::factor_flag_bytes(task);
}

void defaults(const tulle__factor_task *task, int *params) {
    params[0] = task->block < 4 ? 32 : task->block < 8 ? 64 : task->block < 16 ? 128 : 256;
}

bool eligible(const tulle__factor_task *task) {
    return task->block > 1;
}

template <class T, class O, class I, bool in_shared>
tulle_status launch(const tulle__factor_task *t, const gpu::factor_job<T, O, I> &job, int room) {
    const auto kernel = factor_block_rows<T, O, I, in_shared>;
    const size_t bytes = static_cast<size_t>(room) * sizeof(T);
    int64_t blocks = 0;
    GPU_TRY(gpu::resident_blocks(t->place, kernel, t->params[0], bytes, &blocks));
    return gpu::launch(t->place, kernel, {t->rows < blocks ? t->rows : blocks, t->params[0], bytes},
                       job, room);
}

template <class T, class O, class I>
tulle_status run(const tulle__factor_task *t) {
    gpu::factor_job<T, O, I> job = gpu::factor_job_of<T, O, I>(t);
    GPU_TRY(gpu::factor_flags(t, &job));
    const int64_t room = t->longest * t->block * t->block;
    return static_cast<size_t>(room) * sizeof(T) <= most_shared
               ? launch<T, O, I, true>(t, job, static_cast<int>(room))
               : launch<T, O, I, false>(t, job, 0);
}

const tulle__param params[] = {{"threads", "threads that share a block row", 4, thread_counts}};

}  // namespace

extern const tulle__factor_kernel GPU_SYMBOL(factor_poll_blocks);
const tulle__factor_kernel GPU_SYMBOL(factor_poll_blocks) = {
    .head = {.name = "factor_poll_blocks",
             .summary =
                 "blocks: a block of threads a row, which waits for the rows before by flags",
             .source = "Afanasyev and others 2015, section 3.4; waiting: tulle",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__DEFAULT | TULLE__REFERENCE,
             .param_count = 1,
             .params = params},
    .defaults = defaults,
    .eligible = eligible,
    .workspace = workspace,
    .run = GPU_RUN_ALL(run)};
