/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices in patches (fem/patches/patches.h) times x, on the GPU: what elements make of x
 * is added up in shared memory, so that no product of an element goes through memory. What is left
 * are the matrices: a warp reads those of 32 elements from memory of its own, from one end to the
 * other. */
#include "fem/functions.h"
#include "fem/gpu/patch.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A warp has 32 elements, and its lanes each read along the rows of one, whose sectors so are used
 * up while they are near; what they write is side by side. */
GPU_KERNEL void pack_patched(tulle__pack_job job) {
    const int rows = job.block.rows;
    for (int64_t k = loop_first(); k < job.block.count; k += loop_stride()) {
        GPU_KEEP_LOOP
        for (int i = 0; i < rows; i++) {
            GPU_KEEP_LOOP
            for (int j = 0; j < rows; j++) tulle__pack_number(&job, k, i, j);
        }
    }
}

/* Holds the places of an element's nodes in the patch, two in a word. */
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

/* y := K u, the numbers of K from `own` on; of a packed one each is an entry of two rows. */
template <class V, class S, bool packed, bool transposed, int rows>
GPU_FUNCTION void multiply(const S *own, const V *u, V *y) {
    GPU_UNROLL
    for (int i = 0; i < rows; i++) y[i] = 0;
    GPU_UNROLL
    for (int i = 0; i < rows; i++) {
        GPU_UNROLL
        for (int j = packed ? i : 0; j < rows; j++) {
            const int64_t at = tulle__local_cell(rows, packed, i, j) * TULLE__LOCAL_LANES;
            const V number = static_cast<V>(load_once(own + at));
            y[transposed ? j : i] += number * u[transposed ? i : j];
            if (packed && i != j) y[j] += number * u[i];
        }
    }
}

/* No element has a node twice: so all sums may be read before the first is written. */
template <class V, class S, bool packed, int rows>
GPU_FUNCTION void add_matrix(const tulle__local_patches_job &job, int64_t element, shared<V> room,
                             const element_places<rows> &places) {
    const S *own = static_cast<const S *>(job.numbers) +
                   tulle__local_number_at(tulle__local_cells(rows, packed), element, 0);
    V u[rows], y[rows];
    GPU_UNROLL
    for (int i = 0; i < rows; i++) u[i] = room[places.at(i)];
    if (!packed && job.transposed) {
        multiply<V, S, false, true, rows>(own, u, y);
    } else {
        multiply<V, S, packed, false, rows>(own, u, y);
    }
    GPU_UNROLL
    for (int i = 0; i < rows; i++) y[i] += room[places.at(i) + TULLE__PATCH_SUM];
    GPU_UNROLL
    for (int i = 0; i < rows; i++) room[places.at(i) + TULLE__PATCH_SUM] = y[i];
}

/* Blocks on a multiprocessor: registers for x and sums of an element of 8 rows, and a dozen numbers
 * on their way, without spilling. */
template <class V>
constexpr int local_resident = sizeof(V) == 8 ? 3 : 4;

/* Multiplies step by step, while the places of the next step are loaded. */
template <class V, class S, bool packed, int rows>
GPU_KERNEL GPU_RESIDENT(TULLE__PATCH_STEP,
                        (local_resident<V>)) void apply_local_patches(tulle__local_patches_job job,
                                                                      scalar<V> alpha,
                                                                      scalar<V> beta) {
    GPU_DYNAMIC_SHARED(V, room);
    const tulle__patch patch = job.patches.patch[block()];
    gather<V, 1, false>(job.patches, job.vectors, patch, room);
    copy_commit();
    const int own = static_cast<int>(thread());
    step_ends ends(job.patches, patch);
    int begin = 0, end = ends.get(0), next_end = ends.get(1);
    element_places<rows> places = {}, next = {};
    if (own < end) take(job.patches, patch.element + own, places);
    copy_wait<0>();
    sync();
    GPU_KEEP_LOOP
    for (int step = 0; step < patch.steps; step++) {
        if (end + own < next_end) take(job.patches, patch.element + end + own, next);
        if (begin + own < end) {
            add_matrix<V, S, packed>(job, patch.element + begin + own, room, places);
        }
        begin = end;
        end = next_end;
        next_end = ends.get(step + 2);
        places = next;
        sync();
    }
    scatter_sums<V, 1>(job.patches, job.vectors, patch, room, alpha.value(), beta.value());
}

/* The diagonals of matrices instead, of as many rows as they have. */
template <class V, class S>
GPU_KERNEL void add_diagonals(tulle__local_patches_job job, scalar<V> alpha, scalar<V> beta) {
    GPU_DYNAMIC_SHARED(V, room);
    const tulle__patch patch = job.patches.patch[block()];
    const int own = static_cast<int>(thread()), rows = job.patches.each;
    const int64_t cells = tulle__local_cells(rows, job.packed);
    gather<V, 1, true>(job.patches, job.vectors, patch, room);
    step_ends ends(job.patches, patch);
    sync();
    GPU_KEEP_LOOP
    for (int step = 0, begin = 0; step < patch.steps; step++) {
        const int end = ends.get(step);
        const int64_t e = patch.element + begin + own;
        for (int i = 0; begin + own < end && i < rows; i++) {
            const int64_t cell = tulle__local_cell(rows, job.packed, i, i);
            const int at = load(job.patches.places + e * job.patches.width + i);
            room[at + TULLE__PATCH_SUM] += static_cast<V>(
                load(static_cast<const S *>(job.numbers) + tulle__local_number_at(cells, e, cell)));
        }
        begin = end;
        sync();
    }
    scatter_sums<V, 1>(job.patches, job.vectors, patch, room, alpha.value(), beta.value());
}

template <class V, class S, bool packed>
tulle_status launch_local(const tulle__place *place, const tulle__local_patches_job *job) {
    const tulle__patches *all = &job->patches;
    const grid blocks = {all->count, TULLE__PATCH_STEP,
                         static_cast<size_t>(tulle__patch_room(all->more, all->most)) * sizeof(V)};
    const scalar<V> alpha = make_scalar<V>(job->vectors.alpha);
    const scalar<V> beta = make_scalar<V>(job->vectors.beta);
    if (job->vectors.diagonal) {
        return launch(place, add_diagonals<V, S>, blocks, *job, alpha, beta);
    }
    switch (all->each) {
        case 3:
            return launch(place, apply_local_patches<V, S, packed, 3>, blocks, *job, alpha, beta);
        case 4:
            return launch(place, apply_local_patches<V, S, packed, 4>, blocks, *job, alpha, beta);
        default:
            return launch(place, apply_local_patches<V, S, packed, 8>, blocks, *job, alpha, beta);
    }
}

template <class V, class S>
tulle_status launch_local_of(const tulle__place *place, const tulle__local_patches_job *job) {
    return job->packed ? launch_local<V, S, true>(place, job)
                       : launch_local<V, S, false>(place, job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(pack_patched)(const tulle__place *place, const tulle__pack_job *job) {
    return gpu::launch(place, gpu::pack_patched, gpu::loop_grid(job->block.count), *job);
}

tulle_status GPU_SYMBOL(apply_local_patches)(const tulle__place *place,
                                             const tulle__local_patches_job *job) {
    if (job->type == TULLE_F32) return gpu::launch_local_of<float, float>(place, job);
    return job->stored == TULLE_F32 ? gpu::launch_local_of<double, float>(place, job)
                                    : gpu::launch_local_of<double, double>(place, job);
}
