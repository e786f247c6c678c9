/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion on meshes: element matrices that are known, patch tests, given numbers and fluxes,
 * coefficients that jump. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cell_matrix.h"
#include "columns.h"
#include "diffusion_system.h"
#include "entries.h"
#include "meshes.h"
#include "places.h"
#include "wide_cells.h"

/* Fails unless A u = b for the u that is known at nodes, up to the rounding of matrix, load and
 * product: `terms` roundings of what each row adds up. */
static void check_residual(tulle_ctx *ctx, const diffusion_system *s, tulle_type type,
                           double (*u)(const double x[3], int64_t element, void *user), void *user,
                           const char *what) {
    enum { TERMS = 400 };
    entries A = entries_read(ctx, s->A);
    double *b = diffusion_read(ctx, s->b, type, s->n);
    long double *left = calloc((size_t)s->n, sizeof *left),
                *size = calloc((size_t)s->n, sizeof *left);
    assert_true(left && size);
    long double scale = 0;
    for (int64_t k = 0; k < A.nnz; k++) {
        double x[3];
        diffusion_node(s->mesh, A.col[k], x);
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
                                        "box-tet:2x3x2,perturb=0.2", "box-hex:2x3x3,perturb=0.2",
                                        "box-hex27:1x2x2,perturb=0.2"};
    enum { BOXES = sizeof boxes / sizeof *boxes };
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
    const int first = is_slow(where) ? turn_in_order(where, BOXES) : 0;
    const int last = is_slow(where) ? first + 1 : BOXES;
    for (int i = first; i < last; i++) {
        const bool flat = i < 2;
        const tulle_diffusion_problem p = {
            .k = &three, .condition_count = flat ? 5 : 7, .conditions = conditions};
        for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
            diffusion_system s = diffusion_open(ctx, boxes[i], &p, type);
            check_residual(ctx, &s, type, linear, NULL, boxes[i]);
            diffusion_close(&s);
        }
    }
}
static void test_patch(void **state) {
    (void)state;
    on_each_place(patch);
}

