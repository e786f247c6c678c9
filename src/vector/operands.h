/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the public functions of vectors, and the lending of their operands to the emulator. */
#ifndef TULLE_VECTOR_OPERANDS_H
#define TULLE_VECTOR_OPERANDS_H

#include "dense/dense.h"
#include "tulle/vec.h"
#include "vector/jobs.h"

/* A vector that is an argument of a public function, and the argument's name. */
typedef struct tulle__operand {
    const char *name;
    const tulle_vec *X;
} tulle__operand;

tulle__strided tulle__strided_of(const tulle_vec *X);

/* Checks an operand's memory space, shape and type. */
tulle_status tulle__operand_check(const char *function, const tulle_ctx *ctx, tulle__operand v,
                                  int64_t rows, int64_t cols, tulle_type type);

/* Returns true when two multivectors are the same numbers at the same addresses. */
bool tulle__same_numbers(const tulle_vec *X, const tulle_vec *Y);

/* Fails with TULLE_ALIASED if the output shares a number with an input, unless both are the
 * same. */
tulle_status tulle__operand_apart(const char *function, tulle__operand out, tulle__operand in);

/* Checks an array of `count` numbers of the type by its address (NULL is no array): that it is
 * aligned, and does not overlap the operand. */
tulle_status tulle__address_check(const char *function, const char *name, const void *address,
                                  int64_t count, tulle_type type, tulle__operand with);

#endif
