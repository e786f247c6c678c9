/* SPDX-License-Identifier: Apache-2.0 */
/* A system that a block of threads solves. The numbers of the matrix are in shared memory all the
 * time, vectors in registers; the vector of a product is also in shared memory, for all threads to
 * read. */
#ifndef TULLE_UNIFORM_SYSTEM_CUH
#define TULLE_UNIFORM_SYSTEM_CUH

#include "uniform/sweeps.cuh"
#include "vector/twofold.h"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_FUNCTION V *number_of(const tulle__strided &v, int64_t s, int64_t i) {
    return static_cast<V *>(v.data) + i * v.row + s * v.col;
}

/* The data of a thread; each: most rows of a thread. */
template <class V, int each, int warps>
struct uniform_system {
    using number = V;
    using threads = team<warps>;
    static constexpr int rows = each;

    const tulle__uniform_view &pattern;
    const tulle__strided &b;
    threads all;
    /* numbers of matrix and factors, by slots, and the vector of a product, by rows */
    shared<V> values, factors, gathered;
    shared<double> small;
    double *triangle;
    V *basis;
    int64_t s;
    /* first slots and lengths of the thread's rows (length 0: no row), and the largest of the
     * lengths */
    int first[each], length[each], longest;
    V x[each], r[each], inverse[each];
    tulle_uniform_preconditioner preconditioner;
    int n, restart;
    double scale, limit, norm;
    int64_t iterations, most_iterations;

    /* Returns row number i of the thread. */
    GPU_FUNCTION static int row(int i) { return i * threads::threads + static_cast<int>(thread()); }
    GPU_FUNCTION double b_at(int i) const {
        return row(i) < n ? static_cast<double>(*number_of<const V>(b, s, row(i))) * scale : 0.0;
    }

    /* Loads the matrix, and the places of the thread's rows. */
    GPU_FUNCTION void load_matrix(const tulle__strided &a) {
        for (int e = static_cast<int>(thread()); e < pattern.entries; e += threads::threads) {
            values[load(pattern.slot_of + e)] = load_once(number_of<const V>(a, s, e));
        }
        longest = 0;
        GPU_UNROLL
        for (int i = 0; i < each; i++) {
            const bool is_row = row(i) < n;
            first[i] = is_row ? load(pattern.first + row(i)) : 0;
            length[i] = is_row ? load(pattern.length + row(i)) : 0;
            longest = length[i] > longest ? length[i] : longest;
        }
    }

    /* Puts the vector into shared memory, for all threads to read. */
    GPU_FUNCTION void gather(const V *v) {
        threads::meet();
        GPU_UNROLL
        for (int i = 0; i < each; i++) {
            if (row(i) < n) gathered[row(i)] = v[i];
        }
        threads::meet();
    }

    /* Goes through the thread's rows together, so that their loads do not wait for one another. */
    template <class Add>
    GPU_FUNCTION void each_entry(Add add) const {
        for (int e = 0; e < longest; e++) {
            GPU_UNROLL
            for (int i = 0; i < each; i++) {
                if (e >= length[i]) continue;
                const int slot = first[i] + e * pattern.step;
                const V value = values[slot], with = gathered[load(pattern.columns + slot)];
                add(i, value, with);
            }
        }
    }

    /* Computes the inverse diagonal; returns the first row without an inverse, or n. */
    GPU_FUNCTION int invert_diagonal() {
        double worst = 0;
        GPU_UNROLL
        for (int i = 0; i < each; i++) {
            inverse[i] = 0;
            if (row(i) >= n) continue;
            const int slot = load(pattern.diagonal + row(i));
            if (slot >= 0) inverse[i] = V(1) / static_cast<V>(values[slot]);
            const bool bad = !tulle__uniform_inverts(static_cast<double>(inverse[i]));
            if (bad) worst = fmax(worst, static_cast<double>(n - row(i)));
        }
        return n - static_cast<int>(all.largest(worst));
    }

    GPU_FUNCTION int factorise() {
        for (int e = static_cast<int>(thread()); e < pattern.entries; e += threads::threads) {
            const int slot = load(pattern.slot_of + e);
            factors[slot] = static_cast<V>(values[slot]);
        }
        return factor_in_place<warps, V>(pattern, factors, all);
    }

    /* Makes the preconditioner; returns the first row that prevents it, or n. */
    GPU_FUNCTION int make_preconditioner() {
        if (preconditioner == TULLE_UNIFORM_JACOBI) return invert_diagonal();
        return preconditioner == TULLE_UNIFORM_ILU ? factorise() : n;
    }

    /* Computes x and r at the start, and the limit. If there is no guess, b is the residual at the
     * start. Returns the largest number of b. */
    GPU_FUNCTION double begin(const tulle_uniform_options &o, const tulle__strided &guess,
                              bool single);
    GPU_FUNCTION void end(const tulle__strided &to) const {
        GPU_UNROLL
        for (int i = 0; i < each; i++) {
            if (row(i) < n) *number_of<V>(to, s, row(i)) = x[i] * static_cast<V>(1 / scale);
        }
    }
};

