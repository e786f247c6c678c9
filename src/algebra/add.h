/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a sum of two sparse matrices, as back ends get it. */
#ifndef TULLE_ALGEBRA_ADD_H
#define TULLE_ALGEBRA_ADD_H

#include "core/place.h"

TULLE_BEGIN

/* Phases whose times tulle_add_report has, in its order. */
typedef enum tulle__add_phase {
    TULLE__ADD_OPERANDS,
    TULLE__ADD_COUNT,
    TULLE__ADD_ALLOCATE,
    TULLE__ADD_COMPUTE,
    TULLE__ADD_FINISH,
    TULLE__ADD_PHASES
} tulle__add_phase;

/* One operand: CSR with ascending columns. Offsets may begin at any number, which is then the index
 * of the first entry of columns and values. */
typedef struct tulle__addend {
    int64_t nnz;
    int64_t longest; /* number of entries of the longest row; 0 in a matrix with entries: unknown */
    const void *offsets, *cols_of, *values;
    tulle_scalar factor; /* factor of the operand: alpha or beta */
} tulle__addend;

/* The arrays of C, from the context's pool. If a back end fails, the caller frees them. */
typedef struct tulle__sum {
    int64_t nnz;
    tulle_index index;
    void *offsets, *cols_of, *values;
} tulle__sum;

/* One sum. A and B have the same index type. The back end counts the entries, calls make_c, fills
 * C's arrays, and calls `ends` at the end of each phase. */
typedef struct tulle__add_task tulle__add_task;
struct tulle__add_task {
    int64_t rows;
    tulle_type type;
    tulle_index index; /* index type of A and B */
    tulle__addend a, b;
    /* Allocates C for so many entries, and sets c.index to its index type. */
    tulle_status (*make_c)(tulle__add_task *task, int64_t nnz);
    /* Notes the end of a phase; fails with TULLE_CANCELLED if the caller asks to stop, or with an
     * error of the device. */
    tulle_status (*ends)(tulle__add_task *task, tulle__add_phase phase);
    tulle__sum c;
};

/* Bytes of the room in which a CPU without a cap merges rows before C has memory: for the entries
 * of both operands, and a number for each row. */
TULLE_INLINE double tulle__add_room_bytes(const tulle__add_task *task, double entries) {
    const int64_t entry = tulle_index_size(task->index) + tulle_type_size(task->type);
    return entries * (double)entry + ((double)task->rows + 1) * (double)sizeof(int64_t);
}

/* Largest room, which is what a context keeps from call to call. */
enum { TULLE__ADD_MOST_ROOM = 32 << 20 };

TULLE_END
#endif
