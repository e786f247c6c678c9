/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a matrix on the CPU: a pass over the rows, and one over the pairs of entries. */
#ifndef VALUE

#include <stdatomic.h>
#include <string.h>

#include "core/context.h"
#include "core/search.h"
#include "core/threads/sizes.h"
#include "matrix/alike.h"
#include "matrix/functions.h"

/* Number of rows that a thread takes at a time, and of entries by which it asks memory for mirror
 * images before it reads them. */
enum { BLOCK = 1024, AHEAD = 64 };

/* A job, the roots of |a_ii| of all rows, which the first pass fills, and what both have counted.
 */
typedef struct counting {
    const tulle__fact_job *job;
    tulle__fact_units units;
    int threads;
    int64_t ahead; /* number of rows by which mirror images are asked for before they are read */
    double *roots;
    atomic_bool unlike; /* true when the comparison is over before its end */
    tulle__fact_counts counts;
} counting;

/* Least size that is not 0 and greatest size of the entries so far. */
typedef struct sizes {
    double smallest, largest;
} sizes;

/* Sums along the entries off the diagonal of a row, and runs of neighbouring columns, the diagonal
 * among them; next: column after the last entry. */
typedef struct line {
    double sum, high, low;
    int64_t positive, runs, next;
} line;

/* Counts of the entries off the diagonal of one row; `same` counts pairs of equal entries, which
 * are mirrored, equal, alike and near. */
typedef struct pairs {
    int64_t same, mirrored, alike, near, opposite, indefinite;
} pairs;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t bits_of(double number) {
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void add_sizes(tulle__fact_counts *c, const sizes *s) {
    if (s->largest == 0) return;
    c->smallest = bits_of(s->smallest);
    c->largest = bits_of(s->largest);
}

static void merge(tulle__fact_counts *total, const tulle__fact_counts *part) {
    total->diagonal += part->diagonal;
    total->diagonal_zero += part->diagonal_zero;
    total->diagonal_positive += part->diagonal_positive;
    total->not_dominant += part->not_dominant;
    total->off_positive += part->off_positive;
    total->uneven += part->uneven;
    total->zeros += part->zeros;
    total->not_finite += part->not_finite;
    total->above += part->above;
    total->mirrored += part->mirrored;
    total->equal += part->equal;
    total->alike += part->alike;
    total->near += part->near;
    total->opposite += part->opposite;
    total->indefinite_pairs += part->indefinite_pairs;
    total->runs += part->runs;
    for (int b = 0; b < TULLE__FACT_BLOCK_COUNT; b++) {
        total->aside[b] += part->aside[b];
        total->pieces[b] += part->pieces[b];
    }
    total->empty_diagonal = least(total->empty_diagonal, part->empty_diagonal);
    if (part->bad < total->bad) {
        total->bad = part->bad;
        total->bad_row = part->bad_row;
        total->bad_col = part->bad_col;
    }
    total->smallest = least(total->smallest, part->smallest);
    if (part->largest > total->largest) total->largest = part->largest;
}

static void add_pairs(tulle__fact_counts *total, const pairs *found) {
    total->mirrored += found->mirrored + 2 * found->same;
    total->equal += 2 * found->same;
    total->alike += found->alike + 2 * found->same;
    total->near += found->near + 2 * found->same;
    total->opposite += found->opposite;
    total->indefinite_pairs += found->indefinite;
}

static void add_diagonal(tulle__fact_counts *c, double value) {
    c->diagonal++;
    c->diagonal_zero += value == 0;
    c->diagonal_positive += value > 0;
}

static void add_bad(tulle__fact_counts *c, int64_t entry, int64_t row, int64_t col) {
    c->not_finite++;
    if (entry >= c->bad) return;
    c->bad = entry;
    c->bad_row = row;
    c->bad_col = col;
}

/* Counts an entry off the diagonal that has no mirror image; returns true when it is near 0. */
static inline bool add_alone(const tulle__fact_units *units, double value, double mean,
                             pairs *found) {
    const bool alike = tulle__fact_alike(units, value, 0, mean);
    found->indefinite += tulle__fact_indefinite(units, value, mean);
    found->alike += alike;
    const bool near = alike || tulle__fact_near(value, 0, mean);
    found->near += near;
    return near;
}

/* Counts two entries that are mirror images; returns true when they are near. */
static inline bool add_pair(const tulle__fact_units *units, double value, double mirror,
                            double mean, pairs *found) {
    if (value == mirror) {
        found->same++;
        found->opposite += value == 0 ? 2 : 0;
        found->indefinite += 2 * tulle__fact_indefinite(units, value, mean);
        return true;
    }
    const bool alike = tulle__fact_alike(units, value, mirror, mean);
    const bool near = alike || tulle__fact_near(value, mirror, mean);
    found->mirrored += 2;
    found->alike += 2 * alike;
    found->near += 2 * near;
    found->opposite += 2 * (value == -mirror);
    found->indefinite +=
        tulle__fact_indefinite(units, value, mean) + tulle__fact_indefinite(units, mirror, mean);
    return near;
}

#define TULLE__SELF "matrix/facts_cpu.c"
#include "core/each_type.h"

tulle_status tulle__cpu_count_facts(const tulle__place *place, const tulle__fact_job *job,
                                    tulle__fact_counts *host_counts) {
    static void (*const count[2][3])(counting *) = TULLE__RUN_ALL(count);
    const tulle__pattern_view *csr = job->csr;
    size_t bytes;
    void *roots = NULL;
    TULLE__TRY(tulle__size(csr->rows, sizeof(double), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &roots));
    counting t = {.job = job,
                  .units = tulle__fact_units_of(job->type),
                  .threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz),
                  .ahead = 1 + AHEAD * csr->rows / (csr->rows + csr->nnz + 1),
                  .roots = roots,
                  .unlike = false,
                  .counts = tulle__fact_counts_start()};
    count[tulle__type_index(job->type)][csr->index](&t);
    *host_counts = t.counts;
    host_counts->unlike = t.unlike;
    tulle__free(place->ctx, roots);
    return TULLE_OK;
}

