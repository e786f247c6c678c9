/* SPDX-License-Identifier: Apache-2.0 */
/* Fields in files of meshes, and wishes for a file that none can have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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

/* The number i of an array of XML whose numbers are text, behind its element. */
static double number_behind(const char *text, const char *element, int i) {
    const char *at = strstr(text, element);
    assert_non_null(at);
    at = strchr(at, '>') + 1;
    char *next;
    double number = NAN;
    for (int k = 0; k <= i; k++, at = next) number = strtod(at, &next);
    return number;
}

/* Viewers read these files in tests/cli/test_mesh.sh; here the text itself is looked at. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_wishes),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, start, end);
}
