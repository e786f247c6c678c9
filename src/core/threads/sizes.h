/* SPDX-License-Identifier: Apache-2.0 */
/* The amount of work from which a second thread is of use. */
#ifndef TULLE_CORE_THREADS_SIZES_H
#define TULLE_CORE_THREADS_SIZES_H

#include "core/context.h"

/* Kinds of work; each item of a kind takes about as long as another. */
typedef enum tulle__work {
    TULLE__WORK_NUMBERS,   /* numbers of vectors and index arrays, read or written in the order of
                              memory */
    TULLE__WORK_ENTRIES,   /* entries of sparse matrices, with a gather, a comparison or a search
                              each */
    TULLE__WORK_ROWS,      /* rows of sparse matrices, each with its few entries */
    TULLE__WORK_POINTS,    /* points of meshes, and pairs of them: a few gathers each */
    TULLE__WORK_VISITS,    /* visits of points by all their elements */
    TULLE__WORK_MATRICES,  /* element matrices: stored, to be multiplied with */
    TULLE__WORK_CELLS,     /* cells whose matrices are integrals of linear shapes */
    TULLE__WORK_ELASTIC,   /* cells with blocks of three numbers by three */
    TULLE__WORK_QUADRATIC, /* cells whose matrices are integrals of other shapes */
    TULLE__WORK_EDGES,     /* random edges, with a dozen random numbers each */
    TULLE__WORK_KINDS
} tulle__work;

/* Number of threads for the work: all of the place's, or one, where there is too little work. A
 * GPU's place has one. */
int tulle__threads_for(const tulle__place *place, tulle__work kind, int64_t count);

/* Number of threads for work that the host does for a context of any place. */
int tulle__host_threads_for(const tulle_ctx *ctx, tulle__work kind, int64_t count);

#endif
