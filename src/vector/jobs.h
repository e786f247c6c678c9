/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions elementwise, reduce, multivector_axpy and
 * multivector_dot. */
#ifndef TULLE_VECTOR_JOBS_H
#define TULLE_VECTOR_JOBS_H

#include "core/place.h"

/* A multivector in memory: element (i, c) is at i * row + c * col. */
typedef struct tulle__strided {
    void *data;
    int64_t row, col;
} tulle__strided;

/* tulle__lies_in_packs returns true when the numbers of each column follow each other from a
 * multiple of 16 bytes on; tulle__lies_in_pairs when those of each row do, in aligned pairs. */
static inline bool tulle__lies_in_packs(const tulle__strided *s, int64_t cols, int64_t size) {
    return s->row == 1 && (uintptr_t)s->data % 16 == 0 && (cols == 1 || s->col * size % 16 == 0);
}
static inline bool tulle__lies_in_pairs(const tulle__strided *s, int64_t rows, int64_t cols,
                                        int64_t size) {
    return s->col == 1 && (uintptr_t)s->data % (uintptr_t)(2 * size) == 0 && cols % 2 == 0 &&
           (rows == 1 || s->row % 2 == 0);
}

/* The numbers that follow each other in memory in both of two multivectors: neither, those of rows,
 * or those of columns. */
typedef enum tulle__lie { TULLE__LIE_ANY, TULLE__LIE_ROWS, TULLE__LIE_COLUMNS } tulle__lie;

static inline tulle__lie tulle__lie_of(int64_t rows, const tulle__strided *x, int64_t k1,
                                       const tulle__strided *y, int64_t k2, int64_t size) {
    if (tulle__lies_in_packs(x, k1, size) && tulle__lies_in_packs(y, k2, size)) {
        return TULLE__LIE_COLUMNS;
    }
    const bool pairs =
        tulle__lies_in_pairs(x, rows, k1, size) && tulle__lies_in_pairs(y, rows, k2, size);
    return pairs ? TULLE__LIE_ROWS : TULLE__LIE_ANY;
}

typedef enum tulle__each {
    TULLE__EACH_AXPBY, /* z := alpha x + beta y; y is not read if beta is 0 */
    TULLE__EACH_SCALE, /* z := alpha x */
    TULLE__EACH_COPY,  /* z := x */
    TULLE__EACH_MULTIPLY,
    TULLE__EACH_DIVIDE
} tulle__each;

/* A job element by element; z may be x or y. An operation without a y has x in its place. */
typedef struct tulle__elementwise {
    tulle__each what;
    int64_t rows, cols;
    tulle_type from, to; /* type of x and y, and type of z; they differ for copies only */
    tulle_scalar alpha, beta;
    tulle__strided x, y, z;
} tulle__elementwise;

typedef enum tulle__reduced {
    TULLE__REDUCED_DOT,      /* x . y */
    TULLE__REDUCED_AXPY_DOT, /* y := alpha x + y, then y . z */
    TULLE__REDUCED_NORM2,    /* 2-norm of x */
    TULLE__REDUCED_NORM_MAX  /* largest size of a number of x */
} tulle__reduced;

/* A job with one number from each column. Pieces of rows give partial results, which are then
 * joined in the order of the pieces. */
typedef struct tulle__reduction {
    tulle__reduced what;
    int64_t rows, cols;
    tulle_type type;
    tulle_scalar alpha;
    tulle__strided x, y, z; /* operands; those that the operation does not use are x */
    bool z_is_y;            /* true when z is the new y */
    /* number of columns that are reduced together, a power of two; 1 if columns are runs */
    int width;
    int64_t pieces;
    double *partials; /* partial results, tulle__partials_count numbers */
    void *result;     /* results, cols numbers of the type */
} tulle__reduction;

/* Number of parts of a partial result: the three sums of tulle__squares, or fewer. */
enum { TULLE__SUM_PARTS = 3 };

/* Number of rows of a unit, which pieces do not cut: the width of a SIMD vector, and more. */
enum { TULLE__SUM_UNIT = 16 };

/* SUM_PIECE: numbers of a piece, over the columns that are reduced together; more if there would be
 * more than SUM_MOST_PIECES pieces. A GPU has one block per piece; an H100 or H200 runs all of them
 * at the same time, three on each of its 132 multiprocessors. */
enum { TULLE__SUM_PIECE = 4096, TULLE__SUM_MOST_PIECES = 396, TULLE__SUM_MOST_WIDTH = 256 };

/* Returns the number of columns that are reduced together where rows are runs: the number of
 * columns, rounded up to a power of two. */
static inline int tulle__reduction_width(int64_t cols, bool by_row) {
    int width = 1;
    while (by_row && width < cols && width < TULLE__SUM_MOST_WIDTH) width *= 2;
    return width;
}

static inline int64_t tulle__reduction_pieces(int64_t rows, int width) {
    const int64_t height = TULLE__SUM_PIECE / width, pieces = rows / height + (rows % height != 0);
    if (pieces < 1) return 1;
    return pieces < TULLE__SUM_MOST_PIECES ? pieces : (int64_t)TULLE__SUM_MOST_PIECES;
}

static inline int64_t tulle__partials_count(int64_t cols, int64_t pieces) {
    return TULLE__SUM_PARTS * cols * pieces;
}

/* A job Y := alpha X A + beta Y, or R := alpha X^T Z + beta R, of sizes that kernels take.
 * MULTI_MOST: most columns. */
enum { TULLE__MULTI_MOST = 32 };

typedef struct tulle__multi {
    int64_t rows;
    int k1, k2; /* numbers of columns, up to TULLE__MULTI_MOST; k1 may be 0 for Y */
    tulle_type type;
    tulle_scalar alpha, beta;
    tulle__strided x, a, y; /* X, A and Y; for the second job X, Z (a) and R (y) */
    double *partials;       /* for the second job: k1 k2 numbers per piece */
    int64_t pieces;
} tulle__multi;

/* MULTI_PIECE: rows of a piece of the second job. MULTI_MOST_PIECES: most pieces, so that their
 * partial results cost little, and that the last of a GPU's blocks, one per piece, leave the GPU
 * idle for only a hundredth of the time: 16 for each multiprocessor of an H100 or H200. */
enum { TULLE__MULTI_PIECE = 1024, TULLE__MULTI_MOST_PIECES = 2112 };

static inline int64_t tulle__multi_pieces(int64_t rows) {
    const int64_t pieces = rows / TULLE__MULTI_PIECE + (rows % TULLE__MULTI_PIECE != 0);
    if (pieces < 1) return 1;
    return pieces < TULLE__MULTI_MOST_PIECES ? pieces : (int64_t)TULLE__MULTI_MOST_PIECES;
}

#endif
