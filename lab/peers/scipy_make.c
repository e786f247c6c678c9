/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy's product of two sparse matrices, with the sort of its columns, its sum and its transpose.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "lab/peers/scipy_process.h"
#include "tools/common/error.h"
#include "tools/common/names.h"

typedef struct scipy_task {
    const trial_making *making;
    scipy_folder folder;
    int64_t rows, cols, nnz, peak; /* sizes of C, and the most bytes held; -1: not known yet */
    tulle_index index;
} scipy_task;

static void close_task(void *state) {
    scipy_task *t = state;
    scipy_folder_close(&t->folder);
    free(t);
}

static tulle_status open_task(const bench_peer *peer, const trial_making *making,
                              trial_task *task) {
    (void)peer;
    bool csr = making->a.format == TULLE_CSR && making->b.format == TULLE_CSR;
    if (!csr || making->a.index != making->b.index) {
        return tool_record(TULLE_UNSUPPORTED, "SciPy gets CSR with one index type");
    }
    bool turned = making->operation->makes->turned;
    scipy_task *t = tool_alloc(1, sizeof *t);
    *t = (scipy_task){.making = making,
                      .rows = turned ? making->a.cols : making->a.rows,
                      .cols = turned ? making->a.rows : making->b.cols,
                      .peak = -1};
    *task = (trial_task){.state = t, .threads = 1};
    tulle_status status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = scipy_write_matrix(&t->folder, "", making->A);
    if (status == TULLE_OK) status = scipy_write_matrix(&t->folder, "b_", making->B);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status read_times(const char *output, scipy_task *t, tool_timing *timing) {
    static const char *const keys[] = {"ms",  "ms_q10",      "ms_q90",    "samples",
                                       "nnz", "index_bytes", "peak_bytes"};
    double number[7] = {0};
    tulle_status status = scipy_numbers(output, keys, 7, number);
    *timing = (tool_timing){.ms = number[0],
                            .q10 = number[1],
                            .q90 = number[2],
                            .samples = (int64_t)number[3],
                            .batch = 1};
    t->nnz = (int64_t)number[4];
    t->index = number[5] < sizeof(int64_t) ? TULLE_I32 : TULLE_I64;
    t->peak = (int64_t)number[6];
    return status;
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    scipy_task *t = state;
    const trial_making *m = t->making;
    char number[7][SCIPY_NUMBER];
    const int64_t whole[6] = {m->a.rows,
                              m->a.cols,
                              m->b.cols,
                              tulle_offset_size(m->a.index),
                              tulle_index_size(m->a.index),
                              budget->repeat};
    for (int i = 0; i < 6; i++) snprintf(number[i], SCIPY_NUMBER, "%" PRId64, whole[i]);
    snprintf(number[6], SCIPY_NUMBER, "%g", budget->seconds);
    const char *const arguments[] = {
        "--make",  m->operation->name, t->folder.path, tool_type_name(m->a.type),
        number[0], number[1],          number[2],      number[3],
        number[4], number[5],          number[6],      NULL};
    char output[SCIPY_OUTPUT];
    tulle_status status = scipy_run(arguments, output);
    return status == TULLE_OK ? read_times(output, t, timing) : status;
}

static tulle_status take(void *state, tulle_mat **C) {
    const scipy_task *t = state;
    const trial_making *m = t->making;
    size_t entries = (size_t)t->nnz, index = (size_t)tulle_index_size(t->index);
    size_t value = (size_t)tulle_type_size(m->a.type);
    void *offsets = tool_alloc((size_t)t->rows + 1, index);
    void *columns = tool_alloc(entries + 1, index), *values = tool_alloc(entries + 1, value);
    tulle_status status =
        scipy_read(&t->folder, "c_offsets", offsets, (t->rows + 1) * (int64_t)index);
    if (status == TULLE_OK) {
        status = scipy_read(&t->folder, "c_columns", columns, (int64_t)(entries * index));
    }
    if (status == TULLE_OK) {
        status = scipy_read(&t->folder, "c_values", values, (int64_t)(entries * value));
    }
    if (status == TULLE_OK) {
        status = tulle_mat_create_csr(m->ctx, t->rows, t->cols, t->nnz, t->index, offsets, columns,
                                      m->a.type, values, NULL, C);
    }
    free(values);
    free(columns);
    free(offsets);
    return status;
}

static int64_t peak(const void *state) {
    const scipy_task *t = state;
    return t->peak;
}

#define PEER(peer_name, operation)                                                                 \
    static const bench_peer_maker operation##_maker = {                                            \
        .open = open_task,                                                                         \
        .measure = measure,                                                                        \
        .take = take,                                                                              \
        .peak = peak,                                                                              \
        .close = close_task,                                                                       \
    };                                                                                             \
    const bench_peer bench_peer_##peer_name = {                                                    \
        .name = #peer_name,                                                                        \
        .library = "scipy",                                                                        \
        .op = #operation,                                                                          \
        .maker = &operation##_maker,                                                               \
        .available = scipy_available,                                                              \
    };

PEER(scipy_spgemm, spgemm)
PEER(scipy_add, add)
PEER(scipy_transpose, transpose)
