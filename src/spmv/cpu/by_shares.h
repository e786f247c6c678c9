/* SPDX-License-Identifier: Apache-2.0 */
/* A^T x of CSR by shares of columns (spmv/shares.h), once for each type combination, after
 * by_parts.h and with its first_row. A share does in its columns all that by_parts does, part by
 * part, so y has the same bits.
 *
 * No include guard, on purpose. */

/* Adds alpha times the products of part p's entries in the columns of share s. */
static void NAME(scatter_share)(const tulle__spmv_task *task, int p, int parts, int s,
                                COMPUTED alpha, VALUE *y) {
    const tulle__column_shares *shares = task->shares;
    const tulle__column_share *share = &shares->share[s];
    const int64_t rows = task->shape.rows;
    const OFFSET *offsets = task->offsets, *cuts = shares->cuts;
    const OFFSET *from = s > 0 ? cuts + (s - 1) * rows : offsets;
    const OFFSET *to = s + 1 < shares->count ? cuts + s * rows : offsets + 1;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    const int64_t first = NAME(first_row)(task, p, parts),
                  last = NAME(first_row)(task, p + 1, parts);
    const int64_t end = last < share->row_end ? last : share->row_end;
    for (int64_t i = first > share->row_begin ? first : share->row_begin; i < end; i++) {
        COMPUTED own = x[i];
        for (OFFSET e = from[i]; e < to[i]; e++) y[cols[e]] += alpha * (values[e] * own);
    }
}

/* Clears part p's copy in the columns of share s and in its window, and adds to it. */
static void NAME(fill_share)(const NAME(parted) * t, int p, int s, COMPUTED alpha) {
    const tulle__column_share *share = &t->task->shares->share[s];
    const tulle__window w = t->windows[p];
    const int64_t begin = w.begin > share->begin ? w.begin : share->begin;
    const int64_t end = w.end < share->end ? w.end : share->end;
    if (begin >= end) return;
    memset(t->copies[p] + begin, 0, (size_t)(end - begin) * sizeof(VALUE));
    NAME(scatter_share)(t->task, p, t->parts, s, alpha, t->copies[p]);
}

/* Computes y in the columns of share s, where there are parts of rows. */
static void NAME(share_of_parts)(const NAME(parted) * t, int s, COMPUTED alpha, COMPUTED beta) {
    const tulle__column_share *share = &t->task->shares->share[s];
    for (int p = 0; p < t->parts; p++) NAME(fill_share)(t, p, s, alpha);
    for (int step = 1; step < t->parts; step *= 2) {
        for (int p = 0; p < t->parts; p += 2 * step) {
            NAME(add_copies)(t, p, step, share->begin, share->end);
        }
    }
    if (beta == 0) return;
    _Generic(beta, float
             : tulle__add_scaled_f32, double
             : tulle__add_scaled_f64)(t->copies[0], share->begin, share->end, beta, t->task->y);
}

/* Computes y in the columns of share s, where all rows are one part. */
static void NAME(share_of_all)(const tulle__spmv_task *task, int s, COMPUTED alpha, COMPUTED beta) {
    const tulle__column_share *share = &task->shares->share[s];
    VALUE *y = task->y;
    for (int64_t j = share->begin; j < share->end; j++) y[j] = beta == 0 ? 0 : y[j] * beta;
    NAME(scatter_share)(task, 0, 1, s, alpha, y);
}

static void NAME(by_shares)(const tulle__spmv_task *task, int threads, int parts,
                            const tulle__window *windows) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    const NAME(parted) t = NAME(parted_of)(task, parts, task->shape.cols, windows);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int s = 0; s < task->shares->count; s++) {
        if (parts == 1) {
            NAME(share_of_all)(task, s, alpha, beta);
        } else {
            NAME(share_of_parts)(&t, s, alpha, beta);
        }
    }
}
