/* SPDX-License-Identifier: Apache-2.0 */
/* Files of meshes: there and back, what Gmsh may write, and what is wrong with a file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
#include "io_help.h"
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

static void save(const tulle_mesh *mesh, const char *path, tulle_mesh_encoding encoding) {
    const tulle_mesh_save_options options = {.encoding = encoding};
    must(tulle_mesh_save(cpu, mesh, path, &options));
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
            save(mesh, path, text ? TULLE_ENCODE_TEXT : TULLE_ENCODE_RAW);
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

/* Two triangles and a line as Gmsh has them: numbers with gaps, a point, a node of none, names, an
 * entity around others, and a section of no concern. */
#define FORMAT "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NAMES "$PhysicalNames\n2\n1 5 \"left side\"\n2 7 \"all\"\n$EndPhysicalNames\n"
#define ENTITIES                                                                                   \
    "$Entities\n1 1 1 0\n1 0 0 0 0\n1 0 0 0 0 1 0 1 -5 2 1 -1\n1 0 0 0 1 1 0 1 7 1 1\n"            \
    "$EndEntities\n"
#define NODES                                                                                      \
    "$Nodes\n2 5 10 400\n0 1 0 1\n10\n0 0 0\n2 1 0 4\n20\n30\n400\n35\n1 0 0\n1 1 0\n"             \
    "0 1 0\n9 9 9\n$EndNodes\n"
#define ELEMENTS                                                                                   \
    "$Elements\n3 4 1 9\n0 1 15 1\n1 10\n1 1 1 1\n2 400 10\n2 1 2 2\n8 10 20 30\n9 10 30 400\n"    \
    "$EndElements\n"
#define WHOLE FORMAT NAMES ENTITIES NODES "$Comments\nanything\n$EndComments\n" ELEMENTS

static void test_as_gmsh_writes(void **state) {
    (void)state;
    tulle_mesh *mesh;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, WHOLE, sizeof WHOLE - 1, "t", &mesh, &info));
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

static void put(io_text *text, const void *bytes, int size, bool swapped) {
    const unsigned char *b = bytes;
    for (int i = 0; i < size; i++) {
        io_print(text, "%c", 'x');
        text->bytes[text->size - 1] = (char)b[swapped ? size - 1 - i : i];
    }
}

static void put_int(io_text *text, int32_t number, bool swapped) {
    put(text, &number, 4, swapped);
}

static void put_size(io_text *text, int64_t number, bool swapped) {
    put(text, &number, 8, swapped);
}

/* The same mesh, binary, in either order of bytes. */
static io_text binary_text(bool swapped) {
    static const int64_t tags[] = {10, 20, 30, 400}, elements[] = {8, 10, 20, 30, 9, 10, 30, 400};
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    io_text t = {0};
    io_print(&t, "$MeshFormat\n4.1 1 8\n");
    put_int(&t, 1, swapped);
    io_print(&t,
             "\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"all\"\n$EndPhysicalNames\n$Entities\n");
    for (int d = 0; d < 4; d++) put_size(&t, d == 2, swapped);
    put_int(&t, 1, swapped);
    for (int d = 0; d < 6; d++) put(&t, &x[3 + d], 8, swapped);
    put_size(&t, 1, swapped);
    put_int(&t, 7, swapped);
    put_size(&t, 0, swapped);
    io_print(&t, "\n$EndEntities\n$Nodes\n");
    for (int i = 0; i < 4; i++) put_size(&t, (int64_t[]){1, 4, 10, 400}[i], swapped);
    for (int i = 0; i < 3; i++) put_int(&t, (int32_t[]){2, 1, 0}[i], swapped);
    put_size(&t, 4, swapped);
    for (int i = 0; i < 4; i++) put_size(&t, tags[i], swapped);
    for (int i = 0; i < 12; i++) put(&t, &x[i], 8, swapped);
    io_print(&t, "\n$EndNodes\n$Elements\n");
    for (int i = 0; i < 4; i++) put_size(&t, (int64_t[]){1, 2, 8, 9}[i], swapped);
    for (int i = 0; i < 3; i++) put_int(&t, (int32_t[]){2, 1, 2}[i], swapped);
    put_size(&t, 2, swapped);
    for (int i = 0; i < 8; i++) put_size(&t, elements[i], swapped);
    io_print(&t, "\n$EndElements\n");
    return t;
}

