/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix. Columns are cut into buckets. Each tile of entries is put in the
 * order of its buckets in shared memory, from where it goes out in runs; then each bucket is put in
 * the order of its columns in the same way. Both orders are stable, so the entries of a column stay
 * in the order of their rows. An entry is read and written twice; where all buckets fit in shared
 * memory, in the arrays of the result itself, beside which it takes two bytes. Where there are very
 * many columns, entries are sorted. */
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "matrix/functions.h"
#include "matrix/tile_order.cuh"
#include "matrix/tile_rows.cuh"

#include "format/functions.h"

namespace {

/* Of a tile and of a bucket as shared memory holds them: two blocks run at once. */
constexpr int tile_entries = 8192, bucket_entries = 9216;

/* As many buckets as leave their entries, or the entries that a tile has for each, not too few, or
 * as the columns of one ask for. */
constexpr int64_t mean_entries = 4096, usual_buckets = 2048, most_buckets = 4096;
constexpr int most_shift = 14;

constexpr int64_t most_columns = most_buckets << most_shift;
static_assert(most_columns <= INT32_MAX && most_shift <= gpu::head_bits, "columns have their bits");

template <class O, class C>
struct bucket_cut {
    int64_t rows, cols, nnz, tiles;
    const O *offsets;
    const C *cols_of;
    int shift, buckets; /* column j is in bucket j >> shift */
};

/* Entries by bucket: rows, what goes with them, and columns in their bucket. */
template <class P, class C>
struct entry_lists {
    C *rows_of;
    P *payload;
    uint16_t *lows;
};

/* The last row of [low, high) that does not begin behind the entry; by a warp. Row low does not. */
template <class O>
GPU_FUNCTION int64_t find_row(const O *offsets, int64_t low, int64_t high, int64_t entry) {
    while (high - low > 1) {
        const int64_t step = (high - low + gpu::warp_lanes - 1) / gpu::warp_lanes;
        const int64_t row = low + (gpu::lane() + int64_t{1}) * step;
        const bool before = row < high && gpu::load(offsets + row) <= entry;
        low += gpu::count_bits(gpu::ballot(gpu::full_warp, before)) * step;
        if (high - low > step) high = low + step;
    }
    return low;
}

template <class O, class C>
GPU_FUNCTION int entries_of_tile(const bucket_cut<O, C> &a, int64_t first) {
    return a.nnz - first < tile_entries ? static_cast<int>(a.nnz - first) : tile_entries;
}

/* Blocks whose warps find the first rows of tiles, one each. */
template <class O, class C>
int64_t finding_blocks(const bucket_cut<O, C> &a) {
    return (a.tiles + gpu::order_warps - 1) / gpu::order_warps;
}

/* starts[b * tiles + t] := the entries of tile t in bucket b, for a scan; and the tiles' first
 * rows. A search waits for memory five times, so it is not made by a block that others wait for. */
template <class O, class C>
GPU_KERNEL void count_tile(bucket_cut<O, C> a, int64_t finding, O *starts, C *first_rows) {
    GPU_SHARED(int, counts, most_buckets);
    constexpr int rounds = tile_entries / gpu::order_threads;
    const int me = static_cast<int>(gpu::thread());
    if (gpu::block() < finding) {
        const int64_t its = gpu::loop_first() / gpu::warp_lanes;
        if (its >= a.tiles) return;
        const int64_t row = find_row(a.offsets, 0, a.rows, its * tile_entries);
        if (gpu::lane() == 0) first_rows[its] = static_cast<C>(row);
        return;
    }
    const int64_t tile = gpu::block() - finding, first = tile * tile_entries;
    const int count = entries_of_tile(a, first);
    int bucket[rounds];
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = me + r * gpu::order_threads;
        bucket[r] = e < count ? static_cast<int>(gpu::load(a.cols_of + first + e) >> a.shift) : 0;
    }
    for (int b = me; b < a.buckets; b += gpu::order_threads) counts[b] = 0;
    gpu::sync();
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (me + r * gpu::order_threads < count) gpu::atomic_add(counts + bucket[r], 1);
    }
    gpu::sync();
    for (int b = me; b < a.buckets; b += gpu::order_threads) {
        const int some = counts[b];
        starts[b * a.tiles + tile] = some;
    }
}

