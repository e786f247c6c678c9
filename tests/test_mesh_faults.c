/* SPDX-License-Identifier: Apache-2.0 */
/* What may be wrong with a mesh, and how good its cells are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static void expect_fault(const tulle_mesh_arrays *arrays, int64_t row, const char *part) {
    static const char *const wheres[] = {"cpu:1", "cpu:3"};
    for (int w = 0; w < 2; w++) {
        tulle_ctx *ctx;
        tulle_mesh *mesh;
        must(tulle_ctx_create(wheres[w], NULL, &ctx));
        must(tulle_mesh_create(ctx, arrays, &mesh));
        assert_int_equal(tulle_mesh_check(ctx, mesh), TULLE_INVALID_MESH);
        if (!strstr(tulle_last_error()->message, part) || tulle_last_error()->row != row)
            fail_msg("row %lld: %s", (long long)tulle_last_error()->row,
                     tulle_last_error()->message);
        tulle_mesh_destroy(mesh);
        tulle_ctx_destroy(ctx);
    }
}

static void test_turned_over(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 0, 1, 1, 0, 1, 2, 0};
    const int32_t turned[] = {0, 1, 2, 0, 3, 2}, flat[] = {0, 1, 2, 0, 1, 4};
    const int32_t twice[] = {0, 1, 2, 0, 0, 3}, bow[] = {0, 1, 3, 2}, dart[] = {0, 1, 2, 3};
    const double xd[] = {0, 0, 2, 0, 0.5, 0.5, 0, 2};
    tulle_mesh_block b = {TULLE_TRIANGLE, 2, turned, NULL};
    tulle_mesh_arrays a = mesh_small(2, 5, x, &b, 1);
    expect_fault(&a, 1, "element 1 (triangle) is turned over");
    b.nodes = flat;
    expect_fault(&a, 1, "element 1 (triangle) is degenerate");
    b.nodes = twice;
    expect_fault(&a, 1, "degenerate");
    b = (tulle_mesh_block){TULLE_QUADRILATERAL, 1, bow, NULL};
    expect_fault(&a, 0, "element 0 (quadrilateral) is turned over");
    b.nodes = dart;
    a = mesh_small(2, 4, xd, &b, 1);
    expect_fault(&a, 0, "turned over"); /* at its third corner alone */
    const double tet[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t left[] = {0, 2, 1, 3};
    b = (tulle_mesh_block){TULLE_TETRAHEDRON, 1, left, NULL};
    a = mesh_small(3, 4, tet, &b, 1);
    expect_fault(&a, 0, "element 0 (tetrahedron) is turned over");
    const double far[] = {1e300, 0, -1e300, 0, 0, 1e300};
    const int32_t ends[] = {0, 2, 1};
    b = (tulle_mesh_block){TULLE_TRIANGLE, 1, ends, NULL};
    a = mesh_small(2, 3, far, &b, 1);
    expect_fault(&a, 0, "degenerate"); /* its area is no number */
}

static void test_repeated_and_third(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5, -1, 0.5, -2};
    const int32_t repeated[] = {0, 1, 2, 0, 2, 3, 2, 3, 0};
    const int32_t third[] = {0, 1, 2, 1, 0, 4, 1, 0, 5}, loose[] = {0, 2};
    tulle_mesh_block b[] = {{TULLE_TRIANGLE, 3, repeated, NULL}, {TULLE_LINE, 1, loose, NULL}};
    tulle_mesh_arrays a = mesh_small(2, 6, x, b, 1);
    expect_fault(&a, 2, "element 2 (triangle) has the same nodes as element 1");
    b[0].nodes = third;
    expect_fault(&a, 2, "element 2 (triangle) is the third with the facet of nodes ");
    b[0].count = 1;
    a.block_count = 2;
    tulle_mesh *mesh;
    must(tulle_mesh_create(cpu, &a, &mesh));
    must(tulle_mesh_check(cpu, mesh));
    tulle_mesh_destroy(mesh);
    const int32_t none[] = {1, 3};
    b[1].nodes = none;
    expect_fault(&a, 1, "element 1 (line) is no facet of a cell");
}

