/* SPDX-License-Identifier: Apache-2.0 */
/* A task as devices know it, plain data: what to do, between which arrays, in how many pieces.
 * Compiles as C17 and as CUDA C++. */
#ifndef TULLE_BATCH_TASK_H
#define TULLE_BATCH_TASK_H

#include "factor/factor.h"
#include "factor/move.h"
#include "format/bsr.h"
#include "format/view.h"
#include "spmv/spmv.h"
#include "trisolve/row_shape.h"
#include "tulle/batch.h"
#include "vector/jobs.h"

/* Largest number of streams: gpu::side_by_side has as many on a device. */
#define TULLE__MOST_STREAMS 64

typedef enum tulle__task_kind {
    TULLE__TASK_AXPY,   /* y := alpha x a + beta y */
    TULLE__TASK_DOT,    /* y := alpha x^T a + beta y */
    TULLE__TASK_SPMM,   /* y := alpha op(A) x + beta y */
    TULLE__TASK_FACTOR, /* values of factors */
    TULLE__TASK_SOLVE,  /* y := alpha op(M)^-1 x, M factors or one of them, or a triangle */
    TULLE__TASK_SCALE,  /* y := alpha x */
    TULLE__TASK_COPY,   /* y := x, of any types */
    TULLE__TASK_NORM2,  /* y := the norms of the columns of x */
    TULLE__TASK_NORM_MAX
} tulle__task_kind;

/* A family: tasks for which one kernel is compiled, so that a launch may be of these tasks alone. A
 * variant of a family is what its kernels are compiled for beside the type. */
typedef enum tulle__task_family {
    TULLE__FAMILY_ANY,      /* tasks of no family: the kernel for all tasks takes them */
    TULLE__FAMILY_DOTS,     /* up to 16 columns of a layout for it; layout, and tiles of a side */
    TULLE__FAMILY_PRODUCTS, /* blocks without padding on the matrix units; a tulle__lines_variant */
    TULLE__FAMILY_FACTORS,  /* values of factors, by the width of their blocks */
    TULLE__FAMILY_LISTED,   /* values of factors with listed steps; a tulle__listed_variant */
    TULLE__FAMILY_SOLVES    /* solutions, by the width of the factors' blocks */
} tulle__task_family;

/* op(A), A in BSR, or in CSR, which is BSR of blocks of 1. */
typedef struct tulle__task_matrix {
    tulle__pattern_view lines; /* A's block rows; for its transpose, A's block columns */
    const void *slots; /* index in A of each block of the columns; NULL: they are in order */
    const void *values;
    int block;   /* number of rows of a block of op(A) */
    int wide;    /* number of columns of a block of op(A) */
    bool turned; /* each block is read transposed */
    bool masked; /* true when not all cells of blocks are entries */
    bool tiled;  /* spmv/gpu/bsr_tile.cuh takes it */
} tulle__task_matrix;

/* Lines of blocks as published kernels walk them (batch/published): for a product the index array
 * of its lines by falling number of blocks, for factors their block columns (matrix/block_lines.h).
 * NULL where no published kernel is to run, or the kernel needs none. */
typedef struct tulle__task_lines {
    const void *order, *offsets, *others, *slots;
    tulle_index index;
} tulle__task_lines;

/* Values of factors; the level list of a schedule is in the place's memory here, as the other
 * arrays are. */
typedef struct tulle__task_factor {
    tulle__factor_task whole; /* the task's pointers to structs are not read */
    tulle__schedule schedule;
    const int64_t *order;            /* the row of A at each row of the factors; NULL: the same */
    const void *step_begins, *steps; /* first step of each position, and the steps' words of 32 bits
                                        (factor/steps.h); NULL: steps are not listed */
} tulle__task_factor;

typedef struct tulle__task_triangle {
    tulle__schedule schedule;
    tulle__row_shape shape;
    tulle__diagonal diagonal;
    bool lower, turned; /* op(T) is lower; blocks are read transposed */
} tulle__task_triangle;

