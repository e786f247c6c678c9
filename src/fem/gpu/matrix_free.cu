/* SPDX-License-Identifier: Apache-2.0 */
/* Elements times x, their matrices never being there, on the GPU: a block has a patch, whose nodes'
 * x and sums, and of bent elements coordinates, are in shared memory, and a thread an element of
 * each step. Of a parallelepiped, 6 numbers come from memory in their turn, and shared memory gives
 * and takes 24: so blocks are small enough for many to be on their way at once, and what limits
 * them are the bytes. */
#include <math.h>

#include "fem/functions.h"
#include "fem/gpu/patch.cuh"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

#define FUNCTION(type, name)                                                                       \
    template <class REAL>                                                                          \
    GPU_FUNCTION type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL GPU_UNROLL
#define KEEP_LOOP GPU_KEEP_LOOP
#include "fem/elements/isoparametric.h"
#include "fem/elements/product.h"

/* The numbers that are kept of elements: coefficients beside the coordinates of their nodes, or
 * metrics, with or without the number of a reaction, or of which kind they are. */
enum geometry { BENT, AFFINE, MASSIVE, ALIKE };

/* Numbers of a shape that are known when this is compiled. */
template <tulle_shape shape>
struct cell {
    static constexpr bool flat = shape == TULLE_TRIANGLE || shape == TULLE_QUADRILATERAL;
    static constexpr int dimension = flat ? 2 : 3;
    static constexpr int nodes = shape == TULLE_TRIANGLE ? 3 : shape == TULLE_HEXAHEDRON ? 8 : 4;
    static constexpr int width = nodes == 8 ? 8 : 4; /* number of the element's places */
    static constexpr int metric = dimension * (dimension + 1) / 2;
};

/* An element as it comes from memory: where its nodes are, two in a word, which nobody takes apart,
 * and so waits for, before they are used; and k and c, or its metric, or of which kind it is. */
template <class V, tulle_shape shape, geometry kept>
struct arriving {
    static constexpr int count = kept == BENT ? 2 : cell<shape>::metric + (kept == MASSIVE);
    pack<uint32_t, cell<shape>::width / 2> places;
    V number[kept == ALIKE ? 1 : count];
    uint32_t kind;
    GPU_FUNCTION int place(int i) const {
        const uint32_t pair = places.at[i / 2];
        return static_cast<int>(i % 2 == 0 ? pair & 0xffff : pair >> 16);
    }
};

template <class V>
GPU_FUNCTION V coefficient(const tulle__coefficient &c, uint32_t element) {
    return c.of_element ? load_once(static_cast<const V *>(c.of_element) + element)
                        : static_cast<V>(c.number);
}

template <class V, tulle_shape shape, geometry kept>
GPU_FUNCTION void take(const tulle__patches_job &job, uint32_t element,
                       arriving<V, shape, kept> &e) {
    using words = pack<uint32_t, cell<shape>::width / 2>;
    e.places = load_once(reinterpret_cast<const words *>(job.patches.places) + element);
    if constexpr (kept == BENT) {
        e.number[0] = coefficient<V>(job.diffusion, element);
        e.number[1] = coefficient<V>(job.reaction, element);
    } else if constexpr (kept == ALIKE) {
        e.kind = load(job.metrics.kind + element);
    } else {
        const V *own =
            static_cast<const V *>(job.metrics.numbers) + tulle__metric_first(e.count, element);
        GPU_UNROLL
        for (int j = 0; j < e.count; j++) {
            e.number[j] = load_once(own + j * TULLE__METRIC_LANES);
        }
    }
}

/* Everything goes past registers; the caller waits for it. */
template <class V, int dimension>
GPU_FUNCTION void gather_coordinates(const tulle__patches_job &job, const tulle__patch &patch,
                                     shared<V> room) {
    constexpr int together = 16 / static_cast<int>(sizeof(V));
    const int step = static_cast<int>(block_size()) * together;
    const V *coordinates = static_cast<const V *>(job.coordinates) + dimension * patch.node;
    for (int l = static_cast<int>(thread()) * together; l < patch.nodes; l += step) {
        const shared<V> to =
            room + (tulle__patch_place(1 + dimension, l) + TULLE__FREE_COORDINATES);
        GPU_UNROLL
        for (int d = 0; d < dimension; d++) {
            copy_async<16>(to + d * TULLE__PATCH_GROUP, coordinates + d * patch.nodes + l);
        }
    }
}

