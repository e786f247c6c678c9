/* SPDX-License-Identifier: Apache-2.0 */
/* The task of making a schedule, for the back ends. */
#ifndef TULLE_TRISOLVE_SCHEDULE_H
#define TULLE_TRISOLVE_SCHEDULE_H

#include "trisolve/trisolve.h"

TULLE_BEGIN

/* op(T), T a triangle of a square CSR or BSR pattern. A back end first finds out rows, entries
 * and levels, then calls make, which allocates all arrays but bounds, and fills these and the other
 * members. What make gave, and bounds, is the caller's to free, also after a failure.
 *
 * The entries of a place stand in the order of its row of op(T). Of TULLE_N that is the order in
 * which A's row has them; of TULLE_T, the order in which the rows of A that have them are solved:
 * by rising number of the entry (of BSR, block) where rows wait for lower ones, else by falling
 * number. Columns of a CSR row stand in any order and may repeat; each entry counts. */
typedef struct tulle__schedule_task tulle__schedule_task;
struct tulle__schedule_task {
    tulle__pattern_view pattern;
    int64_t rows; /* of op(T): of BSR, block rows */
    bool rising;  /* columns rise in each row of a CSR pattern */
    bool upper;   /* T is the upper triangle; op(T) is lower where this and op say so together */
    tulle_trans op;
    bool queued; /* on a GPU by a queue of rows that are ready, however few there are: for tests */
    /* Arrays for the numbers that are in the schedule, and their bytes. */
    tulle_status (*make)(const tulle__place *place, const tulle__schedule_task *task,
                         tulle__schedule *schedule);
};

/* Entries of a row of scalars from which on adding fours pays. */
enum { TULLE__LONG_ROW = 9 };

/* Whether rows wait for lower ones. */
static inline bool tulle__waits_for_lower(const tulle__schedule_task *task) {
    return task->upper == (task->op == TULLE_T);
}

TULLE_END
#endif
