/* SPDX-License-Identifier: Apache-2.0 */
/* Hexahedra of order 2 times x, their matrices never being there, on the GPU: a block has a patch,
 * and a thread a cell, whose numbers and sums at 27 points are in its registers. x of the patch's
 * nodes is in shared memory, then in its place the products of all cells, and in the end a thread
 * adds up those of a node, in the order of cells. Threads meet four times, where elements by colour
 * would have them meet eight times and more. */
#include "fem/functions.h"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

#define FUNCTION(type, name)                                                                       \
    template <class REAL>                                                                          \
    GPU_FUNCTION type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL GPU_UNROLL
#include "fem/elements/quadratic.h"
/* quadratic.h comes before quadratic_product.h, which uses its formulas. */
#include "fem/elements/quadratic_product.h"

/* Nodes that a thread has on their way at once. */
constexpr int lattice_ahead = 6;

/* Words of 32 bits in which a patch's list of products stands. */
constexpr int most_words = TULLE__LATTICE_MOST / 2;

/* The target of a node's sum is a row of y, a slot of the patch, or none. */
constexpr uint32_t to_slot = TULLE__PATCH_SHARED, to_nowhere = TULLE__PATCH_NONE;

GPU_FUNCTION uint32_t target_of(const tulle__lattices_job &job, uint32_t listed, uint16_t slot) {
    if (listed & TULLE__PATCH_MASKED) return to_nowhere;
    if (!(listed & TULLE__PATCH_SHARED) || job.vectors.atomic) return listed;
    return to_slot | slot;
}

/* The list of products, past registers; the caller waits for it. */
GPU_FUNCTION void fetch_list(const tulle__lattices_job &job, const tulle__lattice_patch &patch,
                             shared<uint32_t> words) {
    constexpr int together = 4;
    const uint32_t *from = reinterpret_cast<const uint32_t *>(job.patches.from + patch.place);
    const int count = (patch.elements * TULLE__LATTICE + 1) / 2;
    const int step = static_cast<int>(block_size()) * together;
    for (int k = static_cast<int>(thread()) * together; k < count; k += step) {
        copy_async<16>(words + k, from + k);
    }
}

/* x of all nodes, and where their sums go. */
template <class V>
GPU_FUNCTION void gather(const tulle__lattices_job &job, const tulle__lattice_patch &patch,
                         bool diagonal, shared<V> x_here, shared<uint32_t> targets) {
    const int step = static_cast<int>(block_size());
    const uint32_t *list = job.patches.list + patch.node;
    const uint16_t *slot_of = job.patches.slot_of + patch.node;
    const V *x = static_cast<const V *>(job.vectors.x);
    for (int first = static_cast<int>(thread()); first < patch.nodes;
         first += lattice_ahead * step) {
        uint32_t node[lattice_ahead];
        uint16_t slot[lattice_ahead];
        GPU_UNROLL
        for (int a = 0; a < lattice_ahead; a++) {
            const int l = first + a * step;
            node[a] = l < patch.nodes ? load(list + l) : TULLE__PATCH_MASKED;
            slot[a] = l < patch.nodes ? load(slot_of + l) : uint16_t{0};
        }
        GPU_UNROLL
        for (int a = 0; a < lattice_ahead; a++) {
            const int l = first + a * step;
            if (l >= patch.nodes) continue;
            targets[l] = target_of(job, node[a], slot[a]);
            if ((node[a] & TULLE__PATCH_MASKED) || diagonal) {
                x_here[l] = 0;
            } else {
                copy_async<sizeof(V)>(x_here + l,
                                      x + (node[a] & TULLE__PATCH_NODE) * job.vectors.x_step);
            }
        }
    }
    copy_commit();
}

/* The numbers of a cell at a point, or of all its points. */
template <class V>
struct metric_numbers {
    const V *first;
    int elements, count;
    bool massive;
    GPU_FUNCTION metric_numbers(const tulle__lattices_job &job, const tulle__lattice_patch &patch,
                                int e, bool affine)
        : first(static_cast<const V *>(job.numbers) +
                tulle__lattice_number_at(&patch, affine, job.massive, 0, 0, e)),
          elements(patch.elements),
          count(tulle__lattice_numbers(job.massive)),
          massive(job.massive) {}
    GPU_FUNCTION void take(int q, V *G, V *mass) const {
        const V *at = first + static_cast<int64_t>(q) * count * elements;
        GPU_UNROLL
        for (int c = 0; c < TULLE__CELL_METRIC; c++) {
            G[c] = load_once(at + static_cast<int64_t>(c) * elements);
        }
        *mass =
            massive ? load_once(at + static_cast<int64_t>(TULLE__CELL_METRIC) * elements) : V{0};
    }
};

/* All points of a cell: of one with a constant Jacobian they differ by their weights. */
template <class V, bool affine>
GPU_FUNCTION void multiply(const metric_numbers<V> &numbers, V *u, V *r) {
    V G[TULLE__CELL_METRIC], all[TULLE__CELL_METRIC], mass, all_mass;
    if constexpr (affine) numbers.take(0, all, &all_mass);
    to_points(3, u);
    GPU_UNROLL
    for (int l = 0; l < TULLE__LATTICE; l++) r[l] = 0;
    GPU_UNROLL
    for (int q = 0; q < TULLE__LATTICE; q++) {
        if constexpr (affine) {
            const V weight = gauss_weight(3, q, V{1});
            GPU_UNROLL
            for (int c = 0; c < TULLE__CELL_METRIC; c++) G[c] = weight * all[c];
            mass = weight * all_mass;
        } else {
            numbers.take(q, G, &mass);
        }
        add_lattice_point(q, G, mass, u, r);
    }
    to_points_adjoint(3, r);
}

