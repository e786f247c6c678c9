/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any bytes as a file of a mesh. What loads must be a mesh that is
 * good for finite elements and can be written, what does not must say why, and no memory may be
 * left over. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tulle/mesh_io.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Of the text of a compressed file, and of tables. */
enum { CAP = 1 << 24 };

static void need(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_msh: %s: %s\n", what, tulle_last_error()->message);
    abort();
}

static tulle_ctx *context(void) {
    static tulle_ctx *ctx;
    const tulle_ctx_options options = {.memory_cap = CAP};
    if (!ctx) need(tulle_ctx_create("cpu:1", &options, &ctx) == TULLE_OK, "no context");
    return ctx;
}

static void check_mesh(const tulle_mesh *mesh) {
    tulle_mesh *other = NULL;
    tulle_mesh_arrays a;
    need(tulle_mesh_view(mesh, &a) == TULLE_OK, "no view");
    need(tulle_mesh_create(context(), &a, &other) == TULLE_OK, "its arrays are not good");
    need(tulle_mesh_check(context(), other) == TULLE_OK, "it is not good");
    tulle_mesh_destroy(other);
    for (int format = TULLE_MSH; format <= TULLE_VTU; format++) {
        const tulle_mesh_save_options options = {.format = (tulle_mesh_format)format};
        need(tulle_mesh_save(context(), mesh, "/dev/null", &options) == TULLE_OK,
             "it cannot be written");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    tulle_mesh *mesh = NULL;
    const tulle_status status =
        tulle_mesh_load_memory(context(), bytes, (int64_t)size, "fuzz", &mesh, NULL);
    need(status >= 0 && (status == TULLE_OK) == (mesh != NULL), "wrong status");
    if (status == TULLE_OK) {
        check_mesh(mesh);
    } else {
        need(tulle_last_error()->status == status, "no record of the failure");
        need(tulle_last_error()->message[0] != 0, "no message");
        need(!strchr(tulle_last_error()->message, '\n'), "more than one line");
    }
    tulle_mesh_destroy(mesh);
    tulle_memory_usage usage;
    need(tulle_ctx_memory(context(), &usage) == TULLE_OK && usage.in_use == usage.workspace,
         "memory is left over");
    return 0;
}
