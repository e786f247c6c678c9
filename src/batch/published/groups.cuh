/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of threads into which the one thread block of a task is divided (Afanasyev and others
 * 2015, section 3.1: "threads are divided to groups"). */
#ifndef TULLE_BATCH_PUBLISHED_GROUPS_CUH
#define TULLE_BATCH_PUBLISHED_GROUPS_CUH

#include "batch/gpu/numbers.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Threads of a task (section 2), and of one on values of factors (section 3.4). */
constexpr int published_threads = 1024, published_lu_threads = 512;

/* A group has b^2 threads, one for each number of a b x b block. */
template <int b>
struct group_of {
    static constexpr int size = b * b;
    int groups, group; /* number of groups of the thread block; the thread's group */
    int row, col;      /* the thread's number of a block */
    GPU_FUNCTION group_of()
        : groups(static_cast<int>(block_size()) / size),
          group(static_cast<int>(thread()) / size),
          row(static_cast<int>(thread()) % size / b),
          col(static_cast<int>(thread()) % b) {}
    GPU_FUNCTION int own() const { return row * b + col; }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
