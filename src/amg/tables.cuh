/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of rows of interpolation by the table of their columns (bits, tulle__amg_interpolation):
 * some lanes, a warp or a block have it in shared memory; the largest ones are in memory of the
 * device. */
#ifndef TULLE_AMG_TABLES_CUH
#define TULLE_AMG_TABLES_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

enum {
    table_of_lanes, /* rows whose table some lanes of a warp share; rows that are not fine */
    table_of_warp,
    table_of_block,
    table_far, /* rows whose table no shared memory holds */
    table_kinds
};

/* Largest base-2 logarithm of the slots of a table of each kind. */
constexpr int lanes_bits = 6, warp_bits = 9, block_bits = 11;

/* Numbers of entries that a row is made from, its own and those of the rows it is connected with,
 * above which a row goes to a warp or to a block however few its columns are. */
constexpr int64_t work_of_lanes = 1 << 12, work_of_warp = 1 << 15;

GPU_FUNCTION int table_kind(int bits) {
    if (bits <= lanes_bits) return table_of_lanes;
    if (bits <= warp_bits) return table_of_warp;
    return bits <= block_bits ? table_of_block : table_far;
}

/* Bits of the table of a row that is made from so many entries. */
GPU_FUNCTION uint8_t raised_bits(uint8_t bits, int64_t work) {
    if (work > work_of_warp && bits <= warp_bits) return warp_bits + 1;
    if (work > work_of_lanes && bits <= lanes_bits) return lanes_bits + 1;
    return bits;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
