/* SPDX-License-Identifier: Apache-2.0 */
/* VTK's files: there and back in each encoding, what others may write, and what is wrong with a
 * file. What meshio writes is in tests/cli/test_mesh.sh. */
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
#include "split_meshes.h"
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

static const tulle_mesh_encoding encodings[] = {TULLE_ENCODE_BY_FORMAT, TULLE_ENCODE_TEXT,
                                                TULLE_ENCODE_RAW, TULLE_ENCODE_BASE64};

/* A mesh with the numbers of groups alone, and no facets, which such a file does not have. */
static tulle_mesh *without_names(const tulle_mesh *mesh) {
    tulle_mesh *made;
    tulle_mesh_arrays a = mesh_arrays(mesh);
    a.group_count = 0;
    a.block_count = mesh_info(mesh).cell_blocks;
    must(tulle_mesh_create(cpu, &a, &made));
    return made;
}

static void check_back(const tulle_mesh *mesh, const char *name, const char *what) {
    for (int e = 0; e < 4; e++) {
        const tulle_mesh_save_options options = {.encoding = encodings[e]};
        tulle_mesh *back;
        tulle_mesh_file_info info;
        must(tulle_mesh_save(cpu, mesh, io_path(name), &options));
        must(tulle_mesh_load(cpu, io_path(name), &back, &info));
        if (!mesh_equal(mesh, back)) fail_msg("%s, encoding %d", what, e);
        assert_int_equal(info.format, TULLE_VTU);
        assert_string_equal(info.version, "1.0");
        assert_int_equal(info.binary, encodings[e] != TULLE_ENCODE_TEXT);
        assert_int_equal(info.turned, 0);
        tulle_mesh_destroy(back);
    }
    unlink(io_path(name));
}

static void test_there_and_back(void **state) {
    (void)state;
    static const char *const names[] = {"a.vtu", "a.vtu.gz", "a.vtu.xz", "a.vtu.zst"};
    for (int s = TULLE_TRIANGLE; s <= TULLE_HEXAHEDRON20; s++) {
        tulle_shape_info shape;
        must(tulle_shape_describe((tulle_shape)s, &shape));
        if (shape.dimension < 2) continue;
        if (shape.nodes == 9 || shape.nodes == 27) continue; /* model problems have these */
        tulle_mesh *mesh = mesh_split(cpu, (tulle_shape)s, 2, 0.03);
        check_back(mesh, names[s % 4], shape.name);
        tulle_mesh_destroy(mesh);
    }
    int k = 0;
    for (const mesh_case *c = mesh_cases; c->spec; c++) {
        tulle_mesh *mesh = mesh_of(cpu, c->spec), *bare = without_names(mesh);
        check_back(bare, names[k++ % 4], c->spec);
        tulle_mesh_destroy(bare);
        tulle_mesh_destroy(mesh);
    }
}

/* Coordinates have all their digits: the nearest neighbours of numbers, and what is not short. */
static void test_all_digits(void **state) {
    (void)state;
    const double x[] = {20, nextafter(20, 21), 0.1, 1.0 / 3, 5e-324, 1e22};
    const int32_t node[] = {0, 1, 2};
    const tulle_mesh_block block = {TULLE_TRIANGLE, 1, node, NULL};
    const tulle_mesh_arrays a = mesh_small(2, 3, x, &block, 1);
    for (int e = 0; e < 4; e++) {
        const tulle_mesh_save_options options = {.encoding = encodings[e]};
        tulle_mesh *mesh, *back;
        must(tulle_mesh_create(cpu, &a, &mesh));
        must(tulle_mesh_save(cpu, mesh, io_path("d.vtu"), &options));
        if (encodings[e] == TULLE_ENCODE_TEXT) {
            size_t size;
            char *text = io_read_file(io_path("d.vtu"), &size);
            assert_non_null(strstr(text, "\n20 "));
            free(text);
        }
        const tulle_status status = tulle_mesh_load(cpu, io_path("d.vtu"), &back, NULL);
        if (status == TULLE_OK) { /* as a triangle it is very thin, but not to be refused */
            const double *y = mesh_arrays(back).coordinates;
            for (int n = 0; n < 6; n++) assert_true(x[n] == y[n] || x[n] == y[(n + 2) % 6]);
        } else {
            assert_int_equal(status, TULLE_INVALID_MESH);
        }
        tulle_mesh_destroy(back);
        tulle_mesh_destroy(mesh);
    }
    unlink(io_path("d.vtu"));
}

/* Two triangles, a line and a point, as another program may write them: order of sections, quotes,
 * comments, other arrays, keys in an array, unusual types. */
