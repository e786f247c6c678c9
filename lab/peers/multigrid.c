/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of PyAMG, of PETSc (GAMG) and of hypre (BoomerAMG, through PETSc), each with CG or
 * GMRES until the residual that is computed from x is small enough, in processes of their own. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "lab/peers/petsc_process.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/json.h"
#include "trials/amg.h"

/* Ways to make a hierarchy: the words by which the scripts know them. */
enum { PYAMG_CLASSICAL, PYAMG_AGGREGATION, GAMG, HYPRE, HYPRE_HMIS, HYPRE_AGGRESSIVE };
static const char *const ways[] = {"classical", "aggregation", "gamg",
                                   "hypre",     "hypre-hmis",  "hypre-aggressive"};

typedef struct multigrid_task {
    const trial_problem *problem;
    const trial_amg *own;
    trial_task *task; /* the caller's, where the times of preparing and the values go */
    int way, processes;
    scipy_folder folder;
} multigrid_task;

static bool is_pyamg(int way) {
    return way == PYAMG_CLASSICAL || way == PYAMG_AGGREGATION;
}

static tulle_status run_pyamg(const char *const arguments[], char output[SCIPY_OUTPUT]) {
    static const scipy_script script = {
        .path = "pyamg_peer.py",
        .needs = "numpy, scipy and pyamg (TULLE_PYAMG may name the folder that has them)"};
    return scipy_run_script(&script, arguments, output);
}

static tulle_status pyamg_available(char version[BENCH_VERSION]) {
    const char *const arguments[] = {"--version", NULL};
    char output[SCIPY_OUTPUT];
    const tulle_status status = run_pyamg(arguments, output);
    if (status != TULLE_OK) return status;
    scipy_first_line(output);
    snprintf(version, BENCH_VERSION, "PyAMG %.50s", output);
    return TULLE_OK;
}

static void close_task(void *state) {
    multigrid_task *t = state;
    scipy_folder_close(&t->folder);
    free(t);
}

/* Finds the columns of the near null space; 0: there is none. */
static tulle_status count_vectors(const multigrid_task *t, int64_t *count) {
    const tulle_vec *B = t->own->hierarchy.options.near_null;
    tulle_vec_info info = {.cols = 0};
    const tulle_status status = B ? tulle_vec_describe(B, &info) : TULLE_OK;
    *count = info.cols;
    return status;
}

/* Writes the near null space, if there is one, column by column. */
static tulle_status write_near_null(const multigrid_task *t) {
    const trial_problem *p = t->problem;
    const tulle_vec *B = t->own->hierarchy.options.near_null;
    int64_t count;
    tulle_status status = count_vectors(t, &count);
    if (status != TULLE_OK || !B) return status;
    double *columns = tool_block_host(B);
    status = tool_block_read(p->ctx, B, columns);
    if (status == TULLE_OK) {
        const int64_t bytes = p->info.rows * count * (int64_t)sizeof *columns;
        status = scipy_write(&t->folder, "near_null", columns, bytes);
    }
    free(columns);
    return status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    const trial_amg *own = problem->own;
    tulle_mat_info A;
    tulle_status status = tulle_mat_describe(own->handed, &A);
    if (status != TULLE_OK) return status;
    if (A.format != TULLE_CSR || A.type != TULLE_F64 || A.index != TULLE_I32) {
        return tool_record(TULLE_UNSUPPORTED,
                           "other libraries' multigrid here: of CSR in f64, with 32-bit indices");
    }
    multigrid_task *t = tool_alloc(1, sizeof *t);
    *t = (multigrid_task){.problem = problem, .own = own, .task = task, .way = peer->variant};
    t->processes = is_pyamg(t->way) ? 1 : problem->device.threads;
    *task = (trial_task){.state = t, .threads = t->processes};
    trial_values_forget(&task->values);
    status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = scipy_write_system(&t->folder, own->handed, problem->x);
    if (status == TULLE_OK) status = write_near_null(t);
    if (status != TULLE_OK) close_task(t);
    return status;
}

/* Takes the values that the output has. */
static void take_values(const multigrid_task *t, const cJSON *json) {
    const trial_key *keys = t->problem->operation->fields;
    for (int i = 0; keys[i] != TRIAL_KEYS; i++) {
        const char *key = trial_field_of[keys[i]].key;
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
        if (cJSON_IsNumber(item)) t->task->values.of[i] = item->valuedouble;
    }
}

