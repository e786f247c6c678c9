/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of interpolation with the digits of f32, row by row; the same lines on every device. */
#ifndef TULLE_AMG_SHORTEN_RULES_H
#define TULLE_AMG_SHORTEN_RULES_H

#include <float.h>
#include <math.h>

#include "format/formats.h"

/* Rounds a number to the nearest one of f32; one that would have fewer digits there, as it is too
 * large or too small, stays. */
SLOTS_FUNCTION double tulle__amg_shorten(double number) {
    const float to = (float)number;
    return fabsf(to) >= FLT_MIN && fabsf(to) < INFINITY ? (double)to : number;
}

/* Rounds a row of P. Numbers that add up to 1 do so afterwards, without any error: they become
 * multiples of twice the distance of the numbers of f32 around the largest one, and the first of
 * the largest takes what is left of 1. Constants are then interpolated as constants, and the
 * product R A P of a singular A that has them in its null space is as singular as A. */
SLOTS_FUNCTION void tulle__amg_shorten_row(double *numbers, int64_t count) {
    double sum = 0, largest = 0, left = 1;
    int64_t at = 0;
    for (int64_t k = 0; k < count; k++) {
        const double size = fabs(numbers[k]);
        sum += numbers[k];
        if (size > largest) at = k;
        if (size > largest) largest = size;
    }
    if (!(fabs(sum - 1) <= ldexp(1.0, -30) && largest <= ldexp(1.0, 20))) {
        for (int64_t k = 0; k < count; k++) numbers[k] = tulle__amg_shorten(numbers[k]);
        return;
    }
    const double unit = ldexp(1.0, ilogb(largest) - (FLT_MANT_DIG - 2));
    for (int64_t k = 0; k < count; k++) {
        if (k == at) continue;
        numbers[k] = rint(numbers[k] / unit) * unit;
        left -= numbers[k];
    }
    numbers[at] = left;
}

#endif
