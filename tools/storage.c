/* SPDX-License-Identifier: Apache-2.0 */
#include "storage.h"

#include "progress.h"

tulle_status tool_find_storages(const tool_csr *A, const tulle_mat_info *info,
                                tool_storages *storages) {
    *storages = (tool_storages){0};
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) storages->of[f].stored = A->nnz;
    tool_find_row_storages(A, info, storages);
    tool_find_packed_storage(A, storages);
    tulle_status status = tool_find_place_storages(A, storages);
    tool_progress_end();
    return status;
}
