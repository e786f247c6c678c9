/* SPDX-License-Identifier: Apache-2.0 */
/* BSR times a multivector with all threads: A X by block rows, A^T X by block columns of the same
 * blocks (matrix/block_lines.h), dealt out by blocks; so no sums of different threads meet, and
 * both are bitwise the same for any number of threads. Some columns of Y at a time, a strip, up to
 * as many as vectors take: a number of A then meets neighbours of a row of X. Rows of X that stand
 * in columns are brought into a small array first. Blocks without padding go through loops whose
 * bounds, the block's size and the strip's width, the compiler knows; others cell by cell, so that
 * no X is read for padding. */
#ifndef VALUE
#define TULLE__PARTS 2

#include <omp.h>
#include <string.h>

#include "core/access.h"
#include "core/search.h"
#include "format/formats.h"
#include "spmv/bytes.h"
#include "spmv/cpu/block_mask.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

/* Largest number of columns of a strip: 64 bytes of them, and a number that codes are compiled
 * for. */
enum { STRIP_BYTES = 64, MOST_STRIP = 16, MOST_NARROW = 8 };

/* A row of a strip is vectors of 16 bytes and the numbers left over; sums of so many of these
 * are in registers at a time, of four rows of a block at most. */
enum { VECTOR_BYTES = 16, MOST_SUMS = 12, MOST_ROWS = 4 };
typedef float vector_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_f64 __attribute__((vector_size(VECTOR_BYTES)));
#define VECTOR_OF(number)                                                                          \
    __typeof__(_Generic((number)0, float : (vector_f32){0}, double : (vector_f64){0}))

static inline __attribute__((always_inline)) int rows_at_once(const int width, const int lanes) {
    const int rows = MOST_SUMS / (width / lanes + width % lanes);
    return rows > MOST_ROWS ? MOST_ROWS : rows;
}

/* The loops are many, and they only wait for numbers: so they look up the types of indices when
 * they run. */
#define TULLE__SELF "spmv/cpu/spmm_bsr.c"
#include "core/each_value.h"

#if TULLE__IN_PART(1)

static bool wants_lines(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    return shape->trans == TULLE_T;
}

/* Number of strips; columns left behind whole strips are one of up to MOST_NARROW columns, or
 * two. */
static int64_t strips_of(int64_t vectors, int64_t wide) {
    const int64_t left = vectors % wide;
    return vectors / wide + (left > 0) + (left > MOST_NARROW);
}

/* Bytes: A once for each strip, and X once for each block. */
static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    (void)params;
    if (!tulle__spmv_countable(shape)) return TULLE__UNCOUNTED;
    const tulle_storage *s = shape->storage;
    int64_t number = tulle_type_size(shape->type), k = shape->vectors;
    int64_t strips = strips_of(k, STRIP_BYTES / number), blocks = tulle__bsr_blocks(s);
    const bool forward = shape->trans == TULLE_N;
    int64_t x = forward ? shape->cols : shape->rows;
    int64_t across = forward ? tulle__block_cols(s) : tulle__block_rows(s);
    tulle_mat_lengths n = tulle__counts(shape->format, shape->rows, shape->cols, s);
    int64_t matrix = tulle__structure_bytes(&n, shape->index) + s->stored * number;
    int64_t slots = forward ? 0 : blocks * tulle_offset_size(shape->index);
    return tulle__spmv_minimal_bytes(shape, beta_zero) + (strips - 1) * matrix + strips * slots +
           (blocks * across - x) * k * number;
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    return 200e3 + 1.05 * (double)tulle__spmv_minimal_bytes(shape, true);
}

tulle_status tulle__cpu_spmm_bsr_f32(const tulle__spmv_task *task);
tulle_status tulle__cpu_spmm_bsr_f64(const tulle__spmv_task *task);

