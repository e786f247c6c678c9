/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen's ConjugateGradient and BiCGSTAB on the same arrays, with OpenMP threads where its products
 * have them. Iterations are counted by the calls of the preconditioner: BiCGSTAB begins anew, and
 * counts anew, where its residual gets almost orthogonal to the first one. */
#ifdef TULLE_PEER_EIGEN
#include <stdio.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <memory>
#include <new>

extern "C" {
#include "lab/peers/peers.h"
#include "tools/common/error.h"
#include "trials/solve.h"
}

namespace {

/* Calls of the preconditioner in the thread that solves. */
thread_local int64_t preconditions = 0;

template <class Preconditioner>
struct Counted : Preconditioner {
    Counted() = default;
    template <class Matrix>
    explicit Counted(const Matrix &A) : Preconditioner(A) {}
    template <class Vector>
    auto solve(const Vector &x) const {
        preconditions++;
        return Preconditioner::solve(x);
    }
};

struct Task {
    virtual ~Task() = default;
    virtual void run() = 0;
};

template <class Solver, class Matrix>
struct SolveTask final : Task {
    using Value = typename Matrix::Scalar;
    using Index = typename Matrix::StorageIndex;
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

    Eigen::Map<const Matrix> A;
    Eigen::Map<const Vector> b;
    Eigen::Map<Vector> x;
    Solver solver;

    SolveTask(const trial_problem *p, const tulle_mat_arrays &arrays, const tulle_vec_info &in,
              const tulle_vec_info &out)
        : A(p->info.rows, p->info.cols, p->info.nnz, static_cast<const Index *>(arrays.offsets),
            static_cast<const Index *>(arrays.cols), static_cast<const Value *>(arrays.values)),
          b(static_cast<const Value *>(in.data), in.rows),
          x(static_cast<Value *>(out.data), out.rows) {
        solver.compute(A);
        solver.setTolerance(0);
        solver.setMaxIterations(p->iterations);
    }

    void run() override { x = solver.solve(b); }
};

enum { CG, BICGSTAB };

template <class Matrix, class Preconditioner>
std::unique_ptr<Task> make_method(int method, const trial_problem *p,
                                  const tulle_mat_arrays &arrays, const tulle_vec_info &b,
                                  const tulle_vec_info &x) {
    using Cg = Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Preconditioner>;
    using BiCgStab = Eigen::BiCGSTAB<Matrix, Preconditioner>;
    if (method == CG) return std::make_unique<SolveTask<Cg, Matrix>>(p, arrays, b, x);
    return std::make_unique<SolveTask<BiCgStab, Matrix>>(p, arrays, b, x);
}

template <class Value, class Index>
std::unique_ptr<Task> make(int method, const trial_problem *p, const tulle_mat_arrays &arrays,
                           const tulle_vec_info &b, const tulle_vec_info &x) {
    using Matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>;
    if (p->detail == TRIAL_SOLVE_JACOBI) {
        using Jacobi = Counted<Eigen::DiagonalPreconditioner<Value>>;
        return make_method<Matrix, Jacobi>(method, p, arrays, b, x);
    }
    return make_method<Matrix, Counted<Eigen::IdentityPreconditioner>>(method, p, arrays, b, x);
}

std::unique_ptr<Task> make_typed(int method, const trial_problem *p, const tulle_mat_arrays &arrays,
                                 const tulle_vec_info &b, const tulle_vec_info &x) {
    const bool narrow = p->info.index == TULLE_I32;
    if (p->info.type == TULLE_F32) {
        return narrow ? make<float, int32_t>(method, p, arrays, b, x)
                      : make<float, int64_t>(method, p, arrays, b, x);
    }
    return narrow ? make<double, int32_t>(method, p, arrays, b, x)
                  : make<double, int64_t>(method, p, arrays, b, x);
}

tulle_status available(char version[BENCH_VERSION]) {
    snprintf(version, BENCH_VERSION, "Eigen %d.%d.%d", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
             EIGEN_MINOR_VERSION);
    return TULLE_OK;
}

tulle_status check(const trial_problem *p) {
    const bool fits = p->info.format == TULLE_CSR && p->info.index != TULLE_I64_I32;
    if (fits && !p->whole) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED,
                       "Eigen's methods here: of CSR with one type for offsets and columns, "
                       "without ILU(0)");
}

tulle_status run(void *state) {
    try {
        static_cast<Task *>(state)->run();
    } catch (const std::bad_alloc &) {
        return tool_record(TULLE_OUT_OF_MEMORY, "Eigen: out of memory");
    }
    return TULLE_OK;
}

/* CG preconditions once before its first iteration. */
tulle_status count_iterations(int method, trial_task *task) {
    preconditions = 0;
    tulle_status status = run(task->state);
    task->iterations = method == CG ? preconditions - 1 : preconditions / 2;
    return status;
}

void close(void *state) {
    delete static_cast<Task *>(state);
}

tulle_status prepare(const bench_peer *peer, const trial_problem *problem, trial_task *task) {
    tulle_mat_arrays arrays;
    tulle_vec_info b, x;
    tulle_status status = check(problem);
    if (status == TULLE_OK) status = tulle_mat_view(problem->A, &arrays);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->x, &b);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &x);
    if (status != TULLE_OK) return status;
    Eigen::setNbThreads(problem->device.threads);
    *task = trial_task{};
    task->threads = problem->device.threads;
    try {
        task->state = make_typed(peer->variant, problem, arrays, b, x).release();
    } catch (const std::bad_alloc &) {
        return tool_record(TULLE_OUT_OF_MEMORY, "Eigen: out of memory");
    }
    status = count_iterations(peer->variant, task);
    if (status != TULLE_OK) close(task->state);
    return status;
}

}  // namespace

#define PEER(peer_name, method, operation)                                                         \
    extern "C" const bench_peer bench_peer_##peer_name = {                                         \
        .name = #peer_name,                                                                        \
        .library = "eigen",                                                                        \
        .gpu = false,                                                                              \
        .variant = method,                                                                         \
        .op = operation,                                                                           \
        .available = available,                                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .measure = nullptr,                                                                        \
        .close = close,                                                                            \
    };

PEER(eigen_cg, CG, "cg")
PEER(eigen_bicgstab, BICGSTAB, "bicgstab")

#endif