template <class O, class C>
GPU_FUNCTION int64_t bucket_start(const bucket_cut<O, C> &a, const O *starts, int64_t bucket) {
    return bucket < a.buckets ? static_cast<int64_t>(gpu::load(starts + bucket * a.tiles)) : a.nnz;
}

/* Buckets that do not fit in shared memory are cut into tiles. All of these have a column of counts
 * in a table for each bucket, a row for each key, which scanned says where entries go. */
template <class O>
struct large_buckets {
    int64_t tiles;
    O *begins; /* of each bucket's tiles */
    O *starts; /* the tables */
};

/* tiles[b] := how many bucket b has, for a scan; one more number is for the sum. */
template <class O, class C>
GPU_KERNEL void count_large(bucket_cut<O, C> a, const O *starts, O *tiles) {
    for (int64_t b = gpu::loop_first(); b <= a.buckets; b += gpu::loop_stride()) {
        const int64_t size = bucket_start(a, starts, b + 1) - bucket_start(a, starts, b);
        tiles[b] = static_cast<O>(
            size > bucket_entries ? (size + bucket_entries - 1) / bucket_entries : 0);
    }
}

/* What a block sorts: a bucket, or a tile of a large one. */
struct bucket_tile {
    int64_t begin, end, column; /* of the bucket */
    int64_t at;
    int keys, count;
    int64_t number, tiles, table; /* of a large one's tiles; where its table begins */
};

template <class O, class C>
GPU_FUNCTION bucket_tile tile_of(const bucket_cut<O, C> &a, const O *starts, int64_t bucket,
                                 int64_t number) {
    const int width = 1 << a.shift;
    bucket_tile t = {};
    t.begin = bucket_start(a, starts, bucket);
    t.end = bucket_start(a, starts, bucket + 1);
    t.column = bucket << a.shift;
    t.keys = a.cols - t.column < width ? static_cast<int>(a.cols - t.column) : width;
    t.number = number;
    t.at = t.begin + number * bucket_entries;
    t.count = t.end - t.at < bucket_entries ? static_cast<int>(t.end - t.at) : bucket_entries;
    return t;
}

template <class O, class C>
GPU_FUNCTION bucket_tile tile_of_large(const bucket_cut<O, C> &a, const O *starts, const O *begins,
                                       int64_t tile) {
    const int64_t bucket = gpu::row_of_entry(begins, a.buckets, tile, 0);
    const int64_t before = gpu::load(begins + bucket);
    bucket_tile t = tile_of(a, starts, bucket, tile - before);
    t.tiles = gpu::load(begins + bucket + 1) - before;
    t.table = before << a.shift;
    return t;
}

template <class O, class C>
GPU_KERNEL void count_keys(bucket_cut<O, C> a, const O *starts, large_buckets<O> large,
                           const uint16_t *lows) {
    GPU_DYNAMIC_SHARED(int, counts);
    const int me = static_cast<int>(gpu::thread());
    const bucket_tile t = tile_of_large(a, starts, large.begins, gpu::block());
    for (int k = me; k < 1 << a.shift; k += gpu::order_threads) counts[k] = 0;
    gpu::sync();
    for (int e = me; e < t.count; e += gpu::order_threads) {
        gpu::atomic_add(counts + gpu::load(lows + t.at + e), 1);
    }
    gpu::sync();
    for (int k = me; k < 1 << a.shift; k += gpu::order_threads) {
        const int some = counts[k];
        large.starts[t.table + k * t.tiles + t.number] = some;
    }
}

/* What stands for entry e: its value, or its number. */
template <class P>
GPU_FUNCTION P payload_of(const P *values, int64_t e) {
    return values ? gpu::load(values + e) : static_cast<P>(e);
}

/* What stands in a thread's slots, and where it goes. */
template <class O, int rounds>
struct own_slots {
    O place[rounds];
    int entry[rounds];
};

/* Numbers that a tile's entries have in shared memory, to their places. */
template <int rounds, class T, class O>
GPU_FUNCTION void spread(gpu::shared<T> staged, int count, const own_slots<O, rounds> &own, T *to) {
    const int me = static_cast<int>(gpu::thread());
    gpu::sync();
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (me + r * gpu::order_threads < count) to[own.place[r]] = staged[own.entry[r]];
    }
}

