/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonal blocks on the GPU. The unknowns of a block, for one column of X, are in as many lanes of
 * a warp, and each lane has its own row of op(D) in registers. All lanes of the warp must call the
 * functions here. */
#ifndef TULLE_TRISOLVE_GPU_DIAGONAL_CUH
#define TULLE_TRISOLVE_GPU_DIAGONAL_CUH

#include <math.h>

#include "trisolve/gpu/system.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The position of a lane: it has unknown r of b; unknown c is in lane first + c * apart. */
struct block_lane {
    int b, r, first, apart;
    GPU_FUNCTION int of(int c) const { return first + c * apart; }
};

/* Division by a number that is known long before the dividend: a product with its inverse, and a
 * step of Newton's method for the last bit (Markstein 1990), if neither leaves the range of
 * numbers. If the number is stored as an inverse, it is a product. */
template <class V>
struct divisor {
    V by = 1, inverse = 1;
    bool plain = true, multiplies = false;

    GPU_FUNCTION void set(V v, bool is_inverse = false) {
        constexpr V large = sizeof(V) == 4 ? V(0x1p+100) : V(0x1p+900);
        by = v;
        multiplies = is_inverse;
        inverse = is_inverse ? v : V(1) / v;
        const V size = v < 0 ? -v : v;
        plain = is_inverse || (size < large && size > 1 / large);
    }
    /* Divides; returns false if the fast way does not fit, and then *quotient is any number. */
    GPU_FUNCTION bool try_divide(V x, V *quotient) const {
        const V about = x * inverse, left = fma(-about, by, x);
        const V refined = fma(left, inverse, about);
        *quotient = multiplies ? about : refined;
        return plain & (about - about == 0);
    }
    GPU_FUNCTION V divide(V x) const {
        V quotient;
        if (!try_divide(x, &quotient)) quotient = multiplies ? x * by : x / by;
        return quotient;
    }
};

template <class V, int most>
struct diagonal_row {
    V row[most];        /* numbers (r, c) of op(D) */
    divisor<V> own;     /* number (r, r), by which the lane divides */
    unsigned cells = 0; /* bit c is 1 if number (r, c) is an entry that is used */
    int pivot = 0;

    /* left: number of rows of the matrix from this block on; slot -1: the block is not stored. */
    template <class S, class I>
    GPU_FUNCTION void fetch(const triangular<S, V, I> &a, const block_lane &l, int64_t i,
                            int64_t slot, int64_t left) {
        const tulle__diagonal how = a.diagonal;
        const bool triangle =
            how == TULLE__DIAGONAL_TRIANGLE || how == TULLE__DIAGONAL_UNIT_TRIANGLE;
        cells = 0;
        if (slot < 0 || how == TULLE__DIAGONAL_UNIT || (triangle && l.r >= left)) return;
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            if (c >= l.b || (triangle && (a.lower ? c > l.r : c < l.r))) continue;
            const int cell = a.cell(l.b, l.r, c);
            if (triangle && !a.is_entry(slot, cell)) continue;
            row[c] = a.value(slot, l.b, cell);
            cells |= 1u << c;
            if (c == l.r) own.set(row[c]);
        }
        if (how == TULLE__DIAGONAL_FACTORISED) pivot = load_awaited(a.pivots + i * l.b + l.r);
    }

    GPU_FUNCTION bool has(int c) const { return cells >> c & 1u; }

    /* Makes unknown c known; the unknowns that wait for it subtract its products. */
    GPU_FUNCTION V step(const block_lane &l, int c, bool divide, bool waits, V x) const {
        if (divide && l.r == c && has(c)) x = own.divide(x);
        const V known = shuffle(full_warp, x, l.of(c));
        return waits && has(c) ? x - row[c] * known : x;
    }
    GPU_FUNCTION V forward(const block_lane &l, bool divide, V x) const {
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            if (c < l.b) x = step(l, c, divide, l.r > c, x);
        }
        return x;
    }
    GPU_FUNCTION V backward(const block_lane &l, bool divide, V x) const {
        GPU_UNROLL
        for (int c = most - 1; c >= 0; c--) {
            if (c < l.b) x = step(l, c, divide, l.r < c, x);
        }
        return x;
    }

    GPU_FUNCTION V multiply(const block_lane &l, V x) const {
        V sum = 0;
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            if (c >= l.b) continue;
            const V other = shuffle(full_warp, x, l.of(c));
            if (has(c)) sum += row[c] * other;
        }
        return sum;
    }

    /* These two functions replace number r by the one at pivots[r], and back. */
    GPU_FUNCTION V permute(const block_lane &l, V x) const {
        return shuffle(full_warp, x, l.of(pivot));
    }
    GPU_FUNCTION V permute_back(const block_lane &l, V x) const {
        V found = x;
        for (int c = 0; c < l.b; c++) {
            const int to = shuffle(full_warp, pivot, l.of(c));
            const V other = shuffle(full_warp, x, l.of(c));
            if (to == l.r) found = other;
        }
        return found;
    }

    /* Returns op(D)^-1 x. For L U = P D: D^-1 = U^-1 L^-1 P, and D'^-1 = P' L'^-1 U'^-1. */
    template <class S, class I>
    GPU_FUNCTION V solve(const triangular<S, V, I> &a, const block_lane &l, V x) const {
        switch (a.diagonal) {
            case TULLE__DIAGONAL_TRIANGLE:
            case TULLE__DIAGONAL_UNIT_TRIANGLE: {
                const bool divide = a.diagonal == TULLE__DIAGONAL_TRIANGLE;
                return a.lower ? forward(l, divide, x) : backward(l, divide, x);
            }
            case TULLE__DIAGONAL_INVERTED:
                return multiply(l, x);
            case TULLE__DIAGONAL_FACTORISED:
                if (a.turned) {
                    return permute_back(l, backward(l, false, forward(l, true, x)));
                }
                return backward(l, true, forward(l, false, permute(l, x)));
            default:
                return x;
        }
    }
};

/* A diagonal of single numbers. */
template <class V>
struct diagonal_row<V, 1> {
    divisor<V> own;

    template <class S, class I>
    GPU_FUNCTION void fetch(const triangular<S, V, I> &a, const block_lane &, int64_t, int64_t slot,
                            int64_t) {
        const bool unit =
            a.diagonal == TULLE__DIAGONAL_UNIT || a.diagonal == TULLE__DIAGONAL_UNIT_TRIANGLE;
        own.set(unit ? V(1) : a.value(slot, 1, 0), a.diagonal == TULLE__DIAGONAL_INVERTED);
    }
    template <class S, class I>
    GPU_FUNCTION V solve(const triangular<S, V, I> &, const block_lane &, V x) const {
        return own.divide(x);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
