/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes: shapes, model problems, boundaries, and other numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "meshes.h"
#include "places.h"
#include "tulle/tulle.h"

static tulle_ctx *cpu;

static int start(void **state) {
    (void)state;
    return tulle_ctx_create("cpu:2", NULL, &cpu);
}

static int end(void **state) {
    (void)state;
    tulle_ctx_destroy(cpu);
    return 0;
}

/* A facet's nodes are where its own shape has them, on the side that its normal points to. */
static void check_facet(tulle_shape shape, int facet) {
    tulle_shape_info info, side;
    tulle_shape facet_shape;
    int node[TULLE_MESH_MOST_NODES];
    double x[TULLE_MESH_MOST_NODES][3], middle[3] = {0, 0, 0}, normal[3], out = 0;
    must(tulle_shape_describe(shape, &info));
    must(tulle_shape_facet_shape(shape, facet, &facet_shape));
    must(tulle_shape_describe(facet_shape, &side));
    must(tulle_shape_facet(shape, facet, node));
    for (int n = 0; n < side.nodes; n++) must(tulle_shape_point(shape, node[n], x[n]));
    for (int c = 0; c < info.corners; c++) {
        double corner[3];
        must(tulle_shape_point(shape, c, corner));
        for (int d = 0; d < 3; d++) middle[d] += corner[d] / info.corners;
    }
    double u[3], v[3];
    for (int d = 0; d < 3; d++) {
        u[d] = x[1][d] - x[0][d];
        v[d] = side.dimension == 2 ? x[side.corners - 1][d] - x[0][d] : d == 2;
    }
    for (int d = 0; d < 3; d++) {
        normal[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
        out += normal[d] * (x[0][d] - middle[d]);
    }
    assert_true(out > 0);
    /* the point (u, v) of the facet, from its first corner */
    for (int n = 0; n < side.nodes; n++) {
        double at[3];
        must(tulle_shape_point(facet_shape, n, at));
        for (int k = 0; k < 2 && side.corners != 3; k++) at[k] = (at[k] + 1) / 2;
        for (int d = 0; d < 3; d++) {
            double want = x[0][d] + at[0] * u[d];
            if (side.dimension == 2) want += at[1] * v[d];
            assert_true(x[n][d] == want);
        }
    }
}

static void test_shapes(void **state) {
    (void)state;
    for (int s = TULLE_LINE; s <= TULLE_HEXAHEDRON20; s++) {
        tulle_shape_info info;
        must(tulle_shape_describe((tulle_shape)s, &info));
        assert_true(info.nodes <= TULLE_MESH_MOST_NODES && info.facets <= TULLE_MESH_MOST_FACETS);
        for (int f = 0; f < info.facets; f++) check_facet((tulle_shape)s, f);
        for (int a = 0; a < info.nodes; a++) {
            double x[3], y[3];
            must(tulle_shape_point((tulle_shape)s, a, x));
            for (int d = info.dimension; d < 3; d++) assert_true(x[d] == 0);
            for (int b = 0; b < a; b++) {
                must(tulle_shape_point((tulle_shape)s, b, y));
                assert_true(x[0] != y[0] || x[1] != y[1] || x[2] != y[2]);
            }
        }
    }
    tulle_shape_info info;
    double x[3];
    int nodes[TULLE_MESH_MOST_NODES];
    assert_int_equal(tulle_shape_describe((tulle_shape)99, &info), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_shape_describe(TULLE_LINE, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_shape_point(TULLE_LINE, 2, x), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_shape_facet(TULLE_LINE, 0, nodes), TULLE_INVALID_ARGUMENT);
    tulle_shape facet_shape;
    assert_int_equal(tulle_shape_facet_shape(TULLE_PRISM, 5, &facet_shape), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_shape_facet_shape(TULLE_PRISM, 0, NULL), TULLE_INVALID_ARGUMENT);
}

/* All facets that a generator lists are the boundary's, with their groups, and their normals point
 * out. */
static void check_boundary(const tulle_mesh *mesh, double volume) {
    tulle_mesh *boundary;
    const int64_t *sides;
    must(tulle_mesh_boundary(cpu, mesh, &boundary, &sides));
    const tulle_mesh_arrays a = mesh_arrays(mesh), b = mesh_arrays(boundary);
    const tulle_mesh_info info = mesh_info(mesh);
    assert_int_equal(b.block_count, 1);
    assert_int_equal(b.blocks[0].count, info.facets);
    assert_int_equal(mesh_info(boundary).cells, info.facets);
    const double enclosed = mesh_enclosed(boundary);
    assert_true(fabs(enclosed - volume) < 1e-14 * (double)info.facets);
    const int nodes = shape_nodes(b.blocks[0].shape);
    for (int64_t i = 0; i < info.facets; i++) {
        int local[TULLE_MESH_MOST_NODES];
        const int64_t cell = sides[i] / TULLE_MESH_MOST_FACETS;
        assert_true(b.blocks[0].groups[i] > 0 && (i == 0 || sides[i] > sides[i - 1]));
        must(tulle_shape_facet(a.blocks[0].shape, (int)(sides[i] % TULLE_MESH_MOST_FACETS), local));
        for (int n = 0; n < nodes; n++) {
            assert_int_equal(b.blocks[0].nodes[i * nodes + n],
                             a.blocks[0].nodes[cell * shape_nodes(a.blocks[0].shape) + local[n]]);
        }
    }
    /* what the generator lists, as a mesh of its own */
    tulle_mesh_arrays listed = a;
    tulle_mesh *skin;
    listed.blocks = a.blocks + 1;
    listed.block_count = 1;
    must(tulle_mesh_create(cpu, &listed, &skin));
    assert_true(fabs(mesh_enclosed(skin) - volume) < 1e-14 * (double)info.facets);
    tulle_mesh_destroy(skin);
    tulle_mesh_destroy(boundary);
}

static void test_model_problems(void **state) {
    (void)state;
    for (const mesh_case *c = mesh_cases; c->spec; c++) {
        tulle_mesh *mesh = mesh_of(cpu, c->spec), *again = mesh_of(cpu, c->spec);
        const tulle_mesh_info info = mesh_info(mesh);
        if (info.nodes != c->nodes || info.cells != c->cells || info.facets != c->facets)
            fail_msg("%s: %lld nodes, %lld cells, %lld facets", c->spec, (long long)info.nodes,
                     (long long)info.cells, (long long)info.facets);
        assert_int_equal(info.unused_nodes, 0);
        assert_int_equal(info.cell_dimension, info.dimension);
        assert_true(mesh_equal(mesh, again));
        must(tulle_mesh_check(cpu, mesh));
        check_boundary(mesh, c->volume);
        tulle_mesh_destroy(mesh);
        tulle_mesh_destroy(again);
    }
}

/* Each group of a box lies in its plane. */
static void test_groups_of_a_box(void **state) {
    (void)state;
    static const char *const specs[] = {"box-tri:4x3", "box-tet:3", "box-hex:3x4x5", "box-hex27:2"};
    static const char *const names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    for (int s = 0; s < 4; s++) {
        tulle_mesh *mesh = mesh_of(cpu, specs[s]);
        const tulle_mesh_arrays a = mesh_arrays(mesh);
        const int nodes = shape_nodes(a.blocks[1].shape);
        int64_t met[6] = {0};
        for (int64_t i = 0; i < a.blocks[1].count; i++) {
            const int group = a.blocks[1].groups[i];
            assert_in_range(group, 1, 2 * a.dimension);
            met[group - 1]++;
            for (int n = 0; n < nodes; n++) {
                const double *x = a.coordinates + a.dimension * a.blocks[1].nodes[i * nodes + n];
                assert_true(x[(group - 1) / 2] == (group - 1) % 2);
            }
        }
        assert_string_equal(a.groups[0].name, "domain");
        assert_int_equal(a.group_count, 1 + 2 * a.dimension);
        for (int g = 0; g < 2 * a.dimension; g++) {
            assert_true(met[g] > 0);
            assert_string_equal(a.groups[1 + g].name, names[g]);
            assert_int_equal(a.groups[1 + g].number, g + 1);
            assert_int_equal(a.groups[1 + g].dimension, a.dimension - 1);
        }
        tulle_mesh_destroy(mesh);
    }
}

static void test_perturbed(void **state) {
    (void)state;
    tulle_mesh *plain = mesh_of(cpu, "box-hex:5"), *moved = mesh_of(cpu, "box-hex:5,perturb=0.25");
    tulle_mesh *other = mesh_of(cpu, "box-hex:5,perturb=0.25,seed=2");
    const tulle_mesh_arrays a = mesh_arrays(plain), b = mesh_arrays(moved);
    int64_t inside = 0;
    double furthest = 0;
    for (int64_t i = 0; i < a.node_count; i++) {
        double square = 0;
        bool on_boundary = false;
        for (int d = 0; d < 3; d++) {
            const double x = a.coordinates[3 * i + d], by = b.coordinates[3 * i + d] - x;
            on_boundary = on_boundary || x == 0 || x == 1;
            square += by * by;
        }
        assert_true((square == 0) == on_boundary);
        inside += !on_boundary;
        furthest = fmax(furthest, sqrt(square));
    }
    assert_int_equal(inside, 64);
    assert_true(furthest <= 0.25 * 0.2 && furthest > 0.25 * 0.2 / 2);
    assert_false(mesh_equal(moved, other));
    tulle_mesh_destroy(plain);
    tulle_mesh_destroy(moved);
    tulle_mesh_destroy(other);
}

static void test_bad_specifications(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        tulle_status status;
        const char *part;
    } cases[] = {{"box-hex", TULLE_INVALID_ARGUMENT, "counts are missing"},
                 {"box-hex:", TULLE_INVALID_ARGUMENT, "no whole number"},
                 {"box-hex:0", TULLE_INVALID_ARGUMENT, "from 1"},
                 {"box-hex:3x4", TULLE_INVALID_ARGUMENT, "one count, or 3"},
                 {"box-hex:3x4x5x6", TULLE_INVALID_ARGUMENT, "more than 3"},
                 {"box-hex:3;", TULLE_INVALID_ARGUMENT, "\";\""},
                 {"box-hex:99999999999999999999", TULLE_INVALID_ARGUMENT, "from 1"},
                 {"box-hex:3,wild=1", TULLE_INVALID_ARGUMENT, "wild=1"},
                 {"box-hex:3,perturb=0.7", TULLE_INVALID_ARGUMENT, "from 0 to 0.5"},
                 {"box-hex:3,perturb=nan", TULLE_INVALID_ARGUMENT, "no number"},
                 {"box-hex:3,shuffle=2", TULLE_INVALID_ARGUMENT, "from 0 to 1"},
                 {"box-hex:3,size=0", TULLE_INVALID_ARGUMENT, "size"},
                 {"box-quad:2x3,size=0x1", TULLE_INVALID_ARGUMENT, "size must be from"},
                 {"box-quad:2x3,size=2x+0X1", TULLE_INVALID_ARGUMENT, "size must be from"},
                 {"box-tet:9,perturb=0.5", TULLE_INVALID_ARGUMENT, "turns over"},
                 {"cylinder-hex:4", TULLE_INVALID_ARGUMENT, "rings"},
                 {"box:3", TULLE_NOT_FOUND, "\"box\""},
                 {"box-quad:50000", TULLE_TOO_LARGE, "nodes"},
                 {"box-hex:1000x1000x1000000", TULLE_TOO_LARGE, "nodes"},
                 {"lshape-tri:2000000000", TULLE_TOO_LARGE, "nodes"},
                 {"cylinder-quad:2x2000000000", TULLE_TOO_LARGE, "nodes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tulle_mesh *mesh;
        const tulle_status got = tulle_mesh_generate(cpu, cases[i].spec, &mesh);
        if (got != cases[i].status || !strstr(tulle_last_error()->message, cases[i].part))
            fail_msg("%s: %s", cases[i].spec, tulle_last_error()->message);
        assert_null(mesh);
    }
    tulle_mesh_generator_info info;
    assert_int_equal(tulle_mesh_generator_describe(tulle_mesh_generator_count(), &info),
                     TULLE_NOT_FOUND);
    for (int i = 0; i < tulle_mesh_generator_count(); i++) {
        must(tulle_mesh_generator_describe(i, &info));
        tulle_mesh *mesh = mesh_of(cpu, info.example);
        must(tulle_mesh_check(cpu, mesh));
        tulle_mesh_destroy(mesh);
    }
}

static int64_t bandwidth(const tulle_mesh *mesh) {
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    const int nodes = shape_nodes(a.blocks[0].shape);
    int64_t widest = 0;
    for (int64_t k = 0; k < a.blocks[0].count * nodes; k++) {
        const int64_t apart =
            llabs((long long)a.blocks[0].nodes[k] - a.blocks[0].nodes[k / nodes * nodes]);
        if (apart > widest) widest = apart;
    }
    return widest;
}

static void test_renumbered(void **state) {
    (void)state;
    static const char *const specs[] = {"box-quad:20,shuffle=1", "box-tet:6,shuffle=1",
                                        "box-hex27:3,shuffle=1", "cylinder-tri:4x4"};
    for (int s = 0; s < 4; s++) {
        tulle_mesh *mesh = mesh_of(cpu, specs[s]), *other, *again;
        tulle_order *P, *Q;
        must(tulle_mesh_renumber(cpu, mesh, &other, &P, &Q));
        must(tulle_mesh_renumber(cpu, mesh, &again, NULL, NULL));
        assert_true(mesh_equal(other, again));
        must(tulle_mesh_check(cpu, other));
        const tulle_mesh_arrays a = mesh_arrays(mesh), b = mesh_arrays(other);
        int64_t *nodes = malloc((size_t)a.node_count * sizeof *nodes);
        int64_t *cells = malloc((size_t)a.blocks[0].count * sizeof *cells);
        assert_non_null(nodes);
        assert_non_null(cells);
        must(tulle_order_read(cpu, P, nodes));
        must(tulle_order_read(cpu, Q, cells));
        assert_int_equal(tulle_order_length(Q), a.blocks[0].count);
        for (int64_t i = 0; i < b.node_count; i++) {
            assert_memory_equal(b.coordinates + i * b.dimension,
                                a.coordinates + nodes[i] * a.dimension,
                                (size_t)a.dimension * sizeof(double));
        }
        const int n = shape_nodes(a.blocks[0].shape);
        int64_t before = 0;
        for (int64_t i = 0; i < b.blocks[0].count; i++) {
            int64_t least = INT64_MAX;
            assert_int_equal(b.blocks[0].groups[i], a.blocks[0].groups[cells[i]]);
            for (int k = 0; k < n; k++) {
                const int32_t node = b.blocks[0].nodes[i * n + k];
                assert_int_equal(nodes[node], a.blocks[0].nodes[cells[i] * n + k]);
                if (node < least) least = node;
            }
            assert_true(least >= before);
            before = least;
        }
        assert_true(s == 3 || bandwidth(other) < bandwidth(mesh));
        if (s == 0) assert_true(bandwidth(other) <= 2 * 21 + 1);
        free(nodes);
        free(cells);
        tulle_order_destroy(P);
        tulle_order_destroy(Q);
        tulle_mesh_destroy(again);
        tulle_mesh_destroy(other);
        tulle_mesh_destroy(mesh);
    }
}

/* Two shapes of cells, two of facets: a box of tetrahedra and a brick that do not touch. */
static void test_mixed_shapes(void **state) {
    (void)state;
    double x[3 * 12];
    const double apex[] = {0, 0, 3, 1, 0, 3, 0, 1, 3, 0, 0, 4};
    int32_t brick[8];
    const int32_t tet[] = {8, 9, 10, 11};
    for (int n = 0; n < 8; n++) {
        must(tulle_shape_point(TULLE_HEXAHEDRON, n, x + 3 * n));
        brick[n] = n;
    }
    memcpy(x + 24, apex, sizeof apex);
    const tulle_mesh_block blocks[] = {{TULLE_TETRAHEDRON, 1, tet, NULL},
                                       {TULLE_HEXAHEDRON, 1, brick, NULL}};
    const tulle_mesh_arrays a = mesh_small(3, 12, x, blocks, 2);
    tulle_mesh *mesh, *boundary;
    const int64_t *sides;
    must(tulle_mesh_create(cpu, &a, &mesh));
    must(tulle_mesh_check(cpu, mesh));
    must(tulle_mesh_boundary(cpu, mesh, &boundary, &sides));
    tulle_mesh_destroy(mesh); /* its nodes stay with the boundary */
    const tulle_mesh_arrays b = mesh_arrays(boundary);
    assert_int_equal(b.block_count, 2);
    assert_int_equal(b.blocks[0].shape, TULLE_TRIANGLE);
    assert_int_equal(b.blocks[0].count, 4);
    assert_int_equal(b.blocks[1].count, 6);
    for (int i = 0; i < 10; i++) assert_int_equal(sides[i], i < 4 ? i : 6 + i - 4);
    assert_true(fabs(mesh_enclosed(boundary) - (8 + 1.0 / 6)) < 1e-14);
    tulle_mesh_destroy(boundary);
    const int32_t ends[] = {0, 1};
    const tulle_mesh_block line = {TULLE_LINE, 1, ends, NULL};
    const tulle_mesh_arrays lines = mesh_small(1, 2, (double[]){0, 1}, &line, 1);
    must(tulle_mesh_create(cpu, &lines, &mesh));
    must(tulle_mesh_check(cpu, mesh));
    assert_int_equal(tulle_mesh_boundary(cpu, mesh, &boundary, NULL), TULLE_UNSUPPORTED);
    tulle_mesh_destroy(mesh);
}

/* A brick with a prism beside it, and a pyramid on it, of which each has its own facets: they share
 * a quadrilateral each, so that 5 + 4 + 4 facets are the boundary, in two shapes. */
static void test_prisms_and_pyramids(void **state) {
    (void)state;
    static const double more[] = {3, -1, -1, 3, -1, 1, 0, 0, 2};
    static const int32_t prism[] = {1, 8, 2, 5, 9, 6}, pyramid[] = {4, 5, 6, 7, 10};
    double x[3 * 11];
    int32_t brick[8];
    for (int n = 0; n < 8; n++) {
        must(tulle_shape_point(TULLE_HEXAHEDRON, n, x + 3 * n));
        brick[n] = n;
    }
    memcpy(x + 24, more, sizeof more);
    const tulle_mesh_block blocks[] = {{TULLE_PRISM, 1, prism, NULL},
                                       {TULLE_PYRAMID, 1, pyramid, NULL},
                                       {TULLE_HEXAHEDRON, 1, brick, NULL}};
    const tulle_mesh_arrays a = mesh_small(3, 11, x, blocks, 3);
    tulle_mesh *mesh, *boundary, *other;
    const int64_t *sides;
    must(tulle_mesh_create(cpu, &a, &mesh));
    must(tulle_mesh_check(cpu, mesh));
    must(tulle_mesh_renumber(cpu, mesh, &other, NULL, NULL));
    must(tulle_mesh_check(cpu, other));
    tulle_mesh_destroy(other);
    must(tulle_mesh_boundary(cpu, mesh, &boundary, &sides));
    const tulle_mesh_arrays b = mesh_arrays(boundary);
    assert_int_equal(b.block_count, 2);
    assert_int_equal(b.blocks[0].shape, TULLE_TRIANGLE);
    assert_int_equal(b.blocks[0].count, 2 + 4);
    assert_int_equal(b.blocks[1].shape, TULLE_QUADRILATERAL);
    assert_int_equal(b.blocks[1].count, 2 + 4);
    for (int i = 0, next = 0; i < 2; i++) {
        for (int64_t e = 0; e < b.blocks[i].count; e++, next++) {
            tulle_shape shape;
            int64_t cell = sides[next] / TULLE_MESH_MOST_FACETS;
            must(tulle_shape_facet_shape(a.blocks[cell].shape,
                                         (int)(sides[next] % TULLE_MESH_MOST_FACETS), &shape));
            assert_int_equal(shape, b.blocks[i].shape);
        }
    }
    assert_true(fabs(mesh_enclosed(boundary) - (8 + 4 + 4.0 / 3)) < 1e-14);
    tulle_mesh_destroy(boundary);
    tulle_mesh_destroy(mesh);
}

/* All that can be done, with each allocation failing in turn. */
static tulle_status do_all(tulle_ctx *ctx) {
    tulle_mesh *mesh, *boundary = NULL, *other = NULL;
    tulle_order *P = NULL, *Q = NULL;
    tulle_status status = tulle_mesh_generate(ctx, "box-tet:2,perturb=0.1,shuffle=1", &mesh);
    if (status == TULLE_OK) status = tulle_mesh_check(ctx, mesh);
    if (status == TULLE_OK) status = tulle_mesh_boundary(ctx, mesh, &boundary, NULL);
    if (status == TULLE_OK) status = tulle_mesh_renumber(ctx, mesh, &other, &P, &Q);
    tulle_order_destroy(P);
    tulle_order_destroy(Q);
    tulle_mesh_destroy(mesh);
    tulle_mesh_destroy(boundary);
    tulle_mesh_destroy(other);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    counting c = {0};
    const tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (int64_t n = 1; status == TULLE_OUT_OF_MEMORY; n++) {
        tulle_ctx *ctx;
        c = (counting){0};
        must(tulle_ctx_create("cpu:1", &options, &ctx));
        c.fail_at = c.requests + n;
        status = do_all(ctx);
        c.fail_at = 0;
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
        if (status == TULLE_OK) assert_true(n > 40);
    }
    must(status);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_model_problems),
        cmocka_unit_test(test_groups_of_a_box),
        cmocka_unit_test(test_perturbed),
        cmocka_unit_test(test_bad_specifications),
        cmocka_unit_test(test_renumbered),
        cmocka_unit_test(test_mixed_shapes),
        cmocka_unit_test(test_prisms_and_pyramids),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, start, end);
}
