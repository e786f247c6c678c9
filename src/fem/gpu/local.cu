/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices as an operator, on the GPU: a thread an element, whose neighbours read what
 * stands beside it. What an element has of x and makes of it is in registers where its matrix has
 * 3, 4 or 8 rows, else in shared memory. */
#include "fem/functions.h"
#include "fem/gpu/sums.cuh"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

GPU_KERNEL void leave_points(tulle__leave_job job) {
    for (int64_t i = loop_first(); i < job.count; i += loop_stride()) {
        const int32_t point = job.points[i];
        if (point >= 0 && load(job.masked + point)) job.points[i] = -1;
    }
}

GPU_KERNEL void pack_unknowns(tulle__pack_job job) {
    for (loop_pairs i(job.block.count); i.outer < job.block.rows; i.next()) {
        tulle__pack_unknown(&job, i.inner, static_cast<int>(i.outer));
    }
}

GPU_KERNEL void pack_numbers(tulle__pack_job job) {
    const int rows = job.block.rows;
    const int64_t cells = tulle__local_cells(rows, false);
    for (loop_pairs i(job.block.count); i.outer < cells; i.next()) {
        const int cell = static_cast<int>(i.outer);
        tulle__pack_number(&job, i.inner, cell / rows, cell % rows);
    }
}

/* One number for each row of an element, of one thread, in registers. */
template <class V, int rows>
struct row_registers {
    V at[rows];
    GPU_FUNCTION V get(int i) const { return at[i]; }
    GPU_FUNCTION void put(int i, V v) { at[i] = v; }
};

/* One number for each row of an element, of one thread, in shared memory, where the numbers of a
 * block's threads lie side by side. */
template <class V>
struct row_shared {
    shared<V> first;
    int step;
    GPU_FUNCTION V get(int i) const { return first[i * step]; }
    GPU_FUNCTION void put(int i, V v) { first[i * step] = v; }
};

/* The matrix of element e: numbers of type S, computed with in V. */
template <class V, class S>
class element_matrix {
  public:
    GPU_FUNCTION element_matrix(const tulle__local_job &job, int64_t e)
        : numbers_(static_cast<const S *>(job.block.numbers) + e),
          step_(job.block.stride),
          turned_(job.transposed) {}
    template <bool packed>
    GPU_FUNCTION V get(int rows, int i, int j) const {
        const bool flip = !packed && turned_;
        const int64_t cell = tulle__local_cell(rows, packed, flip ? j : i, flip ? i : j);
        return static_cast<V>(load_once(numbers_ + cell * step_));
    }

  private:
    const S *numbers_;
    int64_t step_;
    bool turned_;
};

/* The numbers of x that element e has; 0 for unknowns that are left out. */
template <class V, class Rows>
GPU_FUNCTION void gather(const tulle__local_job &job, int64_t e, int rows, Rows &x) {
    const V *from = static_cast<const V *>(job.vectors.x);
    GPU_UNROLL
    for (int i = 0; i < rows; i++) {
        const int32_t at = load(job.block.unknowns + i * job.block.stride + e);
        x.put(i, at >= 0 ? load(from + at * job.vectors.x_step) : V{0});
    }
}

/* Row i of what element e makes. */
template <class V>
GPU_FUNCTION void scatter(const tulle__local_job &job, int64_t e, V alpha, int i, V number) {
    const int64_t k = i * job.block.stride + e;
    if (job.scatter == TULLE_SCATTER_OWNER) {
        static_cast<V *>(job.block.products)[k] = number;
        return;
    }
    const int32_t at = load(job.block.unknowns + k);
    if (at < 0) return;
    V *to = static_cast<V *>(job.vectors.y) + at * job.vectors.y_step;
    if (job.scatter == TULLE_SCATTER_ATOMIC) {
        atomic_add(to, alpha * number);
    } else {
        *to += alpha * number;
    }
}

