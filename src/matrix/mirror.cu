/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a pattern that is its own: values change places with their mirror images. */
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "matrix/functions.h"

namespace {

/* Values are only moved: P is as wide as one. */
template <class P, class O, class C>
struct mirror_task {
    int64_t rows;
    const O *offsets;
    const C *cols_of;
    const P *values;
    P *out_values;
    int64_t *perm;
    unsigned *missing; /* not 0: an entry has no mirror image */
};

/* The entry of [first, last) with the column, or -1. The search begins where it would be if the
 * k-th entry of a row were the k-th from the end in its mirror image, as in a stencil; its steps
 * double until they have passed the column, and then halve. */
template <class O, class C>
GPU_FUNCTION O find_mirrored(const C *cols_of, O first, O last, O k, C column) {
    O low = first, high = last, at = k < last - first ? last - 1 - k : first, step = 1;
    bool up = false, down = false;
    while (low < high) {
        C seen = gpu::load(cols_of + at);
        if (seen == column) return at;
        if (seen < column) {
            low = at + 1;
            up = true;
        } else {
            high = at;
            down = true;
        }
        if (up && down) {
            at = low + (high - low) / 2;
            continue;
        }
        if (up) at = high - at > step ? at + step : high - 1;
        if (down) at = at - low > step ? at - step : low;
        step *= 2;
    }
    return -1;
}

/* Blocks look at their start, and only then, whether an entry was missed before: the looks of all
 * would meet in one place. So blocks are many, and none has many rows. */
constexpr int64_t mirror_blocks = 8192;

/* Some lanes take a row. */
template <int lanes, class P, class O, class C>
GPU_KERNEL void mirror(mirror_task<P, O, C> t) {
    GPU_SHARED(unsigned, missed, 1);
    if (gpu::thread() == 0) missed[0] = gpu::load_relaxed(t.missing);
    gpu::sync();
    const unsigned in_vain = missed[0];
    if (in_vain != 0) return;
    const int64_t teams = gpu::loop_stride() / lanes;
    const O own = static_cast<O>(gpu::thread() % lanes);
    for (int64_t row = gpu::loop_first() / lanes; row < t.rows; row += teams) {
        const O begin = gpu::load(t.offsets + row), end = gpu::load(t.offsets + row + 1);
        bool found = true;
        for (O e = begin + own; found && e < end; e += lanes) {
            const C i = gpu::load(t.cols_of + e);
            const O first = gpu::load(t.offsets + i), last = gpu::load(t.offsets + i + 1);
            const O at = find_mirrored(t.cols_of, first, last, e - begin, static_cast<C>(row));
            found = at >= 0;
            if (found && t.out_values) t.out_values[e] = gpu::load(t.values + at);
            if (found && t.perm) t.perm[e] = at;
        }
        if (!found) gpu::store_relaxed(t.missing, 1u);
    }
}

template <int lanes, class P, class O, class C>
tulle_status mirror_by(const tulle__place *place, const mirror_task<P, O, C> &t) {
    return gpu::launch(place, mirror<lanes, P, O, C>, gpu::loop_grid(lanes * t.rows, mirror_blocks),
                       t);
}

/* A few entries of a row for each lane. */
template <class P, class O, class C>
tulle_status launch_mirror(const tulle__place *place, double mean_row,
                           const mirror_task<P, O, C> &t) {
    if (mean_row <= 4) return mirror_by<4>(place, t);
    return mean_row <= 12 ? mirror_by<8>(place, t) : mirror_by<32>(place, t);
}

template <class P, class O, class C>
tulle_status mirror_as(const tulle__place *place, const tulle__turning *job, bool *host_mirrored) {
    const tulle__pattern_view *csr = job->csr;
    gpu::scratch memory(place);
    unsigned *missing = nullptr, host = 0;
    GPU_TRY(memory.get(1, &missing));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, missing, 0, sizeof *missing));
    const mirror_task<P, O, C> t = {csr->rows,
                                    static_cast<const O *>(csr->offsets),
                                    static_cast<const C *>(csr->cols_of),
                                    static_cast<const P *>(job->values),
                                    static_cast<P *>(job->out_values),
                                    job->perm,
                                    missing};
    const double mean_row = static_cast<double>(csr->nnz) / static_cast<double>(csr->rows);
    GPU_TRY(launch_mirror(place, mean_row, t));
    GPU_TRY(gpu::to_host(place, &host, missing, sizeof host));
    *host_mirrored = host == 0;
    return TULLE_OK;
}

template <class P>
tulle_status mirror_wide(const tulle__place *place, const tulle__turning *job,
                         bool *host_mirrored) {
    switch (job->csr->index) {
        case TULLE_I32:
            return mirror_as<P, int32_t, int32_t>(place, job, host_mirrored);
        case TULLE_I64_I32:
            return mirror_as<P, int64_t, int32_t>(place, job, host_mirrored);
        default:
            return mirror_as<P, int64_t, int64_t>(place, job, host_mirrored);
    }
}

}  // namespace

tulle_status GPU_SYMBOL(mirror_csr)(const tulle__place *place, const tulle__turning *job,
                                    bool *host_mirrored) {
    return job->type == TULLE_F32 ? mirror_wide<uint32_t>(place, job, host_mirrored)
                                  : mirror_wide<uint64_t>(place, job, host_mirrored);
}
