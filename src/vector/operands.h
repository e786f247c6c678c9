/* SPDX-License-Identifier: Apache-2.0 */
/* What the public functions of vectors check, and lend to the emulator. */
#ifndef TULLE_VECTOR_OPERANDS_H
#define TULLE_VECTOR_OPERANDS_H

#include "dense/dense.h"
#include "tulle/vec.h"
#include "vector/jobs.h"

/* An argument of a public function. */
typedef struct tulle__operand {
    const char *name;
    const tulle_vec *X;
} tulle__operand;

tulle__strided tulle__strided_of(const tulle_vec *X);

/* Where it lives, its shape, and its type. */
tulle_status tulle__operand_check(const char *function, const tulle_ctx *ctx, tulle__operand v,
                                  int64_t rows, int64_t cols, tulle_type type);

/* Whether both are the same numbers at the same places. */
bool tulle__same_numbers(const tulle_vec *X, const tulle_vec *Y);

/* TULLE_ALIASED where the output shares a number with an input, unless both are the same. */
tulle_status tulle__operand_apart(const char *function, tulle__operand out, tulle__operand in);

/* An array of `count` numbers of the type by address, NULL for none: aligned, and apart from the
 * operand. */
tulle_status tulle__address_check(const char *function, const char *name, const void *address,
                                  int64_t count, tulle_type type, tulle__operand with);

#endif
