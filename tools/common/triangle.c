/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/triangle.h"

int64_t tool_triangle_bytes(const tulle_mat_info *A, const tulle_trisolve_info *T, tulle_diag diag,
                            int64_t columns) {
    const int64_t block = A->format == TULLE_BSR ? A->storage.block : 1;
    const int64_t value = tulle_type_size(A->type);
    const bool diagonal = block > 1 || diag == TULLE_NON_UNIT;
    const int64_t blocks = T->entries + (diagonal ? T->rows : 0);
    return blocks * (block * block * value + tulle_index_size(A->index)) +
           (T->rows + 1) * tulle_offset_size(A->index) + 2 * A->rows * columns * value;
}
