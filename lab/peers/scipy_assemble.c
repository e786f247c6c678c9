/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy's sum of element matrices: a COO matrix with an entry for each of their numbers, whose rows
 * and columns are prepared, becomes CSR. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "lab/peers/scipy_process.h"
#include "tools/common/error.h"
#include "tools/common/names.h"
#include "trials/elements.h"

typedef struct scipy_task {
    const trial_problem *problem;
    const trial_elements *box;
    scipy_folder folder;
} scipy_task;

static void close_task(void *state) {
    scipy_task *t = state;
    scipy_folder_close(&t->folder);
    free(t);
}

static tulle_status write_arrays(const scipy_task *t) {
    tulle_vec_info x;
    const int64_t bytes = t->box->elements.count * TRIAL_HEXAHEDRON * (int64_t)sizeof(int32_t);
    tulle_status status = tulle_vec_describe(t->problem->x, &x);
    if (status == TULLE_OK) status = scipy_write(&t->folder, "columns", t->box->list, bytes);
    return status == TULLE_OK ? scipy_write(&t->folder, "x", x.data, x.bytes) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    (void)peer;
    /* the boxes are the first member of the operation's own data */
    const trial_elements *box = problem->own;
    if (problem->info.format != TULLE_CSR || box->elements.layout != TULLE_ELEMENT_MAJOR) {
        return tool_record(TULLE_UNSUPPORTED, "SciPy's sums here: element by element, to CSR");
    }
    scipy_task *t = tool_alloc(1, sizeof *t);
    *t = (scipy_task){.problem = problem, .box = box};
    *task = (trial_task){.state = t, .threads = 1};
    tulle_status status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = write_arrays(t);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    const scipy_task *t = state;
    const trial_problem *p = t->problem;
    char rows[SCIPY_NUMBER], nodes[SCIPY_NUMBER], repeat[SCIPY_NUMBER], seconds[SCIPY_NUMBER],
        flush[SCIPY_NUMBER];
    snprintf(rows, SCIPY_NUMBER, "%" PRId64, p->info.rows);
    snprintf(nodes, SCIPY_NUMBER, "%d", (int)TRIAL_HEXAHEDRON);
    snprintf(repeat, SCIPY_NUMBER, "%" PRId64, budget->repeat);
    snprintf(seconds, SCIPY_NUMBER, "%g", budget->seconds);
    snprintf(flush, SCIPY_NUMBER, "%" PRId64, 4 * p->device.cache_bytes);
    const char *const arguments[] = {"--assemble", t->folder.path, tool_type_name(p->info.type),
                                     rows,         nodes,          repeat,
                                     seconds,      flush,          NULL};
    char output[SCIPY_OUTPUT];
    tulle_vec_info y;
    tulle_status status = scipy_run(arguments, output);
    if (status == TULLE_OK) status = scipy_times(output, timing);
    if (status == TULLE_OK) status = tulle_vec_describe(p->y, &y);
    return status == TULLE_OK ? scipy_read(&t->folder, "y", y.data, y.bytes) : status;
}

const bench_peer bench_peer_scipy_assemble = {
    .name = "scipy_assemble",
    .library = "scipy",
    .op = "assemble",
    .available = scipy_available,
    .prepare = prepare,
    .measure = measure,
    .close = close_task,
};
