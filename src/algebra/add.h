/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of two sparse matrices as back ends are given it. */
#ifndef TULLE_ALGEBRA_ADD_H
#define TULLE_ALGEBRA_ADD_H

#include "core/place.h"

TULLE_BEGIN

/* Where the time of a sum goes, in the order of tulle_add_report. */
typedef enum tulle__add_phase {
    TULLE__ADD_OPERANDS,
    TULLE__ADD_COUNT,
    TULLE__ADD_ALLOCATE,
    TULLE__ADD_COMPUTE,
    TULLE__ADD_FINISH,
    TULLE__ADD_PHASES
} tulle__add_phase;

/* One operand: CSR, its columns rising. Offsets may begin at any number, which the first entry of
 * columns and values then has. */
typedef struct tulle__addend {
    int64_t nnz;
    int64_t longest; /* row, its entries; 0 where there are some: nobody has looked */
    const void *offsets, *cols_of, *values;
    tulle_scalar factor; /* alpha or beta */
} tulle__addend;

/* The arrays of C, from the context's pool; a back end that fails leaves them. */
typedef struct tulle__sum {
    int64_t nnz;
    tulle_index index;
    void *offsets, *cols_of, *values;
} tulle__sum;

/* One call. A and B have the same index type. The back end counts, calls make_c, fills C's arrays,
 * and says where phases end; what it calls are the members of services. */
typedef struct tulle__add_task tulle__add_task;
struct tulle__add_task {
    int64_t rows;
    tulle_type type;
    tulle_index index; /* of A and B */
    tulle__addend a, b;
    /* Allocates C for so many entries. Its index type is c.index then. */
    tulle_status (*make_c)(tulle__add_task *task, int64_t nnz);
    /* The phase is over; TULLE_CANCELLED, or a fault. */
    tulle_status (*ends)(tulle__add_task *task, tulle__add_phase phase);
    tulle__sum c;
};

TULLE_END
#endif
