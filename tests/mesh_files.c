/* SPDX-License-Identifier: Apache-2.0 */
/* Makes texts of meshes, and saves meshes, for the tests of their files. */
#include "mesh_files.h"

#include "places.h"

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

io_text msh_binary_text(bool swapped) {
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

io_text msh_old_binary_text(void) {
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

void mesh_save_as(tulle_ctx *ctx, const tulle_mesh *mesh, const char *path,
                  tulle_mesh_encoding encoding) {
    const tulle_mesh_save_options options = {.encoding = encoding};
    must(tulle_mesh_save(ctx, mesh, path, &options));
}
