/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a pattern. The structs that view, own or fill the arrays have a member for each,
 * made from this one list; tulle_mat_arrays, _buffers and _lengths, which are public, are written
 * out. */
#ifndef TULLE_FORMAT_ARRAYS_H
#define TULLE_FORMAT_ARRAYS_H

/* A(NUMBER, member, field, item, words): name of the member here and of the field in public
 * structs; bytes of an element for an index type `index`; words for the array in messages. */
#define TULLE__EACH_ARRAY(A)                                                                       \
    A(OFFSETS, offsets, offsets, tulle_offset_size(index), "the offsets of A")                     \
    A(ROWS, rows_of, rows, tulle_index_size(index), "the row indices of A")                        \
    A(COLS, cols_of, cols, tulle_index_size(index), "the columns of A")                            \
    A(ORDER, order, order, tulle_index_size(index), "the row order of A")                          \
    A(LENGTHS, lengths, lengths, tulle_index_size(index), "the row lengths of A")                  \
    A(MASK, mask, mask, 4, "the mask of A")                                                        \
    A(CODES, codes, codes, 1, "the codes of A")

/* Members of a struct: pointers to arrays that are read, and to arrays that are filled. */
#define TULLE__ARRAY_READ(number, member, field, item, words) const void *member;
#define TULLE__ARRAY_FILLED(number, member, field, item, words) void *member;

/* Numbers of the arrays: TULLE__OFFSETS and so on. */
enum {
#define A(number, member, field, item, words) TULLE__##number,
    TULLE__EACH_ARRAY(A)
#undef A
        TULLE__ARRAYS
};

#endif
