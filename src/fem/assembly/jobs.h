/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the back ends' functions for elements. All arrays are in the place's memory. */
#ifndef TULLE_FEM_ASSEMBLY_JOBS_H
#define TULLE_FEM_ASSEMBLY_JOBS_H

#include "core/access.h"
#include "core/place.h"
#include "core/search.h"
#include "format/view.h"
#include "tulle/fem.h"

/* A list of the caller's becomes int32_t numbers of points; a point is a node, or, of an expanded
 * list, an unknown: number `node` of it gives `unknowns` neighbours. */
typedef struct tulle__points_job {
    int64_t count;     /* numbers given */
    int64_t nodes;     /* numbers are from -1 to below */
    int64_t size;      /* bytes of a number given: 4 or 8 */
    const void *list;  /* given */
    int unknowns;      /* neighbours made of a number */
    int32_t *points;   /* out: count * unknowns */
    int64_t *host_bad; /* out: the first place with a number out of range, or -1 */
} tulle__points_job;

/* A block of elements, for the functions that go through its pairs of points. Pair (e, i, j) has
 * number first_pair + (e * points + i) * points + j; place (e, i) likewise counts from first_place
 * on. */
typedef struct tulle__fem_block {
    int64_t count;
    int points;          /* number of points of an element */
    const int32_t *list; /* count * points; NULL once it is not needed any more */
    int64_t first_pair, first_place;
    int64_t first_number, first_of_vector; /* indices of the block's first numbers among the element
                                              matrices and vectors of all blocks */
    int64_t e_step, i_step, j_step; /* distances between the first numbers of neighbouring pairs:
                                       next element, next i, next j */
    int64_t e_vector, i_vector; /* distances between the first numbers of neighbouring places: next
                                   element, next i */
    int64_t r_step, c_step, r_vector; /* distances between the numbers of neighbouring unknowns of a
                                         pair, and of a place */
    int64_t numbers, of_vector; /* number of numbers of the caller's element matrices, and element
                                   vectors, of this block */
} tulle__fem_block;

/* All blocks of elements. */
typedef struct tulle__fem_blocks {
    int count;
    tulle__fem_block block[TULLE_ELEMENT_BLOCKS];
} tulle__fem_blocks;

/* The block that holds pair or place q. */
TULLE_INLINE int tulle__block_of_pair(const tulle__fem_blocks *all, int64_t q) {
    int b = 0;
    while (b + 1 < all->count && q >= all->block[b + 1].first_pair) b++;
    return b;
}
TULLE_INLINE int tulle__block_of_place(const tulle__fem_blocks *all, int64_t q) {
    int b = 0;
    while (b + 1 < all->count && q >= all->block[b + 1].first_place) b++;
    return b;
}

/* Returns the index of the first number of a pair, or of a place; pairs from `pairs` on have none.
 */
enum { TULLE__NO_NUMBER = -1 };
TULLE_INLINE int64_t tulle__number_of_pair(const tulle__fem_blocks *all, int64_t pairs, int64_t q) {
    if (q >= pairs) return TULLE__NO_NUMBER;
    const tulle__fem_block *b = &all->block[tulle__block_of_pair(all, q)];
    const int64_t cells = (int64_t)b->points * b->points, pair = q - b->first_pair;
    const int64_t e = pair / cells, ij = pair % cells;
    return b->first_number + e * b->e_step + ij / b->points * b->i_step +
           ij % b->points * b->j_step;
}
TULLE_INLINE int64_t tulle__number_of_place(const tulle__fem_blocks *all, int64_t q) {
    const tulle__fem_block *b = &all->block[tulle__block_of_place(all, q)];
    const int64_t place = q - b->first_place;
    return b->first_of_vector + place / b->points * b->e_vector + place % b->points * b->i_vector;
}

/* The row and the column of each pair. Pairs with a point that is left out are in row `points`. */
typedef struct tulle__pairs_job {
    const tulle__fem_block *block;
    int64_t points;             /* number of rows */
    int32_t *rows_of, *cols_of; /* out: rows and columns of pairs, from first_pair on; of places,
                                   whose columns are 0, from first_place on */
    const uint8_t *masked; /* used for diagonals alone: `unknowns` flags of each point; block is
                              then not read */
    int unknowns;
    int64_t first; /* used for diagonals alone: index in rows_of and cols_of at which they begin */
} tulle__pairs_job;

