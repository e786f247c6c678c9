/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion on meshes: element matrices that are known, patch tests, orders of convergence, given
 * numbers and fluxes, coefficients that jump, and all operators as the same matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "entries.h"
#include "meshes.h"
#include "places.h"

/* A problem on a mesh with its matrix and right-hand side. */
typedef struct {
    tulle_mesh *mesh;
    tulle_diffusion *D;
    tulle_assembly *S;
    tulle_mat *A;
    tulle_dense *b;
    int64_t n;
} fem_system;

static fem_system open_system(tulle_ctx *ctx, const char *spec, const tulle_diffusion_problem *p,
                              tulle_type type) {
    fem_system s = {.mesh = mesh_of(ctx, spec)};
    s.n = mesh_info(s.mesh).nodes;
    must(tulle_diffusion_create(ctx, s.mesh, p, &s.D));
    must(tulle_diffusion_assembly(ctx, s.D, TULLE_CSR, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, type, &s.A));
    must(tulle_vec_create(ctx, type, s.n, &s.b));
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    must(tulle_diffusion_load(ctx, s.D, s.S, s.b));
    return s;
}

static void close_system(fem_system *s) {
    tulle_dense_destroy(s->b);
    tulle_mat_destroy(s->A);
    tulle_assembly_destroy(s->S);
    tulle_diffusion_destroy(s->D);
    tulle_mesh_destroy(s->mesh);
}

static double *read_vector(tulle_ctx *ctx, const tulle_dense *v, tulle_type type, int64_t n) {
    double *numbers = malloc((size_t)n * sizeof *numbers);
    float *narrow = malloc((size_t)n * sizeof *narrow);
    assert_true(numbers && narrow);
    if (type == TULLE_F64) {
        must(tulle_dense_read(ctx, v, numbers, 0));
    } else {
        must(tulle_dense_read(ctx, v, narrow, 0));
        for (int64_t i = 0; i < n; i++) numbers[i] = (double)narrow[i];
    }
    free(narrow);
    return numbers;
}

/* The coordinates of a node, 0 beyond the mesh's dimension. */
static void node_at(const tulle_mesh *mesh, int64_t node, double x[3]) {
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    for (int d = 0; d < 3; d++) x[d] = d < a.dimension ? a.coordinates[node * a.dimension + d] : 0;
}

/* Fails unless A u = b for the u that is known at nodes, up to the rounding of matrix, load and
 * product: `terms` roundings of what each row adds up. */
static void check_residual(tulle_ctx *ctx, const fem_system *s, tulle_type type,
                           double (*u)(const double x[3], int64_t element, void *user), void *user,
                           const char *what) {
    enum { TERMS = 400 };
    entries A = entries_read(ctx, s->A);
    double *b = read_vector(ctx, s->b, type, s->n);
    long double *left = calloc((size_t)s->n, sizeof *left),
                *size = calloc((size_t)s->n, sizeof *left);
    assert_true(left && size);
    long double scale = 0;
    for (int64_t k = 0; k < A.nnz; k++) {
        double x[3];
        node_at(s->mesh, A.col[k], x);
        const long double term = (long double)A.value[k] * u(x, A.col[k], user);
        left[A.row[k]] += term;
        size[A.row[k]] += fabsl(term);
        scale = fmaxl(scale, fabsl((long double)A.value[k]));
    }
    for (int64_t i = 0; i < s->n; i++) {
        const long double bound = TERMS * unit_of(type) * (size[i] + scale);
        assert_near(b[i], left[i], bound, what);
    }
    free(left);
    free(size);
    free(b);
    entries_free(&A);
}

/* A linear field, and its slope. */
static const double slope[3] = {0.7, -1.3, 0.4};
static double linear(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return 0.2 + slope[0] * x[0] + slope[1] * x[1] + slope[2] * x[2];
}

/* u is linear, so that f = 0 with k = 3: whatever the mesh, nothing is left. Some of the boundary
 * has u, some its flux, some both of them mixed. */
