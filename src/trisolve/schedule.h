/* SPDX-License-Identifier: Apache-2.0 */
/* The task of making a schedule, as back ends get it. */
#ifndef TULLE_TRISOLVE_SCHEDULE_H
#define TULLE_TRISOLVE_SCHEDULE_H

#include "trisolve/trisolve.h"

TULLE_BEGIN

/* The task for op(T), where T is a triangle of a square CSR or BSR pattern. A back end first finds
 * the numbers of rows, entries and levels, then calls make, which allocates all arrays but bounds,
 * and fills the arrays and the other members. The caller frees the arrays of make, and bounds, also
 * after a failure. The entries of a place are in the order of its row of op(T). For TULLE_N that is
 * the order of A's row; for TULLE_T it is the order in which the rows of A that have the entries
 * are solved: by ascending index of the entry (in BSR, of the block) if rows wait for lower ones,
 * else by falling index. The columns of a CSR row are in any order and may repeat; each entry
 * counts. */
typedef struct tulle__schedule_task tulle__schedule_task;
struct tulle__schedule_task {
    tulle__pattern_view pattern;
    int64_t rows; /* number of rows of op(T), for BSR of block rows */
    bool rising;  /* true when columns ascend in each row of a CSR pattern */
    /* true when T is the upper triangle; op(T) is lower if this equals (op == TULLE_T) */
    bool upper;
    tulle_trans op;
    /* true for a GPU to use a queue of ready rows, however few rows there are; for tests */
    bool queued;
    /* Allocates the arrays for the numbers in the schedule, and sets their bytes. */
    tulle_status (*make)(const tulle__place *place, const tulle__schedule_task *task,
                         tulle__schedule *schedule);
};

/* Number of entries of a row of scalars from which on adding groups of four pays. */
enum { TULLE__LONG_ROW = 9 };

/* Returns true when rows wait for lower ones. */
static inline bool tulle__waits_for_lower(const tulle__schedule_task *task) {
    return task->upper == (task->op == TULLE_T);
}

TULLE_END
#endif
