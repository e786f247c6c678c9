/* SPDX-License-Identifier: Apache-2.0 */
/* The marks that the first pass of a sum leaves for the second. For each 32 successive entries of C
 * in a piece there is one word of bits that tell which of them A has, and one for B; the first
 * entry is the highest bit. The entries of A keep their order in C, and so do those of B, so that
 * counting bits gives the index of an entry in A and in B. */
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

/* A number in place of a column, greater than each column. */
template <class C>
constexpr C behind_all = static_cast<C>(~(static_cast<uint64_t>(1) << (8 * sizeof(C) - 1)));

/* Marks of successive entries of C that a thread finds, at most 32. */
struct marked {
    unsigned of_a, of_b;

    /* Returns the number of entries; each of them is in A or in B or in both. */
    GPU_FUNCTION int count() const { return count_bits(of_a | of_b); }
    GPU_FUNCTION int twice() const { return count_bits(of_a & of_b); }
    GPU_FUNCTION void add(bool with_a, bool with_b) {
        of_a += of_a + static_cast<unsigned>(with_a);
        of_b += of_b + static_cast<unsigned>(with_b);
    }
};

/* The words of a piece in shared memory, which begin as zeros. */
struct mark_words {
    shared<unsigned> a, b;

    /* Puts marks that begin with entry `first` of the piece. */
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
