/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/foresee.h"

#include <math.h>

#include "solver/state.h"

enum { LOOK_BACK = 16, LEAST_BATCH = 2 };

double tulle__iterations_left(const double *history, int64_t last, int64_t known, double limit) {
    const int64_t span = known <= LOOK_BACK ? known - 1 : LOOK_BACK;
    if (span < 1) return INFINITY;
    const double norm = history[last % TULLE__HISTORY];
    const double fall = log(history[(last - span) % TULLE__HISTORY] / norm) / (double)span;
    return fall > 0 ? log(norm / limit) / fall : INFINITY;
}

int tulle__next_batch(double left, int64_t launched, int batch) {
    const double half = (left - (double)launched) / 2;
    if (half >= batch) return batch;
    const int least = batch < LEAST_BATCH ? batch : (int)LEAST_BATCH;
    return half > least ? (int)half : least;
}
