/* SPDX-License-Identifier: Apache-2.0 */
/* The formats: a list with a row for each format, and the declarations that follow from it. The
 * header with the name of a format has its fragments (format/parts.h), which format/slots.h and
 * faults.h combine; the .c file with the name lays matrices out (format/lay_out.h). */
#ifndef TULLE_FORMAT_FORMATS_H
#define TULLE_FORMAT_FORMATS_H

#include "format/bsr.h"
#include "format/coo.h"
#include "format/csr.h"
#include "format/dcsr.h"
#include "format/dia.h"
#include "format/ell.h"
#include "format/hyb.h"
#include "format/jds.h"
#include "format/packed.h"
#include "format/sell.h"

/* Traits of formats. */
enum {
    /* The entries are a list without padding between them. A format with this trait is made by
     * sorting; the others are laid out row by row (slots.h). */
    TULLE__LIST = 1 << 0,
    TULLE__SLICED = 1 << 1, /* the slots are those of SELL */
    /* the slot determines the column, so that no entry can be repeated */
    TULLE__SINGLE = 1 << 2,
    TULLE__BOTH_WAYS = 1 << 3, /* A^T x gathers the terms of its sums, as A x does in CSR */
    /* the values are in the order of the CSR that the matrix was made from */
    TULLE__AS_CSR = 1 << 4,
    /* The format was the fastest of all on a measured matrix, by more than noise
     * (docs/tuning-text.md), on some device, or only on CPUs; so tulle_mat_optimize considers
     * it. */
    TULLE__WORTHWHILE = 1 << 5,
    TULLE__WORTHWHILE_CPU = 1 << 9,
    /* The format is good where a row is far longer than the others. Formats without this trait give
     * each row a thread, or slots as many as its neighbours', cannot win there, and would cost too
     * much to try. */
    TULLE__LONG_ROWS = 1 << 6,
    TULLE__COMPRESSED = 1 << 7, /* the format has `heads` positions, for rows with entries only */
    /* the numbers of the layout follow from the lengths of the rows that have entries */
    TULLE__BY_LENGTHS = 1 << 8
};

/* The numbers of tulle_storage except `stored`, and those of tulle_convert_options: N(NUMBER,
 * name). */
#define TULLE__EACH_NUMBER(N)                                                                      \
    N(WIDTH, width)                                                                                \
    N(STRIDE, stride)                                                                              \
    N(HEAD, head)                                                                                  \
    N(SLICE, slice)                                                                                \
    N(WINDOW, window)                                                                              \
    N(CODED, coded)                                                                                \
    N(BLOCK, block)                                                                                \
    N(FULL, full)                                                                                  \
    N(SECTIONS, sections)                                                                          \
    N(HEADS, heads)                                                                                \
    N(BLOCK_COLS, block_cols)
#define TULLE__EACH_OPTION(N)                                                                      \
    N(SLICE, slice)                                                                                \
    N(WINDOW, window)                                                                              \
    N(WIDTH, width)                                                                                \
    N(BLOCK, block)                                                                                \
    N(BLOCK_COLS, block_cols)

/* Constants for the numbers: TULLE__NUMBER_WIDTH (an index), TULLE__HAS_WIDTH (a bit), and so
 * on. */
enum {
#define N(number, name) TULLE__NUMBER_##number,
    TULLE__EACH_NUMBER(N)
#undef N
        TULLE__NUMBERS
};
enum {
#define N(number, name) TULLE__HAS_##number = 1 << TULLE__NUMBER_##number,
    TULLE__EACH_NUMBER(N)
#undef N
        TULLE__HAS_NONE = 0
};

/* F(NUMBER, name, traits, numbers, options, check, lay_out, about). name: that of tulle_format_name
 * and of the fragments. numbers, options: the numbers that the format has, and those that a user
 * may choose. check, lay_out: the ends of the names of functions tulle__check_ and tulle__lay_out_,
 * which check given numbers and lay a matrix out (numbers.c, lay_out.h). about: description of a
 * layout, with its numbers in braces. */