#else

/* Unsigned type of a column index; division of unsigned numbers is faster. */
#define NATURAL __typeof__(_Generic((INDEX)0, int32_t : (uint32_t)0, default : (uint64_t)0))

/* Counts the runs of neighbouring columns of a row that begin at no multiple of each block size. */
static void NAME(count_aside)(const tulle__pattern_view *csr, int64_t row,
                              tulle__fact_counts *counts) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    NATURAL next = (NATURAL)-1;
    int64_t of_2 = 0, of_3 = 0, of_5 = 0;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        const NATURAL j = (NATURAL)columns[k];
        of_2 += j != next && j % 2 != 0;
        of_3 += j != next && j % 3 != 0;
        of_5 += j != next && j % 5 != 0;
        next = j + 1;
    }
    counts->aside[0] += of_2;
    counts->aside[1] += of_3;
    counts->aside[2] += of_5;
}

/* Counts the blocks of columns in which a row has an entry. */
static void NAME(count_pieces)(const tulle__pattern_view *csr, int64_t row,
                               tulle__fact_counts *counts) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    NATURAL by_2 = (NATURAL)-1, by_3 = by_2, by_5 = by_2;
    int64_t of_2 = 0, of_3 = 0, of_5 = 0;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        const NATURAL j = (NATURAL)columns[k];
        of_2 += j / 2 != by_2;
        of_3 += j / 3 != by_3;
        of_5 += j / 5 != by_5;
        by_2 = j / 2;
        by_3 = j / 3;
        by_5 = j / 5;
    }
    counts->pieces[0] += of_2;
    counts->pieces[1] += of_3;
    counts->pieces[2] += of_5;
}

static void NAME(count_in_rows)(counting *t, void (*count_row)(const tulle__pattern_view *, int64_t,
                                                               tulle__fact_counts *)) {
    const tulle__pattern_view *csr = t->job->csr;
#pragma omp parallel num_threads(t->threads)
    {
        tulle__fact_counts part = tulle__fact_counts_start();
#pragma omp for schedule(dynamic, BLOCK) nowait
        for (int64_t row = 0; row < csr->rows; row++) count_row(csr, row, &part);
#pragma omp critical
        merge(&t->counts, &part);
    }
}

/* Bounds how full blocks are by the pieces of rows, where runs of neighbouring columns leave it
 * open: every entry counts as a piece elsewhere. Of N full blocks of b columns with m places empty,
 * m is at most a tenth of b^2 N and a ninth of the entries. A row of a block has one run, and one
 * more for each of its empty places: no more than (b N + m) / (b^2 N - m) of the entries begin a
 * run, which is 2/3 for b = 2, and less for larger b. A run that begins at no multiple of b has an
 * empty place of its block before it. */