#define HEAD "<VTKFile type='UnstructuredGrid' version=\"0.1\" byte_order=\"LittleEndian\">"
#define OPEN "<UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"4\">"
#define POINTS                                                                                     \
    "<Points><DataArray type=\"Float32\" Name=\"P\" NumberOfComponents=\"3\" format=\"ascii\">\n"  \
    "0 0 0 1 0 0 1 1 0 0 1 0 9 9 0\n"                                                              \
    "<InformationKey name=\"L2_NORM_RANGE\"><Value index=\"0\">1</Value></InformationKey>\n"       \
    "</DataArray></Points>"
#define CONNECTED "<DataArray type=\"UInt16\" Name=\"connectivity\">0 1 2 0 2 3 3 0 4</DataArray>"
#define ENDS "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">3 6 8 9</DataArray>"
#define TYPES "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5 5 3 1</DataArray>"
#define GROUPS                                                                                     \
    "<CellData><DataArray type=\"Int32\" Name=\"gmsh:physical\">1 2 3 0</DataArray>"               \
    "<DataArray type=\"Float64\" Name=\"k\">1 2 3 nan</DataArray></CellData>"
#define CLOSE "</Piece></UnstructuredGrid></VTKFile>"
#define CELLS "<Cells>" CONNECTED ENDS TYPES "</Cells>"
#define WHOLE                                                                                      \
    "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- a > b < c -->" HEAD "<FieldData/>" OPEN GROUPS      \
    "<PointData></PointData>" CELLS POINTS CLOSE

static void test_as_others_write(void **state) {
    (void)state;
    tulle_mesh *mesh;
    tulle_mesh_file_info info;
    must(tulle_mesh_load_memory(cpu, WHOLE, sizeof WHOLE - 1, "t", &mesh, &info));
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    const int32_t triangles[] = {0, 1, 2, 0, 2, 3}, line[] = {3, 0}, groups[] = {1, 2};
    const double x[] = {0, 0, 1, 0, 1, 1, 0, 1};
    assert_int_equal(a.dimension, 2);
    assert_int_equal(a.node_count, 4);
    assert_int_equal(a.block_count, 2);
    assert_memory_equal(a.coordinates, x, sizeof x);
    assert_memory_equal(a.blocks[0].nodes, triangles, sizeof triangles);
    assert_memory_equal(a.blocks[0].groups, groups, sizeof groups);
    assert_memory_equal(a.blocks[1].nodes, line, sizeof line);
    assert_int_equal(a.blocks[1].groups[0], 3);
    assert_int_equal(info.nodes, 5);
    assert_int_equal(info.elements, 4);
    assert_int_equal(info.left_out, 1);
    assert_int_equal(info.binary, 0);
    assert_string_equal(info.version, "0.1");
    tulle_mesh_destroy(mesh);
}

/* A text and what it gets. */
typedef struct {
    const char *text;
    tulle_status status;
    int line;
    const char *part; /* of the message */
} complaint;

#define BINARY(attributes, text)                                                                   \
    "<VTKFile type=\"UnstructuredGrid\" " attributes ">\n" OPEN "\n" CELLS                         \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">" text         \
    "</DataArray></Points>" CLOSE

