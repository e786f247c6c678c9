/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a tile of entries, in shared memory: a bit for each entry, set where a row begins,
 * and there the number of that row among those of the tile. Offsets are read once, in full lines,
 * and nothing is searched. The first entry of a word has its highest bit. */
#ifndef TULLE_MATRIX_TILE_ROWS_CUH
#define TULLE_MATRIX_TILE_ROWS_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

class tile_rows {
  public:
    /* Most rows of a tile: they are counted in 16 bits. */
    static constexpr int64_t most_rows = int64_t{1} << 16;

    /* starts: a bit for each entry; numbers: the index of its row for each entry. */
    GPU_FUNCTION tile_rows(shared<unsigned> starts, shared<uint16_t> numbers)
        : starts_(starts), numbers_(numbers) {}

    GPU_FUNCTION void clear(int most) const {
        const auto stride = static_cast<int>(block_size());
        for (int w = static_cast<int>(thread()); w < most / 32; w += stride) starts_[w] = 0;
    }
    /* Marks the beginnings of rows; call it after a sync. offsets: those of the tile's rows, the
     * first of which has the tile's first entry; first, count: the tile's first entry and their
     * number. Rows without entries have no bit. */
    template <class O>
    GPU_FUNCTION void mark(const O *offsets, int rows, int64_t first, int count) const {
        const auto stride = static_cast<int>(block_size());
        for (int r = static_cast<int>(thread()); r < rows; r += stride) {
            const int64_t begin = load(offsets + r), end = load(offsets + r + 1);
            if (begin == end || begin >= first + count) continue;
            const int e = r == 0 ? 0 : static_cast<int>(begin - first);
            numbers_[e] = static_cast<uint16_t>(r);
            atomic_or(starts_ + e / 32, 1u << (31 - e % 32));
        }
    }

    /* Returns the row of the entry before those of a word; call it after another sync, by a
     * warp, as `of`. */
    GPU_FUNCTION unsigned before(int word) const {
        const int own = static_cast<int>(lane());
        GPU_KEEP_LOOP
        for (int w = word - 1 - own; w + own >= 0; w -= warp_lanes) {
            const unsigned bits = w >= 0 ? unsigned{starts_[w]} : 0;
            const unsigned some = ballot(full_warp, bits != 0);
            if (some == 0) continue;
            const int nearest = first_bit(some);
            const unsigned its = shuffle(full_warp, bits, nearest);
            return numbers_[(w + own - nearest) * 32 + 31 - first_bit(its)];
        }
        return 0;
    }
    /* Returns the row of a lane's entry of a word; *row: the row of the last entry before the
     * word, which becomes that of the word's last. */
    GPU_FUNCTION unsigned of(int word, unsigned *row) const {
        const int own = static_cast<int>(lane());
        const unsigned up_to_me = starts_[word] >> (31 - own);
        unsigned mine = *row;
        if (up_to_me != 0) mine = numbers_[word * 32 + own - first_bit(up_to_me)];
        *row = shuffle(full_warp, mine, warp_lanes - 1);
        return mine;
    }

  private:
    shared<unsigned> starts_;
    shared<uint16_t> numbers_;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