static void patch(tulle_ctx *ctx, const char *where) {
    static const char *const boxes[] = {"box-tri:4x3,perturb=0.2", "box-quad:3x4,perturb=0.2",
                                        "box-tet:2x3x2,perturb=0.2", "box-hex:2x3x3,perturb=0.2"};
    static const tulle_quantity three = {.number = 3};
    const tulle_condition conditions[] = {
        {.group = "x-min", .value = {.function = linear}},
        {.group = "x-max", .kind = TULLE_NEUMANN, .value = {.number = 3 * slope[0]}},
        {.group = "y-min", .kind = TULLE_NEUMANN, .value = {.number = -3 * slope[1] - 5}},
        {.group = "y-min", .kind = TULLE_NEUMANN, .value = {.number = 5}},
        {.group = "y-max", .value = {.function = linear}},
        {.group = "z-max", .kind = TULLE_NEUMANN, .value = {.number = 3 * slope[2]}},
        {.group = "z-min", .kind = TULLE_NEUMANN, .value = {.number = -3 * slope[2]}},
    };
    const int first = is_slow(where) ? turn_in_order(where, 4) : 0;
    const int last = is_slow(where) ? first + 1 : 4;
    for (int i = first; i < last; i++) {
        const bool flat = i < 2;
        const tulle_diffusion_problem p = {
            .k = &three, .condition_count = flat ? 5 : 7, .conditions = conditions};
        for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
            fem_system s = open_system(ctx, boxes[i], &p, type);
            check_residual(ctx, &s, type, linear, NULL, boxes[i]);
            close_system(&s);
        }
    }
}
static void test_patch(void **state) {
    (void)state;
    on_each_place(patch);
}

/* The same on meshes of any form, with u on the whole boundary. */
static void patch_all(tulle_ctx *ctx, const char *where) {
    static const char *const meshes[] = {"cylinder-hex:2x2x2,perturb=0.1", "lshape-tet:2x2",
                                         "cylinder-quad:2x3,perturb=0.2", "lshape-tri:3",
                                         "cylinder-tet:2x1x2"};
    const tulle_condition given = {.value = {.function = linear}};
    const tulle_diffusion_problem p = {.condition_count = 1, .conditions = &given};
    const int count = sizeof meshes / sizeof *meshes, turn = turn_of(where, count);
    for (int i = 0; i < count; i++) {
        if (is_slow(where) && i != turn) continue;
        fem_system s = open_system(ctx, meshes[i], &p, TULLE_F64);
        check_residual(ctx, &s, TULLE_F64, linear, NULL, meshes[i]);
        close_system(&s);
    }
}
ONCE_ON_EACH_PLACE(patch_all)

/* k is 1 on one half of a box and 10 on the other: u bends where it jumps. The flux is 2. */
static double bent(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return x[0] < 0.5 ? 2 * x[0] : 1 + 0.2 * (x[0] - 0.5);
}
static double jumping(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return x[0] < 0.5 ? 1 : 10;
}

static void jumps(tulle_ctx *ctx, const char *where) {
    static const char *const boxes[] = {"box-tri:4", "box-quad:4", "box-tet:2", "box-hex:2"};
    const tulle_condition conditions[] = {
        {.group = "x-min"},
        {.group = "x-max", .kind = TULLE_NEUMANN, .value = {.number = 2}},
    };
    for (int i = 0; i < 4; i++) {
        if (is_slow(where) && i != turn_of(where, 4)) continue;
        tulle_mesh *mesh = mesh_of(ctx, boxes[i]);
        const tulle_mesh_block block = mesh_arrays(mesh).blocks[0];
        const int nodes = shape_nodes(block.shape);
        double *of_cells = malloc((size_t)block.count * sizeof *of_cells);
        assert_non_null(of_cells);
        for (int64_t e = 0; e < block.count; e++) {
            double middle[3] = {0, 0, 0}, x[3];
            for (int a = 0; a < nodes; a++) {
                node_at(mesh, block.nodes[e * nodes + a], x);
                middle[0] += x[0] / nodes;
            }
            of_cells[e] = jumping(middle, e, NULL);
        }
        tulle_mesh_destroy(mesh);
        const tulle_quantity k[] = {{.of_elements = of_cells}, {.function = jumping}};
        for (int how = 0; how < 2; how++) {
            const tulle_diffusion_problem p = {
                .k = &k[how], .condition_count = 2, .conditions = conditions};
            fem_system s = open_system(ctx, boxes[i], &p, TULLE_F64);
            check_residual(ctx, &s, TULLE_F64, bent, NULL, boxes[i]);
            close_system(&s);
        }
        free(of_cells);
    }
}
ONCE_ON_EACH_PLACE(jumps)

/* Integrals that are known: of c over the cells as the sum of all entries, of f and of fluxes as
 * that of the load; with a factor the boundary's part of the matrix. */
