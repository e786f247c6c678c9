/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of the second order from coordinates, on the GPU: a warp an element,
 * whose lanes are points of quadrature first, and then nodes, each with a row. */
#include <math.h>

#include "fem/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

#define REAL V
#define FUNCTION(type, name)                                                                       \
    template <class V>                                                                             \
    GPU_FUNCTION type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL GPU_UNROLL
#define LOAD(p) load(p)
#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
#include "fem/elements/quadratic.h"
/* quadratic.h comes before quadratic_integrals.h, which uses its formulas. */
#include "fem/elements/quadratic_integrals.h"
#undef REAL
#undef FUNCTION
#undef CALL
#undef UNROLL
#undef LOAD

/* Elements of a block of threads, and blocks on a multiprocessor: a thread has 168 registers, of
 * which its row takes 54. */
constexpr int lattice_warps = 4, lattice_threads = lattice_warps * warp_lanes, lattice_blocks = 3;

inline grid lattice_grid(int64_t count) {
    const int64_t blocks = (count + lattice_warps - 1) / lattice_warps;
    return {blocks < loop_blocks ? blocks : loop_blocks, lattice_threads};
}

template <tulle_shape shape>
struct lattice {
    static constexpr int dimension = shape == TULLE_LINE3            ? 1
                                     : shape == TULLE_QUADRILATERAL9 ? 2
                                                                     : 3;
    static constexpr int nodes = dimension == 1 ? 3 : dimension == 2 ? 9 : TULLE__LATTICE;
};

/* for (int64_t e = own_element(); e < count; e += element_stride()) */
GPU_FUNCTION int own_warp() {
    return static_cast<int>(thread()) / warp_lanes;
}
GPU_FUNCTION int64_t own_element() {
    return static_cast<int64_t>(block()) * lattice_warps + own_warp();
}
GPU_FUNCTION int64_t element_stride() {
    return static_cast<int64_t>(grid_size()) * lattice_warps;
}

/* Coordinate d of number l of the lattice to X[d * nodes + l]. */
template <int nodes>
GPU_FUNCTION void place_lattice(const tulle__cells &cells, int64_t e, shared<double> X) {
    for (int k = static_cast<int>(lane()); k < 3 * nodes; k += warp_lanes) {
        X[k % 3 * nodes + cells.place[k / 3]] = coordinate_of(&cells, e, k / 3, k % 3, 0.0);
    }
}

template <int nodes>
GPU_FUNCTION void take_field(shared<double> field, double *u) {
    GPU_UNROLL
    for (int l = 0; l < nodes; l++) u[l] = field[l];
}

/* Columns of the Jacobian at a place. */
template <int dimension, int nodes>
GPU_FUNCTION void columns_at(shared<double> X, double value[3][3], double slope[3][3],
                             double column[3][3]) {
    GPU_UNROLL
    for (int d = 0; d < 3; d++) {
        double x[nodes], own[3];
        take_field<nodes>(X + static_cast<int64_t>(d) * nodes, x);
        field_at(dimension, x, value, slope, own);
        GPU_UNROLL
        for (int k = 0; k < dimension; k++) column[k][d] = own[k];
    }
}

/* Entries (a, b), a <= b, of the lattice's numbers are K[a * nodes + b]. */
template <class V, int nodes>
GPU_FUNCTION void put_matrix(const tulle__matrices_job &job, int64_t e, shared<double> K) {
    V *to = static_cast<V *>(job.matrices) + e * job.e_step;
    for (int ij = static_cast<int>(lane()); ij < nodes * nodes; ij += warp_lanes) {
        const int i = ij / nodes, j = ij % nodes;
        const int a = static_cast<unsigned char>(job.cells.place[i]),
                  b = static_cast<unsigned char>(job.cells.place[j]);
        to[i * job.i_step + j * job.j_step] =
            static_cast<V>(K[a < b ? a * nodes + b : b * nodes + a]);
    }
}

