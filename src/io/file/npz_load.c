/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the arrays of a matrix from the members of an archive. Each member that the matrix's form
 * calls for must be there, with the right type and shape. */
#include <string.h>

#include "io/file/npz.h"

enum { FORM_ROOM = 17 };

/* The members of the archive, the arrays that the members become, and the first fault. */
typedef struct loader {
    tulle__npz *npz;
    tulle__stored *stored;
    tulle__trouble *trouble;
} loader;

static bool is_there(loader *l, tulle__npz_member member, const char *form) {
    if (l->npz->member[member].raw.bytes) return true;
    return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0,
                       "the zip archive holds a matrix in SciPy's form '%s' without %s", form,
                       tulle__npz_name(member));
}

static bool is_integer(const tulle__raw *raw) {
    return raw->kind == TULLE__RAW_SIGNED || raw->kind == TULLE__RAW_UNSIGNED;
}

/* Returns true when a member is a list of integers; else notes the fault. */
static bool is_list(loader *l, tulle__npz_member member) {
    const tulle__npy *npy = &l->npz->member[member];
    if (npy->dimensions == 1 && is_integer(&npy->raw)) return true;
    return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0, "%s is no list of integers",
                       tulle__npz_name(member));
}

/* Reads the name of the matrix's form, which is stored as bytes or as characters of four bytes. */
static bool read_form(loader *l, char form[FORM_ROOM]) {
    const tulle__raw *raw = &l->npz->member[TULLE__NPZ_FORMAT].raw;
    if (!raw->bytes)
        return tulle__note(l->trouble, TULLE_UNSUPPORTED, 0,
                           "is a zip archive without %s, and so no matrix of "
                           "scipy.sparse.save_npz; write the matrix with that function or as "
                           "Matrix Market with scipy.io.mmwrite",
                           tulle__npz_name(TULLE__NPZ_FORMAT));
    const int64_t length = raw->kind == TULLE__RAW_TEXT ? raw->size / raw->unit : 0;
    if (raw->count != 1 || length < 1 || length >= FORM_ROOM)
        return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0, "%s is no name of a form",
                           tulle__npz_name(TULLE__NPZ_FORMAT));
    for (int64_t i = 0; i < length; i++) {
        const char *letter = (const char *)raw->bytes + i * raw->unit;
        form[i] = raw->unit == 1 ? *letter : (char)*(const uint32_t *)(const void *)letter;
        if (form[i] && (form[i] < ' ' || form[i] > '~')) form[i] = '?';
    }
    form[length] = 0;
    return true;
}

static bool read_shape(loader *l, const char *form) {
    if (!is_there(l, TULLE__NPZ_SHAPE, form) || !is_list(l, TULLE__NPZ_SHAPE)) return false;
    const tulle__raw *raw = &l->npz->member[TULLE__NPZ_SHAPE].raw;
    if (raw->count != 2)
        return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0,
                           "shape.npy has %lld numbers; a matrix has 2", (long long)raw->count);
    l->stored->rows = tulle__raw_integer(raw, 0);
    l->stored->cols = tulle__raw_integer(raw, 1);
    return (l->stored->rows >= 0 && l->stored->cols >= 0) ||
           tulle__note(l->trouble, TULLE_PARSE_ERROR, 0, "shape.npy has a size below 0");
}

/* Moves the array of a member to *to, which then owns the bytes. */
static void move(loader *l, tulle__npz_member member, tulle__raw *to) {
    *to = l->npz->member[member].raw;
    l->npz->member[member].raw.bytes = NULL;
}

/* Checks that the members that a form needs are there, and that the members of integers are
 * lists. */
static bool has_arrays(loader *l, const char *form, tulle__npz_member lines,
                       tulle__npz_member indices) {
    return is_there(l, lines, form) && is_there(l, indices, form) &&
           is_there(l, TULLE__NPZ_DATA, form) && is_list(l, lines) && is_list(l, indices);
}

static bool wrong_count(loader *l, tulle__npz_member member, int64_t count, int64_t wanted) {
    return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0, "%s has %lld numbers instead of %lld",
                       tulle__npz_name(member), (long long)count, (long long)wanted);
}

/* Checks that the values are a list, or for blocks a list of matrices, and are as many as the
 * indices. */
