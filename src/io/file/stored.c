/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/stored.h"

#include "core/room.h"

void tulle__stored_free(tulle_ctx *cpu, tulle__stored *stored) {
    tulle__raw_free(cpu, &stored->offsets);
    tulle__raw_free(cpu, &stored->lines);
    tulle__raw_free(cpu, &stored->indices);
    tulle__raw_free(cpu, &stored->values);
}

static bool is_compressed(const tulle__stored *stored) {
    return stored->offsets.bytes != NULL;
}

/* Returns the number of entries or blocks that belong to the matrix. SciPy may keep further ones
 * behind the last offset. */
static int64_t used(const tulle__stored *stored) {
    if (!is_compressed(stored)) return stored->indices.count;
    return tulle__raw_integer(&stored->offsets, stored->offsets.count - 1);
}

static const char *line_name(const tulle__stored *stored) {
    const bool blocks = stored->block_rows * stored->block_cols > 1;
    return blocks ? "row of blocks" : stored->by_columns ? "column" : "row";
}

static tulle_status check_offsets(const tulle_ctx *cpu, const char *name,
                                  const tulle__stored *stored) {
    const tulle__raw *offsets = &stored->offsets;
    const int64_t lines = offsets->count - 1;
    const int64_t first = tulle__raw_integer(offsets, 0);
    if (first != 0)
        return tulle__fail_file(TULLE_PARSE_ERROR, name, 0,
                                "the first offset is %lld, and must be 0", (long long)first);
    int64_t bad = lines;
#pragma omp parallel for num_threads(tulle__raw_threads(cpu, lines)) reduction(min : bad)
    for (int64_t i = 0; i < lines; i++) {
        if (tulle__raw_integer(offsets, i) > tulle__raw_integer(offsets, i + 1) && i < bad) bad = i;
    }
    if (bad < lines)
        return tulle__fail_file(
            TULLE_PARSE_ERROR, name, 0, "the offsets descend from %lld to %lld in %s %lld (from 0)",
            (long long)tulle__raw_integer(offsets, bad),
            (long long)tulle__raw_integer(offsets, bad + 1), line_name(stored), (long long)bad);
    if (used(stored) > stored->indices.count)
        return tulle__fail_file(TULLE_PARSE_ERROR, name, 0,
                                "the offsets end at %lld, and there are %lld indices",
                                (long long)used(stored), (long long)stored->indices.count);
    return TULLE_OK;
}

/* Fails if an index is not in 0 to limit - 1. */
static tulle_status check_range(const tulle_ctx *cpu, const char *name, const tulle__raw *indices,
                                int64_t count, const char *what, int64_t limit) {
    int64_t bad = count;
#pragma omp parallel for num_threads(tulle__raw_threads(cpu, count)) reduction(min : bad)
    for (int64_t k = 0; k < count; k++) {
        const int64_t index = tulle__raw_integer(indices, k);
        if ((index < 0 || index >= limit) && k < bad) bad = k;
    }
    if (bad == count) return TULLE_OK;
    return tulle__fail_file(TULLE_PARSE_ERROR, name, 0,
                            "the %s index of entry %lld (from 0) is %lld, out of range 0 to %lld",
                            what, (long long)bad, (long long)tulle__raw_integer(indices, bad),
                            (long long)limit - 1);
}

static tulle_status check(const tulle_ctx *cpu, const char *name, const tulle__stored *stored) {
    const bool by_columns = stored->by_columns;
    if (is_compressed(stored)) {
        TULLE__TRY(check_offsets(cpu, name, stored));
    } else {
        TULLE__TRY(
            check_range(cpu, name, &stored->lines, stored->lines.count, "row", stored->rows));
    }
    return check_range(cpu, name, &stored->indices, used(stored), by_columns ? "row" : "column",
                       by_columns ? stored->rows : stored->cols / stored->block_cols);
}

/* The entries that all threads fill, and the counts of numbers that the type does not have. */
typedef struct filling {
    const tulle__stored *stored;
    const tulle__mtx_head *head;
    tulle__entries *entries;
    int64_t vanished, rounded;
    int64_t bad; /* index of the first value that cannot be used; entries->count: none */
} filling;

static void put_index(const tulle__mtx_head *head, void *indices, int64_t at, int64_t index) {
    if (head->wide) {
        ((int64_t *)indices)[at] = index;
    } else {
        ((int32_t *)indices)[at] = (int32_t)index;
    }
}

/* Returns the index, among the values, of row a and column b of block k. */
static int64_t value_position(const tulle__stored *s, int64_t k, int64_t a, int64_t b) {
    if (s->first_fastest) return k + s->indices.count * (a + s->block_rows * b);
    return (k * s->block_rows + a) * s->block_cols + b;
}