template <class V, tulle_shape shape>
GPU_KERNEL GPU_RESIDENT(lattice_threads,
                        lattice_blocks) void put_lattice_matrices(tulle__matrices_job job) {
    constexpr int dimension = lattice<shape>::dimension, nodes = lattice<shape>::nodes;
    GPU_SHARED(double, coordinates, lattice_warps * 3 * nodes);
    GPU_SHARED(double, points, lattice_warps *nodes *POINT_NUMBERS);
    GPU_SHARED(double, matrices, lattice_warps *nodes *nodes);
    const shared<double> X = coordinates + static_cast<int64_t>(own_warp()) * 3 * nodes;
    const shared<double> at = points + static_cast<int64_t>(own_warp()) * nodes * POINT_NUMBERS;
    const shared<double> K = matrices + static_cast<int64_t>(own_warp()) * nodes * nodes;
    const int own = static_cast<int>(lane());
    for (int64_t e = own_element(); e < job.cells.count; e += element_stride()) {
        double value[3][3], slope[3][3];
        place_lattice<nodes>(job.cells, e, X);
        sync_warp(full_warp);
        if (own < nodes) {
            double column[3][3], numbers[POINT_NUMBERS];
            polynomials_at(dimension, own, value, slope);
            columns_at<dimension, nodes>(X, value, slope, column);
            matrix_point(shape, &job.cells, e, own, column, numbers);
            GPU_UNROLL
            for (int c = 0; c < POINT_NUMBERS; c++) at[own * POINT_NUMBERS + c] = numbers[c];
        }
        sync_warp(full_warp);
        if (own < nodes) {
            double r[nodes];
            polynomials_of_row(dimension, own, value, slope);
            GPU_UNROLL
            for (int q = 0; q < nodes; q++) r[q] = 0;
            GPU_UNROLL
            for (int q = 0; q < nodes; q++) {
                double numbers[POINT_NUMBERS];
                GPU_UNROLL
                for (int c = 0; c < POINT_NUMBERS; c++) numbers[c] = at[q * POINT_NUMBERS + c];
                add_row_point(dimension, job.cells.stiff, q, numbers, value, slope, r);
            }
            to_points_adjoint(dimension, r);
            GPU_UNROLL
            for (int b = 0; b < nodes; b++) K[own * nodes + b] = r[b];
        }
        sync_warp(full_warp);
        put_matrix<V, nodes>(job, e, K);
    }
}

template <class V, tulle_shape shape>
GPU_KERNEL GPU_RESIDENT(lattice_threads,
                        lattice_blocks) void put_lattice_loads(tulle__loads_job job) {
    constexpr int dimension = lattice<shape>::dimension, nodes = lattice<shape>::nodes;
    GPU_SHARED(double, coordinates, lattice_warps * 3 * nodes);
    GPU_SHARED(double, given, lattice_warps *nodes);
    GPU_SHARED(double, points, lattice_warps *nodes *LOAD_NUMBERS);
    const shared<double> X = coordinates + static_cast<int64_t>(own_warp()) * 3 * nodes;
    const shared<double> known = given + static_cast<int64_t>(own_warp()) * nodes;
    const shared<double> at = points + static_cast<int64_t>(own_warp()) * nodes * LOAD_NUMBERS;
    const int own = static_cast<int>(lane());
    for (int64_t e = own_element(); e < job.cells.count; e += element_stride()) {
        double value[3][3], slope[3][3], number = 0;
        place_lattice<nodes>(job.cells, e, X);
        if (own < nodes) {
            number = load(job.given + load(job.cells.nodes + e * nodes + own));
            known[job.cells.place[own]] = number;
        }
        sync_warp(full_warp);
        const bool some = any(full_warp, number != 0);
        if (own < nodes) {
            double column[3][3], u[nodes], numbers[LOAD_NUMBERS];
            polynomials_at(dimension, own, value, slope);
            columns_at<dimension, nodes>(X, value, slope, column);
            take_field<nodes>(known, u);
            load_point(shape, &job.cells, e, own, column, some, u, value, slope, numbers);
            GPU_UNROLL
            for (int c = 0; c < LOAD_NUMBERS; c++) at[own * LOAD_NUMBERS + c] = numbers[c];
        }
        sync_warp(full_warp);
        if (own < nodes) {
            double sum = 0;
            polynomials_of(dimension, static_cast<int>(job.cells.place[own]), value, slope);
            GPU_UNROLL
            for (int q = 0; q < nodes; q++) {
                double numbers[LOAD_NUMBERS];
                GPU_UNROLL
                for (int c = 0; c < LOAD_NUMBERS; c++) numbers[c] = at[q * LOAD_NUMBERS + c];
                sum += load_of_point(dimension, q, numbers, value, slope);
            }
            static_cast<V *>(job.vectors)[e * job.e_step + own * job.i_step] = static_cast<V>(sum);
        }
        sync_warp(full_warp);
    }
}

