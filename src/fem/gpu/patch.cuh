/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a block of threads on its patch, but for the elements: x comes into shared memory,
 * steps follow each other, sums go out. */
#ifndef TULLE_FEM_GPU_PATCH_CUH
#define TULLE_FEM_GPU_PATCH_CUH

#include "fem/patches/patches.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Nodes that a thread has on their way at once. */
constexpr int nodes_ahead = 8;

/* x, past registers, and zeros for sums; the caller waits. more: all.more. */
template <class V, int more, bool diagonal>
GPU_FUNCTION void gather(const tulle__patches &all, const tulle__vectors &v,
                         const tulle__patch &patch, shared<V> room) {
    const int step = static_cast<int>(block_size());
    const uint32_t *list = all.list + patch.node;
    const V *x = static_cast<const V *>(v.x);
    for (int first = static_cast<int>(thread()); first < patch.nodes; first += nodes_ahead * step) {
        uint32_t node[nodes_ahead];
        GPU_UNROLL
        for (int a = 0; a < nodes_ahead; a++) {
            const int l = first + a * step;
            node[a] = l < patch.nodes ? load(list + l) : TULLE__PATCH_MASKED;
        }
        GPU_UNROLL
        for (int a = 0; a < nodes_ahead; a++) {
            const int l = first + a * step;
            if (l >= patch.nodes) continue;
            const shared<V> own = room + tulle__patch_place(more, l);
            own[TULLE__PATCH_SUM] = 0;
            if (diagonal) continue;
            if (node[a] & TULLE__PATCH_MASKED) {
                own[0] = 0;
            } else {
                copy_async<sizeof(V)>(own, x + (node[a] & TULLE__PATCH_NODE) * v.x_step);
            }
        }
    }
}

/* Holds the ends of the steps of a patch. Each lane knows one end in 32: a step gets its own from
 * there, and waits for no memory. */
class step_ends {
  public:
    GPU_FUNCTION step_ends(const tulle__patches &all, const tulle__patch &patch)
        : ends_(all.step_ends + patch.step), last_(patch.steps - 1) {
        fetch(0);
    }
    /* Returns the end of a step; all threads ask for step after step, from 0 on. Steps behind the
     * last have its end. */
    GPU_FUNCTION int get(int step) {
        if (step > last_) step = last_;
        if (step - first_ >= warp_lanes) fetch(step);
        return shuffle(full_warp, end_, step - first_);
    }

  private:
    GPU_FUNCTION void fetch(int first) {
        const int own = first + static_cast<int>(lane());
        first_ = first;
        end_ = load(ends_ + (own < last_ ? own : last_));
    }
    const int32_t *ends_;
    int last_, first_, end_;
};

/* Once all sums are there. */
template <class V, int more>
GPU_FUNCTION void scatter_sums(const tulle__patches &all, const tulle__vectors &v,
                               const tulle__patch &patch, shared<V> room, V alpha, V beta) {
    const int step = static_cast<int>(block_size());
    const uint32_t *list = all.list + patch.node;
    V *y = static_cast<V *>(v.y), *slots = static_cast<V *>(v.slots) + patch.slot;
    for (int l = static_cast<int>(thread()); l < patch.nodes; l += step) {
        const uint32_t node = load(list + l);
        if (node & TULLE__PATCH_SHARED) continue;
        V *to = y + node * v.y_step;
        const V sum = alpha * room[tulle__patch_place(more, l) + TULLE__PATCH_SUM];
        *to = beta == V{0} ? sum : sum + beta * *to;
    }
    for (int s = static_cast<int>(thread()); s < patch.slots; s += step) {
        const uint16_t l = load(all.surface + patch.slot + s);
        const V sum = room[tulle__patch_place(more, l) + TULLE__PATCH_SUM];
        if (v.atomic) {
            atomic_add(y + (load(list + l) & TULLE__PATCH_NODE) * v.y_step, alpha * sum);
        } else {
            slots[s] = sum;
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
