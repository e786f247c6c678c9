/* SPDX-License-Identifier: Apache-2.0 */
/* Finds faults in the arrays of a layout. Each element is checked by itself, so that any number
 * of threads can check; the fault with the lowest element is reported. The facts of a format
 * tell how its arrays must be, and some formats have checks of their own. Compiles as C17 and as
 * CUDA C++. */
#ifndef TULLE_FORMAT_FAULTS_H
#define TULLE_FORMAT_FAULTS_H

#include "format/slots.h"

SLOTS_FUNCTION tulle__facts tulle__facts_of(const tulle__pattern_view *v) {
    tulle__facts f = {v->storage.stored, 0, false, false, false, 0,
                      v->cols,           0, false, 0,     false, false};
    switch (v->format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        tulle__##name##_facts(v, &f);                                                              \
        break;
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return f;
}

SLOTS_FUNCTION bool tulle__own_fault(const tulle__pattern_view *v, int check, int64_t i,
                                     tulle__fault *fault) {
    switch (v->format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        return tulle__##name##_fault(v, check, i, fault);
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return false;
}

/* Returns the most by which the offset behind offset i may be larger. */
SLOTS_FUNCTION int64_t tulle__most_rise(const tulle__pattern_view *v, const tulle__facts *f,
                                        int64_t i) {
    if (!f->slowing) return INT64_MAX;
    if (i == 0) return v->rows;
    int64_t before = tulle__offset_at(v, i - 1);
    return before < 0 ? 0 : tulle__offset_at(v, i) - before;
}

SLOTS_FUNCTION tulle__fault tulle__offset_fault(const tulle__pattern_view *v, const tulle__facts *f,
                                                int64_t i, int64_t last) {
    int64_t here = tulle__offset_at(v, i);
    if (i == 0 && here != 0) return tulle__fault_if(true, TULLE__BAD_OFFSET, here);
    if (i == last) return tulle__fault_if(here != f->last, TULLE__BAD_OFFSET, here);
    int64_t next = tulle__offset_at(v, i + 1);
    if (here < 0 || next < here) return tulle__fault_if(true, TULLE__BAD_OFFSET, next);
    bool odd = (f->unit > 0 && (next - here) % f->unit != 0) || (f->compressed && next == here);
    return tulle__fault_if(odd || next - here > tulle__most_rise(v, f, i), TULLE__BAD_OFFSET, next);
}

SLOTS_FUNCTION tulle__fault tulle__order_fault(const tulle__pattern_view *v, const tulle__facts *f,
                                               int64_t p) {
    int64_t row = tulle__row_at(v, p);
    bool falls = f->compressed && p > 0 && tulle__row_at(v, p - 1) >= row;
    return tulle__fault_if(row < 0 || row >= v->rows || falls, TULLE__BAD_ORDER, row);
}

/* Checks one index: a column, row (CSC), block column or diagonal. */
SLOTS_FUNCTION tulle__fault tulle__index_fault(const tulle__pattern_view *v, const tulle__facts *f,
                                               int64_t i) {
    int64_t size = tulle_index_size(v->index);
    const void *array = f->by_rows ? v->rows_of : v->cols_of;
    int64_t here = tulle__get(array, size, i), least = i < f->padded_below ? -1 : f->least;
    if (here < least || here >= f->end) return tulle__fault_if(true, TULLE__BAD_INDEX, here);
    bool falls = f->ascending && i > 0 && tulle__get(array, size, i - 1) >= here;
    return tulle__fault_if(falls, TULLE__BAD_ASCENT, here);
}

/* Checks that a row has its entries before its padding, and that positions without a row have no
 * entries. */
SLOTS_FUNCTION tulle__fault tulle__padding_fault(const tulle__pattern_view *v,
                                                 const tulle__facts *f, int64_t p) {
    tulle__pattern_view places = *v;
    places.order = NULL;
    tulle__walk w = tulle__walk_start(&places, p);
    bool ended = p >= v->rows;
    for (int64_t k = 0; k < w.places; k++) {
        int64_t slot = w.at + k * w.step;
        int64_t col = f->coded ? tulle__packed_col(v, slot) : tulle__col_at(v, slot);
        if (ended && col >= 0) return tulle__fault_if(true, TULLE__BAD_PADDING, col);
        ended = ended || col < 0;
    }
    return tulle__fault_if(false, TULLE__BAD_PADDING, 0);
}

SLOTS_FUNCTION tulle__fault tulle__tail_fault(const tulle__pattern_view *v, int64_t t) {
    int64_t size = tulle_index_size(v->index), row = tulle__get(v->rows_of, size, t);
    bool falls = t > 0 && tulle__get(v->rows_of, size, t - 1) > row;
    return tulle__fault_if(falls || row < 0 || row >= v->rows, TULLE__BAD_TAIL, row);
}

/* Returns the number of elements that a check looks at; 0 if the format has nothing to check. */
TULLE_INLINE int64_t tulle__check_count(const tulle__pattern_view *v, int check) {
    tulle_mat_lengths n = tulle__counts(v->format, v->rows, v->cols, &v->storage);
    tulle__facts f = tulle__facts_of(v);
    switch (check) {
        case TULLE__CHECK_OFFSETS:
            return n.offsets;
        case TULLE__CHECK_ORDER:
            return n.order;
        case TULLE__CHECK_PERMUTATION:
            return f.compressed ? 0 : n.order;
        case TULLE__CHECK_CODES:
            return f.coded ? n.mask : 0;
        case TULLE__CHECK_INDICES:
            return f.by_rows ? n.rows : n.cols;
        case TULLE__CHECK_PADDING:
            return f.positions;
        case TULLE__CHECK_TAIL:
            return f.tailed ? n.rows : 0;
        case TULLE__CHECK_LENGTHS:
            return n.lengths;
        default:
            return f.coded ? 0 : n.mask;
    }
}

/* Returns the fault of element i in a check. firsts: first position of each row, for the
 * permutation. last: the last element of the check. */
SLOTS_FUNCTION tulle__fault tulle__fault_at(const tulle__pattern_view *v, int check,
                                            const int64_t *firsts, int64_t i, int64_t last) {
    tulle__facts f = tulle__facts_of(v);
    tulle__fault own = tulle__fault_if(false, TULLE__BAD_NONE, 0);
    if (tulle__own_fault(v, check, i, &own)) return own;
    switch (check) {
        case TULLE__CHECK_OFFSETS:
            return tulle__offset_fault(v, &f, i, last);
        case TULLE__CHECK_ORDER:
            return tulle__order_fault(v, &f, i);
        case TULLE__CHECK_PERMUTATION: {
            int64_t row = tulle__row_at(v, i);
            return tulle__fault_if(firsts[row] != i, TULLE__BAD_ORDER, row);
        }
        case TULLE__CHECK_INDICES:
            return tulle__index_fault(v, &f, i);
        case TULLE__CHECK_PADDING:
            return tulle__padding_fault(v, &f, i);
        case TULLE__CHECK_TAIL:
            return tulle__tail_fault(v, i);
        default:
            return own;
    }
}

#endif
