/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes come back from their files as they were, and from what Gmsh writes as it meant them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "io_help.h"
#include "mesh_files.h"
#include "meshes.h"
#include "places.h"
#include "tulle/mesh_io.h"

static tulle_ctx *cpu;

static int start(void **state) {
    (void)state;
    io_folder_make();
    return tulle_ctx_create("cpu:2", NULL, &cpu);
}

static int end(void **state) {
    (void)state;
    tulle_ctx_destroy(cpu);
    io_folder_remove();
    return 0;
}

static void test_there_and_back(void **state) {
    (void)state;
    static const char *const names[] = {"a.msh", "a.msh.gz", "a.msh.xz", "a.msh.zst"};
    int k = 0;
    for (const mesh_case *c = mesh_cases; c->spec; c++) {
        tulle_mesh *mesh = mesh_of(cpu, c->spec), *back;
        for (int text = 0; text < 2; text++) {
            tulle_mesh_file_info info;
            const char *path = io_path(names[k++ % 4]);
            mesh_save_as(cpu, mesh, path, text ? TULLE_ENCODE_TEXT : TULLE_ENCODE_RAW);
            must(tulle_mesh_load(cpu, path, &back, &info));
            if (!mesh_equal(mesh, back)) fail_msg("%s", c->spec);
            assert_int_equal(info.binary, !text);
            assert_int_equal(info.nodes, c->nodes);
            assert_int_equal(info.elements, c->cells + c->facets);
            assert_int_equal(info.left_out, 0);
            assert_int_equal(info.file_bytes > 0 && info.text_bytes > 0, 1);
            tulle_mesh_destroy(back);
            unlink(path);
        }
        tulle_mesh_destroy(mesh);
    }
}

static void test_as_gmsh_writes(void **state) {
    (void)state;
    tulle_mesh *mesh;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, MSH_WHOLE, sizeof MSH_WHOLE - 1, "t", &mesh, &info));
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    const int32_t triangles[] = {0, 1, 2, 0, 2, 3}, line[] = {3, 0};
    const double x[] = {0, 0, 1, 0, 1, 1, 0, 1};
    assert_int_equal(a.dimension, 2);
    assert_int_equal(a.node_count, 4);
    assert_int_equal(a.block_count, 2);
    assert_memory_equal(a.coordinates, x, sizeof x);
    assert_memory_equal(a.blocks[0].nodes, triangles, sizeof triangles);
    assert_memory_equal(a.blocks[1].nodes, line, sizeof line);
    assert_int_equal(a.blocks[0].groups[1], 7);
    assert_int_equal(a.blocks[1].groups[0], 5);
    assert_int_equal(a.group_count, 2);
    assert_string_equal(a.groups[0].name, "left side");
    assert_int_equal(info.nodes, 5);
    assert_int_equal(info.left_out, 1);
    assert_int_equal(info.binary, 0);
    assert_string_equal(info.container, "plain");
    tulle_mesh_destroy(mesh);
}

static void test_orders_of_bytes(void **state) {
    (void)state;
    tulle_mesh *mesh[2];
    for (int swapped = 0; swapped < 2; swapped++) {
        io_text t = msh_binary_text(swapped);
        must(tulle_mesh_load_memory(cpu, t.bytes, (int64_t)t.size, "t", &mesh[swapped], NULL));
        free(t.bytes);
    }
    assert_true(mesh_equal(mesh[0], mesh[1]));
    assert_int_equal(mesh_arrays(mesh[0]).blocks[0].groups[0], 7);
    assert_int_equal(mesh_info(mesh[0]).nodes, 4);
    tulle_mesh_destroy(mesh[0]);
    tulle_mesh_destroy(mesh[1]);
}

/* A square of two triangles, with a side in two groups, which old files have twice. */
#define OLD_ELEMENTS                                                                               \
    "$Elements\n5\n1 1 2 -7 1 1 2\n2 1 2 8 1 1 2\n3 1 2 8 4 4 1\n4 2 2 5 1 1 2 3\n"                \
    "5 2 3 5 1 0 1 3 4\n$EndElements\n"
