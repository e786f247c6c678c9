/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen: a row-major SparseMatrix around the same arrays, with OpenMP threads. */
#ifdef TULLE_PEER_EIGEN
#include <stdio.h>

#include <Eigen/Sparse>
#include <memory>
#include <new>

extern "C" {
#include "lab/peers/peers.h"
#include "tools/common/error.h"
}

namespace {

struct Task {
    virtual ~Task() = default;
    virtual void run() = 0;
};

template <class Value, class Index>
struct CsrTask final : Task {
    using Matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>;
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

    Eigen::Map<const Matrix> A;
    Eigen::Map<const Vector> x;
    Eigen::Map<Vector> y;
    bool transposed;

    CsrTask(const trial_problem *p, const tulle_mat_arrays &arrays, const tulle_vec_info &in,
            const tulle_vec_info &out)
        : A(p->info.rows, p->info.cols, p->info.nnz, static_cast<const Index *>(arrays.offsets),
            static_cast<const Index *>(arrays.cols), static_cast<const Value *>(arrays.values)),
          x(static_cast<const Value *>(in.data), in.rows),
          y(static_cast<Value *>(out.data), out.rows),
          transposed(p->trans == TULLE_T) {}

    void run() override {
        if (transposed) {
            y.noalias() = A.transpose() * x;
        } else {
            y.noalias() = A * x;
        }
    }
};

template <class Value>
std::unique_ptr<Task> make(const trial_problem *p, const tulle_mat_arrays &arrays,
                           const tulle_vec_info &x, const tulle_vec_info &y) {
    if (p->info.index == TULLE_I32) {
        return std::make_unique<CsrTask<Value, int32_t>>(p, arrays, x, y);
    }
    return std::make_unique<CsrTask<Value, int64_t>>(p, arrays, x, y);
}

tulle_status available(char version[BENCH_VERSION]) {
    snprintf(version, BENCH_VERSION, "Eigen %d.%d.%d", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
             EIGEN_MINOR_VERSION);
    return TULLE_OK;
}

tulle_status prepare(const bench_peer *, const trial_problem *problem, trial_task *task) {
    if (problem->info.index == TULLE_I64_I32) {
        return tool_record(TULLE_UNSUPPORTED, "Eigen has one type for offsets and columns");
    }
    tulle_mat_arrays arrays;
    tulle_vec_info x, y;
    tulle_status status = tulle_mat_view(problem->A, &arrays);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->x, &x);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &y);
    if (status != TULLE_OK) return status;
    Eigen::setNbThreads(problem->device.threads);
    *task = trial_task{};
    task->threads = problem->device.threads;
    try {
        task->state = (problem->info.type == TULLE_F32 ? make<float>(problem, arrays, x, y)
                                                       : make<double>(problem, arrays, x, y))
                          .release();
    } catch (const std::bad_alloc &) {
        return tool_record(TULLE_OUT_OF_MEMORY, "Eigen: out of memory");
    }
    return TULLE_OK;
}

tulle_status run(void *state) {
    try {
        static_cast<Task *>(state)->run();
    } catch (const std::bad_alloc &) {
        return tool_record(TULLE_OUT_OF_MEMORY, "Eigen: out of memory");
    }
    return TULLE_OK;
}

void close(void *state) {
    delete static_cast<Task *>(state);
}

}  // namespace

extern "C" const bench_peer bench_peer_eigen_csr = {
    .name = "eigen_csr",
    .library = "eigen",
    .gpu = false,
    .variant = 0,
    .available = available,
    .prepare = prepare,
    .run = run,
    .measure = nullptr,
    .close = close,
};

#endif
