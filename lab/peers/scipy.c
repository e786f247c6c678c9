/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy's product with a vector, and its solves with a triangle. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "lab/peers/scipy_process.h"
#include "tools/common/error.h"
#include "tools/common/names.h"
#include "trials/spmv.h"

typedef struct scipy_task {
    const trial_problem *problem;
    scipy_folder folder;
} scipy_task;

static void close_task(void *state) {
    scipy_task *t = state;
    scipy_folder_close(&t->folder);
    free(t);
}

/* Returns the task that SciPy gets: A x or A'x, or X of T X = B or T'X = B, with multivectors by
 * row or by column. */
static const char *task_of(const trial_problem *p) {
    static const char *const solves[2][2][2] = {
        {{"lower-column-n", "lower-column-t"}, {"lower-row-n", "lower-row-t"}},
        {{"upper-column-n", "upper-column-t"}, {"upper-row-n", "upper-row-t"}}};
    if (!trial_is_product(p)) return solves[p->detail][p->block.layout][p->trans];
    return p->trans == TULLE_T ? "t" : "n";
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    (void)peer;
    if (problem->info.format != TULLE_CSR) {
        return tool_record(TULLE_UNSUPPORTED, "SciPy's products and solves here: of CSR");
    }
    scipy_task *t = tool_alloc(1, sizeof *t);
    t->problem = problem;
    *task = (trial_task){.state = t, .threads = 1};
    tulle_status status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = scipy_write_system(&t->folder, t->problem->A, t->problem->x);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status read_result(const scipy_task *t) {
    tulle_vec_info y;
    tulle_status status = tulle_vec_describe(t->problem->y, &y);
    return status == TULLE_OK ? scipy_read(&t->folder, "y", y.data, y.bytes) : status;
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    const scipy_task *t = state;
    const tulle_mat_info *A = &t->problem->info;
    char rows[SCIPY_NUMBER], cols[SCIPY_NUMBER], offset[SCIPY_NUMBER], index[SCIPY_NUMBER],
        repeat[SCIPY_NUMBER], seconds[SCIPY_NUMBER], flush[SCIPY_NUMBER];
    snprintf(rows, SCIPY_NUMBER, "%" PRId64, A->rows);
    snprintf(cols, SCIPY_NUMBER, "%" PRId64, A->cols);
    snprintf(offset, SCIPY_NUMBER, "%" PRId64, tulle_offset_size(A->index));
    snprintf(index, SCIPY_NUMBER, "%" PRId64, tulle_index_size(A->index));
    snprintf(repeat, SCIPY_NUMBER, "%" PRId64, budget->repeat);
    snprintf(seconds, SCIPY_NUMBER, "%g", budget->seconds);
    snprintf(flush, SCIPY_NUMBER, "%" PRId64, 4 * t->problem->device.cache_bytes);
    const char *const arguments[] = {t->folder.path,
                                     rows,
                                     cols,
                                     tool_type_name(A->type),
                                     offset,
                                     index,
                                     task_of(t->problem),
                                     repeat,
                                     seconds,
                                     flush,
                                     NULL};
    char output[SCIPY_OUTPUT];
    tulle_status status = scipy_run(arguments, output);
    if (status == TULLE_OK) status = scipy_times(output, timing);
    if (status == TULLE_OK) status = read_result(t);
    return status;
}

#define PEER(suffix, action)                                                                       \
    const bench_peer bench_peer_##suffix = {                                                       \
        .name = #suffix,                                                                           \
        .library = "scipy",                                                                        \
        .op = action,                                                                              \
        .available = scipy_available,                                                              \
        .prepare = prepare,                                                                        \
        .measure = measure,                                                                        \
        .close = close_task,                                                                       \
    };
PEER(scipy_csr, NULL)
PEER(scipy_trisolve, "trisolve")
