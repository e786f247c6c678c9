/* SPDX-License-Identifier: Apache-2.0 */
#include "dist/numbers.h"

#include <string.h>

#include "core/search.h"

/* Bits by which one pass of a sort orders numbers, and the number of their values. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Sorts numbers by one digit: `from` stably to `to`. */
static void sort_digit(int64_t count, const int64_t *from, int64_t least, int shift, int64_t *to) {
    int64_t first[DIGITS + 1] = {0};
    const uint64_t mask = DIGITS - 1;
    for (int64_t k = 0; k < count; k++) {
        first[((uint64_t)(from[k] - least) >> shift & mask) + 1]++;
    }
    for (int d = 0; d < DIGITS; d++) first[d + 1] += first[d];
    for (int64_t k = 0; k < count; k++) {
        to[first[(uint64_t)(from[k] - least) >> shift & mask]++] = from[k];
    }
}

/* Sorts in a time that grows as the number of numbers does: a process has one for each entry of the
 * rows that came. */
static tulle_status sort(tulle_ctx *ctx, int64_t count, int64_t *numbers) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    bool ascends = true;
    for (int64_t k = 0; k < count; k++) {
        ascends &= k == 0 || numbers[k] >= numbers[k - 1];
        if (numbers[k] < least) least = numbers[k];
        if (numbers[k] > most) most = numbers[k];
    }
    if (ascends) return TULLE_OK;
    int64_t *room = tulle__host_alloc(ctx, (size_t)count * sizeof *room);
    if (!room) return TULLE_OUT_OF_MEMORY;
    for (int shift = 0; shift < 63 && (most - least) >> shift > 0; shift += DIGIT_BITS) {
        sort_digit(count, numbers, least, shift, room);
        memcpy(numbers, room, (size_t)count * sizeof *room);
    }
    tulle__host_free(ctx, room);
    return TULLE_OK;
}

tulle_status tulle__numbers_sort(tulle_ctx *ctx, int64_t *numbers, int64_t *count) {
    int64_t kept = 0;
    TULLE__TRY(sort(ctx, *count, numbers));
    for (int64_t k = 0; k < *count; k++) {
        if (kept == 0 || numbers[kept - 1] != numbers[k]) numbers[kept++] = numbers[k];
    }
    *count = kept;
    return TULLE_OK;
}

/* Steps from `near` on double until the number is between the ends of a step: numbers of a row, and
 * of neighbouring rows, are seldom far from each other. */
int64_t tulle__numbers_place(const int64_t *numbers, int64_t count, int64_t number, int64_t *near) {
    int64_t low = *near < count ? *near : 0, high = low;
    for (int64_t step = 1; low > 0 && numbers[low] > number; step *= 2) {
        low = low > step ? low - step : 0;
    }
    for (int64_t step = 1; high < count && numbers[high] < number; step *= 2) {
        high = count - high > step ? high + step : count;
    }
    TULLE__LOWER_BOUND(low, high, k, numbers[k] < number);
    *near = low;
    return low;
}
