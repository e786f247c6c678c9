/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are no mesh are refused, with the line and the reason, and without the memory that
 * they promise to fill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

/* A text, and how it is refused. */
typedef struct {
    const char *text;
    tulle_status status;
    int line;
    const char *part; /* of the message */
} complaint;

#define QUAD_NODES                                                                                 \
    "$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1.5 0 0\n"      \
    "1.5 0.5 0\n1 0.5 0\n1.5 1 0\n$EndNodes\n"

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
    {MSH_FORMAT, TULLE_PARSE_ERROR, 4, "before $Nodes"},
    {MSH_FORMAT "what\n", TULLE_PARSE_ERROR, 4, "'what'"},
    {MSH_FORMAT "$Extra\n1 2 3\n", TULLE_PARSE_ERROR, 6, "before $EndExtra"},
    {MSH_FORMAT "$PartitionedEntities\n", TULLE_UNSUPPORTED, 5, "partition"},
    {MSH_FORMAT "$PhysicalNames\n1\n2 7 all\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "quotes"},
    {MSH_FORMAT "$PhysicalNames\n1\n2 7 \"a\"b\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6,
     "a quote"},
    {MSH_FORMAT "$PhysicalNames\n1\n2 7 \""
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                "\"\n$EndPhysicalNames\n",
     TULLE_PARSE_ERROR, 6, "128 characters; 127 are the most"},
    {MSH_FORMAT "$PhysicalNames\n1\n2 7 \"all\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6,
     "closing"},
    {MSH_FORMAT "$PhysicalNames\n1\n4 7 \"a\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "range"},
    {MSH_FORMAT "$PhysicalNames\n1\n2 0 \"a\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR, 6, "range"},
    {MSH_FORMAT "$PhysicalNames\n2\n2 1 \"a\"\n2 1 \"b\"\n$EndPhysicalNames\n", TULLE_PARSE_ERROR,
     7, "twice"},
    {MSH_FORMAT "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 2 7 -2147483648 0\n$EndEntities\n",
     TULLE_PARSE_ERROR, 6, "physical group -2147483648 is out of range"},
    {MSH_FORMAT "$Entities\n0 0 1 0\n1 0 0\n", TULLE_PARSE_ERROR, 7, "ends in $Entities"},
    {MSH_FORMAT "$Nodes\n1 1000000000000 1 1\n", TULLE_PARSE_ERROR, 5, "more than the rest"},
    {MSH_FORMAT "$Nodes\n1 1000 1 1\n" MSH_NODES MSH_ELEMENTS, TULLE_PARSE_ERROR, 5,
     "more than the rest"},
    {MSH_FORMAT "$Nodes\n1 -1 1 1\n", TULLE_PARSE_ERROR, 5, "'-1'"},
    {MSH_FORMAT "$Nodes\n1 1 1 1\n2 1 0 2\n1\n2\n0 0 0\n0 0 0\n", TULLE_PARSE_ERROR, 6,
     "block of 2 nodes"},
    {MSH_FORMAT "$Nodes\n2 3 1 4\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n2 1 0 2\n3\n4\n0 1 0\n1 1 0\n",
     TULLE_PARSE_ERROR, 11, "block of 2 nodes; the section promises 3, of which 1 are left"},
    {MSH_FORMAT "$Nodes\n1 2 1 5000000\n2 1 0 2\n1\n5000000\n0 0 0\n1 0 0\n$EndNodes\n",
     TULLE_PARSE_ERROR, 12, "before $Elements"},
    {MSH_FORMAT "$Nodes\n1 2 1 2\n2 1 0 1\n1\n0 0 0\n$EndNodes\n", TULLE_PARSE_ERROR, 8,
     "have 1 nodes; the section promises 2"},
    {MSH_FORMAT "$Nodes\n1 2 1 2\n2 1 0 2\n1\n1\n0 0 0\n1 1 1\n$EndNodes\n", TULLE_PARSE_ERROR, 10,
     "two nodes have the number 1"},
    {MSH_FORMAT "$Nodes\n1 2 1 2\n2 1 0 2\n1\n1000000\n0 0 0\n1 1 nan\n", TULLE_PARSE_ERROR, 10,
     "nan"},
    {MSH_FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 1e999 0\n", TULLE_PARSE_ERROR, 8, "'1e999'"},
    {MSH_FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1.5\n0 0 0\n", TULLE_PARSE_ERROR, 7, "'1.5'"},
    {MSH_FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 0", TULLE_PARSE_ERROR, 8, "ends in $Nodes"},
    {MSH_FORMAT "$Nodes\n1 1 1 1\n7 1 0 1\n1\n0 0 0\n", TULLE_PARSE_ERROR, 6, "dimension 7"},
    {MSH_FORMAT MSH_NODES MSH_NODES, TULLE_PARSE_ERROR, 20, "second section $Nodes"},
    {MSH_FORMAT MSH_ELEMENTS, TULLE_PARSE_ERROR, 5, "before $Nodes"},
    {MSH_FORMAT MSH_NODES, TULLE_PARSE_ERROR, 19, "before $Elements"},
    {MSH_FORMAT MSH_NODES MSH_ELEMENTS MSH_ELEMENTS, TULLE_PARSE_ERROR, 30,
     "second section $Elements"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n2 1 20 1\n1 10 20 30 1 1 1\n", TULLE_UNSUPPORTED, 21,
     "type 20"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n3 1 2 1\n1 10 20 30\n", TULLE_PARSE_ERROR, 21,
     "dimension 3"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 10 20 31\n", TULLE_PARSE_ERROR, 22,
     "element 1 has node 31"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n2 1 2 2\n1 10 20 30\n", TULLE_PARSE_ERROR, 21,
     "block of 2 elements"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 3 1 1\n2 1 2 1\n1 10 20 30\n$EndElements\n",
     TULLE_PARSE_ERROR, 22, "have 1 elements; the section promises 3"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 99999999999 1 1\n2 1 2 99999999999\n1 10 20 30\n",
     TULLE_PARSE_ERROR, 21, "more than the rest"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 10 20", TULLE_PARSE_ERROR, 22,
     "ends in $Elements"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 10 20 30\n", TULLE_PARSE_ERROR, 23,
     "before $EndElements"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n0 1 15 1\n1 10\n$EndElements\n", TULLE_PARSE_ERROR,
     0, "no elements but points"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 1 1 1\n2 1 3 1\n77 10 20 400 30\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 77 (quadrilateral) is turned over"},
    {MSH_FORMAT QUAD_NODES "$Elements\n1 1 1 1\n2 1 3 1\n77 1 7 8 5\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 77 (quadrilateral) is turned over: its scaled Jacobian is -1"},
    {MSH_OLD "$Nodes\n1\n-1 0 0 0\n", TULLE_PARSE_ERROR, 6, "-1 is below 0"},
    {MSH_OLD "$Nodes\n1000000000\n", TULLE_PARSE_ERROR, 5, "more than the rest"},
    {MSH_OLD "$Nodes\n2\n1 0 0 0\n1 0 0 1\n", TULLE_PARSE_ERROR, 7, "two nodes have the number 1"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n1\n1 2 2 5 1 1 2 9\n", TULLE_PARSE_ERROR, 13,
     "element 1 has node 9"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n1\n1 2 2 -2147483648 1 1 2 3\n", TULLE_PARSE_ERROR, 13,
     "physical group -2147483648 is out of range"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n1\n1 2 -2 5 1 1 2 3\n", TULLE_PARSE_ERROR, 13,
     "-2 is below 0"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n1\n1 20 2 5 1 1 2 3\n", TULLE_UNSUPPORTED, 13, "type 20"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n2\n1 2 2 5 1 1 2 3\n1 2 2 5 1 1 3 4\n$EndElements\n",
     TULLE_PARSE_ERROR, 14, "two elements have the number 1"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n2\n1 2 2 5 1 1 2 3\n2 2 2 5 1 1 2 3\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 2 (triangle) has the same nodes as element 1"},
    {MSH_OLD MSH_OLD_NODES "$Elements\n3\n1 2 2 5 1 1 2 3\n$EndElements\n", TULLE_PARSE_ERROR, 14,
     "'$EndElements' is no whole number"},
    {MSH_FORMAT MSH_NODES "$Elements\n2 3 1 1\n2 1 2 2\n5 10 20 30\n6 20 30 10\n1 1 1 1\n9 20 400\n"
                          "$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 6 (triangle) has the same nodes as element 5"},
    {MSH_FORMAT MSH_NODES "$Elements\n1 2 1 1\n2 1 2 2\n5 10 20 30\n5 20 30 10\n$EndElements\n",
     TULLE_PARSE_ERROR, 23, "two elements have the number 5"},
    {MSH_FORMAT MSH_NODES "$Elements\n2 3 1 1\n2 1 2 2\n7 10 20 30\n5 20 30 10\n0 1 15 1\n7 10\n"
                          "$EndElements\n",
     TULLE_PARSE_ERROR, 25, "two elements have the number 7"},
    {MSH_FORMAT MSH_NODES
     "$Elements\n2 2 1 1\n2 1 2 1\n5 10 20 30\n1 1 1 1\n9 20 400\n$EndElements\n",
     TULLE_INVALID_MESH, 0, "element 9 (line) is no facet of a cell"},
    {MSH_FORMAT QUAD_NODES "$Elements\n1 3 1 1\n2 1 3 3\n31 1 2 3 4\n32 2 5 6 7\n33 7 6 8 3\n"
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

/* Unions are refused that a caller may not have. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_lies_take_no_memory),
        cmocka_unit_test(test_bad_unions),
    };
    return cmocka_run_group_tests(tests, start, end);
}
