/* SPDX-License-Identifier: Apache-2.0 */
/* MKL's dcsrilu0: ILU(0) of a sorted CSR matrix of doubles whose indices count from one, which are
 * copies here. */
#include <stdlib.h>

#include "lab/peers/mkl_library.h"
#include "lab/peers/peers.h"
#include "tools/common/error.h"

/* Length of MKL's arrays of parameters, and the positions that this routine reads. */
enum { PARAMETERS = 128, SAYS_ERRORS = 1, REPLACES_PIVOTS = 30 };

typedef struct ilu_task {
    int rows;
    int *offsets, *columns; /* offsets and columns that count from one */
    const double *values;
    double *factors;
    int whole[PARAMETERS];
    double real[PARAMETERS];
} ilu_task;

static void close_task(void *state) {
    ilu_task *t = state;
    free(t->offsets);
    free(t->columns);
    free(t);
}

static int *from_one(const int *from_zero, int64_t count) {
    int *made = tool_alloc((size_t)count + 1, sizeof *made);
    for (int64_t i = 0; i < count; i++) made[i] = from_zero[i] + 1;
    return made;
}

static tulle_status check_problem(const trial_problem *p) {
    const tulle_mat_info *A = &p->info;
    bool arrays = A->format == TULLE_CSR && A->index == TULLE_I32 && A->sorted;
    if (arrays && A->type == TULLE_F64 && p->detail == TULLE_LU) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "dcsrilu0: L U of sorted CSR of f64, 32-bit indices");
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    (void)peer;
    tulle_mat_arrays a;
    tulle_vec_info y;
    tulle_status status = check_problem(problem);
    if (status == TULLE_OK) status = tulle_mat_view(problem->A, &a);
    if (status == TULLE_OK) status = tulle_vec_describe(problem->y, &y);
    if (status != TULLE_OK) return status;
    mkl.MKL_Set_Num_Threads(problem->device.threads);
    ilu_task *t = tool_alloc(1, sizeof *t);
    *t = (ilu_task){.rows = (int)problem->info.rows,
                    .offsets = from_one(a.offsets, problem->info.rows + 1),
                    .columns = from_one(a.cols, problem->info.nnz),
                    .values = a.values,
                    .factors = y.data};
    t->whole[SAYS_ERRORS] = 0;
    t->whole[REPLACES_PIVOTS] = 0;
    *task = (trial_task){.state = t, .threads = problem->device.threads};
    return TULLE_OK;
}

static tulle_status run(void *state) {
    const ilu_task *t = state;
    int error = 0;
    mkl.dcsrilu0(&t->rows, t->values, t->offsets, t->columns, t->factors, t->whole, t->real,
                 &error);
    if (error == 0) return TULLE_OK;
    return tool_record(TULLE_ZERO_PIVOT, "dcsrilu0: error %d", error);
}

const bench_peer bench_peer_mkl_dcsrilu0 = {
    .name = "mkl_dcsrilu0",
    .library = "mkl",
    .op = "factor",
    .available = mkl_available,
    .prepare = prepare,
    .run = run,
    .close = close_task,
};
