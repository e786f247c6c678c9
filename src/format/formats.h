/* SPDX-License-Identifier: Apache-2.0 */
/* The formats: the one list of them, a row each, and what follows from it. The header of a format's
 * name has its fragments (format/parts.h), which format/slots.h and faults.h put together; the .c
 * of its name lays it out (format/lay_out.h). */
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

/* Traits. */
enum {
    /* The entries are a list, with nothing between them: these are sorted into each other; the
     * others are laid out row by row (slots.h). */
    TULLE__LIST = 1 << 0,
    TULLE__SLICED = 1 << 1,    /* slots are those of SELL */
    TULLE__SINGLE = 1 << 2,    /* the place says the column: no entry is repeated */
    TULLE__BOTH_WAYS = 1 << 3, /* A^T x gathers what it adds up, as A x does in CSR */
    TULLE__AS_CSR = 1 << 4,    /* values are in the order of the CSR it was made from */
    /* Was the fastest of all on a matrix that was measured, by more than noise
     * (docs/tuning-text.md): anywhere, or on CPUs only; worth a look by tulle_mat_optimize. */
    TULLE__WORTHWHILE = 1 << 5,
    TULLE__WORTHWHILE_CPU = 1 << 9,
    /* Where a row is far longer than the others, what gives each row a thread, or the slots of its
     * neighbours, cannot win, and to find that out would cost too much. */
    TULLE__LONG_ROWS = 1 << 6,
    TULLE__COMPRESSED = 1 << 7, /* `heads` positions, for rows with entries only */
    TULLE__BY_LENGTHS = 1 << 8  /* numbers follow from the lengths of the rows with entries */
};

/* The numbers of tulle_storage beyond `stored`, and of tulle_convert_options: N(NUMBER, name). */
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
    N(HEADS, heads)
#define TULLE__EACH_OPTION(N)                                                                      \
    N(SLICE, slice)                                                                                \
    N(WINDOW, window)                                                                              \
    N(WIDTH, width)                                                                                \
    N(BLOCK, block)

/* TULLE__NUMBER_WIDTH, and TULLE__HAS_WIDTH, a bit, and so on. */
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

/* F(NUMBER, name, traits, numbers, options, check, lay_out, about): the name is tulle_format_name's
 * and that of the fragments; its numbers, and those a user may choose; the functions, tulle__check_
 * and tulle__lay_out_, that judge given numbers and lay a matrix out (numbers.c, lay_out.h); what
 * makes a layout what it is, with its numbers in braces. */
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
    F(BSR, bsr, TULLE__SINGLE | TULLE__WORTHWHILE, TULLE__HAS_BLOCK | TULLE__HAS_FULL,             \
      TULLE__HAS_BLOCK, bsr, bsr, "blocks of {block} x {block}, {full} full")                      \
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

/* Bytes of everything but the values. */
TULLE_INLINE int64_t tulle__structure_bytes(const tulle_mat_lengths *n, tulle_index index) {
#define A(number, member, field, item, words) +n->field *(item)
    return 0 TULLE__EACH_ARRAY(A);
#undef A
}

/* A row, for code that treats all formats alike. */
typedef struct tulle__format {
    const char *name, *about;
    int numbers, options; /* TULLE__HAS_... */
} tulle__format;

TULLE_API const tulle__format *tulle__format_of(tulle_format format);

#endif
