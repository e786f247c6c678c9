/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/shares.h"

#include <math.h>

#include "core/room.h"
#include "spmv/cpu/cut_shares.h"

/* Shares are made where a product with them takes at most so much of the time of one without. */
static const double worth = 0.8;

/* One object of a pattern counts its products until they are due to make shares; another one, in
 * front of it in the list, then has the shares, or says that there are to be none. No product waits
 * for another one: the first that is due makes the shares, and others go by parts meanwhile. The
 * pattern's lock `building` is no guard for this, since tulle_mat_optimize holds it while it times
 * products (optimize/optimize.c). */
typedef struct kept_shares {
    tulle__derived base;
    _Atomic int64_t products; /* number of products so far */
    atomic_bool claimed;      /* true when a product makes the shares, or tried to */
    bool settled;             /* true when the shares are made, or never will be */
    tulle__column_shares shares;
} kept_shares;

static void free_shares(tulle__derived *derived) {
    tulle__free(derived->ctx, ((kept_shares *)derived)->shares.cuts);
}

static int64_t cut_bytes(const tulle__pattern *pattern, int count) {
    return count > 1 ? (count - 1) * pattern->rows * tulle_offset_size(pattern->index) : 0;
}

static int64_t kept_bytes(const tulle__derived *derived) {
    return cut_bytes(derived->pattern, ((const kept_shares *)derived)->shares.count);
}

static const tulle__owner all_shares = {.free = free_shares, .bytes = kept_bytes};

int64_t tulle__column_shares_bytes(const tulle__pattern *pattern,
                                   const tulle__column_shares *shares) {
    return cut_bytes(pattern, shares->count);
}

/* Number of shares for the threads, whose cuts take at most half of the bytes of offsets and
 * columns. */
static int shares_for(const tulle__pattern *pattern, int threads) {
    const int64_t offset = tulle_offset_size(pattern->index);
    const int64_t bytes = pattern->rows * offset + pattern->nnz * tulle_index_size(pattern->index);
    int count = threads < TULLE__MOST_SHARES ? threads : TULLE__MOST_SHARES;
    while (count > 1 && cut_bytes(pattern, count) > bytes / 2) count--;
    return count;
}

/* The following times are in those that a thread needs for an entry, about 0.7 nanoseconds. The
 * numbers are fitted to real matrices on two cores (docs/lab-notes.md): the end of a row takes as
 * long as an entry, and another eight where the row is longer or shorter than the row before, for
 * the processor expects the length of that one; a number of a copy of y takes half an entry
 * (cpu/parts.h), and, where threads add copies of each other, another whole one. */
static const double row_end = 1, other_length = 8, number = 0.5, foreign_number = 1;

static double time_of_rows(const tulle__pattern *pattern, double changes) {
    return (double)pattern->rows * (row_end + other_length * changes);
}

static double time_by_parts(const tulle__pattern *pattern, const tulle__shared_work *work,
                            const tulle__deal *deal) {
    const int busy = work->threads < work->parts ? work->threads : work->parts;
    const double copied = (double)work->copied;
    const double own = (double)pattern->nnz + time_of_rows(pattern, deal->row_changes);
    return (own + number * copied) / busy + (busy > 1 ? foreign_number * copied : 0);
}

/* Each share walks all rows. */
static double time_by_shares(const tulle__pattern *pattern, const tulle__shared_work *work,
                             const tulle__deal *deal) {
    const double own = (double)pattern->nnz + number * (double)work->copied;
    return own * deal->largest + time_of_rows(pattern, deal->piece_changes);
}

static bool pay(const tulle__pattern *pattern, const tulle__shared_work *work,
                const tulle__deal *deal) {
    return time_by_shares(pattern, work, deal) <= worth * time_by_parts(pattern, work, deal);
}

/* Threads cut the rows together, and look at each column index. */
static double time_of_cutting(const tulle__pattern *pattern, int count, int threads) {
    return ((double)pattern->nnz + (double)count * (double)pattern->rows) / threads;
}

static kept_shares *find(const tulle__pattern *pattern) {
    if (!tulle__derived_ever(pattern, &all_shares)) return NULL;
    pthread_mutex_t *lock = (pthread_mutex_t *)&pattern->lock;
    pthread_mutex_lock(lock);
    tulle__derived *first = tulle__derived_first(pattern, &all_shares);
    pthread_mutex_unlock(lock);
    return (kept_shares *)first;
}