/* The same on meshes of any form, with u on the whole boundary. */
static void patch_all(tulle_ctx *ctx, const char *where) {
    static const char *const meshes[] = {"cylinder-hex:2x2x2,perturb=0.1",
                                         "lshape-tet:2x2",
                                         "cylinder-quad:2x3,perturb=0.2",
                                         "lshape-tri:3",
                                         "cylinder-tet:2x1x2",
                                         "cylinder-hex27:1x1,perturb=0.1"};
    const tulle_condition given = {.value = {.function = linear}};
    const tulle_diffusion_problem p = {.condition_count = 1, .conditions = &given};
    const int count = sizeof meshes / sizeof *meshes, turn = turn_of(where, count);
    for (int i = 0; i < count; i++) {
        if (is_slow(where) && i != turn) continue;
        diffusion_system s = diffusion_open(ctx, meshes[i], &p, TULLE_F64);
        check_residual(ctx, &s, TULLE_F64, linear, NULL, meshes[i]);
        diffusion_close(&s);
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
    static const char *const boxes[] = {"box-tri:4", "box-quad:4", "box-tet:2", "box-hex:2",
                                        "box-hex27:2x1x1"};
    enum { BOXES = sizeof boxes / sizeof *boxes };
    const tulle_condition conditions[] = {
        {.group = "x-min"},
        {.group = "x-max", .kind = TULLE_NEUMANN, .value = {.number = 2}},
    };
    for (int i = 0; i < BOXES; i++) {
        if (is_slow(where) && i != turn_of(where, BOXES)) continue;
        tulle_mesh *mesh = mesh_of(ctx, boxes[i]);
        const tulle_mesh_block block = mesh_arrays(mesh).blocks[0];
        const int nodes = shape_nodes(block.shape);
        double *of_cells = malloc((size_t)block.count * sizeof *of_cells);
        assert_non_null(of_cells);
        for (int64_t e = 0; e < block.count; e++) {
            double middle[3] = {0, 0, 0}, x[3];
            for (int a = 0; a < nodes; a++) {
                diffusion_node(mesh, block.nodes[e * nodes + a], x);
                middle[0] += x[0] / nodes;
            }
            of_cells[e] = jumping(middle, e, NULL);
        }
        tulle_mesh_destroy(mesh);
        const tulle_quantity k[] = {{.of_elements = of_cells}, {.function = jumping}};
        for (int how = 0; how < 2; how++) {
            const tulle_diffusion_problem p = {
                .k = &k[how], .condition_count = 2, .conditions = conditions};
            diffusion_system s = diffusion_open(ctx, boxes[i], &p, TULLE_F64);
            check_residual(ctx, &s, TULLE_F64, bent, NULL, boxes[i]);
            diffusion_close(&s);
        }
        free(of_cells);
    }
}
ONCE_ON_EACH_PLACE(jumps)

/* With c = 2 and f = 3, and on the boundary the factor 5 and the flux 7. */
static void check_sums(tulle_ctx *ctx, const diffusion_system *s, double volume, double area) {
    entries A = entries_read(ctx, s->A);
    double *b = diffusion_read(ctx, s->b, TULLE_F64, s->n);
    long double sum = 0, size = 0, load = 0;
    for (int64_t k = 0; k < A.nnz; k++) {
        sum += (long double)A.value[k];
        size += fabsl((long double)A.value[k]);
    }
    for (int64_t k = 0; k < s->n; k++) load += (long double)b[k];
    const long double unit = 400 * unit_of(TULLE_F64);
    assert_near((double)sum, 2 * volume + 5 * area, unit * size, "sum of A");
    const long double want = 3 * volume + 7 * area;
    assert_near((double)load, want, unit * want, "sum of b");
    free(b);
    entries_free(&A);
}

/* Integrals that are known: of c over the cells as the sum of all entries, of f and of fluxes as
 * that of the load; with a factor the boundary's part of the matrix. */
static void integrals(tulle_ctx *ctx, const char *where) {
    static const struct {
        const char *spec;
        double volume, area;
    } boxes[] = {{"box-tri:3x2,perturb=0.2,size=2x3", 6, 10},
                 {"box-quad:3x2,perturb=0.2,size=2x3", 6, 10},
                 {"box-tet:2,perturb=0.2,size=2x3x4", 24, 52},
                 {"box-hex:2,size=2x3x4", 24, 52},
                 {"box-hex27:1x1x2,size=2x3x4", 24, 52}};
    enum { BOXES = sizeof boxes / sizeof *boxes };
    const tulle_condition mixed = {
        .kind = TULLE_ROBIN, .value = {.number = 7}, .factor = {.number = 5}};
    const tulle_diffusion_problem p = {
        .c = {.number = 2}, .f = {.number = 3}, .condition_count = 1, .conditions = &mixed};
    for (int i = 0; i < BOXES; i++) {
        if (is_slow(where) && i != turn_of(where, BOXES)) continue;
        diffusion_system s = diffusion_open(ctx, boxes[i].spec, &p, TULLE_F64);
        check_sums(ctx, &s, boxes[i].volume, boxes[i].area);
        diffusion_close(&s);
    }
}
ONCE_ON_EACH_PLACE(integrals)

/* One cell of order 2 in the plane, 2 x 3, whose facets are lines of order 2. */
static diffusion_system plane_open(tulle_ctx *ctx, const tulle_diffusion_problem *p) {
    enum { NODES = 9 };
    static const int32_t list[NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    double x[2 * NODES], at[3];
    for (int i = 0; i < NODES; i++) {
        must(tulle_shape_point(TULLE_QUADRILATERAL9, i, at));
        x[2 * i] = at[0];
        x[2 * i + 1] = 1.5 * at[1];
    }
    const tulle_mesh_block block = {.shape = TULLE_QUADRILATERAL9, .count = 1, .nodes = list};
    const tulle_mesh_arrays arrays = mesh_small(2, NODES, x, &block, 1);
    diffusion_system s = {.n = NODES};
    must(tulle_mesh_create(ctx, &arrays, &s.mesh));
    must(tulle_diffusion_create(ctx, s.mesh, p, &s.D));
    must(tulle_diffusion_assembly(ctx, s.D, TULLE_CSR, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A));
    must(tulle_vec_create(ctx, TULLE_F64, NODES, &s.b));
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    must(tulle_diffusion_load(ctx, s.D, s.S, s.b));
    return s;
}

static double twice_linear(const double x[3], int64_t element, void *user) {
    return 2 * linear(x, element, user);
}

/* The same integrals; and with u given at all nodes but the one in the middle, -lap u + 2 u. */
static void plane(tulle_ctx *ctx, const char *where) {
    const tulle_condition mixed = {
        .kind = TULLE_ROBIN, .value = {.number = 7}, .factor = {.number = 5}};
    const tulle_condition given = {.value = {.function = linear}};
    const tulle_diffusion_problem sums = {
        .c = {.number = 2}, .f = {.number = 3}, .condition_count = 1, .conditions = &mixed};
    const tulle_diffusion_problem inner = {.c = {.number = 2},
                                           .f = {.function = twice_linear},
                                           .condition_count = 1,
                                           .conditions = &given};
    (void)where;
    diffusion_system s = plane_open(ctx, &sums);
    check_sums(ctx, &s, 6, 10);
    diffusion_close(&s);
    s = plane_open(ctx, &inner);
    check_residual(ctx, &s, TULLE_F64, linear, NULL, "the middle of a cell of order 2");
    diffusion_close(&s);
}
ONCE_ON_EACH_PLACE(plane)

/* Entry (p, q) of the matrices of an interval of length h, p and q at -1, 0 or 1. */
static double interval_mass(int order, double h, double p, double q) {
    if (order == 1) return h * (p == q ? 2 : 1) / 6;
    if (p == 0 || q == 0) return h * (p == q ? 16 : 2) / 30;
    return h * (p == q ? 4 : -1) / 30;
}
static double interval_stiffness(int order, double h, double p, double q) {
    if (order == 1) return (p == q ? 1 : -1) / h;
    if (p == 0 || q == 0) return (p == q ? 16 : -8) / (3 * h);
    return (p == q ? 7 : 1) / (3 * h);
}

/* Entry (a, b) of the matrices of a box's cell h_0 x h_1 x h_2: products of those of intervals. */
static double box_entry(tulle_shape shape, const double h[3], int a, int b, double k, double c) {
    tulle_shape_info info;
    double p[3], q[3], stiff = 0, mass = 1;
    must(tulle_shape_describe(shape, &info));
    must(tulle_shape_point(shape, a, p));
    must(tulle_shape_point(shape, b, q));
    for (int d = 0; d < info.dimension; d++) mass *= interval_mass(info.order, h[d], p[d], q[d]);
    for (int d = 0; d < info.dimension; d++) {
        stiff += mass / interval_mass(info.order, h[d], p[d], q[d]) *
                 interval_stiffness(info.order, h[d], p[d], q[d]);
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
    static const tulle_shape shapes[] = {TULLE_TRIANGLE,       TULLE_QUADRILATERAL,
                                         TULLE_TETRAHEDRON,    TULLE_HEXAHEDRON,
                                         TULLE_QUADRILATERAL9, TULLE_HEXAHEDRON27};
    enum { SHAPES = sizeof shapes / sizeof *shapes, MOST = TULLE_MESH_MOST_NODES };
    static const double h[3] = {0.5, 2, 1.25};
    int32_t list[MOST];
    static const tulle_quantity k = {.number = 1.5};
    (void)where;
    for (int a = 0; a < MOST; a++) list[a] = a;
    for (int i = 0; i < SHAPES; i++) {
        tulle_shape_info info;
        double x[MOST * 3], point[3], K[MOST * MOST];
        must(tulle_shape_describe(shapes[i], &info));
        const bool simplex = shapes[i] == TULLE_TRIANGLE || shapes[i] == TULLE_TETRAHEDRON;
        for (int a = 0; a < info.nodes; a++) {
            must(tulle_shape_point(shapes[i], a, point));
            for (int d = 0; d < 3; d++) x[a * 3 + d] = 4 + (simplex ? 1 : 0.5) * h[d] * point[d];
        }
        const tulle_mesh_block block = {.shape = shapes[i], .count = 1, .nodes = list};
        const tulle_mesh_arrays arrays = mesh_small(3, info.nodes, x, &block, 1);
        const tulle_diffusion_problem p = {.k = &k, .c = {.number = 0.75}};
        tulle_mesh *mesh = NULL;
        tulle_diffusion *D = NULL;
        tulle_vec *room = NULL;
        tulle_vec_info at;
        must(tulle_mesh_create(ctx, &arrays, &mesh));
        must(tulle_diffusion_create(ctx, mesh, &p, &D));
        must(tulle_vec_create(ctx, TULLE_F64, (int64_t)info.nodes * info.nodes, &room));
        must(tulle_vec_describe(room, &at));
        must(tulle_diffusion_matrices(ctx, D, 0, TULLE_F64, at.data));
        must(tulle_vec_read(ctx, room, K, 0));
        for (int a = 0; a < info.nodes; a++) {
            for (int b = 0; b < info.nodes; b++) {
                const double want = simplex ? simplex_entry(info.dimension, h, a, b, 1.5, 0.75)
                                            : box_entry(shapes[i], h, a, b, 1.5, 0.75);
                assert_near(K[a * info.nodes + b], want, 200 * unit_of(TULLE_F64) * 10, info.name);
                assert_true(K[a * info.nodes + b] == K[b * info.nodes + a]);
            }
        }
        tulle_vec_destroy(room);
        tulle_diffusion_destroy(D);
        tulle_mesh_destroy(mesh);
    }
}
ONCE_ON_EACH_PLACE(known)

static void check_rounding(tulle_ctx *ctx, const char *spec, tulle_type type) {
    static const tulle_quantity k = {.number = 3};
    const tulle_diffusion_problem p = {.k = &k, .c = {.number = 0.5}};
    diffusion_system s = diffusion_open(ctx, spec, &p, type);
    const tulle_mesh_arrays a = mesh_arrays(s.mesh);
    const tulle__cells cells = {.shape = a.blocks[0].shape,
                                .count = a.blocks[0].count,
                                .nodes = a.blocks[0].nodes,
                                .dimension = a.dimension,
                                .coordinates = a.coordinates,
                                .stiff = true,
                                .k = {.number = 3},
                                .c = {.number = 0.5}};
    const int m = tulle__cell_nodes(cells.shape);
    tulle_vec *room = NULL;
    tulle_vec_info at;
    must(tulle_vec_create(ctx, type, cells.count * m * m, &room));
    must(tulle_vec_describe(room, &at));
    must(tulle_diffusion_matrices(ctx, s.D, 0, type, at.data));
    double *got = diffusion_read(ctx, room, type, cells.count * m * m);
    for (int64_t e = 0; e < cells.count; e++) {
        long double K[TULLE__CELL_PACKED];
        const long double condition = wide_condition(&cells, e);
        wide_matrix(&cells, e, K);
        for (int i = 0; i < m; i++) {
            for (int j = i; j < m; j++) {
                const long double bound =
                    50 * condition * condition * unit_of(type) *
                    sqrtl(K[tulle__packed_at(m, i, i)] * K[tulle__packed_at(m, j, j)]);
                assert_near((long double)got[(e * m + i) * m + j], K[tulle__packed_at(m, i, j)],
                            bound, spec);
            }
        }
    }
    free(got);
    tulle_vec_destroy(room);
    diffusion_close(&s);
}

/* The bound of element matrices, also of flat cells. */
static void rounding(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"box-tri:5,perturb=0.3",
                                        "box-quad:5,perturb=0.3",
                                        "box-tet:3,perturb=0.2",
                                        "box-hex:3,perturb=0.3",
                                        "box-hex:2,perturb=0.3,size=1x20x300",
                                        "cylinder-hex:2x2x2"};
    const int count = sizeof specs / sizeof *specs, turn = turn_of(where, count);
    for (int i = 0; i < count; i++) {
        if (is_slow(where) && i != turn) continue;
        check_rounding(ctx, specs[i], TULLE_F32);
        check_rounding(ctx, specs[i], TULLE_F64);
    }
}
ONCE_ON_EACH_PLACE(rounding)

/* The same of order 2, whose matrices come from the definition. */
static void check_rounding_quadratic(tulle_ctx *ctx, const char *spec, tulle_type type) {
    enum { NODES = TULLE_MESH_MOST_NODES, NUMBERS = NODES * NODES };
    static const tulle_quantity k = {.number = 3};
    const tulle_diffusion_problem p = {.k = &k, .c = {.number = 0.5}};
    diffusion_system s = diffusion_open(ctx, spec, &p, type);
    const tulle_mesh_arrays a = mesh_arrays(s.mesh);
    tulle_vec *room = NULL;
    tulle_vec_info at;
    must(tulle_vec_create(ctx, type, a.blocks[0].count * NUMBERS, &room));
    must(tulle_vec_describe(room, &at));
    must(tulle_diffusion_matrices(ctx, s.D, 0, type, at.data));
    double *got = diffusion_read(ctx, room, type, a.blocks[0].count * NUMBERS);
    for (int64_t e = 0; e < a.blocks[0].count; e++) {
        const cell_matrix K = cell_matrix_of(&a, a.blocks[0].shape, a.blocks[0].nodes + e * NODES);
        const long double unit = 50 * K.condition * K.condition * unit_of(type);
        for (int i = 0; i < NODES; i++) {
            const long double own = 3 * K.stiffness[i][i] + 0.5L * K.mass[i][i];
            for (int j = 0; j < NODES; j++) {
                const long double other = 3 * K.stiffness[j][j] + 0.5L * K.mass[j][j];
                assert_near((long double)got[e * NUMBERS + i * NODES + j],
                            3 * K.stiffness[i][j] + 0.5L * K.mass[i][j], unit * sqrtl(own * other),
                            spec);
            }
        }
    }
    free(got);
    tulle_vec_destroy(room);
    diffusion_close(&s);
}

static void rounding_quadratic(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"box-hex27:2x1x1,perturb=0.3",
                                        "box-hex27:1x2x1,perturb=0.3,size=1x20x300",
                                        "cylinder-hex27:1x1,shuffle=1"};
    const int count = sizeof specs / sizeof *specs, turn = turn_of(where, count);
    for (int i = 0; i < count; i++) {
        if (is_slow(where) && i != turn) continue;
        check_rounding_quadratic(ctx, specs[i], TULLE_F32);
        check_rounding_quadratic(ctx, specs[i], TULLE_F64);
    }
}
ONCE_ON_EACH_PLACE(rounding_quadratic)

/* A box of hexahedra, made into parallelepipeds by numbers that bend nothing, but for a corner that
 * bends one of them. */
static tulle_mesh *sheared(tulle_ctx *ctx, bool bent) {
    tulle_mesh *box = mesh_of(ctx, "box-hex:4x2x2"), *mesh = NULL;
    tulle_mesh_arrays a = mesh_arrays(box);
    double *x = malloc((size_t)a.node_count * 3 * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < a.node_count; i++) {
        const double *at = a.coordinates + 3 * i;
        x[3 * i] = at[0] + 0.5 * at[1] - 0.25 * at[2];
        x[3 * i + 1] = at[1] + 0.5 * at[2];
        x[3 * i + 2] = 2 * at[2] - 0.25 * at[0];
    }
    if (bent) x[0] -= 0x1p-40;
    a.coordinates = x;
    must(tulle_mesh_create(ctx, &a, &mesh));
    free(x);
    tulle_mesh_destroy(box);
    return mesh;
}

static int64_t bytes_of(const tulle_diffusion *D) {
    tulle_diffusion_info info;
    must(tulle_diffusion_describe(D, &info));
    return info.bytes;
}

static entries read_csr(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, 0, &csr));
    entries e = entries_read(ctx, csr);
    tulle_mat_destroy(csr);
    return e;
}

