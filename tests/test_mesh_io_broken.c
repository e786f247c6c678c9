/* SPDX-License-Identifier: Apache-2.0 */
/* Files of meshes that are cut off or have other bytes, and memory that ends while one is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
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

/* Every beginning of a text is refused as one that is cut off, and no bit that flips does harm. */
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
    char whole[] = MSH_WHOLE;
    try_text(whole, (int64_t)sizeof whole - 1);
    for (int swapped = 0; swapped < 2; swapped++) {
        io_text t = msh_binary_text(swapped);
        try_text(t.bytes, (int64_t)t.size);
        free(t.bytes);
    }
    io_text old = msh_old_binary_text();
    try_text(old.bytes, (int64_t)old.size);
    free(old.bytes);
}

static void test_cut_off_compressed(void **state) {
    (void)state;
    static const char *const names[] = {"a.msh.gz", "a.msh.xz", "a.msh.zst"};
    tulle_mesh *mesh = mesh_of(cpu, "box-tri:20"), *back;
    for (int i = 0; i < 3; i++) {
        size_t size;
        const char *path = io_path(names[i]);
        mesh_save_as(cpu, mesh, path, TULLE_ENCODE_TEXT);
        char *bytes = io_read_file(path, &size);
        io_write_file(path, bytes, size / 2);
        assert_int_not_equal(tulle_mesh_load(cpu, path, &back, NULL), TULLE_OK);
        assert_null(back);
        free(bytes);
        unlink(path);
    }
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
        status = tulle_mesh_load_memory(ctx, MSH_WHOLE, sizeof MSH_WHOLE - 1, "t", &mesh, NULL);
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
        cmocka_unit_test(test_cut_off_and_flipped),
        cmocka_unit_test(test_cut_off_compressed),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, start, end);
}
