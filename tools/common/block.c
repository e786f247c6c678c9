/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/block.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

static tulle_vec_info info_of(const tulle_vec *block) {
    tulle_vec_info info = {0};
    (void)tulle_vec_describe(block, &info); /* describing fails for NULL alone */
    return info;
}

void *tool_block_host(const tulle_vec *block) {
    tulle_vec_info info = info_of(block);
    return tool_alloc((size_t)info.rows * (size_t)info.cols, (size_t)tulle_type_size(info.type));
}

/* Makes rows of `cols` numbers from columns of `rows` numbers, or the other way round. */
static void transpose(const char *from, char *to, int64_t rows, int64_t cols, int64_t size) {
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            memcpy(to + (i * cols + j) * size, from + (i + j * rows) * size, (size_t)size);
        }
    }
}

tulle_status tool_block_write(tulle_ctx *ctx, tulle_vec *block, const void *columns) {
    tulle_vec_info info = info_of(block);
    if (info.layout == TULLE_COLUMN_MAJOR) return tulle_vec_write(ctx, block, columns, 0);
    void *rows = tool_block_host(block);
    transpose(columns, rows, info.rows, info.cols, tulle_type_size(info.type));
    tulle_status status = tulle_vec_write(ctx, block, rows, 0);
    free(rows);
    return status;
}

tulle_status tool_block_read(tulle_ctx *ctx, const tulle_vec *block, void *columns) {
    tulle_vec_info info = info_of(block);
    if (info.layout == TULLE_COLUMN_MAJOR) return tulle_vec_read(ctx, block, columns, 0);
    void *rows = tool_block_host(block);
    tulle_status status = tulle_vec_read(ctx, block, rows, 0);
    if (status == TULLE_OK) {
        transpose(rows, columns, info.cols, info.rows, tulle_type_size(info.type));
    }
    free(rows);
    return status;
}
