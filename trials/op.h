/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that the benchmark knows (operation.h), by number, and their names. */
#ifndef TRIAL_OP_H
#define TRIAL_OP_H

#include "trials/operation.h"

enum { TRIAL_OP_NAMES = 1024 };

/* Returns all names: "spmv, spmm, ...". */
const char *trial_op_names(char text[TRIAL_OP_NAMES]);

/* Returns "; did you mean ...?" for a name that no operation has, or "". Valid until the next
 * call. */
const char *trial_op_suggestion(const char *name);

/* Returns the number of a name; -1: no operation has it. spmm is spmv with several vectors,
 * spmm_bsr is spmm in blocks. */
int trial_op_of(const char *name);

/* Returns whether a name asks for several vectors. */
bool trial_op_wants_vectors(const char *name);

/* Returns whether a name asks for blocks, and, where nothing is said, for as many vectors as they
 * have rows. */
bool trial_op_wants_bsr(const char *name);

/* Returns an operation by its number, from 0 on. */
const trial_operation *trial_operation_of(int op);

#endif
