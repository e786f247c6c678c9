/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses fill for which there is no room, before it is made. */
#include "core/room.h"
#include "factor/host_rows.h"

tulle_status tulle__fill_fits(const tulle__fill_room *room, double entries, bool least) {
    const bool on_host = room->ctx->kind != TULLE_CUDA;
    const double place = entries * room->place_bytes;
    const double host = entries * room->host_bytes + (on_host ? place : 0);
    char words[TULLE__ROOM_TEXT];
    if (host < TULLE__WORTH_ASKING && room->ctx->pool.cap == 0) return TULLE_OK;
    tulle_status status = tulle__host_room_for(host, words);
    if (status == TULLE_OK) status = tulle__room_for(room->ctx, place, words);
    if (status == TULLE_OK) return TULLE_OK;
    return tulle__fail(TULLE_OUT_OF_MEMORY, room->function, "A", -1,
                       "the factors have %s%.0f entries with their fill, which take %s",
                       least ? "at least " : "", entries, words);
}

/* Counts the entries behind the diagonal of each row, and below the diagonal of each column. */
static void count_behind(const tulle__host_rows *from, int64_t *right, int64_t *below) {
    for (int64_t row = 0; row < from->rows; row++) {
        for (int64_t i = from->begins[row]; i < from->begins[row + 1]; i++) {
            if (from->cols[i] > row) right[row]++;
            if (from->cols[i] < row) below[from->cols[i]]++;
        }
    }
}

/* Returns the number of entries of the pattern with a row and a column behind k. */
static int64_t count_inner(const tulle__host_rows *from, int64_t k) {
    int64_t inner = 0;
    for (int64_t row = k + 1; row < from->rows; row++) {
        for (int64_t i = from->begins[row]; i < from->begins[row + 1]; i++) {
            inner += from->cols[i] > k;
        }
    }
    return inner;
}

tulle_status tulle__fill_least(tulle_ctx *ctx, const tulle__host_rows *from, bool whole,
                               double *entries) {
    const int64_t n = from->rows;
    int64_t *right = tulle__host_alloc(ctx, (size_t)(2 * n + 1) * sizeof *right), at = 0;
    if (!right) return TULLE_OUT_OF_MEMORY;
    int64_t *below = right + n;
    double most = 0;
    count_behind(from, right, below);
    for (int64_t k = 0; k < n; k++) {
        double r = (double)right[k], b = (double)below[k];
        if (whole) r = b = r > b ? r : b; /* counts as if the pattern were symmetric */
        if (r * b <= most) continue;
        most = r * b;
        at = k;
    }
    tulle__host_free(ctx, right);
    *entries = most + (double)(from->begins[n] - (n > 0 ? count_inner(from, at) : 0));
    return TULLE_OK;
}
