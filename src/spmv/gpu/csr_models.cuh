/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the cost models of the CSR kernels for one vector (docs/tuning.md): flights of
 * loads, warps that wait for their longest row, and the longest row of all. */
#ifndef TULLE_SPMV_GPU_CSR_MODELS_CUH
#define TULLE_SPMV_GPU_CSR_MODELS_CUH

#include <cmath>

#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Share, 0 to 1, by which the product leaves the cache behind and keeps the memory busy. */
inline double share_from_memory(const tulle__spmv_shape *shape) {
    double bytes = static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double room = 2 * static_cast<double>(shape->device->cache_bytes);
    return bytes < room ? bytes / room : 1;
}

/* Microseconds of a flight of so many lanes of a warp. Lines that are new in it take longer
 * where the memory is busy: x always, columns and values the more lanes there are, until each
 * flight has lines of its own. */
inline double lanes_flight_us(const tulle__spmv_shape *shape, double lanes) {
    double is_new = lanes < 6 ? 0.25 + lanes / 8 : 1;
    return TULLE__VECTOR_FLIGHT + TULLE__VECTOR_BUSY * is_new * share_from_memory(shape);
}

/* Bytes as if copied while a block of csr_adaptive with so many walking threads walks the longest
 * row. */
inline double longest_bytes(const tulle__spmv_shape *shape, double walkers) {
    return longest_row_us(shape, walkers, TULLE__BLOCK_FLIGHT) * bytes_a_microsecond(shape);
}

/* Microseconds of a flight of a whole block of csr_vector that walks a row. */
inline double block_flight_us(const tulle__spmv_shape *shape) {
    return TULLE__BLOCK_FLIGHT + TULLE__BLOCK_BUSY * share_from_memory(shape);
}

/* Bytes as if copied for a kernel's work once a row, apart from its bytes. */
inline double row_bytes(const tulle__spmv_shape *shape) {
    return TULLE__ROW_BYTES * share_from_memory(shape) *
           static_cast<double>(shape->rows - shape->stats->empty_rows);
}

/* A launch, all rows, which so many threads share, and the longest one, in bytes as if copied. From
 * the cache all rows are under way at once, and the longest one is the end of it or not. From
 * memory, where not all threads run at once, the last of n such rows begins when n of n + 1 parts
 * of the others are done; n is the count of the histogram's last bin. */
inline double cost_with_longest(const tulle__spmv_shape *shape, double all, double longest_us,
                                double threads) {
    int last = 32;
    while (last > 0 && shape->stats->row_histogram[last] == 0) last--;
    double n = static_cast<double>(shape->stats->row_histogram[last]);
    bool wait = threads > static_cast<double>(resident_threads(shape));
    double late = wait ? share_from_memory(shape) * n / (n + 1) * all : 0;
    double with_longest = late + longest_us * bytes_a_microsecond(shape);
    return launch_cost(shape) + (with_longest > all ? with_longest : all);
}

/* Bytes of x that csr_merge gathers from memory beyond reading x once, where x is larger than two
 * thirds of the cache and rows are so few that blocks of csr_vector walk all of them side by side.
 * Those blocks come to the same part of x at about the same time and so read it once; a tile of
 * csr_merge is somewhere in a row, all tiles together are everywhere in x, and each entry takes a
 * sector of its own, as far as x has so many. With more rows, or a smaller x, no kernel is ahead in
 * that. */
inline double gathered_bytes(const tulle__spmv_shape *shape) {
    constexpr double sector = 32;
    constexpr int64_t threads_a_row = 512;
    const double x = static_cast<double>(shape->cols * tulle_type_size(shape->type));
    const bool side_by_side = shape->rows <= resident_threads(shape) / threads_a_row;
    if (!side_by_side || 3 * x <= 2 * static_cast<double>(shape->device->cache_bytes)) return 0;
    return fmin(sector * static_cast<double>(shape->nnz), x * static_cast<double>(shape->rows));
}

/* Number of flights that a warp takes when so many lanes share a row: those of the longest of
 * its rows, which are taken to be a random choice. A bin of the histogram stands for its middle. */
inline double flights_of_warp(const tulle__spmv_shape *shape, int lanes) {
    const tulle__stats *stats = shape->stats;
    double flights = 0, shorter = 0, before = 0, rows = static_cast<double>(shape->rows);
    for (int bin = 0; bin <= 32; bin++) {
        if (stats->row_histogram[bin] == 0) continue;
        double low = bin > 0 ? static_cast<double>(int64_t{1} << (bin - 1)) : 0;
        double high = bin > 0 ? fmin(2 * low - 1, static_cast<double>(stats->max_row)) : 0;
        shorter += static_cast<double>(stats->row_histogram[bin]) / rows;
        double all_shorter = shorter;
        for (int others = lanes; others < 32; others *= 2) all_shorter *= all_shorter;
        flights += (all_shorter - before) * ceil((low + high) / 2 / (flight * lanes));
        before = all_shorter;
    }
    return flights;
}

/* Bytes as if copied of a product with so many lanes a row: the bytes at the bandwidth that uneven
 * rows leave, the lanes of a warp waiting for the longest of its rows, which the standard deviation
 * stands for; or, where the tail is heavier than it tells, the flights of all warps, one for
 * offsets and y more than for entries, as many at a time as the device holds. */
inline double lanes_cost(const tulle__spmv_shape *shape, int lanes) {
    constexpr double resident_warps = 64;
    double uneven = lanes < 32 ? unevenness(shape) : 0;
    double bytes = (TULLE__VECTOR_EVEN + TULLE__VECTOR_UNEVEN * uneven) *
                   static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double warps = static_cast<double>(shape->rows) * lanes / 32;
    double flight_us = lanes_flight_us(shape, lanes);
    double flights_us = TULLE__VECTOR_FLIGHTS * flight_us * (1 + flights_of_warp(shape, lanes)) *
                        warps / (resident_warps * shape->device->multiprocessors);
    double flights = flights_us * bytes_a_microsecond(shape);
    return cost_with_longest(shape, flights > bytes ? flights : bytes,
                             longest_row_us(shape, lanes, flight_us), 32 * warps);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