/* The entries of a tile into the lists. A warp has neighbours in columns and rows. */
template <class P, class O, class C>
GPU_KERNEL GPU_RESIDENT(gpu::order_threads,
                        2) void fill_buckets(bucket_cut<O, C> a, const O *starts,
                                             const C *first_rows, const P *values,
                                             entry_lists<P, C> to) {
    GPU_DYNAMIC_SHARED(uint64_t, all);
    GPU_SHARED(uint16_t, numbers, tile_entries);
    GPU_SHARED(unsigned, row_starts, tile_entries / 32);
    GPU_SHARED(int, room, gpu::order_warps);
    constexpr int rounds = tile_entries / gpu::order_threads;
    const int me = static_cast<int>(gpu::thread());
    const int mine = me / gpu::warp_lanes * rounds * gpu::warp_lanes + me % gpu::warp_lanes;
    const int64_t first = static_cast<int64_t>(gpu::block()) * tile_entries;
    const int count = entries_of_tile(a, first);
    gpu::shared<unsigned> words = gpu::shared<unsigned>(all);
    gpu::shared<unsigned> heads = gpu::part_of(words, 0, tile_entries);
    gpu::shared<unsigned> columns = gpu::part_of(words, tile_entries, tile_entries);
    gpu::shared<O> start_room = gpu::shared<O>(all + tile_entries);
    gpu::shared<O> start_of = gpu::part_of(start_room, 0, a.buckets);
    gpu::shared<int> begins =
        gpu::part_of(gpu::shared<int>(start_room + a.buckets), 0, a.buckets + 1);
    const gpu::tile_order<tile_entries> tile(begins, a.buckets, heads, numbers, room);
    const gpu::tile_rows rows(row_starts, numbers);

    unsigned column[rounds];
    int slot[rounds];
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = mine + r * gpu::warp_lanes;
        column[r] = e < count ? static_cast<unsigned>(gpu::load_once(a.cols_of + first + e)) : 0;
    }
    const int64_t next = static_cast<int64_t>(gpu::block()) + 1;
    const int64_t row = gpu::load(first_rows + gpu::block());
    const int64_t row_end = next < a.tiles ? gpu::load(first_rows + next) + int64_t{1} : a.rows;
    const bool near = row_end - row <= gpu::tile_rows::most_rows;
    rows.clear(tile_entries);
    tile.clear();
    for (int b = me; b < a.buckets; b += gpu::order_threads) {
        start_of[b] = gpu::load(starts + b * a.tiles + gpu::block());
    }
    if (near) rows.mark(a.offsets + row, static_cast<int>(row_end - row), first, count);
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const bool some = mine + r * gpu::warp_lanes < count;
        slot[r] = some ? tile.add(static_cast<int>(column[r] >> a.shift)) : 0;
    }
    const bool many = tile.scan();
    const int word = me / gpu::warp_lanes * rounds;
    unsigned row_before = rows.before(word);
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = mine + r * gpu::warp_lanes;
        const unsigned its_row = rows.of(word + r, &row_before);
        if (e >= count) continue;
        slot[r] += tile.begin(static_cast<int>(column[r] >> a.shift));
        heads[slot[r]] = gpu::head_of(e, its_row);
    }
    if (many) tile.rank_many(columns);
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (mine + r * gpu::warp_lanes < count) columns[slot[r]] = column[r];
    }
    gpu::sync();
    own_slots<O, rounds> own;
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int p = me + r * gpu::order_threads;
        own.place[r] = 0;
        own.entry[r] = 0;
        if (p >= count) continue;
        const unsigned head = heads[p], its_column = columns[p];
        const int b = static_cast<int>(its_column >> a.shift);
        own.entry[r] = gpu::entry_of(head);
        own.place[r] = start_of[b];
        own.place[r] += tile.rank(p, head, b);
        to.lows[own.place[r]] = static_cast<uint16_t>(its_column & ((1u << a.shift) - 1));
        if (near) to.rows_of[own.place[r]] = static_cast<C>(row + (head & gpu::head_mask));
    }
    gpu::sync();
    if (!near) {
        gpu::shared<C> far = gpu::shared<C>(all);
        GPU_KEEP_LOOP
        for (int e = me; e < count; e += gpu::order_threads) {
            far[e] = static_cast<C>(gpu::row_of_entry(a.offsets, a.rows, first + e, row));
        }
        spread(far, count, own, to.rows_of);
        gpu::sync();
    }
    gpu::shared<P> payload = gpu::shared<P>(all);
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = me + r * gpu::order_threads;
        if (e < count) payload[e] = payload_of(values, first + e);
    }
    spread(payload, count, own, to.payload);
}

