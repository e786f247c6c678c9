/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mesh_load: makes a mesh from a file, or from a file's bytes in memory. */
#include <string.h>

#include "core/stopwatch.h"
#include "io/file/blocks.h"
#include "io/file/host.h"
#include "io/file/vtu.h"
#include "tulle/mesh_io.h"

/* PIECE: bytes that are read between two reports of progress. PART: bytes of a piece that are
 * searched for blanks at a time. */
enum { PIECE = 1 << 22, PART = 1 << 19 };

static bool is_space(char c) {
    return tulle__is_blank(c) || c == '\n';
}

static int64_t count_space(const char *text, int64_t bytes) {
    int64_t count = 0;
    while (count < bytes && is_space(text[count])) count++;
    return count;
}

/* Fails if the text has PART blanks in a row, as no mesh has: a few compressed bytes may stand for
 * more blanks than memory holds. */
static bool check_blanks(tulle__msh *msh, int64_t first) {
    for (int64_t at = first; at + PART <= msh->bytes; at += PART) {
        if (count_space(msh->text + at, PART) < PART) continue;
        return tulle__note(msh->trouble, TULLE_PARSE_ERROR, 0,
                           "byte %lld: %d KiB of blanks and empty lines in a row", (long long)at,
                           PART >> 10);
    }
    return true;
}

/* Returns true when the first bytes may be those of a mesh. If they are not, no more is read, and
 * the parser reports it. */
static bool may_be_mesh(const tulle__msh *msh) {
    const int64_t at = count_space(msh->text, msh->bytes);
    const unsigned char first = (unsigned char)msh->text[at < msh->bytes ? at : 0];
    return first == '$' || first == '<' || first == 0xef; /* 0xef begins UTF-8's byte order mark */
}

/* Reads the whole source, whose size may be unknown, and puts a newline behind its text. */
static tulle_status read_text(tulle__msh *msh, tulle__source *source) {
    int64_t room = 0, got = 1;
    while (got > 0) {
        const int64_t first = msh->bytes;
        const int64_t wanted = source->seekable ? source->size : first + PIECE;
        if (!tulle__msh_grow(msh, &msh->text, first, &room, wanted + 1, 1)) break;
        got = tulle__source_read(source, first, msh->text + first,
                                 PIECE < room - 1 - first ? PIECE : room - 1 - first, msh->trouble);
        if (got < 0) break;
        msh->bytes += got;
        if (!check_blanks(msh, first)) break;
        if (!may_be_mesh(msh)) break;
        TULLE__TRY(tulle__progress(msh->cpu, "reading",
                                   source->seekable ? msh->bytes : tulle__source_consumed(source),
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
    source->stream.asks = true;
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