typedef struct tulle__task_solve {
    tulle__task_triangle part[2];
    int parts, block;
    tulle_index index;
    int64_t n;
    tulle_type stored; /* type of the values */
    const void *values;
    const uint32_t *mask;
    const uint8_t *pivots;
    const tulle__pivots_seen *seen; /* NULL: nobody judges them */
    bool moved; /* true: the task solves in scratch, in the order of the factors */
    const int64_t *order;
    const void *scale[2]; /* scales of the rows moved there, and back */
    tulle_type scale_type;
} tulle__task_solve;

/* A piece of a norm task is a range of rows, of `width` columns side by side (vector/jobs.h); the
 * pieces of the same columns follow each other. */
typedef struct tulle__task_norm {
    int64_t pieces; /* number of pieces of each column */
    int width;
} tulle__task_norm;

typedef struct tulle__task {
    tulle__task_kind kind;
    tulle_type type; /* type of y and of sums */
    tulle_type from; /* type of x */
    int number;      /* number of the task as recorded */
    int k1, k2;      /* spmm, solve: k2 vectors */
    double alpha, beta;
    tulle__strided x, a, y;
    tulle__lie lie; /* layout of x, and of a (dot) or y (axpy); of norms COLUMNS or any other */
    tulle__task_family family;
    int variant;
    bool on_host; /* threads of a CPU may do it for a GPU */
    union {
        tulle__task_matrix A;
        tulle__task_factor factor;
        tulle__task_solve solve;
        tulle__task_norm norm;
    };
    tulle__task_lines lines;
    const struct tulle__task_host *host; /* tasks of a CPU's kernels; for spmm, factor and solve */
    int64_t units, unit_piece;           /* rows, or block rows of A; number of them in a piece */
    double unit_bytes;
    int64_t pieces, scratch, first_scratch; /* pieces; numbers in the batch's scratch */
    int first_wait, waits;                  /* range in the batch's list of tasks to wait for */
} tulle__task;

/* The tasks that a CPU's kernels are given for products and for factors. */
typedef struct tulle__task_host {
    tulle__spmv_task product;
    tulle__factor_task factor;
    tulle__pattern_view pattern; /* pattern of the factors */
    tulle__trisolve_task part[2];
    int parts;
    tulle__spec spec[2]; /* kernels of the product, the factor, or the parts */
    bool moved;
    tulle__move there, back;
    const int64_t *order;
    tulle__pivots_seen *seen;
    size_t room;        /* bytes of scratch for a kernel */
    const void *values; /* values of the task's matrix when described; NULL: no matrix */
} tulle__task_host;

SLOTS_FUNCTION bool tulle__task_is_norm(tulle__task_kind kind) {
    return kind == TULLE__TASK_NORM2 || kind == TULLE__TASK_NORM_MAX;
}

/* Kernels on factors, by variant: numbers by themselves, blocks up to 4, 8 and 16, L L^T of
 * numbers. Of solutions four more, whose values are stored in f32 and computed with in f64. */
enum { TULLE__WIDTHS = 4, TULLE__ROOTS = TULLE__WIDTHS };
static inline int tulle__width_variant(int block) {
    return block == 1 ? 0 : block <= 4 ? 1 : block <= 8 ? 2 : 3;
}

/* A launch of the one's kernel may take the other, too. */
static inline bool tulle__tasks_alike(const tulle__task *t, const tulle__task *other) {
    return t->family == other->family && t->variant == other->variant && t->type == other->type;
}

/* The variants of products by block size, as they are compiled: X(number, size, tiles of its
 * height, tiles of columns at a time); size 0: any other size of that height. A variant is twice
 * the number, and one more for a transpose. */
#define TULLE__LINES_VARIANTS(X)                                                                   \
    X(0, 2, 1, 1)                                                                                  \
    X(1, 3, 1, 1)                                                                                  \
    X(2, 4, 1, 1)                                                                                  \
    X(3, 5, 1, 1)                                                                                  \
    X(4, 8, 1, 1)                                                                                  \
    X(5, 16, 2, 2)                                                                                 \
    X(6, 0, 1, 1)                                                                                  \
    X(7, 0, 2, 2)
