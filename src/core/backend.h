/* SPDX-License-Identifier: Apache-2.0 */
/* What a place where work runs must be able to do: one function table, filled by the CPU
 * (tulle__cpu_NAME, in .c files), by libtulle-cuda (tulle__cuda_NAME) and by libtulle-emu
 * (tulle__emu_NAME; both from the same .cu files). Adding a function: a row here, and one function
 * beside its operation in a .c and in a .cu file.
 *
 * All pointers are in the place's memory unless a name says host. Everything is in stream order;
 * "waits" means that the host waits for the result. */
#ifndef TULLE_CORE_BACKEND_H
#define TULLE_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tulle/context.h"
#include "tulle/matrix.h"
#include "tulle/status.h"
#include "tulle/types.h"

TULLE_BEGIN

/* A device, opened; each backend has its own struct. One for all contexts of the same device. */
typedef struct tulle__device tulle__device;

/* Where a function runs. */
typedef struct tulle__place {
    tulle__device *device;
    void *stream;   /* NULL on a CPU */
    int threads;    /* CPU threads; 1 on a GPU */
    tulle_ctx *ctx; /* for scratch: tulle__alloc and tulle__free, or services on a GPU */
} tulle__place;

/* What one pass over a pattern finds out: whether it is valid, and its statistics. Mirrors
 * tulle_mat_info. */
typedef struct tulle__stats {
    int64_t bad_row;   /* first row (COO: entry) at fault, or -1; offsets are judged before columns,
                          and in COO the row of an entry before its column */
    int64_t bad_value; /* the offset or index at fault, base 0 */
    int bad_kind;      /* TULLE__BAD_... */
    bool sorted;       /* neighbours never fall; equal ones (repeated entries) are fine */
    bool rising;       /* neighbours rise: sorted, and no entry is repeated */
    int64_t min_row, max_row, empty_rows, bandwidth;
    double mean_row, sd_row;
    int64_t row_histogram[33];
} tulle__stats;

enum {
    TULLE__BAD_NONE = 0,
    TULLE__BAD_FIRST_OFFSET, /* offsets[0] is not 0 */
    TULLE__BAD_FALLING,      /* offsets[bad_row + 1] < offsets[bad_row] */
    TULLE__BAD_LAST_OFFSET,  /* offsets[rows] is not nnz */
    TULLE__BAD_COLUMN,       /* a column of bad_row is out of range */
    TULLE__BAD_ROW,          /* the row index of entry bad_row is out of range */
    /* Formats other than COO and CSR; bad_row is an element of the array at fault, or a position.
     */
    TULLE__BAD_OFFSET,  /* offsets do not start at 0, fall, end elsewhere, or do not fit a slice */
    TULLE__BAD_INDEX,   /* cols: a column, block column or diagonal out of range */
    TULLE__BAD_PADDING, /* cols: an entry behind padding in its row */
    TULLE__BAD_ASCENT,  /* cols: diagonals, or block columns of a block row, do not ascend */
    TULLE__BAD_TAIL,    /* rows: a tail's row falls or is out of range */
    TULLE__BAD_ORDER,   /* order: no permutation of the rows */
    TULLE__BAD_LENGTH,  /* lengths: not the entries of the row */
    TULLE__BAD_MASK,    /* mask: a bit for a slot outside the matrix */
    TULLE__BAD_CODES    /* mask: codes of a line that lie outside codes */
};

/* A pattern, for functions that read one; tulle/formats.h says which arrays a format has. */
typedef struct tulle__pattern_view {
    int64_t rows, cols, nnz;
    tulle_format format;
    tulle_index index;
    const void *offsets, *rows_of, *cols_of, *order, *lengths, *mask, *codes;
    tulle_storage storage;
} tulle__pattern_view;

/* The arrays of a pattern in the making, for functions that fill them. */
typedef struct tulle__pattern_arrays {
    void *offsets, *rows_of, *cols_of, *order, *lengths, *mask, *codes;
} tulle__pattern_arrays;

/* Entries with explicit rows, to be put in CSR order: a stable sort by (row, column). */
typedef struct tulle__coo_to_csr {
    int64_t rows, cols, nnz;
    int64_t in_index_size; /* bytes of a row or column index given: 4 or 8 */
    tulle_index index;     /* of the result */
    tulle_type type;
    const void *rows_of, *cols_of;
    const void *values; /* NULL: no values (only with perm) */
    bool sum_duplicates;
    void *offsets;     /* out: rows + 1 */
    void *out_cols;    /* out: nnz (fewer are used when duplicates are summed) */
    void *out_values;  /* out: nnz; NULL: not wanted */
    void *perm;        /* out: nnz, where each entry came from, of type int64_t; NULL: not wanted;
                          never together with sum_duplicates */
    int64_t *host_nnz; /* out: entries of the result */
} tulle__coo_to_csr;