/* Adds K to the diagonal: an unknown that an element has twice gets all four entries. */
template <class V, class S, bool packed>
GPU_FUNCTION void scatter_diagonal(const tulle__local_job &job, int64_t e, V alpha, int rows) {
    const element_matrix<V, S> K(job, e);
    const int32_t *unknowns = job.block.unknowns + e;
    GPU_KEEP_LOOP
    for (int i = 0; i < rows; i++) {
        const int32_t at = load(unknowns + i * job.block.stride);
        V sum = 0;
        GPU_KEEP_LOOP
        for (int j = 0; j < rows; j++) {
            const bool below = packed && j < i;
            if (load(unknowns + j * job.block.stride) != at) continue;
            sum += K.template get<packed>(rows, below ? j : i, below ? i : j);
        }
        scatter(job, e, alpha, i, sum);
    }
}

/* Row by row, so that no more than a row is on its way. */
template <class V, class S, class Rows>
GPU_FUNCTION void scatter_product(const tulle__local_job &job, int64_t e, V alpha, int rows,
                                  const Rows &x) {
    const element_matrix<V, S> K(job, e);
    GPU_KEEP_LOOP
    for (int i = 0; i < rows; i++) {
        V sum = 0;
        GPU_UNROLL
        for (int j = 0; j < rows; j++) sum += K.template get<false>(rows, i, j) * x.get(j);
        scatter(job, e, alpha, i, sum);
    }
}

/* Scatters alpha times a packed matrix times x, row by row; each number of the matrix is an entry
 * of two rows. y: room for sums. */
template <class V, class S, class Rows>
GPU_FUNCTION void scatter_packed(const tulle__local_job &job, int64_t e, V alpha, int rows,
                                 const Rows &x, Rows &y) {
    const element_matrix<V, S> K(job, e);
    GPU_UNROLL
    for (int i = 0; i < rows; i++) y.put(i, 0);
    GPU_UNROLL
    for (int i = 0; i < rows; i++) {
        const V own = x.get(i);
        V sum = y.get(i) + K.template get<true>(rows, i, i) * own;
        GPU_UNROLL
        for (int j = i + 1; j < rows; j++) {
            const V number = K.template get<true>(rows, i, j);
            sum += number * x.get(j);
            y.put(j, y.get(j) + number * own);
        }
        scatter(job, e, alpha, i, sum);
    }
}

/* rows is known when this is compiled where x and y are registers. */
template <class V, class S, bool packed, class Rows>
GPU_FUNCTION void apply_element(const tulle__local_job &job, int64_t e, V alpha, int rows, Rows &x,
                                Rows &y) {
    if (job.vectors.diagonal) {
        scatter_diagonal<V, S, packed>(job, e, alpha, rows);
        return;
    }
    gather<V>(job, e, rows, x);
    if (packed) {
        scatter_packed<V, S>(job, e, alpha, rows, x, y);
    } else {
        scatter_product<V, S>(job, e, alpha, rows, x);
    }
}

/* Blocks on a multiprocessor: without a limit all numbers of an element of 8 rows are on their way
 * at once, and there is one. */
constexpr int register_blocks = 2;

template <class V, class S, bool packed, int rows>
GPU_KERNEL GPU_RESIDENT(loop_threads, register_blocks) void apply_in_registers(tulle__local_job job,
                                                                               scalar<V> alpha) {
    for (int64_t e = job.begin + loop_first(); e < job.end; e += loop_stride()) {
        row_registers<V, rows> x = {}, y = {};
        apply_element<V, S, packed>(job, e, alpha.value(), rows, x, y);
    }
}

template <class V, class S, bool packed>
GPU_KERNEL void apply_in_shared(tulle__local_job job, scalar<V> alpha) {
    GPU_DYNAMIC_SHARED(V, room);
    const int rows = job.block.rows, step = static_cast<int>(block_size());
    row_shared<V> x = {room + thread(), step}, y = {room + (rows * step + thread()), step};
    for (int64_t e = job.begin + loop_first(); e < job.end; e += loop_stride()) {
        apply_element<V, S, packed>(job, e, alpha.value(), rows, x, y);
    }
}

/* As many threads as leave room for two blocks on a multiprocessor, down to a warp, which has room
 * for the largest matrices. */
inline int threads_for(int64_t bytes_of_thread) {
    constexpr int64_t room = 98304;
    int threads = 128;
    while (threads > warp_lanes && threads * bytes_of_thread > room) threads /= 2;
    return threads;
}