static void test_orders_of_bytes(void **state) {
    (void)state;
    tulle_mesh *mesh[2];
    for (int swapped = 0; swapped < 2; swapped++) {
        io_text t = binary_text(swapped);
        must(tulle_mesh_load_memory(cpu, t.bytes, (int64_t)t.size, "t", &mesh[swapped], NULL));
        free(t.bytes);
    }
    assert_true(mesh_equal(mesh[0], mesh[1]));
    assert_int_equal(mesh_arrays(mesh[0]).blocks[0].groups[0], 7);
    assert_int_equal(mesh_info(mesh[0]).nodes, 4);
    tulle_mesh_destroy(mesh[0]);
    tulle_mesh_destroy(mesh[1]);
}

/* A text and what it gets. */
typedef struct {
    const char *text;
    tulle_status status;
    int line;
    const char *part; /* of the message */
} complaint;

#define QUAD_NODES                                                                                 \
    "$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1.5 0 0\n"      \
    "1.5 0.5 0\n1 0.5 0\n1.5 1 0\n$EndNodes\n"

/* Version 2.2. */
#define OLD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define OLD_NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"

static const complaint complaints[] = {
    {"", TULLE_PARSE_ERROR, 0, "empty"},
    {"hello\n", TULLE_PARSE_ERROR, 1, "$MeshFormat"},
    {"$MeshFormat", TULLE_PARSE_ERROR, 1, "$MeshFormat"},
    {"$MeshFormat\n", TULLE_PARSE_ERROR, 2, "ends in $MeshFormat"},
    {"$MeshFormat\n2.1 0 8\n$EndMeshFormat\n", TULLE_UNSUPPORTED, 2, "version 2.1"},
    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", TULLE_UNSUPPORTED, 2, "version 4 "},
    {"$MeshFormat\n4.1 2 8\n$EndMeshFormat\n", TULLE_UNSUPPORTED, 2, "type 2"},
    {"$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", TULLE_UNSUPPORTED, 2, "4 bytes"},
    {"$MeshFormat\nx 0 8\n", TULLE_PARSE_ERROR, 2, "'x'"},
    {"$MeshFormat\n4.1 0 8\n$EndMesh\n", TULLE_PARSE_ERROR, 3, "$EndMeshFormat"},
    {"$MeshFormat\n4.1 1 8\nabcd\n$EndMeshFormat\n", TULLE_PARSE_ERROR, 0, "order of bytes"},
    {FORMAT, TULLE_PARSE_ERROR, 4, "before $Nodes"},
    {FORMAT "what\n", TULLE_PARSE_ERROR, 4, "'what'"},
    {FORMAT "$Extra\n1 2 3\n", TULLE_PARSE_ERROR, 6, "before $EndExtra"},
    {FORMAT "$PartitionedEntities\n", TULLE_UNSUPPORTED, 5, "partition"},
    {FORMAT "$PhysicalNames\n1\n2 7 all\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "quotes"},
    {FORMAT "$PhysicalNames\n1\n2 7 \"a\"b\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6,
     "a quote"},
    {FORMAT "$PhysicalNames\n1\n2 7 \""
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
            "\"\n$EndPhysicalNames\n",
     TULLE_PARSE_ERROR, 6, "128 characters; 127 are the most"},
    {FORMAT "$PhysicalNames\n1\n2 7 \"all\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "closing"},
    {FORMAT "$PhysicalNames\n1\n4 7 \"a\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "range"},
    {FORMAT "$PhysicalNames\n1\n2 0 \"a\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "range"},
    {FORMAT "$PhysicalNames\n2\n2 1 \"a\"\n2 1 \"b\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 7,
     "twice"},
    {FORMAT "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 2 7 -2147483648 0\n$EndEntities\n",
     TULLE_PARSE_ERROR, 6, "physical group -2147483648 is out of range"},
    {FORMAT "$Entities\n0 0 1 0\n1 0 0\n", TULLE_PARSE_ERROR, 7, "ends in $Entities"},
    {FORMAT "$Nodes\n1 1000000000000 1 1\n", TULLE_PARSE_ERROR, 5, "more than the rest"},
    {FORMAT "$Nodes\n1 -1 1 1\n", TULLE_PARSE_ERROR, 5, "'-1'"},
    {FORMAT "$Nodes\n1 1 1 1\n2 1 0 2\n1\n2\n0 0 0\n0 0 0\n", TULLE_PARSE_ERROR, 6,
     "block of 2 nodes"},
    {FORMAT "$Nodes\n1 2 1 2\n2 1 0 1\n1\n0 0 0\n$EndNodes\n", TULLE_PARSE_ERROR, 8,
     "have 1 nodes; the section promises 2"},
    {FORMAT "$Nodes\n1 2 1 2\n2 1 0 2\n1\n1\n0 0 0\n1 1 1\n$EndNodes\n", TULLE_PARSE_ERROR, 10,
     "two nodes have the number 1"},
    {FORMAT "$Nodes\n1 2 1 2\n2 1 0 2\n1\n1000000\n0 0 0\n1 1 nan\n", TULLE_PARSE_ERROR, 10, "nan"},
    {FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 1e999 0\n", TULLE_PARSE_ERROR, 8, "'1e999'"},
    {FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1.5\n0 0 0\n", TULLE_PARSE_ERROR, 7, "'1.5'"},
    {FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 0", TULLE_PARSE_ERROR, 8, "ends in $Nodes"},
    {FORMAT "$Nodes\n1 1 1 1\n7 1 0 1\n1\n0 0 0\n", TULLE_PARSE_ERROR, 6, "dimension 7"},
    {FORMAT NODES NODES, TULLE_PARSE_ERROR, 20, "second section $Nodes"},
    {FORMAT ELEMENTS, TULLE_PARSE_ERROR, 5, "before $Nodes"},
    {FORMAT NODES, TULLE_PARSE_ERROR, 19, "before $Elements"},
    {FORMAT NODES ELEMENTS ELEMENTS, TULLE_PARSE_ERROR, 30, "second section $Elements"},
    {FORMAT NODES "$Elements\n1 1 1 1\n2 1 20 1\n1 10 20 30 1 1 1\n", TULLE_UNSUPPORTED, 21,
     "type 20"},
    {FORMAT NODES "$Elements\n1 1 1 1\n3 1 2 1\n1 10 20 30\n", TULLE_PARSE_ERROR, 21,
     "dimension 3"},
    {FORMAT NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 10 20 31\n", TULLE_PARSE_ERROR, 22,
     "element 1 has node 31"},
    {FORMAT NODES "$Elements\n1 1 1 1\n2 1 2 2\n1 10 20 30\n", TULLE_PARSE_ERROR, 21,
     "block of 2 elements"},
    {FORMAT NODES "$Elements\n1 3 1 1\n2 1 2 1\n1 10 20 30\n$EndElements\n", TULLE_PARSE_ERROR, 22,
     "have 1 elements; the section promises 3"},
    {FORMAT NODES "$Elements\n1 99999999999 1 1\n2 1 2 99999999999\n1 10 20 30\n",
     TULLE_PARSE_ERROR, 21, "more than the rest"},
    {FORMAT NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 10 20", TULLE_PARSE_ERROR, 22,
     "ends in $Elements"},
    {FORMAT NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 10 20 30\n", TULLE_PARSE_ERROR, 23,
     "before $EndElements"},
    {FORMAT NODES "$Elements\n1 1 1 1\n0 1 15 1\n1 10\n$EndElements\n", TULLE_PARSE_ERROR, 0,
     "no elements but points"},
    {FORMAT NODES "$Elements\n1 1 1 1\n2 1 3 1\n77 10 20 400 30\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 77 (quadrilateral) is turned over"},
    {OLD "$Nodes\n1\n-1 0 0 0\n", TULLE_PARSE_ERROR, 6, "-1 is below 0"},
    {OLD "$Nodes\n1000000000\n", TULLE_PARSE_ERROR, 5, "more than the rest"},
    {OLD "$Nodes\n2\n1 0 0 0\n1 0 0 1\n", TULLE_PARSE_ERROR, 7, "two nodes have the number 1"},
    {OLD OLD_NODES "$Elements\n1\n1 2 2 5 1 1 2 9\n", TULLE_PARSE_ERROR, 13,
     "element 1 has node 9"},
    {OLD OLD_NODES "$Elements\n1\n1 2 2 -2147483648 1 1 2 3\n", TULLE_PARSE_ERROR, 13,
     "physical group -2147483648 is out of range"},
    {OLD OLD_NODES "$Elements\n1\n1 2 -2 5 1 1 2 3\n", TULLE_PARSE_ERROR, 13, "-2 is below 0"},
    {OLD OLD_NODES "$Elements\n1\n1 20 2 5 1 1 2 3\n", TULLE_UNSUPPORTED, 13, "type 20"},
    {OLD OLD_NODES "$Elements\n2\n1 2 2 5 1 1 2 3\n1 2 2 5 1 1 3 4\n$EndElements\n",
     TULLE_PARSE_ERROR, 14, "two elements have the number 1"},
    {OLD OLD_NODES "$Elements\n2\n1 2 2 5 1 1 2 3\n2 2 2 5 1 1 2 3\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 2 (triangle) has the same nodes as element 1"},
    {OLD OLD_NODES "$Elements\n3\n1 2 2 5 1 1 2 3\n$EndElements\n", TULLE_PARSE_ERROR, 14,
     "'$EndElements' is no whole number"},
    {FORMAT NODES "$Elements\n2 3 1 1\n2 1 2 2\n5 10 20 30\n6 20 30 10\n1 1 1 1\n9 20 400\n"
                  "$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 6 (triangle) has the same nodes as element 5"},
    {FORMAT NODES "$Elements\n1 2 1 1\n2 1 2 2\n5 10 20 30\n5 20 30 10\n$EndElements\n",
     TULLE_PARSE_ERROR, 23, "two elements have the number 5"},
    {FORMAT NODES "$Elements\n2 3 1 1\n2 1 2 2\n7 10 20 30\n5 20 30 10\n0 1 15 1\n7 10\n"
                  "$EndElements\n",
     TULLE_PARSE_ERROR, 25, "two elements have the number 7"},
    {FORMAT NODES "$Elements\n2 2 1 1\n2 1 2 1\n5 10 20 30\n1 1 1 1\n9 20 400\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 9 (line) is no facet of a cell"},
    {FORMAT QUAD_NODES "$Elements\n1 3 1 1\n2 1 3 3\n31 1 2 3 4\n32 2 5 6 7\n33 7 6 8 3\n"
                       "$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 31 (quadrilateral): node 7 hangs on its facet of nodes 2, 3"},
};

static void expect_complaint(const char *text, int64_t size, const complaint *c) {
    tulle_mesh *mesh = NULL;
    const tulle_status got = tulle_mesh_load_memory(cpu, text, size, "text", &mesh, NULL);
    const tulle_error *error = tulle_last_error();
    char begin[32] = "text: ";
    assert_null(mesh);
    if (c->line > 0) snprintf(begin, sizeof begin, "text:%d: ", c->line);
    if (got != c->status || error->line != c->line || !strstr(error->message, c->part) ||
        strncmp(error->message, begin, strlen(begin)) || strchr(error->message, '\n'))
        fail_msg("%s, line %lld, '%s'; wanted %s, line %d, '%s'", tulle_status_name(got),
                 (long long)error->line, error->message, tulle_status_name(c->status), c->line,
                 c->part);
}

static void test_complaints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        expect_complaint(complaints[i].text, (int64_t)strlen(complaints[i].text), &complaints[i]);
    }
    tulle_mesh *mesh;
    assert_int_equal(tulle_mesh_load(cpu, io_path("none.msh"), &mesh, NULL), TULLE_IO_ERROR);
    assert_int_equal(tulle_mesh_load(cpu, io_path("."), &mesh, NULL), TULLE_IO_ERROR);
    assert_int_equal(tulle_mesh_load_memory(cpu, "", -1, "t", &mesh, NULL), TULLE_INVALID_ARGUMENT);
}

static void try_text(char *text, int64_t size);

/* The same square of two triangles, with a side in two groups, which old files have twice. */
#define OLD_ELEMENTS                                                                               \
    "$Elements\n5\n1 1 2 -7 1 1 2\n2 1 2 8 1 1 2\n3 1 2 8 4 4 1\n4 2 2 5 1 1 2 3\n"                \
    "5 2 3 5 1 0 1 3 4\n$EndElements\n"
#define NEW_SQUARE                                                                                 \
    FORMAT                                                                                         \
    "$Entities\n0 2 1 0\n1 0 0 0 1 0 0 2 8 -7 0\n2 0 0 0 0 1 0 1 8 0\n"                            \
    "1 0 0 0 1 1 0 1 5 0\n$EndEntities\n"                                                          \
    "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"                \
    "$Elements\n3 4 1 4\n1 1 1 1\n1 1 2\n1 2 1 1\n2 4 1\n2 1 2 2\n3 1 2 3\n4 1 3 4\n"              \
    "$EndElements\n"

static io_text old_binary(void) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const int32_t lines[] = {1, 3, 2, 1, -7, 1, 1, 2, 2, 8, 1, 1, 2, 3, 8, 4, 4, 1};
    static const int32_t triangles[] = {2, 2, 1, 4, 5, 1, 2, 3, 5, 5, 1, 3, 4};
    io_text t = {0};
    io_print(&t, "$MeshFormat\n2.2 1 8\n");
    put_int(&t, 1, false);
    io_print(&t, "\n$EndMeshFormat\n$Nodes\n4\n");
    for (int n = 0; n < 4; n++) {
        put_int(&t, n + 1, false);
        for (int d = 0; d < 3; d++) put(&t, &x[3 * n + d], 8, false);
    }
    io_print(&t, "\n$EndNodes\n$Elements\n5\n");
    for (int i = 0; i < 18; i++) put_int(&t, lines[i], false);
    for (int i = 0; i < 13; i++) put_int(&t, triangles[i], false);
    io_print(&t, "\n$EndElements\n");
    return t;
}

static void test_several_groups_and_old_files(void **state) {
    (void)state;
    static const char text[] = OLD OLD_NODES OLD_ELEMENTS, fresh[] = NEW_SQUARE;
    io_text binary = old_binary();
    tulle_mesh *mesh[3], *back, *other, *boundary;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, fresh, sizeof fresh - 1, "t", &mesh[0], NULL));
    must(tulle_mesh_load_memory(cpu, text, sizeof text - 1, "t", &mesh[1], &info));
    assert_string_equal(info.version, "2.2");
    assert_int_equal(info.elements, 5);
    must(tulle_mesh_load_memory(cpu, binary.bytes, (int64_t)binary.size, "t", &mesh[2], NULL));
    try_text(binary.bytes, (int64_t)binary.size);
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
        save(mesh[0], io_path("g.msh"), text_too ? TULLE_ENCODE_TEXT : TULLE_ENCODE_RAW);
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

/* Unions that a caller may not have. */
static void test_bad_unions(void **state) {
    (void)state;
    static const int32_t two[] = {1, 2}, fall[] = {2, 1}, zero[] = {0, 1}, nested[] = {1, 7};
    static const tulle_mesh_group group = {7, 2, NULL};
    static const struct {
        tulle_mesh_union unions[2];
        int64_t count;
        bool grouped;
        const char *part;
    } cases[] = {
        {{{7, 2, 2, two}}, -1, false, "unions is below 0"},
        {{{7, 2, 2, two}, {7, 2, 2, two}}, 2, false, "union 1 (from 0): unions must rise"},
        {{{0, 2, 2, two}}, 1, false, "union 0 (from 0): it has a number below 1"},
        {{{7, 2, 1, two}}, 1, false, "fewer than two"},
        {{{7, 2, 2, fall}}, 1, false, "union 0 (from 0): its groups do not rise"},
        {{{7, 2, 2, zero}}, 1, false, "from 1 on"},
        {{{7, 2, 2, two}, {8, 2, 2, nested}}, 2, false, "union 1 (from 0): another"},
        {{{6, 2, 2, two}, {7, 2, 2, two}}, 2, true, "union 1 (from 0): it has the number"}};
    tulle_mesh *mesh;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tulle_mesh_arrays a = {.dimension = 2,
                                     .group_count = cases[i].grouped,
                                     .groups = &group,
                                     .union_count = cases[i].count,
                                     .unions = cases[i].unions};
        assert_int_equal(tulle_mesh_create(cpu, &a, &mesh), TULLE_INVALID_ARGUMENT);
        if (!strstr(tulle_last_error()->message, cases[i].part))
            fail_msg("case %d: %s", (int)i, tulle_last_error()->message);
    }
    const tulle_mesh_arrays none = {.dimension = 2, .union_count = 1};
    assert_int_equal(tulle_mesh_create(cpu, &none, &mesh), TULLE_INVALID_ARGUMENT);
    assert_true(tulle_mesh_in_group(NULL, 2, 3, 3) && !tulle_mesh_in_group(NULL, 2, 3, 4));
}

/* A cell of each shape, and the same with its nodes mirrored: what is read is good. */
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
        for (int k = 0; k < 1; k++) {
            save(mesh, io_path(names[k]), TULLE_ENCODE_TEXT);
            must(tulle_mesh_load(cpu, io_path(names[k]), &back, &info));
            assert_int_equal(info.turned, 1);
            must(tulle_mesh_check(cpu, back));
            assert_int_equal(mesh_arrays(back).blocks[0].shape, s);
            for (int e = 0; e < 2; e++) { /* now it is good, and stays as it is */
                save(back, io_path(names[k]), e == 0 ? TULLE_ENCODE_TEXT : TULLE_ENCODE_RAW);
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
        OLD OLD_NODES "$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 4 3\n$EndElements\n";
    const int32_t want[] = {0, 1, 2, 0, 2, 3};
    tulle_mesh *mesh;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, text, sizeof text - 1, "t", &mesh, &info));
    assert_int_equal(info.turned, 1);
    assert_memory_equal(mesh_arrays(mesh).blocks[0].nodes, want, sizeof want);
    tulle_mesh_destroy(mesh);
}

/* No promise of sizes takes memory. */
static void test_lies_take_no_memory(void **state) {
    (void)state;
    tulle_ctx *ctx;
    tulle_memory_usage usage;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        tulle_mesh *mesh;
        tulle_mesh_load_memory(ctx, complaints[i].text, (int64_t)strlen(complaints[i].text), "t",
                               &mesh, NULL);
    }
    must(tulle_ctx_memory(ctx, &usage));
    assert_int_equal(usage.in_use, 0);
    assert_true(usage.high < (size_t)1 << 20);
    tulle_ctx_destroy(ctx);
}