TULLE_INLINE int32_t tulle__point_of(const tulle__points_job *job, int64_t node, int r) {
    return node < 0 || node >= job->nodes ? -1 : (int32_t)(node * job->unknowns + r);
}

/* Pair or place q of points i and j, either of which may be left out. */
TULLE_INLINE void tulle__put_pair(const tulle__pairs_job *job, int64_t q, int32_t i, int32_t j) {
    const bool there = i >= 0 && j >= 0;
    job->rows_of[q] = there ? i : (int32_t)job->points;
    job->cols_of[q] = there ? j : 0;
}

TULLE_INLINE bool tulle__is_any_masked(const tulle__pairs_job *job, int64_t point) {
    for (int r = 0; r < job->unknowns; r++) {
        if (job->masked[point * job->unknowns + r]) return true;
    }
    return false;
}

/* Pairs that are sorted by row and column, and what entries they make. */
typedef struct tulle__entries_job {
    const tulle__fem_blocks *blocks;
    int64_t pairs;  /* number of pairs with numbers; the other pairs are diagonal entries that the
                       pattern must have */
    int64_t sorted; /* number of pairs that are in a row */
    int64_t rows;
    const int64_t *starts;  /* rows + 1: index in the sorted pairs at which each row begins */
    const int32_t *cols_of; /* column of each sorted pair */
    const int64_t *order;   /* number of each sorted pair */
    int64_t *entry_of; /* sorted + 1: number of entries that begin before each sorted pair, and at
                          last of all entries */
    int64_t *host_entries; /* out: number of all entries */
    /* The members below belong to write_entries. */
    tulle_index index;
    void *offsets, *cols; /* offsets and columns of the CSR */
    bool wide;            /* true: ends and from have 64 bits; false: 32 */
    void *ends, *from;    /* entry k adds the numbers from[ends[k]] to before from[ends[k + 1]] */
} tulle__entries_job;

/* Sorted pair t, and its entry where it is the first of one. */
TULLE_INLINE void tulle__write_entry(const tulle__entries_job *job, int64_t t) {
    const int64_t size = job->wide ? 8 : 4, entry = job->entry_of[t];
    tulle__put(job->from, size, t, tulle__number_of_pair(job->blocks, job->pairs, job->order[t]));
    if (job->entry_of[t + 1] == entry) return;
    tulle__put(job->cols, tulle_index_size(job->index), entry, job->cols_of[t]);
    tulle__put(job->ends, size, entry, t);
}

TULLE_INLINE void tulle__write_offset(const tulle__entries_job *job, int64_t row) {
    const int64_t begins = job->starts[row], entry = job->entry_of[begins];
    tulle__put(job->offsets, tulle_offset_size(job->index), row, entry);
    if (row == job->rows) tulle__put(job->ends, job->wide ? 8 : 4, entry, begins);
}

/* A visit is a place of a point in an element, seen from the point's row: a row of points of the
 * element matrix comes to the row's entries at certain positions. An entry adds what visits bring
 * in their order, which is that of its contributions, if an element has no point twice. */
enum {
    TULLE__VISIT_NOWHERE = 255,  /* position of a point that is left out or does not exist */
    TULLE__VISIT_COLUMNS = 32,   /* most columns of an element matrix, and lanes of a warp */
    TULLE__VISIT_UNKNOWNS = 3,   /* largest number of unknowns of a point */
    TULLE__VISIT_ROOM = 24 << 10 /* largest number of bytes of a warp's rows */
};

/* Lanes that share a row: a power of two, one for each column of an element matrix. */
TULLE_INLINE int tulle__team_of(int columns) {
    int team = 1;
    while (team < columns) team *= 2;
    return team;
}

