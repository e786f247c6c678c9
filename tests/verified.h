/* SPDX-License-Identifier: Apache-2.0 */
/* Small matrices for the checks of the program, and what these say. */
#ifndef TESTS_VERIFIED_H
#define TESTS_VERIFIED_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/csr.h"
#include "tools/common/verify_rows.h"

/* Borrows the arrays. */
static inline tool_csr csr(int64_t rows, int64_t cols, const int32_t *offsets,
                           const int32_t *columns, const double *values) {
    return (tool_csr){.rows = rows,
                      .cols = cols,
                      .nnz = offsets[rows],
                      .type = TULLE_F64,
                      .index = TULLE_I32,
                      .heads = rows,
                      .offsets = offsets,
                      .columns = columns,
                      .values = values};
}

static inline void assert_right(tool_entry_error found) {
    assert_true(found.units >= 0 && found.units <= 1);
    assert_null(found.fault);
}

static inline void assert_fault(tool_entry_error found, int64_t row, int64_t column,
                                const char *fault) {
    assert_true(isinf(found.units));
    assert_non_null(found.fault);
    assert_non_null(strstr(found.fault, fault));
    assert_int_equal(found.row, row);
    assert_int_equal(found.column, column);
}

#endif
