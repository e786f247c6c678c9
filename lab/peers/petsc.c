/* SPDX-License-Identifier: Apache-2.0 */
/* PETSc's KSP: cg, bcgs and gmres, in as many MPI processes as the place has threads. Its ILU(0)
 * factorises each process's own rows alone, which is another method. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "lab/peers/petsc_process.h"
#include "tools/common/error.h"
#include "trials/solve.h"

enum { CG, BICGSTAB, GMRES };
static const char *const methods[] = {"cg", "bcgs", "gmres"};
static const char *const preconditioners[] = {"none", "jacobi"};

typedef struct petsc_task {
    const trial_problem *problem;
    int method, processes;
    scipy_folder folder;
} petsc_task;

static void close_task(void *state) {
    petsc_task *t = state;
    scipy_folder_close(&t->folder);
    free(t);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    const tulle_mat_info *A = &problem->info;
    const bool fits = A->format == TULLE_CSR && A->type == TULLE_F64 && A->nnz <= INT32_MAX;
    if (!fits || problem->whole) {
        return tool_record(TULLE_UNSUPPORTED,
                           "PETSc's methods here: of CSR in f64, with 32-bit indices, "
                           "without ILU(0)");
    }
    petsc_task *t = tool_alloc(1, sizeof *t);
    *t = (petsc_task){.problem = problem, .method = peer->variant};
    t->processes = problem->device.threads;
    *task = (trial_task){.state = t, .threads = t->processes};
    tulle_status status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = scipy_write_system(&t->folder, t->problem->A, t->problem->x);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status read_times(const petsc_task *t, const char *output, tool_timing *timing) {
    static const char *const keys[] = {"ms",      "ms_q10", "ms_q90",    "ms_cold",
                                       "samples", "batch",  "iterations"};
    double number[7] = {0};
    tulle_status status = scipy_numbers(output, keys, 7, number);
    if (status != TULLE_OK) return status;
    *timing = (tool_timing){.ms = number[0],
                            .q10 = number[1],
                            .q90 = number[2],
                            .cold = number[3],
                            .samples = (int64_t)number[4],
                            .batch = (int64_t)number[5]};
    if ((int64_t)number[6] == t->problem->iterations) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "PETSc's %s ends after %g iterations", methods[t->method],
                       number[6]);
}

static tulle_status read_result(const petsc_task *t) {
    tulle_vec_info x;
    tulle_status status = tulle_vec_describe(t->problem->y, &x);
    return status == TULLE_OK ? scipy_read(&t->folder, "y", x.data, x.bytes) : status;
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    const petsc_task *t = state;
    const trial_problem *p = t->problem;
    const int64_t whole[] = {p->info.rows,
                             tulle_offset_size(p->info.index),
                             tulle_index_size(p->info.index),
                             p->iterations,
                             TRIAL_SOLVE_RESTART,
                             budget->repeat,
                             4 * p->device.cache_bytes / t->processes};
    char number[7][SCIPY_NUMBER], seconds[SCIPY_NUMBER], output[SCIPY_OUTPUT];
    for (int i = 0; i < 7; i++) snprintf(number[i], SCIPY_NUMBER, "%" PRId64, whole[i]);
    snprintf(seconds, SCIPY_NUMBER, "%g", budget->seconds);
    const char *const arguments[] = {t->folder.path, number[0],          number[1],
                                     number[2],      methods[t->method], preconditioners[p->detail],
                                     number[3],      number[4],          number[5],
                                     seconds,        number[6],          NULL};
    tulle_status status = petsc_run("petsc_peer.py", t->processes, arguments, output);
    if (status == TULLE_OK) status = read_times(t, output, timing);
    return status == TULLE_OK ? read_result(t) : status;
}

#define PEER(peer_name, way, operation)                                                            \
    const bench_peer bench_peer_##peer_name = {                                                    \
        .name = #peer_name,                                                                        \
        .library = "petsc",                                                                        \
        .variant = way,                                                                            \
        .op = operation,                                                                           \
        .available = petsc_available,                                                              \
        .prepare = prepare,                                                                        \
        .measure = measure,                                                                        \
        .close = close_task,                                                                       \
    };

PEER(petsc_cg, CG, "cg")
PEER(petsc_bicgstab, BICGSTAB, "bicgstab")
PEER(petsc_gmres, GMRES, "gmres")