template <class V, bool affine>
GPU_FUNCTION void diagonal_of(const metric_numbers<V> &numbers, V *r) {
    V G[TULLE__CELL_METRIC], mass;
    GPU_UNROLL
    for (int l = 0; l < TULLE__LATTICE; l++) r[l] = 0;
    GPU_KEEP_LOOP
    for (int q = 0; q < TULLE__LATTICE; q++) {
        const V weight = affine ? gauss_weight(3, q, V{1}) : V{1};
        numbers.take(affine ? 0 : q, G, &mass);
        GPU_UNROLL
        for (int c = 0; c < TULLE__CELL_METRIC; c++) G[c] *= weight;
        add_lattice_diagonal(q, G, mass * weight, r);
    }
}

/* Number k of a list of 16 bits. */
GPU_FUNCTION int place_in(shared<uint32_t> words, int k) {
    const uint32_t word = words[k >> 1];
    return static_cast<int>(word >> (k & 1) * 16 & 0xffffu);
}

template <class V>
GPU_FUNCTION void add_up(const tulle__lattices_job &job, const tulle__lattice_patch &patch,
                         shared<V> products, shared<uint32_t> targets, shared<uint32_t> words,
                         V alpha, V beta) {
    V *y = static_cast<V *>(job.vectors.y),
      *slots = static_cast<V *>(job.vectors.slots) + patch.slot;
    const int32_t *ends = job.patches.rank_ends + patch.rank;
    for (int l = static_cast<int>(thread()); l < patch.nodes; l += static_cast<int>(block_size())) {
        V sum = products[place_in(words, l)];
        int begin = load(ends);
        for (int k = 1; k < patch.ranks; k++) {
            const int end = load(ends + k);
            if (l >= end - begin) break;
            sum += products[place_in(words, begin + l)];
            begin = end;
        }
        const uint32_t target = targets[l];
        if (target == to_nowhere) continue;
        if (!(target & to_slot)) {
            V *to = y + target * job.vectors.y_step;
            *to = beta == V{0} ? alpha * sum : alpha * sum + beta * *to;
        } else if (job.vectors.atomic) {
            atomic_add(y + (target & TULLE__PATCH_NODE) * job.vectors.y_step, alpha * sum);
        } else {
            slots[target & ~to_slot] = sum;
        }
    }
}

/* Blocks on a multiprocessor: u and r of a cell in f64 take 108 registers. */
template <class V>
constexpr int lattices_resident = sizeof(V) == 8 ? 2 : 4;

template <class V, bool affine, bool diagonal>
GPU_KERNEL GPU_RESIDENT(TULLE__LATTICE_CELLS,
                        (lattices_resident<V>)) void apply_lattices(tulle__lattices_job job,
                                                                    scalar<V> alpha,
                                                                    scalar<V> beta) {
    GPU_DYNAMIC_SHARED(V, room);
    GPU_SHARED(uint32_t, targets, TULLE__LATTICE_MOST);
    GPU_SHARED(uint32_t, words, most_words);
    const tulle__lattice_patch patch = job.patches.patch[block()];
    const int own = static_cast<int>(thread()), elements = patch.elements;
    const uint16_t *places = job.patches.places + patch.place + own;
    V u[TULLE__LATTICE], r[TULLE__LATTICE];
    uint16_t place[TULLE__LATTICE] = {};
    if (!diagonal && own < elements) {
        GPU_UNROLL
        for (int i = 0; i < TULLE__LATTICE; i++)
            place[i] = load(places + static_cast<int64_t>(i) * elements);
    }
    fetch_list(job, patch, words);
    gather<V>(job, patch, diagonal, room, targets);
    copy_wait<0>();
    sync();
    if (!diagonal && own < elements) {
        GPU_UNROLL
        for (int i = 0; i < TULLE__LATTICE; i++) u[i] = room[place[i]];
    }
    sync();
    if (own < elements) {
        const metric_numbers<V> numbers(job, patch, own, affine);
        if constexpr (diagonal) {
            diagonal_of<V, affine>(numbers, r);
        } else {
            multiply<V, affine>(numbers, u, r);
        }
        GPU_UNROLL
        for (int i = 0; i < TULLE__LATTICE; i++) room[i * elements + own] = r[i];
    }
    sync();
    add_up<V>(job, patch, room, targets, words, alpha.value(), beta.value());
}

template <class V, bool affine, bool diagonal>
tulle_status launch_lattices(const tulle__place *place, const tulle__lattices_job *job) {
    const size_t bytes = TULLE__LATTICE_MOST * sizeof(V);
    return launch(place, apply_lattices<V, affine, diagonal>,
                  grid{job->patches.count, TULLE__LATTICE_CELLS, bytes}, *job,
                  make_scalar<V>(job->vectors.alpha), make_scalar<V>(job->vectors.beta));
}

template <class V>
tulle_status launch_lattices_of(const tulle__place *place, const tulle__lattices_job *job) {
    if (job->affine) {
        return job->vectors.diagonal ? launch_lattices<V, true, true>(place, job)
                                     : launch_lattices<V, true, false>(place, job);
    }
    return job->vectors.diagonal ? launch_lattices<V, false, true>(place, job)
                                 : launch_lattices<V, false, false>(place, job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(apply_lattices)(const tulle__place *place, const tulle__lattices_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_lattices_of<float>(place, job)
                                  : gpu::launch_lattices_of<double>(place, job);
}
