/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_save: writes a matrix from any memory to a file. */
#include "io/file/save.h"
#include "core/options.h"

#include <string.h>

#include "io/file/host.h"
#include "matrix/build.h"

/* Returns true when the file can hold the arrays of the format. */
static bool is_written(tulle_format format, bool binary) {
    return format == TULLE_CSR || format == TULLE_DCSR || (binary && format == TULLE_BSR);
}

/* Makes *owned the matrix in host memory, in a format that the file can hold. The caller must
 * destroy *owned, also after a failure, when it may be in another form or NULL. */
static tulle_status bring(tulle_ctx *cpu, const tulle_mat *A, bool binary, tulle_mat **owned) {
    tulle_mat_info about;
    TULLE__TRY(tulle_mat_describe(A, &about));
    *owned = tulle_mat_retain((tulle_mat *)A);
    if (about.backend != TULLE_CPU) {
        tulle_mat *copy = NULL;
        TULLE__TRY(tulle_mat_copy(cpu, A, about.type, &copy));
        tulle_mat_destroy(*owned);
        *owned = copy;
    }
    if (is_written(about.format, binary)) return TULLE_OK;
    tulle_mat *csr = NULL;
    const bool compress = about.format == TULLE_COO && tulle__is_hypersparse(about.rows, about.nnz);
    const tulle_format to = compress ? TULLE_DCSR : TULLE_CSR;
    TULLE__TRY(tulle_mat_convert(cpu, *owned, to, about.index, 0, &csr));
    tulle_mat_destroy(*owned);
    *owned = csr;
    return TULLE_OK;
}

static bool same(const void *a, const void *b, int64_t bytes) {
    return bytes == 0 || !memcmp(a, b, (size_t)bytes);
}

static tulle_status compare(const tulle_mat *A, const tulle_mat *B, bool values, bool *equal) {
    tulle_mat_info about;
    tulle_mat_arrays a, b;
    TULLE__TRY(tulle_mat_describe(A, &about));
    TULLE__TRY(tulle_mat_view(A, &a));
    TULLE__TRY(tulle_mat_view(B, &b));
    tulle_mat_lengths n, other;
    TULLE__TRY(tulle_mat_counts(A, &n));
    TULLE__TRY(tulle_mat_counts(B, &other));
    *equal = n.offsets == other.offsets &&
             same(a.offsets, b.offsets, n.offsets * tulle_offset_size(about.index)) &&
             same(a.order, b.order, n.order * tulle_index_size(about.index)) &&
             same(a.cols, b.cols, about.nnz * tulle_index_size(about.index)) &&
             (!values || same(a.values, b.values, about.nnz * tulle_type_size(about.type)));
    return TULLE_OK;
}

/* Fails if A is not symmetric. Compares the transpose of A with the transpose of that, which is A
 * with its columns in order. */
static tulle_status check_symmetric(tulle_ctx *cpu, const tulle_mat *A, bool values) {
    tulle_mat_info about;
    TULLE__TRY(tulle_mat_describe(A, &about));
    bool equal = about.rows == about.cols;
    if (equal) {
        tulle_mat *once = NULL, *twice = NULL;
        tulle_status status = tulle_mat_transpose(cpu, A, &once);
        if (status == TULLE_OK) status = tulle_mat_transpose(cpu, once, &twice);
        if (status == TULLE_OK) status = compare(once, twice, values, &equal);
        tulle_mat_destroy(once);
        tulle_mat_destroy(twice);
        if (status != TULLE_OK) return status;
    }
    if (equal) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_mat_save", "options", -1,
                       "the matrix is not symmetric; leave the option symmetric out");
}

static tulle_status write_file(tulle__saver *saver, const char *path) {
    tulle__trouble trouble = {0};
    if (!tulle__sink_open(&saver->sink, saver->cpu, path, &trouble))
        return tulle__fail_trouble(path, &trouble);
    const tulle_status status =
        saver->options.binary ? tulle__binary_write(saver) : tulle__mtx_write(saver);
    if (!tulle__sink_close(&saver->sink, status == TULLE_OK, &trouble) && status == TULLE_OK)
        return tulle__fail_trouble(path, &trouble);
    return status;
}

static tulle_status save(tulle_ctx *cpu, const tulle_mat *A, const char *path,
                         const tulle_save_options *options) {
    tulle__saver saver = {.cpu = cpu, .options = *options};
    if (options->symmetric) TULLE__TRY(check_symmetric(cpu, A, !options->pattern));
    TULLE__TRY(tulle_mat_describe(A, &saver.about));
    TULLE__TRY(tulle_mat_view(A, &saver.arrays));
    return write_file(&saver, path);
}

tulle_status tulle_mat_save_sized(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                                  const tulle_save_options *options, size_t options_size) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(path);
    tulle_save_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    if (!options) own.binary = tulle__has_suffix(path, ".tulle");
    options = &own;
    if (options->binary && options->symmetric)
        return TULLE__BAD("options",
                          "the binary form holds whole matrices; leave the option "
                          "symmetric or binary out");
    TULLE__TRY(tulle_ctx_synchronize(ctx));
    tulle_ctx *cpu;
    tulle_mat *host = NULL;
    TULLE__TRY(tulle__host_context(ctx, &cpu));
    tulle_status status = bring(cpu, A, options->binary, &host);
    if (status == TULLE_OK) status = save(cpu, host, path, options);
    tulle_mat_destroy(host);
    tulle__host_context_done(ctx, cpu);
    return status;
}