static bool check_values(loader *l, tulle__npz_member indices, int dimensions) {
    const tulle__npy *data = &l->npz->member[TULLE__NPZ_DATA];
    const int64_t wanted = l->npz->member[indices].raw.count;
    if (data->raw.kind == TULLE__RAW_TEXT || data->dimensions != dimensions)
        return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0, "data.npy is no list of %s",
                           dimensions == 1 ? "numbers" : "blocks");
    if (data->shape[0] != wanted) return wrong_count(l, TULLE__NPZ_DATA, data->shape[0], wanted);
    return true;
}

/* Checks that the sizes of the matrix are multiples of the block's sizes. */
static bool check_blocks(loader *l) {
    tulle__stored *s = l->stored;
    const tulle__npy *data = &l->npz->member[TULLE__NPZ_DATA];
    s->block_rows = data->shape[1];
    s->block_cols = data->shape[2];
    s->first_fastest = data->first_fastest;
    const bool good = s->block_rows > 0 && s->block_cols > 0 && s->rows % s->block_rows == 0 &&
                      s->cols % s->block_cols == 0;
    return good || tulle__note(l->trouble, TULLE_PARSE_ERROR, 0,
                               "blocks of %lld x %lld do not tile a matrix of %lld x %lld",
                               (long long)s->block_rows, (long long)s->block_cols,
                               (long long)s->rows, (long long)s->cols);
}

static bool take_compressed(loader *l, const char *form) {
    tulle__stored *s = l->stored;
    const bool blocks = form[0] == 'b';
    s->by_columns = form[2] == 'c';
    if (!has_arrays(l, form, TULLE__NPZ_INDPTR, TULLE__NPZ_INDICES)) return false;
    if (!check_values(l, TULLE__NPZ_INDICES, blocks ? 3 : 1)) return false;
    if (blocks && !check_blocks(l)) return false;
    const int64_t lines = s->by_columns ? s->cols : s->rows / s->block_rows;
    const int64_t offsets = l->npz->member[TULLE__NPZ_INDPTR].raw.count;
    if (offsets - 1 != lines) {
        return tulle__note(l->trouble, TULLE_PARSE_ERROR, 0,
                           "indptr.npy has %lld numbers, which is not one more than the %lld %s of "
                           "shape.npy",
                           (long long)offsets, (long long)lines,
                           s->by_columns ? "columns"
                           : blocks      ? "rows of blocks"
                                         : "rows");
    }
    move(l, TULLE__NPZ_INDPTR, &s->offsets);
    move(l, TULLE__NPZ_INDICES, &s->indices);
    move(l, TULLE__NPZ_DATA, &s->values);
    return true;
}

static bool take_coordinates(loader *l) {
    tulle__stored *s = l->stored;
    if (!has_arrays(l, "coo", TULLE__NPZ_ROW, TULLE__NPZ_COL)) return false;
    if (!check_values(l, TULLE__NPZ_COL, 1)) return false;
    const int64_t rows = l->npz->member[TULLE__NPZ_ROW].raw.count;
    const int64_t cols = l->npz->member[TULLE__NPZ_COL].raw.count;
    if (rows != cols) return wrong_count(l, TULLE__NPZ_ROW, rows, cols);
    move(l, TULLE__NPZ_ROW, &s->lines);
    move(l, TULLE__NPZ_COL, &s->indices);
    move(l, TULLE__NPZ_DATA, &s->values);
    return true;
}

static bool take_matrix(loader *l) {
    char form[FORM_ROOM];
    if (!read_form(l, form) || !read_shape(l, form)) return false;
    l->stored->block_rows = l->stored->block_cols = 1;
    if (!strcmp(form, "csr") || !strcmp(form, "csc") || !strcmp(form, "bsr"))
        return take_compressed(l, form);
    if (!strcmp(form, "coo")) return take_coordinates(l);
    return tulle__note(l->trouble, TULLE_UNSUPPORTED, 0,
                       "holds a matrix in SciPy's form '%s'; csr, csc, coo and bsr are read: write "
                       "it with scipy.sparse.save_npz('FILE', A.tocsr())",
                       form);
}

tulle_status tulle__npz_load(tulle_ctx *cpu, tulle__source *source, tulle__stored *stored,
                             int64_t *bytes) {
    tulle__npz npz = {0};
    tulle__trouble trouble = {0};
    loader l = {&npz, stored, &trouble};
    const bool good = tulle__npz_read(cpu, source, &npz, &trouble) && take_matrix(&l);
    for (int i = 0; i < TULLE__NPZ_MEMBERS; i++) tulle__raw_free(cpu, &npz.member[i].raw);
    *bytes = npz.bytes;
    return good ? TULLE_OK : tulle__fail_trouble(source->name, &trouble);
}
