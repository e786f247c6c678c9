/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the entries of a CSR matrix into the slots of another format, on the GPU. Neighbouring
 * positions have neighbouring slots, while the entries of a row are neighbours in CSR. So a warp
 * takes a tile of 32 positions, reads a few entries of every row at a time, and passes them
 * through shared memory to lanes that write one row each. Rows too long for that are read entry
 * by entry. */
#include "format/entries.cuh"
#include "format/functions.h"
#include "format/slots.h"
#include "gpu/loop.cuh"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* piece: number of entries of a row that are read at a time. readers: number of rows that are read
 * at the same time. line and tile: numbers of a line and of a tile in shared memory; one more
 * number per line avoids bank conflicts. */
constexpr int piece = 8, readers = warp_lanes / piece, line = warp_lanes + 1, tile = piece * line;

/* Most entries of a row in a tile: other rows would wait for a longer one. */
constexpr int64_t tile_limit = 512;

template <class V, class Offset, class Index>
struct source {
    csr_entries<Offset, Index> csr;
    const V *values;
};

template <class V>
struct target {
    tulle__pattern_view laid;
    tulle__pattern_arrays out;
    V *values;

    /* Puts an entry into its slot, and returns the slot. */
    GPU_FUNCTION int64_t put(tulle__row_slots *to, int64_t k, int64_t col, V value) const {
        int64_t slot = tulle__slot_for(&laid, to, k, col);
        tulle__settle(&laid, &out, to->row, col, slot);
        values[slot] = value;
        return slot;
    }
    /* Sets the mask's bit for a slot. Adding the bit sets it, because no entry is repeated. */
    GPU_FUNCTION void mark(int64_t slot) const {
        int64_t bit = tulle__bit_of_slot(&laid, slot);
        atomic_add(static_cast<uint32_t *>(out.mask) + bit / 32, 1u << (bit % 32));
    }
    /* Sets the mask's bits for the entries of a tile. On a diagonal the entries share a word, in
     * which the bit number is the lane. All lanes must call this function. */
    GPU_FUNCTION void mark_together(bool is_entry, int64_t slot) const {
        if (laid.format != TULLE_DIA) {
            if (is_entry) mark(slot);
            return;
        }
        unsigned pending = ballot(full_warp, is_entry);
        int64_t word = slot / 32;
        for (int leader = 0; pending != 0; leader++) {
            if ((pending >> leader & 1u) == 0) continue;
            int64_t of_leader = shuffle(full_warp, word, leader);
            unsigned together = ballot(full_warp, is_entry && word == of_leader);
            if (static_cast<int>(lane()) == leader) {
                atomic_add(static_cast<uint32_t *>(out.mask) + word, together);
            }
            pending &= ~together;
        }
    }
};

template <class V, class Offset, class Index>
GPU_KERNEL GPU_RESIDENT(loop_threads, 3) void fill_tiles(source<V, Offset, Index> from,
                                                         target<V> to, const void *clipped) {
    GPU_SHARED(V, all_values, loop_warps * tile);
    GPU_SHARED(Index, all_cols, loop_warps * tile);
    int warp = static_cast<int>(thread()) / warp_lanes, own = static_cast<int>(lane());
    shared<V> tile_values = all_values + warp * tile;
    shared<Index> tile_cols = all_cols + warp * tile;
    int64_t rows = to.laid.rows, size = tulle_index_size(to.laid.index);
    for (int64_t p = loop_first(); p - own < rows; p += loop_stride()) {
        Offset begin = 0;
        int length = 0;
        tulle__row_slots slots = {};
        if (p < rows) {
            int64_t row = tulle__row_at(&to.laid, p);
            begin = load(from.csr.offsets + row);
            int64_t entries = from.csr.length(row);
            slots = tulle__row_slots_of(&to.laid, clipped, p, row, begin);
            if (to.out.lengths) tulle__put(to.out.lengths, size, row, entries);
            if (entries <= tile_limit) length = static_cast<int>(entries);
        }
        int longest = warp_reduce<most>(length);
        for (int first = 0; first < longest; first += piece) {
            V value[piece];
            Index col[piece];
            int k = first + own % piece;
            GPU_UNROLL
            for (int i = 0; i < piece; i++) {
                int owner = i * readers + own / piece;
                Offset start = shuffle(full_warp, begin, owner);
                bool is_entry = k < shuffle(full_warp, length, owner);
                col[i] = is_entry ? load_once(from.csr.cols + start + k) : 0;
                value[i] = is_entry ? load_once(from.values + start + k) : 0;
            }
            GPU_UNROLL
            for (int i = 0; i < piece; i++) {
                int at = own % piece * line + i * readers + own / piece;
                tile_cols[at] = col[i];
                tile_values[at] = value[i];
            }
            sync_warp(full_warp);
            GPU_KEEP_LOOP
            for (int i = 0; i < piece; i++) {
                bool is_entry = first + i < length;
                Index its_col = tile_cols[i * line + own];
                V its_value = tile_values[i * line + own];
                int64_t slot = is_entry ? to.put(&slots, first + i, its_col, its_value) : 0;
                if (to.out.mask) to.mark_together(is_entry, slot);
            }
            sync_warp(full_warp);
        }
    }
}

