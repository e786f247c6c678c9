/* SPDX-License-Identifier: Apache-2.0 */
/* Elements times x, their matrices never being there, on the GPU: a block has a patch, whose nodes'
 * x, sums and coordinates are in shared memory, and a thread an element of each step. Shared memory
 * is what it asks most of: of a parallelepiped 8 numbers of x, 4 corners and 16 for the sums, 36 in
 * all, beside some 150 operations. */
#include <math.h>

#include "fem/functions.h"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

#define FUNCTION(type, name)                                                                       \
    template <class REAL>                                                                          \
    GPU_FUNCTION type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL GPU_UNROLL
#define KEEP_LOOP GPU_KEEP_LOOP
#include "fem/isoparametric.h"
#include "fem/product.h"

/* Numbers of a shape that are known when this is compiled. */
template <tulle_shape shape>
struct cell {
    static constexpr bool flat = shape == TULLE_TRIANGLE || shape == TULLE_QUADRILATERAL;
    static constexpr int dimension = flat ? 2 : 3;
    static constexpr int nodes = shape == TULLE_TRIANGLE ? 3 : shape == TULLE_HEXAHEDRON ? 8 : 4;
    static constexpr int width = nodes == 8 ? 8 : 4; /* of its places */
};

/* What is held of a patch's nodes; coordinate d of node l is at d * nodes + l. */
template <class V>
struct held {
    int nodes;
    shared<V> x, sum, coordinates;
};

/* An element as it comes from memory: its nodes in the patch, and its coefficients. */
template <class V, tulle_shape shape>
struct arriving {
    pack<uint16_t, cell<shape>::width> at;
    V diffusion, reaction;
};

template <class V>
GPU_FUNCTION V coefficient(const tulle__coefficient &c, int64_t element) {
    return c.of_element ? load_once(static_cast<const V *>(c.of_element) + element)
                        : static_cast<V>(c.number);
}

template <class V, tulle_shape shape>
GPU_FUNCTION arriving<V, shape> take(const tulle__patches_job &job, int64_t element) {
    using nodes = pack<uint16_t, cell<shape>::width>;
    const nodes *places = reinterpret_cast<const nodes *>(job.patches.places);
    return {load_once(places + element), coefficient<V>(job.diffusion, element),
            coefficient<V>(job.reaction, element)};
}

/* Nodes that a thread has on their way at once. */
constexpr int nodes_ahead = 8;

/* Everything goes past registers; the caller waits for it. */
template <class V, int dimension>
GPU_FUNCTION void gather(const tulle__patches_job &job, const tulle__patch &patch,
                         const held<V> &h) {
    constexpr int together = 16 / static_cast<int>(sizeof(V));
    const int step = static_cast<int>(block_size()), numbers = dimension * patch.nodes;
    const V *coordinates = static_cast<const V *>(job.coordinates) + dimension * patch.node;
    for (int k = static_cast<int>(thread()) * together; k < numbers; k += step * together) {
        copy_async<16>(h.coordinates + k, coordinates + k);
    }
    const uint32_t *list = job.patches.list + patch.node;
    const V *x = static_cast<const V *>(job.x);
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
            h.sum[l] = 0;
            if ((node[a] & TULLE__PATCH_MASKED) || job.diagonal) {
                h.x[l] = 0;
            } else {
                copy_async<sizeof(V)>(h.x + l, x + (node[a] & TULLE__PATCH_NODE) * job.x_step);
            }
        }
    }
    copy_commit();
}

template <class V, tulle_shape shape, bool affine>
GPU_FUNCTION void multiply(const held<V> &h, const arriving<V, shape> &e, const V *u, V *y) {
    constexpr int dimension = cell<shape>::dimension, nodes = cell<shape>::nodes;
    if constexpr (affine) {
        V column[3][3];
        GPU_UNROLL
        for (int d = 0; d < dimension; d++) {
            const shared<V> along = h.coordinates + d * h.nodes;
            const V corner = along[e.at.at[0]];
            GPU_UNROLL
            for (int k = 0; k < dimension; k++) {
                const V end = along[e.at.at[tulle__column_corner(shape, k)]];
                column[k][d] = static_cast<V>(tulle__column_of_edge(shape)) * (end - corner);
            }
        }
        product_affine(shape, column, e.diffusion, e.reaction, u, y);
    } else {
        V x[3][TULLE__CELL_NODES];
        GPU_UNROLL
        for (int d = 0; d < dimension; d++) {
            const shared<V> along = h.coordinates + d * h.nodes;
            GPU_UNROLL
            for (int i = 0; i < nodes; i++) x[d][i] = along[e.at.at[i]];
        }
        product_general(shape, x, e.diffusion, e.reaction, u, y);
    }
}

/* The element has no node twice: so all sums may be read before the first is written. Of a
 * diagonal, entry i is that of column i, which is one of as many products. */