/* Visits, by row. */
typedef struct tulle__visits_job {
    const tulle__fem_blocks *blocks;
    int64_t visits;
    const int64_t *order;    /* place of each visit */
    tulle__pattern_view csr; /* pattern of points */
    int width;               /* number of positions of a visit: one for each point of its element */
    bool wide;               /* the numbers have 64 bits, else 32 */
    void *from;              /* out: of each visit, the first number of its row of points */
    uint8_t *positions;      /* out: visits x width */
    bool *host_twice;        /* out: an element has a point twice */
} tulle__visits_job;

/* Returns the position of a point in its row, which has 255 entries at most, and the point. */
TULLE_INLINE int tulle__position_of(const tulle__visits_job *job, int64_t row, int32_t point) {
    const int64_t size = tulle_index_size(job->csr.index);
    const int64_t offset = tulle_offset_size(job->csr.index);
    const int64_t begin = tulle__get(job->csr.offsets, offset, row);
    int64_t low = begin, high = tulle__get(job->csr.offsets, offset, row + 1);
    TULLE__LOWER_BOUND(low, high, k, tulle__get(job->csr.cols_of, size, k) < point);
    return (int)(low - begin);
}

/* Writes visit v; returns true when its element has the row's point twice. */
TULLE_INLINE bool tulle__write_visit(const tulle__visits_job *job, int64_t v) {
    const int64_t q = job->order[v];
    const tulle__fem_block *b = &job->blocks->block[tulle__block_of_place(job->blocks, q)];
    const int64_t e = (q - b->first_place) / b->points, i = (q - b->first_place) % b->points;
    const int32_t *list = b->list + e * b->points, row = list[i];
    int same = 0;
    tulle__put(job->from, job->wide ? 8 : 4, v, b->first_number + e * b->e_step + i * b->i_step);
    for (int j = 0; j < job->width; j++) {
        const bool there = j < b->points && list[j] >= 0;
        same += there && list[j] == row;
        job->positions[v * job->width + j] =
            (uint8_t)(there ? tulle__position_of(job, row, list[j]) : TULLE__VISIT_NOWHERE);
    }
    return same > 1;
}

/* Numbers of places that are sorted by row. */
typedef struct tulle__places_job {
    const tulle__fem_blocks *blocks;
    int64_t sorted, rows;
    const int64_t *starts, *order;
    bool wide;
    void *ends, *from;
} tulle__places_job;

TULLE_INLINE void tulle__write_place(const tulle__places_job *job, int64_t t) {
    tulle__put(job->from, job->wide ? 8 : 4, t, tulle__number_of_place(job->blocks, job->order[t]));
}

/* The masked rows and columns of an entry, or block. Bit r: row r is masked; bit TULLE__MASKED_COLS
 * + c: column c is; the last bit: it stands on the diagonal. */
enum { TULLE__MASKED_COLS = 6, TULLE__MASKED_DIAGONAL = 12 };

/* The entries, or blocks, that a mask changes. */
typedef struct tulle__masked_job {
    tulle__pattern_view csr; /* pattern of points */
    const void *rows_of;     /* row of each entry, of csr's index type */
    const uint8_t *masked;   /* `unknowns` flags of each point */
    int unknowns;
    int64_t ell_stride;    /* slots are those of ELL; 0: entries are slots */
    int64_t *count_before; /* csr.nnz + 1: number of masked entries before each entry */
    int64_t *host_count;   /* out of count_masked: number of masked entries */
    int64_t *slots;        /* out of list_masked: slots of the masked entries */
    uint16_t *what;
} tulle__masked_job;

/* The masked rows and columns of entry k. */
TULLE_INLINE unsigned tulle__mask_of(const tulle__masked_job *job, int64_t k) {
    const int64_t size = tulle_index_size(job->csr.index);
    const int64_t row = tulle__get(job->rows_of, size, k),
                  col = tulle__get(job->csr.cols_of, size, k);
    unsigned what = 0;
    for (int r = 0; r < job->unknowns; r++) {
        what |= (unsigned)(job->masked[row * job->unknowns + r] != 0) << r;
        what |= (unsigned)(job->masked[col * job->unknowns + r] != 0) << (TULLE__MASKED_COLS + r);
    }
    return what && row == col ? what | 1u << TULLE__MASKED_DIAGONAL : what;
}