template <class V, class S, bool packed>
tulle_status apply(const tulle__place *place, const tulle__local_job *job) {
    const int64_t count = job->end - job->begin;
    const scalar<V> alpha = make_scalar<V>(job->vectors.alpha);
    switch (job->block.rows) {
        case 3:
            return launch(place, apply_in_registers<V, S, packed, 3>, loop_grid(count), *job,
                          alpha);
        case 4:
            return launch(place, apply_in_registers<V, S, packed, 4>, loop_grid(count), *job,
                          alpha);
        case 8:
            return launch(place, apply_in_registers<V, S, packed, 8>, loop_grid(count), *job,
                          alpha);
        default:
            break;
    }
    const int64_t bytes = 2 * static_cast<int64_t>(sizeof(V)) * job->block.rows;
    const int threads = threads_for(bytes);
    const int64_t blocks = (count + threads - 1) / threads;
    return launch(place, apply_in_shared<V, S, packed>,
                  grid{blocks < loop_blocks ? blocks : loop_blocks, threads,
                       static_cast<size_t>(threads * bytes)},
                  *job, alpha);
}

template <class V, class S>
tulle_status apply_of(const tulle__place *place, const tulle__local_job *job) {
    return job->packed ? apply<V, S, true>(place, job) : apply<V, S, false>(place, job);
}

template <class V>
struct product {
    const V *products;
    GPU_FUNCTION V operator()(int64_t from) const { return load(products + from); }
};

template <class V, class From>
GPU_KERNEL void combine(tulle__combine_job job, scalar<V> alpha, scalar<V> beta) {
    const V a = alpha.value(), b = beta.value();
    const product<V> number = {static_cast<const V *>(job.products)};
    for (int64_t i = loop_first(); i < job.count; i += loop_stride()) {
        const int64_t row = job.rows ? load(job.rows + i) : i;
        const tulle__vectors &v = job.vectors;
        V sum = 0, *to = static_cast<V *>(v.y) + row * v.y_step;
        if (job.masked && load(job.masked + row)) {
            sum = load(static_cast<const V *>(job.scales) + i);
            if (!v.diagonal) sum *= load(static_cast<const V *>(v.x) + row * v.x_step);
        } else if (job.ends) {
            sum = add_listed<V, From>(job.ends, job.from, i, V{0}, number);
        }
        *to = b == V{0} ? a * sum : a * sum + b * *to;
    }
}

template <class V>
tulle_status combine_of(const tulle__place *place, const tulle__combine_job *job) {
    const scalar<V> alpha = make_scalar<V>(job->vectors.alpha),
                    beta = make_scalar<V>(job->vectors.beta);
    return job->wide
               ? launch(place, combine<V, uint64_t>, loop_grid(job->count), *job, alpha, beta)
               : launch(place, combine<V, uint32_t>, loop_grid(job->count), *job, alpha, beta);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(leave_points)(const tulle__place *place, const tulle__leave_job *job) {
    return gpu::launch(place, gpu::leave_points, gpu::loop_grid(job->count), *job);
}

tulle_status GPU_SYMBOL(pack_unknowns)(const tulle__place *place, const tulle__pack_job *job) {
    return gpu::launch(place, gpu::pack_unknowns,
                       gpu::loop_grid(job->block.count * job->block.rows), *job);
}

tulle_status GPU_SYMBOL(pack_numbers)(const tulle__place *place, const tulle__pack_job *job) {
    const int64_t cells = static_cast<int64_t>(job->block.rows) * job->block.rows;
    return gpu::launch(place, gpu::pack_numbers, gpu::loop_grid(job->block.count * cells), *job);
}

tulle_status GPU_SYMBOL(apply_elements)(const tulle__place *place, const tulle__local_job *job) {
    if (job->type == TULLE_F32) return gpu::apply_of<float, float>(place, job);
    return job->stored == TULLE_F32 ? gpu::apply_of<double, float>(place, job)
                                    : gpu::apply_of<double, double>(place, job);
}

tulle_status GPU_SYMBOL(combine_products)(const tulle__place *place,
                                          const tulle__combine_job *job) {
    return job->type == TULLE_F32 ? gpu::combine_of<float>(place, job)
                                  : gpu::combine_of<double>(place, job);
}