template <class V, tulle_shape shape, geometry kept>
GPU_FUNCTION void multiply(const tulle__metrics &metrics, shared<V> room,
                           const arriving<V, shape, kept> &e, const V *u, V *y) {
    constexpr int dimension = cell<shape>::dimension, nodes = cell<shape>::nodes;
    if constexpr (kept == BENT) {
        V x[3][TULLE__CELL_NODES];
        GPU_UNROLL
        for (int d = 0; d < dimension; d++) {
            GPU_UNROLL
            for (int i = 0; i < nodes; i++) {
                x[d][i] = room[e.place(i) + TULLE__FREE_COORDINATES + d * TULLE__PATCH_GROUP];
            }
        }
        product_general(shape, x, e.number[0], e.number[1], u, y);
    } else {
        constexpr int row_numbers = TULLE__METRIC_ROW;
        pack<V, row_numbers> row = {};
        if constexpr (kept == ALIKE) {
            row = load(static_cast<const pack<V, row_numbers> *>(metrics.numbers) + e.kind);
        } else {
            GPU_UNROLL
            for (int j = 0; j < e.count; j++) row.at[j] = e.number[j];
        }
        V G[TULLE__CELL_METRIC];
        GPU_UNROLL
        for (int i = 0; i < dimension; i++) {
            GPU_UNROLL
            for (int j = i; j < dimension; j++) {
                G[tulle__metric_at(i, j)] = row.at[tulle__packed_at(dimension, i, j)];
            }
        }
        product_affine(shape, G, kept == AFFINE ? V{0} : row.at[cell<shape>::metric], u, y);
    }
}

/* The element has no node twice: so all sums may be read before the first is written. */
template <class V, tulle_shape shape, geometry kept>
GPU_FUNCTION void add_product(const tulle__metrics &metrics, shared<V> room,
                              const arriving<V, shape, kept> &e) {
    constexpr int nodes = cell<shape>::nodes;
    V u[nodes], y[nodes];
    GPU_UNROLL
    for (int i = 0; i < nodes; i++) u[i] = room[e.place(i)];
    multiply(metrics, room, e, u, y);
    GPU_UNROLL
    for (int i = 0; i < nodes; i++) y[i] += room[e.place(i) + TULLE__PATCH_SUM];
    GPU_UNROLL
    for (int i = 0; i < nodes; i++) room[e.place(i) + TULLE__PATCH_SUM] = y[i];
}

/* Entry i is that of column i, which is one of as many products. */
template <class V, tulle_shape shape, geometry kept>
GPU_FUNCTION void add_diagonal(const tulle__metrics &metrics, shared<V> room,
                               const arriving<V, shape, kept> &e) {
    constexpr int nodes = cell<shape>::nodes;
    GPU_KEEP_LOOP
    for (int column = 0; column < nodes; column++) {
        V u[nodes], y[nodes], entry = 0;
        int at = 0;
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) u[i] = static_cast<V>(i == column);
        multiply(metrics, room, e, u, y);
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) {
            if (i != column) continue;
            entry = y[i];
            at = e.place(i);
        }
        room[at + TULLE__PATCH_SUM] += entry;
    }
}

