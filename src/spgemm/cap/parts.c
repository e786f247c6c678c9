/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cap/parts.h"

static tulle_status get(tulle__spgemm_run *run, int64_t count, int64_t size, void **array) {
    return tulle__alloc(run->ctx, (size_t)(count * size), array);
}

tulle_status tulle__spgemm_read_offset(tulle__spgemm_run *run, const void *offsets, int64_t row,
                                       int64_t *offset) {
    const int64_t size = tulle_offset_size(run->task.index);
    int32_t narrow = 0;
    void *to = size == 4 ? (void *)&narrow : (void *)offset;
    TULLE__TRY(
        tulle__copy_wait(run->ctx, to, tulle__spgemm_beyond(offsets, row, size), (size_t)size));
    if (size == 4) *offset = narrow;
    return TULLE_OK;
}

tulle_status tulle__spgemm_raise(tulle__spgemm_run *run, int64_t count, int64_t by, int64_t size,
                                 void *numbers) {
    if (by == 0) return TULLE_OK;
    return run->ctx->backend->spgemm->raise_numbers(&run->ctx->place, count, by, size, numbers);
}

tulle_status tulle__spgemm_cut_rows(tulle__spgemm_run *run, const tulle__spgemm_operand *whole,
                                    int64_t row, int64_t rows, int64_t *begin, int64_t *end,
                                    void **offsets, tulle__spgemm_operand *part) {
    const tulle__spgemm_task *task = &run->task;
    const int64_t size = tulle_offset_size(task->index);
    TULLE__TRY(tulle__spgemm_read_offset(run, whole->offsets, row, begin));
    TULLE__TRY(tulle__spgemm_read_offset(run, whole->offsets, row + rows, end));
    TULLE__TRY(get(run, rows + 1, size, offsets));
    TULLE__TRY(run->ctx->backend->copy(&run->ctx->place, *offsets,
                                       tulle__spgemm_beyond(whole->offsets, row, size),
                                       (size_t)((rows + 1) * size)));
    TULLE__TRY(tulle__spgemm_raise(run, rows + 1, -*begin, size, *offsets));
    *part = *whole;
    part->rows = rows;
    part->nnz = *end - *begin;
    part->offsets = *offsets;
    part->cols_of = tulle__spgemm_beyond(whole->cols_of, *begin, tulle_index_size(task->index));
    part->values = tulle__spgemm_beyond(whole->values, *begin, tulle_type_size(task->type));
    return TULLE_OK;
}

tulle_status tulle__spgemm_cut_mask(tulle__spgemm_run *run, const tulle__spgemm_operand *whole,
                                    int64_t row, int64_t rows, tulle__spgemm_operand *part) {
    int64_t begin = 0, end = 0;
    TULLE__TRY(tulle__spgemm_read_offset(run, whole->offsets, row, &begin));
    TULLE__TRY(tulle__spgemm_read_offset(run, whole->offsets, row + rows, &end));
    *part = *whole;
    part->rows = rows;
    part->nnz = end - begin;
    part->offsets = tulle__spgemm_beyond(whole->offsets, row, tulle_offset_size(run->task.index));
    return TULLE_OK;
}

static tulle__spgemm_task task_of(const tulle__spgemm_run *run, const tulle__spgemm_operand *a,
                                  const tulle__spgemm_operand *b) {
    return (tulle__spgemm_task){.place = run->task.place,
                                .a = *a,
                                .b = *b,
                                .type = run->task.type,
                                .index = run->task.index};
}

tulle_status tulle__spgemm_count_strip(tulle__spgemm_run *run, const tulle__spgemm_operand *a,
                                       const tulle__spgemm_operand *b, tulle__spgemm_strip *strip,
                                       int64_t *nnz) {
    const int64_t entries = strip->end - strip->begin;
    const tulle__spgemm_task task = task_of(run, a, b);
    TULLE__TRY(get(run, entries + 1, tulle_offset_size(task.index), &strip->offsets));
    TULLE__TRY(get(run, entries, tulle_index_size(task.index), &strip->numbers));
    return run->ctx->backend->spgemm->count_strip(&task, strip, nnz);
}

tulle_status tulle__spgemm_fill_strip(tulle__spgemm_run *run, const tulle__spgemm_operand *a,
                                      const tulle__spgemm_operand *b, tulle__spgemm_strip *strip,
                                      int64_t nnz, tulle__spgemm_operand *part) {
    const tulle__spgemm_task task = task_of(run, a, b);
    TULLE__TRY(get(run, nnz, tulle_index_size(task.index), &strip->cols_of));
    TULLE__TRY(get(run, nnz, tulle_type_size(task.type), &strip->values));
    TULLE__TRY(run->ctx->backend->spgemm->fill_strip(&task, strip));
    *part = (tulle__spgemm_operand){.rows = strip->end - strip->begin,
                                    .cols = strip->high - strip->low,
                                    .nnz = nnz,
                                    .offsets = strip->offsets,
                                    .cols_of = strip->cols_of,
                                    .values = strip->values,
                                    .stats = b->stats};
    return TULLE_OK;
}

void tulle__spgemm_free_strip(tulle__spgemm_run *run, tulle__spgemm_strip *strip) {
    tulle__free(run->ctx, strip->values);
    tulle__free(run->ctx, strip->cols_of);
    tulle__free(run->ctx, strip->numbers);
    tulle__free(run->ctx, strip->offsets);
    *strip = (tulle__spgemm_strip){.offsets = NULL};
}