extern const tulle__spmv_kernel tulle__cpu_spmm_bsr;
const tulle__spmv_kernel tulle__cpu_spmm_bsr = {
    .head = {.name = "spmm_bsr",
             .summary = "all threads: strips of columns; block rows, or block columns of the same "
                        "blocks, dealt out by blocks",
             .source = "Afanasyev, Potapov, Sobolev and Kharchenko, YSC 2015, section 3.3, for the "
                       "block columns",
             .format = TULLE_BSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE |
                      TULLE__REPEATABLE_T | TULLE__REFERENCE},
    .wants_lines = wants_lines,
    .bytes = bytes,
    .cost = cost,
    .run = {{tulle__cpu_spmm_bsr_f32, tulle__cpu_spmm_bsr_f32, tulle__cpu_spmm_bsr_f32},
            {tulle__cpu_spmm_bsr_f64, tulle__cpu_spmm_bsr_f64, tulle__cpu_spmm_bsr_f64}},
};

#endif
#else /* once for each value type */

/* Lines of op(A), and the multivectors: number (i, j) is at i * down + j * right. A cell of a line
 * in row r of it and column c is at r * by_row + c * by_column of its block. */
typedef struct NAME(product) {
    int64_t lines, rows, vectors; /* lines, rows and columns of Y */
    int tall, wide;               /* rows and columns of a block of op(A) */
    int words, by_row, by_column;
    const void *offsets, *slots, *others; /* beginnings of lines, numbers of blocks, and lines
                                             that they meet; slots NULL: blocks lie one after the
                                             other */
    int64_t offset_size, other_size;
    const VALUE *values, *x;
    const uint32_t *mask; /* masks of all blocks; NULL: no cell is padding */
    VALUE *y;
    int64_t x_down, x_right, y_down, y_right;
    VALUE alpha, beta;
} NAME(product);

/* Sums of some lines in the columns of a strip: row r of a line, column j. */
typedef struct NAME(strip) {
    int64_t first;
    int width;
    VALUE sums[TULLE__MOST_BLOCK * MOST_STRIP];
} NAME(strip);

enum { NAME(wide) = STRIP_BYTES / sizeof(VALUE) };

/* Returns the number of columns of the next strip, where `left` columns are not done yet. */
static int NAME(width_of)(int64_t left) {
    if (left >= NAME(wide)) return NAME(wide);
    return left < MOST_NARROW ? (int)left : MOST_NARROW;
}

static NAME(product) NAME(product_of)(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    const tulle__block_lines *lines = task->lines;
    const bool forward = shape->trans == TULLE_N, x_rows = shape->x_layout == TULLE_ROW_MAJOR,
               y_rows = shape->y_layout == TULLE_ROW_MAJOR;
    const int stored_rows = (int)tulle__block_rows(shape->storage),
              stored_cols = (int)tulle__block_cols(shape->storage),
              tall = forward ? stored_rows : stored_cols;
    const int64_t rows = forward ? shape->rows : shape->cols;
    return (NAME(product)){.lines = tulle__ceil_div(rows, tall),
                           .rows = rows,
                           .vectors = shape->vectors,
                           .tall = tall,
                           .wide = forward ? stored_cols : stored_rows,
                           .words = (int)tulle__mask_words(tulle__block_cells(shape->storage)),
                           .by_row = forward ? stored_cols : 1,
                           .by_column = forward ? 1 : stored_cols,
                           .offsets = forward ? task->offsets : lines->offsets,
                           .slots = forward ? NULL : lines->slots,
                           .others = forward ? task->cols_of : lines->others,
                           .offset_size = tulle_offset_size(shape->index),
                           .other_size = tulle_index_size(shape->index),
                           .values = task->values,
                           .x = task->x,
                           .mask = shape->storage->full ? NULL : task->mask,
                           .y = task->y,
                           .x_down = x_rows ? task->ldx : 1,
                           .x_right = x_rows ? 1 : task->ldx,
                           .y_down = y_rows ? task->ldy : 1,
                           .y_right = y_rows ? 1 : task->ldy,
                           .alpha = tulle__scalar_value(VALUE, task->alpha),
                           .beta = tulle__scalar_value(VALUE, task->beta)};
}

static int64_t NAME(offset)(const NAME(product) * a, int64_t line) {
    return tulle__get(a->offsets, a->offset_size, line);
}

/* Returns the first line of part p of `parts`: work is blocks + lines. */
static int64_t NAME(first_line)(const NAME(product) * a, int p, int parts) {
    if (p == parts) return a->lines;
    double items = (double)NAME(offset)(a, a->lines) + (double)a->lines;
    int64_t target = (int64_t)((double)p / parts * items), low = 0;
    TULLE__LOWER_BOUND(low, a->lines, middle, NAME(offset)(a, middle) + middle < target);
    return low;
}

