/* SPDX-License-Identifier: Apache-2.0 */
/* A new column of GMRES' small problem, by one block: its threads load at once the numbers that one
 * thread would wait for one by one. To be included before solver/column.h is. */
#ifndef TULLE_SOLVER_COLUMN_CUH
#define TULLE_SOLVER_COLUMN_CUH

#include "gpu/loop.cuh"

#define TULLE__NEAR gpu::shared<double>
#include "solver/column.h"

namespace TULLE_GPU_NAMESPACE {

GPU_FUNCTION void turn(const tulle__column &column, tulle__column_near near) {
    const tulle__solve_state s = tulle__rule_column(&column, &near);
    if (s.iterations != column.from->iterations) {
        column.history[s.iterations % TULLE__HISTORY] = s.norm;
    }
    *column.to = s;
}

/* Turns the new column of R by the rotations: thread i loads the numbers of column i, thread 0
 * turns. A block has a thread for each component; near: room for as many. */
GPU_FUNCTION void add_column_by_block(const tulle__column &column, tulle__column_near near) {
    const int i = static_cast<int>(thread()), own = column.j + 1;
    if (i < own) near.h[i] = tulle__component(&column, i);
    if (i < column.j) {
        near.cosines[i] = column.cosines[i];
        near.sines[i] = column.sines[i];
    }
    sync();
    if (i == 0) turn(column, near);
    sync();
    if (i < own) column.R[tulle__column_begin(&column) + i] = near.h[i];
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
