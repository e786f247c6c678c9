/* SPDX-License-Identifier: Apache-2.0 */
/* SuperLU's factors as SciPy offers them: incomplete ones, which drop small numbers and keep a
 * pattern of their own, and complete ones in an order for little fill. Each call makes all of a
 * factor, with the order and the pattern: SuperLU keeps nothing for new values. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/peers/peers.h"
#include "lab/peers/scipy_process.h"
#include "tools/common/error.h"
#include "tools/common/names.h"
#include "trials/operation.h"

typedef struct scipy_task {
    const trial_problem *problem;
    const char *function; /* name of a function of scipy.sparse.linalg */
    scipy_folder folder;
    double error;
} scipy_task;

/* Settings by peer->variant: the function, and the detail of the operation that the peer is
 * compared with. */
static const struct {
    const char *function, *detail;
} kinds[] = {{"spilu", "lu"}, {"splu", "filled_amd"}};

static void close_task(void *state) {
    scipy_task *t = state;
    scipy_folder_close(&t->folder);
    free(t);
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    const char *detail = trial_operation_detail(problem->operation, problem->detail);
    if (problem->info.format != TULLE_CSR || strcmp(detail, kinds[peer->variant].detail) != 0) {
        return tool_record(TULLE_UNSUPPORTED, "SciPy's %s here: of CSR, beside %s",
                           kinds[peer->variant].function, kinds[peer->variant].detail);
    }
    scipy_task *t = tool_alloc(1, sizeof *t);
    *t = (scipy_task){.problem = problem, .function = kinds[peer->variant].function};
    *task = (trial_task){.state = t, .threads = 1};
    tulle_status status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = scipy_write_matrix(&t->folder, "", problem->A);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    static const char *const keys[] = {"error"};
    scipy_task *t = state;
    const trial_problem *p = t->problem;
    char rows[SCIPY_NUMBER], offset[SCIPY_NUMBER], index[SCIPY_NUMBER], repeat[SCIPY_NUMBER],
        seconds[SCIPY_NUMBER], flush[SCIPY_NUMBER];
    snprintf(rows, SCIPY_NUMBER, "%" PRId64, p->info.rows);
    snprintf(offset, SCIPY_NUMBER, "%" PRId64, tulle_offset_size(p->info.index));
    snprintf(index, SCIPY_NUMBER, "%" PRId64, tulle_index_size(p->info.index));
    snprintf(repeat, SCIPY_NUMBER, "%" PRId64, budget->repeat);
    snprintf(seconds, SCIPY_NUMBER, "%g", budget->seconds);
    snprintf(flush, SCIPY_NUMBER, "%" PRId64, 4 * p->device.cache_bytes);
    const char *const arguments[] = {"--factor",
                                     t->function,
                                     t->folder.path,
                                     tool_type_name(p->info.type),
                                     rows,
                                     offset,
                                     index,
                                     repeat,
                                     seconds,
                                     flush,
                                     NULL};
    char output[SCIPY_OUTPUT];
    tulle_status status = scipy_run(arguments, output);
    if (status == TULLE_OK) status = scipy_times(output, timing);
    return status == TULLE_OK ? scipy_numbers(output, keys, 1, &t->error) : status;
}

static tulle_status error_of(void *state, double *units) {
    const scipy_task *t = state;
    *units = t->error;
    return TULLE_OK;
}

#define PEER(suffix, number)                                                                       \
    const bench_peer bench_peer_##suffix = {                                                       \
        .name = #suffix,                                                                           \
        .library = "scipy",                                                                        \
        .variant = number,                                                                         \
        .op = "factor",                                                                            \
        .available = scipy_available,                                                              \
        .prepare = prepare,                                                                        \
        .measure = measure,                                                                        \
        .error = error_of,                                                                         \
        .close = close_task,                                                                       \
    };
PEER(scipy_spilu, 0)
PEER(scipy_splu, 1)
