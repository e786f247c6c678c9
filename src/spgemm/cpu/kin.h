/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C whose columns are those of the row before, or each the next one: the rows of several
 * unknowns in a place, and those of grids. */
#ifndef TULLE_SPGEMM_CPU_KIN_H
#define TULLE_SPGEMM_CPU_KIN_H

#include "spgemm/spgemm.h"

enum {
    TULLE__SPGEMM_STRANGER, /* nothing is known */
    TULLE__SPGEMM_TWIN,     /* the columns of the row before */
    TULLE__SPGEMM_NEXT      /* each is one more than in the row before; B's rows are so, too */
};

/* What each row of C is to the row before; NULL where too few are anything. Scratch of the
 * context. */
tulle_status tulle__spgemm_kin_make(const tulle__spgemm_task *task, uint8_t **kin);

#endif
