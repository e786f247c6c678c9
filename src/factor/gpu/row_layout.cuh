/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a block row of L U and of its pieces, in shared memory or in scratch. */
#ifndef TULLE_FACTOR_GPU_ROW_LAYOUT_CUH
#define TULLE_FACTOR_GPU_ROW_LAYOUT_CUH

#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Rows of a few dozen blocks are in shared memory; a piece of an earlier row has about eight
 * numbers per thread, for as many threads. Wide rows, of factors with much fill, are in scratch,
 * and have more threads and larger pieces: each step there changes hundreds of blocks. */
template <int b, bool wide>
constexpr int row_threads = wide || b > 8 ? 256
                            : b > 5       ? 128
                            : b > 4       ? 64
                                          : 32;
constexpr int narrow_blocks = 16, wide_numbers = 4096;
template <int b, bool wide>
constexpr int piece_blocks = wide ? wide_numbers / (b * b) : narrow_blocks;

/* A step, in units of which shared memory is declared; the memory is used for parts of arrays of
 * any type. */
struct step {
    int64_t first; /* diagonal block of row k */
    int at;        /* place of L_ik in row i */
    int blocks;    /* number of blocks of row k, from its diagonal block on */
};
template <class X>
constexpr int64_t units_of(int64_t count) {
    return (count * static_cast<int64_t>(sizeof(X)) + sizeof(step) - 1) /
           static_cast<int64_t>(sizeof(step));
}

/* Number of numbers that a lane loads at a time: for wide rows as many of a block's row as fit in
 * 16 bytes. */
template <class T, int b, bool wide>
constexpr int together = !wide || b % 2 != 0           ? 1
                         : b % 4 != 0 || sizeof(T) > 4 ? 2
                                                       : 4;

/* The layout of the blocks of a row, and of a piece, in which the numbers x = r b + c are in rows
 * of blocks one after the other. In shared memory the rows are an odd number apart, so that the
 * lanes of a group, and groups, have few bank conflicts; or, if lanes load several numbers of a
 * row, the blocks are that many numbers apart, which is enough for groups, whose lanes all load the
 * same numbers. */
template <class T, int b, bool wide>
struct block_layout {
    static constexpr int cells = b * b, at_once = together<T, b, wide>;
    static constexpr int width = at_once > 1 ? b : b | 1;
    /* distance of two blocks */
    static constexpr int apart = at_once > 1 ? cells + at_once : b *width;

    GPU_FUNCTION static int in_shared(int block, int r, int c) {
        return block * apart + r * width + c;
    }
    GPU_FUNCTION static int in_shared(int x) {
        return at_once > 1 ? x + x / cells * at_once : x + x / b * (width - b);
    }
    /* Returns the place of a number in scratch, where the numbers that the lanes of a group load at
     * a time follow each other. */
    GPU_FUNCTION static int in_scratch(int block, int r, int c) {
        return block * cells +
               (at_once > 1 ? (c / at_once * b + r) * at_once + c % at_once : r * b + c);
    }
    GPU_FUNCTION static int in_scratch(int x) {
        return at_once > 1 ? in_scratch(x / cells, x % cells / b, x % b) : x;
    }
};

/* The memory of the numbers of a row. */
template <class T, bool wide>
struct row_numbers {
    using type = shared<T>;
};
template <class T>
struct row_numbers<T, true> {
    using type = T *;
};

/* The memory for a row of up to `longest` blocks. */
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