static void integrals(tulle_ctx *ctx, const char *where) {
    static const struct {
        const char *spec;
        double volume, area;
    } boxes[] = {{"box-tri:3x2,perturb=0.2,size=2x3", 6, 10},
                 {"box-quad:3x2,perturb=0.2,size=2x3", 6, 10},
                 {"box-tet:2,perturb=0.2,size=2x3x4", 24, 52},
                 {"box-hex:2,size=2x3x4", 24, 52}};
    const tulle_condition mixed = {
        .kind = TULLE_ROBIN, .value = {.number = 7}, .factor = {.number = 5}};
    const tulle_diffusion_problem p = {
        .c = {.number = 2}, .f = {.number = 3}, .condition_count = 1, .conditions = &mixed};
    for (int i = 0; i < 4; i++) {
        if (is_slow(where) && i != turn_of(where, 4)) continue;
        fem_system s = open_system(ctx, boxes[i].spec, &p, TULLE_F64);
        entries A = entries_read(ctx, s.A);
        double *b = read_vector(ctx, s.b, TULLE_F64, s.n);
        long double sum = 0, size = 0, load = 0;
        for (int64_t k = 0; k < A.nnz; k++) {
            sum += (long double)A.value[k];
            size += fabsl((long double)A.value[k]);
        }
        for (int64_t k = 0; k < s.n; k++) load += (long double)b[k];
        const long double unit = 400 * unit_of(TULLE_F64);
        assert_near((double)sum, 2 * boxes[i].volume + 5 * boxes[i].area, unit * size, "sum of A");
        const long double want = 3 * boxes[i].volume + 7 * boxes[i].area;
        assert_near((double)load, want, unit * want, "sum of b");
        free(b);
        entries_free(&A);
        close_system(&s);
    }
}
ONCE_ON_EACH_PLACE(integrals)

/* Entry (a, b) of the matrices of a box's cell h_0 x h_1 x h_2: products of those of intervals. */
static double box_entry(tulle_shape shape, const double h[3], int a, int b, double k, double c) {
    tulle_shape_info info;
    double p[3], q[3], stiff = 0, mass = 1;
    must(tulle_shape_describe(shape, &info));
    must(tulle_shape_point(shape, a, p));
    must(tulle_shape_point(shape, b, q));
    for (int d = 0; d < info.dimension; d++) mass *= h[d] * (p[d] == q[d] ? 2 : 1) / 6;
    for (int d = 0; d < info.dimension; d++) {
        const double own = h[d] * (p[d] == q[d] ? 2 : 1) / 6;
        stiff += mass / own * (p[d] == q[d] ? 1 : -1) / h[d];
    }
    return k * stiff + c * mass;
}

/* The same of the simplex with one corner at the origin and the others at h_d on the axes. */
static double simplex_entry(int dimension, const double h[3], int a, int b, double k, double c) {
    double volume = 1, dot = 0;
    for (int d = 0; d < dimension; d++) {
        volume *= h[d] / (d + 1);
        const double of_a = a == 0 ? -1 / h[d] : a == d + 1 ? 1 / h[d] : 0;
        const double of_b = b == 0 ? -1 / h[d] : b == d + 1 ? 1 / h[d] : 0;
        dot += of_a * of_b;
    }
    return volume * (k * dot + c * (1 + (a == b)) / ((dimension + 1) * (dimension + 2)));
}

