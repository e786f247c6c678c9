/* SPDX-License-Identifier: Apache-2.0 */
/* Where a block row of L U and what it takes are, in shared memory or in scratch. */
#ifndef TULLE_FACTOR_GPU_ROW_LAYOUT_CUH
#define TULLE_FACTOR_GPU_ROW_LAYOUT_CUH

#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Rows of a few dozen blocks are in shared memory, and a piece of a row before them is about eight
 * numbers for each of as many threads. Wide ones, of factors with much fill, are in scratch, and
 * have more threads and larger pieces: each step there changes hundreds of blocks. */
template <int b, bool wide>
constexpr int row_threads = wide || b > 8 ? 256
                            : b > 5       ? 128
                            : b > 4       ? 64
                                          : 32;
constexpr int narrow_blocks = 16, wide_numbers = 4096;
template <int b, bool wide>
constexpr int piece_blocks = wide ? wide_numbers / (b * b) : narrow_blocks;

/* Shared memory is asked for in units of a step, which are parts of arrays of any type. */
struct step {
    int64_t first; /* the diagonal block of row k */
    int at;        /* where L_ik stands in row i */
    int blocks;    /* of row k, from its diagonal one on */
};
template <class X>
constexpr int64_t units_of(int64_t count) {
    return (count * static_cast<int64_t>(sizeof(X)) + sizeof(step) - 1) /
           static_cast<int64_t>(sizeof(step));
}

/* Numbers that a lane loads in one go: where rows are wide, as many of a block's row as fit in 16
 * bytes. */
template <class T, int b, bool wide>
constexpr int together = !wide || b % 2 != 0           ? 1
                         : b % 4 != 0 || sizeof(T) > 4 ? 2
                                                       : 4;

/* The blocks of a row, and of a piece, where numbers x = r b + c are in rows of blocks one after
 * the other. In shared memory rows are an odd number apart, so that the lanes of a group, and
 * groups, meet few banks twice; or, where lanes load several numbers of a row, blocks are as many
 * numbers apart, which is the same for groups, whose lanes all load the same ones. */
template <class T, int b, bool wide>
struct block_layout {
    static constexpr int cells = b * b, at_once = together<T, b, wide>;
    static constexpr int width = at_once > 1 ? b : b | 1;
    static constexpr int apart = at_once > 1 ? cells + at_once : b *width; /* blocks */

    GPU_FUNCTION static int in_shared(int block, int r, int c) {
        return block * apart + r * width + c;
    }
    GPU_FUNCTION static int in_shared(int x) {
        return at_once > 1 ? x + x / cells * at_once : x + x / b * (width - b);
    }
    /* In scratch the lanes of a group have what they load at once side by side. */
    GPU_FUNCTION static int in_scratch(int block, int r, int c) {
        return block * cells +
               (at_once > 1 ? (c / at_once * b + r) * at_once + c % at_once : r * b + c);
    }
    GPU_FUNCTION static int in_scratch(int x) {
        return at_once > 1 ? in_scratch(x / cells, x % cells / b, x % b) : x;
    }
};

/* Where the numbers of a row are. */
template <class T, bool wide>
struct row_numbers {
    using type = shared<T>;
};
template <class T>
struct row_numbers<T, true> {
    using type = T *;
};

/* What there is for a row of up to `longest` blocks. */
struct row_memory {
    int64_t steps, places, cols, targets, numbers, piece;
};
template <class T, class I, int b, bool wide>
row_memory memory_for(int64_t longest) {
    constexpr int64_t apart = block_layout<T, b, wide>::apart;
    return {longest,
            units_of<int64_t>(longest),
            units_of<I>(longest),
            units_of<int>(piece_blocks<b, wide>),
            units_of<T>(wide ? 0 : longest * apart),
            units_of<T>(piece_blocks<b, wide> * apart)};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
