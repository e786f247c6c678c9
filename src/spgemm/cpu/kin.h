/* SPDX-License-Identifier: Apache-2.0 */
/* Kin: rows of C whose columns are those of the row before, or each the next column: the rows of
 * several unknowns in a place, and those of grids. */
#ifndef TULLE_SPGEMM_CPU_KIN_H
#define TULLE_SPGEMM_CPU_KIN_H

#include "spgemm/spgemm.h"

enum {
    TULLE__SPGEMM_STRANGER, /* no relation is known */
    TULLE__SPGEMM_TWIN,     /* a twin: the row has the columns of the row before */
    TULLE__SPGEMM_NEXT      /* each column is one more than in the row before, and so are those
                               of B's rows */
};

/* Finds the relation of each row of C to the row before; NULL where too few have any. Scratch of
 * the context. */
tulle_status tulle__spgemm_kin_make(const tulle__spgemm_task *task, uint8_t **kin);

#endif
