/* SPDX-License-Identifier: Apache-2.0 */
#include "format/faults.h"
#include "format/functions.h"
#include "format/stats.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int64_t none = INT64_MAX;

struct verdict {
    int64_t first;
    tulle__fault fault;
};

GPU_KERNEL void clear_firsts(int64_t rows, int64_t *firsts) {
    for (int64_t row = loop_first(); row < rows; row += loop_stride()) firsts[row] = none;
}

/* Finds the first position of each row; positions must be in range. */
GPU_KERNEL void find_firsts(tulle__pattern_view laid, int64_t *firsts) {
    for (int64_t p = loop_first(); p < laid.rows; p += loop_stride()) {
        atomic_min(firsts + tulle__row_at(&laid, p), p);
    }
}

GPU_KERNEL void start_verdict(verdict *v) {
    v->first = none;
}

GPU_KERNEL void find_fault(tulle__pattern_view laid, int check, int64_t count,
                           const int64_t *firsts, verdict *v) {
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        if (tulle__fault_at(&laid, check, firsts, i, count - 1).kind == TULLE__BAD_NONE) continue;
        atomic_min(&v->first, i);
        return;
    }
}

GPU_KERNEL void tell_fault(tulle__pattern_view laid, int check, int64_t last, const int64_t *firsts,
                           verdict *v) {
    if (v->first != none) v->fault = tulle__fault_at(&laid, check, firsts, v->first, last);
}

tulle_status run_check(const tulle__place *place, const tulle__pattern_view *laid, int check,
                       const int64_t *firsts, verdict *v, tulle__stats *stats) {
    int64_t count = tulle__check_count(laid, check);
    if (count == 0) return TULLE_OK;
    GPU_TRY(launch(place, start_verdict, {1, 1}, v));
    GPU_TRY(launch(place, find_fault, loop_grid(count), *laid, check, count, firsts, v));
    GPU_TRY(launch(place, tell_fault, {1, 1}, *laid, check, count - 1, firsts, v));
    verdict found;
    GPU_TRY(to_host(place, &found, v, sizeof found));
    if (found.first == none) return TULLE_OK;
    stats->bad_kind = found.fault.kind;
    stats->bad_value = found.fault.value;
    stats->bad_row = found.first;
    return TULLE_OK;
}

tulle_status list_firsts(const tulle__place *place, const tulle__pattern_view *laid,
                         int64_t *firsts) {
    GPU_TRY(launch(place, clear_firsts, loop_grid(laid->rows), laid->rows, firsts));
    return launch(place, find_firsts, loop_grid(laid->rows), *laid, firsts);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(check_layout)(const tulle__place *place, const tulle__pattern_view *laid,
                                      tulle__stats *host_stats) {
    *host_stats = tulle__stats_start();
    gpu::scratch room(place);
    gpu::verdict *v = nullptr;
    int64_t *firsts = nullptr;
    GPU_TRY(room.get(1, &v));
    bool permuted = tulle__check_count(laid, TULLE__CHECK_PERMUTATION) > 0;
    if (permuted) GPU_TRY(room.get(laid->rows, &firsts));
    for (int check = 0; check < TULLE__CHECKS && !host_stats->bad_kind; check++) {
        if (check == TULLE__CHECK_PERMUTATION && firsts) {
            GPU_TRY(gpu::list_firsts(place, laid, firsts));
        }
        GPU_TRY(gpu::run_check(place, laid, check, firsts, v, host_stats));
    }
    return TULLE_OK;
}