/* One cell of each shape, in space, whose matrices are known. */
static void known(tulle_ctx *ctx, const char *where) {
    static const tulle_shape shapes[] = {TULLE_TRIANGLE, TULLE_QUADRILATERAL, TULLE_TETRAHEDRON,
                                         TULLE_HEXAHEDRON};
    static const double h[3] = {0.5, 2, 1.25};
    static const int32_t list[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const tulle_quantity k = {.number = 1.5};
    (void)where;
    for (int i = 0; i < 4; i++) {
        tulle_shape_info info;
        double x[8 * 3], point[3], K[64];
        must(tulle_shape_describe(shapes[i], &info));
        const bool simplex = i % 2 == 0;
        for (int a = 0; a < info.nodes; a++) {
            must(tulle_shape_point(shapes[i], a, point));
            for (int d = 0; d < 3; d++) x[a * 3 + d] = 4 + (simplex ? 1 : 0.5) * h[d] * point[d];
        }
        const tulle_mesh_block block = {.shape = shapes[i], .count = 1, .nodes = list};
        const tulle_mesh_arrays arrays = mesh_small(3, info.nodes, x, &block, 1);
        const tulle_diffusion_problem p = {.k = &k, .c = {.number = 0.75}};
        tulle_mesh *mesh = NULL;
        tulle_diffusion *D = NULL;
        tulle_dense *room = NULL;
        tulle_dense_info at;
        must(tulle_mesh_create(ctx, &arrays, &mesh));
        must(tulle_diffusion_create(ctx, mesh, &p, &D));
        must(tulle_vec_create(ctx, TULLE_F64, (int64_t)info.nodes * info.nodes, &room));
        must(tulle_dense_describe(room, &at));
        must(tulle_diffusion_matrices(ctx, D, 0, TULLE_F64, at.data));
        must(tulle_dense_read(ctx, room, K, 0));
        for (int a = 0; a < info.nodes; a++) {
            for (int b = 0; b < info.nodes; b++) {
                const double want = simplex ? simplex_entry(info.dimension, h, a, b, 1.5, 0.75)
                                            : box_entry(shapes[i], h, a, b, 1.5, 0.75);
                assert_near(K[a * info.nodes + b], want, 200 * unit_of(TULLE_F64) * 10, info.name);
                assert_true(K[a * info.nodes + b] == K[b * info.nodes + a]);
            }
        }
        tulle_dense_destroy(room);
        tulle_diffusion_destroy(D);
        tulle_mesh_destroy(mesh);
    }
}
ONCE_ON_EACH_PLACE(known)

/* What the order of convergence is measured with: u, k and c vary, and the flux of u. */
static double smooth(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return sin(2 * x[0]) * cos(x[1]) * exp(0.5 * x[2]);
}
static double conducting(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return 1 + 0.5 * x[0];
}
/* -div(k grad u) + 2 u; in a plane there is no z. */
static double source(const double x[3], int64_t element, void *user) {
    const bool flat = *(const bool *)user;
    const double u = smooth(x, element, NULL), ux = 2 * cos(2 * x[0]) * cos(x[1]) * exp(0.5 * x[2]);
    return -conducting(x, 0, NULL) * u * (-4 - 1 + (flat ? 0 : 0.25)) - 0.5 * ux + 2 * u;
}
/* k du/dx + 3 u at x = 1, and k du/dy at y = 1. */
static double at_x_max(const double x[3], int64_t element, void *user) {
    (void)user;
    return conducting(x, 0, NULL) * 2 * cos(2 * x[0]) * cos(x[1]) * exp(0.5 * x[2]) +
           3 * smooth(x, element, NULL);
}
static double at_y_max(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return -conducting(x, 0, NULL) * sin(2 * x[0]) * sin(x[1]) * exp(0.5 * x[2]);
}

/* The root of the mean over cells of (u_h - u)^2 in their middles. */
static double error_of(const tulle_mesh *mesh, const double *u) {
    const tulle_mesh_block block = mesh_arrays(mesh).blocks[0];
    const int nodes = shape_nodes(block.shape);
    double sum = 0;
    for (int64_t e = 0; e < block.count; e++) {
        double middle[3] = {0, 0, 0}, value = 0;
        for (int a = 0; a < nodes; a++) {
            double x[3];
            node_at(mesh, block.nodes[e * nodes + a], x);
            for (int d = 0; d < 3; d++) middle[d] += x[d] / nodes;
            value += u[block.nodes[e * nodes + a]] / nodes;
        }
        const double off = value - smooth(middle, 0, NULL);
        sum += off * off / (double)block.count;
    }
    return sqrt(sum);
}

static double solved_error(tulle_ctx *ctx, const char *spec, bool flat) {
    static const tulle_quantity k = {.function = conducting};
    const tulle_condition conditions[] = {
        {.group = "x-min", .value = {.function = smooth}},
        {.group = "y-min", .value = {.function = smooth}},
        {.group = "x-max",
         .kind = TULLE_ROBIN,
         .value = {.function = at_x_max},
         .factor = {.number = 3}},
        {.group = "y-max", .kind = TULLE_NEUMANN, .value = {.function = at_y_max}},
        {.group = "z-min", .value = {.function = smooth}},
        {.group = "z-max", .value = {.function = smooth}},
    };
    const tulle_diffusion_problem p = {.k = &k,
                                       .c = {.number = 2},
                                       .f = {.function = source, .user = &flat},
                                       .condition_count = flat ? 4 : 6,
                                       .conditions = conditions};
    fem_system s = open_system(ctx, spec, &p, TULLE_F64);
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *solver = NULL;
    tulle_dense *x = NULL;
    tulle_solve_report report;
    must(tulle_linop_from_mat(ctx, s.A, &L));
    must(tulle_linop_jacobi(ctx, L, &M));
    must(tulle_vec_create(ctx, TULLE_F64, s.n, &x));
    must(tulle_solver_create(ctx, L, M, NULL, &solver));
    must(tulle_solver_run(ctx, solver, s.b, x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    double *u = read_vector(ctx, x, TULLE_F64, s.n);
    const double error = error_of(s.mesh, u);
    free(u);
    tulle_solver_destroy(solver);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_dense_destroy(x);
    close_system(&s);
    return error;
}

/* Twice as many cells in each direction: a quarter of the error. */
static void test_order(void **state) {
    static const char *const specs[4][2] = {
        {"box-tri:16,perturb=0.2", "box-tri:32,perturb=0.2"},
        {"box-quad:16,perturb=0.2", "box-quad:32,perturb=0.2"},
        {"box-tet:6,perturb=0.1", "box-tet:12,perturb=0.1"},
        {"box-hex:6,perturb=0.1", "box-hex:12,perturb=0.1"},
    };
    tulle_ctx *ctx = NULL;
    (void)state;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    for (int i = 0; i < 4; i++) {
        const double coarse = solved_error(ctx, specs[i][0], i < 2);
        const double fine = solved_error(ctx, specs[i][1], i < 2);
        const double order = log2(coarse / fine);
        if (!(order > 1.8 && order < 2.5)) fail_msg("%s: order %g", specs[i][1], order);
    }
    tulle_ctx_destroy(ctx);
}

/* A x by element matrices in long double, and the sizes that bounds are made of. */
typedef struct {
    long double *y, *size;
} by_elements;

static by_elements multiply(tulle_ctx *ctx, const fem_system *s, tulle_type type, const double *x) {
    tulle_diffusion_info info;
    must(tulle_diffusion_describe(s->D, &info));
    uint8_t *masked = malloc((size_t)s->n);
    by_elements r = {calloc((size_t)s->n, sizeof *r.y), calloc((size_t)s->n, sizeof *r.y)};
    assert_true(masked && r.y && r.size);
    must(tulle__copy_wait(ctx, masked, info.masked, (size_t)s->n));
    for (int b = 0; b < info.blocks; b++) {
        const tulle_elements e = info.elements[b];
        const int64_t m = e.nodes, numbers = e.count * m * m;
        tulle_dense *room = NULL;
        tulle_dense_info at;
        int32_t *list = malloc((size_t)(e.count * m) * sizeof *list);
        assert_non_null(list);
        must(tulle__copy_wait(ctx, list, e.list, (size_t)(e.count * m) * sizeof *list));
        must(tulle_vec_create(ctx, type, numbers, &room));
        must(tulle_dense_describe(room, &at));
        must(tulle_diffusion_matrices(ctx, s->D, b, type, at.data));
        double *K = read_vector(ctx, room, type, numbers);
        for (int64_t k = 0; k < numbers; k++) {
            const int32_t row = list[k / m], col = list[k / (m * m) * m + k % m];
            if (masked[row] || masked[col]) continue;
            r.y[row] += (long double)K[k] * x[col];
            r.size[row] += fabsl((long double)K[k] * x[col]);
        }
        free(K);
        free(list);
        tulle_dense_destroy(room);
    }
    for (int64_t i = 0; i < s->n; i++) {
        if (!masked[i]) continue;
        r.y[i] = x[i];
        r.size[i] = fabs(x[i]);
    }
    free(masked);
    return r;
}

static void check_operator(tulle_ctx *ctx, tulle_linop *L, tulle_type type, const tulle_dense *x,
                           const by_elements *want, int64_t n, const char *what) {
    enum { TERMS = 8 * 27 + 12 }; /* numbers that come to a row, and a few more roundings */
    tulle_dense *y = NULL;
    must(tulle_vec_create(ctx, type, n, &y));
    must(tulle_linop_apply(ctx, L, TULLE_N, tulle_num(1), x, tulle_num(0), y));
    double *got = read_vector(ctx, y, type, n);
    for (int64_t i = 0; i < n; i++) {
        assert_near(got[i], want->y[i],
                    gamma_of(TERMS, type) * want->size[i] + TERMS * least_of(type), what);
    }
    free(got);
    tulle_dense_destroy(y);
}

static void operators_of(tulle_ctx *ctx, const char *spec, tulle_type type) {
    static const tulle_format formats[] = {TULLE_CSR, TULLE_ELL, TULLE_HYB};
    const tulle_condition conditions[] = {
        {.group = "z-min", .value = {.number = 2}},
        {.group = "side", .kind = TULLE_ROBIN, .factor = {.number = 4}},
    };
    static const tulle_quantity k = {.function = conducting};
    const tulle_diffusion_problem p = {
        .k = &k, .c = {.number = 0.5}, .condition_count = 2, .conditions = conditions};
    fem_system s = open_system(ctx, spec, &p, type);
    tulle_dense *x = NULL;
    must(tulle_vec_create(ctx, type, s.n, &x));
    must(tulle_dense_random(ctx, x, 5));
    double *host = read_vector(ctx, x, type, s.n);
    by_elements want = multiply(ctx, &s, type, host);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        tulle_mat *A = NULL;
        tulle_linop *L = NULL;
        must(tulle_mat_convert(ctx, s.A, formats[f], TULLE_I32, 0, &A));
        must(tulle_linop_from_mat(ctx, A, &L));
        check_operator(ctx, L, type, x, &want, s.n, tulle_format_name(formats[f]));
        tulle_linop_destroy(L);
        tulle_mat_destroy(A);
    }
    for (int scatter = TULLE_SCATTER_OWNER; scatter <= TULLE_SCATTER_ATOMIC; scatter++) {
        const tulle_local_options o = {.scatter = (tulle_local_scatter)scatter};
        tulle_linop *L = NULL;
        must(tulle_diffusion_local(ctx, s.D, &o, type, &L));
        check_operator(ctx, L, type, x, &want, s.n, "local");
        tulle_linop_destroy(L);
    }
    free(want.y);
    free(want.size);
    free(host);
    tulle_dense_destroy(x);
    close_system(&s);
}

static void operators(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"cylinder-hex:2x1x2", "cylinder-tet:2x1x2"};
    for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int i = 0; i < 2; i++) {
            if (is_slow(where) && i != turn_of(where, 2)) continue;
            operators_of(ctx, specs[i], type);
        }
    }
}
ONCE_ON_EACH_PLACE(operators)

