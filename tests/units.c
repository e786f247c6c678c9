/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

#include <math.h>
#include <stdlib.h>

static const units_scale wide[] = {
    {1, true},      {0x1p-40, true}, {0x1p+40, true}, {0x1p-300, true}, {0x1p+300, true},
    {1e-12, false}, {1e-6, false},   {1e6, false},    {1e12, false},
};

static const units_scale narrow[] = {
    {1, true},     {0x1p-40, true}, {0x1p+40, true}, {1e-12, false},
    {1e-6, false}, {1e6, false},    {1e12, false},
};

static const units_scale far_wide[] = {
    {1, true}, {0x1p-700, true}, {0x1p+700, true}, {1e-200, false}, {1e200, false},
};

static const units_scale far_narrow[] = {
    {1, true}, {0x1p-80, true}, {0x1p+80, true}, {1e-25, false}, {1e25, false},
};

#define LIST(scales) ((units_list){scales, (int)(sizeof(scales) / sizeof *(scales))})

units_list units_of(tulle_type type) {
    return type == TULLE_F32 ? LIST(narrow) : LIST(wide);
}

units_list units_far_of(tulle_type type) {
    return type == TULLE_F32 ? LIST(far_narrow) : LIST(far_wide);
}

void units_multiply(int64_t count, double *numbers, double factor) {
    for (int64_t i = 0; i < count; i++) numbers[i] *= factor;
}

/* One step of splitmix64 (S. Vigna 2015), of the seed and the number. */
static uint64_t mixed(uint64_t seed, uint64_t number) {
    uint64_t z = seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int *units_powers(int64_t count, int most, uint64_t seed) {
    int *powers = calloc((size_t)count + 1, sizeof *powers);
    const uint64_t choices = 2 * (uint64_t)most + 1;
    for (int64_t i = 0; powers && i < count; i++) {
        powers[i] = (int)(mixed(seed, (uint64_t)i) % choices) - most;
    }
    return powers;
}

void units_multiply_each(int64_t count, double *numbers, const int *powers, bool inverse) {
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = ldexp(numbers[i], inverse ? -powers[i] : powers[i]);
    }
}

void units_multiply_matrix(int64_t rows, const int64_t *offsets, const int64_t *columns,
                           double *values, const int *row_powers, const int *column_powers) {
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            const int power =
                (row_powers ? row_powers[i] : 0) + (column_powers ? column_powers[columns[k]] : 0);
            values[k] = ldexp(values[k], power);
        }
    }
}

bool units_same_iterations(units_scale scale, int64_t at_one, int64_t scaled) {
    return scale.exact ? scaled == at_one : llabs(scaled - at_one) <= 1;
}