/* Computes sums += block x, where no cell is padding; x: rows of `width` numbers, `down` apart.
 * Rows of a block in groups whose sums stay in registers. */
static inline __attribute__((always_inline)) void NAME(add_rows)(
    const VALUE *restrict block, int by_row, int by_column, const int wide, const int rows,
    const int width, const VALUE *restrict x, int64_t down, VALUE *restrict sums) {
    enum { LANES = VECTOR_BYTES / sizeof(VALUE) };
    const int vectors = width / LANES, rest = width % LANES, behind = width - rest;
    VECTOR_OF(VALUE) s[MOST_SUMS], near[MOST_STRIP / LANES];
    VALUE last[MOST_SUMS];
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < vectors; j++) {
            memcpy(s + r * vectors + j, sums + r * width + j * LANES, VECTOR_BYTES);
        }
        for (int j = 0; j < rest; j++) last[r * rest + j] = sums[r * width + behind + j];
    }
#pragma GCC unroll 1
    for (int c = 0; c < wide; c++) {
        const VALUE *from = x + c * down;
        for (int j = 0; j < vectors; j++) memcpy(near + j, from + j * LANES, VECTOR_BYTES);
        for (int r = 0; r < rows; r++) {
            const VALUE value = block[r * by_row + c * by_column];
            for (int j = 0; j < vectors; j++) s[r * vectors + j] += value * near[j];
            for (int j = 0; j < rest; j++) last[r * rest + j] += value * from[behind + j];
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < vectors; j++) {
            memcpy(sums + r * width + j * LANES, s + r * vectors + j, VECTOR_BYTES);
        }
        for (int j = 0; j < rest; j++) sums[r * width + behind + j] = last[r * rest + j];
    }
}

static inline __attribute__((always_inline)) void NAME(add_block)(const VALUE *block, int by_row,
                                                                  int by_column, const int tall,
                                                                  const int wide, const int width,
                                                                  const VALUE *x, int64_t down,
                                                                  VALUE *sums) {
    const int rows = rows_at_once(width, VECTOR_BYTES / sizeof(VALUE)), last = tall % rows;
    for (int g = 0; g < tall / rows; g++) {
        NAME(add_rows)(block, by_row, by_column, wide, rows, width, x, down, sums);
        block += rows * by_row;
        sums += rows * width;
    }
    switch (last) {
        case 3:
            NAME(add_rows)(block, by_row, by_column, wide, 3, width, x, down, sums);
            break;
        case 2:
            NAME(add_rows)(block, by_row, by_column, wide, 2, width, x, down, sums);
            break;
        case 1:
            NAME(add_rows)(block, by_row, by_column, wide, 1, width, x, down, sums);
            break;
        default:
            break;
    }
}

static void NAME(add_some)(const NAME(product) * a, const VALUE *block, const uint32_t *mask,
                           const VALUE *x, NAME(strip) * s) {
    for (int r = 0; r < a->tall; r++) {
        for (int c = 0; c < a->wide; c++) {
            const int cell = r * a->by_row + c * a->by_column;
            if (!tulle__is_entry(mask, cell)) continue;
            for (int j = 0; j < s->width; j++) {
                s->sums[r * s->width + j] += block[cell] * x[c * a->x_down + j * a->x_right];
            }
        }
    }
}

/* Copies the strip's columns of a block of rows of X side by side. */
static inline __attribute__((always_inline)) void NAME(bring)(const NAME(product) * a,
                                                              const int wide, const int width,
                                                              const VALUE *x, VALUE *to) {
    for (int j = 0; j < width; j++) {
        for (int c = 0; c < wide; c++) to[c * width + j] = x[c * a->x_down + j * a->x_right];
    }
}

