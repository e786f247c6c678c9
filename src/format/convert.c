/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the arrays of a matrix to other element types, and puts values into another order, on
 * the CPU. */
#ifndef FROM

#include <string.h>

#include "core/place.h"
#include "core/threads/sizes.h"
#include "format/functions.h"

#define TULLE__SELF "format/convert.c"
#define FROM int32_t
#define TO int32_t
#define NAME convert_4_4
#include TULLE__SELF
#define FROM int32_t
#define TO int64_t
#define NAME convert_4_8
#include TULLE__SELF
#define FROM int64_t
#define TO int32_t
#define NAME convert_8_4
#include TULLE__SELF
#define FROM int64_t
#define TO int64_t
#define NAME convert_8_8
#include TULLE__SELF

tulle_status tulle__cpu_convert_indices(const tulle__place *place, int64_t count, int64_t from_size,
                                        const void *from, int64_t to_size, void *to, int64_t add) {
    int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, count);
    if (from_size == 4 && to_size == 4) convert_4_4(threads, count, from, to, add);
    if (from_size == 4 && to_size == 8) convert_4_8(threads, count, from, to, add);
    if (from_size == 8 && to_size == 4) convert_8_4(threads, count, from, to, add);
    if (from_size == 8 && to_size == 8) convert_8_8(threads, count, from, to, add);
    return TULLE_OK;
}

static void widen(int threads, int64_t count, const float *from, double *to) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < count; k++) to[k] = from[k];
}

static void narrow(int threads, int64_t count, const double *from, float *to) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < count; k++) to[k] = (float)from[k];
}

tulle_status tulle__cpu_convert_values(const tulle__place *place, int64_t count,
                                       tulle_type from_type, const void *from, tulle_type to_type,
                                       void *to) {
    int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, count);
    if (from_type == to_type) {
        if (count > 0 && to != from) memcpy(to, from, (size_t)(count * tulle_type_size(to_type)));
    } else if (from_type == TULLE_F32) {
        widen(threads, count, from, to);
    } else {
        narrow(threads, count, from, to);
    }
    return TULLE_OK;
}

static void gather_4(int threads, int64_t count, const int64_t *perm, const uint32_t *from,
                     uint32_t *to) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < count; k++) to[k] = from[perm[k]];
}

static void gather_8(int threads, int64_t count, const int64_t *perm, const uint64_t *from,
                     uint64_t *to) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < count; k++) to[k] = from[perm[k]];
}

tulle_status tulle__cpu_gather_values(const tulle__place *place, int64_t count, tulle_type type,
                                      const int64_t *perm, const void *from, void *to) {
    int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, count);
    if (tulle_type_size(type) == 4) {
        gather_4(threads, count, perm, from, to);
    } else {
        gather_8(threads, count, perm, from, to);
    }
    return TULLE_OK;
}

#else

/* Converts indices, and adds a number to each. Sums wrap like unsigned numbers, so that the
 * smallest index becomes far out of range instead of undefined. */
static void NAME(int threads, int64_t count, const FROM *from, TO *to, int64_t add) {
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < count; k++) to[k] = (TO)((uint64_t)from[k] + (uint64_t)add);
}

#undef FROM
#undef TO
#undef NAME

#endif
