/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the matrices of the papers: for each a row function with its numbers, chosen by
 * hand for the kind of matrix (like_shapes.c), and what meets the counts exactly, computed by
 * scripts/fit_like.sh (like_fitted.h). */
#ifndef TULLE_IO_LIKE_H
#define TULLE_IO_LIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "io/generator.h"
#include "io/paper_matrices.h"

typedef struct tulle__like {
    const tulle__paper_matrix *matrix;
    bool transposed;                   /* the row function gives the columns */
    struct tulle__generator_args args; /* value_seed is the user's to set */
} tulle__like;

/* The stand-in of a name, which need not end at `length`; false: there is none. */
bool tulle__like_find(const char *name, size_t length, tulle__like *like);

#endif
