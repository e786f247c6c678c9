/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the matrices of the papers. Each stand-in has a row function with numbers that were
 * chosen by hand for the kind of matrix (shapes.c), and numbers by which counts of entries are met
 * exactly, computed by lab/papers/like/fit/fit.sh (fitted.h). */
#ifndef PAPERS_LIKE_H
#define PAPERS_LIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "io/generator.h"
#include "lab/papers/like/matrices.h"
#include "tools/common/generators.h"

typedef struct paper_like {
    const paper_matrix *matrix;
    bool transposed;            /* true: the row function gives the columns of the matrix */
    tulle__generator_args args; /* numbers of the row function; the caller sets value_seed */
} paper_like;

/* Finds the stand-in of a name of `length` characters; false: there is none. */
bool paper_like_find(const char *name, size_t length, paper_like *like);

/* Generator of the specifications like:NAME. */
extern const tool_generator paper_like_generator;

#endif