/* Every beginning of a file is one that is cut off; and no byte that is another one does harm. */
static void try_text(char *text, int64_t size) {
    tulle_mesh *mesh;
    for (int64_t cut = 0; cut < size - 1; cut++) {
        const tulle_status got = tulle_mesh_load_memory(cpu, text, cut, "cut", &mesh, NULL);
        if (got != TULLE_PARSE_ERROR)
            fail_msg("cut at %lld: %s", (long long)cut, tulle_last_error()->message);
        assert_null(mesh);
    }
    must(tulle_mesh_load_memory(cpu, text, size - 1, "whole", &mesh, NULL)); /* but a newline */
    tulle_mesh_destroy(mesh);
    for (int64_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            text[at] = (char)(text[at] ^ 1 << bit);
            const tulle_status got =
                tulle_mesh_load_memory(cpu, text, size, "flipped", &mesh, NULL);
            assert_true(got >= 0 && (got == TULLE_OK) == (mesh != NULL));
            tulle_mesh_destroy(mesh);
            text[at] = (char)(text[at] ^ 1 << bit);
        }
    }
}

static void test_cut_off_and_flipped(void **state) {
    (void)state;
    char whole[] = WHOLE;
    try_text(whole, (int64_t)sizeof whole - 1);
    for (int swapped = 0; swapped < 2; swapped++) {
        io_text t = binary_text(swapped);
        try_text(t.bytes, (int64_t)t.size);
        free(t.bytes);
    }
}