/* A square beside two half as large; a cube below four; and a triangle beside two, in space. */
static void test_hanging(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 0, 1, 1, 0, 1, 1.5, 0, 1.5, 0.5, 1, 0.5, 1.5, 1};
    const int32_t quads[] = {0, 1, 2, 3, 1, 4, 5, 6, 6, 5, 7, 2};
    tulle_mesh_block b = {TULLE_QUADRILATERAL, 3, quads, NULL};
    tulle_mesh_arrays a = mesh_small(2, 8, x, &b, 1);
    expect_fault(&a, 0, "element 0 (quadrilateral): node 6 hangs on its facet of nodes 1, 2");
    tulle_mesh *fine = mesh_of(cpu, "box-hex:2,size=1x1x0.5");
    const tulle_mesh_arrays f = mesh_arrays(fine);
    double cube[3 * 35];
    int32_t cells[8 * 9];
    memcpy(cube, f.coordinates, sizeof(double) * 3 * 27);
    memcpy(cells, f.blocks[0].nodes, sizeof(int32_t) * 8 * 8);
    for (int n = 0; n < 8; n++) {
        double p[3];
        must(tulle_shape_point(TULLE_HEXAHEDRON, n, p));
        for (int d = 0; d < 3; d++) cube[3 * (27 + n) + d] = (p[d] + 1) / 2 - (d == 2);
        cells[64 + n] = 27 + n;
    }
    const int32_t corners[] = {0, 2, 8, 6};
    for (int c = 0; c < 4; c++) cells[64 + 4 + c] = corners[c];
    b = (tulle_mesh_block){TULLE_HEXAHEDRON, 9, cells, NULL};
    a = mesh_small(3, 35, cube, &b, 1);
    expect_fault(&a, 8, "element 8 (hexahedron): node 1 hangs on its facet of nodes 0, 2, 8, 6");
    tulle_mesh_destroy(fine);
    const double tilted[] = {0, 0, 0, 1, 0, 1, 0, 1, 1, 0.5, 0.5, 1, 1, 1, 2};
    const int32_t triangles[] = {0, 1, 2, 1, 4, 3, 3, 4, 2};
    b = (tulle_mesh_block){TULLE_TRIANGLE, 3, triangles, NULL};
    a = mesh_small(3, 5, tilted, &b, 1);
    expect_fault(&a, 0, "node 3 hangs on its facet of nodes 1, 2");
    /* two squares that touch: each has nodes of its own at the same places */
    const double slit[] = {0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 2, 0, 2, 1, 1, 1};
    const int32_t two[] = {0, 1, 2, 3, 4, 5, 6, 7};
    tulle_mesh *closed;
    b = (tulle_mesh_block){TULLE_QUADRILATERAL, 2, two, NULL};
    a = mesh_small(2, 8, slit, &b, 1);
    must(tulle_mesh_create(cpu, &a, &closed));
    must(tulle_mesh_check(cpu, closed));
    tulle_mesh_destroy(closed);
    /* nodes that are near, but not there */
    const double apart[] = {0, 0, 1, 0, 1, 1, 0, 1, 1.5, 0, 1.5, 0.5, 1.0001, 0.5, 1.5, 1};
    tulle_mesh *mesh;
    b = (tulle_mesh_block){TULLE_QUADRILATERAL, 3, quads, NULL};
    a = mesh_small(2, 8, apart, &b, 1);
    must(tulle_mesh_create(cpu, &a, &mesh));
    must(tulle_mesh_check(cpu, mesh));
    tulle_mesh_destroy(mesh);
}