static void NAME(bound_blocks)(counting *t) {
    const int64_t nnz = t->job->csr->nnz;
    for (int b = 0; b < TULLE__FACT_BLOCK_COUNT; b++) t->counts.pieces[b] = nnz;
    if (t->counts.runs / 2 > nnz / 3) return;
    NAME(count_in_rows)(t, NAME(count_aside));
    bool none = true;
    for (int b = 0; b < TULLE__FACT_BLOCK_COUNT; b++) none &= t->counts.aside[b] > nnz / 9;
    if (none) return;
    memset(t->counts.pieces, 0, sizeof t->counts.pieces);
    NAME(count_in_rows)(t, NAME(count_pieces));
}

/* Looks at the entries of a row one by one, where one of them is 0, Inf or NaN, or their sum is
 * beyond f64. */
static void NAME(look_at_entries)(const counting *t, int64_t row, sizes *s, tulle__fact_counts *c) {
    const OFFSET *offsets = t->job->csr->offsets;
    const INDEX *columns = t->job->csr->cols_of;
    const VALUE *values = t->job->values;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        const double size = fabs((double)values[k]);
        if (!(size <= DBL_MAX)) {
            add_bad(c, k, row, columns[k]);
            continue;
        }
        c->zeros += size == 0;
        if (size > s->largest) s->largest = size;
        if (size < s->smallest && size > 0) s->smallest = size;
    }
}

/* True for a row that has uneven entries besides those that are dust; high is its greatest size. */
static bool NAME(is_uneven)(const counting *t, int64_t row, double high) {
    const OFFSET *offsets = t->job->csr->offsets;
    const INDEX *columns = t->job->csr->cols_of;
    const VALUE *values = t->job->values;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
        const double size = fabs((double)values[k]);
        if (columns[k] == row || tulle__fact_dust(size, high)) continue;
        if (tulle__fact_uneven(size, high)) return true;
    }
    return false;
}

/* Looks at the entries of a row from number k on that are left of a column; returns the number of
 * the next one. */
static inline int64_t NAME(look_along)(const counting *t, int64_t k, int64_t end, int64_t column,
                                       line *found) {
    const INDEX *columns = t->job->csr->cols_of;
    const VALUE *values = t->job->values;
    line all = *found;
    for (; k < end && columns[k] < column; k++) {
        const double size = fabs((double)values[k]);
        all.runs += columns[k] != all.next;
        all.next = (int64_t)columns[k] + 1;
        all.sum += size;
        all.high = size > all.high ? size : all.high;
        all.low = size < all.low ? size : all.low;
        all.positive += values[k] > 0;
    }
    *found = all;
    return k;
}

static void NAME(look_at_row)(const counting *t, int64_t row, sizes *s, tulle__fact_counts *c) {
    const OFFSET *offsets = t->job->csr->offsets;
    const INDEX *columns = t->job->csr->cols_of;
    const VALUE *values = t->job->values;
    const int64_t begin = offsets[row], end = offsets[row + 1];
    double own = 0, smallest = INFINITY;
    line found = {.low = INFINITY, .next = -1};
    int64_t k = NAME(look_along)(t, begin, end, row, &found);
    if (k < end && columns[k] == row) {
        own = fabs((double)values[k]);
        smallest = own;
        add_diagonal(c, (double)values[k]);
        found.runs += row != found.next;
        found.next = row + 1;
        k++;
    }
    NAME(look_along)(t, k, end, t->job->csr->cols, &found);
    smallest = found.low < smallest ? found.low : smallest;
    if (found.sum + own <= DBL_MAX && smallest > 0) {
        const double largest = found.high > own ? found.high : own;
        s->largest = largest > s->largest ? largest : s->largest;
        s->smallest = smallest < s->smallest ? smallest : s->smallest;
    } else {
        NAME(look_at_entries)(t, row, s, c);
    }
    t->roots[row] = sqrt(own);
    if (own == 0 && row < c->empty_diagonal) c->empty_diagonal = row;
    c->not_dominant += !tulle__fact_dominant(&t->units, end - begin, own, found.sum);
    c->off_positive += found.positive;
    c->uneven += tulle__fact_uneven(found.low, found.high) && NAME(is_uneven)(t, row, found.high);
    c->runs += found.runs;
}

static void NAME(look_at_rows)(counting *t) {
    const int64_t rows = t->job->csr->rows;
#pragma omp parallel num_threads(t->threads)
    {
        tulle__fact_counts part = tulle__fact_counts_start();
        sizes of_part = {.smallest = INFINITY, .largest = 0};
#pragma omp for schedule(dynamic, BLOCK) nowait
        for (int64_t row = 0; row < rows; row++) NAME(look_at_row)(t, row, &of_part, &part);
        add_sizes(&part, &of_part);
#pragma omp critical
        merge(&t->counts, &part);
    }
}

