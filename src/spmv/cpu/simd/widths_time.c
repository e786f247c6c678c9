/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the time of products with 256 and with 512 bits: rows that a level-two cache holds,
 * with numbers of x at random places of a level-one cache. The least of a few runs each, in
 * turns, after one that wakes the vectors. About 30 microseconds a call. */
#include <stdlib.h>

#include "core/stopwatch.h"
#include "spmv/cpu/simd/simd.h"
#include "spmv/cpu/simd/widths.h"

enum { ENTRIES = 4096, NUMBERS = 2048, RUNS = 6, SHORTEST = 4, LENGTHS = 16, LONG_ROW = 96 };

typedef struct sample {
    int32_t offsets[ENTRIES + 1], cols[ENTRIES];
    double values[ENTRIES], x[NUMBERS], y[ENTRIES]; /* room for numbers of either type */
} sample;

/* Returns a few random bits, by the generator of POSIX's example of rand(). */
static int some(uint32_t *state, int below) {
    *state = *state * 1103515245u + 12345u;
    return (int)(*state >> 16) % below;
}

static int64_t fill(sample *s, tulle_type type, tulle__row_kind kind) {
    uint32_t state = 1;
    int64_t rows = 0;
    int32_t end = 0;
    while (end + LONG_ROW <= ENTRIES) {
        s->offsets[rows++] = end;
        end += kind == TULLE__LONG_ROWS ? LONG_ROW : SHORTEST + some(&state, LENGTHS);
    }
    s->offsets[rows] = end;
    for (int e = 0; e < ENTRIES; e++) s->cols[e] = some(&state, NUMBERS);
    for (int e = 0; e < ENTRIES; e++) {
        if (type == TULLE_F32) ((float *)s->values)[e] = 1;
        if (type == TULLE_F64) s->values[e] = 1;
    }
    for (int j = 0; j < NUMBERS; j++) {
        if (type == TULLE_F32) ((float *)s->x)[j] = 1;
        if (type == TULLE_F64) s->x[j] = 1;
    }
    return rows;
}

static double seconds_of(const tulle__simd *simd, const tulle__spmv_task *task, int64_t rows) {
    double start = tulle__seconds();
    simd->rows[tulle__type_index(task->shape.type)][TULLE_I32](task, 0, rows);
    return tulle__seconds() - start;
}

bool tulle__widths_time(tulle_type type, tulle__row_kind kind, tulle__width_times *times) {
    const tulle__simd *narrow = tulle__simd_of(256), *wide = tulle__simd_of(512);
    if (!narrow || !wide || tulle__cpu_vector_bits() < 512) return false;
    sample *s = malloc(sizeof *s);
    if (!s) return false;
    int64_t rows = fill(s, type, kind);
    /* The rows count as a part of a large matrix, whose lengths no processor learns (loops.h). */
    const tulle__place place = {.threads = 1};
    tulle__spmv_task task = {.place = &place,
                             .shape = {.rows = INT32_MAX, .cols = NUMBERS, .type = type},
                             .offsets = s->offsets,
                             .cols_of = s->cols,
                             .values = s->values,
                             .x = s->x,
                             .y = s->y,
                             .alpha = tulle_num(1),
                             .beta = tulle_num(0)};
    seconds_of(wide, &task, rows);
    *times = (tulle__width_times){1, 1};
    for (int run = 0; run < RUNS; run++) {
        double of_256 = seconds_of(narrow, &task, rows), of_512 = seconds_of(wide, &task, rows);
        if (of_256 < times->of_256) times->of_256 = of_256;
        if (of_512 < times->of_512) times->of_512 = of_512;
    }
    free(s);
    return true;
}