/* A block has a patch; the point that stands for all of a cell with one Jacobian is the middle one.
 */
template <class V>
GPU_KERNEL GPU_RESIDENT(lattice_threads,
                        lattice_blocks) void put_metrics(tulle__lattice_metrics_job job) {
    GPU_SHARED(double, coordinates, lattice_warps * 3 * TULLE__LATTICE);
    const shared<double> X = coordinates + static_cast<int64_t>(own_warp()) * 3 * TULLE__LATTICE;
    const tulle__lattice_patch patch = job.patch[block()];
    const int points = tulle__lattice_points(job.affine), own = static_cast<int>(lane());
    const int point = job.affine ? TULLE__LATTICE / 2 : own;
    for (int e = own_warp(); e < patch.elements; e += lattice_warps) {
        place_lattice<TULLE__LATTICE>(job.cells, patch.element + e, X);
        sync_warp(full_warp);
        if (own < points) {
            double value[3][3], slope[3][3], column[3][3], numbers[POINT_NUMBERS];
            polynomials_at(3, point, value, slope);
            columns_at<3, TULLE__LATTICE>(X, value, slope, column);
            matrix_point(TULLE_HEXAHEDRON27, &job.cells, patch.element + e, point, column, numbers);
            scale_point(job.affine, numbers);
            GPU_UNROLL
            for (int c = 0; c < POINT_NUMBERS; c++) {
                if (c >= tulle__lattice_numbers(job.massive)) continue;
                static_cast<V *>(job.numbers)[tulle__lattice_number_at(
                    &patch, job.affine, job.massive, own, c, e)] = static_cast<V>(numbers[c]);
            }
        }
        sync_warp(full_warp);
    }
}

template <class V>
tulle_status launch_lattice_matrices(const tulle__place *place, const tulle__matrices_job *job) {
    switch (job->cells.shape) {
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        return launch(place, put_lattice_matrices<V, name>, lattice_grid(job->cells.count), *job);
        TULLE__QUADRATIC_SHAPES(SHAPE)
#undef SHAPE
        default:
            return TULLE_UNSUPPORTED;
    }
}

template <class V>
tulle_status launch_lattice_loads(const tulle__place *place, const tulle__loads_job *job) {
    switch (job->cells.shape) {
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        return launch(place, put_lattice_loads<V, name>, lattice_grid(job->cells.count), *job);
        TULLE__QUADRATIC_SHAPES(SHAPE)
#undef SHAPE
        default:
            return TULLE_UNSUPPORTED;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(quadratic_matrices)(const tulle__place *place,
                                            const tulle__matrices_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_lattice_matrices<float>(place, job)
                                  : gpu::launch_lattice_matrices<double>(place, job);
}

tulle_status GPU_SYMBOL(quadratic_loads)(const tulle__place *place, const tulle__loads_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_lattice_loads<float>(place, job)
                                  : gpu::launch_lattice_loads<double>(place, job);
}

tulle_status GPU_SYMBOL(lattice_metrics)(const tulle__place *place,
                                         const tulle__lattice_metrics_job *job) {
    const gpu::grid blocks = {job->patches, gpu::lattice_threads};
    return job->type == TULLE_F32 ? gpu::launch(place, gpu::put_metrics<float>, blocks, *job)
                                  : gpu::launch(place, gpu::put_metrics<double>, blocks, *job);
}
