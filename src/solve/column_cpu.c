/* SPDX-License-Identifier: Apache-2.0 */
/* GMRES' small problem on the CPU. */
#include "solve/functions.h"

tulle_status tulle__cpu_column(const tulle__place *place, const tulle__column *column) {
    (void)place;
    const tulle__solve_state s = tulle__rule_column(column);
    if (s.iterations != column->from->iterations) {
        column->history[s.iterations % TULLE__HISTORY] = s.norm;
    }
    *column->to = s;
    return TULLE_OK;
}

tulle_status tulle__cpu_combine(const tulle__place *place, const tulle__column *column) {
    (void)place;
    tulle__rule_combine(column);
    return TULLE_OK;
}