/* What an ELL matrix holds, by row and column. */
static entries read_sorted(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, 0, &csr));
    entries e = entries_read(ctx, csr);
    entries_sort(&e);
    tulle_mat_destroy(csr);
    return e;
}

/* Both triangles and quadrilaterals, and a node of no cell; A is symmetric bit by bit, and another
 * call makes the same. */
static void mixed_cells(tulle_ctx *ctx, const char *where) {
    static const double x[] = {0, 0, 1, 0, 2, 0.25, 0, 1, 1, 1.25, 2, 1, 5, 5};
    static const int32_t four[] = {0, 1, 4, 3}, three[] = {1, 2, 5, 1, 5, 4};
    const tulle_mesh_block blocks[] = {
        {.shape = TULLE_QUADRILATERAL, .count = 1, .nodes = four},
        {.shape = TULLE_TRIANGLE, .count = 2, .nodes = three},
    };
    static const double k_of[] = {2, 3, 5};
    const tulle_quantity k = {.of_elements = k_of};
    const tulle_mesh_arrays arrays = mesh_small(2, 7, x, blocks, 2);
    const tulle_diffusion_problem p = {.k = &k, .f = {.number = 1}};
    tulle_diffusion_info info;
    (void)where;
    fem_system s = {.n = 7};
    must(tulle_mesh_create(ctx, &arrays, &s.mesh));
    must(tulle_diffusion_create(ctx, s.mesh, &p, &s.D));
    must(tulle_diffusion_describe(s.D, &info));
    assert_int_equal(info.given, 1);
    assert_int_equal(info.blocks, 2);
    must(tulle_diffusion_assembly(ctx, s.D, TULLE_ELL, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A));
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    entries A = read_sorted(ctx, s.A), T = entries_copy(&A);
    entries_transpose(&T);
    entries_sort(&T);
    entries_assert_same(&A, &T, "transposed");
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    entries again = read_sorted(ctx, s.A);
    entries_assert_same(&A, &again, "made again");
    for (int64_t i = 0; i < 7; i++) { /* constants are in the null space, but for the loose node */
        long double sum = 0, size = 0;
        for (int64_t e = 0; e < A.nnz; e++) {
            if (A.row[e] != i) continue;
            sum += (long double)A.value[e];
            size += fabsl((long double)A.value[e]);
        }
        assert_near((double)sum, i == 6, 200 * unit_of(TULLE_F64) * size, "row sum");
    }
    entries_free(&again);
    entries_free(&T);
    entries_free(&A);
    close_system(&s);
}
ONCE_ON_EACH_PLACE(mixed_cells)

