/* SPDX-License-Identifier: Apache-2.0 */
/* CPU products of the formats that are laid out by rows, in chunks of positions that follow each
 * other: the part of such kernels that does not depend on the types. by_chunks.h has the rest. A
 * chunk's partial sums stay in the L1 cache while its slots are read in the order of memory. */
#ifndef TULLE_SPMV_CPU_CHUNKS_H
#define TULLE_SPMV_CPU_CHUNKS_H

/* Gathered numbers of x do not fit SSE2 (see csr.c), nor do they gain from AVX2: a gather of four
 * takes as long as four loads on the machines at hand. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-slp-vectorize")
#endif

#include "spmv/cpu/parts.h"
#include "spmv/cpu/threads.h"
#include "spmv/spmv.h"

/* Number of positions of a chunk, and room for more: a slice is never cut, and may have 1024. */
enum { TULLE__CHUNK = 512, TULLE__CHUNK_ROOM = 1024 };

/* Shape of a strip (strip.h). The sums of LANES rows stay in registers while DEPTH slots of these
 * rows are read; then the next LANES rows follow. Small numbers keep the streams that memory is
 * read in few. The rows of a strip of at most NARROW rows share no cache line with other rows, so
 * each is read to its end at once. */
enum { TULLE__LANES = 4, TULLE__DEPTH = 4, TULLE__NARROW = 8 };

static inline int64_t tulle__chunk_positions(const tulle__spmv_shape *shape) {
    if (shape->format != TULLE_SELL) return TULLE__CHUNK;
    int64_t slice = shape->storage->slice;
    return slice < TULLE__CHUNK ? TULLE__CHUNK / slice * slice : slice;
}

static inline int tulle__chunk_parts(const tulle__spmv_shape *shape) {
    return tulle__parts(shape->nnz, shape->cols);
}

/* The chunks of a part: every step-th from `first` on, before `end`. They are neighbours, so
 * that they use few columns; but where rows stand by length they are dealt out, so that parts
 * have as much to do. */
typedef struct tulle__chunk_share {
    int64_t first, step, end;
} tulle__chunk_share;

static inline tulle__chunk_share tulle__chunk_share_of(const tulle__spmv_shape *shape,
                                                       int64_t chunks, int part, int parts) {
    if (parts == 1) return (tulle__chunk_share){0, 1, chunks};
    if (shape->format == TULLE_JDS || shape->format == TULLE_JDS_ELL) {
        return (tulle__chunk_share){part, parts, chunks};
    }
    int64_t each = tulle__ceil_div(chunks, parts), end = (part + 1) * each;
    return (tulle__chunk_share){part * each, 1, end < chunks ? end : chunks};
}

static inline size_t tulle__chunk_workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    if (shape->trans == TULLE_N) return 0;
    return tulle__parts_workspace(shape, tulle__chunk_parts(shape), shape->cols);
}

/* Bytes when every entry fetches its number of x (A x) or updates its number of y (A^T x). */
static inline int64_t tulle__chunk_bytes(const tulle__spmv_shape *shape, const int *params,
                                         bool beta_zero) {
    int64_t value = tulle_type_size(shape->type), times = beta_zero ? 1 : 2;
    tulle_mat_lengths n = tulle__counts(shape->format, shape->rows, shape->cols, shape->storage);
    int64_t matrix =
        tulle__structure_bytes(&n, shape->index) + n.values * tulle__spmv_value_size(shape);
    if (shape->trans == TULLE_N) return matrix + (shape->nnz + times * shape->rows) * value;
    return matrix + (shape->rows + 2 * shape->nnz + times * shape->cols) * value +
           2 * (int64_t)tulle__chunk_workspace(shape, params);
}

/* Cost: a parallel region takes about ten microseconds, in which 200 kB move. One thread reaches
 * about a quarter of the bandwidth of all. */
static inline double tulle__stream_cost(const tulle__spmv_shape *shape, const int *params) {
    double all = (double)tulle__spmv_minimal_bytes(shape, true);
    if (shape->trans == TULLE_T && tulle__chunk_parts(shape) == 1) return 4 * all;
    return 200e3 + all + 2.0 * (double)tulle__chunk_workspace(shape, params);
}

/* Cost where the sums of a chunk are cleared, read and written once more, strip by strip: half a
 * nanosecond a row, in which 10 bytes move (docs/lab-notes.md, "CPU: slices of SELL"). */
static inline double tulle__chunk_cost(const tulle__spmv_shape *shape, const int *params) {
    double sums = shape->trans == TULLE_N ? 10.0 * (double)shape->rows : 0;
    return tulle__stream_cost(shape, params) + sums;
}

#endif
