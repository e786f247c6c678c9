/* SPDX-License-Identifier: Apache-2.0 */
/* What the first pass of a sum leaves for the second: for each 32 entries of C that follow each
 * other in a piece, which of them A has, and which B, a bit each, the first one's the highest. C's
 * entries have A's in A's order and B's in B's, so bits that are counted say which ones. */
#ifndef TULLE_ALGEBRA_ADD_MARKS_CUH
#define TULLE_ALGEBRA_ADD_MARKS_CUH

#include "gpu/kept.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int add_threads = 256, add_warps = add_threads / warp_lanes;

using add_marks = pack<unsigned, 2>;

/* The pattern of an operand. */
template <class O, class C>
struct addend {
    const O *offsets;
    const C *cols;
};

/* No column: there are fewer than this number says. */
template <class C>
constexpr C behind_all = static_cast<C>(~(static_cast<uint64_t>(1) << (8 * sizeof(C) - 1)));

/* The entries of C that a thread finds, at most 32, which follow each other. */
struct marked {
    unsigned of_a, of_b;

    /* Each is in one of both. */
    GPU_FUNCTION int count() const { return count_bits(of_a | of_b); }
    GPU_FUNCTION int twice() const { return count_bits(of_a & of_b); }
    GPU_FUNCTION void add(bool with_a, bool with_b) {
        of_a += of_a + static_cast<unsigned>(with_a);
        of_b += of_b + static_cast<unsigned>(with_b);
    }
};

/* The words of a piece in shared memory, zeros at first. */
struct mark_words {
    shared<unsigned> a, b;

    /* From entry `first` of the piece on. */
    GPU_FUNCTION void put(int first, const marked &m) const {
        const unsigned at = static_cast<unsigned>(first);
        const unsigned word = at / 32, shift = 64 - at % 32 - static_cast<unsigned>(m.count());
        if (m.count() == 0) return;
        put(a + word, static_cast<uint64_t>(m.of_a) << shift);
        put(b + word, static_cast<uint64_t>(m.of_b) << shift);
    }
    GPU_FUNCTION add_marks at(int word) const { return {{a[word], b[word]}}; }

  private:
    GPU_FUNCTION static void put(shared<unsigned> at, uint64_t bits) {
        const unsigned here = static_cast<unsigned>(bits >> 32);
        const unsigned next = static_cast<unsigned>(bits);
        if (here != 0) atomic_or(at, here);
        if (next != 0) atomic_or(at + 1, next);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
