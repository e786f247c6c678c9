/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers of the formats are made of: a walk along a row, the slots of a row, what is to
 * be checked of arrays; and the plain way of each, which a format takes where it has none of its
 * own. Compiles as C17 and as CUDA C++. */
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

/* rows rounded up to whole warps, so that neighbouring diagonals and slots are aligned. */
TULLE_INLINE int64_t tulle__stride_of(int64_t rows) {
    return tulle__ceil_div(rows, 32) * 32;
}

SLOTS_FUNCTION int64_t tulle__offset_at(const tulle__pattern_view *v, int64_t i) {
    return tulle__get(v->offsets, tulle_offset_size(v->index), i);
}

SLOTS_FUNCTION int64_t tulle__col_at(const tulle__pattern_view *v, int64_t i) {
    return tulle__get(v->cols_of, tulle_index_size(v->index), i);
}

/* The row at position p. */
SLOTS_FUNCTION int64_t tulle__row_at(const tulle__pattern_view *v, int64_t p) {
    return v->order ? tulle__get(v->order, tulle_index_size(v->index), p) : p;
}

SLOTS_FUNCTION bool tulle__bit(const void *mask, int64_t i) {
    return ((const uint32_t *)mask)[i / 32] >> (i % 32) & 1u;
}

/* The first of count ascending indices, from `begin`, that is not below the number. */
SLOTS_FUNCTION int64_t tulle__lower_bound(const void *array, int64_t size, int64_t begin,
                                          int64_t count, int64_t number) {
    TULLE__LOWER_BOUND(begin, begin + count, i, tulle__get(array, size, i) < number);
    return begin;
}

/* A walk along the entries of the row at a position: NAME_next gives col and slot of each. It
 * starts as in ELL; NAME_start changes what is otherwise. */
typedef struct tulle__walk {
    int64_t p, row;
    int64_t k;        /* entries, or places that may hold one, so far */
    int64_t at, step; /* slot of place k: at + k * step */
    int64_t places;
    int64_t tail, tail_end; /* HYB, CSR+COO */
    int64_t col, slot;
} tulle__walk;

/* Place by place, until padding. */
SLOTS_FUNCTION bool tulle__plain_next(const tulle__pattern_view *v, tulle__walk *w) {
    if (w->k >= w->places) return false;
    w->slot = w->at + w->k * w->step;
    w->col = tulle__col_at(v, w->slot);
    w->k = w->col < 0 ? w->places : w->k + 1;
    return w->col >= 0;
}

/* Where the entries of a row of a CSR matrix go. It starts as in ELL; NAME_slots changes what is
 * otherwise. */
typedef struct tulle__row_slots {
    int64_t p, row;
    int64_t begin;       /* its first entry in the CSR */
    const void *clipped; /* HYB, CSR+COO: see layout_offsets in format/functions.h */
    int64_t at, step;    /* slot of entry k < width: at + k * step */
    int64_t width, tail; /* slot of the others: tail + k */
    int64_t first, end;  /* DIA, BSR: the diagonals, or the blocks of the block row */
    int64_t found;       /* the one of the entry before */
} tulle__row_slots;

/* Finds a diagonal or block that is there: mostly the last one or the next. */
SLOTS_FUNCTION int64_t tulle__find_slots(const tulle__pattern_view *v, tulle__row_slots *to,
                                         int64_t number) {
    int64_t size = tulle_index_size(v->index), behind = to->found + 2;
    for (; to->found < behind && to->found < to->end; to->found++) {
        if (tulle__get(v->cols_of, size, to->found) == number) return to->found;
    }
    to->found = tulle__lower_bound(v->cols_of, size, to->first, to->end - to->first, number);
    return to->found;
}

/* What arrays are as large as: NAME_counts changes what is otherwise than `stored` columns and
 * values.
 */
typedef struct tulle__extent {
    int64_t rows, cols;
    const tulle_storage *s;
} tulle__extent;

/* What arrays must be (format/faults.h); NAME_facts changes what is otherwise than in CSR. */
typedef struct tulle__facts {
    int64_t last;         /* the last offset */
    int64_t unit;         /* what offsets rise by a multiple of; 0: by what they like */
    bool slowing;         /* offsets never rise by more than before */
    bool compressed;      /* offsets rise, order ascends */
    bool by_rows;         /* indices are rows_of; else cols_of */
    int64_t least, end;   /* of the indices */
    int64_t padded_below; /* elements of the indices that may be -1 */
    bool ascending;       /* the indices ascend */
    int64_t positions;    /* with padding: more than there are rows where these are whole */
    bool tailed;          /* rows_of are the rows of a tail */
    bool coded;           /* mask says where codes are, too */
} tulle__facts;

/* Checks are run one after the other, and each may rely on those before it. */
enum {
    TULLE__CHECK_OFFSETS,
    TULLE__CHECK_ORDER,
    TULLE__CHECK_PERMUTATION, /* by positions, of which each row's first is at hand */
    TULLE__CHECK_CODES,
    TULLE__CHECK_INDICES,
    TULLE__CHECK_PADDING,
    TULLE__CHECK_TAIL,
    TULLE__CHECK_LENGTHS,
    TULLE__CHECK_MASK,
    TULLE__CHECKS
};

typedef struct tulle__fault {
    int kind; /* TULLE__BAD_... */
    int64_t value;
} tulle__fault;

SLOTS_FUNCTION tulle__fault tulle__fault_if(bool bad, int kind, int64_t value) {
    tulle__fault fault = {bad ? kind : (int)TULLE__BAD_NONE, value};
    return fault;
}

/* The plain fragments. NAME_slot finds the slot for an entry where steps do not tell; else -1.
 * NAME_fault checks in a way of the format's own; else false. */
#define tulle__plain_counts(extent, n) ((void)0)
#define tulle__plain_start(v, w) ((void)0)
#define tulle__plain_slots(v, to) ((void)0)
#define tulle__plain_slot(v, to, k, col) (-1)
#define tulle__plain_facts(v, f) ((void)0)
#define tulle__plain_fault(v, check, i, fault) (false)

#endif
