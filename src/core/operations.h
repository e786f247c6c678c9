/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the operations and folders above the core: the one list of operations that have
 * kernels, and the one of folders that need functions of their own in every back end. An
 * operation NAME brings tulle__operation_NAME (core/kernel.h), a type tulle__NAME_kernel and its
 * lists of kernels, TULLE__NUMBER_CPU and TULLE__NUMBER_GPU; a folder NAME, its list of
 * functions TULLE__NUMBER_FUNCTIONS. src/folders.h includes the headers that have these lists,
 * and src/backend_cpu.c and src/backend_gpu.cu make the tables of them. */
#ifndef TULLE_CORE_OPERATIONS_H
#define TULLE_CORE_OPERATIONS_H

/* The list of operations: O(NUMBER, name). */
#define TULLE__OPERATIONS(O)                                                                       \
    O(SPMV, spmv)                                                                                  \
    O(SPMM, spmm)                                                                                  \
    O(SPGEMM, spgemm)                                                                              \
    O(MASKED, masked)                                                                              \
    O(BLOCKS, blocks)                                                                              \
    O(TRISOLVE, trisolve)                                                                          \
    O(FACTOR, factor)

/* The list of folders with functions: T(NUMBER, name). */
#define TULLE__FUNCTION_FOLDERS(T)                                                                 \
    T(FORMAT, format)                                                                              \
    T(MATRIX, matrix)                                                                              \
    T(DENSE, dense)                                                                                \
    T(VECTOR, vector)                                                                              \
    T(SPGEMM, spgemm)                                                                              \
    T(TRISOLVE, trisolve)                                                                          \
    T(FACTOR, factor)                                                                              \
    T(ALGEBRA, algebra)                                                                            \
    T(OPERATOR, op)                                                                                \
    T(SOLVER, solver)                                                                              \
    T(BATCH, batch)                                                                                \
    T(IO, io)                                                                                      \
    T(FEM, fem)                                                                                    \
    T(UNIFORM, uniform)                                                                            \
    T(AMG, amg)                                                                                    \
    T(COMM, comm)                                                                                  \
    T(DIST, dist)

/* Numbers of the operations, TULLE__OP_SPMV and so on. */
enum {
#define O(number, name) TULLE__OP_##number,
    TULLE__OPERATIONS(O)
#undef O
        TULLE__OPERATION_COUNT
};

#endif
