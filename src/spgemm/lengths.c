/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/lengths.h"

#include "core/error.h"
#include "matrix/matrix.h"
#include "spgemm/functions.h"

static uint8_t *bytes_of(const tulle__spgemm_lengths *lengths) {
    return (uint8_t *)(lengths->unfit + 1);
}

int64_t tulle__spgemm_lengths_bytes(const tulle__spgemm_lengths *lengths) {
    const int64_t ways = lengths->ways.rows ? lengths->ways_rows : 0;
    return ways + (lengths->unfit ? (int64_t)sizeof *lengths->unfit + lengths->rows : 0);
}

static void drop(tulle__spgemm_lengths *lengths, void *memory) {
    if (!memory) return;
    tulle__free(lengths->ctx, memory);
    tulle__ctx_release(lengths->ctx);
}

void tulle__spgemm_lengths_drop(tulle__spgemm_lengths *lengths) {
    drop(lengths, lengths->unfit);
    drop(lengths, lengths->ways.rows);
    *lengths = (tulle__spgemm_lengths){.unfit = NULL};
}

/* Takes memory that lengths own, of their context. */
static tulle_status take(tulle_ctx *ctx, tulle__spgemm_lengths *lengths, size_t bytes,
                         void **memory) {
    TULLE__TRY(tulle__alloc(ctx, bytes, memory));
    tulle__ctx_retain(ctx);
    lengths->ctx = ctx;
    return TULLE_OK;
}

tulle_status tulle__spgemm_ways_of(tulle_ctx *ctx, tulle__spgemm_lengths *lengths, int64_t rows,
                                   tulle__spgemm_ways **ways) {
    void *memory = NULL;
    *ways = NULL;
    if (ctx->kind == TULLE_CPU || lengths->none || rows == 0) return TULLE_OK;
    if (!lengths->ways.rows) {
        TULLE__TRY(take(ctx, lengths, (size_t)rows, &memory));
        lengths->ways = (tulle__spgemm_ways){.rows = memory};
        lengths->ways_rows = rows;
    }
    *ways = &lengths->ways;
    return TULLE_OK;
}

tulle_status tulle__spgemm_lengths_take(tulle_ctx *ctx, const tulle_mat *C,
                                        tulle__spgemm_lengths *lengths) {
    const tulle__pattern *p = C->pattern;
    void *memory = NULL;
    size_t bytes;
    if (lengths->none) return TULLE_OK;
    drop(lengths, lengths->unfit);
    lengths->unfit = NULL;
    lengths->looked = false;
    TULLE__TRY(tulle__size(p->rows, 1, sizeof *lengths->unfit, &bytes));
    TULLE__TRY(take(ctx, lengths, bytes, &memory));
    lengths->unfit = memory;
    lengths->rows = p->rows;
    const tulle_status status =
        ctx->backend->spgemm->take_lengths(&ctx->place, p->rows, tulle_offset_size(p->index),
                                           p->offsets.data, lengths->unfit, bytes_of(lengths));
    if (status != TULLE_OK) tulle__spgemm_lengths_drop(lengths);
    return status;
}

tulle_status tulle__spgemm_lengths_of(tulle_ctx *ctx, tulle__spgemm_lengths *lengths,
                                      const uint8_t **known) {
    int64_t unfit = 0;
    *known = NULL;
    if (!lengths->unfit) return TULLE_OK;
    if (!lengths->looked) {
        TULLE__TRY(tulle__copy_wait(ctx, &unfit, lengths->unfit, sizeof unfit));
        lengths->looked = true;
    }
    if (unfit > 0) {
        tulle__spgemm_lengths_drop(lengths);
        lengths->none = true;
        return TULLE_OK;
    }
    *known = bytes_of(lengths);
    return TULLE_OK;
}
