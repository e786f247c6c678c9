/* SPDX-License-Identifier: Apache-2.0 */
/* The fragments that the headers of the formats consist of: a walk along a row, the slots of a row,
 * and the checks of arrays. There is a plain version of each, for formats without a version of
 * their own. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_FORMAT_PARTS_H
#define TULLE_FORMAT_PARTS_H

#include "core/access.h"
#include "core/search.h"
#include "format/view.h"
#include "tulle/matrix.h"

#if defined(__CUDACC__)
#define SLOTS_FUNCTION static __forceinline__ __host__ __device__
#else
#define SLOTS_FUNCTION static inline
#endif

TULLE_INLINE int64_t tulle__ceil_div(int64_t count, int64_t block) {
    return count / block + (count % block != 0);
}

/* Returns the rows rounded up to whole warps, so that neighbouring diagonals and slots are
 * aligned. */
TULLE_INLINE int64_t tulle__stride_of(int64_t rows) {
    return tulle__ceil_div(rows, 32) * 32;
}

SLOTS_FUNCTION int64_t tulle__offset_at(const tulle__pattern_view *v, int64_t i) {
    return tulle__get(v->offsets, tulle_offset_size(v->index), i);
}

SLOTS_FUNCTION int64_t tulle__col_at(const tulle__pattern_view *v, int64_t i) {
    return tulle__get(v->cols_of, tulle_index_size(v->index), i);
}

/* Returns the row at position p. */
SLOTS_FUNCTION int64_t tulle__row_at(const tulle__pattern_view *v, int64_t p) {
    return v->order ? tulle__get(v->order, tulle_index_size(v->index), p) : p;
}

SLOTS_FUNCTION bool tulle__bit(const void *mask, int64_t i) {
    return ((const uint32_t *)mask)[i / 32] >> (i % 32) & 1u;
}

/* Returns the first of count ascending indices, from `begin` on, that is not below the number. */
SLOTS_FUNCTION int64_t tulle__lower_bound(const void *array, int64_t size, int64_t begin,
                                          int64_t count, int64_t number) {
    TULLE__LOWER_BOUND(begin, begin + count, i, tulle__get(array, size, i) < number);
    return begin;
}

/* A walk along the entries of the row at a position: NAME_next sets col and slot for each entry.
 * The walk starts as in ELL; NAME_start changes it for other formats. */
typedef struct tulle__walk {
    int64_t p, row;
    int64_t k;        /* number of entries, or of places that may hold one, that have been passed */
    int64_t at, step; /* place k has slot at + k * step */
    int64_t places;
    int64_t tail, tail_end; /* HYB, CSR+COO: range of the row's entries in the tail */
    int64_t col, slot;
} tulle__walk;

/* Goes to the next place of the row; the walk ends at padding. */
SLOTS_FUNCTION bool tulle__plain_next(const tulle__pattern_view *v, tulle__walk *w) {
    if (w->k >= w->places) return false;
    w->slot = w->at + w->k * w->step;
    w->col = tulle__col_at(v, w->slot);
    w->k = w->col < 0 ? w->places : w->k + 1;
    return w->col >= 0;
}

/* The slots for the entries of a row of a CSR matrix. The slots are those of ELL at first;
 * NAME_slots changes them for other formats. */
typedef struct tulle__row_slots {
    int64_t p, row;
    int64_t begin;       /* first entry of the row in the CSR */
    const void *clipped; /* HYB, CSR+COO: see layout_offsets in format/functions.h */
    int64_t at, step;    /* entry k < width has slot at + k * step */
    int64_t width, tail; /* entry k >= width has slot tail + k */
    int64_t first, end;  /* DIA, BSR: range of the diagonals, or of the blocks of the block row */
    int64_t found;       /* DIA, BSR: diagonal or block of the previous entry */
} tulle__row_slots;

/* Returns the index of a diagonal or block, which must exist; mostly it is the last one found or
 * the next. */
SLOTS_FUNCTION int64_t tulle__find_slots(const tulle__pattern_view *v, tulle__row_slots *to,
                                         int64_t number) {
    int64_t size = tulle_index_size(v->index), behind = to->found + 2;
    for (; to->found < behind && to->found < to->end; to->found++) {
        if (tulle__get(v->cols_of, size, to->found) == number) return to->found;
    }
    to->found = tulle__lower_bound(v->cols_of, size, to->first, to->end - to->first, number);
    return to->found;
}

/* The numbers from which the lengths of arrays follow: `stored` columns and values, unless
 * NAME_counts changes that. */
typedef struct tulle__extent {
    int64_t rows, cols;
    const tulle_storage *s;
} tulle__extent;

/* Facts about the arrays of a layout, which format/faults.h checks. The facts are those of CSR,
 * unless NAME_facts changes them. */
typedef struct tulle__facts {
    int64_t last;         /* value of the last offset */
    int64_t unit;         /* number of which each rise of offsets is a multiple; 0: any rise */
    bool slowing;         /* true when offsets never rise by more than the time before */
    bool compressed;      /* true when offsets rise everywhere, and `order` ascends */
    bool by_rows;         /* true when the indices are rows_of; else they are cols_of */
    int64_t least, end;   /* range of the indices */
    int64_t padded_below; /* number of elements at the start of the indices that may be -1 */
    bool ascending;       /* true when the indices ascend */
    /* number of positions whose padding is checked; more than the rows where the last slice is
     * whole */
    int64_t positions;
    bool tailed; /* true when rows_of are the rows of a tail */
    bool coded;  /* true when the mask also has the places of codes */
} tulle__facts;

/* Checks, which are made one after the other; each may rely on those before it. */
enum {
    TULLE__CHECK_OFFSETS,
    TULLE__CHECK_ORDER,
    TULLE__CHECK_PERMUTATION, /* made by positions; the first position of each row is given */
    TULLE__CHECK_CODES,
    TULLE__CHECK_INDICES,
    TULLE__CHECK_PADDING,
    TULLE__CHECK_TAIL,
    TULLE__CHECK_LENGTHS,
    TULLE__CHECK_MASK,
    TULLE__CHECKS
};

typedef struct tulle__fault {
    int kind; /* kind of the fault: TULLE__BAD_... */
    int64_t value;
} tulle__fault;

SLOTS_FUNCTION tulle__fault tulle__fault_if(bool bad, int kind, int64_t value) {
    tulle__fault fault = {bad ? kind : (int)TULLE__BAD_NONE, value};
    return fault;
}

/* The plain fragments. NAME_slot returns the slot for an entry if steps do not determine it, else
 * -1. NAME_fault makes a check of the format's own and returns true, or returns false. */
#define tulle__plain_counts(extent, n) ((void)0)
#define tulle__plain_start(v, w) ((void)0)
#define tulle__plain_slots(v, to) ((void)0)
#define tulle__plain_slot(v, to, k, col) (-1)
#define tulle__plain_facts(v, f) ((void)0)
#define tulle__plain_fault(v, check, i, fault) (false)

#endif
