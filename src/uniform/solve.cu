/* SPDX-License-Identifier: Apache-2.0 */
/* Solving many small systems on the GPU, in one launch. A block of threads has a system from first
 * to last, and then another one, so that systems may take any number of iterations.
 *
 *   rows of a system     who has it      rows of a thread
 *   up to 256            a warp          1, 2, 3, 5 or 8 at most
 *   up to 1024           four warps      8 at most
 *
 * Memory: the matrix, its ILU(0) where it preconditions, the vector that a product gathers from and
 * GMRES' small problem are in shared memory, the other vectors in registers; GMRES' basis and
 * triangle are in the workspace, for as many blocks as run at once. Values, b and x cross the
 * memory once, but that the residual at the end reads b again. A warp meets as a warp, four warps
 * at barriers of the block (team.cuh). Source: Aggarwal, Kashi, Nayak, Balos, Woodward and Anzt,
 * "Batched sparse iterative solvers for computational chemistry simulations on GPUs", 2021. */
#define TULLE__PARTS 2
#include "gpu/parts.cuh"
#include "uniform/system.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number of blocks that are to run on a multiprocessor at a time, whose warps hide each other's
 * latencies. It is bounded where the rows of a thread are so few that kernels then spill 72 bytes
 * at most. */
template <int each, int warps>
constexpr int resident_systems = warps == 1 && each <= 5 ? 16 : 1;

template <class V, int each, int warps, int method>
GPU_KERNEL GPU_RESIDENT(warps *warp_lanes, (resident_systems<each, warps>)) void solve_systems(
    tulle__uniform_solution job) {
    using system = uniform_system<V, each, warps>;
    using threads = team<warps>;
    GPU_DYNAMIC_SHARED(double, memory);
    const int64_t small = job.small, triangle = job.triangle;
    for (int64_t s = block(); s < job.count; s += grid_size()) {
        shared_parts parts(memory);
        char *room = static_cast<char *>(job.workspace) + block() * job.team_bytes;
        system made = {job.pattern, job.b};
        system *a = &made;
        a->all.room = parts.template take<double>(int64_t{2} * warps);
        a->small = parts.template take<double>(small);
        a->gathered = parts.template take<V>(job.pattern.n);
        a->values = parts.template take<V>(job.pattern.slots);
        if (job.options.preconditioner == TULLE_UNIFORM_ILU) {
            a->factors = parts.template take<V>(job.pattern.slots);
        }
        a->triangle = reinterpret_cast<double *>(room);
        a->basis = reinterpret_cast<V *>(a->triangle + triangle);
        a->s = s;
        a->n = job.pattern.n;
        a->restart = job.options.restart;
        a->iterations = 0;
        a->most_iterations = job.options.max_iterations;
        a->preconditioner = job.options.preconditioner;
        threads::meet(); /* waits until no thread works on the previous system */
        a->load_matrix(job.a);
        threads::meet();
        const double largest = a->begin(job.options, job.x, sizeof(V) == sizeof(float));
        const int row = largest != 0 ? a->make_preconditioner() : a->n;
        const int outcome = row < a->n ? static_cast<int>(TULLE_BROKE_DOWN)
                                       : solve(a, static_cast<tulle_method>(method));
        a->end(job.x);
        if (thread() != 0 || !job.reports) continue;
        tulle_uniform_report *report = job.reports + s;
        report->outcome = static_cast<tulle_outcome>(outcome);
        report->row = row < a->n ? row : -1;
        report->iterations = a->iterations;
        report->norm = a->norm / a->scale;
    }
}

/* Launches the kernel of one method, and finds its number of teams and their workspace. */
template <class V, int each, int warps, int method>
class solving {
  public:
    solving(const tulle__place *place, const tulle__uniform_solution *job)
        : place_(place), job_(job) {}

