/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a multivector; memory between its columns (or rows) and the leading dimension stays as it
 * is. */
#include "dense/functions.h"
#include "dense/random.h"
#include "gpu/loop.cuh"

namespace {

/* A multivector as runs of successive numbers in memory: columns, or rows where rows are
 * contiguous. */
struct runs {
    int64_t count, length, ld;
    int64_t rows;
    bool by_row;

    /* Returns the index of an element, column by column, which is the same for every layout. */
    GPU_FUNCTION uint64_t number(int64_t run, int64_t i) const {
        return static_cast<uint64_t>(by_row ? run + i * rows : run * rows + i);
    }
};

template <class Value>
struct constant {
    Value value;
    GPU_FUNCTION Value operator()(uint64_t) const { return value; }
};

template <class Value>
struct random_number;
template <>
struct random_number<float> {
    uint64_t seed;
    GPU_FUNCTION float operator()(uint64_t number) const { return tulle__random_f32(seed, number); }
};
template <>
struct random_number<double> {
    uint64_t seed;
    GPU_FUNCTION double operator()(uint64_t number) const {
        return tulle__random_f64(seed, number);
    }
};

template <class Value, class Source>
GPU_KERNEL void set_each(runs all, Value *data, Source source) {
    gpu::loop_pairs at(all.length);
    for (int64_t k = gpu::loop_first(); k < all.count * all.length; k += gpu::loop_stride()) {
        data[at.outer * all.ld + at.inner] = source(all.number(at.outer, at.inner));
        at.next();
    }
}

}  // namespace

static runs runs_of(int64_t rows, int64_t cols, int64_t ld, tulle_layout layout) {
    bool by_row = layout == TULLE_ROW_MAJOR;
    return {by_row ? rows : cols, by_row ? cols : rows, ld, rows, by_row};
}

template <class Value, class Source>
static tulle_status set_all(const tulle__place *place, const runs &all, void *data, Source source) {
    return gpu::launch(place, set_each<Value, Source>, gpu::loop_grid(all.count * all.length), all,
                       static_cast<Value *>(data), source);
}

tulle_status GPU_SYMBOL(fill)(const tulle__place *place, tulle_type type, int64_t rows,
                              int64_t cols, int64_t ld, tulle_layout layout, void *data,
                              double value) {
    runs all = runs_of(rows, cols, ld, layout);
    if (type == TULLE_F64) return set_all<double>(place, all, data, constant<double>{value});
    return set_all<float>(place, all, data, constant<float>{static_cast<float>(value)});
}

tulle_status GPU_SYMBOL(random)(const tulle__place *place, tulle_type type, int64_t rows,
                                int64_t cols, int64_t ld, tulle_layout layout, void *data,
                                uint64_t seed) {
    runs all = runs_of(rows, cols, ld, layout);
    if (type == TULLE_F64) return set_all<double>(place, all, data, random_number<double>{seed});
    return set_all<float>(place, all, data, random_number<float>{seed});
}
