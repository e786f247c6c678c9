/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters, their defaults and the models that the kernels of slots.cuh share. */
#ifndef TULLE_SPMV_GPU_SLOTS_MODEL_CUH
#define TULLE_SPMV_GPU_SLOTS_MODEL_CUH

#include "spmv/gpu/slots.cuh"

namespace TULLE_GPU_NAMESPACE {

inline constexpr int slot_blocks[] = {64, 128, 256};
inline constexpr int slot_shares[] = {1, 2, 4, 8, 16};
inline constexpr int slot_aheads[] = {4, 8};
inline constexpr tulle__param slot_block_param = {"block", "threads of a block", 3, slot_blocks};
inline constexpr tulle__param slot_share_param = {
    "share", "threads that take the slots of a row in turns", 5, slot_shares};
inline constexpr tulle__param slot_ahead_param = {
    "ahead", "slots that are loaded before the first is used", 2, slot_aheads};

/* Number of threads from which on most of the largest GPU has something to do. */
constexpr int64_t threads_wanted = 1 << 17;

/* Microseconds in which a thread walks so many slots, as in longest_row_us; for cost(). */
inline double slots_us(int64_t slots, int share) {
    return 0.67 * static_cast<double>(slots) / (flight * share);
}

/* Cost of all bytes at a copy's speed; atomics take about as long as a second pass. */
inline double all_slots_cost(const tulle__spmv_shape *shape) {
    double factor = shape->trans == TULLE_N ? 1.05 : 2.0;
    return factor * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

/* Number of threads for each row of at most `width` slots: more than one where rows are few, or
 * where the longest alone takes longer than all others, and while each has a flight of slots. */
inline int share_for(const tulle__spmv_shape *shape, int64_t rows, int64_t width) {
    double all_us = all_slots_cost(shape) / bytes_a_microsecond(shape);
    int share = 1;
    while (share < 16 && int64_t{2} * share * flight <= width &&
           (rows * share < threads_wanted || slots_us(width, share) > all_us)) {
        share *= 2;
    }
    return share;
}

/* Size of a block: at least a line of columns for each group of threads side by side. */
inline int block_for(int share) {
    return share <= 4 ? 128 : 256;
}

/* Sets block and ahead for kernels with the parameters block, share and ahead: a sweep on an
 * H200 (docs/lab-notes.md, "Formats: parameters"). */
inline void slots_ahead(int share, int64_t width, int *block, int *ahead) {
    *block = block_for(share);
    *ahead = width > 4 ? 8 : 4;
}

/* Cost of one launch: its rows at a copy's speed, or the longest of them. */
inline double slots_cost(const tulle__spmv_shape *shape, int64_t width, int share) {
    double longest = slots_us(width, share) * bytes_a_microsecond(shape);
    double all = all_slots_cost(shape);
    return launch_cost(shape) + (longest > all ? longest : all);
}

/* True when the grid has less than 2^31 blocks. */
inline bool crews_fit(const tulle__spmv_shape *shape, int threads, int share) {
    return crews_for(shape->rows, make_crew(threads, share)) < INT32_MAX;
}

/* Bytes that are loaded and stored when every slot is read, and every entry fetches its number
 * of x or updates its number of y for itself. */
inline int64_t slots_bytes(const tulle__spmv_shape *shape, bool beta_zero) {
    int64_t once = tulle__spmv_minimal_bytes(shape, beta_zero),
            value = tulle_type_size(shape->type);
    return once + (shape->trans == TULLE_N ? shape->nnz - shape->cols : 2 * shape->nnz) * value;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