static tulle_status read_output(const multigrid_task *t, const char *output, tool_timing *timing) {
    static const char *const keys[] = {"setup_ms", "extra_bytes"};
    double number[2] = {0};
    cJSON *json = cJSON_Parse(output);
    const bool diverges = cJSON_GetObjectItemCaseSensitive(json, "diverges");
    take_values(t, json);
    cJSON_Delete(json);
    if (diverges) {
        return tool_record(TULLE_UNSUPPORTED, "%s: no convergence", ways[t->way]);
    }
    tulle_status status = scipy_times(output, timing);
    if (status == TULLE_OK) status = scipy_numbers(output, keys, 2, number);
    if (status != TULLE_OK) return status;
    t->task->prep_ms = number[0];
    t->task->extra_bytes = (int64_t)number[1];
    return TULLE_OK;
}

static tulle_status read_result(const multigrid_task *t) {
    tulle_vec_info x;
    tulle_status status = tulle_vec_describe(t->problem->y, &x);
    return status == TULLE_OK ? scipy_read(&t->folder, "y", x.data, x.bytes) : status;
}

static tulle_status start(const multigrid_task *t, const tool_budget *budget,
                          char output[SCIPY_OUTPUT]) {
    const trial_problem *p = t->problem;
    const int64_t block = t->own->hierarchy.options.block;
    int64_t vectors;
    const tulle_status status = count_vectors(t, &vectors);
    if (status != TULLE_OK) return status;
    const int64_t whole[] = {p->info.rows,
                             TRIAL_SOLVE_RESTART,
                             TRIAL_AMG_SETUPS,
                             budget->repeat,
                             4 * p->device.cache_bytes / t->processes,
                             block ? block : 1,
                             vectors};
    char number[7][SCIPY_NUMBER], tolerance[SCIPY_NUMBER], seconds[SCIPY_NUMBER];
    for (int i = 0; i < 7; i++) snprintf(number[i], SCIPY_NUMBER, "%" PRId64, whole[i]);
    snprintf(tolerance, SCIPY_NUMBER, "%g", t->own->tolerance);
    snprintf(seconds, SCIPY_NUMBER, "%g", budget->seconds);
    const char *const arguments[] = {t->folder.path,
                                     number[0],
                                     ways[t->way],
                                     t->own->solve.method == TULLE_CG ? "cg" : "gmres",
                                     tolerance,
                                     number[1],
                                     number[2],
                                     number[3],
                                     seconds,
                                     number[4],
                                     number[5],
                                     number[6],
                                     NULL};
    return is_pyamg(t->way) ? run_pyamg(arguments, output)
                            : petsc_run("petsc_amg_peer.py", t->processes, arguments, output);
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    const multigrid_task *t = state;
    char output[SCIPY_OUTPUT];
    tulle_status status = start(t, budget, output);
    if (status == TULLE_OK) status = read_output(t, output, timing);
    return status == TULLE_OK ? read_result(t) : status;
}

#define PEER(peer_name, its_library, its_way, its_op, its_available)                               \
    const bench_peer bench_peer_##peer_name = {                                                    \
        .name = #peer_name,                                                                        \
        .library = its_library,                                                                    \
        .variant = its_way,                                                                        \
        .op = its_op,                                                                              \
        .available = its_available,                                                                \
        .prepare = prepare,                                                                        \
        .measure = measure,                                                                        \
        .close = close_task,                                                                       \
    };

PEER(pyamg_classical, "pyamg", PYAMG_CLASSICAL, "amg", pyamg_available)
PEER(pyamg_aggregation, "pyamg", PYAMG_AGGREGATION, "amg", pyamg_available)
PEER(pyamg_nodes, "pyamg", PYAMG_AGGREGATION, "amg_nodes", pyamg_available)
PEER(petsc_gamg, "petsc", GAMG, "amg", petsc_available)
PEER(petsc_gamg_nodes, "petsc", GAMG, "amg_nodes", petsc_available)
PEER(petsc_hypre, "petsc", HYPRE, "amg", petsc_available)
PEER(petsc_hypre_hmis, "petsc", HYPRE_HMIS, "amg", petsc_available)
PEER(petsc_hypre_aggressive, "petsc", HYPRE_AGGRESSIVE, "amg", petsc_available)