/* A, of metrics or of as many numbers a cell, against the sums of element matrices. */
static void check_affine(tulle_ctx *ctx, diffusion_system *s, tulle_type type,
                         long double condition, int numbers) {
    const int64_t count = mesh_info(s->mesh).cells, size = tulle_type_size(type);
    tulle_vec *room = NULL;
    tulle_vec_info at;
    tulle_mat *B = NULL;
    const int64_t before = bytes_of(s->D);
    must(tulle_diffusion_values(ctx, s->D, s->S, s->A));
    assert_int_equal(bytes_of(s->D) - before, count * numbers * size);
    must(tulle_vec_create(ctx, type, count * 64, &room));
    must(tulle_vec_describe(room, &at));
    must(tulle_diffusion_matrices(ctx, s->D, 0, type, at.data));
    must(tulle_assembly_matrix(ctx, s->S, type, &B));
    const tulle_element_data K = {.values = at.data};
    must(tulle_assembly_values(ctx, s->S, &K, tulle_num(0), B));
    entries got = read_csr(ctx, s->A), want = read_csr(ctx, B);
    double *diagonal = calloc((size_t)s->n, sizeof *diagonal);
    assert_non_null(diagonal);
    for (int64_t k = 0; k < want.nnz; k++) {
        if (want.row[k] == want.col[k]) diagonal[want.row[k]] = want.value[k];
    }
    for (int64_t k = 0; k < want.nnz; k++) {
        const long double scale = sqrtl((long double)diagonal[want.row[k]] * diagonal[want.col[k]]);
        assert_near(got.value[k], want.value[k],
                    2 * 50 * condition * condition * unit_of(type) * scale, "an entry");
    }
    free(diagonal);
    entries_free(&want);
    entries_free(&got);
    tulle_mat_destroy(B);
    tulle_vec_destroy(room);
}