#define TULLE__EACH_FORMAT(F)                                                                      \
    F(COO, coo, TULLE__LIST | TULLE__AS_CSR | TULLE__BY_LENGTHS, TULLE__HAS_NONE, TULLE__HAS_NONE, \
      none, none, "an index for each entry, without padding")                                      \
    F(CSR, csr, TULLE__LIST | TULLE__WORTHWHILE | TULLE__LONG_ROWS | TULLE__BY_LENGTHS,            \
      TULLE__HAS_NONE, TULLE__HAS_NONE, none, none, "an index for each entry, without padding")    \
    F(CSC, csc, TULLE__LIST | TULLE__BOTH_WAYS | TULLE__BY_LENGTHS, TULLE__HAS_NONE,               \
      TULLE__HAS_NONE, none, none, "an index for each entry, without padding")                     \
    F(ELL, ell, TULLE__BY_LENGTHS, TULLE__HAS_WIDTH | TULLE__HAS_STRIDE, TULLE__HAS_NONE, ell,     \
      ell, "rows padded to the longest, {width}, are {full} full")                                 \
    F(ELLR, ellr, TULLE__BY_LENGTHS, TULLE__HAS_WIDTH | TULLE__HAS_STRIDE, TULLE__HAS_NONE, ell,   \
      ell, "rows padded to the longest, {width}, are {full} full")                                 \
    F(SELL, sell, TULLE__SLICED | TULLE__WORTHWHILE, TULLE__HAS_SLICE | TULLE__HAS_WINDOW,         \
      TULLE__HAS_SLICE | TULLE__HAS_WINDOW, sell, sell,                                            \
      "slices of {slice} rows{sorted}, {full} full")                                               \
    F(HYB, hyb, TULLE__WORTHWHILE | TULLE__LONG_ROWS | TULLE__BY_LENGTHS,                          \
      TULLE__HAS_HEAD | TULLE__HAS_WIDTH | TULLE__HAS_STRIDE, TULLE__HAS_WIDTH, hyb, hyb,          \
      "{share} of the entries are among the first {width} of their row")                           \
    F(CSR_COO, csr_coo, TULLE__BY_LENGTHS, TULLE__HAS_HEAD | TULLE__HAS_WIDTH, TULLE__HAS_WIDTH,   \
      csr_coo, hyb, "{share} of the entries are among the first {width} of their row")             \
    F(JDS, jds, TULLE__BY_LENGTHS, TULLE__HAS_WIDTH, TULLE__HAS_NONE, jds, jds,                    \
      "rows sorted by length, without padding")                                                    \
    F(JDS_ELL, jds_ell, TULLE__BY_LENGTHS, TULLE__HAS_SECTIONS, TULLE__HAS_NONE, sections, jds,    \
      "rows sorted by length, {sections} sections, {full} full")                                   \
    F(DIA, dia, TULLE__SINGLE | TULLE__BOTH_WAYS | TULLE__WORTHWHILE,                              \
      TULLE__HAS_WIDTH | TULLE__HAS_STRIDE, TULLE__HAS_NONE, ell, dia,                             \
      "{width} diagonals, {full} full")                                                            \
    F(BSR, bsr, TULLE__SINGLE | TULLE__WORTHWHILE,                                                 \
      TULLE__HAS_BLOCK | TULLE__HAS_BLOCK_COLS | TULLE__HAS_FULL,                                  \
      TULLE__HAS_BLOCK | TULLE__HAS_BLOCK_COLS, bsr, bsr,                                          \
      "blocks of {block} x {block_cols}, {full} full")                                             \
    F(PACKED, packed, TULLE__SLICED | TULLE__WORTHWHILE_CPU,                                       \
      TULLE__HAS_SLICE | TULLE__HAS_WINDOW | TULLE__HAS_CODED, TULLE__HAS_WINDOW, packed, packed,  \
      "columns in {columns} bytes an entry, slots {full} full")                                    \
    F(DCSR, dcsr, TULLE__COMPRESSED | TULLE__AS_CSR | TULLE__BY_LENGTHS, TULLE__HAS_HEADS,         \
      TULLE__HAS_NONE, dcsr, dcsr, "{heads} rows have entries, and no other takes memory")

TULLE_INLINE bool tulle__has(tulle_format format, int trait) {
    switch (format) {
#define F(number, name, traits, numbers, options, check, lay_out, about)                           \
    case TULLE_##number:                                                                           \
        return ((traits)&trait) != 0;
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return false;
}

TULLE_INLINE tulle_mat_lengths tulle__counts(tulle_format format, int64_t rows, int64_t cols,
                                             const tulle_storage *s) {
    tulle_mat_lengths n = {0, 0, s->stored, 0, 0, 0, 0, s->stored};
    tulle__extent extent = {rows, cols, s};
    switch (format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        tulle__##name##_counts(&extent, &n);                                                       \
        break;
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return n;
}

/* Returns the bytes of all arrays but the values. */
TULLE_INLINE int64_t tulle__structure_bytes(const tulle_mat_lengths *n, tulle_index index) {
#define A(number, member, field, item, words) +n->field *(item)
    return 0 TULLE__EACH_ARRAY(A);
#undef A
}

/* A row of the list, for code that treats all formats alike. */
typedef struct tulle__format {
    const char *name, *about;
    int numbers, options; /* bits TULLE__HAS_... */
} tulle__format;

TULLE_API const tulle__format *tulle__format_of(tulle_format format);

#endif
