/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors of the second order from coordinates, on the CPU. */
#include <math.h>

#include "core/threads/sizes.h"
#include "fem/functions.h"

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL
#define LOAD(p) (*(p))
#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
#include "fem/elements/quadratic.h"
/* quadratic.h comes before quadratic_integrals.h, which uses its formulas. */
#include "fem/elements/quadratic_integrals.h"

/* Coordinates of an element on its lattice. */
static void place_lattice(const tulle__cells *cells, int64_t e, double X[3][TULLE__LATTICE]) {
    for (int a = 0; a < tulle__cell_nodes(cells->shape); a++) {
        for (int d = 0; d < 3; d++) X[d][cells->place[a]] = coordinate_of(cells, e, a, d, 0);
    }
}

static void columns_at(int dimension, double X[3][TULLE__LATTICE], double value[3][3],
                       double slope[3][3], double column[3][3]) {
    for (int d = 0; d < 3; d++) {
        double own[3];
        field_at(dimension, X[d], value, slope, own);
        for (int k = 0; k < dimension; k++) column[k][d] = own[k];
    }
}

/* Entries (a, b), a <= b, of the lattice's numbers. */
static void lattice_matrix(tulle_shape shape, const tulle__cells *cells, int64_t e,
                           double K[TULLE__LATTICE][TULLE__LATTICE]) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    double X[3][TULLE__LATTICE], numbers[TULLE__LATTICE][POINT_NUMBERS];
    double value[3][3], slope[3][3], column[3][3];
    place_lattice(cells, e, X);
    for (int q = 0; q < nodes; q++) {
        polynomials_at(dimension, q, value, slope);
        columns_at(dimension, X, value, slope, column);
        matrix_point(shape, cells, e, q, column, numbers[q]);
    }
    for (int a = 0; a < nodes; a++) {
        polynomials_of_row(dimension, a, value, slope);
        for (int q = 0; q < nodes; q++) K[a][q] = 0;
        for (int q = 0; q < nodes; q++) {
            add_row_point(dimension, cells->stiff, q, numbers[q], value, slope, K[a]);
        }
        to_points_adjoint(dimension, K[a]);
    }
}

static void put_matrix(tulle_shape shape, const tulle__matrices_job *job, int64_t e) {
    const int nodes = tulle__cell_nodes(shape);
    double K[TULLE__LATTICE][TULLE__LATTICE];
    lattice_matrix(shape, &job->cells, e, K);
    for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < nodes; j++) {
            const int a = job->cells.place[i], b = job->cells.place[j];
            tulle__put_number(job->type, job->matrices,
                              e * job->e_step + i * job->i_step + j * job->j_step,
                              a < b ? K[a][b] : K[b][a]);
        }
    }
}

/* Places the numbers that are given for u, and tells that one of them is not 0. */
static bool place_given(const tulle__loads_job *job, int64_t e, double u[TULLE__LATTICE]) {
    const int nodes = tulle__cell_nodes(job->cells.shape);
    bool any = false;
    for (int a = 0; a < nodes; a++) {
        u[job->cells.place[a]] = job->given[job->cells.nodes[e * nodes + a]];
        any = any || u[job->cells.place[a]] != 0;
    }
    return any;
}

static void put_load(tulle_shape shape, const tulle__loads_job *job, int64_t e) {
    const int dimension = tulle__cell_dimension(shape), nodes = tulle__cell_nodes(shape);
    double X[3][TULLE__LATTICE], u[TULLE__LATTICE], load[TULLE__LATTICE][LOAD_NUMBERS];
    double value[3][3], slope[3][3], column[3][3];
    const bool any = place_given(job, e, u);
    place_lattice(&job->cells, e, X);
    for (int q = 0; q < nodes; q++) {
        polynomials_at(dimension, q, value, slope);
        columns_at(dimension, X, value, slope, column);
        load_point(shape, &job->cells, e, q, column, any, u, value, slope, load[q]);
    }
    for (int i = 0; i < nodes; i++) {
        double sum = 0;
        polynomials_of(dimension, job->cells.place[i], value, slope);
        for (int q = 0; q < nodes; q++) sum += load_of_point(dimension, q, load[q], value, slope);
        tulle__put_number(job->type, job->vectors, e * job->e_step + i * job->i_step, sum);
    }
}

/* The compiler makes code of each shape's own. */
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        put_matrix(name, job, e);                                                                  \
        break;
static void put_matrix_of_shape(const tulle__matrices_job *job, int64_t e) {
    switch (job->cells.shape) {
        TULLE__QUADRATIC_SHAPES(SHAPE)
        default:
            break;
    }
}
#undef SHAPE
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        put_load(name, job, e);                                                                    \
        break;
static void put_load_of_shape(const tulle__loads_job *job, int64_t e) {
    switch (job->cells.shape) {
        TULLE__QUADRATIC_SHAPES(SHAPE)
        default:
            break;
    }
}
#undef SHAPE

tulle_status tulle__cpu_quadratic_matrices(const tulle__place *place,
                                           const tulle__matrices_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_QUADRATIC, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) put_matrix_of_shape(job, e);
    return TULLE_OK;
}

tulle_status tulle__cpu_quadratic_loads(const tulle__place *place, const tulle__loads_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_QUADRATIC, job->cells.count))
    for (int64_t e = 0; e < job->cells.count; e++) put_load_of_shape(job, e);
    return TULLE_OK;
}

/* The point that stands for all of a cell with one Jacobian is the middle one. */
static void put_metrics(const tulle__lattice_metrics_job *job, const tulle__lattice_patch *patch,
                        int e) {
    const int64_t element = patch->element + e;
    double X[3][TULLE__LATTICE], value[3][3], slope[3][3], column[3][3], numbers[POINT_NUMBERS];
    place_lattice(&job->cells, element, X);
    for (int q = 0; q < tulle__lattice_points(job->affine); q++) {
        const int point = job->affine ? TULLE__LATTICE / 2 : q;
        polynomials_at(3, point, value, slope);
        columns_at(3, X, value, slope, column);
        matrix_point(TULLE_HEXAHEDRON27, &job->cells, element, point, column, numbers);
        scale_point(job->affine, numbers);
        for (int c = 0; c < tulle__lattice_numbers(job->massive); c++) {
            tulle__put_number(job->type, job->numbers,
                              tulle__lattice_number_at(patch, job->affine, job->massive, q, c, e),
                              numbers[c]);
        }
    }
}

tulle_status tulle__cpu_lattice_metrics(const tulle__place *place,
                                        const tulle__lattice_metrics_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_QUADRATIC, job->cells.count))
    for (int64_t p = 0; p < job->patches; p++) {
        for (int e = 0; e < job->patch[p].elements; e++) put_metrics(job, &job->patch[p], e);
    }
    return TULLE_OK;
}
