/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_load: makes a matrix in the context's memory from a file, or from a file's bytes in
 * memory. */
#include <string.h>

#include "core/stopwatch.h"
#include "io/file/binary.h"
#include "io/file/host.h"
#include "io/file/kinds.h"
#include "io/file/mtx.h"
#include "io/file/npz.h"
#include "io/file/petsc.h"
#include "io/file/range.h"
#include "io/file/rb.h"
#include "io/file/stored.h"

static void describe(const tulle__mtx_head *head, const tulle__source *source, int64_t text_bytes,
                     tulle_file_info *info) {
    static const char *const fields[] = {"real", "integer", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    info->stored = head->stored;
    info->text_bytes = text_bytes;
    strcpy(info->field, fields[head->field]);
    strcpy(info->symmetry, symmetries[head->symmetry]);
    strcpy(info->container, source->container);
}

/* Makes the matrix from entries, and frees the entries. */
static tulle_status build(tulle_ctx *cpu, const char *name, const tulle__mtx_head *head,
                          tulle__entries *entries, tulle_mat **A) {
    const int64_t count = entries->count;
    tulle_mat_info about;
    TULLE__TRY(tulle__mtx_build(cpu, name, head, entries, A));
    TULLE__TRY(tulle_mat_describe(*A, &about));
    return about.nnz < count ? tulle__check_sums(name, *A) : TULLE_OK;
}

static tulle_status load_text(tulle_ctx *cpu, tulle__source *source, tulle_type type, tulle_mat **A,
                              tulle_file_info *info) {
    tulle__mtx_head head = {.type = type};
    tulle__chunks chunks = {0};
    tulle__entries entries;
    const double start = tulle__seconds();
    TULLE__TRY(tulle__check_kind(source));
    TULLE__TRY(tulle__is_rb(source) ? tulle__rb_read(cpu, source, &head, &chunks)
                                    : tulle__mtx_read(cpu, source, &head, &chunks));
    describe(&head, source, chunks.text_bytes, info);
    info->vanished = chunks.vanished;
    info->vanished_line = chunks.vanished_line;
    info->rounded = chunks.rounded;
    info->rounded_line = chunks.rounded_line;
    TULLE__TRY(tulle__mtx_expand(cpu, &head, &chunks, &entries));
    info->parse_seconds = tulle__seconds() - start;
    return build(cpu, source->name, &head, &entries, A);
}

/* Reads the arrays of a sparse matrix, and stores the number of bytes that were read. */
typedef tulle_status array_reader(tulle_ctx *cpu, tulle__source *source, tulle__stored *stored,
                                  int64_t *bytes);

static tulle_status load_arrays(tulle_ctx *cpu, tulle__source *source, array_reader *read,
                                tulle_type type, tulle_mat **A, tulle_file_info *info) {
    tulle__mtx_head head = {.type = type};
    tulle__stored stored = {0};
    tulle__entries entries = {0};
    int64_t bytes = 0;
    const double start = tulle__seconds();
    tulle_status status = read(cpu, source, &stored, &bytes);
    if (status == TULLE_OK)
        status = tulle__stored_expand(cpu, source->name, &stored, &head, &entries, info);
    tulle__stored_free(cpu, &stored);
    TULLE__TRY(status);
    describe(&head, source, bytes, info);
    info->parse_seconds = tulle__seconds() - start;
    return build(cpu, source->name, &head, &entries, A);
}

/* Loads a file with the reader that its first bytes call for. */
static tulle_status load_kind(tulle_ctx *cpu, tulle__source *source, tulle_type type, tulle_mat **A,
                              tulle_file_info *info) {
    if (tulle__is_binary(source)) return tulle__binary_load(cpu, source, A, info);
    if (tulle__is_petsc(source)) return load_arrays(cpu, source, tulle__petsc_load, type, A, info);
    if (tulle__is_zip(source)) {
        TULLE__TRY(load_arrays(cpu, source, tulle__npz_load, type, A, info));
        strcpy(info->container, "npz");
        return TULLE_OK;
    }
    return load_text(cpu, source, type, A, info);
}

/* Moves a matrix from host memory to the context's memory, and converts its values to the type that
 * the caller wants. */
static tulle_status deliver(tulle_ctx *ctx, tulle_ctx *cpu, const char *name, tulle_type type,
                            tulle_mat **A) {
    tulle_mat_info about;
    TULLE__TRY(tulle_mat_describe(*A, &about));
    if (ctx == cpu && about.type == type) return TULLE_OK;
    TULLE__TRY(tulle__check_narrowing(name, *A, type));
    tulle_mat *moved = NULL;
    const tulle_status status = tulle_mat_copy(ctx, *A, type, &moved);
    if (status != TULLE_OK) return status;
    tulle_mat_destroy(*A);
    *A = moved;
    return TULLE_OK;
}

static tulle_status load(tulle_ctx *ctx, tulle__source *source, tulle_type type, tulle_mat **A,
                         tulle_file_info *info) {
    const double start = tulle__seconds();
    tulle_file_info about = {.file_bytes = source->file_bytes};
    tulle_ctx *cpu;
    TULLE__TRY(tulle__host_context(ctx, &cpu));
    tulle_status status = load_kind(cpu, source, type, A, &about);
    if (status == TULLE_OK) status = deliver(ctx, cpu, source->name, type, A);
    tulle__host_context_done(ctx, cpu);
    tulle_mat_info shape;
    if (status == TULLE_OK) status = tulle_mat_describe(*A, &shape);
    if (status != TULLE_OK) {
        tulle_mat_destroy(*A);
        *A = NULL;
        return status;
    }
    about.rows = shape.rows;
    about.cols = shape.cols;
    about.expanded = shape.nnz;
    about.seconds = tulle__seconds() - start;
    if (info) *info = about;
    return TULLE_OK;
}

tulle_status tulle_mat_load(tulle_ctx *ctx, const char *path, tulle_type type, tulle_mat **A,
                            tulle_file_info *info) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(path);
    if (!tulle__is_type(type)) return TULLE__BAD("type", "type is neither TULLE_F32 nor TULLE_F64");
    tulle__source source;
    tulle__trouble trouble = {0};
    if (!tulle__source_open(&source, ctx, path, &trouble))
        return tulle__fail_trouble(path, &trouble);
    const tulle_status status = load(ctx, &source, type, A, info);
    tulle__source_close(&source);
    return status;
}

tulle_status tulle_mat_load_memory(tulle_ctx *ctx, const void *bytes, int64_t size,
                                   const char *name, tulle_type type, tulle_mat **A,
                                   tulle_file_info *info) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(bytes);
    TULLE__NEED(name);
    if (size < 0) return TULLE__BAD("size", "size is %lld, below 0", (long long)size);
    if (!tulle__is_type(type)) return TULLE__BAD("type", "type is neither TULLE_F32 nor TULLE_F64");
    tulle__source source;
    tulle__trouble trouble = {0};
    if (!tulle__source_open_memory(&source, ctx, bytes, size, name, &trouble))
        return tulle__fail_trouble(name, &trouble);
    const tulle_status status = load(ctx, &source, type, A, info);
    tulle__source_close(&source);
    return status;
}
