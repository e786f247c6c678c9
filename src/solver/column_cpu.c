/* SPDX-License-Identifier: Apache-2.0 */
/* GMRES' small problem on the CPU. */
#include "solver/functions.h"

tulle_status tulle__cpu_column(const tulle__place *place, const tulle__column *column) {
    double *h = column->R + tulle__column_begin(column);
    const tulle__column_near near = {h, column->cosines, column->sines};
    (void)place;
    for (int i = 0; i <= column->j; i++) h[i] = tulle__component(column, i);
    const tulle__solve_state s = tulle__rule_column(column, &near);
    if (s.iterations != column->from->iterations) {
        column->history[s.iterations % TULLE__HISTORY] = s.norm;
    }
    *column->to = s;
    return TULLE_OK;
}

/* Solves R y = g. */
tulle_status tulle__cpu_combine(const tulle__place *place, const tulle__column *c) {
    const int columns = (int)c->from->columns;
    (void)place;
    for (int i = c->most - 1; i >= 0; i--) {
        double left = i < columns ? c->g[i] : 0;
        for (int k = columns - 1; k > i; k--) {
            left -= c->R[(int64_t)k * c->most + i] * tulle__entry(c, c->y, k);
        }
        tulle__put_entry(c, c->y, i, i < columns ? left / c->R[(int64_t)i * c->most + i] : 0);
    }
    return TULLE_OK;
}
