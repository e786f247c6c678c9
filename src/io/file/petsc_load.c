/* SPDX-License-Identifier: Apache-2.0 */
#include "core/room.h"
#include "io/file/petsc.h"

enum { MATRIX = 1211216, VECTOR = 1211214, REAL = 8, SINGLE = 4 };

typedef struct reader {
    tulle_ctx *cpu;
    tulle__source *source;
    int64_t at;  /* bytes that have been read */
    int integer; /* bytes of an integer: 4 or 8 */
    int64_t rows, cols, nnz;
    tulle__trouble trouble;
} reader;

/* Returns the integer of `size` bytes, of which the highest comes first. */
static int64_t integer_of(const char *bytes, int size) {
    uint64_t number = bytes[0] < 0 ? UINT64_MAX : 0; /* all bits are copies of the sign */
    for (int i = 0; i < size; i++) number = number << 8 | (unsigned char)bytes[i];
    return (int64_t)number;
}

bool tulle__is_petsc(const tulle__source *source) {
    const char *head = source->head;
    return (source->head_size >= 4 && integer_of(head, 4) == MATRIX) ||
           (source->head_size >= 8 && integer_of(head, 8) == MATRIX);
}

static int64_t read_on(void *user, void *to, int64_t bytes, tulle__trouble *trouble) {
    reader *r = user;
    const int64_t got = tulle__source_read(r->source, r->at, to, bytes, trouble);
    if (got > 0) r->at += got;
    return got;
}

static bool cut_off(reader *r) {
    return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                       "the file is cut off: it ends after byte %lld", (long long)r->at);
}

/* Reads integers; *ended is true when the file ends before the first of them. */
static bool read_integers(reader *r, int64_t *numbers, int count, bool *ended) {
    enum { MOST = 4 };
    char bytes[MOST * 8];
    const int64_t wanted = (int64_t)count * r->integer;
    const int64_t got = read_on(r, bytes, wanted, &r->trouble);
    if (got < 0) return false;
    *ended = got == 0;
    if (*ended) return true;
    if (got < wanted) return cut_off(r);
    for (int i = 0; i < count; i++) numbers[i] = integer_of(bytes + i * r->integer, r->integer);
    return true;
}

/* Returns false where the size of the file is known, and is too small for the lengths of so many
 * rows, the columns and the values. */
static bool check_size(reader *r, int64_t rows) {
    const double needed =
        (double)r->at + (double)rows * r->integer + (double)r->nnz * (r->integer + REAL);
    if (r->source->size < 0 || needed <= (double)r->source->size) return true;
    if (r->nnz > 0 && needed - (double)r->nnz * (REAL - SINGLE) == (double)r->source->size)
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                           "its values take 4 bytes each, as of a PETSc of single precision, of "
                           "which none are read, or the file is cut off");
    return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                       "the file is cut off: it has %lld bytes, and the %lld rows and %lld entries "
                       "of its head take more",
                       (long long)r->source->size, (long long)r->rows, (long long)r->nnz);
}

/* Returns true when the head has the number of entries. PETSc writes the largest integer of 32 bits
 * in place of a number that does not fit; the number is then the sum of the rows' lengths. */
static bool says_entries(const reader *r) {
    return r->integer == 8 || r->nnz != INT32_MAX;
}

static bool read_head(reader *r) {
    int64_t numbers[4];
    bool ended;
    r->integer = integer_of(r->source->head, 4) == MATRIX ? 4 : 8;
    if (!read_integers(r, numbers, 4, &ended)) return false;
    if (ended) return cut_off(r);
    r->rows = numbers[1];
    r->cols = numbers[2];
    r->nnz = numbers[3];
    if (r->rows < 0 || r->cols < 0 || r->nnz < -1)
        return tulle__note(
            &r->trouble, TULLE_PARSE_ERROR, 0,
            "the head of PETSc's form names %lld rows, %lld columns and %lld entries",
            (long long)r->rows, (long long)r->cols, (long long)r->nnz);
    if (r->nnz == -1)
        return tulle__note(&r->trouble, TULLE_UNSUPPORTED, 0,
                           "is a dense matrix in PETSc's form, which is not read; write it from a "
                           "sparse one (MATAIJ)");
    if (r->rows == INT64_MAX)
        return tulle__note(&r->trouble, TULLE_TOO_LARGE, 0, "the rows are too many");
    return !says_entries(r) || check_size(r, r->rows);
}

static tulle__raw list_of(tulle__raw_kind kind, int size, int64_t count) {
    return (tulle__raw){.kind = kind,
                        .size = size,
                        .unit = size,
                        .swapped = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                        .count = count};
}

static bool read_list(reader *r, const char *what, tulle__raw *list) {
    const tulle__source *source = r->source;
    const tulle__raw_source from = {.read = read_on,
                                    .user = r,
                                    .most = tulle__source_most(source),
                                    .sure = source->seekable ? source->size - r->at : 0,
                                    .whole = "the file"};
    return tulle__raw_read(r->cpu, &from, what, list, &r->trouble);
}