TULLE_INLINE void tulle__list_masked_entry(const tulle__masked_job *job, int64_t k) {
    const int64_t to = job->count_before[k];
    if (to == job->count_before[k + 1]) return;
    const int64_t size = tulle_index_size(job->csr.index), row = tulle__get(job->rows_of, size, k);
    const int64_t first = tulle__get(job->csr.offsets, tulle_offset_size(job->csr.index), row);
    job->slots[to] = job->ell_stride > 0 ? (k - first) * job->ell_stride + row : k;
    job->what[to] = (uint16_t)tulle__mask_of(job, k);
}

/* The first number of a block of elements in memory, and the layout of all of them. */
typedef struct tulle__fem_source {
    const void *values;
    int64_t first;          /* number that values[0] has */
    int64_t r_step, c_step; /* distances of neighbouring unknowns of a pair, in the same matrix */
    int64_t j_step;         /* distance of neighbouring pairs */
} tulle__fem_source;

/* y := sums of numbers of elements + beta y. */
typedef struct tulle__sums_job {
    tulle_type type;
    tulle_scalar beta;
    int64_t items;  /* entries, blocks, or points */
    int rows, cols; /* numbers of each: rows x cols */
    bool wide;      /* true: ends and from have 64 bits; false: 32 (tulle__entries_job) */
    const void *ends, *from;
    int sources;
    tulle__fem_source source[TULLE_ELEMENT_BLOCKS];
    void *values; /* y: number (r, c) of item k at ((k * rows + r) * cols + c) * step */
    int64_t step;
    const uint8_t *masked; /* numbers of y that become 0; NULL: none */
    /* The members below are used for ELL alone: entry k of row i is the item offsets[i] + k, and
     * stands at k * stride + i. */
    int64_t ell_rows, stride;
    tulle_index index;   /* index type, which gives the type of the offsets */
    const void *offsets; /* offsets of an ELL's rows; NULL: not ELL */
} tulle__sums_job;

/* The block that a number of the list is in. */
TULLE_INLINE const tulle__fem_source *tulle__source_of(const tulle__sums_job *job, int64_t from) {
    int s = 0;
    while (s + 1 < job->sources && from >= job->source[s + 1].first) s++;
    return &job->source[s];
}

/* y := sums of numbers of elements + beta y, by visits; y is CSR, BSR or ELL. */
typedef struct tulle__row_sums_job {
    tulle_type type;
    tulle_scalar beta;
    int64_t rows;     /* number of rows of points */
    int64_t longest;  /* largest number of entries of a row */
    int unknowns;     /* number of unknowns of a point */
    bool wide_ends;   /* 64 bits, else 32 */
    const void *ends; /* rows + 1: first visit of each row */
    int width;
    bool wide; /* true: from has 64 bits; false: 32; from and positions are those of
                  tulle__visits_job */
    const void *from;
    const uint8_t *positions;
    int sources;
    tulle__fem_source source[TULLE_ELEMENT_BLOCKS];
    tulle_index index;   /* index type, which gives the type of the offsets */
    const void *offsets; /* first entry of each row */
    int64_t stride;      /* ELL: entry k of row i stands at k * stride + i; other formats: 0 */
    void *values;        /* y: the cells of an entry follow each other */
} tulle__row_sums_job;

/* The block that a number is in. */
TULLE_INLINE const tulle__fem_source *tulle__source_of_row(const tulle__row_sums_job *job,
                                                           int64_t from) {
    int s = 0;
    while (s + 1 < job->sources && from >= job->source[s + 1].first) s++;
    return &job->source[s];
}

/* Masked entries become 0, but for those on the diagonal, which stay; what is 0 there becomes the
 * largest magnitude that stands on the diagonal of masked rows, or 1 where all of that is 0. */
typedef struct tulle__mask_job {
    tulle_type type;
    int64_t count;
    const int64_t *slots;
    const uint16_t *what;
    int unknowns;
    void *values;
    unsigned *zeros; /* a word that is 0 between calls; nonzero when some diagonal entry is 0 */
} tulle__mask_job;

/* Number (r, c) of a masked entry. */
TULLE_INLINE bool tulle__is_masked(unsigned what, int r, int c) {
    return (what >> r & 1u) || (what >> (TULLE__MASKED_COLS + c) & 1u);
}
TULLE_INLINE bool tulle__is_masked_diagonal(unsigned what, int r, int c) {
    return r == c && (what >> TULLE__MASKED_DIAGONAL & 1u) && (what >> r & 1u);
}

