/* SPDX-License-Identifier: Apache-2.0 */
/* The number of a smoother's diagonal that belongs to a row; the same lines on every device. */
#ifndef TULLE_AMG_DIAGONAL_RULES_H
#define TULLE_AMG_DIAGONAL_RULES_H

#include "amg/jobs.h"
#include "core/search.h"
#include "format/parts.h"
#include "operator/row.h"

/* True where the diagonal entry of row i is negative; a row without one has none. */
SLOTS_FUNCTION bool tulle__amg_is_negative(const tulle__amg_inversion *t, int64_t i) {
    const int64_t end = tulle__offset_at(&t->A, i + 1), column = t->first + i;
    int64_t at = tulle__offset_at(&t->A, i);
    TULLE__LOWER_BOUND(at, end, k, tulle__col_at(&t->A, k) < column);
    return at < end && tulle__col_at(&t->A, at) == column &&
           tulle__number_at(t->type, t->values, at) < 0;
}

/* True where the sizes of a row, with this sum, are more than noise. */
SLOTS_FUNCTION bool tulle__amg_counts(const tulle__amg_inversion *t, double sum, double noise) {
    return sum != 0 && !(sum <= t->lost * noise);
}

#endif
