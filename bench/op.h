/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that the benchmark knows, by number: 0 multiplies vectors, then come those that
 * make a matrix (making.h), then those that act on given arrays (acting.h). */
#ifndef BENCH_OP_H
#define BENCH_OP_H

#include "bench/acting.h"
#include "bench/making.h"

enum { BENCH_OP_NAMES = 512 };

/* "spmv, spmm, ...": all names. */
const char *bench_op_names(char text[BENCH_OP_NAMES]);

/* "; did you mean ...?" for a name that there is not, or "". Valid until the next call. */
const char *bench_op_suggestion(const char *name);

/* The number of a name; -1: there is none. spmm is spmv with several vectors, spmm_bsr that in
 * blocks. */
int bench_op_of(const char *name);

/* Whether a name asks for several vectors. */
bool bench_op_wants_vectors(const char *name);

/* Whether it asks for blocks, and, where nothing is said, as many vectors as they have rows. */
bool bench_op_wants_bsr(const char *name);

/* "spmv" or "spgemm". */
const char *bench_op_name(int op);

/* Of which operation its kernels are; NULL: it has none. */
const char *bench_op_kernels(int op);

/* NULL for another kind. */
const bench_maker *bench_maker_of(int op);
const bench_actor *bench_actor_of(int op);

#endif