static const complaint complaints[] = {
    {"<?xml", TULLE_PARSE_ERROR, 1, "ends in an instruction"},
    {"<?xml?>\n", TULLE_PARSE_ERROR, 2, "before </VTKFile>"},
    {"<?xml?><!-- a", TULLE_PARSE_ERROR, 1, "ends in a comment"},
    {"<?xml?>\n<!DOCTYPE a>", TULLE_UNSUPPORTED, 2, "declarations"},
    {"<?xml?><html>", TULLE_PARSE_ERROR, 1, "<VTKFile>"},
    {"<VTKFile type=\"PolyData\">", TULLE_UNSUPPORTED, 1, "type 'PolyData'"},
    {"<VTKFile>", TULLE_UNSUPPORTED, 1, "UnstructuredGrid is"},
    {"<VTKFile type>", TULLE_PARSE_ERROR, 1, "name=\"value\""},
    {"<VTKFile type=\"", TULLE_PARSE_ERROR, 1, "no '>' ends it"},
    {"<VTKFile type=\"UnstructuredGrid\" byte_order=\"BigEndian\">", TULLE_UNSUPPORTED, 1,
     "'BigEndian'"},
    {"<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt16\">", TULLE_UNSUPPORTED, 1,
     "'UInt16'"},
    {"<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">", TULLE_UNSUPPORTED,
     1, "'vtkLZ4DataCompressor'"},
    {HEAD "</VTKFile>", TULLE_PARSE_ERROR, 1, "no Piece"},
    {HEAD "\n<a></b>", TULLE_PARSE_ERROR, 2, "</b> closes"},
    {HEAD "</VTKFil>", TULLE_PARSE_ERROR, 1, "</VTKFil> closes"},
    {HEAD "< a>", TULLE_PARSE_ERROR, 1, "without a name"},
    {HEAD "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", TULLE_PARSE_ERROR, 1, "too many"},
    {HEAD "<Piece>", TULLE_PARSE_ERROR, 1, "NumberOfPoints"},
    {HEAD "<Piece NumberOfPoints=\"-1\" NumberOfCells=\"0\">", TULLE_PARSE_ERROR, 1, "'-1'"},
    {HEAD "<Piece NumberOfPoints=\"99999999999999999999\" NumberOfCells=\"0\">", TULLE_PARSE_ERROR,
     1, "range"},
    {HEAD OPEN "</Piece><Piece>", TULLE_UNSUPPORTED, 1, "second Piece"},
    {HEAD OPEN CELLS CLOSE, TULLE_PARSE_ERROR, 0, "no array of Points"},
    {HEAD OPEN POINTS "<Cells>" CONNECTED ENDS "</Cells>" CLOSE, TULLE_PARSE_ERROR, 0,
     "no array of types"},
    {HEAD OPEN POINTS POINTS CLOSE, TULLE_PARSE_ERROR, 4, "stood before"},
    {HEAD OPEN "<Points><DataArray type=\"Float16\">", TULLE_UNSUPPORTED, 1, "'Float16'"},
    {HEAD OPEN "<Points><DataArray type=\"Int8\" format=\"hex\">", TULLE_UNSUPPORTED, 1, "'hex'"},
    {HEAD OPEN "<Points><DataArray type=\"Int8\" format=\"appended\"/>", TULLE_PARSE_ERROR, 1,
     "without an offset"},
    {HEAD OPEN "<Points><DataArray type=\"Int8\">1<a/>2</DataArray>", TULLE_PARSE_ERROR, 1,
     "two parts"},
    {HEAD OPEN "<Points><DataArray type=\"Int8\">1</Points>", TULLE_PARSE_ERROR, 1, "</DataArray>"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Int8\" NumberOfComponents=\"3\"></DataArray>"
                     "</Points>" CLOSE,
     TULLE_UNSUPPORTED, 1, "is of integers"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Float32\">1 2</DataArray></Points>" CLOSE,
     TULLE_PARSE_ERROR, 1, "has 1 components"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">1 2"
                     "</DataArray></Points>" CLOSE,
     TULLE_PARSE_ERROR, 1, "less than 15"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">1 1 1 1 1 1 1 1 "
                     "1 1 1 1 1 1 inf</DataArray></Points>" CLOSE,
     TULLE_PARSE_ERROR, 1, "'inf"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">1 1 1 1 1 1 1 1 "
                     "1 1 1 1 1 1 1\n2</DataArray></Points>" CLOSE,
     TULLE_PARSE_ERROR, 2, "more than 15"},
    {HEAD
     "<UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"4000000000000\">" POINTS CELLS
         CLOSE,
     TULLE_PARSE_ERROR, 4, "more than the file can hold"},
    {HEAD OPEN POINTS
     "<Cells>" CONNECTED TYPES
     "<DataArray type=\"Int32\" Name=\"offsets\">3 3 8 9</DataArray></Cells>" CLOSE,
     TULLE_PARSE_ERROR, 4, "nodes of cell 1 end at 3"},
    {HEAD OPEN POINTS "<Cells>" CONNECTED ENDS
                      "<DataArray type=\"Int32\" Name=\"types\">5 9 3 1</DataArray></Cells>" CLOSE,
     TULLE_PARSE_ERROR, 4, "cell 1, of VTK's type 9, has 3 nodes, not 4"},
    {HEAD OPEN POINTS "<Cells>" CONNECTED ENDS
                      "<DataArray type=\"Int32\" Name=\"types\">5 42 3 1</DataArray></Cells>" CLOSE,
     TULLE_UNSUPPORTED, 4, "VTK's type 42"},
    {HEAD OPEN POINTS "<Cells>" ENDS TYPES
                      "<DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 0 2 5 3 0 4"
                      "</DataArray></Cells>" CLOSE,
     TULLE_PARSE_ERROR, 4, "cell 1 has node 5"},
    {HEAD OPEN POINTS CELLS "<CellData><DataArray type=\"Int64\" Name=\"group\">1 1 9999999999 "
                            "1</DataArray></CellData>" CLOSE,
     TULLE_PARSE_ERROR, 4, "cell 2 is in group 9999999999"},
    {HEAD "<UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"0\">" POINTS
          "<Cells><DataArray type=\"Int8\" Name=\"connectivity\"/>"
          "<DataArray type=\"Int8\" Name=\"offsets\"/>"
          "<DataArray type=\"Int8\" Name=\"types\"/></Cells>" CLOSE,
     TULLE_PARSE_ERROR, 0, "no elements but points"},
    {BINARY("", "AAAA"), TULLE_PARSE_ERROR, 3, "ends too early"},
    {BINARY("", "A*AA"), TULLE_PARSE_ERROR, 3, "base64 has not"},
    {BINARY("", "AAAAAAAA"), TULLE_PARSE_ERROR, 3, "another size"},
    {BINARY("", "eAAAAAAA"), TULLE_PARSE_ERROR, 3, "ends too early"},
    {BINARY("header_type=\"UInt64\"", "/////////////w=="), TULLE_PARSE_ERROR, 3, "another size"},
    {BINARY("compressor=\"vtkZLibDataCompressor\"", "/////wAAAAAAAAAA"), TULLE_PARSE_ERROR, 3,
     "more blocks than"},
    {BINARY("compressor=\"vtkZLibDataCompressor\"", "AQAAAHgAAAAAAAAA/////w=="), TULLE_PARSE_ERROR,
     3, "larger than the file"},
    {BINARY("compressor=\"vtkZLibDataCompressor\"", "AQAAAHgAAAAAAAAAAwAAAA==AAAA"),
     TULLE_PARSE_ERROR, 3, "damaged blocks"},
    {BINARY("compressor=\"vtkZLibDataCompressor\"", "AQAAAHkAAAAAAAAAAwAAAA==AAAA"),
     TULLE_PARSE_ERROR, 3, "more than its numbers take"},
    {BINARY("compressor=\"vtkZLibDataCompressor\"", "AAAAAHgAAAAAAAAA"), TULLE_PARSE_ERROR, 3,
     "another size"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
                     "format=\"appended\" offset=\"9\"/></Points>" CLOSE,
     TULLE_PARSE_ERROR, 1, "no AppendedData"},
    {HEAD OPEN CELLS "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
                     "format=\"appended\" offset=\"9\"/></Points></Piece>"
                     "<AppendedData encoding=\"raw\">_ab",
     TULLE_PARSE_ERROR, 1, "behind the end"},
    {HEAD "<AppendedData encoding=\"hex\">", TULLE_UNSUPPORTED, 1, "'hex'"},
    {HEAD "<AppendedData encoding=\"raw\">ab", TULLE_PARSE_ERROR, 1, "'_'"},
    {HEAD "<AppendedData encoding=\"base64\">_ab", TULLE_PARSE_ERROR, 1, "ends in AppendedData"},
};