/* Finds the place of entry (i, row), or -1. It is looked for first where it would be if the k-th
 * entry of a row were the k-th from the end in its mirror image, as in a stencil; then in steps
 * that do not depend on what is found, since a branch that is foreseen wrongly costs more. */
static inline int64_t NAME(find)(const OFFSET *offsets, const INDEX *columns, int64_t i,
                                 int64_t row, int64_t k) {
    int64_t at = offsets[i], left = offsets[i + 1] - at;
    if (k < left && columns[at + left - 1 - k] == row) return at + left - 1 - k;
    while (left > 1) {
        const int64_t half = left / 2;
        at += columns[at + half - 1] < row ? half : 0;
        left -= half;
    }
    return left == 1 && columns[at] == row ? at : -1;
}

/* Compares the entries of a row above the diagonal with their mirror images; returns false when
 * one is known not to be near. First it asks memory for the mirror images of a later row, where
 * they are in a stencil. */
static bool NAME(compare_above)(const counting *t, int64_t row, tulle__fact_counts *c) {
    const tulle__pattern_view *csr = t->job->csr;
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    const VALUE *values = t->job->values;
    const tulle__fact_units units = t->units;
    const int64_t begin = offsets[row];
    const double root = t->roots[row];
    const int64_t later = least(row + t->ahead, csr->rows - 1), start = offsets[later];
    pairs found = {0};
    bool all = true;
    for (int64_t k = (int64_t)offsets[later + 1] - 1; k >= start && columns[k] > later; k--) {
        const int64_t back = (int64_t)offsets[columns[k] + 1] - 1 - (k - start);
        __builtin_prefetch(columns + back);
        __builtin_prefetch(values + back);
    }
    int64_t k = offsets[row + 1];
    for (; k > begin && columns[k - 1] > row; k--) {
        const int64_t j = columns[k - 1], at = NAME(find)(offsets, columns, j, row, k - 1 - begin);
        const double value = (double)values[k - 1], mean = root * t->roots[j];
        all &= at < 0 ? add_alone(&units, value, mean, &found)
                      : add_pair(&units, value, (double)values[at], mean, &found);
    }
    add_pairs(c, &found);
    c->above += offsets[row + 1] - k;
    return all;
}

/* Compares the entries of a row below the diagonal that have no mirror image with 0; returns false
 * when one is not near. */
static bool NAME(compare_below)(const counting *t, int64_t row, tulle__fact_counts *c) {
    const tulle__pattern_view *csr = t->job->csr;
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    const VALUE *values = t->job->values;
    const int64_t begin = offsets[row], end = offsets[row + 1];
    pairs found = {0};
    bool all = true;
    for (int64_t k = begin; k < end && columns[k] < row; k++) {
        const int64_t j = columns[k];
        if (NAME(find)(offsets, columns, j, row, k - begin) >= 0) continue;
        all &= add_alone(&t->units, (double)values[k], t->roots[row] * t->roots[j], &found);
    }
    add_pairs(c, &found);
    return all;
}

static void NAME(compare)(counting *t,
                          bool (*compare_row)(const counting *, int64_t, tulle__fact_counts *)) {
    const int64_t rows = t->job->csr->rows;
#pragma omp parallel num_threads(t->threads)
    {
        tulle__fact_counts part = tulle__fact_counts_start();
#pragma omp for schedule(dynamic, BLOCK) nowait
        for (int64_t row = 0; row < rows; row++) {
            if (atomic_load_explicit(&t->unlike, memory_order_relaxed)) continue;
            if (!compare_row(t, row, &part) && !t->job->whole) {
                atomic_store_explicit(&t->unlike, true, memory_order_relaxed);
            }
        }
#pragma omp critical
        merge(&t->counts, &part);
    }
}

static void NAME(count)(counting *t) {
    NAME(look_at_rows)(t);
    NAME(bound_blocks)(t);
    if (!t->job->square) return;
    NAME(compare)(t, NAME(compare_above));
    const int64_t below = t->job->csr->nnz - t->counts.diagonal - t->counts.above;
    if (!t->unlike && 2 * below > t->counts.mirrored) NAME(compare)(t, NAME(compare_below));
}

#undef NATURAL
#endif
