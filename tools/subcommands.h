/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands, one row each: name, one line of summary. Each is a function
 * `int tulle_tool_NAME(int argc, char **argv)` in tools/NAME.c, whose argv[0] is its name and
 * whose result is an exit code of error.h. */
#ifndef TOOL_SUBCOMMANDS_H
#define TOOL_SUBCOMMANDS_H

#define TOOL_SUBCOMMANDS(X)                                                                        \
    X(info, "shape, symmetry, row lengths, memory and a picture of a matrix")                      \
    X(spmv, "one product y = alpha op(A) x + beta y")                                              \
    X(spmm, "the same with multivectors, Y = alpha op(A) X + beta Y")                              \
    X(spgemm, "a product of two sparse matrices, C = alpha op(A) op(B)")                           \
    X(add, "a sum of two sparse matrices, C = alpha op(A) + beta op(B)")                           \
    X(solve, "a system A x = b by an iterative method, preconditioned, verified")                  \
    X(trisolve, "a system with a triangle of a matrix, op(T) X = alpha B")                         \
    X(factor, "factors L U or L L' of a sparse matrix, complete or not")                           \
    X(transpose, "the transpose of a sparse matrix")                                               \
    X(batch, "many small products at once: one by one, in one launch, on streams")                 \
    X(bench, "every eligible kernel on a set of matrices")                                         \
    X(tune, "how the run-time tuner finds the best kernel for a matrix")                           \
    X(convert, "a matrix from one file format to another")                                         \
    X(gen, "a model matrix from a generator to a file")                                            \
    X(mesh, "a mesh of finite elements: looked at, made or converted")                             \
    X(kernels, "the registry: all kernels, their types and parameters")                            \
    X(doctor, "what this machine has, how fast it is and what is missing")

#define X(name, summary) int tulle_tool_##name(int argc, char **argv);
TOOL_SUBCOMMANDS(X)
#undef X

#endif