/* The functions that methods.h calls. */
template <class S>
GPU_FUNCTION void multiply(S *a, const typename S::number *x, typename S::number *y) {
    using V = typename S::number;
    V sum[S::rows] = {};
    a->gather(x);
    a->each_entry([&](int i, V value, V with) { sum[i] += value * with; });
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) y[i] = sum[i];
}

template <class S>
GPU_FUNCTION void precondition(S *a, const typename S::number *x, typename S::number *y) {
    using V = typename S::number;
    constexpr int warps = S::threads::threads / warp_lanes;
    const bool jacobi = a->preconditioner == TULLE_UNIFORM_JACOBI;
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) y[i] = jacobi ? a->inverse[i] * x[i] : x[i];
    if (a->preconditioner != TULLE_UNIFORM_ILU) return;
    a->gather(x);
    solve_triangle<warps, V>(a->pattern, a->factors, a->gathered, TULLE_LOWER, true);
    solve_triangle<warps, V>(a->pattern, a->factors, a->gathered, TULLE_UPPER, false);
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) {
        if (S::row(i) < a->n) y[i] = a->gathered[S::row(i)];
    }
}

template <class S>
GPU_FUNCTION double own_dot(const typename S::number *x, const typename S::number *y) {
    double sum = 0;
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
}

template <class S>
GPU_FUNCTION double dot(const S *a, const typename S::number *x, const typename S::number *y) {
    return a->all.sum(own_dot<S>(x, y));
}

template <class S>
GPU_FUNCTION double square(const S *a, const typename S::number *x, double by) {
    double sum = 0;
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) {
        const double scaled = static_cast<double>(x[i]) * by;
        sum += scaled * scaled;
    }
    return a->all.sum(sum);
}

template <class S>
GPU_FUNCTION double largest(const S *a, const typename S::number *x) {
    double most = 0;
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) most = tulle__larger(most, fabs(static_cast<double>(x[i])));
    return a->all.largest(most);
}

template <class S>
GPU_FUNCTION void dots(const S *a, const typename S::number *x, const typename S::number *y,
                       const typename S::number *u, const typename S::number *v, double *sums) {
    sums[0] = own_dot<S>(x, y);
    sums[1] = own_dot<S>(u, v);
    a->all.sum(sums, sums + 1);
}

template <class S>
GPU_FUNCTION double residual(S *a) {
    using V = typename S::number;
    tulle__twofold sum[S::rows] = {};
    a->gather(a->x);
    a->each_entry([&](int i, V value, V with) {
        tulle__twofold_add_product(sum + i, -static_cast<double>(value), static_cast<double>(with));
    });
    double square = 0;
    GPU_UNROLL
    for (int i = 0; i < S::rows; i++) {
        tulle__twofold_add(sum + i, a->b_at(i), 0);
        const double number = sum[i].sum + sum[i].lost;
        a->r[i] = static_cast<V>(number);
        square += number * number;
    }
    return sqrt(a->all.sum(square));
}

template <class V, int each, int warps>
GPU_FUNCTION double uniform_system<V, each, warps>::begin(const tulle_uniform_options &o,
                                                          const tulle__strided &guess,
                                                          bool single) {
    double most = 0, square = 0;
    scale = 1;
    GPU_UNROLL
    for (int i = 0; i < each; i++) most = tulle__larger(most, fabs(b_at(i)));
    most = all.largest(most);
    if (tulle__uniform_is_number(most)) scale = tulle__uniform_scale(single, most);
    GPU_UNROLL
    for (int i = 0; i < each; i++) {
        x[i] = 0;
        r[i] = static_cast<V>(b_at(i));
        square += b_at(i) * b_at(i);
    }
    norm = sqrt(all.sum(square));
    limit = fmax(o.tolerance * norm, o.absolute * scale);
    if (!o.guess || norm == 0) return most;
    GPU_UNROLL
    for (int i = 0; i < each; i++) {
        if (row(i) < n) x[i] = *number_of<const V>(guess, s, row(i)) * static_cast<V>(scale);
    }
    norm = residual(this);
    return most;
}

#define SYSTEM System
#define VALUE typename System::number
#define FUNCTION(type, name)                                                                       \
    template <class System>                                                                        \
    GPU_FUNCTION type name
#define VECTOR(v, k) VALUE v[System::rows]
#define EACH(i)                                                                                    \
    GPU_UNROLL                                                                                     \
    for (int i = 0; i < System::rows; i++)
#define CALL(f, ...) f(__VA_ARGS__)
#define ONE_THREAD(a) (thread() == 0)
#define MEET(a) a->all.meet()
#define BASIS(k, i) a->basis[((k)*System::rows + (i)) * System::threads::threads + thread()]
#include "uniform/methods.h"
#undef SYSTEM
#undef VALUE
#undef FUNCTION
#undef VECTOR
#undef EACH
#undef CALL
#undef ONE_THREAD
#undef MEET
#undef BASIS

}  // namespace TULLE_GPU_NAMESPACE

#endif
