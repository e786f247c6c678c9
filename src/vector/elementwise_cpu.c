/* SPDX-License-Identifier: Apache-2.0 */
/* Computes multivectors element by element on the CPU: in pieces of columns, or of rows where rows
 * are the runs of the output. */
#ifndef VALUE

#include "core/access.h"
#include "core/pieces.h"
#include "core/threads/sizes.h"
#include "vector/functions.h"

/* Number of elements that a thread takes at a time. */
enum { PIECE = 16384 };

/* Exchanges rows and columns if needed, so that columns are runs of the output. */
static tulle__elementwise by_runs(const tulle__elementwise *e) {
    tulle__elementwise r = *e;
    if (e->rows == 1 || (e->z.row != 1 && e->z.col == 1)) {
        r.rows = e->cols;
        r.cols = e->rows;
        r.x = (tulle__strided){e->x.data, e->x.col, e->x.row};
        r.y = (tulle__strided){e->y.data, e->y.col, e->y.row};
        r.z = (tulle__strided){e->z.data, e->z.col, e->z.row};
    }
    return r;
}

#define TULLE__SELF "vector/elementwise_cpu.c"
#define NAME(function) function##_f32
#define VALUE float
#define OTHER double
#include TULLE__SELF
#undef NAME
#undef VALUE
#undef OTHER
#define NAME(function) function##_f64
#define VALUE double
#define OTHER float
#include TULLE__SELF
#undef NAME
#undef VALUE
#undef OTHER

static int64_t pieces_of(const tulle__elementwise *e) {
    return (e->rows + PIECE - 1) / PIECE;
}

static void do_piece(const void *job, int64_t i) {
    const tulle__elementwise *e = job;
    const int64_t c = i / pieces_of(e), begin = i % pieces_of(e) * PIECE;
    const int64_t end = e->rows - begin < PIECE ? e->rows : begin + PIECE;
    if (e->to == TULLE_F32) {
        piece_f32(e, c, begin, end);
    } else {
        piece_f64(e, c, begin, end);
    }
}

tulle_status tulle__cpu_elementwise(const tulle__place *place, const tulle__elementwise *job) {
    const tulle__elementwise e = by_runs(job);
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, e.rows * e.cols);
    tulle__in_pieces(threads, e.cols * pieces_of(&e), do_piece, &e);
    return TULLE_OK;
}

#else

/* A loop over elements. Steps that are known to be 1 let the compiler use vector instructions. */
#define EACH(steps_x, steps_y, expression)                                                         \
    for (int64_t i = begin; i < end; i++) {                                                        \
        const int64_t at_x = i * (steps_x), at_y = i * (steps_y);                                  \
        (void)at_y;                                                                                \
        z[i * z_step] = (expression);                                                              \
    }
#define EACH_STEP(expression)                                                                      \
    if (e->x.row == 1 && e->y.row == 1 && e->z.row == 1) {                                         \
        const int64_t z_step = 1;                                                                  \
        EACH(1, 1, expression)                                                                     \
    } else {                                                                                       \
        const int64_t z_step = e->z.row;                                                           \
        EACH(e->x.row, e->y.row, expression)                                                       \
    }                                                                                              \
    break

static void NAME(piece)(const tulle__elementwise *e, int64_t c, int64_t begin, int64_t end) {
    const VALUE *x = (const VALUE *)e->x.data + c * e->x.col;
    const VALUE *y = (const VALUE *)e->y.data + c * e->y.col;
    const OTHER *other = (const OTHER *)e->x.data + c * e->x.col;
    VALUE *z = (VALUE *)e->z.data + c * e->z.col;
    const VALUE alpha = tulle__scalar_value(VALUE, e->alpha);
    const VALUE beta = tulle__scalar_value(VALUE, e->beta);
    switch (e->what) {
        case TULLE__EACH_AXPBY:
            if (beta == 0) {
                EACH_STEP(alpha * x[at_x]);
            }
            EACH_STEP(alpha * x[at_x] + beta * y[at_y]);
        case TULLE__EACH_SCALE:
            EACH_STEP(alpha * x[at_x]);
        case TULLE__EACH_COPY:
            if (e->from != e->to) {
                EACH_STEP((VALUE)other[at_x]);
            }
            EACH_STEP(x[at_x]);
        case TULLE__EACH_MULTIPLY:
            EACH_STEP(x[at_x] * y[at_y]);
        case TULLE__EACH_DIVIDE:
            EACH_STEP(x[at_x] / y[at_y]);
    }
}

#undef EACH
#undef EACH_STEP

#endif