/* Stores entry or block k, which is in a given line. */
static void put(filling *f, int64_t line, int64_t k) {
    const tulle__stored *s = f->stored;
    const int64_t index = tulle__raw_integer(&s->indices, k);
    int64_t at = k * s->block_rows * s->block_cols;
    for (int64_t a = 0; a < s->block_rows; a++) {
        for (int64_t b = 0; b < s->block_cols; b++, at++) {
            const int64_t row = line * s->block_rows + a, col = index * s->block_cols + b;
            put_index(f->head, f->entries->rows_of, at, s->by_columns ? col : row);
            put_index(f->head, f->entries->cols_of, at, s->by_columns ? row : col);
            const int64_t from = value_position(s, k, a, b);
            const tulle__fate fate =
                tulle__raw_value(&s->values, from, f->head->type, f->entries->values, at);
            f->vanished += fate == TULLE__VANISHED;
            f->rounded += fate == TULLE__ROUNDED;
            if (fate >= TULLE__NOT_FINITE && from < f->bad) f->bad = from;
        }
    }
}

static void fill_coordinates(filling *f, int threads) {
    int64_t vanished = 0, rounded = 0, bad = f->bad;
#pragma omp parallel for num_threads(threads) reduction(+ : vanished, rounded) reduction(min : bad)
    for (int64_t k = 0; k < f->stored->indices.count; k++) {
        filling own = {f->stored, f->head, f->entries, 0, 0, bad};
        put(&own, tulle__raw_integer(&f->stored->lines, k), k);
        vanished += own.vanished;
        rounded += own.rounded;
        bad = own.bad;
    }
    *f = (filling){f->stored, f->head, f->entries, vanished, rounded, bad};
}

static void fill_lines(filling *f, int threads) {
    enum { SHARE = 256 };
    const tulle__raw *offsets = &f->stored->offsets;
    int64_t vanished = 0, rounded = 0, bad = f->bad;
#pragma omp parallel for num_threads(threads) schedule(dynamic, SHARE)                             \
    reduction(+ : vanished, rounded) reduction(min : bad)
    for (int64_t line = 0; line < offsets->count - 1; line++) {
        filling own = {f->stored, f->head, f->entries, 0, 0, bad};
        const int64_t end = tulle__raw_integer(offsets, line + 1);
        for (int64_t k = tulle__raw_integer(offsets, line); k < end; k++) put(&own, line, k);
        vanished += own.vanished;
        rounded += own.rounded;
        bad = own.bad;
    }
    *f = (filling){f->stored, f->head, f->entries, vanished, rounded, bad};
}

static tulle_status bad_value(const char *name, const filling *f) {
    const bool is_f32 = f->head->type == TULLE_F32;
    double scratch;
    const tulle__fate fate =
        tulle__raw_value(&f->stored->values, f->bad, f->head->type, &scratch, 0);
    return tulle__fail_file(TULLE_PARSE_ERROR, name, 0, "value %lld (from 0) is %s",
                            (long long)f->bad,
                            fate == TULLE__NO_BOOL      ? "a bool that is neither 0 nor 1"
                            : fate == TULLE__NOT_FINITE ? "no finite number"
                            : is_f32                    ? "too large for f32; read it as f64"
                                                        : "too large for f64");
}

static void describe(const tulle__stored *stored, int64_t count, tulle__mtx_head *head) {
    head->rows = stored->rows;
    head->cols = stored->cols;
    head->stored = count;
    head->field = stored->values.kind == TULLE__RAW_FLOAT ? TULLE__REAL : TULLE__INTEGER;
    head->symmetry = TULLE__GENERAL;
    head->wide = stored->rows > INT32_MAX || stored->cols > INT32_MAX;
}

static tulle_status fill(tulle_ctx *cpu, const char *name, filling *f, tulle_file_info *info) {
    const int64_t count = f->entries->count;
    TULLE__TRY(tulle__entries_alloc(cpu, f->head, f->entries));
    const int threads = tulle__raw_threads(cpu, count);
    if (is_compressed(f->stored)) {
        fill_lines(f, threads);
    } else {
        fill_coordinates(f, threads);
    }
    if (f->bad < INT64_MAX) return bad_value(name, f);
    info->vanished = f->vanished;
    info->rounded = f->rounded;
    return tulle__progress(cpu, "reading", count, count);
}

/* Fails if memory has no room for the entries. The arrays that have been read prove the number of
 * entries, but an entry of a value of one byte and a column of four becomes sixteen bytes. */
static tulle_status check_room(const tulle_ctx *cpu, const char *name, const tulle__mtx_head *head,
                               int64_t count) {
    char words[TULLE__ROOM_TEXT];
    const double each = (head->wide ? 16 : 8) + (double)tulle_type_size(head->type);
    const tulle_status status = tulle__room_for(cpu, (double)count * each, words);
    if (status == TULLE_OK) return TULLE_OK;
    return tulle__fail_file(status, name, 0, "%lld entries take %s", (long long)count, words);
}

tulle_status tulle__stored_expand(tulle_ctx *cpu, const char *name, const tulle__stored *stored,
                                  tulle__mtx_head *head, tulle__entries *entries,
                                  tulle_file_info *info) {
    *entries = (tulle__entries){0};
    TULLE__TRY(check(cpu, name, stored));
    const int64_t count = used(stored) * stored->block_rows * stored->block_cols;
    describe(stored, count, head);
    TULLE__TRY(check_room(cpu, name, head, count));
    entries->count = count;
    filling f = {stored, head, entries, 0, 0, INT64_MAX};
    const tulle_status status = fill(cpu, name, &f, info);
    if (status != TULLE_OK) tulle__entries_free(cpu, entries);
    return status;
}
