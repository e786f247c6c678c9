/* SPDX-License-Identifier: Apache-2.0 */
/* The model: a product and a pass over vectors take as long as their entries and rows, which
 * threads share. A row of a triangle also waits for the row before it, but for those of its level;
 * on a GPU a level is a wait of its own. The numbers are rounded figures of lab/results: cpu.jsonl
 * (a thread of an AMD EPYC), h100-trisolve.jsonl and h200-trisolve.jsonl. Places differ from them,
 * and that is why twice as long or half as long is no matter: fewer iterations count by whole
 * factors. */
#include "solve_ratio.h"

/* Nanoseconds of a CPU's thread: for an entry or a row, and for a row of a triangle to have the
 * numbers that it waits for. Threads beyond the last one wait for memory. */
static const double cpu_entry = 1, cpu_wait = 6;
enum { CPU_THREADS = 8, CPU_SHARED = 20000, CPU_WIDTH = 32 };

/* Nanoseconds of a GPU: for a kernel to begin and end, for a level, and bytes in a nanosecond. */
static const double gpu_kernel = 4000, gpu_level = 600, gpu_bytes = 3000;

/* Counts what is timed, in numbers of scalars. */
typedef struct work {
    double rows, entries, factor_entries, levels;
    double item; /* bytes of a stored number and of its column */
} work;

/* Nanoseconds of a product, of a pass over three vectors, and of solving with both factors. */
typedef struct costs {
    double product, pass, solve;
} costs;

static double least(double a, double b) {
    return a < b ? a : b;
}

static double most(double a, double b) {
    return a > b ? a : b;
}

static costs on_cpu(const work *w, int threads) {
    const double shared = w->entries < CPU_SHARED ? 1 : most(least(threads, CPU_THREADS), 1);
    const double width = w->rows / most(w->levels, 1) / CPU_WIDTH;
    const double solvers = most(least(shared, width), 1);
    return (costs){.product = cpu_entry * (w->entries + w->rows) / shared,
                   .pass = cpu_entry * w->rows / shared,
                   .solve = (cpu_entry * w->factor_entries + 2 * cpu_wait * w->rows) / solvers};
}

static costs on_gpu(const work *w) {
    const double vector = w->rows * w->item;
    const double triangle = (0.5 * w->factor_entries * w->item + 2 * vector) / gpu_bytes;
    return (costs){.product = gpu_kernel + (w->entries * w->item + 2 * vector) / gpu_bytes,
                   .pass = gpu_kernel + 3 * vector / gpu_bytes,
                   .solve = 2 * (gpu_kernel + most(triangle, gpu_level * w->levels))};
}

static tulle_status work_of(const tool_parts *parts, work *w) {
    tulle_factor_info f;
    const tulle_status status = tulle_factor_describe(parts->precond.F, &f);
    if (status != TULLE_OK) return status;
    const double square = (double)f.block * f.block;
    const double stored = (double)(f.kind == TULLE_CHOLESKY ? 2 * f.nnz_l : f.nnz_l + f.nnz_u);
    *w = (work){.rows = (double)parts->info.rows,
                .entries = square * (double)f.nnz_a,
                .factor_entries = square * stored,
                .levels = (double)f.levels,
                .item = (double)tulle_type_size(parts->info.type) + sizeof(int32_t)};
    return TULLE_OK;
}

tulle_status tool_ratio_find(tulle_ctx *ctx, tulle_method method, const tool_parts *parts,
                             double *ratio) {
    /* A method passes over about 10 vectors in an iteration, gmres, in the mean of its cycles,
     * over 60. */
    const double passes = (method == TULLE_GMRES ? 60 : 10) / 3.0;
    tulle_device_info device;
    work w;
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status == TULLE_OK) status = work_of(parts, &w);
    if (status != TULLE_OK) return status;
    const costs c = device.backend == TULLE_CUDA ? on_gpu(&w) : on_cpu(&w, device.threads);
    const double without = c.product + (passes + 1) * c.pass; /* 0 of a matrix without rows */
    *ratio = without > 0 ? (c.product + passes * c.pass + c.solve) / without : 1;
    return TULLE_OK;
}