static void test_complaints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        const complaint *c = &complaints[i];
        tulle_mesh *mesh = NULL;
        const tulle_status got =
            tulle_mesh_load_memory(cpu, c->text, (int64_t)strlen(c->text), "text", &mesh, NULL);
        const tulle_error *error = tulle_last_error();
        assert_null(mesh);
        if (got != c->status || (c->line > 0 && error->line != c->line) ||
            !strstr(error->message, c->part) || strchr(error->message, '\n'))
            fail_msg("case %d: %s, line %lld, '%s'; wanted %s, line %d, '%s'", (int)i,
                     tulle_status_name(got), (long long)error->line, error->message,
                     tulle_status_name(c->status), c->line, c->part);
    }
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

/* No byte that is another one, and no end that comes too early, does harm. */
static void try_text(char *text, int64_t size) {
    tulle_mesh *mesh;
    for (int64_t cut = 0; cut < size; cut++) {
        const tulle_status got = tulle_mesh_load_memory(cpu, text, cut, "cut", &mesh, NULL);
        assert_true(got >= 0 && (got == TULLE_OK) == (mesh != NULL));
        tulle_mesh_destroy(mesh);
    }
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
    tulle_mesh *mesh = mesh_split(cpu, TULLE_PRISM, 1, 0);
    for (int e = 1; e < 4; e++) {
        size_t size;
        const tulle_mesh_save_options options = {.encoding = encodings[e]};
        must(tulle_mesh_save(cpu, mesh, io_path("c.vtu"), &options));
        char *text = io_read_file(io_path("c.vtu"), &size);
        try_text(text, (int64_t)size);
        free(text);
    }
    unlink(io_path("c.vtu"));
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
        tulle_mesh_destroy(mesh);
        c.fail_at = 0;
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
        if (status == TULLE_OK) assert_true(n > 20);
    }
    must(status);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),      cmocka_unit_test(test_all_digits),
        cmocka_unit_test(test_as_others_write),     cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_lies_take_no_memory), cmocka_unit_test(test_cut_off_and_flipped),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, start, end);
}
