/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the arguments of public functions that describe a matrix. */
#include <inttypes.h>

#include "core/access.h"
#include "core/types.h"
#include "matrix/build.h"

static tulle_status bad(const char *function, const char *argument, const char *what, int number) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, argument, -1, "%s %d is %s", argument,
                       number, what);
}

tulle_status tulle__check_index(const char *function, tulle_index index) {
    if ((unsigned)index < TULLE__INDEX_COUNT) return TULLE_OK;
    return bad(function, "index", "not one of tulle_index", (int)index);
}

tulle_status tulle__check_type(const char *function, tulle_type type) {
    if (tulle__is_type(type)) return TULLE_OK;
    return bad(function, "type", "not one of tulle_type", (int)type);
}

tulle_status tulle__check_space(const char *function, const tulle_ctx *ctx, const tulle_mat *A) {
    return tulle__check_space_of(function, "A", ctx, A);
}

tulle_status tulle__check_space_of(const char *function, const char *name, const tulle_ctx *ctx,
                                   const tulle_mat *A) {
    if (tulle__same_space(ctx, A->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, name, -1,
                       "%s lives on %s, the context on %s: copy it with tulle_mat_copy first", name,
                       A->ctx->info.name, ctx->info.name);
}

tulle_status tulle__check_square_blocks(const char *function, const tulle__pattern *pattern) {
    const tulle_storage *s = &pattern->storage;
    if (tulle__square_blocks(s)) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "A has blocks of %lld x %lld: convert it to CSR, or to square blocks",
                       (long long)tulle__block_rows(s), (long long)tulle__block_cols(s));
}

static tulle_status check_size(const char *function, const char *name, int64_t size, bool narrow,
                               const char *advice) {
    if (size < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1, "%s is %" PRId64, name,
                           size);
    }
    if (size < INT64_MAX && (!narrow || size <= INT32_MAX)) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, name, -1, "%s is %" PRId64 ": %s", name, size,
                       advice);
}

tulle_status tulle__check_sizes(const char *function, int64_t rows, int64_t cols, int64_t nnz,
                                tulle_index index) {
    bool narrow = tulle_index_size(index) == 4;
    const char *wider =
        narrow ? "use TULLE_I64, 32-bit indices end at 2147483647" : "no index type holds it";
    TULLE__TRY(check_size(function, "rows", rows, narrow, wider));
    TULLE__TRY(check_size(function, "cols", cols, narrow, wider));
    return check_size(function, "nnz", nnz, tulle_offset_size(index) == 4,
                      index == TULLE_I32
                          ? "use TULLE_I64_I32 or TULLE_I64, 32-bit offsets end at 2147483647"
                          : "no index type holds it");
}

tulle_status tulle__check_table_fits(const char *function, const char *argument,
                                     const tulle_ctx *ctx, int64_t rows, tulle_index index,
                                     const char *advice) {
    int64_t memory = ctx->info.memory_bytes > 0 ? ctx->info.memory_bytes : tulle__cpu_memory();
    int64_t size = tulle_offset_size(index);
    if (rows < memory / size) return TULLE_OK;
    char need[TULLE__HUMAN], have[TULLE__HUMAN];
    return tulle__fail(TULLE_TOO_LARGE, function, argument, -1,
                       "a table of %" PRId64 " rows takes %s, %s has %s: %s", rows,
                       tulle__human_bytes((double)rows * (double)size, need), ctx->info.name,
                       tulle__human_bytes((double)memory, have), advice);
}

tulle_status tulle__check_offsets_fit(const char *function, const tulle_ctx *ctx, int64_t rows,
                                      tulle_index index) {
    return tulle__check_table_fits(function, "rows", ctx, rows, index,
                                   "keep it in COO form, on a CPU");
}

/* Reads the row of an entry of a COO matrix for a message; -1 where it cannot be read. */
static int64_t row_of_entry(tulle_ctx *ctx, const tulle__pattern_view *coo, int64_t entry) {
    int64_t size = tulle_index_size(coo->index), row = 0;
    const char *from = (const char *)coo->rows_of + entry * size;
    if (tulle__copy_wait(ctx, &row, from, (size_t)size) != TULLE_OK) return -1;
    return tulle__get(&row, size, 0);
}

static tulle_status bad_coo_column(const char *function, tulle_ctx *ctx,
                                   const tulle__pattern_view *coo, const tulle__stats *s,
                                   int base) {
    int64_t row = row_of_entry(ctx, coo, s->bad_row);
    return tulle__fail(TULLE_INVALID_MATRIX, function, "columns", row,
                       "entry %" PRId64 " (row %" PRId64 "): column %" PRId64
                       " is out of range, %d to %" PRId64,
                       s->bad_row, row + base, s->bad_value + base, base, coo->cols - 1 + base);
}

tulle_status tulle__check_stats(const char *function, tulle_ctx *ctx,
                                const tulle__pattern_view *view, const tulle__stats *s, int base) {
    const tulle_status status = TULLE_INVALID_MATRIX;
    int64_t value = s->bad_value + base, row = s->bad_row + base;
    switch (s->bad_kind) {
        case TULLE__BAD_NONE:
            return TULLE_OK;
        case TULLE__BAD_FIRST_OFFSET:
            return tulle__fail(status, function, "offsets", 0,
                               "the first offset is %" PRId64 "; it must be %d, the base", value,
                               base);
        case TULLE__BAD_FALLING:
            return tulle__fail(status, function, "offsets", s->bad_row,
                               "row %" PRId64 " ends at offset %" PRId64
                               ", before it begins: offsets must not fall",
                               row, value);
        case TULLE__BAD_LAST_OFFSET:
            return tulle__fail(status, function, "offsets", view->rows > 0 ? view->rows - 1 : 0,
                               "the last offset is %" PRId64 "; it must be %" PRId64
                               ", nnz plus the base",
                               value, view->nnz + base);
        case TULLE__BAD_ROW:
            return tulle__fail(status, function, "row_indices", -1,
                               "entry %" PRId64 ": row %" PRId64 " is out of range, %d to %" PRId64,
                               s->bad_row, value, base, view->rows - 1 + base);
        default:
            break;
    }
    if (view->format == TULLE_COO) return bad_coo_column(function, ctx, view, s, base);
    return tulle__fail(status, function, "columns", s->bad_row,
                       "row %" PRId64 ": column %" PRId64 " is out of range, %d to %" PRId64, row,
                       value, base, view->cols - 1 + base);
}

tulle_status tulle__check_bytes_fit(const char *function, const char *argument, int64_t rows,
                                    int64_t cols, int64_t slots) {
    static const double limit = 0x1p57; /* largest size, 2^57: no kernel counts 64 bytes for each
                                           item */
    if ((double)rows + (double)cols + (double)slots < limit) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, argument, -1,
                       "the bytes of a product with %" PRId64 " x %" PRId64 " and %" PRId64
                       " slots pass 64 bits",
                       rows, cols, slots);
}
