/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"
#include "core/threads/sizes.h"
#include "format/faults.h"
#include "format/functions.h"
#include "format/stats.h"

/* Finds the first position of each row; positions must be in range. */
static void find_firsts(const tulle__pattern_view *laid, int64_t *firsts) {
    for (int64_t row = 0; row < laid->rows; row++) firsts[row] = -1;
    for (int64_t p = laid->rows - 1; p >= 0; p--) firsts[tulle__row_at(laid, p)] = p;
}

static void run_check(int threads, const tulle__pattern_view *laid, int check,
                      const int64_t *firsts, tulle__stats *stats) {
    int64_t count = tulle__check_count(laid, check), first = count;
#pragma omp parallel for num_threads(threads) reduction(min : first)
    for (int64_t i = 0; i < count; i++) {
        bool lower = i < first;
        if (lower && tulle__fault_at(laid, check, firsts, i, count - 1).kind != TULLE__BAD_NONE)
            first = i;
    }
    if (first == count) return;
    tulle__fault fault = tulle__fault_at(laid, check, firsts, first, count - 1);
    stats->bad_kind = fault.kind;
    stats->bad_value = fault.value;
    stats->bad_row = first;
}

tulle_status tulle__cpu_check_layout(const tulle__place *place, const tulle__pattern_view *laid,
                                     tulle__stats *host_stats) {
    *host_stats = tulle__stats_start();
    void *firsts = NULL;
    size_t bytes = 0;
    if (tulle__check_count(laid, TULLE__CHECK_PERMUTATION) > 0) {
        TULLE__TRY(tulle__size(laid->rows, sizeof(int64_t), 0, &bytes));
        TULLE__TRY(tulle__alloc(place->ctx, bytes, &firsts));
    }
    for (int check = 0; check < TULLE__CHECKS && !host_stats->bad_kind; check++) {
        if (check == TULLE__CHECK_PERMUTATION && firsts) find_firsts(laid, firsts);
        const int64_t count = tulle__check_count(laid, check);
        const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, count);
        run_check(threads, laid, check, firsts, host_stats);
    }
    tulle__free(place->ctx, firsts);
    return TULLE_OK;
}