/* Adds the elements step by step, while the elements of the next step are loaded. */
template <class V, tulle_shape shape, geometry kept, bool diagonal>
GPU_FUNCTION void add_elements(const tulle__patches_job &job, const tulle__patch &patch,
                               shared<V> room) {
    const int own = static_cast<int>(thread());
    const uint32_t first = static_cast<uint32_t>(patch.element);
    step_ends ends(job.patches, patch);
    int begin = 0, end = ends.get(0), next_end = ends.get(1);
    arriving<V, shape, kept> element = {}, next = {};
    if (own < end) take(job, first + own, element);
    copy_wait<0>();
    sync();
    GPU_KEEP_LOOP
    for (int step = 0; step < patch.steps; step++) {
        if (end + own < next_end) take(job, first + end + own, next);
        if (begin + own < end) {
            if constexpr (diagonal) {
                add_diagonal(job.metrics, room, element);
            } else {
                add_product(job.metrics, room, element);
            }
        }
        begin = end;
        end = next_end;
        next_end = ends.get(step + 2);
        element = next;
        sync();
    }
}

/* As many blocks on a multiprocessor as have room for patches of 2048 hexahedra there, and
 * registers without spilling; points of quadrature take more of either, metrics that need not be on
 * their way take none. */
template <class V, geometry kept>
constexpr int patches_resident = kept == BENT    ? (sizeof(V) == 8 ? 2 : 3)
                                 : kept == ALIKE ? (sizeof(V) == 8 ? 4 : 6)
                                                 : (sizeof(V) == 8 ? 3 : 5);

template <class V, tulle_shape shape, geometry kept, bool diagonal>
GPU_KERNEL GPU_RESIDENT(TULLE__PATCH_STEP,
                        (patches_resident<V, kept>)) void apply_patches(tulle__patches_job job,
                                                                        scalar<V> alpha,
                                                                        scalar<V> beta) {
    constexpr int dimension = cell<shape>::dimension, more = kept == BENT ? 1 + dimension : 1;
    GPU_DYNAMIC_SHARED(V, room);
    const tulle__patch patch = job.patches.patch[block()];
    if constexpr (kept == BENT) gather_coordinates<V, dimension>(job, patch, room);
    gather<V, more, diagonal>(job.patches, job.vectors, patch, room);
    copy_commit();
    add_elements<V, shape, kept, diagonal>(job, patch, room);
    scatter_sums<V, more>(job.patches, job.vectors, patch, room, alpha.value(), beta.value());
}

template <class V, tulle_shape shape, geometry kept>
tulle_status apply(const tulle__place *place, const tulle__patches_job *job) {
    const size_t bytes = static_cast<size_t>(
        tulle__patch_room(job->patches.more, job->patches.most) * tulle_type_size(job->type));
    return launch(place,
                  job->vectors.diagonal ? apply_patches<V, shape, kept, true>
                                        : apply_patches<V, shape, kept, false>,
                  grid{job->patches.count, TULLE__PATCH_STEP, bytes}, *job,
                  make_scalar<V>(job->vectors.alpha), make_scalar<V>(job->vectors.beta));
}

template <class V, tulle_shape shape>
tulle_status apply_affine(const tulle__place *place, const tulle__patches_job *job) {
    if (job->metrics.kind) return apply<V, shape, ALIKE>(place, job);
    return job->metrics.massive ? apply<V, shape, MASSIVE>(place, job)
                                : apply<V, shape, AFFINE>(place, job);
}

template <class V>
tulle_status apply_of(const tulle__place *place, const tulle__patches_job *job) {
    switch (job->shape) {
        case TULLE_TRIANGLE:
            return apply_affine<V, TULLE_TRIANGLE>(place, job);
        case TULLE_TETRAHEDRON:
            return apply_affine<V, TULLE_TETRAHEDRON>(place, job);
        case TULLE_QUADRILATERAL:
            return job->affine ? apply_affine<V, TULLE_QUADRILATERAL>(place, job)
                               : apply<V, TULLE_QUADRILATERAL, BENT>(place, job);
        default:
            return job->affine ? apply_affine<V, TULLE_HEXAHEDRON>(place, job)
                               : apply<V, TULLE_HEXAHEDRON, BENT>(place, job);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(apply_patches)(const tulle__place *place, const tulle__patches_job *job) {
    return job->type == TULLE_F32 ? gpu::apply_of<float>(place, job)
                                  : gpu::apply_of<double>(place, job);
}