/* Heads and rows of a bucket, and then what goes with them, in shared memory. */
template <class C>
constexpr int sort_words = bucket_entries / 2 *
                           (1 + static_cast<int>(sizeof(C) / sizeof(unsigned)));

/* The entries of a bucket, or of a tile of a large one, by column, and where columns begin. The
 * lists may be the result where no bucket is large: all of one is read before it is written. */
template <class P, class O, class C>
GPU_KERNEL GPU_RESIDENT(gpu::order_threads,
                        2) void sort_buckets(bucket_cut<O, C> a, const O *starts,
                                             large_buckets<O> large, entry_lists<P, C> from,
                                             O *offsets, C *rows_of, P *values) {
    GPU_DYNAMIC_SHARED(uint64_t, all);
    GPU_SHARED(uint16_t, ranks, bucket_entries);
    GPU_SHARED(int, room, gpu::order_warps);
    constexpr int rounds = bucket_entries / gpu::order_threads;
    const int me = static_cast<int>(gpu::thread());
    const int64_t block = gpu::block();
    const bool is_large = block >= a.buckets;
    const bucket_tile t = is_large ? tile_of_large(a, starts, large.begins, block - a.buckets)
                                   : tile_of(a, starts, block, 0);
    if (!is_large && t.end - t.begin > bucket_entries) return;
    gpu::shared<unsigned> heads = gpu::part_of(gpu::shared<unsigned>(all), 0, bucket_entries);
    gpu::shared<uint64_t> apart = all + bucket_entries / 2;
    gpu::shared<unsigned> bits = gpu::part_of(gpu::shared<unsigned>(apart), 0, bucket_entries);
    gpu::shared<C> rows = gpu::part_of(gpu::shared<C>(apart), 0, bucket_entries);
    gpu::shared<int> begins =
        gpu::part_of(gpu::shared<int>(all + sort_words<C>), 0, (1 << a.shift) + 1);
    const gpu::tile_order<bucket_entries> tile(begins, t.keys, heads, ranks, room);
    const O *table = large.starts + t.table;
    const O table_start = is_large ? gpu::load(table) : 0;
    const auto start_of = [&](int k) {
        const int64_t before =
            is_large ? gpu::load(table + k * t.tiles + t.number) - table_start : tile.begin(k);
        return static_cast<O>(t.begin + before);
    };

    C row[rounds];
    unsigned keyed[rounds]; /* the key, and below it the slot */
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = me + r * gpu::order_threads;
        const bool some = e < t.count;
        keyed[r] = some ? unsigned{gpu::load(from.lows + t.at + e)} << gpu::head_bits : 0;
        row[r] = some ? from.rows_of[t.at + e] : 0;
    }
    tile.clear();
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (me + r * gpu::order_threads >= t.count) continue;
        keyed[r] |= static_cast<unsigned>(tile.add(gpu::entry_of(keyed[r])));
    }
    const bool many = tile.scan();
    if (t.number == 0) {
        for (int k = me; k < t.keys; k += gpu::order_threads) offsets[t.column + k] = start_of(k);
        if (me == 0 && t.column + t.keys == a.cols) offsets[a.cols] = static_cast<O>(a.nnz);
    }
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = me + r * gpu::order_threads, k = gpu::entry_of(keyed[r]);
        if (e >= t.count) continue;
        keyed[r] += static_cast<unsigned>(tile.begin(k));
        heads[keyed[r] & gpu::head_mask] = gpu::head_of(e, static_cast<unsigned>(k));
    }
    if (many) tile.rank_many(bits);
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        if (me + r * gpu::order_threads < t.count) rows[keyed[r] & gpu::head_mask] = row[r];
    }
    gpu::sync();
    own_slots<O, rounds> own;
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int p = me + r * gpu::order_threads;
        own.place[r] = 0;
        own.entry[r] = 0;
        if (p >= t.count) continue;
        const unsigned head = heads[p];
        const int k = static_cast<int>(head & gpu::head_mask);
        own.entry[r] = gpu::entry_of(head);
        own.place[r] = start_of(k);
        own.place[r] += tile.rank(p, head, k);
        rows_of[own.place[r]] = rows[p];
    }
    gpu::sync();
    gpu::shared<P> payload = gpu::shared<P>(all);
    GPU_UNROLL
    for (int r = 0; r < rounds; r++) {
        const int e = me + r * gpu::order_threads;
        if (e < t.count) payload[e] = from.payload[t.at + e];
    }
    spread(payload, t.count, own, values);
}