/* Turns the lengths of the rows into offsets. */
static bool sum_lengths(reader *r, const tulle__raw *lengths, tulle__raw *offsets) {
    size_t bytes;
    int64_t sum = 0;
    char words[TULLE__ROOM_TEXT];
    *offsets = (tulle__raw){.kind = TULLE__RAW_SIGNED, .size = 8, .unit = 8, .count = r->rows + 1};
    const tulle_status room = tulle__room_for(r->cpu, 8 * (double)r->rows, words);
    if (room != TULLE_OK)
        return tulle__note(&r->trouble, room, 0, "the offsets of %lld rows take %s",
                           (long long)r->rows, words);
    if (tulle__size(offsets->count, 8, 0, &bytes) != TULLE_OK ||
        tulle__alloc(r->cpu, bytes, &offsets->bytes) != TULLE_OK)
        return tulle__note(&r->trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
    int64_t *offset = offsets->bytes;
    for (int64_t i = 0; i < r->rows; i++) {
        const int64_t length = tulle__raw_integer(lengths, i);
        offset[i] = sum;
        if (length < 0 || __builtin_add_overflow(sum, length, &sum))
            return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                               "row %lld (from 0) has %lld entries", (long long)i,
                               (long long)length);
    }
    offset[r->rows] = sum;
    return true;
}

static bool read_offsets(reader *r, tulle__raw *offsets) {
    tulle__raw lengths = list_of(TULLE__RAW_SIGNED, r->integer, r->rows);
    const bool good =
        read_list(r, "lengths of the rows", &lengths) && sum_lengths(r, &lengths, offsets);
    tulle__raw_free(r->cpu, &lengths);
    if (!good) return false;
    const int64_t sum = tulle__raw_integer(offsets, r->rows);
    if (says_entries(r) && sum != r->nnz)
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                           "the rows have %lld entries, and the head names %lld", (long long)sum,
                           (long long)r->nnz);
    r->nnz = sum;
    return check_size(r, 0);
}

/* Skips a vector, whose class has been read. */
static bool skip_vector(reader *r) {
    enum { SCRATCH = 4096 };
    char scratch[SCRATCH];
    int64_t length = 0;
    bool ended;
    if (!read_integers(r, &length, 1, &ended)) return false;
    if (ended) return cut_off(r);
    if (length < 0 || length > INT64_MAX / REAL)
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                           "the vector behind the matrix has %lld numbers", (long long)length);
    for (int64_t left = length * REAL; left > 0;) {
        const int64_t got = read_on(r, scratch, left < SCRATCH ? left : SCRATCH, &r->trouble);
        if (got < 0) return false;
        if (got == 0) return cut_off(r);
        left -= got;
    }
    return true;
}

/* Reads the rest of the file: vectors, such as right-hand sides, may follow the matrix, and nothing
 * else. If the values are complex, half of their bytes are left over here, which is an error. */
static bool read_rest(reader *r) {
    const int64_t end = r->at;
    for (;;) {
        const int64_t left = r->source->size - r->at;
        int64_t class;
        bool ended;
        if (left > 0 && left < r->integer) break;
        if (!read_integers(r, &class, 1, &ended)) return false;
        if (ended) return true;
        if (class != VECTOR) break;
        if (!skip_vector(r)) return false;
    }
    if (r->nnz > 0 && r->source->size - end == r->nnz * REAL)
        return tulle__note(&r->trouble, TULLE_UNSUPPORTED, 0,
                           "its values take 16 bytes each: a PETSc of complex numbers wrote them, "
                           "which are not supported; real ones are");
    return tulle__note(&r->trouble, TULLE_PARSE_ERROR, 0,
                       "surplus bytes behind the matrix, from byte %lld on, which are no vector of "
                       "PETSc's",
                       (long long)end);
}

static bool read_all(reader *r, tulle__stored *stored) {
    if (!read_head(r) || !read_offsets(r, &stored->offsets)) return false;
    stored->rows = r->rows;
    stored->cols = r->cols;
    stored->block_rows = stored->block_cols = 1;
    stored->indices = list_of(TULLE__RAW_SIGNED, r->integer, r->nnz);
    stored->values = list_of(TULLE__RAW_FLOAT, REAL, r->nnz);
    return read_list(r, "columns", &stored->indices) && read_list(r, "values", &stored->values) &&
           read_rest(r);
}

/* Replaces a fault of the bytes in a damaged compressed file by the damage, which has caused the
 * fault. */
static void look_for_damage(reader *r) {
    enum { MOST = 1 << 28, SCRATCH = 1 << 16 };
    tulle__trouble damage = {0};
    char *scratch = tulle__host_alloc(r->cpu, SCRATCH);
    if (scratch && r->trouble.status == TULLE_PARSE_ERROR &&
        tulle__source_is_damaged(r->source, MOST, scratch, &damage))
        r->trouble = damage;
    tulle__host_free(r->cpu, scratch);
}

tulle_status tulle__petsc_load(tulle_ctx *cpu, tulle__source *source, tulle__stored *stored,
                               int64_t *bytes) {
    reader r = {.cpu = cpu, .source = source};
    const bool good = read_all(&r, stored);
    *bytes = r.at;
    if (good) return TULLE_OK;
    look_for_damage(&r);
    return tulle__fail_trouble(source->name, &r.trouble);
}