template <class V, tulle_shape shape, bool affine>
GPU_FUNCTION void add_element(const held<V> &h, const arriving<V, shape> &e, bool diagonal) {
    constexpr int nodes = cell<shape>::nodes;
    const int rounds = diagonal ? nodes : 1;
    GPU_KEEP_LOOP
    for (int round = 0; round < rounds; round++) {
        V u[nodes], y[nodes];
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) {
            u[i] = diagonal ? static_cast<V>(i == round) : static_cast<V>(h.x[e.at.at[i]]);
        }
        multiply<V, shape, affine>(h, e, u, y);
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) {
            if (diagonal && i != round) y[i] = 0;
            y[i] += h.sum[e.at.at[i]];
        }
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) h.sum[e.at.at[i]] = y[i];
    }
}

/* Step by step, the elements of the next one being on their way. */
template <class V, tulle_shape shape, bool affine>
GPU_FUNCTION void add_elements(const tulle__patches_job &job, const tulle__patch &patch,
                               const held<V> &h) {
    const int own = static_cast<int>(thread());
    const int32_t *ends = job.patches.step_ends + patch.step;
    int begin = 0, end = load(ends);
    arriving<V, shape> element = {}, next = {};
    if (own < end) element = take<V, shape>(job, patch.element + own);
    copy_wait<0>();
    sync();
    GPU_KEEP_LOOP
    for (int step = 0; step < patch.steps; step++) {
        const int next_end = step + 1 < patch.steps ? load(ends + step + 1) : end;
        if (end + own < next_end) next = take<V, shape>(job, patch.element + end + own);
        if (begin + own < end) {
            add_element<V, shape, affine>(h, element, job.diagonal);
        }
        begin = end;
        end = next_end;
        element = next;
        sync();
    }
}

template <class V>
GPU_FUNCTION void scatter_sums(const tulle__patches_job &job, const tulle__patch &patch,
                               const held<V> &h, V alpha, V beta) {
    const int step = static_cast<int>(block_size());
    const uint32_t *list = job.patches.list + patch.node;
    V *y = static_cast<V *>(job.y), *slots = static_cast<V *>(job.slots) + patch.slot;
    for (int l = static_cast<int>(thread()); l < patch.nodes; l += step) {
        const uint32_t node = load(list + l);
        if (node & TULLE__PATCH_SHARED) continue;
        V *to = y + node * job.y_step;
        const V sum = alpha * h.sum[l];
        *to = beta == V{0} ? sum : sum + beta * *to;
    }
    for (int s = static_cast<int>(thread()); s < patch.slots; s += step) {
        const uint16_t l = load(job.patches.surface + patch.slot + s);
        if (job.atomic) {
            atomic_add(y + (load(list + l) & TULLE__PATCH_NODE) * job.y_step, alpha * h.sum[l]);
        } else {
            slots[s] = h.sum[l];
        }
    }
}

/* As many blocks on a multiprocessor as have room for patches of 2048 hexahedra there; points of
 * quadrature take more registers. */
template <class V, bool affine>
constexpr int patches_resident = sizeof(V) == 8 ? 2
                                 : affine       ? 4
                                                : 3;

template <class V, tulle_shape shape, bool affine>
GPU_KERNEL GPU_RESIDENT(TULLE__PATCH_STEP,
                        (patches_resident<V, affine>)) void apply_patches(tulle__patches_job job,
                                                                          scalar<V> alpha,
                                                                          scalar<V> beta) {
    constexpr int dimension = cell<shape>::dimension;
    GPU_DYNAMIC_SHARED(V, room);
    const tulle__patch patch = job.patches.patch[block()];
    const int n = patch.nodes;
    const held<V> h = {n, part_of(room, 0, n), part_of(room, n, n),
                       part_of(room, 2 * n, dimension * n)};
    gather<V, dimension>(job, patch, h);
    add_elements<V, shape, affine>(job, patch, h);
    scatter_sums(job, patch, h, alpha.value(), beta.value());
}

template <class V, tulle_shape shape, bool affine>
tulle_status apply(const tulle__place *place, const tulle__patches_job *job) {
    const int64_t numbers = tulle__patch_room(shape, job->patches.most);
    return launch(
        place, apply_patches<V, shape, affine>,
        grid{job->patches.count, TULLE__PATCH_STEP, static_cast<size_t>(numbers) * sizeof(V)}, *job,
        make_scalar<V>(job->alpha), make_scalar<V>(job->beta));
}

template <class V>
tulle_status apply_of(const tulle__place *place, const tulle__patches_job *job) {
    switch (job->shape) {
        case TULLE_TRIANGLE:
            return apply<V, TULLE_TRIANGLE, true>(place, job);
        case TULLE_TETRAHEDRON:
            return apply<V, TULLE_TETRAHEDRON, true>(place, job);
        case TULLE_QUADRILATERAL:
            return job->affine ? apply<V, TULLE_QUADRILATERAL, true>(place, job)
                               : apply<V, TULLE_QUADRILATERAL, false>(place, job);
        default:
            return job->affine ? apply<V, TULLE_HEXAHEDRON, true>(place, job)
                               : apply<V, TULLE_HEXAHEDRON, false>(place, job);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(apply_patches)(const tulle__place *place, const tulle__patches_job *job) {
    return job->type == TULLE_F32 ? gpu::apply_of<float>(place, job)
                                  : gpu::apply_of<double>(place, job);
}