#define NEW_SQUARE                                                                                 \
    MSH_FORMAT                                                                                     \
    "$Entities\n0 2 1 0\n1 0 0 0 1 0 0 2 8 -7 0\n2 0 0 0 0 1 0 1 8 0\n"                            \
    "1 0 0 0 1 1 0 1 5 0\n$EndEntities\n"                                                          \
    "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"                \
    "$Elements\n3 4 1 4\n1 1 1 1\n1 1 2\n1 2 1 1\n2 4 1\n2 1 2 2\n3 1 2 3\n4 1 3 4\n"              \
    "$EndElements\n"

static void test_several_groups_and_old_files(void **state) {
    (void)state;
    static const char text[] = MSH_OLD MSH_OLD_NODES OLD_ELEMENTS, fresh[] = NEW_SQUARE;
    io_text binary = msh_old_binary_text();
    tulle_mesh *mesh[3], *back, *other, *boundary;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, fresh, sizeof fresh - 1, "t", &mesh[0], NULL));
    must(tulle_mesh_load_memory(cpu, text, sizeof text - 1, "t", &mesh[1], &info));
    assert_string_equal(info.version, "2.2");
    assert_int_equal(info.elements, 5);
    must(tulle_mesh_load_memory(cpu, binary.bytes, (int64_t)binary.size, "t", &mesh[2], NULL));
    free(binary.bytes);
    assert_true(mesh_equal(mesh[0], mesh[1]) && mesh_equal(mesh[0], mesh[2]));
    const tulle_mesh_arrays a = mesh_arrays(mesh[0]);
    assert_int_equal(a.union_count, 1);
    assert_int_equal(a.unions[0].dimension, 1);
    assert_int_equal(a.blocks[1].groups[0], a.unions[0].number);
    assert_int_equal(a.blocks[1].groups[1], 8);
    for (int32_t group = 5; group < 10; group++) {
        assert_int_equal(tulle_mesh_in_group(&a, 1, a.blocks[1].groups[0], group),
                         group == 7 || group == 8 || group == a.unions[0].number);
        assert_int_equal(tulle_mesh_in_group(&a, 1, a.blocks[1].groups[1], group), group == 8);
    }
    for (int text_too = 0; text_too < 2; text_too++) {
        mesh_save_as(cpu, mesh[0], io_path("g.msh"),
                     text_too ? TULLE_ENCODE_TEXT : TULLE_ENCODE_RAW);
        must(tulle_mesh_load(cpu, io_path("g.msh"), &back, NULL));
        assert_true(mesh_equal(mesh[0], back));
        tulle_mesh_destroy(back);
    }
    unlink(io_path("g.msh"));
    must(tulle_mesh_create(cpu, &a, &other));
    assert_true(mesh_equal(mesh[0], other));
    tulle_mesh_destroy(other);
    must(tulle_mesh_renumber(cpu, mesh[0], &other, NULL, NULL));
    assert_int_equal(mesh_arrays(other).union_count, 1);
    tulle_mesh_destroy(other);
    must(tulle_mesh_boundary(cpu, mesh[0], &boundary, NULL));
    for (int i = 0; i < 3; i++) tulle_mesh_destroy(mesh[i]);
    assert_int_equal(mesh_arrays(boundary).unions[0].groups[1], 8);
    tulle_mesh_destroy(boundary);
}

