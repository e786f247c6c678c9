/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a CSR pattern, shared out evenly among threads, so that no thread has more work
 * because a row is long. */
#ifndef TULLE_FORMAT_ENTRIES_CUH
#define TULLE_FORMAT_ENTRIES_CUH

#include "format/view.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* All rows of a pattern, or a part of its rows: offsets[0] need not be 0. */
template <class Offset, class Index>
struct csr_entries {
    const Offset *offsets;
    const Index *cols;
    int64_t rows;

    explicit csr_entries(const tulle__pattern_view &csr)
        : offsets(static_cast<const Offset *>(csr.offsets)),
          cols(static_cast<const Index *>(csr.cols_of)),
          rows(csr.rows) {}

    GPU_FUNCTION int64_t begin(int64_t row) const { return load(offsets + row); }
    GPU_FUNCTION int64_t length(int64_t row) const { return begin(row + 1) - begin(row); }

    /* Calls visit(row, e) for every entry. */
    template <class Visit>
    GPU_FUNCTION void each(Visit visit) const {
        int64_t first = begin(0), row = 0;
        warp_stretch stretch(begin(rows) - first);
        for (int64_t e = first + stretch.begin + lane(); e < first + stretch.end; e += warp_lanes) {
            row = row_of_entry(offsets, rows, e, row);
            visit(row, e);
        }
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
