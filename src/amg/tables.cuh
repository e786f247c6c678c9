/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of rows of interpolation by their numbers of products m_ik a_kj and of columns (bits,
 * tulle__amg_interpolation). A thread or some lanes list the products of most rows; a warp or a
 * block has a hash table of columns in shared memory; the largest tables are in memory of the
 * device. */
#ifndef TULLE_AMG_TABLES_CUH
#define TULLE_AMG_TABLES_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

enum {
    table_of_thread, /* rows of few products, and rows that are not fine */
    table_of_lanes,
    table_of_flat_warp, /* a warp lists the products */
    table_of_warp,
    table_of_block,
    table_far, /* rows whose table no shared memory holds */
    table_kinds
};

/* Largest base-2 logarithm of the number of products, or of the slots of a table, of each kind. */
constexpr int thread_bits = 4, lanes_bits = 6, flat_bits = 7, warp_bits = 9, block_bits = 11;

/* Numbers of entries that a row has, above which a thread does not walk along them, and of entries
 * that a row is made from, its own and those of the lists that it takes, above which a row goes to
 * a block however few its columns are. */
constexpr int64_t entries_of_thread = 16, work_of_warp = 1 << 15;

GPU_FUNCTION int table_kind(int bits) {
    if (bits <= thread_bits) return table_of_thread;
    if (bits <= lanes_bits) return table_of_lanes;
    if (bits <= flat_bits) return table_of_flat_warp;
    if (bits <= warp_bits) return table_of_warp;
    return bits <= block_bits ? table_of_block : table_far;
}

/* Bits of the kind of a row of so many products and own entries; bits: of its columns. */
GPU_FUNCTION uint8_t raised_bits(uint8_t bits, int64_t products, int64_t entries) {
    constexpr int64_t most_flat = int64_t{1} << flat_bits;
    if (products + entries > work_of_warp && bits <= warp_bits) return warp_bits + 1;
    if (products > most_flat) return bits > flat_bits ? bits : flat_bits + 1;
    while (int64_t{1} << bits < products) bits++;
    return entries > entries_of_thread && bits <= thread_bits ? thread_bits + 1 : bits;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
