/* SPDX-License-Identifier: Apache-2.0 */
/* The result of an operation that counts its entries before it fills them: a new CSR matrix,
 * whose index type follows one rule. */
#ifndef TULLE_MATRIX_RESULT_H
#define TULLE_MATRIX_RESULT_H

#include "matrix/build.h"

/* The index type that the caller asks for: `index` where it is given, else the narrowest that
 * holds the result. */
typedef struct tulle__asked {
    bool given;
    tulle_index index;
} tulle__asked;

/* Returns the least index type that operands are brought to: if the result is to be wider than
 * the operands, it is made so from the start. */
static inline tulle_index tulle__asked_least(tulle__asked asked) {
    return asked.given ? asked.index : TULLE_I32;
}

/* Checks that the index type that was asked for holds the shape, before anything is computed. */
tulle_status tulle__asked_check(const char *function, tulle__asked asked, int64_t rows,
                                int64_t cols);

/* Checks that the index type that was asked for can count so many entries. */
tulle_status tulle__result_check_count(const char *function, tulle__asked asked, int64_t nnz);

/* Returns the index type of a result with nnz entries, from the index type of the operands and the
 * one that was asked for. */
tulle_index tulle__result_index(tulle_index operands, tulle__asked asked, int64_t nnz);

/* Allocates the arrays of the result, of draft->nnz entries; given ctx, rows, cols, nnz, type, and
 * in index that of the operands. TULLE_TOO_LARGE where the index type that was asked for cannot
 * count the entries; TULLE_OUT_OF_MEMORY, before it is asked for, where this machine's available
 * memory is less. */
tulle_status tulle__result_make(const char *function, tulle__asked asked, tulle__draft *draft);

/* Makes the matrix of filled arrays, which then belong to the matrix; on failure they are freed.
 * rising: true when the columns of each row ascend. A result that is to be narrower than the
 * operands is converted now. */
tulle_status tulle__result_finish(tulle__draft *draft, tulle__asked asked, bool rising,
                                  tulle_mat **C);

/* Does tulle__result_finish for a result whose columns ascend and whose largest |column - row|
 * is known. */
tulle_status tulle__result_finish_banded(tulle__draft *draft, tulle__asked asked, int64_t bandwidth,
                                         tulle_mat **C);

#endif