/* Number i of a list of 64, or else 32, bits. */
TULLE_INLINE int64_t tulle__listed(const void *list, bool wide, int64_t i) {
    return wide ? ((const int64_t *)list)[i] : (int64_t)((const uint32_t *)list)[i];
}

TULLE_INLINE double tulle__number_at(tulle_type type, const void *numbers, int64_t at) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[at] : ((const double *)numbers)[at];
}
TULLE_INLINE void tulle__put_number(tulle_type type, void *numbers, int64_t at, double number) {
    if (type == TULLE_F32) {
        ((float *)numbers)[at] = (float)number;
    } else {
        ((double *)numbers)[at] = number;
    }
}

/* Returns the larger magnitude; a NaN counts as none. */
TULLE_INLINE double tulle__larger(double largest, double number) {
    const double size = number < 0 ? -number : number;
    return size > largest ? size : largest;
}

/* A diagonal entry, or the number that stands for it where no element adds to it. */
TULLE_INLINE double tulle__scale_of(double number, double largest) {
    if (number != 0) return number;
    return largest > 0 ? largest : 1;
}

/* Masks entry, or block, k; returns true when it has a 0 on the diagonal. */
TULLE_INLINE bool tulle__mask_entry(const tulle__mask_job *job, int64_t k) {
    const unsigned what = job->what[k];
    const int b = job->unknowns;
    bool zero = false;
    for (int rc = 0; rc < b * b; rc++) {
        const int r = rc / b, c = rc % b;
        const int64_t at = job->slots[k] * b * b + rc;
        if (tulle__is_masked_diagonal(what, r, c)) {
            zero = zero || tulle__number_at(job->type, job->values, at) == 0;
        } else if (tulle__is_masked(what, r, c)) {
            tulle__put_number(job->type, job->values, at, 0);
        }
    }
    return zero;
}

/* The first returns the largest magnitude of the masked diagonal entries of k and of `largest`; the
 * second puts `largest` where these entries are 0. */
TULLE_INLINE double tulle__masked_largest(const tulle__mask_job *job, int64_t k, double largest) {
    const int b = job->unknowns;
    for (int r = 0; r < b; r++) {
        const int64_t at = job->slots[k] * b * b + (int64_t)r * (b + 1);
        if (!tulle__is_masked_diagonal(job->what[k], r, r)) continue;
        largest = tulle__larger(largest, tulle__number_at(job->type, job->values, at));
    }
    return largest;
}
TULLE_INLINE void tulle__put_largest(const tulle__mask_job *job, int64_t k, double largest) {
    const int b = job->unknowns;
    for (int r = 0; r < b; r++) {
        const int64_t at = job->slots[k] * b * b + (int64_t)r * (b + 1);
        if (!tulle__is_masked_diagonal(job->what[k], r, r)) continue;
        const double number = tulle__number_at(job->type, job->values, at);
        tulle__put_number(job->type, job->values, at, tulle__scale_of(number, largest));
    }
}

/* Factors of x that masked rows get in addition to the sums of elements, whose diagonal entry is
 * diagonal[row]. A factor is not 0 where this entry is 0, by the rule of tulle__mask_job; so no
 * masked row has a 0 on the diagonal. */
typedef struct tulle__scales_job {
    tulle_type type;
    int64_t count;
    const int32_t *rows;  /* the masked rows */
    const void *diagonal; /* diagonal entry of each row */
    void *scales;         /* out: factor of each masked row */
} tulle__scales_job;

TULLE_INLINE double tulle__row_diagonal(const tulle__scales_job *job, int64_t k) {
    return tulle__number_at(job->type, job->diagonal, job->rows[k]);
}
TULLE_INLINE void tulle__put_scale(const tulle__scales_job *job, int64_t k, double largest) {
    const double number = tulle__row_diagonal(job, k);
    tulle__put_number(job->type, job->scales, k, number == 0 ? tulle__scale_of(0, largest) : 0);
}

#endif
