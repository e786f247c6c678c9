/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the fixed rule of Reguly and Giles, "Efficient sparse matrix-vector multiplication
 * on cache-based GPUs" (InPar 2012; slides, "The fixed rule"): blocks of 128 threads; as many
 * cooperating threads as the next power of two above the square root of the mean row length (an
 * exact power of two stays), at most a warp; row groups a block repeated as long as at least 1500
 * blocks remain. */
#ifndef TULLE_SPMV_RULE_FIXED_H
#define TULLE_SPMV_RULE_FIXED_H

#include <math.h>
#include <stdint.h>

enum { TULLE__FIXED_BLOCK = 128, TULLE__FIXED_BLOCKS = 1500, TULLE__MOST_REPEAT = 32 };

static inline int tulle__fixed_coop(double mean_row) {
    double root = sqrt(mean_row);
    int coop = 1;
    while (coop < 32 && coop < root) coop *= 2;
    return coop;
}

static inline int tulle__fixed_repeat(int64_t rows, int coop) {
    int64_t groups = (rows * coop + TULLE__FIXED_BLOCK - 1) / TULLE__FIXED_BLOCK;
    int repeat = 1;
    while (repeat < TULLE__MOST_REPEAT && groups / TULLE__FIXED_BLOCKS / 2 >= repeat) repeat *= 2;
    return repeat;
}

#endif
