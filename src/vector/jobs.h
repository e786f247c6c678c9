/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the backends' elementwise, reduce, multivector_axpy and multivector_dot. */
#ifndef TULLE_VECTOR_JOBS_H
#define TULLE_VECTOR_JOBS_H

#include "core/place.h"

/* A multivector in memory: element (i, c) is at i * row + c * col. */
typedef struct tulle__strided {
    void *data;
    int64_t row, col;
} tulle__strided;

/* Whether each column has neighbours side by side, and begins at 16 bytes; whether each row has its
 * columns by twos, aligned so. */
static inline bool tulle__lies_in_packs(const tulle__strided *s, int64_t cols, int64_t size) {
    return s->row == 1 && (uintptr_t)s->data % 16 == 0 && (cols == 1 || s->col * size % 16 == 0);
}
static inline bool tulle__lies_in_pairs(const tulle__strided *s, int64_t rows, int64_t cols,
                                        int64_t size) {
    return s->col == 1 && (uintptr_t)s->data % (uintptr_t)(2 * size) == 0 && cols % 2 == 0 &&
           (rows == 1 || s->row % 2 == 0);
}

/* What lies side by side in two multivectors of as many rows. */
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
    TULLE__EACH_AXPBY, /* z := alpha x + beta y; with beta == 0, y is not read */
    TULLE__EACH_SCALE, /* z := alpha x */
    TULLE__EACH_COPY,  /* z := x */
    TULLE__EACH_MULTIPLY,
    TULLE__EACH_DIVIDE
} tulle__each;

/* Number by number; z may be x or y. Those without a y have x in its place. */
typedef struct tulle__elementwise {
    tulle__each what;
    int64_t rows, cols;
    tulle_type from, to; /* of x and y, and of z: they differ for copies alone */
    tulle_scalar alpha, beta;
    tulle__strided x, y, z;
} tulle__elementwise;

typedef enum tulle__reduced {
    TULLE__REDUCED_DOT,      /* x . y */
    TULLE__REDUCED_AXPY_DOT, /* y := alpha x + y, then y . z */
    TULLE__REDUCED_NORM2,    /* of x */
    TULLE__REDUCED_NORM_MAX  /* of x */
} tulle__reduced;

/* One number from each column. Pieces of rows give partial results, partials, which are then put
 * together in the order of the pieces. */
typedef struct tulle__reduction {
    tulle__reduced what;
    int64_t rows, cols;
    tulle_type type;
    tulle_scalar alpha;
    tulle__strided x, y, z; /* those not named above are x */
    bool z_is_y;            /* z is then the new y */
    int width;              /* columns that go side by side: a power of two; 1 by columns */
    int64_t pieces;
    double *partials; /* tulle__partials_count numbers */
    void *result;     /* cols numbers of the type */
} tulle__reduction;

/* Parts of a partial result: the three sums of tulle__squares, or fewer. */
enum { TULLE__SUM_PARTS = 3 };

/* How many rows make a unit, which pieces do not cut: a vector's width, and more. */
enum { TULLE__SUM_UNIT = 16 };

/* A piece has so many numbers of the columns that go side by side, or more where there would be
 * too many pieces; a GPU has one block for each, and an H100 or H200 all of them at once, three for
 * each of its 132 multiprocessors. */
enum { TULLE__SUM_PIECE = 4096, TULLE__SUM_MOST_PIECES = 396, TULLE__SUM_MOST_WIDTH = 256 };

/* Columns side by side where rows are runs: no more than there are, rounded up. */
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

/* Y := alpha X A + beta Y, or R := alpha X^T Z + beta R, in sizes that kernels take. */
enum { TULLE__MULTI_MOST = 32 };

typedef struct tulle__multi {
    int64_t rows;
    int k1, k2; /* up to TULLE__MULTI_MOST; of a sum k1 may be 0 */
    tulle_type type;
    tulle_scalar alpha, beta;
    tulle__strided x, a, y; /* R is y, Z is a */
    double *partials;       /* of the second: k1 k2 numbers for each of the pieces */
    int64_t pieces;
} tulle__multi;

/* Pieces of rows of the second: so many at most that their partial results cost little, and that
 * the last of a GPU's blocks, one a piece, leave it idle for a hundredth of the time: 16 of them
 * for each multiprocessor of an H100 or H200. */
enum { TULLE__MULTI_PIECE = 1024, TULLE__MULTI_MOST_PIECES = 2112 };

static inline int64_t tulle__multi_pieces(int64_t rows) {
    const int64_t pieces = rows / TULLE__MULTI_PIECE + (rows % TULLE__MULTI_PIECE != 0);
    if (pieces < 1) return 1;
    return pieces < TULLE__MULTI_MOST_PIECES ? pieces : (int64_t)TULLE__MULTI_MOST_PIECES;
}

#endif