/* Cache lines that are touched; see matrix/lines.h. */
typedef struct tulle__lines tulle__lines;

/* Rows to be put in another order; see dense/gather.h. */
typedef struct tulle__gather tulle__gather;

/* A row-by-row generator with its numbers; see io/generator.h. */
typedef struct tulle__generator_args tulle__generator_args;

/* F(name, (arguments)); every function returns a tulle_status. */
#define TULLE__FUNCTIONS(F)                                                                        \
    /* src/gpu/runtime_*, src/core/cpu.c */                                                        \
    F(device_count, (int *count, const char **why_none))                                           \
    F(open, (int ordinal, tulle__device **device))                                                 \
    F(close, (tulle__device * device))                                                             \
    F(describe, (tulle__device * device, tulle_device_info * info))                                \
    F(allocate, (tulle__device * device, size_t bytes, void **pointer))                            \
    F(release, (tulle__device * device, void *pointer))                                            \
    F(stream_create, (tulle__device * device, void **stream))                                      \
    F(stream_destroy, (tulle__device * device, void *stream))                                      \
    F(stream_wait, (tulle__device * device, void *stream))                                         \
    F(copy, (const tulle__place *place, void *to, const void *from, size_t bytes))                 \
    F(set_bytes, (const tulle__place *place, void *to, int byte, size_t bytes))                    \
    F(event_create, (tulle__device * device, void **event))                                        \
    F(event_destroy, (tulle__device * device, void *event))                                        \
    F(event_record, (const tulle__place *place, void *event))                                      \
    F(event_between, (tulle__device * device, void *from, void *to, double *ms))                   \
    /* Whether the work before the event is done; does not wait. */                                \
    F(event_done, (tulle__device * device, void *event, bool *done))                               \
    F(flush_cache, (const tulle__place *place))                                                    \
    F(bandwidth, (const tulle__place *place, double *gbs))                                         \
    /* src/matrix: check.* (waits), csr.*, coo.* (waits), convert.* (to may be from where the      \
     * sizes agree) */                                                                             \
    F(check_pattern,                                                                               \
      (const tulle__place *place, const tulle__pattern_view *pattern, tulle__stats *host_stats))   \
    /* lines.* (waits): distinct lines that blocks of so many rows touch, summed */                \
    F(count_lines, (const tulle__place *place, const tulle__pattern_view *csr, tulle_type type,    \
                    int64_t rows_per_block, int64_t blocks, tulle__lines *host_lines))             \
    F(expand_offsets, (const tulle__place *place, const tulle__pattern_view *csr, void *rows_of))  \
    F(coo_to_csr, (const tulle__place *place, const tulle__coo_to_csr *job))                       \
    F(convert_indices, (const tulle__place *place, int64_t count, int64_t from_size,               \
                        const void *from, int64_t to_size, void *to, int64_t add))                 \
    F(convert_values, (const tulle__place *place, int64_t count, tulle_type from_type,             \
                       const void *from, tulle_type to_type, void *to))                            \
    F(gather_values, (const tulle__place *place, int64_t count, tulle_type type,                   \
                      const int64_t *perm, const void *from, void *to))                            \
    /* src/matrix: layout.*, fill.*, bsr.* (laid: rows, cols, format, index and storage of the     \
     * result, and what is filled of its arrays), walk.* */                                        \
    /* Rows by falling length within windows, stably: order[p], of the index type. */              \
    F(order_rows,                                                                                  \
      (const tulle__place *place, const tulle__pattern_view *csr, int64_t window, void *order))    \
    /* laid->format SELL, PACKED: where each slice starts, laid->order used. JDS: where each       \
     * diagonal starts, laid->order used. BSR: where each block row starts, the csr's columns      \
     * rising. HYB, CSR+COO: what rows + 1 offsets would be if no row had more than `width`        \
     * entries. host_last: the last offset (waits). */                                             \
    F(layout_offsets, (const tulle__place *place, const tulle__pattern_view *csr,                  \
                       const tulle__pattern_view *laid, void *offsets, int64_t *host_last))        \
    /* Ascending j - i of all entries, of the csr's index type; only counted where there are more  \
     * than `most` (waits). */                                                                     \
    F(find_diagonals, (const tulle__place *place, const tulle__pattern_view *csr, int64_t most,    \
                       void *diagonals, int64_t *host_count))                                      \
    /* How many blocks of each of TULLE__BLOCK_SIZES (matrix/counts.h) have entries, the csr's     \
     * columns rising and offsets[0] any number (waits). */                                        \
    F(count_blocks,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *csr, int64_t *host_counts))           \
    /* The block columns of each block row, for laid's offsets; the csr's columns rise. */         \
    F(list_blocks, (const tulle__place *place, const tulle__pattern_view *csr,                     \
                    const tulle__pattern_view *laid, void *cols_of))                               \
    /* Puts every entry of the CSR into its slot of values, and fills cols_of (all -1 before),     \
     * tails' rows_of, lengths, mask (all 0 before), but none that is NULL; for PACKED, all are.   \
     * clipped: for HYB and CSR+COO, see layout_offsets. */                                        \
    F(fill_layout, (const tulle__place *place, const tulle__pattern_view *csr, tulle_type type,    \
                    const void *csr_values, const tulle__pattern_view *laid, const void *clipped,  \
                    const tulle__pattern_arrays *out, void *values))                               \
    /* PACKED, from the rows of the CSR in laid's order. places: how many pieces of 32 bytes of    \
     * codes stand before each slice, and in all; a slice that cannot be packed counts as          \
     * TULLE__UNPACKABLE (waits). */                                                               \
    F(count_codes, (const tulle__place *place, const tulle__pattern_view *csr,                     \
                    const tulle__pattern_view *laid, int64_t *places, int64_t *host_pieces))       \
    /* Fills cols_of, mask and codes, whose order and offsets laid has. */                         \
    F(pack_lines,                                                                                  \
      (const tulle__place *place, const tulle__pattern_view *csr, const tulle__pattern_view *laid, \
       const int64_t *places, const tulle__pattern_arrays *out))                                   \
    /* Whether the arrays of a format other than COO and CSR are what tulle/formats.h says; fills  \
     * bad_row, bad_value and bad_kind (waits). */                                                 \
    F(check_layout,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *laid, tulle__stats *host_stats))      \
    /* The way back, for formats that walk.h can walk: rows + 1 offsets (waits); then the column   \
     * and the slot of each entry. */                                                              \
    F(walk_offsets, (const tulle__place *place, const tulle__pattern_view *laid, void *offsets,    \
                     int64_t *host_nnz))                                                           \
    F(walk_entries, (const tulle__place *place, const tulle__pattern_view *laid,                   \
                     const void *offsets, void *cols_of, int64_t *slots))                          \
    /* marks.*: of the offset type, see matrix/marks.h */                                          \
    F(mark_rows, (const tulle__place *place, const tulle__pattern_view *csr, void *marks))         \
    F(tile_csr, (const tulle__place *place, const tulle__pattern_view *csr, tulle_type type,       \
                 const void *values, int64_t copies, tulle_index index, void *offsets,             \
                 void *cols_of, void *out_values))                                                 \
    /* src/dense: dense.* */                                                                       \
    F(fill, (const tulle__place *place, tulle_type type, int64_t rows, int64_t cols, int64_t ld,   \
             tulle_layout layout, void *data, double value))                                       \
    F(random, (const tulle__place *place, tulle_type type, int64_t rows, int64_t cols, int64_t ld, \
               tulle_layout layout, void *data, uint64_t seed))                                    \
    F(gather_rows, (const tulle__place *place, const tulle__gather *job)) /* gather.* */           \
    /* src/io: generator.*; count: offsets[i + 1] := entries of row i, then a scan (waits) */      \
    F(generate_offsets, (const tulle__place *place, const tulle__generator_args *generator,        \
                         tulle_index index, void *offsets, int64_t *host_nnz))                     \
    F(generate_entries,                                                                            \
      (const tulle__place *place, const tulle__generator_args *generator, tulle_index index,       \
       tulle_type type, const void *offsets, void *cols_of, void *values))

struct tulle__spmv_kernel;

typedef struct tulle__backend {
    int abi; /* TULLE__ABI of the library that filled it */
    const struct tulle__spmv_kernel *const *spmv;
    int spmv_count;
#define F(name, arguments) tulle_status(*name) arguments;
    TULLE__FUNCTIONS(F)
#undef F
} tulle__backend;

/* Changes whenever a struct that crosses the libraries' border does. */
enum { TULLE__ABI = 4 };

/* What libtulle lends to a GPU library: the error record, scratch from a context's pool, progress.
 */
typedef struct tulle__services {
    tulle_status (*fail)(tulle_status status, const char *function, const char *argument,
                         int64_t row, const char *format, ...);
    tulle_status (*alloc)(tulle_ctx *ctx, size_t bytes, void **pointer);
    void (*free)(tulle_ctx *ctx, void *pointer);
    tulle_status (*progress)(tulle_ctx *ctx, const char *what, int64_t done, int64_t total);
} tulle__services;

/* The one symbol that libtulle-cuda (tulle__cuda_backend) and libtulle-emu (tulle__emu_backend)
 * export; a static build links them in. */
typedef const tulle__backend *(*tulle__backend_entry)(const tulle__services *services);

TULLE_END
#endif