int64_t tulle__column_shares_due(const tulle__pattern *pattern, const tulle__shared_work *work) {
    if (work->threads < 2 || !pattern->stats.sorted || pattern->nnz == 0) return 0;
    const kept_shares *kept = find(pattern);
    if (kept && kept->settled) return 0;
    const int count = shares_for(pattern, work->threads);
    const tulle__deal even = {.largest = 1.0 / count};
    if (count < 2 || !pay(pattern, work, &even)) return 0;
    const double saved = time_by_parts(pattern, work, &even) - time_by_shares(pattern, work, &even);
    return (int64_t)ceil(time_of_cutting(pattern, count, work->threads) / saved);
}

/* Cuts the rows. Leaves *shares without any where they would not pay, as one share would have most
 * of the entries, or pieces of rows would differ in length more than rows do; and where memory is
 * short, which is no failure of the product: it goes by parts. */
static void cut(tulle_ctx *ctx, const tulle__pattern *pattern, const tulle__shared_work *work,
                tulle__column_shares *shares) {
    char words[TULLE__ROOM_TEXT];
    shares->count = shares_for(pattern, work->threads);
    const tulle__deal deal = tulle__deal_columns(pattern, shares);
    const size_t bytes = (size_t)cut_bytes(pattern, shares->count);
    if (pay(pattern, work, &deal) && tulle__room_for(ctx, (double)bytes, words) == TULLE_OK &&
        tulle__alloc(ctx, bytes, &shares->cuts) == TULLE_OK) {
        tulle__cut_rows(pattern, work->threads, shares);
    } else {
        shares->count = 0;
    }
}

/* Makes an object that counts products or, settled, one that has the shares. */
static kept_shares *make(tulle_ctx *ctx, const tulle__pattern *pattern,
                         const tulle__shared_work *work, bool settled) {
    kept_shares *made = tulle__derived_new(ctx, sizeof *made, &all_shares);
    if (made) made->settled = settled;
    if (made && settled) cut(ctx, pattern, work, &made->shares);
    return made;
}

/* Puts an object in front of the list and returns it. An object that counts gives way to one of
 * another thread, which is there already. */
static kept_shares *put(tulle__pattern *pattern, kept_shares *made) {
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *there = made->settled ? NULL : tulle__derived_first(pattern, &all_shares);
    if (!there) tulle__derived_put(pattern, &made->base);
    pthread_mutex_unlock(&pattern->lock);
    if (!there) return made;
    tulle__derived_release(&made->base);
    return (kept_shares *)there;
}

static kept_shares *keep(tulle_ctx *ctx, tulle__pattern *pattern, const tulle__shared_work *work,
                         bool settled) {
    kept_shares *made = make(ctx, pattern, work, settled);
    return made ? put(pattern, made) : NULL;
}

/* Returns the shares if as many threads are busy with them as by parts. */
static const tulle__column_shares *fitting(const kept_shares *kept,
                                           const tulle__shared_work *work) {
    if (!kept || kept->shares.count < 2 || work->threads < 2) return NULL;
    return kept->shares.count >= work->threads || kept->shares.count > work->parts ? &kept->shares
                                                                                   : NULL;
}

const tulle__column_shares *tulle__column_shares_now(const tulle__pattern *pattern,
                                                     const tulle__shared_work *work) {
    return fitting(find(pattern), work);
}

const tulle__column_shares *tulle__column_shares_of(tulle_ctx *ctx, tulle__pattern *pattern,
                                                    const tulle__shared_work *work) {
    kept_shares *kept = find(pattern);
    if (kept && kept->settled) return fitting(kept, work);
    const int64_t due = tulle__column_shares_due(pattern, work);
    if (due == 0) return NULL;
    if (!kept) kept = keep(ctx, pattern, work, false);
    if (!kept || kept->settled) return fitting(kept, work);
    const bool is_due = atomic_fetch_add(&kept->products, 1) + 1 >= due;
    if (is_due && !atomic_exchange(&kept->claimed, true)) kept = keep(ctx, pattern, work, true);
    return fitting(kept, work);
}
