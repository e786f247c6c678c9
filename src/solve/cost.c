/* SPDX-License-Identifier: Apache-2.0 */
/* The model: a product and a pass over vectors take as long as their entries and rows, which
 * threads share. A row of a triangle also waits for rows before it, but rows of one level wait for
 * none of each other; on a GPU each level is a wait. The figures are rounded from lab/results:
 * cpu.jsonl (a thread of an AMD EPYC), h100-trisolve.jsonl and h200-trisolve.jsonl. Other devices
 * differ from them by a factor that the choice has room for: a third of the iterations. */
#include "solve/cost.h"

#include <math.h>

#include "core/context.h"
#include "core/error.h"
#include "solve/fill.h"
#include "solve/levels.h"
#include "tulle/trisolve.h"

/* Nanoseconds of a CPU's thread: for an entry or a row, and for a row of a triangle to have the
 * numbers that it waits for. Threads beyond the last one wait for memory. */
static const double cpu_entry = 1, cpu_wait = 6;

/* Nanoseconds of a CPU's thread in a complete factorisation: for a multiplication with its
 * addition, for an entry of the factors to be found and stored, and for an entry of A in the search
 * of an order (docs/lab-notes.md, "Complete factors of small systems"). */
static const double cpu_product = 0.5, cpu_fill = 40, cpu_order = 70;
enum { CPU_THREADS = 8, CPU_SHARED = 20000, CPU_WIDTH = 32 };

/* Nanoseconds of a GPU: for a triangle to begin and end, for a level of it, and bytes in a
 * nanosecond; and for the launches of an iteration, of GMRES and of other methods. Measured on an
 * H200: 20 us for an iteration of BiCGStab with the diagonal for 1,794 rows, 35 us for one of
 * GMRES. */
static const double gpu_triangle = 4000, gpu_level = 600, gpu_bytes = 3000;
static const double gpu_gmres = 30000, gpu_others = 12000;

typedef struct work {
    double rows, entries; /* scalar rows and stored numbers of A */
    double factor_entries, levels;
    double item; /* bytes of a stored number and of its column */
} work;

/* Nanoseconds of an iteration's launches, of a product, of a pass over three vectors, and of
 * solving with both factors. */
typedef struct costs {
    double launches, product, pass, solve;
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
    const double solvers = sqrt(most(least(shared, width), 1));
    return (costs){.product = cpu_entry * (w->entries + w->rows) / shared,
                   .pass = cpu_entry * w->rows / shared,
                   .solve = (cpu_entry * w->factor_entries + 2 * cpu_wait * w->rows) / solvers};
}

static costs on_gpu(const work *w, bool gmres) {
    const double vector = w->rows * (w->item - sizeof(int32_t));
    const double triangle = (0.5 * w->factor_entries * w->item + 2 * vector) / gpu_bytes;
    return (costs){.launches = gmres ? gpu_gmres : gpu_others,
                   .product = (w->entries * w->item + 2 * vector) / gpu_bytes,
                   .pass = 3 * vector / gpu_bytes,
                   .solve = 2 * (gpu_triangle + most(triangle, gpu_level * w->levels))};
}

/* Nanoseconds of an iteration of pipelined CG to begin and end, bytes that it moves in a
 * nanosecond, most of them from the L2, and passes over vectors; and the largest systems that have
 * it (solver/create.c). Measured on an H200: 5.3 us for p2d5:100, 38 us for p3d7:64. */
static const double pipelined_kernels = 5000, pipelined_bytes = 2000, pipelined_passes = 20;
static const double pipelined_rows = 1 << 18, pipelined_entries = 1 << 21;

/* Returns the nanoseconds of an iteration with the diagonal on a GPU. */
static double iteration_of(const work *w, const costs *c, tulle_method method, double passes) {
    const bool small = w->rows <= pipelined_rows && w->entries <= pipelined_entries;
    if (method != TULLE_CG || !small) return c->launches + c->product + (passes + 1) * c->pass;
    const double bytes = w->entries * w->item + pipelined_passes * w->rows * sizeof(double);
    return pipelined_kernels + bytes / pipelined_bytes;
}

/* Returns the number of stored entries that solving with the factors reads: for L L^T the lower
 * triangle twice, for L U each entry once, with the whole diagonal, whether A has it or not. */
static double factor_entries(const tulle_mat_info *info, const tulle_facts *f,
                             const tulle__way *way) {
    const double filled = way->block > 0 && f->block_filled > 0 ? f->block_filled : 1;
    if (info->format == TULLE_BSR) return (double)info->storage.stored;
    if (way->precond.kind == TULLE__IC) return (double)(f->off_diagonal + 2 * info->rows);
    return (double)(f->off_diagonal + info->rows) / filled;
}

