/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the lines of PACKED from CSR, on the CPU, slice by slice. */
#include "core/context.h"
#include "core/threads/sizes.h"
#include "format/functions.h"
#include "format/packed.h"
#include "format/slots.h"

/* Number of slices that a thread takes at a time. */
enum { CHUNK = 8 };

/* The rows of a slice: the start in the CSR and the length of each. */
typedef struct slice_rows {
    int64_t begin[TULLE__LINE], length[TULLE__LINE], width;
} slice_rows;

static slice_rows rows_of(const tulle__pattern_view *csr, const tulle__pattern_view *laid,
                          int64_t s) {
    slice_rows r = {.width = 0};
    for (int lane = 0; lane < TULLE__LINE; lane++) {
        int64_t p = s * TULLE__LINE + lane;
        if (p >= csr->rows) continue;
        int64_t row = tulle__row_at(laid, p);
        r.begin[lane] = tulle__offset_at(csr, row);
        r.length[lane] = tulle__offset_at(csr, row + 1) - r.begin[lane];
        if (r.length[lane] > r.width) r.width = r.length[lane];
    }
    return r;
}

/* Reads the columns of line k; returns a bit for each lane that has an entry. */
static uint32_t read_line(const tulle__pattern_view *csr, const slice_rows *r, int64_t k,
                          int64_t cols[TULLE__LINE]) {
    uint32_t entries = 0;
    for (int lane = 0; lane < TULLE__LINE; lane++) {
        cols[lane] = 0;
        if (k >= r->length[lane]) continue;
        cols[lane] = tulle__col_at(csr, r->begin[lane] + k);
        entries |= 1u << lane;
    }
    return entries;
}

/* Chooses the kind of a line, which has at least one entry. */
static tulle__line judge(uint32_t entries, const int64_t cols[TULLE__LINE]) {
    int first = __builtin_ctz(entries);
    int64_t base = cols[first] - first, least = cols[first], most = cols[first];
    bool diagonal = true;
    for (int lane = first; lane < TULLE__LINE; lane++) {
        if (!(entries >> lane & 1u)) continue;
        if (cols[lane] - lane != base) diagonal = false;
        if (cols[lane] < least) least = cols[lane];
        if (cols[lane] > most) most = cols[lane];
    }
    return diagonal ? tulle__diagonal_line(base) : tulle__coded_line(least, most);
}

static int64_t pieces_of(const tulle__pattern_view *csr, const tulle__pattern_view *laid,
                         int64_t s) {
    slice_rows r = rows_of(csr, laid, s);
    int64_t cols[TULLE__LINE], pieces = 0;
    for (int64_t k = 0; k < r.width; k++) {
        uint32_t entries = read_line(csr, &r, k, cols);
        int kind = judge(entries, cols).kind;
        if (kind < 0) return TULLE__UNPACKABLE;
        pieces += tulle__code_bytes(kind);
    }
    return pieces;
}

static int threads_of(const tulle__place *place, const tulle__pattern_view *csr) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
}

tulle_status tulle__cpu_count_codes(const tulle__place *place, const tulle__pattern_view *csr,
                                    const tulle__pattern_view *laid, int64_t *places,
                                    int64_t *host_pieces) {
    int64_t slices = tulle__ceil_div(csr->rows, TULLE__LINE), sum = 0;
#pragma omp parallel for num_threads(threads_of(place, csr)) schedule(dynamic, CHUNK)
    for (int64_t s = 0; s < slices; s++) places[s] = pieces_of(csr, laid, s);
    for (int64_t s = 0; s < slices; s++) {
        int64_t pieces = places[s];
        places[s] = sum;
        sum += pieces;
    }
    places[slices] = sum;
    *host_pieces = sum;
    return TULLE_OK;
}

static void pack_slice(const tulle__pattern_view *csr, const tulle__pattern_view *laid, int64_t s,
                       int64_t place, const tulle__pattern_arrays *out) {
    slice_rows r = rows_of(csr, laid, s);
    int64_t cols[TULLE__LINE], first = tulle__offset_at(laid, s) / TULLE__LINE;
    uint32_t *mask = out->mask;
    for (int64_t k = 0; k < r.width; k++) {
        uint32_t entries = read_line(csr, &r, k, cols);
        tulle__line line = judge(entries, cols);
        tulle__put(out->cols_of, tulle_index_size(laid->index), first + k, line.base);
        mask[2 * (first + k)] = entries;
        mask[2 * (first + k) + 1] = tulle__line_word(line.kind > 0 ? place : 0, line.kind);
        for (int lane = 0; lane < TULLE__LINE && line.kind > 0; lane++) {
            bool is_entry = entries >> lane & 1u;
            uint32_t code = is_entry ? (uint32_t)(cols[lane] - line.base) : 0;
            tulle__code_put(out->codes, line.kind, place, lane, code);
        }
        place += tulle__code_bytes(line.kind);
    }
}

tulle_status tulle__cpu_pack_lines(const tulle__place *place, const tulle__pattern_view *csr,
                                   const tulle__pattern_view *laid, const int64_t *places,
                                   const tulle__pattern_arrays *out) {
    int64_t slices = tulle__ceil_div(csr->rows, TULLE__LINE);
#pragma omp parallel for num_threads(threads_of(place, csr)) schedule(dynamic, CHUNK)
    for (int64_t s = 0; s < slices; s++) pack_slice(csr, laid, s, places[s], out);
    return TULLE_OK;
}
