/* SPDX-License-Identifier: Apache-2.0 */
/* PACKED with all threads, line by line, with vectors (simd/packed_lines.h) or plain loops. In
 * plain loops, where all lanes of a line have an entry, their columns are unpacked first, or, on
 * a diagonal, are neighbours in x. */
#ifndef VALUE

#include "format/packed.h"
#include "spmv/cpu/chunks.h"
#include "spmv/cpu/simd/simd.h"

/* Vectors of the compiler serve lines: unlike the rows of other formats, lines are loaded,
 * unpacked and added as they lie. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("tree-vectorize", "tree-slp-vectorize")
#endif

#define TULLE__SELF "spmv/cpu/packed.c"
#include "core/each_type.h"

/* Bytes of a copy that unpacking takes beyond moving the bytes: for each row and for each byte
 * of codes, fitted to one thread's times (docs/lab-notes.md). */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    bool vectors = params[0] > 0 && shape->trans == TULLE_N;
    double coded = (double)shape->storage->coded * (vectors ? 1 : 7);
    return tulle__stream_cost(shape, params) + 5.0 * (double)shape->rows + coded;
}

extern const tulle__spmv_kernel tulle__cpu_spmv_packed;
const tulle__spmv_kernel tulle__cpu_spmv_packed = {
    .head = {.name = "spmv_packed",
             .summary = "all threads, slices of 32 rows, lines of packed columns",
             .source = "Kourtis, Goumas and Koziris, CF 2008; Kreutzer et al. 2014",
             .format = TULLE_PACKED,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE,
             .param_count = 1,
             .params = tulle__simd_params},
    .defaults = tulle__simd_defaults,
    .eligible = tulle__simd_eligible,
    .workspace = tulle__chunk_workspace,
    .bytes = tulle__chunk_bytes,
    .cost = cost,
    .run = TULLE__RUN_MIXED(run),
};

#else /* once for each type combination */

/* A line, its values in the computed type: the task's own, or in `room`. */
typedef struct NAME(line) {
    const COMPUTED *values;
    COMPUTED room[TULLE__LINE];
    const void *codes;
    int64_t base, place;
    uint32_t entries;
    int kind;
} NAME(line);

static void NAME(line_at)(const tulle__spmv_task *task, int64_t number, NAME(line) * line) {
    const INDEX *bases = task->cols_of;
    const uint32_t *mask = task->mask;
    line->base = bases[number];
    line->entries = mask[2 * number];
    line->kind = tulle__word_kind(mask[2 * number + 1]);
    line->place = tulle__word_place(mask[2 * number + 1]);
    line->codes = task->codes;
    line->values = (const VALUE *)task->values + TULLE__LINE * number;
    if (task->shape.values != TULLE__VALUES_F32_F64) return;
    const float *narrow = (const float *)task->values + TULLE__LINE * number;
    for (int i = 0; i < TULLE__LINE; i++) line->room[i] = narrow[i];
    line->values = line->room;
}

/* Returns the column of lane i, which has an entry. */
static int64_t NAME(col)(const NAME(line) * line, int i) {
    uint32_t code = (uint32_t)i;
    if (line->kind > 0) code = tulle__code_get(line->codes, line->kind, line->place, i);
    return line->base + code;
}

/* Unpacks the columns of all lanes. */
static void NAME(unpack)(const NAME(line) * line, int64_t cols[restrict TULLE__LINE]) {
    const uint8_t *restrict at = (const uint8_t *)line->codes + TULLE__PIECE * line->place;
    for (int i = 0; i < TULLE__LINE && line->kind == 1; i++) cols[i] = line->base + at[i];
    const uint16_t *restrict at_2 = (const uint16_t *)(const void *)at;
    for (int i = 0; i < TULLE__LINE && line->kind == 2; i++) cols[i] = line->base + at_2[i];
    const uint32_t *restrict at_4 = (const uint32_t *)(const void *)at;
    for (int i = 0; i < TULLE__LINE && line->kind == 3; i++) cols[i] = line->base + at_4[i];
}

static void NAME(sum_diagonal)(const NAME(line) * line, const VALUE *restrict x,
                               COMPUTED *restrict sums) {
    const COMPUTED *restrict values = line->values;
    for (int i = 0; i < TULLE__LINE; i++) sums[i] += values[i] * x[line->base + i];
}

static void NAME(sum_whole)(const NAME(line) * line, const VALUE *restrict x,
                            COMPUTED *restrict sums) {
    const COMPUTED *restrict values = line->values;
    int64_t cols[TULLE__LINE];
    NAME(unpack)(line, cols);
    for (int i = 0; i < TULLE__LINE; i++) sums[i] += values[i] * x[cols[i]];
}

static void NAME(sum_entries)(const NAME(line) * line, const VALUE *restrict x,
                              COMPUTED *restrict sums) {
    for (uint32_t left = line->entries; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        sums[i] += line->values[i] * x[NAME(col)(line, i)];
    }
}

static void NAME(scatter_entries)(const NAME(line) * line, COMPUTED alpha,
                                  const COMPUTED *restrict own, VALUE *restrict y) {
    for (uint32_t left = line->entries; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        y[NAME(col)(line, i)] += alpha * (line->values[i] * own[i]);
    }
}

static void NAME(sum_slices)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                             COMPUTED *sums) {
    const OFFSET *offsets = task->offsets;
    for (int64_t p = begin; p < end; p += TULLE__LINE) {
        int64_t number = offsets[p / TULLE__LINE] / TULLE__LINE;
        int64_t last = offsets[p / TULLE__LINE + 1] / TULLE__LINE;
        for (; number < last; number++) {
            NAME(line) line;
            NAME(line_at)(task, number, &line);
            if (line.entries != UINT32_MAX) {
                NAME(sum_entries)(&line, task->x, sums + (p - begin));
            } else if (line.kind == 0) {
                NAME(sum_diagonal)(&line, task->x, sums + (p - begin));
            } else {
                NAME(sum_whole)(&line, task->x, sums + (p - begin));
            }
        }
    }
}

static void NAME(sum_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                            COMPUTED *sums) {
    const tulle__simd *simd = tulle__simd_of(task->params[0]);
    if (!simd) {
        NAME(sum_slices)(task, begin, end, sums);
        return;
    }
    simd->slices[tulle__type_index(task->shape.type)][task->shape.index](
        task, begin / TULLE__LINE, tulle__ceil_div(end, TULLE__LINE), sums);
}

static void NAME(scatter_chunk)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                COMPUTED alpha, const COMPUTED *own, VALUE *y) {
    const OFFSET *offsets = task->offsets;
    for (int64_t p = begin; p < end; p += TULLE__LINE) {
        int64_t number = offsets[p / TULLE__LINE] / TULLE__LINE;
        int64_t last = offsets[p / TULLE__LINE + 1] / TULLE__LINE;
        for (; number < last; number++) {
            NAME(line) line;
            NAME(line_at)(task, number, &line);
            NAME(scatter_entries)(&line, alpha, own + (p - begin), y);
        }
    }
}

#include "spmv/cpu/by_chunks.h"

#endif