/* Hexahedra with one Jacobian each, k and c of cells: CSR and ELL; and with one that has eight. */
static void affine(tulle_ctx *ctx, const char *where) {
    static const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
    static const tulle_quantity k = {.of_elements = numbers};
    static const tulle_format formats[] = {TULLE_CSR, TULLE_ELL};
    const tulle_condition given = {.group = "x-min", .value = {.number = 2}};
    (void)where;
    for (int i = 0; i < 5; i++) {
        const bool bent = i == 4;
        const tulle_type type = i % 2 ? TULLE_F64 : TULLE_F32;
        const tulle_diffusion_problem p = {.k = i < 2 ? &k : NULL,
                                           .c = {.number = i < 2 ? 0.5 : 0},
                                           .condition_count = 1,
                                           .conditions = &given};
        diffusion_system s = {.mesh = sheared(ctx, bent)};
        const tulle_mesh_arrays a = mesh_arrays(s.mesh);
        const tulle__cells cells = {.shape = TULLE_HEXAHEDRON,
                                    .count = a.blocks[0].count,
                                    .nodes = a.blocks[0].nodes,
                                    .dimension = 3,
                                    .coordinates = a.coordinates};
        s.n = a.node_count;
        must(tulle_diffusion_create(ctx, s.mesh, &p, &s.D));
        must(tulle_diffusion_assembly(ctx, s.D, formats[i / 2 % 2], &s.S));
        must(tulle_assembly_matrix(ctx, s.S, type, &s.A));
        check_affine(ctx, &s, type, wide_condition(&cells, 0), bent ? 64 : 8);
        diffusion_close(&s);
    }
}
ONCE_ON_EACH_PLACE(affine)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),    cmocka_unit_test(test_patch_all),
        cmocka_unit_test(test_jumps),    cmocka_unit_test(test_integrals),
        cmocka_unit_test(test_plane),    cmocka_unit_test(test_known),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_rounding_quadratic),
        cmocka_unit_test(test_affine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