/* No more buckets than entries are good for, unless columns would be too many for one. */
template <class O, class C>
bucket_cut<O, C> cut_columns(const tulle__pattern_view *csr) {
    bucket_cut<O, C> a = {csr->rows,
                          csr->cols,
                          csr->nnz,
                          csr->nnz / tile_entries + (csr->nnz % tile_entries != 0),
                          static_cast<const O *>(csr->offsets),
                          static_cast<const C *>(csr->cols_of),
                          0,
                          0};
    int64_t wanted = a.nnz / mean_entries < usual_buckets ? a.nnz / mean_entries : usual_buckets;
    while (a.shift < most_shift && (a.cols - 1) >> a.shift > 0 &&
           (a.cols - 1) >> a.shift >= wanted) {
        a.shift++;
    }
    a.buckets = static_cast<int>((a.cols - 1) >> a.shift) + 1;
    return a;
}

/* Where the tiles of a bucket go, and how large buckets are cut. */
template <class O, class C>
tulle_status count_buckets(const tulle__place *place, const bucket_cut<O, C> &a, O *starts,
                           C *first_rows, large_buckets<O> *large) {
    O tiles = 0;
    const int64_t finding = finding_blocks(a);
    GPU_TRY(gpu::launch(place, count_tile<O, C>, {a.tiles + finding, gpu::order_threads}, a,
                        finding, starts, first_rows));
    GPU_TRY(gpu::exclusive_scan(place, starts, starts, a.tiles * a.buckets));
    GPU_TRY(gpu::launch(place, count_large<O, C>, gpu::loop_grid(a.buckets + int64_t{1}), a, starts,
                        large->begins));
    GPU_TRY(gpu::exclusive_scan(place, large->begins, large->begins, a.buckets + int64_t{1}));
    GPU_TRY(gpu::to_host(place, &tiles, large->begins + a.buckets, sizeof tiles));
    large->tiles = tiles;
    return TULLE_OK;
}

template <class P, class O, class C>
tulle_status fill(const tulle__place *place, const bucket_cut<O, C> &a, const O *starts,
                  const C *first_rows, const P *values, const entry_lists<P, C> &lists) {
    const size_t tables = static_cast<size_t>(a.buckets) * (sizeof(O) + sizeof(int));
    const size_t shared = tile_entries * sizeof(uint64_t) + tables + sizeof(uint64_t);
    return gpu::launch(place, fill_buckets<P, O, C>, {a.tiles, gpu::order_threads, shared}, a,
                       starts, first_rows, values, lists);
}

template <class P, class O, class C>
tulle_status sort(const tulle__place *place, const bucket_cut<O, C> &a, const O *starts,
                  const large_buckets<O> &large, const entry_lists<P, C> &lists, O *offsets,
                  C *rows_of, P *values) {
    const size_t table = sizeof(int) << a.shift;
    const size_t shared = (sort_words<C> + 1) * sizeof(uint64_t) + table;
    const int64_t numbers = large.tiles << a.shift;
    if (large.tiles > 0) {
        GPU_TRY(gpu::launch(place, count_keys<O, C>, {large.tiles, gpu::order_threads, table}, a,
                            starts, large, lists.lows));
        GPU_TRY(gpu::exclusive_scan(place, large.starts, large.starts, numbers));
    }
    return gpu::launch(place, sort_buckets<P, O, C>,
                       {a.buckets + large.tiles, gpu::order_threads, shared}, a, starts, large,
                       lists, offsets, rows_of, values);
}

/* Where there are large buckets, their tables, and lists beside the result. */
template <class P, class O, class C>
tulle_status get_large(const tulle__place *place, gpu::scratch *memory, const bucket_cut<O, C> &a,
                       large_buckets<O> *large, entry_lists<P, C> *lists) {
    const int64_t numbers = large->tiles << a.shift;
    char *all = nullptr;
    GPU_TRY(memory->get(static_cast<int64_t>(gpu::part_bytes<O>(numbers) +
                                             gpu::part_bytes<C>(a.nnz) + gpu::part_bytes<P>(a.nnz)),
                        &all));
    gpu::parts cut(place, all);
    GPU_TRY(cut.take(numbers, &large->starts));
    GPU_TRY(cut.take(a.nnz, &lists->rows_of));
    return cut.take(a.nnz, &lists->payload);
}

