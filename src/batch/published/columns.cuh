/* SPDX-License-Identifier: Apache-2.0 */
/* Factors by block columns: their pattern as CSC, which Afanasyev and others 2015 have for locality
 * (section 3.5), over the blocks where they are. */
#ifndef TULLE_BATCH_PUBLISHED_COLUMNS_CUH
#define TULLE_BATCH_PUBLISHED_COLUMNS_CUH

#include "batch/published/groups.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, int b>
class block_columns {
  public:
    GPU_FUNCTION block_columns(const tulle__task_lines &lines, V *values)
        : lines_(lines),
          offset_size_(tulle_offset_size(lines.index)),
          index_size_(tulle_index_size(lines.index)),
          values_(values) {}

    /* Column j has the blocks at places begin(j) to begin(j + 1) - 1; their block rows rise. */
    GPU_FUNCTION int64_t begin(int64_t j) const {
        return tulle__get(lines_.offsets, offset_size_, j);
    }
    GPU_FUNCTION int64_t row(int64_t place) const {
        return tulle__get(lines_.others, index_size_, place);
    }
    /* The first returns the index in the factors' pattern of the block at a place; the second, its
     * numbers, row by row. */
    GPU_FUNCTION int64_t slot(int64_t place) const {
        return tulle__get(lines_.slots, offset_size_, place);
    }
    GPU_FUNCTION V *block(int64_t place) const { return values_ + slot(place) * b * b; }

    /* The first place from `begin` on, before `end`, whose row is not above `row`; or end. */
    GPU_FUNCTION int64_t find(int64_t begin, int64_t end, int64_t wanted) const {
        while (begin < end) {
            const int64_t middle = begin + (end - begin) / 2;
            if (row(middle) < wanted) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }
    /* The place of the diagonal block, which factors always have. */
    GPU_FUNCTION int64_t diagonal(int64_t j) const { return find(begin(j), begin(j + 1), j); }

  private:
    const tulle__task_lines &lines_;
    int64_t offset_size_, index_size_;
    V *values_;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
