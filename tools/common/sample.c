/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/sample.h"

#include <string.h>

#include "tools/common/error.h"

int64_t tool_sample_at(const tool_sample *sample, int64_t all, int64_t i) {
    if (!tool_sample_is_part(sample, all)) return i;
    const int64_t begin = i * all / sample->most, end = (i + 1) * all / sample->most;
    const uint64_t bits = tool_mix(tool_mix(sample->seed) + (uint64_t)i);
    return begin + (int64_t)(bits % (uint64_t)(end - begin));
}

bool tool_sample_fits(const tool_csr *A) {
    bool fits = tool_csr_offset(A, 0) == 0 && tool_csr_offset(A, A->rows) == A->nnz;
#pragma omp parallel for reduction(&& : fits)
    for (int64_t i = 0; i < A->rows; i++) {
        fits = fits && tool_csr_offset(A, i) <= tool_csr_offset(A, i + 1);
    }
    return fits;
}

static void set_offset(const tool_csr *A, void *offsets, int64_t i, int64_t offset) {
    if (A->index == TULLE_I32) {
        ((int32_t *)offsets)[i] = (int32_t)offset;
    } else {
        ((int64_t *)offsets)[i] = offset;
    }
}

tool_csr tool_sample_rows(const tool_sample *sample, const tool_csr *A) {
    const int64_t rows = tool_sample_count(sample, A->rows);
    const size_t column = (size_t)tulle_index_size(A->index);
    const size_t value = (size_t)tulle_type_size(A->type);
    tool_csr few = *A;
    few.rows = few.heads = rows;
    few.nnz = 0;
    few.owned[3] = NULL;
    few.made = NULL;
    few.owned[0] = tool_alloc((size_t)rows + 1, (size_t)tulle_offset_size(A->index));
    set_offset(A, few.owned[0], 0, 0);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t row = tool_sample_at(sample, A->rows, i);
        few.nnz += tool_csr_offset(A, row + 1) - tool_csr_offset(A, row);
        set_offset(A, few.owned[0], i + 1, few.nnz);
    }
    few.owned[1] = tool_alloc((size_t)few.nnz + 1, column);
    few.owned[2] = tool_alloc((size_t)few.nnz + 1, value);
    few.offsets = few.owned[0];
    for (int64_t i = 0; i < rows; i++) {
        const int64_t row = tool_sample_at(sample, A->rows, i);
        const size_t from = (size_t)tool_csr_offset(A, row), to = (size_t)tool_csr_offset(&few, i);
        const size_t count = (size_t)tool_csr_offset(A, row + 1) - from;
        memcpy((char *)few.owned[1] + to * column, (const char *)A->columns + from * column,
               count * column);
        memcpy((char *)few.owned[2] + to * value, (const char *)A->values + from * value,
               count * value);
    }
    few.columns = few.owned[1];
    few.values = few.owned[2];
    return few;
}