static inline __attribute__((always_inline)) void NAME(sum_blocks)(const NAME(product) * a,
                                                                   int64_t i, const int tall,
                                                                   const int wide, const int width,
                                                                   NAME(strip) * s) {
    const bool direct = a->x_right == 1 || width == 1;
    VALUE near[TULLE__MOST_BLOCK * MOST_STRIP];
    for (int e = 0; e < tall * width; e++) s->sums[e] = 0;
    const int64_t end = NAME(offset)(a, i + 1);
    for (int64_t at = NAME(offset)(a, i); at < end; at++) {
        const int64_t number = a->slots ? tulle__get(a->slots, a->offset_size, at) : at;
        const int64_t other = tulle__get(a->others, a->other_size, at);
        const VALUE *block = a->values + number * tall * wide;
        const VALUE *x = a->x + other * wide * a->x_down + s->first * a->x_right;
        const uint32_t *mask = a->mask ? a->mask + number * a->words : NULL;
        if (mask && !tulle__all_entries(mask, tall * wide)) {
            NAME(add_some)(a, block, mask, x, s);
        } else if (direct) {
            NAME(add_block)
            (block, a->by_row, a->by_column, tall, wide, width, x, a->x_down, s->sums);
        } else {
            NAME(bring)(a, wide, width, x, near);
            NAME(add_block)
            (block, a->by_row, a->by_column, tall, wide, width, near, width, s->sums);
        }
    }
}

#ifndef TULLE__ADDRESS_SANITIZER
/* Sums a line in a strip of `width` columns: one copy for each of the usual sizes of square
 * blocks. */
static inline __attribute__((always_inline)) void NAME(sum_width)(const NAME(product) * a,
                                                                  int64_t i, const int width,
                                                                  NAME(strip) * s) {
    switch (a->tall == a->wide ? a->tall : 0) {
#define SIZE(b)                                                                                    \
    case b:                                                                                        \
        NAME(sum_blocks)(a, i, b, b, width, s);                                                    \
        break;
        SIZE(2)
        SIZE(3)
        SIZE(4)
        SIZE(5)
        SIZE(8)
        SIZE(16)
#undef SIZE
        default:
            NAME(sum_blocks)(a, i, a->tall, a->wide, width, s);
    }
}
#endif

/* Sums a line: one copy for each width. Sanitized, these would take minutes to compile: then the
 * same lines stand once. */
static void NAME(sum_line)(const NAME(product) * a, int64_t i, NAME(strip) * s) {
#ifdef TULLE__ADDRESS_SANITIZER
    NAME(sum_blocks)(a, i, a->tall, a->wide, s->width, s);
#else
    switch (s->width) {
#define WIDTH(width)                                                                               \
    case width:                                                                                    \
        NAME(sum_width)(a, i, width, s);                                                           \
        break;
        WIDTH(1)
        WIDTH(2)
        WIDTH(3)
        WIDTH(4)
        WIDTH(5)
        WIDTH(6)
        WIDTH(7)
        WIDTH(8)
#undef WIDTH
        default:
            NAME(sum_width)(a, i, NAME(wide), s);
    }
#endif
}

static void NAME(finish_line)(const NAME(product) * a, int64_t i, const NAME(strip) * s) {
    for (int r = 0; r < a->tall && i * a->tall + r < a->rows; r++) {
        VALUE *y = a->y + (i * a->tall + r) * a->y_down + s->first * a->y_right;
        for (int j = 0; j < s->width; j++) {
            VALUE number = a->alpha * s->sums[r * s->width + j];
            VALUE *to = y + j * a->y_right;
            *to = a->beta == 0 ? number : number + a->beta * *to;
        }
    }
}

tulle_status NAME(tulle__cpu_spmm_bsr)(const tulle__spmv_task *task);
tulle_status NAME(tulle__cpu_spmm_bsr)(const tulle__spmv_task *task) {
    const NAME(product) a = NAME(product_of)(task);
#pragma omp parallel num_threads(tulle__spmv_threads(task))
    {
        const int p = omp_get_thread_num(), parts = omp_get_num_threads();
        const int64_t end = NAME(first_line)(&a, p + 1, parts);
        NAME(strip) s;
        for (int64_t i = NAME(first_line)(&a, p, parts); i < end; i++) {
            for (s.first = 0; s.first < a.vectors; s.first += s.width) {
                s.width = NAME(width_of)(a.vectors - s.first);
                NAME(sum_line)(&a, i, &s);
                NAME(finish_line)(&a, i, &s);
            }
        }
    }
    return TULLE_OK;
}

#endif