/* Of each shape a cell is written with its nodes mirrored, and read as a good one. */
static void test_turned(void **state) {
    (void)state;
    for (int s = 0; s < 14; s++) {
        tulle_shape_info shape;
        double x[3 * TULLE_MESH_MOST_NODES];
        int32_t node[TULLE_MESH_MOST_NODES];
        must(tulle_shape_describe((tulle_shape)s, &shape));
        const int dimension = shape.dimension;
        for (int n = 0; n < shape.nodes; n++) {
            double p[3];
            node[n] = n;
            must(tulle_shape_point((tulle_shape)s, n, p));
            for (int d = 0; d < dimension; d++) x[dimension * n + d] = (d == 0 ? -1 : 1) * p[d];
        }
        const tulle_mesh_block block = {(tulle_shape)s, 1, node, NULL};
        const tulle_mesh_arrays a = mesh_small(dimension, shape.nodes, x, &block, 1);
        static const char *const names[] = {"s.msh", "s.vtu"};
        tulle_mesh *mesh, *back, *again;
        tulle_mesh_file_info info;
        must(tulle_mesh_create(cpu, &a, &mesh));
        assert_int_equal(tulle_mesh_check(cpu, mesh), TULLE_INVALID_MESH);
        for (int k = 0; k < 2; k++) {
            mesh_save_as(cpu, mesh, io_path(names[k]), TULLE_ENCODE_TEXT);
            must(tulle_mesh_load(cpu, io_path(names[k]), &back, &info));
            assert_int_equal(info.turned, 1);
            must(tulle_mesh_check(cpu, back));
            assert_int_equal(mesh_arrays(back).blocks[0].shape, s);
            for (int e = 0; e < 2; e++) { /* now it is good, and stays as it is */
                mesh_save_as(cpu, back, io_path(names[k]),
                             e == 0 ? TULLE_ENCODE_TEXT : TULLE_ENCODE_RAW);
                must(tulle_mesh_load(cpu, io_path(names[k]), &again, &info));
                assert_int_equal(info.turned, 0);
                assert_true(mesh_equal(back, again));
                tulle_mesh_destroy(again);
            }
            tulle_mesh_destroy(back);
            unlink(io_path(names[k]));
        }
        tulle_mesh_destroy(mesh);
    }
    /* one of two triangles */
    static const char text[] =
        MSH_OLD MSH_OLD_NODES "$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 4 3\n$EndElements\n";
    const int32_t want[] = {0, 1, 2, 0, 2, 3};
    tulle_mesh *mesh;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, text, sizeof text - 1, "t", &mesh, &info));
    assert_int_equal(info.turned, 1);
    assert_memory_equal(mesh_arrays(mesh).blocks[0].nodes, want, sizeof want);
    tulle_mesh_destroy(mesh);
}

static void test_dimensions(void **state) {
    (void)state;
    const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, tilted[] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5};
    const double rounded[] = {0, 0, 0, 1, 0, 1e-17, 0, 1, -1e-13};
    const int32_t node[] = {0, 1, 2}, group[] = {3};
    const tulle_mesh_block block = {TULLE_TRIANGLE, 1, node, group};
    tulle_mesh_arrays a = {
        .dimension = 3, .node_count = 3, .coordinates = flat, .block_count = 1, .blocks = &block};
    tulle_mesh *mesh, *back;
    for (int i = 0; i < 3; i++) {
        a.coordinates = i == 0 ? flat : i == 1 ? tilted : rounded;
        must(tulle_mesh_create(cpu, &a, &mesh));
        mesh_save_as(cpu, mesh, io_path("s.msh"), TULLE_ENCODE_TEXT);
        must(tulle_mesh_load(cpu, io_path("s.msh"), &back, NULL));
        assert_int_equal(mesh_info(back).dimension, i == 1 ? 3 : 2);
        assert_int_equal(mesh_info(back).cell_dimension, 2);
        assert_int_equal(mesh_arrays(back).blocks[0].groups[0], 3);
        assert_true(i != 1 || mesh_equal(mesh, back));
        tulle_mesh_destroy(mesh);
        tulle_mesh_destroy(back);
    }
    unlink(io_path("s.msh"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),  cmocka_unit_test(test_as_gmsh_writes),
        cmocka_unit_test(test_orders_of_bytes), cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_turned),          cmocka_unit_test(test_several_groups_and_old_files),
    };
    return cmocka_run_group_tests(tests, start, end);
}
