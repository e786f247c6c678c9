/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mesh_load: a file, or memory, to a mesh. */
#include <string.h>

#include "core/room.h"
#include "core/stopwatch.h"
#include "io/file/host.h"
#include "io/file/vtu.h"
#include "tulle/mesh_io.h"

enum { PIECE = 1 << 24 };

static bool no_room(tulle__msh *msh, int64_t bytes) {
    char words[TULLE__ROOM_TEXT];
    const tulle_status status = tulle__room_for(msh->cpu, (double)bytes, words);
    return status != TULLE_OK &&
           !tulle__note(msh->trouble, status, 0, "to hold its text takes %s", words);
}

/* All that a source gives, whose size may not be known, and a newline behind it. */
static tulle_status read_text(tulle__msh *msh, tulle__source *source) {
    int64_t room = 0, got = 1;
    while (got > 0) {
        const int64_t piece = source->seekable ? source->size - msh->bytes + 1 : PIECE;
        const int64_t wanted = msh->bytes + piece + 1;
        if (wanted > room && no_room(msh, wanted)) break;
        if (!tulle__msh_grow(msh, &msh->text, msh->bytes, &room, wanted, 1)) break;
        got = tulle__source_read(source, msh->bytes, msh->text + msh->bytes, piece, msh->trouble);
        if (got > 0) msh->bytes += got;
        TULLE__TRY(tulle__progress(msh->cpu, "reading", tulle__source_consumed(source),
                                   source->file_bytes));
    }
    if (msh->trouble->status != TULLE_OK) return tulle__fail_trouble(source->name, msh->trouble);
    msh->text[msh->bytes] = '\n';
    return TULLE_OK;
}

static tulle_status load(tulle_ctx *ctx, tulle_ctx *cpu, tulle__source *source, tulle_mesh **mesh,
                         tulle_mesh_file_info *info) {
    tulle__trouble trouble = {0};
    tulle__msh msh = {.cpu = cpu, .name = source->name, .trouble = &trouble};
    tulle__vtu vtu = {.msh = &msh};
    tulle_status status = read_text(&msh, source);
    const bool is_vtu = status == TULLE_OK && tulle__is_vtu(&msh);
    if (status == TULLE_OK && !(is_vtu ? tulle__vtu_read(&vtu) : tulle__msh_read(&msh))) {
        status = tulle__fail_trouble(source->name, &trouble);
    }
    if (status == TULLE_OK) status = tulle__msh_mesh(ctx, &msh, mesh);
    info->nodes = msh.nodes;
    info->elements = msh.elements;
    info->left_out = msh.left_out;
    info->turned = msh.turned;
    info->format = is_vtu ? TULLE_VTU : TULLE_MSH;
    strcpy(info->version, is_vtu ? vtu.version : msh.old ? "2.2" : "4.1");
    info->binary = is_vtu ? vtu.points.format != TULLE__VTU_ASCII : msh.binary;
    info->text_bytes = msh.bytes;
    info->file_bytes = source->file_bytes;
    strcpy(info->container, source->container);
    tulle__msh_free(&msh);
    return status;
}

static tulle_status load_timed(tulle_ctx *ctx, tulle__source *source, tulle_mesh **mesh,
                               tulle_mesh_file_info *info) {
    const double start = tulle__seconds();
    tulle_mesh_file_info about = {0};
    tulle_ctx *cpu;
    TULLE__TRY(tulle__host_context(ctx, &cpu));
    const tulle_status status = load(ctx, cpu, source, mesh, &about);
    tulle__host_context_done(ctx, cpu);
    about.seconds = tulle__seconds() - start;
    if (status == TULLE_OK && info) *info = about;
    return status;
}

tulle_status tulle_mesh_load(tulle_ctx *ctx, const char *path, tulle_mesh **mesh,
                             tulle_mesh_file_info *info) {
    TULLE__NEED(mesh);
    *mesh = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(path);
    tulle__source source;
    tulle__trouble trouble = {0};
    if (!tulle__source_open(&source, ctx, path, &trouble))
        return tulle__fail_trouble(path, &trouble);
    const tulle_status status = load_timed(ctx, &source, mesh, info);
    tulle__source_close(&source);
    return status;
}

tulle_status tulle_mesh_load_memory(tulle_ctx *ctx, const void *bytes, int64_t size,
                                    const char *name, tulle_mesh **mesh,
                                    tulle_mesh_file_info *info) {
    TULLE__NEED(mesh);
    *mesh = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(bytes);
    TULLE__NEED(name);
    if (size < 0) return TULLE__BAD("size", "size is %lld, below 0", (long long)size);
    tulle__source source;
    tulle__trouble trouble = {0};
    if (!tulle__source_open_memory(&source, ctx, bytes, size, name, &trouble))
        return tulle__fail_trouble(name, &trouble);
    const tulle_status status = load_timed(ctx, &source, mesh, info);
    tulle__source_close(&source);
    return status;
}