    tulle_status teams(tulle__uniform_solution *job) const {
        size_t bytes;
        constexpr int threads = team<warps>::threads;
        GPU_TRY(room(&bytes));
        job->teams = job->count;
        job->team_bytes = 0;
        if (method != TULLE_GMRES) return TULLE_OK;
        int64_t blocks = 0;
        GPU_TRY(resident_blocks(place_, solve_systems<V, each, warps, method>, threads, bytes,
                                &blocks));
        if (blocks < job->teams) job->teams = blocks;
        const int64_t numbers = int64_t{each} * threads * job->options.restart;
        job->team_bytes =
            (job->triangle + doubles_for<V>(numbers)) * static_cast<int64_t>(sizeof(double));
        return TULLE_OK;
    }
    tulle_status run() const {
        size_t bytes;
        GPU_TRY(room(&bytes));
        const int64_t most = INT32_MAX, blocks = job_->teams < most ? job_->teams : most;
        return launch(place_, solve_systems<V, each, warps, method>,
                      {blocks, team<warps>::threads, bytes}, *job_);
    }

  private:
    const tulle__place *place_;
    const tulle__uniform_solution *job_;

    tulle_status room(size_t *bytes) const {
        const int matrices = job_->options.preconditioner == TULLE_UNIFORM_ILU ? 2 : 1;
        const int64_t doubles = int64_t{2} * warps + job_->small + doubles_for<V>(job_->pattern.n) +
                                matrices * doubles_for<V>(job_->pattern.slots);
        return shared_room(doubles, job_->shared_bytes, bytes);
    }
};

/* Calls something with the kernel for the job's sizes. */
template <class V, int method, class Do>
tulle_status by_rows(const tulle__place *place, const tulle__uniform_solution *job, Do what) {
    const int n = job->pattern.n;
    if (n <= 32) return what(solving<V, 1, 1, method>(place, job));
    if (n <= 64) return what(solving<V, 2, 1, method>(place, job));
    if (n <= 96) return what(solving<V, 3, 1, method>(place, job));
    if (n <= 160) return what(solving<V, 5, 1, method>(place, job));
    if (n <= 256) return what(solving<V, 8, 1, method>(place, job));
    return what(solving<V, 8, 4, method>(place, job));
}

template <class V, class Do>
tulle_status by_method(const tulle__place *place, const tulle__uniform_solution *job, Do what) {
    switch (job->options.method) {
        case TULLE_CG:
            return by_rows<V, TULLE_CG>(place, job, what);
        case TULLE_BICGSTAB:
            return by_rows<V, TULLE_BICGSTAB>(place, job, what);
        default:
            return by_rows<V, TULLE_GMRES>(place, job, what);
    }
}

template <class V>
tulle_status count_teams(const tulle__place *place, tulle__uniform_solution *job) {
    return by_method<V>(place, job, [&](const auto &kernel) { return kernel.teams(job); });
}
GPU_PART(1, tulle_status count_teams<float>(const tulle__place *, tulle__uniform_solution *));
GPU_PART(2, tulle_status count_teams<double>(const tulle__place *, tulle__uniform_solution *));

template <class V>
tulle_status run_systems(const tulle__place *place, const tulle__uniform_solution *job) {
    return by_method<V>(place, job, [](const auto &kernel) { return kernel.run(); });
}
GPU_PART(1, tulle_status run_systems<float>(const tulle__place *, const tulle__uniform_solution *));
GPU_PART(2,
         tulle_status run_systems<double>(const tulle__place *, const tulle__uniform_solution *));

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(uniform_teams)(const tulle__place *place, tulle__uniform_solution *job) {
    return job->type == TULLE_F32 ? gpu::count_teams<float>(place, job)
                                  : gpu::count_teams<double>(place, job);
}

tulle_status GPU_SYMBOL(uniform_solve)(const tulle__place *place,
                                       const tulle__uniform_solution *job) {
    return job->type == TULLE_F32 ? gpu::run_systems<float>(place, job)
                                  : gpu::run_systems<double>(place, job);
}
#endif