static void test_bad_arrays(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 0, 0, 1}, wild[] = {0, 0, 1, NAN, 0, 1};
    const int32_t nodes[] = {0, 1, 2}, beyond[] = {0, 1, 3}, negative[] = {0, -1, 2};
    const int32_t group[] = {-1};
    const tulle_mesh_block good = {TULLE_TRIANGLE, 1, nodes, NULL};
    const tulle_mesh_block line = {TULLE_LINE, 1, nodes, NULL};
    const tulle_mesh_group groups[] = {{1, 2, "a"}, {1, 2, "b"}}, zero = {0, 2, NULL};
    const tulle_mesh_group quoted = {1, 2, "a\"b"};
    const struct {
        tulle_mesh_arrays a;
        const char *part;
    } cases[] = {
        {mesh_small(0, 3, x, &good, 1), "dimension is 0"},
        {mesh_small(4, 3, x, &good, 1), "dimension is 4"},
        {mesh_small(2, -1, x, &good, 1), "below 0"},
        {mesh_small(2, 3, NULL, &good, 1), "NULL"},
        {mesh_small(2, 3, x, NULL, 1), "NULL"},
        {mesh_small(2, 3, wild, &good, 1), "node 1 is not finite"},
        {mesh_small(1, 3, x, &good, 1), "triangle elements in 1 dimensions"},
        {mesh_small(2, 3, x, &(tulle_mesh_block){(tulle_shape)77, 1, nodes, NULL}, 1),
         "77 is no shape"},
        {mesh_small(2, 3, x, &(tulle_mesh_block){TULLE_TRIANGLE, -1, nodes, NULL}, 1), "below 0"},
        {mesh_small(2, 3, x, &(tulle_mesh_block){TULLE_TRIANGLE, 1, NULL, NULL}, 1), "no nodes"},
        {mesh_small(2, 3, x, &(tulle_mesh_block){TULLE_TRIANGLE, 1, beyond, NULL}, 1),
         "element 0 has node 3"},
        {mesh_small(2, 3, x, &(tulle_mesh_block){TULLE_TRIANGLE, 1, negative, NULL}, 1),
         "element 0 has node -1"},
        {mesh_small(2, 3, x, &(tulle_mesh_block){TULLE_TRIANGLE, 1, nodes, group}, 1), "group -1"},
        {mesh_small(2, 3, x, (tulle_mesh_block[]){line, good}, 2), "cannot stand behind line"},
        {mesh_small(2, 3, x, (tulle_mesh_block[]){good, {TULLE_LINE3, 1, nodes, NULL}}, 2),
         "order"},
        {{.dimension = 2, .group_count = 2, .groups = groups}, "two groups"},
        {{.dimension = 2, .group_count = 1, .groups = &zero}, "number 0"},
        {{.dimension = 2, .group_count = 1, .groups = &quoted}, "quote"}};
    tulle_mesh *mesh;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tulle_mesh_create(cpu, &cases[i].a, &mesh), TULLE_INVALID_ARGUMENT);
        if (!strstr(tulle_last_error()->message, cases[i].part))
            fail_msg("case %d: %s", (int)i, tulle_last_error()->message);
        assert_null(mesh);
    }
    const tulle_mesh_arrays many = mesh_small(2, (int64_t)1 << 31, x, &good, 1);
    assert_int_equal(tulle_mesh_create(cpu, &many, &mesh), TULLE_TOO_LARGE);
    const tulle_mesh_arrays empty = {.dimension = 3};
    tulle_mesh_quality quality;
    must(tulle_mesh_create(cpu, &empty, &mesh));
    must(tulle_mesh_check(cpu, mesh));
    must(tulle_mesh_measure(cpu, mesh, &quality));
    assert_int_equal(quality.least_cell, -1);
    tulle_mesh_destroy(mesh);
    tulle_mesh_destroy(NULL);
}

static double quality_of(int dimension, int64_t nodes, const double *x, tulle_shape shape) {
    int32_t node[TULLE_MESH_MOST_NODES];
    for (int n = 0; n < TULLE_MESH_MOST_NODES; n++) node[n] = n;
    const tulle_mesh_block b = {shape, 1, node, NULL};
    const tulle_mesh_arrays a = mesh_small(dimension, nodes, x, &b, 1);
    tulle_mesh *mesh;
    tulle_mesh_quality q;
    must(tulle_mesh_create(cpu, &a, &mesh));
    must(tulle_mesh_measure(cpu, mesh, &q));
    tulle_mesh_destroy(mesh);
    assert_true(q.least == q.greatest && q.least == q.mean && q.least_cell == 0);
    int bin = (int)(10 * q.least);
    bin = bin < 0 ? 0 : bin > 9 ? 9 : bin;
    assert_int_equal(q.histogram[bin], 1);
    return q.least;
}

