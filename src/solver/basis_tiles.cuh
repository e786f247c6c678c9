/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a basis and of a vector w in shared memory. Asynchronous copies keep the next tiles
 * on their way, so that no register waits for them; each number is used twice where it lies. */
#ifndef TULLE_SOLVER_BASIS_TILES_CUH
#define TULLE_SOLVER_BASIS_TILES_CUH

#include "gpu/loop.cuh"
#include "solver/orthogonal.h"

namespace TULLE_GPU_NAMESPACE {

template <class V>
struct basis {
    int64_t n, stride;
    int columns;
    const V *v;
    V *w;
    V *first, *again, *norm;
    double *sums, *whole;
    int64_t pieces;
    /* Sums of a pass over the basis, 0 or 1. */
    GPU_FUNCTION double *sums_of(int pass) const {
        return pass == 0 ? sums : sums + (columns + 1) * pieces;
    }
    /* First row of a piece. Pieces are whole packs of every type: behind the last row are zeros. */
    GPU_FUNCTION int64_t begin(int64_t piece) const {
        const int64_t units = (n + TULLE__ORTHOGONAL_UNIT - 1) / TULLE__ORTHOGONAL_UNIT;
        return units * piece / pieces * TULLE__ORTHOGONAL_UNIT;
    }
    /* End of the rows of this block's piece, without the zeros behind the last row. */
    GPU_FUNCTION int64_t end() const {
        const int64_t next = begin(block() + 1);
        return next < n ? next : n;
    }
};

/* Bytes of a column's part of a tile, and from it to the next column's: so far apart that two
 * lanes of a row, which have neighbouring columns, and the rows of a warp are in different
 * banks. */
constexpr int tile_bytes = 1024, tile_pitch = tile_bytes + 64, tile_stages = 3;
constexpr int tile_warps = loop_threads / warp_lanes, lanes_of_row = 2;

/* Columns `first` to `first + count` of the basis, at most `most`. */
template <int most, class V>
class basis_tiles {
  public:
    static constexpr int rows = tile_bytes / static_cast<int>(sizeof(V));
    static constexpr int pitch = tile_pitch / static_cast<int>(sizeof(V));
    static constexpr int slot = (most + 1) * pitch, own = most / lanes_of_row;
    static constexpr size_t bytes = sizeof(V) * tile_stages * slot;

    GPU_FUNCTION basis_tiles(const basis<V> &b, int first, int count, shared<V> room)
        : b_(b), first_(first), count_(count), room_(room), end_(b.begin(block() + 1)) {}

    /* Calls use(row, v, w) for the rows of this block: v is the thread's columns of the row, w
     * its number of the vector. Both lanes of a row come at once. */
    template <class Use>
    GPU_FUNCTION void each_row(Use use) {
        const int64_t begin = b_.begin(block());
        for (int s = 0; s + 1 < tile_stages; s++) fetch(begin + int64_t{s} * rows, s);
        int now = 0;
        for (int64_t at = begin; at < end_; at += rows) {
            copy_wait<tile_stages - 2>();
            sync();
            fetch(at + int64_t{tile_stages - 1} * rows, (now + tile_stages - 1) % tile_stages);
            const int64_t left = end_ - at;
            use_tile(at, left < rows ? static_cast<int>(left) : rows, room_ + now * slot, use);
            now = (now + 1) % tile_stages;
        }
    }

    /* Number in the tile of the thread's column k. */
    GPU_FUNCTION static int column(int k) {
        return k * lanes_of_row + static_cast<int>(thread()) % lanes_of_row;
    }

  private:
    GPU_FUNCTION void fetch(int64_t at, int to) {
        constexpr int n = 16 / static_cast<int>(sizeof(V)), packs = rows / n;
        const int row = static_cast<int>(thread()) % packs * n;
        for (int c = static_cast<int>(thread()) / packs; c <= count_ && at + row < end_;
             c += loop_threads / packs) {
            const V *from = c < count_ ? b_.v + (first_ + c) * b_.stride : b_.w;
            const int place = to * slot + (c < count_ ? c : most) * pitch + row;
            copy_async<16>(room_ + place, from + at + row);
        }
        copy_commit();
    }

    template <class Use>
    GPU_FUNCTION void use_tile(int64_t at, int count, shared<V> tile, Use &use) {
        for (int r = static_cast<int>(thread()) / lanes_of_row; r < count;
             r += loop_threads / lanes_of_row) {
            V v[own];
            GPU_UNROLL
            for (int k = 0; k < own; k++) {
                v[k] = column(k) < count_ ? V(tile[column(k) * pitch + r]) : V(0);
            }
            use(at + r, v, V(tile[most * pitch + r]));
        }
    }

    const basis<V> &b_;
    int first_, count_;
    shared<V> room_;
    int64_t end_;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
