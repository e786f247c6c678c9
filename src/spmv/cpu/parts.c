/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of the copies of y (parts.h), in a file of its own: the compiler makes vectors of its
 * loops, which the files of the products forbid. */
#ifndef VALUE

#include "spmv/cpu/parts.h"

#define TULLE__SELF "spmv/cpu/parts.c"
#include "core/each_value.h"

#else

void NAME(tulle__add_copies)(const VALUE *copies, int64_t length, int parts,
                             const tulle__window *windows, int64_t begin, int64_t end, VALUE beta,
                             VALUE *y) {
    VALUE sums[TULLE__SUMMED] = {0};
    for (int p = 0; p < parts; p++) {
        const VALUE *copy = copies + p * length;
        const bool all = !windows;
        const int64_t first = all || windows[p].begin < begin ? begin : windows[p].begin;
        const int64_t last = all || windows[p].end > end ? end : windows[p].end;
        for (int64_t i = first; i < last; i++) sums[i - begin] += copy[i];
    }
    for (int64_t i = begin; i < end; i++) {
        y[i] = beta == 0 ? sums[i - begin] : sums[i - begin] + beta * y[i];
    }
}

#endif
