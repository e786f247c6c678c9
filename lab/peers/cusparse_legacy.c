/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cusparse_legacy.h"

#include <dlfcn.h>

#include "tools/common/error.h"

cusparse_legacy_library cusparse_legacy;

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&cusparse_legacy.name = dlsym(cusparse.handle, #name);                               \
    if (!cusparse_legacy.name) return #name;
#define T(name) F(cusparseS##name) F(cusparseD##name)
    CUSPARSE_LEGACY_FUNCTIONS(F, T)
#undef T
#undef F
    return NULL;
}

tulle_status cusparse_legacy_available(char version[BENCH_VERSION]) {
    tulle_status status = cusparse_available(version);
    if (status != TULLE_OK || cusparse_legacy.loaded) return status;
    const char *missing = find_functions();
    if (missing) return tool_record(TULLE_NOT_FOUND, "libcusparse has no %s any more", missing);
    cusparse_legacy.loaded = true;
    return TULLE_OK;
}

tulle_status cusparse_legacy_describe(const trial_problem *problem, cusparse_legacy_matrix *A) {
    const tulle_mat_info *info = &problem->info;
    const int64_t block = info->format == TULLE_BSR ? info->storage.block : 1;
    const bool square = info->format != TULLE_BSR || info->storage.block_cols == block;
    if (!square || info->index != TULLE_I32 || info->rows % block != 0 || info->cols % block != 0) {
        return tool_record(TULLE_UNSUPPORTED,
                           "cuSPARSE's older functions take 32-bit indices and whole, square "
                           "blocks");
    }
    tulle_mat_arrays a;
    tulle_status status = tulle_mat_view(problem->A, &a);
    if (status != TULLE_OK) return status;
    *A = (cusparse_legacy_matrix){.type = info->type,
                                  .rows = (int)(info->rows / block),
                                  .cols = (int)(info->cols / block),
                                  .nnz = (int)(info->storage.stored / (block * block)),
                                  .block = (int)block,
                                  .offsets = a.offsets,
                                  .columns = a.cols,
                                  .values = (void *)a.values};
    CUSPARSE_LEGACY_TRY(cusparseCreateMatDescr, &A->descriptor);
    return TULLE_OK;
}

tulle_status cusparse_legacy_pivot(cusparseStatus_t status, int position, const char *call) {
    if (status != CUSPARSE_STATUS_ZERO_PIVOT) return cusparse_status(status, call);
    return tool_record(TULLE_ZERO_PIVOT, "%s: the pivot of row %d is missing or zero", call,
                       position);
}

#endif