static double not_a_number(const double x[3], int64_t element, void *user) {
    (void)x;
    (void)user;
    return element == 2 ? (double)NAN : 1;
}

static void errors(tulle_ctx *ctx, const char *where) {
    static const double some[64] = {0};
    static const tulle_quantity bad = {.function = not_a_number};
    const tulle_condition unknown = {.group = "nowhere"}, kind = {.kind = (tulle_condition_kind)7};
    const tulle_condition listed = {.value = {.of_elements = some}};
    const struct {
        const char *mesh;
        tulle_diffusion_problem problem;
        tulle_status want;
    } cases[] = {
        {"box-quad:2", {.condition_count = -1}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.condition_count = 1}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.condition_count = 1, .conditions = &unknown}, TULLE_NOT_FOUND},
        {"box-quad:2", {.condition_count = 1, .conditions = &kind}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.condition_count = 1, .conditions = &listed}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.k = &bad}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.f = {.number = (double)INFINITY}}, TULLE_INVALID_ARGUMENT},
        {"box-hex27:1", {.condition_count = 0}, TULLE_UNSUPPORTED},
    };
    (void)where;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tulle_mesh *mesh = mesh_of(ctx, cases[i].mesh);
        tulle_diffusion *D = (tulle_diffusion *)1;
        assert_int_equal(tulle_diffusion_create(ctx, mesh, &cases[i].problem, &D), cases[i].want);
        assert_null(D);
        tulle_mesh_destroy(mesh);
    }
    const tulle_diffusion_problem p = {.condition_count = 0};
    fem_system s = open_system(ctx, "box-quad:2", &p, TULLE_F64);
    fem_system t = open_system(ctx, "box-quad:3", &p, TULLE_F64);
    double K[16];
    assert_int_equal(tulle_diffusion_values(ctx, s.D, t.S, t.A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_diffusion_values(ctx, s.D, s.S, t.A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_diffusion_load(ctx, s.D, s.S, t.b), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_diffusion_load(ctx, s.D, t.S, s.b), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_diffusion_matrices(ctx, s.D, 1, TULLE_F64, K), TULLE_INVALID_ARGUMENT);
    close_system(&t);
    close_system(&s);
}
ONCE_ON_EACH_PLACE(errors)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    static const tulle_quantity k = {.function = conducting};
    const tulle_condition conditions[] = {
        {.group = "x-min", .value = {.function = linear}},
        {.kind = TULLE_ROBIN, .value = {.number = 1}, .factor = {.number = 2}},
    };
    const tulle_diffusion_problem p = {.k = &k, .condition_count = 2, .conditions = conditions};
    tulle_ctx *ctx = NULL;
    fem_system s = {.n = 9};
    must(tulle_ctx_create(where, &options, &ctx));
    s.mesh = mesh_of(ctx, "box-quad:2");
    c.fail_at = c.requests + n;
    tulle_status status = tulle_diffusion_create(ctx, s.mesh, &p, &s.D);
    if (status == TULLE_OK) status = tulle_diffusion_assembly(ctx, s.D, TULLE_CSR, &s.S);
    if (status == TULLE_OK) status = tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, s.n, &s.b);
    if (status == TULLE_OK) status = tulle_diffusion_load(ctx, s.D, s.S, s.b);
    if (status == TULLE_OK) status = tulle_diffusion_values(ctx, s.D, s.S, s.A);
    const bool done = c.requests < c.fail_at;
    assert_true(status == (done ? TULLE_OK : TULLE_OUT_OF_MEMORY));
    close_system(&s);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 1);
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),     cmocka_unit_test(test_patch_all),
        cmocka_unit_test(test_jumps),     cmocka_unit_test(test_integrals),
        cmocka_unit_test(test_known),     cmocka_unit_test(test_order),
        cmocka_unit_test(test_operators), cmocka_unit_test(test_mixed_cells),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