static void test_cut_off_compressed(void **state) {
    (void)state;
    static const char *const names[] = {"a.msh.gz", "a.msh.xz", "a.msh.zst"};
    tulle_mesh *mesh = mesh_of(cpu, "box-tri:20"), *back;
    for (int i = 0; i < 3; i++) {
        size_t size;
        const char *path = io_path(names[i]);
        save(mesh, path, TULLE_ENCODE_TEXT);
        char *bytes = io_read_file(path, &size);
        io_write_file(path, bytes, size / 2);
        assert_int_not_equal(tulle_mesh_load(cpu, path, &back, NULL), TULLE_OK);
        assert_null(back);
        free(bytes);
        unlink(path);
    }
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
        save(mesh, io_path("s.msh"), TULLE_ENCODE_TEXT);
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

static void test_wrong_wishes(void **state) {
    (void)state;
    tulle_mesh *mesh = mesh_of(cpu, "box-quad:2");
    double values[27] = {0};
    tulle_mesh_field field = {"u", false, TULLE_F64, 1, values};
    const tulle_mesh_field unnamed = {"", false, TULLE_F64, 1, values};
    const tulle_mesh_field many = {"u", false, TULLE_F64, 10, values};
    const tulle_mesh_field lacks = {"u", true, TULLE_F64, 1, NULL};
    const struct {
        const char *name;
        tulle_mesh_save_options options;
        const char *part;
    } cases[] = {{"a.mtx", {.format = TULLE_MESH_BY_NAME}, "must end in .msh or .vtu"},
                 {"a", {.format = (tulle_mesh_format)7}, "must end"},
                 {"a.msh", {.encoding = TULLE_ENCODE_BASE64}, "base64"},
                 {"a.msh", {.encoding = (tulle_mesh_encoding)9}, "no encoding"},
                 {"a.msh", {.field_count = 1, .fields = &field}, "no fields"},
                 {"a.vtu", {.field_count = 1}, "missing"},
                 {"a.vtu", {.field_count = 1, .fields = &unnamed}, "name"},
                 {"a.vtu", {.field_count = 1, .fields = &many}, "10 components"},
                 {"a.vtu", {.field_count = 1, .fields = &lacks}, "no values"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tulle_mesh_save(cpu, mesh, io_path(cases[i].name), &cases[i].options),
                         TULLE_INVALID_ARGUMENT);
        if (!strstr(tulle_last_error()->message, cases[i].part))
            fail_msg("case %d: %s", (int)i, tulle_last_error()->message);
    }
    values[3] = NAN;
    const tulle_mesh_save_options text = {
        .encoding = TULLE_ENCODE_TEXT, .field_count = 1, .fields = &field};
    assert_int_equal(tulle_mesh_save(cpu, mesh, io_path("a.vtu"), &text), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mesh_save(cpu, mesh, io_path("no/a.vtu"), NULL), TULLE_IO_ERROR);
    assert_int_equal(io_folder_files(), 0);
    tulle_mesh_destroy(mesh);
}

/* A field's number number i, as XML has it behind its element; text alone. */
static double number_behind(const char *text, const char *element, int i) {
    const char *at = strstr(text, element);
    assert_non_null(at);
    at = strchr(at, '>') + 1;
    char *next;
    double number = NAN;
    for (int k = 0; k <= i; k++, at = next) number = strtod(at, &next);
    return number;
}

/* What viewers read is in tests/cli/test_mesh.sh; here: fields, and that all is said of them. */
static void test_fields(void **state) {
    (void)state;
    tulle_mesh *mesh = mesh_of(cpu, "box-quad:2");
    double u[27];
    float k[4] = {0.1f, 2, 3, 4};
    for (int i = 0; i < 27; i++) u[i] = i / 3.0;
    const tulle_mesh_field fields[] = {{"a<\"&", false, TULLE_F64, 3, u},
                                       {"k", true, TULLE_F32, 1, k}};
    static const tulle_mesh_encoding encodings[] = {TULLE_ENCODE_TEXT, TULLE_ENCODE_RAW,
                                                    TULLE_ENCODE_BASE64};
    for (int e = 0; e < 3; e++) {
        const tulle_mesh_save_options options = {
            .encoding = encodings[e], .field_count = 2, .fields = fields};
        size_t size;
        must(tulle_mesh_save(cpu, mesh, io_path("f.vtu"), &options));
        char *text = io_read_file(io_path("f.vtu"), &size);
        assert_non_null(strstr(text,
                               "type=\"Float64\" Name=\"a&lt;&quot;&amp;\" "
                               "NumberOfComponents=\"3\""));
        if (e == 0) {
            assert_true(number_behind(text, "Name=\"a&lt;", 26) == u[26]);
            assert_true((float)number_behind(text, "Name=\"k\"", 0) == k[0]);
            assert_true(number_behind(text, "Name=\"offsets\"", 3) == 16);
            assert_true(number_behind(text, "Name=\"types\"", 0) == 9);
            assert_true(number_behind(text, "Name=\"group\"", 3) == 1);
        }
        free(text);
    }
    unlink(io_path("f.vtu"));
    tulle_mesh_destroy(mesh);
}

static void test_no_memory(void **state) {
    (void)state;
    counting c = {0};
    const tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (int64_t n = 1; status == TULLE_OUT_OF_MEMORY; n++) {
        tulle_ctx *ctx;
        tulle_mesh *mesh;
        c = (counting){0};
        must(tulle_ctx_create("cpu:1", &options, &ctx));
        c.fail_at = c.requests + n;
        status = tulle_mesh_load_memory(ctx, WHOLE, sizeof WHOLE - 1, "t", &mesh, NULL);
        if (status == TULLE_OK) status = tulle_mesh_save(ctx, mesh, io_path("m.msh"), NULL);
        tulle_mesh_destroy(mesh);
        c.fail_at = 0;
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
        if (status == TULLE_OK) assert_true(n > 30);
    }
    must(status);
    unlink(io_path("m.msh"));
    assert_int_equal(io_folder_files(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_as_gmsh_writes),
        cmocka_unit_test(test_orders_of_bytes),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_lies_take_no_memory),
        cmocka_unit_test(test_cut_off_and_flipped),
        cmocka_unit_test(test_cut_off_compressed),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_wrong_wishes),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_bad_unions),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_several_groups_and_old_files),
    };
    return cmocka_run_group_tests(tests, start, end);
}
