/* SPDX-License-Identifier: Apache-2.0 */
/* Joins many numbers into one result: over a block's threads by halves, so that each sum is the
 * same every time, and as deep as the logarithm of the number of its terms. */
#ifndef TULLE_VECTOR_FINISH_CUH
#define TULLE_VECTOR_FINISH_CUH

#include "gpu/loop.cuh"
#include "vector/norm.h"

namespace TULLE_GPU_NAMESPACE {

struct add_up {
    GPU_FUNCTION static double of(double a, double b) { return a + b; }
};
struct take_larger {
    GPU_FUNCTION static double of(double a, double b) { return tulle__larger(a, b); }
};

/* Joins the numbers of the threads of a block of loop_threads whose indices are equal modulo
 * `width`, a power of two; the first `width` threads get the results. room: loop_threads
 * numbers. */
template <class Join>
GPU_FUNCTION double block_join(double v, int width, shared<double> room) {
    const int t = static_cast<int>(thread());
    room[t] = v;
    for (int half = loop_threads / 2; half >= width; half /= 2) {
        sync();
        if (t < half) room[t] = v = Join::of(v, room[t + half]);
    }
    sync();
    return v;
}

/* Number of neighbouring results that a block joins: a sector of memory. */
constexpr int finish_width = 4;

/* Joins partial results: number c of piece p is at p * count + c. All threads of a block must call
 * it; one of the first finish_width threads gets the result c. */
template <class Join>
GPU_FUNCTION double join_pieces(const double *partials, int64_t pieces, int64_t count, int64_t c,
                                shared<double> room) {
    double v = 0;
    constexpr int step = loop_threads / finish_width;
    for (int64_t p = thread() / finish_width; p < pieces && c < count; p += step) {
        v = Join::of(v, partials[p * count + c]);
    }
    return block_join<Join>(v, finish_width, room);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