static tulle_status count_levels(tulle_ctx *ctx, tulle_mat *A, const tulle_mat_info *info,
                                 tulle__levels *count) {
    tulle_trisolve_info triangle;
    if (count->levels > 0) return TULLE_OK;
    if (info->backend == TULLE_CPU && info->format == TULLE_CSR) {
        return tulle__levels_count(ctx, A, count);
    }
    const tulle_status status = tulle_trisolve_analyse(ctx, TULLE_LOWER, TULLE_N, A, &triangle);
    *count = (tulle__levels){.levels = status == TULLE_OK ? triangle.levels : info->rows};
    return status == TULLE_UNSUPPORTED ? TULLE_OK : status;
}

tulle_status tulle__cost_find(tulle_ctx *ctx, tulle_mat *A, const tulle_facts *facts,
                              const tulle__way *way, tulle__levels *levels, tulle__cost *cost) {
    /* A method passes over about 10 vectors in an iteration; GMRES, in the mean of a cycle, over
     * 60. */
    const double passes = (way->method == TULLE_GMRES ? 60 : 10) / 3.0;
    tulle_device_info device;
    tulle_mat_info info;
    *cost = (tulle__cost){.ratio = 1};
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = count_levels(ctx, A, &info, levels);
    if (status != TULLE_OK) return status;
    const double block = way->block > 0 ? (double)way->block : 1;
    const work w = {.rows = (double)info.rows,
                    .entries = (double)info.nnz,
                    .factor_entries = factor_entries(&info, facts, way),
                    .levels = (double)levels->levels / block,
                    .item = (double)tulle_type_size(info.type) + sizeof(int32_t)};
    const int threads = ctx->repeatable ? CPU_THREADS : device.threads;
    const bool gpu = device.backend == TULLE_CUDA;
    const costs c = gpu ? on_gpu(&w, way->method == TULLE_GMRES) : on_cpu(&w, threads);
    const double without = gpu ? iteration_of(&w, &c, way->method, passes)
                               : c.product + (passes + 1) * c.pass; /* 0 without rows */
    if (without > 0) {
        cost->ratio = (c.launches + c.product + passes * c.pass + c.solve) / without;
    }
    if (info.nnz > 0) cost->making = levels->products / (double)info.nnz;
    cost->chain = (double)levels->levels;
    if (gpu) cost->iteration = without;
    return TULLE_OK;
}

/* Returns the nanoseconds of an iteration of the way on one thread of a CPU. */
static double cpu_iteration(const tulle_mat_info *A, const tulle_facts *facts,
                            const tulle__way *way) {
    const double passes = (way->method == TULLE_GMRES ? 60 : 10) / 3.0;
    const work w = {.rows = (double)A->rows,
                    .entries = (double)A->nnz,
                    .factor_entries = (double)(facts->off_diagonal + A->rows),
                    .levels = (double)A->rows};
    const costs c = on_cpu(&w, 1);
    const bool factors = tulle__precond_is_factors(way->precond.kind);
    return c.product + passes * c.pass + (factors ? c.solve : c.pass);
}

/* Returns the nanoseconds of making complete factors of so many entries and products. */
static double making(const tulle_mat_info *A, double entries, double products) {
    return cpu_product * products + cpu_fill * entries + cpu_order * (double)A->nnz;
}

double tulle__cost_complete_least(const tulle_mat_info *A, const tulle_facts *facts,
                                  const tulle__way *way) {
    const double iteration = cpu_iteration(A, facts, way), rows = (double)A->rows;
    const double below = 0.5 * (double)facts->off_diagonal; /* entries of L, at least */
    if (!(iteration > 0)) return 0;
    /* The products are the sum of squares of the entries of L's columns. */
    return making(A, 2 * below + rows, below * below / rows) / iteration;
}

tulle_status tulle__cost_complete(tulle_ctx *ctx, tulle_mat *A, const tulle_facts *facts,
                                  const tulle__way *way, double most, double *iterations,
                                  tulle_order **order, double *order_ms) {
    tulle_mat_info info;
    tulle__fill fill;
    *iterations = (double)INFINITY;
    TULLE__TRY(tulle_mat_describe(A, &info));
    const double iteration = cpu_iteration(&info, facts, way);
    TULLE__TRY(tulle__fill_count(ctx, A, most * iteration / (2 * cpu_fill), &fill, order));
    *order_ms = fill.order_ms;
    const double all = making(&info, fill.entries, fill.products);
    if (fill.whole && iteration > 0 && all <= most * iteration) *iterations = all / iteration;
    return TULLE_OK;
}
