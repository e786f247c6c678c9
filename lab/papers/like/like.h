/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the matrices of the papers: for each a row function with its numbers, chosen by
 * hand for the kind of matrix (shapes.c), and what meets the counts exactly, computed by
 * lab/papers/like/fit/fit.sh (fitted.h). */
#ifndef PAPERS_LIKE_H
#define PAPERS_LIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "io/generator.h"
#include "lab/papers/like/matrices.h"
#include "tools/common/generators.h"

typedef struct paper_like {
    const paper_matrix *matrix;
    bool transposed;            /* the row function gives the columns */
    tulle__generator_args args; /* value_seed is the user's to set */
} paper_like;

/* The stand-in of a name, which need not end at `length`; false: there is none. */
bool paper_like_find(const char *name, size_t length, paper_like *like);

/* like:NAME */
extern const tool_generator paper_like_generator;

#endif