/* Finds the position of the row with a given number of entries. Rows are ordered by falling length
 * within windows, and by number where lengths are equal (order_rows). */
template <class Offset, class Index>
GPU_FUNCTION int64_t position_of(const csr_entries<Offset, Index> &csr,
                                 const tulle__pattern_view &laid, int64_t row, int64_t length) {
    if (!laid.order) return row;
    auto before = [&](int64_t p) {
        int64_t other = tulle__row_at(&laid, p), its_length = csr.length(other);
        return its_length > length || (its_length == length && other < row);
    };
    int64_t window = tulle__has(laid.format, TULLE__SLICED) ? laid.storage.window : laid.rows;
    int64_t position = row / window * window;
    TULLE__LOWER_BOUND(position, least::of(position + window, laid.rows), p, before(p));
    return position;
}

/* Fills the part of a long row that is in the warp's stretch of entries. */
template <class V, class Offset, class Index>
GPU_FUNCTION void fill_part(const source<V, Offset, Index> &from, const target<V> &to,
                            const void *clipped, int64_t row, const warp_stretch &stretch) {
    int64_t begin = from.csr.begin(row), length = from.csr.length(row);
    int64_t p = position_of(from.csr, to.laid, row, length);
    tulle__row_slots slots = tulle__row_slots_of(&to.laid, clipped, p, row, begin);
    int64_t end = least::of(begin + length, stretch.end);
    for (int64_t e = most::of(begin, stretch.begin) + lane(); e < end; e += warp_lanes) {
        int64_t slot =
            to.put(&slots, e - begin, load_once(from.csr.cols + e), load_once(from.values + e));
        if (to.out.mask) to.mark(slot);
    }
}

template <class V, class Offset, class Index>
GPU_KERNEL void fill_long_rows(source<V, Offset, Index> from, target<V> to, const void *clipped) {
    const csr_entries<Offset, Index> &csr = from.csr;
    warp_stretch stretch(csr.begin(csr.rows));
    int64_t first = row_of_entry(csr.offsets, csr.rows, stretch.begin, 0);
    for (; first < csr.rows && csr.begin(first) < stretch.end; first += warp_lanes) {
        /* empty rows are passed over */
        first = row_of_entry(csr.offsets, csr.rows, csr.begin(first), first);
        int64_t row = first + lane();
        bool is_long = row < csr.rows && csr.length(row) > tile_limit;
        unsigned pending = ballot(full_warp, is_long && csr.begin(row) < stretch.end);
        for (int i = 0; pending != 0; i++, pending >>= 1) {
            if (pending & 1u) fill_part(from, to, clipped, first + i, stretch);
        }
    }
}

/* Returns true if there may be rows too long for tiles, as far as the numbers of the layouts
 * tell. */
bool may_be_long(const tulle__pattern_view *csr, const tulle__pattern_view *laid) {
    switch (laid->format) {
        case TULLE_ELL:
        case TULLE_ELLR:
        case TULLE_JDS:
        case TULLE_DIA:
            return laid->storage.width > tile_limit;
        default:
            return csr->nnz > tile_limit;
    }
}

template <class V, class Offset, class Index>
tulle_status fill(const tulle__place *place, const tulle__pattern_view *csr, const void *csr_values,
                  const tulle__pattern_view *laid, const void *clipped,
                  const tulle__pattern_arrays *out, void *values) {
    const source<V, Offset, Index> from{csr_entries<Offset, Index>(*csr),
                                        static_cast<const V *>(csr_values)};
    const target<V> to{*laid, *out, static_cast<V *>(values)};
    GPU_TRY(launch(place, fill_tiles<V, Offset, Index>, loop_grid(laid->rows), from, to, clipped));
    if (!may_be_long(csr, laid)) return TULLE_OK;
    return launch(place, fill_long_rows<V, Offset, Index>, loop_grid(csr->nnz, loop_blocks_once),
                  from, to, clipped);
}

using filler = tulle_status (*)(const tulle__place *, const tulle__pattern_view *, const void *,
                                const tulle__pattern_view *, const void *,
                                const tulle__pattern_arrays *, void *);
constexpr filler fillers[2][3] = GPU_RUN_ALL(fill);

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(fill_layout)(const tulle__place *place, const tulle__pattern_view *csr,
                                     tulle_type type, const void *csr_values,
                                     const tulle__pattern_view *laid, const void *clipped,
                                     const tulle__pattern_arrays *out, void *values) {
    return gpu::fillers[tulle__type_index(type)][csr->index](place, csr, csr_values, laid, clipped,
                                                             out, values);
}
