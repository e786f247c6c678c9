/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices in patches (fem/patches.h) times x: what elements make of x is added up in
 * shared memory, and no product of an element goes through memory. What is left are the matrices.
 */
#ifndef TULLE_FEM_LOCAL_PATCH_CUH
#define TULLE_FEM_LOCAL_PATCH_CUH

#include "fem/local.h"
#include "fem/patch.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Where an element's nodes are, two in a word. */
template <int rows>
struct element_places {
    pack<uint32_t, (rows == 8 ? 4 : 2)> word;
    GPU_FUNCTION int at(int i) const {
        const uint32_t pair = word.at[i / 2];
        return static_cast<int>(i % 2 == 0 ? pair & 0xffff : pair >> 16);
    }
};

template <int rows>
GPU_FUNCTION void take(const tulle__patches &all, int64_t element, element_places<rows> &places) {
    using words = pack<uint32_t, (rows == 8 ? 4 : 2)>;
    places.word = load_once(reinterpret_cast<const words *>(all.places) + element);
}

/* Number (i, j) of an element's matrix; of a packed one i <= j. */
template <class V, class S, bool packed, int rows>
GPU_FUNCTION V number_at(const tulle__local_block &block, const S *own, int i, int j) {
    return static_cast<V>(load_once(own + tulle__local_cell(rows, packed, i, j) * block.stride));
}

template <class V, class S, bool packed, int rows>
GPU_FUNCTION void multiply_element(const tulle__local_job &job, const S *own, const V *u, V *y) {
    GPU_UNROLL
    for (int i = 0; i < rows; i++) y[i] = 0;
    GPU_UNROLL
    for (int i = 0; i < rows; i++) {
        GPU_UNROLL
        for (int j = packed ? i : 0; j < rows; j++) {
            const V number = number_at<V, S, packed, rows>(job.block, own, i, j);
            if (packed || !job.transposed) {
                y[i] += number * u[j];
            } else {
                y[j] += number * u[i];
            }
            if (packed && i != j) y[j] += number * u[i];
        }
    }
}

/* No element has a node twice. */
template <class V, class S, bool packed, int rows, bool diagonal>
GPU_FUNCTION void add_matrix(const tulle__local_job &job, int64_t element, shared<V> room,
                             const element_places<rows> &places) {
    const S *own = static_cast<const S *>(job.block.numbers) + element;
    V u[rows], y[rows];
    if constexpr (diagonal) {
        GPU_UNROLL
        for (int i = 0; i < rows; i++) y[i] = number_at<V, S, packed, rows>(job.block, own, i, i);
    } else {
        GPU_UNROLL
        for (int i = 0; i < rows; i++) u[i] = room[places.at(i)];
        multiply_element<V, S, packed, rows>(job, own, u, y);
    }
    GPU_UNROLL
    for (int i = 0; i < rows; i++) y[i] += room[places.at(i) + TULLE__PATCH_SUM];
    GPU_UNROLL
    for (int i = 0; i < rows; i++) room[places.at(i) + TULLE__PATCH_SUM] = y[i];
}

/* Blocks on a multiprocessor. */
constexpr int patched_resident = 3;

template <class V, class S, bool packed, int rows, bool diagonal>
GPU_KERNEL GPU_RESIDENT(TULLE__PATCH_STEP,
                        patched_resident) void apply_in_patches(tulle__local_job job,
                                                                scalar<V> alpha, scalar<V> beta) {
    GPU_DYNAMIC_SHARED(V, room);
    const tulle__patches &all = job.block.patches;
    const tulle__patch patch = all.patch[block()];
    const tulle__patch_vectors vectors = {diagonal, false, job.block.slots, job.alpha, job.beta,
                                          job.x,    job.y, job.x_step,      job.y_step};
    gather<V, 1, diagonal>(all, vectors, patch, room);
    copy_commit();
    const int own = static_cast<int>(thread());
    step_ends ends(all, patch);
    int begin = 0, end = ends.get(0), next_end = ends.get(1);
    element_places<rows> places = {}, next = {};
    if (own < end) take(all, patch.element + own, places);
    copy_wait<0>();
    sync();
    GPU_KEEP_LOOP
    for (int step = 0; step < patch.steps; step++) {
        if (end + own < next_end) take(all, patch.element + end + own, next);
        if (begin + own < end) {
            add_matrix<V, S, packed, rows, diagonal>(job, patch.element + begin + own, room,
                                                     places);
        }
        begin = end;
        end = next_end;
        next_end = ends.get(step + 2);
        places = next;
        sync();
    }
    scatter_sums<V, 1>(all, vectors, patch, room, alpha.value(), beta.value());
}

template <class V, class S, bool packed, int rows>
tulle_status apply_patched_rows(const tulle__place *place, const tulle__local_job *job) {
    const tulle__patches &all = job->block.patches;
    const size_t bytes =
        static_cast<size_t>(tulle__patch_room(all.more, all.most) * tulle_type_size(job->type));
    return launch(place,
                  job->diagonal ? apply_in_patches<V, S, packed, rows, true>
                                : apply_in_patches<V, S, packed, rows, false>,
                  grid{all.count, TULLE__PATCH_STEP, bytes}, *job, make_scalar<V>(job->alpha),
                  make_scalar<V>(job->beta));
}

/* Of 3, 4 or 8 rows. */
template <class V, class S, bool packed>
tulle_status apply_patched(const tulle__place *place, const tulle__local_job *job) {
    switch (job->block.rows) {
        case 3:
            return apply_patched_rows<V, S, packed, 3>(place, job);
        case 4:
            return apply_patched_rows<V, S, packed, 4>(place, job);
        default:
            return apply_patched_rows<V, S, packed, 8>(place, job);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