/* Known numbers. */
static void test_quality(void **state) {
    (void)state;
    const double rounding = 1e-15, h = sqrt(3) / 2;
    const double regular[] = {0, 0, 1, 0, 0.5, h}, right[] = {0, 0, 1, 0, 0, 1};
    const double rhombus[] = {0, 0, 1, 0, 1.5, h, 0.5, h}, square[] = {0, 0, 5, 0, 5, 5, 0, 5};
    const double tet[] = {1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1};
    const double in_space[] = {0, 0, 0, 1, 0, 0, 0.5, 0, h};
    assert_true(fabs(quality_of(2, 3, regular, TULLE_TRIANGLE) - 1) <= rounding);
    assert_true(fabs(quality_of(2, 3, right, TULLE_TRIANGLE) - sqrt(2.0 / 3)) <= rounding);
    assert_true(fabs(quality_of(2, 4, rhombus, TULLE_QUADRILATERAL) - h) <= rounding);
    assert_true(quality_of(2, 4, square, TULLE_QUADRILATERAL) == 1);
    assert_true(fabs(fabs(quality_of(3, 4, tet, TULLE_TETRAHEDRON)) - 1) <= rounding);
    assert_true(fabs(quality_of(3, 3, in_space, TULLE_TRIANGLE) - 1) <= rounding);
    double cube[81], sheared[81];
    for (int n = 0; n < 27; n++) {
        must(tulle_shape_point(TULLE_HEXAHEDRON27, n, cube + 3 * n));
        memcpy(sheared + 3 * n, cube + 3 * n, 3 * sizeof *cube);
        sheared[3 * n] += cube[3 * n + 2]; /* 45 degrees */
    }
    assert_true(fabs(quality_of(3, 8, cube, TULLE_HEXAHEDRON) - 1) <= rounding);
    assert_true(fabs(quality_of(3, 27, cube, TULLE_HEXAHEDRON27) - 1) <= rounding);
    assert_true(fabs(quality_of(3, 8, sheared, TULLE_HEXAHEDRON) - sqrt(0.5)) <= rounding);
    assert_true(fabs(quality_of(3, 27, sheared, TULLE_HEXAHEDRON27) - sqrt(0.5)) <= rounding);
    /* all edges of length 1, and those of order 2 that are straight, are as good as order 1 */
    static const double prism[] = {0, 0, 0, 1, 0, 0, 0.5, 0.8660254037844386, 0,
                                   0, 0, 1, 1, 0, 1, 0.5, 0.8660254037844386, 1};
    const double pyramid[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, sqrt(0.5)};
    const double triangle6[] = {0, 0, 1, 0, 0, 1, 0.5, 0, 0.5, 0.5, 0, 0.5};
    double tetrahedron[30], corner[12];
    assert_true(fabs(quality_of(3, 6, prism, TULLE_PRISM) - 1) <= rounding);
    assert_true(fabs(quality_of(3, 5, pyramid, TULLE_PYRAMID) - 1) <= rounding);
    assert_true(fabs(quality_of(2, 6, triangle6, TULLE_TRIANGLE6) - sqrt(2.0 / 3)) <= rounding);
    for (int n = 0; n < 10; n++) {
        double p[3];
        must(tulle_shape_point(TULLE_TETRAHEDRON10, n, p));
        for (int d = 0; d < 3; d++) tetrahedron[3 * n + d] = p[d] + (d == 0 ? p[2] : 0);
        if (n < 4) memcpy(corner + 3 * n, tetrahedron + 3 * n, 3 * sizeof *corner);
    }
    assert_true(fabs(quality_of(3, 10, tetrahedron, TULLE_TETRAHEDRON10) -
                     quality_of(3, 4, corner, TULLE_TETRAHEDRON)) <= rounding);
    assert_true(fabs(quality_of(3, 20, cube, TULLE_HEXAHEDRON20) - 1) <= rounding);
    assert_true(fabs(quality_of(3, 20, sheared, TULLE_HEXAHEDRON20) - sqrt(0.5)) <= rounding);
    tetrahedron[3 * 4] = 1.3; /* the middle of an edge is beyond its end */
    assert_true(quality_of(3, 10, tetrahedron, TULLE_TETRAHEDRON10) < 0);
    /* the middle of a hexahedron counts, and the middle of an edge of one of order 2 */
    cube[3 * 8] = 1.8;
    assert_true(quality_of(3, 27, cube, TULLE_HEXAHEDRON27) < 0);
    for (int d = 0; d < 3; d++) sheared[d] = 1;
    assert_true(quality_of(3, 8, sheared, TULLE_HEXAHEDRON) < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turned_over), cmocka_unit_test(test_repeated_and_third),
        cmocka_unit_test(test_hanging),     cmocka_unit_test(test_bad_arrays),
        cmocka_unit_test(test_quality),
    };
    return cmocka_run_group_tests(tests, start, end);
}