/* *done stays false where tables would take more than the entries. */
template <class P, class O, class C>
tulle_status by_buckets(const tulle__place *place, const tulle__turning *job, bool *done) {
    const bucket_cut<O, C> a = cut_columns<O, C>(job->csr);
    gpu::scratch memory(place);
    O *starts = nullptr;
    C *first_rows = nullptr;
    large_buckets<O> large = {};
    auto rows_of = static_cast<C *>(job->out_cols);
    auto payload = static_cast<P *>(job->perm ? static_cast<void *>(job->perm) : job->out_values);
    entry_lists<P, C> lists = {rows_of, payload, nullptr};
    const int64_t counts = a.tiles * a.buckets, buckets = a.buckets;
    char *all = nullptr; /* in one request, for each takes its time */
    GPU_TRY(memory.get(
        static_cast<int64_t>(gpu::part_bytes<O>(counts) + gpu::part_bytes<C>(a.tiles) +
                             gpu::part_bytes<O>(buckets + 1) + gpu::part_bytes<uint16_t>(a.nnz)),
        &all));
    gpu::parts cut(place, all);
    GPU_TRY(cut.take(counts, &starts));
    GPU_TRY(cut.take(a.tiles, &first_rows));
    GPU_TRY(cut.take(buckets + 1, &large.begins));
    GPU_TRY(cut.take(a.nnz, &lists.lows));
    GPU_TRY(count_buckets(place, a, starts, first_rows, &large));
    if (large.tiles << a.shift > a.nnz) return TULLE_OK;
    if (large.tiles > 0) GPU_TRY(get_large(place, &memory, a, &large, &lists));
    GPU_TRY(fill(place, a, starts, first_rows, static_cast<const P *>(job->values), lists));
    GPU_TRY(sort(place, a, starts, large, lists, static_cast<O *>(job->offsets), rows_of, payload));
    *done = true;
    return TULLE_OK;
}

template <class P>
tulle_status by_buckets_wide(const tulle__place *place, const tulle__turning *job, bool *done) {
    switch (job->csr->index) {
        case TULLE_I32:
            return by_buckets<P, int32_t, int32_t>(place, job, done);
        case TULLE_I64_I32:
            return by_buckets<P, int64_t, int32_t>(place, job, done);
        default:
            return by_buckets<P, int64_t, int64_t>(place, job, done);
    }
}

bool have_buckets(const tulle__pattern_view *csr) {
    return csr->nnz > 0 && csr->cols <= most_columns;
}

tulle_status by_sorting(const tulle__place *place, const tulle__turning *job) {
    const tulle__pattern_view *csr = job->csr;
    const int64_t size = tulle_index_size(csr->index);
    gpu::scratch memory(place);
    char *rows_of = nullptr;
    int64_t nnz = 0;
    GPU_TRY(memory.get(csr->nnz * size, &rows_of));
    GPU_TRY(GPU_SYMBOL(expand_offsets)(place, csr, rows_of));
    tulle__coo_to_csr sort = {};
    sort.rows = csr->cols;
    sort.cols = csr->rows;
    sort.nnz = csr->nnz;
    sort.in_index_size = size;
    sort.index = csr->index;
    sort.type = job->type;
    sort.rows_of = csr->cols_of;
    sort.cols_of = rows_of;
    sort.values = job->values;
    sort.offsets = job->offsets;
    sort.out_cols = job->out_cols;
    sort.out_values = job->out_values;
    sort.perm = job->perm;
    sort.host_nnz = &nnz;
    return GPU_SYMBOL(coo_to_csr)(place, &sort);
}

}  // namespace

tulle_status GPU_SYMBOL(turn_csr)(const tulle__place *place, const tulle__turning *job) {
    bool done = false;
    if (have_buckets(job->csr)) {
        GPU_TRY(job->perm || job->type == TULLE_F64 ? by_buckets_wide<uint64_t>(place, job, &done)
                                                    : by_buckets_wide<uint32_t>(place, job, &done));
    }
    return done ? GPU_SYMBOL(stream_wait)(place->device, place->stream) : by_sorting(place, job);
}
