/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Matrix Market text: all threads turn pieces of the entries into text, which is written in
 * the order of the pieces. */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/access.h"
#include "core/search.h"
#include "io/file/decimal.h"
#include "io/file/save.h"

enum { PIECE = 1 << 14, ENTRY_ROOM = 2 * 20 + TULLE__NUMBER_ROOM + 3 };

typedef struct writer {
    tulle__saver *saver;
    int64_t done; /* number of entries that have been written */
    int64_t bad;  /* first row with a value that is not finite, or -1 */
    tulle_status status;
    tulle__trouble trouble;
    atomic_bool stop;
} writer;

/* A piece of the entries as text. */
typedef struct piece {
    char *text, *end;
    int64_t bad_row; /* first row of the piece with a value that is not finite, or -1 */
} piece;

static int64_t offset_at(const tulle__saver *s, int64_t row) {
    return s->about.index == TULLE_I32 ? ((const int32_t *)s->arrays.offsets)[row]
                                       : ((const int64_t *)s->arrays.offsets)[row];
}

static int64_t col_at(const tulle__saver *s, int64_t entry) {
    return s->about.index == TULLE_I64 ? ((const int64_t *)s->arrays.cols)[entry]
                                       : ((const int32_t *)s->arrays.cols)[entry];
}

/* Returns the number of rows that have offsets: for DCSR the rows that have entries. */
static int64_t positions(const tulle__saver *s) {
    return s->about.format == TULLE_DCSR ? s->about.storage.heads : s->about.rows;
}

static int64_t row_at(const tulle__saver *s, int64_t p) {
    if (!s->arrays.order) return p;
    return tulle__get(s->arrays.order, tulle_index_size(s->about.index), p);
}

/* Returns the position, in the offsets, of the row of an entry: the last row that starts at or
 * before the entry. */
static int64_t position_of(const tulle__saver *s, int64_t entry) {
    int64_t behind = 1;
    TULLE__LOWER_BOUND(behind, positions(s), p, offset_at(s, p) <= entry);
    return behind - 1;
}

/* Writes the value of an entry; NULL when it is not finite. */
static char *write_value(const tulle__saver *s, int64_t entry, char *text) {
    if (s->about.type == TULLE_F32) {
        const float value = ((const float *)s->arrays.values)[entry];
        return isfinite(value) ? tulle__write_f32(text, value) : NULL;
    }
    const double value = ((const double *)s->arrays.values)[entry];
    return isfinite(value) ? tulle__write_f64(text, value) : NULL;
}

static char *write_entry(const tulle__saver *s, int64_t row, int64_t entry, char *text) {
    text = tulle__write_integer(text, (uint64_t)row + 1);
    *text++ = ' ';
    text = tulle__write_integer(text, (uint64_t)col_at(s, entry) + 1);
    if (!s->options.pattern) {
        *text++ = ' ';
        text = write_value(s, entry, text);
        if (!text) return NULL;
    }
    *text++ = '\n';
    return text;
}

static void write_piece(const tulle__saver *s, int64_t begin, int64_t end, piece *p) {
    int64_t position = position_of(s, begin);
    char *text = p->text;
    p->bad_row = -1;
    for (int64_t entry = begin; entry < end; entry++) {
        while (offset_at(s, position + 1) <= entry) position++;
        const int64_t row = row_at(s, position);
        if (s->options.symmetric && col_at(s, entry) > row) continue;
        char *next = write_entry(s, row, entry, text);
        if (!next) {
            p->bad_row = row;
            break;
        }
        text = next;
    }
    p->end = text;
}

/* Writes a piece. One thread at a time calls this function, in the order of the pieces. */
static void put_piece(writer *w, const piece *p, int64_t entries) {
    tulle__saver *s = w->saver;
    if (atomic_load(&w->stop)) return;
    w->done += entries;
    w->bad = p->bad_row;
    bool good = p->bad_row < 0 &&
                tulle__sink_write(&s->sink, p->text, (size_t)(p->end - p->text), &w->trouble);
    if (good && omp_get_thread_num() == 0) {
        w->status = tulle__progress(s->cpu, "writing", w->done, s->about.nnz);
        good = w->status == TULLE_OK;
    }
    if (!good) atomic_store(&w->stop, true);
}

static void write_pieces(writer *w, int64_t pieces, int threads) {
    const tulle__saver *s = w->saver;
    const int64_t nnz = s->about.nnz;
#pragma omp parallel num_threads(threads)
    {
        void *text = NULL;
        if (tulle__alloc(s->cpu, (size_t)PIECE * ENTRY_ROOM, &text) != TULLE_OK) {
#pragma omp critical(tulle_writer_memory)
            tulle__note(&w->trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
            atomic_store(&w->stop, true);
        }
        piece p = {.text = text};
#pragma omp for ordered schedule(dynamic, 1)
        for (int64_t i = 0; i < pieces; i++) {
            const int64_t begin = i * PIECE, end = nnz - begin < PIECE ? nnz : begin + PIECE;
            if (!atomic_load(&w->stop)) write_piece(s, begin, end, &p);
#pragma omp ordered
            put_piece(w, &p, end - begin);
        }
        tulle__free(s->cpu, text);
    }
}

static int64_t count_lower(const tulle__saver *s) {
    int64_t count = 0;
    const int threads = s->about.nnz < PIECE ? 1 : s->cpu->place.threads;
#pragma omp parallel for num_threads(threads) reduction(+ : count)
    for (int64_t p = 0; p < positions(s); p++) {
        const int64_t end = offset_at(s, p + 1), row = row_at(s, p);
        for (int64_t i = offset_at(s, p); i < end; i++) count += col_at(s, i) <= row;
    }
    return count;
}

static bool write_comment(tulle__saver *s, tulle__trouble *trouble) {
    const char *line = s->options.comment;
    while (line && *line) {
        const size_t length = strcspn(line, "\n");
        if (!tulle__sink_write(&s->sink, "% ", 2, trouble) ||
            !tulle__sink_write(&s->sink, line, length, trouble) ||
            !tulle__sink_write(&s->sink, "\n", 1, trouble))
            return false;
        line += length;
        line += *line == '\n';
    }
    return true;
}

static bool write_head(tulle__saver *s, tulle__trouble *trouble) {
    char text[160];
    int length = snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s %s\n",
                          s->options.pattern ? "pattern" : "real",
                          s->options.symmetric ? "symmetric" : "general");
    if (!tulle__sink_write(&s->sink, text, (size_t)length, trouble)) return false;
    if (!write_comment(s, trouble)) return false;
    const int64_t stored = s->options.symmetric ? count_lower(s) : s->about.nnz;
    length = snprintf(text, sizeof text, "%lld %lld %lld\n", (long long)s->about.rows,
                      (long long)s->about.cols, (long long)stored);
    return tulle__sink_write(&s->sink, text, (size_t)length, trouble);
}

tulle_status tulle__mtx_write(tulle__saver *s) {
    writer w = {.saver = s, .bad = -1};
    const int64_t pieces = (s->about.nnz + PIECE - 1) / PIECE;
    const int threads = s->cpu->place.threads;
    if (write_head(s, &w.trouble))
        write_pieces(&w, pieces, pieces < threads ? (int)pieces + !pieces : threads);
    if (w.trouble.status != TULLE_OK) return tulle__fail_trouble(s->sink.path, &w.trouble);
    if (w.bad >= 0)
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_mat_save", "A", w.bad,
                           "row %lld has a value that is not finite, which Matrix Market cannot "
                           "hold; write the binary form (.tulle)",
                           (long long)w.bad);
    return w.status;
}
