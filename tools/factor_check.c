/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "sparse.h"
#include "tools/common/sums.h"
#include "tools/common/verify_factor.h"

/* Checks the room: the check has copies of L and U on the place, and once more on the host. */
tulle_status tool_factor_check_room(const tool_operand *A, const tulle_factor_info *factors) {
    const int64_t blocks = tool_plus(factors->nnz_l, factors->nnz_u);
    const int64_t cells = (int64_t)factors->block * factors->block, word = sizeof(double);
    const int64_t copies = tool_times(blocks, 2 * (cells * word + word));
    const int64_t check =
        tool_verify_factor_bytes(factors->rows, A->info.nnz, blocks, factors->block);
    const tool_sparse alone = {.A = *A, .alone = true, .check = true};
    char what[64];
    snprintf(what, sizeof what, "factors of %" PRId64 " rows", factors->rows);
    return tool_sparse_check_room(&alone, tool_plus(copies, check), what);
}