static inline int tulle__lines_variant(int block, bool turned) {
    int number = block <= 8 ? 6 : 7;
#define TULLE__IF_SIZE(variant, size, tall, wide)                                                  \
    if (block == (size)) number = variant;
    TULLE__LINES_VARIANTS(TULLE__IF_SIZE)
#undef TULLE__IF_SIZE
    return 2 * number + turned;
}

/* Blocks of factors that are compiled for where steps are listed: X(variant, size). */
#define TULLE__LISTED_VARIANTS(X) X(0, 3) X(1, 4) X(2, 5) X(3, 8)
/* Returns the variant for a block size; -1: there is none. */
static inline int tulle__listed_variant(int block) {
#define TULLE__IF_SIZE(variant, size)                                                              \
    if (block == (size)) return variant;
    TULLE__LISTED_VARIANTS(TULLE__IF_SIZE)
#undef TULLE__IF_SIZE
    return -1;
}

/* Lanes that share a block row of these, numbers being of so many bytes; and bytes of the rows that
 * a warp has in shared memory, at most. */
#define TULLE__LISTED_LANES(block, size)                                                           \
    ((block) <= 4 ? 8 : (block) * (block) * (size) <= 256 ? 16 : 32)
#define TULLE__MOST_LISTED_BYTES (96 << 10)

/* Lines of blocks that share a tile: what a warp takes at a time. */
static inline int tulle__lines_of_tile(int block) {
    return block == 2 ? 4 : block == 3 || block == 4 ? 2 : 1;
}

/* Returns the index in A of block k of the lines. */
SLOTS_FUNCTION int64_t tulle__task_slot(const tulle__task_matrix *A, int64_t k) {
    return A->slots ? tulle__get(A->slots, tulle_offset_size(A->lines.index), k) : k;
}

/* The cell of number (r, c) of op(block). */
SLOTS_FUNCTION int64_t tulle__task_cell(const tulle__task_matrix *A, int64_t r, int64_t c) {
    return A->turned ? c * A->block + r : r * A->wide + c;
}

/* A cell of one of A's blocks is an entry; columns beyond the matrix are none. */
SLOTS_FUNCTION bool tulle__task_has(const tulle__task_matrix *A, int64_t slot, int64_t cell) {
    return !A->masked || tulle__bit(A->lines.mask, tulle__cell_bit(&A->lines.storage, slot, cell));
}

/* A batch as devices know it; arrays in the place's memory. */
typedef struct tulle__batch_job {
    int tasks;
    const tulle__task *task;   /* [tasks], each behind those that it waits for */
    const int64_t *first_item; /* [tasks + 1]: items (pieces) of all tasks before */
    const int64_t *first_tile; /* [tasks + 1]: tiles of tiled products of all tasks before */
    const int *wait;
    bool ordered;     /* some task waits for another */
    int streams;      /* host: number of streams side by side */
    double *scratch;  /* for each dot with several pieces k1 k2 numbers for each piece; for each
                         solution the unknowns in the order of positions, and as they are moved */
    uint32_t *done;   /* [tasks]: not 0 where a task has ended */
    uint32_t *ended;  /* [tasks]: number of pieces that have ended */
    uint64_t *ticket; /* the next item */
    tulle_batch_report *reports; /* [tasks] as they were recorded */
    size_t queue_bytes;          /* bytes of done, ended and ticket, one after another */
    const int *level;            /* host: [levels + 1]: first task of each level */
    int levels;
    const tulle__task *host_task; /* host: copy of task */
    const int64_t *host_item;     /* host: copy of first_item */
    const int64_t *host_tile;     /* host: copy of first_tile */
    int widest;                   /* host: largest block of factors; 0: there are none */
    void *room;                   /* CPU, or beside a GPU: room_bytes for each of `threads` */
    size_t room_bytes;
    int threads;
} tulle__batch_job;

#endif
