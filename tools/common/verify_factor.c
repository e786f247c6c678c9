/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify_factor.h"

#include <omp.h>
#include <stdlib.h>

#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "tools/common/verify_factor_parts.h"

static tulle_status verify(tool_factored *f, tool_entry_error *found) {
    tulle_status status = tool_factor_pattern(f, found);
    if (status != TULLE_OK || found->fault) return status;
    tool_factor_diagonals(f);
    return tool_factor_numbers(f, found);
}

tulle_status tool_verify_factor(const tool_factor_claim *claim, tool_entry_error *found) {
    const int64_t blocks = (claim->A->rows + claim->block - 1) / claim->block;
    tool_csr turned = {0};
    *found = tool_factor_shape(claim, blocks);
    if (found->fault) return TULLE_OK;
    if (!claim->U) turned = tool_rows_of(claim->L, TULLE_T);
    tool_factored f = {.claim = claim,
                       .blocks = blocks,
                       .a = tool_factor_matrix(claim, blocks),
                       .l = claim->L,
                       .u = claim->U ? claim->U : &turned,
                       .symmetric = !claim->U};
    tulle_status status = verify(&f, found);
    tool_progress_end();
    free(f.largest);
    free(f.inverse);
    tool_csr_close(&f.a);
    tool_csr_close(&turned);
    return status;
}

int64_t tool_verify_factor_bytes(int64_t rows, int64_t nnz, int64_t factors, int block) {
    const int64_t word = sizeof(int64_t), wide = sizeof(long double),
                  cells = (int64_t)block * block;
    const int64_t matrix = tool_times(tool_plus(tool_times(nnz, 2), rows), 2 * word);
    const int64_t pattern = tool_plus(tool_times(factors, 3 * word), tool_times(rows, 6 * word));
    const int64_t diagonals = tool_times(rows, 2 * wide);
    const int64_t row = tool_plus(tool_times(rows, word),
                                  tool_times(factors < rows ? factors : rows, 2 * cells * wide));
    const int64_t all = tool_times(row, omp_get_max_threads());
    return tool_plus(tool_plus(matrix, pattern), tool_plus(diagonals, all));
}
